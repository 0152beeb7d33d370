//! The sweep file, checked, and the runs that it asks for.

use super::error::SweepError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::input_file::{self, Symlinks};
use tvlb_generator::policy::{Policy, PolicyPair};
use tvlb_generator::set_grammar::canonical;
use tvlb_generator::table_set::sha256;
use tvlb_run_store::RunDirectory;
use tvlb_schema::{MinCandidate, PerDecision, Weighing};
use tvlb_simulator::{Measuring, Pattern, PlacementRule, Settings};

/// The set that stands for conventional UGAL.
const CONVENTIONAL: &str = "conventional";
/// The largest sweep file that is read. It has some bytes for each entry of its lists.
const MOST_BYTES: u64 = 16 << 20;
/// The most runs of a sweep. Whoever asks for more has mistyped a list.
const MOST_UNITS: usize = 1_000_000;

/// The sweep file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    fabrics: Vec<PathBuf>,
    schemes: Vec<String>,
    sets: Vec<String>,
    traffic: Vec<String>,
    #[serde(default = "identity")]
    placements: Vec<String>,
    loads: Vec<f64>,
    seeds: Vec<u64>,
    #[serde(default)]
    settings: Changed,
}

/// Each process on the node of its own number.
fn identity() -> Vec<String> {
    vec![PlacementRule::Identity.to_string()]
}

/// Settings other than the defaults of `tvlb simulate`.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Changed {
    window: Option<u32>,
    warm_up: Option<u32>,
    measure: Option<Measuring>,
    latency_limit: Option<u32>,
    buffer: Option<u16>,
    speedup: Option<u8>,
}

/// Where a run's VLB paths come from, and how they are weighed.
pub(super) struct Paths {
    /// The text in the sweep file.
    pub(super) name: String,
    /// The same text with `all` for conventional paths: one policy, or two with " then " between.
    policies: String,
    kind: VlbPaths,
}

impl Paths {
    fn parse(text: &str) -> Result<Self, String> {
        let name = text.trim().to_owned();
        let (policies, kind) = match name.strip_prefix(CONVENTIONAL) {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => {
                (format!("all{rest}"), VlbPaths::Conventional)
            }
            _ => (name.clone(), VlbPaths::Custom),
        };
        let second_set = policies.split_once(" then ").filter(|_| kind == VlbPaths::Conventional);
        if let Some((_, second)) = second_set {
            return Err(format!(
                "found \"{second}\" after \"{CONVENTIONAL}\", accepted one policy of conventional paths"
            ));
        }
        PolicyPair::parse(&policies, 1).map_err(|error| {
            format!(
                "{error}\nor \"{CONVENTIONAL}\"; PAR's second look may have a set of its own \
                 after \" then \""
            )
        })?;
        Ok(Self { name, policies, kind })
    }

    /// The policies of the text with this seed for fractions.
    fn named(&self, seed: u64) -> PerDecision<Policy> {
        let pair = PolicyPair::parse(&self.policies, seed).expect("it was parsed before");
        pair.per_decision()
    }

    /// The policy of each decision. What the fabric file says of how decisions weigh is said of all
    /// sets but conventional paths, which are weighed as their text says.
    pub(super) fn policies(&self, fabric: &Fabric) -> PerDecision<Policy> {
        let named = self.named(fabric.file.seed);
        PerDecision::from_fn(|decision| {
            let mut policy = named.get(decision).clone();
            if self.kind == VlbPaths::Custom {
                fabric.file.weighing.apply(decision, &mut policy);
            }
            policy
        })
    }

    /// How each decision weighs.
    pub(super) fn weighings(&self, fabric: &Fabric) -> PerDecision<Weighing> {
        self.policies(fabric).map(|policy| policy.weighing)
    }

    const fn kind(&self) -> VlbPaths {
        self.kind
    }
}

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
    /// Where the processes of the traffic run, if not each on the node of its own number. So the runs of
    /// sweeps without placements are named as before there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement: Option<String>,
    pub(super) load: f64,
    pub(super) seed: u64,
    pub(super) settings: Settings,
}

/// One run of a sweep.
pub(super) struct Unit {
    pub(super) subject: Subject,
    /// The position in the plan's list of fabrics; those of set and traffic are in theirs.
    pub(super) fabric: usize,
    pub(super) set: usize,
    pub(super) traffic: usize,
    pub(super) placement: usize,
}

/// What a sweep file asks for: every run, and what the runs share.
pub struct Plan {
    pub(super) fabrics: Vec<(PathBuf, Fabric)>,
    pub(super) sets: Vec<Paths>,
    pub(super) traffic: Vec<Pattern>,
    pub(super) placements: Vec<PlacementRule>,
    /// Every combination, in the order of the file's lists, of which the last one changes fastest.
    pub(super) units: Vec<Unit>,
}

/// Where the runs of a sweep are kept.
pub(super) fn runs_in(directory: &Path) -> RunDirectory {
    RunDirectory::new(directory.join("runs"))
}

impl Plan {
    /// How many runs the sweep has.
    pub fn run_count(&self) -> usize {
        self.units.len()
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
        let file: File = toml::from_str(&text).map_err(|error| wrong(&error))?;
        distinct("fabrics", file.fabrics.iter().map(|path| path.display().to_string()))
            .and_then(|()| distinct("schemes", &file.schemes))
            .and_then(|()| distinct("sets", &file.sets))
            .and_then(|()| distinct("traffic", &file.traffic))
            .and_then(|()| distinct("placements", &file.placements))
            .and_then(|()| distinct("loads", &file.loads))
            .and_then(|()| distinct("seeds", &file.seeds))
            .map_err(|error| wrong(&error))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        let fabrics = file
            .fabrics
            .iter()
            .map(|name| Ok((name.clone(), Fabric::load(&beside.join(name))?)))
            .collect::<Result<Vec<_>, SweepError>>()?;
        let schemes = file
            .schemes
            .iter()
            .map(|name| scheme(name).map_err(|error| wrong(&format!("schemes: {error}"))))
            .collect::<Result<Vec<_>, SweepError>>()?;
        let sets = file
            .sets
            .iter()
            .map(|set| Paths::parse(set).map_err(|error| wrong(&format!("sets: {error}"))))
            .collect::<Result<Vec<_>, SweepError>>()?;
        let traffic = file
            .traffic
            .iter()
            .map(|name| name.parse().map_err(|error| wrong(&format!("traffic: {error}"))))
            .collect::<Result<Vec<Pattern>, SweepError>>()?;
        let placements = file
            .placements
            .iter()
            .map(|name| name.parse().map_err(|error| wrong(&format!("placements: {error}"))))
            .collect::<Result<Vec<PlacementRule>, SweepError>>()?;
        if let Some(load) = file.loads.iter().find(|&&load| !(load > 0.0 && load <= 1.0)) {
            return Err(wrong(&format!("loads: found {load}, accepted above 0 and at most 1")));
        }
        let lists = [
            fabrics.len(),
            schemes.len(),
            sets.len(),
            traffic.len(),
            placements.len(),
            file.loads.len(),
        ];
        let count = lists.iter().fold(file.seeds.len(), |count, &n| count.saturating_mul(n));
        if count > MOST_UNITS {
            return Err(wrong(&format!("it asks for {count} runs, accepted at most {MOST_UNITS}")));
        }
        let mut plan =
            Self { fabrics, sets, traffic, placements, units: Vec::with_capacity(count) };
        plan.add_units(&file, &schemes);
        Ok(plan)
    }

    fn add_units(&mut self, file: &File, schemes: &[Scheme]) {
        for (fabric, (_, loaded)) in self.fabrics.iter().enumerate() {
            for &scheme in schemes {
                for (set, paths) in self.sets.iter().enumerate() {
                    let hash = hash_of(loaded, paths);
                    let settings = settings(file.settings, loaded, scheme, paths.kind());
                    let rules = rules_in_words(paths, loaded.file.seed);
                    let (patterns, rules_of_place) = (&self.traffic, &self.placements);
                    let placed = patterns.iter().enumerate().flat_map(|pattern| {
                        rules_of_place.iter().enumerate().map(move |rule| (pattern, rule))
                    });
                    for ((traffic, pattern), (placement, rule)) in placed {
                        for (&load, &seed) in
                            file.loads.iter().flat_map(|l| file.seeds.iter().map(move |s| (l, s)))
                        {
                            let is_named = *rule != PlacementRule::Identity;
                            let subject = Subject {
                                tool_version: env!("CARGO_PKG_VERSION"),
                                traffic_version: tvlb_traffic::VERSION,
                                fabric: loaded.file.name.clone(),
                                fabric_hash: hash.clone(),
                                scheme: scheme.name(),
                                set: paths.name.clone(),
                                rules: rules.clone(),
                                traffic: pattern.to_string(),
                                placement: is_named.then(|| rule.to_string()),
                                load,
                                seed,
                                settings: settings.clone(),
                            };
                            self.units.push(Unit { subject, fabric, set, traffic, placement });
                        }
                    }
                }
            }
        }
    }
}

/// Accepts a list with at least one entry and none twice.
fn distinct<T: Display>(name: &str, list: impl IntoIterator<Item = T>) -> Result<(), String> {
    let mut known = BTreeSet::new();
    for entry in list {
        let entry = entry.to_string();
        if !known.insert(entry.clone()) {
            return Err(format!("{name}: found {entry} twice, accepted each entry once"));
        }
    }
    if known.is_empty() {
        Err(format!("{name}: found none, accepted at least one"))
    } else {
        Ok(())
    }
}

fn scheme(name: &str) -> Result<Scheme, String> {
    let accepted = || Scheme::ALL.map(Scheme::name).join(", ");
    let mut all = Scheme::ALL.into_iter();
    all.find(|&scheme| scheme.name() == name)
        .ok_or_else(|| format!("found {name:?}, accepted {}", accepted()))
}

fn settings(changed: Changed, fabric: &Fabric, scheme: Scheme, paths: VlbPaths) -> Settings {
    let mut settings = Settings::new(scheme, paths);
    settings.local_latency_cycles = fabric.file.latencies.local;
    settings.global_latency_cycles = fabric.file.latencies.global;
    settings.bandwidths = fabric.file.bandwidths;
    settings.window_cycles = changed.window.unwrap_or(settings.window_cycles);
    settings.warm_up_windows = changed.warm_up.unwrap_or(settings.warm_up_windows);
    settings.measuring = changed.measure.unwrap_or(settings.measuring);
    settings.latency_limit_cycles = changed.latency_limit.unwrap_or(settings.latency_limit_cycles);
    settings.buffer_flits = changed.buffer.unwrap_or(settings.buffer_flits);
    settings.speedup = changed.speedup.unwrap_or(settings.speedup);
    settings
}

fn rules_in_words(paths: &Paths, seed: u64) -> String {
    let PerDecision { par_source, par_second, .. } = paths.named(seed);
    format!("{} then {}; seed {seed}", canonical(&par_source.rule), canonical(&par_second.rule))
}

fn hash_of(fabric: &Fabric, paths: &Paths) -> String {
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
    let channels = fabric.file.virtual_channels.name();
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
