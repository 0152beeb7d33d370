//! How much is sent, and over which paths.

use tvlb_schema::{Level, SetRule, SwitchId};

/// How paths are drawn.
#[derive(Clone, Copy, Debug)]
pub enum Draw<'d> {
    /// Minimal paths, uniformly among the links between two groups. If two switches of a group share no link, through a
    /// third one.
    Min,
    /// By conventional VLB: uniformly over triples (R, leg 1, leg 2). Within a group, as by any set, through
    /// a third switch.
    Conventional,
    /// By a set. The levels of a switch that does not thin it are empty; if the slice is empty, no switch thins it.
    Set {
        rule: &'d SetRule,
        /// The levels of each switch, by switch number.
        levels: &'d [Vec<Level>],
    },
}

/// How much one switch sends to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    pub source: SwitchId,
    pub destination: SwitchId,
    pub amount: f64,
}
