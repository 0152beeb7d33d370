//! Experiments with routings that decide at every hop, on cut-through switches, after García, Vallejo, Beivide,
//! Valero and Rodríguez, "OFAR-CM: Efficient Dragonfly Networks with Simple Congestion Management" (HOTI 2013),
//! and with T-OFAR beside all other routings at equal buffer memory.
//!
//! - `cases`: what each experiment runs
//! - `results`: what it found, as plain values
//! - `texts`: the same as tables, lines for the terminal and pictures

mod cases;
pub(super) mod results;
pub(super) mod texts;

use super::catalogue::{Experiment, PerHopStudy};
use super::error::ExperimentError;
use super::findings::{Findings, Texts};
use super::in_parallel::in_parallel;
use super::kept::{self, recall_or};
use super::kept_results::KeptResults;
use super::options::Options;
use super::results::Figures;
use crate::cut_through::{CutThrough, CutThroughError, CutThroughRun, Routing, Sending};
use cases::{Case, Plan};
use results::{PerHop, PerHopRun};
use serde::Serialize;
use std::collections::BTreeMap;
use tvlb_base::progress::Progress;
use tvlb_generator::escape::find;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::generate::generate;
use tvlb_generator::image::Images;
use tvlb_generator::policy::PolicyPair;
use tvlb_schema::{Dragonfly, EscapeKind, FabricImage, OfarRules, SwitchId, encode_escape_image};
use tvlb_simulator::BootedFabric;
use tvlb_table_set::sha256;
use tvlb_traffic::{Pattern, Traffic};

/// Raised when a run's file comes to hold other values.
const VERSION: u32 = 1;

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Subject<'s> {
    per_hop_version: u32,
    tool_version: &'static str,
    traffic_version: u32,
    /// The hash of all images, that of the escape network among them.
    images: &'s str,
    settings: &'s CutThrough,
    traffic: &'s str,
    sending: Sending,
    seed: u64,
}

/// A fabric, the images for each set of policies that some case needs, and its escape networks.
struct Bench {
    fabric: Fabric,
    /// By the policies as text.
    images: BTreeMap<String, Images>,
    ring: Vec<u8>,
    tree: Vec<u8>,
    /// The switch above all others in the tree.
    root: SwitchId,
}

impl Bench {
    fn new(plan: &Plan, seed: u64, progress: &dyn Progress) -> Result<Self, ExperimentError> {
        let [p, a, h, g] = plan.dragonfly;
        let dragonfly = Dragonfly::new(p, a, h, g)?;
        let fabric = Fabric::new("per-hop", dragonfly, plan.arrangement, seed)?;
        let mut images = BTreeMap::new();
        for case in &plan.cases {
            if images.contains_key(&case.policies) {
                continue;
            }
            let pair = PolicyPair::parse(&case.policies, seed)
                .map_err(|error| ExperimentError::Policy { option: case.option, error })?;
            let made = generate(&fabric, &pair.per_decision(), progress)?;
            images.insert(case.policies.clone(), made.images);
        }
        let any = images.values().next().expect("every plan has cases");
        let image = FabricImage::decode(&any.fabric).expect("it has just been written");
        let encoded = |kind| {
            let found = find(&fabric.topology, kind, None).expect("these wirings have both");
            let rules = OfarRules::default();
            encode_escape_image(&image, &found.network, &rules).expect("the network fits")
        };
        let (ring, tree) = (encoded(EscapeKind::Ring), encoded(EscapeKind::Tree));
        let root =
            tvlb_schema::EscapeImage::decode(&tree, &image).expect("as written").switch_at(0);
        Ok(Self { fabric, images, ring, tree, root })
    }

    fn escape(&self, kind: EscapeKind) -> &[u8] {
        match kind {
            EscapeKind::Ring => &self.ring,
            EscapeKind::Tree => &self.tree,
        }
    }

    /// One run of a case, from the directory of runs if it is there.
    fn run(
        &self,
        case: &Case,
        (options, progress): (&Options, &dyn Progress),
    ) -> Result<(PerHopRun, f64), ExperimentError> {
        let images = &self.images[&case.policies];
        let is_per_hop = matches!(case.settings.routing, Routing::Ofar(_));
        let escape: &[u8] = if is_per_hop { self.escape(case.escape) } else { &[] };
        let bytes = [&images.fabric[..], &images.switches.concat(), escape].concat();
        let subject = Subject {
            per_hop_version: VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            traffic_version: tvlb_traffic::VERSION,
            images: &sha256(&bytes),
            settings: &case.settings,
            traffic: case.traffic,
            sending: case.sending,
            seed: options.seed,
        };
        let kept = kept::open(options.state.as_deref())?;
        let timed = recall_or(kept.as_ref(), &subject, || {
            self.simulate((case, images, escape), options.seed, progress)
        })?;
        // Another experiment may have kept the same run under a name of its own.
        let found = PerHopRun { line: case.line.clone(), ..timed.found };
        Ok((found, timed.processor_seconds))
    }

    fn simulate(
        &self,
        (case, images, escape): (&Case, &Images, &[u8]),
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<PerHopRun, ExperimentError> {
        let mut booted = BootedFabric::boot(&images.fabric, &images.switches)?;
        if !escape.is_empty() {
            booted = booted.with_escape(escape)?;
        }
        let df = self.fabric.topology.dragonfly();
        let pattern: Pattern = case.traffic.parse()?;
        let traffic = Traffic::new(&pattern, df, seed)?;
        let measured = CutThroughRun::new(&booted, &case.settings, &traffic, case.sending, seed)
            .map_err(CutThroughError::Settings)
            .and_then(|run| run.measure(progress));
        match measured {
            Ok(outcome) => Ok(PerHopRun::new(case, &outcome, (df, self.root))),
            Err(CutThroughError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(error) => {
                Err(ExperimentError::CutThrough { line: case.line.clone(), error: Box::new(error) })
            }
        }
    }
}

pub(super) fn run(
    experiment: &Experiment,
    study: PerHopStudy,
    (options, known): (&Options, &KeptResults),
    progress: &dyn Progress,
) -> Result<Findings, ExperimentError> {
    let plan = cases::plan(study, options);
    let bench = Bench::new(&plan, options.seed, progress)?;
    let cases: Vec<&Case> = plan.cases.iter().collect();
    let found = in_parallel("runs", cases, progress, |case| bench.run(case, (options, progress)))?;
    let seconds = found.iter().map(|(_, seconds)| seconds).sum();
    let found = PerHop {
        dragonfly: plan.dragonfly,
        arrangement: plan.arrangement.name().to_owned(),
        warm_up_cycles: plan.cycles[0],
        measured_cycles: plan.cycles[1],
        runs: found.into_iter().map(|(run, _)| run).collect(),
    };
    let texts = Texts::<()> {
        csv: texts::csv(&found),
        pictures: texts::pictures(experiment, &found),
        words: texts::words(&found),
        model: None,
    };
    Ok(Findings::new(experiment, (Figures::PerHop(found), seconds), texts, (options, known)))
}

#[cfg(test)]
mod tests;
