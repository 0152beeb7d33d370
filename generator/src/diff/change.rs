//! A value in the old table set beside the same in the new one, and how much of them is compared.

use serde::Serialize;

/// How much to look at.
#[derive(Clone, Copy, Debug)]
pub struct DiffSettings {
    /// About as many routes are compared; where the sets have more, pairs of switches are sampled.
    pub most_routes: u64,
    /// Decides the sample.
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
    /// Whether there is any.
    pub fn is_change(&self) -> bool {
        self.old != self.new
    }
}
