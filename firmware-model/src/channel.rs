//! Virtual channels: which one a packet takes on its next link.
//!
//! `ordered` (after Won et al., HPCA 2015): VC 0 at injection; one higher on arriving in a new
//! group; one higher for a second local hop in a row; the same from a local to a global hop. Then
//! 2·VC + (1 if the link is global) rises strictly along every path in any Dragonfly, so no cycle
//! of channels that wait for each other can close (Dally and Seitz, 1987).

use crate::Stage;

/// The VCs that `ordered` needs for MIN, VLB and UGAL: L0 G0 L1 L2 G2 L3.
pub const ORDERED_CHANNELS: u8 = 4;
/// The VCs that `ordered` needs for PAR: L0 L1 G1 L2 L3 G3 L4.
pub const ORDERED_CHANNELS_PAR: u8 = 5;

/// The kind of link a packet is about to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    Local,
    Global,
}

/// The VC on the next link of a packet that stands at `stage` having come by VC `current`, under
/// `ordered`.
#[inline]
pub(crate) const fn ordered(stage: Stage, current: u8, next: LinkKind) -> u8 {
    let rises = match stage {
        Stage::Source => false,
        Stage::Middle | Stage::Destination => true,
        Stage::SourceLocal
        | Stage::SourceLocalAgain
        | Stage::MiddleDetour
        | Stage::MiddleLocal
        | Stage::DestinationLocal => matches!(next, LinkKind::Local),
    };
    current + rises as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use LinkKind::{Global, Local};

    fn assert_channels(hops: &[(Stage, LinkKind, u8)], count: u8) {
        let mut channel = 0;
        for &(stage, link, expected) in hops {
            channel = ordered(stage, channel, link);
            assert_eq!(channel, expected, "{stage:?}");
        }
        assert_eq!(channel + 1, count);
    }

    #[test]
    fn the_longest_paths_use_every_channel() {
        let hops = [
            (Stage::Source, Local, 0),
            (Stage::SourceLocal, Global, 0),
            (Stage::Middle, Local, 1),
            (Stage::MiddleDetour, Local, 2),
            (Stage::MiddleLocal, Global, 2),
            (Stage::Destination, Local, 3),
        ];
        assert_channels(&hops, ORDERED_CHANNELS);
        let hops = [
            (Stage::Source, Local, 0),
            (Stage::SourceLocal, Local, 1),
            (Stage::SourceLocalAgain, Global, 1),
            (Stage::Middle, Local, 2),
            (Stage::MiddleDetour, Local, 3),
            (Stage::MiddleLocal, Global, 3),
            (Stage::Destination, Local, 4),
        ];
        assert_channels(&hops, ORDERED_CHANNELS_PAR);
    }
}
