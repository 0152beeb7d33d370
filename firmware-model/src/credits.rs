//! What a switch knows of its queues.

use crate::Header;
use core::ops::Range;
use tvlb_schema::{GlobalPort, Port};

/// The credits of one switch's output ports.
///
/// In firmware this reads the credit counters; in a simulator it may know more. Credits in use are flits sent
/// towards a port whose buffer space downstream has not been returned yet.
pub trait Credits {
    /// Credits in use on a port, over all its virtual channels.
    fn used(&self, port: Port) -> u32;

    /// Credits in use of one virtual channel of a port, if they are known by channel. `None` where only sums
    /// are, whatever the port and the channel: a switch whose image weighs by single channels
    /// ([`Queue::Channel`]) then refuses to decide ([`Error::SumsOnly`]). [`Switch::with_sums_only`] finds
    /// that out at boot.
    ///
    /// [`Queue::Channel`]: tvlb_schema::Queue::Channel
    /// [`Error::SumsOnly`]: crate::Error::SumsOnly
    /// [`Switch::with_sums_only`]: crate::Switch::with_sums_only
    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        let _ = (port, virtual_channel);
        None
    }

    /// The sum of [`Self::used`] over the ports of a switch's links, which are those of these numbers;
    /// `u32::MAX` where it is more. A decision with a gate asks for it, once. The default adds the
    /// ports up; who keeps a running sum gives that, so that the gate costs nothing. Ports without a
    /// cable are among the numbers. They have no credits in use.
    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        added_up(ports, |port| self.used(port))
    }

    /// The same of one virtual channel, of the links within the group or of those to other groups. A decision
    /// that counts single channels and has a gate asks for both, once each.
    fn used_by_links_on(&self, ports: Range<u16>, virtual_channel: u8) -> u32 {
        added_up(ports, |port| self.used_on(port, virtual_channel).unwrap_or(0))
    }

    /// What UGAL-L and PAR weigh a path by, as two factors of its cost: credits in use, and hops. The path
    /// sets out by `port`, a packet on it then has `header` (of a node on the destination switch), and `hops` are
    /// to be made. `virtual_channel` is the one that counts, or `None` where all do. A switch sees its own ports
    /// only, so the default is the queue of the first port and all hops. A simulator that sees whole paths
    /// may weigh by those instead.
    fn weighed(
        &self,
        port: Port,
        virtual_channel: Option<u8>,
        header: Header,
        hops: u8,
    ) -> (u32, u8) {
        let _ = header;
        (self.queue(port, virtual_channel), hops)
    }

    /// What the other switches of the group have told of the queue of their global port x, which UGAL-L adds to that of
    /// the first port of a path that begins with a local hop and leaves the group by x ([`GroupQueues`]). The
    /// default is that nothing is told.
    ///
    /// [`GroupQueues`]: crate::GroupQueues
    #[inline]
    fn told(&self, x: GlobalPort) -> u32 {
        let _ = x;
        0
    }

    /// The queue of a port: the credits in use of one virtual channel, or of all.
    fn queue(&self, port: Port, virtual_channel: Option<u8>) -> u32 {
        match virtual_channel {
            Some(channel) => self.used_on(port, channel).unwrap_or(0),
            None => self.used(port),
        }
    }
}

/// The sum over ports; `u32::MAX` where it is more.
#[inline]
pub(crate) fn added_up(ports: Range<u16>, used: impl Fn(Port) -> u32) -> u32 {
    ports.map(|port| used(Port(port))).fold(0, u32::saturating_add)
}

/// One counter for each virtual channel of each physical port: that of channel c of port n is at n · channels + c.
/// A counter beyond the end counts as idle. [`CreditCounters`](crate::CreditCounters) own their counters and keep the sums
/// that a gate asks for.
///
/// # Example
/// ```
/// use tvlb_firmware_model::{ByChannel, Credits};
/// use tvlb_schema::Port;
///
/// // Two ports of four channels each.
/// let credits = ByChannel { counters: &[0, 7, 0, 1, 5, 0, 0, 0], channels: 4 };
/// assert_eq!((credits.used(Port(0)), credits.used(Port(1))), (8, 5));
/// assert_eq!(credits.used_on(Port(0), 1), Some(7));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ByChannel<'a> {
    /// Credits in use.
    pub counters: &'a [u32],
    /// How many virtual channels each port has counters for.
    pub channels: u8,
}

impl Credits for ByChannel<'_> {
    fn used(&self, port: Port) -> u32 {
        let first = port.as_usize() * usize::from(self.channels);
        let counters = self.counters.iter().skip(first).take(self.channels.into());
        counters.copied().fold(0, u32::saturating_add)
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        let at = port.as_usize() * usize::from(self.channels) + usize::from(virtual_channel);
        let counter = self.counters.get(at).filter(|_| virtual_channel < self.channels);
        Some(counter.copied().unwrap_or(0))
    }
}

/// One counter per physical port; a port beyond the end counts as idle.
impl Credits for [u32] {
    fn used(&self, port: Port) -> u32 {
        self.get(port.as_usize()).copied().unwrap_or(0)
    }

    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        let ports = self.iter().take(ports.end.into()).skip(ports.start.into());
        ports.copied().fold(0, u32::saturating_add)
    }
}
