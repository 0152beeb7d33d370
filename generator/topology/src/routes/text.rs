//! The output of `tvlb paths` for one pair of switches, as a value to serialise and as text to read.

use super::count::RouteCounter;
use super::drawn::{DrawnMin, DrawnPaths, DrawnVlb};
use super::minimal;
use super::triples::TripleCounts;
use super::walk::Walk;
use crate::Topology;
use serde::Serialize;
use std::fmt;
use tvlb_schema::{
    Dragonfly, GlobalPort, GroupId, SetRule, Shape, ShapeSet, SwitchId, SwitchIndex,
};
use tvlb_table_set::names::Names;

/// The paths from one switch to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathListing {
    #[serde(skip)]
    dragonfly: Dragonfly,
    #[serde(skip)]
    names: Names,
    pub source: PathSwitch,
    pub destination: PathSwitch,
    /// MIN paths by hops: entry n has n hops.
    pub min_paths_by_hops: Vec<u64>,
    /// VLB triples by hops: entry n has n hops.
    pub triples_by_hops: [u64; 7],
    /// VLB triples by legs, distinct walks and walks that come to a switch twice.
    pub triples: TripleCounts,
    /// VLB routes of each shape, by rising shape; all 0 within a group.
    pub routes: Vec<ShapeCount>,
    /// Every path, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<ListedPath>>,
}

/// A switch by its number and by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PathSwitch {
    /// Number in the fabric.
    pub switch: SwitchId,
    pub group: GroupId,
    /// Its index in the group.
    pub index: SwitchIndex,
}

/// How many routes have a shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShapeCount {
    /// Three digits: head, mid, tail.
    pub shape: String,
    /// Hops from switch to switch.
    pub hops: u8,
    pub routes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedPath {
    /// `MIN`, or `VLB` for a walk of two legs that comes to no switch twice.
    pub kind: &'static str,
    /// Three digits; for VLB between groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// The port by which it leaves the source group, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<GlobalPort>,
    /// The port by which it leaves the intermediate group, if it goes through one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<GlobalPort>,
    /// The switches from source to destination.
    pub switches: Walk,
}

impl PathListing {
    /// Counts the paths from one switch to another, and lists them all if `list` says so: MIN
    /// paths, then VLB routes, in the orders of [`minimal::paths`] and [`super::ways::routes`].
    pub fn new(
        counter: &RouteCounter<'_>,
        source: SwitchId,
        destination: SwitchId,
        list: bool,
    ) -> Self {
        let topology = counter.topology();
        let dragonfly = *topology.dragonfly();
        let place = |switch| {
            let (group, index) = dragonfly.place(switch);
            PathSwitch { switch, group, index }
        };
        let min_paths = minimal::paths(topology, source, destination);
        let counts = counter.triples(source, destination);
        Self {
            dragonfly,
            names: Names::default(),
            source: place(source),
            destination: place(destination),
            min_paths_by_hops: minimal::count_by_hops(&min_paths),
            triples_by_hops: counts.by_hops(),
            triples: counts,
            routes: Shape::all()
                .zip(counter.counts(source, destination))
                .map(|(shape, routes)| ShapeCount {
                    shape: shape.to_string(),
                    hops: shape.hops(),
                    routes,
                })
                .collect(),
            paths: list.then(|| all_paths(topology, source, destination)),
        }
    }

    /// The same with what the machine calls its switches.
    #[must_use]
    pub fn with_names(self, names: &Names) -> Self {
        Self { names: names.clone(), ..self }
    }

    /// The switches of the paths that are listed, the source and the destination among them.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> {
        let listed = self.paths.iter().flatten().flat_map(|path| path.switches.switches());
        [self.source.switch, self.destination.switch].into_iter().chain(listed.copied())
    }

    fn is_within_a_group(&self) -> bool {
        self.source.group == self.destination.group
    }
}

/// Every path: what a set of all routes is drawn from.
fn all_paths(topology: &Topology, source: SwitchId, destination: SwitchId) -> Vec<ListedPath> {
    let all = SetRule::whole(ShapeSet::ALL);
    let DrawnPaths { min, vlb, .. } = DrawnPaths::new(topology, &all, source, destination);
    let min = min.into_iter().map(|DrawnMin { switches, x, .. }| ListedPath {
        kind: "MIN",
        shape: None,
        x,
        y: None,
        switches,
    });
    let vlb = vlb.into_iter().map(|DrawnVlb { switches, x, y, shape, .. }| ListedPath {
        kind: "VLB",
        shape: shape.map(|shape| shape.to_string()),
        x,
        y,
        switches,
    });
    min.chain(vlb).collect()
}

impl PathSwitch {
    /// `17 x1000c2r1 = (2,1)`.
    fn in_words(self, names: &Names) -> String {
        let Self { switch, group, index } = self;
        format!("{switch}{} = ({group},{index})", names.after(switch))
    }
}

impl fmt::Display for PathListing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [source, destination] =
            [self.source, self.destination].map(|place| place.in_words(&self.names));
        writeln!(f, "From switch {source} to {destination}")?;
        writeln!(f)?;
        write_count(f, "MIN paths", self.min_paths_by_hops.iter().sum())?;
        write_by_hops(f, &self.min_paths_by_hops)?;

        writeln!(f)?;
        write_count(f, "VLB triples", self.triples.total())?;
        write_by_hops(f, &self.triples_by_hops)?;
        if !self.is_within_a_group() {
            for (first, row) in (1..).zip(self.triples.by_legs) {
                for (second, count) in (1..).zip(row) {
                    write_count(f, &format!("  legs of {first} + {second}"), count)?;
                }
            }
        }
        write_count(f, "  distinct walks", self.triples.distinct_walks)?;
        write_count(f, "  revisiting a switch", self.triples.revisiting)?;

        if !self.is_within_a_group() {
            writeln!(f)?;
            let routes = self.routes.iter().map(|row| row.routes).sum();
            write_count(f, "VLB routes", routes)?;
            for row in &self.routes {
                let label = format!("  shape {}, {} hops", row.shape, row.hops);
                write_count(f, &label, row.routes)?;
            }
        }

        if let Some(paths) = &self.paths {
            writeln!(f, "\nPaths (-> local hop, => global hop)")?;
            for path in paths {
                let shape = path.shape.as_deref().unwrap_or("");
                let walk = path.switches.in_words(&self.dragonfly, &self.names);
                writeln!(f, "  {} {shape:3}  S={walk}", path.kind)?;
            }
        }
        Ok(())
    }
}

/// One line for each number of hops that some path has.
fn write_by_hops(f: &mut fmt::Formatter<'_>, counts: &[u64]) -> fmt::Result {
    for (hops, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let word = if hops == 1 { "hop" } else { "hops" };
        write_count(f, &format!("  {hops} {word}"), count)?;
    }
    Ok(())
}

fn write_count(f: &mut fmt::Formatter<'_>, label: &str, count: u64) -> fmt::Result {
    writeln!(f, "{label:<21} {count:>10}")
}

#[cfg(test)]
mod tests {
    use super::super::wirings;
    use super::*;

    fn listing(from: u16, to: u16, list: bool) -> PathListing {
        let topology = wirings::absolute(2, 4, 2, 9);
        let counter = RouteCounter::new(&topology);
        PathListing::new(&counter, SwitchId(from), SwitchId(to), list)
    }

    #[test]
    fn a_pair_of_different_groups_reads_well() {
        insta::assert_snapshot!(listing(1, 17, false), @"
        From switch 1 = (0,1) to 17 = (4,1)

        MIN paths                      1
          2 hops                       1

        VLB triples                   28
          3 hops                       2
          4 hops                       5
          5 hops                      10
          6 hops                      11
          legs of 1 + 1                0
          legs of 1 + 2                1
          legs of 1 + 3                0
          legs of 2 + 1                1
          legs of 2 + 2                4
          legs of 2 + 3                4
          legs of 3 + 1                1
          legs of 3 + 2                6
          legs of 3 + 3               11
          distinct walks              26
          revisiting a switch         15

        VLB routes                    11
          shape 000, 2 hops            0
          shape 001, 3 hops            1
          shape 010, 3 hops            0
          shape 011, 4 hops            0
          shape 020, 4 hops            0
          shape 021, 5 hops            0
          shape 100, 3 hops            1
          shape 101, 4 hops            3
          shape 110, 4 hops            1
          shape 111, 5 hops            1
          shape 120, 5 hops            2
          shape 121, 6 hops            2
        ");
    }

    #[test]
    fn a_pair_of_one_group_lists_every_path() {
        insta::assert_snapshot!(listing(5, 6, true), @"
        From switch 5 = (1,1) to 6 = (1,2)

        MIN paths                      1
          1 hop                        1

        VLB triples                    2
          2 hops                       2
          distinct walks               2
          revisiting a switch          0

        Paths (-> local hop, => global hop)
          MIN      S=(1,1) -> (1,2)
          VLB      S=(1,1) -> (1,0) -> (1,2)
          VLB      S=(1,1) -> (1,3) -> (1,2)
        ");
    }

    #[test]
    fn a_switch_to_itself_has_one_path_of_no_hops() {
        let listing = listing(5, 5, true);
        assert_eq!(listing.min_paths_by_hops, [1, 0, 0, 0]);
        assert_eq!(listing.triples.total(), 0);
        assert_eq!(listing.paths.unwrap().len(), 1);
    }

    #[test]
    fn the_list_has_every_min_path_and_route_once() {
        let listing = listing(1, 17, true);
        let routes: u64 = listing.routes.iter().map(|row| row.routes).sum();
        let min: u64 = listing.min_paths_by_hops.iter().sum();
        let text = listing.to_string();
        let lines: std::collections::BTreeSet<&str> =
            text.lines().filter(|line| line.contains("S=")).collect();
        assert_eq!(lines.len() as u64, min + routes);
    }

    #[test]
    fn a_path_is_written_with_its_ports_and_switches() {
        let value = serde_json::to_value(listing(1, 17, true)).unwrap();
        assert_eq!(value["source"]["group"], 0);
        assert_eq!(value["paths"][0]["kind"], "MIN");
        assert_eq!(value["paths"][0]["switches"][0], 1);
        assert!(value["paths"][1]["y"].is_u64());
        assert!(serde_json::to_value(listing(1, 17, false)).unwrap()["paths"].is_null());
    }
}
