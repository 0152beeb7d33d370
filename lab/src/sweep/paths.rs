//! The sets of a sweep file: conventional paths, policies, or those of a table set.

use std::fmt::Write;
use std::path::Path;
use tvlb_firmware_model::VlbPaths;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::policy::{Policy, PolicyPair};
use tvlb_generator::table_policies::{self, TablePolicies};
use tvlb_schema::{Decision, PerDecision, Weighing};
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::{TableSet, sha256};

/// The set that stands for conventional UGAL.
const CONVENTIONAL: &str = "conventional";
/// Before the directory of a table set.
const TABLES: &str = "tables:";

/// Where a run's VLB paths come from, and how they are weighed.
pub(super) struct Paths {
    /// The text in the sweep file.
    pub(super) name: String,
    source: Source,
    pub(super) kind: VlbPaths,
}

enum Source {
    /// One policy, or two with " then " between; `all` for conventional paths.
    Text(String),
    /// What a table set says.
    Tables(Box<TablePolicies>),
}

impl Paths {
    /// Reads an entry of the list of sets. The directories of table sets begin at `beside`.
    pub(super) fn parse(text: &str, beside: &Path) -> Result<Self, String> {
        let name = text.trim().to_owned();
        if let Some(directory) = name.strip_prefix(TABLES) {
            let set = TableSet::open(&beside.join(directory)).map_err(|error| error.to_string())?;
            let found = table_policies::read(&set).map_err(|error| error.to_string())?;
            return Ok(Self {
                name,
                source: Source::Tables(Box::new(found)),
                kind: VlbPaths::Custom,
            });
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
        Ok(Self { name, source: Source::Text(policies), kind })
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
            Source::Tables(found) if found.fabric_identity != identity => Err(format!(
                "{} is of a fabric with the identity {:016x}, but {fabric} has the identity {identity:016x}; \
                 accepted is a table set of the same cables",
                self.name, found.fabric_identity
            )),
            _ => Ok(()),
        }
    }

    /// The policy of each decision. What the fabric file says of how decisions weigh is said of policies
    /// in the sweep file alone: conventional paths are weighed as their text says, and the policies of a
    /// table set are whole.
    pub(super) fn policies(&self, fabric: &Fabric) -> PerDecision<Policy> {
        let named = match &self.source {
            Source::Tables(found) => return found.policies.clone(),
            Source::Text(policies) => named(policies, fabric.file.seed),
        };
        PerDecision::from_fn(|decision| {
            let mut policy = named.get(decision).clone();
            if self.kind == VlbPaths::Custom {
                fabric.file.weighing.apply(decision, &mut policy);
            }
            policy
        })
    }

    pub(super) fn weighings(&self, fabric: &Fabric) -> PerDecision<Weighing> {
        self.policies(fabric).map(|policy| policy.weighing)
    }

    /// What the sets are on a fabric, in words that name all that is kept of each pair's routes.
    pub(super) fn rules_in_words(&self, fabric: &Fabric) -> String {
        let found = match &self.source {
            Source::Text(policies) => {
                let seed = fabric.file.seed;
                let PerDecision { par_source, par_second, .. } = named(policies, seed);
                let [source, second] = [par_source, par_second].map(|p| canonical(&p.rule));
                return format!("{source} then {second}; seed {seed}");
            }
            Source::Tables(found) => found,
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
