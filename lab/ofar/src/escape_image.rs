//! The escape image: a ring or a tree over all switches, the same for every switch, and the rules by which
//! OFAR's switches decide at every hop (García, Vallejo, Beivide, Valero and Rodríguez, "OFAR-CM: Efficient
//! Dragonfly Networks with Simple Congestion Management", HOTI 2013).
//!
//! Reading proves the whole network against the fabric image: a ring leads by planned links through every switch once
//! and back; a tree has one root, and every other switch hangs below one by a planned link. So all switches that booted
//! from the same image agree, and every step along it is right.

use crate::escape_error::{EscapeSection, EscapeValue};
use crate::{EscapeImageError, OfarRules, rules};
use tvlb_schema::extension::{PackedArray, Payload, width_for};
use tvlb_schema::{Dragonfly, FabricImage, ImageKind, Port, SwitchId};

/// The kind of an escape network.
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

/// The beginning of each section in the image.
#[derive(Clone, Copy)]
struct Offsets {
    places: u32,
    switches: u32,
    onward: u32,
    below: u32,
}

/// That entry `i` of a section, which begins at `offset`, is wrong.
#[cold]
fn wrong(value: EscapeValue, section: &PackedArray<'_>, offset: u32, i: u32) -> EscapeImageError {
    #[expect(clippy::cast_possible_truncation, reason = "an image states its length in 32 bits")]
    let at = offset.wrapping_add(section.byte_of(i) as u32);
    EscapeImageError::of(value, at, section.get(i))
}

impl<'a> EscapeImage<'a> {
    /// Checks an image of a fabric, and proves its network.
    ///
    /// # Errors
    /// The first fault in the bytes, and where. All byte strings end in `Ok` or `Err`.
    pub fn decode(bytes: &'a [u8], fabric: &FabricImage<'_>) -> Result<Self, EscapeImageError> {
        let df = fabric.dragonfly();
        let count = df.switch_count();
        let mut payload = Payload::open(bytes, ImageKind::Escape, fabric)?;
        let (kind, rules) = rules::read(&mut payload, count)?;
        let widths = EscapeWidths::of(df);
        let mut take = |section, width, count| {
            let offset = payload.offset();
            match payload.section(width, count) {
                Ok(entries) => Ok((entries, offset)),
                Err(error) => Err(EscapeImageError::of_section(section, error)),
            }
        };
        let places = take(EscapeSection::Places, widths.place, df.switch_numbers())?;
        let switches = take(EscapeSection::Switches, widths.switch, count)?;
        let onward = take(EscapeSection::Ports, widths.port, count)?;
        let backward = take(EscapeSection::Ports, widths.port, count)?;
        let below = match kind {
            EscapeKind::Ring => (PackedArray::EMPTY, 0),
            EscapeKind::Tree => take(EscapeSection::Sizes, widths.place, count)?,
        };
        payload.finish()?;
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
        let (places, switches, onward, below) = (places.1, switches.1, onward.1, below.1);
        let offsets = Offsets { places, switches, onward, below };
        image.check_order(df, offsets)?;
        match kind {
            EscapeKind::Ring => image.check_ring(fabric, offsets)?,
            EscapeKind::Tree => image.check_tree(fabric, offsets)?,
        }
        Ok(image)
    }

    /// Each place is that of one switch, and each switch has one place.
    fn check_order(&self, df: &Dragonfly, at: Offsets) -> Result<(), EscapeImageError> {
        for place in 0..self.count {
            let switch = self.switches.get(place);
            if !df.has_switch(self.switch_at(place)) || self.places.get(switch) != place {
                return Err(wrong(EscapeValue::EscapeSwitch, &self.switches, at.switches, place));
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
                return Err(wrong(EscapeValue::EscapePlace, &self.places, at.places, number));
            }
        }
        Ok(())
    }

    /// Each switch's port leads to the next, and that one's back.
    fn check_ring(&self, fabric: &FabricImage<'_>, at: Offsets) -> Result<(), EscapeImageError> {
        for place in 0..self.count {
            let next = self.after(place);
            let end = (self.switch_at(next), port(&self.backward, next));
            let onward = port(&self.onward, place);
            if fabric.far_end(self.switch_at(place), onward) != Some(end) {
                return Err(wrong(EscapeValue::RingPort, &self.onward, at.onward, place));
            }
        }
        Ok(())
    }

    /// Each switch but the root hangs below the nearest before it whose subtree has not ended.
    fn check_tree(&self, fabric: &FabricImage<'_>, at: Offsets) -> Result<(), EscapeImageError> {
        if self.below.get(0) != self.count - 1 {
            return Err(wrong(EscapeValue::SubtreeSize, &self.below, at.below, 0));
        }
        // The root has no parent. One network has one form.
        let unused = self.onward.get(0) | self.backward.get(0);
        if unused != 0 {
            return Err(EscapeImageError::of(EscapeValue::TreePort, at.onward, unused));
        }
        for place in 1..self.count {
            // Ends at the root, whose subtree ends with the last place.
            let mut above = Some(place - 1);
            while let Some(higher) = above.filter(|&above| self.end_of(above) <= place) {
                above = self.above(fabric, higher);
            }
            // A checked switch hangs below another one, or is the root.
            let above = above.unwrap_or(0);
            if self.end_of(place) > self.end_of(above) {
                return Err(wrong(EscapeValue::SubtreeSize, &self.below, at.below, place));
            }
            let up = port(&self.onward, place);
            let end = (self.switch_at(above), port(&self.backward, place));
            if fabric.far_end(self.switch_at(place), up) != Some(end) {
                return Err(wrong(EscapeValue::TreePort, &self.onward, at.onward, place));
            }
        }
        Ok(())
    }

    /// The place of the switch above one that has been checked.
    fn above(&self, fabric: &FabricImage<'_>, place: u32) -> Option<u32> {
        let (above, _) = fabric.far_end(self.switch_at(place), port(&self.onward, place))?;
        Some(self.place(above))
    }

    /// The kind of the network.
    pub const fn kind(&self) -> EscapeKind {
        self.kind
    }

    /// How switches decide.
    pub const fn rules(&self) -> &OfarRules {
        &self.rules
    }

    /// The same network under other rules, to compare rules; `None` if one of them is out of range. All switches must
    /// have the same.
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

    /// The place after one on the ring.
    const fn after(&self, place: u32) -> u32 {
        if place + 1 < self.count { place + 1 } else { 0 }
    }

    /// The place after the last of a subtree.
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

    /// The port of the switch at one place of the tree towards another place: down if that hangs below it, else up.
    /// Examines the switches directly below it.
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
