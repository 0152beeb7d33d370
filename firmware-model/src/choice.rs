//! The choice of a scheme for a packet, and the reason.

use crate::path::Path;
use crate::{Header, Kind};

/// Where VLB candidates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum VlbPaths {
    /// Uniformly from all triples (intermediate switch, MIN leg, MIN leg).
    Conventional,
    /// From the T-VLB set in the switch image.
    Custom,
}

impl VlbPaths {
    /// Both, in the order of their codes in `tvlb.h`.
    pub const ALL: [Self; 2] = [Self::Conventional, Self::Custom];

    /// Those of a code of `tvlb.h`, 0 or 1.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The code in `tvlb.h`.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conventional => "conventional",
            Self::Custom => "custom",
        }
    }
}

/// Why a packet takes its kind of path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Choice {
    /// The destination is on the source switch: there is no path.
    Here,
    /// MIN, by the scheme. If MIN costs so little that no VLB candidate could beat it, none is drawn, so the pair may
    /// have none.
    Min,
    /// VLB, by the scheme.
    Vlb,
    /// MIN although the scheme might have taken VLB: the pair has no VLB path, or its set keeps none.
    MinFallback,
    /// VLB although the scheme might have taken MIN: no minimal path joins the two switches.
    VlbFallback,
}

impl Choice {
    /// The code in `tvlb.h`, `TVLB_HERE` to `TVLB_VLB_FALLBACK`; 0 means there that nothing was chosen.
    pub const fn code(self) -> u8 {
        match self {
            Self::Here => 1,
            Self::Min => 2,
            Self::Vlb => 3,
            Self::MinFallback => 4,
            Self::VlbFallback => 5,
        }
    }
}

/// The path that a decision chose.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    pub(crate) path: Path,
    pub(crate) choice: Choice,
}

impl Chosen {
    #[inline]
    pub(crate) const fn alone(path: Path, choice: Choice) -> Self {
        Self { path, choice }
    }

    /// MIN, by the scheme.
    #[inline]
    pub(crate) const fn min(path: Path) -> Self {
        Self { path, choice: Choice::Min }
    }

    #[inline]
    pub(crate) const fn is_vlb(&self) -> bool {
        matches!(self.choice, Choice::Vlb | Choice::VlbFallback)
    }

    /// The header of a packet that continues as its second look has chosen.
    #[inline]
    pub(crate) fn reroute(&self, header: Header) -> Header {
        let kind = if self.is_vlb() { Kind::Vlb } else { Kind::Min };
        self.path.reroutes(header, kind)
    }
}
