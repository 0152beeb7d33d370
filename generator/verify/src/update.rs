//! What an update says of itself, held against its images.

use super::VerifyError;
use super::routes::Walks;
use std::collections::BTreeSet;
use tvlb_schema::{Decision, DrawRule, FabricImage, SwitchId, SwitchImage};
use tvlb_table_set::{FAULT_LIST_FILE, SWITCHES, UPDATE_FILE, Update};

/// The directory of an update holds its files and nothing else, and the record says of the images what they
/// are. `before` are the images of the table set, `now` those that switches have.
pub(super) fn check_update(
    update: &Update,
    (before, now): (&[SwitchImage<'_>], &[SwitchImage<'_>]),
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
    let Some(fabric) = now.first().map(SwitchImage::fabric) else { return Ok(()) };
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
        let Some(found) = lost_by_shape(fabric, (before, now), decision) else { continue };
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
    (before, now): (&[SwitchImage<'_>], &[SwitchImage<'_>]),
    decision: Decision,
) -> Option<u64> {
    let df = fabric.dragonfly();
    let mut lost = 0;
    for (old, new) in before.iter().zip(now) {
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
