//! `absolute-classic`: the absolute arrangement of Hastings et al., "Comparing global link
//! arrangements for Dragonfly networks", Cluster'15, which is also `BookSim`'s.
//!
//! Port q of group j leads to group q if q < j, else to group q + 1: a group's ports lead to the other groups in their
//! order. Generalised: ports q, q + (g−1), q + 2(g−1), … lead to the same group, the m-th of them to its m-th port
//! towards us. The ports left after the last whole round lead to the groups that `extra_links` gives, again in their
//! order.

use super::extra_links;
use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GlobalPort, GroupId};

pub(super) fn cables(df: &Dragonfly) -> Vec<(End, End)> {
    let round = df.g() - 1;
    let rounds = df.ports_per_group() / round;
    let mut cables = Vec::new();
    for i in 0..df.g() {
        for j in i + 1..df.g() {
            for m in 0..rounds {
                // To the lower group i the j's port i leads; to j, i's port j − 1 does.
                cables.push((end(i, m * round + j - 1), end(j, m * round + i)));
            }
        }
    }
    let mut next = vec![rounds * round; df.g() as usize];
    let mut take = |group: u16| {
        let port = &mut next[usize::from(group)];
        *port += 1;
        end(group.into(), *port - 1)
    };
    // The pairs come sorted, and so each group meets its partners in their order.
    for (i, j) in extra_links::pairs(df) {
        cables.push((take(i), take(j)));
    }
    cables
}

fn end(group: u32, port: u32) -> End {
    let small = |number: u32| u16::try_from(number).expect("a Dragonfly's numbers fit 16 bits");
    End { group: GroupId(small(group)), port: GlobalPort(small(port)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Topology,
        arrangement::{Arrangement, arrange},
    };

    fn laid(a: u32, h: u32, g: u32) -> Topology {
        let df = Dragonfly::new(1, a, h, g).unwrap();
        arrange(df, Arrangement::AbsoluteClassic, 0).unwrap()
    }

    #[test]
    fn port_q_leads_to_the_qth_other_group() {
        for (a, h) in [(4, 2), (8, 4), (1, 1), (5, 3)] {
            let g = a * h + 1;
            let topology = laid(a, h, g);
            for j in 0..g {
                for q in 0..a * h {
                    let far = topology.peer(end(j, q)).unwrap();
                    assert_eq!(u32::from(far.group.0), if q < j { q } else { q + 1 });
                }
            }
        }
    }

    #[test]
    fn further_rounds_repeat_the_first() {
        let topology = laid(8, 4, 9);
        for j in 0..9 {
            for q in 0..32 {
                let far = topology.peer(end(j, q)).unwrap();
                let first = topology.peer(end(j, q % 8)).unwrap();
                assert_eq!(far.group, first.group);
                assert_eq!(u32::from(far.port.0), q / 8 * 8 + u32::from(first.port.0));
            }
        }
    }

    #[test]
    fn left_over_ports_lead_to_groups_in_their_order() {
        // Nine ports, seven other groups: two left over.
        let topology = laid(3, 3, 8);
        for j in 0..8 {
            let far = |q| topology.peer(end(j, q)).unwrap().group;
            assert!(far(7) < far(8), "group {j}");
        }
    }
}
