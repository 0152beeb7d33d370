//! Why a packet takes the path that it takes: the same decision, with all that it was made from.
//!
//! An explanation is for engineers and tools: it makes the decision again, so it must be given what
//! the decision was given, the state of the random numbers included.

use crate::choice::Chosen;
use crate::decide::{admit, error_of, set_out};
use crate::path::Path;
use crate::schemes::{par, ugal};
use crate::{
    Admission, Choice, Credits, Error, Header, Kind, Scheme, Switch, VlbPaths, forward, schemes,
};
use core::fmt;
use rand_core::Rng;
use tvlb_schema::{Decision, GlobalPort, NodeId, Port, SwitchIndex};

/// One of the paths that a decision chose between, and what spoke for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The port by which it leaves the source group; 0 on a path within the group.
    pub x: GlobalPort,
    /// The port by which it leaves the intermediate group; 0 on a MIN path and within the group.
    pub y: GlobalPort,
    /// The switch to visit before y's own, or y's own; on a VLB path within the group the switch
    /// to go through; 0 on a MIN path.
    pub detour: SwitchIndex,
    /// Hops from switch to switch that are left, 1 to 6.
    pub hops: u8,
    /// The first output port.
    pub port: Port,
    /// Credits in use: of that port, or along the whole path under UGAL-G.
    pub queue: u32,
    /// What is compared: queue times hops, under UGAL-G the queue alone.
    pub cost: u64,
}

/// Why a decision had no VLB candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDrawn {
    /// There was nothing to decide: the packet is where it goes to, the scheme is MIN only, or the
    /// packet gets no second look.
    NoDecision,
    /// MIN costs at most T, so no candidate would have been taken.
    MinIsSure,
    /// The pair has no VLB path, or no kept one.
    NoPath,
}

impl fmt::Display for NotDrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoDecision => "VLB not drawn: there was nothing to decide",
            Self::MinIsSure => {
                "VLB not drawn: MIN's queue is empty, or its cost is otherwise at most T"
            }
            Self::NoPath => "VLB not drawn: the pair has no VLB path, or no kept one",
        })
    }
}

/// A decision and what it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation<T> {
    /// What was decided.
    pub outcome: T,
    /// The MIN candidate, if one was drawn.
    pub min: Option<Candidate>,
    /// The VLB candidate, or why none was drawn.
    pub vlb: Result<Candidate, NotDrawn>,
    /// T: MIN is taken if its cost is at most VLB's plus T.
    pub threshold: i16,
}

/// Does the work of [`Switch::explain`].
pub(crate) fn explain(
    switch: &Switch<'_>,
    destination: NodeId,
    scheme: Scheme,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
) -> Result<Explanation<Admission>, Error> {
    let (to, terminal) = switch.dragonfly().switch_of(destination);
    let threshold = switch.image.threshold(scheme.decision());
    if !switch.dragonfly().has_node(destination) || to == switch.image.switch() {
        let outcome = admit(switch, destination, scheme, paths, credits, rng)?;
        return Ok(Explanation { outcome, min: None, vlb: Err(NotDrawn::NoDecision), threshold });
    }
    let to = &switch.place(to);
    let chosen = schemes::choose(switch, to, terminal, scheme, paths, credits, rng)
        .map_err(|denied| error_of(switch, denied, to))?;
    let weigh = |path: Path, kind| {
        let sent = path.sent(to.switch, terminal, kind);
        let is_along = scheme == Scheme::UgalG;
        let along = if is_along { credits.used_along(path.first_port(), sent) } else { None };
        weigh_path(path, along, credits)
    };
    Ok(Explanation {
        outcome: set_out(to, terminal, scheme, &chosen),
        min: chosen.min().map(|min| weigh(min, Kind::Min)),
        vlb: match chosen.vlb() {
            Some(vlb) => Ok(weigh(vlb, Kind::Vlb)),
            None => Err(not_drawn(&chosen)),
        },
        threshold,
    })
}

/// Does the work of [`Switch::explain_again`].
pub(crate) fn explain_again(
    switch: &Switch<'_>,
    header: Header,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
) -> Result<Explanation<Header>, Error> {
    let threshold = switch.image.threshold(Decision::ParSecond);
    if !header.is_open() {
        let vlb = Err(NotDrawn::NoDecision);
        return Ok(Explanation { outcome: header, min: None, vlb, threshold });
    }
    let Some((to, kept)) = par::minimal_rest(switch, header) else {
        return Err(forward::wrong_with(switch, header));
    };
    let min = par::second_min(switch, &to, kept, rng);
    let chosen = ugal::weigh(switch, &to, min, Decision::ParSecond, paths, credits, rng);
    Ok(Explanation {
        outcome: chosen.reroute(header),
        min: Some(weigh_path(min, None, credits)),
        vlb: match chosen.vlb() {
            Some(vlb) => Ok(weigh_path(vlb, None, credits)),
            None => Err(not_drawn(&chosen)),
        },
        threshold,
    })
}

fn weigh_path(path: Path, along: Option<u32>, credits: &(impl Credits + ?Sized)) -> Candidate {
    let (port, hops) = (path.first_port(), path.hops());
    let used = credits.used(port);
    let by_hops = u64::from(used) * u64::from(hops);
    let (queue, cost) = along.map_or((used, by_hops), |along| (along, along.into()));
    Candidate { x: path.x(), y: path.y(), detour: path.detour(), hops, port, queue, cost }
}

fn not_drawn(chosen: &Chosen) -> NotDrawn {
    match chosen.choice {
        _ if chosen.min_is_sure => NotDrawn::MinIsSure,
        Choice::Min | Choice::Here => NotDrawn::NoDecision,
        Choice::MinFallback | Choice::Vlb | Choice::VlbFallback => NotDrawn::NoPath,
    }
}
