//! Why a study did not finish.

use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_base::text::{Refused, quoted};
use tvlb_generator::fabric::FabricError;
use tvlb_generator::image::ImageStageError;
use tvlb_schema::DragonflyError;
use tvlb_simulator::BootError;
use tvlb_table_set::runs::StoreError;
use tvlb_throughput::state::StateError;

/// Why a study cannot be planned, made or collected.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// An axis on the command line.
    #[error("{0}")]
    Axis(String),
    #[error("{path}: {fault}")]
    File { path: PathBuf, fault: String },
    #[error(
        "fabrics: found {}, accepted a fabric file, or sizes as in dfly(4,8,4,9) with an arrangement after \
         them if wanted",
        quoted(found)
    )]
    Fabric { found: String },
    #[error("fabrics: {found}: {error}")]
    Sizes { found: String, error: DragonflyError },
    #[error(transparent)]
    FabricFile(#[from] FabricError),
    #[error("{path}: {error}")]
    Image { path: PathBuf, error: ImageStageError },
    #[error(transparent)]
    Boot(#[from] BootError),
    /// Traffic or a placement that does not fit the fabric.
    #[error("{run}: {error}")]
    Unfit { run: String, error: Refused },
    #[error("{run}: {error}")]
    Run { run: String, error: Box<dyn std::error::Error + Send + Sync> },
    #[error(transparent)]
    Schedule(#[from] Refused),
    #[error(transparent)]
    Model(#[from] StateError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "{directory}: {missing} of {all} runs are not there yet; the same command without \
         --collect makes them"
    )]
    Missing { directory: PathBuf, missing: usize, all: usize },
    /// A run that another build kept under the same name.
    #[error("a run that is kept has {found} figures, accepted {accepted}")]
    OtherColumns { found: usize, accepted: usize },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
