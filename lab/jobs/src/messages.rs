//! Messages on their way between nodes: how many packets of each are still to be sent and to arrive, and what ranks
//! will hear of it and when.
//!
//! A released message becomes a *transfer*, which its packets name while they are under way. The cycle in which a
//! packet reaches its node is known as soon as it wins its last switch allocation. So packets are counted then, and the
//! ranks hear of a message once, in the cycle in which its last packet arrives.
//!
//! The news for a rank is a [`RankEvent`], filed under the chunk of the rank's node. Events of one chunk and cycle are
//! in an order that depends only on their content, so that chunks which run ahead of each other change nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tvlb_schema::NodeId;
use tvlb_simulator::parts::PacketId;

/// A message of one job's programs, counted over all jobs. It is sent once in each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MessageId(pub(crate) u32);

impl MessageId {
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a transfer. Numbers are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TransferId(u32);

/// A message whose packets may leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    pub(crate) message: MessageId,
    /// How often the message was sent before.
    pub(crate) instance: u32,
    pub(crate) to: NodeId,
    /// Packets that have not left their node.
    pub(crate) to_send: u32,
    /// Packets that have not arrived.
    to_arrive: u32,
    /// The cycle in which the last of those that have arrived did.
    last_arrival: u32,
}

/// News for a rank, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RankEvent {
    pub(crate) cycle: u32,
    pub(crate) what: News,
}

/// News for a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum News {
    /// The receiver: the last packet of a message has arrived, which was sent so often before.
    Arrived(MessageId, u32),
    /// The sender: the receiver has posted the receive for a message, which it posted so often before.
    Cleared(MessageId, u32),
    /// The sender: the send of a message is complete.
    Sent(MessageId),
    /// A rank, counted over all jobs, goes on: it has computed for long enough, or the run begins.
    GoesOn(u32),
}

/// All transfers, and the news that ranks will hear.
#[derive(Debug)]
pub(crate) struct Messages {
    transfers: Vec<Transfer>,
    /// Transfers that are over, whose numbers are used again.
    free: Vec<TransferId>,
    /// By packet, the transfer that it belongs to.
    of_packet: Vec<TransferId>,
    /// For each chunk, the news for its ranks.
    events: Vec<BinaryHeap<Reverse<RankEvent>>>,
}

impl Messages {
    /// No message, for this many chunks.
    pub(crate) fn new(chunks: usize) -> Self {
        Self {
            transfers: Vec::new(),
            free: Vec::new(),
            of_packet: Vec::new(),
            events: vec![BinaryHeap::new(); chunks],
        }
    }

    /// Lets the packets of a message leave; there is at least one.
    pub(crate) fn begin(
        &mut self,
        message: MessageId,
        instance: u32,
        to: NodeId,
        packets: u32,
    ) -> TransferId {
        let transfer = Transfer {
            message,
            instance,
            to,
            to_send: packets,
            to_arrive: packets,
            last_arrival: 0,
        };
        if let Some(id) = self.free.pop() {
            self.transfers[id.0 as usize] = transfer;
            return id;
        }
        let number = u32::try_from(self.transfers.len());
        self.transfers.push(transfer);
        TransferId(
            number.expect("each transfer that is not over has a packet to send or under way"),
        )
    }

    #[inline]
    pub(crate) fn transfer(&self, id: TransferId) -> &Transfer {
        &self.transfers[id.0 as usize]
    }

    /// Notes that a packet of a transfer has left its node. Returns whether it was the last one.
    #[inline]
    pub(crate) fn leaves(&mut self, id: TransferId, packet: PacketId) -> bool {
        if self.of_packet.len() <= packet.index() {
            self.of_packet.resize(packet.index() + 1, id);
        }
        self.of_packet[packet.index()] = id;
        let transfer = &mut self.transfers[id.0 as usize];
        transfer.to_send -= 1;
        transfer.to_send == 0
    }

    /// Notes that a packet arrives at its node in this cycle, which may be some cycles ahead. The
    /// receiver hears of the message's last packet.
    pub(crate) fn arrives(&mut self, packet: PacketId, cycle: u32, chunk: usize) {
        let id = self.of_packet[packet.index()];
        let transfer = &mut self.transfers[id.0 as usize];
        transfer.to_arrive -= 1;
        transfer.last_arrival = transfer.last_arrival.max(cycle);
        if transfer.to_arrive == 0 {
            let Transfer { message, instance, last_arrival, .. } = *transfer;
            self.free.push(id);
            self.file(chunk, last_arrival, News::Arrived(message, instance));
        }
    }

    /// Lets a rank of a chunk hear something in a cycle.
    pub(crate) fn file(&mut self, chunk: usize, cycle: u32, what: News) {
        self.events[chunk].push(Reverse(RankEvent { cycle, what }));
    }

    /// The next thing that a chunk's ranks hear up to a cycle.
    #[inline]
    pub(crate) fn next(&mut self, chunk: usize, now: u32) -> Option<RankEvent> {
        let Reverse(first) = self.events[chunk].peek()?;
        if first.cycle > now {
            return None;
        }
        self.events[chunk].pop().map(|Reverse(event)| event)
    }

    /// The cycle of the next news for any rank; `None` if there is no more.
    pub(crate) fn next_cycle(&self) -> Option<u32> {
        self.events.iter().filter_map(|events| events.peek()).map(|Reverse(e)| e.cycle).min()
    }

    /// How many bytes all of this holds.
    pub(crate) fn bytes(&self) -> usize {
        let events: usize = self.events.iter().map(BinaryHeap::capacity).sum();
        self.transfers.capacity() * size_of::<Transfer>()
            + (self.free.capacity() + self.of_packet.capacity()) * size_of::<TransferId>()
            + events * size_of::<RankEvent>()
    }
}
