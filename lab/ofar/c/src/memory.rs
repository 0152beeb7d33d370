//! The caller's memory for one switch that decides at every hop.

use ::tvlb_ofar::OfarSwitch;
use core::mem::MaybeUninit;
use tvlb_firmware_c::extension::{Out, fits, read_marked, write_marked};

/// The bytes of a `tvlb_ofar`, enough on machines of 32 and of 64 bits.
pub const OFAR_SIZE: usize = 1280;

/// Marks a booted switch that decides at every hop.
const BOOTED: u64 = 0x7476_6c62_206f_6661;

const _: () = assert!(fits::<OfarSwitch<'static>>(OFAR_SIZE));

/// One switch that decides at every hop: `tvlb_ofar`. Opaque to C.
#[repr(C, align(8))]
#[allow(non_camel_case_types)]
#[derive(Debug)]
pub struct tvlb_ofar {
    /// Not plain bytes, as those of a switch.
    bytes: [MaybeUninit<u8>; OFAR_SIZE],
}

impl tvlb_ofar {
    /// Memory in which nothing is booted yet.
    pub const fn zeroed() -> Self {
        Self { bytes: [MaybeUninit::new(0); OFAR_SIZE] }
    }
}

/// # Safety
/// Nobody uses the switch in the memory during the call.
pub(crate) unsafe fn write(memory: Out<tvlb_ofar>, ofar: OfarSwitch<'_>) {
    // SAFETY: only the lifetime differs. C has promised to keep the images of the switch and the escape image for as
    // long as it uses what is booted, and nothing is made from it that it could outlive.
    let ofar = unsafe { core::mem::transmute::<OfarSwitch<'_>, OfarSwitch<'static>>(ofar) };
    // SAFETY: by the caller's promise; it fits, by the assertion above.
    unsafe { write_marked(memory, BOOTED, ofar) }
}

/// # Safety
/// `memory` is null, misaligned, or holds zeros or what [`write`] has left there or a copy of that.
/// For as long as 'a nobody writes to it.
pub(crate) unsafe fn read<'a>(memory: *const tvlb_ofar) -> Result<&'a OfarSwitch<'a>, i32> {
    // SAFETY: by the caller's promise.
    unsafe { read_marked::<_, OfarSwitch<'static>>(memory, BOOTED) }
}
