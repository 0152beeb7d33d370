//! The dead links of a fabric by its fault image, stated link by link, to check the hops of packets against.

use std::collections::BTreeSet;
use tvlb_schema::{End, FabricImage, Port, SwitchId};

/// Links that no packet may cross: by switch and physical port.
pub(super) fn dead_links(fabric: &FabricImage<'_>) -> BTreeSet<(SwitchId, Port)> {
    let df = fabric.dragonfly();
    let mut dead = BTreeSet::new();
    for cable in fabric.dead_cables() {
        for end in [Some(cable), fabric.peer(cable)].into_iter().flatten() {
            let (index, slot) = df.split_port(end.port);
            dead.insert((df.switch(end.group, index), df.slot_port(slot)));
        }
    }
    for link in fabric.dead_local_links() {
        let (group, low) = df.place(link.low);
        for (one, other) in [(low, link.high), (link.high, low)] {
            let port = df.nth_local_port(df.switches_of(group), (one, other), link.number.into());
            dead.insert((df.switch(group, one), port));
        }
    }
    dead
}

/// Whether a port of a switch's group has a live cable.
pub(super) fn is_live(fabric: &FabricImage<'_>, end: End) -> bool {
    fabric.is_faultless() || fabric.has_live_cable(end)
}
