//! What must stay equal when code moves: the images of all shipped fabrics, byte for byte, and the
//! figures of simulated runs over all schemes, bit for bit.
//!
//! Works through the command alone, so that no change inside has to touch it. A line that changes
//! means that tables or figures of users change; the change log then says so.

#![allow(clippy::unwrap_used, reason = "a test may end in a panic")]

use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn tvlb(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_tvlb")).args(arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "tvlb {arguments:?}: {error}");
    output.stdout
}

fn hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().take(12).fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

fn generated(home: &Path, fabric: &str, name: &str, more: &[&str]) -> PathBuf {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tables");
    let file = tables.join(format!("{fabric}.toml"));
    let directory = home.join(name);
    let mut arguments = vec!["generate", file.to_str().unwrap(), "-q", "-o"];
    arguments.push(directory.to_str().unwrap());
    arguments.extend(more);
    tvlb(&arguments);
    directory
}

/// The hash of all images together, and how many bytes they have.
fn images(directory: &Path) -> String {
    let mut all = fs::read(directory.join("fabric.tvlb")).unwrap();
    let mut names: Vec<PathBuf> = fs::read_dir(directory.join("switches"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    for name in names {
        all.extend(fs::read(name).unwrap());
    }
    format!("{} {} bytes", hex(&all), all.len())
}

/// Writes figures as they were when they were recorded: the error of a single seed as 0, of which there is none,
/// two percentiles under other names, and neither whether a latency was still growing, which follows from the others,
/// nor how many packets made how many hops.
fn as_recorded(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::Array(list) => list.iter_mut().for_each(as_recorded),
        serde_json::Value::Object(fields) => {
            fields.remove("growing");
            fields.remove("packets-by-hops");
            for (name, former) in [("p99.9", "p999"), ("max", "most")] {
                if let Some(value) = fields.remove(name) {
                    fields.insert(former.to_owned(), value);
                }
            }
            for (name, value) in fields {
                if name == "error" && value.is_null() {
                    *value = 0.0.into();
                }
                as_recorded(value);
            }
        }
        _ => {}
    }
}

#[test]
fn images_and_figures_are_as_they_were() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let plain = ["--set", "strategic-2-3 by shape"];
    let mixture = ["--set", "4*only:000+100, only:001+101+110, 2*only:010+020, 8*only:011"];
    let mut text = String::new();
    for (fabric, name, more) in [
        ("dfly-2-4-2-9", "small", &plain[..]),
        ("dfly-4-8-4-9", "plain", &plain),
        ("dfly-4-8-4-17", "g17", &plain),
        ("dfly-4-8-4-33", "g33", &plain),
        ("dfly-13-26-13-27", "g27", &plain),
        ("dfplus-4-4-4-4-9", "plus", &["--set", "6-hop by shape"]),
        ("dfly-4-8-4-9", "by-route", &["--set", "strategic-2-3"]),
        ("dfly-4-8-4-9", "mixture", &mixture),
        ("dfly-2-4-2-9", "balanced", &["--set", "60% 5-hop", "--balance"]),
    ] {
        let directory = generated(home, fabric, name, more);
        writeln!(text, "{name:9} {}", images(&directory)).unwrap();
    }
    let short = ["--load", "0.1,0.25", "--window", "1000"];
    for (tables, scheme, traffic, more) in [
        ("plain", "min", "shift(2,0)", &[][..]),
        ("plain", "vlb", "shift(2,0)", &[]),
        ("plain", "ugal-l", "shift(2,0)", &[]),
        ("plain", "par", "shift(2,0)", &[]),
        ("plain", "ugal-g", "shift(2,0)", &[]),
        ("plain", "vlb", "uniform", &["--conventional"]),
        ("plain", "ugal-l", "uniform", &["--conventional"]),
        ("plain", "par", "uniform", &["--conventional"]),
        ("by-route", "ugal-l", "permutation", &["--seeds", "1,2"]),
        ("mixture", "par", "tmixed(50,50)", &["--vc-scheme", "per-hop"]),
        ("balanced", "ugal-l", "permutation", &["--vc-scheme", "positional"]),
        ("g17", "par", "mixed(50,50)", &[]),
        ("g33", "ugal-l", "shift(2,0)", &[]),
    ] {
        let directory = home.join(tables);
        let mut arguments = vec!["simulate", directory.to_str().unwrap(), "--json"];
        arguments.extend(["--scheme", scheme, "--traffic", traffic]);
        arguments.extend(short);
        arguments.extend(more);
        // Only the figures: what stands around them may come to say more.
        let mut json: serde_json::Value = serde_json::from_slice(&tvlb(&arguments)).unwrap();
        as_recorded(&mut json["curve"]);
        let points = serde_json::to_string(&json["curve"]).unwrap();
        assert!(points.len() > 100, "{json}");
        let what = format!("{tables} {scheme} {traffic} {}", more.join(" "));
        writeln!(text, "{:52} {}", what.trim_end(), hex(points.as_bytes())).unwrap();
    }
    insta::assert_snapshot!(text);
}
