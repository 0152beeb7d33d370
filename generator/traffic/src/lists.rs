//! Destinations that are drawn from lists, in which each has a share.

use crate::flow_file::{FlowEnd, ListedFlow};
use crate::maps::below;
use rand::Rng;
use std::collections::BTreeMap;
use tvlb_base::text::Refused;
use tvlb_schema::{NodeId, Nodes};

/// The draws of an entry are counted in these parts.
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// Processes among which one is drawn, and the share of packets that go to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// A draw of 64 bits is of the first entry that it is below.
    below: u64,
    /// The first place of [`Lists::process`], and how many.
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Of the packets of a process with this list, all of which are 1.
    pub(crate) share: f64,
}

/// Lists of destinations, and which process has which list.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    /// By the number of a process. A silent one has an empty list.
    list: Vec<u32>,
    /// Where the entries of each list begin, and last their number.
    first: Vec<u32>,
    entries: Vec<Entry>,
    processes: Vec<NodeId>,
    /// By list: what a process sends, as a part of what the process sends that sends the most.
    sent: Vec<f64>,
    /// Whether all that send send alike.
    pub(crate) is_even: bool,
}

impl Lists {
    /// One list for all: each packet to one of these, which are drawn alike.
    pub(crate) fn of_one(among: &Nodes, processes: Vec<NodeId>) -> Self {
        let mut lists = Self::empty(among);
        lists.add(&[(processes, 1.0)], 1.0);
        lists.list.fill(1);
        lists
    }

    /// The lists of these flows: a source draws its destinations by their demands, and sends as much as the sum of its
    /// demands.
    pub(crate) fn of_flows(among: &Nodes, flows: &[ListedFlow]) -> Result<Self, Refused> {
        check(among, flows)?;
        let mut of_source: BTreeMap<_, BTreeMap<_, f64>> = BTreeMap::new();
        for flow in flows {
            let to = of_source.entry(flow.source).or_default();
            *to.entry(flow.destination).or_insert(0.0) += flow.demand;
        }
        let mut lists = Self::empty(among);
        for (source, to) in of_source {
            let senders = source.nodes(among);
            let to: Vec<_> =
                to.into_iter().map(|(end, demand)| (end.nodes(among), demand)).collect();
            let demand: f64 = to.iter().map(|(_, demand)| demand).sum();
            let count = senders.iter().fold(0.0, |count, _| count + 1.0);
            let list = lists.add(&to, demand / count);
            for sender in &senders {
                if std::mem::replace(&mut lists.list[sender.as_usize()], list) != 0 {
                    let found = format!("node {sender} sends by itself and as one of its switch");
                    return Err(Refused::new(found, "sources of one kind"));
                }
            }
        }
        let most = lists.sent.iter().copied().fold(0.0, f64::max);
        if !most.is_finite() {
            return Err(Refused::new(
                "the demands of a source add up to too much",
                "less than 1e308",
            ));
        }
        lists.sent.iter_mut().for_each(|sent| *sent /= most);
        lists.is_even = lists.sent[1..].iter().all(|&sent| sent >= 1.0);
        Ok(lists)
    }

    /// List 0 alone, which has no entry.
    fn empty(among: &Nodes) -> Self {
        Self {
            list: vec![0; among.dragonfly().node_numbers() as usize],
            first: vec![0, 0],
            entries: Vec::new(),
            processes: Vec::new(),
            sent: vec![0.0],
            is_even: true,
        }
    }

    /// Adds a list of destinations with their demands; returns its number.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a conversion to u64 saturates, and a list has fewer entries than its file has bytes"
    )]
    fn add(&mut self, to: &[(Vec<NodeId>, f64)], sent: f64) -> u32 {
        let all: f64 = to.iter().map(|(_, demand)| demand).sum();
        let mut sum = 0.0;
        for (processes, demand) in to {
            sum += demand;
            let first = self.processes.len() as u32;
            self.processes.extend(processes);
            self.entries.push(Entry {
                below: (sum / all * TWO_TO_64) as u64,
                first,
                count: processes.len() as u32,
                share: demand / all,
            });
        }
        self.first.push(self.entries.len() as u32);
        self.sent.push(sent);
        self.sent.len() as u32 - 1
    }

    /// What a process draws from, by rising destinations.
    pub(crate) fn entries(&self, process: NodeId) -> &[Entry] {
        let list = self.list[process.as_usize()] as usize;
        &self.entries[self.first[list] as usize..self.first[list + 1] as usize]
    }

    /// The only destination of a process, if it has one.
    pub(crate) fn only(&self, process: NodeId) -> Option<NodeId> {
        match self.entries(process) {
            [Entry { first, count: 1, .. }] => Some(self.process(*first)),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn process(&self, place: u32) -> NodeId {
        self.processes[place as usize]
    }

    /// What a process sends, as a part of what the process sends that sends the most.
    pub(crate) fn sent(&self, process: NodeId) -> f64 {
        self.sent[self.list[process.as_usize()] as usize]
    }

    /// The destination of a packet of a process that has a list.
    #[inline]
    pub(crate) fn draw(&self, process: NodeId, rng: &mut impl Rng) -> NodeId {
        let entries = self.entries(process);
        let entry = if let [entry] = entries {
            entry
        } else {
            let random = rng.next_u64();
            let place = entries.partition_point(|entry| entry.below <= random);
            &entries[place.min(entries.len() - 1)]
        };
        let place = if entry.count == 1 { 0 } else { below(rng, entry.count) };
        self.process(entry.first + place)
    }
}

/// Refuses flows of nodes that are not there, of switches without nodes, and none at all.
fn check(among: &Nodes, flows: &[ListedFlow]) -> Result<(), Refused> {
    if flows.is_empty() {
        return Err(Refused::new(
            "there is no flow in it",
            "at least one, from a source to a destination",
        ));
    }
    for flow in flows {
        for end in [flow.source, flow.destination] {
            if !end.nodes(among).is_empty() {
                continue;
            }
            let (found, accepted) = match end {
                FlowEnd::Node(node) => {
                    let last = among.last().unwrap_or_default();
                    (format!("there is no node {node}; the last node is {last}"), "")
                }
                FlowEnd::Switch(switch) => {
                    (format!("switch {switch} has no nodes"), "switches that have some")
                }
            };
            return Err(Refused::new(found, accepted).on_line(flow.line));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Flows, Pattern, PlacementRule, Traffic, read_flows};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use tvlb_base::text::Refused;
    use tvlb_schema::{Dragonfly, NodeId, SwitchId};
    use tvlb_table_set::names::{Names, Parts};

    fn df() -> Dragonfly {
        Dragonfly::new(2, 2, 1, 3).unwrap()
    }

    fn read(text: &str) -> Result<Pattern, Refused> {
        let names =
            Names::read(&df(), "group,switch,port,name,physical\n2,1,node 0,,\n2,1,node 1,,\n");
        let flows = read_flows(&Parts::new(&df(), &names.unwrap()), text, "flows.csv")?;
        let nodes = tvlb_schema::Nodes::from(&df()).without([10, 11].map(NodeId));
        Traffic::new(&Pattern::Flows(flows.clone()), &nodes, 1).map(|_| Pattern::Flows(flows))
    }

    fn traffic(text: &str) -> Traffic {
        Traffic::new(&read(text).unwrap(), &df(), 1).unwrap()
    }

    /// How often a node's packets go to each node, of so many.
    fn drawn(traffic: &Traffic, node: u32, draws: u32) -> Vec<f64> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut counts = vec![0.0; 12];
        for _ in 0..draws {
            counts[traffic.draw(NodeId(node), &mut rng).as_usize()] += 1.0;
        }
        counts
    }

    /// Pearson's chi-square of counts against shares; a destination of share 0 must not occur.
    fn chi_square(counts: &[f64], shares: &[f64]) -> f64 {
        let all: f64 = counts.iter().sum();
        let of = |(&count, &share): (&f64, &f64)| {
            assert!(share > 0.0 || count < 0.5, "{counts:?}");
            if share > 0.0 { (count - all * share).powi(2) / (all * share) } else { 0.0 }
        };
        counts.iter().zip(shares).map(of).sum()
    }

    #[test]
    fn a_node_draws_destinations_by_its_demands_and_sends_its_part_of_the_load() {
        let header = "source-node,destination-node,demand\n";
        let traffic = traffic(&format!("{header}0,2,3\n0,9,0.5\n0,4,4\n0,9,0.5\n1,4,2\n"));
        let mut shares = [0.0; 12];
        (shares[2], shares[4], shares[9]) = (0.375, 0.5, 0.125);
        let found = chi_square(&drawn(&traffic, 0, 80_000), &shares);
        // Two degrees of freedom: one in ten thousand is above 18.4.
        assert!(found < 18.4, "{found}");
        let shares: Vec<f64> = df().nodes().map(|node| traffic.share_of_load(node)).collect();
        assert_eq!(shares[..2], [1.0, 0.25]);
        assert!(traffic.is_uneven() && !traffic.sends(NodeId(2)) && traffic.senders(&df()) == 2);
        assert_eq!(
            traffic.to_switches(&df(), SwitchId(0))[..2],
            [(SwitchId(1), 0.375), (SwitchId(2), 0.75)]
        );
        let received = traffic.received(&df());
        assert_eq!((received[2], received[4], received[9]), (0.375, 0.75, 0.125));
        assert_eq!(traffic.sent(&df()).to_bits(), 1.25_f64.to_bits());
    }

    #[test]
    fn the_nodes_of_a_switch_send_and_receive_alike() {
        let traffic = traffic("source-switch,destination-switch,demand\n0,1,6\n0,2,2\n1,1,1\n");
        let mut shares = [0.0; 12];
        shares[2..4].fill(0.375);
        shares[4..6].fill(0.125);
        for node in [0, 1] {
            let found = chi_square(&drawn(&traffic, node, 80_000), &shares);
            // Three degrees of freedom: one in ten thousand is above 21.1.
            assert!(found < 21.1, "{found}");
        }
        assert_eq!(
            traffic.to_switches(&df(), SwitchId(0)),
            [(SwitchId(1), 1.5), (SwitchId(2), 0.5)]
        );
        assert_eq!(traffic.to_switches(&df(), SwitchId(1)), [(SwitchId(1), 0.25)]);
        assert_eq!(traffic.sent(&df()).to_bits(), 2.25_f64.to_bits());
    }

    /// Flows between processes go where a placement has these run, in both views.
    #[test]
    fn flows_are_placed_as_any_traffic_is() {
        let text = "source-node,destination-node,demand\n0,2,3\n0,4,1\n7,4,2\n";
        let placement = PlacementRule::Groups.on(&df(), 5).unwrap();
        let (plain, placed) = (traffic(text), traffic(text).placed(&placement));
        for process in (0..12).map(NodeId) {
            let node = placement.node(process);
            let share = |traffic: &Traffic, node| traffic.share_of_load(node).to_bits();
            assert_eq!(share(&placed, node), share(&plain, process));
            assert_eq!(placed.sends(node), plain.sends(process));
            let at = |traffic: &Traffic, node: NodeId| {
                traffic.received(&df())[node.as_usize()].to_bits()
            };
            assert_eq!(at(&placed, node), at(&plain, process));
        }
        let counts = drawn(&placed, placement.node(NodeId(0)).0, 4_000);
        let near = |process: u32, share: f64| {
            let found = counts[placement.node(NodeId(process)).as_usize()] / 4_000.0;
            assert!((found - share).abs() < 0.03, "{found} {share}");
        };
        near(2, 0.75);
        near(4, 0.25);
        let flows = Flows::placed(&read(text).unwrap(), &df(), &placement, 1).unwrap();
        let demand: f64 = flows.flows.iter().map(|flow| flow.demand).sum();
        assert!((demand - 1.5).abs() < 1e-12);
    }

    /// Listed pairs are a map: no draw decides where a packet goes.
    #[test]
    fn one_destination_takes_no_draw() {
        let traffic = traffic("source-node,destination-node\n0,5\n7,0\n");
        let map: Vec<_> = traffic.map().unwrap().collect();
        assert_eq!(map, [(NodeId(0), NodeId(5)), (NodeId(7), NodeId(0))]);
        assert!(!traffic.is_uneven());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        assert_eq!(traffic.draw(NodeId(7), &mut rng), NodeId(0));
        assert_eq!(rng, Xoshiro256PlusPlus::seed_from_u64(1));
    }

    #[test]
    fn hot_spots_and_incast_go_where_they_say() {
        let new = |text: &str, seed| Traffic::new(&text.parse().unwrap(), &df(), seed).unwrap();
        let hot = new("hotspot(2,40)", 3);
        let received = hot.received(&df());
        let most = received.iter().filter(|&&received| received > 1.0).count();
        assert_eq!(most, 2, "{received:?}");
        let shares: Vec<f64> = received.iter().map(|received| received / 12.0).collect();
        // Eleven degrees of freedom: one in ten thousand is above 37.4.
        let found = chi_square(&drawn(&hot, 0, 100_000), &shares);
        assert!(found < 37.4, "{found}");
        assert_ne!(received, new("hotspot(2,40)", 4).received(&df()));
        let incast = new("incast(3,2)", 3);
        let hot: Vec<_> = df().nodes().filter(|&node| incast.population(node) == 1).collect();
        assert_eq!((hot.len(), incast.populations()), (6, &["rest", "hot"][..]));
        let received = incast.received(&df());
        assert_eq!(received.iter().filter(|&&received| received > 3.0).count(), 2, "{received:?}");
        assert!(df().nodes().all(|node| incast.sends(node)));
    }

    #[test]
    fn what_is_no_flow_is_refused() {
        let refused = |text: &str| read(text).unwrap_err().to_string();
        assert_eq!(
            refused("source-switch,destination-switch,demand\n0,5,3\n"),
            "line 2: switch 5 has no nodes, accepted switches that have some"
        );
        let header = "source-node,destination-node,demand\n";
        assert_eq!(
            refused(&format!("{header}0,5,1e308\n0,6,1e308\n")),
            "the demands of a source add up to too much, accepted less than 1e308"
        );
        assert_eq!(
            refused(&format!("{header}0,5,-1\n")),
            "flows.csv: line 2: demand is \"-1\", accepted a finite number above 0"
        );
    }
}
