//! Rank programs: the steps of each rank of one job, as flat data.
//!
//! A program says which messages a rank sends and receives, in which order, and what it waits for. It contains no
//! nodes, packets, routes or times. The runner decides how long a message takes. The steps are those of *one*
//! iteration, and every rank runs its steps again for each iteration.
//!
//! # How a rank runs
//! A rank takes its steps in order, each as soon as the previous step is done:
//!
//! - [`Step::Post`] is done at once. It opens a receive.
//! - [`Step::Send`] is done when the send is complete.
//! - [`Step::Start`] is done at once. It opens a send, which goes on beside the following steps.
//! - [`Step::Wait`] is done when all receives and sends that this rank has opened are closed. A receive closes when its
//!   message has arrived, and a send closes when it is complete. The runner defines whether a send completes before or
//!   only after the receiver has posted its receive.
//! - [`Step::Compute`] is done after that many cycles, in which the rank's open sends and receives go on.
//! - [`Step::Until`] is done in its cycle, or at once if that has passed. Its cycles are counted from the one in which
//!   the rank began the iteration, or last took a [`Step::Origin`], which is done at once.
//! - [`Step::PhaseEnd`] is done at once. It does not wait for other ranks.
//!
//! After the last step of an iteration the rank begins the next iteration at once. There is no barrier: only messages
//! keep ranks together. No send and no receive is open at the end of an iteration.
//!
//! The k-th message that rank s sends to rank r, by `Send` or `Start`, is received by the k-th receive that r
//! posts from s. Messages of different pairs are in no order.
//!
//! # Example
//! ```
//! use std::num::NonZeroU32;
//! use tvlb_jobs::workload::{Programs, Rank, Step};
//!
//! // Two ranks exchange 4 KB, twice.
//! let exchange = |with| [
//!     Step::Post { from: Rank(with), bytes: 4000 },
//!     Step::Send { to: Rank(with), bytes: 4000 },
//!     Step::Wait,
//! ];
//! let programs = Programs::new([exchange(1), exchange(0)], NonZeroU32::new(2).ok_or("none")?)?;
//! assert_eq!((programs.ranks(), programs.iterations().get()), (2, 2));
//! assert_eq!(programs.steps(Rank(0))[1], Step::Send { to: Rank(1), bytes: 4000 });
//!
//! // A message that nobody receives.
//! let lost = [vec![Step::Send { to: Rank(1), bytes: 8 }], vec![]];
//! assert!(Programs::new(lost, NonZeroU32::MIN).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::partition::Graph;
use crate::workload::error::WorkloadError;
use crate::workload::rank::Rank;
use std::num::NonZeroU32;

/// The most steps that all ranks of a job take in one iteration; they take 2 GiB.
pub const MOST_STEPS: usize = 1 << 27;

/// One step of a rank. The head of the module says what each step waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Opens a receive for the next message of a rank: the k-th receive that this rank posts from that rank
    /// takes the k-th message.
    Post {
        /// The sender, another rank of the job.
        from: Rank,
        /// The length of the message in bytes, which is the sender's too. A message of no bytes is a message.
        bytes: u64,
    },
    /// Sends a message and goes on when the send is complete.
    Send {
        /// The receiver, another rank of the job.
        to: Rank,
        /// The length of the message in bytes.
        bytes: u64,
    },
    /// Begins to send a message and goes on at once. Sends that a rank has open at the same time share its
    /// node's link packet by packet.
    Start {
        /// The receiver, another rank of the job.
        to: Rank,
        /// The length of the message in bytes.
        bytes: u64,
    },
    /// Goes on when all receives and sends that this rank has opened are closed.
    Wait,
    /// Computes, and sends and receives nothing new.
    Compute {
        /// For how long, in cycles.
        cycles: u64,
    },
    /// Goes on in a cycle, or at once if that is over.
    Until {
        /// Counted from the cycle in which this rank began the iteration, or from that of its last
        /// [`Step::Origin`].
        cycle: u64,
    },
    /// The cycles of [`Step::Until`] are counted from now on.
    Origin,
    /// Ends a phase of the iteration, so that its time can be told. Every rank of a job has equally many.
    PhaseEnd,
}

/// The programs of all ranks of one job. Each message has its sender and its receiver: see
/// [`Programs::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// The steps of one iteration, rank after rank.
    steps: Vec<Step>,
    /// Where the steps of each rank begin, and where those of the last one end.
    starts: Vec<usize>,
    iterations: NonZeroU32,
    phases: u32,
}

impl Programs {
    /// Programs from the steps that each rank takes in one iteration, rank after rank.
    ///
    /// # Errors
    /// There are more than [`MOST_STEPS`] steps, or the first rank, by number, violates one of these rules:
    /// - it sends to and receives from other ranks of the job,
    /// - it has as many [`Step::PhaseEnd`] as rank 0,
    /// - it has a [`Step::Wait`] after the last receive or send that it opens,
    /// - it posts as many receives from each rank as that rank sends messages to it, of the same lengths in
    ///   the same order.
    ///
    /// Valid programs may still wait for each other for ever. Only the runner finds that.
    pub fn new<R>(
        ranks: impl IntoIterator<Item = R>,
        iterations: NonZeroU32,
    ) -> Result<Self, WorkloadError>
    where
        R: IntoIterator<Item = Step>,
    {
        let (mut steps, mut starts) = (Vec::new(), vec![0]);
        for rank in ranks {
            // One more than there may be, so that a list that goes on is seen.
            let room = MOST_STEPS + 1 - steps.len();
            steps.extend(rank.into_iter().take(room));
            if steps.len() > MOST_STEPS {
                return Err(too_many_steps());
            }
            starts.push(steps.len());
        }
        let mut programs = Self { steps, starts, iterations, phases: 0 };
        u32::try_from(programs.starts.len() - 1).map_err(|_| {
            let found = format!("the job has {} ranks", programs.starts.len() - 1);
            WorkloadError::refused(found, format!("at most {}", u32::MAX))
        })?;
        programs.phases = programs.check_ranks()?;
        programs.check_messages()?;
        Ok(programs)
    }

    /// The same programs, but every rank begins each iteration by computing for this many cycles.
    ///
    /// # Errors
    /// That the programs then have more than [`MOST_STEPS`] steps.
    pub fn after_computing(self, cycles: u64) -> Result<Self, WorkloadError> {
        if cycles == 0 {
            return Ok(self);
        }
        let first = [Step::Compute { cycles }].into_iter();
        let ranks = (0..self.ranks())
            .map(|rank| first.clone().chain(self.steps(Rank(rank)).iter().copied()));
        Self::new(ranks, self.iterations)
    }

    /// The same programs, but every rank waits this many cycles before its first iteration. All iterations become one,
    /// with the phases of all; each counts its own cycles.
    ///
    /// # Errors
    /// That the programs then have more than [`MOST_STEPS`] steps.
    pub fn beginning_after(&self, cycles: u64) -> Result<Self, WorkloadError> {
        let iterations = self.iterations.get() as usize;
        let counts = self.steps.iter().any(|step| matches!(step, Step::Until { .. }));
        let ranks = (0..self.ranks()).map(|rank| {
            let steps = self.steps(Rank(rank));
            let all = std::iter::repeat_n(steps, iterations);
            let all = all.flat_map(move |steps| {
                counts.then_some(Step::Origin).into_iter().chain(steps.iter().copied())
            });
            std::iter::once(Step::Compute { cycles }).chain(all)
        });
        Self::new(ranks, NonZeroU32::MIN)
    }

    /// How many ranks the job has.
    pub fn ranks(&self) -> u32 {
        u32::try_from(self.starts.len() - 1).expect("`new` counted the ranks")
    }

    /// The steps that a rank takes in each iteration.
    ///
    /// # Panics
    /// If the job has no such rank.
    #[inline]
    pub fn steps(&self, rank: Rank) -> &[Step] {
        &self.steps[self.starts[rank.as_usize()]..self.starts[rank.as_usize() + 1]]
    }

    /// How often every rank takes its steps.
    pub const fn iterations(&self) -> NonZeroU32 {
        self.iterations
    }

    /// How many phases an iteration has, as its ranks mark them; 0 if it is not divided.
    pub const fn phases(&self) -> u32 {
        self.phases
    }

    /// The messages that all ranks send in one iteration: sender, receiver and length in bytes; by sender, and
    /// then in the order of sending.
    pub fn messages(&self) -> impl Iterator<Item = (Rank, Rank, u64)> {
        (0..self.ranks()).map(Rank).flat_map(|rank| {
            self.steps(rank).iter().filter_map(move |step| match *step {
                Step::Send { to, bytes } | Step::Start { to, bytes } => Some((rank, to, bytes)),
                _ => None,
            })
        })
    }

    /// The bytes that ranks exchange in an iteration, as weights of edges, both ways.
    pub fn graph(&self) -> Graph {
        let edges = self.messages().map(|(from, to, bytes)| (from.0, to.0, bytes));
        Graph::from_edges(self.ranks(), edges)
    }

    /// Checks each rank's steps on their own, and counts the phases.
    fn check_ranks(&self) -> Result<u32, WorkloadError> {
        let ranks = self.ranks();
        let mut phases = None;
        for rank in (0..ranks).map(Rank) {
            let (mut marks, mut is_open) = (0, false);
            for step in self.steps(rank) {
                match *step {
                    Step::Post { from: other, .. }
                    | Step::Send { to: other, .. }
                    | Step::Start { to: other, .. } => {
                        if other == rank || other.0 >= ranks {
                            let found =
                                format!("rank {rank} exchanges a message with rank {other}");
                            let accepted = format!("another rank of the job, 0 to {}", ranks - 1);
                            return Err(WorkloadError::refused(found, accepted));
                        }
                        is_open |= !matches!(step, Step::Send { .. });
                    }
                    Step::Wait => is_open = false,
                    Step::Compute { .. } | Step::Until { .. } | Step::Origin => {}
                    Step::PhaseEnd => marks += 1,
                }
            }
            if is_open {
                let found = format!("rank {rank} ends an iteration with a receive or a send open");
                return Err(WorkloadError::refused(found, "a wait after the last of them"));
            }
            let expected = *phases.get_or_insert(marks);
            if marks != expected {
                let found = format!("rank {rank} ends {marks} phases in an iteration");
                return Err(WorkloadError::refused(found, format!("{expected}, as rank 0 does")));
            }
        }
        Ok(phases.unwrap_or(0))
    }

    /// Checks that every message has its receive.
    fn check_messages(&self) -> Result<(), WorkloadError> {
        // The messages to each receiver, by sender and then in the order of sending.
        let ranks = self.ranks() as usize;
        let mut starts = vec![0_usize; ranks + 1];
        for (_, to, _) in self.messages() {
            starts[to.as_usize() + 1] += 1;
        }
        for rank in 0..ranks {
            starts[rank + 1] += starts[rank];
        }
        let mut next = starts.clone();
        let mut sent = vec![(Rank(0), 0_u64); starts[ranks]];
        for (from, to, bytes) in self.messages() {
            sent[next[to.as_usize()]] = (from, bytes);
            next[to.as_usize()] += 1;
        }
        let mut posted = Vec::new();
        for to in (0..self.ranks()).map(Rank) {
            let sent = &sent[starts[to.as_usize()]..starts[to.as_usize() + 1]];
            posted.clear();
            posted.extend(self.steps(to).iter().filter_map(|step| match *step {
                Step::Post { from, bytes } => Some((from, bytes)),
                _ => None,
            }));
            posted.sort_by_key(|&(from, _)| from); // stable: the order of posting stays
            let differs = sent.iter().zip(&posted).position(|(one, other)| one != other);
            let place = differs.unwrap_or(sent.len().min(posted.len()));
            if place < sent.len().max(posted.len()) {
                return Err(mismatch(to, sent, &posted, place));
            }
        }
        Ok(())
    }
}

/// The error at the first place where the messages sent to a rank and the receives that it posts, both sorted by
/// sender, differ.
fn mismatch(to: Rank, sent: &[(Rank, u64)], posted: &[(Rank, u64)], place: usize) -> WorkloadError {
    let senders = [sent.get(place), posted.get(place)].into_iter().flatten();
    let from = senders.map(|&(from, _)| from).min().expect("one of the two lists goes on here");
    let of_sender = |list: &[(Rank, u64)]| -> Vec<u64> {
        list.iter().filter(|(other, _)| *other == from).map(|&(_, bytes)| bytes).collect()
    };
    let (sent, posted) = (of_sender(sent), of_sender(posted));
    if sent.len() != posted.len() {
        let (sent, posted) = (sent.len(), posted.len());
        let found = format!(
            "rank {from} sends {sent} messages to rank {to} in an iteration, which posts {posted} receives from it"
        );
        return WorkloadError::refused(found, "equally many");
    }
    let lengths = sent.into_iter().zip(posted);
    let differs = (1..).zip(lengths).find(|(_, (sent, posted))| sent != posted);
    let (number, (sent, posted)) = differs.expect("equally many messages differ by a length");
    let found = format!(
        "message {number} from rank {from} to rank {to} is sent with {sent} bytes and received with {posted}"
    );
    WorkloadError::refused(found, "the same length on both sides")
}

/// That the programs of a job are longer than they may be.
pub(super) fn too_many_steps() -> WorkloadError {
    let found = format!("the job's ranks take more than {MOST_STEPS} steps in an iteration");
    WorkloadError::refused(found, "at most so many")
}

#[cfg(test)]
mod tests {
    use super::*;
    use Step::{Compute, PhaseEnd, Wait};

    const ONCE: NonZeroU32 = NonZeroU32::MIN;

    fn post(from: u32, bytes: u64) -> Step {
        Step::Post { from: Rank(from), bytes }
    }

    fn send(to: u32, bytes: u64) -> Step {
        Step::Send { to: Rank(to), bytes }
    }

    fn start(to: u32, bytes: u64) -> Step {
        Step::Start { to: Rank(to), bytes }
    }

    fn error<const N: usize>(ranks: [Vec<Step>; N]) -> String {
        Programs::new(ranks, ONCE).unwrap_err().to_string()
    }

    #[test]
    fn steps_are_those_of_each_rank() {
        let first = vec![Compute { cycles: 3 }, start(2, 5), send(2, 7), Wait, PhaseEnd];
        let last = vec![post(0, 5), post(0, 7), Wait, PhaseEnd];
        let programs = Programs::new([first.clone(), vec![PhaseEnd], last.clone()], ONCE).unwrap();
        assert_eq!((programs.ranks(), programs.phases()), (3, 1));
        assert_eq!(programs.steps(Rank(0)), first);
        assert_eq!(programs.steps(Rank(1)), [PhaseEnd]);
        assert_eq!(programs.steps(Rank(2)), last);
        let messages: Vec<_> = programs.messages().collect();
        assert_eq!(messages, [(Rank(0), Rank(2), 5), (Rank(0), Rank(2), 7)]);
        assert_eq!(programs.graph().edges().collect::<Vec<_>>(), [(0, 2, 12)]);
    }

    #[test]
    fn computing_comes_first_in_each_iteration() {
        let pair = [vec![send(1, 5)], vec![post(0, 5), Wait]];
        let twice = NonZeroU32::new(2).unwrap();
        let programs = Programs::new(pair.clone(), twice).unwrap();
        assert_eq!(programs.clone().after_computing(0).unwrap(), programs);
        let computing = programs.after_computing(7).unwrap();
        assert_eq!(computing.steps(Rank(1)), [Compute { cycles: 7 }, post(0, 5), Wait]);
        assert_eq!((computing.ranks(), computing.iterations()), (2, twice));
        let later = computing.beginning_after(9).unwrap();
        let twice = [post(0, 5), Wait, Compute { cycles: 7 }, post(0, 5), Wait];
        assert_eq!(later.steps(Rank(1))[..2], [Compute { cycles: 9 }, Compute { cycles: 7 }]);
        assert_eq!((&later.steps(Rank(1))[2..], later.iterations()), (&twice[..], ONCE));
    }

    /// The cycles of a step count from its own iteration, however many are made one.
    #[test]
    fn iterations_that_are_made_one_count_their_own_cycles() {
        let wait = Step::Until { cycle: 70 };
        let pair = [vec![wait, send(1, 5)], vec![post(0, 5), Wait]];
        let twice = Programs::new(pair, NonZeroU32::new(2).unwrap()).unwrap();
        let later = twice.beginning_after(9).unwrap();
        let of_iteration = [Step::Origin, wait, send(1, 5)];
        assert_eq!(later.steps(Rank(0))[1..], [of_iteration, of_iteration].concat());
    }

    #[test]
    fn a_step_takes_sixteen_bytes() {
        assert_eq!(size_of::<Step>(), 16);
    }

    #[test]
    fn messages_match_by_pair_and_in_order() {
        // Rank 2 may post in another order of senders than the messages come in.
        let posts = vec![post(1, 4), post(0, 1), post(1, 5), post(0, 2), Wait];
        assert!(
            Programs::new(
                [vec![send(2, 1), send(2, 2)], vec![send(2, 4), send(2, 5)], posts],
                ONCE
            )
            .is_ok()
        );
        assert_eq!(
            error([vec![send(1, 1), send(1, 2)], vec![post(0, 2), post(0, 1), Wait]]),
            "message 1 from rank 0 to rank 1 is sent with 1 bytes and received with 2, accepted the \
             same length on both sides"
        );
        assert_eq!(
            error([vec![send(1, 1), send(1, 2)], vec![post(0, 1), Wait], vec![]]),
            "rank 0 sends 2 messages to rank 1 in an iteration, which posts 1 receives from it, \
             accepted equally many"
        );
        assert_eq!(
            error([vec![send(2, 1)], vec![], vec![post(0, 1), post(1, 1), Wait]]),
            "rank 1 sends 0 messages to rank 2 in an iteration, which posts 1 receives from it, \
             accepted equally many"
        );
        // The pair is named at which the lists first differ, not the one at which they end.
        assert_eq!(
            error([vec![send(2, 1)], vec![send(2, 1)], vec![post(1, 1), Wait]]),
            "rank 0 sends 1 messages to rank 2 in an iteration, which posts 0 receives from it, \
             accepted equally many"
        );
    }

    #[test]
    fn partners_are_other_ranks_of_the_job() {
        assert_eq!(
            error([vec![send(2, 1)], vec![]]),
            "rank 0 exchanges a message with rank 2, accepted another rank of the job, 0 to 1"
        );
        assert_eq!(
            error([vec![], vec![post(1, 1), Wait]]),
            "rank 1 exchanges a message with rank 1, accepted another rank of the job, 0 to 1"
        );
    }

    #[test]
    fn what_is_opened_is_awaited() {
        for open in [start(1, 1), post(1, 1)] {
            assert_eq!(
                error([vec![Wait, open, PhaseEnd], vec![]]),
                "rank 0 ends an iteration with a receive or a send open, accepted a wait after the \
                 last of them"
            );
        }
    }

    #[test]
    fn every_rank_marks_equally_many_phases() {
        assert_eq!(
            error([vec![PhaseEnd], vec![PhaseEnd, PhaseEnd]]),
            "rank 1 ends 2 phases in an iteration, accepted 1, as rank 0 does"
        );
    }

    #[test]
    fn a_job_without_ranks_has_no_steps() {
        let programs = Programs::new(Vec::<Vec<Step>>::new(), ONCE).unwrap();
        assert_eq!((programs.ranks(), programs.messages().count()), (0, 0));
    }
}
