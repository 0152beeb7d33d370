//! What the text of a switch and its page have in common: its sets, and phrases.

use std::fmt::{self, Display, Formatter};
use tvlb_firmware_model::{Channels, Scheme, Switch, VlbPaths};
use tvlb_schema::{Decision, GroupId, MinCandidate, SwitchImage, SwitchIndex};
use tvlb_table_set::grammar::canonical;

/// The sets of an image with the decisions that use each, by set number.
pub(super) fn sets_of(image: &SwitchImage<'_>) -> Vec<(usize, Vec<Decision>)> {
    (0..image.set_count())
        .map(|number| {
            let users = Decision::ALL.into_iter().filter(|&d| image.set_number(d) == number);
            (number, users.collect::<Vec<_>>())
        })
        .filter(|(_, decisions)| !decisions.is_empty())
        .collect()
}

/// The MIN path that a second look weighs, in words.
pub(super) fn second_min(min: MinCandidate) -> String {
    match min {
        MinCandidate::Kept => String::new(),
        min => format!(", MIN = {}", min.name()),
    }
}

/// The virtual channels that links need for the packets of some switches: by UGAL-L, which covers MIN and VLB, and by
/// PAR.
#[derive(Clone, Copy, Default)]
pub(super) struct ChannelsNeeded {
    pub(super) any_path: [[u8; 2]; 2],
    /// If all VLB packets take paths of the sets.
    pub(super) sets: [[u8; 2]; 2],
}

impl ChannelsNeeded {
    /// Includes what this switch needs.
    pub(super) fn include(&mut self, switch: &Switch<'_>) {
        for (place, scheme) in [Scheme::UgalL, Scheme::Par].into_iter().enumerate() {
            for (needed, paths) in
                [(&mut self.any_path, VlbPaths::Conventional), (&mut self.sets, VlbPaths::Custom)]
            {
                let Channels { local, global } = switch.channels_needed_for(scheme, paths);
                let [most_local, most_global] = needed[place];
                needed[place] = [most_local.max(local), most_global.max(global)];
            }
        }
    }

    pub(super) fn by_any_path(self) -> String {
        in_words(self.any_path)
    }

    pub(super) fn by_sets(self) -> String {
        in_words(self.sets)
    }
}

fn in_words([ugal, par]: [[u8; 2]; 2]) -> String {
    let count = |[local, global]: [u8; 2]| Count(Channels { local, global });
    format!("{} for MIN, VLB and UGAL; {} for PAR", count(ugal), count(par))
}

/// Numbers of virtual channels in words.
pub(super) struct Count(pub(super) Channels);

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} on local and {} on global links", self.0.local, self.0.global)
    }
}

/// The rule of a set, and how the decisions that use it weigh.
pub(super) fn set_title(image: &SwitchImage<'_>, number: usize, decisions: &[Decision]) -> String {
    let rule = image.set(decisions[0]).rule();
    let users: Vec<String> = decisions
        .iter()
        .map(|&d| {
            let min =
                if d == Decision::ParSecond { image.second_min() } else { MinCandidate::Kept };
            format!("{} ({}{})", d.name(), image.weighing(d), second_min(min))
        })
        .collect();
    let thinned = if image.set(decisions[0]).is_thinned() { "; thinned" } else { "" };
    let (users, rule_text) = (users.join(", "), canonical(rule));
    format!("set {number} for {users}: {rule_text}; seed {}{thinned}", rule.seed)
}

/// A switch by its group and its index in the group.
pub(super) struct SwitchPlace(pub(super) GroupId, pub(super) SwitchIndex);

impl Display for SwitchPlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "group {}, switch {}", self.0, self.1)
    }
}
