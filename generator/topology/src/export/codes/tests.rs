use super::*;
use crate::Topology;
use crate::arrangement::{Arrangement, arrange};
use crate::in_turn::lay_between;
use crate::routes::wirings;
use proptest::prelude::*;
use tvlb_schema::{Dragonfly, End, GroupKind};
use tvlb_table_set::names::Names;

struct Codes {
    intra: Vec<u8>,
    inter: Vec<u8>,
    conf: String,
}

fn written(topology: &Topology, names: &Names) -> Result<Codes, ExportError> {
    let files = codes(&Wiring::new(topology, names))?;
    assert_eq!(files.each_ref().map(|(name, _)| *name), [INTRA_FILE, INTER_FILE, CONF_FILE]);
    let [intra, inter, conf] = files.map(|(_, bytes)| bytes);
    Ok(Codes { intra, inter, conf: String::from_utf8(conf).unwrap() })
}

fn unnamed(topology: &Topology) -> Result<Codes, ExportError> {
    written(topology, &Names::default())
}

fn integers(bytes: &[u8]) -> Vec<i32> {
    assert!(bytes.len().is_multiple_of(4));
    bytes.chunks(4).map(|four| i32::from_le_bytes(four.try_into().unwrap())).collect()
}

/// A size that the configuration states.
fn stated(conf: &str, key: &str) -> i32 {
    let line = conf.lines().find_map(|line| line.trim().strip_prefix(&format!("{key}=\"")));
    line.unwrap().strip_suffix("\";").unwrap().parse().unwrap()
}

/// The links of every switch, as CODES puts them together from the files alone: source, destination.
fn read(codes: &Codes) -> Vec<(i32, i32)> {
    let (a, g) = (stated(&codes.conf, "num_routers"), stated(&codes.conf, "num_groups"));
    let mut links = Vec::new();
    for record in integers(&codes.intra).chunks(3) {
        let [source, destination, kind] = record.try_into().unwrap();
        assert_eq!(kind, 0);
        links.extend((0..g).map(|group| (group * a + source, group * a + destination)));
    }
    for record in integers(&codes.inter).chunks(2) {
        let [source, destination] = record.try_into().unwrap();
        assert_ne!(source / a, destination / a);
        links.push((source, destination));
    }
    links.sort_unstable();
    links
}

/// The links of every switch.
fn links(topology: &Topology) -> Vec<(i32, i32)> {
    let df = topology.dragonfly();
    let number = |end: End| i32::from(df.switch(end.group, df.split_port(end.port).0).0);
    let mut links = Vec::new();
    for one in df.switches() {
        for other in df.switches().filter(|&other| other != one) {
            if df.place(one).0 == df.place(other).0 {
                links.push((one.0.into(), other.0.into()));
            }
        }
    }
    for cable in topology.cables() {
        let (low, high) = (number(cable.low), number(cable.high));
        links.extend([(low, high), (high, low)]);
    }
    links.sort_unstable();
    links
}

fn check(topology: &Topology) {
    let df = topology.dragonfly();
    let files = unnamed(topology).unwrap();
    assert_eq!(read(&files), links(topology));
    let sizes = [
        ("repetitions", df.switch_count()),
        ("nw-lp", df.p()),
        ("modelnet_dragonfly_dally", df.p()),
        ("num_router_cols", df.a()),
        ("num_cns_per_router", df.p()),
        ("num_global_channels", df.h()),
    ];
    for (key, size) in sizes {
        assert_eq!(u32::try_from(stated(&files.conf, key)), Ok(size), "{key}");
    }
}

#[test]
fn the_files_say_all_links() {
    check(&wirings::absolute(2, 4, 2, 9));
    check(&wirings::absolute(4, 8, 4, 9));
    let df = Dragonfly::new(2, 4, 3, 6).unwrap();
    check(&arrange(df, Arrangement::Random, 3).unwrap());
    check(&lay_between(df, |_, j| if j.0 < 5 { 2 } else { 1 }));
}

/// A Dragonfly+ with so many leaves, and its names.
fn plus(leaves: u8, [p, a, h, g]: [u32; 4]) -> (Topology, Names) {
    let df = Dragonfly::new(p, a, h, g).unwrap();
    let arrangement = Arrangement::DragonflyPlus { leaves };
    (arrange(df, arrangement, 1).unwrap(), Names::of(&arrangement.nodes(&df)))
}

#[test]
fn leaves_and_spines_are_for_dragonfly_plus() {
    let (topology, names) = plus(2, [3, 4, 2, 5]);
    let files = written(&topology, &names).unwrap();
    let pairs = |bytes| integers(bytes).chunks(2).map(|two| [two[0], two[1]]).collect::<Vec<_>>();
    let local = [[0, 2], [0, 3], [1, 2], [1, 3], [2, 0], [2, 1], [3, 0], [3, 1]];
    assert_eq!(pairs(&files.intra), local);
    let mut global: Vec<_> = links(&topology).into_iter().filter(|(i, j)| i / 4 != j / 4).collect();
    global.sort_unstable();
    let mut found: Vec<_> = pairs(&files.inter).into_iter().map(|[i, j]| (i, j)).collect();
    found.sort_unstable();
    assert_eq!(found, global);
    insta::assert_snapshot!(files.conf);
}

#[test]
fn leaves_and_spines_that_codes_does_not_have_are_refused() {
    let refused = |(topology, names): (Topology, Names)| {
        written(&topology, &names).err().unwrap().to_string()
    };
    // One spine more than leaves is what CODES takes by halving the switches of a group.
    let (topology, names) = plus(2, [1, 5, 2, 4]);
    assert!(written(&topology, &names).is_ok());
    insta::assert_snapshot!(refused(plus(3, [1, 5, 2, 4])), @"CODES' dragonfly-plus takes the first 2 of the 5 switches of a group for leaves and the others for spines, but switch 2 is a leaf; accepted: as many leaves as spines, or one spine more, the leaves first");
    let (topology, _) = plus(2, [2, 4, 1, 3]);
    let list = "group,switch,port,name,physical\n0,1,node 1,,\n";
    let nodes = Arrangement::DragonflyPlus { leaves: 2 }.nodes(topology.dragonfly());
    let names = Names::read(nodes, list).unwrap();
    insta::assert_snapshot!(refused((topology, names)), @"CODES' dragonfly-plus gives every leaf 2 nodes, but there is no node 3 at switch 1; accepted: as many nodes on each leaf");
    let df = Dragonfly::new(1, 4, 1, 3).unwrap().kind_of(GroupId(0)).with_local_links(2);
    let df = Dragonfly::of_kinds(&[df]).unwrap();
    let arrangement = Arrangement::DragonflyPlus { leaves: 2 };
    let twice = (arrange(df, arrangement, 1).unwrap(), Names::of(&arrangement.nodes(&df)));
    insta::assert_snapshot!(refused(twice), @"CODES' dragonfly-plus joins every leaf and every spine of a group by one link, but switches 0 and 2 share 2; accepted: exactly 1");
}

#[test]
fn records_have_the_layout_that_codes_reads() {
    let files = unnamed(&wirings::absolute(1, 2, 1, 3)).unwrap();
    // The cables are 0-2, 1-4 and 3-5.
    assert_eq!(integers(&files.intra), [0, 1, 0, 1, 0, 0]);
    assert_eq!(integers(&files.inter), [0, 2, 1, 4, 2, 0, 3, 5, 4, 1, 5, 3]);
    assert_eq!(files.inter[..8], [0, 0, 0, 0, 2, 0, 0, 0]);
}

#[test]
fn the_configuration_reads_well() {
    insta::assert_snapshot!(unnamed(&wirings::absolute(2, 4, 2, 9)).unwrap().conf);
}

#[test]
fn groups_that_differ_are_refused() {
    let kind = |p, a| GroupKind::new(p, a, 2, 2);
    for (kinds, message) in [
        ([kind(2, 4), kind(2, 1)], "4 switches of 2 nodes and group 2 has 1 switch of 2 nodes"),
        ([kind(2, 4), kind(1, 4)], "4 switches of 2 nodes and group 2 has 4 switches of 1 node"),
    ] {
        let df = Dragonfly::of_kinds(&kinds).unwrap();
        let error = unnamed(&Topology::from_cables(df, []).unwrap()).err().unwrap().to_string();
        assert_eq!(
            error,
            format!(
                "CODES describes one group and repeats it, but group 0 has {message}; accepted: \
                 groups that all have as many switches and as many nodes on each"
            )
        );
    }
}

proptest! {
    #[test]
    fn the_files_say_all_links_of_any_wiring(topology in wirings::plain()) {
        let df = topology.dragonfly();
        let sizes = |group| (df.switches_of(group), df.nodes_of(group));
        if df.group_numbers().all(|group| sizes(group) == sizes(GroupId(0))) {
            check(&topology);
        } else {
            let error = unnamed(&topology).err().unwrap().to_string();
            prop_assert!(error.contains("describes one group and repeats it"));
        }
    }
}
