//! The routing schemes, a module each: its decision, the virtual channels that it needs, its name.

pub(crate) mod min;
pub(crate) mod par;
pub(crate) mod ugal;
pub(crate) mod vlb;

use crate::choice::Chosen;
use crate::path::Place;
use crate::{Channels, Credits, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::{Decision, VcScheme};
use ugal::{Watch, weigh};

/// How a source switch chooses between a packet's MIN and its VLB path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Scheme {
    /// Always MIN.
    Min,
    /// Always VLB.
    Vlb,
    /// UGAL-L: by the queues of the two first output ports and the lengths of the two paths.
    UgalL,
    /// PAR: as UGAL-L with the set for PAR, and once more at the second switch if MIN was taken and that switch is
    /// still in the source group ([`Switch::reconsider`]).
    Par,
}

impl Scheme {
    /// All of them, in the order of their codes in `tvlb.h`.
    pub const ALL: [Self; 4] = [Self::Min, Self::Vlb, Self::UgalL, Self::Par];

    /// The name in messages and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Min => min::NAME,
            Self::Vlb => vlb::NAME,
            Self::UgalL => ugal::NAME,
            Self::Par => par::NAME,
        }
    }

    /// The scheme of a code of `tvlb.h`, 0 to 3.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The code in `tvlb.h`.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Whether it weighs paths by credits.
    #[inline]
    pub(crate) const fn weighs(self) -> bool {
        matches!(self, Self::UgalL | Self::Par)
    }

    /// The virtual channels that the scheme's packets need with this assignment of channels.
    pub(crate) const fn channels(self, assignment: VcScheme) -> Channels {
        match self {
            Self::Par => par::channels(assignment),
            Self::Min | Self::Vlb | Self::UgalL => vlb::channels(assignment),
        }
    }

    /// The decision whose set and threshold the source switch uses.
    pub(crate) const fn decision(self) -> Decision {
        match self {
            Self::Par => Decision::ParSource,
            _ => Decision::UgalL,
        }
    }
}

/// The source decision: a packet's path, by its scheme; `None` if no path is left.
#[inline]
pub(crate) fn choose(
    switch: &Switch<'_>,
    to: &Place,
    scheme: Scheme,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
    watch: &mut impl Watch,
) -> Option<Chosen> {
    let min = if scheme == Scheme::Vlb { None } else { switch.draw_min(to, rng) };
    match (min, scheme) {
        (Some(min), Scheme::Min) => Some(min::choose(min)),
        (Some(min), _) => {
            Some(weigh(switch, to, min, scheme.decision(), paths, credits, rng, watch))
        }
        (None, _) => vlb::choose_without_min(switch, to, scheme, paths, rng),
    }
}
