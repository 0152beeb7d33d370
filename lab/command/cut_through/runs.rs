//! The runs of the command: all are checked before the first is made.

use super::Arguments;
use super::report::{
    About, Measured, Report, Saturations, Subject, Text, table_of_runs, table_of_saturations,
    table_of_windows,
};
use rayon::prelude::*;
use tvlb::failure::{Failure, Outcome};
use tvlb::output::{Bars, print, print_json};
use tvlb::simulate::Format;
use tvlb_base::progress::Progress;
use tvlb_generator::counted::counted;
use tvlb_lab::cut_through::{
    CutThrough, CutThroughError, CutThroughRun, Fabric, Sending, saturation,
};
use tvlb_traffic::Traffic;

/// What a run is made with.
pub(super) type Asked<'r> = (&'r CutThrough, Sending, u64, &'r Traffic);

/// All runs, of which none can be refused: everything is checked before anything runs.
pub(super) fn checked<'r>(
    arguments: &Arguments,
    network: Fabric<'r>,
    settings: &'r [CutThrough],
    traffics: &'r [Traffic],
) -> Result<Vec<Asked<'r>>, Failure> {
    let mut runs = Vec::new();
    for settings in settings {
        for sending in arguments.sendings() {
            for (&seed, traffic) in arguments.seeds.iter().zip(traffics) {
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
    arguments: &Arguments,
    network: Fabric<'_>,
    about: About<'_>,
    (runs, subjects): (&[Asked<'_>], &[Subject]),
) -> Outcome {
    if arguments.saturation {
        let resolution = arguments.resolution;
        let search = |(settings, _, seed, traffic): Asked<'_>, bars: &Bars| {
            saturation(network, settings, (traffic, seed), resolution, bars)
        };
        let report = Report { about, runs: measured(runs, subjects, arguments, search)? };
        return match arguments.format {
            Format::Table if arguments.json => print_json(&report),
            Format::Table => print(&Saturations(&report, resolution)),
            Format::Csv => print(&table_of_saturations(&report, resolution).csv()),
        };
    }
    let measure = |(settings, sending, seed, traffic): Asked<'_>, bars: &Bars| {
        let mut run = CutThroughRun::new(network, settings, traffic, sending, seed)?;
        if let Some(cycles) = arguments.series {
            run.record_series(cycles);
        }
        run.measure(bars)
    };
    let report = Report { about, runs: measured(runs, subjects, arguments, measure)? };
    match arguments.format {
        Format::Table if arguments.json => print_json(&report),
        Format::Table => print(&Text(&report)),
        Format::Csv if arguments.series.is_some() => print(&table_of_windows(&report).csv()),
        Format::Csv => print(&table_of_runs(&report).csv()),
    }
}

/// Makes the runs, or what else is done with each, several at a time.
fn measured<T: Send>(
    runs: &[Asked<'_>],
    subjects: &[Subject],
    arguments: &Arguments,
    measure: impl Fn(Asked<'_>, &Bars) -> Result<T, CutThroughError> + Sync,
) -> Result<Vec<Measured<T>>, Failure> {
    let what =
        if arguments.saturation { ("searching for", "saturation") } else { ("simulating", "run") };
    let what = format!("{} {}", what.0, counted(runs.len() as u64, what.1));
    let bars = Bars::beginning(arguments.work.quiet, &what);
    bars.stage("runs", Some(runs.len()));
    let outcomes = runs.par_iter().map(|&asked| {
        let (settings, _, seed, _) = asked;
        let measured = measure(asked, &bars);
        bars.step();
        let scheme = settings.routing.name();
        let subject = subjects.iter().find(|subject| subject.scheme == scheme);
        let subject = subject.expect("every routing has a subject").clone();
        match measured {
            Ok(outcome) => Ok(Measured { subject, seed, outcome }),
            Err(CutThroughError::Cancelled(_)) => Err(Failure::Interrupted),
            Err(error) => Err(Failure::Message(format!("{scheme}, seed {seed}: {error}"))),
        }
    });
    let outcomes: Vec<Result<Measured<T>, Failure>> = outcomes.collect();
    bars.finish();
    outcomes.into_iter().collect()
}
