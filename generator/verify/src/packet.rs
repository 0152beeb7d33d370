//! A packet on its way through switches that know only their images, and the rules of each hop.

use super::VerifyError;
use super::dead::dead_links;
use super::set_channels::SetChannels;
use std::fmt;
use tvlb_firmware_model::{Header, Stage, Step, Switch};
use tvlb_schema::{
    Dragonfly, EndSwitches, GlobalPort, GroupId, GroupLinks, LeavesAndSpines, Port, SwitchId,
    SwitchIndex, VcScheme,
};
use tvlb_table_set::names::NamedSwitch;

pub(super) struct BootedSwitches<'f> {
    pub(super) switches: &'f [Switch<'f>],
    pub(super) df: Dragonfly,
    /// Those that have nodes and are live: where packets begin and end.
    pub(super) ends: EndSwitches,
    pub(super) channels: VcScheme,
    /// How many of them packets need by the sets.
    pub(super) set_channels: SetChannels,
    /// For each switch number, its position among the switches.
    places: Vec<usize>,
    /// For each switch number, whether it is a leaf; all false if channels are not assigned by that.
    leaves: Vec<bool>,
    /// By position and port after the terminals, the neighbour; `None` over a dead link.
    neighbours: Vec<Option<Neighbour>>,
}

/// A switch at the other end of a link.
#[derive(Clone, Copy)]
struct Neighbour {
    switch: SwitchId,
    /// The port of the first of several links to it.
    port: Port,
    /// It is in another group.
    global: bool,
    /// See [`Hop::down`].
    down: bool,
}

/// One crossed link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hop {
    /// The switch that the packet left.
    pub(super) from: SwitchId,
    /// The physical port.
    pub(super) port: Port,
    pub(super) to: SwitchId,
    pub(super) channel: u8,
    pub(super) global: bool,
    /// Whether it leads from a spine to a leaf, if channels are assigned by that.
    pub(super) down: bool,
}

/// Kinds of paths in a packet's header.
pub(super) const MIN: u64 = 0;
pub(super) const VLB: u64 = 2;

/// The same header for a packet to another switch, over another second link and another switch.
pub(super) fn aimed(header: Header, to: SwitchId, y: GlobalPort, detour: SwitchIndex) -> Header {
    let rest = header.bits() & !(0xffff << 48 | 0xfff << 16 | 0xff << 8);
    let aim = u64::from(to.0) << 48 | u64::from(y.0) << 16 | u64::from(detour.0) << 8;
    Header::from_bits(rest | aim)
}

/// The action of a switch on a packet.
pub(super) enum Stepped {
    /// It is at its destination.
    Arrived,
    /// It crosses this link, and then has this header.
    Crossed(Hop, Header),
}

/// The header of a packet of this kind after a local hop from its source to the switch of x.
pub(super) fn header_after_local_hop(destination: SwitchId, x: GlobalPort, kind: u64) -> Header {
    HeaderRoute { destination, x, y: GlobalPort(0), detour: SwitchIndex(0), kind }.header(Some(0))
}

/// The most hops of any path: PAR's longest.
pub(super) const MOST_HOPS: usize = 7;

/// The hops of one packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hops {
    hops: [Hop; MOST_HOPS],
    length: usize,
}

impl Hops {
    /// Of these hops, or the first of them.
    pub(super) fn of(hops: &[Hop]) -> Self {
        let mut path = Self::default();
        for &hop in hops {
            path.push(hop);
        }
        path
    }

    pub(super) fn hops(&self) -> &[Hop] {
        &self.hops[..self.length]
    }

    /// For each hop the virtual channel, and whether the link is global.
    pub(super) fn channels(&self) -> impl Iterator<Item = (u8, bool)> {
        self.hops().iter().map(|hop| (hop.channel, hop.global))
    }

    fn push(&mut self, hop: Hop) -> bool {
        let free = self.length < MOST_HOPS;
        if free {
            self.hops[self.length] = hop;
            self.length += 1;
        }
        free
    }
}

/// The hops of a packet in a finding: `3 -L0-> 5 -G0-> 17`, L for a local hop and G for a global one, each with its
/// virtual channel, and each switch with its name if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedPath {
    first: NamedSwitch,
    hops: Vec<(bool, u8, NamedSwitch)>,
}

impl WalkedPath {
    fn of(from: SwitchId, hops: &[Hop]) -> Self {
        let first = hops.first().map_or(from, |hop| hop.from).into();
        let hops = hops.iter().map(|hop| (hop.global, hop.channel, hop.to.into()));
        Self { first, hops: hops.collect() }
    }

    /// The switches that it visits, in order.
    pub fn switches(&self) -> impl Iterator<Item = &NamedSwitch> {
        std::iter::once(&self.first).chain(self.hops.iter().map(|(_, _, to)| to))
    }

    pub(super) fn switches_mut(&mut self) -> impl Iterator<Item = &mut NamedSwitch> {
        std::iter::once(&mut self.first).chain(self.hops.iter_mut().map(|(_, _, to)| to))
    }
}

impl fmt::Display for WalkedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        self.hops.iter().try_for_each(|(is_global, channel, to)| {
            let kind = if *is_global { 'G' } else { 'L' };
            write!(f, " -{kind}{channel}-> {to}")
        })
    }
}

/// The contents of a header, in the documented layout, which is stated here again.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeaderRoute {
    pub(super) destination: SwitchId,
    pub(super) x: GlobalPort,
    pub(super) y: GlobalPort,
    pub(super) detour: SwitchIndex,
    /// 0 MIN, 2 VLB.
    pub(super) kind: u64,
}

impl HeaderRoute {
    /// At its source, or (`looked_again`) after PAR's second look: in its source group after one local hop on this
    /// virtual channel.
    pub(super) fn header(self, looked_again: Option<u8>) -> Header {
        let (stage, channel) = looked_again.map_or((0, 0), |channel| (1, u64::from(channel)));
        Header::from_bits(
            u64::from(self.destination.0) << 48
                | u64::from(self.x.0) << 28
                | u64::from(self.y.0) << 16
                | u64::from(self.detour.0) << 8
                | stage << 5
                | channel << 2
                | self.kind,
        )
    }
}

impl<'f> BootedSwitches<'f> {
    /// Packets begin and end at these switches, if they are live.
    pub(super) fn new(switches: &'f [Switch<'f>], ends: &EndSwitches) -> Self {
        let image = switches[0].image();
        let df = *image.fabric().dragonfly();
        let (first, last) = (df.p(), df.radix());
        let ends = ends.without(image.fabric().dead_switches());
        let dead = &dead_links(image.fabric());
        let channels = image.virtual_channels();
        let has_leaves = channels == VcScheme::UpDown;
        let is_leaf = |number| has_leaves && !image.fabric().is_spine(SwitchId(number));
        let numbers = (0..=u16::MAX).take(df.switch_numbers() as usize);
        let leaves: Vec<bool> = numbers.map(is_leaf).collect();
        let leaves_there = &leaves;
        let neighbours = switches
            .iter()
            .flat_map(|switch| {
                (first..last).map(move |port| {
                    let port = Port(u16::try_from(port).ok()?);
                    let (group, index) = switch.neighbour(port)?;
                    let fabric = switch.image().fabric();
                    let (from, to) =
                        (switch.image().switch(), fabric.dragonfly().switch(group, index));
                    let lives =
                        !dead.contains(&(from, port)) && fabric.lives(from) && fabric.lives(to);
                    let global = group != switch.image().group();
                    let port = if global { port } else { df.local_port(df.place(from).1, index) };
                    let down = !global && leaves_there[to.as_usize()];
                    lives.then_some(Neighbour { switch: to, port, global, down })
                })
            })
            .collect();
        let mut places = vec![0; df.switch_numbers() as usize];
        for (place, switch) in df.switches().enumerate() {
            places[switch.as_usize()] = place;
        }
        let set_channels = SetChannels::of(switches);
        Self { switches, df, ends, channels, set_channels, places, leaves, neighbours }
    }

    /// The switch of a number, if there is one.
    pub(super) fn known_switch(&self, switch: SwitchId) -> Option<&'f Switch<'f>> {
        self.df.has_switch(switch).then(|| self.switch(switch))
    }

    pub(super) fn switch(&self, switch: SwitchId) -> &'f Switch<'f> {
        &self.switches[self.place_of(switch)]
    }

    /// Its position among all switches in order.
    pub(super) fn place_of(&self, switch: SwitchId) -> usize {
        self.places[switch.as_usize()]
    }

    /// How the switches of groups are joined.
    pub(super) fn group_links(&self) -> GroupLinks {
        self.switches[0].image().fabric().group_links()
    }

    /// Whether a link within a group to this switch leads down, if channels are assigned by that.
    pub(super) fn leads_down(&self, to: SwitchId) -> bool {
        self.leaves[to.as_usize()]
    }

    /// The group and index of a switch.
    pub(super) fn place(&self, switch: SwitchId) -> (GroupId, SwitchIndex) {
        self.df.place(switch)
    }

    /// Ports of a switch that are not terminals.
    pub(super) fn ports(&self) -> usize {
        (self.df.radix() - self.df.p()) as usize
    }

    /// The neighbour at a port of the switch at this position.
    fn neighbour(&self, place: usize, port: Port) -> Option<Neighbour> {
        let port = u32::from(port.0).checked_sub(self.df.p())? as usize;
        self.neighbours[place * self.ports()..][..self.ports()].get(port).copied()?
    }

    /// Carries a packet from a switch to its destination; `hop_before` is a local hop that it has already made. Returns
    /// its hops, if each of them is allowed.
    ///
    /// For several links between two switches a hop names the first: which of them a packet takes changes neither its
    /// channel nor anything later.
    pub(super) fn carry(
        &self,
        from: SwitchId,
        route: HeaderRoute,
        hop_before: Option<Hop>,
        may_return: bool,
    ) -> Result<Hops, (Hops, String)> {
        self.carry_by(from, route, hop_before, may_return, [None; 2])
    }

    /// As [`Self::carry`], but the packet goes through these third switches instead of those that its header would
    /// choose: to the switch that has x, and from the one at which x arrives.
    pub(super) fn carry_by(
        &self,
        from: SwitchId,
        route: HeaderRoute,
        hop_before: Option<Hop>,
        may_return: bool,
        thirds: [Option<SwitchId>; 2],
    ) -> Result<Hops, (Hops, String)> {
        let mut path = Hops::default();
        let mut at = from;
        if let Some(hop) = hop_before {
            path.push(hop);
        }
        let mut header = route.header(hop_before.map(|hop| hop.channel));
        loop {
            let (mut hop, next) = match self.step(at, header) {
                Err(text) => return Err((path, text)),
                Ok(Stepped::Arrived) => return Ok(path),
                Ok(Stepped::Crossed(hop, next)) => (hop, next),
            };
            if let (Stage::Source, Stage::SourceLocal | Stage::MiddleLocal, [Some(third), _])
            | (Stage::Destination, Stage::MiddleLocal, [_, Some(third)]) =
                (header.stage(), next.stage(), thirds)
            {
                let [own, third_index] = [at, third].map(|switch| self.place(switch).1);
                (hop.to, hop.port) = (third, self.df.local_port(own, third_index));
            }
            let fail = |path: Hops, text: &str| Err((path, text.to_owned()));
            if let Some(last) = path.hops().last()
                && self.rank(*last) >= self.rank(hop)
            {
                path.push(hop);
                return fail(path, "the rank of its virtual channels does not rise");
            }
            let back = hop.to == from || path.hops().iter().any(|other| other.from == hop.to);
            if !path.push(hop) {
                return fail(path, "it is still not there after its last hop");
            }
            if back && !may_return {
                return fail(path, "it comes back to a switch");
            }
            (at, header) = (hop.to, next);
        }
    }

    /// The action of a switch on a packet with this header.
    ///
    /// For several links between two switches a hop names the first.
    pub(super) fn step(&self, at: SwitchId, header: Header) -> Result<Stepped, String> {
        let is_there = at == header.destination();
        let place = self.place_of(at);
        match self.switches[place].forward(header) {
            Err(error) => Err(format!("switch {at} refuses it: {error}")),
            Ok(Step::Deliver { port }) if is_there && port.0 == 0 => Ok(Stepped::Arrived),
            Ok(Step::Deliver { port }) => Err(format!("switch {at} delivers it by port {port}")),
            Ok(Step::Send { port, virtual_channel: channel, header }) => {
                let Some(Neighbour { switch: to, port, global, down }) =
                    self.neighbour(place, port)
                else {
                    return Err(format!("switch {at} sends it to port {port}, which has no cable"));
                };
                Ok(Stepped::Crossed(Hop { from: at, port, to, channel, global, down }, header))
            }
        }
    }

    /// The rank of a channel, which must rise at every hop, so that no cycle can close.
    pub(super) fn rank(&self, hop: Hop) -> u8 {
        let channel = usize::from(hop.channel);
        let beyond = u8::MAX;
        match (self.channels, hop.global) {
            (VcScheme::Ordered, global) => 2 * hop.channel + u8::from(global),
            (VcScheme::PerHop, _) => hop.channel,
            // First and second global link.
            (VcScheme::Positional, true) => *[2, 5].get(channel).unwrap_or(&beyond),
            // Source, two in the middle, destination, and PAR's second in the source group.
            (VcScheme::Positional, false) => *[0, 3, 4, 6, 1].get(channel).unwrap_or(&beyond),
            // Up, across, down.
            (VcScheme::UpDown, true) => 3 * hop.channel + 1,
            (VcScheme::UpDown, false) => 3 * hop.channel + if hop.down { 2 } else { 0 },
        }
    }

    /// The finding about a path.
    pub(super) fn finding(
        from: SwitchId,
        to: SwitchId,
        kind: &'static str,
        (path, text): (Hops, String),
    ) -> VerifyError {
        let path = Box::new(WalkedPath::of(from, path.hops()));
        VerifyError::Path { from: from.into(), to: to.into(), kind, path, text }
    }
}
