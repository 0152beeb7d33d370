use super::*;
use proptest::prelude::*;
use tvlb_schema::{FewerLinks, GlobalPort, GroupKind, encode_fabric_image_with};

const NAMES: &str = "group,switch,port,name,physical\n\
    0,0,,x1000c0r0,\n\
    0,1,,x1000c0r1,\n\
    0,1,global 0,x1000c0r1j1p0,7\n\
    0,0,local 1 1,x1000c0r0j5p0,3\n\
    0,0,node 0,x1000c0r0j9p0,0\n";

fn end(group: u16, port: u16) -> End {
    End { group: GroupId(group), port: GlobalPort(port) }
}

/// Three groups of three switches, two links between any two but none between the last of group 2.
fn image() -> Vec<u8> {
    let kind = GroupKind::new(1, 3, 1, 3).with_local_links(2);
    let df = Dragonfly::of_kinds(&[kind]).unwrap();
    let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
    let fewer = [FewerLinks { low: SwitchId(7), high: SwitchIndex(2), links: 0 }];
    encode_fabric_image_with(&df, &cables, &fewer)
}

fn read(text: &str) -> Result<FaultSet, String> {
    let image = image();
    let plan = FabricImage::decode(&image).unwrap();
    let names = Names::read(plan.dragonfly(), NAMES).unwrap();
    parse(text, &plan, &names).map_err(|error| error.to_string())
}

#[test]
fn a_line_may_name_several_parts() {
    let switches =
        |text: &str| read(text).unwrap().switches.into_iter().map(|s| s.0).collect::<Vec<_>>();
    for text in ["group 1", "group (1)", "group ( 1 ) # the site's 2"] {
        assert_eq!(switches(text), [3, 4, 5], "{text}");
    }
    assert_eq!(switches("cabinet x1000"), [0, 1]);
    assert_eq!(switches("chassis x1000c0"), [0, 1]);
    assert_eq!(switches("switch x1000*1"), [1]);
    // What others name already may be among them, in any order.
    assert_eq!(switches("switch (0,0)\ncabinet x1000\nswitch *\ngroup 0"), [0, 1, 2]);
    let links = read("cable x1000*").unwrap();
    assert_eq!(links, read("cable x1000c0r1j1p0\ncable x1000c0r0j5p0").unwrap());
    assert_eq!(links.cables.len() + links.local_links.len(), 2);
    let errors = [
        "group 3",
        "group seven",
        "group",
        "cabinet x100",
        "chassis x1000c1",
        "switch y*",
        "cable x1000c0r0j9*",
        "switch \"x1000*\"",
    ];
    let errors: Vec<String> = errors.iter().map(|text| read(text).unwrap_err()).collect();
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn parts_are_named_by_number_or_by_name() {
    let link =
        |low, high, number| LocalLink { low: SwitchId(low), high: SwitchIndex(high), number };
    let expected = FaultSet {
        switches: [SwitchId(8)].into(),
        cables: [end(0, 0), end(0, 1)].into(),
        local_links: [link(3, 1, 0), link(3, 1, 1), link(4, 2, 1), link(0, 1, 1)].into(),
        ..FaultSet::default()
    };
    let text = "# all of it\n\nswitch (2, 2)\ncable (1,0):0 # by the other end\n\
        cable x1000c0r1j1p0\r\nlocal (1,0)-(1,1)\nlocal (1,2)-(1,1):1\n cable x1000c0r0j5p0\n";
    assert_eq!(read(text), Ok(expected.clone()));
    assert_eq!(read("\u{feff}switch x1000c0r1").unwrap().switches, [SwitchId(1)].into());
    assert_eq!(read("cable x1000c0r0:0"), read("cable (0,0):0"));
    for local in ["local x1000c0r0 x1000c0r1", "local x1000c0r0 - x1000c0r1", "local (0,0) (0,1)"] {
        assert_eq!(read(local), read("local (0,0)-(0,1)"), "{local}");
        assert_eq!(read(local).unwrap().local_links.len(), 2, "{local}");
    }
    let image = image();
    let plan = FabricImage::decode(&image).unwrap();
    let written = write(plan.dragonfly(), &expected);
    assert_eq!(read(&written), Ok(expected));
    insta::assert_snapshot!(written, @"
    switch (2,2)
    cable (0,0):0
    cable (0,1):0
    local (0,0)-(0,1):1
    local (1,0)-(1,1):0
    local (1,0)-(1,1):1
    local (1,1)-(1,2):1
    ");
    let drained = FaultSet { is_draining: true, ..read("switch (2,2)").unwrap() };
    assert_eq!(read("switch (2,2)\ndraining"), Ok(drained.clone()));
    assert_eq!(write(plan.dragonfly(), &drained), "draining\nswitch (2,2)\n");
    assert_eq!(read(""), Ok(FaultSet::default()));
}

/// A jack is what the names of its ports begin with; a switch is not one, nor a jack whose number begins alike.
#[test]
fn the_name_of_a_jack_names_the_links_of_all_its_ports() {
    let names = "group,switch,port,name,physical\n0,0,,r0,\n0,1,,r1,\n\
        0,0,global 0,r0j1p0,\n0,0,local 1 0,r0j1p1,\n0,1,local 0 0,r1j2p1,\n0,0,local 1 1,r0j10p0,\n\
        0,0,local 2 0,r0j1p1x,\n0,0,node 0,r0j3p0,\n";
    let image = image();
    let plan = FabricImage::decode(&image).unwrap();
    let names = Names::read(plan.dragonfly(), names).unwrap();
    let read = |text: &str| parse(text, &plan, &names).map_err(|error| error.to_string());
    let both = read("cable (0,0):0\nlocal (0,0)-(0,1):0").unwrap();
    assert_eq!(read("cable r0j1"), Ok(both.clone()));
    insta::assert_snapshot!(write_with_names(&plan, &names, &both), @"
    cable (0,0):0 # r0j1p0
    local (0,0)-(0,1):0 # r0j1p1-r1j2p1
    ");
    let all = FaultSet { switches: [SwitchId(0), SwitchId(8)].into(), ..both };
    assert_eq!(read(&write_with_names(&plan, &names, &all)), Ok(all));
    insta::assert_snapshot!(read("cable r0j1\ncable r1j2").unwrap_err(), @"line 2: link 0 between switches 0 r0 and 1 r1 is dead by line 1 already; accepted is one line for each");
    insta::assert_snapshot!(read("cable r0j3").unwrap_err(), @r#"line 1: port "r0j3p0" of a node has no cable in the plan"#);
    for none in ["cable r0", "cable r0j", "cable r0j1p", "cable r2j1"] {
        assert!(
            read(none).unwrap_err().contains("is not a port or jack; accepted SWITCH:PORT"),
            "{none}"
        );
    }
}

#[test]
fn what_is_no_part_is_refused() {
    let says = |text: &str| read(text).unwrap_err();
    insta::assert_snapshot!(says("router (1,2)"), @r#"line 1: found "router (1,2)", accepted `cable (GROUP,SWITCH):PORT`, `local (GROUP,SWITCH)-(GROUP,SWITCH)`, `switch (GROUP,SWITCH)`, `group (GROUP)`, `cabinet NAME`, `chassis NAME`, names of the list in their place, or `draining`"#);
    insta::assert_snapshot!(says("switch"), @r#"line 1: found "switch", accepted `cable (GROUP,SWITCH):PORT`, `local (GROUP,SWITCH)-(GROUP,SWITCH)`, `switch (GROUP,SWITCH)`, `group (GROUP)`, `cabinet NAME`, `chassis NAME`, names of the list in their place, or `draining`"#);
    insta::assert_snapshot!(says("\n\nswitch (3,0)"), @"line 3: there is no switch 0 in group 3; groups are 0 to 2");
    insta::assert_snapshot!(says("switch (1,3)"), @"line 1: there is no switch 3 in group 1; its switches are 0 to 2");
    insta::assert_snapshot!(says("switch (70000,0)"), @"line 1: there is no switch 0 in group 70000; groups are 0 to 2");
    insta::assert_snapshot!(says("switch x1000c0r7"), @r#"line 1: "x1000c0r7" is not a switch; accepted a number, (GROUP,SWITCH) or a name of the list of names (did you mean x1000c0r0?)"#);
    insta::assert_snapshot!(says("cable (0,0)"), @r#"line 1: "(0,0)" is not a port or jack; accepted SWITCH:PORT or a name of the list of names"#);
    insta::assert_snapshot!(says("cable (0,0):1"), @"line 1: group 0, switch 0, global port 1 has no cable in the plan");
    insta::assert_snapshot!(says("cable (0,2):0"), @"line 1: group 0, switch 2, global port 0 has no cable in the plan");
    insta::assert_snapshot!(says("cable x1000c0r0j9p0"), @r#"line 1: port "x1000c0r0j9p0" of a node has no cable in the plan"#);
    insta::assert_snapshot!(says("local (0,0)-(1,0)"), @"line 1: switches 0 and 3 are in groups 0 and 1; a local link joins two of a group");
    insta::assert_snapshot!(says("local (0,0)-(0,0)"), @"line 1: both ends are switch 0; a link joins two");
    insta::assert_snapshot!(says("local (0,0)-(0,1):2"), @"line 1: there is no local link 2 between switches 0 and 1; they share 2 in the plan, which count from 0");
    insta::assert_snapshot!(says("local (2,1)-(2,2)"), @"line 1: no local link joins switches 7 and 8 in the plan");
    insta::assert_snapshot!(says("local (0,0)"), @r#"line 1: found "local (0,0)", accepted `cable (GROUP,SWITCH):PORT`, `local (GROUP,SWITCH)-(GROUP,SWITCH)`, `switch (GROUP,SWITCH)`, `group (GROUP)`, `cabinet NAME`, `chassis NAME`, names of the list in their place, or `draining`"#);
    insta::assert_snapshot!(says("cable (0,1):0\n# again\ncable (2,0):0"), @"line 3: the cable at group 0, switch 1 x1000c0r1, global port 0 x1000c0r1j1p0 is dead by line 1 already; accepted is one line for each");
    insta::assert_snapshot!(says("local (0,0)-(0,1):1\nlocal (0,1)-(0,0)"), @"line 2: link 1 between switches 0 x1000c0r0 and 1 x1000c0r1 is dead by line 1 already; accepted is one line for each");
    insta::assert_snapshot!(says("switch x1000c0r1\nswitch (0,1)"), @"line 2: switch 1 x1000c0r1 is dead by line 1 already; accepted is one line for each");
}

/// Each line says the names of both ends; a message says the global port that a group lacks as it was asked for.
#[test]
fn a_cable_is_told_by_the_names_of_both_ends() {
    let kinds = [GroupKind::new(1, 2, 2, 2), GroupKind::new(1, 2, 1, 1)];
    let df = Dragonfly::of_kinds(&kinds).unwrap();
    let cables = [(end(0, 1), end(1, 0)), (end(0, 2), end(2, 0)), (end(1, 2), end(2, 2))];
    let image = encode_fabric_image_with(&df, &cables, &[]);
    let plan = FabricImage::decode(&image).unwrap();
    let names = "group,switch,port,name,physical\n0,0,,r0,\n0,0,global 1,r0j2,\n1,0,global 0,r2j1,\n\
        0,1,global 0,r1j1,\n2,0,,r4,\n";
    let names = Names::read(plan.dragonfly(), names).unwrap();
    let read = |text: &str| parse(text, &plan, &names).map_err(|error| error.to_string());
    let dead = read("cable r2j1\ncable r4:0").unwrap();
    insta::assert_snapshot!(write_with_names(&plan, &names, &dead), @"
    cable (0,0):1 # r0j2-r2j1
    cable (0,1):0 # r1j1
    ");
    insta::assert_snapshot!(read("cable r0:0").unwrap_err(), @"line 1: group 0, switch 0 r0, global port 0 has no cable in the plan");
    insta::assert_snapshot!(read("cable r0:2").unwrap_err(), @"line 1: group 0, switch 0, global port 2 has no cable in the plan");
    insta::assert_snapshot!(read("cable r4:1").unwrap_err(), @"line 1: group 2, switch 0, global port 1 has no cable in the plan");
    insta::assert_snapshot!(read("cable r4:65536").unwrap_err(), @"line 1: group 2, switch 0, global port 65536 has no cable in the plan");
}

/// What no list of names refuses: comments, quotes, blanks, dashes and numbers in names.
#[test]
fn any_name_can_be_said() {
    const NAMES: &str = "group,switch,port,name,physical\n\
        0,0,,Voltaire 4036 # g0s0,\n\
        0,1,,Voltaire 4036 # g0s1,\n\
        0,0,global 0,Voltaire 4036 # g0s0[3],\n\
        1,0,,rack 1,\n\
        1,1,,rack-1-2,\n\
        1,2,,\"a \"\"b\"\"\",\n\
        2,0,,0,\n";
    let image = image();
    let plan = FabricImage::decode(&image).unwrap();
    let names = Names::read(plan.dragonfly(), NAMES).unwrap();
    let read = |text: &str| parse(text, &plan, &names).map_err(|error| error.to_string());
    let by_number = |text: &str| read(text).unwrap();
    for (named, numbered) in [
        ("switch \"Voltaire 4036 # g0s0\"  # gone", "switch (0,0)"),
        ("cable \"Voltaire 4036 # g0s0[3]\"", "cable (0,0):0"),
        ("cable \"Voltaire 4036 # g0s0\":0", "cable (0,0):0"),
        ("local \"Voltaire 4036 # g0s0\" \"Voltaire 4036 # g0s1\"", "local (0,0)-(0,1)"),
        ("local \"Voltaire 4036 # g0s0\"-\"Voltaire 4036 # g0s1\":1", "local (0,0)-(0,1):1"),
        ("local rack 1 rack-1-2", "local (1,0)-(1,1)"),
        ("local rack-1-2-rack 1", "local (1,0)-(1,1)"),
        ("local rack-1-2 \"a \"\"b\"\"\"", "local (1,1)-(1,2)"),
        ("switch a \"b\"", "switch (1,2)"),
        ("switch \"0\"", "switch (2,0)"),
        ("switch 1\ncable 3:0", "switch (0,1)\ncable (1,0):0"),
    ] {
        assert_eq!(read(named).as_ref(), Ok(&by_number(numbered)), "{named}");
    }
    let said = |text: &str| read(text).unwrap_err();
    insta::assert_snapshot!(said("switch Voltaire 4036 # g0s0"), @r#"line 1: "Voltaire 4036" is not a switch; accepted a number, (GROUP,SWITCH) or a name of the list of names (a # after a blank begins a comment; a name that has one stands in quotes, as in "Voltaire 4036 # g0s0")"#);
    insta::assert_snapshot!(said("cable Voltaire 4036 # g0s0[3]"), @r#"line 1: "Voltaire 4036" is not a port or jack; accepted SWITCH:PORT or a name of the list of names (a # after a blank begins a comment; a name that has one stands in quotes, as in "Voltaire 4036 # g0s0[3]")"#);
    insta::assert_snapshot!(said("local rack 1 rack-1-9"), @r#"line 1: "rack-1-9" is not a switch; accepted a number, (GROUP,SWITCH) or a name of the list of names (did you mean "rack 1"?)"#);
    insta::assert_snapshot!(said("switch 0"), @r#"line 1: 0 is the number of one switch and the name of another; accepted the name in quotes, as in "0", or the number as (GROUP,SWITCH)"#);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text: String) {
        let _ = read(&text);
    }

    #[test]
    fn likely_texts_are_read_or_refused(text in "((cable|local|switch) [(]?[0-3],[0-3][)]?[-:]?([(][0-2],[0-2][)])?:?[0-9]{0,11}\n){1,3}") {
        let _ = read(&text);
    }
}

/// Of two switches that share another number of links all are drained, because the links are numbered from 0.
#[test]
fn all_links_of_a_pair_with_fewer_are_not_in_the_other_fabric() {
    let df = Dragonfly::of_kinds(&[GroupKind::new(1, 3, 1, 3).with_local_links(3)]).unwrap();
    let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
    let pair = |links| FewerLinks { low: SwitchId(7), high: SwitchIndex(2), links };
    let [whole, fewer] =
        [&[][..], &[pair(1)]].map(|fewer| encode_fabric_image_with(&df, &cables, fewer));
    let [whole, fewer] = [&whole, &fewer].map(|image| FabricImage::decode(image).unwrap());
    let link = |number| LocalLink { low: SwitchId(7), high: SwitchIndex(2), number };
    assert_eq!(not_in(&whole, &fewer).unwrap().local_links, [link(0), link(1), link(2)].into());
    assert_eq!(not_in(&fewer, &whole).unwrap().local_links, [link(0)].into());
}

/// The numbers of its nodes mean others, so a group with other nodes is another group.
#[test]
fn a_group_with_fewer_nodes_is_not_in_the_other_fabric() {
    let kinds = |p| [GroupKind::new(2, 2, 1, 2), GroupKind::new(p, 2, 1, 1)];
    let cables = [(end(0, 0), end(1, 0)), (end(0, 1), end(2, 0)), (end(1, 1), end(2, 1))];
    let [old, new] = [1, 2]
        .map(|p| encode_fabric_image_with(&Dragonfly::of_kinds(&kinds(p)).unwrap(), &cables, &[]));
    let [old, new] = [&old, &new].map(|image| FabricImage::decode(image).unwrap());
    for (fabric, other) in [(&old, &new), (&new, &old)] {
        let listed = not_in(fabric, other).unwrap();
        assert_eq!(listed.switches, [SwitchId(4), SwitchId(5)].into());
        assert!(listed.cables.is_empty() && listed.local_links.is_empty());
    }
}
