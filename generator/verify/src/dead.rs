//! What is dead of a fabric, by its fault image, stated link by link: what packets do is held against it.
//! And what an update says of itself, held against its images.

use super::VerifyError;
use super::crossings::{FirstLink, links};
use super::minimal;
use super::routes::Walks;
use std::collections::BTreeSet;
use tvlb_schema::{Decision, DrawRule, End, FabricImage, Port, SwitchId, SwitchImage};
use tvlb_table_set::{FAULT_LIST_FILE, SWITCHES, UPDATE_FILE, Update};

/// Links that no packet crosses: by switch and physical port.
pub(super) fn dead_links(fabric: &FabricImage<'_>) -> BTreeSet<(SwitchId, Port)> {
    let df = fabric.dragonfly();
    let mut dead = BTreeSet::new();
    for cable in fabric.dead_cables() {
        for end in [Some(cable), fabric.peer(cable)].into_iter().flatten() {
            let (index, slot) = df.split_port(end.port);
            dead.insert((df.switch(end.group, index), df.slot_port(slot)));
        }
    }
    for link in fabric.dead_local_links() {
        let (group, low) = df.place(link.low);
        for (one, other) in [(low, link.high), (link.high, low)] {
            let port = df.nth_local_port(df.switches_of(group), (one, other), link.number.into());
            dead.insert((df.switch(group, one), port));
        }
    }
    dead
}

/// Whether some path over another group, or over a third switch, joins two switches.
pub(super) fn has_vlb(
    fabric: &FabricImage<'_>,
    first: &[FirstLink],
    from: SwitchId,
    to: SwitchId,
) -> bool {
    let df = fabric.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    if own == group {
        return fabric.relay_count(group, here, there) > 0;
    }
    first.iter().filter(|link| link.middle != group).any(|link| {
        fabric.is_local_hop(own, here, df.split_port(link.x).0)
            && links(fabric, link.middle, group).any(|(y, z)| {
                let w = df.split_port(y).0;
                let is_joined = fabric.is_local_hop(link.middle, link.v, w)
                    || fabric.relay_count(link.middle, link.v, w) > 0;
                is_joined && fabric.is_local_hop(group, df.split_port(z).0, there)
            })
    })
}

/// Whether a pair has a minimal path.
pub(super) fn has_min(fabric: &FabricImage<'_>, from: SwitchId, to: SwitchId) -> bool {
    let df = fabric.dragonfly();
    let ((own, here), (group, there)) = (df.place(from), df.place(to));
    if own == group {
        return fabric.is_local_hop(group, here, there);
    }
    !minimal::walks(fabric, from, to).is_empty()
}

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

/// Whether a port of a switch's group has a cable that lives.
pub(super) fn is_live(fabric: &FabricImage<'_>, end: End) -> bool {
    fabric.is_faultless() || fabric.has_live_cable(end)
}
