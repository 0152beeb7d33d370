//! The links within groups: how many join each two switches.
//!
//! A fabric file says for each kind of groups how many links join any two switches, by default one; a cable list may
//! name the links of a group one by one, which then has only these. Two switches with nodes that share no link are
//! reached through a third, and if there is no such third switch the fabric is invalid.

use super::Topology;
use std::collections::BTreeMap;
use tvlb_schema::{
    Dragonfly, FewerLinks, GroupId, GroupKind, GroupLinks, SwitchId, SwitchIndex, limits,
};

/// Two switches of a group, the lower index first, and how many links join them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalLinks {
    pub group: GroupId,
    pub low: SwitchIndex,
    pub high: SwitchIndex,
    /// At least 1.
    pub links: u32,
}

/// Why links within groups cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocalLinkError {
    #[error(
        "group {group}: no local link joins switches {low} and {high}, and no third switch is linked \
         to both; accepted is a link or such a switch between every two switches with nodes of a group of \
         which a local link is listed{more}",
        more = and_others(*.others)
    )]
    Apart { group: GroupId, low: SwitchIndex, high: SwitchIndex, others: usize },
    #[error(
        "group {group}: {links} local links join switches {low} and {high}, accepted are at most {}",
        limits::LOCAL_LINKS
    )]
    TooMany { group: GroupId, low: SwitchIndex, high: SwitchIndex, links: u32 },
}

impl LocalLinkError {
    /// The two switches in the error.
    pub fn switches(&self, df: &Dragonfly) -> [SwitchId; 2] {
        let (Self::Apart { group, low, high, .. } | Self::TooMany { group, low, high, .. }) = *self;
        [df.switch(group, low), df.switch(group, high)]
    }
}

fn and_others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "; one other pair is apart, too".to_owned(),
        count => format!("; {count} other pairs are apart, too"),
    }
}

/// How many links join which switches, given one by one; groups that do not occur are left open. Both switches of a
/// link exist and differ.
pub(super) fn counted(mut links: Vec<(GroupId, SwitchIndex, SwitchIndex)>) -> Vec<LocalLinks> {
    for (_, one, other) in &mut links {
        if one > other {
            std::mem::swap(one, other);
        }
    }
    links.sort_unstable();
    links
        .chunk_by(|one, next| one == next)
        .map(|equal| {
            let (group, low, high) = equal[0];
            let links = u32::try_from(equal.len()).unwrap_or(u32::MAX);
            LocalLinks { group, low, high, links }
        })
        .collect()
}

/// The Dragonfly whose kinds state the most links that any two switches have, and which switches have fewer, sorted.
///
/// # Errors
/// Two switches with more links than an image can express.
pub(super) fn fewer(
    df: &Dragonfly,
    listed: &[LocalLinks],
) -> Result<(Dragonfly, Vec<FewerLinks>), LocalLinkError> {
    let too_many = |links: &&LocalLinks| links.links > limits::LOCAL_LINKS;
    if let Some(&LocalLinks { group, low, high, links }) = listed.iter().find(too_many) {
        return Err(LocalLinkError::TooMany { group, low, high, links });
    }
    let groups: BTreeMap<GroupId, &[LocalLinks]> = listed
        .chunk_by(|one, next| one.group == next.group)
        .map(|of_group| (of_group[0].group, of_group))
        .collect();
    let mut first = 0;
    let kinds: Vec<GroupKind> = df
        .kinds()
        .map(|kind| {
            let of_kind = (first..first + kind.g).map(GroupId);
            first += kind.g;
            let most = of_kind.map(|group| match groups.get(&group) {
                Some(links) => links.iter().map(|links| links.links).max().unwrap_or(0),
                None => kind.local_links.into(),
            });
            let most = most.max().unwrap_or(1);
            kind.with_local_links(u16::try_from(most).expect("at most as many as an image can say"))
        })
        .collect();
    let stated =
        Dragonfly::of_kinds(&kinds).expect("the same sizes, and links within their limits");
    let mut fewer = Vec::new();
    for group in df.groups() {
        let most = stated.kind_of(group).local_links;
        let of_group = groups.get(&group).copied();
        let all = u32::from(df.kind_of(group).local_links);
        if of_group.is_none() && all == u32::from(most) {
            continue;
        }
        let mut named = of_group.unwrap_or_default().iter().peekable();
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                let here = named.next_if(|links| (links.low, links.high) == (low, high));
                let none = if of_group.is_some() { 0 } else { all };
                let links = here.map_or(none, |links| links.links);
                let links = u16::try_from(links).expect("at most as many as an image can say");
                if links < most {
                    fewer.push(FewerLinks { low: df.switch(group, low), high, links });
                }
            }
        }
    }
    Ok((stated, fewer))
}

/// By (group·a + index)·a + index how many links join two switches of a group; empty if none share fewer than their
/// kind states.
pub(super) fn table(df: &Dragonfly, fewer: &[FewerLinks]) -> Vec<u16> {
    if fewer.is_empty() {
        return Vec::new();
    }
    let a = df.a() as usize;
    let mut table = vec![0; df.switch_numbers() as usize * a];
    for switch in df.switches() {
        table[switch.as_usize() * a..][..a].fill(df.kind_of(df.place(switch).0).local_links);
    }
    for pair in fewer {
        let (group, low) = df.place(pair.low);
        table[pair.low.as_usize() * a + pair.high.as_usize()] = pair.links;
        table[df.switch(group, pair.high).as_usize() * a + low.as_usize()] = pair.links;
    }
    table
}

/// Checks that every two switches of a group that have nodes are linked, or a third is linked to both.
///
/// # Errors
/// The first two that are not.
pub(super) fn check(topology: &Topology) -> Result<(), LocalLinkError> {
    let mut apart: Option<LocalLinkError> = None;
    for pair in topology.fewer_links().iter().filter(|pair| pair.links == 0) {
        let (group, low) = topology.dragonfly().place(pair.low);
        let high = topology.dragonfly().switch(group, pair.high);
        let is_pair = [pair.low, high].iter().all(|&end| topology.ends().has(end));
        if !is_pair || topology.is_near(group, low, pair.high) {
            continue;
        }
        match &mut apart {
            Some(LocalLinkError::Apart { others, .. }) => *others += 1,
            first => {
                *first = Some(LocalLinkError::Apart { group, low, high: pair.high, others: 0 });
            }
        }
    }
    apart.map_or(Ok(()), Err)
}

/// The links within groups of a wiring.
impl Topology {
    /// The links of the groups whose links a list names or of which a link is dead, sorted. For other groups the kind
    /// says how many there are.
    pub fn local_links(&self) -> &[LocalLinks] {
        &self.listed
    }

    /// The switches of a group that are joined by fewer links than others of their kind, sorted.
    pub fn fewer_links(&self) -> &[FewerLinks] {
        &self.fewer
    }

    /// How the switches of groups are joined.
    pub const fn group_links(&self) -> GroupLinks {
        self.group_links
    }

    /// How many links join two existing, different switches of a group.
    pub fn links_within(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> u32 {
        let df = self.dragonfly();
        if self.within.is_empty() {
            return df.kind_of(group).local_links.into();
        }
        let a = df.a() as usize;
        self.within[(group.as_usize() * a + one.as_usize()) * a + other.as_usize()].into()
    }

    /// Whether a hop from one switch of a group to another needs no link, or has one.
    pub fn is_local_hop(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> bool {
        from == to || self.group_links.is_whole() || self.links_within(group, from, to) > 0
    }

    /// Whether a packet gets from one switch of a group to another over a link, or through a third switch.
    pub fn is_near(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> bool {
        self.is_local_hop(group, from, to) || self.relays(group, from, to).next().is_some()
    }

    /// Whether a MIN path joins two switches of a group: a link, or, if the plan has none, a third switch.
    pub fn has_min_within(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> bool {
        self.is_local_hop(group, from, to)
            || !self.is_parted(group, from, to) && self.is_near(group, from, to)
    }

    /// Whether the last link between two switches of a group is dead: then a way through a third switch is a detour.
    pub(crate) fn is_parted(&self, group: GroupId, one: SwitchIndex, other: SwitchIndex) -> bool {
        let low = self.dragonfly().switch(group, one.min(other));
        self.parted.contains(&(low, one.max(other)))
    }

    /// The switches of a group that are linked to both of two others of it, by rising index.
    pub fn relays(
        &self,
        group: GroupId,
        one: SwitchIndex,
        other: SwitchIndex,
    ) -> impl Iterator<Item = SwitchIndex> {
        self.dragonfly().indices(group).filter(move |&through| {
            through != one
                && through != other
                && self.is_local_hop(group, one, through)
                && self.is_local_hop(group, through, other)
        })
    }
}
