//! The golden images are what `generate` writes today, and the golden fault and escape images what their encoders
//! do. `UPDATE_GOLDEN=1 cargo test -p tvlb-tests --test all golden` writes the latter, after a change of the format
//! that is meant.

use tvlb_lab::escape::{Ring, Tree};
use tvlb_ofar::{LocalPercent, OfarRules, encode_escape_image};
use tvlb_schema::{
    End, FabricImage, FaultSet, GlobalPort, GroupId, LocalLink, Onward, PerDecision, Queue,
    SwitchId, SwitchIndex, encode_fault_image,
};
use tvlb_table_set::OpenWeighing;
use tvlb_table_set::names::Names;
use tvlb_tests::{images, shipped};

#[test]
fn golden_images_are_generated_to_the_byte() {
    let generated = images(&shipped("dfly-2-4-2-9.toml"));
    let fabric = include_bytes!("../../schema/golden/v3/fabric.tvlb");
    let switch = include_bytes!("../../schema/golden/v3/switch-00005.tvlb");
    assert_eq!(generated.images.fabric, fabric);
    assert_eq!(generated.images.switches[5], switch);
}

#[test]
fn the_golden_image_with_a_port_map_is_generated_to_the_byte() {
    let mut fabric = shipped("dfly-2-4-2-9.toml");
    // The last port has no row, and the one before it no number.
    let list = "group,switch,port,name,physical\n\
                1,1,node 0,a,12\n1,1,node 1,b,0\n1,1,local 0 0,c,254\n1,1,local 2 0,d,7\n\
                1,1,local 3 0,e,8\n1,1,global 0,f,\n1,0,global 0,g,12\n";
    fabric.names = Names::read(fabric.topology.dragonfly(), list).unwrap();
    let generated = images(&fabric);
    let bytes = &generated.images.switches[5];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/golden/v3/switch-00005-ports.tvlb");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, bytes).unwrap();
    }
    assert_eq!(&std::fs::read(path).unwrap(), bytes);
    // But for the bit, the length, the map of seven ports and the checksum it is the image without one.
    let without = include_bytes!("../../schema/golden/v3/switch-00005.tvlb");
    let payload = 20..without.len() - 4;
    assert_eq!(bytes[payload.clone()], without[payload.clone()]);
    assert_eq!(bytes[payload.end..payload.end + 7], [12, 0, 254, 7, 8, 255, 255]);
    assert_eq!((bytes[5], bytes.len()), (1, without.len() + 7));
    // Switches without a number have no map.
    assert_eq!(generated.images.switches[6][5], 0);
}

#[test]
fn the_golden_image_of_a_switch_that_looks_onward_is_generated_to_the_byte() {
    let mut fabric = shipped("dfly-2-4-2-9.toml");
    let (queue, onward) = (Some(Queue::Channel), Some(Onward::Cheapest));
    let open = OpenWeighing { queue, onward, ..OpenWeighing::default() };
    fabric.file.policies.weighing = PerDecision::same(open);
    let generated = images(&fabric);
    let bytes = &generated.images.switches[5];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/golden/v3/switch-00005-onward.tvlb");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, bytes).unwrap();
    }
    assert_eq!(&std::fs::read(path).unwrap(), bytes);
    // But for two bits of each decision and the checksum it is the image of a switch that does not look.
    let without = include_bytes!("../../schema/golden/v3/switch-00005.tvlb");
    let end = without.len() - 4;
    let differ = |&at: &usize| bytes[at] != without[at];
    let places: Vec<usize> = (0..end).filter(differ).collect();
    assert_eq!((places.len(), bytes.len()), (3, without.len()));
    assert!(places.iter().all(|&at| bytes[at] == without[at] | 0xc0), "{places:?}");
}

#[test]
fn the_golden_fault_image_is_encoded_to_the_byte() {
    let fabric = FabricImage::decode(include_bytes!("../../schema/golden/v3/fabric.tvlb")).unwrap();
    let link = |low, high| LocalLink { low: SwitchId(low), high: SwitchIndex(high), number: 0 };
    let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
    // The last cable and the last link are of the dead switch, and so not in the image; the second is
    // named by its higher end.
    let faults = FaultSet {
        switches: [SwitchId(31)].into(),
        cables: [end(0, 1), end(8, 0), end(7, 6)].into(),
        local_links: [link(13, 2), link(28, 3)].into(),
        ..FaultSet::default()
    };
    let bytes = encode_fault_image(&fabric, 7, &faults);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/golden/v3/faults.tvlb");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &bytes).unwrap();
    }
    assert_eq!(std::fs::read(path).unwrap(), bytes);
}

#[test]
fn the_golden_escape_images_are_encoded_to_the_byte() {
    let fabric = FabricImage::decode(include_bytes!("../../schema/golden/v3/fabric.tvlb")).unwrap();
    let topology = shipped("dfly-2-4-2-9.toml").topology;
    let ring = Ring::of(&topology).unwrap().network();
    let tree = Tree::below(&topology, SwitchId(13)).unwrap().network(topology.dragonfly());
    let rules = OfarRules::default();
    let others = OfarRules {
        local_channels: 2,
        global_channels: 1,
        local_percent: LocalPercent { source: 80, middle: 75, destination: 70 },
        global_percent: 70,
        strict: true,
        bubble: 0,
        throttle_percent: 50,
        most_entries: 3,
        ..rules
    };
    for (name, network, rules) in
        [("escape-ring.tvlb", ring, rules), ("escape-tree.tvlb", tree, others)]
    {
        let bytes = encode_escape_image(&fabric, &network, &rules).unwrap();
        let path = format!("{}/../schema/golden/v3/{name}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &bytes).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
    }
}
