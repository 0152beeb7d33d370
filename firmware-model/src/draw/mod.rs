//! Draws a path for one packet: a MIN path, a conventional VLB triple, or a route of a T-VLB set.
//!
//! Sets are rules, so routes are not listed anywhere: every draw finds one, uniformly, by examining as few places as it
//! can. Its beginning depends on what is wanted:
//!
//! | wanted                        | a draw takes                                                        | in |
//! |-------------------------------|---------------------------------------------------------------------|----|
//! | a MIN path                    | one of the links between the two groups                             | [`min`] |
//! | a VLB path within the group   | a third switch                                                      | here |
//! | a triple (conventional)       | a cell of all ports of the group                                    | [`by_route`] |
//! | a route of a set, by route    | a cell of the three strata, each as often as any other              | [`by_route`] |
//! | a route of a set, by shape    | a shape by its weight, then a cell, or a link and an answer         | [`by_shape`] |
//! | a route by intermediate switch | a switch between the groups, then a shortest link to it and on from it | [`by_switch`] |
//!
//! Triples and routes by route or by shape are in [`cells`], many of which may hold nothing that is wanted. Such a draw
//! goes through the steps below until one finds a route. Nearly every draw ends with the first. Each step is uniform
//! over the same routes, so the whole draw is.
//!
//! | step  | does                                                            | only                        | ends with a miss after | in |
//! |-------|-----------------------------------------------------------------|-----------------------------|------------------------|----|
//! | try   | looks at cells at random                                        | where no switch is asked    | as many tries as there are cells, [`MOST_TRIES`], or [`MOST_MISSES`] without links | [`by_route`] |
//! | ask   | draws one link, and asks the switch that must have the other    | by shape, in place of a try | [`MOST_ASKED`] answers | [`search`] |
//! | seek  | counts pairs of links, and draws one by its number              | where wirings are uneven    | [`MOST_SOUGHT`] looks  | [`seek`] |
//! | visit | looks at all cells in order, and keeps the n-th hit with probability 1/n | after all others   | [`MOST_VISITED`] cells that hold two links | [`visit`] |
//!
//! - **Try.** Because short shapes have their own small strata, few tries miss. If groups are joined by different
//!   numbers of links, or ports are unused, many cells may hold no two links at all, and the next step begins early.
//! - **Seek.** Pairs are counted port by port if a single stratum of few ports is wanted, else group by group. A pair
//!   that is not of a wanted shape is dropped, until as many ports or groups have been examined as the visit would
//!   examine cells and ports. Whatever the wiring, the first seek finds a conventional VLB path if there is one.
//! - **Visit.** Ports without a link onward are skipped. The visit is uniform over all routes if there are no more
//!   cells than it examines.
//! - **Bound.** The five constants bound the work of a draw, for any image. The host refuses to write a set whose draws
//!   would often need more than the tries, so a switch with a written table set hardly ever reaches the bound.
//!
//! A draw begins with a method of the switch, here or in [`min`]. To another group it then borrows the switch, the
//! place and the set as one [`Looking`], whose methods are the steps; the selection of cells is beside it. Hops within
//! a group that have several links, or none, are in [`crate::local_hop`].

mod by_route;
mod by_shape;
mod by_switch;
mod by_tier;
mod cells;
mod legs;
mod looking;
mod min;
mod search;
mod seek;
mod visit;

pub use cells::{MOST_MISSES, MOST_SOUGHT, MOST_TRIES, MOST_VISITED};
pub use search::{MOST_ASKED, Search};

use crate::path::{Path, Place};
use crate::random::{below, word};
use crate::{Stage, Switch, VlbPaths};
use by_shape::draw_shape;
use looking::{Looking, detour_number};
use rand_core::Rng;
use tvlb_schema::{Decision, DrawRule, GlobalPort, Route, SetView, Shape, ShapeSet, SwitchId};

/// Draws for packets from this switch; unless stated otherwise, `to` is a place in another group.
impl Switch<'_> {
    /// A VLB candidate: a path within the group, a conventional triple, or a route of the decision's
    /// set.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn draw_vlb(
        &self,
        to: &Place,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if !self.image.fabric().group_links().is_single() {
            return self.draw_vlb_by_links(to, decision, paths, rng);
        }
        if to.group == self.image.group() {
            self.draw_within_group(to, rng)
        } else {
            self.draw_between_groups(to, decision, paths, rng)
        }
    }

    /// As [`Self::draw_vlb`], if switches of a group share several links, or none.
    #[cold]
    #[inline(never)]
    fn draw_vlb_by_links(
        &self,
        to: &Place,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if to.group == self.image.group() {
            return Some(self.spread(self.draw_within_group(to, rng)?, rng));
        }
        let is_by_triple = match paths {
            VlbPaths::Conventional => true,
            VlbPaths::Custom => self.image.set(decision).rule().is_by_triple(),
        };
        let looking = Looking { switch: self, to, set: None };
        let found = if is_by_triple { looking.draw_triple_between_tiers(rng) } else { None };
        match found {
            Some(found) => Some(found),
            None => Some(self.spread(self.draw_between_groups(to, decision, paths, rng)?, rng)),
        }
    }

    /// A VLB candidate to another group.
    // Inlined at both calls: most packets pass through one of them.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn draw_between_groups(
        &self,
        to: &Place,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        match paths {
            VlbPaths::Conventional => self.draw_triple(to, rng),
            VlbPaths::Custom => match self.image.set(decision) {
                // Separate from the rest, so that neither needs the other's stack.
                set if set.rule().is_by_switch() => self.draw_by_switch(to, set, rng),
                set if set.rule().is_by_triple() => self.draw_triple(to, rng),
                set => self.draw_from_set(to, set, rng),
            },
        }
    }

    /// A path within this group through a third switch, uniformly; `None` if there is none.
    pub(crate) fn draw_within_group(
        &self,
        to: &Place,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if !self.image.fabric().group_links().is_single() {
            return self.draw_third(to, rng);
        }
        let ways = self.image.switches_of_group().checked_sub(2).filter(|&ways| ways > 0)?;
        let through = detour_number(below(rng, ways), self.image.index(), to.index)?;
        let port = self.dragonfly().local_port(self.image.index(), through);
        Path::new((port, Stage::SourceLocal), GlobalPort(0), GlobalPort(0), through, 2)
    }

    /// A path within this group through a third switch, uniformly; `None` if there is none.
    #[cold]
    #[inline(never)]
    pub(crate) fn draw_third(&self, to: &Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        let through = self.third(to.index, word(rng))?;
        let port = self.port_to(through, 0);
        Path::new((port, Stage::SourceLocal), GlobalPort(0), GlobalPort(0), through, 2)
    }

    /// A route of a T-VLB set, drawn by its rule: by shape means a shape by its weight, then a route of that shape
    /// uniformly, and by route means a route uniformly.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn draw_from_set(
        &self,
        to: &Place,
        set: &SetView<'_>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let shapes = set.shapes_to(to.switch);
        let looking = &Looking { switch: self, to, set: Some(set) };
        match &set.rule().draw {
            DrawRule::ByShape { weights } => {
                let (shape, rest) = draw_shape(shapes, set.is_even(), weights, rng)?;
                match looking.try_shape(shape, rest, rng) {
                    Some(found) => Some(found),
                    None => looking.draw_of_shape_otherwise(shape, rng),
                }
            }
            DrawRule::ByRoute | DrawRule::BySwitch { .. } | DrawRule::ByTriple => {
                let strata = looking.strata(shapes);
                looking.draw_from(&strata, 0, rng)
            }
        }
    }

    /// A route of a set, by intermediate switch.
    #[inline(never)]
    fn draw_by_switch(
        &self,
        to: &Place,
        set: &SetView<'_>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        let DrawRule::BySwitch { legs, returns } = set.rule().draw else { return None };
        Looking { switch: self, to, set: None }.draw_by_switch((legs, returns), rng)
    }

    /// A triple, uniformly.
    #[inline(never)]
    fn draw_triple(&self, to: &Place, rng: &mut (impl Rng + ?Sized)) -> Option<Path> {
        Looking { switch: self, to, set: None }.draw_triple(rng)
    }

    /// A route of one of these shapes without a detour, whether or not a set keeps it.
    pub(crate) fn draw_direct(
        &self,
        to: &Place,
        shapes: ShapeSet,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        Looking { switch: self, to, set: None }.draw_direct(shapes, rng)
    }

    /// The search for the routes of a decision's set to a switch, if it is in another group.
    fn look(
        &self,
        decision: Decision,
        destination: SwitchId,
        look: impl FnOnce(&Looking<'_>, &SetView<'_>),
    ) {
        let to = &self.place(destination);
        if to.group != self.image.group() && self.dragonfly().has_switch(destination) {
            let set = self.image.set(decision);
            look(&Looking { switch: self, to, set: Some(set) }, set);
        }
    }

    /// Does the work of [`Switch::for_each_route`].
    pub(crate) fn visit_routes(
        &self,
        decision: Decision,
        destination: SwitchId,
        mut each: impl FnMut(Route, Shape),
    ) {
        self.look(decision, destination, |looking, set| match set.rule().draw {
            DrawRule::ByRoute | DrawRule::ByShape { .. } => looking.visit_routes(set, each),
            DrawRule::BySwitch { legs, returns } => {
                looking.visit_routes_by_switch((legs, returns), each);
            }
            DrawRule::ByTriple => looking.visit_triples(|route, shape, is_first| {
                if is_first {
                    each(route, shape);
                }
            }),
        });
    }

    /// Does the work of [`Switch::for_each_way`].
    pub(crate) fn visit_ways(
        &self,
        decision: Decision,
        destination: SwitchId,
        mut each: impl FnMut(Route, Shape, u32),
    ) {
        self.look(decision, destination, |looking, set| match set.rule().draw {
            DrawRule::BySwitch { legs, returns } => looking.visit_ways((legs, returns), each),
            DrawRule::ByTriple => {
                looking.visit_triples(|route, shape, _| each(route, shape, 1));
            }
            DrawRule::ByRoute | DrawRule::ByShape { .. } => {}
        });
    }
}
