//! The switch image: one switch's place, its cables, and the T-VLB set of each of its decisions.
//!
//! A set is stored as its rule. For a rule that draws by shape the image also says of which
//! shapes each destination has a route, since only a search over the wiring could tell; shapes
//! that all destinations have, or none, take no room. A set that this switch thins has a level for
//! each global port of the group.

use crate::fields::Fields;
use crate::frame::{self, HEADER_LEN, ImageError, ImageKind};
use crate::packed::PackedArray;
use crate::{
    DrawRule, End, FabricImage, Group, Index, Keep, Level, RouteKey, SetRule, Shape, ShapeSet,
    Switch,
};
use serde::{Deserialize, Serialize};

/// How many sets an image can hold: one per decision.
const MOST_SETS: usize = 3;

/// The width of a thinning level.
const LEVEL_BITS: u32 = 4;

/// A peer as the image stores it: four bytes, little-endian.
type PeerCode = [u8; 4];

/// A decision for which a switch has a T-VLB set of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// UGAL-L (and VLB only) at the packet's source switch.
    UgalL,
    /// PAR at the packet's source switch.
    ParSource,
    /// PAR at the second switch, if that is still in the source group.
    ParSecond,
}

impl Decision {
    /// All of them, in the order of an image.
    pub const ALL: [Self; 3] = [Self::UgalL, Self::ParSource, Self::ParSecond];

    /// The name in fabric files, on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UgalL => "ugal-l",
            Self::ParSource => "par-source",
            Self::ParSecond => "par-second",
        }
    }
}

/// One value for each decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PerDecision<T> {
    /// For UGAL-L.
    pub ugal_l: T,
    /// For PAR at the source.
    pub par_source: T,
    /// For PAR's second look.
    pub par_second: T,
}

impl<T> PerDecision<T> {
    /// The value for one decision.
    #[inline]
    pub const fn get(&self, decision: Decision) -> &T {
        match decision {
            Decision::UgalL => &self.ugal_l,
            Decision::ParSource => &self.par_source,
            Decision::ParSecond => &self.par_second,
        }
    }

    /// The same for each, computed from each.
    pub fn map<U>(&self, mut each: impl FnMut(&T) -> U) -> PerDecision<U> {
        PerDecision {
            ugal_l: each(&self.ugal_l),
            par_source: each(&self.par_source),
            par_second: each(&self.par_second),
        }
    }
}

/// How virtual channels are assigned along a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VcScheme {
    /// After Won et al., HPCA 2015: VC 0 at injection; one higher on arriving in a new group and
    /// for a second local hop in a row; the same from a local to a global hop.
    #[default]
    Ordered,
    /// The VC is the number of hops made before.
    PerHop,
    /// A VC for each place of a link on a path: the fewest channels, counted for local and for
    /// global links apart.
    Positional,
}

impl VcScheme {
    /// All of them, in the order of their codes in an image.
    pub const ALL: [Self; 3] = [Self::Ordered, Self::PerHop, Self::Positional];

    /// The name in fabric files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::PerHop => "per-hop",
            Self::Positional => "positional",
        }
    }
}

/// What one decision uses.
#[derive(Clone, Copy, Serialize)]
struct DecisionBody {
    /// The number of its set in this image.
    set: u8,
    /// T of UGAL-L: MIN is taken if its queue times its hops is at most VLB's plus T.
    threshold: i16,
}

/// A set's fixed part.
#[derive(Clone, Copy, Serialize)]
struct SetBody {
    rule: SetRule,
    /// Shapes that every destination in another group has.
    always: ShapeSet,
    /// Shapes that some destinations have: one column of the presence section each.
    sometimes: ShapeSet,
    /// The set has a section of levels.
    thinned: bool,
}

/// The fixed part of the payload, in postcard.
#[cfg(feature = "alloc")]
#[derive(Serialize)]
struct Body {
    switch: u16,
    virtual_channels: VcScheme,
    decisions: PerDecision<DecisionBody>,
    sets: alloc::vec::Vec<SetBody>,
}

impl DecisionBody {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self { set: fields.byte()?, threshold: fields.i16()? })
    }
}

impl SetBody {
    const NONE: Self = Self {
        rule: SetRule { keep: [Keep::NONE; Shape::COUNT], draw: DrawRule::ByRoute, seed: 0 },
        always: ShapeSet::EMPTY,
        sometimes: ShapeSet::EMPTY,
        thinned: false,
    };

    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let keep = fields.array()?.map(Keep::unchecked);
        let draw = match fields.below(2)? {
            0 => DrawRule::ByRoute,
            _ => DrawRule::ByShape { weights: fields.array()? },
        };
        Some(Self {
            rule: SetRule { keep, draw, seed: fields.u64()? },
            always: ShapeSet::from_bits(fields.u16()?)?,
            sometimes: ShapeSet::from_bits(fields.u16()?)?,
            thinned: fields.below(2)? == 1,
        })
    }
}

/// The fixed part of the payload as it is read.
struct Head {
    switch: u16,
    virtual_channels: VcScheme,
    decisions: PerDecision<DecisionBody>,
    set_count: usize,
    sets: [SetBody; MOST_SETS],
}

impl Head {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let switch = fields.u16()?;
        let virtual_channels = *VcScheme::ALL.get(fields.below(VcScheme::ALL.len())?)?;
        let decisions = PerDecision {
            ugal_l: DecisionBody::read(fields)?,
            par_source: DecisionBody::read(fields)?,
            par_second: DecisionBody::read(fields)?,
        };
        let set_count = fields.below(MOST_SETS + 1)?;
        let mut sets = [SetBody::NONE; MOST_SETS];
        for set in sets.iter_mut().take(set_count) {
            *set = SetBody::read(fields)?;
        }
        Some(Self { switch, virtual_channels, decisions, set_count, sets })
    }
}

/// A T-VLB set as one switch has it.
#[derive(Clone, Copy, Debug)]
pub struct SetView<'a> {
    rule: SetRule,
    always: ShapeSet,
    /// Per destination switch one bit for each shape of `sometimes`, by rising shape number.
    presence: PackedArray<'a>,
    /// How those bits spread to the shapes' numbers.
    spread: Spread,
    /// All weights are the same, those of shapes of which nothing is kept apart.
    is_even: bool,
    /// Per global port of the group its level; empty if the set is not thinned.
    levels: PackedArray<'a>,
    /// The shapes of which every route is kept, by whatever port.
    whole: ShapeSet,
}

/// Spreads the low bits of a number to the places of a mask's bits, in a fixed number of steps:
/// step n moves the bits that it is said to by 2ⁿ places (Warren, Hacker's Delight, 7-5).
#[derive(Clone, Copy, Debug)]
struct Spread {
    moves: [u16; 4],
    mask: u16,
}

impl Spread {
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

impl SetView<'_> {
    /// The rule.
    #[inline]
    pub const fn rule(&self) -> &SetRule {
        &self.rule
    }

    /// Whether a shape is drawn uniformly, all weights being the same.
    #[inline]
    pub const fn is_even(&self) -> bool {
        self.is_even
    }

    /// Whether this switch thins the set.
    #[inline]
    pub const fn is_thinned(&self) -> bool {
        self.levels.len() > 0
    }

    /// The level of the routes that leave by a global port of the switch's group.
    #[inline]
    pub fn level(&self, x: crate::GlobalPort) -> Level {
        if self.is_thinned() { Level::unchecked(self.levels.get(x.0.into())) } else { Level::ALL }
    }

    /// Whether every route of a shape is kept, so that [`Self::keeps`] need not be asked.
    #[inline]
    pub const fn keeps_all(&self, shape: Shape) -> bool {
        self.whole.contains(shape)
    }

    /// Whether the route from this switch with this key and shape is in the set.
    #[inline]
    pub fn keeps(&self, shape: Shape, key: RouteKey) -> bool {
        self.keeps_all(shape) || self.rule.keeps_at(self.level(key.x()), shape, key)
    }

    /// The shapes of which a destination in another group may have a kept route: exactly those of
    /// which it has one if the rule draws by shape, all of the rule's if by route.
    #[inline]
    pub fn shapes_to(&self, destination: Switch) -> ShapeSet {
        if self.rule.draw == DrawRule::ByRoute {
            return self.always;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 12 columns")]
        let columns = self.presence.get(destination.0.into()) as u16;
        let shapes = self.always.bits() | self.spread.apply(columns);
        ShapeSet::from_bits(shapes).unwrap_or_default()
    }
}

/// A decoded switch image: a view into its bytes.
#[derive(Clone, Debug)]
pub struct SwitchImage<'a> {
    switch: Switch,
    group: Group,
    index: Index,
    virtual_channels: VcScheme,
    decisions: PerDecision<DecisionBody>,
    sets: [SetView<'a>; MOST_SETS],
    set_count: usize,
    /// Per global slot the peer's port number in the fabric plus 1; 0 for an unused port.
    peers: &'a [PeerCode],
    /// Every slot has a cable.
    fully_cabled: bool,
    fabric: FabricImage<'a>,
}

impl core::fmt::Debug for DecisionBody {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "set {}, threshold {}", self.set, self.threshold)
    }
}

impl<'a> SwitchImage<'a> {
    /// Checks an image against the fabric image that it goes with, and returns a view of it.
    ///
    /// # Errors
    /// What is wrong with the bytes, and where. Any bytes whatever end in `Ok` or `Err`.
    #[inline(never)]
    pub fn decode(bytes: &'a [u8], fabric: &FabricImage<'a>) -> Result<Self, ImageError> {
        let (identity, payload) = frame::open(bytes, ImageKind::Switch)?;
        if identity != fabric.identity() {
            return Err(ImageError::Identity { found: identity, needed: fabric.identity() });
        }
        let df = fabric.dragonfly();
        let mut fields = Fields::new(payload);
        let head = Head::read(&mut fields)
            .ok_or(ImageError::Structure { what: "place and sets", offset: HEADER_LEN })?;
        let mut rest = fields.rest();
        let value =
            |what, found, accepted| ImageError::Value { what, offset: HEADER_LEN, found, accepted };
        let switch = Switch(head.switch);
        if !df.has_switch(switch) {
            return Err(value("switch", head.switch.into(), "a switch of the fabric"));
        }
        for decision in Decision::ALL {
            let set = head.decisions.get(decision).set;
            if usize::from(set) >= head.set_count {
                return Err(value("set of a decision", set.into(), "a set of this image"));
            }
        }

        let offset = |rest: &[u8]| HEADER_LEN + payload.len() - rest.len();
        let peers_at = offset(rest);
        let (peers, after) = take_peers(rest, df.h(), peers_at)?;
        rest = after;

        let no_set = SetView {
            rule: SetRule::whole(ShapeSet::EMPTY),
            always: ShapeSet::EMPTY,
            presence: PackedArray::EMPTY,
            spread: Spread::to(0),
            is_even: true,
            levels: PackedArray::EMPTY,
            whole: ShapeSet::EMPTY,
        };
        let mut sets = [no_set; MOST_SETS];
        for (number, (view, set)) in
            sets.iter_mut().zip(&head.sets).take(head.set_count).enumerate()
        {
            set.rule.check().map_err(|error| ImageError::Set {
                set: number,
                offset: HEADER_LEN,
                error,
            })?;
            let claimed = set.always.or(set.sometimes);
            let fits = match set.rule.draw {
                DrawRule::ByRoute => set.always == set.rule.shapes() && set.sometimes.is_empty(),
                DrawRule::ByShape { .. } => {
                    claimed.without(set.rule.shapes()).is_empty()
                        && set.always.and(set.sometimes).is_empty()
                }
            };
            if !fits {
                let found = u64::from(claimed.bits());
                return Err(value(
                    "shapes present",
                    found,
                    "shapes of the rule, each at most once",
                ));
            }
            let at = offset(rest);
            let (presence, after) =
                PackedArray::take(rest, set.sometimes.len(), df.switch_count(), "presence", at)?;
            rest = after;
            let levels_at = offset(rest);
            let level_count = if set.thinned { df.ports_per_group() } else { 0 };
            let (levels, after) =
                PackedArray::take(rest, LEVEL_BITS, level_count, "thinning levels", levels_at)?;
            rest = after;
            check_levels(&levels, level_count, levels_at)?;
            let is_whole = |&shape: &Shape| !set.thinned && set.rule.keep_of(shape) == Keep::ALL;
            let mut weights = set.rule.shapes().iter().map(|shape| set.rule.weight_of(shape));
            let first = weights.next();
            *view = SetView {
                rule: set.rule,
                always: set.always,
                presence,
                spread: Spread::to(set.sometimes.bits()),
                is_even: weights.all(|weight| Some(weight) == first),
                levels,
                whole: Shape::all().filter(is_whole).collect(),
            };
        }
        if !rest.is_empty() {
            return Err(ImageError::Trailing { offset: offset(rest), found: rest.len() });
        }

        let (group, index) = df.place(switch);
        let mut image = Self {
            switch,
            group,
            index,
            virtual_channels: head.virtual_channels,
            decisions: head.decisions,
            sets,
            set_count: head.set_count,
            peers,
            fully_cabled: false,
            fabric: *fabric,
        };
        image.fully_cabled = image.check_peers(peers_at)?;
        Ok(image)
    }

    /// The switch's cables are those of the fabric's wiring; returns whether every slot has one.
    fn check_peers(&self, base: usize) -> Result<bool, ImageError> {
        let df = self.fabric.dragonfly();
        let mut fully_cabled = true;
        for (slot, code) in (0..).zip(self.peers) {
            let end = End::new(df, self.group, self.index, slot);
            let found = u32::from_le_bytes(*code);
            if found != peer_code(&self.fabric, end) {
                return Err(ImageError::Value {
                    what: "peer of a global port",
                    offset: base + size_of::<PeerCode>() * usize::from(slot),
                    found: found.into(),
                    accepted: "the peer that the fabric image gives",
                });
            }
            fully_cabled &= found != 0;
        }
        Ok(fully_cabled)
    }

    /// The switch.
    #[inline]
    pub const fn switch(&self) -> Switch {
        self.switch
    }

    /// Its group.
    #[inline]
    pub const fn group(&self) -> Group {
        self.group
    }

    /// Its index in the group.
    #[inline]
    pub const fn index(&self) -> Index {
        self.index
    }

    /// The fabric it belongs to.
    #[inline]
    pub const fn fabric(&self) -> &FabricImage<'a> {
        &self.fabric
    }

    /// How it assigns virtual channels.
    #[inline]
    pub const fn virtual_channels(&self) -> VcScheme {
        self.virtual_channels
    }

    /// The peer of a global slot, 0 to h − 1; `None` for an unused port or a slot beyond.
    #[inline]
    pub fn peer(&self, slot: u16) -> Option<End> {
        // Decoding has compared the switch's own list with the fabric's, which needs no division.
        let df = self.fabric.dragonfly();
        let end = End::new(df, self.group, self.index, slot);
        if u32::from(slot) < df.h() { self.fabric.peer(end) } else { None }
    }

    /// Whether a global slot, 0 to h − 1, has a cable; for no other slot does the answer mean a
    /// thing.
    #[inline]
    pub fn has_cable(&self, slot: u16) -> bool {
        self.fully_cabled || self.peers.get(usize::from(slot)).is_some_and(|code| *code != [0; 4])
    }

    /// The number of a decision's set, counted from 0; decisions may share one.
    #[inline]
    pub fn set_number(&self, decision: Decision) -> usize {
        // Checked at decode; the remainder only tells the compiler.
        usize::from(self.decisions.get(decision).set) % MOST_SETS
    }

    /// How many sets the image holds.
    pub const fn set_count(&self) -> usize {
        self.set_count
    }

    /// The set of a decision.
    #[inline]
    pub fn set(&self, decision: Decision) -> &SetView<'a> {
        &self.sets[self.set_number(decision)]
    }

    /// The threshold T of a decision.
    #[inline]
    pub const fn threshold(&self, decision: Decision) -> i16 {
        self.decisions.get(decision).threshold
    }
}

/// Takes the peers of `h` slots from the front of `bytes`, which begin at `offset` in their file.
fn take_peers(bytes: &[u8], h: u32, offset: usize) -> Result<(&[PeerCode], &[u8]), ImageError> {
    let needed = size_of::<PeerCode>() * h as usize;
    match bytes.split_at_checked(needed) {
        Some((own, rest)) => Ok((own.as_chunks().0, rest)),
        None => Err(ImageError::TooShort { what: "peers", offset, needed, found: bytes.len() }),
    }
}

/// Every level is one.
fn check_levels(levels: &PackedArray<'_>, count: u32, base: usize) -> Result<(), ImageError> {
    for port in 0..count {
        let found = levels.get(port);
        if found < Level::LEAST.number().into() {
            return Err(ImageError::Value {
                what: "thinning level of a global port",
                offset: base + levels.byte_of(port),
                found: found.into(),
                accepted: "3 to 15",
            });
        }
    }
    Ok(())
}

/// A port's peer as the image stores it.
fn peer_code(fabric: &FabricImage<'_>, end: End) -> u32 {
    fabric.peer(end).map_or(0, |peer| {
        1 + u32::from(peer.group.0) * fabric.dragonfly().ports_per_group() + u32::from(peer.port.0)
    })
}

/// What a switch image is made of.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct SwitchContents {
    /// The switch.
    pub switch: Switch,
    /// How it assigns virtual channels.
    pub virtual_channels: VcScheme,
    /// For each decision the number of its set in `sets` and its threshold T.
    pub decisions: PerDecision<(u8, i16)>,
    /// One to three sets.
    pub sets: alloc::vec::Vec<SetContents>,
}

/// What a set in a switch image is made of.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct SetContents {
    /// The rule.
    pub rule: SetRule,
    /// For each global port of the switch's group the level of the routes that leave by it; empty
    /// where none is thinned.
    pub levels: alloc::vec::Vec<Level>,
    /// For a rule that draws by shape: of which shapes each destination switch, by number, has a
    /// kept route, thinning included. What it says of the switch's own group does not matter. Else empty.
    pub shapes_to: alloc::vec::Vec<ShapeSet>,
}

/// Writes a switch image.
///
/// # Panics
/// If the contents contradict themselves: no set or more than three, a decision without a set, a
/// rule out of range, or `shapes_to` or `levels` of another length than they should have.
#[cfg(feature = "alloc")]
pub fn encode_switch_image(
    fabric: &FabricImage<'_>,
    contents: &SwitchContents,
) -> alloc::vec::Vec<u8> {
    use alloc::vec::Vec;

    let df = fabric.dragonfly();
    let (group, index) = df.place(contents.switch);
    let mut sets = Vec::new();
    for set in &contents.sets {
        let (mut always, mut ever) = (set.rule.shapes(), ShapeSet::EMPTY);
        if set.rule.draw != DrawRule::ByRoute {
            assert_eq!(
                set.shapes_to.len(),
                df.switch_count() as usize,
                "one entry for each switch"
            );
            for destination in df.switches().filter(|&d| df.place(d).0 != group) {
                let shapes = set.shapes_to[usize::from(destination.0)];
                always = always.and(shapes);
                ever = ever.or(shapes);
            }
        }
        let ports = df.ports_per_group() as usize;
        assert!(
            set.levels.is_empty() || set.levels.len() == ports,
            "one level for each global port of the group, or none"
        );
        let thinned = set.levels.iter().any(|&level| level != Level::ALL);
        let body = SetBody { rule: set.rule, always, sometimes: ever.without(always), thinned };
        sets.push(body);
    }
    assert!(sets.len() <= MOST_SETS, "at most three sets");
    let body = Body {
        switch: contents.switch.0,
        virtual_channels: contents.virtual_channels,
        decisions: contents.decisions.map(|&(set, threshold)| DecisionBody { set, threshold }),
        sets,
    };
    let mut payload =
        postcard::to_extend(&body, Vec::new()).expect("plain numbers into a vector that grows");

    let peers = (0..df.h()).map(|slot| {
        let slot = u16::try_from(slot).expect("h is at most 4096");
        peer_code(fabric, End::new(df, group, index, slot))
    });
    payload.extend(peers.flat_map(u32::to_le_bytes));
    for (set, contents) in body.sets.iter().zip(&contents.sets) {
        let columns = |destination: Switch| {
            if df.place(destination).0 == group {
                return 0;
            }
            let present = contents.shapes_to[usize::from(destination.0)];
            let bits = set.sometimes.iter().enumerate();
            bits.fold(0, |bits, (column, shape)| {
                bits | u32::from(present.contains(shape)) << column
            })
        };
        if !set.sometimes.is_empty() {
            crate::packed::append(&mut payload, set.sometimes.len(), df.switches().map(columns));
        }
        if set.thinned {
            let levels = contents.levels.iter().map(|level| level.number().into());
            crate::packed::append(&mut payload, LEVEL_BITS, levels);
        }
    }
    let bytes = frame::close(ImageKind::Switch, fabric.identity(), &payload);
    assert!(SwitchImage::decode(&bytes, fabric).is_ok(), "the contents fit together");
    bytes
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn spreading_is_bit_by_bit_for_every_mask() {
        for mask in 0..1 << 12_u16 {
            let spread = Spread::to(mask);
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
