//! The looks of a draw of a route from cells, by route or by shape, in the steps of `firmware-model/src/draw`.

use super::tries::{real, tried};
use tvlb_firmware_model::{MOST_ASKED, MOST_MISSES, MOST_SOUGHT, MOST_TRIES, MOST_VISITED, Search};
use tvlb_schema::{GroupId, Keep, SetRule, Shape, ShapeSet};
use tvlb_topology::Topology;
use tvlb_topology::routes::chances::shape_weights;
use tvlb_topology::routes::count::RouteCounter;

/// The ports of a switch that are scanned in the time of a look.
const PORTS_OF_A_LOOK: f64 = 8.0;

/// Properties of the fabric that all draws share.
pub(super) struct SharedWork {
    /// All pairs of groups share the same number of cables, and every port has one.
    is_regular: bool,
    /// Ports of a switch, and of its group.
    ports_of_switch: u32,
    h: f64,
    ports: f64,
    /// The most links of a pair of groups.
    most_links: u32,
    links: f64,
    /// The most links of a switch to another group.
    of_switch: f64,
    detours: f64,
    groups: f64,
    /// The shapes of each stratum, and those with two hops in the middle.
    strata: [ShapeSet; 3],
    with_detour: ShapeSet,
}

/// The cells of a stratum, and their contents for a pair.
#[derive(Clone, Copy, Default)]
struct StratumCells {
    /// Cells that may be tried.
    cells: f64,
    /// Those of them that hold two links.
    real: f64,
    /// Ports that a visit scans, and the pairs of links that these give.
    ports: f64,
    pairs: f64,
    /// Ways to cross the intermediate group.
    ways: f64,
    /// Kept routes of a wanted shape.
    kept: f64,
}

impl SharedWork {
    pub(super) fn of(counter: &RouteCounter<'_>) -> Self {
        let topology = counter.topology();
        let df = topology.dragonfly();
        let (least, most) = topology.links_per_pair();
        Self {
            is_regular: least == most && topology.unused_ports() == 0,
            ports_of_switch: df.h(),
            h: df.h().into(),
            ports: df.ports_per_group().into(),
            most_links: u32::try_from(most).expect("at most as many as a group has ports"),
            links: real(most as u64),
            of_switch: real(most_links_of_switch(topology)),
            detours: df.a().saturating_sub(2).into(),
            groups: df.g().into(),
            strata: [0, 1, 2]
                .map(|stratum| Shape::all().filter(|&s| stratum_of(s) == stratum).collect()),
            with_detour: Shape::all().filter(|shape| shape.mid() == 2).collect(),
        }
    }

    /// The expected looks of a draw for a pair with these numbers of routes of each shape.
    pub(super) fn pair_looks(
        &self,
        rule: &SetRule,
        thinning: f64,
        counts: &[u64; Shape::COUNT],
    ) -> f64 {
        let kept = |shape: Shape| {
            let fraction = f64::from(rule.keep_of(shape).parts()) / f64::from(Keep::ALL.parts());
            real(counts[shape.number()]) * fraction * thinning
        };
        if !rule.is_by_shape() {
            return self.looks(counts, rule.shapes(), Search::Cells, kept);
        }
        let weights = shape_weights(rule, counts);
        let (mut sum, mut total) = (0.0, 0.0);
        for shape in rule.shapes().iter().filter(|s| weights[s.number()] > 0) {
            // The image says which shapes a pair has, so one that is drawn has a route.
            let at_least_one = |shape| kept(shape).max(1.0);
            let weight = real(weights[shape.number()]);
            let search = Search::of(shape, self.most_links, self.ports_of_switch);
            let shape = ShapeSet::only(shape);
            sum += weight * self.looks(counts, shape, search, at_least_one);
            total += weight;
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// The strata that are searched for links, and how many pairs of links there are.
    fn strata(
        &self,
        counts: &[u64; Shape::COUNT],
        shapes: ShapeSet,
        kept: impl Fn(Shape) -> f64,
    ) -> ([StratumCells; 3], f64) {
        // By head and tail the pairs of links: those that meet on a switch and those that do not.
        let pairs = |head: u8, tail: u8| {
            let tail = tail == 1;
            let mid = |mid| counts[Shape::of_walk(head == 1, mid, tail).number()];
            real(mid(0) + mid(1))
        };
        let all_pairs = pairs(0, 0) + pairs(0, 1) + pairs(1, 0) + pairs(1, 1);
        let mut strata = [StratumCells::default(); 3];
        for (number, stratum) in strata.iter_mut().enumerate() {
            let own = shapes.and(self.strata[number]);
            let direct = !own.without(self.with_detour).is_empty();
            let detours = !own.and(self.with_detour).is_empty();
            stratum.ways = f64::from(u8::from(direct)) + if detours { self.detours } else { 0.0 };
            stratum.ports = if number == 2 { self.ports - self.h } else { self.h };
            stratum.cells = stratum.ports * self.links * stratum.ways;
            // Some of those of the destination's ports have a first link of the source's own.
            let (of_ports, of_others) = match number {
                0 => (pairs(0, 0) + pairs(0, 1), 0.0),
                1 => (pairs(1, 0), pairs(0, 0)),
                _ => (pairs(1, 1), 0.0),
            };
            stratum.real = stratum.ways * of_ports;
            stratum.pairs = of_ports + of_others;
            stratum.kept = own.iter().map(&kept).sum();
        }
        (strata, all_pairs)
    }

    /// The expected looks of a draw from all kept routes of these shapes, with equal probability.
    fn looks(
        &self,
        counts: &[u64; Shape::COUNT],
        shapes: ShapeSet,
        search: Search,
        kept: impl Fn(Shape) -> f64,
    ) -> f64 {
        let (strata, all_pairs) = self.strata(counts, shapes, kept);
        let total = |of: fn(&StratumCells) -> f64| strata.iter().map(of).sum::<f64>();
        let wanted = |of: fn(&StratumCells) -> f64| {
            strata.iter().filter(|s| s.ways > 0.0).map(of).sum::<f64>()
        };
        let (cells, real_cells, kept) = (total(|s| s.cells), total(|s| s.real), total(|s| s.kept));
        if cells == 0.0 {
            return 0.0;
        }
        // The chance that a try hits, how many there are at most, and the looks of each.
        let (hit, most, each) = match search {
            Search::Both => return self.h + self.h * self.h / PORTS_OF_A_LOOK,
            Search::Cells => (kept / cells, MOST_TRIES, 1.0),
            Search::First | Search::Second | Search::Last => {
                let asked = cells / self.links * self.of_switch;
                (kept / asked, MOST_ASKED, 1.0 + self.h / PORTS_OF_A_LOOK)
            }
        };
        let hit = hit.min(1.0);
        let mut tries = cells.min(most.into());
        if !self.is_regular {
            let empty = 1.0 - (real_cells / cells).min(1.0);
            if empty > 0.0 {
                tries = tries.min(f64::from(MOST_MISSES) / empty);
            }
        }
        let (tried_of, mut missed) = tried(hit, tries);
        let mut looks = tried_of * each;
        if missed == 0.0 {
            return looks;
        }
        if !self.is_regular {
            // A single stratum of few ports is counted by these, others by the groups between.
            let single = (wanted(|_| 1.0) < 2.0)
                .then(|| strata[..2].iter().find(|s| s.ways > 0.0))
                .flatten();
            let (pairs, counted) =
                single.map_or((all_pairs, self.groups), |stratum| (stratum.pairs, stratum.ports));
            if pairs == 0.0 {
                // Counting finds that there is none.
                return looks + missed * counted;
            }
            let ways = strata.iter().map(|s| s.ways).fold(0.0, f64::max);
            let hit = (kept / (pairs * ways)).min(1.0);
            let most = (pairs * ways + self.ports).min(MOST_SOUGHT.into());
            let (seeks, still) = tried(hit, most / counted);
            looks += missed * counted * (1.0 + seeks);
            missed *= still;
        }
        looks + missed * (wanted(|s| s.ports) + real_cells.min(MOST_VISITED.into()))
    }
}

/// The stratum that holds the routes of a shape.
fn stratum_of(shape: Shape) -> usize {
    match (shape.head(), shape.tail()) {
        (0, _) => 0,
        (_, 0) => 1,
        _ => 2,
    }
}

/// The most links that a switch has to one other group.
fn most_links_of_switch(topology: &Topology) -> u64 {
    let df = topology.dragonfly();
    let of_pair = |from: GroupId, to: GroupId| {
        let mut switches: Vec<u32> = topology
            .links(from, to)
            .iter()
            .map(|link| df.split_port(link.from).0.0.into())
            .collect();
        switches.sort_unstable();
        switches.chunk_by(|one, other| one == other).map(<[u32]>::len).max().unwrap_or(0)
    };
    let of_group = |from| df.groups().map(move |to| of_pair(from, to)).max().unwrap_or(0);
    df.groups().map(of_group).max().unwrap_or(0) as u64
}
