//! A policy: what one decision of a switch goes by. It is a T-VLB set, its threshold T, and how each
//! switch thins the set.
//!
//! In a text a policy is `SET`, `SET T=N`, `SET MIN=shortest` or `SET T=N MIN=shortest`. How switches
//! thin a set is computed, never written, so a policy that was read is unthinned.

use crate::set_grammar::{SetGrammarError, canonical, parse_set};
use std::fmt;
use std::sync::Arc;
use tvlb_schema::{Decision, Level, MinCandidate, PerDecision, SetRule, SwitchId, Weighing};

/// Between the set and T.
const THRESHOLD: &str = " T=";
/// Between the set and T, and the MIN candidate of PAR's second look.
const MIN: &str = " MIN=";
/// Between PAR's policy at the source and that of its second look.
const THEN: &str = " then ";

/// By switch number, one level for each global port of its group; a switch without levels keeps all
/// routes of the set. An empty list says that no switch thins the set. Cloning is cheap.
pub type Levels = Arc<[Vec<Level>]>;

/// What one decision of a switch goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The T-VLB set.
    pub rule: SetRule,
    /// How MIN is weighed against VLB: T, in flits times hops, how many candidates of each kind are
    /// drawn, and the gate.
    pub weighing: Weighing,
    /// The MIN path that is weighed, if the decision is PAR's second look. At a source there is no path
    /// to keep, so there this is `Kept` and says nothing.
    pub min: MinCandidate,
    /// How each switch thins the set.
    pub levels: Levels,
}

/// An unthinned set with T = 0.
impl From<SetRule> for Policy {
    fn from(rule: SetRule) -> Self {
        Self {
            rule,
            weighing: Weighing::default(),
            min: MinCandidate::Kept,
            levels: Levels::default(),
        }
    }
}

/// The set in the grammar of sets, followed by " T=8" where T is 8 and by nothing where T is 0, and by
/// " MIN=shortest" where the second look draws a MIN path among the shortest.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical(&self.rule))?;
        match self.weighing.threshold {
            0 => {}
            threshold => write!(f, "{THRESHOLD}{threshold}")?,
        }
        match self.min {
            MinCandidate::Kept => Ok(()),
            min => write!(f, "{MIN}{}", min.name()),
        }
    }
}

/// Why a text is not a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Its set is not in the grammar of sets.
    #[error("{error}\n{}", error.marked(text))]
    Set {
        /// The set's text.
        text: String,
        /// What is wrong with the set.
        error: SetGrammarError,
    },
    /// Its T is not a number of 16 bits.
    #[error("T={found}, but T must be a whole number from -32768 to 32767")]
    Threshold {
        /// The text after `T=`.
        found: String,
    },
    /// Its MIN candidate has no such name.
    #[error("MIN={found}, but MIN must be kept, shortest or any")]
    Min {
        /// The text after `MIN=`.
        found: String,
    },
    /// A policy at the source names a MIN candidate.
    #[error(
        "MIN={found} of the policy at the source, but only PAR's second look has a MIN path to keep or to draw again"
    )]
    MinAtSource {
        /// The name of the candidate.
        found: &'static str,
    },
}

impl Policy {
    /// Reads `SET`, with ` T=N` after it or not, and with ` MIN=shortest` or ` MIN=any` after that or
    /// not. `seed` becomes the set's.
    ///
    /// # Errors
    /// What is wrong with the set, with T or with MIN.
    pub fn parse(text: &str, seed: u64) -> Result<Self, PolicyError> {
        let (text, min) = match text.rsplit_once(MIN) {
            None => (text, MinCandidate::Kept),
            Some((rest, found)) => {
                let found = found.trim();
                let min = MinCandidate::ALL.into_iter().find(|min| min.name() == found);
                (rest, min.ok_or_else(|| PolicyError::Min { found: found.to_owned() })?)
            }
        };
        let (set, threshold) = match text.rsplit_once(THRESHOLD) {
            None => (text, 0),
            Some((set, found)) => {
                let threshold = found.trim().parse();
                let error = |_| PolicyError::Threshold { found: found.trim().to_owned() };
                (set, threshold.map_err(error)?)
            }
        };
        let error = |error| PolicyError::Set { text: set.to_owned(), error };
        Ok(Self {
            weighing: Weighing::from(threshold),
            min,
            ..parse_set(set, seed).map_err(error)?.into()
        })
    }

    /// The levels of one switch; none if it keeps all routes of the set.
    pub fn levels_of(&self, switch: SwitchId) -> &[Level] {
        self.levels.get(switch.as_usize()).map_or(&[], Vec::as_slice)
    }

    /// How many switches thin the set.
    pub fn thinned_switches(&self) -> usize {
        self.levels.iter().filter(|levels| !levels.is_empty()).count()
    }

    /// Whether any switch thins the set.
    pub fn is_thinned(&self) -> bool {
        self.thinned_switches() > 0
    }

    /// Whether another policy draws from the same routes by the same rule, whatever its threshold.
    pub fn has_set_of(&self, other: &Self) -> bool {
        self.rule == other.rule && self.levels == other.levels
    }
}

/// The unthinned policies of these rules and thresholds, and of this MIN candidate at PAR's second
/// look.
pub fn policies(
    rules: &PerDecision<SetRule>,
    thresholds: &PerDecision<i16>,
    second_min: MinCandidate,
) -> PerDecision<Policy> {
    PerDecision::from_fn(|decision| Policy {
        weighing: Weighing::from(*thresholds.get(decision)),
        min: if decision == Decision::ParSecond { second_min } else { MinCandidate::Kept },
        ..Policy::from(*rules.get(decision))
    })
}

/// A policy for each of PAR's two decisions. UGAL-L has one decision and goes by the policy at the
/// source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyPair {
    /// The policy at the source.
    pub source: Policy,
    /// The policy at PAR's second look.
    pub second: Policy,
}

impl PolicyPair {
    /// One policy for both decisions, but for its MIN candidate, which is the second look's.
    pub fn same(policy: Policy) -> Self {
        Self { source: Policy { min: MinCandidate::Kept, ..policy.clone() }, second: policy }
    }

    /// Reads one policy, for both decisions, or two with " then " between.
    ///
    /// # Errors
    /// What is wrong with either.
    pub fn parse(text: &str, seed: u64) -> Result<Self, PolicyError> {
        match text.split_once(THEN) {
            None => Policy::parse(text, seed).map(Self::same),
            Some((source, second)) => {
                let source = Policy::parse(source, seed)?;
                if source.min != MinCandidate::Kept {
                    return Err(PolicyError::MinAtSource { found: source.min.name() });
                }
                Ok(Self { source, second: Policy::parse(second, seed)? })
            }
        }
    }

    /// Whether any switch thins either set.
    pub fn is_thinned(&self) -> bool {
        self.source.is_thinned() || self.second.is_thinned()
    }

    /// The policies of a switch that uses the pair for PAR, and its first policy for UGAL-L.
    pub fn per_decision(&self) -> PerDecision<Policy> {
        PerDecision {
            ugal_l: self.source.clone(),
            par_source: self.source.clone(),
            par_second: self.second.clone(),
        }
    }
}

/// The text that [`PolicyPair::parse`] reads.
impl fmt::Display for PolicyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::same(self.second.clone()) {
            self.second.fmt(f)
        } else {
            write!(f, "{}{THEN}{}", self.source, self.second)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_policy_is_a_set_and_may_have_a_threshold() {
        let parse = |text: &str| Policy::parse(text, 1);
        assert_eq!(parse("all").unwrap().weighing.threshold, 0);
        let policy = parse("2*shapes:110, only:111 T=-8").unwrap();
        assert_eq!(policy.weighing.threshold, -8);
        assert_eq!(policy.rule, parse("2*shapes:110, only:111").unwrap().rule);
        let pair = PolicyPair::parse("all T=4 then shapes:011", 1).unwrap();
        assert_eq!((pair.source.weighing.threshold, pair.second.weighing.threshold), (4, 0));
        assert_eq!(pair.to_string(), "all T=4 then shapes:011");
        assert_eq!(PolicyPair::parse("all", 1).unwrap().second, parse("all").unwrap());
        let pair = PolicyPair::parse("all T=4 MIN=shortest", 1).unwrap();
        assert_eq!(
            (pair.source.min, pair.second.min),
            (MinCandidate::Kept, MinCandidate::Shortest)
        );
        assert_eq!((pair.source.weighing.threshold, pair.second.weighing.threshold), (4, 4));
        assert_eq!(pair.to_string(), "all T=4 MIN=shortest");
        let pair = PolicyPair::parse("all then switches:2-3 with returns MIN=any", 1).unwrap();
        assert_eq!(pair.to_string(), "all then switches:2-3 with returns MIN=any");
        insta::assert_snapshot!(parse("all MIN=new").unwrap_err(), @"MIN=new, but MIN must be kept, shortest or any");
        insta::assert_snapshot!(PolicyPair::parse("all MIN=any then all", 1).unwrap_err(), @"MIN=any of the policy at the source, but only PAR's second look has a MIN path to keep or to draw again");
        insta::assert_snapshot!(parse("all T=32768").unwrap_err(), @"T=32768, but T must be a whole number from -32768 to 32767");
        insta::assert_snapshot!(PolicyPair::parse("all then", 1).unwrap_err(), @r"
        column 5: found `then`, accepted `,` and another term, `by route`, `by shape` or the end
        all then
            ^^^^
        ");
        insta::assert_snapshot!(PolicyPair::parse("all then shape:110", 1).unwrap_err(), @r"
        column 1: found `shape`, accepted `min`, `all`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`
        shape:110
        ^^^^^
        ");
    }

    #[test]
    fn a_set_is_told_by_its_rule_and_levels() {
        let policy = Policy::parse("all", 1).unwrap();
        let thinned = Policy { levels: [vec![], vec![Level::LEAST]].into(), ..policy.clone() };
        assert!(!policy.is_thinned() && thinned.is_thinned());
        assert_eq!(thinned.levels_of(SwitchId(1)), [Level::LEAST]);
        assert!(
            thinned.levels_of(SwitchId(0)).is_empty() && policy.levels_of(SwitchId(9)).is_empty()
        );
        assert!(policy.has_set_of(&Policy { weighing: 3.into(), ..policy.clone() }));
        assert!(!policy.has_set_of(&thinned));
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_alike(threshold: i16, text in "[a-z0-9:+*, T=-]{0,40}") {
            let policy = Policy { weighing: threshold.into(), ..Policy::parse("60% 5-hop by shape", 3).unwrap() };
            prop_assert_eq!(Policy::parse(&policy.to_string(), 3).unwrap(), policy);
            // Anything else is an error, never a panic.
            let _ = PolicyPair::parse(&text, 1);
        }
    }
}
