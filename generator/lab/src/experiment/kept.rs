//! The runs of an experiment, so that one that was interrupted can continue.
//!
//! A run is told by everything that it depends on, the images included. So a directory can serve any
//! number of experiments, and a run that is in it is the run that would be made.

use super::error::ExperimentError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tvlb_run_store::RunDirectory;
use tvlb_simulator::Settings;

/// Everything that a run depends on.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Subject<'s> {
    pub(super) tool_version: &'static str,
    pub(super) traffic_version: u32,
    /// The hash of all images.
    pub(super) images: &'s str,
    pub(super) settings: &'s Settings,
    pub(super) traffic: String,
    pub(super) load: f64,
    pub(super) seed: u64,
}

/// The run from its file, or else made and, if there is a directory for it, kept.
pub(super) fn recall_or<T: Serialize + DeserializeOwned>(
    runs: Option<&RunDirectory>,
    subject: &Subject<'_>,
    make: impl FnOnce() -> Result<T, ExperimentError>,
) -> Result<T, ExperimentError> {
    let Some(runs) = runs else { return make() };
    if let Some(kept) = runs.recall(subject)? {
        return Ok(kept);
    }
    let made = make()?;
    runs.keep(subject, &made)?;
    Ok(made)
}
