//! Successive halving: many are tried a little, the better part of them more, a few to the end.
//!
//! After Karnin, Koren and Somekh, ICML 2013. A rung gives everyone who is left the same next
//! trials; then only the best go on. It knows contestants by number, so the rule can be tested on
//! made-up outcomes.

use super::mean;

/// Some trials, and how many pass on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rung {
    /// Trials until the end of this rung, those of earlier rungs among them.
    pub(super) trials: usize,
    /// How many of those that are left go on to the next.
    pub(super) keep: usize,
}

/// The rungs for so many contestants and trials: a third goes on after `first` trials, after twice
/// as many, and so on, until `last` are left or the trials are all made.
pub(super) fn rungs(contestants: usize, trials: usize, first: usize, last: usize) -> Vec<Rung> {
    let mut rungs = Vec::new();
    let (mut until, mut keep) = (first.max(1), contestants);
    while until < trials && keep > last {
        keep = keep.div_ceil(3).max(last);
        rungs.push(Rung { trials: until, keep });
        until *= 2;
    }
    rungs.push(Rung { trials, keep: last });
    rungs
}

/// Runs the rungs. `try_all` is given who is left, the results so far by contestant, and until which
/// trial to go on; it gives the further results of each that is left, `None` for one that is out at once.
/// Returned are those that have made all trials, the best first.
///
/// # Errors
/// The first failure of `try_all`.
pub(super) fn halve<E>(
    contestants: usize,
    rungs: &[Rung],
    mut try_all: impl FnMut(&[usize], &[Vec<f64>], usize) -> Result<Vec<Option<Vec<f64>>>, E>,
) -> Result<Vec<usize>, E> {
    let mut results: Vec<Vec<f64>> = vec![Vec::new(); contestants];
    let mut left: Vec<usize> = (0..contestants).collect();
    let mean = |contestant: usize, all: &[Vec<f64>]| mean(all[contestant].iter().copied());
    for rung in rungs {
        let found = try_all(&left, &results, rung.trials)?;
        let mut still = Vec::new();
        for (&contestant, found) in left.iter().zip(found) {
            if let Some(found) = found {
                results[contestant].extend(found);
                still.push(contestant);
            }
        }
        // Stable: equals go on in the order of their numbers.
        still.sort_by(|&one, &other| mean(other, &results).total_cmp(&mean(one, &results)));
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
        let of = |contestants, trials| {
            let rungs = rungs(contestants, trials, 2, 4);
            rungs.iter().map(|rung| (rung.trials, rung.keep)).collect::<Vec<_>>()
        };
        assert_eq!(of(54, 18), [(2, 18), (4, 6), (8, 4), (18, 4)]);
        assert_eq!(of(3, 18), [(18, 4)]);
        assert_eq!(of(54, 2), [(2, 4)]);
    }

    #[test]
    fn the_best_that_holds_comes_out_first_for_a_part_of_the_trials() {
        // Contestant n is worth n; the odd ones are out from the second rung on.
        let mut made = 0;
        let found = halve::<Infallible>(30, &rungs(30, 16, 2, 3), |left, results, until| {
            let from = results[left[0]].len();
            made += left.len() * (until - from);
            let value = |&n: &usize| f64::from(u32::try_from(n).unwrap());
            let out = |n: &usize| from > 0 && n % 2 == 1;
            Ok(left.iter().map(|n| (!out(n)).then(|| vec![value(n); until - from])).collect())
        });
        assert_eq!(found.unwrap(), [28, 26, 24]);
        assert!(made < 30 * 16 / 3, "{made}");
    }

    #[test]
    fn a_failure_ends_it() {
        let ends = halve(2, &rungs(2, 4, 1, 1), |_, _, _| Err::<Vec<_>, _>("broken"));
        assert_eq!(ends, Err("broken"));
    }
}
