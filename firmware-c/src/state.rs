//! The caller's memory for one switch.

use crate::{TVLB_BAD_ARGUMENT, TVLB_NOT_BOOTED};
use tvlb_firmware_model::Switch;

/// The bytes of a `tvlb_switch`, enough on machines of 32 and of 64 bits.
pub const SWITCH_SIZE: usize = 768;

/// Says that a switch has been booted. Memory of zeros does not say so.
const BOOTED: u64 = 0x7476_6c62_2062_6f6f;

/// One switch: `tvlb_switch`. Opaque to C.
#[repr(C, align(8))]
#[allow(non_camel_case_types)]
#[derive(Debug)]
pub struct tvlb_switch {
    bytes: [u8; SWITCH_SIZE],
}

/// What the memory holds.
#[repr(C)]
struct State {
    mark: u64,
    /// Borrows the images, which C has promised to keep.
    switch: Switch<'static>,
}

const _: () = assert!(size_of::<State>() <= SWITCH_SIZE && align_of::<State>() <= 8);

impl tvlb_switch {
    /// Memory in which nothing is booted yet.
    pub const fn zeroed() -> Self {
        Self { bytes: [0; SWITCH_SIZE] }
    }
}

/// # Safety
/// `memory` is null or writable.
pub(crate) unsafe fn write(memory: *mut tvlb_switch, switch: Switch<'_>) -> Result<(), i32> {
    if memory.is_null() || !memory.is_aligned() {
        return Err(TVLB_BAD_ARGUMENT);
    }
    // SAFETY: only the lifetime differs. C has promised to keep the images for as long as it uses
    // the switch, and no switch is made from this one that it could outlive.
    let switch = unsafe { core::mem::transmute::<Switch<'_>, Switch<'static>>(switch) };
    // SAFETY: not null and aligned to 8 bytes, which is enough for a `State` by the assertion
    // above, as is the size; writable by the caller's promise. A `State` needs no drop.
    unsafe { memory.cast::<State>().write(State { mark: BOOTED, switch }) };
    Ok(())
}

/// # Safety
/// `memory` is null, or holds zeros or what [`write`] has left there, unchanged for as long as 'a.
pub(crate) unsafe fn read<'a>(memory: *const tvlb_switch) -> Result<&'a Switch<'static>, i32> {
    if memory.is_null() || !memory.is_aligned() {
        return Err(TVLB_BAD_ARGUMENT);
    }
    let state = memory.cast::<State>();
    // SAFETY: not null, aligned and large enough; the mark is plain bytes, which zeros are too.
    if unsafe { (&raw const (*state).mark).read() } != BOOTED {
        return Err(TVLB_NOT_BOOTED);
    }
    // SAFETY: the mark is there, so `write` has written a whole `State`.
    Ok(unsafe { &(*state).switch })
}
