//! `circulant`: the circulant-based arrangement of Hastings et al., "Comparing global link
//! arrangements for Dragonfly networks", Cluster'15; Kaplan et al., `CCGrid`'17, section II-A.
//!
//! Ports go in pairs: of port 2m and port 2m + 1 of every group the first leads m + 1 groups on, the second m + 1
//! groups back, and the two are each other's far ends. For even h the two ends of a cable are thus switches of the same
//! index (the papers take h as even; nothing here needs it, but for odd h some pairs span two switches). For even g the
//! last port of a round has no partner and leads half way round, to its own number. Generalised in rounds, see
//! `rotation.rs`; a short round is the beginning of a whole one.

use super::rotation::{self, RotationStep, RoundPlace};
use tvlb_schema::Dragonfly;
use tvlb_schema::End;

pub(super) fn cables(df: &Dragonfly) -> Vec<(End, End)> {
    rotation::cables(df, |port| {
        let RoundPlace { start, length, position } = rotation::place(df, port)?;
        let distance = position / 2 + 1;
        Some(if position + 1 == length && !length.is_multiple_of(2) {
            RotationStep { offset: df.g() / 2, port }
        } else if position.is_multiple_of(2) {
            RotationStep { offset: distance, port: start + position + 1 }
        } else {
            RotationStep { offset: df.g() - distance, port: start + position - 1 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Topology,
        arrangement::{Arrangement, arrange},
    };
    use tvlb_schema::{GlobalPort, GroupId};

    fn laid(a: u32, h: u32, g: u32) -> Topology {
        arrange(Dragonfly::new(1, a, h, g).unwrap(), Arrangement::Circulant, 0).unwrap()
    }

    fn from_group_0(topology: &Topology) -> Vec<(u16, u16)> {
        topology
            .dragonfly()
            .global_ports()
            .filter_map(|port| {
                let far = topology.peer(End { group: GroupId(0), port });
                far.map(|end| (end.group.0, end.port.0))
            })
            .collect()
    }

    #[test]
    fn ports_lead_on_and_back_by_turns() {
        assert_eq!(
            from_group_0(&laid(4, 2, 9)),
            [(1, 1), (8, 0), (2, 3), (7, 2), (3, 5), (6, 4), (4, 7), (5, 6)]
        );
    }

    #[test]
    fn the_last_port_of_an_even_number_of_groups_leads_half_way_round() {
        assert_eq!(from_group_0(&laid(5, 1, 6)), [(1, 1), (5, 0), (2, 3), (4, 2), (3, 4)]);
    }

    #[test]
    fn a_short_round_begins_like_a_whole_one() {
        // Eight ports, six groups: five, then three.
        assert_eq!(from_group_0(&laid(4, 2, 6))[5..], [(1, 6), (5, 5), (3, 7)]);
    }

    #[test]
    fn both_ends_have_the_same_index_where_slots_and_rounds_are_even() {
        for (a, h, g) in [(4, 2, 9), (8, 4, 9), (8, 4, 17), (8, 4, 33)] {
            let topology = laid(a, h, g);
            let df = topology.dragonfly();
            for cable in topology.cables() {
                let index = |port: GlobalPort| df.split_port(port).0;
                assert_eq!(index(cable.low.port), index(cable.high.port));
            }
        }
    }
}
