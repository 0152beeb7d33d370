//! What an update says of itself, held against its images; and that its images say nothing else than
//! those that they replace but of which shapes there are routes.

use super::VerifyError;
use super::packet::BootedSwitches;
use super::routes::Walks;
use std::collections::BTreeSet;
use tvlb_faults::parse;
use tvlb_names::Names;
use tvlb_schema::{
    Decision, Dragonfly, DrawRule, End, FabricImage, FaultSet, SwitchId, SwitchImage,
};
use tvlb_table_set::{FAULT_LIST_FILE, SWITCHES, UPDATE_FILE, Update};

/// An image of a table set and the one of an update that replaces it.
pub(super) type Replaced<'i> = (&'i SwitchImage<'i>, &'i SwitchImage<'i>);

/// The images of an update are of switches that the fabric has.
pub(super) fn check_switches(update: &Update, df: &Dragonfly) -> Result<(), VerifyError> {
    match update.switches().find(|&switch| !df.has_switch(switch)) {
        None => Ok(()),
        Some(switch) => Err(VerifyError::Wiring {
            path: update.switch_path(switch),
            text: format!("it is the image of switch {switch}, which the fabric does not have"),
        }),
    }
}

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
    if !old.physical_numbers().eq(new.physical_numbers()) {
        return Some("its port map is");
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
    let listed = check_list(update, fabric)?;
    let (dead, lost) = (&record.dead, &record.lost);
    let count = |parts: usize| parts as u64;
    for (what, said, found) in [
        ("its number is", record.epoch.into(), fabric.epoch().into()),
        ("the number of dead switches is", dead.switches, count(listed.switches.len())),
        ("the number of dead cables is", dead.cables, count(listed.cables.len())),
        ("the number of dead local links is", dead.local_links, count(listed.local_links.len())),
        ("the number of pairs without a minimal path is", lost.min, walks.lost_min),
        ("the number of pairs that are cut off is", lost.cut, walks.cut),
    ] {
        if said != found {
            return claim(what, said, found);
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

/// What the list of an update says is dead, which is what its fault image says. The list may also name cables
/// and links of dead switches.
fn check_list(update: &Update, fabric: &FabricImage<'_>) -> Result<FaultSet, VerifyError> {
    let path = update.path().join(FAULT_LIST_FILE);
    let wrong = |text: String| VerifyError::Wiring { path: path.clone(), text };
    let list = String::from_utf8(update.fault_list()?);
    let list = list.map_err(|_| wrong("it is not UTF-8 text".to_owned()))?;
    let listed = parse(&list, fabric, &Names::default()).map_err(|why| wrong(why.to_string()))?;
    let df = fabric.dragonfly();
    let lives = |switch: SwitchId| !listed.switches.contains(&switch);
    let switch_of = |end: End| df.switch(end.group, df.split_port(end.port).0);
    let low_end = |end: End| fabric.peer(end).map_or(end, |peer| end.min(peer));
    let by_itself = FaultSet {
        switches: listed.switches.clone(),
        cables: listed
            .cables
            .iter()
            .copied()
            .filter(|&end| {
                lives(switch_of(end)) && fabric.peer(end).is_some_and(|peer| lives(switch_of(peer)))
            })
            .collect(),
        local_links: listed
            .local_links
            .iter()
            .copied()
            .filter(|link| lives(link.low) && lives(df.switch(df.place(link.low).0, link.high)))
            .collect(),
    };
    let of_image = FaultSet {
        switches: fabric.dead_switches().collect(),
        cables: fabric.dead_cables().map(low_end).collect(),
        local_links: fabric.dead_local_links().collect(),
    };
    for (one, other, text) in [
        (&by_itself, &of_image, "is dead by this list, but not by the fault image"),
        (&of_image, &by_itself, "is dead by the fault image, but not by this list"),
    ] {
        let more = FaultSet {
            switches: one.switches.difference(&other.switches).copied().collect(),
            cables: one.cables.difference(&other.cables).copied().collect(),
            local_links: one.local_links.difference(&other.local_links).copied().collect(),
        };
        if let Some(part) = tvlb_faults::write(df, &more).lines().next() {
            return Err(wrong(format!("`{part}` {text}")));
        }
    }
    Ok(listed)
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
