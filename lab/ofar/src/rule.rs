//! The rule itself: the request of a packet at the head of a buffer.

use crate::flags::{Came, Flags};
use crate::place::Place;
use crate::port_set::draw;
use crate::tables::HopTables;
use crate::weight::Weight;
use crate::{Ask, Error, EscapeKind, LocalPercent, Outputs, PortSet};
use rand_core::Rng;
use tvlb_firmware_model::{Channels, Error as DatapathError, Header, Switch, below};
use tvlb_schema::{Decision, Dragonfly, NodeId, Port, Shape};

/// A packet's minimal output, and the canonical virtual channel of it that has most room.
#[derive(Clone, Copy)]
struct Minimal {
    port: Port,
    room: u16,
}

/// How a packet may be misrouted.
#[derive(Clone, Copy)]
struct Misroute {
    minimal: Minimal,
    /// The most that its share in use may be of the minimal output's.
    percent: u8,
    /// Whether it then has to leave the group from the next switch.
    then_leaves: bool,
}

/// The next target of a packet.
enum Wish {
    /// Nowhere yet.
    Wait,
    /// By a link's emptiest canonical virtual channel, with these flags then.
    Canonical(Port, Flags),
    /// By the escape network.
    Escape,
}

/// A switch that is asked, with its tables.
#[derive(Clone, Copy)]
pub(crate) struct AskedSwitch<'t, 'a> {
    pub(crate) switch: &'t Switch<'a>,
    pub(crate) tables: &'t HopTables<'a>,
}

impl AskedSwitch<'_, '_> {
    pub(crate) fn dragonfly(&self) -> &Dragonfly {
        self.switch.image().fabric().dragonfly()
    }

    /// Does the work of [`crate::Ofar::launch`].
    pub(crate) fn launch(&self, destination: NodeId) -> Result<Header, Error> {
        let df = self.dragonfly();
        if !df.has_node(destination) {
            let error = DatapathError::NoSuchNode { node: destination, last: df.last_node() };
            return Err(error.into());
        }
        let (to, terminal) = df.switch_of(destination);
        Ok(Flags::AT_SOURCE.header(to, terminal))
    }

    /// Does the work of [`crate::Ofar::may_inject`].
    pub(crate) fn may_inject(&self, outputs: &(impl Outputs + ?Sized)) -> bool {
        let most = self.tables.escape.rules().throttle_percent;
        most >= 100
            || !self.tables.escape.ports(self.tables.place).all(|port| {
                let (room, capacity) =
                    (outputs.room(port, self.escape_channel(port)), outputs.capacity(port));
                100 * u32::from(capacity.saturating_sub(room))
                    > u32::from(most) * u32::from(capacity)
            })
    }

    /// Does the work of [`crate::Ofar::ask`].
    pub(crate) fn ask(
        &self,
        header: Header,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Ask, Error> {
        let flags = Flags::read(header, self.canonical())?;
        let df = self.dragonfly();
        let to = &Place::of(df, header.destination());
        let is_there = df.has_switch(to.switch)
            && u32::from(header.terminal()) < u32::from(df.kind_of(to.group).p);
        if !is_there {
            return Err(self.out_of_range(header, to));
        }
        if to.switch == self.switch.image().switch() {
            return Ok(Ask::Deliver { port: df.terminal_port(header.terminal()) });
        }
        let (port, virtual_channel, after, room) = match self.wish(flags, to, outputs, rng) {
            Wish::Wait => return Ok(Ask::Wait),
            Wish::Canonical(port, after) => {
                let bubble = self.tables.escape.rules().bubble;
                let room = if flags.came == Came::Node { 1 + u16::from(bubble) } else { 1 };
                (port, self.emptiest(port, outputs).0, Flags { escape: false, ..after }, room)
            }
            Wish::Escape => self.by_escape(flags, to),
        };
        let after = after.crossed(self.is_local(port), virtual_channel);
        let header = after.header(header.destination(), header.terminal());
        Ok(Ask::Send { port, virtual_channel, header, room })
    }

    #[cold]
    #[inline(never)]
    fn out_of_range(&self, header: Header, to: &Place) -> Error {
        let df = self.dragonfly();
        let (field, found, count) = if df.has_switch(to.switch) {
            ("terminal", header.terminal().into(), df.kind_of(to.group).p.into())
        } else {
            ("destination", to.switch.0.into(), df.switch_numbers())
        };
        let most = count.saturating_sub(1);
        DatapathError::HeaderRange { bits: header.bits(), field, found, most }.into()
    }

    /// The next target of a packet whose destination is another switch.
    #[inline]
    fn wish(
        &self,
        flags: Flags,
        to: &Place,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Wish {
        let rules = self.tables.escape.rules();
        let has_entered_too_often = rules.most_entries > 0 && flags.entries >= rules.most_entries;
        if flags.escape && has_entered_too_often {
            return Wish::Escape;
        }
        let ready = &outputs.ready();
        if flags.go_global {
            return self.leave_group(flags, to, ready, outputs, rng);
        }
        let minimal = self.minimal(to, ready, outputs, rng);
        if ready.contains(minimal.port) {
            return Wish::Canonical(minimal.port, flags);
        }
        if let Some((ports, percent, after)) = self.misroutes(flags, to, minimal)
            && (!rules.strict || outputs.granted().contains(minimal.port))
            && self.is_used_enough(minimal, outputs)
        {
            let mut ports = ports.and(*ready);
            ports.remove(minimal.port);
            let then_leaves = after.go_global;
            self.keep(&mut ports, to, Some(Misroute { minimal, percent, then_leaves }), outputs);
            if let Some(port) = draw(&ports, rng) {
                return Wish::Canonical(port, after);
            }
        }
        if minimal.room > 0 || flags.came == Came::Node { Wish::Wait } else { Wish::Escape }
    }

    /// Whether so much of a packet's minimal output is in use that the packet may be misrouted.
    fn is_used_enough(&self, minimal: Minimal, outputs: &(impl Outputs + ?Sized)) -> bool {
        let least = u32::from(self.tables.escape.rules().least_percent);
        if least == 0 {
            return true;
        }
        let capacity = outputs.capacity(minimal.port);
        100 * u32::from(capacity.saturating_sub(minimal.room)) >= least * u32::from(capacity)
    }

    /// The canonical virtual channels of links.
    pub(crate) const fn canonical(&self) -> Channels {
        let rules = self.tables.escape.rules();
        Channels { local: rules.local_channels, global: rules.global_channels }
    }

    fn is_local(&self, port: Port) -> bool {
        !self.dragonfly().is_slot(port)
    }

    /// The number of the escape network's virtual channel on a link, above the canonical ones.
    pub(crate) fn escape_channel(&self, port: Port) -> u8 {
        let Channels { local, global } = self.canonical();
        if self.is_local(port) { local } else { global }
    }

    /// The canonical virtual channel of a link that has most room, of several the lowest, and its room.
    #[cfg_attr(target_os = "none", inline(never))]
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

    /// The output on a packet's shortest way: of several, one that is ready, and of those one with most room. If this
    /// switch has links to the destination's group it is one of them.
    #[cfg_attr(target_os = "none", inline(never))]
    fn minimal(
        &self,
        to: &Place,
        ready: &PortSet,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Minimal {
        let (df, image) = (self.dragonfly(), self.switch.image());
        let (fabric, group, own) = (image.fabric(), image.group(), image.index());
        if to.group == group {
            let port = df.local_port(own, to.index);
            return Minimal { port, room: self.emptiest(port, outputs).1 };
        }
        let links = fabric.links(group, to.group);
        let own_link = |n| fabric.nth_link_of_switch((group, own), to.group, n);
        let (mut count, mut first, mut has_own) = (1, 0, false);
        if links.count() > 1 {
            let own_count = (0..links.count()).find(|&n| own_link(n).is_none());
            has_own = own_count != Some(0);
            count = own_count.filter(|&count| count > 0).unwrap_or(links.count());
            first = below(rng, count);
        }
        // Every two groups share a link, so there is a first one.
        let mut best = Minimal { port: Port(u16::MAX), room: 0 };
        let mut merit = None;
        for n in (first..count).chain(0..first) {
            let link = if has_own { own_link(n) } else { None };
            let link = link.map_or_else(|| fabric.ends(links, n).0, |(port, _)| port);
            let (index, slot) = df.split_port(link);
            let port = if index == own { df.slot_port(slot) } else { df.local_port(own, index) };
            let room = self.emptiest(port, outputs).1;
            if Some((ready.contains(port), room)) > merit {
                merit = Some((ready.contains(port), room));
                best = Minimal { port, room };
            }
        }
        best
    }

    /// The links by which a packet may be misrouted from its place, at how many percent, and its flags then.
    fn misroutes(
        &self,
        flags: Flags,
        to: &Place,
        minimal: Minimal,
    ) -> Option<(&PortSet, u8, Flags)> {
        let rules = self.tables.escape.rules();
        if !flags.left && to.group != self.switch.image().group() {
            return match flags.came {
                Came::Node => Some((
                    &self.tables.global,
                    rules.global_percent,
                    Flags { global: true, ..flags },
                )),
                Came::Local if !flags.escape && !flags.local => {
                    let after = Flags { local: true, go_global: true, ..flags };
                    Some((&self.tables.gateways, rules.local_percent.source, after))
                }
                Came::Local | Came::Global => None,
            };
        }
        let is_last = to.group == self.switch.image().group();
        let LocalPercent { middle, destination, .. } = rules.local_percent;
        let percent = if is_last { destination } else { middle };
        let may = self.is_local(minimal.port) && !flags.local;
        may.then_some((&self.tables.local, percent, Flags { local: true, ..flags }))
    }

    /// Keeps those of these links by which the rules let a packet leave the group or that stay in it, and if a packet
    /// is to be misrouted, those of them that are used little enough compared with its minimal output; if the rules
    /// weigh by length, those of them that weigh least.
    #[cfg_attr(target_os = "none", inline(never))]
    fn keep(
        &self,
        ports: &mut PortSet,
        to: &Place,
        misroute: Option<Misroute>,
        outputs: &(impl Outputs + ?Sized),
    ) {
        let by_length = self.tables.escape.rules().by_length;
        let weigh = |port: Port, room: u16, hops: u8| {
            let capacity = outputs.capacity(port);
            Weight {
                used: u32::from(capacity.saturating_sub(room)) * u32::from(hops),
                capacity: capacity.into(),
            }
        };
        let limit = misroute.map(|Misroute { minimal, .. }| {
            let hops = if by_length { self.rest(self.here(), to) } else { 1 };
            weigh(minimal.port, minimal.room, hops)
        });
        let weight = |port: Port, Misroute { then_leaves, .. }: Misroute| {
            let hops = if by_length { self.hops_by(port, then_leaves, to) } else { 1 };
            weigh(port, self.emptiest(port, outputs).1, hops)
        };
        let mut least: Option<Weight> = None;
        let mut at = 0;
        while let Some(port) = ports.first_from(at) {
            at = port.0 + 1;
            let one = misroute.map(|misroute| (weight(port, misroute), misroute.percent));
            let is_light =
                one.zip(limit).is_none_or(|((one, percent), limit)| one.is_within(percent, limit));
            if !is_light || !self.may_begin(port, to) {
                ports.remove(port);
            } else if let Some((one, _)) = one
                && least.is_none_or(|least| one.is_less(least))
            {
                least = Some(one);
            }
        }
        let Some((misroute, least)) = misroute.zip(least).filter(|_| by_length) else { return };
        let mut at = 0;
        while let Some(port) = ports.first_from(at) {
            at = port.0 + 1;
            if least.is_less(weight(port, misroute)) {
                ports.remove(port);
            }
        }
    }

    /// Whether the rules let a packet leave the group by a link: all do, unless only those are to that a path of
    /// the T-VLB set begins with.
    pub(crate) fn may_begin(&self, port: Port, to: &Place) -> bool {
        if !self.tables.escape.rules().by_set || self.is_local(port) {
            return true;
        }
        let (df, image) = (self.dragonfly(), self.switch.image());
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

    /// The next target of a packet that has to leave the group from here.
    #[inline]
    fn leave_group(
        &self,
        flags: Flags,
        to: &Place,
        ready: &PortSet,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Wish {
        let mut may = self.tables.global;
        self.keep(&mut may, to, None, outputs);
        if may.is_empty() {
            may = self.tables.global;
        }
        if let Some(port) = draw(&may.and(*ready), rng) {
            return Wish::Canonical(port, Flags { global: true, ..flags });
        }
        let mut at = 0;
        while let Some(port) = may.first_from(at) {
            at = port.0 + 1;
            if self.emptiest(port, outputs).1 > 0 {
                return Wish::Wait;
            }
        }
        Wish::Escape
    }

    /// The way on by the escape network: port, virtual channel, flags before the link is crossed, and for how many
    /// packets there must be room.
    #[cfg_attr(target_os = "none", inline(never))]
    fn by_escape(&self, flags: Flags, to: &Place) -> (Port, u8, Flags, u16) {
        let escape = &self.tables.escape;
        let there = escape.place(to.switch);
        let (port, backward, room) = match escape.kind() {
            EscapeKind::Tree => (escape.tree_port(self.tables.place, there), false, 1),
            EscapeKind::Ring => {
                let backward = if flags.escape {
                    flags.backward
                } else {
                    !escape.is_onward(self.tables.place, there)
                };
                let (onward, before) = escape.ring_ports(self.tables.place);
                let room = if flags.escape { 1 } else { 2 };
                (if backward { before } else { onward }, backward, room)
            }
        };
        let entries = (flags.entries + u8::from(!flags.escape)).min(15);
        (port, self.escape_channel(port), Flags { escape: true, backward, entries, ..flags }, room)
    }
}
