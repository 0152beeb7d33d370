//! From bundles to a certified throughput, the cheapest way first.
//!
//! 1. A few even splits, against the price bound of the global links. If each group sends to
//!    one other group they often meet, and nothing else has to be done.
//! 2. The interior-point method on the links that a good split loads most; links that its answer
//!    overloads are added until none is left (their prices are 0 meanwhile, so every round's prices
//!    already prove something of the whole).
//! 3. The general solver on the whole program, should the second step not close the gap.
//!
//! Whatever proposed the split and the prices, the bounds come from `certificate.rs`.

use super::bundle::Bundles;
use super::certificate::{Certified, lower_bound, upper_bound};
use super::first_order::LastRegrets;
use super::interior::{self, Restricted};
use super::program::{Program, largest};
use std::ops::Range;

/// Rounds of adding links before the general solver takes over.
const MOST_ROUNDS: usize = 40;
/// Links that a round adds, at most, on small fabrics; 1/16 of all on large ones.
const MORE_LINKS: usize = 48;
/// How far a round's start is moved from the last round's answer towards equal parts: away from the boundary, where an
/// interior-point method cannot move.
const TOWARDS_EVEN: f64 = 0.1;

/// What part of the mean price makes a link worth remembering: a method that stops early leaves
/// small prices on links that do not matter.
const NOTICED: f64 = 1e-2;

/// The links that mattered in the last program solved; those of a similar program are similar.
///
/// Only a guess where to begin: what is proven does not depend on it, though the last digits of
/// the interval do, so programs must be solved in a fixed order to give the same bytes each time.
#[derive(Clone, Debug, Default)]
pub struct Warm {
    links: Vec<usize>,
    pub(super) regrets: LastRegrets,
}

/// The proven interval, and how it was reached.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// The throughput's bounds.
    pub certified: Certified,
    /// The method that closed the gap, or came closest.
    pub by: Method,
    /// Rounds of the interior-point method.
    pub rounds: usize,
    /// Links in its last round.
    pub links: usize,
}

/// A way to come to a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// An even split that reaches a bound that needs no solver.
    Even,
    /// What is known to be reached, by a smaller set, meets such a bound.
    Nested,
    /// The interior-point method on a few links.
    Links,
    /// The first-order method, on a program too large for a matrix.
    FirstOrder,
}

/// The throughput to a relative gap of `tolerance` if possible, given that `reached` is known to be reached (0 if
/// nothing is).
pub fn solve(bundles: &Bundles, reached: f64, tolerance: f64, warm: &mut Warm) -> Solved {
    let mut search = SplitSearch::new(bundles);
    let done = |search: &SplitSearch<'_>| search.certified.gap() <= tolerance;
    search.try_prices(&bundles.choices().global_prices);
    search.certified.lower = search.certified.lower.max(reached);
    if done(&search) && !bundles.choices().is_empty() {
        return search.solved(Method::Nested, 0, 0);
    }
    search.try_even_splits(tolerance);
    if done(&search) {
        return search.solved(Method::Even, 0, 0);
    }
    // If this does not close the gap, which has not happened in any program tried, the result contains the gap.
    let (rounds, links) = search.add_links(tolerance, warm);
    search.solved(Method::Links, rounds, links)
}

/// The best split and bounds so far.
struct SplitSearch<'b> {
    bundles: &'b Bundles,
    certified: Certified,
    /// The split of the lower bound and its loads.
    best: Vec<f64>,
    best_loads: Vec<f64>,
}

impl<'b> SplitSearch<'b> {
    fn new(bundles: &'b Bundles) -> Self {
        let choices = bundles.choices();
        // If no flow uses a link, only nodes limit.
        let known = if choices.is_empty() { Certified::by_nodes } else { Certified::unknown };
        Self { bundles, certified: known(choices), best: Vec::new(), best_loads: Vec::new() }
    }

    fn solved(&self, by: Method, rounds: usize, links: usize) -> Solved {
        Solved { certified: self.certified, by, rounds, links }
    }

    /// Takes a split's bound, and keeps the split if it is the best so far; returns its loads.
    fn try_split(&mut self, split: Vec<f64>) -> Vec<f64> {
        let split = self.bundles.choices().projected(split);
        let loads = self.bundles.loads_of(&split);
        let bound = lower_bound(self.bundles.choices(), &loads);
        if bound > self.certified.lower || self.best.is_empty() {
            self.certified.lower = self.certified.lower.max(bound);
            self.best = split;
            self.best_loads.clone_from(&loads);
        }
        loads
    }

    fn try_prices(&mut self, prices: &[f64]) {
        self.certified = self.certified.and(upper_bound(self.bundles, prices));
    }

    /// Each flow over its MIN paths evenly and over its VLB paths of at most so many hops evenly,
    /// the same fraction of all flows to MIN; the best fraction for each number of hops.
    fn try_even_splits(&mut self, tolerance: f64) {
        let bundles = self.bundles;
        let choices = bundles.choices();
        let min = choices.even(None);
        let min_loads = bundles.loads_of(&min);
        let levels = choices.levels();
        if levels.is_empty() {
            self.try_split(min);
            return;
        }
        for &level in levels.iter().rev() {
            let vlb = choices.even(Some(level));
            let vlb_loads = bundles.loads_of(&vlb);
            let (fraction, _) = best_fraction(&min_loads, &vlb_loads);
            let mixed =
                min.iter().zip(&vlb).map(|(m, v)| fraction * m + (1.0 - fraction) * v).collect();
            self.try_split(mixed);
            if self.certified.gap() <= tolerance {
                break;
            }
        }
    }

    /// Step 2; rounds and links of the last one.
    fn add_links(&mut self, tolerance: f64, warm: &mut Warm) -> (usize, usize) {
        let bundles = self.bundles;
        let mut active = vec![false; bundles.choices().rows];
        for &link in &warm.links {
            if let Some(active) = active.get_mut(link) {
                *active = true;
            }
        }
        let step = MORE_LINKS.max(bundles.choices().rows / 16);
        let first = if warm.links.is_empty() { 2 * step } else { step };
        for link in heaviest(&self.best_loads, &active, 0.5, first) {
            active[link] = true;
        }
        // Not as exact as asked for, so that rounding elsewhere does not spoil the certificate.
        let finest = 0.2 * tolerance;
        let mut start: Vec<f64> = Vec::new();
        let mut used = 0;
        for round in 1..=MOST_ROUNDS {
            let links: Vec<usize> =
                active.iter().enumerate().filter(|(_, on)| **on).map(|(link, _)| link).collect();
            used = links.len();
            // The first rounds only have to find the links.
            let inner = (0.05 * self.certified.gap()).clamp(finest, 1e-2);
            let (split, prices, largest) = self.restricted(&links, &start, inner);
            let loads = self.try_split(split.clone());
            start = split;
            let mut all_prices = vec![0.0; bundles.choices().rows];
            for (&link, &price) in links.iter().zip(&prices) {
                all_prices[link] = price;
            }
            self.try_prices(&all_prices);
            if self.certified.gap() <= tolerance {
                let noticed = NOTICED / f64::from(u32::try_from(used).unwrap_or(u32::MAX));
                warm.links = links
                    .iter()
                    .zip(&prices)
                    .filter(|(_, p)| **p > noticed)
                    .map(|(l, _)| *l)
                    .collect();
                return (round, used);
            }
            let overall = self::largest(&loads);
            let more = heaviest(&loads, &active, largest * (1.0 + 0.5 * inner) / overall, step);
            if more.is_empty() && inner <= finest {
                break;
            }
            for link in more {
                active[link] = true;
            }
        }
        warm.links.clear();
        (MOST_ROUNDS, used)
    }

    /// The interior-point method on these links: a split, their prices, and their largest load.
    /// It starts near the split given, if any.
    fn restricted(
        &self,
        links: &[usize],
        near: &[f64],
        tolerance: f64,
    ) -> (Vec<f64>, Vec<f64>, f64) {
        let bundles = self.bundles;
        let mut place = vec![usize::MAX; bundles.choices().rows];
        for (i, &link) in links.iter().enumerate() {
            place[link] = i;
        }
        let mut fixed = vec![0.0; links.len()];
        let mut flows: Vec<Range<usize>> = Vec::new();
        let mut free = Vec::new();
        for flow in &bundles.choices().flows {
            if flow.len() == 1 {
                for (link, load) in
                    bundles.column(flow.start).filter(|(l, _)| place[*l] != usize::MAX)
                {
                    fixed[place[link]] += load;
                }
            } else {
                flows.push(free.len()..free.len() + flow.len());
                free.extend(flow.clone());
            }
        }
        if free.is_empty() {
            // No flow has a choice, so the link with the largest load is the whole proof.
            let largest = heaviest(&fixed, &vec![false; fixed.len()], 0.0, 1);
            let mut prices = vec![0.0; links.len()];
            for &link in &largest {
                prices[link] = 1.0;
            }
            let load = largest.first().map_or(0.0, |&link| fixed[link]);
            return (vec![1.0; bundles.choices().len()], prices, load);
        }
        let mut dense = vec![0.0; links.len() * free.len()];
        for (j, &bundle) in free.iter().enumerate() {
            for (link, load) in bundles.column(bundle).filter(|(l, _)| place[*l] != usize::MAX) {
                dense[place[link] * free.len() + j] = load;
            }
        }
        let touched = flows
            .iter()
            .map(|flow| {
                let touches = |link: &usize| {
                    dense[link * free.len()..][flow.clone()].iter().any(|&load| load > 0.0)
                };
                (0..links.len()).filter(touches).collect()
            })
            .collect();
        let mut start = vec![0.0; free.len()];
        for flow in &flows {
            let even = 1.0 / f64::from(u32::try_from(flow.len()).unwrap_or(u32::MAX));
            for j in flow.clone() {
                start[j] = match near.get(free[j]) {
                    Some(part) => (1.0 - TOWARDS_EVEN) * part + TOWARDS_EVEN * even,
                    None => even,
                };
            }
        }
        let program = Restricted { links: links.len(), flows, loads: dense, fixed, touched };
        let proposal = interior::solve(&program, &start, tolerance);
        let mut split = vec![1.0; bundles.choices().len()];
        for (&bundle, part) in free.iter().zip(proposal.split) {
            split[bundle] = part;
        }
        (split, proposal.prices, proposal.largest)
    }
}

/// The links not yet active with at least this fraction of the largest load, the heaviest first;
/// equal loads by number.
fn heaviest(loads: &[f64], active: &[bool], fraction: f64, most: usize) -> Vec<usize> {
    let largest = largest(loads);
    let mut links: Vec<usize> = (0..loads.len())
        .filter(|&link| !active[link] && loads[link] > 0.0 && loads[link] >= fraction * largest)
        .collect();
    links.sort_by(|&a, &b| loads[b].total_cmp(&loads[a]).then(a.cmp(&b)));
    links.truncate(most);
    links
}

/// The f in [0, 1] for which the largest of f·a + (1 − f)·b is the least, nearly, and that largest:
/// the function is convex, so halving the interval by its slope finds it.
pub(super) fn best_fraction(a: &[f64], b: &[f64]) -> (f64, f64) {
    // The largest and the slope there.
    let at = |f: f64| {
        a.iter().zip(b).fold((f64::NEG_INFINITY, 0.0), |(most, slope), (a, b)| {
            let load = f * a + (1.0 - f) * b;
            if load > most { (load, a - b) } else { (most, slope) }
        })
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let f = f64::midpoint(low, high);
        if at(f).1 > 0.0 {
            high = f;
        } else {
            low = f;
        }
    }
    let f = f64::midpoint(low, high);
    (f, at(f).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path_counter::{PathClass, PathCounter};
    use crate::reference_lp;
    use crate::{Counting, Model, PathSet, Rule};
    use std::collections::BTreeMap;
    use tvlb_schema::{Dragonfly, SwitchId};
    use tvlb_topology::Topology;
    use tvlb_topology::arrangement::{Arrangement, arrange};
    use tvlb_topology::links::LinkNumbers;
    use tvlb_traffic::{Flow, Flows};

    /// The general solver, on the whole program, knows nothing of the short cuts.
    #[test]
    fn the_general_solver_agrees() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let topology = arrange(df, Arrangement::Absolute, 0).unwrap();
        let mut model = Model::new(&topology, Counting::Triples);
        for (groups, switches) in [(1, 1), (2, 3), (4, 0)] {
            let pattern = Flows::shift(&df, groups, switches);
            for set in ["3-hop", "50% 4-hop", "4-hop", "shapes:011", "strategic-3-2", "all"] {
                let bundles = model.bundles(&pattern, &PathSet::parse(set, 1).unwrap()).unwrap();
                let fast = solve(&bundles, 0.0, 5e-7, &mut Warm::default());
                assert!(fast.certified.gap() <= 5e-7);
                let mut general = SplitSearch::new(&bundles);
                let (split, prices) = reference_lp::solve(&bundles).unwrap();
                general.try_split(split);
                general.try_prices(&prices);
                assert!(general.certified.gap() < 1e-6, "{set} on {pattern}");
                assert!(general.certified.lower <= fast.certified.upper);
                assert!(fast.certified.lower <= general.certified.upper);
            }
        }
    }

    /// Every rule against its own inequalities, in the general solver's terms.
    #[test]
    fn every_rule_agrees_with_its_inequalities() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let topology = arrange(df, Arrangement::Absolute, 0).unwrap();
        let mut counter = PathCounter::new(&topology, Counting::Triples);
        let links = LinkNumbers::new(df).count();
        for (groups, switches) in [(1, 1), (2, 3), (4, 0)] {
            let pattern = Flows::shift(&df, groups, switches);
            for name in ["4-hop", "50% 5-hop", "strategic-2-3", "strategic-3-2", "all"] {
                let set = PathSet::parse(name, 1).unwrap();
                let figures = Rule::ALL.map(|rule| {
                    let mut classes = |flow: &Flow| {
                        let ends = (flow.source, flow.destination);
                        let classes = if rule.tells_switches() {
                            counter.classes_by_switch(&set, ends, rule)
                        } else {
                            counter.classes(&set, ends.0, ends.1)
                        };
                        (flow.demand, classes)
                    };
                    let flows: Vec<_> = pattern.flows.iter().map(&mut classes).collect();
                    let general = 1.0 / reference_lp::by_rates(&flows, links, rule).unwrap();
                    let mut model = Model::new(&topology, Counting::Triples).by(rule);
                    let found = model.throughput(&pattern, &set, &mut Warm::default()).unwrap();
                    let found = found.solved.certified.value(1e-6).expect("certified to 1e-6");
                    assert!((found - general).abs() < 1e-6, "{rule}, {name} on {pattern}");
                    found
                });
                // What holds less carries more.
                let [monotone, totals, with_min, hop_count, by_switch, by_path] = figures;
                for (more, less) in [
                    (monotone, with_min),
                    (hop_count, monotone),
                    (hop_count, totals),
                    (by_path, hop_count),
                    (by_path, by_switch),
                ] {
                    assert!(more >= less - 1e-6, "{name} on {pattern}: {figures:?}");
                }
            }
        }
    }

    /// Told apart by switch or by path, the paths are those of the hop counts.
    #[test]
    fn paths_told_apart_add_up_to_those_of_the_hop_counts() {
        let df = Dragonfly::new(1, 4, 2, 5).unwrap();
        let topology = arrange(df, Arrangement::Palmtree, 0).unwrap();
        let total = |classes: Vec<PathClass>| {
            let mut total: BTreeMap<usize, f64> = BTreeMap::new();
            for class in classes.iter().filter(|class| class.is_vlb) {
                let uses = class.uses.iter().copied();
                uses.for_each(|(link, count)| *total.entry(link).or_default() += count);
                *total.entry(usize::MAX).or_default() += class.paths;
            }
            total
        };
        for counting in [Counting::Triples, Counting::Routes] {
            let mut counter = PathCounter::new(&topology, counting);
            for name in ["min", "all", "40% 5-hop", "strategic-2-3", "strategic-3-2"] {
                let set = PathSet::parse(name, 1).unwrap();
                for (one, other) in [(0, 1), (0, 5), (3, 18), (7, 12)] {
                    let ends = (SwitchId(one), SwitchId(other));
                    let by_hops = total(counter.classes(&set, ends.0, ends.1));
                    for rule in [Rule::BySwitch, Rule::ByPath] {
                        let told_apart = counter.classes_by_switch(&set, ends, rule);
                        assert_eq!(total(told_apart), by_hops, "{rule}, {name}, {counting}");
                    }
                }
            }
        }
    }

    #[test]
    fn rules_that_do_not_fit_are_refused_by_name() {
        let large =
            arrange(Dragonfly::new(4, 8, 4, 33).unwrap(), Arrangement::Absolute, 0).unwrap();
        let refused = |topology, counting, rule| {
            let pattern = Flows::shift(Topology::dragonfly(topology), 1, 0);
            let set = PathSet::parse("all", 1).unwrap();
            let mut model = Model::new(topology, counting).by(rule);
            model.throughput(&pattern, &set, &mut Warm::default()).unwrap_err().to_string()
        };
        assert_eq!(
            refused(&large, Counting::Triples, Rule::HopCount),
            "the rule hop-count on a fabric with 264 switches; accepted at most 200, and the rule monotone \
             on any fabric"
        );
        let small = arrange(Dragonfly::new(2, 4, 2, 9).unwrap(), Arrangement::Absolute, 0).unwrap();
        assert_eq!(
            refused(&small, Counting::Routes, Rule::BySwitch),
            "the rule by-switch with paths counted as routes, which have no intermediate switch; accepted \
             triples"
        );
    }

    #[test]
    fn a_fraction_that_balances_is_found() {
        for (a, b, fraction, largest) in [
            (&[1.0, 0.0][..], &[0.0, 1.0][..], 0.5, 0.5),
            (&[3.0], &[1.0], 0.0, 1.0),
            (&[1.0], &[3.0], 1.0, 1.0),
        ] {
            let found = best_fraction(a, b);
            assert!((found.0 - fraction).abs() < 1e-12);
            assert!((found.1 - largest).abs() < 1e-12);
        }
    }
}
