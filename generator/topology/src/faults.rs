//! A wiring without its dead parts: the remaining links, by the plan's names.
//!
//! The plan does not change, so sizes, ports and the links of a kind of groups are the plan's. Two groups may then
//! share no cable, and two switches of a group no link and no third that is linked to both; a dead switch is linked to
//! nothing, and code that shows a wiring shows only live switches.

use super::Topology;
use super::local_links::{self, LocalLinks};
use std::collections::BTreeSet;
use tvlb_schema::{
    Dragonfly, End, FabricImage, FaultSet, FewerLinks, GroupId, GroupLinks, Nodes, SwitchId,
    SwitchIndex,
};
use tvlb_table_set::dead_parts::LinkPlan;
use tvlb_table_set::names::Names;

impl Topology {
    /// The wiring of a fabric image, whatever is dead.
    pub fn of_image(image: &FabricImage<'_>) -> Self {
        let wiring = Self::from_cables(*image.dragonfly(), image.cables())
            .expect("a fabric image states a wiring");
        let fewer: Vec<FewerLinks> = image.fewer_links().collect();
        let within = local_links::table(image.dragonfly(), &fewer);
        let group_links = image.planned_group_links();
        Self { fewer, within, group_links, ..wiring }
    }

    /// The live links of this plan if these parts are dead.
    #[must_use]
    pub fn without(&self, faults: &FaultSet) -> Self {
        let df = *self.dragonfly();
        let lives = |end: End| {
            !faults.switches.contains(&df.switch(end.group, df.split_port(end.port).0))
                && !faults.cables.contains(&end)
        };
        let cables = self.cables().iter().map(|cable| (cable.low, cable.high));
        let live = cables.filter(|&(low, high)| lives(low) && lives(high));
        let wiring = Self::from_cables(df, live).expect("some of a plan's cables are a wiring");
        let fewer = fewer_than_planned(self, faults);
        let within = local_links::table(&df, &fewer);
        let group_links = GroupLinks::of(&df, &fewer);
        let (bandwidths, dead) = (self.bandwidths, &self.dead | &faults.switches);
        let ends = self.ends.without(faults.switches.iter().copied());
        let parted = self.parted.iter().copied().chain(fewer.iter().filter_map(|pair| {
            let (group, low) = df.place(pair.low);
            let is_parted = pair.links == 0 && self.links_within(group, low, pair.high) > 0;
            is_parted.then_some((pair.low, pair.high))
        }));
        let parted = parted.collect();
        let live = Self { fewer, within, group_links, bandwidths, dead, parted, ends, ..wiring };
        let hurt = faults.switches.iter().chain(faults.local_links.iter().map(|link| &link.low));
        let hurt = hurt.map(|&switch| df.place(switch).0);
        let groups: BTreeSet<GroupId> =
            self.listed.iter().map(|links| links.group).chain(hurt).collect();
        let listed = groups.into_iter().flat_map(|group| live.links_of(group)).collect();
        Self { listed, ..live }
    }

    /// The links of a group one by one, sorted.
    fn links_of(&self, group: GroupId) -> Vec<LocalLinks> {
        let df = &self.dragonfly;
        let higher = |low| df.indices(group).filter(move |&high| low < high);
        let pairs = df.indices(group).flat_map(|low| higher(low).map(move |high| (low, high)));
        let links = pairs.map(|(low, high)| {
            let links = self.links_within(group, low, high);
            LocalLinks { group, low, high, links }
        });
        links.filter(|pair| pair.links > 0).collect()
    }

    pub const fn dead_switches(&self) -> &BTreeSet<SwitchId> {
        &self.dead
    }

    /// Whether a switch of the plan is live.
    pub fn lives(&self, switch: SwitchId) -> bool {
        !self.dead.contains(&switch)
    }

    /// The indices of the live switches of a group, in order.
    pub fn live_indices(&self, group: GroupId) -> impl Iterator<Item = SwitchIndex> {
        let df = &self.dragonfly;
        df.indices(group).filter(move |&index| self.lives(df.switch(group, index)))
    }

    /// The groups with a live switch, in order.
    pub fn live_groups(&self) -> impl Iterator<Item = GroupId> {
        self.dragonfly.groups().filter(|&group| self.live_indices(group).next().is_some())
    }

    /// The pairs of these, the lower group first, in order.
    pub fn live_pairs(&self) -> impl Iterator<Item = (GroupId, GroupId)> {
        let higher = |i| self.live_groups().filter(move |&j| i < j).map(move |j| (i, j));
        self.live_groups().flat_map(higher)
    }

    /// The existing nodes by a list of names, on live switches.
    pub fn nodes(&self, names: &Names) -> Nodes {
        let faults = FaultSet { switches: self.dead.clone(), ..FaultSet::default() };
        names.nodes(&self.dragonfly).live(&faults)
    }
}

/// Lists of dead parts, and of places of switches, are compared with it.
impl LinkPlan for Topology {
    fn dragonfly(&self) -> &Dragonfly {
        &self.dragonfly
    }

    fn peer(&self, end: End) -> Option<End> {
        self.peer(end)
    }

    fn links_within(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> u32 {
        self.links_within(group, one, other)
    }
}

/// The switches of a group with fewer live links than their kind states, sorted.
fn fewer_than_planned(planned: &Topology, faults: &FaultSet) -> Vec<FewerLinks> {
    let df = planned.dragonfly();
    if faults.switches.is_empty() && faults.local_links.is_empty() {
        return planned.fewer_links().to_vec();
    }
    let mut fewer = Vec::new();
    for group in df.groups() {
        let most = df.kind_of(group).local_links;
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                let links = live_links(planned, faults, df, (group, low, high));
                if links < most {
                    fewer.push(FewerLinks { low: df.switch(group, low), high, links });
                }
            }
        }
    }
    fewer
}

/// How many links between two switches of a group are live.
fn live_links(
    planned: &Topology,
    faults: &FaultSet,
    df: &Dragonfly,
    (group, low, high): (GroupId, SwitchIndex, SwitchIndex),
) -> u16 {
    let (one, other) = (df.switch(group, low), df.switch(group, high));
    if faults.switches.contains(&one) || faults.switches.contains(&other) {
        return 0;
    }
    let of_pair = tvlb_schema::LocalLink { low: one, high, number: 0 }..=tvlb_schema::LocalLink {
        low: one,
        high,
        number: u16::MAX,
    };
    let dead = faults.local_links.range(of_pair).count();
    let links = planned.links_within(group, low, high) as usize - dead;
    u16::try_from(links).expect("at most as many as an image can say")
}
