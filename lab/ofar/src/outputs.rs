//! A switch's view of its outputs.

use crate::PortSet;
use tvlb_schema::Port;

/// The view of its outputs, at this moment, of a switch that decides at every hop. Room is counted in packets, all of
/// one length.
pub trait Outputs {
    /// The links that can take a packet now: nothing is being sent on them, and one of their canonical virtual channels
    /// has room for it.
    fn ready(&self) -> PortSet;

    /// For how many packets a virtual channel of a link has room.
    fn room(&self, port: Port, virtual_channel: u8) -> u16;

    /// How many packets the buffer of one virtual channel of a link holds.
    fn capacity(&self, port: Port) -> u16;

    /// The outputs that another packet got earlier in this very cycle, for the strict trigger.
    fn granted(&self) -> PortSet {
        PortSet::EMPTY
    }
}
