//! What a crate needs that adds calls of its own to the interface: the caller's memory, checked in each call as the calls
//! of this crate check it, and marked once something is in it.

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
/// `switch` is null, misaligned, or holds what `tvlb_boot` or zeroing has left there or a copy of that. For as long as
/// 'a nobody writes to it.
pub unsafe fn switch_in<'a>(switch: *const tvlb_switch) -> Result<&'a Switch<'a>, i32> {
    // SAFETY: by the caller's promise.
    unsafe { state::read(switch) }
}
