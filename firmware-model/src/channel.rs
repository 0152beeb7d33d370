//! Virtual channels: which one a packet takes on its next link.
//!
//! Under each of the first three schemes a rank of the channels rises strictly along every path in any Dragonfly, so no
//! cycle of channels that wait for each other can close (Dally and Seitz, 1987):
//!
//! - `ordered` (after Won et al., HPCA 2015): VC 0 at injection; one higher on arriving in a new
//!   group; one higher for a second local hop in a row; the same from a local to a global hop.
//!   The rank is 2·VC + (1 if the link is global).
//! - `per-hop`: the number of hops made before. The rank is the VC.
//! - `positional`: one VC for each place that a link can have on a path. The rank is that place:
//!   source local, PAR's second source local, first global, first and second local in the
//!   intermediate group, second global, destination local.
//! - `up-down`, for groups of leaves and spines: VC 0 at injection; one higher for the second of two local hops in the
//!   intermediate group, where the packet turns from down to up, or else for the second global link. A local link leads
//!   up, to a spine, or down, to a leaf, and the rank is 3·VC + (0 if the link leads up, 1 if it is global, 2 if it
//!   leads down). In other wirings it guarantees nothing.

use crate::{Header, Scheme, Stage};
use tvlb_schema::{Decision, VcScheme};

/// How many virtual channels a scheme needs on each kind of link.
///
/// # Example
/// ```
/// use tvlb_firmware_model::{Channels, Scheme};
/// use tvlb_schema::VcScheme;
///
/// let needed = Channels::needed(VcScheme::Positional, Scheme::UgalL);
/// assert_eq!(needed, Channels { local: 4, global: 2 });
/// assert_eq!(Channels::needed(VcScheme::Ordered, Scheme::Par).most(), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Channels {
    /// On links within a group.
    pub local: u8,
    /// On links between groups.
    pub global: u8,
}

impl Channels {
    /// The needs of a routing scheme if VCs are assigned by `channels`.
    pub const fn needed(channels: VcScheme, scheme: Scheme) -> Self {
        scheme.channels(channels)
    }

    /// `ordered` for MIN, VLB and UGAL: L0 G0 L1 L2 G2 L3.
    pub const ORDERED: Self = Self { local: 4, global: 3 };
    /// `ordered` for PAR: L0 L1 G1 L2 L3 G3 L4.
    pub const ORDERED_PAR: Self = Self { local: 5, global: 4 };
    /// `per-hop` for MIN, VLB and UGAL: L0 G1 L2 L3 G4 L5.
    pub const PER_HOP: Self = Self { local: 6, global: 5 };
    /// `per-hop` for PAR: L0 L1 G2 L3 L4 G5 L6.
    pub const PER_HOP_PAR: Self = Self { local: 7, global: 6 };
    /// `positional` for MIN, VLB and UGAL: L0 G0 L1 L2 G1 L3.
    pub const POSITIONAL: Self = Self { local: 4, global: 2 };
    /// `positional` for PAR: L0 L4 G0 L1 L2 G1 L3.
    pub const POSITIONAL_PAR: Self = Self { local: 5, global: 2 };
    /// `up-down` for every scheme: up 0, G0, down 0, up 1, G1, down 1.
    pub const UP_DOWN: Self = Self { local: 2, global: 2 };

    /// Enough for any assignment and any scheme. A header has room for eight.
    pub const MOST: Self = Self { local: 7, global: 6 };

    /// The number that is enough on any link.
    pub const fn most(self) -> u8 {
        if self.local > self.global { self.local } else { self.global }
    }
}

/// The kind of link a packet is about to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HopKind {
    Local,
    Global,
}

/// The assignment of one VC scheme: for each place of a link on a path the next VC is the current one or 0, plus a
/// constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules([ChannelRule; 16]);

#[derive(Clone, Copy, Debug)]
struct ChannelRule {
    /// The bits of the current VC that stay: all three or none.
    keep: u8,
    add: u8,
}

impl ChannelRule {
    const fn fixed(channel: u8) -> Self {
        Self { keep: 0, add: channel }
    }

    const fn rise(by: u8) -> Self {
        Self { keep: 7, add: by }
    }
}

impl Rules {
    /// By VC scheme, in the order of their codes.
    const TABLES: &'static [Self; 4] = &[
        Self::new(VcScheme::Ordered),
        Self::new(VcScheme::PerHop),
        Self::new(VcScheme::Positional),
        Self::new(VcScheme::UpDown),
    ];

    pub(crate) const fn of(channels: VcScheme) -> &'static Self {
        &Self::TABLES[channels as usize]
    }

    const fn new(channels: VcScheme) -> Self {
        let mut rules = [ChannelRule::fixed(0); 16];
        let mut at = 0;
        while at < rules.len() {
            let stage = Stage::ALL[at >> 1];
            let link = if at & 1 == 0 { HopKind::Local } else { HopKind::Global };
            rules[at] = match channels {
                VcScheme::Ordered => ChannelRule::rise(ordered_rises(stage, link) as u8),
                VcScheme::PerHop if matches!(stage, Stage::Source) => ChannelRule::fixed(0),
                VcScheme::PerHop => ChannelRule::rise(1),
                VcScheme::Positional => ChannelRule::fixed(position(stage, link)),
                VcScheme::UpDown => ChannelRule::rise(up_down_rises(stage, link) as u8),
            };
            at += 1;
        }
        rules[AGAIN as usize] = match channels {
            VcScheme::Ordered | VcScheme::PerHop => ChannelRule::rise(1),
            VcScheme::Positional => ChannelRule::fixed(4),
            VcScheme::UpDown => ChannelRule::rise(0),
        };
        Self(rules)
    }

    /// The VC on the link at this place of a packet's path, at most 8.
    #[inline]
    pub(crate) const fn assign(&self, header: Header, place: u32) -> u8 {
        let ChannelRule { keep, add } = self.0[(place & 15) as usize];
        (header.low_bits() >> 2 & keep) + add
    }
}

/// The place of a packet's second local hop in its source group: no packet makes a local hop after two there, so that
/// place is free. The second half of a path within one group has the stage of the second of them, but not its rule.
pub(crate) const AGAIN: u32 = place(Stage::SourceLocalAgain as u32, HopKind::Local);

/// The virtual channel of a packet's first link under every scheme.
pub(crate) const AT_INJECTION: u8 = 0;

/// For each kind of link, the virtual channel of a packet on the first link after a decision: at its source, or at
/// PAR's second look, which it reaches by one local hop.
#[derive(Clone, Copy)]
pub(crate) struct FirstChannels {
    pub(crate) local: u8,
    pub(crate) global: u8,
}

impl FirstChannels {
    pub(crate) const AT_SOURCE: Self = Self { local: AT_INJECTION, global: AT_INJECTION };

    /// By VC scheme, in the order of their codes.
    const AT_SECOND_LOOK: [Self; 4] = [
        Self::at_second_look(VcScheme::Ordered),
        Self::at_second_look(VcScheme::PerHop),
        Self::at_second_look(VcScheme::Positional),
        Self::at_second_look(VcScheme::UpDown),
    ];

    const fn at_second_look(channels: VcScheme) -> Self {
        let (rules, header) = (Rules::of(channels), Header::from_bits(0));
        let global = place(Stage::SourceLocal as u32, HopKind::Global);
        Self { local: rules.assign(header, AGAIN), global: rules.assign(header, global) }
    }

    pub(crate) const fn of(decision: Decision, channels: VcScheme) -> Self {
        match decision {
            Decision::UgalL | Decision::ParSource => Self::AT_SOURCE,
            Decision::ParSecond => Self::AT_SECOND_LOOK[channels as usize],
        }
    }
}

/// The place of the next link on the path of a packet at this stage.
#[inline]
pub(crate) const fn place(stage: u32, next: HopKind) -> u32 {
    stage << 1 | next as u32
}

/// Whether `ordered` takes a higher VC.
const fn ordered_rises(stage: Stage, next: HopKind) -> bool {
    match stage {
        Stage::Source => false,
        Stage::Middle | Stage::Destination => true,
        Stage::SourceLocal
        | Stage::SourceLocalAgain
        | Stage::MiddleDetour
        | Stage::MiddleLocal
        | Stage::DestinationLocal => matches!(next, HopKind::Local),
    }
}

/// Whether `up-down` takes a higher VC: two local hops in the intermediate group lead down to a leaf and up again.
const fn up_down_rises(stage: Stage, next: HopKind) -> bool {
    match next {
        HopKind::Local => matches!(stage, Stage::MiddleDetour),
        HopKind::Global => matches!(stage, Stage::Middle),
    }
}

/// The VC of `positional` for a place.
const fn position(stage: Stage, next: HopKind) -> u8 {
    match next {
        HopKind::Global => (stage as u8 >= Stage::Middle as u8) as u8,
        HopKind::Local => match stage {
            Stage::Source => 0,
            Stage::Middle => 1,
            Stage::MiddleDetour => 2,
            _ => 3,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use HopKind::{Global, Local};
    use std::vec::Vec;

    /// The longest path, with PAR's second local hop or without.
    const LONGEST: [(Stage, HopKind, Stage); 7] = [
        (Stage::Source, Local, Stage::SourceLocal),
        (Stage::SourceLocal, Local, Stage::SourceLocalAgain),
        (Stage::SourceLocalAgain, Global, Stage::Middle),
        (Stage::Middle, Local, Stage::MiddleDetour),
        (Stage::MiddleDetour, Local, Stage::MiddleLocal),
        (Stage::MiddleLocal, Global, Stage::Destination),
        (Stage::Destination, Local, Stage::DestinationLocal),
    ];

    fn assigned(channels: VcScheme, scheme: Scheme) -> Vec<(HopKind, u8)> {
        let mut current = 0;
        let hops = LONGEST
            .into_iter()
            .filter(|hop| scheme == Scheme::Par || hop.1 == Global || hop.0 != Stage::SourceLocal);
        hops.map(|(stage, link, arrived)| {
            let at =
                if arrived == Stage::SourceLocalAgain { AGAIN } else { place(stage as u32, link) };
            let header = Header::from_bits(0).moved(stage as u32, current);
            current = Rules::of(channels).assign(header, at);
            (link, current)
        })
        .collect()
    }

    #[test]
    fn the_longest_paths_use_every_channel_and_no_more() {
        for channels in VcScheme::ALL {
            for link in [Local, Global] {
                let first = place(Stage::Source as u32, link);
                let rules = Rules::of(channels);
                assert_eq!(rules.assign(Header::from_bits(0), first), AT_INJECTION);
            }
            for scheme in [Scheme::UgalL, Scheme::Par] {
                let path = assigned(channels, scheme);
                let most =
                    |link| path.iter().filter(|hop| hop.0 == link).map(|hop| hop.1 + 1).max();
                let needed = Channels::needed(channels, scheme);
                assert_eq!(most(Local), Some(needed.local), "{channels:?} {scheme:?}");
                assert_eq!(most(Global), Some(needed.global), "{channels:?} {scheme:?}");
            }
        }
    }

    #[test]
    fn the_channels_of_the_longest_paths() {
        let text = |channels, scheme| {
            let path = assigned(channels, scheme);
            path.iter().map(|(_, vc)| char::from(b'0' + vc)).collect::<std::string::String>()
        };
        assert_eq!(text(VcScheme::Ordered, Scheme::UgalL), "001223");
        assert_eq!(text(VcScheme::Ordered, Scheme::Par), "0112334");
        assert_eq!(text(VcScheme::PerHop, Scheme::UgalL), "012345");
        assert_eq!(text(VcScheme::PerHop, Scheme::Par), "0123456");
        assert_eq!(text(VcScheme::Positional, Scheme::UgalL), "001213");
        assert_eq!(text(VcScheme::Positional, Scheme::Par), "0401213");
        assert_eq!(text(VcScheme::UpDown, Scheme::UgalL), "000111");
    }
}
