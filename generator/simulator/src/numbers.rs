//! The number spaces of the simulator, one type for each.
//!
//! Every switch owns 2^`port_bits` consecutive ports, of which the last may be unused. A *chunk*
//! is 256 ports with consecutive numbers: one or more whole switches. Ports and channels have a
//! number over all switches ([`PortId`], [`ChannelId`]) and a shorter one within their chunk
//! ([`LocalPort`], [`LocalChannel`]), which is what the queues of a chunk store.
//!
//! | bits of a `ChannelId` | bits of a `LocalChannel` | meaning |
//! |---|---|---|
//! | 31 to 11 | | the chunk |
//! | 10 to 8 | 10 to 8 | the virtual channel |
//! | 7 to 0 | 7 to 0 | the port within the chunk |
//!
//! The virtual channel is above the port, so the channels of one virtual channel are together in memory, and a virtual
//! channel that no packet uses costs no cache.
//!
//! Each type is a transparent wrapper of an integer, so it costs nothing at run time. If a
//! number may be absent the type has a constant `NONE` instead of an `Option`, because an `Option`
//! would double the size of the state that has to fit a cache.

use crate::fabric::MOST_PORTS;
use tvlb_schema::{NodeId, Port, SwitchId};

/// How many bits the number of a port within its chunk has. The state of so many ports fits a
/// first-level cache.
pub(crate) const PORT_BITS: u32 = MOST_PORTS.ilog2();
/// How many ports a chunk has.
pub const PORTS: usize = MOST_PORTS as usize;
/// The bits of a number that tell the port within the chunk.
const PORT_MASK: u32 = MOST_PORTS - 1;
/// How many bits the number of a virtual channel has.
const VIRTUAL_CHANNEL_BITS: u32 = 3;
/// How many bits the number of a channel within its chunk has.
const CHUNK_BITS: u32 = PORT_BITS + VIRTUAL_CHANNEL_BITS;
/// The bits of a number that tell the channel within the chunk.
const CHUNK_MASK: u32 = (1 << CHUNK_BITS) - 1;
/// How many channels a chunk has.
pub const CHANNELS: usize = 1 << CHUNK_BITS;

/// The low 16 bits of a number whose other bits do not matter or are known to be 0.
#[inline]
const fn low_u16(n: u32) -> u16 {
    (n & 0xffff) as u16
}

/// The low 8 bits of a number whose other bits do not matter or are known to be 0.
#[inline]
pub(crate) const fn low_u8(n: u32) -> u8 {
    (n & 0xff) as u8
}

/// A port, counted over all switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct PortId(u32);

impl PortId {
    /// The port with this number.
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// A port of a switch, where every switch owns 2^`port_bits` ports.
    #[inline]
    pub const fn of_switch(switch: SwitchId, port: Port, port_bits: u32) -> Self {
        Self((switch.0 as u32) << port_bits | port.0 as u32)
    }

    /// The switch that it belongs to.
    #[inline]
    pub const fn switch(self, port_bits: u32) -> SwitchId {
        SwitchId(low_u16(self.0 >> port_bits))
    }

    /// Its number at its own switch.
    #[inline]
    pub const fn at_switch(self, port_bits: u32) -> Port {
        Port(low_u16(self.0 & ((1 << port_bits) - 1)))
    }

    /// The chunk that it lies in.
    #[inline]
    pub(crate) const fn chunk(self) -> usize {
        (self.0 >> PORT_BITS) as usize
    }

    /// Its number within its chunk.
    #[inline]
    pub(crate) const fn local(self) -> LocalPort {
        LocalPort(low_u16(self.0 & PORT_MASK))
    }

    /// Its place in an array over the ports of all switches.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A port, counted within its chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct LocalPort(u16);

impl LocalPort {
    /// The same port, counted over all switches.
    #[inline]
    pub(crate) const fn in_chunk(self, chunk: usize) -> PortId {
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^24 chunks")]
        let chunk = chunk as u32;
        PortId(chunk << PORT_BITS | self.0 as u32)
    }

    /// The first port of the switch that it belongs to.
    #[inline]
    pub(crate) const fn first_of_switch(self, port_bits: u32) -> Self {
        Self(self.0 >> port_bits << port_bits)
    }

    /// Its place in an array over the ports of a chunk. The mask tells the compiler that the
    /// place is within the array.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize & (PORTS - 1)
    }

    /// How many ports it lies after the one with the number `from`, going round the chunk.
    #[inline]
    pub(crate) const fn distance_from(self, from: u8) -> u8 {
        low_u8(self.0.wrapping_sub(from as u16) as u32)
    }

    /// The number of the port after it, going round the chunk.
    #[inline]
    pub(crate) const fn next(self) -> u8 {
        low_u8(self.0 as u32 + 1)
    }
}

/// A channel, counted over all switches: one virtual channel of one port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct ChannelId(u32);

impl ChannelId {
    /// The channel of a port's virtual channel 0.
    #[inline]
    pub const fn first_of(port: PortId) -> Self {
        Self((port.0 & !PORT_MASK) << VIRTUAL_CHANNEL_BITS | port.0 & PORT_MASK)
    }

    /// The channel with this place in an array over the channels of all switches.
    ///
    /// # Panics
    /// There is no such channel: numbers have 32 bits.
    #[inline]
    pub(crate) fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("channels are numbered in 32 bits"))
    }

    /// A virtual channel of the port, given the port's virtual channel 0.
    #[inline]
    #[must_use]
    pub const fn with_virtual_channel(self, virtual_channel: u32) -> Self {
        Self(self.0 | virtual_channel << PORT_BITS)
    }

    /// The same virtual channel of the port as another channel is of its own, given the port's
    /// virtual channel 0.
    #[inline]
    pub(crate) const fn with_virtual_channel_of(self, other: LocalChannel) -> Self {
        Self(self.0 | other.0 as u32 & CHUNK_MASK & !PORT_MASK)
    }

    /// The chunk that it lies in.
    #[inline]
    pub(crate) const fn chunk(self) -> usize {
        (self.0 >> CHUNK_BITS) as usize
    }

    /// Its number within its chunk.
    #[inline]
    pub(crate) const fn local(self) -> LocalChannel {
        LocalChannel(low_u16(self.0 & CHUNK_MASK))
    }

    /// The port that it is a channel of.
    #[inline]
    pub const fn port(self) -> PortId {
        PortId(self.0 >> CHUNK_BITS << PORT_BITS | self.0 & PORT_MASK)
    }

    /// The virtual channel of the port that it is.
    #[inline]
    pub const fn virtual_channel(self) -> u32 {
        self.0 >> PORT_BITS & ((1 << VIRTUAL_CHANNEL_BITS) - 1)
    }

    /// Its place in an array over the channels of all switches.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A channel, counted within its chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct LocalChannel(u16);

impl LocalChannel {
    /// Stands where there is no channel.
    pub(crate) const NONE: Self = Self(u16::MAX);

    /// Never set in a number, so that it can serve as a mark in stored numbers.
    pub(crate) const SPARE_BIT: u16 = 1 << 15;

    #[inline]
    pub(crate) const fn new(port: LocalPort, virtual_channel: u32) -> Self {
        Self(low_u16(virtual_channel << PORT_BITS) | port.0)
    }

    /// A virtual channel of the port with the number `port` at its switch, given the switch's
    /// first port.
    #[inline]
    pub(crate) const fn of_switch(first: LocalPort, port: Port, virtual_channel: u32) -> Self {
        Self::new(LocalPort(first.0 | port.0), virtual_channel)
    }

    /// The channel with these bits.
    #[inline]
    pub(crate) const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    #[inline]
    pub(crate) const fn bits(self) -> u16 {
        self.0
    }

    /// Whether this is [`Self::NONE`].
    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == Self::NONE.0
    }

    /// The same channel, counted over all switches.
    #[inline]
    pub(crate) const fn in_chunk(self, chunk: usize) -> ChannelId {
        #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^21 chunks")]
        let chunk = chunk as u32;
        ChannelId(chunk << CHUNK_BITS | self.0 as u32)
    }

    /// The port that it is a channel of.
    #[inline]
    pub(crate) const fn port(self) -> LocalPort {
        LocalPort(self.0 & low_u16(PORT_MASK))
    }

    #[inline]
    pub(crate) const fn virtual_channel(self) -> u32 {
        (self.0 >> PORT_BITS) as u32
    }

    /// Its place in an array over the channels of a chunk. The mask tells the compiler that the
    /// place is within the array.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize & (CHANNELS - 1)
    }

    /// Its place in the order of an arbiter: by port, and by virtual channel within a port.
    #[inline]
    const fn rank(self) -> u16 {
        self.port().0 << VIRTUAL_CHANNEL_BITS | self.0 >> PORT_BITS
    }

    /// How many channels it lies after the successor of `last` in the order of an arbiter, going
    /// round the chunk.
    #[inline]
    pub(crate) const fn distance_after(self, last: Self) -> usize {
        self.rank().wrapping_sub(last.rank() + 1) as usize & (CHANNELS - 1)
    }
}

/// The far end of a port's link: a port or a node, depending on the port.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(crate) struct Peer(u32);

impl Peer {
    #[inline]
    pub(crate) const fn of_node(node: NodeId) -> Self {
        Self(node.0)
    }

    /// A port of a switch, by its virtual channel 0.
    #[inline]
    pub(crate) const fn of_channel(first: ChannelId) -> Self {
        Self(first.0)
    }

    /// The node, if the port leads to a node.
    #[inline]
    pub(crate) const fn node(self) -> NodeId {
        NodeId(self.0)
    }

    /// The port's virtual channel 0, if the port leads to a switch.
    #[inline]
    pub(crate) const fn first_channel(self) -> ChannelId {
        ChannelId(self.0)
    }
}

/// A packet under way: its place in the pool of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct PacketId(u32);

impl PacketId {
    /// Stands where there is no packet.
    pub const NONE: Self = Self(u32::MAX);

    /// The packet with this place in the pool.
    ///
    /// # Panics
    /// There are more than 2^32 packets, which the credits rule out by far.
    #[inline]
    pub fn from_index(index: usize) -> Self {
        let number = u32::try_from(index);
        Self(number.expect("credits bound the packets under way, far below 2^32"))
    }

    /// Whether this is [`Self::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == Self::NONE.0
    }

    /// Its place in the pool.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_keeps_its_chunk_virtual_channel_and_port() {
        for (switch, port, virtual_channel) in [(0, 0, 0), (35, 7, 7), (701, 62, 4), (65535, 15, 1)]
        {
            for port_bits in [4, 6, 8] {
                let port = Port(port & ((1 << port_bits) - 1));
                let id = PortId::of_switch(SwitchId(switch), port, port_bits);
                assert_eq!(
                    (id.switch(port_bits), id.at_switch(port_bits)),
                    (SwitchId(switch), port)
                );
                assert_eq!(id.local().in_chunk(id.chunk()), id);

                let first = ChannelId::first_of(id);
                let channel = first.with_virtual_channel(virtual_channel);
                assert_eq!((channel.port(), channel.virtual_channel()), (id, virtual_channel));
                assert_eq!(channel.chunk(), id.chunk());
                assert_eq!(ChannelId::from_index(channel.index()), channel);

                let local = channel.local();
                assert_eq!(local.in_chunk(channel.chunk()), channel);
                assert_eq!(local, LocalChannel::new(id.local(), virtual_channel));
                assert_eq!((local.port(), local.virtual_channel()), (id.local(), virtual_channel));
                assert_eq!(first.with_virtual_channel_of(local), channel);
                let of_switch = id.local().first_of_switch(port_bits);
                assert_eq!(local, LocalChannel::of_switch(of_switch, port, virtual_channel));
                assert_eq!(local.bits() & LocalChannel::SPARE_BIT, 0);
            }
        }
    }

    #[test]
    fn an_arbiter_goes_round_by_port_and_then_by_virtual_channel() {
        let channel = |port, virtual_channel| LocalChannel::new(LocalPort(port), virtual_channel);
        let last = channel(3, 7);
        assert_eq!(channel(4, 0).distance_after(last), 0);
        assert_eq!(channel(4, 1).distance_after(last), 1);
        assert_eq!(channel(5, 0).distance_after(last), 8);
        assert_eq!(last.distance_after(last), CHANNELS - 1);
        assert_eq!(LocalPort(2).distance_from(255), 3);
        assert_eq!(LocalPort(255).next(), 0);
    }

    #[test]
    fn absent_numbers_are_told_from_present_ones() {
        assert!(LocalChannel::NONE.is_none() && PacketId::NONE.is_none());
        assert!(!channel_of_last_port().is_none() && !PacketId::from_index(0).is_none());
    }

    fn channel_of_last_port() -> LocalChannel {
        LocalChannel::new(LocalPort(255), 7)
    }
}
