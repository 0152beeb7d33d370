//! A T-VLB set in one switch's image.
//!
//! A set is stored as its rule. For a rule that draws by shape the image also says which shapes have a route to each
//! destination, because only a search over the wiring could tell; shapes that all destinations have, or none, take no
//! room. A set that this switch thins has a level for each global port of the group.

use crate::fields::Fields;
use crate::image_error::{Fault, ImagePart, Refusal, Value, saturating_u32};
use crate::image_kind::HEADER_LEN;
use crate::packed::PackedArray;
use crate::plain::Feature;
use crate::{
    ANY_FABRIC, Dragonfly, DrawRule, GlobalPort, GroupId, Keep, LegHops, Level, RouteKey, SetRule,
    SetRuleError, Shape, ShapeSet, SwitchId,
};

/// The width of a thinning level.
pub(crate) const LEVEL_BITS: u32 = 4;

/// A set's rule by what is drawn first, as an image has it: what follows from the rest of it is left out.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, serde::Serialize)]
pub(crate) enum RuleBody {
    Routes { keep: [Keep; Shape::COUNT] },
    Shapes { keep: [Keep; Shape::COUNT], weights: [u16; Shape::COUNT] },
    Switches { legs: LegHops, returns: bool },
    Triples,
}

#[cfg(feature = "alloc")]
impl RuleBody {
    pub(crate) const fn of(rule: &SetRule) -> Self {
        let keep = rule.keep;
        match rule.draw {
            DrawRule::ByRoute => Self::Routes { keep },
            DrawRule::ByShape { weights } => Self::Shapes { keep, weights },
            DrawRule::BySwitch { legs, returns } => Self::Switches { legs, returns },
            DrawRule::ByTriple => Self::Triples,
        }
    }
}

/// A T-VLB set of one switch.
#[derive(Clone, Copy, Debug)]
pub struct SetView<'a> {
    rule: SetRule,
    always: ShapeSet,
    /// For each destination switch one bit for each shape of `sometimes`, by rising shape number.
    presence: PackedArray<'a>,
    /// How those bits spread to the shapes' numbers.
    spread: BitSpread,
    /// Whether all weights are the same, apart from shapes that are not kept.
    is_even: bool,
    is_thinned: bool,
    /// The level of each global port of the group; empty if the set is not thinned.
    levels: PackedArray<'a>,
    /// The shapes of which every route is kept, at every port.
    whole: ShapeSet,
}

/// Spreads the low bits of a number to the places of a mask's bits, in a fixed number of steps: step n moves its bits
/// by 2ⁿ places (Warren, Hacker's Delight, 7-5).
#[derive(Clone, Copy, Debug)]
struct BitSpread {
    moves: [u16; 4],
    mask: u16,
}

impl BitSpread {
    const fn to(mask: u16) -> Self {
        let (mut moves, mut left, mut zeros) = ([0; 4], mask, !mask << 1);
        let mut step = 0;
        while step < 4 {
            let mut parity = zeros ^ zeros << 1;
            parity ^= parity << 2;
            parity ^= parity << 4;
            parity ^= parity << 8;
            let moved = parity & left;
            moves[step] = moved;
            left = left ^ moved | moved >> (1 << step);
            zeros &= !parity;
            step += 1;
        }
        Self { moves, mask }
    }

    #[inline]
    const fn apply(self, bits: u16) -> u16 {
        let [m0, m1, m2, m3] = self.moves;
        let bits = bits & !m3 | bits << 8 & m3;
        let bits = bits & !m2 | bits << 4 & m2;
        let bits = bits & !m1 | bits << 2 & m1;
        let bits = bits & !m0 | bits << 1 & m0;
        bits & self.mask
    }
}

impl<'a> SetView<'a> {
    pub(crate) const NONE: Self = Self {
        rule: SetRule { keep: [Keep::NONE; Shape::COUNT], draw: DrawRule::ByRoute, seed: 0 },
        always: ShapeSet::EMPTY,
        presence: PackedArray::EMPTY,
        spread: BitSpread::to(0),
        is_even: true,
        is_thinned: false,
        levels: PackedArray::EMPTY,
        whole: ShapeSet::EMPTY,
    };

    /// Reads the fixed part; only bits of nonexistent shapes are checked.
    pub(crate) fn read(&mut self, fields: &mut Fields<'_>) {
        let draw = fields.below(4);
        if draw >= 2 {
            let mut shapes = ShapeSet::ALL.bits();
            self.rule.draw = DrawRule::ByTriple;
            if draw == 2 {
                let legs = LegHops::unchecked(fields.u16());
                shapes = legs.shapes().bits();
                self.rule.draw = DrawRule::BySwitch { legs, returns: fields.below(2) == 1 };
            }
            for (shape, keep) in self.rule.keep.iter_mut().enumerate() {
                *keep = if shapes >> shape & 1 == 1 { Keep::ALL } else { Keep::NONE };
            }
        } else {
            for keep in &mut self.rule.keep {
                *keep = Keep::unchecked(fields.u16());
            }
            if draw == 1 {
                self.rule.draw =
                    DrawRule::ByShape { weights: core::array::from_fn(|_| fields.u16()) };
            }
        }
        self.rule.seed = fields.u64();
        self.always = fields.shapes();
        self.spread = BitSpread::to(fields.shapes().bits());
        self.is_thinned = fields.below(2) == 1;
    }

    /// Checks the fixed part of the set of this number, and derives values from it.
    ///
    /// If the rule is invalid, or destinations have shapes that the rule does not keep, it notes that in `refusal` and
    /// returns `None`.
    pub(crate) fn check(&mut self, number: u32, refusal: &mut Refusal) -> Option<()> {
        let rule = &self.rule;
        if let Err(error) = rule.check_read() {
            let (fault, shape, found) = match error {
                SetRuleError::Keep { shape, found } => (Fault::SetKeep, shape, found),
                SetRuleError::Weight { shape, found } => (Fault::SetWeight, shape, found),
                SetRuleError::Legs { found } => (Fault::SetLegs, 0, found),
                // The routes kept by a rule by intermediate switch follow from its legs.
                SetRuleError::KeepBySwitch { .. } => return None,
            };
            let place = saturating_u32(shape) << 16 | number;
            return refusal.fail_with(fault, HEADER_LEN, found.into(), place);
        }
        if !ANY_FABRIC && matches!(rule.draw, DrawRule::BySwitch { .. }) {
            return refusal.fail(Fault::LeftOut(Feature::SetsBySwitch), HEADER_LEN, number);
        }
        let (shapes, sometimes) = (rule.shapes(), self.sometimes());
        let claimed = self.always.or(sometimes);
        let fits = match rule.draw {
            DrawRule::ByRoute => self.always == shapes && sometimes.is_empty(),
            DrawRule::BySwitch { .. } | DrawRule::ByTriple => {
                self.always == shapes && sometimes.is_empty() && !self.is_thinned
            }
            DrawRule::ByShape { .. } => {
                claimed.without(shapes).is_empty() && self.always.and(sometimes).is_empty()
            }
        };
        if !fits {
            return refusal.out_of_range(Value::ShapesPresent, HEADER_LEN, claimed.bits().into());
        }
        let mut first = None;
        for shape in shapes.iter() {
            if rule.keep_of(shape) == Keep::ALL && !self.is_thinned {
                self.whole = self.whole.or(ShapeSet::only(shape));
            }
            let weight = rule.weight_of(shape);
            self.is_even &= *first.get_or_insert(weight) == weight;
        }
        Some(())
    }

    /// Checks that presence has no bit of a number that is not a destination: of the switch's own group, or in a gap.
    /// `at` is the beginning of presence.
    fn check_presence(
        &self,
        (df, own): (&Dragonfly, GroupId),
        at: usize,
        refusal: &mut Refusal,
    ) -> Option<()> {
        let count = if self.sometimes().is_empty() { 0 } else { df.switch_numbers() };
        for number in 0..count {
            let found = self.presence.get(number);
            let switch = SwitchId((number & 0xffff) as u16);
            if found != 0 && (df.place(switch).0 == own || !df.has_switch(switch)) {
                let offset = at + self.presence.byte_of(number);
                return refusal.out_of_range(Value::Presence, offset, found);
            }
        }
        Some(())
    }

    /// Takes the set's sections from the front of `bytes`; `end` is the position of its end in the file.
    ///
    /// If there are too few bytes, padding that is not 0, presence of a switch that is not a destination, or a level
    /// out of range, it notes that in `refusal` and returns `None`. `own` is the switch's group.
    pub(crate) fn take_sections(
        &mut self,
        bytes: &mut &'a [u8],
        (df, own): (&Dragonfly, GroupId),
        end: usize,
        refusal: &mut Refusal,
    ) -> Option<()> {
        let presence_at = end - bytes.len();
        let presence = (self.sometimes().len(), df.switch_numbers());
        self.presence = PackedArray::take(bytes, presence, ImagePart::Presence, end, refusal)?;
        self.check_presence((df, own), presence_at, refusal)?;
        let at = end - bytes.len();
        let count = if self.is_thinned { df.ports_per_group() } else { 0 };
        let levels =
            PackedArray::take(bytes, (LEVEL_BITS, count), ImagePart::Levels, end, refusal)?;
        self.levels = levels;
        for port in 0..count {
            let found = levels.get(port);
            if found < Level::LEAST.number().into() {
                return refusal.out_of_range(Value::Level, at + levels.byte_of(port), found);
            }
        }
        Some(())
    }

    /// The shapes that some destinations have.
    fn sometimes(&self) -> ShapeSet {
        ShapeSet::from_bits(self.spread.mask).unwrap_or_default()
    }

    /// The rule.
    #[inline]
    pub const fn rule(&self) -> &SetRule {
        &self.rule
    }

    /// Whether a shape is drawn uniformly, because all weights are the same.
    #[inline]
    pub const fn is_even(&self) -> bool {
        self.is_even
    }

    /// Whether this switch thins the set.
    #[inline]
    pub const fn is_thinned(&self) -> bool {
        self.is_thinned
    }

    /// The level of the routes that leave through a global port of the switch's group.
    #[inline]
    pub fn level(&self, x: GlobalPort) -> Level {
        if self.is_thinned() { Level::unchecked(self.levels.get(x.0.into())) } else { Level::ALL }
    }

    /// Whether every route of a shape is kept, so that [`Self::keeps`] need not be called.
    #[inline]
    pub const fn keeps_all(&self, shape: Shape) -> bool {
        self.whole.contains(shape)
    }

    /// Whether the route from this switch with this key and shape is in the set.
    #[inline]
    pub fn keeps(&self, shape: Shape, key: RouteKey) -> bool {
        self.keeps_all(shape) || self.keeps_some(shape, key)
    }

    /// Whether the route with this key is in the set, if [`Self::keeps_all`] has said that not every route of its shape
    /// is.
    #[inline]
    pub fn keeps_some(&self, shape: Shape, key: RouteKey) -> bool {
        self.rule.keeps_at(self.level(key.x()), shape, key)
    }

    /// The shapes of which a destination in another group may have a kept route: exactly those of which it has one if
    /// the rule draws by shape, else all of the rule's.
    #[inline]
    pub fn shapes_to(&self, destination: SwitchId) -> ShapeSet {
        if !self.rule.is_by_shape() {
            return self.always;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 12 columns")]
        let columns = self.presence.get(destination.0.into()) as u16;
        let shapes = self.always.bits() | self.spread.apply(columns);
        ShapeSet::from_bits(shapes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::BitSpread;

    #[test]
    fn spreading_is_bit_by_bit_for_every_mask() {
        for mask in 0..1 << 12_u16 {
            let spread = BitSpread::to(mask);
            for bits in 0..1 << mask.count_ones() {
                let mut expected = 0;
                let places = (0..12).filter(|place| mask >> place & 1 == 1);
                for (column, place) in places.enumerate() {
                    expected |= (bits >> column & 1) << place;
                }
                assert_eq!(spread.apply(bits), expected, "{bits:b} to {mask:b}");
            }
        }
    }
}
