//! The steps of a ring.

use tvlb_schema::{Port, SwitchId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingHop {
    pub switch: SwitchId,
    /// Its port towards the next one.
    pub port: Port,
}
