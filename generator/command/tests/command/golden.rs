//! What `tvlb` prints and writes for the smallest shipped fabric, word for word and byte for byte.

use crate::scratch::Scratch;
use insta::{assert_snapshot, with_settings};
use std::fmt::Write;

/// Asserts a text without the time that a run took and the version that ran.
macro_rules! assert_text {
    ($name:literal, $text:expr) => {
        with_settings!({ filters => vec![
            (r"in \d+\.\d\d s", "in [TIME] s"),
            (concat!(r"\b", env!("CARGO_PKG_VERSION"), r"\b"), "[VERSION]"),
        ]}, { assert_snapshot!($name, $text) });
    };
}

#[test]
fn generate() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    assert_text!("generate", scratch.succeeds("generate fabric.toml -o out"));
    assert_text!("manifest", String::from_utf8(scratch.read("out/manifest.json")).unwrap());
    assert_eq!(scratch.names(), ["fabric.toml", "out"]);
}

#[test]
fn generate_with_a_set_for_each_decision() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let arguments = [
        "generate",
        "fabric.toml",
        "-o",
        "out",
        "--set",
        "ugal-l 60% 5-hop",
        "--set",
        "par 4*2-hop, only:011 then min",
    ];
    let run = scratch.tvlb_with(arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_text!("generate_with_three_sets", run.stdout);
    assert_text!("inspect_three_sets", scratch.succeeds("inspect out"));
    assert_text!("inspect_switch_of_three_sets", scratch.succeeds("inspect out --switch 35"));
    let paths = scratch.succeeds("inspect out --from 35 --to 2");
    assert_text!("inspect_paths_of_three_sets", paths);
}

#[test]
fn quiet_means_quiet() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    assert_eq!(scratch.succeeds("generate fabric.toml -o out --quiet"), "");
}

#[test]
fn inspect() {
    let scratch = Scratch::with_table_set();
    assert_text!("inspect", scratch.succeeds("inspect out"));
    assert_text!("inspect_switch_0", scratch.succeeds("inspect out --switch 0"));
    assert_text!("inspect_switch_22", scratch.succeeds("inspect out --switch 22"));
    assert_text!("inspect_paths_0_5", scratch.succeeds("inspect out --from 0 --to 5 --list"));
    assert_text!("inspect_paths_33_2", scratch.succeeds("inspect out --from 33 --to 2 --list"));
    assert_snapshot!(scratch.succeeds("inspect out --from 4 --to 6"), @"
    from switch 4 (group 1, switch 0) to switch 6 (group 1, switch 2)

    MIN: 1 path
      (1,0) -> (1,2)

    VLB: 2 paths, one drawn uniformly, whatever the set
      (1,0) -> (1,1) -> (1,2)
      (1,0) -> (1,3) -> (1,2)
    ");
    assert_snapshot!(scratch.succeeds("inspect out --from 4 --to 4"), @"
    from switch 4 (group 1, switch 0) to switch 4 (group 1, switch 0)
    the same switch: delivered without a hop
    ");
}

#[test]
fn every_switch_can_be_inspected() {
    let scratch = Scratch::with_table_set();
    for switch in 0..36 {
        let report = scratch.succeeds(&format!("inspect out --switch {switch}"));
        let place = format!("switch {switch} is group {}, switch {};", switch / 4, switch % 4);
        assert!(report.starts_with(&place), "{report}");
    }
}

#[test]
fn images() {
    let scratch = Scratch::with_table_set();
    assert_snapshot!("fabric_image", hex_dump(&scratch.read("out/fabric.tvlb")));
    assert_snapshot!("switch_image", hex_dump(&scratch.read("out/switches/00005.tvlb")));
}

#[test]
fn topology() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let show = |format: &str| scratch.succeeds(&format!("topology fabric.toml --format {format}"));
    assert_eq!(scratch.succeeds("topology fabric.toml"), show("summary"));
    assert_snapshot!("topology_summary", show("summary"));
    assert_snapshot!("topology_json", scratch.succeeds("topology fabric.toml --json"));
    assert_snapshot!("topology_csv", show("csv"));
    assert_snapshot!("topology_dot", show("dot"));
    assert_snapshot!("topology_dot_switches", show("dot-switches"));
}

#[test]
fn paths() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    let show =
        |options: &str| scratch.succeeds(&format!("paths fabric.toml --from 33 --to 2 {options}"));
    assert_snapshot!("paths", show(""));
    assert_snapshot!("paths_list", show("--list"));
    assert_snapshot!("paths_json", show("--json"));
    assert_snapshot!("paths_list_json", show("--list --json"));
    assert_snapshot!("paths_within_a_group", scratch.succeeds("paths fabric.toml --from 4 --to 6"));
    assert_snapshot!("paths_to_itself", scratch.succeeds("paths fabric.toml --from 4 --to 4"));
}

/// Sixteen bytes a line, with their offset.
fn hex_dump(bytes: &[u8]) -> String {
    let mut dump = String::new();
    for (line, bytes) in bytes.chunks(16).enumerate() {
        write!(dump, "{:04x} ", 16 * line).unwrap();
        for byte in bytes {
            write!(dump, " {byte:02x}").unwrap();
        }
        dump.push('\n');
    }
    dump
}

#[test]
fn inspections_as_json() {
    let scratch = Scratch::with_table_set();
    let manifest = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
    assert_eq!(scratch.succeeds("inspect out --json"), manifest);
    assert_snapshot!("inspect_switch_json", scratch.succeeds("inspect out --switch 5 --json"));
    assert_snapshot!("inspect_paths_json", scratch.succeeds("inspect out --from 0 --to 5 --json"));
    let listed = scratch.succeeds("inspect out --from 0 --to 5 --json --list");
    let values: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let text = scratch.succeeds("inspect out --from 0 --to 5 --list");
    let routes = values["sets"][0]["vlb"].as_array().unwrap();
    let walks = text.lines().filter(|line| line.contains(" => ")).count();
    assert_eq!(walks, 1 + routes.len(), "a MIN path and the routes");
}
