//! A number of links between each two groups, which go to the switches of a group in turn.
//!
//! Cables are laid pair of groups by pair of groups. Each goes to the switch of its group whose turn it is, so the
//! links of a pair are on different switches and no switch has more than one cable more than another. Nothing here is
//! random.

use super::Topology;
use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GlobalPort, GroupId};

/// Lays this many cables between each two groups, passed with the lower one first.
///
/// # Panics
/// If a group has fewer global ports than links.
pub fn lay_between(df: Dragonfly, links: impl Fn(GroupId, GroupId) -> u32) -> Topology {
    let mut laid = vec![0; df.g() as usize];
    let mut end = |group: GroupId| {
        let turn = &mut laid[group.as_usize()];
        // Round the switches first, then to their next ports.
        let (a, h) = (df.switches_of(group), u32::from(df.kind_of(group).h));
        let port = *turn % a * df.h() + *turn / a;
        assert!(*turn < a * h, "group {group} has ports for {} links", a * h);
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
    Topology::from_cables(df, cables).expect("every port is given once")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::GroupKind;

    #[test]
    fn a_switch_has_at_most_one_cable_more_than_another() {
        let df = Dragonfly::new(1, 5, 4, 7).unwrap();
        let topology = lay_between(df, |_, j| if j.0 < 6 { 3 } else { 2 });
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
        let topology = lay_between(df, |i, j| links[of(i)][of(j)]);
        let between = |i, j| topology.links(GroupId(i), GroupId(j)).len();
        assert_eq!(
            (between(3, 70), between(3, 76), between(75, 77), between(76, 79)),
            (4, 2, 10, 6)
        );
        assert_eq!(
            (between(79, 0), topology.cables().len()),
            (0, 2701 * 4 + 74 * 5 * 2 + 100 + 30)
        );
    }

    #[test]
    #[should_panic = "group 0 has ports for 12 links"]
    fn a_group_has_no_more_links_than_ports() {
        lay_between(Dragonfly::new(1, 4, 3, 6).unwrap(), |_, _| 3);
    }
}
