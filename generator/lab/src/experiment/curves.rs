//! Latency over load: conventional UGAL, the paper's set and ours, for each scheme and variant of
//! the settings, with the datapath and simulator that `tvlb simulate` uses.
//!
//! Each line begins at the lowest load and goes up in coarse steps until it saturates, then looks
//! between the last two loads for its saturation. Lines are independent and run side by side.

use super::catalogue::{Change, Experiment, Stated, Study, Variant};
use super::error::ExperimentError;
use super::findings::{Findings, Heading, Options, compared, to_json};
use super::kept::{Subject, recall_or};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_generator::choose::candidates::{FALLBACK, PAPER};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::{Policy, PolicyPair};
use tvlb_generator::table_set::sha256;
use tvlb_generator::topology::arrangement::Arrangement;
use tvlb_progress::Progress;
use tvlb_run_store::RunDirectory;
use tvlb_schema::{Dragonfly, PerDecision, VcScheme};
use tvlb_simulator::{
    BootedFabric, Outcome, Pattern, Probing, Revision, Run, RunError, Settings, StopRule, Traffic,
    last_good,
};

/// A load of 1 in the steps that the search takes, which are hundredths.
const UNIT: f64 = 100.0;

/// Where the VLB paths of a line come from.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Paths {
    Conventional,
    /// The paper's strategic choice, drawn by route as it says.
    Paper,
    /// What the user names, or plain sets that do well on dfly(4,8,4,9).
    Ours,
}

impl Paths {
    const ALL: [Self; 3] = [Self::Conventional, Self::Paper, Self::Ours];

    fn ink(self) -> Ink {
        match self {
            Self::Conventional => Ink::Conventional,
            Self::Paper => Ink::Paper,
            Self::Ours => Ink::Ours,
        }
    }

    /// The policies of UGAL-L and UGAL-G, of PAR at the source, and of PAR's second look.
    fn policies(
        self,
        options: &Options,
        seed: u64,
    ) -> Result<PerDecision<Policy>, ExperimentError> {
        let known = |text: &str| Policy::parse(text, seed).expect("these texts are in the grammar");
        Ok(match self {
            Self::Conventional => PerDecision::same(known(FALLBACK)),
            Self::Paper => PerDecision::same(known(PAPER)),
            Self::Ours => {
                let read = |text: &str, option: &'static str| {
                    PolicyPair::parse(text, seed)
                        .map_err(|error| ExperimentError::Policy { option, error })
                };
                let ugal_l = read(&options.ours_ugal, "--ours-ugal")?.source;
                let PolicyPair { source, second } = read(&options.ours_par, "--ours-par")?;
                PerDecision { ugal_l, par_source: source, par_second: second }
            }
        })
    }

    fn name(self, scheme: Scheme, policies: &PerDecision<Policy>) -> String {
        match (self, scheme) {
            (Self::Conventional, _) => "conventional".to_owned(),
            (_, Scheme::Par) => {
                let PerDecision { par_source, par_second, .. } = policies.clone();
                PolicyPair { source: par_source, second: par_second }.to_string()
            }
            _ => policies.ugal_l.to_string(),
        }
    }
}

/// One set of paths, ready to be simulated.
struct Tables {
    paths: Paths,
    policies: PerDecision<Policy>,
    images: Images,
}

/// One line of a figure.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Line {
    scheme: &'static str,
    variant: &'static str,
    paths: Paths,
    set: String,
    /// The last load below saturation, in flits per node and cycle.
    saturation: f64,
    points: Vec<Point>,
    #[serde(skip)]
    of: Scheme,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Point {
    load: f64,
    latency: f64,
    p99: u32,
    accepted: f64,
    hops: f64,
    vlb_share: f64,
    saturated: bool,
}

impl From<Outcome> for Point {
    fn from(outcome: Outcome) -> Self {
        Self {
            load: outcome.load,
            latency: outcome.all.latency,
            p99: outcome.all.p99,
            accepted: outcome.all.accepted,
            hops: outcome.all.hops,
            vlb_share: outcome.all.vlb_share,
            saturated: outcome.saturated,
        }
    }
}

#[derive(Serialize)]
struct Document<'d> {
    #[serde(flatten)]
    heading: Heading<'d>,
    dragonfly: [u32; 4],
    traffic: &'d str,
    lines: &'d [Line],
}

/// How finely a line is looked at, in hundredths, and for how long.
struct Effort {
    coarse: u32,
    fine: u32,
    window: u32,
    warm_up: u32,
}

pub(super) fn run(
    study: &Study,
    experiment: &Experiment,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let [p, a, _, g] = study.dragonfly;
    // 9126 nodes need coarser steps, and a quick look at them must be quicker still.
    let effort = match (options.quick, p * a * g > 5000) {
        (false, false) => Effort { coarse: 5, fine: 1, window: 10_000, warm_up: 3 },
        (false, true) => Effort { coarse: 10, fine: 1, window: 10_000, warm_up: 3 },
        (true, false) => Effort { coarse: 10, fine: 2, window: 1500, warm_up: 2 },
        // Not much shorter, though: latencies must have the time to pass the limit.
        (true, true) => Effort { coarse: 20, fine: 5, window: 1000, warm_up: 2 },
    };
    let pattern: Pattern = study.traffic.parse()?;
    let fabric = fabric(study.dragonfly)?;
    let tables: Vec<Tables> = Paths::ALL
        .into_iter()
        .map(|paths| {
            let policies = paths.policies(options, fabric.file.seed)?;
            Ok(Tables { paths, images: images(&fabric, &policies, progress)?, policies })
        })
        .collect::<Result<_, ExperimentError>>()?;
    let mut wanted = Vec::new();
    for variant in study.variants {
        for &scheme in study.schemes {
            wanted.extend(tables.iter().map(|tables| (variant, scheme, tables)));
        }
    }
    progress.stage("lines", Some(wanted.len()));
    let lines = wanted
        .into_par_iter()
        .with_max_len(1)
        .map(|(variant, scheme, tables)| {
            let line = line((variant, scheme, tables), &pattern, &effort, options, progress);
            progress.step();
            line
        })
        .collect::<Vec<Result<Line, ExperimentError>>>()
        .into_iter()
        .collect::<Result<Vec<Line>, ExperimentError>>()?;
    let heading = Heading::new(experiment, options);
    let json = to_json(&Document {
        heading,
        dragonfly: study.dragonfly,
        traffic: study.traffic,
        lines: &lines,
    });
    let pictures = pictures(experiment, study, &lines);
    Ok(Findings { csv: csv(&lines), json, pictures, words: words(study, &lines) })
}

/// The fabric of these sizes.
fn fabric([p, a, h, g]: [u32; 4]) -> Result<Fabric, ExperimentError> {
    let dragonfly = Dragonfly::new(p, a, h, g)?;
    Ok(Fabric::new("experiment", dragonfly, Arrangement::default(), 1)?)
}

/// The images of a fabric with these policies.
fn images(
    fabric: &Fabric,
    policies: &PerDecision<Policy>,
    progress: &dyn Progress,
) -> Result<Images, ExperimentError> {
    let made = generate(fabric, policies, progress)?;
    Ok(made.images)
}

fn line(
    (variant, scheme, tables): (&Variant, Scheme, &Tables),
    pattern: &Pattern,
    effort: &Effort,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Line, ExperimentError> {
    let Tables { paths, policies, images } = tables;
    let source =
        if *paths == Paths::Conventional { VlbPaths::Conventional } else { VlbPaths::Custom };
    let mut settings = Settings {
        window_cycles: effort.window,
        warm_up_windows: effort.warm_up,
        ..Settings::new(scheme, source)
    };
    let mut revision = Revision::default();
    match variant.change {
        Change::Nothing => {}
        Change::Latencies(local, global) => {
            (settings.local_latency_cycles, settings.global_latency_cycles) = (local, global);
        }
        Change::Buffer(flits) => settings.buffer_flits = flits,
        Change::Speedup(speedup) => settings.speedup = speedup,
        Change::PerHop => revision.vc_scheme = Some(VcScheme::PerHop),
    }
    let switches = revision.apply(&images.fabric, &images.switches)?;
    let fabric = BootedFabric::boot(&images.fabric, &switches)?;
    let traffic = Traffic::new(pattern, fabric.dragonfly(), options.seed)?;
    let hash = sha256(&[&images.fabric[..], &switches.concat()].concat());
    let kept = options.state.as_ref().map(RunDirectory::new);
    let seed = options.seed;
    let mut known: BTreeMap<u32, Point> = BTreeMap::new();
    let mut is_good = |step: u32| {
        let load = f64::from(step) / UNIT;
        let subject = Subject {
            tool_version: env!("CARGO_PKG_VERSION"),
            traffic_version: tvlb_traffic::VERSION,
            images: &hash,
            settings: &settings,
            traffic: pattern.to_string(),
            load,
            seed,
        };
        let point = recall_or(kept.as_ref(), &subject, || {
            Run::new(&fabric, &settings, &traffic, load, seed)
                .map_err(RunError::Settings)
                .and_then(|run| run.measure(StopRule::WhenSaturated, progress))
                .map(Point::from)
                .map_err(|error| match error {
                    RunError::Cancelled(cancelled) => cancelled.into(),
                    error => ExperimentError::Run { load, error },
                })
        })?;
        let good = !point.saturated;
        known.insert(step, point);
        Ok::<bool, ExperimentError>(good)
    };
    let probing = Probing::Upwards { coarse: effort.coarse, fine: effort.fine };
    let good = last_good(100, probing, |steps| steps.iter().map(|&step| is_good(step)).collect())?;
    Ok(Line {
        scheme: scheme.name(),
        variant: variant.name,
        paths: *paths,
        set: paths.name(scheme, policies),
        saturation: f64::from(good) / UNIT,
        points: known.into_values().collect(),
        of: scheme,
    })
}

fn csv(lines: &[Line]) -> String {
    let mut text =
        "scheme,variant,set,load,latency,p99,accepted,hops,vlb-share,saturated\n".to_owned();
    for line in lines {
        for point in &line.points {
            let Point { load, latency, p99, accepted, hops, vlb_share, saturated } = point;
            let _ = writeln!(
                text,
                "{},{},\"{}\",{load},{latency:.3},{p99},{accepted:.5},{hops:.4},{vlb_share:.4},{saturated}",
                line.scheme, line.variant, line.set
            );
        }
    }
    text
}

/// Draws a picture for each scheme and variant.
fn pictures(experiment: &Experiment, study: &Study, lines: &[Line]) -> Vec<(String, String)> {
    let mut pictures = Vec::new();
    for variant in study.variants {
        for &scheme in study.schemes {
            let of = |line: &&Line| line.of == scheme && line.variant == variant.name;
            let series: Vec<Series> = lines.iter().filter(of).map(series).collect();
            let most = series.iter().flat_map(|s| &s.marks).map(|mark| mark.x).fold(0.1, f64::max);
            let title = format!("{}, {}", experiment.about, scheme.name());
            // As the paper draws it: what lies above says only that it saturates.
            let shown =
                120.0 * if matches!(variant.change, Change::Latencies(..)) { 3.0 } else { 1.0 };
            let plot = Plot {
                title,
                x: Axis::new("load (flits per node and cycle)", 0.0, most),
                y: Axis::new("mean latency (cycles)", 0.0, shown),
                level: None,
                series,
            };
            let name = [scheme.name(), variant.name].join("-");
            pictures.push((name.trim_end_matches('-').to_owned(), plot.file()));
        }
    }
    pictures
}

fn series(line: &Line) -> Series {
    let first_saturated = line.points.iter().position(|point| point.saturated);
    let shown = first_saturated.map_or(line.points.len(), |position| position + 1);
    let marks = line.points.iter().take(shown).map(|point| Mark {
        x: point.load,
        y: (!point.saturated).then_some(point.latency),
        error: 0.0,
        hover: format!("{}: {:.1} cycles at {}", line.set, point.latency, point.load),
    });
    Series { name: line.set.clone(), ink: line.paths.ink(), joined: true, marks: marks.collect() }
}

/// Writes the saturation of every line, and our figures beside those that the paper's text states.
fn words(study: &Study, lines: &[Line]) -> String {
    let mut text = String::new();
    for line in lines {
        let variant = if line.variant.is_empty() { "" } else { &format!(" {}", line.variant) };
        let low = line.points.iter().find(|point| !point.saturated);
        let low = low.map_or(String::new(), |point| {
            format!(", latency {:.1} at {}", point.latency, point.load)
        });
        let _ = writeln!(
            text,
            "  {}{variant}, {}: saturates at {:.2}{low}",
            line.scheme, line.set, line.saturation
        );
    }
    if study.stated.is_empty() {
        text.push_str("  the paper's text: no figure known\n");
    }
    for stated in study.stated {
        let prefix = if stated.custom { "T-" } else { "" };
        for line in lines.iter().filter(|line| {
            line.of == stated.scheme && (line.paths != Paths::Conventional) == stated.custom
        }) {
            let _ = writeln!(
                text,
                "  {prefix}{} with {}: {}",
                stated.scheme.name().to_uppercase(),
                line.set,
                beside(stated, line)
            );
        }
    }
    text
}

fn beside(stated: &Stated, line: &Line) -> String {
    let latency = stated.latency.and_then(|(load, paper)| {
        let point = line.points.iter().find(|point| (point.load - load).abs() < 1e-9)?;
        (!point.saturated).then(|| format!("latency at {load} {}", compared(point.latency, paper)))
    });
    let saturation =
        stated.saturation.map(|paper| format!("saturation {}", compared(line.saturation, paper)));
    [latency, saturation].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
