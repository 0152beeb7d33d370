//! Why a choice or a trial ends without a result.

use crate::image::ImageStageError;
use std::io;
use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_base::stage_errors;
use tvlb_base::text::Refused;
use tvlb_simulator::{BootError, RunError};
use tvlb_table_set::runs::StoreError;
use tvlb_throughput::state::StateError;

/// Why there is no choice.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    #[error(transparent)]
    Model(#[from] StateError),
    #[error(transparent)]
    Image(ImageStageError),
    #[error("cannot simulate the candidates: {0}; --fast chooses without a simulation")]
    Boot(#[from] BootError),
    #[error(transparent)]
    Traffic(#[from] Refused),
    #[error("{run}: {error}")]
    Run { run: String, error: RunError },
    #[error(
        "{run}: the state directory keeps another kind of result for this run; use an empty one"
    )]
    OtherRun { run: String },
    #[error("no set has a path for every flow of the modelled patterns; choose a set with --set")]
    NoCandidate,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{path}: cannot create the directory: {source}")]
    Directory { path: PathBuf, source: io::Error },
    #[error("interrupted; nothing was written")]
    Cancelled(#[from] Cancelled),
}

stage_errors!(ChooseError: Image(ImageStageError));
