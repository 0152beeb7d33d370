//! Piggybacking's flags: which links to other groups their switches call congested.
//!
//! A switch knows its own flags at once, and those of the other switches of its group one local latency later.

use super::piggyback::CongestionRule;
use super::state::Queues;
use tvlb_schema::{Dragonfly, GlobalPort, SwitchId};
use tvlb_simulator::BootedFabric;

/// The virtual channel whose credits decide: the one of a packet's first link.
const DECIDES: u8 = 0;

/// The flags of the last cycles.
#[derive(Debug)]
pub(super) struct CongestionFlags {
    rule: CongestionRule,
    dragonfly: Dragonfly,
    /// For each of some cycles one bit for each slot of each switch, by the cycle's number modulo their count.
    cycles: Vec<Vec<u64>>,
    /// Cycles until the other switches of a group know.
    latency: u32,
}

impl CongestionFlags {
    /// No link is congested.
    pub(super) fn new(fabric: &BootedFabric<'_>, rule: CongestionRule, latency: u16) -> Self {
        let df = *fabric.dragonfly();
        let words = (df.switch_numbers() as usize * df.h() as usize).div_ceil(64);
        let latency = u32::from(latency);
        let cycles = vec![vec![0; words]; latency as usize + 1];
        Self { rule, dragonfly: df, cycles, latency }
    }

    /// Every switch finds out which of its links are congested in this cycle.
    pub(super) fn find(&mut self, queues: &Queues, now: u32) {
        let cycle = now as usize % self.cycles.len();
        let words = &mut self.cycles[cycle];
        words.fill(0);
        let df = &self.dragonfly;
        let mut used = Vec::with_capacity(df.h() as usize);
        for switch in df.switches() {
            used.clear();
            let slots = (0..df.h()).map(|slot| u16::try_from(slot).expect("at most 256 ports"));
            used.extend(slots.map(|slot| {
                let port = queues.port(switch, df.slot_port(slot));
                let is_there = queues.outputs[port.index()].peer != port;
                is_there.then(|| queues.used_on(port, DECIDES))
            }));
            let sum = used.iter().flatten().map(|&used| u64::from(used)).sum();
            if sum == 0 {
                continue;
            }
            let links = used.iter().flatten().fold(0, |count, _| count + 1);
            let first = switch.as_usize() * df.h() as usize;
            for (bit, &used) in (first..).zip(&used) {
                if used.is_some_and(|used| self.rule.calls_congested(used, sum, links)) {
                    words[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
    }

    /// Whether a link of a switch's group is congested, as far as the switch knows in this cycle.
    pub(super) fn is_congested(&self, at: SwitchId, link: GlobalPort, now: u32) -> bool {
        let df = &self.dragonfly;
        let (group, own) = df.place(at);
        let (index, slot) = df.split_port(link);
        let Some(then) = (if index == own { Some(now) } else { now.checked_sub(self.latency) })
        else {
            return false;
        };
        let switch = df.switch(group, index);
        let bit = switch.as_usize() * df.h() as usize + usize::from(slot);
        let words = &self.cycles[then as usize % self.cycles.len()];
        words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }
}
