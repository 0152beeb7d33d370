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
use crate::packet::NONE;
use crate::second_look::SecondLooks;
use crate::switch_state::{
    Behind, CHANNELS, Chunk, Crossing, InputChannel, InputPort, NO_CHANNEL, OutputChannel,
    PORT_BITS, PORT_MASK, PORTS, PortList, StepLists, SwitchStates, chunk_of, low_u8, low_u16,
    with_virtual_channel_of,
};
use crate::worklist::WorkList;

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
            let channel = &mut chunk.inputs[place(input)];
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
        let state = &chunk.in_ports[port_place(port)];
        let input = first_from(state.ready, state.next_channel) << PORT_BITS | port;
        let number = port_of(chunk.inputs[place(input)].out);
        let out = &mut chunk.out_ports[port_place(number)];
        if out.asked == NO_CHANNEL {
            out.asked = input;
            let to_node = out.leads_to_node();
            step.to_nodes.push_if(number, to_node);
            step.to_switches.push_if(number, !to_node);
        } else {
            // The one that comes first from where the arbiter's pointer stands; the other has
            // lost.
            let behind = |port: u16| port_of(port.wrapping_sub(out.next_input.into()));
            let other = port_of(out.asked);
            let lost = if behind(port) < behind(other) {
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
        let first_port =
            u32::try_from(*chunk_number).expect("fewer chunks than ports") << PORT_BITS;
        for &number in asked.as_slice() {
            let out_port = &mut out_ports[port_place(number)];
            let input = std::mem::replace(&mut out_port.asked, NO_CHANNEL);
            let (port, channel) = (port_of(input), input >> PORT_BITS);
            out_port.next_input = low_u8(u32::from(port) + 1);
            let departure = at.earliest.max(out_port.departure);
            out_port.departure = departure + 1;
            out_port.flits += 1;

            let in_port = &mut in_ports[port_place(port)];
            let left = in_port.ready & !(1 << channel);
            in_port.ready = left;
            in_port.next_channel = low_u8(u32::from(channel) + 1);
            // Both are rare enough to be foreseen.
            if left != 0 {
                ready.push(port);
            }
            let credit = with_virtual_channel_of(in_port.upstream, input.into());
            links.return_credit(at.now + u32::from(in_port.credit), credit);

            let buffer = &mut inputs[place(input)];
            let (packet, out) = (buffer.head, buffer.out);
            let output = &mut outputs[place(out)];
            debug_assert!(output.free > 0, "only what has a credit takes part in allocation");
            output.free -= 1;
            output.release();
            if output.first_waiter != NO_CHANNEL {
                pending.push(out);
            }
            if buffer.tail == packet {
                buffer.head = NONE;
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
                let input = with_virtual_channel_of(out_port.peer, out.into());
                let arriving = Arrival { input, packet };
                if looks.are_taken {
                    let port = first_port | u32::from(number);
                    if looks.take(&links.pool, arriving, arrival, port, at.step) {
                        continue;
                    }
                }
                links.arrivals.file(arrival, chunk_of(input), arriving);
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
        let output = &mut outputs[place(out)];
        let mut input = output.first_waiter;
        let next = inputs[place(input)].next_waiter;
        if next == NO_CHANNEL {
            output.first_waiter = NO_CHANNEL;
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
pub(crate) fn make_ready(in_ports: &mut [InputPort; PORTS], ready: &mut PortList, input: u16) {
    let number = port_of(input);
    let port = &mut in_ports[port_place(number)];
    if port.ready == 0 {
        ready.push(number);
    }
    port.ready |= 1 << (input >> PORT_BITS);
}

/// The head of an input channel begins to wait for its output channel.
#[inline]
pub(crate) fn wait(
    channel: &mut InputChannel,
    outputs: &mut [OutputChannel; CHANNELS],
    pending: &mut WorkList<{ 2 * CHANNELS }>,
    input: u16,
) {
    let output = &mut outputs[place(channel.out)];
    channel.next_waiter = output.first_waiter;
    if output.first_waiter == NO_CHANNEL && !output.is_held() {
        pending.push(channel.out);
    }
    output.first_waiter = input;
}

/// The input channel that an output channel with several waiters goes to: the first behind
/// the one that held it last, in the order of ports and channels. It no longer waits.
fn choose_among_several(inputs: &mut [InputChannel; CHANNELS], output: &mut OutputChannel) -> u16 {
    let rank = |input: u16| port_of(input) << 3 | input >> PORT_BITS;
    let from = rank(output.held_last()) + 1;
    let behind = |input: u16| place(rank(input).wrapping_sub(from));
    let (mut best, mut before_best) = (output.first_waiter, NO_CHANNEL);
    let (mut before, mut at) = (best, inputs[place(best)].next_waiter);
    while at != NO_CHANNEL {
        if behind(at) < behind(best) {
            (best, before_best) = (at, before);
        }
        (before, at) = (at, inputs[place(at)].next_waiter);
    }
    let after = inputs[place(best)].next_waiter;
    if before_best == NO_CHANNEL {
        output.first_waiter = after;
    } else {
        inputs[place(before_best)].next_waiter = after;
    }
    best
}

/// Where a channel lies in its chunk.
#[inline]
pub(crate) const fn place(channel: u16) -> usize {
    channel as usize & (CHANNELS - 1)
}

/// Where a port lies in its chunk.
#[inline]
const fn port_place(port: u16) -> usize {
    port as usize & (PORTS - 1)
}

/// The port of a channel, both within the chunk.
#[inline]
const fn port_of(channel: u16) -> u16 {
    channel & low_u16(PORT_MASK)
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
const fn first_from(bits: u8, from: u8) -> u16 {
    FIRST[(from as usize & 7) << 8 | bits as usize] as u16
}
