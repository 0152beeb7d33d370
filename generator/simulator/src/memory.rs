//! Limits the memory of a run. A table set cannot exceed them, although it states latencies and buffers, with which the
//! storage for future cycles grows.

use crate::links::UnderWay;
use crate::network::SourceQueue;
use crate::packet::Packet;
use crate::setting_values::Buffers;
use crate::settings::Settings;
use crate::switch_state::{SwitchStates, chunk_count};
use crate::windows::{Acknowledgements, SourceWindows};
use tvlb_base::text::Refused;
use tvlb_schema::{Dragonfly, LinkKind};

/// The most bytes that one run may hold before it has a packet, besides the booted images.
pub const MOST_EMPTY: u64 = 1 << 30;
/// The most bytes that one run may hold with its packets.
pub const MOST_FULL: u64 = 4 << 30;

/// Refuses a run that takes more bytes than the most. `smaller` says what would take less.
///
/// # Errors
/// It does.
pub fn check_memory(
    bytes: u64,
    most: u64,
    smaller: impl FnOnce() -> String,
) -> Result<(), Refused> {
    if bytes <= most {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let accepted = format!("at most {} MiB: {}", mib(most), smaller());
    Err(Refused::new(format!("a run takes {} MiB of memory", mib(bytes)), accepted))
}

impl Settings {
    /// How many cycles ahead an event may be filed. A flit takes as long as its link, after all the flits that the
    /// credits of the link's port allow before it.
    pub(crate) fn cycles_ahead(&self, channels: u8) -> u32 {
        let latency =
            self.local_latency_cycles.max(self.global_latency_cycles).max(self.node_latency_cycles);
        let queue = u32::from(self.buffers.most()) * u32::from(channels);
        let gap = LinkKind::ALL.map(|kind| self.bandwidths.gap_256ths(kind).div_ceil(256));
        let queue = queue * gap[0].max(gap[1]).max(gap[2]);
        2 * u32::from(latency) + u32::from(self.credit_delay_cycles) + queue + 8
    }

    /// Refuses a network for which a run would take too much memory even without packets, and says which buffers would
    /// be accepted.
    pub(crate) fn check_memory(&self, df: &Dragonfly, channels: u8) -> Result<(), Refused> {
        check_memory(self.bytes(df, channels, 0), MOST_EMPTY, || {
            let with = |flits: u16| {
                let Buffers { local, global } = self.buffers;
                let buffers = Buffers { local: local.min(flits), global: global.min(flits) };
                Self { buffers, ..self.clone() }.bytes(df, channels, 0)
            };
            match (1..self.buffers.most()).rev().find(|&flits| with(flits) <= MOST_EMPTY) {
                Some(flits) => format!(
                    "with buffers of {flits} flits in the place of {} it takes no more",
                    self.buffers
                ),
                None => "the network has too many switches, or its links are too long".to_owned(),
            }
        })
    }

    /// The bytes of a run with so many packets under way.
    pub(crate) fn bytes(&self, df: &Dragonfly, channels: u8, packets: u32) -> u64 {
        let chunks = chunk_count(df);
        let nodes = u64::from(df.node_numbers()) * size_of::<SourceQueue>() as u64;
        let packets = u64::from(packets) * size_of::<Packet>() as u64;
        let ahead = UnderWay::bytes_ahead(self.cycles_ahead(channels), chunks as usize);
        let windows = self.destination_window.map_or(0, |_| {
            let horizon = self.cycles_ahead(channels) + self.acknowledgement();
            SourceWindows::bytes_of(df) + Acknowledgements::bytes_ahead(horizon, chunks as usize)
        });
        u64::from(chunks) * SwitchStates::BYTES_OF_CHUNK + nodes + packets + ahead + windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::BootedFabric;
    use crate::run::Run;
    use crate::scheme::Scheme;
    use crate::setting_values::MOST_BUFFER;
    use crate::study::Study;
    use tvlb_firmware_model::VlbPaths;
    use tvlb_schema::{Bandwidth, Bandwidths, ShapeSet};
    use tvlb_traffic::{Pattern, PlacementRule, Traffic};

    /// A set of tables with the largest buffer, on which a run once took 2.4 GB without any option.
    #[test]
    fn what_takes_too_much_is_refused_with_the_buffers_that_fit() {
        let df = crate::test_images::dragonfly(127, 128, 1, 17);
        let with = |flits| Settings {
            buffers: Buffers::all(flits),
            ..Settings::new(Scheme::Min, VlbPaths::Conventional)
        };
        let refused = with(4096).check_memory(&df, 4).unwrap_err().to_string();
        insta::assert_snapshot!(refused, @"a run takes 2181 MiB of memory, accepted at most 1024 MiB: with buffers of 2037 flits in the place of 4096 it takes no more");
        assert_eq!(with(2037).check_memory(&df, 4), Ok(()));
        assert!(with(2038).check_memory(&df, 4).is_err());
    }

    /// The estimate matches the memory really used, for every kind of run.
    #[test]
    fn a_run_holds_what_was_foreseen_and_no_run_begins_with_more_than_it_may() {
        let images = crate::test_images::absolute_images(4, 8, 4, 9, ShapeSet::ALL);
        let fabric = BootedFabric::boot(&images.fabric, &images.switches).unwrap();
        let (df, pattern) = (fabric.dragonfly(), Pattern::Uniform);
        let traffic = Traffic::new(&pattern, df, 1).unwrap();
        for flits in [1, 32, 4096] {
            let settings = Settings {
                buffers: Buffers::all(flits),
                ..Settings::new(Scheme::UgalL, VlbPaths::Conventional)
            };
            let run = Run::new(&fabric, &settings, &traffic, 0.1, 1).unwrap();
            let held = run.network.bytes() as u64;
            let foreseen = settings.bytes(df, run.network.states.channels, 0);
            assert!(foreseen.abs_diff(held) < held / 10, "{flits}: {foreseen}, {held}");
        }
        // Links of a sixty-fourth of the bandwidth keep flits for 64 times as many cycles.
        let slow = Bandwidth::of_thousandths(1).unwrap();
        let fast = Bandwidth::of_thousandths(64).unwrap();
        let settings = Settings {
            buffers: Buffers::all(MOST_BUFFER),
            virtual_channels: Some(8),
            bandwidths: Bandwidths::new(fast, fast, slow).unwrap(),
            ..Settings::new(Scheme::UgalL, VlbPaths::Conventional)
        };
        let refused = Run::new(&fabric, &settings, &traffic, 0.1, 1).err().unwrap().to_string();
        assert!(refused.starts_with("a run takes 20"), "{refused}");
        assert!(refused.contains("accepted at most 1024 MiB: with buffers of "), "{refused}");
        let packets = crate::generation::Generation::new(&traffic, 0.1, 1).unwrap();
        let whole = Run::of(&fabric, &settings, packets, 1).err().unwrap().to_string();
        assert_eq!(whole, refused);
        let placement = PlacementRule::Identity;
        let (settings, seeds) = (&settings, &[1][..]);
        let study = Study {
            fabric: &fabric,
            settings,
            pattern: &pattern,
            placement: &placement,
            seeds,
            series: None,
        };
        assert_eq!(study.curve(&[0.1], &()).unwrap_err().to_string(), refused);
    }

    #[test]
    fn what_no_buffer_helps_is_said() {
        let df = crate::test_images::dragonfly(8, 256, 1, 256);
        let settings = Settings {
            local_latency_cycles: 10_000,
            ..Settings::new(Scheme::Min, VlbPaths::Conventional)
        };
        let refused = settings.check_memory(&df, 4).unwrap_err().to_string();
        assert!(
            refused.ends_with("the network has too many switches, or its links are too long"),
            "{refused}"
        );
    }
}
