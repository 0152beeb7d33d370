//! The runs simulated so far: each is made once, by this process or by another with the same directory, and an
//! interrupted search continues.
//!
//! A run's figures depend only on images, traffic, load and seed, so remembering them changes nothing but the time. The
//! directory belongs to one fabric, panel and build; that of another is refused, never used in part.

use super::figures::Kept;
use super::panel::Panel;
use crate::fabric::Fabric;
use rayon::Yield;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use tvlb_firmware_model::VlbPaths;
use tvlb_simulator::{Buffers, Scheme};
use tvlb_table_set::Injection;
use tvlb_table_set::runs::{self, Claim, POLL, Runs, StoreError, Turn};

/// Raise this when the meaning of a run changes, so that older files are refused.
const VERSION: &str = "tvlb runs 7";

/// The runs made so far, by name: scheme, sets, traffic and load in hundredths. The names of MIN's and conventional
/// VLB's runs have those words instead of scheme and sets, so both contests share them.
#[derive(Debug)]
pub(super) struct Memory {
    /// Where they are kept; `None` without a state directory.
    runs: Option<Runs>,
    known: Mutex<BTreeMap<String, Kept>>,
    /// The names of those that this process has made.
    made: Mutex<BTreeSet<String>>,
}

impl Memory {
    /// The kept run, or the claim to make it. Without a directory there is no claim.
    pub(super) fn take(&self, name: &str) -> Result<Turn<Kept, Option<Claim>>, StoreError> {
        if let Some(kept) = locked(&self.known).get(name) {
            return Ok(Turn::Kept(kept.clone()));
        }
        let Some(runs) = &self.runs else { return Ok(Turn::Ours(None)) };
        Ok(match runs.claim::<Kept>(name)? {
            Turn::Kept(kept) => {
                locked(&self.known).insert(name.to_owned(), kept.clone());
                Turn::Kept(kept)
            }
            Turn::Ours(claim) => Turn::Ours(Some(claim)),
            Turn::Theirs => Turn::Theirs,
        })
    }

    /// Keeps a run that this process has made.
    pub(super) fn keep(&self, name: &str, kept: Kept) -> Result<(), StoreError> {
        if let Some(runs) = &self.runs {
            runs.put(name, &kept)?;
        }
        locked(&self.made).insert(name.to_owned());
        locked(&self.known).insert(name.to_owned(), kept);
        Ok(())
    }

    /// How many runs were made by whom.
    pub(super) fn made(&self) -> RunsMade {
        let by_this_process = locked(&self.made).len();
        RunsMade { by_this_process, found: locked(&self.known).len() - by_this_process }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many runs of a choice were made by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunsMade {
    /// Runs that this process made.
    pub by_this_process: usize,
    /// Runs that were there already: made before, or meanwhile by other processes with the same state directory.
    pub found: usize,
}

/// Where a state directory keeps the runs called `name`.
fn runs_of(state: &Path, name: &str) -> PathBuf {
    state.join(format!("{name}.runs"))
}

/// Opens the runs of a fabric and panel called `name` in a state directory. Without a directory, or if it keeps nothing
/// yet, there are none.
pub(super) fn open(
    state: Option<&Path>,
    name: &str,
    fabric: &Fabric,
    panel: &Panel,
) -> Result<Memory, StoreError> {
    // The subject has a hash of the program, which only kept runs need.
    let open = |state| Runs::open(runs_of(state, name), &subject(fabric, panel));
    let runs = state.map(open).transpose()?;
    // At once, so that another fabric that begins meanwhile is refused before it has simulated anything.
    runs.iter().try_for_each(Runs::own)?;
    Ok(Memory { runs, known: Mutex::default(), made: Mutex::default() })
}

/// How many runs a state directory keeps under a name.
pub(super) fn kept(state: &Path, name: &str) -> usize {
    runs::count(&runs_of(state, name))
}

/// Waits while another process makes a run that is needed here: does other work of this process, or sleeps.
pub(super) fn wait() {
    if rayon::yield_now() != Some(Yield::Executed) {
        thread::sleep(POLL);
    }
}

/// Everything that a run depends on besides its scheme, sets, traffic, load and seed.
fn subject(fabric: &Fabric, panel: &Panel) -> String {
    let df = fabric.topology.dragonfly();
    let cables = fabric.topology.cables();
    let channels = fabric.virtual_channels();
    let (window, warm_up, limit) = (panel.window, panel.warm_up, panel.latency_limit);
    // Included only if kinds of links differ, so that kept runs are still found.
    let bandwidths = match fabric.file.bandwidths {
        alike if alike.are_equal() => String::new(),
        bandwidths => format!(" {bandwidths}"),
    };
    let missing: Vec<String> =
        panel.nodes().missing().map(|node| format!(" without node {node}")).collect();
    let missing = missing.concat();
    // Likewise only if it is not the usual one.
    let buffer = match panel.settings(Scheme::UgalL, VlbPaths::Custom).buffers {
        usual if usual == Buffers::all(32) => String::new(),
        flits => format!(" buffer {flits}"),
    };
    let held = panel.destination_window().map(|limits| format!(" destination window {limits}"));
    let held = held.unwrap_or_default();
    let injection = match fabric.file.injection {
        Injection::Zero => String::new(),
        other => format!(" injection {}", other.name()),
    };
    let told = fabric.file.telling_cycles.map(|cycles| format!(" telling {cycles}"));
    let told = told.unwrap_or_default();
    // Likewise only pairs of switches of a group without links, which sizes and cables do not say.
    let fewer = fabric.topology.fewer_links().iter();
    let fewer: Vec<String> =
        fewer.map(|pair| format!(" local {} {} {}", pair.low, pair.high, pair.links)).collect();
    let fewer = fewer.concat();
    format!(
        "{VERSION} {} {df:?} {cables:?} {:?} {channels:?} {window} {warm_up} {limit}{bandwidths}{missing}{buffer}{held}{injection}{told}{fewer}",
        runs::build(),
        fabric.file.latencies
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric_file::DestinationWindow;
    use tvlb_schema::{Dragonfly, FaultSet, LocalLink, SwitchId, SwitchIndex};
    use tvlb_topology::arrangement::Arrangement;

    #[test]
    fn runs_with_other_windows_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let df = Dragonfly::new(1, 4, 2, 5).unwrap();
        let mut fabric = Fabric::new("lab", df, Arrangement::default(), 1).unwrap();
        let mut of = |said| {
            fabric.file.destination_window = said;
            let size = crate::choose::PanelSize::Quick;
            let panel = Panel::new(fabric.nodes(), fabric.file.links(), 1, size);
            open(Some(home.path()), "one", &fabric, &panel)
        };
        of(DestinationWindow::Usual).unwrap();
        assert!(matches!(of(DestinationWindow::None), Err(StoreError::Other { .. })));
        of(DestinationWindow::Usual).unwrap();
    }

    /// Of two wirings with the same cables, one may lack links within a group.
    #[test]
    fn runs_of_other_local_links_are_refused() {
        let home = tempfile::tempdir().unwrap();
        let df = Dragonfly::new(1, 4, 2, 5).unwrap();
        let whole = Fabric::new("lab", df, Arrangement::default(), 1).unwrap();
        let link = LocalLink { low: SwitchId(0), high: SwitchIndex(3), number: 0 };
        let faults = FaultSet { local_links: [link].into(), ..FaultSet::default() };
        let left = Fabric { topology: whole.topology.without(&faults), ..whole.clone() };
        assert_eq!(whole.topology.cables(), left.topology.cables());
        let of = |fabric: &Fabric| {
            let size = crate::choose::PanelSize::Quick;
            let panel = Panel::new(fabric.nodes(), fabric.file.links(), 1, size);
            open(Some(home.path()), "one", fabric, &panel)
        };
        of(&whole).unwrap();
        assert!(matches!(of(&left), Err(StoreError::Other { .. })));
        of(&whole).unwrap();
    }
}
