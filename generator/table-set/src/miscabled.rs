//! Cables that are not where they should be: what is wrong where two wirings differ, cable by cable.
//!
//! Two plugs that are swapped are told as such. All that is wrong is told, in an order that depends on the two
//! wirings alone.

use std::collections::{BTreeMap, BTreeSet};

/// What is wrong with one or two cables of a wiring, beside the one that should be. Each cable is its two ends, the
/// lower first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miscabled<E> {
    /// Two cables each end where the other should: by the plan `plugs[0]` is joined with `far[0]` and `plugs[1]`
    /// with `far[1]`. The plugs are those of the two higher ends, unless the lower ones alone are of one part.
    Swapped { plugs: [E; 2], far: [E; 2] },
    /// A cable that should not be, and what should be at the other end of a cable from each of its two ends.
    Wrong { ends: [E; 2], planned: [Option<E>; 2] },
    /// A cable that should be and whose ends have none.
    Missing([E; 2]),
}

/// What is wrong with these cables, by a plan. `is_near` says whether two ends are of one part, such as a switch.
///
/// # Example
/// ```
/// use tvlb_table_set::miscabled::{Miscabled, miscabled};
///
/// let planned = [["a1", "b1"], ["a2", "c1"], ["b2", "c2"], ["b3", "c3"]];
/// let found = [["a1", "c1"], ["a2", "b1"], ["b2", "c9"]];
/// let is_near = |one: &&str, other: &&str| one[..1] == other[..1];
/// let wrong = miscabled(planned, found, is_near);
/// assert_eq!(
///     wrong,
///     [
///         Miscabled::Swapped { plugs: ["a1", "a2"], far: ["b1", "c1"] },
///         Miscabled::Wrong { ends: ["b2", "c9"], planned: [Some("c2"), None] },
///         Miscabled::Missing(["b3", "c3"]),
///     ]
/// );
/// ```
pub fn miscabled<E: Clone + Ord>(
    planned: impl IntoIterator<Item = [E; 2]>,
    found: impl IntoIterator<Item = [E; 2]>,
    is_near: impl Fn(&E, &E) -> bool,
) -> Vec<Miscabled<E>> {
    let sorted = |[one, other]: [E; 2]| if one <= other { [one, other] } else { [other, one] };
    let planned: BTreeSet<[E; 2]> = planned.into_iter().map(sorted).collect();
    let found: BTreeSet<[E; 2]> = found.into_iter().map(sorted).collect();
    let peers = |all: &BTreeSet<[E; 2]>| -> BTreeMap<E, E> {
        let ways =
            |[one, other]: &[E; 2]| [(one.clone(), other.clone()), (other.clone(), one.clone())];
        all.iter().flat_map(ways).collect()
    };
    let (planned_peer, found_peer) = (peers(&planned), peers(&found));
    let mut wrong = Vec::new();
    for [one, other] in found.difference(&planned) {
        let by_plan = [one, other].map(|end| planned_peer.get(end).cloned());
        if let [Some(far), Some(far_of_other)] = &by_plan
            && found_peer.get(far) == Some(far_of_other)
        {
            // The same swap is met a second time, by its other cable.
            let cable = sorted([far.clone(), far_of_other.clone()]);
            if [one, other].map(Clone::clone) < cable {
                let [low, high] =
                    [[one, far_of_other], [far, other]].map(|pair| pair.map(Clone::clone));
                let keeps_low = is_near(&low[0], &low[1]) && !is_near(&high[0], &high[1]);
                let mut plugs = if keeps_low { low } else { high };
                plugs.sort();
                let far = plugs.each_ref().map(|plug| planned_peer[plug].clone());
                wrong.push(Miscabled::Swapped { plugs, far });
            }
            continue;
        }
        wrong.push(Miscabled::Wrong { ends: [one.clone(), other.clone()], planned: by_plan });
    }
    for ends in planned.difference(&found) {
        if ends.iter().all(|end| !found_peer.contains_key(end)) {
            wrong.push(Miscabled::Missing(ends.clone()));
        }
    }
    wrong
}

/// How much is wrong, with its verb.
pub fn things(count: usize) -> String {
    if count == 1 { "1 thing is".to_owned() } else { format!("{count} things are") }
}

/// How many sentences a message has at most.
const MOST_SAID: usize = 100;

/// Sentences for the lines below a message, each after a line break, as many as help anybody.
pub fn in_lines(sentences: &[String]) -> String {
    let mut text = String::new();
    for sentence in sentences.iter().take(MOST_SAID) {
        text += "\n  ";
        text += sentence;
    }
    if let more @ 1.. = sentences.len().saturating_sub(MOST_SAID) {
        text += &["\n  and ", &more.to_string(), " more"].concat();
    }
    text
}

impl<E> Miscabled<E> {
    /// In words, with each end as it is to be called.
    pub fn in_words(&self, name: impl Fn(&E) -> String) -> String {
        match self {
            Self::Swapped { plugs, far } => {
                let [[one, other], [far, far_of_other]] =
                    [plugs, far].map(|ends| ends.each_ref().map(&name));
                format!(
                    "the plugs at {one} and {other} are swapped: by the plan they are the other ends of the \
                     cables from {far} and {far_of_other}"
                )
            }
            Self::Wrong { ends, planned } => {
                let [one, other] = ends.each_ref().map(&name);
                let [far, far_of_other] = planned.each_ref().map(|end| {
                    end.as_ref()
                        .map_or_else(|| "nowhere".to_owned(), |end| format!("to {}", name(end)))
                });
                format!(
                    "a cable joins {one} and {other}; by the plan the first leads {far}, the second {far_of_other}"
                )
            }
            Self::Missing(ends) => {
                let [one, other] = ends.each_ref().map(&name);
                format!("no cable joins {one} and {other}, as the plan has it")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as it is asked for")]
    fn is_near(one: &u32, other: &u32) -> bool {
        one / 10 == other / 10
    }

    #[test]
    fn a_swap_is_told_once_and_by_the_plugs_of_one_part() {
        // The ends of two cables from part 1, at parts 2 and 3.
        let planned = [[11, 21], [12, 31]];
        let swapped = |plugs, far| vec![Miscabled::Swapped { plugs, far }];
        assert_eq!(miscabled(planned, [[11, 31], [12, 21]], is_near), swapped([11, 12], [21, 31]));
        let planned = [[11, 31], [21, 32]];
        assert_eq!(miscabled(planned, [[11, 32], [21, 31]], is_near), swapped([31, 32], [11, 21]));
        // Of four parts: the higher ends.
        let planned = [[11, 21], [31, 41]];
        assert_eq!(miscabled(planned, [[11, 41], [21, 31]], is_near), swapped([21, 41], [11, 31]));
        let words = swapped([21, 41], [11, 31])[0].in_words(ToString::to_string);
        insta::assert_snapshot!(words, @"the plugs at 21 and 41 are swapped: by the plan they are the other ends of the cables from 11 and 31");
    }

    #[test]
    fn cables_that_go_round_are_told_one_by_one() {
        let planned = [[11, 21], [12, 31], [13, 41]];
        let found = [[11, 31], [12, 41], [13, 21]];
        let wrong = miscabled(planned, found, is_near);
        let of = |ends, planned: [u32; 2]| Miscabled::Wrong { ends, planned: planned.map(Some) };
        let told = [of([11, 31], [21, 12]), of([12, 41], [31, 13]), of([13, 21], [41, 11])];
        assert_eq!(wrong, told);
        insta::assert_snapshot!(wrong[0].in_words(ToString::to_string), @"a cable joins 11 and 31; by the plan the first leads to 21, the second to 12");
        let missing = miscabled([[1, 2]], [], is_near);
        insta::assert_snapshot!(missing[0].in_words(ToString::to_string), @"no cable joins 1 and 2, as the plan has it");
    }

    /// A wiring of ends below 40, each in one cable at most.
    fn wiring() -> impl Strategy<Value = Vec<[u32; 2]>> {
        let all: Vec<u32> = (0..40).collect();
        (Just(all).prop_shuffle(), 0_usize..=20).prop_map(|(ends, count)| {
            ends.chunks_exact(2).take(count).map(|pair| [pair[0], pair[1]]).collect()
        })
    }

    proptest! {
        /// What is told, and nothing else, makes one wiring of the other.
        #[test]
        fn all_that_is_wrong_is_told(planned in wiring(), found in wiring()) {
            let sorted = |ends: &[u32; 2]| { let mut ends = *ends; ends.sort_unstable(); ends };
            let (planned, found): (BTreeSet<_>, BTreeSet<_>) =
                (planned.iter().map(sorted).collect(), found.iter().map(sorted).collect());
            let wrong = miscabled(planned.iter().copied(), found.iter().copied(), is_near);
            let mut told = BTreeSet::new();
            for one in &wrong {
                match *one {
                    Miscabled::Swapped { plugs, far } => {
                        prop_assert!((0..2).all(|n| planned.contains(&sorted(&[plugs[n], far[n]]))));
                        told.extend([sorted(&[plugs[0], far[1]]), sorted(&[plugs[1], far[0]])]);
                    }
                    Miscabled::Wrong { ends, .. } => prop_assert!(told.insert(ends)),
                    Miscabled::Missing(ends) => {
                        prop_assert!(planned.contains(&ends));
                        prop_assert!(ends.iter().all(|end| !found.iter().flatten().any(|f| f == end)));
                    }
                }
            }
            prop_assert_eq!(told, found.difference(&planned).copied().collect::<BTreeSet<_>>());
        }
    }
}
