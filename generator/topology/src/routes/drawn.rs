//! How often each path from one switch to another is drawn, by the rule of a set.
//!
//! These are the draws of a switch, with the levels by which its image thins the set, if any. Candidates for MIN are
//! drawn uniformly by the link between the groups, VLB candidates as the rule says. Within a group VLB goes through a
//! third switch, uniformly, whatever the set. A hop through a third switch takes each such switch with the same
//! probability.

use super::chances::{real, shape_weights};
use super::minimal;
use super::walk::Walk;
use super::ways::{Way, routes, ways_of};
use crate::Topology;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use tvlb_schema::{Dragonfly, GlobalPort, Level, Route, SetRule, Shape, SwitchId, SwitchIndex};

/// The paths from one switch to another, and how often each is drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnPaths {
    pub source: SwitchId,
    pub destination: SwitchId,
    /// The MIN paths, by rising port; their probabilities add up to 1 unless there are none.
    pub min: Vec<DrawnMin>,
    /// The VLB paths of the set, by rising intermediate group, port x, port y and detour, the one without a detour
    /// first. Their probabilities add up to 1 unless there are none.
    pub vlb: Vec<DrawnVlb>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DrawnMin {
    /// The switches from source to destination.
    pub switches: Walk,
    /// The global port through which it leaves the source group, index·h + slot; `None` within a group.
    pub x: Option<GlobalPort>,
    /// How often it is drawn among the MIN paths.
    pub probability: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DrawnVlb {
    /// The switches from source to destination.
    pub switches: Walk,
    /// The global port through which it leaves the source group, index·h + slot; `None` within a group.
    pub x: Option<GlobalPort>,
    /// The global port through which it leaves the intermediate group; `None` within a group.
    pub y: Option<GlobalPort>,
    /// The index of the switch through which it goes although no link of its own leads there: in the intermediate
    /// group, or within a group the third switch.
    pub detour: Option<SwitchIndex>,
    /// Local hops in the three groups; `None` within a group.
    #[serde(serialize_with = "digits")]
    pub shape: Option<Shape>,
    /// How often it is drawn among the VLB paths.
    pub probability: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn shape_digits<S: Serializer>(shape: &Shape, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(shape)
}

#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn digits<S: Serializer>(shape: &Option<Shape>, serializer: S) -> Result<S::Ok, S::Error> {
    match shape {
        Some(shape) => shape_digits(shape, serializer),
        None => serializer.serialize_none(),
    }
}

/// The VLB paths of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DrawnShape {
    /// Local hops in the three groups.
    #[serde(serialize_with = "shape_digits")]
    pub shape: Shape,
    /// Hops from switch to switch.
    pub hops: u8,
    /// How many paths have the shape.
    pub paths: usize,
    /// How often one of them is drawn among the VLB paths.
    pub probability: f64,
}

impl DrawnPaths {
    /// The VLB paths between groups by rising shape, without shapes that no path has.
    pub fn shapes(&self) -> impl Iterator<Item = DrawnShape> {
        Shape::all().filter_map(|shape| {
            let of_shape = self.vlb.iter().filter(|path| path.shape == Some(shape));
            let probabilities = of_shape.map(|path| path.probability);
            let (paths, probability) =
                probabilities.fold((0, 0.0), |(paths, sum), each| (paths + 1, sum + each));
            let drawn = DrawnShape { shape, hops: shape.hops(), paths, probability };
            (paths > 0).then_some(drawn)
        })
    }

    /// The switches of all paths, including the source and the destination.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> {
        let min = self.min.iter().flat_map(|path| path.switches.switches());
        let vlb = self.vlb.iter().flat_map(|path| path.switches.switches());
        [self.source, self.destination].into_iter().chain(min.chain(vlb).copied())
    }

    /// The paths from one switch to another. None of VLB from a switch to itself.
    pub fn new(
        topology: &Topology,
        rule: &SetRule,
        source: SwitchId,
        destination: SwitchId,
    ) -> Self {
        Self::thinned(topology, (rule, &[]), source, destination)
    }

    /// As [`Self::new`], if the source thins the set to a level for each global port of its group; an empty list thins
    /// nothing.
    pub fn thinned(
        topology: &Topology,
        (rule, levels): (&SetRule, &[Level]),
        source: SwitchId,
        destination: SwitchId,
    ) -> Self {
        let min = minimal::drawn(topology, source, destination)
            .map(|(path, probability)| DrawnMin { switches: path.walk, x: path.x, probability })
            .collect();
        let (df, pair) = (topology.dragonfly(), (source, destination));
        let vlb = if df.place(source).0 == df.place(destination).0 {
            within_group(topology, source, destination)
        } else if let Some(ways) = ways_of(topology, rule, source, destination) {
            through_switches(df, pair, ways)
        } else {
            by_rule(topology, (rule, levels), pair)
        };
        Self { source, destination, min, vlb }
    }
}

/// Through any third switch of the group.
fn within_group(topology: &Topology, source: SwitchId, destination: SwitchId) -> Vec<DrawnVlb> {
    let df = topology.dragonfly();
    let ((group, here), (_, there)) = (df.place(source), df.place(destination));
    let thirds: Vec<SwitchIndex> =
        if here == there { Vec::new() } else { topology.relays(group, here, there).collect() };
    let probability = 1.0 / real(thirds.len() as u64);
    let through = |&index: &SwitchIndex| DrawnVlb {
        switches: Walk::at(source).to(df.switch(group, index)).to(destination),
        x: None,
        y: None,
        detour: Some(index),
        shape: None,
        probability,
    };
    thirds.iter().map(through).collect()
}

impl DrawnVlb {
    /// A walk between groups.
    fn of(df: &Dragonfly, pair: (SwitchId, SwitchId), way: &Way, probability: f64) -> Self {
        let Route { x, y, detour } = way.route();
        let (x, y, shape) = (Some(x), Some(y), Some(way.shape()));
        Self { switches: way.walk(df, pair), x, y, detour, shape, probability }
    }
}

/// The kept routes, drawn by route or by shape.
fn by_rule(
    topology: &Topology,
    set: (&SetRule, &[Level]),
    (source, destination): (SwitchId, SwitchId),
) -> Vec<DrawnVlb> {
    let (df, pair) = (topology.dragonfly(), (source, destination));
    let kept = routes(topology, source, destination).filter(|way| way.is_kept(df, set, pair));
    let kept: Vec<Way> = kept.collect();
    let mut found = [0; Shape::COUNT];
    for way in &kept {
        found[way.shape().number()] += 1;
    }
    let weights = shape_weights(set.0, &found);
    let total = weights.iter().sum();
    let by_shape = set.0.is_by_shape();
    let probability = |shape: usize| {
        let of_shape = || real(weights[shape]) / real(total) * (1.0 / real(found[shape]));
        if by_shape { of_shape() } else { 1.0 / real(total) }
    };
    let drawn = |way: &Way| DrawnVlb::of(df, pair, way, probability(way.shape().number()));
    kept.iter().map(drawn).collect()
}

/// The walks over intermediate switches. A walk over either of two of them is one path.
fn through_switches(
    df: &Dragonfly,
    pair: (SwitchId, SwitchId),
    ways: impl Iterator<Item = Way>,
) -> Vec<DrawnVlb> {
    let mut paths = BTreeMap::new();
    for way in ways {
        let Route { x, y, detour } = way.route();
        let path = paths.entry((way.crossing.middle, x, y, detour));
        path.or_insert_with(|| DrawnVlb::of(df, pair, &way, 0.0)).probability += way.weight();
    }
    let total: f64 = paths.values().map(|path: &DrawnVlb| path.probability).sum();
    paths
        .into_values()
        .map(|path| DrawnVlb { probability: path.probability / total, ..path })
        .collect()
}

#[cfg(test)]
mod tests;
