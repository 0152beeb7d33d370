//! Sources with a window per destination switch, and the acknowledgements that close the count of a packet.
//!
//! A switch keeps the windows of its nodes ([`DestinationWindow`]), one for each other switch. A packet for a node of the
//! same switch is never held.
//!
//! Each packet is assumed to be acknowledged on its own, by control traffic that waits for nothing: the source hears of
//! it a number of cycles after its last flit has reached its node ([`Settings::acknowledgement`]), and of a lost packet
//! as late. It takes no bandwidth.

use crate::calendar::Calendar;
use crate::numbers::PortId;
use crate::owned_range::OwnedRange;
use crate::packet::PacketOrigin;
use crate::settings::Settings;
use crate::wakeups::NO_NODE;
use std::ops::Range;
use tvlb_firmware_model::DestinationWindow;
use tvlb_schema::{Dragonfly, NodeId, Port, SwitchId, WindowLimits};

/// A source's news of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Acknowledgement {
    pub(crate) from: SwitchId,
    to: SwitchId,
    /// From the cycle in which it was sent to that in which it arrived, or [`Self::LOST`].
    delay_cycles: u32,
}

impl Acknowledgement {
    const LOST: u32 = u32::MAX;
}

/// Acknowledgements under way, by the cycle and the chunk of their arrival.
#[derive(Debug)]
pub(crate) struct Acknowledgements {
    calendar: Calendar<Acknowledgement>,
    /// Cycles that one is under way.
    latency: u32,
    df: Dragonfly,
    port_bits: u32,
}

impl Acknowledgements {
    /// Empty, for packets that arrive at most `horizon` cycles after their delivery is known.
    pub(crate) fn new(
        settings: &Settings,
        df: &Dragonfly,
        (port_bits, chunks, horizon): (u32, usize, u32),
    ) -> Self {
        let latency = settings.acknowledgement();
        Self { calendar: Calendar::new(horizon + latency, chunks), latency, df: *df, port_bits }
    }

    /// The same with none under way.
    pub(crate) fn like(&self, chunks: usize) -> Self {
        let calendar = Calendar::new(self.calendar.horizon(), chunks);
        Self { calendar, ..*self }
    }

    /// Their bytes with none under way.
    pub(crate) fn bytes_ahead(horizon: u32, chunks: usize) -> u64 {
        Calendar::<Acknowledgement>::bytes_of_buckets(horizon, chunks)
    }

    /// How many bytes they hold.
    pub(crate) const fn bytes(&self) -> usize {
        self.calendar.bytes()
    }

    /// Acknowledges a packet that arrives at a node of a switch.
    #[cold]
    #[inline(never)]
    pub(crate) fn arrives(&mut self, origin: &PacketOrigin, to: SwitchId, arrival: u32) {
        self.file(origin, to, arrival, arrival - origin.sent);
    }

    /// Tells the source of a packet to a node of a switch that it is lost.
    pub(crate) fn lost(&mut self, origin: &PacketOrigin, to: SwitchId, now: u32) {
        self.file(origin, to, now, Acknowledgement::LOST);
    }

    fn file(&mut self, origin: &PacketOrigin, to: SwitchId, cycle: u32, delay_cycles: u32) {
        let (from, _) = self.df.switch_of(origin.source);
        if from != to {
            let told = Acknowledgement { from, to, delay_cycles };
            self.put(cycle + self.latency, told);
        }
    }

    /// Adds one that comes in a cycle.
    pub(crate) fn put(&mut self, cycle: u32, told: Acknowledgement) {
        let chunk = PortId::of_switch(told.from, Port(0), self.port_bits).chunk();
        self.calendar.file(cycle, chunk, told);
    }

    /// How many are under way.
    #[cfg(test)]
    pub(crate) fn under_way(&self) -> usize {
        self.calendar.iter().count()
    }

    /// Takes everything that comes to some chunks from others, which may be farther ahead than a flit or a credit.
    pub(crate) fn take_all(&mut self, from: &mut Self, now: u32, chunks: Range<usize>) {
        let cycles = now..now + from.calendar.horizon() + 1;
        from.drain(cycles, chunks, |cycle, told| self.put(cycle, told));
    }

    /// Takes out what comes to some chunks in some cycles.
    pub(crate) fn drain(
        &mut self,
        cycles: Range<u32>,
        chunks: Range<usize>,
        mut give: impl FnMut(u32, Acknowledgement),
    ) {
        self.calendar.drain(cycles, chunks, |cycle, _, told| give(cycle, told));
    }
}

/// The windows of some switches, and the held packets of their nodes.
#[derive(Debug)]
pub(crate) struct SourceWindows {
    limits: WindowLimits,
    /// How many windows a switch has: one for each switch.
    of_switch: usize,
    /// The windows of a switch one after the other, by the destination's number.
    places: OwnedRange<DestinationWindow>,
    /// For each node the destination of the packet that it holds, or [`NO_NODE`].
    held: OwnedRange<NodeId>,
}

impl SourceWindows {
    /// Windows with nothing under way.
    pub(crate) fn new(limits: WindowLimits, df: &Dragonfly) -> Self {
        let of_switch = df.switch_numbers() as usize;
        let places = vec![DestinationWindow::default(); of_switch * of_switch];
        Self {
            limits,
            of_switch,
            places: OwnedRange::whole(places),
            held: OwnedRange::whole(vec![NO_NODE; df.node_numbers() as usize]),
        }
    }

    /// How many bytes they take.
    pub(crate) fn bytes_of(df: &Dragonfly) -> u64 {
        let switches = u64::from(df.switch_numbers());
        switches * switches * size_of::<DestinationWindow>() as u64
            + u64::from(df.node_numbers()) * size_of::<NodeId>() as u64
    }

    /// How many bytes they hold.
    pub(crate) fn bytes(&self) -> usize {
        self.places.bytes() + self.held.bytes()
    }

    /// Keeps the windows of the switches, and what the nodes hold, before these.
    pub(crate) fn split_off(&mut self, switch: usize, node: usize) -> Self {
        Self {
            places: self.places.split_off(switch * self.of_switch),
            held: self.held.split_off(node),
            ..*self
        }
    }

    /// Appends those that follow on these.
    pub(crate) fn append(&mut self, rest: Self) {
        self.places.append(rest.places);
        self.held.append(rest.held);
    }

    /// The destinations of the packets that nodes hold.
    #[cfg(test)]
    pub(crate) fn held(&self) -> Vec<NodeId> {
        self.held.iter().copied().filter(|&held| held != NO_NODE).collect()
    }

    /// How many packets are under way by all windows.
    #[cfg(test)]
    pub(crate) fn under_way(&self) -> u64 {
        self.places.iter().map(|window| u64::from(window.under_way())).sum()
    }

    /// The window of a switch to another.
    fn window(&mut self, from: SwitchId, to: SwitchId) -> &mut DestinationWindow {
        &mut self.places[from.as_usize() * self.of_switch + to.as_usize()]
    }

    /// Whether a node holds a packet to a node of the switch that sent an acknowledgement.
    pub(crate) fn waits_for(&self, node: NodeId, told: Acknowledgement, df: &Dragonfly) -> bool {
        let held = self.held[node.as_usize()];
        held != NO_NODE && df.switch_of(held).0 == told.to
    }

    /// The destination of the packet that a node no longer holds.
    pub(crate) fn take_held(&mut self, node: NodeId) -> Option<NodeId> {
        let held = std::mem::replace(&mut self.held[node.as_usize()], NO_NODE);
        (held != NO_NODE).then_some(held)
    }

    /// Whether a packet of a node may set out; otherwise the node holds it.
    pub(crate) fn admit(
        &mut self,
        (node, from): (NodeId, SwitchId),
        (destination, to): (NodeId, SwitchId),
    ) -> bool {
        let limits = self.limits;
        if from == to || self.window(from, to).admit(limits) {
            return true;
        }
        self.held[node.as_usize()] = destination;
        false
    }

    /// Notes that a packet that was admitted did not set out.
    pub(crate) fn withdraw(&mut self, from: SwitchId, to: SwitchId) {
        if from != to {
            self.window(from, to).lose();
        }
    }

    /// Notes what a source hears.
    pub(crate) fn hear(&mut self, told: Acknowledgement) {
        let window = self.window(told.from, told.to);
        match told.delay_cycles {
            Acknowledgement::LOST => window.lose(),
            delay_cycles => window.acknowledge(delay_cycles),
        }
    }
}
