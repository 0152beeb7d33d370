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
use crate::numbers::{CHANNELS, ChannelId, LocalChannel, LocalPort, PORTS, PacketId, Peer, PortId};
use crate::settings::Settings;
use crate::worklist::WorkList;
use std::array;
use tvlb_firmware_model::{self as datapath, Credits, Header, Step};
use tvlb_schema::{Port, Switch};

/// The buffer of one virtual channel at an input port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputChannel {
    /// The packet at its head, or [`PacketId::NONE`] where the buffer is empty.
    pub(crate) head: PacketId,
    /// The last packet. It has no meaning where the buffer is empty.
    pub(crate) tail: PacketId,
    /// The output channel that the packet at the head wants or holds.
    pub(crate) out: LocalChannel,
    /// While the packet at the head waits for an output channel: the next input channel of the
    /// same switch that waits for the same one, or [`LocalChannel::NONE`].
    pub(crate) next_waiter: LocalChannel,
}

impl InputChannel {
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.head.is_none()
    }
}

/// Marks an output channel as held, in [`OutputChannel::last`].
const HELD: u16 = LocalChannel::SPARE_BIT;

/// The buffer of one virtual channel downstream, as this switch or node sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputChannel {
    /// One of the input channels whose heads want this output channel and do not hold it; the
    /// others follow by their `next_waiter`. [`LocalChannel::NONE`] where no head waits.
    pub(crate) first_waiter: LocalChannel,
    /// How many credits are left.
    pub(crate) free: u16,
    /// The bits of the input channel that holds this output channel or was the last to hold it,
    /// and [`HELD`] while it is held.
    last: u16,
}

impl OutputChannel {
    /// The input channel that holds this output channel now.
    #[inline]
    pub(crate) const fn holder(self) -> Option<LocalChannel> {
        if self.is_held() { Some(self.held_last()) } else { None }
    }

    #[inline]
    pub(crate) const fn is_held(self) -> bool {
        self.last & HELD != 0
    }

    /// The input channel that holds this output channel or was the last to hold it.
    #[inline]
    pub(crate) const fn held_last(self) -> LocalChannel {
        LocalChannel::from_bits(self.last & !HELD)
    }

    #[inline]
    pub(crate) const fn hold(&mut self, input: LocalChannel) {
        self.last = input.bits() | HELD;
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
    /// Virtual channel 0 of the output port upstream, which is a switch's or a node's.
    pub(crate) upstream: ChannelId,
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
    /// The port or the node at the other end of the link.
    pub(crate) peer: Peer,
    /// The first cycle in which the link behind it is free for another flit.
    pub(crate) departure: u32,
    /// Flits granted towards it.
    pub(crate) flits: u32,
    /// Within one step: the input channel that this port goes to, or [`LocalChannel::NONE`].
    pub(crate) asked: LocalChannel,
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
    pub(crate) pending: ChannelList,
}

/// A list that has room for all ports of a chunk.
pub(crate) type PortList = WorkList<LocalPort, { 2 * PORTS }>;

/// A list that has room for all channels of a chunk.
pub(crate) type ChannelList = WorkList<LocalChannel, { 2 * CHANNELS }>;

/// Lists that are empty between the steps.
#[derive(Debug)]
pub(crate) struct StepLists {
    /// Input ports with a channel that can go on in the next step.
    pub(crate) ready: PortList,
    /// Input channels with a new head.
    pub(crate) new_heads: WorkList<LocalChannel, { 2 * PORTS }>,
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
        let in_port =
            InputPort { upstream: ChannelId::default(), credit: 1, ready: 0, next_channel: 0 };
        let out_port = OutputPort {
            peer: Peer::default(),
            departure: 0,
            flits: 0,
            asked: LocalChannel::NONE,
            next_input: 0,
            behind: Behind::Nothing,
        };
        let chunk = Chunk {
            in_ports: [in_port; PORTS],
            out_ports: [out_port; PORTS],
            inputs: [InputChannel {
                head: PacketId::NONE,
                tail: PacketId::NONE,
                out: LocalChannel::default(),
                next_waiter: LocalChannel::NONE,
            }; CHANNELS],
            outputs: array::from_fn(|number| OutputChannel {
                first_waiter: LocalChannel::NONE,
                free: settings.buffer_flits,
                // The first input channel of its switch.
                last: first_of_switch(number, port_bits).bits(),
            }),
            ready: WorkList::new(),
            pending: WorkList::new(),
        };
        let mut all = vec![chunk; chunks as usize];
        let ports =
            all.iter_mut().flat_map(|chunk| chunk.in_ports.iter_mut().zip(&mut chunk.out_ports));
        for (number, (input, output)) in (0..).zip(ports) {
            if number >> port_bits >= df.switch_count() {
                break;
            }
            let first = |to: Switch, port: Port| {
                Peer::of_channel(ChannelId::first_of(PortId::of_switch(to, port, port_bits)))
            };
            let id = PortId::new(number);
            let link = fabric.link(id.switch(port_bits), id.at_switch(port_bits));
            (output.behind, output.peer) = match link {
                Link::Terminal(node) => (Behind::Node, Peer::of_node(node)),
                Link::Local(to, port) => (Behind::Local, first(to, port)),
                Link::Global(to, port) => (Behind::Global, first(to, port)),
                Link::Unused => continue,
            };
            let latency = latencies[output.behind as usize];
            (input.upstream, input.credit) = match output.behind {
                // A node's credit counts as the node sends, at the beginning of the next cycle,
                // and without delay. The node's output channels have the numbers of the input
                // channels that they lead to, behind those of all switches.
                Behind::Node => {
                    (ChannelId::first_of(PortId::new(chunks * MOST_PORTS + number)), latency)
                }
                _ => (output.peer.first_channel(), latency + 1 + settings.credit_delay_cycles),
            };
        }
        Self {
            port_bits,
            channels,
            chunks: all,
            node_free: vec![settings.buffer_flits; chunks as usize * CHANNELS],
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
        self.chunks.len() * CHANNELS
    }

    /// A port by its number.
    #[inline]
    pub(crate) fn in_port(&self, id: PortId) -> &InputPort {
        &self.chunks[id.chunk()].in_ports[id.local().index()]
    }

    /// A port by its number.
    #[inline]
    pub(crate) fn out_port(&self, id: PortId) -> &OutputPort {
        &self.chunks[id.chunk()].out_ports[id.local().index()]
    }

    /// A channel by its number.
    #[inline]
    pub(crate) fn input(&self, id: ChannelId) -> &InputChannel {
        &self.chunks[id.chunk()].inputs[id.local().index()]
    }

    /// A channel by its number.
    #[inline]
    pub(crate) fn output(&self, id: ChannelId) -> &OutputChannel {
        &self.chunks[id.chunk()].outputs[id.local().index()]
    }

    /// The view that a switch has of its queues.
    pub(crate) const fn queues<'n>(
        &'n self,
        switches: &'n [datapath::Switch<'n>],
        switch: Switch,
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
    switch: Switch,
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
    fn used_at(&self, switch: Switch, port: Port) -> u32 {
        let states = self.states;
        let id = PortId::of_switch(switch, port, states.port_bits);
        let first = id.local().index();
        let channels = states.chunks[id.chunk()].outputs[first..].iter().step_by(PORTS);
        let channels = channels.take(states.channels.into());
        let used: u32 = channels.map(|channel| self.buffer - u32::from(channel.free)).sum();
        used - self.later.map_or(0, |later| u32::from(later[id.index()]))
    }
}

/// The first input channel of the switch that an output channel belongs to, both by their places
/// in a chunk.
fn first_of_switch(index: usize, port_bits: u32) -> LocalChannel {
    let port = ChannelId::from_index(index).port().local();
    LocalChannel::new(port.first_of_switch(port_bits), 0)
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
            match self.switches[usize::from(at.0)].forward(header).ok()? {
                Step::Deliver { .. } => return Some(sum),
                Step::Send { port, header: moved, .. } => {
                    sum += self.used_at(at, port);
                    let states = self.states;
                    let out = states.out_port(PortId::of_switch(at, port, states.port_bits));
                    at = out.peer.first_channel().port().switch(states.port_bits);
                    header = moved;
                }
            }
        }
    }
}
