//! Runs of the network: at loads, over rising loads until it saturates, or searches for the load of saturation.
//! Every combination of the lists of a study is one of them.

mod figures;
pub(super) mod runs;

use super::dead_parts::DeadParts;
use super::error::SweepError;
use super::fabrics::{NamedFabric, for_fabric};
use super::file::{File, Quantity};
use super::images::{BootImages, ImageKey};
use super::lists::{combinations, distinct};
use super::sets::StudyPaths;
use super::settings::{Variant, variants};
use serde::Serialize;
use std::fmt::Display;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::FabricImage;
use tvlb_simulator::{Scheme, Settings};
use tvlb_table_set::names::Parts;
use tvlb_table_set::runs::build;
use tvlb_table_set::sha256;
use tvlb_traffic::named::{Named, NamedParts};
use tvlb_traffic::{Pattern, PlacementRule};

/// The most runs of a study. A longer list must be a typing error.
const MOST_UNITS: usize = 1_000_000;

/// Everything that a run's outcome depends on.
#[derive(Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct NetworkSubject {
    pub(super) tool_version: &'static str,
    pub(super) traffic_version: u32,
    pub(super) fabric: String,
    /// That of [`hash_of`].
    pub(super) fabric_hash: String,
    pub(super) scheme: &'static str,
    pub(super) set: String,
    /// The set on this fabric, with the seed of its fractions.
    pub(super) rules: String,
    pub(super) traffic: String,
    /// Where the processes of the traffic run, unless each runs on the node of its own number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement: Option<String>,
    /// `None` in a search for the load of saturation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) load: Option<f64>,
    pub(super) seed: u64,
    pub(super) settings: Settings,
    /// The resolution of the search for the load of saturation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) saturation: Option<f64>,
    /// The SHA-256 of the list of dead parts, as tvlb writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dead: Option<String>,
    /// The SHA-256 of the flows, if traffic is listed in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) traffic_content: Option<String>,
    /// The SHA-256 of the list of nodes, if the placement is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement_content: Option<String>,
    /// Whether the run ends as soon as it is bound to saturate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) ends_early: bool,
    /// Everything that dies and is mended, and how it is watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) course: Option<String>,
}

/// One run of a study, one search, or one line of rising loads.
pub(super) struct StudyRun {
    pub(super) subject: NetworkSubject,
    pub(super) tables: ImageKey,
    /// The position in the plan's list of traffic, and that of the placement in its own.
    pub(super) traffic: usize,
    pub(super) placement: usize,
    /// The name of its settings, if they have one.
    pub(super) variant: String,
}

/// A study of networks: every run, and their shared data.
pub(super) struct NetworkRuns {
    pub(super) fabrics: Vec<NamedFabric>,
    pub(super) sets: Vec<StudyPaths>,
    variants: Vec<Variant>,
    pub(super) dead: Vec<DeadParts>,
    /// By fabric, in the order of the file.
    pub(super) traffic: Vec<Vec<Named<Pattern>>>,
    pub(super) placements: Vec<Named<PlacementRule>>,
    pub(super) measured: Quantity,
    /// How many combinations there are but for traffic, loads and seeds.
    pub(super) lines: usize,
    /// Every combination, in the order of the file's lists, of which the last one changes fastest.
    pub(super) units: Vec<StudyRun>,
    /// The images of those combinations that are to be run.
    images: BootImages,
}

/// The lists that [`NetworkRuns`] does not keep.
struct Lists<'l> {
    schemes: Vec<Scheme>,
    /// The loads, or nothing in their place.
    loads: Vec<Option<f64>>,
    seeds: &'l [u64],
}

impl NetworkRuns {
    /// Reads a study of networks. Its paths are relative to `beside`.
    ///
    /// # Errors
    /// The first thing that is not accepted, or a fabric that cannot be read.
    pub(super) fn new(
        file: &File,
        fabrics: Vec<NamedFabric>,
        beside: &Path,
        wrong: &dyn Fn(&dyn Display) -> SweepError,
    ) -> Result<Self, SweepError> {
        let each = |name: &str, error: String| wrong(&format!("{name}: {error}"));
        distinct("schemes", &file.schemes)
            .and_then(|()| distinct("faults", &file.faults))
            .and_then(|()| distinct("traffic", &file.traffic))
            .and_then(|()| distinct("placements", &file.placements))
            .and_then(|()| distinct("seeds", &file.seeds))
            .map_err(|error| wrong(&error))?;
        let measured = file.measured().map_err(|error| wrong(&error))?;
        let loads = match &measured {
            Quantity::Loads(loads) => loads.iter().copied().map(Some).collect(),
            Quantity::Saturation(_) | Quantity::Curve(_) => vec![None],
        };
        let schemes = all_of(&file.schemes, scheme).map_err(|e| each("schemes", e))?;
        let variants = variants(&file.settings, &file.variants).map_err(|error| wrong(&error))?;
        let sets = sets(file, beside).map_err(|e| each("sets", e))?;
        let images: Vec<(&Fabric, FabricImage<'_>)> =
            fabrics.iter().map(|named| (&named.fabric, named.plan())).collect();
        for (fabric, image) in &images {
            let check = |set: &StudyPaths| set.check_fabric(&fabric.file.name, image.identity());
            sets.iter().try_for_each(check).map_err(|e| each("sets", e))?;
        }
        let dead = all_of(&file.faults, |name| DeadParts::read(name, beside, &images));
        let dead = dead.map_err(|e| each("faults", e))?;
        let parts: Vec<(&str, Parts<'_>)> = fabrics.iter().map(NamedFabric::parts).collect();
        let parts: Vec<NamedParts<'_>> = parts.iter().map(|(name, parts)| (*name, parts)).collect();
        let traffic = traffic_of(file, &fabrics, &parts, beside).map_err(|e| each("traffic", e))?;
        let placements = all_of(&file.placements, |text| Named::placement(text, beside, &parts));
        let placements = placements.map_err(|e| each("placements", e))?;
        let lists = Lists { schemes, loads, seeds: &file.seeds };
        let mut network = Self {
            fabrics,
            sets,
            variants,
            dead,
            traffic,
            placements,
            measured,
            lines: 0,
            units: Vec::new(),
            images: BootImages::default(),
        };
        network.add_units(&lists).map_err(|refused| wrong(&refused))?;
        let of_line = file.traffic.len() * lists.loads.len() * lists.seeds.len();
        network.lines = network.units.len() / of_line;
        Ok(network)
    }

    /// How many runs there are to be at most.
    fn count(&self, lists: &Lists<'_>) -> usize {
        let lists = [
            self.fabrics.len(),
            lists.schemes.len(),
            self.sets.len(),
            self.variants.len(),
            self.dead.len(),
            self.traffic.first().map_or(0, Vec::len),
            self.placements.len(),
            lists.loads.len(),
            lists.seeds.len(),
        ];
        lists.into_iter().fold(1, usize::saturating_mul)
    }

    /// Adds every combination of the lists.
    fn add_units(&mut self, lists: &Lists<'_>) -> Result<(), String> {
        let count = self.count(lists);
        if count > MOST_UNITS {
            return Err(format!("it asks for {count} runs, accepted at most {MOST_UNITS}"));
        }
        for fabric in 0..self.fabrics.len() {
            for &scheme in &lists.schemes {
                let variants = self.variants_of(scheme);
                for set in self.sets_of(scheme) {
                    for variant in &variants {
                        for dead in 0..self.dead.len() {
                            self.add_runs((fabric, set, dead), (scheme, variant), lists);
                        }
                    }
                }
            }
        }
        let mut settings = self.units.iter().map(|unit| &unit.subject.settings);
        settings.try_for_each(Settings::check).map_err(|refused| refused.to_string())
    }

    /// The variants that differ in something that a scheme uses.
    fn variants_of(&self, scheme: Scheme) -> Vec<Variant> {
        let mut all: Vec<Variant> = Vec::new();
        for variant in self.variants.iter().map(|variant| variant.obeyed(scheme)) {
            if !all.contains(&variant) {
                all.push(variant);
            }
        }
        all
    }

    /// The sets for a scheme. MIN draws from none, so of those with the same placements it uses only the first.
    fn sets_of(&self, scheme: Scheme) -> Vec<usize> {
        let is_placed_as = |one: usize, other: usize| {
            let [one, other] = [one, other].map(|set| &self.sets[set]);
            self.placements.iter().all(|rule| one.is_with(&rule.name) == other.is_with(&rule.name))
        };
        let mut all: Vec<usize> = Vec::new();
        for set in (0..self.sets.len()).filter(|&set| self.sets[set].is_of(scheme)) {
            if scheme != Scheme::Min || !all.iter().any(|&other| is_placed_as(other, set)) {
                all.push(set);
            }
        }
        all
    }

    /// Adds the runs of all traffic, placements, loads and seeds.
    fn add_runs(
        &mut self,
        (fabric, set, dead): (usize, usize, usize),
        (scheme, variant): (Scheme, &Variant),
        lists: &Lists<'_>,
    ) {
        let loaded = &self.fabrics[fabric].fabric;
        let paths = &self.sets[set];
        let resolution = match self.measured {
            Quantity::Saturation(resolution) => Some(resolution),
            _ => None,
        };
        let settings = variant.settings(loaded, (scheme, paths.kind), resolution.is_some());
        let vc_scheme = settings.vc_scheme.unwrap_or(loaded.virtual_channels());
        let base = NetworkSubject {
            tool_version: build(),
            traffic_version: tvlb_traffic::VERSION,
            fabric: loaded.file.name.clone(),
            fabric_hash: hash_of(loaded, paths),
            scheme: scheme.name(),
            set: paths.name.clone(),
            rules: paths.rules_in_words(loaded),
            traffic: String::new(),
            placement: None,
            load: None,
            seed: 0,
            settings,
            saturation: resolution,
            dead: None,
            traffic_content: None,
            placement_content: None,
            ends_early: matches!(self.measured, Quantity::Curve(_)),
            course: None,
        };
        let tables = |seed| {
            // Dead parts may be drawn by the seed; nothing else in the images depends on it.
            let seed = if self.dead[dead].is_drawn() { seed } else { 0 };
            ImageKey { fabric, set, vc_scheme, dead, seed }
        };
        let axes = [
            self.traffic[fabric].len(),
            self.placements.len(),
            lists.loads.len(),
            lists.seeds.len(),
        ];
        for [traffic, placement, load, seed] in combinations(axes) {
            let (pattern, rule) = (&self.traffic[fabric][traffic], &self.placements[placement]);
            if !paths.is_with(&rule.name) {
                continue;
            }
            let seed = lists.seeds[seed];
            let dead_parts = self.dead[dead].in_words(fabric, seed, loaded);
            let is_named = rule.rule != PlacementRule::Identity;
            let subject = NetworkSubject {
                traffic: pattern.name.clone(),
                placement: is_named.then(|| rule.name.clone()),
                traffic_content: pattern.content.clone(),
                placement_content: rule.content.clone(),
                dead: dead_parts.map(|words| sha256(words.as_bytes())),
                load: lists.loads[load],
                seed,
                ..base.clone()
            };
            let variant = variant.name.clone();
            let tables = tables(seed);
            self.units.push(StudyRun { subject, tables, traffic, placement, variant });
        }
    }

    /// Whether tables distinguish sets, or variants, by names.
    fn has_names(&self) -> bool {
        self.sets.iter().any(|set| set.heading != set.name)
            || self.variants.iter().any(|variant| !variant.name.is_empty())
    }
}

/// The traffic of each fabric. Traffic that a file lists is read for all of them, and must fit each.
pub(super) fn traffic_of(
    file: &File,
    fabrics: &[NamedFabric],
    parts: &[NamedParts<'_>],
    beside: &Path,
) -> Result<Vec<Vec<Named<Pattern>>>, String> {
    let of_fabric = |named: &NamedFabric| {
        let df = named.fabric.topology.dragonfly();
        all_of(&file.traffic, |text| {
            let rule = Named::pattern(&for_fabric(text, df), beside, parts)?;
            let name = if for_fabric(text, df) == text { rule.name } else { text.to_owned() };
            Ok(Named { name, ..rule })
        })
    };
    fabrics.iter().map(of_fabric).collect()
}

/// The sets of a study but for those that it does without.
pub(super) fn sets(file: &File, beside: &Path) -> Result<Vec<StudyPaths>, String> {
    let all = file.sets.iter().map(|entry| StudyPaths::parse(entry, beside));
    let mut all = all.collect::<Result<Vec<_>, String>>()?;
    all.retain(|set| !file.leave_out.contains(&set.heading));
    let each = all.iter().map(|set| format!("{} {}", set.name, set.schemes.join(" ")));
    distinct("sets", each.map(|name| name.trim_end().to_owned()))?;
    Ok(all)
}

pub(super) fn all_of<T>(
    list: &[String],
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    list.iter().map(|entry| read(entry)).collect()
}

pub(super) fn scheme(name: &str) -> Result<Scheme, String> {
    let names = Scheme::ALL.map(Scheme::name);
    let mut all = Scheme::ALL.into_iter();
    all.find(|&scheme| scheme.name() == name).ok_or_else(|| {
        let hint = tvlb_base::text::hint(name, names);
        format!("found {}{hint}, accepted {}", tvlb_base::text::quoted(name), names.join(", "))
    })
}

/// A hash of a fabric and of how its switches decide, except for the sets.
fn hash_of(fabric: &Fabric, paths: &StudyPaths) -> String {
    let policies = paths.named_policies(fabric);
    let weighings = policies.map(|policy| policy.weighing);
    let (topology, min) = (&fabric.topology, policies.par_second.min);
    let (cables, fewer) = (topology.cables(), topology.fewer_links());
    let text = format!("{:?} {cables:?} {fewer:?} {weighings:?} {min:?}", topology.dragonfly());
    sha256(text.as_bytes())
}
