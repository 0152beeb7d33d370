//! Plot data of Steps 1 and 2, which the manifest does not keep: every modelled set, and the
//! latency–load curves of the three contenders that a user compares. They follow from the fabric and
//! the options alone, not from what an interrupted search had left.
//!
//! The curves are of the first two score patterns, over a fixed grid of loads up to each contender's
//! saturation, and are run for this purpose once the choice is made.

use super::contender::Contender;
use super::error::ChooseError;
use super::panel::Panel;
use super::runner::{Runner, STEPS, all_of, load_of, step_of};
use crate::throughput::report::Report;
use std::collections::BTreeSet;

/// Of so many score patterns there are curves.
const PATTERNS: usize = 2;
/// Distances of the grid's loads, in steps; the first that leaves at most [`MOST_LOADS`] is taken.
const DISTANCES: [u32; 4] = [1, 2, 5, 10];
/// About so many loads a grid has up to the largest saturation.
const MOST_LOADS: u32 = 8;

/// What a report can draw of a choice.
#[derive(Clone, Debug, Default)]
pub struct PlotData {
    /// Step 1's report; none where the fabric is too large to be modelled.
    pub model: Option<Report>,
    /// Step 2's curves by scheme, traffic and contender; none where nothing was simulated.
    pub curves: Vec<Curve>,
}

/// The latencies of one contender under one traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// `ugal-l` or `par`.
    pub scheme: String,
    /// The name of the traffic, with its seed.
    pub traffic: String,
    /// `conventional`, or the set.
    pub contender: String,
    /// The loads of the grid that it carries, and the last one that it carries, by rising load.
    pub points: Vec<CurvePoint>,
    /// The first load at which it is saturated; none if it carries all that nodes can send.
    pub saturated_at: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Flits offered per node and cycle.
    pub load: f64,
    /// Mean latency in cycles.
    pub latency: f64,
}

pub(super) struct Shown<'c> {
    pub(super) contender: Contender,
    pub(super) name: String,
    /// Its saturation on each score pattern.
    pub(super) saturations: &'c [f64],
}

/// The curves of some contenders, in the order given.
///
/// # Errors
/// The first run that failed.
pub(super) fn curves(
    scheme: &str,
    runner: &impl Runner,
    panel: &Panel,
    shown: &[Shown<'_>],
) -> Result<Vec<Curve>, ChooseError> {
    let mut wanted = Vec::new();
    for (number, event) in panel.score.iter().enumerate().take(PATTERNS) {
        let last = |one: &Shown<'_>| one.saturations.get(number).map(|&load| step_of(load));
        let most = shown.iter().filter_map(last).max().unwrap_or(0);
        for one in shown {
            if let Some(last) = last(one) {
                wanted.push((event, one, last, grid(most)));
            }
        }
    }
    all_of(&wanted, |&(event, one, last, distance)| {
        let steps: BTreeSet<u32> = (1..=STEPS / distance)
            .map(|number| number * distance)
            .take_while(|&step| step < last)
            .chain((last > 0).then_some(last))
            .collect();
        let steps: Vec<u32> = steps.into_iter().collect();
        let points = all_of(&steps, |&step| {
            let latency = runner.run(one.contender, event, step)?.latency;
            Ok(CurvePoint { load: load_of(step), latency })
        })?;
        Ok(Curve {
            scheme: scheme.to_owned(),
            traffic: event.to_string(),
            contender: one.name.clone(),
            points,
            saturated_at: (last < STEPS).then(|| load_of(last + 1)),
        })
    })
}

/// The distance of a grid's loads where the largest saturation is at this step.
fn grid(most: u32) -> u32 {
    let fits = |&distance: &u32| most / distance <= MOST_LOADS;
    DISTANCES.into_iter().find(fits).unwrap_or(DISTANCES[DISTANCES.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::figures::RunFigures;
    use crate::choose::panel::{Event, PanelSize};
    use crate::fabric_file::Latencies;
    use tvlb_schema::{Bandwidths, Dragonfly};
    use tvlb_simulator::ForeseenLatency;

    /// A latency that says at which step it was asked for.
    struct Steps;

    impl Runner for Steps {
        fn run(&self, _: Contender, _: &Event, step: u32) -> Result<RunFigures, ChooseError> {
            Ok(RunFigures { saturated: false, latency: f64::from(step), p99: 0, worst_served: 1.0 })
        }

        fn foresee(&self, _: Contender, _: &Event, _: u32) -> Result<ForeseenLatency, ChooseError> {
            unreachable!("a curve has measured latencies")
        }

        fn whole_run(
            &self,
            contender: Contender,
            event: &Event,
            step: u32,
            _: u32,
        ) -> Result<RunFigures, ChooseError> {
            self.run(contender, event, step)
        }
    }

    #[test]
    fn a_grid_has_few_loads() {
        assert_eq!([0, 7, 8, 9, 17, 39, 44, 45, 100].map(grid), [1, 1, 1, 2, 2, 5, 5, 10, 10]);
    }

    #[test]
    fn all_have_the_loads_of_one_grid_and_their_own_last() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let links = (Latencies { local: 10, global: 15 }, Bandwidths::ALIKE, None);
        let panel = Panel::new(&df, links, 1, PanelSize::Standard);
        let shown = |name: &str, contender, saturations| Shown {
            contender,
            name: name.to_owned(),
            saturations,
        };
        let found = curves(
            "par",
            &Steps,
            &panel,
            &[
                shown("conventional", Contender::CONVENTIONAL, &[0.23, 0.20]),
                shown("x", Contender::PAPER, &[0.31, 1.0, 0.3]),
            ],
        );
        let found = found.unwrap();
        let steps = |curve: &Curve| -> Vec<u32> {
            let is_own = |p: &CurvePoint| (f64::from(step_of(p.load)) - p.latency).abs() < 0.5;
            assert!(curve.points.iter().all(is_own));
            curve.points.iter().map(|point| step_of(point.load)).collect()
        };
        assert_eq!(steps(&found[0]), [5, 10, 15, 20, 23]);
        assert_eq!(steps(&found[1]), [5, 10, 15, 20, 25, 30, 31]);
        assert_eq!(steps(&found[2]), [10, 20]);
        assert_eq!((found[3].points.len(), found[3].saturated_at), (10, None));
        assert_eq!((found[0].saturated_at, found[2].saturated_at), (Some(0.24), Some(0.21)));
        assert_eq!(found[1].traffic, panel.score[0].to_string());
    }
}
