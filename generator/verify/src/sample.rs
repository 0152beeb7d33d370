//! The sample of pairs of switches whose routes of sets are checked one by one, if all pairs are too many.
//!
//! Whether a pair is in the sample follows from the seed and the pair alone, so the sample takes no memory. It contains
//! at least one pair of each source switch.

use super::VerifySettings;
use super::crossings::most_walks;
use super::packet::BootedSwitches;
use tvlb_schema::{Dragonfly, EndSwitches, SwitchId};

/// How many candidates for routes are tried for each VLB walk that may be checked against a rule: a try takes a small
/// part of the time of a walk.
const LOOKS_PER_WALK: u64 = 16;
/// The fewest walks of a pair in the sample, and the fewest tries for its routes.
const LEAST_WALKS: u64 = 4096;
const LEAST_LOOKS: u64 = 1 << 20;
/// The most tries for the routes of a pair: the datapath lists them without a chance to stop.
const MOST_LOOKS: u64 = 1 << 25;

/// How much of the routes of sets is checked.
pub(super) struct Sample {
    /// `None` for all routes of all pairs.
    limits: Option<Limits>,
    pub(super) seed: u64,
    df: Dragonfly,
    /// All switches with nodes, in order; and for each group the position of its first one among them.
    switches: Vec<SwitchId>,
    first_of: Vec<usize>,
}

/// The limits for each source switch, if not everything is checked.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// A pair is in the sample if its hash is below this.
    below: u64,
    /// About how many routes of a pair's set are walked.
    walks_of_pair: u64,
    /// The most candidates for routes of a pair.
    looks_of_pair: u64,
    /// The tries of a source switch for routes by which its image's shapes are checked.
    looks_of_switch: u64,
}

impl Sample {
    pub(super) fn new(fabric: &BootedSwitches<'_>, settings: VerifySettings) -> Self {
        let switches = fabric.ends.iter().count() as u64;
        let all = most_walks(fabric);
        let most = settings.most_walks;
        let limits = (all > u128::from(most)).then(|| {
            let sources = switches.max(1);
            let pairs = u128::from(sources) * u128::from(switches.saturating_sub(1).max(1));
            // As many pairs as the share of the walks, if that many can be searched for routes.
            let share = pairs * u128::from(most) / all;
            let cells = u128::from(cells_of_pair(fabric).max(1));
            let searched = u128::from(most) * u128::from(LOOKS_PER_WALK) / cells;
            let wanted = share.min(searched).max(u128::from(sources));
            let below = ((wanted - u128::from(sources)) << 64) / pairs;
            let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
            let looks = most.saturating_mul(LOOKS_PER_WALK);
            Limits {
                below: u64::try_from(below).unwrap_or(u64::MAX),
                walks_of_pair: (most / wanted).max(LEAST_WALKS),
                looks_of_pair: (looks / wanted).clamp(LEAST_LOOKS, MOST_LOOKS),
                looks_of_switch: (looks / sources).max(LEAST_WALKS),
            }
        });
        Self::of(&fabric.df, &fabric.ends, limits, settings.seed)
    }

    fn of(df: &Dragonfly, ends: &EndSwitches, limits: Option<Limits>, seed: u64) -> Self {
        let switches: Vec<SwitchId> = ends.iter().collect();
        let first_of_group = |group| switches.partition_point(|&s| df.place(s).0 < group);
        let first_of = df.group_numbers().map(first_of_group).collect();
        Self { limits, seed, df: *df, switches, first_of }
    }

    /// Whether every route of every pair is checked.
    pub(super) fn is_exhaustive(&self) -> bool {
        self.limits.is_none()
    }

    /// Whether the routes of a pair are checked.
    pub(super) fn has(&self, from: SwitchId, to: SwitchId) -> bool {
        self.limits.is_none_or(|limits| {
            hash(self.seed, u32::from(from.0) << 16 | u32::from(to.0)) < limits.below
                || self.always(from) == to
        })
    }

    /// The destination in another group that is always checked for a source.
    fn always(&self, from: SwitchId) -> SwitchId {
        let group = self.df.place(from).0.as_usize();
        let first = self.first_of[group];
        let of_group =
            self.first_of.get(group + 1).map_or(self.switches.len(), |&next| next) - first;
        let others = (self.switches.len() - of_group) as u64;
        let random = hash(!self.seed, from.0.into()) >> 32;
        let number = usize::try_from((random * others) >> 32).unwrap_or(0);
        let place = if number < first { number } else { number + of_group };
        self.switches.get(place).map_or(from, |&to| to)
    }

    /// Those routes of a pair are walked whose hash is below this.
    pub(super) fn walks_below(&self, walks: u64) -> u64 {
        match self.limits {
            Some(limits) if walks > limits.walks_of_pair => {
                let below = (u128::from(limits.walks_of_pair) << 64) / u128::from(walks);
                u64::try_from(below).unwrap_or(u64::MAX)
            }
            _ => u64::MAX,
        }
    }

    /// Whether to count the routes of a pair, given the number of cells in which they are found.
    pub(super) fn counts_routes(&self, cells: u64) -> bool {
        self.limits.is_none_or(|limits| cells <= limits.looks_of_pair)
    }

    /// How many routes of a source switch are tried to check its shapes.
    pub(super) fn looks_of_switch(&self) -> u64 {
        self.limits.map_or(u64::MAX, |limits| limits.looks_of_switch)
    }
}

/// The most places that the datapath searches for the routes of a pair.
pub(super) fn cells_of_pair(fabric: &BootedSwitches<'_>) -> u64 {
    let df = &fabric.df;
    let most_links = fabric.switches[0].image().fabric().most_links();
    u64::from(df.ports_per_group()) * u64::from(most_links) * u64::from(df.a())
}

/// A hash of a number, evenly spread over 64 bits (Steele, Lea and Flood, OOPSLA 2014).
pub(super) fn hash(seed: u64, number: u32) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(u64::from(number) + 1));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Nodes;

    fn sample(below: u64, seed: u64) -> Sample {
        let limits = Limits { below, walks_of_pair: 100, looks_of_pair: 100, looks_of_switch: 1 };
        let df = Dragonfly::new(13, 26, 13, 27).unwrap();
        Sample::of(&df, &Nodes::from(&df).ends(), Some(limits), seed)
    }

    #[test]
    fn one_pair_of_each_source_is_always_there_and_leaves_its_group() {
        for seed in 0..20 {
            let sample = sample(0, seed);
            for from in 0..702 {
                let pairs: Vec<u16> =
                    (0..702).filter(|&to| sample.has(SwitchId(from), SwitchId(to))).collect();
                assert_eq!(pairs.len(), 1);
                assert_ne!(pairs[0] / 26, from / 26);
            }
        }
    }

    #[test]
    fn a_share_of_the_pairs_is_there() {
        let all = 702.0 * 701.0;
        let there = |sample: &Sample| {
            let pairs = (0..702_u16).flat_map(|from| (0..702_u16).map(move |to| (from, to)));
            pairs
                .filter(|&(from, to)| from != to && sample.has(SwitchId(from), SwitchId(to)))
                .count()
        };
        #[expect(clippy::cast_precision_loss, reason = "half a million")]
        let share = (there(&sample(u64::MAX / 10, 1)) as f64 - 702.0) / all;
        assert!((share - 0.1).abs() < 0.005, "{share}");
        assert_ne!(there(&sample(u64::MAX / 10, 1)), there(&sample(u64::MAX / 10, 2)));
    }

    #[test]
    fn a_part_of_many_walks_is_walked() {
        let sample = sample(0, 1);
        assert_eq!(sample.walks_below(100), u64::MAX);
        assert_eq!(sample.walks_below(400), 1 << 62);
    }
}
