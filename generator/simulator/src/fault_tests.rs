//! Parts die and are mended in a running network: nothing is lost that need not be, every loss has its
//! cause, no credit gets lost, and no deadlock forms.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::Scheme;
use crate::faults::local_link;
use crate::numbers::PortId;
use crate::series::SeriesWindow;
use crate::setting_values::Buffers;
use crate::test_images::{Images, absolute, dragonfly, images};
use crate::{
    BootedFabric, FaultSchedule, LinkTarget, Losses, Measuring, Revision, Run, RunError, Settings,
    StopRule,
};
use proptest::prelude::*;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{
    Dragonfly, End, FaultSet, GlobalPort, GroupId, GroupKind, LocalLink, Onward, Port, SetRule,
    ShapeSet, SwitchId, SwitchIndex, VcScheme,
};
use tvlb_table_set::OpenWeighing;
use tvlb_traffic::{Pattern, Traffic};

const PATHS: [VlbPaths; 2] = [VlbPaths::Conventional, VlbPaths::Custom];

/// A fabric of this size with so many links between two switches of a group.
fn fabric_images(sizes: [u16; 4], local_links: u16, channels: VcScheme) -> Images {
    let [p, a, h, g] = sizes;
    let cables = absolute(&dragonfly(p.into(), a.into(), h.into(), g.into()));
    let kind = GroupKind::new(p, a, h, g).with_local_links(local_links);
    let df = Dragonfly::of_kinds(&[kind]).unwrap();
    let Images { fabric, switches } = images(&df, &cables, SetRule::whole(ShapeSet::ALL));
    // By some rules of channels, switches also choose where packets leave their intermediate group.
    let onward = (channels != VcScheme::Ordered).then_some(Onward::Cheapest);
    let weighing = OpenWeighing { onward, ..OpenWeighing::default() };
    let revision = Revision { weighing, vc_scheme: Some(channels) };
    let switches = revision.apply(&fabric, &switches).unwrap();
    Images { fabric, switches }
}

fn small() -> Images {
    fabric_images([2, 4, 2, 9], 1, VcScheme::Ordered)
}

fn boot(images: &Images) -> BootedFabric<'_> {
    BootedFabric::boot(&images.fabric, &images.switches).unwrap()
}

fn uniform(fabric: &BootedFabric<'_>) -> Traffic {
    Traffic::new(&Pattern::Uniform, fabric.dragonfly(), 1).unwrap()
}

/// Small buffers, so that the network fills soon and what is wrong shows.
fn tight(scheme: Scheme, paths: VlbPaths) -> Settings {
    let mut settings = Settings::new(scheme, paths);
    (settings.buffers, settings.patience_cycles) = (Buffers::all(4), 1000);
    settings
}

/// The ports of all links between groups, or of all within, each link by both its ends.
fn ports(fabric: &BootedFabric<'_>, global: bool) -> Vec<(SwitchId, Port)> {
    let df = fabric.dragonfly();
    let ports = (0..u16::try_from(df.radix()).unwrap()).map(Port);
    let all = df.switches().flat_map(|switch| ports.clone().map(move |port| (switch, port)));
    all.filter(|&(switch, port)| match fabric.link(switch, port) {
        LinkTarget::Global(..) => global,
        LinkTarget::Local(..) => !global,
        LinkTarget::Terminal(_) | LinkTarget::Unused => false,
    })
    .collect()
}

/// The cable of a global port.
fn end(fabric: &BootedFabric<'_>, (switch, port): (SwitchId, Port)) -> End {
    let df = fabric.dragonfly();
    let (group, index) = df.place(switch);
    End::new(df, group, index, port.0 - df.slot_port(0).0)
}

fn one_cable(fabric: &BootedFabric<'_>, port: (SwitchId, Port)) -> FaultSet {
    FaultSet { cables: [end(fabric, port)].into(), ..FaultSet::default() }
}

/// Some switches, cables and links within groups, at random.
fn some(fabric: &BootedFabric<'_>, most: [u32; 3], rng: &mut impl Rng) -> FaultSet {
    let (global, local) = (ports(fabric, true), ports(fabric, false));
    let switches: Vec<SwitchId> = fabric.dragonfly().switches().collect();
    let mut below = |n: usize| rng.next_u32() as usize % n;
    let [of_switches, of_cables, of_links] = most.map(|most| below(most as usize + 1));
    FaultSet {
        switches: (0..of_switches).map(|_| switches[below(switches.len())]).collect(),
        cables: (0..of_cables).map(|_| end(fabric, global[below(global.len())])).collect(),
        local_links: (0..of_links)
            .map(|_| {
                let (switch, port) = local[below(local.len())];
                local_link(fabric, switch, port)
            })
            .collect(),
        ..FaultSet::default()
    }
}

/// The number of a port in counts of all ports.
fn number(run: &Run<'_>, (switch, port): (SwitchId, Port)) -> PortId {
    PortId::of_switch(switch, port, run.network.states.port_bits)
}

/// The packets that are in the queue before a port's link or on it.
fn on_their_way(run: &Run<'_>, from: (SwitchId, Port)) -> u64 {
    let peer = run.network.states.out_port(number(run, from)).peer.first_channel().port();
    let arrivals = run.network.links.arrivals.iter();
    arrivals.filter(|(_, arrival)| arrival.input.port() == peer).count() as u64
}

/// The packets that were granted towards a port.
fn granted(run: &Run<'_>, port: (SwitchId, Port)) -> u64 {
    run.network.states.out_port(number(run, port)).flits.into()
}

/// What can be seen of a run.
fn seen(run: &Run<'_>) -> String {
    let network = &run.network;
    run.inspect().unwrap();
    format!(
        "{} {:?} {:?} {:?}",
        network.sent,
        network.link_flits(),
        network.links.tally,
        network.links.losses
    )
}

#[test]
fn a_schedule_of_nothing_changes_nothing() {
    let images = small();
    let fabric = boot(&images);
    let nothing = FaultSet::default();
    for entries in [vec![], vec![(0, nothing.clone()), (333, nothing)]] {
        let schedule = FaultSchedule::new(&fabric, &entries, 0..=200).unwrap();
        for (scheme, paths) in Scheme::ALL.into_iter().zip(PATHS.into_iter().cycle()) {
            let (settings, traffic) = (tight(scheme, paths), uniform(&fabric));
            let mut one = Run::new(&fabric, &settings, &traffic, 0.7, 1).unwrap();
            let mut other =
                Run::with_faults(&fabric, &settings, &traffic, 0.7, 1, &schedule).unwrap();
            for _ in 0..3 {
                one.advance(400).unwrap();
                other.advance(400).unwrap();
                assert_eq!(seen(&one), seen(&other), "{scheme:?}");
            }
            assert!(one.flit_hops() > 10_000, "there is traffic");
        }
    }
}

#[test]
fn chunks_that_run_ahead_lose_what_they_would_lose_in_step() {
    let images = small();
    let fabric = boot(&images);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let entries = [300, 450, 700].map(|cycle| (cycle, some(&fabric, [2, 5, 5], &mut rng)));
    let schedule = FaultSchedule::new(&fabric, &entries, 0..=300).unwrap();
    for (scheme, paths) in Scheme::ALL.into_iter().zip(PATHS.into_iter().cycle()) {
        let (settings, traffic) = (tight(scheme, paths), uniform(&fabric));
        let new = || Run::with_faults(&fabric, &settings, &traffic, 0.7, 1, &schedule).unwrap();
        let (mut one, mut other) = (new(), new());
        other.network.keep_in_step();
        for cycles in [301, 2, 703, 340] {
            one.advance(cycles).unwrap();
            other.advance(cycles).unwrap();
            assert_eq!(seen(&one), seen(&other), "{scheme:?}");
        }
        assert!(one.losses().sent() > 100, "{:?}", one.losses());
    }
}

/// Runs a saturated network in which one cable dies. Returns what was lost, and checks that every loss is
/// of that cable and that exactly what was on it or went onto it was lost there.
fn lose_a_cable(
    images: &Images,
    scheme: Scheme,
    delay: RangeInclusive<u32>,
    settings: &Settings,
) -> (Losses, f64, f64) {
    let fabric = boot(images);
    let cable = ports(&fabric, true)[5];
    let LinkTarget::Global(peer, back) = fabric.link(cable.0, cable.1) else { panic!() };
    let (faults, peer) = (one_cable(&fabric, cable), (peer, back));
    let (died, delay_end) = (2000, *delay.end());
    let (settled, end) = (died + delay_end + 1500, died + delay_end + 7500);
    let traffic = uniform(&fabric);
    let schedule = FaultSchedule::new(&fabric, &[(died, faults.clone())], delay).unwrap();
    let mut run = Run::with_faults(&fabric, settings, &traffic, 1.0, 1, &schedule).unwrap();
    run.advance(died).unwrap();
    let sides = [cable, peer].map(|port| (port, on_their_way(&run, port), granted(&run, port)));
    run.advance(delay_end + 1).unwrap();
    let known = sides.map(|(side, ..)| granted(&run, side));
    if delay_end == 0 {
        assert_eq!(known, sides.map(|(.., then)| then), "{scheme:?}: both ends knew at once");
    }
    run.advance(settled - run.now()).unwrap();
    assert_eq!(known, sides.map(|(side, ..)| granted(&run, side)), "{scheme:?}: both ends know");
    run.inspect().unwrap();
    let before = run.network.links.delivered;
    run.advance(end - settled).unwrap();
    run.inspect().unwrap();
    let delivered = run.network.links.delivered - before;

    let losses = run.losses();
    assert_eq!(losses.sent(), losses.on_dead_links + losses.without_live_port, "{scheme:?}");
    assert_eq!(losses.all(), losses.sent(), "{scheme:?}: {losses:?}");
    let mut of_sides = 0;
    for (port, on_link) in run.network.links.losses.ports() {
        let side = sides.iter().find(|&&(side, ..)| number(&run, side) == port);
        let &(side, waiting, then) =
            side.unwrap_or_else(|| panic!("{}", run.network.link_name(port)));
        assert_eq!(on_link[0], waiting + granted(&run, side) - then, "{scheme:?}");
        of_sides += on_link[0] + on_link[1];
    }
    assert_eq!(of_sides, losses.sent());

    // A run that began without the cable.
    let schedule = FaultSchedule::new(&fabric, &[(0, faults)], 0..=0).unwrap();
    let mut without = Run::with_faults(&fabric, settings, &traffic, 1.0, 1, &schedule).unwrap();
    without.advance(settled).unwrap();
    assert_eq!(without.losses(), Losses::default());
    let before = without.network.links.delivered;
    without.advance(end - settled).unwrap();
    let rate = |count: u64| {
        let nodes = f64::from(fabric.dragonfly().node_count());
        f64::from(u32::try_from(count).unwrap()) / nodes / f64::from(end - settled)
    };
    (losses, rate(delivered), rate(without.network.links.delivered - before))
}

#[test]
fn a_cable_that_dies_costs_what_was_on_it_or_had_come_to_it() {
    for (sizes, schemes) in [
        ([2, 4, 2, 9], &[Scheme::UgalL, Scheme::Par][..]),
        // Its switches are in several chunks.
        ([4, 8, 4, 9], &[Scheme::UgalL]),
    ] {
        let images = fabric_images(sizes, 1, VcScheme::Ordered);
        for &scheme in schemes {
            let settings = Settings::new(scheme, VlbPaths::Custom);
            let (at_once, after, fresh) = lose_a_cable(&images, scheme, 0..=0, &settings);
            assert!((after / fresh - 1.0).abs() < 0.01, "{sizes:?} {scheme:?}: {after} {fresh}");
            let (later, after, fresh) = lose_a_cable(&images, scheme, 0..=5000, &settings);
            assert!((after / fresh - 1.0).abs() < 0.01, "{sizes:?} {scheme:?}: {after} {fresh}");
            assert!(at_once.on_dead_links > 0 && later.sent() > at_once.sent());
        }
    }
}

#[test]
fn a_mended_cable_carries_what_it_did() {
    let images = small();
    let fabric = boot(&images);
    let cable = ports(&fabric, true)[5];
    let entries = [(2000, one_cable(&fabric, cable)), (4000, FaultSet::default())];
    let schedule = FaultSchedule::new(&fabric, &entries, 0..=1000).unwrap();
    for scheme in [Scheme::Min, Scheme::UgalL, Scheme::Par] {
        let (settings, traffic) = (tight(scheme, VlbPaths::Custom), uniform(&fabric));
        let mut whole = Run::new(&fabric, &settings, &traffic, 1.0, 1).unwrap();
        let mut mended = Run::with_faults(&fabric, &settings, &traffic, 1.0, 1, &schedule).unwrap();
        let [of_whole, of_mended] = [&mut whole, &mut mended].map(|run| {
            run.advance(8000).unwrap();
            let before = granted(run, cable);
            run.advance(20_000).unwrap();
            run.inspect().unwrap();
            granted(run, cable) - before
        });
        assert!(mended.losses().on_dead_links > 0);
        assert!(of_mended.abs_diff(of_whole) * 50 < of_whole, "{scheme:?}: {of_mended} {of_whole}");
    }
}

#[test]
fn a_dead_switch_falls_silent_and_comes_back() {
    let images = small();
    let fabric = boot(&images);
    let dead = SwitchId(7);
    let faults = FaultSet { switches: [dead].into(), ..FaultSet::default() };
    let entries = [(1000, faults), (3000, FaultSet::default())];
    let schedule = FaultSchedule::new(&fabric, &entries, 100..=200).unwrap();
    for scheme in Scheme::ALL {
        let (settings, traffic) = (tight(scheme, VlbPaths::Conventional), uniform(&fabric));
        let mut run = Run::with_faults(&fabric, &settings, &traffic, 0.9, 1, &schedule).unwrap();
        let all_ports = 0..u16::try_from(fabric.dragonfly().radix()).unwrap();
        let of_switch = |run: &Run<'_>| -> u64 {
            all_ports.clone().map(|port| granted(run, (dead, Port(port)))).sum()
        };
        run.advance(1000).unwrap();
        let before = of_switch(&run);
        assert!(before > 500 && run.losses() == Losses::default());
        run.advance(2000).unwrap();
        assert_eq!(of_switch(&run), before, "{scheme:?}: it does nothing");
        let losses = run.losses();
        assert!(losses.in_dead_switches > 0 && losses.in_source_queues > 0, "{losses:?}");
        assert!(losses.refused_at_source > 100, "{losses:?}");
        run.advance(300).unwrap();
        let refused = run.losses().refused_at_source;
        let before = of_switch(&run);
        run.advance(1700).unwrap();
        assert_eq!(run.losses().refused_at_source, refused, "{scheme:?}");
        assert!(of_switch(&run) > before + 500, "{scheme:?}: it works again");
        let df = fabric.dragonfly();
        for terminal in 0..2 {
            let source = &run.network.sources[df.node(dead, terminal).as_usize()];
            assert!(source.created > 3050, "{scheme:?}: its nodes send, {source:?}");
        }
        run.inspect().unwrap();
    }
}

#[test]
fn packets_turn_to_another_link_between_the_same_switches() {
    let images = fabric_images([2, 4, 2, 9], 2, VcScheme::Ordered);
    let fabric = boot(&images);
    let links = ports(&fabric, false);
    let dead = [3, 40, 71].map(|place| local_link(&fabric, links[place].0, links[place].1));
    let faults = FaultSet { local_links: dead.into(), ..FaultSet::default() };
    for scheme in Scheme::ALL {
        let (settings, traffic) = (tight(scheme, VlbPaths::Custom), uniform(&fabric));
        for delay in [0..=0, 0..=500] {
            let schedule = FaultSchedule::new(&fabric, &[(1000, faults.clone())], delay).unwrap();
            let mut run =
                Run::with_faults(&fabric, &settings, &traffic, 1.0, 1, &schedule).unwrap();
            for _ in 0..30 {
                run.advance(100).unwrap();
                run.inspect().unwrap();
            }
            let losses = run.losses();
            assert!(losses.on_dead_links > 0, "{scheme:?}");
            assert_eq!(losses.all(), losses.on_dead_links, "{scheme:?}: {losses:?}");
        }
    }
}

/// Parts that die and are mended every so often in a full network, with fault images that arrive late and
/// out of order.
fn shake(
    images: &Images,
    settings: &Settings,
    pattern: &Pattern,
    channel_map: [u8; 8],
) -> Result<(u64, Losses), RunError> {
    let fabric = boot(images);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let entries: Vec<(u32, FaultSet)> =
        (1..16).map(|n| (700 * n, some(&fabric, [1, 6, 6], &mut rng))).collect();
    let schedule = FaultSchedule::new(&fabric, &entries, 0..=1500).unwrap();
    let traffic = Traffic::new(pattern, fabric.dragonfly(), 1).unwrap();
    let mut run = Run::with_faults(&fabric, settings, &traffic, 1.0, 1, &schedule)?;
    run.network.channel_map = channel_map;
    for _ in 0..64 {
        run.advance(200)?;
        run.inspect()?;
    }
    Ok((run.flit_hops(), run.losses()))
}

const CHANNELS: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn no_mixture_of_fault_images_deadlocks() {
    for channels in VcScheme::FOR_ANY {
        for local_links in [1, 2] {
            let images = fabric_images([2, 4, 2, 9], local_links, channels);
            for scheme in [Scheme::UgalL, Scheme::Par] {
                for pattern in [Pattern::Uniform, Pattern::Shift { groups: 1, switches: 0 }] {
                    let settings = tight(scheme, VlbPaths::Custom);
                    let (moved, losses) = shake(&images, &settings, &pattern, CHANNELS).unwrap();
                    assert!(moved > 100_000 && losses.sent() > 1000, "{moved} {losses:?}");
                    // Every switch understands what any other has written.
                    assert_eq!(losses.astray, 0, "{channels:?} {scheme:?}: {losses:?}");
                }
            }
        }
    }
}

#[test]
fn fewer_channels_deadlock_where_parts_die_too() {
    let images = small();
    for scheme in [Scheme::UgalL, Scheme::Par] {
        let settings = tight(scheme, VlbPaths::Custom);
        let shift = Pattern::Shift { groups: 1, switches: 0 };
        let error = shake(&images, &settings, &shift, [0; 8]);
        assert!(matches!(error, Err(RunError::Deadlock(_))), "{error:?}");
    }
}

#[test]
fn tables_that_are_replaced_know_what_is_dead() {
    let images = small();
    let fabric = boot(&images);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let entries = [300, 600].map(|cycle| (cycle, some(&fabric, [1, 5, 5], &mut rng)));
    let schedule = FaultSchedule::new(&fabric, &entries, 0..=400).unwrap();
    let (settings, traffic) = (tight(Scheme::UgalL, VlbPaths::Custom), uniform(&fabric));
    let new = || Run::with_faults(&fabric, &settings, &traffic, 0.9, 1, &schedule).unwrap();
    let (mut one, mut other) = (new(), new());
    for cycles in [100, 350, 350, 700] {
        one.advance(cycles).unwrap();
        other.advance(cycles).unwrap();
        assert_eq!(seen(&one), seen(&other));
        other.replace_tables(&fabric).unwrap();
    }
    assert!(one.losses().without_live_port > 0);
}

#[test]
fn windows_of_a_series_add_up_to_the_run() {
    let images = small();
    let fabric = boot(&images);
    let faults = one_cable(&fabric, ports(&fabric, true)[5]);
    let entries = [(3000, faults), (5000, FaultSet::default())];
    let schedule = FaultSchedule::new(&fabric, &entries, 0..=1000).unwrap();
    let mut settings = Settings::new(Scheme::UgalL, VlbPaths::Custom);
    (settings.warm_up_windows, settings.window_cycles) = (2, 1000);
    settings.measuring = Measuring::OneWindow;
    let traffic = uniform(&fabric);
    let run = |windows| {
        let settings = Settings { warm_up_windows: windows, ..settings.clone() };
        let mut run = Run::with_faults(&fabric, &settings, &traffic, 0.4, 1, &schedule).unwrap();
        run.record_series(NonZeroU32::new(500).unwrap());
        run.measure(StopRule::FullWindow, &()).unwrap()
    };
    let outcome = run(7);
    let faults = outcome.faults.as_ref().unwrap();
    let series = outcome.series.as_ref().unwrap();
    assert_eq!((series.windows.len(), series.window), (16, 500));
    let lost_in = |window: &SeriesWindow| window.losses.unwrap().all();
    assert!(
        series.windows.iter().zip((0..).step_by(500)).all(|(window, from)| window.from == from)
    );
    // The run goes on until the packets of its window are delivered, so only its losses are all there.
    let lost: u64 = series.windows.iter().map(lost_in).sum();
    assert!(lost > 10 && lost == faults.losses.all(), "{lost} {faults:?}");
    let is_between = |&at: &usize, from: usize, to: usize| (from..to).contains(&(at * 500));
    for (at, window) in series.windows.iter().enumerate() {
        assert!(lost_in(window) == 0 || is_between(&at, 3000, 6500), "{window:?}");
    }
    let of_window = series.windows[14].accepted + series.windows[15].accepted;
    assert!((of_window / 2.0 - outcome.all.accepted).abs() < 1e-9);
    assert!(series.windows[3].latency.unwrap() < 60.0, "{faults:?}");
    let ends: Vec<&str> = faults.links.iter().map(|link| &*link.link).collect();
    assert_eq!(ends.len(), 2);
    assert!(ends.iter().all(|name| name.starts_with("global link from group ")), "{ends:?}");

    // Packets of the measured window are lost, and the run does not wait for them.
    let outcome = run(3);
    assert!(outcome.faults.as_ref().unwrap().losses.sent() > 10);
    assert!(!outcome.saturated && outcome.cycles < 6000, "{outcome:?}");

    let plain = Run::new(&fabric, &settings, &traffic, 0.4, 1).unwrap();
    assert_eq!(plain.measure(StopRule::FullWindow, &()).unwrap().faults, None);
}

#[test]
fn what_makes_no_schedule_is_named() {
    let (images, other) = (small(), fabric_images([2, 4, 2, 8], 1, VcScheme::Ordered));
    let fabric = boot(&images);
    let nothing = FaultSet::default;
    let says = |entries: &[(u32, FaultSet)], delay| {
        FaultSchedule::new(&fabric, entries, delay).unwrap_err().to_string()
    };
    insta::assert_snapshot!(says(&[(5, nothing()), (5, nothing())], 0..=0), @"faults: the entry of cycle 5 follows that of cycle 5, accepted a later cycle");
    insta::assert_snapshot!(says(&[], RangeInclusive::new(3, 2)), @"fault delay: the least is 3 cycles and the largest 2, accepted a least one that is not above the largest");
    insta::assert_snapshot!(says(&[(7, nothing())], 0..=1_000_000_000), @"faults: a fault image would arrive at cycle 1000000007, accepted at most 1000000000");
    let switch = FaultSet { switches: [SwitchId(36)].into(), ..nothing() };
    insta::assert_snapshot!(says(&[(7, switch)], 0..=0), @"faults from cycle 7 on: switch 36, which the fabric does not have");
    let cable = End { group: GroupId(8), port: GlobalPort(8) };
    let cable = FaultSet { cables: [cable].into(), ..nothing() };
    insta::assert_snapshot!(says(&[(7, cable)], 0..=0), @"faults from cycle 7 on: the cable of group 8, port 8, which the fabric does not have");
    for (low, high, number) in [(0, 1, 1), (1, 1, 0), (0, 4, 0), (36, 1, 0)] {
        let link = LocalLink { low: SwitchId(low), high: SwitchIndex(high), number };
        let link = FaultSet { local_links: [link].into(), ..nothing() };
        let text = says(&[(7, link)], 0..=0);
        assert!(text.starts_with("faults from cycle 7 on: link "), "{text}");
    }
    let link = LocalLink { low: SwitchId(0), high: SwitchIndex(1), number: 1 };
    let link = FaultSet { local_links: [link].into(), ..nothing() };
    insta::assert_snapshot!(says(&[(7, link)], 0..=0), @"faults from cycle 7 on: link 1 from switch 0 to the switch of index 1 of its group, which the fabric does not have");

    let schedule = FaultSchedule::new(&fabric, &[], 0..=0).unwrap();
    let other = boot(&other);
    let (settings, traffic) = (tight(Scheme::Min, VlbPaths::Custom), uniform(&other));
    let refused = Run::with_faults(&other, &settings, &traffic, 0.5, 1, &schedule);
    let Err(RunError::Refused(error)) = refused else { panic!() };
    let late = crate::Settings { decide: crate::Deciding::Head, ..settings.clone() };
    let refused = Run::with_faults(&other, &late, &traffic, 0.5, 1, &schedule).err().unwrap();
    insta::assert_snapshot!(refused, @"decide is head in a run in which parts die or tables change, accepted sending, so that a packet that has met its switch has a path that can be judged");
    let error = error.to_string();
    assert!(error.starts_with("faults: they are of the fabric with identity 0x"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Packets and credits add up in every cycle that is looked at.
    #[test]
    fn packets_and_credits_add_up(
        seed: u64,
        local_links in 1..=3_u16,
        scheme in prop::sample::select(&Scheme::ALL[..]),
        paths in prop::sample::select(&PATHS[..]),
        channels in prop::sample::select(&VcScheme::FOR_ANY[..]),
        gaps in prop::collection::vec(1..400_u32, 1..5),
        delays in (0..300_u32, 0..300_u32),
        load in 0.05..1.0,
        random_channels: bool,
    ) {
        let images = fabric_images([2, 4, 2, 9], local_links, channels);
        let fabric = boot(&images);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut cycle = 100;
        let entries: Vec<(u32, FaultSet)> = gaps.iter().enumerate().map(|(number, gap)| {
            cycle += gap;
            let all_mended = number > 0 && number + 1 == gaps.len();
            let most = if all_mended { [0; 3] } else { [3, 8, 8] };
            (cycle, some(&fabric, most, &mut rng))
        }).collect();
        let delay = delays.0.min(delays.1)..=delays.0.max(delays.1);
        let schedule = FaultSchedule::new(&fabric, &entries, delay).unwrap();
        let mut settings = tight(scheme, paths);
        if random_channels {
            settings.injection = tvlb_table_set::Injection::Random;
        }
        let traffic = uniform(&fabric);
        let mut run = Run::with_faults(&fabric, &settings, &traffic, load, seed, &schedule).unwrap();
        while run.now() < cycle + 400 {
            run.advance(1 + u32::try_from(seed % 17).unwrap()).unwrap();
            run.inspect().unwrap();
        }
    }
}

/// MIN on two channels, full buffers everywhere: no deadlock forms, and no run in which parts die begins.
#[test]
fn min_runs_on_two_channels_where_nothing_dies() {
    let images = small();
    let fabric = boot(&images);
    let settings = Settings { virtual_channels: Some(2), ..tight(Scheme::Min, PATHS[0]) };
    for pattern in [Pattern::Uniform, Pattern::Shift { groups: 2, switches: 1 }] {
        let traffic = Traffic::new(&pattern, fabric.dragonfly(), 1).unwrap();
        let mut run = Run::new(&fabric, &settings, &traffic, 1.0, 1).unwrap();
        run.advance(20_000).unwrap();
        run.inspect().unwrap();
    }
    let faults = one_cable(&fabric, ports(&fabric, true)[0]);
    let schedule = FaultSchedule::new(&fabric, &[(100, faults)], 0..=0).unwrap();
    let traffic = uniform(&fabric);
    let refused = Run::with_faults(&fabric, &settings, &traffic, 0.1, 1, &schedule);
    assert_eq!(
        refused.err().unwrap().to_string(),
        "2 virtual channels, but min needs 4 under \"ordered\": if links are dead or missing, MIN \
         packets go around them, or by VLB; fewer could deadlock"
    );
}
