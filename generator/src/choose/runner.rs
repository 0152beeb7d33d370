//! Runs: what a contest asks about a contender, and the search for the load at which it saturates.
//!
//! A [`Runner`] answers what a contender makes of some traffic at a load. Loads are whole percent of
//! what a node can send, called *steps*. The search strides away from a guess, asks about the next step
//! where a run is near the limit, and then halves what is left, so a good guess takes few runs; it is
//! the simulator's own. Its runs end as soon as their verdict is plain
//! ([`Run::foresee`](tvlb_simulator::Run::foresee)).

use super::contender::Contender;
use super::error::ChooseError;
use super::figures::RunFigures;
use super::panel::{Event, Guard, Panel};
use rayon::prelude::*;
use std::ops::RangeInclusive;
use tvlb_simulator::{Answer, ForeseenLatency};
pub(super) use tvlb_table_set::{STEPS, load_of, step_of};

/// Mean latencies, in the panel's limit, that are near it. Of the runs of a choice on dfly(4, 8, 4, 9) three
/// quarters have such a latency at the last step that is carried and at the first that is not, and a
/// quarter at the steps two below and two above.
const NEAR: RangeInclusive<f64> = 0.75..=1.2;

/// Answers what a subject, as a rule a contender, makes of the traffic of a panel.
pub(crate) trait Runner<S: Copy + Sync = Contender>: Sync {
    fn panel(&self) -> &Panel;

    /// The figures of one run at a load of `step` hundredths, which ends as soon as it is certain to be
    /// saturated. A whole run goes on until every packet of so many windows is delivered.
    fn measure(
        &self,
        subject: S,
        event: &Event,
        step: u32,
        whole_windows: Option<u32>,
    ) -> Result<RunFigures, ChooseError>;

    /// The mean latencies of one run, as far as they say on which side of the panel's limit they are: where
    /// that is plain early, they are not measured but expected.
    fn foresee(&self, subject: S, event: &Event, step: u32)
    -> Result<ForeseenLatency, ChooseError>;

    fn latency(&self, subject: S, event: &Event, step: u32) -> Result<f64, ChooseError> {
        Ok(self.measure(subject, event, step, None)?.latency)
    }

    /// Whether a subject is not saturated at a step.
    fn carried_at(&self, subject: S, event: &Event, step: u32) -> Result<Answer, ChooseError> {
        Ok(answer(self.panel(), self.foresee(subject, event, step)?.all))
    }

    /// The last step at which a subject is not saturated.
    fn saturation(&self, subject: S, event: &Event, guess: u32) -> Result<u32, ChooseError> {
        last_good(guess, |step| self.carried_at(subject, event, step))
    }

    /// What the nodes that a guard is for make of one of its runs.
    fn serves(
        &self,
        subject: S,
        guard: &Guard,
        event: &Event,
        step: u32,
    ) -> Result<Answer, ChooseError> {
        let foreseen = self.foresee(subject, event, step)?;
        let of = |(number, _): (usize, _)| foreseen.populations.get(number).copied();
        let latency = guard.population.and_then(of).unwrap_or(foreseen.all);
        Ok(answer(self.panel(), latency))
    }

    /// Whether the nodes that a guard is for are served in each of its runs. After the first in which they
    /// are not, no other is asked.
    fn served_at(&self, subject: S, guard: &Guard, step: u32) -> Result<bool, ChooseError> {
        for (event, below) in guard.runs() {
            if !self.serves(subject, guard, &event, step_below(step, below))?.is_good {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The last step at which a subject serves the nodes that a guard is for: that of its first run, as far as
    /// every other run carries as much.
    fn guard_saturation(&self, subject: S, guard: &Guard, guess: u32) -> Result<u32, ChooseError> {
        let mut runs = guard.runs();
        let Some((event, _)) = runs.next() else { return Ok(STEPS) };
        let mut least = last_good(guess, |step| self.serves(subject, guard, &event, step))?;
        for (event, below) in runs {
            let serves = |step| self.serves(subject, guard, &event, step);
            let step = step_below(least, below);
            if least > 0 && !serves(step)?.is_good {
                let last = last_good(step, serves)?;
                least = if last == 0 { 0 } else { least.min(last + below) };
            }
        }
        Ok(least)
    }
}

/// The step that is so far below another, and not 0.
fn step_below(step: u32, below: u32) -> u32 {
    step.saturating_sub(below).max(1)
}

/// What a mean latency says to a search.
fn answer(panel: &Panel, latency: f64) -> Answer {
    let limits = latency / f64::from(panel.latency_limit);
    Answer { is_good: limits <= 1.0, is_near: NEAR.contains(&limits) }
}

/// The last good step next to a bad one: 0 if step 1 is bad, [`STEPS`] if that is good.
pub(super) fn last_good<E>(
    guess: u32,
    ask: impl FnMut(u32) -> Result<Answer, E>,
) -> Result<u32, E> {
    tvlb_simulator::last_good_near(STEPS, guess, ask)
}

/// Asks all questions side by side. Gives all answers, or the first failure in the order of the
/// questions.
pub(super) fn all_of<T: Sync, U: Send>(
    questions: &[T],
    ask: impl Fn(&T) -> Result<U, ChooseError> + Send + Sync,
) -> Result<Vec<U>, ChooseError> {
    let answers: Vec<Result<U, ChooseError>> =
        questions.par_iter().with_max_len(1).map(ask).collect();
    answers.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn answer(is_good: bool) -> Answer {
        Answer { is_good, is_near: false }
    }

    fn search(guess: u32, last: u32) -> (u32, Vec<u32>) {
        let mut asked = Vec::new();
        let found = last_good::<Infallible>(guess, |step| {
            asked.push(step);
            Ok(answer(step <= last))
        });
        (found.unwrap(), asked)
    }

    #[test]
    fn finds_every_step_from_every_guess() {
        for guess in 0..=STEPS + 5 {
            for last in 0..=STEPS {
                let (found, asked) = search(guess, last);
                assert_eq!(found, last, "from {guess}");
                assert!(asked.iter().all(|step| (1..=STEPS).contains(step)));
                let mut distinct = asked.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), asked.len(), "asks twice: {asked:?}");
            }
        }
    }

    #[test]
    fn a_good_guess_takes_three_runs() {
        assert_eq!(search(30, 30).1, [30, 32, 31]);
        assert_eq!(search(30, 29).1, [30, 28, 29]);
        assert!((0..8).all(|off| search(30, 26 + off).1.len() <= 5));
    }

    #[test]
    fn a_failure_ends_the_search() {
        assert_eq!(last_good(30, |_| Err("broken")), Err("broken"));
    }
}
