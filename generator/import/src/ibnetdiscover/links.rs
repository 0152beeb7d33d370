//! Joins the two ends of every link, and finds the devices there.

use super::network::{Device, PortLine, Record, Subnet};
use super::parse::Role;
use crate::machine::{LinkEnd, Node, SwitchLink, count};
use crate::notes::NameSample;
use std::collections::HashMap;
use tvlb_base::text::{FilePlace, Refused};

/// Switches and their links. Switches count from 0 in the order of their records.
pub(crate) struct SwitchGraph {
    pub(crate) switches: Vec<u32>,
    pub(crate) links: Vec<SwitchLink>,
    /// Nodes, by rising line; a node's name is its place here.
    pub(crate) nodes: Vec<Node>,
    /// The device and port of each node.
    pub(crate) node_ports: Vec<(u32, u32)>,
    /// Adapters that reduce in the network and are no nodes.
    pub(crate) aggregation: NameSample,
}

impl SwitchGraph {
    /// The name of a switch: its id, and its description if it has one.
    pub(super) fn name(&self, network: &Subnet, switch: u32) -> String {
        let Device { id, record } = &network.devices[self.switches[switch as usize] as usize];
        match record.as_ref().map_or("", |record| &record.description) {
            "" => id.clone(),
            description => format!("{id} ({description})"),
        }
    }
}

pub(super) fn join(network: &Subnet) -> Result<SwitchGraph, Refused> {
    let mut ports: Vec<PortLine> = network.ports.clone();
    ports.sort_unstable_by_key(|port| (port.device, port.port, port.line));
    check_ports(network, &ports)?;
    let find = |device, port| {
        let found = ports.binary_search_by_key(&(device, port), |line| (line.device, line.port));
        found.ok().map(|at| &ports[at])
    };

    let (mut switches, mut number_of) = (Vec::new(), HashMap::new());
    for (number, device) in (0..).zip(&network.devices) {
        if device.record.as_ref().is_some_and(|record| record.kind == Role::Switch) {
            number_of.insert(number, count(switches.len()));
            switches.push(number);
        }
    }
    let mut joined = SwitchGraph {
        switches,
        links: Vec::new(),
        nodes: Vec::new(),
        node_ports: Vec::new(),
        aggregation: NameSample::default(),
    };
    for near in &network.ports {
        let place = || network.place(near.line);
        let (_, far_record) = record(network, near.far, &place)?;
        check_answer(network, near, find(near.far, near.far_port))?;
        if near.device == near.far {
            let id = &network.devices[near.far as usize].id;
            let found = format!("both ends are ports of {id}");
            return Err(Refused::new(found, "links between two devices").at(place()));
        }
        let end = |device, port| {
            number_of.get(&device).map(|switch: &u32| LinkEnd { switch: *switch, port })
        };
        match (end(near.device, near.port), end(near.far, near.far_port)) {
            // Once of the two times that it is named.
            (Some(one), Some(other)) if near.device < near.far => {
                joined.links.push(SwitchLink { ends: [one, other] });
            }
            (Some(_) | None, Some(_)) => {}
            (Some(_), None) if is_aggregation(far_record) => {
                joined.aggregation.push(|| far_record.description.clone());
            }
            (Some(end), None) => {
                let name = count(joined.nodes.len());
                joined.nodes.push(Node { switch: end.switch, port: end.port, name });
                joined.node_ports.push((near.far, near.far_port));
            }
            (None, None) => {
                let found = "the link joins two devices that are not switches";
                let accepted = "links with a switch at one end at least";
                return Err(Refused::new(found, accepted).at(place()));
            }
        }
    }
    Ok(joined)
}

/// Whether an adapter is the one by which a switch reduces messages on their way.
fn is_aggregation(record: &Record) -> bool {
    record.description.to_ascii_lowercase().contains("aggregation node")
}

fn record<'n>(
    network: &'n Subnet,
    device: u32,
    place: &dyn Fn() -> FilePlace,
) -> Result<(&'n str, &'n Record), Refused> {
    let device = &network.devices[device as usize];
    let Some(record) = &device.record else {
        let accepted = "a record for each name; the file may be cut off";
        return Err(Refused::new(format!("{} has no record", device.id), accepted).at(place()));
    };
    Ok((&device.id, record))
}

/// Refuses two lines for one port; of several, the first in the file.
fn check_ports(network: &Subnet, sorted: &[PortLine]) -> Result<(), Refused> {
    let same =
        |pair: &&[PortLine]| (pair[0].device, pair[0].port) == (pair[1].device, pair[1].port);
    let Some(pair) = sorted.windows(2).filter(same).min_by_key(|pair| pair[1].line) else {
        return Ok(());
    };
    let id = &network.devices[pair[1].device as usize].id;
    let found = format!("port {} of {id} is on line {} too", pair[1].port, pair[0].line);
    Err(Refused::new(found, "one link for each port").at(network.place(pair[1].line)))
}

/// Refuses a link whose other end does not say the same.
fn check_answer(
    network: &Subnet,
    near: &PortLine,
    answer: Option<&PortLine>,
) -> Result<(), Refused> {
    let id = |device: u32| &*network.devices[device as usize].id;
    let answer = match answer {
        Some(far) if (far.far, far.far_port) == (near.device, near.port) => return Ok(()),
        Some(far) => {
            format!("which leads to port {} of {} on line {}", far.far_port, id(far.far), far.line)
        }
        None => {
            let record = network.devices[near.far as usize].record.as_ref();
            let line = record.map_or(0, |record| record.line);
            format!("which its record on line {line} does not have")
        }
    };
    let found = format!(
        "port {} of {} leads to port {} of {}, {answer}",
        near.port,
        id(near.device),
        near.far_port,
        id(near.far)
    );
    Err(Refused::new(found, "links that both ends name").at(network.place(near.line)))
}

/// The names of the nodes: the descriptions of their adapters, with the port if an adapter has several, or the
/// adapter's id if several adapters share a description.
pub(super) fn node_names(network: &Subnet, joined: &SwitchGraph) -> Vec<String> {
    let description = |device: u32| {
        let record = network.devices[device as usize].record.as_ref();
        record.map_or("", |record| &*record.description)
    };
    let mut ports: HashMap<u32, u32> = HashMap::new();
    for (device, _) in &joined.node_ports {
        *ports.entry(*device).or_default() += 1;
    }
    let mut uses: HashMap<&str, u32> = HashMap::new();
    for device in ports.keys() {
        *uses.entry(description(*device)).or_default() += 1;
    }
    let name = |(device, port): &(u32, u32)| {
        let name = match description(*device) {
            name if !name.is_empty() && uses[name] == 1 => name,
            _ => &*network.devices[*device as usize].id,
        };
        if ports[device] == 1 { name.to_owned() } else { format!("{name}[{port}]") }
    };
    joined.node_ports.iter().map(name).collect()
}
