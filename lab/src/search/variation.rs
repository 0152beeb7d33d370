//! New mixtures: drawn at random, and varied from good ones.
//!
//! A mixture is a down-closed set of shapes, whole or with its largest shapes in part, drawn by route or by shape with
//! small whole weights, a threshold T, numbers of candidates, a gate, and at PAR's second look the MIN path that it
//! weighs. Or it is a set of intermediate switches with these. Drawn mixtures count queues by channel, as candidates
//! do. Every one is a valid [`Policy`] with at least one shape. The result depends on the generator of random numbers
//! alone.

use rand::{Rng, RngExt};
use tvlb_generator::choose::candidates::by_shape;
use tvlb_generator::policy::Policy;
use tvlb_schema::{
    Candidates, DrawRule, Gate, Keep, MinCandidate, Queue, SetRule, Shape, ShapeSet,
};

/// The largest weight: with a larger one, the other shapes are hardly drawn.
const MOST_WEIGHT: u16 = 16;
/// The largest absolute value of T; a local queue of 32 flits times 6 hops is 192.
const MOST_THRESHOLD: i16 = 96;
/// The steps in which T is changed.
const STRIDES: [i16; 4] = [2, 4, 8, 16];
/// The fractions in which a largest shape may be kept, in parts of 10,000.
const FRACTIONS: [u16; 4] = [2_500, 5_000, 7_500, 10_000];

/// How many candidates may be drawn, of MIN and of VLB: more cost a switch more than they gain.
const MIN_COUNTS: [u8; 3] = [1, 1, 2];
const VLB_COUNTS: [u8; 6] = [1, 2, 3, 4, 6, 8];
/// The range of gates in sixteenths: at the mean queue, and at the threefold.
const GATES: (u8, u8) = (16, 48);
/// The steps in which a gate is changed, in sixteenths.
const GATE_STRIDES: [u8; 3] = [1, 2, 4];

/// The decision that a mixture is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PolicyPlace {
    /// UGAL-L's only decision, or PAR's at the source.
    Source,
    /// PAR's second look.
    SecondLook,
}

/// A random mixture, whose set has this seed.
pub(super) fn drawn(seed: u64, place: PolicyPlace, rng: &mut impl Rng) -> Policy {
    let mut shapes = ShapeSet::only(Shape::all().next().expect("000 is the first shape"));
    for _ in 0..rng.random_range(1..Shape::COUNT) {
        if let Some(shape) = one_of(rng, &least_missing(shapes)) {
            shapes = shapes.or(ShapeSet::only(shape));
        }
    }
    let mut policy = Policy::from(SetRule { seed, ..SetRule::whole(shapes) });
    if rng.random_range(0..4) > 0 {
        let weights = std::array::from_fn(|_| 1 << rng.random_range(0..4_u32));
        policy.rule.draw = DrawRule::ByShape { weights };
    }
    if rng.random_range(0..4) == 0 {
        change_fraction(&mut policy, rng);
    }
    if rng.random_range(0..2) == 0 {
        change_threshold(&mut policy, rng);
    }
    // Most draw several candidates and have a gate, without which they take detours for nothing.
    if rng.random_range(0..4) > 0 {
        change_candidates(&mut policy, rng);
        change_gate(&mut policy, rng);
    }
    policy.weighing.queue = Queue::Channel;
    if place == PolicyPlace::SecondLook {
        change_min(&mut policy, rng);
    }
    plain(policy)
}

/// A mixture that differs from another in one to three points. If the shapes of a set of intermediate switches are to
/// change, it becomes the mixture of its walks' shapes.
pub(super) fn varied(from: &Policy, place: PolicyPlace, rng: &mut impl Rng) -> Policy {
    let mut policy = from.clone();
    for _ in 0..rng.random_range(1..=3) {
        let of_weighing = rng.random_range(0..2) == 0;
        if of_weighing {
            match (rng.random_range(0..4), place) {
                (0, _) => change_threshold(&mut policy, rng),
                (1, _) => change_candidates(&mut policy, rng),
                (2, PolicyPlace::SecondLook) => change_min(&mut policy, rng),
                _ => change_gate(&mut policy, rng),
            }
        } else {
            if !policy.rule.is_of_routes() {
                policy.rule = by_shape(&policy.rule);
            }
            match rng.random_range(0..8) {
                0 => change_fraction(&mut policy, rng),
                1 | 2 => add_shape(&mut policy, rng),
                3 => remove_shape(&mut policy, rng),
                4 => policy.rule.draw = DrawRule::ByRoute,
                _ => change_weight(&mut policy, rng),
            }
        }
        policy = plain(policy);
    }
    policy
}

fn change_candidates(policy: &mut Policy, rng: &mut impl Rng) {
    let min = MIN_COUNTS[rng.random_range(0..MIN_COUNTS.len())];
    let vlb = VLB_COUNTS[rng.random_range(0..VLB_COUNTS.len())];
    policy.weighing.candidates = Candidates::new(min, vlb).expect("each number is in range");
}

fn change_gate(policy: &mut Policy, rng: &mut impl Rng) {
    let (least, most) = GATES;
    let now = policy.weighing.gate.sixteenths();
    let sixteenths = if now == 0 {
        rng.random_range(least..=most)
    } else if rng.random_range(0..8) == 0 {
        0
    } else {
        let stride = GATE_STRIDES[rng.random_range(0..GATE_STRIDES.len())];
        let changed = if rng.random_range(0..2) == 0 {
            now.saturating_add(stride)
        } else {
            now.saturating_sub(stride)
        };
        changed.clamp(least, most)
    };
    policy.weighing.gate = Gate::of_sixteenths(sixteenths);
}

fn change_min(policy: &mut Policy, rng: &mut impl Rng) {
    policy.min = MinCandidate::ALL[rng.random_range(0..MinCandidate::ALL.len())];
}

fn change_threshold(policy: &mut Policy, rng: &mut impl Rng) {
    let stride = STRIDES[rng.random_range(0..STRIDES.len())];
    let stride = if rng.random_range(0..2) == 0 { stride } else { -stride };
    policy.weighing.threshold =
        (policy.weighing.threshold + stride).clamp(-MOST_THRESHOLD, MOST_THRESHOLD);
}

fn change_fraction(policy: &mut Policy, rng: &mut impl Rng) {
    if let Some(shape) = one_of(rng, &tops(policy.rule.shapes())) {
        let parts = FRACTIONS[rng.random_range(0..FRACTIONS.len())];
        policy.rule.keep[shape.number()] = Keep::new(parts).expect("each fraction is in range");
    }
}

fn add_shape(policy: &mut Policy, rng: &mut impl Rng) {
    if let Some(shape) = one_of(rng, &least_missing(policy.rule.shapes())) {
        policy.rule.keep[shape.number()] = Keep::ALL;
        if let DrawRule::ByShape { weights } = &mut policy.rule.draw {
            weights[shape.number()] = 1;
        }
    }
}

fn remove_shape(policy: &mut Policy, rng: &mut impl Rng) {
    if policy.rule.shapes().len() > 1
        && let Some(shape) = one_of(rng, &tops(policy.rule.shapes()))
    {
        policy.rule.keep[shape.number()] = Keep::NONE;
    }
}

fn change_weight(policy: &mut Policy, rng: &mut impl Rng) {
    let shapes: Vec<Shape> = policy.rule.shapes().iter().collect();
    let Some(shape) = one_of(rng, &shapes) else { return };
    let mut weights = [1; Shape::COUNT];
    if let DrawRule::ByShape { weights: known } = policy.rule.draw {
        weights = known;
    }
    let weight = &mut weights[shape.number()];
    *weight = match rng.random_range(0..3) {
        0 if *weight > 1 => *weight / 2,
        1 => (*weight * 3 / 2).max(*weight + 1),
        _ => *weight * 2,
    };
    policy.rule.draw = DrawRule::ByShape { weights };
}

/// The smallest shapes that a set lacks: with any of them added it is still down-closed.
fn least_missing(shapes: ShapeSet) -> Vec<Shape> {
    let with = |shape: Shape| shapes.or(ShapeSet::only(shape));
    Shape::all().filter(|&s| !shapes.contains(s) && with(s).is_down_closed()).collect()
}

/// The largest shapes of a set: without any of them it is still down-closed.
fn tops(shapes: ShapeSet) -> Vec<Shape> {
    let without = |shape: Shape| shapes.without(ShapeSet::only(shape));
    shapes.iter().filter(|&shape| without(shape).is_down_closed()).collect()
}

/// The mixture in a normal form, so that mixtures that mean the same are equal: only largest shapes are
/// kept in part, and only kept shapes have weights, within their range and without a common factor.
fn plain(mut policy: Policy) -> Policy {
    if !policy.rule.is_of_routes() {
        return policy;
    }
    let shapes = policy.rule.shapes();
    let tops = tops(shapes);
    for shape in shapes.iter().filter(|shape| !tops.contains(shape)) {
        policy.rule.keep[shape.number()] = Keep::ALL;
    }
    if let DrawRule::ByShape { weights } = &mut policy.rule.draw {
        for shape in Shape::all() {
            let weight = &mut weights[shape.number()];
            *weight = if shapes.contains(shape) { (*weight).clamp(1, MOST_WEIGHT) } else { 0 };
        }
        let divisor = weights.iter().copied().fold(0, gcd).max(1);
        for weight in weights {
            *weight /= divisor;
        }
    }
    policy
}

const fn gcd(a: u16, b: u16) -> u16 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn one_of<T: Copy>(rng: &mut impl Rng, all: &[T]) -> Option<T> {
    (!all.is_empty()).then(|| all[rng.random_range(0..all.len())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::collections::BTreeSet;

    fn is_valid(policy: &Policy) -> bool {
        let shapes = policy.rule.shapes();
        let tops = tops(shapes);
        let only_tops_in_part =
            shapes.iter().all(|s| policy.rule.keep_of(s) == Keep::ALL || tops.contains(&s));
        policy.rule.check().is_ok()
            && shapes.is_down_closed()
            && !shapes.is_empty()
            && only_tops_in_part
            && policy.weighing.threshold.abs() <= MOST_THRESHOLD
    }

    proptest! {
        #[test]
        fn every_mixture_is_valid_and_in_the_grammar(seed: u64, is_second: bool) {
            let place = if is_second { PolicyPlace::SecondLook } else { PolicyPlace::Source };
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut policy = drawn(7, place, &mut rng);
            for _ in 0..20 {
                prop_assert!(is_valid(&policy), "{policy}");
                prop_assert_eq!(&plain(policy.clone()), &policy);
                prop_assert_eq!(&Policy::parse(&policy.to_string(), 7).unwrap(), &policy);
                prop_assert!(is_second || policy.min == MinCandidate::Kept);
                policy = varied(&policy, place, &mut rng);
            }
        }
    }

    #[test]
    fn every_number_of_candidates_every_gate_and_every_second_look_is_reached() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut policy = Policy::parse("switches:2-3 with returns", 1).unwrap();
        let (mut counts, mut gates, mut mins) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for _ in 0..4_000 {
            policy = varied(&policy, PolicyPlace::SecondLook, &mut rng);
            let candidates = policy.weighing.candidates;
            counts.insert((candidates.min(), candidates.vlb()));
            gates.insert(policy.weighing.gate.sixteenths());
            mins.insert(policy.min.name());
        }
        assert_eq!(counts.len(), 2 * VLB_COUNTS.len());
        assert_eq!(gates, [0].into_iter().chain(GATES.0..=GATES.1).collect());
        assert_eq!(mins.len(), MinCandidate::ALL.len());
    }

    #[test]
    fn a_set_over_intermediate_switches_is_kept_while_only_its_weighing_changes() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        for from in ["switches:2-3 with returns", "conventional"] {
            let from = Policy::parse(from, 1).unwrap();
            let varied = (0..200).map(|_| varied(&from, PolicyPlace::Source, &mut rng));
            let varied: Vec<Policy> = varied.collect();
            assert!(varied.iter().all(is_valid));
            let is_kept = |policy: &&Policy| policy.rule == from.rule && **policy != from;
            let kept = varied.iter().filter(is_kept).count();
            assert!((20..150).contains(&kept), "{kept}");
        }
    }

    #[test]
    fn every_set_of_shapes_is_reached() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut met = BTreeSet::new();
        for _ in 0..2_000 {
            met.insert(drawn(1, PolicyPlace::Source, &mut rng).rule.shapes().bits());
        }
        // All down-closed sets except that of 000 alone, which only `varied` makes.
        assert_eq!(met.len(), tvlb_throughput::path_set::down_closed().len() - 1);
    }
}
