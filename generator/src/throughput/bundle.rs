//! The model of one pattern and one set as a matrix: what each flow may choose, and what each
//! choice puts on the links.
//!
//! A **bundle** is a way to split one flow evenly over some of its paths: "all MIN paths of n hops"
//! or "all VLB paths of at most n hops". Rates that do not increase with the hop count are just
//! the mixtures of the latter, so a flow's choice is a probability for each of its bundles, and
//! the model becomes: choose them so that the largest link load t is the least. The throughput is
//! then 1/t, or the terminals' bound if that is less (design, section 4; Mollah et al., PMBS'17,
//! model 3; Rahman et al., SC'19, section 3.3.2).
//!
//! Where wiring, pattern and set are all the same seen from each group, the model is folded: the
//! flows of group 0 stand for all, and a link stands for its images in all groups. Averaging a
//! split over the rotations keeps its largest load or lowers it, so nothing is lost.

use super::ModelError;
use super::links::Links;
use super::load::{PathClass, PathCounter};
use super::path_set::PathSet;
use super::pattern::{Flow, Pattern};
use crate::topology::Topology;
use std::ops::Range;
use tvlb_schema::Group;

/// Which paths a bundle is spread over evenly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleKind {
    /// All MIN paths of so many hops.
    Min(u8),
    /// All VLB paths of the set of at most so many hops.
    Vlb(u8),
}

/// The flows that have a choice or use a link, and the load of each of their bundles at x = 1.
#[derive(Clone, Debug)]
pub struct Bundles {
    /// How many link numbers there are; of one group if folded.
    pub(super) rows: usize,
    /// The bundles of each flow: MIN by hop count, then VLB by hop count. Never empty.
    pub(super) flows: Vec<Range<usize>>,
    /// What each bundle is.
    pub(super) kinds: Vec<BundleKind>,
    /// MIN bundles: the fraction of the flow's MIN paths that it has. VLB bundles: 1.
    pub(super) share: Vec<f64>,
    /// Where the entries of each bundle start; one more at the end.
    starts: Vec<usize>,
    links: Vec<u32>,
    loads: Vec<f64>,
    /// The greatest x that the terminals allow.
    pub(super) terminal_bound: f64,
    /// Prices of links whose bound is tight where each group sends to one other: 1 for each global
    /// link, 2 for those that MIN paths use.
    pub(super) global_prices: Vec<f64>,
    /// Mean hops of the VLB paths drawn evenly, averaged over the flows that have any; 0 if none.
    pub(super) mean_hops: f64,
    folded: bool,
}

impl Bundles {
    /// Counts the paths of each flow.
    ///
    /// # Errors
    /// A flow that has no path.
    pub fn new(
        counter: &mut PathCounter<'_>,
        topology: &Topology,
        pattern: &Pattern,
        set: &PathSet,
        invariant_wiring: bool,
    ) -> Result<Self, ModelError> {
        let df = topology.dragonfly();
        let links = Links::new(*df);
        let folded =
            invariant_wiring && set.whole_shapes().is_some() && pattern.is_rotation_invariant(df);
        let mut bundles = Self {
            rows: if folded { links.per_group() } else { links.count() },
            flows: Vec::new(),
            kinds: Vec::new(),
            share: Vec::new(),
            starts: vec![0],
            links: Vec::new(),
            loads: Vec::new(),
            terminal_bound: pattern.terminal_bound(df),
            global_prices: Vec::new(),
            mean_hops: 0.0,
            folded,
        };
        let mut column = vec![0.0; bundles.rows];
        let mut hops = Mean::default();
        for flow in &pattern.flows {
            if flow.source == flow.destination || folded && df.place(flow.source).0 != Group(0) {
                continue;
            }
            let classes = counter.classes(set, flow.source, flow.destination);
            if classes.is_empty() {
                return Err(ModelError::no_path(df, flow, set, pattern));
            }
            let vlb = classes.iter().filter(|class| class.is_vlb);
            let (paths, sum) = vlb.fold((0.0, 0.0), |(paths, sum), class| {
                (paths + class.paths, sum + class.paths * f64::from(class.hops))
            });
            if paths > 0.0 {
                hops.add(sum / paths);
            }
            bundles.add_flow(flow, &classes, &mut column);
        }
        bundles.mean_hops = hops.mean();
        bundles.global_prices = bundles.priced_globals(topology, pattern);
        Ok(bundles)
    }

    fn add_flow(&mut self, flow: &Flow, classes: &[PathClass], column: &mut [f64]) {
        let first = self.kinds.len();
        let min_paths: f64 = classes.iter().filter(|c| !c.is_vlb).map(|c| c.paths).sum();
        let mut vlb_paths = 0.0;
        column.fill(0.0);
        for class in classes {
            if !class.is_vlb {
                column.fill(0.0);
            }
            for &(link, count) in &class.uses {
                column[link % self.rows] += count;
            }
            let paths = if class.is_vlb {
                vlb_paths += class.paths;
                vlb_paths
            } else {
                class.paths
            };
            self.add_bundle(column, flow.demand / paths);
            if class.is_vlb {
                self.kinds.push(BundleKind::Vlb(class.hops));
                self.share.push(1.0);
            } else {
                self.kinds.push(BundleKind::Min(class.hops));
                self.share.push(class.paths / min_paths);
                column.fill(0.0);
            }
        }
        self.flows.push(first..self.kinds.len());
    }

    fn add_bundle(&mut self, column: &[f64], factor: f64) {
        for (link, &count) in (0_u32..).zip(column) {
            if count > 0.0 {
                self.links.push(link);
                self.loads.push(count * factor);
            }
        }
        self.starts.push(self.links.len());
    }

    /// See [`Self::global_prices`].
    fn priced_globals(&self, topology: &Topology, pattern: &Pattern) -> Vec<f64> {
        let df = topology.dragonfly();
        let links = Links::new(*df);
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
        prices.truncate(self.rows);
        prices
    }

    /// The loads of one bundle.
    pub(super) fn column(&self, bundle: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[bundle]..self.starts[bundle + 1];
        let links = self.links[range.clone()].iter().map(|&link| link as usize);
        links.zip(self.loads[range].iter().copied())
    }

    /// How many bundles there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether no flow uses any link.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// How many loads are not zero: the size of the program.
    pub fn entries(&self) -> usize {
        self.loads.len()
    }

    /// Whether group 0 stands for all.
    pub fn is_folded(&self) -> bool {
        self.folded
    }
}

/// A running mean.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1.0;
    }

    fn mean(&self) -> f64 {
        if self.count > 0.0 { self.sum / self.count } else { 0.0 }
    }
}
