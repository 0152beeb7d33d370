//! The routing of one switch, without the standard library, an allocator or a panic: the part for firmware.
//!
//! The rest of the firmware calls [`Routing::from_node`] and [`Routing::from_link`] for each packet that arrives, and
//! [`Routing::sent`] and [`Routing::credit_returned`] when flits leave and credits come back. If packets are
//! acknowledged, it calls [`Routing::may_set_out`] before a packet from a node, and reports what became of it;
//! otherwise these calls and `windows` can be removed.
#![no_std]
#![forbid(unsafe_code)]

use tvlb_firmware_model::rand_core::SeedableRng;
use tvlb_firmware_model::schema::{NodeId, Port, SwitchId, WindowLimits};
use tvlb_firmware_model::{
    Admission, Channels, CreditCounters, CreditError, DefaultRng, Error, Header, Scheme, Step,
    Switch, VlbPaths, Windows,
};

/// The most ports that the switch can have.
pub const MOST_PORTS: usize = 64;
/// The virtual channels for which each port has counters: tables may count the credits of single channels.
pub const CHANNELS: u8 = 5;

/// The windows of the source: as many as the largest fabric has switches, or fewer, which switches share.
const WINDOWS: usize = 256;
/// When they close.
const LIMITS: WindowLimits = WindowLimits { delay_cycles: 150, packets: 32 };

/// How packets are routed, and where VLB paths come from.
const SCHEME: Scheme = Scheme::Par;
const PATHS: VlbPaths = VlbPaths::Custom;

/// One switch: its tables, in flash or in a bank of RAM, its random numbers and its counters.
pub struct Routing<'t> {
    switch: Switch<'t>,
    rng: DefaultRng,
    /// By port and virtual channel, flits sent whose buffer space downstream has not come back yet.
    credits: CreditCounters<MOST_PORTS, { CHANNELS as usize }>,
    windows: Windows<WINDOWS>,
}

/// Why a switch does not boot.
#[derive(Debug)]
pub enum BootError {
    /// It has more ports, or its links more virtual channels, than there are counters.
    TooFewCounters,
    /// The images are bad, or the links have too few virtual channels.
    Datapath(Error),
}

impl<'t> Routing<'t> {
    /// Boots from the two images, over links that have these virtual channels. Both stay where they are.
    ///
    /// # Errors
    /// Invalid images, or images that need more than this program and the links have.
    pub fn boot(
        fabric_image: &'t [u8],
        switch_image: &'t [u8],
        links: Channels,
    ) -> Result<Self, BootError> {
        let switch = Switch::boot(fabric_image, switch_image)
            .and_then(|switch| switch.with_channels(SCHEME, links))
            .map_err(BootError::Datapath)?;
        let credits = CreditCounters::of(&switch).ok_or(BootError::TooFewCounters)?;
        // Each switch draws numbers of its own.
        let rng = DefaultRng::seed_from_u64(switch.image().switch().0.into());
        Ok(Self { switch, rng, credits, windows: Windows::new(LIMITS) })
    }

    /// Whether a packet from a node of this switch may set out; it then counts as under way. Otherwise it is held, and
    /// tried again after the next acknowledgement from its destination, the oldest packet first.
    pub fn may_set_out(&mut self, destination: NodeId) -> bool {
        let to = self.switch_of(destination);
        to == self.switch.image().switch() || self.windows.admit(to)
    }

    /// A packet to this node has arrived, this many cycles after it set out.
    pub fn acknowledged(&mut self, destination: NodeId, delay_cycles: u32) {
        let to = self.switch_of(destination);
        self.windows.acknowledge(to, delay_cycles);
    }

    /// A packet to this node that was to set out will not arrive: it is lost, or [`Routing::from_node`] refused it.
    pub fn lost(&mut self, destination: NodeId) {
        let to = self.switch_of(destination);
        self.windows.lose(to);
    }

    fn switch_of(&self, node: NodeId) -> SwitchId {
        self.switch.image().fabric().dragonfly().switch_of(node).0
    }

    /// A packet from a node of this switch: decides its path and takes the first step.
    ///
    /// # Errors
    /// There is no such node, or no path leads there. The packet is to be dropped.
    pub fn from_node(&mut self, destination: NodeId) -> Result<Admission, Error> {
        self.switch.admit(destination, SCHEME, PATHS, &self.credits, &mut self.rng)
    }

    /// A packet from another switch, with the header that it came with: PAR's second look, if the packet is open to
    /// it, the look in the intermediate group, if the image asks for it, and the next step.
    ///
    /// # Errors
    /// The header makes no sense here. The packet is to be dropped.
    pub fn from_link(&mut self, header: u64) -> Result<Step, Error> {
        let header = Header::from_bits(header);
        let header = self.switch.reconsider(header, PATHS, &self.credits, &mut self.rng)?;
        // The source of a VLB packet could not see the queues of this group, so the packet may leave it by another link.
        let header = self.switch.look_onward(header, SCHEME, &self.credits)?;
        self.switch.forward(header)
    }

    /// Flits were sent by a port on a virtual channel.
    ///
    /// # Errors
    /// There is no such counter.
    pub fn sent(&mut self, port: Port, virtual_channel: u8, flits: u32) -> Result<(), CreditError> {
        self.credits.sent(port, virtual_channel, flits)
    }

    /// Buffer space of a virtual channel downstream of a port has come back.
    ///
    /// # Errors
    /// More came back than was sent, which deserves a counter of its own: a link returned too many credits.
    pub fn credit_returned(
        &mut self,
        port: Port,
        virtual_channel: u8,
        flits: u32,
    ) -> Result<(), CreditError> {
        self.credits.returned(port, virtual_channel, flits)
    }

    /// The same routing with other tables, from an unused bank of memory, while packets fly. The bank of the old ones
    /// is free afterwards. Dead parts must be listed again, by a fault image in the new bank. A packet whose step was
    /// decided but not yet taken is decided again: by [`Routing::from_node`], or by [`Routing::from_link`] with its
    /// original header.
    ///
    /// # Errors
    /// Why packets in transit could not continue with these tables, and the unchanged routing.
    pub fn updated<'u>(
        self,
        fabric_image: &'u [u8],
        switch_image: &'u [u8],
        fault_image: Option<&'u [u8]>,
    ) -> Result<Routing<'u>, (Self, Error)> {
        match self.switch.replaced(fabric_image, switch_image, fault_image) {
            Ok(switch) => {
                let Self { rng, credits, windows, .. } = self;
                Ok(Routing { switch, rng, credits, windows })
            }
            Err(error) => Err((self, error)),
        }
    }

    /// The switch, to ask for its properties.
    #[must_use]
    pub fn switch(&self) -> &Switch<'t> {
        &self.switch
    }
}
