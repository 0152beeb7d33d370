//! How decisions weigh, as far as stated: the words of a policy, each of which may be left open. They are parameters,
//! so fabric files, options of commands and texts of policies share one table.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt::{self, Display, Formatter};
use tvlb_base::parameter::{Parameter, Parameters, Value};
use tvlb_base::table::Cell;
use tvlb_base::text::quoted;
use tvlb_base::{text, words};
use tvlb_schema::{Candidates, Gate, MinCandidate, Onward, Queue, Weighing};

/// The stated part of how a decision weighs; `None` is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenWeighing {
    /// T, in flits times hops: MIN is taken if it costs at most this much more than VLB.
    pub threshold: Option<i16>,
    /// How many MIN and VLB candidates are drawn.
    pub candidates: Option<Candidates>,
    pub gate: Option<Gate>,
    /// Which credits are the queue of a port.
    pub queue: Option<Queue>,
    /// By which link a VLB packet leaves its intermediate group.
    pub onward: Option<Onward>,
    /// The MIN path that is weighed, if the decision is PAR's second look.
    pub second_min: Option<MinCandidate>,
}

/// The prefix of each word in the text of a policy, in the order of the parameters. Numbers of candidates are
/// recognised by the x between them.
const BEFORE: [&str; 6] = ["T=", "", "gate=", "queue=", "onward=", "MIN="];

const QUEUES: [(Queue, &str); 2] = [
    (Queue::Port, "All virtual channels of the port"),
    (Queue::Channel, "The channel that the packet takes on its first link"),
];

const ONWARD: [(Onward, &str); 2] = [
    (Onward::Drawn, "The one that was drawn with its path"),
    (Onward::Cheapest, "The cheapest by the queues where it comes to the group"),
];

const MIN_CANDIDATES: [(MinCandidate, &str); 3] = [
    (MinCandidate::Kept, "The one by which the packet came"),
    (MinCandidate::Shortest, "One drawn at the second switch, among the shortest from there"),
    (MinCandidate::Any, "One drawn at the second switch, over any link between the groups"),
];

type Of = Parameter<OpenWeighing>;

impl Parameters for OpenWeighing {
    const ALL: &'static [Parameter<Self>] = &[
        Of::switches(
            "threshold",
            "T",
            "T of every decision: MIN is taken up to this much costlier than VLB",
            Value::Text {
                get: |open| open.threshold.into(),
                set: |open, text| {
                    let refused = |_| "accepted a whole number from -32768 to 32767".to_owned();
                    open.threshold = Some(text.parse().map_err(refused)?);
                    Ok(())
                },
            },
        )
        .otherwise("the images', or 0 with --conventional")
        .after("T = ")
        .and_second("second-threshold"),
        Of::switches(
            "candidates",
            "MxK",
            "How many MIN and VLB candidates every decision draws, each 1 to 8, as in 1x4",
            text!(if candidates: Candidates),
        )
        .otherwise("the images', or 1x1 with --conventional")
        .after("")
        .and_second("second-candidates"),
        Of::switches(
            "gate",
            "C",
            "The gate of every decision, as in 1.25, or 0 for none: VLB is weighed only where MIN's queue is longer than \
             so many times the mean queue of the switch's links",
            text!(if gate: Gate),
        )
        .otherwise("the images', or 0 with --conventional")
        .and_second("second-gate"),
        Of::switches(
            "queue",
            "QUEUE",
            "Which credits every decision counts as the queue of a port: those of all virtual channels, or those of the \
             channel that a packet takes on its first link",
            words!(|open| open.queue, |open, queue| open.queue = Some(queue), QUEUES, Queue),
        )
        .otherwise("the images', or port with --conventional")
        .after("queue of ")
        .and_second("second-queue"),
        Of::switches(
            "onward",
            "LINK",
            "By which link a VLB packet leaves its intermediate group",
            words!(|open| open.onward, |open, onward| open.onward = Some(onward), ONWARD, Onward),
        )
        .otherwise("the images', or drawn with --conventional")
        .after("onward ")
        .and_second("second-onward"),
        Of::switches(
            "second-min",
            "MIN",
            "The MIN path that PAR's second look weighs",
            words!(
                |open| open.second_min,
                |open, min| open.second_min = Some(min),
                MIN_CANDIDATES,
                MinCandidate
            ),
        )
        .otherwise("the images', or kept with --conventional"),
    ];

    fn usual() -> Self {
        Self::default()
    }
}

/// Why a word of a policy is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    #[error("{word}, {accepted}")]
    Value { word: String, accepted: String },
    #[error("{word} says the {name} a second time, but a policy says it at most once")]
    Twice { word: String, name: &'static str },
}

impl OpenWeighing {
    /// Everything is stated.
    pub const fn closed(weighing: Weighing, second_min: MinCandidate) -> Self {
        let Weighing { threshold, candidates, gate, queue, onward } = weighing;
        Self {
            threshold: Some(threshold),
            candidates: Some(candidates),
            gate: Some(gate),
            queue: Some(queue),
            onward: Some(onward),
            second_min: Some(second_min),
        }
    }

    /// The words that differ from the defaults of a policy.
    pub fn unusual(weighing: Weighing, second_min: MinCandidate) -> Self {
        fn unless_usual<T: PartialEq>(value: T, usual: &T) -> Option<T> {
            Some(value).filter(|value| value != usual)
        }
        let usual = Weighing::default();
        Self {
            threshold: unless_usual(weighing.threshold, &usual.threshold),
            candidates: unless_usual(weighing.candidates, &usual.candidates),
            gate: unless_usual(weighing.gate, &usual.gate),
            queue: unless_usual(weighing.queue, &usual.queue),
            onward: unless_usual(weighing.onward, &usual.onward),
            second_min: unless_usual(second_min, &MinCandidate::Kept),
        }
    }

    /// How a decision weighs, and which MIN path PAR's second look weighs, with these values for the open words.
    #[must_use]
    pub fn over(&self, weighing: Weighing, second_min: MinCandidate) -> (Weighing, MinCandidate) {
        let weighing = Weighing {
            threshold: self.threshold.unwrap_or(weighing.threshold),
            candidates: self.candidates.unwrap_or(weighing.candidates),
            gate: self.gate.unwrap_or(weighing.gate),
            queue: self.queue.unwrap_or(weighing.queue),
            onward: self.onward.unwrap_or(weighing.onward),
        };
        (weighing, self.second_min.unwrap_or(second_min))
    }

    /// The text before the words of a policy, and the values of the words, each at most once and in any order.
    ///
    /// # Errors
    /// The first word that is not accepted.
    pub fn split(text: &str) -> Result<(&str, Self), WordError> {
        let (mut before, mut words) = (text, Vec::new());
        while let Some((rest, word)) = before.trim_end().rsplit_once(' ') {
            let Some(found) = parameter_of(word) else { break };
            words.push((word, found));
            before = rest;
        }
        let mut open = Self::default();
        for (word, (parameter, value)) in words.into_iter().rev() {
            if parameter.get(&open) != Cell::Nothing {
                return Err(WordError::Twice { word: word.to_owned(), name: parameter.name });
            }
            let refused = |accepted| WordError::Value { word: word.to_owned(), accepted };
            parameter.set(&mut open, value).map_err(refused)?;
        }
        Ok((before, open))
    }
}

/// Its words, without the blank before the first.
impl Serialize for OpenWeighing {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.to_string().trim_start())
    }
}

impl<'de> Deserialize<'de> for OpenWeighing {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        // Each word follows a blank, as after a set.
        let words = format!(" {text}");
        match Self::split(&words) {
            Ok(("", open)) => Ok(open),
            Ok((before, _)) => {
                let word = before.rsplit(' ').next().unwrap_or(before);
                let accepted = "words of a policy, as in T=-2 1x4 gate=1.25 queue=channel";
                Err(de::Error::custom(format_args!("found {}, accepted {accepted}", quoted(word))))
            }
            Err(error) => Err(de::Error::custom(error)),
        }
    }
}

/// The parameter and the value of a word.
fn parameter_of(word: &str) -> Option<(&'static Of, &str)> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    OpenWeighing::ALL.iter().zip(BEFORE).find_map(|(parameter, before)| {
        let value = word.strip_prefix(before)?;
        let numbers = || value.split_once('x').is_some_and(|(m, k)| is_number(m) && is_number(k));
        (!before.is_empty() || numbers()).then_some((parameter, value))
    })
}

/// The words, each after a blank, as they follow the set of a policy.
impl Display for OpenWeighing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (parameter, before) in Self::ALL.iter().zip(BEFORE) {
            match parameter.get(self) {
                Cell::Nothing => {}
                value => write!(f, " {before}{value}")?,
            }
        }
        Ok(())
    }
}
