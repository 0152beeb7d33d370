//! A sequence of decisions of real switches, in words that are the same on every machine.
//!
//! Lines are written without `core::fmt`, whose code could panic: the program for the bare machine must not contain it.
#![no_std]

#[cfg(target_os = "none")]
pub mod bare;

use tvlb_firmware_model::rand_core::{Rng, SeedableRng};
use tvlb_firmware_model::{
    Admission, ByChannel, Channels, Choice, DefaultRng, Error, Header, Scheme, Step, Switch,
    VlbPaths,
};
use tvlb_ofar::{Ask, EscapeImage, Ofar, Outputs, PortSet};
use tvlb_schema::{End, FabricImage, NodeId, Port, SwitchId};

/// dfly(4, 8, 4, 9), `absolute`, with strategic-2-3 by shape.
pub const FABRIC: &[u8] = include_bytes!("../images/fabric.tvlb");
/// Switch 3 of it: the source.
pub const SOURCE: &[u8] = include_bytes!("../images/switch-00003.tvlb");
/// Switch 3 with 1% only:101 by route, of which a draw takes some 211 looks: near the most that
/// `generate` accepts on average.
pub const RARE: &[u8] = include_bytes!("../images/switch-00003-rare.tvlb");
/// Switch 4 of it, of the same group: PAR's second switch.
pub const SECOND: &[u8] = include_bytes!("../images/switch-00004.tvlb");
/// Switch 3 with four VLB candidates and a gate of 0.5, which is open if all queues are alike.
pub const SEVERAL: &[u8] = include_bytes!("../images/switch-00003-several.tvlb");
/// Switch 4 with two MIN candidates, drawn again over any link at a second look, four VLB candidates and a gate of
/// 1.25.
pub const SECOND_SEVERAL: &[u8] = include_bytes!("../images/switch-00004-several.tvlb");
/// Switch 4 with credits by channel, whose VLB packets leave their intermediate group by the cheapest of four links.
pub const ONWARD: &[u8] = include_bytes!("../images/switch-00004-onward.tvlb");
/// The escape ring of dfly(4, 8, 4, 9).
pub const ESCAPE: &[u8] = include_bytes!("../images/escape-ring.tvlb");
/// The images that pin the format.
pub const GOLDEN: [&[u8]; 3] = [
    include_bytes!("../../../schema/golden/v3/fabric.tvlb"),
    include_bytes!("../../../schema/golden/v3/switch-00005.tvlb"),
    include_bytes!("../../../schema/golden/v3/switch-00005-thinned.tvlb"),
];

/// The escape networks that pin the format.
pub const ESCAPES: [&[u8]; 2] = [
    include_bytes!("../../../schema/golden/v3/escape-ring.tvlb"),
    include_bytes!("../../../schema/golden/v3/escape-tree.tvlb"),
];

/// How many packets the sequence has.
pub const PACKETS: u32 = 400;

/// The ports of a switch of dfly(4, 8, 4, 9).
pub const PORTS: usize = 15;

/// The virtual channels of a local link under PAR.
pub const CHANNELS: usize = 5;

/// One packet of the sequence: its destination, its routing, and the queues.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The destination; now and then one that does not exist.
    pub node: NodeId,
    /// The routing scheme.
    pub scheme: Scheme,
    /// Where VLB candidates come from.
    pub paths: VlbPaths,
    /// Credits in use at both switches.
    pub credits: [u32; PORTS],
    /// Bits that may not be a valid header.
    pub bits: u64,
}

impl Packet {
    /// Draws the next packet.
    pub fn draw(rng: &mut DefaultRng) -> Self {
        let node = NodeId(rng.next_u32() % 290);
        let schemes = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par];
        let scheme = schemes[(rng.next_u32() & 3) as usize];
        let custom = rng.next_u32() & 1 == 1;
        let paths = if custom { VlbPaths::Custom } else { VlbPaths::Conventional };
        let mut credits = [0; PORTS];
        for used in &mut credits {
            *used = rng.next_u32() >> 27;
        }
        // Half of them are in range, so that they pass the first checks.
        let bits = rng.next_u64();
        let bits = if bits >> 63 == 1 { bits & 0x003f_0301_f01f_07ff } else { bits };
        Self { node, scheme, paths, credits, bits }
    }
}

/// A line of text in a fixed buffer; text that does not fit is dropped.
#[derive(Default)]
struct Line(heapless::String<160>);

impl Line {
    fn text(&mut self, text: &str) -> &mut Self {
        let _ = self.0.push_str(text);
        self
    }

    /// A space and a number in hexadecimal.
    fn number(&mut self, number: impl Into<u64>) -> &mut Self {
        const DIGITS: &str = "0123456789abcdef";
        let number = number.into();
        let digits = (64 - number.leading_zeros()).div_ceil(4).max(1);
        self.text(" ");
        for place in (0..digits).rev() {
            let digit = (number >> (4 * place) & 0xf) as usize;
            self.text(DIGITS.get(digit..=digit).unwrap_or("?"));
        }
        self
    }

    fn step(&mut self, step: &Result<Step, Error>) -> &mut Self {
        match step {
            Ok(Step::Deliver { port }) => self.text(" deliver").number(port.0),
            Ok(Step::Send { port, virtual_channel, header }) => {
                self.text(" send").number(port.0).number(*virtual_channel).number(header.bits())
            }
            Err(error) => self.error(error),
        }
    }

    fn error(&mut self, error: &Error) -> &mut Self {
        self.text(" refuse").text(match error {
            Error::FabricImage(_) => " fabric-image",
            Error::SwitchImage(_) => " switch-image",
            Error::TooFewChannels { .. } => " too-few-channels",
            Error::NoSuchNode { .. } => " no-such-node",
            Error::Unreachable { .. } => " unreachable",
            Error::HeaderKind { .. } => " header-kind",
            Error::HeaderRange { .. } => " header-range",
            Error::Astray { .. } => " astray",
            Error::NoCable { .. } => " no-cable",
            Error::NoChannel { .. } => " no-channel",
            _ => " other",
        })
    }

    fn error_of_ofar(&mut self, error: &tvlb_ofar::Error) -> &mut Self {
        self.text(" refuse").text(match error {
            tvlb_ofar::Error::Datapath(Error::NoSuchNode { .. }) => " no-such-node",
            tvlb_ofar::Error::Datapath(Error::HeaderRange { .. }) => " header-range",
            tvlb_ofar::Error::NotForOfar { .. } => " not-for-ofar",
            tvlb_ofar::Error::NotPerHop { .. } => " not-per-hop",
            tvlb_ofar::Error::PerHopFlags { .. } => " per-hop-flags",
            _ => " other",
        })
    }

    fn write(&mut self, out: &mut impl FnMut(&[u8])) {
        self.text("\n");
        out(self.0.as_bytes());
        self.0.clear();
    }
}

/// Boots the two switches, for PAR and with as many virtual channels as it needs.
///
/// # Errors
/// An image is bad.
pub fn boot() -> Result<[Switch<'static>; 2], Error> {
    boot_pair(SOURCE, SECOND)
}

/// Boots two switches of the fabric.
fn boot_pair(source: &'static [u8], second: &'static [u8]) -> Result<[Switch<'static>; 2], Error> {
    let fabric = FabricImage::decode(FABRIC).map_err(Error::FabricImage)?;
    let boot =
        |image| Switch::boot_in(&fabric, image)?.with_channels(Scheme::Par, Channels::ORDERED_PAR);
    Ok([boot(source)?, boot(second)?])
}

/// Writes the sequence, line by line.
pub fn record(out: &mut impl FnMut(&[u8])) {
    let mut line = Line::default();
    golden(&mut line, out);
    for (source, second) in [(SOURCE, SECOND), (SEVERAL, SECOND_SEVERAL)] {
        record_pair(source, second, &mut line, out);
    }
    record_onward(&mut line, out);
    for escape in ESCAPES {
        record_per_hop(escape, &mut line, out);
    }
}

/// Outputs that have as much room as their bits say.
struct Room(u64);

impl Outputs for Room {
    fn ready(&self) -> PortSet {
        PortSet::from_words([self.0 & 0x7c, 0, 0, 0])
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        (self.0 >> (8 + port.0 * 4 + u16::from(virtual_channel)) & 3) as u16
    }

    fn capacity(&self, _: Port) -> u16 {
        4
    }

    fn granted(&self) -> PortSet {
        PortSet::from_words([self.0 >> 50 & 0x7c, 0, 0, 0])
    }
}

/// A switch's view of its outputs, for measuring decisions at every hop.
pub struct View {
    ready: PortSet,
    room: [u16; PORTS],
}

impl View {
    /// Outputs that are all free.
    pub const FREE: Self = Self { ready: PortSet::from_words([0x7ff0, 0, 0, 0]), room: [4; PORTS] };

    /// Outputs of which half can take a packet, and whose buffers have room for 0 to 3.
    pub fn busy(rng: &mut DefaultRng) -> Self {
        let mut room = [0; PORTS];
        for room in &mut room {
            *room = (rng.next_u32() >> 30) as u16;
        }
        let has_room = (4..PORTS).filter(|&port| room.get(port).is_some_and(|&room| room > 0));
        let free = rng.next_u32();
        let ready = has_room.filter(|&port| free >> port & 1 == 1).map(|port| Port(port as u16));
        Self { ready: ready.collect(), room }
    }
}

impl Outputs for View {
    fn ready(&self) -> PortSet {
        self.ready
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        let room = self.room.get(port.as_usize()).copied().unwrap_or(0);
        room.saturating_sub(virtual_channel.into())
    }

    fn capacity(&self, _: Port) -> u16 {
        4
    }
}

/// The header of a packet to `node` from a node of this switch, from a switch of its group, or from another
/// group, in turn.
pub fn arrived(ofar: &Ofar<'_, '_>, node: NodeId, turn: u32) -> Header {
    let launched = ofar.launch(node).map_or(3, Header::bits);
    Header::from_bits(match turn % 3 {
        0 => launched,
        1 => launched | 1 << 5,
        _ => launched | 1 << 30 | 2 << 5,
    })
}

/// Requests of packets that decide at every hop.
fn record_per_hop(escape: &[u8], line: &mut Line, out: &mut impl FnMut(&[u8])) {
    let [fabric, switch, ..] = GOLDEN;
    let switch = match Switch::boot(fabric, switch) {
        Ok(switch) => switch,
        Err(error) => return line.text("boot").error(&error).write(out),
    };
    let decoded = EscapeImage::decode(escape, switch.image().fabric()).ok();
    let Some(ofar) = decoded.and_then(|escape| Ofar::new(&switch, &escape).ok()) else {
        return line.text("no-escape").write(out);
    };
    let (mut packets, mut rng) = (DefaultRng::seed_from_u64(3), DefaultRng::seed_from_u64(4));
    for number in 0..PACKETS {
        let outputs = Room(packets.next_u64());
        let mut header = match ofar.launch(NodeId(packets.next_u32() % 80)) {
            Ok(header) => header,
            Err(error) => {
                line.text("launch").number(number).error_of_ofar(&error).write(out);
                continue;
            }
        };
        // As far as the bits let it go, whichever switch it would be at.
        for _ in 0..4 {
            line.text("ask").number(header.bits()).number(u8::from(ofar.may_inject(&outputs)));
            match ofar.ask(header, &outputs, &mut rng) {
                Ok(Ask::Deliver { port }) => line.text(" deliver").number(port.0),
                Ok(Ask::Wait) => line.text(" wait"),
                Ok(Ask::Send { port, virtual_channel, header: sent, room }) => {
                    header = sent;
                    line.text(" send").number(port.0).number(virtual_channel);
                    line.number(sent.bits()).number(room)
                }
                Err(error) => line.error_of_ofar(&error),
            };
            line.write(out);
        }
        let bits = Header::from_bits(packets.next_u64() & 0x001f_01ff_c000_00ff | 3);
        match ofar.ask(bits, &outputs, &mut rng) {
            Ok(Ask::Send { header, .. }) => line.text("bits").number(header.bits()),
            Ok(_) => line.text("bits taken"),
            Err(error) => line.text("bits").error_of_ofar(&error),
        };
        line.write(out);
    }
}

/// The decisions of two switches.
fn record_pair(
    source: &'static [u8],
    second: &'static [u8],
    line: &mut Line,
    out: &mut impl FnMut(&[u8]),
) {
    let [source, second] = match boot_pair(source, second) {
        Ok(switches) => switches,
        Err(error) => return line.text("boot").error(&error).write(out),
    };
    let (mut packets, mut rng) = (DefaultRng::seed_from_u64(1), DefaultRng::seed_from_u64(2));
    for number in 0..PACKETS {
        let packet = Packet::draw(&mut packets);
        let Packet { node, scheme, paths, .. } = packet;
        let credits = packet.credits.as_slice();
        line.text("packet").number(number).text(" to").number(node.0).text(" ");
        line.text(scheme.name());
        line.text(if paths == VlbPaths::Custom { " custom" } else { " conventional" });
        let (step, choice) = match source.admit(node, scheme, paths, credits, &mut rng) {
            Ok(Admission { step, choice }) => (Ok(step), Some(choice)),
            Err(error) => (Err(error), None),
        };
        line.step(&step).text(match choice {
            Some(Choice::Here) => " here",
            Some(Choice::Min) => " min",
            Some(Choice::Vlb) => " vlb",
            Some(Choice::MinFallback) => " min-fallback",
            Some(Choice::VlbFallback) => " vlb-fallback",
            None => "",
        });
        line.write(out);
        if let Ok(Step::Send { header, .. }) = step {
            look_and_forward(&second, "then", header, &packet, &mut rng, line, out);
        }
        let header = Header::from_bits(packet.bits);
        look_and_forward(&second, "bits", header, &packet, &mut rng, line, out);
    }
}

/// Boots switch 4, which looks onward.
///
/// # Errors
/// The image is bad.
pub fn boot_onward() -> Result<Switch<'static>, Error> {
    Switch::boot(FABRIC, ONWARD)?.with_channels(Scheme::Par, Channels::ORDERED_PAR)
}

/// The header of a VLB packet that comes to the group of `switch`, its intermediate one, by a link to group 2, on its
/// way to another group by one of four links, through some switch of this group.
pub fn at_intermediate(switch: &Switch<'_>, random: u32) -> Option<Header> {
    let fabric = switch.image().fabric();
    let (df, group) = (fabric.dragonfly(), switch.image().group());
    let to = SwitchId((random % 72) as u16);
    let (to_group, _) = df.place(to);
    if to_group == group {
        return None;
    }
    let (y, _) = fabric.ends(fabric.links_between(group, to_group), random >> 8 & 3);
    let way = u64::from(y.0) << 16 | u64::from(random >> 16 & 7) << 8;
    Some(Header::from_bits(u64::from(to.0) << 48 | way | 3 << 5 | 2))
}

/// Looks at packets in their intermediate group, and at invalid ones.
fn record_onward(line: &mut Line, out: &mut impl FnMut(&[u8])) {
    let switch = match boot_onward() {
        Ok(switch) => switch,
        Err(error) => return line.text("boot").error(&error).write(out),
    };
    let mut packets = DefaultRng::seed_from_u64(5);
    for _ in 0..PACKETS {
        let mut counters = [0; PORTS * CHANNELS];
        for used in &mut counters {
            *used = packets.next_u32() >> 27;
        }
        let credits = ByChannel { counters: &counters, channels: CHANNELS as u8 };
        let bits = Header::from_bits(packets.next_u64());
        for header in [at_intermediate(&switch, packets.next_u32()), Some(bits)] {
            let Some(header) = header else { continue };
            line.text("onward").number(header.bits());
            match switch.look_onward(header, Scheme::Par, &credits) {
                Ok(looked) => line.number(looked.bits()).step(&switch.forward(looked)),
                Err(error) => line.error(&error),
            };
            line.write(out);
        }
    }
}

/// A second look and a forward, whatever the header.
fn look_and_forward(
    switch: &Switch<'_>,
    what: &str,
    header: Header,
    packet: &Packet,
    rng: &mut DefaultRng,
    line: &mut Line,
    out: &mut impl FnMut(&[u8]),
) {
    line.text(what).number(header.bits());
    match switch.reconsider(header, packet.paths, packet.credits.as_slice(), rng) {
        Ok(looked) => line.text(" look").number(looked.bits()).step(&switch.forward(looked)),
        Err(error) => line.error(&error),
    };
    line.write(out);
}

/// The decoded contents of the images that pin the format.
fn golden(line: &mut Line, out: &mut impl FnMut(&[u8])) {
    let [fabric, switches @ ..] = GOLDEN;
    for switch in switches {
        golden_pair(fabric, switch, line, out);
    }
}

fn golden_pair(fabric: &[u8], switch: &[u8], line: &mut Line, out: &mut impl FnMut(&[u8])) {
    let booted = FabricImage::decode(fabric)
        .map_err(Error::FabricImage)
        .and_then(|fabric| Ok((fabric, Switch::boot_in(&fabric, switch)?)));
    let (fabric, switch) = match booted {
        Ok(both) => both,
        Err(error) => return line.text("golden").error(&error).write(out),
    };
    let df = fabric.dragonfly();
    line.text("golden").number(fabric.identity()).number(df.node_count());
    line.number(switch.image().switch().0).number(fabric.cable_count()).write(out);
    for group in df.groups() {
        line.text("cables of group").number(group.0);
        for port in df.global_ports() {
            match fabric.peer(End { group, port }) {
                Some(peer) => line.number(peer.group.0).number(peer.port.0),
                None => line.text(" -"),
            };
        }
        line.write(out);
    }
    for to in df.switches() {
        let mut sum = 0_u64;
        switch.for_each_route(tvlb_schema::Decision::UgalL, to, |route, shape| {
            let key = route.key(df, switch.image().switch(), to);
            sum = sum.wrapping_mul(31).wrapping_add(key.0 ^ u64::from(shape.hops()));
        });
        line.text("routes to").number(to.0).number(sum).write(out);
    }
}
