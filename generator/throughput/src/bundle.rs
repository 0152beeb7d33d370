//! The model of one pattern and one set as a matrix: the load of each choice on each link.
//!
//! Rates that do not increase with the hop count are exactly the mixtures of "all paths of at most n
//! hops, evenly", and those of other rules (`rule.rs`) mixtures of others, so a flow's choice is a
//! probability for each of its bundles (`program.rs`), and the model becomes: choose them so that the
//! largest link load t is the least. The throughput is then 1/t, or the terminals' bound if that is
//! less (design, section 4; Mollah et al., PMBS'17, model 3; Rahman et al., SC'19, section 3.3.2).
//!
//! If wiring, pattern and set look the same from each group, the model is folded: the flows of group 0 stand for all,
//! and a link stands for its images in all groups. Averaging a split over the rotations keeps its largest load or
//! lowers it, so nothing is lost.
//!
//! The matrix has an entry for each bundle and link that it uses, which is right for small fabrics
//! and folded ones; `factored.rs` is for the others.

use super::ModelError;
use super::path_counter::{PathClass, PathCounter};
use super::path_set::{Counting, PathSet};
use super::program::{Choices, Program};
use super::rule::Rule;
use tvlb_schema::GroupId;
use tvlb_topology::Topology;
use tvlb_topology::links::LinkNumbers;
use tvlb_traffic::{Flow, Flows};

/// The most bundles of a program: one of this size takes some hundred megabytes to solve.
const MOST_BUNDLES: usize = 50_000;

/// The flows that have a choice or use a link, and the load of each of their bundles at x = 1.
#[derive(Clone, Debug)]
pub struct Bundles {
    choices: Choices,
    /// Where the entries of each bundle start; one more at the end.
    starts: Vec<usize>,
    links: Vec<u32>,
    loads: Vec<f64>,
    folded: bool,
}

/// Whether group 0 may stand for all.
pub(super) fn folds(
    invariant_wiring: bool,
    topology: &Topology,
    pattern: &Flows,
    set: &PathSet,
) -> bool {
    invariant_wiring
        && set.whole_shapes().is_some()
        && pattern.is_rotation_invariant(topology.dragonfly())
}

impl Bundles {
    /// Counts the paths of each flow, and bundles them as the rule says.
    ///
    /// # Errors
    /// A flow that has no path, routes by intermediate switch, or more bundles than there is room for.
    pub fn new(
        (counter, rule): (&mut PathCounter<'_>, Rule),
        topology: &Topology,
        pattern: &Flows,
        set: &PathSet,
        invariant_wiring: bool,
    ) -> Result<Self, ModelError> {
        if rule == Rule::BySwitch && counter.counting() == Counting::Routes {
            return Err(ModelError::NoSwitches);
        }
        let df = topology.dragonfly();
        let links = LinkNumbers::new(*df);
        let folded = folds(invariant_wiring, topology, pattern, set);
        let rows = if folded { links.per_group() } else { links.count() };
        let mut bundles = Self {
            choices: Choices::new(rows, topology, pattern),
            starts: vec![0],
            links: Vec::new(),
            loads: Vec::new(),
            folded,
        };
        let mut column = vec![0.0; rows];
        for flow in &pattern.flows {
            if flow.source == flow.destination || folded && df.place(flow.source).0 != GroupId(0) {
                continue;
            }
            let classes = counter.classes(set, flow.source, flow.destination);
            if classes.is_empty() {
                return Err(ModelError::no_path(df, flow, set, pattern));
            }
            let told_apart = rule
                .tells_switches()
                .then(|| counter.classes_by_switch(set, (flow.source, flow.destination), rule));
            bundles.add_flow((flow, rule), &classes, told_apart.as_deref(), &mut column);
            let found = bundles.choices.len();
            if found > MOST_BUNDLES {
                let found = format!("more than {MOST_BUNDLES} ways to spread its flows");
                let accepted = "smaller fabrics or sets, or rules by hop count";
                return Err(ModelError::TooLarge { rule, found, accepted: accepted.to_owned() });
            }
        }
        Ok(bundles)
    }

    /// Adds a flow by its classes, or by finer ones that distinguish its paths.
    fn add_flow(
        &mut self,
        (flow, rule): (&Flow, Rule),
        by_hops: &[PathClass],
        told_apart: Option<&[PathClass]>,
        column: &mut [f64],
    ) {
        let sizes = |classes: &[PathClass]| -> Vec<(bool, u8, f64)> {
            classes.iter().map(|class| (class.is_vlb, class.hops, class.paths)).collect()
        };
        let first = self.choices.len();
        let classes = told_apart.unwrap_or(by_hops);
        let spread = rule.bundles(&sizes(classes));
        self.choices.add_flow(flow.demand, &sizes(by_hops), &spread);
        for (bundle, spread) in (first..).zip(&spread) {
            column.fill(0.0);
            for &(class, weight) in &spread.parts {
                for &(link, count) in &classes[class].uses {
                    column[link % self.choices.rows] += weight * count;
                }
            }
            let factor = self.choices.per_path[bundle];
            for (link, &count) in (0_u32..).zip(&*column) {
                if count > 0.0 {
                    self.links.push(link);
                    self.loads.push(count * factor);
                }
            }
            self.starts.push(self.links.len());
        }
    }

    pub(super) fn column(&self, bundle: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[bundle]..self.starts[bundle + 1];
        let links = self.links[range.clone()].iter().map(|&link| link as usize);
        links.zip(self.loads[range].iter().copied())
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

impl Program for Bundles {
    fn choices(&self) -> &Choices {
        &self.choices
    }

    fn loads(&self, split: &[f64], loads: &mut [f64]) {
        loads.fill(0.0);
        for (bundle, &part) in split.iter().enumerate().filter(|(_, part)| **part > 0.0) {
            for (link, load) in self.column(bundle) {
                loads[link] += part * load;
            }
        }
    }

    fn costs(&self, prices: &[f64], costs: &mut [f64]) {
        for (bundle, cost) in costs.iter_mut().enumerate() {
            *cost = self.column(bundle).map(|(link, load)| load * prices[link]).sum();
        }
    }
}
