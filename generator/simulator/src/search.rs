//! The search for the load at which a network saturates.
//!
//! Loads are numbered in steps of equal size, from 1. The network is *good* at a step if it is not saturated there. A
//! search keeps two steps, one known to be good and one known to be bad, and tries steps between them until they are
//! neighbours. Step 0 counts as good and the step after the last one as bad, and neither is tried.
//!
//! The searches of this project differ only in which step they try next, because they save different things:
//! [`Probing`] names ways for answers of yes and no, and [`last_good_by_latency`] is one for runs that return their
//! latency. A search depends only on the answers that it gets, so it is reproducible wherever the runs are made.

use std::ops::RangeInclusive;
use tvlb_base::text::Refused;

/// Which steps a search tries next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probing {
    /// Two steps at a time, which divide the rest into thirds. Both can run at once, so the search takes less time than
    /// bisection if there are processors to spare.
    Thirds,
    /// One step at a time, first upwards on a coarse grid until a step is bad, then by bisection on a fine grid; the
    /// search ends when the two steps are `fine` apart. It tries few saturated loads, and those that it tries make a
    /// curve that can be drawn.
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
/// `ask` gets one or two different steps in ascending order and returns for each whether it is good.
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
/// assert_eq!(last_good(100, Probing::Upwards { coarse: 10, fine: 1 }, saturated_above), Ok(37));
/// ```
pub fn last_good<E>(
    last: u32,
    probing: Probing,
    mut ask: impl FnMut(&[u32]) -> Result<Vec<bool>, E>,
) -> Result<u32, E> {
    let mut known = Bracket { good: 0, bad: last + 1, last };
    let apart = if let Probing::Upwards { fine, .. } = probing { fine.max(1) } else { 1 };
    while known.bad - known.good > apart {
        let (first, second) = known.next(probing);
        let pair = [first, second];
        let steps = if first == second { &pair[..1] } else { &pair[..] };
        for (&step, is_good) in steps.iter().zip(ask(steps)?) {
            known.learn(step, is_good);
        }
    }
    Ok(known.good)
}

/// The loads of a search: the multiples of a resolution up to the largest load that nodes can send, at least one.
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

    /// The load of a step, rounded to nine decimals.
    pub fn load(&self, step: u32) -> f64 {
        ((f64::from(step) * self.resolution).min(1.0) * 1e9).round() / 1e9
    }
}

/// The most steps that [`last_good`] tries by [`Probing::Thirds`] if the bad step is `apart` steps after the good one.
pub(crate) fn most_by_thirds(apart: u32) -> usize {
    match apart {
        0 | 1 => 0,
        2 => 1,
        _ => 2 + most_by_thirds(after_thirds(apart)),
    }
}

/// The largest distance of the good and the bad step after a third was taken.
pub(crate) const fn after_thirds(apart: u32) -> u32 {
    apart.div_ceil(3)
}

/// The most limits that the latency of a bad step counts, next to that of a good one: a line to one far above the limit
/// would pass close to the good step.
const MOST_LIMITS: f64 = 3.0;
/// Latencies, in limits, from which the next step up or down is likely to be on the other side.
const NEAR: RangeInclusive<f64> = 0.75..=1.2;
/// How many times as far as upwards a line may lead downwards: above the limit latencies rise linearly with the load,
/// below it ever faster.
const DOWNWARDS: u32 = 4;
/// Every third step between a good and a bad one bisects, whatever the latencies.
const HALVED: u32 = 3;

/// As [`last_good`], one step at a time from a guess, for runs that return their latency: `ask` returns it in limits,
/// and at most 1 is good. The next step is where the line through two latencies meets the limit. A good guess takes two
/// steps.
///
/// # Errors
/// The first error of `ask`, which ends the search.
///
/// # Example
/// ```
/// use std::convert::Infallible;
/// use tvlb_simulator::last_good_by_latency;
///
/// let mut asked = Vec::new();
/// let latency = |step: u32| if step < 30 { 0.4 } else { 0.4 + 0.1 * f64::from(step - 30) };
/// let found = last_good_by_latency(100, 50, |step| {
///     asked.push(step);
///     Ok::<_, Infallible>(latency(step))
/// });
/// assert_eq!((found, asked), (Ok(36), vec![50, 48, 36, 37]));
/// ```
pub fn last_good_by_latency<E>(
    last: u32,
    guess: u32,
    mut ask: impl FnMut(u32) -> Result<f64, E>,
) -> Result<u32, E> {
    let mut known = Bracket { good: 0, bad: last + 1, last };
    let mut heard = Heard::default();
    let mut next = guess.clamp(1, last.max(1));
    while known.bad - known.good > 1 {
        let limits = ask(next)?;
        known.learn(next, limits <= 1.0);
        next = heard.next(known, (next, limits));
    }
    Ok(known.good)
}

/// The known latencies of a search, by step and in limits.
#[derive(Default)]
struct Heard {
    good: Option<(u32, f64)>,
    bad: Option<(u32, f64)>,
    newest: Option<(u32, f64)>,
    /// Steps tried before there was a good and a bad one, and since.
    one_sided: u32,
    between: u32,
}

impl Heard {
    /// The next step after this answer, if there is one between the good and the bad step.
    fn next(&mut self, known: Bracket, (step, limits): (u32, f64)) -> u32 {
        if step == known.good {
            self.good = Some((step, limits));
        } else if step == known.bad {
            self.bad = Some((step, limits.min(MOST_LIMITS)));
        }
        let before = self.newest.replace((step, limits));
        let aimed = if let (Some(good), Some(bad)) = (self.good, self.bad) {
            self.between += 1;
            let halved = known.good.midpoint(known.bad);
            let is_halved = self.between.is_multiple_of(HALVED);
            if is_halved { halved } else { crossing(good, bad).unwrap_or(halved) }
        } else {
            self.one_sided += 1;
            let crossing = before.and_then(|before| crossing(before, (step, limits)));
            self.away((step, limits), crossing)
        };
        // In the end there may be none.
        aimed.min(known.bad.saturating_sub(1)).max(known.good + 1)
    }

    /// The step to try if all were good so far, or all bad: where the line through the last two meets the limit, unless
    /// that is too far away to rely on.
    fn away(&self, (step, limits): (u32, f64), crossing: Option<u32>) -> u32 {
        let stride = if self.one_sided == 1 && NEAR.contains(&limits) {
            1
        } else {
            1_u32.checked_shl(self.one_sided).unwrap_or(u32::MAX)
        };
        if limits <= 1.0 {
            let most = step.saturating_add(stride);
            crossing.map_or(most, |crossing| crossing.clamp(step.saturating_add(1), most))
        } else if let Some(crossing) = crossing {
            let least = step.saturating_sub(stride.saturating_mul(DOWNWARDS));
            crossing.clamp(least, step.saturating_sub(1))
        } else {
            step.saturating_sub(stride)
        }
    }
}

/// The step nearest to where the line through two latencies meets the limit; `None` if the latency does not rise.
fn crossing(one: (u32, f64), other: (u32, f64)) -> Option<u32> {
    let slope = (other.1 - one.1) / (f64::from(other.0) - f64::from(one.0));
    let step = (f64::from(one.0) + (1.0 - one.1) / slope).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a conversion that saturates gives the nearest step that there is"
    )]
    (slope > 0.0).then_some(step as u32)
}

impl Bracket {
    /// Takes the answer of a step.
    fn learn(&mut self, step: u32, is_good: bool) {
        if !is_good {
            self.bad = self.bad.min(step);
        } else if step < self.bad {
            // A good step above a bad one is an accident of the run and proves nothing.
            self.good = self.good.max(step);
        }
    }

    /// The steps to try next; the same one twice for a single one.
    fn next(self, probing: Probing) -> (u32, u32) {
        let Self { good, bad, last } = self;
        match probing {
            Probing::Thirds => {
                let third = (bad - good).div_ceil(3);
                (good + third, (good + 2 * third).min(bad - 1))
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
            for probing in [Probing::Thirds].into_iter().chain(coarse) {
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

    fn search_by_latency(last: u32, guess: u32, limits: impl Fn(u32) -> f64) -> (u32, Vec<u32>) {
        let mut asked = Vec::new();
        let found = last_good_by_latency::<()>(last, guess, |step| {
            asked.push(step);
            Ok(limits(step))
        });
        (found.unwrap_or(u32::MAX), asked)
    }

    /// Latencies, in limits, that are constant up to a step, reach the limit soon after it, and then rise by `rise` per
    /// step.
    fn knee(step: u32, last_good_step: u32, rise: f64) -> f64 {
        let above = f64::from(step) - f64::from(last_good_step);
        if above <= 0.0 { 0.3 + 0.5 / (1.0 - above) } else { 1.0 + rise * above }
    }

    #[test]
    fn latencies_save_steps_and_change_nothing() {
        for last in [1, 2, 7, 100] {
            for guess in [0, 1, 30, 105] {
                for step in 0..=last {
                    for rise in [0.01, 0.1, 1.0, f64::INFINITY] {
                        let (found, mut asked) =
                            search_by_latency(last, guess, |asked| knee(asked, step, rise));
                        assert_eq!(found, step, "from {guess} of {last}, {rise}: {asked:?}");
                        assert!(asked.iter().all(|step| (1..=last).contains(step)));
                        let count = asked.len();
                        assert!(count <= 18, "{asked:?}");
                        asked.sort_unstable();
                        asked.dedup();
                        assert_eq!(asked.len(), count, "asks twice");
                    }
                }
            }
        }
        let asked = |guess, step| search_by_latency(100, guess, |asked| knee(asked, step, 0.1)).1;
        assert_eq!(asked(30, 30), [30, 31]);
        assert_eq!(asked(30, 29), [30, 29]);
        assert_eq!(asked(60, 30), [60, 58, 42, 30, 32, 31]);
        assert_eq!(asked(30, 60), [30, 32, 36, 44, 60, 67, 62, 61]);
    }

    #[test]
    fn latencies_that_fall_or_stay_are_searched_without_a_line() {
        let (found, asked) = search_by_latency(100, 30, |_| 0.5);
        assert_eq!((found, &asked[..4]), (100, &[30, 32, 36, 44][..]));
        let (found, asked) = search_by_latency(100, 30, |_| 2.0);
        assert_eq!((found, &asked[..4]), (0, &[30, 28, 24, 16][..]));
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
