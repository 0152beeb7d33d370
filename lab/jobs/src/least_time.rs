//! The least cycles of jobs, whatever paths their packets take: a lower bound of a run to completion for each of three
//! causes, which shows why a run is slow.
//!
//! - **Host.** All packets that a node sends leave over its one link, and all that it receives arrive over it.
//! - **Group.** All packets that leave a group do so over its cables, and so do those that enter it.
//! - **Chain.** Messages that wait for each other in the order of the programs, each as fast as if it were alone: its
//!   packets leave in turn, a rendezvous waits for its receive, and an event at one node is known at another a control
//!   latency later.
//!
//! Promise: no run has fewer cycles than any of these. Rounded whole cycles, latencies between switches and switches
//! themselves are left out, so that a bound is a little low, never high.

use crate::jobs::{JobRun, MessageSettings};
use crate::workload::{Programs, Rank, Step};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use tvlb_base::text::counted;
use tvlb_schema::{GroupId, LinkKind, NodeId, Port};
use tvlb_simulator::{BootedFabric, LinkTarget, Settings, least_control_latency};

/// Cycles that a run has at the least, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LeastTime {
    /// By the link of a node.
    pub host: HostBound,
    /// By the cables of a group.
    pub group: GroupBound,
    /// By messages that wait for each other.
    pub chain: ChainBound,
}

impl LeastTime {
    /// The largest of them.
    pub fn cycles(&self) -> u64 {
        self.host.cycles.max(self.group.cycles).max(self.chain.cycles)
    }

    /// The least cycles by cause: its name, the cycles, and the reason in words.
    pub fn causes(&self) -> [(&'static str, u64, String); 3] {
        let Self { host, group, chain } = self;
        let packets = counted(host.packets, "packet");
        let of_host = format!("node {} sends or receives {packets} over its one link", host.node);
        let (packets, cables) =
            (counted(group.packets, "packet"), counted(group.cables.into(), "cable"));
        let of_group = format!("{packets} leave or enter group {} over its {cables}", group.group);
        let of_chain = format!(
            "the messages of rank {} of job {} wait for each other in the order of the programs",
            chain.rank, chain.job
        );
        [
            ("host", host.cycles, of_host),
            ("group", group.cycles, of_group),
            ("chain", chain.cycles, of_chain),
        ]
    }
}

/// The node whose link is the longest in use; of several the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HostBound {
    /// Cycles from the first start of a packet on its link to the last.
    pub cycles: u64,
    pub node: NodeId,
    /// Packets that it sends, or that it receives if those are more.
    pub packets: u64,
}

/// The group whose cables are the longest in use; of several the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct GroupBound {
    /// Cycles from the first start of a packet on its cables to the last, if all are used alike.
    pub cycles: u64,
    pub group: GroupId,
    /// Packets that leave it, or that enter it if those are more.
    pub packets: u64,
    /// Cables that it has to other groups.
    pub cables: u32,
}

/// The rank that ends last if no packet waits for another message's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChainBound {
    /// The cycle in which it ends.
    pub cycles: u64,
    /// Its job, counted from 0.
    pub job: u32,
    pub rank: u32,
}

/// The least time of jobs on a fabric. The jobs must be such as [`complete`](crate::complete) accepts.
pub fn least_time(
    fabric: &BootedFabric<'_>,
    settings: &Settings,
    jobs: &[JobRun<'_>],
    messages: &MessageSettings,
) -> LeastTime {
    let counts = PacketCounts::of(fabric, jobs, messages);
    let gap = |kind| settings.bandwidths.gap_256ths(kind);
    let mut host = HostBound::default();
    for (node, [sent, received]) in (0..).map(NodeId).zip(&counts.by_node) {
        let packets = *sent.max(received);
        let cycles = from_first_to_last(packets, gap(LinkKind::Node));
        if cycles > host.cycles {
            host = HostBound { cycles, node, packets };
        }
    }
    let mut group = GroupBound::default();
    let cables = cables(fabric);
    for ((of, [out, into]), &cables) in
        fabric.dragonfly().group_numbers().zip(&counts.by_group).zip(&cables)
    {
        let packets = *out.max(into);
        let of_a_cable = packets.div_ceil(u64::from(cables).max(1));
        let cycles = from_first_to_last(of_a_cable, gap(LinkKind::Global));
        if cycles > group.cycles {
            group = GroupBound { cycles, group: of, packets, cables };
        }
    }
    let mut chain = ChainBound::default();
    for (number, job) in (0..).zip(jobs) {
        let (cycles, rank) = Chain::new(job, settings, messages).end();
        if cycles > chain.cycles {
            chain = ChainBound { cycles, job: number, rank };
        }
    }
    LeastTime { host, group, chain }
}

/// Whole cycles from the start of the first of these packets on a link to the start of the last. Counts too large for a
/// number were cut off, which makes this too small, never too large.
fn from_first_to_last(packets: u64, gap_256ths: u32) -> u64 {
    let gaps = u128::from(packets.saturating_sub(1)) * u128::from(gap_256ths);
    u64::try_from(gaps >> 8).unwrap_or(u64::MAX)
}

/// Packets sent and received by each node, and out of and into each group.
struct PacketCounts {
    by_node: Vec<[u64; 2]>,
    by_group: Vec<[u64; 2]>,
}

impl PacketCounts {
    fn of(fabric: &BootedFabric<'_>, jobs: &[JobRun<'_>], messages: &MessageSettings) -> Self {
        let df = fabric.dragonfly();
        let mut counts = Self {
            by_node: vec![[0; 2]; df.node_numbers() as usize],
            by_group: vec![[0; 2]; df.g() as usize],
        };
        let group_of = |node| df.place(df.switch_of(node).0).0;
        for JobRun { programs, nodes } in jobs {
            let often = u64::from(programs.iterations().get());
            for (from, to, bytes) in programs.messages() {
                let ends = [from, to].map(|rank: Rank| nodes[rank.as_usize()]);
                if ends[0] == ends[1] {
                    continue;
                }
                let packets = u64::from(messages.packets(bytes)).saturating_mul(often);
                let groups = ends.map(group_of);
                for way in 0..2 {
                    let of_node = &mut counts.by_node[ends[way].as_usize()][way];
                    *of_node = of_node.saturating_add(packets);
                    if groups[0] != groups[1] {
                        let of_group = &mut counts.by_group[groups[way].as_usize()][way];
                        *of_group = of_group.saturating_add(packets);
                    }
                }
            }
        }
        counts
    }
}

/// How many cables to other groups each group has.
fn cables(fabric: &BootedFabric<'_>) -> Vec<u32> {
    let df = fabric.dragonfly();
    let mut cables = vec![0; df.g() as usize];
    for switch in df.switches() {
        let group = df.place(switch).0;
        for port in (0..df.radix()).filter_map(|port| u16::try_from(port).ok()) {
            let is_cable = matches!(fabric.link(switch, Port(port)), LinkTarget::Global(..));
            cables[group.as_usize()] += u32::from(is_cable);
        }
    }
    cables
}

/// A message that its sender has begun to send, and whose receive is not posted yet.
#[derive(Clone, Copy, Debug)]
struct Begun {
    time: u64,
    packets: u32,
    is_rendezvous: bool,
    /// The sender takes no step before the message has arrived.
    holds_sender: bool,
}

/// What two ranks exchange in one direction: one of the two lists is always empty.
#[derive(Clone, Debug, Default)]
struct Exchange {
    begun: VecDeque<Begun>,
    posted: VecDeque<u64>,
}

/// How far a rank has come.
#[derive(Clone, Copy, Debug, Default)]
struct RankProgress {
    time: u64,
    /// From when [`Step::Until`] counts.
    origin: u64,
    step: usize,
    iteration: u32,
    /// Receives and sends that are open and of which it is not known when they close.
    open: u32,
    /// When the last of the others closes.
    closed: u64,
    is_held: bool,
}

/// The ranks of one job, none of whose messages waits for packets of another message.
struct Chain<'w> {
    programs: &'w Programs,
    nodes: &'w [NodeId],
    messages: &'w MessageSettings,
    gap_256ths: u32,
    /// From the start of a packet on the sender's link to its arrival.
    way_cycles: u64,
    control_cycles: u64,
    ranks: Vec<RankProgress>,
    /// By sender and receiver.
    exchanges: BTreeMap<(Rank, Rank), Exchange>,
    /// Ranks that can go on.
    running: Vec<Rank>,
}

impl<'w> Chain<'w> {
    fn new(job: &JobRun<'w>, settings: &Settings, messages: &'w MessageSettings) -> Self {
        let JobRun { programs, nodes } = *job;
        let least = least_control_latency(settings);
        Self {
            programs,
            nodes,
            messages,
            gap_256ths: settings.bandwidths.gap_256ths(LinkKind::Node),
            way_cycles: 2 * u64::from(settings.node_latency_cycles),
            control_cycles: messages.control_latency_cycles.unwrap_or(least).into(),
            ranks: vec![RankProgress::default(); programs.ranks() as usize],
            exchanges: BTreeMap::new(),
            running: (0..programs.ranks()).rev().map(Rank).collect(),
        }
    }

    /// The latest end of a rank, and the first such rank. Ranks that wait for ever end where they wait.
    fn end(mut self) -> (u64, u32) {
        while let Some(rank) = self.running.pop() {
            self.run(rank);
        }
        let ends = (0..).zip(&self.ranks).map(|(rank, progress)| (progress.time, rank));
        ends.reduce(|last, one| if one.0 > last.0 { one } else { last }).unwrap_or_default()
    }

    /// Lets a rank take steps until it has to wait for something unknown.
    fn run(&mut self, rank: Rank) {
        let (programs, at) = (self.programs, rank.as_usize());
        let steps = programs.steps(rank);
        while !self.ranks[at].is_held {
            let own = &mut self.ranks[at];
            let Some(step) = steps.get(own.step) else {
                own.iteration += 1;
                if steps.is_empty() || own.iteration >= programs.iterations().get() {
                    own.is_held = true;
                    return;
                }
                (own.step, own.origin) = (0, own.time);
                continue;
            };
            match *step {
                Step::Post { from, .. } => {
                    own.open += 1;
                    let time = own.time;
                    self.exchanges.entry((from, rank)).or_default().posted.push_back(time);
                    self.match_next(from, rank);
                }
                Step::Send { to, bytes } => self.send(rank, to, bytes, true),
                Step::Start { to, bytes } => self.send(rank, to, bytes, false),
                Step::Wait if own.open > 0 => return,
                Step::Wait => own.time = own.time.max(own.closed),
                Step::Compute { cycles } => own.time = own.time.saturating_add(cycles),
                Step::Until { cycle } => own.time = own.time.max(own.origin.saturating_add(cycle)),
                Step::Origin => own.origin = own.time,
                Step::PhaseEnd => {}
            }
            self.ranks[at].step += 1;
        }
    }

    fn send(&mut self, rank: Rank, to: Rank, bytes: u64, is_blocking: bool) {
        let packets = self.messages.packets(bytes);
        let is_rendezvous = bytes > self.messages.eager_limit_bytes;
        let leaving = if self.is_within_node(rank, to) { 0 } else { self.leaving(packets) };
        let own = &mut self.ranks[rank.as_usize()];
        let time = own.time;
        match (is_rendezvous, is_blocking) {
            (true, true) => own.is_held = true,
            (true, false) => own.open += 1,
            (false, true) => own.time = time.saturating_add(leaving),
            (false, false) => own.closed = own.closed.max(time.saturating_add(leaving)),
        }
        let begun = Begun { time, packets, is_rendezvous, holds_sender: is_blocking };
        self.exchanges.entry((rank, to)).or_default().begun.push_back(begun);
        self.match_next(rank, to);
    }

    /// Notes when the next message of two ranks arrives, if it is begun and its receive is posted.
    fn match_next(&mut self, from: Rank, to: Rank) {
        let exchange = self.exchanges.entry((from, to)).or_default();
        if exchange.begun.is_empty() || exchange.posted.is_empty() {
            return;
        }
        let (Some(begun), Some(posted)) = (exchange.begun.pop_front(), exchange.posted.pop_front())
        else {
            return;
        };
        let (way, control) = if self.is_within_node(from, to) {
            (0, 0)
        } else {
            (self.leaving(begun.packets).saturating_add(self.way_cycles), self.control_cycles)
        };
        let cleared = if begun.is_rendezvous { posted.saturating_add(control) } else { 0 };
        let arrived = begun.time.max(cleared).saturating_add(way);
        let receiver = &mut self.ranks[to.as_usize()];
        receiver.open -= 1;
        receiver.closed = receiver.closed.max(arrived).max(posted);
        if receiver.open == 0 {
            self.running.push(to);
        }
        if !begun.is_rendezvous {
            return;
        }
        let heard = arrived.saturating_add(control);
        let sender = &mut self.ranks[from.as_usize()];
        if begun.holds_sender {
            (sender.is_held, sender.time) = (false, heard);
            self.running.push(from);
        } else {
            sender.open -= 1;
            sender.closed = sender.closed.max(heard);
            if sender.open == 0 {
                self.running.push(from);
            }
        }
    }

    fn is_within_node(&self, one: Rank, other: Rank) -> bool {
        self.nodes[one.as_usize()] == self.nodes[other.as_usize()]
    }

    /// Cycles from the start of a message's first packet to that of its last.
    fn leaving(&self, packets: u32) -> u64 {
        from_first_to_last(packets.into(), self.gap_256ths)
    }
}
