//! The rows of runs of cut-through switches: what was run, its figures, and its settings.

use super::PhitRuns;
use crate::cut_through::{CutThrough, CutThroughOutcome, Routing, Sending};
use crate::escape::Tree;
use crate::sweep::kind::Unit;
use std::collections::BTreeMap;
use tvlb_base::parameter::{Parameter, Parameters};
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_firmware_model::Scheme;
use tvlb_ofar::OfarRules;
use tvlb_schema::{GroupId, PerDecision};
use tvlb_simulator::columns::{
    FIGURES as SHARED, IDENTITY, population_figures, weighing_columns, weighings,
};
use tvlb_topology::Topology;

/// The figures of a run, which docs/reference/cut-through.md explains. Loads and rates are phits per node or link and
/// cycle, times cycles.
pub(super) const FIGURES: [&str; 32] = [
    "cycles",
    "saturated",
    "growing",
    "packets",
    "latency",
    "p50",
    "p99",
    "p99.9",
    "max",
    "network-latency",
    "generated",
    "accepted",
    "vlb-share",
    "least",
    "most",
    "jain",
    "hops",
    "local-hops",
    "global-hops",
    "local-mean",
    "local-most",
    "global-mean",
    "global-most",
    "escape-hops",
    "escape-entries",
    "most-entries",
    "hops-of-all-but-a-thousandth",
    "hops-of-all-but-a-ten-thousandth",
    "most-hops",
    "injected",
    "injected-in-root-group",
    "injected-by-last-switch",
];

/// Those of them that the terminal shows.
pub(super) const SHOWN: &[&str] =
    &["saturated", "latency", "p99", "accepted", "vlb-share", "least", "hops", "escape-hops"];

/// The cells of [`FIGURES`].
pub(super) fn figures(outcome: &CutThroughOutcome, topology: &Topology) -> Vec<Cell> {
    let CutThroughOutcome { all, fairness, local_links, global_links, escape, .. } = outcome;
    let [escape_hops, entries] =
        escape.as_ref().map_or([0.0; 2], |escape| [escape.hops, escape.entries]);
    let most_entries = escape.as_ref().map_or(0, |escape| escape.packets.len().saturating_sub(1));
    let [thousandth, ten_thousandth, none] = [all.packets / 1000, all.packets / 10_000, 0]
        .map(|beyond| hops_within(&all.packets_by_hops, beyond));
    let [injected, in_root_group, by_last] = injected(outcome, topology);
    // A latency beyond saturation is that of its window alone.
    let saturated = outcome.load.is_some_and(|load| all.accepted < 0.95 * load);
    let flags = (saturated, outcome.growing);
    let shared = population_figures(flags, all, fairness, [local_links, global_links]);
    // What runs of single-flit packets lack or, as `hops` with the links of the escape network, count otherwise.
    let own: [(&str, Cell); 14] = [
        ("cycles", outcome.cycles.into()),
        ("generated", outcome.generated.into()),
        ("hops", (outcome.local_hops + outcome.global_hops + escape_hops).into()),
        ("local-hops", outcome.local_hops.into()),
        ("global-hops", outcome.global_hops.into()),
        ("escape-hops", escape_hops.into()),
        ("escape-entries", entries.into()),
        ("most-entries", most_entries.into()),
        ("hops-of-all-but-a-thousandth", thousandth.into()),
        ("hops-of-all-but-a-ten-thousandth", ten_thousandth.into()),
        ("most-hops", none.into()),
        ("injected", injected.into()),
        ("injected-in-root-group", in_root_group.into()),
        ("injected-by-last-switch", by_last.into()),
    ];
    let shared = SHARED.iter().map(|column| column.name).zip(shared);
    let mut cells: BTreeMap<&str, Cell> = shared.chain(own).collect();
    FIGURES.iter().map(|name| cells.remove(name).expect("each figure has a cell")).collect()
}

/// The least number of hops that all but `beyond` packets stay within; `packets` by their hops.
fn hops_within(packets: &[u64], beyond: u64) -> usize {
    let mut left: u64 = packets.iter().sum();
    let is_enough = |count: &u64| {
        left -= count;
        left <= beyond
    };
    packets.iter().position(is_enough).unwrap_or(0)
}

/// The mean injected by a switch: in all groups, in that of a tree's root, and of the last switch of group 0.
fn injected(outcome: &CutThroughOutcome, topology: &Topology) -> [f64; 3] {
    let df = topology.dragonfly();
    let of_group = |group: GroupId| -> Vec<f64> {
        let all = df.switches().zip(&outcome.injected);
        all.filter(|(switch, _)| df.place(*switch).0 == group).map(|(_, rate)| *rate).collect()
    };
    #[expect(clippy::cast_precision_loss, reason = "at most 65,536 switches")]
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
    let root = df.place(Tree::root_of(topology)).0;
    let last = of_group(GroupId(0)).last().copied().unwrap_or(0.0);
    [mean(&outcome.injected), mean(&of_group(root)), last]
}

/// The columns that describe a run, then others, then those of the settings.
pub(super) fn columns_with(own: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let first = ["line"].into_iter().chain(IDENTITY.iter().map(|column| column.name));
    let weighing = weighing_columns().map(|column| column.name);
    first
        .chain(own)
        .chain(weighing)
        .chain(["vc-scheme"])
        .chain(shown().map(|parameter| parameter.name))
        .collect()
}

/// The settings that have columns: the measured cycles are among the figures.
fn shown() -> impl Iterator<Item = &'static Parameter<CutThrough>> {
    CutThrough::ALL.iter().filter(|parameter| parameter.name != "cycles")
}

/// What was run.
pub(super) fn first_cells(unit: Unit<'_, PhitRuns>) -> Vec<Cell> {
    let (units, run) = (unit.units, unit.run());
    let (pattern, placement) = (units.pattern(run), &units.placements[run.placement]);
    let routing = run.settings.routing;
    let (set, second_set) = units.paths[run.line].names();
    let draws = !matches!(
        routing,
        Routing::Scheme(Scheme::Min) | Routing::Ofar(OfarRules { by_set: false, .. })
    );
    let is_par = routing == Routing::Scheme(Scheme::Par);
    let traffic =
        if run.sending == Sending::AllToAll { "all-to-all" } else { pattern.name.as_str() };
    row![
        units.lines[run.line].name.as_str(),
        units.fabrics[run.fabric].fabric.file.name.as_str(),
        routing.name(),
        draws.then_some(set),
        second_set.or(Some(set)).filter(|_| is_par),
        traffic,
        pattern.content.as_deref(),
        placement.name.as_str(),
        placement.content.as_deref(),
    ]
}

/// The settings. Numbers of channels are empty if there are as many as the routing needs.
pub(super) fn last_cells(unit: Unit<'_, PhitRuns>) -> Vec<Cell> {
    let (units, run) = (unit.units, unit.run());
    let fabric = &units.fabrics[run.fabric].fabric;
    let PerDecision { ugal_l, par_source, par_second } = units.paths[run.line].weighings(fabric);
    // Piggybacking compares queues times hops, without T, candidates or a gate.
    let both = match run.settings.routing {
        Routing::Scheme(Scheme::Par) => [Some(par_source), Some(par_second)],
        Routing::Scheme(Scheme::UgalL) | Routing::UgalG => [Some(ugal_l), None],
        _ => [None, None],
    };
    let mut row = weighings(both);
    row.push(fabric.virtual_channels().name().into());
    row.extend(shown().map(|parameter| parameter.get(&run.settings)));
    row
}
