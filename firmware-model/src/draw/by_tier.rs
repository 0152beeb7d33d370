//! Draws a VLB triple on a Dragonfly+ from only its links and leaves.
//!
//! Most cells of triples in such a fabric are empty: leaves have no cable, and a hop leads from a leaf only to a spine.
//! Here a try selects a cable of a spine, a second link, and a leaf of the intermediate group or none. Each triple is
//! one of these, so a successful try finds all with the same probability.

use super::looking::Looking;
use crate::path::Path;
use crate::random::below;
use crate::{Stage, Switch};
use rand_core::Rng;
use tvlb_schema::{GlobalPort, SwitchIndex, VcScheme};

/// The most tries. More than a third of the tries find a triple unless cables are missing; if none does, the general
/// draw continues.
const MOST_TRIES: u32 = 16;

/// The indices of the switches of a tier.
#[derive(Clone, Copy)]
struct Tier {
    first: u8,
    count: u32,
}

impl Tier {
    fn has(self, index: SwitchIndex) -> bool {
        u32::from(index.0).wrapping_sub(self.first.into()) < self.count
    }

    /// The n-th of them.
    fn nth(self, n: u32) -> Option<SwitchIndex> {
        let index = u8::try_from(u32::from(self.first) + n).ok()?;
        (n < self.count).then_some(SwitchIndex(index))
    }
}

impl Switch<'_> {
    /// The leaves and the spines of every group, if all are joined, nothing is dead, and channels are assigned by that:
    /// then only leaves have nodes, and only spines cables.
    fn leaves_and_spines(&self) -> Option<[Tier; 2]> {
        if self.image.virtual_channels() != VcScheme::UpDown {
            return None;
        }
        let SwitchIndex(tiers) = self.image.fabric().tiers()?;
        let lower = Tier { first: 0, count: tiers.into() };
        let upper = Tier { first: tiers, count: self.dragonfly().a().wrapping_sub(tiers.into()) };
        let slots = (0_u16..).take(self.dragonfly().h() as usize);
        let is_spine = slots.into_iter().any(|slot| self.image.peer(slot).is_some());
        let is_lower = lower.has(self.image.index());
        Some(if is_spine == is_lower { [upper, lower] } else { [lower, upper] })
    }
}

impl Looking<'_> {
    /// A triple, uniformly over all, unless no try finds one.
    #[cold]
    #[inline(never)]
    pub(super) fn draw_triple_between_tiers(&self, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let [leaves, spines] = self.switch.leaves_and_spines()?;
        let (df, here) = (self.switch.dragonfly(), self.switch.image.index());
        if !leaves.has(self.to.index) {
            return None;
        }
        // A spine leaves the group by its own cables.
        let (first, count) =
            if spines.has(here) { (here.0, 1) } else { (spines.first, spines.count) };
        let first = df.global_port(SwitchIndex(first), 0).0;
        let (ports, links) = (count * df.h(), self.switch.image.fabric().most_links());
        for _ in 0..MOST_TRIES {
            let x = GlobalPort(first.wrapping_add(u16::try_from(below(rng, ports)).ok()?));
            let k = if links > 1 { below(rng, links) } else { 0 };
            let leaf = leaves.nth(below(rng, leaves.count + 1));
            let Some(links) = self.links_by_x(x, k) else { continue };
            let (detour, mid) = match leaf {
                Some(leaf) => (leaf, 2),
                None if links.v == links.w => (links.w, 0),
                None => continue,
            };
            let (first, head) = self.switch.way_out(x, Stage::Middle);
            return Path::new(
                first,
                x,
                links.y,
                detour,
                2 + u8::from(head) + mid + u8::from(links.tail),
            );
        }
        None
    }
}
