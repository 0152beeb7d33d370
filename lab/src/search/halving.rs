//! Successive halving: many are tried a little, the better part of them more, a few to the end.
//!
//! After Karnin, Koren and Somekh, ICML 2013. A rung gives every remaining contender the same next trials; then only
//! the best go on. Contenders are numbers here, so the rule can be tested on made-up outcomes.

use std::collections::BTreeMap;
use tvlb_generator::choose::{Contender, mean};

/// Some trials, and how many contenders pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rung {
    /// Trials until the end of this rung, those of earlier rungs among them.
    pub(super) trials: usize,
    /// How many of the contenders that are left go on to the next rung.
    pub(super) keep: usize,
}

/// The rungs for these numbers of contenders and trials: a third goes on after `first` trials, after twice as many, and
/// so on, until `last` are left or all trials are made.
pub(super) fn rungs(contenders: usize, trials: usize, first: usize, last: usize) -> Vec<Rung> {
    let mut rungs = Vec::new();
    let (mut until, mut keep) = (first.max(1), contenders);
    while until < trials && keep > last {
        keep = keep.div_ceil(3).max(last);
        rungs.push(Rung { trials: until, keep });
        until *= 2;
    }
    rungs.push(Rung { trials, keep: last });
    rungs
}

/// Runs the rungs for the contenders that are `left`. `try_all` gets who is left, the results so far, and until which
/// trial to go on; it returns the further results of each, `None` for an eliminated one. Returns those that have made
/// all trials, the best first.
///
/// # Errors
/// The first failure of `try_all`.
pub(super) fn halve<E>(
    mut left: Vec<Contender>,
    rungs: &[Rung],
    mut try_all: impl FnMut(
        &[Contender],
        &BTreeMap<Contender, Vec<f64>>,
        usize,
    ) -> Result<Vec<Option<Vec<f64>>>, E>,
) -> Result<Vec<Contender>, E> {
    let mut results: BTreeMap<Contender, Vec<f64>> =
        left.iter().map(|&contender| (contender, Vec::new())).collect();
    for rung in rungs {
        let found = try_all(&left, &results, rung.trials)?;
        let mut still = Vec::new();
        for (&contender, found) in left.iter().zip(found) {
            if let Some(found) = found {
                results.entry(contender).or_default().extend(found);
                still.push(contender);
            }
        }
        // Stable: equals go on in the order of their numbers.
        let mean = |contender: Contender| mean(results[&contender].iter().copied());
        still.sort_by(|&one, &other| mean(other).total_cmp(&mean(one)));
        still.truncate(rung.keep);
        left = still;
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn a_third_goes_on_and_the_trials_double() {
        let of = |contenders, trials| {
            let rungs = rungs(contenders, trials, 2, 4);
            rungs.iter().map(|rung| (rung.trials, rung.keep)).collect::<Vec<_>>()
        };
        assert_eq!(of(54, 18), [(2, 18), (4, 6), (8, 4), (18, 4)]);
        assert_eq!(of(3, 18), [(18, 4)]);
        assert_eq!(of(54, 2), [(2, 4)]);
    }

    #[test]
    fn the_best_that_holds_comes_out_first_for_a_part_of_the_trials() {
        // Contender n is worth n; the odd ones are eliminated from the second rung on.
        let all: Vec<Contender> = Contender::all(30).collect();
        let number = |contender: &Contender| all.iter().position(|one| one == contender).unwrap();
        let mut made = 0;
        let rungs = rungs(30, 16, 2, 3);
        let found = halve::<Infallible>(all.clone(), &rungs, |left, results, until| {
            let from = results[&left[0]].len();
            made += left.len() * (until - from);
            let value = |c: &Contender| f64::from(u32::try_from(number(c)).unwrap());
            let is_out = |c: &Contender| from > 0 && number(c) % 2 == 1;
            Ok(left.iter().map(|c| (!is_out(c)).then(|| vec![value(c); until - from])).collect())
        });
        assert_eq!(found.unwrap(), [28, 26, 24].map(|number| all[number]));
        assert!(made < 30 * 16 / 3, "{made}");
    }

    #[test]
    fn a_failure_ends_it() {
        let ends = halve(Contender::all(2).collect(), &rungs(2, 4, 1, 1), |_, _, _| {
            Err::<Vec<_>, _>("broken")
        });
        assert_eq!(ends, Err("broken"));
    }
}
