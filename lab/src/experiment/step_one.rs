//! Figures 4 and 5: Step 1's throughputs, as `tvlb model` computes them.

use super::catalogue::Experiment;
use super::clock::Clock;
use super::error::ExperimentError;
use super::findings::{Findings, Texts};
use super::kept;
use super::kept_results::KeptResults;
use super::options::Options;
use super::results::{Figures, Model, ModelledSet};
use serde::Serialize;
use std::path::Path;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::Dragonfly;
use tvlb_throughput::report::{Heading, Report, SetResult};
use tvlb_throughput::state;
use tvlb_throughput::sweep::{Cell, Sweep, Tally};
use tvlb_throughput::{Counting, path_set, plot};
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_traffic::{Flows, sample};

/// How much of the best throughput a candidate may lack.
const EPSILON: f64 = 0.01;

/// What the time of a model depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Subject<'s> {
    tool_version: &'static str,
    modelled: &'s str,
    quick: bool,
    seed: u64,
}

pub(super) fn run(
    [p, a, h, g]: [u32; 4],
    experiment: &Experiment,
    context: (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let (options, _) = context;
    let df = Dragonfly::new(p, a, h, g)?;
    let seed = options.seed;
    let topology = arrange(df, Arrangement::default(), seed)?;
    let all = Flows::type_1_set(&df);
    let (shifts, type_2) = if options.quick { (2, 1) } else { (all.len(), 20) };
    let mut patterns = sample(all, shifts, seed);
    patterns.extend(Flows::type_2_set(&df, type_2, seed));
    let mut sets = path_set::table_1(seed);
    sets.extend(path_set::strategic());
    let sweep = Sweep::new(&topology, Counting::Triples, patterns, sets);
    let subject = Subject {
        tool_version: env!("CARGO_PKG_VERSION"),
        modelled: experiment.name,
        quick: options.quick,
        seed,
    };
    let (cells, seconds) = cells(&sweep, &subject, options.state.as_deref(), progress)?;
    let name = format!("dfly-{p}-{a}-{h}-{g}");
    let heading = Heading { fabric: name, dead: Vec::new(), seed, epsilon: EPSILON };
    let report = Report::new(&sweep, &cells, heading);
    let (sets, patterns, bound) = (report.sets.len(), report.patterns.len(), report.bound);
    let words = format!(
        "  {sets} sets, {patterns} patterns; no set exceeds {bound:.6}, and that is proven\n"
    );
    let model = Model {
        dragonfly: [p, a, h, g],
        patterns,
        bound,
        sets: report.sets.iter().map(modelled).collect(),
    };
    let pictures = vec![("throughput".to_owned(), plot::svg(&report))];
    let texts = Texts { csv: report.csv(), pictures, words, model: Some(&report) };
    Ok(Findings::new(experiment, (Figures::Model(model), seconds), texts, context))
}

fn modelled(set: &SetResult) -> ModelledSet {
    let throughput = &set.throughput;
    ModelledSet {
        set: set.set.clone(),
        throughput: throughput.middle(),
        lower: throughput.lower,
        upper: throughput.upper,
        standard_error: throughput.standard_error,
        mean_hops: set.mean_hops,
    }
}

/// The cells of a sweep, those that an earlier try kept included, and the processor time of all.
fn cells(
    sweep: &Sweep<'_>,
    subject: &Subject<'_>,
    directory: Option<&Path>,
    progress: &dyn Progress,
) -> Result<(Vec<Vec<Cell>>, f64), ExperimentError> {
    let quick = if subject.quick { "-quick" } else { "" };
    let name = format!("{}{quick}-seed-{}.model", subject.modelled, subject.seed);
    let times = kept::open(directory)?;
    let before: Option<f64> = times.as_ref().map(|times| times.get(subject)).transpose()?.flatten();
    let clock = Clock::of_process();
    progress.stage("patterns", Some(sweep.unit_count()));
    let state = directory.map(|directory| directory.join(name));
    let done = state::make(sweep, state.as_deref(), progress)?;
    let mut seconds = before.unwrap_or_default();
    // What was only read takes no time worth counting, and so a repetition changes no file.
    if done.tally != Tally::default() {
        seconds += clock.seconds();
        if let Some(times) = &times {
            times.put(subject, &seconds)?;
        }
    }
    Ok((sweep.assemble(&done.units).ok_or(Cancelled)?, seconds))
}
