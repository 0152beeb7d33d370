//! A lower bound of the cut of every split into halves, by counting alone.
//!
//! The bound uses only how many switches of each group are in the first half (x of a group's a), which add up to half
//! of all switches. Two things are counted:
//!
//! - A group with x switches in the first half cuts x·(a − x) times its base.
//! - Groups with x < a/2 (*low* groups) and groups with x > a/2 (*high* groups) share links. A link between a low and a
//!   high group is uncut only if it ends at one of the x switches of the low group that are in the first half, or at
//!   one of the a − x switches of the high group that are not. So of all links between low and high groups those are
//!   cut that exceed the links of these few switches; and a low group saves no more links than it shares with the high
//!   groups, and vice versa.
//!
//! The second is never negative, so the first with any share of it, from 0 to 1, is a bound too, and a share below 1 is
//! better if the few switches have so many links that the difference is negative. For each share the least over all
//! distributions of the switches is found by dynamic programming, by numbers of low and high groups; for each pair of
//! these numbers the best share counts.
//!
//! If groups differ in size, or there are very many, only the first is counted.

use super::weighted::{Weighted, number as vertex_number};
use tvlb_base::progress::{Cancelled, Progress};

/// A share of the links between low and high groups is a number of these parts.
const PARTS: i64 = 16;

/// No way to share out the switches.
const NONE: i64 = i64::MAX / 4;

/// The most groups whose links between them are counted: more would take gigabytes.
const MOST_GROUPS: usize = 600;

/// How many steps the sums for one share may take, so that all shares take seconds.
const MOST_STEPS_OF_A_SHARE: usize = 1 << 27;

/// A weight that no split into halves cuts less of.
pub(super) fn least_cut(weighted: &Weighted, progress: &dyn Progress) -> Result<i64, Cancelled> {
    let count = weighted.groups.len();
    let size = weighted.groups[0].len();
    let are_alike = weighted.groups.iter().all(|group| group.len() == size);
    if count > MOST_GROUPS || !are_alike {
        return Ok(least_inner_cut(weighted));
    }
    let bound = least_cut_of_alike(weighted, (count, size), progress)?;
    Ok(bound.saturating_add(PARTS - 1).div_euclid(PARTS))
}

/// The least that groups cut within.
fn least_inner_cut(weighted: &Weighted) -> i64 {
    let wanted = weighted.half();
    let mut best = vec![NONE; wanted + 1];
    best[0] = 0;
    for (group, base) in weighted.groups.iter().zip(&weighted.base) {
        let inner = |x: usize| base * number(x * (group.len() - x));
        for sum in (0..=wanted).rev() {
            let ways = (0..=sum.min(group.len())).map(|x| inner(x) + best[sum - x]);
            best[sum] = ways.min().unwrap_or(NONE).min(NONE);
        }
    }
    best[wanted]
}

/// A bound, in parts, if this many groups have the same number of switches each: only how many groups have how many in
/// the first half matters then, so that hundreds of groups take a moment.
fn least_cut_of_alike(
    weighted: &Weighted,
    (count, size): (usize, usize),
    progress: &dyn Progress,
) -> Result<i64, Cancelled> {
    let (between, most_between) = between(weighted).unwrap_or((0, i64::MAX));
    let base = weighted.base.iter().copied().min().unwrap_or(0);
    let mut most_saved = vec![0; size + 1];
    for group in 0..count {
        for (most, saved) in most_saved.iter_mut().zip(saved(weighted, group)) {
            *most = saved.max(*most);
        }
    }
    let inner = |x: usize| PARTS * base * number(x * (size - x));
    let most_saved = &most_saved[..size.div_ceil(2)];
    let caps = caps(most_saved, most_between, count);
    // By numbers of low and of high groups; the others are in the middle.
    let mut bounds = vec![0; (count + 1) * (count + 1)];
    for share in 0..=PARTS {
        progress.check()?;
        let with_cap = |cap: &i64| {
            let costs = most_saved.iter().enumerate();
            let costs: Vec<i64> =
                costs.map(|(y, saved)| inner(y) - share * saved.min(cap)).collect();
            Sums::new(&costs, count)
        };
        let sums: Vec<Sums> = caps.iter().map(with_cap).collect();
        // A low group saves links to high groups, and the reverse.
        let towards = |others: usize| &sums[others.min(sums.len() - 1)];
        for low in 0..=count {
            for high in 0..=count - low {
                let middle = count - low - high;
                let bound = &mut bounds[low * (count + 1) + high];
                let in_middle = middle * (size / 2);
                // Of an odd number of switches neither half has as many.
                if in_middle > weighted.half() || (middle > 0 && !size.is_multiple_of(2)) {
                    *bound = NONE;
                    continue;
                }
                // The switches of low groups in the first half, less those of high groups that are not.
                let shift = number(weighted.half() - in_middle) - number(high * size);
                let crossings = share * between * number(low * high);
                let cost = least_sum((towards(high), low), (towards(low), high), shift);
                let cost = cost.saturating_add(crossings);
                *bound = cost.saturating_add(number(middle) * inner(size / 2)).max(*bound);
            }
        }
    }
    let possible = (0..=count).flat_map(|low| (0..=count - low).map(move |high| (low, high)));
    let least = possible.map(|(low, high)| bounds[low * (count + 1) + high]).min();
    Ok(least.unwrap_or(NONE))
}

/// The least costs of some groups by how many switches they have on the lesser side.
struct Sums {
    /// By number of groups, and then by number of switches.
    costs: Vec<Vec<i64>>,
}

impl Sums {
    /// From the costs of one group by number of switches.
    fn new(of_one: &[i64], groups: usize) -> Self {
        let most = of_one.len() - 1;
        let mut costs = vec![vec![0]];
        for count in 1..=groups {
            let last = &costs[count - 1];
            let least = |sum: usize| {
                let ways = of_one.iter().enumerate().take(sum + 1);
                let costs = ways.filter_map(|(y, cost)| Some(last.get(sum - y)? + cost));
                costs.min().expect("each sum up to the most has a way")
            };
            costs.push((0..=count * most).map(least).collect());
        }
        Self { costs }
    }
}

/// The least cost of low and of high groups, if the former have `shift` more switches on the smaller side than the
/// latter.
fn least_sum((of_low, low): (&Sums, usize), (of_high, high): (&Sums, usize), shift: i64) -> i64 {
    let (low_costs, high_costs) = (&of_low.costs[low], &of_high.costs[high]);
    let pairs = low_costs.iter().enumerate().filter_map(|(sum, cost)| {
        let of_high = usize::try_from(number(sum) - shift).ok()?;
        Some(cost + high_costs.get(of_high)?)
    });
    pairs.min().unwrap_or(NONE)
}

/// The most that a group can save, by how many groups are on the other side: no more than it shares with them. The last
/// holds for all greater numbers too, and is the only one if more would take too long.
fn caps(most_saved: &[i64], most_between: i64, groups: usize) -> Vec<i64> {
    let most = most_saved.last().copied().unwrap_or(0);
    let numbers = 0..number(groups);
    let capped: Vec<i64> = numbers
        .map(|others| most_between.saturating_mul(others))
        .take_while(|cap| *cap < most)
        .collect();
    let of_one = (groups * most_saved.len()).pow(2) / 2;
    let can_cap = (capped.len() + 1).saturating_mul(of_one) <= MOST_STEPS_OF_A_SHARE;
    if can_cap { capped.into_iter().chain([most]).collect() } else { vec![most] }
}

/// The least and the most weight between any two groups, if there are two and the least is not nothing.
fn between(weighted: &Weighted) -> Option<(i64, i64)> {
    let (mut least, mut most) = (i64::MAX, 0);
    let mut weights = vec![0; weighted.groups.len()];
    for (place, one) in weighted.groups.iter().enumerate() {
        weights.fill(0);
        for vertex in one.clone() {
            for &(other, weight) in weighted.others.neighbours(vertex_number(vertex)) {
                weights[weighted.group_of(other as usize)] +=
                    i64::try_from(weight).expect("links weigh little");
            }
        }
        for &weight in &weights[place + 1..] {
            (least, most) = (least.min(weight), most.max(weight));
        }
    }
    (least > 0 && most > 0).then_some((least, most))
}

/// By number of switches, the most weight to switches of other groups that this many of a group's switches have.
fn saved(weighted: &Weighted, group: usize) -> Vec<i64> {
    let range = weighted.groups[group].clone();
    let to_others = |vertex: usize| {
        let neighbours = weighted.others.neighbours(vertex_number(vertex)).iter();
        let others = neighbours.filter(|(other, _)| !range.contains(&(*other as usize)));
        others.map(|(_, weight)| i64::try_from(*weight).expect("links weigh little")).sum()
    };
    let mut weights: Vec<i64> = range.clone().map(to_others).collect();
    weights.sort_unstable_by(|one, other| other.cmp(one));
    let mut sums = vec![0];
    for weight in weights {
        sums.push(sums[sums.len() - 1] + weight);
    }
    sums
}

fn number(count: usize) -> i64 {
    i64::try_from(count).expect("groups and switches are few")
}
