//! Wirings as machines have them: a fixed number of links between each two groups, fewer to the
//! groups that serve storage or the outside, and global ports to spare.
//!
//! Cables are laid pair of groups by pair of groups. Each goes to the switch of its group whose turn it
//! is, so the links of a pair lie on different switches and no switch has more than one cable more
//! than another. Nothing here is random.

use super::{End, Topology};
use tvlb_schema::{Dragonfly, GlobalPort, GroupId};

/// How many links there are between which groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
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
    /// More service groups than groups.
    #[error("{found} of {groups} groups cannot be service groups")]
    ServiceGroups {
        /// The service groups asked for.
        found: u32,
        /// All groups.
        groups: u32,
    },
    /// Too few ports.
    #[error(
        "a group needs {needed} global ports for these links, but has {found} ({a} switches of {h})"
    )]
    Ports {
        /// What the links of one group come to.
        needed: u64,
        /// What it has.
        found: u32,
        /// Switches per group.
        a: u32,
        /// Global ports per switch.
        h: u32,
    },
}

/// Lays the cables.
///
/// # Errors
/// More service groups than groups, or too few ports.
pub fn lay(df: Dragonfly, plan: Plan) -> Result<Topology, PlanError> {
    let (a, h, g) = (df.a(), df.h(), df.g());
    let Some(ordinary) = g.checked_sub(plan.service_groups) else {
        return Err(PlanError::ServiceGroups { found: plan.service_groups, groups: g });
    };
    let links = |i: u32, j: u32| {
        if i.max(j) < ordinary { plan.links } else { plan.service_links }
    };
    let of = |group: u32| {
        let others = (0..g).filter(|&other| other != group);
        others.map(|other| u64::from(links(group, other))).sum::<u64>()
    };
    let needed = (0..g).map(of).max().unwrap_or(0);
    if needed > u64::from(a * h) {
        return Err(PlanError::Ports { needed, found: a * h, a, h });
    }
    let mut laid = vec![0; g as usize];
    let mut end = |group: u32| {
        let turn = &mut laid[group as usize];
        // Round the switches first, then to their next ports.
        let port = *turn % a * h + *turn / a;
        *turn += 1;
        let number = |n: u32| u16::try_from(n).expect("a Dragonfly's groups and ports fit 16 bits");
        End { group: GroupId(number(group)), port: GlobalPort(number(port)) }
    };
    let mut cables = Vec::new();
    for i in 0..g {
        for j in i + 1..g {
            cables.extend((0..links(i, j)).map(|_| (end(i), end(j))));
        }
    }
    Ok(Topology::from_cables(df, cables).expect("every port is given once"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(links: u32, service_groups: u32, service_links: u32) -> Plan {
        Plan { links, service_groups, service_links }
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

    #[test]
    fn what_does_not_fit_is_refused() {
        let df = Dragonfly::new(1, 4, 3, 6).unwrap();
        assert_eq!(
            lay(df, plan(3, 0, 0)).unwrap_err(),
            PlanError::Ports { needed: 15, found: 12, a: 4, h: 3 }
        );
        assert_eq!(
            lay(df, plan(1, 7, 0)).unwrap_err(),
            PlanError::ServiceGroups { found: 7, groups: 6 }
        );
        let huge = lay(df, plan(u32::MAX, 0, 0)).unwrap_err();
        assert!(matches!(huge, PlanError::Ports { .. }));
    }
}
