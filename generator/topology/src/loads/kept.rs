//! Which routes of a set its source switches keep.

use crate::Topology;
use crate::crossings::Crossing;
use crate::routes::chances::{real, shape_weights};
use crate::routes::ways::Way;
use tvlb_schema::{Keep, Level, SetRule, Shape, SwitchId, SwitchIndex};

/// The routes from one switch to another that a set keeps, if it is drawn by route or by shape.
pub(super) struct KeptRoutes<'k> {
    pub(super) topology: &'k Topology,
    /// The rule, and the levels of the source.
    pub(super) set: (&'k SetRule, &'k [Level]),
    pub(super) pair: (SwitchId, SwitchId),
}

impl KeptRoutes<'_> {
    fn has(&self, crossing: &Crossing, through: SwitchIndex) -> bool {
        let way = Way { crossing: *crossing, through, ways: 1 };
        way.is_kept(self.topology.dragonfly(), self.set, self.pair)
    }

    /// The local hops in the middle of the route without a detour, if it is kept.
    pub(super) fn short(&self, c: &Crossing) -> Option<u8> {
        let is_kept = self.topology.is_local_hop(c.middle, c.v, c.w) && self.has(c, c.w);
        is_kept.then(|| u8::from(c.v != c.w))
    }

    /// How many routes with two hops in the middle are kept, if all of them share one answer.
    pub(super) fn alike(&self, c: &Crossing) -> Option<u32> {
        let (rule, levels) = self.set;
        let is_whole = || levels.get(c.x.from.as_usize()).is_none_or(|&level| level == Level::ALL);
        match rule.keep_of(c.shape(2)) {
            _ if c.v == c.w => Some(0),
            Keep::NONE => Some(0),
            Keep::ALL if self.topology.group_links().is_whole() && is_whole() => {
                Some(self.topology.dragonfly().switches_of(c.middle).saturating_sub(2))
            }
            _ => None,
        }
    }

    /// The detours of the routes with two hops in the middle that are kept.
    pub(super) fn detours(&self, c: &Crossing) -> impl Iterator<Item = SwitchIndex> {
        self.topology.relays(c.middle, c.v, c.w).filter(|&r| self.has(c, r))
    }

    /// How many routes of each shape are kept.
    pub(super) fn counts(&self) -> [u32; Shape::COUNT] {
        let mut found = [0_u32; Shape::COUNT];
        self.topology.crossings(self.pair.0, self.pair.1).for_each(|c| {
            if let Some(mid) = self.short(&c) {
                found[c.shape(mid).number()] += 1;
            }
            let detours = || self.detours(&c).fold(0, |count, _| count + 1);
            found[c.shape(2).number()] += self.alike(&c).unwrap_or_else(detours);
        });
        found
    }

    /// The probability of a single route of each shape, given how many there are of each.
    pub(super) fn chances(&self, found: &[u32; Shape::COUNT]) -> [f64; Shape::COUNT] {
        let weights = shape_weights(self.set.0, &found.map(u64::from));
        let total: f64 = weights.iter().map(|&weight| real(weight)).sum();
        std::array::from_fn(|shape| match found[shape] {
            0 => 0.0,
            count => real(weights[shape]) / total / f64::from(count),
        })
    }
}

/// How many routes a set of routes or shapes keeps from one switch to another if the source thins it to these levels,
/// and their mean hops as drawn, if there are any.
pub fn kept_and_hops(
    topology: &Topology,
    set: (&SetRule, &[Level]),
    pair: (SwitchId, SwitchId),
) -> (u64, Option<f64>) {
    let kept = KeptRoutes { topology, set, pair };
    let found = kept.counts();
    let each = kept.chances(&found);
    let count = Shape::all().map(|shape| u64::from(found[shape.number()])).sum();
    let hops = |shape: Shape| {
        each[shape.number()] * f64::from(found[shape.number()]) * f64::from(shape.hops())
    };
    (count, (count > 0).then(|| Shape::all().map(hops).sum()))
}
