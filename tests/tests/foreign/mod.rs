//! The images mean the same to a second decoder, which was written in Python from
//! `schema/FORMAT.md` alone (`tests/foreign/decode.py`): sizes, kinds, cables, sets, thresholds,
//! shapes of every destination, what is dead, and routes, also where parts are dead. And both refuse the
//! same spoilt images.

mod by_hand;
mod decoders;
mod spoilt;

use decoders::{Foreign, judged_escape, judged_faults, meaning_of_fabric, meaning_of_switch, ways};
use std::path::{Path, PathBuf};
use std::process::Command;
use tvlb_firmware_model::Switch;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{Decision, FabricImage, FaultSet, LocalLink, SwitchId, encode_fault_image};
use tvlb_tests::{
    arranged, images, levels, of_local_links, of_three_sets, shipped, thinned, uneven, with_set,
};
use tvlb_topology::arrangement::Arrangement;

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

const SETS: [&str; 6] = [
    "strategic-2-3 by shape",
    "60% 5-hop",
    "switches:2-3",
    "conventional",
    "switches:3-2+2-3 with returns",
    "3*shapes:011, 50% shapes:120",
];

#[test]
fn the_images_that_are_kept() {
    let Some(mut foreign) = Foreign::start() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for directory in
        ["schema/golden/v3", "schema/golden/v3-kinds", "firmware-model/bare-metal/images"]
    {
        let entries = std::fs::read_dir(root.join(directory)).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        // The fabric image comes first.
        files.sort_by_key(|file| (!file.ends_with("fabric.tvlb"), file.clone()));
        let fabric = std::fs::read(&files[0]).unwrap();
        assert_same_fabric(&mut foreign, &fabric);
        for file in &files[1..] {
            let image = std::fs::read(file).unwrap();
            if file.ends_with("faults.tvlb") {
                let view = FabricImage::decode(&fabric).unwrap();
                foreign.keep(b'x', &image, &judged_faults(&image, &view).unwrap());
                continue;
            }
            if file.file_name().unwrap().to_str().unwrap().starts_with("escape") {
                let view = FabricImage::decode(&fabric).unwrap();
                foreign.keep(b'e', &image, &judged_escape(&image, &view).unwrap());
                continue;
            }
            assert!(assert_same_switch(&mut foreign, &fabric, &image, 1) > 0, "{}", file.display());
        }
        let printed = Command::new("python3").arg(Foreign::script()).args(&files).output().unwrap();
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        let lines = String::from_utf8(printed.stdout).unwrap();
        assert_eq!(
            lines.lines().filter(|line| line.contains("\"loose\": []")).count(),
            files.len()
        );
        // Any other image than that of a fabric is refused alone.
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

/// Parts of a fabric that can be dead: nothing, a cable, a link of a group, a switch, and all of these, dead and
/// drained.
fn dead_parts(fabric: &Fabric) -> Vec<FaultSet> {
    let (topology, df) = (&fabric.topology, fabric.topology.dragonfly());
    let cables = topology.cables();
    let cable = FaultSet {
        cables: [cables[1].low, cables[cables.len() - 1].high].into(),
        ..FaultSet::default()
    };
    let pairs = df.groups().flat_map(|group| {
        let indices = df.indices(group);
        indices.flat_map(move |low| df.indices(group).map(move |high| (group, low, high)))
    });
    let joined: Vec<LocalLink> = pairs
        .filter(|&(group, low, high)| low < high && topology.links_within(group, low, high) > 0)
        .map(|(group, low, high)| LocalLink { low: df.switch(group, low), high, number: 0 })
        .collect();
    let links = FaultSet {
        local_links: joined.iter().copied().step_by(5).collect(),
        ..FaultSet::default()
    };
    let last = df.switches().last().unwrap();
    let switch = FaultSet { switches: [last].into(), ..FaultSet::default() };
    let all = FaultSet {
        cables: cable.cables.clone(),
        local_links: links.local_links.clone(),
        switches: [SwitchId(1), last].into(),
        ..FaultSet::default()
    };
    let drained = FaultSet { is_draining: true, ..all.clone() };
    vec![FaultSet::default(), cable, links, switch, all, drained]
}

/// With a fault image both find the same live routes between switches that live.
#[test]
fn routes_where_parts_are_dead() {
    let Some(mut foreign) = Foreign::start() else { return };
    let mut pairs = 0;
    for fabric in of_local_links().into_iter().chain([shipped("dfly-2-4-2-9.toml")]) {
        for set in ["strategic-2-3 by shape", "60% 5-hop", "switches:3-2+2-3 with returns"] {
            let generated = images(&with_set(fabric.clone(), set));
            let plan = &generated.images.fabric;
            assert_same_fabric(&mut foreign, plan);
            let view = FabricImage::decode(plan).unwrap();
            for faults in dead_parts(&fabric) {
                let image = encode_fault_image(&view, 2, &faults);
                foreign.keep(b'X', &image, &judged_faults(&image, &view).unwrap());
                let lives = |switch: &SwitchId| !faults.switches.contains(switch);
                for from in view.dragonfly().switches().zip(0..).step_by(3) {
                    let (from, place): (SwitchId, usize) = from;
                    if !lives(&from) {
                        continue;
                    }
                    let bytes = &generated.images.switches[place];
                    let mut switch = Switch::boot(plan, bytes).unwrap();
                    foreign.ask(b'S', bytes);
                    switch.install_faults(&image).unwrap();
                    for to in view.dragonfly().switches().filter(lives).step_by(2) {
                        let [low, high] = to.0.to_le_bytes();
                        let theirs = foreign.ask(b'r', &[0, low, high]);
                        let ours = ways(&switch, Decision::UgalL, to);
                        assert_eq!(theirs, ours, "{set} from {from} to {to}, dead {faults:?}");
                        pairs += 1;
                    }
                }
            }
        }
    }
    assert!(pairs > 1000, "{pairs} pairs");
}
