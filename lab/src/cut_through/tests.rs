//! Tests of the cut-through switches as a whole.

use super::*;
use crate::test_images::{absolute, dragonfly, images};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_schema::{Dragonfly, NodeId, SetRule, ShapeSet};
use tvlb_simulator::BootedFabric;
use tvlb_traffic::{Pattern, Traffic};

pub(super) struct Made {
    pub(super) df: Dragonfly,
    pub(super) images: crate::test_images::Images,
}

pub(super) fn small() -> Made {
    let df = dragonfly(2, 4, 2, 9);
    let images = images(&df, &absolute(&df), SetRule::whole(ShapeSet::ALL));
    Made { df, images }
}

pub(super) fn settings(routing: Routing) -> CutThrough {
    CutThrough {
        warm_up_cycles: 2000,
        measured_cycles: 4000,
        ..CutThrough::new(routing, VlbPaths::Conventional)
    }
}

/// Switches without output buffers, and with some.
fn crossbars(settings: &CutThrough) -> [CutThrough; 4] {
    [(None, 1), (Some(8), 1), (Some(20), 1), (Some(64), 3)].map(|(output_buffer_phits, speedup)| {
        CutThrough { output_buffer_phits, speedup, ..settings.clone() }
    })
}

/// A lone packet takes a cycle to be granted, the latency of each link, and as many cycles as it has phits, whether it
/// goes by output buffers or not.
#[test]
fn a_lone_packet_takes_what_its_links_take() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    for (source, destination) in [(0, 1), (0, 3), (0, 9), (5, 70), (17, 40)] {
        let pair = Pattern::pairs(&[(NodeId(source), NodeId(destination))]);
        let traffic = Traffic::new(&pair, &made.df, 1).unwrap();
        for settings in crossbars(&settings(Routing::Scheme(Scheme::Min))) {
            let sending = Sending::Burst(1);
            let run = CutThroughRun::new(&fabric, &settings, &traffic, sending, 1).unwrap();
            let outcome = run.measure(&()).unwrap();
            assert_eq!(outcome.all.packets, 1);
            let expected = 1.0 + 10.0 * outcome.local_hops + 100.0 * outcome.global_hops + 8.0;
            assert!((outcome.all.latency - expected).abs() < 1e-9, "{source} to {destination}");
            assert_eq!(outcome.cycles, outcome.all.most);
        }
    }
}

/// What a run takes before it has a packet follows from the sizes, and too much is refused.
#[test]
fn a_network_that_is_too_large_is_known_before_it_is_made() {
    use tvlb_simulator::parts::{MOST_EMPTY, check_memory};
    let settings = settings(Routing::Scheme(Scheme::Par));
    let bytes = |df: &Dragonfly| settings.bytes(df);
    let check = |df: &Dragonfly| check_memory(bytes(df), MOST_EMPTY, String::new);
    assert_eq!(check(&dragonfly(2, 4, 2, 9)), Ok(()));
    assert_eq!(check(&dragonfly(13, 26, 13, 27)), Ok(()));
    assert!(check(&dragonfly(127, 128, 1, 129)).is_err());
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let with_buffers = CutThrough { output_buffer_phits: Some(64), ..settings.clone() };
    let weighing = CutThrough {
        routing: Routing::Piggybacking(Piggybacking {
            percent: 200,
            packets: 5,
            like_fogsim: false,
        }),
        ..settings.clone()
    };
    for more in [with_buffers, weighing] {
        assert!(more.bytes(fabric.dragonfly()) > bytes(fabric.dragonfly()));
    }
}

/// A node receives one phit in each cycle and no more, whichever nodes send.
#[test]
fn a_burst_takes_as_long_as_its_receiver() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let pairs = [(0, 3), (7, 3), (40, 3)].map(|(s, d)| (NodeId(s), NodeId(d)));
    let settings = settings(Routing::Scheme(Scheme::Min));
    // A pattern of pairs is a map, so one source for each; three bursts into one node.
    let traffic = Traffic::new(&Pattern::pairs(&pairs), &made.df, 1).unwrap();
    let settings = CutThrough { measured_cycles: 100_000, ..settings };
    for settings in crossbars(&settings) {
        let sending = Sending::Burst(300);
        let run = CutThroughRun::new(&fabric, &settings, &traffic, sending, 1).unwrap();
        let outcome = run.measure(&()).unwrap();
        assert_eq!(outcome.all.packets, 900);
        let least = 900 * 8;
        assert!((least..least + 40).contains(&outcome.cycles), "{}", outcome.cycles);
    }
}

/// A packet at the head of an input waits for its output only as long as the output buffer is full, so that more is
/// accepted; and all is accounted for at full load.
#[test]
fn output_buffers_and_a_faster_crossbar_let_more_through() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let traffic = Traffic::new(&Pattern::UniformOthers, &made.df, 1).unwrap();
    for scheme in [Scheme::Min, Scheme::UgalL, Scheme::Par] {
        let plain = settings(Routing::Scheme(scheme));
        let accepted = |output_buffer_phits, speedup| {
            let settings = CutThrough { output_buffer_phits, speedup, ..plain.clone() };
            let sending = Sending::Load(1.0);
            let mut run = CutThroughRun::new(&fabric, &settings, &traffic, sending, 1).unwrap();
            for _ in 0..8 {
                run.advance(250).unwrap();
                run.inspect().unwrap();
            }
            let run = CutThroughRun::new(&fabric, &settings, &traffic, sending, 1).unwrap();
            run.measure(&()).unwrap().all.accepted
        };
        let (none, same, twice) = (accepted(None, 1), accepted(Some(64), 1), accepted(Some(64), 2));
        assert!(same > none && twice > 1.05 * none, "{scheme:?}: {none} {same} {twice}");
    }
}

/// What UGAL-L sees of its first link alone misleads it where the queue is at another one.
#[test]
fn ugal_g_sees_the_queues_of_other_switches() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let traffic = Traffic::new(&Pattern::NextGroup { groups: 2 }, &made.df, 1).unwrap();
    let run = |routing| {
        let settings = settings(routing);
        let sending = Sending::Load(0.25);
        let run = CutThroughRun::new(&fabric, &settings, &traffic, sending, 1).unwrap();
        run.measure(&()).unwrap().all
    };
    let (own, all) = (run(Routing::Scheme(Scheme::UgalL)), run(Routing::UgalG));
    assert!(all.latency < 0.9 * own.latency, "{} {}", all.latency, own.latency);
    assert!(all.vlb_share > own.vlb_share, "{} {}", all.vlb_share, own.vlb_share);
}

/// Every routing delivers what is offered at a low load, and the same again with the same seed.
#[test]
fn what_is_offered_is_delivered() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let traffic = Traffic::new(&Pattern::UniformOthers, &made.df, 1).unwrap();
    let pb = Piggybacking { percent: 200, packets: 5, like_fogsim: false };
    let routings = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par].map(Routing::Scheme);
    let others = [Routing::UgalG, Routing::Piggybacking(pb)];
    let routings = routings.into_iter().chain(others);
    for settings in routings.flat_map(|routing| crossbars(&settings(routing))) {
        let routing = settings.routing;
        let run = |seed| {
            let sending = Sending::Load(0.2);
            let run = CutThroughRun::new(&fabric, &settings, &traffic, sending, seed).unwrap();
            run.measure(&()).unwrap()
        };
        let one = run(1);
        assert!((one.all.accepted - 0.2).abs() < 0.02, "{}: {}", routing.name(), one.all.accepted);
        assert!((one.generated - 0.2).abs() < 0.02);
        assert_eq!(one, run(1));
        assert_ne!(one, run(2));
        assert_eq!(one.all.packets_by_hops.iter().sum::<u64>(), one.all.packets);
        assert_eq!(one.all.vlb_share > 0.9, routing == Routing::Scheme(Scheme::Vlb));
        assert_eq!(one.all.vlb_share == 0.0, routing == Routing::Scheme(Scheme::Min));
    }
}

/// MIN from group to group: p·a nodes share one cable, whatever the load.
#[test]
fn minimal_traffic_between_groups_is_bounded_by_its_cables() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let traffic = Traffic::new(&Pattern::NextGroup { groups: 2 }, &made.df, 1).unwrap();
    let settings = CutThrough { warm_up_cycles: 6000, ..settings(Routing::Scheme(Scheme::Min)) };
    let run = CutThroughRun::new(&fabric, &settings, &traffic, Sending::Load(1.0), 1).unwrap();
    let outcome = run.measure(&()).unwrap();
    assert!(outcome.all.accepted <= 1.0 / 8.0 + 1e-3, "{}", outcome.all.accepted);
    assert!(outcome.all.accepted > 0.12, "{}", outcome.all.accepted);
    assert!(outcome.global_links.most > 0.98);
    assert!(outcome.generated < 0.2, "queues are full");
}

/// Each node sends one packet to every other, and nothing is left.
#[test]
fn all_send_to_all() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let traffic = Traffic::new(&Pattern::Uniform, &made.df, 1).unwrap();
    let settings =
        CutThrough { measured_cycles: 100_000, ..settings(Routing::Scheme(Scheme::Min)) };
    let run = CutThroughRun::new(&fabric, &settings, &traffic, Sending::AllToAll, 1).unwrap();
    let outcome = run.measure(&()).unwrap();
    assert_eq!(outcome.all.packets, 72 * 71);
    assert!(outcome.cycles >= 71 * 8);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let traffic = Traffic::new(&Pattern::Uniform, &made.df, 1).unwrap();
    let refused = |change: &dyn Fn(&mut CutThrough), sending| {
        let mut settings = settings(Routing::Scheme(Scheme::UgalL));
        change(&mut settings);
        CutThroughRun::new(&fabric, &settings, &traffic, sending, 1).err().unwrap().to_string()
    };
    let load = Sending::Load(0.1);
    insta::assert_snapshot!(
        [
            refused(&|s| s.local.virtual_channels = Some(2), load),
            refused(&|s| s.global.virtual_channels = Some(9), load),
            refused(&|s| s.packet_phits = 0, load),
            refused(&|s| s.local.phits = 7, load),
            refused(&|s| s.rounds = 5, load),
            refused(&|s| s.speedup = 2, load),
            refused(&|s| (s.speedup, s.output_buffer_phits) = (5, Some(64)), load),
            refused(&|s| s.output_buffer_phits = Some(7), load),
            refused(&|_| {}, Sending::Load(1.5)),
            refused(&|_| {}, Sending::Burst(0)),
        ]
        .join("\n"),
        @r#"
    2 virtual channels on local links, accepted 4 to 8: ugal-l needs 4 there under "ordered", and fewer could deadlock
    global-channels is 9, accepted 1 to 8
    packet is 0, accepted 1 to 1000
    local-buffer is 7, accepted 8 to 60000
    rounds is 5, accepted 1 to 4
    speedup is 2 without output buffers, accepted 1, or an output buffer
    speedup is 5, accepted 1 to 4
    output-buffer is 7, accepted 8 to 60000
    load is 1.5, accepted above 0 and at most 1 (phits per node and cycle)
    packets of a burst is 0, accepted 1 to 1000000
    "#
    );
}

/// The share of detours by windows of a run of piggybacking in whose course traffic changes.
#[test]
fn detours_come_and_go_with_adversarial_traffic() {
    let made = small();
    let fabric = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let mut settings = settings(Routing::Piggybacking(Piggybacking {
        percent: 200,
        packets: 5,
        like_fogsim: false,
    }));
    (settings.warm_up_cycles, settings.measured_cycles) = (4000, 8000);
    let pattern = "uniform-others then next-group from 4000 then uniform-others from 8000";
    let traffic = Traffic::new(&pattern.parse().unwrap(), &made.df, 1).unwrap();
    let load = Sending::Load(0.2);
    let mut run = CutThroughRun::new(&fabric, &settings, &traffic, load, 1).unwrap();
    run.record_series(std::num::NonZeroU32::new(1000).unwrap());
    let outcome = run.measure(&()).unwrap();
    let windows = outcome.series.unwrap().windows;
    assert_eq!(windows.len(), 12);
    let vlb = |at: usize| windows[at].vlb_share.unwrap();
    assert!(vlb(6) > 1.6 * vlb(2) && vlb(6) > 1.6 * vlb(11), "{windows:?}");
    let measured: f64 = windows[4..].iter().map(|window| window.accepted).sum::<f64>() / 8.0;
    assert!((measured - outcome.all.accepted).abs() < 1e-9, "{measured} {}", outcome.all.accepted);
    // Nodes that send all that they have at once have no time for it.
    let refused = CutThroughRun::new(&fabric, &settings, &traffic, Sending::Burst(3), 1);
    assert!(refused.err().unwrap().to_string().contains("accepted a load"));
}
