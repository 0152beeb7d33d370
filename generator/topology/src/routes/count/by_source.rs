//! The counts of all pairs of a group or a switch, of which what the pairs share is summed up once.

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
}

impl<'c> SourceCounts<'c> {
    pub fn topology(&self) -> &'c Topology {
        self.counter.topology
    }

    pub fn source(&self) -> SwitchId {
        self.source
    }

    /// As [`RouteCounter::counts`] from this source, in time that does not depend on h where every two
    /// switches of a group share a link.
    pub fn counts(&self, destination: SwitchId) -> [u64; Shape::COUNT] {
        let to = self.topology().dragonfly().place(destination).0;
        if to == self.group {
            return [0; Shape::COUNT];
        }
        if !self.topology().group_links().is_whole() {
            return self.counter.counts(self.source, destination);
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
}
