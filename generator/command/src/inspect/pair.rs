//! `inspect --from --to`: the paths that a switch draws to another from the sets of its image.

use super::values::SetValues;
use super::words::{SwitchPlace, set_title, sets_of};
use crate::paths::NamedPaths;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use tvlb_base::row;
use tvlb_base::table::{Column, Table};
use tvlb_schema::{Decision, Level, SwitchId, SwitchImage};
use tvlb_table_set::names::Names;
use tvlb_topology::Topology;
use tvlb_topology::routes::drawn::{DrawnMin, DrawnPaths, DrawnShape, DrawnVlb};

/// The paths from the switch of an image to another.
pub(super) struct PairPaths<'i> {
    image: &'i SwitchImage<'i>,
    names: &'i Names,
    list: bool,
    sets: Vec<PathsOfSet>,
}

struct PathsOfSet {
    number: usize,
    /// Those that use the set, one at least.
    decisions: Vec<Decision>,
    paths: DrawnPaths,
}

impl<'i> PairPaths<'i> {
    /// `list` requests every VLB path.
    pub(super) fn of(
        image: &'i SwitchImage<'i>,
        to: SwitchId,
        list: bool,
        names: &'i Names,
    ) -> Self {
        let topology = Topology::of_image(image.fabric());
        let sets = sets_of(image).into_iter().map(|(number, decisions)| {
            let set = image.set(decisions[0]);
            let levels: Vec<Level> =
                topology.dragonfly().global_ports().map(|x| set.level(x)).collect();
            let paths = DrawnPaths::thinned(&topology, (set.rule(), &levels), image.switch(), to);
            PathsOfSet { number, decisions, paths }
        });
        Self { image, names, list, sets: sets.collect() }
    }

    /// The paths by the first set. MIN paths, and all paths within a group, are the same for every set.
    fn any(&self) -> &DrawnPaths {
        &self.sets[0].paths
    }

    pub(super) fn values(&self) -> impl Serialize {
        let of_set = |set: &PathsOfSet| SetAndPaths {
            set: SetValues::of(self.image, &set.decisions),
            shapes: set.paths.shapes().collect(),
            vlb: self.list.then(|| set.paths.vlb.clone()),
        };
        let any = self.any();
        let values = PairValues {
            source: any.source,
            destination: any.destination,
            min: any.min.clone(),
            sets: self.sets.iter().map(of_set).collect(),
        };
        let listed = self.sets.iter().filter(|_| self.list).flat_map(|set| &set.paths.vlb);
        let listed = listed.flat_map(|path| path.switches.switches()).copied();
        let min = any.min.iter().flat_map(|path| path.switches.switches()).copied();
        let ends = [any.source, any.destination];
        NamedPaths::of(values, ends.into_iter().chain(min).chain(listed), self.names)
    }

    fn write_min(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let min = &self.any().min;
        let is_even =
            min.windows(2).all(|two| two[0].probability.total_cmp(&two[1].probability).is_eq());
        match min.len() {
            0 if self.is_within_a_group() => {
                writeln!(
                    f,
                    "\nMIN: none, because no link joins the two switches; packets take VLB"
                )?;
            }
            0 => writeln!(f, "\nMIN: none, because no cable joins the groups; packets take VLB")?,
            1 => writeln!(f, "\nMIN: 1 path")?,
            paths if is_even => writeln!(f, "\nMIN: {paths} paths, one drawn uniformly")?,
            paths => {
                writeln!(f, "\nMIN: {paths} paths; a link between the groups is drawn uniformly")?;
            }
        }
        for DrawnMin { switches, probability, .. } in min {
            let walk = self.in_words(switches);
            if is_even {
                writeln!(f, "  {walk}")?;
            } else {
                writeln!(f, "  {:>6.2}%  {walk}", 100.0 * probability)?;
            }
        }
        Ok(())
    }

    /// The VLB paths within a group, which visit a third switch whatever the set.
    fn write_within_a_group(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.any().vlb.len() {
            0 => writeln!(f, "\nVLB: none, because no third switch is linked to both")?,
            1 => writeln!(f, "\nVLB: 1 path, whatever the set")?,
            paths => writeln!(f, "\nVLB: {paths} paths, one drawn uniformly, whatever the set")?,
        }
        for DrawnVlb { switches, .. } in &self.any().vlb {
            writeln!(f, "  {}", self.in_words(switches))?;
        }
        Ok(())
    }

    fn write_set(&self, f: &mut Formatter<'_>, set: &PathsOfSet) -> fmt::Result {
        let PathsOfSet { number, decisions, paths } = set;
        writeln!(f, "\n{}", set_title(self.image, *number, decisions))?;
        if paths.vlb.is_empty() {
            let instead = if paths.min.is_empty() { "any VLB path" } else { "MIN" };
            return writeln!(f, "no route is kept: packets take {instead}");
        }
        let mut table = Table::new(vec![
            Column::words("shape", ""),
            Column::number("hops", 0, ""),
            Column::number("routes", 0, ""),
            Column::number("share of draws", 0, ""),
        ]);
        let mut mean = 0.0;
        for DrawnShape { shape, hops, paths, probability } in paths.shapes() {
            let share = 100.0 * probability;
            table.push(row![shape.to_string(), hops, paths, format!("{share:.2}%")]);
            mean += f64::from(hops) * probability;
        }
        write!(f, "{table}")?;
        let noun = if paths.vlb.len() == 1 { "route" } else { "routes" };
        writeln!(f, "{} {noun}, {mean:.3} mean hops of a draw", paths.vlb.len())?;
        for shape in paths.shapes().filter(|_| self.list) {
            for path in paths.vlb.iter().filter(|path| path.shape == Some(shape.shape)) {
                writeln!(f, "  {}  {}", shape.shape, self.in_words(&path.switches))?;
            }
        }
        Ok(())
    }

    fn is_within_a_group(&self) -> bool {
        self.image.fabric().dragonfly().place(self.any().destination).0 == self.image.group()
    }

    fn in_words(&self, walk: &tvlb_topology::routes::walk::Walk) -> impl Display {
        walk.in_words(self.image.fabric().dragonfly(), self.names)
    }
}

impl Display for PairPaths<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let df = self.image.fabric().dragonfly();
        let DrawnPaths { source, destination, .. } = *self.any();
        let [from, to] = [source, destination].map(|switch| {
            let (group, index) = df.place(switch);
            format!("switch {switch}{} ({})", self.names.after(switch), SwitchPlace(group, index))
        });
        writeln!(f, "from {from} to {to}")?;
        if source == destination {
            return writeln!(f, "the same switch: delivered without a hop");
        }
        self.write_min(f)?;
        if self.is_within_a_group() {
            return self.write_within_a_group(f);
        }
        self.sets.iter().try_for_each(|set| self.write_set(f, set))
    }
}

/// The paths of a pair, as JSON says them.
#[derive(Serialize)]
struct PairValues {
    source: SwitchId,
    destination: SwitchId,
    min: Vec<DrawnMin>,
    sets: Vec<SetAndPaths>,
}

/// What one set gives.
#[derive(Serialize)]
struct SetAndPaths {
    #[serde(flatten)]
    set: SetValues,
    /// None within a group, where VLB goes through a third switch.
    shapes: Vec<DrawnShape>,
    /// Every VLB path, if --list was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    vlb: Option<Vec<DrawnVlb>>,
}
