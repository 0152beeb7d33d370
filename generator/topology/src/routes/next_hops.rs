//! By which ports a switch sends what it draws, as integer weights for each destination.
//!
//! This is all that a table of next hops by destination can say: neither the intermediate group of a VLB path
//! nor any later hop of it.

use super::drawn::DrawnPaths;
use super::walk::Walk;
use crate::Topology;
use serde::Serialize;
use std::collections::BTreeMap;
use tvlb_schema::{GlobalPort, GroupId, Port, SetRule, SwitchId};
use tvlb_table_set::names::Names;

/// What the weights of a list of next hops add up to.
pub const SUM: u32 = 10_000;

/// The next hops of one switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextHops {
    pub switch: SwitchId,
    /// What the weights of each list that is not empty add up to: [`SUM`].
    pub sum: u32,
    /// By rising destination.
    pub destinations: Vec<Destination>,
}

/// Where packets go, and by which ports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Destination {
    pub group: GroupId,
    /// The one switch of the group; absent where the weights are those of the whole group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<SwitchId>,
    /// How often a MIN path begins with each port.
    pub min: Vec<NextHop>,
    /// How often a VLB path begins with each port.
    pub vlb: Vec<NextHop>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextHop {
    /// As images number the ports of a switch.
    pub port: Port,
    /// What the machine calls the port, and its number on the switch itself.
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
    /// The next hops of a switch that lives, by the rule of a set.
    pub fn of(
        topology: &Topology,
        names: &Names,
        rule: &SetRule,
        switch: SwitchId,
        grain: Grain,
    ) -> Self {
        let df = topology.dragonfly();
        let own = df.place(switch).0;
        let mut destinations = Vec::new();
        for group in topology.live_groups() {
            let others = topology.ends().of_group(group);
            let others: Vec<SwitchId> = others.filter(|&other| other != switch).collect();
            let of = |switches: &[SwitchId], one: Option<SwitchId>| {
                let [min, vlb] = shares(topology, rule, switch, switches)
                    .map(|shares| weighted(topology, names, switch, &shares));
                Destination { group, switch: one, min, vlb }
            };
            if grain == Grain::Group && group != own && !others.is_empty() {
                destinations.push(of(&others, None));
            } else {
                destinations.extend(others.iter().map(|&other| of(&[other], Some(other))));
            }
        }
        Self { switch, sum: SUM, destinations }
    }

    /// The switch, and those that something is said of.
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

/// Adds a path to the shares of the ports with which it can begin: of several links between two switches of a
/// group each is as good.
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

/// Shares as next hops, by rising port.
fn weighted(topology: &Topology, names: &Names, switch: SwitchId, shares: &Shares) -> Vec<NextHop> {
    let df = topology.dragonfly();
    let parts: Vec<f64> = shares.values().map(|(_, share)| *share).collect();
    let hops = shares.iter().zip(apportioned(&parts)).map(|((&port, &(next, _)), weight)| {
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

/// Integers in the ratio of these parts that add up to [`SUM`]. What is left after rounding down goes to the
/// largest remainders, of equal ones the first. A part that would have nothing takes 1 from the largest.
fn apportioned(parts: &[f64]) -> Vec<u32> {
    let sum: f64 = parts.iter().sum();
    let exact: Vec<f64> = parts.iter().map(|part| part / sum * f64::from(SUM)).collect();
    // Sums of the same parts in another order differ in their last digits, and are equal here.
    let exact: Vec<f64> = exact.iter().map(|part| (part * 1e6).round() / 1e6).collect();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a part is from 0 to the sum"
    )]
    let mut weights: Vec<u32> = exact.iter().map(|part| part.floor() as u32).collect();
    let mut by_remainder: Vec<usize> = (0..parts.len()).collect();
    by_remainder.sort_by(|&one, &other| exact[other].fract().total_cmp(&exact[one].fract()));
    let left = SUM.saturating_sub(weights.iter().sum()) as usize;
    for &place in by_remainder.iter().take(left) {
        weights[place] += 1;
    }
    while let Some(none) = weights.iter().position(|&weight| weight == 0) {
        let most = *weights.iter().max().expect("there is a part");
        let largest = weights.iter().position(|&weight| weight == most);
        weights[largest.expect("it is among them")] -= 1;
        weights[none] = 1;
    }
    weights
}

#[cfg(test)]
mod tests;
