//! How VLB paths load the link at each port, in flits per cycle where every node sends one flit per
//! cycle, evenly to all switches of other groups and by VLB only: a measure of the paths, not of what
//! UGAL makes of them. Both ways to find it take what the images say, a balance included.
//!
//! Where there are not too many paths, all are counted ([`PortLoads::counted`]). On very large fabrics
//! packets are followed instead ([`sampled`]), drawn by the datapath from the images as they are
//! written: every switch that has nodes sends the same number of packets to every such switch of another
//! group, or to a random sample of them, all by VLB, and each packet is counted on every link that it takes, by
//! the nodes of its source. Those figures are estimates whose error shrinks with the number of packets, and the
//! same at every run. Counting weighs all pairs of switches alike, those without nodes among them, as the
//! balance does.

use crate::balance::link_load::{Draw, LinkLoads, flits_per_pair};
use crate::image::Images;
use crate::routes::count::RouteCounter;
use crate::topology::links::{LinkNumbers, PathLinks};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rayon::prelude::*;
use std::ops::Range;
use tvlb_firmware_model::{Credits, Scheme, Switch, VlbPaths};
use tvlb_schema::{Dragonfly, End, FabricImage, GroupId, Port, SwitchId};

/// About this many packets are followed where the fabric is large.
const PACKETS: u32 = 1_500_000;
/// At most this many packets are followed for each pair of switches.
const MOST_PER_PAIR: u32 = 200;
/// Keeps these random numbers apart from other uses of the seed.
const STREAM: u64 = 0x6c69_6e6b_6c6f_6164;

/// How the loads were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every path was counted by how often it is drawn.
    Counted,
    /// Packets were followed on their way.
    Sampled {
        /// The packets for each pair of switches of different groups; 0 where there are so many pairs
        /// that destinations were drawn at random.
        per_pair: u32,
        /// The packets from each switch.
        sent: u32,
    },
}

/// The load of the link at each port, in flits per cycle where every node sends one flit per cycle by
/// VLB.
#[derive(Clone, Debug, PartialEq)]
pub struct PortLoads {
    df: Dragonfly,
    /// How the loads were found.
    pub method: Method,
    /// The load of each link by its number, see [`LinkNumbers`]; none where there is no link.
    loads: Vec<Option<f64>>,
    /// The group at the other end of that link.
    to_group: Vec<u32>,
}

/// The loads of all links of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    /// The load of the busiest link.
    pub most: f64,
    /// The standard error of a single link's load: 0 if it was counted, else from the number of
    /// packets that were followed.
    pub error: f64,
}

impl PortLoads {
    /// Counts every path, by how often it is drawn.
    pub fn counted(counter: &RouteCounter<'_>, draw: Draw<'_>) -> Self {
        let topology = counter.topology();
        let df = *topology.dragonfly();
        let loads_of_links = LinkLoads::of(counter, draw);
        let unit = flits_per_pair(&df);
        let numbers = LinkNumbers::new(df);
        let (mut loads, mut to_group) = (vec![None; numbers.count()], vec![0; numbers.count()]);
        for group in df.groups() {
            for from in df.indices(group) {
                for to in df.indices(group).filter(|&to| to != from) {
                    let number = numbers.local(group, from, to);
                    loads[number] = Some(loads_of_links.local(group, from, to) * unit);
                    to_group[number] = u32::from(group.0);
                }
            }
            for port in df.global_ports() {
                let Some(End { group: to, .. }) = topology.peer(End { group, port }) else {
                    continue;
                };
                let number = numbers.global(group, port);
                loads[number] = Some(loads_of_links.global(group, port) * unit);
                to_group[number] = u32::from(to.0);
            }
        }
        Self { df, method: Method::Counted, loads, to_group }
    }

    /// Mean, most and error of all links of one kind.
    pub fn spread(&self, global: bool) -> Spread {
        let (mut sum, mut count, mut most) = (0.0, 0.0, 0.0_f64);
        for (_, load) in self.links().filter(|&(number, _)| self.is_global(number) == global) {
            sum += load;
            count += 1.0;
            most = most.max(load);
        }
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let error = match self.method {
            Method::Counted => 0.0,
            Method::Sampled { sent, .. } => {
                (mean * nodes_per_switch(&self.df) / f64::from(sent.max(1))).sqrt()
            }
        };
        Spread { mean, most, error }
    }

    /// The mean load of the links from one group to another; none where there is no link.
    pub fn between(&self, from: u32, to: u32) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for number in self.of_group(from).filter(|&number| self.is_global(number)) {
            if let Some(load) = self.loads[number].filter(|_| self.to_group[number] == to) {
                sum += load;
                count += 1.0;
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// The busiest link of one kind, the first of those that are equally busy, by the switch and the
    /// port where it begins; none where no link of the kind carries anything.
    pub fn busiest(&self, global: bool) -> Option<(SwitchId, Port)> {
        let mut busiest = None;
        for (number, load) in self.links().filter(|&(number, _)| self.is_global(number) == global) {
            if busiest.map_or(0.0, |(_, most)| most) < load {
                busiest = Some((number, load));
            }
        }
        busiest.and_then(|(number, _)| LinkNumbers::new(self.df).leaves(number))
    }

    /// The busiest links of one kind, at most so many, by falling load and then by number; those that
    /// carry nothing are left out.
    pub fn busiest_links(&self, global: bool, most: usize) -> Vec<(SwitchId, Port, f64)> {
        let of_kind =
            |&(number, load): &(usize, f64)| self.is_global(number) == global && load > 0.0;
        let mut links: Vec<(usize, f64)> = self.links().filter(of_kind).collect();
        links.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let numbers = LinkNumbers::new(self.df);
        let named = links.into_iter().take(most).filter_map(|(number, load)| {
            let (switch, port) = numbers.leaves(number)?;
            Some((switch, port, load))
        });
        named.collect()
    }

    /// The load of the busiest link of one kind that leaves a switch; none where it has none.
    pub fn busiest_of(&self, switch: u32, global: bool) -> Option<f64> {
        let numbers = LinkNumbers::new(self.df);
        let leaves = |&number: &usize| {
            numbers.leaves(number).is_some_and(|(from, _)| u32::from(from.0) == switch)
        };
        self.of_group(switch / self.df.a())
            .filter(|&number| self.is_global(number) == global)
            .filter(leaves)
            .filter_map(|number| self.loads[number])
            .reduce(f64::max)
    }

    fn links(&self) -> impl Iterator<Item = (usize, f64)> {
        self.loads.iter().enumerate().filter_map(|(number, load)| Some((number, (*load)?)))
    }

    /// The numbers of the links of one group.
    fn of_group(&self, group: u32) -> std::ops::Range<usize> {
        let per_group = LinkNumbers::new(self.df).per_group();
        group as usize * per_group..(group as usize + 1) * per_group
    }

    fn is_global(&self, number: usize) -> bool {
        LinkNumbers::new(self.df).is_global(number)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// No set: all VLB paths, as conventional UGAL draws them.
    Conventional,
    /// UGAL-L's set.
    UgalL,
    /// PAR's set at the source.
    Par,
}

/// Queues so long that no threshold lets MIN win unseen, and a sum that leaves every gate open, so that
/// a VLB path is always drawn.
struct Crowded;

impl Credits for Crowded {
    fn used(&self, _: Port) -> u32 {
        1 << 20
    }

    fn used_by_links(&self, _: Range<u16>) -> u32 {
        0
    }
}

/// Follows packets through a table set. What it is booted from must be what the image stage
/// made.
pub fn sampled(images: &Images, drawn: Drawn, seed: u64) -> PortLoads {
    let fabric =
        FabricImage::decode(&images.fabric).expect("the image stage decodes what it writes");
    let switches: Vec<Switch<'_>> = images
        .switches
        .iter()
        .map(|bytes| Switch::boot_in(&fabric, bytes))
        .collect::<Result<_, _>>()
        .expect("the image stage decodes what it writes");
    let df = *fabric.dragonfly();
    let all: Vec<SwitchId> = df.switches().filter(|&switch| has_nodes(&df, switch)).collect();
    let senders = u32::try_from(all.len()).expect("a fabric has at most 65 536 switches");
    let wanted = (PACKETS / senders.max(1)).max(1);
    let outside = |group| senders - senders_of(&df, group);
    // Where groups differ in size, some switches have more others than others have.
    let per_pair =
        if df.is_even() { (wanted / outside(GroupId(0)).max(1)).min(MOST_PER_PAIR) } else { 0 };
    let sent = if per_pair > 0 { outside(GroupId(0)) * per_pair } else { wanted };
    let mut by_number: Vec<Option<&Switch<'_>>> = vec![None; df.switch_numbers() as usize];
    for (switch, number) in switches.iter().zip(df.switches()) {
        by_number[number.as_usize()] = Some(switch);
    }
    let numbers = LinkNumbers::new(df);
    let counts = all
        .par_iter()
        .fold(
            || vec![0_u32; numbers.count()],
            |mut counts, &source| {
                let stream = seed ^ STREAM ^ (u64::from(source.0) << 40);
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream);
                let group = df.place(source).0;
                let (outside, of_group) = (outside(group), senders_of(&df, group));
                let weight = if df.is_even() { 1 } else { u32::from(df.kind_of(group).p) };
                if outside == 0 {
                    return counts;
                }
                let first = all.partition_point(|&switch| df.place(switch).0 < group);
                for number in 0..sent {
                    // Each in turn, or any, of the switches outside the group.
                    let rank = match number.checked_div(per_pair) {
                        Some(rank) => rank,
                        None => rng.random_range(0..outside),
                    };
                    let before = (rank as usize) < first;
                    let to = all[(if before { rank } else { rank + of_group }) as usize];
                    let pair = (source, to);
                    for link in
                        path(&by_number, pair, drawn, &mut rng).iter().flat_map(PathLinks::iter)
                    {
                        counts[link] += weight;
                    }
                }
                counts
            },
        )
        .reduce(
            || vec![0; numbers.count()],
            |one, other| one.iter().zip(other).map(|(one, other)| one + other).collect(),
        );
    // A switch's p nodes send p flits per cycle, spread over all that were followed from it.
    let unit = if df.is_even() { f64::from(df.p()) } else { 1.0 } / f64::from(sent.max(1));
    let fabric = by_number.iter().flatten().next().map(|switch| switch.image().fabric());
    let capacities = fabric.map_or_else(Vec::new, |fabric| {
        numbers.multiplicities(|group, one, other| fabric.local_links(group, one, other))
    });
    let mut loads = Vec::with_capacity(numbers.count());
    let mut to_group = Vec::with_capacity(numbers.count());
    for (number, count) in counts.into_iter().enumerate() {
        let neighbour = numbers
            .leaves(number)
            .and_then(|(switch, port)| by_number[switch.as_usize()]?.neighbour(port));
        // Of several links between two switches each carries its part.
        let links = capacities.get(number).copied().unwrap_or(1.0);
        loads.push(neighbour.map(|_| f64::from(count) * unit / links));
        to_group.push(neighbour.map_or(0, |(group, _)| u32::from(group.0)));
    }
    let method = Method::Sampled { per_pair, sent };
    PortLoads { df, method, loads, to_group }
}

/// Whether a switch has nodes.
fn has_nodes(df: &Dragonfly, switch: SwitchId) -> bool {
    df.kind_of(df.place(switch).0).p > 0
}

/// How many switches of a group have nodes: all or none.
fn senders_of(df: &Dragonfly, group: GroupId) -> u32 {
    if df.kind_of(group).p > 0 { df.switches_of(group) } else { 0 }
}

/// Nodes of a switch that has any, on average.
fn nodes_per_switch(df: &Dragonfly) -> f64 {
    if df.is_even() {
        f64::from(df.p())
    } else {
        let senders: u32 = df.groups_with_nodes().map(|group| df.switches_of(group)).sum();
        f64::from(df.node_count()) / f64::from(senders.max(1))
    }
}

/// The links that the VLB path drawn for one packet takes; none for a pair without such a path.
fn path(
    switches: &[Option<&Switch<'_>>],
    (source, destination): (SwitchId, SwitchId),
    drawn: Drawn,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<PathLinks> {
    let (scheme, paths) = match drawn {
        Drawn::Conventional => (Scheme::Vlb, VlbPaths::Conventional),
        Drawn::UgalL => (Scheme::Vlb, VlbPaths::Custom),
        Drawn::Par => (Scheme::Par, VlbPaths::Custom),
    };
    let switch = switches[source.as_usize()]?;
    let fabric = switch.image().fabric();
    let df = fabric.dragonfly();
    let explained = switch.explain(df.node(destination, 0), scheme, paths, &Crowded, rng);
    // The first that is drawn: which of several is the cheapest depends on the queues.
    let path = explained.ok()?.vlb_drawn.iter().next()?;
    // Where the intermediate switch is the one that x enters or y leaves, this adds no hop.
    let rest = Some((Some(path.detour), path.y));
    LinkNumbers::new(*df).of_path(|end| fabric.peer(end), (source, destination), path.x, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::Balancer;
    use crate::fabric::Fabric;
    use crate::fabric_file::FabricFile;
    use crate::generate::generate;
    use crate::policy::Policy;
    use crate::topology::Topology;
    use crate::topology::arrangement::{Arrangement, arrange};
    use crate::topology::names::Names;
    use tvlb_schema::PerDecision;

    fn fabric(set: &str) -> Fabric {
        let text = format!(
            "name = \"t\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n[routing]\nset = {set:?}\n"
        );
        let file = FabricFile::parse(&text, "t").unwrap();
        let topology = arrange(file.dragonfly, Arrangement::default(), file.seed).unwrap();
        Fabric { file, topology, names: Names::default() }
    }

    fn images(set: &str) -> Images {
        let fabric = fabric(set);
        let rules = fabric.file.sets.rules().unwrap();
        let policies = fabric.file.weighing.policies(&rules);
        generate(&fabric, &policies, &()).unwrap().images
    }

    #[test]
    fn what_is_sampled_is_what_is_counted() {
        let fabric = fabric("strategic-2-3 by shape");
        let rule = fabric.file.sets.rules().unwrap().ugal_l;
        let counter = RouteCounter::new(&fabric.topology);
        let whole = Policy::from(rule);
        let thin = Balancer::new(&counter).balanced(&whole, &()).unwrap();
        assert!(thin.is_thinned());
        let images = |policy: &Policy| {
            let policies = PerDecision::same(policy.clone());
            generate(&fabric, &policies, &()).unwrap().images
        };
        let (before, after) = (images(&whole), images(&thin));
        let whole = Draw::Set { rule: &rule, levels: &[] };
        let thinned = Draw::Set { rule: &rule, levels: &thin.levels };
        let far = |one: &PortLoads, other: &PortLoads| {
            let least = one.spread(true).error;
            let pairs = one.loads.iter().zip(&other.loads);
            assert_eq!(one.to_group, other.to_group);
            pairs
                .map(|(one, other)| match (one, other) {
                    // Busier links vary more.
                    (Some(one), Some(other)) => (one - other).abs() / (least * one.max(1.0)),
                    (None, None) => 0.0,
                    _ => f64::INFINITY,
                })
                .fold(0.0, f64::max)
        };
        for (images, drawn, draw) in [
            (&before, Drawn::Conventional, Draw::Conventional),
            (&before, Drawn::UgalL, whole),
            (&after, Drawn::UgalL, thinned),
            (&after, Drawn::Par, thinned),
        ] {
            let counted = PortLoads::counted(&counter, draw);
            let far = far(&sampled(images, drawn, 1), &counted);
            assert!(far < 5.0, "{drawn:?}, {draw:?}: {far} standard errors");
        }
        // And not what is counted of another set: that balance changes loads is seen.
        let far = far(&sampled(&after, Drawn::UgalL, 1), &PortLoads::counted(&counter, whole));
        assert!(far > 6.0, "{far} standard errors");
    }

    #[test]
    fn every_packet_takes_two_global_links_and_as_many_local_ones_as_its_shape_says() {
        // All pairs have a triple: two global hops for each of p = 2 flits, over h = 2 links.
        let conventional = sampled(&images("all"), Drawn::Conventional, 1).spread(true);
        assert!((conventional.mean - 2.0).abs() < 1e-9, "{conventional:?}");
        assert!(conventional.most < 1.1 * conventional.mean, "{conventional:?}");
        // Not all have a route of a single shape; local over global hops hold of those that do.
        for (set, hops) in [("only:010", 1.0), ("only:111", 3.0), ("only:121", 4.0)] {
            let loads = sampled(&images(set), Drawn::UgalL, 1);
            let (global, local) = (2.0 * loads.spread(true).mean, 3.0 * loads.spread(false).mean);
            assert!((local / global - hops / 2.0).abs() < 1e-9, "{set}: {local} {global}");
        }
    }

    #[test]
    fn where_pairs_are_many_destinations_are_drawn() {
        let df = Dragonfly::new(1, 32, 2, 60).unwrap();
        let fabric = Fabric::new("t", df, Arrangement::default(), 1).unwrap();
        let rule = crate::set_grammar::parse_set("all", 1).unwrap();
        let policies = PerDecision::same(Policy::from(rule));
        let images = generate(&fabric, &policies, &()).unwrap().images;
        let loads = sampled(&images, Drawn::Conventional, 1);
        assert_eq!(loads.method, Method::Sampled { per_pair: 0, sent: PACKETS / 1920 });
        // Two global hops of one flit, over the cables of two ports of which some are unused.
        let global = loads.spread(true);
        assert!(global.mean > 0.99 && global.mean < 1.2, "{global:?}");
    }

    #[test]
    fn no_packet_goes_to_a_switch_without_nodes_and_none_is_lost() {
        // Eight groups with two nodes on each switch, and one with none.
        let text = "name = \"t\"\n[dragonfly]\ncables = \"x\"\n\
                    [[dragonfly.kinds]]\nname = \"a\"\np = 2\na = 4\nh = 2\ng = 8\n\
                    [[dragonfly.kinds]]\nname = \"b\"\np = 0\na = 4\nh = 2\ng = 1\n\
                    [routing]\nset = \"only:111\"\n";
        let file = FabricFile::parse(text, "t").unwrap();
        let even = fabric("all").topology;
        let cables = even.cables().iter().map(|cable| (cable.low, cable.high));
        let topology = Topology::from_cables(file.dragonfly, cables).unwrap();
        let policies = file.weighing.policies(&file.sets.rules().unwrap());
        let fabric = Fabric { file, topology, names: Names::default() };
        let images = generate(&fabric, &policies, &()).unwrap().images;
        let loads = sampled(&images, Drawn::Conventional, 1);
        // 64 nodes send a flit each over two of 72 directions of cables.
        let global = loads.spread(true);
        assert!((global.mean - 64.0 * 2.0 / 72.0).abs() < 1e-9, "{global:?}");
        // The group without nodes is a group in the middle and nothing else: each of its local links is busy
        // for packets that pass.
        let last = loads.busiest_of(32, true).unwrap();
        assert!(last > 0.0 && last < global.most, "{last}");
    }

    #[test]
    fn the_figures_are_the_same_again_and_differ_by_set() {
        let images = images("shapes:011");
        let once = sampled(&images, Drawn::UgalL, 1);
        assert_eq!(once, sampled(&images, Drawn::UgalL, 1));
        let conventional = sampled(&images, Drawn::Conventional, 1);
        assert!(conventional.spread(false).mean > once.spread(false).mean + 0.5);
        assert_eq!(once.between(0, 0), None);
        assert!(once.between(0, 1).is_some_and(|load| (1.0..3.0).contains(&load)));
    }
}
