//! Wirings as machines have them: a fixed number of links between each two groups, fewer to the
//! groups that serve storage or the outside, and global ports to spare.
//!
//! Cables are laid pair of groups by pair of groups. Each goes to the switch of its group whose turn it
//! is, so the links of a pair lie on different switches and no switch has more than one cable more
//! than another. Nothing here is random.

use super::Topology;
use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GlobalPort, GroupId};

/// How many links there are between which groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachinePlan {
    /// Between two ordinary groups.
    pub links: u32,
    /// How many of the groups are service groups; they are the last ones.
    pub service_groups: u32,
    /// Between a service group and any other.
    pub service_links: u32,
}

/// Why the links cannot be laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("{found} of {groups} groups cannot be service groups")]
    ServiceGroups { found: u32, groups: u32 },
    #[error(
        "group {group} needs {needed} global ports for these links, but has {found} ({a} switches of {h})"
    )]
    Ports { group: GroupId, needed: u64, found: u32, a: u32, h: u32 },
}

/// Lays the cables of a plan.
///
/// # Errors
/// More service groups than groups, or too few ports.
pub fn lay(df: Dragonfly, plan: MachinePlan) -> Result<Topology, PlanError> {
    let Some(ordinary) = df.g().checked_sub(plan.service_groups) else {
        return Err(PlanError::ServiceGroups { found: plan.service_groups, groups: df.g() });
    };
    lay_between(
        df,
        |i, j| {
            if u32::from(i.max(j).0) < ordinary { plan.links } else { plan.service_links }
        },
    )
}

/// Lays so many cables between each two groups, of which the lower is asked for first.
///
/// # Errors
/// Too few ports.
pub fn lay_between(
    df: Dragonfly,
    links: impl Fn(GroupId, GroupId) -> u32,
) -> Result<Topology, PlanError> {
    let links = |i: GroupId, j: GroupId| links(i.min(j), i.max(j));
    let mut lacking: Option<(u64, PlanError)> = None;
    for group in df.groups() {
        let others = df.groups().filter(|&other| other != group);
        let needed = others.map(|other| u64::from(links(group, other))).sum::<u64>();
        let kind = df.kind_of(group);
        let (a, h) = (u32::from(kind.a), u32::from(kind.h));
        let lack = needed.saturating_sub(u64::from(a * h));
        if lack > 0 && lacking.is_none_or(|(most, _)| lack > most) {
            lacking = Some((lack, PlanError::Ports { group, needed, found: a * h, a, h }));
        }
    }
    if let Some((_, error)) = lacking {
        return Err(error);
    }
    let mut laid = vec![0; df.g() as usize];
    let mut end = |group: GroupId| {
        let turn = &mut laid[group.as_usize()];
        // Round the switches first, then to their next ports.
        let a = df.switches_of(group);
        let port = *turn % a * df.h() + *turn / a;
        *turn += 1;
        let port = u16::try_from(port).expect("a Dragonfly's ports fit 16 bits");
        End { group, port: GlobalPort(port) }
    };
    let mut cables = Vec::new();
    for i in df.groups() {
        for j in df.groups().filter(|&j| i < j) {
            cables.extend((0..links(i, j)).map(|_| (end(i), end(j))));
        }
    }
    Ok(Topology::from_cables(df, cables).expect("every port is given once"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::GroupKind;

    fn plan(links: u32, service_groups: u32, service_links: u32) -> MachinePlan {
        MachinePlan { links, service_groups, service_links }
    }

    #[test]
    fn machines_of_74_and_175_groups() {
        for (g, h, links, spare) in [(74, 10, 4, 28), (175, 11, 2, 4)] {
            let df = Dragonfly::new(16, 32, h, g).unwrap();
            let topology = lay(df, plan(links, 0, 0)).unwrap();
            assert_eq!(topology.links_per_pair(), (links as usize, links as usize));
            assert_eq!(topology.unused_ports(), g as usize * spare);
        }
    }

    #[test]
    fn service_groups_have_fewer_links() {
        let df = Dragonfly::new(16, 32, 10, 74).unwrap();
        let topology = lay(df, plan(4, 6, 1)).unwrap();
        let between = |i, j| topology.links(GroupId(i), GroupId(j)).len();
        assert_eq!((between(0, 67), between(0, 68), between(73, 68)), (4, 1, 1));
    }

    #[test]
    fn a_switch_has_at_most_one_cable_more_than_another() {
        let df = Dragonfly::new(1, 5, 4, 7).unwrap();
        let topology = lay(df, plan(3, 1, 2)).unwrap();
        for group in df.groups() {
            let mut cables = [0; 5];
            for cable in topology.cables() {
                for end in [cable.low, cable.high] {
                    if end.group == group {
                        cables[end.port.as_usize() / 4] += 1;
                    }
                }
            }
            assert!(cables.iter().max().unwrap() - cables.iter().min().unwrap() <= 1);
        }
    }

    /// 74 groups of 32 switches, five of 16 for storage and one of 16 for service, with the links of
    /// Frontier.
    #[test]
    fn a_machine_of_three_kinds_of_groups() {
        let kind = |p, a, h, g| GroupKind::new(p, a, h, g);
        let df =
            Dragonfly::of_kinds(&[kind(16, 32, 10, 74), kind(16, 16, 14, 5), kind(16, 16, 6, 1)])
                .unwrap();
        let of = |group: GroupId| usize::from(group.0 >= 74) + usize::from(group.0 >= 79);
        let links = [[4, 2, 0], [2, 10, 6], [0, 6, 0]];
        let topology = lay_between(df, |i, j| links[of(i)][of(j)]).unwrap();
        let between = |i, j| topology.links(GroupId(i), GroupId(j)).len();
        assert_eq!(
            (between(3, 70), between(3, 76), between(75, 77), between(76, 79)),
            (4, 2, 10, 6)
        );
        assert_eq!(
            (between(79, 0), topology.cables().len()),
            (0, 2701 * 4 + 74 * 5 * 2 + 100 + 30)
        );
        let error = lay_between(df, |i, j| 2 * links[of(i)][of(j)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "group 0 needs 604 global ports for these links, but has 320 (32 switches of 10)"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let df = Dragonfly::new(1, 4, 3, 6).unwrap();
        assert_eq!(
            lay(df, plan(3, 0, 0)).unwrap_err(),
            PlanError::Ports { group: GroupId(0), needed: 15, found: 12, a: 4, h: 3 }
        );
        assert_eq!(
            lay(df, plan(1, 7, 0)).unwrap_err(),
            PlanError::ServiceGroups { found: 7, groups: 6 }
        );
        let huge = lay(df, plan(u32::MAX, 0, 0)).unwrap_err();
        assert!(matches!(huge, PlanError::Ports { .. }));
    }
}
