//! An explanation is the decision: made from the same things it has the same outcome, and what it
//! says of the candidates leads to that outcome.

use rand_core::SeedableRng;
use tvlb_firmware_model::{
    Candidate, Choice, DefaultRng, Header, Kind, Scheme, Stage, Step, VlbPaths,
};
use tvlb_generator::topology::arrangement::Arrangement;
use tvlb_schema::Node;

/// Credits that differ from port to port.
const CREDITS: [u32; 11] = [0, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3];

fn takes_min(min: Candidate, vlb: Candidate, threshold: i16) -> bool {
    let cost = |candidate: Candidate| i64::try_from(candidate.cost).expect("it is small");
    assert_eq!(min.cost, u64::from(min.queue) * u64::from(min.hops));
    assert_eq!(min.queue, CREDITS[usize::from(min.port.0)]);
    cost(min) <= cost(vlb) + i64::from(threshold)
}

#[test]
fn explanations_are_the_decisions() {
    let fabric = tvlb_tests::arranged((2, 4, 2, 9), Arrangement::Absolute);
    let generated = tvlb_tests::images(&tvlb_tests::with_set(fabric, "strategic-2-3 by shape"));
    let switches = tvlb_tests::boot(&generated);
    let mut seen = [0; 2];
    for switch in &switches {
        for node in 0..72 {
            for scheme in [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
                for paths in [VlbPaths::Conventional, VlbPaths::Custom] {
                    let seed = u64::from(node);
                    let rng = || DefaultRng::seed_from_u64(seed);
                    let credits = CREDITS.as_slice();
                    let admission =
                        switch.admit(Node(node), scheme, paths, credits, &mut rng()).unwrap();
                    let why =
                        switch.explain(Node(node), scheme, paths, credits, &mut rng()).unwrap();
                    assert_eq!(why.outcome, admission);
                    if let (Some(min), Some(vlb)) = (why.min, why.vlb) {
                        let expected = takes_min(min, vlb, why.threshold);
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
    assert!(seen[0] > 1000 && seen[1] > 1000, "{seen:?}");
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
        let node = Node(u32::try_from(20 + seed % 52).unwrap());
        let first = &switches[0];
        let admission =
            first.admit(node, Scheme::Par, VlbPaths::Custom, idle.as_slice(), &mut rng()).unwrap();
        let Step::Send { port, header, .. } = admission.step else { panic!() };
        let (_, index) = first.neighbour(port).unwrap();
        let (second, credits) = (&switches[usize::from(index.0)], CREDITS.as_slice());
        let is_open = header.stage() == Stage::SourceLocal && header.kind() == Some(Kind::OpenMin);
        if header.stage() != Stage::SourceLocal {
            continue;
        }
        let outcome = second.reconsider(header, VlbPaths::Custom, credits, &mut rng()).unwrap();
        let why = second.explain_again(header, VlbPaths::Custom, credits, &mut rng()).unwrap();
        assert_eq!(why.outcome, outcome);
        assert_eq!(is_open, why.min.is_some());
        if let (Some(min), Some(vlb)) = (why.min, why.vlb) {
            let expected = takes_min(min, vlb, why.threshold);
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
    assert_eq!((why.outcome, why.min, why.vlb), (header, None, None));
}
