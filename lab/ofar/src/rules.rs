//! The rules by which OFAR's switches decide, which are at the beginning of an escape image.

use crate::escape_error::EscapeValue;
use crate::{EscapeImageError, EscapeKind};
use tvlb_schema::extension::Payload;

/// The bit of the flags for an image with a least percentage.
const HAS_LEAST: u8 = 8;

/// The largest share in use at the output of a misroute within a group, in percent of that at the minimal output, by
/// the place of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct LocalPercent {
    /// In its source group, which it then has to leave.
    pub source: u8,
    /// In a group that is neither its source's nor its destination's.
    pub middle: u8,
    /// In its destination's group, which may be its source's.
    pub destination: u8,
}

impl LocalPercent {
    /// The same everywhere.
    pub const fn all(percent: u8) -> Self {
        Self { source: percent, middle: percent, destination: percent }
    }
}

/// How OFAR's switches decide. Shares are in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct OfarRules {
    /// Canonical virtual channels of links within groups, 1 to 7. The escape network has the one above them.
    pub local_channels: u8,
    /// The same for links between groups.
    pub global_channels: u8,
    /// A misroute within a group is taken if the share in use there is at most this much of the share in use at the
    /// minimal output.
    pub local_percent: LocalPercent,
    /// The same for misroutes to another group.
    pub global_percent: u8,
    /// A packet is misrouted only if the share in use at its minimal output is at least this much, 0 to 100; 0 for no
    /// threshold.
    #[cfg_attr(feature = "alloc", serde(default, skip_serializing_if = "is_none"))]
    pub least_percent: u8,
    /// A packet is misrouted only if its minimal output was given to another packet in this very cycle.
    pub strict: bool,
    /// A packet is misrouted to another group only by links with which a path of the T-VLB set begins.
    pub by_set: bool,
    /// Shares in use are weighed by the hops of the path that begins with an output, and of the misroutes that are
    /// taken the one that weighs least is.
    pub by_length: bool,
    /// A packet leaves its node only into a buffer with room for this many packets beside it; 0 for no such
    /// control.
    pub bubble: u8,
    /// Nothing leaves the nodes of a switch all of whose outputs of the escape network are in use above this
    /// share; 100 or more for no such control.
    pub throttle_percent: u8,
    /// After this many entries, 1 to 15, a packet stays on the escape network; 0 for no limit, so that nothing bounds
    /// its path.
    pub most_entries: u8,
}

#[cfg(feature = "alloc")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
const fn is_none(percent: &u8) -> bool {
    *percent == 0
}

impl Default for OfarRules {
    /// Those of the paper if it states them, with three and two canonical channels.
    fn default() -> Self {
        Self {
            local_channels: 3,
            global_channels: 2,
            local_percent: LocalPercent::all(90),
            global_percent: 90,
            least_percent: 0,
            strict: false,
            by_set: false,
            by_length: false,
            bubble: 2,
            throttle_percent: 100,
            most_entries: 15,
        }
    }
}

impl OfarRules {
    /// The first rule that is out of range, its offset in the payload of an image, and its value.
    pub(crate) fn out_of_range(&self) -> Option<(EscapeValue, u32, u32)> {
        let is_number = |channels: u8| (1..=7).contains(&channels);
        if !is_number(self.local_channels) {
            return Some((EscapeValue::CanonicalChannels, 1, self.local_channels.into()));
        }
        if !is_number(self.global_channels) {
            return Some((EscapeValue::CanonicalChannels, 2, self.global_channels.into()));
        }
        if self.most_entries > 15 {
            return Some((EscapeValue::MostEntries, 10, self.most_entries.into()));
        }
        (self.least_percent > 100)
            .then(|| (EscapeValue::LeastPercent, 11, self.least_percent.into()))
    }

    /// The flags as an image has them.
    #[cfg(feature = "alloc")]
    pub(crate) const fn flags(self) -> u8 {
        self.strict as u8
            | (self.by_set as u8) << 1
            | (self.by_length as u8) << 2
            | if self.least_percent > 0 { HAS_LEAST } else { 0 }
    }
}

/// Reads the beginning of an escape image of this many switches.
pub(crate) fn read(
    payload: &mut Payload<'_>,
    switches: u32,
) -> Result<(EscapeKind, OfarRules), EscapeImageError> {
    let start = payload.offset();
    let refused = |value, at: u32, found| Err(EscapeImageError::of(value, start + at, found));
    let [kind, local_channels, global_channels] = payload.fields()?;
    let [source, middle, destination, global_percent] = payload.fields()?;
    let [flags, bubble, throttle_percent, most_entries] = payload.fields()?;
    let has_least = flags & HAS_LEAST != 0;
    let [least_percent] = if has_least { payload.fields()? } else { [0] };
    let rules = OfarRules {
        local_channels,
        global_channels,
        local_percent: LocalPercent { source, middle, destination },
        global_percent,
        least_percent,
        strict: flags & 1 == 1,
        by_set: flags & 2 == 2,
        by_length: flags & 4 == 4,
        bubble,
        throttle_percent,
        most_entries,
    };
    if kind > 1 {
        return refused(EscapeValue::EscapeNetwork, 0, kind.into());
    }
    let kind = if kind == 0 { EscapeKind::Ring } else { EscapeKind::Tree };
    if kind == EscapeKind::Ring && switches < 3 {
        return refused(EscapeValue::RingSwitches, 0, switches);
    }
    if flags > 15 {
        return refused(EscapeValue::Misrouting, 7, flags.into());
    }
    if has_least && least_percent == 0 {
        return refused(EscapeValue::LeastPercent, 11, 0);
    }
    match rules.out_of_range() {
        Some((value, at, found)) => refused(value, at, found),
        None => Ok((kind, rules)),
    }
}
