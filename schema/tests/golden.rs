//! The golden images say what they have always said.

#![allow(clippy::unwrap_used, reason = "a test may end in a panic")]

use tvlb_schema::{
    Decision, End, FabricImage, GlobalPort, GroupId, LocalLink, Onward, Port, Queue, RouteKey,
    SetView, Shape, SwitchId, SwitchImage, SwitchIndex,
};

const FABRIC: &[u8] = include_bytes!("../golden/v3/fabric.tvlb");
const SWITCH: &[u8] = include_bytes!("../golden/v3/switch-00005.tvlb");
const FAULTS: &[u8] = include_bytes!("../golden/v3/faults.tvlb");
const PORTS: &[u8] = include_bytes!("../golden/v3/switch-00005-ports.tvlb");
const THINNED: &[u8] = include_bytes!("../golden/v3/switch-00005-thinned.tvlb");
const ONWARD: &[u8] = include_bytes!("../golden/v3/switch-00005-onward.tvlb");
/// By version, the two images of the same fabric.
const REFUSED: [(u16, [&[u8]; 2]); 2] = [
    (1, [include_bytes!("../golden/fabric.tvlb"), include_bytes!("../golden/switch-00005.tvlb")]),
    (
        2,
        [
            include_bytes!("../golden/v2/fabric.tvlb"),
            include_bytes!("../golden/v2/switch-00005.tvlb"),
        ],
    ),
];

#[test]
fn the_fabric_image() {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    let df = fabric.dragonfly();
    assert_eq!((df.p(), df.a(), df.h(), df.g()), (2, 4, 2, 9));
    assert_eq!((fabric.cable_count(), fabric.most_links()), (36, 1));
    // The first cable that `absolute` lays, from group 0, switch 0 to group 1, switch 0.
    assert_eq!(fabric.link(GroupId(0), GroupId(1), 0), Some((GlobalPort(0), GlobalPort(0))));
    assert_eq!(fabric.link(GroupId(1), GroupId(0), 0), Some((GlobalPort(0), GlobalPort(0))));
    assert_eq!(fabric.link(GroupId(1), GroupId(0), 1), None);
    assert_eq!(fabric.link(GroupId(3), GroupId(3), 0), None);
    assert_eq!(fabric.link(GroupId(3), GroupId(9), 0), None);
    for group in df.groups() {
        for port in df.global_ports() {
            let end = End { group, port };
            assert_eq!(fabric.peer(fabric.peer(end).unwrap()), Some(end));
        }
    }
    assert_eq!(fabric.peer(End { group: GroupId(0), port: GlobalPort(8) }), None);
}

#[test]
fn the_switch_image() {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    let switch = SwitchImage::decode(SWITCH, &fabric).unwrap();
    assert_eq!(
        (switch.switch(), switch.group(), switch.index()),
        (SwitchId(5), GroupId(1), SwitchIndex(1))
    );
    assert_eq!(switch.set_count(), 1);
    let set = switch.set(Decision::ParSecond);
    assert_eq!(set.rule().seed, 1);
    assert_eq!(set.rule().shapes().len(), 10);
    let present =
        (0..36).filter(|&to| set.shapes_to(SwitchId(to)).contains(Shape::new(0, 0, 0).unwrap()));
    assert_eq!(present.count(), 2);
}

#[test]
fn the_switch_image_with_a_port_map() {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    let numbers = |image: &[u8]| {
        let image = SwitchImage::decode(image, &fabric).unwrap();
        let by_port = (0..9).map(|port| image.physical_number(Port(port))).collect::<Vec<_>>();
        assert!(
            image.physical_numbers().eq(by_port.iter().copied().take(7)) || by_port == [None; 9]
        );
        by_port
    };
    let known = [12, 0, 254, 7, 8].map(Some);
    assert_eq!(numbers(PORTS), [known.as_slice(), &[None; 4]].concat());
    assert_eq!(numbers(SWITCH), [None; 9]);
}

#[test]
fn the_switch_image_of_a_thinned_set() {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    let plain = SwitchImage::decode(SWITCH, &fabric).unwrap();
    let thinned = SwitchImage::decode(THINNED, &fabric).unwrap();
    let (plain, thinned) = (plain.set(Decision::UgalL), thinned.set(Decision::UgalL));
    assert_eq!((plain.is_thinned(), thinned.is_thinned()), (false, true));
    let levels = |set: &SetView<'_>| {
        fabric.dragonfly().global_ports().map(|x| set.level(x).number()).collect::<Vec<_>>()
    };
    assert_eq!(levels(plain), [15; 8]);
    assert_eq!(levels(thinned), [3, 15, 8, 4, 15, 3, 15, 8]);
    let shape = Shape::new(0, 0, 0).unwrap();
    assert!(plain.keeps_all(shape) && !thinned.keeps_all(shape));
    let kept = |set: &SetView<'_>, x: u64| {
        (0..1600).filter(|&y| set.keeps(shape, RouteKey(5 << 48 | x << 20 | y << 8))).count()
    };
    assert_eq!((0..8).map(|x| kept(plain, x)).collect::<Vec<_>>(), [1600; 8]);
    assert_eq!(
        (0..8).map(|x| kept(thinned, x)).collect::<Vec<_>>(),
        [388, 1600, 877, 493, 1600, 386, 1600, 852]
    );
}

#[test]
fn the_switch_image_that_looks_onward() {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    let plain = SwitchImage::decode(SWITCH, &fabric).unwrap();
    let onward = SwitchImage::decode(ONWARD, &fabric).unwrap();
    for decision in Decision::ALL {
        let expected = *plain.weighing(decision);
        assert_eq!((expected.queue, expected.onward), (Queue::Port, Onward::Drawn));
        let found = *onward.weighing(decision);
        assert_eq!((found.queue, found.onward), (Queue::Channel, Onward::Cheapest));
        assert_eq!(found.threshold, expected.threshold);
        assert_eq!(onward.set(decision).rule(), plain.set(decision).rule());
    }
}

#[test]
fn the_images_of_two_kinds_of_groups() {
    let fabric = FabricImage::decode(include_bytes!("../golden/v3-kinds/fabric.tvlb")).unwrap();
    let df = fabric.dragonfly();
    let kinds: Vec<_> = df.kinds().map(|kind| (kind.p, kind.a, kind.h, kind.g)).collect();
    assert_eq!(kinds, [(2, 3, 2, 2), (1, 2, 2, 1), (2, 3, 2, 2)]);
    assert_eq!((df.switch_count(), df.switch_numbers(), df.node_count()), (14, 15, 26));
    // Group 2 has no switch of index 2, and so no such port.
    let end = End { group: GroupId(2), port: GlobalPort(4) };
    assert_eq!(fabric.peer(end), None);
    let large: &[u8] = include_bytes!("../golden/v3-kinds/switch-00004.tvlb");
    let small: &[u8] = include_bytes!("../golden/v3-kinds/switch-00007.tvlb");
    for (image, number, group, switches) in [(large, 4, 1, 3), (small, 7, 2, 2)] {
        let switch = SwitchImage::decode(image, &fabric).unwrap();
        assert_eq!((switch.switch(), switch.group()), (SwitchId(number), GroupId(group)));
        assert_eq!(switch.switches_of_group(), switches);
        // Routes lead to the first group.
        let set = switch.set(Decision::UgalL);
        let shapes = |to| set.shapes_to(SwitchId(to)).iter().count();
        assert!((0..3).any(|to| shapes(to) > 0), "{group}");
    }
}

#[test]
fn older_versions_are_refused() {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    for (version, [old_fabric, old_switch]) in REFUSED {
        let said = [
            FabricImage::decode(old_fabric).unwrap_err(),
            SwitchImage::decode(old_switch, &fabric).unwrap_err(),
        ];
        for error in said {
            assert_eq!(
                error.to_string(),
                format!(
                    "format version at byte 6: found {version}, accepted 3; `tvlb generate` of this version makes the images again"
                )
            );
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let fabric = FabricImage::decode(FABRIC).unwrap();
    let refused = |bytes: &[u8]| FabricImage::decode(bytes).unwrap_err().to_string();
    let changed = |at: usize, value: u8| {
        let mut bytes = FABRIC.to_vec();
        bytes[at] = value;
        refused(&bytes)
    };
    let said = [
        refused(b"TV"),
        refused(b"TVLBF"),
        changed(0, b'X'),
        refused(SWITCH),
        changed(6, 4),
        refused(&FABRIC[..FABRIC.len() - 1]),
        changed(31, 0),
        SwitchImage::decode(FABRIC, &fabric).unwrap_err().to_string(),
    ];
    assert_eq!(
        said,
        [
            "label at byte 0: found 2 bytes, but it needs 4; the image is truncated",
            "header at byte 0: found 5 bytes, but it needs 20; the image is truncated",
            "label at byte 0: found [58, 56, 4c, 42], accepted [54, 56, 4c, 42] (\"TVLB\"); this is not a tvlb image",
            "kind at byte 4: found 0x53, but a fabric image ('F') is needed here",
            "format version at byte 6: found 4, accepted 3; `tvlb generate` of this version makes the images again",
            "length at byte 16: the image says 102 bytes, but there are 101; it is truncated or has something appended",
            "checksum at byte 98: found 8efd8e69, but the bytes before it give 6740228c; the image is damaged",
            "kind at byte 4: found 0x46, but a switch image ('S') is needed here",
        ]
    );
    assert_eq!(FabricImage::decode(&[]).unwrap_err().offset(), 0);
}

#[test]
fn the_fault_image() {
    let mut fabric = FabricImage::decode(FABRIC).unwrap();
    let cables = |fabric: &FabricImage<'_>| -> usize {
        let ends = fabric.dragonfly().groups().flat_map(|group| {
            fabric.dragonfly().global_ports().map(move |port| End { group, port })
        });
        ends.filter(|&end| fabric.has_live_cable(end)).count()
    };
    assert_eq!((cables(&fabric), fabric.epoch(), fabric.is_faultless()), (72, 0, true));
    fabric.install_faults(FAULTS).unwrap();
    assert_eq!(FAULTS.len(), 41);
    assert_eq!((fabric.epoch(), fabric.is_faultless()), (7, false));
    assert_eq!(fabric.dead_switches().collect::<Vec<_>>(), [SwitchId(31)]);
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    let dead: Vec<End> = fabric.dead_cables().collect();
    assert_eq!((dead.len(), dead[0]), (2, end(0, 1)));
    assert_eq!(fabric.peer(dead[1]), Some(end(8, 0)));
    let link = LocalLink { low: SwitchId(13), high: SwitchIndex(2), number: 0 };
    assert_eq!(fabric.dead_local_links().collect::<Vec<_>>(), [link]);
    // Two cables, and the two of the dead switch.
    assert_eq!(cables(&fabric), 72 - 2 * 4);
    let links = |group, one, other| {
        fabric.local_links(GroupId(group), SwitchIndex(one), SwitchIndex(other))
    };
    assert_eq!([links(3, 1, 2), links(3, 2, 1), links(3, 1, 3)], [0, 0, 1]);
    assert_eq!([links(7, 3, 0), links(7, 2, 3), links(7, 2, 1)], [0, 0, 1]);
    assert_eq!(fabric.relay_count(GroupId(3), SwitchIndex(1), SwitchIndex(2)), 2);
    assert!(!fabric.lives(SwitchId(31)) && fabric.lives(SwitchId(30)));
}
