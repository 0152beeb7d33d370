//! Misplaced cables: the differences between two wirings, cable by cable.
//!
//! Two swapped plugs are reported as such. Every difference is reported, in an order that depends only on the two
//! wirings.

use crate::names::Names;
use std::collections::{BTreeMap, BTreeSet};
use tvlb_schema::{Dragonfly, SwitchId};

/// An error in one or two cables of a wiring, with what should be there. Each cable is its two ends, the lower first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Miscabled<E> {
    /// Two cables that each end where the other should: in the plan `plugs[0]` is joined with `far[0]` and `plugs[1]`
    /// with `far[1]`. No wiring shows which two plugs were swapped. `plugs` are the likelier ones, those nearer to each
    /// other, or the two higher ends if both pairs are equally near.
    Swapped { plugs: [E; 2], far: [E; 2] },
    /// A cable that should not exist, and for each of its two ends, where its cable should lead.
    Wrong { ends: [E; 2], planned: [Option<E>; 2] },
    /// A planned cable whose ends have none.
    Missing([E; 2]),
}

/// How near two ends are to each other: the smallest part of a machine that contains both, the nearest first. Plugs are
/// swapped by hand, most likely if both are within reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    Switch,
    Chassis,
    Cabinet,
    Group,
    Elsewhere,
}

impl Nearness {
    /// For ends at these two switches. Chassis and cabinet are known from names such as x1000c0r3.
    pub fn of(df: &Dragonfly, names: &Names, [one, other]: [SwitchId; 2]) -> Self {
        let parts = [one, other].map(|switch| names.switch(switch).and_then(cabinet_and_chassis));
        let is_same =
            |part: usize| matches!(parts, [Some(one), Some(other)] if one[part] == other[part]);
        if one == other {
            Self::Switch
        } else if is_same(1) {
            Self::Chassis
        } else if is_same(0) {
            Self::Cabinet
        } else if df.place(one).0 == df.place(other).0 {
            Self::Group
        } else {
            Self::Elsewhere
        }
    }
}

/// "x1000" and "x1000c0" of "x1000c0r3".
pub(crate) fn cabinet_and_chassis(switch: &str) -> Option<[&str; 2]> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (chassis, slot) = switch.split_once('r')?;
    let (cabinet, number) = chassis.split_once('c')?;
    let numbers = [cabinet.strip_prefix('x')?, number, slot];
    numbers.into_iter().all(is_number).then_some([cabinet, chassis])
}

/// The errors of these cables, according to a plan. `nearness` says how near two ends are to each other.
///
/// # Example
/// ```
/// use tvlb_table_set::miscabled::{Miscabled, Nearness, miscabled};
///
/// let planned = [["a1", "b1"], ["a2", "c1"], ["b2", "c2"], ["b3", "c3"]];
/// let found = [["a1", "c1"], ["a2", "b1"], ["b2", "c9"]];
/// let nearness = |one: &&str, other: &&str| {
///     if one[..1] == other[..1] { Nearness::Switch } else { Nearness::Elsewhere }
/// };
/// let wrong = miscabled(planned, found, nearness);
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
    nearness: impl Fn(&E, &E) -> Nearness,
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
            // The same swap is met a second time, from its other cable.
            let cable = sorted([far.clone(), far_of_other.clone()]);
            if [one, other].map(Clone::clone) < cable {
                let [low, high] =
                    [[one, far_of_other], [far, other]].map(|pair| pair.map(Clone::clone));
                let [of_low, of_high] = [&low, &high].map(|pair| nearness(&pair[0], &pair[1]));
                let mut plugs = if of_low < of_high { low } else { high };
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

/// The number of errors, with the verb.
pub fn things(count: usize) -> String {
    if count == 1 { "1 thing is".to_owned() } else { format!("{count} things are") }
}

/// The most sentences of a message.
const MOST_SAID: usize = 100;

/// Sentences for the lines below a message, each after a line break, as many as are useful.
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
    /// In words, with a name for each end.
    pub fn in_words(&self, name: impl Fn(&E) -> String) -> String {
        match self {
            Self::Swapped { plugs, far } => {
                let [[one, other], [far, far_of_other]] =
                    [plugs, far].map(|ends| ends.each_ref().map(&name));
                format!(
                    "the plugs at {one} and {other} are swapped, or else those at {far} and {far_of_other}: by \
                     the plan a cable joins the first of each two, and another the second"
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

    /// Ends of 10 to 19 are of one switch, 0 to 29 of one chassis, those below 100 of one group.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as it is asked for")]
    fn nearness(one: &u32, other: &u32) -> Nearness {
        let parts = [(10, Nearness::Switch), (30, Nearness::Chassis), (100, Nearness::Group)];
        let part = parts.into_iter().find(|(size, _)| one / size == other / size);
        part.map_or(Nearness::Elsewhere, |(_, nearness)| nearness)
    }

    #[test]
    fn a_swap_is_told_once_and_by_the_plugs_that_are_nearer() {
        // The ends of two cables from switch 1, at switches 2 and 3.
        let planned = [[11, 21], [12, 31]];
        let swapped = |plugs, far| vec![Miscabled::Swapped { plugs, far }];
        assert_eq!(miscabled(planned, [[11, 31], [12, 21]], nearness), swapped([11, 12], [21, 31]));
        let planned = [[11, 31], [21, 32]];
        assert_eq!(miscabled(planned, [[11, 32], [21, 31]], nearness), swapped([31, 32], [11, 21]));
        // A chassis is nearer than a group, whichever ends are higher, and a group nearer than nothing.
        let planned = [[11, 41], [21, 71]];
        assert_eq!(miscabled(planned, [[11, 71], [21, 41]], nearness), swapped([11, 21], [41, 71]));
        let planned = [[11, 65], [41, 75]];
        assert_eq!(miscabled(planned, [[11, 75], [41, 65]], nearness), swapped([65, 75], [11, 41]));
        let planned = [[11, 165], [41, 275]];
        assert_eq!(
            miscabled(planned, [[11, 275], [41, 165]], nearness),
            swapped([11, 41], [165, 275])
        );
        // Equally near: the higher ends.
        let planned = [[11, 91], [31, 61]];
        assert_eq!(miscabled(planned, [[11, 61], [31, 91]], nearness), swapped([61, 91], [31, 11]));
        let words = swapped([21, 41], [11, 31])[0].in_words(ToString::to_string);
        insta::assert_snapshot!(words, @"the plugs at 21 and 41 are swapped, or else those at 11 and 31: by the plan a cable joins the first of each two, and another the second");
    }

    #[test]
    fn the_names_of_switches_tell_chassis_and_cabinets() {
        let df = Dragonfly::new(1, 6, 1, 2).expect("it is one");
        let list = "group,switch,port,name,physical\n0,0,,x1000c0r1,\n0,1,,x1000c0r13,\n0,2,,x1000c1r1,\n\
                    0,3,,x1001c0r1,\n0,4,,rack 7,\n0,5,,x10c0rack,\n1,0,,x1000c1r3,\n1,1,,x100c0r1,\n";
        let names = Names::read(&df, list).expect("it is one");
        let of = |one, other| Nearness::of(&df, &names, [one, other].map(SwitchId));
        assert_eq!(of(0, 0), Nearness::Switch);
        assert_eq!(of(0, 1), Nearness::Chassis);
        assert_eq!(of(0, 2), Nearness::Cabinet);
        // Two groups may share a chassis.
        assert_eq!(of(2, 6), Nearness::Chassis);
        for other in 3..6 {
            assert_eq!(of(0, other), Nearness::Group, "{other}");
        }
        assert_eq!(of(4, 4), Nearness::Switch);
        assert_eq!(of(0, 7), Nearness::Elsewhere);
        assert_eq!(of(8, 9), Nearness::Group);
    }

    #[test]
    fn cables_that_go_round_are_told_one_by_one() {
        let planned = [[11, 21], [12, 31], [13, 41]];
        let found = [[11, 31], [12, 41], [13, 21]];
        let wrong = miscabled(planned, found, nearness);
        let of = |ends, planned: [u32; 2]| Miscabled::Wrong { ends, planned: planned.map(Some) };
        let told = [of([11, 31], [21, 12]), of([12, 41], [31, 13]), of([13, 21], [41, 11])];
        assert_eq!(wrong, told);
        insta::assert_snapshot!(wrong[0].in_words(ToString::to_string), @"a cable joins 11 and 31; by the plan the first leads to 21, the second to 12");
        let missing = miscabled([[1, 2]], [], nearness);
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
        /// Exactly the reported errors turn one wiring into the other.
        #[test]
        fn all_that_is_wrong_is_told(planned in wiring(), found in wiring()) {
            let sorted = |ends: &[u32; 2]| { let mut ends = *ends; ends.sort_unstable(); ends };
            let (planned, found): (BTreeSet<_>, BTreeSet<_>) =
                (planned.iter().map(sorted).collect(), found.iter().map(sorted).collect());
            let wrong = miscabled(planned.iter().copied(), found.iter().copied(), nearness);
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
