//! The escape image: a ring or a tree over all switches, the same for every switch, and the rules by which
//! OFAR's switches decide at every hop (García, Vallejo, Beivide, Valero and Rodríguez, "OFAR-CM: Efficient
//! Dragonfly Networks with Simple Congestion Management", HOTI 2013).
//!
//! Reading proves the whole network against the fabric image: a ring leads by planned links through every switch
//! once and back; a tree has one root, and every other switch hangs below one by a planned link. So all
//! switches that booted from the same image agree, and no step along it leads astray.

use crate::fields::Fields;
use crate::frame::{self, IDENTITY_AT, Opened};
use crate::image_error::{Fault, Part, Refusal, Value, saturating_u32};
use crate::image_kind::{HEADER_LEN, ImageKind};
use crate::packed::{PackedArray, width_for};
use crate::{Dragonfly, FabricImage, ImageError, Port, SwitchId};

/// What an escape network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EscapeKind {
    /// A way through all switches and back, in both directions.
    Ring = 0,
    /// Every switch but the root hangs below one other.
    Tree = 1,
}

impl EscapeKind {
    /// The name in messages and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Tree => "tree",
        }
    }
}

/// The largest share in use at the output of a misroute within a group, in percent of that at the minimal output, by
/// the place of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LocalPercent {
    /// In its source group, which it then has to leave.
    pub source: u8,
    /// In a group that is neither its source's nor its destination's.
    pub middle: u8,
    /// In its destination's group, which may be its source's.
    pub destination: u8,
}

impl LocalPercent {
    /// The same everywhere.
    pub const fn all(percent: u8) -> Self {
        Self { source: percent, middle: percent, destination: percent }
    }
}

/// How OFAR's switches decide. Shares are in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct OfarRules {
    /// Canonical virtual channels of links within groups, 1 to 7. The escape network has the one above them.
    pub local_channels: u8,
    /// The same of links between groups.
    pub global_channels: u8,
    /// A misroute within a group is taken where the share in use there is at most this much of the share in use
    /// at the minimal output.
    pub local_percent: LocalPercent,
    /// The same of misroutes to another group.
    pub global_percent: u8,
    /// A packet is misrouted only where the share in use at its minimal output is at least this much, 0 to 100; 0
    /// for no such threshold.
    #[serde(default, skip_serializing_if = "is_none")]
    pub least_percent: u8,
    /// A packet is misrouted only if its minimal output was given to another packet in this very cycle.
    pub strict: bool,
    /// A packet is misrouted to another group only by links with which a path of the T-VLB set begins.
    pub by_set: bool,
    /// Shares in use are weighed by the hops of the path that begins with an output, and of the misroutes that are
    /// taken the one that weighs least is.
    pub by_length: bool,
    /// A packet leaves its node only into a buffer with room for this many packets beside it; 0 for no such
    /// control.
    pub bubble: u8,
    /// Nothing leaves the nodes of a switch all of whose outputs of the escape network are in use above this
    /// share; 100 or more for no such control.
    pub throttle_percent: u8,
    /// After so many entries, 1 to 15, a packet stays on the escape network; 0 for any number of entries, so that
    /// nothing bounds its path.
    pub most_entries: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
const fn is_none(percent: &u8) -> bool {
    *percent == 0
}

impl Default for OfarRules {
    /// Those of the paper where it states them, with three and two canonical channels.
    fn default() -> Self {
        Self {
            local_channels: 3,
            global_channels: 2,
            local_percent: LocalPercent::all(90),
            global_percent: 90,
            least_percent: 0,
            strict: false,
            by_set: false,
            by_length: false,
            bubble: 2,
            throttle_percent: 100,
            most_entries: 15,
        }
    }
}

impl OfarRules {
    /// The first rule that is out of range, where the image has it, and what it is.
    fn out_of_range(&self) -> Option<(Value, usize, u32)> {
        let is_number = |channels: u8| (1..=7).contains(&channels);
        match () {
            () if !is_number(self.local_channels) => {
                Some((Value::CanonicalChannels, 1, self.local_channels.into()))
            }
            () if !is_number(self.global_channels) => {
                Some((Value::CanonicalChannels, 2, self.global_channels.into()))
            }
            () if self.most_entries > 15 => {
                Some((Value::MostEntries, 10, self.most_entries.into()))
            }
            () if self.least_percent > 100 => {
                Some((Value::LeastPercent, 11, self.least_percent.into()))
            }
            () => None,
        }
    }

    /// The flags as an image has them.
    #[cfg(feature = "alloc")]
    pub(crate) const fn flags(self) -> u8 {
        self.strict as u8
            | (self.by_set as u8) << 1
            | (self.by_length as u8) << 2
            | ((self.least_percent > 0) as u8) << 3
    }
}

/// A checked escape image, in borrowed bytes.
#[derive(Clone, Copy, Debug)]
pub struct EscapeImage<'a> {
    kind: EscapeKind,
    rules: OfarRules,
    count: u32,
    checksum: u32,
    /// By number of a switch: its place.
    places: PackedArray<'a>,
    /// By place: the switch.
    switches: PackedArray<'a>,
    /// By place: the port to the next switch of the ring; up to the switch above.
    onward: PackedArray<'a>,
    /// By place: the port to the switch before on the ring; of the switch above, the port down to this one.
    backward: PackedArray<'a>,
    /// By place in a tree: how many switches hang below, without itself.
    below: PackedArray<'a>,
}

/// How wide the entries of each section are.
pub(crate) struct EscapeWidths {
    pub(crate) place: u32,
    pub(crate) switch: u32,
    pub(crate) port: u32,
}

impl EscapeWidths {
    pub(crate) const fn of(df: &Dragonfly) -> Self {
        Self {
            place: width_for(df.switch_count() - 1),
            switch: width_for(df.switch_numbers() - 1),
            port: width_for(df.radix().saturating_sub(1)),
        }
    }
}

impl<'a> EscapeImage<'a> {
    /// Checks an image of a fabric, and proves its network.
    ///
    /// # Errors
    /// What is wrong with the bytes, and where. Any bytes whatever end in `Ok` or `Err`.
    pub fn decode(bytes: &'a [u8], fabric: &FabricImage<'_>) -> Result<Self, ImageError> {
        let mut refusal = Refusal::new(ImageKind::Escape);
        Self::read(bytes, fabric, &mut refusal).ok_or_else(|| refusal.error())
    }

    fn read(bytes: &'a [u8], fabric: &FabricImage<'_>, refusal: &mut Refusal) -> Option<Self> {
        let Opened { identity, payload, .. } = frame::open(bytes, ImageKind::Escape, refusal)?;
        if identity != fabric.identity() {
            let needed = fabric.identity();
            return refusal.fail_with_wide(Fault::Identity, IDENTITY_AT, identity, needed);
        }
        let mut fields = Fields::new(payload);
        let [kind, local_channels, global_channels] = core::array::from_fn(|_| fields.byte());
        let [source, middle, destination, global_percent] = core::array::from_fn(|_| fields.byte());
        let [flags, bubble, throttle_percent, most_entries] =
            core::array::from_fn(|_| fields.byte());
        let has_least = flags & 8 == 8;
        let least_percent = if has_least { fields.byte() } else { 0 };
        let mut rest = fields.rest()?;
        let df = fabric.dragonfly();
        let count = df.switch_count();
        let kind_code = u32::from(kind);
        let kind = if kind == 0 { EscapeKind::Ring } else { EscapeKind::Tree };
        let rules = OfarRules {
            local_channels,
            global_channels,
            local_percent: LocalPercent { source, middle, destination },
            global_percent,
            least_percent,
            strict: flags & 1 == 1,
            by_set: flags & 2 == 2,
            by_length: flags & 4 == 4,
            bubble,
            throttle_percent,
            most_entries,
        };
        let refused = match () {
            () if kind_code > 1 => Some((Value::EscapeNetwork, 0, kind_code)),
            () if kind_code == 0 && count < 3 => Some((Value::RingSwitches, 0, count)),
            () if flags > 15 => Some((Value::Misrouting, 7, flags.into())),
            () if has_least && least_percent == 0 => Some((Value::LeastPercent, 11, 0)),
            () => rules.out_of_range(),
        };
        if let Some((value, at, found)) = refused {
            return refusal.out_of_range(value, HEADER_LEN + at, found);
        }
        let widths = EscapeWidths::of(df);
        let end = HEADER_LEN + payload.len();
        let mut take = |width, count, part| {
            let at = end - rest.len();
            let array = PackedArray::take(&mut rest, (width, count), part, end, refusal)?;
            Some((array, at))
        };
        let places = take(widths.place, df.switch_numbers(), Part::EscapePlaces)?;
        let switches = take(widths.switch, count, Part::EscapeSwitches)?;
        let onward = take(widths.port, count, Part::EscapePorts)?;
        let backward = take(widths.port, count, Part::EscapePorts)?;
        let below = match kind {
            EscapeKind::Ring => (PackedArray::EMPTY, 0),
            EscapeKind::Tree => take(widths.place, count, Part::EscapeSizes)?,
        };
        if !rest.is_empty() {
            return refusal.fail(Fault::Trailing, end - rest.len(), saturating_u32(rest.len()));
        }
        let checksum = bytes.last_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let image = Self {
            kind,
            rules,
            count,
            checksum,
            places: places.0,
            switches: switches.0,
            onward: onward.0,
            backward: backward.0,
            below: below.0,
        };
        let offsets = [places.1, switches.1, onward.1, backward.1, below.1];
        image.check_order(df, offsets, refusal)?;
        match kind {
            EscapeKind::Ring => image.check_ring(fabric, offsets, refusal)?,
            EscapeKind::Tree => image.check_tree(fabric, offsets, refusal)?,
        }
        Some(image)
    }

    /// Each place is that of one switch, and each switch has one place.
    fn check_order(
        &self,
        df: &Dragonfly,
        [places_at, switches_at, ..]: [usize; 5],
        refusal: &mut Refusal,
    ) -> Option<()> {
        for place in 0..self.count {
            let switch = self.switches.get(place);
            if !df.has_switch(self.switch_at(place)) || self.places.get(switch) != place {
                let offset = switches_at + self.switches.byte_of(place);
                return refusal.out_of_range(Value::EscapeSwitch, offset, switch);
            }
        }
        for number in 0..df.switch_numbers() {
            let place = self.places.get(number);
            // A fabric has at most 2¹⁶ switches.
            let is_switch =
                u16::try_from(number).is_ok_and(|number| df.has_switch(SwitchId(number)));
            let fits = if is_switch {
                place < self.count && self.switches.get(place) == number
            } else {
                place == 0
            };
            if !fits {
                let offset = places_at + self.places.byte_of(number);
                return refusal.out_of_range(Value::EscapePlace, offset, place);
            }
        }
        Some(())
    }

    /// Each switch's port leads to the next, and that one's back.
    fn check_ring(
        &self,
        fabric: &FabricImage<'_>,
        [_, _, onward_at, ..]: [usize; 5],
        refusal: &mut Refusal,
    ) -> Option<()> {
        for place in 0..self.count {
            let next = self.after(place);
            let end = (self.switch_at(next), port(&self.backward, next));
            let onward = port(&self.onward, place);
            if fabric.far_end(self.switch_at(place), onward) != Some(end) {
                let offset = onward_at + self.onward.byte_of(place);
                return refusal.out_of_range(Value::RingPort, offset, onward.0.into());
            }
        }
        Some(())
    }

    /// Each switch but the root hangs below the nearest before it whose subtree has not ended.
    fn check_tree(
        &self,
        fabric: &FabricImage<'_>,
        [_, _, onward_at, _, below_at]: [usize; 5],
        refusal: &mut Refusal,
    ) -> Option<()> {
        let below = self.below.get(0);
        if below != self.count - 1 {
            return refusal.out_of_range(Value::SubtreeSize, below_at, below);
        }
        // The root has none above it. One network has one form.
        let unused = self.onward.get(0) | self.backward.get(0);
        if unused != 0 {
            return refusal.out_of_range(Value::TreePort, onward_at, unused);
        }
        for place in 1..self.count {
            // Ends at the root, whose subtree ends with the last place.
            let mut above = place - 1;
            while self.end_of(above) <= place {
                above = self.above(fabric, above)?;
            }
            if self.end_of(place) > self.end_of(above) {
                let offset = below_at + self.below.byte_of(place);
                return refusal.out_of_range(Value::SubtreeSize, offset, self.below.get(place));
            }
            let up = port(&self.onward, place);
            let end = (self.switch_at(above), port(&self.backward, place));
            if fabric.far_end(self.switch_at(place), up) != Some(end) {
                let offset = onward_at + self.onward.byte_of(place);
                return refusal.out_of_range(Value::TreePort, offset, up.0.into());
            }
        }
        Some(())
    }

    /// The place of the switch above one that has been checked.
    fn above(&self, fabric: &FabricImage<'_>, place: u32) -> Option<u32> {
        let (above, _) = fabric.far_end(self.switch_at(place), port(&self.onward, place))?;
        Some(self.place(above))
    }

    /// What the network is.
    pub const fn kind(&self) -> EscapeKind {
        self.kind
    }

    /// How switches decide.
    pub const fn rules(&self) -> &OfarRules {
        &self.rules
    }

    /// The same network under other rules, for those who compare rules; `None` if one of them is out of range.
    /// All switches must have the same.
    #[must_use]
    pub fn with_rules(&self, rules: OfarRules) -> Option<Self> {
        rules.out_of_range().is_none().then_some(Self { rules, ..*self })
    }

    /// The image's checksum: switches with the same one have the same image.
    pub const fn checksum(&self) -> u32 {
        self.checksum
    }

    /// How many switches there are, and so how many places.
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// There is no fabric without switches.
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The place of a switch that exists: on the ring, or in the order in which every switch of a tree comes
    /// before those below it.
    #[inline]
    pub fn place(&self, switch: SwitchId) -> u32 {
        self.places.get(switch.0.into())
    }

    /// The switch at a place.
    #[inline]
    pub fn switch_at(&self, place: u32) -> SwitchId {
        #[expect(clippy::cast_possible_truncation, reason = "the numbers of switches have 16 bits")]
        let switch = SwitchId(self.switches.get(place) as u16);
        switch
    }

    /// The place behind one on the ring.
    const fn after(&self, place: u32) -> u32 {
        if place + 1 < self.count { place + 1 } else { 0 }
    }

    /// The place behind the last of a subtree.
    #[cfg_attr(target_os = "none", inline(never))]
    fn end_of(&self, place: u32) -> u32 {
        place.wrapping_add(self.below.get(place)).wrapping_add(1)
    }

    /// How many switches hang below the one at a place of a tree; 0 on a ring.
    pub fn below(&self, place: u32) -> u32 {
        self.below.get(place)
    }

    /// Whether the shorter way on the ring from one place to another is onward; of two that are equally long,
    /// that one is.
    #[inline]
    pub const fn is_onward(&self, from: u32, to: u32) -> bool {
        let ahead = if to >= from { to - from } else { to + self.count - from };
        2 * ahead <= self.count
    }

    /// The ports of the switch at a place of the ring: to the next switch, and to the one before.
    #[inline]
    pub fn ring_ports(&self, place: u32) -> (Port, Port) {
        (port(&self.onward, place), port(&self.backward, place))
    }

    /// The port of the switch at one place of the tree towards another place: down where that hangs below it,
    /// else up. Looks at the switches that hang directly below it.
    pub fn tree_port(&self, from: u32, to: u32) -> Port {
        let end = self.end_of(from);
        if to <= from || to >= end {
            return port(&self.onward, from);
        }
        let mut child = from.wrapping_add(1);
        while child < end && self.end_of(child) <= to {
            child = self.end_of(child);
        }
        port(&self.backward, child)
    }

    /// The ports by which the switch at a place belongs to the network.
    pub fn ports(&self, place: u32) -> impl Iterator<Item = Port> {
        let is_ring = self.kind == EscapeKind::Ring;
        let has_one_above = is_ring || place > 0;
        let first = has_one_above.then(|| port(&self.onward, place));
        let second = is_ring.then(|| port(&self.backward, place));
        let end = if is_ring { 0 } else { self.end_of(place) };
        let mut child = place.wrapping_add(1);
        let below = core::iter::from_fn(move || {
            let one = child;
            (one < end).then(|| {
                child = self.end_of(one);
                port(&self.backward, one)
            })
        });
        first.into_iter().chain(second).chain(below)
    }
}

#[cfg_attr(target_os = "none", inline(never))]
fn port(ports: &PackedArray<'_>, place: u32) -> Port {
    #[expect(clippy::cast_possible_truncation, reason = "a switch has at most 256 ports")]
    let port = Port(ports.get(place) as u16);
    port
}

#[cfg(all(test, feature = "alloc"))]
mod tests;
