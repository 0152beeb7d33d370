//! MIN: always a minimal path.

use crate::choice::{Choice, Chosen};
use crate::path::Path;

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "min";

/// Takes the MIN candidate, whatever the queues.
#[inline]
pub(crate) const fn choose(min: Path) -> Chosen {
    Chosen::alone(min, Choice::Min)
}
