//! Links whose buffers are too small for their rate.

use crate::settings::Settings;
use std::fmt;
use tvlb_schema::LinkKind;

/// Cycles that switches take for a flit and for its returning credit, besides the links and the credit delay.
const CYCLES_AT_SWITCHES: u32 = 2;

/// A kind of link on which a virtual channel waits for credits even without other traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StarvedLink {
    pub kind: LinkKind,
    pub latency_cycles: u16,
    /// The size of a virtual channel's buffer.
    pub room: u16,
    /// "flits" or "phits".
    pub unit: &'static str,
    /// How many of them a virtual channel carries per cycle at most.
    pub most: f64,
}

impl fmt::Display for StarvedLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, latency_cycles, room, unit, most } = self;
        write!(
            f,
            "a virtual channel of a {} link of {latency_cycles} cycles with a buffer of {room} {unit} carries at \
             most {most:.3} {unit} per cycle",
            kind.name()
        )
    }
}

impl Settings {
    /// The kinds of links whose buffers are too small for a virtual channel to keep the link busy.
    pub fn starved_links(&self) -> Vec<StarvedLink> {
        let starved = LinkKind::ALL.into_iter().filter_map(|kind| {
            let (buffer, round_trip) = (self.buffers.of(kind), self.round_trip(kind));
            let most = f64::from(buffer) / f64::from(round_trip + CYCLES_AT_SWITCHES);
            let is_starved =
                u32::from(buffer) < round_trip && most < self.bandwidths.flits_per_cycle(kind);
            let latency_cycles = self.latency(kind);
            is_starved.then_some(StarvedLink {
                kind,
                latency_cycles,
                room: buffer,
                unit: "flits",
                most,
            })
        });
        starved.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::Scheme;
    use crate::setting_values::Buffers;
    use tvlb_firmware_model::VlbPaths;
    use tvlb_schema::{Bandwidth, Bandwidths};

    #[test]
    fn what_a_channel_carries_at_most_is_said_of_links_that_take_more() {
        let said = |settings: &Settings| -> Vec<String> {
            settings.starved_links().iter().map(ToString::to_string).collect()
        };
        let mut settings = Settings::new(Scheme::Min, VlbPaths::Custom);
        assert_eq!(said(&settings), [""; 0]);
        settings.global_latency_cycles = 100;
        let long = "a virtual channel of a global link of 100 cycles with a buffer of 32 flits carries at most \
                    0.157 flits per cycle";
        assert_eq!(said(&settings), [long]);
        let slow = Bandwidth::of_thousandths(125).unwrap();
        settings.bandwidths = Bandwidths::new(Bandwidth::ONE, Bandwidth::ONE, slow).unwrap();
        assert_eq!(said(&settings), [""; 0], "the link takes no more");
        settings.buffers = Buffers::all(8);
        assert_eq!(said(&settings).len(), 2);
        assert!(said(&settings)[0].contains("local link of 10 cycles with a buffer of 8 flits"));
        settings.buffers.local = 32;
        assert_eq!(said(&settings).len(), 1);
        assert!(said(&settings)[0].contains("global link of 100 cycles with a buffer of 8 flits"));
    }
}
