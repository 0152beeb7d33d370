use super::*;
use crate::routes::wirings;
use proptest::prelude::*;
use tvlb_table_set::grammar::parse_set;

fn rule() -> SetRule {
    parse_set("4-hop, only:110", 1).unwrap()
}

fn of(topology: &Topology, switch: SwitchId, grain: Grain) -> NextHops {
    NextHops::of(topology, &Names::default(), &rule(), switch, (grain, MemberLimits::default()))
}

/// The hops that a packet from another switch may take: those of MIN, and by a global port if there is one.
fn transit(hops: &NextHops, destination: SwitchId) -> Vec<SwitchId> {
    let to = hops.destinations.iter().find(|to| to.switch == Some(destination)).unwrap();
    let is_global = to.min.iter().any(|hop| hop.global);
    to.min.iter().filter(|hop| hop.global || !is_global).map(|hop| hop.switch).collect()
}

#[test]
fn the_next_hops_of_a_small_wiring_read_well() {
    let topology = wirings::absolute(1, 2, 1, 3);
    let text = serde_json::to_string_pretty(&of(&topology, SwitchId(0), Grain::Group)).unwrap();
    insta::assert_snapshot!(text);
}

proptest! {
    /// Each port has as large a part of the sum as the paths that begin with it are drawn.
    #[test]
    fn weights_are_those_of_the_paths(topology in wirings::any()) {
        let df = topology.dragonfly();
        for switch in df.switches() {
            let hops = of(&topology, switch, Grain::Switch);
            for to in &hops.destinations {
                let paths = DrawnPaths::new(&topology, &rule(), switch, to.switch.unwrap());
                let min = paths.min.iter().map(|path| (path.switches, path.probability));
                let vlb = paths.vlb.iter().map(|path| (path.switches, path.probability));
                for (hops, drawn) in [(&to.min, min.collect::<Vec<_>>()), (&to.vlb, vlb.collect())] {
                    let mut shares: BTreeMap<SwitchId, (f64, f64)> = BTreeMap::new();
                    for (walk, probability) in &drawn {
                        shares.entry(walk.switches()[1]).or_default().0 += probability;
                    }
                    for hop in hops {
                        let (group, index) = df.place(switch);
                        let (next_group, next) = df.place(hop.switch);
                        let port = u32::from(hop.port.0);
                        prop_assert_eq!(hop.global, group != next_group);
                        if hop.global {
                            let slot = hop.port.0 - df.slot_port(0).0;
                            let end = tvlb_schema::End { group, port: df.global_port(index, slot) };
                            let peer = topology.peer(end).unwrap();
                            prop_assert_eq!((peer.group, df.split_port(peer.port).0), (next_group, next));
                        } else {
                            let end = df.local_end(df.switches_of(group), index, hop.port);
                            prop_assert_eq!(end.map(|(other, _)| other), Some(next), "port {}", port);
                        }
                        shares.get_mut(&hop.switch).unwrap().1 += f64::from(hop.weight) / 10_000.0;
                    }
                    let sum: u32 = hops.iter().map(|hop| hop.weight).sum();
                    prop_assert_eq!(sum, if drawn.is_empty() { 0 } else { 10_000 });
                    for (drawn, weighed) in shares.values() {
                        prop_assert!((drawn - weighed).abs() < 0.005, "{} {}", drawn, weighed);
                    }
                }
            }
        }
    }

    /// A packet that draws once, by any port of MIN or a global port of VLB, and then goes by MIN, comes to its
    /// destination and to no switch twice.
    #[test]
    fn after_one_draw_there_is_no_loop(topology in wirings::plain()) {
        let df = topology.dragonfly();
        let all: BTreeMap<SwitchId, NextHops> = df
            .switches()
            .map(|switch| (switch, of(&topology, switch, Grain::Switch)))
            .collect();
        for (&source, hops) in &all {
            for to in &hops.destinations {
                let destination = to.switch.unwrap();
                let drawn = to.min.iter().chain(to.vlb.iter().filter(|hop| hop.global));
                let mut walks: Vec<Vec<SwitchId>> = drawn.map(|hop| vec![source, hop.switch]).collect();
                while let Some(walk) = walks.pop() {
                    let last = *walk.last().unwrap();
                    prop_assert!(!walk[..walk.len() - 1].contains(&last), "{:?}", walk);
                    if last != destination {
                        for next in transit(&all[&last], destination) {
                            walks.push([walk.as_slice(), &[next]].concat());
                        }
                    }
                }
            }
        }
    }
}
