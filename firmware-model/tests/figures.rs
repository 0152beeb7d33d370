//! What the documents say of flash and stack is what was measured, in the table that `tests/bench/datapath-cost.sh` writes.
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

#[test]
fn documents_give_the_measured_figures() {
    let readme = text("firmware-model/README.md");
    let (_, cost) = readme.split_once("<!-- cost: begin -->").expect("the table is marked");
    let (cost, _) = cost.split_once("<!-- cost: end -->").expect("as is its end");
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
