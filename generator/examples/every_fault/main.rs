//! Breaks every cable and every local link of a fabric in turn, or every two of them, and counts the losses: `cargo run
//! --release --package tvlb-generator --example every_fault -- FABRIC.toml [pairs]`. With `disjoint` instead of
//! `pairs`, searches for three paths of every pair of switches that share no link: if they exist, no two faults cut the
//! pair off, whichever they are.
//!
//! A pair of switches is reachable if a minimal path joins it, possibly through third switches, or a path through
//! another group, which switches with the fault image can draw. That such paths have at most seven hops, and that
//! channels cannot wait for each other in a cycle, does not depend on what is dead (docs/explanation/verify.md,
//! Faults).

mod disjoint;

use disjoint::disjoint;
use rayon::prelude::*;
use std::error::Error;
use std::path::Path;
use std::time::Instant;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::faults::lost_pairs;
use tvlb_schema::{FaultSet, LocalLink};
use tvlb_topology::Topology;

/// Every cable and every link within a group, each by itself.
fn parts(plan: &Topology) -> Vec<FaultSet> {
    let df = plan.dragonfly();
    let mut parts: Vec<FaultSet> = plan
        .cables()
        .iter()
        .map(|cable| FaultSet { cables: [cable.low].into(), ..FaultSet::default() })
        .collect();
    for group in df.groups() {
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                let links = u16::try_from(plan.links_within(group, low, high)).unwrap_or(0);
                parts.extend((0..links).map(|number| {
                    let link = LocalLink { low: df.switch(group, low), high, number };
                    FaultSet { local_links: [link].into(), ..FaultSet::default() }
                }));
            }
        }
    }
    parts
}

/// The cost of some sets of faults: how many there are, how many of them take some pair's minimal paths and the most
/// pairs that one does, and how many cut pairs off.
#[derive(Clone, Copy, Default)]
struct Cost {
    sets: u64,
    with_lost: u64,
    most_lost: u64,
    with_cut: u64,
}

impl Cost {
    fn of(plan: &Topology, faults: &FaultSet) -> Self {
        let (lost, cut) = lost_pairs(plan, faults);
        Self {
            sets: 1,
            with_lost: u64::from(lost > 0),
            most_lost: lost,
            with_cut: u64::from(cut > 0),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            sets: self.sets + other.sets,
            with_lost: self.with_lost + other.with_lost,
            most_lost: self.most_lost.max(other.most_lost),
            with_cut: self.with_cut + other.with_cut,
        }
    }
}

/// One more path than there are faults.
const ENOUGH: usize = 3;

/// Says how many pairs of switches have paths that share no link.
fn prove(plan: &Topology) {
    let df = plan.dragonfly();
    let begun = Instant::now();
    let sources: Vec<_> = df.switches().collect();
    let of_source = |&from: &tvlb_schema::SwitchId| {
        let others = df.switches().filter(|&to| to != from);
        others.fold([0_u64; 4], |[pairs, within, min, all], to| {
            let found = disjoint(plan, (from, to), ENOUGH);
            let is_within = df.place(from).0 == df.place(to).0;
            [
                pairs + 1,
                within + u64::from(is_within),
                min + u64::from(!is_within && found.min == ENOUGH),
                all + u64::from(found.all == ENOUGH),
            ]
        })
    };
    let sum = |one: [u64; 4], other: [u64; 4]| std::array::from_fn(|i| one[i] + other[i]);
    let [pairs, within, min, all] = sources.par_iter().map(of_source).reduce(|| [0; 4], sum);
    println!("{df}: {pairs} pairs of switches, in {:.1} s", begun.elapsed().as_secs_f64());
    println!("{all} have {ENOUGH} paths that share no link");
    println!(
        "{min} of the {} of different groups have {ENOUGH} minimal paths that share no link",
        pairs - within
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().ok_or("accepted: FABRIC.toml [pairs | disjoint]")?;
    let plan = Fabric::load(Path::new(path))?.topology;
    if arguments.get(1).is_some_and(|word| word == "disjoint") {
        prove(&plan);
        return Ok(());
    }
    let parts = parts(&plan);
    let begun = Instant::now();
    let cost = if arguments.get(1).is_some_and(|word| word == "pairs") {
        let of_first = |first: usize| {
            parts[first + 1..].iter().fold(Cost::default(), |cost, second| {
                let mut both = parts[first].clone();
                both.cables.extend(&second.cables);
                both.local_links.extend(&second.local_links);
                cost.and(Cost::of(&plan, &both))
            })
        };
        (0..parts.len()).into_par_iter().map(of_first).reduce(Cost::default, Cost::and)
    } else {
        parts.par_iter().map(|part| Cost::of(&plan, part)).reduce(Cost::default, Cost::and)
    };
    let Cost { sets, with_lost, most_lost, with_cut } = cost;
    println!("{}: {} cables and local links", plan.dragonfly(), parts.len());
    println!("{sets} sets of faults, in {:.1} s", begun.elapsed().as_secs_f64());
    println!(
        "{with_lost} take the last minimal path from some pair of switches, {most_lost} pairs at most"
    );
    println!("{with_cut} cut some pair of switches off");
    Ok(())
}
