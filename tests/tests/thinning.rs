//! A thinned image means what its levels say: the same routes as a pure function of seed, key and
//! level gives, for every pair, by route and by shape.

use tvlb_firmware_model::Switch;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::tables::Generated;
use tvlb_schema::{Decision, DrawRule, FabricImage, Level, ShapeSet, SwitchId, SwitchImage};
use tvlb_tests::{
    arranged, images, kept_when_thinned, levels, rule_of, shipped, thinned, with_set,
};
use tvlb_topology::arrangement::Arrangement;

const SETS: [&str; 7] = [
    "min",
    "all",
    "60% 5-hop",
    "strategic-2-3 by shape",
    "1% shapes:121 by shape",
    "shapes:011",
    "3*shapes:011, 50% shapes:120",
];

/// What the thinned image of one switch means; returns the routes it keeps to all switches.
fn assert_means(
    fabric: &Fabric,
    generated: &Generated,
    source: SwitchId,
    levels: &[Level],
) -> usize {
    let image = thinned(fabric, generated, source, levels);
    let switch = Switch::boot(&generated.images.fabric, &image).unwrap();
    let (df, rule) = (*fabric.topology.dragonfly(), rule_of(fabric));
    let set = switch.image().set(Decision::UgalL);
    assert!(df.global_ports().all(|x| set.level(x) == levels[x.as_usize()]));
    let mut count = 0;
    for destination in df.switches() {
        let mut expected = kept_when_thinned(fabric, levels, source, destination);
        let mut found = Vec::new();
        switch.for_each_route(Decision::UgalL, destination, |route, shape| {
            found.push((route, shape));
        });
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "from {source} to {destination}");
        if matches!(rule.draw, DrawRule::ByShape { .. })
            && df.place(source).0 != df.place(destination).0
        {
            let shapes: ShapeSet = expected.iter().map(|(_, shape)| *shape).collect();
            assert_eq!(set.shapes_to(destination), shapes);
        }
        count += found.len();
    }
    count
}

#[test]
fn of_every_switch_of_dfly_2_4_2_9() {
    for set in SETS {
        let fabric = with_set(shipped("dfly-2-4-2-9.toml"), set);
        let generated = images(&fabric);
        for (source, numbers) in fabric
            .topology
            .dragonfly()
            .switches()
            .zip([&[3, 15, 8][..], &[3], &[14, 15, 15, 15, 4]].into_iter().cycle())
        {
            assert_means(&fabric, &generated, source, &levels(&fabric, numbers));
        }
    }
}

#[test]
fn of_some_switches_of_dfly_4_8_4_9() {
    for set in SETS {
        let fabric = with_set(shipped("dfly-4-8-4-9.toml"), set);
        let generated = images(&fabric);
        for (source, numbers) in [(0, &[9_u8, 4, 15, 3, 15][..]), (35, &[15, 15, 3]), (71, &[7])] {
            assert_means(&fabric, &generated, SwitchId(source), &levels(&fabric, numbers));
        }
    }
}

#[test]
fn where_pairs_are_unequal_and_ports_unused() {
    for arrangement in Arrangement::ALL {
        for set in ["all", "70% shapes:121 by shape"] {
            let fabric = with_set(arranged((1, 3, 3, 5), arrangement), set);
            let generated = images(&fabric);
            for source in fabric.topology.dragonfly().switches() {
                assert_means(&fabric, &generated, source, &levels(&fabric, &[3, 5, 15, 12]));
            }
        }
    }
}

#[test]
fn a_lower_level_keeps_fewer_routes_and_the_highest_all() {
    let fabric = with_set(shipped("dfly-4-8-4-9.toml"), "all");
    let generated = images(&fabric);
    let kept: Vec<usize> = (3..=15)
        .map(|level| assert_means(&fabric, &generated, SwitchId(5), &levels(&fabric, &[level])))
        .collect();
    let all = kept[12];
    for (kept, sixteenths) in kept.iter().zip(4..) {
        let expected = all * sixteenths / 16;
        // Five standard deviations of the binomial are below 600.
        assert!(kept.abs_diff(expected) < 600, "{kept} of {all} at {sixteenths}");
    }
    assert!(kept.is_sorted());
}

#[test]
fn the_highest_levels_are_left_out() {
    let fabric = shipped("dfly-2-4-2-9.toml");
    let generated = images(&fabric);
    let image = thinned(&fabric, &generated, SwitchId(7), &levels(&fabric, &[15]));
    assert_eq!(image, generated.images.switches[7]);
    let view = FabricImage::decode(&generated.images.fabric).unwrap();
    let image = SwitchImage::decode(&image, &view).unwrap();
    assert!(!image.set(Decision::UgalL).is_thinned());
}

#[test]
fn the_golden_image_of_a_thinned_set_is_written_to_the_byte() {
    let fabric = shipped("dfly-2-4-2-9.toml");
    let generated = images(&fabric);
    let levels = levels(&fabric, &[3, 15, 8, 4, 15]);
    let image = thinned(&fabric, &generated, SwitchId(5), &levels);
    let golden: &[u8] = include_bytes!("../../schema/golden/v3/switch-00005-thinned.tvlb");
    assert_eq!(image, golden);
}
