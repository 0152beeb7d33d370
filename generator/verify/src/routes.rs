//! Every walk that a switch can start: MIN, VLB, PAR's second look, and the routes of its sets.

use super::VerifyError;
use super::ask::{Asked, Known, Questions, within_group};
use super::by_switch;
use super::crossings::{FirstLink, STEPS_PER_QUESTION, links};
use super::dependencies::Dependencies;
use super::draws::{chances, mean_hops};
use super::link_shares::LinkShares;
use super::minimal::{self, has_min, has_vlb};
use super::packet::{BootedSwitches, Hop, MIN, MOST_HOPS, Path, Route, VLB};
use super::presence::{Crossed, Search, distinct_sets};
use super::sample::{Sample, cells_of_pair, hash};
use super::set_channels::{Taken, check, raise};
use super::ways::{self, Pair, Way};
use tvlb_base::progress::Progress;
use tvlb_schema::{
    Decision, End, FabricImage, GlobalPort, GroupId, Keep, LegHops, Level, MinCandidate, SetView,
    Shape, ShapeSet, SwitchId, SwitchIndex,
};

/// By decision and shape: how many routes of a pair the rule keeps, thinned as the image says.
type Expected = [[u64; Shape::COUNT]; 3];

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walks {
    pub(super) pairs: u64,
    pub(super) pairs_with_vlb: u64,
    /// Of those, the pairs of which a part of the VLB walks was walked, and the pairs whose routes
    /// of sets were too many to count.
    pub(super) in_part: u64,
    pub(super) not_counted: u64,
    /// Pairs of which it was not searched of which shapes a fraction or a thinned set has a route.
    pub(super) not_searched: u64,
    pub(super) min: u64,
    pub(super) vlb: u64,
    pub(super) second: u64,
    /// By decision: routes kept, and pairs of different groups that have none.
    pub(super) kept: [u64; 3],
    pub(super) without: [u64; 3],
    /// Of the routes kept, those that come back to a switch.
    pub(super) returning: [u64; 3],
    /// By decision: the mean hops of a pair's routes as they are drawn, summed over pairs.
    pub(super) hops: [f64; 3],
    /// Most hops of MIN, VLB, and VLB after a second look.
    pub(super) longest: [usize; 3],
    /// Pairs that have a minimal path by the plan and none that lives, and pairs that no path joins.
    pub(super) lost_min: u64,
    pub(super) cut: u64,
    pub(super) taken: Taken,
    pub(super) asked: Asked,
}

impl Walks {
    pub(super) fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.pairs_with_vlb += other.pairs_with_vlb;
        self.in_part += other.in_part;
        self.not_counted += other.not_counted;
        self.not_searched += other.not_searched;
        self.min += other.min;
        self.vlb += other.vlb;
        self.second += other.second;
        for decision in 0..3 {
            self.kept[decision] += other.kept[decision];
            self.without[decision] += other.without[decision];
            self.returning[decision] += other.returning[decision];
            self.hops[decision] += other.hops[decision];
            self.longest[decision] = self.longest[decision].max(other.longest[decision]);
        }
        self.lost_min += other.lost_min;
        self.cut += other.cut;
        self.taken.add(&other.taken);
        self.asked.add(&other.asked);
    }
}

/// What is known of the whole fabric before the walks, and where what all walks make up together is
/// noted.
#[derive(Clone, Copy)]
pub(super) struct Notes<'n> {
    pub(super) sample: &'n Sample,
    pub(super) crossed: &'n Crossed,
    pub(super) dependencies: &'n Dependencies,
    /// The fabric of which nothing is dead.
    pub(super) planned: &'n FabricImage<'n>,
    /// Where all routes are walked.
    pub(super) shares: Option<&'n LinkShares>,
    /// Whether it is searched of which shapes fractions and thinned sets have routes.
    pub(super) is_searched: bool,
}

/// The local hops by which MIN packets for a destination come to a switch to leave the group.
#[derive(Default)]
struct FirstHops {
    hops: Vec<Hop>,
    /// The hop that packets were last noted to make after each of them. Ways are walked by their first links, so
    /// that most make the same.
    noted: Option<Hop>,
}

impl FirstHops {
    fn add(&mut self, hop: Hop) {
        if !self.hops.contains(&hop) {
            self.hops.push(hop);
        }
    }
}

/// One source switch and where its walks are noted.
struct Source<'s, 'f> {
    fabric: &'s BootedSwitches<'f>,
    notes: Notes<'s>,
    from: SwitchId,
    group: GroupId,
    index: SwitchIndex,
    /// The links that leave its group.
    first: &'s [FirstLink],
    walks: Walks,
    progress: &'s dyn Progress,
    steps: usize,
}

/// All walks from one switch, of whose group the first links are given.
pub(super) fn check_from(
    fabric: &BootedSwitches<'_>,
    source: SwitchId,
    first: &[FirstLink],
    notes: Notes<'_>,
    progress: &dyn Progress,
) -> Result<Walks, VerifyError> {
    let mut from = Source::new(fabric, source, (first, notes), progress);
    let sample = notes.sample;
    let limited = !sample.is_exhaustive();
    let mut questions = Questions::new(fabric, source, sample.seed, limited);
    let looks_left = sample.looks_of_switch();
    let mut search = Search { fabric, from: source, first, looks_left };
    let is_searched = notes.is_searched && from.has_sets_to_search();
    let image = *fabric.switch(source).image().fabric();
    if !image.lives(source) {
        return Ok(from.walks);
    }
    let numbers = fabric.df.switch_numbers();
    // Each source begins after itself, so that limits leave out other destinations of each.
    for ahead in 1..numbers {
        let destination = (u32::from(source.0) + ahead) % numbers;
        let destination = SwitchId(u16::try_from(destination).expect("a switch has 16 bits"));
        if !fabric.df.has_switch(destination) || !image.lives(destination) {
            continue;
        }
        progress.check()?;
        from.walks.pairs += 1;
        let (to_group, _) = fabric.df.place(destination);
        if from.is_cut(&image, destination) {
            continue;
        }
        let with_vlb = sample.has(source, destination);
        from.walks.pairs_with_vlb += u64::from(with_vlb);
        let known = if to_group == from.group {
            from.within_group(destination, with_vlb)?;
            within_group(fabric.switch(source).image().fabric(), source, destination)
        } else {
            let min = from.minimal(destination, to_group)?;
            let walked = from.walks.vlb;
            let kept = if with_vlb { from.sampled(destination, to_group)? } else { None };
            if is_searched && kept.is_none() {
                from.walks.not_searched += u64::from(!search.check(destination)?);
            }
            let conventional = if fabric.has_whole_groups() {
                Some(notes.crossed.has(from.group, to_group))
            } else {
                // Each two switches have paths of their own then.
                (from.walks.vlb > walked).then_some(true)
            };
            Known { min, conventional, kept: from.kept_is_known(destination, kept) }
        };
        questions.ask(destination, known, with_vlb)?;
    }
    from.walks.asked = questions.asked;
    Ok(from.walks)
}

/// The MIN paths from one switch to these, and what the datapath answers when it is asked for paths to
/// them; `crossed` of the notes is not looked at, nor the sample.
pub(super) fn check_near(
    fabric: &BootedSwitches<'_>,
    source: SwitchId,
    destinations: &[SwitchId],
    first: &[FirstLink],
    notes: Notes<'_>,
    progress: &dyn Progress,
) -> Result<Walks, VerifyError> {
    let mut from = Source::new(fabric, source, (first, notes), progress);
    let mut questions = Questions::new(fabric, source, notes.sample.seed, false);
    let image = *fabric.switch(source).image().fabric();
    for &destination in destinations {
        progress.check()?;
        from.walks.pairs += 1;
        if from.is_cut(&image, destination) {
            continue;
        }
        let (to_group, _) = fabric.df.place(destination);
        let known = if to_group == from.group {
            from.within_group(destination, true)?;
            within_group(&image, source, destination)
        } else {
            let min = from.minimal(destination, to_group)?;
            Known { min, conventional: None, kept: from.kept_is_known(destination, None) }
        };
        questions.ask(destination, known, true)?;
    }
    from.walks.asked = questions.asked;
    Ok(from.walks)
}

impl<'s, 'f> Source<'s, 'f> {
    fn new(
        fabric: &'s BootedSwitches<'f>,
        source: SwitchId,
        (first, notes): (&'s [FirstLink], Notes<'s>),
        progress: &'s dyn Progress,
    ) -> Self {
        let (group, index) = fabric.df.place(source);
        let walks = Walks::default();
        Self { fabric, notes, from: source, group, index, first, walks, progress, steps: 0 }
    }
}

impl Source<'_, '_> {
    /// Notes whether what is dead has taken a pair's minimal paths; and whether it is cut off.
    fn is_cut(&mut self, image: &FabricImage<'_>, to: SwitchId) -> bool {
        if image.is_faultless() || has_min(image, self.from, to) {
            return false;
        }
        self.walks.lost_min += u64::from(has_min(self.notes.planned, self.from, to));
        let is_cut = !has_vlb(image, self.first, self.from, to);
        self.walks.cut += u64::from(is_cut);
        is_cut
    }

    /// Asks now and then whether the caller has cancelled the work.
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

    /// Whether it takes a search to tell of which shapes this switch has routes.
    fn has_sets_to_search(&self) -> bool {
        let switch = self.fabric.switch(self.from);
        distinct_sets(switch).into_iter().any(|decision| {
            let set = self.set(decision);
            tvlb_table_set::presence_is_drawn(set.rule(), set.is_thinned())
        })
    }

    /// Whether each decision's set has a route, by how many there are, if they were counted; else by
    /// the shapes that the image says.
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
        route: Route,
        kind: &'static str,
        may_return: bool,
    ) -> Result<Path, VerifyError> {
        self.carry_by(route, kind, may_return, [None; 2])
    }

    /// As [`Self::carry`], by way of these third switches.
    fn carry_by(
        &mut self,
        route: Route,
        kind: &'static str,
        may_return: bool,
        thirds: [Option<SwitchId>; 2],
    ) -> Result<Path, VerifyError> {
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

    /// Packets of these decisions have the channels that this path takes, where VLB paths are the sets'.
    fn must_have_channels(
        &mut self,
        decisions: &[Decision],
        path: &Path,
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

    /// MIN packets have the channels that this path takes, for MIN alone and with every decision. Around dead
    /// links a packet goes only if there are channels to spare.
    fn must_have_channels_of_min(&mut self, path: &Path, to: SwitchId) -> Result<(), VerifyError> {
        raise(&mut self.walks.taken.min, path.channels());
        if !self.fabric.switch(self.from).image().fabric().is_faultless() {
            return Ok(());
        }
        self.must_have_channels(&Decision::ALL, path, to, "MIN")?;
        check(self.fabric.set_channels.min, path.channels())
            .map_err(|text| BootedSwitches::finding(self.from, to, "MIN", (*path, text)))
    }

    fn within_group(&mut self, destination: SwitchId, with_vlb: bool) -> Result<(), VerifyError> {
        let port = GlobalPort(0);
        let route = |detour, kind| Route { destination, x: port, y: port, detour, kind };
        let (df, own, to) = (self.fabric.df, self.index, self.fabric.place(destination).1);
        let fabric = *self.fabric.switch(self.from).image().fabric();
        let group = self.group;
        let is_hop = |from, to| fabric.is_local_hop(group, from, to);
        if is_hop(own, to) {
            let path = self.carry(route(SwitchIndex(0), MIN), "MIN", false)?;
            self.must_have_channels_of_min(&path, destination)?;
            self.walks.min += 1;
        }
        // Without a link this is how MIN packets go, too.
        if with_vlb || !is_hop(own, to) {
            let is_detour =
                |&r: &SwitchIndex| r != own && r != to && is_hop(own, r) && is_hop(r, to);
            for r in df.indices(group).filter(is_detour) {
                let path = self.carry(route(r, VLB), "VLB", false)?;
                self.must_have(&path, destination, "VLB", 2)?;
                self.must_have_channels(&Decision::ALL, &path, destination, "VLB")?;
                if !is_hop(own, to) {
                    self.must_have_channels_of_min(&path, destination)?;
                }
                raise(&mut self.walks.taken.valg, path.channels());
                self.walks.vlb += 1;
            }
        }
        Ok(())
    }

    /// A path of another length than its route has is another path.
    fn must_have(
        &self,
        path: &Path,
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

    /// Walks all MIN paths to another group; whether there are any.
    fn minimal(&mut self, destination: SwitchId, to: GroupId) -> Result<bool, VerifyError> {
        let image = self.fabric.switch(self.from).image();
        let fabric = *image.fabric();
        let walks = minimal::walks(&fabric, self.from, destination);
        let min = walks.len();
        for path in walks {
            let (y, detour) = (GlobalPort(0), SwitchIndex(0));
            let route = Route { destination, x: path.x, y, detour, kind: MIN };
            let walked = self.carry_by(route, "MIN", false, path.thirds)?;
            self.must_have(&walked, destination, "MIN", path.hops)?;
            self.must_have_channels_of_min(&walked, destination)?;
            self.walks.min += 1;
        }
        self.minimal_again(destination, to)?;
        Ok(min > 0)
    }

    /// Walks all MIN paths that PAR's second look can draw here, after every hop by which a packet
    /// can have come.
    fn minimal_again(&mut self, destination: SwitchId, to: GroupId) -> Result<(), VerifyError> {
        let image = self.fabric.switch(self.from).image();
        let fabric = *image.fabric();
        let links: Vec<(GlobalPort, GlobalPort)> = match image.second_min() {
            MinCandidate::Kept => return Ok(()),
            MinCandidate::Shortest => by_switch::shortest_links(&fabric, self.from, destination),
            MinCandidate::Any => minimal::direct_links(&fabric, self.from, destination),
        };
        let mut first_hops = self.first_hops(destination, to);
        if first_hops.hops.is_empty() {
            return Ok(());
        }
        for (x, _) in links {
            let (y, detour) = (GlobalPort(0), SwitchIndex(0));
            let route = Route { destination, x, y, detour, kind: MIN };
            let path = self.second_look(route, &mut first_hops)?;
            self.must_have_channels(&[Decision::ParSecond], &path, destination, "MIN")?;
        }
        Ok(())
    }

    /// All that is looked at of a pair in the sample: how many routes each decision's set keeps,
    /// `None` if they are too many to count.
    fn sampled(
        &mut self,
        destination: SwitchId,
        to: GroupId,
    ) -> Result<Option<[u64; 3]>, VerifyError> {
        let image = self.fabric.switch(self.from).image();
        let fabric = *image.fabric();
        let other_middle = self.first.iter().filter(|link| link.middle != to);
        let crossings: u64 =
            other_middle.map(|link| u64::from(fabric.link_count(link.middle, to))).sum();
        let sample = self.notes.sample;
        let below = sample.walks_below(crossings * u64::from(self.fabric.df.a()));
        let counted = sample.counts_routes(cells_of_pair(self.fabric));
        self.walks.in_part += u64::from(below < u64::MAX);
        self.walks.not_counted += u64::from(!counted);
        let expected = self.by_way(destination, to, below, counted)?;
        if counted { self.kept(destination, &expected, below).map(Some) } else { Ok(None) }
    }

    /// Whether the walks over two links are among the part that is walked.
    fn is_walked(&self, to: SwitchId, x: GlobalPort, y: GlobalPort, below: u64) -> bool {
        let pair = u64::from(self.from.0) << 16 | u64::from(to.0);
        let seed = self.notes.sample.seed ^ pair << 32;
        below == u64::MAX || hash(seed, u32::from(x.0) << 12 | u32::from(y.0)) < below
    }

    /// Every VLB walk to another group over the links that are walked: as a packet takes it at its
    /// source, and, where this switch can be the second of a MIN path there, as one takes it after
    /// PAR's second look.
    ///
    /// Returns, if they are `counted`, how many of all walks the rule of each decision keeps of each
    /// shape.
    fn by_way(
        &mut self,
        destination: SwitchId,
        to: GroupId,
        below: u64,
        counted: bool,
    ) -> Result<Expected, VerifyError> {
        let fabric = *self.fabric.switch(self.from).image().fabric();
        let mut expected = Expected::default();
        let mut first_hops = self.first_hops(destination, to);
        for pair in ways::pairs(&fabric, self.first, (self.from, destination)) {
            self.go_on()?;
            let is_walked = self.is_walked(destination, pair.x, pair.y, below);
            if !is_walked && !counted {
                continue;
            }
            for way in pair.ways(&fabric) {
                let after_hop = if is_walked {
                    self.walk_way(destination, way, &mut first_hops)?
                } else {
                    None
                };
                if counted && !way.returns() {
                    self.count_way(destination, way, after_hop.as_ref(), &mut expected)?;
                }
            }
        }
        Ok(expected)
    }

    /// Walks a way from its source, and after PAR's second look, if there are hops by which a packet can have
    /// come: the path after the first of these.
    fn walk_way(
        &mut self,
        destination: SwitchId,
        way: Way,
        first_hops: &mut FirstHops,
    ) -> Result<Option<Path>, VerifyError> {
        let Way { pair: Pair { x, y, .. }, through: detour } = way;
        let route = Route { destination, x, y, detour, kind: VLB };
        let path = self.carry(route, "VLB", way.returns())?;
        self.walks.vlb += 1;
        let taken = &mut self.walks.taken;
        let most = if way.shape().mid() > 1 { &mut taken.valn } else { &mut taken.valg };
        raise(most, path.channels());
        let global = path.hops().iter().filter(|hop| hop.global).count();
        if global != 2 {
            let text = format!("it crosses {global} global links, not two");
            return Err(BootedSwitches::finding(self.from, destination, "VLB", (path, text)));
        }
        if first_hops.hops.is_empty() {
            Ok(None)
        } else {
            self.second_look(route, first_hops).map(Some)
        }
    }

    /// Counts a way for each decision whose set keeps it. Of PAR's second look, the path after a hop has the
    /// channels that the set has.
    fn count_way(
        &mut self,
        destination: SwitchId,
        way: Way,
        after_hop: Option<&Path>,
        expected: &mut Expected,
    ) -> Result<(), VerifyError> {
        let (shape, route) = (way.shape(), way.route());
        for (decision, expected) in Decision::ALL.into_iter().zip(expected) {
            let set = self.fabric.switch(self.from).image().set(decision);
            let (rule, level) = (set.rule(), set.level(route.x));
            let is_kept = match rule.keep_of(shape) {
                Keep::NONE => false,
                Keep::ALL if level == Level::ALL => true,
                _ => {
                    let key = route.key(&self.fabric.df, self.from, destination);
                    rule.keeps_at(level, shape, key)
                }
            };
            expected[shape.number()] += u64::from(is_kept);
            if let (true, Decision::ParSecond, Some(path)) = (is_kept, decision, after_hop) {
                let kind = "T-VLB (after PAR's second look)";
                self.must_have_channels(&[decision], path, destination, kind)?;
            }
        }
        Ok(())
    }

    /// The local hops by which MIN packets for a destination come here to leave the group.
    fn first_hops(&self, destination: SwitchId, to: GroupId) -> FirstHops {
        let df = self.fabric.df;
        let image = self.fabric.switch(self.from).image();
        let mut hops = FirstHops::default();
        if !self.fabric.has_whole_groups() {
            return self.first_hops_by_thirds(destination);
        }
        for (x, _) in links(image.fabric(), self.group, to) {
            if df.split_port(x).0 != self.index {
                continue;
            }
            for other in df.indices(self.group).filter(|&other| other != self.index) {
                let route =
                    Route { destination, x, y: GlobalPort(0), detour: SwitchIndex(0), kind: MIN };
                let from = df.switch(self.group, other);
                // A MIN path that fails is found from its own source.
                if let Ok(path) = self.fabric.carry(from, route, None, false)
                    && let Some(&hop) = path.hops().first()
                {
                    hops.add(hop);
                }
            }
        }
        hops
    }

    /// As [`Self::first_hops`], where packets come here on the way to another switch of the group, too.
    fn first_hops_by_thirds(&self, destination: SwitchId) -> FirstHops {
        let df = self.fabric.df;
        let fabric = *self.fabric.switch(self.from).image().fabric();
        let mut hops = FirstHops::default();
        for other in df.indices(self.group).filter(|&other| other != self.index) {
            let from = df.switch(self.group, other);
            for path in minimal::walks(&fabric, from, destination) {
                let (y, detour) = (GlobalPort(0), SwitchIndex(0));
                let route = Route { destination, x: path.x, y, detour, kind: MIN };
                if let Ok(walked) = self.fabric.carry_by(from, route, None, false, path.thirds)
                    && let Some(&hop) = walked.hops().first()
                    && hop.to == self.from
                {
                    hops.add(hop);
                }
            }
        }
        hops
    }

    /// Walks a route after every hop by which a packet can have come; the path after the first.
    fn second_look(
        &mut self,
        route: Route,
        first_hops: &mut FirstHops,
    ) -> Result<Path, VerifyError> {
        let kind = if route.kind == VLB {
            "VLB (after PAR's second look)"
        } else {
            "MIN (drawn at PAR's second look)"
        };
        let path = self
            .fabric
            .carry(self.from, route, first_hops.hops.first().copied(), true)
            .map_err(|found| BootedSwitches::finding(self.from, route.destination, kind, found))?;
        self.notes.dependencies.note(path.hops());
        let next = path.hops()[1];
        if first_hops.noted != Some(next) {
            self.notes.dependencies.note_before(&first_hops.hops[1..], next);
            first_hops.noted = Some(next);
        }
        self.walks.second += first_hops.hops.len() as u64;
        self.walks.longest[2] = self.walks.longest[2].max(path.hops().len());
        debug_assert!(path.hops().len() <= MOST_HOPS);
        Ok(path)
    }

    /// The routes of each decision's set: as many of each shape as its rule keeps, and simple paths
    /// of that shape. Returns how many there are.
    fn kept(
        &mut self,
        destination: SwitchId,
        expected: &Expected,
        below: u64,
    ) -> Result<[u64; 3], VerifyError> {
        let switch = self.fabric.switch(self.from);
        let set_of = Decision::ALL.map(|decision| switch.image().set_number(decision));
        let (mut kept, mut hops) = ([0; 3], [0.0; 3]);
        for (number, decision) in Decision::ALL.into_iter().enumerate() {
            // A set that an earlier decision has too has been looked at.
            if let Some(earlier) = (0..number).find(|&earlier| set_of[earlier] == set_of[number]) {
                (kept[number], hops[number]) = (kept[earlier], hops[earlier]);
                continue;
            }
            let set = switch.image().set(decision);
            if let Some(rule) = by_switch::rule_of(set) {
                let sets = (&set_of[..], number);
                (kept[number], hops[number]) = self.by_switch(destination, rule, sets, below)?;
                continue;
            }
            // Each route is drawn as often as it is if there are as many as the rule keeps; if there
            // are not, that is found below.
            let chances = chances(set.rule(), &expected[number]);
            let same: Vec<usize> =
                (number..3).filter(|&other| set_of[other] == set_of[number]).collect();
            let mut found = [0; Shape::COUNT];
            let mut failed = Ok(());
            switch.for_each_route(decision, destination, |route, shape| {
                found[shape.number()] += 1;
                if failed.is_ok() && self.is_walked(destination, route.x, route.y, below) {
                    let walked = self.walk_kept(destination, route, shape, &same);
                    failed = walked.map(|path| {
                        if let Some(shares) = self.notes.shares {
                            let chance = chances[shape.number()];
                            for &decision in &same {
                                shares.add(decision, &path, chance);
                            }
                        }
                    });
                }
            });
            failed?;
            self.must_keep(destination, set, &found, &expected[number])?;
            kept[number] = found.iter().sum();
            hops[number] = mean_hops(&chances, &found);
        }
        for (number, kept) in kept.into_iter().enumerate() {
            self.walks.kept[number] += kept;
            self.walks.without[number] += u64::from(kept == 0);
            self.walks.hops[number] += hops[number];
        }
        Ok(kept)
    }

    /// The walks of a set that is drawn by intermediate switch: those that the fabric image gives, as
    /// many hops long as their shapes say. Returns how many routes there are, and their mean hops.
    fn by_switch(
        &mut self,
        destination: SwitchId,
        rule: (LegHops, bool),
        (set_of, number): (&[usize], usize),
        below: u64,
    ) -> Result<(u64, f64), VerifyError> {
        let switch = self.fabric.switch(self.from);
        let fabric = *switch.image().fabric();
        let walks = by_switch::walks(&fabric, rule, self.from, destination);
        by_switch::check(switch, Decision::ALL[number], destination, &walks)?;
        for (&(route, shape, _), chance) in walks.iter().zip(by_switch::chances(&walks)) {
            if self.is_walked(destination, route.x, route.y, below) {
                let same: Vec<usize> =
                    (number..3).filter(|&other| set_of[other] == set_of[number]).collect();
                let path = self.walk_kept(destination, route, shape, &same)?;
                if let Some(shares) = self.notes.shares {
                    for &decision in &same {
                        shares.add(decision, &path, chance);
                    }
                }
            }
        }
        let mut returning: Vec<tvlb_schema::Route> =
            walks.iter().filter(|walk| self.returns(walk.0)).map(|walk| walk.0).collect();
        returning.dedup();
        for other in (number..3).filter(|&other| set_of[other] == set_of[number]) {
            self.walks.returning[other] += returning.len() as u64;
        }
        Ok(by_switch::routes_and_hops(&walks))
    }

    /// Whether a route comes back: it has a detour although it leaves the intermediate group where it
    /// enters it.
    fn returns(&self, route: tvlb_schema::Route) -> bool {
        let fabric = self.fabric.switch(self.from).image().fabric();
        let entered = fabric.peer(End { group: self.group, port: route.x });
        let index = |port| self.fabric.df.split_port(port).0;
        route.detour.is_some() && entered.is_some_and(|end| index(end.port) == index(route.y))
    }

    /// One route of the set that these decisions have.
    fn walk_kept(
        &mut self,
        destination: SwitchId,
        route: tvlb_schema::Route,
        shape: Shape,
        decisions: &[usize],
    ) -> Result<Path, VerifyError> {
        let own = self.fabric.df.split_port(route.y).0;
        let detour = route.detour.unwrap_or(own);
        let may_return = self.returns(route);
        let route = Route { destination, x: route.x, y: route.y, detour, kind: VLB };
        let path = self.carry(route, "T-VLB", may_return)?;
        self.must_have(&path, destination, "T-VLB", shape.hops().into())?;
        for &number in decisions {
            // What follows PAR's second look is held against it where it is walked after a hop.
            if let Some(decision @ (Decision::UgalL | Decision::ParSource)) =
                Decision::ALL.get(number).copied()
            {
                self.must_have_channels(&[decision], &path, destination, "T-VLB")?;
            }
        }
        Ok(path)
    }

    /// The image gives as many routes of each shape as its rule keeps, and says of which there are.
    fn must_keep(
        &self,
        destination: SwitchId,
        set: &SetView<'_>,
        found: &[u64; Shape::COUNT],
        expected: &[u64; Shape::COUNT],
    ) -> Result<(), VerifyError> {
        let finding = |text| {
            Err(BootedSwitches::finding(self.from, destination, "T-VLB", (Path::default(), text)))
        };
        for shape in Shape::all() {
            let (found, rule) = (found[shape.number()], expected[shape.number()]);
            if found != rule {
                return finding(format!(
                    "the image of switch {} gives {found} routes of shape {shape}, but its rule \
                     keeps {rule}",
                    self.from
                ));
            }
        }
        if !set.rule().is_by_shape() {
            return Ok(());
        }
        // A shape that the image says is there is drawn.
        let there: ShapeSet = Shape::all().filter(|shape| found[shape.number()] > 0).collect();
        match set.shapes_to(destination).without(there).nth(0) {
            None => Ok(()),
            Some(shape) => finding(format!(
                "the image of switch {} says that there is a route of shape {shape}, but none is \
                 kept",
                self.from
            )),
        }
    }
}
