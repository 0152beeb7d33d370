//! Choosing among modelled sets: the Pareto front of throughput and hops, and the candidates.
//!
//! The largest throughput is not a criterion: it is nearly always that of all VLB paths together. T-UGAL aims at
//! shorter paths (Rahman et al., SC'19, properties 1 and 2): among the sets within a fraction ε of the best throughput
//! we prefer the fewest mean hops, and hand the front to simulation.
//!
//! Two throughputs differ exactly when their proven intervals do not overlap, whatever their scale and however closely
//! they are proven; only proven differences may decide. Hops are compared in whole thousandths.

use crate::TOLERANCE;

/// The criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merit {
    /// The proven ends of the modelled throughput.
    lower: f64,
    upper: f64,
    /// Mean hops of the VLB paths, in whole thousandths.
    thousandths: f64,
}

impl Merit {
    /// For a throughput that is proven to be between two ends.
    pub fn new((lower, upper): (f64, f64), mean_hops: f64) -> Self {
        Self { lower, upper, thousandths: (mean_hops * 1e3).round() }
    }

    /// Whether its throughput is proven to be more than the other's.
    fn carries_more_than(&self, other: &Self) -> bool {
        self.lower > other.upper
    }

    fn middle(&self) -> f64 {
        f64::midpoint(self.lower, self.upper)
    }
}

/// Positions of the sets of which each is proven to carry more than every set of the front with no more
/// hops, by rising hops.
///
/// Being equal as far as is proven is not transitive: a set may equal two of which one is proven to carry
/// more. So a set is compared with those that are on the front, and each that is left out has one
/// there that it is not proven to exceed. Of equal sets with equal hops the first is taken.
pub fn front(merits: &[Merit]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..merits.len()).collect();
    order.sort_by(|&i, &j| merits[i].thousandths.total_cmp(&merits[j].thousandths).then(i.cmp(&j)));
    let mut front: Vec<usize> = Vec::new();
    let same_hops =
        |&i: &usize, &j: &usize| merits[i].thousandths.total_cmp(&merits[j].thousandths).is_eq();
    for alike in order.chunk_by(same_hops) {
        let is_more = |&i: &usize| front.iter().all(|&on| merits[i].carries_more_than(&merits[on]));
        let alike: Vec<usize> = alike.iter().copied().filter(is_more).collect();
        let exceeds = |one: usize, other: usize| merits[one].carries_more_than(&merits[other]);
        front.extend(alike.iter().find(|&&i| !alike.iter().any(|&other| exceeds(other, i))));
    }
    front
}

/// Positions on the front whose throughput is at least (1 − ε) of the best, or not proven to be less than
/// the best, by rising hops: the candidates for simulation, the preferred one first. Values are the middles
/// of the proven intervals, and a millionth of them, the finest that is ever proven, decides nothing.
pub fn candidates(merits: &[Merit], epsilon: f64) -> Vec<usize> {
    let Some(best) = best(merits) else { return Vec::new() };
    let least = (1.0 - epsilon) * best.middle() * (1.0 - TOLERANCE);
    let is_near = |&i: &usize| merits[i].middle() >= least || !best.carries_more_than(&merits[i]);
    front(merits).into_iter().filter(is_near).collect()
}

/// The first position whose throughput is not proven to be less than the largest: the choice of Rahman et al.
pub fn largest(merits: &[Merit]) -> Option<usize> {
    let best = best(merits)?;
    merits.iter().position(|merit| !best.carries_more_than(merit))
}

/// The largest throughput, by the middles of the intervals.
fn best(merits: &[Merit]) -> Option<&Merit> {
    merits.iter().max_by(|one, other| one.middle().total_cmp(&other.middle()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Throughputs that are proven to this part of their value, with hops.
    fn merits(proven: f64, pairs: &[(f64, f64)]) -> Vec<Merit> {
        let ends = |value: f64| (value * (1.0 - proven / 2.0), value * (1.0 + proven / 2.0));
        pairs.iter().map(|&(throughput, hops)| Merit::new(ends(throughput), hops)).collect()
    }

    #[test]
    fn the_front_is_what_nothing_dominates() {
        let pairs = [(0.50, 5.0), (0.49, 4.0), (0.49, 4.5), (0.30, 3.0), (0.30, 3.0), (0.2, 3.5)];
        let merits = merits(1e-6, &pairs);
        assert_eq!(front(&merits), [3, 1, 0]);
        assert_eq!(candidates(&merits, 0.01), [0]);
        assert_eq!(candidates(&merits, 0.02), [1, 0]);
        assert_eq!(largest(&merits), Some(0));
        assert_eq!((candidates(&[], 0.01), largest(&[])), (Vec::new(), None));
    }

    #[test]
    fn noise_below_what_is_certified_does_not_decide() {
        let merits = merits(1e-6, &[(0.562_500_01, 5.5), (0.5625, 4.8), (0.562_500_02, 5.0)]);
        assert_eq!(front(&merits), [1]);
        assert_eq!(candidates(&merits, 0.0), [1]);
        assert_eq!(largest(&merits), Some(0));
    }

    /// A machine whose smallest group limits every pattern: all values are small, and proven to a hundredth.
    #[test]
    fn small_throughputs_are_compared_by_their_ratio() {
        let merits = merits(1e-2, &[(0.0195, 5.9), (0.0195, 5.0), (0.0157, 4.0), (0.0195, 4.9)]);
        assert_eq!(front(&merits), [2, 3]);
        assert_eq!(candidates(&merits, 0.01), [3]);
        assert_eq!(candidates(&merits, 0.2), [2, 3]);
        assert_eq!(largest(&merits), Some(0));
    }

    proptest! {
        /// The unit of throughput decides nothing, and no interval equals one that it does not overlap.
        #[test]
        fn the_choice_depends_on_ratios_alone(
            sets in proptest::collection::vec((1_u32..2000, 0_u32..40, 2000_u32..2006), 1..12),
            exponent in -40..40_i32,
            epsilon in 0.0..0.5,
        ) {
            let scaled = |factor: f64| -> Vec<Merit> {
                let merit = |&(lower, width, hops): &(u32, u32, u32)| {
                    let ends = [lower, lower + width].map(|end| f64::from(end) / 1024.0 * factor);
                    Merit::new((ends[0], ends[1]), f64::from(hops) / 1e3)
                };
                sets.iter().map(merit).collect()
            };
            let (merits, other) = (scaled(1.0), scaled(2.0_f64.powi(exponent)));
            let (front, near) = (front(&merits), candidates(&merits, epsilon));
            prop_assert_eq!(&self::front(&other), &front);
            prop_assert_eq!(&candidates(&other, epsilon), &near);
            prop_assert_eq!(largest(&other), largest(&merits));
            prop_assert!(!near.is_empty());
            for (set, merit) in merits.iter().enumerate() {
                let equalled = |&known: &usize| {
                    let known = merits[known];
                    known.thousandths <= merit.thousandths && known.upper >= merit.lower
                };
                prop_assert!(front.contains(&set) || front.iter().any(equalled), "{set} is missing");
            }
            for pair in front.windows(2) {
                prop_assert!(merits[pair[0]].upper < merits[pair[1]].lower);
            }
            let most = merits.iter().map(Merit::middle).fold(0.0, f64::max);
            let most_proven = merits.iter().find(|merit| merit.middle() >= most).map(|merit| merit.lower);
            for &set in &near {
                let is_within = merits[set].middle() >= (1.0 - epsilon) * most * (1.0 - TOLERANCE);
                prop_assert!(is_within || Some(merits[set].upper) >= most_proven);
            }
        }
    }
}
