//! The virtual channels that packets need where VLB packets take the paths of the sets, held against
//! every path of a set that is walked.
//!
//! A fabric whose links have just these channels runs the sets. Which they are follows from all images
//! together, since packets of all switches share the links.

use tvlb_firmware_model::{Channels, Scheme, Switch, VlbPaths};
use tvlb_schema::{Decision, VcScheme};

/// Channels by UGAL-L, and with it MIN, VLB and UGAL-G, and by PAR.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetChannels {
    pub(super) ugal: Channels,
    pub(super) par: Channels,
}

impl SetChannels {
    /// The most that any of these switches says.
    pub(super) fn of(switches: &[Switch<'_>]) -> Self {
        let most = |scheme| {
            let none = Channels { local: 0, global: 0 };
            let needed = |switch: &Switch<'_>| switch.channels_needed_for(scheme, VlbPaths::Custom);
            switches.iter().map(needed).fold(none, Channels::or)
        };
        Self { ugal: most(Scheme::UgalL), par: most(Scheme::Par) }
    }

    /// The two schemes, with the channels of each.
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

    /// What is wrong with a path of a decision, of whose hops these are the virtual channels and whether
    /// the link is global: the channel that links lack.
    pub(super) fn check(
        self,
        decision: Decision,
        hops: impl IntoIterator<Item = (u8, bool)>,
    ) -> Result<(), String> {
        let needed = match decision {
            Decision::UgalL => self.ugal,
            Decision::ParSource | Decision::ParSecond => self.par,
        };
        let count = |is_global| if is_global { needed.global } else { needed.local };
        match hops.into_iter().find(|&(channel, is_global)| channel >= count(is_global)) {
            None => Ok(()),
            Some((channel, is_global)) => Err(format!(
                "it takes virtual channel {channel} of a {} link, but the images' sets say that \
                 packets need {}",
                if is_global { "global" } else { "local" },
                count(is_global)
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_too_many_is_found_on_its_kind_of_link() {
        let (local, global) = (|channel| (channel, false), |channel| (channel, true));
        let needed = SetChannels {
            ugal: Channels { local: 3, global: 2 },
            par: Channels { local: 4, global: 3 },
        };
        let longest = [local(0), global(0), local(1), global(1), local(2)];
        assert_eq!(needed.check(Decision::UgalL, longest), Ok(()));
        assert_eq!(needed.check(Decision::ParSource, [global(2), local(3)]), Ok(()));
        assert_eq!(
            needed.check(Decision::UgalL, [local(3)]).unwrap_err(),
            "it takes virtual channel 3 of a local link, but the images' sets say that packets need 3"
        );
        assert_eq!(
            needed.check(Decision::ParSecond, [global(3)]).unwrap_err(),
            "it takes virtual channel 3 of a global link, but the images' sets say that packets need 3"
        );
    }
}
