//! The source decision, and PAR's second look: MIN or VLB, from the switch's own credits.

use crate::channel::{LinkKind, place};
use crate::draw::{Pair, Path, draw_within_group};
use crate::{Credits, Error, Header, Kind, Stage, Step, Switch};
use rand_core::Rng;
use tvlb_schema::{Decision, Dragonfly, GlobalPort, Group, Index, Node, Port, Route, Shape};

/// How a source switch chooses between a packet's MIN and its VLB path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Always MIN.
    Min,
    /// Always VLB.
    Vlb,
    /// UGAL-L: by the queues of the two first output ports and the lengths of the two paths.
    UgalL,
    /// PAR: as UGAL-L with the set for PAR, and once more at the second switch if MIN was taken
    /// and that switch is still in the source group ([`Switch::reconsider`]).
    Par,
    /// UGAL-G: by the queues along both paths, whatever their lengths. Only a simulator has them.
    UgalG,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Min, Self::Vlb, Self::UgalL, Self::Par, Self::UgalG];

    /// The name in messages and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Vlb => "vlb",
            Self::UgalL => "ugal-l",
            Self::Par => "par",
            Self::UgalG => "ugal-g",
        }
    }

    /// The decision whose set and threshold the source switch uses.
    const fn decision(self) -> Decision {
        match self {
            Self::Par => Decision::ParSource,
            _ => Decision::UgalL,
        }
    }
}

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
    /// MIN, by the scheme.
    Min,
    /// VLB, by the scheme.
    Vlb,
    /// MIN although the scheme might have taken VLB: the pair has no VLB path, or no kept one.
    MinForWant,
    /// VLB although the scheme might have taken MIN: no cable joins the two groups.
    VlbForWant,
}

/// A source decision: the first step, and what was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// What to do with the packet.
    pub step: Step,
    /// What was chosen and why.
    pub choice: Choice,
}

/// A path of either kind as the decision sees it.
#[derive(Clone, Copy)]
struct Candidate {
    path: Path,
    first: Port,
    /// The first port is a global one.
    is_global: bool,
}

impl Candidate {
    /// The header with which a packet on this path stands at its source.
    #[inline]
    const fn header(self, to: tvlb_schema::Switch, terminal: u8, kind: Kind) -> Header {
        let Path { x, y, detour, .. } = self.path;
        Header::at_source(to, terminal, kind, x, y, detour)
    }
}

/// Where a packet is to go.
#[derive(Clone, Copy)]
struct Destination {
    switch: tvlb_schema::Switch,
    group: Group,
    index: Index,
}

impl Switch<'_> {
    /// Decides the path of a packet that a node of this switch sends, and its first step.
    ///
    /// Draws one candidate of each kind that the scheme needs; `credits` are read at most twice.
    ///
    /// # Errors
    /// The destination does not exist, or cannot be reached.
    #[inline]
    pub fn admit(
        &self,
        destination: Node,
        scheme: Scheme,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Admission, Error> {
        let df = self.dragonfly();
        if !df.has_node(destination) {
            return Err(no_such_node(df, destination));
        }
        let (switch, terminal) = df.switch_of(destination);
        if switch == self.image.switch() {
            let step = Step::Deliver { port: df.terminal_port(terminal) };
            return Ok(Admission { step, choice: Choice::Here });
        }
        let (group, index) = df.place(switch);
        let to = Destination { switch, group, index };
        let (candidate, choice) = self.choose(to, terminal, scheme, paths, credits, rng)?;
        let is_vlb = matches!(choice, Choice::Vlb | Choice::VlbForWant);
        let kind = match scheme {
            _ if is_vlb => Kind::Vlb,
            Scheme::Par => Kind::OpenMin,
            _ => Kind::Min,
        };
        let (link, arrived) = if candidate.is_global {
            (LinkKind::Global, if is_vlb { Stage::Middle } else { Stage::Destination })
        } else if !is_vlb && group == self.image.group() {
            (LinkKind::Local, Stage::DestinationLocal)
        } else {
            (LinkKind::Local, Stage::SourceLocal)
        };
        let header = candidate.header(switch, terminal, kind);
        let place = place(Stage::Source as u32, link);
        let step = self.send(header, candidate.first, place, arrived as u32)?;
        Ok(Admission { step, choice })
    }

    /// PAR's second look: at the second switch, if the packet took MIN and is still in its source
    /// group, MIN by the cable it came for is weighed against a VLB path from here. Returns the
    /// header to go on with, which [`Self::forward`] takes; any other packet's comes back as it is.
    ///
    /// # Errors
    /// The header makes no sense here.
    #[inline]
    pub fn reconsider(
        &self,
        header: Header,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Header, Error> {
        if header.kind() != Some(Kind::OpenMin) || header.stage() != Stage::SourceLocal {
            return Ok(header);
        }
        let (to, min) = self.minimal_rest(header)?;
        match self.draw_vlb(to, Decision::ParSecond, paths, rng) {
            Some(vlb) if !self.prefers_min(Decision::ParSecond, min, vlb, credits) => {
                let Path { x, y, detour, .. } = vlb.path;
                Ok(header.rerouted(x, y, detour))
            }
            _ => Ok(header.closed()),
        }
    }

    /// The rest of the MIN path of a packet in its source group that stands before its global
    /// link, and where it goes.
    fn minimal_rest(&self, header: Header) -> Result<(Destination, Candidate), Error> {
        if !self.is_in_range(header) {
            return Err(self.out_of_range(header));
        }
        let df = self.dragonfly();
        let (at, slot) = df.split_port(header.x());
        let (group, index) = df.place(header.destination());
        let arrival = if at == self.image.index() { self.image.peer(slot) } else { None };
        let Some(arrival) = arrival.filter(|arrival| arrival.group == group) else {
            return Err(self.astray(header));
        };
        let tail = df.split_port(arrival.port).0 != index;
        let path =
            Path { x: header.x(), y: GlobalPort(0), detour: Index(0), hops: 1 + u8::from(tail) };
        let to = Destination { switch: header.destination(), group, index };
        Ok((to, Candidate { path, first: df.slot_port(slot), is_global: true }))
    }

    /// The source decision.
    #[inline]
    fn choose(
        &self,
        to: Destination,
        terminal: u8,
        scheme: Scheme,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<(Candidate, Choice), Error> {
        let decision = scheme.decision();
        let min = if scheme == Scheme::Vlb { None } else { self.draw_min(to, rng) };
        if let (Scheme::Min, Some(min)) = (scheme, min) {
            return Ok((min, Choice::Min));
        }
        let vlb =
            if scheme == Scheme::Min { None } else { self.draw_vlb(to, decision, paths, rng) };
        Ok(match (min, vlb) {
            (Some(min), Some(vlb)) => {
                let prefers_min = if scheme == Scheme::UgalG {
                    self.prefers_min_along(to, terminal, min, vlb, credits)?
                } else {
                    self.prefers_min(decision, min, vlb, credits)
                };
                if prefers_min { (min, Choice::Min) } else { (vlb, Choice::Vlb) }
            }
            (None, Some(vlb)) if scheme == Scheme::Vlb => (vlb, Choice::Vlb),
            (Some(min), None) => (min, Choice::MinForWant),
            (None, Some(vlb)) => (vlb, Choice::VlbForWant),
            (None, None) => self.only_path(to, scheme, rng)?,
        })
    }

    /// UGAL-L's comparison; MIN wins a tie.
    #[inline]
    fn prefers_min(
        &self,
        decision: Decision,
        min: Candidate,
        vlb: Candidate,
        credits: &(impl Credits + ?Sized),
    ) -> bool {
        let cost = |c: Candidate| i64::from(credits.used(c.first)) * i64::from(c.path.hops);
        cost(min) <= cost(vlb) + i64::from(self.image.threshold(decision))
    }

    /// UGAL-G's comparison; MIN wins a tie.
    #[inline(never)]
    fn prefers_min_along(
        &self,
        to: Destination,
        terminal: u8,
        min: Candidate,
        vlb: Candidate,
        credits: &(impl Credits + ?Sized),
    ) -> Result<bool, Error> {
        let queue = |candidate: Candidate, kind| {
            let header = candidate.header(to.switch, terminal, kind);
            credits.used_along(header).map(i64::from).ok_or(Error::NoGlobalView)
        };
        let threshold = i64::from(self.image.threshold(Decision::UgalL));
        Ok(queue(min, Kind::Min)? <= queue(vlb, Kind::Vlb)? + threshold)
    }

    /// The path of a pair that lacks what its scheme asks for: the other kind, by all there is.
    #[cold]
    #[inline(never)]
    fn only_path(
        &self,
        to: Destination,
        scheme: Scheme,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<(Candidate, Choice), Error> {
        let min = if scheme == Scheme::Vlb { self.draw_min(to, rng) } else { None };
        match min {
            Some(min) => Ok((min, Choice::MinForWant)),
            None => match self.draw_vlb(to, scheme.decision(), VlbPaths::Conventional, rng) {
                Some(vlb) => Ok((vlb, Choice::VlbForWant)),
                None => Err(Error::Unreachable { from: self.image.switch(), to: to.switch }),
            },
        }
    }

    #[inline]
    fn draw_min(&self, to: Destination, rng: &mut (impl Rng + ?Sized)) -> Option<Candidate> {
        match self.pair(to) {
            Some(pair) => pair.draw_min(rng).map(|path| self.leaving_by_x(path)),
            None => Some(self.within_group(to.index, Index(0), 1)),
        }
    }

    #[inline]
    fn draw_vlb(
        &self,
        to: Destination,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Candidate> {
        let Some(pair) = self.pair(to) else {
            let a = self.dragonfly().a();
            let through = draw_within_group(a, self.image.index(), to.index, rng)?;
            return Some(self.within_group(through, through, 2));
        };
        let path = match paths {
            VlbPaths::Conventional => pair.draw_triple(rng)?,
            VlbPaths::Custom => pair.draw_route(self.image.set(decision), rng)?,
        };
        Some(self.leaving_by_x(path))
    }

    /// This switch and one of another group; `None` for one of its own group.
    #[inline]
    fn pair(&self, to: Destination) -> Option<Pair<'_, '_>> {
        let from = (self.image.group(), self.image.index());
        (to.group != from.0).then_some(Pair {
            fabric: self.image.fabric(),
            source: self.image.switch(),
            destination: to.switch,
            from,
            to: (to.group, to.index),
        })
    }

    /// Every VLB route to `destination` that a decision's set keeps, each once, with its shape.
    ///
    /// For tools and tests: the time grows with the number of routes.
    pub fn for_each_route(
        &self,
        decision: Decision,
        destination: tvlb_schema::Switch,
        each: impl FnMut(Route, Shape),
    ) {
        let (group, index) = self.dragonfly().place(destination);
        if let Some(pair) = self.pair(Destination { switch: destination, group, index }) {
            pair.for_each_route(self.image.set(decision), each);
        }
    }

    #[inline]
    fn leaving_by_x(&self, path: Path) -> Candidate {
        let df = self.dragonfly();
        let (at, slot) = df.split_port(path.x);
        let here = self.image.index();
        let is_global = at == here;
        let first = if is_global { df.slot_port(slot) } else { df.local_port(here, at) };
        Candidate { path, first, is_global }
    }

    #[inline]
    fn within_group(&self, next: Index, detour: Index, hops: u8) -> Candidate {
        let path = Path { x: GlobalPort(0), y: GlobalPort(0), detour, hops };
        let first = self.dragonfly().local_port(self.image.index(), next);
        Candidate { path, first, is_global: false }
    }
}

#[cold]
fn no_such_node(df: &Dragonfly, node: Node) -> Error {
    Error::NoSuchNode { node, last: Node(df.node_count() - 1) }
}
