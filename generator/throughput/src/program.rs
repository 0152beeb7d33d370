//! The choices of each flow, however the loads of its choices are stored.
//!
//! A **bundle** is a way to split one flow evenly over some of its paths: "all MIN paths of n hops"
//! or "all VLB paths of at most n hops". A split gives each bundle its part of the flow. What a
//! split puts on the links and what prices of links make of a bundle is all that a method needs to
//! know of the paths: that is [`Program`].

use super::limit::Limit;
use super::rule::{Bundle, BundleKind};
use std::ops::Range;
use tvlb_schema::LinkKind;
use tvlb_topology::Topology;
use tvlb_topology::links::LinkNumbers;
use tvlb_traffic::Flows;

/// The bundles of all flows that use a link, and what is known of the program besides loads.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// How many link numbers there are; of one group if folded.
    pub(super) rows: usize,
    /// The bundles of each flow: MIN by hop count, then VLB by hop count, or as the rule has them. Never empty.
    pub(super) flows: Vec<Range<usize>>,
    pub(super) kinds: Vec<BundleKind>,
    /// MIN bundles: the fraction of the flow's MIN paths that it has. VLB bundles: 1.
    pub(super) share: Vec<f64>,
    /// What one path of the bundle carries at x = 1 if the flow chooses it: demand / its paths. If the
    /// rule spreads a bundle unevenly, in the unit of its parts.
    pub(super) per_path: Vec<f64>,
    /// The greatest x that the terminals allow.
    pub(super) terminal_bound: f64,
    /// Prices of links whose bound is tight where each group sends to one other: 1 for each global
    /// link, 2 for those that MIN paths use.
    pub(super) global_prices: Vec<f64>,
    /// By link what it limits by.
    pub(super) limits: Vec<Limit>,
    /// Hops of each flow's VLB paths drawn evenly, summed over the flows that have any.
    hops: f64,
    with_vlb: u32,
}

/// Loads from splits, and costs from prices. Both are sums of many terms that need not be exact to
/// the last digit: what is reported is certified apart.
pub(super) trait Program {
    /// The flows and their bundles.
    fn choices(&self) -> &Choices;

    /// The load of a split on each link, at x = 1.
    fn loads(&self, split: &[f64], loads: &mut [f64]);

    /// The cost of each bundle for its flow at these prices of links.
    fn costs(&self, prices: &[f64], costs: &mut [f64]);

    /// [`Self::loads`] in a vector of their own.
    fn loads_of(&self, split: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; self.choices().rows];
        self.loads(split, &mut loads);
        loads
    }

    /// [`Self::costs`] in a vector of their own.
    fn costs_of(&self, prices: &[f64]) -> Vec<f64> {
        let mut costs = vec![0.0; self.choices().len()];
        self.costs(prices, &mut costs);
        costs
    }
}

/// The largest of some loads; 0 if there are none.
pub(super) fn largest(loads: &[f64]) -> f64 {
    loads.iter().fold(0.0, |most, &load| most.max(load))
}

impl Choices {
    pub(super) fn new(rows: usize, topology: &Topology, pattern: &Flows) -> Self {
        Self {
            rows,
            flows: Vec::new(),
            kinds: Vec::new(),
            share: Vec::new(),
            per_path: Vec::new(),
            terminal_bound: pattern.terminal_bound()
                * topology.bandwidths().flits_per_cycle(LinkKind::Node),
            global_prices: global_prices(rows, topology, pattern),
            limits: Limit::of_links(rows, topology),
            hops: 0.0,
            with_vlb: 0,
        }
    }

    /// Adds a flow by its classes, (whether VLB, hops, paths) in the order of its bundles, and these bundles.
    pub(super) fn add_flow(
        &mut self,
        demand: f64,
        classes: &[(bool, u8, f64)],
        bundles: &[Bundle],
    ) {
        let first = self.kinds.len();
        for bundle in bundles {
            self.kinds.push(bundle.kind);
            self.share.push(bundle.share);
            self.per_path.push(demand / bundle.paths);
        }
        let (mut vlb_paths, mut vlb_hops) = (0.0, 0.0);
        for &(_, hops, paths) in classes.iter().filter(|class| class.0) {
            vlb_paths += paths;
            vlb_hops += paths * f64::from(hops);
        }
        if vlb_paths > 0.0 {
            self.hops += vlb_hops / vlb_paths;
            self.with_vlb += 1;
        }
        self.flows.push(first..self.kinds.len());
    }

    /// How many bundles there are.
    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether no flow uses any link.
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Mean hops of the VLB paths drawn evenly, averaged over the flows that have any; `None` if none has.
    pub(super) fn mean_hops(&self) -> Option<f64> {
        (self.with_vlb > 0).then(|| self.hops / f64::from(self.with_vlb))
    }

    /// The total cost if each flow takes its cheapest bundle.
    pub(super) fn least_paid(&self, costs: &[f64]) -> f64 {
        let cheapest = |flow: &Range<usize>| {
            costs[flow.clone()].iter().fold(f64::INFINITY, |least, &cost| least.min(cost))
        };
        self.flows.iter().map(cheapest).sum()
    }

    /// The numbers of hops that bound a VLB bundle of some flow, rising.
    pub(super) fn levels(&self) -> Vec<u8> {
        let mut levels: Vec<u8> = self
            .kinds
            .iter()
            .filter_map(|kind| match kind {
                BundleKind::Vlb(hops) => Some(*hops),
                BundleKind::Min(_) => None,
            })
            .collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// All on MIN, or all on VLB paths of at most so many hops; flows that have only the other
    /// kind, or only longer paths, take what is nearest.
    pub(super) fn even(&self, level: Option<u8>) -> Vec<f64> {
        let mut split = vec![0.0; self.len()];
        for flow in &self.flows {
            let is_min = |&b: &usize| matches!(self.kinds[b], BundleKind::Min(_));
            let has_min = flow.clone().any(|b| is_min(&b));
            let first_vlb = flow.clone().find(|b| !is_min(b));
            let vlb = level.and_then(|level| {
                let fits = |b: &usize| match self.kinds[*b] {
                    BundleKind::Vlb(hops) => hops <= level,
                    BundleKind::Min(_) => false,
                };
                flow.clone().rev().find(fits).or(first_vlb)
            });
            match (vlb, has_min, first_vlb) {
                (Some(bundle), _, _) | (None, false, Some(bundle)) => split[bundle] = 1.0,
                _ => {
                    for bundle in flow.clone().filter(is_min) {
                        split[bundle] = self.share[bundle];
                    }
                }
            }
        }
        split
    }

    /// Makes a proposal a split: nothing negative, and each flow's parts add up to 1.
    pub(super) fn projected(&self, mut split: Vec<f64>) -> Vec<f64> {
        for flow in &self.flows {
            let parts = &mut split[flow.clone()];
            for part in parts.iter_mut() {
                *part = if part.is_finite() { part.max(0.0) } else { 0.0 };
            }
            let sum: f64 = parts.iter().sum();
            if sum > 0.0 {
                for part in parts {
                    *part /= sum;
                }
            } else if let Some(last) = parts.last_mut() {
                *last = 1.0;
            }
        }
        split
    }
}

/// See [`Choices::global_prices`].
fn global_prices(rows: usize, topology: &Topology, pattern: &Flows) -> Vec<f64> {
    let df = topology.dragonfly();
    let links = LinkNumbers::new(*df);
    let mut prices = vec![0.0; links.count()];
    for group in df.groups() {
        for other in df.groups().filter(|&other| other != group) {
            for link in topology.links(group, other) {
                prices[links.global(group, link.from)] = 1.0;
            }
        }
    }
    for flow in &pattern.flows {
        let (from, to) = (df.place(flow.source).0, df.place(flow.destination).0);
        if from != to {
            for link in topology.links(from, to) {
                prices[links.global(from, link.from)] = 2.0;
            }
        }
    }
    // All images of a link have one price if the pattern is folded.
    prices.truncate(rows);
    prices
}
