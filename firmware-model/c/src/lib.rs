//! The C interface of the datapath; `include/tvlb.h` is its other half.
//!
//! Every function first checks that its pointers are not null and are aligned: `state::read`, which checks that a
//! switch is booted, comes after the checks of all other pointers. A function writes its outputs only if it succeeds;
//! every function that can fail returns an error code. The other obligations of a C caller are documented at each
//! function. Nothing is allocated, the only state is the caller's own `tvlb_switch`, and nothing panics.
//!
//! Memory that a caller may change during a call, its counters and whatever `random` reaches, is never borrowed: values
//! are copied in first and written out last, through raw pointers. `miri.sh` runs the tests under Miri, which detects
//! undefined behaviour.
#![no_std]

mod ask;
mod code;
mod counted;
mod decisions;
mod describe;
mod explain;
pub mod extension;
mod image_error;
mod memory;
mod setup;
mod state;
mod told;
mod window;

pub use ask::{
    tvlb_check_replacement, tvlb_neighbour, tvlb_node_count, tvlb_physical_number, tvlb_ports,
    tvlb_switch_number, tvlb_switch_of, tvlb_version,
};
pub use code::{
    TVLB_ASTRAY, TVLB_BAD_ARGUMENT, TVLB_FABRIC_IMAGE, TVLB_FAULT_IMAGE, TVLB_HEADER_KIND,
    TVLB_HEADER_RANGE, TVLB_NO_CABLE, TVLB_NO_CHANNEL, TVLB_NO_NUMBER, TVLB_NO_SUCH_NODE,
    TVLB_NOT_BOOTED, TVLB_OK, TVLB_OLD_FAULTS, TVLB_OTHER, TVLB_REPLACEMENT, TVLB_SUMS_ONLY,
    TVLB_SWITCH_IMAGE, TVLB_TOO_FEW_CHANNELS, TVLB_UNREACHABLE, TVLB_WRONG_SCHEME, tvlb_error_name,
};
pub use counted::{
    tvlb_admit_counted, tvlb_counters, tvlb_explain_again_counted, tvlb_explain_counted,
    tvlb_explain_onward_counted, tvlb_look_onward_counted, tvlb_reconsider_counted,
};
pub use describe::{
    tvlb_describe, tvlb_describe_port, tvlb_description, tvlb_port, tvlb_weighing, tvlb_weighing_of,
};
pub use explain::{
    ALL_CHANNELS, MOST_CANDIDATES, tvlb_candidate, tvlb_explain, tvlb_explain_again,
    tvlb_explain_onward, tvlb_explanation,
};
pub use image_error::{TEXT_SIZE, tvlb_check_image, tvlb_image_error};
pub use memory::{tvlb_inputs, tvlb_random};
pub use setup::{tvlb_channels_needed, tvlb_setup};
pub use state::{SWITCH_SIZE, tvlb_switch};
pub use told::{tvlb_admit_told, tvlb_leaving_channel, tvlb_level, tvlb_told};
pub use window::{
    tvlb_window, tvlb_window_acknowledge, tvlb_window_admit, tvlb_window_limits, tvlb_window_lose,
};

use memory::Out;
use setup::Images;
use tvlb_firmware_model::{Header, Scheme, Step, Switch, VlbPaths};

/// A step of a packet: `struct tvlb_step`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_step {
    /// The header to send the packet with; 0 if it is delivered.
    pub header: u64,
    /// The physical port.
    pub port: u16,
    /// The virtual channel on the link at the port; 0 if the packet is delivered.
    pub virtual_channel: u8,
    /// 1 if the port leads to the packet's node.
    pub deliver: u8,
    /// The choice of a source decision, `TVLB_HERE` to `TVLB_VLB_FALLBACK`; 0 for a forward.
    pub choice: u8,
}

fn scheme_of(code: u8) -> Result<Scheme, i32> {
    Scheme::from_code(code).ok_or(TVLB_BAD_ARGUMENT)
}

fn paths_of(code: u8) -> Result<VlbPaths, i32> {
    VlbPaths::from_code(code).ok_or(TVLB_BAD_ARGUMENT)
}

fn step_of(step: Step, choice: u8) -> tvlb_step {
    match step {
        Step::Deliver { port } => {
            tvlb_step { header: 0, port: port.0, virtual_channel: 0, deliver: 1, choice }
        }
        Step::Send { port, virtual_channel, header } => {
            tvlb_step { header: header.bits(), port: port.0, virtual_channel, deliver: 0, choice }
        }
    }
}

/// The code that ends a call.
fn end(result: Result<(), i32>) -> i32 {
    match result {
        Ok(()) => TVLB_OK,
        Err(code) => code,
    }
}

/// Boots a switch: `tvlb_boot`.
///
/// # Safety
/// `switch` is null or writable, and nobody else uses it during the call. `setup` is null or readable. Each of
/// its images is null, or readable for its length; it stays so and unchanged until this switch, and every copy
/// of it, is booted again or used no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_boot(switch: *mut tvlb_switch, setup: *const tvlb_setup) -> i32 {
    let boot = || {
        // SAFETY: by the caller's promise on `switch`.
        let out = unsafe { Out::new(switch) }?;
        // SAFETY: by the caller's promise on `setup` and its images.
        let Images { fabric, switch, scheme, paths, channels } = unsafe { setup::read(setup) }?;
        let booted = Switch::boot(fabric, switch)
            .and_then(|switch| switch.with_channels_for(scheme, paths, channels))
            .map_err(|error| error.code())?;
        // SAFETY: by the caller's promise on `switch`.
        unsafe { state::write(out, booted) };
        Ok(())
    };
    end(boot())
}

/// Takes a fault image: `tvlb_install_faults`.
///
/// # Safety
/// `switch` is null, or holds what `tvlb_boot` or zeroing has left there or a copy of that; nobody
/// else uses it during the call. The image is as those of [`tvlb_boot`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_install_faults(
    switch: *mut tvlb_switch,
    fault_image: *const u8,
    fault_len: usize,
) -> i32 {
    let install = || {
        // SAFETY: by the caller's promise on the image.
        let faults = unsafe { memory::bytes(fault_image, fault_len) }?;
        let take = |mut booted| {
            Switch::install_faults(&mut booted, faults)?;
            Ok(booted)
        };
        // SAFETY: by the caller's promise on `switch` and on the image.
        unsafe { state::change(switch, take) }
    };
    end(install())
}

/// Declares that only sums of credits are known: `tvlb_sums_only`.
///
/// # Safety
/// `switch` is as for [`tvlb_install_faults`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_sums_only(switch: *mut tvlb_switch) -> i32 {
    // SAFETY: by the caller's promise on `switch`.
    end(unsafe { state::change(switch, Switch::with_sums_only) })
}

/// The source decision: `tvlb_admit`.
///
/// # Safety
/// - `switch` is null, or holds what `tvlb_boot` or zeroing has left there or a copy of that;
///   nobody writes to it during the call, `random` neither.
/// - `inputs` is null or readable. Its `random` may be called with its `context`, and returns. Its
///   `credits` are `credit_count` counters, or so many times `channels`, in memory that may be written and
///   lives during the call, and its `link_credits` is null or one such counter. They may change meanwhile: by
///   `random`, by an atomic store of any thread or interrupt, or from outside the program.
/// - `step` is null or writable. `random` may write to it too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_admit(
    switch: *const tvlb_switch,
    node: u32,
    scheme: u8,
    paths: u8,
    inputs: *const tvlb_inputs,
    step: *mut tvlb_step,
) -> i32 {
    // SAFETY: the caller promises what `admit` asks for.
    unsafe { decisions::admit(switch, node, scheme, paths, inputs, step) }
}

/// PAR's second look: `tvlb_reconsider`.
///
/// # Safety
/// As for [`tvlb_admit`], with `header` for `step`; `header` is readable too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_reconsider(
    switch: *const tvlb_switch,
    header: *mut u64,
    paths: u8,
    inputs: *const tvlb_inputs,
) -> i32 {
    // SAFETY: the caller promises what `reconsider` asks for.
    unsafe { decisions::reconsider(switch, header, paths, inputs) }
}

/// The look in the intermediate group: `tvlb_look_onward`.
///
/// # Safety
/// As for [`tvlb_reconsider`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_look_onward(
    switch: *const tvlb_switch,
    header: *mut u64,
    inputs: *const tvlb_inputs,
) -> i32 {
    // SAFETY: the caller promises what `look_onward` asks for.
    unsafe { decisions::look_onward(switch, header, inputs) }
}

/// The next step of a packet: `tvlb_forward`.
///
/// # Safety
/// `switch` is as for [`tvlb_admit`]; `step` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_forward(
    switch: *const tvlb_switch,
    header: u64,
    step: *mut tvlb_step,
) -> i32 {
    let forward = || {
        // SAFETY: by the caller's promise on `step`.
        let out = unsafe { Out::new(step) }?;
        // SAFETY: by the caller's promise on `switch`.
        let switch = unsafe { state::read(switch) }?;
        let step = switch.forward(Header::from_bits(header)).map_err(|error| error.code())?;
        out.write(step_of(step, 0));
        Ok(())
    };
    end(forward())
}

/// Nothing reaches this, or the library could not be linked: the function is not defined.
#[cfg(feature = "panic-guard")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        safe fn tvlb_must_not_panic() -> !;
    }
    tvlb_must_not_panic()
}
