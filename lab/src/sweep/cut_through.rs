//! Runs of cut-through switches: routings that decide at every hop beside those that decide once or twice.

mod figures;
mod lines;
mod windows;

use super::asked::{Course, RoutingLine};
use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::file::{File, Quantity};
use super::lists::distinct;
use super::measure::{Measure, ResultStore};
use crate::cut_through::{
    CutThrough, CutThroughError, CutThroughFabric, CutThroughOutcome, CutThroughRun,
    CutThroughSaturation, Sending, saturation,
};
use crate::escape::find;
use figures::KeptFigures;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Display;
use tvlb_base::progress::Progress;
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_generator::image::Images;
use tvlb_generator::policy::PolicyPair;
use tvlb_ofar::{EscapeImage, EscapeKind, OfarRules, encode_escape_image};
use tvlb_schema::{FabricImage, SwitchId};
use tvlb_simulator::BootedFabric;
use tvlb_table_set::runs::build;
use tvlb_traffic::{Pattern, Traffic};

/// The most cycles of a burst, and where all send to all.
const MOST_CYCLES: u32 = 2_000_000;

/// One run.
struct PhitRun {
    fabric: usize,
    line: usize,
    settings: CutThrough,
    /// A position in the list of traffic.
    traffic: usize,
    sending: Sending,
    seed: u64,
}

/// A fabric's escape networks, and its images by the policies as text.
#[derive(Default)]
struct Bench {
    images: HashMap<String, Images>,
    ring: Vec<u8>,
    tree: Vec<u8>,
    /// The switch above all others in the tree.
    root: SwitchId,
}

/// All runs of a study.
pub(super) struct CutThroughs {
    fabrics: Vec<NamedFabric>,
    lines: Vec<RoutingLine>,
    traffic: Vec<(String, Pattern)>,
    cases: Vec<PhitRun>,
    benches: Vec<Bench>,
    /// Where runs are watched window by window.
    course: Option<Course>,
    /// Where the load of saturation is searched for, among the multiples of this.
    resolution: Option<f64>,
    /// How many cases that differ in the seed alone stand one after the other.
    seeds: usize,
}

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct CutThroughSubject<'s> {
    tool_version: &'static str,
    traffic_version: u32,
    fabric: String,
    policies: &'s str,
    escape: Option<&'static str>,
    settings: &'s CutThrough,
    traffic: &'s str,
    sending: Sending,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    course: Option<&'s Course>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<f64>,
}

/// What nodes send, run by run, and the resolution where the load of saturation is searched for.
fn sendings(
    file: &File,
    wrong: &dyn Fn(&dyn Display) -> SweepError,
) -> Result<(Vec<Sending>, Option<f64>), SweepError> {
    match (file.burst, file.all_to_all) {
        (Some(packets), false) => Ok((vec![Sending::Burst(packets)], None)),
        (None, true) => Ok((vec![Sending::AllToAll], None)),
        (None, false) => match file.measured().map_err(|error| wrong(&error))? {
            Quantity::Loads(loads) => Ok((loads.into_iter().map(Sending::Load).collect(), None)),
            Quantity::Saturation(found) => Ok((vec![Sending::Load(found)], Some(found))),
            Quantity::Curve(_) => {
                let accepted = "`loads`, `[saturation]`, `burst` or `all-to-all`";
                Err(wrong(&format_args!("cut-through: accepted {accepted}")))
            }
        },
        _ => Err(wrong(&"found `burst` and `all-to-all`, accepted one of them")),
    }
}

/// The settings of a line for so many cycles of warming up and of measuring; what ends by itself is measured as long as
/// it takes.
fn measuring(plain: &CutThrough, sending: Sending, [warm_up, measured]: [u32; 2]) -> CutThrough {
    if matches!(sending, Sending::Load(_)) {
        CutThrough { warm_up_cycles: warm_up, measured_cycles: measured, ..plain.clone() }
    } else {
        CutThrough { measured_cycles: MOST_CYCLES, ..plain.clone() }
    }
}

impl CutThroughs {
    pub(super) fn new(
        file: &File,
        fabrics: Vec<NamedFabric>,
        wrong: &dyn Fn(&dyn Display) -> SweepError,
    ) -> Result<Self, SweepError> {
        distinct("cut-through", file.cut_through.iter().map(|line| &line.name))
            .and_then(|()| distinct("traffic", &file.traffic))
            .and_then(|()| distinct("seeds", &file.seeds))
            .map_err(|error| wrong(&error))?;
        let (sendings, resolution) = sendings(file, wrong)?;
        if file.course.is_some() && resolution.is_some() {
            return Err(wrong(&"found `course` and `[saturation]`, accepted one of them"));
        }
        let read = |text: &String| {
            let pattern = text.parse::<Pattern>();
            pattern.map(|pattern| (text.clone(), pattern)).map_err(|error| wrong(&error))
        };
        let traffic = file.traffic.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let cycles = match &file.course {
            Some(course) => {
                Self::check_course(course, &traffic, &sendings).map_err(|error| wrong(&error))?;
                [course.first, course.end - course.first]
            }
            None => file.cycles.unwrap_or([10_000, 10_000]),
        };
        let mut cases = Vec::new();
        for (fabric, _) in fabrics.iter().enumerate() {
            for (number, line) in file.cut_through.iter().enumerate() {
                if file.leave_out.contains(&line.name) {
                    continue;
                }
                PolicyPair::parse(line.policies(), 1)
                    .map_err(|error| wrong(&format_args!("{}: {error}", line.name)))?;
                let plain = line.settings().map_err(|error| wrong(&error))?;
                for (traffic, _) in traffic.iter().enumerate() {
                    for &sending in &sendings {
                        let settings = measuring(&plain, sending, cycles);
                        cases.extend(file.seeds.iter().map(|&seed| PhitRun {
                            fabric,
                            line: number,
                            settings: settings.clone(),
                            traffic,
                            sending,
                            seed,
                        }));
                    }
                }
            }
        }
        let benches = fabrics.iter().map(|_| Bench::default()).collect();
        let (lines, course, seeds) =
            (file.cut_through.clone(), file.course.clone(), file.seeds.len());
        Ok(Self { fabrics, lines, traffic, cases, benches, course, resolution, seeds })
    }

    fn subject<'s>(&'s self, case: &'s PhitRun) -> CutThroughSubject<'s> {
        let line = &self.lines[case.line];
        CutThroughSubject {
            tool_version: build(),
            traffic_version: tvlb_traffic::VERSION,
            fabric: self.fabrics[case.fabric].wiring.clone(),
            policies: line.policies(),
            escape: line.escape().map(EscapeKind::name),
            settings: &case.settings,
            traffic: &self.traffic[case.traffic].0,
            sending: case.sending,
            seed: case.seed,
            course: self.course.as_ref(),
            resolution: self.resolution,
        }
    }

    fn prepare_one(
        &mut self,
        (fabric, line): (usize, usize),
        progress: &dyn Progress,
    ) -> Result<(), SweepError> {
        let (named, bench) = (&self.fabrics[fabric], &mut self.benches[fabric]);
        let policies = self.lines[line].policies();
        if bench.images.contains_key(policies) {
            return Ok(());
        }
        let topology = &named.fabric.topology;
        let pair = PolicyPair::parse(policies, named.fabric.file.seed).expect("it was read before");
        let vc_scheme = named.fabric.virtual_channels();
        let images = named.images(&pair.per_decision(), vc_scheme, progress)?;
        let image = FabricImage::decode(&images.fabric).expect("it has just been written");
        let encoded = |kind| -> Result<Vec<u8>, SweepError> {
            let failed = |error: Box<dyn std::error::Error + Send + Sync>| SweepError::Run {
                run: named.path.clone(),
                error,
            };
            let found = find(topology, kind, None).map_err(|error| failed(error.into()))?;
            encode_escape_image(&image, &found.network, &OfarRules::default())
                .map_err(|error| failed(error.into()))
        };
        (bench.ring, bench.tree) = (encoded(EscapeKind::Ring)?, encoded(EscapeKind::Tree)?);
        let tree = EscapeImage::decode(&bench.tree, &image).expect("as written");
        bench.root = tree.switch_at(0);
        bench.images.insert(policies.to_owned(), images);
        Ok(())
    }

    /// Does something with the network and the traffic of a case.
    fn with_network<T>(
        &self,
        case: &PhitRun,
        measure: impl FnOnce(CutThroughFabric<'_>, &Traffic) -> Result<T, CutThroughError>,
    ) -> Result<T, SweepError> {
        let (line, bench) = (&self.lines[case.line], &self.benches[case.fabric]);
        let images = &bench.images[line.policies()];
        let booted = BootedFabric::boot(&images.fabric, &images.switches)?;
        let escape = line.escape().map(|kind| match kind {
            EscapeKind::Ring => &bench.ring,
            EscapeKind::Tree => &bench.tree,
        });
        let fabric = escape.map_or(Ok(CutThroughFabric::from(&booted)), |image| {
            CutThroughFabric::with_escape(&booted, image)
                .map_err(|error| SweepError::Run { run: line.name.clone(), error: Box::new(error) })
        })?;
        let df = self.fabrics[case.fabric].fabric.topology.dragonfly();
        let (name, pattern) = &self.traffic[case.traffic];
        let run = || format!("{}, {name}, seed {}", line.name, case.seed);
        let traffic = Traffic::new(pattern, df, case.seed)
            .map_err(|error| SweepError::Unfit { run: run(), error })?;
        match measure(fabric, &traffic) {
            Ok(found) => Ok(found),
            Err(CutThroughError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(error) => Err(SweepError::Run { run: run(), error: Box::new(error) }),
        }
    }
}

impl CutThroughs {
    fn simulate(
        &self,
        case: &PhitRun,
        progress: &dyn Progress,
    ) -> Result<CutThroughOutcome, SweepError> {
        self.with_network(case, |fabric, traffic| {
            let (settings, sending, seed) = (&case.settings, case.sending, case.seed);
            let mut run = CutThroughRun::new(fabric, settings, traffic, sending, seed)?;
            if let Some(course) = &self.course {
                run.record_series(course.window);
            }
            run.measure(progress)
        })
    }

    /// The line of a search.
    fn search(
        &self,
        unit: usize,
        resolution: f64,
        source: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        let case = &self.cases[unit];
        let make = || {
            self.with_network(case, |fabric, traffic| {
                let sends = (traffic, case.seed);
                saturation(fabric, &case.settings, sends, resolution, progress)
            })
        };
        let found: Option<CutThroughSaturation> = source.run(&self.subject(case), make)?;
        Ok(found.map(|CutThroughSaturation { by_acceptance, accepted_beyond }| {
            vec![row![
                self.fabrics[case.fabric].fabric.file.name.as_str(),
                self.lines[case.line].name.as_str(),
                self.traffic[case.traffic].0.as_str(),
                case.seed,
                "acceptance",
                by_acceptance,
                accepted_beyond
            ]]
        }))
    }
}

impl Measure for CutThroughs {
    fn units(&self) -> usize {
        self.cases.len()
    }

    fn prepare(&mut self, units: &[usize], progress: &dyn Progress) -> Result<(), SweepError> {
        for &unit in units {
            let PhitRun { fabric, line, .. } = self.cases[unit];
            self.prepare_one((fabric, line), progress)?;
        }
        Ok(())
    }

    fn is_kept(&self, unit: usize, source: &ResultStore<'_>) -> Result<bool, SweepError> {
        Ok(source.contains(&self.subject(&self.cases[unit])))
    }

    fn rows(
        &self,
        unit: usize,
        source: &ResultStore<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Vec<Cell>>>, SweepError> {
        if self.course.is_some() {
            return self.windows(unit, source, progress);
        }
        if let Some(resolution) = self.resolution {
            return self.search(unit, resolution, source, progress);
        }
        let case = &self.cases[unit];
        let df = self.fabrics[case.fabric].fabric.topology.dragonfly();
        let root = self.benches[case.fabric].root;
        let make = || Ok(KeptFigures::new(&self.simulate(case, progress)?, (df, root)));
        let Some(found): Option<KeptFigures> = source.run(&self.subject(case), make)? else {
            return Ok(None);
        };
        let (load, traffic) = match case.sending {
            Sending::Load(load) => (Some(load), self.traffic[case.traffic].0.as_str()),
            Sending::Burst(_) => (None, self.traffic[case.traffic].0.as_str()),
            Sending::AllToAll => (None, "all-to-all"),
        };
        // A latency beyond saturation is that of its window alone.
        let saturated = matches!(case.sending, Sending::Load(load) if found.accepted < 0.95 * load);
        let ([local, global], [thousandth, ten_thousandth, most]) = (found.hops, found.most_hops);
        let [injected, root, last] = found.injected;
        Ok(Some(vec![row![
            self.fabrics[case.fabric].fabric.file.name.as_str(),
            self.lines[case.line].name.as_str(),
            traffic,
            load,
            case.seed,
            found.cycles,
            saturated,
            found.latency,
            found.p50,
            found.p99,
            found.accepted,
            found.vlb_share,
            local,
            global,
            found.escape_hops,
            thousandth,
            ten_thousandth,
            most,
            found.most_entries,
            injected,
            root,
            last,
        ]]))
    }

    fn columns(&self) -> Vec<&'static str> {
        if self.course.is_some() {
            return "fabric,line,traffic,load,phase,from,steady-after,accepted,latency,vlb-share"
                .split(',')
                .collect();
        }
        if self.resolution.is_some() {
            return "fabric,line,traffic,seed,criterion,saturation,accepted-beyond"
                .split(',')
                .collect();
        }
        "fabric,line,traffic,load,seed,cycles,saturated,latency,p50,p99,accepted,vlb-share,local-hops,global-hops,\
         escape-hops,hops-of-all-but-a-thousandth,hops-of-all-but-a-ten-thousandth,most-hops,most-entries,injected,\
         injected-in-root-group,injected-by-last-switch"
            .split(',')
            .collect()
    }

    fn drawn(&self) -> &'static str {
        if self.course.is_some() {
            return "accepted over from in phits";
        }
        if self.resolution.is_some() { "saturation in phits" } else { "latency over load in phits" }
    }
}
