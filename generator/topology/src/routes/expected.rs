//! How long the VLB routes are that a rule draws, for one pair of switches and over a fabric.
//!
//! Routes are those drawn by the rule alone, before any balance. A mean over the fabric is summed in the order of the
//! switches, so it does not depend on how many threads there are.

use super::chances::{real, shape_weights};
use super::count::{RouteCounter, SourceCounts};
use super::presence::shapes_of_counts;
use super::shortest_legs::{DrawnThrough, ShortestLegs};
use super::ways::{Way, ways_of};
use crate::Topology;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{DrawRule, Keep, SetRule, Shape, SwitchId};

/// What a rule draws for one pair of switches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairMean {
    /// Routes that are kept: exact without fractions, else expected over all seeds.
    pub routes: f64,
    /// Hops from switch to switch of a drawn route; `None` if there is none to draw.
    ///
    /// Exact for a rule without fractions and for one that draws by shape. Else the ratio of the kept routes' hops to
    /// their number, each expected over all seeds.
    pub hops: Option<f64>,
}

/// What a set draws, averaged over all pairs of switches with nodes of different groups.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FabricMean {
    /// Ordered pairs of switches with nodes of different groups.
    pub pairs: u64,
    /// Those of them with nothing to draw. With fractions and drawn by route: pairs without a route of any shape in the
    /// rule, whatever the seed.
    pub empty_pairs: u64,
    /// Mean of [`PairMean::routes`] over all pairs.
    pub routes: f64,
    /// Mean of [`PairMean::hops`] over the pairs that are not empty; `None` if all are.
    pub hops: Option<f64>,
    /// Whether `hops` is of the rule's own set, not expected over all seeds.
    pub hops_are_exact: bool,
}

/// Whether the mean hops are of the rule's own set, not expected over all seeds.
pub fn hops_are_exact(rule: &SetRule) -> bool {
    !matches!(rule.draw, DrawRule::ByRoute)
        || rule.keep.iter().all(|&keep| keep == Keep::NONE || keep == Keep::ALL)
}

/// The mean over what the rule draws from one switch to another; no routes within a group.
pub fn pair_mean(
    counter: &RouteCounter<'_>,
    rule: &SetRule,
    source: SwitchId,
    destination: SwitchId,
) -> PairMean {
    let topology = counter.topology();
    if rule.is_by_triple() {
        return of_triples(counter, source, destination);
    }
    if let Some(ways) = ways_of(topology, rule, source, destination) {
        return of_ways(ways);
    }
    let counts = counter.counts(source, destination);
    by_counts(topology, rule, (source, destination), &counts)
}

/// The mean over walks, each by how often it is drawn. Walks over either of two switches can be one route.
fn of_ways(ways: impl Iterator<Item = Way>) -> PairMean {
    let (mut routes, mut weights, mut hops) = (BTreeSet::new(), 0.0, 0.0);
    for way in ways {
        routes.insert(way.route());
        weights += way.weight();
        hops += way.weight() * f64::from(way.hops());
    }
    let hops = (!routes.is_empty()).then(|| hops / weights);
    PairMean { routes: real(routes.len() as u64), hops }
}

/// The mean over the draws of a set of intermediate switches for a pair.
fn through_switches(drawn: &DrawnThrough) -> PairMean {
    let hops = (drawn.routes > 0).then(|| drawn.hops / drawn.switches);
    PairMean { routes: real(drawn.routes), hops }
}

/// The mean over the triples of a pair, of which two may be one route.
fn of_triples(counter: &RouteCounter<'_>, source: SwitchId, destination: SwitchId) -> PairMean {
    let triples = counter.triples(source, destination);
    let hops = (0_u64..).zip(triples.by_hops()).map(|(hops, count)| hops * count);
    let total = triples.total();
    let hops = (total > 0).then(|| real(hops.sum()) / real(total));
    PairMean { routes: real(triples.distinct_walks), hops }
}

/// The mean over the draws of another rule for a pair with these numbers of routes of each shape.
fn by_counts(
    topology: &Topology,
    rule: &SetRule,
    pair: (SwitchId, SwitchId),
    counts: &[u64; Shape::COUNT],
) -> PairMean {
    // In parts of 10 000 routes, so that the sums are exact.
    let kept: [u64; Shape::COUNT] =
        std::array::from_fn(|number| counts[number] * u64::from(rule.keep[number].parts()));
    let routes = kept.iter().sum();
    let found = if rule.is_by_shape() {
        let present = shapes_of_counts(topology, (rule, &[]), pair, counts);
        std::array::from_fn(|number| u64::from(present.bits() >> number & 1))
    } else {
        kept
    };
    let weights = shape_weights(rule, &found);
    let total: u64 = weights.iter().sum();
    let hops = Shape::all().map(|shape| weights[shape.number()] * u64::from(shape.hops()));
    let hops = (total > 0).then(|| real(hops.sum()) / real(total));
    PairMean { routes: real(routes) / f64::from(Keep::ALL.parts()), hops }
}

/// The mean over the rule's draws between switches with nodes of different groups, all pairs with equal weight.
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them. Each source is a
/// step.
///
/// # Errors
/// The caller cancelled the work.
pub fn fabric_mean(
    counter: &RouteCounter<'_>,
    rule: &SetRule,
    progress: &dyn Progress,
) -> Result<FabricMean, Cancelled> {
    let topology = counter.topology();
    if let DrawRule::BySwitch { legs, returns } = rule.draw {
        let all = ShortestLegs::of_all(topology, progress)?;
        let of_pair = |source: SwitchId, destination: SwitchId| {
            let (first, second) = (&all[source.as_usize()], &all[destination.as_usize()]);
            through_switches(&first.drawn(second, topology, (legs, returns)))
        };
        return mean_of_pairs(topology, of_pair, progress);
    }
    if !rule.is_of_routes() {
        return mean_of_pairs(topology, |from, to| pair_mean(counter, rule, from, to), progress);
    }
    let is_end = |from: &SourceCounts<'_>| topology.ends().has(from.source());
    let sums = counter.sources().filter(is_end).map(|from| {
        Sum::of_source(topology, from.source(), progress, |destination| {
            by_counts(topology, rule, (from.source(), destination), &from.counts(destination))
        })
    });
    let sums: Result<Vec<Sum>, Cancelled> = sums.collect();
    Ok(FabricMean { hops_are_exact: hops_are_exact(rule), ..mean_of_sums(sums?) })
}

/// The mean over all pairs of switches with nodes of different groups, given the exact mean of each pair.
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them. Each source is a
/// step.
///
/// # Errors
/// The caller cancelled the work.
pub fn mean_of_pairs(
    topology: &Topology,
    of_pair: impl Fn(SwitchId, SwitchId) -> PairMean + Sync,
    progress: &dyn Progress,
) -> Result<FabricMean, Cancelled> {
    let switches: Vec<SwitchId> = topology.ends().iter().collect();
    let sums = switches.par_iter().map(|&source| {
        Sum::of_source(topology, source, progress, |destination| of_pair(source, destination))
    });
    let sums: Result<Vec<Sum>, Cancelled> = sums.collect();
    Ok(mean_of_sums(sums?))
}

/// The mean of sums by source, in the order of the sources.
fn mean_of_sums(by_source: Vec<Sum>) -> FabricMean {
    let mut all = Sum::default();
    for sum in by_source {
        all.pairs += sum.pairs;
        all.drawing += sum.drawing;
        all.routes += sum.routes;
        all.hops += sum.hops;
    }
    FabricMean {
        pairs: all.pairs,
        empty_pairs: all.pairs - all.drawing,
        routes: all.routes / real(all.pairs.max(1)),
        hops: (all.drawing > 0).then(|| all.hops / real(all.drawing)),
        hops_are_exact: true,
    }
}

#[derive(Clone, Copy, Default)]
struct Sum {
    pairs: u64,
    /// Pairs that have something to draw.
    drawing: u64,
    routes: f64,
    hops: f64,
}

impl Sum {
    /// Over all destinations in other groups, in their order: a step of the caller's.
    fn of_source(
        topology: &Topology,
        source: SwitchId,
        progress: &dyn Progress,
        of_pair: impl Fn(SwitchId) -> PairMean,
    ) -> Result<Self, Cancelled> {
        progress.check()?;
        let group = topology.dragonfly().place(source).0;
        let mut sum = Self::default();
        for destination in topology.ends().outside(group) {
            sum.add(of_pair(destination));
        }
        progress.step();
        Ok(sum)
    }

    fn add(&mut self, pair: PairMean) {
        self.pairs += 1;
        self.routes += pair.routes;
        if let Some(hops) = pair.hops {
            self.drawing += 1;
            self.hops += hops;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ways, wirings};
    use super::*;
    use proptest::prelude::*;
    use tvlb_schema::{LegHops, ShapeSet};

    /// Shapes of at most four hops, and two of five.
    fn strategic_2_3() -> ShapeSet {
        Shape::all()
            .filter(|s| s.hops() <= 4 || ["111", "021"].contains(&s.to_string().as_str()))
            .collect()
    }

    #[test]
    fn mean_hops_of_dfly_4_8_4_9_are_known() {
        let topology = wirings::absolute(4, 8, 4, 9);
        let counter = RouteCounter::new(&topology);
        let mean = |shapes| {
            let mean = fabric_mean(&counter, &SetRule::whole(shapes), &()).unwrap();
            assert!(mean.hops_are_exact);
            assert_eq!((mean.pairs, mean.empty_pairs), (72 * 64, 0));
            format!("{:.4} {:.4}", mean.routes, mean.hops.unwrap())
        };
        let leave_by_own_link = ShapeSet::generated_by(&[Shape::new(0, 1, 1).unwrap()]);
        assert_eq!(mean(leave_by_own_link), "14.0000 3.7668");
        assert_eq!(mean(strategic_2_3()), "187.0000 4.7350");
        assert_eq!(mean(ShapeSet::ALL), "712.0000 5.5748");
    }

    /// Checked against a script of its own: 4.1198, 4.4790 and 4.6967 for `switches:2-3`.
    #[test]
    fn mean_hops_of_intermediate_switches_are_known() {
        let near = |first, second| LegHops::within(first, second).unwrap();
        let mean = |g, legs| {
            let topology = wirings::absolute(4, 8, 4, g);
            let counter = RouteCounter::new(&topology);
            let mean = fabric_mean(&counter, &SetRule::by_switch(legs, true), &()).unwrap();
            assert!(mean.hops_are_exact && mean.empty_pairs == 0);
            format!("{:.2}", mean.hops.unwrap())
        };
        assert_eq!(mean(9, near(2, 3)), "4.12");
        assert_eq!(mean(9, near(2, 3).or(near(3, 2))), "4.28");
        assert_eq!(mean(17, near(2, 3)), "4.48");
        assert_eq!(mean(33, near(2, 3)), "4.70");
    }

    /// Two averages that are easily mistaken for the mean over pairs and differ from it by up to 2%: that over triples,
    /// and that over the routes of all pairs in one pool.
    #[test]
    fn means_over_triples_and_over_pooled_routes_are_others() {
        let topology = wirings::absolute(4, 8, 4, 9);
        let counter = RouteCounter::new(&topology);
        let (mut strategic, mut strategic_hops) = (0, 0);
        let (mut pooled, mut pooled_hops) = (0, 0);
        for (s, d) in wirings::inter_group_pairs(&topology) {
            for (first, row) in (1..).zip(counter.triples(s, d).by_legs) {
                for (second, count) in (1..).zip(row) {
                    if first + second <= 4 || (first, second) == (2, 3) {
                        strategic += count;
                        strategic_hops += count * (first + second);
                    }
                }
            }
            for (shape, count) in Shape::all().zip(counter.counts(s, d)) {
                pooled += count;
                pooled_hops += count * u64::from(shape.hops());
            }
        }
        let mean = |hops, count| format!("{:.2}", real(hops) / real(count));
        assert_eq!(mean(strategic_hops, strategic), "4.66");
        assert_eq!(mean(pooled_hops, pooled), "5.58");
    }

    /// The real mean hops of the draws of a rule without fractions, or of one that draws by shape.
    fn enumerated(topology: &Topology, rule: &SetRule, s: SwitchId, d: SwitchId) -> Option<f64> {
        let kept: Vec<Shape> = ways::kept(topology, rule, s, d).map(|way| way.shape()).collect();
        let present: ShapeSet = kept.iter().copied().collect();
        let drawn: Vec<(f64, f64)> = match rule.draw {
            DrawRule::ByRoute | DrawRule::BySwitch { .. } | DrawRule::ByTriple => {
                kept.iter().map(|s| (1.0, f64::from(s.hops()))).collect()
            }
            DrawRule::ByShape { weights } => present
                .iter()
                .map(|s| (f64::from(weights[s.number()]), f64::from(s.hops())))
                .collect(),
        };
        let weights: f64 = drawn.iter().map(|(w, _)| w).sum();
        (weights > 0.0).then(|| drawn.iter().map(|(w, h)| w * h).sum::<f64>() / weights)
    }

    proptest! {
        #[test]
        fn exact_means_are_those_of_the_enumerated_routes(
            topology in wirings::any(),
            bits in 0_u16..1 << 12,
            weights in prop::array::uniform12(1_u16..=9),
            parts in prop::array::uniform12(100_u16..=10_000),
        ) {
            let counter = RouteCounter::new(&topology);
            let shapes = ShapeSet::from_bits(bits).unwrap();
            let whole = SetRule::whole(shapes);
            let mut weighted = whole;
            let mut by_shape = [0; Shape::COUNT];
            for shape in shapes.iter() {
                by_shape[shape.number()] = weights[shape.number()];
                weighted.keep[shape.number()] = Keep::new(parts[shape.number()]).unwrap();
            }
            weighted.draw = DrawRule::ByShape { weights: by_shape };
            prop_assert_eq!(weighted.check(), Ok(()));
            for rule in [whole, weighted] {
                let (mut sum, mut drawing) = (0.0, 0.0);
                for (s, d) in wirings::inter_group_pairs(&topology) {
                    let expected = enumerated(&topology, &rule, s, d);
                    let found = pair_mean(&counter, &rule, s, d).hops;
                    prop_assert_eq!(found.is_some(), expected.is_some());
                    if let (Some(found), Some(expected)) = (found, expected) {
                        prop_assert!((found - expected).abs() < 1e-9);
                        sum += found;
                        drawing += 1.0;
                    }
                }
                let mean = fabric_mean(&counter, &rule, &()).unwrap();
                prop_assert_eq!(mean.hops.is_some(), drawing > 0.0);
                if let Some(hops) = mean.hops {
                    prop_assert!((hops - sum / drawing).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn fractions_by_route_are_expected_over_the_seeds() {
        let topology = wirings::absolute(4, 8, 4, 9);
        let counter = RouteCounter::new(&topology);
        let mut rule = SetRule::whole(ShapeSet::ALL);
        rule.keep = [Keep::new(2500).unwrap(); Shape::COUNT];
        assert!(!hops_are_exact(&rule));
        let (s, d) = (SwitchId(1), SwitchId(17));
        let quarter = pair_mean(&counter, &rule, s, d);
        let whole = pair_mean(&counter, &SetRule::whole(ShapeSet::ALL), s, d);
        assert!((quarter.routes - whole.routes / 4.0).abs() < 1e-9);
        assert!((quarter.hops.unwrap() - whole.hops.unwrap()).abs() < 1e-9);
    }

    #[test]
    fn the_fabric_mean_is_the_same_at_any_thread_count() {
        let topology = wirings::absolute(4, 8, 4, 9);
        let counter = RouteCounter::new(&topology);
        let rule = SetRule::whole(strategic_2_3());
        let mean = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| fabric_mean(&counter, &rule, &()).unwrap())
        };
        let one = mean(1);
        for threads in [2, 3, 7] {
            let more = mean(threads);
            assert_eq!(one.hops.map(f64::to_bits), more.hops.map(f64::to_bits));
            assert_eq!(one.routes.to_bits(), more.routes.to_bits());
        }
    }
}
