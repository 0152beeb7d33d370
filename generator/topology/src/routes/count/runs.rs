//! The links of each switch, and the common neighbours of two switches.

use std::ops::Range;
use tvlb_schema::{Dragonfly, SwitchId};

/// The links to one group or one switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkRun {
    /// The group's or the switch's number.
    pub(super) near: u16,
    /// At least 1.
    pub(super) links: u16,
}

/// For each switch, its neighbours, by rising number.
#[derive(Clone, Debug)]
pub(super) struct LinkRuns {
    pub(super) runs: Vec<LinkRun>,
    pub(super) ranges: Vec<Range<usize>>,
}

impl LinkRuns {
    /// Counts equal numbers among the neighbours of each switch; neighbours without a number do not count.
    pub(super) fn new(df: &Dragonfly, near: impl Fn(SwitchId) -> Vec<u16>) -> Self {
        let mut runs: Vec<LinkRun> = Vec::new();
        let mut ranges = vec![0..0; df.switch_numbers() as usize];
        for switch in df.switches() {
            let mut near = near(switch);
            near.sort_unstable();
            let start = runs.len();
            for equal in near.chunk_by(|a, b| a == b) {
                runs.push(LinkRun {
                    near: equal[0],
                    links: u16::try_from(equal.len()).expect("a switch has at most 4096 ports"),
                });
            }
            ranges[switch.as_usize()] = start..runs.len();
        }
        Self { runs, ranges }
    }

    pub(super) fn of(&self, switch: SwitchId) -> &[LinkRun] {
        &self.runs[self.ranges[switch.as_usize()].clone()]
    }
}

/// The sum of the products of links and a weight over the common neighbours.
pub(super) fn common(
    mut one: &[LinkRun],
    mut other: &[LinkRun],
    weight: impl Fn(u16) -> u32,
) -> u32 {
    let mut sum = 0;
    while let ([a, one_rest @ ..], [b, other_rest @ ..]) = (one, other) {
        if a.near == b.near {
            sum += u32::from(a.links) * u32::from(b.links) * weight(a.near);
        }
        if a.near <= b.near {
            one = one_rest;
        }
        if b.near <= a.near {
            other = other_rest;
        }
    }
    sum
}
