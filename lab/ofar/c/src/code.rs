//! Error codes besides those of the datapath, and their names. A code never changes its meaning.

use ::tvlb_ofar::Error;
use core::ffi::{CStr, c_char};
use tvlb_firmware_c::{TVLB_OTHER, tvlb_error_name};

/// The bytes are not an escape image, or it belongs to another fabric.
///
/// None: the call was about tables.
pub const TVLB_ESCAPE_IMAGE: i32 = 20;
/// Packets cannot decide at every hop on this fabric, or where something is dead.
///
/// None: the call was about tables.
pub const TVLB_NOT_FOR_OFAR: i32 = 21;
/// The header's two lowest bits are not 3: the packet does not decide at every hop.
///
/// Drop and count it.
pub const TVLB_NOT_PER_HOP: i32 = 22;
/// The header is of a packet that decides at every hop, but no switch writes it.
///
/// Drop and count it.
pub const TVLB_PER_HOP_FLAGS: i32 = 23;

/// The code of an error of a switch that decides at every hop.
pub const fn code_of(error: &Error) -> i32 {
    match error {
        Error::Datapath(error) => error.code(),
        Error::NotForOfar { .. } => TVLB_NOT_FOR_OFAR,
        Error::NotPerHop { .. } => TVLB_NOT_PER_HOP,
        Error::PerHopFlags { .. } => TVLB_PER_HOP_FLAGS,
        _ => TVLB_OTHER,
    }
}

/// The name of a code: `tvlb_ofar_error_name`.
#[unsafe(no_mangle)]
pub extern "C" fn tvlb_ofar_error_name(code: i32) -> *const c_char {
    let name: &CStr = match code {
        TVLB_ESCAPE_IMAGE => c"bad escape image",
        TVLB_NOT_FOR_OFAR => c"fabric not for OFAR",
        TVLB_NOT_PER_HOP => c"header does not decide at every hop",
        TVLB_PER_HOP_FLAGS => c"unknown header of a packet that decides at every hop",
        other => return tvlb_error_name(other),
    };
    name.as_ptr()
}
