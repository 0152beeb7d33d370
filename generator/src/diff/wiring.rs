//! Cables that only one of two fabrics has.

use super::change::Change;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_schema::{Dragonfly, End, FabricImage, GlobalPort};

/// Both ends of a cable, each as (group, switch, global port of it), the lower group first.
pub(super) type Cable = [[u32; 3]; 2];

/// All cables of a fabric.
pub(super) fn cables(fabric: &FabricImage<'_>) -> BTreeSet<Cable> {
    let df = fabric.dragonfly();
    ends(df)
        .filter_map(|end| {
            let peer = fabric.peer(end)?;
            (end.group < peer.group).then(|| [words(df, end), words(df, peer)])
        })
        .collect()
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
