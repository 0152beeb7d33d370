//! How long work reports its progress, and how its caller stops it.
//!
//! Every stage that can take more than a second takes a [`Progress`]. It reports its steps from any thread, and it
//! calls [`Progress::check`] often enough to end soon after it is cancelled. `()` ignores all reports and never
//! cancels.
//!
//! ```
//! use tvlb_base::progress::{Cancelled, Progress};
//!
//! fn count(to: u32, progress: &dyn Progress) -> Result<u32, Cancelled> {
//!     progress.stage("counting", None);
//!     for _ in 0..to {
//!         progress.check()?;
//!         progress.step();
//!     }
//!     Ok(to)
//! }
//! assert_eq!(count(3, &()), Ok(3));
//! ```

/// The caller of long work. All methods are called from any thread.
pub trait Progress: Sync {
    /// A stage begins. `steps` is how many it has, if that is known.
    fn stage(&self, _name: &'static str, _steps: Option<usize>) {}

    /// A step of the stage is done.
    fn step(&self) {}

    /// The stage takes about this many more steps. For a stage whose number of steps is not known in advance: reported
    /// once it has begun, and again when more is known.
    fn about_left(&self, _steps: usize) {}

    /// The stage takes at most this many further steps: reported once it has begun, and again when fewer are left.
    fn at_most_left(&self, _steps: usize) {}

    /// Whether the work is to end at once.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Goes on, or ends the work.
    ///
    /// # Errors
    /// The caller has cancelled the work.
    fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// Makes the errors of stages errors of the work that they are stages of. A stage that is cancelled cancels the work.
#[macro_export]
macro_rules! stage_errors {
    ($work:ident: $($variant:ident($error:ident)),+) => {$(
        impl From<$error> for $work {
            fn from(error: $error) -> Self {
                match error {
                    $error::Cancelled(cancelled) => Self::Cancelled(cancelled),
                    error => Self::$variant(error),
                }
            }
        }
    )+};
}

/// Ignores all reports and never cancels.
impl Progress for () {}

/// Reports nothing to another caller and is cancelled when that is: for work that is itself a step of the
/// other's work.
pub struct AsOneStep<'p>(pub &'p dyn Progress);

impl Progress for AsOneStep<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// The caller cancelled the work before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Cancelled;
