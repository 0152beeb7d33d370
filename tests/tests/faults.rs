//! A switch that has taken a fault image does what it would do by images of a fabric without what is
//! dead: the same routes for every pair, by paths that live, uniformly over what is left.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use tvlb_firmware_model::{Error, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{
    Decision, Dragonfly, End, FabricImage, FaultSet, LocalLink, NodeId, SwitchId, VcScheme,
    encode_fault_image,
};
use tvlb_tests::{
    Crossing, arranged, boot, carry, images, mended, of_local_links, quantile, rule_of, shipped,
    uneven, with_set,
};
use tvlb_topology::Topology;
use tvlb_topology::arrangement::Arrangement;
use tvlb_topology::routes::ways::{kept, ways_of};

/// Some switches, cables and links within groups, at random.
fn some(topology: &Topology, counts: [u32; 3], rng: &mut impl Rng) -> FaultSet {
    let df = topology.dragonfly();
    let mut below = |n: usize| rng.next_u32() as usize % n;
    let switches: Vec<SwitchId> = df.switches().collect();
    let mut links = Vec::new();
    for group in df.groups() {
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                let count = topology.links_within(group, low, high);
                let number = 0..u16::try_from(count).unwrap();
                let low = df.switch(group, low);
                links.extend(number.map(|number| LocalLink { low, high, number }));
            }
        }
    }
    let cables = topology.cables();
    FaultSet {
        switches: (0..counts[0]).map(|_| switches[below(switches.len())]).collect(),
        cables: (0..counts[1]).map(|_| cables[below(cables.len())].low).collect(),
        local_links: (0..counts[2]).map(|_| links[below(links.len())]).collect(),
        ..FaultSet::default()
    }
}

/// As often for each: how many of what are dead.
const COUNTS: [[u32; 3]; 5] = [[0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 5, 3], [0, 12, 8]];

/// The switches of a fabric that have taken a fault image, and the wiring that is left.
fn with_faults(fabric: &Fabric, faults: &FaultSet, check: impl FnOnce(&[Switch<'_>], &Topology)) {
    let generated = images(fabric);
    let image = FabricImage::decode(&generated.images.fabric).unwrap();
    let bytes = encode_fault_image(&image, 3, faults);
    let mut switches = boot(&generated);
    for switch in &mut switches {
        switch.install_faults(&bytes).unwrap();
    }
    check(&switches, &fabric.topology.without(faults));
}

fn fabrics() -> Vec<Fabric> {
    let small = [shipped("dfly-2-4-2-9.toml"), arranged((1, 5, 2, 4), Arrangement::Palmtree)];
    small.into_iter().chain(uneven()).chain(of_local_links()).collect()
}

/// Every route of every pair is one of those that are left, and each of these is there.
#[test]
fn the_routes_are_those_that_are_left() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for fabric in fabrics() {
        for (set, counts) in [
            "conventional",
            "strategic-2-3 by shape",
            "all",
            "60% 6-hop",
            "switches:2-3 with returns",
            "switches:3-3",
        ]
        .into_iter()
        .zip(COUNTS.into_iter().cycle())
        {
            let fabric = with_set(fabric.clone(), set);
            let faults = some(&fabric.topology, counts, &mut rng);
            with_faults(&fabric, &faults, |switches, live| {
                for switch in switches {
                    assert_routes(&fabric, switch, live, &faults);
                }
            });
        }
    }
}

fn assert_routes(fabric: &Fabric, switch: &Switch<'_>, live: &Topology, faults: &FaultSet) {
    let (df, rule) = (live.dragonfly(), &rule_of(fabric));
    let source = switch.image().switch();
    for destination in df.switches() {
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        if rule.is_of_routes() {
            let kept = kept(live, rule, source, destination);
            expected.extend(kept.map(|way| (way.route(), way.shape())));
        } else if df.place(source).0 != df.place(destination).0 {
            let ways = ways_of(live, rule, source, destination).into_iter().flatten();
            expected.extend(ways.map(|way| (way.route(), way.shape())));
        }
        switch.for_each_route(Decision::UgalL, destination, |route, shape| {
            found.push((route, shape));
        });
        expected.sort_unstable();
        expected.dedup();
        found.sort_unstable();
        assert_eq!(found, expected, "from {source} to {destination} without {faults:?}");
    }
}

/// Whether a packet from one switch can reach another by MIN or VLB over what is left.
fn is_reachable(live: &Topology, from: SwitchId, to: SwitchId) -> bool {
    let df = live.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    let hop = |group, one, other| {
        live.is_local_hop(group, one, other) || live.relays(group, one, other).next().is_some()
    };
    if own == group {
        return hop(own, here, there);
    }
    let minimal = live.links(own, group).iter().any(|link| {
        hop(own, here, df.split_port(link.from).0) && hop(group, df.split_port(link.to).0, there)
    });
    minimal
        || live.crossings(from, to).any(|c| {
            live.is_local_hop(c.middle, c.v, c.w)
                || live.relays(c.middle, c.v, c.w).next().is_some()
        })
}

/// A link that a packet crossed lives.
fn assert_lives(faults: &FaultSet, live: &Topology, crossing: Crossing) {
    let df: &Dragonfly = live.dragonfly();
    assert!(!faults.switches.contains(&crossing.to), "{crossing:?}");
    let (group, index) = df.place(crossing.from);
    if crossing.global {
        let slot = crossing.port.0 - df.slot_port(0).0;
        assert!(live.peer(End::new(df, group, index, slot)).is_some(), "{crossing:?}");
    } else {
        let (other, number) = df.local_end(df.switches_of(group), index, crossing.port).unwrap();
        let (low, high) = (index.min(other), index.max(other));
        let number = u16::try_from(number).unwrap();
        let link = LocalLink { low: df.switch(group, low), high, number };
        assert!(!faults.local_links.contains(&link), "{crossing:?}");
    }
}

/// Packets arrive by what lives wherever they can, and are refused at once where they cannot.
#[test]
fn packets_arrive_by_what_is_left() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for mut fabric in fabrics() {
        for (counts, channels) in COUNTS.into_iter().zip(VcScheme::FOR_ANY.into_iter().cycle()) {
            fabric.file.virtual_channels = Some(channels);
            let fabric = with_set(fabric.clone(), "strategic-2-3 by shape");
            let faults = some(&fabric.topology, counts, &mut rng);
            with_faults(&fabric, &faults, |switches, live| {
                assert_arrival(switches, live, &faults, &mut rng);
            });
        }
    }
}

fn assert_arrival(
    switches: &[Switch<'_>],
    live: &Topology,
    faults: &FaultSet,
    rng: &mut Xoshiro256PlusPlus,
) {
    let df = live.dragonfly();
    for source in df.switches().filter(|source| !faults.switches.contains(source)) {
        for destination in df.switches() {
            if df.nodes_of(df.place(destination).0) == 0 || source == destination {
                continue;
            }
            let node = df.node(destination, 0);
            let reachable =
                !faults.switches.contains(&destination) && is_reachable(live, source, destination);
            for scheme in [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
                for paths in [VlbPaths::Conventional, VlbPaths::Custom] {
                    let credits: Vec<u32> = (0..df.radix()).map(|_| rng.next_u32() % 33).collect();
                    let here = &switches[source.as_usize()];
                    let sent = here.admit(node, scheme, paths, credits.as_slice(), rng);
                    let Ok(sent) = sent else {
                        assert!(!reachable, "{scheme:?} from {source} to {destination}");
                        continue;
                    };
                    let second = |switch: &Switch<'_>, header: Header| {
                        let credits: Vec<u32> =
                            (0..df.radix()).map(|port| port * 7919 % 33).collect();
                        switch.reconsider(header, paths, credits.as_slice(), rng).unwrap()
                    };
                    let (arrived, path) = carry(switches, source, sent.step, second)
                        .unwrap_or_else(|error| panic!("{error}: {faults:?}"));
                    assert_eq!(arrived, node);
                    for crossing in path {
                        assert_lives(faults, live, crossing);
                    }
                }
            }
        }
    }
}

/// If only some switches have taken the image, a packet arrives or ends at a link that is dead, and the
/// rank of its channels rises all the same.
#[test]
fn any_mixture_of_images_leads_packets_on() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for fabric in fabrics() {
        for counts in [[0, 0, 3], [1, 2, 2], [0, 5, 5]] {
            let fabric = with_set(fabric.clone(), "strategic-2-3 by shape");
            let faults = some(&fabric.topology, counts, &mut rng);
            let generated = images(&fabric);
            let image = FabricImage::decode(&generated.images.fabric).unwrap();
            let bytes = encode_fault_image(&image, 1, &faults);
            let mut switches = boot(&generated);
            for switch in &mut switches {
                if rng.next_u32() % 2 == 0 {
                    switch.install_faults(&bytes).unwrap();
                }
            }
            assert_lead_on(&switches, &mut rng);
        }
    }
}

fn assert_lead_on(switches: &[Switch<'_>], rng: &mut Xoshiro256PlusPlus) {
    let df = *switches[0].image().fabric().dragonfly();
    for source in df.switches() {
        for destination in df.switches() {
            if df.nodes_of(df.place(destination).0) == 0 || source == destination {
                continue;
            }
            for scheme in [Scheme::Min, Scheme::UgalL, Scheme::Par] {
                let node = df.node(destination, 0);
                let idle = vec![0_u32; df.radix() as usize];
                let here = &switches[source.as_usize()];
                let sent = here.admit(node, scheme, VlbPaths::Custom, idle.as_slice(), rng);
                let Ok(sent) = sent else { continue };
                let second = |switch: &Switch<'_>, header: Header| {
                    switch.reconsider(header, VlbPaths::Custom, idle.as_slice(), rng).unwrap()
                };
                match carry(switches, source, sent.step, second) {
                    Ok((arrived, path)) => {
                        assert_eq!(arrived, node);
                        let rank = |c: &Crossing| 2 * c.virtual_channel + u8::from(c.global);
                        assert!(path.iter().map(rank).is_sorted_by(|a, b| a < b), "{path:?}");
                    }
                    Err(Error::NoCable { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }
}

/// Conventional VLB paths are drawn uniformly over those that are left.
#[test]
fn conventional_paths_stay_uniform() {
    let fabric = arranged((1, 4, 3, 5), Arrangement::Absolute);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let faults = some(&fabric.topology, [1, 6, 3], &mut rng);
    with_faults(&fabric, &faults, |switches, live| {
        let df = live.dragonfly();
        let (source, node) = (SwitchId(0), NodeId(df.node_count() - 1));
        assert!(!faults.switches.contains(&source));
        let idle = vec![0_u32; df.radix() as usize];
        let mut seen: BTreeMap<(u16, u16, u8), u32> = BTreeMap::new();
        let draws = 40_000;
        for _ in 0..draws {
            let switch = &switches[source.as_usize()];
            let sent = switch
                .admit(node, Scheme::Vlb, VlbPaths::Conventional, idle.as_slice(), &mut rng)
                .unwrap();
            let tvlb_firmware_model::Step::Send { header, .. } = sent.step else { panic!() };
            *seen.entry((header.x().0, header.y().0, header.detour().0)).or_default() += 1;
        }
        // A triple over either end of a hop in the middle is the same walk without a detour.
        let (to, _) = df.switch_of(node);
        let mut triples: BTreeMap<(u16, u16, u8), u32> = BTreeMap::new();
        for crossing in live.crossings(source, to) {
            let (v, w) = (crossing.v, crossing.w);
            for r in df.indices(crossing.middle) {
                let is_hop = |one, other| live.is_local_hop(crossing.middle, one, other);
                if is_hop(v, r)
                    && is_hop(r, w)
                    && !faults.switches.contains(&df.switch(crossing.middle, r))
                {
                    let detour = if r == v { w } else { r };
                    *triples
                        .entry((crossing.x.from.0, crossing.y.from.0, detour.0))
                        .or_default() += 1;
                }
            }
        }
        let total: u32 = triples.values().sum();
        assert_eq!(
            seen.keys().collect::<Vec<_>>(),
            triples.keys().collect::<Vec<_>>(),
            "{faults:?}"
        );
        let chi: f64 = triples
            .iter()
            .map(|(key, &ways)| {
                let expected = f64::from(draws) * f64::from(ways) / f64::from(total);
                (f64::from(seen[key]) - expected).powi(2) / expected
            })
            .sum();
        assert!(chi < quantile(triples.len() - 1), "{chi}");
    });
}

/// A fault image that is cut short or changed anywhere is refused, and one of another fabric too.
#[test]
fn damage_is_refused() {
    let fabric = shipped("dfly-2-4-2-9.toml");
    let generated = images(&fabric);
    let image = FabricImage::decode(&generated.images.fabric).unwrap();
    let golden = include_bytes!("../../schema/golden/v3/faults.tvlb");
    let mut switch = boot(&generated).remove(7);
    for length in 0..golden.len() {
        let cut = golden[..length].to_vec();
        assert!(switch.clone().install_faults(&cut).is_err(), "{length} bytes");
    }
    for bit in 0..8 * golden.len() {
        let mut bad = golden.to_vec();
        bad[bit / 8] ^= 1 << (bit % 8);
        assert!(switch.clone().install_faults(&bad).is_err(), "bit {bit}");
    }
    let other = images(&shipped("dfly-4-8-4-9.toml"));
    let other = FabricImage::decode(&other.images.fabric).unwrap();
    let foreign = encode_fault_image(&other, 1, &FaultSet::default());
    let refused = switch.clone().install_faults(&foreign).unwrap_err().to_string();
    assert!(refused.starts_with("fault image: fabric identity at byte 8"), "{refused}");
    switch.install_faults(golden).unwrap();

    // What no encoder writes: numbers beyond the fabric's, twice, out of order, or too many.
    let says = |at: usize, value: u8| {
        let mut bad = golden.to_vec();
        bad[at] = value;
        let bad = mended(bad, Some(image.identity()));
        boot(&generated).remove(7).install_faults(&bad).unwrap_err().to_string()
    };
    // Epoch, three counts; switch 31 in six bits and padding, two cables in six bits each, a pair.
    assert_eq!(golden[20..28], [7, 1, 2, 1, 31, 0, 0, 0]);
    insta::assert_snapshot!(says(21, 37), @"fault image: number of dead switches at byte 20: found 37, accepted at most the switches of the fabric");
    insta::assert_snapshot!(says(22, 37), @"fault image: number of dead cables at byte 20: found 37, accepted at most the cables of the fabric");
    insta::assert_snapshot!(says(21, 0), @"fault image: padding of dead cables at byte 26: found a bit that is set, accepted zeros");
    insta::assert_snapshot!(says(24, 36), @"fault image: dead switch at byte 24: found 36, accepted a switch of the fabric, after the one before it");
    insta::assert_snapshot!(says(28, 0xc0 + 36), @"fault image: dead cable at byte 28: found 36, accepted a cable of the fabric, after the one before it");
    insta::assert_snapshot!(says(28, 0xc0 + 8), @"fault image: dead cable at byte 28: found 7, accepted a cable of the fabric, after the one before it");
    insta::assert_snapshot!(says(33, 0), @"fault image: pair of a dead local link at byte 33: found 0, accepted two switches of a group, the lower index first");
}

/// A later image replaces the earlier, an earlier one is refused, and mending leads back to the plan.
#[test]
fn images_follow_each_other_by_epoch() {
    let fabric = shipped("dfly-2-4-2-9.toml");
    let generated = images(&fabric);
    let image = FabricImage::decode(&generated.images.fabric).unwrap();
    let cable = fabric.topology.cables()[3].low;
    let faults = FaultSet { cables: [cable].into(), ..FaultSet::default() };
    let [first, second, mended] = [(1, &faults), (2, &faults), (3, &FaultSet::default())]
        .map(|(epoch, faults)| encode_fault_image(&image, epoch, faults));
    let mut switch = boot(&generated).remove(7);
    switch.install_faults(&second).unwrap();
    let refused = switch.install_faults(&first).unwrap_err();
    assert_eq!(refused, Error::OldFaults { found: 1, installed: 2 });
    // Nor is one of the same number, whatever it says: which of two is the later, no switch can tell.
    let other = encode_fault_image(&image, 2, &FaultSet::default());
    for again in [&second, &other] {
        let refused = switch.install_faults(again).unwrap_err();
        assert_eq!(refused, Error::OldFaults { found: 2, installed: 2 });
    }
    assert_eq!(switch.image().fabric().dead_cables().collect::<Vec<_>>(), [cable]);
    // The tables may be replaced without a word on what is dead.
    switch.replace(&generated.images.fabric, &generated.images.switches[7], None).unwrap();
    assert!(!switch.image().fabric().has_live_cable(cable));
    switch.install_faults(&mended).unwrap();
    assert!(switch.image().fabric().group_links().is_single());
    assert_eq!(switch.image().fabric().epoch(), 3);
}

/// Tables in another bank of memory keep nothing of the old bank, so that what is dead has to be said again there.
#[test]
fn tables_of_another_bank_say_again_what_is_dead() {
    let fabric = shipped("dfly-2-4-2-9.toml");
    let generated = images(&fabric);
    let (plan, own) = (&generated.images.fabric, &generated.images.switches[7]);
    let image = FabricImage::decode(plan).unwrap();
    let cable = fabric.topology.cables()[3].low;
    let faults = FaultSet { cables: [cable].into(), ..FaultSet::default() };
    let [old, same, later] = [1, 2, 3].map(|epoch| encode_fault_image(&image, epoch, &faults));
    let mut running = Switch::boot(plan, own)
        .unwrap()
        .with_channels(Scheme::UgalL, tvlb_firmware_model::Channels::ORDERED)
        .unwrap();
    assert!(running.replaced(plan, own, None).is_ok());
    running.install_faults(&same).unwrap();
    for (faults, found) in [(None, 0), (Some(&old[..]), 1)] {
        let refused = running.replaced(plan, own, faults).unwrap_err();
        assert_eq!(refused, Error::OldFaults { found, installed: 2 });
    }
    for faults in [&same, &later] {
        let bank = [plan.clone(), own.clone(), faults.clone()];
        let new = {
            // Nothing of the old bank is needed for the new one.
            let last = running.clone();
            last.replaced(&bank[0], &bank[1], Some(&bank[2])).unwrap()
        };
        assert!(!new.image().fabric().has_live_cable(cable));
        assert_eq!((new.booted_for(), new.channels()), (running.booted_for(), running.channels()));
    }
    assert!(running.replaced(plan, &generated.images.switches[8], Some(&later)).is_err());
    let sums_only = running.with_sums_only().unwrap();
    let by_channel = sums_only.replaced(plan, own, Some(&later)).unwrap();
    assert!(by_channel.with_sums_only().is_ok());
}

/// A step that was decided before a link died leads over it still; decided again, with the header with which the
/// packet came, it does not.
#[test]
fn what_is_decided_and_not_sent_is_asked_again() {
    let fabric = shipped("dfly-2-4-2-9.toml");
    let generated = images(&fabric);
    let image = FabricImage::decode(&generated.images.fabric).unwrap();
    let mut switch = boot(&generated).remove(2);
    let idle = [0_u32; 7];
    let admit = |switch: &Switch<'_>| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        switch.admit(NodeId(40), Scheme::Min, VlbPaths::Custom, &idle[..], &mut rng).unwrap().step
    };
    let Step::Send { port, header: onward, .. } = admit(&switch) else { panic!("it is sent") };
    // The packet of the node, and one that came from another switch of the group for the same link.
    let port_of_group = onward.x();
    let df = fabric.topology.dragonfly();
    assert_eq!(df.split_port(port_of_group).0, switch.image().index(), "its own global port");
    let came = Header::from_bits(20 << 48 | u64::from(port_of_group.0) << 28 | 1 << 5);
    assert!(matches!(switch.forward(came), Ok(Step::Send { port: to, .. }) if to == port));

    let end = End { group: switch.image().group(), port: port_of_group };
    let faults = FaultSet { cables: [end].into(), ..FaultSet::default() };
    let bytes = encode_fault_image(&image, 1, &faults);
    switch.install_faults(&bytes).unwrap();
    // Asked with the header for the next switch, it could not even be told.
    assert!(matches!(switch.forward(onward), Err(Error::Astray { .. })));
    assert!(matches!(switch.forward(came), Err(Error::NoCable { .. })));
    assert!(matches!(admit(&switch), Step::Send { port: to, .. } if to != port));
}
