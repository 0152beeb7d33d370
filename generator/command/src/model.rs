//! `tvlb model`.

use crate::args::ModelOptions;
use crate::failure::{Failure, Outcome};
use crate::files::{load_live, outside_table_sets};
use crate::output::{Bars, catch_interrupt, print, print_json, write_file};
use crate::traffic;
use crate::values;
use std::fmt::Display;
use std::path::Path;
use std::time::Instant;
use tvlb_base::progress::Progress;
use tvlb_base::text::quoted;
use tvlb_table_set::names::Parts;
use tvlb_throughput::report::{Heading, Report};
use tvlb_throughput::state;
use tvlb_throughput::sweep::Sweep;
use tvlb_throughput::{PathSet, path_set, plot};
use tvlb_traffic::pattern::hint;
use tvlb_traffic::{Flows, Pattern, sample};

pub(crate) fn run(arguments: &ModelOptions) -> Outcome {
    let begin = Instant::now();
    arguments.work.use_threads()?;
    outside_table_sets([
        ("--csv", arguments.csv.as_deref()),
        ("--svg", arguments.svg.as_deref()),
        ("--state", arguments.state.as_deref()),
    ])?;
    if !(0.0..1.0).contains(&arguments.epsilon) {
        let found = arguments.epsilon;
        return Err(Failure::Message(format!(
            "--epsilon {found}: it must be at least 0 and below 1"
        )));
    }
    let (fabric, faults) = load_live(&arguments.fabric, arguments.faults.as_deref())?;
    let (df, seed) = (fabric.topology.dragonfly(), fabric.file.seed);
    let nodes = fabric.names.nodes(df);
    let mut patterns = patterns(arguments, &Parts::new(df, &fabric.names), seed)?;
    for pattern in &mut patterns {
        pattern.leave_out(&faults, &nodes);
    }
    let sets = sets(arguments, seed)?;
    let sweep = Sweep::new(&fabric.topology, arguments.count, patterns, sets).by(arguments.rule);
    catch_interrupt()?;

    let state = arguments.state.as_deref();
    let keep = match state {
        Some(path) => format!("{} keeps each", path.display()),
        None => "--state DIR would keep each".to_owned(),
    };
    let units = sweep.unit_count();
    let bars = Bars::beginning(
        arguments.work.quiet,
        &format_args!("modelling in {units} units of work; {keep}"),
    );
    bars.stage("patterns", Some(units));
    let done = state::make(&sweep, state, &bars).map_err(Failure::of)?;
    bars.finish();
    let cells = sweep.assemble(&done.units);
    let cells = cells.ok_or_else(|| unfinished(state, done.units.len(), units))?;
    let heading = Heading {
        fabric: fabric.file.name.clone(),
        dead: tvlb_table_set::dead_parts::write(df, &faults).lines().map(str::to_owned).collect(),
        seed,
        epsilon: arguments.epsilon,
    };
    let report = Report::new(&sweep, &cells, heading);
    if let Some(path) = &arguments.csv {
        write_file(path, &report.csv())?;
    }
    if let Some(path) = &arguments.svg {
        write_file(path, &plot::svg(&report))?;
    }
    if arguments.json {
        return print_json(&report);
    }
    print(&report)?;
    if !arguments.work.quiet {
        eprintln!("{}; {:.2} s", done.tally, begin.elapsed().as_secs_f64());
    }
    Ok(())
}

/// The failure if units of work are missing, and what happened to the finished ones.
fn unfinished(state: Option<&Path>, made: usize, units: usize) -> Failure {
    Failure::Stopped(match state {
        Some(path) => format!(
            "{} keeps {made} of {units} units of work, and the same command goes on from there",
            path.display()
        ),
        None => "nothing was written; --state DIR would have kept the finished work".to_owned(),
    })
}

/// The values of --patterns.
const PATTERNS: &str = "accepted are type1-set[:COUNT], type2-set[:COUNT], permutation-set[:COUNT], \
    the name of a pattern in which each node sends to one other, such as shift(2,0), type2#3, \
    permutation or complement, and flows:FILE";

/// The most patterns in one set. Each takes memory for all its flows.
const MOST_PATTERNS: u32 = 10_000;

/// The patterns that the option lists, sampled if it says so.
fn patterns(arguments: &ModelOptions, parts: &Parts<'_>, seed: u64) -> Result<Vec<Flows>, Failure> {
    let nodes = parts.existing_nodes();
    let mut patterns = Vec::new();
    for word in split_outside_parentheses(&arguments.patterns) {
        let bad = |what: &dyn Display| Failure::Message(format!("--patterns: {what}"));
        let (name, rest) = match word.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (word, None),
        };
        let count = |default: u32| match rest {
            None => Ok(default),
            Some(rest) => values::count(1..=MOST_PATTERNS)(rest).map_err(|accepted| {
                bad(&format!(
                    "{}: after the colon goes a number of patterns, {accepted}",
                    quoted(word)
                ))
            }),
        };
        match (name, rest) {
            ("type1-set", _) => {
                patterns.extend(sample(Flows::type_1_set(nodes), count(u32::MAX)? as usize, seed));
            }
            ("type2-set", _) => patterns.extend(Flows::type_2_set(nodes, count(20)?, seed)),
            ("permutation-set", _) => {
                patterns.extend(Flows::permutation_set(nodes, count(20)?, seed));
            }
            ("flows", Some(_)) => {
                let pattern = traffic::pattern(word, parts)?;
                let flows = Flows::new(&pattern.rule, nodes, seed).map_err(|error| bad(&error))?;
                patterns.push(flows.named(pattern.name));
            }
            _ => {
                let pattern: Pattern = word.parse().map_err(|_| bad(&unknown(word)))?;
                patterns.push(Flows::new(&pattern, nodes, seed).map_err(|error| bad(&error))?);
            }
        }
    }
    Ok(patterns)
}

/// The error about an unknown word, with what the user may have meant.
fn unknown(word: &str) -> String {
    let hint = match word.get(..6) {
        Some("type-1" | "type-2") => " (the sets are type1-set and type2-set)".to_owned(),
        _ => hint(word),
    };
    format!("{} is not a traffic pattern or a set of them{hint}; {PATTERNS}", quoted(word))
}

/// Splits at commas, but not at those within parentheses.
fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .collect()
}

/// The sets that the options list; by default those of Step 1.
fn sets(arguments: &ModelOptions, seed: u64) -> Result<Vec<PathSet>, Failure> {
    if arguments.set.is_empty() {
        return Ok(path_set::step_1(seed));
    }
    let mut sets = Vec::new();
    for text in &arguments.set {
        match text.as_str() {
            "step-1" => sets.extend(path_set::step_1(seed)),
            "table-1" => sets.extend(path_set::table_1(seed)),
            "strategic" => sets.extend(path_set::strategic()),
            "down-closed" => sets.extend(path_set::down_closed()),
            _ => sets.push(PathSet::parse(text, seed).map_err(|error| {
                Failure::Message(format!("--set: {error}\n{}", error.marked(text)))
            })?),
        }
    }
    Ok(sets)
}
