//! Runs of cut-through switches: routings that decide at every hop next to those that decide once or twice.

mod figures;
pub(super) mod kinds;
mod lines;

use super::asked::RoutingLine;
use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::file::File;
use super::images::{BootImages, ImageKey};
use super::kind::Units;
use super::lists::{combinations, distinct};
use super::network::{all_of, traffic_of};
use super::sets::StudyPaths;
use crate::cut_through::{
    CutThrough, CutThroughError, CutThroughFabric, CutThroughOutcome, CutThroughRun, Sending,
};
use serde::Serialize;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::num::NonZeroU32;
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_table_set::names::Parts;
use tvlb_table_set::runs::build;
use tvlb_table_set::sha256;
use tvlb_traffic::named::{Named, NamedParts};
use tvlb_traffic::{Pattern, PlacementRule, Traffic};

/// The most cycles of a burst, and of a run in which all send to all.
const MOST_CYCLES: u32 = 2_000_000;

/// One run.
struct PhitRun {
    fabric: usize,
    line: usize,
    settings: CutThrough,
    /// Positions in the lists of traffic and placements.
    traffic: usize,
    placement: usize,
    sending: Sending,
    seed: u64,
}

/// All runs of a study.
pub(super) struct PhitRuns {
    fabrics: Vec<NamedFabric>,
    lines: Vec<RoutingLine>,
    /// The source of each line's VLB paths.
    paths: Vec<StudyPaths>,
    /// By fabric, in the order of the file.
    traffic: Vec<Vec<Named<Pattern>>>,
    placements: Vec<Named<PlacementRule>>,
    runs: Vec<PhitRun>,
    images: BootImages,
    /// Escape images, by the fabric and what they are made from.
    escapes: HashMap<(usize, String), Vec<u8>>,
    /// The fabrics and lines whose settings were tried.
    tried: HashSet<(usize, usize)>,
    /// How many runs that differ in the seed alone follow each other.
    seeds: usize,
}

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct PhitSubject<'s> {
    tool_version: &'static str,
    traffic_version: u32,
    fabric: &'s str,
    rules: String,
    vc_scheme: &'static str,
    /// The input of the escape network.
    escape: Option<String>,
    settings: &'s CutThrough,
    traffic: &'s str,
    traffic_content: Option<&'s str>,
    placement: &'s str,
    placement_content: Option<&'s str>,
    sending: Sending,
    seed: u64,
}

impl PhitRuns {
    fn new(
        file: &File,
        (fabrics, beside): (Vec<NamedFabric>, &Path),
        sendings: &[Sending],
        wrong: &dyn Fn(&dyn Display) -> SweepError,
    ) -> Result<Self, SweepError> {
        let kept = |line: &&RoutingLine| !file.leave_out.contains(&line.name);
        let lines: Vec<RoutingLine> = file.cut_through.iter().filter(kept).cloned().collect();
        distinct("cut-through", lines.iter().map(|line| &line.name))
            .and_then(|()| distinct("traffic", &file.traffic))
            .and_then(|()| distinct("placements", &file.placements))
            .and_then(|()| distinct("seeds", &file.seeds))
            .map_err(|error| wrong(&error))?;
        let parts: Vec<(&str, Parts<'_>)> = fabrics.iter().map(NamedFabric::parts).collect();
        let parts: Vec<NamedParts<'_>> = parts.iter().map(|(name, parts)| (*name, parts)).collect();
        let each = |name: &str, error: String| wrong(&format!("{name}: {error}"));
        let mut traffic =
            traffic_of(file, &fabrics, &parts, beside).map_err(|e| each("traffic", e))?;
        // Tables call traffic as the file does.
        for (named, text) in traffic.iter_mut().flat_map(|all| all.iter_mut().zip(&file.traffic)) {
            named.name.clone_from(text);
        }
        let placements = all_of(&file.placements, |text| Named::placement(text, beside, &parts));
        let placements = placements.map_err(|e| each("placements", e))?;
        let paths = lines.iter().map(|line| line.paths(beside).map_err(|e| each(&line.name, e)));
        let paths = paths.collect::<Result<_, _>>()?;
        let mut all = Self {
            fabrics,
            lines,
            paths,
            traffic,
            placements,
            runs: Vec::new(),
            images: BootImages::default(),
            escapes: HashMap::new(),
            tried: HashSet::new(),
            seeds: file.seeds.len(),
        };
        for line in &all.lines {
            let image = line.escape_image(beside).map_err(|e| each(&line.name, e))?;
            if let (Some(image), Some(escape)) = (image, line.escape()) {
                let of_fabric = |fabric| ((fabric, escape.clone()), image.clone());
                all.escapes.extend((0..all.fabrics.len()).map(of_fabric));
            }
        }
        let settings = |[fabric, line, sending]: [usize; 3]| {
            let settings = all.settings((fabric, line), file, sendings[sending]);
            settings.map_err(|error| each(&all.lines[line].name, error))
        };
        let settings =
            combinations([all.fabrics.len(), all.lines.len(), sendings.len()]).map(settings);
        let settings: Vec<CutThrough> = settings.collect::<Result<_, _>>()?;
        let lengths = [
            all.fabrics.len(),
            all.lines.len(),
            file.traffic.len(),
            all.placements.len(),
            sendings.len(),
            all.seeds,
        ];
        for [fabric, line, traffic, placement, sending, seed] in combinations(lengths) {
            let place = (fabric * all.lines.len() + line) * sendings.len() + sending;
            let settings = settings[place].clone();
            let (sending, seed) = (sendings[sending], file.seeds[seed]);
            all.runs.push(PhitRun { fabric, line, settings, traffic, placement, sending, seed });
        }
        Ok(all)
    }

    /// The settings of a line's runs on a fabric. A run that ends by itself is measured as long as it takes.
    fn settings(
        &self,
        (fabric, line): (usize, usize),
        file: &File,
        sending: Sending,
    ) -> Result<CutThrough, String> {
        let (named, image) = (&self.fabrics[fabric], self.escape((fabric, line)));
        let is_load = matches!(sending, Sending::Load(_));
        let most = (!is_load).then_some(MOST_CYCLES);
        let paths = self.paths[line].kind;
        let mut settings = self.lines[line].settings(named, paths, (image, most))?;
        let cycles = match &file.course {
            Some(course) => Some([course.first, course.end - course.first]),
            None => file.cycles,
        };
        if let (Some([warm_up, measured]), true) = (cycles, is_load) {
            (settings.warm_up_cycles, settings.measured_cycles) = (warm_up, measured);
        }
        Ok(settings)
    }

    fn pattern(&self, run: &PhitRun) -> &Named<Pattern> {
        &self.traffic[run.fabric][run.traffic]
    }

    fn images_of(&self, run: &PhitRun) -> ImageKey {
        let vc_scheme = self.fabrics[run.fabric].fabric.virtual_channels();
        let set = StudyPaths::first_alike(&self.paths, run.line);
        ImageKey { fabric: run.fabric, set, vc_scheme, dead: 0, seed: 0 }
    }

    /// The escape image of a line on a fabric, if there is one by now: those of files are there from the beginning.
    fn escape(&self, (fabric, line): (usize, usize)) -> Option<&[u8]> {
        let image = self.escapes.get(&(fabric, self.lines[line].escape()?));
        image.map(Vec::as_slice)
    }

    fn subject(&self, unit: usize) -> PhitSubject<'_> {
        let run = &self.runs[unit];
        let (named, line) = (&self.fabrics[run.fabric], &self.lines[run.line]);
        let (pattern, placement) = (self.pattern(run), &self.placements[run.placement]);
        let image = self.escape((run.fabric, run.line));
        let image = image.filter(|_| line.escape_image.is_some());
        PhitSubject {
            tool_version: build(),
            traffic_version: tvlb_traffic::VERSION,
            fabric: &named.wiring,
            rules: self.paths[run.line].rules_in_words(&named.fabric),
            vc_scheme: named.fabric.virtual_channels().name(),
            escape: image.map(sha256).or_else(|| line.escape()),
            settings: &run.settings,
            traffic: &pattern.name,
            traffic_content: pattern.content.as_deref(),
            placement: &placement.name,
            placement_content: placement.content.as_deref(),
            sending: run.sending,
            seed: run.seed,
        }
    }

    /// Does something with the network and the traffic of a run.
    fn with_network<T>(
        &self,
        unit: usize,
        measure: impl FnOnce(CutThroughFabric<'_>, &PhitRun, &Traffic) -> Result<T, CutThroughError>,
    ) -> Result<T, SweepError> {
        let run = &self.runs[unit];
        let (line, pattern) = (&self.lines[run.line], self.pattern(run));
        let in_words = || format!("{}, {}, seed {}", line.name, pattern.name, run.seed);
        let booted = self.images.booted(self.images_of(run))?;
        let escape = self.escape((run.fabric, run.line));
        let fabric = escape.map_or(Ok(CutThroughFabric::from(&booted)), |image| {
            CutThroughFabric::with_escape(&booted, image)
                .map_err(|error| SweepError::Run { run: line.name.clone(), error: error.into() })
        })?;
        let unfit = |error| SweepError::Unfit { run: in_words(), error };
        let traffic = Traffic::new(&pattern.rule, booted.nodes(), run.seed).map_err(unfit)?;
        let placement = self.placements[run.placement].rule.on(booted.nodes(), run.seed);
        let traffic = traffic.placed(&placement.map_err(unfit)?);
        match measure(fabric, run, &traffic) {
            Ok(found) => Ok(found),
            Err(CutThroughError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(error) => Err(SweepError::Run { run: in_words(), error: error.into() }),
        }
    }

    /// Makes one run, observed by windows of this many cycles if wanted.
    fn simulate(
        &self,
        unit: usize,
        window: Option<NonZeroU32>,
        progress: &dyn Progress,
    ) -> Result<CutThroughOutcome, SweepError> {
        self.with_network(unit, |fabric, run, traffic| {
            let PhitRun { settings, sending, seed, .. } = run;
            let mut run = CutThroughRun::new(fabric, settings, traffic, *sending, *seed)?;
            if let Some(cycles) = window {
                run.record_series(cycles);
            }
            run.measure(progress)
        })
    }
}

impl Units for PhitRuns {
    fn count(&self) -> usize {
        self.runs.len()
    }

    fn prepare(&mut self, unit: usize, progress: &dyn Progress) -> Result<(), SweepError> {
        let run = &self.runs[unit];
        let (key, place) = (self.images_of(run), (run.fabric, run.line));
        let (named, line) = (&self.fabrics[run.fabric], &self.lines[run.line]);
        self.images.prepare(key, (named, &self.paths[run.line]), None, progress)?;
        if let Some(escape) = line.escape()
            && let Entry::Vacant(vacant) = self.escapes.entry((run.fabric, escape))
        {
            vacant.insert(line.found_escape(named)?);
        }
        if !self.tried.insert(place) {
            return Ok(());
        }
        // What is invalid on this fabric is found before the first run.
        self.with_network(unit, |fabric, run, traffic| {
            CutThroughRun::new(fabric, &run.settings, traffic, run.sending, run.seed)?;
            Ok(())
        })
    }

    fn warnings(&self) -> Vec<String> {
        let of_run = |run: &PhitRun| {
            let starved = run.settings.starved_links().into_iter().map(|link| link.to_string());
            let cycles = run.settings.measured_cycles;
            starved.chain(self.pattern(run).rule.unmeasured_bursts(cycles))
        };
        self.runs.iter().flat_map(of_run).collect()
    }
}
