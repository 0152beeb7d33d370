//! Which routes of a set its source switches keep.

use super::draw::Demand;
use crate::Topology;
use crate::crossings::Crossing;
use crate::routes::chances::{real, shape_weights};
use tvlb_schema::{Keep, Level, Route, SetRule, Shape, SwitchId, SwitchIndex};

/// Every crossing of one pair of switches, with the level of the source for routes by its first link.
pub(super) fn crossings(
    topology: &Topology,
    levels: &[Level],
    demand: &Demand,
    mut each: impl FnMut(&Crossing, Level),
) {
    let level = |c: &Crossing| levels.get(c.x.from.as_usize()).copied().unwrap_or(Level::ALL);
    topology.crossings(demand.source, demand.destination).for_each(|c| each(&c, level(&c)));
}

/// Which routes from one switch to another a set keeps, where it is drawn by route or by shape.
pub(super) struct Kept<'k> {
    pub(super) topology: &'k Topology,
    pub(super) rule: &'k SetRule,
    pub(super) demand: &'k Demand,
}

impl Kept<'_> {
    pub(super) fn has(
        &self,
        c: &Crossing,
        level: Level,
        mid: u8,
        detour: Option<SwitchIndex>,
    ) -> bool {
        let Demand { source, destination, .. } = *self.demand;
        let route = || Route { x: c.x.from, y: c.y.from, detour };
        let key = || route().key(self.topology.dragonfly(), source, destination);
        match self.rule.keep_of(c.shape(mid)) {
            Keep::NONE => false,
            Keep::ALL if level == Level::ALL => true,
            _ => self.rule.keeps_at(level, c.shape(mid), key()),
        }
    }

    pub(super) fn has_direct(&self, c: &Crossing, level: Level) -> bool {
        self.topology.is_local_hop(c.middle, c.v, c.w) && self.has(c, level, 1, None)
    }

    /// `Some(kept)` if all routes with two hops in the middle share one answer.
    pub(super) fn all_alike(&self, c: &Crossing, level: Level) -> Option<bool> {
        match self.rule.keep_of(c.shape(2)) {
            Keep::NONE => Some(false),
            Keep::ALL if level == Level::ALL && self.topology.has_whole_groups() => Some(true),
            _ => None,
        }
    }

    /// The routes with two hops in the middle that are kept.
    pub(super) fn detours(&self, c: &Crossing, level: Level) -> impl Iterator<Item = SwitchIndex> {
        let all = self.topology.relays(c.middle, c.v, c.w);
        all.filter(move |&r| self.has(c, level, 2, Some(r)))
    }

    /// How many ways two hops in the middle can go where all its switches are linked.
    pub(super) fn ways(&self, c: &Crossing) -> u32 {
        self.topology.dragonfly().switches_of(c.middle).saturating_sub(2)
    }

    /// How many routes of each shape are kept.
    pub(super) fn counts(&self, levels: &[Level]) -> [u32; Shape::COUNT] {
        let mut found = [0_u32; Shape::COUNT];
        crossings(self.topology, levels, self.demand, |c, level| {
            if c.v == c.w {
                found[c.shape(0).number()] += u32::from(self.has(c, level, 0, None));
                return;
            }
            found[c.shape(1).number()] += u32::from(self.has_direct(c, level));
            found[c.shape(2).number()] += match self.all_alike(c, level) {
                Some(true) => self.ways(c),
                Some(false) => 0,
                None => self.detours(c, level).fold(0, |count, _| count + 1),
            };
        });
        found
    }

    /// The chance of a single route of each shape, where there are so many of each.
    pub(super) fn chances(&self, found: &[u32; Shape::COUNT]) -> [f64; Shape::COUNT] {
        let weights = shape_weights(self.rule, &found.map(u64::from));
        let total: f64 = weights.iter().map(|&weight| real(weight)).sum();
        std::array::from_fn(|shape| match found[shape] {
            0 => 0.0,
            count => real(weights[shape]) / total / f64::from(count),
        })
    }
}

/// How many routes a set of routes or shapes keeps from one switch to another if the source thins it to
/// these levels, and their mean hops as they are drawn, if there are any.
pub fn kept_and_hops(
    topology: &Topology,
    (rule, levels): (&SetRule, &[Level]),
    (source, destination): (SwitchId, SwitchId),
) -> (u64, Option<f64>) {
    let kept = Kept { topology, rule, demand: &Demand { source, destination, amount: 1.0 } };
    let found = kept.counts(levels);
    let each = kept.chances(&found);
    let count = Shape::all().map(|shape| u64::from(found[shape.number()])).sum();
    let hops = |shape: Shape| {
        each[shape.number()] * f64::from(found[shape.number()]) * f64::from(shape.hops())
    };
    (count, (count > 0).then(|| Shape::all().map(hops).sum()))
}
