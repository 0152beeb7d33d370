//! OFAR: routing that is decided at every hop, by what the switch sees of its own outputs (García, Vallejo,
//! Beivide, Valero and Rodríguez, "OFAR-CM: Efficient Dragonfly Networks with Simple Congestion Management",
//! HOTI 2013).
//!
//! A packet asks for its minimal output. Where that cannot take it, the packet may be *misrouted*, by another link
//! that is used less; where no virtual channel that it may take has room at all, it goes on by the escape
//! network, a ring or a tree over all switches. The *canonical* virtual channels have no order, and the
//! escape network alone keeps packets from waiting for each other for ever:
//!
//! - a packet that is not in an injection queue and finds all outputs that it may take without room asks for an
//!   escape channel that depends on its place, its destination and, on a ring, its direction alone;
//! - on a tree these channels do not wait for each other in a circle; on a ring they do in one circle for each
//!   direction, which is entered only with room for two packets and passed along with room for one, so
//!   that each direction has room somewhere at all times.
//!
//! What the paper does not state is this crate's reading: how candidates are compared ([`Ofar::ask`]), that a
//! packet which has to leave its group takes the escape network as soon as no link of its switch to another
//! group has room, and that a packet is sent within its group for that only to a switch that has one.
//!
//! Nothing is remembered from one question to the next, and a question takes a number of steps that is bounded by
//! the ports of the switch.

mod flags;
mod outputs;
#[cfg(test)]
mod tests;

use crate::cells::below;
use crate::path::Place;
use crate::{Channels, Error, Header, PortSet, Switch};
pub use flags::PerHop;
use flags::{Came, Flags};
pub use outputs::Outputs;
use rand_core::Rng;
use tvlb_schema::{
    Decision, End, EscapeImage, EscapeKind, NodeId, OfarRules, Port, Shape, SwitchIndex,
};

/// What a packet at the head of a buffer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// To be delivered to a node on this switch.
    Deliver {
        /// The physical port, which is the node's terminal.
        port: Port,
    },
    /// To be sent on, if the link is free and the virtual channel has enough room.
    Send {
        /// The physical port.
        port: Port,
        /// The virtual channel on the link behind that port.
        virtual_channel: u8,
        /// The header that it travels with.
        header: Header,
        /// For how many packets the virtual channel must have room.
        room: u16,
    },
    /// Nothing yet. It is to ask again when outputs have changed.
    Wait,
}

/// How many virtual channels a switch's links need for OFAR: the canonical ones and that of the escape network.
pub const fn channels(rules: &OfarRules) -> Channels {
    Channels { local: rules.local_channels + 1, global: rules.global_channels + 1 }
}

/// A switch that decides at every hop.
///
/// # Example
/// ```
/// use tvlb_firmware_model::rand_core::SeedableRng;
/// use tvlb_firmware_model::schema::{
///     EscapeImage, EscapeNetwork, FabricImage, NodeId, OfarRules, Port, encode_escape_image,
/// };
/// use tvlb_firmware_model::{Ask, DefaultRng, Ofar, Outputs, PortSet, Switch};
///
/// /// All links are free.
/// struct Idle;
/// impl Outputs for Idle {
///     fn ready(&self) -> PortSet {
///         (0..7).map(Port).collect()
///     }
///     fn room(&self, _: Port, _: u8) -> u16 {
///         4
///     }
///     fn capacity(&self, _: Port) -> u16 {
///         4
///     }
/// }
///
/// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/golden/v3/");
/// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
/// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
/// # let escape_image = std::fs::read(format!("{golden}escape-ring.tvlb"))?;
/// let switch = Switch::boot(&fabric_image, &switch_image)?;
/// let escape = EscapeImage::decode(&escape_image, switch.image().fabric())?;
/// let ofar = Ofar::new(&switch, &escape)?;
/// let mut rng = DefaultRng::seed_from_u64(1);
/// let header = ofar.launch(NodeId(70))?;
/// // Its minimal output is free, and it takes that.
/// let asked = ofar.ask(header, &Idle, &mut rng)?;
/// assert!(matches!(asked, Ask::Send { virtual_channel: 0, room: 3, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ofar<'s, 'a> {
    switch: &'s Switch<'a>,
    escape: EscapeImage<'a>,
    /// The place of this switch in the escape network.
    place: u32,
    /// Links to other groups.
    global: PortSet,
    /// Links within the group.
    local: PortSet,
    /// Those of them to switches that have links to other groups.
    gateways: PortSet,
}

/// A packet's minimal output, and the canonical virtual channel of it that has most room.
#[derive(Clone, Copy)]
struct Minimal {
    port: Port,
    room: u16,
}

impl<'s, 'a> Ofar<'s, 'a> {
    /// A switch with an escape network, of which every switch of the fabric must have the same image.
    ///
    /// # Errors
    /// [`Error::NotForOfar`]: two switches of a group do not share just one link, a group has no link to
    /// another one, or something is dead.
    pub fn new(switch: &'s Switch<'a>, escape: &EscapeImage<'a>) -> Result<Self, Error> {
        let (image, df) = (&switch.image, switch.dragonfly());
        let fabric = image.fabric();
        if !fabric.has_plain_groups() || !df.has_single_links() {
            let what =
                "fabrics in which every two switches of a group share one link, all of which live";
            return Err(Error::NotForOfar { what });
        }
        let group = image.group();
        if df.groups().any(|other| other != group && fabric.link_count(group, other) == 0) {
            return Err(Error::NotForOfar {
                what: "fabrics in which every two groups share a link",
            });
        }
        let slots = |index: SwitchIndex| {
            df.global_ports().filter(move |&port| df.split_port(port).0 == index)
        };
        let has_link = |index: SwitchIndex| {
            slots(index).any(|port| fabric.port_link(End { group, port }).is_some())
        };
        let global = slots(image.index())
            .filter(|&port| fabric.port_link(End { group, port }).is_some())
            .map(|port| df.slot_port(df.split_port(port).1))
            .collect();
        let others = || df.indices(group).filter(|&index| index != image.index());
        let port_to = |index: SwitchIndex| df.local_port(image.index(), index);
        Ok(Self {
            switch,
            escape: *escape,
            place: escape.place(image.switch()),
            global,
            local: others().map(port_to).collect(),
            gateways: others().filter(|&index| has_link(index)).map(port_to).collect(),
        })
    }

    /// The switch.
    pub const fn switch(&self) -> &'s Switch<'a> {
        self.switch
    }

    /// The escape network's image.
    pub const fn escape(&self) -> &EscapeImage<'a> {
        &self.escape
    }

    /// The header of a packet that waits at this switch to be sent by one of its nodes.
    ///
    /// # Errors
    /// There is no such node.
    pub fn launch(&self, destination: NodeId) -> Result<Header, Error> {
        let df = self.switch.dragonfly();
        if !df.has_node(destination) {
            return Err(crate::decide::no_such_node(df, destination));
        }
        let (to, terminal) = df.switch_of(destination);
        Ok(Flags::AT_SOURCE.header(to, terminal))
    }

    /// Whether nodes of this switch may send anything now. Not where all outputs of the escape network are in
    /// use above the share of the rules.
    pub fn may_inject(&self, outputs: &(impl Outputs + ?Sized)) -> bool {
        let most = self.escape.rules().throttle_percent;
        most >= 100
            || !self.escape.ports(self.place).all(|port| {
                let (room, capacity) =
                    (outputs.room(port, self.escape_channel(port)), outputs.capacity(port));
                100 * u32::from(capacity.saturating_sub(room))
                    > u32::from(most) * u32::from(capacity)
            })
    }

    /// What a packet asks for that is at the head of a buffer of this switch. In this order:
    ///
    /// 1. Where its destination is, to be delivered.
    /// 2. If it has to leave the group from here: one of this switch's links to other groups that are ready. If
    ///    none is it waits as long as one of them has room, and then asks for the escape network.
    /// 3. Its minimal output, if that is ready.
    /// 4. A misroute, if its place allows one: of the other links of the kind that are ready, one of those
    ///    whose emptiest canonical virtual channel is in use to a share of at most so many percent of that of
    ///    the minimal output. In an injection queue, if its destination is in another group: links to other
    ///    groups. In its source group, if it came by a canonical local link and has not been misrouted:
    ///    local links, after which it has to leave the group. Elsewhere once in each group, where its
    ///    minimal output is a local one: local links.
    /// 5. Nothing, if its minimal output has room or it is in an injection queue.
    /// 6. The escape network.
    ///
    /// # Errors
    /// The header makes no sense. Any bits whatever end in `Ok` or `Err`.
    pub fn ask(
        &self,
        header: Header,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Ask, Error> {
        let rules = self.escape.rules();
        let flags = Flags::read(header, self.canonical())?;
        let (df, image) = (self.switch.dragonfly(), &self.switch.image);
        let to = self.switch.place(header.destination());
        let is_there = df.has_switch(to.switch)
            && u32::from(header.terminal()) < u32::from(df.kind_of(to.group).p);
        if !is_there {
            let (field, found, count) = if df.has_switch(to.switch) {
                ("terminal", header.terminal().into(), df.kind_of(to.group).p.into())
            } else {
                ("destination", to.switch.0.into(), df.switch_numbers())
            };
            let most = count.saturating_sub(1);
            return Err(Error::HeaderRange { bits: header.bits(), field, found, most });
        }
        if to.switch == image.switch() {
            return Ok(Ask::Deliver { port: df.terminal_port(header.terminal()) });
        }
        if flags.escape && flags.entries >= rules.most_entries {
            return Ok(self.by_escape(header, flags, &to));
        }
        let ready = outputs.ready();
        if flags.go_global {
            return Ok(self.leave_group(header, flags, &to, ready, outputs, rng));
        }
        let minimal = self.minimal(&to, ready, outputs, rng);
        if ready.contains(minimal.port) {
            return Ok(self.send(header, flags, minimal.port, outputs));
        }
        if let Some((mut ports, percent, after)) = self.misroutes(flags, &to, minimal)
            && (!rules.strict || outputs.granted().contains(minimal.port))
        {
            ports.remove(minimal.port);
            let least = self.candidates(ports.and(ready), percent, minimal, &to, outputs);
            if let Some(port) = draw(least, rng) {
                return Ok(self.send(header, after, port, outputs));
            }
        }
        if minimal.room > 0 || flags.came == Came::Node {
            return Ok(Ask::Wait);
        }
        Ok(self.by_escape(header, flags, &to))
    }

    /// The canonical virtual channels of links.
    const fn canonical(&self) -> Channels {
        let rules = self.escape.rules();
        Channels { local: rules.local_channels, global: rules.global_channels }
    }

    fn is_local(&self, port: Port) -> bool {
        !self.switch.dragonfly().is_slot(port)
    }

    /// The links of this switch.
    pub fn links(&self) -> PortSet {
        self.local.iter().chain(self.global.iter()).collect()
    }

    /// The number of the escape network's virtual channel on a link, above the canonical ones.
    pub fn escape_channel(&self, port: Port) -> u8 {
        let Channels { local, global } = self.canonical();
        if self.is_local(port) { local } else { global }
    }

    /// The canonical virtual channel of a link that has most room, of several the lowest, and its room.
    fn emptiest(&self, port: Port, outputs: &(impl Outputs + ?Sized)) -> (u8, u16) {
        let mut best = (0, outputs.room(port, 0));
        for channel in 1..self.escape_channel(port) {
            let room = outputs.room(port, channel);
            if room > best.1 {
                best = (channel, room);
            }
        }
        best
    }

    /// The output by which a packet goes the shortest way: of several, one that is ready, and of those one with
    /// most room. Where this switch has links to the destination's group it is one of them.
    fn minimal(
        &self,
        to: &Place,
        ready: PortSet,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Minimal {
        let (df, image) = (self.switch.dragonfly(), &self.switch.image);
        let (fabric, group, own) = (image.fabric(), image.group(), image.index());
        let of = |port: Port| Minimal { port, room: self.emptiest(port, outputs).1 };
        if to.group == group {
            return of(df.local_port(own, to.index));
        }
        let mut best: Option<Minimal> = None;
        let mut consider = |port: Port| {
            let one = of(port);
            let merit = |one: &Minimal| (ready.contains(one.port), one.room);
            if best.is_none_or(|best| merit(&one) > merit(&best)) {
                best = Some(one);
            }
        };
        let links = fabric.links(group, to.group);
        let has_several = links.count() > 1;
        let own_links = || {
            (0..links.count()).filter_map(|n| {
                let (port, _) = fabric.nth_link_of_switch((group, own), to.group, n)?;
                Some(df.slot_port(df.split_port(port).1))
            })
        };
        if has_several {
            let count = own_links().fold(0_u32, |count, _| count + 1);
            let all = if count > 0 { count } else { links.count() };
            let first = below(rng, all);
            for n in (first..all).chain(0..first) {
                if count > 0 {
                    own_links().nth(n as usize).into_iter().for_each(&mut consider);
                } else {
                    let (index, _) = df.split_port(fabric.ends(links, n).0);
                    consider(df.local_port(own, index));
                }
            }
        } else {
            let (index, slot) = df.split_port(fabric.ends(links, 0).0);
            consider(if index == own { df.slot_port(slot) } else { df.local_port(own, index) });
        }
        // Every two groups share a link.
        best.unwrap_or(Minimal { port: df.local_port(own, to.index), room: 0 })
    }

    /// The links by which a packet may be misrouted from its place, at how many percent, and its flags then.
    fn misroutes(
        &self,
        flags: Flags,
        to: &Place,
        minimal: Minimal,
    ) -> Option<(PortSet, u8, Flags)> {
        let rules = self.escape.rules();
        if !flags.left && to.group != self.switch.image.group() {
            return match flags.came {
                Came::Node => {
                    Some((self.global, rules.global_percent, Flags { global: true, ..flags }))
                }
                Came::Local if !flags.escape && !flags.local => {
                    let after = Flags { local: true, go_global: true, ..flags };
                    Some((self.gateways, rules.local_percent, after))
                }
                Came::Local | Came::Global => None,
            };
        }
        let may = self.is_local(minimal.port) && !flags.local;
        may.then_some((self.local, rules.local_percent, Flags { local: true, ..flags }))
    }

    /// Of these links those that are used little enough beside the minimal output.
    fn candidates(
        &self,
        ports: PortSet,
        percent: u8,
        minimal: Minimal,
        to: &Place,
        outputs: &(impl Outputs + ?Sized),
    ) -> PortSet {
        let used = |port: Port, room: u16| {
            let capacity = outputs.capacity(port);
            (u64::from(capacity.saturating_sub(room)), u64::from(capacity))
        };
        let (least, of) = used(minimal.port, minimal.room);
        let is_used_less = |port: &Port| {
            let (used, capacity) = used(*port, self.emptiest(*port, outputs).1);
            100 * used * of <= u64::from(percent) * least * capacity
        };
        ports.iter().filter(is_used_less).filter(|&port| self.may_begin(port, to)).collect()
    }

    /// Whether the rules let a packet leave the group by a link: all do, unless only those are to that a path of
    /// the T-VLB set begins with.
    fn may_begin(&self, port: Port, to: &Place) -> bool {
        if !self.escape.rules().by_set || self.is_local(port) {
            return true;
        }
        let (df, image) = (self.switch.dragonfly(), &self.switch.image);
        let fabric = image.fabric();
        let slot = port.0.wrapping_sub(df.slot_port(0).0);
        let Some(arrival) = image.peer(slot) else { return false };
        if arrival.group == to.group {
            return true;
        }
        let set = image.set(Decision::UgalL).rule().shapes();
        let links = fabric.links(arrival.group, to.group);
        let lands = df.split_port(arrival.port).0;
        (0..links.count()).any(|k| {
            let (leaves, arrives) = fabric.ends(links, k);
            let (leaves, arrives) = (df.split_port(leaves).0, df.split_port(arrives).0);
            let shape = Shape::of_walk(false, u8::from(leaves != lands), arrives != to.index);
            set.contains(shape)
        })
    }

    /// What a packet asks for that has to leave the group from here.
    fn leave_group(
        &self,
        header: Header,
        flags: Flags,
        to: &Place,
        ready: PortSet,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Ask {
        let begins: PortSet = self.global.iter().filter(|&port| self.may_begin(port, to)).collect();
        let may = if begins.is_empty() { self.global } else { begins };
        if let Some(port) = draw(may.and(ready), rng) {
            return self.send(header, Flags { global: true, ..flags }, port, outputs);
        }
        if may.iter().any(|port| self.emptiest(port, outputs).1 > 0) {
            return Ask::Wait;
        }
        self.by_escape(header, flags, to)
    }

    /// On by a link's emptiest canonical virtual channel.
    fn send(
        &self,
        header: Header,
        flags: Flags,
        port: Port,
        outputs: &(impl Outputs + ?Sized),
    ) -> Ask {
        let (virtual_channel, _) = self.emptiest(port, outputs);
        let bubble = self.escape.rules().bubble;
        let room = if flags.came == Came::Node { 1 + u16::from(bubble) } else { 1 };
        let after = Flags { escape: false, ..flags }.crossed(self.is_local(port), virtual_channel);
        let header = after.header(header.destination(), header.terminal());
        Ask::Send { port, virtual_channel, header, room }
    }

    /// On by the escape network.
    fn by_escape(&self, header: Header, flags: Flags, to: &Place) -> Ask {
        let there = self.escape.place(to.switch);
        let (port, backward, room) = match self.escape.kind() {
            EscapeKind::Tree => (self.escape.tree_port(self.place, there), false, 1),
            EscapeKind::Ring => {
                let backward = if flags.escape {
                    flags.backward
                } else {
                    !self.escape.is_onward(self.place, there)
                };
                let (onward, before) = self.escape.ring_ports(self.place);
                let room = if flags.escape { 1 } else { 2 };
                (if backward { before } else { onward }, backward, room)
            }
        };
        let virtual_channel = self.escape_channel(port);
        let entries = (flags.entries + u8::from(!flags.escape)).min(15);
        let entered = Flags { escape: true, backward, entries, ..flags };
        let after = entered.crossed(self.is_local(port), virtual_channel);
        let header = after.header(header.destination(), header.terminal());
        Ask::Send { port, virtual_channel, header, room }
    }
}

/// One of some ports, each as likely as any other; a random word only where there are several.
fn draw(ports: PortSet, rng: &mut (impl Rng + ?Sized)) -> Option<Port> {
    match ports.len() {
        0 | 1 => ports.iter().next(),
        count => ports.iter().nth(below(rng, count) as usize),
    }
}
