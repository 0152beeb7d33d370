//! A network in parts that threads run in parallel, with the same result as in one.
//!
//! A part has some chunks of switches with consecutive numbers, their nodes, and all packets in their buffers and on
//! the links that lead away from them. All parts run as many cycles as an effect takes at least from one to another.
//! Then they meet: each hands over what will reach the others in the same number of cycles, and takes what reaches
//! itself. Events farther ahead stay where they were filed until their turn comes, so filing a flit does not depend on
//! its part.
//!
//! The result is the same for any number of parts, because it does not depend on the order in which the events of one
//! cycle are filed, and every node and every switch has random numbers of its own.

use crate::decider::Decider;
use crate::links::{Handed, UnderWay};
use crate::memory::MOST_EMPTY;
use crate::network::{DatapathError, Network};
use crate::numbers::PORTS;
use crate::packet_source::PacketSource;
use crate::switch_state::InputChannel;
use std::hint::spin_loop;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The fewest chunks of a part: with fewer the parts do too little between two meetings.
const FEWEST_CHUNKS: usize = 2;

impl<S: PacketSource, D: Decider> Network<'_, S, D> {
    /// Divides the network between two cycles into this many parts, or fewer if there are fewer independent chunks.
    /// Networks in which parts die, or whose source must see all nodes, are not divided.
    pub(crate) fn divide(&mut self, parts: usize) {
        let step = self.horizon.chunks;
        let steps = self.states.all_chunks.div_ceil(step);
        // Each part files events for all chunks, because filing a flit does not depend on its part.
        let ahead = UnderWay::bytes_ahead(self.links.credits.horizon(), self.states.all_chunks);
        let fit = usize::try_from(MOST_EMPTY / ahead).unwrap_or(usize::MAX);
        let parts = parts.min(steps).min(self.states.all_chunks / FEWEST_CHUNKS).min(fit).max(1);
        if parts == self.beside.len() + 1 || self.damage.is_some() {
            return;
        }
        let of_part = |_| Some((self.packets.of_part()?, self.decider.of_part()?));
        let users: Option<Vec<(S, D)>> = (1..parts).map(of_part).collect();
        let Some(users) = users else { return };
        for part in std::mem::take(&mut self.beside) {
            self.append(part);
        }
        for (part, user) in (1..parts).rev().zip(users) {
            let part = self.split_off(steps * part / parts * step, user);
            self.beside.insert(0, part);
        }
    }

    /// Keeps the chunks before this one, and returns the others as a part whose packets come from a source and are
    /// decided by a decider.
    fn split_off(&mut self, chunk: usize, (packets, decider): (S, D)) -> Self {
        let nodes = self.sources.iter().take_while(|source| source.input.chunk() < chunk);
        let node = self.sources.places().start + nodes.count();
        let switch = self.first_switch(chunk);
        let mut part = Self {
            fabric: self.fabric,
            switches: self.switches.clone(),
            settings: self.settings,
            packets,
            decider,
            now: self.now,
            horizon: self.horizon,
            states: self.states.split_off(chunk),
            sources: self.sources.split_off(node),
            switch_rngs: self.switch_rngs.split_off(switch),
            links: self.links.like(self.states.all_chunks),
            second_looks: self.second_looks.split_off(chunk * PORTS),
            looks_onward: self.looks_onward,
            wakeups: self.wakeups.split_off(chunk),
            node_links: self.node_links.split_off(node),
            windows: self.windows.as_mut().map(|windows| windows.split_off(switch, node)),
            sent: 0,
            channel_map: self.channel_map,
            damage: None,
            beside: Vec::new(),
        };
        let chunks = part.states.chunks.places();
        part.take_packets(&mut self.links, chunks.clone(), chunks);
        part
    }

    /// The switch at which a chunk begins.
    const fn first_switch(&self, chunk: usize) -> usize {
        (chunk * PORTS) >> self.states.port_bits
    }

    /// Merges the part that follows on this one back into it.
    fn append(&mut self, mut part: Self) {
        let chunks = part.states.chunks.places();
        self.absorb(&mut part);
        self.states.append(part.states);
        self.sources.append(part.sources);
        self.switch_rngs.append(part.switch_rngs);
        self.second_looks.append(part.second_looks);
        self.wakeups.append(part.wakeups);
        self.node_links.append(part.node_links);
        if let (Some(windows), Some(rest)) = (&mut self.windows, part.windows) {
            windows.append(rest);
        }
        self.take_packets(&mut part.links, chunks, 0..self.states.all_chunks);
    }

    /// Takes from their owners the packets in the buffers of some chunks, which belong to this part now, and everything
    /// on its way `to` some chunks.
    fn take_packets(&mut self, from: &mut UnderWay, chunks: Range<usize>, to: Range<usize>) {
        for chunk in chunks {
            for channel in &mut self.states.chunks[chunk].inputs {
                move_packets(channel, from, &mut self.links);
            }
        }
        self.links.take_all(from, self.now, to, self.states.all_chunks);
    }

    /// All parts of the network, of which this is the first.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.beside)
    }

    /// The part that has a chunk.
    pub(crate) fn part_of(&self, chunk: usize) -> &Self {
        let has_it = |part: &&Self| part.states.chunks.places().contains(&chunk);
        self.parts().find(has_it).unwrap_or(self)
    }

    /// Adds the counts of a part since the last call.
    fn absorb(&mut self, part: &mut Self) {
        self.sent += std::mem::take(&mut part.sent);
        self.links.absorb(&mut part.links);
    }

    /// Runs all parts up to a cycle, each on a thread of its own.
    pub(crate) fn run_parts(&mut self, end: u32) -> Result<(), Box<DatapathError>> {
        let mut beside = std::mem::take(&mut self.beside);
        for part in &mut beside {
            part.links.tally.follow(&self.links.tally);
        }
        let parts = std::iter::once(&*self).chain(&beside);
        let meeting = Meeting::of(parts.map(|part| part.states.chunks.places()).collect());
        thread::scope(|scope| {
            for (number, part) in (1..).zip(&mut beside) {
                let meeting = &meeting;
                scope.spawn(move || part.run_beside(number, end, meeting));
            }
            self.run_beside(0, end, &meeting);
        });
        for part in &mut beside {
            self.absorb(part);
        }
        self.beside = beside;
        match meeting.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    /// Runs this part up to a cycle while others run beside it.
    fn run_beside(&mut self, own: usize, end: u32, meeting: &Meeting) {
        let _leaving = Leaving(&meeting.barrier);
        let cycles = self.horizon.cycles;
        for round in 0.. {
            if self.now >= end {
                return;
            }
            if let Err(error) = self.run_to(end.min(self.now + cycles)) {
                meeting.fail(own, error);
            }
            let soon = self.now..self.now + cycles;
            for (other, chunks) in meeting.others(own) {
                meeting.with(round, own, other, |handed| {
                    self.links.hand_over(soon.clone(), chunks, handed);
                });
            }
            if !meeting.barrier.wait() || meeting.has_failed() {
                return;
            }
            for (other, _) in meeting.others(own) {
                meeting.with(round, other, own, |handed| self.links.take_in(handed));
            }
        }
    }
}

/// Takes the packets of a buffer from one pool to the other.
fn move_packets(channel: &mut InputChannel, from: &mut UnderWay, to: &mut UnderWay) {
    if channel.is_empty() {
        return;
    }
    let (mut at, last) = (channel.head, channel.tail);
    channel.head = to.pool.add(*from.pool.packet(at));
    channel.tail = channel.head;
    while at != last {
        let next = from.pool.flit(at).next;
        from.pool.remove(at);
        at = next;
        let moved = to.pool.add(*from.pool.packet(at));
        to.pool.flit_mut(channel.tail).next = moved;
        channel.tail = moved;
    }
    from.pool.remove(last);
}

/// Where the parts of a network meet.
struct Meeting {
    /// The chunks of each part.
    chunks: Vec<Range<usize>>,
    /// What one part hands over to another: by the parity of the round, the giver, and the taker. While one round's is
    /// taken, the next round's may already be handed over.
    handed: [Vec<Mutex<Handed>>; 2],
    barrier: Barrier,
    /// The first part that could not go on in the round of the first failure, and why.
    failure: Mutex<Option<(usize, Box<DatapathError>)>>,
}

impl Meeting {
    /// Of parts that have these chunks.
    fn of(chunks: Vec<Range<usize>>) -> Self {
        let handed = || (0..chunks.len() * chunks.len()).map(|_| Mutex::default()).collect();
        Self {
            handed: [handed(), handed()],
            barrier: Barrier::of(chunks.len()),
            chunks,
            failure: Mutex::new(None),
        }
    }

    /// The other parts and their chunks.
    fn others(&self, own: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.chunks.iter().cloned().enumerate().filter(move |&(part, _)| part != own)
    }

    /// Lets `work` see what one part hands over to another in a round.
    fn with(&self, round: usize, from: usize, to: usize, work: impl FnOnce(&mut Handed)) {
        let handed = &self.handed[round % 2][from * self.chunks.len() + to];
        work(&mut handed.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn fail(&self, part: usize, error: Box<DatapathError>) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if failure.as_ref().is_none_or(|&(first, _)| part < first) {
            *failure = Some((part, error));
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Releases threads when all have come. They wait actively, because they meet every few microseconds.
struct Barrier {
    threads: usize,
    /// How many have come in this round.
    come: AtomicUsize,
    round: AtomicUsize,
    /// Whether a thread has panicked, so that not all will come.
    is_broken: AtomicBool,
}

/// How often a thread polls before it yields its processor.
const LOOKS: u32 = 10_000;

impl Barrier {
    const fn of(threads: usize) -> Self {
        Self {
            threads,
            come: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
        }
    }

    /// Waits for all; returns whether all have come.
    fn wait(&self) -> bool {
        let round = self.round.load(Ordering::Acquire);
        if self.come.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.come.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return true;
        }
        let mut looks = 0;
        while self.round.load(Ordering::Acquire) == round {
            if self.is_broken.load(Ordering::Relaxed) {
                return false;
            }
            if looks < LOOKS {
                looks += 1;
                spin_loop();
            } else {
                thread::yield_now();
            }
        }
        true
    }
}

/// Tells the others if a thread panics.
struct Leaving<'b>(&'b Barrier);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.is_broken.store(true, Ordering::Relaxed);
        }
    }
}
