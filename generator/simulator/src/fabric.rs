//! The network that the images describe: one booted switch per switch image, and the links.
//!
//! Booting is the only constructor. A [`BootedFabric`] is complete: every switch booted, every image of the same fabric
//! and in its place, every link with both its ends. A `BootedFabric` never changes, so any number of runs can share it.

use tvlb_base::text::Refused;
use tvlb_firmware_model::{self as datapath, Channels, Error, LinkMasks, VlbPaths};
use tvlb_schema::{
    Dragonfly, FabricImage, LeavesAndSpines, NodeId, Nodes, Port, SwitchId, VcScheme,
};
use tvlb_table_set::names::{NamedSwitch, Names};

/// The most ports of a switch here: as many as are processed at once. Switches in the field have 64.
pub const MOST_PORTS: u32 = 256;

/// Why images do not make a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BootError {
    #[error("{0}")]
    Fabric(Error),
    #[error("found {found} switch images, but the fabric has {needed} switches")]
    Count { found: usize, needed: u32 },
    #[error("switch {switch}: {error}")]
    Switch { switch: NamedSwitch, error: Error },
    #[error("switch {switch}: found the image of switch {found}")]
    Place { switch: NamedSwitch, found: NamedSwitch },
    #[error("a switch has {found} ports, but the simulator holds at most {MOST_PORTS}")]
    Ports { found: u32 },
}

impl BootError {
    /// The same with the machine's names of its switches.
    #[must_use]
    pub fn with_names(self, names: &Names) -> Self {
        let named = |known: NamedSwitch| names.named(known.switch);
        match self {
            Self::Switch { switch, error } => Self::Switch { switch: named(switch), error },
            Self::Place { switch, found } => {
                Self::Place { switch: named(switch), found: named(found) }
            }
            other => other,
        }
    }
}

/// What a port of a switch leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    Terminal(NodeId),
    /// Another switch of the same group.
    Local(SwitchId, Port),
    /// A switch of another group.
    Global(SwitchId, Port),
    /// Nothing: no cable is connected.
    Unused,
}

/// What the switches of a run boot for: its packets, and the virtual channels of its links.
#[derive(Clone, Copy, Debug)]
pub struct BootedFor {
    pub scheme: datapath::Scheme,
    pub paths: VlbPaths,
    pub channels: Channels,
}

impl BootedFor {
    /// A switch, booted for these.
    ///
    /// # Errors
    /// Its packets need more channels.
    pub fn boot(self, switch: datapath::Switch<'_>) -> Result<datapath::Switch<'_>, Error> {
        switch.with_channels_for(self.scheme, self.paths, self.channels)
    }
}

/// The most words of link masks, 16 MiB. More would not stay in a cache.
const MOST_MASKS: usize = 1 << 22;

/// All switches, booted, and the links between them.
#[derive(Clone, Debug)]
pub struct BootedFabric<'a> {
    dragonfly: Dragonfly,
    nodes: Nodes,
    /// By number. A gap, where no link leads, repeats the switch before it.
    switches: Vec<datapath::Switch<'a>>,
    /// Per switch number its ports in order.
    links: Vec<LinkTarget>,
    /// The names of switches and ports in messages and figures.
    names: Names,
    /// The words of the switches' link masks; empty if there are none or too many.
    link_masks: Vec<u32>,
}

impl<'a> BootedFabric<'a> {
    /// Boots every switch from its image; `switches` holds the images in the order of the switches.
    ///
    /// # Errors
    /// The first image that is missing or wrong.
    pub fn boot(fabric: &'a [u8], switches: &'a [impl AsRef<[u8]>]) -> Result<Self, BootError> {
        let fabric = FabricImage::decode(fabric)
            .map_err(|error| BootError::Fabric(Error::FabricImage(error)))?;
        let dragonfly = *fabric.dragonfly();
        if dragonfly.radix() > MOST_PORTS {
            return Err(BootError::Ports { found: dragonfly.radix() });
        }
        if switches.len() != dragonfly.switch_count() as usize {
            let needed = dragonfly.switch_count();
            return Err(BootError::Count { found: switches.len(), needed });
        }
        let mut booted: Vec<datapath::Switch<'a>> =
            Vec::with_capacity(dragonfly.switch_numbers() as usize);
        for (number, image) in dragonfly.switches().zip(switches) {
            let switch = datapath::Switch::boot_in(&fabric, image.as_ref())
                .map_err(|error| BootError::Switch { switch: number.into(), error })?;
            let found = switch.image().switch();
            if found != number {
                return Err(BootError::Place { switch: number.into(), found: found.into() });
            }
            fill_gap(&mut booted, number.as_usize());
            booted.push(switch);
        }
        fill_gap(&mut booted, dragonfly.switch_numbers() as usize);
        let links = (0..)
            .zip(&booted)
            .flat_map(|(number, switch)| {
                let is_there = switch.image().switch().0 == number;
                (0..dragonfly.radix()).map(move |port| {
                    if is_there { link(&dragonfly, switch, port) } else { LinkTarget::Unused }
                })
            })
            .collect();
        let words = LinkMasks::word_count(&fabric).filter(|&words| words <= MOST_MASKS);
        let mut link_masks = vec![0; words.unwrap_or(0)];
        LinkMasks::fill(&fabric, &mut link_masks);
        let (nodes, names) = (Nodes::from(&dragonfly), Names::default());
        Ok(Self { dragonfly, nodes, switches: booted, links, names, link_masks })
    }

    /// The same fabric with the machine's names of its switches and ports, and without the nodes that the list says are
    /// missing.
    #[must_use]
    pub fn with_names(self, names: Names) -> Self {
        let nodes = names.nodes(&self.dragonfly);
        Self { names, ..self.with_nodes(nodes) }
    }

    /// The same fabric with only these of its nodes.
    #[must_use]
    pub fn with_nodes(self, nodes: Nodes) -> Self {
        Self { nodes, ..self }
    }

    /// The machine's names of its parts.
    pub const fn names(&self) -> &Names {
        &self.names
    }

    /// The sizes of the fabric.
    pub const fn dragonfly(&self) -> &Dragonfly {
        &self.dragonfly
    }

    /// The existing nodes: those that send and receive.
    pub const fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// The fabric's image: the plan, in which nothing is dead.
    pub(crate) fn plan(&self) -> &FabricImage<'a> {
        self.switches.first().expect("a fabric has switches").image().fabric()
    }

    /// The booted switches, by number; a gap repeats the switch before it.
    pub fn switches(&self) -> &[datapath::Switch<'a>] {
        &self.switches
    }

    /// How the switches assign virtual channels.
    pub fn vc_scheme(&self) -> VcScheme {
        self.switches.first().map(|switch| switch.image().virtual_channels()).unwrap_or_default()
    }

    /// Refuses an assignment of virtual channels that does not suit the wiring.
    pub(crate) fn check_assignment(&self) -> Result<(), Refused> {
        let is_sound = self.vc_scheme() != VcScheme::UpDown
            || self.plan().has_leaves_and_spines_with(&self.nodes.ends());
        if is_sound {
            Ok(())
        } else {
            {
                Err(Refused::new(
                    format!("channels are assigned up-down, but {}", VcScheme::UP_DOWN_ELSEWHERE),
                    "",
                ))
            }
        }
    }

    /// The channels that links need at least for packets of a scheme by these paths.
    pub fn least_channels(&self, scheme: datapath::Scheme, paths: VlbPaths) -> Channels {
        let needed = self.switches.iter().map(|switch| switch.channels_needed_for(scheme, paths));
        needed.reduce(Channels::or).unwrap_or(Channels::MOST)
    }

    /// The default channels of links: the least, but for MIN those of UGAL-L, so that the two are compared with equal
    /// buffers.
    pub fn usual_channels(&self, scheme: datapath::Scheme, paths: VlbPaths) -> Channels {
        let scheme = match scheme {
            datapath::Scheme::Min => datapath::Scheme::UgalL,
            other => other,
        };
        self.least_channels(scheme, paths)
    }

    /// The switches of a run: booted for its packets and the virtual channels of its links, so that they take only
    /// paths with enough channels, and with shortcuts for drawing if there are any.
    ///
    /// # Panics
    /// The channels are too few, which [`Settings::channels`](crate::Settings::channels) refuses.
    pub fn switches_of_run(&self, booted_for: BootedFor) -> Vec<datapath::Switch<'_>> {
        let masks = LinkMasks::of_words(self.plan(), &self.link_masks);
        let booted = |switch: &datapath::Switch<'a>| {
            let switch = booted_for
                .boot(switch.clone())
                .expect("the channels of a run were found to be enough");
            match masks {
                None => switch,
                Some(masks) => switch.with_link_masks(masks),
            }
        };
        self.switches.iter().map(booted).collect()
    }

    /// What a port of a switch leads to. A port that does not exist leads to nothing.
    pub fn link(&self, switch: SwitchId, port: Port) -> LinkTarget {
        let radix = self.dragonfly.radix() as usize;
        let number = switch.as_usize() * radix + port.as_usize();
        if port.as_usize() < radix {
            self.links.get(number).copied().unwrap_or(LinkTarget::Unused)
        } else {
            LinkTarget::Unused
        }
    }

    /// A switch with its name.
    pub(crate) fn named(&self, switch: SwitchId) -> NamedSwitch {
        self.names.named(switch)
    }

    /// A switch in words: "group 0, switch 3 x1000c0r3".
    fn place(&self, switch: SwitchId) -> String {
        let (group, index) = self.dragonfly.place(switch);
        format!("group {group}, switch {index}{}", self.names.after(switch))
    }

    /// A link in words, as an engineer would name it.
    pub fn name(&self, switch: SwitchId, port: Port) -> String {
        let df = &self.dragonfly;
        let slot = |port: Port| port.0.saturating_sub(df.slot_port(0).0);
        let from = self.place(switch);
        let by = self.names.by(df, switch, port);
        match self.link(switch, port) {
            LinkTarget::Terminal(node) => format!("link from {from} to node {node}{by}"),
            LinkTarget::Local(to, _) => {
                let (group, own) = df.place(switch);
                let end = df.local_end(df.switches_of(group), own, port);
                let which = match end.map_or(0, |(_, k)| k) {
                    0 => String::new(),
                    k => format!(", number {k}"),
                };
                let (index, name) = (df.place(to).1, self.names.after(to));
                format!("local link from {from} to switch {index}{name}{which}{by}")
            }
            LinkTarget::Global(to, arrival) => format!(
                "global link from {from}, port {} to {}, port {}{by}",
                slot(port),
                self.place(to),
                slot(arrival)
            ),
            LinkTarget::Unused => format!("unused port {port} of {from}{by}"),
        }
    }
}

/// Repeats the last switch until there are this many.
fn fill_gap(booted: &mut Vec<datapath::Switch<'_>>, numbers: usize) {
    while let Some(last) = booted.last().filter(|_| booted.len() < numbers) {
        booted.push(last.clone());
    }
}

/// What a port leads to, by the switch's own image.
fn link(df: &Dragonfly, switch: &datapath::Switch<'_>, port: u32) -> LinkTarget {
    let image = switch.image();
    let (group, here) = (image.group(), image.index());
    let short = |n: u32| u16::try_from(n).expect("a port number is below the radix, at most 256");
    if port < df.p() {
        if port >= image.node_count() {
            return LinkTarget::Unused;
        }
        let terminal = u8::try_from(port).expect("p is at most 256");
        return LinkTarget::Terminal(df.node(image.switch(), terminal));
    }
    let port = Port(short(port));
    if !df.is_slot(port) {
        let switches = image.switches_of_group();
        let end = df.local_end(switches, here, port).filter(|_| switch.neighbour(port).is_some());
        return match end {
            Some((to, k)) => {
                LinkTarget::Local(df.switch(group, to), df.nth_local_port(switches, (to, here), k))
            }
            None => LinkTarget::Unused,
        };
    }
    match image.peer(port.0 - df.slot_port(0).0) {
        Some(end) => {
            let (index, slot) = df.split_port(end.port);
            LinkTarget::Global(df.switch(end.group, index), df.slot_port(slot))
        }
        None => LinkTarget::Unused,
    }
}
