//! Which of our own crates each may see, and that the one exception of `deny.toml` is explained and needed. Licences
//! and sources of all crates are for `cargo deny check` to look at.

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
    assert_eq!(users, ["tvlb-table-set"]);
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
    let data = &["tvlb-base", "tvlb-schema"][..];
    let tables = &["tvlb-base", "tvlb-schema", "tvlb-table-set"][..];
    for (name, may_see) in [
        ("tvlb-schema", &[][..]),
        ("tvlb-base", &[]),
        ("tvlb-chart", &[]),
        ("tvlb-firmware-model", &["tvlb-schema"]),
        ("tvlb-ofar", &["tvlb-firmware-model", "tvlb-schema"]),
        ("tvlb-firmware-c", &["tvlb-firmware-model", "tvlb-schema"]),
        ("tvlb-ofar-c", &["tvlb-firmware-c", "tvlb-firmware-model", "tvlb-ofar", "tvlb-schema"]),
        ("tvlb-table-set", data),
        ("tvlb-traffic", tables),
        ("tvlb-topology", tables),
        ("tvlb-import", tables),
        (
            "tvlb-simulator",
            &["tvlb-base", "tvlb-firmware-model", "tvlb-schema", "tvlb-table-set", "tvlb-traffic"],
        ),
        (
            "tvlb-jobs",
            &[
                "tvlb-base",
                "tvlb-firmware-model",
                "tvlb-schema",
                "tvlb-simulator",
                "tvlb-table-set",
                "tvlb-traffic",
            ],
        ),
        (
            "tvlb-throughput",
            &[
                "tvlb-base",
                "tvlb-chart",
                "tvlb-schema",
                "tvlb-table-set",
                "tvlb-topology",
                "tvlb-traffic",
            ],
        ),
        ("tvlb-verify", &["tvlb-base", "tvlb-firmware-model", "tvlb-schema", "tvlb-table-set"]),
        ("tvlb-ofar-proof", &["tvlb-base", "tvlb-firmware-model", "tvlb-ofar", "tvlb-schema"]),
    ] {
        let below = ours_below(&packages, name);
        let below: Vec<&str> = below.iter().map(String::as_str).collect();
        assert_eq!(below, may_see, "{name}");
    }
}

/// What studies networks is no part of what makes tables.
#[test]
fn nothing_sees_the_laboratory() {
    let packages = packages();
    let names = packages.iter().map(|package| package["name"].as_str().unwrap());
    for (of_lab, users) in [
        ("tvlb-lab", &[][..]),
        ("tvlb-jobs", &["tvlb-lab"]),
        ("tvlb-ofar", &["tvlb-lab", "tvlb-ofar-c", "tvlb-ofar-proof"]),
        ("tvlb-ofar-c", &[]),
        ("tvlb-ofar-proof", &["tvlb-lab"]),
    ] {
        let sees_it = |name: &&str| ours_below(&packages, name).contains(of_lab);
        assert_eq!(names.clone().filter(sees_it).collect::<Vec<_>>(), users, "{of_lab}");
    }
}

/// A package has the texts of both licences, which both of them ask for: links that cargo follows.
#[test]
fn every_package_has_both_licences() {
    for package in packages() {
        if !package["name"].as_str().unwrap().starts_with("tvlb") || package["publish"].is_array() {
            continue;
        }
        let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
        for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let read = |path: &Path| std::fs::read(path).unwrap_or_default();
            let text = read(&manifest.with_file_name(name));
            assert!(text == read(&workspace().join(name)), "{}: {name}", manifest.display());
        }
    }
}

/// A switch reads images alone, so that its program builds nothing that reads and writes texts.
#[test]
fn a_switch_builds_without_serde() {
    let tree = ["tree", "--edges", "normal", "--prefix", "none", "--locked", "--offline"];
    for crate_of_switch in ["tvlb-firmware-model", "tvlb-firmware-c", "tvlb-ofar-c"] {
        let output = Command::new(env!("CARGO"))
            .args(tree)
            .args(["--package", crate_of_switch])
            .current_dir(workspace())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let crates = String::from_utf8(output.stdout).unwrap();
        assert!(crates.contains("tvlb-schema "), "{crates}");
        assert!(!crates.contains("serde"), "{crate_of_switch}: {crates}");
    }
}
