//! Why an experiment has no findings.

use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_generator::choose::ChooseError;
use tvlb_generator::fabric::FabricError;
use tvlb_generator::image::ImageStageError;
use tvlb_generator::policy::PolicyError;
use tvlb_generator::throughput::ModelError;
use tvlb_generator::topology::CableError;
use tvlb_schema::DragonflyError;
use tvlb_simulator::{
    BootError, CompletionError, CutThroughError, PatternError, RunError, ScheduleError,
    TrafficError,
};
use tvlb_table_set::runs::StoreError;

/// Why an experiment has no findings.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// A set that is to be shown as ours is not one.
    #[error("{option}: {error}")]
    Policy {
        /// The option with the set.
        option: &'static str,
        /// What is wrong with the set.
        error: PolicyError,
    },
    /// The sizes do not make a Dragonfly.
    #[error(transparent)]
    Dragonfly(#[from] DragonflyError),
    /// The cables of a fabric cannot be laid.
    #[error(transparent)]
    Cables(#[from] CableError),
    /// The fabric cannot be described.
    #[error(transparent)]
    Fabric(#[from] FabricError),
    /// The images cannot be made.
    #[error(transparent)]
    Image(ImageStageError),
    /// The switches do not boot from the images.
    #[error(transparent)]
    Boot(#[from] BootError),
    /// The traffic is not a pattern.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The traffic does not fit the fabric.
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    /// The parts that die are not of the fabric.
    #[error(transparent)]
    Faults(#[from] ScheduleError),
    /// No sets were chosen for a fabric.
    #[error(transparent)]
    Choose(ChooseError),
    /// A simulation ended without figures.
    #[error("load {load}: {error}")]
    Run {
        /// The load of the simulation.
        load: f64,
        /// What ended it.
        error: RunError,
    },
    /// The throughput model has no result.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The directory for what is kept cannot be created.
    #[error("{path}: cannot create the directory: {error}")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The runs of an earlier try cannot be used, or new ones cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Jobs did not complete.
    #[error("seed {seed}: {error}")]
    Completion {
        /// The seed of the run.
        seed: u64,
        /// What went wrong.
        error: Box<CompletionError>,
    },
    /// A simulation of cut-through switches ended without figures.
    #[error("{line}: {error}")]
    CutThrough {
        /// What was run.
        line: String,
        /// What ended it.
        error: Box<CutThroughError>,
    },
    /// The caller cancelled the experiment.
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
