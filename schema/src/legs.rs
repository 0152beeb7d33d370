//! The intermediate switches of a set that is drawn by intermediate switch: those whose two legs, the shortest minimal
//! paths to the switch and onward from it, have few enough hops.
//!
//! A leg has 1 to 3 hops: one global link, with or without a local hop before and after it.

use crate::{Shape, ShapeSet};
use core::fmt;

/// Pairs of (hops of the first leg, hops of the second leg), of which an intermediate switch must have one. With each
/// pair all smaller ones are included.
///
/// # Example
/// ```
/// use tvlb_schema::LegHops;
///
/// // At most two hops from the source; however far from the destination.
/// let near = LegHops::within(2, 3).ok_or("a leg has 1 to 3 hops")?;
/// assert!(near.contains(2, 3) && near.contains(1, 1) && !near.contains(3, 1));
/// assert_eq!(near.to_string(), "2-3");
/// let near_either = near.or(LegHops::within(3, 2).ok_or("a leg has 1 to 3 hops")?);
/// assert_eq!(near_either.to_string(), "2-3+3-2");
/// // Its walks have all shapes but those with both a head and two hops in the middle and a tail.
/// assert_eq!(near.shapes().len(), 10);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "alloc", derive(serde::Serialize, serde::Deserialize))]
pub struct LegHops(u16);

/// The most hops of a leg.
const MOST: u8 = 3;

impl LegHops {
    /// Every intermediate switch.
    pub const ALL: Self = Self(0x1ff);

    /// All pairs of at most these hops; `None` unless both are 1 to 3.
    pub fn within(first: u8, second: u8) -> Option<Self> {
        let is_leg = |hops| (1..=MOST).contains(&hops);
        if !is_leg(first) || !is_leg(second) {
            return None;
        }
        let pairs = pairs().filter(|&(one, two)| one <= first && two <= second);
        Some(Self(pairs.fold(0, |bits, (one, two)| bits | bit(one, two))))
    }

    /// The pairs with these bits: bit 3·(first − 1) + second − 1 for each. `None` if there is no pair, or a pair
    /// without a smaller one.
    pub fn from_bits(bits: u16) -> Option<Self> {
        let pairs = Self(bits);
        pairs.is_valid().then_some(pairs)
    }

    /// From an image, unchecked: [`crate::SetRule::check`] checks it.
    pub(crate) const fn unchecked(bits: u16) -> Self {
        Self(bits)
    }

    pub(crate) const fn is_valid(self) -> bool {
        // A row holds the pairs of one number of hops of the first leg.
        let (low, middle, high) = (self.0 & 7, self.0 >> 3 & 7, self.0 >> 6);
        // For 1, 3 and 7 the next larger number is a power of two, and for 0 as well.
        let is_row = low & (low + 1) | middle & (middle + 1) | high & (high + 1) == 0;
        is_row && low > 0 && middle & !low | high & !middle == 0
    }

    /// Bit 3·(first − 1) + second − 1 is set if the pair is included.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether a switch whose legs have these hops is drawn. Both must be 1 to 3.
    #[inline]
    pub const fn contains(self, first: u8, second: u8) -> bool {
        self.0 & bit(first, second) != 0
    }

    /// The pairs in either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The shapes that the walks over such switches can have. A walk that returns counts as one of two hops in the
    /// intermediate group.
    pub const fn shapes(self) -> ShapeSet {
        let (mut shapes, mut ways) = (ShapeSet::EMPTY, 0);
        // Bit by bit the local hops: before and after the first link, before and after the second.
        while ways < 16_u8 {
            let [head, before, after, tail] = [ways & 1, ways >> 1 & 1, ways >> 2 & 1, ways >> 3];
            if self.contains(1 + head + before, 1 + after + tail) {
                let shape = Shape::of_walk(head == 1, before + after, tail == 1);
                shapes = shapes.or(ShapeSet::only(shape));
            }
            ways += 1;
        }
        shapes
    }
}

/// The largest pairs, joined by `+`: `2-3+3-2`.
impl fmt::Display for LegHops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = |first, second| first <= MOST && second <= MOST && self.contains(first, second);
        let tops = pairs().filter(|&(first, second)| {
            has(first, second) && !has(first + 1, second) && !has(first, second + 1)
        });
        for (number, (first, second)) in tops.enumerate() {
            let joint = if number > 0 { "+" } else { "" };
            write!(f, "{joint}{first}-{second}")?;
        }
        Ok(())
    }
}

fn pairs() -> impl Iterator<Item = (u8, u8)> {
    (1..=MOST).flat_map(|first| (1..=MOST).map(move |second| (first, second)))
}

#[inline]
const fn bit(first: u8, second: u8) -> u16 {
    1 << (first.wrapping_mul(3).wrapping_add(second).wrapping_sub(4) & 0xf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn there_are_nineteen() {
        let valid: Vec<LegHops> = (0..=u16::MAX).filter_map(LegHops::from_bits).collect();
        // Lattice paths through three by three, except the empty one.
        assert_eq!(valid.len(), 19);
        assert_eq!(LegHops::within(3, 3), Some(LegHops::ALL));
        for pairs in valid {
            // The text lists the tops, which generate the pairs again.
            let tops = pairs.to_string();
            let again = tops.split('+').map(|top| {
                let (first, second) = top.split_once('-').unwrap();
                LegHops::within(first.parse().unwrap(), second.parse().unwrap()).unwrap()
            });
            assert_eq!(again.reduce(LegHops::or), Some(pairs), "{tops}");
        }
        for (first, second) in [(0, 1), (1, 0), (4, 1), (1, 4), (255, 255)] {
            assert_eq!(LegHops::within(first, second), None);
        }
    }

    #[test]
    fn the_shapes_of_the_published_set() {
        let near = LegHops::within(2, 3).unwrap();
        let never = ShapeSet::ALL.without(near.shapes());
        let never: Vec<_> = never.iter().map(|shape| shape.to_string()).collect();
        assert_eq!(never, ["120", "121"]);
        assert_eq!(LegHops::ALL.shapes(), ShapeSet::ALL);
        assert_eq!(LegHops::within(1, 1).unwrap().shapes().bits(), 1);
    }
}
