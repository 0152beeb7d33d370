//! The description of a switch: its place and sizes, its ports, and how its decisions weigh.

use crate::memory::Out;
use crate::state;
use crate::{TVLB_BAD_ARGUMENT, end, tvlb_switch};
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, End, Onward, Port, Queue, Weighing};

/// The description of a switch: `struct tvlb_description`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_description {
    /// The identity of the fabric's wiring, which its images share.
    pub fabric_identity: u64,
    /// The switch's number in the fabric.
    pub switch_number: u32,
    /// The number of its group.
    pub group: u32,
    /// Its number within the group.
    pub index: u32,
    /// How many groups there are.
    pub groups: u32,
    /// One more than the highest number of a switch.
    pub switches: u32,
    /// One more than the highest number of a node.
    pub nodes: u32,
    /// The node at port 0.
    pub first_node: u32,
    /// The epoch of the fault image in use; 0 of none.
    pub fault_epoch: u32,
    /// How many physical ports there are.
    pub ports: u16,
    /// How many of the first ports lead to nodes of this switch.
    pub terminals: u16,
    /// The first port for links within the group.
    pub first_local_port: u16,
    /// The first port for links to other groups.
    pub first_global_port: u16,
    /// How many ports have a live link to another switch.
    pub links: u16,
    /// The virtual channels that packets may be given on local links.
    pub local_channels: u8,
    /// The same for global links.
    pub global_channels: u8,
    /// How channels are assigned, `TVLB_ORDERED` to `TVLB_UP_DOWN`.
    pub assignment: u8,
    /// The scheme that the switch was booted for.
    pub scheme: u8,
    /// The VLB paths that it was booted for.
    pub paths: u8,
}

/// The destination of a port: `struct tvlb_port`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_port {
    /// The node, or the switch at the other end of the link; 0 of an unused port.
    pub to: u32,
    /// The port at the other end of the link; 0 of any other port.
    pub far_port: u16,
    /// `TVLB_PORT_UNUSED` to `TVLB_PORT_GLOBAL`.
    pub kind: u8,
    /// 1 if the port is used, and the fault image in use, if any, lists neither the link nor a switch at its ends as
    /// dead.
    pub alive: u8,
}

/// How a decision weighs MIN against VLB: `struct tvlb_weighing`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tvlb_weighing {
    /// T: MIN is taken if it costs at most T more than VLB.
    pub threshold: i16,
    /// How many MIN candidates are drawn.
    pub min_candidates: u8,
    /// How many VLB candidates are drawn.
    pub vlb_candidates: u8,
    /// The gate in sixteenths; 0 for none.
    pub gate_sixteenths: u8,
    /// 1 if queues are the credits of single virtual channels, 0 if they are those of all.
    pub by_channel: u8,
    /// 1 if VLB packets leave their intermediate group by the cheapest link, 0 if by the drawn one.
    pub onward_by_cheapest: u8,
}

/// The weighing in C.
pub(crate) const fn weighing_of(weighing: Weighing) -> tvlb_weighing {
    tvlb_weighing {
        threshold: weighing.threshold,
        min_candidates: weighing.candidates.min(),
        vlb_candidates: weighing.candidates.vlb(),
        gate_sixteenths: weighing.gate.sixteenths(),
        by_channel: matches!(weighing.queue, Queue::Channel) as u8,
        onward_by_cheapest: matches!(weighing.onward, Onward::Cheapest) as u8,
    }
}

/// A number of ports, of which a switch has at most 4607, in 16 bits.
const fn short(ports: u32) -> u16 {
    (ports & 0xffff) as u16
}

fn description_of(switch: &Switch<'_>) -> tvlb_description {
    let image = switch.image();
    let (fabric, channels) = (image.fabric(), switch.channels());
    let (scheme, paths) = switch.booted_for();
    let df = fabric.dragonfly();
    tvlb_description {
        fabric_identity: fabric.identity(),
        switch_number: image.switch().0.into(),
        group: image.group().0.into(),
        index: image.index().0.into(),
        groups: df.g(),
        switches: df.switch_numbers(),
        nodes: df.node_numbers(),
        first_node: df.node(image.switch(), 0).0,
        fault_epoch: fabric.epoch(),
        ports: short(df.radix()),
        terminals: df.kind_of(image.group()).p,
        first_local_port: short(df.p()),
        first_global_port: df.slot_port(0).0,
        links: image.link_count(),
        local_channels: channels.local,
        global_channels: channels.global,
        // The codes of `tvlb.h` are those of an image.
        assignment: image.virtual_channels() as u8,
        scheme: scheme.code(),
        paths: paths.code(),
    }
}

fn port_of(switch: &Switch<'_>, port: Port) -> tvlb_port {
    const NODE: u8 = 1;
    const LOCAL: u8 = 2;
    const GLOBAL: u8 = 3;
    let image = switch.image();
    let (own, group, index, fabric) =
        (image.switch(), image.group(), image.index(), image.fabric());
    let df = fabric.dragonfly();
    if let Ok(terminal) = u8::try_from(port.0)
        && port.0 < df.kind_of(group).p
    {
        let alive = u8::from(fabric.lives(own));
        return tvlb_port { to: df.node(own, terminal).0, far_port: 0, kind: NODE, alive };
    }
    let Some((neighbour, far_port)) = fabric.far_end(own, port) else {
        return tvlb_port::default();
    };
    let is_global = df.is_slot(port);
    let alive = if is_global {
        let slot = port.0.wrapping_sub(df.slot_port(0).0);
        fabric.has_live_cable(End { group, port: df.global_port(index, slot) })
    } else {
        let far_index = df.place(neighbour).1;
        let number = df.local_end(image.switches_of_group(), index, port).map_or(0, |(_, k)| k);
        let is_it = |dead: tvlb_schema::LocalLink| {
            (dead.low, dead.high) == (own.min(neighbour), index.max(far_index))
                && u32::from(dead.number) == number
        };
        fabric.lives(own) && fabric.lives(neighbour) && !fabric.dead_local_links().any(is_it)
    };
    let kind = if is_global { GLOBAL } else { LOCAL };
    tvlb_port { to: neighbour.0.into(), far_port: far_port.0, kind, alive: alive.into() }
}

/// The description of the switch: `tvlb_describe`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `description` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_describe(
    switch: *const tvlb_switch,
    description: *mut tvlb_description,
) -> i32 {
    let describe = || {
        // SAFETY: by the caller's promise.
        let (out, switch) = unsafe { (Out::new(description)?, state::read(switch)?) };
        out.write(description_of(switch));
        Ok(())
    };
    end(describe())
}

/// The destination of a port: `tvlb_describe_port`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `description` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_describe_port(
    switch: *const tvlb_switch,
    port: u16,
    description: *mut tvlb_port,
) -> i32 {
    let describe = || {
        // SAFETY: by the caller's promise.
        let (out, switch) = unsafe { (Out::new(description)?, state::read(switch)?) };
        if u32::from(port) >= switch.image().fabric().dragonfly().radix() {
            return Err(TVLB_BAD_ARGUMENT);
        }
        out.write(port_of(switch, Port(port)));
        Ok(())
    };
    end(describe())
}

/// How a decision weighs: `tvlb_weighing_of`.
///
/// # Safety
/// `switch` is as for [`crate::tvlb_admit`]; `weighing` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_weighing_of(
    switch: *const tvlb_switch,
    decision: u8,
    weighing: *mut tvlb_weighing,
) -> i32 {
    let tell = || {
        let decision = Decision::ALL.get(usize::from(decision)).ok_or(TVLB_BAD_ARGUMENT)?;
        // SAFETY: by the caller's promise.
        let (out, switch) = unsafe { (Out::new(weighing)?, state::read(switch)?) };
        out.write(weighing_of(*switch.image().weighing(*decision)));
        Ok(())
    };
    end(tell())
}
