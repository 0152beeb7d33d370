//! Why there is no advice.

use crate::sweep::SweepError;
use tvlb_base::progress::Cancelled;
use tvlb_base::stage_errors;
use tvlb_generator::static_load::StaticLoadError;
use tvlb_jobs::workload::WorkloadError;
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
    Loads { of: String, error: StaticLoadError },
    #[error(transparent)]
    Workload(WorkloadError),
    /// Images or a run could not be made, or kept.
    #[error(transparent)]
    Run(SweepError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

stage_errors!(AdviceError: Workload(WorkloadError));

impl From<SweepError> for AdviceError {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Cancelled(cancelled) => cancelled.into(),
            error => Self::Run(error),
        }
    }
}
