//! A header in the bits that a fabric needs, for links with fewer than 64 to spare.

use crate::{Header, Kind, Stage};
use tvlb_schema::{Dragonfly, GlobalPort, SwitchId, SwitchIndex};

/// The contents of a header, field by field: `docs/reference/header.md` describes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HeaderParts {
    /// The destination switch.
    pub destination: SwitchId,
    /// The destination node's terminal.
    pub terminal: u8,
    /// The port through which the packet leaves its source group, below 4096.
    pub x: GlobalPort,
    /// The port through which it leaves the intermediate group, below 4096.
    pub y: GlobalPort,
    /// The switch to visit before y's own, or y's own.
    pub detour: SwitchIndex,
    /// How far the packet has come.
    pub stage: Stage,
    /// The virtual channel of the link that it last crossed, 0 to 7.
    pub virtual_channel: u8,
    /// The kind of path.
    pub kind: Kind,
}

impl Header {
    /// The header with these contents; `None` if a port or the virtual channel does not fit into its field.
    pub const fn from_parts(parts: HeaderParts) -> Option<Self> {
        let HeaderParts { destination, terminal, x, y, detour, stage, virtual_channel, kind } =
            parts;
        if x.0 > 0xfff || y.0 > 0xfff || virtual_channel > 7 {
            return None;
        }
        let route = Self::route(x, y, detour);
        let at_source = Self::at_source(destination, terminal, kind, route);
        Some(at_source.moved(stage as u32, virtual_channel))
    }
}

/// How many bits the fields of a header need on a fabric. Stage and virtual channel have three and the kind two on any.
///
/// All switches of a fabric use the same widths. For a fabric that is to grow, use those of the largest that it may
/// become.
///
/// # Example
/// ```
/// use tvlb_firmware_model::{Header, HeaderWidths};
/// use tvlb_schema::Dragonfly;
///
/// let widths = HeaderWidths::of(&Dragonfly::new(2, 4, 2, 9)?);
/// assert_eq!(widths.total(), 23);
/// let header = Header::from_bits(0x0015_0000_7003_0322);
/// let narrow = widths.pack(header);
/// assert!(narrow < 1 << 23);
/// assert_eq!(widths.unpack(narrow), header);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HeaderWidths {
    /// The destination switch, at most 16.
    pub destination: u8,
    /// The terminal, at most 8.
    pub terminal: u8,
    /// Each of x and y, at most 12.
    pub port: u8,
    /// The detour, at most 8.
    pub detour: u8,
}

/// How many bits distinguish this many numbers.
const fn bits_of(count: u32) -> u8 {
    let bits = u32::BITS - count.saturating_sub(1).leading_zeros();
    // At most 32, and the compiler sees it.
    (bits & 0xff) as u8
}

impl HeaderWidths {
    /// The widths for a fabric.
    pub const fn of(dragonfly: &Dragonfly) -> Self {
        Self {
            destination: bits_of(dragonfly.switch_numbers()),
            terminal: bits_of(dragonfly.p()),
            port: bits_of(dragonfly.ports_per_group()),
            detour: bits_of(dragonfly.a()),
        }
    }

    /// The bits of a whole header.
    pub const fn total(self) -> u32 {
        let Self { destination, terminal, port, detour } = self;
        destination as u32 + terminal as u32 + 2 * port as u32 + detour as u32 + 8
    }

    /// The fields from the lowest on: how many bits the full header has for each, and how many are needed.
    const fn fields(self) -> [(u8, u8); 6] {
        let Self { destination, terminal, port, detour } = self;
        // Stage, virtual channel and kind stay together.
        [(8, 8), (8, detour), (12, port), (12, port), (8, terminal), (16, destination)]
    }

    /// The contents of a header in the lowest [`Self::total`] bits, in the order of its fields. Values that do not fit,
    /// which no switch of the fabric writes, are cut off.
    pub fn pack(self, header: Header) -> u64 {
        let (mut left, mut packed, mut at) = (header.bits(), 0, 0);
        for (full, needed) in self.fields() {
            packed |= (left & ((1 << needed) - 1)) << at;
            left >>= full;
            at += u32::from(needed);
        }
        packed
    }

    /// The header of packed bits.
    pub fn unpack(self, packed: u64) -> Header {
        let (mut left, mut bits, mut at) = (packed, 0, 0);
        for (full, needed) in self.fields() {
            bits |= (left & ((1 << needed) - 1)) << at;
            left >>= needed;
            at += u32::from(full);
        }
        Header::from_bits(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn parts() -> HeaderParts {
        HeaderParts {
            destination: SwitchId(0x1234),
            terminal: 0x56,
            x: GlobalPort(0x789),
            y: GlobalPort(0xabc),
            detour: SwitchIndex(0xde),
            stage: Stage::MiddleLocal,
            virtual_channel: 3,
            kind: Kind::Vlb,
        }
    }

    #[test]
    fn a_header_of_parts_has_them() {
        let header = Header::from_parts(parts()).unwrap();
        assert_eq!(header.bits(), 0x1234_5678_9abc_de00 | 5 << 5 | 3 << 2 | 2);
        assert_eq!(Header::from_parts(HeaderParts { x: GlobalPort(0x1000), ..parts() }), None);
        assert_eq!(Header::from_parts(HeaderParts { y: GlobalPort(0x1000), ..parts() }), None);
        assert_eq!(Header::from_parts(HeaderParts { virtual_channel: 8, ..parts() }), None);
    }

    #[test]
    fn a_fabric_needs_the_bits_of_its_numbers() {
        let total = |sizes: [u32; 4]| {
            let [p, a, h, g] = sizes;
            HeaderWidths::of(&Dragonfly::new(p, a, h, g).unwrap()).total()
        };
        let of = [[1, 2, 1, 3], [2, 4, 2, 9], [4, 8, 4, 9], [13, 26, 13, 27]].map(total);
        assert_eq!(of, [3 + 2 + 1 + 8, 23, 7 + 2 + 10 + 3 + 8, 10 + 4 + 18 + 5 + 8]);
    }

    /// The corners of every field come back.
    #[test]
    fn what_is_packed_comes_back() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let widths = HeaderWidths::of(&df);
        let corners: [Vec<u64>; 5] =
            [71, 3, 31, 31, 7].map(|most: u64| [0, 1, most / 2, most].into_iter().collect());
        let shifts = [48, 40, 28, 16, 8];
        for low in 0..=255 {
            for turn in 0..1024_usize {
                let field = |n: usize| corners[n][turn >> (2 * n) & 3] << shifts[n];
                let bits = (0..5).map(field).sum::<u64>() | low;
                let header = Header::from_bits(bits);
                assert!(widths.pack(header) >> widths.total() == 0);
                assert_eq!(widths.unpack(widths.pack(header)), header);
            }
        }
        // The widest fields are those of the full header.
        let full = HeaderWidths { destination: 16, terminal: 8, port: 12, detour: 8 };
        assert_eq!((full.total(), full.pack(Header::from_bits(u64::MAX))), (64, u64::MAX));
    }
}
