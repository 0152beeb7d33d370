//! `tvlb-lab sweep`.

use crate::plot::{Look, MOST_SERIES, Selection, Table, draw};
use clap::Args;
use std::path::{Path, PathBuf};
use tvlb::columns;
use tvlb::failure::{Failure, Outcome};
use tvlb::files::{check_svg, outside_table_sets};
use tvlb::output::{Bars, catch_interrupt, print, tell_of_starved, use_threads, write_file};
use tvlb::values;
use tvlb_lab::sweep::{self, Collected, Plan, SweepError, collect};

/// Simulate every combination that a sweep file lists, one run at a time, and collect the figures
///
/// A run that is in DIR already is not made again, and all processes with the same command make each run
/// once, on any machines. docs/reference/sweep.md describes the file and how to spread a sweep over a cluster.
#[derive(Args)]
#[command(after_long_help = columns::SWEEP)]
pub(crate) struct Arguments {
    /// The sweep file
    file: PathBuf,
    /// Where runs are kept, one file for each
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Simulate nothing: merge the runs in DIR into runs.csv, and their means over seeds into summary.csv;
    /// searches for the load of saturation into saturation.csv and saturation-summary.csv. Where some are
    /// missing, those that are there, and the exit code is 1
    #[arg(long)]
    collect: bool,
    /// Draw the runs that DIR keeps once the command has done its work: mean latency over load, a panel for each kind
    /// of traffic, or the loads of saturation; as SVG. `tvlb-lab plot` draws every other figure, and parts of a sweep of many lines
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Use this many threads instead of one per core; the figures are the same for any number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::threads)]
    threads: Option<usize>,
    /// Show no progress: print nothing but the result and errors
    #[arg(short, long)]
    quiet: bool,
}

/// Writes the tables of those runs that are there, and says whether that is all.
fn collect_runs(plan: &Plan, arguments: &Arguments) -> Outcome {
    let directory = arguments.output.as_path();
    let collected = collect(plan, directory).map_err(Failure::of)?;
    let Collected { runs, summary, names, found, missing } = &collected;
    let all = found + missing;
    let [path, by_seed] = names.map(|name| directory.join(name));
    write_file(&path, runs)?;
    write_file(&by_seed, summary)?;
    if let Some(picture) = &arguments.plot {
        draw_runs(plan, directory, &collected, picture)?;
    }
    let (path, by_seed) = (path.display(), by_seed.display());
    if !arguments.quiet && arguments.plot.is_none() {
        eprintln!("`tvlb-lab plot {path} -o PICTURE.svg` draws them");
    }
    if *missing == 0 {
        return print(&format_args!("{path}: {all} runs; {by_seed} has their means over seeds\n"));
    }
    print(&format_args!("{path}: {found} of {all} runs; {by_seed} has their means over seeds\n"))?;
    Err(Failure::Finding(format!(
        "{}: {missing} of {all} runs are not there yet; the same command without --collect makes them",
        directory.display()
    )))
}

/// Refuses a picture that cannot be drawn, before anything runs.
fn check_plot(plan: &Plan, arguments: &Arguments) -> Outcome {
    let Some(picture) = &arguments.plot else { return Ok(()) };
    check_svg("--plot", picture)?;
    // Saturations are marks above names, of which there may be any number.
    if plan.line_count() <= MOST_SERIES || plan.is_of_saturations() {
        return Ok(());
    }
    Err(Failure::Message(format!(
        "--plot {}: for each kind of traffic the sweep has {} lines, accepted at most {MOST_SERIES} in one picture, \
         which can be told apart; without --plot, `tvlb-lab plot {} --where COLUMN=VALUE` draws a part of what \
         --collect merges",
        picture.display(),
        plan.line_count(),
        arguments.output.join("runs.csv").display()
    )))
}

/// Draws what is there of a sweep.
fn draw_runs(plan: &Plan, directory: &Path, collected: &Collected, picture: &Path) -> Outcome {
    let name = directory.join(collected.names[0]).display().to_string();
    let table = Table::parse(&name, &collected.runs)?;
    let selection = Selection::with_panels((plan.traffic_count() > 1).then_some("traffic"));
    draw(&[table], &selection, &Look::default(), picture).map(|_| ())
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    use_threads(arguments.threads)?;
    outside_table_sets([
        ("--output", Some(arguments.output.as_path())),
        ("--plot", arguments.plot.as_deref()),
    ])?;
    let plan = Plan::read(&arguments.file).map_err(Failure::of)?;
    check_plot(&plan, arguments)?;
    let directory = arguments.output.display();
    if arguments.collect {
        return collect_runs(&plan, arguments);
    }
    catch_interrupt()?;
    tell_of_starved(arguments.quiet, plan.starved_links());
    let stages = Bars::beginning(
        arguments.quiet,
        &format_args!(
            "making the runs of {} that {directory} does not keep yet, and keeping each",
            arguments.file.display()
        ),
    );
    let made = sweep::run(&plan, &arguments.output, &stages);
    stages.finish();
    let (runs, now) = (made.runs, made.now);
    made.end.map_err(|error| match error {
        SweepError::Cancelled(_) => Failure::Stopped(format!(
            "{directory} keeps {} of {runs} runs, and the same command makes the others",
            made.before + now
        )),
        error => Failure::of(error),
    })?;
    if let Some(picture) = &arguments.plot {
        let collected = collect(&plan, &arguments.output).map_err(Failure::of)?;
        draw_runs(&plan, &arguments.output, &collected, picture)?;
    }
    print(&format_args!("{directory}: {runs} runs, {now} made now; --collect merges them\n"))
}
