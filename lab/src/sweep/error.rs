//! Why a sweep did not come to its end.

use std::path::PathBuf;
use tvlb_base::progress::Cancelled;
use tvlb_generator::fabric::FabricError;
use tvlb_generator::image::ImageStageError;
use tvlb_simulator::{
    BootError, PlacementError, RunError, ScheduleError, StudyError, TrafficError,
};
use tvlb_table_set::runs::StoreError;

/// Why a sweep cannot be planned, made or collected.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The sweep file cannot be read, or it does not say what it should.
    #[error("{path}: {fault}")]
    File {
        /// The sweep file.
        path: PathBuf,
        /// What was found, and what is accepted.
        fault: String,
    },
    /// A fabric file that the sweep file names is not one.
    #[error(transparent)]
    Fabric(#[from] FabricError),
    /// The images of a fabric cannot be made.
    #[error("{path}: {error}")]
    Image {
        /// The fabric file.
        path: PathBuf,
        /// What is wrong.
        error: ImageStageError,
    },
    /// The switches do not boot from the images.
    #[error(transparent)]
    Boot(#[from] BootError),
    /// The traffic of a run does not fit the fabric.
    #[error("{run}: {error}")]
    Traffic {
        /// The run.
        run: String,
        /// What is wrong with its traffic.
        error: TrafficError,
    },
    /// The placement of a run does not fit the fabric.
    #[error("{run}: {error}")]
    Placement {
        /// The run.
        run: String,
        /// What is wrong with its placement.
        error: PlacementError,
    },
    /// A run ended without figures.
    #[error("{run}: {error}")]
    Run {
        /// The run.
        run: String,
        /// What ended it.
        error: RunError,
    },
    /// A search for the load of saturation ended without a result.
    #[error("{run}: {error}")]
    Saturation {
        /// The search.
        run: String,
        /// What ended it.
        error: StudyError,
    },
    /// What is dead does not fit the fabric.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A run cannot be kept, or one that was kept cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// None of the runs that are to be collected is there.
    #[error(
        "{directory}: {missing} of {all} runs are not there yet; the same command without \
         --collect makes them"
    )]
    Missing {
        /// The directory of the sweep.
        directory: PathBuf,
        /// How many runs are missing.
        missing: usize,
        /// How many runs the sweep file asks for.
        all: usize,
    },
    /// The caller cancelled the sweep.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
