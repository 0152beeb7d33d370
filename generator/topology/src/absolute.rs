//! `absolute`, the default: the "minor variation of absolute" of Rahman et al., "Topology-Custom
//! UGAL Routing on Dragonfly", SC'19.
//!
//! A walk over the source switches and, in step with it, a pointer that goes round the groups: each free port is cabled
//! to the next other group in the round that has a free port on the switch whose turn it is. A switch numbers its
//! global ports in the order in which its cables are laid. No two groups are alike: this wiring has no symmetry to
//! exploit.
//!
//! That pairs differ by at most one link, and that a port stays unused (one) only if a·h·g is odd, is known from trying
//! 58,000 sizes (all a ≤ 40 and h ≤ 24, with all g ≤ 60 and a choice of those above), not from a proof.

use tvlb_schema::End;
use tvlb_schema::{Dragonfly, GroupId, SwitchId, SwitchIndex};

/// The cables, in the order in which they are laid.
pub(super) fn cables(df: &Dragonfly) -> Vec<(End, End)> {
    let mut laid = vec![0_u16; df.switch_numbers() as usize];
    let mut pointer = Pointer { group: 1, index: 0, df: *df };
    let mut cables = Vec::new();
    for source in df.switches() {
        let mut idle = 0;
        while u32::from(laid[source.as_usize()]) < df.h() {
            let target = pointer.switch();
            let joins_groups = df.place(target).0 != df.place(source).0;
            if joins_groups && u32::from(laid[target.as_usize()]) < df.h() {
                cables.push((next_end(df, &mut laid, source), next_end(df, &mut laid, target)));
                idle = 0;
            } else {
                idle += 1;
            }
            pointer.advance();
            if idle == df.switch_count() {
                // No other group has a free port, for this or any later source.
                return cables;
            }
        }
    }
    cables
}

/// The first free port of a switch, taken.
fn next_end(df: &Dragonfly, laid: &mut [u16], switch: SwitchId) -> End {
    let slot = &mut laid[switch.as_usize()];
    let (group, index) = df.place(switch);
    let end = End::new(df, group, index, *slot);
    *slot += 1;
    end
}

/// The switch whose turn it is to be joined to.
struct Pointer {
    group: u16,
    index: u8,
    df: Dragonfly,
}

impl Pointer {
    fn switch(&self) -> SwitchId {
        self.df.switch(GroupId(self.group), SwitchIndex(self.index))
    }

    /// Moves to the next group; after the last group, to the next switch of each.
    fn advance(&mut self) {
        self.group += 1;
        if !self.df.has_group(GroupId(self.group)) {
            self.group = 0;
            let next = u32::from(self.index) + 1;
            self.index = if next == self.df.a() { 0 } else { self.index + 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(a: u32, h: u32, g: u32) -> Vec<[u16; 6]> {
        let df = Dragonfly::new(1, a, h, g).unwrap();
        let side = |end: End| {
            let (index, slot) = df.split_port(end.port);
            [end.group.0, u16::from(index.0), slot]
        };
        cables(&df)
            .into_iter()
            .map(|(from, to)| {
                let ([a, b, c], [d, e, f]) = (side(from), side(to));
                [a, b, c, d, e, f]
            })
            .collect()
    }

    /// Worked out on paper from the definition.
    #[test]
    fn the_first_cables_of_a_small_one() {
        assert_eq!(
            laid(4, 2, 9)[..20],
            [
                // Group 0 takes the first free port of each group in turn, on their switches 0.
                [0, 0, 0, 1, 0, 0],
                [0, 0, 1, 2, 0, 0],
                [0, 1, 0, 3, 0, 0],
                [0, 1, 1, 4, 0, 0],
                [0, 2, 0, 5, 0, 0],
                [0, 2, 1, 6, 0, 0],
                [0, 3, 0, 7, 0, 0],
                [0, 3, 1, 8, 0, 0],
                // The pointer comes to (0, 1), which is full, and (1, 1), which is at home.
                [1, 0, 1, 2, 1, 0],
                [1, 1, 0, 3, 1, 0],
                [1, 1, 1, 4, 1, 0],
                [1, 2, 0, 5, 1, 0],
                [1, 2, 1, 6, 1, 0],
                [1, 3, 0, 7, 1, 0],
                [1, 3, 1, 8, 1, 0],
                // (0, 2) and (1, 2) are full, (2, 2) is at home; then (0, 3) to (2, 3) likewise.
                [2, 0, 1, 3, 2, 0],
                [2, 1, 1, 4, 2, 0],
                [2, 2, 0, 5, 2, 0],
                [2, 2, 1, 6, 2, 0],
                [2, 3, 0, 7, 2, 0],
            ]
        );
    }

    #[test]
    fn one_switch_per_group_and_a_port_too_many() {
        // Three ports per group, two other groups: 0-1, 0-2, 0-1, then 1 has one left, 2 has two.
        assert_eq!(
            laid(1, 3, 3),
            [[0, 0, 0, 1, 0, 0], [0, 0, 1, 2, 0, 0], [0, 0, 2, 1, 0, 1], [1, 0, 2, 2, 0, 1],]
        );
    }
}
