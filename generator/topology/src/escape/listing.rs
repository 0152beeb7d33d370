//! Escape networks as lists: for an escape image, and as CSV with a line for each switch.

use super::{Ring, Tree};
use std::fmt::Write;
use tvlb_schema::{Dragonfly, EscapeNetwork, SwitchId};

impl Ring {
    /// The ring as an escape image takes it.
    pub fn network(&self) -> EscapeNetwork {
        EscapeNetwork::Ring(self.hops.iter().map(|hop| (hop.switch, hop.port)).collect())
    }

    /// `place,switch,port,next`: each switch in the order of the ring, its port towards the next one, and that
    /// one.
    pub fn csv(&self) -> String {
        let mut text = String::from("place,switch,port,next\n");
        let next = self.hops.iter().cycle().skip(1);
        for (place, (hop, next)) in self.hops.iter().zip(next).enumerate() {
            writeln!(text, "{place},{},{},{}", hop.switch, hop.port, next.switch)
                .expect("a string takes all that is written");
        }
        text
    }
}

impl Tree {
    /// The tree as an escape image takes it.
    pub fn network(&self, df: &Dragonfly) -> EscapeNetwork {
        let mut switches: Vec<SwitchId> = df.switches().collect();
        switches.sort_unstable_by_key(|switch| self.order[switch.as_usize()]);
        let hangs = switches.into_iter().map(|switch| {
            let at = switch.as_usize();
            (switch, self.parents[at].map(|(_, port)| port), self.sizes[at] - 1)
        });
        EscapeNetwork::Tree(hangs.collect())
    }

    /// `switch,above,port,place,size`: each switch by rising number, the switch above it and its port towards
    /// that (neither for the root), its place in the order in which each switch comes before those below it,
    /// and how many switches it and those below it are.
    pub fn csv(&self, df: &Dragonfly) -> String {
        let mut text = String::from("switch,above,port,place,size\n");
        for SwitchId(number) in df.switches() {
            let at = usize::from(number);
            let up =
                self.parents[at].map_or(",".to_owned(), |(above, port)| format!("{above},{port}"));
            writeln!(text, "{number},{up},{},{}", self.order[at], self.sizes[at])
                .expect("a string takes all that is written");
        }
        text
    }
}
