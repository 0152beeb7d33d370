//! The public items of the crates that programs of others are built upon: a change of one shows here, and is
//! then meant. docs/reference/stability.md says what may change when.

use insta::assert_snapshot;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The first words of every public item of a source: up to its body, its value, or its end.
fn items(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let mut items = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if !line.trim_start().starts_with("pub ") {
            continue;
        }
        let mut item = line.trim().to_owned();
        let is_whole = |item: &str| item.ends_with(['{', ';', ',', '}']);
        while !is_whole(&item) || item.ends_with("::{") {
            let Some(next) = lines.next() else { break };
            item = format!("{item} {}", next.trim());
        }
        let end = item.find(" {").filter(|_| !item.starts_with("pub use"));
        item.truncate(end.unwrap_or(item.len()));
        items.push(item.trim_end_matches([';', ',']).to_owned());
    }
    items
}

fn public_items(folder: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut text = String::new();
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    for file in files {
        let items = items(&fs::read_to_string(&file).unwrap());
        if !items.is_empty() {
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            writeln!(text, "{name}\n    {}", items.join("\n    ")).unwrap();
        }
    }
    text
}

#[test]
fn of_the_schema() {
    assert_snapshot!(public_items("schema/src"));
}

#[test]
fn of_ofar() {
    assert_snapshot!(public_items("lab/ofar/src"));
}

#[test]
fn of_the_datapath() {
    assert_snapshot!(public_items("firmware-model/src"));
}

/// Declarations, codes and sizes of a header for C, without its comments.
fn header(path: &str) -> String {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let mut rest = fs::read_to_string(header).unwrap();
    while let (Some(begin), Some(end)) = (rest.find("/*"), rest.find("*/")) {
        rest.replace_range(begin..end + 2, "");
    }
    let lines = rest.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn of_the_header_for_c() {
    assert_snapshot!(header("firmware-model/c/include/tvlb.h"));
}

#[test]
fn of_the_header_of_ofar_for_c() {
    assert_snapshot!(header("lab/ofar/c/include/tvlb_ofar.h"));
}
