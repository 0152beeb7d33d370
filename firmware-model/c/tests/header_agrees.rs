//! The header says what the crate says: every code with its value and name, the size of a switch,
//! the functions with their parameters.

mod header;

use std::ffi::CStr;
use tvlb_firmware_c::{MOST_CANDIDATES, SWITCH_SIZE, TEXT_SIZE, tvlb_error_name, tvlb_version};

const HEADER: &str = include_str!("../include/tvlb.h");
const EVERY_CALL: &str = include_str!("every_call.c");
const LIB: &str = include_str!("../src/lib.rs");
const COUNTED: &str = include_str!("../src/counted.rs");
const ASK: &str = include_str!("../src/ask.rs");
const DESCRIBE: &str = include_str!("../src/describe.rs");
const EXPLAIN: &str = include_str!("../src/explain.rs");
const SETUP: &str = include_str!("../src/setup.rs");
const WINDOW: &str = include_str!("../src/window.rs");
const TOLD: &str = include_str!("../src/told.rs");
const IMAGE_ERROR: &str = include_str!("../src/image_error.rs");
const CODES: &str = include_str!("../src/code.rs");

fn defines() -> Vec<(&'static str, i32)> {
    header::defines(HEADER)
}

#[test]
fn every_code_stands_in_the_header() {
    let defines = defines();
    let mut codes = 0;
    for line in CODES.lines().map(str::trim).filter(|line| line.starts_with("TVLB_")) {
        let Some((name, rest)) = line.split_once(" = ") else { continue };
        let Some((value, text)) = rest.split_once(", c\"") else { continue };
        let value: i32 = value.parse().expect("a code is a number");
        assert!(defines.contains(&(name, value)), "{name} = {value} is not in tvlb.h");
        // SAFETY: the function returns a string that ends, for any number.
        let said = unsafe { CStr::from_ptr(tvlb_error_name(value)) };
        assert_eq!(said.to_str().ok(), text.strip_suffix("\";"));
        codes += 1;
    }
    assert_eq!(codes, 20);
    for unknown in [-1, 13, 20, 23, 25, i32::MAX] {
        // SAFETY: as above.
        assert_eq!(unsafe { CStr::from_ptr(tvlb_error_name(unknown)) }, c"unknown error");
    }
}

#[test]
fn the_version_is_the_crates() {
    let defines = defines();
    let mut version = 0;
    for (name, part) in [
        ("TVLB_VERSION_MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("TVLB_VERSION_MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("TVLB_VERSION_PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ] {
        let part: u8 = part.parse().expect("a part of the version is a number of one byte");
        assert!(defines.contains(&(name, part.into())), "{name} is not {part} in tvlb.h");
        version = version << 8 | u32::from(part);
    }
    assert_eq!(tvlb_version(), version);
    assert!(
        HEADER
            .contains("(TVLB_VERSION_MAJOR << 16 | TVLB_VERSION_MINOR << 8 | TVLB_VERSION_PATCH)")
    );
}

#[test]
fn sizes_stand_in_the_header() {
    for (name, size) in [
        ("TVLB_SWITCH_SIZE", SWITCH_SIZE),
        ("TVLB_MOST_CANDIDATES", MOST_CANDIDATES),
        ("TVLB_TEXT_SIZE", TEXT_SIZE),
    ] {
        let size = i32::try_from(size).expect("it is small");
        assert!(defines().contains(&(name, size)), "{name} is not {size} in tvlb.h");
    }
}

#[test]
fn every_function_stands_in_the_header_with_its_parameters() {
    let header = HEADER.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut functions = 0;
    let files =
        [LIB, COUNTED, SETUP, WINDOW, TOLD, ASK, DESCRIBE, EXPLAIN, IMAGE_ERROR, CODES].into_iter();
    for (name, expected) in files.flat_map(header::declarations) {
        assert!(header.contains(&expected), "tvlb.h lacks {expected}");
        // So that `run.sh` links it, with the guard against panics.
        assert!(EVERY_CALL.contains(&format!("tvlb_{name}(")), "every_call.c lacks tvlb_{name}");
        functions += 1;
    }
    assert_eq!(functions, 36);
}
