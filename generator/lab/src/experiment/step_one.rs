//! Figures 4 and 5: Step 1's throughputs, as `tvlb model` computes them.

use super::catalogue::Experiment;
use super::error::ExperimentError;
use super::findings::{Findings, Heading, Options, compared, to_json};
use serde::Serialize;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use tvlb_generator::throughput::report::{Heading as ModelHeading, Report};
use tvlb_generator::throughput::state::Done;
use tvlb_generator::throughput::sweep::Sweep;
use tvlb_generator::throughput::{Counting, path_set, plot};
use tvlb_generator::topology::arrangement::{Arrangement, arrange};
use tvlb_progress::{Cancelled, Progress};
use tvlb_schema::Dragonfly;
use tvlb_traffic::{Flows, sample};

/// The throughputs that the paper's text states of sets on dfly(4,8,4,9).
const STATED: [(&str, f64); 2] = [("60% 5-hop", 0.58), ("all", 0.56)];
/// How much of the best throughput a candidate may lack.
const EPSILON: f64 = 0.01;

#[derive(Serialize)]
struct Document<'d> {
    #[serde(flatten)]
    heading: Heading<'d>,
    report: &'d Report,
}

pub(super) fn run(
    [p, a, h, g]: [u32; 4],
    experiment: &Experiment,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
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
    progress.stage("patterns", Some(sweep.unit_count()));
    let done = Mutex::new(Done::new());
    let finished = |unit, cells, _| {
        done.lock().unwrap_or_else(PoisonError::into_inner).insert(unit, cells);
    };
    sweep.run(&Done::new(), finished, progress)?;
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let cells = sweep.assemble(&done).ok_or(Cancelled)?;
    let heading = ModelHeading { fabric: format!("dfly-{p}-{a}-{h}-{g}"), seed, epsilon: EPSILON };
    let report = Report::new(&sweep, &cells, heading);
    let mut words = format!(
        "  {} sets, {} patterns; no set exceeds {:.6}, and that is proven\n",
        report.sets.len(),
        report.patterns.len(),
        report.bound
    );
    let known: &[(&str, f64)] = if [p, a, h, g] == [4, 8, 4, 9] { &STATED } else { &[] };
    if known.is_empty() {
        words.push_str("  the paper's text: no figure known\n");
    }
    for (name, paper) in known {
        if let Some(set) = report.sets.iter().find(|set| set.set == *name) {
            let ours = compared(set.throughput.middle(), *paper);
            let _ = writeln!(words, "  {name}: {ours}");
            if *paper > report.bound {
                let _ = writeln!(
                    words,
                    "    {paper} is above the proven bound: it cannot be right (docs/measurements/reproduction.md)"
                );
            }
        }
    }
    let json = to_json(&Document { heading: Heading::new(experiment, options), report: &report });
    let pictures = vec![("throughput".to_owned(), plot::svg(&report))];
    Ok(Findings { csv: report.csv(), json, pictures, words })
}
