//! The answer to a packet that decides at every hop.

use tvlb_firmware_model::Header;
use tvlb_schema::Port;

/// The request of a packet at the head of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// To be delivered to a node on this switch.
    Deliver {
        /// The physical port, which is the node's terminal.
        port: Port,
    },
    /// To be sent on, if the link is free and the virtual channel has enough room.
    Send {
        /// The physical port.
        port: Port,
        /// The virtual channel on the link at that port.
        virtual_channel: u8,
        /// The header that it travels with.
        header: Header,
        /// For how many packets the virtual channel must have room.
        room: u16,
    },
    /// Nothing yet. It is to ask again when outputs have changed.
    Wait,
}
