//! Forwarding: the next step of a packet from its header alone.

use crate::channel::{LinkKind, ordered};
use crate::{Error, Header, Kind, Scheme, Stage, Switch};
use tvlb_schema::{Index, Port, VcScheme};

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

impl Switch<'_> {
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
        let astray = self.astray(header);

        if to_group == self.image.group() {
            let last = (to_index, Stage::DestinationLocal);
            let (next, stage) = match (stage, kind) {
                (Stage::Source, Kind::Vlb) => (header.detour(), Stage::SourceLocal),
                (Stage::Source, Kind::Min | Kind::OpenMin)
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
                    Kind::Min | Kind::OpenMin => Stage::Destination,
                    Kind::Vlb => Stage::Middle,
                };
                match stage {
                    _ if at == here => self.send_global(header, slot, arrived),
                    Stage::Source => self.send_local(header, at, Stage::SourceLocal),
                    // Only PAR's second look sends a packet on within its source group.
                    Stage::SourceLocal if kind == Kind::Vlb => {
                        self.send_local(header, at, Stage::SourceLocalAgain)
                    }
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

    pub(crate) fn astray(&self, header: Header) -> Error {
        Error::Astray { bits: header.bits(), stage: header.stage(), at: self.image.switch() }
    }

    /// Refuses a header that names what the fabric does not have.
    pub(crate) fn check_range(&self, header: Header) -> Result<(), Error> {
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
        let count = Scheme::Par.virtual_channels(self.image.virtual_channels());
        if needed >= count {
            return Err(Error::NoChannel { bits: header.bits(), needed, count });
        }
        Ok(Step::Send { port, virtual_channel: needed, header: header.moved(arrived, needed) })
    }
}
