//! Draws follow their rule: chi-square tests of the conventional draw and of both T-VLB rules.
//!
//! Every test asks for a statistic below the quantile that chance exceeds once in a million
//! times; the seeds are fixed, so a test that passes once passes always.

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use tvlb_firmware_model::{Choice, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{DrawRule, MinCandidate, Route, Shape, SwitchId};
use tvlb_tests::{
    arranged, boot, images, kept_when_thinned, levels, of_local_links, quantile, rule_of, shipped,
    thinned, with_set,
};
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::minimal;
use tvlb_topology::routes::ways::{kept, shortest_links, triples, ways_of};

/// A drawn path as (x, y, detour), the detour being y's own switch where there is none.
type Drawn = (u16, u16, u8);

/// Draws from `source` to `destination` and compares with the chance that each path should have.
fn assert_drawn(
    switch: &Switch<'_>,
    destination: SwitchId,
    paths: VlbPaths,
    chances: &BTreeMap<Drawn, f64>,
    draws: u32,
) {
    let total: f64 = chances.values().sum();
    assert!((total - 1.0).abs() < 1e-9, "the chances add up to {total}");
    let df = switch.image().fabric().dragonfly();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut counts: BTreeMap<Drawn, u32> = BTreeMap::new();
    for _ in 0..draws {
        let node = df.node(destination, 0);
        let admission =
            switch.admit(node, Scheme::Vlb, paths, [0_u32].as_slice(), &mut rng).unwrap();
        let Step::Send { header, .. } = admission.step else { panic!("the pair has a path") };
        *counts.entry(fields(header)).or_default() += 1;
    }
    for drawn in counts.keys() {
        assert!(chances.contains_key(drawn), "{drawn:?} is not in the set");
    }
    let statistic: f64 = chances
        .iter()
        .map(|(drawn, chance)| {
            let expected = chance * f64::from(draws);
            assert!(expected >= 5.0, "too few draws for a chi-square test");
            let found = f64::from(counts.get(drawn).copied().unwrap_or(0));
            (found - expected).powi(2) / expected
        })
        .sum();
    assert!(statistic < quantile((chances.len() - 1).max(1)), "{statistic} over {}", chances.len());
}

fn fields(header: Header) -> Drawn {
    (header.x().0, header.y().0, header.detour().0)
}

fn assert_rule(fabric: &Fabric, from: u16, to: u16, draws: u32) {
    let routes: Vec<_> = kept(&fabric.topology, &rule_of(fabric), SwitchId(from), SwitchId(to))
        .map(|way| (way.route(), way.shape()))
        .collect();
    let generated = images(fabric);
    let switch = &boot(&generated)[usize::from(from)];
    let chances = chances(fabric, &routes);
    assert_drawn(switch, SwitchId(to), VlbPaths::Custom, &chances, draws);
}

/// The chance that each of a pair's kept routes should have.
fn chances(fabric: &Fabric, routes: &[(Route, Shape)]) -> BTreeMap<Drawn, f64> {
    let df = *fabric.topology.dragonfly();
    let rule = &rule_of(fabric);
    let of_shape = |shape: Shape| {
        f64::from(u32::try_from(routes.iter().filter(|r| r.1 == shape).count()).unwrap())
    };
    let weight = |shape: Shape| match rule.draw {
        DrawRule::ByRoute | DrawRule::BySwitch { .. } | DrawRule::ByTriple => of_shape(shape),
        DrawRule::ByShape { .. } if of_shape(shape) == 0.0 => 0.0,
        DrawRule::ByShape { weights } => f64::from(weights[shape.number()]),
    };
    let total: f64 = Shape::all().map(weight).sum();
    routes
        .iter()
        .map(|&(route, shape)| {
            let detour = route.detour.unwrap_or(df.split_port(route.y).0);
            let chance = weight(shape) / total / of_shape(shape);
            ((route.x.0, route.y.0, detour.0), chance)
        })
        .collect()
}

#[test]
fn a_thinned_set_is_drawn_from_what_thinning_leaves() {
    for set in ["all", "60% 5-hop", "strategic-2-3 by shape", "5*shapes:011, 40% shapes:111"] {
        let fabric = with_set(shipped("dfly-4-8-4-9.toml"), set);
        let generated = images(&fabric);
        let levels = levels(&fabric, &[3, 15, 7, 10, 15]);
        for (from, to) in [(0, 8), (1, 17), (70, 5)] {
            let image = thinned(&fabric, &generated, SwitchId(from), &levels);
            let switch = Switch::boot(&generated.images.fabric, &image).unwrap();
            let routes = kept_when_thinned(&fabric, &levels, SwitchId(from), SwitchId(to));
            let chances = chances(&fabric, &routes);
            assert_drawn(&switch, SwitchId(to), VlbPaths::Custom, &chances, 120_000);
        }
    }
}

#[test]
fn the_rarest_routes_of_a_thinned_set_are_found() {
    // A hundredth of a shape, a quarter of which is kept: too many cells to visit them all.
    let fabric = with_set(shipped("dfly-13-26-13-27.toml"), "1% only:121");
    let generated = images(&fabric);
    let levels = levels(&fabric, &[3]);
    let image = thinned(&fabric, &generated, SwitchId(0), &levels);
    let switch = Switch::boot(&generated.images.fabric, &image).unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let want = |_| {
        let node = switch.image().fabric().dragonfly().node(SwitchId(100), 0);
        let credits = [0_u32];
        let admission =
            switch.admit(node, Scheme::Vlb, VlbPaths::Custom, credits.as_slice(), &mut rng);
        admission.unwrap().choice != Choice::Vlb
    };
    // One in ten thousand by the bound of the draw, or fewer.
    let missed = (0..10_000).map(want).filter(|&missed| missed).count();
    assert!(missed <= 6, "{missed} of 10000 packets were left without a route");
}

#[test]
fn by_route_is_uniform_over_the_kept_routes() {
    for set in
        ["all", "60% 5-hop", "strategic-2-3", "shapes:011", "shapes:110", "10% shapes:121", "3-hop"]
    {
        let fabric = with_set(shipped("dfly-4-8-4-9.toml"), set);
        for (from, to) in [(0, 8), (1, 17), (70, 5)] {
            assert_rule(&fabric, from, to, 60_000);
        }
    }
}

#[test]
fn by_shape_is_by_weight_and_then_uniform() {
    for set in [
        "all by shape",
        "strategic-2-3 by shape",
        "5*shapes:011, 40% shapes:111",
        "30% shapes:121 by shape",
    ] {
        let fabric = with_set(shipped("dfly-4-8-4-9.toml"), set);
        for (from, to) in [(0, 8), (1, 17), (70, 5)] {
            assert_rule(&fabric, from, to, 120_000);
        }
    }
}

/// The chances of a set of intermediate switches, straight from its definition.
fn chances_by_switch(fabric: &Fabric, from: u16, to: u16) -> BTreeMap<Drawn, f64> {
    let df = *fabric.topology.dragonfly();
    let mut chances: BTreeMap<Drawn, f64> = BTreeMap::new();
    let ways = ways_of(&fabric.topology, &rule_of(fabric), SwitchId(from), SwitchId(to));
    for way in ways.expect("a set of intermediate switches or triples") {
        let route = way.route();
        let detour = route.detour.unwrap_or(df.split_port(route.y).0);
        *chances.entry((route.x.0, route.y.0, detour.0)).or_default() += way.weight();
    }
    let total: f64 = chances.values().sum();
    for chance in chances.values_mut() {
        *chance /= total;
    }
    chances
}

#[test]
fn by_switch_is_uniform_over_the_switches_and_then_over_their_shortest_links() {
    use tvlb_topology::arrangement::Arrangement;
    for set in [
        "switches:2-3 with returns",
        "switches:2-3",
        "switches:3-2",
        "switches:2-3+3-2 with returns",
        "switches:3-3",
        "switches:2-2",
        "conventional",
    ] {
        for (fabric, pairs) in [
            (shipped("dfly-4-8-4-9.toml"), vec![(0, 8), (1, 17), (70, 5)]),
            (shipped("dfly-2-4-2-9.toml"), vec![(3, 30), (20, 1)]),
            (tvlb_tests::arranged((1, 3, 3, 5), Arrangement::Absolute), vec![(0, 14), (4, 2)]),
        ] {
            let fabric = with_set(fabric, set);
            let generated = images(&fabric);
            let switches = boot(&generated);
            for (from, to) in pairs {
                let chances = chances_by_switch(&fabric, from, to);
                let switch = &switches[usize::from(from)];
                assert_drawn(switch, SwitchId(to), VlbPaths::Custom, &chances, 120_000);
            }
        }
    }
}

/// MIN paths that PAR's second look draws at an idle switch, by the port of their first global link.
fn second_mins(min: MinCandidate) {
    let mut fabric = shipped("dfly-4-8-4-9.toml");
    fabric.file.policies.weighing.par_second.second_min = Some(min);
    let generated = images(&fabric);
    let topology = &fabric.topology;
    let df = *topology.dragonfly();
    let mut by_others = 0;
    let switches = boot(&generated);
    let pairs = [0_u16, 3, 5].into_iter().flat_map(|here| (8_u16..72).map(move |to| (here, to)));
    for (here, to) in pairs {
        let switch = &switches[usize::from(here)];
        let (here, to) = (SwitchId(here), SwitchId(to));
        let ((group, index), there) = (df.place(here), df.place(to).0);
        let links = topology.links(group, there);
        let Some(own) = links.iter().find(|link| df.split_port(link.from).0 == index) else {
            continue;
        };
        // A packet that has come here to leave the group by this switch's own link.
        let open_min = 1;
        let bits = u64::from(to.0) << 48 | u64::from(own.from.0) << 28 | 1 << 5 | open_min;
        let expected: Vec<u16> = match min {
            MinCandidate::Kept => vec![own.from.0],
            MinCandidate::Shortest => {
                let (_, links) = shortest_links(topology, here, to).unwrap();
                links.map(|link| link.from.0).collect()
            }
            MinCandidate::Any => links.iter().map(|link| link.from.0).collect(),
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut counts: BTreeMap<u16, u32> = BTreeMap::new();
        for _ in 0..2000 {
            let header = Header::from_bits(bits);
            let idle = [0_u32];
            let next =
                switch.reconsider(header, VlbPaths::Custom, idle.as_slice(), &mut rng).unwrap();
            assert_eq!((next.bits() & 3, next.destination()), (0, to), "it stays MIN");
            *counts.entry(next.x().0).or_default() += 1;
            // The switches behind carry it as it is: by the link, or first to that link's switch.
            let Step::Send { header, .. } = switch.forward(next).unwrap() else {
                panic!("not here")
            };
            let is_own = df.split_port(next.x()).0 == index;
            assert_eq!(header.stage() as u8, if is_own { 6 } else { 2 });
            by_others += u32::from(!is_own);
        }
        assert!(counts.keys().eq(expected.iter().collect::<std::collections::BTreeSet<_>>()));
        let each = 2000.0 / f64::from(u32::try_from(expected.len()).unwrap());
        let statistic: f64 = counts.values().map(|&n| (f64::from(n) - each).powi(2) / each).sum();
        assert!(statistic < quantile((expected.len() - 1).max(1)), "{counts:?}");
    }
    assert_eq!(by_others > 0, min != MinCandidate::Kept, "some leave by another switch");
}

#[test]
fn a_second_look_draws_its_min_path_as_the_image_says() {
    MinCandidate::ALL.into_iter().for_each(second_mins);
}

#[test]
fn so_rare_that_it_is_found_by_visiting_all_cells() {
    // Two routes among 28 cells, and three among 169.
    let fabric = with_set(shipped("dfly-4-8-4-33.toml"), "20% only:101 by shape");
    let rule = &rule_of(&fabric);
    let kept = |to| kept(&fabric.topology, rule, SwitchId(0), SwitchId(to)).count();
    let to = (8..264).find(|&to| kept(to) == 2).expect("some pair keeps two routes");
    assert_rule(&fabric, 0, to, 5000);
    let fabric = with_set(shipped("dfly-13-26-13-27.toml"), "only:000 by shape");
    let counter = RouteCounter::new(&fabric.topology);
    let routes = |to| counter.counts(SwitchId(0), SwitchId(to))[0];
    let to = (26..702).find(|&to| routes(to) == 3).expect("some pair has three routes");
    assert_rule(&fabric, 0, to, 5000);
}

#[test]
fn each_shape_is_uniform_where_switches_have_several_links_to_a_group() {
    use tvlb_topology::arrangement::Arrangement;
    // Six ports for four other groups, and two for one: some switches have more links to a group than
    // others.
    let arrangements = [Arrangement::Absolute, Arrangement::Relative, Arrangement::Palmtree];
    for (sizes, arrangement) in arrangements
        .map(|one| ((1, 3, 6, 5), one))
        .into_iter()
        .chain([((1, 4, 3, 4), arrangements[0])])
    {
        for shape in Shape::all() {
            let fabric = with_set(arranged(sizes, arrangement), &format!("only:{shape} by shape"));
            let counter = RouteCounter::new(&fabric.topology);
            let df = *fabric.topology.dragonfly();
            let has_route = |from, to| {
                df.place(from).0 != df.place(to).0 && counter.counts(from, to)[shape.number()] > 0
            };
            let pairs = df.switches().flat_map(|from| df.switches().map(move |to| (from, to)));
            // The first pair that has a route, and a later one.
            for (from, to) in pairs.filter(|&(from, to)| has_route(from, to)).step_by(59).take(2) {
                assert_rule(&fabric, from.0, to.0, 20_000);
            }
        }
    }
}

#[test]
fn on_unequal_pairs() {
    use tvlb_topology::arrangement::Arrangement;
    for set in ["all", "all by shape", "shapes:011"] {
        let fabric = with_set(tvlb_tests::arranged((1, 3, 3, 5), Arrangement::Absolute), set);
        assert_rule(&fabric, 0, 14, 60_000);
        assert_rule(&fabric, 4, 2, 60_000);
    }
}

#[test]
fn where_switches_of_a_group_share_several_links_or_none() {
    for fabric in of_local_links() {
        let df = fabric.topology.dragonfly();
        let last = df.switch_of(df.last_node()).0.0;
        for set in ["all", "all by shape", "50% shapes:111"] {
            let fabric = with_set(fabric.clone(), set);
            assert_rule(&fabric, 0, last, 60_000);
            assert_rule(&fabric, last, 1, 60_000);
        }
        let fabric = with_set(fabric, "switches:3-3");
        let generated = images(&fabric);
        let chances = chances_by_switch(&fabric, 1, last);
        assert_drawn(&boot(&generated)[1], SwitchId(last), VlbPaths::Custom, &chances, 60_000);
    }
}

/// The first hop of a MIN packet is by any of the links between the groups that need no third switch, or
/// of all if each needs one, by any third switch, and by any of the links to the next switch.
#[test]
fn the_first_hop_of_min_is_uniform_by_link_then_third_switch_then_parallel_link() {
    let mut with_thirds = 0;
    for fabric in of_local_links() {
        let topology = &fabric.topology;
        let df = *topology.dragonfly();
        let generated = images(&fabric);
        let switches = boot(&generated);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for (from, to) in [(0, 9), (1, 9), (2, 14), (9, 2), (10, 1), (0, 1), (1, 2)] {
            let (from, to) = (SwitchId(from), SwitchId(to));
            let (group, here) = df.place(from);
            if !df.has_switch(from) || !df.has_switch(to) || df.nodes_of(df.place(to).0) == 0 {
                continue;
            }
            let paths = minimal::paths(topology, from, to);
            let links = paths.chunk_by(|one, next| one.x == next.x).count();
            let mut chances: BTreeMap<(u16, u16), f64> = BTreeMap::new();
            for path in &paths {
                with_thirds += u32::from(path.hops() > 3);
                let next = df.place(path.walk.switches()[1]);
                let each = 1.0 / f64::from(u32::try_from(links).unwrap() * path.ways);
                let x = path.x.map_or(0, |x| x.0);
                if next.0 == group {
                    let parallel = topology.links_within(group, here, next.1);
                    for k in 0..parallel {
                        let switches = df.switches_of(group);
                        let port = df.nth_local_port(switches, (here, next.1), k);
                        *chances.entry((x, port.0)).or_default() += each / f64::from(parallel);
                    }
                } else {
                    let port = df.slot_port(df.split_port(path.x.unwrap()).1);
                    *chances.entry((x, port.0)).or_default() += each;
                }
            }
            if chances.is_empty() {
                continue;
            }
            let mut counts: BTreeMap<(u16, u16), u32> = BTreeMap::new();
            for _ in 0..20_000 {
                let idle = [0_u32];
                let (node, paths) = (df.node(to, 0), VlbPaths::Custom);
                let switch = &switches[from.as_usize()];
                let sent =
                    switch.admit(node, Scheme::Min, paths, idle.as_slice(), &mut rng).unwrap();
                assert_eq!(sent.choice, Choice::Min);
                let Step::Send { header, port, .. } = sent.step else { panic!("it is elsewhere") };
                *counts.entry((header.x().0, port.0)).or_default() += 1;
            }
            assert!(counts.keys().all(|drawn| chances.contains_key(drawn)), "{counts:?}");
            let of = |(drawn, chance): (&(u16, u16), &f64)| {
                let expected = chance * 20_000.0;
                let found = counts.get(drawn).map_or(0.0, |&count| f64::from(count));
                (found - expected).powi(2) / expected
            };
            let statistic: f64 = chances.iter().map(of).sum();
            assert!(statistic < quantile((chances.len() - 1).max(1)), "{from} {to}: {counts:?}");
        }
    }
    assert!(with_thirds > 0, "some pair needs a third switch");
}

/// Packets of many nodes and routes that stand at one switch take all its links to another alike, and
/// each of them always the same.
#[test]
fn later_hops_spread_over_parallel_links_and_keep_to_them() {
    let [fabric, ..] = &of_local_links()[..] else { panic!("there are some") };
    let df = *fabric.topology.dragonfly();
    let generated = images(fabric);
    let switches = boot(&generated);
    let mut counts: BTreeMap<u16, u32> = BTreeMap::new();
    let mut sent = 0;
    // At switch 5, about to go to another switch of its group for each route that leads on from there.
    for to in df.switches().filter(|&to| df.place(to).0.0 != 1) {
        for y in df.global_ports().filter(|&y| df.split_port(y).0 != df.place(SwitchId(5)).1) {
            for (terminal, x) in [(0, 1), (1, 1), (0, 6), (1, 7)] {
                let bits = u64::from(to.0) << 48 | terminal << 40 | x << 28 | u64::from(y.0) << 16;
                let own = u64::from(df.split_port(y).0.0);
                let header = Header::from_bits(bits | own << 8 | 3 << 5 | 2);
                let step = switches[5].forward(header).unwrap();
                assert_eq!(switches[5].forward(header).unwrap(), step);
                let Step::Send { port, .. } = step else { panic!("it goes on") };
                let end = df.local_end(4, df.place(SwitchId(5)).1, port).unwrap();
                assert_eq!(end.0, df.split_port(y).0);
                *counts.entry(u16::try_from(end.1).unwrap()).or_default() += 1;
                sent += 1;
            }
        }
    }
    assert!(counts.keys().eq(&[0, 1, 2]));
    let each = f64::from(sent) / 3.0;
    let statistic: f64 = counts.values().map(|&n| (f64::from(n) - each).powi(2) / each).sum();
    assert!(statistic < quantile(2), "{counts:?}");
}

#[test]
fn the_conventional_draw_is_uniform_over_triples() {
    use tvlb_topology::arrangement::Arrangement;
    let on_links = of_local_links().into_iter().map(|fabric| {
        let df = fabric.topology.dragonfly();
        let last = df.switch_of(df.last_node()).0.0;
        (fabric, vec![(0, last), (last, 1)])
    });
    for (fabric, pairs) in on_links.chain([
        (shipped("dfly-4-8-4-9.toml"), vec![(0, 8), (1, 17), (70, 5)]),
        (tvlb_tests::arranged((1, 3, 3, 5), Arrangement::Absolute), vec![(0, 14), (4, 2)]),
    ]) {
        let df = *fabric.topology.dragonfly();
        let generated = images(&fabric);
        let switches = boot(&generated);
        for (from, to) in pairs {
            let all: Vec<_> = triples(&fabric.topology, SwitchId(from), SwitchId(to)).collect();
            let each = 1.0 / f64::from(u32::try_from(all.len()).unwrap());
            let mut chances: BTreeMap<Drawn, f64> = BTreeMap::new();
            for triple in &all {
                let Route { x, y, detour } = triple.route();
                let detour = detour.unwrap_or(df.split_port(y).0);
                *chances.entry((x.0, y.0, detour.0)).or_default() += each;
            }
            let switch = &switches[usize::from(from)];
            assert_drawn(switch, SwitchId(to), VlbPaths::Conventional, &chances, 60_000);
        }
    }
}

#[test]
fn min_is_uniform_over_the_links() {
    let fabric = shipped("dfly-4-8-4-9.toml");
    let generated = images(&fabric);
    let switch = &boot(&generated)[0];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut counts: BTreeMap<u16, u32> = BTreeMap::new();
    for _ in 0..40_000 {
        let admission = switch
            .admit(
                tvlb_schema::NodeId(40),
                Scheme::Min,
                VlbPaths::Custom,
                [0_u32].as_slice(),
                &mut rng,
            )
            .unwrap();
        let Step::Send { header, .. } = admission.step else { panic!("another group") };
        *counts.entry(header.x().0).or_default() += 1;
    }
    assert_eq!(counts.len(), 4);
    let statistic: f64 =
        counts.values().map(|&n| (f64::from(n) - 10_000.0).powi(2) / 10_000.0).sum();
    assert!(statistic < quantile(3), "{counts:?}");
}
