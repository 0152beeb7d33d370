//! The watchdog: finds channels that wait for each other, and names them.
//!
//! The packet at the head of a buffer that cannot move waits for exactly one thing: the holder of the output channel
//! that it wants, or, if it holds that itself and has no credit, the head of the buffer at the other end of the link.
//! Following these from any channel ends at one that can move, or in a cycle, and then nothing in the cycle ever moves
//! again: a deadlock, found even while traffic elsewhere goes on.

use crate::decider::Decider;
use crate::network::Network;
use crate::numbers::ChannelId;
use crate::packet_source::PacketSource;
use crate::switch_state::PortKind;
use std::fmt;

/// Channels that wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The cycle in which it was found.
    pub cycle: u32,
    /// How many packets are under way.
    pub under_way: u32,
    /// The channels, each waiting for the next and the last for the first; none if no such cycle
    /// was found although nothing moves.
    pub channels: Vec<WaitingChannel>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingChannel {
    pub link: String,
    pub channel: u32,
    /// Whether it waits for space in the next buffer, or only for another packet to release it.
    pub for_credit: bool,
}

impl std::error::Error for Deadlock {}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cycle, under_way, channels } = self;
        if channels.is_empty() {
            return write!(
                f,
                "cycle {cycle}: nothing moves although {under_way} packets are under way, and no \
                 cycle of channels explains it"
            );
        }
        write!(
            f,
            "deadlock: at cycle {cycle}, with {under_way} packets under way, {} channels wait for each other:",
            channels.len()
        )?;
        for WaitingChannel { link, channel, for_credit } in channels {
            let why = if *for_credit { "for room in" } else { "behind the packet of" };
            write!(f, "\n  {link}, VC {channel}, waits {why}")?;
        }
        write!(f, "\n  the first of them")
    }
}

impl<S: PacketSource, D: Decider> Network<'_, S, D> {
    /// A cycle of channels that wait for each other, if there is one.
    pub(crate) fn deadlock(&self) -> Option<Deadlock> {
        // A channel without a credit can still move if a credit for it is on its way.
        let mut returning = vec![false; 2 * self.states.first_of_nodes()];
        for credit in self.parts().flat_map(|part| part.links.credits_under_way()) {
            returning[credit.index()] = true;
        }
        let count = self.states.first_of_nodes();
        // 0: not visited; else the number of the walk that visited it.
        let mut visited = vec![0_u32; count];
        for (walk, start) in (1_u32..).zip(0..count) {
            let mut at = ChannelId::from_index(start);
            while visited[at.index()] == 0 {
                visited[at.index()] = walk;
                match self.waits_for(at, &returning) {
                    Some((next, _)) => at = next,
                    None => break,
                }
            }
            if visited[at.index()] == walk && self.waits_for(at, &returning).is_some() {
                return self.cycle_from(at, &returning);
            }
        }
        None
    }

    /// The report of a network that stands still without a cycle of channels.
    pub(crate) fn standstill(&self) -> Deadlock {
        Deadlock { cycle: self.now, under_way: self.under_way(), channels: Vec::new() }
    }

    fn cycle_from(&self, start: ChannelId, returning: &[bool]) -> Option<Deadlock> {
        let mut channels = Vec::new();
        let mut at = start;
        loop {
            let (next, for_credit) = self.waits_for(at, returning)?;
            channels.push(self.waiting_channel(at, for_credit));
            at = next;
            if at == start {
                return Some(Deadlock { cycle: self.now, under_way: self.under_way(), channels });
            }
        }
    }

    /// The input channel that an input channel waits for, and whether it waits for a credit;
    /// `None` if it is empty or can move.
    fn waits_for(&self, input: ChannelId, returning: &[bool]) -> Option<(ChannelId, bool)> {
        let states = &self.part_of(input.chunk()).states;
        let channel = states.input(input);
        if channel.is_empty() {
            return None;
        }
        let out = channel.out.in_chunk(input.chunk());
        let output = states.output(out);
        let holder = output.holder()?.in_chunk(input.chunk());
        if holder != input {
            return Some((holder, false));
        }
        if output.free > 0 || returning[out.index()] {
            return None;
        }
        let port = states.out_port(out.port());
        match port.kind {
            PortKind::Local | PortKind::Global => {
                Some((port.peer.first_channel().with_virtual_channel_of(out.local()), true))
            }
            PortKind::Node | PortKind::Unused => None,
        }
    }

    /// Describes an input channel by the name of the link that leads to it.
    fn waiting_channel(&self, input: ChannelId, for_credit: bool) -> WaitingChannel {
        let port = input.port();
        let state = self.part_of(port.chunk()).states.out_port(port);
        let link = match state.kind {
            PortKind::Local | PortKind::Global => self.link_name(state.peer.first_channel().port()),
            PortKind::Node | PortKind::Unused => self.injection_name(port),
        };
        WaitingChannel { link, channel: input.virtual_channel(), for_credit }
    }
}
