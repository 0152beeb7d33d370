//! How VLB paths load the links, in flits per cycle where every node sends one flit per cycle, evenly
//! to all switches of other groups and by VLB only: a measure of the paths, not of what UGAL makes
//! of them.
//!
//! Where there are not too many paths they are counted, all of them ([`counted`](LinkLoads::counted));
//! on very large fabrics packets are followed instead ([`sampled`](super::sampled)). Both take what
//! the images say, a balance of loads included.

use crate::balance::link_use::{Draw, LinkUse};
use crate::routes::count::RouteCounter;
use crate::topology::links::LinkNumbers;
use tvlb_schema::{Dragonfly, End};

/// How the loads were come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every path was counted by how often it is drawn.
    Counted,
    /// Packets were followed.
    Sampled {
        /// For each pair of switches of different groups; 0 where there are so many pairs that
        /// destinations were drawn at random.
        per_pair: u32,
        /// From each switch.
        sent: u32,
    },
}

/// What the links carry, in flits per cycle where every node sends one flit per cycle by VLB.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLoads {
    pub(super) df: Dragonfly,
    /// How the loads were found.
    pub method: Method,
    /// By number, see [`LinkNumbers`]: the load of that link; none where there is no link.
    pub(super) loads: Vec<Option<f64>>,
    /// The group at its other end.
    pub(super) to_group: Vec<u32>,
}

/// The links of one kind, summed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean load.
    pub mean: f64,
    /// The busiest link's.
    pub most: f64,
    /// The standard error of a single link's load: 0 if it was counted, else from the number of
    /// packets that were followed.
    pub error: f64,
}

impl LinkLoads {
    /// Counts every path that is drawn so.
    pub fn counted(counter: &RouteCounter<'_>, draw: Draw<'_>) -> Self {
        let topology = counter.topology();
        let df = *topology.dragonfly();
        let used = LinkUse::of(counter, draw);
        // A switch's p nodes send p flits per cycle, evenly to the switches of other groups.
        let unit = f64::from(df.p()) / f64::from((df.switch_count() - df.a()).max(1));
        let numbers = LinkNumbers::new(df);
        let (mut loads, mut to_group) = (vec![None; numbers.count()], vec![0; numbers.count()]);
        for group in df.groups() {
            for from in df.indices() {
                for to in df.indices().filter(|&to| to != from) {
                    let number = numbers.local(group, from, to);
                    loads[number] = Some(used.local(group, from, to) * unit);
                    to_group[number] = u32::from(group.0);
                }
            }
            for port in df.global_ports() {
                let Some(End { group: to, .. }) = topology.peer(End { group, port }) else {
                    continue;
                };
                let number = numbers.global(group, port);
                loads[number] = Some(used.global(group, port) * unit);
                to_group[number] = u32::from(to.0);
            }
        }
        Self { df, method: Method::Counted, loads, to_group }
    }

    /// All links of one kind.
    pub fn spread(&self, global: bool) -> Spread {
        let (mut sum, mut count, mut most) = (0.0, 0.0, 0.0_f64);
        for (_, load) in self.links().filter(|&(number, _)| self.is_global(number) == global) {
            sum += load;
            count += 1.0;
            most = most.max(load);
        }
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let error = match self.method {
            Method::Counted => 0.0,
            Method::Sampled { sent, .. } => {
                (mean * f64::from(self.df.p()) / f64::from(sent.max(1))).sqrt()
            }
        };
        Spread { mean, most, error }
    }

    /// The mean load of the links from one group to another; none where there is no link.
    pub fn between(&self, from: u32, to: u32) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for number in self.of_group(from).filter(|&number| self.is_global(number)) {
            if let Some(load) = self.loads[number].filter(|_| self.to_group[number] == to) {
                sum += load;
                count += 1.0;
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// The load of the busiest link of one kind that leaves a switch; none where it has none.
    pub fn busiest_of(&self, switch: u32, global: bool) -> Option<f64> {
        let numbers = LinkNumbers::new(self.df);
        let leaves = |&number: &usize| {
            numbers.leaves(number).is_some_and(|(from, _)| u32::from(from.0) == switch)
        };
        self.of_group(switch / self.df.a())
            .filter(|&number| self.is_global(number) == global)
            .filter(leaves)
            .filter_map(|number| self.loads[number])
            .reduce(f64::max)
    }

    fn links(&self) -> impl Iterator<Item = (usize, f64)> {
        self.loads.iter().enumerate().filter_map(|(number, load)| Some((number, (*load)?)))
    }

    /// The numbers of the links of one group.
    fn of_group(&self, group: u32) -> std::ops::Range<usize> {
        let per_group = LinkNumbers::new(self.df).per_group();
        group as usize * per_group..(group as usize + 1) * per_group
    }

    fn is_global(&self, number: usize) -> bool {
        LinkNumbers::new(self.df).is_global(number)
    }
}
