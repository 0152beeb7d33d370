//! The source decision, and PAR's second look: MIN or VLB, from the switch's own credits.

use crate::channel::AT_INJECTION;
use crate::path::{Path, Place};
use crate::{Credits, Error, Header, Kind, Stage, Step, Switch};
use rand_core::Rng;
use tvlb_schema::{Decision, Dragonfly, GlobalPort, Index, Node};

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
    pub(crate) const fn decision(self) -> Decision {
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
    /// MIN, by the scheme. Where MIN costs so little that it is taken whatever the VLB candidate,
    /// none is drawn, so the pair may have none.
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

/// What a source decision chose, and from what.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    pub(crate) path: Path,
    pub(crate) choice: Choice,
    pub(crate) min: Option<Path>,
    pub(crate) vlb: Option<Path>,
    /// MIN costs at most T, so that it is taken whatever the VLB candidate, and none was drawn.
    pub(crate) min_is_sure: bool,
}

impl Chosen {
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

impl Switch<'_> {
    /// Decides the path of a packet that a node of this switch sends, and its first step.
    ///
    /// Draws one candidate of each kind that the scheme needs, VLB's only where MIN costs more than
    /// T: else MIN is taken whatever the other. `credits` are read at most twice.
    ///
    /// # Errors
    /// The destination does not exist, or cannot be reached.
    ///
    /// # Example
    /// ```
    /// use tvlb_firmware_model::rand_core::SeedableRng;
    /// use tvlb_firmware_model::{Choice, DefaultRng, Scheme, Step, Switch, VlbPaths};
    /// use tvlb_schema::Node;
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/golden/v2/");
    /// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
    /// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
    /// let switch = Switch::boot(&fabric_image, &switch_image)?;
    /// let mut rng = DefaultRng::seed_from_u64(1);
    /// // Credits in use on each port: nothing waits, so the minimal path is taken.
    /// let idle = [0_u32; 7];
    /// let sent = switch.admit(Node(70), Scheme::UgalL, VlbPaths::Custom, &idle[..], &mut rng)?;
    /// assert_eq!(sent.choice, Choice::Min);
    /// assert!(matches!(sent.step, Step::Send { virtual_channel: 0, .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
            return no_such_node(df, destination);
        }
        let (switch, terminal) = df.switch_of(destination);
        if switch == self.image.switch() {
            let step = Step::Deliver { port: df.terminal_port(terminal) };
            return Ok(Admission { step, choice: Choice::Here });
        }
        let to = self.place(switch);
        match self.choose(to, terminal, scheme, paths, credits, rng) {
            Ok(chosen) => Ok(Self::set_out(to, terminal, scheme, &chosen)),
            Err(denied) => Err(self.error_of(denied, to)),
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn error_of(&self, denied: Denied, to: Place) -> Error {
        match denied {
            Denied::Unreachable => Error::Unreachable { from: self.image.switch(), to: to.switch },
            Denied::NoGlobalView => Error::NoGlobalView,
        }
    }

    /// The first step of a packet on the path that was chosen.
    #[inline]
    pub(crate) fn set_out(to: Place, terminal: u8, scheme: Scheme, chosen: &Chosen) -> Admission {
        let (path, choice) = (chosen.path, chosen.choice);
        let is_vlb = matches!(choice, Choice::Vlb | Choice::VlbForWant);
        let kind = match scheme {
            _ if is_vlb => Kind::Vlb,
            Scheme::Par => Kind::OpenMin,
            _ => Kind::Min,
        };
        let port = path.first_port();
        let header = path.sent(to.switch, terminal, kind);
        Admission { step: Step::Send { port, virtual_channel: AT_INJECTION, header }, choice }
    }

    /// PAR's second look: at the second switch, if the packet took MIN and is still in its source
    /// group, MIN by the cable it came for is weighed against a VLB path from here, if MIN costs
    /// more than T. Returns the
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
        if !header.is_open() {
            return Ok(header);
        }
        let Some((to, min)) = self.minimal_rest(header) else {
            return Err(self.no_second_look(header));
        };
        Ok(self.choose_again(to, min, paths, credits, rng).reroute(header))
    }

    /// PAR's second choice between the rest of a packet's MIN path and a VLB path.
    #[inline]
    pub(crate) fn choose_again(
        &self,
        to: Place,
        min: Path,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Chosen {
        let threshold = i64::from(self.image.threshold(Decision::ParSecond));
        let cost = Self::local_cost(min, credits);
        let stays = Chosen {
            path: min,
            choice: Choice::Min,
            min: Some(min),
            vlb: None,
            min_is_sure: cost <= threshold,
        };
        if stays.min_is_sure {
            return stays;
        }
        let Some(vlb) = self.draw_vlb(to, Decision::ParSecond, paths, rng) else {
            return Chosen { choice: Choice::MinForWant, ..stays };
        };
        let stays = Chosen { vlb: Some(vlb), ..stays };
        if cost <= Self::local_cost(vlb, credits) + threshold {
            return stays;
        }
        Chosen { path: vlb, choice: Choice::Vlb, ..stays }
    }

    /// The rest of the MIN path of a packet in its source group that stands before its global
    /// link, and where it goes.
    pub(crate) fn minimal_rest(&self, header: Header) -> Option<(Place, Path)> {
        if !self.is_in_range(header) {
            return None;
        }
        let df = self.dragonfly();
        let (at, slot) = df.split_port(header.x());
        let to = self.place(header.destination());
        let arrival = if at == self.image.index() { self.image.peer(slot)? } else { return None };
        if arrival.group != to.group {
            return None;
        }
        let tail = df.split_port(arrival.port).0 != to.index;
        let first = (df.slot_port(slot), Stage::Destination);
        let path = Path::new(first, header.x(), GlobalPort(0), Index(0), 1 + u8::from(tail))?;
        Some((to, path))
    }

    /// What is wrong with a header that gets no second look here.
    #[cold]
    #[inline(never)]
    pub(crate) fn no_second_look(&self, header: Header) -> Error {
        if self.is_in_range(header) { self.astray(header) } else { self.out_of_range(header) }
    }

    /// The source decision.
    #[inline]
    pub(crate) fn choose(
        &self,
        to: Place,
        terminal: u8,
        scheme: Scheme,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Chosen, Denied> {
        if scheme == Scheme::UgalG {
            return self.choose_by_global_view(to, terminal, paths, credits, rng);
        }
        let decision = scheme.decision();
        let min = if scheme == Scheme::Vlb { None } else { self.draw_min(to, rng) };
        let chosen = |path, min_is_sure| {
            Ok(Chosen { path, choice: Choice::Min, min, vlb: None, min_is_sure })
        };
        if let (Scheme::Min, Some(path)) = (scheme, min) {
            return chosen(path, false);
        }
        let threshold = i64::from(self.image.threshold(decision));
        let min_cost = min.map_or(0, |min| Self::local_cost(min, credits));
        if let Some(path) = min
            && min_cost <= threshold
        {
            // No candidate costs less than nothing, and MIN wins a tie.
            return chosen(path, true);
        }
        let vlb =
            if scheme == Scheme::Min { None } else { self.draw_vlb(to, decision, paths, rng) };
        if let (Some(min_path), Some(vlb_path)) = (min, vlb) {
            let (path, choice) = if min_cost <= Self::local_cost(vlb_path, credits) + threshold {
                (min_path, Choice::Min)
            } else {
                (vlb_path, Choice::Vlb)
            };
            return Ok(Chosen { path, choice, min, vlb, min_is_sure: false });
        }
        self.choose_the_only(to, scheme, min, vlb, rng)
    }

    /// The source decision of UGAL-G.
    #[cold]
    #[inline(never)]
    fn choose_by_global_view(
        &self,
        to: Place,
        terminal: u8,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Chosen, Denied> {
        let cost = |path: Path, kind| {
            let header = path.header(to.switch, terminal, kind);
            credits.used_along(header).map(i64::from)
        };
        let threshold = i64::from(self.image.threshold(Decision::UgalL));
        let min = self.draw_min(to, rng);
        let min_cost = min.and_then(|min| cost(min, Kind::Min));
        if let (Some(path), Some(cost)) = (min, min_cost)
            && cost <= threshold
        {
            return Ok(Chosen { path, choice: Choice::Min, min, vlb: None, min_is_sure: true });
        }
        let vlb = self.draw_vlb(to, Decision::UgalL, paths, rng);
        if let (Some(min_path), Some(vlb_path)) = (min, vlb) {
            let (Some(min_cost), Some(vlb_cost)) = (min_cost, cost(vlb_path, Kind::Vlb)) else {
                return Err(Denied::NoGlobalView);
            };
            let (path, choice) = if min_cost <= vlb_cost + threshold {
                (min_path, Choice::Min)
            } else {
                (vlb_path, Choice::Vlb)
            };
            return Ok(Chosen { path, choice, min, vlb, min_is_sure: false });
        }
        self.choose_the_only(to, Scheme::UgalG, min, vlb, rng)
    }

    /// The source decision where there is at most one candidate.
    #[inline(never)]
    fn choose_the_only(
        &self,
        to: Place,
        scheme: Scheme,
        min: Option<Path>,
        vlb: Option<Path>,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Chosen, Denied> {
        let (path, choice) = match (scheme, min, vlb) {
            (Scheme::Vlb, _, Some(vlb)) => (vlb, Choice::Vlb),
            (_, Some(min), _) => (min, Choice::MinForWant),
            (_, _, Some(vlb)) => (vlb, Choice::VlbForWant),
            _ => return self.only_path(to, scheme, rng),
        };
        Ok(Chosen { path, choice, min, vlb, min_is_sure: false })
    }

    /// What UGAL-L and PAR compare: the first queue times the hops.
    #[inline]
    fn local_cost(path: Path, credits: &(impl Credits + ?Sized)) -> i64 {
        i64::from(credits.used(path.first_port())) * i64::from(path.hops())
    }

    /// The path of a pair that lacks what its scheme asks for: the other kind, by all there is.
    #[cold]
    #[inline(never)]
    fn only_path(
        &self,
        to: Place,
        scheme: Scheme,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Chosen, Denied> {
        let min = if scheme == Scheme::Vlb { self.draw_min(to, rng) } else { None };
        if let Some(path) = min {
            let choice = Choice::MinForWant;
            return Ok(Chosen { path, choice, min, vlb: None, min_is_sure: false });
        }
        let vlb = self.draw_vlb(to, scheme.decision(), VlbPaths::Conventional, rng);
        let path = vlb.ok_or(Denied::Unreachable)?;
        Ok(Chosen { path, choice: Choice::VlbForWant, min, vlb, min_is_sure: false })
    }

    #[inline]
    pub(crate) fn draw_vlb(
        &self,
        to: Place,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if to.group == self.image.group() {
            return self.draw_within_group(to, rng);
        }
        match paths {
            VlbPaths::Conventional => self.draw_triple(to, rng),
            VlbPaths::Custom => self.draw_route(to, self.image.set(decision), rng),
        }
    }

    #[inline]
    pub(crate) fn place(&self, switch: tvlb_schema::Switch) -> Place {
        let (group, index) = self.dragonfly().place(switch);
        Place { switch, group, index }
    }
}

#[cold]
#[inline(never)]
fn no_such_node(df: &Dragonfly, node: Node) -> Result<Admission, Error> {
    Err(Error::NoSuchNode { node, last: Node(df.node_count() - 1) })
}
