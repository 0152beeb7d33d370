//! Forwarding: the next step of a packet from its header alone.

use crate::channel::{AGAIN, LinkKind, place};
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

/// By kind, four bits each: the first stage from which a packet to another group has no global
/// hop before it. A header without a kind has none at any stage.
const PAST_GLOBAL_HOPS: u32 = 0x0633;

/// By stage, four bits each: the stage behind a local hop towards the port by which the packet
/// leaves the group; 0 where it makes no such hop. Only PAR's second look sends a packet on
/// within its source group.
const BEHIND_LOCAL_MIN: u32 = Stage::SourceLocal as u32;
const BEHIND_LOCAL_VLB: u32 = Stage::SourceLocal as u32
    | (Stage::SourceLocalAgain as u32) << (4 * Stage::SourceLocal as u32)
    | (Stage::MiddleLocal as u32) << (4 * Stage::Middle as u32)
    | (Stage::MiddleLocal as u32) << (4 * Stage::MiddleDetour as u32);

impl Switch<'_> {
    /// The next step of a packet that stands at this switch with this header.
    ///
    /// Constant time; the wiring is not consulted except for whether the port has a cable. What
    /// the step depends on is checked, the rest of the header is left to the switches behind.
    ///
    /// # Errors
    /// The header makes no sense here. Any bits whatever end in `Ok` or `Err`, and a packet is
    /// delivered or refused after at most 7 steps, wherever it begins.
    #[inline]
    pub fn forward(&self, header: Header) -> Result<Step, Error> {
        let df = self.dragonfly();
        let to = header.destination();
        if to == self.image.switch() {
            return self.deliver(header);
        }
        let (to_group, to_index) = df.place(to);
        if to_group == self.image.group() {
            return self.forward_within_group(header, to_index);
        }
        // From here on stages and kinds are numbers: the compiler makes jumps of enums.
        let (stage, kind) = (header.stage_code(), header.kind_code());
        let is_vlb = kind == Kind::Vlb.code();
        let in_source_group = stage <= Stage::SourceLocalAgain as u32;
        let leaves_by = if in_source_group { header.x() } else { header.y() };
        let is_past = stage >= PAST_GLOBAL_HOPS >> (4 * kind) & 0xf;
        if is_past || !df.has_global_port(leaves_by) {
            return self.refuse(header);
        }
        let (at, slot) = df.split_port(leaves_by);
        let here = self.image.index();
        if stage == Stage::Middle as u32 {
            let detour = header.detour();
            if detour != at && detour != here {
                if u32::from(detour.0) >= df.a() {
                    return self.refuse(header);
                }
                return self.send_local(header, detour, Stage::MiddleDetour as u32);
            }
        }
        if at == here {
            if !self.image.has_cable(slot) {
                return no_cable(header, df.slot_port(slot));
            }
            let to_middle = in_source_group && is_vlb;
            let arrived = if to_middle { Stage::Middle } else { Stage::Destination };
            let place = place(stage, LinkKind::Global);
            return self.send(header, df.slot_port(slot), place, arrived as u32);
        }
        let behind = if is_vlb { BEHIND_LOCAL_VLB } else { BEHIND_LOCAL_MIN };
        let arrived = behind >> (4 * stage) & 0xf;
        if arrived == 0 {
            return self.refuse(header);
        }
        self.send_local(header, at, arrived)
    }

    #[inline]
    fn deliver(&self, header: Header) -> Result<Step, Error> {
        let df = self.dragonfly();
        if u32::from(header.terminal()) >= df.p() || header.kind().is_none() {
            return self.refuse(header);
        }
        Ok(Step::Deliver { port: df.terminal_port(header.terminal()) })
    }

    /// The next step to another switch of this group, which the packet has reached or never left.
    #[inline]
    fn forward_within_group(&self, header: Header, to_index: Index) -> Result<Step, Error> {
        let (next, arrived) = match (header.stage(), header.kind()) {
            (Stage::Source, Some(Kind::Vlb)) => (header.detour(), Stage::SourceLocal),
            (Stage::Source | Stage::Destination, Some(_))
            | (Stage::SourceLocal, Some(Kind::Vlb)) => (to_index, Stage::DestinationLocal),
            _ => return self.refuse(header),
        };
        if next == self.image.index() || u32::from(next.0) >= self.dragonfly().a() {
            return self.refuse(header);
        }
        self.send_local(header, next, arrived as u32)
    }

    /// Sends a packet to another switch of this group.
    #[inline]
    fn send_local(&self, header: Header, next: Index, arrived: u32) -> Result<Step, Error> {
        let port = self.dragonfly().local_port(self.image.index(), next);
        let place = if arrived == Stage::SourceLocalAgain as u32 {
            AGAIN
        } else {
            place(header.stage_code(), LinkKind::Local)
        };
        self.send(header, port, place, arrived)
    }

    /// Sends a packet by a port, on the virtual channel for this place on its path.
    #[inline]
    pub(crate) fn send(
        &self,
        header: Header,
        port: Port,
        place: u32,
        arrived: u32,
    ) -> Result<Step, Error> {
        let needed = self.rules.assign(header, place);
        let channels = if place & 1 == 0 { self.channels.local } else { self.channels.global };
        if needed >= channels {
            return no_channel(header, needed, channels);
        }
        Ok(Step::Send { port, virtual_channel: needed, header: header.moved(arrived, needed) })
    }

    /// What is wrong with a header that cannot be forwarded.
    #[cold]
    #[inline(never)]
    fn refuse(&self, header: Header) -> Result<Step, Error> {
        Err(if header.kind().is_none() {
            Error::HeaderKind { bits: header.bits() }
        } else if self.is_in_range(header) {
            self.astray(header)
        } else {
            self.out_of_range(header)
        })
    }

    /// Whether the fabric has all that the header names.
    pub(crate) fn is_in_range(&self, header: Header) -> bool {
        let df = self.dragonfly();
        df.has_switch(header.destination())
            && u32::from(header.terminal()) < df.p()
            && df.has_global_port(header.x())
            && df.has_global_port(header.y())
            && u32::from(header.detour().0) < df.a()
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
#[inline(never)]
fn no_cable(header: Header, port: Port) -> Result<Step, Error> {
    Err(Error::NoCable { bits: header.bits(), port })
}

#[cold]
#[inline(never)]
fn no_channel(header: Header, needed: u8, count: u8) -> Result<Step, Error> {
    Err(Error::NoChannel { bits: header.bits(), needed, count })
}
