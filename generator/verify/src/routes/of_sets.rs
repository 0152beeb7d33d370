//! The routes of a pair that the sets of its source keep.

use super::SourceWalks;
use crate::VerifyError;
use crate::by_switch::{self, Through};
use crate::draws::{chances, mean_hops};
use crate::packet::{BootedSwitches, Hops};
use crate::presence::distinct_sets;
use crate::sample::{cells_of_pair, hash};
use crate::ways;
use tvlb_schema::{Decision, End, GlobalPort, SetView, Shape, ShapeSet, SwitchId};

/// By decision and shape: how many routes of a pair the rule keeps, after the image's thinning.
type Expected = [[u64; Shape::COUNT]; 3];

impl SourceWalks<'_, '_> {
    /// Checks a pair of the sample; returns how many routes each decision's set keeps, `None` if they are too many to
    /// count.
    pub(super) fn sampled(
        &mut self,
        destination: SwitchId,
    ) -> Result<Option<[u64; 3]>, VerifyError> {
        let sample = self.notes.sample;
        let counted = sample.counts_routes(cells_of_pair(self.fabric));
        self.walks.not_counted += u64::from(!counted);
        if !counted {
            return Ok(None);
        }
        let expected = self.expected(destination)?;
        let most = expected.iter().map(|of_set| of_set.iter().sum()).max().unwrap_or(0);
        let below = sample.walks_below(most);
        self.walks.in_part += u64::from(below < u64::MAX);
        self.kept(destination, &expected, below).map(Some)
    }

    /// Whether the routes over two links are in the part that is walked.
    fn is_walked(&self, to: SwitchId, x: GlobalPort, y: GlobalPort, below: u64) -> bool {
        let pair = u64::from(self.from.0) << 16 | u64::from(to.0);
        let seed = self.notes.sample.seed ^ pair << 32;
        below == u64::MAX || hash(seed, u32::from(x.0) << 12 | u32::from(y.0)) < below
    }

    /// How many of all VLB walks to a switch of another group the rule of each decision keeps, by shape.
    fn expected(&mut self, destination: SwitchId) -> Result<Expected, VerifyError> {
        let switch = self.fabric.switch(self.from);
        let (image, pair) = (switch.image(), (self.from, destination));
        let decisions = distinct_sets(switch);
        let mut expected = Expected::default();
        for links in ways::pairs(image.fabric(), self.first, pair) {
            self.go_on()?;
            for way in links.ways(image.fabric()).filter(|way| !way.returns()) {
                for &decision in &decisions {
                    let is_kept = way.is_kept(&self.fabric.df, image.set(decision), pair);
                    expected[decision as usize][way.shape().number()] += u64::from(is_kept);
                }
            }
        }
        let set_of = |decision: &Decision| image.set_number(*decision);
        for decision in Decision::ALL {
            let first = decisions.iter().find(|first| set_of(first) == set_of(&decision));
            expected[decision as usize] = expected[*first.unwrap_or(&decision) as usize];
        }
        Ok(expected)
    }

    /// Checks the routes of each decision's set: as many of each shape as its rule keeps, and simple paths of that
    /// shape. Returns how many there are.
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
            // A set shared with an earlier decision was already checked.
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
            // Each route's probability if there are as many as the rule keeps; if there are not, that is found below.
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

    /// Checks the walks of a set drawn by intermediate switch or by triple: those of the fabric image, with the lengths
    /// of their shapes. Returns how many routes there are, and their mean hops.
    fn by_switch(
        &mut self,
        destination: SwitchId,
        rule: Through,
        (set_of, number): (&[usize], usize),
        below: u64,
    ) -> Result<(u64, f64), VerifyError> {
        let switch = self.fabric.switch(self.from);
        let fabric = *switch.image().fabric();
        let walks = by_switch::walks(&fabric, self.first, rule, (self.from, destination));
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

    /// Whether a route returns: it has a detour although it leaves the intermediate group where it enters it.
    fn returns(&self, route: tvlb_schema::Route) -> bool {
        let fabric = self.fabric.switch(self.from).image().fabric();
        let entered = fabric.peer(End { group: self.group, port: route.x });
        let index = |port| self.fabric.df.split_port(port).0;
        route.detour.is_some() && entered.is_some_and(|end| index(end.port) == index(route.y))
    }

    /// Checks one route of the set that these decisions share.
    fn walk_kept(
        &mut self,
        destination: SwitchId,
        route: tvlb_schema::Route,
        shape: Shape,
        decisions: &[usize],
    ) -> Result<Hops, VerifyError> {
        let may_return = self.returns(route);
        let route = self.on(route, destination);
        let path = self.carry(route, "T-VLB", may_return)?;
        self.must_have(&path, destination, "T-VLB", shape.hops().into())?;
        for &number in decisions {
            match Decision::ALL[number] {
                Decision::ParSecond => self.after_second_look(route)?,
                decision => self.must_have_channels(&[decision], &path, destination, "T-VLB")?,
            }
        }
        Ok(path)
    }

    /// Checks that the image has as many routes of each shape as its rule keeps, and the right shapes.
    fn must_keep(
        &self,
        destination: SwitchId,
        set: &SetView<'_>,
        found: &[u64; Shape::COUNT],
        expected: &[u64; Shape::COUNT],
    ) -> Result<(), VerifyError> {
        let finding = |text| {
            Err(BootedSwitches::finding(self.from, destination, "T-VLB", (Hops::default(), text)))
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
        // A shape that the image says is present is drawn.
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
