//! `tvlb-lab bisection`.

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;
use std::fmt::{self, Display, Formatter, Write};
use std::path::PathBuf;
use tvlb::failure::{Failure, Outcome};
use tvlb::files::{load_live, outside_table_sets};
use tvlb::output::{Bars, WorkOptions, catch_interrupt, print, print_json, write_file};
use tvlb::values;
use tvlb_base::progress::Progress;
use tvlb_base::row;
use tvlb_base::table::{Column, Table};
use tvlb_generator::counted::counted;
use tvlb_lab::bisection::{Bisection, Ratio, bisection};
use tvlb_schema::{Dragonfly, SwitchId};

/// Find the least bandwidth between two halves of the switches
///
/// A cut is the bandwidth of the links between two halves of the switches, in units of a local link. The
/// bisection bandwidth is the least cut. It is proven, or given as an interval.
/// docs/reference/bisection.md says more.
#[derive(Args)]
pub(crate) struct BisectionOptions {
    /// The fabric file
    fabric: PathBuf,
    /// A list of dead parts, as `tvlb faults` reads it: only the remaining links count
    #[arg(long, value_name = "LIST")]
    faults: Option<PathBuf>,
    /// The bandwidth of a global link in units of a local link's, separated by commas
    #[arg(long, value_name = "RATIOS", default_value = "1", value_delimiter = ',')]
    ratio: Vec<Ratio>,
    /// Write the half of each switch to FILE, as CSV
    #[arg(long, value_name = "FILE")]
    cut: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    work: WorkOptions,
}

pub(crate) fn run(arguments: &BisectionOptions) -> Outcome {
    arguments.work.use_threads()?;
    outside_table_sets([("--cut", arguments.cut.as_deref())])?;
    if let Some(ratio) = values::repeated(&arguments.ratio) {
        return Err(Failure::Message(format!("--ratio: {ratio} is given twice")));
    }
    let (fabric, _) = load_live(&arguments.fabric, arguments.faults.as_deref())?;
    catch_interrupt()?;
    let ratios = counted(arguments.ratio.len() as u64, "ratio");
    let what = format!("searching for the least bandwidth between two halves, for {ratios}");
    let bars = Bars::beginning(arguments.work.quiet, &what);
    bars.stage("ratios", Some(arguments.ratio.len()));
    let cuts = arguments.ratio.par_iter().map(|ratio| {
        let found = bisection(&fabric.topology, *ratio, &bars);
        bars.step();
        found
    });
    let cuts: Result<Vec<Bisection>, _> = cuts.collect();
    bars.finish();
    let cuts = cuts.map_err(|_| Failure::Interrupted)?;
    let df = fabric.topology.dragonfly();
    if let Some(path) = &arguments.cut {
        write_file(path, &csv(df, &cuts))?;
    }
    let report = BisectionReport {
        tool_version: env!("CARGO_PKG_VERSION"),
        fabric: fabric.file.name.clone(),
        sizes: df.to_string(),
        cuts: cuts.into_iter().map(LeastCut::of).collect(),
    };
    if arguments.json { print_json(&report) } else { print(&report) }
}

/// The half of each switch, 1 or 2, at each ratio.
fn csv(df: &Dragonfly, cuts: &[Bisection]) -> String {
    let mut text = String::from("ratio,switch,half\n");
    for Bisection { ratio, first_half, .. } in cuts {
        for switch in df.switches() {
            let half = if first_half.binary_search(&switch).is_ok() { 1 } else { 2 };
            writeln!(text, "{ratio},{switch},{half}").expect("a string takes all that is written");
        }
    }
    text
}

/// The cuts at all ratios.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct BisectionReport {
    tool_version: &'static str,
    fabric: String,
    sizes: String,
    cuts: Vec<LeastCut>,
}

/// The least cut at one ratio. Bandwidths are in units of a local link.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct LeastCut {
    ratio: String,
    /// The best cut found.
    cut: f64,
    local_links: u64,
    global_links: u64,
    /// A proven lower bound: no split cuts less.
    lower: f64,
    is_least: bool,
    first_half: Vec<SwitchId>,
}

impl LeastCut {
    fn of(found: Bisection) -> Self {
        let ratio = found.ratio;
        Self {
            ratio: ratio.to_string(),
            cut: ratio.in_local_links(found.upper()),
            local_links: found.local_links,
            global_links: found.global_links,
            lower: ratio.in_local_links(found.lower),
            is_least: found.is_least(),
            first_half: found.first_half,
        }
    }
}

impl Display for BisectionReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "fabric   {}: {}\n", self.fabric, self.sizes)?;
        let mut table = Table::new(vec![
            Column::words("ratio", ""),
            Column::words("least cut", ""),
            Column::number("local", 0, ""),
            Column::number("global", 0, ""),
        ]);
        for cut in &self.cuts {
            let LeastCut { ratio, cut: upper, local_links, global_links, lower, .. } = cut;
            let least =
                if cut.is_least { upper.to_string() } else { format!("{lower} to {upper}") };
            table.push(row![ratio.as_str(), least, *local_links, *global_links]);
        }
        write!(f, "{table}")
    }
}
