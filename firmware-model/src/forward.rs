//! Forwarding: the next step of a packet from its header alone.

use crate::channel::{LinkKind, assign};
use crate::{Error, Header, Kind, Stage, Switch};
use tvlb_schema::{Index, Port};

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
    #[inline]
    pub fn forward(&self, header: Header) -> Result<Step, Error> {
        let df = self.dragonfly();
        let Some(kind) = header.kind() else {
            return Err(header_kind(header));
        };
        if !self.is_in_range(header) {
            return Err(self.out_of_range(header));
        }
        let to = header.destination();
        if to == self.image.switch() {
            return Ok(Step::Deliver { port: df.terminal_port(header.terminal()) });
        }
        let (to_group, to_index) = df.place(to);
        let here = self.image.index();
        let stage = header.stage();
        let local = |next: Index, arrived| {
            if next == here {
                return Err(self.astray(header));
            }
            self.send(header, df.local_port(here, next), LinkKind::Local, arrived)
        };
        let global = |slot, arrived| {
            if !self.image.has_cable(slot) {
                return Err(no_cable(header, df.slot_port(slot)));
            }
            self.send(header, df.slot_port(slot), LinkKind::Global, arrived)
        };
        if to_group == self.image.group() {
            return match (stage, kind) {
                (Stage::Source, Kind::Vlb) => local(header.detour(), Stage::SourceLocal),
                (Stage::Source, Kind::Min | Kind::OpenMin)
                | (Stage::SourceLocal, Kind::Vlb)
                | (Stage::Destination, _) => local(to_index, Stage::DestinationLocal),
                _ => Err(self.astray(header)),
            };
        }
        if stage <= Stage::SourceLocalAgain {
            let (at, slot) = df.split_port(header.x());
            return match (stage, kind) {
                (_, Kind::Vlb) if at == here => global(slot, Stage::Middle),
                (_, Kind::Min | Kind::OpenMin) if at == here => global(slot, Stage::Destination),
                (Stage::Source, _) => local(at, Stage::SourceLocal),
                // Only PAR's second look sends a packet on within its source group.
                (Stage::SourceLocal, Kind::Vlb) => local(at, Stage::SourceLocalAgain),
                _ => Err(self.astray(header)),
            };
        }
        if stage <= Stage::MiddleLocal && kind == Kind::Vlb {
            let (at, slot) = df.split_port(header.y());
            let detour = header.detour();
            return match stage {
                Stage::Middle if detour != at && detour != here => {
                    local(detour, Stage::MiddleDetour)
                }
                _ if at == here => global(slot, Stage::Destination),
                Stage::Middle | Stage::MiddleDetour => local(at, Stage::MiddleLocal),
                _ => Err(self.astray(header)),
            };
        }
        Err(self.astray(header))
    }

    #[inline]
    pub(crate) fn send(
        &self,
        header: Header,
        port: Port,
        link: LinkKind,
        arrived: Stage,
    ) -> Result<Step, Error> {
        let channels = self.image.virtual_channels();
        let needed = assign(channels, header.stage(), header.virtual_channel(), link, arrived);
        let count = match link {
            LinkKind::Local => self.channels.local,
            LinkKind::Global => self.channels.global,
        };
        if needed >= count {
            return Err(no_channel(header, needed, count));
        }
        Ok(Step::Send { port, virtual_channel: needed, header: header.moved(arrived, needed) })
    }

    /// Whether the fabric has all that the header names.
    #[inline]
    pub(crate) fn is_in_range(&self, header: Header) -> bool {
        let df = self.dragonfly();
        // No short cut: five comparisons are cheaper than five branches.
        df.has_switch(header.destination())
            & (u32::from(header.terminal()) < df.p())
            & df.has_global_port(header.x())
            & df.has_global_port(header.y())
            & (u32::from(header.detour().0) < df.a())
    }

    #[cold]
    pub(crate) fn out_of_range(&self, header: Header) -> Error {
        let df = self.dragonfly();
        let (field, found, count) = [
            ("destination", header.destination().0.into(), df.switch_count()),
            ("terminal", header.terminal().into(), df.p()),
            ("x", header.x().0.into(), df.ports_per_group()),
            ("y", header.y().0.into(), df.ports_per_group()),
        ]
        .into_iter()
        .find(|(_, found, count): &(_, u32, u32)| found >= count)
        .unwrap_or(("detour", header.detour().0.into(), df.a()));
        Error::HeaderRange { bits: header.bits(), field, found, most: count - 1 }
    }

    #[cold]
    pub(crate) fn astray(&self, header: Header) -> Error {
        Error::Astray { bits: header.bits(), stage: header.stage(), at: self.image.switch() }
    }
}

#[cold]
fn header_kind(header: Header) -> Error {
    Error::HeaderKind { bits: header.bits() }
}

#[cold]
fn no_cable(header: Header, port: Port) -> Error {
    Error::NoCable { bits: header.bits(), port }
}

#[cold]
fn no_channel(header: Header, needed: u8, count: u8) -> Error {
    Error::NoChannel { bits: header.bits(), needed, count }
}
