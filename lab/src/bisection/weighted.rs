//! The switches of a wiring as vertices with weighted links, group by group.

use super::ratio::Ratio;
use std::ops::Range;
use tvlb_jobs::partition::Graph;
use tvlb_schema::SwitchId;
use tvlb_topology::Topology;

/// The links of a wiring by weight. The links within a group are split: every two of its switches share as many as
/// those that share the fewest (the group's *base*), and the rest is counted with the global links.
#[derive(Clone, Debug)]
pub(super) struct Weighted {
    /// The switches, group by group. A vertex is a place in this list.
    pub(super) switches: Vec<SwitchId>,
    pub(super) groups: Vec<Range<usize>>,
    /// Of each group, the weight of the links that every two of its switches share.
    pub(super) base: Vec<i64>,
    /// The weight of all other links: between groups, and above the base within one.
    pub(super) others: Graph,
    pub(super) all: Graph,
}

impl Weighted {
    pub(super) fn new(topology: &Topology, ratio: Ratio) -> Self {
        let df = topology.dragonfly();
        let (mut switches, mut groups) = (Vec::new(), Vec::new());
        let mut vertex_of = vec![0; df.switch_numbers() as usize];
        for group in df.groups() {
            let first = switches.len();
            for index in df.indices(group) {
                let switch = df.switch(group, index);
                vertex_of[switch.as_usize()] = number(switches.len());
                switches.push(switch);
            }
            groups.push(first..switches.len());
        }
        let (mut base, mut all, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for group in df.groups() {
            let pairs = || {
                df.indices(group).flat_map(move |one| {
                    df.indices(group)
                        .filter(move |other| *other > one)
                        .map(move |other| (one, other))
                })
            };
            let links = |(one, other)| u64::from(topology.links_within(group, one, other));
            let least = pairs().map(links).min().unwrap_or(0);
            base.push(i64::try_from(least * ratio.local()).expect("switches share few links"));
            for pair in pairs() {
                let [one, other] =
                    [pair.0, pair.1].map(|index| vertex_of[df.switch(group, index).as_usize()]);
                all.push((one, other, links(pair) * ratio.local()));
                if links(pair) > least {
                    others.push((one, other, (links(pair) - least) * ratio.local()));
                }
            }
        }
        for cable in topology.cables() {
            let [low, high] = [cable.low, cable.high]
                .map(|end| vertex_of[df.switch(end.group, df.split_port(end.port).0).as_usize()]);
            all.push((low, high, ratio.global()));
            others.push((low, high, ratio.global()));
        }
        let count = number(switches.len());
        let others = Graph::from_edges(count, others);
        let all = Graph::from_edges(count, all);
        Self { switches, groups, base, others, all }
    }

    pub(super) fn group_of(&self, vertex: usize) -> usize {
        self.groups.partition_point(|group| group.end <= vertex)
    }

    /// How many switches the first half has: as many as the second, or one less.
    pub(super) fn half(&self) -> usize {
        self.switches.len() / 2
    }
}

pub(super) fn number(vertex: usize) -> u32 {
    u32::try_from(vertex).expect("switches are numbered by fewer bits")
}
