//! How outputs are compared.

/// The share of an output's room that is in use, times hops if the rules weigh by length.
#[derive(Clone, Copy)]
pub(crate) struct Weight {
    /// At most five times 16 bits.
    pub(crate) used: u32,
    /// 16 bits.
    pub(crate) capacity: u32,
}

impl Weight {
    /// Whether it is at most so much of another.
    pub(crate) fn is_within(self, percent: u8, other: Self) -> bool {
        let product = |used: u32, capacity: u32| u64::from(used) * u64::from(capacity);
        100 * product(self.used, other.capacity)
            <= u64::from(percent) * product(other.used, self.capacity)
    }

    /// Whether it is less than another.
    pub(crate) fn is_less(self, other: Self) -> bool {
        !other.is_within(100, self)
    }
}
