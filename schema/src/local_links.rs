//! The links within groups, for pairs of switches with fewer than the most of their kind of groups.
//!
//! For a group's kind the image states how many links join any two switches; this lists the pairs that have fewer, or
//! none. Most fabrics have no such pair, and then no list is searched.
//!
//! Two switches without a link have a neighbour in common: a packet that has to make that hop makes two through it.
//! Decoding proves that there is one.

use crate::image_error::{ImagePart, Refusal, Value};
use crate::packed::{PackedArray, width_for};
use crate::{Dragonfly, GroupId, SwitchId, SwitchIndex};

/// Two switches of a group that are joined by fewer links than others of their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FewerLinks {
    /// The switch of lower index.
    pub low: SwitchId,
    /// The other switch.
    pub high: SwitchIndex,
    /// Links between the two; 0 for none.
    pub links: u16,
}

/// How any two switches of a group are joined, in the worst of all groups. It is determined when a fabric is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupLinks {
    /// By one link. It comes first, so that a switch recognises it by comparing with 0.
    Single,
    /// By at least one link.
    Whole,
    /// Some two have no link, and a hop from one to the other goes through a third switch.
    Missing,
}

impl GroupLinks {
    /// Those of a fabric in which these pairs have fewer links than others of their groups.
    pub fn of(df: &Dragonfly, fewer: &[FewerLinks]) -> Self {
        let is_whole = fewer.iter().all(|pair| pair.links > 0);
        Self::settled(is_whole, fewer.is_empty() && df.has_single_links())
    }

    const fn settled(is_whole: bool, is_single: bool) -> Self {
        match (is_whole, is_single) {
            (false, _) => Self::Missing,
            (true, false) => Self::Whole,
            (true, true) => Self::Single,
        }
    }

    /// Whether every two switches of a group are joined by at least one link.
    #[inline]
    pub const fn is_whole(self) -> bool {
        !matches!(self, Self::Missing)
    }

    /// Whether every two switches of a group are joined by one link.
    #[inline]
    pub const fn is_single(self) -> bool {
        matches!(self, Self::Single)
    }
}

/// The pairs of switches that are joined by fewer links, as an image lists them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FewerPairs<'a> {
    count: u32,
    /// Switch number of the lower index, and above it the higher index; sorted by switch, then index.
    pairs: PackedArray<'a>,
    /// By pair.
    links: PackedArray<'a>,
    index_bits: u32,
    /// Whether every pair has at least one link.
    whole: bool,
    /// The index that separates two tiers, if in every group two switches have no link exactly if both are below it or
    /// neither is, as with leaves and spines; otherwise 0.
    tiers: u8,
}

impl<'a> FewerPairs<'a> {
    pub(crate) const EMPTY: Self = Self {
        count: 0,
        pairs: PackedArray::EMPTY,
        links: PackedArray::EMPTY,
        index_bits: 0,
        whole: true,
        tiers: 0,
    };

    /// Takes the two sections of so many pairs, and checks them.
    #[inline(never)]
    pub(crate) fn take(
        rest: &mut &'a [u8],
        df: &Dragonfly,
        count: u32,
        end: usize,
        refusal: &mut Refusal,
    ) -> Option<Self> {
        let index_bits = width_for(df.a() - 1);
        let pair_bits = width_for(df.switch_numbers() - 1) + index_bits;
        let at = end - rest.len();
        let pairs =
            PackedArray::take(rest, (pair_bits, count), ImagePart::FewerPairs, end, refusal)?;
        let link_bits = width_for(most_links(df).saturating_sub(1));
        let links_at = end - rest.len();
        let links =
            PackedArray::take(rest, (link_bits, count), ImagePart::FewerLinks, end, refusal)?;
        let mut fewer = Self { count, pairs, links, index_bits, whole: true, tiers: 0 };
        let mut before = None;
        for number in 0..count {
            let entry = pairs.get(number);
            let (low, high) = fewer.pair(number);
            let (group, index) = df.place(low);
            let is_pair = df.has_switch(low) && index < high && df.has_index(group, high);
            if !is_pair || before >= Some(entry) {
                let offset = at + pairs.byte_of(number);
                return refusal.out_of_range(Value::FewerPair, offset, entry);
            }
            before = Some(entry);
            let found = links.get(number);
            if found >= df.kind_of(group).local_links.into() {
                let offset = links_at + links.byte_of(number);
                return refusal.out_of_range(Value::FewerLinks, offset, found);
            }
            fewer.whole &= found > 0;
        }
        fewer.check_kinds(df, at, refusal)?;
        fewer.tiers = fewer.found_tiers(df).unwrap_or(0);
        Some(fewer)
    }

    /// Computes [`Self::tiers`].
    fn found_tiers(&self, df: &Dragonfly) -> Option<u8> {
        if self.count == 0 || !df.is_even() {
            return None;
        }
        // The switch of index 0 comes first, with all of its tier.
        let is_other = |&number: &u32| self.pair(number).0.0 != 0;
        let (a, tier) = (df.a(), (0..self.count).find(is_other).unwrap_or(self.count) + 1);
        let pairs = |size: u32| size.wrapping_mul(size.wrapping_sub(1)) / 2;
        let of_group = pairs(tier).wrapping_add(pairs(a.wrapping_sub(tier)));
        let is_of_tier = |number| {
            let (low, high) = self.pair(number);
            let (low, high) = (u32::from(df.place(low).1.0), u32::from(high.0));
            self.links.get(number) == 0 && (low < tier) == (high < tier)
        };
        let are_all = tier < a
            && self.count == df.g().wrapping_mul(of_group)
            && (0..self.count).all(is_of_tier);
        if are_all { u8::try_from(tier).ok() } else { None }
    }

    /// Checks that for each kind some pair has as many links as it states: otherwise it would state fewer.
    fn check_kinds(&self, df: &Dragonfly, at: usize, refusal: &mut Refusal) -> Option<()> {
        let (mut first, mut number) = (0, 0);
        for kind in df.kinds() {
            let (a, g) = (u32::from(kind.a), u32::from(kind.g));
            let end = first + df.a().wrapping_mul(g);
            let before = number;
            while number < self.count && u32::from(self.pair(number).0.0) < end {
                number += 1;
            }
            let pairs = (a * a.saturating_sub(1) / 2).wrapping_mul(g);
            if number > before && number - before >= pairs {
                return refusal.out_of_range(Value::FewerOfAll, at, number - before);
            }
            first = end;
        }
        Some(())
    }

    #[inline]
    fn pair(&self, number: u32) -> (SwitchId, SwitchIndex) {
        let entry = self.pairs.get(number);
        let index = entry & ((1 << self.index_bits) - 1);
        #[expect(clippy::cast_possible_truncation, reason = "16 and 8 bits")]
        let pair = (SwitchId((entry >> self.index_bits) as u16), SwitchIndex(index as u8));
        pair
    }

    /// All of them, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = FewerLinks> + use<'a> {
        let fewer = *self;
        (0..fewer.count).map(move |number| {
            let (low, high) = fewer.pair(number);
            #[expect(clippy::cast_possible_truncation, reason = "at most 2⁶")]
            let links = fewer.links.get(number) as u16;
            FewerLinks { low, high, links }
        })
    }

    /// How switches of a group are joined, with these pairs.
    pub(crate) fn group_links(&self, df: &Dragonfly) -> GroupLinks {
        GroupLinks::settled(self.whole, self.is_empty() && df.has_single_links())
    }

    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many links join two existing, different switches of a group. A search of at most 24 steps.
    #[cold]
    #[inline(never)]
    pub(crate) fn links(
        &self,
        df: &Dragonfly,
        group: GroupId,
        (one, other): (SwitchIndex, SwitchIndex),
    ) -> u32 {
        let (low, high) = if one < other { (one, other) } else { (other, one) };
        let wanted = u32::from(df.switch(group, low).0) << self.index_bits | u32::from(high.0);
        let (mut first, mut end) = (0, self.count);
        while first < end {
            let middle = first.midpoint(end);
            let found = self.pairs.get(middle);
            if found == wanted {
                return self.links.get(middle);
            }
            if found < wanted {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        df.kind_of(group).local_links.into()
    }

    /// How many links the plan has between two existing, different switches of a group.
    #[inline]
    pub(crate) fn planned(
        &self,
        df: &Dragonfly,
        group: GroupId,
        pair: (SwitchIndex, SwitchIndex),
    ) -> u32 {
        let is_of_first = |index: SwitchIndex| index.0 < self.tiers;
        if self.is_empty() || self.tiers > 0 && is_of_first(pair.0) != is_of_first(pair.1) {
            df.kind_of(group).local_links.into()
        } else if self.tiers > 0 {
            0
        } else {
            self.links(df, group, pair)
        }
    }

    /// See [`crate::FabricImage::tiers`].
    #[inline]
    pub(crate) const fn tiers(&self) -> Option<SwitchIndex> {
        if self.tiers > 0 { Some(SwitchIndex(self.tiers)) } else { None }
    }
}

/// The most links between two switches of any kind.
pub(crate) fn most_links(df: &Dragonfly) -> u32 {
    df.kinds().map(|kind| u32::from(kind.local_links)).max().unwrap_or(0)
}

/// The two sections of an image.
#[cfg(feature = "alloc")]
pub(crate) fn append(out: &mut alloc::vec::Vec<u8>, df: &Dragonfly, fewer: &[FewerLinks]) {
    let index_bits = width_for(df.a() - 1);
    let pair_bits = width_for(df.switch_numbers() - 1) + index_bits;
    let pair = |pair: &FewerLinks| u32::from(pair.low.0) << index_bits | u32::from(pair.high.0);
    crate::packed::append(out, pair_bits, fewer.iter().map(pair));
    let link_bits = width_for(most_links(df).saturating_sub(1));
    crate::packed::append(out, link_bits, fewer.iter().map(|pair| pair.links.into()));
}
