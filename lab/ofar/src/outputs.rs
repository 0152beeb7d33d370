//! What a switch sees of its outputs.

use crate::PortSet;
use tvlb_schema::Port;

/// What a switch that decides at every hop sees of its outputs at this moment. Room is counted in packets, all of
/// one length.
pub trait Outputs {
    /// The links that can take a packet now: nothing is being sent on them, and a canonical virtual channel of
    /// theirs has room for one.
    fn ready(&self) -> PortSet;

    /// For how many packets a virtual channel of a link has room.
    fn room(&self, port: Port, virtual_channel: u8) -> u16;

    /// How many packets the buffer of one virtual channel of a link holds.
    fn capacity(&self, port: Port) -> u16;

    /// The outputs that have been given to a packet earlier in this very cycle, which the strict trigger asks
    /// for.
    fn granted(&self) -> PortSet {
        PortSet::EMPTY
    }
}
