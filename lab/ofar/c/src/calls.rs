//! Deciding at every hop, in C.

use crate::code::{TVLB_ESCAPE_IMAGE, code_of};
use crate::memory;
use crate::{outputs, tvlb_ofar, tvlb_outputs};
use ::tvlb_ofar::{Ask, EscapeImage, OfarSwitch, channels};
use tvlb_firmware_c::extension::{Out, bytes, code, switch_in};
use tvlb_firmware_c::{TVLB_FABRIC_IMAGE, TVLB_TOO_FEW_CHANNELS, tvlb_image_error, tvlb_switch};
use tvlb_firmware_model::{Header, Switch};
use tvlb_schema::{FabricImage, NodeId};

/// The request of a packet: `struct tvlb_asked`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_asked {
    /// The header to send the packet with; 0 if it is not sent.
    pub header: u64,
    /// The physical port; 0 if the packet waits.
    pub port: u16,
    /// For how many packets the virtual channel must have room; 0 if the packet is not sent.
    pub room: u16,
    /// `TVLB_WAIT`, `TVLB_DELIVER` or `TVLB_SEND`.
    pub what: u8,
    /// The virtual channel on the link at the port; 0 if the packet is not sent.
    pub virtual_channel: u8,
}

/// The answer in C.
#[doc(hidden)] // for the comparison of C with Rust
pub const fn asked_of(ask: Ask) -> tvlb_asked {
    match ask {
        Ask::Wait => tvlb_asked { header: 0, port: 0, room: 0, what: 0, virtual_channel: 0 },
        Ask::Deliver { port } => {
            tvlb_asked { header: 0, port: port.0, room: 0, what: 1, virtual_channel: 0 }
        }
        Ask::Send { port, virtual_channel, header, room } => {
            tvlb_asked { header: header.bits(), port: port.0, room, what: 2, virtual_channel }
        }
    }
}

fn escape_of<'a>(bytes: &'a [u8], switch: &Switch<'_>) -> Result<EscapeImage<'a>, i32> {
    EscapeImage::decode(bytes, switch.image().fabric()).map_err(|_| TVLB_ESCAPE_IMAGE)
}

/// The virtual channels that links need: `tvlb_ofar_channels_needed`.
///
/// # Safety
/// `switch` is as for [`tvlb_firmware_c::tvlb_admit`]. The image is null, or readable for its length and unchanged during
/// the call. `local` and `global` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_ofar_channels_needed(
    switch: *const tvlb_switch,
    escape_image: *const u8,
    escape_len: usize,
    local: *mut u8,
    global: *mut u8,
) -> i32 {
    let needed = || {
        // SAFETY: by the caller's promise on the outputs.
        let (local, global) = unsafe { (Out::new(local)?, Out::new(global)?) };
        // SAFETY: by the caller's promise on the image.
        let image = unsafe { bytes(escape_image, escape_len) }?;
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { switch_in(switch) }?;
        let escape = escape_of(image, switch)?;
        let needed = channels(escape.rules());
        local.write(needed.local);
        global.write(needed.global);
        Ok(())
    };
    code(needed())
}

/// Boots a switch that decides at every hop: `tvlb_boot_ofar`.
///
/// # Safety
/// `ofar` is null or writable, and nobody else uses it during the call. `switch` is as for
/// [`tvlb_firmware_c::tvlb_admit`]. The image is null, or readable for its length; it and those of the switch stay so and
/// unchanged until `ofar`, and every copy of it, is booted again or used no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_boot_ofar(
    ofar: *mut tvlb_ofar,
    switch: *const tvlb_switch,
    escape_image: *const u8,
    escape_len: usize,
    local_channels: u8,
    global_channels: u8,
) -> i32 {
    let boot = || {
        // SAFETY: by the caller's promise on `ofar`.
        let out = unsafe { Out::new(ofar) }?;
        // SAFETY: by the caller's promise on the image.
        let image = unsafe { bytes(escape_image, escape_len) }?;
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { switch_in(switch) }?;
        let escape = escape_of(image, switch)?;
        let booted = OfarSwitch::new(switch.clone(), &escape).map_err(|error| code_of(&error))?;
        let needed = channels(escape.rules());
        if local_channels < needed.local || global_channels < needed.global {
            return Err(TVLB_TOO_FEW_CHANNELS);
        }
        // SAFETY: by the caller's promise on `ofar`.
        unsafe { memory::write(out, booted) };
        Ok(())
    };
    code(boot())
}

/// The checksum of the escape image: `tvlb_ofar_checksum`.
///
/// # Safety
/// `ofar` is as for [`tvlb_ask`]; `checksum` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_ofar_checksum(ofar: *const tvlb_ofar, checksum: *mut u32) -> i32 {
    let tell = || {
        // SAFETY: by the caller's promise.
        let (out, ofar) = unsafe { (Out::new(checksum)?, memory::read(ofar)?) };
        out.write(ofar.escape().checksum());
        Ok(())
    };
    code(tell())
}

/// The header of a packet that waits at its source: `tvlb_launch`.
///
/// # Safety
/// `ofar` is as for [`tvlb_ask`]; `header` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_launch(ofar: *const tvlb_ofar, node: u32, header: *mut u64) -> i32 {
    let launch = || {
        // SAFETY: by the caller's promise.
        let (out, ofar) = unsafe { (Out::new(header)?, memory::read(ofar)?) };
        let header = ofar.launch(NodeId(node)).map_err(|error| code_of(&error))?;
        out.write(header.bits());
        Ok(())
    };
    code(launch())
}

/// The request of a packet at the head of a buffer: `tvlb_ask`.
///
/// # Safety
/// - `ofar` is null, or holds what `tvlb_boot_ofar` or zeroing has left there or a copy of that; nobody writes
///   to it during the call, `random` neither.
/// - `outputs` is null or readable. Its `random` may be called with its `context`, and returns. Its arrays
///   have the lengths that it says, and are memory that may be written and lives during the call. They may
///   change meanwhile: by `random`, by an atomic store of any thread or interrupt, or from outside the program.
/// - `asked` is null or writable. `random` may write to it too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_ask(
    ofar: *const tvlb_ofar,
    header: u64,
    outputs: *const tvlb_outputs,
    asked: *mut tvlb_asked,
) -> i32 {
    let ask = || {
        // SAFETY: by the caller's promise on `outputs`.
        let outputs = unsafe { outputs::enter(outputs) }?;
        let mut random = outputs.random()?;
        // SAFETY: by the caller's promise on `asked`.
        let out = unsafe { Out::new(asked) }?;
        // SAFETY: by the caller's promise on `ofar`.
        let ofar = unsafe { memory::read(ofar) }?;
        let ask = ofar
            .ask(Header::from_bits(header), &outputs, &mut random)
            .map_err(|error| code_of(&error))?;
        out.write(asked_of(ask));
        Ok(())
    };
    code(ask())
}

/// Whether nodes of the switch may send: `tvlb_may_inject`.
///
/// # Safety
/// As for [`tvlb_ask`]; `may` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_may_inject(
    ofar: *const tvlb_ofar,
    outputs: *const tvlb_outputs,
    may: *mut u8,
) -> i32 {
    let look = || {
        // SAFETY: by the caller's promise on `outputs`.
        let outputs = unsafe { outputs::enter(outputs) }?;
        // SAFETY: by the caller's promise on `may`.
        let out = unsafe { Out::new(may) }?;
        // SAFETY: by the caller's promise on `ofar`.
        let ofar = unsafe { memory::read(ofar) }?;
        out.write(u8::from(ofar.may_inject(&outputs)));
        Ok(())
    };
    code(look())
}

/// The fault of an escape image: `tvlb_check_escape_image`.
///
/// # Safety
/// Each image is null, or readable for its length and unchanged during the call. `error` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_check_escape_image(
    fabric_image: *const u8,
    fabric_len: usize,
    image: *const u8,
    image_len: usize,
    error: *mut tvlb_image_error,
) -> i32 {
    let check = || {
        // SAFETY: by the caller's promise on the output.
        let out = unsafe { Out::new(error) }?;
        // SAFETY: by the caller's promise on the images.
        let (fabric, image) =
            unsafe { (bytes(fabric_image, fabric_len)?, bytes(image, image_len)?) };
        out.write(match FabricImage::decode(fabric) {
            Err(error) => tvlb_image_error::of(TVLB_FABRIC_IMAGE, &error, error.offset()),
            Ok(fabric) => match EscapeImage::decode(image, &fabric) {
                Err(error) => tvlb_image_error::of(TVLB_ESCAPE_IMAGE, &error, error.offset()),
                Ok(_) => tvlb_image_error::NOTHING,
            },
        });
        Ok(())
    };
    code(check())
}
