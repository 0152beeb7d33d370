use super::*;
use crate::Topology;
use crate::routes::wirings;
use proptest::prelude::*;
use tvlb_schema::Dragonfly;
use tvlb_table_set::names::Names;

/// Every group in a place of its own, 1.5 m from the one before it.
fn in_a_row(topology: &Topology, names: &Names) -> Places {
    let rows = topology
        .dragonfly()
        .groups()
        .map(|group| format!("group {group},{},0\n", 1.5 * f64::from(group.0)));
    let text = "place,x,y\n".to_owned() + &rows.collect::<String>();
    Places::read(topology, names, &text).unwrap()
}

fn bill(
    topology: &Topology,
    names: &Names,
    slack: f64,
    stock: &[f64],
) -> Result<Vec<Cable>, TooLong> {
    cables(&Wiring::new(topology, names), &in_a_row(topology, names), slack, stock)
}

/// From, to, their jacks, links and length.
fn in_words(cable: &Cable) -> String {
    let [from, to] =
        cable.ends.each_ref().map(|end| format!("{} {}", end.switch, end.jacks.join("+")));
    format!("{from} - {to}: {} x {} of {}", cable.links, cable.length, cable.needed)
}

#[test]
fn lengths_are_ways_and_slack_in_what_there_is_to_buy() {
    let topology = wirings::absolute(1, 2, 1, 3);
    let words = |slack, stock: &[f64]| {
        let cables = bill(&topology, &Names::default(), slack, stock).unwrap();
        cables.iter().map(in_words).collect::<Vec<_>>()
    };
    assert_eq!(
        words(0.5, &[]),
        [
            "0 local 1 0 - 1 local 0 0: 1 x 1 of 0.5",
            "0 global 0 - 2 global 0: 1 x 2 of 2",
            "1 global 0 - 4 global 0: 1 x 4 of 3.5",
            "2 local 1 0 - 3 local 0 0: 1 x 1 of 0.5",
            "3 global 0 - 5 global 0: 1 x 2 of 2",
            "4 local 1 0 - 5 local 0 0: 1 x 1 of 0.5",
        ]
    );
    let lengths = |slack, stock: &[f64]| {
        let cables = bill(&topology, &Names::default(), slack, stock).unwrap();
        cables.iter().map(|cable| cable.length).collect::<Vec<_>>()
    };
    assert_eq!(lengths(0.0, &[5.0, 3.0, 0.5]), [0.5, 3.0, 3.0, 0.5, 3.0, 0.5]);
    insta::assert_snapshot!(
        bill(&topology, &Names::default(), 2.0, &[2.0, 4.5]).unwrap_err(),
        @"the cable from switch 1 to switch 4 must be 5 m long, and all lengths to buy are shorter; accepted: a length of 5 m or more"
    );
}

/// Two jacks of two ports each at switch 0, one of them joined straight and one crossed with two of switch 1.
#[test]
fn links_whose_jacks_hang_together_are_one_cable() {
    let kind = Dragonfly::new(1, 2, 1, 3).unwrap().kind_of(tvlb_schema::GroupId(0));
    let df = Dragonfly::of_kinds(&[kind.with_local_links(6)]).unwrap();
    let topology = Topology::from_cables(df, []).unwrap();
    let port = |switch: u8, number: u8, name: &str| {
        format!("0,{switch},local {} {number},{name},\n", 1 - switch)
    };
    let ports = [
        ("j1p0", "j1p0"),
        ("j1p1", "j1p1"),
        ("j2p0", "j2p0"),
        ("j3p0", "j2p1"),
        ("j2p1", "j3p0"),
        ("j3p1", "j3p1"),
    ];
    let rows = (0..).zip(ports).map(|(number, (one, other))| {
        port(0, number, &format!("s0{one}")) + &port(1, number, &format!("s1{other}"))
    });
    let list = "group,switch,port,name,physical\n".to_owned() + &rows.collect::<String>();
    let names = Names::read(topology.dragonfly(), &list).unwrap();
    let cables = bill(&topology, &names, 1.0, &[]).unwrap();
    let words: Vec<String> = cables.iter().map(in_words).take(3).collect();
    assert_eq!(
        words,
        [
            "0 s0j1 - 1 s1j1: 2 x 1 of 1",
            "0 s0j2+s0j3 - 1 s1j2+s1j3: 4 x 1 of 1",
            // Of a group without names of ports.
            "2 local 1 0 - 3 local 0 0: 1 x 1 of 1",
        ]
    );
}

proptest! {
    /// Every link is in one cable, from either end, and cables between the same places follow each other.
    #[test]
    fn every_link_is_in_a_cable(topology in wirings::any()) {
        let names = Names::default();
        let cables = bill(&topology, &names, 2.0, &[]).unwrap();
        let links = Wiring::new(&topology, &names).links().count();
        prop_assert_eq!(cables.iter().map(|cable| cable.links).sum::<usize>(), links);
        let global = cables.iter().filter(|cable| cable.kind == "global").count();
        prop_assert_eq!(global, topology.cables().len());
        let pairs = cables.iter().map(|cable| cable.ends.each_ref().map(|end| end.place.clone()));
        let mut pairs: Vec<_> = pairs.collect();
        pairs.dedup();
        let count = pairs.len();
        pairs.sort();
        pairs.dedup();
        prop_assert_eq!(pairs.len(), count);
    }
}
