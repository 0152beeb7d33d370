//! From a planned table set and its dead parts to a fault image, the switch images that change with it, and the losses.
//!
//! Dead switches neither send nor receive: no pair has them as source or destination here, and the routes to them in an
//! image do not change. Losses are counted over pairs of switches with nodes.

use super::loss::{self, PairList, RouteLoss};
use super::reach::Reach;
use rayon::prelude::*;
use tvlb_topology::Topology;
use tvlb_topology::routes::count::{RouteCounter, SourceCounts};
use tvlb_topology::routes::presence::{has_counted_shape, has_shape};
use tvlb_topology::routes::ways::ways_of;

use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{
    Decision, FabricImage, FaultSet, GlobalPort, Level, Nodes, PerDecision, SetContents, SetRule,
    SetView, Shape, ShapeSet, SwitchContents, SwitchId, SwitchImage, encode_fault_image,
    encode_switch_image, shapes_by_number,
};

/// What a machine installs when parts of it die or are mended.
#[derive(Clone, Debug)]
pub struct FaultUpdate {
    /// The fault image, for all switches.
    pub faults: Vec<u8>,
    /// The switch images that differ from the plan's, by rising number.
    pub switches: Vec<(SwitchId, Vec<u8>)>,
    /// The paths that packets have lost.
    pub loss: RouteLoss,
}

/// What to install if these parts of a fabric with these nodes are dead: `switches` are all its planned images, in
/// order. Each is a step of the stage "switches".
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them.
///
/// # Errors
/// The caller cancelled the work.
///
/// # Panics
/// If a part does not belong to the plan.
pub fn update(
    (fabric, nodes): (&FabricImage<'_>, &Nodes),
    switches: &[SwitchImage<'_>],
    (epoch, faults): (u32, &FaultSet),
    progress: &dyn Progress,
) -> Result<FaultUpdate, Cancelled> {
    let plan = Topology::of_image(fabric).with_ends(nodes.ends());
    let live = plan.without(faults);
    update_where(
        &Reach::of(&plan, &live),
        (fabric, &plan, &live),
        switches,
        (epoch, faults),
        progress,
    )
}

/// As [`update`]; routes are searched only between the groups that faults reach.
fn update_where(
    reach: &Reach,
    (fabric, plan, live): (&FabricImage<'_>, &Topology, &Topology),
    switches: &[SwitchImage<'_>],
    (epoch, faults): (u32, &FaultSet),
    progress: &dyn Progress,
) -> Result<FaultUpdate, Cancelled> {
    progress.stage("switches", Some(switches.len()));
    let counter = live.group_links().is_whole().then(|| RouteCounter::new(live));
    let of_group = |images: &&[SwitchImage<'_>]| -> Result<Vec<_>, Cancelled> {
        let group = images[0].group();
        let is_reached = plan.dragonfly().groups().any(|to| reach.contains(group, to));
        let counts = counter.as_ref().filter(|_| is_reached).map(|c| c.from_group(group));
        let look = |image: &SwitchImage<'_>| {
            progress.check()?;
            let counts = counts.as_ref().map(|counts| counts.source(image.index()));
            let left = Left { reach, plan, live, counts, faults, image };
            let found = if faults.switches.contains(&image.switch()) {
                (None, PerDecision::from_fn(|_| Vec::new()))
            } else {
                left.look()
            };
            progress.step();
            Ok(found)
        };
        images.iter().map(look).collect()
    };
    let groups: Vec<&[SwitchImage<'_>]> =
        switches.chunk_by(|one, next| one.group() == next.group()).collect();
    let parts: Result<Vec<Vec<_>>, Cancelled> = groups.par_iter().map(of_group).collect();
    let parts: Vec<_> = parts?.into_iter().flatten().collect();
    let changed = parts.iter().filter_map(|(contents, _)| contents.as_ref());
    let changed = changed.map(|made| (made.switch, encode_switch_image(fabric, made))).collect();
    let without = PerDecision::from_fn(|decision| {
        let mut pairs = PairList::default();
        for (image, (_, lost)) in switches.iter().zip(&parts) {
            if live.ends().has(image.switch()) {
                lost.get(decision).iter().for_each(|&to| pairs.add(image.switch(), to));
            }
        }
        pairs
    });
    let loss = loss::find(plan, live, faults, without);
    Ok(FaultUpdate { faults: encode_fault_image(fabric, epoch, faults), switches: changed, loss })
}

/// The remaining part of one switch's sets.
struct Left<'l> {
    reach: &'l Reach,
    plan: &'l Topology,
    live: &'l Topology,
    /// How many routes are live; `None` if they are too many to count, or no fault reaches the switch's group.
    counts: Option<SourceCounts<'l>>,
    faults: &'l FaultSet,
    image: &'l SwitchImage<'l>,
}

impl Left<'_> {
    /// The contents of the switch's image, if they differ from the plan's, and the destinations to which each decision
    /// has lost its last route.
    fn look(&self) -> (Option<SwitchContents>, PerDecision<Vec<SwitchId>>) {
        let image = self.image;
        let df = image.fabric().dragonfly();
        let of_number = |number| {
            let decision = Decision::ALL.into_iter().find(|&d| image.set_number(d) == number);
            decision.map(|decision| image.set(decision))
        };
        let mut lost: Vec<Vec<SwitchId>> = Vec::new();
        let mut sets = Vec::new();
        for number in 0..image.set_count() {
            // In our images some decision uses every set.
            let Some(set) = of_number(number) else {
                return (None, PerDecision::from_fn(|_| Vec::new()));
            };
            let levels = levels(image, set);
            let (fewer, without) = self.fewer((set, &levels));
            lost.push(without);
            sets.push((set, levels, fewer));
        }
        let lost = PerDecision::from_fn(|decision| lost[image.set_number(decision)].clone());
        if sets.iter().all(|(_, _, fewer)| fewer.is_empty()) {
            return (None, lost);
        }
        let contents_of = |(set, levels, fewer): (&SetView<'_>, _, Vec<(SwitchId, ShapeSet)>)| {
            let mut shapes_to = shapes_by_number(df, set.rule(), |to| set.shapes_to(to));
            for &(to, left) in &fewer {
                shapes_to[to.as_usize()] = left;
            }
            SetContents { rule: *set.rule(), levels, shapes_to }
        };
        let contents = SwitchContents {
            switch: image.switch(),
            virtual_channels: image.virtual_channels(),
            decisions: PerDecision::from_fn(|decision| {
                let set = u8::try_from(image.set_number(decision)).expect("there are three");
                (set, *image.weighing(decision))
            }),
            second_min: image.second_min(),
            sets: sets.into_iter().map(contents_of).collect(),
            physical_numbers: image.physical_numbers().collect(),
        };
        (Some(contents), lost)
    }

    /// The destinations to which a set drawn by shape has lost all routes of some shape, with the remaining shapes; and
    /// those to which a set has lost its last route.
    fn fewer(
        &self,
        (set, levels): (&SetView<'_>, &[Level]),
    ) -> (Vec<(SwitchId, ShapeSet)>, Vec<SwitchId>) {
        let (own, df) = (self.image.group(), self.image.fabric().dragonfly());
        let by_shape = set.rule().is_by_shape();
        let (mut fewer, mut without) = (Vec::new(), Vec::new());
        let reached = df.groups().filter(|&group| group != own && self.reach.contains(own, group));
        let destinations = reached.flat_map(|group| df.switches_in(group));
        for to in destinations.filter(|to| !self.faults.switches.contains(to)) {
            let planned = set.shapes_to(to);
            let counts = self.counts.as_ref().map(|counts| counts.counts(to));
            let left = self.shapes_in((self.live, counts), (set.rule(), levels), to, planned);
            if by_shape && left != planned {
                fewer.push((to, left));
            }
            // For other sets an image does not say which routes there are.
            let had = || {
                let of_plan = (self.plan, None);
                if by_shape {
                    planned
                } else {
                    self.shapes_in(of_plan, (set.rule(), levels), to, planned)
                }
            };
            if left.is_empty() && self.live.ends().has(to) && !had().is_empty() {
                without.push(to);
            }
        }
        (fewer, without)
    }

    /// Those of the given shapes of which the set has a route in a wiring, whose routes may have been counted. If the
    /// set is not drawn by shape: all of them if it has any route, else none.
    fn shapes_in(
        &self,
        (wiring, counts): (&Topology, Option<[u64; Shape::COUNT]>),
        (rule, levels): (&SetRule, &[Level]),
        to: SwitchId,
        planned: ShapeSet,
    ) -> ShapeSet {
        let pair = (self.image.switch(), to);
        let has = |shape: Shape| match counts {
            Some(counts) => {
                has_counted_shape(wiring, (rule, levels), pair, (shape, counts[shape.number()]))
            }
            None => has_shape(wiring, (rule, levels), pair, shape),
        };
        if rule.is_by_shape() {
            return planned.iter().filter(|&shape| has(shape)).collect();
        }
        let has_any = match ways_of(wiring, rule, pair.0, pair.1) {
            Some(mut ways) => ways.next().is_some(),
            None => planned.iter().any(has),
        };
        if has_any { planned } else { ShapeSet::EMPTY }
    }
}

/// The levels by which a switch thins a set, by global port of its group; empty if it does not.
fn levels(image: &SwitchImage<'_>, set: &SetView<'_>) -> Vec<Level> {
    if !set.is_thinned() {
        return Vec::new();
    }
    let ports = image.fabric().dragonfly().global_ports();
    ports.map(|x: GlobalPort| set.level(x)).collect()
}

#[cfg(test)]
mod tests;
