//! The figures of cut-through runs: as a table, CSV and JSON.

use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use tvlb::simulate::Identity;
use tvlb_base::parameter::{Parameter, Parameters};
use tvlb_base::row;
use tvlb_base::table::{Cell, Column, Table};
use tvlb_firmware_model::Scheme;
use tvlb_generator::counted::counted;
use tvlb_lab::cut_through::{CutThrough, CutThroughOutcome, CutThroughSaturation, Routing};
use tvlb_ofar::OfarRules;
use tvlb_schema::{Decision, SwitchImage, Weighing};
use tvlb_simulator::columns::{IDENTITY, SEED, over_seeds, weighing_columns, weighings};
use tvlb_simulator::{Estimate, Fairness, SeriesWindow, paths_name};
use tvlb_table_set::Manifest;
use tvlb_traffic::named::Named;
use tvlb_traffic::{Pattern, PlacementRule};

/// The figures of a run.
const FIGURES: [Column<'_>; 24] = [
    Column::number("cycles", 0, "cycles that were measured; of a burst, until the last phit"),
    Column::words("growing", ""),
    Column::number("packets", 0, ""),
    Column::number(
        "latency",
        1,
        "mean cycles from generation to the last phit of a packet; \u{b1} standard error",
    ),
    Column::number("p50", 0, "the median of it, in cycles"),
    Column::number("p99", 0, "its 99th percentile"),
    Column::number("p99.9", 0, "its 99.9th percentile"),
    Column::number("max", 0, "the largest"),
    Column::number("network-latency", 1, "mean cycles from the node's sending to the last phit")
        .under("network"),
    Column::number(
        "generated",
        4,
        "phits generated per sending node and cycle, below the load where queues of nodes are full",
    ),
    Column::number("accepted", 4, "phits delivered per sending node and cycle"),
    Column::number(
        "vlb-share",
        3,
        "share of the packets by VLB; under ofar and t-ofar, misrouted to another group",
    )
    .under("VLB"),
    Column::number("least", 3, "phits per cycle of the node that was served worst"),
    Column::number("most", 3, "phits per cycle of the node that was served best"),
    Column::number("jain", 4, "Jain's index of fairness").under("Jain"),
    Column::number("hops", 3, "mean links between switches that a packet crossed"),
    Column::number("local-hops", 3, "those within groups").under("local hops"),
    Column::number("global-hops", 3, "those between groups").under("global hops"),
    Column::number("local-mean", 3, "phits per cycle on a link within groups").under("local"),
    Column::number("local-most", 3, "on the busiest of them").under("local max"),
    Column::number("global-mean", 3, "phits per cycle on a link between groups").under("global"),
    Column::number("global-most", 3, "on the busiest of them").under("global max"),
    Column::number("escape-hops", 4, "mean links of the escape network").under("escape"),
    Column::number("escape-entries", 4, "how often a packet entered it").under("entries"),
];

/// Where the latency stands among them.
const LATENCY: usize = 3;

/// What stands in them.
fn figures(outcome: &CutThroughOutcome) -> Vec<Cell> {
    let CutThroughOutcome { cycles, growing, packets, latency, p50, p99, p999, most, .. } =
        *outcome;
    let Fairness { least: worst, most: best, jain } = outcome.fairness;
    let CutThroughOutcome { hops, local_links, global_links, escape, .. } = outcome;
    let on_escape = escape.as_ref().map_or(0.0, |escape| escape.hops);
    row![
        cycles,
        growing,
        packets,
        latency,
        p50,
        p99,
        p999,
        most,
        outcome.network_latency,
        outcome.generated,
        outcome.accepted,
        outcome.vlb_share,
        worst,
        best,
        jain,
        hops.local + hops.global + on_escape,
        hops.local,
        hops.global,
        local_links.mean,
        local_links.most,
        global_links.mean,
        global_links.most,
        escape.as_ref().map(|escape| escape.hops),
        escape.as_ref().map(|escape| escape.entries),
    ]
}

const SCHEME: Column<'_> = Column::words("scheme", "the routing");
const LOAD: Column<'_> = Column::number(
    "load",
    4,
    "phits that each node offers per cycle; - for a burst, and where all send to all; + where the latency was \
     still growing as the run ended",
);
const ERROR: Column<'_> = Column::number("latency-error", 1, "").under("\u{b1}");

/// The columns of the text.
pub(super) fn columns() -> Vec<Column<'static>> {
    [&[SCHEME, LOAD, FIGURES[LATENCY], ERROR], &FIGURES[LATENCY + 1..], &FIGURES[..1]].concat()
}

/// What a run is of, apart from what all runs have in common.
#[derive(Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RunSubject {
    pub(super) scheme: &'static str,
    /// The set that VLB paths come from at the source, or `conventional`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) set: Option<String>,
    /// That of PAR's second look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) second_set: Option<String>,
    /// T at the source, and at the second look.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) threshold: Option<i16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) second_threshold: Option<i16>,
    /// What stands in the columns of CSV before the load, and after the figures.
    #[serde(skip)]
    pub(super) identity: Vec<Cell>,
    #[serde(skip)]
    pub(super) settings: Vec<Cell>,
}

/// The settings that have columns: the cycles that are measured stand among the figures.
fn shown() -> impl Iterator<Item = &'static Parameter<CutThrough>> {
    CutThrough::ALL.iter().filter(|parameter| parameter.name != "cycles")
}

/// The last columns of CSV: how decisions weigh, and what switches and links are.
fn setting_columns() -> impl Iterator<Item = Column<'static>> {
    let rule = Column::words("vc-scheme", "");
    weighing_columns().chain([rule]).chain(shown().map(Parameter::column))
}

/// What stands in them for a routing. Numbers of channels are empty where they are as many as it needs.
fn setting_cells(
    both: [Option<Weighing>; 2],
    settings: &CutThrough,
    image: &SwitchImage<'_>,
) -> Vec<Cell> {
    let mut row = weighings(both);
    row.push(image.virtual_channels().name().into());
    row.extend(shown().map(|parameter| parameter.get(settings)));
    row
}

impl RunSubject {
    pub(super) fn of(
        settings: &CutThrough,
        manifest: &Manifest,
        image: &SwitchImage<'_>,
        sends: (&Named<Pattern>, &Named<PlacementRule>),
    ) -> Self {
        let scheme = settings.routing.name();
        let sets = match settings.routing {
            Routing::Scheme(Scheme::Min) | Routing::Ofar(OfarRules { by_set: false, .. }) => {
                [None, None]
            }
            Routing::Scheme(Scheme::Par) => [Decision::ParSource, Decision::ParSecond].map(Some),
            _ => [Some(Decision::UgalL), None],
        };
        // Piggybacking compares queues times hops, without T, candidates or a gate.
        let weighs = !matches!(
            settings.routing,
            Routing::Scheme(Scheme::Vlb) | Routing::Piggybacking(_) | Routing::Ofar(_)
        );
        let weighings = sets
            .map(|decision| decision.filter(|_| weighs).map(|decision| *image.weighing(decision)));
        let identity = Identity::of(manifest, (scheme, settings.paths, sets), sends);
        let [threshold, second_threshold] =
            weighings.map(|weighing| weighing.map(|weighing| weighing.threshold));
        Self {
            scheme,
            set: identity.set.map(str::to_owned),
            second_set: identity.second_set.map(str::to_owned),
            threshold,
            second_threshold,
            settings: setting_cells(weighings, settings, image),
            identity: identity.cells(),
        }
    }
}

/// One run or search, and its figures.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RunResult<T> {
    #[serde(flatten)]
    pub(super) subject: RunSubject,
    pub(super) seed: u64,
    #[serde(flatten)]
    pub(super) outcome: T,
}

/// Everything that makes the runs reproducible.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct About<'a> {
    pub(super) tool_version: &'static str,
    pub(super) fabric: String,
    pub(super) fabric_identity: String,
    pub(super) traffic: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) traffic_content: Option<String>,
    pub(super) placement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement_content: Option<String>,
    /// Packets that each node sends, in a burst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) burst: Option<u32>,
    /// What the escape network is, where a routing has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) escape_network: Option<String>,
    /// What the figures do not say although they seem to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warning: Option<String>,
    pub(super) settings: &'a [CutThrough],
}

/// The same, and what was found.
#[derive(Serialize)]
pub(super) struct CutThroughReport<'a, T> {
    #[serde(flatten)]
    pub(super) about: About<'a>,
    pub(super) runs: Vec<RunResult<T>>,
}

/// The figures of a search, with what was accepted a step beyond.
const SATURATION: [Column<'_>; 2] =
    [Column::number("by-acceptance", 4, ""), Column::number("accepted-beyond", 4, "")];

/// A row for each search.
pub(super) fn table_of_saturations(
    report: &CutThroughReport<'_, CutThroughSaturation>,
    resolution: f64,
) -> Table<'static> {
    let own = [SEED, Column::words("resolution", "")];
    let first = IDENTITY.iter().chain(&own).chain(&SATURATION).copied();
    let mut table =
        Table::new(first.chain(setting_columns()).collect()).drawn("by-acceptance in phits");
    for RunResult { subject: RunSubject { identity, settings, .. }, seed, outcome } in &report.runs
    {
        let CutThroughSaturation { by_acceptance, accepted_beyond } = *outcome;
        let own = row![*seed, resolution, by_acceptance, accepted_beyond];
        table.push([&identity[..], &own, settings].concat());
    }
    table
}

/// The searches for people, means over seeds.
pub(super) struct Saturations<'a>(
    pub(super) &'a CutThroughReport<'a, CutThroughSaturation>,
    pub(super) f64,
);

impl Display for Saturations<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(report, resolution) = self;
        let schemes = report.about.settings.len().max(1);
        let seeds = report.runs.len() / schemes;
        report.about.write_heading(f, seeds)?;
        let [by, beyond] = SATURATION;
        let error = Column::number("saturation-error", 4, "").under("\u{b1}");
        let mut table = Table::new(vec![SCHEME, by, error, beyond]);
        for runs in report.runs.chunks(seeds.max(1)) {
            let Some(RunResult { subject, .. }) = runs.first() else { continue };
            let of = |figure: fn(&CutThroughSaturation) -> f64| -> Vec<f64> {
                runs.iter().map(|run| figure(&run.outcome)).collect()
            };
            let by = Estimate::of_multiples(&of(|found| found.by_acceptance), *resolution);
            let beyond = Estimate::of(&of(|found| found.accepted_beyond)).mean;
            table.push(row![subject.scheme, by.mean, by.error, beyond]);
        }
        write!(f, "{table}")
    }
}

/// A row for each run.
pub(super) fn table_of_runs(report: &CutThroughReport<'_, CutThroughOutcome>) -> Table<'static> {
    let own = [Column::words("load", ""), SEED];
    let first = IDENTITY.iter().chain(&own).chain(&FIGURES).copied();
    let mut table =
        Table::new(first.chain(setting_columns()).collect()).drawn("latency over load in phits");
    for RunResult { subject: RunSubject { identity, settings, .. }, seed, outcome } in &report.runs
    {
        let own = row![outcome.load, *seed];
        table.push([&identity[..], &own, &figures(outcome), settings].concat());
    }
    table
}

/// A row for each window of each run.
pub(super) fn table_of_windows(report: &CutThroughReport<'_, CutThroughOutcome>) -> Table<'static> {
    let own = [Column::words("load", ""), SEED];
    let first = IDENTITY.iter().chain(&own).chain(&SeriesWindow::COLUMNS).copied();
    let mut table =
        Table::new(first.chain(setting_columns()).collect()).drawn("accepted over from in phits");
    for RunResult { subject: RunSubject { identity, settings, .. }, seed, outcome } in &report.runs
    {
        let own = row![outcome.load, *seed];
        for window in outcome.series.iter().flat_map(|series| &series.windows) {
            table.push([&identity[..], &own, &window.row(), settings].concat());
        }
    }
    table
}

impl About<'_> {
    /// What all runs have in common.
    fn write_heading(&self, f: &mut Formatter<'_>, seeds: usize) -> fmt::Result {
        let Some(settings) = self.settings.first() else { return Ok(()) };
        let CutThrough { packet_phits, local, global, paths, .. } = settings;
        let draws = |settings: &CutThrough| settings.routing != Routing::Scheme(Scheme::Min);
        let vlb = if self.settings.iter().any(draws) {
            format!("{} VLB paths, ", paths_name(*paths))
        } else {
            String::new()
        };
        let crossbar = settings.output_buffer_phits.map_or(String::new(), |phits| {
            format!("output buffers of {phits} phits, speed-up {}, ", settings.speedup)
        });
        let escape =
            self.escape_network.as_ref().map_or(String::new(), |words| format!("{words}, "));
        writeln!(
            f,
            "{}: {}, packets of {packet_phits} phits, buffers of {} and {} phits, {crossbar}{vlb}{escape}{}\n",
            self.fabric,
            self.traffic,
            local.phits,
            global.phits,
            counted(seeds as u64, "seed"),
        )?;
        self.warning.as_ref().map_or(Ok(()), |warning| writeln!(f, "warning: {warning}\n"))
    }
}

/// The runs for people, means over seeds.
pub(super) struct CutThroughText<'a>(pub(super) &'a CutThroughReport<'a, CutThroughOutcome>);

impl Display for CutThroughText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let report = self.0;
        let Some(first) = report.runs.first() else { return Ok(()) };
        let of_first = |run: &&RunResult<CutThroughOutcome>| {
            (run.subject.scheme, run.outcome.load) == (first.subject.scheme, first.outcome.load)
        };
        let seeds = report.runs.iter().filter(of_first).count();
        report.about.write_heading(f, seeds)?;
        let mut table = Table::new(columns());
        for runs in report.runs.chunks(seeds.max(1)) {
            let Some(RunResult { subject, outcome, .. }) = runs.first() else { continue };
            let mark = if runs.iter().any(|run| run.outcome.growing) { '+' } else { ' ' };
            let load = outcome.load.map(|load| format!("{load}{mark}"));
            let latencies: Vec<f64> = runs.iter().map(|run| run.outcome.latency).collect();
            let rows: Vec<Vec<Cell>> = runs.iter().map(|run| figures(&run.outcome)).collect();
            let means = over_seeds(&FIGURES, &rows);
            let mut row = row![subject.scheme, load];
            row.extend([means[LATENCY].clone(), Estimate::of(&latencies).error.into()]);
            row.extend_from_slice(&means[LATENCY + 1..]);
            row.extend_from_slice(&means[..1]);
            table.push(row);
        }
        write!(f, "{table}")?;
        if report.runs.iter().any(|run| run.outcome.growing) {
            writeln!(f, "+ still growing: a longer run finds a higher latency")?;
        }
        for RunResult { subject, seed, outcome } in &report.runs {
            if let (Some(load), Some(series)) = (outcome.load, &outcome.series) {
                write!(f, "\n{}, load {load}, seed {seed}\n{}", subject.scheme, series.table())?;
            }
        }
        Ok(())
    }
}
