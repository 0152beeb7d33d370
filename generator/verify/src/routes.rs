//! Every walk that a switch can start: MIN, VLB, PAR's second look, and the routes of its sets.

mod again;
mod of_sets;

use super::VerifyError;
use super::ask::{Known, Questions, within_group};
use super::crossings::{FirstLink, STEPS_PER_QUESTION};
use super::dependencies::Dependencies;
use super::groups::Groups;
use super::link_shares::LinkShares;
use super::looks::PresenceSearch;
use super::minimal::{self, has_min, has_vlb};
use super::packet::{BootedSwitches, HeaderRoute, Hops, MIN, VLB};
use super::presence::distinct_sets;
use super::sample::Sample;
use super::second_look::SecondLook;
use super::set_channels::{check, raise};
use super::walks::Walks;
use tvlb_base::progress::Progress;
use tvlb_schema::{
    Decision, FabricImage, GlobalPort, GroupId, Route, SetView, SwitchId, SwitchIndex,
};

/// What is known of the whole fabric before the walks, and where the results of all walks are collected.
#[derive(Clone, Copy)]
pub(super) struct WalkNotes<'n> {
    pub(super) sample: &'n Sample,
    /// By number of a group, the others to which there is a VLB path.
    pub(super) crossed: &'n [Groups],
    pub(super) dependencies: &'n Dependencies,
    /// The fabric without dead parts.
    pub(super) planned: &'n FabricImage<'n>,
    /// If all routes are walked.
    pub(super) shares: Option<&'n LinkShares>,
    /// Whether fractions and thinned sets are searched for the shapes of their routes.
    pub(super) is_searched: bool,
}

/// One source switch, and where its walks are noted.
struct SourceWalks<'s, 'f> {
    fabric: &'s BootedSwitches<'f>,
    notes: WalkNotes<'s>,
    from: SwitchId,
    group: GroupId,
    index: SwitchIndex,
    /// The links that leave its group.
    first: &'s [FirstLink],
    /// What PAR's second look meets here.
    look: &'s SecondLook,
    walks: Walks,
    progress: &'s dyn Progress,
    steps: usize,
}

/// Checks all paths from one switch except VLB walks to other groups, given the first links of its group, and what
/// PAR's second look meets there. No packet begins at a switch without nodes, so there only the draws of that look are
/// checked.
pub(super) fn check_from(
    fabric: &BootedSwitches<'_>,
    source: SwitchId,
    (first, look): (&[FirstLink], &SecondLook),
    notes: WalkNotes<'_>,
    progress: &dyn Progress,
) -> Result<Walks, VerifyError> {
    let mut from = SourceWalks::new(fabric, source, (first, look, notes), progress);
    let sample = notes.sample;
    let limited = !sample.is_exhaustive();
    let mut questions = Questions::new(fabric, source, sample.seed, limited);
    let looks_left = sample.looks_of_switch();
    let mut search = PresenceSearch { fabric, from: source, first, looks_left };
    let is_searched = notes.is_searched && from.has_sets_to_search();
    let image = *fabric.switch(source).image().fabric();
    if !image.lives(source) {
        return Ok(from.walks);
    }
    let is_end = fabric.ends.has(source);
    let numbers = fabric.df.switch_numbers();
    // Each source begins after itself, so that limits drop other destinations for each.
    for ahead in 1..numbers {
        let destination = (u32::from(source.0) + ahead) % numbers;
        let destination = SwitchId(u16::try_from(destination).expect("a switch has 16 bits"));
        if !fabric.ends.has(destination) {
            continue;
        }
        progress.check()?;
        if !is_end {
            from.looked_again(destination, &mut questions)?;
            continue;
        }
        from.walks.pairs += 1;
        let (to_group, _) = fabric.df.place(destination);
        if from.is_cut(&image, destination)? {
            continue;
        }
        let with_vlb = sample.has(source, destination);
        from.walks.pairs_with_vlb += u64::from(with_vlb);
        let known = if to_group == from.group {
            from.within_group(destination)?;
            within_group(fabric.switch(source).image().fabric(), source, destination)
        } else {
            let min = from.minimal(destination)?;
            let kept = if with_vlb { from.sampled(destination)? } else { None };
            if is_searched && kept.is_none() {
                from.walks.not_searched += u64::from(!search.check(destination)?);
            }
            // If links are missing, each two switches have paths of their own.
            let conventional = if fabric.group_links().is_whole() {
                notes.crossed[from.group.as_usize()].has(to_group)
            } else {
                has_vlb(&image, first, source, destination)
            };
            let kept = from.kept_is_known(destination, kept);
            Known { min, conventional: Some(conventional), kept }
        };
        questions.ask(destination, known, with_vlb)?;
    }
    from.walks.asked = questions.asked;
    Ok(from.walks)
}

/// Checks the MIN paths from one switch to these, and the datapath's answers for paths to them; ignores `crossed` of
/// the notes and the sample.
pub(super) fn check_near(
    fabric: &BootedSwitches<'_>,
    source: SwitchId,
    destinations: &[SwitchId],
    first: &[FirstLink],
    notes: WalkNotes<'_>,
    progress: &dyn Progress,
) -> Result<Walks, VerifyError> {
    let look = SecondLook::at(fabric, source, first);
    let mut from = SourceWalks::new(fabric, source, (first, &look, notes), progress);
    let mut questions = Questions::new(fabric, source, notes.sample.seed, false);
    let image = *fabric.switch(source).image().fabric();
    for &destination in destinations.iter().filter(|&&to| fabric.ends.has(to)) {
        progress.check()?;
        if !fabric.ends.has(source) {
            from.looked_again(destination, &mut questions)?;
            continue;
        }
        from.walks.pairs += 1;
        if from.is_cut(&image, destination)? {
            continue;
        }
        let (to_group, _) = fabric.df.place(destination);
        let known = if to_group == from.group {
            from.within_group(destination)?;
            within_group(&image, source, destination)
        } else {
            let min = from.minimal(destination)?;
            Known { min, conventional: None, kept: from.kept_is_known(destination, None) }
        };
        questions.ask(destination, known, true)?;
    }
    from.walks.asked = questions.asked;
    Ok(from.walks)
}

impl<'s, 'f> SourceWalks<'s, 'f> {
    fn new(
        fabric: &'s BootedSwitches<'f>,
        source: SwitchId,
        (first, look, notes): (&'s [FirstLink], &'s SecondLook, WalkNotes<'s>),
        progress: &'s dyn Progress,
    ) -> Self {
        let (group, index) = fabric.df.place(source);
        let walks = Walks::default();
        Self { fabric, notes, from: source, group, index, first, look, walks, progress, steps: 0 }
    }
}

impl SourceWalks<'_, '_> {
    /// Notes whether the dead parts have taken a pair's minimal paths; returns whether it is cut off, which no pair is
    /// in the plan.
    fn is_cut(&mut self, image: &FabricImage<'_>, to: SwitchId) -> Result<bool, VerifyError> {
        let is_plain = image.is_faultless() && self.fabric.group_links().is_whole();
        if is_plain || has_min(image, self.from, to) {
            return Ok(false);
        }
        self.walks.lost_min += u64::from(has_min(self.notes.planned, self.from, to));
        let is_cut = !has_vlb(image, self.first, self.from, to);
        if is_cut && image.is_faultless() {
            return Err(VerifyError::Unreachable { from: self.from.into(), to: to.into() });
        }
        self.walks.cut += u64::from(is_cut);
        Ok(is_cut)
    }

    /// Checks from time to time whether the caller has cancelled the work.
    fn go_on(&mut self) -> Result<(), VerifyError> {
        self.steps += 1;
        // A walk takes a hundred times as long as a step elsewhere.
        if self.steps.is_multiple_of(STEPS_PER_QUESTION / 128) {
            self.progress.check()?;
        }
        Ok(())
    }

    fn set(&self, decision: Decision) -> &SetView<'_> {
        self.fabric.switch(self.from).image().set(decision)
    }

    /// Whether only a search finds the shapes of this switch's routes.
    fn has_sets_to_search(&self) -> bool {
        let switch = self.fabric.switch(self.from);
        distinct_sets(switch).into_iter().any(|decision| {
            let set = self.set(decision);
            tvlb_table_set::presence_is_drawn(set.rule(), set.is_thinned())
        })
    }

    /// Whether each decision's set has a route: from their counts, if they were counted; else from the shapes in the
    /// image.
    fn kept_is_known(&self, to: SwitchId, kept: Option<[u64; 3]>) -> [Option<bool>; 3] {
        let of = |decision: Decision| {
            let set = self.set(decision);
            let said = || !set.shapes_to(to).is_empty();
            let by_shape = set.rule().is_by_shape();
            kept.map(|kept| kept[decision as usize] > 0).or_else(|| by_shape.then(said))
        };
        Decision::ALL.map(of)
    }

    fn carry(
        &mut self,
        route: HeaderRoute,
        kind: &'static str,
        may_return: bool,
    ) -> Result<Hops, VerifyError> {
        self.carry_by(route, kind, may_return, [None; 2])
    }

    /// As [`Self::carry`], through these third switches.
    fn carry_by(
        &mut self,
        route: HeaderRoute,
        kind: &'static str,
        may_return: bool,
        thirds: [Option<SwitchId>; 2],
    ) -> Result<Hops, VerifyError> {
        self.go_on()?;
        let path = self
            .fabric
            .carry_by(self.from, route, None, may_return, thirds)
            .map_err(|found| BootedSwitches::finding(self.from, route.destination, kind, found))?;
        self.notes.dependencies.note(path.hops());
        let mode = usize::from(route.kind == VLB);
        self.walks.longest[mode] = self.walks.longest[mode].max(path.hops().len());
        Ok(path)
    }

    /// Checks that packets of these decisions have the channels of this path, if all VLB paths are the sets'.
    fn must_have_channels(
        &mut self,
        decisions: &[Decision],
        path: &Hops,
        to: SwitchId,
        kind: &'static str,
    ) -> Result<(), VerifyError> {
        for &decision in decisions {
            raise(&mut self.walks.taken.sets[decision as usize], path.channels());
            check(self.fabric.set_channels.of_decision(decision), path.channels())
                .map_err(|text| BootedSwitches::finding(self.from, to, kind, (*path, text)))?;
        }
        Ok(())
    }

    /// Checks that MIN packets have the channels of this path, for MIN alone and with every decision. A packet goes
    /// around dead links only if it has channels to spare.
    fn must_have_channels_of_min(&mut self, path: &Hops, to: SwitchId) -> Result<(), VerifyError> {
        raise(&mut self.walks.taken.min, path.channels());
        if !self.fabric.switch(self.from).image().fabric().is_faultless() {
            return Ok(());
        }
        self.must_have_channels(&Decision::ALL, path, to, "MIN")?;
        check(self.fabric.set_channels.min, path.channels())
            .map_err(|text| BootedSwitches::finding(self.from, to, "MIN", (*path, text)))
    }

    fn within_group(&mut self, destination: SwitchId) -> Result<(), VerifyError> {
        let port = GlobalPort(0);
        let route = |detour, kind| HeaderRoute { destination, x: port, y: port, detour, kind };
        let (df, own, to) = (self.fabric.df, self.index, self.fabric.place(destination).1);
        let fabric = *self.fabric.switch(self.from).image().fabric();
        let group = self.group;
        let is_hop = |from, to| fabric.is_local_hop(group, from, to);
        if is_hop(own, to) {
            let path = self.carry(route(SwitchIndex(0), MIN), "MIN", false)?;
            self.must_have_channels_of_min(&path, destination)?;
            self.walks.min += 1;
        }
        let is_detour = |&r: &SwitchIndex| r != own && r != to && is_hop(own, r) && is_hop(r, to);
        for r in df.indices(group).filter(is_detour) {
            let path = self.carry(route(r, VLB), "VLB", false)?;
            self.must_have(&path, destination, "VLB", 2)?;
            self.must_have_channels(&Decision::ALL, &path, destination, "VLB")?;
            if fabric.planned_local_links(group, own, to) == 0 {
                let third = [Some(df.switch(group, r)), None];
                let path = self.carry_by(route(SwitchIndex(0), MIN), "MIN", false, third)?;
                self.must_have(&path, destination, "MIN", 2)?;
                self.must_have_channels_of_min(&path, destination)?;
                self.walks.min += 1;
            } else if !is_hop(own, to) {
                // If the link is dead, MIN packets take this path too.
                self.must_have_channels_of_min(&path, destination)?;
            }
            raise(&mut self.walks.taken.valg, path.channels());
            self.walks.vlb += 1;
        }
        Ok(())
    }

    /// A path whose length differs from its route's is a different path.
    fn must_have(
        &self,
        path: &Hops,
        to: SwitchId,
        kind: &'static str,
        hops: usize,
    ) -> Result<(), VerifyError> {
        if path.hops().len() == hops {
            return Ok(());
        }
        let text = format!("it has {} hops, but its route has {hops}", path.hops().len());
        Err(BootedSwitches::finding(self.from, to, kind, (*path, text)))
    }

    /// Walks all MIN paths to another group; returns whether there are any.
    fn minimal(&mut self, destination: SwitchId) -> Result<bool, VerifyError> {
        let image = self.fabric.switch(self.from).image();
        let fabric = *image.fabric();
        let walks = minimal::walks(&fabric, self.from, destination);
        let min = walks.len();
        for path in walks {
            let (y, detour) = (GlobalPort(0), SwitchIndex(0));
            let route = HeaderRoute { destination, x: path.x, y, detour, kind: MIN };
            let walked = self.carry_by(route, "MIN", false, path.thirds)?;
            self.must_have(&walked, destination, "MIN", path.hops)?;
            self.must_have_channels_of_min(&walked, destination)?;
            self.walks.min += 1;
        }
        self.minimal_again(destination)?;
        Ok(min > 0)
    }

    /// The header of a packet on a route of a set to a destination.
    fn on(&self, Route { x, y, detour }: Route, destination: SwitchId) -> HeaderRoute {
        let detour = detour.unwrap_or(self.fabric.df.split_port(y).0);
        HeaderRoute { destination, x, y, detour, kind: VLB }
    }
}
