//! The look in the intermediate group: whatever the queues, the datapath sends a packet on by a live link to the group
//! of its destination, over switches that share links, and changes nothing else in its header.
//!
//! Every such way is that of a VLB walk, and all of these are followed leg by leg, so that their hops and channels are
//! noted whether or not switches look.

use super::{Exit, MiddleGroup};
use crate::VerifyError;
use crate::packet::{BootedSwitches, Hop, Hops, aimed};
use crate::sample::hash;
use crate::vlb_legs::standing::{PacketsAtSwitch, Standing};
use tvlb_firmware_model::{Credits, Header, Scheme};
use tvlb_schema::{Port, SwitchIndex};

/// Queues that look random: each answer is possible with some queues.
struct HashedQueues(u64);

impl Credits for HashedQueues {
    fn used(&self, port: Port) -> u32 {
        (hash(self.0, port.0.into()) & 0xff) as u32
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        Some((hash(self.0 + u64::from(virtual_channel), port.0.into()) & 0xff) as u32)
    }
}

impl MiddleGroup<'_, '_> {
    /// Asks each switch how packets that have come to it go on.
    pub(super) fn ask_onward(&self, arrived: &[PacketsAtSwitch]) -> Result<(), VerifyError> {
        for v in self.fabric.df.indices(self.group) {
            let switch = self.fabric.switch(self.switch(v));
            let schemes = [Scheme::UgalL, Scheme::Par];
            for scheme in schemes.into_iter().filter(|&scheme| switch.looks_onward(scheme)) {
                for standing in &arrived[v.as_usize()].0 {
                    self.ask_of(v, scheme, standing)?;
                }
            }
        }
        Ok(())
    }

    /// Asks one switch how packets in one state go on, for every second link that may be drawn.
    fn ask_of(
        &self,
        v: SwitchIndex,
        scheme: Scheme,
        standing: &Standing,
    ) -> Result<(), VerifyError> {
        let all = self.exits.iter().flatten();
        for (seed, exit) in (0..).zip(all.filter(|exit| standing.bound.has(exit.to))) {
            // A packet goes through a third switch if its own shares no link with that of its second one.
            let w = self.fabric.df.split_port(exit.y).0;
            let mut third = self.fabric.df.indices(self.group);
            let Some(detour) = Some(w)
                .filter(|&w| self.is_hop(v, w))
                .or_else(|| third.find(|&t| self.is_over(v, t, w)))
            else {
                continue;
            };
            let header = aimed(standing.header, exit.destination, exit.y, detour);
            let looked = self
                .fabric
                .switch(self.switch(v))
                .look_onward(header, scheme, &HashedQueues(seed))
                .map_err(|error| format!("it refuses to look: {error}"));
            let way = looked.and_then(|looked| self.check_way(v, *exit, (header, looked)));
            way.map_err(|text| {
                let held = standing.held.iter().find(|(_, to)| to.has(exit.to));
                let hops: Vec<Hop> = held.map(|&(hop, _)| hop).into_iter().collect();
                let from = hops.first().map_or(self.switch(v), |hop| hop.from);
                let found = (Hops::of(&hops), text);
                BootedSwitches::finding(from, exit.destination, "VLB (looked onward)", found)
            })?;
        }
        Ok(())
    }

    /// Whether two hops through a third switch, or one, take live links.
    fn is_over(&self, v: SwitchIndex, through: SwitchIndex, w: SwitchIndex) -> bool {
        self.is_hop(v, through) && self.is_hop(through, w)
    }

    /// Checks whether packets may go on like this from a switch that would take this link to its far end.
    fn check_way(
        &self,
        v: SwitchIndex,
        drawn: Exit,
        (before, after): (Header, Header),
    ) -> Result<(), String> {
        let (y, detour) = (after.y(), after.detour());
        if after != aimed(before, drawn.destination, y, detour) {
            return Err(format!("it changes more than its way: {before:?} to {after:?}"));
        }
        let w = self.fabric.df.split_port(y).0;
        let exit = self.exits.get(w.as_usize()).and_then(|exits| {
            exits.iter().find(|exit| exit.y == y && exit.to == drawn.to).copied()
        });
        let Some(exit) = exit else {
            return Err(format!("port {} has no link that lives to that group", y.0));
        };
        if !self.is_over(v, detour, w) {
            return Err(format!(
                "it goes over switch {}, without a link there",
                self.switch(detour)
            ));
        }
        let arrives = self.fabric.place(exit.arrives).1;
        let to = self.fabric.place(drawn.destination).1;
        if !self.image.is_local_hop(drawn.to, arrives, to) {
            return Err(format!("switch {} has no link to its destination", exit.arrives));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_fabrics;
    use super::*;
    use crate::crossings::links;
    use crate::dependencies::Dependencies;
    use crate::packet::{HeaderRoute, VLB};

    #[test]
    fn ways_over_links_that_do_not_live_are_found() {
        with_fabrics(|fabric| {
            let df = fabric.df;
            let dependencies = Dependencies::new(&df);
            let groups: Vec<_> = df.groups().collect();
            let (group, to) = (groups[0], groups[1]);
            let middle = MiddleGroup::new(fabric, group, &[], &dependencies);
            let Some(drawn) = middle.exits.iter().flatten().find(|exit| exit.to == to).copied()
            else {
                return;
            };
            let w = df.split_port(drawn.y).0;
            let route = HeaderRoute {
                destination: drawn.arrives,
                x: drawn.y,
                y: drawn.y,
                detour: w,
                kind: VLB,
            };
            let header = route.header(None);
            let check = |after| middle.check_way(w, drawn, (header, after));
            assert_eq!(check(header), Ok(()));
            let found = check(Header::from_bits(header.bits() ^ 1));
            assert!(found.unwrap_err().starts_with("it changes more than its way"));
            let others = df
                .global_ports()
                .filter(|&y| links(&middle.image, group, to).all(|(own, _)| own != y));
            for y in others {
                let after = aimed(header, drawn.arrives, y, w);
                assert!(check(after).unwrap_err().ends_with("no link that lives to that group"));
            }
        });
    }
}
