//! Cables that only one of two fabrics has.

use super::change::Change;
use super::matched::Matched;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_schema::{Dragonfly, End, FabricImage, GroupId, SwitchId, SwitchIndex};
use tvlb_table_set::names::{NamedPort, Names};

/// Both ends of a cable, each as (group, switch, global port of it), the lower group first.
pub(super) type Cable = [[u32; 3]; 2];

/// The differences between the cables of two fabrics.
#[derive(Default)]
pub(super) struct WiringChange {
    /// Cables that only the old fabric has, by its numbers.
    pub(super) gone: Vec<Cable>,
    /// Those that only the new one has.
    pub(super) new: Vec<Cable>,
    /// For switches of both, by the new number, the global ports whose cable or its other end differs.
    pub(super) rewired: BTreeMap<usize, Vec<u32>>,
}

/// Compares the cables of two fabrics. A cable is in both if both of its ends are.
pub(super) fn compare(fabrics: &Change<FabricImage<'_>>, matched: &Matched) -> WiringChange {
    let dragonfly = fabrics.map(|fabric| *fabric.dragonfly());
    let of_old: BTreeMap<SwitchId, SwitchId> =
        matched.switches().map(|switch| (switch.old, switch.new)).collect();
    // An end of the old fabric in the new one's numbers, if that has its switch.
    let translated = |end: End| {
        let (index, slot) = dragonfly.old.split_port(end.port);
        let switch = of_old.get(&dragonfly.old.switch(end.group, index))?;
        let (group, index) = dragonfly.new.place(*switch);
        Some(words_of(group, index, slot))
    };
    let mut wiring = WiringChange::default();
    // For each end, the other end of its old cable; `None` if that leads to a removed part.
    let mut known: BTreeMap<[u32; 3], Option<[u32; 3]>> = BTreeMap::new();
    let new = fabrics.new.cables().map(<[End; 2]>::from);
    let new: BTreeSet<Cable> = new.map(|ends| ends.map(|end| words(&dragonfly.new, end))).collect();
    let mut kept = BTreeSet::new();
    for ends in fabrics.old.cables().map(<[End; 2]>::from) {
        let of_new = ends.map(translated);
        if let [Some(one), Some(other)] = of_new {
            known.extend([(one, Some(other)), (other, Some(one))]);
            let cable = [one.min(other), one.max(other)];
            if new.contains(&cable) {
                kept.insert(cable);
                continue;
            }
        } else {
            known.extend(of_new.into_iter().flatten().map(|end| (end, None)));
        }
        wiring.gone.push(ends.map(|end| words(&dragonfly.old, end)));
    }
    wiring.new = new.difference(&kept).copied().collect();
    let peer_of_new: BTreeMap<[u32; 3], Option<[u32; 3]>> =
        new.iter().flat_map(|&[one, other]| [(one, Some(other)), (other, Some(one))]).collect();
    for switch in matched.switches() {
        let (group, index) = dragonfly.new.place(switch.new);
        for slot in 0..dragonfly.new.kind_of(group).h {
            let end = words_of(group, index, slot);
            if known.get(&end) != peer_of_new.get(&end) {
                wiring.rewired.entry(switch.new.as_usize()).or_default().push(slot.into());
            }
        }
    }
    wiring
}

/// The machine's names of the switch and the port at one end of a cable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EndNames {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
}

/// The names of the ends of these cables, in the same order; empty if there are no names.
pub(super) fn names(df: &Dragonfly, names: &Names, cables: &[Cable]) -> Vec<[EndNames; 2]> {
    if names.is_empty() {
        return Vec::new();
    }
    let end = |[group, index, slot]: [u32; 3]| {
        let group = GroupId(u16::try_from(group).expect("group numbers fit 16 bits"));
        let index = SwitchIndex(u8::try_from(index).expect("indices fit 8 bits"));
        let slot = u16::try_from(slot).expect("slots fit 16 bits");
        let switch = df.switch(group, index);
        EndNames {
            switch: names.switch(switch).map(str::to_owned),
            port: names.port(switch, NamedPort::Global(slot)).map(|port| port.name.clone()),
        }
    };
    cables.iter().map(|cable| cable.map(end)).collect()
}

fn words(df: &Dragonfly, end: End) -> [u32; 3] {
    let (index, slot) = df.split_port(end.port);
    words_of(end.group, index, slot)
}

fn words_of(group: GroupId, index: SwitchIndex, slot: u16) -> [u32; 3] {
    [group.0.into(), index.0.into(), slot.into()]
}
