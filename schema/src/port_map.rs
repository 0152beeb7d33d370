//! The machine's own numbers of a switch's ports.
//!
//! tvlb numbers the ports of a switch by their destinations: nodes, local links, global links. The switch's hardware
//! numbers them by position. A port map translates the first number into the second, so that a program on the switch
//! needs no list besides its images. A port whose number is unknown has no entry, and an image without any known number
//! has no map.

use crate::image_error::{Fault, ImagePart, Refusal, Value};
use crate::plain::Feature;
use crate::{ANY_FABRIC, Dragonfly, GroupId, Port};

/// The entry of a port without a known number; numbers are below it.
pub(crate) const UNKNOWN: u8 = u8::MAX;

/// The port map of a switch image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortMap<'a> {
    /// For each port a number or [`UNKNOWN`]; empty if the image has no map.
    numbers: &'a [u8],
}

impl<'a> PortMap<'a> {
    pub(crate) const NONE: Self = Self { numbers: &[] };

    /// Takes the map of a switch of this group from the front of the remaining sections, which end at byte `end`.
    pub(crate) fn take(
        rest: &mut &'a [u8],
        (df, group): (&Dragonfly, GroupId),
        end: usize,
        refusal: &mut Refusal,
    ) -> Option<Self> {
        let (start, needed) = (end - rest.len(), df.radix() as usize);
        if !ANY_FABRIC {
            return refusal.fail(Fault::LeftOut(Feature::PortMaps), start, 1);
        }
        let Some((numbers, behind)) = rest.split_at_checked(needed) else {
            return refusal.too_short(ImagePart::PortMap, start, rest.len(), needed);
        };
        *rest = behind;
        let (mut seen, mut is_known) = ([0_u32; 8], false);
        for (at, (port, &number)) in (start..).zip((0..).map(Port).zip(numbers)) {
            if number == UNKNOWN {
                continue;
            }
            if !df.has_port_of(group, port) {
                return refusal.out_of_range(Value::NumberOfNoPort, at, number.into());
            }
            // A number of eight bits has its place in eight times 32.
            if let Some(word) = seen.get_mut(usize::from(number >> 5)) {
                let bit = 1 << (number & 31);
                if *word & bit != 0 {
                    return refusal.out_of_range(Value::NumberTwice, at, number.into());
                }
                *word |= bit;
                is_known = true;
            }
        }
        if !is_known {
            return refusal.out_of_range(Value::EmptyPortMap, start, 0);
        }
        Some(Self { numbers })
    }

    /// The number of a port, if known.
    #[inline]
    pub(crate) fn number(&self, port: Port) -> Option<u8> {
        self.numbers.get(usize::from(port.0)).copied().filter(|&number| number != UNKNOWN)
    }

    /// The number of each port, if known; empty for an image without a map.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Option<u8>> {
        self.numbers.iter().map(|&number| (number != UNKNOWN).then_some(number))
    }
}
