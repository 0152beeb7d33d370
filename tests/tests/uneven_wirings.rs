//! Draws on wirings where pairs of groups have very different numbers of links: a path that exists is
//! found, uniformly, and without searching for long.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use tvlb_firmware_model::{Choice, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::routes::draw_work::draw_work;
use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId, Route, SwitchId};
use tvlb_tests::{arranged, boot, images, quantile, rule_of, shipped, with_set};
use tvlb_topology::Topology;
use tvlb_topology::arrangement::Arrangement;
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::ways::kept;

/// A fabric with so many cables between each pair of groups, spread over the switches of a group.
fn cabled(sizes: (u32, u32, u32, u32), cables: impl Fn(u16, u16) -> u32) -> Fabric {
    let (_, a, h, g) = sizes;
    // The arrangement is replaced below.
    let mut fabric = arranged((sizes.0, a, h, g), Arrangement::Absolute);
    let df: Dragonfly = *fabric.topology.dragonfly();
    let mut used = vec![0; g as usize];
    let mut next = |group: u16| {
        let number = used[usize::from(group)];
        used[usize::from(group)] += 1;
        // Switch by switch, then the next port of each.
        let port = number % a * h + number / a;
        assert!(number < a * h, "group {group} has too many cables");
        End { group: GroupId(group), port: GlobalPort(u16::try_from(port).unwrap()) }
    };
    let mut all = Vec::new();
    for low in 0..u16::try_from(g).unwrap() {
        for high in low + 1..u16::try_from(g).unwrap() {
            for _ in 0..cables(low, high) {
                all.push((next(low), next(high)));
            }
        }
    }
    fabric.topology = Topology::from_cables(df, all).unwrap();
    fabric
}

/// Groups 0 and 1 share nearly all of their ports, all others two cables each.
fn one_fat_pair() -> Fabric {
    cabled((1, 4, 12, 9), |low, high| if (low, high) == (0, 1) { 32 } else { 2 })
}

/// Five groups of 32 switches with 14 cables in all, as `reference/uneven` has it: one pair has
/// eight, and some pairs reach each other by one other group alone.
fn hardly_any_cables() -> Fabric {
    cabled((2, 32, 16, 5), |low, high| match (low, high) {
        (0, 1) => 8,
        (0 | 1, 2 | 4) | (2 | 3, 4) => 1,
        _ => 0,
    })
}

fn drawn(
    switch: &Switch<'_>,
    to: SwitchId,
    paths: VlbPaths,
    draws: u32,
) -> BTreeMap<(u16, u16, u8), u32> {
    let df = switch.image().fabric().dragonfly();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(to.0));
    let mut counts = BTreeMap::new();
    for _ in 0..draws {
        let idle = [0_u32; 1];
        let admission =
            switch.admit(df.node(to, 0), Scheme::Vlb, paths, idle.as_slice(), &mut rng).unwrap();
        assert_eq!(admission.choice, Choice::Vlb, "from {} to {to}", switch.image().switch());
        let Step::Send { header, .. } = admission.step else { panic!("another switch") };
        *counts.entry(fields(header)).or_default() += 1;
    }
    counts
}

fn fields(header: Header) -> (u16, u16, u8) {
    (header.x().0, header.y().0, header.detour().0)
}

#[test]
fn a_conventional_path_that_exists_is_found() {
    for fabric in [one_fat_pair(), hardly_any_cables()] {
        let fabric = with_set(fabric, "all");
        let counter = RouteCounter::new(&fabric.topology);
        let generated = images(&fabric);
        let switches = boot(&generated);
        let df = *fabric.topology.dragonfly();
        for source in df.switches().step_by(3) {
            for destination in df.switches().step_by(5) {
                let far = df.place(source).0 != df.place(destination).0;
                if far && counter.triples(source, destination).total() > 0 {
                    drawn(&switches[source.as_usize()], destination, VlbPaths::Conventional, 5);
                }
            }
        }
    }
}

#[test]
fn a_kept_route_that_exists_is_found() {
    for (fabric, set) in [
        (one_fat_pair(), "all"),
        (one_fat_pair(), "strategic-2-3 by shape"),
        (one_fat_pair(), "only:101"),
        (hardly_any_cables(), "all"),
        (hardly_any_cables(), "all by shape"),
    ] {
        let fabric = with_set(fabric, set);
        let counter = RouteCounter::new(&fabric.topology);
        let rule = rule_of(&fabric);
        let generated = images(&fabric);
        let switches = boot(&generated);
        let df = *fabric.topology.dragonfly();
        for source in df.switches().step_by(3) {
            for destination in df.switches().step_by(5) {
                let counts = counter.counts(source, destination);
                if rule.shapes().iter().any(|shape| counts[shape.number()] > 0) {
                    drawn(&switches[source.as_usize()], destination, VlbPaths::Custom, 5);
                }
            }
        }
    }
}

#[test]
fn what_is_found_by_seeking_is_uniform() {
    // By route: own, the destination's and other switches' links together, with detours and without.
    for (fabric, set, pairs) in [
        (one_fat_pair(), "all", [(21, 33), (21, 5), (1, 34), (2, 7)]),
        (one_fat_pair(), "3-hop", [(21, 33), (21, 5), (1, 34), (2, 7)]),
        (one_fat_pair(), "30% 6-hop", [(21, 33), (21, 5), (1, 34), (2, 7)]),
        // Own links alone, and those of the destination's switch.
        (one_fat_pair(), "shapes:021", [(21, 33), (21, 5), (1, 34), (2, 7)]),
        (one_fat_pair(), "only:110+120", [(21, 33), (21, 5), (1, 34), (2, 7)]),
        (hardly_any_cables(), "all", [(30, 125), (5, 70), (33, 140), (64, 3)]),
    ] {
        let fabric = with_set(fabric, set);
        let generated = images(&fabric);
        let switches = boot(&generated);
        let df = *fabric.topology.dragonfly();
        for (from, to) in pairs {
            let routes: Vec<_> =
                kept(&fabric.topology, &rule_of(&fabric), SwitchId(from), SwitchId(to)).collect();
            let draws = 40 * u32::try_from(routes.len()).unwrap();
            let counts = drawn(&switches[usize::from(from)], SwitchId(to), VlbPaths::Custom, draws);
            let statistic: f64 = routes
                .iter()
                .map(|way| {
                    let Route { x, y, detour } = way.route();
                    let key = (x.0, y.0, detour.unwrap_or(df.split_port(y).0).0);
                    let found = f64::from(counts.get(&key).copied().unwrap_or(0));
                    (found - 40.0).powi(2) / 40.0
                })
                .sum();
            assert_eq!(counts.values().sum::<u32>(), draws);
            assert!(counts.len() <= routes.len());
            assert!(
                statistic < quantile(routes.len().max(2) - 1),
                "{set} {from} {to}: {statistic}"
            );
        }
    }
}

/// Random words, counted.
struct Counted(Xoshiro256PlusPlus, u64);

impl rand_core::TryRng for Counted {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.1 += 1;
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.1 += 2;
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.try_fill_bytes(bytes)
    }
}

#[test]
fn the_looks_of_a_draw_are_foretold() {
    // One shape of which all pairs have routes and hardly a draw misses all its tries: a random word
    // for each cell that is tried, or each switch that is asked. The first draws the shape, too.
    for (name, set, looks_of_a_word) in [
        ("dfly-4-8-4-9.toml", "only:111 by shape", 1.0),
        ("dfly-4-8-4-9.toml", "20% only:121 by shape", 1.0),
        ("dfly-4-8-4-9.toml", "only:021 by shape", 1.0),
        ("dfly-4-8-4-9.toml", "only:101 by shape", 1.5),
    ] {
        let fabric = with_set(shipped(name), set);
        let counter = RouteCounter::new(&fabric.topology);
        let work = draw_work(&counter, &rule_of(&fabric), |_| &[], &()).unwrap();
        assert!(work.most >= work.mean && work.mean >= 1.0);
        let generated = images(&fabric);
        let switches = boot(&generated);
        let df = *fabric.topology.dragonfly();
        let mut rng = Counted(Xoshiro256PlusPlus::seed_from_u64(1), 0);
        let (mut draws, each) = (0_u32, 20);
        for source in df.switches() {
            for to in df.switches().filter(|&to| df.place(to).0 != df.place(source).0) {
                for _ in 0..each {
                    let idle = [0_u32; 1];
                    switches[source.as_usize()]
                        .admit(
                            df.node(to, 0),
                            Scheme::Vlb,
                            VlbPaths::Custom,
                            idle.as_slice(),
                            &mut rng,
                        )
                        .unwrap();
                }
                draws += each;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "far below 2⁵³")]
        let words = rng.1 as f64 / f64::from(draws);
        let looks = words * looks_of_a_word;
        assert!((looks / work.mean - 1.0).abs() < 0.03, "{name} {set}: {words} and {work:?}");
    }
}

#[test]
fn a_set_that_asks_for_too_much_is_refused() {
    let fabric = with_set(shipped("dfly-13-26-13-27.toml"), "1% only:101");
    let rule = rule_of(&fabric);
    let work = draw_work(&RouteCounter::new(&fabric.topology), &rule, |_| &[], &()).unwrap();
    let error = work.check(&rule).unwrap_err().to_string();
    assert!(error.starts_with("set \"1% only:101\": a draw takes a switch"), "{error}");
    assert!(error.contains("accepted are at most 256 and 4096"), "{error}");
    let fabric = with_set(fabric, "strategic-2-3 by shape");
    let rule = rule_of(&fabric);
    let work = draw_work(&RouteCounter::new(&fabric.topology), &rule, |_| &[], &()).unwrap();
    assert!(work.check(&rule).is_ok());
}
