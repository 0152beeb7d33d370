//! What a switch boots from and serves: `struct tvlb_setup`.

use crate::memory::{self, Out};
use crate::{end, paths_of, scheme_of};
use tvlb_firmware_model::{Channels, Scheme, Switch, VlbPaths};

/// `struct tvlb_setup`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tvlb_setup {
    /// Where the fabric image begins.
    pub fabric_image: *const u8,
    /// Its length in bytes.
    pub fabric_length: usize,
    /// Where the switch image begins.
    pub switch_image: *const u8,
    /// Its length in bytes.
    pub switch_length: usize,
    /// `TVLB_MIN` to `TVLB_PAR`.
    pub scheme: u8,
    /// `TVLB_CONVENTIONAL` or `TVLB_CUSTOM`.
    pub paths: u8,
    /// The virtual channels of links between switches of one group.
    pub local_channels: u8,
    /// The virtual channels of links between groups.
    pub global_channels: u8,
}

impl tvlb_setup {
    /// The setup for images at these addresses and of these lengths: scheme and paths by their codes, and the channels
    /// of local and global links.
    pub const fn of(
        (fabric_image, fabric_length): (*const u8, usize),
        (switch_image, switch_length): (*const u8, usize),
        (scheme, paths): (u8, u8),
        (local_channels, global_channels): (u8, u8),
    ) -> Self {
        Self {
            fabric_image,
            fabric_length,
            switch_image,
            switch_length,
            scheme,
            paths,
            local_channels,
            global_channels,
        }
    }
}

/// A setup with valid pointers and codes.
pub(crate) struct Images<'a> {
    pub fabric: &'a [u8],
    pub switch: &'a [u8],
    pub scheme: Scheme,
    pub paths: VlbPaths,
    pub channels: Channels,
}

/// Reads a setup.
///
/// # Safety
/// `setup` is null or readable. Each of its images is null, or readable for its length and unchanged for 'a.
pub(crate) unsafe fn read<'a>(setup: *const tvlb_setup) -> Result<Images<'a>, i32> {
    // SAFETY: by the caller's promise.
    let setup = unsafe { memory::read(setup) }?;
    // SAFETY: by the caller's promise on the images.
    let fabric = unsafe { memory::bytes(setup.fabric_image, setup.fabric_length) }?;
    // SAFETY: as above.
    let switch = unsafe { memory::bytes(setup.switch_image, setup.switch_length) }?;
    let (scheme, paths) = (scheme_of(setup.scheme)?, paths_of(setup.paths)?);
    let channels = Channels { local: setup.local_channels, global: setup.global_channels };
    Ok(Images { fabric, switch, scheme, paths, channels })
}

/// The virtual channels that packets of a setup need, written into it: `tvlb_channels_needed`.
///
/// # Safety
/// `setup` is null, or readable and writable. Each of its images is null, or readable for its length and
/// unchanged during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_channels_needed(setup: *mut tvlb_setup) -> i32 {
    let needed = || {
        // SAFETY: by the caller's promise on `setup`.
        let out = unsafe { Out::new(setup) }?;
        // SAFETY: by the caller's promise on `setup` and its images.
        let Images { fabric, switch, scheme, paths, .. } = unsafe { read(setup) }?;
        let switch = Switch::boot(fabric, switch).map_err(|error| error.code())?;
        let Channels { local, global } = switch.channels_needed_for(scheme, paths);
        // SAFETY: as above.
        let asked = unsafe { memory::read(setup) }?;
        out.write(tvlb_setup { local_channels: local, global_channels: global, ..asked });
        Ok(())
    };
    end(needed())
}
