//! Route shapes: the unit in which path sets are described.
//!
//! A VLB route between different groups is \[head\] x \[mid\] y \[tail\]: at most one local hop before the first global
//! link x, at most two in the intermediate group, at most one after the second global link y. That makes 2·3·2 = 12
//! shapes.

use core::fmt;

/// (head, mid, tail), the local hops in the source, intermediate and destination group.
///
/// # Example
/// ```
/// use tvlb_schema::Shape;
///
/// // No local hop in the source group, one in the intermediate, one in the destination.
/// let shape = Shape::new(0, 1, 1).ok_or("no shape")?;
/// assert_eq!((shape.to_string().as_str(), shape.hops()), ("011", 4));
/// assert_eq!(shape.reversed(), Shape::new(1, 1, 0).ok_or("no shape")?);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape(u8);

impl Shape {
    /// How many shapes there are.
    pub const COUNT: usize = 12;

    /// The shape with these local hops; `None` unless head ≤ 1, mid ≤ 2 and tail ≤ 1.
    pub const fn new(head: u8, mid: u8, tail: u8) -> Option<Self> {
        if head <= 1 && mid <= 2 && tail <= 1 {
            Some(Self(head * 6 + mid * 2 + tail))
        } else {
            None
        }
    }

    /// The shape of a walk with these properties. `mid` above 2 counts as 2.
    #[inline]
    pub const fn of_walk(head: bool, mid: u8, tail: bool) -> Self {
        let mid = if mid > 2 { 2 } else { mid };
        Self(head as u8 * 6 + mid * 2 + tail as u8)
    }

    /// The shape with this number; `None` from [`Self::COUNT`] on.
    #[inline]
    pub const fn from_number(number: usize) -> Option<Self> {
        if number < Self::COUNT {
            #[expect(clippy::cast_possible_truncation, reason = "below 12")]
            Some(Self(number as u8))
        } else {
            None
        }
    }

    /// All shapes, by rising number: 000, 001, 010, 011, 020, 021, 100, …, 121.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        #[expect(clippy::cast_possible_truncation, reason = "12 fits a byte")]
        (0..Self::COUNT as u8).map(Self)
    }

    /// 6·head + 2·mid + tail: the position of this shape in every table of 12.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Local hops in the source group before the first global link: 0 or 1.
    #[inline]
    pub const fn head(self) -> u8 {
        self.0 / 6
    }

    /// Local hops in the intermediate group: 0, 1 or 2.
    #[inline]
    pub const fn mid(self) -> u8 {
        self.0 % 6 / 2
    }

    /// Local hops in the destination group after the second global link: 0 or 1.
    #[inline]
    pub const fn tail(self) -> u8 {
        self.0 % 2
    }

    /// Hops from switch to switch, both global links included: 2 to 6.
    #[inline]
    pub const fn hops(self) -> u8 {
        2 + self.head() + self.mid() + self.tail()
    }

    /// Whether this shape is at most `other` in each coordinate.
    #[inline]
    pub const fn is_within(self, other: Self) -> bool {
        self.head() <= other.head() && self.mid() <= other.mid() && self.tail() <= other.tail()
    }

    /// The shape of the same route walked backwards.
    #[must_use]
    #[inline]
    pub const fn reversed(self) -> Self {
        Self(self.tail() * 6 + self.mid() * 2 + self.head())
    }
}

impl fmt::Display for Shape {
    /// Three digits, head mid tail: `011`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.head(), self.mid(), self.tail())
    }
}

/// A set of shapes, one bit each, bit n for shape number n.
///
/// # Example
/// ```
/// use tvlb_schema::{Shape, ShapeSet};
///
/// // What lies within (0, 1, 1) in each of the three.
/// let set = ShapeSet::generated_by(&[Shape::of_walk(false, 1, true)]);
/// let shapes: Vec<String> = set.iter().map(|shape| shape.to_string()).collect();
/// assert_eq!(shapes, ["000", "001", "010", "011"]);
/// assert!(set.is_down_closed());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "alloc", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeSet(u16);

impl ShapeSet {
    /// No shape.
    pub const EMPTY: Self = Self(0);
    /// All twelve.
    pub const ALL: Self = Self(0xfff);

    /// The set with these bits; `None` if a bit from 12 on is set.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        if bits <= Self::ALL.0 { Some(Self(bits)) } else { None }
    }

    /// Bit n is set if shape number n is in the set.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Only this shape.
    #[inline]
    pub const fn only(shape: Shape) -> Self {
        Self(1 << shape.number())
    }

    /// All shapes at or below one of `tops` in each coordinate: the down-closed set that they generate.
    pub fn generated_by(tops: &[Shape]) -> Self {
        Shape::all().filter(|s| tops.iter().any(|&top| s.is_within(top))).collect()
    }

    /// Whether the shape is in the set.
    #[inline]
    pub const fn contains(self, shape: Shape) -> bool {
        self.0 >> shape.number() & 1 == 1
    }

    /// The shapes in both sets.
    #[must_use]
    #[inline]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The shapes in either set.
    #[must_use]
    #[inline]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The shapes in this set and not in the other.
    #[must_use]
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether it has no shape.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its n-th shape by rising number, counted from 0.
    #[inline]
    pub const fn nth(self, n: u32) -> Option<Shape> {
        // As many iterations as there are shapes empty any set.
        let (mut left, mut n) = (self.0, if n < 12 { n } else { 12 });
        while n > 0 {
            left &= left.wrapping_sub(1);
            n -= 1;
        }
        if left == 0 { None } else { Shape::from_number(left.trailing_zeros() as usize) }
    }

    /// How many shapes there are in it.
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Its shapes by rising number.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Shape> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            #[expect(clippy::cast_possible_truncation, reason = "at most 16")]
            let number = left.trailing_zeros() as u8;
            left &= left.wrapping_sub(1);
            (number < 12).then_some(Shape(number))
        })
    }

    /// Whether with each shape all smaller ones are included.
    pub fn is_down_closed(self) -> bool {
        self.iter().all(|top| Shape::all().all(|s| !s.is_within(top) || self.contains(s)))
    }
}

impl FromIterator<Shape> for ShapeSet {
    fn from_iter<T: IntoIterator<Item = Shape>>(shapes: T) -> Self {
        shapes.into_iter().fold(Self::EMPTY, |set, s| set.or(Self::only(s)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn numbers_and_coordinates_agree() {
        for (n, shape) in Shape::all().enumerate() {
            assert_eq!(shape.number(), n);
            assert_eq!(Shape::from_number(n), Some(shape));
            assert_eq!(Shape::new(shape.head(), shape.mid(), shape.tail()), Some(shape));
            assert_eq!(shape.reversed().reversed(), shape);
            assert_eq!(shape.reversed().hops(), shape.hops());
        }
        assert_eq!(Shape::new(2, 0, 0), None);
        assert_eq!(Shape::new(0, 3, 0), None);
        assert_eq!(Shape::from_number(12), None);
        assert_eq!(Shape::new(0, 1, 1).unwrap().to_string(), "011");
    }

    #[test]
    fn there_are_49_down_closed_sets_that_are_not_empty() {
        let count = (1..=ShapeSet::ALL.bits())
            .filter(|&bits| ShapeSet::from_bits(bits).unwrap().is_down_closed())
            .count();
        assert_eq!(count, 49);
    }

    #[test]
    fn a_generated_set_is_the_least_down_closed_one() {
        let tops = [Shape::new(0, 1, 1).unwrap(), Shape::new(1, 1, 0).unwrap()];
        let set = ShapeSet::generated_by(&tops);
        assert!(set.is_down_closed());
        let names: std::vec::Vec<_> = set.iter().map(|s| s.to_string()).collect();
        assert_eq!(names, ["000", "001", "010", "011", "100", "110"]);
        for n in 0..6 {
            assert_eq!(set.nth(n).unwrap().to_string(), names[n as usize]);
        }
        assert_eq!(set.nth(6), None);
    }
}
