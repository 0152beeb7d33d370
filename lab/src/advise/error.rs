//! Why there is no advice.

use tvlb_base::progress::Cancelled;
use tvlb_base::stage_errors;
use tvlb_generator::image::ImageStageError;
use tvlb_generator::static_load::StaticLoadError;
use tvlb_jobs::CompletionError;
use tvlb_jobs::workload::WorkloadError;
use tvlb_simulator::{BootError, RunError};
use tvlb_topology::CableError;
use tvlb_topology::arrangement::Arrangement;

/// Why there is no advice.
#[derive(Debug, thiserror::Error)]
pub enum AdviceError {
    #[error("arrangement {arrangement}: {error}")]
    Arrangement { arrangement: Arrangement, error: CableError },
    #[error(
        "arrangement {arrangement}: it joins groups in which every two switches are linked, and those of this fabric \
         are of leaves and spines; accepted is own"
    )]
    LeavesAndSpines { arrangement: Arrangement },
    #[error("{of}: {error}")]
    Image { of: String, error: ImageStageError },
    #[error(transparent)]
    Boot(#[from] BootError),
    #[error("{of}: {error}")]
    Loads { of: String, error: StaticLoadError },
    #[error(transparent)]
    Workload(WorkloadError),
    #[error("{of}, seed {seed}: {error}")]
    Run { of: String, seed: u64, error: Box<CompletionError> },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

stage_errors!(AdviceError: Workload(WorkloadError));

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
