//! The source decision, and PAR's second look: MIN or VLB, from the switch's own credits.

use crate::channel::LinkKind;
use crate::draw::{Path, draw_within_group};
use crate::{Credits, Error, Header, Kind, Stage, Step, Switch};
use rand_core::Rng;
use tvlb_schema::{Decision, GlobalPort, Index, Node, Port};

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
    const fn header(self, to: tvlb_schema::Switch, terminal: u8, kind: Kind) -> Header {
        let Path { x, y, detour, .. } = self.path;
        Header::at_source(to, terminal, kind, x, y, detour)
    }
}

impl Switch<'_> {
    /// Decides the path of a packet that a node of this switch sends, and its first step.
    ///
    /// Draws one candidate of each kind that the scheme needs; `credits` are read at most twice.
    ///
    /// # Errors
    /// The destination does not exist, or cannot be reached.
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
            return Err(Error::NoSuchNode { node: destination, last: Node(df.node_count() - 1) });
        }
        let (to, terminal) = df.switch_of(destination);
        if to == self.image.switch() {
            let step = Step::Deliver { port: df.terminal_port(terminal) };
            return Ok(Admission { step, choice: Choice::Here });
        }
        let decision = scheme.decision();
        let min = if scheme == Scheme::Vlb { None } else { self.draw_min(to, rng) };
        let vlb =
            if scheme == Scheme::Min { None } else { self.draw_vlb(to, decision, paths, rng) };
        let (candidate, choice) = match (scheme, min, vlb) {
            (Scheme::Min, Some(min), _) => (min, Choice::Min),
            (Scheme::Vlb, _, Some(vlb)) => (vlb, Choice::Vlb),
            (Scheme::UgalL | Scheme::Par, Some(min), Some(vlb)) => {
                if self.prefers_min(decision, min, vlb, credits) {
                    (min, Choice::Min)
                } else {
                    (vlb, Choice::Vlb)
                }
            }
            (Scheme::UgalG, Some(min), Some(vlb)) => {
                let queue = |candidate: Candidate, kind| {
                    let header = candidate.header(to, terminal, kind);
                    credits.used_along(header).map(i64::from).ok_or(Error::NoGlobalView)
                };
                let threshold = i64::from(self.image.threshold(decision));
                if queue(min, Kind::Min)? <= queue(vlb, Kind::Vlb)?.saturating_add(threshold) {
                    (min, Choice::Min)
                } else {
                    (vlb, Choice::Vlb)
                }
            }
            (Scheme::UgalL | Scheme::Par | Scheme::UgalG, Some(min), None) => {
                (min, Choice::MinForWant)
            }
            (Scheme::UgalL | Scheme::Par | Scheme::UgalG, None, Some(vlb)) => {
                (vlb, Choice::VlbForWant)
            }
            _ => self.only_path(to, scheme, rng)?,
        };
        let kind = match choice {
            Choice::Vlb | Choice::VlbForWant => Kind::Vlb,
            _ if scheme == Scheme::Par => Kind::OpenMin,
            _ => Kind::Min,
        };
        let header = candidate.header(to, terminal, kind);
        let (link, arrived) = if candidate.is_global {
            let arrived = if kind == Kind::Vlb { Stage::Middle } else { Stage::Destination };
            (LinkKind::Global, arrived)
        } else if self.dragonfly().place(to).0 == self.image.group() && kind != Kind::Vlb {
            (LinkKind::Local, Stage::DestinationLocal)
        } else {
            (LinkKind::Local, Stage::SourceLocal)
        };
        Ok(Admission { step: self.send(header, candidate.first, link, arrived)?, choice })
    }

    /// PAR's second look: at the second switch, if the packet took MIN and is still in its source
    /// group, MIN by the cable it came for is weighed against a VLB path from here. Returns the
    /// header to go on with, which [`Self::forward`] takes; any other packet's comes back as it is.
    ///
    /// # Errors
    /// The header makes no sense here.
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
        if !self.is_in_range(header) {
            return Err(self.out_of_range(header));
        }
        let (df, to) = (self.dragonfly(), header.destination());
        let (at, slot) = df.split_port(header.x());
        let arrival = if at == self.image.index() { self.image.peer(slot) } else { None };
        let ((to_group, to_index), Some(arrival)) = (df.place(to), arrival) else {
            return Err(self.astray(header));
        };
        if arrival.group != to_group {
            return Err(self.astray(header));
        }
        let tail = df.split_port(arrival.port).0 != to_index;
        let path =
            Path { x: header.x(), y: GlobalPort(0), detour: Index(0), hops: 1 + u8::from(tail) };
        let min = Candidate { path, first: df.slot_port(slot), is_global: true };
        match self.draw_vlb(to, Decision::ParSecond, paths, rng) {
            Some(vlb) if !self.prefers_min(Decision::ParSecond, min, vlb, credits) => {
                let Path { x, y, detour, .. } = vlb.path;
                Ok(header.rerouted(x, y, detour))
            }
            _ => Ok(header.closed()),
        }
    }

    /// UGAL-L's comparison; MIN wins a tie.
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

    /// The path of a pair that lacks what its scheme asks for: the other kind, by all there is.
    fn only_path(
        &self,
        to: tvlb_schema::Switch,
        scheme: Scheme,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<(Candidate, Choice), Error> {
        let min = if scheme == Scheme::Vlb { self.draw_min(to, rng) } else { None };
        match min {
            Some(min) => Ok((min, Choice::MinForWant)),
            None => match self.draw_vlb(to, scheme.decision(), VlbPaths::Conventional, rng) {
                Some(vlb) => Ok((vlb, Choice::VlbForWant)),
                None => Err(Error::Unreachable { from: self.image.switch(), to }),
            },
        }
    }

    fn draw_min(
        &self,
        to: tvlb_schema::Switch,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Candidate> {
        match self.pair(to) {
            Some(pair) => pair.draw_min(rng).map(|path| self.leaving_by_x(path)),
            None => Some(self.within_group(self.dragonfly().place(to).1, Index(0), 1)),
        }
    }

    fn draw_vlb(
        &self,
        to: tvlb_schema::Switch,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Candidate> {
        let Some(pair) = self.pair(to) else {
            let df = self.dragonfly();
            let through = draw_within_group(df.a(), self.image.index(), df.place(to).1, rng)?;
            return Some(self.within_group(through, through, 2));
        };
        let path = match paths {
            VlbPaths::Conventional => pair.draw_triple(rng)?,
            VlbPaths::Custom => pair.draw_route(self.image.set(decision), rng)?,
        };
        Some(self.leaving_by_x(path))
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

    fn within_group(&self, next: Index, detour: Index, hops: u8) -> Candidate {
        let path = Path { x: GlobalPort(0), y: GlobalPort(0), detour, hops };
        let first = self.dragonfly().local_port(self.image.index(), next);
        Candidate { path, first, is_global: false }
    }
}
