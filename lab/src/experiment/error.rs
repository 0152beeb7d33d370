//! Why an experiment has no findings.

use crate::cut_through::CutThroughError;
use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_generator::choose::ChooseError;
use tvlb_generator::fabric::FabricError;
use tvlb_generator::image::ImageStageError;
use tvlb_generator::policy::PolicyError;
use tvlb_schema::DragonflyError;
use tvlb_simulator::{BootError, CompletionError, RunError, ScheduleError};
use tvlb_table_set::runs::StoreError;
use tvlb_throughput::state::StateError;
use tvlb_topology::CableError;
use tvlb_traffic::{PatternError, TrafficError};

/// Why an experiment has no findings.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    #[error("{option}: {error}")]
    Policy { option: &'static str, error: PolicyError },
    #[error(transparent)]
    Dragonfly(#[from] DragonflyError),
    #[error(transparent)]
    Cables(#[from] CableError),
    #[error(transparent)]
    Fabric(#[from] FabricError),
    #[error(transparent)]
    Image(ImageStageError),
    #[error(transparent)]
    Boot(#[from] BootError),
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    #[error(transparent)]
    Faults(#[from] ScheduleError),
    #[error(transparent)]
    Choose(ChooseError),
    #[error("load {load}: {error}")]
    Run { load: f64, error: RunError },
    #[error(transparent)]
    Model(#[from] StateError),
    #[error("{path}: cannot create the directory: {error}")]
    Directory { path: PathBuf, error: std::io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("seed {seed}: {error}")]
    Completion { seed: u64, error: Box<CompletionError> },
    #[error("{line}: {error}")]
    CutThrough { line: String, error: Box<CutThroughError> },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<ChooseError> for ExperimentError {
    fn from(error: ChooseError) -> Self {
        match error {
            ChooseError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Choose(error),
        }
    }
}

impl From<ImageStageError> for ExperimentError {
    fn from(error: ImageStageError) -> Self {
        match error {
            ImageStageError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Image(error),
        }
    }
}
