//! The model of one pattern and one set on a large fabric, without an entry for every link that
//! every bundle uses.
//!
//! Between two groups, a pair of global links x (into an intermediate group) and y (out of it)
//! serves all flows: which switch x leaves from decides whether a flow has a head hop, which switch
//! y arrives at whether it has a tail hop, and nothing else of the pair depends on the flow. So what
//! the pairs cost is summed up once for each pair of groups, by the switches u that x leaves from
//! and z that y arrives at; a flow then takes its own row and column of those sums, or all but them.
//! The hops in the middle follow the same way from what the links out of and into each switch cost
//! together. Loads are found by the same steps backwards. An evaluation of dfly(13,26,13,27) under a
//! shift takes a few million operations, where a matrix would have 10⁸ entries.
//!
//! Shapes of which a set keeps a fraction have no such regularity: what the kept routes use is
//! listed, as are MIN paths and those within a group.
//!
//! Sums are taken apart again by subtraction, so results are good to some ten digits, not to the
//! last; `certificate.rs` counts again.
//!
//! The crossings that the path counter goes over one by one never appear here, which is the point of
//! the factoring; so this counts paths in a second way, and tests hold it against the first.
//!
//! The two evaluations are compiled for the vectors that the processor has, which changes neither
//! the operations nor their order: results are the same on every machine.

#![expect(
    clippy::inline_always,
    reason = "what `dispatch` compiles for a vector width is exactly what is inlined into it"
)]

mod apart;
mod table;
#[cfg(test)]
mod tests;
mod two_hop;

use super::ModelError;
use super::path_counter::PathCounter;
use super::path_set::{Counting, PathSet};
use super::program::{Choices, Program};
use super::rule::{BundleKind, Rule};
use apart::Apart;
use pulp::{Arch, Simd, WithSimd};
use std::collections::BTreeMap;
use table::{ByMid, Table, minus, plus, times};
use tvlb_schema::{Dragonfly, GroupId, Keep, SetRule, Shape};
use tvlb_topology::Topology;
use tvlb_topology::links::LinkNumbers;
use tvlb_traffic::{Flow, Flows};
use two_hop::TwoHopSums;

/// Numbers of local hops in the middle: 0, 1, 2.
const MIDS: usize = 3;

/// All that flows between two groups have in common.
#[derive(Clone, Debug)]
struct Span {
    from: GroupId,
    to: GroupId,
    /// The first switches of the two groups.
    first: usize,
    last: usize,
    middles: Vec<Middle>,
    /// The numbers of walks whose x leaves switch u and whose y arrives at switch z, at u·a + z.
    walks: Table,
    /// The cells of `walks` in the other order, at z·a + u.
    walks_by_end: Vec<ByMid>,
}

/// The global links by way of one intermediate group.
#[derive(Clone, Debug)]
struct Middle {
    /// Its first switch, the first of its local links, and how many of these each switch has.
    first: usize,
    local: usize,
    side: usize,
    into: Vec<Into>,
    out_of: Vec<OutOf>,
    /// In how many ways links that do not meet at a switch, and links that do, are joined.
    ways: [ByMid; 2],
}

/// A global link x into an intermediate group.
#[derive(Clone, Copy, Debug)]
struct Into {
    link: usize,
    /// u·a, where it leaves from u.
    start: usize,
    /// The switch it enters, numbered throughout the fabric and in its group.
    enters: usize,
    v: usize,
    /// The first of the local links that leave that switch.
    local: usize,
}

/// A global link y out of an intermediate group.
#[derive(Clone, Copy, Debug)]
struct OutOf {
    link: usize,
    /// The switch z it arrives at.
    end: usize,
    /// The switch it leaves, numbered throughout the fabric and in its group.
    leaves: usize,
    w: usize,
}

/// A flow between two groups.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// Its number among the flows of the program.
    flow: usize,
    /// Source and destination in their groups.
    i: usize,
    j: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Factored {
    choices: Choices,
    df: Dragonfly,
    links: LinkNumbers,
    counting: Counting,
    /// By shape: how often each of its walks counts; 0 unless the set has all of them.
    whole: [f64; Shape::COUNT],
    /// By link, how many there are in its place; empty where each is one.
    capacities: Vec<f64>,
    apart: Apart,
    /// The pairs of groups between which there are flows, and these flows.
    spans: Vec<(Span, Vec<Placed>)>,
    /// Listed uses of each bundle's own class: where they start, one more at the end.
    starts: Vec<usize>,
    uses: Vec<(u32, f32)>,
}

/// (head, tail) in the order of their shapes' numbers.
const ENDS: [(usize, usize); 4] = [(0, 0), (0, 1), (1, 0), (1, 1)];

fn shape_number((head, tail): (usize, usize), mid: usize) -> usize {
    head * 6 + mid * 2 + tail
}

fn hops_of((head, tail): (usize, usize), mid: usize) -> usize {
    2 + head + mid + tail
}

/// One more than the most hops.
const HOPS: usize = 7;

impl Factored {
    /// Counts the paths of each flow.
    ///
    /// # Errors
    /// A flow that has no path.
    pub(super) fn new(
        counter: &mut PathCounter<'_>,
        topology: &Topology,
        pattern: &Flows,
        set: &PathSet,
    ) -> Result<Self, ModelError> {
        let df = *topology.dragonfly();
        let links = LinkNumbers::new(df);
        let counting = counter.counting();
        let mut program = Self {
            choices: Choices::new(links.count(), topology, pattern),
            df,
            links,
            counting,
            whole: [0.0; Shape::COUNT],
            capacities: counter.capacities().to_vec(),
            apart: Apart::new(topology, &links),
            spans: Vec::new(),
            starts: vec![0],
            uses: Vec::new(),
        };
        for shape in Shape::all().filter(|&shape| set.rule().keep_of(shape) == Keep::ALL) {
            program.whole[shape.number()] = f64::from(set.multiplicity(shape, counting));
        }
        let listed = listed_part(set);
        let mut numbers: BTreeMap<(GroupId, GroupId), usize> = BTreeMap::new();
        for flow in pattern.flows.iter().filter(|flow| flow.source != flow.destination) {
            let ((from, i), (to, j)) = (df.place(flow.source), df.place(flow.destination));
            let mut by_hops = [0.0; HOPS];
            let placed = Placed { flow: program.choices.flows.len(), i: i.0.into(), j: j.0.into() };
            if from != to && !set.is_min_only() {
                let number = *numbers.entry((from, to)).or_insert_with(|| {
                    program.spans.push((program.span(topology, from, to), Vec::new()));
                    program.spans.len() - 1
                });
                let (span, flows) = &mut program.spans[number];
                flows.push(placed);
                let parts = span.walks.parts(placed.i, placed.j);
                let parts = program.apart.parts(span, &placed, &span.walks, parts);
                for (ends, part) in ENDS.into_iter().zip(parts) {
                    for mid in 0..MIDS {
                        by_hops[hops_of(ends, mid)] +=
                            program.whole[shape_number(ends, mid)] * part[mid];
                    }
                }
            }
            // Within a group all paths are listed.
            let listed = if from == to { set } else { &listed };
            program.add_flow(counter, listed, flow, &by_hops);
            if program.choices.flows.last().is_some_and(std::ops::Range::is_empty) {
                return Err(ModelError::no_path(&df, flow, set, pattern));
            }
        }
        Ok(program)
    }

    /// Adds a flow's bundles, by how many walks of whole shapes it has of each hop count, and by
    /// what has to be listed.
    fn add_flow(
        &mut self,
        counter: &mut PathCounter<'_>,
        listed: &PathSet,
        flow: &Flow,
        whole: &[f64; HOPS],
    ) {
        let classes = counter.classes(listed, flow.source, flow.destination);
        let mut all: Vec<(bool, u8, f64)> = Vec::new();
        // A MIN path makes two local hops in a group where it goes by way of a third switch.
        for (is_vlb, hops) in (1..=5).map(|hops| (false, hops)).chain((2..=6).map(|h| (true, h))) {
            let class = classes.iter().find(|class| (class.is_vlb, class.hops) == (is_vlb, hops));
            let paths = class.map_or(0.0, |class| class.paths);
            let paths = if is_vlb { paths + whole[usize::from(hops)] } else { paths };
            if paths == 0.0 {
                continue;
            }
            all.push((is_vlb, hops, paths));
            if let Some(class) = class {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a fabric has fewer than 2³² links, and the solver can do with counts of \
                              24 bits"
                )]
                self.uses.extend(class.uses.iter().map(|&(l, count)| (l as u32, count as f32)));
            }
            self.starts.push(self.uses.len());
        }
        self.choices.add_flow(flow.demand, &all, &Rule::Monotone.bundles(&all));
    }

    fn span(&self, topology: &Topology, from: GroupId, to: GroupId) -> Span {
        let df = &self.df;
        let a = df.a() as usize;
        let index = |port| usize::from(df.split_port(port).0.0);
        let mut middles = Vec::new();
        let mut walks = Table::new(a);
        for middle in df.groups().filter(|&k| k != from && k != to) {
            let first = middle.as_usize() * a;
            let into = topology.links(from, middle).iter().map(|x| Into {
                link: self.links.global(from, x.from),
                start: index(x.from) * a,
                enters: first + index(x.to),
                v: index(x.to),
                local: self.links.group_start(middle) + index(x.to) * a,
            });
            let out_of = topology.links(middle, to).iter().map(|y| OutOf {
                link: self.links.global(middle, y.from),
                end: index(y.to),
                leaves: first + index(y.from),
                w: index(y.from),
            });
            let (into, out_of): (Vec<_>, Vec<_>) = (into.collect(), out_of.collect());
            let others = f64::from(df.switches_of(middle)) - 1.0;
            let there_and_back = if self.counting == Counting::Triples { others } else { 0.0 };
            let ways = [[0.0, 1.0, others - 1.0, 0.0], [1.0, 0.0, there_and_back, 0.0]];
            for x in &into {
                for y in &out_of {
                    let cell = &mut walks.cells[x.start + y.end];
                    let ways = ways[usize::from(x.v == y.w)];
                    *cell = plus(*cell, self.apart.ways(ways, (first, x.v, y.w)));
                }
            }
            let local = self.links.group_start(middle);
            middles.push(Middle { first, local, side: a, into, out_of, ways });
        }
        walks.sum_up();
        let by_end = (0..a * a).map(|place| walks.cells[place % a * a + place / a]);
        let [first, last] = [from, to].map(|group| group.as_usize() * a);
        Span { from, to, first, last, middles, walks_by_end: by_end.collect(), walks }
    }

    /// The listed uses of one bundle's own class.
    #[inline(always)]
    fn listed(&self, bundle: usize) -> &[(u32, f32)] {
        &self.uses[self.starts[bundle]..self.starts[bundle + 1]]
    }

    /// What the walks of each hop count and whole shape cost each flow: entry flow·HOPS + hops.
    fn costs_by_hops(&self, prices: &[f64]) -> Vec<f64> {
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
        let (mut sums, mut joined) = (Table::new(a), Vec::new());
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

    /// Adds the loads of the walks of whole shapes, of which each flow gives each walk of a hop
    /// count what `rates` says: entry flow·HOPS + hops.
    fn add_loads(&self, rates: &[f64], loads: &mut [f64]) {
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
        // What a pair of links from u to z carries is all + row(u) + column(z) + cell(u, z).
        let (mut rate, mut joined) = (Table::new(a), Vec::new());
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
            let Table { cells, rows, columns, total, .. } = &mut rate;
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

/// [`Factored::costs_by_hops_in_vectors`]. A closure in its place is not inlined into what `dispatch` compiles
/// for a vector width, and stays as the narrowest processor has it.
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

/// A link out of an intermediate group while all links into it are joined with it: what it costs or carries,
/// what two hops to the switch that it leaves cost, the switch at which it arrives, and the one that it leaves.
struct Joined {
    amount: f64,
    two_hop: f64,
    end: usize,
    w: usize,
}

impl Middle {
    /// Adds what the global links by way of one group, and the hops between them, cost; `joined` is lent.
    #[inline(always)]
    fn add_prices(
        &self,
        two_hop: &TwoHopSums,
        prices: &[f64],
        joined: &mut Vec<Joined>,
        sums: &mut Table,
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

    /// Adds what the global links by way of one group, and the hops between them, carry; `joined` is lent.
    #[inline(always)]
    fn carry(
        &self,
        rate: &Table,
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

/// What the head hops, or the tail hops, of all walks cost: of those without a hop at the other
/// end, and of those with one. `walks` are those to (or from) the flow's own switch at the other
/// end, and all.
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

/// Puts on the links of head hops, or of tail hops, what all walks carry there, by the rates of walks
/// without and with a hop at the other end.
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

impl Program for Factored {
    fn choices(&self) -> &Choices {
        &self.choices
    }

    fn loads(&self, split: &[f64], loads: &mut [f64]) {
        loads.fill(0.0);
        let choices = &self.choices;
        let mut rates = vec![0.0; choices.flows.len() * HOPS];
        for (flow, rates) in choices.flows.iter().zip(rates.chunks_exact_mut(HOPS)) {
            let mut carried = 0.0;
            for bundle in flow.clone().rev() {
                let rate = split[bundle] * choices.per_path[bundle];
                carried = match choices.kinds[bundle] {
                    // A VLB path is in all bundles of its own hop count and more.
                    BundleKind::Vlb(hops) => {
                        rates[usize::from(hops)] = carried + rate;
                        carried + rate
                    }
                    BundleKind::Min(_) => rate,
                };
                if carried > 0.0 {
                    for &(link, count) in self.listed(bundle) {
                        loads[link as usize] += carried * f64::from(count);
                    }
                }
            }
        }
        self.add_loads(&rates, loads);
    }

    fn costs(&self, prices: &[f64], costs: &mut [f64]) {
        let choices = &self.choices;
        let whole = self.costs_by_hops(prices);
        for (flow, whole) in choices.flows.iter().zip(whole.chunks_exact(HOPS)) {
            let mut of_vlb = 0.0;
            for bundle in flow.clone() {
                let listed = self.listed(bundle).iter();
                let listed: f64 =
                    listed.map(|&(link, count)| f64::from(count) * prices[link as usize]).sum();
                let paid = match choices.kinds[bundle] {
                    BundleKind::Vlb(hops) => {
                        of_vlb += listed + whole[usize::from(hops)];
                        of_vlb
                    }
                    BundleKind::Min(_) => listed,
                };
                costs[bundle] = paid * choices.per_path[bundle];
            }
        }
    }
}

/// The part of a set of which a fraction is kept, besides MIN paths.
fn listed_part(set: &PathSet) -> PathSet {
    let mut rule: SetRule = *set.rule();
    for keep in &mut rule.keep {
        if *keep == Keep::ALL {
            *keep = Keep::NONE;
        }
    }
    set.with_rule(rule)
}
