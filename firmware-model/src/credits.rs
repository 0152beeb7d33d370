//! What a switch knows of its queues.

use crate::Header;
use core::ops::Range;
use tvlb_schema::Port;

/// The credits of one switch's output ports.
///
/// In firmware this reads the credit counters; in a simulator it may know more.
pub trait Credits {
    /// Credits in use on a port, over all its virtual channels: flits sent towards it whose
    /// buffer space downstream has not been returned yet.
    fn used(&self, port: Port) -> u32;

    /// The sum of [`Self::used`] over the ports of a switch's links, which are those of these numbers;
    /// `u32::MAX` where it is more. A decision with a gate asks for it, once. The default adds the
    /// ports up; who keeps a running sum gives that, so that the gate costs nothing. Ports without a
    /// cable are among the numbers. They have no credits in use.
    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        ports.map(|port| self.used(Port(port))).fold(0, u32::saturating_add)
    }

    /// What UGAL-L and PAR weigh a path by, as two factors of its cost: credits in use, and hops. The path
    /// sets out by `port`, a packet on it then has `header` (of a node on the destination switch), and `hops` are
    /// to be made. A switch sees its own ports only, so the default is the queue of the first port and
    /// all hops. A simulator that sees whole paths may weigh by those instead.
    fn weighed(&self, port: Port, header: Header, hops: u8) -> (u32, u8) {
        let _ = header;
        (self.used(port), hops)
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

/// One counter per physical port; a port beyond the end counts as idle.
#[cfg(feature = "heapless")]
impl<const PORTS: usize> Credits for heapless::Vec<u32, PORTS> {
    fn used(&self, port: Port) -> u32 {
        self.as_slice().used(port)
    }

    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        self.as_slice().used_by_links(ports)
    }
}

#[cfg(all(test, feature = "heapless"))]
mod tests {
    use super::*;

    #[test]
    fn a_vector_counts_as_its_slice_does() {
        let mut counters = heapless::Vec::<u32, 8>::new();
        counters.extend_from_slice(&[1, 2, 4, 8]).unwrap();
        assert_eq!((counters.used(Port(2)), counters.used(Port(4))), (4, 0));
        assert_eq!((counters.used_by_links(1..3), counters.used_by_links(2..9)), (6, 12));
    }
}
