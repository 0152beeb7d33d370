//! The shipped fabric files and the document agree with the code.

use super::super::{FabricFile, Wiring, sections};
use super::{LEAST, parse};
use std::collections::BTreeSet;
use std::path::Path;
use tvlb_schema::VcScheme;
use tvlb_topology::arrangement::Arrangement;

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[test]
fn the_fabric_files_that_we_ship_are_valid() {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(repository().join("tables/machines")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let fabric = crate::fabric::Fabric::load(&path).unwrap();
            assert_eq!(path.file_stem().unwrap().to_str(), Some(fabric.file.name.as_str()));
            names.insert(fabric.file.name);
        }
    }
    for entry in std::fs::read_dir(repository().join("tables")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let file = parse(&std::fs::read_to_string(&path).unwrap());
            assert_eq!(path.file_stem().unwrap().to_str(), Some(file.name.as_str()));
            let df = file.dragonfly;
            let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
            let name = match file.wiring {
                Wiring::Arrangement(Arrangement::DragonflyPlus { leaves }) => {
                    format!("dfplus-{p}-{leaves}-{}-{h}-{g}", a - u32::from(leaves))
                }
                _ => format!("dfly-{p}-{a}-{h}-{g}"),
            };
            assert_eq!(file.name, name);
            names.insert(file.name);
        }
    }
    for name in [
        "aurora-like",
        "frontier-like",
        "lumi-like",
        "small-lumi-like",
        "dfly-2-4-2-9",
        "dfly-4-8-4-9",
        "dfly-4-8-4-17",
        "dfly-4-8-4-33",
        "dfly-13-26-13-27",
        "dfplus-4-4-4-4-9",
    ] {
        assert!(names.contains(name), "{name}");
    }
}

const DOCUMENT: &str = include_str!("../../../../docs/reference/fabric-file.md");

/// The TOML blocks of the document.
fn examples() -> Vec<&'static str> {
    let blocks = DOCUMENT.split("```toml\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap()).collect()
}

#[test]
fn the_documents_full_example_says_the_defaults() {
    let file = parse(examples()[0]);
    let name = file.name.clone();
    // This is the default if all switches have nodes and global links, as in an arrangement.
    let virtual_channels = Some(VcScheme::Ordered);
    assert_eq!(file, FabricFile { name, virtual_channels, ..parse(LEAST) });
}

#[test]
fn the_documents_other_examples_go_with_any_file() {
    for addition in &examples()[1..] {
        // An addition that names its fabric is a complete file.
        let whole = addition.starts_with("name");
        parse(&if whole { (*addition).to_owned() } else { format!("{LEAST}{addition}") });
    }
}

#[test]
fn the_document_describes_every_key() {
    let tables = [
        ("", &sections::ROOT[..]),
        ("dragonfly.", &sections::DRAGONFLY),
        ("dragonfly.kinds.", &sections::KIND),
        ("links.", &sections::LINKS),
        ("routing.", &sections::routing_keys()),
        // Of every table of a key of `routing`.
        ("", &sections::DECISIONS),
    ];
    for (table, keys) in tables {
        for key in keys {
            assert!(DOCUMENT.contains(&format!("\n| `{table}{key}` |")), "{key}");
        }
    }
}
