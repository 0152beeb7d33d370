//! Choosing among modelled sets: the Pareto front of throughput and hops, and the candidates.
//!
//! All VLB paths together are never beaten in modelled throughput, so the largest throughput is no
//! rule to choose by. Shorter paths are what T-UGAL is for (Rahman et al., SC'19, properties 1 and
//! 2): among the sets within a fraction ε of the best throughput we prefer the fewest mean hops,
//! and hand the front to simulation.
//!
//! Throughputs are compared in whole units of what is certified, hops in whole thousandths: finer
//! differences mean nothing and must not decide.

/// What there is to choose by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merit {
    /// Modelled throughput, in whole units.
    throughput: f64,
    /// Mean hops of the VLB paths, in whole thousandths.
    thousandths: f64,
}

impl Merit {
    /// Of a throughput certified to about `unit`.
    pub fn new(throughput: f64, unit: f64, mean_hops: f64) -> Self {
        Self { throughput: (throughput / unit).round(), thousandths: (mean_hops * 1e3).round() }
    }

    /// At least as good in both, better in one.
    fn dominates(self, other: Self) -> bool {
        let no_worse = self.throughput >= other.throughput && self.thousandths <= other.thousandths;
        let better = self.throughput > other.throughput || self.thousandths < other.thousandths;
        no_worse && better
    }
}

/// Positions of the merits that no other dominates, by rising hops; of equal ones the first.
pub fn front(merits: &[Merit]) -> Vec<usize> {
    let mut front: Vec<usize> = (0..merits.len())
        .filter(|&i| !merits.iter().any(|other| other.dominates(merits[i])))
        .collect();
    front.sort_by(|&i, &j| merits[i].thousandths.total_cmp(&merits[j].thousandths).then(i.cmp(&j)));
    front.dedup_by(|&mut later, &mut first| {
        merits[later].thousandths.total_cmp(&merits[first].thousandths).is_eq()
    });
    front
}

/// Positions on the front whose throughput is at least (1 − ε) of the best, by rising hops: the
/// candidates for simulation, the preferred one first.
pub fn candidates(merits: &[Merit], epsilon: f64) -> Vec<usize> {
    let best = merits.iter().fold(0.0_f64, |best, merit| best.max(merit.throughput));
    let least = (1.0 - epsilon) * best;
    front(merits).into_iter().filter(|&i| merits[i].throughput >= least).collect()
}

/// The position of the largest throughput, the first of equals: what Rahman et al. choose by.
pub fn largest(merits: &[Merit]) -> Option<usize> {
    // `max_by` takes the last of equals, so go backwards.
    (0..merits.len()).rev().max_by(|&i, &j| merits[i].throughput.total_cmp(&merits[j].throughput))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merits(pairs: &[(f64, f64)]) -> Vec<Merit> {
        pairs.iter().map(|&(throughput, hops)| Merit::new(throughput, 1e-6, hops)).collect()
    }

    #[test]
    fn the_front_is_what_nothing_dominates() {
        let merits =
            merits(&[(0.50, 5.0), (0.49, 4.0), (0.49, 4.5), (0.30, 3.0), (0.30, 3.0), (0.2, 3.5)]);
        assert_eq!(front(&merits), [3, 1, 0]);
        assert_eq!(candidates(&merits, 0.01), [0]);
        assert_eq!(candidates(&merits, 0.02), [1, 0]);
        assert_eq!(largest(&merits), Some(0));
        assert_eq!(largest(&[]), None);
    }

    #[test]
    fn noise_below_what_is_certified_does_not_decide() {
        let merits = merits(&[(0.562_500_01, 5.5), (0.5625, 4.8), (0.562_500_02, 5.0)]);
        assert_eq!(front(&merits), [1]);
        assert_eq!(largest(&merits), Some(0));
    }
}
