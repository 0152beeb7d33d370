//! The outcome of Step 1 as values, and as a table, CSV and JSON.
//!
//! How figures are reported: a throughput is the middle of its proven interval if every cell that
//! it is an average of has a gap within the tolerance, and else the interval itself; a number and
//! an interval are never mixed up, in the files either. Texts show six decimals, four on large
//! fabrics, rounded to nearest for numbers and outwards for intervals; JSON holds the exact ends.

use super::front::{Merit, candidates, front, largest};
use super::limit::Limit;
use super::rule::Rule;
use super::sweep::{Sweep, SweepCell, SweepTally};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use tvlb_base::row;
use tvlb_base::table::{Column, Table};
use tvlb_base::text::listed;
use tvlb_schema::{Dragonfly, GroupKind};
use tvlb_traffic::{Flows, Pattern};

/// A mean over patterns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanThroughput {
    /// The mean as a number, if all of it is certified within the tolerance.
    pub value: Option<f64>,
    /// The mean of the reached throughputs.
    pub lower: f64,
    /// The mean of the proven upper bounds.
    pub upper: f64,
    /// Standard error of the mean over the patterns; 0 for a single one.
    pub standard_error: f64,
    /// The least over the patterns: as a number if all is certified, else what was reached.
    pub worst: f64,
    /// How many patterns.
    pub patterns: usize,
    /// How many decimals of it mean something.
    #[serde(skip)]
    digits: usize,
}

#[derive(Clone, Debug, Serialize)]
pub struct SetResult {
    /// The set's text as the user wrote it.
    pub set: String,
    /// An earlier set that has the same paths.
    pub same_as: Option<String>,
    /// Over all patterns, each counting the same.
    pub throughput: MeanThroughput,
    /// Over the shifts alone.
    pub shifts: Option<MeanThroughput>,
    /// Over the random group permutations alone.
    pub group_permutations: Option<MeanThroughput>,
    /// Hops of VLB paths drawn evenly, on average over the flows that have such a path, and over the patterns in
    /// which some flow has; `None` if there is no such pattern.
    pub mean_hops: Option<f64>,
    /// Whether no set has more throughput without more hops.
    pub on_front: bool,
    /// By pattern: the reached throughput and the proven upper bound.
    pub cells: Vec<[f64; 2]>,
    /// The limits, in words, with how many patterns each limits, most first.
    pub limits: Vec<(String, usize)>,
}

/// The outcome of Step 1.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The fabric's name.
    pub fabric: String,
    /// p, a, h, g.
    pub dragonfly: [u32; 4],
    /// The kinds of groups if there is more than one; p, a and h are then the most of any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<GroupKind>,
    /// The parts that are dead, each as a line of a list of what is dead. The wiring that is modelled is
    /// the one without them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead: Vec<String>,
    /// `triples` or `routes`.
    pub counting: String,
    /// The constraint on the rates of paths.
    #[serde(skip_serializing_if = "Rule::is_usual")]
    pub rule: Rule,
    /// Decides random patterns and fractions.
    pub seed: u64,
    /// The greatest gap of a number, as a fraction of its upper bound.
    pub tolerance: f64,
    /// How much of the best throughput a candidate may lack, as a fraction.
    pub epsilon: f64,
    /// The patterns, in words.
    pub patterns: Vec<String>,
    /// How much is sent in units of what one node sends, in the pattern with the most: as many nodes, where each
    /// sends to one other.
    pub demand: f64,
    /// An upper bound for all sets: the largest upper bound of any set, on average over the patterns.
    pub bound: f64,
    /// The sets in the order given.
    pub sets: Vec<SetResult>,
    /// Names of the candidates for Step 2, the preferred one first.
    pub candidates: Vec<String>,
    /// The set that the paper's rule, the largest modelled throughput, chooses from all given.
    pub largest_throughput: Option<String>,
}

/// The input of a report.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The fabric's name.
    pub fabric: String,
    /// The parts that the modelled wiring lacks because they are dead, each as a line of a list of what is
    /// dead.
    pub dead: Vec<String>,
    pub seed: u64,
    /// ε.
    pub epsilon: f64,
}

impl Report {
    /// Sums up the cells of a sweep, by pattern and set.
    pub fn new(sweep: &Sweep<'_>, cells: &[Vec<SweepCell>], heading: Heading) -> Self {
        let df = sweep.topology().dragonfly();
        let patterns = sweep.patterns();
        let is_shift = |n: usize| matches!(patterns[n].pattern, Pattern::Shift { .. });
        let is_type_2 = |n: usize| matches!(patterns[n].pattern, Pattern::TypeTwo { .. });
        let mut sets: Vec<SetResult> = sweep
            .sets()
            .iter()
            .enumerate()
            .map(|(number, set)| {
                let first = sweep.first_equal(number);
                let of = |chosen: &dyn Fn(usize) -> bool| -> Vec<SweepCell> {
                    (0..patterns.len()).filter(|&n| chosen(n)).map(|n| cells[n][number]).collect()
                };
                let all = of(&|_| true);
                let shifts = of(&is_shift);
                SetResult {
                    set: set.name().to_owned(),
                    same_as: (first != number).then(|| sweep.sets()[first].name().to_owned()),
                    throughput: MeanThroughput::of(&all),
                    shifts: (!shifts.is_empty()).then(|| MeanThroughput::of(&shifts)),
                    group_permutations: Some(of(&is_type_2))
                        .filter(|cells| !cells.is_empty())
                        .map(|cells| MeanThroughput::of(&cells)),
                    mean_hops: mean_hops(&all),
                    on_front: false,
                    cells: all.iter().map(|cell| [cell.lower, cell.upper]).collect(),
                    limits: limits(&all, df),
                }
            })
            .collect();
        let tolerance = cells.iter().flatten().map(|cell| cell.tolerance).fold(0.0, f64::max);
        let merits: Vec<Merit> = sets.iter().map(SetResult::merit).collect();
        for position in front(&merits) {
            sets[position].on_front = true;
        }
        let name = |position: usize| sets[position].set.clone();
        Self {
            fabric: heading.fabric,
            dragonfly: [df.p(), df.a(), df.h(), df.g()],
            kinds: df.stated_kinds().collect(),
            dead: heading.dead,
            counting: sweep.counting().name().to_owned(),
            rule: sweep.rule(),
            seed: heading.seed,
            tolerance,
            epsilon: heading.epsilon,
            patterns: patterns.iter().map(|pattern| pattern.name.clone()).collect(),
            demand: patterns.iter().map(Flows::demand).fold(0.0, f64::max),
            bound: sets.iter().fold(0.0, |most, set| most.max(set.throughput.upper)),
            candidates: candidates(&merits, heading.epsilon).into_iter().map(name).collect(),
            largest_throughput: largest(&merits).map(name),
            sets,
        }
    }

    /// The limits of the set that has the largest bound: "global links in 19 patterns, nodes in 1".
    pub fn limits_in_words(&self) -> String {
        let widest = self.sets.iter().reduce(|widest, set| {
            if set.throughput.upper > widest.throughput.upper { set } else { widest }
        });
        match widest.map(|set| set.limits.as_slice()).unwrap_or_default() {
            [(limit, _)] => limit.clone(),
            several => {
                let part = |(limit, count): &(String, usize)| format!("{limit} in {count}");
                let parts: Vec<_> = several.iter().map(part).collect();
                format!("{} of {} patterns", parts.join(", "), self.patterns.len())
            }
        }
    }

    /// One line for each set, with a header.
    pub fn csv(&self) -> String {
        let names = "set,same-as,throughput,lower,upper,standard-error,worst,shifts-lower,shifts-upper,\
                     group-permutations-lower,group-permutations-upper,mean-hops,on-front";
        let columns = names.split(',').map(|name| Column::words(name, ""));
        let mut table = Table::new(columns.collect()).drawn("throughput over mean-hops as points");
        for set in &self.sets {
            let t = &set.throughput;
            let part = |part: &Option<MeanThroughput>| {
                let ends = part.as_ref().map(|part| (floor_6(part.lower), ceil_6(part.upper)));
                ends.map_or_else(
                    || row![None::<f64>, None::<f64>],
                    |(lower, upper)| row![lower, upper],
                )
            };
            let first = row![
                set.set.as_str(),
                set.same_as.as_deref(),
                t.value.map(|_| t.to_string()),
                floor_6(t.lower),
                ceil_6(t.upper),
                format!("{:.6}", t.standard_error),
                t.worst_in_words(),
            ];
            let last = row![set.mean_hops.map(|hops| format!("{hops:.3}")), set.on_front];
            table.push([first, part(&set.shifts), part(&set.group_permutations), last].concat());
        }
        table.csv()
    }
}

/// The columns of the sets for people.
pub const COLUMNS: [Column<'_>; 7] = [
    Column::words("", ""),
    Column::words("set", "the set; * before it if no set has more throughput without more hops"),
    Column::number(
        "throughput",
        6,
        "flits per node and cycle that the network could carry at best, a mean over patterns",
    ),
    Column::number(
        "\u{b1} SE",
        6,
        "standard error of this mean over the patterns, in the same unit",
    ),
    Column::number("worst", 6, "the throughput of the pattern with the least, in the same unit"),
    Column::number("hops", 3, "mean links between switches of a VLB path; - if there is none"),
    Column::words("same as", "an earlier set that has the same paths"),
];

impl SetResult {
    fn merit(&self) -> Merit {
        // Without any VLB path all packets take MIN, and no set has fewer hops.
        let hops = self.mean_hops.unwrap_or(0.0);
        Merit::new((self.throughput.lower, self.throughput.upper), hops)
    }
}

impl MeanThroughput {
    fn of(cells: &[SweepCell]) -> Self {
        let lower = mean(cells.iter().map(|cell| cell.lower));
        let upper = mean(cells.iter().map(|cell| cell.upper));
        let middle = |cell: &SweepCell| f64::midpoint(cell.lower, cell.upper);
        let mean_middle = mean(cells.iter().map(middle));
        let count = count(cells.len());
        let squares = cells.iter().map(|cell| (middle(cell) - mean_middle).powi(2)).sum::<f64>();
        let standard_error =
            if cells.len() > 1 { (squares / (count - 1.0) / count).sqrt() } else { 0.0 };
        let is_number = cells.iter().all(SweepCell::is_number);
        let least = |cell: &SweepCell| if is_number { middle(cell) } else { cell.lower };
        Self {
            value: is_number.then_some(mean_middle),
            lower,
            upper,
            standard_error,
            worst: cells.iter().map(least).fold(f64::INFINITY, f64::min),
            patterns: cells.len(),
            digits: if cells.iter().all(|cell| cell.tolerance <= 1e-6) { 6 } else { 4 },
        }
    }

    fn worst_in_words(&self) -> String {
        match self.value {
            Some(_) => format!("{:.*}", self.digits, self.worst),
            None => floor_6(self.worst),
        }
    }

    /// The value, or the middle of the interval where no value is certified.
    pub fn middle(&self) -> f64 {
        self.value.unwrap_or(f64::midpoint(self.lower, self.upper))
    }
}

impl fmt::Display for MeanThroughput {
    /// `0.562500` (`0.5625` on a large fabric), or `0.561100 to 0.562500` where it is not certified to be a number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => f.pad(&format!("{value:.*}", self.digits)),
            None => f.pad(&format!("{} to {}", floor_6(self.lower), ceil_6(self.upper))),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = GroupKind::in_words(self.dragonfly, &self.kinds);
        writeln!(
            f,
            "fabric   {}: {sizes}; {} {}; paths counted as {}; seed {}",
            self.fabric,
            self.patterns.len(),
            if self.patterns.len() == 1 { "pattern" } else { "patterns" },
            self.counting,
            self.seed
        )?;
        if !self.rule.is_usual() {
            writeln!(f, "rule     {}", self.rule)?;
        }
        if !self.dead.is_empty() {
            writeln!(f, "dead     {}", listed(&self.dead, self.dead.len(), 1))?;
        }
        writeln!(
            f,
            "bound    {:.6} flits per node and cycle; numbers are proven to {:.0e} of their value",
            self.bound, self.tolerance
        )?;
        writeln!(f, "limited  by {}", self.limits_in_words())?;
        let mut table = Table::new(COLUMNS.to_vec());
        for SetResult { set, same_as, throughput: t, mean_hops, on_front, .. } in &self.sets {
            table.push(row![
                if *on_front { "*" } else { "" },
                set.as_str(),
                t.to_string(),
                t.standard_error,
                t.worst_in_words(),
                *mean_hops,
                same_as.as_deref().unwrap_or_default(),
            ]);
        }
        write!(f, "\n{table}")?;
        writeln!(f, "\n*: no set has more throughput without more hops")?;
        if let Some(largest) = &self.largest_throughput {
            writeln!(f, "largest throughput, the paper's rule:  {largest}")?;
        }
        writeln!(f, "candidates within {} of the best, fewest hops first:", percent(self.epsilon))?;
        self.candidates.iter().try_for_each(|name| writeln!(f, "  {name}"))
    }
}

impl fmt::Display for SweepTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} cells: {} by an even split, {} by a smaller set's split, {} by interior point, \
             {} by the first-order method, {} copied from an equal set or a mirror image",
            self.total(),
            self.even,
            self.nested,
            self.links,
            self.first_order,
            self.copied
        )
    }
}

fn percent(fraction: f64) -> String {
    format!("{}%", (fraction * 1e4).round() / 1e2)
}

/// The limits of these cells, with how many cells each limits, most first.
fn limits(cells: &[SweepCell], df: &Dragonfly) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<Limit, usize> = BTreeMap::new();
    for cell in cells {
        *counts.entry(cell.limit).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(limit, count)| (Reverse(count), limit));
    counts.into_iter().map(|(limit, count)| (limit.in_words(df), count)).collect()
}

fn mean_hops(cells: &[SweepCell]) -> Option<f64> {
    let hops: Vec<f64> = cells.iter().filter_map(|cell| cell.mean_hops).collect();
    (!hops.is_empty()).then(|| mean(hops.into_iter()))
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let values_count = count(values.len());
    values.sum::<f64>() / values_count
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn floor_6(value: f64) -> String {
    format!("{:.6}", (value * 1e6).floor() / 1e6)
}

fn ceil_6(value: f64) -> String {
    format!("{:.6}", (value * 1e6).ceil() / 1e6)
}
