//! Ranks that run their programs: the step of each, and what it waits for.
//!
//! A message above the eager limit is a rendezvous: its packets may leave when the sender has heard that the receive is
//! posted, and its send is complete when the sender has heard that the last packet has arrived. Any other message
//! leaves at once, and its send is complete when its last packet has left the node. An event at one node is known at
//! another `control_latency_cycles` later, which is at least as long as chunks of switches run ahead of each other; it
//! takes no bandwidth. Ranks of one node exchange messages without the network, in no time.
//!
//! Everything that a rank does follows from events of its own chunk, so ranks of one chunk take their turn together,
//! before the nodes of that chunk send.

use crate::completion_error::{CompletionError, StuckRank};
use crate::job_times::Times;
use crate::jobs::{JobRun, MessageSettings};
use crate::matching::Matching;
use crate::messages::{MessageId, Messages, News, RankEvent, TransferId};
use crate::workload::{Programs, Rank, Step};
use std::collections::{BTreeSet, VecDeque};
use tvlb_schema::NodeId;
use tvlb_simulator::Chunks;

/// A message, and how often each of its stages was reached.
#[derive(Clone, Copy, Debug)]
struct MessageState {
    /// Counted over all jobs, as the receiver is.
    sender: u32,
    receiver: u32,
    packets: u32,
    is_rendezvous: bool,
    is_within_node: bool,
    /// How often the sender has begun to send it.
    sent: u32,
    /// How often the receiver has posted the receive.
    posted: u32,
    /// How often the sender has heard of that.
    cleared: u32,
    arrived: u32,
}

/// What a rank waits for before it takes its next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    Nothing,
    /// That the send of this message is complete.
    Send(MessageId),
    /// That nothing is open that it has opened.
    All,
    /// That the cycle comes in which it goes on.
    Time,
    /// It has taken all its steps.
    Done,
}

#[derive(Clone, Copy, Debug)]
struct RankState {
    job: u32,
    rank: Rank,
    node: NodeId,
    chunk: usize,
    step: u32,
    iteration: u32,
    phase: u32,
    /// The cycle from which [`Step::Until`] counts.
    origin: u32,
    /// Receives and sends that it has opened and that are not closed, except the one that it waits for.
    open: u32,
    awaits: Awaits,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Sends {
    /// The transfers that share its link, packet by packet, the next one first.
    pub(crate) transfers: VecDeque<TransferId>,
    /// Whether the network knows that it has something to send.
    pub(crate) is_awake: bool,
}

#[derive(Debug)]
pub(crate) struct Ranks<'w> {
    jobs: Vec<JobState<'w>>,
    states: Vec<RankState>,
    messages: Vec<MessageState>,
    /// The messages on their way between their nodes.
    pub(crate) under_way: Messages,
    /// Messages that have arrived before one that was sent before, with how often they were sent before.
    early: BTreeSet<(MessageId, u32)>,
    control_latency: u32,
    /// By node.
    pub(crate) sends: Vec<Sends>,
    /// Nodes that have something to send, of which the network does not know that.
    pub(crate) woken: Vec<NodeId>,
    /// Ranks that can go on in this cycle.
    running: VecDeque<u32>,
    /// Ranks that have not taken all their steps.
    pub(crate) left: u32,
    pub(crate) times: Times,
}

#[derive(Debug)]
struct JobState<'w> {
    programs: &'w Programs,
    matching: Matching,
    /// The number of its first message over all jobs, and of its first rank.
    first_message: u32,
    first_rank: u32,
}

impl<'w> Ranks<'w> {
    /// The ranks of these jobs before their first step, which they take in cycle 0.
    pub(crate) fn new(
        jobs: &[JobRun<'w>],
        settings: &MessageSettings,
        control_latency: u32,
        nodes: u32,
        chunks: Chunks<'_>,
    ) -> Self {
        let mut ranks = Self {
            jobs: Vec::new(),
            states: Vec::new(),
            messages: Vec::new(),
            under_way: Messages::new(chunks.count()),
            early: BTreeSet::new(),
            control_latency,
            sends: vec![Sends::default(); nodes as usize],
            woken: Vec::new(),
            running: VecDeque::new(),
            left: 0,
            times: Times::new(jobs),
        };
        for (number, job) in (0..).zip(jobs) {
            let (first_rank, first_message) = (ranks.left, count(ranks.messages.len()));
            let matching = Matching::new(job.programs);
            ranks.messages.extend(matching.messages.iter().map(|&(from, to, bytes)| {
                let [from_node, to_node] = [from, to].map(|rank| job.nodes[rank.as_usize()]);
                MessageState {
                    sender: first_rank + from.0,
                    receiver: first_rank + to.0,
                    packets: settings.packets(bytes),
                    is_rendezvous: bytes > settings.eager_limit_bytes,
                    is_within_node: from_node == to_node,
                    sent: 0,
                    posted: 0,
                    cleared: 0,
                    arrived: 0,
                }
            }));
            for (rank, &node) in (0..).map(Rank).zip(job.nodes) {
                let chunk = chunks.of_node(node);
                ranks.under_way.file(chunk, 0, News::GoesOn(first_rank + rank.0));
                ranks.states.push(RankState {
                    job: number,
                    rank,
                    node,
                    chunk,
                    step: 0,
                    iteration: 0,
                    phase: 0,
                    origin: 0,
                    open: 0,
                    awaits: Awaits::Time,
                });
            }
            ranks.left += job.programs.ranks();
            let programs = job.programs;
            ranks.jobs.push(JobState { programs, matching, first_message, first_rank });
        }
        ranks
    }

    /// Delivers the news of this cycle to the ranks of a chunk, and lets them take all possible steps.
    pub(crate) fn take_steps(&mut self, chunk: usize, now: u32) {
        while let Some(RankEvent { cycle, what }) = self.under_way.next(chunk, now) {
            debug_assert_eq!(cycle, now, "a chunk hears everything in its cycle");
            match what {
                News::Arrived(message, instance) => self.arrived(message, instance, now),
                News::Cleared(message, instance) => self.cleared(message, instance),
                News::Sent(message) => self.send_is_complete(message),
                News::GoesOn(rank) => self.goes_on(rank),
            }
            while let Some(rank) = self.running.pop_front() {
                self.run(rank as usize, now);
            }
        }
    }

    /// The last packet of a message has left its node, whose link is free in the cycle `free`.
    pub(crate) fn has_left(&mut self, message: MessageId, free: u32) {
        let MessageState { sender, is_rendezvous, .. } = self.messages[message.index()];
        if !is_rendezvous {
            self.under_way.file(self.states[sender as usize].chunk, free, News::Sent(message));
        }
    }

    fn goes_on(&mut self, rank: u32) {
        self.states[rank as usize].awaits = Awaits::Nothing;
        self.running.push_back(rank);
    }

    /// Takes steps until one has to wait.
    fn run(&mut self, number: usize, now: u32) {
        while self.states[number].awaits == Awaits::Nothing {
            let RankState { job, rank, step, .. } = self.states[number];
            let of_job = &self.jobs[job as usize];
            let steps = of_job.programs.steps(rank);
            let Some(&next) = steps.get(step as usize) else {
                self.end_iteration(number, now);
                continue;
            };
            let message = of_job.matching.message(rank, step as usize);
            let message = MessageId(of_job.first_message + message.0);
            self.states[number].step += 1;
            match next {
                Step::Post { .. } => self.post(message, now),
                Step::Send { .. } => {
                    if !self.send(message) {
                        self.states[number].awaits = Awaits::Send(message);
                    }
                }
                Step::Start { .. } => {
                    self.states[number].open += 1;
                    if self.send(message) {
                        self.states[number].open -= 1;
                    }
                }
                Step::Wait => {
                    if self.states[number].open > 0 {
                        self.states[number].awaits = Awaits::All;
                    }
                }
                Step::Compute { cycles } => self.pass(number, (now, cycles), now),
                Step::Until { cycle } => {
                    self.pass(number, (self.states[number].origin, cycle), now);
                }
                Step::Origin => self.states[number].origin = now,
                Step::PhaseEnd => {
                    let RankState { iteration, phase, .. } = self.states[number];
                    self.states[number].phase += 1;
                    self.times.phase_ends(job, iteration, phase, now);
                }
            }
        }
    }

    /// Lets a rank continue this many cycles after one, unless that has passed.
    fn pass(&mut self, number: usize, (since, cycles): (u32, u64), now: u32) {
        let until = u32::try_from(cycles).map_or(u32::MAX, |cycles| since.saturating_add(cycles));
        if until > now {
            let chunk = self.states[number].chunk;
            self.under_way.file(chunk, until, News::GoesOn(count(number)));
            self.states[number].awaits = Awaits::Time;
        }
    }

    fn end_iteration(&mut self, number: usize, now: u32) {
        let state = &mut self.states[number];
        self.times.iteration_ends(state.job, state.iteration, now);
        (state.step, state.phase, state.origin) = (0, 0, now);
        state.iteration += 1;
        if state.iteration == self.jobs[state.job as usize].programs.iterations().get() {
            state.awaits = Awaits::Done;
            self.left -= 1;
        }
    }

    /// Opens a receive.
    fn post(&mut self, id: MessageId, now: u32) {
        let message = &mut self.messages[id.index()];
        message.posted += 1;
        if message.arrived >= message.posted {
            return;
        }
        let MessageState { sender, receiver, posted, sent, is_within_node, is_rendezvous, .. } =
            *message;
        self.states[receiver as usize].open += 1;
        if !is_rendezvous {
            return;
        }
        if !is_within_node {
            let chunk = self.states[sender as usize].chunk;
            self.under_way.file(chunk, now + self.control_latency, News::Cleared(id, posted - 1));
        } else if sent >= posted {
            self.take_in(id);
            self.send_is_complete(id);
        }
    }

    /// Begins to send a message. Returns whether that is complete already.
    fn send(&mut self, id: MessageId) -> bool {
        let message = &mut self.messages[id.index()];
        let instance = message.sent;
        message.sent += 1;
        if message.is_within_node {
            let is_complete = !message.is_rendezvous || message.posted > instance;
            if is_complete {
                self.take_in(id);
            }
            return is_complete;
        }
        if !message.is_rendezvous || message.cleared > instance {
            self.let_go(id, instance);
        }
        false
    }

    /// Lets the packets of a message leave.
    fn let_go(&mut self, id: MessageId, instance: u32) {
        let MessageState { sender, receiver, packets, .. } = self.messages[id.index()];
        let [from, to] = [sender, receiver].map(|rank| self.states[rank as usize].node);
        let sends = &mut self.sends[from.as_usize()];
        sends.transfers.push_back(self.under_way.begin(id, instance, to, packets));
        if !std::mem::replace(&mut sends.is_awake, true) {
            self.woken.push(from);
        }
    }

    fn cleared(&mut self, id: MessageId, instance: u32) {
        let message = &mut self.messages[id.index()];
        message.cleared = instance + 1;
        if message.sent > instance {
            self.let_go(id, instance);
        }
    }

    fn arrived(&mut self, id: MessageId, instance: u32, now: u32) {
        let MessageState { sender, is_rendezvous, arrived, .. } = self.messages[id.index()];
        if is_rendezvous {
            let chunk = self.states[sender as usize].chunk;
            self.under_way.file(chunk, now + self.control_latency, News::Sent(id));
        }
        if instance > arrived {
            self.early.insert((id, instance));
            return;
        }
        self.take_in(id);
        while !self.early.is_empty() && self.early.remove(&(id, self.messages[id.index()].arrived))
        {
            self.take_in(id);
        }
    }

    /// The next message on this channel has arrived: its receive, if posted, is closed.
    fn take_in(&mut self, id: MessageId) {
        let message = &mut self.messages[id.index()];
        message.arrived += 1;
        if message.posted >= message.arrived {
            let receiver = message.receiver;
            self.close(receiver);
        }
    }

    fn send_is_complete(&mut self, id: MessageId) {
        let sender = self.messages[id.index()].sender;
        if self.states[sender as usize].awaits == Awaits::Send(id) {
            self.goes_on(sender);
        } else {
            self.close(sender);
        }
    }

    /// One of the receives and sends that a rank has opened is closed.
    fn close(&mut self, rank: u32) {
        let state = &mut self.states[rank as usize];
        state.open -= 1;
        if state.open == 0 && state.awaits == Awaits::All {
            self.goes_on(rank);
        }
    }

    /// Ranks that wait for something that will never come, each with what it waits for; some of them, and how many
    /// there are.
    pub(crate) fn stuck(&self, most: usize) -> (Vec<StuckRank>, u32) {
        let stuck = self.states.iter().filter(|state| state.awaits != Awaits::Done);
        let described = stuck.take(most).map(|state| StuckRank {
            job: state.job,
            rank: state.rank,
            iteration: state.iteration,
            step: state.step - 1,
            other: self.waits_for(state),
            sends: matches!(state.awaits, Awaits::Send(_)),
        });
        (described.collect(), self.left)
    }

    /// The rank that a rank waits for, of several one.
    fn waits_for(&self, state: &RankState) -> Option<Rank> {
        let own = self.jobs[state.job as usize].first_rank + state.rank.0;
        let other = if let Awaits::Send(message) = state.awaits {
            self.messages[message.index()].receiver
        } else {
            let is_open = |message: &&MessageState| {
                message.receiver == own && message.posted > message.arrived
                    || message.sender == own && message.sent > message.arrived
            };
            let open = self.messages.iter().find(is_open)?;
            if open.receiver == own { open.sender } else { open.receiver }
        };
        Some(self.states[other as usize].rank)
    }

    /// Checks that every message was sent, received and delivered once in each iteration.
    pub(crate) fn check_messages(&self, cycle: u32) -> Result<(), CompletionError> {
        for message in &self.messages {
            let MessageState { sender, receiver, sent, posted, arrived, .. } = *message;
            let job = &self.jobs[self.states[sender as usize].job as usize];
            let iterations = job.programs.iterations().get();
            if [sent, posted, arrived] != [iterations; 3] {
                return Err(CompletionError::Unsettled {
                    cycle,
                    iterations,
                    sender,
                    receiver,
                    sent,
                    posted,
                    arrived,
                });
            }
        }
        Ok(())
    }

    /// Whether every node has sent all its packets.
    pub(crate) fn all_has_left(&self) -> bool {
        self.sends.iter().all(|sends| sends.transfers.is_empty())
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("there are fewer ranks and messages than 2^32")
}
