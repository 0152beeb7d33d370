//! Error codes and their names. A code never changes its meaning. 20 to 23 are those of `tvlb_ofar.h`. The comments make
//! the table of docs/reference/embedding.md: what it means, and then what becomes of the packet.

use core::ffi::{CStr, c_char};

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
    ///
    /// None: the program calls wrongly.
    TVLB_BAD_ARGUMENT = 1, c"bad argument";
    /// The memory holds no booted switch.
    ///
    /// None: the program calls wrongly.
    TVLB_NOT_BOOTED = 2, c"switch not booted";
    /// The bytes are not a fabric image.
    ///
    /// None: the call was about tables.
    TVLB_FABRIC_IMAGE = 3, c"bad fabric image";
    /// The bytes are not a switch image, or it belongs to another fabric.
    ///
    /// None: the call was about tables.
    TVLB_SWITCH_IMAGE = 4, c"bad switch image";
    /// The links have fewer virtual channels than the image and the scheme need.
    ///
    /// None: the call was about tables.
    TVLB_TOO_FEW_CHANNELS = 5, c"too few virtual channels";
    /// The fabric does not have the node.
    ///
    /// Is refused at its source.
    TVLB_NO_SUCH_NODE = 6, c"no such node";
    /// No path leads to the node, or its switch is dead.
    ///
    /// Is refused at its source; try again after the next fault image.
    TVLB_UNREACHABLE = 7, c"unreachable";
    /// The header's two lowest bits are 3: no path was decided. Damage on a link, or a foreign device.
    ///
    /// Drop and count it.
    TVLB_HEADER_KIND = 8, c"unknown kind of header";
    /// The header names what the fabric does not have. Damage on a link, or a foreign device.
    ///
    /// Drop and count it.
    TVLB_HEADER_RANGE = 9, c"header out of range";
    /// The packet's route does not lead through this switch: wrong cabling, or tables of another fabric.
    ///
    /// Drop and count it.
    TVLB_ASTRAY = 10, c"packet astray";
    /// The port has no cable to another switch, or a link of the packet's route died after it was decided; that is
    /// expected for as long as a fault image needs to reach all switches.
    ///
    /// Drop and count it.
    TVLB_NO_CABLE = 11, c"no cable";
    /// The packet would need a virtual channel that the links do not have: this switch was booted with fewer
    /// channels than another. Boot all with the most.
    ///
    /// Drop and count it.
    TVLB_NO_CHANNEL = 12, c"no virtual channel";
    /// An error of a later version of the datapath.
    ///
    /// As the function's description says.
    TVLB_OTHER = 14, c"other error";
    /// The switch was not booted for the scheme or the kind of VLB paths, whose packets need more virtual channels.
    ///
    /// Is refused at its source. At a second look its header stays as it was, by which it can go on. Boot all
    /// switches for the same.
    TVLB_WRONG_SCHEME = 15, c"switch not booted for this scheme or these paths";
    /// Packets under way could not go on with the other tables.
    ///
    /// None: the call was about tables.
    TVLB_REPLACEMENT = 16, c"not a replacement";
    /// The bytes are not a fault image, or it belongs to another fabric.
    ///
    /// None: the call was about tables.
    TVLB_FAULT_IMAGE = 17, c"bad fault image";
    /// A fault image of this epoch or a later one is in use.
    ///
    /// None: the call was about tables.
    TVLB_OLD_FAULTS = 18, c"fault image out of date";
    /// The switch image does not say the port's number.
    ///
    /// None: the call asked a question.
    TVLB_NO_NUMBER = 19, c"port number not known";
    /// The switch image counts the credits of single virtual channels, but only sums of them are known.
    ///
    /// Is refused at its source. At a second look and at the look in the intermediate group its header stays as it
    /// was, by which it can go on.
    TVLB_SUMS_ONLY = 24, c"credits known as sums only";
}

/// The name of a code: `tvlb_error_name`. For any other number, "unknown error".
#[unsafe(no_mangle)]
pub extern "C" fn tvlb_error_name(code: i32) -> *const c_char {
    let name = ALL.iter().find(|&&(known, _)| known == code).map(|&(_, name)| name);
    name.unwrap_or(c"unknown error").as_ptr()
}
