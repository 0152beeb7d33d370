//! Forwarding: the next step of a packet from its header alone.

use crate::channel::{AGAIN, HopKind, place};
use crate::{Error, Header, Kind, Stage, Switch, local_hop};
use tvlb_schema::{FabricImage, GlobalPort, Port, SwitchIndex};

/// The action of a switch on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
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
        /// The virtual channel on the link at that port.
        virtual_channel: u8,
        /// The header it travels with.
        header: Header,
    },
}

/// The action of a packet to another group at a stage of its route, in one word; 0 if it cannot be at that stage.
#[derive(Clone, Copy)]
struct Leg(u16);

impl Leg {
    /// By stage and kind.
    const TABLE: [Self; 32] = Self::table();

    const NONE: Self = Self(0);

    /// It is about to leave the group through the port at this bit of the header, and then has this stage; a local hop
    /// towards that port leads to the other stage, or is not allowed.
    const fn new(leaves_by: u16, behind_global: Stage, behind_local: Option<Stage>) -> Self {
        let local = match behind_local {
            Some(stage) => stage as u16,
            None => 0,
        };
        Self(leaves_by | (behind_global as u16) << 5 | local << 8)
    }

    const fn of(stage: Stage, kind: Kind) -> Self {
        let is_vlb = matches!(kind, Kind::Vlb);
        // Only PAR's second look, after which no packet is open, sends one on within its source group.
        let local = match stage {
            Stage::Source => Some(Stage::SourceLocal),
            Stage::SourceLocal if !matches!(kind, Kind::OpenMin) => Some(Stage::SourceLocalAgain),
            Stage::Middle | Stage::MiddleDetour => Some(Stage::MiddleLocal),
            _ => None,
        };
        match stage {
            Stage::Source | Stage::SourceLocal | Stage::SourceLocalAgain if is_vlb => {
                Self::new(X, Stage::Middle, local)
            }
            Stage::Source | Stage::SourceLocal | Stage::SourceLocalAgain => {
                Self::new(X, Stage::Destination, local)
            }
            Stage::Middle | Stage::MiddleDetour | Stage::MiddleLocal if is_vlb => {
                Self::new(Y, Stage::Destination, local)
            }
            _ => Self::NONE,
        }
    }

    const fn table() -> [Self; 32] {
        let mut table = [Self::NONE; 32];
        let kinds = [Kind::Min, Kind::OpenMin, Kind::Vlb];
        let mut stage = 0;
        while stage < Stage::ALL.len() {
            let mut kind = 0;
            while kind < kinds.len() {
                table[stage << 2 | kind] = Self::of(Stage::ALL[stage], kinds[kind]);
                kind += 1;
            }
            stage += 1;
        }
        table
    }

    /// The port through which the packet leaves the group.
    #[inline]
    const fn leaves_by(self, header: Header) -> GlobalPort {
        GlobalPort((header.bits() >> (self.0 & 31) & 0xfff) as u16)
    }

    #[inline]
    const fn behind_global(self) -> u32 {
        self.0 as u32 >> 5 & 7
    }

    /// 0 if no local hop is allowed.
    #[inline]
    const fn behind_local(self) -> u32 {
        self.0 as u32 >> 8
    }
}

/// The positions of x and y in a header.
const X: u16 = 28;
const Y: u16 = 16;

/// Does the work of [`Switch::forward`].
#[inline]
pub(crate) fn forward(switch: &Switch<'_>, header: Header) -> Result<Step, Error> {
    let to = header.destination();
    if let Some(index) = switch.image.index_in_group(to) {
        if index == switch.image.index() {
            return deliver(switch, header);
        }
        return forward_within_group(switch, header, index);
    }
    // From here on stages and kinds are numbers: matching on the enums would compile to a jump
    // table.
    let stage = header.stage_code();
    let leg = Leg::TABLE[(stage << 2 | header.kind_code()) as usize & 31];
    if leg.0 == 0 {
        return refuse(switch, header);
    }
    let leaves_by = leg.leaves_by(header);
    if stage == Stage::Middle as u32 {
        return forward_from_arrival(switch, header, leg, leaves_by);
    }
    forward_out(switch, header, stage, leg, leaves_by)
}

/// The next step of a packet that has just arrived in its intermediate group.
// Kept out of line on a host, where the compiler would otherwise test for a detour at every stage.
#[cfg_attr(target_os = "none", inline)]
#[cfg_attr(not(target_os = "none"), inline(never))]
fn forward_from_arrival(
    switch: &Switch<'_>,
    header: Header,
    leg: Leg,
    leaves_by: GlobalPort,
) -> Result<Step, Error> {
    let (df, detour) = (switch.dragonfly(), header.detour());
    if detour == switch.image.index() || detour == df.split_port(leaves_by).0 {
        return forward_out(switch, header, Stage::Middle as u32, leg, leaves_by);
    }
    if !switch.image.has_index(detour) || !switch.image.has_global_port(leaves_by) {
        return refuse(switch, header);
    }
    send_local(switch, header, detour, Stage::MiddleDetour as u32)
}

/// The next step of a packet that leaves the group through this port, or goes to the switch that has it.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
fn forward_out(
    switch: &Switch<'_>,
    header: Header,
    stage: u32,
    leg: Leg,
    leaves_by: GlobalPort,
) -> Result<Step, Error> {
    let df = switch.dragonfly();
    if let Some(slot) = switch.image.own_slot(leaves_by) {
        let port = df.slot_port(slot);
        if cfg!(target_os = "none") {
            if !carries(switch, leaves_by) {
                return no_cable(header, port);
            }
        } else if !switch.image.is_fully_cabled() {
            return send_by_cable(switch, header, stage, leg);
        }
        return send(switch, header, port, place(stage, HopKind::Global), leg.behind_global());
    }
    if leg.behind_local() == 0 || !switch.image.has_global_port(leaves_by) {
        return refuse(switch, header);
    }
    send_local(switch, header, df.split_port(leaves_by).0, leg.behind_local())
}

/// Sends a packet through its port of this switch, if that has a live cable.
// Separate on a host: a call in the middle of the common case would make it save registers. A switch has no flash for
// both.
#[cold]
#[inline(never)]
fn send_by_cable(switch: &Switch<'_>, header: Header, stage: u32, leg: Leg) -> Result<Step, Error> {
    let (df, leaves_by) = (switch.dragonfly(), leg.leaves_by(header));
    let port = df.slot_port(df.split_port(leaves_by).1);
    if !carries(switch, leaves_by) {
        return no_cable(header, port);
    }
    send(switch, header, port, place(stage, HopKind::Global), leg.behind_global())
}

/// Whether a packet in transit may leave through a global port of this switch: its cable is live or drained.
#[cfg_attr(target_os = "none", inline)]
fn carries(switch: &Switch<'_>, port: GlobalPort) -> bool {
    let is_drained = || switch.image.fabric().is_draining() && switch.image.behind(port).is_some();
    switch.image.has_cable(port) || is_drained()
}

#[inline]
fn deliver(switch: &Switch<'_>, header: Header) -> Result<Step, Error> {
    let df = switch.dragonfly();
    if u32::from(header.terminal()) >= switch.image.node_count() || header.kind().is_none() {
        return refuse(switch, header);
    }
    Ok(Step::Deliver { port: df.terminal_port(header.terminal()) })
}

/// The next step to another switch of this group, which the packet has reached or never left.
#[inline]
fn forward_within_group(
    switch: &Switch<'_>,
    header: Header,
    to_index: SwitchIndex,
) -> Result<Step, Error> {
    let (next, arrived) = match (header.stage(), header.kind()) {
        (Stage::Source, Some(Kind::Vlb)) => (header.detour(), Stage::SourceLocal),
        // The last is a MIN packet at a third switch, because the one where it arrived has no link to its destination.
        // This switch may not yet know that the link is dead.
        (Stage::Source | Stage::Destination, Some(_))
        | (Stage::SourceLocal, Some(Kind::Vlb))
        | (Stage::MiddleLocal, Some(Kind::Min | Kind::OpenMin)) => {
            (to_index, Stage::DestinationLocal)
        }
        _ => return refuse(switch, header),
    };
    if next == switch.image.index() || !switch.image.has_index(next) {
        return refuse(switch, header);
    }
    send_local(switch, header, next, arrived as u32)
}

/// Sends a packet to another switch of this group.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
fn send_local(
    switch: &Switch<'_>,
    header: Header,
    next: SwitchIndex,
    arrived: u32,
) -> Result<Step, Error> {
    if !switch.image.fabric().group_links().is_single() {
        return send_by_links(switch, header, next, arrived);
    }
    let port = switch.dragonfly().local_port(switch.image.index(), next);
    send(switch, header, port, place_of_hop(header, arrived), arrived)
}

/// Sends a packet to another switch of this group, or to a third one if the two share no link.
#[cold]
#[inline(never)]
fn send_by_links(
    switch: &Switch<'_>,
    header: Header,
    next: SwitchIndex,
    arrived: u32,
) -> Result<Step, Error> {
    let fabric = switch.image.fabric();
    let step = local_step(switch, fabric, header, (next, arrived));
    if step.is_err() && fabric.is_draining() {
        return send_by_drained(switch, header, next, arrived);
    }
    step
}

/// Sends a packet to another switch of this group over drained links.
// Separate, because the planned fabric takes stack.
#[cold]
#[inline(never)]
fn send_by_drained(
    switch: &Switch<'_>,
    header: Header,
    next: SwitchIndex,
    arrived: u32,
) -> Result<Step, Error> {
    local_step(switch, &switch.image.fabric().planned(), header, (next, arrived))
}

/// Sends a packet to another switch of this group, or to a third one if the two share no link in this view of
/// the fabric.
#[inline(never)]
fn local_step(
    switch: &Switch<'_>,
    fabric: &FabricImage<'_>,
    header: Header,
    (next, arrived): (SwitchIndex, u32),
) -> Result<Step, Error> {
    let (group, here) = (switch.image.group(), switch.image.index());
    let at = place_of_hop(header, arrived);
    let spread = local_hop::spread_of(header);
    if fabric.local_links(group, here, next) > 0 {
        return send(switch, header, switch.port_in(fabric, next, spread), at, arrived);
    }
    let is_min = header.kind_code() != Kind::Vlb.code();
    let (at, arrived) = match (header.stage(), is_min) {
        (Stage::Source, true) if arrived == Stage::SourceLocal as u32 => (at, arrived),
        (Stage::Source, true) => (at, Stage::MiddleLocal as u32),
        (Stage::Destination, true) => {
            (place(Stage::Middle as u32, HopKind::Local), Stage::MiddleLocal as u32)
        }
        _ => return no_cable(header, switch.dragonfly().local_port(here, next)),
    };
    let Some(third) = switch.third_in(fabric, next, spread.rotate_left(16)) else {
        return no_cable(header, switch.dragonfly().local_port(here, next));
    };
    send(switch, header, switch.port_in(fabric, third, spread), at, arrived)
}

/// The place on a packet's path of a local hop that leads to this stage.
#[inline]
const fn place_of_hop(header: Header, arrived: u32) -> u32 {
    if arrived == Stage::SourceLocalAgain as u32 {
        AGAIN
    } else {
        place(header.stage_code(), HopKind::Local)
    }
}

/// Sends a packet by a port, on the virtual channel for this place on its path.
#[inline]
fn send(
    switch: &Switch<'_>,
    header: Header,
    port: Port,
    place: u32,
    arrived: u32,
) -> Result<Step, Error> {
    let needed = switch.rules.assign(header, place);
    let channels = if place & 1 == 0 { switch.channels.local } else { switch.channels.global };
    if needed >= channels {
        return no_channel(header, needed, channels);
    }
    Ok(Step::Send { port, virtual_channel: needed, header: header.moved(arrived, needed) })
}

#[cold]
#[inline(never)]
fn refuse(switch: &Switch<'_>, header: Header) -> Result<Step, Error> {
    Err(wrong_with(switch, header))
}

/// Why a header makes no sense here.
#[cold]
#[inline(never)]
pub(crate) fn wrong_with(switch: &Switch<'_>, header: Header) -> Error {
    let bits = header.bits();
    if header.kind().is_none() {
        return Error::HeaderKind { bits };
    }
    let df = switch.dragonfly();
    let out_of_range = [
        ("destination", header.destination().0.into(), df.switch_numbers()),
        ("terminal", header.terminal().into(), df.p()),
        ("x", header.x().0.into(), df.ports_per_group()),
        ("y", header.y().0.into(), df.ports_per_group()),
        ("detour", header.detour().0.into(), df.a()),
    ]
    .into_iter()
    .find(|(_, found, count): &(_, u32, u32)| found >= count);
    match out_of_range {
        Some((field, found, count)) => Error::HeaderRange { bits, field, found, most: count - 1 },
        None => Error::Astray { bits, stage: header.stage(), at: switch.image.switch() },
    }
}

/// Whether all fields of a header exist in the fabric.
// Inlined in a second look, even in a program with another call of it.
#[inline(always)]
#[allow(clippy::inline_always)]
pub(crate) fn is_in_range(switch: &Switch<'_>, header: Header) -> bool {
    let df = switch.dragonfly();
    df.has_switch(header.destination())
        && u32::from(header.terminal()) < df.p()
        && df.has_global_port(header.x())
        && df.has_global_port(header.y())
        && u32::from(header.detour().0) < df.a()
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
