//! What the tables of links say of the routes from one group to another: how many there are, for
//! each two switches and each shape, and whether there is any path at all.
//!
//! A *crossing* is a first and a second global link that share their intermediate group. Counting
//! crossings by the switches at their two outer ends gives the routes of all pairs of switches of two
//! groups at once, without a walk.
//!
//! The topology crate has crossings too. Verification has its own, from the fabric image, because it
//! must not share an error with what it verifies.

use super::VerifyError;
use super::dead::is_live;
use super::packet::BootedSwitches;
use tvlb_progress::Progress;
use tvlb_schema::{End, FabricImage, GlobalPort, GroupId, Shape, SwitchIndex};

/// A first global link.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstLink {
    pub(super) x: GlobalPort,
    /// The group that it leads to.
    pub(super) middle: GroupId,
    /// The switch there.
    pub(super) v: SwitchIndex,
}

/// The global links that leave a group and live, by port.
pub(super) fn first_links(fabric: &FabricImage<'_>, group: GroupId) -> Vec<FirstLink> {
    let df = fabric.dragonfly();
    let link = |x| {
        let end = End { group, port: x };
        let peer = fabric.peer(end).filter(|_| is_live(fabric, end))?;
        Some(FirstLink { x, middle: peer.group, v: df.split_port(peer.port).0 })
    };
    df.global_ports().filter_map(link).collect()
}

/// The links from one group to another that live, by the fabric image.
pub(super) fn links(
    fabric: &FabricImage<'_>,
    from: GroupId,
    to: GroupId,
) -> impl Iterator<Item = (GlobalPort, GlobalPort)> {
    let links = fabric.links(from, to);
    let ends = (0..links.count()).filter_map(move |k| fabric.nth(links, k));
    ends.filter(move |&(port, _)| is_live(fabric, End { group: from, port }))
}

/// The crossings from one group to another, counted by the indices of the switches that x leaves and
/// at which the second link arrives.
#[derive(Debug)]
pub(super) struct Crossings {
    a: usize,
    /// Those that meet on one switch of the intermediate group, and those that do not.
    kinds: [Counts; 2],
    /// Detours over each other switch of the intermediate group: as many for each of the second kind,
    /// or, where groups differ in size, counted one by one.
    detours_of_all: Option<u64>,
    detours: Counts,
    /// Where two switches of a group share no link: the switches that x leaves and at which the second
    /// link arrives, and how many routes there are with 0, 1 and 2 hops between. Then only these count.
    listed: Option<Vec<(SwitchIndex, SwitchIndex, [u32; 3])>>,
}

#[derive(Debug)]
struct Counts {
    /// By a · (index of x) + (index of the arrival).
    both: Vec<u32>,
    by_x: Vec<u32>,
    by_arrival: Vec<u32>,
    all: u32,
}

impl Counts {
    fn new(a: usize) -> Self {
        Self { both: vec![0; a * a], by_x: vec![0; a], by_arrival: vec![0; a], all: 0 }
    }

    fn clear(&mut self) {
        self.both.fill(0);
        self.by_x.fill(0);
        self.by_arrival.fill(0);
        self.all = 0;
    }

    /// Adds so many of x and y that leave this switch and arrive at that one, whose place among both
    /// is given.
    #[inline]
    fn add(&mut self, both: usize, (own, there): (usize, usize), count: u32) {
        self.both[both] += count;
        self.by_x[own] += count;
        self.by_arrival[there] += count;
        self.all += count;
    }

    /// Those from one switch to another by (head, tail).
    fn by_ends(&self, a: usize, own: usize, there: usize) -> [(bool, bool, u64); 4] {
        let both = u64::from(self.both[own * a + there]);
        let with_tail = u64::from(self.by_x[own]) - both;
        let with_head = u64::from(self.by_arrival[there]) - both;
        let with_both = u64::from(self.all) - both - with_tail - with_head;
        [
            (false, false, both),
            (false, true, with_tail),
            (true, false, with_head),
            (true, true, with_both),
        ]
    }
}

/// Work of some milliseconds at most is done between two looks at whether the caller has cancelled it.
pub(super) const STEPS_PER_QUESTION: usize = 1 << 20;

impl Crossings {
    /// None as yet, of groups of this many switches.
    pub(super) fn new(a: u32) -> Self {
        let a = a as usize;
        let kinds = [Counts::new(a), Counts::new(a)];
        Self { a, kinds, detours: Counts::new(a), detours_of_all: None, listed: None }
    }

    /// Counts those from the group of these first links to another.
    pub(super) fn count(
        &mut self,
        fabric: &FabricImage<'_>,
        first: &[FirstLink],
        to: GroupId,
        progress: &dyn Progress,
    ) -> Result<(), VerifyError> {
        for counts in &mut self.kinds {
            counts.clear();
        }
        self.detours.clear();
        let df = fabric.dragonfly();
        let is_even = df.is_even();
        self.detours_of_all = is_even.then(|| self.a.saturating_sub(2) as u64);
        self.listed = (!fabric.has_whole_groups()).then(Vec::new);
        let mut steps = 0;
        for link in first.iter().filter(|link| link.middle != to) {
            let own = usize::from(df.split_port(link.x).0.0);
            for (y, z) in links(fabric, link.middle, to) {
                let there = usize::from(df.split_port(z).0.0);
                let counts = &mut self.kinds[usize::from(df.split_port(y).0 != link.v)];
                counts.add(own * self.a + there, (own, there), 1);
                if let Some(listed) = &mut self.listed {
                    let by_mid = by_mid(fabric, link.middle, link.v, df.split_port(y).0);
                    listed.push((df.split_port(link.x).0, df.split_port(z).0, by_mid));
                }
                if !is_even && df.split_port(y).0 != link.v {
                    // With the links apart there is a detour over each other switch of the group.
                    let detours = df.switches_of(link.middle) - 2;
                    self.detours.add(own * self.a + there, (own, there), detours);
                }
                steps += 1;
                if steps % STEPS_PER_QUESTION == 0 {
                    progress.check()?;
                }
            }
        }
        Ok(())
    }

    /// How many there are.
    pub(super) fn all(&self) -> u64 {
        self.kinds.iter().map(|counts| u64::from(counts.all)).sum()
    }

    /// How many routes of each shape lead from one switch to another.
    pub(super) fn routes(
        &self,
        fabric: &FabricImage<'_>,
        from: (GroupId, SwitchIndex),
        to: (GroupId, SwitchIndex),
    ) -> [u64; Shape::COUNT] {
        let (own, there) = (from.1.as_usize(), to.1.as_usize());
        let mut routes = [0; Shape::COUNT];
        if let Some(listed) = &self.listed {
            for &(u, z, by_mid) in listed {
                if fabric.is_local_hop(from.0, from.1, u) && fabric.is_local_hop(to.0, z, to.1) {
                    for (mid, count) in (0..).zip(by_mid) {
                        routes[Shape::of_walk(u != from.1, mid, z != to.1).number()] +=
                            u64::from(count);
                    }
                }
            }
            return routes;
        }
        for (mid, counts) in (0..).zip(&self.kinds) {
            for (head, tail, count) in counts.by_ends(self.a, own, there) {
                routes[Shape::of_walk(head, mid, tail).number()] += count;
                if mid == 1
                    && let Some(detours) = self.detours_of_all
                {
                    routes[Shape::of_walk(head, 2, tail).number()] += count * detours;
                }
            }
        }
        if self.detours_of_all.is_none() {
            for (head, tail, count) in self.detours.by_ends(self.a, own, there) {
                routes[Shape::of_walk(head, 2, tail).number()] += count;
            }
        }
        routes
    }
}

/// How many routes go through a group from one switch to another with 0, 1 and 2 hops.
fn by_mid(fabric: &FabricImage<'_>, group: GroupId, v: SwitchIndex, w: SwitchIndex) -> [u32; 3] {
    if v == w {
        return [1, 0, 0];
    }
    let direct = fabric.is_local_hop(group, v, w);
    [0, u32::from(direct), fabric.relay_count(group, v, w)]
}

/// How many VLB walks there are in all, counted from above: a detour over each switch but one, or
/// none. Takes time in proportion to the pairs of groups.
pub(super) fn most_walks(fabric: &BootedSwitches<'_>) -> u128 {
    let (df, image) = (&fabric.df, fabric.switches[0].image().fabric());
    let a = u128::from(df.a());
    let within = u128::from(df.g()) * a * a.saturating_sub(1) * a.saturating_sub(2);
    // Over each intermediate group: links into it times links out of it, but not there and back.
    let crossings: u128 = df
        .groups()
        .map(|middle| {
            let counts = df.groups().map(|other| u128::from(image.link_count(middle, other)));
            let (all, squares) =
                counts.fold((0, 0), |(all, squares), n| (all + n, squares + n * n));
            all * all - squares
        })
        .sum();
    within + crossings * a * a * a
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_firmware_model::Switch;
    use tvlb_generator::generate::generate;
    use tvlb_generator::policy::Policy;
    use tvlb_generator::routes::count::RouteCounter;
    use tvlb_generator::topology::arrangement::{Arrangement, arrange};
    use tvlb_schema::{Dragonfly, PerDecision, SetRule, ShapeSet};

    #[test]
    fn routes_are_counted_as_the_generator_counts_them() {
        for (sizes, arrangement) in [
            ([2, 4, 2, 9], Arrangement::Absolute),
            ([1, 3, 2, 5], Arrangement::Palmtree),
            ([1, 4, 3, 6], Arrangement::Random),
            ([1, 2, 5, 3], Arrangement::Relative),
            ([1, 1, 4, 4], Arrangement::Absolute),
        ] {
            let [p, a, h, g] = sizes;
            let df = Dragonfly::new(p, a, h, g).unwrap();
            let topology = arrange(df, arrangement, 3).unwrap();
            let counter = RouteCounter::new(&topology);
            let cables: Vec<_> = topology.cables().iter().map(|c| (c.low, c.high)).collect();
            let bytes = tvlb_schema::encode_fabric_image(&df, &cables);
            let image = FabricImage::decode(&bytes).unwrap();
            let mut crossings = Crossings::new(a);
            for from in df.groups() {
                let first = first_links(&image, from);
                for to in df.groups().filter(|&to| to != from) {
                    crossings.count(&image, &first, to, &()).unwrap();
                    for own in df.indices(from) {
                        for there in df.indices(to) {
                            let expected =
                                counter.counts(df.switch(from, own), df.switch(to, there));
                            assert_eq!(
                                crossings.routes(&image, (from, own), (to, there)),
                                expected
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn walks_are_counted_from_above_group_by_group() {
        let df = Dragonfly::new(1, 4, 3, 6).unwrap();
        let loaded = tvlb_generator::fabric::Fabric::new("x", df, Arrangement::Random, 1).unwrap();
        let policies = PerDecision::same(Policy::from(SetRule::whole(ShapeSet::ALL)));
        let made = generate(&loaded, &policies, &()).unwrap();
        let images = &made.images;
        let switches: Vec<_> =
            images.switches.iter().map(|s| Switch::boot(&images.fabric, s).unwrap()).collect();
        let fabric = BootedSwitches::new(&switches);
        let mut expected = 6 * 4 * 3 * 2;
        let df = fabric.df;
        let image = *switches[0].image().fabric();
        for from in df.groups() {
            for to in df.groups().filter(|&to| to != from) {
                for middle in df.groups().filter(|&k| k != from && k != to) {
                    let crossings = image.link_count(from, middle) * image.link_count(middle, to);
                    expected += u128::from(crossings) * 64;
                }
            }
        }
        assert_eq!(most_walks(&fabric), expected);
    }
}
