//! Whether a list of switches is a walk: the check for everything that lists paths.

use super::walk::Walk;
use crate::Topology;
use tvlb_schema::{End, SwitchId};

/// Whether a walk goes from `source` to `destination`, with an existing cable for each hop.
pub(super) fn is_walk(
    topology: &Topology,
    source: SwitchId,
    destination: SwitchId,
    walk: &Walk,
) -> bool {
    let df = topology.dragonfly();
    let hop = |s: SwitchId, d: SwitchId| {
        let (group, index) = df.place(s);
        s != d
            && (group == df.place(d).0 && topology.links_within(group, index, df.place(d).1) > 0
                || (0..u16::try_from(df.h()).unwrap()).any(|slot| {
                    topology
                        .peer(End::new(df, group, index, slot))
                        .is_some_and(|far| df.switch(far.group, df.split_port(far.port).0) == d)
                }))
    };
    walk.switches()[0] == source
        && walk.last() == destination
        && walk.switches().windows(2).all(|w| hop(w[0], w[1]))
}
