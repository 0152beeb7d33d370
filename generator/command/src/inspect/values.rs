//! `inspect --json`: the contents of images as values.

use super::installed::is_dead;
use super::words::sets_of;
use serde::Serialize;
use tvlb_firmware_model::{Channels, Scheme, Switch, VlbPaths};
use tvlb_schema::{Candidates, Decision, Gate, Onward, Port, Queue, SwitchImage};
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::names::Names;

/// One switch: its ports and sets.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SwitchValues {
    switch: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    group: u16,
    index: u8,
    bytes: usize,
    ports: Vec<PortValues>,
    virtual_channels: &'static str,
    /// On local and on global links, for MIN, VLB and UGAL, and for PAR.
    channels: [u8; 2],
    channels_for_par: [u8; 2],
    /// The same where all packets draw from the images' sets.
    channels_of_sets: [u8; 2],
    channels_of_sets_for_par: [u8; 2],
    sets: Vec<SetValues>,
}

/// Where a port leads: to a node, to a switch and, of a global one, its port, or nowhere.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PortValues {
    port: u32,
    /// The machine's name of the port, and its number on the switch itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    physical: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    switch: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    switch_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    global_port: Option<u16>,
    /// Whether an update says that the far end is dead; written only if so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dead: bool,
}

/// A set and the decisions that use it, each with its T.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SetValues {
    decisions: Vec<(&'static str, i16)>,
    /// In the order of the decisions, how many candidates each draws.
    candidates: Vec<Candidates>,
    /// In the order of the decisions, the gate of each; "0" for none.
    gates: Vec<Gate>,
    /// In the order of the decisions, which credits each counts as the queue of a port.
    queues: Vec<Queue>,
    /// In the order of the decisions, by which link VLB packets leave their intermediate group.
    onward: Vec<Onward>,
    set: String,
    seed: u64,
    thinned: bool,
}

impl SetValues {
    /// The set that these decisions share.
    pub(super) fn of(image: &SwitchImage<'_>, decisions: &[Decision]) -> Self {
        let set = image.set(decisions[0]);
        let with_threshold = |&decision: &Decision| (decision.name(), image.threshold(decision));
        Self {
            decisions: decisions.iter().map(with_threshold).collect(),
            candidates: decisions.iter().map(|&d| image.weighing(d).candidates).collect(),
            gates: decisions.iter().map(|&d| image.weighing(d).gate).collect(),
            queues: decisions.iter().map(|&d| image.weighing(d).queue).collect(),
            onward: decisions.iter().map(|&d| image.weighing(d).onward).collect(),
            set: canonical(set.rule()),
            seed: set.rule().seed,
            thinned: set.is_thinned(),
        }
    }
}

impl SwitchValues {
    pub(super) fn of(switch: &Switch<'_>, bytes: usize, names: &Names) -> Self {
        let image = switch.image();
        let df = image.fabric().dragonfly();
        let port = |number: u32| {
            let named = u16::try_from(number)
                .ok()
                .and_then(|number| names.port_number(df, image.switch(), Port(number)));
            let mut port = PortValues {
                port: number,
                name: named.map(|named| named.name.clone()),
                physical: u16::try_from(number)
                    .ok()
                    .and_then(|port| image.physical_number(Port(port))),
                node: None,
                switch: None,
                switch_name: None,
                global_port: None,
                dead: u16::try_from(number).is_ok_and(|number| is_dead(switch, Port(number))),
            };
            let own = u16::try_from(number).ok();
            port.node =
                own.and_then(|own| names.node_at(df, image.switch(), Port(own))).map(|node| node.0);
            if let Ok(own) = u16::try_from(number)
                && let Some((group, index)) = switch.neighbour(Port(own))
            {
                let there = df.switch(group, index);
                port.switch = Some(there.0);
                port.switch_name = names.switch(there).map(str::to_owned);
                let slot = own.checked_sub(df.slot_port(0).0);
                let peer = slot.and_then(|slot| image.peer(slot));
                port.global_port = peer.map(|end| df.split_port(end.port).1);
            }
            port
        };
        let channels = |needed: Channels| [needed.local, needed.global];
        let all = |scheme| channels(switch.channels_needed(scheme));
        let of_sets = |scheme| channels(switch.channels_needed_for(scheme, VlbPaths::Custom));
        Self {
            switch: image.switch().0,
            name: names.switch(image.switch()).map(str::to_owned),
            group: image.group().0,
            index: image.index().0,
            bytes,
            ports: (0..df.radix()).map(port).collect(),
            virtual_channels: image.virtual_channels().name(),
            channels: all(Scheme::UgalL),
            channels_for_par: all(Scheme::Par),
            channels_of_sets: of_sets(Scheme::UgalL),
            channels_of_sets_for_par: of_sets(Scheme::Par),
            sets: sets_of(image).iter().map(|(_, users)| SetValues::of(image, users)).collect(),
        }
    }
}
