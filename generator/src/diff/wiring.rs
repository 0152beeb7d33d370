//! Cables that only one of two fabrics has.

use super::change::Change;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_schema::{Dragonfly, End, FabricImage, GlobalPort, GroupId, SwitchIndex};
use tvlb_table_set::names::{NamedPort, Names};

/// Both ends of a cable, each as (group, switch, global port of it), the lower group first.
pub(super) type Cable = [[u32; 3]; 2];

pub(super) fn cables(fabric: &FabricImage<'_>) -> BTreeSet<Cable> {
    let df = fabric.dragonfly();
    ends(df)
        .filter_map(|end| {
            let peer = fabric.peer(end)?;
            (end.group < peer.group).then(|| [words(df, end), words(df, peer)])
        })
        .collect()
}

/// What the machine calls the switch and the port at one end of a cable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EndNames {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
}

/// The names of the ends of these cables, in the same order; none where there are no names.
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

/// By switch, its global ports that have another cable, or another end of it.
pub(super) fn rewired(fabrics: &Change<FabricImage<'_>>) -> BTreeMap<usize, Vec<u32>> {
    let df = fabrics.old.dragonfly();
    let mut found: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for end in ends(df) {
        if fabrics.map(|fabric| fabric.peer(end)).is_change() {
            let (index, slot) = df.split_port(end.port);
            let switch = df.switch(end.group, index).as_usize();
            found.entry(switch).or_default().push(slot.into());
        }
    }
    found
}

fn ends(df: &Dragonfly) -> impl Iterator<Item = End> {
    let ports = df.ports_per_group();
    df.groups().flat_map(move |group| {
        (0..ports).filter_map(move |port| {
            Some(End { group, port: GlobalPort(u16::try_from(port).ok()?) })
        })
    })
}

fn words(df: &Dragonfly, end: End) -> [u32; 3] {
    let (index, slot) = df.split_port(end.port);
    [end.group.0.into(), index.0.into(), slot.into()]
}
