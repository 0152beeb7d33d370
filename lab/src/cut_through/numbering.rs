//! How ports and channels are numbered: all ports of a switch follow each other, and so do all channels of a
//! port.
//!
//! A *channel* is the buffer of one virtual channel at an input port. As an output channel it is the same
//! buffer seen from upstream. The channels of a port that leads to a node are the node's injection queues.

use tvlb_schema::{Dragonfly, Port, SwitchId};

/// A port, counted over all switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PortNumber(u32);

impl PortNumber {
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A channel, counted over all switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChannelNumber(u32);

impl ChannelNumber {
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The numbers of a fabric's ports and channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct PortNumbers {
    /// Ports of a switch.
    pub(super) radix: u32,
    /// Channels of a port, of whatever kind its link is.
    pub(super) channels: u32,
    pub(super) switches: u32,
}

impl PortNumbers {
    /// The numbers of a fabric of which a port has so many channels at most.
    pub(super) fn new(df: &Dragonfly, channels: u8) -> Self {
        Self { radix: df.radix(), channels: channels.into(), switches: df.switch_numbers() }
    }

    pub(super) const fn ports(self) -> usize {
        (self.switches * self.radix) as usize
    }

    pub(super) const fn all_channels(self) -> usize {
        (self.switches * self.radix * self.channels) as usize
    }

    #[inline]
    pub(super) const fn port(self, switch: SwitchId, port: Port) -> PortNumber {
        PortNumber(switch.0 as u32 * self.radix + port.0 as u32)
    }

    /// The switch that a port belongs to, and its number there.
    #[inline]
    pub(super) fn place(self, port: PortNumber) -> (SwitchId, Port) {
        let short = |n: u32| u16::try_from(n).expect("switches and ports are numbered in 16 bits");
        (SwitchId(short(port.0 / self.radix)), Port(short(port.0 % self.radix)))
    }

    #[inline]
    pub(super) const fn channel(self, port: PortNumber, channel: u8) -> ChannelNumber {
        ChannelNumber(port.0 * self.channels + channel as u32)
    }

    /// The port that a channel belongs to, and its number there.
    #[inline]
    pub(super) fn port_of(self, channel: ChannelNumber) -> (PortNumber, u8) {
        let within = u8::try_from(channel.0 % self.channels).expect("a port has few channels");
        (PortNumber(channel.0 / self.channels), within)
    }

    pub(super) fn every_port(self) -> impl Iterator<Item = PortNumber> {
        (0..self.switches * self.radix).map(PortNumber)
    }

    pub(super) fn channels_of(self, port: PortNumber) -> impl Iterator<Item = ChannelNumber> {
        let first = port.0 * self.channels;
        (first..first + self.channels).map(ChannelNumber)
    }
}
