//! What a switch knows of its queues.

use crate::Header;
use tvlb_schema::Port;

/// The credits of one switch's output ports.
///
/// In firmware this reads the credit counters; in a simulator it may know more.
pub trait Credits {
    /// Credits in use on a port, over all its virtual channels: flits sent towards it whose
    /// buffer space downstream has not been returned yet.
    fn used(&self, port: Port) -> u32;

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
}
