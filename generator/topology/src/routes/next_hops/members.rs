//! The members of a next-hop group: few ports with small integer weights, instead of exact shares.

use serde::Serialize;
use std::cmp::Reverse;

/// What the hardware of a switch can hold for one list of next hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberLimits {
    /// The sum of the weights of a list that is not empty, at least 1.
    pub weight_sum: u32,
    /// The most ports that a list may have, at least 1.
    pub members: u32,
}

impl Default for MemberLimits {
    /// As many members as there are ports, with weights in parts of 10000.
    fn default() -> Self {
        Self { weight_sum: 10_000, members: u32::MAX }
    }
}

/// Weights of the ports of one list, and their loss.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Apportioned {
    /// By port; 0 for a port that is no member.
    pub weights: Vec<u32>,
    /// The total variation distance between the shares and the weights, from 0 to 1: the part of all packets that
    /// takes another port.
    pub lost: f64,
}

/// The loss of integer weights against the drawn distributions, over the lists of one switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Lost {
    /// The mean over all lists that are not empty, in percent of a list's packets.
    pub mean_percent: f64,
    /// That of the list that loses the most.
    pub worst_percent: f64,
    /// Ports with a share that are no members, summed over lists.
    pub ports_left_out: u32,
}

impl Lost {
    pub(super) fn over(lists: &[Apportioned]) -> Self {
        let (mut lost, mut count, mut sum) = (Self::default(), 0_u32, 0.0);
        for list in lists.iter().filter(|list| !list.weights.is_empty()) {
            let left_out = list.weights.iter().filter(|&&weight| weight == 0).count();
            lost.ports_left_out += u32::try_from(left_out).expect("a switch has at most 256 ports");
            lost.worst_percent = lost.worst_percent.max(in_percent(list.lost));
            (count, sum) = (count + 1, sum + list.lost);
        }
        lost.mean_percent = if count == 0 { 0.0 } else { in_percent(sum / f64::from(count)) };
        lost
    }
}

/// In percent, to four decimals.
fn in_percent(part: f64) -> f64 {
    (part * 1e6).round() / 1e4
}

/// Into how many units a share of 1 is cut (2⁴⁰), so that all else is counted in integers. Sums of the same shares
/// in another order differ in their last digits, and are equal in these units.
const UNITS: f64 = 1_099_511_627_776.0;

/// Weights in the ratio of the shares.
///
/// The members are the ports with the largest shares, as many as the limits allow. Each gets its part of the sum,
/// rounded down, and the rest goes to the largest remainders, 1 to each. If all ports may be members, no other weights
/// are nearer to the shares by total variation. A port with weight 0 is not a member. Among equal shares and equal
/// remainders those from the place `first` on (modulo the number of shares) come first, so that the lists for several
/// destinations do not all favour the same ports.
pub(super) fn apportioned(shares: &[f64], limits: MemberLimits, first: usize) -> Apportioned {
    let units = in_units(shares);
    let count = units.len();
    let turn = |place: usize| (place + count - first % count) % count;
    let mut members: Vec<usize> = (0..count).collect();
    members.sort_by_key(|&place| (Reverse(units[place]), turn(place)));
    members.truncate(limits.members as usize);

    let sum = u128::from(limits.weight_sum);
    let of_members: u128 = members.iter().map(|&place| units[place]).sum();
    let mut weights = vec![0; count];
    for &place in &members {
        weights[place] = units[place] * sum / of_members;
    }
    members.sort_by_key(|&place| (Reverse(units[place] * sum % of_members), turn(place)));
    let mut left = sum - weights.iter().sum::<u128>();
    for &place in &members {
        weights[place] += left.min(1);
        left = left.saturating_sub(1);
    }
    let lost = distance(&units, &weights);
    let weights = weights.into_iter().map(|weight| u32::try_from(weight).expect("at most the sum"));
    Apportioned { weights: weights.collect(), lost }
}

fn in_units(shares: &[f64]) -> Vec<u128> {
    let total: f64 = shares.iter().sum();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share is from 0 to the total"
    )]
    shares.iter().map(|share| (share / total * UNITS).round() as u128).collect()
}

/// The total variation distance between two distributions, each given by parts of its own sum; 0 of two empty ones.
#[expect(clippy::cast_precision_loss, reason = "four decimals of it are told")]
fn distance(one: &[u128], other: &[u128]) -> f64 {
    let [one_sum, other_sum]: [u128; 2] = [one, other].map(|parts| parts.iter().sum());
    let above = |(&one, &other): (&u128, &u128)| (one * other_sum).saturating_sub(other * one_sum);
    let above: u128 = one.iter().zip(other).map(above).sum();
    above as f64 / (one_sum * other_sum).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DEFAULT: MemberLimits = MemberLimits { weight_sum: 10_000, members: u32::MAX };

    fn weights(shares: &[f64], weight_sum: u32, members: u32) -> Vec<u32> {
        apportioned(shares, MemberLimits { weight_sum, members }, 0).weights
    }

    #[test]
    fn weights_have_the_ratio_of_shares() {
        assert_eq!(apportioned(&[], DEFAULT, 3), Apportioned { weights: vec![], lost: 0.0 });
        assert_eq!(apportioned(&[0.3], DEFAULT, 3).weights, [10_000]);
        assert_eq!(weights(&[1.0, 1.0, 1.0], 10_000, 9), [3334, 3333, 3333]);
        assert_eq!(weights(&[0.1 + 0.2, 0.3, 0.3], 10_000, 9), [3334, 3333, 3333]);
        assert_eq!(weights(&[1.0, 2.0, 4.0], 10_000, 9), [1429, 2857, 5714]);
    }

    #[test]
    fn equal_ports_take_turns_by_destination() {
        let turns: Vec<Vec<u32>> = (0..4)
            .map(|first| {
                apportioned(&[1.0; 3], MemberLimits { weight_sum: 4, members: 3 }, first).weights
            })
            .collect();
        assert_eq!(turns, [[2, 1, 1], [1, 2, 1], [1, 1, 2], [2, 1, 1]]);
        let one = |first| {
            apportioned(&[1.0; 3], MemberLimits { weight_sum: 1, members: 1 }, first).weights
        };
        assert_eq!([one(0), one(1), one(2)], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    }

    #[test]
    fn what_is_lost_is_what_takes_another_port() {
        let lost = |shares: &[f64], weight_sum, members| {
            apportioned(shares, MemberLimits { weight_sum, members }, 0).lost
        };
        assert!((lost(&[3.0, 1.0], 4, 2) - 0.0).abs() < 1e-9);
        assert!((lost(&[3.0, 1.0], 2, 2) - 0.25).abs() < 1e-9);
        assert!((lost(&[3.0, 1.0], 4, 1) - 0.25).abs() < 1e-9);
        let lists = [[3.0, 1.0], [1.0, 1.0]]
            .map(|shares| apportioned(&shares, MemberLimits { weight_sum: 2, members: 2 }, 0));
        let empty = apportioned(&[], DEFAULT, 0);
        let lists = [&lists[..], &[empty]].concat();
        assert_eq!(
            Lost::over(&lists),
            Lost { mean_percent: 12.5, worst_percent: 25.0, ports_left_out: 1 }
        );
    }

    /// The least distance of any weights with this sum.
    fn least(units: &[u128], chosen: &mut Vec<u128>, left: u128) -> f64 {
        if chosen.len() + 1 == units.len() {
            chosen.push(left);
            let distance = distance(units, chosen);
            chosen.pop();
            return distance;
        }
        let each = (0..=left).map(|weight| {
            chosen.push(weight);
            let distance = least(units, chosen, left - weight);
            chosen.pop();
            distance
        });
        each.fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn limits_hold(
            shares in prop::collection::vec(1e-3..1.0, 1..80),
            weight_sum in 1_u32..300,
            members in 1_u32..100,
            first in 0_usize..1000,
        ) {
            let limits = MemberLimits { weight_sum, members };
            let Apportioned { weights, lost } = apportioned(&shares, limits, first);
            prop_assert_eq!(weights.iter().sum::<u32>(), weight_sum);
            prop_assert!(weights.iter().filter(|&&weight| weight > 0).count() <= members as usize);
            prop_assert!((0.0..1.0).contains(&lost));
            // The quota rule among members, and no member has more than a port with a larger share, but for 1.
            let pairs = shares.iter().zip(&weights);
            let of_members: f64 = pairs.clone().filter(|(_, weight)| **weight > 0).map(|(share, _)| share).sum();
            for (share, &weight) in pairs.clone() {
                if members as usize >= shares.len() {
                    let exact = share / shares.iter().sum::<f64>() * f64::from(weight_sum);
                    prop_assert!((f64::from(weight) - exact).abs() < 1.0 + 1e-6);
                } else if weight > 0 {
                    prop_assert!(f64::from(weight) < share / of_members * f64::from(weight_sum) + 1.0 + 1e-6);
                }
                for (other, &its) in pairs.clone() {
                    prop_assert!(other > share || its <= weight + 1);
                }
            }
        }

        #[test]
        fn no_other_weights_are_nearer(
            shares in prop::collection::vec(1e-3..1.0, 1..5),
            weight_sum in 1_u32..9,
            first in 0_usize..9,
        ) {
            let limits = MemberLimits { weight_sum, members: 9 };
            let least = least(&in_units(&shares), &mut Vec::new(), weight_sum.into());
            let lost = apportioned(&shares, limits, first).lost;
            prop_assert!((lost - least).abs() < 1e-12, "{} {}", lost, least);
        }
    }
}
