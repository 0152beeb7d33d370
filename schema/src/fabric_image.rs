//! The fabric image: sizes and wiring, the same for every switch.
//!
//! The wiring is listed twice, each time for one look-up in constant time: the cables of every pair of groups ("the
//! k-th link from i to j"), and for every port its pair and k ("where does this port lead"). Decoding proves that the
//! two agree, so readers need not check.

use crate::fault_image::{FabricPlan, Faults, LocalLink};
use crate::fields::Fields;
use crate::frame::{self, IDENTITY_AT, Opened};
use crate::image_error::{Fault, ImagePart, Refusal, Value, saturating_u32};
use crate::image_kind::{HEADER_LEN, ImageKind};
use crate::local_links::{FewerLinks, FewerPairs};
use crate::packed::{PackedArray, width_for};
use crate::plain::Feature;
use crate::{
    ANY_FABRIC, Dragonfly, End, GlobalPort, GroupId, GroupKind, GroupLinks, ImageError, Port,
    SwitchId, SwitchIndex, limits,
};

/// The most global ports of a switch whose links to each group are counted: the time grows with their
/// square.
const MOST_COUNTED_PORTS: u32 = 64;

/// The fixed part of the payload, in postcard.
#[cfg_attr(feature = "alloc", derive(serde::Serialize))]
struct Body {
    p: u16,
    a: u16,
    h: u16,
    g: u16,
    /// All cables.
    cables: u32,
    /// The most links that a pair of groups has; sets the width of k.
    most_links: u16,
    /// The number of links of every pair if all have the same, so that no table of starts is needed; else 0.
    even_links: u16,
}

impl Body {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            p: fields.u16(),
            a: fields.u16(),
            h: fields.u16(),
            g: fields.u16(),
            cables: fields.u32(),
            most_links: fields.u16(),
            even_links: fields.u16(),
        }
    }
}

/// A decoded fabric image: a view into its bytes.
#[derive(Clone, Copy, Debug)]
pub struct FabricImage<'a> {
    dragonfly: Dragonfly,
    identity: u64,
    cable_count: u32,
    most_links: u32,
    even_links: u32,
    /// Where the cables of each pair i < j begin, pairs in the order (0,1), (0,2), …; empty if even.
    starts: PackedArray<'a>,
    /// For each cable the port in the lower group, then that in the higher; by pair, then sorted.
    cables: PackedArray<'a>,
    /// For each port of the fabric k and, above it, the peer group; the own group for an unused port.
    ports: PackedArray<'a>,
    /// The switches of a group that share fewer links than others.
    fewer: FewerPairs<'a>,
    /// How switches of a group are joined in the plan.
    planned: GroupLinks,
    /// The dead parts.
    faults: Faults<'a>,
    /// The same if nothing is dead; else links may be missing.
    live: GroupLinks,
    /// No switch has more links than this to one other group.
    most_of_switch: u32,
    port_bits: u32,
    port_mask: u32,
    link_bits: u32,
    link_mask: u32,
}

/// The cables between two groups, as seen from one of them.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    first: u32,
    count: u32,
    /// Seen from the lower group.
    forward: bool,
}

impl Links {
    /// How many there are.
    #[inline]
    pub const fn count(&self) -> u32 {
        self.count
    }
}

impl<'a> FabricImage<'a> {
    /// Checks an image and returns a view of it.
    ///
    /// # Errors
    /// The first fault in the bytes, and where. All byte strings end in `Ok` or `Err`.
    #[inline(never)]
    pub fn decode(bytes: &'a [u8]) -> Result<Self, ImageError> {
        // In its place from the beginning: it is too large to move.
        let mut image = Ok(Self::EMPTY);
        let mut refusal = Refusal::new(ImageKind::Fabric);
        if let Ok(empty) = &mut image
            && empty.fill(bytes, &mut refusal).is_none()
        {
            image = Err(refusal.error());
        }
        image
    }

    const EMPTY: Self = Self {
        dragonfly: Dragonfly::NONE,
        identity: 0,
        cable_count: 0,
        most_links: 0,
        even_links: 0,
        starts: PackedArray::EMPTY,
        cables: PackedArray::EMPTY,
        ports: PackedArray::EMPTY,
        fewer: FewerPairs::EMPTY,
        planned: GroupLinks::Single,
        faults: Faults::NONE,
        live: GroupLinks::Single,
        most_of_switch: 0,
        port_bits: 0,
        port_mask: 0,
        link_bits: 0,
        link_mask: 0,
    };

    /// Reads the image over an empty one.
    fn fill(&mut self, bytes: &'a [u8], refusal: &mut Refusal) -> Option<()> {
        let Opened { identity, payload, .. } = frame::open(bytes, ImageKind::Fabric, refusal)?;
        self.identity = frame::identity_of(payload);
        if identity != self.identity {
            return refusal.fail_with_wide(Fault::Identity, IDENTITY_AT, identity, self.identity);
        }
        let mut fields = Fields::new(payload);
        let body = Body::read(&mut fields);
        self.fill_sizes(&body, &mut fields, refusal)?;
        let fewer = fields.u32();
        let rest = fields.rest()?;
        self.check_counts(&body, fewer, refusal)?;
        self.fill_wiring(rest, fewer, HEADER_LEN + payload.len(), refusal)?;
        self.count_links_of_switches();
        self.set_faults(Faults::NONE);
        Some(())
    }

    /// Reads the kinds of groups, and takes the sizes of the fabric.
    fn fill_sizes(
        &mut self,
        body: &Body,
        fields: &mut Fields<'_>,
        refusal: &mut Refusal,
    ) -> Option<()> {
        let &Body { p, a, h, g, .. } = body;
        // The kinds of groups, none if the sizes are enough: one wiring has one image.
        let kinds = fields.below(limits::RUNS + 1);
        fields.rest()?;
        if let Err(fault) = self.dragonfly.resize([p, a, h, g].map(u32::from)) {
            let low = u64::from(u32::from(a) << 16 | u32::from(p));
            let high = u64::from(u32::from(g) << 16 | u32::from(h));
            let found = high << 32 | low;
            return refusal.fail_with_wide(Fault::Dragonfly(fault), HEADER_LEN, found, 0);
        }
        if kinds == 0 {
            return Some(());
        }
        if !ANY_FABRIC {
            // A single kind is stated only if its local links are not single.
            let feature = if kinds > 1 { Feature::UnequalGroups } else { Feature::LocalLinks };
            return refusal.fail(Fault::LeftOut(feature), HEADER_LEN, saturating_u32(kinds));
        }
        let next = || {
            let kind = GroupKind::new(fields.u16(), fields.u16(), fields.u16(), fields.u16());
            kind.with_local_links(fields.u16())
        };
        let taken = self.dragonfly.take_kinds(kinds, next);
        let is_needless = kinds == 1 && self.dragonfly.has_single_links();
        if let Err(kind) = if is_needless { Err(0) } else { taken } {
            fields.rest()?;
            return refusal.out_of_range(Value::GroupKinds, HEADER_LEN, kind);
        }
        Some(())
    }

    /// Checks how many cables and links there are, and takes their numbers.
    fn check_counts(&mut self, body: &Body, fewer: u32, refusal: &mut Refusal) -> Option<()> {
        let df = &self.dragonfly;
        if !ANY_FABRIC && (fewer > 0 || !df.has_single_links()) {
            return refusal.fail(Fault::LeftOut(Feature::LocalLinks), HEADER_LEN, fewer);
        }
        let cables = body.cables;
        let (most_links, even_links) = (u32::from(body.most_links), u32::from(body.even_links));
        if cables > df.port_count() / 2 {
            return refusal.out_of_range(Value::Cables, HEADER_LEN, cables);
        }
        if most_links > df.ports_per_group() {
            return refusal.out_of_range(Value::MostLinks, HEADER_LEN, most_links);
        }
        // Below 2³⁶: at most 2¹² links of each of 2²⁴ pairs.
        if even_links != 0
            && (u64::from(even_links) * u64::from(self.pairs()) != cables.into()
                || even_links != most_links)
        {
            return refusal.out_of_range(Value::EvenLinks, HEADER_LEN, even_links);
        }
        (self.cable_count, self.most_links, self.even_links) = (cables, most_links, even_links);
        if !ANY_FABRIC && !self.has_equal_links() {
            return refusal.fail(Fault::LeftOut(Feature::UnevenWirings), HEADER_LEN, cables);
        }
        Some(())
    }

    /// Takes the sections, which fill the image up to byte `end`, and checks that they agree.
    fn fill_wiring(
        &mut self,
        mut rest: &'a [u8],
        fewer: u32,
        end: usize,
        refusal: &mut Refusal,
    ) -> Option<()> {
        let df = &self.dragonfly;
        self.port_bits = width_for(df.ports_per_group() - 1);
        self.link_bits = width_for(self.most_links.saturating_sub(1));
        self.port_mask = (1 << self.port_bits) - 1;
        self.link_mask = (1 << self.link_bits) - 1;
        let starts = if self.even_links == 0 { self.pairs() + 1 } else { 0 };
        let starts = (width_for(self.cable_count), starts);
        let ports = (width_for(df.g() - 1) + self.link_bits, df.port_numbers());
        let cables = (2 * self.port_bits, self.cable_count);
        let starts_at = end - rest.len();
        self.starts = PackedArray::take(&mut rest, starts, ImagePart::Starts, end, refusal)?;
        let cables_at = end - rest.len();
        self.cables = PackedArray::take(&mut rest, cables, ImagePart::Cables, end, refusal)?;
        let ports_at = end - rest.len();
        self.ports = PackedArray::take(&mut rest, ports, ImagePart::Ports, end, refusal)?;
        if ANY_FABRIC && fewer > 0 {
            self.fewer = FewerPairs::take(&mut rest, df, fewer, end, refusal)?;
        }
        if ANY_FABRIC {
            self.planned = self.fewer.group_links(df);
        }
        if !rest.is_empty() {
            return refusal.fail(Fault::Trailing, end - rest.len(), saturating_u32(rest.len()));
        }
        self.check_starts(starts_at, refusal)?;
        self.check_cables(cables_at, refusal)?;
        self.check_ports(ports_at, refusal)
    }

    /// How many pairs of groups there are.
    #[inline]
    const fn pairs(&self) -> u32 {
        let g = self.dragonfly.g();
        g * (g - 1) / 2
    }

    /// Counts the links from each switch to each other group, unless switches have so many ports that this would take
    /// long. The number of a port's link counts those of earlier ports on the same switch to the same group.
    fn count_links_of_switches(&mut self) {
        let (h, mut most) = (self.dragonfly.h(), 0);
        if h > MOST_COUNTED_PORTS {
            self.most_of_switch = self.most_links.min(h);
            return;
        }
        let peer = |number| self.ports.get(number) >> self.link_bits;
        let mut number = 0;
        for group in self.dragonfly.group_numbers() {
            for port in 0..self.dragonfly.ports_per_group() {
                let to = peer(number);
                if to != group.0.into() {
                    let before = number - port.checked_rem(h).unwrap_or(0)..number;
                    let links = before.fold(1, |links, at| links + u32::from(peer(at) == to));
                    most = most.max(links);
                }
                number += 1;
            }
        }
        self.most_of_switch = most;
    }

    /// Checks that starts rise from 0 to the number of cables, that the fullest pair has `most_links`, and that some
    /// pair has fewer: otherwise there would be no starts.
    fn check_starts(&self, base: usize, refusal: &mut Refusal) -> Option<()> {
        if !ANY_FABRIC || self.even_links != 0 {
            return Some(());
        }
        let pairs = self.pairs();
        let (mut before, mut least, mut most) = (0, u32::MAX, 0);
        for pair in 0..=pairs {
            let start = self.starts.get(pair);
            let wrong = match pair {
                0 if start != 0 => Value::FirstStart,
                _ if start < before => Value::FallingStart,
                _ if pair == pairs && start != self.cable_count => Value::LastStart,
                _ => {
                    if pair > 0 {
                        least = least.min(start - before);
                    }
                    most = most.max(start - before);
                    before = start;
                    continue;
                }
            };
            return refusal.out_of_range(wrong, base + self.starts.byte_of(pair), start);
        }
        if most != self.most_links {
            return refusal.out_of_range(Value::MostLinksOfStarts, HEADER_LEN, self.most_links);
        }
        if least == most && most > 0 {
            return refusal.out_of_range(Value::EvenLinks, HEADER_LEN, 0);
        }
        Some(())
    }

    /// Checks that every cable joins existing ports, and that the cables of a pair are sorted.
    fn check_cables(&self, base: usize, refusal: &mut Refusal) -> Option<()> {
        let df = &self.dragonfly;
        let pairs = df.g() * (df.g() - 1) / 2;
        for pair in 0..pairs {
            let (start, count) = self.cables_of(pair);
            let mut before = None;
            for number in start..start + count {
                let ends = self.cable(number);
                let wrong = if !df.has_global_port(ends.0) || !df.has_global_port(ends.1) {
                    Value::CableEnds
                } else if before >= Some(ends) {
                    Value::CableOrder
                } else {
                    before = Some(ends);
                    continue;
                };
                let found = self.cables.get(number);
                return refusal.out_of_range(wrong, base + self.cables.byte_of(number), found);
            }
        }
        Some(())
    }

    /// Checks that every used port is the end of the cable that it names, and that each cable's ends are used: each
    /// names a different end, so it is enough to compare their numbers.
    fn check_ports(&self, base: usize, refusal: &mut Refusal) -> Option<()> {
        let df = &self.dragonfly;
        let (mut used, mut number) = (0, 0);
        for group in df.group_numbers() {
            for port in df.global_ports() {
                let entry = self.ports.get(number);
                let (peer, k) = (entry >> self.link_bits, entry & self.link_mask);
                let wrong = if peer >= df.g() {
                    Some(Value::PortGroup)
                } else if peer != group.0.into() && !df.has_global_port_of(group, port) {
                    Some(Value::PortOfKind)
                } else if peer == u32::from(group.0) {
                    (k != 0).then_some(Value::UnusedPort)
                } else {
                    used += 1;
                    #[expect(clippy::cast_possible_truncation, reason = "below g")]
                    let links = self.links_between(group, GroupId(peer as u16));
                    let is_its_end = k < links.count && self.ends(links, k).0 == port;
                    (!is_its_end).then_some(Value::PortCable)
                };
                if let Some(wrong) = wrong {
                    return refusal.out_of_range(wrong, base + self.ports.byte_of(number), entry);
                }
                number += 1;
            }
        }
        if used != 2 * self.cable_count {
            return refusal.out_of_range(Value::UsedPorts, base, used);
        }
        Some(())
    }

    /// The sizes.
    #[inline]
    pub const fn dragonfly(&self) -> &Dragonfly {
        &self.dragonfly
    }

    /// The fabric's identity: switch images carry it too.
    #[inline]
    pub const fn identity(&self) -> u64 {
        self.identity
    }

    /// All cables of the fabric.
    #[inline]
    pub const fn cable_count(&self) -> u32 {
        self.cable_count
    }

    /// The most links that a pair of groups has.
    #[inline]
    pub const fn most_links(&self) -> u32 {
        self.most_links
    }

    /// Whether every global port has a cable and all pairs of groups share the same number.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub const fn is_regular(&self) -> bool {
        !ANY_FABRIC || self.has_equal_links()
    }

    /// As [`Self::is_regular`], for code that the datapath need not contain.
    #[inline]
    const fn has_equal_links(&self) -> bool {
        self.even_links != 0 && 2 * self.cable_count == self.dragonfly.port_numbers()
    }

    /// From now on exactly the parts that a fault image of this fabric lists are dead.
    ///
    /// # Errors
    /// The first fault in the bytes, and where; nothing changes. All byte strings end in `Ok` or `Err`.
    pub fn install_faults(&mut self, bytes: &'a [u8]) -> Result<(), ImageError> {
        let faults = Faults::decode(bytes, &self.plan())?;
        self.set_faults(faults);
        Ok(())
    }

    /// The parts that can be dead.
    pub(crate) const fn plan(&self) -> FabricPlan<'_> {
        FabricPlan {
            dragonfly: &self.dragonfly,
            identity: self.identity,
            cables: self.cable_count,
            fewer: &self.fewer,
        }
    }

    /// From now on the same parts are dead as in another view of this fabric.
    pub(crate) fn take_faults_of(&mut self, other: &Self) {
        self.set_faults(other.faults);
    }

    fn set_faults(&mut self, faults: Faults<'a>) {
        self.faults = faults;
        self.live = if self.is_faultless() { self.planned } else { GroupLinks::Missing };
    }

    /// The epoch of the fault image in use; 0 without one.
    pub const fn epoch(&self) -> u32 {
        self.faults.epoch()
    }

    /// Whether packets in transit still cross the parts in the fault image: see [`FaultSet::is_draining`].
    ///
    /// [`FaultSet::is_draining`]: crate::FaultSet::is_draining
    pub const fn is_draining(&self) -> bool {
        self.faults.is_draining()
    }

    /// The planned fabric, in which nothing is dead.
    #[must_use]
    pub fn planned(&self) -> Self {
        let mut planned = *self;
        planned.set_faults(Faults::NONE);
        planned
    }

    /// Whether nothing is dead.
    #[inline]
    pub const fn is_faultless(&self) -> bool {
        !ANY_FABRIC || self.faults.is_empty()
    }

    /// The switches that are dead, in order.
    pub fn dead_switches(&self) -> impl Iterator<Item = SwitchId> + use<'a> {
        self.faults.switches()
    }

    /// The dead cables between groups whose switches are not dead, each by its end in the lower group, in the order of
    /// the fabric image.
    pub fn dead_cables(&self) -> impl Iterator<Item = End> {
        self.faults.cables().map(|number| self.lower_end(number))
    }

    /// Everything that is listed as dead, as [`encode_fault_image`] takes it.
    ///
    /// [`encode_fault_image`]: crate::encode_fault_image
    #[cfg(feature = "alloc")]
    pub fn fault_set(&self) -> crate::FaultSet {
        crate::FaultSet {
            switches: self.dead_switches().collect(),
            cables: self.dead_cables().collect(),
            local_links: self.dead_local_links().collect(),
            is_draining: self.is_draining(),
        }
    }

    /// The dead links within groups whose switches are not dead, in order.
    pub fn dead_local_links(&self) -> impl Iterator<Item = LocalLink> {
        self.faults.links(&self.dragonfly)
    }

    /// Whether an existing switch is live.
    #[inline]
    pub fn lives(&self, switch: SwitchId) -> bool {
        self.is_faultless() || !self.faults.has_switch(switch)
    }

    /// Whether a port has a live cable between live switches.
    ///
    /// Precondition: the port exists. Otherwise the result is unspecified; it never panics.
    #[inline(never)]
    pub fn has_live_cable(&self, end: End) -> bool {
        let Some((group, k)) = self.link_behind(end) else { return false };
        if self.is_faultless() {
            return true;
        }
        let links = self.links_between(end.group, group);
        let df = &self.dragonfly;
        let lives = |group, port| self.lives(df.switch(group, df.split_port(port).0));
        !self.faults.has_cable(links.first.wrapping_add(k))
            && lives(end.group, end.port)
            && lives(group, self.ends(links, k).1)
    }

    /// The number of a port's cable among all cables of the fabric, as the image lists them; `None` for
    /// a port that is unused or does not exist.
    pub fn cable_number(&self, end: End) -> Option<u32> {
        let (group, k) = self.port_link(end)?;
        Some(self.links_between(end.group, group).first.wrapping_add(k))
    }

    /// The end in the lower group of the cable of this number, which must exist.
    fn lower_end(&self, number: u32) -> End {
        let pairs = self.dragonfly.group_numbers().flat_map(|low| {
            let higher = self.dragonfly.group_numbers().skip(low.as_usize() + 1);
            higher.map(move |high| (low, self.links_between(low, high)))
        });
        let mut of_pair = pairs.filter(|(_, links)| number.wrapping_sub(links.first) < links.count);
        let group = of_pair.next().map_or(GroupId(0), |(low, _)| low);
        End { group, port: self.cable(number).0 }
    }

    /// How the switches of a group are joined; [`GroupLinks::Missing`] if anything is dead.
    #[inline]
    pub const fn group_links(&self) -> GroupLinks {
        if ANY_FABRIC { self.live } else { GroupLinks::Single }
    }

    /// How the plan joins them, whatever is dead.
    #[inline]
    pub const fn planned_group_links(&self) -> GroupLinks {
        if ANY_FABRIC { self.planned } else { GroupLinks::Single }
    }

    /// How many live links join two switches of a group: 0 if one of the two is dead.
    ///
    /// Precondition: the two exist and differ. Otherwise the result is unspecified; it never panics.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn local_links(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> u32 {
        let planned = self.planned_local_links(group, one, other);
        if self.is_faultless() {
            return planned;
        }
        self.live_local_links(planned, group, one, other)
    }

    #[cold]
    #[inline(never)]
    fn live_local_links(
        &self,
        planned: u32,
        group: GroupId,
        one: SwitchIndex,
        other: SwitchIndex,
    ) -> u32 {
        let df = &self.dragonfly;
        if !self.lives(df.switch(group, one)) || !self.lives(df.switch(group, other)) {
            return 0;
        }
        planned.wrapping_sub(self.faults.links_of(df, group, (one, other)).1)
    }

    /// Which of the planned links between two switches of a group is the n-th live one.
    ///
    /// Precondition: there are more than n. Otherwise the result is unspecified; it never panics.
    pub fn nth_live_local_link(
        &self,
        group: GroupId,
        ends: (SwitchIndex, SwitchIndex),
        n: u32,
    ) -> u32 {
        if self.is_faultless() {
            return n;
        }
        self.faults.nth_live(self.faults.links_of(&self.dragonfly, group, ends), n)
    }

    /// How many links join two switches of a group in the plan.
    ///
    /// Precondition: the two exist and differ. Otherwise the result is unspecified; it never panics.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn planned_local_links(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> u32 {
        if ANY_FABRIC { self.fewer.planned(&self.dragonfly, group, (one, other)) } else { 1 }
    }

    /// Whether in every group of the plan two switches are linked exactly if one has an index below some number and the
    /// other does not, all by as many links.
    pub const fn has_two_tiers(&self) -> bool {
        ANY_FABRIC && self.fewer.tiers().is_some()
    }

    /// That number, if nothing is dead and links are the only ones between their switches.
    #[inline]
    pub fn tiers(&self) -> Option<SwitchIndex> {
        let is_plan = ANY_FABRIC && self.is_faultless();
        if is_plan && self.dragonfly.has_single_links() { self.fewer.tiers() } else { None }
    }

    /// Whether a hop from one switch of a group to another needs no link, or has one.
    ///
    /// Precondition: the two exist. Otherwise the result is unspecified; it never panics.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn is_local_hop(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> bool {
        from == to || self.group_links().is_whole() || self.local_links(group, from, to) > 0
    }

    /// The n-th switch, by index, of a group that is linked to both of two others. Examines every switch of the group.
    #[inline(never)]
    pub fn relay(
        &self,
        group: GroupId,
        (one, other): (SwitchIndex, SwitchIndex),
        n: u32,
    ) -> Option<SwitchIndex> {
        let mut relays = self.relays(group, (one, other));
        relays.nth(n as usize)
    }

    fn relays(
        &self,
        group: GroupId,
        (one, other): (SwitchIndex, SwitchIndex),
    ) -> impl Iterator<Item = SwitchIndex> {
        self.dragonfly.indices(group).filter(move |&through| {
            through != one
                && through != other
                && self.local_links(group, one, through) > 0
                && self.local_links(group, through, other) > 0
        })
    }

    /// How many switches of a group are linked to both of two others of it.
    #[inline(never)]
    pub fn relay_count(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> u32 {
        // At most 2⁸.
        self.relays(group, (one, other)).fold(0, |count, _| count + 1)
    }

    /// The switches of a group that share fewer links than others of their kind, in order.
    pub fn fewer_links(&self) -> impl Iterator<Item = FewerLinks> + use<'a> {
        self.fewer.iter()
    }

    /// The links from one group to another: empty unless they are two existing groups.
    #[inline]
    pub fn links(&self, from: GroupId, to: GroupId) -> Links {
        let forward = from < to;
        let (low, high) = if forward { (from, to) } else { (to, from) };
        if low == high || !self.dragonfly.has_group(high) {
            return Links { first: 0, count: 0, forward };
        }
        self.links_between(from, to)
    }

    /// The links from one group to another, without the checks of [`Self::links`].
    ///
    /// Precondition: `from` and `to` differ, and both exist. Otherwise the result is unspecified; it
    /// never panics.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn links_between(&self, from: GroupId, to: GroupId) -> Links {
        let forward = from < to;
        let (low, high) = if forward { (from, to) } else { (to, from) };
        let (low, high) = (u32::from(low.0), u32::from(high.0));
        // The pairs of lower groups, and those with higher ones that come earlier in this one's row.
        let before = low.wrapping_mul((2 * self.dragonfly.g()).wrapping_sub(low + 3)) >> 1;
        let (first, count) = self.cables_of(before.wrapping_add(high).wrapping_sub(1));
        Links { first, count, forward }
    }

    /// Where the cables of the pair of groups with this number begin, and how many there are.
    #[inline]
    fn cables_of(&self, pair: u32) -> (u32, u32) {
        if !ANY_FABRIC || self.even_links != 0 {
            return (pair.wrapping_mul(self.even_links), self.even_links);
        }
        let (first, end) = self.starts.two(pair);
        (first, end.wrapping_sub(first))
    }

    /// The k-th of the links between two groups: the port from which it leaves and the port at which it arrives. Both
    /// directions of a cable have the same k.
    #[inline]
    pub fn nth(&self, links: Links, k: u32) -> Option<(GlobalPort, GlobalPort)> {
        if k < links.count { Some(self.ends(links, k)) } else { None }
    }

    /// The k-th of the links between two groups, without the check of [`Self::nth`].
    ///
    /// Precondition: `k` is below the number of links. Otherwise the result is unspecified; it never
    /// panics.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn ends(&self, links: Links, k: u32) -> (GlobalPort, GlobalPort) {
        let (low, high) = self.cable(links.first.wrapping_add(k));
        if links.forward { (low, high) } else { (high, low) }
    }

    /// Calls `each` with the ends of every link between two groups, as [`Self::ends`] has them, in the
    /// order of their numbers.
    #[inline]
    pub fn for_each_link(&self, links: Links, mut each: impl FnMut(GlobalPort, GlobalPort)) {
        for entry in self.cables.entries(links.first, links.count) {
            let (low, high) = self.cable_of(entry);
            if links.forward { each(low, high) } else { each(high, low) }
        }
    }

    /// How many links lead from one group to another: 0 unless they are two existing groups.
    #[inline]
    pub fn link_count(&self, from: GroupId, to: GroupId) -> u32 {
        self.links(from, to).count
    }

    /// The k-th link from one group to another, as [`Self::nth`] has it.
    #[inline]
    pub fn link(&self, from: GroupId, to: GroupId, k: u32) -> Option<(GlobalPort, GlobalPort)> {
        self.nth(self.links(from, to), k)
    }

    /// The group to which a port's cable leads, and which of the links to it the cable is; `None`
    /// for a port that is unused or does not exist.
    #[inline]
    pub fn port_link(&self, end: End) -> Option<(GroupId, u32)> {
        if !self.dragonfly.has_group(end.group) || !self.dragonfly.has_global_port(end.port) {
            return None;
        }
        self.link_behind(end)
    }

    /// The group to which a port's cable leads and which of the links to it the cable is, without
    /// the check of [`Self::port_link`]; `None` for an unused port.
    ///
    /// Precondition: the port exists. Otherwise the result is unspecified; it never panics.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn link_behind(&self, end: End) -> Option<(GroupId, u32)> {
        let entry = self.ports.get(self.port_number(end));
        #[expect(clippy::cast_possible_truncation, reason = "decode checked that it is below g")]
        let peer = GroupId((entry >> self.link_bits) as u16);
        (peer != end.group).then_some((peer, entry & self.link_mask))
    }

    /// The most links of a switch to any one other group: reached by one, unless switches have more than 64 global
    /// ports.
    #[inline]
    pub const fn most_links_of_switch(&self) -> u32 {
        self.most_of_switch
    }

    /// The n-th of the links from a switch to another group, in the order of its ports: its port, and which of the
    /// links between the two groups it is. Examines all ports of the switch.
    ///
    /// Precondition: the switch exists, and `to` is another group than its own. Otherwise the result is
    /// unspecified; it never panics.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn nth_link_of_switch(
        &self,
        (group, index): (GroupId, SwitchIndex),
        to: GroupId,
        n: u32,
    ) -> Option<(GlobalPort, u32)> {
        let port = self.dragonfly.global_port(index, 0);
        let ports = (self.port_number(End { group, port }), self.dragonfly.h());
        let (slot, entry) = self.ports.nth_of(ports, (self.link_bits, to.0.into()), n)?;
        #[expect(clippy::cast_possible_truncation, reason = "a slot is below h")]
        let port = GlobalPort(port.0.wrapping_add(slot as u16));
        Some((port, entry & self.link_mask))
    }

    /// The other end of a port's cable.
    #[inline]
    pub fn peer(&self, end: End) -> Option<End> {
        let (group, k) = self.port_link(end)?;
        let (_, port) = self.link(end.group, group, k)?;
        Some(End { group, port })
    }

    /// Both ends of every cable, the lower end first, by rising lower end.
    pub fn cables(&self) -> impl Iterator<Item = (End, End)> {
        let df = &self.dragonfly;
        let ports = |group| df.global_ports().map(move |port| End { group, port });
        let ends = df.groups().flat_map(ports);
        ends.filter_map(|end| Some((end, self.peer(end).filter(|&peer| end < peer)?)))
    }

    /// The other end of the planned cable or local link at a physical port of a switch, live or not; `None` for a
    /// terminal, an unused port, or one that does not exist.
    pub fn far_end(&self, switch: SwitchId, port: Port) -> Option<(SwitchId, Port)> {
        let df = &self.dragonfly;
        let (group, index) = df.place(switch);
        if !df.has_switch(switch) || !df.has_port_of(group, port) {
            return None;
        }
        if df.is_slot(port) {
            let slot = port.0.wrapping_sub(df.slot_port(0).0);
            let far = self.peer(End { group, port: df.global_port(index, slot) })?;
            let (index, slot) = df.split_port(far.port);
            return Some((df.switch(far.group, index), df.slot_port(slot)));
        }
        let switches = df.switches_of(group);
        let (to, k) = df.local_end(switches, index, port)?;
        let is_there = df.has_index(group, to) && k < self.planned_local_links(group, index, to);
        is_there.then(|| (df.switch(group, to), df.nth_local_port(switches, (to, index), k)))
    }

    #[inline]
    const fn port_number(&self, end: End) -> u32 {
        end.group.0 as u32 * self.dragonfly.ports_per_group() + end.port.0 as u32
    }

    #[inline]
    fn cable(&self, number: u32) -> (GlobalPort, GlobalPort) {
        self.cable_of(self.cables.get(number))
    }

    #[inline]
    fn cable_of(&self, entry: u32) -> (GlobalPort, GlobalPort) {
        #[expect(clippy::cast_possible_truncation, reason = "a port has at most 12 bits")]
        let port = |bits: u32| GlobalPort(bits as u16);
        (port(entry & self.port_mask), port(entry >> self.port_bits))
    }
}

/// Writes a fabric image. `cables` is a wiring: existing ends, two groups to a cable, no port twice. Its order does not
/// matter: the same wiring gives the same bytes. All switches of a group are joined by as many links as its kind
/// states.
///
/// # Panics
/// If `cables` is not a wiring.
#[cfg(feature = "alloc")]
pub fn encode_fabric_image(df: &Dragonfly, cables: &[(End, End)]) -> alloc::vec::Vec<u8> {
    encode_fabric_image_with(df, cables, &[])
}

/// Where the cables of each pair of groups begin, and for each global port the group that it leads to and the number of
/// its cable among those of the pair; with the least and the most cables of a pair.
#[cfg(feature = "alloc")]
struct Placed {
    starts: alloc::vec::Vec<u32>,
    ports: alloc::vec::Vec<(u32, u32)>,
    least: u32,
    most: u32,
}

#[cfg(feature = "alloc")]
fn placed(df: &Dragonfly, cables: &[(End, End)]) -> Placed {
    use alloc::vec::Vec;
    let mut starts = Vec::new();
    let mut ports: Vec<(u32, u32)> = df
        .group_numbers()
        .flat_map(|group| df.global_ports().map(move |_| (u32::from(group.0), 0)))
        .collect();
    let number =
        |end: End| end.group.as_usize() * df.ports_per_group() as usize + end.port.as_usize();
    let mut at = 0;
    let (mut least, mut most) = (u32::MAX, 0);
    for low in df.group_numbers() {
        for high in df.group_numbers().skip(low.as_usize() + 1) {
            starts.push(narrow(at));
            let of_pair =
                cables[at..].iter().take_while(|(l, h)| (l.group, h.group) == (low, high));
            let mut k = 0;
            for &(l, h) in of_pair {
                ports[number(l)] = (high.0.into(), k);
                ports[number(h)] = (low.0.into(), k);
                k += 1;
                at += 1;
            }
            (least, most) = (least.min(k), most.max(k));
        }
    }
    starts.push(narrow(at));
    assert_eq!(at, cables.len(), "every cable joins two groups of the Dragonfly");

    Placed { starts, ports, least, most }
}

#[cfg(feature = "alloc")]
fn narrow(cables: usize) -> u32 {
    u32::try_from(cables).expect("at most half the ports, or pairs of switches of a group")
}

/// As [`encode_fabric_image`], with these pairs of switches of a group joined by fewer links, sorted.
///
/// # Panics
/// If `cables` is not a wiring, or `fewer` is not what a reader accepts: see `schema/FORMAT.md`.
#[cfg(feature = "alloc")]
pub fn encode_fabric_image_with(
    df: &Dragonfly,
    cables: &[(End, End)],
    fewer: &[FewerLinks],
) -> alloc::vec::Vec<u8> {
    use alloc::vec::Vec;

    let mut cables: Vec<(End, End)> =
        cables.iter().map(|&(one, other)| (one.min(other), one.max(other))).collect();
    cables.sort_unstable_by_key(|&(low, high)| (low.group, high.group, low.port, high.port));

    let Placed { starts, ports, least, most } = placed(df, &cables);
    let short =
        |size: u32| u16::try_from(size).expect("the limits of a Dragonfly keep it below 2^16");
    let even = least == most && most > 0;
    let kinds: Vec<GroupKind> = df.stated_kinds().collect();
    let body = Body {
        p: short(df.p()),
        a: short(df.a()),
        h: short(df.h()),
        g: short(df.g()),
        cables: narrow(cables.len()),
        most_links: short(most),
        even_links: if even { short(most) } else { 0 },
    };
    let mut payload = postcard::to_extend(&(&body, kinds, narrow(fewer.len())), Vec::new())
        .expect("plain numbers into a vector that grows");
    if !even {
        crate::packed::append(&mut payload, width_for(body.cables), starts);
    }
    let port_bits = width_for(df.ports_per_group() - 1);
    let entries =
        cables.iter().map(|(l, h)| u32::from(l.port.0) | u32::from(h.port.0) << port_bits);
    crate::packed::append(&mut payload, 2 * port_bits, entries);
    let link_bits = width_for(most.saturating_sub(1));
    let entries = ports.iter().map(|&(group, k)| group << link_bits | k);
    crate::packed::append(&mut payload, width_for(df.g() - 1) + link_bits, entries);
    crate::local_links::append(&mut payload, df, fewer);

    let bytes = frame::close((ImageKind::Fabric, 0), frame::identity_of(&payload), &payload);
    assert!(
        FabricImage::decode(&bytes).err().is_none_or(|error| error.is_left_out()),
        "the cables are a wiring"
    );
    bytes
}
