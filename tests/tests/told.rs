//! UGAL by the group: what the other switches of the group have told of their global ports is part of the queue of
//! UGAL-L's candidates that begin with a local hop, and of nothing else.

use rand_core::SeedableRng;
use tvlb_firmware_model::{
    Admission, Candidate, Credits, DefaultRng, Explanation, GroupQueues, Scheme, Step, Switch,
    VlbPaths,
};
use tvlb_schema::{GlobalPort, NodeId, Port};
use tvlb_table_set::OpenWeighing;
use tvlb_tests::{boot, images, shipped, with_set};

/// By port, of seven.
const CREDITS: [u32; 7] = [0, 0, 9, 7, 8, 5, 6];

fn told() -> GroupQueues<2> {
    let mut told = GroupQueues::new(32);
    (0..8_u8).for_each(|port| told.tell(GlobalPort(port.into()), port * 3 % 4));
    told
}

/// The queue that a candidate is to have, and whether what is told is part of it.
fn expected(switch: &Switch<'_>, candidate: Candidate, is_told: bool) -> (u32, bool) {
    let df = switch.image().fabric().dragonfly();
    let own = CREDITS[candidate.port.as_usize()];
    let counts = is_told && !df.is_slot(candidate.port);
    (own + if counts { told().queue(candidate.x) } else { 0 }, counts)
}

/// A decision by random numbers that the node alone decides.
fn explained(
    switch: &Switch<'_>,
    (node, scheme): (NodeId, Scheme),
    credits: &(impl Credits + ?Sized),
) -> Explanation<Admission> {
    let mut rng = DefaultRng::seed_from_u64(node.0.into());
    switch.explain(node, scheme, VlbPaths::Custom, credits, &mut rng).unwrap()
}

#[test]
fn candidates_by_a_local_hop_cost_what_was_told() {
    let mut fabric = with_set(shipped("dfly-2-4-2-9.toml"), "all");
    let candidates = "2x4".parse().ok();
    let open = OpenWeighing { candidates, ..OpenWeighing::default() };
    fabric.file.policies.weighing = tvlb_schema::PerDecision::same(open);
    let generated = images(&fabric);
    let (queues, mut seen) = (told(), [0; 2]);
    for switch in &boot(&generated) {
        let (df, group) = (*switch.image().fabric().dragonfly(), switch.image().group());
        let credits = CREDITS.as_slice();
        let beside = queues.beside(credits);
        for node in (0..72).map(NodeId) {
            for scheme in [Scheme::UgalL, Scheme::Par] {
                let why = explained(switch, (node, scheme), &beside);
                let is_outside = df.place(df.switch_of(node).0).0 != group;
                let is_told = scheme == Scheme::UgalL && is_outside;
                for candidate in why.min_drawn.iter().chain(why.vlb_drawn.iter()) {
                    let (queue, counts) = expected(switch, candidate, is_told);
                    assert_eq!(candidate.queue, queue);
                    assert_eq!(candidate.cost, u64::from(queue) * u64::from(candidate.hops));
                    seen[usize::from(counts)] += 1;
                }
                // Nothing told is UGAL-L.
                let empty = GroupQueues::<2>::new(32);
                let plain = explained(switch, (node, scheme), credits);
                assert_eq!(explained(switch, (node, scheme), &empty.beside(credits)), plain);
                assert!(is_told || why == plain);
                let mut rng = DefaultRng::seed_from_u64(node.0.into());
                let admitted = switch.admit(node, scheme, VlbPaths::Custom, &beside, &mut rng);
                assert_eq!(admitted.unwrap(), why.outcome);
            }
        }
    }
    assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
}

#[test]
fn packets_leave_by_the_channel_of_which_the_queue_is_told() {
    for (assignment, expected) in tvlb_schema::VcScheme::ALL.into_iter().zip([0, 1, 0, 0]) {
        let mut fabric = with_set(shipped("dfly-2-4-2-9.toml"), "all");
        fabric.file.virtual_channels = Some(assignment);
        let generated = images(&fabric);
        let switches = boot(&generated);
        assert_eq!(switches[0].leaving_channel(), expected);
        let idle = [0_u32; 7];
        let mut seen = 0;
        for node in (8..72).map(NodeId) {
            let mut rng = DefaultRng::seed_from_u64(1);
            let first = switches[0].admit(node, Scheme::Min, VlbPaths::Custom, &idle[..], &mut rng);
            let Step::Send { port, header, .. } = first.unwrap().step else {
                continue;
            };
            if port.0 > 4 {
                continue;
            }
            let (_, index) = switches[0].neighbour(Port(port.0)).unwrap();
            let next = switches[index.as_usize()].forward(header).unwrap();
            if let Step::Send { virtual_channel, .. } = next {
                assert_eq!(virtual_channel, expected);
                seen += 1;
            }
        }
        assert!(seen > 10, "{seen}");
    }
}
