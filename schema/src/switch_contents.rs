//! Writing a switch image.

use crate::frame;
use crate::image_kind::ImageKind;
use crate::port_map::UNKNOWN;
use crate::set_view::{LEVEL_BITS, RuleBody};
use crate::switch_image::{BY_CHANNEL, BY_CHEAPEST, MOST_SETS, peer_code};
use crate::{
    Dragonfly, End, FabricImage, Level, MinCandidate, Onward, PerDecision, Queue, SetRule,
    ShapeSet, SwitchId, SwitchImage, VcScheme, Weighing,
};
use alloc::vec::Vec;
use serde::Serialize;

/// The entry of one decision.
#[derive(Clone, Copy, Serialize)]
struct DecisionBody {
    /// The number of its set in this image, [`BY_CHANNEL`] and [`BY_CHEAPEST`].
    set: u8,
    /// T of UGAL-L: MIN is taken if its queue times its hops is at most VLB's plus T.
    threshold: i16,
    /// How many candidates it draws: MIN in the high half, VLB in the low half.
    candidates: u8,
    /// When VLB is weighed, in sixteenths; 0 for always.
    gate: u8,
}

impl DecisionBody {
    const fn of(set: u8, weighing: Weighing) -> Self {
        let Weighing { threshold, candidates, gate, queue, onward } = weighing;
        let set = match queue {
            Queue::Port => set,
            Queue::Channel => set | BY_CHANNEL,
        };
        let set = match onward {
            Onward::Drawn => set,
            Onward::Cheapest => set | BY_CHEAPEST,
        };
        Self { set, threshold, candidates: candidates.code(), gate: gate.sixteenths() }
    }
}

/// A set's fixed part.
#[derive(Clone, Copy, Serialize)]
struct SetBody {
    rule: RuleBody,
    seed: u64,
    /// Shapes that every destination in another group has.
    always: ShapeSet,
    /// Shapes that some destinations have: one column of the presence section each.
    sometimes: ShapeSet,
    /// Whether the set has a section of levels.
    thinned: bool,
}

/// The fixed part of the payload, in postcard.
#[derive(Serialize)]
struct SwitchBody {
    switch: u16,
    virtual_channels: VcScheme,
    decisions: PerDecision<DecisionBody>,
    second_min: MinCandidate,
    sets: Vec<SetBody>,
}

/// The contents of a switch image.
///
/// # Example
/// ```
/// use tvlb_schema::{
///     Decision, Dragonfly, End, FabricImage, GlobalPort, GroupId, MinCandidate, PerDecision,
///     SetContents, SetRule, ShapeSet, SwitchId, SwitchContents, SwitchImage, VcScheme, Weighing,
///     encode_fabric_image, encode_switch_image,
/// };
///
/// let df = Dragonfly::new(1, 2, 1, 3)?;
/// let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
/// let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
/// let fabric = encode_fabric_image(&df, &cables);
/// let fabric = FabricImage::decode(&fabric)?;
///
/// // One set for all three decisions, with T = 0, one candidate of each kind and no gate.
/// let rule = SetRule::whole(ShapeSet::ALL);
/// let contents = SwitchContents {
///     switch: SwitchId(4),
///     virtual_channels: VcScheme::Ordered,
///     decisions: PerDecision::same((0, Weighing::default())),
///     second_min: MinCandidate::Kept,
///     sets: vec![SetContents { rule, levels: Vec::new(), shapes_to: Vec::new() }],
///     physical_numbers: Vec::new(),
/// };
/// let bytes = encode_switch_image(&fabric, &contents);
///
/// let image = SwitchImage::decode(&bytes, &fabric)?;
/// assert_eq!((image.group(), image.threshold(Decision::UgalL)), (GroupId(2), 0));
/// assert_eq!(image.set(Decision::UgalL).rule(), &rule);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SwitchContents {
    /// The switch.
    pub switch: SwitchId,
    /// How it assigns virtual channels.
    pub virtual_channels: VcScheme,
    /// For each decision the number of its set in `sets`, and how it weighs its draws.
    pub decisions: PerDecision<(u8, Weighing)>,
    /// The MIN path that PAR's second look weighs.
    pub second_min: MinCandidate,
    /// One to three sets.
    pub sets: Vec<SetContents>,
    /// For each port its number on the machine, 0 to 254, if known; no two are the same. If it is empty, or none is
    /// known, the image has no port map.
    pub physical_numbers: Vec<Option<u8>>,
}

/// A set in a switch image.
#[derive(Clone, Debug)]
pub struct SetContents {
    /// The rule.
    pub rule: SetRule,
    /// For each global port of the switch's group the level of the routes that leave through it; empty if none is
    /// thinned.
    pub levels: Vec<Level>,
    /// For a rule that draws by shape: which shapes have a kept route to each destination switch, by number, after
    /// thinning. Entries for the switch's own group are ignored. Else empty.
    pub shapes_to: Vec<ShapeSet>,
}

/// [`SetContents::shapes_to`], given a destination's shapes: an entry for each number, without shapes if it is in a
/// gap.
pub fn shapes_by_number(
    df: &Dragonfly,
    rule: &SetRule,
    mut shapes_of: impl FnMut(SwitchId) -> ShapeSet,
) -> Vec<ShapeSet> {
    if !rule.is_by_shape() {
        return Vec::new();
    }
    let mut shapes = alloc::vec![ShapeSet::EMPTY; df.switch_numbers() as usize];
    for destination in df.switches() {
        if let Some(entry) = shapes.get_mut(destination.as_usize()) {
            *entry = shapes_of(destination);
        }
    }
    shapes
}

/// The fixed part of a set in the image.
fn set_body(df: &Dragonfly, group: crate::GroupId, set: &SetContents) -> SetBody {
    let (mut always, mut ever) = (set.rule.shapes(), ShapeSet::EMPTY);
    if set.rule.is_by_shape() {
        assert_eq!(set.shapes_to.len(), df.switch_numbers() as usize, "one entry for each switch");
        let others = df.groups().filter(|&other| other != group);
        for destination in others.flat_map(|other| df.switches_in(other)) {
            let shapes = set.shapes_to[destination.as_usize()];
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
    let (rule, seed) = (RuleBody::of(&set.rule), set.rule.seed);
    SetBody { rule, seed, always, sometimes: ever.without(always), thinned }
}

/// Writes a switch image.
///
/// # Panics
/// If the contents contradict themselves: no set or more than three, a decision without a set, a rule out of range, or
/// `shapes_to`, `levels` or `physical_numbers` of a wrong length.
pub fn encode_switch_image(fabric: &FabricImage<'_>, contents: &SwitchContents) -> Vec<u8> {
    let df = fabric.dragonfly();
    let (group, _) = df.place(contents.switch);
    let sets: Vec<SetBody> = contents.sets.iter().map(|set| set_body(df, group, set)).collect();
    assert!(sets.len() <= MOST_SETS, "at most three sets");
    let body = SwitchBody {
        switch: contents.switch.0,
        virtual_channels: contents.virtual_channels,
        decisions: contents.decisions.map(|&(set, weighing)| DecisionBody::of(set, weighing)),
        second_min: contents.second_min,
        sets,
    };
    let mut payload =
        postcard::to_extend(&body, Vec::new()).expect("plain numbers into a vector that grows");

    let peers = df.global_ports().map(|port| peer_code(fabric, End { group, port }));
    payload.extend(peers.flat_map(u32::to_le_bytes));
    for (set, contents) in body.sets.iter().zip(&contents.sets) {
        let columns = |destination: SwitchId| {
            if df.place(destination).0 == group || !df.has_switch(destination) {
                return 0;
            }
            let present = contents.shapes_to[destination.as_usize()];
            let bits = set.sometimes.iter().enumerate();
            bits.fold(0, |bits, (column, shape)| {
                bits | u32::from(present.contains(shape)) << column
            })
        };
        let numbers = (0..df.switch_numbers()).filter_map(|n| u16::try_from(n).ok().map(SwitchId));
        if !set.sometimes.is_empty() {
            crate::packed::append(&mut payload, set.sometimes.len(), numbers.map(columns));
        }
        if set.thinned {
            let levels = contents.levels.iter().map(|level| level.number().into());
            crate::packed::append(&mut payload, LEVEL_BITS, levels);
        }
    }
    let mut parts = 0;
    if contents.physical_numbers.iter().any(Option::is_some) {
        assert_eq!(contents.physical_numbers.len(), df.radix() as usize, "one entry for each port");
        parts |= frame::PORT_MAP;
        payload.extend(contents.physical_numbers.iter().map(|number| number.unwrap_or(UNKNOWN)));
    }
    let bytes = frame::close((ImageKind::Switch, parts), fabric.identity(), &payload);
    assert!(
        SwitchImage::decode(&bytes, fabric).err().is_none_or(|error| error.is_left_out()),
        "the contents fit together"
    );
    bytes
}
