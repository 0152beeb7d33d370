//! What `relative`, `circulant` and `palmtree` have in common: all groups are wired alike.
//!
//! A [`RotationStep`] says for port q of *every* group how many groups on it leads and to which port there. A wiring
//! made of steps stays the same when all groups are renumbered by the same amount, so later stages can study one group
//! instead of g.
//!
//! Ports are dealt in rounds of g − 1, one to each other group, and the a·h mod (g−1) ports left after the last whole
//! round make a short round. A step of d groups one way is one of g − d the other, so a short round must contain with d
//! also g − d; which d it contains is the arrangement's choice. Only d = g/2, for even g, may stand alone. For odd g a
//! short round of odd length is thus impossible, and the last port of every group stays unused. That costs g ports
//! where one would do (a·h·g is odd then); we pay it because a wiring with one unused port has no symmetry, and
//! symmetry is the reason to choose these arrangements. `absolute` wastes only one.

use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GlobalPort, GroupId};

/// The destination of one port of every group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RotationStep {
    /// How many groups on, modulo g.
    pub(super) offset: u32,
    pub(super) port: u32,
}

/// The position of a port among the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundPlace {
    /// The first port of its round.
    pub(super) start: u32,
    /// How many ports the round has: g − 1, or fewer for the short one.
    pub(super) length: u32,
    /// The port's position in the round.
    pub(super) position: u32,
}

/// The position of a port; `None` if it must stay unused for all groups to be alike.
pub(super) fn place(df: &Dragonfly, port: u32) -> Option<RoundPlace> {
    let round = df.g() - 1;
    let start = port / round * round;
    let mut length = round.min(df.ports_per_group() - start);
    if !df.g().is_multiple_of(2) && !length.is_multiple_of(2) {
        length -= 1;
    }
    let position = port - start;
    (position < length).then_some(RoundPlace { start, length, position })
}

/// The cables of the steps of all ports, without repetition.
///
/// `step` must be an involution: from the port that it names, it leads back by g − offset.
pub(super) fn cables(
    df: &Dragonfly,
    step: impl Fn(u32) -> Option<RotationStep>,
) -> Vec<(End, End)> {
    let mut cables = Vec::new();
    for port in df.global_ports() {
        let Some(step) = step(port.0.into()) else {
            continue;
        };
        for group in df.groups() {
            let near = End { group, port };
            let far = End {
                group: wrapped(df, u32::from(group.0) + step.offset),
                port: GlobalPort(
                    u16::try_from(step.port).expect("a step leads to a port of the group"),
                ),
            };
            if near < far {
                cables.push((near, far));
            }
        }
    }
    cables
}

fn wrapped(df: &Dragonfly, group: u32) -> GroupId {
    GroupId(u16::try_from(group % df.g()).expect("a Dragonfly's groups fit 16 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrangement::{Arrangement, arrange};

    #[test]
    fn all_groups_are_wired_alike_whatever_the_size() {
        for arrangement in [Arrangement::Relative, Arrangement::Circulant, Arrangement::Palmtree] {
            for (a, h) in [(1, 1), (3, 1), (3, 3), (4, 2), (5, 3), (8, 4)] {
                for g in 2..=a * h + 1 {
                    let df = Dragonfly::new(1, a, h, g).unwrap();
                    let topology = arrange(df, arrangement, 0).unwrap();
                    assert!(
                        topology.is_rotation_invariant(),
                        "{arrangement} on a = {a}, h = {h}, g = {g}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_short_round_loses_a_port_only_where_it_must() {
        let at = |ports, g, port| place(&Dragonfly::new(1, 1, ports, g).unwrap(), port);
        let short = |length, position| Some(RoundPlace { start: 7, length, position });
        // g = 8, whole rounds of 7: 4/8 may stand alone in a short round of 3.
        assert_eq!(at(10, 8, 9), short(3, 2));
        // g = 9, whole rounds of 8: of a short round of 3 the last stays unused.
        assert_eq!(at(11, 9, 9).unwrap().length, 2);
        assert_eq!(at(11, 9, 10), None);
    }
}
