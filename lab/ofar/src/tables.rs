//! A switch's knowledge of its place in an escape network.

use crate::{Error, EscapeImage, PortSet};
use tvlb_firmware_model::Switch;
use tvlb_schema::{End, SwitchIndex};

/// The tables of a switch that decides at every hop, besides its own images. They are made once, and never change.
#[derive(Clone, Debug)]
pub(crate) struct HopTables<'a> {
    pub(crate) escape: EscapeImage<'a>,
    /// The place of this switch in the escape network.
    pub(crate) place: u32,
    /// Links to other groups.
    pub(crate) global: PortSet,
    /// Links within the group.
    pub(crate) local: PortSet,
    /// Those of them to switches that have links to other groups.
    pub(crate) gateways: PortSet,
}

impl<'a> HopTables<'a> {
    /// Those of a switch, if it is one that can decide at every hop.
    pub(crate) fn new(switch: &Switch<'_>, escape: &EscapeImage<'a>) -> Result<Self, Error> {
        let image = switch.image();
        let fabric = image.fabric();
        let df = fabric.dragonfly();
        if !fabric.group_links().is_single() || !df.has_single_links() {
            let what =
                "fabrics in which every two switches of a group share one link, all of which live";
            return Err(Error::NotForOfar { what });
        }
        let group = image.group();
        if df.groups().any(|other| other != group && fabric.link_count(group, other) == 0) {
            return Err(Error::NotForOfar {
                what: "fabrics in which every two groups share a link",
            });
        }
        let slots = |index: SwitchIndex| {
            df.global_ports().filter(move |&port| df.split_port(port).0 == index)
        };
        let has_link = |index: SwitchIndex| {
            slots(index).any(|port| fabric.port_link(End { group, port }).is_some())
        };
        let global = slots(image.index())
            .filter(|&port| fabric.port_link(End { group, port }).is_some())
            .map(|port| df.slot_port(df.split_port(port).1))
            .collect();
        let others = || df.indices(group).filter(|&index| index != image.index());
        let port_to = |index: SwitchIndex| df.local_port(image.index(), index);
        Ok(Self {
            escape: *escape,
            place: escape.place(image.switch()),
            global,
            local: others().map(port_to).collect(),
            gateways: others().filter(|&index| has_link(index)).map(port_to).collect(),
        })
    }
}
