//! For crates that add calls to the interface: the caller's memory, checked in each call like those of this crate, and
//! marked once it holds something.

pub use crate::memory::{Out, Random, bytes, check, read};
pub use crate::state::{fits, read_marked, write_marked};
use crate::{end, state, tvlb_switch};
use tvlb_firmware_model::Switch;

/// The code that ends a call.
pub fn code(result: Result<(), i32>) -> i32 {
    end(result)
}

/// A booted switch.
///
/// # Errors
/// The pointer is null or misaligned, or the memory holds no booted switch.
///
/// # Safety
/// `switch` is null, misaligned, or holds what `tvlb_boot` or zeroing has left there or a copy of that. Nobody writes
/// to it for 'a.
pub unsafe fn switch_in<'a>(switch: *const tvlb_switch) -> Result<&'a Switch<'a>, i32> {
    // SAFETY: by the caller's promise.
    unsafe { state::read(switch) }
}
