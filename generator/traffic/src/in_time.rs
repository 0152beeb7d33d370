//! Traffic in time: patterns that follow each other during a run, and nodes that send in bursts.
//!
//! ```text
//! uniform then shift(2,0) from 20000 then uniform at 0.2 from 40000
//! uniform in bursts(200,600)
//! ```
//!
//! A part after `then` holds from its cycle on, counted from the beginning of the warm-up. What was generated
//! before goes where it was to go. `at` says how much each node offers in a part, if not what the run says.
//!
//! A node that sends in bursts changes between sending and silence, each of which lasts so many cycles on
//! average, geometrically distributed. While it sends, it offers so much more that it offers its load on average.
//!
//! The patterns themselves are not interpreted here: any text is accepted.

use crate::loads::scaled;
use std::fmt;
use std::str::FromStr;
use tvlb_base::text::{Refused, quoted};

/// Decimals of a load.
const LOAD_DECIMALS: usize = 4;
/// The largest mean length of a burst and of a silence, in cycles.
const MOST_MEAN: u32 = 1_000_000;

/// How bursts and silences are written.
const BURSTS: &str = " in bursts(";
const ACCEPTED_BURSTS: &str = "PATTERN in bursts(CYCLES,CYCLES), the mean lengths of a burst and of a silence, 1 to 1000000 each";
const ACCEPTED_PART: &str = "PATTERN [at LOAD] from CYCLE after each then, by rising cycles, with loads above 0 and at most 1";

/// The traffic from a cycle on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch<P> {
    /// The first of its cycles, counted from the beginning of the run.
    pub from: u32,
    pub pattern: P,
    /// What each node offers, in ten-thousandths of a flit per cycle, if not what the run says.
    pub load_10000ths: Option<u32>,
}

impl<P> Stretch<P> {
    /// What each node offers, in flits per cycle, if not what the run says.
    pub fn load(&self) -> Option<f64> {
        self.load_10000ths.map(|load| f64::from(load) / 10_000.0)
    }
}

/// "shift(2,0) at 0.2 from 40000".
impl<P: fmt::Display> fmt::Display for Stretch<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.pattern)?;
        if let Some(load) = self.load() {
            write!(f, " at {load}")?;
        }
        write!(f, " from {}", self.from)
    }
}

/// What a text with `then` or `in bursts` names.
pub(crate) enum InTime<P> {
    Bursts { of: P, sending: u32, silent: u32 },
    Changing { first: P, then: Vec<Stretch<P>> },
}

/// What a text with `then` or `in bursts` names; `None` of any other text.
pub(crate) fn parse<P: FromStr<Err = Refused>>(text: &str) -> Option<Result<InTime<P>, Refused>> {
    let mut parts = text.split(" then ");
    let first = parts.next().unwrap_or(text);
    let then: Vec<&str> = parts.collect();
    if then.is_empty() {
        return text.contains(BURSTS).then(|| in_bursts(text));
    }
    Some(changing(first, &then))
}

fn refused(text: &str, accepted: &'static str) -> Refused {
    Refused::new(format!("found {}", quoted(text)), accepted)
}

fn changing<P: FromStr<Err = Refused>>(first: &str, then: &[&str]) -> Result<InTime<P>, Refused> {
    let first = first.parse()?;
    let mut before = 0;
    let part = |text: &&str| {
        let wrong = || refused(text, ACCEPTED_PART);
        let (what, from) = text.rsplit_once(" from ").ok_or_else(wrong)?;
        let from: u32 = from.trim().parse().map_err(|_| wrong())?;
        if from <= before {
            return Err(wrong());
        }
        before = from;
        let (pattern, load) = match what.rsplit_once(" at ") {
            None => (what, None),
            Some((pattern, load)) => {
                let load =
                    scaled(load.trim(), LOAD_DECIMALS).and_then(|load| u32::try_from(load).ok());
                (pattern, Some(load.filter(|load| (1..=10_000).contains(load)).ok_or_else(wrong)?))
            }
        };
        Ok(Stretch { from, pattern: pattern.parse()?, load_10000ths: load })
    };
    let then = then.iter().map(part).collect::<Result<_, Refused>>()?;
    Ok(InTime::Changing { first, then })
}

fn in_bursts<P: FromStr<Err = Refused>>(text: &str) -> Result<InTime<P>, Refused> {
    let wrong = || refused(text, ACCEPTED_BURSTS);
    let (of, lengths) = text.split_once(BURSTS).ok_or_else(wrong)?;
    let (sending, silent) = lengths
        .trim()
        .strip_suffix(')')
        .and_then(|lengths| lengths.split_once(','))
        .ok_or_else(wrong)?;
    let mean = |text: &str| {
        let mean = text.trim().parse().ok().filter(|mean| (1..=MOST_MEAN).contains(mean));
        mean.ok_or_else(wrong)
    };
    Ok(InTime::Bursts { of: of.parse()?, sending: mean(sending)?, silent: mean(silent)? })
}

#[cfg(test)]
mod tests {
    use crate::Pattern;

    #[test]
    fn names_read_back() {
        for text in [
            "uniform then shift(2,0) from 20000",
            "uniform then shift(2,0) from 20000 then uniform at 0.2 from 40000",
            "uniform in bursts(200,600)",
            "mixed(50,50,1,0) in bursts(1,1000000) then type2#3 in bursts(5,5) at 0.0001 from 1",
            "uniform then hot-switch at 1 from 7",
        ] {
            assert_eq!(text.parse::<Pattern>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let error = |text: &str| text.parse::<Pattern>().unwrap_err().to_string();
        assert!(
            error("uniform then shift(2,0)")
                .starts_with("found \"shift(2,0)\", accepted PATTERN [at LOAD] from CYCLE")
        );
        assert!(
            error("uniform in bursts(200)")
                .contains("the mean lengths of a burst and of a silence")
        );
        for text in [
            "uniform then shift(2,0) from",
            "uniform then shift(2,0) from 0",
            "uniform then shift(2,0) from 20 then uniform from 20",
            "uniform then shift(2,0) at 1.1 from 20",
            "uniform then shift(2,0) at 0 from 20",
            "uniform then shift(2,0) at 0.00001 from 20",
            "uniform from 0 then shift(2,0) from 20",
            "sideways then uniform from 20",
            "uniform then sideways from 20",
            "uniform in bursts(0,5)",
            "uniform in bursts(5,1000001)",
            "uniform in bursts(5,5) in bursts(5,5)",
            "sideways in bursts(5,5)",
        ] {
            assert!(error(text).contains("accepted"), "{text}");
        }
    }
}
