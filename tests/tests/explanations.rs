//! An explanation is the decision: made from the same things it has the same outcome, and what it
//! says of the candidates leads to that outcome.

use rand_core::SeedableRng;
use tvlb_firmware_model::{
    Candidate, Choice, Credits, DefaultRng, Header, Kind, NotDrawn, Scheme, Stage, Step, VlbPaths,
};
use tvlb_schema::{NodeId, Port};
use tvlb_table_set::OpenWeighing;
use tvlb_topology::arrangement::Arrangement;

/// Credits that differ from port to port; one port to another switch is idle.
const CREDITS: [u32; 11] = [0, 3, 1, 4, 0, 5, 9, 2, 6, 5, 3];

fn takes_min(min: Candidate, vlb: Candidate, threshold: i16) -> bool {
    let cost = |candidate: Candidate| i64::try_from(candidate.cost).expect("it is small");
    assert_eq!(min.cost, u64::from(min.queue) * u64::from(min.hops));
    assert_eq!(min.queue, CREDITS[min.port.as_usize()]);
    cost(min) <= cost(vlb) + i64::from(threshold)
}

#[test]
fn explanations_are_the_decisions() {
    let fabric = tvlb_tests::arranged((2, 4, 2, 9), Arrangement::Absolute);
    let generated = tvlb_tests::images(&tvlb_tests::with_set(fabric, "strategic-2-3 by shape"));
    let switches = tvlb_tests::boot(&generated);
    let (mut seen, mut sure) = ([0; 2], 0);
    for switch in &switches {
        for node in 0..72 {
            for scheme in [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
                for paths in [VlbPaths::Conventional, VlbPaths::Custom] {
                    let seed = u64::from(node);
                    let rng = || DefaultRng::seed_from_u64(seed);
                    let credits = CREDITS.as_slice();
                    let admission =
                        switch.admit(NodeId(node), scheme, paths, credits, &mut rng()).unwrap();
                    let why =
                        switch.explain(NodeId(node), scheme, paths, credits, &mut rng()).unwrap();
                    assert_eq!(why.outcome, admission);
                    if why.vlb == Err(NotDrawn::MinIsSure) {
                        let min = why.min.unwrap();
                        assert_eq!((admission.choice, min.queue), (Choice::Min, 0));
                        sure += 1;
                    }
                    if let (Some(min), Ok(vlb)) = (why.min, why.vlb) {
                        assert!(min.queue > 0);
                        let expected = takes_min(min, vlb, why.weighing.threshold);
                        assert_eq!(admission.choice == Choice::Min, expected);
                        seen[usize::from(expected)] += 1;
                        let chosen = if expected { min } else { vlb };
                        let Step::Send { port, header, .. } = admission.step else { panic!() };
                        assert_eq!((port, header.x()), (chosen.port, chosen.x));
                    }
                }
            }
        }
    }
    assert!(seen[0] > 1000 && seen[1] > 1000 && sure > 100, "{seen:?}, {sure}");
    let said = NotDrawn::MinIsSure.to_string();
    assert_eq!(said, "VLB not drawn: MIN's queue is empty, or its cost is otherwise at most T");
}

/// A source of random numbers that counts the words drawn.
struct Counting(u32);

impl rand_core::TryRng for Counting {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.0 += 1;
        Ok(self.0.wrapping_mul(0x9e37_79b9))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(u64::from(self.try_next_u32()?) << 32 | u64::from(self.try_next_u32()?))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(0);
        Ok(())
    }
}

/// As many credits of each port, and, where whole paths are weighed, as many along each path.
struct Same {
    used: u32,
    whole_paths: bool,
}

impl Credits for Same {
    fn used(&self, _: Port) -> u32 {
        self.used
    }

    fn weighed(&self, _: Port, _: Option<u8>, _: Header, hops: u8) -> (u32, u8) {
        (self.used, if self.whole_paths { 1 } else { hops })
    }
}

#[test]
fn vlb_is_drawn_only_where_it_might_be_taken() {
    let fabric = tvlb_tests::arranged((2, 4, 2, 9), Arrangement::Absolute);
    let mut fabric = tvlb_tests::with_set(fabric, "strategic-2-3 by shape");
    // Whether VLB is drawn at these thresholds and queues: MIN costs its queue at least, and at
    // most three times that where only the first port counts.
    for (threshold, used, drawn) in
        [(0, 0, false), (0, 1, true), (-1, 0, true), (30, 10, false), (9, 10, true), (10, 0, false)]
    {
        let open = OpenWeighing { threshold: Some(threshold), ..OpenWeighing::default() };
        fabric.file.policies.weighing = tvlb_schema::PerDecision::same(open);
        let generated = tvlb_tests::images(&fabric);
        let switch = &tvlb_tests::boot(&generated)[3];
        for (scheme, whole_paths) in
            [(Scheme::UgalL, false), (Scheme::Par, false), (Scheme::UgalL, true)]
        {
            for node in 8..72 {
                let (mut rng, credits) = (Counting(0), Same { used, whole_paths });
                let paths = VlbPaths::Custom;
                let admission =
                    switch.admit(NodeId(node), scheme, paths, &credits, &mut rng).unwrap();
                // There is one MIN path to each group, which takes no random number.
                assert_eq!(rng.0 > 0, drawn, "{scheme:?} to {node} at T = {threshold}");
                assert!(drawn || admission.choice == Choice::Min);
                let why = switch.explain(NodeId(node), scheme, paths, &credits, &mut Counting(0));
                let why = why.unwrap();
                assert_eq!(why.outcome, admission);
                assert_eq!(why.vlb == Err(NotDrawn::MinIsSure), !drawn);
            }
        }
    }
}

#[test]
fn second_looks_are_explained_too() {
    let fabric = tvlb_tests::arranged((2, 4, 2, 9), Arrangement::Absolute);
    let generated = tvlb_tests::images(&tvlb_tests::with_set(fabric, "strategic-2-3 by shape"));
    let switches = tvlb_tests::boot(&generated);
    let mut seen = [0; 2];
    for seed in 0..2000 {
        let rng = || DefaultRng::seed_from_u64(seed);
        let idle = [0_u32; 11];
        let node = NodeId(u32::try_from(20 + seed % 52).unwrap());
        let first = &switches[0];
        let admission =
            first.admit(node, Scheme::Par, VlbPaths::Custom, idle.as_slice(), &mut rng()).unwrap();
        let Step::Send { port, header, .. } = admission.step else { panic!() };
        let (_, index) = first.neighbour(port).unwrap();
        let (second, credits) = (&switches[index.as_usize()], CREDITS.as_slice());
        let is_open = header.stage() == Stage::SourceLocal && header.kind() == Some(Kind::OpenMin);
        if header.stage() != Stage::SourceLocal {
            continue;
        }
        let outcome = second.reconsider(header, VlbPaths::Custom, credits, &mut rng()).unwrap();
        let why = second.explain_again(header, VlbPaths::Custom, credits, &mut rng()).unwrap();
        assert_eq!(why.outcome, outcome);
        assert_eq!(is_open, why.min.is_some());
        if let (Some(min), Ok(vlb)) = (why.min, why.vlb) {
            let expected = takes_min(min, vlb, why.weighing.threshold);
            assert_eq!(outcome.kind() == Some(Kind::Min), expected);
            seen[usize::from(expected)] += 1;
        }
    }
    assert!(seen[0] > 50 && seen[1] > 50, "{seen:?}");
    // A packet on VLB gets no second look.
    let header = Header::from_bits(2);
    let why = switches[0]
        .explain_again(
            header,
            VlbPaths::Custom,
            CREDITS.as_slice(),
            &mut DefaultRng::seed_from_u64(1),
        )
        .unwrap();
    assert_eq!((why.outcome, why.min, why.vlb), (header, None, Err(NotDrawn::NoDecision)));
}
