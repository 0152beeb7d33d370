//! A run in which parts die and are mended, as a [`FaultSchedule`] says.
//!
//! **What dies.** From the cycle of an entry on, a dead link carries nothing in either direction, and a dead switch has
//! no links, no packets in its buffers and no nodes that send. A packet is lost on a link exactly if the link was dead
//! in one of the cycles from the packet's departure to its arrival; this is detected, and counted, in the cycle of its
//! arrival. A packet that has won its last switch allocation counts as delivered.
//!
//! **Who knows.** A switch acts by its own fault image. Until it has taken the image it sends onto a dead link as onto
//! any other, and those packets are lost there. With the image it takes the switch image that an update has for it,
//! between the same two cycles. When it takes an image, it checks the packets in its buffers whose next link is dead by
//! that image, and from then on every packet that arrives: [`Switch::forward`] says, from the header with which the
//! packet arrived, where it goes on, which can be another link to the same switch, or through a third switch; if it
//! fails, the packet is dropped at once. A mended switch continues with the fault image that it took last.
//!
//! **Credits.** Links are reset at both ends: the place of a lost packet in the buffer at the end of a link returns to
//! the sender as a credit, as late as if the buffer had passed the packet on in the cycle in which it was lost; and a
//! credit on its way over a link that dies is not lost. So a queue before a dead link never stalls, the credits of each
//! link add up in every cycle, and a mended link works with its whole buffer.

use crate::fabric::{BootedFabric, BootedFor};
use crate::faults::{FaultSchedule, ScheduledFaults, switch_id};
use crate::losses::{Cause, Loss};
use crate::numbers::{LocalChannel, PacketId, PortId};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Error, Header, Step, Switch};
use tvlb_schema::{NodeId, Port, SwitchId};
use tvlb_traffic::below;

/// The bits of a header that contain its stage and virtual channel: zeros at the source.
const STAGE_AND_CHANNEL: u64 = 0xfc;

/// Whether a part is dead, and when it last died and was mended.
#[derive(Clone, Copy, Debug, Default)]
struct Life {
    is_dead: bool,
    died: u32,
    mended: u32,
}

impl Life {
    /// Sets whether it is dead from a cycle on; returns whether that is new.
    const fn set(&mut self, is_dead: bool, cycle: u32) -> bool {
        let is_new = is_dead != self.is_dead;
        self.is_dead = is_dead;
        if is_new && is_dead {
            self.died = cycle;
        } else if is_new {
            self.mended = cycle;
        }
        is_new
    }

    /// Whether it was dead in a cycle from this one to the present.
    const fn was_dead_since(self, cycle: u32) -> bool {
        self.is_dead || cycle < self.mended
    }

    /// Whether it was dead in this cycle; earlier deaths are forgotten.
    const fn was_dead_in(self, cycle: u32) -> bool {
        self.was_dead_since(cycle) && self.died <= cycle
    }
}

/// Something that happens before a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incident {
    pub(crate) cycle: u32,
    pub(crate) entry: usize,
    /// The switch that takes the entry's fault image; `None` if parts die and are mended.
    pub(crate) switch: Option<SwitchId>,
}

/// What is dead in a run, and the events to come.
#[derive(Debug)]
pub(crate) struct Damage<'f> {
    schedule: &'f FaultSchedule,
    /// In the order in which they happen.
    events: Vec<Incident>,
    /// The first event that has not happened.
    next: usize,
    /// By port: the link, or the port's switch.
    links: Vec<Life>,
    /// By number.
    switches: Vec<Life>,
    /// By switch number: the entry whose fault image the switch has.
    images: Vec<Option<usize>>,
    /// By node: whether it woke up while its switch was dead, so that no wake-up is set.
    asleep: Vec<bool>,
    /// For each place of the pool, the header with which the packet came to its switch.
    arrived: Vec<u64>,
}

/// What happens to a packet in a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PacketFate {
    Stays,
    /// It wants another output channel, and goes on with another header.
    Turns(LocalChannel, u64),
    Lost(Loss),
}

impl<'f> Damage<'f> {
    /// Nothing has happened yet. The delays are drawn from these random numbers.
    pub(crate) fn new(
        fabric: &BootedFabric<'_>,
        schedule: &'f FaultSchedule,
        ports: usize,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let df = fabric.dragonfly();
        let (least, most) = (*schedule.delay().start(), *schedule.delay().end());
        let mut events = Vec::new();
        // The new parts of a fabric that has grown do not exist before.
        events.extend(schedule.before.as_ref().map(|_| Incident {
            cycle: 0,
            entry: 0,
            switch: None,
        }));
        for (entry, &ScheduledFaults { cycle, .. }) in schedule.entries.iter().enumerate() {
            events.push(Incident { cycle, entry, switch: None });
            events.extend(df.switches().map(|switch| {
                let cycle = cycle + least + below(rng, most - least + 1);
                Incident { cycle, entry, switch: Some(switch) }
            }));
        }
        // Parts die before the switches of the same cycle take images.
        events.sort_by_key(|&Incident { cycle, entry, switch }| (cycle, switch.is_some(), entry));
        let numbers = df.switch_numbers() as usize;
        // A switch that is new has no other tables.
        let is_new = |number: u32| {
            let before = schedule.before.as_ref();
            before.is_some_and(|before| !before.switches.contains_key(&switch_id(number)))
        };
        let images = (0..df.switch_numbers()).map(|number| is_new(number).then_some(0)).collect();
        Self {
            schedule,
            events,
            next: 0,
            links: vec![Life::default(); ports],
            switches: vec![Life::default(); numbers],
            images,
            asleep: vec![false; df.node_numbers() as usize],
            arrived: Vec::new(),
        }
    }

    pub(crate) fn next_cycle(&self) -> u32 {
        self.events.get(self.next).map_or(u32::MAX, |event| event.cycle)
    }

    /// Takes the next event if it is due at a cycle.
    pub(crate) fn take_due(&mut self, now: u32) -> Option<Incident> {
        let event = self.events.get(self.next).copied().filter(|event| event.cycle <= now)?;
        self.next += 1;
        Some(event)
    }

    /// From this cycle on exactly the parts of an entry are dead. Returns the switches that die and, with `false`,
    /// those that are mended.
    pub(crate) fn die_and_mend(&mut self, entry: usize, now: u32) -> Vec<(SwitchId, bool)> {
        let entry = &self.schedule.entries[entry];
        let drains = entry.is_draining && now >= entry.cycle;
        let dies = |part: &Life, is_listed: bool| is_listed && (part.is_dead || !drains);
        for (link, &is_listed) in self.links.iter_mut().zip(&entry.ports) {
            link.set(dies(link, is_listed), now);
        }
        let switches = (0..).zip(self.switches.iter_mut().zip(&entry.switches));
        let changed = switches.filter_map(|(number, (switch, &is_listed))| {
            let is_dead = dies(switch, is_listed);
            switch.set(is_dead, now).then_some((switch_id(number), is_dead))
        });
        changed.collect()
    }

    /// Lets a switch take the images of an entry: the fault image and, if its tables change, the switch image. Returns
    /// whether it took them: it does not if it has those of a later entry.
    ///
    /// # Errors
    /// An error that no delay explains.
    pub(crate) fn install(
        &mut self,
        fabric: &'f BootedFabric<'f>,
        switch: &mut Switch<'f>,
        entry: usize,
        booted_for: BootedFor,
    ) -> Result<bool, Error> {
        let (at, schedule) = (switch.image().switch(), self.schedule);
        let is_before = switch.image().fabric().identity() != fabric.plan().identity();
        // One that was under way longer than its successor is refused.
        match switch.install_faults(&schedule.entries[entry].image) {
            Err(Error::OldFaults { .. }) => return Ok(false),
            Err(error) if !is_before => return Err(error),
            _ => {}
        }
        let own = |entry: usize| schedule.entries[entry].switch_images.get(&at);
        let before = self.images[at.as_usize()].replace(entry);
        if is_before || before.and_then(own) != own(entry) {
            let new = self.installed(fabric, at, booted_for)?;
            switch.check_replacement(&new)?;
            *switch = new;
        }
        Ok(true)
    }

    /// A switch with its images: the switch image of the entry whose fault image it took last, or else the fabric's,
    /// and that fault image; the tables before the growth, if it took none. It gives packets only the channels that the
    /// links have.
    ///
    /// # Errors
    /// An image that it cannot take.
    pub(crate) fn installed(
        &self,
        fabric: &'f BootedFabric<'f>,
        at: SwitchId,
        booted_for: BootedFor,
    ) -> Result<Switch<'f>, Error> {
        let schedule = self.schedule;
        let entry = self.images[at.as_usize()].map(|entry| &schedule.entries[entry]);
        let before = match &schedule.before {
            Some(before) if entry.is_none() => before.boot(at)?,
            _ => None,
        };
        let switch = match (before, entry.and_then(|entry| entry.switch_images.get(&at))) {
            (Some(before), _) => before,
            (None, Some(bytes)) => Switch::boot_in(fabric.plan(), bytes)?,
            (None, None) => fabric.switches()[at.as_usize()].clone(),
        };
        let mut switch = booted_for.boot(switch)?;
        if let Some(entry) = entry {
            switch.install_faults(&entry.image)?;
        }
        Ok(switch)
    }

    /// Puts a node that wakes up to sleep if its switch is dead. Returns whether it is.
    #[cold]
    #[inline(never)]
    pub(crate) fn puts_to_sleep(&mut self, node: NodeId, switch: SwitchId) -> bool {
        let is_dead = self.is_dead(switch);
        self.asleep[node.as_usize()] |= is_dead;
        is_dead
    }

    /// Whether a switch is dead.
    pub(crate) fn is_dead(&self, switch: SwitchId) -> bool {
        self.switches[switch.as_usize()].is_dead
    }

    /// Whether a node sleeps, which it does no longer.
    pub(crate) fn wakes(&mut self, node: NodeId) -> bool {
        std::mem::take(&mut self.asleep[node.as_usize()])
    }

    /// The loss of a packet that arrives at a port now, and left at the other end in the cycle `departure`; `None` if
    /// it arrives. `upstream` is the port at the other end, unless that is a node.
    pub(crate) fn loss_on_link(
        &self,
        port: PortId,
        upstream: Option<PortId>,
        departure: u32,
        port_bits: u32,
    ) -> Option<Loss> {
        if !self.links[port.index()].was_dead_since(departure) {
            return None;
        }
        // It did not leave the output queue of the dead switch.
        let was_dead =
            |from: PortId| self.switches[from.switch(port_bits).as_usize()].was_dead_in(departure);
        let cause = match upstream {
            Some(from) if !was_dead(from) => Cause::DeadLink,
            _ => Cause::DeadSwitch,
        };
        Some(Loss { cause, port: upstream })
    }

    /// Notes the header with which a packet came to its switch.
    pub(crate) fn note_header(&mut self, packet: PacketId, header: u64) {
        if packet.index() >= self.arrived.len() {
            self.arrived.resize(packet.index() + 1, 0);
        }
        self.arrived[packet.index()] = header;
    }

    /// Whether the fault image of a switch lists the link of its port as dead.
    fn is_known_dead(&self, port: PortId, port_bits: u32) -> bool {
        let image = self.images[port.switch(port_bits).as_usize()];
        image.is_some_and(|entry| self.schedule.entries[entry].ports[port.index()])
    }

    /// What happens to a packet at a switch that was to leave through an output channel to another switch.
    ///
    /// # Errors
    /// An error that no dead part explains.
    pub(crate) fn judge(
        &self,
        switch: &Switch<'_>,
        packet: PacketId,
        out: LocalChannel,
        channel_map: [u8; 8],
        port_bits: u32,
    ) -> Result<PacketFate, Error> {
        let at = switch.image().switch();
        let first = PortId::of_switch(at, Port(0), port_bits);
        if !self.is_known_dead(out.port().in_chunk(first.chunk()), port_bits) {
            return Ok(PacketFate::Stays);
        }
        match forward(switch, self.arrived[packet.index()]) {
            Ok(Step::Send { port, virtual_channel, header }) => {
                let channel = channel_map[usize::from(virtual_channel & 7)];
                let out = LocalChannel::of_switch(first.local(), port, channel.into());
                Ok(PacketFate::Turns(out, header.bits()))
            }
            // It would have been delivered already.
            Ok(Step::Deliver { .. }) => Ok(PacketFate::Stays),
            Err(error) => loss_of(&error, at, port_bits).map(PacketFate::Lost).ok_or(error),
        }
    }

    /// What happens to a packet that arrives at a switch from another one: it is lost if it is refused.
    ///
    /// # Errors
    /// An error that no dead part explains.
    pub(crate) fn judge_arrival(
        &self,
        switch: &Switch<'_>,
        packet: PacketId,
        port_bits: u32,
    ) -> Result<PacketFate, Error> {
        match forward(switch, self.arrived[packet.index()]) {
            Ok(_) => Ok(PacketFate::Stays),
            Err(error) => {
                let at = switch.image().switch();
                loss_of(&error, at, port_bits).map(PacketFate::Lost).ok_or(error)
            }
        }
    }
}

/// The header of a packet at its source, from that with which it leaves.
pub(crate) const fn at_source(header: u64) -> u64 {
    header & !STAGE_AND_CHANNEL
}

/// The next step of a packet with this header. Separate, so that the compiler inlines [`Switch::forward`] into the hot
/// loop.
#[cold]
#[inline(never)]
fn forward(switch: &Switch<'_>, header: u64) -> Result<Step, Error> {
    switch.forward(Header::from_bits(header))
}

/// The loss that a switch's error means if parts may be dead; `None` for errors that no dead part explains.
fn loss_of(error: &Error, at: SwitchId, port_bits: u32) -> Option<Loss> {
    let port = match *error {
        Error::NoCable { port, .. } => Some(PortId::of_switch(at, port, port_bits)),
        _ => None,
    };
    Some(Loss { cause: Cause::of(error)?, port })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_lost_if_its_link_was_dead_while_it_was_on_it() {
        let mut link = Life::default();
        assert!(!link.was_dead_since(0));
        assert!(link.set(true, 10) && !link.set(true, 11));
        assert!(link.was_dead_since(5) && link.was_dead_since(12));
        assert!(!link.was_dead_in(9) && link.was_dead_in(10) && link.was_dead_in(12));
        assert!(link.set(false, 20));
        // It left before the link was mended, and arrives after.
        assert!(link.was_dead_since(5) && link.was_dead_since(19) && !link.was_dead_since(20));
        assert!(!link.was_dead_in(9) && link.was_dead_in(19) && !link.was_dead_in(20));
    }
}
