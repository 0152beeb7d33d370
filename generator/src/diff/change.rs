//! A value in the old table set beside the same in the new one, and how much of them to compare.

use serde::Serialize;

/// How much to compare.
#[derive(Clone, Copy, Debug)]
pub struct DiffSettings {
    /// About how many routes are compared; if the sets have more, pairs of switches are sampled.
    pub most_routes: u64,
    /// The seed of the sample.
    pub seed: u64,
}

/// Old and new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Change<T> {
    /// In the old table set.
    pub old: T,
    /// In the new one.
    pub new: T,
}

impl<T> Change<T> {
    pub(super) const fn as_ref(&self) -> Change<&T> {
        Change { old: &self.old, new: &self.new }
    }

    pub(super) fn map<U>(&self, mut each: impl FnMut(&T) -> U) -> Change<U> {
        Change { old: each(&self.old), new: each(&self.new) }
    }
}

impl<T: PartialEq> Change<T> {
    /// Whether the two differ.
    pub fn is_change(&self) -> bool {
        self.old != self.new
    }
}
