//! The source decision of a switch: where the destination is, what the scheme chooses, and the packet's first step. The
//! schemes are in [`crate::schemes`].

use crate::channel::AT_INJECTION;
use crate::choice::{Choice, Chosen};
use crate::path::{Path, Place};
use crate::schemes::{self, ugal};
use crate::{Credits, Error, Header, Kind, Scheme, Step, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::{Decision, Dragonfly, NodeId, Port};

/// A source decision: the first step, and what was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Admission {
    /// The packet's first step.
    pub step: Step,
    /// The choice and its reason.
    pub choice: Choice,
}

/// A path drawn for a packet to another switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnPath {
    /// The port of its first hop.
    pub port: Port,
    /// The header of a packet after that hop.
    pub header: Header,
    /// Its hops from switch to switch.
    pub hops: u8,
}

impl DrawnPath {
    /// The first step of a packet that takes the path.
    pub const fn step(self) -> Step {
        let Self { port, header, .. } = self;
        Step::Send { port, virtual_channel: AT_INJECTION, header }
    }
}

/// Does the work of [`Switch::draw_paths`].
pub(crate) fn draw_paths(
    switch: &Switch<'_>,
    destination: NodeId,
    paths: VlbPaths,
    rng: &mut (impl Rng + ?Sized),
) -> Result<[Option<DrawnPath>; 2], Error> {
    if !switch.serves(Scheme::UgalL, paths) {
        return Err(switch.wrong_scheme(Scheme::UgalL, paths));
    }
    let df = switch.dragonfly();
    if !df.has_node(destination) {
        return Err(no_such_node(df, destination));
    }
    let (to, terminal) = df.switch_of(destination);
    if to == switch.image.switch() {
        return Ok([None; 2]);
    }
    let to = &switch.place(to);
    let min = switch.draw_min(to, rng);
    let min = min.or_else(|| switch.draw_min_over_third(to, rng));
    let vlb = switch.draw_vlb(to, Decision::UgalL, paths, rng);
    if min.is_none() && vlb.is_none() {
        return Err(unreachable(switch, to));
    }
    let drawn = |path: Path, kind| {
        let header = path.sent(to.switch, terminal, kind);
        DrawnPath { port: path.first_port(), header, hops: path.hops() }
    };
    Ok([min.map(|path| drawn(path, Kind::Min)), vlb.map(|path| drawn(path, Kind::Vlb))])
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
        return Err(no_such_node(df, destination));
    }
    let (to, terminal) = df.switch_of(destination);
    if to == switch.image.switch() {
        let step = Step::Deliver { port: df.terminal_port(terminal) };
        return Ok(Admission { step, choice: Choice::Here });
    }
    if !switch.serves(scheme, paths) {
        return Err(switch.wrong_scheme(scheme, paths));
    }
    if scheme.weighs() {
        ugal::check_credits(switch, scheme.decision(), credits)?;
    }
    let to = &switch.place(to);
    match schemes::choose(switch, to, scheme, paths, credits, rng, &mut ()) {
        Some(chosen) => Ok(set_out(to, terminal, scheme, &chosen)),
        None => Err(unreachable(switch, to)),
    }
}

#[cold]
#[inline(never)]
pub(crate) fn unreachable(switch: &Switch<'_>, to: &Place) -> Error {
    Error::Unreachable { from: switch.image.switch(), to: to.switch }
}

/// The first step of a packet on the chosen path.
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
pub(crate) fn no_such_node(df: &Dragonfly, node: NodeId) -> Error {
    Error::NoSuchNode { node, last: df.last_node() }
}
