//! A switch's knowledge of its queues.

use crate::Header;
use core::ops::Range;
use tvlb_schema::{GlobalPort, Port};

/// The credits of one switch's output ports.
///
/// In firmware this reads the credit counters; in a simulator it may know more. Credits in use are flits sent to a port
/// whose buffer space downstream was not returned yet.
pub trait Credits {
    /// Credits in use on a port, over all its virtual channels.
    fn used(&self, port: Port) -> u32;

    /// Credits in use of one virtual channel of a port, if they are known by channel. `None`, for every port and
    /// channel, if only sums are known: a switch whose image weighs by single channels ([`Queue::Channel`]) then
    /// refuses to decide ([`Error::SumsOnly`]). [`Switch::with_sums_only`] finds that out at boot.
    ///
    /// [`Queue::Channel`]: tvlb_schema::Queue::Channel
    /// [`Error::SumsOnly`]: crate::Error::SumsOnly
    /// [`Switch::with_sums_only`]: crate::Switch::with_sums_only
    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        let _ = (port, virtual_channel);
        None
    }

    /// The sum of [`Self::used`] over the ports of a switch's links, which have these numbers; `u32::MAX` if it is
    /// more. A decision with a gate calls it once. The default adds the ports up; an implementation that maintains a
    /// running sum can return that, so that the gate costs nothing. Ports without a cable are among the numbers. They
    /// have no credits in use.
    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        added_up(ports, |port| self.used(port))
    }

    /// The same for one virtual channel, over the links within the group or those to other groups. A decision that
    /// counts single channels and has a gate calls it once for each.
    fn used_by_links_on(&self, ports: Range<u16>, virtual_channel: u8) -> u32 {
        added_up(ports, |port| self.used_on(port, virtual_channel).unwrap_or(0))
    }

    /// The two factors of a path's cost in UGAL-L and PAR: credits in use, and hops. The path begins with `port`, a
    /// packet on it then has `header` (for a node on the destination switch), and has `hops` to make. `virtual_channel`
    /// is the one that counts, or `None` if all do. A switch sees only its own ports, so the default is the queue of
    /// the first port and all hops. A simulator that sees whole paths may weigh by those instead.
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

    /// What the other switches of the group have told about the queue of their global port x. UGAL-L adds it to the
    /// queue of the first port of a path that begins with a local hop and leaves the group through x ([`GroupQueues`]).
    /// By default nothing is told.
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

/// The sum over ports; `u32::MAX` if it is more.
#[inline]
pub(crate) fn added_up(ports: Range<u16>, used: impl Fn(Port) -> u32) -> u32 {
    ports.map(|port| used(Port(port))).fold(0, u32::saturating_add)
}

/// One counter for each virtual channel of each physical port: that of channel c of port n is at n · channels + c. A
/// counter beyond the end counts as idle. [`CreditCounters`](crate::CreditCounters) own their counters and maintain the
/// sums that a gate needs.
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
