//! Errors in a workload.

use tvlb_base::progress::Cancelled;
use tvlb_base::text::Refused;

/// An error in a workload, or why it does not fit a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl WorkloadError {
    /// What was found, and what would be accepted.
    pub(super) fn refused(found: impl Into<String>, accepted: impl Into<String>) -> Self {
        Refused::new(found, accepted.into()).into()
    }

    /// A graph of other ranks than the job's.
    pub(super) fn graph_size(found: u32, ranks: u32) -> Self {
        Self::refused(format!("the graph has {found} ranks"), format!("one of the job's {ranks}"))
    }
}
