//! The caller's memory for one switch.

use crate::{TVLB_NOT_BOOTED, TVLB_WRONG_SCHEME, memory};
use core::mem::MaybeUninit;
use tvlb_firmware_model::{Scheme, Switch, VlbPaths};

/// The bytes of a `tvlb_switch`, enough on machines of 32 and of 64 bits.
pub const SWITCH_SIZE: usize = 1024;

/// Says that a switch has been booted. Memory of zeros does not say so.
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

/// What the memory holds once a switch is booted.
#[repr(C)]
pub(crate) struct Booted {
    mark: u64,
    /// The scheme that it was booted for.
    pub(crate) scheme: Scheme,
    /// The VLB paths that it was booted for.
    pub(crate) paths: VlbPaths,
    /// Borrows the images, which C has promised to keep.
    pub(crate) switch: Switch<'static>,
}

const _: () = assert!(size_of::<Booted>() <= SWITCH_SIZE && align_of::<Booted>() <= 8);

impl Booted {
    /// Refuses packets that can need more virtual channels than those that the switch was booted for:
    /// PAR's, unless it was booted for PAR, and those that take conventional VLB paths, if it was booted for
    /// its sets' alone.
    pub(crate) fn serves(&self, scheme: Scheme, paths: VlbPaths) -> Result<(), i32> {
        let is_par = scheme == Scheme::Par && self.scheme != Scheme::Par;
        let is_longer = scheme != Scheme::Min
            && paths == VlbPaths::Conventional
            && self.paths == VlbPaths::Custom;
        if is_par || is_longer { Err(TVLB_WRONG_SCHEME) } else { Ok(()) }
    }

    /// Whether it serves every scheme that `other` serves, with at least its virtual channels.
    pub(crate) fn serves_as(&self, other: &Self) -> bool {
        let (own, others) = (self.switch.channels(), other.switch.channels());
        self.serves(other.scheme, other.paths).is_ok()
            && own.local >= others.local
            && own.global >= others.global
    }
}

impl tvlb_switch {
    /// Memory in which nothing is booted yet.
    pub const fn zeroed() -> Self {
        Self { bytes: [MaybeUninit::new(0); SWITCH_SIZE] }
    }
}

/// # Safety
/// `memory` is null, misaligned or writable, and nobody uses the switch in it during the call.
pub(crate) unsafe fn write(
    memory: *mut tvlb_switch,
    (scheme, paths): (Scheme, VlbPaths),
    switch: Switch<'_>,
) -> Result<(), i32> {
    memory::check(memory, 1)?;
    // SAFETY: only the lifetime differs. C has promised to keep the images for as long as it uses
    // the switch, and no switch is made from this one that it could outlive.
    let switch = unsafe { core::mem::transmute::<Switch<'_>, Switch<'static>>(switch) };
    let booted = Booted { mark: BOOTED, scheme, paths, switch };
    // SAFETY: not null and aligned to 8 bytes by the check, which is enough for a `Booted` by the
    // assertion above, as is the size; writable by the caller's promise. A `Booted` needs no drop.
    unsafe { memory.cast::<Booted>().write(booted) };
    Ok(())
}

/// # Safety
/// `memory` is null, misaligned, or holds zeros or what [`write`] has left there or a copy of that.
/// For as long as 'a nobody writes to it.
pub(crate) unsafe fn read<'a>(memory: *const tvlb_switch) -> Result<&'a Booted, i32> {
    memory::check(memory, 1)?;
    let booted = memory.cast::<Booted>();
    // SAFETY: not null and aligned by the check, and large enough; its first eight bytes are zeros
    // or a mark, by the caller's promise.
    if unsafe { (&raw const (*booted).mark).read() } != BOOTED {
        return Err(TVLB_NOT_BOOTED);
    }
    // SAFETY: the mark is there, so `write` has written a whole `Booted`; nobody writes to it
    // meanwhile, by the caller's promise.
    Ok(unsafe { &*booted })
}
