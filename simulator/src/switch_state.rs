//! The state of all switches' queues, in flat arrays.
//!
//! Every switch has a window of 2^(port bits + channel bits) entries, so the place of a buffer is
//! a few shifts away from switch, port and virtual channel. An *input channel* is the buffer of
//! one virtual channel at an input port; an *output channel* is the same buffer as the switch
//! upstream sees it: its credits, and which input channel holds it. By the symmetry of cables the
//! input channel behind output port o has the number that the peer gives its own port of that
//! cable, so one number per port serves flits one way and credits the other.
//!
//! Between steps these hold, and make it unnecessary to look at anything that cannot move:
//! - an output channel is in its switch's `pending` list just if it is not held and has waiters;
//! - the `ready` bit of an input channel is set just if it holds an output channel with a credit.

use crate::fabric::{Fabric, Link};
use crate::packet::{Flit, NONE};
use crate::settings::Settings;
use tvlb_firmware_model::{Credits, Header, Step, Switch};
use tvlb_schema::Port;

/// Windows are not made smaller than for 4 virtual channels and 16 ports, so that there are six
/// sizes and the pipeline can be compiled for each.
const LEAST_CHANNEL_BITS: u32 = 2;
const LEAST_PORT_BITS: u32 = 4;

/// The buffer of one virtual channel at an input port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputChannel {
    /// The flit at its head.
    pub(crate) head: Flit,
    /// The packet of the last flit; means nothing where there is none.
    pub(crate) tail: u32,
}

impl InputChannel {
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.head.packet == NONE
    }
}

/// Marks an output channel as held, in [`OutputChannel::last`].
const HELD: u16 = 1 << 15;

/// The buffer of one virtual channel downstream, as this switch sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputChannel {
    /// Input ports with a channel whose head wants it and does not hold it.
    pub(crate) waiters: u64,
    /// Credits left.
    pub(crate) free: u16,
    /// The input channel, within the switch, that holds it or held it last, and [`HELD`].
    last: u16,
    /// The input channels whose heads want it and do not hold it.
    pub(crate) waiting: u16,
    /// Which one that is, if it is one.
    pub(crate) lone: u16,
}

impl OutputChannel {
    /// The input channel that holds it.
    #[inline]
    pub(crate) const fn holder(&self) -> Option<u16> {
        if self.is_held() { Some(self.last & !HELD) } else { None }
    }

    #[inline]
    pub(crate) const fn is_held(&self) -> bool {
        self.last & HELD != 0
    }

    /// The input channel that held it last.
    #[inline]
    pub(crate) const fn held_last(&self) -> u16 {
        self.last & !HELD
    }

    #[inline]
    pub(crate) const fn hold(&mut self, input: u16) {
        self.last = input | HELD;
    }

    #[inline]
    pub(crate) const fn release(&mut self) {
        self.last &= !HELD;
    }
}

/// What is behind a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    Node,
    Switch,
    Nothing,
}

/// One port of a switch, both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortState {
    /// The first cycle in which the link behind it is free for another flit.
    pub(crate) departure: u32,
    /// The first channel of the peer's port, over all switches; or the node.
    pub(crate) peer: u32,
    /// Flits granted towards it.
    pub(crate) flits: u32,
    /// Cycles from a flit's departure to its arrival.
    pub(crate) crossing: u16,
    /// Cycles from a grant to the use of the credit upstream.
    pub(crate) credit: u16,
    /// Input channels that can go on: one bit each.
    pub(crate) ready: u8,
    /// The input channel that is looked at first.
    pub(crate) next_channel: u8,
    /// The input port that is looked at first when several want this output port.
    pub(crate) next_input: u8,
    pub(crate) behind: Behind,
}

impl PortState {
    #[inline]
    pub(crate) const fn peer_is_node(&self) -> bool {
        matches!(self.behind, Behind::Node)
    }
}

/// What each switch has to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    /// Input ports with a channel that can go on.
    pub(crate) ready: u64,
    /// The length of its list of output channels to hand out.
    pub(crate) pending: u16,
}

/// All switches.
#[derive(Debug)]
pub(crate) struct SwitchStates {
    pub(crate) channel_bits: u32,
    pub(crate) port_bits: u32,
    pub(crate) channels: u8,
    pub(crate) inputs: Vec<InputChannel>,
    pub(crate) outputs: Vec<OutputChannel>,
    pub(crate) ports: Vec<PortState>,
    pub(crate) work: Vec<Work>,
    pub(crate) pending: Vec<u16>,
    /// One bit for each switch that has something to do.
    pub(crate) active: Vec<u64>,
}

impl SwitchStates {
    pub(crate) fn new(fabric: &Fabric<'_>, settings: &Settings, channels: u8) -> Self {
        let df = fabric.dragonfly();
        let channel_bits =
            u32::from(channels).next_power_of_two().trailing_zeros().max(LEAST_CHANNEL_BITS);
        let port_bits = df.radix().next_power_of_two().trailing_zeros().max(LEAST_PORT_BITS);
        let switches = df.switch_count() as usize;
        let all_ports = switches << port_bits;
        let all_channels = all_ports << channel_bits;
        let mut ports = Vec::with_capacity(all_ports);
        for switch in df.switches() {
            for port in 0..1_u16 << port_bits {
                ports.push(port_state(fabric.link(switch, Port(port)), settings, |to, port| {
                    (u32::from(to) << port_bits | u32::from(port)) << channel_bits
                }));
            }
        }
        let input = InputChannel { head: Flit::NONE, tail: NONE };
        let output =
            OutputChannel { waiters: 0, free: settings.buffer, last: 0, waiting: 0, lone: 0 };
        Self {
            channel_bits,
            port_bits,
            channels,
            inputs: vec![input; all_channels],
            outputs: vec![output; all_channels],
            ports,
            work: vec![Work::default(); switches],
            pending: vec![0; all_channels],
            active: vec![0; switches.div_ceil(64)],
        }
    }

    /// The bits of a channel's number within its switch.
    #[inline]
    pub(crate) const fn window_bits(&self) -> u32 {
        self.port_bits + self.channel_bits
    }

    /// The first channel of a switch.
    #[inline]
    pub(crate) const fn window(&self, switch: usize) -> usize {
        switch << self.window_bits()
    }

    #[inline]
    pub(crate) fn wake(&mut self, switch: usize) {
        self.active[switch >> 6] |= 1 << (switch & 63);
    }

    /// An input channel can take part in switch allocation.
    #[inline]
    pub(crate) fn make_ready(&mut self, switch: usize, input: u16) {
        let (port, channel) = (input >> self.channel_bits, input & ((1 << self.channel_bits) - 1));
        self.ports[switch << self.port_bits | usize::from(port)].ready |= 1 << channel;
        self.work[switch].ready |= 1 << port;
    }

    /// The view that a switch has of its queues.
    pub(crate) fn queues<'n>(
        &'n self,
        switches: &'n [Switch<'n>],
        switch: usize,
        buffer: u16,
    ) -> Queues<'n> {
        Queues { states: self, switches, switch, buffer: buffer.into() }
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.inputs)
            + size_of_val(&*self.outputs)
            + size_of_val(&*self.ports)
            + size_of_val(&*self.work)
            + size_of_val(&*self.pending)
            + size_of_val(&*self.active)
    }
}

fn port_state(link: Link, settings: &Settings, number: impl Fn(u16, u16) -> u32) -> PortState {
    let (behind, latency, peer) = match link {
        Link::Terminal(node) => (Behind::Node, settings.node_latency, node.0),
        Link::Local(to, port) => (Behind::Switch, settings.local_latency, number(to.0, port.0)),
        Link::Global(to, port) => (Behind::Switch, settings.global_latency, number(to.0, port.0)),
        Link::Unused => (Behind::Nothing, 1, 0),
    };
    PortState {
        departure: 0,
        peer,
        crossing: latency + 1,
        credit: latency + 1 + settings.credit_delay,
        ready: 0,
        next_channel: 0,
        next_input: 0,
        behind,
        flits: 0,
    }
}

/// A switch's view of its queues, and for UGAL-G that of everybody's.
pub(crate) struct Queues<'n> {
    states: &'n SwitchStates,
    switches: &'n [Switch<'n>],
    switch: usize,
    buffer: u32,
}

impl Queues<'_> {
    fn used_at(&self, switch: usize, port: Port) -> u32 {
        let states = self.states;
        let first = states.window(switch) | usize::from(port.0) << states.channel_bits;
        let channels = &states.outputs[first..first + usize::from(states.channels)];
        channels.iter().map(|channel| self.buffer - u32::from(channel.free)).sum()
    }
}

impl Credits for Queues<'_> {
    #[inline]
    fn used(&self, port: Port) -> u32 {
        self.used_at(self.switch, port)
    }

    /// Walks the header with each switch's own datapath and adds up what lies before each port
    /// on the way; the queue before the node is not part of a path between switches.
    fn used_along(&self, header: Header) -> Option<u32> {
        let (mut at, mut header, mut sum) = (self.switch, header, 0);
        loop {
            match self.switches[at].forward(header).ok()? {
                Step::Deliver { .. } => return Some(sum),
                Step::Send { port, header: moved, .. } => {
                    sum += self.used_at(at, port);
                    let states = self.states;
                    let peer = states.ports[at << states.port_bits | usize::from(port.0)].peer;
                    at = (peer >> states.window_bits()) as usize;
                    header = moved;
                }
            }
        }
    }
}
