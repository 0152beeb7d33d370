//! What a ring consists of.

use tvlb_schema::{Port, SwitchId};

/// One switch of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingHop {
    /// The switch.
    pub switch: SwitchId,
    /// Its port towards the next one.
    pub port: Port,
}
