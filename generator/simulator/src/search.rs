//! The search for the load at which a network saturates.
//!
//! Loads are numbered in steps of equal size, from 1. The network is *good* at a step if it is not
//! saturated there. A search keeps two steps, one known to be good and one known to be bad, and
//! asks about steps between them until they are neighbours. Step 0 counts as good and the step
//! after the last one as bad, and neither is asked about.
//!
//! The searches of this project differ only in which step they ask about next, because they save
//! different things: [`Probing`] names three ways, and [`last_good_near`] is one for runs that say
//! besides how near they are to saturation. A search depends on nothing but the answers
//! that it is given, so it is reproducible wherever the runs are.

use tvlb_base::text::Refused;

/// Which steps a search asks about next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probing {
    /// Two steps at a time, which cut what is left into thirds. Both can run at once, so the
    /// search takes less time than halving where there are processors to spare.
    Thirds,
    /// One step at a time, first this guess, then with doubling strides away from it until the
    /// search has a good and a bad step, then halving what is left. A good guess takes three
    /// steps, so this suits searches of which many have nearly the same result.
    FromGuess(u32),
    /// One step at a time, first upwards on a coarse grid until a step is bad, then halving what
    /// is left on a fine grid; the search ends where the two steps are `fine` apart. It asks about
    /// few saturated loads, and those that it asks about make a curve that can be drawn.
    Upwards {
        /// The distance between two steps of the coarse grid, at least 1.
        coarse: u32,
        /// The distance between two steps of the fine grid, at least 1.
        fine: u32,
    },
}

/// What is known in the course of a search.
#[derive(Clone, Copy)]
struct Bracket {
    /// The largest step known to be good, or 0.
    good: u32,
    /// The smallest step known to be bad, or the step after the last one.
    bad: u32,
    last: u32,
}

/// The last good step of the steps 1 to `last`, or 0 if step 1 is bad.
///
/// `ask` is given one or two different steps in ascending order and returns of each whether it is
/// good.
///
/// # Errors
/// The first error of `ask`, which ends the search.
///
/// # Example
/// ```
/// use std::convert::Infallible;
/// use tvlb_simulator::{Probing, last_good};
///
/// let saturated_above = |steps: &[u32]| {
///     Ok::<_, Infallible>(steps.iter().map(|&step| step <= 37).collect::<Vec<bool>>())
/// };
/// assert_eq!(last_good(100, Probing::Thirds, saturated_above), Ok(37));
/// assert_eq!(last_good(100, Probing::FromGuess(30), saturated_above), Ok(37));
/// assert_eq!(last_good(100, Probing::Upwards { coarse: 10, fine: 1 }, saturated_above), Ok(37));
/// ```
pub fn last_good<E>(
    last: u32,
    probing: Probing,
    mut ask: impl FnMut(&[u32]) -> Result<Vec<bool>, E>,
) -> Result<u32, E> {
    let mut known = Bracket { good: 0, bad: last + 1, last };
    let apart = if let Probing::Upwards { fine, .. } = probing { fine.max(1) } else { 1 };
    for round in 0.. {
        if known.bad - known.good <= apart {
            break;
        }
        let (first, second) = known.next(probing, round);
        let pair = [first, second];
        let steps = if first == second { &pair[..1] } else { &pair[..] };
        for (&step, is_good) in steps.iter().zip(ask(steps)?) {
            known.learn(step, is_good);
        }
    }
    Ok(known.good)
}

/// The loads of a search: the multiples of a resolution up to the largest load that nodes can send, one at least.
#[derive(Clone, Copy, Debug)]
pub struct SearchedLoads {
    resolution: f64,
    /// How many there are: they are the steps of the search.
    pub count: u32,
}

impl SearchedLoads {
    /// # Errors
    /// The resolution is not between 0.0001 and 0.5.
    pub fn new(resolution: f64, most: f64) -> Result<Self, Refused> {
        if !(0.0001..=0.5).contains(&resolution) {
            return Err(Refused::new(format!("resolution is {resolution}"), "0.0001 to 0.5"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a resolution is at least 0.0001"
        )]
        let count = (most / resolution + 1e-9) as u32;
        Ok(Self { resolution, count: count.max(1) })
    }

    /// The load of a step, without what a product adds to it behind its ninth decimal.
    pub fn load(&self, step: u32) -> f64 {
        ((f64::from(step) * self.resolution).min(1.0) * 1e9).round() / 1e9
    }
}

/// The most steps that [`last_good`] asks about by [`Probing::Thirds`] from where the bad step is so many
/// steps after the good one.
pub(crate) fn most_by_thirds(apart: u32) -> usize {
    match apart {
        0 | 1 => 0,
        2 => 1,
        _ => 2 + most_by_thirds(after_thirds(apart)),
    }
}

/// How far apart the good and the bad step are at most once they were so far apart and a third was taken.
pub(crate) const fn after_thirds(apart: u32) -> u32 {
    apart.div_ceil(3)
}

/// What a run says of the step that it was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The network is not saturated there.
    pub is_good: bool,
    /// Its latency is near the limit, so that the next step up or down is likely to tell.
    pub is_near: bool,
}

/// How often a search takes the next step where a run says that it is near: where latencies rise
/// slowly, many say so.
const MOST_NEAR: u32 = 2;

/// As [`last_good`] by [`Probing::FromGuess`], but where a run says that it is near, the next step is asked
/// about. A good guess takes two steps.
///
/// # Errors
/// The first error of `ask`, which ends the search.
pub fn last_good_near<E>(
    last: u32,
    guess: u32,
    mut ask: impl FnMut(u32) -> Result<Answer, E>,
) -> Result<u32, E> {
    let mut known = Bracket { good: 0, bad: last + 1, last };
    let (mut near, mut round) = (0, 0);
    let mut next = guess.clamp(1, last.max(1));
    while known.bad - known.good > 1 {
        let Answer { is_good, is_near } = ask(next)?;
        known.learn(next, is_good);
        if is_near && near < MOST_NEAR {
            near += 1;
            next = if is_good { known.good + 1 } else { known.bad - 1 };
        } else {
            round += 1;
            next = known.next(Probing::FromGuess(guess), round).0;
        }
    }
    Ok(known.good)
}

impl Bracket {
    /// Takes what was heard of a step.
    fn learn(&mut self, step: u32, is_good: bool) {
        if !is_good {
            self.bad = self.bad.min(step);
        } else if step < self.bad {
            // A good step above a bad one is an accident of the run and proves nothing.
            self.good = self.good.max(step);
        }
    }

    /// The steps to ask about in a round, which is counted from 0; the same one twice for one.
    fn next(self, probing: Probing, round: u32) -> (u32, u32) {
        let Self { good, bad, last } = self;
        match probing {
            Probing::Thirds => {
                let third = (bad - good).div_ceil(3);
                (good + third, (good + 2 * third).min(bad - 1))
            }
            Probing::FromGuess(guess) => {
                let stride = 1_u32.checked_shl(round).unwrap_or(u32::MAX);
                let step = if round == 0 {
                    guess.clamp(1, last)
                } else if bad > last {
                    good.saturating_add(stride).min(last)
                } else if good == 0 {
                    bad.saturating_sub(stride).max(1)
                } else {
                    good.midpoint(bad)
                };
                (step, step)
            }
            Probing::Upwards { coarse, fine } => {
                let step = if bad > last {
                    good.saturating_add(coarse.max(1)).min(last)
                } else {
                    let half = ((bad - good) / 2).next_multiple_of(fine.max(1));
                    (good + half).min(bad - 1)
                };
                (step, step)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(last: u32, probing: Probing, last_good_step: u32) -> (u32, Vec<u32>) {
        let mut asked = Vec::new();
        let found = last_good::<()>(last, probing, |steps| {
            asked.extend(steps);
            Ok(steps.iter().map(|&step| step <= last_good_step).collect())
        });
        (found.unwrap_or(u32::MAX), asked)
    }

    #[test]
    fn every_way_finds_every_step_and_asks_about_none_twice() {
        for last in [1, 2, 7, 100] {
            let coarse = [1, 3, 10, 200].map(|coarse| Probing::Upwards { coarse, fine: 1 });
            let guesses = [0, 1, 30, 105].map(Probing::FromGuess);
            for probing in [Probing::Thirds].into_iter().chain(coarse).chain(guesses) {
                for step in 0..=last {
                    let (found, mut asked) = search(last, probing, step);
                    assert_eq!(found, step, "{probing:?} of {last}");
                    assert!(asked.iter().all(|step| (1..=last).contains(step)));
                    let count = asked.len();
                    asked.sort_unstable();
                    asked.dedup();
                    assert_eq!(asked.len(), count, "{probing:?} asks twice");
                }
            }
        }
    }

    #[test]
    fn thirds_take_no_more_steps_than_is_said() {
        for last in 1..=200 {
            let asked = |step| search(last, Probing::Thirds, step).1.len();
            let most = (0..=last).map(asked).max().unwrap();
            let said = most_by_thirds(last + 1);
            assert!(most <= said && said <= most + 2, "{last}: {most}, said {said}");
        }
        // However far apart the two are after a question.
        for step in 0..=100 {
            let (mut apart, mut known) = (101, Bracket { good: 0, bad: 101, last: 100 });
            let _ = last_good::<()>(100, Probing::Thirds, |steps| {
                for &asked in steps {
                    known.learn(asked, asked <= step);
                }
                apart = after_thirds(apart);
                assert!(known.bad - known.good <= apart, "{steps:?}");
                Ok(steps.iter().map(|&asked| asked <= step).collect())
            });
        }
    }

    fn search_near(last: u32, guess: u32, found_at: u32, near: u32) -> (u32, Vec<u32>) {
        let mut asked = Vec::new();
        let found = last_good_near::<()>(last, guess, |step| {
            asked.push(step);
            let is_near = step.abs_diff(found_at) <= near;
            Ok(Answer { is_good: step <= found_at, is_near })
        });
        (found.unwrap_or(u32::MAX), asked)
    }

    #[test]
    fn runs_that_say_that_they_are_near_save_steps_and_change_nothing() {
        for last in [1, 2, 7, 100] {
            for guess in [0, 1, 30, 105] {
                for step in 0..=last {
                    for near in [0, 1, 3, 200] {
                        let (found, mut asked) = search_near(last, guess, step, near);
                        assert_eq!(found, step, "from {guess} of {last}, near {near}");
                        assert!(asked.iter().all(|step| (1..=last).contains(step)));
                        let count = asked.len();
                        asked.sort_unstable();
                        asked.dedup();
                        assert_eq!(asked.len(), count, "asks twice");
                    }
                }
            }
        }
        assert_eq!(search_near(100, 30, 30, 1).1, [30, 31]);
        assert_eq!(search_near(100, 30, 29, 1).1, [30, 29]);
        assert_eq!(search_near(100, 30, 31, 1).1, [30, 31, 32]);
        assert_eq!(search_near(100, 30, 26, 0).1, search(100, Probing::FromGuess(30), 26).1);
        assert_eq!(search_near(100, 30, 60, 200).1[..5], [30, 31, 32, 34, 38]);
    }

    #[test]
    fn loads_are_the_multiples_that_a_person_would_write() {
        let loads = SearchedLoads::new(0.01, 1.0).unwrap();
        assert_eq!(loads.count, 100);
        assert!((1..=100).all(|step| loads.load(step).to_string().len() <= "0.01".len()));
        assert_eq!(SearchedLoads::new(0.4, 0.1).unwrap().count, 1);
        let refused = SearchedLoads::new(0.6, 1.0).unwrap_err();
        assert_eq!(refused.to_string(), "resolution is 0.6, accepted 0.0001 to 0.5");
    }

    #[test]
    fn the_steps_that_are_asked_about_are_pinned() {
        assert_eq!(search(100, Probing::Thirds, 40).1, [34, 68, 46, 58, 38, 42, 40, 41]);
        assert_eq!(search(100, Probing::FromGuess(30), 26).1, [30, 28, 24, 26, 27]);
        let coarse_and_fine = Probing::Upwards { coarse: 10, fine: 2 };
        assert_eq!(search(100, coarse_and_fine, 27), (26, vec![10, 20, 30, 26, 28]));
        assert_eq!(search(100, Probing::Upwards { coarse: 20, fine: 5 }, 100).1.len(), 5);
    }

    #[test]
    fn a_good_step_above_a_bad_one_proves_nothing() {
        let good_but_at_34 = |steps: &[u32]| Ok(steps.iter().map(|&step| step != 34).collect());
        assert_eq!(last_good::<()>(100, Probing::Thirds, good_but_at_34), Ok(33));
    }

    #[test]
    fn an_error_ends_the_search() {
        assert_eq!(last_good(30, Probing::Thirds, |_| Err("broken")), Err("broken"));
    }
}
