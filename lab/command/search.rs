//! `tvlb-lab search`.

use clap::Args;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use tvlb::failure::{Failure, Outcome};
use tvlb::files::{load_fabric, outside_table_sets};
use tvlb::generate::policies_to_try;
use tvlb::named::{self, one_of};
use tvlb::output::{Bars, WorkOptions, catch_interrupt, print, print_json, tell_of_starved};
use tvlb::values;
use tvlb_generator::checked_fabric::{CheckedFabric, fabric_image};
use tvlb_generator::choose::panel::Panel;
use tvlb_generator::choose::{ChooseError, MostRegret, PanelSize};
use tvlb_generator::counted::counted;
use tvlb_generator::fabric::Fabric;
use tvlb_lab::search::{SearchEntry, SearchSettings, search};
use tvlb_simulator::Scheme;
use tvlb_table_set::grammar::GRAMMAR;

/// Search for policies that suit fabrics, judged by simulation: shapes and their weights, thresholds, numbers of
/// candidates, gates and PAR's second look
#[derive(Args)]
#[command(after_long_help = format!("Sets are written as\n\n{GRAMMAR}"))]
pub(crate) struct SearchOptions {
    /// The fabric files; a mixture is judged on all of them
    #[arg(required = true)]
    pub(crate) fabrics: Vec<PathBuf>,
    /// The scheme that the mixtures are for
    #[arg(long, value_parser = one_of(named::SCHEMES_WITH_SETS, Scheme::name), ignore_case = true, default_value = Scheme::UgalL.name())]
    pub(crate) scheme: Scheme,
    /// Start no new generation of mixtures after N runs of the simulator
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = values::count(1_u32..=10_000_000))]
    pub(crate) runs: u32,
    /// The seed of the traffic and of the draws of mixtures; it differs from the fabric files' seed so that `generate`
    /// then compares under traffic that the search has not seen
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub(crate) seed: u64,
    /// How much regret on a guard does not count against a mixture, in percent of what the best of MIN, conventional
    /// VLB and conventional UGAL carries [default: 3]
    #[arg(long, value_name = "PERCENT", value_parser = values::regret)]
    pub(crate) max_regret: Option<MostRegret>,
    /// How much traffic mixtures are tried with
    #[arg(long, value_parser = one_of(named::PANELS, PanelSize::name), ignore_case = true, default_value = PanelSize::Standard.name(), value_name = "SIZE")]
    pub(crate) panel: PanelSize,
    /// A mixture to begin with: SET or for instance SET T=-2 1x4 gate=1.25, or two for PAR with `then` between; may be repeated
    #[arg(long, value_name = "POLICY")]
    pub(crate) try_policy: Vec<String>,
    /// Keep the runs in DIR, and go on from there if interrupted
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// Print JSON, with all mixtures that were tried to the end
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

pub(crate) fn run(arguments: &SearchOptions) -> Outcome {
    catch_interrupt()?;
    arguments.work.use_threads()?;
    outside_table_sets([("--state", arguments.state.as_deref())])?;
    let mut fabrics = Vec::new();
    for path in &arguments.fabrics {
        let fabric = load_fabric(path)?;
        if fabrics.iter().any(|other: &Fabric| other.file.name == fabric.file.name) {
            return Err(Failure::Message(format!(
                "{}: another fabric is named `{}` too; each needs a name of its own",
                path.display(),
                fabric.file.name
            )));
        }
        fabrics.push(fabric);
    }
    let images: Vec<Vec<u8>> =
        fabrics.iter().map(|fabric| fabric_image(&fabric.topology)).collect();
    let mut checked = Vec::new();
    for ((fabric, image), path) in fabrics.iter().zip(&images).zip(&arguments.fabrics) {
        checked.push(CheckedFabric::new(fabric, image).map_err(|error| {
            Failure::Message(format!("{}: {error}", fabric.wiring_path(path).display()))
        })?);
    }
    let fabrics = checked;
    let options = SearchSettings {
        scheme: arguments.scheme,
        runs: arguments.runs as usize,
        seed: arguments.seed,
        most_regret: arguments.max_regret.unwrap_or_default(),
        panel: arguments.panel,
        tried: policies_to_try(&arguments.try_policy, arguments.seed)?,
        state: arguments.state.clone(),
    };
    let starved = fabrics.iter().flat_map(|fabric| panel(fabric, &options).starved_links());
    tell_of_starved(arguments.work.quiet, starved);
    let keep = match &arguments.state {
        Some(state) => format!("{} keeps them", state.display()),
        None => "--state DIR would keep them".to_owned(),
    };
    let runs = arguments.runs;
    let what = format!(
        "searching on {}, with some {runs} runs; {keep}",
        counted(fabrics.len() as u64, "fabric")
    );
    let stages = Bars::beginning(arguments.work.quiet, &what);
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
    let report = SearchReport {
        entry: found,
        latency_limits: fabrics.iter().map(|of| panel(of, &options).latency_limit).collect(),
    };
    if arguments.json { print_json(&report) } else { print(&report) }
}

/// The panel for a fabric.
fn panel(fabric: &Fabric, options: &SearchSettings) -> Panel {
    let df = fabric.topology.dragonfly();
    Panel::new(df, fabric.file.links(), options.seed, options.panel)
}

/// The result, and its criterion.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct SearchReport {
    #[serde(flatten)]
    entry: SearchEntry,
    /// For each fabric, the mean latency in cycles above which a run counted as saturated.
    latency_limits: Vec<u32>,
}

impl Display for SearchReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entry)?;
        let limits: Vec<String> = self.latency_limits.iter().map(u32::to_string).collect();
        let limits = limits.join("/");
        writeln!(f, "(throughput is the saturation: the mean latency passes {limits} cycles)")
    }
}
