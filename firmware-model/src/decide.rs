//! The source decision as a switch makes it: where the destination is, what the scheme chooses, and
//! the packet's first step. The schemes are in [`crate::schemes`].

use crate::channel::AT_INJECTION;
use crate::choice::{Choice, Chosen, Denied};
use crate::path::Place;
use crate::{Credits, Error, Kind, Scheme, Step, Switch, VlbPaths, schemes};
use rand_core::Rng;
use tvlb_schema::{Dragonfly, NodeId};

/// A source decision: the first step, and what was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// What to do with the packet.
    pub step: Step,
    /// What was chosen and why.
    pub choice: Choice,
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
    let to = &switch.place(to);
    match schemes::choose(switch, to, terminal, scheme, paths, credits, rng, &mut ()) {
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
pub(crate) fn no_such_node(df: &Dragonfly, node: NodeId) -> Error {
    Error::NoSuchNode { node, last: df.last_node() }
}
