//! Many sets on many patterns, on all cores, with nothing computed that follows from something else.
//!
//! - Sets that keep the same routes are modelled once.
//! - Walking all paths backwards turns shift(Δg, Δs) into shift(−Δg, −Δs) and a set of whole shapes into the one with
//!   heads and tails exchanged, and does not change the throughput (each cable has a link each way). So of such a pair
//!   of cells only one is modelled.
//! - A throughput that a set reaches is also reached by any set with the same paths up to some number of hops and
//!   perhaps longer ones: it may split as the first does. If that meets the price bound, the larger set is done.
//!
//! The unit of work is a pattern together with its mirror image. Within a unit everything is done in a fixed order by
//! one thread, and units are independent, so results are the same at any number of threads and after any interruption
//! between units.

use super::limit::Limit;
use super::path_set::{Counting, PathSet, SetKey};
use super::solve::{Method, Warm};
use super::{Model, ModelError, Rule, SetThroughput};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tvlb_base::progress::Progress;
use tvlb_schema::{Dragonfly, Shape};
use tvlb_topology::Topology;
use tvlb_traffic::{Flows, Pattern};

/// One set on one pattern.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepCell {
    /// A throughput that was reached, in flits per node and cycle.
    pub lower: f64,
    /// Proven not to be exceeded.
    pub upper: f64,
    /// Hops of the set's VLB paths, drawn evenly, on average over the flows that have any; `None` if none
    /// has.
    pub mean_hops: Option<f64>,
    /// The gap that counts as closed.
    pub tolerance: f64,
    /// The proof of the upper bound.
    pub limit: Limit,
}

/// How the cells of a sweep came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepTally {
    /// An even split met the price bound.
    pub even: usize,
    /// A smaller set's split met the price bound.
    pub nested: usize,
    /// The interior-point method closed the gap.
    pub links: usize,
    /// The first-order method was taken, as the fabric is large.
    pub first_order: usize,
    /// Follows from its mirror image or from an equal set.
    pub copied: usize,
}

/// The cells to model.
///
/// # Example
/// ```
/// use tvlb_throughput::state;
/// use tvlb_throughput::sweep::Sweep;
/// use tvlb_throughput::{Counting, PathSet};
/// use tvlb_traffic::Flows;
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_schema::Dragonfly;
///
/// let df = Dragonfly::new(1, 4, 2, 5)?;
/// let topology = arrange(df, Arrangement::default(), 1)?;
/// let sets = vec![PathSet::parse("all", 1)?, PathSet::parse("shapes:011", 1)?];
/// let patterns = vec![Flows::shift(&df, 1, 0), Flows::shift(&df, 2, 1)];
/// let sweep = Sweep::new(&topology, Counting::Triples, patterns, sets);
///
/// // With a directory in the place of `None`, what is done is kept there.
/// let done = state::make(&sweep, None, &())?;
/// let cells = sweep.assemble(&done.units).ok_or("a unit is missing")?;
/// assert_eq!((cells.len(), cells[0].len()), (2, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sweep<'t> {
    topology: &'t Topology,
    counting: Counting,
    patterns: Vec<Flows>,
    sets: Vec<PathSet>,
    /// For each set the first that is equal to it.
    first_equal: Vec<usize>,
    /// For each set its mirror image, if it is among the sets.
    mirror: Vec<Option<usize>>,
    /// For each set those before it whose splits it has.
    nested: Vec<Vec<usize>>,
    /// Patterns with their mirror images.
    units: Vec<Vec<usize>>,
    rule: Rule,
}

/// The cells of one unit: by pattern of the unit, then by set.
pub type UnitCells = Vec<Vec<SweepCell>>;

impl<'t> Sweep<'t> {
    /// Plans the work.
    pub fn new(
        topology: &'t Topology,
        counting: Counting,
        patterns: Vec<Flows>,
        sets: Vec<PathSet>,
    ) -> Self {
        let mut first_of: BTreeMap<SetKey, usize> = BTreeMap::new();
        let first_equal: Vec<usize> = sets
            .iter()
            .enumerate()
            .map(|(number, set)| *first_of.entry(set.key(counting)).or_insert(number))
            .collect();
        let mirror =
            sets.iter().map(|set| first_of.get(&set.reversed()?.key(counting)).copied()).collect();
        let nested = (0..sets.len())
            .map(|number| {
                (0..number)
                    .filter(|&n| {
                        first_equal[n] == n && is_head_of(&sets[n], &sets[number], counting)
                    })
                    .collect()
            })
            .collect();
        let units = units(topology.dragonfly(), &patterns);
        let rule = Rule::Monotone;
        Self { topology, counting, patterns, sets, first_equal, mirror, nested, units, rule }
    }

    /// The same by another rule of rates.
    #[must_use]
    pub fn by(mut self, rule: Rule) -> Self {
        if !rule.nests() {
            self.nested.iter_mut().for_each(Vec::clear);
        }
        Self { rule, ..self }
    }

    /// The constraint on the rates of paths.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The patterns, in the order of the results.
    pub fn patterns(&self) -> &[Flows] {
        &self.patterns
    }

    /// The sets, in the order of the results.
    pub fn sets(&self) -> &[PathSet] {
        &self.sets
    }

    pub fn counting(&self) -> Counting {
        self.counting
    }

    pub fn topology(&self) -> &'t Topology {
        self.topology
    }

    /// How many units of work there are.
    pub fn unit_count(&self) -> usize {
        self.units.len()
    }

    /// How many patterns a unit of work has; `None` if there is no such unit.
    pub fn patterns_of(&self, unit: usize) -> Option<usize> {
        self.units.get(unit).map(Vec::len)
    }

    /// The first set that is equal to this one; itself if there is none before it.
    pub fn first_equal(&self, set: usize) -> usize {
        self.first_equal[set]
    }

    /// Does these units, on all threads of the current pool, as far as `claim` gives the right to do one when
    /// its turn comes, and hands each to `finished` with its right. Ends early, without error, once `progress`
    /// is cancelled.
    pub(super) fn run<C, E: From<ModelError> + Send>(
        &self,
        units: Vec<usize>,
        claim: impl Fn(usize) -> Result<Option<C>, E> + Sync,
        finished: impl Fn(usize, UnitCells, SweepTally, C) -> Result<(), E> + Sync,
        progress: &dyn Progress,
    ) -> Result<(), E> {
        let results: Vec<Result<(), E>> = units
            .into_par_iter()
            .with_max_len(1)
            .map_init(
                || Model::new(self.topology, self.counting).by(self.rule),
                |model, unit| {
                    let Some(claim) = claim(unit)? else { return Ok(()) };
                    let made = self.unit(model, unit, progress)?;
                    made.map_or(Ok(()), |(cells, tally)| finished(unit, cells, tally, claim))
                },
            )
            .collect();
        results.into_iter().collect()
    }

    /// All cells by pattern and set, from those of the units; `None` if a unit is missing.
    pub fn assemble(&self, done: &BTreeMap<usize, UnitCells>) -> Option<Vec<Vec<SweepCell>>> {
        let mut cells = vec![Vec::new(); self.patterns.len()];
        for (number, unit) in self.units.iter().enumerate() {
            for (&pattern, of_pattern) in unit.iter().zip(done.get(&number)?) {
                cells[pattern].clone_from(of_pattern);
            }
        }
        Some(cells)
    }

    /// One unit; `None` if cancelled.
    fn unit(
        &self,
        model: &mut Model<'_>,
        unit: usize,
        progress: &dyn Progress,
    ) -> Result<Option<(UnitCells, SweepTally)>, ModelError> {
        let unit = &self.units[unit];
        let mut tally = SweepTally::default();
        let mut cells: Vec<Vec<Option<SweepCell>>> = vec![vec![None; self.sets.len()]; unit.len()];
        for (place, &pattern) in unit.iter().enumerate() {
            let mut warm = Warm::default();
            for set in 0..self.sets.len() {
                if progress.is_cancelled() {
                    return Ok(None);
                }
                let known = self.known(&cells, unit, place, set);
                if known.is_some() {
                    cells[place][set] = known;
                    tally.copied += 1;
                    continue;
                }
                let reached = self.nested[set]
                    .iter()
                    .filter_map(|&smaller| cells[place][smaller])
                    .fold(0.0, |most: f64, cell| most.max(cell.lower));
                let modelled =
                    model.at_least(reached, &self.patterns[pattern], &self.sets[set], &mut warm)?;
                tally.note(modelled.solved.by);
                cells[place][set] = Some(SweepCell::of(&modelled));
            }
        }
        let cells = cells.into_iter().map(|of_pattern| of_pattern.into_iter().flatten().collect());
        Ok(Some((cells.collect(), tally)))
    }

    /// The cell of a set that equals an earlier one, or whose mirror image is known.
    fn known(
        &self,
        cells: &[Vec<Option<SweepCell>>],
        unit: &[usize],
        place: usize,
        set: usize,
    ) -> Option<SweepCell> {
        let first = self.first_equal[set];
        if first != set {
            return cells[place][first];
        }
        // A unit of one is its own mirror image or has none.
        let own_image = is_own_image(self.topology.dragonfly(), &self.patterns[unit[place]]);
        let image_place = match (place, unit.len()) {
            (_, 1) if own_image => 0,
            (1, _) => 0,
            _ => return None,
        };
        cells[image_place][self.mirror[set]?]
    }
}

impl SweepCell {
    fn of(modelled: &SetThroughput) -> Self {
        let certified = modelled.solved.certified;
        Self {
            lower: certified.lower,
            upper: certified.upper,
            mean_hops: modelled.mean_hops,
            tolerance: modelled.tolerance,
            limit: certified.limit,
        }
    }

    /// Whether the two bounds are close enough to be one number.
    pub fn is_number(&self) -> bool {
        self.upper - self.lower <= self.tolerance * self.upper
    }
}

impl SweepTally {
    fn note(&mut self, by: Method) {
        match by {
            Method::Even => self.even += 1,
            Method::Nested => self.nested += 1,
            Method::Links => self.links += 1,
            Method::FirstOrder => self.first_order += 1,
        }
    }

    /// The sum of two tallies.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            even: self.even + other.even,
            nested: self.nested + other.nested,
            links: self.links + other.links,
            first_order: self.first_order + other.first_order,
            copied: self.copied + other.copied,
        }
    }

    /// How many cells it speaks of.
    pub fn total(self) -> usize {
        self.even + self.nested + self.links + self.first_order + self.copied
    }
}

/// The shift with all flows reversed.
fn mirrored(df: &Dragonfly, flows: &Flows) -> Option<Pattern> {
    match flows.pattern {
        // If groups differ, a shift wraps round in smaller ones, and its reverse is no shift.
        Pattern::Shift { .. } if !df.is_even() => None,
        Pattern::Shift { groups, switches } => Some(Pattern::Shift {
            groups: (df.g() - groups) % df.g(),
            switches: (df.a() - switches) % df.a(),
        }),
        _ => None,
    }
}

fn is_own_image(df: &Dragonfly, pattern: &Flows) -> bool {
    mirrored(df, pattern).is_some_and(|image| pattern.pattern == image)
}

/// Each pattern with its mirror image if that is among the patterns.
fn units(df: &Dragonfly, patterns: &[Flows]) -> Vec<Vec<usize>> {
    let mut units = Vec::new();
    let mut placed = vec![false; patterns.len()];
    for (number, pattern) in patterns.iter().enumerate() {
        if placed[number] {
            continue;
        }
        let mut unit = vec![number];
        if let Some(image) = mirrored(df, pattern) {
            let later = (number + 1..patterns.len()).find(|&n| patterns[n].pattern == image);
            unit.extend(later);
        }
        for &n in &unit {
            placed[n] = true;
        }
        units.push(unit);
    }
    units
}

/// Whether `larger` has exactly the paths of `smaller` up to some number of hops, and `smaller` has
/// none beyond: then each bundle of `smaller` is one of `larger` too.
fn is_head_of(smaller: &PathSet, larger: &PathSet, counting: Counting) -> bool {
    let (Some(shapes), rule) = (smaller.whole_shapes(), larger.rule()) else { return false };
    let Some(longest) = shapes.iter().map(Shape::hops).max() else { return true };
    Shape::all().filter(|shape| shape.hops() <= longest).all(|shape| {
        smaller.rule().keep_of(shape) == rule.keep_of(shape)
            && smaller.multiplicity(shape, counting) == larger.multiplicity(shape, counting)
    })
}
