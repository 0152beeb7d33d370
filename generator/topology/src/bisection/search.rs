//! The least cut of all splits into halves, by branch and bound: the half of one switch after the other is
//! decided, the most promising decisions first, and decisions whose bound is no less than the best cut are
//! dropped.

use super::alike;
use super::bound::{Bounds, Half};
use super::weighted::Weighted;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tvlb_base::progress::{Cancelled, Progress};

/// The most switches that a search takes on.
pub(super) const MOST_SWITCHES: usize = 128;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The best split, if it is better than the one from which the search began.
    pub(super) is_first: Option<Vec<bool>>,
    /// A weight that no split cuts less of.
    pub(super) lower: i64,
    /// Whether the search came to its end.
    pub(super) is_done: bool,
    /// How many decisions were looked at.
    pub(super) steps: u64,
}

/// Some switches with a half, by bits, under their bound. The order is the order of the search: the least
/// bound first, then the most decisions, then the earliest.
type Open = (Reverse<i64>, u32, Reverse<u64>, [u128; 2]);

/// Looks for splits that cut less than `known`, within a number of steps.
pub(super) fn search(
    weighted: &Weighted,
    known: i64,
    most_steps: u64,
    progress: &dyn Progress,
) -> Result<Found, Cancelled> {
    let count = weighted.switches.len();
    let mut bounds = Bounds::new(weighted);
    let mut halves = vec![Half::Open; count];
    if count > MOST_SWITCHES {
        let lower = alike::least_cut(weighted, progress)?;
        let lower = lower.unwrap_or_else(|| bounds.least_inner_cut()).min(known);
        return Ok(Found { is_first: None, lower, is_done: lower == known, steps: 0 });
    }
    let root = bounds.least_cut(&halves, known);
    let mut open: BinaryHeap<Open> = BinaryHeap::from([(Reverse(root), 0, Reverse(0), [0; 2])]);
    let (mut best, mut is_first, mut steps) = (known, None, 0);
    while let Some((Reverse(bound), decided, _, sets)) = open.pop() {
        if bound >= best {
            break;
        }
        if steps >= most_steps {
            return Ok(Found { is_first, lower: bound, is_done: false, steps });
        }
        progress.check()?;
        show(sets, &mut halves);
        bounds.count_links(&halves);
        let vertex = next_vertex(weighted, &bounds, &halves);
        let sizes = [weighted.half(), count - weighted.half()];
        for half in 0..2 {
            // The halves of an even number of switches can be exchanged.
            if decided == 0 && half == 1 && count.is_multiple_of(2) {
                continue;
            }
            let mut sets = sets;
            sets[half] |= 1 << vertex;
            let full = |half: usize| sets[half].count_ones() as usize == sizes[half];
            if sets[half].count_ones() as usize > sizes[half] {
                continue;
            }
            let all = u128::MAX >> (MOST_SWITCHES - count);
            // Where one half is full, the others are in the other half.
            if full(0) {
                sets[1] = all & !sets[0];
            } else if full(1) {
                sets[0] = all & !sets[1];
            }
            show(sets, &mut halves);
            let bound = bounds.least_cut(&halves, best).max(bound);
            steps += 1;
            if bound >= best {
                continue;
            }
            let decided = sets[0].count_ones() + sets[1].count_ones();
            if decided as usize == count {
                best = bound;
                is_first = Some(halves.iter().map(|half| *half == Half::First).collect());
            } else {
                open.push((Reverse(bound), decided, Reverse(steps), sets));
            }
        }
    }
    Ok(Found { is_first, lower: best, is_done: true, steps })
}

fn show(sets: [u128; 2], halves: &mut [Half]) {
    for (vertex, half) in halves.iter_mut().enumerate() {
        *half = match sets.map(|set| set >> vertex & 1) {
            [1, _] => Half::First,
            [_, 1] => Half::Second,
            _ => Half::Open,
        };
    }
}

/// The switch to decide next: of the first group that is begun and not done, or else of the first with open
/// switches, the one that cuts most if it is in the wrong half.
fn next_vertex(weighted: &Weighted, bounds: &Bounds<'_>, halves: &[Half]) -> usize {
    let is_open = |vertex: &usize| halves[*vertex] == Half::Open;
    let with_open = weighted.groups.iter().filter(|group| (*group).clone().any(|v| is_open(&v)));
    let begun = with_open.clone().find(|group| !(*group).clone().all(|vertex| is_open(&vertex)));
    let group = begun.or_else(|| with_open.clone().next()).expect("a switch is open").clone();
    let weight = |vertex: &usize| {
        let [first, second] = bounds.to_decided[*vertex];
        ((first - second).abs(), Reverse(*vertex))
    };
    group.filter(is_open).max_by_key(weight).expect("the group has an open switch")
}
