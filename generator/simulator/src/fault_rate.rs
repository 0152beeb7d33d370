//! Parts that die and are mended at a rate: a list of what is dead when, drawn from a seed.
//!
//! Failures of the whole fabric follow each other after numbers of cycles that are drawn from a geometric
//! distribution, and so is the number of cycles that each lasts. Each failure takes one part, drawn uniformly from
//! those of the named kinds that live.

use crate::arrivals::Gaps;
use crate::fabric::BootedFabric;
use crate::network::stream;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use tvlb_schema::{End, FabricImage, FaultSet, LocalLink, SwitchId, SwitchIndex};
use tvlb_traffic::below;

/// The stream of random numbers of failures, apart from those of nodes, switches and delays.
const STREAM: u64 = 3 << 32;

/// A kind of part that can die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// A cable between two groups.
    Cable,
    /// A link within a group.
    LocalLink,
    /// A switch with all its cables and links.
    Switch,
}

/// How often parts die, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRate {
    /// The mean number of cycles from one failure of the fabric to the next.
    pub mean_cycles_between: NonZeroU32,
    /// The mean number of cycles until a part is mended; without it what dies stays dead.
    pub mean_cycles_dead: Option<NonZeroU32>,
    /// What can die.
    pub kinds: BTreeSet<PartKind>,
    /// Decides what dies when.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Cable(End),
    LocalLink(LocalLink),
    Switch(SwitchId),
}

impl FaultRate {
    /// What is dead from which cycle on, as [`FaultSchedule::new`](crate::FaultSchedule::new) takes it: an
    /// entry for each cycle before `end` in which a part dies or is mended. No part dies while all are dead.
    pub fn entries(&self, fabric: &BootedFabric<'_>, end: u32) -> Vec<(u32, FaultSet)> {
        let parts = parts(fabric.plan(), &self.kinds);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream(self.seed, STREAM));
        let between = gaps(self.mean_cycles_between);
        let dead_for = self.mean_cycles_dead.map(gaps);
        // When each part is mended that is dead; what is never mended stands at the end of time.
        let mut dead: BTreeSet<(u32, Part)> = BTreeSet::new();
        let mut entries = Vec::new();
        let mut failure = between.draw(&mut rng);
        loop {
            let mended = dead.first().map_or(u32::MAX, |&(cycle, _)| cycle);
            let now = failure.min(mended);
            if now >= end {
                return entries;
            }
            while dead.first().is_some_and(|&(cycle, _)| cycle == now) {
                dead.pop_first();
            }
            if failure == now {
                let is_dead = |part: &Part| dead.iter().any(|(_, other)| other == part);
                let live: Vec<Part> = parts.iter().copied().filter(|part| !is_dead(part)).collect();
                let count = u32::try_from(live.len()).expect("parts are numbered in 32 bits");
                if count > 0 {
                    let part = live[below(&mut rng, count) as usize];
                    let until = match &dead_for {
                        Some(dead_for) => now.saturating_add(dead_for.draw(&mut rng)),
                        None => u32::MAX,
                    };
                    dead.insert((until, part));
                }
                failure = now.saturating_add(between.draw(&mut rng));
            }
            entries.push((now, set_of(dead.iter().map(|&(_, part)| part))));
        }
    }
}

/// Numbers of cycles with this mean.
fn gaps(mean: NonZeroU32) -> Gaps {
    Gaps::new(1.0 / f64::from(mean.get()))
}

fn set_of(parts: impl Iterator<Item = Part>) -> FaultSet {
    let mut set = FaultSet::default();
    for part in parts {
        match part {
            Part::Cable(end) => drop(set.cables.insert(end)),
            Part::LocalLink(link) => drop(set.local_links.insert(link)),
            Part::Switch(switch) => drop(set.switches.insert(switch)),
        }
    }
    set
}

fn parts(plan: &FabricImage<'_>, kinds: &BTreeSet<PartKind>) -> Vec<Part> {
    let df = plan.dragonfly();
    let mut parts = Vec::new();
    if kinds.contains(&PartKind::Cable) {
        let ends =
            df.groups().flat_map(|group| df.global_ports().map(move |port| End { group, port }));
        let lower = ends.filter(|&end| plan.peer(end).is_some_and(|peer| end < peer));
        parts.extend(lower.map(Part::Cable));
    }
    for group in df.groups().filter(|_| kinds.contains(&PartKind::LocalLink)) {
        let pairs = |one: SwitchIndex| {
            df.indices(group).filter(move |&other| one < other).map(move |other| (one, other))
        };
        for (one, other) in df.indices(group).flat_map(pairs) {
            let count = plan.planned_local_links(group, one, other);
            parts.extend((0..count).map(|number| {
                let number = u16::try_from(number).expect("a switch has at most 256 ports");
                Part::LocalLink(LocalLink { low: df.switch(group, one), high: other, number })
            }));
        }
    }
    if kinds.contains(&PartKind::Switch) {
        parts.extend(df.switches().map(Part::Switch));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FaultSchedule;
    use crate::test_images::{absolute, dragonfly, images};
    use tvlb_schema::{SetRule, ShapeSet};

    fn rate(kinds: &[PartKind], lasts: Option<u32>, seed: u64) -> FaultRate {
        FaultRate {
            mean_cycles_between: NonZeroU32::new(50).unwrap(),
            mean_cycles_dead: lasts.and_then(NonZeroU32::new),
            kinds: kinds.iter().copied().collect(),
            seed,
        }
    }

    #[test]
    fn failures_come_as_often_and_last_as_long_as_they_should() {
        let df = dragonfly(2, 4, 2, 9);
        let made = images(&df, &absolute(&df), SetRule::whole(ShapeSet::ALL));
        let fabric = BootedFabric::boot(&made.fabric, &made.switches).unwrap();
        let all = [PartKind::Cable, PartKind::LocalLink, PartKind::Switch];
        let entries = rate(&all, Some(200), 1).entries(&fabric, 200_000);
        assert_eq!(entries, rate(&all, Some(200), 1).entries(&fabric, 200_000));
        assert_ne!(entries, rate(&all, Some(200), 2).entries(&fabric, 200_000));
        // By Little's law four parts are dead on average: 200 cycles each, one every 50.
        let count = |n: usize| f64::from(u32::try_from(n).unwrap());
        let size =
            |set: &FaultSet| count(set.cables.len() + set.local_links.len() + set.switches.len());
        let ends = entries.iter().skip(1).map(|entry| entry.0).chain([200_000]);
        let sum: f64 = entries
            .iter()
            .zip(ends)
            .map(|((from, set), to)| f64::from(to - from) * size(set))
            .sum();
        let mean = sum / 200_000.0;
        assert!((mean - 4.0).abs() < 0.4, "{mean}");
        // 36 cables, 54 local links, 36 switches: of each kind its share.
        let cables: f64 = entries.iter().map(|(_, set)| count(set.cables.len())).sum();
        let total: f64 = entries.iter().map(|(_, set)| size(set)).sum();
        assert!((cables / total - 36.0 / 126.0).abs() < 0.05, "{}", cables / total);
        FaultSchedule::new(&fabric, &entries, 0..=100).unwrap();
        // One kind alone, never mended, until all are dead.
        let entries = rate(&[PartKind::Switch], None, 3).entries(&fabric, 100_000);
        let last = &entries.last().unwrap().1;
        assert_eq!((last.switches.len(), last.cables.len()), (36, 0));
        assert!(rate(&[PartKind::Switch], None, 3).entries(&fabric, 1).is_empty());
    }
}
