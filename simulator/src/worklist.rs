//! Lists of work with a length that is bounded beforehand.
//!
//! Every list is filled and emptied anew all the time; none ever allocates, and putting something
//! in on a condition is an addition instead of a branch that cannot be predicted.

/// A list of at most N − 1 numbers; N is a power of two.
#[derive(Clone, Debug)]
pub(crate) struct WorkList<const N: usize> {
    places: [u16; N],
    len: usize,
}

impl<const N: usize> WorkList<N> {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        assert!(N.is_power_of_two(), "so that a mask keeps places in range");
        Self { places: [0; N], len: 0 }
    }

    /// Appends a number if it is wanted.
    #[inline]
    pub(crate) fn push_if(&mut self, number: u16, wanted: bool) {
        self.places[self.len & (N - 1)] = number;
        self.len += usize::from(wanted);
        debug_assert!(self.len < N, "the lists have room for all that can be in them");
    }

    #[inline]
    pub(crate) fn push(&mut self, number: u16) {
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
    pub(crate) fn as_slice(&self) -> &[u16] {
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
