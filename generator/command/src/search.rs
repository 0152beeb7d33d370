//! `tvlb search`.

use crate::args::Search;
use crate::failure::{Failure, Outcome};
use crate::files::{load_fabric, outside_table_sets};
use crate::generate::policies_to_try;
use crate::output::{Bars, catch_interrupt, print, print_json, tell_of_starved, use_threads};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use tvlb_generator::choose::ChooseError;
use tvlb_generator::choose::mixtures::{Options, SearchEntry, search};
use tvlb_generator::choose::panel::Panel;
use tvlb_generator::counted::counted;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::image::check_reachable;

pub(crate) fn run(arguments: &Search) -> Outcome {
    catch_interrupt()?;
    use_threads(arguments.threads)?;
    outside_table_sets([("--state", arguments.state.as_deref())])?;
    let mut fabrics = Vec::new();
    for path in &arguments.fabrics {
        let fabric = load_fabric(path)?;
        check_reachable(&fabric.topology).map_err(|error| {
            Failure::Message(format!("{}: {error}", fabric.wiring_path(path).display()))
        })?;
        if fabrics.iter().any(|other: &Fabric| other.file.name == fabric.file.name) {
            return Err(Failure::Message(format!(
                "{}: another fabric is named `{}` too; each needs a name of its own",
                path.display(),
                fabric.file.name
            )));
        }
        fabrics.push(fabric);
    }
    let options = Options {
        scheme: arguments.scheme,
        runs: arguments.runs as usize,
        seed: arguments.seed,
        most_regret: arguments.max_regret.unwrap_or_default(),
        panel: arguments.panel,
        tried: policies_to_try(&arguments.try_policy, arguments.seed)?,
        state: arguments.state.clone(),
    };
    let starved = fabrics.iter().flat_map(|fabric| panel(fabric, &options).starved_links());
    tell_of_starved(arguments.quiet, starved);
    let keep = match &arguments.state {
        Some(state) => format!("{} keeps them", state.display()),
        None => "--state DIR would keep them".to_owned(),
    };
    let runs = arguments.runs;
    let what = format!(
        "searching on {}, with some {runs} runs; {keep}",
        counted(fabrics.len() as u64, "fabric")
    );
    let stages = Bars::beginning(arguments.quiet, &what);
    let found = search(&fabrics, &options, &stages);
    stages.finish();
    let found = found.map_err(|error| match error {
        ChooseError::Cancelled(_) => Failure::Stopped(match &arguments.state {
            Some(state) => format!(
                "{} keeps the runs so far, and the same command goes on from there",
                state.display()
            ),
            None => "nothing was kept; --state DIR would have kept the runs".to_owned(),
        }),
        error => Failure::of(error),
    })?;
    let report = Report {
        entry: found,
        latency_limits: fabrics.iter().map(|of| panel(of, &options).latency_limit).collect(),
    };
    if arguments.json { print_json(&report) } else { print(&report) }
}

/// What runs on a fabric.
fn panel(fabric: &Fabric, options: &Options) -> Panel {
    let df = fabric.topology.dragonfly();
    Panel::new(df, fabric.file.links(), options.seed, options.panel)
}

/// What was found, and by which criterion.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    #[serde(flatten)]
    entry: SearchEntry,
    /// By fabric, the mean latency in cycles above which a run counted as saturated.
    latency_limits: Vec<u32>,
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entry)?;
        let limits: Vec<String> = self.latency_limits.iter().map(u32::to_string).collect();
        let limits = limits.join("/");
        writeln!(f, "(throughput is the saturation: the mean latency passes {limits} cycles)")
    }
}
