//! What it takes a switch to draw a route of a set, pair by pair: the *looks* of a draw.
//!
//! A look is a cell that is tried or visited, a link of a leg to or from an intermediate switch, or a group that is looked at while pairs of links are
//! sought, as `firmware-model/src/draw` describes them. A switch that is asked for its links to a group
//! (`firmware-model/src/draw/by_shape.rs`) is a look, and one more for every eight of its ports. The expected number follows from how many
//! routes of each shape a pair has, without drawing any: it is exact for whole sets on regular
//! wirings, where every try is as likely to hit, and an estimate elsewhere (fractions and thinning are
//! taken as they keep on average; on other wirings links are taken as spread evenly over the ports). A set that asks for more than a switch can live with is refused
//! ([`DrawWork::check`]).

use rayon::prelude::*;
use std::collections::BTreeMap;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_firmware_model::{MOST_ASKED, MOST_MISSES, MOST_SOUGHT, MOST_TRIES, MOST_VISITED, Search};
use tvlb_schema::{DrawRule, GroupId, Keep, LegHops, Level, SetRule, Shape, ShapeSet, SwitchId};
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::names::{NamedSwitch, Names};
use tvlb_topology::Topology;
use tvlb_topology::routes::chances::shape_weights;
use tvlb_topology::routes::count::RouteCounter;
use tvlb_topology::routes::shortest_legs::ShortestLegs;

/// The most looks of a draw on average over all pairs that a set may take.
///
/// Some 67 000 instructions of a Cortex-M4, at 260 a look (`firmware-model/README.md`, Work).
pub const MOST_MEAN_LOOKS: f64 = 256.0;

/// The most looks of a draw on average for any one pair that a set may take.
///
/// Some 1.1 million instructions of a Cortex-M4, at 260 a look.
pub const MOST_PAIR_LOOKS: f64 = 4096.0;

/// So many ports of a switch are looked through in the time of a look.
const PORTS_OF_A_LOOK: f64 = 8.0;

/// Looks of a draw of one set on one fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawWork {
    /// Mean over all ordered pairs of switches of different groups.
    pub mean: f64,
    /// Mean for the pair where it is largest.
    pub most: f64,
    /// That pair, source and destination: the first in the order of the switches.
    pub pair: (SwitchId, SwitchId),
}

/// A set that a switch cannot draw from at a bearable cost.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "set {set:?}: a draw takes a switch {:.0} looks at cells on average, and {:.0} from switch {} to \
     switch {}; accepted are at most {MOST_MEAN_LOOKS} and {MOST_PAIR_LOOKS}. Too few of the routes \
     that it looks at are kept: keep a larger fraction, leave out shapes of which few pairs have a \
     route, or draw by shape",
    .work.mean, .work.most, .pair.0, .pair.1
)]
pub struct TooMuchWork {
    /// The set, as the grammar writes it.
    pub set: String,
    pub work: DrawWork,
    /// The pair of switches where it takes most.
    pub pair: (NamedSwitch, NamedSwitch),
}

impl TooMuchWork {
    /// The same with what the machine calls its switches.
    #[must_use]
    pub fn with_names(self, names: &Names) -> Self {
        let (from, to) = self.work.pair;
        Self { pair: (names.named(from), names.named(to)), ..self }
    }
}

impl DrawWork {
    /// Whether a switch can live with it; `rule` is the set's, for the message.
    ///
    /// # Errors
    /// If the mean is above [`MOST_MEAN_LOOKS`] or some pair's above [`MOST_PAIR_LOOKS`].
    pub fn check(self, rule: &SetRule) -> Result<Self, TooMuchWork> {
        if self.mean <= MOST_MEAN_LOOKS && self.most <= MOST_PAIR_LOOKS {
            return Ok(self);
        }
        let (from, to) = self.pair;
        Err(TooMuchWork { set: canonical(rule), work: self, pair: (from.into(), to.into()) })
    }
}

/// The looks of a draw from the set of a rule, which each switch thins to its `levels` (none for a
/// switch that thins nothing).
///
/// Uses the threads of the current rayon pool; the result is the same for any number of them. Each source is a
/// step of the stage "draws".
///
/// # Errors
/// The caller cancelled the work.
pub fn draw_work<'l>(
    counter: &RouteCounter<'_>,
    rule: &SetRule,
    levels: impl Fn(SwitchId) -> &'l [Level] + Sync,
    progress: &dyn Progress,
) -> Result<DrawWork, Cancelled> {
    let df = *counter.topology().dragonfly();
    let wiring = Wiring::of(counter);
    progress.stage("draws", Some(df.switch_count() as usize));
    let through = ThroughSwitches::of(counter.topology(), rule, progress)?;
    let by_source: Result<Vec<(f64, u64, f64, SwitchId)>, Cancelled> = counter
        .sources()
        .map(|from| {
            progress.check()?;
            let source = from.source();
            let thinning = mean_fraction(levels(source));
            let through = through.as_ref().map(|through| (through, through.looks_at_all(source)));
            // Most pairs of a source have as many routes of each shape as others have.
            let mut known = BTreeMap::new();
            let mut sum = (0.0, 0, -1.0, source);
            for destination in df.switches() {
                if df.place(source).0 == df.place(destination).0 {
                    continue;
                }
                let looks = if let Some((through, at_all)) = &through {
                    through.looks(at_all[df.place(destination).0.as_usize()], (source, destination))
                } else {
                    let counts = from.counts(destination);
                    let find = || wiring.pair_looks(rule, thinning, &counts);
                    *known.entry(counts).or_insert_with(find)
                };
                sum.0 += looks;
                sum.1 += 1;
                if looks > sum.2 {
                    (sum.2, sum.3) = (looks, destination);
                }
            }
            progress.step();
            Ok(sum)
        })
        .collect();
    let mut work = DrawWork { mean: 0.0, most: -1.0, pair: (SwitchId(0), SwitchId(0)) };
    let mut pairs = 0;
    for (source, (looks, count, most, destination)) in df.switches().zip(by_source?) {
        work.mean += looks;
        pairs += count;
        if most > work.most {
            (work.most, work.pair) = (most, (source, destination));
        }
    }
    work.mean /= real(pairs.max(1));
    Ok(work)
}

/// What the draws of a set of intermediate switches follow from.
struct ThroughSwitches<'t> {
    topology: &'t Topology,
    set: (LegHops, bool),
    /// By number of the switch.
    legs: Vec<ShortestLegs>,
}

impl<'t> ThroughSwitches<'t> {
    /// That of a rule; `None` if it draws otherwise.
    fn of(
        topology: &'t Topology,
        rule: &SetRule,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, Cancelled> {
        let DrawRule::BySwitch { legs, returns } = rule.draw else { return Ok(None) };
        let set = (legs, returns);
        let legs = ShortestLegs::of_all(topology, progress)?;
        Ok(Some(Self { topology, set, legs }))
    }

    /// How many numbers of intermediate switches are drawn. One that no switch has takes a look too.
    fn numbers(&self) -> u64 {
        let df = self.topology.dragonfly();
        u64::from(df.a()) * u64::from(df.g() - 2)
    }

    /// By number of the destination's group how many links a switch looks at if it draws every number of an
    /// intermediate switch once: those to each switch, and those on from each whose first leg the set has.
    fn looks_at_all(&self, source: SwitchId) -> Vec<u64> {
        let df = self.topology.dragonfly();
        let from = df.place(source).0;
        let links = |one, other| self.topology.links(one, other).len() as u64;
        let first = &self.legs[source.as_usize()];
        let reached = |middle| (middle, first.reached(self.topology, self.set.0, middle));
        let reached: Vec<(GroupId, u64)> = df.groups().map(reached).collect();
        let of_group = |to| {
            let between = reached.iter().filter(|&&(middle, _)| middle != from && middle != to);
            let of_middle = between.map(|&(middle, reached)| {
                let switches = u64::from(df.switches_of(middle));
                switches * links(from, middle) + reached * links(middle, to)
            });
            of_middle.sum::<u64>() + self.numbers()
        };
        df.group_numbers().map(of_group).collect()
    }

    /// The expected looks of a draw: each switch that is drawn, and each link that is looked at to tell
    /// whether the set has it.
    fn looks(&self, at_all: u64, (source, destination): (SwitchId, SwitchId)) -> f64 {
        let switches = self.numbers();
        if switches == 0 {
            return 0.0;
        }
        let (first, second) = (&self.legs[source.as_usize()], &self.legs[destination.as_usize()]);
        let hits = first.drawn(second, self.topology, self.set).switches;
        let each = real(at_all) / real(switches);
        // When as many have missed as there are, all are looked at once.
        let (first, missed) = tried((hits / real(switches)).min(1.0), real(switches));
        let once = missed * real(at_all);
        if hits == 0.0 {
            return (first * each + once).min(MOST_SOUGHT.into());
        }
        let tries = f64::from(MOST_TRIES).min(f64::from(MOST_SOUGHT) / each);
        let (tries, _) = tried((hits / real(switches)).min(1.0), tries);
        tries * each + once
    }
}

/// The fraction of routes that levels keep on average over the ports.
fn mean_fraction(levels: &[Level]) -> f64 {
    if levels.is_empty() {
        return 1.0;
    }
    let sixteenths: u64 = levels.iter().map(|level| u64::from(level.number()) + 1).sum();
    real(sixteenths) / (16.0 * real(levels.len() as u64))
}

/// What all draws of a fabric share.
struct Wiring {
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

/// The cells of a stratum, and what a pair has there.
#[derive(Clone, Copy, Default)]
struct Stratum {
    /// Cells that may be tried.
    cells: f64,
    /// Of these, cells that hold two links.
    real: f64,
    /// Ports that a visit passes, and the pairs of links that these name.
    ports: f64,
    pairs: f64,
    /// Ways to cross the intermediate group.
    ways: f64,
    /// Routes that are kept, of a shape that is wanted.
    kept: f64,
}

impl Wiring {
    fn of(counter: &RouteCounter<'_>) -> Self {
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

    /// The expected looks of a draw for a pair with so many routes of each shape.
    fn pair_looks(&self, rule: &SetRule, thinning: f64, counts: &[u64; Shape::COUNT]) -> f64 {
        let kept = |shape: Shape| {
            let fraction = f64::from(rule.keep_of(shape).parts()) / f64::from(Keep::ALL.parts());
            real(counts[shape.number()]) * fraction * thinning
        };
        match rule.draw {
            DrawRule::ByRoute | DrawRule::BySwitch { .. } | DrawRule::ByTriple => {
                self.looks(counts, rule.shapes(), Search::Cells, kept)
            }
            DrawRule::ByShape { .. } => {
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
        }
    }

    /// The parts in which links are looked for, and how many pairs of links there are.
    fn strata(
        &self,
        counts: &[u64; Shape::COUNT],
        shapes: ShapeSet,
        kept: impl Fn(Shape) -> f64,
    ) -> ([Stratum; 3], f64) {
        // By head and tail the pairs of links: those that meet on a switch and those that do not.
        let pairs = |head: u8, tail: u8| {
            let tail = tail == 1;
            let mid = |mid| counts[Shape::of_walk(head == 1, mid, tail).number()];
            real(mid(0) + mid(1))
        };
        let all_pairs = pairs(0, 0) + pairs(0, 1) + pairs(1, 0) + pairs(1, 1);
        let mut strata = [Stratum::default(); 3];
        for (number, stratum) in strata.iter_mut().enumerate() {
            let own = shapes.and(self.strata[number]);
            let direct = !own.without(self.with_detour).is_empty();
            let detours = !own.and(self.with_detour).is_empty();
            stratum.ways = f64::from(u8::from(direct)) + if detours { self.detours } else { 0.0 };
            stratum.ports = if number == 2 { self.ports - self.h } else { self.h };
            stratum.cells = stratum.ports * self.links * stratum.ways;
            // Among those of the destination's ports are some whose first link is the source's.
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

    /// The expected looks of a draw from all kept routes of some shapes alike.
    fn looks(
        &self,
        counts: &[u64; Shape::COUNT],
        shapes: ShapeSet,
        search: Search,
        kept: impl Fn(Shape) -> f64,
    ) -> f64 {
        let (strata, all_pairs) = self.strata(counts, shapes, kept);
        let total = |of: fn(&Stratum) -> f64| strata.iter().map(of).sum::<f64>();
        let wanted =
            |of: fn(&Stratum) -> f64| strata.iter().filter(|s| s.ways > 0.0).map(of).sum::<f64>();
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
                // Counting tells that there is none.
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

/// The expected number of tries of which each hits with this chance, until one does or so many are
/// made; and the chance that none does.
fn tried(hit: f64, most: f64) -> (f64, f64) {
    if hit <= 0.0 {
        return (most, 1.0);
    }
    // Below e⁻⁴⁰, which spares most pairs the power.
    if hit * most > 40.0 {
        return (1.0 / hit, 0.0);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most some thousands, and not negative"
    )]
    let missed = power(1.0 - hit, most as u32);
    ((1.0 - missed) / hit, missed)
}

/// A power by multiplications alone, which come out alike on every machine.
fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[expect(clippy::cast_precision_loss, reason = "counts of routes are far below 2⁵³")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Dragonfly;
    use tvlb_topology::arrangement::{Arrangement, arrange};
    use tvlb_topology::routes::ways::shortest_links;

    #[test]
    fn each_intermediate_switch_is_looked_at_as_a_switch_looks() {
        let topology =
            arrange(Dragonfly::new(1, 4, 3, 5).unwrap(), Arrangement::Random, 2).unwrap();
        let df = topology.dragonfly();
        let legs = LegHops::within(2, 3).unwrap();
        let rule = SetRule::by_switch(legs, true);
        let through = ThroughSwitches::of(&topology, &rule, &()).unwrap().unwrap();
        for source in df.switches() {
            let from = df.place(source).0;
            let at_all = through.looks_at_all(source);
            for to in df.groups().filter(|&to| to != from) {
                let mut looks = 0;
                for middle in df.groups().filter(|&middle| middle != from && middle != to) {
                    for switch in df.switches_in(middle) {
                        looks += 1 + topology.links(from, middle).len();
                        let first = shortest_links(&topology, source, switch);
                        let goes_on = first.is_some_and(|(hops, _)| legs.contains(hops, 1));
                        looks += if goes_on { topology.links(middle, to).len() } else { 0 };
                    }
                }
                assert_eq!(at_all[to.as_usize()], looks as u64, "from {source} to group {to}");
            }
        }
    }
}
