//! The rule of a T-VLB set: which routes it contains and how one is drawn.
//!
//! A rule consists of shapes and seeded fractions, never of single routes, so its size does not grow with the number of
//! paths, and membership of a route is decided from the route alone.

use crate::{ANY_FABRIC, LegHops, Level, RouteKey, Shape, ShapeSet};

/// A keep-fraction in parts of 10 000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "alloc", derive(serde::Serialize, serde::Deserialize))]
pub struct Keep(u16);

impl Keep {
    /// No route.
    pub const NONE: Self = Self(0);
    /// Every route.
    pub const ALL: Self = Self(10_000);
    /// The smallest fraction above 0: a hundredth. A switch finds a kept route by trying, so the acceptable work per
    /// packet limits how rare kept routes may be.
    pub const LEAST: Self = Self(100);

    /// `parts` of 10 000; `None` unless that is 0 or from a hundredth to the whole.
    pub const fn new(parts: u16) -> Option<Self> {
        let keep = Self(parts);
        if keep.is_in_range() { Some(keep) } else { None }
    }

    /// A fraction from an image, unchecked: [`SetRule::check`] checks its range.
    pub(crate) const fn unchecked(parts: u16) -> Self {
        Self(parts)
    }

    #[inline]
    const fn is_in_range(self) -> bool {
        self.0 == 0 || (self.0 >= Self::LEAST.0 && self.0 <= Self::ALL.0)
    }

    /// Parts of 10 000.
    #[inline]
    pub const fn parts(self) -> u16 {
        self.0
    }
}

/// How one route is drawn from the kept ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "alloc", derive(serde::Serialize, serde::Deserialize))]
pub enum DrawRule {
    /// Uniformly over all kept routes of the pair.
    ByRoute,
    /// First a shape, in proportion to its weight among those of which the pair has a kept route, then a kept route of
    /// that shape uniformly.
    ByShape {
        /// The weight of each shape, by shape number: above 0 exactly if the keep-fraction is.
        weights: [u16; Shape::COUNT],
    },
    /// First an intermediate switch, uniformly among those whose legs have few enough hops; then one of the shortest
    /// links of each leg, uniformly (as in the simulator that the authors of Rahman et al., SC'19, published). A leg's
    /// hops are those of its shortest minimal path.
    BySwitch {
        /// Which intermediate switches are drawn.
        legs: LegHops,
        /// Whether to draw walks that return, from a switch of the intermediate group to another and straight back. If
        /// not, everything is drawn again.
        returns: bool,
    },
    /// Uniformly over all triples of an intermediate switch and the links of both legs, as conventional VLB draws:
    /// every route is in the set, and so are the walks that return.
    ByTriple,
}

impl DrawRule {
    /// The name in set files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ByRoute => "by-route",
            Self::ByShape { .. } => "by-shape",
            Self::BySwitch { .. } => "by-switch",
            Self::ByTriple => "by-triple",
        }
    }

    /// The shapes of the walks that are drawn, where these follow from how they are drawn: all of them are in the
    /// set. `None` where routes are drawn, of which the set holds a fraction of each shape.
    const fn shapes_of_walks(&self) -> Option<ShapeSet> {
        match self {
            Self::ByRoute | Self::ByShape { .. } => None,
            Self::BySwitch { legs, .. } => Some(legs.shapes()),
            Self::ByTriple => Some(ShapeSet::ALL),
        }
    }
}

/// The routes of a T-VLB set, by the same rule for every pair, and how one is drawn.
///
/// # Example
/// ```
/// use tvlb_schema::{Keep, SetRule, Shape, ShapeSet};
///
/// let shape = Shape::of_walk(false, 1, true);
/// let mut rule = SetRule::whole(ShapeSet::only(shape));
/// assert_eq!(rule.keep_of(shape), Keep::ALL);
/// // Sixty percent of them, in hundredths of a percent; the seed decides which.
/// rule.keep[shape.number()] = Keep::new(6000).ok_or("above 10000")?;
/// rule.seed = 7;
/// rule.check().map_err(|_| "a weight or fraction out of range")?;
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "alloc", derive(serde::Serialize, serde::Deserialize))]
pub struct SetRule {
    /// The fraction of the routes of each shape that is kept, by shape number.
    pub keep: [Keep; Shape::COUNT],
    /// How one is drawn.
    pub draw: DrawRule,
    /// The seed of the routes in a fraction. With the same seed a larger fraction contains a smaller one.
    pub seed: u64,
}

/// Why a rule is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetRuleError {
    /// A keep-fraction out of range.
    #[error(
        "keep-fraction of shape {shape}: found {found}, accepted 0 or 100 to 10000 parts of 10000"
    )]
    Keep {
        /// The shape's number.
        shape: usize,
        /// The parts found.
        found: u16,
    },
    /// A shape that keeps no route but has a weight, or keeps routes but has no weight.
    #[error(
        "weight of shape {shape}: found {found}, but a shape has a weight exactly when its keep-fraction is above 0"
    )]
    Weight {
        /// The shape's number.
        shape: usize,
        /// The weight found.
        found: u16,
    },
    /// Leg hops that include no switch, or a pair without a smaller one.
    #[error(
        "hops of the legs: found bits {found:#x}, accepted some pairs and with each all smaller ones"
    )]
    Legs {
        /// The bits found.
        found: u16,
    },
    /// A keep-fraction of a set that is drawn by intermediate switch, or by triple.
    #[error(
        "keep-fraction of shape {shape}: found {found}, but a set that is drawn by intermediate switch keeps all routes of the shapes that its legs make, and none of the others, and one that is drawn by triple keeps all routes"
    )]
    KeepBySwitch {
        /// The shape's number.
        shape: usize,
        /// The parts found.
        found: u16,
    },
}

impl SetRule {
    /// Every route of these shapes, drawn by route.
    pub fn whole(shapes: ShapeSet) -> Self {
        let mut keep = [Keep::NONE; Shape::COUNT];
        for (number, keep) in keep.iter_mut().enumerate() {
            if shapes.bits() >> number & 1 == 1 {
                *keep = Keep::ALL;
            }
        }
        Self { keep, draw: DrawRule::ByRoute, seed: 0 }
    }

    /// The walks over these intermediate switches, drawn by intermediate switch.
    pub fn by_switch(legs: LegHops, returns: bool) -> Self {
        let draw = DrawRule::BySwitch { legs, returns };
        Self { draw, ..Self::whole(legs.shapes()) }
    }

    /// Conventional VLB, drawn by triple.
    pub fn conventional() -> Self {
        Self { draw: DrawRule::ByTriple, ..Self::whole(ShapeSet::ALL) }
    }

    /// Whether it is drawn by triple.
    #[inline]
    pub const fn is_by_triple(&self) -> bool {
        matches!(self.draw, DrawRule::ByTriple)
    }

    /// Whether it is drawn by intermediate switch.
    #[inline]
    pub const fn is_by_switch(&self) -> bool {
        ANY_FABRIC && matches!(self.draw, DrawRule::BySwitch { .. })
    }

    /// Whether routes are drawn, by whatever rule, instead of a switch or two cables on a route. Only then can a switch
    /// thin the set.
    pub const fn is_of_routes(&self) -> bool {
        self.draw.shapes_of_walks().is_none()
    }

    /// Whether routes are drawn by their shape first.
    #[inline]
    pub const fn is_by_shape(&self) -> bool {
        matches!(self.draw, DrawRule::ByShape { .. })
    }

    /// The shapes of which some fraction is kept.
    #[inline]
    pub fn shapes(&self) -> ShapeSet {
        Shape::all().filter(|&s| self.keep_of(s) > Keep::NONE).collect()
    }

    /// The fraction kept of one shape.
    #[inline]
    pub fn keep_of(&self, shape: Shape) -> Keep {
        self.keep.get(shape.number()).copied().unwrap_or_default()
    }

    /// The weight of one shape; 0 if the rule draws by route.
    #[inline]
    pub fn weight_of(&self, shape: Shape) -> u16 {
        let DrawRule::ByShape { weights } = &self.draw else { return 0 };
        weights.get(shape.number()).copied().unwrap_or(0)
    }

    /// Whether the route with this key and shape is in the set without thinning. For a set that is drawn by
    /// intermediate switch the rule alone cannot tell: that needs the wiring.
    #[inline]
    pub fn keeps(&self, shape: Shape, key: RouteKey) -> bool {
        self.keeps_at(Level::ALL, shape, key)
    }

    /// Whether the route with this key and shape is in the set, if its source switch thins the routes of its first port
    /// to this level.
    #[inline]
    pub fn keeps_at(&self, level: Level, shape: Shape, key: RouteKey) -> bool {
        let keep = self.keep_of(shape);
        if keep == Keep::ALL && level == Level::ALL {
            return true;
        }
        let hash = key.hash(self.seed);
        in_fraction(keep, hash) && level.keeps(hash)
    }

    /// Checks what the types do not guarantee.
    ///
    /// # Errors
    /// The first shape whose keep-fraction or weight is out of range, or invalid legs.
    pub fn check(&self) -> Result<(), SetRuleError> {
        self.check_read()?;
        if let Some(shapes) = self.draw.shapes_of_walks() {
            let keep = Self::whole(shapes).keep;
            if let Some(shape) = (0..Shape::COUNT).find(|&shape| self.keep[shape] != keep[shape]) {
                return Err(SetRuleError::KeepBySwitch { shape, found: self.keep[shape].0 });
            }
        }
        Ok(())
    }

    /// As [`Self::check`], for a rule from an image: there the legs determine what is kept.
    pub(crate) fn check_read(&self) -> Result<(), SetRuleError> {
        if let DrawRule::BySwitch { legs, .. } = self.draw
            && !legs.is_valid()
        {
            return Err(SetRuleError::Legs { found: legs.bits() });
        }
        for shape in Shape::all() {
            let keep = self.keep_of(shape);
            if !keep.is_in_range() {
                return Err(SetRuleError::Keep { shape: shape.number(), found: keep.0 });
            }
            let weight = self.weight_of(shape);
            if self.is_by_shape() && (weight > 0) != (keep > Keep::NONE) {
                return Err(SetRuleError::Weight { shape: shape.number(), found: weight });
            }
        }
        Ok(())
    }
}

/// Whether the hash's high half, scaled to 0..10000, is below the fraction.
#[inline]
const fn in_fraction(keep: Keep, hash: u64) -> bool {
    ((hash >> 32) * Keep::ALL.0 as u64) >> 32 < keep.0 as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept_of_100_000(parts: u16) -> usize {
        let mut rule = SetRule::whole(ShapeSet::ALL);
        rule.keep = [Keep::new(parts).unwrap(); Shape::COUNT];
        let shape = Shape::from_number(11).unwrap();
        (0..100_000).filter(|&key| rule.keeps(shape, RouteKey(key))).count()
    }

    #[test]
    fn fractions_keep_what_they_say() {
        assert_eq!(kept_of_100_000(0), 0);
        assert_eq!(kept_of_100_000(10_000), 100_000);
        for (parts, expected) in [(100, 1000_usize), (2500, 25_000), (6000, 60_000), (9999, 99_990)]
        {
            // Five standard deviations of the binomial are below 800.
            assert!(kept_of_100_000(parts).abs_diff(expected) < 800, "{parts}");
        }
    }

    #[test]
    fn a_smaller_fraction_lies_within_a_larger() {
        for key in 0..10_000 {
            let hash = RouteKey(key).hash(42);
            assert!(!in_fraction(Keep(3000), hash) || in_fraction(Keep(3001), hash));
        }
    }

    #[test]
    fn rules_out_of_range_are_refused() {
        let mut rule = SetRule::whole(ShapeSet::ALL);
        assert_eq!(rule.check(), Ok(()));
        rule.keep[3] = Keep(10_001);
        assert_eq!(rule.check(), Err(SetRuleError::Keep { shape: 3, found: 10_001 }));
        let mut rule = SetRule::whole(ShapeSet::ALL);
        rule.draw = DrawRule::ByShape { weights: [0; 12] };
        assert_eq!(rule.check(), Err(SetRuleError::Weight { shape: 0, found: 0 }));
    }
}
