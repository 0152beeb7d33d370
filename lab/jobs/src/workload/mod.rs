//! Workloads of Dragonfly machines: what each rank of a job sends and waits for, and on which node it runs.
//!
//! A *job* has *ranks*, each of which runs a program: a list of [`Step`]s. [`Programs`] holds those of all ranks of one
//! job. A [`Motif`] names a pattern of communication, and makes the programs of a job of any size. A [`SendOrder`]
//! decides the order of sends that may happen in any order.
//!
//! A [`PlacementRule`](tvlb_traffic::PlacementRule) says which nodes of a machine each [`Job`] takes, and a [`RankMap`] on which of these
//! each of its ranks runs.

pub mod matrix_market;
pub mod rankfile;

mod all_to_all;
mod bisect;
mod error;
mod expert_layer;
mod grid;
mod job;
mod job_list;
mod map;
mod message_list;
mod motif;
mod place;
mod program;
mod rank;
mod reduction;
mod send_order;

pub use crate::partition::Graph;
pub use all_to_all::AllToAll;
pub use error::WorkloadError;
pub use expert_layer::ExpertLayer;
pub use grid::{Grid, GridAxis};
pub use job::{BytesByNearness, Job, MOST_RANKS, PlacedJob};
pub use job_list::Arrival;
pub use map::RankMap;
pub use message_list::{Message, MessageList};
pub use motif::{Motif, PartnerOrder};
pub use place::place;
pub use program::{MOST_STEPS, Programs, Step};
pub use rank::Rank;
pub use reduction::Reduction;
pub use send_order::SendOrder;
