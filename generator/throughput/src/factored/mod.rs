//! The model of one pattern and one set on a large fabric, without an entry for every link that
//! every bundle uses.
//!
//! Between two groups, a pair of global links x (into an intermediate group) and y (out of it) serves all flows: the
//! switch that x leaves decides whether a flow has a head hop, the switch at which y arrives whether it has a tail hop,
//! and nothing else of the pair depends on the flow. So the costs of the pairs are summed up once for each pair of
//! groups, by the switches u that x leaves and z at which y arrives; a flow then takes its own row and column of those
//! sums, or all but them. The hops in the middle follow the same way from the costs of the links out of and into each
//! switch together. Loads are found by the same steps backwards. An evaluation of dfly(13,26,13,27) under a shift takes
//! a few million operations, where a matrix would have 10⁸ entries.
//!
//! Shapes of which a set keeps a fraction have no such regularity: the uses of the kept routes are listed, as are MIN
//! paths and those within a group.
//!
//! Sums are taken apart again by subtraction, so results are good to some ten digits, not to the
//! last; `certificate.rs` counts again.
//!
//! The crossings that the path counter visits one by one never appear here, which is the point of the factoring; so
//! this counts paths in a second way, and tests compare it with the first.

#![expect(
    clippy::inline_always,
    reason = "what `dispatch` compiles for a vector width is exactly what is inlined into it"
)]

mod apart;
mod evaluate;
mod middle;
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
use middle::{Into, Middle, OutOf};
use std::collections::BTreeMap;
use table::{ByMid, SumTable, plus};
use tvlb_schema::{Dragonfly, GroupId, Keep, SetRule, Shape};
use tvlb_topology::Topology;
use tvlb_topology::links::LinkNumbers;
use tvlb_traffic::{Flow, Flows};

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
    walks: SumTable,
    /// The cells of `walks` in the other order, at z·a + u.
    walks_by_end: Vec<ByMid>,
}

/// A flow between two groups.
#[derive(Clone, Copy, Debug)]
struct GroupFlow {
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
    /// For each link, how many there are in its place; empty if each is one.
    capacities: Vec<f64>,
    apart: Apart,
    /// The pairs of groups between which there are flows, and these flows.
    spans: Vec<(Span, Vec<GroupFlow>)>,
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
            let placed =
                GroupFlow { flow: program.choices.flows.len(), i: i.0.into(), j: j.0.into() };
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

    /// Adds a flow's bundles, by how many walks of whole shapes it has of each hop count, and by its listed walks.
    fn add_flow(
        &mut self,
        counter: &mut PathCounter<'_>,
        listed: &PathSet,
        flow: &Flow,
        whole: &[f64; HOPS],
    ) {
        let classes = counter.classes(listed, flow.source, flow.destination);
        let mut all: Vec<(bool, u8, f64)> = Vec::new();
        // A MIN path makes two local hops in a group if it goes through a third switch.
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
        let mut walks = SumTable::new(a);
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
