//! Whether a wiring looks the same from every group.

use super::Topology;
use tvlb_schema::End;
use tvlb_schema::GroupId;

impl Topology {
    /// Whether renumbering all groups by the same amount leaves the links as they are, port for
    /// port. What holds of one group then holds of all, so that later stages may study one group
    /// in place of g.
    pub fn is_rotation_invariant(&self) -> bool {
        let df = self.dragonfly();
        if !df.is_even() || !self.fewer_links().is_empty() {
            return false;
        }
        let next = |end: End| {
            let group = GroupId(end.group.0 + 1);
            End { group: if df.has_group(group) { group } else { GroupId(0) }, port: end.port }
        };
        // By one group is enough: any other rotation repeats it.
        df.groups().all(|group| {
            df.global_ports().all(|port| {
                let end = End { group, port };
                self.peer(next(end)) == self.peer(end).map(next)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrangement::{Arrangement, arrange};
    use tvlb_schema::Dragonfly;

    #[test]
    fn relative_ones_are_invariant_and_absolute_ones_are_not() {
        for (p, a, h, g) in
            [(2, 4, 2, 9), (4, 8, 4, 9), (4, 8, 4, 17), (4, 8, 4, 33), (13, 26, 13, 27)]
        {
            let df = Dragonfly::new(p, a, h, g).unwrap();
            for (arrangement, expected) in [
                (Arrangement::Absolute, false),
                (Arrangement::AbsoluteClassic, false),
                (Arrangement::Relative, true),
                (Arrangement::Circulant, true),
                (Arrangement::Palmtree, true),
                (Arrangement::Random, false),
            ] {
                let topology = arrange(df, arrangement, 1).unwrap();
                assert_eq!(
                    topology.is_rotation_invariant(),
                    expected,
                    "{arrangement} on dfly({p}, {a}, {h}, {g})"
                );
            }
        }
    }

    #[test]
    fn one_missing_cable_is_noticed() {
        let df = Dragonfly::new(1, 4, 2, 9).unwrap();
        let whole = arrange(df, Arrangement::Relative, 0).unwrap();
        for missing in 0..whole.cables().len() {
            let rest = whole.cables().iter().enumerate();
            let rest = rest.filter(|&(i, _)| i != missing);
            let rest = rest.map(|(_, cable)| (cable.low, cable.high));
            let topology = Topology::from_cables(df, rest).unwrap();
            assert!(!topology.is_rotation_invariant());
        }
        let none = Topology::from_cables(df, []).unwrap();
        assert!(none.is_rotation_invariant());
    }
}
