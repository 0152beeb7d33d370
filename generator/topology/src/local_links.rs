//! The links within groups, where a cable list names them.
//!
//! Every two switches of a group are linked, and a packet takes one and the same link from one to the
//! other. A machine may have more cables between two switches; they are counted and told, and not used.

use tvlb_schema::{Dragonfly, GroupId, SwitchIndex};

/// Two switches of a group, the lower index first, and how many links join them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalLinks {
    /// Their group.
    pub group: GroupId,
    /// The switch of lower index.
    pub low: SwitchIndex,
    /// The other switch.
    pub high: SwitchIndex,
    /// At least 1.
    pub links: u32,
}

/// Two switches of a group without a link between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "group {group}: no local link joins switches {low} and {high}, accepted is at least one between \
     every two switches of a group of which a local link is listed{more}",
    more = and_others(*.others)
)]
pub struct MissingLocalLink {
    /// Their group.
    pub group: GroupId,
    /// The switch of lower index.
    pub low: SwitchIndex,
    /// The other switch.
    pub high: SwitchIndex,
    /// How many more such pairs there are.
    pub others: usize,
}

fn and_others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => "; one other pair is not joined either".to_owned(),
        count => format!("; {count} other pairs are not joined either"),
    }
}

/// How many links join which switches, given one by one; nothing is said of groups that do not occur.
/// Both switches of a link exist and differ.
///
/// # Errors
/// The first two switches of a group that occurs which no link joins.
pub(super) fn counted(
    df: &Dragonfly,
    mut links: Vec<(GroupId, SwitchIndex, SwitchIndex)>,
) -> Result<Vec<LocalLinks>, MissingLocalLink> {
    for (_, one, other) in &mut links {
        if one > other {
            std::mem::swap(one, other);
        }
    }
    links.sort_unstable();
    let counted: Vec<LocalLinks> = links
        .chunk_by(|one, next| one == next)
        .map(|equal| {
            let (group, low, high) = equal[0];
            let links = u32::try_from(equal.len()).unwrap_or(u32::MAX);
            LocalLinks { group, low, high, links }
        })
        .collect();
    let mut missing: Option<MissingLocalLink> = None;
    for of_group in counted.chunk_by(|one, next| one.group == next.group) {
        let group = of_group[0].group;
        let mut there = of_group.iter().map(|links| (links.low, links.high)).peekable();
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                if there.next_if_eq(&(low, high)).is_some() {
                    continue;
                }
                match &mut missing {
                    Some(first) => first.others += 1,
                    none => *none = Some(MissingLocalLink { group, low, high, others: 0 }),
                }
            }
        }
    }
    match missing {
        Some(missing) => Err(missing),
        None => Ok(counted),
    }
}
