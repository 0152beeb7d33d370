//! The search for the load at which a network of cut-through switches saturates.
//!
//! Injection queues are finite, so the latency stays finite beyond saturation. The accepted load is the criterion: a
//! load is good if the network accepts at least 98% of what nodes offer.

use super::fabric::CutThroughFabric;
use super::run::{CutThroughError, CutThroughRun};
use super::settings::{CutThrough, Sending};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tvlb_base::progress::Progress;
use tvlb_simulator::{Probing, SearchedLoads, last_good};
use tvlb_traffic::Traffic;

/// The saturation of a network with one seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CutThroughSaturation {
    /// The last load at which the network accepts everything offered, a multiple of the resolution.
    pub by_acceptance: f64,
    /// Phits accepted per node and cycle one step of the resolution beyond it.
    pub accepted_beyond: f64,
}

/// Searches among the multiples of `resolution` up to what nodes can send, on the threads of the current rayon pool,
/// two runs at a time.
///
/// # Errors
/// The resolution, the settings or the traffic are invalid, or a run ended early.
pub fn saturation<'f>(
    fabric: impl Into<CutThroughFabric<'f>>,
    settings: &'f CutThrough,
    (traffic, seed): (&'f Traffic, u64),
    resolution: f64,
    progress: &dyn Progress,
) -> Result<CutThroughSaturation, CutThroughError> {
    let fabric = fabric.into();
    let loads = SearchedLoads::new(resolution, traffic.most_load())?;
    let run = |&step: &u32| {
        let load = Sending::Load(loads.load(step));
        let run = CutThroughRun::new(fabric, settings, traffic, load, seed)?;
        let outcome = run.measure(progress)?;
        Ok((!outcome.falls_short(), outcome.all.accepted))
    };
    let mut known: BTreeMap<u32, (bool, f64)> = BTreeMap::new();
    let last = last_good(loads.count, Probing::Thirds, |asked| {
        let found: Vec<Result<(bool, f64), CutThroughError>> = asked.par_iter().map(run).collect();
        for (&step, found) in asked.iter().zip(found) {
            known.insert(step, found?);
        }
        Ok::<_, CutThroughError>(asked.iter().map(|step| known[step].0).collect())
    })?;
    let beyond = known.get(&(last + 1)).map(|&(_, accepted)| accepted);
    Ok(CutThroughSaturation {
        by_acceptance: loads.load(last),
        accepted_beyond: beyond.unwrap_or_else(|| loads.load(loads.count)),
    })
}
