//! The virtual channels that packets need by MIN, and if all VLB packets take paths of the sets, checked against every
//! such path that is walked; and those that the walked paths take.
//!
//! A fabric whose links have exactly these channels can run the sets. They follow from all images together, because
//! packets of all switches share the links.

use tvlb_firmware_model::{Channels, Scheme, Switch, VlbPaths};
use tvlb_schema::{Decision, VcScheme};

/// No channel at all.
pub(super) const NONE: Channels = Channels { local: 0, global: 0 };

/// Channels by MIN, by UGAL-L, which covers VLB and UGAL-G, and by PAR.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetChannels {
    pub(super) min: Channels,
    pub(super) ugal: Channels,
    pub(super) par: Channels,
}

impl SetChannels {
    /// The most that any of these switches states.
    pub(super) fn of(switches: &[Switch<'_>]) -> Self {
        let most = |scheme| {
            let needed = |switch: &Switch<'_>| switch.channels_needed_for(scheme, VlbPaths::Custom);
            switches.iter().map(needed).fold(NONE, Channels::or)
        };
        Self { min: most(Scheme::Min), ugal: most(Scheme::UgalL), par: most(Scheme::Par) }
    }

    /// The two schemes of sets, with the channels of each.
    pub(super) fn by_scheme(self) -> [(Scheme, Channels); 2] {
        [(Scheme::UgalL, self.ugal), (Scheme::Par, self.par)]
    }

    /// By UGAL-L and by PAR, on local and on global links, if some of these are fewer than any path needs.
    pub(super) fn if_fewer(self, assignment: VcScheme) -> Option<[[u8; 2]; 2]> {
        let found = self.by_scheme();
        let is_fewer = |&(scheme, needed): &(Scheme, Channels)| {
            !needed.have(Channels::needed(assignment, scheme))
        };
        found.iter().any(is_fewer).then(|| found.map(|(_, needed)| [needed.local, needed.global]))
    }

    /// Those of the scheme of a decision.
    pub(super) fn of_decision(self, decision: Decision) -> Channels {
        match decision {
            Decision::UgalL => self.ugal,
            Decision::ParSource | Decision::ParSecond => self.par,
        }
    }
}

/// The error of a path of packets that need these channels, given the virtual channel of each hop and whether its link
/// is global: the channel that links lack.
pub(super) fn check(
    needed: Channels,
    hops: impl IntoIterator<Item = (u8, bool)>,
) -> Result<(), String> {
    let count = |is_global| if is_global { needed.global } else { needed.local };
    match hops.into_iter().find(|&(channel, is_global)| channel >= count(is_global)) {
        None => Ok(()),
        Some((channel, is_global)) => Err(format!(
            "it takes virtual channel {channel} of a {} link, but the images say that packets need {}",
            if is_global { "global" } else { "local" },
            count(is_global)
        )),
    }
}

/// The most channels that the walked paths take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) min: Channels,
    /// Conventional VLB paths of at most one hop in the intermediate group, and of two.
    pub(super) valg: Channels,
    pub(super) valn: Channels,
    /// By decision: the paths of its set, and the MIN paths of its scheme.
    pub(super) sets: [Channels; 3],
}

impl Default for Taken {
    /// For no path.
    fn default() -> Self {
        Self { min: NONE, valg: NONE, valn: NONE, sets: [NONE; 3] }
    }
}

impl Taken {
    pub(super) fn add(&mut self, other: &Self) {
        self.min = self.min.or(other.min);
        self.valg = self.valg.or(other.valg);
        self.valn = self.valn.or(other.valn);
        self.sets.iter_mut().zip(other.sets).for_each(|(most, taken)| *most = most.or(taken));
    }
}

/// Includes the channels of a path's hops, each with whether the link is global.
pub(super) fn raise(most: &mut Channels, hops: impl IntoIterator<Item = (u8, bool)>) {
    for (channel, is_global) in hops {
        let most = if is_global { &mut most.global } else { &mut most.local };
        *most = (*most).max(channel + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_too_many_is_found_on_its_kind_of_link() {
        let (local, global) = (|channel| (channel, false), |channel| (channel, true));
        let needed = SetChannels {
            min: Channels { local: 2, global: 1 },
            ugal: Channels { local: 3, global: 2 },
            par: Channels { local: 4, global: 3 },
        };
        let check = |decision, hops: &[(u8, bool)]| {
            check(needed.of_decision(decision), hops.iter().copied())
        };
        let longest = [local(0), global(0), local(1), global(1), local(2)];
        assert_eq!(check(Decision::UgalL, &longest), Ok(()));
        assert_eq!(check(Decision::ParSource, &[global(2), local(3)]), Ok(()));
        assert_eq!(
            check(Decision::UgalL, &[local(3)]).unwrap_err(),
            "it takes virtual channel 3 of a local link, but the images say that packets need 3"
        );
        assert_eq!(
            check(Decision::ParSecond, &[global(3)]).unwrap_err(),
            "it takes virtual channel 3 of a global link, but the images say that packets need 3"
        );
    }
}
