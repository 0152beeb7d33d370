//! Why a choice or a search for mixtures ends without a result.

use crate::image::ImageStageError;
use crate::throughput::ModelError;
use std::io;
use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_simulator::{BootError, RunError, TrafficError};
use tvlb_table_set::runs::StoreError;

/// Why there is no choice.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// Step 1 failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A candidate's images could not be made.
    #[error(transparent)]
    Image(ImageStageError),
    /// The images do not make a network that the simulator can hold.
    #[error("cannot simulate the candidates: {0}; --fast chooses without a simulation")]
    Boot(#[from] BootError),
    /// The panel does not fit the fabric.
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    /// A run failed.
    #[error("{run}: {error}")]
    Run {
        /// Scheme, set, traffic and load in hundredths.
        run: String,
        /// Why the simulator gave up.
        error: RunError,
    },
    /// A state directory keeps under a run's name what another kind of run gives.
    #[error(
        "{run}: what the state directory keeps of this run is of another kind; use an empty one"
    )]
    OtherRun {
        /// The name of the run.
        run: String,
    },
    /// No modelled set lies on the front.
    #[error("no set has a path for every flow of the modelled patterns; choose a set with --set")]
    NoCandidate,
    /// What an interrupted search or Step 1 has kept cannot be used or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The state directory cannot be made.
    #[error("{path}: cannot create the directory: {source}")]
    Directory {
        /// The state directory.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The caller cancelled the work.
    #[error("interrupted; nothing was written")]
    Cancelled(#[from] Cancelled),
}

/// A cancelled image stage is a cancelled choice.
impl From<ImageStageError> for ChooseError {
    fn from(error: ImageStageError) -> Self {
        match error {
            ImageStageError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Image(error),
        }
    }
}
