//! Step 1 as Step 2 needs it: a seeded sample of patterns, the front within ε, and the modelled throughput of every
//! candidate.
//!
//! The down-closed sets of shapes are modelled, which include the limits of hops and the strategic sets. Random
//! fractions are left to `tvlb model`: they carry no more than the whole shapes between which they lie. Paths are
//! counted as routes, because tables hold routes. The larger the fabric, the smaller the sample, because the cost of a
//! program grows faster than its size; on machines with thousands of switches a few sets are modelled on one pattern,
//! each with a proven interval.

use super::candidates::{ALL, LITERAL};
use super::error::ChooseError;
use super::panel::shifts;
use crate::checked_fabric::CheckedFabric;
use std::collections::BTreeSet;
use std::path::Path;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{Dragonfly, DrawRule, SetRule, SwitchId};
use tvlb_table_set::grammar::{canonical, parse_set};
use tvlb_throughput::report::{Heading, Report};
use tvlb_throughput::state;
use tvlb_throughput::sweep::Sweep;
use tvlb_throughput::{Counting, LARGE, PathSet, VAST, path_set};
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::presence::present_shapes;
use tvlb_traffic::{Flows, of_most_peers};

/// How far a candidate may fall short of the best modelled throughput.
pub(crate) const EPSILON: f64 = 0.01;
/// The most sets taken from the front, those with the fewest hops: on small fabrics, and on those of more than
/// [`LARGE`] switches, where a run takes seconds.
const MOST_CANDIDATES: (usize, usize) = (3, 1);

/// The outcome of Step 1 on the sample.
pub(crate) struct StepOneOutcome {
    /// The report that `tvlb model` would give of these patterns and sets.
    pub report: Report,
    sets: Vec<PathSet>,
    /// The most sets taken from the front.
    most: usize,
}

impl StepOneOutcome {
    /// The rules of the sets taken from the front, that with the fewest hops first. `drawn` says how a switch draws
    /// from a set, or `None` if it cannot. If it can draw from no set of the front, the result is the set with the
    /// largest modelled throughput of those that it can draw from.
    pub(crate) fn front(&self, drawn: impl Fn(&SetRule) -> Option<SetRule>) -> Vec<SetRule> {
        let rule_of = |name: &String| self.sets.iter().find(|set| set.name() == name);
        let front = self.report.candidates.iter().filter_map(rule_of);
        let front: Vec<SetRule> =
            front.filter_map(|set| drawn(set.rule())).take(self.most).collect();
        if !front.is_empty() {
            return front;
        }
        let throughput = |place: usize| self.report.sets[place].throughput.middle();
        let mut places: Vec<usize> = (0..self.sets.len()).collect();
        places.sort_by(|&one, &other| throughput(other).total_cmp(&throughput(one)));
        let rules = places.into_iter().map(|place| self.sets[place].rule());
        rules.filter(|rule| !rule.shapes().is_empty()).find_map(drawn).into_iter().collect()
    }

    /// The modelled throughput of a set, which does not depend on how it is drawn; `None` if its paths were not among
    /// those modelled, and for a set of intermediate switches, whose walks are part of the routes of any set of shapes.
    pub(crate) fn of(&self, rule: &SetRule) -> Option<f64> {
        if rule.is_by_switch() {
            return None;
        }
        let key = PathSet::new("", *rule).key(Counting::Routes);
        let position = self.sets.iter().position(|set| set.key(Counting::Routes) == key)?;
        Some(self.report.sets[position].throughput.middle())
    }
}

/// The most switches of a fabric whose programs are solved within minutes.
pub(crate) const MOST_SWITCHES: u32 = 6000;
/// The sets that are modelled on fabrics of more than [`VAST`] switches: the widest set, the paper's, and sets of short
/// routes that perform well on smaller fabrics.
const FEW_SETS: [&str; 6] =
    [ALL, LITERAL, "4-hop", "shapes:011+110", "shapes:020+110", "shapes:011"];

/// How many shifts and how many `TYPE_2` patterns the sample of a fabric has.
const fn sample_of(df: &Dragonfly) -> (u32, u32) {
    match df.switch_count() {
        0..=100 => (6, 3),
        101..=200 => (2, 1),
        201..=VAST => (1, 1),
        _ => (1, 0),
    }
}

/// Models the sample; `None` if the fabric is too large. `extra` sets are modelled too. `state` keeps finished work.
///
/// # Errors
/// The first program that failed, an unusable state, or the work was cancelled.
pub(super) fn model(
    fabric: &CheckedFabric<'_>,
    extra: &[SetRule],
    state: Option<&Path>,
    progress: &dyn Progress,
) -> Result<Option<StepOneOutcome>, ChooseError> {
    let df = fabric.topology.dragonfly();
    if df.switch_count() > MOST_SWITCHES {
        return Ok(None);
    }
    let seed = fabric.file.seed;
    let nodes = of_most_peers(&fabric.nodes());
    let (shift_count, type_2) = sample_of(df);
    let mut patterns: Vec<Flows> = shifts(&nodes, shift_count, seed)
        .into_iter()
        .map(|(groups, switches)| Flows::shift(&nodes, groups, switches))
        .collect();
    patterns.extend(Flows::type_2_set(&nodes, type_2, seed));
    let named = |rule: &SetRule| PathSet::new(canonical(rule), *rule);
    let mut sets: Vec<PathSet> = if df.switch_count() > VAST {
        let known = |text| parse_set(text, seed).expect("these texts are in the grammar");
        FEW_SETS.map(known).iter().map(named).collect()
    } else {
        // The model does not see how routes are drawn: a candidate with known routes adds nothing.
        let by_route = |rule: &SetRule| named(&SetRule { draw: DrawRule::ByRoute, ..*rule });
        let mut known = BTreeSet::new();
        let all = path_set::down_closed().into_iter().chain(extra.iter().map(by_route));
        all.filter(|set| known.insert(set.name().to_owned())).collect()
    };
    sets.retain(|set| reaches_all(fabric.counter(), &patterns, set.rule()));
    let sweep = Sweep::new(&fabric.topology, Counting::Routes, patterns, sets.clone());

    progress.stage("model", Some(sweep.unit_count()));
    let state = state.map(|directory| directory.join("model.runs"));
    let done = state::make(&sweep, state.as_deref(), progress)?;
    let cells = sweep.assemble(&done.units).ok_or(Cancelled)?;
    let name = fabric.file.name.clone();
    let heading = Heading { fabric: name, dead: Vec::new(), seed, epsilon: EPSILON };
    let (of_small, of_large) = MOST_CANDIDATES;
    let most = if df.switch_count() > LARGE { of_large } else { of_small };
    Ok(Some(StepOneOutcome { report: Report::new(&sweep, &cells, heading), sets, most }))
}

/// Whether every flow has a path: MIN, or one of the set if no cable joins the groups.
fn reaches_all(counter: &RouteCounter<'_>, patterns: &[Flows], rule: &SetRule) -> bool {
    let topology = counter.topology();
    let group = |switch: SwitchId| topology.dragonfly().place(switch).0;
    patterns.iter().flat_map(|pattern| &pattern.flows).all(|flow| {
        let (from, to) = (group(flow.source), group(flow.destination));
        from == to
            || !topology.links(from, to).is_empty()
            || !present_shapes(counter, rule, flow.source, flow.destination).is_empty()
    })
}
