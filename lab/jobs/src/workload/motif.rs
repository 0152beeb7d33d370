//! Patterns of communication by name, and their rank programs.

use crate::partition::Graph;
use crate::workload::all_to_all::AllToAll;
use crate::workload::error::WorkloadError;
use crate::workload::expert_layer::ExpertLayer;
use crate::workload::grid::{Grid, GridAxis};
use crate::workload::message_list::{Message, MessageList};
use crate::workload::program::{MOST_STEPS, Programs, Step, too_many_steps};
use crate::workload::rank::Rank;
use crate::workload::reduction::Reduction;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use tvlb_base::text::{Refused, quoted};

/// A pattern of communication among the ranks of one job.
///
/// `B` is the length of a message, given when the programs are made. In each pattern a rank waits for a send unless it
/// is described as started beside others.
///
/// # Example
/// ```
/// use std::num::NonZeroU32;
/// use tvlb_jobs::workload::{Motif, Rank, Step};
///
/// let motif: Motif = "halo3d:6x4x3".parse()?;
/// let programs = motif.programs(72, 4_000_000, NonZeroU32::MIN)?;
/// // Rank 0 stands at the lower end of each axis.
/// let first = Step::Post { from: Rank(1), bytes: 4_000_000 };
/// assert_eq!(programs.steps(Rank(0))[0], first);
/// assert_eq!(programs.messages().count(), 2 * (5 * 12 + 3 * 18 + 2 * 24));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Motif {
    /// Every rank has a message for every other.
    AllToAll(AllToAll),
    /// Every rank exchanges a message with every rank of the other half: for each partner, it posts a
    /// receive and sends. It waits after the last.
    Bisection {
        order: PartnerOrder,
        /// The first half, half of the job's ranks; without it ranks 0 … n/2 − 1. A rank's place among
        /// its half is by rising number.
        first_half: Option<Vec<Rank>>,
    },
    /// On a grid, for each of the axes x, y, z in turn: post a receive from the lower and the upper
    /// neighbour, send to the lower, send to the upper, wait. Every axis is a phase.
    Halo3d(Option<Grid>),
    /// On a grid, along one axis: post a receive from both neighbours, start to send to both, wait.
    Neighbour(Option<Grid>, GridAxis),
    /// Every rank exchanges a message with each of its neighbours in a graph: for each by rising number, it
    /// posts a receive and sends. It waits after the last.
    Graph(Graph),
    /// For each phase of a list: a rank posts all its receives, sends all its messages, and waits. Before it sends a
    /// message, it lets the time pass and computes as the list says.
    Messages(MessageList),
    /// Every rank sends its tokens to the ranks of their experts, which send as many back, in two phases like
    /// those of a list. `B` is the length of a token.
    MoeAllToAll(ExpertLayer),
    /// Every rank gets the sum of the vectors of all ranks. `B` is the length of a vector.
    AllReduce(Reduction),
}

/// The order in which a rank of a [`Motif::Bisection`] takes its n/2 partners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartnerOrder {
    /// By rising number.
    #[default]
    Ascending,
    /// In n/2 steps, in each of which every rank has one partner that no other has: in step i the rank at
    /// place k of the first half has the one at place (k + i) mod n/2 of the second.
    Rotated,
}

impl Motif {
    /// The programs of a job of this many ranks, whose messages have this many bytes each.
    /// [`Self::Messages`] has lengths of its own.
    ///
    /// # Errors
    /// Why the pattern does not fit this many ranks.
    pub fn programs(
        &self,
        ranks: u32,
        bytes: u64,
        iterations: NonZeroU32,
    ) -> Result<Programs, WorkloadError> {
        let all = (0..ranks).map(Rank);
        match self {
            Self::AllToAll(how) => {
                expect_steps(ranks, how.most_steps(ranks))?;
                Programs::new(all.map(how.steps(ranks, bytes)?), iterations)
            }
            Self::Bisection { order, first_half } => {
                bisection((*order, first_half.as_deref()), (ranks, bytes), iterations)
            }
            Self::Halo3d(grid) => {
                let grid = fitting(*grid, ranks)?;
                Programs::new(
                    all.map(|rank| {
                        GridAxis::ALL.into_iter().flat_map(move |axis| {
                            let neighbours = grid.neighbours(rank, axis).into_iter().flatten();
                            let posts = posts(neighbours.clone(), bytes);
                            let sends = neighbours.map(move |to| Step::Send { to, bytes });
                            posts.chain(sends).chain([Step::Wait, Step::PhaseEnd])
                        })
                    }),
                    iterations,
                )
            }
            Self::Neighbour(grid, axis) => {
                let grid = fitting(*grid, ranks)?;
                Programs::new(
                    all.map(|rank| {
                        let neighbours = grid.neighbours(rank, *axis).into_iter().flatten();
                        let posts = posts(neighbours.clone(), bytes);
                        let starts = neighbours.map(move |to| Step::Start { to, bytes });
                        posts.chain(starts).chain([Step::Wait])
                    }),
                    iterations,
                )
            }
            Self::Graph(graph) => {
                if graph.vertices() != ranks {
                    return Err(WorkloadError::graph_size(graph.vertices(), ranks));
                }
                let neighbours =
                    |Rank(rank)| graph.neighbours(rank).iter().map(|(to, _)| Rank(*to));
                Programs::new(all.map(|rank| exchanges(neighbours(rank), bytes)), iterations)
            }
            Self::Messages(list) => of_list(list, ranks, iterations),
            Self::MoeAllToAll(layer) => of_list(&layer.messages(ranks, bytes)?, ranks, iterations),
            Self::AllReduce(reduction) => {
                expect_steps(ranks, reduction.most_steps(ranks))?;
                Programs::new(all.map(reduction.steps(ranks, bytes)?), iterations)
            }
        }
    }
}

/// Every rank of one half exchanges with every rank of the other.
fn bisection(
    (order, first_half): (PartnerOrder, Option<&[Rank]>),
    (ranks, bytes): (u32, u64),
    iterations: NonZeroU32,
) -> Result<Programs, WorkloadError> {
    expect_steps(ranks, u64::from(ranks) + 1)?;
    let halves = halves(ranks, first_half)?;
    let half = halves[0].len();
    let mut places = vec![(0, 0); ranks as usize];
    for (number, members) in halves.iter().enumerate() {
        for (place, rank) in members.iter().enumerate() {
            places[rank.as_usize()] = (number, place);
        }
    }
    let partners = |rank: Rank| {
        let (number, place) = places[rank.as_usize()];
        let others = &halves[1 - number];
        (0..half).map(move |i| match (order, number) {
            (PartnerOrder::Ascending, _) => others[i],
            (PartnerOrder::Rotated, 0) => others[(place + i) % half],
            (PartnerOrder::Rotated, _) => others[(place + half - i) % half],
        })
    };
    Programs::new((0..ranks).map(Rank).map(|rank| exchanges(partners(rank), bytes)), iterations)
}

/// Refuses programs that are too long before they are made.
fn expect_steps(ranks: u32, steps_of_each: u64) -> Result<(), WorkloadError> {
    if u64::from(ranks).saturating_mul(steps_of_each) > MOST_STEPS as u64 {
        return Err(too_many_steps());
    }
    Ok(())
}

/// Exchanges a message with one partner after the other, and waits after the last.
fn exchanges(partners: impl Iterator<Item = Rank>, bytes: u64) -> impl Iterator<Item = Step> {
    let exchange = move |with| [Step::Post { from: with, bytes }, Step::Send { to: with, bytes }];
    partners.flat_map(exchange).chain([Step::Wait])
}

fn posts(partners: impl Iterator<Item = Rank>, bytes: u64) -> impl Iterator<Item = Step> {
    partners.map(move |from| Step::Post { from, bytes })
}

/// The two halves of a job's ranks, each by rising number.
fn halves(ranks: u32, first: Option<&[Rank]>) -> Result<[Vec<Rank>; 2], WorkloadError> {
    if !ranks.is_multiple_of(2) {
        let found = format!("the job has {ranks} ranks");
        return Err(WorkloadError::refused(found, "an even number for two halves"));
    }
    let mut is_first = vec![first.is_none(); ranks as usize / 2];
    is_first.resize(ranks as usize, false);
    for rank in first.unwrap_or_default() {
        match is_first.get_mut(rank.as_usize()) {
            Some(is_first) if !*is_first => *is_first = true,
            _ => {
                let found = format!("the first half names rank {rank}");
                let accepted = format!("each rank once, of 0 to {}", ranks - 1);
                return Err(WorkloadError::refused(found, accepted));
            }
        }
    }
    let (one, other): (Vec<Rank>, Vec<Rank>) =
        (0..ranks).map(Rank).partition(|rank| is_first[rank.as_usize()]);
    if one.len() == other.len() {
        Ok([one, other])
    } else {
        let found = format!("the first half has {} ranks", one.len());
        let accepted = format!("{}, half of the job's {ranks}", ranks / 2);
        Err(WorkloadError::refused(found, accepted))
    }
}

/// The given or default grid, if it has this many ranks.
fn fitting(grid: Option<Grid>, ranks: u32) -> Result<Grid, WorkloadError> {
    let Some(grid) = grid else {
        return if ranks > 0 {
            Ok(Grid::of(ranks))
        } else {
            Err(WorkloadError::refused("the job has no ranks", "at least 1"))
        };
    };
    if grid.ranks() == ranks {
        Ok(grid)
    } else {
        let found = format!("the grid {grid} has {} ranks", grid.ranks());
        Err(WorkloadError::refused(found, format!("a grid of the job's {ranks}")))
    }
}

fn of_list(
    list: &MessageList,
    ranks: u32,
    iterations: NonZeroU32,
) -> Result<Programs, WorkloadError> {
    let mut steps = vec![Vec::new(); ranks as usize];
    let outside = list.messages().iter().find(|m| m.from.0.max(m.to.0) >= ranks);
    if let Some(&Message { line, from, to, .. }) = outside {
        let rank = from.max(to);
        let accepted = format!("ranks of the job, 0 to {}", ranks - 1);
        return Err(Refused::new(format!("there is no rank {rank}"), accepted)
            .on_line(line)
            .into());
    }
    if list.has_phases() {
        let phases = list.messages().chunk_by(|one, next| one.phase == next.phase).count();
        expect_steps(ranks, phases as u64)?;
    }
    for phase in list.messages().chunk_by(|one, next| one.phase == next.phase) {
        for &Message { from, to, bytes, .. } in phase {
            steps[to.as_usize()].push(Step::Post { from, bytes });
        }
        for &Message { from, to, bytes, at, compute, .. } in phase {
            let steps = &mut steps[from.as_usize()];
            steps.extend((at > 0).then_some(Step::Until { cycle: at }));
            steps.extend((compute > 0).then_some(Step::Compute { cycles: compute }));
            steps.push(Step::Send { to, bytes });
        }
        for steps in &mut steps {
            if !matches!(steps.last(), None | Some(Step::PhaseEnd)) {
                steps.push(Step::Wait);
            }
            if list.has_phases() {
                steps.push(Step::PhaseEnd);
            }
        }
    }
    Programs::new(steps, iterations)
}

impl FromStr for Motif {
    type Err = WorkloadError;

    /// Reads a name. The text after `graph:` and `messages:` is a file, which [`crate::workload::matrix_market::parse`]
    /// and [`MessageList::parse`] read.
    fn from_str(text: &str) -> Result<Self, WorkloadError> {
        let (name, rest) = match text.trim().split_once(':') {
            Some((name, rest)) => (name.trim_end(), Some(rest.trim())),
            None => (text.trim(), None),
        };
        let bisection = |order| Self::Bisection { order, first_half: None };
        match (name, rest) {
            ("alltoall", None) => Ok(Self::AllToAll(AllToAll::Direct)),
            ("alltoall", Some(how)) => Ok(Self::AllToAll(how.parse()?)),
            ("bisection", None) => Ok(bisection(PartnerOrder::Ascending)),
            ("bisection rotated", None) => Ok(bisection(PartnerOrder::Rotated)),
            ("halo3d", grid) => Ok(Self::Halo3d(grid.map(str::parse).transpose()?)),
            ("neighbour", None) => Ok(Self::Neighbour(None, GridAxis::Z)),
            ("neighbour", Some(rest)) => match rest.split_once(':') {
                None => match rest.parse() {
                    Ok(axis) => Ok(Self::Neighbour(None, axis)),
                    Err(_) => Ok(Self::Neighbour(Some(rest.parse()?), GridAxis::Z)),
                },
                Some((grid, axis)) => Ok(Self::Neighbour(Some(grid.parse()?), axis.parse()?)),
            },
            ("moe-alltoall", layer) => Ok(Self::MoeAllToAll(layer.unwrap_or_default().parse()?)),
            ("allreduce", name) => Ok(Self::AllReduce(name.unwrap_or_default().parse()?)),
            _ => Err(WorkloadError::refused(
                format!("{} is not a pattern of communication", quoted(text)),
                "alltoall, alltoall:hierarchical:RANKS, bisection, bisection rotated, halo3d:XxYxZ, neighbour:XxYxZ:AXIS, \
                 moe-alltoall:TOKENS:EXPERTS:K:CAPACITY:SEED, allreduce:ALGORITHM, graph:FILE and messages:FILE",
            )),
        }
    }
}

impl fmt::Display for Motif {
    /// The name as it is read; a graph and a list of messages are described without their file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllToAll(how) => f.pad(&format!("alltoall{how}")),
            Self::Bisection { order: PartnerOrder::Ascending, .. } => f.pad("bisection"),
            Self::Bisection { order: PartnerOrder::Rotated, .. } => f.pad("bisection rotated"),
            Self::Halo3d(None) => f.pad("halo3d"),
            Self::Halo3d(Some(grid)) => f.pad(&format!("halo3d:{grid}")),
            Self::Neighbour(None, axis) => f.pad(&format!("neighbour:{axis}")),
            Self::Neighbour(Some(grid), axis) => f.pad(&format!("neighbour:{grid}:{axis}")),
            Self::Graph(_) => f.pad("graph"),
            Self::Messages(_) => f.pad("messages"),
            Self::MoeAllToAll(layer) => f.pad(&format!("moe-alltoall:{layer}")),
            Self::AllReduce(reduction) => f.pad(&format!("allreduce:{reduction}")),
        }
    }
}

#[cfg(test)]
mod tests;
