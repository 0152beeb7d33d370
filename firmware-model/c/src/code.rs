//! Error codes and their names. A code never changes its meaning. 20 to 23 are those of `tvlb_ofar.h`.

use core::ffi::{CStr, c_char};
use tvlb_firmware_model::Error;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $value:literal, $text:literal;)*) => {
        $($(#[doc = $doc])* pub const $name: i32 = $value;)*

        /// Every code with its name, for tests.
        pub(crate) const ALL: &[(i32, &CStr)] = &[$(($value, $text)),*];
    };
}

codes! {
    /// Done.
    TVLB_OK = 0, c"ok";
    /// A null or misaligned pointer, or a scheme, kind of paths or port that does not exist.
    TVLB_BAD_ARGUMENT = 1, c"bad argument";
    /// The memory holds no booted switch.
    TVLB_NOT_BOOTED = 2, c"switch not booted";
    /// The bytes are not a fabric image.
    TVLB_FABRIC_IMAGE = 3, c"bad fabric image";
    /// The bytes are not a switch image, or it belongs to another fabric.
    TVLB_SWITCH_IMAGE = 4, c"bad switch image";
    /// The links have fewer virtual channels than the image and the scheme need.
    TVLB_TOO_FEW_CHANNELS = 5, c"too few virtual channels";
    /// The fabric does not have the node.
    TVLB_NO_SUCH_NODE = 6, c"no such node";
    /// No path leads to the node.
    TVLB_UNREACHABLE = 7, c"unreachable";
    /// The header's two lowest bits are 3: no path was decided.
    TVLB_HEADER_KIND = 8, c"unknown kind of header";
    /// The header names what the fabric does not have.
    TVLB_HEADER_RANGE = 9, c"header out of range";
    /// The packet's route does not lead through this switch.
    TVLB_ASTRAY = 10, c"packet astray";
    /// The port has no cable to another switch.
    TVLB_NO_CABLE = 11, c"no cable";
    /// The packet would need a virtual channel that the links do not have.
    TVLB_NO_CHANNEL = 12, c"no virtual channel";
    /// An error of a later version of the datapath.
    TVLB_OTHER = 14, c"other error";
    /// The switch was not booted for the scheme or the kind of VLB paths, whose packets need more virtual channels.
    TVLB_WRONG_SCHEME = 15, c"switch not booted for this scheme or these paths";
    /// Packets under way could not go on with the other tables.
    TVLB_REPLACEMENT = 16, c"not a replacement";
    /// The bytes are not a fault image, or it belongs to another fabric.
    TVLB_FAULT_IMAGE = 17, c"bad fault image";
    /// A fault image of this epoch or a later one is in use.
    TVLB_OLD_FAULTS = 18, c"fault image out of date";
    /// The switch image does not say the port's number.
    TVLB_NO_NUMBER = 19, c"port number not known";
    /// The switch image counts the credits of single virtual channels, but only sums of them are known.
    TVLB_SUMS_ONLY = 24, c"credits known as sums only";
}

/// The code of an error of the datapath.
pub const fn code_of(error: &Error) -> i32 {
    match error {
        Error::FabricImage(_) => TVLB_FABRIC_IMAGE,
        Error::SwitchImage(_) => TVLB_SWITCH_IMAGE,
        Error::TooFewChannels { .. } => TVLB_TOO_FEW_CHANNELS,
        Error::NoSuchNode { .. } => TVLB_NO_SUCH_NODE,
        Error::Unreachable { .. } => TVLB_UNREACHABLE,
        Error::HeaderKind { .. } => TVLB_HEADER_KIND,
        Error::HeaderRange { .. } => TVLB_HEADER_RANGE,
        Error::Astray { .. } => TVLB_ASTRAY,
        Error::NoCable { .. } => TVLB_NO_CABLE,
        Error::NoChannel { .. } => TVLB_NO_CHANNEL,
        Error::Replacement { .. } | Error::PartInUse { .. } => TVLB_REPLACEMENT,
        Error::FaultImage(_) => TVLB_FAULT_IMAGE,
        Error::OldFaults { .. } => TVLB_OLD_FAULTS,
        Error::SumsOnly { .. } => TVLB_SUMS_ONLY,
        Error::WrongScheme { .. } => TVLB_WRONG_SCHEME,
        _ => TVLB_OTHER,
    }
}

/// The name of a code: `tvlb_error_name`. For any other number, "unknown error".
#[unsafe(no_mangle)]
pub extern "C" fn tvlb_error_name(code: i32) -> *const c_char {
    let name = ALL.iter().find(|&&(known, _)| known == code).map(|&(_, name)| name);
    name.unwrap_or(c"unknown error").as_ptr()
}
