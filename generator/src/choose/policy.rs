//! A decision's policy: its T-VLB set and its threshold T, and how both are written.

use crate::set_grammar::{SetGrammarError, canonical, parse_set};
use std::fmt;
use tvlb_schema::SetRule;

/// Between the set and T.
const THRESHOLD: &str = " T=";
/// Between PAR's policy at the source and that of its second look.
const THEN: &str = " then ";

/// What one decision of a switch goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// The set.
    pub rule: SetRule,
    /// T, in flits times hops: MIN is taken while it costs at most this much more.
    pub threshold: i16,
}

/// T is 0.
impl From<SetRule> for Policy {
    fn from(rule: SetRule) -> Self {
        Self { rule, threshold: 0 }
    }
}

/// In the grammar of sets, with " T=8" behind if T is not 0.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&canonical(&self.rule))?;
        match self.threshold {
            0 => Ok(()),
            threshold => write!(f, "{THRESHOLD}{threshold}"),
        }
    }
}

/// Why a text is no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Its set is none.
    #[error("{error}\n{}", error.marked(text))]
    Set {
        /// The set's text.
        text: String,
        /// What is wrong with it.
        error: SetGrammarError,
    },
    /// Its T is no number of 16 bits.
    #[error("T={found}, but T must be a whole number from -32768 to 32767")]
    Threshold {
        /// What stands behind `T=`.
        found: String,
    },
}

impl Policy {
    /// Reads `SET` or `SET T=N`. `seed` becomes the set's.
    ///
    /// # Errors
    /// What is wrong with the set or with T.
    pub fn parse(text: &str, seed: u64) -> Result<Self, PolicyError> {
        let (set, threshold) = match text.rsplit_once(THRESHOLD) {
            None => (text, 0),
            Some((set, found)) => {
                let threshold = found.trim().parse();
                let error = |_| PolicyError::Threshold { found: found.trim().to_owned() };
                (set, threshold.map_err(error)?)
            }
        };
        let error = |error| PolicyError::Set { text: set.to_owned(), error };
        Ok(Self { rule: parse_set(set, seed).map_err(error)?, threshold })
    }

    /// Reads one policy, for both of PAR's decisions, or two with " then " between.
    ///
    /// # Errors
    /// What is wrong with either.
    pub fn parse_pair(text: &str, seed: u64) -> Result<(Self, Self), PolicyError> {
        match text.split_once(THEN) {
            None => Self::parse(text, seed).map(|policy| (policy, policy)),
            Some((source, second)) => Ok((Self::parse(source, seed)?, Self::parse(second, seed)?)),
        }
    }
}

/// What [`Policy::parse_pair`] reads.
pub fn in_words((source, second): &(Policy, Policy)) -> String {
    if source == second { source.to_string() } else { format!("{source}{THEN}{second}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_policy_is_a_set_and_may_have_a_threshold() {
        let parse = |text: &str| Policy::parse(text, 1);
        assert_eq!(parse("all").unwrap().threshold, 0);
        let policy = parse("2*shapes:110, only:111 T=-8").unwrap();
        assert_eq!(policy.threshold, -8);
        assert_eq!(policy.rule, parse("2*shapes:110, only:111").unwrap().rule);
        let (source, second) = Policy::parse_pair("all T=4 then shapes:011", 1).unwrap();
        assert_eq!((source.threshold, second.threshold), (4, 0));
        assert_eq!(Policy::parse_pair("all", 1).unwrap().1, parse("all").unwrap());
        insta::assert_snapshot!(parse("all T=32768").unwrap_err(), @"T=32768, but T must be a whole number from -32768 to 32767");
        insta::assert_snapshot!(Policy::parse_pair("all then", 1).unwrap_err(), @r"
        column 5: found `then`, accepted `,` and another term, `by route`, `by shape` or the end
        all then
            ^^^^
        ");
        insta::assert_snapshot!(Policy::parse_pair("all then shape:110", 1).unwrap_err(), @r"
        column 1: found `shape`, accepted `min`, `all`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, `shapes:`, `only:`, a weight as in `3*` or a percentage as in `60%`
        shape:110
        ^^^^^
        ");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_alike(threshold: i16, text in "[a-z0-9:+*, T=-]{0,40}") {
            let policy = Policy { threshold, ..Policy::parse("60% 5-hop by shape", 3).unwrap() };
            prop_assert_eq!(Policy::parse(&policy.to_string(), 3).unwrap(), policy);
            // Anything else is an error, never a panic.
            let _ = Policy::parse_pair(&text, 1);
        }
    }
}
