//! How many flits of a pattern go where on average, for computations of loads.

use crate::Traffic;
use crate::traffic::{DrawnProcesses, Places};
use std::collections::BTreeMap;
use tvlb_schema::{Dragonfly, SwitchId};

impl Traffic {
    /// How many flits the nodes of a switch send to each switch on average, if the node that sends the most
    /// sends one: by rising destination, which may be the switch itself.
    ///
    /// # Example
    /// ```
    /// use tvlb_schema::{Dragonfly, SwitchId};
    /// use tvlb_traffic::Traffic;
    ///
    /// let df = Dragonfly::new(2, 4, 2, 9)?;
    /// let traffic = Traffic::new(&"shift(2,1)".parse()?, &df, 1)?;
    /// assert_eq!(traffic.to_switches(&df, SwitchId(0)), [(SwitchId(9), 2.0)]);
    /// let traffic = Traffic::new(&"tmixed(50,50,1,0)".parse()?, &df, 1)?;
    /// let to = traffic.to_switches(&df, SwitchId(0));
    /// assert_eq!((to.len(), to[0].1, to[4].1), (36, 1.0 / 36.0, 1.0 + 1.0 / 36.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_switches(&self, df: &Dragonfly, source: SwitchId) -> Vec<(SwitchId, f64)> {
        let mut to: BTreeMap<SwitchId, f64> = BTreeMap::new();
        // Nodes that draw from the same processes draw alike, and all but those to groups further on draw from all.
        let mut drawn: BTreeMap<DrawnProcesses, f64> = BTreeMap::new();
        let (group, _) = df.place(source);
        let terminals = u8::try_from(df.nodes_of(group)).unwrap_or(u8::MAX);
        for terminal in 0..terminals {
            let sent = self.sent_by(df.node(source, terminal));
            if let Some((node, share)) = sent.to {
                *to.entry(df.switch_of(node).0).or_default() += share;
            }
            for (processes, share) in sent.drawn {
                *drawn.entry(processes).or_default() += share;
            }
        }
        for (DrawnProcesses { places, first, count }, share) in drawn {
            let mut nodes: BTreeMap<SwitchId, u32> = BTreeMap::new();
            for place in first..first + count {
                *nodes.entry(df.switch_of(self.node_of_drawn(places, place)).0).or_default() += 1;
            }
            // Each of the source's own nodes leaves itself out.
            let others = u32::from(places == Places::Others);
            nodes.entry(source).and_modify(|nodes| *nodes -= others);
            for (switch, nodes) in nodes.into_iter().filter(|&(_, nodes)| nodes > 0) {
                *to.entry(switch).or_default() +=
                    share * f64::from(nodes) / f64::from(count - others);
            }
        }
        to.into_iter().collect()
    }

    /// How many flits each node receives on average, by its number, if the node that sends the most sends one.
    pub fn received(&self, df: &Dragonfly) -> Vec<f64> {
        let mut received = vec![0.0; df.node_numbers() as usize];
        let mut drawn: BTreeMap<DrawnProcesses, f64> = BTreeMap::new();
        for node in df.nodes() {
            let sent = self.sent_by(node);
            if let Some((node, share)) = sent.to {
                received[node.as_usize()] += share;
            }
            for (processes, share) in sent.drawn {
                *drawn.entry(processes).or_default() += share;
            }
        }
        for (processes @ DrawnProcesses { places, first, count }, share) in drawn {
            let others = places == Places::Others;
            for place in first..first + count {
                let node = self.node_of_drawn(places, place);
                // If senders leave themselves out, a node gets a part of what the others send.
                let own = || self.sent_by(node).drawn.into_iter().find(|(of, _)| *of == processes);
                let own = others.then(own).flatten().map_or(0.0, |(_, own)| own);
                received[node.as_usize()] += (share - own) / f64::from(count - u32::from(others));
            }
        }
        received
    }

    /// How many nodes send.
    pub fn senders(&self, df: &Dragonfly) -> u32 {
        df.nodes().filter(|&node| self.sends(node)).fold(0, |count, _| count + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flows, PlacementRule};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use tvlb_schema::{NodeId, Nodes};

    /// The expected values are those of draws.
    #[test]
    fn draws_come_to_what_is_expected() {
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let patterns = [
            "uniform",
            "uniform-others",
            "next-group",
            "next-group(2)",
            "adv-consecutive",
            "mixed(50,50)",
            "tmixed(25,75)",
            "hot-switch",
            "complement",
        ];
        for text in patterns {
            for rule in [PlacementRule::Identity, PlacementRule::Groups] {
                let placement = rule.on(&df, 4).unwrap();
                let traffic = Traffic::new(&text.parse().unwrap(), &df, 2).unwrap();
                let traffic = traffic.placed(&placement);
                let draws = 20_000;
                let mut counts = vec![vec![0_u32; 6]; 6];
                let mut received = [0_u32; 12];
                for node in df.nodes() {
                    for _ in 0..draws {
                        let to = traffic.draw(node, &mut rng);
                        let (from, at) = (df.switch_of(node).0, df.switch_of(to).0);
                        counts[from.as_usize()][at.as_usize()] += 1;
                        received[to.as_usize()] += 1;
                    }
                }
                let near = |count: u32, expected: f64| {
                    let mean = f64::from(count) / f64::from(draws);
                    assert!((mean - expected).abs() < 0.03, "{text}: {mean} and {expected}");
                };
                for source in df.switches() {
                    let to: BTreeMap<_, _> = traffic.to_switches(&df, source).into_iter().collect();
                    for at in df.switches() {
                        let count = counts[source.as_usize()][at.as_usize()];
                        near(count, to.get(&at).copied().unwrap_or(0.0));
                    }
                    let sum: f64 = to.values().sum();
                    assert!((sum - 2.0).abs() < 1e-12, "{text}");
                }
                for (&count, &expected) in received.iter().zip(&traffic.received(&df)) {
                    near(count, expected);
                }
                assert_eq!(traffic.senders(&df), 12);
            }
        }
    }

    /// Of three groups of two switches with two nodes each, all lack the second node of their second
    /// switch, and then the second group lacks all nodes of its first.
    #[test]
    fn nodes_that_are_missing_neither_send_nor_receive() {
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let alike = Nodes::from(&df).without([3, 7, 11].map(NodeId));
        let unlike = alike.clone().without([4, 5].map(NodeId));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let patterns = [
            "uniform",
            "uniform-others",
            "next-group",
            "mixed(50,50)",
            "tmixed(25,75)",
            "hot-switch",
            "complement",
            "shift(1,1)",
            "type2",
            "permutation",
        ];
        for text in patterns {
            for (nodes, rule) in [
                (&alike, PlacementRule::Identity),
                (&alike, PlacementRule::Groups),
                (&unlike, PlacementRule::Identity),
                (&unlike, PlacementRule::Groups),
                (&unlike, PlacementRule::Random),
            ] {
                let placement = rule.on(nodes, 4).unwrap();
                let traffic = Traffic::new(&text.parse().unwrap(), nodes, 2).unwrap();
                let traffic = traffic.placed(&placement);
                // If each has a destination of its own, one that finds none is silent.
                let is_map = text.starts_with("shift") || text == "type2";
                let senders = traffic.senders(&df);
                assert!(senders == nodes.count() || (is_map && senders >= 4), "{text}: {senders}");
                let received = traffic.received(&df);
                for node in df.nodes() {
                    assert!(traffic.sends(node) == nodes.has(node) || is_map, "{text}");
                    assert!(nodes.has(node) || received[node.as_usize()] == 0.0, "{text}");
                    assert!(received[node.as_usize()] < 1.1 || !is_map, "{text}");
                }
                let mut is_there = |node| nodes.has(traffic.draw(node, &mut rng));
                let mut all = nodes.iter().filter(|&node| traffic.sends(node));
                assert!(all.all(|node| (0..20).all(|_| is_there(node))), "{text}");
                let sum: f64 = received.iter().sum();
                assert!((sum - f64::from(senders)).abs() < 1e-9, "{text}: {sum}");
            }
        }
        let pattern = crate::Pattern::pairs(&[(NodeId(0), NodeId(5))]);
        assert_eq!(
            Traffic::new(&pattern, &unlike, 1).unwrap_err().to_string(),
            "line 1: there is no node 5; the last node is 10"
        );
        // To a switch with one node, one of two nodes sends, so that nodes limit nothing.
        let shift = Flows::shift(&alike, 1, 1);
        assert!((shift.terminal_bound() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_node_does_not_draw_itself_among_others() {
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let traffic = Traffic::new(&"uniform-others".parse().unwrap(), &df, 1).unwrap();
        let traffic = traffic.placed(&PlacementRule::Groups.on(&df, 3).unwrap());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for node in df.nodes() {
            assert!((0..500).all(|_| traffic.draw(node, &mut rng) != node), "{node:?}");
        }
        let error = |text: &str| Traffic::new(&text.parse().unwrap(), &df, 1).unwrap_err();
        assert_eq!(
            error("next-group(3)").to_string(),
            "traffic next-group(3): groups further on is 3, accepted 1 to 2"
        );
        assert!(error("next-group(0)").to_string().contains("accepted 1 to 2"));
    }

    #[test]
    fn listed_pairs_leave_nodes_silent() {
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let pattern = crate::Pattern::pairs(
            &[(0, 5), (1, 5), (7, 0)].map(|(from, to)| (NodeId(from), NodeId(to))),
        );
        let traffic = Traffic::new(&pattern, &df, 1).unwrap();
        assert_eq!(traffic.to_switches(&df, SwitchId(0)), [(SwitchId(2), 2.0)]);
        assert_eq!(traffic.to_switches(&df, SwitchId(1)), []);
        let received = traffic.received(&df);
        assert_eq!(
            (received[0].to_bits(), received[5].to_bits()),
            (1.0_f64.to_bits(), 2.0_f64.to_bits())
        );
        assert_eq!(received.iter().sum::<f64>().to_bits(), 3.0_f64.to_bits());
        assert_eq!((traffic.senders(&df), traffic.sends(NodeId(2))), (3, false));
    }

    /// A node that is silenced is missing in what all others receive, and nowhere else.
    #[test]
    fn nodes_that_are_silenced_send_nothing() {
        let df = Dragonfly::new(2, 2, 1, 3).unwrap();
        let live = Nodes::from(&df).without([0, 1].map(NodeId));
        for text in ["uniform", "uniform-others", "next-group", "complement", "tmixed(25,75)"] {
            let traffic = Traffic::new(&text.parse().unwrap(), &df, 2).unwrap();
            let before: f64 = traffic.received(&df).iter().sum();
            let silenced = traffic.sent_by_live(&live);
            let received = silenced.received(&df);
            assert!((before - 12.0).abs() < 1e-12, "{text}");
            assert_eq!(silenced.senders(&df), 10, "{text}");
            assert!((received.iter().sum::<f64>() - 10.0).abs() < 1e-12, "{text}");
            assert_eq!(silenced.to_switches(&df, SwitchId(0)), []);
        }
        let others = Traffic::new(&"uniform-others".parse().unwrap(), &df, 2).unwrap();
        let received = others.sent_by_live(&live).received(&df);
        assert!(
            (received[0] - 10.0 / 11.0).abs() < 1e-12 && (received[5] - 9.0 / 11.0).abs() < 1e-12
        );
    }
}
