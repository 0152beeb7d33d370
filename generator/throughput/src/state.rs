//! The finished part of a sweep, so that an interrupted one can continue, and several processes can share one.
//!
//! A state belongs to one sweep, identified by everything that its cells depend on: the build, wiring, way of counting,
//! patterns and sets. A state of another sweep, or a damaged one, is refused, never used in part.

use super::ModelError;
use super::sweep::{Sweep, SweepTally, UnitCells};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use tvlb_base::progress::Progress;
use tvlb_table_set::runs::{Claim, POLL, Runs, StoreError, Turn, build};

/// Raised when the meaning of a cell changes, so that older states are refused.
const VERSION: &str = "tvlb sweep state 3";

/// Why a sweep is not made.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The units of a sweep that are done.
#[derive(Debug, Default)]
pub struct Done {
    /// The cells of each unit, by its number.
    pub units: BTreeMap<usize, UnitCells>,
    /// How those that this process has made came about.
    pub tally: SweepTally,
}

/// Makes all units of a sweep, on all threads of the current pool. With a directory each is kept there, and
/// made by one of the processes that have it. Each is a step of `progress`; once that is cancelled, the units
/// that are done are given.
///
/// # Errors
/// A flow without any path, or a directory that cannot be used or is not a state of this sweep.
pub fn make(
    sweep: &Sweep<'_>,
    directory: Option<&Path>,
    progress: &dyn Progress,
) -> Result<Done, StateError> {
    let runs = directory.map(|path| Runs::open(path, &subject(sweep))).transpose()?;
    // At once: another sweep that begins meanwhile is refused.
    runs.iter().try_for_each(Runs::own)?;
    let done = Mutex::new(Done::default());
    let note = |unit: usize, cells: UnitCells, tally: SweepTally| {
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.units.insert(unit, cells);
        done.tally = done.tally.plus(tally);
        progress.step();
    };
    let claim = |unit: usize| -> Result<Option<Option<Claim>>, StateError> {
        let Some(runs) = &runs else { return Ok(Some(None)) };
        Ok(match runs.claim(&unit)? {
            Turn::Kept(cells) => {
                check(sweep, unit, &cells, directory.unwrap_or(Path::new("")))?;
                note(unit, cells, SweepTally::default());
                None
            }
            Turn::Ours(claim) => Some(Some(claim)),
            Turn::Theirs => None,
        })
    };
    let finished = |unit: usize, cells: UnitCells, tally: SweepTally, claim: Option<Claim>| {
        if let Some(runs) = &runs {
            runs.put(&unit, &cells)?;
        }
        drop(claim);
        note(unit, cells, tally);
        Ok(())
    };
    loop {
        let is_left = |unit: &usize| {
            !done.lock().unwrap_or_else(PoisonError::into_inner).units.contains_key(unit)
        };
        let left: Vec<usize> = (0..sweep.unit_count()).filter(is_left).collect();
        if left.is_empty() || progress.is_cancelled() {
            return Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        sweep.run(left, claim, finished, progress)?;
        // Others may be working on the rest.
        if runs.is_some() && (0..sweep.unit_count()).any(|unit| is_left(&unit)) {
            thread::sleep(POLL);
        }
    }
}

/// Refuses a unit that does not belong to this sweep; `path` is its file.
fn check(
    sweep: &Sweep<'_>,
    number: usize,
    rows: &UnitCells,
    path: &Path,
) -> Result<(), StoreError> {
    let is_whole = rows.iter().all(|row| row.len() == sweep.sets().len());
    if sweep.patterns_of(number) == Some(rows.len()) && is_whole {
        return Ok(());
    }
    let why = format!("unit {number} has not one cell for each of its patterns and sets");
    Err(StoreError::damaged(path, why))
}

/// Everything that the cells of a sweep depend on.
fn subject(sweep: &Sweep<'_>) -> String {
    let mut text = String::new();
    let df = sweep.topology().dragonfly();
    let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
    let _ = writeln!(text, "{VERSION} {} {} dfly {p} {a} {h} {g}", build(), sweep.counting());
    for kind in df.stated_kinds() {
        let _ = writeln!(text, "{kind:?}");
    }
    if !sweep.topology().bandwidths().are_equal() {
        let _ = writeln!(text, "bandwidths {}", sweep.topology().bandwidths());
    }
    for cable in sweep.topology().cables() {
        let (low, high) = (cable.low, cable.high);
        let _ = writeln!(text, "{} {} {} {}", low.group, low.port, high.group, high.port);
    }
    // Nothing where each two switches of a group have all links of their kind, as states always said.
    for pair in sweep.topology().fewer_links() {
        let _ = writeln!(text, "local {} {} {}", pair.low, pair.high, pair.links);
    }
    for pattern in sweep.patterns() {
        let bound = pattern.terminal_bound().to_bits();
        let _ = writeln!(text, "{} {bound:x}", pattern.pattern);
        for flow in &pattern.flows {
            let demand = flow.demand.to_bits();
            let _ = writeln!(text, "{} {} {demand:x}", flow.source, flow.destination);
        }
    }
    if !sweep.rule().is_usual() {
        let _ = writeln!(text, "rule {}", sweep.rule());
    }
    for set in sweep.sets() {
        let _ = writeln!(text, "{:?}", set.key(sweep.counting()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counting, PathSet};
    use tvlb_schema::{Dragonfly, FaultSet, LocalLink, SwitchId, SwitchIndex};
    use tvlb_topology::arrangement::{Arrangement, arrange};
    use tvlb_traffic::Flows;

    /// Of two wirings with the same cables, one may lack links within a group.
    #[test]
    fn a_state_of_other_local_links_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state");
        let df = Dragonfly::new(1, 4, 2, 5).unwrap();
        let planned = arrange(df, Arrangement::default(), 1).unwrap();
        let link = LocalLink { low: SwitchId(0), high: SwitchIndex(3), number: 0 };
        let faults = FaultSet { local_links: [link].into(), ..FaultSet::default() };
        let live = planned.without(&faults);
        assert_eq!(planned.cables(), live.cables());
        let sets = vec![PathSet::parse("all", 1).unwrap()];
        let patterns = vec![Flows::shift(&df, 1, 0)];
        let [whole, left] = [&planned, &live].map(|topology| {
            Sweep::new(topology, Counting::Triples, patterns.clone(), sets.clone())
        });
        make(&whole, Some(&path), &()).unwrap();
        let error = make(&left, Some(&path), &()).unwrap_err();
        assert!(matches!(error, StateError::Store(StoreError::Other { .. })), "{error}");
    }

    /// Of two patterns with the same flows, one may want less of one of them.
    #[test]
    fn a_state_of_other_demands_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state");
        let df = Dragonfly::new(1, 4, 2, 5).unwrap();
        let topology = arrange(df, Arrangement::default(), 1).unwrap();
        let sweep = |demand: f64| {
            let mut pattern = Flows::shift(&df, 1, 0);
            pattern.flows[3].demand = demand;
            let sets = vec![PathSet::parse("all", 1).unwrap()];
            Sweep::new(&topology, Counting::Triples, vec![pattern], sets)
        };
        make(&sweep(1.0), Some(&path), &()).unwrap();
        let error = make(&sweep(0.5), Some(&path), &()).unwrap_err();
        assert!(matches!(error, StateError::Store(StoreError::Other { .. })), "{error}");
        make(&sweep(1.0), Some(&path), &()).unwrap();
    }

    #[test]
    fn a_state_of_another_shape_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("state");
        let df = Dragonfly::new(1, 4, 2, 5).unwrap();
        let topology = arrange(df, Arrangement::default(), 1).unwrap();
        let sets = vec![PathSet::parse("all", 1).unwrap()];
        let patterns = vec![Flows::shift(&df, 1, 0)];
        let sweep = Sweep::new(&topology, Counting::Triples, patterns, sets);
        Runs::open(&path, &subject(&sweep)).unwrap().put(&0, &vec![Vec::<u8>::new()]).unwrap();
        let error = make(&sweep, Some(&path), &()).unwrap_err();
        assert!(matches!(error, StateError::Store(StoreError::Damaged { .. })), "{error}");
    }

    #[test]
    fn several_make_one_sweep() {
        let home = tempfile::tempdir().unwrap();
        let df = Dragonfly::new(1, 4, 2, 5).unwrap();
        let topology = arrange(df, Arrangement::default(), 1).unwrap();
        let sets = vec![PathSet::parse("all", 1).unwrap()];
        let sweep = Sweep::new(&topology, Counting::Triples, Flows::type_1_set(&df), sets);
        let alone = make(&sweep, None, &()).unwrap();
        let made = || make(&sweep, Some(home.path()), &()).unwrap();
        let both: [Done; 2] = thread::scope(|scope| {
            let both = [scope.spawn(made), scope.spawn(made)];
            both.map(|one| one.join().unwrap())
        });
        assert!(both.iter().all(|done| done.units == alone.units));
        assert_eq!(both[0].tally.plus(both[1].tally), alone.tally);
    }
}
