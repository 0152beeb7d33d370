//! The runs of an experiment, so that one that was interrupted can continue.
//!
//! A run is told by everything that it depends on, the images included. So a directory can serve any
//! number of experiments, and a run that is in it is the run that would be made.

use super::clock::Clock;
use super::error::ExperimentError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tvlb_simulator::Settings;
use tvlb_table_set::runs::{Runs, StoreError};
use tvlb_traffic::Pattern;

/// Raised when a run's file comes to hold other values, so that older files are not taken for runs.
const VERSION: u32 = 2;

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Subject<'s> {
    kept_version: u32,
    tool_version: &'static str,
    traffic_version: u32,
    images: &'s str,
    settings: &'s Settings,
    traffic: String,
    load: f64,
    seed: u64,
    /// What is dead and when, in runs where something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    faults: Option<&'s str>,
}

impl<'s> Subject<'s> {
    pub(super) fn new(
        images: &'s str,
        settings: &'s Settings,
        traffic: &Pattern,
        load: f64,
        seed: u64,
    ) -> Self {
        Self {
            kept_version: VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            traffic_version: tvlb_traffic::VERSION,
            images,
            settings,
            traffic: traffic.to_string(),
            load,
            seed,
            faults: None,
        }
    }

    /// The same where parts are dead, as this text says.
    pub(super) fn with_faults(self, faults: &'s str) -> Self {
        Self { faults: Some(faults), ..self }
    }
}

/// What a piece of work found, and what it took.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Timed<T> {
    pub(super) found: T,
    pub(super) processor_seconds: f64,
}

/// The runs in the directory that keeps them, if there is to be one.
pub(super) fn open(directory: Option<&Path>) -> Result<Option<Runs>, StoreError> {
    directory.map(|directory| Runs::open(directory, "tvlb experiment 1")).transpose()
}

/// The work from its file, or else done on this thread and, if there is a directory for it, kept.
pub(super) fn recall_or<T: Serialize + DeserializeOwned>(
    runs: Option<&Runs>,
    subject: &impl Serialize,
    make: impl FnOnce() -> Result<T, ExperimentError>,
) -> Result<Timed<T>, ExperimentError> {
    if let Some(kept) = runs.map(|runs| runs.get(subject)).transpose()?.flatten() {
        return Ok(kept);
    }
    let clock = Clock::of_thread();
    let found = make()?;
    let made = Timed { found, processor_seconds: clock.seconds() };
    if let Some(runs) = runs {
        runs.put(subject, &made)?;
    }
    Ok(made)
}
