//! The load of VLB paths on the link at each port, in flits per cycle if every node sends one flit per cycle, evenly to
//! all switches of other groups and by VLB only: this measures the paths, not UGAL's use of them. Both methods use the
//! contents of the images, a balance included.
//!
//! If there are not too many paths, all are counted ([`PortLoads::counted`]). On very large fabrics packets are
//! followed instead ([`sampled`]), drawn by the datapath from the images that are written: every switch with nodes
//! sends the same number of packets to every such switch of another group, or to a random sample of them, all by VLB,
//! and each packet is counted on every link that it takes, weighted by the nodes of its source. Those figures are
//! estimates whose error shrinks with the number of packets, and the same in every run. Counting gives all pairs of
//! switches with nodes the same weight, as the balance does.

use crate::image::Images;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rayon::prelude::*;
use std::ops::Range;
use tvlb_firmware_model::{Credits, Scheme, Switch, VlbPaths};
use tvlb_schema::{Dragonfly, EndSwitches, FabricImage, GroupId, LinkKind, Port, SwitchId};
use tvlb_topology::Topology;
use tvlb_topology::links::{LinkNumbers, PathLinks};
use tvlb_topology::loads::{Draw, LinkLoads, flits_per_pair};

/// About this many packets are followed on a large fabric.
const PACKETS: u32 = 1_500_000;
/// At most this many packets are followed for each pair of switches.
const MOST_PER_PAIR: u32 = 200;
/// Separates these random numbers from other uses of the seed.
const STREAM: u64 = 0x6c69_6e6b_6c6f_6164;

/// How the loads were computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadMethod {
    /// Every path was counted with the probability of its draw.
    Counted,
    /// Packets were followed on their way.
    Sampled {
        /// The packets for each pair of switches in different groups; 0 if there are so many pairs that destinations
        /// were drawn at random.
        per_pair: u32,
        /// The packets from each switch.
        sent: u32,
    },
}

/// The load of each link, in flits per cycle if every node sends one flit per cycle by VLB.
#[derive(Clone, Debug)]
pub struct PortLoads {
    /// How the loads were computed.
    pub method: LoadMethod,
    pub loads: LinkLoads,
}

impl PortLoads {
    /// Counts every path with the probability of its draw.
    pub fn counted(topology: &Topology, draw: Draw<'_>) -> Self {
        let loads = LinkLoads::one_to_each(topology, draw);
        Self { method: LoadMethod::Counted, loads: loads.times(flits_per_pair(topology)) }
    }

    /// The standard error of the load of a single link of a kind: 0 if it was counted, else from the number of packets
    /// that were followed.
    pub fn error(&self, df: &Dragonfly, kind: LinkKind) -> f64 {
        match self.method {
            LoadMethod::Counted => 0.0,
            LoadMethod::Sampled { sent, .. } => {
                let mean = self.loads.spread(kind).mean;
                (mean * nodes_per_switch(df) / f64::from(sent.max(1))).sqrt()
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnSet {
    /// No set: all VLB paths, as conventional UGAL draws them.
    Conventional,
    /// UGAL-L's set.
    UgalL,
    /// PAR's set at the source.
    Par,
}

/// Queues so long that every gate is open and MIN cannot win unseen, so that a VLB path is always drawn.
struct Crowded;

impl Credits for Crowded {
    fn used(&self, _: Port) -> u32 {
        1 << 20
    }

    fn used_on(&self, port: Port, _: u8) -> Option<u32> {
        Some(self.used(port))
    }

    fn used_by_links(&self, _: Range<u16>) -> u32 {
        0
    }

    fn used_by_links_on(&self, _: Range<u16>, _: u8) -> u32 {
        0
    }
}

/// Follows packets through a table set, from and to these switches. The images must be those of the image stage.
pub fn sampled(images: &Images, ends: &EndSwitches, drawn: DrawnSet, seed: u64) -> PortLoads {
    let fabric =
        FabricImage::decode(&images.fabric).expect("the image stage decodes what it writes");
    let switches: Vec<Switch<'_>> = images
        .switches
        .iter()
        .map(|bytes| Switch::boot_in(&fabric, bytes))
        .collect::<Result<_, _>>()
        .expect("the image stage decodes what it writes");
    let df = *fabric.dragonfly();
    let all: Vec<SwitchId> = ends.iter().collect();
    let few = |count| u32::try_from(count).expect("a fabric has at most 65 536 switches");
    let senders = few(all.len());
    let senders_of = |group| few(ends.of_group(group).count());
    let outside = |group| senders - senders_of(group);
    let is_even =
        df.is_even() && df.groups().all(|group| senders_of(group) == senders_of(GroupId(0)));
    let wanted = (PACKETS / senders.max(1)).max(1);
    // If groups differ in size, switches differ in how many others they have.
    let per_pair =
        if is_even { (wanted / outside(GroupId(0)).max(1)).min(MOST_PER_PAIR) } else { 0 };
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
                let (outside, of_group) = (outside(group), senders_of(group));
                let weight = if is_even { 1 } else { u32::from(df.kind_of(group).p) };
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
    let unit = if is_even { f64::from(df.p()) } else { 1.0 } / f64::from(sent.max(1));
    let sums = counts.into_iter().map(|count| f64::from(count) * unit).collect();
    let loads = LinkLoads::of_sums(&Topology::of_image(&fabric), sums);
    PortLoads { method: LoadMethod::Sampled { per_pair, sent }, loads }
}

/// The mean number of nodes of switches with nodes.
fn nodes_per_switch(df: &Dragonfly) -> f64 {
    if df.is_even() {
        f64::from(df.p())
    } else {
        let senders: u32 = df.groups_with_nodes().map(|group| df.switches_of(group)).sum();
        f64::from(df.node_count()) / f64::from(senders.max(1))
    }
}

/// The links of the VLB path drawn for one packet; empty if the pair has no such path.
fn path(
    switches: &[Option<&Switch<'_>>],
    (source, destination): (SwitchId, SwitchId),
    drawn: DrawnSet,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<PathLinks> {
    let (scheme, paths) = match drawn {
        DrawnSet::Conventional => (Scheme::Vlb, VlbPaths::Conventional),
        DrawnSet::UgalL => (Scheme::Vlb, VlbPaths::Custom),
        DrawnSet::Par => (Scheme::Par, VlbPaths::Custom),
    };
    let switch = switches[source.as_usize()]?;
    let fabric = switch.image().fabric();
    let df = fabric.dragonfly();
    let explained = switch.explain(df.node(destination, 0), scheme, paths, &Crowded, rng);
    // The first one drawn: which of several is the cheapest depends on the queues.
    let path = explained.ok()?.vlb_drawn.iter().next()?;
    // If the intermediate switch is the one that x enters or y leaves, this adds no hop.
    let rest = Some((Some(path.detour), path.y));
    LinkNumbers::new(*df).of_path(|end| fabric.peer(end), (source, destination), path.x, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::Balancer;
    use crate::fabric::Fabric;
    use crate::fabric_file::FabricFile;
    use crate::policy::Policy;
    use crate::tables::tables_of;
    use tvlb_schema::PerDecision;
    use tvlb_table_set::names::Names;
    use tvlb_topology::arrangement::{Arrangement, arrange};
    use tvlb_topology::routes::count::RouteCounter;

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
        let policies = fabric.file.policies.given().unwrap();
        tables_of(&fabric, &policies, &()).unwrap().images
    }

    #[test]
    fn what_is_sampled_is_what_is_counted() {
        let fabric = fabric("strategic-2-3 by shape");
        let rule = fabric.file.policies.sets.unwrap().ugal_l;
        let counter = RouteCounter::new(&fabric.topology);
        let whole = Policy::from(rule);
        let thin = Balancer::new(&counter).balanced(&whole, &()).unwrap();
        assert!(thin.is_thinned());
        let images = |policy: &Policy| {
            let policies = PerDecision::same(policy.clone());
            tables_of(&fabric, &policies, &()).unwrap().images
        };
        let (before, after) = (images(&whole), images(&thin));
        let whole = Draw::Set { rule: &rule, levels: &[] };
        let thinned = Draw::Set { rule: &rule, levels: &thin.levels };
        let far = |one: &PortLoads, other: &PortLoads| {
            let least = one.error(fabric.topology.dragonfly(), LinkKind::Global);
            let pairs = one.loads.by_link.iter().zip(&other.loads.by_link);
            // Busier links vary more.
            pairs.fold(0.0, |most: f64, (one, other)| {
                most.max((one - other).abs() / (least * one.max(1.0)))
            })
        };
        for (images, drawn, draw) in [
            (&before, DrawnSet::Conventional, Draw::Conventional),
            (&before, DrawnSet::UgalL, whole),
            (&after, DrawnSet::UgalL, thinned),
            (&after, DrawnSet::Par, thinned),
        ] {
            let counted = PortLoads::counted(&fabric.topology, draw);
            let far = far(&sampled(images, fabric.topology.ends(), drawn, 1), &counted);
            assert!(far < 5.0, "{drawn:?}, {draw:?}: {far} standard errors");
        }
        // Not the counts of another set: the effect of a balance on the loads shows.
        let far = far(
            &sampled(&after, fabric.topology.ends(), DrawnSet::UgalL, 1),
            &PortLoads::counted(&fabric.topology, whole),
        );
        assert!(far > 6.0, "{far} standard errors");
    }

    #[test]
    fn every_packet_takes_two_global_links_and_as_many_local_ones_as_its_shape_says() {
        // All pairs have a triple: two global hops for each of p = 2 flits, over h = 2 links.
        let conventional =
            sampled(&images("all"), fabric("all").topology.ends(), DrawnSet::Conventional, 1)
                .loads
                .spread(LinkKind::Global);
        assert!((conventional.mean - 2.0).abs() < 1e-9, "{conventional:?}");
        assert!(conventional.most < 1.1 * conventional.mean, "{conventional:?}");
        // Not all pairs have a route of a single shape; local over global hops hold for those that do.
        for (set, hops) in [("only:010", 1.0), ("only:111", 3.0), ("only:121", 4.0)] {
            let loads = sampled(&images(set), fabric(set).topology.ends(), DrawnSet::UgalL, 1);
            let (global, local) = (
                2.0 * loads.loads.spread(LinkKind::Global).mean,
                3.0 * loads.loads.spread(LinkKind::Local).mean,
            );
            assert!((local / global - hops / 2.0).abs() < 1e-9, "{set}: {local} {global}");
        }
    }

    #[test]
    fn where_pairs_are_many_destinations_are_drawn() {
        let df = Dragonfly::new(1, 32, 2, 60).unwrap();
        let fabric = Fabric::new("t", df, Arrangement::default(), 1).unwrap();
        let rule = tvlb_table_set::grammar::parse_set("all", 1).unwrap();
        let policies = PerDecision::same(Policy::from(rule));
        let images = tables_of(&fabric, &policies, &()).unwrap().images;
        let loads = sampled(&images, fabric.topology.ends(), DrawnSet::Conventional, 1);
        assert_eq!(loads.method, LoadMethod::Sampled { per_pair: 0, sent: PACKETS / 1920 });
        // Two global hops of one flit, over the cables of two ports of which some are unused.
        let global = loads.loads.spread(LinkKind::Global);
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
        let policies = file.policies.given().unwrap();
        let fabric = Fabric { file, topology, names: Names::default() };
        let images = tables_of(&fabric, &policies, &()).unwrap().images;
        let loads = sampled(&images, fabric.topology.ends(), DrawnSet::Conventional, 1);
        // 64 nodes send a flit each over two of 72 directions of cables.
        let global = loads.loads.spread(LinkKind::Global);
        assert!((global.mean - 64.0 * 2.0 / 72.0).abs() < 1e-9, "{global:?}");
        // The group without nodes is only an intermediate group: each of its local links carries packets that pass.
        let last = loads
            .loads
            .busiest_of(fabric.topology.dragonfly(), SwitchId(32), LinkKind::Global)
            .unwrap();
        assert!(last > 0.0 && last < global.most, "{last}");
    }

    #[test]
    fn the_figures_are_the_same_again_and_differ_by_set() {
        let images = images("shapes:011");
        let topology = fabric("shapes:011").topology;
        let once = sampled(&images, topology.ends(), DrawnSet::UgalL, 1);
        assert_eq!(
            once.loads.by_link,
            sampled(&images, topology.ends(), DrawnSet::UgalL, 1).loads.by_link
        );
        let conventional = sampled(&images, topology.ends(), DrawnSet::Conventional, 1);
        assert!(
            conventional.loads.spread(LinkKind::Local).mean
                > once.loads.spread(LinkKind::Local).mean + 0.5
        );
        let between = |to| once.loads.between(&topology, GroupId(0), GroupId(to));
        assert_eq!(between(0), None);
        assert!(between(1).is_some_and(|load| (1.0..3.0).contains(&load)));
    }
}
