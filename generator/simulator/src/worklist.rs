//! Lists of work with bounded length.
//!
//! The lists are filled and emptied again in every step. They never allocate, and appending a number on a condition is
//! an addition instead of a branch that the processor would mispredict.

/// A list of at most N − 1 numbers of one kind; N is a power of two.
#[derive(Clone, Debug)]
pub(crate) struct WorkList<T, const N: usize> {
    places: [T; N],
    len: usize,
}

impl<T: Copy + Default, const N: usize> WorkList<T, N> {
    /// An empty list.
    pub(crate) fn new() -> Self {
        const { assert!(N.is_power_of_two(), "so that a mask keeps places in range") };
        Self { places: [T::default(); N], len: 0 }
    }

    /// Appends a number if it is wanted.
    #[inline]
    pub(crate) fn push_if(&mut self, number: T, wanted: bool) {
        self.places[self.len & (N - 1)] = number;
        self.len += usize::from(wanted);
        debug_assert!(self.len < N, "the lists have room for all that can be in them");
    }

    #[inline]
    pub(crate) fn push(&mut self, number: T) {
        self.push_if(number, true);
    }

    #[inline]
    pub(crate) const fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.places[..self.len]
    }

    /// Drops the first `count` numbers.
    #[inline]
    pub(crate) fn drop_front(&mut self, count: usize) {
        if count < self.len {
            self.places.copy_within(count..self.len, 0);
        }
        self.len -= count;
    }
}
