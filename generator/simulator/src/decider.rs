//! The interface between the network and the decisions in its switches: a [`Decider`] is asked for every decision and
//! for every step of a packet, with the switch's view of that moment ([`SwitchView`]).
//!
//! [`BySwitches`] lets the switches themselves answer, with the datapath that ships. Another decider may weigh other
//! queues, keep a state of its own, or be somebody else's switch software; methods that it does not define are answered
//! by the switches. It is dispatched statically, so that our own runs do not pay for it.
//!
//! For one switch the calls come in the order of cycles. Switches run some cycles ahead of each other, so a decider in
//! which the calls for one switch affect another one must say so ([`Decider::looks_afar`]).

use crate::scheme::Scheme;
use crate::settings::Settings;
use crate::switch_state::SwitchQueues;
use crate::told_by_group::ToldByGroup;
use crate::whole_paths::WholePaths;
use rand_core::Rng;
use tvlb_firmware_model::{Admission, Credits, Error, Header, Step, Switch, VlbPaths};
use tvlb_schema::{NodeId, Port, SwitchId};

/// The view of a switch that decides.
pub struct SwitchView<'n> {
    /// The cycle.
    pub cycle: u32,
    /// The scheme of the run.
    pub scheme: Scheme,
    /// Where VLB candidates of the run come from.
    pub paths: VlbPaths,
    pub(crate) at: SwitchId,
    pub(crate) switches: &'n [Switch<'n>],
    pub(crate) queues: SwitchQueues<'n>,
}

impl<'n> SwitchView<'n> {
    /// The view of the switch with these queues.
    #[inline]
    pub(crate) const fn new(
        switches: &'n [Switch<'n>],
        queues: SwitchQueues<'n>,
        (settings, cycle): (&Settings, u32),
    ) -> Self {
        let (scheme, paths) = (settings.scheme, settings.paths);
        Self { cycle, scheme, paths, at: queues.switch(), switches, queues }
    }

    /// The switch that decides.
    pub fn switch(&self) -> &'n Switch<'n> {
        &self.switches[self.at.as_usize()]
    }

    /// Its number.
    pub const fn number(&self) -> SwitchId {
        self.at
    }

    /// The credits in use at its own output ports, at this moment.
    pub const fn queues(&self) -> &SwitchQueues<'n> {
        &self.queues
    }

    /// The decision of [`Switch::admit`] with these credits and the run's scheme and paths.
    ///
    /// # Errors
    /// Those of [`Switch::admit`].
    #[inline]
    pub fn admit(
        &self,
        destination: NodeId,
        credits: &impl Credits,
        rng: &mut impl Rng,
    ) -> Result<Admission, Error> {
        self.switch().admit(destination, self.scheme.of_switch(), self.paths, credits, rng)
    }
}

/// Decides in the switches of a network. Random numbers are those of the node at an admission, and those of the switch
/// at a second look.
///
/// An error ends the run, which names the switch and the cycle.
pub trait Decider: Send + Sized {
    /// The path of a packet that a node of this switch sends to `destination`, and its first step. Credits are those at
    /// the end of the previous cycle.
    ///
    /// # Errors
    /// The packet cannot be sent.
    #[inline]
    fn admit(
        &mut self,
        view: &SwitchView<'_>,
        destination: NodeId,
        rng: &mut impl Rng,
    ) -> Result<Admission, Error> {
        match view.scheme {
            Scheme::UgalG => {
                let seen = WholePaths { own: view.queues(), switches: view.switches };
                view.admit(destination, &seen, rng)
            }
            Scheme::UgalGroup => {
                let seen = ToldByGroup { own: view.queues(), image: view.switch().image() };
                view.admit(destination, &seen, rng)
            }
            _ => view.admit(destination, view.queues(), rng),
        }
    }

    /// PAR's second look at a packet that comes from a switch of the same group with an open header: returns the header
    /// to continue with.
    ///
    /// # Errors
    /// The packet cannot go on.
    #[inline]
    fn reconsider(
        &mut self,
        view: &SwitchView<'_>,
        header: Header,
        rng: &mut impl Rng,
    ) -> Result<Header, Error> {
        view.switch().reconsider(header, view.paths, view.queues(), rng)
    }

    /// The look in the intermediate group at a packet from another switch, if an image of the fabric has one: returns
    /// the header to continue with.
    ///
    /// # Errors
    /// The packet cannot go on.
    #[inline]
    fn look_onward(&mut self, view: &SwitchView<'_>, header: Header) -> Result<Header, Error> {
        view.switch().look_onward(header, view.scheme.of_switch(), view.queues())
    }

    /// The next step of a packet that comes from another switch in this cycle, which depends on its header alone.
    ///
    /// # Errors
    /// The packet cannot go on.
    #[inline]
    fn forward(&mut self, switch: &Switch<'_>, cycle: u32, header: Header) -> Result<Step, Error> {
        let _ = cycle;
        switch.forward(header)
    }

    /// Whether calls for one switch affect decisions at another. Then all switches keep in step, and within a cycle
    /// calls come in an order that is always the same.
    fn looks_afar(&self) -> bool {
        false
    }

    /// The decider of a part of the network that another thread runs; `None` if one decider must see all switches or
    /// has a state, because parts may join again at any time and only the first one's decider stays.
    fn of_part(&self) -> Option<Self> {
        None
    }
}

/// A decider with its steps checked: none may lead to a port without a link or a node, or to a channel that links lack.
#[derive(Clone, Copy, Debug)]
pub struct Checked<D> {
    pub(crate) decider: D,
    /// How many virtual channels a link has.
    pub(crate) channels: u8,
}

impl<D> Checked<D> {
    /// Refuses a step that a switch cannot make.
    fn check(&self, switch: &Switch<'_>, step: Step) -> Result<(), Error> {
        let df = switch.image().fabric().dragonfly();
        let beyond = |port: Port| u32::from(port.0) >= df.radix();
        match step {
            Step::Deliver { port } if u32::from(port.0) < df.p() => Ok(()),
            Step::Deliver { port } => Err(Error::NoCable { bits: 0, port }),
            Step::Send { port, header, .. } if beyond(port) || switch.neighbour(port).is_none() => {
                Err(Error::NoCable { bits: header.bits(), port })
            }
            Step::Send { virtual_channel: needed, .. } if needed < self.channels => Ok(()),
            Step::Send { virtual_channel: needed, header, .. } => {
                Err(Error::NoChannel { bits: header.bits(), needed, count: self.channels })
            }
        }
    }
}

impl<D: Decider> Decider for Checked<D> {
    fn admit(
        &mut self,
        view: &SwitchView<'_>,
        destination: NodeId,
        rng: &mut impl Rng,
    ) -> Result<Admission, Error> {
        let admission = self.decider.admit(view, destination, rng)?;
        self.check(view.switch(), admission.step)?;
        Ok(admission)
    }

    fn reconsider(
        &mut self,
        view: &SwitchView<'_>,
        header: Header,
        rng: &mut impl Rng,
    ) -> Result<Header, Error> {
        self.decider.reconsider(view, header, rng)
    }

    fn look_onward(&mut self, view: &SwitchView<'_>, header: Header) -> Result<Header, Error> {
        self.decider.look_onward(view, header)
    }

    fn forward(&mut self, switch: &Switch<'_>, cycle: u32, header: Header) -> Result<Step, Error> {
        let step = self.decider.forward(switch, cycle, header)?;
        self.check(switch, step)?;
        Ok(step)
    }

    fn looks_afar(&self) -> bool {
        self.decider.looks_afar()
    }

    fn of_part(&self) -> Option<Self> {
        Some(Self { decider: self.decider.of_part()?, channels: self.channels })
    }
}

/// The switches themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct BySwitches;

impl Decider for BySwitches {
    fn of_part(&self) -> Option<Self> {
        Some(Self)
    }
}
