//! Through which ports a switch sends what it draws, as integer weights for each destination.
//!
//! A table of next hops by destination can express no more: neither the intermediate group of a VLB path nor any later
//! hop of it.

pub use self::members::{Lost, MemberLimits};

use self::members::{Apportioned, apportioned};
use super::drawn::DrawnPaths;
use super::walk::Walk;
use crate::Topology;
use serde::Serialize;
use std::collections::BTreeMap;
use tvlb_schema::{GlobalPort, GroupId, Port, SetRule, SwitchId};
use tvlb_table_set::names::Names;

mod members;

/// The next hops of one switch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextHops {
    pub switch: SwitchId,
    /// The sum of the weights of each list that is not empty.
    pub sum: u32,
    /// The loss of the lists of MIN against the exact draws, and that of VLB.
    pub lost: LostByKind,
    /// By rising destination.
    pub destinations: Vec<Destination>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LostByKind {
    pub min: Lost,
    pub vlb: Lost,
}

/// A destination of packets, and the ports to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Destination {
    pub group: GroupId,
    /// The one switch of the group; absent if the weights are those of the whole group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<SwitchId>,
    /// How often a MIN path begins with each port.
    pub min: Vec<NextHop>,
    /// How often a VLB path begins with each port.
    pub vlb: Vec<NextHop>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextHop {
    /// With the numbers of ports in images.
    pub port: Port,
    /// The machine's name of the port, and its number on the switch itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical: Option<u8>,
    /// Whether it leads to another group.
    pub global: bool,
    /// The switch at the other end.
    pub switch: SwitchId,
    /// At least 1.
    pub weight: u32,
}

/// What a list of next hops is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Each switch.
    Switch,
    /// Each other group, as a mean over its switches, and each switch of the own group.
    Group,
}

/// How often paths begin with each port, and the switch at its other end.
type Shares = BTreeMap<Port, (SwitchId, f64)>;

impl NextHops {
    /// The next hops of a live switch, by the rule of a set, with weights within the limits.
    pub fn of(
        topology: &Topology,
        names: &Names,
        rule: &SetRule,
        switch: SwitchId,
        (grain, limits): (Grain, MemberLimits),
    ) -> Self {
        let df = topology.dragonfly();
        let own = df.place(switch).0;
        let mut destinations = Vec::new();
        let mut weighed: [Vec<Apportioned>; 2] = Default::default();
        for group in topology.live_groups() {
            let others = topology.ends().of_group(group);
            let others: Vec<SwitchId> = others.filter(|&other| other != switch).collect();
            let mut include = |switches: &[SwitchId], one: Option<SwitchId>| {
                let first = one.map_or(usize::from(group.0), |one| usize::from(one.0));
                let kinds = shares(topology, rule, switch, switches);
                let weights = kinds.each_ref().map(|shares| {
                    let shares: Vec<f64> = shares.values().map(|(_, share)| *share).collect();
                    apportioned(&shares, limits, first)
                });
                let [min, vlb] = [0, 1].map(|kind| {
                    members(topology, names, switch, (&kinds[kind], &weights[kind].weights))
                });
                destinations.push(Destination { group, switch: one, min, vlb });
                for (all, one) in weighed.iter_mut().zip(weights) {
                    all.push(one);
                }
            };
            if grain == Grain::Group && group != own && !others.is_empty() {
                include(&others, None);
            } else {
                for &other in &others {
                    include(&[other], Some(other));
                }
            }
        }
        let [min, vlb] = weighed.each_ref().map(|lists| Lost::over(lists));
        Self { switch, sum: limits.weight_sum, lost: LostByKind { min, vlb }, destinations }
    }

    /// The switch, and those in its lists.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> {
        let of = |destination: &Destination| {
            let hops = destination.min.iter().chain(&destination.vlb).map(|hop| hop.switch);
            destination.switch.into_iter().chain(hops).collect::<Vec<_>>()
        };
        std::iter::once(self.switch).chain(self.destinations.iter().flat_map(of))
    }
}

/// The shares of MIN and of VLB, summed over destinations.
fn shares(
    topology: &Topology,
    rule: &SetRule,
    source: SwitchId,
    destinations: &[SwitchId],
) -> [Shares; 2] {
    let [mut min, mut vlb] = [Shares::new(), Shares::new()];
    for &destination in destinations {
        let paths = DrawnPaths::new(topology, rule, source, destination);
        for path in &paths.min {
            include(&mut min, topology, (&path.switches, path.x), path.probability);
        }
        for path in &paths.vlb {
            include(&mut vlb, topology, (&path.switches, path.x), path.probability);
        }
    }
    [min, vlb]
}

/// Adds a path to the shares of the ports with which it can begin: several links between two switches of a group share
/// equally.
fn include(
    shares: &mut Shares,
    topology: &Topology,
    (walk, x): (&Walk, Option<GlobalPort>),
    probability: f64,
) {
    let df = topology.dragonfly();
    let [source, next, ..] = walk.switches() else { return };
    let ((group, here), (next_group, there)) = (df.place(*source), df.place(*next));
    let ports: Vec<Port> = match x {
        Some(x) if group != next_group => vec![df.slot_port(df.split_port(x).1)],
        _ => {
            let links = 0..topology.links_within(group, here, there);
            let switches = df.switches_of(group);
            links.map(|k| df.nth_local_port(switches, (here, there), k)).collect()
        }
    };
    let count = u32::try_from(ports.len()).expect("two switches share at most 256 links");
    for port in ports {
        shares.entry(port).or_insert((*next, 0.0)).1 += probability / f64::from(count);
    }
}

/// The ports that have a weight, as next hops by rising port.
fn members(
    topology: &Topology,
    names: &Names,
    switch: SwitchId,
    (shares, weights): (&Shares, &[u32]),
) -> Vec<NextHop> {
    let df = topology.dragonfly();
    let weighed = shares.iter().zip(weights).filter(|&(_, &weight)| weight > 0);
    let hops = weighed.map(|((&port, &(next, _)), &weight)| {
        let named = names.port_number(df, switch, port);
        NextHop {
            port,
            name: named.map(|named| named.name.clone()),
            physical: named.and_then(|named| named.physical),
            global: df.is_slot(port),
            switch: next,
            weight,
        }
    });
    hops.collect()
}

#[cfg(test)]
mod tests;
