//! A policy: what one decision of a switch goes by. It is a T-VLB set, how MIN is weighed against the
//! paths of the set, and how each switch thins the set.
//!
//! In a text a policy is `SET`, or `SET T=-2 1x4 gate=1.25 queue=channel MIN=shortest`: the threshold, the numbers
//! of MIN and VLB candidates, the gate, which credits are the queue of a port, and the MIN candidate of PAR's
//! second look. What is left out is `T=0`, `1x1`, no gate, `queue=port` and `MIN=kept`. How switches thin a set is
//! computed, never written, so a policy that was read is unthinned.

use std::fmt;
use std::sync::Arc;
use tvlb_schema::{
    Candidates, CandidatesError, Decision, Gate, GateError, Level, MinCandidate, PerDecision,
    Queue, SetRule, SwitchId, Weighing,
};
use tvlb_table_set::grammar::{SetGrammarError, canonical, parse_set};

/// Before T.
const THRESHOLD: &str = "T=";
/// Before the gate.
const GATE: &str = "gate=";
/// Before the name of what a queue is.
const QUEUE: &str = "queue=";
/// Before the MIN candidate of PAR's second look.
const MIN: &str = "MIN=";
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

/// The set in the grammar of sets, followed by what is not as it is where a text leaves it out:
/// " T=8", " 1x4", " gate=1.25", " queue=channel" and " MIN=shortest".
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical(&self.rule))?;
        match self.weighing.threshold {
            0 => {}
            threshold => write!(f, " {THRESHOLD}{threshold}")?,
        }
        let Weighing { threshold: _, candidates, gate, queue } = self.weighing;
        if candidates != Candidates::ONE {
            write!(f, " {candidates}")?;
        }
        if !gate.is_none() {
            write!(f, " {GATE}{gate}")?;
        }
        if queue != Queue::Port {
            write!(f, " {QUEUE}{queue}")?;
        }
        match self.min {
            MinCandidate::Kept => Ok(()),
            min => write!(f, " {MIN}{}", min.name()),
        }
    }
}

/// Why a text is not a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("{error}\n{}", error.marked(text))]
    Set { text: String, error: SetGrammarError },
    #[error("T={found}, but T must be a whole number from -32768 to 32767")]
    Threshold { found: String },
    #[error("{found}, {error}")]
    Candidates { found: String, error: CandidatesError },
    #[error("{GATE}{found}, {error}")]
    Gate { found: String, error: GateError },
    #[error("{found} says {what} a second time, but a policy says it at most once")]
    Twice { found: String, what: &'static str },
    #[error("{QUEUE}{found}, accepted port or channel")]
    Queue { found: String },
    #[error("MIN={found}, but MIN must be kept, shortest or any")]
    Min { found: String },
    #[error(
        "MIN={found} of the policy at the source, but only PAR's second look has a MIN path to keep or to draw again"
    )]
    MinAtSource { found: &'static str },
}

impl Policy {
    /// Reads a set and what may follow it, in any order and each once: `T=N`, `MxK`, `gate=C`,
    /// `queue=NAME` and `MIN=NAME`. `seed` becomes the set's.
    ///
    /// # Errors
    /// What is wrong with the set or with a word after it.
    pub fn parse(text: &str, seed: u64) -> Result<Self, PolicyError> {
        Self::parse_over(text, seed, Weighing::default(), MinCandidate::Kept)
    }

    /// The same where this is the weighing and the MIN candidate of a text that does not say them.
    fn parse_over(
        text: &str,
        seed: u64,
        weighing: Weighing,
        open_min: MinCandidate,
    ) -> Result<Self, PolicyError> {
        let (set, words) = split(text);
        let (mut threshold, mut candidates, mut gate) = (None, None, None);
        let (mut queue, mut min) = (None, None);
        for word in words.into_iter().rev() {
            match word {
                Word::Threshold(found) => {
                    let error = |_| PolicyError::Threshold { found: found.to_owned() };
                    once(&mut threshold, found.parse().map_err(error)?, "T", found)?;
                }
                Word::Candidates(found) => {
                    let error = |error| PolicyError::Candidates { found: found.to_owned(), error };
                    let read = found.parse().map_err(error)?;
                    once(&mut candidates, read, "the number of candidates", found)?;
                }
                Word::Gate(found) => {
                    let error = |error| PolicyError::Gate { found: found.to_owned(), error };
                    once(&mut gate, found.parse().map_err(error)?, "the gate", found)?;
                }
                Word::Queue(found) => {
                    let known = Queue::ALL.into_iter().find(|queue| queue.name() == found);
                    let read =
                        known.ok_or_else(|| PolicyError::Queue { found: found.to_owned() })?;
                    once(&mut queue, read, "the queue", found)?;
                }
                Word::Min(found) => {
                    let known = MinCandidate::ALL.into_iter().find(|min| min.name() == found);
                    let read = known.ok_or_else(|| PolicyError::Min { found: found.to_owned() })?;
                    once(&mut min, read, "MIN", found)?;
                }
            }
        }
        let weighing = Weighing {
            threshold: threshold.unwrap_or(weighing.threshold),
            candidates: candidates.unwrap_or(weighing.candidates),
            gate: gate.unwrap_or(weighing.gate),
            queue: queue.unwrap_or(weighing.queue),
        };
        let error = |error| PolicyError::Set { text: set.to_owned(), error };
        let min = min.unwrap_or(open_min);
        Ok(Self { weighing, min, ..parse_set(set, seed).map_err(error)?.into() })
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

/// A word after a set.
enum Word<'t> {
    Threshold(&'t str),
    Candidates(&'t str),
    Gate(&'t str),
    Queue(&'t str),
    Min(&'t str),
}

/// The text of a set, and the words after it from the last to the first.
fn split(text: &str) -> (&str, Vec<Word<'_>>) {
    let (mut set, mut words) = (text, Vec::new());
    while let Some((rest, last)) = set.trim_end().rsplit_once(' ') {
        let word = if let Some(found) = last.strip_prefix(THRESHOLD) {
            Word::Threshold(found)
        } else if let Some(found) = last.strip_prefix(GATE) {
            Word::Gate(found)
        } else if let Some(found) = last.strip_prefix(QUEUE) {
            Word::Queue(found)
        } else if let Some(found) = last.strip_prefix(MIN) {
            Word::Min(found)
        } else if last.split_once('x').is_some_and(|(m, k)| is_number(m) && is_number(k)) {
            Word::Candidates(last)
        } else {
            break;
        };
        words.push(word);
        set = rest;
    }
    (set, words)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Notes what a word says, if none before it has said that.
fn once<T>(
    place: &mut Option<T>,
    read: T,
    what: &'static str,
    found: &str,
) -> Result<(), PolicyError> {
    if place.replace(read).is_some() {
        return Err(PolicyError::Twice { found: found.to_owned(), what });
    }
    Ok(())
}

/// What a fabric file says of how decisions weigh. What is `None` is
/// open: with sets that are given it is T = 0, one candidate of each kind, no gate and the MIN path that
/// was kept; where sets are chosen, it is chosen with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeighingSettings {
    /// T of each decision, in flits times hops: MIN is taken while it costs at most this much more than
    /// VLB.
    pub thresholds: Option<PerDecision<i16>>,
    /// How many MIN and VLB candidates each decision draws.
    pub candidates: Option<PerDecision<Candidates>>,
    pub gates: Option<PerDecision<Gate>>,
    /// Which credits are the queue of a port.
    pub queues: Option<PerDecision<Queue>>,
    /// The MIN path that PAR's second look weighs.
    pub second_min: Option<MinCandidate>,
}

impl WeighingSettings {
    /// Changes the policy of a decision to what these settings say.
    pub fn apply(&self, decision: Decision, policy: &mut Policy) {
        let Self { thresholds, candidates, gates, queues, second_min } = self;
        let weighing = &mut policy.weighing;
        if let Some(given) = thresholds {
            weighing.threshold = *given.get(decision);
        }
        if let Some(given) = candidates {
            weighing.candidates = *given.get(decision);
        }
        if let Some(given) = gates {
            weighing.gate = *given.get(decision);
        }
        if let Some(given) = queues {
            weighing.queue = *given.get(decision);
        }
        if let Some(given) = second_min.filter(|_| decision == Decision::ParSecond) {
            policy.min = given;
        }
    }

    /// Reads the policies of all decisions from one policy, or from two for PAR with " then " between. What a
    /// policy leaves out is as these settings say it.
    ///
    /// # Errors
    /// What is wrong with either.
    pub fn read(&self, text: &str, seed: u64) -> Result<PerDecision<Policy>, PolicyError> {
        let rules = PolicyPair::parse(text, seed)?.per_decision().map(|policy| policy.rule);
        let open = self.policies(&rules);
        let (source, second) = text.split_once(THEN).unwrap_or((text, text));
        let policy = |text, open: &Policy| Policy::parse_over(text, seed, open.weighing, open.min);
        let at_source = |open| Ok(Policy { min: MinCandidate::Kept, ..policy(source, open)? });
        Ok(PerDecision {
            ugal_l: at_source(&open.ugal_l)?,
            par_source: at_source(&open.par_source)?,
            par_second: policy(second, &open.par_second)?,
        })
    }

    /// The settings that say all of these policies.
    pub fn of(policies: &PerDecision<Policy>) -> Self {
        Self {
            thresholds: Some(policies.map(|policy| policy.weighing.threshold)),
            candidates: Some(policies.map(|policy| policy.weighing.candidates)),
            gates: Some(policies.map(|policy| policy.weighing.gate)),
            queues: Some(policies.map(|policy| policy.weighing.queue)),
            second_min: Some(policies.par_second.min),
        }
    }

    /// The unthinned policies of these rules.
    pub fn policies(&self, rules: &PerDecision<SetRule>) -> PerDecision<Policy> {
        PerDecision::from_fn(|decision| {
            let mut policy = Policy::from(*rules.get(decision));
            self.apply(decision, &mut policy);
            policy
        })
    }
}

/// A policy for each of PAR's two decisions. UGAL-L has one decision and goes by the policy at the
/// source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyPair {
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
    fn what_a_policy_leaves_out_is_as_the_settings_say() {
        let settings = WeighingSettings {
            thresholds: Some(PerDecision { ugal_l: 1, par_source: 2, par_second: 3 }),
            second_min: Some(MinCandidate::Any),
            ..WeighingSettings::default()
        };
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
        let Weighing { threshold, candidates, gate, queue } = policy.weighing;
        assert_eq!((threshold, candidates.min(), candidates.vlb()), (-2, 2, 4));
        assert_eq!((gate.sixteenths(), queue), (20, Queue::Port));
        assert_eq!(policy.min, MinCandidate::Any);
        assert_eq!(policy.to_string(), "switches:2-3 with returns T=-2 2x4 gate=1.25 MIN=any");
        assert_eq!(parse("all gate=0 1x1 T=0 queue=port MIN=kept").unwrap(), parse("all").unwrap());
        let pair =
            PolicyPair::parse("all queue=channel then 4-hop MIN=any queue=channel", 1).unwrap();
        assert_eq!(pair.to_string(), "all queue=channel then 4-hop queue=channel MIN=any");
        insta::assert_snapshot!(parse("all queue=vc").unwrap_err(), @"queue=vc, accepted port or channel");
        insta::assert_snapshot!(parse("all 1x9").unwrap_err(), @"1x9, accepted the numbers of MIN and VLB candidates, each 1 to 8, with an x between, as in 1x4");
        insta::assert_snapshot!(parse("all gate=1.3").unwrap_err(), @"gate=1.3, accepted a multiple of 1/16 from 0, which is no gate, to 15.9375, as in 1.25");
        insta::assert_snapshot!(parse("all 1x4 T=0 1x2").unwrap_err(), @"1x2 says the number of candidates a second time, but a policy says it at most once");
        insta::assert_snapshot!(parse("all MIN=new").unwrap_err(), @"MIN=new, but MIN must be kept, shortest or any");
        insta::assert_snapshot!(PolicyPair::parse("all MIN=any then all", 1).unwrap_err(), @"MIN=any of the policy at the source, but only PAR's second look has a MIN path to keep or to draw again");
        insta::assert_snapshot!(parse("all T=32768").unwrap_err(), @"T=32768, but T must be a whole number from -32768 to 32767");
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
            min in prop::sample::select(MinCandidate::ALL.to_vec()),
            text in "[a-z0-9:+*, T=-]{0,40}",
        ) {
            let candidates = Candidates::new(m, k).unwrap();
            let gate = Gate::of_sixteenths(sixteenths);
            let weighing = Weighing { threshold, candidates, gate, queue };
            let policy =
                Policy { weighing, min, ..Policy::parse("60% 5-hop by shape", 3).unwrap() };
            prop_assert_eq!(Policy::parse(&policy.to_string(), 3).unwrap(), policy);
            // Anything else is an error, never a panic.
            let _ = PolicyPair::parse(&text, 1);
        }
    }
}
