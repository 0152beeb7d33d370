//! Racing: candidates are tried pattern by pattern, and those that cannot win any more are dropped.
//!
//! After each pattern every two candidates are compared by the mean of their differences over the
//! patterns so far; both have met the same traffic and random numbers, so what a pattern does to
//! both cancels. A candidate is dropped once `keep` others are ahead of it by more than
//! [`CONFIDENCE`] standard errors of that mean. A standard deviation counts as at least
//! [`LEAST_DEVIATION`], so that a few equal differences do not pass for certainty.

/// How many standard errors make it hopeless.
pub const CONFIDENCE: f64 = 3.0;
/// The least standard deviation of a difference: saturations are found to a hundredth, so a
/// difference is out by this much from rounding alone.
pub const LEAST_DEVIATION: f64 = 0.006;
/// Patterns before the first candidate is dropped.
pub const LEAST_ROUNDS: usize = 2;

/// A mean and its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// By how much one is ahead of the other, on average over the patterns that both have met.
    pub mean: f64,
    /// The standard error of that.
    pub error: f64,
}

/// How a race has gone.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// By candidate: the value on each pattern until it was dropped.
    pub values: Vec<Vec<f64>>,
    /// Patterns in all.
    pub rounds: usize,
}

impl Standings {
    /// Whether the candidate has met every pattern.
    pub fn finished(&self, candidate: usize) -> bool {
        self.values[candidate].len() == self.rounds
    }

    /// The mean over the patterns that the candidate has met.
    pub fn mean(&self, candidate: usize) -> f64 {
        mean(&self.values[candidate])
    }

    /// By how much `one` is ahead of `other`; the patterns that both have met count.
    pub fn lead(&self, one: usize, other: usize) -> Lead {
        lead(&self.values[one], &self.values[other], 0.0)
    }
}

/// Races `count` candidates over `rounds` patterns. `pinned` ones are never dropped; besides, the
/// best `keep` of the others always finish. `try_all` gives the values of the candidates named, on one
/// pattern.
///
/// # Errors
/// The first failure of `try_all`.
pub fn race<E>(
    count: usize,
    rounds: usize,
    pinned: &[usize],
    keep: usize,
    mut try_all: impl FnMut(usize, &[usize], &Standings) -> Result<Vec<f64>, E>,
) -> Result<Standings, E> {
    let mut standings = Standings { values: vec![Vec::new(); count], rounds };
    let mut alive: Vec<usize> = (0..count).collect();
    for round in 0..rounds {
        let values = try_all(round, &alive, &standings)?;
        for (&candidate, value) in alive.iter().zip(values) {
            standings.values[candidate].push(value);
        }
        if round + 1 >= LEAST_ROUNDS {
            let hopeless: Vec<usize> = alive
                .iter()
                .copied()
                .filter(|candidate| !pinned.contains(candidate))
                .filter(|&candidate| {
                    let ahead = alive.iter().filter(|&&other| {
                        !pinned.contains(&other) && is_ahead(&standings, other, candidate)
                    });
                    ahead.count() >= keep
                })
                .collect();
            alive.retain(|candidate| !hopeless.contains(candidate));
        }
    }
    Ok(standings)
}

fn is_ahead(standings: &Standings, one: usize, other: usize) -> bool {
    let lead = lead(&standings.values[one], &standings.values[other], LEAST_DEVIATION);
    lead.mean > CONFIDENCE * lead.error
}

fn lead(one: &[f64], other: &[f64], least_deviation: f64) -> Lead {
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one - other).collect();
    let count = real(differences.len());
    let mean = mean(&differences);
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    let deviation = if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
    Lead { mean, error: deviation.max(least_deviation) / count.max(1.0).sqrt() }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / real(values.len()).max(1.0)
}

fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// Races candidates whose values are all known beforehand; also gives how many were asked for.
    fn run(values: &[Vec<f64>], pinned: &[usize], keep: usize) -> (Standings, usize) {
        let mut asked = 0;
        let standings =
            race::<Infallible>(values.len(), values[0].len(), pinned, keep, |round, alive, _| {
                asked += alive.len();
                Ok(alive.iter().map(|&candidate| values[candidate][round]).collect())
            });
        (standings.unwrap(), asked)
    }

    #[test]
    fn what_is_far_behind_is_dropped_early() {
        let values = [vec![0.30; 8], vec![0.31; 8], vec![0.20; 8], vec![0.25; 8]];
        let (standings, asked) = run(&values, &[], 1);
        assert_eq!(standings.values[2].len(), LEAST_ROUNDS);
        assert_eq!(standings.values[3].len(), LEAST_ROUNDS);
        assert!(standings.finished(1));
        assert!(asked < 24, "{asked}");
        // A hundredth takes longer to tell from chance.
        assert!(standings.values[0].len() > LEAST_ROUNDS);
    }

    #[test]
    fn pinned_ones_finish_and_push_nobody_out() {
        let values = [vec![0.50; 6], vec![0.31; 6], vec![0.10; 6], vec![0.30; 6]];
        let (standings, _) = run(&values, &[0, 2], 2);
        assert!((0..4).all(|candidate| standings.finished(candidate)));
    }

    #[test]
    fn leads_are_of_the_patterns_that_both_have_met() {
        let standings = Standings { values: vec![vec![0.4, 0.3, 0.9], vec![0.2, 0.3]], rounds: 3 };
        let lead = standings.lead(0, 1);
        assert!((lead.mean - 0.1).abs() < 1e-12);
        assert!((lead.error - 0.1).abs() < 1e-12);
    }

    proptest! {
        /// True values, what each pattern does to all, and noise of up to a hundredth for each
        /// candidate and pattern, as the resolution of the search makes it.
        #[test]
        fn the_true_winner_always_finishes(
            levels in prop::collection::vec(0.2..0.45_f64, 2..12),
            patterns in prop::collection::vec(-0.05..0.05_f64, 3..10),
            noise in prop::collection::vec(-0.005..0.005_f64, 120),
            keep in 1..4_usize,
        ) {
            let values: Vec<Vec<f64>> = levels.iter().enumerate().map(|(candidate, level)| {
                patterns.iter().enumerate().map(|(round, shift)| {
                    level + shift + noise[(candidate * patterns.len() + round) % noise.len()]
                }).collect()
            }).collect();
            let (standings, _) = run(&values, &[], keep);
            let best = (0..levels.len()).max_by(|&i, &j| levels[i].total_cmp(&levels[j])).unwrap();
            prop_assert!(standings.finished(best));
        }
    }
}
