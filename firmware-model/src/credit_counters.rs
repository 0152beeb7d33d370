//! Counters of credits in use that a switch owns, with the sums that decisions need.

use crate::credits::added_up;
use crate::{Credits, Switch};
use core::ops::Range;
use tvlb_schema::Port;

/// Why credits were not counted. The counters are unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum CreditError {
    /// There is no counter of this virtual channel of this port.
    #[error("there is no counter of port {port}, virtual channel {virtual_channel}")]
    NoCounter {
        /// The port.
        port: Port,
        /// The virtual channel.
        virtual_channel: u8,
    },
    /// More credits came back than are in use: flits were sent without being counted, or a link returned too many
    /// credits.
    #[error("{returned} credits came back where {used} are in use")]
    Underflow {
        /// Credits in use on the virtual channel.
        used: u32,
        /// Credits that came back.
        returned: u32,
    },
    /// The sum of a port, or of all links, would exceed `u32::MAX`.
    #[error("more than {} credits would be in use", u32::MAX)]
    Overflow,
}

/// Credits in use by port and virtual channel, and their sums, which are updated as flits are sent and credits return.
/// So no decision has to add them up, whatever its queues and gate need.
///
/// There is room for `PORTS` ports of `CHANNELS` virtual channels each, 4 · (`PORTS` + 2) · (`CHANNELS` + 1) + 8 bytes.
/// A switch with traffic classes has such counters for each class.
///
/// # Example
/// ```
/// use tvlb_firmware_model::schema::Port;
/// use tvlb_firmware_model::{CreditCounters, CreditError, Credits, Switch};
///
/// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
/// # let fabric = std::fs::read(format!("{golden}fabric.tvlb"))?;
/// # let image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
/// // A switch of dfly(2, 4, 2, 9): two nodes, three links within the group, two to other groups.
/// let switch = Switch::boot(&fabric, &image)?;
/// let mut credits = CreditCounters::<8, 5>::of(&switch).ok_or("too many ports or channels")?;
///
/// // A packet of four flits leaves as `Step::Send` says, and one of its credits comes back.
/// credits.sent(Port(2), 0, 4)?;
/// credits.returned(Port(2), 0, 1)?;
/// assert_eq!((credits.used(Port(2)), credits.used_by_links(2..7)), (3, 3));
///
/// // More than was sent cannot come back.
/// let more = credits.returned(Port(2), 0, 5);
/// assert_eq!(more, Err(CreditError::Underflow { used: 3, returned: 5 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreditCounters<const PORTS: usize, const CHANNELS: usize> {
    ports: [Summed<CHANNELS>; PORTS],
    /// The sums over the links within the group, and over those to other groups.
    links: [Summed<CHANNELS>; 2],
    first_local: u16,
    first_global: u16,
    end: u16,
}

/// Credits in use by virtual channel, and their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Summed<const CHANNELS: usize> {
    by_channel: [u32; CHANNELS],
    sum: u32,
}

impl<const CHANNELS: usize> Summed<CHANNELS> {
    const NONE: Self = Self { by_channel: [0; CHANNELS], sum: 0 };

    /// Changes the counter of a channel, if there is one, and the sum by the same amount.
    fn add(&mut self, virtual_channel: u8, flits: u32) {
        if let Some(counter) = self.by_channel.get_mut(usize::from(virtual_channel)) {
            *counter = counter.wrapping_add(flits);
            self.sum = self.sum.wrapping_add(flits);
        }
    }
}

impl<const PORTS: usize, const CHANNELS: usize> CreditCounters<PORTS, CHANNELS> {
    /// Counters for the ports of a switch, with nothing in use. `None` if it has more than `PORTS` ports, or was booted
    /// for more than `CHANNELS` virtual channels.
    ///
    /// They stay valid when the switch takes other tables, because a replacement has the same ports.
    #[must_use]
    pub fn of(switch: &Switch<'_>) -> Option<Self> {
        let Range { start, end } = switch.image().link_ports();
        let channels = switch.channels().most();
        (usize::from(end) <= PORTS && usize::from(channels) <= CHANNELS).then_some(Self {
            ports: [Summed::NONE; PORTS],
            links: [Summed::NONE; 2],
            first_local: start,
            first_global: switch.image().fabric().dragonfly().slot_port(0).0,
            end,
        })
    }

    /// Counts flits sent through a port on a virtual channel.
    ///
    /// # Errors
    /// There is no such counter, or a sum is full.
    pub fn sent(&mut self, port: Port, virtual_channel: u8, flits: u32) -> Result<(), CreditError> {
        self.counter(port, virtual_channel)?;
        // No sum of links is above this one, and no counter above its port's.
        let sum = if port.0 >= self.first_local { self.of_links() } else { self.used(port) };
        sum.checked_add(flits).ok_or(CreditError::Overflow)?;
        self.add(port, virtual_channel, flits);
        Ok(())
    }

    /// Counts returned buffer space of a virtual channel downstream of a port.
    ///
    /// # Errors
    /// There is no such counter, or it has less in use.
    pub fn returned(
        &mut self,
        port: Port,
        virtual_channel: u8,
        flits: u32,
    ) -> Result<(), CreditError> {
        let used = self.counter(port, virtual_channel)?;
        if flits > used {
            return Err(CreditError::Underflow { used, returned: flits });
        }
        self.add(port, virtual_channel, flits.wrapping_neg());
        Ok(())
    }

    fn counter(&self, port: Port, virtual_channel: u8) -> Result<u32, CreditError> {
        let of_port = self.ports.get(port.as_usize()).filter(|_| port.0 < self.end);
        let counter = of_port.and_then(|port| port.by_channel.get(usize::from(virtual_channel)));
        counter.copied().ok_or(CreditError::NoCounter { port, virtual_channel })
    }

    /// Changes a counter and the sums that include it. None of them may exceed `u32::MAX` or fall below 0.
    fn add(&mut self, port: Port, virtual_channel: u8, flits: u32) {
        if let Some(counters) = self.ports.get_mut(port.as_usize()) {
            counters.add(virtual_channel, flits);
        }
        let [local, global] = &mut self.links;
        match port.0 {
            number if number >= self.first_global => global.add(virtual_channel, flits),
            number if number >= self.first_local => local.add(virtual_channel, flits),
            _ => {}
        }
    }

    /// The sum over all links, which [`Self::sent`] keeps from overflowing.
    fn of_links(&self) -> u32 {
        let [local, global] = &self.links;
        local.sum.wrapping_add(global.sum)
    }
}

impl<const PORTS: usize, const CHANNELS: usize> Credits for CreditCounters<PORTS, CHANNELS> {
    #[inline]
    fn used(&self, port: Port) -> u32 {
        self.ports.get(port.as_usize()).map_or(0, |port| port.sum)
    }

    #[inline]
    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        Some(self.counter(port, virtual_channel).unwrap_or(0))
    }

    /// A maintained sum, if these are all ports of links.
    #[inline]
    fn used_by_links(&self, ports: Range<u16>) -> u32 {
        if ports == (self.first_local..self.end) {
            return self.of_links();
        }
        added_up(ports, |port| self.used(port))
    }

    /// A maintained sum, if these are the ports of the links within the group or of those to other groups.
    #[inline]
    fn used_by_links_on(&self, ports: Range<u16>, virtual_channel: u8) -> u32 {
        let [local, global] = &self.links;
        let kept = if ports == (self.first_local..self.first_global) {
            local
        } else if ports == (self.first_global..self.end) {
            global
        } else {
            return added_up(ports, |port| self.used_on(port, virtual_channel).unwrap_or(0));
        };
        kept.by_channel.get(usize::from(virtual_channel)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByChannel, DefaultRng};
    use rand_core::{Rng, SeedableRng};
    use std::string::ToString;
    use std::vec::Vec;

    const FABRIC: &[u8] = include_bytes!("../golden/v3/fabric.tvlb");
    const SWITCH: &[u8] = include_bytes!("../golden/v3/switch-00005.tvlb");
    /// Of dfly(2, 4, 2, 9): two nodes, three links within the group, two to other groups.
    const ENDS: [u16; 4] = [0, 2, 5, 7];
    const CHANNELS: usize = 5;

    fn idle() -> CreditCounters<8, CHANNELS> {
        CreditCounters::of(&Switch::boot(FABRIC, SWITCH).unwrap()).unwrap()
    }

    #[test]
    fn sums_are_those_of_the_counters() {
        let (mut credits, mut rng) = (idle(), DefaultRng::seed_from_u64(1));
        let mut expected = [0_u32; 7 * CHANNELS];
        for _ in 0..10_000 {
            let [port, channel, flits, way] = rng.next_u32().to_le_bytes();
            let (port, channel, flits) = (port % 7, channel % 5, u32::from(flits % 8));
            let counter = &mut expected[usize::from(port) * CHANNELS + usize::from(channel)];
            let port = Port(port.into());
            if way < 128 {
                assert_eq!(credits.sent(port, channel, flits), Ok(()));
                *counter += flits;
            } else {
                let before = credits.clone();
                let is_less = *counter < flits;
                assert_eq!(credits.returned(port, channel, flits).is_err(), is_less);
                assert!(!is_less || credits == before);
                *counter -= if is_less { 0 } else { flits };
            }
            let expected = ByChannel { counters: &expected, channels: 5 };
            assert_eq!(credits.used(port), expected.used(port));
            // The ranges that are kept, and others.
            for start in ENDS {
                for end in ENDS {
                    let (found, summed) =
                        (credits.used_by_links(start..end), expected.used_by_links(start..end));
                    assert_eq!(found, summed);
                    let on = |credits: &dyn Credits| -> Vec<u32> {
                        (0..6).map(|c| credits.used_by_links_on(start..end, c)).collect()
                    };
                    assert_eq!(on(&credits), on(&expected));
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let (mut credits, before) = (idle(), idle());
        for (port, virtual_channel) in [(7, 0), (8, 0), (u16::MAX, 0), (0, 5), (6, u8::MAX)] {
            let port = Port(port);
            let refused = Err(CreditError::NoCounter { port, virtual_channel });
            assert_eq!(credits.sent(port, virtual_channel, 1), refused);
            assert_eq!(credits.returned(port, virtual_channel, 1), refused);
        }
        assert_eq!(credits, before);
        // Two links may have as many in use as one sum holds; a port to a node has a sum of its own.
        credits.sent(Port(2), 0, u32::MAX - 1).unwrap();
        credits.sent(Port(6), 4, 1).unwrap();
        for (port, channel) in [(2, 0), (3, 1), (6, 4)] {
            assert_eq!(credits.sent(Port(port), channel, 1), Err(CreditError::Overflow));
        }
        credits.sent(Port(1), 0, u32::MAX).unwrap();
        assert_eq!(credits.sent(Port(1), 1, 1), Err(CreditError::Overflow));
        assert_eq!(credits.used_by_links(2..7), u32::MAX);
        let more = credits.returned(Port(6), 4, 2).unwrap_err();
        assert_eq!(more.to_string(), "2 credits came back where 1 are in use");
    }

    #[test]
    fn a_switch_with_more_ports_or_channels_than_counters_has_none() {
        let switch = Switch::boot(FABRIC, SWITCH).unwrap();
        assert!(CreditCounters::<7, 5>::of(&switch).is_some());
        assert!(CreditCounters::<6, 5>::of(&switch).is_none());
        assert!(CreditCounters::<7, 4>::of(&switch).is_none());
    }

    #[test]
    fn the_size_is_as_documented() {
        assert_eq!(size_of::<CreditCounters<15, 5>>(), 4 * 17 * 6 + 8);
    }
}
