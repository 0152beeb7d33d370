//! A planned table set and what is dead of its fabric become a fault image, the switch images that change
//! with it, and what is lost.
//!
//! Dead switches neither send nor receive: they are no pair's source or destination here, and what an
//! image says of routes to them does not change.

use super::loss::{self, Loss, Pairs};
use super::reach::Reach;
use rayon::prelude::*;
use tvlb_topology::Topology;
use tvlb_topology::routes::by_switch;
use tvlb_topology::routes::presence::has_shape;

use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{
    Decision, DrawRule, FabricImage, FaultSet, GlobalPort, Level, PerDecision, SetContents,
    SetRule, SetView, ShapeSet, SwitchContents, SwitchId, SwitchImage, encode_fault_image,
    encode_switch_image, shapes_by_number,
};

/// What a machine installs when parts of it die or mend.
#[derive(Clone, Debug)]
pub struct Update {
    /// The fault image, for all switches.
    pub faults: Vec<u8>,
    /// The switch images that are not those of the plan, by rising number.
    pub switches: Vec<(SwitchId, Vec<u8>)>,
    /// What no packet can do any longer.
    pub loss: Loss,
}

/// What to install where these parts of a fabric are dead: `switches` are all its planned images, in
/// order. Each is a step of the stage "switches".
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them.
///
/// # Errors
/// The caller cancelled the work.
///
/// # Panics
/// If a part is not of the plan.
pub fn update(
    fabric: &FabricImage<'_>,
    switches: &[SwitchImage<'_>],
    (epoch, faults): (u32, &FaultSet),
    progress: &dyn Progress,
) -> Result<Update, Cancelled> {
    let plan = Topology::of_image(fabric);
    let live = plan.without(faults);
    update_where(
        &Reach::of(&plan, &live),
        (fabric, &plan, &live),
        switches,
        (epoch, faults),
        progress,
    )
}

/// As [`update`], where routes are looked for between the groups that faults reach.
fn update_where(
    reach: &Reach,
    (fabric, plan, live): (&FabricImage<'_>, &Topology, &Topology),
    switches: &[SwitchImage<'_>],
    (epoch, faults): (u32, &FaultSet),
    progress: &dyn Progress,
) -> Result<Update, Cancelled> {
    progress.stage("switches", Some(switches.len()));
    let parts: Result<Vec<_>, Cancelled> = switches
        .par_iter()
        .map(|image| {
            progress.check()?;
            let left = Left { reach, plan, live, faults, image };
            let found = if faults.switches.contains(&image.switch()) {
                (None, PerDecision::from_fn(|_| Vec::new()))
            } else {
                left.look()
            };
            progress.step();
            Ok(found)
        })
        .collect();
    let parts = parts?;
    let changed = parts.iter().filter_map(|(contents, _)| contents.as_ref());
    let changed = changed.map(|made| (made.switch, encode_switch_image(fabric, made))).collect();
    let without = PerDecision::from_fn(|decision| {
        let mut pairs = Pairs::default();
        for (image, (_, lost)) in switches.iter().zip(&parts) {
            lost.get(decision).iter().for_each(|&to| pairs.add(image.switch(), to));
        }
        pairs
    });
    let loss = loss::find(plan, live, faults, without);
    Ok(Update { faults: encode_fault_image(fabric, epoch, faults), switches: changed, loss })
}

/// What is left of one switch's sets.
struct Left<'l> {
    reach: &'l Reach,
    plan: &'l Topology,
    live: &'l Topology,
    faults: &'l FaultSet,
    image: &'l SwitchImage<'l>,
}

impl Left<'_> {
    /// The contents of the switch's image, if they are not those of the plan, and the destinations to
    /// which each decision has lost its last route.
    fn look(&self) -> (Option<SwitchContents>, PerDecision<Vec<SwitchId>>) {
        let image = self.image;
        let df = image.fabric().dragonfly();
        let of_number = |number| {
            let decision = Decision::ALL.into_iter().find(|&d| image.set_number(d) == number);
            decision.map(|decision| image.set(decision))
        };
        let mut is_changed = false;
        let mut lost: Vec<Vec<SwitchId>> = Vec::new();
        let mut sets = Vec::new();
        for number in 0..image.set_count() {
            // An image of ours has no set that no decision uses.
            let Some(set) = of_number(number) else {
                return (None, PerDecision::from_fn(|_| Vec::new()));
            };
            let levels = levels(image, set);
            let by_shape = matches!(set.rule().draw, DrawRule::ByShape { .. });
            let (mut without, mut has_fewer) = (Vec::new(), false);
            let shapes_to = shapes_by_number(df, |to| {
                let planned = set.shapes_to(to);
                let group = df.place(to).0;
                if group == image.group()
                    || !self.reach.contains(image.group(), group)
                    || self.faults.switches.contains(&to)
                {
                    return planned;
                }
                let of = |wiring| self.shapes_in(wiring, (set.rule(), &levels), to, planned);
                let left = of(self.live);
                has_fewer |= left != planned;
                // Of other sets an image does not say which routes there are.
                let had = || if by_shape { planned } else { of(self.plan) };
                if left.is_empty() && !had().is_empty() {
                    without.push(to);
                }
                left
            });
            is_changed |= by_shape && has_fewer;
            lost.push(without);
            let shapes_to = if by_shape { shapes_to } else { Vec::new() };
            sets.push(SetContents { rule: *set.rule(), levels, shapes_to });
        }
        let lost = PerDecision::from_fn(|decision| lost[image.set_number(decision)].clone());
        let contents = SwitchContents {
            switch: image.switch(),
            virtual_channels: image.virtual_channels(),
            decisions: PerDecision::from_fn(|decision| {
                let set = u8::try_from(image.set_number(decision)).expect("there are three");
                (set, *image.weighing(decision))
            }),
            second_min: image.second_min(),
            sets,
            physical_numbers: image.physical_numbers().collect(),
        };
        (is_changed.then_some(contents), lost)
    }

    /// Of some shapes those of which the set has a route in a wiring. Of a set that is not drawn by shape all,
    /// if it has any route, else none.
    fn shapes_in(
        &self,
        wiring: &Topology,
        (rule, levels): (&SetRule, &[Level]),
        to: SwitchId,
        planned: ShapeSet,
    ) -> ShapeSet {
        let pair = (self.image.switch(), to);
        let has = |shape| has_shape(wiring, rule, levels, pair, shape);
        let has_any = match rule.draw {
            DrawRule::ByShape { .. } => {
                return planned.iter().filter(|&shape| has(shape)).collect();
            }
            DrawRule::ByRoute => planned.iter().any(has),
            DrawRule::BySwitch { legs, returns } => {
                let mut ways = 0;
                by_switch::for_each_way(wiring, (legs, returns), pair.0, pair.1, |_| ways += 1);
                ways > 0
            }
        };
        if has_any { planned } else { ShapeSet::EMPTY }
    }
}

/// The levels to which a switch thins a set, by global port of its group; none if it does not.
fn levels(image: &SwitchImage<'_>, set: &SetView<'_>) -> Vec<Level> {
    if !set.is_thinned() {
        return Vec::new();
    }
    let ports = image.fabric().dragonfly().global_ports();
    ports.map(|x: GlobalPort| set.level(x)).collect()
}

#[cfg(test)]
mod tests;
