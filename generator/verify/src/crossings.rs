//! Counts the routes from one group to another in the tables of links, for each two switches and each shape, and tells
//! whether there is any path at all.
//!
//! A *crossing* is a first and a second global link that share their intermediate group. Counting
//! crossings by the switches at their two outer ends gives the routes of all pairs of switches of two
//! groups at once, without a walk.
//!
//! The topology crate has crossings too. Verification has its own, from the fabric image, because it must not share an
//! error with the code that it verifies.

use super::VerifyError;
use super::dead::is_live;
use super::packet::BootedSwitches;
use std::collections::BTreeSet;
use tvlb_base::progress::Progress;
use tvlb_schema::{Dragonfly, End, FabricImage, GlobalPort, GroupId, Shape, SwitchIndex};

#[derive(Clone, Copy, Debug)]
pub(super) struct FirstLink {
    pub(super) x: GlobalPort,
    pub(super) middle: GroupId,
    /// The switch there.
    pub(super) v: SwitchIndex,
}

/// The live global links out of a group, by port.
pub(super) fn first_links(fabric: &FabricImage<'_>, group: GroupId) -> Vec<FirstLink> {
    let df = fabric.dragonfly();
    let link = |x| {
        let end = End { group, port: x };
        let peer = fabric.peer(end).filter(|_| is_live(fabric, end))?;
        Some(FirstLink { x, middle: peer.group, v: df.split_port(peer.port).0 })
    };
    df.global_ports().filter_map(link).collect()
}

/// The live links from one group to another, by the fabric image.
pub(super) fn links(
    fabric: &FabricImage<'_>,
    from: GroupId,
    to: GroupId,
) -> impl Iterator<Item = (GlobalPort, GlobalPort)> {
    let ends = planned_links(fabric, from, to);
    ends.filter(move |&(port, _)| is_live(fabric, End { group: from, port }))
}

/// The links from one group to another, dead ones included.
fn planned_links(
    fabric: &FabricImage<'_>,
    from: GroupId,
    to: GroupId,
) -> impl Iterator<Item = (GlobalPort, GlobalPort)> {
    let links = fabric.links(from, to);
    (0..links.count()).filter_map(move |k| fabric.nth(links, k))
}

/// The pairs of groups, in both orders, with a dead cable.
fn groups_with_dead_cables(fabric: &FabricImage<'_>) -> BTreeSet<(GroupId, GroupId)> {
    if fabric.is_faultless() {
        return BTreeSet::new();
    }
    let df = fabric.dragonfly();
    let ends = df.groups().flat_map(|group| df.global_ports().map(move |port| End { group, port }));
    let dead = ends.filter(|&end| !is_live(fabric, end));
    dead.filter_map(|end| Some((end.group, fabric.peer(end)?.group))).collect()
}

/// The pairs of switches of a group without a live local link, and the pairs of groups with a dead cable.
#[derive(Debug)]
pub(super) struct Unlinked {
    /// By group and index the others with which it shares no link; empty if every two share one.
    of: Vec<Vec<Vec<SwitchIndex>>>,
    with_dead_cables: BTreeSet<(GroupId, GroupId)>,
}

impl Unlinked {
    pub(super) fn of(fabric: &FabricImage<'_>) -> Self {
        let with_dead_cables = groups_with_dead_cables(fabric);
        if fabric.group_links().is_whole() {
            return Self { of: Vec::new(), with_dead_cables };
        }
        let df = fabric.dragonfly();
        let of_switch = |group, one| {
            df.indices(group).filter(|&other| !fabric.is_local_hop(group, one, other)).collect()
        };
        let of_group = |group| df.indices(group).map(|one| of_switch(group, one)).collect();
        let mut of: Vec<Vec<Vec<_>>> = df.group_numbers().map(of_group).collect();
        if of.iter().flatten().all(Vec::is_empty) {
            of.clear();
        }
        Self { of, with_dead_cables }
    }

    /// The number of third switches through which a packet can make two hops from the end of a link to another switch.
    fn detours(&self, fabric: &FabricImage<'_>, link: FirstLink, w: SwitchIndex) -> u32 {
        let (v, group) = (link.v, link.middle);
        let others = fabric.dragonfly().switches_of(group) - 2;
        match (self.from((group, v)), self.from((group, w))) {
            ([], []) => others,
            (none, other) | (other, none) if none.iter().all(|&third| third == w || third == v) => {
                let lost = other.iter().filter(|&&third| third != v && third != w).count();
                others - u32::try_from(lost).expect("a group has at most 2⁸ switches")
            }
            _ => fabric.relay_count(group, v, w),
        }
    }

    /// How many switches share a link with the one at the end of a link.
    fn others(&self, fabric: &FabricImage<'_>, link: FirstLink) -> u32 {
        let unlinked = self.from((link.middle, link.v)).len();
        let unlinked = u32::try_from(unlinked).expect("a group has at most 2⁸ switches");
        fabric.dragonfly().switches_of(link.middle) - 1 - unlinked
    }

    fn from(&self, (group, index): (GroupId, SwitchIndex)) -> &[SwitchIndex] {
        self.of.get(group.as_usize()).map_or(&[], |switches| &switches[index.as_usize()])
    }
}

/// The crossings from one group to another, counted by the indices of the switches that x leaves and at which the
/// second link arrives.
#[derive(Debug)]
pub(super) struct Crossings<'u> {
    unlinked: &'u Unlinked,
    /// The number of routes by hops in the intermediate group: 0, 1 and 2.
    by_mid: [CrossingCounts; 3],
    /// The number of conventional VLB walks that return: from the switch where both links end to another switch, and
    /// straight back. Counted only if `detours_of_all` does not give it.
    returning: CrossingCounts,
    /// Detours over each other switch of the intermediate group: the same for each crossing of one hop, so that no
    /// separate count is needed. `None` if groups differ in size, or lack links.
    detours_of_all: Option<u64>,
}

#[derive(Debug)]
struct CrossingCounts {
    a: usize,
    /// By a · (index of x) + (index of the arrival).
    both: Vec<u64>,
    by_x: Vec<u64>,
    by_arrival: Vec<u64>,
    all: u64,
}

impl CrossingCounts {
    fn new(a: usize) -> Self {
        Self { a, both: vec![0; a * a], by_x: vec![0; a], by_arrival: vec![0; a], all: 0 }
    }

    fn clear(&mut self) {
        self.both.fill(0);
        self.by_x.fill(0);
        self.by_arrival.fill(0);
        self.all = 0;
    }

    /// Adds crossings from the switch that x leaves to the one at which the second link arrives.
    #[inline]
    fn add(&mut self, (own, there): (usize, usize), count: u64) {
        self.both[own * self.a + there] += count;
        self.by_x[own] += count;
        self.by_arrival[there] += count;
        self.all += count;
    }

    /// Those from one switch to another by (head, tail); the given switches of the two groups share no link with the
    /// one, or the other.
    fn by_ends(
        &self,
        (own, there): (usize, usize),
        (not_from, not_to): (&[SwitchIndex], &[SwitchIndex]),
    ) -> [(bool, bool, u64); 4] {
        let count = |x: usize, arrival: usize| self.both[x * self.a + arrival];
        let both = count(own, there);
        let mut with_tail = self.by_x[own] - both;
        let mut with_head = self.by_arrival[there] - both;
        let mut with_both = self.all - both - with_tail - with_head;
        for x in not_from.iter().map(|x| x.as_usize()) {
            with_head -= count(x, there);
            with_both -= self.by_x[x] - count(x, there);
            // Those excluded at both ends are subtracted below, too.
            with_both += not_to.iter().map(|z| count(x, z.as_usize())).sum::<u64>();
        }
        for z in not_to.iter().map(|z| z.as_usize()) {
            with_tail -= count(own, z);
            with_both -= self.by_arrival[z] - count(own, z);
        }
        [
            (false, false, both),
            (false, true, with_tail),
            (true, false, with_head),
            (true, true, with_both),
        ]
    }
}

/// At most some milliseconds of work are done between two checks for cancellation.
pub(super) const STEPS_PER_QUESTION: usize = 1 << 20;

impl<'u> Crossings<'u> {
    /// No crossings yet, for a fabric in which these switches share no link.
    pub(super) fn new(df: &Dragonfly, unlinked: &'u Unlinked) -> Self {
        let counts = || CrossingCounts::new(df.a() as usize);
        let by_mid = [counts(), counts(), counts()];
        let is_alike = df.is_even() && unlinked.of.is_empty();
        let detours_of_all = is_alike.then(|| u64::from(df.a().saturating_sub(2)));
        Self { unlinked, by_mid, returning: counts(), detours_of_all }
    }

    /// Counts those from the group of these first links to another.
    pub(super) fn count(
        &mut self,
        fabric: &FabricImage<'_>,
        first: &[FirstLink],
        to: GroupId,
        progress: &dyn Progress,
    ) -> Result<(), VerifyError> {
        for counts in self.by_mid.iter_mut().chain([&mut self.returning]) {
            counts.clear();
        }
        let df = fabric.dragonfly();
        let mut steps = 0;
        for &link in first.iter().filter(|link| link.middle != to) {
            let own = df.split_port(link.x).0.as_usize();
            let all_live = !self.unlinked.with_dead_cables.contains(&(link.middle, to));
            for (y, z) in planned_links(fabric, link.middle, to)
                .filter(|&(y, _)| all_live || is_live(fabric, End { group: link.middle, port: y }))
            {
                let (w, there) = (df.split_port(y).0, df.split_port(z).0.as_usize());
                let [zero, one, two] = &mut self.by_mid;
                if w == link.v {
                    zero.add((own, there), 1);
                    if self.detours_of_all.is_none() {
                        let others = self.unlinked.others(fabric, link);
                        self.returning.add((own, there), others.into());
                    }
                } else if self.detours_of_all.is_some() {
                    one.add((own, there), 1);
                } else {
                    let is_linked = !self.unlinked.from((link.middle, link.v)).contains(&w);
                    one.add((own, there), u64::from(is_linked));
                    two.add((own, there), self.unlinked.detours(fabric, link, w).into());
                }
                steps += 1;
                if steps % STEPS_PER_QUESTION == 0 {
                    progress.check()?;
                }
            }
        }
        Ok(())
    }

    /// How many there are with no or one hop in the intermediate group, or, if it has none, with two.
    pub(super) fn all(&self) -> u64 {
        self.by_mid.iter().map(|counts| counts.all).sum()
    }

    /// How many routes of each shape lead from one switch to another.
    pub(super) fn routes(
        &self,
        from: (GroupId, SwitchIndex),
        to: (GroupId, SwitchIndex),
    ) -> [u64; Shape::COUNT] {
        let ends = (from.1.as_usize(), to.1.as_usize());
        let not = (self.unlinked.from(from), self.unlinked.from(to));
        let mut routes = [0; Shape::COUNT];
        for (mid, counts) in (0..).zip(&self.by_mid) {
            for (head, tail, count) in counts.by_ends(ends, not) {
                routes[Shape::of_walk(head, mid, tail).number()] += count;
                if mid == 1
                    && let Some(detours) = self.detours_of_all
                {
                    routes[Shape::of_walk(head, 2, tail).number()] += count * detours;
                }
            }
        }
        routes
    }

    /// How many walks the triples from one switch to another make, and the mean hops of a triple; 0 if there are none.
    pub(super) fn triples(
        &self,
        from: (GroupId, SwitchIndex),
        to: (GroupId, SwitchIndex),
    ) -> (u64, f64) {
        let routes = self.routes(from, to);
        let (mut walks, mut triples, mut hops) = (0, 0, 0);
        let mut add = |shape: Shape, count: u64, of_each: u64| {
            walks += count;
            triples += count * of_each;
            hops += count * of_each * u64::from(shape.hops());
        };
        for shape in Shape::all() {
            // If the walk has one hop in the middle, R is at either end of it.
            add(shape, routes[shape.number()], 1 + u64::from(shape.mid() == 1));
        }
        let ends = (from.1.as_usize(), to.1.as_usize());
        let not = (self.unlinked.from(from), self.unlinked.from(to));
        let (counts, others) = match self.detours_of_all {
            Some(_) => (&self.by_mid[0], self.by_mid[0].a as u64 - 1),
            None => (&self.returning, 1),
        };
        for (head, tail, count) in counts.by_ends(ends, not) {
            add(Shape::of_walk(head, 2, tail), count * others, 1);
        }
        #[expect(clippy::cast_precision_loss, reason = "compared to six decimals")]
        let mean = if triples > 0 { hops as f64 / triples as f64 } else { 0.0 };
        (walks, mean)
    }
}

/// An upper bound of the number of all VLB walks: with no detour, or one over each switch but one. Takes time in
/// proportion to the pairs of groups.
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
pub(super) mod tests {
    use super::*;
    use tvlb_firmware_model::Switch;
    use tvlb_generator::policy::Policy;
    use tvlb_generator::tables::tables_of;
    use tvlb_schema::{
        Dragonfly, FaultSet, LocalLink, Nodes, PerDecision, SetRule, ShapeSet, SwitchId,
    };
    use tvlb_topology::Topology;
    use tvlb_topology::arrangement::{Arrangement, arrange};
    use tvlb_topology::routes::count::RouteCounter;

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
            let unlinked = Unlinked::of(&image);
            let mut crossings = Crossings::new(&df, &unlinked);
            for from in df.groups() {
                let first = first_links(&image, from);
                for to in df.groups().filter(|&to| to != from) {
                    crossings.count(&image, &first, to, &()).unwrap();
                    for own in df.indices(from) {
                        for there in df.indices(to) {
                            let expected =
                                counter.counts(df.switch(from, own), df.switch(to, there));
                            assert_eq!(crossings.routes((from, own), (to, there)), expected);
                        }
                    }
                }
            }
        }
    }

    /// Two fabrics of which a switch, cables and local links are dead: what lives, and the image.
    pub(in super::super) fn with_dead_parts(each: impl Fn(&Topology, &FabricImage<'_>)) {
        for ([p, a, h, g], arrangement) in
            [([2, 4, 2, 9], Arrangement::Absolute), ([1, 5, 3, 6], Arrangement::Random)]
        {
            let df = Dragonfly::new(p, a, h, g).unwrap();
            let topology = arrange(df, arrangement, 3).unwrap();
            let cables: Vec<_> = topology.cables().iter().map(|c| (c.low, c.high)).collect();
            let bytes = tvlb_schema::encode_fabric_image(&df, &cables);
            let link = |group, low, high| {
                let low = df.switch(GroupId(group), SwitchIndex(low));
                LocalLink { low, high: SwitchIndex(high), number: 0 }
            };
            let faults = FaultSet {
                switches: [df.switch(GroupId(1), SwitchIndex(3))].into(),
                cables: [cables[2].0, cables[7].0].into(),
                local_links: [link(0, 0, 1), link(0, 1, 2), link(2, 0, 2), link(3, 1, 3)].into(),
                ..FaultSet::default()
            };
            let mut image = FabricImage::decode(&bytes).unwrap();
            let faults_image = tvlb_schema::encode_fault_image(&image, 1, &faults);
            image.install_faults(&faults_image).unwrap();
            each(&topology.without(&faults), &image);
        }
    }

    #[test]
    fn routes_are_counted_as_the_generator_counts_them_where_parts_are_dead() {
        with_dead_parts(|live, image| {
            let df = live.dragonfly();
            let counter = RouteCounter::new(live);
            let unlinked = Unlinked::of(image);
            let mut crossings = Crossings::new(df, &unlinked);
            let lives = |&switch: &SwitchId| image.lives(switch);
            for from in df.groups() {
                let first = first_links(image, from);
                for to in df.groups().filter(|&to| to != from) {
                    crossings.count(image, &first, to, &()).unwrap();
                    let of = |group| df.switches_in(group);
                    for own in of(from).filter(lives) {
                        for there in of(to).filter(lives) {
                            let routes = crossings.routes(df.place(own), df.place(there));
                            assert_eq!(routes, counter.counts(own, there), "{own} {there}");
                        }
                    }
                }
            }
        });
    }

    #[test]
    fn walks_are_counted_from_above_group_by_group() {
        let df = Dragonfly::new(1, 4, 3, 6).unwrap();
        let loaded = tvlb_generator::fabric::Fabric::new("x", df, Arrangement::Random, 1).unwrap();
        let policies = PerDecision::same(Policy::from(SetRule::whole(ShapeSet::ALL)));
        let made = tables_of(&loaded, &policies, &()).unwrap();
        let images = &made.images;
        let switches: Vec<_> =
            images.switches.iter().map(|s| Switch::boot(&images.fabric, s).unwrap()).collect();
        let fabric = BootedSwitches::new(&switches, &Nodes::from(&df).ends());
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
