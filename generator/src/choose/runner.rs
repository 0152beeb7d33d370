//! Runs: what a contest needs to know of a contender, and the search for the load at which it saturates.
//!
//! A [`Runner`] answers how a contender performs under some traffic at a load. Loads are whole percent of what a node
//! can send, called *steps*. The search goes from a guess to where latencies lead it, so a good guess takes few runs;
//! it is the simulator's own. Its runs end as soon as the verdict is certain
//! ([`Run::foresee`](tvlb_simulator::Run::foresee)).

use super::contender::Contender;
use super::error::ChooseError;
use super::figures::RunFigures;
use super::panel::{Event, Guard, Panel, Population};
use rayon::prelude::*;
use tvlb_simulator::{ForeseenLatency, last_good_by_latency};
pub(super) use tvlb_table_set::{STEPS, load_of, step_of};

/// Answers how a subject, usually a contender, performs under the traffic of a panel.
pub(crate) trait Runner<S: Copy + Sync = Contender>: Sync {
    fn panel(&self) -> &Panel;

    /// The figures of one run at a load of `step` hundredths, which ends as soon as it is certain to be saturated. A
    /// whole run continues until every packet of so many windows is delivered.
    fn measure(
        &self,
        subject: S,
        event: &Event,
        step: u32,
        whole_windows: Option<u32>,
    ) -> Result<RunFigures, ChooseError>;

    /// The mean latencies of one run, precise enough to say on which side of the panel's limit they are: if that is
    /// clear early, they are not measured but extrapolated.
    fn foresee(&self, subject: S, event: &Event, step: u32)
    -> Result<ForeseenLatency, ChooseError>;

    fn latency(&self, subject: S, event: &Event, step: u32) -> Result<f64, ChooseError> {
        Ok(self.measure(subject, event, step, None)?.latency)
    }

    /// The mean latency of one run, relative to the panel's limit: at most 1 if the nodes are served. It is that of a
    /// population, or of all nodes.
    fn limits(
        &self,
        subject: S,
        event: &Event,
        population: Option<Population>,
        step: u32,
    ) -> Result<f64, ChooseError> {
        let foreseen = self.foresee(subject, event, step)?;
        let of = |(number, _): Population| foreseen.populations.get(number).copied();
        let latency = population.and_then(of).unwrap_or(foreseen.all);
        Ok(latency / f64::from(self.panel().latency_limit))
    }

    /// The last step at which a subject is not saturated.
    fn saturation(&self, subject: S, event: &Event, guess: u32) -> Result<u32, ChooseError> {
        last_good_by_latency(STEPS, guess, |step| self.limits(subject, event, None, step))
    }

    /// Whether the nodes of a guard are served in each of its runs. After the first in which they are not, no other is
    /// made.
    fn served_at(&self, subject: S, guard: &Guard, step: u32) -> Result<bool, ChooseError> {
        for (event, below) in guard.runs() {
            if self.limits(subject, &event, guard.population, step_below(step, below))? > 1.0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The last step, of the first `most`, at which a subject serves the nodes of a guard: that of its first run, if
    /// every other run carries as much.
    fn guard_saturation(
        &self,
        subject: S,
        guard: &Guard,
        (guess, most): (u32, u32),
    ) -> Result<u32, ChooseError> {
        let mut runs = guard.runs();
        let Some((event, _)) = runs.next() else { return Ok(STEPS) };
        let limits = |event: &Event, step| self.limits(subject, event, guard.population, step);
        let mut least = last_good_by_latency(most, guess, |step| limits(&event, step))?;
        for (event, below) in runs {
            if least == 0 {
                break;
            }
            let step = step_below(least, below);
            let last = last_good_by_latency(step, step, |step| limits(&event, step))?;
            least = if last == 0 { 0 } else { least.min(last + below) };
        }
        Ok(least)
    }
}

/// The step this far below another, but at least 1.
fn step_below(step: u32, below: u32) -> u32 {
    step.saturating_sub(below).max(1)
}

/// Computes all answers side by side. Returns all, or the first failure in the order of the questions.
///
/// # Errors
/// That failure.
pub fn all_of<T: Sync, U: Send>(
    questions: &[T],
    ask: impl Fn(&T) -> Result<U, ChooseError> + Send + Sync,
) -> Result<Vec<U>, ChooseError> {
    let answers: Vec<Result<U, ChooseError>> =
        questions.par_iter().with_max_len(1).map(ask).collect();
    answers.into_iter().collect()
}
