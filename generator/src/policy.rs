//! A policy: how one decision of a switch is made. It is a T-VLB set, how MIN is weighed against the paths of the set,
//! and how each switch thins the set.
//!
//! In a text a policy is `SET`, or `SET T=-2 1x4 gate=1.25 queue=channel onward=cheapest MIN=shortest`: the threshold,
//! the numbers of MIN and VLB candidates, the gate, which credits are the queue of a port, by which link a VLB packet
//! leaves its intermediate group, and the MIN candidate of PAR's second look. The defaults are `T=0`, `1x1`, no gate,
//! `queue=port`, `onward=drawn` and `MIN=kept`. How switches thin a set is computed, never written, so a parsed policy
//! is unthinned.

use std::fmt;
use std::sync::Arc;
use tvlb_schema::{
    Decision, Level, MinCandidate, Onward, PerDecision, SetRule, SwitchId, Weighing,
};
use tvlb_table_set::grammar::{SetGrammarError, canonical, parse_set};
use tvlb_table_set::{OpenWeighing, WordError};

/// Between PAR's policy at the source and that of its second look.
const THEN: &str = " then ";

/// By switch number, one level for each global port of its group; a switch without levels keeps all routes of the set.
/// If the list is empty, no switch thins the set. Cloning is cheap.
pub type Levels = Arc<[Vec<Level>]>;

/// How one decision of a switch is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The T-VLB set.
    pub rule: SetRule,
    /// How MIN is weighed against VLB: T, in flits times hops, how many candidates of each kind are
    /// drawn, and the gate.
    pub weighing: Weighing,
    /// The MIN path that is weighed, if the decision is PAR's second look. At a source there is no path to keep, so
    /// there this is `Kept` and has no effect.
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

/// The set in the grammar of sets, followed by everything that differs from the defaults: " T=8", " 1x4", " gate=1.25",
/// " queue=channel", " onward=cheapest" and " MIN=shortest".
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical(&self.rule))?;
        OpenWeighing::unusual(self.weighing, self.min).fmt(f)
    }
}

/// Why a text is not a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("{error}\n{}", error.marked(text))]
    Set { text: String, error: SetGrammarError },
    #[error(transparent)]
    Word(#[from] WordError),
    #[error(
        "MIN={found} of the policy at the source, but only PAR's second look has a MIN path to keep or to draw again"
    )]
    MinAtSource { found: &'static str },
    #[error(
        "onward={found} of the policy at PAR's second look alone, but its packets go on as the policy at the source says"
    )]
    OnwardAtSecond { found: Onward },
}

impl Policy {
    /// Reads a set and the words after it, in any order and each once: `T=N`, `MxK`, `gate=C`, `queue=NAME`,
    /// `onward=NAME` and `MIN=NAME`. `seed` becomes the set's.
    ///
    /// # Errors
    /// An error in the set or in a word after it.
    pub fn parse(text: &str, seed: u64) -> Result<Self, PolicyError> {
        Self::parse_over(text, seed, &OpenWeighing::default())
    }

    /// The same with these defaults.
    fn parse_over(text: &str, seed: u64, open: &OpenWeighing) -> Result<Self, PolicyError> {
        let (set, said) = OpenWeighing::split(text)?;
        let error = |error| PolicyError::Set { text: set.to_owned(), error };
        let policy = Self::from(parse_set(set, seed).map_err(error)?);
        let (weighing, min) = open.over(policy.weighing, policy.min);
        let (weighing, min) = said.over(weighing, min);
        Ok(Self { weighing, min, ..policy })
    }

    /// Sets the stated weighing of a decision; the rest stays. Only PAR's second look has a MIN candidate.
    pub fn weigh_as(&mut self, decision: Decision, said: &PerDecision<OpenWeighing>) {
        let (weighing, min) = said.get(decision).over(self.weighing, self.min);
        self.weighing = weighing;
        if decision == Decision::ParSecond {
            self.min = min;
        }
    }

    /// The levels of one switch; empty if it keeps all routes of the set.
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

/// Policies before sets are chosen, as a fabric file states them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenPolicies {
    /// The set of each decision; `None` if they are to be chosen.
    pub sets: Option<PerDecision<SetRule>>,
    /// How each decision weighs, as far as stated. The rest has the defaults of a policy if sets are given, and is
    /// otherwise chosen with them.
    pub weighing: PerDecision<OpenWeighing>,
}

/// The policies of a table set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policies {
    /// What Steps 1 and 2 of the method choose.
    Chosen,
    /// These, unthinned.
    Given(PerDecision<Policy>),
    /// These, which may be thinned and have seeds of their own, so that only a set file can express them.
    OfSetFile(PerDecision<Policy>),
}

impl Policies {
    /// The policies, unless they are to be chosen.
    pub const fn given(&self) -> Option<&PerDecision<Policy>> {
        match self {
            Self::Chosen => None,
            Self::Given(policies) | Self::OfSetFile(policies) => Some(policies),
        }
    }
}

/// Why policies cannot be laid over those of a fabric file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaidOverError {
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(
        "the sets of {lacking} are to be chosen (\"auto\"), and those of the other scheme are given; \
         accepted are sets for both, as in --set '{lacking} 4-hop' beside it"
    )]
    OneScheme { lacking: &'static str },
}

impl OpenPolicies {
    /// These policies without the thinning of their sets.
    pub fn of(policies: &PerDecision<Policy>) -> Self {
        Self {
            sets: Some(policies.map(|policy| policy.rule)),
            weighing: policies.map(|policy| OpenWeighing::closed(policy.weighing, policy.min)),
        }
    }

    /// The unthinned policies, unless their sets are to be chosen.
    pub fn given(&self) -> Option<PerDecision<Policy>> {
        self.sets.as_ref().map(|sets| self.with_sets(sets))
    }

    /// The unthinned policies with these sets.
    pub fn with_sets(&self, sets: &PerDecision<SetRule>) -> PerDecision<Policy> {
        PerDecision::from_fn(|decision| {
            let mut policy = Policy::from(*sets.get(decision));
            policy.weigh_as(decision, &self.weighing);
            policy
        })
    }

    /// Reads the policies of all decisions from one policy, or from two for PAR with " then " between. A policy takes
    /// what it leaves out from here.
    ///
    /// # Errors
    /// An error in either.
    pub fn read(&self, text: &str, seed: u64) -> Result<PerDecision<Policy>, PolicyError> {
        PolicyPair::parse(text, seed)?;
        let (source, second) = text.split_once(THEN).unwrap_or((text, text));
        let at_source = |open| {
            let policy = Policy::parse_over(source, seed, open)?;
            Ok::<_, PolicyError>(Policy { min: MinCandidate::Kept, ..policy })
        };
        let par = PolicyPair {
            source: at_source(&self.weighing.par_source)?,
            second: Policy::parse_over(second, seed, &self.weighing.par_second)?,
        };
        let PolicyPair { source: par_source, second: par_second } = par.of_one_onward();
        Ok(PerDecision { ugal_l: at_source(&self.weighing.ugal_l)?, par_source, par_second })
    }

    /// Lays texts over this, each over those before it: "auto" leaves the sets to be chosen, "ugal-l POLICY" and "par
    /// POLICY" are for one scheme, and any other policy is for both.
    ///
    /// # Errors
    /// A text that is not a policy, or sets for one scheme while those of the other are to be chosen.
    pub fn laid_over(&self, texts: &[String], seed: u64) -> Result<Policies, LaidOverError> {
        let of_file = self.given();
        let mut par = of_file.as_ref().map(|all| (all.par_source.clone(), all.par_second.clone()));
        let mut ugal_l = of_file.map(|all| all.ugal_l);
        for text in texts {
            let text = text.trim();
            if text == "auto" {
                (ugal_l, par) = (None, None);
                continue;
            }
            let of_scheme = |scheme: &str| text.strip_prefix(scheme)?.strip_prefix(' ');
            let (for_ugal_l, for_par) = (of_scheme("ugal-l"), of_scheme("par"));
            let read = self.read(for_ugal_l.or(for_par).unwrap_or(text), seed)?;
            if for_par.is_none() {
                ugal_l = Some(read.ugal_l);
            }
            if for_ugal_l.is_none() {
                par = Some((read.par_source, read.par_second));
            }
        }
        match (ugal_l, par) {
            (None, None) => Ok(Policies::Chosen),
            (Some(ugal_l), Some((par_source, par_second))) => {
                Ok(Policies::Given(PerDecision { ugal_l, par_source, par_second }))
            }
            (None, Some(_)) => Err(LaidOverError::OneScheme { lacking: "ugal-l" }),
            (Some(_), None) => Err(LaidOverError::OneScheme { lacking: "par" }),
        }
    }
}

/// A policy for each of PAR's two decisions. UGAL-L has one decision and uses the policy at the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyPair {
    pub source: Policy,
    /// The policy at PAR's second look.
    pub second: Policy,
}

impl PolicyPair {
    /// One policy for both decisions; only the second look has its MIN candidate.
    pub fn same(policy: Policy) -> Self {
        Self { source: Policy { min: MinCandidate::Kept, ..policy.clone() }, second: policy }
    }

    /// Reads one policy, for both decisions, or two with " then " between.
    ///
    /// # Errors
    /// An error in either.
    pub fn parse(text: &str, seed: u64) -> Result<Self, PolicyError> {
        match text.split_once(THEN) {
            None => Policy::parse(text, seed).map(Self::same),
            Some((source, second)) => {
                let source = Policy::parse(source, seed)?;
                if source.min != MinCandidate::Kept {
                    return Err(PolicyError::MinAtSource { found: source.min.name() });
                }
                let second = Policy::parse(second, seed)?;
                if second.weighing.onward > source.weighing.onward {
                    return Err(PolicyError::OnwardAtSecond { found: second.weighing.onward });
                }
                Ok(Self { source, second }.of_one_onward())
            }
        }
    }

    /// The same, with the first policy's choice of links out of the intermediate group for both.
    #[must_use]
    pub fn of_one_onward(mut self) -> Self {
        self.second.weighing.onward = self.source.weighing.onward;
        self
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
    use tvlb_schema::{Candidates, Gate, Queue};

    #[test]
    fn what_a_policy_leaves_out_is_as_it_is_said() {
        let thresholds = PerDecision { ugal_l: 1, par_source: 2, par_second: 3 };
        let second_min = Some(MinCandidate::Any);
        let weighing = thresholds.map(|&threshold| OpenWeighing {
            threshold: Some(threshold),
            second_min,
            ..OpenWeighing::default()
        });
        let settings = OpenPolicies { sets: None, weighing };
        let read = |text| {
            let PerDecision { ugal_l, par_source, par_second } = settings.read(text, 1).unwrap();
            [ugal_l, par_source, par_second].map(|policy| policy.to_string())
        };
        assert_eq!(read("all"), ["all T=1", "all T=2", "all T=3 MIN=any"]);
        assert_eq!(
            read("all 1x4 T=0 MIN=shortest"),
            ["all 1x4", "all 1x4", "all 1x4 MIN=shortest"]
        );
        let two = read("all gate=2 then 4-hop MIN=kept");
        assert_eq!(two, ["all T=1 gate=2", "all T=2 gate=2", "4-hop T=3"]);
        assert!(settings.read("all MIN=any then all", 1).is_err());
    }

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
        let policy = parse("switches:2-3 with returns MIN=any gate=1.25 2x4 T=-2").unwrap();
        let Weighing { threshold, candidates, gate, queue, onward } = policy.weighing;
        assert_eq!((threshold, candidates.min(), candidates.vlb()), (-2, 2, 4));
        assert_eq!((gate.sixteenths(), queue, onward), (20, Queue::Port, Onward::Drawn));
        assert_eq!(policy.min, MinCandidate::Any);
        assert_eq!(policy.to_string(), "switches:2-3 with returns T=-2 2x4 gate=1.25 MIN=any");
        assert_eq!(parse("all gate=0 1x1 T=0 queue=port MIN=kept").unwrap(), parse("all").unwrap());
        let pair =
            PolicyPair::parse("all queue=channel then 4-hop MIN=any queue=channel", 1).unwrap();
        assert_eq!(pair.to_string(), "all queue=channel then 4-hop queue=channel MIN=any");
        let pair = PolicyPair::parse("all onward=cheapest MIN=any", 1).unwrap();
        assert_eq!(pair.source.weighing.onward, Onward::Cheapest);
        assert_eq!(pair.to_string(), "all onward=cheapest MIN=any");
        insta::assert_snapshot!(parse("all onward=any").unwrap_err(), @"onward=any, accepted one of drawn, cheapest");
        insta::assert_snapshot!(parse("all queue=vc").unwrap_err(), @"queue=vc, accepted one of port, channel");
        insta::assert_snapshot!(parse("all 1x9").unwrap_err(), @"1x9, accepted the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4");
        insta::assert_snapshot!(parse("all gate=1.3").unwrap_err(), @"gate=1.3, accepted a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25");
        insta::assert_snapshot!(parse("all 1x4 T=0 1x2").unwrap_err(), @"1x2 says the candidates a second time, but a policy says it at most once");
        insta::assert_snapshot!(parse("all MIN=new").unwrap_err(), @"MIN=new, accepted one of kept, shortest, any");
        let pair = PolicyPair::parse("all onward=cheapest then 4-hop MIN=any", 1).unwrap();
        assert_eq!(pair.to_string(), "all onward=cheapest then 4-hop onward=cheapest MIN=any");
        insta::assert_snapshot!(PolicyPair::parse("all then all onward=cheapest", 1).unwrap_err(), @"onward=cheapest of the policy at PAR's second look alone, but its packets go on as the policy at the source says");
        insta::assert_snapshot!(PolicyPair::parse("all MIN=any then all", 1).unwrap_err(), @"MIN=any of the policy at the source, but only PAR's second look has a MIN path to keep or to draw again");
        insta::assert_snapshot!(parse("all T=32768").unwrap_err(), @"T=32768, accepted a whole number from -32768 to 32767");
        insta::assert_snapshot!(PolicyPair::parse("all then", 1).unwrap_err(), @r"
        column 5: found `then`, accepted `,` and another term, `by route`, `by shape` or the end
        all then
            ^^^^
        ");
        insta::assert_snapshot!(PolicyPair::parse("all then shape:110", 1).unwrap_err(), @r"
        column 1: found `shape` (did you mean shapes?), accepted `min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`
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
        fn what_is_shown_is_read_alike(
            threshold: i16,
            m in 1_u8..9,
            k in 1_u8..9,
            sixteenths: u8,
            queue in prop::sample::select(Queue::ALL.to_vec()),
            onward in prop::sample::select(Onward::ALL.to_vec()),
            min in prop::sample::select(MinCandidate::ALL.to_vec()),
            text in "[a-z0-9:+*, T=-]{0,40}",
        ) {
            let candidates = Candidates::new(m, k).unwrap();
            let gate = Gate::of_sixteenths(sixteenths);
            let weighing = Weighing { threshold, candidates, gate, queue, onward };
            let policy =
                Policy { weighing, min, ..Policy::parse("60% 5-hop by shape", 3).unwrap() };
            prop_assert_eq!(Policy::parse(&policy.to_string(), 3).unwrap(), policy);
            // Anything else is an error, never a panic.
            let _ = PolicyPair::parse(&text, 1);
        }
    }
}
