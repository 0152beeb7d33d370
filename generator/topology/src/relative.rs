//! `relative`: the relative arrangement of Hastings et al., "Comparing global link arrangements
//! for Dragonfly networks", Cluster'15.
//!
//! Port q of every group leads q + 1 groups on. Two groups d apart are thus joined by port d − 1
//! of the one and port g − d − 1 of the other: the far port is the near one's mirror image in the
//! round. Generalised in rounds, see `rotation.rs`; a short round of n ports leads 1 to n/2 groups
//! on and then, for its second half, n/2 to 1 groups back: it stays a mirror image of itself.

use super::rotation::{self, RotationStep, RoundPlace};
use tvlb_schema::Dragonfly;
use tvlb_schema::End;

pub(super) fn cables(df: &Dragonfly) -> Vec<(End, End)> {
    rotation::cables(df, |port| {
        let place = rotation::place(df, port)?;
        Some(RotationStep {
            offset: groups_on(df, place),
            port: place.start + place.length - 1 - place.position,
        })
    })
}

/// How many groups on a port at this place leads: 1, 2, …, the last one g − 1.
pub(super) fn groups_on(df: &Dragonfly, place: RoundPlace) -> u32 {
    let RoundPlace { length, position, .. } = place;
    if position < length / 2 {
        position + 1
    } else if position >= length.div_ceil(2) {
        df.g() - (length - position)
    } else {
        df.g() / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Topology,
        arrangement::{Arrangement, arrange},
    };
    use tvlb_schema::{GlobalPort, GroupId};

    fn far(topology: &Topology, group: u16, port: u16) -> (u16, u16) {
        let end = topology.peer(End { group: GroupId(group), port: GlobalPort(port) }).unwrap();
        (end.group.0, end.port.0)
    }

    fn laid(a: u32, h: u32, g: u32) -> Topology {
        arrange(Dragonfly::new(1, a, h, g).unwrap(), Arrangement::Relative, 0).unwrap()
    }

    #[test]
    fn port_q_leads_q_plus_1_groups_on() {
        let topology = laid(4, 2, 9);
        for group in 0..9 {
            for port in 0..8 {
                assert_eq!(far(&topology, group, port), ((group + port + 1) % 9, 7 - port));
            }
        }
    }

    #[test]
    fn further_rounds_repeat_the_first() {
        let topology = laid(8, 4, 9);
        for port in 0..32 {
            assert_eq!(
                far(&topology, 3, port),
                ((3 + port % 8 + 1) % 9, port / 8 * 8 + 7 - port % 8)
            );
        }
    }

    #[test]
    fn a_short_round_leads_as_far_on_as_back() {
        // Six ports, seven groups plus three left over of nine: 1 on, half way round, 1 back.
        let topology = laid(2, 5, 8);
        let ends: Vec<_> = (7..10).map(|port| far(&topology, 2, port)).collect();
        assert_eq!(ends, [(3, 9), (6, 8), (1, 7)]);
    }
}
