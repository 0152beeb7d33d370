//! Whether packets in transit may meet other tables: of another set on the same fabric, or of a fabric with parts added
//! or removed.
//!
//! A header names its destination by number and its ways out of groups by port, and its virtual channels follow from it
//! alone. So packets may cross switches with tables of two fabrics if every number in them means the same in both: the
//! sizes that define the numbers are equal, and no switch draws a part that only one of the fabrics has, or that leads
//! elsewhere in the other, because the fault image beside the tables lists it. Then every path is a path of both
//! fabrics, on channels whose ranks rise along it, and no cycle of channels that wait for each other can close,
//! whichever switches have which tables (`channel.rs`).

use crate::Error;
use tvlb_schema::{End, FabricImage, GroupId, SwitchId, SwitchIndex};

/// A part of one of two fabrics that differs in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Part {
    /// A switch that one of them does not have, or in a group with other nodes per switch, switches or local links.
    Switch(SwitchId),
    /// A cable, by one of its ends.
    Cable(End),
    /// The links between two switches of a group.
    LocalLinks(SwitchId, SwitchId),
}

impl core::fmt::Display for Part {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Switch(switch) => write!(f, "switch {switch}"),
            Self::Cable(End { group, port }) => {
                write!(f, "the cable at global port {port} of group {group}")
            }
            Self::LocalLinks(low, high) => write!(f, "the links between switches {low} and {high}"),
        }
    }
}

/// Checks that packets may meet tables of both fabrics.
///
/// # Errors
/// [`Error::Replacement`], a size that defines numbers; [`Error::PartInUse`], the first part that differs between them
/// and is not listed as dead.
pub(crate) fn check_fabrics(old: &FabricImage<'_>, new: &FabricImage<'_>) -> Result<(), Error> {
    let (old_df, new_df) = (old.dragonfly(), new.dragonfly());
    if !cfg!(feature = "any-fabric") {
        // Such a datapath does not support dead parts.
        let (found, needed) = (new.identity(), old.identity());
        return Err(Error::Replacement { what: "fabric identity", found, needed });
    }
    for (what, needed, found) in [
        ("number of nodes per switch", old_df.p(), new_df.p()),
        ("number of switches per group", old_df.a(), new_df.a()),
        ("number of global ports per switch", old_df.h(), new_df.h()),
        ("number of local ports per switch", old_df.local_ports(), new_df.local_ports()),
    ] {
        if needed != found {
            let (found, needed) = (found.into(), needed.into());
            return Err(Error::Replacement { what, found, needed });
        }
    }
    let groups = if old_df.g() < new_df.g() { new_df } else { old_df };
    // Switches first: their links are listed with them.
    for group in groups.group_numbers() {
        check_switches(old, new, group)?;
    }
    for group in groups.group_numbers() {
        check_cables(old, (new, "old"), group)?;
        check_cables(new, (old, "new"), group)?;
    }
    Ok(())
}

fn check_switches(
    old: &FabricImage<'_>,
    new: &FabricImage<'_>,
    group: GroupId,
) -> Result<(), Error> {
    let [old_df, new_df] = [old.dragonfly(), new.dragonfly()];
    let is_same = old_df.has_group(group) && new_df.has_group(group) && {
        let (one, other) = (old_df.kind_of(group), new_df.kind_of(group));
        (one.p, one.a, one.local_links) == (other.p, other.a, other.local_links)
    };
    let links_may_differ = [old, new].iter().any(|fabric| fabric.fewer_links().next().is_some());
    for (tables, fabric, other) in [("old", old, new), ("new", new, old)] {
        let df = fabric.dragonfly();
        if !df.has_group(group) {
            continue;
        }
        for index in df.indices(group) {
            let switch = df.switch(group, index);
            if !fabric.lives(switch) {
                continue;
            }
            if !is_same {
                return Err(Error::PartInUse { part: Part::Switch(switch), tables });
            }
            if links_may_differ && let Some(far) = other_link(fabric, other, (group, index)) {
                let part = Part::LocalLinks(switch, df.switch(group, far));
                return Err(Error::PartInUse { part, tables });
            }
        }
    }
    Ok(())
}

/// Checks that the live cables of a group lead to the same ports in the other fabric.
fn check_cables(
    fabric: &FabricImage<'_>,
    (other, tables): (&FabricImage<'_>, &'static str),
    group: GroupId,
) -> Result<(), Error> {
    let df = fabric.dragonfly();
    for port in df.global_ports() {
        let end = End { group, port };
        let is_there = df.has_group(group) && df.has_index(group, df.split_port(port).0);
        if is_there && fabric.has_live_cable(end) && fabric.peer(end) != other.peer(end) {
            return Err(Error::PartInUse { part: Part::Cable(end), tables });
        }
    }
    Ok(())
}

/// The first switch of a group that another one of it has live links to, but not as many in the plan as in the other
/// fabric.
fn other_link(
    fabric: &FabricImage<'_>,
    other: &FabricImage<'_>,
    (group, index): (GroupId, SwitchIndex),
) -> Option<SwitchIndex> {
    fabric.dragonfly().indices(group).find(|&far| {
        let planned = |fabric: &FabricImage<'_>| fabric.planned_local_links(group, index, far);
        far != index
            && fabric.local_links(group, index, far) > 0
            && planned(fabric) != planned(other)
    })
}
