//! The header says what the crate says: every code with its value and name, the size of a switch,
//! the functions with their parameters.

use std::ffi::CStr;
use tvlb_firmware_c::{
    MOST_CANDIDATES, OFAR_SIZE, SWITCH_SIZE, TEXT_SIZE, tvlb_error_name, tvlb_version,
};

const HEADER: &str = include_str!("../include/tvlb.h");
const EVERY_CALL: &str = include_str!("every_call.c");
const LIB: &str = include_str!("../src/lib.rs");
const ASK: &str = include_str!("../src/ask.rs");
const OFAR: &str = include_str!("../src/ofar.rs");
const DESCRIBE: &str = include_str!("../src/describe.rs");
const EXPLAIN: &str = include_str!("../src/explain.rs");
const IMAGE_ERROR: &str = include_str!("../src/image_error.rs");
const CODES: &str = include_str!("../src/code.rs");

/// `(name, value)` of every `#define` with a plain number.
fn defines() -> Vec<(&'static str, i32)> {
    let lines = HEADER.lines().filter_map(|line| line.strip_prefix("#define "));
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?.parse().ok()?))
        })
        .collect()
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
    assert_eq!(codes, 24);
    for unknown in [-1, 13, 25, i32::MAX] {
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
        ("TVLB_OFAR_SIZE", OFAR_SIZE),
        ("TVLB_MOST_CANDIDATES", MOST_CANDIDATES),
        ("TVLB_TEXT_SIZE", TEXT_SIZE),
    ] {
        let size = i32::try_from(size).expect("it is small");
        assert!(defines().contains(&(name, size)), "{name} is not {size} in tvlb.h");
    }
}

#[test]
fn every_function_stands_in_the_header_with_its_parameters() {
    /// A Rust type in C.
    fn in_c(rust: &str) -> &str {
        match rust {
            "*mut tvlb_switch" => "tvlb_switch *",
            "*const tvlb_switch" => "const tvlb_switch *",
            "*const tvlb_inputs" => "const tvlb_inputs *",
            "*mut tvlb_ofar" => "tvlb_ofar *",
            "*const tvlb_ofar" => "const tvlb_ofar *",
            "*const tvlb_outputs" => "const tvlb_outputs *",
            "*mut tvlb_asked" => "tvlb_asked *",
            "*mut tvlb_step" => "tvlb_step *",
            "*mut tvlb_description" => "tvlb_description *",
            "*mut tvlb_port" => "tvlb_port *",
            "*mut tvlb_weighing" => "tvlb_weighing *",
            "*mut tvlb_explanation" => "tvlb_explanation *",
            "*mut tvlb_image_error" => "tvlb_image_error *",
            "*const u8" => "const uint8_t *",
            "*mut u8" => "uint8_t *",
            "*mut u32" => "uint32_t *",
            "*mut u64" => "uint64_t *",
            "usize" => "size_t ",
            "i32" => "int32_t ",
            "u16" => "uint16_t ",
            "u8" => "uint8_t ",
            "u32" => "uint32_t ",
            "u64" => "uint64_t ",
            "*const c_char" => "const char *",
            other => panic!("no C type for {other}"),
        }
    }
    let header = HEADER.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut functions = 0;
    let files = [LIB, ASK, DESCRIBE, EXPLAIN, IMAGE_ERROR, OFAR, CODES].into_iter();
    let all = files.flat_map(|file| file.split("extern \"C\" fn tvlb_").skip(1));
    for function in all {
        let (name, rest) = function.split_once('(').expect("a function has parameters");
        let (parameters, rest) = rest.split_once(')').expect("which end");
        let (returned, _) = rest.split_once(" {").expect("a function has a body");
        let returned = in_c(returned.strip_prefix(" -> ").expect("it returns something"));
        let parameters: Vec<String> = parameters
            .split(',')
            .map(str::trim)
            .filter(|one| !one.is_empty())
            .map(|one| {
                let (given, kind) = one.split_once(": ").expect("it has a type");
                let given = if given == "switch" { "sw" } else { given };
                format!("{}{given}", in_c(kind))
            })
            .collect();
        let parameters =
            if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        let expected = format!("{returned}tvlb_{name}({parameters});");
        assert!(header.contains(&expected), "tvlb.h lacks {expected}");
        // So that `run.sh` links it, with the guard against panics.
        assert!(EVERY_CALL.contains(&format!("tvlb_{name}(")), "every_call.c lacks tvlb_{name}");
        functions += 1;
    }
    assert_eq!(functions, 29);
}
