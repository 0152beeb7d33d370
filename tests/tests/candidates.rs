//! Decisions with several candidates, with a gate and by single virtual channels: what is drawn, and what is weighed.

use proptest::prelude::*;
use rand_core::SeedableRng;
use std::ops::Range;
use std::sync::LazyLock;
use tvlb_firmware_model::{
    Candidate, Choice, Credits, DefaultRng, Drawn, Error, Explanation, Header, Kind, NotDrawn,
    Scheme, Stage, Step, Switch, VlbPaths,
};
use tvlb_generator::tables::Generated;
use tvlb_schema::{
    Candidates, Decision, FabricImage, Gate, MinCandidate, NodeId, Port, Queue, VcScheme,
};
use tvlb_simulator::Revision;
use tvlb_table_set::OpenWeighing;
use tvlb_topology::arrangement::Arrangement;

/// dfly(2, 4, 4, 9): two links between any two groups, so that MIN candidates differ.
static GENERATED: LazyLock<Generated> = LazyLock::new(|| {
    let fabric = tvlb_tests::arranged((2, 4, 4, 9), Arrangement::Absolute);
    tvlb_tests::images(&tvlb_tests::with_set(fabric, "strategic-2-3 by shape"))
});
/// Ports of a switch, and the first that is for a link.
const PORTS: usize = 9;
const FIRST_LINK: usize = 2;
const FIRST_GLOBAL: usize = 5;

/// The schemes that weigh, and whether they weigh by whole paths.
const SCHEMES: [(Scheme, bool); 3] =
    [(Scheme::UgalL, false), (Scheme::Par, false), (Scheme::UgalL, true)];

/// The virtual channels of a packet's first local and first global link after PAR's second look.
const fn after_second_look(assignment: VcScheme) -> [u8; 2] {
    match assignment {
        VcScheme::Ordered => [1, 0],
        VcScheme::PerHop => [1, 1],
        VcScheme::Positional => [4, 0],
        VcScheme::UpDown => [0, 0],
    }
}

/// Images that weigh so, by the queues of ports.
fn revised(
    threshold: i16,
    [min, vlb]: [u8; 2],
    sixteenths: u8,
    second: MinCandidate,
) -> Vec<Vec<u8>> {
    revised_by(threshold, [min, vlb], sixteenths, second, (Queue::Port, VcScheme::Ordered))
}

/// Images that weigh so.
fn revised_by(
    threshold: i16,
    [min, vlb]: [u8; 2],
    sixteenths: u8,
    second: MinCandidate,
    (queue, assignment): (Queue, VcScheme),
) -> Vec<Vec<u8>> {
    let revision = Revision {
        weighing: OpenWeighing {
            threshold: Some(threshold),
            candidates: Some(Candidates::new(min, vlb).unwrap()),
            gate: Some(Gate::of_sixteenths(sixteenths)),
            queue: Some(queue),
            onward: None,
            second_min: Some(second),
        },
        vc_scheme: Some(assignment),
    };
    revision.apply(&GENERATED.images.fabric, &GENERATED.images.switches).unwrap()
}

fn booted<'i>(fabric: &FabricImage<'i>, images: &'i [Vec<u8>], switch: usize) -> Switch<'i> {
    Switch::boot_in(fabric, &images[switch]).unwrap()
}

/// By port the credits of its virtual channels.
struct Queues([[u32; 5]; PORTS]);

impl Queues {
    /// All on virtual channel 3, which no packet takes first.
    fn of_ports(used: [u32; PORTS]) -> Self {
        Self(used.map(|used| [0, 0, 0, used, 0]))
    }
}

impl Credits for Queues {
    fn used(&self, port: Port) -> u32 {
        self.0[port.as_usize()].iter().sum()
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        Some(self.0[port.as_usize()][usize::from(virtual_channel)])
    }
}

/// The same credits, and a queue along each path that is a number which its header decides.
struct WholePaths<'q>(&'q Queues);

impl Credits for WholePaths<'_> {
    fn used(&self, port: Port) -> u32 {
        self.0.used(port)
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        self.0.used_on(port, virtual_channel)
    }

    fn weighed(&self, _: Port, _: Option<u8>, header: Header, _: u8) -> (u32, u8) {
        (u32::try_from((header.bits() >> 8).wrapping_mul(0x9e37_79b9) >> 5 & 63).unwrap(), 1)
    }
}

/// The first of the cheapest.
fn cheapest(drawn: &Drawn) -> Option<Candidate> {
    let mut best: Option<Candidate> = None;
    for candidate in drawn.iter() {
        if best.is_none_or(|best| candidate.cost < best.cost) {
            best = Some(candidate);
        }
    }
    best
}

/// What an explanation says leads to its choice, where packets take these virtual channels first, of local and of
/// global links. Returns whether that is VLB.
fn assert_follows<T>(
    why: &Explanation<T>,
    credits: &Queues,
    mins: usize,
    [local, global]: [u8; 2],
) -> bool {
    let weighing = why.weighing;
    let channel_at = |port: usize| match weighing.queue {
        Queue::Port => None,
        Queue::Channel => Some(if port < FIRST_GLOBAL { local } else { global }),
    };
    let queue_at = |port: usize| match channel_at(port) {
        None => credits.0[port].iter().sum::<u32>(),
        Some(channel) => credits.0[port][usize::from(channel)],
    };
    for drawn in why.min_drawn.iter().chain(why.vlb_drawn.iter()) {
        assert_eq!(drawn.virtual_channel, channel_at(drawn.port.as_usize()));
    }
    assert_eq!(why.min_drawn.len(), mins);
    assert_eq!(why.min, cheapest(&why.min_drawn));
    let min = why.min.unwrap();
    let min_cost = i64::try_from(min.cost).unwrap();
    let threshold = i64::from(weighing.threshold);
    assert_eq!(why.vlb == Err(NotDrawn::MinIsSure), min_cost <= threshold);
    if min_cost <= threshold {
        assert_eq!((why.gate, why.vlb_drawn.len()), (None, 0));
        return false;
    }
    assert_eq!(why.gate.is_some(), !weighing.gate.is_none());
    if let Some(look) = why.gate {
        let sum: u32 = (FIRST_LINK..PORTS).map(queue_at).sum();
        assert_eq!((look.links, look.sum, look.gate), (7, sum, weighing.gate));
        assert_eq!(look.queue, queue_at(min.port.as_usize()));
        // queue > c · sum / links.
        let is_open = 16 * look.queue * 7 > u32::from(weighing.gate.sixteenths()) * sum;
        assert_eq!(look.lets_vlb_in(), is_open);
        assert_eq!(why.vlb == Err(NotDrawn::GateIsShut), !is_open);
        if !is_open {
            assert_eq!(why.vlb_drawn.len(), 0);
            return false;
        }
    }
    assert_eq!(why.vlb_drawn.len(), usize::from(weighing.candidates.vlb()));
    assert_eq!(why.vlb.ok(), cheapest(&why.vlb_drawn));
    min_cost > i64::try_from(why.vlb.unwrap().cost).unwrap() + threshold
}

/// What queues are, and how virtual channels are assigned.
fn by_what() -> impl Strategy<Value = (Queue, VcScheme)> {
    let (queues, assignments) = (Queue::ALL.to_vec(), VcScheme::ALL.to_vec());
    (prop::sample::select(queues), prop::sample::select(assignments))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_cheapest_of_each_kind_are_weighed(
        threshold in prop_oneof![Just(0_i16), -60_i16..60],
        min in 1_u8..=8,
        vlb in 1_u8..=8,
        sixteenths in prop_oneof![Just(0_u8), 1..64_u8, Just(255)],
        queues in prop::array::uniform9(prop::array::uniform5(0_u32..9)),
        by in by_what(),
        conventional: bool,
        at in 0_usize..36,
        seed: u64,
    ) {
        let images = revised_by(threshold, [min, vlb], sixteenths, MinCandidate::Kept, by);
        let fabric = FabricImage::decode(&GENERATED.images.fabric).unwrap();
        let switch = booted(&fabric, &images, at);
        let (credits, group) = (Queues(queues), at / 4);
        let paths = if conventional { VlbPaths::Conventional } else { VlbPaths::Custom };
        for node in (0..72).filter(|node| node / 8 != group) {
            let node = NodeId(u32::try_from(node).unwrap());
            for (scheme, along) in SCHEMES {
                let rng = || DefaultRng::seed_from_u64(seed);
                let known: &dyn Credits = if along { &WholePaths(&credits) } else { &credits };
                let admission = switch.admit(node, scheme, paths, known, &mut rng()).unwrap();
                let why = switch.explain(node, scheme, paths, known, &mut rng()).unwrap();
                prop_assert_eq!(why.outcome, admission);
                let is_vlb = assert_follows(&why, &credits, min.into(), [0, 0]);
                prop_assert_eq!(admission.choice, if is_vlb { Choice::Vlb } else { Choice::Min });
                let chosen = if is_vlb { why.vlb.unwrap() } else { why.min.unwrap() };
                let Step::Send { port, virtual_channel, header } = admission.step else {
                    panic!()
                };
                prop_assert_eq!((port, header.x()), (chosen.port, chosen.x));
                // The channel that counts is the one that the packet takes.
                prop_assert_eq!(chosen.virtual_channel.unwrap_or(0), virtual_channel);
                if !along {
                    for drawn in why.min_drawn.iter().chain(why.vlb_drawn.iter()) {
                        let of_port = queues[drawn.port.as_usize()];
                        let queue = match drawn.virtual_channel {
                            None => of_port.iter().sum::<u32>(),
                            Some(channel) => of_port[usize::from(channel)],
                        };
                        prop_assert_eq!(drawn.queue, queue);
                        prop_assert_eq!(drawn.cost, u64::from(drawn.queue) * u64::from(drawn.hops));
                    }
                }
            }
        }
    }

    #[test]
    fn second_looks_weigh_candidates_of_their_own(
        min in 1_u8..=8,
        vlb in 1_u8..=8,
        sixteenths in prop_oneof![Just(0_u8), 1..64_u8],
        queues in prop::array::uniform9(prop::array::uniform5(0_u32..9)),
        by in by_what(),
        second in prop::sample::select(MinCandidate::ALL.to_vec()),
        seed: u64,
    ) {
        let images = revised_by(0, [min, vlb], sixteenths, second, by);
        let fabric = FabricImage::decode(&GENERATED.images.fabric).unwrap();
        let first = booted(&fabric, &images, 0);
        let (credits, idle) = (Queues(queues), Queues::of_ports([0; PORTS]));
        let (paths, mut rng) = (VlbPaths::Custom, DefaultRng::seed_from_u64(seed));
        for node in 8..72 {
            let node = NodeId(node);
            let sent = first.admit(node, Scheme::Par, paths, &idle, &mut rng).unwrap();
            let Step::Send { port, header, .. } = sent.step else { panic!() };
            let (_, index) = first.neighbour(port).unwrap();
            if header.stage() != Stage::SourceLocal {
                continue;
            }
            let second_switch = booted(&fabric, &images, index.as_usize());
            let rng = || DefaultRng::seed_from_u64(seed);
            let outcome = second_switch.reconsider(header, paths, &credits, &mut rng()).unwrap();
            let why = second_switch.explain_again(header, paths, &credits, &mut rng()).unwrap();
            prop_assert_eq!(why.outcome, outcome);
            // There is but one path to keep.
            let mins = if second == MinCandidate::Kept { 1 } else { min.into() };
            let is_vlb = assert_follows(&why, &credits, mins, after_second_look(by.1));
            prop_assert_eq!(outcome.kind(), Some(if is_vlb { Kind::Vlb } else { Kind::Min }));
            let chosen = if is_vlb { why.vlb.unwrap() } else { why.min.unwrap() };
            let Step::Send { port, virtual_channel, .. } = second_switch.forward(outcome).unwrap()
            else {
                panic!()
            };
            prop_assert_eq!(port, chosen.port);
            prop_assert_eq!(chosen.virtual_channel.unwrap_or(virtual_channel), virtual_channel);
        }
    }
}

/// How often VLB sets out by each port, where MIN costs more than anything else.
fn first_ports(vlb: u8, credits: &Queues, packets: u32) -> [u32; PORTS] {
    let images = revised(0, [1, vlb], 0, MinCandidate::Kept);
    let fabric = FabricImage::decode(&GENERATED.images.fabric).unwrap();
    let switch = booted(&fabric, &images, 3);
    let mut rng = DefaultRng::seed_from_u64(u64::from(vlb));
    let mut counts = [0; PORTS];
    for _ in 0..packets {
        let node = NodeId(40);
        let paths = VlbPaths::Custom;
        let sent = switch.admit(node, Scheme::UgalL, paths, credits, &mut rng).unwrap();
        let Step::Send { port, .. } = sent.step else { panic!() };
        counts[port.as_usize()] += 1;
    }
    counts
}

#[test]
fn a_free_port_is_found_as_often_as_so_many_draws_find_it() {
    const PACKETS: u32 = 40_000;
    let fabric = FabricImage::decode(&GENERATED.images.fabric).unwrap();
    let switch = booted(&fabric, &GENERATED.images.switches, 3);
    // The share of single draws that set out by each port.
    let mut single = [0_u32; PORTS];
    let mut rng = DefaultRng::seed_from_u64(5);
    for _ in 0..PACKETS {
        let node = NodeId(40);
        let busy = Queues::of_ports([9; PORTS]);
        let why = switch.explain(node, Scheme::UgalL, VlbPaths::Custom, &busy, &mut rng).unwrap();
        single[why.vlb.unwrap().port.as_usize()] += 1;
    }
    for (port, &count) in single.iter().enumerate().filter(|(_, count)| **count > 0) {
        // All other queues are long, so VLB sets out by this port if it was drawn, and MIN too if it
        // was; no MIN path of these leads over the port.
        let mut credits = Queues::of_ports([1000; PORTS]);
        credits.0[port] = [1, 0, 0, 0, 0];
        let share = f64::from(count) / f64::from(PACKETS);
        for candidates in [1, 2, 4, 8] {
            let found = first_ports(candidates, &credits, PACKETS)[port];
            let misses = (1.0 - share).powi(candidates.into());
            // MIN by this port is taken without a draw.
            let min = first_ports_of_min(&switch, port, PACKETS);
            let expected = min + (1.0 - min) * (1.0 - misses);
            let found = f64::from(found) / f64::from(PACKETS);
            let deviation = (expected * (1.0 - expected) / f64::from(PACKETS)).sqrt();
            // The share of single draws is an estimate as well.
            let slack = 6.0 * deviation * (1.0 + f64::from(candidates)) + 1e-9;
            assert!(
                (found - expected).abs() < slack,
                "port {port}, 1x{candidates}: {found} {expected}"
            );
        }
    }
}

/// The share of MIN paths that set out by a port, to the destination of the test above.
fn first_ports_of_min(switch: &Switch<'_>, port: usize, packets: u32) -> f64 {
    let mut rng = DefaultRng::seed_from_u64(9);
    let hits = (0..packets).filter(|_| {
        let node = NodeId(40);
        let idle = Queues::of_ports([0; PORTS]);
        let sent = switch.admit(node, Scheme::Min, VlbPaths::Custom, &idle, &mut rng).unwrap();
        matches!(sent.step, Step::Send { port: first, .. } if first.as_usize() == port)
    });
    f64::from(u32::try_from(hits.count()).unwrap()) / f64::from(packets)
}

#[test]
fn one_candidate_of_each_kind_takes_the_random_numbers_that_it_always_took() {
    let fabric = FabricImage::decode(&GENERATED.images.fabric).unwrap();
    let images = revised(0, [1, 1], 0, MinCandidate::Kept);
    assert_eq!(images, GENERATED.images.switches);
    // With a gate the draws are the same wherever VLB is weighed.
    let gated = revised(0, [1, 1], 20, MinCandidate::Kept);
    let credits = Queues::of_ports([3, 3, 0, 9, 1, 2, 30, 4, 0]);
    let (plain, gated) = (booted(&fabric, &images, 3), booted(&fabric, &gated, 3));
    let mut seen = [0; 2];
    for seed in 0..2000 {
        let node = NodeId(u32::try_from(8 + seed % 64).unwrap());
        let rng = || DefaultRng::seed_from_u64(seed);
        let of = |switch: &Switch<'_>| {
            switch.explain(node, Scheme::UgalL, VlbPaths::Custom, &credits, &mut rng()).unwrap()
        };
        let (plain, gated) = (of(&plain), of(&gated));
        assert_eq!(plain.min, gated.min);
        let is_open = gated.gate.is_some_and(tvlb_firmware_model::GateLook::lets_vlb_in);
        if is_open {
            assert_eq!((plain.vlb, plain.outcome), (gated.vlb, gated.outcome));
        }
        seen[usize::from(is_open)] += 1;
    }
    assert!(seen[0] > 100 && seen[1] > 100, "{seen:?}");
}

/// Credits that say another sum than that of their ports.
struct Running(u32);

impl Credits for Running {
    fn used(&self, _: Port) -> u32 {
        10
    }

    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        assert_eq!(ports, 2..9);
        self.0
    }
}

#[test]
fn a_running_sum_stands_in_the_place_of_the_ports() {
    let images = revised(0, [1, 1], 16, MinCandidate::Kept);
    let fabric = FabricImage::decode(&GENERATED.images.fabric).unwrap();
    let switch = booted(&fabric, &images, 3);
    // The gate of 1 is shut exactly where the mean is 10 or more.
    for (sum, is_open) in [(0, true), (69, true), (70, false), (u32::MAX, false)] {
        let mut rng = DefaultRng::seed_from_u64(1);
        let paths = VlbPaths::Custom;
        let why =
            switch.explain(NodeId(40), Scheme::UgalL, paths, &Running(sum), &mut rng).unwrap();
        assert_eq!(why.vlb == Err(NotDrawn::GateIsShut), !is_open, "{sum}");
        let verdict = if is_open { "VLB is weighed" } else { "MIN is taken" };
        assert_eq!(
            why.gate.unwrap().to_string(),
            format!("MIN's queue of 10 against 1 times the mean of {sum} over 7 links: {verdict}")
        );
    }
}

#[test]
fn a_switch_that_knows_only_sums_is_refused_single_channels() {
    let by = (Queue::Channel, VcScheme::Ordered);
    let images = revised_by(0, [1, 1], 0, MinCandidate::Kept, by);
    let fabric = FabricImage::decode(&GENERATED.images.fabric).unwrap();
    let switch = booted(&fabric, &images, 3);
    let (sums, paths, mut rng) = ([0_u32; PORTS], VlbPaths::Custom, DefaultRng::seed_from_u64(1));
    let mut admit = |scheme| switch.admit(NodeId(40), scheme, paths, &sums[..], &mut rng);
    assert_eq!(admit(Scheme::UgalL), Err(Error::SumsOnly { decision: Decision::UgalL }));
    let refused = admit(Scheme::Par).unwrap_err();
    insta::assert_snapshot!(refused, @"switch image: decision par-source counts the credits of single virtual channels (queue=channel), but this switch knows only their sums; accepted an image with queue=port, or credits by port and channel");
    // MIN and VLB decide nothing, nor does a packet to this switch.
    assert!(admit(Scheme::Min).is_ok() && admit(Scheme::Vlb).is_ok());

    // A switch that says what it knows is refused at boot, and at a replacement.
    assert!(matches!(switch.with_sums_only(), Err(Error::SumsOnly { .. })));
    let mut plain = booted(&fabric, &GENERATED.images.switches, 3).with_sums_only().unwrap();
    let refused = plain.replace(&GENERATED.images.fabric, &images[3], None);
    assert_eq!(refused, Err(Error::SumsOnly { decision: Decision::UgalL }));
    plain.replace(&GENERATED.images.fabric, &GENERATED.images.switches[3], None).unwrap();
}
