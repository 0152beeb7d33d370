//! Switches of one group that share no link.
//!
//! Walks go over all pairs of links between groups, and through all switches in the middle. If some pair of switches is
//! apart, the walks that would need its link are subtracted from the sums. A machine has few such pairs, so they are
//! listed by switch. A missing link has the price 0, and what the sums put on it is cleared at the end; so only what
//! the *other* links of a missing walk cost and carry is corrected.

use super::table::{ByMid, SumTable, minus, plus, times};
use super::{GroupFlow, Middle, Span};
use tvlb_topology::Topology;
use tvlb_topology::links::LinkNumbers;

#[derive(Clone, Debug, Default)]
pub(super) struct Apart {
    /// By number of a switch the indices of those of its group with which it shares no link. Empty if no two switches
    /// are apart.
    of: Vec<Vec<usize>>,
    /// The numbers of the missing links, one for each direction.
    links: Vec<usize>,
}

impl Apart {
    pub(super) fn new(topology: &Topology, links: &LinkNumbers) -> Self {
        let df = topology.dragonfly();
        let mut apart = Self::default();
        for pair in topology.fewer_links().iter().filter(|pair| pair.links == 0) {
            apart.of.resize(df.switch_numbers() as usize, Vec::new());
            let (group, low) = df.place(pair.low);
            for (one, other) in [(low, pair.high), (pair.high, low)] {
                apart.of[df.switch(group, one).as_usize()].push(other.as_usize());
                apart.links.push(links.local(group, one, other));
            }
        }
        apart
    }

    /// Whether no two switches are apart.
    pub(super) const fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The indices of the switches that a switch shares no link with.
    #[inline]
    pub(super) fn from(&self, switch: usize) -> &[usize] {
        self.of.get(switch).map_or(&[], Vec::as_slice)
    }

    /// Sets every missing link to 0.
    pub(super) fn wipe(&self, by_link: &mut [f64]) {
        for &link in &self.links {
            by_link[link] = 0.0;
        }
    }

    /// Subtracts the walks between two switches v and w in the middle that need a missing link from the numbers of
    /// ways.
    pub(super) fn ways(&self, ways: ByMid, (first, v, w): (usize, usize, usize)) -> ByMid {
        if self.is_empty() {
            return ways;
        }
        let (of_v, of_w) = (self.from(first + v), self.from(first + w));
        let [none, one, two, fill] = ways;
        let one = if of_v.contains(&w) { 0.0 } else { one };
        let relays = |of: &[usize]| of.iter().filter(|&&r| r != v && r != w).count();
        let both = of_v.iter().filter(|r| v != w && of_w.contains(r)).count();
        let lost = relays(of_v) + if v == w { 0 } else { relays(of_w) } - both;
        #[expect(clippy::cast_precision_loss, reason = "a group has at most 256 switches")]
        let two = if two > 0.0 { two - lost as f64 } else { two };
        [none, one, two, fill]
    }

    /// The excess cost in the sums of two hops between two different switches in the middle: those through switches to
    /// which only one of the two is linked.
    fn two_hops_too_much(&self, middle: &Middle, (v, w): (usize, usize), prices: &[f64]) -> f64 {
        let link = |from: usize, to: usize| prices[middle.local + from * middle.side + to];
        let to_w = self.from(middle.first + w).iter().map(|&r| link(v, r));
        let from_v = self.from(middle.first + v).iter().map(|&r| link(r, w));
        to_w.sum::<f64>() + from_v.sum::<f64>()
    }

    /// Subtracts from the sums of prices the walks through one group that need its missing links.
    pub(super) fn correct_prices(&self, middle: &Middle, prices: &[f64], sums: &mut SumTable) {
        for x in &middle.into {
            for y in middle.out_of.iter().filter(|y| y.w != x.v) {
                let cell = &mut sums.cells[x.start + y.end];
                let globals = prices[x.link] + prices[y.link];
                let allowed = self.ways(middle.ways[0], (middle.first, x.v, y.w));
                *cell = minus(*cell, times(minus(middle.ways[0], allowed), globals));
                cell[2] -= self.two_hops_too_much(middle, (x.v, y.w), prices);
            }
            for y in middle.out_of.iter().filter(|y| y.w == x.v) {
                let cell = &mut sums.cells[x.start + y.end];
                let globals = prices[x.link] + prices[y.link];
                let allowed = self.ways(middle.ways[1], (middle.first, x.v, y.w));
                *cell = minus(*cell, times(minus(middle.ways[1], allowed), globals));
            }
        }
    }

    /// Subtracts from the loads the walks through one group that need its missing links.
    pub(super) fn correct_loads(&self, middle: &Middle, rate: &SumTable, loads: &mut [f64]) {
        for x in &middle.into {
            for y in &middle.out_of {
                let cell = rate.cells[x.start + y.end];
                let ways = middle.ways[usize::from(x.v == y.w)];
                let lost = minus(ways, self.ways(ways, (middle.first, x.v, y.w)));
                let carried = lost[0] * cell[0] + lost[1] * cell[1] + lost[2] * cell[2];
                loads[x.link] -= carried;
                loads[y.link] -= carried;
                if x.v != y.w {
                    let place = |from: usize, to: usize| middle.local + from * middle.side + to;
                    for &r in self.from(middle.first + y.w).iter().filter(|&&r| r != x.v) {
                        loads[place(x.v, r)] -= cell[2];
                    }
                    for &r in self.from(middle.first + x.v).iter().filter(|&&r| r != y.w) {
                        loads[place(r, y.w)] -= cell[2];
                    }
                }
            }
        }
    }

    /// The switches that a flow's source and destination cannot reach in one hop.
    fn ends<'s>(&'s self, span: &Span, flow: &GroupFlow) -> (&'s [usize], &'s [usize]) {
        (self.from(span.first + flow.i), self.from(span.last + flow.j))
    }

    /// Takes out of the sums over switches u and z, in the order of [`super::ENDS`], those that a flow's
    /// source or destination is apart from.
    #[inline]
    pub(super) fn parts(
        &self,
        span: &Span,
        flow: &GroupFlow,
        table: &SumTable,
        parts: [ByMid; 4],
    ) -> [ByMid; 4] {
        if self.is_empty() {
            return parts;
        }
        let (us, zs) = self.ends(span, flow);
        let [here, mut tail, mut head, mut both] = parts;
        let cell = |u: usize, z: usize| table.cells[u * table.side + z];
        for &z in zs {
            let own = cell(flow.i, z);
            tail = minus(tail, own);
            both = minus(both, minus(table.columns[z], own));
        }
        for &u in us {
            let own = cell(u, flow.j);
            head = minus(head, own);
            both = minus(both, minus(table.rows[u], own));
            for &z in zs {
                both = plus(both, cell(u, z));
            }
        }
        [here, tail, head, both]
    }

    /// The excess cost in the sums of the head hops, and the tail hops, of walks with a hop at both ends: those of
    /// walks whose other end is apart.
    pub(super) fn edges_too_much(
        &self,
        span: &Span,
        flow: &GroupFlow,
        prices: (&[f64], &[f64]),
    ) -> [ByMid; 2] {
        let (us, zs) = self.ends(span, flow);
        let side = span.walks.side;
        let mut too_much = [[0.0; 4]; 2];
        for (u, &price) in prices.0.iter().enumerate() {
            for &z in zs {
                too_much[0] = plus(too_much[0], times(span.walks.cells[u * side + z], price));
            }
        }
        for (z, &price) in prices.1.iter().step_by(side).take(side).enumerate() {
            for &u in us {
                too_much[1] = plus(too_much[1], times(span.walks.cells[u * side + z], price));
            }
        }
        too_much
    }

    /// Subtracts walks that need a missing link from the loads of head hops and tail hops, and from those of pairs of
    /// links.
    pub(super) fn correct_rates(
        &self,
        span: &Span,
        flow: &GroupFlow,
        (rate, [tail, head, both]): (&mut SumTable, [ByMid; 3]),
        (starts, loads): ((usize, usize), &mut [f64]),
    ) {
        let (us, zs) = self.ends(span, flow);
        let side = rate.side;
        for &z in zs {
            rate.columns[z] = minus(rate.columns[z], both);
            let cell = &mut rate.cells[flow.i * side + z];
            *cell = plus(*cell, minus(both, tail));
        }
        for &u in us {
            rate.rows[u] = minus(rate.rows[u], both);
            let cell = &mut rate.cells[u * side + flow.j];
            *cell = plus(*cell, minus(both, head));
            for &z in zs {
                let cell = &mut rate.cells[u * side + z];
                *cell = plus(*cell, both);
            }
        }
        let carried = |walks: ByMid| walks[0] * both[0] + walks[1] * both[1] + walks[2] * both[2];
        for index in 0..side {
            if index != flow.i {
                for &z in zs {
                    loads[starts.0 + flow.i * side + index] -=
                        carried(span.walks.cells[index * side + z]);
                }
            }
            if index != flow.j {
                for &u in us {
                    loads[starts.1 + index * side + flow.j] -=
                        carried(span.walks.cells[u * side + index]);
                }
            }
        }
    }
}
