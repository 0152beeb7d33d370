//! The rule of the grammar that means a list of routes.
//!
//! A route belongs to a fraction of its shape exactly if a number that follows from the seed and the route
//! alone is small enough. So for each shape the fraction is found by which the list and the rule differ
//! least, and the weights by the ratios of the probabilities of shapes. Then the list is read again and
//! held against what the rule draws, route by route: a rule that is found means the list exactly. Sets of
//! intermediate switches are tried where no set of routes means it.

use super::route_list::{ListedPair, RouteList, RouteListError};
use std::path::Path;
use tvlb_schema::{DrawRule, GlobalPort, Keep, LegHops, SetRule, Shape, SwitchId};
use tvlb_table_set::grammar::canonical;
use tvlb_topology::Topology;
use tvlb_topology::routes::drawn::DrawnPaths;
use tvlb_topology::routes::enumerate::VlbRoute;

/// Two probabilities count as equal that differ by at most this part of the larger one,
const RELATIVE_TOLERANCE: f64 = 1e-6;
/// or by this in addition: what is lost where a list has nine decimals.
const ABSOLUTE_TOLERANCE: f64 = 1e-9;
/// Ratios of weights are tried with denominators up to this.
const MOST_DENOMINATOR: u32 = 1000;

/// What a list of routes means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub rule: SetRule,
    /// Listed pairs of switches of different groups.
    pub pairs: u64,
    /// Listed routes between them.
    pub routes: u64,
}

/// Why there is no rule.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error(transparent)]
    List(#[from] RouteListError),
    #[error("{path}: it lists no pair of switches of different groups, accepted at least one")]
    Empty { path: String },
    #[error("{first}; no set of the grammar means the list, and {nearest}")]
    None { first: String, nearest: String },
}

/// Looks for the rule that means a list of routes on a fabric, where `seed` decides fractions.
///
/// # Errors
/// A route that is none on this fabric, or a list that no rule means.
pub fn find(path: &Path, topology: &Topology, seed: u64) -> Result<Found, FindError> {
    let list = RouteList { path, topology };
    let mut seen = Seen::new(seed);
    list.for_each(|pair| {
        seen.add(topology, pair);
        Ok::<_, FindError>(())
    })?;
    if seen.pairs == 0 {
        return Err(FindError::Empty { path: path.display().to_string() });
    }
    let found = |rule| Found { rule, pairs: seen.pairs, routes: seen.routes };
    let rule = seen.rule();
    let Some(first) = first_difference(list, &rule)? else { return Ok(found(rule)) };
    for rule in sets_of_switches(seed) {
        if first_difference(list, &rule)?.is_none() {
            return Ok(found(rule));
        }
    }
    let [missing, more] = seen.distance(&rule);
    let nearest = format!(
        "the nearest is {:?}, which lacks {missing} of the {} listed routes and has {more} that are not listed",
        canonical(&rule),
        seen.routes
    );
    Err(FindError::None { first, nearest })
}

/// Every set of intermediate switches, with returns and without.
fn sets_of_switches(seed: u64) -> impl Iterator<Item = SetRule> {
    let legs = (1..1_u16 << 9).filter_map(LegHops::from_bits);
    legs.flat_map(move |legs| {
        [false, true].map(|returns| SetRule { seed, ..SetRule::by_switch(legs, returns) })
    })
}

/// What was seen of the routes of one shape.
#[derive(Clone)]
struct OfShape {
    /// By the least fraction in parts of 10 000 that keeps them, how many routes are listed.
    listed: Vec<u64>,
    /// The same of those that are not.
    unlisted: Vec<u64>,
    /// The weight in proportion to that of the first shape with one.
    weight: Option<f64>,
}

struct Seen {
    seed: u64,
    pairs: u64,
    routes: u64,
    shapes: Vec<OfShape>,
    /// Whether all routes of each pair are equally likely.
    is_uniform: bool,
    /// Walks that come back, which no set of routes has.
    returning: u64,
}

impl Seen {
    fn new(seed: u64) -> Self {
        let counts = vec![0; usize::from(Keep::ALL.parts()) + 1];
        let none = OfShape { listed: counts.clone(), unlisted: counts, weight: None };
        let shapes = vec![none; Shape::COUNT];
        Self { seed, pairs: 0, routes: 0, shapes, is_uniform: true, returning: 0 }
    }

    fn add(&mut self, topology: &Topology, pair: &ListedPair) {
        let df = topology.dragonfly();
        self.pairs += 1;
        self.returning += pair.returning.len() as u64;
        let (mut of_shape, mut most, mut least) = ([0.0; Shape::COUNT], 0.0_f64, 1.0_f64);
        for (route, listed) in pair.routes.iter().zip(&pair.listed) {
            let shape = route.shape.number();
            let key = route.route.key(df, pair.source, pair.destination);
            let parts = least_keep(self.seed, key);
            let counts = &mut self.shapes[shape];
            match listed {
                None => counts.unlisted[parts] += 1,
                Some(probability) => {
                    counts.listed[parts] += 1;
                    self.routes += 1;
                    of_shape[shape] += probability;
                    (most, least) = (most.max(*probability), least.min(*probability));
                }
            }
        }
        self.routes += pair.returning.len() as u64;
        if !pair.has_probabilities {
            return;
        }
        self.is_uniform &= most == 0.0 || are_equal(least, most);
        // The weights of shapes in proportion to those that are known already.
        let known =
            (0..Shape::COUNT).find(|&n| of_shape[n] > 0.0 && self.shapes[n].weight.is_some());
        let known = match known {
            Some(shape) => shape,
            None if self.shapes.iter().any(|counts| counts.weight.is_some()) => return,
            None => match of_shape.iter().position(|&sum| sum > 0.0) {
                Some(shape) => {
                    self.shapes[shape].weight = Some(1.0);
                    shape
                }
                None => return,
            },
        };
        let unit = of_shape[known] / self.shapes[known].weight.unwrap_or(1.0);
        for (counts, sum) in self.shapes.iter_mut().zip(of_shape) {
            if sum > 0.0 && counts.weight.is_none() {
                counts.weight = Some(sum / unit);
            }
        }
    }

    /// The set of routes that is nearest.
    fn rule(&self) -> SetRule {
        let mut keep = [Keep::NONE; Shape::COUNT];
        for (keep, counts) in keep.iter_mut().zip(&self.shapes) {
            *keep = counts.nearest();
        }
        let draw = if self.is_uniform { DrawRule::ByRoute } else { self.by_shape(&keep) };
        SetRule { keep, draw, seed: self.seed }
    }

    /// Drawn by shape, with whole weights that have the ratios that were seen.
    fn by_shape(&self, keep: &[Keep; Shape::COUNT]) -> DrawRule {
        let of = |number: usize| self.shapes[number].weight.unwrap_or(1.0);
        let kept = || (0..Shape::COUNT).filter(|&number| keep[number] > Keep::NONE);
        let least = kept().map(of).fold(f64::INFINITY, f64::min);
        let is_whole = |factor: u32| {
            let near = |number| {
                let weight = of(number) / least * f64::from(factor);
                (weight - weight.round()).abs() <= 1e-3 * weight.max(1.0)
            };
            kept().all(near)
        };
        let factor = (1..=MOST_DENOMINATOR).find(|&factor| is_whole(factor)).unwrap_or(1);
        let mut weights = [0; Shape::COUNT];
        for number in kept() {
            let weight = (of(number) / least * f64::from(factor)).round();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to what a weight can be"
            )]
            let weight = weight.clamp(1.0, f64::from(u16::MAX)) as u16;
            weights[number] = weight;
        }
        DrawRule::ByShape { weights }
    }

    /// How many listed routes a set of routes lacks, and how many it has that are not listed.
    fn distance(&self, rule: &SetRule) -> [u64; 2] {
        let mut distance = [self.returning, 0];
        for shape in Shape::all() {
            let parts = usize::from(rule.keep_of(shape).parts());
            let counts = &self.shapes[shape.number()];
            distance[0] += counts.listed[parts + 1..].iter().sum::<u64>();
            distance[1] += counts.unlisted[..=parts].iter().sum::<u64>();
        }
        distance
    }
}

impl OfShape {
    /// The fraction by which list and rule differ least: nothing or the whole if these are among them, else
    /// one of the fewest digits.
    fn nearest(&self) -> Keep {
        let total: u64 = self.listed.iter().sum();
        // Nothing is kept: all that is listed is missing.
        let (mut difference, mut differences) = (total, vec![(total, 0_u16)]);
        for parts in 1..=Keep::ALL.parts() {
            let number = usize::from(parts);
            difference = difference + self.unlisted[number] - self.listed[number];
            if Keep::new(parts).is_some() {
                differences.push((difference, parts));
            }
        }
        let digits = |parts: u16| match parts {
            0 | 10_000 => 0,
            parts if parts % 1000 == 0 => 1,
            parts if parts % 100 == 0 => 2,
            parts if parts % 10 == 0 => 3,
            _ => 4,
        };
        let nearest = differences
            .into_iter()
            .min_by_key(|&(difference, parts)| (difference, digits(parts), parts));
        nearest.and_then(|(_, parts)| Keep::new(parts)).unwrap_or(Keep::NONE)
    }
}

fn are_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * one.max(other)
}

/// The least fraction, in parts of 10 000, that keeps the route with this key.
fn least_keep(seed: u64, key: tvlb_schema::RouteKey) -> usize {
    let shape = Shape::all().next().expect("there are twelve shapes");
    let is_kept = |parts: u16| {
        let Some(fraction) = Keep::new(parts) else { return false };
        let mut keep = [Keep::NONE; Shape::COUNT];
        keep[shape.number()] = fraction;
        SetRule { keep, draw: DrawRule::ByRoute, seed }.keeps(shape, key)
    };
    // With one seed a smaller fraction lies within a larger.
    let (mut not, mut kept) = (0, Keep::ALL.parts());
    while kept - not > 1 {
        let middle = u16::midpoint(not, kept);
        if is_kept(middle) { kept = middle } else { not = middle }
    }
    usize::from(kept)
}

/// The first route in which a list and a rule differ, with its line.
fn first_difference(list: RouteList<'_>, rule: &SetRule) -> Result<Option<String>, FindError> {
    /// Ends the reading at the first difference.
    enum End {
        Difference(String),
        Error(RouteListError),
    }
    impl From<RouteListError> for End {
        fn from(error: RouteListError) -> Self {
            Self::Error(error)
        }
    }
    let compared = list.for_each(|pair| match difference(list.topology, pair, rule) {
        None => Ok(()),
        Some(why) => Err(End::Difference(list.wrong(pair.line, why).to_string())),
    });
    match compared {
        Ok(()) => Ok(None),
        Err(End::Difference(first)) => Ok(Some(first)),
        Err(End::Error(error)) => Err(error.into()),
    }
}

/// What differs between the listed routes of a pair and those that a rule draws.
fn difference(topology: &Topology, pair: &ListedPair, rule: &SetRule) -> Option<String> {
    let ListedPair { source, destination, routes, listed, returning, has_probabilities, .. } = pair;
    let drawn = DrawnPaths::new(topology, rule, *source, *destination).vlb;
    let in_words = |switches: &[SwitchId]| {
        let numbers: Vec<u16> = switches.iter().map(|switch| switch.0).collect();
        format!("route {numbers:?} of {source} to {destination}")
    };
    let set = canonical(rule);
    let compare = |switches: &[SwitchId], listed: Option<f64>, own: Option<f64>| match (listed, own)
    {
        (Some(listed), Some(own)) => {
            let is_near = !has_probabilities || are_equal(listed, own);
            (!is_near).then(|| {
                format!("{} has the probability {listed}, and {own} in {set:?}", in_words(switches))
            })
        }
        (Some(_), None) => Some(format!("{} is listed, and not in {set:?}", in_words(switches))),
        (None, Some(_)) => Some(format!("{} is not listed, but in {set:?}", in_words(switches))),
        (None, None) => None,
    };
    // Both are by rising intermediate group, ports and detour; a walk that comes back is among the drawn
    // ones of sets of switches alone.
    let mut own = vec![None; routes.len()];
    let mut own_returning = Vec::new();
    let mut position = 0;
    for path in &drawn {
        let (x, y) = (path.x.unwrap_or_default(), path.y.unwrap_or_default());
        if path.switches.revisits() {
            own_returning.push(((path.switches, x, y), path.probability));
            continue;
        }
        let is_same = |route: &VlbRoute| {
            (route.route.x, route.route.y, route.route.detour) == (x, y, path.detour)
        };
        let further = routes[position..].iter().position(is_same);
        position += further.expect("what a rule draws is a route, in the same order");
        own[position] = Some(path.probability);
    }
    let of_routes = routes.iter().zip(listed).zip(&own);
    let of_routes = of_routes
        .map(|((route, listed), own)| compare(route.walk.switches(), *listed, *own))
        .find_map(|found| found);
    let find = |walk: &(_, GlobalPort, GlobalPort)| {
        own_returning.iter().find(|(other, _)| other == walk).map(|(_, own)| *own)
    };
    let of_returning = || {
        let listed = returning.iter().map(|(walk, listed)| (walk, Some(*listed), find(walk)));
        let not_listed = own_returning.iter().filter(|(walk, _)| !returning.contains_key(walk));
        let not_listed = not_listed.map(|(walk, own)| (walk, None, Some(*own)));
        listed
            .chain(not_listed)
            .find_map(|(walk, listed, own)| compare(walk.0.switches(), listed, own))
    };
    of_routes.or_else(of_returning)
}
