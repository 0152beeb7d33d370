//! The pipeline of the switches: virtual-channel allocation, then switch allocation.
//!
//! Both are separable and input-first with round-robin arbiters, one iteration, one internal
//! cycle each. A packet asks for one output channel, so only the output side of VC allocation
//! arbitrates; the output channel is taken there and given back as the flit wins switch
//! allocation. In switch allocation each input port puts forward one of its channels that holds
//! an output channel with a credit, then each output port takes one of the input ports. An
//! arbiter's pointer moves on only past a winner.
//!
//! What a step decides takes effect in the next step: VC allocation hands out the output channels
//! that were free when the step began, and its winners take part in switch allocation one step
//! later.
//!
//! A step runs for all switches at once, part by part, over lists of just those ports and channels
//! that have something to do. Switches do not see each other within a cycle, so that is the same
//! as one switch after the other, but for PAR's second look (`second_look`).

use crate::links::{Arrival, Links};
use crate::numbers::{CHANNELS, LocalChannel, LocalPort, PORTS, PacketId, low_u8};
use crate::second_look::SecondLooks;
use crate::switch_state::{
    Behind, ChannelList, Chunk, Crossing, InputChannel, InputPort, OutputChannel, PortList,
    StepLists, SwitchStates,
};

/// What is known of a step.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    /// The cycle.
    pub(crate) now: u32,
    /// The cycle from which on flits that win switch allocation can be on their link: they cross
    /// the switch in the next step and then queue.
    pub(crate) earliest: u32,
    /// The number of the step in its cycle.
    pub(crate) step: u8,
}

impl SwitchStates {
    /// Runs the pipeline of every switch of a chunk once.
    ///
    /// The parts run in an order in which each sees what the step began with: switch allocation
    /// before the channels handed out in this step are ready, then VC allocation before the
    /// packets that come to a head in this step ask for channels.
    pub(crate) fn step(
        &mut self,
        number: usize,
        links: &mut Links,
        looks: &mut SecondLooks,
        at: Moment,
    ) {
        let Self { chunks, step, crossings, .. } = self;
        let chunk = &mut chunks[number];
        let pending = chunk.pending.len();
        if chunk.ready.len() > 0 {
            put_forward(chunk, step);
            let mut send = Send { chunk, step, links, looks, at, number };
            send.all::<false>(crossings);
            send.all::<true>(crossings);
            std::mem::swap(&mut chunk.ready, &mut step.ready);
        }
        if pending > 0 {
            allocate_channels(chunk, pending);
        }
        for &input in step.new_heads.as_slice() {
            let channel = &mut chunk.inputs[input.index()];
            wait(channel, &mut chunk.outputs, &mut chunk.pending, input);
        }
        step.new_heads.clear();
    }
}

/// Switch allocation: every input port puts forward a channel, every output port takes one.
#[inline]
fn put_forward(chunk: &mut Chunk, step: &mut StepLists) {
    step.to_switches.clear();
    step.to_nodes.clear();
    step.ready.clear();
    for &port in chunk.ready.as_slice() {
        let state = &chunk.in_ports[port.index()];
        let input = LocalChannel::new(port, first_from(state.ready, state.next_channel));
        let number = chunk.inputs[input.index()].out.port();
        let out = &mut chunk.out_ports[number.index()];
        if out.asked.is_none() {
            out.asked = input;
            let to_node = out.leads_to_node();
            step.to_nodes.push_if(number, to_node);
            step.to_switches.push_if(number, !to_node);
        } else {
            // The one that comes first from where the arbiter's pointer stands; the other has
            // lost.
            let distance = |port: LocalPort| port.distance_from(out.next_input);
            let other = out.asked.port();
            let lost = if distance(port) < distance(other) {
                out.asked = input;
                other
            } else {
                port
            };
            step.ready.push(lost);
        }
    }
}

/// What changes as flits leave their buffers.
struct Send<'s> {
    chunk: &'s mut Chunk,
    step: &'s mut StepLists,
    links: &'s mut Links,
    looks: &'s mut SecondLooks,
    at: Moment,
    /// The chunk's number.
    number: usize,
}

impl Send<'_> {
    /// Sends what has won to the nodes, or to the next switches: takes the head of the input
    /// channel that an output port goes to, and the output channel that it has held; the credit
    /// for its place goes back.
    #[inline]
    fn all<const TO_NODES: bool>(&mut self, crossings: &[Crossing; 4]) {
        let Self { chunk, step, links, looks, at, number: chunk_number } = self;
        let Chunk { in_ports, out_ports, inputs, outputs, pending, .. } = &mut **chunk;
        let StepLists { ready, new_heads, to_switches, to_nodes } = &mut **step;
        let asked = if TO_NODES { to_nodes } else { to_switches };
        links.grants += asked.len() as u64;
        for &number in asked.as_slice() {
            let out_port = &mut out_ports[number.index()];
            let input = std::mem::replace(&mut out_port.asked, LocalChannel::NONE);
            let (port, channel) = (input.port(), input.virtual_channel());
            out_port.next_input = port.next();
            let departure = at.earliest.max(out_port.departure);
            out_port.departure = departure + 1;
            out_port.flits += 1;

            let in_port = &mut in_ports[port.index()];
            let left = in_port.ready & !(1 << channel);
            in_port.ready = left;
            in_port.next_channel = low_u8(channel + 1);
            // Both are rare enough to be foreseen.
            if left != 0 {
                ready.push(port);
            }
            let credit = in_port.upstream.with_virtual_channel_of(input);
            links.return_credit(at.now + u32::from(in_port.credit), credit);

            let buffer = &mut inputs[input.index()];
            let (packet, out) = (buffer.head, buffer.out);
            let output = &mut outputs[out.index()];
            debug_assert!(output.free > 0, "only what has a credit takes part in allocation");
            output.free -= 1;
            output.release();
            if !output.first_waiter.is_none() {
                pending.push(out);
            }
            if buffer.tail == packet {
                buffer.head = PacketId::NONE;
            } else {
                buffer.head = links.pool.flit(packet).next;
                buffer.out = links.pool.flit(buffer.head).out;
                new_heads.push(input);
            }

            if TO_NODES {
                // The node takes the flit at once and answers with a credit.
                let crossing = crossings[Behind::Node as usize];
                let arrival = departure + crossing.flit;
                links.credits.file(arrival + crossing.credit, *chunk_number, out);
                links.deliver(packet, arrival);
            } else {
                let arrival = departure + crossings[out_port.behind as usize].flit;
                let input = out_port.peer.first_channel().with_virtual_channel_of(out);
                let arriving = Arrival { input, packet };
                if looks.are_taken {
                    let port = number.in_chunk(*chunk_number);
                    if looks.take(&links.pool, arriving, arrival, port, at.step) {
                        continue;
                    }
                }
                links.arrivals.file(arrival, input.chunk(), arriving);
            }
        }
    }
}

/// Hands out the first `count` output channels of the list of those that are free and wanted. An
/// input channel whose output channel has a credit can go on in the next step; another waits for
/// one.
#[inline]
fn allocate_channels(chunk: &mut Chunk, count: usize) {
    let Chunk { in_ports, inputs, outputs, ready, pending, .. } = chunk;
    for &out in &pending.as_slice()[..count] {
        let output = &mut outputs[out.index()];
        let mut input = output.first_waiter;
        let next = inputs[input.index()].next_waiter;
        if next.is_none() {
            output.first_waiter = LocalChannel::NONE;
        } else {
            input = choose_among_several(inputs, output);
        }
        output.hold(input);
        if output.free > 0 {
            make_ready(in_ports, ready, input);
        }
    }
    // Those that became free in this step move up.
    pending.drop_front(count);
}

/// An input channel can take part in switch allocation.
#[inline]
pub(crate) fn make_ready(
    in_ports: &mut [InputPort; PORTS],
    ready: &mut PortList,
    input: LocalChannel,
) {
    let number = input.port();
    let port = &mut in_ports[number.index()];
    if port.ready == 0 {
        ready.push(number);
    }
    port.ready |= 1 << input.virtual_channel();
}

/// The head of an input channel begins to wait for its output channel.
#[inline]
pub(crate) fn wait(
    channel: &mut InputChannel,
    outputs: &mut [OutputChannel; CHANNELS],
    pending: &mut ChannelList,
    input: LocalChannel,
) {
    let output = &mut outputs[channel.out.index()];
    channel.next_waiter = output.first_waiter;
    if output.first_waiter.is_none() && !output.is_held() {
        pending.push(channel.out);
    }
    output.first_waiter = input;
}

/// The input channel that an output channel with several waiters goes to: the first behind
/// the one that held it last, in the order of ports and channels. It no longer waits.
fn choose_among_several(
    inputs: &mut [InputChannel; CHANNELS],
    output: &mut OutputChannel,
) -> LocalChannel {
    let last = output.held_last();
    let (mut best, mut before_best) = (output.first_waiter, LocalChannel::NONE);
    let (mut before, mut at) = (best, inputs[best.index()].next_waiter);
    while !at.is_none() {
        if at.distance_after(last) < best.distance_after(last) {
            (best, before_best) = (at, before);
        }
        (before, at) = (at, inputs[at.index()].next_waiter);
    }
    let after = inputs[best.index()].next_waiter;
    if before_best.is_none() {
        output.first_waiter = after;
    } else {
        inputs[before_best.index()].next_waiter = after;
    }
    best
}

/// By the bit to begin with and a set of bits: the first that is set from there on, going round.
const FIRST: [u8; 2048] = {
    let mut table = [0; 2048];
    let mut place = 0_u32;
    while place < 2048 {
        let (from, bits) = (place >> 8, place & 0xff);
        let first = (bits | bits << 8) >> from;
        table[place as usize] = low_u8((first.trailing_zeros() + from) & 7);
        place += 1;
    }
    table
};

/// The first bit that is set from bit `from` on, going round.
#[inline]
const fn first_from(bits: u8, from: u8) -> u32 {
    FIRST[(from as usize & 7) << 8 | bits as usize] as u32
}
