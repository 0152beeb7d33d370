//! The pipeline of the switches: virtual-channel allocation, then switch allocation.
//!
//! Both are separable and input-first with round-robin arbiters, one iteration, one internal cycle each. A packet
//! requests one output channel, so only the output side of VC allocation arbitrates; the output channel is taken there
//! and given back as the flit wins switch allocation. In switch allocation each input port puts forward one of its
//! channels that holds an output channel with a credit, then each output port takes one of the input ports. An
//! arbiter's pointer moves on only past a winner.
//!
//! Decisions of a step take effect in the next step: VC allocation hands out the output channels that were free when
//! the step began, and its winners take part in switch allocation one step later.
//!
//! A step runs for all switches of a chunk at once, part by part, over lists of exactly those ports and channels that
//! have work. Switches do not see each other within a cycle, so the result is that of running one switch after another,
//! except for PAR's second look (`second_look`).

use crate::links::{ArrivingPacket, UnderWay};
use crate::numbers::{CHANNELS, LocalChannel, LocalPort, PORTS, PacketId, low_u8};
use crate::pace::Free;
use crate::packet::{Packet, Pool};
use crate::packet_source::PacketSource;
use crate::second_look::SecondLooks;
use crate::switch_state::{
    ChannelList, Chunk, InputChannel, InputPort, LinkDelay, OutputChannel, OutputPort, PortKind,
    PortList, StepLists, SwitchStates,
};

/// When a step takes place.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now: u32,
    /// The first cycle in which a flit that wins switch allocation in this step can be on its
    /// link: it crosses the switch in the next step, which may belong to the next cycle.
    pub(crate) earliest: u32,
    /// The number of the step within its cycle, counted from 1.
    pub(crate) step: u8,
}

impl SwitchStates {
    /// Runs the pipeline of every switch of a chunk once.
    ///
    /// The parts run in an order in which each sees the state at the beginning of the step: switch allocation before
    /// the channels handed out in this step are ready, then VC allocation before the packets that come to a head in
    /// this step request channels.
    pub(crate) fn step(
        &mut self,
        number: usize,
        links: &mut UnderWay,
        looks: &mut SecondLooks,
        packets: &mut impl PacketSource,
        at: Moment,
    ) {
        let Self { chunks, step, crossings, port_bits, keeps_sums, are_paced, .. } = self;
        let (port_bits, keeps_sums) = (*port_bits, *keeps_sums);
        let chunk = &mut chunks[number];
        let pending = chunk.pending.len();
        if chunk.ready.len() > 0 {
            put_forward(chunk, step);
            let mut send =
                Send { chunk, step, links, looks, packets, at, number, port_bits, keeps_sums };
            if *are_paced {
                send.all::<false, true>(crossings);
                send.all::<true, true>(crossings);
            } else {
                send.all::<false, false>(crossings);
                send.all::<true, false>(crossings);
            }
            std::mem::swap(&mut chunk.ready, &mut step.ready);
        }
        if pending > 0 {
            allocate_channels(chunk, pending);
        }
        let StepLists { new_heads, undecided, .. } = step;
        for &input in new_heads.as_slice() {
            let channel = &mut chunk.inputs[input.index()];
            if channel.out.is_none() {
                undecided.push(input);
            } else {
                wait(channel, &mut chunk.outputs, &mut chunk.pending, input);
            }
        }
        new_heads.clear();
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
            // Another input port has already requested it. The arbiter takes the first one from its pointer on; the
            // loser stays in the list of ports that can go on.
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

/// What changes when flits leave their buffers.
struct Send<'s, S> {
    chunk: &'s mut Chunk,
    step: &'s mut StepLists,
    links: &'s mut UnderWay,
    looks: &'s mut SecondLooks,
    packets: &'s mut S,
    at: Moment,
    /// The chunk's number.
    number: usize,
    port_bits: u32,
    keeps_sums: bool,
}

impl<S: PacketSource> Send<'_, S> {
    /// Sends the winners of switch allocation on their way: those that leave for nodes, or those
    /// that leave for other switches.
    ///
    /// For each granted output port, the packet at the head of the winning input channel leaves its buffer, its output
    /// channel is free again and has one credit less, and a credit for the place in the buffer goes back upstream. The
    /// two kinds of ports have loops of their own, because they end differently and the processor cannot predict which
    /// kind comes next. If no link is paced, gaps are not considered.
    #[inline]
    fn all<const TO_NODES: bool, const PACED: bool>(&mut self, crossings: &[LinkDelay; 4]) {
        let Self {
            chunk,
            step,
            links,
            looks,
            packets,
            at,
            number: chunk_number,
            port_bits,
            keeps_sums,
        } = self;
        let Chunk {
            in_ports,
            out_ports,
            inputs,
            outputs,
            pending,
            used_by_links,
            departure_fractions,
            ..
        } = &mut **chunk;
        let StepLists { ready, new_heads, to_switches, to_nodes, .. } = &mut **step;
        let asked = if TO_NODES { to_nodes } else { to_switches };
        links.grants += asked.len() as u64;
        for &number in asked.as_slice() {
            let out_port = &mut out_ports[number.index()];
            let input = std::mem::replace(&mut out_port.asked, LocalChannel::NONE);
            let (port, channel) = (input.port(), input.virtual_channel());
            out_port.next_input = port.next();
            let fraction = &mut departure_fractions[number.index()];
            let departure = leave::<PACED>(out_port, fraction, crossings, at.earliest);
            out_port.flits += 1;

            let in_port = &mut in_ports[port.index()];
            let left = in_port.ready & !(1 << channel);
            in_port.ready = left;
            in_port.next_channel = low_u8(channel + 1);
            // An arbiter's pointer moves on only past a winner. An input port rarely has a second channel that can go
            // on, so the processor predicts this branch well and an unconditional append would gain nothing.
            if left != 0 {
                ready.push(port);
            }
            let credit = in_port.upstream.with_virtual_channel_of(input);
            links.return_credit(at.now + u32::from(in_port.credit), credit);

            // The flit leaves the buffer now, whenever it gets on the link: the output queue is not part of the buffer
            // that the credits count.
            let buffer = &mut inputs[input.index()];
            let (packet, out) = (buffer.head, buffer.out);
            if !give_back(&mut outputs[out.index()]).is_none() {
                // VC allocation hands it out in the next step at the earliest: this step's looks only
                // at what was pending when the step began.
                pending.push(out);
            }
            if advance(buffer, &links.pool) {
                new_heads.push(input);
            }

            if TO_NODES {
                // The node takes the flit at once and answers with a credit.
                let crossing = crossings[PortKind::Node as usize];
                let arrival = departure + crossing.flit;
                links.credits.file(arrival + crossing.credit, *chunk_number, out);
                packets.delivered(packet, arrival, *chunk_number);
                if let Some(under_way) = &mut links.acknowledgements {
                    let to = number.in_chunk(*chunk_number).switch(*port_bits);
                    under_way.arrives(links.pool.origin(packet), to, arrival);
                }
                links.deliver(packet, arrival);
            } else {
                if *keeps_sums {
                    used_by_links[number.index() >> *port_bits] += 1;
                }
                let arrival = departure + crossings[out_port.kind as usize].flit;
                let input = out_port.peer.first_channel().with_virtual_channel_of(out);
                let arriving = ArrivingPacket { input, packet };
                // The second look may still change the header, so a packet that will get one is filed only after the
                // cycle's last step.
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

/// The cycle in which a flit that is granted now gets on the link. Earlier flits may still queue for the link, and each
/// takes a cycle on it, or the gap of a paced link. Nothing overtakes in that queue, so the time is known now.
#[inline]
fn leave<const PACED: bool>(
    port: &mut OutputPort,
    fraction: &mut u8,
    crossings: &[LinkDelay; 4],
    earliest: u32,
) -> u32 {
    if PACED {
        let free = Free { cycle: port.departure, fraction: *fraction };
        let (departure, free) = free.start(earliest, crossings[port.kind as usize].gap);
        (port.departure, *fraction) = (free.cycle, free.fraction);
        departure
    } else {
        let departure = earliest.max(port.departure);
        port.departure = departure + 1;
        departure
    }
}

/// Takes a credit of an output channel and frees it; returns who waits for it.
#[inline]
fn give_back(output: &mut OutputChannel) -> LocalChannel {
    debug_assert!(output.free > 0, "only what has a credit takes part in allocation");
    output.free -= 1;
    output.release();
    output.first_waiter
}

/// Takes the packet at the head out of an input channel; returns whether another follows.
#[inline]
fn advance(buffer: &mut InputChannel, pool: &Pool<Packet>) -> bool {
    let packet = buffer.head;
    if buffer.tail == packet {
        buffer.head = PacketId::NONE;
        return false;
    }
    buffer.head = pool.flit(packet).next;
    // It was routed on its arrival, or is routed after this step's VC allocation, and then requests its output channel.
    buffer.out = pool.flit(buffer.head).out;
    true
}

/// VC allocation: hands out the first `count` of the output channels that are free and wanted. An
/// input channel that gets one with a credit can take part in switch allocation in the next step;
/// one that gets an output channel without a credit waits for a credit.
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
    // The output channels that became free in this step are handed out in the next one.
    pending.drop_front(count);
}

/// Lets an input channel take part in switch allocation from the next step on.
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

/// Lets the packet at the head of an input channel wait for its output channel.
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

/// Chooses the input channel that gets an output channel with several waiters, and removes it from the list of waiters.
/// The arbiter is round robin: it takes the first one after the input channel that held the output channel last, in the
/// order of ports and virtual channels.
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

/// For a start bit (the upper three bits of the index) and a set of eight bits (the lower eight): the first bit of the
/// set from there on, cyclically.
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

/// The first set bit from bit `from` on, cyclically, from a table because the branches of a search would be
/// mispredicted.
#[inline]
const fn first_from(bits: u8, from: u8) -> u32 {
    FIRST[(from as usize & 7) << 8 | bits as usize] as u32
}
