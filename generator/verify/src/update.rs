//! What an update says of itself, held against its images; and that its images say nothing else than
//! those that they replace but of which shapes there are routes.

use super::VerifyError;
use super::packet::BootedSwitches;
use super::routes::Walks;
use std::collections::BTreeSet;
use tvlb_schema::{Decision, DrawRule, FabricImage, SwitchId, SwitchImage};
use tvlb_table_set::{FAULT_LIST_FILE, SWITCHES, UPDATE_FILE, Update};

/// An image of a table set and the one of an update that replaces it.
pub(super) type Replaced<'i> = (&'i SwitchImage<'i>, &'i SwitchImage<'i>);

/// The images of a table set (`before`) with those of the update that replace them, each of which differs
/// in nothing but in which shapes it has routes, and has none that there were no routes of.
pub(super) fn replaced<'i>(
    update: &Update,
    before: &[&'i SwitchImage<'i>],
    fabric: &BootedSwitches<'i>,
) -> Result<Vec<Replaced<'i>>, VerifyError> {
    let pairs: Vec<_> =
        before.iter().map(|&old| (old, fabric.switch(old.switch()).image())).collect();
    for &(old, new) in &pairs {
        if let Some(what) = difference(old, new) {
            let text = format!(
                "{what} not as in the table set, but for what is dead an image changes only in the shapes \
                 that have routes left"
            );
            return Err(VerifyError::Wiring { path: update.switch_path(new.switch()), text });
        }
    }
    Ok(pairs)
}

/// What an image of an update says otherwise than the one that it replaces, although it must not.
fn difference(old: &SwitchImage<'_>, new: &SwitchImage<'_>) -> Option<&'static str> {
    let df = new.fabric().dragonfly();
    if old.virtual_channels() != new.virtual_channels() || old.second_min() != new.second_min() {
        return Some("its virtual channels or its second look at MIN are");
    }
    for decision in Decision::ALL {
        let (was, set) = (old.set(decision), new.set(decision));
        if was.rule() != set.rule() || old.set_number(decision) != new.set_number(decision) {
            return Some("its sets are");
        }
        if old.weighing(decision) != new.weighing(decision) {
            return Some("its candidates, threshold or gate are");
        }
        if df.global_ports().any(|port| was.level(port) != set.level(port)) {
            return Some("the levels by which it thins a set are");
        }
        let is_more = |to: SwitchId| set.shapes_to(to).without(was.shapes_to(to)).nth(0).is_some();
        if df.switches().filter(|&to| df.place(to).0 != new.group()).any(is_more) {
            return Some("it says that there are routes of more shapes, so they are");
        }
    }
    None
}

/// The directory of an update holds its files and nothing else, and the record says of the images what they
/// are. The fabric is the one with the faults.
pub(super) fn check_record(
    update: &Update,
    fabric: &FabricImage<'_>,
    replaced: &[Replaced<'_>],
    walks: &Walks,
) -> Result<(), VerifyError> {
    let record = update.record();
    let path = update.record_path();
    let claim = |what, said: u64, found: u64| {
        let (said, found) = (said.to_string(), found.to_string());
        Err(VerifyError::Claim { path: path.clone(), what, said, found })
    };
    let mut known: BTreeSet<&str> = record.files.iter().map(|file| file.path.as_str()).collect();
    if known.len() != record.files.len() || !known.contains(FAULT_LIST_FILE) {
        return claim("the number of files is", record.files.len() as u64, known.len() as u64);
    }
    known.insert(UPDATE_FILE);
    let names = update.names().map_err(|(path, source)| VerifyError::List { path, source })?;
    if let Some(name) =
        names.iter().find(|name| *name != SWITCHES && !known.contains(name.as_str()))
    {
        return Err(VerifyError::StrangerOfUpdate { path: update.path().join(name) });
    }
    update.fault_list()?;
    let (dead, lost) = (&record.dead, &record.lost);
    let switches = fabric.dead_switches().count() as u64;
    for (what, said, found) in [
        ("its number is", record.epoch.into(), fabric.epoch().into()),
        ("the number of dead switches is", dead.switches, switches),
        ("the number of pairs without a minimal path is", lost.min, walks.lost_min),
        ("the number of pairs that are cut off is", lost.cut, walks.cut),
    ] {
        if said != found {
            return claim(what, said, found);
        }
    }
    // The list may also name parts that are dead with their switch.
    let (cables, links) = (fabric.dead_cables().count(), fabric.dead_local_links().count());
    for (what, said, least) in [
        ("the number of dead cables is", dead.cables, cables as u64),
        ("the number of dead local links is", dead.local_links, links as u64),
    ] {
        if said < least || switches == 0 && said != least {
            return claim(what, said, least);
        }
    }
    for decision in Decision::ALL {
        let Some(found) = lost_by_shape(fabric, replaced, decision) else { continue };
        let said = *lost.sets.get(decision);
        if said != found {
            return claim("the number of pairs without a route of a set is", said, found);
        }
    }
    Ok(())
}

/// The pairs that live for which a decision's images say that there was a route and that there is none
/// now; `None` of a set that is not drawn by shape, of which images do not say it.
fn lost_by_shape(
    fabric: &FabricImage<'_>,
    replaced: &[Replaced<'_>],
    decision: Decision,
) -> Option<u64> {
    let df = fabric.dragonfly();
    let mut lost = 0;
    for (old, new) in replaced {
        let (old, set) = (old.set(decision), new.set(decision));
        if !matches!(set.rule().draw, DrawRule::ByShape { .. }) {
            return None;
        }
        if !fabric.lives(new.switch()) {
            continue;
        }
        let others = df.switches().filter(|&to| df.place(to).0 != new.group() && fabric.lives(to));
        let gone = |&to: &SwitchId| !old.shapes_to(to).is_empty() && set.shapes_to(to).is_empty();
        lost += others.filter(gone).count() as u64;
    }
    Some(lost)
}
