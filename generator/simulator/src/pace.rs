//! The starts of flits on links that carry less than one per cycle.
//!
//! A flit starts no sooner than the gap of the link's kind after the start of the flit before it. Gaps and the time at
//! which a link becomes free are multiples of 1/256 cycle; a switch sees whole cycles. A flit that starts within a
//! cycle is on its link from the next whole cycle on, but the gap counts from its start, so that rounding costs no
//! bandwidth.

/// When a link is free for another flit: in a cycle, and so many 1/256 of a cycle later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Free {
    pub(crate) cycle: u32,
    pub(crate) fraction: u8,
}

impl Free {
    /// The first whole cycle in which a flit can be on the link.
    #[inline]
    pub(crate) const fn first_cycle(self) -> u32 {
        self.cycle + (self.fraction > 0) as u32
    }

    /// Starts a flit that can go from a cycle on. Returns the first whole cycle in which it is on the link, and when
    /// the link is free again.
    #[inline]
    pub(crate) const fn start(self, earliest: u32, gap_256ths: u32) -> (u32, Self) {
        let start =
            if self.cycle < earliest { Self { cycle: earliest, fraction: 0 } } else { self };
        let next = start.fraction as u32 + gap_256ths;
        let free = Self { cycle: start.cycle + (next >> 8), fraction: (next & 0xff) as u8 };
        (start.first_cycle(), free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cycles in which flits are on a link for the first time, if each can go `apart` cycles after
    /// the one before it.
    fn departures(gap_256ths: u32, apart: u32, count: u32) -> Vec<u32> {
        let mut free = Free::default();
        let mut one = |number| {
            let (departure, next) = free.start(number * apart, gap_256ths);
            free = next;
            departure
        };
        (0..count).map(&mut one).collect()
    }

    #[test]
    fn flits_start_a_gap_apart_and_rounding_costs_nothing() {
        assert_eq!(departures(256, 0, 5), [0, 1, 2, 3, 4]);
        assert_eq!(departures(512, 0, 5), [0, 2, 4, 6, 8]);
        assert_eq!(departures(384, 0, 5), [0, 2, 3, 5, 6]);
        for gap in [257, 341, 383, 1000] {
            let expected = (0..1000_u32).map(|number| (number * gap).div_ceil(256));
            assert!(departures(gap, 0, 1000).into_iter().eq(expected), "{gap}");
        }
    }

    #[test]
    fn a_link_that_has_been_free_starts_at_once() {
        assert_eq!(departures(384, 2, 5), [0, 2, 4, 6, 8]);
        assert_eq!(departures(512, 3, 4), [0, 3, 6, 9]);
    }
}
