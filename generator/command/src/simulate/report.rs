//! The figures of a study as a table, CSV and JSON.

use super::identity::Identity;
use super::losses::{self, MeasuredCurve};
use crate::failure;
use crate::output::print_json;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use tvlb_base::row;
use tvlb_base::table::{Cell, Column, Table};
use tvlb_schema::{Candidates, Gate, LinkKind, Onward, PerDecision, Queue, Weighing};
use tvlb_simulator::columns::{
    self, FIGURES, IDENTITY, LATENCY, LOAD, SEED, WINDOWS, curve_columns, figures, over_seeds,
    settings_columns,
};
use tvlb_simulator::{
    Estimate, LinkTarget, Measuring, Outcome, Point, Saturation, Scheme, SeedSaturation, Settings,
    Study, paths_name,
};

/// The result of a study.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StudyOutcome {
    Curve(Vec<Point>),
    Saturation(Saturation),
}

/// Everything that makes a study reproducible, and its result.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct StudyDocument<'a> {
    tool_version: &'static str,
    /// The fabric's name.
    fabric: &'a str,
    /// Its sizes, as in `dfly(4, 8, 4, 9)`.
    sizes: String,
    fabric_identity: String,
    /// The set that VLB paths come from at the source, or `conventional`.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<&'a str>,
    /// That of PAR's second look.
    #[serde(skip_serializing_if = "Option::is_none")]
    second_set: Option<&'a str>,
    traffic: &'a str,
    /// The SHA-256 of the pairs, where a file lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    traffic_content: Option<&'a str>,
    /// Where the processes of the traffic run, unless each runs on the node of its own number.
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<&'a str>,
    /// The SHA-256 of the nodes, where a file lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    placement_content: Option<&'a str>,
    /// What is dead when, as in the column of CSV.
    faults: String,
    /// A warning about how to read the figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    seeds: &'a [u64],
    settings: &'a Settings,
    thresholds: PerDecision<i16>,
    candidates: PerDecision<Candidates>,
    gates: PerDecision<Gate>,
    queues: PerDecision<Queue>,
    onward: PerDecision<Onward>,
    /// What dies and is mended, if anything.
    #[serde(flatten)]
    record: Option<&'a losses::FaultsRecord>,
    #[serde(flatten)]
    report: &'a StudyOutcome,
}

pub(super) fn json(of: &Studied<'_>) -> failure::Outcome {
    let Studied { report, study, identity, faults } = *of;
    let Identity { fabric, set, second_set, traffic, placement, .. } = *identity;
    let image = study.fabric.switches().first().map(tvlb_firmware_model::Switch::image);
    let fabric_identity = image.map(|image| image.fabric().identity());
    let weighings = PerDecision::from_fn(|decision| {
        image.map(|image| *image.weighing(decision)).unwrap_or_default()
    });
    print_json(&StudyDocument {
        tool_version: env!("CARGO_PKG_VERSION"),
        fabric: &fabric.name,
        sizes: fabric.sizes_in_words(),
        set,
        second_set,
        fabric_identity: format!("{:016x}", fabric_identity.unwrap_or_default()),
        traffic: &traffic.name,
        traffic_content: traffic.content.as_deref(),
        placement: identity.placed(),
        placement_content: placement.content.as_deref(),
        faults: of.faults_in_words(),
        warning: unmeasured_bursts(study),
        seeds: study.seeds,
        settings: study.settings,
        thresholds: weighings.map(|weighing| weighing.threshold),
        candidates: weighings.map(|weighing| weighing.candidates),
        gates: weighings.map(|weighing| weighing.gate),
        queues: weighings.map(|weighing| weighing.queue),
        onward: weighings.map(|weighing| weighing.onward),
        record: faults,
        report,
    })
}

/// How the scheme weighs at the source and at PAR's second look. MIN and VLB decide nothing.
fn weighings(study: &Study<'_>) -> [Option<Weighing>; 2] {
    let image = study.fabric.switches().first().map(tvlb_firmware_model::Switch::image);
    let of = |decision| image.map(|image| *image.weighing(decision));
    match study.settings.scheme {
        Scheme::Vlb => [None, None],
        scheme => scheme.decisions().map(|decision| decision.and_then(of)),
    }
}

fn unmeasured_bursts(study: &Study<'_>) -> Option<String> {
    study.pattern.unmeasured_bursts(study.settings.window_cycles)
}

/// What was simulated, in one line.
pub(super) fn title(study: &Study<'_>, identity: &Identity<'_>) -> String {
    let Study { settings, seeds, .. } = study;
    let weighing = match weighings(study) {
        // A shorter form if only T differs.
        [Some(source), Some(second)]
            if source != second
                && second == (Weighing { threshold: second.threshold, ..source }) =>
        {
            let Weighing { threshold, .. } = source;
            let rest = source.to_string().replacen(&format!("T = {threshold}"), "", 1);
            format!(
                ", T = {threshold} at the source and {} at the second look{rest}",
                second.threshold
            )
        }
        [Some(source), Some(second)] if source != second => {
            format!(", {source} at the source and {second} at the second look")
        }
        [Some(weighing), _] => format!(", {weighing}"),
        _ => String::new(),
    };
    let measured = match settings.measuring {
        Measuring::OneWindow => "",
        Measuring::UntilWindowsAgree => ", measured until windows agree",
    };
    let placed = identity.placed().map_or(String::new(), |name| format!(" placed by {name}"));
    let traffic = &identity.traffic.name;
    let bandwidths = match settings.bandwidths {
        alike if alike.are_equal() => String::new(),
        bandwidths => format!(", bandwidths {bandwidths}"),
    };
    let paths = match settings.scheme {
        Scheme::Min => String::new(),
        _ => format!(", {} VLB paths", paths_name(settings.paths)),
    };
    format!(
        "{}{paths}{weighing}, {traffic}{placed}, {} seed{}{measured}{bandwidths}",
        settings.scheme.name(),
        seeds.len(),
        if seeds.len() == 1 { "" } else { "s" }
    )
}

/// For people.
pub(super) struct StudyText<'a>(pub(super) &'a Studied<'a>);

impl Display for StudyText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Studied { report, study, identity, .. } = *self.0;
        let Study { settings, .. } = study;
        writeln!(f, "{}", title(study, identity))?;
        if let Some(warning) = unmeasured_bursts(study) {
            writeln!(f, "warning: {warning}")?;
        }
        match report {
            StudyOutcome::Saturation(saturation) => {
                write_saturation(f, saturation, settings.latency_limit_cycles)
            }
            StudyOutcome::Curve(points) => {
                write!(f, "{}", curve(points))?;
                if points.iter().any(|point| point.saturated) {
                    let limit = settings.latency_limit_cycles;
                    writeln!(f, "* saturated: the mean latency is above {limit} cycles")?;
                }
                if points.iter().any(|point| point.growing && !point.saturated) {
                    writeln!(
                        f,
                        "+ still growing: a longer measurement finds a higher latency; --measure \
                         until-windows-agree measures until it changes little"
                    )?;
                }
                if !settings.bandwidths.are_equal() {
                    let [node, local, global] =
                        LinkKind::ALL.map(|kind| settings.bandwidths.flits_per_cycle(kind));
                    writeln!(
                        f,
                        "flits per cycle that a link takes: node {node:.3}, local {local:.3}, global {global:.3}"
                    )?;
                }
                write!(f, "{}", losses::LossesText(MeasuredCurve { points, seeds: study.seeds }))
            }
        }
    }
}

/// A row for each load: means over its runs, for each population if there are several.
fn curve(points: &[Point]) -> Table<'static> {
    let mut table = Table::new(curve_columns()).told_apart_by(2);
    for Point { load, saturated, growing, runs, .. } in points {
        let mark = match (saturated, growing) {
            (true, _) => '*',
            (false, true) => '+',
            (false, false) => ' ',
        };
        let windows = runs.iter().filter_map(|run| run.measured_windows).max();
        let runs: Vec<Vec<Vec<Cell>>> = runs.iter().map(figures).collect();
        let populations = runs.first().map_or(0, Vec::len);
        for number in 0..populations {
            let of_seeds: Vec<Vec<Cell>> = runs.iter().map(|rows| rows[number].clone()).collect();
            let latencies = of_seeds.iter().filter_map(|row| row[LATENCY].number());
            let error = Estimate::of(&latencies.collect::<Vec<f64>>()).error;
            let means = over_seeds(&FIGURES, &of_seeds);
            let population = (populations > 1).then(|| means[0].to_string());
            let mut row = row![format!("{load}{mark}"), population];
            row.extend_from_slice(&means[LATENCY..]);
            row.insert(3, error.into());
            row.push(windows.into());
            table.push(row);
        }
    }
    table
}

/// A standard error; a single run has none.
fn error_text(error: Option<f64>, decimals: usize) -> String {
    error.map_or("-".to_owned(), |error| format!("{error:.decimals$}"))
}

fn write_saturation(f: &mut Formatter<'_>, found: &Saturation, limit: u32) -> fmt::Result {
    let Saturation { resolution, by_latency, by_acceptance, seeds } = found;
    let beyond: Vec<f64> = seeds.iter().map(|seed| seed.accepted_beyond).collect();
    let first = format!("last load before the mean latency passes {limit} cycles:");
    let width = first.chars().count();
    for (name, Estimate { mean, error }) in [
        (&*first, *by_latency),
        ("last load of which at least 98% is accepted:", *by_acceptance),
        ("accepted one step beyond the first of these:", Estimate::of(&beyond)),
    ] {
        writeln!(f, "{name:width$} {mean:.4} ± {}", error_text(error, 4))?;
    }
    writeln!(f, "resolution {resolution}")
}

/// What was studied. Every line of its tables says what was run, so that several files can be joined.
pub(super) struct Studied<'a> {
    pub(super) report: &'a StudyOutcome,
    pub(super) study: &'a Study<'a>,
    pub(super) identity: &'a Identity<'a>,
    /// What dies and is mended, if anything.
    pub(super) faults: Option<&'a losses::FaultsRecord>,
}

impl Studied<'_> {
    /// What is dead when; "none" if nothing dies.
    fn faults_in_words(&self) -> String {
        self.faults.map_or_else(|| "none".to_owned(), losses::FaultsRecord::in_words)
    }

    /// A table of runs as CSV: what was run, then the table, then the settings.
    fn csv(&self, table: &Table<'_>) -> String {
        let first = (&IDENTITY[..], &self.identity.cells()[..]);
        table.csv_between(first, (&settings_columns(), &self.settings()))
    }

    /// The cells of the last columns.
    fn settings(&self) -> Vec<Cell> {
        let faults = self.faults_in_words();
        columns::settings(weighings(self.study), &faults, self.study.settings)
    }

    /// The figures of every run, or of every search, as CSV.
    pub(super) fn figures(&self) -> String {
        let seeds = self.study.seeds;
        let points = match self.report {
            StudyOutcome::Curve(points) => points,
            StudyOutcome::Saturation(Saturation { resolution, seeds, .. }) => {
                let mut table = Table::new(SATURATION.to_vec()).drawn("by-latency in flits");
                for found in seeds {
                    let SeedSaturation { seed, by_latency, by_acceptance, accepted_beyond } =
                        *found;
                    table.push(row![seed, by_latency, by_acceptance, accepted_beyond, *resolution]);
                }
                return self.csv(&table);
            }
        };
        let has = |is: fn(&Outcome) -> bool| points.iter().flat_map(|point| &point.runs).any(is);
        let mut columns = [&[LOAD, SEED], &FIGURES[..]].concat();
        columns.extend(has(|run| run.measured_windows.is_some()).then_some(WINDOWS));
        if has(|run| run.faults.is_some()) {
            columns.extend(losses::columns());
        }
        let mut table = Table::new(columns).drawn("latency over load in flits");
        for (load, seed, outcome) in (MeasuredCurve { points, seeds }).runs() {
            for figures in figures(outcome) {
                let mut row = row![load, seed];
                row.extend(figures);
                row.extend(outcome.measured_windows.map(Cell::from));
                row.extend(losses::of_run(outcome));
                table.push(row);
            }
        }
        self.csv(&table)
    }

    /// Deaths and losses in the windows of every run, as CSV.
    pub(super) fn series(&self, points: &[Point]) -> String {
        self.csv(&losses::series(MeasuredCurve { points, seeds: self.study.seeds }))
    }

    /// The load of every link in every run, as CSV: flits per cycle, and the share of the link's capacity.
    pub(super) fn links(&self, points: &[Point]) -> String {
        let Study { fabric, seeds, .. } = self.study;
        let mut table = Table::new(LINKS.to_vec());
        for (load, seed, outcome) in (MeasuredCurve { points, seeds }).runs() {
            for &(switch, port, flits) in &outcome.links {
                let is_global = matches!(fabric.link(switch, port), LinkTarget::Global(..));
                let of_kind = if is_global { &outcome.global_links } else { &outcome.local_links };
                let (share, link) = (flits / of_kind.capacity, fabric.name(switch, port));
                table.push(row![load, seed, switch.0, port.0, flits, share, link]);
            }
        }
        self.csv(&table)
    }
}

const SATURATION: [Column<'_>; 5] = [
    SEED,
    Column::number("by-latency", 4, ""),
    Column::number("by-acceptance", 4, ""),
    Column::number("accepted-beyond", 4, ""),
    Column::number("resolution", 4, ""),
];

const LINKS: [Column<'_>; 7] = [
    LOAD,
    SEED,
    Column::number("switch", 0, ""),
    Column::number("port", 0, ""),
    Column::number("flits-per-cycle", 4, ""),
    Column::number("share", 4, ""),
    Column::words("link", ""),
];
