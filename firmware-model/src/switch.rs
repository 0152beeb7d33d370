//! One switch: boots from images, decides at the source, forwards in transit.

use crate::channel::{LinkKind, ORDERED_CHANNELS, ordered};
use crate::draw::{Pair, Path, draw_within_group};
use crate::{Credits, Error, Header, Kind, Stage};
use rand_core::Rng;
use tvlb_schema::{
    Decision, Dragonfly, End, FabricImage, GlobalPort, Group, Index, Node, Port, Route, Shape,
    SwitchImage, VcScheme,
};

/// How a source switch chooses between a packet's MIN and its VLB path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Always MIN.
    Min,
    /// Always VLB.
    Vlb,
    /// UGAL-L: by the queues of the two first output ports and the lengths of the two paths.
    UgalL,
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

/// What a switch does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Deliver it to a node on this switch.
    Deliver {
        /// The physical port, which is the node's terminal.
        port: Port,
    },
    /// Send it on.
    Send {
        /// The physical port.
        port: Port,
        /// The virtual channel on the link behind that port.
        virtual_channel: u8,
        /// The header it travels with.
        header: Header,
    },
}

/// A source decision: the first step, and what was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// What to do with the packet.
    pub step: Step,
    /// What was chosen and why.
    pub choice: Choice,
}

/// One booted switch. It borrows its images and changes nothing: share it freely.
#[derive(Clone, Debug)]
pub struct Switch<'a> {
    image: SwitchImage<'a>,
}

/// A path of either kind as the decision sees it.
#[derive(Clone, Copy)]
struct Candidate {
    path: Path,
    first: Port,
}

impl<'a> Switch<'a> {
    /// Boots from the fabric image and this switch's image.
    ///
    /// # Errors
    /// Which image is bad and why. Never panics, whatever the bytes.
    pub fn boot(fabric: &'a [u8], switch: &'a [u8]) -> Result<Self, Error> {
        let fabric = FabricImage::decode(fabric).map_err(Error::FabricImage)?;
        let image = SwitchImage::decode(switch, &fabric).map_err(Error::SwitchImage)?;
        Ok(Self { image })
    }

    /// The image it booted from.
    pub const fn image(&self) -> &SwitchImage<'a> {
        &self.image
    }

    /// How many virtual channels its links need.
    pub const fn virtual_channels(&self) -> u8 {
        match self.image.virtual_channels() {
            VcScheme::Ordered => ORDERED_CHANNELS,
        }
    }

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
        let min = if scheme == Scheme::Vlb { None } else { self.draw_min(to, rng) };
        let vlb = if scheme == Scheme::Min { None } else { self.draw_vlb(to, paths, rng) };
        let (candidate, choice) = match (scheme, min, vlb) {
            (Scheme::Min, Some(min), _) => (min, Choice::Min),
            (Scheme::Vlb, _, Some(vlb)) => (vlb, Choice::Vlb),
            (Scheme::UgalL, Some(min), Some(vlb)) => {
                let cost = |c: Candidate| i64::from(credits.used(c.first)) * i64::from(c.path.hops);
                let threshold = i64::from(self.image.threshold(Decision::UgalL));
                if cost(min) <= cost(vlb) + threshold {
                    (min, Choice::Min)
                } else {
                    (vlb, Choice::Vlb)
                }
            }
            (Scheme::UgalL, Some(min), None) => (min, Choice::MinForWant),
            (Scheme::UgalL, None, Some(vlb)) => (vlb, Choice::VlbForWant),
            _ => self.only_path(to, scheme, rng)?,
        };
        let kind = match choice {
            Choice::Vlb | Choice::VlbForWant => Kind::Vlb,
            _ => Kind::Min,
        };
        let Path { x, y, detour, .. } = candidate.path;
        let header = Header::at_source(to, terminal, kind, x, y, detour);
        Ok(Admission { step: self.forward(header)?, choice })
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
            None => match self.draw_vlb(to, VlbPaths::Conventional, rng) {
                Some(vlb) => Ok((vlb, Choice::VlbForWant)),
                None => Err(Error::Unreachable { from: self.image.switch(), to }),
            },
        }
    }

    /// The next step of a packet that stands at this switch with this header.
    ///
    /// Constant time; the wiring is not consulted except for whether the port has a cable.
    ///
    /// # Errors
    /// The header makes no sense here. Any bits whatever end in `Ok` or `Err`, and a packet is
    /// delivered or refused after at most 7 steps, wherever it begins.
    pub fn forward(&self, header: Header) -> Result<Step, Error> {
        let df = self.dragonfly();
        let (to, terminal) = (header.destination(), header.terminal());
        self.check_range(header)?;
        let Some(kind) = header.kind() else {
            return Err(Error::HeaderKind { bits: header.bits() });
        };
        if to == self.image.switch() {
            return Ok(Step::Deliver { port: df.terminal_port(terminal) });
        }
        let (to_group, to_index) = df.place(to);
        let here = self.image.index();
        let stage = header.stage();
        let astray = Error::Astray { bits: header.bits(), stage, at: self.image.switch() };

        if to_group == self.image.group() {
            let last = (to_index, Stage::DestinationLocal);
            let (next, stage) = match (stage, kind) {
                (Stage::Source, Kind::Vlb) => (header.detour(), Stage::SourceLocal),
                (Stage::Source, Kind::Min)
                | (Stage::SourceLocal, Kind::Vlb)
                | (Stage::Destination, _) => last,
                _ => return Err(astray),
            };
            return if next == here { Err(astray) } else { self.send_local(header, next, stage) };
        }
        match stage {
            Stage::Source | Stage::SourceLocal | Stage::SourceLocalAgain => {
                let (at, slot) = df.split_port(header.x());
                let arrived = match kind {
                    Kind::Min => Stage::Destination,
                    Kind::Vlb => Stage::Middle,
                };
                match stage {
                    _ if at == here => self.send_global(header, slot, arrived),
                    Stage::Source => self.send_local(header, at, Stage::SourceLocal),
                    _ => Err(astray),
                }
            }
            Stage::Middle | Stage::MiddleDetour | Stage::MiddleLocal if kind == Kind::Vlb => {
                let (at, slot) = df.split_port(header.y());
                let detour = header.detour();
                match stage {
                    Stage::Middle if detour != at && detour != here => {
                        self.send_local(header, detour, Stage::MiddleDetour)
                    }
                    _ if at == here => self.send_global(header, slot, Stage::Destination),
                    Stage::Middle | Stage::MiddleDetour => {
                        self.send_local(header, at, Stage::MiddleLocal)
                    }
                    _ => Err(astray),
                }
            }
            _ => Err(astray),
        }
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
        if let Some(pair) = self.pair(destination) {
            pair.for_each_route(self.image.set(decision), each);
        }
    }

    const fn dragonfly(&self) -> &Dragonfly {
        self.image.fabric().dragonfly()
    }

    /// This switch and one of another group; `None` for one of its own group.
    fn pair(&self, destination: tvlb_schema::Switch) -> Option<Pair<'_, 'a>> {
        let to = self.dragonfly().place(destination);
        let from = (self.image.group(), self.image.index());
        (to.0 != from.0).then_some(Pair {
            fabric: self.image.fabric(),
            source: self.image.switch(),
            destination,
            from,
            to,
        })
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
            VlbPaths::Custom => pair.draw_route(self.image.set(Decision::UgalL), rng)?,
        };
        Some(self.leaving_by_x(path))
    }

    fn leaving_by_x(&self, path: Path) -> Candidate {
        let df = self.dragonfly();
        let (at, slot) = df.split_port(path.x);
        let here = self.image.index();
        let first = if at == here { df.slot_port(slot) } else { df.local_port(here, at) };
        Candidate { path, first }
    }

    fn within_group(&self, next: Index, detour: Index, hops: u8) -> Candidate {
        let path = Path { x: GlobalPort(0), y: GlobalPort(0), detour, hops };
        Candidate { path, first: self.dragonfly().local_port(self.image.index(), next) }
    }

    /// Refuses a header that names what the fabric does not have.
    fn check_range(&self, header: Header) -> Result<(), Error> {
        let df = self.dragonfly();
        let check = |field, found: u32, count: u32| {
            if found < count {
                Ok(())
            } else {
                Err(Error::HeaderRange { bits: header.bits(), field, found, most: count - 1 })
            }
        };
        check("destination", header.destination().0.into(), df.switch_count())?;
        check("terminal", header.terminal().into(), df.p())?;
        check("x", header.x().0.into(), df.ports_per_group())?;
        check("y", header.y().0.into(), df.ports_per_group())?;
        check("detour", header.detour().0.into(), df.a())
    }

    fn send_local(&self, header: Header, to: Index, arrived: Stage) -> Result<Step, Error> {
        let port = self.dragonfly().local_port(self.image.index(), to);
        self.send(header, port, LinkKind::Local, arrived)
    }

    fn send_global(&self, header: Header, slot: u16, arrived: Stage) -> Result<Step, Error> {
        let port = self.dragonfly().slot_port(slot);
        if !self.image.has_cable(slot) {
            return Err(Error::NoCable { bits: header.bits(), port });
        }
        self.send(header, port, LinkKind::Global, arrived)
    }

    fn send(
        &self,
        header: Header,
        port: Port,
        link: LinkKind,
        arrived: Stage,
    ) -> Result<Step, Error> {
        let needed = match self.image.virtual_channels() {
            VcScheme::Ordered => ordered(header.stage(), header.virtual_channel(), link),
        };
        let count = self.virtual_channels();
        if needed >= count {
            return Err(Error::NoChannel { bits: header.bits(), needed, count });
        }
        Ok(Step::Send { port, virtual_channel: needed, header: header.moved(arrived, needed) })
    }

    /// The other end of the cable or local link behind a physical port; `None` for a terminal, an
    /// unused port or one that does not exist.
    pub fn neighbour(&self, port: Port) -> Option<(Group, Index)> {
        let df = self.dragonfly();
        let (here, number) = (self.image.index(), u32::from(port.0));
        let rank = number.checked_sub(df.p())?;
        if rank < df.a() - 1 {
            let index = u8::try_from(rank).ok()?;
            return Some((
                self.image.group(),
                Index(if index >= here.0 { index + 1 } else { index }),
            ));
        }
        let slot = u16::try_from(rank - (df.a() - 1)).ok()?;
        let End { group, port } = self.image.peer(slot)?;
        Some((group, df.split_port(port).0))
    }
}
