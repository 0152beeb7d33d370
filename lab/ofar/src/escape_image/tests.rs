//! Escape images of a fabric of six switches, right and wrong.

#![expect(clippy::unwrap_used, reason = "a test may end in a panic")]

use super::*;
use crate::escape_network::bytes_of;
use crate::{EscapeNetwork, encode_escape_image};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proptest::prelude::*;
use tvlb_schema::extension::image_of;
use tvlb_schema::{End, GlobalPort, GroupId, encode_fabric_image};

/// Three groups of two switches, one cable between any two: ports 0 lead to nodes, 1 to the other switch, 2 to
/// another group.
fn fabric() -> Vec<u8> {
    let df = Dragonfly::new(1, 2, 1, 3).unwrap();
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
    encode_fabric_image(&df, &cables)
}

/// A switch of a ring with its port, and one of a tree.
type Hop = (SwitchId, Port);
type Hung = (SwitchId, Option<Port>, u32);

fn ring() -> EscapeNetwork {
    let hops = [(0, 2), (2, 1), (3, 2), (5, 1), (4, 2), (1, 1)];
    EscapeNetwork::Ring(hops.map(|(switch, port)| (SwitchId(switch), Port(port))).into())
}

fn tree() -> EscapeNetwork {
    let hangs = [
        (0, None, 5),
        (1, Some(1), 2),
        (4, Some(2), 1),
        (5, Some(1), 0),
        (2, Some(2), 1),
        (3, Some(1), 0),
    ];
    let one =
        |(switch, up, below): (u16, Option<u16>, u32)| (SwitchId(switch), up.map(Port), below);
    EscapeNetwork::Tree(hangs.map(one).into())
}

/// Follows the network from a switch to another: the switches on the way.
fn way(fabric: &FabricImage<'_>, image: &EscapeImage<'_>, from: u16, to: u16) -> Vec<u16> {
    let to = image.place(SwitchId(to));
    let mut at = SwitchId(from);
    let is_onward = image.is_onward(image.place(at), to);
    let mut way = alloc::vec![from];
    while image.place(at) != to {
        let place = image.place(at);
        let port = match image.kind() {
            EscapeKind::Tree => image.tree_port(place, to),
            EscapeKind::Ring if is_onward => image.ring_ports(place).0,
            EscapeKind::Ring => image.ring_ports(place).1,
        };
        assert!(image.ports(place).any(|own| own == port));
        at = fabric.far_end(at, port).expect("a link").0;
        way.push(at.0);
        assert!(way.len() < 7, "{way:?}");
    }
    way
}

#[test]
fn a_network_leads_from_any_switch_to_any_other() {
    let bytes = fabric();
    let fabric = FabricImage::decode(&bytes).unwrap();
    for network in [ring(), tree()] {
        let rules =
            OfarRules { bubble: 3, strict: true, least_percent: 40, ..OfarRules::default() };
        let bytes = encode_escape_image(&fabric, &network, &rules).unwrap();
        let image = EscapeImage::decode(&bytes, &fabric).unwrap();
        assert_eq!((*image.rules(), image.kind()), (rules, network.kind()));
        assert_eq!(EscapeNetwork::of(&image), network);
        for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))) {
            let way = way(&fabric, &image, from, to);
            assert!(image.kind() == EscapeKind::Tree || way.len() <= 4, "half of the ring");
        }
    }
    let bytes = encode_escape_image(&fabric, &ring(), &OfarRules::default()).unwrap();
    let image = EscapeImage::decode(&bytes, &fabric).unwrap();
    assert_eq!(way(&fabric, &image, 0, 5), [0, 2, 3, 5], "of two ways of three hops, onward");
    assert_eq!(way(&fabric, &image, 0, 4), [0, 1, 4]);
    let bytes = encode_escape_image(&fabric, &tree(), &OfarRules::default()).unwrap();
    let image = EscapeImage::decode(&bytes, &fabric).unwrap();
    assert_eq!(way(&fabric, &image, 5, 3), [5, 4, 1, 0, 2, 3]);
    let ports: Vec<Port> = image.ports(0).collect();
    assert_eq!(ports, [Port(1), Port(2)], "the root has two below it");
}

#[test]
fn what_is_no_network_is_refused() {
    let bytes = fabric();
    let fabric = FabricImage::decode(&bytes).unwrap();
    let refused = |network: EscapeNetwork, rules: OfarRules| -> String {
        let bytes = bytes_of(&fabric, &network, &rules);
        let error = EscapeImage::decode(&bytes, &fabric).unwrap_err();
        assert_eq!(encode_escape_image(&fabric, &network, &rules).unwrap_err(), error);
        error.to_string()
    };
    let rules = OfarRules::default();
    let changed = |change: &dyn Fn(&mut Vec<Hop>)| {
        let EscapeNetwork::Ring(mut hops) = ring() else { unreachable!("it is a ring") };
        change(&mut hops);
        refused(EscapeNetwork::Ring(hops), rules)
    };
    let hung = |change: &dyn Fn(&mut Vec<Hung>)| {
        let EscapeNetwork::Tree(mut hangs) = tree() else { unreachable!("it is a tree") };
        change(&mut hangs);
        refused(EscapeNetwork::Tree(hangs), rules)
    };
    let texts = [
        // One switch points the wrong way; a switch twice and another never; a switch that is not there.
        changed(&|hops| hops[2].1 = Port(1)),
        changed(&|hops| hops[5] = hops[1]),
        changed(&|hops| hops[3].0 = SwitchId(7)),
        changed(&|hops| hops.swap(1, 2)),
        changed(&|hops| hops.truncate(5)),
        // A cycle of two, two roots, a subtree that reaches beyond that above it, a place without a size.
        hung(&|hangs| hangs[1].1 = Some(Port(2))),
        hung(&|hangs| hangs[0].2 = 3),
        hung(&|hangs| hangs[2].2 = 2),
        hung(&|hangs| hangs[1].2 = 4),
        hung(&|hangs| hangs[0].1 = Some(Port(1))),
        refused(ring(), OfarRules { local_channels: 0, ..rules }),
        refused(ring(), OfarRules { global_channels: 8, ..rules }),
        refused(ring(), OfarRules { most_entries: 16, ..rules }),
        refused(ring(), OfarRules { least_percent: 101, ..rules }),
    ];
    let expected = [
        "port of the ring at byte 43: found 1, accepted a port that leads to the next switch of it",
        "switch by place at byte 37: found 2, accepted a switch of the fabric that has this place",
        "switch by place at byte 38: found 7, accepted a switch of the fabric that has this place",
        "port of the ring at byte 43: found 2, accepted a port that leads to the next switch of it",
        "padding of switches by place at byte 40: found a bit that is set, accepted zeros",
        "port of the tree at byte 43: found 2, accepted a port that leads to the switch above, or from there",
        "size of a subtree at byte 53: found 3, accepted one that ends where that of a switch above it ends, or before",
        "size of a subtree at byte 53: found 2, accepted one that ends where that of a switch above it ends, or before",
        "port of the tree at byte 44: found 2, accepted a port that leads to the switch above, or from there",
        "port of the tree at byte 43: found 1, accepted a port that leads to the switch above, or from there",
        "canonical virtual channels at byte 21: found 0, accepted 1 to 7",
        "canonical virtual channels at byte 22: found 8, accepted 1 to 7",
        "most entries at byte 30: found 16, accepted 0 to 15",
        "least percentage in use at byte 31: found 101, accepted 1 to 100",
    ];
    assert_eq!(texts, expected);
}

proptest! {
    #[test]
    fn any_bytes_are_taken_or_refused(
        network in prop_oneof![Just(ring()), Just(tree())],
        least_percent in prop_oneof![Just(0_u8), Just(7)],
        changes in proptest::collection::vec((20_usize..60, 0_u8..8), 1..4),
    ) {
        let bytes = fabric();
        let fabric = FabricImage::decode(&bytes).unwrap();
        let rules = OfarRules { least_percent, ..OfarRules::default() };
        let whole = bytes_of(&fabric, &network, &rules);
        let mut payload = whole[20..whole.len() - 4].to_vec();
        for (at, bit) in changes {
            if let Some(byte) = payload.get_mut(at - 20) {
                *byte ^= 1 << bit;
            }
        }
        let bytes = image_of(ImageKind::Escape, &fabric, &payload);
        if let Ok(image) = EscapeImage::decode(&bytes, &fabric) {
            for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))) {
                way(&fabric, &image, from, to);
            }
        }
    }
}
