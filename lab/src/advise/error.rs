//! Why there is no advice.

use tvlb_base::progress::Cancelled;
use tvlb_generator::image::ImageStageError;
use tvlb_generator::static_load::StaticLoadError;
use tvlb_generator::topology::CableError;
use tvlb_generator::topology::arrangement::Arrangement;
use tvlb_simulator::{BootError, CompletionError, RunError};
use tvlb_workload::WorkloadError;

/// Why there is no advice.
#[derive(Debug, thiserror::Error)]
pub enum AdviceError {
    /// The fabric's sizes do not have an arrangement that was asked for.
    #[error("arrangement {arrangement}: {error}")]
    Arrangement {
        /// The arrangement.
        arrangement: Arrangement,
        /// Why not.
        error: CableError,
    },
    /// The images of a wiring and a set cannot be made.
    #[error("{of}: {error}")]
    Image {
        /// The wiring and the routing.
        of: String,
        /// Why not.
        error: ImageStageError,
    },
    /// Switches do not boot from images.
    #[error(transparent)]
    Boot(#[from] BootError),
    /// No packet can take the paths of a routing.
    #[error("{of}: {error}")]
    Loads {
        /// The routing.
        of: String,
        /// Why not.
        error: StaticLoadError,
    },
    /// The jobs do not fit the machine, or a map or an order does not fit the jobs.
    #[error(transparent)]
    Workload(WorkloadError),
    /// A run did not complete.
    #[error("{of}, seed {seed}: {error}")]
    Run {
        /// The way of running the jobs.
        of: String,
        /// The seed.
        seed: u64,
        /// What ended the run.
        error: Box<CompletionError>,
    },
    /// The caller has cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<WorkloadError> for AdviceError {
    fn from(error: WorkloadError) -> Self {
        match error {
            WorkloadError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Workload(error),
        }
    }
}

impl AdviceError {
    /// What ended the run of this way with this seed.
    pub(super) fn of_run(of: String, seed: u64, error: CompletionError) -> Self {
        match error {
            CompletionError::Run(RunError::Cancelled(cancelled)) => cancelled.into(),
            error => Self::Run { of, seed, error: Box::new(error) },
        }
    }

    /// Why there are no images.
    pub(super) fn of_images(of: String, error: ImageStageError) -> Self {
        match error {
            ImageStageError::Cancelled(cancelled) => cancelled.into(),
            error => Self::Image { of, error },
        }
    }
}
