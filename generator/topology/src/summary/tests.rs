use super::*;
use crate::{
    arrangement::{Arrangement, arrange},
    cable_list,
};
use tvlb_schema::{Dragonfly, End, GlobalPort, GroupId, SwitchIndex};

fn summary(arrangement: Arrangement, (p, a, h, g): (u32, u32, u32, u32)) -> TopologySummary {
    let df = Dragonfly::new(p, a, h, g).unwrap();
    TopologySummary::of(&arrange(df, arrangement, 0).unwrap())
}

#[test]
fn an_even_wiring() {
    insta::assert_snapshot!(summary(Arrangement::Relative, (4, 8, 4, 9)), @r"
    Dragonfly (p, a, h, g)     4, 8, 4, 9
    switches                   72
    nodes                      288
    global ports               288
    global ports unused        0
    global cables              144
    links per pair of groups   4
    pairs without a link       none
    same under group rotation  yes
    ");
}

#[test]
fn an_uneven_wiring() {
    insta::assert_snapshot!(summary(Arrangement::Absolute, (3, 3, 3, 7)), @"
    Dragonfly (p, a, h, g)     3, 3, 3, 7
    switches                   21
    nodes                      63
    global ports               63
    global ports unused        1
    switches with unused ports 1: (6,2) 1 of 3
    global cables              31
    links per pair of groups   1 to 2 (1 for 11 pairs, 2 for 10)
    pairs without a link       none
    same under group rotation  no
    ");
}

#[test]
fn a_wiring_with_holes() {
    let df = Dragonfly::new(1, 1, 2, 3).unwrap();
    let text = "from_group,from_switch,from_port,to_group,to_switch,to_port\n0,0,0,2,0,1\n";
    let summary = TopologySummary::of(&cable_list::read(&df, text).unwrap());
    insta::assert_snapshot!(summary, @"
    Dragonfly (p, a, h, g)     1, 1, 2, 3
    switches                   3
    nodes                      3
    global ports               6
    global ports unused        4
    switches with unused ports 3: (0,0) 1 of 2, (1,0) all 2, (2,0) 1 of 2
    global cables              1
    links per pair of groups   0 to 1 (0 for 2 pairs, 1 for 1)
    pairs without a link       2: 0-1, 1-2
    same under group rotation  no
    warning: switch (1,0) has no global cable; where it has local links, packets take detours through it, and it is a source and a destination
    ");
    insta::assert_snapshot!(serde_json::to_string(&summary).unwrap(), @r#"{"p":1,"a":1,"h":2,"g":3,"switches":3,"nodes":3,"global_ports":6,"global_cables":1,"unused_ports":4,"least_links_per_pair":0,"most_links_per_pair":1,"links_per_pair":[{"links":0,"pairs":2,"unusual_pairs":[]},{"links":1,"pairs":1,"unusual_pairs":[]}],"unlinked_pairs":2,"first_unlinked_pairs":[[0,1],[1,2]],"switches_with_unused_ports":[{"group":0,"switch":0,"unused":1},{"group":1,"switch":0,"unused":2},{"group":2,"switch":0,"unused":1}],"switches_without_global_cable":[[1,0]],"rotation_invariant":false}"#);
}

/// What an engineer with a cable list looks for: where the odd ones are.
#[test]
fn what_is_unusual_is_named() {
    let df = Dragonfly::new(2, 4, 2, 9).unwrap();
    let whole = arrange(df, Arrangement::Absolute, 0).unwrap();
    let of_switch = |end: End| (end.group.0, u32::from(end.port.0) / df.h());
    // Switch (7,3) is dead, and so is one cable of switch (2,1).
    let cables =
        whole.cables().iter().map(|cable| (cable.low, cable.high)).filter(|&(low, high)| {
            let lost = |end| of_switch(end) == (7, 3);
            !lost(low) && !lost(high) && of_switch(low) != (2, 1)
        });
    let summary = TopologySummary::of(&Topology::from_cables(df, cables).unwrap());
    insta::assert_snapshot!(summary, @"
    Dragonfly (p, a, h, g)     2, 4, 2, 9
    switches                   36
    nodes                      72
    global ports               72
    global ports unused        6
    switches with unused ports 5: (2,1) 1 of 2, (3,3) 1 of 2, (4,2) 1 of 2, (7,3) all 2, (8,3) 1 of 2
    global cables              33
    links per pair of groups   0 to 1 (0 for 3 pairs, 1 for 33)
    pairs with fewer links     3: 2-4 0 of 1, 3-7 0 of 1, 7-8 0 of 1
    cables that are lacking    3: (2,1) global port 1 = (4,2) global port 0, (3,3) global port 0 = (7,3) global port 0 or 1, (7,3) global port 0 or 1 = (8,3) global port 1
    pairs without a link       3: 2-4, 3-7, 7-8
    same under group rotation  no
    warning: switch (7,3) has no global cable; where it has local links, packets take detours through it, and it is a source and a destination
    ");
    assert_eq!(summary.warnings().len(), 1);
    assert_eq!(summary.switches_without_global_cable, [(GroupId(7), 3)]);
    // One pair of ten with fewer links than the others.
    let df = Dragonfly::new(1, 4, 4, 5).unwrap();
    let whole = arrange(df, Arrangement::Absolute, 0).unwrap();
    let cables = whole.cables().iter().skip(1).map(|cable| (cable.low, cable.high));
    let summary = TopologySummary::of(&Topology::from_cables(df, cables).unwrap()).to_string();
    let unusual = "links per pair of groups   3 to 4 (3 for 1 pair, 4 for 9)\n  \
                   unusual: 3 links         0-1\n";
    assert!(summary.contains(unusual), "{summary}");
    assert!(!summary.contains("unusual: 4"), "{summary}");
}

/// Three groups of three switches and two of two. Pairs of the first kind share two links and all
/// others one, so that no port is unused; `lost` says which cables are not laid, by the groups and
/// the number of the link.
fn of_kinds(lost: impl Fn(u16, u16, u16) -> bool) -> (Dragonfly, Topology) {
    let kind = |a, g| GroupKind::new(1, a, 2, g);
    let df = Dragonfly::of_kinds(&[kind(3, 3), kind(2, 2)]).unwrap();
    let (mut next, mut cables) = ([0; 5], Vec::new());
    for (i, j) in (0..5_u16).flat_map(|i| (i + 1..5).map(move |j| (i, j))) {
        for number in 0..if j < 3 { 2 } else { 1 } {
            let [low, high] = [i, j].map(|group| {
                next[usize::from(group)] += 1;
                let port = GlobalPort(next[usize::from(group)] - 1);
                End { group: GroupId(group), port }
            });
            if !lost(i, j, number) {
                cables.push((low, high));
            }
        }
    }
    (df, Topology::from_cables(df, cables).unwrap())
}

#[test]
fn what_pairs_lack_is_told_by_kinds() {
    insta::assert_snapshot!(TopologySummary::of(&of_kinds(|_, _, _| false).1), @"
    groups (p, a, h, how many) 1, 3, 2, 3
                               1, 2, 2, 2
    switches                   13
    nodes                      13
    global ports               26
    global ports unused        0
    global cables              13
    links per pair of groups   1 to 2 (1 for 7 pairs, 2 for 3)
      within kind 1            2
      between kinds 1 and 2    1
      within kind 2            1
    pairs without a link       none
    same under group rotation  no
    ");
    // One pair is short of one link, and another of its only one.
    let (df, topology) = of_kinds(|i, j, number| [(0, 2, 1), (1, 3, 0)].contains(&(i, j, number)));
    let names = "group,switch,port,name,physical\n1,,,row 1,\n3,,,row 3,\n2,0,,r2s0,\n";
    let names = Names::read(&df, names).unwrap();
    let summary = TopologySummary::named(&topology, &names);
    insta::assert_snapshot!(summary, @"
    groups (p, a, h, how many) 1, 3, 2, 3
                               1, 2, 2, 2
    switches                   13
    nodes                      13
    global ports               26
    global ports unused        4
    switches with unused ports 4: (0,1) 1 of 2, (1,2) 1 of 2, (2,0) r2s0 1 of 2, (3,0) 1 of 2
    global cables              11
    links per pair of groups   0 to 2 (0 for 1 pair, 1 for 7, 2 for 2)
      within kind 1            1 for 1, 2 for 2
      between kinds 1 and 2    0 for 1, 1 for 5
      within kind 2            1
    pairs with fewer links     2: 0-2 1 of 2, 1 row 1 - 3 row 3 0 of 1
    cables that are lacking    2: (0,1) global port 1 = (2,0) r2s0 global port 1, (1,2) global port 0 = (3,0) global port 1
    pairs without a link       1: 1 row 1 - 3 row 3
    same under group rotation  no
    ");
    let value = serde_json::to_value(&summary).unwrap();
    assert_eq!(
        value["pairs_with_fewer"][0],
        serde_json::json!({ "groups": [0, 2], "links": 1, "usual": 2 })
    );
    assert_eq!(
        value["lacking_cables"][0]["ends"][1],
        serde_json::json!({ "group": 2, "unused": 1, "switch": 0, "name": "r2s0", "ports": [1] })
    );
    assert_eq!(value["links_by_kinds"][1]["kinds"], serde_json::json!([0, 1]));
}

/// Fewer links than elsewhere, but no port that is free for another one: nothing is lacking.
#[test]
fn what_no_port_is_free_for_is_not_lacking() {
    let df = Dragonfly::new(1, 2, 3, 6).unwrap();
    let summary = TopologySummary::of(&arrange(df, Arrangement::Absolute, 0).unwrap());
    assert!(summary.unused_ports == 0 && summary.lacking_cables.is_empty(), "{summary}");
    // Unused ports on two switches of a group say no more than that there are some.
    let whole = arrange(Dragonfly::new(1, 2, 2, 3).unwrap(), Arrangement::Absolute, 0).unwrap();
    let cables = whole.cables().iter().map(|cable| (cable.low, cable.high));
    let cables = cables.filter(|(low, high)| (low.group.0, high.group.0) != (0, 1));
    let lacking = TopologySummary::of(&Topology::from_cables(*whole.dragonfly(), cables).unwrap());
    let cables: Vec<String> = lacking.lacking_cables.iter().map(ToString::to_string).collect();
    assert_eq!(cables, ["2 times an unused port of group 0 = an unused port of group 1"]);
}

#[test]
fn many_switches_without_a_cable_are_not_all_named() {
    let df = Dragonfly::new(1, 4, 2, 9).unwrap();
    let summary = TopologySummary::of(&Topology::from_cables(df, []).unwrap());
    let warnings = summary.warnings();
    assert_eq!(warnings.len(), TopologySummary::SHOWN + 1);
    assert_eq!(
        warnings[TopologySummary::SHOWN],
        "28 more switches have no global cable; `tvlb topology --json` lists all of them"
    );
    assert_eq!(summary.switches_without_global_cable.len(), 36);
}

#[test]
fn many_holes_are_not_all_listed() {
    let df = Dragonfly::new(1, 4, 2, 9).unwrap();
    let summary = TopologySummary::of(&Topology::from_cables(df, []).unwrap());
    assert_eq!(summary.unlinked_pairs, 36);
    assert_eq!(summary.unlinked_in_words(), "36: 0-1, 0-2, 0-3, 0-4, 0-5, 0-6, 0-7, 0-8, …");
}

/// Two leaves, or two spines, are not meant to be linked, nor leaves to have global cables. Without a leaf-spine link
/// and a cable, these are what is lacking.
#[test]
fn a_dragonfly_plus_with_holes() {
    let plus = Arrangement::DragonflyPlus { leaves: 2 };
    let df = Dragonfly::new(1, 4, 2, 3).unwrap();
    let whole = arrange(df, plus, 1).unwrap();
    let list = cable_list::write(&whole);
    let list: String = list
        .split_inclusive('\n')
        .filter(|line| !["1,1,local,1,2,local\n", "0,2,1,2,2,0\n"].contains(line))
        .collect();
    let names = Names::of(&plus.nodes(&df));
    let topology = cable_list::read(names.nodes(&df), &list).unwrap();
    insta::assert_snapshot!(TopologySummary::named(&topology, &names), @"
    Dragonfly (p, a, h, g)     1, 4, 2, 3
    switches                   12: 6 leaves and 6 spines
    nodes                      6
    global ports               12
    global ports unused        2
    switches with unused ports 2: (0,2) 1 of 2, (2,2) 1 of 2
    global cables              5
    links per pair of groups   1 to 2 (1 for 1 pair, 2 for 2)
    pairs with fewer links     1: 0-2 1 of 2
    cables that are lacking    1: (0,2) global port 1 = (2,2) global port 0
    pairs without a link       none
    local links listed         11 in 3 of 3 groups
    pairs without a local link 1: (1,1)-(1,2)
    same under group rotation  no
    ");
    assert_eq!(cable_list::read(names.nodes(&df), &cable_list::write(&whole)), Ok(whole));
}

/// Of a Dragonfly+ only a spine is meant to have global cables.
#[test]
fn leaves_of_a_dragonfly_plus_lack_no_global_cable() {
    let df = Dragonfly::new(1, 3, 1, 3).unwrap();
    let end = |group, index| End { group: GroupId(group), port: GlobalPort(index) };
    let spine = |group| end(group, 1);
    let cables = [(spine(0), spine(1)), (end(0, 2), spine(2))];
    let local =
        df.groups().flat_map(|group| [1, 2].map(|i| (group, SwitchIndex(0), SwitchIndex(i))));
    let laid =
        Topology::from_cables(df, cables).unwrap().with_local_links(local.collect()).unwrap();
    // The first switch of each group is a leaf, the others are spines.
    let spines = df.switches().filter(|&switch| df.place(switch).1 != SwitchIndex(0));
    let plus = laid.clone().with_ends(laid.ends().without(spines));
    let without = |topology| TopologySummary::of(topology).switches_without_global_cable;
    assert_eq!(without(&laid).len(), 5);
    let group = |group, switch| (GroupId(group), switch);
    assert_eq!(without(&plus), [group(1, 2), group(2, 2)]);
}
