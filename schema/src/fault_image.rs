//! The fault image: the dead parts of a planned fabric, the same for every switch.
//!
//! Cables, links within groups and switches. The plan does not change when they die: the fabric image and its identity
//! stay, and a fault image names its parts. It lists everything that is dead, not what has changed, so that any order
//! of dying and mending ends in the same image; its epoch says which of two is the later. It takes tens of bytes if
//! little is dead. The listed parts may also be drained instead of dead: no path over them is drawn, and packets in
//! transit still cross them.

use crate::fields::Fields;
use crate::frame::{self, IDENTITY_AT, Opened};
use crate::image_error::{Fault, ImagePart, Refusal, Value, saturating_u32};
use crate::image_kind::{HEADER_LEN, ImageKind};
use crate::local_links::{FewerPairs, most_links};
use crate::packed::{PackedArray, width_for};
use crate::plain::Feature;
use crate::{ANY_FABRIC, Dragonfly, GroupId, ImageError, SwitchId, SwitchIndex};

/// A link between two switches of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalLink {
    /// The switch of lower index.
    pub low: SwitchId,
    /// The other switch.
    pub high: SwitchIndex,
    /// Which of the links between the two, from 0.
    pub number: u16,
}

/// Sorted numbers, with their count.
#[derive(Clone, Copy, Debug)]
struct Sorted<'a> {
    numbers: PackedArray<'a>,
    count: u32,
}

impl Sorted<'_> {
    const EMPTY: Self = Self { numbers: PackedArray::EMPTY, count: 0 };

    /// How many are below a number. A search of at most 25 steps.
    #[inline(never)]
    fn below(&self, number: u32) -> u32 {
        let (mut first, mut end) = (0, self.count);
        while first < end {
            let middle = first.midpoint(end);
            if self.numbers.get(middle) < number {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }

    fn contains(&self, number: u32) -> bool {
        let at = self.below(number);
        at < self.count && self.numbers.get(at) == number
    }
}

/// The dead parts, as an image lists them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults<'a> {
    epoch: u32,
    /// Whether packets in transit cross the listed parts if they have no other way.
    is_draining: bool,
    /// By number.
    switches: Sorted<'a>,
    /// By their numbers in the fabric image.
    cables: Sorted<'a>,
    /// Switch number of the lower index, and above it the higher index; as often as links are dead.
    local_pairs: Sorted<'a>,
    /// For each dead link within a group: which of the links of its pair it is.
    local_numbers: PackedArray<'a>,
}

/// The parts of a fabric's plan that can be dead.
#[derive(Clone, Copy)]
pub(crate) struct FabricPlan<'p> {
    pub(crate) dragonfly: &'p Dragonfly,
    pub(crate) identity: u64,
    pub(crate) cables: u32,
    pub(crate) fewer: &'p FewerPairs<'p>,
}

/// How wide the entries of each section are.
pub(crate) struct Widths {
    pub(crate) switch: u32,
    pub(crate) cable: u32,
    pub(crate) index: u32,
    pub(crate) local_number: u32,
}

impl Widths {
    pub(crate) fn of(df: &Dragonfly, cables: u32) -> Self {
        Self {
            switch: width_for(df.switch_numbers() - 1),
            cable: width_for(cables.saturating_sub(1)),
            index: index_bits(df),
            local_number: width_for(most_links(df).saturating_sub(1)),
        }
    }
}

const fn index_bits(df: &Dragonfly) -> u32 {
    width_for(df.a() - 1)
}

/// Two switches of a group in one number.
pub(crate) const fn pair_number(df: &Dragonfly, low: SwitchId, high: SwitchIndex) -> u32 {
    (low.0 as u32) << index_bits(df) | high.0 as u32
}

impl<'a> Faults<'a> {
    pub(crate) const NONE: Self = Self {
        epoch: 0,
        is_draining: false,
        switches: Sorted::EMPTY,
        cables: Sorted::EMPTY,
        local_pairs: Sorted::EMPTY,
        local_numbers: PackedArray::EMPTY,
    };

    /// Checks an image of a fabric.
    #[inline(never)]
    pub(crate) fn decode(bytes: &'a [u8], plan: &FabricPlan<'_>) -> Result<Self, ImageError> {
        let mut refusal = Refusal::new(ImageKind::Faults);
        let mut faults = Self::NONE;
        match faults.fill(bytes, plan, &mut refusal) {
            Some(()) => Ok(faults),
            None => Err(refusal.error()),
        }
    }

    fn fill(
        &mut self,
        bytes: &'a [u8],
        plan: &FabricPlan<'_>,
        refusal: &mut Refusal,
    ) -> Option<()> {
        let Opened { identity, payload, has_bit } = frame::open(bytes, ImageKind::Faults, refusal)?;
        let needed = plan.identity;
        if identity != needed {
            return refusal.fail_with_wide(Fault::Identity, IDENTITY_AT, identity, needed);
        }
        self.is_draining = has_bit;
        let mut fields = Fields::new(payload);
        self.epoch = fields.u32();
        let (switches, cables, links) = (fields.u32(), fields.u32(), fields.u32());
        let mut rest = fields.rest()?;
        if !ANY_FABRIC && (switches | cables | links) != 0 {
            return refusal.fail(Fault::LeftOut(Feature::Faults), HEADER_LEN, switches);
        }
        let df = plan.dragonfly;
        let widths = Widths::of(df, plan.cables);
        // So that no number of entries overflows their length in bytes.
        for (value, found, most) in [
            (Value::DeadSwitches, switches, df.switch_count()),
            (Value::DeadCables, cables, plan.cables),
            (Value::DeadLinks, links, u32::MAX >> 6),
        ] {
            if found > most {
                return refusal.out_of_range(value, HEADER_LEN, found);
            }
        }
        let end = HEADER_LEN + payload.len();
        let take = |rest: &mut &'a [u8], width, count, part, refusal: &mut Refusal| {
            let at = end - rest.len();
            let numbers = PackedArray::take(rest, (width, count), part, end, refusal)?;
            Some((Sorted { numbers, count }, at))
        };
        let at;
        (self.switches, at) =
            take(&mut rest, widths.switch, switches, ImagePart::DeadSwitches, refusal)?;
        let is_switch = |number| u16::try_from(number).is_ok_and(|n| df.has_switch(SwitchId(n)));
        check(&self.switches, is_switch, Value::DeadSwitch, at, refusal)?;
        let at;
        (self.cables, at) = take(&mut rest, widths.cable, cables, ImagePart::DeadCables, refusal)?;
        let is_cable = |number| number < plan.cables;
        check(&self.cables, is_cable, Value::DeadCable, at, refusal)?;
        let (pairs_at, numbers_at);
        let width = widths.switch + widths.index;
        (self.local_pairs, pairs_at) =
            take(&mut rest, width, links, ImagePart::DeadPairs, refusal)?;
        let width = widths.local_number;
        let numbers;
        (numbers, numbers_at) = take(&mut rest, width, links, ImagePart::DeadLinks, refusal)?;
        self.local_numbers = numbers.numbers;
        self.check_links(plan, (pairs_at, numbers_at), refusal)?;
        if !rest.is_empty() {
            return refusal.fail(Fault::Trailing, end - rest.len(), saturating_u32(rest.len()));
        }
        Some(())
    }

    /// Checks that the dead links within groups are links of the plan, in order.
    fn check_links(
        &self,
        plan: &FabricPlan<'_>,
        (pairs_at, numbers_at): (usize, usize),
        refusal: &mut Refusal,
    ) -> Option<()> {
        let df = plan.dragonfly;
        let mut before = None;
        for at in 0..self.local_pairs.count {
            let link = self.link(df, at);
            let (group, index) = df.place(link.low);
            if !df.has_switch(link.low) || index >= link.high || !df.has_index(group, link.high) {
                let offset = pairs_at + self.local_pairs.numbers.byte_of(at);
                let found = self.local_pairs.numbers.get(at);
                return refusal.out_of_range(Value::DeadPair, offset, found);
            }
            let planned = plan.fewer.planned(df, group, (index, link.high));
            if u32::from(link.number) >= planned || before >= Some(link) {
                let offset = numbers_at + self.local_numbers.byte_of(at);
                return refusal.out_of_range(Value::DeadLink, offset, link.number.into());
            }
            before = Some(link);
        }
        Some(())
    }

    fn link(&self, df: &Dragonfly, at: u32) -> LocalLink {
        let (entry, index) = (self.local_pairs.numbers.get(at), index_bits(df));
        #[expect(clippy::cast_possible_truncation, reason = "16, 8 and 6 bits")]
        let link = LocalLink {
            low: SwitchId((entry >> index) as u16),
            high: SwitchIndex((entry & ((1 << index) - 1)) as u8),
            number: self.local_numbers.get(at) as u16,
        };
        link
    }

    pub(crate) const fn epoch(&self) -> u32 {
        self.epoch
    }

    pub(crate) const fn is_draining(&self) -> bool {
        self.is_draining
    }

    /// Nothing is dead.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.switches.count == 0 && self.cables.count == 0 && self.local_pairs.count == 0
    }

    pub(crate) fn switches(&self) -> impl Iterator<Item = SwitchId> + use<'a> {
        let switches = self.switches;
        #[expect(clippy::cast_possible_truncation, reason = "decode checked that it exists")]
        let number = move |at| SwitchId(switches.numbers.get(at) as u16);
        (0..switches.count).map(number)
    }

    pub(crate) fn cables(&self) -> impl Iterator<Item = u32> + use<'a> {
        let cables = self.cables;
        (0..cables.count).map(move |at| cables.numbers.get(at))
    }

    pub(crate) fn links(&self, df: &Dragonfly) -> impl Iterator<Item = LocalLink> {
        (0..self.local_pairs.count).map(|at| self.link(df, at))
    }

    #[inline]
    pub(crate) fn has_switch(&self, switch: SwitchId) -> bool {
        self.switches.count > 0 && self.switches.contains(switch.0.into())
    }

    #[inline]
    pub(crate) fn has_cable(&self, number: u32) -> bool {
        self.cables.count > 0 && self.cables.contains(number)
    }

    /// The dead links between two switches of a group: where they begin, and how many there are. Links of dead switches
    /// are not among them.
    pub(crate) fn links_of(
        &self,
        df: &Dragonfly,
        group: GroupId,
        (one, other): (SwitchIndex, SwitchIndex),
    ) -> (u32, u32) {
        if self.local_pairs.count == 0 {
            return (0, 0);
        }
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        let pair = pair_number(df, df.switch(group, low), high);
        let first = self.local_pairs.below(pair);
        (first, self.local_pairs.below(pair.wrapping_add(1)).wrapping_sub(first))
    }

    /// The number of the n-th link of a pair that is not among its dead ones, of which there are `count` from the first
    /// on.
    pub(crate) fn nth_live(&self, (first, count): (u32, u32), n: u32) -> u32 {
        // They are in order, so each dead one up to there shifts it by one.
        let mut number = n;
        for at in first..first.wrapping_add(count) {
            if self.local_numbers.get(at) <= number {
                number += 1;
            }
        }
        number
    }
}

/// Checks that each number is one of the fabric's, and larger than the one before it.
fn check(
    sorted: &Sorted<'_>,
    exists: impl Fn(u32) -> bool,
    value: Value,
    base: usize,
    refusal: &mut Refusal,
) -> Option<()> {
    let mut before = None;
    for at in 0..sorted.count {
        let number = sorted.numbers.get(at);
        if !exists(number) || before >= Some(number) {
            return refusal.out_of_range(value, base + sorted.numbers.byte_of(at), number);
        }
        before = Some(number);
    }
    Some(())
}
