//! The header says what the crate says: every code, the size of a switch, the functions with their parameters.

#[path = "../../../../firmware-model/c/tests/header/mod.rs"]
mod header;

use std::ffi::CStr;
use tvlb_ofar_c::{
    OFAR_SIZE, TVLB_ESCAPE_IMAGE, TVLB_NOT_FOR_OFAR, TVLB_NOT_PER_HOP, TVLB_PER_HOP_FLAGS,
    tvlb_ofar_error_name,
};

const HEADER: &str = include_str!("../include/tvlb_ofar.h");
const EVERY_CALL: &str = include_str!("every_call.c");
const CALLS: &str = include_str!("../src/calls.rs");
const CODES: &str = include_str!("../src/code.rs");

#[test]
fn codes_and_sizes_stand_in_the_header() {
    let size = i32::try_from(OFAR_SIZE).expect("it is small");
    for define in [
        ("TVLB_ESCAPE_IMAGE", TVLB_ESCAPE_IMAGE),
        ("TVLB_NOT_FOR_OFAR", TVLB_NOT_FOR_OFAR),
        ("TVLB_NOT_PER_HOP", TVLB_NOT_PER_HOP),
        ("TVLB_PER_HOP_FLAGS", TVLB_PER_HOP_FLAGS),
        ("TVLB_OFAR_SIZE", size),
    ] {
        assert!(header::defines(HEADER).contains(&define), "{define:?} is not in tvlb_ofar.h");
    }
    let name = |code| {
        // SAFETY: the function returns a string that ends, for any number.
        unsafe { CStr::from_ptr(tvlb_ofar_error_name(code)) }.to_str().expect("it is a text")
    };
    assert_eq!(
        [0, 20, 21, 99].map(name),
        ["ok", "bad escape image", "fabric not for OFAR", "unknown error"]
    );
}

#[test]
fn every_function_stands_in_the_header_with_its_parameters() {
    let text = HEADER.split_whitespace().collect::<Vec<_>>().join(" ");
    let declarations: Vec<_> = [CALLS, CODES].into_iter().flat_map(header::declarations).collect();
    for (name, expected) in &declarations {
        assert!(text.contains(expected), "tvlb_ofar.h lacks {expected}");
        // So that `run.sh` links it, with the guard against panics.
        assert!(EVERY_CALL.contains(&format!("tvlb_{name}(")), "every_call.c lacks tvlb_{name}");
    }
    assert_eq!(declarations.len(), 8);
}
