//! The table of errors in docs/reference/embedding.md is made from the comments of the codes and from what gives them.
//! `UPDATE_DOCS=1` writes it into the page.
#![cfg(not(miri))]

use std::fmt::Write;
use std::fs;
use std::path::Path;

const CODES: [&str; 2] =
    [include_str!("../src/code.rs"), include_str!("../../../lab/ofar/c/src/code.rs")];
/// Where errors get their codes: `Self::Name { .. } => 6` or `Error::Name { .. } => TVLB_NAME`.
const MATCHES: [&str; 2] =
    [include_str!("../../src/error.rs"), include_str!("../../../lab/ofar/c/src/code.rs")];
const PAGE: &str = "docs/reference/embedding.md";
const BEGIN: &str = "<!-- errors: begin -->\n";
const END: &str = "<!-- errors: end -->\n";

/// A code with its comment.
struct Code {
    number: i32,
    name: String,
    means: String,
    packet: String,
}

fn codes() -> Vec<Code> {
    let mut codes = Vec::new();
    for source in CODES {
        let mut paragraphs = vec![String::new()];
        for line in source.lines().map(str::trim) {
            if let Some(words) = line.strip_prefix("///") {
                match words.trim() {
                    "" => paragraphs.push(String::new()),
                    words => {
                        let last = paragraphs.last_mut().expect("there is always one");
                        *last += if last.is_empty() { "" } else { " " };
                        *last += words;
                    }
                }
                continue;
            }
            let paragraphs = std::mem::replace(&mut paragraphs, vec![String::new()]);
            let line = line.trim_start_matches("pub const ").replace(": i32", "");
            let Some((name, value)) = line.split_once(" = ") else { continue };
            let number = value.split([',', ';']).next().and_then(|value| value.parse().ok());
            let (Some(name), Some(number)) = (name.strip_prefix("TVLB_"), number) else { continue };
            let [means, packet] = &paragraphs[..] else {
                assert_eq!(name, "OK", "a code says what it means and what becomes of the packet");
                continue;
            };
            let (means, packet) = (means.trim_end_matches('.'), packet.trim_end_matches('.'));
            codes.push(Code {
                number,
                name: name.to_owned(),
                means: means.to_owned(),
                packet: packet.to_owned(),
            });
        }
    }
    codes.sort_by_key(|code| code.number);
    codes
}

/// The errors of Rust with a code.
fn errors(code: &Code) -> Vec<String> {
    let mut errors = Vec::new();
    for line in MATCHES.iter().flat_map(|source| source.lines()) {
        let Some((arms, to)) = line.split_once(" => ") else { continue };
        let to = to.trim_end_matches(',');
        if to != code.number.to_string() && to.strip_prefix("TVLB_") != Some(&code.name) {
            continue;
        }
        for arm in arms.split('|') {
            let name = arm.trim().trim_start_matches("Self::").trim_start_matches("Error::");
            let name = name.split([' ', '(']).next().expect("a pattern has a name");
            if name != "_" {
                errors.push(format!("`{name}`"));
            }
        }
    }
    errors
}

fn table() -> String {
    let mut table = String::from(
        "| number | in Rust | in C, after `TVLB_` | what it means | the packet |\n|--:|---|---|---|---|\n",
    );
    for code in codes() {
        let (errors, Code { number, name, means, packet }) = (errors(&code).join(", "), &code);
        writeln!(table, "| {number} | {errors} | `{name}` | {means} | {packet} |")
            .expect("text can be written");
    }
    table
}

#[test]
fn the_page_has_every_error() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE);
    let page = fs::read_to_string(&path).expect("the page is there");
    let (before, rest) = page.split_once(BEGIN).expect("the page has the table");
    let (_, after) = rest.split_once(END).expect("which ends");
    let again = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path, again).expect("the page can be written");
    } else {
        assert_eq!(again, page, "UPDATE_DOCS=1 writes the table");
    }
}

/// Each error of the datapath has a row, so that none of them is left without an answer.
#[test]
fn every_error_has_a_code_of_the_header() {
    let [source, _] = MATCHES;
    let (_, body) = source.split_once("pub enum Error {").expect("it has an enum");
    let (body, _) = body.split_once("\n}").expect("which ends");
    let is_name = |line: &str| line.starts_with("    ") && line.as_bytes()[4].is_ascii_uppercase();
    let named: Vec<String> = codes().iter().flat_map(errors).collect();
    let mut count = 0;
    for line in body.lines().filter(|line| line.len() > 4 && is_name(line)) {
        let name = line.trim().split([' ', '(', ',']).next().expect("a variant has a name");
        assert!(named.contains(&format!("`{name}`")), "{name}");
        count += 1;
    }
    assert_eq!(count, 16);
}
