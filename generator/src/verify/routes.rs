//! Every walk that a switch can start: MIN, VLB, PAR's second look, and the routes of its sets.

use super::link_shares::LinkShares;
use super::packet::{Fabric, Hop, MOST_HOPS, Path, Route};
use super::{Settings, VerifyError};
use crate::verify::dependencies::Dependencies;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use tvlb_schema::{
    Decision, DrawRule, GlobalPort, Group, Index, Keep, Level, SetRule, Shape, ShapeSet, Switch,
};

/// Kinds of paths in a path's header.
const MIN: u64 = 0;
const VLB: u64 = 2;

/// By decision and shape: how many routes of a pair the rule keeps, thinned as the image says.
type Expected = [[u64; Shape::COUNT]; 3];

/// Which pairs of switches are looked at with all their VLB walks.
pub(super) struct Modes {
    /// `None` for all.
    sample: Option<BTreeSet<(u16, u16)>>,
    pub(super) seed: u64,
}

/// What was walked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walks {
    pub(super) pairs: u64,
    pub(super) pairs_with_vlb: u64,
    pub(super) min: u64,
    pub(super) vlb: u64,
    pub(super) second: u64,
    /// By decision: routes kept, and pairs of different groups that have none.
    pub(super) kept: [u64; 3],
    pub(super) without: [u64; 3],
    /// By decision: the mean hops of a pair's routes as they are drawn, summed over pairs.
    pub(super) hops: [f64; 3],
    /// Most hops of MIN, VLB, and VLB after a second look.
    pub(super) longest: [usize; 3],
}

impl Walks {
    pub(super) fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.pairs_with_vlb += other.pairs_with_vlb;
        self.min += other.min;
        self.vlb += other.vlb;
        self.second += other.second;
        for decision in 0..3 {
            self.kept[decision] += other.kept[decision];
            self.without[decision] += other.without[decision];
            self.hops[decision] += other.hops[decision];
            self.longest[decision] = self.longest[decision].max(other.longest[decision]);
        }
    }
}

impl Modes {
    pub(super) fn new(fabric: &Fabric<'_>, settings: Settings) -> Self {
        let df = &fabric.df;
        let links = |from, to| u64::from(fabric.switches[0].image().fabric().link_count(from, to));
        // Upper bounds: a detour over each switch but one, or none.
        let a = u64::from(df.a());
        let mut all_walks = u64::from(df.g()) * a * a.saturating_sub(1) * a.saturating_sub(2);
        for from in df.groups() {
            for to in df.groups().filter(|&to| to != from) {
                let middles = df.groups().filter(|&k| k != from && k != to);
                let crossings: u64 = middles.map(|k| links(from, k) * links(k, to)).sum();
                all_walks += crossings * a * a * a;
            }
        }
        let sample = (all_walks > settings.most_walks).then(|| {
            let switches = df.switch_count();
            let pairs = u64::from(switches) * u64::from(switches - 1);
            // As many as the share of the walks; one at least.
            let wanted =
                u128::from(pairs) * u128::from(settings.most_walks) / u128::from(all_walks);
            let wanted = usize::try_from(wanted.max(1)).unwrap_or(usize::MAX);
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
            let mut sample = BTreeSet::new();
            let mut draw = || u16::try_from(rng.random_range(0..switches)).unwrap_or(0);
            while sample.len() < wanted {
                let (from, to) = (draw(), draw());
                if from != to {
                    sample.insert((from, to));
                }
            }
            sample
        });
        Self { sample, seed: settings.seed }
    }

    pub(super) fn is_exhaustive(&self) -> bool {
        self.sample.is_none()
    }

    fn has(&self, from: u16, to: u16) -> bool {
        self.sample.as_ref().is_none_or(|sample| sample.contains(&(from, to)))
    }
}

/// Where what all walks make up together is noted.
#[derive(Clone, Copy)]
pub(super) struct Notes<'n> {
    pub(super) dependencies: &'n Dependencies,
    /// Where all routes are walked.
    pub(super) shares: Option<&'n LinkShares>,
}

/// One source switch and where its walks are noted.
struct Source<'s, 'f> {
    fabric: &'s Fabric<'f>,
    notes: Notes<'s>,
    from: u16,
    group: Group,
    index: Index,
    walks: Walks,
}

/// All walks from one switch.
pub(super) fn check_from(
    fabric: &Fabric<'_>,
    source: Switch,
    modes: &Modes,
    notes: Notes<'_>,
    stop: &impl Fn() -> bool,
) -> Result<Walks, VerifyError> {
    let (group, index) = fabric.df.place(source);
    let mut from = Source { fabric, notes, from: source.0, group, index, walks: Walks::default() };
    for destination in fabric.df.switches().filter(|&to| to != source) {
        if stop() {
            return Err(VerifyError::Interrupted);
        }
        from.walks.pairs += 1;
        let (to_group, _) = fabric.df.place(destination);
        let with_vlb = modes.has(source.0, destination.0);
        from.walks.pairs_with_vlb += u64::from(with_vlb);
        if to_group == group {
            from.within_group(destination.0, with_vlb)?;
        } else {
            from.minimal(destination.0, to_group)?;
            if with_vlb {
                let expected = from.by_way(destination.0, to_group)?;
                from.kept(destination, &expected)?;
            }
        }
    }
    Ok(from.walks)
}

impl Source<'_, '_> {
    fn carry(
        &mut self,
        route: Route,
        kind: &'static str,
        may_return: bool,
    ) -> Result<Path, VerifyError> {
        let path = self
            .fabric
            .carry(self.from, route, None, may_return)
            .map_err(|found| Fabric::finding(self.from, route.destination, kind, found))?;
        self.notes.dependencies.note(path.hops());
        let mode = usize::from(route.kind == VLB);
        self.walks.longest[mode] = self.walks.longest[mode].max(path.hops().len());
        Ok(path)
    }

    fn within_group(&mut self, destination: u16, with_vlb: bool) -> Result<(), VerifyError> {
        let port = GlobalPort(0);
        let route = |detour, kind| Route { destination, x: port, y: port, detour, kind };
        self.carry(route(Index(0), MIN), "MIN", false)?;
        self.walks.min += 1;
        let (df, own, to) = (self.fabric.df, self.index, self.fabric.place(destination).1);
        if with_vlb {
            for r in df.indices().filter(|&r| r != own && r != to) {
                let path = self.carry(route(r, VLB), "VLB", false)?;
                self.must_have(&path, destination, "VLB", 2)?;
                self.walks.vlb += 1;
            }
        }
        Ok(())
    }

    /// A path of another length than its route has is another path.
    fn must_have(
        &self,
        path: &Path,
        to: u16,
        kind: &'static str,
        hops: usize,
    ) -> Result<(), VerifyError> {
        if path.hops().len() == hops {
            return Ok(());
        }
        let text = format!("it has {} hops, but its route has {hops}", path.hops().len());
        Err(Fabric::finding(self.from, to, kind, (*path, text)))
    }

    fn minimal(&mut self, destination: u16, to: Group) -> Result<(), VerifyError> {
        let image = self.fabric.switches[usize::from(self.from)].image();
        let fabric = *image.fabric();
        let count = fabric.link_count(self.group, to);
        for k in 0..count {
            let Some((x, arrival)) = fabric.link(self.group, to, k) else { continue };
            let route = Route { destination, x, y: GlobalPort(0), detour: Index(0), kind: MIN };
            let path = self.carry(route, "MIN", false)?;
            let df = &self.fabric.df;
            let head = df.split_port(x).0 != self.index;
            let tail = df.split_port(arrival).0 != self.fabric.place(destination).1;
            self.must_have(&path, destination, "MIN", 1 + usize::from(head) + usize::from(tail))?;
            self.walks.min += 1;
        }
        let has_way = |middle: Group| {
            fabric.link_count(self.group, middle) > 0 && fabric.link_count(middle, to) > 0
        };
        if count == 0 && !self.fabric.df.groups().any(has_way) {
            return Err(VerifyError::Unreachable { from: self.from, to: destination });
        }
        Ok(())
    }

    /// Every VLB walk to another group: as a packet takes it at its source, and, where this switch
    /// can be the second of a MIN path there, as one takes it after PAR's second look.
    ///
    /// Returns how many of them the rule of each decision keeps of each shape.
    fn by_way(&mut self, destination: u16, to: Group) -> Result<Expected, VerifyError> {
        let image = self.fabric.switches[usize::from(self.from)].image();
        let fabric = *image.fabric();
        let sets = Decision::ALL.map(|decision| *image.set(decision));
        let mut expected = Expected::default();
        let tail_to = self.fabric.place(destination).1;
        let (df, from) = (self.fabric.df, self.group);
        let first_hops = self.first_hops(destination, to);
        for middle in df.groups().filter(|&k| k != from && k != to) {
            for (x, v_port) in links(&fabric, from, middle) {
                for (y, z_port) in links(&fabric, middle, to) {
                    let (v, w) = (df.split_port(v_port).0, df.split_port(y).0);
                    for detour in df.indices().filter(|&r| r != v || r == w) {
                        let route = Route { destination, x, y, detour, kind: VLB };
                        // Conventional VLB draws some walks that go from v over r back to v.
                        let may_return = v == w && detour != w;
                        let path = self.carry(route, "VLB", may_return)?;
                        self.walks.vlb += 1;
                        let global = path.hops().iter().filter(|hop| hop.global).count();
                        if global != 2 {
                            let text = format!("it crosses {global} global links, not two");
                            let found = (path, text);
                            return Err(Fabric::finding(self.from, destination, "VLB", found));
                        }
                        if !first_hops.is_empty() {
                            self.second_look(route, &first_hops)?;
                        }
                        if may_return {
                            continue;
                        }
                        let head = df.split_port(x).0 != self.index;
                        let mid = if detour == w { u8::from(v != w) } else { 2 };
                        let shape = Shape::of_walk(head, mid, df.split_port(z_port).0 != tail_to);
                        let named =
                            tvlb_schema::Route { x, y, detour: (mid == 2).then_some(detour) };
                        for (set, expected) in sets.iter().zip(&mut expected) {
                            let (rule, level) = (set.rule(), set.level(x));
                            let kept = match rule.keep_of(shape) {
                                Keep::NONE => false,
                                Keep::ALL if level == Level::ALL => true,
                                _ => {
                                    let (from, to) = (Switch(self.from), Switch(destination));
                                    rule.keeps_at(level, shape, named.key(&df, from, to))
                                }
                            };
                            expected[shape.number()] += u64::from(kept);
                        }
                    }
                }
            }
        }
        Ok(expected)
    }

    /// The local hops by which MIN packets for a destination come here to leave the group.
    fn first_hops(&self, destination: u16, to: Group) -> Vec<Hop> {
        let df = self.fabric.df;
        let image = self.fabric.switches[usize::from(self.from)].image();
        let mut hops = Vec::new();
        for (x, _) in links(image.fabric(), self.group, to) {
            if df.split_port(x).0 != self.index {
                continue;
            }
            for other in df.indices().filter(|&other| other != self.index) {
                let route = Route { destination, x, y: GlobalPort(0), detour: Index(0), kind: MIN };
                let from = df.switch(self.group, other).0;
                // A MIN path that fails is found from its own source.
                if let Ok(path) = self.fabric.carry(from, route, None, false)
                    && let Some(&hop) = path.hops().first()
                    && !hops.contains(&hop)
                {
                    hops.push(hop);
                }
            }
        }
        hops
    }

    fn second_look(&mut self, route: Route, first_hops: &[Hop]) -> Result<(), VerifyError> {
        let kind = "VLB (after PAR's second look)";
        let path = self
            .fabric
            .carry(self.from, route, first_hops.first().copied(), true)
            .map_err(|found| Fabric::finding(self.from, route.destination, kind, found))?;
        self.notes.dependencies.note(path.hops());
        for &hop in &first_hops[1..] {
            self.notes.dependencies.note_pair(hop, path.hops()[1]);
        }
        self.walks.second += first_hops.len() as u64;
        self.walks.longest[2] = self.walks.longest[2].max(path.hops().len());
        debug_assert!(path.hops().len() <= MOST_HOPS);
        Ok(())
    }

    /// The routes of each decision's set: simple paths of the shape that they are kept as.
    fn kept(&mut self, destination: Switch, expected: &Expected) -> Result<(), VerifyError> {
        let switch = &self.fabric.switches[usize::from(self.from)];
        let set_of = Decision::ALL.map(|decision| switch.image().set_number(decision));
        let (mut kept, mut hops) = ([0; 3], [0.0; 3]);
        for (number, decision) in Decision::ALL.into_iter().enumerate() {
            // A set that an earlier decision has too has been looked at.
            if let Some(earlier) = (0..number).find(|&earlier| set_of[earlier] == set_of[number]) {
                (kept[number], hops[number]) = (kept[earlier], hops[earlier]);
                continue;
            }
            let mut routes = Vec::new();
            switch.for_each_route(decision, destination, |route, shape| {
                routes.push((route, shape));
            });
            kept[number] = routes.len() as u64;
            let mut found = [0; Shape::COUNT];
            for (_, shape) in &routes {
                found[shape.number()] += 1;
            }
            for shape in Shape::all() {
                let (found, rule) = (found[shape.number()], expected[number][shape.number()]);
                if found != rule {
                    let text = format!(
                        "the image of switch {} gives {found} routes of shape {shape}, but its rule \
                         keeps {rule}",
                        self.from
                    );
                    let nothing = (Path::default(), text);
                    return Err(Fabric::finding(self.from, destination.0, "T-VLB", nothing));
                }
            }
            let set = switch.image().set(decision);
            if set.rule().draw != DrawRule::ByRoute {
                // A shape that the image says is there is drawn.
                let said = set.shapes_to(destination);
                let there: ShapeSet = routes.iter().map(|(_, shape)| *shape).collect();
                if let Some(shape) = said.without(there).nth(0) {
                    let text = format!(
                        "the image of switch {} says that there is a route of shape {shape}, but \
                         none is kept",
                        self.from
                    );
                    let nothing = (Path::default(), text);
                    return Err(Fabric::finding(self.from, destination.0, "T-VLB", nothing));
                }
            }
            let chances = chances(set.rule(), &found);
            hops[number] = mean_hops(&chances, &found);
            let same = (number..3).filter(|&other| set_of[other] == set_of[number]);
            for (route, shape) in routes {
                let own = self.fabric.df.split_port(route.y).0;
                let path = self.carry(
                    Route {
                        destination: destination.0,
                        x: route.x,
                        y: route.y,
                        detour: route.detour.unwrap_or(own),
                        kind: VLB,
                    },
                    "T-VLB",
                    false,
                )?;
                self.must_have(&path, destination.0, "T-VLB", shape.hops().into())?;
                if let Some(shares) = self.notes.shares {
                    same.clone().for_each(|d| shares.add(d, &path, chances[shape.number()]));
                }
            }
        }
        for (number, kept) in kept.into_iter().enumerate() {
            self.walks.kept[number] += kept;
            self.walks.without[number] += u64::from(kept == 0);
            self.walks.hops[number] += hops[number];
        }
        Ok(())
    }
}

/// By shape the probability that a route of it is drawn, given how many there are.
fn chances(rule: &SetRule, found: &[u64; Shape::COUNT]) -> [f64; Shape::COUNT] {
    let weight = |shape: Shape| match (rule.draw, found[shape.number()]) {
        (_, 0) => 0,
        (DrawRule::ByRoute, count) => count,
        (DrawRule::ByShape { .. }, _) => rule.weight_of(shape).into(),
    };
    let total: u64 = Shape::all().map(weight).sum();
    let mut chances = [0.0; Shape::COUNT];
    for shape in Shape::all().filter(|&shape| weight(shape) > 0) {
        #[expect(clippy::cast_precision_loss, reason = "compared to a few decimals")]
        let chance = weight(shape) as f64 / total as f64 / found[shape.number()] as f64;
        chances[shape.number()] = chance;
    }
    chances
}

/// The mean hops of a pair's routes as they are drawn, given how many there are by shape; 0 if there
/// are none.
fn mean_hops(chances: &[f64; Shape::COUNT], found: &[u64; Shape::COUNT]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "compared to six decimals")]
    let share = |shape: Shape| chances[shape.number()] * found[shape.number()] as f64;
    Shape::all().map(|shape| share(shape) * f64::from(shape.hops())).sum()
}

/// The links from one group to another, by the fabric image.
fn links(
    fabric: &tvlb_schema::FabricImage<'_>,
    from: Group,
    to: Group,
) -> impl Iterator<Item = (GlobalPort, GlobalPort)> {
    (0..fabric.link_count(from, to)).filter_map(move |k| fabric.link(from, to, k))
}
