//! The fourth rule of the ring: a search over switches, depth first.

use super::ring_hop::RingHop;
use tvlb_schema::{Port, SwitchId};
use tvlb_topology::Topology;

/// How a search ended.
pub(super) enum SwitchSearchOutcome {
    Ring {
        hops: Vec<RingHop>,
        steps: u64,
    },
    Nothing,
    /// It took too many steps.
    GivenUp {
        steps: u64,
    },
}

/// Searches a ring in at most this many steps: among alternatives, first the switch from which the fewest unvisited
/// ones can be reached, then the lower number.
pub(super) fn search(topology: &Topology, most: u64) -> SwitchSearchOutcome {
    let df = topology.dragonfly();
    let neighbours: Vec<Vec<(SwitchId, Port)>> = (0..df.switch_numbers())
        .map(|number| SwitchId(u16::try_from(number).expect("switches have 16 bits")))
        .map(|switch| if df.has_switch(switch) { of_switch(topology, switch) } else { Vec::new() })
        .collect();
    let of = |switch: SwitchId| &neighbours[switch.as_usize()];
    let mut visited = vec![false; neighbours.len()];
    let mut onward: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    let first = SwitchId(0);
    let choices = |at: SwitchId, visited: &[bool], onward: &[usize]| {
        let mut found: Vec<(usize, SwitchId, Port)> = of(at)
            .iter()
            .filter(|(to, _)| !visited[to.as_usize()])
            .map(|&(to, port)| (onward[to.as_usize()], to, port))
            .collect();
        found.sort_unstable();
        found.reverse();
        found
    };
    visited[0] = true;
    for (to, _) in of(first) {
        onward[to.as_usize()] -= 1;
    }
    let mut way = vec![(first, choices(first, &visited, &onward))];
    let mut hops: Vec<RingHop> = Vec::new();
    let mut steps = 0;
    while let Some((at, left)) = way.last_mut() {
        let at = *at;
        let Some((_, to, port)) = left.pop() else {
            way.pop();
            hops.pop();
            if !way.is_empty() {
                visited[at.as_usize()] = false;
                for (other, _) in of(at) {
                    onward[other.as_usize()] += 1;
                }
            }
            continue;
        };
        steps += 1;
        if steps > most {
            return SwitchSearchOutcome::GivenUp { steps: most };
        }
        hops.push(RingHop { switch: at, port });
        if way.len() + 1 == df.switch_count() as usize {
            // Of two switches the way back must be another link, which does not happen with two groups of one
            // switch and one cable, as a ring cannot pass through these.
            if let Some(&(_, back)) = of(to).iter().find(|&&(back, _)| back == first) {
                hops.push(RingHop { switch: to, port: back });
                return SwitchSearchOutcome::Ring { hops, steps };
            }
            hops.pop();
            continue;
        }
        visited[to.as_usize()] = true;
        for (other, _) in of(to) {
            onward[other.as_usize()] -= 1;
        }
        let next = choices(to, &visited, &onward);
        way.push((to, next));
    }
    SwitchSearchOutcome::Nothing
}

/// The switches that a switch is joined to, each by its lowest port.
fn of_switch(topology: &Topology, switch: SwitchId) -> Vec<(SwitchId, Port)> {
    let df = topology.dragonfly();
    let (group, own) = df.place(switch);
    let count = df.switches_of(group);
    let local = df
        .indices(group)
        .filter(|&index| index != own && topology.links_within(group, own, index) > 0)
        .map(|index| (df.switch(group, index), df.nth_local_port(count, (own, index), 0)));
    let mut found: Vec<(SwitchId, Port)> = local.collect();
    for other in df.groups().filter(|&other| other != group) {
        for link in topology.links(group, other) {
            let (from, slot) = df.split_port(link.from);
            let to = df.switch(other, df.split_port(link.to).0);
            if from == own && !found.iter().any(|&(known, _)| known == to) {
                found.push((to, df.slot_port(slot)));
            }
        }
    }
    found
}
