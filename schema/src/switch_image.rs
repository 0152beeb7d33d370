//! The switch image: one switch's place, its cables, and the T-VLB set of each of its decisions.
//!
//! [`SetView`] is one set in it.

use crate::fields::Fields;
use crate::frame::{self, IDENTITY_AT, Opened};
use crate::image_error::{Fault, ImagePart, Refusal, Value, saturating_u32};
use crate::image_kind::{HEADER_LEN, ImageKind};
use crate::port_map::PortMap;
use crate::{
    Candidates, End, FabricImage, Gate, GlobalPort, GroupId, ImageError, Onward, Port, Queue,
    SetView, SwitchId, SwitchIndex, Weighing,
};
use core::ops::Range;

/// The bit in a decision's set which says that it counts the credits of single virtual channels. The number of the set
/// is in the low six.
pub(crate) const BY_CHANNEL: u8 = 0x80;

/// The bit in a decision's set which says that its VLB packets go on by the cheapest link.
pub(crate) const BY_CHEAPEST: u8 = 0x40;

/// How many sets an image can hold: one per decision.
pub(crate) const MOST_SETS: usize = 3;

/// The other end of a port's cable as the image stores it: the group in the high half and the port in the low half of
/// four bytes, little-endian; for an unused port its own group, and 0.
type PeerCode = [u8; 4];

/// A decision for which a switch has a T-VLB set of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
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

    /// The value of a function for each, called in the order of [`Decision::ALL`].
    pub fn from_fn(mut each: impl FnMut(Decision) -> T) -> Self {
        Self {
            ugal_l: each(Decision::UgalL),
            par_source: each(Decision::ParSource),
            par_second: each(Decision::ParSecond),
        }
    }

    /// One value for all.
    pub fn same(value: T) -> Self
    where
        T: Clone,
    {
        Self::from_fn(|_| value.clone())
    }

    /// A value for each, computed from each.
    pub fn map<U>(&self, mut each: impl FnMut(&T) -> U) -> PerDecision<U> {
        PerDecision::from_fn(|decision| each(self.get(decision)))
    }
}

/// How virtual channels are assigned along a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum VcScheme {
    /// After Won et al., HPCA 2015: VC 0 at injection; one higher on arriving in a new group and
    /// for a second local hop in a row; the same from a local to a global hop.
    #[default]
    Ordered,
    /// The VC is the number of earlier hops.
    PerHop,
    /// A VC for each place of a link on a path: the fewest channels, counted separately for local and for global links.
    Positional,
    /// For groups of leaves and spines ([`LeavesAndSpines`](crate::LeavesAndSpines)): one higher when a packet turns
    /// from a spine's link to a leaf to one from a leaf to a spine, and from one global link to another.
    UpDown,
}

impl VcScheme {
    /// All of them, in the order of their codes in an image.
    pub const ALL: [Self; 4] = [Self::Ordered, Self::PerHop, Self::Positional, Self::UpDown];

    /// Those that prevent deadlock in any Dragonfly.
    pub const FOR_ANY: [Self; 3] = [Self::Ordered, Self::PerHop, Self::Positional];

    /// Why `up-down` is refused.
    pub const UP_DOWN_ELSEWHERE: &'static str = "that needs groups of leaves and spines: nodes at switches without \
        cables to other groups, and links within groups only between those and switches without nodes; accepted \
        here are ordered, per-hop and positional";

    /// The name in fabric files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::PerHop => "per-hop",
            Self::Positional => "positional",
            Self::UpDown => "up-down",
        }
    }
}

/// Which MIN path PAR's second look weighs against VLB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum MinCandidate {
    /// The rest of the packet's own path: over this switch's own global link.
    #[default]
    Kept,
    /// A new one, uniformly among the shortest from this switch. It may leave the group by a link of another switch,
    /// which is a second local hop in the source group (as in the simulator that the authors of Rahman et al., SC'19,
    /// published).
    Shortest,
    /// A new one, over any of the links between the two groups, uniformly.
    Any,
}

impl MinCandidate {
    /// All of them, in the order of their codes in an image.
    pub const ALL: [Self; 3] = [Self::Kept, Self::Shortest, Self::Any];

    /// The name in texts of policies and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Shortest => "shortest",
            Self::Any => "any",
        }
    }
}

/// One decision's entry in an image: the set it draws from, and how it weighs its draws.
#[derive(Clone, Copy)]
struct DecisionEntry {
    /// The number of its set in this image.
    set: u8,
    weighing: Weighing,
}

impl DecisionEntry {
    const NONE: Self = Self {
        set: 0,
        weighing: Weighing {
            threshold: 0,
            candidates: Candidates::ONE,
            gate: Gate::NONE,
            queue: Queue::Port,
            onward: Onward::Drawn,
        },
    };

    fn read(fields: &mut Fields<'_>) -> Self {
        let set = fields.byte();
        let weighing = Weighing {
            threshold: fields.i16(),
            candidates: Candidates::of_code(fields.byte()),
            gate: Gate::of_sixteenths(fields.byte()),
            queue: if set & BY_CHANNEL == 0 { Queue::Port } else { Queue::Channel },
            onward: if set & BY_CHEAPEST == 0 { Onward::Drawn } else { Onward::Cheapest },
        };
        Self { set: set & !(BY_CHANNEL | BY_CHEAPEST), weighing }
    }
}

/// A decoded switch image: a view into its bytes.
#[derive(Clone, Debug)]
pub struct SwitchImage<'a> {
    switch: SwitchId,
    group: GroupId,
    index: SwitchIndex,
    /// The first switch of the group, and the first global port of this switch.
    first: (SwitchId, GlobalPort),
    /// Switches of the group, its global ports' numbers, and nodes on each of its switches.
    of_group: (u16, u16, u16),
    virtual_channels: VcScheme,
    decisions: PerDecision<DecisionEntry>,
    second_min: MinCandidate,
    /// An array and a count rather than a `heapless::Vec`, which has a destructor: with one, a switch would need its
    /// bytes until it is dropped, and could not outlive them unused.
    sets: [SetView<'a>; MOST_SETS],
    set_count: usize,
    /// Per global port of the group the other end of its cable.
    peers: &'a [PeerCode],
    port_map: PortMap<'a>,
    /// Whether every global port of this switch has a cable.
    fully_cabled: bool,
    /// How many of its local and global ports have a link.
    link_count: u16,
    fabric: FabricImage<'a>,
}

impl core::fmt::Debug for DecisionEntry {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "set {}, {:?}", self.set, self.weighing)
    }
}

impl<'a> SwitchImage<'a> {
    /// Checks an image against the fabric image that it goes with, and returns a view of it.
    ///
    /// # Errors
    /// The first fault in the bytes, and where. All byte strings end in `Ok` or `Err`.
    #[inline(never)]
    pub fn decode(bytes: &'a [u8], fabric: &FabricImage<'a>) -> Result<Self, ImageError> {
        // In its place from the beginning: it is too large to move.
        let mut image = Ok(Self {
            switch: SwitchId(0),
            group: GroupId(0),
            index: SwitchIndex(0),
            first: (SwitchId(0), GlobalPort(0)),
            of_group: (0, 0, 0),
            virtual_channels: VcScheme::Ordered,
            decisions: PerDecision {
                ugal_l: DecisionEntry::NONE,
                par_source: DecisionEntry::NONE,
                par_second: DecisionEntry::NONE,
            },
            second_min: MinCandidate::Kept,
            sets: [SetView::NONE; MOST_SETS],
            set_count: 0,
            peers: &[],
            port_map: PortMap::NONE,
            fully_cabled: false,
            link_count: 0,
            fabric: *fabric,
        });
        let mut refusal = Refusal::new(ImageKind::Switch);
        if let Ok(empty) = &mut image
            && empty.fill(bytes, &mut refusal).is_none()
        {
            image = Err(refusal.error());
        }
        image
    }

    /// Reads the image over an empty one.
    fn fill(&mut self, bytes: &'a [u8], refusal: &mut Refusal) -> Option<()> {
        let Opened { identity, payload, has_bit: has_port_map } =
            frame::open(bytes, ImageKind::Switch, refusal)?;
        let needed = self.fabric.identity();
        if identity != needed {
            return refusal.fail_with_wide(Fault::Identity, IDENTITY_AT, identity, needed);
        }
        let mut fields = Fields::new(payload);
        self.read(&mut fields);
        let mut rest = fields.rest()?;
        let df = self.fabric.dragonfly();
        if !df.has_switch(self.switch) {
            return refusal.out_of_range(Value::Switch, HEADER_LEN, self.switch.0.into());
        }
        for decision in Decision::ALL {
            let set = self.set_number(decision);
            if set >= self.set_count {
                return refusal.out_of_range(Value::SetOfDecision, HEADER_LEN, saturating_u32(set));
            }
            let candidates = self.weighing(decision).candidates;
            for (value, found) in
                [(Value::MinCandidates, candidates.min()), (Value::VlbCandidates, candidates.vlb())]
            {
                if found == 0 || found > Candidates::MOST {
                    return refusal.out_of_range(value, HEADER_LEN, found.into());
                }
            }
        }
        (self.group, self.index) = df.place(self.switch);
        self.first = (df.switch(self.group, SwitchIndex(0)), df.global_port(self.index, 0));
        let kind = df.kind_of(self.group);
        // At most 2¹².
        let ports = u32::from(kind.a).wrapping_mul(df.h());
        self.of_group = (kind.a, (ports & 0xffff) as u16, kind.p);

        let end = HEADER_LEN + payload.len();
        let peers_at = end - rest.len();
        let needed = size_of::<PeerCode>() * df.ports_per_group() as usize;
        let Some((peers, behind)) = rest.split_at_checked(needed) else {
            return refusal.too_short(ImagePart::Peers, peers_at, rest.len(), needed);
        };
        (self.peers, rest) = (peers.as_chunks().0, behind);
        for (number, set) in (0..).zip(self.sets.iter_mut().take(self.set_count)) {
            set.check(number, refusal)?;
            set.take_sections(&mut rest, (df, self.group), end, refusal)?;
        }
        if has_port_map {
            self.port_map = PortMap::take(&mut rest, (df, self.group), end, refusal)?;
        }
        if !rest.is_empty() {
            return refusal.fail(Fault::Trailing, end - rest.len(), saturating_u32(rest.len()));
        }
        self.check_peers(peers_at, refusal)
    }

    /// Reads the fixed part.
    fn read(&mut self, fields: &mut Fields<'_>) {
        self.switch = SwitchId(fields.u16());
        self.virtual_channels = match fields.below(VcScheme::ALL.len()) {
            0 => VcScheme::Ordered,
            1 => VcScheme::PerHop,
            2 => VcScheme::Positional,
            _ => VcScheme::UpDown,
        };
        let PerDecision { ugal_l, par_source, par_second } = &mut self.decisions;
        for decision in [ugal_l, par_source, par_second] {
            *decision = DecisionEntry::read(fields);
        }
        self.second_min = match fields.below(MinCandidate::ALL.len()) {
            0 => MinCandidate::Kept,
            1 => MinCandidate::Shortest,
            _ => MinCandidate::Any,
        };
        self.set_count = fields.below(MOST_SETS + 1);
        for set in self.sets.iter_mut().take(self.set_count) {
            set.read(fields);
        }
    }

    /// Checks that the group's cables are those of the fabric's wiring; counts those of this switch.
    fn check_peers(&mut self, base: usize, refusal: &mut Refusal) -> Option<()> {
        for (port, code) in (0..).map(GlobalPort).zip(self.peers) {
            let end = End { group: self.group, port };
            let found = u32::from_le_bytes(*code);
            if found != peer_code(&self.fabric, end) {
                let offset = base + size_of::<PeerCode>() * port.as_usize();
                return refusal.out_of_range(Value::Peer, offset, found);
            }
        }
        self.count_links();
        Some(())
    }

    /// Counts the live links of this switch.
    fn count_links(&mut self) {
        let df = self.fabric.dragonfly();
        let ports = (0..(df.h() & 0xffff) as u16).map(|slot| df.global_port(self.index, slot));
        let cables = ports
            .filter(|&port| self.has_live_cable(port))
            .fold(0_u16, |count, _| count.wrapping_add(1));
        self.fully_cabled = u32::from(cables) == df.h();
        // At most 64·255 + 4096.
        self.link_count = self.local_link_count().wrapping_add(cables);
    }

    /// From now on the same parts are dead as in another view of its fabric.
    pub fn take_faults_of(&mut self, fabric: &FabricImage<'a>) {
        self.fabric.take_faults_of(fabric);
        self.count_links();
    }

    /// How many links it has to other switches of its group.
    fn local_link_count(&self) -> u16 {
        let df = self.fabric.dragonfly();
        if self.fabric.group_links().is_single() {
            return self.of_group.0.wrapping_sub(1);
        }
        let others = df.indices(self.group).filter(|&other| other != self.index);
        let links = others.map(|other| self.fabric.local_links(self.group, self.index, other));
        // At most 64 to each.
        links.fold(0, |sum, links| sum + (links & 0xff) as u16)
    }

    /// The switch.
    #[inline]
    pub const fn switch(&self) -> SwitchId {
        self.switch
    }

    /// Its group.
    #[inline]
    pub const fn group(&self) -> GroupId {
        self.group
    }

    /// Its index in the group.
    #[inline]
    pub const fn index(&self) -> SwitchIndex {
        self.index
    }

    /// The index of a switch, if it is one of this switch's group.
    #[inline]
    pub const fn index_in_group(&self, switch: SwitchId) -> Option<SwitchIndex> {
        // No division: a number before the group wraps around to beyond it.
        let index = switch.0.wrapping_sub(self.first.0.0);
        if index < self.of_group.0 { Some(SwitchIndex((index & 0xff) as u8)) } else { None }
    }

    /// Switches of this switch's group.
    #[inline]
    pub const fn switches_of_group(&self) -> u32 {
        self.of_group.0 as u32
    }

    /// Nodes of this switch.
    #[inline]
    pub const fn node_count(&self) -> u32 {
        self.of_group.2 as u32
    }

    /// Whether this switch's group has a switch of this index.
    #[inline]
    pub const fn has_index(&self, index: SwitchIndex) -> bool {
        (index.0 as u16) < self.of_group.0
    }

    /// Whether this switch's group has a switch on which a global port of this number would be.
    #[inline]
    pub const fn has_global_port(&self, port: GlobalPort) -> bool {
        port.0 < self.of_group.1
    }

    /// The slot of a global port of the group, if the port is on this switch.
    #[inline]
    pub const fn own_slot(&self, port: GlobalPort) -> Option<u16> {
        let slot = port.0.wrapping_sub(self.first.1.0);
        if (slot as u32) < self.fabric.dragonfly().h() { Some(slot) } else { None }
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
        let df = self.fabric.dragonfly();
        if u32::from(slot) < df.h() { self.behind(df.global_port(self.index, slot)) } else { None }
    }

    /// The other end of the cable of a global port of this switch's group; `None` for a port that
    /// is unused or does not exist.
    #[inline]
    pub fn behind(&self, port: GlobalPort) -> Option<End> {
        let code = u32::from_le_bytes(*self.peers.get(port.as_usize())?);
        let group = GroupId((code >> 16) as u16);
        let port = GlobalPort((code & 0xffff) as u16);
        (group != self.group).then_some(End { group, port })
    }

    /// The global ports of this switch whose cables lead to another group, in the order of their slots.
    #[inline]
    pub fn own_links_to(&self, group: GroupId) -> impl Iterator<Item = GlobalPort> {
        let (first, h) = (self.first.1.0, self.fabric.dragonfly().h() as usize);
        let own = self.peers.get(usize::from(first)..usize::from(first) + h).unwrap_or(&[]);
        let leads_there = move |code: &[u8; 4]| u32::from_le_bytes(*code) >> 16 == group.0.into();
        let found = (first..).zip(own).filter(move |&(_, code)| leads_there(code));
        found.map(|(port, _)| GlobalPort(port))
    }

    /// How many live links this switch has to other switches: its local ones, and its global ports with a cable.
    #[inline]
    pub const fn link_count(&self) -> u16 {
        self.link_count
    }

    /// The numbers of the physical ports for links to other switches, whether or not they have one.
    #[inline]
    pub const fn link_ports(&self) -> Range<u16> {
        let df = self.fabric.dragonfly();
        // At most 256 + 255 + 4096.
        (df.p() & 0xffff) as u16..(df.radix() & 0xffff) as u16
    }

    /// Whether a global port of this switch has a live cable.
    ///
    /// Precondition: the port is on this switch. Otherwise the result is unspecified; it never panics.
    #[inline]
    pub fn has_cable(&self, port: GlobalPort) -> bool {
        self.fully_cabled || self.has_live_cable(port)
    }

    fn has_live_cable(&self, port: GlobalPort) -> bool {
        let fabric = &self.fabric;
        self.behind(port).is_some()
            && (fabric.is_faultless() || fabric.has_live_cable(End { group: self.group, port }))
    }

    /// The machine's own number of a port of this switch, if the image has it.
    #[inline]
    pub fn physical_number(&self, port: Port) -> Option<u8> {
        self.port_map.number(port)
    }

    /// The machine's number of each port, if known, by port; empty for an image without a port map.
    pub fn physical_numbers(&self) -> impl Iterator<Item = Option<u8>> {
        self.port_map.numbers()
    }

    /// Whether every global port of this switch has a live cable.
    #[inline]
    pub const fn is_fully_cabled(&self) -> bool {
        self.fully_cabled
    }

    /// The number of a decision's set, counted from 0; decisions may share one.
    #[inline]
    pub fn set_number(&self, decision: Decision) -> usize {
        usize::from(self.decisions.get(decision).set)
    }

    /// How many sets the image holds.
    pub const fn set_count(&self) -> usize {
        self.set_count
    }

    /// The set of a decision.
    #[inline]
    pub fn set(&self, decision: Decision) -> &SetView<'a> {
        // Without an index there is no bounds check that the optimiser would have to remove.
        let [first, second, third] = &self.sets;
        match self.set_number(decision) {
            0 => first,
            1 => second,
            _ => third,
        }
    }

    /// How a decision weighs MIN against VLB.
    #[inline]
    pub const fn weighing(&self, decision: Decision) -> &Weighing {
        &self.decisions.get(decision).weighing
    }

    /// The threshold T of a decision.
    #[inline]
    pub const fn threshold(&self, decision: Decision) -> i16 {
        self.weighing(decision).threshold
    }

    /// The MIN path that PAR's second look weighs.
    #[inline]
    pub const fn second_min(&self) -> MinCandidate {
        self.second_min
    }
}

/// The peer of a port that exists, as the image stores it.
pub(crate) fn peer_code(fabric: &FabricImage<'_>, end: End) -> u32 {
    let Some((group, k)) = fabric.link_behind(end) else { return u32::from(end.group.0) << 16 };
    let (_, port) = fabric.ends(fabric.links_between(end.group, group), k);
    u32::from(group.0) << 16 | u32::from(port.0)
}
