//! What a switch knows of its queues.

use tvlb_schema::Port;

/// The credits of one switch's output ports.
///
/// In firmware this reads the credit counters; in a simulator it may know more.
pub trait Credits {
    /// Credits in use on a port, over all its virtual channels: flits sent towards it whose
    /// buffer space downstream has not been returned yet.
    fn used(&self, port: Port) -> u32;
}

/// One counter per physical port; a port beyond the end counts as idle.
impl Credits for [u32] {
    fn used(&self, port: Port) -> u32 {
        self.get(usize::from(port.0)).copied().unwrap_or(0)
    }
}
