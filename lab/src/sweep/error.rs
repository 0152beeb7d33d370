//! Why a sweep did not come to its end.

use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_generator::fabric::FabricError;
use tvlb_generator::image::ImageStageError;
use tvlb_simulator::{BootError, RunError, ScheduleError, StudyError};
use tvlb_table_set::runs::StoreError;
use tvlb_traffic::{PlacementError, TrafficError};

/// Why a sweep cannot be planned, made or collected.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    #[error("{path}: {fault}")]
    File { path: PathBuf, fault: String },
    #[error(transparent)]
    Fabric(#[from] FabricError),
    #[error("{path}: {error}")]
    Image { path: PathBuf, error: ImageStageError },
    #[error(transparent)]
    Boot(#[from] BootError),
    #[error("{run}: {error}")]
    Traffic { run: String, error: TrafficError },
    #[error("{run}: {error}")]
    Placement { run: String, error: PlacementError },
    #[error("{run}: {error}")]
    Run { run: String, error: RunError },
    #[error("{run}: {error}")]
    Saturation { run: String, error: StudyError },
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "{directory}: {missing} of {all} runs are not there yet; the same command without \
         --collect makes them"
    )]
    Missing { directory: PathBuf, missing: usize, all: usize },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
