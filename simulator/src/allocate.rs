//! The pipeline of one switch: virtual-channel allocation, then switch allocation.
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

use crate::links::Links;
use crate::packet::{Flit, NONE};
use crate::switch_state::{InputChannel, OutputChannel, PortState, SwitchStates, Work};

/// One switch with 2^P ports and 2^C channels to a port, each number within the switch.
pub(crate) struct Pipeline<'s, const P: u32, const C: u32> {
    inputs: &'s mut [InputChannel],
    outputs: &'s mut [OutputChannel],
    ports: &'s mut [PortState],
    pending: &'s mut [u16],
    work: &'s mut Work,
    /// Its first channel, over all switches.
    first_channel: u32,
}

impl<'s, const P: u32, const C: u32> Pipeline<'s, P, C> {
    /// The bits of a channel's number.
    const CHANNELS: usize = (1 << (P + C)) - 1;
    /// The bits of a port's number.
    const PORTS: usize = (1 << P) - 1;
    /// The bits of a channel's number within its port.
    const OF_PORT: u16 = (1 << C) - 1;

    #[inline]
    pub(crate) fn of(states: &'s mut SwitchStates, switch: usize) -> Self {
        let (window, ports) = (switch << (P + C), switch << P);
        Self {
            inputs: &mut states.inputs[window..][..1 << (P + C)],
            outputs: &mut states.outputs[window..][..1 << (P + C)],
            ports: &mut states.ports[ports..][..1 << P],
            pending: &mut states.pending[window..][..1 << (P + C)],
            work: &mut states.work[switch],
            first_channel: u32::try_from(window).expect("channels of all switches: 2^25"),
        }
    }

    /// Runs the pipeline once. Flits that win switch allocation cross the switch in the next
    /// step and then queue for their link, from the cycle `earliest` on.
    ///
    /// The parts run in an order in which each sees what the step began with: switch allocation
    /// before the channels handed out in this step are ready, then VC allocation before the
    /// packets that come to a head in this step ask for channels.
    #[inline]
    pub(crate) fn step(&mut self, links: &mut Links, earliest: u32) {
        let pending = usize::from(self.work.pending);
        if self.work.ready != 0 {
            self.allocate_switch(links, earliest);
        }
        if pending != 0 {
            self.allocate_channels(pending, &links.new_heads);
        }
        while let Some((input, out)) = links.new_heads.pop() {
            wait::<C>(self.outputs, self.pending, 0, self.work, input, out);
        }
    }

    /// Whether there is nothing to do.
    #[inline]
    pub(crate) const fn is_idle(&self) -> bool {
        self.work.ready == 0 && self.work.pending == 0
    }

    /// Hands out the first `count` output channels of the list of those that are free and wanted.
    /// An input channel whose output channel has a credit can go on in the next step; another
    /// waits for one.
    #[inline]
    fn allocate_channels(&mut self, count: usize, new_heads: &[(u16, u16)]) {
        for n in 0..count {
            let out = self.pending[n & Self::CHANNELS];
            let output = &mut self.outputs[usize::from(out) & Self::CHANNELS];
            let input = if output.waiting == 1 {
                (output.waiting, output.waiters) = (0, 0);
                output.lone
            } else {
                self.choose_among_several(out, new_heads)
            };
            let output = &mut self.outputs[usize::from(out) & Self::CHANNELS];
            output.hold(input);
            if output.free > 0 {
                let port = usize::from(input >> C) & Self::PORTS;
                self.ports[port].ready |= 1 << (input & Self::OF_PORT);
                self.work.ready |= 1 << port;
            }
        }
        // Those that became free in this step move up.
        let end = usize::from(self.work.pending);
        self.work.pending -= u16::try_from(count).expect("a switch has at most 512 channels");
        if count < end {
            self.pending.copy_within(count..end, 0);
        }
    }

    /// The input channel that an output channel with several waiters goes to: the first behind
    /// the one that held it last, in the order of ports and channels. It no longer waits.
    fn choose_among_several(&mut self, out: u16, new_heads: &[(u16, u16)]) -> u16 {
        let output = &self.outputs[usize::from(out) & Self::CHANNELS];
        let (waiters, last) = (output.waiters, output.held_last());
        let number = |port: u32, channel: u32| {
            u16::try_from(port << C | channel).expect("a switch has at most 512 channels")
        };
        let from = u32::from(last >> C);
        let later = if waiters >> from & 1 == 1 {
            self.waiting_at(from, out, new_heads) & (0xfe << (last & Self::OF_PORT))
        } else {
            0
        };
        let input = if later == 0 {
            let port = first_from(waiters, (from + 1) & 63);
            number(port, self.waiting_at(port, out, new_heads).trailing_zeros())
        } else {
            number(from, later.trailing_zeros())
        };
        let port = u32::from(input >> C);
        let others = self.waiting_at(port, out, new_heads) & !(1 << (input & Self::OF_PORT));
        let left = if others == 0 { waiters & !(1 << port) } else { waiters };
        let lone_port = left.trailing_zeros();
        let lone =
            if lone_port == port { others } else { self.waiting_at(lone_port, out, new_heads) };
        let output = &mut self.outputs[usize::from(out) & Self::CHANNELS];
        output.waiters = left;
        output.waiting -= 1;
        // Only looked at where one waiter is left.
        output.lone = number(lone_port, lone.trailing_zeros());
        input
    }

    /// The channels of a port that wait for an output channel that nobody holds. A packet that has
    /// come to the head in this very step does not wait as yet.
    fn waiting_at(&self, port: u32, out: u16, new_heads: &[(u16, u16)]) -> u32 {
        (0..1 << C).fold(0, |found, channel| {
            let number = (port << C | channel) as usize & Self::CHANNELS;
            let input = &self.inputs[number];
            let wants = !input.is_empty() && input.head.out == out;
            let waits = wants && !new_heads.iter().any(|&(new, _)| usize::from(new) == number);
            found | u32::from(waits) << channel
        })
    }

    #[inline]
    fn allocate_switch(&mut self, links: &mut Links, earliest: u32) {
        // Per output port the input ports that want it, valid where `wanted` has a bit; per input
        // port the channel that it puts forward.
        let (mut wanted, mut left) = (0_u64, self.work.ready);
        while left != 0 {
            let port = left.trailing_zeros();
            left &= left - 1;
            let state = &self.ports[port as usize & Self::PORTS];
            let channel = first_from(state.ready.into(), state.next_channel.into());
            #[expect(clippy::cast_possible_truncation, reason = "a switch has at most 512")]
            let input = (port << C | channel) as u16;
            let out = self.inputs[usize::from(input) & Self::CHANNELS].head.out >> C & 63;
            links.candidate[port as usize & 63] = input;
            let others = if wanted >> out & 1 == 0 { 0 } else { links.wants[usize::from(out)] };
            links.wants[usize::from(out)] = others | 1 << port;
            wanted |= 1 << out;
        }
        while wanted != 0 {
            let out = wanted.trailing_zeros() as usize & Self::PORTS;
            wanted &= wanted - 1;
            let state = &mut self.ports[out];
            let port = first_from(links.wants[out], state.next_input.into());
            state.next_input = circular(port + 1);
            let cycle = earliest.max(state.departure);
            state.departure = cycle + 1;
            state.flits += 1;
            let (peer, arrival) = (state.peer, cycle + u32::from(state.crossing));
            let (to_node, credit_delay) = (state.peer_is_node(), u32::from(state.credit));
            let input = links.candidate[port as usize & 63];
            let flit = self.take_head(input, links);
            if to_node {
                // The node takes the flit at once and answers with a credit.
                let credit = self.first_channel | u32::from(flit.out);
                links.deliver(&flit, arrival, credit, arrival + credit_delay);
            } else {
                links.send(flit, peer, arrival);
            }
        }
    }

    /// Takes the head of an input channel that has won switch allocation; the credit for its
    /// place goes back.
    #[inline]
    fn take_head(&mut self, input: u16, links: &mut Links) -> Flit {
        let (port, channel) = (usize::from(input >> C) & Self::PORTS, input & Self::OF_PORT);
        let state = &mut self.ports[port];
        state.ready &= !(1 << channel);
        state.next_channel = circular(u32::from(channel) + 1);
        if state.ready == 0 {
            self.work.ready &= !(1 << port);
        }
        if state.peer_is_node() {
            links.return_to_node(state.peer << C | u32::from(channel), state.crossing);
        } else {
            links.return_to_switch(state.peer | u32::from(channel), state.credit);
        }
        let buffer = &mut self.inputs[usize::from(input) & Self::CHANNELS];
        let flit = buffer.head;
        let output = &mut self.outputs[usize::from(flit.out) & Self::CHANNELS];
        debug_assert!(output.free > 0, "only what has a credit takes part in switch allocation");
        output.free -= 1;
        output.release();
        if output.waiting != 0 {
            self.pending[usize::from(self.work.pending) & Self::CHANNELS] = flit.out;
            self.work.pending += 1;
        }
        if buffer.tail == flit.packet {
            buffer.head.packet = NONE;
        } else {
            buffer.head = links.pool.behind(flit.packet);
            links.new_heads.push((input, buffer.head.out));
        }
        flit
    }
}

/// The head of an input channel begins to wait for its output channel. The switch's channels
/// begin at `first` of the lists.
#[inline]
pub(crate) fn wait<const C: u32>(
    outputs: &mut [OutputChannel],
    pending: &mut [u16],
    first: usize,
    work: &mut Work,
    input: u16,
    out: u16,
) {
    let output = &mut outputs[first | usize::from(out)];
    if output.waiting == 0 {
        output.lone = input;
        if !output.is_held() {
            pending[first | usize::from(work.pending)] = out;
            work.pending += 1;
        }
    }
    output.waiting += 1;
    output.waiters |= 1 << (input >> C);
}

/// The first bit that is set from bit `from` on, going round.
#[inline]
const fn first_from(bits: u64, from: u32) -> u32 {
    let later = bits >> (from & 63) << (from & 63);
    if later == 0 { bits.trailing_zeros() } else { later.trailing_zeros() }
}

/// A place among at most 64, in a circle.
#[inline]
const fn circular(place: u32) -> u8 {
    (place & 63) as u8
}
