//! What the documents say of flash and stack is what was measured, in the tables that `tests/bench/datapath-cost.sh` writes.
#![cfg(not(miri))]

use std::fs;
use std::path::Path;

fn text(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The last number of a text, in bytes.
fn last_number(text: &str) -> u32 {
    let number = text.rsplit(|c: char| !c.is_ascii_digit()).find(|word| !word.is_empty());
    number.and_then(|number| number.parse().ok()).expect("it has a number")
}

/// The number that stands before these words.
fn before(text: &str, words: &str) -> u32 {
    let (before, _) = text.split_once(words).unwrap_or_else(|| panic!("\"{words}\" is missing"));
    last_number(before)
}

/// What stands in a file between these marks.
fn marked(file: &str, mark: &str) -> String {
    let text = text(file);
    let (_, table) = text.split_once(&format!("<!-- {mark}: begin -->")).expect("it is marked");
    table.split_once(&format!("<!-- {mark}: end -->")).expect("as is its end").0.to_owned()
}

#[test]
fn the_pages_of_c_and_of_the_look_give_the_measured_figures() {
    let flash = marked("firmware-model/c/README.md", "flash");
    let of = |call: &str| {
        let start = format!("| `{call}` besides");
        let row = flash.lines().find(|line| line.starts_with(&start)).expect("it has a row");
        f64::from(last_number(row)) / 1024.0
    };
    let header = text("firmware-model/c/include/tvlb.h");
    for figure in [
        format!("more stack than a decision, and {:.0} KiB of flash", of("tvlb_explain")),
        format!("takes {:.0} KiB more flash", of("tvlb_check_image")),
    ] {
        assert!(header.contains(&figure), "tvlb.h does not say \"{figure}\"");
    }
    let cost = marked("firmware-model/README.md", "cost");
    let (_, look) = cost.split_once("The look in the intermediate group adds").expect("it is said");
    let figure = format!("The code is {} bytes of flash", before(look, " B of flash"));
    assert!(text("docs/reference/embedding.md").contains(&figure), "\"{figure}\" is not said");
}

#[test]
fn documents_give_the_measured_figures() {
    let cost = &marked("firmware-model/README.md", "cost");
    let kib = |bytes: u32| format!("{:.1} KiB", f64::from(bytes) / 1024.0);
    let flash = kib(before(cost, " B of flash, code and constants"));
    let plain = kib(before(cost, " B. Deciding at every hop"));
    let boot = kib(before(cost, " B of stack. A booted switch"));
    // The last column of the packets whose path is decided, in Rust.
    let is_other = |line: &&str| ["| `ask", "| `tvlb_"].iter().any(|other| line.starts_with(other));
    let rows = cost.lines().filter(|line| line.starts_with("| `") && !is_other(line));
    let stack = rows.map(last_number).max().expect("there are rows");
    for name in ["README.md", "docs/faq.md"] {
        let text = text(name);
        for figure in [
            format!("takes {flash} of flash, or {plain} without"),
            format!("at most {stack} B of stack for a packet"),
            format!("{boot} of stack while it boots"),
        ] {
            assert!(text.contains(&figure), "{name} does not say \"{figure}\"");
        }
    }
}
