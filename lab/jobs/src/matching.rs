//! Matches receives with messages: the k-th receive that a rank posts from another takes the k-th message that the
//! other sends to it.
//!
//! Every rank repeats the same steps in each iteration, and a receiver posts as many receives from a sender as that
//! sends messages, so a send and its receive are the same steps in every iteration. They are matched once, before
//! anything runs.

use crate::messages::MessageId;
use crate::workload::{Programs, Rank, Step};

/// The messages of one job, and which steps they are.
#[derive(Debug)]
pub(crate) struct Matching {
    /// The message of each step that sends or receives one, counted from the job's first; other steps
    /// have an entry without meaning. Rank after rank.
    of_step: Vec<MessageId>,
    /// Where the steps of each rank begin.
    starts: Vec<usize>,
    /// Sender, receiver and length of each message.
    pub(crate) messages: Vec<(Rank, Rank, u64)>,
}

impl Matching {
    /// For the programs of a job. There are fewer messages than 2³², because there are fewer steps.
    pub(crate) fn new(programs: &Programs) -> Self {
        let (mut sends, mut posts, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        let mut number = 0;
        for rank in (0..programs.ranks()).map(Rank) {
            starts.push(number);
            for step in programs.steps(rank) {
                match *step {
                    Step::Send { to, bytes } | Step::Start { to, bytes } => {
                        sends.push((to, rank, number, bytes));
                    }
                    Step::Post { from, .. } => posts.push((rank, from, number)),
                    Step::Wait
                    | Step::Compute { .. }
                    | Step::Until { .. }
                    | Step::Origin
                    | Step::PhaseEnd => {}
                }
                number += 1;
            }
        }
        // By receiver, sender, and place in the program of the one or the other.
        sends.sort_unstable();
        posts.sort_unstable();
        let mut of_step = vec![MessageId(0); number];
        let mut messages = Vec::with_capacity(sends.len());
        for ((message, (to, from, send, bytes)), (_, _, post)) in (0..).zip(sends).zip(posts) {
            of_step[send] = MessageId(message);
            of_step[post] = MessageId(message);
            messages.push((from, to, bytes));
        }
        Self { of_step, starts, messages }
    }

    /// The message that a rank's step sends or receives, counted from the job's first.
    #[inline]
    pub(crate) fn message(&self, rank: Rank, step: usize) -> MessageId {
        self.of_step[self.starts[rank.as_usize()] + step]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;
    use std::num::NonZeroU32;

    #[test]
    fn receives_take_messages_by_pair_and_in_order() {
        let send = |to, bytes| Step::Send { to: Rank(to), bytes };
        let post = |from, bytes| Step::Post { from: Rank(from), bytes };
        let ranks = [
            vec![send(2, 10), send(1, 20), send(2, 30)],
            vec![post(0, 20), Step::Wait, Step::Start { to: Rank(2), bytes: 40 }, Step::Wait],
            vec![post(1, 40), post(0, 10), post(0, 30), Step::Wait],
        ];
        let matching = Matching::new(&Programs::new(ranks, NonZeroU32::MIN).unwrap());
        let of = |rank, step| {
            let message = matching.message(Rank(rank), step);
            let (from, to, bytes) = matching.messages[message.index()];
            (from.0, to.0, bytes)
        };
        assert_eq!(matching.messages.len(), 4);
        assert_eq!((of(0, 0), of(2, 1)), ((0, 2, 10), (0, 2, 10)));
        assert_eq!((of(0, 1), of(1, 0)), ((0, 1, 20), (0, 1, 20)));
        assert_eq!((of(0, 2), of(2, 2)), ((0, 2, 30), (0, 2, 30)));
        assert_eq!((of(1, 2), of(2, 0)), ((1, 2, 40), (1, 2, 40)));
    }
}
