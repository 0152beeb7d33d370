//! How much every split must cut whose first switches are decided, by counting alone.
//!
//! Only how many switches of each group are in the first half enters (x of a group's a), and these add up to
//! half of all switches. Three things are counted:
//!
//! - A group with x switches in the first half cuts x·(a − x) times its base.
//! - An undecided switch cuts its links to those decided switches that are in the other half. If x is given,
//!   the least of it follows from the switches' differences, sorted.
//! - Groups with x < a/2 (*low* groups) and groups with x > a/2 (*high* groups) share links. A link between a
//!   low and a high group is whole only if it ends at one of the x switches of the low group that are in the
//!   first half, or at one of the a − x switches of the high group that are not. So of all links between low
//!   and high groups those are cut that are more than these few switches have.
//!
//! The third is never less than nothing, so the first two with any share of it, from 0 to 1, are a bound too,
//! and a share below 1 is worth more where the few switches have so many links that the difference is
//! negative. For each share the least over all ways to share out the switches is found by dynamic programming,
//! by numbers of low and high groups; for each pair of these numbers the best share counts.

use super::weighted::{Weighted, number};

/// A share of the links between low and high groups is so many parts of this.
pub(super) const PARTS: i64 = 16;

/// No way to share out the switches.
pub(super) const NONE: i64 = i64::MAX / 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    First,
    Second,
    Open,
}

/// What the bound works with, allocated once.
pub(super) struct Bounds<'w> {
    weighted: &'w Weighted,
    /// Of each vertex, the weight of its links to switches of the first and of the second half.
    pub(super) to_decided: Vec<[i64; 2]>,
    /// By group, the least that it can cut by x: from the decided switches up.
    costs: Vec<Vec<i64>>,
    /// The shares that are tried, in parts.
    shares: [i64; SHARES],
}

/// How many shares are tried where some switches are decided.
const SHARES: usize = 3;

impl<'w> Bounds<'w> {
    pub(super) fn new(weighted: &'w Weighted) -> Self {
        Self {
            weighted,
            to_decided: vec![[0; 2]; weighted.switches.len()],
            costs: vec![Vec::new(); weighted.groups.len()],
            shares: [0, neutral(weighted), PARTS],
        }
    }

    /// A weight that every split cuts which has the decided switches in these halves. Where `enough` is
    /// reached, the bound may be less than it could be.
    pub(super) fn least_cut(&mut self, halves: &[Half], enough: i64) -> i64 {
        let decided = self.count_links(halves);
        self.count_groups(halves);
        let open: Vec<usize> = (0..self.costs.len())
            .filter(|&group| {
                self.weighted.groups[group].clone().all(|vertex| halves[vertex] == Half::Open)
            })
            .collect();
        let first = halves.iter().filter(|half| **half == Half::First).count();
        let wanted = self.weighted.half().saturating_sub(first);
        let plain = decided + self.share_out(wanted);
        if plain >= enough || open.len() < 2 {
            return plain;
        }
        decided + self.share_out_with_crossings(halves, &open, wanted)
    }

    /// The same before any switch is decided, and without the links between groups: the least that groups cut
    /// within.
    pub(super) fn least_inner_cut(&mut self) -> i64 {
        self.count_groups(&vec![Half::Open; self.weighted.switches.len()]);
        self.share_out(self.weighted.half())
    }

    /// The weight that is cut between decided switches, besides bases; and what each open switch has to
    /// either half.
    pub(super) fn count_links(&mut self, halves: &[Half]) -> i64 {
        let mut cut = 0;
        for (vertex, to_decided) in self.to_decided.iter_mut().enumerate() {
            *to_decided = [0; 2];
            for &(other, weight) in self.weighted.others.neighbours(number(vertex)) {
                let weight = i64::try_from(weight).expect("links weigh little");
                match halves[other as usize] {
                    Half::First => to_decided[0] += weight,
                    Half::Second => to_decided[1] += weight,
                    Half::Open => {}
                }
            }
            if halves[vertex] == Half::First {
                cut += to_decided[1];
            }
        }
        cut
    }

    fn count_groups(&mut self, halves: &[Half]) {
        for ((group, costs), base) in
            self.weighted.groups.iter().zip(&mut self.costs).zip(&self.weighted.base)
        {
            let first = group.clone().filter(|&vertex| halves[vertex] == Half::First).count();
            let open = group.clone().filter(|&vertex| halves[vertex] == Half::Open);
            let mut sum: i64 = open.clone().map(|vertex| self.to_decided[vertex][0]).sum();
            let mut differences: Vec<i64> = open
                .map(|vertex| self.to_decided[vertex][1] - self.to_decided[vertex][0])
                .collect();
            differences.sort_unstable();
            let inner = |x: usize| {
                let pairs = x * (group.len() - x);
                base * i64::try_from(pairs).expect("groups are small")
            };
            costs.clear();
            costs.push(sum + inner(first));
            for (more, difference) in (1..).zip(differences) {
                sum += difference;
                costs.push(sum + inner(first + more));
            }
        }
    }

    /// The least cost of all groups if `wanted` open switches are in the first half.
    fn share_out(&self, wanted: usize) -> i64 {
        let mut best = vec![NONE; wanted + 1];
        best[0] = 0;
        for costs in &self.costs {
            for sum in (0..=wanted).rev() {
                let ways = costs.iter().zip((0..=sum).rev().map(|rest| best[rest]));
                best[sum] = ways.map(|(cost, rest)| cost + rest).min().unwrap_or(NONE);
            }
        }
        best[wanted]
    }

    /// The same, where links between low and high groups count too.
    fn share_out_with_crossings(&self, halves: &[Half], open: &[usize], wanted: usize) -> i64 {
        let (between, _) = between(self.weighted, open).unwrap_or((0, 0));
        let count = open.len();
        // By low groups, high groups and switches in the first half.
        let place =
            |low: usize, high: usize, sum: usize| (low * (count + 1) + high) * (wanted + 1) + sum;
        let mut best = vec![[NONE; SHARES]; (count + 1) * (count + 1) * (wanted + 1)];
        best[0] = [0; SHARES];
        let mut done = 0;
        for (group, costs) in self.costs.iter().enumerate() {
            let is_open = |vertex: usize| halves[vertex] == Half::Open;
            let saved = open.contains(&group).then(|| saved(self.weighted, group, is_open));
            let size = self.weighted.groups[group].len();
            let mut next = vec![[NONE; SHARES]; best.len()];
            for low in 0..=done {
                for high in 0..=done - low {
                    for sum in 0..=wanted {
                        let so_far = best[place(low, high, sum)];
                        if so_far[0] >= NONE {
                            continue;
                        }
                        for (x, cost) in costs.iter().enumerate().take(wanted - sum + 1) {
                            let (low, high, saved) = match &saved {
                                Some(saved) if 2 * x < size => (low + 1, high, saved[x]),
                                Some(saved) if 2 * x > size => (low, high + 1, saved[size - x]),
                                _ => (low, high, 0),
                            };
                            let cell = &mut next[place(low, high, sum + x)];
                            for ((cell, so_far), share) in
                                cell.iter_mut().zip(so_far).zip(self.shares)
                            {
                                *cell = (*cell).min(so_far + PARTS * cost - share * saved);
                            }
                        }
                    }
                }
            }
            done += usize::from(saved.is_some());
            best = next;
        }
        let all = (0..=count).flat_map(|low| (0..=count - low).map(move |high| (low, high)));
        let cut = all.map(|(low, high)| {
            let crossings = i64::try_from(low * high).expect("groups are few");
            let costs = best[place(low, high, wanted)].into_iter().zip(self.shares);
            let bounds =
                costs.map(|(cost, share)| cost.saturating_add(share * between * crossings));
            bounds.max().expect("there is a share")
        });
        whole(cut.min().unwrap_or(NONE))
    }
}

/// The least and the most weight between any two of these groups, if there are two and the least is not
/// nothing.
pub(super) fn between(weighted: &Weighted, groups: &[usize]) -> Option<(i64, i64)> {
    let (mut least, mut most) = (i64::MAX, 0);
    let mut weights = vec![0; weighted.groups.len()];
    for (place, &one) in groups.iter().enumerate() {
        weights.fill(0);
        for vertex in weighted.groups[one].clone() {
            for &(other, weight) in weighted.others.neighbours(number(vertex)) {
                weights[weighted.group_of(other as usize)] +=
                    i64::try_from(weight).expect("links weigh little");
            }
        }
        for &other in &groups[place + 1..] {
            (least, most) = (least.min(weights[other]), most.max(weights[other]));
        }
    }
    (least > 0 && most > 0).then_some((least, most))
}

/// By number of switches, the most weight to open switches of other groups that so many of a group's switches
/// have.
pub(super) fn saved(
    weighted: &Weighted,
    group: usize,
    is_open: impl Fn(usize) -> bool,
) -> Vec<i64> {
    let range = weighted.groups[group].clone();
    let to_others = |vertex: usize| {
        let open =
            weighted.others.neighbours(number(vertex)).iter().filter(|(other, _)| {
                is_open(*other as usize) && !range.contains(&(*other as usize))
            });
        open.map(|(_, weight)| i64::try_from(*weight).expect("links weigh little")).sum()
    };
    let mut weights: Vec<i64> = range.clone().map(to_others).collect();
    weights.sort_unstable_by(|one, other| other.cmp(one));
    let mut sums = vec![0];
    for weight in weights {
        sums.push(sums[sums.len() - 1] + weight);
    }
    sums
}

/// The greatest share with which no low or high group gains anything by switches on its lesser side.
fn neutral(weighted: &Weighted) -> i64 {
    let gains = |share: i64| {
        (0..weighted.groups.len()).any(|group| {
            let (size, base) = (weighted.groups[group].len(), weighted.base[group]);
            let saved = saved(weighted, group, |_| true);
            (0..size.div_ceil(2)).any(|y| {
                let pairs = i64::try_from(y * (size - y)).expect("groups are small");
                PARTS * base * pairs < share * saved[y]
            })
        })
    };
    (1..=PARTS).rev().find(|share| !gains(*share)).unwrap_or(1)
}

/// The least whole weight that is at least so many parts.
pub(super) fn whole(parts: i64) -> i64 {
    parts.saturating_add(PARTS - 1).div_euclid(PARTS)
}
