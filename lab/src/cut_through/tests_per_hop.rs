//! Tests of packets that decide at every hop.

use super::per_hop::Broken;
use super::tests::{Made, settings, small};
use super::*;
use tvlb_ofar::{LocalPercent, OfarRules};
use tvlb_simulator::BootedFabric;
use tvlb_traffic::{Pattern, Traffic};

const RING: &[u8] = include_bytes!("../../../schema/golden/v3/escape-ring.tvlb");
const TREE: &[u8] = include_bytes!("../../../schema/golden/v3/escape-tree.tvlb");

const RULES: OfarRules = OfarRules {
    local_channels: 2,
    global_channels: 1,
    local_percent: LocalPercent::all(90),
    global_percent: 90,
    least_percent: 0,
    strict: false,
    by_set: false,
    by_length: false,
    bubble: 2,
    throttle_percent: 100,
    most_entries: 15,
};

fn booted(made: &Made) -> BootedFabric<'_> {
    BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap()
}

/// What is offered is delivered, the same with the same seed, under both networks and all controls.
#[test]
fn what_is_offered_is_delivered() {
    let made = small();
    for escape in [RING, TREE] {
        let booted = booted(&made);
        let fabric = CutThroughFabric::with_escape(&booted, escape).unwrap();
        for rules in [
            RULES,
            OfarRules { bubble: 0, ..RULES },
            OfarRules { bubble: 0, throttle_percent: 30, ..RULES },
            OfarRules { strict: true, ..RULES },
            OfarRules { least_percent: 50, ..RULES },
            OfarRules { by_set: true, ..RULES },
            OfarRules { by_set: true, by_length: true, ..RULES },
        ] {
            let settings = settings(Routing::Ofar(rules));
            let traffic = Traffic::new(&Pattern::UniformOthers, &made.df, 1).unwrap();
            let run = |seed| {
                let sending = Sending::Load(0.2);
                let run = CutThroughRun::new(fabric, &settings, &traffic, sending, seed).unwrap();
                run.measure(&()).unwrap()
            };
            let one = run(1);
            assert!((one.all.accepted - 0.2).abs() < 0.02, "{rules:?}: {}", one.all.accepted);
            assert_eq!(one, run(1));
            assert_ne!(one, run(2));
            let of_escape = one.escape.unwrap();
            assert_eq!(of_escape.packets.iter().sum::<u64>(), one.all.packets);
            assert!(one.all.vlb_share > 0.0 && one.all.vlb_share < 0.5, "{}", one.all.vlb_share);
        }
    }
}

/// At full load all is accounted for, the rings have room, and nothing waits for ever.
#[test]
fn nothing_waits_for_ever_at_full_load() {
    let made = small();
    for escape in [RING, TREE] {
        let booted = booted(&made);
        let fabric = CutThroughFabric::with_escape(&booted, escape).unwrap();
        for pattern in [Pattern::UniformOthers, Pattern::NextGroup { groups: 2 }] {
            let rules = OfarRules { local_channels: 1, bubble: 0, ..RULES };
            let settings = CutThrough {
                local: LinkBuffer { virtual_channels: None, phits: 16 },
                global: LinkBuffer { virtual_channels: None, phits: 16 },
                ..settings(Routing::Ofar(rules))
            };
            let traffic = Traffic::new(&pattern, &made.df, 1).unwrap();
            let sending = Sending::Load(1.0);
            let mut run = CutThroughRun::new(fabric, &settings, &traffic, sending, 1).unwrap();
            for _ in 0..40 {
                let before = run.grants();
                run.advance(500).unwrap();
                run.inspect().unwrap();
                assert!(run.grants() > before);
            }
        }
    }
}

/// Beyond what one cable of each pair of groups carries.
#[test]
fn packets_are_misrouted_around_a_full_cable() {
    let made = small();
    let booted = booted(&made);
    let fabric = CutThroughFabric::with_escape(&booted, RING).unwrap();
    let traffic = Traffic::new(&Pattern::NextGroup { groups: 2 }, &made.df, 1).unwrap();
    let settings = settings(Routing::Ofar(RULES));
    let run = CutThroughRun::new(fabric, &settings, &traffic, Sending::Load(1.0), 1).unwrap();
    let outcome = run.measure(&()).unwrap();
    assert!(outcome.all.accepted > 0.25, "{}", outcome.all.accepted);
    assert!(outcome.all.vlb_share > 0.5);
    let escape = outcome.escape.unwrap();
    assert!(escape.entries > 0.0 && escape.hops >= escape.entries);
}

/// If nothing limits entries they are counted beyond what a header can say.
#[test]
fn any_number_of_entries_is_counted() {
    let made = small();
    let booted = booted(&made);
    let fabric = CutThroughFabric::with_escape(&booted, TREE).unwrap();
    let traffic = Traffic::new(&Pattern::NextGroup { groups: 2 }, &made.df, 1).unwrap();
    let most = |most_entries| {
        let rules = OfarRules { local_channels: 1, bubble: 0, most_entries, ..RULES };
        let settings = CutThrough {
            local: LinkBuffer { virtual_channels: None, phits: 16 },
            global: LinkBuffer { virtual_channels: None, phits: 16 },
            measured_cycles: 500_000,
            ..settings(Routing::Ofar(rules))
        };
        let sending = Sending::Burst(500);
        let run = CutThroughRun::new(fabric, &settings, &traffic, sending, 1).unwrap();
        let outcome = run.measure(&()).unwrap();
        let escape = outcome.escape.unwrap();
        assert_eq!(escape.packets.iter().sum::<u64>(), outcome.all.packets);
        escape.packets.len() - 1
    };
    assert!(most(2) == 2 && most(0) > 15, "{} {}", most(2), most(0));
}

/// Without any one of its rules packets come to wait for each other, which the run finds.
#[test]
fn without_its_rules_it_deadlocks() {
    let made = small();
    // What has entered the escape network stays there, so that it fills.
    let rules = OfarRules { local_channels: 1, bubble: 0, most_entries: 1, ..RULES };
    let deadlocks = |escape: &[u8], broken: Broken, phits: u16| {
        let booted = booted(&made);
        let fabric = CutThroughFabric::with_escape(&booted, escape).unwrap();
        let traffic = Traffic::new(&Pattern::NextGroup { groups: 2 }, &made.df, 1).unwrap();
        let settings = CutThrough {
            local: LinkBuffer { virtual_channels: None, phits },
            global: LinkBuffer { virtual_channels: None, phits },
            patience_cycles: 1000,
            ..settings(Routing::Ofar(rules))
        };
        let mut run =
            CutThroughRun::new(fabric, &settings, &traffic, Sending::Load(1.0), 1).unwrap();
        run.break_rule(broken);
        let found = (0..200).find_map(|_| {
            run.advance(500).and_then(|()| run.inspect()).err().map(|error| error.to_string())
        });
        found.unwrap_or_else(|| panic!("{broken:?}: nothing was found"))
    };
    let waits = "wait for each other";
    assert!(deadlocks(RING, Broken::NoEscape, 16).contains(waits));
    assert!(deadlocks(TREE, Broken::NoEscape, 16).contains(waits));
    assert!(deadlocks(TREE, Broken::WaitsWhereAllIsFull, 16).contains(waits));
    let full = deadlocks(RING, Broken::EntersWithRoomForOne, 16);
    assert!(full.contains("ring has room for no packet"), "{full}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let made = small();
    let traffic = Traffic::new(&Pattern::Uniform, &made.df, 1).unwrap();
    let booted = booted(&made);
    let fabric = CutThroughFabric::with_escape(&booted, RING).unwrap();
    let refused = |fabric: CutThroughFabric<'_>, rules, phits| {
        let settings = CutThrough {
            local: LinkBuffer { virtual_channels: None, phits },
            ..settings(Routing::Ofar(rules))
        };
        let sending = Sending::Load(0.1);
        CutThroughRun::new(fabric, &settings, &traffic, sending, 1).err().unwrap().to_string()
    };
    let mut damaged = RING.to_vec();
    damaged[30] ^= 1;
    insta::assert_snapshot!(
        [
            refused(CutThroughFabric::from(&booted), RULES, 32),
            refused(fabric, OfarRules { bubble: 0, ..RULES }, 8),
            refused(fabric, OfarRules { bubble: 4, ..RULES }, 32),
            refused(fabric, OfarRules { local_channels: 8, ..RULES }, 32),
            refused(fabric, OfarRules { most_entries: 16, ..RULES }, 32),
            refused(fabric, OfarRules { least_percent: 101, ..RULES }, 32),
            CutThroughFabric::with_escape(&booted, &damaged).unwrap_err().to_string(),
        ]
        .join("\n"),
        @r"
    ofar needs an escape network, and this fabric was booted without one
    local-buffer is 8, accepted 16 to 60000
    local-buffer is 32, accepted 40 to 60000
    canonical local channels is 8, accepted 1 to 7
    most entries is 16, accepted 0 to 15
    least percent is 101, accepted 0 to 100
    escape image: checksum at byte 125: found 38d0c4fb, but the bytes before it give 5eb2c557; the image is damaged
    "
    );
}
