//! The two evaluations of the walks of whole shapes: the costs of each flow, and the loads.
//!
//! Both are compiled for the vectors of the processor, which changes neither the operations nor their order: results
//! are the same on every machine.

use super::table::{ByMid, SumTable, minus, plus, times};
use super::two_hop::TwoHopSums;
use super::{ENDS, Factored, HOPS, MIDS, hops_of, shape_number};
use pulp::{Arch, Simd, WithSimd};

impl Factored {
    /// The cost for each flow of the walks of each hop count and whole shape: entry flow·HOPS + hops.
    pub(super) fn costs_by_hops(&self, prices: &[f64]) -> Vec<f64> {
        if self.capacities.is_empty() && self.apart.is_empty() {
            return Arch::new().dispatch(CostsByHops { of: self, prices });
        }
        let mut prices = prices.to_vec();
        for (price, capacity) in prices.iter_mut().zip(&self.capacities) {
            *price /= capacity;
        }
        self.apart.wipe(&mut prices);
        Arch::new().dispatch(CostsByHops { of: self, prices: &prices })
    }

    #[inline(always)]
    fn costs_by_hops_in_vectors(&self, prices: &[f64]) -> Vec<f64> {
        let a = self.df.a() as usize;
        let two_hop = TwoHopSums::of_prices(&self.df, &self.links, prices);
        let mut by_hops = vec![0.0; self.choices.flows.len() * HOPS];
        let (mut sums, mut joined) = (SumTable::new(a), Vec::new());
        for (span, flows) in &self.spans {
            sums.clear();
            for middle in &span.middles {
                middle.add_prices(&two_hop, prices, &mut joined, &mut sums);
                if !self.apart.is_empty() {
                    self.apart.correct_prices(middle, prices, &mut sums);
                }
            }
            sums.sum_up();
            let (from, to) = (self.links.group_start(span.from), self.links.group_start(span.to));
            for flow in flows {
                let heads = span.walks_by_end[flow.j * a..].iter().zip(&span.walks.rows);
                let mut heads = edge_costs(heads, prices[from + flow.i * a..][..a].iter());
                let tails = span.walks.row(flow.i).iter().zip(&span.walks.columns);
                let mut tails = edge_costs(tails, prices[to + flow.j..].iter().step_by(a));
                let parts = sums.parts(flow.i, flow.j);
                let parts = self.apart.parts(span, flow, &sums, parts);
                if !self.apart.is_empty() {
                    let prices = (&prices[from + flow.i * a..][..a], &prices[to + flow.j..]);
                    let [head, tail] = self.apart.edges_too_much(span, flow, prices);
                    heads[1] = minus(heads[1], head);
                    tails[1] = minus(tails[1], tail);
                }
                let by_hops = &mut by_hops[flow.flow * HOPS..][..HOPS];
                for (ends, mut cost) in ENDS.into_iter().zip(parts) {
                    let (head, tail) = ends;
                    if head == 1 {
                        cost = plus(cost, heads[tail]);
                    }
                    if tail == 1 {
                        cost = plus(cost, tails[head]);
                    }
                    for mid in 0..MIDS {
                        by_hops[hops_of(ends, mid)] +=
                            self.whole[shape_number(ends, mid)] * cost[mid];
                    }
                }
            }
        }
        by_hops
    }

    /// Adds the loads of the walks of whole shapes; each flow puts `rates` on each walk of a hop count: entry flow·HOPS
    /// + hops.
    pub(super) fn add_loads(&self, rates: &[f64], loads: &mut [f64]) {
        if self.capacities.is_empty() {
            Arch::new().dispatch(AddLoads { of: self, rates, loads });
        } else {
            let mut added = vec![0.0; loads.len()];
            Arch::new().dispatch(AddLoads { of: self, rates, loads: &mut added });
            for ((load, added), capacity) in loads.iter_mut().zip(added).zip(&self.capacities) {
                *load += added / capacity;
            }
        }
        self.apart.wipe(loads);
    }

    #[inline(always)]
    fn add_loads_in_vectors(&self, rates: &[f64], loads: &mut [f64]) {
        let a = self.df.a() as usize;
        let mut two_hop = TwoHopSums::new(&self.df);
        // The load of a pair of links from u to z is all + row(u) + column(z) + cell(u, z).
        let (mut rate, mut joined) = (SumTable::new(a), Vec::new());
        for (span, flows) in &self.spans {
            rate.clear();
            let (from, to) = (self.links.group_start(span.from), self.links.group_start(span.to));
            for flow in flows {
                let rates = &rates[flow.flow * HOPS..][..HOPS];
                let [direct, tail, head, both] = ENDS.map(|ends| {
                    let mut of = [0.0; 4];
                    for mid in 0..MIDS {
                        of[mid] = self.whole[shape_number(ends, mid)] * rates[hops_of(ends, mid)];
                    }
                    of
                });
                rate.total = plus(rate.total, both);
                rate.rows[flow.i] = plus(rate.rows[flow.i], minus(tail, both));
                rate.columns[flow.j] = plus(rate.columns[flow.j], minus(head, both));
                let cell = &mut rate.cells[flow.i * a + flow.j];
                *cell = plus(*cell, minus(plus(direct, both), plus(tail, head)));
                let heads = span.walks_by_end[flow.j * a..].iter().zip(&span.walks.rows);
                let out = loads[from + flow.i * a..][..a].iter_mut();
                add_edge_loads(heads, (head, both), flow.i, out);
                let tails = span.walks.row(flow.i).iter().zip(&span.walks.columns);
                let into = loads[to + flow.j..].iter_mut().step_by(a);
                add_edge_loads(tails, (tail, both), flow.j, into);
                if !self.apart.is_empty() {
                    let rates = (&mut rate, [tail, head, both]);
                    self.apart.correct_rates(span, flow, rates, ((from, to), loads));
                }
            }
            let SumTable { cells, rows, columns, total, .. } = &mut rate;
            for (cells, row) in cells.chunks_exact_mut(a).zip(rows) {
                let row = plus(*row, *total);
                for (cell, column) in cells.iter_mut().zip(&*columns) {
                    *cell = plus(*cell, plus(row, *column));
                }
            }
            for middle in &span.middles {
                middle.carry(&rate, &mut two_hop, &mut joined, loads);
                if !self.apart.is_empty() {
                    self.apart.correct_loads(middle, &rate, loads);
                }
            }
        }
        two_hop.add_to(&self.df, &self.links, loads);
    }
}

/// [`Factored::costs_by_hops_in_vectors`]. A closure instead would not be inlined into the code that `dispatch`
/// compiles for a vector width, and would stay at the narrowest processor's.
struct CostsByHops<'f> {
    of: &'f Factored,
    prices: &'f [f64],
}

impl WithSimd for CostsByHops<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f64> {
        self.of.costs_by_hops_in_vectors(self.prices)
    }
}

/// [`Factored::add_loads_in_vectors`], as [`CostsByHops`].
struct AddLoads<'f> {
    of: &'f Factored,
    rates: &'f [f64],
    loads: &'f mut [f64],
}

impl WithSimd for AddLoads<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.of.add_loads_in_vectors(self.rates, self.loads);
    }
}

/// The cost of the head hops, or the tail hops, of all walks: of those without a hop at the other end, and of those
/// with one. `walks` are those to (or from) the flow's own switch at the other end, and all.
#[inline(always)]
fn edge_costs<'w>(
    walks: impl Iterator<Item = (&'w ByMid, &'w ByMid)>,
    prices: impl Iterator<Item = &'w f64>,
) -> [ByMid; 2] {
    let mut costs = [[0.0; 4]; 2];
    for ((&here, &all), &price) in walks.zip(prices) {
        costs[0] = plus(costs[0], times(here, price));
        costs[1] = plus(costs[1], times(minus(all, here), price));
    }
    costs
}

/// Adds to the links of head hops, or of tail hops, the loads of all walks, by the rates of walks without and with a
/// hop at the other end.
#[inline(always)]
fn add_edge_loads<'w>(
    walks: impl Iterator<Item = (&'w ByMid, &'w ByMid)>,
    (without, with): (ByMid, ByMid),
    own: usize,
    loads: impl Iterator<Item = &'w mut f64>,
) {
    for (index, ((here, all), load)) in walks.zip(loads).enumerate() {
        if index != own {
            for mid in 0..MIDS {
                *load += here[mid] * without[mid] + (all[mid] - here[mid]) * with[mid];
            }
        }
    }
}
