//! The look in the intermediate group: packets go on by the cheapest of the ways that are weighed, each of these is a
//! route of the wiring that is left, and whoever does not look sends them on as they were drawn.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use tvlb_firmware_model::{
    ByChannel, Channels, Credits, DefaultRng, Error, Header, NotDrawn, Scheme, Stage, Step, Switch,
    VlbPaths,
};
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{
    End, FabricImage, FaultSet, Onward, PerDecision, Queue, SwitchId, VcScheme, encode_fault_image,
};
use tvlb_table_set::OpenWeighing;
use tvlb_tests::{arranged, boot, images, of_local_links, shipped, uneven, with_set};
use tvlb_topology::Topology;
use tvlb_topology::arrangement::Arrangement;
use tvlb_topology::routes::ways::routes;

const CHANNELS: u8 = 8;

/// The fabric whose policies send VLB packets on by the cheapest link.
fn looking(fabric: Fabric, set: &str, queue: Queue) -> Fabric {
    let mut fabric = with_set(fabric, set);
    let (queue, onward) = (Some(queue), Some(Onward::Cheapest));
    let open = OpenWeighing { queue, onward, ..OpenWeighing::default() };
    fabric.file.policies.weighing = PerDecision::same(open);
    fabric
}

fn fabrics() -> Vec<Fabric> {
    // One link between two groups, two, four, and more than are looked at.
    let alike = [(2, 4, 2, 9), (1, 4, 2, 5), (1, 4, 4, 5), (1, 4, 5, 3)];
    let alike = alike.map(|sizes| arranged(sizes, Arrangement::Absolute));
    let random = arranged((1, 5, 2, 4), Arrangement::Random);
    alike.into_iter().chain([random]).chain(uneven()).chain(of_local_links()).collect()
}

/// A header at its source.
fn header_of(to: SwitchId, (x, y, detour): (u16, u16, u8)) -> Header {
    Header::from_bits(
        u64::from(to.0) << 48
            | u64::from(x) << 28
            | u64::from(y) << 16
            | u64::from(detour) << 8
            | 2,
    )
}

/// Moves a packet on until it has come to a stage, or is delivered: where it is, its header, and the hops.
fn carried(
    switches: &[Switch<'_>],
    (mut at, mut header): (SwitchId, Header),
    until: Option<Stage>,
) -> Result<(SwitchId, Header, u8), Error> {
    let df = *switches[0].image().fabric().dragonfly();
    for hops in 0..8 {
        if Some(header.stage()) == until {
            return Ok((at, header, hops));
        }
        let here = &switches[at.as_usize()];
        match here.forward(header)? {
            Step::Deliver { .. } => return Ok((at, header, hops)),
            Step::Send { port, header: next, .. } => {
                let (group, index) = here.neighbour(port).expect("packets leave by cables only");
                (at, header) = (df.switch(group, index), next);
            }
        }
    }
    panic!("a packet is on its ninth hop");
}

/// What a way on costs by its own first step and the hops that it takes, and these.
fn price(
    switches: &[Switch<'_>],
    (at, header): (SwitchId, Header),
    credits: &ByChannel<'_>,
    queue: Queue,
) -> Option<(u64, u8)> {
    let Ok(Step::Send { port, virtual_channel, .. }) = switches[at.as_usize()].forward(header)
    else {
        return None;
    };
    let (_, _, hops) = carried(switches, (at, header), None).ok()?;
    let used = match queue {
        Queue::Port => credits.used(port),
        Queue::Channel => credits.used_on(port, virtual_channel)?,
    };
    Some((u64::from(used) * u64::from(hops), hops))
}

/// Every look of one switch's packets: what is answered is the cheapest of all ways that must be weighed.
fn assert_cheapest(fabric: &Fabric, live: &Topology, switches: &[Switch<'_>], queue: Queue) -> u64 {
    let df = *live.dragonfly();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut changed, mut source) = (0, SwitchId(0));
    for destination in df.switches().filter(|&to| fabric.topology.dragonfly().has_switch(to)) {
        source = SwitchId((source.0 + 5) % u16::try_from(df.switch_numbers()).unwrap());
        let is_live = |switch| switches[0].image().fabric().lives(switch);
        let [from_group, to_group] = [source, destination].map(|switch| df.place(switch).0);
        if !df.has_switch(source)
            || from_group == to_group
            || df.nodes_of(to_group) == 0
            || ![source, destination].into_iter().all(is_live)
        {
            continue;
        }
        let known: BTreeSet<(u16, u16, u8)> = routes(live, source, destination)
            .map(|route| {
                let route = route.route();
                let detour = route.detour.unwrap_or(df.split_port(route.y).0);
                (route.x.0, route.y.0, detour.0)
            })
            .collect();
        for &(x, y, detour) in &known {
            let start = (source, header_of(destination, (x, y, detour)));
            let (at, header, _) = carried(switches, start, Some(Stage::Middle)).unwrap();
            let here = &switches[at.as_usize()];
            let counters: Vec<u32> =
                (0..df.radix() * u32::from(CHANNELS)).map(|_| rng.next_u32() % 5).collect();
            let credits = ByChannel { counters: &counters, channels: CHANNELS };
            let scheme = [Scheme::Vlb, Scheme::UgalL, Scheme::Par][rng.next_u32() as usize % 3];
            let looked = here.look_onward(header, scheme, &credits).unwrap();
            let chosen = (looked.x().0, looked.y().0, looked.detour().0);
            // The switch where it arrived is no detour.
            let at_exit = df.split_port(looked.y()).0.0;
            let is_here = looked.detour() == here.image().index();
            let as_route = (chosen.0, chosen.1, if is_here { at_exit } else { chosen.2 });
            assert!(known.contains(&as_route), "{chosen:?} is no route");
            let rest = !(0xfff << 16 | 0xff << 8);
            assert_eq!(looked.bits() & rest, header.bits() & rest);
            let own = price(switches, (at, looked), &credits, queue).unwrap();
            let group = here.image().group();
            let is_whole = fabric.topology.links(group, to_group).len() <= 4;
            for link in live.links(group, to_group).iter().filter(|_| is_whole) {
                let way = (x, link.from.0, df.split_port(link.from).0.0);
                if known.contains(&way) {
                    let candidate = with_way(header, way);
                    let other = price(switches, (at, candidate), &credits, queue).unwrap();
                    assert!(own <= other, "{own:?} {other:?}");
                }
            }
            assert!(own <= price(switches, (at, header), &credits, queue).unwrap());
            changed += u64::from(looked != header);

            let why = here.explain_onward(header, scheme, &credits).unwrap();
            let taken = why.vlb.unwrap();
            assert_eq!((why.outcome, taken.hops), (looked, own.1));
            // A third switch that was not drawn costs 16 more.
            assert!([own.0, own.0 + 16].contains(&taken.cost));
            assert!(why.min_drawn.is_empty() && (1..=5).contains(&why.vlb_drawn.len()));
        }
    }
    changed
}

/// The same packet on another way.
fn with_way(header: Header, (_, y, detour): (u16, u16, u8)) -> Header {
    let rest = header.bits() & !(0xfff << 16 | 0xff << 8);
    Header::from_bits(rest | u64::from(y) << 16 | u64::from(detour) << 8)
}

#[test]
fn packets_go_on_by_the_cheapest_way() {
    let mut changed = 0;
    for (fabric, queue) in fabrics().into_iter().zip(Queue::ALL.into_iter().cycle()) {
        for virtual_channels in VcScheme::FOR_ANY {
            let mut fabric = looking(fabric.clone(), "all", queue);
            fabric.file.virtual_channels = Some(virtual_channels);
            let generated = images(&fabric);
            changed += assert_cheapest(&fabric, &fabric.topology, &boot(&generated), queue);
        }
    }
    assert!(changed > 10_000, "{changed}");
}

#[test]
fn what_is_dead_is_not_chosen() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut changed = 0;
    for fabric in fabrics() {
        let fabric = looking(fabric, "all", Queue::Channel);
        let generated = images(&fabric);
        let image = FabricImage::decode(&generated.images.fabric).unwrap();
        let mut some = |n: usize| rng.next_u32() as usize % n;
        let cables = fabric.topology.cables();
        let switches: Vec<SwitchId> = fabric.topology.dragonfly().switches().collect();
        let faults = FaultSet {
            switches: [switches[some(switches.len())]].into(),
            cables: (0..3).map(|_| cables[some(cables.len())].low).collect(),
            ..FaultSet::default()
        };
        let bytes = encode_fault_image(&image, 1, &faults);
        let mut switches = boot(&generated);
        for switch in &mut switches {
            switch.install_faults(&bytes).unwrap();
        }
        let live = fabric.topology.without(&faults);
        changed += assert_cheapest(&fabric, &live, &switches, Queue::Channel);
    }
    assert!(changed > 1000, "{changed}");
}

#[test]
fn a_packet_whose_drawn_link_has_died_goes_by_another() {
    let fabric = looking(arranged((1, 4, 4, 5), Arrangement::Absolute), "all", Queue::Channel);
    let generated = images(&fabric);
    let (mut switches, image) =
        (boot(&generated), FabricImage::decode(&generated.images.fabric).unwrap());
    let df = *fabric.topology.dragonfly();
    let (source, destination) = (SwitchId(0), SwitchId(19));
    let route = routes(&fabric.topology, source, destination).next().unwrap().route();
    let detour = df.split_port(route.y).0;
    let start = (source, header_of(destination, (route.x.0, route.y.0, detour.0)));
    let (at, header, _) = carried(&switches, start, Some(Stage::Middle)).unwrap();
    let dead = End { group: df.place(at).0, port: route.y };
    let faults = FaultSet { cables: [dead].into(), ..FaultSet::default() };
    let bytes = encode_fault_image(&image, 1, &faults);
    for switch in &mut switches {
        switch.install_faults(&bytes).unwrap();
    }
    assert!(carried(&switches, (at, header), None).is_err());
    let idle = ByChannel { counters: &[], channels: 0 };
    let looked = switches[at.as_usize()].look_onward(header, Scheme::UgalL, &idle).unwrap();
    assert_ne!(looked.y(), header.y());
    assert_eq!(carried(&switches, (at, looked), None).unwrap().0, destination);
}

/// If links have channels for one hop in the intermediate group alone, no way takes two.
#[test]
fn no_way_takes_a_channel_that_links_lack() {
    for virtual_channels in [VcScheme::Ordered, VcScheme::PerHop] {
        let mut fabric = looking(shipped("dfly-2-4-2-9.toml"), "shapes:111", Queue::Channel);
        fabric.file.virtual_channels = Some(virtual_channels);
        let generated = images(&fabric);
        let all = boot(&generated);
        let custom = VlbPaths::Custom;
        let needed = all[0].channels_needed_for(Scheme::UgalL, custom);
        assert_ne!(needed, Channels::needed(virtual_channels, Scheme::UgalL));
        let switches: Vec<Switch<'_>> = boot(&generated)
            .into_iter()
            .map(|switch| switch.with_channels_for(Scheme::UgalL, custom, needed).unwrap())
            .collect();
        let mut rng = DefaultRng::seed_from_u64(1);
        let mut detours = [0; 2];
        for node in (8..72).cycle().take(5000) {
            let df = *all[0].image().fabric().dragonfly();
            let (to, node) = (df.switch_of(tvlb_schema::NodeId(node)).0, tvlb_schema::NodeId(node));
            let counters: Vec<u32> = (0..7 * CHANNELS).map(|_| rng.next_u32() % 40).collect();
            let credits = ByChannel { counters: &counters, channels: CHANNELS };
            let sent = switches[0].admit(node, Scheme::Vlb, custom, &credits, &mut rng).unwrap();
            let Step::Send { port, header, .. } = sent.step else { continue };
            let Some((group, index)) = switches[0].neighbour(port) else { continue };
            let start = (df.switch(group, index), header);
            let Ok((at, header, _)) = carried(&switches, start, Some(Stage::Middle)) else {
                continue;
            };
            if header.stage() != Stage::Middle {
                continue;
            }
            for (few, switches) in [(true, &switches), (false, &all)] {
                let here = &switches[at.as_usize()];
                let looked = here.look_onward(header, Scheme::UgalL, &credits).unwrap();
                assert_eq!(carried(switches, (at, looked), None).unwrap().0, to);
                let (own, exit) = (here.image().index(), df.split_port(looked.y()).0);
                let is_detour = looked.detour() != own && looked.detour() != exit;
                detours[usize::from(few)] += u32::from(is_detour);
            }
        }
        // `per-hop` has channels to spare for a packet that has made no local hop before.
        let most = if virtual_channels == VcScheme::PerHop { detours[0] / 2 } else { 0 };
        assert!(detours[0] > 100 && detours[1] <= most, "{detours:?}");
    }
}

#[test]
fn a_switch_whose_image_does_not_say_so_looks_at_nothing() {
    let fabric = with_set(shipped("dfly-2-4-2-9.toml"), "all");
    let generated = images(&fabric);
    let switch = &boot(&generated)[5];
    let credits = ByChannel { counters: &[9; 56], channels: CHANNELS };
    for bits in 0..20_000_u64 {
        let header = Header::from_bits(bits.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        assert!(!switch.looks_onward(Scheme::Par));
        assert_eq!(switch.look_onward(header, Scheme::Par, &credits), Ok(header));
    }
}

#[test]
fn any_bits_come_back_with_another_way_at_most() {
    let fabric = looking(shipped("dfly-2-4-2-9.toml"), "all", Queue::Channel);
    let generated = images(&fabric);
    let switch = &boot(&generated)[5];
    assert!(switch.looks_onward(Scheme::UgalL) && switch.looks_onward(Scheme::Par));
    let counters: Vec<u32> = (0..56).map(|at| at * 7919 % 11).collect();
    let credits = ByChannel { counters: &counters, channels: CHANNELS };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut changed = 0;
    for _ in 0..200_000 {
        // Often numbers that exist, and a stage and kind that are looked at.
        let near = rng.next_u64() & 0x003f_0000_7007_03ff;
        let bits = if rng.next_u32() & 1 == 0 { rng.next_u64() } else { near & !0xe3 | 0x62 };
        let header = Header::from_bits(bits);
        let looked = switch.look_onward(header, Scheme::UgalL, &credits).unwrap();
        let is_arriving = header.stage() == Stage::Middle && bits & 3 == 2;
        assert!(is_arriving || looked == header);
        let rest = !(0xfff << 16 | 0xff << 8);
        assert_eq!(looked.bits() & rest, bits & rest);
        if looked != header {
            assert!(switch.forward(looked).is_ok(), "{looked:?}");
            changed += 1;
        }
        let why = switch.explain_onward(header, Scheme::UgalL, &credits).unwrap();
        assert!(
            why.outcome == looked && (why.vlb != Err(NotDrawn::NoDecision) || looked == header)
        );
    }
    assert!(changed > 50, "{changed}");
    let sums = [3_u32; 7];
    let arriving = Header::from_bits(0x62);
    let refused = switch.look_onward(arriving, Scheme::UgalL, sums.as_slice());
    assert!(matches!(refused, Err(Error::SumsOnly { .. })));
}
