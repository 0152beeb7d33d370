//! What a sweep has done so far, so that an interrupted one can continue.
//!
//! A state belongs to one sweep, told by everything that its cells depend on: wiring, way of
//! counting, patterns and sets. A state of another sweep, or a damaged one, is refused, never used
//! in part.

use super::sweep::{Sweep, UnitCells};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tvlb_table_set::runs::{RunFile, SharedRuns, StoreError};

/// Raised when the meaning of a cell changes, so that older states are refused.
const VERSION: &str = "tvlb-lab sweep state 2";

/// The units that are done, by number.
pub type Done = BTreeMap<usize, UnitCells>;

/// The units that are done, in the file that keeps them.
pub type State = RunFile<usize, UnitCells>;

/// Opens the state of this sweep. Without a path, or while there is no file, nothing is done yet.
///
/// # Errors
/// A file that cannot be read or is not a state of this sweep.
pub fn open(path: Option<&Path>, sweep: &Sweep<'_>) -> Result<State, StoreError> {
    let state = State::open(path, &subject(sweep))?;
    for (number, rows) in state.entries() {
        check(sweep, number, &rows, path.unwrap_or(Path::new("")))?;
    }
    Ok(state)
}

/// The units that are done, by number, in a directory that several processes share.
pub type SharedState = SharedRuns<UnitCells>;

/// Opens the shared state of this sweep. Without a path, or while the directory is empty, nothing is done
/// yet.
///
/// # Errors
/// A directory that cannot be read or is not a state of this sweep.
pub fn open_shared(path: Option<PathBuf>, sweep: &Sweep<'_>) -> Result<SharedState, StoreError> {
    SharedState::open(path, &subject(sweep))
}

/// Refuses a unit that is not one of this sweep; `path` is where it is kept.
///
/// # Errors
/// The unit has not one cell for each of its patterns and sets.
pub fn check(
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
    let _ = writeln!(text, "{VERSION} {} dfly {p} {a} {h} {g}", sweep.counting());
    if !df.is_even() {
        let _ = writeln!(text, "{:?}", df.kinds());
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
        let _ = writeln!(text, "{:?} {bound:x}", pattern.pattern);
        for flow in &pattern.flows {
            let demand = flow.demand.to_bits();
            let _ = writeln!(text, "{} {} {demand:x}", flow.source, flow.destination);
        }
    }
    for set in sweep.sets() {
        let _ = writeln!(text, "{:?}", set.key(sweep.counting()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counting, Flows, PathSet};
    use tvlb_schema::{Dragonfly, FaultSet, LocalLink, SwitchId, SwitchIndex};
    use tvlb_topology::arrangement::{Arrangement, arrange};

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
        let state = open(Some(&path), &whole).unwrap();
        state.keep(0, vec![Vec::new()]).unwrap();
        state.save().unwrap();
        let error = open(Some(&path), &left).unwrap_err();
        assert!(matches!(error, StoreError::Other { .. }), "{error}");
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
        let state = open(Some(&path), &sweep).unwrap();
        // A unit without cells, and one that the sweep does not have.
        for number in [0, 7] {
            state.keep(number, vec![Vec::new()]).unwrap();
            state.save().unwrap();
            let error = open(Some(&path), &sweep).unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        }
    }
}
