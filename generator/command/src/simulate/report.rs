//! The figures of a study as a table, CSV and JSON.

use super::identity::Identity;
use super::losses::{self, Curve};
use crate::failure::Outcome;
use crate::output::print_json;
use serde::Serialize;
use std::fmt::{self, Display, Formatter, Write};
use tvlb_schema::{Candidates, Decision, Gate, LinkKind, PerDecision, VcScheme, Weighing};
use tvlb_simulator::{
    Estimate, FIGURE_COLUMNS, Figures, IDENTITY_COLUMNS, Link, Measuring, Point, Saturation,
    Scheme, Settings, Study, csv_field, figure_columns, paths_name, setting_columns,
    setting_columns_heads,
};

/// What a study found.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Report {
    Curve(Vec<Point>),
    Saturation(Saturation),
}

/// Everything that makes a study reproducible, and what it found.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Document<'a> {
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
    /// Where the processes of the traffic run, if not each on the node of its own number.
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<&'a str>,
    /// The SHA-256 of the nodes, where a file lists them.
    #[serde(skip_serializing_if = "Option::is_none")]
    placement_content: Option<&'a str>,
    /// What is dead when, as the column of CSV says it.
    faults: String,
    seeds: &'a [u64],
    settings: &'a Settings,
    /// As the switches have booted with it.
    vc_scheme: &'static str,
    thresholds: PerDecision<i16>,
    candidates: PerDecision<Candidates>,
    gates: PerDecision<Gate>,
    /// What dies and is mended, if anything does.
    #[serde(flatten)]
    record: Option<&'a losses::Record>,
    #[serde(flatten)]
    report: &'a Report,
}

pub(super) fn json(of: &Csv<'_>) -> Outcome {
    let Csv { report, study, identity, faults } = *of;
    let Identity { fabric, set, second_set, traffic, placement, .. } = *identity;
    let image = study.fabric.switches().first().map(tvlb_firmware_model::Switch::image);
    let fabric_identity = image.map(|image| image.fabric().identity());
    let weighings = PerDecision::from_fn(|decision| {
        image.map(|image| *image.weighing(decision)).unwrap_or_default()
    });
    print_json(&Document {
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
        seeds: study.seeds,
        settings: study.settings,
        vc_scheme: vc_scheme(study).name(),
        thresholds: weighings.map(|weighing| weighing.threshold),
        candidates: weighings.map(|weighing| weighing.candidates),
        gates: weighings.map(|weighing| weighing.gate),
        record: faults,
        report,
    })
}

/// How the scheme's decisions weigh: at the source, and at PAR's second look. MIN and VLB decide nothing.
fn weighings(study: &Study<'_>) -> [Option<Weighing>; 2] {
    let image = study.fabric.switches().first().map(tvlb_firmware_model::Switch::image);
    let of = |decision| image.map(|image| *image.weighing(decision));
    match study.settings.scheme {
        Scheme::Min | Scheme::Vlb => [None, None],
        // UGAL-G has no set and no policy of its own.
        Scheme::UgalL | Scheme::UgalG => [of(Decision::UgalL), None],
        Scheme::Par => [of(Decision::ParSource), of(Decision::ParSecond)],
    }
}

/// How virtual channels are assigned, as the switches have booted with it.
fn vc_scheme(study: &Study<'_>) -> VcScheme {
    let image = study.fabric.switches().first().map(tvlb_firmware_model::Switch::image);
    image.map(tvlb_schema::SwitchImage::virtual_channels).unwrap_or_default()
}

/// What was simulated, in one line.
pub(super) fn title(study: &Study<'_>, identity: &Identity<'_>) -> String {
    let Study { settings, seeds, .. } = study;
    let weighing = match weighings(study) {
        // Where only T differs, it is said shorter.
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
pub(super) struct Table<'a>(pub(super) &'a Csv<'a>);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Csv { report, study, identity, .. } = *self.0;
        let Study { settings, .. } = study;
        writeln!(f, "{}", title(study, identity))?;
        match report {
            Report::Saturation(saturation) => {
                write_saturation(f, saturation, settings.latency_limit_cycles)
            }
            Report::Curve(points) => {
                let windows = match settings.measuring {
                    Measuring::OneWindow => "",
                    Measuring::UntilWindowsAgree => " windows",
                };
                writeln!(f, "{HEAD}{windows}")?;
                for point in points {
                    write_point(f, point)?;
                }
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
                let nothing_dies = self.0.faults_in_words() == "none";
                write!(f, "{}", losses::Table(Curve { points, seeds: study.seeds }, nothing_dies))
            }
        }
    }
}

const HEAD: &str = "   load  latency       ±    p50    p99  p99.9    max  network accepted   hops    VLB  \
    least   most   Jain  local (max) global (max)";

fn write_point(f: &mut Formatter<'_>, point: &Point) -> fmt::Result {
    let mean = |of: fn(&tvlb_simulator::Outcome) -> f64| {
        Estimate::of(&point.runs.iter().map(of).collect::<Vec<_>>()).mean
    };
    let most = point.runs.iter().map(|run| run.all.most).max().unwrap_or_default();
    let Estimate { mean: latency, error } = point.latency;
    let windows = point.runs.iter().filter_map(|run| run.measured_windows).max();
    writeln!(
        f,
        "{:>7}{} {latency:>7.2} {:>7} {:>6.0} {:>6.0} {:>6.0} {most:>6} {:>8.2} {:>8.4} {:>6.3} {:>6.3} {:>6.3} {:>6.3} {:>6.4} {:>5.3} {:>5.3} {:>6.3} {:>5.3}{}",
        point.load,
        match (point.saturated, point.growing) {
            (true, _) => '*',
            (false, true) => '+',
            (false, false) => ' ',
        },
        error_text(error, 2),
        mean(|run| run.all.p50.into()),
        mean(|run| run.all.p99.into()),
        mean(|run| run.all.p999.into()),
        mean(|run| run.all.network_latency),
        point.accepted.mean,
        mean(|run| run.all.hops),
        mean(|run| run.all.vlb_share),
        mean(|run| run.fairness.least),
        mean(|run| run.fairness.most),
        mean(|run| run.fairness.jain),
        mean(|run| run.local_links.mean),
        mean(|run| run.local_links.most),
        mean(|run| run.global_links.mean),
        mean(|run| run.global_links.most),
        windows.map_or(String::new(), |windows| format!(" {windows:>7}")),
    )?;
    let populations = point.runs.first().map_or(&[][..], |run| &run.populations);
    for (number, first) in populations.iter().enumerate() {
        let of = |of: fn(&Figures) -> f64| {
            let values: Vec<f64> =
                point.runs.iter().map(|run| of(&run.populations[number])).collect();
            Estimate::of(&values)
        };
        let (latency, accepted) = (of(|p| p.latency), of(|p| p.accepted));
        writeln!(
            f,
            "  {:<12} {:>6} nodes: latency {:.2} ± {}, accepted {:.4}",
            first.population,
            first.nodes,
            latency.mean,
            error_text(latency.error, 2),
            accepted.mean
        )?;
    }
    Ok(())
}

/// A standard error; one run has none.
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

/// One line for each run. Each line says what was run, so that the lines of several files can stand in one.
pub(super) struct Csv<'a> {
    pub(super) report: &'a Report,
    pub(super) study: &'a Study<'a>,
    pub(super) identity: &'a Identity<'a>,
    /// What dies and is mended, if anything does.
    pub(super) faults: Option<&'a losses::Record>,
}

impl Csv<'_> {
    /// What is dead when; "none" if nothing dies.
    fn faults_in_words(&self) -> String {
        self.faults.map_or_else(|| "none".to_owned(), losses::Record::in_words)
    }

    /// What stands in the last columns.
    pub(super) fn settings(&self) -> String {
        let Self { study, .. } = self;
        let faults = self.faults_in_words();
        setting_columns(weighings(study), &faults, study.settings, vc_scheme(study))
    }

    /// The load of every link in every run, as CSV: flits per cycle, and the share of what the link takes.
    pub(super) fn links(&self, points: &[Point]) -> String {
        let Self { study: Study { fabric, seeds, .. }, identity, .. } = self;
        let (heads, settings) = (setting_columns_heads(), self.settings());
        let mut csv = format!(
            "{IDENTITY_COLUMNS},load,seed,switch,port,flits-per-cycle,share,link,{heads}\n"
        );
        for (load, seed, outcome) in (Curve { points, seeds }).runs() {
            for &(switch, port, flits) in &outcome.links {
                let link = csv_field(&fabric.name(switch, port));
                let is_global = matches!(fabric.link(switch, port), Link::Global(..));
                let of_kind = if is_global { &outcome.global_links } else { &outcome.local_links };
                let share = flits / of_kind.capacity;
                writeln!(
                    csv,
                    "{identity},{load},{seed},{switch},{port},{flits},{share},{link},{settings}"
                )
                .expect("writing to a string cannot fail");
            }
        }
        csv
    }
}

impl Display for Csv<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (heads, settings) = (setting_columns_heads(), self.settings());
        let identity = self.identity;
        match self.report {
            Report::Saturation(saturation) => {
                writeln!(
                    f,
                    "{IDENTITY_COLUMNS},seed,by-latency,by-acceptance,accepted-beyond,resolution,{heads}"
                )?;
                for seed in &saturation.seeds {
                    writeln!(
                        f,
                        "{identity},{},{},{},{},{},{settings}",
                        seed.seed,
                        seed.by_latency,
                        seed.by_acceptance,
                        seed.accepted_beyond,
                        saturation.resolution
                    )?;
                }
                Ok(())
            }
            Report::Curve(points) => {
                let windows = match self.study.settings.measuring {
                    Measuring::OneWindow => "",
                    Measuring::UntilWindowsAgree => ",windows",
                };
                let has_faults =
                    points.iter().flat_map(|p| &p.runs).any(|run| run.faults.is_some());
                let lost =
                    if has_faults { format!(",{}", losses::LOSS_COLUMNS) } else { String::new() };
                writeln!(
                    f,
                    "{IDENTITY_COLUMNS},load,seed,{FIGURE_COLUMNS},{heads}{windows}{lost}"
                )?;
                let seeds = self.study.seeds;
                for (load, seed, outcome) in (Curve { points, seeds }).runs() {
                    let windows = outcome.measured_windows;
                    let windows = windows.map_or(String::new(), |windows| format!(",{windows}"));
                    let lost = losses::columns_of(outcome);
                    for figures in figure_columns(outcome) {
                        writeln!(
                            f,
                            "{identity},{load},{seed},{figures},{settings}{windows}{lost}"
                        )?;
                    }
                }
                Ok(())
            }
        }
    }
}
