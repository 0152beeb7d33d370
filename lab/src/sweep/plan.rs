//! The sweep file, checked, and the runs that it asks for.

use super::dead_parts::DeadParts;
use super::error::SweepError;
use super::file::{File, Measured};
use super::lists::distinct;
use super::paths::Paths;
use super::variant::Variant;
use serde::Serialize;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::image::fabric_image;
use tvlb_schema::{FabricImage, MinCandidate, PerDecision, VcScheme};
use tvlb_simulator::{Scheme, Settings, StarvedLink};
use tvlb_table_set::input_file::{self, Symlinks};
use tvlb_table_set::names::Parts;
use tvlb_table_set::runs::{Runs, StoreError};
use tvlb_table_set::sha256;
use tvlb_traffic::named::{Named, NamedParts};
use tvlb_traffic::{Pattern, PlacementRule};

/// The largest sweep file that is read. It has some bytes for each entry of its lists.
const MOST_BYTES: u64 = 16 << 20;
/// The most runs of a sweep. Whoever asks for more has mistyped a list.
const MOST_UNITS: usize = 1_000_000;

/// Everything that a run's outcome depends on.
#[derive(Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Subject {
    pub(super) tool_version: &'static str,
    pub(super) traffic_version: u32,
    pub(super) fabric: String,
    /// A hash of the fabric's sizes, cables, virtual channels and thresholds.
    pub(super) fabric_hash: String,
    pub(super) scheme: &'static str,
    pub(super) set: String,
    /// What the set means on this fabric, with the seed of its fractions.
    pub(super) rules: String,
    pub(super) traffic: String,
    /// Where the processes of the traffic run, if not each on the node of its own number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement: Option<String>,
    /// None where the load of saturation is searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) load: Option<f64>,
    pub(super) seed: u64,
    pub(super) settings: Settings,
    /// The resolution of the search for the load of saturation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) saturation: Option<f64>,
    /// The SHA-256 of the list of what is dead, as tvlb writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dead: Option<String>,
    /// The SHA-256 of the pairs of nodes, where traffic is listed in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) traffic_content: Option<String>,
    /// The SHA-256 of the list of nodes, where the placement is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement_content: Option<String>,
}

/// What the images that a run boots from depend on: positions in the plan's lists, and the rule of
/// virtual channels.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Tables {
    pub(super) fabric: usize,
    pub(super) set: usize,
    pub(super) vc_scheme: VcScheme,
    pub(super) dead: usize,
}

/// One run of a sweep, or one search.
pub(super) struct Unit {
    pub(super) subject: Subject,
    pub(super) tables: Tables,
    /// The position in the plan's list of traffic, and that of the placement in its own.
    pub(super) traffic: usize,
    pub(super) placement: usize,
}

/// What a sweep file asks for: every run, and what the runs share.
pub struct Plan {
    pub(super) fabrics: Vec<(PathBuf, Fabric)>,
    pub(super) sets: Vec<Paths>,
    pub(super) dead: Vec<DeadParts>,
    pub(super) traffic: Vec<Named<Pattern>>,
    pub(super) placements: Vec<Named<PlacementRule>>,
    /// Whether runs are searches for the load of saturation.
    pub(super) finds_saturation: bool,
    /// How many combinations there are but for traffic, loads and seeds.
    lines: usize,
    /// Every combination, in the order of the file's lists, of which the last one changes fastest.
    pub(super) units: Vec<Unit>,
}

/// Where the runs of a sweep are kept.
pub(super) fn runs_in(directory: &Path) -> Result<Runs, StoreError> {
    Runs::open(directory.join("runs"), "tvlb sweep 1")
}

/// The lists that [`Plan`] does not keep.
struct Lists {
    schemes: Vec<Scheme>,
    variants: Vec<Variant>,
    /// The loads, or nothing in their place.
    loads: Vec<Option<f64>>,
    /// The resolution of the search, if there is one.
    saturation: Option<f64>,
    seeds: Vec<u64>,
}

impl Plan {
    /// How many runs the sweep has.
    pub fn run_count(&self) -> usize {
        self.units.len()
    }

    /// How many kinds of traffic the sweep has.
    pub fn traffic_count(&self) -> usize {
        self.traffic.len()
    }

    /// How many lines a picture has of each kind of traffic: combinations of everything but traffic, loads
    /// and seeds.
    pub fn line_count(&self) -> usize {
        self.lines
    }

    /// Whether its runs are searches for the load of saturation.
    pub fn is_of_saturations(&self) -> bool {
        self.finds_saturation
    }

    /// The links of its runs whose buffers are too small for what the links take.
    pub fn starved_links(&self) -> impl Iterator<Item = StarvedLink> {
        self.units.iter().flat_map(|unit| unit.subject.settings.starved_links())
    }

    /// Reads a sweep file and the fabric files that it names.
    ///
    /// # Errors
    /// A file that cannot be read, and the first thing in it that is not accepted.
    pub fn read(path: &Path) -> Result<Self, SweepError> {
        let wrong = |fault: &dyn Display| SweepError::File {
            path: path.to_owned(),
            fault: fault.to_string(),
        };
        let text = input_file::read_text(path, MOST_BYTES, Symlinks::Follow)
            .map_err(|error| wrong(&format!("cannot read it: {error}")))?;
        let file = File::read(&text).map_err(|error| wrong(&error))?;
        distinct("fabrics", file.fabrics.iter().map(|path| path.display().to_string()))
            .and_then(|()| distinct("schemes", &file.schemes))
            .and_then(|()| distinct("sets", &file.sets))
            .and_then(|()| distinct("faults", &file.faults))
            .and_then(|()| distinct("traffic", &file.traffic))
            .and_then(|()| distinct("placements", &file.placements))
            .and_then(|()| distinct("seeds", &file.seeds))
            .map_err(|error| wrong(&error))?;
        let (loads, saturation) = match file.measured().map_err(|error| wrong(&error))? {
            Measured::Loads(loads) => (loads.into_iter().map(Some).collect(), None),
            Measured::Saturation(search) => (vec![None], Some(search.resolution)),
        };
        let beside = path.parent().unwrap_or(Path::new(""));
        let fabrics = file
            .fabrics
            .iter()
            .map(|name| Ok((name.clone(), Fabric::load(&beside.join(name))?)))
            .collect::<Result<Vec<_>, SweepError>>()?;
        let each = |name: &str, error: String| wrong(&format!("{name}: {error}"));
        let schemes = all_of(&file.schemes, scheme).map_err(|e| each("schemes", e))?;
        let variants = file.settings.variants().map_err(|error| wrong(&error))?;
        let sets =
            all_of(&file.sets, |set| Paths::parse(set, beside)).map_err(|e| each("sets", e))?;
        let images: Vec<Vec<u8>> =
            fabrics.iter().map(|(_, fabric)| fabric_image(&fabric.topology)).collect();
        let images: Vec<(&Fabric, FabricImage<'_>)> = fabrics
            .iter()
            .zip(&images)
            .map(|((_, fabric), bytes)| {
                (fabric, FabricImage::decode(bytes).expect("the encoder decodes what it wrote"))
            })
            .collect();
        for (fabric, image) in &images {
            let check = |set: &Paths| set.check_fabric(&fabric.file.name, image.identity());
            sets.iter().try_for_each(check).map_err(|e| each("sets", e))?;
        }
        let dead = all_of(&file.faults, |name| DeadParts::read(name, beside, &images));
        let dead = dead.map_err(|e| each("faults", e))?;
        let parts: Vec<(&str, Parts<'_>)> = fabrics
            .iter()
            .map(|(_, Fabric { file, topology, names, .. })| {
                (file.name.as_str(), Parts::new(topology.dragonfly(), names))
            })
            .collect();
        let parts: Vec<NamedParts<'_>> = parts.iter().map(|(name, parts)| (*name, parts)).collect();
        let traffic = all_of(&file.traffic, |text| Named::pattern(text, beside, &parts));
        let traffic = traffic.map_err(|e| each("traffic", e))?;
        let placements = all_of(&file.placements, |text| Named::placement(text, beside, &parts));
        let placements = placements.map_err(|e| each("placements", e))?;
        let lists = Lists { schemes, variants, loads, saturation, seeds: file.seeds };
        let mut plan = Self {
            fabrics,
            sets,
            dead,
            traffic,
            placements,
            finds_saturation: saturation.is_some(),
            lines: 0,
            units: Vec::new(),
        };
        let count = plan.count(&lists);
        if count > MOST_UNITS {
            return Err(wrong(&format!("it asks for {count} runs, accepted at most {MOST_UNITS}")));
        }
        plan.add_units(&lists);
        plan.lines = count / (plan.traffic.len() * lists.loads.len() * lists.seeds.len());
        Ok(plan)
    }

    /// How many runs there are to be.
    fn count(&self, lists: &Lists) -> usize {
        let lists = [
            self.fabrics.len(),
            lists.schemes.len(),
            self.sets.len(),
            lists.variants.len(),
            self.dead.len(),
            self.traffic.len(),
            self.placements.len(),
            lists.loads.len(),
            lists.seeds.len(),
        ];
        lists.into_iter().fold(1, usize::saturating_mul)
    }

    fn add_units(&mut self, lists: &Lists) {
        for fabric in 0..self.fabrics.len() {
            for &scheme in &lists.schemes {
                for set in 0..self.sets.len() {
                    for variant in &lists.variants {
                        for dead in 0..self.dead.len() {
                            self.add_runs((fabric, set, dead), (scheme, variant), lists);
                        }
                    }
                }
            }
        }
    }

    /// Adds the runs of all traffic, placements, loads and seeds.
    fn add_runs(
        &mut self,
        (fabric, set, dead): (usize, usize, usize),
        (scheme, variant): (Scheme, &Variant),
        lists: &Lists,
    ) {
        let (_, loaded) = &self.fabrics[fabric];
        let paths = &self.sets[set];
        let vc_scheme = variant.vc_scheme(loaded);
        let in_words =
            |faults| tvlb_table_set::dead_parts::write(loaded.topology.dragonfly(), faults);
        let base = Subject {
            tool_version: env!("CARGO_PKG_VERSION"),
            traffic_version: tvlb_traffic::VERSION,
            fabric: loaded.file.name.clone(),
            fabric_hash: hash_of(loaded, paths, vc_scheme),
            scheme: scheme.name(),
            set: paths.name.clone(),
            rules: paths.rules_in_words(loaded),
            traffic: String::new(),
            placement: None,
            load: None,
            seed: 0,
            settings: variant.settings(loaded, (scheme, paths.kind), lists.saturation.is_some()),
            saturation: lists.saturation,
            dead: self.dead[dead].of(fabric).map(|faults| sha256(in_words(faults).as_bytes())),
            traffic_content: None,
            placement_content: None,
        };
        let tables = Tables { fabric, set, vc_scheme, dead };
        for (traffic, pattern) in self.traffic.iter().enumerate() {
            for (placement, rule) in self.placements.iter().enumerate() {
                let is_named = rule.rule != PlacementRule::Identity;
                for &load in &lists.loads {
                    for &seed in &lists.seeds {
                        let subject = Subject {
                            traffic: pattern.name.clone(),
                            placement: is_named.then(|| rule.name.clone()),
                            traffic_content: pattern.content.clone(),
                            placement_content: rule.content.clone(),
                            load,
                            seed,
                            ..base.clone()
                        };
                        self.units.push(Unit { subject, tables, traffic, placement });
                    }
                }
            }
        }
    }
}

fn all_of<T>(list: &[String], read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    list.iter().map(|entry| read(entry)).collect()
}

fn scheme(name: &str) -> Result<Scheme, String> {
    let names = Scheme::ALL.map(Scheme::name);
    let mut all = Scheme::ALL.into_iter();
    all.find(|&scheme| scheme.name() == name).ok_or_else(|| {
        let hint = tvlb_base::text::hint(name, names);
        format!("found {}{hint}, accepted {}", tvlb_base::text::quoted(name), names.join(", "))
    })
}

fn hash_of(fabric: &Fabric, paths: &Paths, vc_scheme: VcScheme) -> String {
    let policies = paths.policies(fabric);
    let thresholds = policies.map(|policy| policy.weighing.threshold);
    // Named only where it is not what it always was, so that runs keep their names.
    let min = match policies.par_second.min {
        MinCandidate::Kept => String::new(),
        min => format!(" {}", min.name()),
    };
    let drawn = policies.map(|policy| (policy.weighing.candidates, policy.weighing.gate));
    let drawn = if drawn == PerDecision::default() { String::new() } else { format!(" {drawn:?}") };
    let cables = fabric.topology.cables();
    let df = fabric.topology.dragonfly();
    let channels = vc_scheme.name();
    // A run says the names of the links that it found busiest.
    let names = match &fabric.names {
        names if names.is_empty() => String::new(),
        names => format!(" {}", names.write(df)),
    };
    let fewer = match fabric.topology.fewer_links() {
        [] => String::new(),
        fewer => format!(" {fewer:?}"),
    };
    let text = format!("{df:?} {cables:?} {channels} {thresholds:?}{min}{drawn}{names}{fewer}");
    sha256(text.as_bytes())
}
