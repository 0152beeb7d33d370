//! What has been simulated so far: each run is made once, and an interrupted search continues.
//!
//! A run's figures follow from images, traffic, load and seed alone, so remembering them changes
//! nothing but the time. The file belongs to one fabric and panel; that of another is refused,
//! never used in part.

use super::figures::RunFigures;
use super::panel::Panel;
use crate::fabric::Fabric;
use std::path::PathBuf;
use tvlb_run_store::{RunFile, StoreError};

/// Raised when the meaning of a run changes, so that older files are refused.
const VERSION: &str = "tvlb runs 5";

/// The runs made so far, by name: scheme, sets, traffic and load in hundredths. The runs of MIN and of
/// conventional VLB have the names of these in the place of scheme and sets, so both contests share them.
pub(super) type Memory = RunFile<String, RunFigures>;

/// Opens the runs of a fabric and panel. Without a path, or while there is no file, none has been
/// made.
pub(super) fn open(
    path: Option<PathBuf>,
    fabric: &Fabric,
    panel: &Panel,
) -> Result<Memory, StoreError> {
    Memory::open(path, &subject(fabric, panel))
}

/// Everything that a run depends on besides its scheme, sets, traffic, load and seed.
fn subject(fabric: &Fabric, panel: &Panel) -> String {
    let df = fabric.topology.dragonfly();
    let cables = fabric.topology.cables();
    let channels = fabric.file.virtual_channels;
    let (window, warm_up, limit) = (panel.window, panel.warm_up, panel.latency_limit);
    // Named only where kinds of links differ, so that kept runs are still found.
    let bandwidths = match fabric.file.bandwidths {
        alike if alike.are_equal() => String::new(),
        bandwidths => format!(" {bandwidths}"),
    };
    format!(
        "{VERSION} {} {df:?} {cables:?} {:?} {channels:?} {window} {warm_up} {limit}{bandwidths}",
        env!("CARGO_PKG_VERSION"),
        fabric.file.latencies
    )
}
