//! The units of Step 1, each made once by all processes that have the same state directory.

use super::error::ChooseError;
use super::memory::wait;
use crate::throughput::state;
use crate::throughput::sweep::{Sweep, UnitCells};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tvlb_base::progress::Progress;
use tvlb_table_set::runs::{Claim, StoreError, Turn};

/// What the units are called in a state directory. Earlier versions kept all of them in one file of the
/// first name.
const NAMES: [&str; 2] = ["model", "model.runs"];

/// The cells of all units by number: kept before, made by other processes meanwhile, or made now. Each is a
/// step of the stage "model".
///
/// # Errors
/// The first unit that failed, a state that cannot be used, or the work was cancelled.
pub(super) fn cells(
    sweep: &Sweep<'_>,
    directory: Option<&Path>,
    progress: &dyn Progress,
) -> Result<BTreeMap<usize, UnitCells>, ChooseError> {
    let [file, runs] = NAMES.map(|name| directory.map(|directory| directory.join(name)));
    let shared = state::open_shared(runs.clone(), sweep)?;
    if let Some(file) = file.filter(|file| file.exists()) {
        let known = state::open(Some(&file), sweep)?.entries();
        shared.add_known(known.into_iter().map(|(unit, cells)| (unit.to_string(), cells)));
    }
    let place = runs.unwrap_or_default();
    let done: Mutex<BTreeMap<usize, UnitCells>> = Mutex::default();
    let claims: Mutex<BTreeMap<usize, Claim>> = Mutex::default();
    let failed: Mutex<Option<StoreError>> = Mutex::default();
    let note = |result: Result<bool, StoreError>| {
        result.unwrap_or_else(|error| {
            locked(&failed).get_or_insert(error);
            false
        })
    };
    let is_ours = |unit: usize| {
        Ok(match shared.take(&unit.to_string())? {
            Turn::Kept(cells) => {
                state::check(sweep, unit, &cells, &place)?;
                locked(&done).insert(unit, cells);
                progress.step();
                false
            }
            Turn::Ours(claim) => {
                locked(&claims).insert(unit, claim);
                true
            }
            Turn::Theirs => false,
        })
    };
    let keep = |unit: usize, cells: UnitCells| {
        let claim = locked(&claims).remove(&unit).expect("a unit is claimed before it is made");
        shared.keep(claim, cells.clone())?;
        locked(&done).insert(unit, cells);
        Ok(true)
    };
    progress.stage("model", Some(sweep.unit_count()));
    loop {
        let before = locked(&done).clone();
        sweep.run_where(
            &before,
            |unit| note(is_ours(unit)),
            |unit, cells, _| {
                note(keep(unit, cells));
            },
            progress,
        )?;
        if let Some(error) = locked(&failed).take() {
            return Err(error.into());
        }
        if locked(&done).len() == sweep.unit_count() {
            return Ok(std::mem::take(&mut *locked(&done)));
        }
        progress.check()?;
        wait();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
