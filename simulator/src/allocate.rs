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

use crate::network::{DatapathError, Network};
use crate::switch_state::SwitchStates;

impl Network<'_> {
    /// Runs the pipeline of every switch that has something to do.
    pub(crate) fn step_switches(&mut self) -> Result<(), DatapathError> {
        for word in 0..self.states.active.len() {
            let mut left = self.states.active[word];
            while left != 0 {
                let switch = word << 6 | left.trailing_zeros() as usize;
                left &= left - 1;
                for step in 0..self.settings.speedup {
                    self.step_switch(switch, step)?;
                }
                let work = self.states.work[switch];
                if work.ready == 0 && work.pending == 0 {
                    self.states.active[word] &= !(1 << (switch & 63));
                }
            }
        }
        Ok(())
    }

    fn step_switch(&mut self, switch: usize, step: u8) -> Result<(), DatapathError> {
        let mut taken = [0_u16; 512];
        let count = self.states.allocate_channels(switch, &mut taken);
        if self.states.work[switch].ready != 0 {
            self.allocate_switch(switch, step)?;
        }
        for &input in &taken[..count] {
            self.states.make_ready(switch, input);
        }
        Ok(())
    }

    fn allocate_switch(&mut self, switch: usize, step: u8) -> Result<(), DatapathError> {
        // Per output port the input ports that want it; valid where `wanted` has a bit.
        let mut wants = [0_u64; 64];
        let mut candidate = [0_u16; 64];
        let mut wanted = 0_u64;
        let states = &self.states;
        let (window, ports) = (states.window(switch), switch << states.port_bits);
        let mut left = states.work[switch].ready;
        while left != 0 {
            let port = left.trailing_zeros();
            left &= left - 1;
            let state = &states.ports[ports | port as usize];
            let channel = first_from(state.ready.into(), state.next_channel);
            #[expect(clippy::cast_possible_truncation, reason = "a window has at most 512")]
            let input = (port << states.channel_bits | channel) as u16;
            let out = states.inputs[window | usize::from(input)].out >> states.channel_bits;
            let (out, bit) = (usize::from(out & 63), 1 << port);
            candidate[port as usize & 63] = input;
            wants[out] = if wanted >> out & 1 == 0 { bit } else { wants[out] | bit };
            wanted |= 1 << out;
        }
        while wanted != 0 {
            let out = wanted.trailing_zeros() as usize;
            wanted &= wanted - 1;
            let states = &mut self.states;
            let port = first_from(wants[out], states.ports[ports | out].next_input) as usize;
            let input = candidate[port & 63];
            states.ports[ports | out].next_input = after(port, 64);
            let state = &mut states.ports[ports | port];
            let channel = usize::from(input) & ((1 << states.channel_bits) - 1);
            state.ready &= !(1 << channel);
            state.next_channel = after(channel, 8);
            if state.ready == 0 {
                states.work[switch].ready &= !(1 << port);
            }
            self.depart(switch, input, step)?;
        }
        Ok(())
    }
}

impl SwitchStates {
    /// Hands out the output channels that are free and wanted. Returns how many input channels
    /// can go on in the next step, and lists them in `taken`; those without a credit wait for one.
    fn allocate_channels(&mut self, switch: usize, taken: &mut [u16; 512]) -> usize {
        let window = self.window(switch);
        let pending = std::mem::take(&mut self.work[switch].pending);
        let mut count = 0;
        for n in 0..usize::from(pending) {
            let out = self.pending[window | n];
            let input = self.next_waiter(switch, out);
            self.stop_waiting(switch, input, out);
            let output = &mut self.outputs[window | usize::from(out)];
            output.holder = input;
            output.next = input + 1;
            if output.free > 0 {
                taken[count & 511] = input;
                count += 1;
            }
        }
        count
    }

    /// The input channel that an output channel goes to: the first that waits for it, in the
    /// order of ports and channels, from where the search begins.
    fn next_waiter(&self, switch: usize, out: u16) -> u16 {
        let window = self.window(switch);
        let output = &self.outputs[window | usize::from(out)];
        let ports = &self.ports[switch << self.port_bits..][..1 << self.port_bits];
        let bits = self.channel_bits;
        // The channels of a port that wait for this output channel.
        let waiting = |port: u32| {
            let mut found = 0_u8;
            let mut left = ports[port as usize].waiting;
            if left.is_power_of_two() {
                return left;
            }
            while left != 0 {
                let channel = left.trailing_zeros();
                left &= left - 1;
                if self.inputs[window | (port << bits | channel) as usize].out == out {
                    found |= 1 << channel;
                }
            }
            found
        };
        #[expect(clippy::cast_possible_truncation, reason = "a window has at most 512")]
        let number = |port: u32, channel: u32| (port << bits | channel) as u16;
        if output.waiters.is_power_of_two() {
            let port = output.waiters.trailing_zeros();
            let channels = waiting(port);
            if channels.is_power_of_two() {
                return number(port, channels.trailing_zeros());
            }
        }
        let (start, from) = (u32::from(output.next) >> bits, output.next & ((1 << bits) - 1));
        if start < 64 && output.waiters >> start & 1 == 1 {
            let later = waiting(start) >> from << from;
            if later != 0 {
                return number(start, later.trailing_zeros());
            }
        }
        let port = first_from(output.waiters, after(start as usize, 64));
        number(port, waiting(port).trailing_zeros())
    }

    /// An input channel has got the output channel that it waited for.
    fn stop_waiting(&mut self, switch: usize, input: u16, out: u16) {
        let window = self.window(switch);
        let bits = self.channel_bits;
        let (port, channel) = (input >> bits, input & ((1 << bits) - 1));
        let state = &mut self.ports[switch << self.port_bits | usize::from(port)];
        state.waiting &= !(1 << channel);
        let mut left = state.waiting;
        while left != 0 {
            let other = u16::try_from(left.trailing_zeros()).expect("below 8");
            left &= left - 1;
            if self.inputs[window | usize::from(port << bits | other)].out == out {
                return;
            }
        }
        self.outputs[window | usize::from(out)].waiters &= !(1 << port);
    }
}

/// The first bit that is set from bit `from` on, going round.
#[inline]
fn first_from(bits: u64, from: u8) -> u32 {
    let later = bits >> (from & 63) << (from & 63);
    if later == 0 { bits.trailing_zeros() } else { later.trailing_zeros() }
}

/// The place behind `place`, of `count` in a circle.
#[inline]
fn after(place: usize, count: u8) -> u8 {
    u8::try_from(place + 1).map_or(0, |next| if next >= count { 0 } else { next })
}
