//! A set of groups.

use tvlb_schema::{Dragonfly, GroupId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Groups(Vec<u64>);

impl Groups {
    pub(super) fn none(df: &Dragonfly) -> Self {
        Self(vec![0; df.g().div_ceil(64) as usize])
    }

    pub(super) fn insert(&mut self, group: GroupId) {
        self.0[group.as_usize() / 64] |= 1 << (group.0 % 64);
    }

    pub(super) fn remove(&mut self, group: GroupId) {
        self.0[group.as_usize() / 64] &= !(1 << (group.0 % 64));
    }

    pub(super) fn has(&self, group: GroupId) -> bool {
        self.0[group.as_usize() / 64] >> (group.0 % 64) & 1 == 1
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(word, other)| word & other).collect())
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}
