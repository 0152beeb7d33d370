//! UGAL-L: MIN or VLB by the queues of the two first output ports and the lengths of the two paths: the drawn
//! candidates, the cheapest of each kind, the threshold and the gate. [`Credits::weighed`] defines the cost of a path.

use crate::channel::FirstChannels;
use crate::choice::{Choice, Chosen};
use crate::path::{Path, Place};
use crate::{Credits, Error, Kind, Switch, VlbPaths};
use core::fmt;
use rand_core::Rng;
use tvlb_schema::{Decision, Gate, MinCandidate, Port, Queue};

/// The scheme's name in messages and reports.
pub(crate) const NAME: &str = "ugal-l";

/// The inputs of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateLook {
    /// The gate.
    pub gate: Gate,
    /// Credits in use at the first port of the weighed MIN candidate, of all its virtual channels or of the one that
    /// counts.
    pub queue: u32,
    /// How many links the switch has.
    pub links: u16,
    /// The sum of the credits in use at their ports, of the same channels.
    pub sum: u32,
}

impl GateLook {
    /// Whether VLB was weighed: whether the queue is longer than the gate times the mean queue.
    #[inline]
    pub fn lets_vlb_in(self) -> bool {
        self.gate.lets_vlb_in(self.queue, self.links, self.sum)
    }
}

/// "MIN's queue of 6 against 1.25 times the mean of 40 over 10 links: VLB is weighed".
impl fmt::Display for GateLook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gate, queue, links, sum } = self;
        let verdict = if self.lets_vlb_in() { "VLB is weighed" } else { "MIN is taken" };
        write!(
            f,
            "MIN's queue of {queue} against {gate} times the mean of {sum} over {links} links: {verdict}"
        )
    }
}

/// Why a decision had no VLB candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum NotDrawn {
    /// There was nothing to decide: the packet is at its destination, the scheme is MIN only, or the packet gets no
    /// second look.
    NoDecision,
    /// MIN costs at most T, so no candidate would have been taken.
    MinIsSure,
    /// The gate is shut: MIN's queue is not longer than the gate times the mean queue.
    GateIsShut,
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
            Self::GateIsShut => {
                "VLB not drawn: MIN's queue is not longer than the gate times the mean queue"
            }
            Self::NoPath => "VLB not drawn: the pair has no VLB path, or no kept one",
        })
    }
}

/// The cost of a candidate, and the queue in it.
#[derive(Clone, Copy)]
pub(crate) struct Price {
    /// The virtual channel whose credits were counted, unless all were.
    pub(crate) channel: Option<u8>,
    pub(crate) queue: u32,
    pub(crate) cost: i64,
}

impl Price {
    #[inline]
    pub(crate) fn of(
        (path, channel): (Path, Option<u8>),
        to: &Place,
        kind: Kind,
        credits: &(impl Credits + ?Sized),
    ) -> Self {
        let header = path.sent(to.switch, 0, kind);
        let (queue, hops) = credits.weighed(path.first_port(), channel, header, path.hops());
        Self { channel, queue, cost: i64::from(queue) * i64::from(hops) }
    }

    /// With this many more credits in use, weighted by these hops.
    #[inline]
    fn with(self, (used, hops): (u32, u8)) -> Self {
        let cost = self.cost + i64::from(used) * i64::from(hops);
        Self { queue: self.queue.saturating_add(used), cost, ..self }
    }

    /// The cost, after the candidate was shown to the watch.
    #[inline]
    fn shown(self, path: Path, kind: Kind, watch: &mut impl Watch) -> i64 {
        watch.drawn(path, kind, self);
        self.cost
    }
}

/// The virtual channel that counts at a port: that of the first link of a path through it, or `None` if the decision
/// counts all channels.
#[inline]
pub(crate) fn channel_at(
    switch: &Switch<'_>,
    firsts: Option<FirstChannels>,
    port: Port,
) -> Option<u8> {
    let FirstChannels { local, global } = firsts?;
    Some(if switch.dragonfly().is_slot(port) { global } else { local })
}

/// What UGAL-L was told about the global port through which a path leaves the group after a local hop, and the path's
/// hops. PAR reaches that switch and looks there itself.
#[inline]
fn told_at(
    switch: &Switch<'_>,
    (to, path): (&Place, Path),
    decision: Decision,
    credits: &(impl Credits + ?Sized),
) -> (u32, u8) {
    let is_local = decision == Decision::UgalL
        && to.group != switch.image.group()
        && !switch.dragonfly().is_slot(path.first_port());
    (if is_local { credits.told(path.x()) } else { 0 }, path.hops())
}

/// The channels that count in a decision; `None` if all do.
#[inline]
pub(crate) fn channels_of(switch: &Switch<'_>, decision: Decision) -> Option<FirstChannels> {
    match switch.image.weighing(decision).queue {
        Queue::Port => None,
        Queue::Channel => Some(FirstChannels::of(decision, switch.image.virtual_channels())),
    }
}

/// Checks that credits are known as a decision counts them.
#[inline]
pub(crate) fn check_credits(
    switch: &Switch<'_>,
    decision: Decision,
    credits: &(impl Credits + ?Sized),
) -> Result<(), Error> {
    match switch.image.weighing(decision).queue {
        Queue::Channel if credits.used_on(Port(0), 0).is_none() => {
            Err(Error::SumsOnly { decision })
        }
        _ => Ok(()),
    }
}

/// An observer of a decision: nothing in a switch, and an explanation's notes in a tool.
pub(crate) trait Watch {
    /// A candidate of this kind was drawn.
    #[inline]
    fn drawn(&mut self, path: Path, kind: Kind, price: Price) {
        let _ = (path, kind, price);
    }

    /// The gate was tested.
    #[inline]
    fn gate(&mut self, look: GateLook) {
        let _ = look;
    }

    /// No VLB candidate is drawn.
    #[inline]
    fn not_drawn(&mut self, why: NotDrawn) {
        let _ = why;
    }
}

impl Watch for () {}

/// UGAL-L's choice between MIN paths and VLB paths, which PAR shares, by the costs of their cheapest candidates.
/// `first` is the first MIN candidate.
///
/// A draw that finds no path ends the draws of its kind: the next would repeat the work in vain.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
#[allow(clippy::inline_always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a structure of them takes a switch 8 bytes of stack and 4 instructions"
)]
pub(crate) fn weigh(
    switch: &Switch<'_>,
    to: &Place,
    first: Path,
    decision: Decision,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
    watch: &mut impl Watch,
) -> Chosen {
    let weighing = switch.image.weighing(decision);
    let firsts = channels_of(switch, decision);
    let cost_of = |path: Path, kind, watch: &mut _| {
        let channel = channel_at(switch, firsts, path.first_port());
        let told = told_at(switch, (to, path), decision, credits);
        Price::of((path, channel), to, kind, credits).with(told).shown(path, kind, watch)
    };
    let (mut path, mut cost) = (first, cost_of(first, Kind::Min, watch));
    for _ in 1..weighing.candidates.min() {
        let Some(other) = another_min(switch, to, decision, rng) else { break };
        let found = cost_of(other, Kind::Min, watch);
        if found < cost {
            (path, cost) = (other, found);
        }
    }
    // VLB is taken if it costs less than this; the cheapest VLB candidate so far is below it.
    let mut limit = cost - i64::from(weighing.threshold);
    if limit <= 0 {
        // No VLB candidate costs less than 0.
        watch.not_drawn(NotDrawn::MinIsSure);
        return Chosen::min(path);
    }
    if !weighing.gate.is_none() && !is_open(switch, decision, path, credits, watch) {
        watch.not_drawn(NotDrawn::GateIsShut);
        return Chosen::min(path);
    }
    let Some(vlb) = switch.draw_vlb(to, decision, paths, rng) else {
        return Chosen { path, choice: Choice::MinFallback };
    };
    let mut choice = Choice::Min;
    let found = cost_of(vlb, Kind::Vlb, watch);
    if found < limit {
        (path, limit, choice) = (vlb, found, Choice::Vlb);
    }
    for _ in 1..weighing.candidates.vlb() {
        let Some(other) = another_vlb(switch, to, decision, paths, rng) else { break };
        let found = cost_of(other, Kind::Vlb, watch);
        if found < limit {
            (path, limit, choice) = (other, found, Choice::Vlb);
        }
    }
    Chosen { path, choice }
}

/// A VLB candidate after the first. A host draws the first in place, and the others separately.
#[cfg_attr(target_os = "none", inline(always))]
#[cfg_attr(not(target_os = "none"), inline(never))]
#[allow(clippy::inline_always)]
fn another_vlb(
    switch: &Switch<'_>,
    to: &Place,
    decision: Decision,
    paths: VlbPaths,
    rng: &mut (impl Rng + ?Sized),
) -> Option<Path> {
    switch.draw_vlb(to, decision, paths, rng)
}

/// Whether a gate lets VLB be weighed against this MIN path.
#[inline(never)]
fn is_open(
    switch: &Switch<'_>,
    decision: Decision,
    min: Path,
    credits: &(impl Credits + ?Sized),
    watch: &mut impl Watch,
) -> bool {
    let (ports, firsts) = (switch.image.link_ports(), channels_of(switch, decision));
    let look = GateLook {
        gate: switch.image.weighing(decision).gate,
        queue: credits.queue(min.first_port(), channel_at(switch, firsts, min.first_port())),
        links: switch.image.link_count(),
        sum: match firsts {
            None => credits.used_by_links(ports),
            Some(FirstChannels { local, global }) => {
                let slots = switch.dragonfly().slot_port(0).0;
                let within = credits.used_by_links_on(ports.start..slots, local);
                within.saturating_add(credits.used_by_links_on(slots..ports.end, global))
            }
        },
    };
    watch.gate(look);
    look.lets_vlb_in()
}

/// A MIN candidate after the first. `None` if the first is the only one.
#[inline(never)]
fn another_min(
    switch: &Switch<'_>,
    to: &Place,
    decision: Decision,
    rng: &mut (impl Rng + ?Sized),
) -> Option<Path> {
    if decision == Decision::ParSecond {
        second_min(switch, to, rng)
    } else {
        switch.draw_min(to, rng)
    }
}

/// A MIN path for PAR's second look to weigh; `None` if that is the path by which the packet came.
pub(crate) fn second_min(
    switch: &Switch<'_>,
    to: &Place,
    rng: &mut (impl Rng + ?Sized),
) -> Option<Path> {
    match switch.image.second_min() {
        MinCandidate::Kept => None,
        MinCandidate::Shortest => switch.draw_shortest_min(to, rng),
        // It has made a local hop already, so only one is left.
        MinCandidate::Any if !switch.image.fabric().group_links().is_single() => {
            switch.draw_min_by_links(to, false, rng)
        }
        MinCandidate::Any => switch.draw_min(to, rng),
    }
}
