//! The command line of `tvlb simulate`.

use crate::failure::{Failure, Outcome};
use crate::files::check_svg;
use crate::given::{Given, OfMeasurement};
use crate::output::WorkOptions;
use crate::switches::Switches;
use crate::values::{self, repeated};
use clap::{ArgGroup, Args, ValueEnum};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tvlb_base::table::help as help_of;
use tvlb_generator::counted::counted;
use tvlb_simulator::columns::curve_columns;
use tvlb_simulator::{BootedFabric, Settings};
use tvlb_table_set::FabricEntry;
use tvlb_traffic::loads::Loads;
use tvlb_traffic::pattern::PATTERNS;

/// The text after the options.
fn help() -> String {
    let columns = help_of(&curve_columns());
    format!("{PATTERNS}\nColumns (docs/reference/simulate.md says more, of CSV too):\n{columns}")
}

/// Simulate the network that a table set describes, its switches booted from the images
#[derive(Args)]
#[command(after_long_help = help())]
#[command(group(ArgGroup::new("faults_in_time").args(["faults_at", "update_at"]).multiple(true)))]
pub struct SimulateOptions {
    /// The directory that `generate` wrote
    pub directory: PathBuf,
    #[command(flatten)]
    pub switches: Switches,
    /// Who sends to whom (listed at the end of --help)
    #[arg(long, value_name = "PATTERN", default_value = "uniform")]
    pub traffic: String,
    /// Where the processes of the traffic run (listed at the end of --help). The seed of a run decides what
    /// is random
    #[arg(long, value_name = "PLACEMENT", default_value = "identity")]
    pub place: String,
    /// Flits that each node offers per cycle, one run each: numbers separated by commas, and ranges FROM:TO:STEP, such
    /// as 0.05:0.5:0.05, with both ends
    #[arg(long, value_name = "LOADS", value_delimiter = ',', default_value = "0.1")]
    load: Vec<Loads>,
    /// Search for the load at which the network saturates
    #[arg(long, conflicts_with_all = ["load", "links", "bench"])]
    pub saturation: bool,
    /// The resolution of that search
    #[arg(
        long,
        value_name = "LOAD",
        default_value_t = 0.01,
        requires = "saturation",
        conflicts_with = "load"
    )]
    pub resolution: f64,
    /// Seeds: each load is run once with each; several give standard errors
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    pub seeds: Vec<u64>,
    /// How to print the figures
    #[arg(long, value_enum, ignore_case = true, default_value_t = FigureFormat::Table)]
    pub format: FigureFormat,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["format", "bench"])]
    pub json: bool,
    /// Draw the mean latency over the load, as SVG. `tvlb-lab plot` draws every other figure, and several schemes in one picture
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write the load of every link as CSV
    #[arg(long, value_name = "FILE")]
    pub links: Option<PathBuf>,
    /// Only measure the simulator's speed, over N cycles of each load: of processor time with --threads 1, else of
    /// elapsed time
    #[arg(long, value_name = "CYCLES", conflicts_with_all = ["plot", "links"], value_parser = values::count(1..=values::MOST_CYCLES))]
    pub bench: Option<u32>,
    #[command(flatten)]
    measurement: Given<Settings, OfMeasurement>,
    /// Start with the update in DIR installed, which `tvlb faults` made for this table set: the parts that it lists are
    /// dead from the beginning, every switch has its fault image, and the switches whose images it contains boot from
    /// those
    #[arg(long, value_name = "DIR", conflicts_with_all = ["faults_in_time", "bench"], help_heading = "Faults")]
    pub update: Option<PathBuf>,
    /// From this cycle on, counted from the beginning of the warm-up, exactly the parts that FILE lists are dead, in
    /// the format of `tvlb faults`: an empty list mends everything. Can be given several times. Lost packets are
    /// counted by cause
    #[arg(long, value_name = "CYCLE:FILE", conflicts_with_all = ["saturation", "bench"], help_heading = "Faults")]
    pub faults_at: Vec<At>,
    /// As --faults-at, with an update that `tvlb faults` made for this table set instead of a list: the switches whose
    /// images it contains take those together with the fault image, and all others the image of the table set. Can be
    /// given several times
    #[arg(long, value_name = "CYCLE:DIR", conflicts_with_all = ["saturation", "bench"], help_heading = "Faults")]
    pub update_at: Vec<At>,
    /// Begin with these tables, of the fabric before it grew: a switch that is in them uses them until it takes the
    /// first update, and a part that is not in them is dead until an update no longer lists it
    #[arg(long, value_name = "TABLES", requires = "faults_in_time", help_heading = "Faults")]
    pub grown_from: Option<PathBuf>,
    /// How many cycles later a switch takes the fault image, drawn for each switch and list or update; until then it
    /// sends onto dead links as onto any other
    #[arg(
        long,
        value_name = "MIN-MAX",
        default_value = "0-0",
        requires = "faults_in_time",
        help_heading = "Faults"
    )]
    pub fault_delay: Delay,
    /// Also print throughput, latency, the share of VLB, and losses if parts die, for every N cycles; with --format
    /// csv, instead of the runs
    #[arg(long, value_name = "CYCLES", value_parser = values::cycles, conflicts_with_all = ["saturation", "bench"], help_heading = "Measurement")]
    pub series: Option<NonZeroU32>,
    /// Write what each switch decides after the warm-up, call by call, for firmware tests to replay like those of `tvlb
    /// vectors`: one load and one seed, with unchanged tables
    #[arg(long, value_name = "FILE", conflicts_with_all = ["saturation", "bench", "faults_in_time", "update"])]
    pub decisions: Option<PathBuf>,
    /// The most calls of each switch that --decisions writes
    #[arg(long, value_name = "CALLS", requires = "decisions", default_value_t = 1000, value_parser = values::count(1..=1_000_000_u32))]
    pub decisions_per_switch: u32,
    #[command(flatten)]
    pub work: WorkOptions,
}

/// A value of `--faults-at` or `--update-at`.
#[derive(Clone)]
pub struct At {
    pub cycle: u32,
    pub path: PathBuf,
}

impl FromStr for At {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once(':').filter(|(_, path)| !path.is_empty());
        let parsed = parts.and_then(|(cycle, path)| Some((cycle.parse().ok()?, path.into())));
        let (cycle, path) =
            parsed.ok_or("accepted a cycle, a colon and a path, such as 20000:dead.txt")?;
        Ok(Self { cycle, path })
    }
}

/// A value of `--fault-delay`: the least and the largest delay.
#[derive(Clone, Copy)]
pub struct Delay(pub u32, pub u32);

impl FromStr for Delay {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (least, most) = text.split_once('-').unwrap_or((text, text));
        let delay = least.parse().ok().zip(most.parse().ok());
        let delay = delay.filter(|(least, most)| least <= most);
        let (least, most) =
            delay.ok_or("accepted MIN-MAX, such as 0-5000, the smaller number first")?;
        Ok(Self(least, most))
    }
}

/// How to print figures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FigureFormat {
    /// For people
    Table,
    /// One line for each run
    Csv,
}

impl SimulateOptions {
    /// The loads to run.
    pub fn loads(&self) -> Vec<f64> {
        self.load.iter().flat_map(|Loads(loads)| loads.iter().copied()).collect()
    }

    /// Refuses options that would make a run twice, and a picture that is not an SVG.
    pub fn check(&self) -> Outcome {
        let refuse = |text: String| Err(Failure::Message(text));
        if let Some(load) = repeated(&self.loads()) {
            return refuse(format!("--load: found {load} twice, accepted each load once"));
        }
        if let Some(seed) = repeated(&self.seeds) {
            return refuse(format!("--seeds: found {seed} twice, accepted each seed once"));
        }
        self.check_decisions()?;
        self.plot.as_ref().map_or(Ok(()), |path| check_plot(path, self.saturation))
    }

    /// Refuses runs whose recorded decisions could not be traced to an image on disk.
    fn check_decisions(&self) -> Outcome {
        let Some(path) = &self.decisions else { return Ok(()) };
        let (loads, seeds) = (self.loads().len() as u64, self.seeds.len() as u64);
        let found = if loads > 1 || seeds > 1 {
            format!("{} and {}", counted(loads, "load"), counted(seeds, "seed"))
        } else if self.switches.revision().is_some() {
            "options that change how the images decide".to_owned()
        } else {
            return Ok(());
        };
        Err(Failure::Message(format!(
            "--decisions {}: found {found}, accepted one load, one seed and the images as they are, because each \
             line says what one image of the table set decides",
            path.display()
        )))
    }

    /// The settings of every run, on this fabric.
    pub fn settings(&self, fabric: (&BootedFabric<'_>, &FabricEntry)) -> Settings {
        self.switches.settings(fabric, self.measurement.0.clone(), self.saturation)
    }
}

/// Refuses what `--plot` cannot draw, before anything runs.
fn check_plot(path: &Path, is_search: bool) -> Outcome {
    if is_search {
        return Err(Failure::Message(format!(
            "--plot {}: --saturation has no curve to draw, because each seed's search visits other loads; accepted \
             with --load, as in --load 0.05:0.5:0.05",
            path.display()
        )));
    }
    check_svg("--plot", path)
}
