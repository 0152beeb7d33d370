//! The source decision as a switch makes it: where the destination is, what the scheme chooses, and
//! the packet's first step. The schemes are in [`crate::schemes`].

use crate::channel::AT_INJECTION;
use crate::path::{Path, Place};
use crate::{Credits, Error, Header, Kind, Scheme, Step, Switch, schemes};
use rand_core::Rng;
use tvlb_schema::{Dragonfly, NodeId};

/// Where VLB candidates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VlbPaths {
    /// Uniformly from all triples (intermediate switch, MIN leg, MIN leg).
    Conventional,
    /// From the T-VLB set in the switch image.
    Custom,
}

/// Why a packet takes the kind of path that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// The destination is on the source switch: no path at all.
    Here,
    /// MIN, by the scheme. Where MIN costs so little that it is taken whatever the VLB candidate,
    /// none is drawn, so the pair may have none.
    Min,
    /// VLB, by the scheme.
    Vlb,
    /// MIN although the scheme might have taken VLB: the pair has no VLB path, or its set keeps none.
    MinFallback,
    /// VLB although the scheme might have taken MIN: no cable joins the two groups.
    VlbFallback,
}

/// A source decision: the first step, and what was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// What to do with the packet.
    pub step: Step,
    /// What was chosen and why.
    pub choice: Choice,
}

/// What a decision chose, and from what.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    pub(crate) path: Path,
    pub(crate) choice: Choice,
    /// The candidate of the other kind, if one was drawn.
    pub(crate) other: Option<Path>,
    /// MIN costs at most T, so that it is taken whatever the VLB candidate, and none was drawn.
    pub(crate) min_is_sure: bool,
}

impl Chosen {
    #[inline]
    pub(crate) const fn alone(path: Path, choice: Choice) -> Self {
        Self { path, choice, other: None, min_is_sure: false }
    }

    /// MIN if it costs at most as much as VLB and T, else VLB.
    #[inline]
    pub(crate) fn cheaper(min: (Path, i64), vlb: (Path, i64), threshold: i64) -> Self {
        let (path, choice, other) = if min.1 <= vlb.1 + threshold {
            (min.0, Choice::Min, vlb.0)
        } else {
            (vlb.0, Choice::Vlb, min.0)
        };
        Self { path, choice, other: Some(other), min_is_sure: false }
    }

    #[inline]
    pub(crate) const fn is_vlb(&self) -> bool {
        matches!(self.choice, Choice::Vlb | Choice::VlbFallback)
    }

    /// The MIN candidate.
    pub(crate) const fn min(&self) -> Option<Path> {
        if self.is_vlb() { self.other } else { Some(self.path) }
    }

    /// The VLB candidate.
    pub(crate) const fn vlb(&self) -> Option<Path> {
        if self.is_vlb() { Some(self.path) } else { self.other }
    }

    /// The header of a packet that goes on as its second look has chosen.
    #[inline]
    pub(crate) fn reroute(&self, header: Header) -> Header {
        if self.choice == Choice::Vlb { self.path.reroutes(header) } else { header.closed() }
    }
}

/// Why there is no choice. An [`Error`] is some words larger, and a switch's stack is small.
#[derive(Clone, Copy)]
pub(crate) enum Denied {
    Unreachable,
    NoGlobalView,
}

/// Does the work of [`Switch::admit`].
#[inline]
pub(crate) fn admit(
    switch: &Switch<'_>,
    destination: NodeId,
    scheme: Scheme,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
) -> Result<Admission, Error> {
    let df = switch.dragonfly();
    if !df.has_node(destination) {
        return no_such_node(df, destination);
    }
    let (to, terminal) = df.switch_of(destination);
    if to == switch.image.switch() {
        let step = Step::Deliver { port: df.terminal_port(terminal) };
        return Ok(Admission { step, choice: Choice::Here });
    }
    let to = &switch.place(to);
    match schemes::choose(switch, to, terminal, scheme, paths, credits, rng) {
        Ok(chosen) => Ok(set_out(to, terminal, scheme, &chosen)),
        Err(denied) => Err(error_of(switch, denied, to)),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn error_of(switch: &Switch<'_>, denied: Denied, to: &Place) -> Error {
    match denied {
        Denied::Unreachable => Error::Unreachable { from: switch.image.switch(), to: to.switch },
        Denied::NoGlobalView => Error::NoGlobalView,
    }
}

/// The first step of a packet on the path that was chosen.
#[inline]
pub(crate) fn set_out(to: &Place, terminal: u8, scheme: Scheme, chosen: &Chosen) -> Admission {
    let (path, choice) = (chosen.path, chosen.choice);
    let kind = match scheme {
        _ if chosen.is_vlb() => Kind::Vlb,
        Scheme::Par => Kind::OpenMin,
        _ => Kind::Min,
    };
    let port = path.first_port();
    let header = path.sent(to.switch, terminal, kind);
    Admission { step: Step::Send { port, virtual_channel: AT_INJECTION, header }, choice }
}

#[cold]
#[inline(never)]
fn no_such_node(df: &Dragonfly, node: NodeId) -> Result<Admission, Error> {
    Err(Error::NoSuchNode { node, last: NodeId(df.node_count() - 1) })
}
