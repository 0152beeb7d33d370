//! Why a packet takes its path: the same decision, with all its inputs.
//!
//! An explanation is for engineers and tools: it makes the decision again, so it must get the same inputs, including
//! the state of the random numbers.

use crate::decide::{admit, set_out, unreachable};
use crate::path::Path;
use crate::schemes::ugal::{
    GateLook, NotDrawn, Price, Watch, channel_at, channels_of, check_credits,
};
use crate::schemes::{self, par};
use crate::{
    Admission, Choice, Credits, Error, Header, Kind, Scheme, Switch, VlbPaths, forward, onward,
};
use rand_core::Rng;
use tvlb_schema::{Candidates, Decision, GlobalPort, NodeId, Port, SwitchIndex, Weighing};

/// One of the paths that a decision chose from, and its cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The port through which it leaves the source group; 0 on a path within the group.
    pub x: GlobalPort,
    /// The port through which it leaves the intermediate group; 0 on a MIN path and within the group.
    pub y: GlobalPort,
    /// The switch to visit before y's own, or y's own; on a VLB path within the group the switch
    /// to go through; 0 on a MIN path.
    pub detour: SwitchIndex,
    /// Remaining hops from switch to switch, 1 to 6.
    pub hops: u8,
    /// The first output port.
    pub port: Port,
    /// The virtual channel of that port whose credits were counted, unless all were.
    pub virtual_channel: Option<u8>,
    /// Credits in use of that port, of all its virtual channels or of the one that counts, or the first factor of
    /// [`Credits::weighed`].
    pub queue: u32,
    /// The compared cost: queue times hops, or the product of [`Credits::weighed`].
    pub cost: u64,
}

impl Candidate {
    fn new(path: Path, price: Price) -> Self {
        Self {
            x: path.x(),
            y: path.y(),
            detour: path.detour(),
            hops: path.hops(),
            port: path.first_port(),
            virtual_channel: price.channel,
            queue: price.queue,
            cost: price.cost.unsigned_abs(),
        }
    }
}

/// The candidates of one kind, at most [`Candidates::MOST`], in the order in which they were drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    all: [Option<Candidate>; Candidates::MOST as usize],
}

impl Drawn {
    /// The candidates, the first drawn first.
    pub fn iter(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.all.iter().copied().flatten()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The one that is weighed: the cheapest, and among equal ones the first drawn.
    pub fn cheapest(&self) -> Option<Candidate> {
        self.iter().min_by_key(|candidate| candidate.cost)
    }

    fn add(&mut self, candidate: Candidate) {
        if let Some(place) = self.all.iter_mut().find(|place| place.is_none()) {
            *place = Some(candidate);
        }
    }
}

/// A decision and its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation<T> {
    /// The decision.
    pub outcome: T,
    /// The MIN candidate that was weighed, if one was drawn: the cheapest of `min_drawn`.
    pub min: Option<Candidate>,
    /// The VLB candidate that was weighed, the cheapest of `vlb_drawn`, or why none was drawn.
    pub vlb: Result<Candidate, NotDrawn>,
    /// All MIN candidates.
    pub min_drawn: Drawn,
    /// All VLB candidates.
    pub vlb_drawn: Drawn,
    /// The gate's inputs, if there was one.
    pub gate: Option<GateLook>,
    /// How the decision weighs: T, how many candidates it draws, and the gate.
    pub weighing: Weighing,
}

/// Notes taken while a decision was made.
#[derive(Default)]
struct DecisionNotes {
    min: Drawn,
    vlb: Drawn,
    gate: Option<GateLook>,
    not_drawn: Option<NotDrawn>,
}

impl Watch for DecisionNotes {
    fn drawn(&mut self, path: Path, kind: Kind, price: Price) {
        let drawn = if kind == Kind::Vlb { &mut self.vlb } else { &mut self.min };
        drawn.add(Candidate::new(path, price));
    }

    fn gate(&mut self, look: GateLook) {
        self.gate = Some(look);
    }

    fn not_drawn(&mut self, why: NotDrawn) {
        self.not_drawn = Some(why);
    }
}

impl DecisionNotes {
    /// The explanation of a decision that ended with this choice.
    fn explain<T>(self, outcome: T, choice: Choice, weighing: Weighing) -> Explanation<T> {
        let not_drawn = self.not_drawn.unwrap_or(match choice {
            Choice::Min | Choice::Here => NotDrawn::NoDecision,
            Choice::MinFallback | Choice::Vlb | Choice::VlbFallback => NotDrawn::NoPath,
        });
        Explanation {
            outcome,
            min: self.min.cheapest(),
            vlb: self.vlb.cheapest().ok_or(not_drawn),
            min_drawn: self.min,
            vlb_drawn: self.vlb,
            gate: self.gate,
            weighing,
        }
    }
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
    let weighing = *switch.image.weighing(scheme.decision());
    let mut notes = DecisionNotes::default();
    if !switch.dragonfly().has_node(destination) || to == switch.image.switch() {
        let outcome = admit(switch, destination, scheme, paths, credits, rng)?;
        return Ok(notes.explain(outcome, Choice::Here, weighing));
    }
    if !switch.serves(scheme, paths) {
        return Err(switch.wrong_scheme(scheme, paths));
    }
    if scheme.weighs() {
        check_credits(switch, scheme.decision(), credits)?;
    }
    let to = &switch.place(to);
    let chosen = schemes::choose(switch, to, scheme, paths, credits, rng, &mut notes)
        .ok_or_else(|| unreachable(switch, to))?;
    if notes.min.is_empty() {
        // Nothing was weighed.
        let (path, kind) = (chosen.path, if chosen.is_vlb() { Kind::Vlb } else { Kind::Min });
        let firsts = channels_of(switch, scheme.decision()).filter(|_| scheme.weighs());
        let channel = channel_at(switch, firsts, path.first_port());
        notes.drawn(path, kind, Price::of((path, channel), to, kind, credits));
    }
    let outcome = set_out(to, terminal, scheme, &chosen);
    Ok(notes.explain(outcome, chosen.choice, weighing))
}

/// Does the work of [`Switch::explain_again`].
pub(crate) fn explain_again(
    switch: &Switch<'_>,
    header: Header,
    paths: VlbPaths,
    credits: &(impl Credits + ?Sized),
    rng: &mut (impl Rng + ?Sized),
) -> Result<Explanation<Header>, Error> {
    let weighing = *switch.image.weighing(Decision::ParSecond);
    let mut notes = DecisionNotes::default();
    if !header.is_open() {
        return Ok(notes.explain(header, Choice::Here, weighing));
    }
    if !switch.serves(Scheme::Par, paths) {
        return Err(switch.wrong_scheme(Scheme::Par, paths));
    }
    check_credits(switch, Decision::ParSecond, credits)?;
    let Some(chosen) = par::look_again(switch, header, paths, credits, rng, &mut notes) else {
        return Err(forward::wrong_with(switch, header));
    };
    Ok(notes.explain(chosen.reroute(header), chosen.choice, weighing))
}

/// Does the work of [`Switch::explain_onward`].
pub(crate) fn explain_onward(
    switch: &Switch<'_>,
    header: Header,
    scheme: Scheme,
    credits: &(impl Credits + ?Sized),
) -> Result<Explanation<Header>, Error> {
    let weighing = *switch.image.weighing(scheme.decision());
    let mut notes = DecisionNotes::default();
    let outcome = onward::look(switch, header, scheme, credits, &mut notes)?;
    let is_taken = |way: &Candidate| (way.y, way.detour) == (outcome.y(), outcome.detour());
    let taken = notes.vlb.iter().find(is_taken);
    let mut explanation = notes.explain(outcome, Choice::Here, weighing);
    explanation.vlb = taken.ok_or(NotDrawn::NoDecision);
    Ok(explanation)
}
