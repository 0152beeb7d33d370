//! Looking for a route of one shape that a set keeps, one candidate after the other.

use super::crossings::{FirstLink, links};
use super::dead::is_live;
use tvlb_schema::{
    End, FabricImage, GlobalPort, GroupId, Keep, Route, SetView, Shape, SwitchId, SwitchIndex,
};

/// There are no looks left.
pub(super) struct Spent;

/// Candidates for the routes of a shape from one switch to another, and how many may still be looked at.
pub(super) struct Looks<'l> {
    pub(super) fabric: FabricImage<'l>,
    pub(super) set: &'l SetView<'l>,
    pub(super) shape: Shape,
    pub(super) from: SwitchId,
    pub(super) to: SwitchId,
    pub(super) left: &'l mut u64,
}

impl Looks<'_> {
    /// Whether the set keeps some route, of which the first link is one of these.
    pub(super) fn find(mut self, first: &[FirstLink]) -> Result<bool, Spent> {
        if self.shape.tail() == 0 { self.find_backwards() } else { self.find_forwards(first) }
    }

    fn find_forwards(&mut self, first: &[FirstLink]) -> Result<bool, Spent> {
        let fabric = self.fabric;
        let df = fabric.dragonfly();
        let (group, there) = df.place(self.to);
        for link in first.iter().filter(|link| link.middle != group) {
            if !self.is_head(link.x) {
                continue;
            }
            for (y, z) in links(&fabric, link.middle, group) {
                let z = df.split_port(z).0;
                if z != there
                    && fabric.is_local_hop(group, z, there)
                    && self.keeps_over(link.x, (link.middle, link.v), y)?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The same from the links that arrive at the destination itself, which are few.
    fn find_backwards(&mut self) -> Result<bool, Spent> {
        let fabric = self.fabric;
        let df = fabric.dragonfly();
        let (own, (group, there)) = (df.place(self.from).0, df.place(self.to));
        for slot in 0..df.h() {
            let slot = u16::try_from(slot).expect("a slot fits 16 bits");
            let end = End { group, port: df.global_port(there, slot) };
            let Some(End { group: middle, port: y }) = fabric.peer(end) else { continue };
            if !is_live(&fabric, end) {
                continue;
            }
            for (x, v) in links(&fabric, own, middle) {
                if self.is_head(x) && self.keeps_over(x, (middle, df.split_port(v).0), y)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether routes of the shape can begin by a port: it is the source's own where they have no hop before
    /// it, and else another switch's that the source shares a link with.
    fn is_head(&self, x: GlobalPort) -> bool {
        let df = self.fabric.dragonfly();
        let ((group, here), leaves) = (df.place(self.from), df.split_port(x).0);
        (leaves == here) == (self.shape.head() == 0)
            && self.fabric.is_local_hop(group, here, leaves)
    }

    /// Whether the set keeps a route of the shape over two links, the first of which arrives at v.
    fn keeps_over(
        &mut self,
        x: GlobalPort,
        (middle, v): (GroupId, SwitchIndex),
        y: GlobalPort,
    ) -> Result<bool, Spent> {
        let fabric = self.fabric;
        let df = fabric.dragonfly();
        let w = df.split_port(y).0;
        let is_hop = |from, to| fabric.is_local_hop(middle, from, to);
        match self.shape.mid() {
            0 if v == w => self.keeps(Route { x, y, detour: None }),
            1 if v != w && is_hop(v, w) => self.keeps(Route { x, y, detour: None }),
            2 if v != w => {
                for r in df.indices(middle) {
                    if r != v
                        && r != w
                        && is_hop(v, r)
                        && is_hop(r, w)
                        && self.keeps(Route { x, y, detour: Some(r) })?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            // To see that there is nothing takes time too.
            _ => self.spend().map(|()| false),
        }
    }

    fn keeps(&mut self, route: Route) -> Result<bool, Spent> {
        self.spend()?;
        let rule = self.set.rule();
        if rule.keep_of(self.shape) == Keep::ALL && !self.set.is_thinned() {
            return Ok(true);
        }
        let key = route.key(self.fabric.dragonfly(), self.from, self.to);
        Ok(rule.keeps_at(self.set.level(route.x), self.shape, key))
    }

    fn spend(&mut self) -> Result<(), Spent> {
        *self.left = self.left.checked_sub(1).ok_or(Spent)?;
        Ok(())
    }
}
