//! What we build upon, by `deny.toml`: the part of `cargo deny check` that needs no other program
//! than cargo. Every crate comes from crates.io or from here, under a licence that
//! is allowed, and every exception says why it is one. And which of our own crates each may see.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn deny() -> toml::Table {
    std::fs::read_to_string(workspace().join("deny.toml")).unwrap().parse().unwrap()
}

/// Every crate that the workspace builds, on any platform and with all features.
fn packages() -> Vec<Value> {
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--all-features")
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether an SPDX expression can be met by the allowed licences: `OR`, `AND` and parentheses; the
/// slash that crates used to write means `OR`.
fn is_met(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().collect::<Vec<_>>();
    words.reverse();
    let met = either(&mut words, allowed);
    assert!(words.is_empty(), "{expression}");
    met
}

fn either(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    let mut met = both(words, allowed);
    while words.pop_if(|word| *word == "OR").is_some() {
        met |= both(words, allowed);
    }
    met
}

fn both(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    let mut met = one(words, allowed);
    while words.pop_if(|word| *word == "AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    match words.pop() {
        Some("(") => {
            let met = either(words, allowed);
            assert_eq!(words.pop(), Some(")"));
            met
        }
        Some(licence) => {
            // An exception to a licence only gives more.
            if words.pop_if(|word| *word == "WITH").is_some() {
                words.pop();
            }
            allowed.contains(&licence)
        }
        None => false,
    }
}

#[test]
fn expressions_are_read_as_spdx_means_them() {
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("MIT/GPL-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR GPL-3.0) AND Apache-2.0", true),
        ("MIT OR GPL-3.0 AND ISC", true),
        ("(MIT OR GPL-3.0) AND ISC", false),
        ("Apache-2.0 WITH LLVM-exception OR ISC", true),
    ] {
        assert_eq!(is_met(expression, &["MIT", "Apache-2.0"]), met, "{expression}");
    }
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    let deny = deny();
    let list = deny["licenses"]["allow"].as_array().unwrap();
    let allowed: Vec<&str> = list.iter().map(|licence| licence.as_str().unwrap()).collect();
    for package in packages() {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_met(licence, &allowed), "{} {licence}", package["name"]);
    }
}

#[test]
fn every_crate_comes_from_where_it_should() {
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    for package in packages() {
        let source = package["source"].as_str();
        let is_ours = package["name"].as_str().unwrap().starts_with("tvlb");
        let expected = if is_ours { None } else { Some(registry) };
        assert_eq!(source, expected, "{}", package["name"]);
    }
}

#[test]
fn the_one_exception_is_explained_and_needed() {
    let deny = deny();
    let ignored = deny["advisories"]["ignore"].as_array().unwrap();
    assert_eq!(ignored.len(), 1);
    assert_eq!(ignored[0]["id"].as_str(), Some("RUSTSEC-2025-0141"));
    assert!(ignored[0]["reason"].as_str().unwrap().contains("bincode"));
    // Nothing else may come to depend on it.
    let users: Vec<String> = packages()
        .iter()
        .filter(|package| {
            let on = package["dependencies"].as_array().unwrap();
            // What others may be built with is not what they are built with here.
            let is_ours = package["name"].as_str().unwrap().starts_with("tvlb");
            let is_bincode = |on: &Value| {
                on["name"] == "bincode"
                    && (is_ours || on["optional"] == false && on["kind"] != "dev")
            };
            package["name"] != "bincode" && on.iter().any(is_bincode)
        })
        .map(|package| package["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(users, ["tvlb-run-store"]);
}

/// The crates of ours that a crate is built from, itself left out: what it depends on, and what that
/// depends on. What only its tests see does not count.
fn ours_below(packages: &[Value], name: &str) -> BTreeSet<String> {
    let (mut below, mut open) = (BTreeSet::new(), vec![name.to_owned()]);
    while let Some(name) = open.pop() {
        let package = packages.iter().find(|package| package["name"] == name.as_str()).unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            if dependency["kind"] != "dev"
                && name.starts_with("tvlb-")
                && below.insert(name.to_owned())
            {
                open.push(name.to_owned());
            }
        }
    }
    below
}

#[test]
fn each_crate_sees_what_it_may_see_and_no_more() {
    let packages = packages();
    for (name, may_see) in [
        ("tvlb-schema", &[][..]),
        ("tvlb-base", &[]),
        ("tvlb-chart", &[]),
        ("tvlb-text", &[]),
        ("tvlb-names", &["tvlb-schema", "tvlb-text"]),
        ("tvlb-faults", &["tvlb-names", "tvlb-schema", "tvlb-text"]),
        ("tvlb-traffic", &["tvlb-names", "tvlb-schema", "tvlb-text"]),
        ("tvlb-partition", &["tvlb-base"]),
        (
            "tvlb-workload",
            &["tvlb-names", "tvlb-partition", "tvlb-base", "tvlb-schema", "tvlb-text"],
        ),
        (
            "tvlb-simulator",
            &[
                "tvlb-firmware-model",
                "tvlb-names",
                "tvlb-partition",
                "tvlb-base",
                "tvlb-schema",
                "tvlb-text",
                "tvlb-traffic",
                "tvlb-workload",
            ],
        ),
        ("tvlb-firmware-model", &["tvlb-schema"]),
        ("tvlb-firmware-c", &["tvlb-firmware-model", "tvlb-schema"]),
        ("tvlb-run-store", &["tvlb-base", "tvlb-schema", "tvlb-table-set", "tvlb-text"]),
        ("tvlb-set-grammar", &["tvlb-schema", "tvlb-text"]),
        ("tvlb-table-set", &["tvlb-base", "tvlb-schema", "tvlb-text"]),
        (
            "tvlb-topology",
            &["tvlb-names", "tvlb-partition", "tvlb-base", "tvlb-schema", "tvlb-text"],
        ),
        ("tvlb-import", &["tvlb-base", "tvlb-schema", "tvlb-table-set", "tvlb-text"]),
        (
            "tvlb-throughput",
            &[
                "tvlb-chart",
                "tvlb-names",
                "tvlb-partition",
                "tvlb-base",
                "tvlb-run-store",
                "tvlb-schema",
                "tvlb-set-grammar",
                "tvlb-table-set",
                "tvlb-text",
                "tvlb-topology",
                "tvlb-traffic",
            ],
        ),
        (
            "tvlb-verify",
            &[
                "tvlb-faults",
                "tvlb-firmware-model",
                "tvlb-names",
                "tvlb-base",
                "tvlb-schema",
                "tvlb-set-grammar",
                "tvlb-table-set",
                "tvlb-text",
            ],
        ),
    ] {
        let below = ours_below(&packages, name);
        let below: Vec<&str> = below.iter().map(String::as_str).collect();
        assert_eq!(below, may_see, "{name}");
    }
}

/// What researchers do with the generator is no part of it: only the command shows both.
#[test]
fn nothing_but_the_command_sees_the_lab() {
    let packages = packages();
    let sees_lab = |package: &&Value| {
        ours_below(&packages, package["name"].as_str().unwrap()).contains("tvlb-lab")
    };
    let users: Vec<&str> =
        packages.iter().filter(sees_lab).map(|package| package["name"].as_str().unwrap()).collect();
    assert_eq!(users, ["tvlb"]);
}
