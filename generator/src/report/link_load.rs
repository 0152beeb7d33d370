//! How VLB paths load the links: drawn by the datapath from the images as they are written, so
//! whatever the images say, adjustments by a balance of loads included, is in the figures.
//!
//! Every switch sends the same number of packets to every switch of another group (on very large
//! fabrics to a random sample of them), all by VLB; each is followed to its destination and counted on every link that it takes. The figures
//! are estimates whose error shrinks with the number of packets, and the same at every run.

use crate::image::Images;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rayon::prelude::*;
use tvlb_firmware_model::{Credits, Scheme, Switch, VlbPaths};
use tvlb_schema::{Dragonfly, End, FabricImage, Group, Index, Port};

/// About this many packets are followed where the fabric is large.
const PACKETS: u32 = 1_500_000;
/// At most this many for each pair of switches.
const MOST_PER_PAIR: u32 = 200;
/// Keeps these random numbers apart from other uses of the seed.
const STREAM: u64 = 0x6c69_6e6b_6c6f_6164;

/// Which set is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// All VLB paths, as conventional UGAL draws them.
    Conventional,
    /// UGAL-L's set.
    UgalL,
    /// PAR's set at the source.
    Par,
}

/// What the links carry, in flits per cycle where every node sends one flit per cycle by VLB.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkLoads {
    df: Dragonfly,
    /// Packets followed for each pair of switches of different groups; 0 where there are so many
    /// pairs that destinations were drawn at random.
    pub per_pair: u32,
    /// Packets followed from each switch.
    pub sent: u32,
    /// By switch·radix + port: the load of that link; none where there is no link between switches.
    loads: Vec<Option<f64>>,
    /// The group at its other end.
    to_group: Vec<u32>,
}

/// The links of one kind, summed up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean load.
    pub mean: f64,
    /// The busiest link's.
    pub most: f64,
    /// The standard error of a single link's load, from the number of packets that were followed.
    pub error: f64,
}

/// Queues so long that no threshold lets MIN win unseen, so that a VLB path is always drawn.
struct Crowded;

impl Credits for Crowded {
    fn used(&self, _: Port) -> u32 {
        1 << 20
    }
}

impl LinkLoads {
    /// Follows packets through a table set. What it is booted from must be what the image stage
    /// made.
    pub fn new(images: &Images, drawn: Drawn, seed: u64) -> Self {
        let fabric =
            FabricImage::decode(&images.fabric).expect("the image stage decodes what it writes");
        let switches: Vec<Switch<'_>> = images
            .switches
            .iter()
            .map(|bytes| Switch::boot_in(&fabric, bytes))
            .collect::<Result<_, _>>()
            .expect("the image stage decodes what it writes");
        let df = *fabric.dragonfly();
        let outside = df.switch_count() - df.a();
        let wanted = (PACKETS / df.switch_count()).max(1);
        let per_pair = (wanted / outside.max(1)).min(MOST_PER_PAIR);
        let sent = if per_pair > 0 { outside * per_pair } else { wanted };
        let ports = (df.switch_count() * df.radix()) as usize;
        let counts = df
            .switches()
            .collect::<Vec<_>>()
            .into_par_iter()
            .fold(
                || vec![0_u32; ports],
                |mut counts, source| {
                    let stream = seed ^ STREAM ^ (u64::from(source.0) << 40);
                    let mut rng = Xoshiro256PlusPlus::seed_from_u64(stream);
                    let group = u32::from(df.place(source).0.0);
                    for number in 0..sent {
                        // Each in turn, or any, of the switches outside the group.
                        let rank = match number.checked_div(per_pair) {
                            Some(rank) => rank,
                            None => rng.random_range(0..outside),
                        };
                        let to = if rank < group * df.a() { rank } else { rank + df.a() };
                        let to = u16::try_from(to).expect("switch numbers fit 16 bits");
                        let to = tvlb_schema::Switch(to);
                        follow(&switches, source, to, drawn, &mut rng, &mut counts);
                    }
                    counts
                },
            )
            .reduce(
                || vec![0; ports],
                |one, other| one.iter().zip(other).map(|(one, other)| one + other).collect(),
            );
        // A switch's p nodes send p flits per cycle, spread over all that were followed from it.
        let unit = f64::from(df.p()) / f64::from(sent.max(1));
        let mut loads = Vec::with_capacity(ports);
        let mut to_group = Vec::with_capacity(ports);
        for (number, count) in (0_u32..).zip(counts) {
            let (switch, port) = (number / df.radix(), number % df.radix());
            let port = Port(u16::try_from(port).expect("a radix fits 16 bits"));
            let neighbour = switches[switch as usize].neighbour(port);
            loads.push(neighbour.map(|_| f64::from(count) * unit));
            to_group.push(neighbour.map_or(0, |(group, _)| u32::from(group.0)));
        }
        Self { df, per_pair, sent, loads, to_group }
    }

    /// All links of one kind.
    pub fn spread(&self, global: bool) -> Spread {
        let (mut sum, mut count, mut most) = (0.0, 0.0, 0.0_f64);
        for (_, load) in self.links().filter(|&(number, _)| self.is_global(number) == global) {
            sum += load;
            count += 1.0;
            most = most.max(load);
        }
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let unit = f64::from(self.df.p()) / f64::from(self.sent.max(1));
        Spread { mean, most, error: (mean * unit).sqrt() }
    }

    /// The mean load of the links from one group to another; none where there is no link.
    pub fn between(&self, from: u32, to: u32) -> Option<f64> {
        let ports = self.df.a() * self.df.radix();
        let range = from * ports..(from + 1) * ports;
        let (mut sum, mut count) = (0.0, 0.0);
        for number in range.filter(|&number| self.is_global(number)) {
            let number = number as usize;
            if let Some(load) = self.loads[number].filter(|_| self.to_group[number] == to) {
                sum += load;
                count += 1.0;
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    /// The load of the busiest link of one kind that leaves a switch; none where it has none.
    pub fn busiest_of(&self, switch: u32, global: bool) -> Option<f64> {
        let range = switch * self.df.radix()..(switch + 1) * self.df.radix();
        range
            .filter(|&number| self.is_global(number) == global)
            .filter_map(|number| self.loads[number as usize])
            .reduce(f64::max)
    }

    fn links(&self) -> impl Iterator<Item = (u32, f64)> {
        (0..).zip(&self.loads).filter_map(|(number, load)| Some((number, (*load)?)))
    }

    fn is_global(&self, number: u32) -> bool {
        number % self.df.radix() >= self.df.p() + self.df.a() - 1
    }
}

/// Draws a VLB path for one packet and counts the links that it takes; a pair without one counts
/// nothing.
fn follow(
    switches: &[Switch<'_>],
    source: tvlb_schema::Switch,
    destination: tvlb_schema::Switch,
    drawn: Drawn,
    rng: &mut Xoshiro256PlusPlus,
    counts: &mut [u32],
) {
    let (scheme, paths) = match drawn {
        Drawn::Conventional => (Scheme::Vlb, VlbPaths::Conventional),
        Drawn::UgalL => (Scheme::Vlb, VlbPaths::Custom),
        Drawn::Par => (Scheme::Par, VlbPaths::Custom),
    };
    let switch = &switches[usize::from(source.0)];
    let df = switch.image().fabric().dragonfly();
    let explained = switch.explain(df.node(destination, 0), scheme, paths, &Crowded, rng);
    let Some(path) = explained.ok().and_then(|explanation| explanation.vlb.ok()) else { return };
    let mut count = |group: Group, index: Index, port: Port| {
        let switch = usize::from(df.switch(group, index).0);
        counts[switch * df.radix() as usize + usize::from(port.0)] += 1;
    };
    let mut local = |group: Group, from: Index, to: Index| {
        if from != to {
            count(group, from, df.local_port(from, to));
        }
    };
    let fabric = switch.image().fabric();
    let ((here, index), (there, last)) = (df.place(source), df.place(destination));
    let ((u, x_slot), (w, y_slot)) = (df.split_port(path.x), df.split_port(path.y));
    let Some(middle) = fabric.peer(End { group: here, port: path.x }) else { return };
    let Some(end) = fabric.peer(End { group: middle.group, port: path.y }) else { return };
    let (v, z) = (df.split_port(middle.port).0, df.split_port(end.port).0);
    local(here, index, u);
    if path.detour == w || path.detour == v {
        local(middle.group, v, w);
    } else {
        local(middle.group, v, path.detour);
        local(middle.group, path.detour, w);
    }
    local(there, z, last);
    count(here, u, df.slot_port(x_slot));
    count(middle.group, w, df.slot_port(y_slot));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric_file::FabricFile;
    use crate::generate::generate;
    use crate::topology::arrangement::arrange;

    fn images(set: &str) -> Images {
        let text = format!(
            "name = \"t\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\n[routing]\nset = {set:?}\n"
        );
        let file = FabricFile::parse(&text, "t").unwrap();
        let crate::fabric_file::Wiring::Arrangement(arrangement) = file.wiring else {
            panic!("no list of cables")
        };
        let topology = arrange(file.dragonfly, arrangement, file.seed).unwrap();
        let rules = file.sets.rules().unwrap();
        let fabric = crate::fabric::Fabric { file, topology };
        generate(
            &fabric,
            crate::image::unthinned(rules),
            tvlb_schema::PerDecision::default(),
            &|| (),
            &|| false,
        )
        .unwrap()
        .images
    }

    #[test]
    fn every_packet_takes_two_global_links_and_as_many_local_ones_as_its_shape_says() {
        // All pairs have a triple: two global hops for each of p = 2 flits, over h = 2 links.
        let conventional = LinkLoads::new(&images("all"), Drawn::Conventional, 1).spread(true);
        assert!((conventional.mean - 2.0).abs() < 1e-9, "{conventional:?}");
        assert!(conventional.most < 1.1 * conventional.mean, "{conventional:?}");
        // Not all have a route of a single shape; local over global hops hold of those that do.
        for (set, hops) in [("only:010", 1.0), ("only:111", 3.0), ("only:121", 4.0)] {
            let loads = LinkLoads::new(&images(set), Drawn::UgalL, 1);
            let (global, local) = (2.0 * loads.spread(true).mean, 3.0 * loads.spread(false).mean);
            assert!((local / global - hops / 2.0).abs() < 1e-9, "{set}: {local} {global}");
        }
    }

    #[test]
    fn where_pairs_are_many_destinations_are_drawn() {
        let text = "name = \"t\"\n[dragonfly]\np = 1\na = 32\nh = 2\ng = 60\n";
        let file = FabricFile::parse(text, "t").unwrap();
        let topology =
            arrange(file.dragonfly, crate::topology::arrangement::Arrangement::default(), 1);
        let fabric = crate::fabric::Fabric { file, topology: topology.unwrap() };
        let rule = crate::set_grammar::parse_set("all", 1).unwrap();
        let rules = tvlb_schema::PerDecision::same(rule);
        let images = generate(
            &fabric,
            crate::image::unthinned(rules),
            tvlb_schema::PerDecision::default(),
            &|| (),
            &|| false,
        )
        .unwrap()
        .images;
        let loads = LinkLoads::new(&images, Drawn::Conventional, 1);
        assert_eq!((loads.per_pair, loads.sent), (0, PACKETS / 1920));
        // Two global hops of one flit, over the cables of two ports of which some are unused.
        let global = loads.spread(true);
        assert!(global.mean > 0.99 && global.mean < 1.2, "{global:?}");
    }

    #[test]
    fn the_figures_are_the_same_again_and_differ_by_set() {
        let images = images("shapes:011");
        let once = LinkLoads::new(&images, Drawn::UgalL, 1);
        assert_eq!(once, LinkLoads::new(&images, Drawn::UgalL, 1));
        let conventional = LinkLoads::new(&images, Drawn::Conventional, 1);
        assert!(conventional.spread(false).mean > once.spread(false).mean + 0.5);
        assert_eq!(once.between(0, 0), None);
        assert!(once.between(0, 1).is_some_and(|load| (1.0..3.0).contains(&load)));
    }
}
