//! The number of a rank within its job. Ranks of two jobs may have the same number; code that handles several jobs
//! names the job as well.

use std::fmt;

/// A rank of a job: a process, 0 to n − 1 in a job of n ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(pub u32);

impl Rank {
    /// Its number as an index into a slice.
    #[inline]
    pub const fn as_usize(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
