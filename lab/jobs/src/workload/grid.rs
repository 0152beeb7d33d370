//! Grids of ranks: x + X·(y + Y·z) is the rank at (x, y, z), so x is the fastest axis. A grid has ends: it is
//! not periodic.

use crate::workload::error::WorkloadError;
use crate::workload::rank::Rank;
use std::fmt;
use std::str::FromStr;
use tvlb_base::text::quoted;

/// A grid of X × Y × Z ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The lengths of the axes x, y and z, each at least 1.
    lengths: [u32; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridAxis {
    /// The first and fastest.
    X,
    Y,
    /// The third and slowest.
    Z,
}

impl GridAxis {
    /// All axes, in the order in which an exchange goes over them.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    const fn as_usize(self) -> usize {
        match self {
            Self::X => 0,
            Self::Y => 1,
            Self::Z => 2,
        }
    }
}

impl fmt::Display for GridAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["x", "y", "z"][self.as_usize()])
    }
}

impl FromStr for GridAxis {
    type Err = WorkloadError;

    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        let named = Self::ALL.into_iter().find(|axis| axis.to_string() == text.trim());
        named.ok_or_else(|| {
            let found = format!("{} is not an axis of a grid", quoted(text));
            WorkloadError::refused(found, "x, y and z")
        })
    }
}

impl Grid {
    /// The grid of these lengths along x, y and z, if each is at least 1 and the ranks can be numbered.
    pub fn new(lengths: [u32; 3]) -> Option<Self> {
        let [x, y, z] = lengths;
        x.checked_mul(y)?.checked_mul(z).filter(|ranks| *ranks > 0)?;
        Some(Self { lengths })
    }

    /// The default grid for this many ranks: 6 × 6 × 4 for 144 and 6 × 4 × 3 for 72; else the one with x ≤ y ≤ z that
    /// has the least surface, and so is nearest to a cube.
    ///
    /// # Panics
    /// If there are no ranks.
    pub fn of(ranks: u32) -> Self {
        assert!(ranks > 0, "a grid has at least one rank");
        let lengths = match ranks {
            144 => [6, 6, 4],
            72 => [6, 4, 3],
            _ => most_cubic(ranks),
        };
        Self { lengths }
    }

    /// The grid of this many ranks with x ≤ y ≤ z that has the least surface, and so is nearest to a cube.
    ///
    /// # Panics
    /// If there are no ranks.
    pub fn nearest_to_cube(ranks: u32) -> Self {
        assert!(ranks > 0, "a grid has at least one rank");
        Self { lengths: most_cubic(ranks) }
    }

    /// The lengths along x, y and z.
    pub const fn lengths(self) -> [u32; 3] {
        self.lengths
    }

    /// How many ranks it has.
    pub const fn ranks(self) -> u32 {
        let [x, y, z] = self.lengths;
        x * y * z
    }

    /// The neighbours of a rank along an axis: the lower and the upper, if they exist.
    pub fn neighbours(self, rank: Rank, axis: GridAxis) -> [Option<Rank>; 2] {
        let stride: u32 = self.lengths[..axis.as_usize()].iter().product();
        let length = self.lengths[axis.as_usize()];
        let place = rank.0 / stride % length;
        let lower = (place > 0).then(|| Rank(rank.0 - stride));
        let upper = (place + 1 < length).then(|| Rank(rank.0 + stride));
        [lower, upper]
    }
}

fn most_cubic(ranks: u32) -> [u32; 3] {
    let divisors = |number: u32| {
        let small = (1..).take_while(move |n: &u32| u64::from(*n).pow(2) <= u64::from(number));
        small.filter(move |n| number.is_multiple_of(*n))
    };
    let all = divisors(ranks)
        .flat_map(|x| divisors(ranks / x).map(move |y| [x, y, ranks / x / y]))
        .filter(|[x, y, _]| x <= y);
    // With this product, the surface is the least where the sum of the inverse lengths is.
    let surface = |[x, y, z]: [u32; 3]| {
        let [x, y, z] = [x, y, z].map(u128::from);
        x * y + y * z + z * x
    };
    all.min_by_key(|&lengths| surface(lengths)).expect("1 x 1 x n is a grid")
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.lengths;
        f.pad(&format!("{x}x{y}x{z}"))
    }
}

impl FromStr for Grid {
    type Err = WorkloadError;

    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        let lengths: Option<Vec<u32>> = text.split('x').map(|n| n.trim().parse().ok()).collect();
        let lengths = lengths.and_then(|lengths| <[u32; 3]>::try_from(lengths).ok());
        lengths.and_then(Self::new).ok_or_else(|| {
            WorkloadError::refused(
                format!("{} is not a grid", quoted(text)),
                "three lengths of at least 1, such as 6x6x4, of fewer than 2^32 ranks",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_that_are_not_named() {
        for (ranks, expected) in [
            (144, "6x6x4"),
            (72, "6x4x3"),
            (1, "1x1x1"),
            (7, "1x1x7"),
            (64, "4x4x4"),
            (342, "3x6x19"),
            (5256, "8x9x73"),
            (288, "6x6x8"),
        ] {
            assert_eq!(Grid::of(ranks).to_string(), expected);
            assert_eq!(Grid::of(ranks).ranks(), ranks);
        }
    }

    #[test]
    fn neighbours_stop_at_the_ends() {
        let grid: Grid = "3x2x2".parse().unwrap();
        let of = |rank, axis| grid.neighbours(Rank(rank), axis).map(|n| n.map(|Rank(n)| n));
        assert_eq!(of(0, GridAxis::X), [None, Some(1)]);
        assert_eq!(of(1, GridAxis::X), [Some(0), Some(2)]);
        assert_eq!(of(2, GridAxis::X), [Some(1), None]);
        assert_eq!(of(2, GridAxis::Y), [None, Some(5)]);
        assert_eq!(of(11, GridAxis::Y), [Some(8), None]);
        assert_eq!(of(4, GridAxis::Z), [None, Some(10)]);
    }

    #[test]
    fn what_is_no_grid_is_refused() {
        for text in ["", "3x3", "3x3x0", "2x2x2x2", "65536x65536x1", "axbxc", "-1x2x2"] {
            let error = text.parse::<Grid>().unwrap_err().to_string();
            let said = format!(
                "{text:?} is not a grid, accepted three lengths of at least 1, such as 6x6x4, of fewer \
                 than 2^32 ranks"
            );
            assert_eq!(error, said);
        }
        assert!("w".parse::<GridAxis>().unwrap_err().to_string().ends_with("accepted x, y and z"));
    }
}
