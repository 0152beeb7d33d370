//! What switch 5 of dfly(2,4,2,9) asks for: group 1, index 1, ports 0 and 1 to nodes, 2 to 4 to switches 4, 6 and 7,
//! 5 and 6 to other groups.

use super::*;
use crate::flags::{Came, Flags};
use crate::place::Place;
use crate::{EscapeKind, EscapeNetwork, LocalPercent, encode_escape_image};
use proptest::prelude::*;
use rand_core::SeedableRng;
use std::collections::BTreeSet;
use std::vec::Vec;
use tvlb_firmware_model::{DefaultRng, below};
use tvlb_schema::{Decision, FabricImage, GroupId, SwitchId};

struct Images {
    fabric: Vec<u8>,
    switch: Vec<u8>,
    ring: Vec<u8>,
    tree: Vec<u8>,
}

fn images() -> Images {
    let read = |name: &str| {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/golden/v3/");
        std::fs::read(std::format!("{directory}{name}")).unwrap()
    };
    Images {
        fabric: read("fabric.tvlb"),
        switch: read("switch-00005.tvlb"),
        ring: read("escape-ring.tvlb"),
        tree: read("escape-tree.tvlb"),
    }
}

/// The same network under other rules.
fn with_rules(images: &Images, network: &[u8], rules: &OfarRules) -> Vec<u8> {
    let fabric = FabricImage::decode(&images.fabric).unwrap();
    let network = EscapeNetwork::of(&EscapeImage::decode(network, &fabric).unwrap());
    encode_escape_image(&fabric, &network, rules).unwrap()
}

/// By port: room of every canonical virtual channel and whether the link is free. The escape network has room.
#[derive(Clone, Copy)]
struct Seen {
    room: [u16; 7],
    free: [bool; 7],
    escape_room: u16,
    granted: PortSet,
}

const FULL: Seen = Seen { room: [0; 7], free: [true; 7], escape_room: 4, granted: PortSet::EMPTY };
const EMPTY: Seen = Seen { room: [4; 7], ..FULL };

impl Outputs for Seen {
    fn ready(&self) -> PortSet {
        let is_ready = |port: &usize| self.free[*port] && self.room[*port] > 0;
        (2..7).filter(is_ready).map(|port| Port(u16::try_from(port).unwrap())).collect()
    }

    fn room(&self, port: Port, virtual_channel: u8) -> u16 {
        let canonical = if port.0 < 5 { 3 } else { 2 };
        match virtual_channel {
            channel if channel < canonical => self.room[port.as_usize()],
            channel if channel == canonical => self.escape_room,
            _ => panic!("port {port} has no channel {virtual_channel}"),
        }
    }

    fn capacity(&self, _: Port) -> u16 {
        4
    }

    fn granted(&self) -> PortSet {
        self.granted
    }
}

fn rng() -> DefaultRng {
    DefaultRng::seed_from_u64(1)
}

fn ports_asked(ofar: &Ofar<'_, '_>, header: Header, seen: &Seen) -> BTreeSet<u16> {
    let mut rng = rng();
    (0..64)
        .filter_map(|_| match ofar.ask(header, seen, &mut rng).unwrap() {
            Ask::Send { port, .. } | Ask::Deliver { port } => Some(port.0),
            Ask::Wait => None,
        })
        .collect()
}

/// Every state in which a packet can be here, for a destination.
fn states() -> Vec<Flags> {
    let mut states = std::vec![Flags::AT_SOURCE];
    for bits in 0..1_u32 << 7 {
        let is_set = |bit: u32| bits >> bit & 1 == 1;
        let came = if is_set(0) { Came::Local } else { Came::Global };
        let escape = is_set(1);
        let flags = Flags {
            entries: u8::from(escape) * 2,
            backward: is_set(2) && escape,
            escape,
            go_global: is_set(3),
            local: is_set(4),
            global: is_set(5),
            left: is_set(6),
            came,
            virtual_channel: match (escape, came) {
                (false, _) => 0,
                (true, Came::Global) => 2,
                (true, _) => 3,
            },
        };
        let header = flags.header(SwitchId(0), 0);
        if Flags::read(header, Channels { local: 3, global: 2 }).is_ok() {
            states.push(flags);
        }
    }
    states
}

#[test]
fn what_finds_everything_full_asks_for_the_escape_network() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    for network in [&images.ring, &images.tree] {
        let rules = OfarRules::default();
        let network = with_rules(&images, network, &rules);
        let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
        let ofar = Ofar::new(&switch, &escape).unwrap();
        let own: Vec<Port> = escape.ports(escape.place(SwitchId(5))).collect();
        let mut asked_states = 0;
        for (flags, to) in states().into_iter().flat_map(|f| (0..36).map(move |to| (f, to))) {
            let header = flags.header(SwitchId(to), 1);
            let asked = ofar.ask(header, &FULL, &mut rng()).unwrap();
            if to == 5 {
                assert_eq!(asked, Ask::Deliver { port: Port(1) });
                continue;
            }
            if flags.came == Came::Node {
                assert_eq!(asked, Ask::Wait, "nothing is injected into the escape network");
                continue;
            }
            asked_states += 1;
            let Ask::Send { port, virtual_channel, header, room } = asked else {
                panic!("{flags:?} waits")
            };
            assert!(own.contains(&port) && virtual_channel == ofar.escape_channel(port));
            let enters_ring = escape.kind() == EscapeKind::Ring && !flags.escape;
            assert_eq!(room, if enters_ring { 2 } else { 1 });
            let after = Flags::read(header, ofar.rule().canonical()).unwrap();
            assert_eq!(
                (after.escape, after.entries),
                (true, flags.entries + u8::from(!flags.escape))
            );
            // Everything else being free, it does not ask for it.
            match ofar.ask(flags.header(SwitchId(to), 1), &EMPTY, &mut rng()).unwrap() {
                Ask::Send { port, virtual_channel, .. } => {
                    assert!(virtual_channel < ofar.escape_channel(port));
                }
                other => panic!("{flags:?}: {other:?}"),
            }
        }
        assert!(asked_states > 35 * 20, "{asked_states}");
    }
}

#[test]
fn a_packet_is_misrouted_where_its_place_allows_it() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    let network = with_rules(&images, &images.ring, &OfarRules::default());
    let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
    let ofar = Ofar::new(&switch, &escape).unwrap();
    let asked = |flags: Flags, to: u16, seen: &Seen| {
        ports_asked(&ofar, flags.header(SwitchId(to), 0), seen)
    };
    // The minimal output towards each destination.
    let minimal = |to: u16| {
        let ports = asked(Flags::AT_SOURCE, to, &EMPTY);
        assert_eq!(ports.len(), 1);
        ports.into_iter().next().unwrap()
    };
    let by_local = (8..36).find(|&to| minimal(to) < 5).unwrap();
    let by_global = (8..36).find(|&to| minimal(to) == 5).unwrap();
    let busy = |port: u16| {
        let mut seen = EMPTY;
        seen.free[usize::from(port)] = false;
        seen.room[usize::from(port)] = 2;
        seen
    };
    let node = Flags::AT_SOURCE;
    let local = Flags { came: Came::Local, ..node };
    let arrived = Flags { came: Came::Global, left: true, ..node };
    // From a node to another group: links to other groups.
    assert_eq!(asked(node, by_local, &busy(minimal(by_local))), [5, 6].into());
    assert_eq!(asked(node, by_global, &busy(5)), [6].into());
    // After a local hop: local links, after which it has to leave the group.
    let to_local: BTreeSet<u16> = [2, 3, 4].into();
    assert_eq!(asked(local, by_global, &busy(5)), to_local);
    let mut seen = busy(5);
    let Ask::Send { header, .. } =
        ofar.ask(local.header(SwitchId(by_global), 0), &seen, &mut rng()).unwrap()
    else {
        panic!("it waits")
    };
    let after = Flags::read(header, ofar.rule().canonical()).unwrap();
    assert!(after.local && after.go_global && !after.left);
    // There it takes any link to another group, however much it is used.
    seen.room[5..].fill(1);
    seen.free[5] = true;
    assert_eq!(ports_asked(&ofar, header, &seen), [5, 6].into());
    seen.free[5..].fill(false);
    assert_eq!(ports_asked(&ofar, header, &seen), [].into(), "it waits for them");
    seen.room[5..].fill(0);
    let own_escape = ports_asked(&ofar, header, &seen);
    assert_eq!(own_escape.len(), 1, "it leaves by the escape network");
    // By the escape network it came for nothing but minimal outputs.
    let escaped = Flags { escape: true, entries: 1, virtual_channel: 3, ..local };
    assert_eq!(asked(escaped, by_global, &busy(5)), [].into());
    // In the destination's group and in between: local links in place of a local one, once.
    assert_eq!(asked(arrived, 4, &busy(2)), [3, 4].into());
    assert_eq!(asked(arrived, by_local, &busy(minimal(by_local))).len(), 2);
    assert_eq!(asked(arrived, by_global, &busy(5)), [].into());
    let misrouted = Flags { came: Came::Local, local: true, left: true, ..node };
    assert_eq!(asked(misrouted, 4, &busy(2)), [].into());
    // What is used as much is no better.
    let mut seen = busy(5);
    seen.room[6] = 2;
    assert_eq!(asked(node, by_global, &seen), [].into());
    seen.room[6] = 3;
    assert_eq!(asked(node, by_global, &seen), [6].into());
}

#[test]
fn the_strict_trigger_asks_that_the_minimal_output_was_just_given_away() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    let rules = OfarRules { strict: true, ..OfarRules::default() };
    let network = with_rules(&images, &images.ring, &rules);
    let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
    let ofar = Ofar::new(&switch, &escape).unwrap();
    let to = SwitchId(0);
    let header = Flags::AT_SOURCE.header(to, 0);
    let minimal = ports_asked(&ofar, header, &EMPTY);
    let port = Port(*minimal.first().unwrap());
    let mut seen = EMPTY;
    seen.free[port.as_usize()] = false;
    seen.room[port.as_usize()] = 1;
    assert_eq!(ports_asked(&ofar, header, &seen), [].into());
    seen.granted.insert(port);
    assert!(!ports_asked(&ofar, header, &seen).is_empty());
}

#[test]
fn a_least_share_asks_that_so_much_of_the_minimal_output_is_in_use() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    let header = Flags::AT_SOURCE.header(SwitchId(0), 0);
    for (least, used, may) in [(0, 1, true), (25, 1, true), (26, 1, false), (100, 4, true)] {
        let rules = OfarRules { least_percent: least, ..OfarRules::default() };
        let network = with_rules(&images, &images.ring, &rules);
        let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
        let ofar = Ofar::new(&switch, &escape).unwrap();
        let port = *ports_asked(&ofar, header, &EMPTY).first().unwrap();
        let mut seen = EMPTY;
        seen.free[usize::from(port)] = false;
        seen.room[usize::from(port)] = 4 - used;
        assert_eq!(!ports_asked(&ofar, header, &seen).is_empty(), may, "{least}, {used}");
    }
}

#[test]
fn who_may_enter_any_number_of_times_never_has_to_stay() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    let rules = OfarRules { most_entries: 0, ..OfarRules::default() };
    let network = with_rules(&images, &images.ring, &rules);
    let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
    let ofar = Ofar::new(&switch, &escape).unwrap();
    for (flags, to) in states().into_iter().flat_map(|f| (0..36).map(move |to| (f, to))) {
        if !flags.escape || to == 5 {
            continue;
        }
        let header = Flags { entries: 15, ..flags }.header(SwitchId(to), 0);
        let Ask::Send { header, .. } = ofar.ask(header, &EMPTY, &mut rng()).unwrap() else {
            panic!("{flags:?} waits")
        };
        assert!(!Flags::read(header, ofar.rule().canonical()).unwrap().escape, "{flags:?}");
    }
}

#[test]
fn who_has_entered_too_often_stays_on_the_escape_network() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    let rules = OfarRules { most_entries: 4, ..OfarRules::default() };
    for network in [&images.ring, &images.tree] {
        let network = with_rules(&images, network, &rules);
        let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
        let ofar = Ofar::new(&switch, &escape).unwrap();
        for (flags, to) in states().into_iter().flat_map(|f| (0..36).map(move |to| (f, to))) {
            if !flags.escape || to == 5 {
                continue;
            }
            let flags = Flags { entries: 4, ..flags };
            let header = flags.header(SwitchId(to), 0);
            let Ask::Send { header, .. } = ofar.ask(header, &EMPTY, &mut rng()).unwrap() else {
                panic!("{flags:?} waits")
            };
            let after = Flags::read(header, ofar.rule().canonical()).unwrap();
            assert!(after.escape && after.entries == 4);
            let is_ring = escape.kind() == EscapeKind::Ring;
            assert_eq!(after.backward, flags.backward && is_ring);
        }
    }
}

#[test]
fn nodes_are_throttled_where_the_escape_network_is_full() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    for network in [&images.ring, &images.tree] {
        for (percent, room, may) in [(100, 0, true), (50, 2, true), (49, 2, false), (0, 4, true)] {
            let rules = OfarRules { throttle_percent: percent, ..OfarRules::default() };
            let network = with_rules(&images, network, &rules);
            let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
            let ofar = Ofar::new(&switch, &escape).unwrap();
            assert_eq!(ofar.may_inject(&Seen { escape_room: room, ..EMPTY }), may, "{percent}");
        }
    }
}

#[test]
fn fewer_links_are_open_where_a_set_says_so() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    let rules = OfarRules { by_set: true, ..OfarRules::default() };
    let network = with_rules(&images, &images.ring, &rules);
    let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
    let ofar = Ofar::new(&switch, &escape).unwrap();
    let (df, set) = (switch.image().fabric().dragonfly(), switch.image().set(Decision::UgalL));
    for to in df.switches().filter(|to| df.place(*to).0 != GroupId(1)) {
        let mut begins = BTreeSet::new();
        switch.for_each_route(Decision::UgalL, to, |route, shape| {
            if shape.head() == 0 {
                begins.insert(df.slot_port(df.split_port(route.x).1));
            }
        });
        for port in ofar.tables.global.iter() {
            let leads_there = switch.neighbour(port).unwrap().0 == df.place(to).0;
            // The image's set keeps all routes of its shapes.
            assert_eq!(
                ofar.rule().may_begin(port, &Place::of(df, to)),
                leads_there || begins.contains(&port),
                "{port} to {to} with {:?}",
                set.rule().shapes()
            );
        }
    }
}

/// The hops from one switch to another by at most one link between groups, from where ports lead.
fn shortest(fabric: &FabricImage<'_>, from: SwitchId, to: SwitchId) -> u32 {
    let df = fabric.dragonfly();
    let next = |from: SwitchId, is_global: bool| -> Vec<SwitchId> {
        let ports = (0..u16::try_from(df.radix()).unwrap()).map(Port);
        let of_kind = ports.filter(|&port| df.is_slot(port) == is_global);
        of_kind.filter_map(|port| Some(fabric.far_end(from, port)?.0)).collect()
    };
    let walk = |steps: &[bool]| {
        let mut reached = std::vec![from];
        for &is_global in steps {
            reached = reached.into_iter().flat_map(|at| next(at, is_global)).collect();
        }
        reached.contains(&to)
    };
    let (local, global) = (false, true);
    let walks: [&[bool]; 6] =
        [&[], &[local], &[global], &[local, global], &[global, local], &[local, global, local]];
    let found = walks.iter().filter(|steps| walk(steps)).map(|steps| steps.len());
    u32::try_from(found.min().unwrap()).unwrap()
}

/// Of all that may be asked for instead of a minimal output that is full, those are that weigh least, whatever
/// the rooms are.
#[test]
fn by_length_the_least_share_times_hops_is_taken() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    let local_percent = LocalPercent { source: 100, middle: 80, destination: 60 };
    let rules = OfarRules { by_length: true, local_percent, ..OfarRules::default() };
    let network = with_rules(&images, &images.ring, &rules);
    let escape = EscapeImage::decode(&network, switch.image().fabric()).unwrap();
    let ofar = Ofar::new(&switch, &escape).unwrap();
    let (df, fabric, own) =
        (switch.image().fabric().dragonfly(), switch.image().fabric(), switch.image().switch());
    let behind = |port: usize| {
        let (group, index) = switch.neighbour(Port(u16::try_from(port).unwrap())).unwrap();
        df.switch(group, index)
    };
    let states = states();
    let mut random = rng();
    let mut misroutes = 0;
    for round in 0..12_000 {
        let room: [u16; 7] =
            core::array::from_fn(|_| u16::try_from(below(&mut random, 5)).unwrap());
        let flags = states[below(&mut random, u32::try_from(states.len()).unwrap()) as usize];
        let to = SwitchId(u16::try_from(below(&mut random, 36)).unwrap());
        if to == own || flags.escape || flags.go_global {
            continue;
        }
        let (to_place, here) = (Place::of(df, to), df.place(own).0);
        let rest = shortest(fabric, own, to);
        assert_eq!(u32::from(ofar.rule().rest(ofar.rule().here(), &to_place)), rest);
        // One link joins any two groups, so one output begins the shortest way.
        let minimal = (2..7).find(|&port| 1 + shortest(fabric, behind(port), to) == rest).unwrap();
        if room[minimal] > 0 {
            continue;
        }
        let is_last = to_place.group == here;
        let leaves = flags.came == Came::Local && !flags.left && !is_last;
        let (ports, percent): (Vec<usize>, u32) = match flags.came {
            Came::Node if !is_last => ((5..7).collect(), 90),
            _ if leaves && !flags.local => ((2..5).collect(), 100),
            _ if !flags.left && !is_last => continue,
            _ if flags.local || minimal >= 5 => continue,
            _ => ((2..5).collect(), if is_last { 60 } else { 80 }),
        };
        let weight = |port: usize| {
            let hops = if leaves { 5 } else { 1 + shortest(fabric, behind(port), to) };
            u32::from(4 - room[port]) * hops
        };
        let limit = 4 * rest * percent;
        let may =
            |port: &usize| room[*port] > 0 && *port != minimal && 100 * weight(*port) <= limit;
        let least = ports.iter().copied().filter(may).map(weight).min();
        let is_wanted = |port: &usize| may(port) && Some(weight(*port)) == least;
        let wanted = ports.iter().copied().filter(is_wanted);
        let wanted: BTreeSet<u16> = wanted.map(|port| u16::try_from(port).unwrap()).collect();
        if wanted.is_empty() {
            continue;
        }
        misroutes += 1;
        let header = flags.header(to, 0);
        let seen = Seen { room, ..EMPTY };
        assert_eq!(ports_asked(&ofar, header, &seen), wanted, "round {round}: {flags:?} to {to}");
    }
    assert!(misroutes > 300, "{misroutes}");
}

#[test]
fn headers_that_no_switch_writes_are_refused_by_name() {
    let images = images();
    let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
    let escape = EscapeImage::decode(&images.ring, switch.image().fabric()).unwrap();
    let ofar = Ofar::new(&switch, &escape).unwrap();
    let refused = |bits: u64| {
        let error = ofar.ask(Header::from_bits(bits), &EMPTY, &mut rng()).unwrap_err();
        std::format!("{error}")
    };
    let to = 20_u64 << 48;
    let expected = [
        (
            to,
            "header 0x0014000000000000: its kind (the two lowest bits) is 0, accepted 3 (decides at every hop)",
        ),
        (to | 3 << 5 | 3, "header 0x0014000000000063: it tells of bits that no switch sets"),
        (to | 1 << 8 | 3, "header 0x0014000000000103: it tells of bits that no switch sets"),
        (
            to | 1 << 30 | 3,
            "header 0x0014000040000003: it tells of a packet from a node that has already moved",
        ),
        (
            to | 1 << 33 | 1 << 5 | 3,
            "header 0x0014000200000023: it tells of a misroute that is not there to be ended",
        ),
        (
            to | 1 << 31 | 1 << 5 | 3,
            "header 0x0014000080000023: it tells of a misroute of another group than this one",
        ),
        (
            to | 2 << 5 | 3,
            "header 0x0014000000000043: it tells of a packet that came to this group just now and was here before",
        ),
        (
            to | 1 << 35 | 1 << 5 | 3,
            "header 0x0014000800000023: it tells of an escape network that it has not entered",
        ),
        (
            to | 7 << 2 | 1 << 5 | 3,
            "header 0x001400000000003f: it tells of a virtual channel that it cannot have come by",
        ),
        (36 << 48 | 3, "header 0x0024000000000003: its destination is 36, accepted 0 to 35"),
        (to | 2 << 40 | 3, "header 0x0014020000000003: its terminal is 2, accepted 0 to 1"),
    ];
    for (bits, text) in expected {
        assert_eq!(refused(bits), text);
    }
    assert!(switch.forward(ofar.launch(NodeId(70)).unwrap()).is_err(), "no route was decided");
    assert!(ofar.launch(NodeId(72)).is_err());
}

proptest! {
    #[test]
    fn any_header_is_answered(bits: u64, seen: [u8; 7], kind in 0_u64..8) {
        let images = images();
        let switch = Switch::boot(&images.fabric, &images.switch).unwrap();
        let escape = EscapeImage::decode(&images.ring, switch.image().fabric()).unwrap();
        let ofar = Ofar::new(&switch, &escape).unwrap();
        let seen = Seen {
            room: seen.map(|byte| u16::from(byte & 3)),
            free: seen.map(|byte| byte & 4 > 0),
            escape_room: u16::from(seen[0] >> 3 & 3),
            granted: PortSet::EMPTY,
        };
        // Most headers are of this kind, and of a switch that is there.
        let bits = if kind > 0 { bits & 0x001f_01ff_c000_007f | 3 } else { bits };
        if let Ok(Ask::Send { port, header, .. }) =
            ofar.ask(Header::from_bits(bits), &seen, &mut rng())
        {
            // What it sends on makes sense to the next switch.
            prop_assert!(switch.neighbour(port).is_some());
            prop_assert!(Flags::read(header, ofar.rule().canonical()).is_ok());
        }
    }
}
