//! The sets of a sweep file: conventional paths, policies, or those of a table set.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use std::fmt::{self, Formatter, Write};
use std::path::Path;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::balance::Balancer;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::policy::{Policy, PolicyPair};
use tvlb_generator::table_policies::{self, TablePolicies};
use tvlb_schema::{Decision, PerDecision, Weighing};
use tvlb_simulator::Scheme;
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::{TableSet, sha256};
use tvlb_topology::routes::count::RouteCounter;

/// The name of conventional UGAL's set.
pub(crate) const CONVENTIONAL: &str = "conventional";
/// Before the directory of a table set.
const TABLES: &str = "tables:";

/// An entry of the list of sets: a text, or a table with more to say.
#[derive(Clone, Default)]
pub(super) struct StudySet(pub(super) SetDetails);

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SetDetails {
    pub(super) set: String,
    /// Its name in tables; sets of different schemes may have the same one.
    #[serde(default)]
    pub(super) paths: String,
    /// The schemes that use it; all if empty.
    #[serde(default)]
    pub(super) schemes: Vec<String>,
    /// The placements that it is run with; all if empty.
    #[serde(default)]
    pub(super) placements: Vec<String>,
    /// Whether its levels are those that balance the load of links, as `generate --balance` makes them.
    #[serde(default)]
    pub(super) balanced: bool,
}

impl<'de> Deserialize<'de> for StudySet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrTable;

        impl<'de> Visitor<'de> for TextOrTable {
            type Value = StudySet;

            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a set as text, or a table with `set`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<StudySet, E> {
                Ok(StudySet(SetDetails { set: text.to_owned(), ..SetDetails::default() }))
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<StudySet, M::Error> {
                SetDetails::deserialize(MapAccessDeserializer::new(map)).map(StudySet)
            }
        }

        deserializer.deserialize_any(TextOrTable)
    }
}

/// The source of a run's VLB paths, and how they are weighed.
pub(crate) struct StudyPaths {
    /// The text in the sweep file.
    pub(super) name: String,
    /// Its name in tables.
    pub(super) heading: String,
    /// The schemes that use it; all if empty.
    pub(super) schemes: Vec<String>,
    placements: Vec<String>,
    is_balanced: bool,
    source: PolicySource,
    pub(crate) kind: VlbPaths,
}

enum PolicySource {
    /// One policy, or two with " then " between; `all` for conventional paths.
    Text(String),
    /// The policies of a table set.
    Tables(Box<TablePolicies>),
}

impl StudyPaths {
    /// The paths of a text with nothing more to say. The directory of a table set begins at `beside`.
    pub(crate) fn of_text(set: String, beside: &Path) -> Result<Self, String> {
        Self::parse(&StudySet(SetDetails { set, ..SetDetails::default() }), beside)
    }

    /// The first of some paths of texts that has the text of this one, and so the same images.
    pub(crate) fn first_alike(all: &[Self], place: usize) -> usize {
        all.iter().position(|other| other.name == all[place].name).unwrap_or(place)
    }

    /// Reads an entry of the list of sets. The directories of table sets begin at `beside`.
    pub(super) fn parse(StudySet(entry): &StudySet, beside: &Path) -> Result<Self, String> {
        let name = entry.set.trim().to_owned();
        let heading = if entry.paths.is_empty() { &name } else { &entry.paths }.clone();
        let SetDetails { schemes, placements, balanced: is_balanced, .. } = entry.clone();
        if let Some(directory) = name.strip_prefix(TABLES) {
            let set = TableSet::open(&beside.join(directory)).map_err(|error| error.to_string())?;
            let found = table_policies::read(&set).map_err(|error| error.to_string())?;
            let (source, kind) = (PolicySource::Tables(Box::new(found)), VlbPaths::Custom);
            let is_balanced = false;
            return Ok(Self { name, heading, schemes, placements, is_balanced, source, kind });
        }
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
            let hint = tvlb_base::text::hint(&name, [CONVENTIONAL]);
            format!(
                "{error}\nor \"{CONVENTIONAL}\"{hint}, or \"{TABLES}DIR\", the sets of a table set; PAR's \
                 second look may have a set of its own after \" then \""
            )
        })?;
        let source = PolicySource::Text(policies);
        Ok(Self { name, heading, schemes, placements, is_balanced, source, kind })
    }

    /// Whether a scheme has it.
    pub(super) fn is_of(&self, scheme: Scheme) -> bool {
        self.schemes.is_empty() || self.schemes.iter().any(|name| name == scheme.name())
    }

    /// Whether it is run with a placement.
    pub(super) fn is_with(&self, placement: &str) -> bool {
        self.placements.is_empty() || self.placements.iter().any(|name| name == placement)
    }

    /// The set of the source, and that of PAR's second look if it has one of its own.
    pub(super) fn names(&self) -> (&str, Option<&str>) {
        match self.name.split_once(" then ") {
            Some((source, second)) => (source.trim_end(), Some(second.trim_start())),
            None => (&self.name, None),
        }
    }

    /// Refuses the sets of a table set of another fabric.
    pub(super) fn check_fabric(&self, fabric: &str, identity: u64) -> Result<(), String> {
        match &self.source {
            PolicySource::Tables(found) if found.fabric_identity != identity => Err(format!(
                "{} is of a fabric with the identity {:016x}, but {fabric} has the identity {identity:016x}; \
                 accepted is a table set of the same cables",
                self.name, found.fabric_identity
            )),
            _ => Ok(()),
        }
    }

    /// The policy of each decision. The weighing of the fabric file applies only to policies in the sweep file:
    /// conventional paths are weighed as their text says, and the policies of a table set are complete.
    pub(super) fn policies(
        &self,
        fabric: &Fabric,
        progress: &dyn Progress,
    ) -> Result<PerDecision<Policy>, Cancelled> {
        let policies = self.named_policies(fabric);
        if !self.is_balanced {
            return Ok(policies);
        }
        let counter = RouteCounter::new(&fabric.topology);
        let balancer = Balancer::new(&counter);
        let PerDecision { ugal_l, par_source, par_second } = policies;
        Ok(PerDecision {
            ugal_l: balancer.balanced(&ugal_l, progress)?,
            par_source: balancer.balanced(&par_source, progress)?,
            par_second: balancer.balanced(&par_second, progress)?,
        })
    }

    /// The same before levels balance the load.
    pub(super) fn named_policies(&self, fabric: &Fabric) -> PerDecision<Policy> {
        let named = match &self.source {
            PolicySource::Tables(found) => return found.policies.clone(),
            PolicySource::Text(policies) => named(policies, fabric.file.seed),
        };
        PerDecision::from_fn(|decision| {
            let mut policy = named.get(decision).clone();
            if self.kind == VlbPaths::Custom {
                policy.weigh_as(decision, &fabric.file.policies.weighing);
            }
            policy
        })
    }

    pub(super) fn weighings(&self, fabric: &Fabric) -> PerDecision<Weighing> {
        self.named_policies(fabric).map(|policy| policy.weighing)
    }

    /// The sets on a fabric, in words that name everything that is kept of each pair's routes.
    pub(crate) fn rules_in_words(&self, fabric: &Fabric) -> String {
        let found = match &self.source {
            PolicySource::Text(policies) => {
                let seed = fabric.file.seed;
                let PerDecision { par_source, par_second, .. } = named(policies, seed);
                let [source, second] = [par_source, par_second].map(|p| canonical(&p.rule));
                let balanced = if self.is_balanced { "; balanced" } else { "" };
                return format!("{source} then {second}; seed {seed}{balanced}");
            }
            PolicySource::Tables(found) => found,
        };
        let mut text = String::new();
        for decision in Decision::ALL {
            let Policy { rule, levels, .. } = found.policies.get(decision);
            let _ = write!(text, "{} {}; seed {}", decision.name(), canonical(rule), rule.seed);
            if !levels.is_empty() {
                let levels: Vec<Vec<u8>> = levels
                    .iter()
                    .map(|of| of.iter().map(|level| level.number()).collect())
                    .collect();
                let _ = write!(text, "; levels {}", sha256(format!("{levels:?}").as_bytes()));
            }
            text.push('\n');
        }
        text
    }
}

/// The policies of a text with this seed for fractions.
fn named(policies: &str, seed: u64) -> PerDecision<Policy> {
    let pair = PolicyPair::parse(policies, seed).expect("it was parsed before");
    pair.per_decision()
}
