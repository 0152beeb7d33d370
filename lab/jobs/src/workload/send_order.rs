//! The order in which the ranks of a job make sends that may happen in any order.
//!
//! Messages that a rank sends without waiting in between may be sent in any order. If all ranks begin with the same
//! partner, that one receives from all of them in turn, and they wait for each other. A better order lets every rank
//! have one partner at a time, and no two ranks the same: a *colouring* of the messages, in which those of one sender
//! have different colours and so have those of one receiver. As many colours are enough as the busiest rank has
//! messages to send, or to receive (König, 1916), and each rank then sends by rising colour.

use crate::workload::error::WorkloadError;
use crate::workload::program::{Programs, Step};
use crate::workload::rank::Rank;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use tvlb_base::text::quoted;

/// The most colours times ranks: the tables of a colouring take 256 MiB then.
const MOST_CELLS: usize = 1 << 25;

/// An order of sends, by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SendOrder {
    #[default]
    Given,
    /// Between two waits each rank posts all receives first, and then sends in the order of a colouring. The places
    /// where a rank waits, computes, lets time pass or ends a phase stay the same.
    Coloured,
}

impl SendOrder {
    /// The programs with their sends in this order.
    ///
    /// # Errors
    /// Too many messages from or to one rank for a colouring.
    pub fn of(self, programs: &Programs) -> Result<Programs, WorkloadError> {
        match self {
            Self::Given => Ok(programs.clone()),
            Self::Coloured => coloured(programs),
        }
    }
}

impl FromStr for SendOrder {
    type Err = WorkloadError;

    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        match text.trim() {
            "given" => Ok(Self::Given),
            "coloured" => Ok(Self::Coloured),
            _ => {
                let found = format!("{} is not an order of sends", quoted(text));
                Err(WorkloadError::refused(found, "given and coloured"))
            }
        }
    }
}

impl fmt::Display for SendOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Given => "given",
            Self::Coloured => "coloured",
        })
    }
}

/// Whether a step ends a stretch of sends in any order.
const fn is_end(step: &Step) -> bool {
    !matches!(step, Step::Post { .. } | Step::Send { .. } | Step::Start { .. })
}

/// The steps of each rank between these ends, stretch after stretch.
fn stretches(programs: &Programs, rank: Rank) -> impl Iterator<Item = &[Step]> {
    programs.steps(rank).split_inclusive(is_end)
}

fn coloured(programs: &Programs) -> Result<Programs, WorkloadError> {
    let ranks = programs.ranks();
    let count = |rank| stretches(programs, rank).count();
    let most = (0..ranks).map(|rank| count(Rank(rank))).max().unwrap_or(0);
    let mut steps: Vec<Vec<Step>> = vec![Vec::new(); ranks as usize];
    let mut rests: Vec<_> = (0..ranks).map(|rank| stretches(programs, Rank(rank))).collect();
    for _ in 0..most {
        let all: Vec<&[Step]> = rests.iter_mut().map(|rest| rest.next().unwrap_or(&[])).collect();
        let messages = (0..).zip(&all).flat_map(|(from, steps)| {
            let to = steps.iter().filter_map(|step| match *step {
                Step::Send { to, .. } | Step::Start { to, .. } => Some(to.0),
                _ => None,
            });
            to.map(move |to| (from, to))
        });
        let messages: Vec<(u32, u32)> = messages.collect();
        let mut colours = colours(ranks, &messages)?.into_iter();
        for (own, stretch) in steps.iter_mut().zip(all) {
            let mut sends: Vec<(u32, Step)> = Vec::new();
            for step in stretch {
                match step {
                    Step::Send { .. } | Step::Start { .. } => {
                        sends.push((colours.next().expect("one for each message"), *step));
                    }
                    Step::Post { .. } => own.push(*step),
                    _ => {}
                }
            }
            sends.sort_by_key(|&(colour, _)| colour);
            own.extend(sends.into_iter().map(|(_, send)| send));
            own.extend(stretch.last().copied().filter(is_end));
        }
    }
    Programs::new(steps, programs.iterations())
}

/// A colour for each message, from 0, so that no two of one sender and no two of one receiver have the same,
/// and those of one pair rise in their order.
fn colours(ranks: u32, messages: &[(u32, u32)]) -> Result<Vec<u32>, WorkloadError> {
    let mut counts = vec![[0_usize; 2]; ranks as usize];
    for &(from, to) in messages {
        counts[from as usize][0] += 1;
        counts[to as usize][1] += 1;
    }
    let most = counts.iter().flatten().copied().max().unwrap_or(0);
    if most.saturating_mul(ranks as usize) > MOST_CELLS {
        let found = format!(
            "a rank sends or receives {most} messages between two waits, and the job has {ranks} ranks"
        );
        let accepted = format!("for the order coloured a product of at most {MOST_CELLS}");
        return Err(WorkloadError::refused(found, accepted));
    }
    let mut colouring = Colouring::new(ranks as usize, most);
    for (number, &(from, to)) in (0..).zip(messages) {
        colouring.add(number, (from as usize, to as usize), messages);
    }
    // A message keeps its place among those of its pair.
    let mut of_pairs: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (number, &pair) in messages.iter().enumerate() {
        of_pairs.entry(pair).or_default().push(number);
    }
    for of_pair in of_pairs.values().filter(|of_pair| of_pair.len() > 1) {
        let mut own: Vec<u32> = of_pair.iter().map(|&number| colouring.of[number]).collect();
        own.sort_unstable();
        of_pair.iter().zip(own).for_each(|(&number, colour)| colouring.of[number] = colour);
    }
    Ok(colouring.of)
}

/// No message.
const NONE: u32 = u32::MAX;

/// A colouring that grows message by message.
struct Colouring {
    colours: usize,
    /// By sender and colour, and by receiver and colour, the message there.
    at: [Vec<u32>; 2],
    /// By message its colour.
    of: Vec<u32>,
}

impl Colouring {
    fn new(ranks: usize, colours: usize) -> Self {
        Self {
            colours,
            at: [vec![NONE; ranks * colours], vec![NONE; ranks * colours]],
            of: Vec::new(),
        }
    }

    fn free(&self, side: usize, rank: usize) -> usize {
        let own = &self.at[side][rank * self.colours..][..self.colours];
        own.iter().position(|&message| message == NONE).expect("no rank has more than all colours")
    }

    /// Colours the next message. If its sender has one colour to spare and its receiver another, the messages of these
    /// two colours on the alternating path from the receiver exchange colours; the path never reaches the sender, which
    /// has no message of the first.
    fn add(&mut self, number: u32, (from, to): (usize, usize), messages: &[(u32, u32)]) {
        let (of_sender, of_receiver) = (self.free(0, from), self.free(1, to));
        let both = (0..self.colours).find(|&colour| {
            self.at[0][from * self.colours + colour] == NONE
                && self.at[1][to * self.colours + colour] == NONE
        });
        let colour = both.unwrap_or_else(|| {
            self.swap(to, [of_sender, of_receiver], messages);
            of_sender
        });
        self.put(number, (from, to), colour);
    }

    fn put(&mut self, number: u32, (from, to): (usize, usize), colour: usize) {
        self.at[0][from * self.colours + colour] = number;
        self.at[1][to * self.colours + colour] = number;
        let place = number as usize;
        if self.of.len() <= place {
            self.of.resize(place + 1, 0);
        }
        self.of[place] = u32::try_from(colour).expect("at most 2²⁵ colours");
    }

    /// Exchanges two colours on the way of messages that begins at a receiver with the first of them.
    fn swap(&mut self, receiver: usize, colours: [usize; 2], messages: &[(u32, u32)]) {
        let mut way = Vec::new();
        let (mut side, mut rank, mut turn) = (1, receiver, 0);
        loop {
            let message = self.at[side][rank * self.colours + colours[turn]];
            if message == NONE {
                break;
            }
            way.push((message, turn));
            let (from, to) = messages[message as usize];
            rank = if side == 1 { from } else { to } as usize;
            (side, turn) = (1 - side, 1 - turn);
        }
        for &(message, turn) in &way {
            let (from, to) = messages[message as usize];
            self.at[0][from as usize * self.colours + colours[turn]] = NONE;
            self.at[1][to as usize * self.colours + colours[turn]] = NONE;
        }
        for (message, turn) in way {
            let (from, to) = messages[message as usize];
            self.put(message, (from as usize, to as usize), colours[1 - turn]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Motif;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::num::NonZeroU32;

    const ONCE: NonZeroU32 = NonZeroU32::MIN;

    fn programs(motif: &str, ranks: u32) -> Programs {
        motif.parse::<Motif>().unwrap().programs(ranks, 1000, ONCE).unwrap()
    }

    /// In which of its sends a rank sends to which.
    fn partners(programs: &Programs, rank: u32) -> Vec<u32> {
        let steps = programs.steps(Rank(rank)).iter();
        steps
            .filter_map(|step| match step {
                Step::Send { to, .. } | Step::Start { to, .. } => Some(to.0),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn each_rank_of_a_bisection_has_a_partner_of_its_own_at_any_time() {
        let given = programs("bisection", 12);
        let coloured = SendOrder::Coloured.of(&given).unwrap();
        assert_eq!(SendOrder::Given.of(&given).unwrap(), given);
        assert_eq!(partners(&given, 2), [6, 7, 8, 9, 10, 11]);
        for step in 0..6 {
            let all: BTreeSet<u32> = (0..12).map(|rank| partners(&coloured, rank)[step]).collect();
            assert_eq!(all.len(), 12, "{step}");
        }
        // All receives are posted before anything is sent, and the wait stays last.
        let steps = coloured.steps(Rank(3));
        assert!(steps[..6].iter().all(|step| matches!(step, Step::Post { .. })));
        assert_eq!(steps.last(), Some(&Step::Wait));
    }

    #[test]
    fn waits_and_phases_stay_where_they_are() {
        let given = programs("halo3d:3x2x2", 12);
        let coloured = SendOrder::Coloured.of(&given).unwrap();
        assert_eq!((coloured.phases(), coloured.iterations()), (given.phases(), ONCE));
        let ends = |programs: &Programs| {
            programs.steps(Rank(5)).iter().copied().filter(is_end).collect::<Vec<_>>()
        };
        assert_eq!(ends(&coloured), ends(&given));
        // Nothing of an all-to-all exchange can change: each of its steps awaits the one before.
        let all = programs("alltoall", 7);
        assert_eq!(SendOrder::Coloured.of(&all).unwrap(), all);
    }

    #[test]
    fn names_read_back() {
        for name in ["given", "coloured"] {
            assert_eq!(name.parse::<SendOrder>().unwrap().to_string(), name);
        }
        assert_eq!(
            "rotated".parse::<SendOrder>().unwrap_err().to_string(),
            "\"rotated\" is not an order of sends, accepted given and coloured"
        );
    }

    proptest! {
        /// As few colours as there can be, no two of one rank alike, and pairs in their order.
        #[test]
        fn colours_are_few_and_differ(
            ranks in 2..12_u32,
            pairs in prop::collection::vec((0..12_u32, 0..12_u32), 0..120),
        ) {
            let messages: Vec<(u32, u32)> = pairs
                .into_iter()
                .map(|(from, to)| (from % ranks, to % ranks))
                .filter(|(from, to)| from != to)
                .collect();
            let colours = colours(ranks, &messages).unwrap();
            let mut seen = BTreeSet::new();
            let mut counts = vec![[0_u32; 2]; ranks as usize];
            let mut last = BTreeMap::new();
            for (&(from, to), &colour) in messages.iter().zip(&colours) {
                prop_assert!(seen.insert((0, from, colour)) && seen.insert((1, to, colour)));
                counts[from as usize][0] += 1;
                counts[to as usize][1] += 1;
                prop_assert!(last.insert((from, to), colour).is_none_or(|before| before < colour));
            }
            let most = counts.iter().flatten().max().unwrap();
            prop_assert!(colours.iter().all(|colour| colour < most));
        }
    }
}
