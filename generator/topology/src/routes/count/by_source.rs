//! The counts of all pairs of a group or a switch, with their common parts summed up once.

use super::RouteCounter;
use super::pairs::{ByWeight, Pairs, by_ends, shape_counts};
use crate::Topology;
use std::sync::Arc;
use tvlb_schema::{GroupId, Shape, SwitchId, SwitchIndex};

/// The counts of all pairs of one source group.
pub struct GroupCounts<'c> {
    pub(super) counter: &'c RouteCounter<'c>,
    pub(super) group: GroupId,
    /// By the destination's number, see [`RouteCounter::by_weight`].
    pub(super) at_destinations: Arc<ByWeight<Vec<Pairs>>>,
}

impl<'c> GroupCounts<'c> {
    /// The counts of all pairs whose source is the switch of this index.
    pub fn source(&self, index: SwitchIndex) -> SourceCounts<'c> {
        let Self { counter, group, at_destinations } = self;
        let df = counter.topology.dragonfly();
        let source = df.switch(*group, index);
        let to_each =
            |weight| df.group_numbers().map(move |to| counter.at_one_end(source, to, weight));
        SourceCounts {
            counter,
            source,
            group: *group,
            at_both: counter.by_weight(|weight| counter.at_both(source, weight)),
            at_destinations: Arc::clone(at_destinations),
            at_source: counter.by_weight(|weight| to_each(weight).collect()),
            to_exits: counter.to_exits(source),
        }
    }
}

/// The counts of all pairs of one source switch.
pub struct SourceCounts<'c> {
    counter: &'c RouteCounter<'c>,
    source: SwitchId,
    group: GroupId,
    /// By the destination's number, see [`RouteCounter::by_weight`].
    at_both: ByWeight<Vec<Pairs>>,
    at_destinations: Arc<ByWeight<Vec<Pairs>>>,
    /// By the destination's group.
    at_source: ByWeight<Vec<Pairs>>,
    /// See [`RouteCounter::to_exits`]; empty if every two switches of a group share a link.
    to_exits: Vec<WaysToExit>,
}

impl<'c> SourceCounts<'c> {
    pub fn topology(&self) -> &'c Topology {
        self.counter.topology
    }

    pub fn source(&self) -> SwitchId {
        self.source
    }

    /// As [`RouteCounter::counts`] from this source, in time that does not depend on h if every two switches of a group
    /// share a link, and else in proportion to the links of the destination's group.
    pub fn counts(&self, destination: SwitchId) -> [u64; Shape::COUNT] {
        let to = self.topology().dragonfly().place(destination).0;
        if to == self.group {
            return [0; Shape::COUNT];
        }
        if !self.topology().group_links().is_whole() {
            return self.over_exits(destination);
        }
        let (number, to) = (destination.as_usize(), to.as_usize());
        let ends = |weight| {
            by_ends(
                self.at_both.of(weight)[number],
                self.at_source.of(weight)[to],
                self.at_destinations.of(weight)[number],
                self.counter.anywhere.of(weight)[self.group.as_usize() * self.counter.groups + to],
            )
        };
        shape_counts(self.counter.with_others(self.counter.by_weight(ends)))
    }

    /// The counts over each link into the destination's group.
    fn over_exits(&self, destination: SwitchId) -> [u64; Shape::COUNT] {
        let (topology, df) = (self.topology(), self.topology().dragonfly());
        let (to, there) = df.place(destination);
        let mut counts = [0; Shape::COUNT];
        for middle in df.groups() {
            for y in topology.links(middle, to) {
                let (w, z) = (df.split_port(y.from).0, df.split_port(y.to).0);
                if !topology.is_local_hop(to, z, there) {
                    continue;
                }
                let ways = &self.to_exits[df.switch(middle, w).as_usize()];
                for (is_head, by_mid) in [false, true].into_iter().zip(ways) {
                    for (mid, count) in (0..).zip(by_mid) {
                        counts[Shape::of_walk(is_head, mid, z != there).number()] += count;
                    }
                }
            }
        }
        counts
    }
}

/// How many ways lead to a switch of an intermediate group, by local hops in the source group, none or one, and in that
/// group.
type WaysToExit = [[u64; 3]; 2];

impl RouteCounter<'_> {
    /// By the number of a switch, how many ways lead from a source to where a second link may leave it.
    fn to_exits(&self, source: SwitchId) -> Vec<WaysToExit> {
        let (topology, df) = (self.topology, self.topology.dragonfly());
        if topology.group_links().is_whole() {
            return Vec::new();
        }
        let mut ways = vec![WaysToExit::default(); df.switch_numbers() as usize];
        let (from, here) = df.place(source);
        for middle in df.groups() {
            for x in topology.links(from, middle) {
                let (u, v) = (df.split_port(x.from).0, df.split_port(x.to).0);
                if !topology.is_local_hop(from, here, u) {
                    continue;
                }
                for w in df.indices(middle) {
                    let of_exit =
                        &mut ways[df.switch(middle, w).as_usize()][usize::from(u != here)];
                    if v == w {
                        of_exit[0] += 1;
                    } else {
                        of_exit[1] += u64::from(topology.is_local_hop(middle, v, w));
                        of_exit[2] += self.thirds(middle, v, w);
                    }
                }
            }
        }
        ways
    }
}
