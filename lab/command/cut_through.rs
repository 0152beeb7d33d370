//! `tvlb-lab cut-through`: cut-through switches that boot from a table set.

mod report;
mod runs;

use crate::ofar::{Escape, NetworkOptions, RuleOptions};
use clap::{Args, ValueEnum};
use report::{About, RunSubject};
use std::num::NonZeroU32;
use std::path::PathBuf;
use tvlb::failure::{Failure, Outcome};
use tvlb::given::{Given, OfMeasurement, OfSwitches};
use tvlb::output::{WorkOptions, catch_interrupt, tell_of_starved};
use tvlb::simulate::FigureFormat;
use tvlb::switches::Weighings;
use tvlb::tables::Tables;
use tvlb::traffic;
use tvlb::values::{self, repeated};
use tvlb_base::table;
use tvlb_firmware_model::Scheme;
use tvlb_lab::cut_through::{CutThrough, CutThroughFabric, Piggybacking, Routing, Sending};
use tvlb_ofar::OfarRules;
use tvlb_simulator::{BootedFabric, LinkSpec};
use tvlb_table_set::names::Parts;
use tvlb_traffic::Traffic;
use tvlb_traffic::loads::Loads;
use tvlb_traffic::named::Named;
use tvlb_traffic::pattern::PATTERNS;

fn help() -> String {
    format!(
        "{PATTERNS}\nColumns (docs/reference/cut-through.md says more, of CSV and JSON too):\n{}",
        table::help(&report::columns())
    )
}

/// Simulate cut-through switches, with packets of several phits and buffers of whole packets
///
/// The switches boot from the images of a table set, as for `tvlb simulate`. A packet goes on as soon as its
/// head arrives, if the next buffer has room for the whole of it. The defaults are those of the
/// OFAR-CM paper. docs/reference/cut-through.md says more.
#[derive(Args)]
#[command(after_long_help = help())]
#[expect(clippy::struct_excessive_bools, reason = "they are the flags of a command line")]
#[expect(clippy::doc_markdown, reason = "--help shows the names of other programs without marks")]
pub(crate) struct CutThroughOptions {
    /// The directory that `generate` wrote
    directory: PathBuf,
    /// How packets find their ways; several, separated by commas, are compared
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_name = "ROUTINGS",
        value_delimiter = ',',
        default_value = "min"
    )]
    routing: Vec<RoutingName>,
    #[command(flatten)]
    weighing: Weighings,
    /// Who sends to whom (listed at the end of --help)
    #[arg(long, value_name = "PATTERN", default_value = "uniform-others")]
    traffic: String,
    /// Where the processes of the traffic run (listed at the end of --help). The seed of a run decides what
    /// is random
    #[arg(long, value_name = "PLACEMENT", default_value = "identity")]
    place: String,
    /// Phits that each node offers per cycle, one run for each: numbers separated by commas, and
    /// ranges FROM:TO:STEP, such as 0.05:0.5:0.05, with both ends
    #[arg(long, value_name = "LOADS", value_delimiter = ',', default_value = "0.1")]
    load: Vec<Loads>,
    /// Search for the last load of which the network accepts at least 98%
    #[arg(long, conflicts_with_all = ["load", "burst", "all_to_all", "series"])]
    saturation: bool,
    /// The resolution of that search
    #[arg(
        long,
        value_name = "LOAD",
        default_value_t = 0.01,
        requires = "saturation",
        conflicts_with = "load"
    )]
    resolution: f64,
    /// Let each node send so many packets as fast as it can, and measure until all are delivered
    #[arg(long, value_name = "PACKETS", conflicts_with_all = ["load", "all_to_all", "warm-up"])]
    burst: Option<u32>,
    /// Let each node send one packet to every other, and measure until all are delivered
    #[arg(long, conflicts_with_all = ["load", "warm-up", "traffic", "place"])]
    all_to_all: bool,
    /// One run of everything for each; several give standard errors
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "1")]
    seeds: Vec<u64>,
    #[command(flatten)]
    measurement: Given<CutThrough, OfMeasurement>,
    /// Print throughput, latency and the share of VLB of every so many cycles too; with --format csv instead of the
    /// runs
    #[arg(long, value_name = "CYCLES", value_parser = values::cycles, conflicts_with_all = ["burst", "all_to_all"], help_heading = "Measurement")]
    series: Option<NonZeroU32>,
    #[command(flatten)]
    given: Given<CutThrough, OfSwitches>,
    /// A link between groups is congested where more is in use on it than so many percent of the mean of
    /// its switch's links, and --pb-packets more
    #[arg(long, value_name = "PERCENT", default_value_t = 200, help_heading = "Piggybacking")]
    pb_percent: u16,
    /// How many packets more than --pb-percent of the mean make a link between groups congested
    #[arg(long, value_name = "PACKETS", default_value_t = 5, help_heading = "Piggybacking")]
    pb_packets: u16,
    /// Draw and weigh VLB as the simulator FOGSim does, so that figures can be compared: by local hops only,
    /// as if groups were joined consecutively, and the middle group may be the destination's
    #[arg(long, help_heading = "Piggybacking")]
    pb_like_fogsim: bool,
    #[command(flatten)]
    network: NetworkOptions,
    #[command(flatten)]
    rules: RuleOptions,
    /// How to print the figures
    #[arg(long, value_enum, ignore_case = true, default_value_t = FigureFormat::Table)]
    format: FigureFormat,
    /// Print JSON, which also says how many packets made how many hops and what each switch injected
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    work: WorkOptions,
}

/// A value of `--routing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RoutingName {
    /// Always MIN
    Min,
    /// Always VLB
    Vlb,
    /// MIN or VLB by the queues of the first output ports, once
    UgalL,
    /// As ugal-l, by the queues along both paths, which no switch can see
    UgalG,
    /// As ugal-l, and once more at the second switch
    Par,
    /// Piggybacking: as long as a packet waits at its source, by the queues there and by what the switches of its
    /// group tell each other
    Pb,
    /// Again at every hop, by what is used of the outputs there, with an escape network
    Ofar,
    /// As ofar, but misrouted to another group only where a path of the images' sets begins
    TOfar,
}

impl RoutingName {
    const fn is_per_hop(self) -> bool {
        matches!(self, Self::Ofar | Self::TOfar)
    }
}

impl CutThroughOptions {
    fn check(&self) -> Outcome {
        let refuse = |text: String| Err(Failure::Message(text));
        if let Some(load) = repeated(&self.loads()) {
            return refuse(format!("--load: found {load} twice, accepted each load once"));
        }
        if let Some(seed) = repeated(&self.seeds) {
            return refuse(format!("--seeds: found {seed} twice, accepted each seed once"));
        }
        let is_per_hop = self.routing.iter().any(|routing| routing.is_per_hop());
        let given = self.network.first_given().or(self.rules.first_given());
        if let Some(option) = given.filter(|_| !is_per_hop) {
            return refuse(format!("{option}: accepted with --routing ofar or t-ofar"));
        }
        let names: Vec<&str> = self
            .routing
            .iter()
            .map(|&routing| self.routing(routing, None, [None; 2]).name())
            .collect();
        match repeated(&names) {
            Some(name) => refuse(format!("--routing: found {name} twice, accepted each once")),
            None => Ok(()),
        }
    }

    fn loads(&self) -> Vec<f64> {
        self.load.iter().flat_map(|Loads(loads)| loads.iter().copied()).collect()
    }

    /// What nodes send, run by run.
    fn sendings(&self) -> Vec<Sending> {
        match self.burst {
            Some(packets) => vec![Sending::Burst(packets)],
            None if self.all_to_all => vec![Sending::AllToAll],
            // Whatever the resolution is found to be.
            None if self.saturation => vec![Sending::Load(self.resolution.clamp(0.0001, 0.5))],
            None => self.loads().into_iter().map(Sending::Load).collect(),
        }
    }

    /// A routing, with the canonical virtual channels of links within groups and between them that OFAR has, if they
    /// are given.
    fn routing(
        &self,
        name: RoutingName,
        escape: Option<&Escape>,
        channels: [Option<u8>; 2],
    ) -> Routing {
        match name {
            RoutingName::Min => Routing::Scheme(Scheme::Min),
            RoutingName::Vlb => Routing::Scheme(Scheme::Vlb),
            RoutingName::UgalL => Routing::Scheme(Scheme::UgalL),
            RoutingName::UgalG => Routing::UgalG,
            RoutingName::Par => Routing::Scheme(Scheme::Par),
            RoutingName::Pb => Routing::Piggybacking(Piggybacking {
                percent: self.pb_percent,
                packets: self.pb_packets,
                like_fogsim: self.pb_like_fogsim,
            }),
            RoutingName::Ofar | RoutingName::TOfar => {
                let plain = escape.map_or_else(OfarRules::default, |escape| escape.rules);
                let rules = self.rules.over(plain);
                Routing::Ofar(OfarRules {
                    local_channels: channels[0].unwrap_or(plain.local_channels),
                    global_channels: channels[1].unwrap_or(plain.global_channels),
                    by_set: name == RoutingName::TOfar,
                    ..rules
                })
            }
        }
    }

    /// The settings of a routing's runs, on a fabric of these links.
    fn settings(&self, name: RoutingName, escape: Option<&Escape>, links: LinkSpec) -> CutThrough {
        let stated = self.measurement.0.clone().with(self.given.0.clone());
        let mut usual = CutThrough::new(Routing::Scheme(Scheme::Min), self.weighing.paths());
        if self.burst.is_some() || self.all_to_all {
            usual.measured_cycles = 10_000_000;
        }
        let mut settings = usual.on(links, &stated);
        let channels = [settings.local.virtual_channels, settings.global.virtual_channels];
        settings.routing = self.routing(name, escape, channels);
        if name.is_per_hop() {
            // OFAR's are among its rules.
            (settings.local.virtual_channels, settings.global.virtual_channels) = (None, None);
        }
        settings
    }
}

pub(crate) fn run(arguments: &CutThroughOptions) -> Outcome {
    arguments.check()?;
    arguments.work.use_threads()?;
    let tables = Tables::open(&arguments.directory)?;
    let entry = &tables.set.manifest().fabric;
    let links = LinkSpec::from(entry);
    let name = entry.name.clone();
    let fabric = tables.set.fabric_image().map_err(Failure::of)?;
    let switches = tables.switch_images(&fabric, arguments.weighing.revision(None))?;
    let is_per_hop = arguments.routing.iter().any(|routing| routing.is_per_hop());
    let escape = is_per_hop.then(|| arguments.network.escape_to_run(&tables, &fabric));
    let escape = escape.transpose()?;
    let fabric = tables.boot(&fabric, &switches)?;
    let network = match &escape {
        None => CutThroughFabric::from(&fabric),
        Some(escape) => {
            CutThroughFabric::with_escape(&fabric, &escape.image).map_err(Failure::of)?
        }
    };
    let nodes = fabric.nodes();
    let parts = Parts::new(fabric.dragonfly(), fabric.names());
    let pattern = traffic::pattern(&arguments.traffic, &parts)?;
    let placement = traffic::placement(&arguments.place, &parts)?;
    let traffic = |&seed: &u64| -> Result<Traffic, Failure> {
        let traffic = Traffic::new(&pattern.rule, nodes, seed).map_err(Failure::of)?;
        Ok(traffic.placed(&placement.rule.on(nodes, seed).map_err(Failure::of)?))
    };
    let traffics: Vec<Traffic> = arguments.seeds.iter().map(traffic).collect::<Result<_, _>>()?;
    let settings: Vec<CutThrough> = arguments
        .routing
        .iter()
        .map(|&routing| arguments.settings(routing, escape.as_ref(), links))
        .collect();
    let runs = arguments.checked(network, &settings, &traffics)?;

    let pattern = if arguments.all_to_all {
        Named { name: "all-to-all".to_owned(), ..pattern }
    } else {
        pattern
    };
    let image = fabric.switches().first().expect("a fabric has switches").image();
    let subject =
        |settings| RunSubject::of(settings, tables.set.manifest(), image, (&pattern, &placement));
    let subjects: Vec<RunSubject> = settings.iter().map(subject).collect();
    catch_interrupt()?;
    tell_of_starved(arguments.work.quiet, settings.iter().flat_map(CutThrough::starved_links));
    let about = About {
        tool_version: env!("CARGO_PKG_VERSION"),
        fabric: name,
        fabric_identity: identity(&fabric),
        traffic: pattern.name,
        traffic_content: pattern.content,
        placement: placement.name,
        placement_content: placement.content,
        burst: arguments.burst,
        escape_network: escape.as_ref().map(|escape| escape.words.clone()),
        warning: settings
            .iter()
            .find_map(|settings| pattern.rule.unmeasured_bursts(settings.measured_cycles)),
        settings: &settings,
    };
    arguments.reported(network, about, (&runs, &subjects))
}

fn identity(fabric: &BootedFabric<'_>) -> String {
    let image = fabric.switches().first().map(|switch| switch.image().fabric().identity());
    format!("{:016x}", image.unwrap_or_default())
}
