//! The caller's memory for one switch.

use crate::TVLB_NOT_BOOTED;
use crate::memory::{self, Out};
use core::mem::MaybeUninit;
use tvlb_firmware_model::{Error, Switch};

/// The bytes of a `tvlb_switch`, enough on machines of 32 and of 64 bits.
pub const SWITCH_SIZE: usize = 1024;

/// Marks a booted switch. Zeroed memory does not have it.
const BOOTED: u64 = 0x7476_6c62_2062_6f6f;

/// One switch: `tvlb_switch`. Opaque to C.
#[repr(C, align(8))]
#[allow(non_camel_case_types)]
#[derive(Debug)]
pub struct tvlb_switch {
    /// Not plain bytes: a booted switch has padding and pointers, which a move must keep as they
    /// are.
    bytes: [MaybeUninit<u8>; SWITCH_SIZE],
}

/// The contents of such memory after a boot.
#[repr(C)]
struct Marked<T> {
    mark: u64,
    value: T,
}

/// Whether a value and its mark fit into this many bytes, as they do wherever this compiles.
pub const fn fits<T>(size: usize) -> bool {
    size_of::<Marked<T>>() <= size && align_of::<Marked<T>>() <= 8
}

const _: () = assert!(fits::<Switch<'static>>(SWITCH_SIZE));

impl tvlb_switch {
    /// Memory in which nothing is booted yet.
    pub const fn zeroed() -> Self {
        Self { bytes: [MaybeUninit::new(0); SWITCH_SIZE] }
    }
}

/// # Safety
/// Nobody uses the switch in the memory during the call.
pub(crate) unsafe fn write(memory: Out<tvlb_switch>, switch: Switch<'_>) {
    // SAFETY: only the lifetime differs. C has promised to keep the images for as long as it uses
    // the switch, and no switch is made from this one that it could outlive.
    let switch = unsafe { core::mem::transmute::<Switch<'_>, Switch<'static>>(switch) };
    // SAFETY: by the caller's promise; it fits, by the assertion above.
    unsafe { write_marked(memory, BOOTED, switch) }
}

/// # Safety
/// `memory` is null, misaligned, or holds zeros or what [`write`] has left there or a copy of that.
/// For as long as 'a nobody writes to it.
pub(crate) unsafe fn read<'a>(memory: *const tvlb_switch) -> Result<&'a Switch<'static>, i32> {
    // SAFETY: by the caller's promise.
    unsafe { read_marked(memory, BOOTED) }
}

/// Replaces the switch by the result of `change`, if that succeeds. Otherwise it is unchanged.
///
/// # Safety
/// `memory` is as for [`read`], and nobody else uses it during the call. What the switch borrows lives for as long
/// as C uses it.
pub(crate) unsafe fn change<'a>(
    memory: *mut tvlb_switch,
    change: impl FnOnce(Switch<'a>) -> Result<Switch<'a>, Error>,
) -> Result<(), i32> {
    // SAFETY: by the caller's promise.
    let out = unsafe { Out::new(memory) }?;
    // SAFETY: by the caller's promise; the reference ends here.
    let switch = unsafe { read(memory) }?.clone();
    let changed = change(switch).map_err(|error| error.code())?;
    // SAFETY: by the caller's promise.
    unsafe { write(out, changed) };
    Ok(())
}

/// Puts a value into memory, and marks it as present.
///
/// # Safety
/// The memory is large enough for a marked `T` ([`fits`]), and nobody uses what is in it during the call.
pub unsafe fn write_marked<M, T>(memory: Out<M>, mark: u64, value: T) {
    const { assert!(align_of::<Marked<T>>() <= align_of::<M>()) };
    // SAFETY: not null, aligned and writable, as `Out` has it, and large enough. What was there before needs
    // no drop.
    unsafe { memory.at().cast::<Marked<T>>().write(Marked { mark, value }) };
}

/// The value in memory that has this mark.
///
/// # Errors
/// The pointer is null or misaligned, or the mark is not there.
///
/// # Safety
/// `memory` is null, misaligned, or holds zeros or what [`write_marked`] has left there for the same mark and
/// type, or a copy of that. For as long as 'a nobody writes to it.
pub unsafe fn read_marked<'a, M, T>(memory: *const M, mark: u64) -> Result<&'a T, i32> {
    memory::check(memory, 1)?;
    let marked = memory.cast::<Marked<T>>();
    // SAFETY: not null and aligned by the check, and large enough; its first eight bytes are zeros
    // or a mark, by the caller's promise.
    if unsafe { (&raw const (*marked).mark).read() } != mark {
        return Err(TVLB_NOT_BOOTED);
    }
    // SAFETY: the mark is there, so `write_marked` has written a whole value; nobody writes to it
    // meanwhile, by the caller's promise.
    Ok(unsafe { &(*marked).value })
}
