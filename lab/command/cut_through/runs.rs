//! The runs of the command: all are checked before the first is made.

use super::CutThroughOptions;
use super::report::{
    About, CutThroughReport, CutThroughText, RunResult, RunSubject, Saturations, table_of_runs,
    table_of_saturations, table_of_windows,
};
use rayon::prelude::*;
use tvlb::failure::{Failure, Outcome};
use tvlb::output::{Bars, print, print_json};
use tvlb::simulate::FigureFormat;
use tvlb_base::progress::Progress;
use tvlb_generator::counted::counted;
use tvlb_lab::cut_through::{
    CutThrough, CutThroughError, CutThroughFabric, CutThroughRun, Sending, saturation,
};
use tvlb_traffic::Traffic;

/// What a run is made with.
pub(super) type Asked<'r> = (&'r CutThrough, Sending, u64, &'r Traffic);

impl CutThroughOptions {
    /// All runs, of which none can be refused: everything is checked before anything runs.
    pub(super) fn checked<'r>(
        &self,
        network: CutThroughFabric<'r>,
        settings: &'r [CutThrough],
        traffics: &'r [Traffic],
    ) -> Result<Vec<Asked<'r>>, Failure> {
        let mut runs = Vec::new();
        for settings in settings {
            for sending in self.sendings() {
                for (&seed, traffic) in self.seeds.iter().zip(traffics) {
                    CutThroughRun::new(network, settings, traffic, sending, seed)
                        .map_err(Failure::of)?;
                    runs.push((settings, sending, seed, traffic));
                }
            }
        }
        Ok(runs)
    }

    /// Makes the runs or the searches, and prints them.
    pub(super) fn reported(
        &self,
        network: CutThroughFabric<'_>,
        about: About<'_>,
        (runs, subjects): (&[Asked<'_>], &[RunSubject]),
    ) -> Outcome {
        if self.saturation {
            let resolution = self.resolution;
            let search = |(settings, _, seed, traffic): Asked<'_>, bars: &Bars| {
                saturation(network, settings, (traffic, seed), resolution, bars)
            };
            let report = CutThroughReport { about, runs: self.measured(runs, subjects, search)? };
            return match self.format {
                FigureFormat::Table if self.json => print_json(&report),
                FigureFormat::Table => print(&Saturations(&report, resolution)),
                FigureFormat::Csv => print(&table_of_saturations(&report, resolution).csv()),
            };
        }
        let measure = |(settings, sending, seed, traffic): Asked<'_>, bars: &Bars| {
            let mut run = CutThroughRun::new(network, settings, traffic, sending, seed)?;
            if let Some(cycles) = self.series {
                run.record_series(cycles);
            }
            run.measure(bars)
        };
        let report = CutThroughReport { about, runs: self.measured(runs, subjects, measure)? };
        match self.format {
            FigureFormat::Table if self.json => print_json(&report),
            FigureFormat::Table => print(&CutThroughText(&report)),
            FigureFormat::Csv if self.series.is_some() => print(&table_of_windows(&report).csv()),
            FigureFormat::Csv => print(&table_of_runs(&report).csv()),
        }
    }

    /// Makes the runs, or what else is done with each, several at a time.
    fn measured<T: Send>(
        &self,
        runs: &[Asked<'_>],
        subjects: &[RunSubject],
        measure: impl Fn(Asked<'_>, &Bars) -> Result<T, CutThroughError> + Sync,
    ) -> Result<Vec<RunResult<T>>, Failure> {
        let what =
            if self.saturation { ("searching for", "saturation") } else { ("simulating", "run") };
        let what = format!("{} {}", what.0, counted(runs.len() as u64, what.1));
        let bars = Bars::beginning(self.work.quiet, &what);
        bars.stage("runs", Some(runs.len()));
        let outcomes = runs.par_iter().map(|&asked| {
            let (settings, _, seed, _) = asked;
            let measured = measure(asked, &bars);
            bars.step();
            let scheme = settings.routing.name();
            let subject = subjects.iter().find(|subject| subject.scheme == scheme);
            let subject = subject.expect("every routing has a subject").clone();
            match measured {
                Ok(outcome) => Ok(RunResult { subject, seed, outcome }),
                Err(CutThroughError::Cancelled(_)) => Err(Failure::Interrupted),
                Err(error) => Err(Failure::Message(format!("{scheme}, seed {seed}: {error}"))),
            }
        });
        let outcomes: Vec<Result<RunResult<T>, Failure>> = outcomes.collect();
        bars.finish();
        outcomes.into_iter().collect()
    }
}
