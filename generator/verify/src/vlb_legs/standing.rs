//! Packets at one switch, grouped by the hop that they make.

use crate::groups::Groups;
use crate::packet::Hop;
use crate::set_channels::{NONE, raise};
use tvlb_firmware_model::{Channels, Header};

/// Packets at one switch in one state.
#[derive(Clone)]
pub(super) struct Standing {
    /// The header of one of them.
    pub(super) header: Header,
    /// Whether they have had a second look.
    pub(super) after: bool,
    /// Whether they have made two hops in the intermediate group.
    pub(super) detoured: bool,
    /// The most hops that one of them has made, and the channels that they have taken.
    pub(super) hops: usize,
    pub(super) taken: Channels,
    /// The hops by which they came, each with the groups to which packets that made it go.
    pub(super) held: Vec<(Hop, Groups)>,
    /// All these groups.
    pub(super) bound: Groups,
}

impl Standing {
    /// Packets at a switch of their source group.
    pub(super) fn at_source(header: Header, before: &[Hop], bound: Groups) -> Self {
        let held: Vec<_> = before.iter().map(|&hop| (hop, bound.clone())).collect();
        let (after, hops, mut taken) = (!held.is_empty(), usize::from(!held.is_empty()), NONE);
        raise(&mut taken, before.iter().map(|hop| (hop.channel, hop.global)));
        Self { header, after, detoured: false, hops, taken, held, bound }
    }

    /// Those of them that go to these groups, one hop on.
    pub(super) fn moved(&self, (hop, header): (Hop, Header), bound: Groups) -> Self {
        let mut taken = self.taken;
        raise(&mut taken, [(hop.channel, hop.global)]);
        let held = vec![(hop, bound.clone())];
        Self { header, hops: self.hops + 1, taken, held, bound, ..*self }
    }

    pub(super) fn is_like(&self, other: &Self) -> bool {
        let state = |one: &Self| (one.header.bits() & 0xff, one.after, one.detoured);
        state(self) == state(other)
    }

    /// Packets in the same state.
    pub(super) fn add(&mut self, other: Self) {
        self.hops = self.hops.max(other.hops);
        self.taken = self.taken.or(other.taken);
        self.bound.add(&other.bound);
        for (hop, bound) in other.held {
            match self.held.iter_mut().find(|(held, _)| *held == hop) {
                Some((_, groups)) => groups.add(&bound),
                None => self.held.push((hop, bound)),
            }
        }
    }
}

/// All packets at one switch.
#[derive(Clone, Default)]
pub(super) struct PacketsAtSwitch(pub(super) Vec<Standing>);

impl PacketsAtSwitch {
    pub(super) fn add(&mut self, standing: Standing) {
        match self.0.iter_mut().find(|other| other.is_like(&standing)) {
            Some(other) => other.add(standing),
            None => self.0.push(standing),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::{Dragonfly, GroupId, SwitchId};

    #[test]
    fn packets_in_one_state_are_taken_together() {
        let df = Dragonfly::new(1, 4, 1, 5).unwrap();
        let groups = |list: &[u16]| {
            let mut groups = Groups::none(&df);
            for &group in list {
                groups.insert(GroupId(group));
            }
            groups
        };
        let hop = |from| Hop { from: SwitchId(from), ..Hop::default() };
        let standing = |from, hops, local, to: &[u16]| Standing {
            header: Header::from_bits(3 << 5),
            after: false,
            detoured: false,
            hops,
            taken: Channels { local, global: 1 },
            held: vec![(hop(from), groups(to))],
            bound: groups(to),
        };
        let mut place = PacketsAtSwitch::default();
        place.add(standing(1, 1, 0, &[2]));
        place.add(standing(2, 2, 1, &[3]));
        place.add(standing(1, 1, 0, &[4]));
        place.add(Standing { after: true, ..standing(1, 3, 2, &[0]) });
        let [one, after] = &place.0[..] else { panic!("two states") };
        assert_eq!((one.hops, one.taken), (2, Channels { local: 1, global: 1 }));
        assert_eq!(one.bound, groups(&[2, 3, 4]));
        assert_eq!(one.held, [(hop(1), groups(&[2, 4])), (hop(2), groups(&[3]))]);
        assert_eq!((after.hops, after.bound == groups(&[0])), (3, true));
    }
}
