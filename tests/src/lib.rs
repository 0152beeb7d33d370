//! Fabrics, sets and packets that the tests beside this file share.

use crc::{CRC_32_ISO_HDLC, CRC_64_XZ, Crc};
use rand_core::Rng;
use std::path::Path;
use tvlb_firmware_model::{Error, Header, Stage, Step, Switch};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::{FabricFile, Wiring};
use tvlb_generator::policy::OpenPolicies;
use tvlb_generator::tables::{Generated, tables_of};
use tvlb_schema::{
    Candidates, Dragonfly, End, FabricImage, Gate, GlobalPort, GroupId, GroupKind, Level,
    MinCandidate, NodeId, Onward, PerDecision, Port, Queue, Route, SetContents, SetRule, Shape,
    SwitchContents, SwitchIndex, VcScheme, Weighing, encode_switch_image, shapes_by_number,
};
use tvlb_table_set::grammar::parse_set;
use tvlb_table_set::names::Names;
use tvlb_topology::Topology;
use tvlb_topology::arrangement::{Arrangement, arrange};
use tvlb_topology::routes::ways::routes;

/// A fabric that we ship, with "strategic-2-3 by shape" for all decisions.
pub fn shipped(name: &str) -> Fabric {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tables").join(name);
    let fabric = Fabric::load(&path).expect("the fabrics that we ship load");
    with_set(fabric, "strategic-2-3 by shape")
}

/// A fabric of any size and arrangement.
pub fn arranged(sizes: (u32, u32, u32, u32), arrangement: Arrangement) -> Fabric {
    let (p, a, h, g) = sizes;
    let dragonfly = Dragonfly::new(p, a, h, g).expect("the test's sizes are within the limits");
    let rule = parse_set("min", 1).expect("min is in the grammar");
    let sets = Some(PerDecision::same(rule));
    let policies = OpenPolicies { sets, ..OpenPolicies::default() };
    let file = FabricFile::new("test", dragonfly, arrangement, 1).expect("a file can say this");
    let file = FabricFile { policies, ..file };
    let topology = arrange(dragonfly, arrangement, 1).expect("every arrangement can be laid");
    Fabric { file, topology, names: Names::default() }
}

/// A fabric of groups of these kinds, each p, a, h and how many groups; every two groups are joined
/// by a cable, and as many more as there are ports for, in turn.
pub fn of_kinds(kinds: &[(u16, u16, u16, u16)]) -> Fabric {
    let kind = |&(p, a, h, g): &(u16, u16, u16, u16)| GroupKind::new(p, a, h, g);
    let df = Dragonfly::of_kinds(&kinds.iter().map(kind).collect::<Vec<_>>())
        .expect("the test's sizes are within the limits");
    let mut free: Vec<Vec<GlobalPort>> = df
        .group_numbers()
        .map(|group| {
            // The last is taken first: from switch to switch, and then the next port of each.
            let mut ports: Vec<GlobalPort> =
                df.global_ports().filter(|&port| df.has_global_port_of(group, port)).collect();
            ports.sort_by_key(|&port| {
                let (index, slot) = df.split_port(port);
                std::cmp::Reverse((slot, index))
            });
            ports
        })
        .collect();
    let mut cables = Vec::new();
    loop {
        let laid = cables.len();
        for low in df.groups() {
            for high in df.groups().filter(|&high| low < high) {
                if !free[low.as_usize()].is_empty() && !free[high.as_usize()].is_empty() {
                    let mut end = |group: GroupId| End {
                        group,
                        port: free[group.as_usize()].pop().expect("it was looked at"),
                    };
                    cables.push((end(low), end(high)));
                }
            }
        }
        if cables.len() == laid {
            break;
        }
    }
    // The arrangement is replaced.
    let mut fabric = arranged((1, 2, 1, 3), Arrangement::Absolute);
    fabric.file.dragonfly = df;
    fabric.file.wiring = Wiring::Cables("cables.csv".into());
    fabric.topology = Topology::from_cables(df, cables).expect("every port is taken once");
    fabric
}

/// Fabrics of unequal groups: with smaller groups, with a group of one switch, with groups without
/// nodes, with fewer ports in some, and with groups that are absent.
pub fn uneven() -> Vec<Fabric> {
    vec![
        of_kinds(&[(2, 4, 3, 3), (1, 2, 3, 2)]),
        of_kinds(&[(1, 3, 2, 2), (2, 5, 2, 3), (0, 4, 2, 1)]),
        of_kinds(&[(0, 2, 4, 1), (3, 4, 1, 3), (1, 1, 4, 1)]),
        of_kinds(&[(2, 6, 2, 6), (1, 3, 4, 3)]),
        of_kinds(&[(1, 8, 1, 1), (2, 2, 2, 2)]),
        of_kinds(&[(2, 4, 3, 3), (0, 0, 0, 2), (1, 3, 3, 2), (0, 0, 0, 1)]),
    ]
}

/// The same fabric with so many links between each two switches of a group, by group and the two
/// indices, the lower first.
///
/// # Panics
/// If two switches of a group are apart: without a link, and without a third that is linked to both.
#[must_use]
pub fn with_links(
    mut fabric: Fabric,
    count: impl Fn(GroupId, SwitchIndex, SwitchIndex) -> u32,
) -> Fabric {
    let df = *fabric.topology.dragonfly();
    let mut links = Vec::new();
    for group in df.groups() {
        for low in df.indices(group) {
            for high in df.indices(group).filter(|&high| low < high) {
                links.extend((0..count(group, low, high)).map(|_| (group, low, high)));
            }
        }
    }
    fabric.topology = fabric.topology.with_local_links(links).expect("no two switches are apart");
    fabric.file.dragonfly = *fabric.topology.dragonfly();
    fabric
}

/// Fabrics whose switches share several links with others of their group, or none.
pub fn of_local_links() -> Vec<Fabric> {
    let [_, three_kinds, _, two_kinds, ..] = &uneven()[..] else { panic!("there are more") };
    let small = || arranged((2, 4, 2, 9), Arrangement::Absolute);
    let is = |low: SwitchIndex, high: SwitchIndex, pair| (low.0, high.0) == pair;
    vec![
        // Three links between any two; then one pair of one group without any.
        with_links(small(), |_, _, _| 3),
        with_links(small(), |group, low, high| u32::from(group.0 != 2 || !is(low, high, (1, 2)))),
        // A ring in every group; and links by turns.
        with_links(small(), |_, low, high| u32::from(low.0.abs_diff(high.0) % 2 == 1)),
        with_links(arranged((1, 5, 2, 6), Arrangement::Palmtree), |group, low, high| {
            (u32::from(group.0) + u32::from(low.0) + 2 * u32::from(high.0)) % 4
        }),
        with_links(two_kinds.clone(), |group, low, high| match group.0 {
            0 => u32::from(high.0 - low.0 < 3 || low.0 == 0),
            1..6 => 1,
            _ => 2,
        }),
        with_links(three_kinds.clone(), |group, low, high| {
            u32::from(group.0 != 3 || !is(low, high, (0, 4))) * (1 + u32::from(group.0 == 5))
        }),
    ]
}

/// The same fabric with one set for all decisions.
#[must_use]
pub fn with_set(mut fabric: Fabric, text: &str) -> Fabric {
    let rule = parse_set(text, fabric.file.seed).expect("the test's set is in the grammar");
    fabric.file.policies.sets = Some(PerDecision::same(rule));
    fabric
}

/// The table set of a fabric.
pub fn images(fabric: &Fabric) -> Generated {
    let policies = fabric.file.policies.given().expect("the test's fabrics have their sets given");
    tables_of(fabric, &policies, &()).expect("every pair of the test's fabrics is reachable")
}

/// The set of UGAL-L.
pub fn rule_of(fabric: &Fabric) -> SetRule {
    fabric.file.policies.sets.expect("the test's fabrics have their sets given").ugal_l
}

/// All switches of a table set, booted, by number; in a gap stands the switch before it.
pub fn boot(generated: &Generated) -> Vec<Switch<'_>> {
    let images = &generated.images;
    let mut all: Vec<Switch<'_>> = Vec::new();
    for image in &images.switches {
        let switch = Switch::boot(&images.fabric, image).expect("generated images boot");
        while all.len() < switch.image().switch().as_usize() {
            all.push(all.last().expect("switch 0 exists").clone());
        }
        all.push(switch);
    }
    all
}

/// A link that a packet crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The switch that it left.
    pub from: tvlb_schema::SwitchId,
    /// By this physical port.
    pub port: Port,
    /// To this switch.
    pub to: tvlb_schema::SwitchId,
    /// On this virtual channel.
    pub virtual_channel: u8,
    /// The link joins two groups.
    pub global: bool,
}

/// Carries a packet from its first step to its delivery, or to the switch that refuses it.
///
/// # Errors
/// What the last switch said.
pub fn carry(
    switches: &[Switch<'_>],
    source: tvlb_schema::SwitchId,
    first: Step,
    mut at_second: impl FnMut(&Switch<'_>, Header) -> Header,
) -> Result<(NodeId, Vec<Crossing>), Error> {
    let df = *switches[0].image().fabric().dragonfly();
    let (mut at, mut step, mut crossings) = (source, first, Vec::new());
    loop {
        let here = &switches[at.as_usize()];
        match step {
            Step::Deliver { port } => {
                let terminal = u8::try_from(port.0).expect("a terminal's port is below p");
                return Ok((df.node(at, terminal), crossings));
            }
            Step::Send { port, virtual_channel, header } => {
                let (group, index) = here.neighbour(port).expect("packets leave by cables only");
                let global = group != here.image().group();
                let to = df.switch(group, index);
                crossings.push(Crossing { from: at, port, to, virtual_channel, global });
                assert!(crossings.len() <= 7, "a packet is on its eighth hop: {crossings:?}");
                at = to;
                let there = &switches[at.as_usize()];
                let header = if header.stage() == Stage::SourceLocal {
                    at_second(there, header)
                } else {
                    header
                };
                step = there.forward(header)?;
            }
        }
    }
}

/// A source that repeats a few words: for paths of the code that chance would rarely take.
pub struct Repeating {
    words: Vec<u32>,
    next: usize,
}

impl Repeating {
    /// Repeats these words.
    pub fn new(words: impl Into<Vec<u32>>) -> Self {
        Self { words: words.into(), next: 0 }
    }
}

impl rand_core::TryRng for Repeating {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.next = (self.next + 1) % self.words.len();
        Ok(self.words[self.next])
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(u64::from(self.next_u32()) << 32 | u64::from(self.next_u32()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        for byte in bytes {
            *byte = self.next_u32().to_le_bytes()[0];
        }
        Ok(())
    }
}

/// The routes that a switch keeps when it thins its set to these levels, one for each global port
/// of its group: straight from the definition.
pub fn kept_when_thinned(
    fabric: &Fabric,
    levels: &[Level],
    source: tvlb_schema::SwitchId,
    destination: tvlb_schema::SwitchId,
) -> Vec<(Route, Shape)> {
    let (df, rule) = (fabric.topology.dragonfly(), rule_of(fabric));
    routes(&fabric.topology, source, destination)
        .map(|way| (way.route(), way.shape()))
        .filter(|(route, shape)| {
            let level = levels[route.x.as_usize()];
            rule.keeps_at(level, *shape, route.key(df, source, destination))
        })
        .collect()
}

/// A switch's image with its one set thinned to these levels.
pub fn thinned(
    fabric: &Fabric,
    generated: &Generated,
    switch: tvlb_schema::SwitchId,
    levels: &[Level],
) -> Vec<u8> {
    let image = FabricImage::decode(&generated.images.fabric).expect("generated images decode");
    let df = *image.dragonfly();
    let rule = rule_of(fabric);
    let kept = |to| kept_when_thinned(fabric, levels, switch, to);
    let shapes_to =
        shapes_by_number(&df, &rule, |to| kept(to).iter().map(|route| route.1).collect());
    let one = (0, fabric.file.policies.weighing.ugal_l.threshold.unwrap_or_default().into());
    let contents = SwitchContents {
        switch,
        virtual_channels: VcScheme::Ordered,
        decisions: PerDecision::same(one),
        second_min: fabric.file.policies.weighing.par_second.second_min.unwrap_or_default(),
        sets: vec![SetContents { rule, levels: levels.to_vec(), shapes_to }],
        physical_numbers: Vec::new(),
    };
    encode_switch_image(&image, &contents)
}

/// A number for three in four ports that a switch can have, falling from 254.
pub fn numbers_of_ports(df: &Dragonfly, switch: tvlb_schema::SwitchId) -> Vec<Option<u8>> {
    let group = df.place(switch).0;
    let ports = (0..df.radix()).map(|port| Port(u16::try_from(port).expect("ports fit 16 bits")));
    let is_known = |port: &Port| port.0 % 4 != 1 && df.has_port_of(group, *port);
    let number = |port: Port| u8::try_from(254_u16.saturating_sub(port.0)).expect("at most 254");
    ports.map(|port| is_known(&port).then(|| number(port))).collect()
}

/// A switch image with a set of its own for each decision, and a map of its ports that does not know one in four.
pub fn of_three_sets(
    fabric: &Fabric,
    image: &FabricImage<'_>,
    switch: tvlb_schema::SwitchId,
) -> Vec<u8> {
    let set = |text: &str| {
        let rule: SetRule = rule_of(&with_set(fabric.clone(), text));
        SetContents { rule, levels: Vec::new(), shapes_to: Vec::new() }
    };
    let contents = SwitchContents {
        switch,
        virtual_channels: VcScheme::Positional,
        decisions: PerDecision {
            ugal_l: (0, weighing(-5, [1, 4], 20)),
            par_source: (1, Weighing { queue: Queue::Channel, ..weighing(300, [8, 8], 255) }),
            par_second: (2, Weighing { onward: Onward::Cheapest, ..weighing(i16::MIN, [3, 1], 0) }),
        },
        second_min: MinCandidate::Any,
        sets: vec![set("60% 5-hop"), set("switches:2-2 with returns"), set("min")],
        physical_numbers: numbers_of_ports(image.dragonfly(), switch),
    };
    encode_switch_image(image, &contents)
}

/// T, the numbers of MIN and VLB candidates, and the gate in sixteenths.
pub fn weighing(threshold: i16, [min, vlb]: [u8; 2], sixteenths: u8) -> Weighing {
    let candidates = Candidates::new(min, vlb).expect("the test's numbers are 1 to 8");
    let gate = Gate::of_sixteenths(sixteenths);
    Weighing { threshold, candidates, gate, ..Weighing::default() }
}

/// One level for each global port of a group: these numbers in turn.
pub fn levels(fabric: &Fabric, numbers: &[u8]) -> Vec<Level> {
    let ports = fabric.topology.dragonfly().ports_per_group() as usize;
    let level = |&number: &u8| Level::new(number).expect("the test's levels are 3 to 15");
    numbers.iter().map(level).cycle().take(ports).collect()
}

/// Gives a spoilt image a frame that holds: length, identity and checksum.
pub fn mended(mut image: Vec<u8>, identity: Option<u64>) -> Vec<u8> {
    let length = u32::try_from(image.len()).expect("an image is small");
    let end = image.len() - 4;
    let identity =
        identity.unwrap_or_else(|| Crc::<u64>::new(&CRC_64_XZ).checksum(&image[20..end]));
    image[8..16].copy_from_slice(&identity.to_le_bytes());
    image[16..20].copy_from_slice(&length.to_le_bytes());
    let checksum = Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(&image[..end]);
    image[end..].copy_from_slice(&checksum.to_le_bytes());
    image
}

/// The value that a chi-square variable of `freedom` degrees exceeds with probability 10⁻⁶
/// (Wilson and Hilferty's approximation).
pub fn quantile(freedom: usize) -> f64 {
    let k = f64::from(u32::try_from(freedom).expect("a test has few degrees of freedom"));
    let spread = 2.0 / (9.0 * k);
    k * (1.0 - spread + 4.753_424 * spread.sqrt()).powi(3)
}
