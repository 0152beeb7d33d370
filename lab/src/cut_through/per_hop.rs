//! Packets that decide at every hop, as in OFAR: one switch's view of its outputs in one cycle, and the answers of the
//! datapath.

use super::fabric::CutThroughFabric;
use super::settings::Routing;
use super::state::{Queues, Want, channel_of};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Channels, Error, Header};
#[cfg(test)]
use tvlb_ofar::PerHop;
use tvlb_ofar::{Ask, EscapeImage, Ofar, Outputs, PortSet};
use tvlb_schema::{NodeId, Port, SwitchId};
use tvlb_simulator::parts::PortKind;

/// All switches, and the view of the one at work.
pub(super) struct PerHopSwitches<'f> {
    /// By number.
    switches: Vec<Ofar<'f, 'f>>,
    canonical: Channels,
    ready: PortSet,
    granted: PortSet,
    /// The broken rule, in tests.
    #[cfg(test)]
    pub(super) broken: Option<Broken>,
}

/// Broken rules, under which packets wait for each other for ever.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// A ring is entered with room for one packet.
    EntersWithRoomForOne,
    NoEscape,
    /// Nothing enters the escape network, although it waits for room everywhere.
    WaitsWhereAllIsFull,
}

/// A switch's view of its outputs.
struct HopView<'q> {
    queues: &'q Queues,
    switch: SwitchId,
    ready: PortSet,
    granted: PortSet,
}

impl Outputs for HopView<'_> {
    #[inline]
    fn ready(&self) -> PortSet {
        self.ready
    }

    #[inline]
    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        let port = self.queues.port(self.switch, port);
        self.queues.free[channel_of(port, virtual_channel).index()]
    }

    #[inline]
    fn capacity(&self, port: Port) -> u16 {
        let port = self.queues.port(self.switch, port);
        self.queues.room[self.queues.outputs[port.index()].kind as usize]
    }

    #[inline]
    fn granted(&self) -> PortSet {
        self.granted
    }
}

/// The error of the datapath behind one of OFAR.
fn of_datapath(error: tvlb_ofar::Error) -> Error {
    match error {
        tvlb_ofar::Error::Datapath(error) => error,
        other => unreachable!("all headers are what a switch has answered: {other}"),
    }
}

/// The outputs of a switch of which one virtual channel alone has room.
struct Only {
    port: Option<Port>,
    channel: u8,
}

impl Outputs for Only {
    fn ready(&self) -> PortSet {
        self.port.into_iter().collect()
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        u16::from(self.port == Some(port) && self.channel == virtual_channel)
    }

    fn capacity(&self, _: Port) -> u16 {
        1
    }

    fn granted(&self) -> PortSet {
        PortSet::from_words([u64::MAX; 4])
    }
}

impl<'f> PerHopSwitches<'f> {
    /// Those of a fabric with checked settings; `None` under another routing.
    pub(super) fn new(fabric: CutThroughFabric<'f>, routing: Routing) -> Option<Self> {
        let Routing::Ofar(rules) = routing else { return None };
        let escape = fabric.escape.and_then(|escape| escape.with_rules(rules));
        let escape = escape.expect("the settings were checked");
        let switches = fabric.booted.switches().iter();
        let switches = switches
            .map(|switch| {
                Ofar::new(switch, &escape).expect("the fabric was booted with its network")
            })
            .collect();
        let canonical = Channels { local: rules.local_channels, global: rules.global_channels };
        Some(Self {
            switches,
            canonical,
            ready: PortSet::EMPTY,
            granted: PortSet::EMPTY,
            #[cfg(test)]
            broken: None,
        })
    }

    /// The network that all switches share.
    pub(super) fn escape(&self) -> &EscapeImage<'f> {
        self.switches.first().expect("a fabric has switches").escape()
    }

    /// A switch's decisions.
    pub(super) fn of(&self, switch: SwitchId) -> &Ofar<'f, 'f> {
        &self.switches[switch.as_usize()]
    }

    /// Examines a switch's outputs as its turn in a cycle begins.
    pub(super) fn look(&mut self, queues: &Queues, at: SwitchId, now: u32) {
        self.ready = queues.ready(at, self.canonical, now);
        self.granted = PortSet::EMPTY;
    }

    /// An output has been given to a packet.
    pub(super) const fn granted(&mut self, port: Port) {
        self.ready.remove(port);
        self.granted.insert(port);
    }

    /// Those of these input ports from which packets may leave in this cycle: if nodes are throttled, only those of
    /// other switches.
    pub(super) fn admitted(&self, queues: &Queues, at: SwitchId, ports: PortSet) -> PortSet {
        let ofar = &self.switches[at.as_usize()];
        if ofar.escape().rules().throttle_percent >= 100 || ofar.may_inject(&self.seen(queues, at))
        {
            return ports;
        }
        let is_link = |port: &Port| {
            let number = queues.port(at, *port);
            queues.outputs[number.index()].kind != PortKind::Node
        };
        ports.iter().filter(is_link).collect()
    }

    const fn seen<'q>(&self, queues: &'q Queues, switch: SwitchId) -> HopView<'q> {
        HopView { queues, switch, ready: self.ready, granted: self.granted }
    }

    /// Everything that a packet with this header would take at a switch if nothing else had room; `None` if it is at
    /// its destination or invalid.
    pub(super) fn may_want(&self, at: SwitchId, header: Header) -> Option<Vec<Want>> {
        let ofar = &self.switches[at.as_usize()];
        let mut found = Vec::new();
        let mut take = |only: Option<Port>, channel: u8| {
            // Which of several links is drawn does not matter: only one can be taken.
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
            match ofar.ask(header, &Only { port: only, channel }, &mut rng).ok()? {
                Ask::Deliver { .. } => return None,
                Ask::Wait => {}
                Ask::Send { port, virtual_channel, header, room } => {
                    let want = Want { port, virtual_channel, header, room };
                    let is_new = |known: &Want| {
                        (known.port, known.virtual_channel) != (port, virtual_channel)
                    };
                    if found.iter().all(is_new) {
                        found.push(want);
                    }
                }
            }
            Some(())
        };
        take(None, 0)?;
        for port in ofar.links().iter() {
            let of_kind = ofar.escape_channel(port);
            for channel in 0..of_kind {
                take(Some(port), channel)?;
            }
        }
        Some(found)
    }

    /// The want of a packet with this header, or `None` because it waits in an injection queue.
    #[inline]
    pub(super) fn want(
        &self,
        queues: &Queues,
        at: SwitchId,
        (header, destination): (Option<Header>, NodeId),
        rng: &mut impl Rng,
    ) -> Result<Option<Want>, Error> {
        let ofar = &self.switches[at.as_usize()];
        let header = match header {
            Some(header) => header,
            None => ofar.launch(destination).map_err(of_datapath)?,
        };
        let asked = ofar.ask(header, &self.seen(queues, at), rng).map_err(of_datapath)?;
        #[cfg(test)]
        let asked = self.spoilt(asked, PerHop::of(header));
        Ok(match asked {
            Ask::Wait => None,
            Ask::Deliver { port } => Some(Want { port, virtual_channel: 0, header, room: 0 }),
            Ask::Send { port, virtual_channel, header, room } => {
                Some(Want { port, virtual_channel, header, room })
            }
        })
    }

    /// An answer under the broken rule.
    #[cfg(test)]
    fn spoilt(&self, asked: Ask, before: Option<PerHop>) -> Ask {
        let Ask::Send { port, virtual_channel, header, room } = asked else { return asked };
        let enters = |header| PerHop::of(header).is_some_and(|of| of.on_escape);
        let was_there = before.is_some_and(|of| of.on_escape);
        match self.broken {
            Some(Broken::EntersWithRoomForOne) => {
                Ask::Send { port, virtual_channel, header, room: room.min(1) }
            }
            Some(Broken::NoEscape) if enters(header) => Ask::Wait,
            Some(Broken::WaitsWhereAllIsFull) if enters(header) && !was_there => Ask::Wait,
            _ => asked,
        }
    }
}
