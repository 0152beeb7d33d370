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
    const fn alone(path: Path, choice: Choice) -> Self {
        Self { path, choice, other: None, min_is_sure: false }
    }

    /// MIN if it costs at most as much as VLB and T, else VLB.
    #[inline]
    fn cheaper(min: (Path, i64), vlb: (Path, i64), threshold: i64) -> Self {
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
        let to = &self.place(switch);
        match self.choose(to, terminal, scheme, paths, credits, rng) {
            Ok(chosen) => Ok(Self::set_out(to, terminal, scheme, &chosen)),
            Err(denied) => Err(self.error_of(denied, to)),
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn error_of(&self, denied: Denied, to: &Place) -> Error {
        match denied {
            Denied::Unreachable => Error::Unreachable { from: self.image.switch(), to: to.switch },
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

    /// PAR's second look: at the second switch, if the packet took MIN and is still in its source
    /// group, MIN by the cable it came for is weighed against a VLB path from here, if MIN costs
    /// more than T. Returns the header to go on with, which [`Self::forward`] takes. The header of
    /// any other packet comes back unchanged.
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
            return Err(self.wrong_with(header));
        };
        Ok(self.weigh(&to, min, Decision::ParSecond, paths, credits, rng).reroute(header))
    }

    /// UGAL-L's choice between a MIN path and a VLB path, which is PAR's too.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn weigh(
        &self,
        to: &Place,
        min: Path,
        decision: Decision,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Chosen {
        let threshold = i64::from(self.image.threshold(decision));
        let cost = Self::local_cost(min, credits);
        if cost <= threshold {
            // No VLB candidate costs less than 0, and MIN wins a tie.
            return Chosen { min_is_sure: true, ..Chosen::alone(min, Choice::Min) };
        }
        let Some(vlb) = self.draw_vlb(to, decision, paths, rng) else {
            return Chosen::alone(min, Choice::MinFallback);
        };
        Chosen::cheaper((min, cost), (vlb, Self::local_cost(vlb, credits)), threshold)
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

    /// The source decision.
    #[inline]
    pub(crate) fn choose(
        &self,
        to: &Place,
        terminal: u8,
        scheme: Scheme,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Chosen, Denied> {
        if scheme == Scheme::UgalG {
            if !credits.sees_whole_paths() {
                return Err(Denied::NoGlobalView);
            }
            return self.choose_by_global_view(to, terminal, paths, credits, rng);
        }
        let min = if scheme == Scheme::Vlb { None } else { self.draw_min(to, rng) };
        match (min, scheme) {
            (Some(min), Scheme::Min) => Ok(Chosen::alone(min, Choice::Min)),
            (Some(min), _) => Ok(self.weigh(to, min, scheme.decision(), paths, credits, rng)),
            (None, _) => self.choose_without_min(to, scheme, paths, rng),
        }
    }

    /// The source decision of UGAL-G.
    #[cold]
    #[inline(never)]
    fn choose_by_global_view(
        &self,
        to: &Place,
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
        let Some(min) = self.draw_min(to, rng) else {
            return self.choose_without_min(to, Scheme::UgalG, paths, rng);
        };
        let min_cost = cost(min, Kind::Min);
        if min_cost.is_some_and(|cost| cost <= threshold) {
            return Ok(Chosen { min_is_sure: true, ..Chosen::alone(min, Choice::Min) });
        }
        let Some(vlb) = self.draw_vlb(to, Decision::UgalL, paths, rng) else {
            return Ok(Chosen::alone(min, Choice::MinFallback));
        };
        let (Some(min_cost), Some(vlb_cost)) = (min_cost, cost(vlb, Kind::Vlb)) else {
            return Err(Denied::NoGlobalView);
        };
        Ok(Chosen::cheaper((min, min_cost), (vlb, vlb_cost), threshold))
    }

    /// The source decision where there is no MIN candidate, because no cable joins the groups or
    /// because the scheme takes VLB only: a VLB path of the set, or else any path that exists.
    #[inline(never)]
    fn choose_without_min(
        &self,
        to: &Place,
        scheme: Scheme,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Chosen, Denied> {
        let only_vlb = scheme == Scheme::Vlb;
        let decision = scheme.decision();
        if scheme != Scheme::Min
            && let Some(vlb) = self.draw_vlb(to, decision, paths, rng)
        {
            let choice = if only_vlb { Choice::Vlb } else { Choice::VlbFallback };
            return Ok(Chosen::alone(vlb, choice));
        }
        if only_vlb && let Some(min) = self.draw_min(to, rng) {
            return Ok(Chosen::alone(min, Choice::MinFallback));
        }
        let vlb = self.draw_vlb(to, decision, VlbPaths::Conventional, rng);
        Ok(Chosen::alone(vlb.ok_or(Denied::Unreachable)?, Choice::VlbFallback))
    }

    /// What UGAL-L and PAR compare: the first queue times the hops.
    #[inline]
    fn local_cost(path: Path, credits: &(impl Credits + ?Sized)) -> i64 {
        i64::from(credits.used(path.first_port())) * i64::from(path.hops())
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn draw_vlb(
        &self,
        to: &Place,
        decision: Decision,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Option<Path> {
        if to.group == self.image.group() {
            return self.draw_within_group(to, rng);
        }
        match paths {
            VlbPaths::Conventional => self.draw_triple(to, rng),
            VlbPaths::Custom => self.draw_from_set(to, self.image.set(decision), rng),
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
