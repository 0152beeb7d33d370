//! Cut-through switches: packets of several phits, buffers that hold whole packets, and decisions that a packet at the
//! head of a buffer may repeat in every cycle.
//!
//! This is a second simulator beside the one of single-flit packets ([`tvlb_simulator::Run`]), over the same booted
//! switches and the same traffic. A *phit* is what a link carries in a cycle. All packets have the same length, a
//! packet moves into a buffer only if the buffer has room for the whole of it, it may go on as soon as its head
//! arrives, and its room is given back as its head leaves. So a packet is one thing that moves, and three rules account
//! for its length: it holds its output link for as many cycles as it has phits, the buffer that it leaves sends its
//! next packet only after as many, and as many are added to its latency at the end. No phit is simulated.
//!
//! - `parameters`, `settings`: the settings, and which are valid
//! - `fabric`: the booted switches, and the escape network of OFAR
//! - `state`: the queues
//! - `output_buffers`: buffers between the crossbar and the links, if switches have them
//! - `network`: the order of a cycle, and the packets in it
//! - `routes`, `seen`: the output by which a packet at the head of a buffer wants to go on
//! - `per_hop`: the same under OFAR, where every switch is asked again in every cycle
//! - `allocate`, `requests`: which of them win
//! - `nodes`: when nodes generate packets, and bursts
//! - `flags`: the links between groups that switches report to each other as congested
//! - `counts`, `outcome`, `run`: what is measured, and how long
//! - `saturation`: the largest load that is accepted
//! - `audit`: conservation, and packets that wait for each other for ever

mod allocate;
mod audit;
mod counts;
mod fabric;
mod flags;
mod network;
mod nodes;
mod outcome;
mod output_buffers;
mod packet;
mod parameters;
mod per_hop;
mod piggyback;
mod requests;
mod routes;
mod run;
mod saturation;
mod seen;
mod settings;
mod state;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_per_hop;

pub use audit::{AuditError, StuckPacket, StuckPackets};
pub use fabric::{CutThroughFabric, EscapeRefused};
pub use outcome::{CutThroughOutcome, EscapeCounts};
pub use run::{CutThroughError, CutThroughRun};
pub use saturation::{CutThroughSaturation, saturation};
pub use settings::{CutThrough, LinkBuffer, Piggybacking, Routing, Sending};
