//! What C tells of a decision beside what Rust tells of it.

use tvlb_firmware_c::{ALL_CHANNELS, tvlb_candidate, tvlb_explanation};
use tvlb_firmware_model::{Candidate, Drawn, Explanation, NotDrawn};

fn same(told: &tvlb_candidate, candidate: &Candidate) -> bool {
    let Candidate { x, y, detour, hops, port, virtual_channel, queue, cost } = *candidate;
    told.virtual_channel == virtual_channel.unwrap_or(ALL_CHANNELS)
        && (told.x, told.y, told.detour, told.port) == (x.0, y.0, detour.0.into(), port.0)
        && (told.hops, told.queue, told.cost) == (hops, queue, cost)
}

/// Whether C tells of a decision what Rust tells.
pub(crate) fn assert_same<T>(told: &tvlb_explanation, expected: &Explanation<T>) {
    let (min, vlb) = (usize::from(told.min_count), usize::from(told.vlb_count));
    let listed = |told: &[tvlb_candidate], drawn: &Drawn| {
        told.len() == drawn.len()
            && told.iter().zip(drawn.iter()).all(|(told, one)| same(told, &one))
    };
    assert!(listed(&told.min[..min], &expected.min_drawn));
    assert!(listed(&told.vlb[..vlb], &expected.vlb_drawn));
    assert!(
        told.min[min..].iter().chain(&told.vlb[vlb..]).all(|one| *one == tvlb_candidate::default())
    );
    if let Some(weighed) = expected.min {
        assert!(same(&told.min[usize::from(told.min_weighed)], &weighed));
    }
    match expected.vlb {
        Ok(weighed) => {
            assert_eq!(told.not_drawn, 0);
            assert!(same(&told.vlb[usize::from(told.vlb_weighed)], &weighed));
        }
        Err(why) => {
            let code = match why {
                NotDrawn::NoDecision => 1,
                NotDrawn::MinIsSure => 2,
                NotDrawn::GateIsShut => 3,
                NotDrawn::NoPath => 4,
            };
            assert_eq!(told.not_drawn, code);
        }
    }
    let gate = expected.gate.map(|look| (look.links, look.queue, look.sum, look.lets_vlb_in()));
    let told_gate = (told.gate_links, told.gate_queue, told.gate_sum, told.gate_open == 1);
    assert_eq!((told.gate_asked == 1).then_some(told_gate), gate);
    assert_eq!(told.weighing.threshold, expected.weighing.threshold);
    assert_eq!(told.weighing.vlb_candidates, expected.weighing.candidates.vlb());
}
