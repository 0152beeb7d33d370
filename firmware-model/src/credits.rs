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

    /// Whether [`Self::used_along`] answers, as UGAL-G needs it to. `false`, as here, where a switch
    /// sees its own ports only; then UGAL-G is refused and takes no room in the switch's program.
    fn sees_whole_paths(&self) -> bool {
        false
    }

    /// The sum of credits in use along the whole path of a packet that would set out from this
    /// switch by this port, with this header behind it: the view that UGAL-G supposes. `None`, as here,
    /// where a switch sees its own ports only; see [`Self::sees_whole_paths`].
    fn used_along(&self, port: Port, header: Header) -> Option<u32> {
        let _ = (port, header);
        None
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
