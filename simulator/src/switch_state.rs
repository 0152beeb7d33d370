//! The state of all switches' queues, in flat arrays.
//!
//! Every switch has 2^(port bits) places for its ports, and a *port number* counts over all
//! switches. A *chunk* is 256 ports with consecutive numbers: one or more whole switches. A
//! *channel number* is made of chunk, virtual channel and port within the chunk, in this order, so
//! that the channels of one VC lie together and a VC that is never used costs no cache. Within
//! its chunk a channel has the low 11 bits of its number.
//!
//! An *input channel* is the buffer of one virtual channel at an input port; an *output channel*
//! is the same buffer as the switch upstream sees it: its credits, and which input channel holds
//! it. By the symmetry of cables the input channel behind an output port has the number that the
//! peer gives its own port of that cable, so one number per port serves flits one way and credits
//! the other. Nodes see the buffers that they send to as output channels too, numbered as those
//! buffers are, behind all switches' channels.
//!
//! Between steps these hold, and make it unnecessary to look at anything that cannot move:
//! - an output channel is in `pending` just if it is not held and has waiters;
//! - the `ready` bit of an input channel is set just if it holds an output channel with a credit;
//! - an input port is in `ready` just if one of its channels has that bit set.
//!
//! These lists are kept, and cycles are run, for one *chunk* of switches after the other: as many
//! as make a few kilobytes, so that what one part of a cycle has looked at is still at hand for
//! the next, and for the next cycle.

use crate::fabric::{Fabric, Link, MOST_PORTS};
use crate::packet::NONE;
use crate::settings::Settings;
use crate::worklist::WorkList;
use std::array;
use tvlb_firmware_model::{self as datapath, Credits, Header, Step};
use tvlb_schema::{Port, Switch};

/// The bits of a port's number within its chunk. The state of a chunk's ports fits a first-level
/// cache.
pub(crate) const PORT_BITS: u32 = MOST_PORTS.ilog2();
/// The ports of a chunk.
pub(crate) const PORTS: usize = MOST_PORTS as usize;
/// Those bits, all set.
pub(crate) const PORT_MASK: u32 = MOST_PORTS - 1;
/// The bits of a channel's number within its chunk.
const CHUNK_BITS: u32 = PORT_BITS + 3;
/// Those bits, all set.
pub(crate) const CHUNK_MASK: u32 = (1 << CHUNK_BITS) - 1;
/// The channels of a chunk.
pub(crate) const CHANNELS: usize = 1 << CHUNK_BITS;

/// The chunk of a channel.
#[inline]
pub(crate) const fn chunk_of(channel: u32) -> usize {
    (channel >> CHUNK_BITS) as usize
}

/// The number of a port's virtual channel.
#[inline]
pub(crate) const fn channel_of(port: u32, virtual_channel: u32) -> u32 {
    (port & !PORT_MASK) << 3 | virtual_channel << PORT_BITS | port & PORT_MASK
}

/// The port of a channel.
#[inline]
pub(crate) const fn port_of(channel: u32) -> u32 {
    channel >> CHUNK_BITS << PORT_BITS | channel & PORT_MASK
}

/// The virtual channel of a channel.
#[inline]
pub(crate) const fn virtual_channel_of(channel: u32) -> u32 {
    channel >> PORT_BITS & 7
}

/// A channel of the same port by the bits of its virtual channel in a channel's number.
#[inline]
pub(crate) const fn with_virtual_channel_of(first: u32, channel: u32) -> u32 {
    first | channel & CHUNK_MASK & !PORT_MASK
}

/// The low 16 bits of a number of which only they matter.
#[inline]
pub(crate) const fn low_u16(n: u32) -> u16 {
    (n & 0xffff) as u16
}

/// The low 8 bits of a number of which only they matter.
#[inline]
pub(crate) const fn low_u8(n: u32) -> u8 {
    (n & 0xff) as u8
}

/// No channel of a chunk.
pub(crate) const NO_CHANNEL: u16 = u16::MAX;

/// The buffer of one virtual channel at an input port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputChannel {
    /// The packet at its head, or [`NONE`].
    pub(crate) head: u32,
    /// The last packet; means nothing where there is none.
    pub(crate) tail: u32,
    /// The output channel that the head wants or holds, within the chunk.
    pub(crate) out: u16,
    /// While the head waits for that: the next input channel that waits for it too, within the
    /// switch, or [`NO_CHANNEL`].
    pub(crate) next_waiter: u16,
}

impl InputChannel {
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.head == NONE
    }
}

/// Marks an output channel as held, in [`OutputChannel::last`].
const HELD: u16 = 1 << 15;

/// The buffer of one virtual channel downstream, as this switch or node sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputChannel {
    /// One of the input channels whose heads want it and do not hold it, within the chunk, the
    /// others linked to it; or [`NO_CHANNEL`].
    pub(crate) first_waiter: u16,
    /// Credits left.
    pub(crate) free: u16,
    /// The input channel, within the chunk, that holds it or held it last, and [`HELD`].
    last: u16,
}

impl OutputChannel {
    /// The input channel that holds it.
    #[inline]
    pub(crate) const fn holder(self) -> Option<u16> {
        if self.is_held() { Some(self.last & !HELD) } else { None }
    }

    #[inline]
    pub(crate) const fn is_held(self) -> bool {
        self.last & HELD != 0
    }

    /// The input channel that held it last.
    #[inline]
    pub(crate) const fn held_last(self) -> u16 {
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
#[repr(u8)]
pub(crate) enum Behind {
    Node = 0,
    Local = 1,
    Global = 2,
    Nothing = 3,
}

/// A port of a switch where flits come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputPort {
    /// The first of the output channels upstream, a switch's or a node's.
    pub(crate) upstream: u32,
    /// Cycles from a grant to the one under which the credit is filed.
    pub(crate) credit: u16,
    /// Input channels that can go on: one bit each.
    pub(crate) ready: u8,
    /// The input channel that is looked at first.
    pub(crate) next_channel: u8,
}

/// A port of a switch where flits go out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputPort {
    /// The first of the input channels downstream; or the node.
    pub(crate) peer: u32,
    /// The first cycle in which the link behind it is free for another flit.
    pub(crate) departure: u32,
    /// Flits granted towards it.
    pub(crate) flits: u32,
    /// Within one step: the input channel that it goes to, within the chunk, or [`NO_CHANNEL`].
    pub(crate) asked: u16,
    /// The input port, the low bits of its number, that is looked at first when several want it.
    pub(crate) next_input: u8,
    pub(crate) behind: Behind,
}

impl OutputPort {
    #[inline]
    pub(crate) const fn leads_to_node(self) -> bool {
        matches!(self.behind, Behind::Node)
    }
}

/// What crossing a link takes, by what is behind the port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    /// Cycles from a flit's departure to its arrival.
    pub(crate) flit: u32,
    /// Cycles from the arrival of a flit at a node to the use of the credit for it.
    pub(crate) credit: u32,
}

/// All switches.
#[derive(Debug)]
pub(crate) struct SwitchStates {
    pub(crate) port_bits: u32,
    /// Virtual channels in use.
    pub(crate) channels: u8,
    pub(crate) chunks: Vec<Chunk>,
    /// The credits that a node has left for an input channel of its switch; means nothing for
    /// other input channels.
    pub(crate) node_free: Vec<u16>,
    pub(crate) crossings: [Crossing; 4],
    pub(crate) step: StepLists,
}

/// Some switches that lie together, and what there is to do for them. Numbers are those within
/// the chunk.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub(crate) in_ports: [InputPort; PORTS],
    pub(crate) out_ports: [OutputPort; PORTS],
    pub(crate) inputs: [InputChannel; CHANNELS],
    pub(crate) outputs: [OutputChannel; CHANNELS],
    /// Input ports with a channel that can go on.
    pub(crate) ready: PortList,
    /// Output channels to hand out.
    pub(crate) pending: WorkList<{ 2 * CHANNELS }>,
}

/// Room for all ports of a chunk.
pub(crate) type PortList = WorkList<{ 2 * PORTS }>;

/// Lists that are empty between the steps.
#[derive(Debug)]
pub(crate) struct StepLists {
    /// Input ports with a channel that can go on in the next step.
    pub(crate) ready: PortList,
    /// Input channels with a new head.
    pub(crate) new_heads: PortList,
    /// Output ports that a flit goes out by: to a switch.
    pub(crate) to_switches: PortList,
    /// The same to a node.
    pub(crate) to_nodes: PortList,
}

impl SwitchStates {
    #[expect(clippy::large_stack_arrays, reason = "one chunk, once for each run")]
    pub(crate) fn new(fabric: &Fabric<'_>, settings: &Settings, channels: u8) -> Self {
        let df = fabric.dragonfly();
        let port_bits = df.radix().next_power_of_two().trailing_zeros();
        let chunks = (df.switch_count() << port_bits).div_ceil(MOST_PORTS);
        let latencies = [
            settings.node_latency_cycles,
            settings.local_latency_cycles,
            settings.global_latency_cycles,
            0,
        ];
        let in_port = InputPort { upstream: 0, credit: 1, ready: 0, next_channel: 0 };
        let out_port = OutputPort {
            peer: 0,
            departure: 0,
            flits: 0,
            asked: NO_CHANNEL,
            next_input: 0,
            behind: Behind::Nothing,
        };
        let chunk = Chunk {
            in_ports: [in_port; PORTS],
            out_ports: [out_port; PORTS],
            inputs: [InputChannel { head: NONE, tail: NONE, out: 0, next_waiter: NO_CHANNEL };
                CHANNELS],
            outputs: array::from_fn(|number| OutputChannel {
                first_waiter: NO_CHANNEL,
                free: settings.buffer_flits,
                // The first input channel of its switch.
                last: first_of_switch(number, port_bits),
            }),
            ready: WorkList::new(),
            pending: WorkList::new(),
        };
        let mut all = vec![chunk; chunks as usize];
        let ports =
            all.iter_mut().flat_map(|chunk| chunk.in_ports.iter_mut().zip(&mut chunk.out_ports));
        for (number, (input, output)) in (0..).zip(ports) {
            let (switch, port) = (number >> port_bits, number & ((1 << port_bits) - 1));
            if switch >= df.switch_count() {
                break;
            }
            let first = |to: Switch, port: Port| {
                channel_of(u32::from(to.0) << port_bits | u32::from(port.0), 0)
            };
            let at = Switch(low_u16(switch));
            (output.behind, output.peer) = match fabric.link(at, Port(low_u16(port))) {
                Link::Terminal(node) => (Behind::Node, node.0),
                Link::Local(to, port) => (Behind::Local, first(to, port)),
                Link::Global(to, port) => (Behind::Global, first(to, port)),
                Link::Unused => continue,
            };
            let latency = latencies[output.behind as usize];
            (input.upstream, input.credit) = match output.behind {
                // A node's credit counts as the node sends, at the beginning of the next cycle,
                // and without delay. The node's output channels have the numbers of the input
                // channels that they lead to, behind those of all switches.
                Behind::Node => (channel_of(chunks * MOST_PORTS + number, 0), latency),
                _ => (output.peer, latency + 1 + settings.credit_delay_cycles),
            };
        }
        Self {
            port_bits,
            channels,
            chunks: all,
            node_free: vec![settings.buffer_flits; (chunks as usize) << CHUNK_BITS],
            crossings: latencies.map(|latency| Crossing {
                flit: u32::from(latency) + 1,
                credit: u32::from(latency) + 1 + u32::from(settings.credit_delay_cycles),
            }),
            step: StepLists {
                ready: WorkList::new(),
                new_heads: WorkList::new(),
                to_switches: WorkList::new(),
                to_nodes: WorkList::new(),
            },
        }
    }

    /// The number of the first output channel of the nodes.
    pub(crate) fn first_of_nodes(&self) -> usize {
        self.chunks.len() << CHUNK_BITS
    }

    /// A port by its number.
    #[inline]
    pub(crate) fn in_port(&self, number: u32) -> &InputPort {
        &self.chunks[(number >> PORT_BITS) as usize].in_ports[(number & PORT_MASK) as usize]
    }

    /// A port by its number.
    #[inline]
    pub(crate) fn out_port(&self, number: u32) -> &OutputPort {
        &self.chunks[(number >> PORT_BITS) as usize].out_ports[(number & PORT_MASK) as usize]
    }

    /// A channel by its number.
    #[inline]
    pub(crate) fn input(&self, number: u32) -> &InputChannel {
        &self.chunks[chunk_of(number)].inputs[(number & CHUNK_MASK) as usize]
    }

    /// A channel by its number.
    #[inline]
    pub(crate) fn output(&self, number: u32) -> &OutputChannel {
        &self.chunks[chunk_of(number)].outputs[(number & CHUNK_MASK) as usize]
    }

    /// The view that a switch has of its queues.
    pub(crate) const fn queues<'n>(
        &'n self,
        switches: &'n [datapath::Switch<'n>],
        switch: usize,
        buffer: u16,
    ) -> Queues<'n> {
        Queues { states: self, switches, switch, buffer: buffer as u32, later: None }
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.chunks) + size_of_val(&*self.node_free) + size_of::<StepLists>()
    }
}

/// A switch's view of its queues, and for UGAL-G that of everybody's.
pub(crate) struct Queues<'n> {
    states: &'n SwitchStates,
    switches: &'n [datapath::Switch<'n>],
    switch: usize,
    buffer: u32,
    /// Per output port the flits that are not to be counted as yet.
    later: Option<&'n [u8]>,
}

impl<'n> Queues<'n> {
    /// The view without some flits of each output port.
    pub(crate) const fn without(self, later: &'n [u8]) -> Self {
        Self { later: Some(later), ..self }
    }

    #[inline]
    fn used_at(&self, switch: usize, port: Port) -> u32 {
        let states = self.states;
        let number = number_of(switch, states.port_bits, port);
        let chunk = &states.chunks[(number >> PORT_BITS) as usize];
        let first = (number & PORT_MASK) as usize;
        let channels = chunk.outputs[first..].iter().step_by(PORTS);
        let channels = channels.take(states.channels.into());
        let used: u32 = channels.map(|channel| self.buffer - u32::from(channel.free)).sum();
        used - self.later.map_or(0, |later| u32::from(later[number as usize]))
    }
}

/// The first input channel of the switch of a channel, both within the chunk.
fn first_of_switch(channel: usize, port_bits: u32) -> u16 {
    let port = channel & (PORTS - 1);
    u16::try_from(port >> port_bits << port_bits).expect("a chunk has 256 ports")
}

/// The number of a switch's port.
#[inline]
fn number_of(switch: usize, port_bits: u32, port: Port) -> u32 {
    u32::try_from(switch).expect("at most 2^16 switches") << port_bits | u32::from(port.0)
}

impl Credits for Queues<'_> {
    #[inline]
    fn used(&self, port: Port) -> u32 {
        self.used_at(self.switch, port)
    }

    /// Walks the header with each switch's own datapath and adds up what lies before each port
    /// on the way; the queue before the node is not part of a path between switches.
    fn sees_whole_paths(&self) -> bool {
        true
    }

    fn used_along(&self, header: Header) -> Option<u32> {
        let (mut at, mut header, mut sum) = (self.switch, header, 0);
        loop {
            match self.switches[at].forward(header).ok()? {
                Step::Deliver { .. } => return Some(sum),
                Step::Send { port, header: moved, .. } => {
                    sum += self.used_at(at, port);
                    let states = self.states;
                    let peer = states.out_port(number_of(at, states.port_bits, port)).peer;
                    at = (port_of(peer) >> states.port_bits) as usize;
                    header = moved;
                }
            }
        }
    }
}
