//! The place of a switch.

use tvlb_schema::{Dragonfly, GroupId, SwitchId, SwitchIndex};

/// A switch and its place.
pub(crate) struct Place {
    pub(crate) switch: SwitchId,
    pub(crate) group: GroupId,
    pub(crate) index: SwitchIndex,
}

impl Place {
    pub(crate) const fn of(df: &Dragonfly, switch: SwitchId) -> Self {
        let (group, index) = df.place(switch);
        Self { switch, group, index }
    }
}
