//! The C interface of a switch that decides at every hop; `include/tvlb_ofar.h` is its other half.
//!
//! Two static libraries of Rust cannot be linked together, because each has `core` and a panic handler of its own. So
//! the static library of this crate contains the whole interface of the datapath, and replaces its library. The rules
//! of `tvlb-firmware-c` for pointers and memory hold here.
#![no_std]

mod calls;
mod code;
mod memory;
mod outputs;

#[doc(hidden)] // for the comparison of C with Rust
pub use calls::asked_of;
pub use calls::{
    tvlb_ask, tvlb_asked, tvlb_boot_ofar, tvlb_check_escape_image, tvlb_launch, tvlb_may_inject,
    tvlb_ofar_channels_needed, tvlb_ofar_checksum,
};
#[doc(hidden)]
pub use code::code_of;
pub use code::{
    TVLB_ESCAPE_IMAGE, TVLB_NOT_FOR_OFAR, TVLB_NOT_PER_HOP, TVLB_PER_HOP_FLAGS,
    tvlb_ofar_error_name,
};
pub use memory::{OFAR_SIZE, tvlb_ofar};
pub use outputs::tvlb_outputs;
pub use tvlb_firmware_c as firmware_c;
