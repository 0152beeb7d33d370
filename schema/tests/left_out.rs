//! What a build leaves out it refuses by name; what it reads does not depend on what it leaves out. Run with
//! the feature `any-fabric` and without.

// Images are written here, which a package by itself cannot.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a test may end in a panic")]

use tvlb_schema::{
    Dragonfly, End, FabricImage, FaultSet, FewerLinks, GlobalPort, GroupId, GroupKind, LegHops,
    MinCandidate, PerDecision, SetContents, SetRule, SwitchContents, SwitchId, SwitchImage,
    SwitchIndex, VcScheme, Weighing, encode_fabric_image, encode_fabric_image_with,
    encode_fault_image, encode_switch_image,
};

/// dfly(1, 3, 1, 4), each group's switch n to the n-th of the other groups.
fn cables() -> Vec<(End, End)> {
    let end = |group: u16, other: u16| {
        let port = if other < group { other } else { other - 1 };
        End { group: GroupId(group), port: GlobalPort(port) }
    };
    (0..4).flat_map(|low| (low + 1..4).map(move |high| (end(low, high), end(high, low)))).collect()
}

/// The image is read if the build reads any fabric, and then says in these words why it is not plain; else it is refused
/// by the same words.
fn assert_read(decoded: Result<Option<&'static str>, tvlb_schema::ImageError>, words: &str) {
    let reads_any = cfg!(feature = "any-fabric");
    match decoded {
        Ok(not_plain) => assert_eq!((reads_any, not_plain), (true, Some(words))),
        Err(error) => {
            assert!(!reads_any && error.is_left_out(), "{words}: {error}");
            let text = error.to_string();
            assert!(text.contains(&format!("{words} at byte ")), "{error}");
            assert!(text.contains("built without the feature `any-fabric`"), "{error}");
        }
    }
}

#[test]
fn fabrics_that_are_plain_are_always_read() {
    let df = Dragonfly::new(1, 3, 1, 4).unwrap();
    let bytes = encode_fabric_image(&df, &cables());
    let fabric = FabricImage::decode(&bytes).unwrap();
    assert!(
        fabric.is_regular() && fabric.group_links().is_single() && fabric.dragonfly().is_even()
    );
    let golden = include_bytes!("../golden/v3/fabric.tvlb");
    assert!(FabricImage::decode(golden).is_ok_and(|fabric| fabric.not_plain().is_none()));
    assert_eq!(fabric.not_plain(), None);
}

#[test]
fn groups_of_several_kinds() {
    let golden = include_bytes!("../golden/v3-kinds/fabric.tvlb");
    let read = FabricImage::decode(golden).map(|fabric| fabric.not_plain());
    assert_read(read, "groups of several kinds");
}

#[test]
fn uneven_wirings() {
    let df = Dragonfly::new(1, 3, 1, 4).unwrap();
    let bytes = encode_fabric_image(&df, &cables()[1..]);
    let read = FabricImage::decode(&bytes).map(|fabric| fabric.not_plain());
    assert_read(read, "groups joined by different numbers of links, or unused ports");
}

#[test]
fn local_links() {
    let kind = GroupKind::new(1, 3, 1, 4);
    let double = Dragonfly::of_kinds(&[kind.with_local_links(2)]).unwrap();
    let read = FabricImage::decode(&encode_fabric_image(&double, &cables()))
        .map(|fabric| fabric.not_plain());
    assert_read(read, "switches of a group that several links join, or none");
    let fewer = [FewerLinks { low: SwitchId(3), high: SwitchIndex(2), links: 0 }];
    let df = Dragonfly::new(1, 3, 1, 4).unwrap();
    let read = FabricImage::decode(&encode_fabric_image_with(&df, &cables(), &fewer))
        .map(|fabric| fabric.not_plain());
    assert_read(read, "switches of a group that several links join, or none");
}

#[test]
fn sets_of_intermediate_switches() {
    let df = Dragonfly::new(1, 3, 1, 4).unwrap();
    let fabric = encode_fabric_image(&df, &cables());
    let fabric = FabricImage::decode(&fabric).unwrap();
    let rule = SetRule::by_switch(LegHops::within(2, 3).unwrap(), true);
    let contents = SwitchContents {
        switch: SwitchId(4),
        virtual_channels: VcScheme::Ordered,
        decisions: PerDecision::same((0, Weighing::default())),
        second_min: MinCandidate::Kept,
        sets: vec![SetContents { rule, levels: Vec::new(), shapes_to: Vec::new() }],
        physical_numbers: Vec::new(),
    };
    let bytes = encode_switch_image(&fabric, &contents);
    let read = SwitchImage::decode(&bytes, &fabric).map(|switch| switch.not_plain());
    assert_read(read, "a set of intermediate switches");
}

#[test]
fn port_maps() {
    let fabric = FabricImage::decode(include_bytes!("../golden/v3/fabric.tvlb")).unwrap();
    let golden = include_bytes!("../golden/v3/switch-00005-ports.tvlb");
    let read = SwitchImage::decode(golden, &fabric).map(|switch| switch.not_plain());
    assert_read(read, "a port map");
}

#[test]
fn faults() {
    let df = Dragonfly::new(1, 3, 1, 4).unwrap();
    let fabric = encode_fabric_image(&df, &cables());
    let mut fabric = FabricImage::decode(&fabric).unwrap();
    let none = encode_fault_image(&fabric, 3, &FaultSet::default());
    fabric.install_faults(&none).unwrap();
    assert!(fabric.is_faultless() && fabric.group_links().is_single() && fabric.epoch() == 3);
    let faults = FaultSet { switches: [SwitchId(4)].into(), ..FaultSet::default() };
    let dead = encode_fault_image(&fabric, 4, &faults);
    let installed = fabric.install_faults(&dead).map(|()| fabric.not_plain());
    assert_read(installed, "dead cables, links or switches");
}
