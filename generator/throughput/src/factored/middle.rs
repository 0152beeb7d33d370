//! The walks through one intermediate group: costs and loads of its links and of the hops between them.

use super::table::{ByMid, SumTable, plus, times};
use super::two_hop::TwoHopSums;

/// The global links of one intermediate group.
#[derive(Clone, Debug)]
pub(super) struct Middle {
    /// Its first switch, the first of its local links, and how many of these each switch has.
    pub(super) first: usize,
    pub(super) local: usize,
    pub(super) side: usize,
    pub(super) into: Vec<Into>,
    pub(super) out_of: Vec<OutOf>,
    /// In how many ways links that do not meet at a switch, and links that do, are joined.
    pub(super) ways: [ByMid; 2],
}

/// A global link x into an intermediate group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Into {
    pub(super) link: usize,
    /// u·a, for the switch u that it leaves.
    pub(super) start: usize,
    /// The switch it enters, numbered throughout the fabric and in its group.
    pub(super) enters: usize,
    pub(super) v: usize,
    /// The first of the local links that leave that switch.
    pub(super) local: usize,
}

/// A global link y out of an intermediate group.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutOf {
    pub(super) link: usize,
    /// The switch z it arrives at.
    pub(super) end: usize,
    /// The switch it leaves, numbered throughout the fabric and in its group.
    pub(super) leaves: usize,
    pub(super) w: usize,
}

/// A link out of an intermediate group while all links into it are joined with it: its cost or load, the cost of two
/// hops to the switch that it leaves, the switch at which it arrives, and the one that it leaves.
pub(super) struct Joined {
    amount: f64,
    two_hop: f64,
    end: usize,
    w: usize,
}

impl Middle {
    /// Adds the costs of the global links of one group, and of the hops between them; `joined` is scratch memory.
    #[inline(always)]
    pub(super) fn add_prices(
        &self,
        two_hop: &TwoHopSums,
        prices: &[f64],
        joined: &mut Vec<Joined>,
        sums: &mut SumTable,
    ) {
        let [[_, _, detours, _], meeting] = self.ways;
        joined.clear();
        joined.extend(self.out_of.iter().map(|y| Joined {
            amount: prices[y.link],
            two_hop: two_hop.into[y.leaves],
            end: y.end,
            w: y.w,
        }));
        for x in &self.into {
            let (price, two_hop_x) = (prices[x.link], two_hop.out[x.enters]);
            let direct = &prices[x.local..][..sums.side];
            let cells = &mut sums.cells[x.start..][..sums.side];
            for y in &*joined {
                let globals = price + y.amount;
                let both = two_hop_x + y.two_hop;
                let cell = &mut cells[y.end];
                if x.v == y.w {
                    *cell = plus(*cell, times(meeting, globals));
                    // There and back over each link of the switch, if that counts at all.
                    cell[2] += if meeting[2] > 0.0 { both } else { 0.0 };
                } else {
                    // One way of one hop, and none without.
                    let direct = direct[y.w];
                    cell[1] = cell[1] + globals + direct;
                    cell[2] = cell[2] + detours * globals + (both - 2.0 * direct);
                }
            }
        }
    }

    /// Adds the loads of the global links of one group, and of the hops between them; `joined` is scratch memory.
    #[inline(always)]
    pub(super) fn carry(
        &self,
        rate: &SumTable,
        two_hop: &mut TwoHopSums,
        joined: &mut Vec<Joined>,
        loads: &mut [f64],
    ) {
        let [[_, _, detours, _], meeting] = self.ways;
        joined.clear();
        joined.extend(self.out_of.iter().map(|y| Joined {
            amount: loads[y.link],
            two_hop: 0.0,
            end: y.end,
            w: y.w,
        }));
        let into = &mut two_hop.into[self.first..][..rate.side];
        for x in &self.into {
            let cells = &rate.cells[x.start..][..rate.side];
            let direct = &mut loads[x.local..][..rate.side];
            let (mut of_x, mut two_hop_x) = (0.0, 0.0);
            for y in &mut *joined {
                let cell = cells[y.end];
                if x.v == y.w {
                    let carried = meeting[0] * cell[0] + meeting[2] * cell[2];
                    of_x += carried;
                    y.amount += carried;
                    if meeting[2] > 0.0 {
                        two_hop_x += cell[2];
                        into[y.w] += cell[2];
                    }
                } else {
                    // One way of one hop, and none without.
                    let carried = cell[1] + detours * cell[2];
                    of_x += carried;
                    y.amount += carried;
                    two_hop_x += cell[2];
                    into[y.w] += cell[2];
                    direct[y.w] += cell[1] - 2.0 * cell[2];
                }
            }
            loads[x.link] += of_x;
            two_hop.out[x.enters] += two_hop_x;
        }
        for (y, joined) in self.out_of.iter().zip(joined) {
            loads[y.link] = joined.amount;
        }
    }
}
