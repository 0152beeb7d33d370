//! Which parts die and are mended during a run, and when the switches hear of it.
//!
//! A [`FaultSchedule`] says from which cycle on which parts are dead. At that cycle they stop working at once. The
//! switches do not know it yet: each takes the fault image that names the dead parts after a delay of its own, drawn
//! from the run's seed, and with it the switch image that an update has for it. Parts that an entry drains go on
//! working, and are dead only if they were dead before.
//!
//! A schedule can begin with the tables of a smaller fabric, from which that of the run has grown: its switches have
//! those until they take the images of the first entry that reaches them.

use crate::fabric::{BootedFabric, LinkTarget};
use crate::numbers::PortId;
use crate::settings::{MOST_CYCLES, Settings};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use tvlb_base::text::Refused;
use tvlb_firmware_model::{Error, Scheme, Switch, VlbPaths};
use tvlb_schema::{
    End, FabricImage, FaultSet, LocalLink, Port, SwitchId, SwitchIndex, encode_fault_image,
};

/// The dead parts from a cycle on.
#[derive(Clone, Debug)]
pub(crate) struct ScheduledFaults {
    /// The first cycle.
    pub(crate) cycle: u32,
    /// The fault image with them.
    pub(crate) image: Vec<u8>,
    /// Whether the listed parts are drained: they are dead only if they were dead before.
    pub(crate) is_draining: bool,
    /// The switch images that are taken with it, if they differ from the fabric's.
    pub(crate) switch_images: BTreeMap<SwitchId, Vec<u8>>,
    /// By switch number: whether the switch is dead.
    pub(crate) switches: Vec<bool>,
    /// By [`PortId`]: whether the link of the port is dead, or its switch.
    pub(crate) ports: Vec<bool>,
}

/// From which cycles on which parts of a fabric are dead, and the delays with which its switches take the fault images.
#[derive(Clone, Debug)]
pub struct FaultSchedule {
    identity: u64,
    pub(crate) entries: Vec<ScheduledFaults>,
    delay: RangeInclusive<u32>,
    pub(crate) before: Option<TablesBefore>,
}

/// The tables of switches before they take those of a fabric that has grown.
#[derive(Clone, Debug)]
pub struct TablesBefore {
    /// The fabric image.
    pub fabric: Vec<u8>,
    /// The image of each switch that existed.
    pub switches: BTreeMap<SwitchId, Vec<u8>>,
}

impl TablesBefore {
    /// A switch with these tables, if it existed.
    pub(crate) fn boot(&self, switch: SwitchId) -> Result<Option<Switch<'_>>, Error> {
        let image = self.switches.get(&switch);
        image.map(|image| Switch::boot(&self.fabric, image)).transpose()
    }

    /// The given number of channels, or as many as these tables need.
    ///
    /// # Errors
    /// The settings give links fewer than these tables need.
    pub(crate) fn channels_for(
        &self,
        settings: &Settings,
        fabric: &BootedFabric<'_>,
        channels: u8,
    ) -> Result<u8, Refused> {
        let (least, of_any_path) = self.channels(settings.scheme.of_switch(), settings.paths);
        match settings.virtual_channels {
            None => Ok(channels.max(of_any_path)),
            Some(found) if found < least => {
                let why = "the tables that the switches have at first need so many";
                Err(settings.too_few(fabric, (found, least), why))
            }
            Some(_) => Ok(channels),
        }
    }

    /// The channels that links need with these tables for packets of a scheme by these paths, and those that are
    /// enough for any path.
    fn channels(&self, scheme: Scheme, paths: VlbPaths) -> (u8, u8) {
        let booted = self.switches.keys().filter_map(|&switch| self.boot(switch).ok().flatten());
        booted.fold((0, 0), |(least, of_any_path), switch| {
            let needed = switch.channels_needed_for(scheme, paths).most();
            (least.max(needed), of_any_path.max(switch.channels_needed(scheme).most()))
        })
    }
}

impl FaultSchedule {
    /// A schedule for a fabric. Each entry has a cycle and *everything* that is dead from that cycle on: parts that an
    /// earlier entry lists and this one does not are mended. Every switch takes the fault image of an entry at the
    /// entry's cycle plus a delay, which a run draws for each entry and switch uniformly from `delay`; `0..=0` means at
    /// once.
    ///
    /// # Errors
    /// Entries out of order, an empty range of delays, or parts that the fabric does not have.
    pub fn new(
        fabric: &BootedFabric<'_>,
        entries: &[(u32, FaultSet)],
        delay: RangeInclusive<u32>,
    ) -> Result<Self, Refused> {
        let (least, most) = (*delay.start(), *delay.end());
        if least > most {
            let found = format!("fault delay: the least is {least} cycles and the largest {most}");
            return Err(Refused::new(found, "a least one that is not above the largest"));
        }
        for pair in entries.windows(2) {
            let (before, found) = (pair[0].0, pair[1].0);
            if found <= before {
                let found =
                    format!("faults: the entry of cycle {found} follows that of cycle {before}");
                return Err(Refused::new(found, "a later cycle"));
            }
        }
        let last = entries.last().map_or(0, |entry| u64::from(entry.0)) + u64::from(most);
        if last > MOST_CYCLES.into() {
            let found = format!("faults: a fault image would arrive at cycle {last}");
            return Err(Refused::new(found, format!("at most {MOST_CYCLES}")));
        }
        let plan = fabric.plan();
        let entries = (1..).zip(entries).map(|(epoch, (cycle, faults))| {
            check(plan, faults).map_err(|part| {
                let found = format!("{part}, which the fabric does not have");
                Refused::new(format!("faults from cycle {cycle} on: {found}"), "")
            })?;
            Ok(ScheduledFaults::new(fabric, epoch, *cycle, faults))
        });
        let entries = entries.collect::<Result<_, _>>()?;
        Ok(Self { identity: plan.identity(), entries, delay, before: None })
    }

    /// The same schedule, but each of these switches takes this image together with the fault image of an entry, given
    /// by its position in the order of cycles. All other switches have the fabric's image from then on, whatever an
    /// earlier entry gave them.
    ///
    /// # Errors
    /// The first image that its switch cannot take: it is invalid, or of another switch, other cables or another
    /// assignment of virtual channels.
    ///
    /// # Panics
    /// There is no such entry, or a switch that the fabric does not have.
    pub fn with_switch_images(
        mut self,
        fabric: &BootedFabric<'_>,
        entry: usize,
        images: BTreeMap<SwitchId, Vec<u8>>,
    ) -> Result<Self, Refused> {
        let cycle = self.entries[entry].cycle;
        for (&switch, image) in &images {
            let old = &fabric.switches()[switch.as_usize()];
            Switch::boot_in(fabric.plan(), image)
                .and_then(|new| old.check_replacement(&new))
                .map_err(|error| {
                    let switch = fabric.named(switch);
                    let image = format!("the image of switch {switch}: {error}");
                    Refused::new(format!("faults from cycle {cycle} on: {image}"), "")
                })?;
        }
        self.entries[entry].switch_images = images;
        Ok(self)
    }

    /// The same schedule in a fabric that has grown: until a switch takes the images of an entry it has these tables,
    /// and the parts that they lack are dead. The first entry, from a later cycle than 0 on, lists the new parts as
    /// drained, and a later one enables them.
    ///
    /// # Errors
    /// No entry, or a first switch that cannot replace these tables by the fabric's, with the parts of the first entry.
    pub fn grown_from(
        mut self,
        fabric: &BootedFabric<'_>,
        before: TablesBefore,
    ) -> Result<Self, Refused> {
        let Some(first) = self.entries.first().filter(|first| first.cycle > 0) else {
            let found = "faults: no entry, or one from cycle 0 on, in a fabric that has grown";
            return Err(Refused::new(found, "a first one from a later cycle on"));
        };
        for &switch in before.switches.keys() {
            let grows = || {
                let there = fabric.dragonfly().has_switch(switch);
                let mut new = match first.switch_images.get(&switch) {
                    Some(image) => Switch::boot_in(fabric.plan(), image)?,
                    None if there => fabric.switches()[switch.as_usize()].clone(),
                    None => return Ok(()),
                };
                new.install_faults(&first.image)?;
                before.boot(switch)?.map_or(Ok(()), |old| old.check_replacement(&new))
            };
            grows().map_err(|error: Error| {
                let switch = fabric.named(switch);
                Refused::new(format!("faults: the images of switch {switch}: {error}"), "")
            })?;
        }
        self.before = Some(before);
        Ok(self)
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing ever dies.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The range of the switches' delays.
    pub const fn delay(&self) -> &RangeInclusive<u32> {
        &self.delay
    }

    /// Whether it was made for this fabric.
    pub(crate) fn check(&self, fabric: &BootedFabric<'_>) -> Result<(), Refused> {
        let (found, needed) = (self.identity, fabric.plan().identity());
        if found == needed {
            return Ok(());
        }
        let found = format!("faults: they are of the fabric with identity {found:#018x}");
        Err(Refused::new(found, format!("{needed:#018x}, which is simulated")))
    }
}

impl ScheduledFaults {
    fn new(fabric: &BootedFabric<'_>, epoch: u32, cycle: u32, faults: &FaultSet) -> Self {
        let (plan, df) = (fabric.plan(), fabric.dragonfly());
        let dead = |switch: SwitchId| faults.switches.contains(&switch);
        // Either end names a cable.
        let peers = faults.cables.iter().filter_map(|&end| plan.peer(end));
        let cables: BTreeSet<End> = faults.cables.iter().copied().chain(peers).collect();
        let bits = df.radix().next_power_of_two().trailing_zeros();
        let port = |number: u32| {
            let id = PortId::new(number);
            let (at, port) = (id.switch(bits), id.at_switch(bits));
            match fabric.link(at, port) {
                LinkTarget::Unused => false,
                LinkTarget::Terminal(_) => dead(at),
                LinkTarget::Local(to, _) => {
                    dead(at)
                        || dead(to)
                        || faults.local_links.contains(&local_link(fabric, at, port))
                }
                LinkTarget::Global(to, _) => {
                    let (group, index) = df.place(at);
                    let end = End::new(df, group, index, port.0 - df.slot_port(0).0);
                    dead(at) || dead(to) || cables.contains(&end)
                }
            }
        };
        Self {
            cycle,
            image: encode_fault_image(plan, epoch, faults),
            is_draining: faults.is_draining,
            switch_images: BTreeMap::new(),
            switches: (0..df.switch_numbers()).map(|n| dead(switch_id(n))).collect(),
            ports: (0..df.switch_numbers() << bits).map(port).collect(),
        }
    }
}

/// The link within a group that a port has.
///
/// # Panics
/// The port is not one of a link within a group.
pub(crate) fn local_link(fabric: &BootedFabric<'_>, at: SwitchId, port: Port) -> LocalLink {
    let df = fabric.dragonfly();
    let (group, own) = df.place(at);
    let (other, number) =
        df.local_end(df.switches_of(group), own, port).expect("a port of a link within a group");
    let number = u16::try_from(number).expect("a switch has at most 256 ports");
    LocalLink { low: df.switch(group, own.min(other)), high: own.max(other), number }
}

pub(crate) fn switch_id(number: u32) -> SwitchId {
    SwitchId(u16::try_from(number).expect("at most 2^16 switches"))
}

/// The first part that a fabric does not have, in words.
fn check(plan: &FabricImage<'_>, faults: &FaultSet) -> Result<(), String> {
    let df = plan.dragonfly();
    if let Some(switch) = faults.switches.iter().find(|&&switch| !df.has_switch(switch)) {
        return Err(format!("switch {switch}"));
    }
    if let Some(End { group, port }) =
        faults.cables.iter().find(|&&end| plan.port_link(end).is_none())
    {
        return Err(format!("the cable of group {group}, port {port}"));
    }
    let is_planned = |&&LocalLink { low, high, number }: &&LocalLink| {
        let (group, index) = df.place(low);
        let are_there = df.has_switch(low) && index < high && df.has_index(group, high);
        are_there && u32::from(number) < plan.planned_local_links(group, index, high)
    };
    match faults.local_links.iter().find(|link| !is_planned(link)) {
        Some(&LocalLink { low, high: SwitchIndex(high), number }) => Err(format!(
            "link {number} from switch {low} to the switch of index {high} of its group"
        )),
        None => Ok(()),
    }
}
