//! `tvlb-lab run`: jobs on the network of a table set, from their first step to their last.

mod page;
mod replay;
mod report;
mod workload;

use crate::jobs;
use clap::Args;
use rayon::prelude::*;
use report::RunReport;
use std::path::PathBuf;
use tvlb::failure::{Failure, Outcome};
use tvlb::files::outside_table_sets;
use tvlb::output::{Bars, WorkOptions, catch_interrupt, print, tell_of_starved, write_file};
use tvlb::simulate::FigureFormat;
use tvlb::switches::Switches;
use tvlb::tables::Tables;
use tvlb::values::repeated;
use tvlb_base::parameter::Stated;
use tvlb_base::progress::Progress;
use tvlb_generator::counted::counted;
use workload::Workload;

/// Run jobs on the network that a table set describes, until they end
///
/// Each rank of a job runs a program: it sends messages, waits for messages and computes. All ranks begin in cycle 0 on
/// an empty network, and the times at which jobs end are printed. `--jobs swf:FILE` reads jobs that arrive one after
/// the other from a list in the Standard Workload Format. docs/reference/run.md says more.
#[derive(Args)]
#[command(after_long_help = jobs::HELP)]
pub(crate) struct RunOptions {
    /// The directory that `generate` wrote
    directory: PathBuf,
    #[command(flatten)]
    workload: workload::WorkloadOptions,
    /// Which runs to make. The seed of a run decides random placements, maps and paths
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    seeds: Vec<u64>,
    /// How to print the times
    #[arg(long, value_enum, ignore_case = true, default_value_t = FigureFormat::Table)]
    format: FigureFormat,
    /// Print JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write a report with pictures, as HTML: where the jobs run, when their phases ended, how the links were loaded
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    switches: Switches,
    #[command(flatten)]
    work: WorkOptions,
}

pub(crate) fn run(arguments: &RunOptions) -> Outcome {
    arguments.work.use_threads()?;
    if let Some(seed) = repeated(&arguments.seeds) {
        let text = format!("--seeds: found {seed} twice, accepted each seed once");
        return Err(Failure::Message(text));
    }
    outside_table_sets([("--report", arguments.report.as_deref())])?;
    let tables = Tables::open(&arguments.directory)?;
    let fabric = tables.set.fabric_image().map_err(Failure::of)?;
    let switches = tables.switch_images(&fabric, arguments.switches.revision())?;
    let fabric = tables.boot(&fabric, &switches)?;
    let described = (&fabric, &tables.set.manifest().fabric);
    let settings = arguments.switches.settings(described, Stated::default(), false);
    let workload = Workload::of(&arguments.workload, &fabric, &settings)?;
    if workload.arrivals.is_some() && (arguments.report.is_some() || arguments.json) {
        let text = "--report, --json: found a list of jobs that arrive, accepted jobs that all begin in cycle 0";
        return Err(Failure::Message(text.to_owned()));
    }

    catch_interrupt()?;
    tell_of_starved(arguments.work.quiet, settings.starved_links());
    let runs = counted(arguments.seeds.len() as u64, "run");
    let nodes = fabric.nodes().count();
    let what = format_args!("running the jobs on {nodes} nodes to their end, {runs}").to_string();
    let stages = Bars::beginning(arguments.work.quiet, &what);
    stages.stage("runs", Some(arguments.seeds.len()));
    if let Some(list) = &workload.arrivals {
        let (what, network) = ((&workload, &list[..]), (&fabric, &settings));
        let mut table = replay::table();
        let rows =
            for_seeds(arguments, &stages, |seed| replay::serve(what, network, seed, &stages))?;
        rows.into_iter().flatten().for_each(|row| table.push(row));
        return match arguments.format {
            FigureFormat::Table => print(&table),
            FigureFormat::Csv => print(&table.csv()),
        };
    }
    let run = |seed| workload.run(&fabric, &settings, seed, &stages);
    let report = RunReport {
        workload: &workload,
        fabric: &tables.set.manifest().fabric,
        settings: &settings,
        runs: for_seeds(arguments, &stages, run)?,
    };
    if let Some(path) = &arguments.report {
        write_file(path, &page::html(&report, &fabric))?;
    }
    match arguments.format {
        _ if arguments.json => report.print_json(),
        FigureFormat::Table => print(&report::RunText(&report)),
        FigureFormat::Csv => print(&report.table().csv()),
    }
}

/// The result of `f` for every seed, in the order of the seeds.
fn for_seeds<T: Send>(
    arguments: &RunOptions,
    stages: &Bars,
    run: impl Fn(u64) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    let all = arguments.seeds.par_iter().map(|&seed| {
        let made = run(seed);
        stages.step();
        made
    });
    let made: Vec<Result<T, Failure>> = all.collect();
    stages.finish();
    made.into_iter().collect()
}
