//! The images mean the same to a second decoder, which was written in Python from
//! `schema/FORMAT.md` alone (`tests/foreign/decode.py`): sizes, kinds, cables, sets, thresholds,
//! shapes of every destination, and routes. And both refuse the same spoilt images.

#![allow(clippy::unwrap_used, reason = "a test may end in a panic")]

mod by_hand;
mod decoders;
mod spoilt;

use decoders::{Foreign, meaning_of_fabric, meaning_of_switch, ways};
use std::path::{Path, PathBuf};
use std::process::Command;
use tvlb_firmware_model::Switch;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::topology::arrangement::Arrangement;
use tvlb_schema::{Decision, FabricImage, SwitchId};
use tvlb_tests::{
    arranged, images, levels, of_local_links, of_three_sets, shipped, thinned, uneven, with_set,
};

/// Both decoders read a switch image as the same, and find the same routes to every `step`-th
/// destination; returns how many.
fn assert_same_switch(foreign: &mut Foreign, fabric: &[u8], image: &[u8], step: usize) -> usize {
    let switch = Switch::boot(fabric, image).unwrap();
    foreign.keep(b'S', image, &meaning_of_switch(switch.image()));
    let df = *switch.image().fabric().dragonfly();
    let mut pairs = 0;
    for to in df.switches().skip(switch.image().switch().as_usize() % step).step_by(step) {
        for decision in Decision::ALL {
            let set = u8::try_from(switch.image().set_number(decision)).unwrap();
            if decision != Decision::UgalL && set == 0 {
                continue;
            }
            let [low, high] = to.0.to_le_bytes();
            let theirs = foreign.ask(b'r', &[set, low, high]);
            assert_eq!(theirs, ways(&switch, decision, to), "to {to}");
            pairs += 1;
        }
    }
    pairs
}

fn assert_same_fabric(foreign: &mut Foreign, image: &[u8]) {
    foreign.keep(b'F', image, &meaning_of_fabric(&FabricImage::decode(image).unwrap()));
}

/// All images of a table set, and routes of every `step.0`-th switch to every `step.1`-th.
fn assert_same_tables(foreign: &mut Foreign, fabric: &Fabric, step: (usize, usize)) -> usize {
    let generated = images(fabric);
    assert_same_fabric(foreign, &generated.images.fabric);
    let mut pairs = 0;
    for (number, image) in generated.images.switches.iter().enumerate() {
        let step = if number % step.0 == 0 { step.1 } else { usize::from(u16::MAX) };
        pairs += assert_same_switch(foreign, &generated.images.fabric, image, step);
    }
    pairs
}

const SETS: [&str; 5] = [
    "strategic-2-3 by shape",
    "60% 5-hop",
    "switches:2-3",
    "switches:3-2+2-3 with returns",
    "3*shapes:011, 50% shapes:120",
];

#[test]
fn the_images_that_are_kept() {
    let Some(mut foreign) = Foreign::start() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for directory in ["schema/golden/v3", "schema/golden/v3-kinds", "bare-metal/images"] {
        let entries = std::fs::read_dir(root.join(directory)).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        // The second decoder does not read fault images.
        files.retain(|file| !file.ends_with("faults.tvlb"));
        // The fabric image comes first.
        files.sort();
        let fabric = std::fs::read(&files[0]).unwrap();
        assert_same_fabric(&mut foreign, &fabric);
        for file in &files[1..] {
            let image = std::fs::read(file).unwrap();
            assert!(assert_same_switch(&mut foreign, &fabric, &image, 1) > 0, "{}", file.display());
        }
        let printed = Command::new("python3").arg(Foreign::script()).args(&files).output().unwrap();
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        let lines = String::from_utf8(printed.stdout).unwrap();
        assert_eq!(
            lines.lines().filter(|line| line.contains("\"loose\": []")).count(),
            files.len()
        );
        // A switch image alone is refused.
        let refused =
            Command::new("python3").arg(Foreign::script()).arg(&files[1]).output().unwrap();
        assert_eq!((refused.status.code(), refused.stdout), (Some(1), Vec::new()));
    }
}

#[test]
fn the_shipped_fabrics() {
    let Some(mut foreign) = Foreign::start() else { return };
    for set in SETS {
        assert_same_tables(&mut foreign, &with_set(shipped("dfly-2-4-2-9.toml"), set), (3, 3));
        assert_same_tables(&mut foreign, &with_set(shipped("dfly-4-8-4-9.toml"), set), (24, 7));
    }
}

#[test]
fn unequal_groups_and_unequal_pairs() {
    let Some(mut foreign) = Foreign::start() else { return };
    for fabric in uneven().into_iter().chain(of_local_links()).chain([
        arranged((1, 3, 3, 5), Arrangement::Absolute),
        arranged((1, 6, 1, 4), Arrangement::Palmtree),
        arranged((4, 2, 1, 2), Arrangement::Absolute),
    ]) {
        for set in SETS {
            assert_same_tables(&mut foreign, &with_set(fabric.clone(), set), (1, 2));
        }
    }
}

#[test]
fn thinned_sets_and_three_sets() {
    let Some(mut foreign) = Foreign::start() else { return };
    for set in ["strategic-2-3 by shape", "60% 5-hop"] {
        for name in ["dfly-2-4-2-9.toml", "dfly-4-8-4-9.toml"] {
            let fabric = with_set(shipped(name), set);
            let generated = images(&fabric);
            assert_same_fabric(&mut foreign, &generated.images.fabric);
            let view = FabricImage::decode(&generated.images.fabric).unwrap();
            for switch in [0, 5, 35].map(SwitchId) {
                let levels = levels(&fabric, &[9, 4, 15, 3, 15]);
                let image = thinned(&fabric, &generated, switch, &levels);
                assert_same_switch(&mut foreign, &generated.images.fabric, &image, 5);
                let image = of_three_sets(&fabric, &view, switch);
                assert_same_switch(&mut foreign, &generated.images.fabric, &image, 5);
            }
        }
    }
}
