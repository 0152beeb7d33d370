//! The bound of `bound.rs` before any switch is decided, on a wiring whose groups are equally large: how many
//! groups have how many switches in the first half is then all that counts, so that hundreds of groups take
//! a moment. It counts a little more: a low group saves no more links than it shares with the high groups, and
//! the reverse.

use super::bound::{NONE, PARTS, between, saved, whole};
use super::weighted::Weighted;
use tvlb_base::progress::{Cancelled, Progress};

/// The most groups: more would take gigabytes.
const MOST_GROUPS: usize = 600;

/// How many steps the sums for one share may take, so that all shares take seconds.
const MOST_STEPS_OF_A_SHARE: usize = 1 << 27;

/// A weight that no split into halves cuts less of, if there are not too many groups and all are equally
/// large.
pub(super) fn least_cut(
    weighted: &Weighted,
    progress: &dyn Progress,
) -> Result<Option<i64>, Cancelled> {
    let count = weighted.groups.len();
    let size = weighted.groups[0].len();
    if count > MOST_GROUPS || weighted.groups.iter().any(|group| group.len() != size) {
        return Ok(None);
    }
    let all: Vec<usize> = (0..count).collect();
    let (between, most_between) = between(weighted, &all).unwrap_or((0, i64::MAX));
    let base = weighted.base.iter().copied().min().unwrap_or(0);
    let mut most_saved = vec![0; size + 1];
    for group in &all {
        let saved = saved(weighted, *group, |_| true);
        for (most, saved) in most_saved.iter_mut().zip(saved) {
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
    Ok(Some(whole(least.unwrap_or(NONE))))
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

/// The least cost of low and of high groups, where the former have `shift` switches more on the lesser side
/// than the latter.
fn least_sum((of_low, low): (&Sums, usize), (of_high, high): (&Sums, usize), shift: i64) -> i64 {
    let (low_costs, high_costs) = (&of_low.costs[low], &of_high.costs[high]);
    let pairs = low_costs.iter().enumerate().filter_map(|(sum, cost)| {
        let of_high = usize::try_from(number(sum) - shift).ok()?;
        Some(cost + high_costs.get(of_high)?)
    });
    pairs.min().unwrap_or(NONE)
}

/// The most that a group can save, by how many groups are on the other side: no more than it shares with
/// them. The last holds for all greater numbers too, and is the only one where more would take too long.
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

fn number(count: usize) -> i64 {
    i64::try_from(count).expect("groups and switches are few")
}
