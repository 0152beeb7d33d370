//! A range of an array over a whole network: the entries that one part of the network owns.
//!
//! Its entries are indexed by their places in the whole array, so that a part is run by the code that runs
//! the whole.

use std::ops::{Index, IndexMut, Range};

/// Entries of an array, from one of them on.
#[derive(Clone, Debug)]
pub(crate) struct OwnedRange<T> {
    /// The place of the first entry in the whole array.
    first: usize,
    entries: Vec<T>,
}

impl<T> OwnedRange<T> {
    /// The whole array.
    pub(crate) const fn whole(entries: Vec<T>) -> Self {
        Self { first: 0, entries }
    }

    /// Keeps the entries before an index, and returns the rest. An empty range stays empty.
    pub(crate) fn split_off(&mut self, place: usize) -> Self {
        let own = place.saturating_sub(self.first).min(self.entries.len());
        Self { first: place, entries: self.entries.split_off(own) }
    }

    /// Appends the range that follows on this one.
    pub(crate) fn append(&mut self, mut rest: Self) {
        self.entries.append(&mut rest.entries);
    }

    /// The places of its entries.
    pub(crate) const fn places(&self) -> Range<usize> {
        self.first..self.first + self.entries.len()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<&T> {
        self.entries.get(place.wrapping_sub(self.first))
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, place: usize) -> Option<&mut T> {
        self.entries.get_mut(place.wrapping_sub(self.first))
    }

    /// The entries of these places.
    #[inline]
    pub(crate) fn slice(&self, places: Range<usize>) -> &[T] {
        &self.entries[places.start - self.first..places.end - self.first]
    }

    /// The entries of these places.
    #[inline]
    pub(crate) fn slice_mut(&mut self, places: Range<usize>) -> &mut [T] {
        &mut self.entries[places.start - self.first..places.end - self.first]
    }

    /// How many bytes the entries hold.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.entries)
    }
}

impl<T> Index<usize> for OwnedRange<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: usize) -> &T {
        &self.entries[place - self.first]
    }
}

impl<T> IndexMut<usize> for OwnedRange<T> {
    #[inline]
    fn index_mut(&mut self, place: usize) -> &mut T {
        &mut self.entries[place - self.first]
    }
}
