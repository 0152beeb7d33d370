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

    /// Whether the nodes that a guard is for are served in each of its runs. After the first in which they
    /// are not, no other is asked.
    fn served_at(&self, subject: S, guard: &Guard, step: u32) -> Result<Answer, ChooseError> {
        let mut of_all = Answer { is_good: true, is_near: false };
        for (event, step) in guard.runs(step) {
            let foreseen = self.foresee(subject, &event, step)?;
            let of = |(number, _): (usize, _)| foreseen.populations.get(number).copied();
            let latency = guard.population.and_then(of).unwrap_or(foreseen.all);
            let answer = answer(self.panel(), latency);
            if !answer.is_good {
                return Ok(answer);
            }
            of_all.is_near |= answer.is_near;
        }
        Ok(of_all)
    }

    /// The last step at which a subject serves the nodes that a guard is for.
    fn guard_saturation(&self, subject: S, guard: &Guard, guess: u32) -> Result<u32, ChooseError> {
        last_good(guess, |step| self.served_at(subject, guard, step))
    }
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

/// Whether [`last_good`] would come to `least` or more. It asks about the same steps in the same order,
/// and stops as soon as that is known.
pub(super) fn reaches<E>(
    guess: u32,
    least: u32,
    mut ask: impl FnMut(u32) -> Result<Answer, E>,
) -> Result<bool, E> {
    let mut bad = STEPS + 1;
    let found = last_good(guess, |step| {
        let answer = ask(step).map_err(Ending::Failed)?;
        if !answer.is_good {
            bad = bad.min(step);
            if bad <= least {
                return Err(Ending::Known(false));
            }
        } else if (least..bad).contains(&step) {
            // A good step above a bad one proves nothing.
            return Err(Ending::Known(true));
        }
        Ok(answer)
    });
    match found {
        Ok(last) => Ok(last >= least),
        Err(Ending::Known(reached)) => Ok(reached),
        Err(Ending::Failed(error)) => Err(error),
    }
}

/// Why a search ends before it has found the last good step.
enum Ending<E> {
    Known(bool),
    Failed(E),
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
    fn what_a_search_would_reach_is_known_sooner() {
        // Good steps above bad ones among them.
        let is_good = |step: u32, last: u32| step <= last || (step % 7 == 3 && step <= last + 8);
        let mut spared = 0;
        for guess in (1..=STEPS).step_by(3) {
            for last in 0..=STEPS {
                let mut whole = Vec::new();
                let found = last_good::<Infallible>(guess, |step| {
                    whole.push(step);
                    Ok(answer(is_good(step, last)))
                });
                for least in [0, 1, 17, 58, 99, STEPS] {
                    let mut asked = Vec::new();
                    let reached = reaches::<Infallible>(guess, least, |step| {
                        asked.push(step);
                        Ok(answer(is_good(step, last)))
                    });
                    assert_eq!(reached.unwrap(), found.unwrap() >= least, "{guess} {last} {least}");
                    assert!(whole.starts_with(&asked), "{asked:?} of {whole:?}");
                    spared += whole.len() - asked.len();
                }
            }
        }
        assert!(spared > 10_000, "{spared}");
        assert_eq!(reaches(30, 29, |_| Err("broken")), Err("broken"));
    }

    #[test]
    fn a_failure_ends_the_search() {
        assert_eq!(last_good(30, |_| Err("broken")), Err("broken"));
    }
}
