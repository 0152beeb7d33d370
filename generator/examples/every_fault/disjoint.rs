//! Paths that share no link: fewer dead cables and local links than paths cannot take them all.
//!
//! Of n paths of which no two share a link, n - 1 dead links leave one (the easy half of Menger's theorem). So three
//! such paths for every pair of switches prove that no two faults cut any pair off, without trying the pairs of faults,
//! of which a large fabric has a hundred million.

use std::collections::BTreeSet;
use tvlb_schema::End;
use tvlb_schema::{GlobalPort, GroupId, SwitchId, SwitchIndex};
use tvlb_topology::Topology;

/// A link, in either direction: a cable by its lower end, or all local links of two switches of a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Link {
    Cable(End),
    Local(GroupId, SwitchIndex, SwitchIndex),
}

/// Paths between two switches of which no two share a link, as many as a greedy search finds: there can be more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Disjoint {
    /// Minimal ones.
    pub(super) min: usize,
    /// All, minimal ones and VLB paths.
    pub(super) all: usize,
}

/// Searches paths from one switch to another that share no link, until there are `enough`. Several links between two
/// switches of a group count as one.
pub(super) fn disjoint(
    plan: &Topology,
    (from, to): (SwitchId, SwitchId),
    enough: usize,
) -> Disjoint {
    let mut found = Found { plan, used: BTreeSet::new(), count: 0 };
    let df = plan.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    let index = |port| df.split_port(port).0;
    if own == group {
        found.try_path(&[(own, here, there)], &[]);
        let min = found.count;
        for third in df.indices(own).filter(|&third| third != here && third != there) {
            if found.count < enough {
                found.try_path(&[(own, here, third), (own, third, there)], &[]);
            }
        }
        return Disjoint { min, all: found.count };
    }
    for link in plan.links(own, group) {
        if found.count < enough {
            let locals = [(own, here, index(link.from)), (group, index(link.to), there)];
            found.try_path(&locals, &[(own, link.from)]);
        }
    }
    let min = found.count;
    if min < enough {
        for crossing in plan.crossings(from, to) {
            let locals = [
                (own, here, crossing.u),
                (crossing.middle, crossing.v, crossing.w),
                (group, crossing.z, there),
            ];
            found.try_path(&locals, &[(own, crossing.x.from), (crossing.middle, crossing.y.from)]);
            if found.count >= enough {
                break;
            }
        }
    }
    Disjoint { min, all: found.count }
}

/// The paths that were found, and the links that they use.
struct Found<'p> {
    plan: &'p Topology,
    used: BTreeSet<Link>,
    count: usize,
}

impl Found<'_> {
    /// Counts a path, if it is one, and none before it has any of its links.
    fn try_path(
        &mut self,
        locals: &[(GroupId, SwitchIndex, SwitchIndex)],
        globals: &[(GroupId, GlobalPort)],
    ) {
        let is_hop = |&(_, one, other): &&(GroupId, SwitchIndex, SwitchIndex)| one != other;
        let locals = locals.iter().filter(is_hop);
        if !locals.clone().all(|&(group, one, other)| self.plan.is_local_hop(group, one, other)) {
            return;
        }
        let cables = globals.iter().filter_map(|&(group, port)| {
            let end = End { group, port };
            self.plan.peer(end).map(|peer| Link::Cable(end.min(peer)))
        });
        let locals =
            locals.map(|&(group, one, other)| Link::Local(group, one.min(other), one.max(other)));
        let links: Vec<Link> = locals.chain(cables).collect();
        if links.iter().all(|link| !self.used.contains(link)) {
            self.used.extend(links);
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_generator::faults::lost_pairs;
    use tvlb_schema::{Dragonfly, FaultSet};
    use tvlb_topology::arrangement::{Arrangement, arrange};

    /// One minimal path, and VLB paths over other cables.
    #[test]
    fn one_cable_between_two_groups() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let plan = arrange(df, Arrangement::Absolute, 1).unwrap();
        let found = disjoint(&plan, (SwitchId(0), SwitchId(20)), 3);
        assert_eq!((found.min, found.all), (1, 3));
    }

    /// If there are three disjoint paths, no two cables cut a pair off, tried one by one; and if two minimal ones are
    /// disjoint, no single cable takes the last.
    #[test]
    fn what_disjoint_paths_promise_holds() {
        let df = Dragonfly::new(1, 4, 2, 5).unwrap();
        let plan = arrange(df, Arrangement::Random, 2).unwrap();
        let pairs = || df.switches().flat_map(|from| df.switches().map(move |to| (from, to)));
        let pairs = || pairs().filter(|(from, to)| from != to);
        assert!(pairs().all(|pair| disjoint(&plan, pair, 3).all == 3));
        let ends: Vec<_> = plan.cables().iter().map(|cable| cable.low).collect();
        for (number, &one) in ends.iter().enumerate() {
            for &other in &ends[number..] {
                let dead = FaultSet { cables: [one, other].into(), ..FaultSet::default() };
                assert_eq!(lost_pairs(&plan, &dead).1, 0);
            }
        }
        let between = |(from, to): &(SwitchId, SwitchId)| df.place(*from).0 != df.place(*to).0;
        assert!(pairs().filter(between).all(|pair| disjoint(&plan, pair, 2).min == 2));
        for &one in &ends {
            let dead = FaultSet { cables: [one].into(), ..FaultSet::default() };
            assert_eq!(lost_pairs(&plan, &dead), (0, 0));
        }
    }

    /// Two cables at one switch: a dead local link can take the way to both.
    #[test]
    fn paths_over_one_local_link_are_not_disjoint() {
        let df = Dragonfly::new(1, 2, 2, 3).unwrap();
        let leaves = |plan: &Topology| -> BTreeSet<_> {
            let links = plan.links(GroupId(0), GroupId(1)).iter();
            links.map(|link| df.split_port(link.from).0).collect()
        };
        let plans = (0..100).map(|seed| arrange(df, Arrangement::Random, seed).unwrap());
        let plan = plans.into_iter().find(|plan| leaves(plan).len() == 1).unwrap();
        let with = *leaves(&plan).first().unwrap();
        let without = df.indices(GroupId(0)).find(|&index| index != with).unwrap();
        for to in df.switches_in(GroupId(1)) {
            assert_eq!(disjoint(&plan, (df.switch(GroupId(0), without), to), 3).min, 1);
        }
    }
}
