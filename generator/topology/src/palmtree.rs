//! `palmtree`: Camarero et al., "Topological characterization of Hamming and Dragonfly networks
//! and its implications on routing", TACO 2014; used by Prisacari et al., 2015, too.
//!
//! Port q of every group leads q + 1 groups *back*, and to the port that is its mirror image among all a·h: slot s of
//! switch i is joined to slot h − 1 − s of switch a − 1 − i. With one link per pair that is the mirror image of
//! `relative`. With more, as the simulator CAMINOS of the same school generalises it, the mirror spans all whole rounds
//! at once, while `relative` keeps each round to itself: the m-th link of a pair from one side is the m-th last from
//! the other. The ports left after the whole rounds form a short round with a mirror of its own, see `rotation.rs`.

use super::{
    relative,
    rotation::{self, RotationStep},
};
use tvlb_schema::Dragonfly;
use tvlb_schema::End;

pub(super) fn cables(df: &Dragonfly) -> Vec<(End, End)> {
    let round = df.g() - 1;
    let whole_rounds = df.ports_per_group() / round * round;
    rotation::cables(df, |port| {
        let place = rotation::place(df, port)?;
        let mirrored = if port < whole_rounds {
            whole_rounds - 1 - port
        } else {
            place.start + place.length - 1 - place.position
        };
        Some(RotationStep { offset: df.g() - relative::groups_on(df, place), port: mirrored })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrangement::{Arrangement, arrange};
    use tvlb_schema::{GroupId, SwitchIndex};

    #[test]
    fn a_switch_is_joined_to_its_mirror_image() {
        for (a, h, g) in [(4, 2, 9), (8, 4, 9), (8, 4, 17), (8, 4, 33)] {
            let df = Dragonfly::new(1, a, h, g).unwrap();
            let topology = arrange(df, Arrangement::Palmtree, 0).unwrap();
            for group in df.groups() {
                for port in df.global_ports() {
                    let (index, slot) = df.split_port(port);
                    let far = topology.peer(End { group, port }).unwrap();
                    let back = u32::from(port.0) % (g - 1) + 1;
                    assert_eq!(u32::from(far.group.0), (u32::from(group.0) + g - back) % g);
                    let mirror = SwitchIndex(u8::try_from(a - 1).unwrap() - index.0);
                    let mirror_slot = u16::try_from(h - 1).unwrap() - slot;
                    assert_eq!(far, End::new(&df, far.group, mirror, mirror_slot));
                }
            }
        }
    }

    #[test]
    fn a_short_round_has_a_mirror_of_its_own() {
        // Ten ports, eight groups: seven, then 1 back, half way round, 1 on.
        let df = Dragonfly::new(1, 2, 5, 8).unwrap();
        let topology = arrange(df, Arrangement::Palmtree, 0).unwrap();
        let ends: Vec<_> = df
            .global_ports()
            .skip(7)
            .map(|port| {
                let far = topology.peer(End { group: GroupId(2), port });
                far.map(|end| (end.group.0, end.port.0)).unwrap()
            })
            .collect();
        assert_eq!(ends, [(1, 9), (6, 8), (3, 7)]);
    }
}
