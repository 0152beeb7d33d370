//! The state of all switches' queues, in flat arrays, chunk of switches by chunk (`numbers` says
//! how ports and channels are numbered).
//!
//! An *input channel* is the buffer of one virtual channel at an input port. An *output channel* is the same buffer as
//! the switch upstream sees it: its credits, and which of the upstream switch's input channels holds it. A cable
//! connects one port to one port, so the input port at the other end of an output port's cable has the number that the
//! peer gives its own port of that cable: one number per port serves the flits in one direction and the credits in the
//! other. A node sees the buffer that it sends to as an output channel too. That channel has the number of the buffer,
//! counted from after the channels of all switches.
//!
//! Between steps three invariants hold, so that a step never visits anything that cannot move:
//! - an output channel is in `pending` exactly when it is not held and a packet waits for it;
//! - the `ready` bit of an input channel is set exactly when it holds an output channel with a
//!   credit;
//! - an input port is in `ready` exactly when one of its channels has that bit set.
//!
//! A chunk has as many switches as make a few kilobytes of state. Cycles run for one chunk after another, so that data
//! read by one part of a cycle is still in the nearest cache for the next part, and for the next cycle.

use crate::fabric::{BootedFabric, LinkTarget, MOST_PORTS};
use crate::numbers::{CHANNELS, ChannelId, LocalChannel, LocalPort, PORTS, PacketId, Peer, PortId};
use crate::owned_range::OwnedRange;
use crate::second_look::FlitsSent;
use crate::setting_values::Buffers;
use crate::settings::Settings;
use crate::worklist::WorkList;
use std::array;
use std::ops::Range;
use tvlb_firmware_model::{Credits, GroupQueues, Switch};
use tvlb_schema::{Decision, Dragonfly, LinkKind, Port, Queue, SwitchId};

/// The buffer of one virtual channel at an input port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputChannel {
    /// The packet at its head, or [`PacketId::NONE`] if the buffer is empty.
    pub(crate) head: PacketId,
    /// The last packet. It has no meaning if the buffer is empty.
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
    /// One of the input channels whose heads want this output channel and do not hold it; the others follow by their
    /// `next_waiter`. [`LocalChannel::NONE`] if no head waits.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PortKind {
    Node = 0,
    Local = 1,
    Global = 2,
    Unused = 3,
}

/// A port of a switch where flits come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputPort {
    /// Virtual channel 0 of the output port upstream, which is a switch's or a node's.
    pub(crate) upstream: ChannelId,
    /// How many cycles after a grant the credit for the freed place counts upstream.
    pub(crate) credit: u16,
    /// One bit for each input channel, set while it can take part in switch allocation.
    pub(crate) ready: u8,
    /// The virtual channel at which the port's arbiter begins to look.
    pub(crate) next_channel: u8,
}

/// A port of a switch where flits go out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputPort {
    /// The port or the node at the other end of the link.
    pub(crate) peer: Peer,
    /// The first cycle in which the link is free for another flit; if links are paced, the cycle in which it becomes
    /// free, and [`Chunk::departure_fractions`] says when within it.
    pub(crate) departure: u32,
    /// How many flits have been granted towards this port so far.
    pub(crate) flits: u32,
    /// Within one step: the input channel that this port goes to, or [`LocalChannel::NONE`].
    pub(crate) asked: LocalChannel,
    /// The port within the chunk at which the arbiter begins to look when several input ports want
    /// this one.
    pub(crate) next_input: u8,
    pub(crate) kind: PortKind,
}

impl OutputPort {
    #[inline]
    pub(crate) const fn leads_to_node(self) -> bool {
        matches!(self.kind, PortKind::Node)
    }
}

/// How long crossing a link takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkDelay {
    /// Cycles from a flit's departure to its arrival.
    pub(crate) flit: u32,
    /// Cycles from the arrival of a flit at a node to the use of the credit for it.
    pub(crate) credit: u32,
    /// How many 1/256 of a cycle apart two flits start.
    pub(crate) gap: u32,
}

#[derive(Debug)]
pub(crate) struct SwitchStates {
    pub(crate) port_bits: u32,
    /// How many virtual channels a link has.
    pub(crate) channels: u8,
    pub(crate) chunks: OwnedRange<Chunk>,
    /// How many chunks the whole network has.
    pub(crate) all_chunks: usize,
    /// For each input channel that a node sends to, how many credits the node has left. The
    /// entries of other input channels have no meaning.
    pub(crate) node_free: OwnedRange<u16>,
    pub(crate) crossings: [LinkDelay; 4],
    pub(crate) buffers: Buffers,
    /// The first port of a switch that leads to another group.
    first_slot: Port,
    pub(crate) step: StepLists,
    /// Whether links of some kind take less than a flit per cycle.
    pub(crate) are_paced: bool,
    /// The virtual channel on which packets leave their source group after a local hop.
    pub(crate) leaving_channel: u8,
    /// Whether the running sums of links' credits are kept: some image has a gate that needs them.
    pub(crate) keeps_sums: bool,
}

/// Some switches with consecutive numbers, and their pending work.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    pub(crate) in_ports: [InputPort; PORTS],
    pub(crate) out_ports: [OutputPort; PORTS],
    pub(crate) inputs: [InputChannel; CHANNELS],
    pub(crate) outputs: [OutputChannel; CHANNELS],
    /// Input ports with a channel that can go on.
    pub(crate) ready: PortList,
    /// Output channels that are free and that packets wait for.
    pub(crate) pending: ChannelList,
    /// For each switch, the credits in use at the ports of its links, over all virtual channels; kept if
    /// [`SwitchStates::keeps_sums`] says so.
    pub(crate) used_by_links: [u32; MOST_SWITCHES],
    /// If links are paced: for each output port, how many 1/256 of a cycle after the beginning of the cycle
    /// [`OutputPort::departure`] its link is free.
    pub(crate) departure_fractions: [u8; PORTS],
    /// For each output port, how full it is as its switch has told the others of its group: as they know it now, and as
    /// they will know it next.
    pub(crate) told: [[u8; PORTS]; 2],
}

impl Chunk {
    /// Ports and channels without links and packets.
    #[expect(clippy::large_stack_arrays, reason = "one chunk, once for each run")]
    fn empty(buffer_flits: u16, port_bits: u32) -> Self {
        let in_port =
            InputPort { upstream: ChannelId::default(), credit: 1, ready: 0, next_channel: 0 };
        let out_port = OutputPort {
            peer: Peer::default(),
            departure: 0,
            flits: 0,
            asked: LocalChannel::NONE,
            next_input: 0,
            kind: PortKind::Unused,
        };
        Self {
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
                free: buffer_flits,
                // The first input channel of its switch.
                last: first_of_switch(number, port_bits).bits(),
            }),
            ready: WorkList::new(),
            pending: WorkList::new(),
            used_by_links: [0; MOST_SWITCHES],
            departure_fractions: [0; PORTS],
            told: [[0; PORTS]; 2],
        }
    }

    /// Gives the ports to other groups, with a link or without, this many credits.
    fn fill_global(&mut self, buffer_flits: u16, first_slot: Port, port_bits: u32) {
        for port in 0..PORTS {
            if port & ((1 << port_bits) - 1) >= first_slot.as_usize() {
                for channel in self.outputs[port..].iter_mut().step_by(PORTS) {
                    channel.free = buffer_flits;
                }
            }
        }
    }
}

/// How many bits number the ports of a switch.
pub fn port_bits(df: &Dragonfly) -> u32 {
    df.radix().next_power_of_two().trailing_zeros()
}

/// How many chunks the switches of a fabric make.
pub fn chunk_count(df: &Dragonfly) -> u32 {
    (df.switch_numbers() << port_bits(df)).div_ceil(MOST_PORTS)
}

/// How many switches a chunk can have: each has two ports or more.
const MOST_SWITCHES: usize = PORTS / 2;

/// A list that has room for all ports of a chunk.
pub(crate) type PortList = WorkList<LocalPort, { 2 * PORTS }>;

/// A list that has room for all channels of a chunk.
pub(crate) type ChannelList = WorkList<LocalChannel, { 2 * CHANNELS }>;

/// Lists that are empty between the steps.
#[derive(Debug)]
pub(crate) struct StepLists {
    /// Input ports with a channel that can go on in the next step.
    pub(crate) ready: PortList,
    pub(crate) new_heads: WorkList<LocalChannel, { 2 * PORTS }>,
    /// Input channels from nodes with a packet at their head whose path is yet to be decided.
    pub(crate) undecided: WorkList<LocalChannel, { 2 * PORTS }>,
    /// Output ports to switches by which a flit leaves in this step.
    pub(crate) to_switches: PortList,
    /// Output ports to nodes by which a flit leaves in this step.
    pub(crate) to_nodes: PortList,
}

impl StepLists {
    fn new() -> Self {
        Self {
            ready: WorkList::new(),
            new_heads: WorkList::new(),
            undecided: WorkList::new(),
            to_switches: WorkList::new(),
            to_nodes: WorkList::new(),
        }
    }
}

impl SwitchStates {
    /// The memory of one chunk, with the credits of its nodes.
    pub(crate) const BYTES_OF_CHUNK: u64 =
        (size_of::<Chunk>() + CHANNELS * size_of::<u16>()) as u64;

    pub(crate) fn new(fabric: &BootedFabric<'_>, settings: &Settings, channels: u8) -> Self {
        let df = fabric.dragonfly();
        let port_bits = port_bits(df);
        let chunks = chunk_count(df);
        let latencies = [
            settings.node_latency_cycles,
            settings.local_latency_cycles,
            settings.global_latency_cycles,
            0,
        ];
        let [node, local, global] = LinkKind::ALL.map(|kind| settings.bandwidths.gap_256ths(kind));
        let gaps = [node, local, global, 256];
        let chunk = Chunk::empty(settings.buffers.local, port_bits);
        let mut all = vec![chunk; chunks as usize];
        let ports =
            all.iter_mut().flat_map(|chunk| chunk.in_ports.iter_mut().zip(&mut chunk.out_ports));
        for (number, (input, output)) in (0..).zip(ports) {
            if number >> port_bits >= df.switch_numbers() {
                break;
            }
            let first = |to: SwitchId, port: Port| {
                Peer::of_channel(ChannelId::first_of(PortId::of_switch(to, port, port_bits)))
            };
            let id = PortId::new(number);
            let link = fabric.link(id.switch(port_bits), id.at_switch(port_bits));
            (output.kind, output.peer) = match link {
                LinkTarget::Terminal(node) => (PortKind::Node, Peer::of_node(node)),
                LinkTarget::Local(to, port) => (PortKind::Local, first(to, port)),
                LinkTarget::Global(to, port) => (PortKind::Global, first(to, port)),
                LinkTarget::Unused => continue,
            };
            let latency = latencies[output.kind as usize];
            (input.upstream, input.credit) = match output.kind {
                // A node's credit counts as the node sends, at the beginning of the next cycle, and without delay. The
                // node's output channels have the numbers of the input channels that they lead to, counted from after
                // those of all switches.
                PortKind::Node => {
                    (ChannelId::first_of(PortId::new(chunks * MOST_PORTS + number)), latency)
                }
                _ => (output.peer.first_channel(), latency + 1 + settings.credit_delay_cycles),
            };
        }
        for chunk in &mut all {
            chunk.fill_global(settings.buffers.global, df.slot_port(0), port_bits);
        }
        Self {
            port_bits,
            channels,
            buffers: settings.buffers,
            first_slot: df.slot_port(0),
            all_chunks: all.len(),
            node_free: OwnedRange::whole(vec![settings.buffers.local; all.len() * CHANNELS]),
            chunks: OwnedRange::whole(all),
            crossings: array::from_fn(|kind| LinkDelay {
                flit: u32::from(latencies[kind]) + 1,
                credit: u32::from(latencies[kind]) + 1 + u32::from(settings.credit_delay_cycles),
                gap: gaps[kind],
            }),
            are_paced: !settings.bandwidths.are_equal(),
            step: StepLists::new(),
            leaving_channel: fabric.switches().first().map_or(0, Switch::leaving_channel),
            keeps_sums: fabric.switches().iter().any(|switch| {
                Decision::ALL.iter().any(|&decision| {
                    let weighing = switch.image().weighing(decision);
                    weighing.queue == Queue::Port && !weighing.gate.is_none()
                })
            }),
        }
    }

    /// Keeps the state of the chunks before this one, and returns that of the others.
    pub(crate) fn split_off(&mut self, chunk: usize) -> Self {
        Self {
            chunks: self.chunks.split_off(chunk),
            node_free: self.node_free.split_off(chunk * CHANNELS),
            step: StepLists::new(),
            ..*self
        }
    }

    /// Appends the state of the chunks that follow on these.
    pub(crate) fn append(&mut self, rest: Self) {
        self.chunks.append(rest.chunks);
        self.node_free.append(rest.node_free);
    }

    /// The index of the first output channel of the nodes.
    pub(crate) fn first_of_nodes(&self) -> usize {
        self.all_chunks * CHANNELS
    }

    #[inline]
    pub(crate) fn in_port(&self, id: PortId) -> &InputPort {
        &self.chunks[id.chunk()].in_ports[id.local().index()]
    }

    #[inline]
    pub(crate) fn out_port(&self, id: PortId) -> &OutputPort {
        &self.chunks[id.chunk()].out_ports[id.local().index()]
    }

    #[inline]
    pub(crate) fn input(&self, id: ChannelId) -> &InputChannel {
        &self.chunks[id.chunk()].inputs[id.local().index()]
    }

    /// The state of an output channel of a switch.
    #[inline]
    pub(crate) fn output(&self, id: ChannelId) -> &OutputChannel {
        &self.chunks[id.chunk()].outputs[id.local().index()]
    }

    /// A switch's view of its queues.
    pub(crate) const fn queues(&self, switch: SwitchId) -> SwitchQueues<'_> {
        SwitchQueues { states: self, switch, later: None }
    }

    /// How many bytes all of this holds.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.bytes() + self.node_free.bytes() + size_of::<StepLists>()
    }
}

/// The credits in use at the output ports of a switch.
pub struct SwitchQueues<'n> {
    states: &'n SwitchStates,
    switch: SwitchId,
    /// For each output port of all switches, the flits that this view excludes.
    later: Option<&'n OwnedRange<FlitsSent>>,
}

impl<'n> SwitchQueues<'n> {
    /// The same view, excluding these flits of each output port.
    pub(crate) const fn without(self, later: &'n OwnedRange<FlitsSent>) -> Self {
        Self { later: Some(later), ..self }
    }

    pub(crate) const fn switch(&self) -> SwitchId {
        self.switch
    }

    /// The switch at the other end of a link.
    pub(crate) fn peer(&self, switch: SwitchId, port: Port) -> SwitchId {
        let bits = self.states.port_bits;
        let out = self.states.out_port(PortId::of_switch(switch, port, bits));
        out.peer.first_channel().port().switch(bits)
    }

    /// What a switch of the same group has told of a global port: the flits of its level.
    pub(crate) fn told_of(&self, switch: SwitchId, port: Port) -> u32 {
        let id = PortId::of_switch(switch, port, self.states.port_bits);
        let level = self.states.chunks[id.chunk()].told[0][id.local().index()];
        GroupQueues::<0>::flits(level, self.states.buffers.global.into())
    }

    /// The credits in use at a port of any switch, of one virtual channel or of all.
    #[inline]
    pub(crate) fn used_at(&self, switch: SwitchId, port: Port, channel: Option<u8>) -> u32 {
        let states = self.states;
        let id = PortId::of_switch(switch, port, states.port_bits);
        let outputs = &states.chunks[id.chunk()].outputs;
        let Buffers { local, global } = states.buffers;
        let buffer = u32::from(if port < states.first_slot { local } else { global });
        let used = |output: &OutputChannel| buffer - u32::from(output.free);
        let later = self.later.map(|later| &later[id.index()]);
        if let Some(channel) = channel {
            let output = outputs[LocalChannel::new(id.local(), channel.into()).index()];
            return used(&output) - later.map_or(0, |later| later.on(channel));
        }
        let channels = outputs[id.local().index()..].iter().step_by(PORTS);
        let all: u32 = channels.take(states.channels.into()).map(used).sum();
        all - later.map_or(0, |later| u32::from(later.all))
    }
}

/// The first input channel of the switch that an output channel belongs to, both by their places
/// in a chunk.
fn first_of_switch(index: usize, port_bits: u32) -> LocalChannel {
    let port = ChannelId::from_index(index).port().local();
    LocalChannel::new(port.first_of_switch(port_bits), 0)
}

impl Credits for SwitchQueues<'_> {
    #[inline]
    fn used(&self, port: Port) -> u32 {
        self.used_at(self.switch, port, None)
    }

    #[inline]
    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        Some(self.used_at(self.switch, port, Some(virtual_channel)))
    }

    /// The running sum, without the flits that this view excludes.
    #[inline]
    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        let states = self.states;
        let id = PortId::of_switch(self.switch, Port(ports.start), states.port_bits);
        let chunk = &states.chunks[id.chunk()];
        let all = chunk.used_by_links[id.local().index() >> states.port_bits];
        let later = self.later.map_or(0, |later| {
            let sent = later.slice(id.index()..id.index() + ports.len()).iter();
            sent.map(|sent| u32::from(sent.all)).sum()
        });
        debug_assert_eq!(
            all - later,
            ports.map(|port| self.used(Port(port))).sum::<u32>(),
            "the running sum is that of the ports"
        );
        all - later
    }
}
