use super::*;
use crate::Topology;
use crate::{
    arrangement::{Arrangement, arrange},
    cable_list,
};
use tvlb_schema::Dragonfly;
use tvlb_table_set::names::Names;

/// The picture of a wiring without names.
fn picture(topology: &Topology, write: fn(&Wiring<'_>) -> String) -> String {
    write(&Wiring::new(topology, &Names::default()))
}

#[test]
fn groups_of_an_uneven_wiring() {
    // Groups 0 and 2 have no link.
    let text = "from_group,from_switch,from_port,to_group,to_switch,to_port\n\
                0,0,0,1,1,0\n0,1,0,1,0,0\n1,0,1,2,0,0\n";
    let df = Dragonfly::new(1, 2, 2, 3).unwrap();
    let topology = cable_list::read(&df, text).unwrap();
    insta::assert_snapshot!(picture(&topology, groups), @r#"
    graph dragonfly {
      label="dfly(1, 2, 2, 3): links per pair of groups";
      layout=circo;
      node [shape=circle];
      group_0 [label="0"];
      group_1 [label="1"];
      group_2 [label="2"];
      group_0 -- group_1 [label="2"];
      group_1 -- group_2 [label="1"];
    }
    "#);
}

#[test]
fn switches_of_a_small_wiring() {
    let df = Dragonfly::new(1, 2, 1, 3).unwrap();
    let topology = arrange(df, Arrangement::Absolute, 0).unwrap();
    insta::assert_snapshot!(picture(&topology, switches), @r#"
    graph dragonfly {
      label="dfly(1, 2, 1, 3): switches and cables, global ones with their ports";
      layout=fdp;
      node [shape=box];
      subgraph cluster_0 {
        label="group 0";
        switch_0 [label="0"];
        switch_1 [label="1"];
        switch_0 -- switch_1 [color=gray];
      }
      subgraph cluster_1 {
        label="group 1";
        switch_2 [label="0"];
        switch_3 [label="1"];
        switch_2 -- switch_3 [color=gray];
      }
      subgraph cluster_2 {
        label="group 2";
        switch_4 [label="0"];
        switch_5 [label="1"];
        switch_4 -- switch_5 [color=gray];
      }
      switch_0 -- switch_2 [taillabel="0", headlabel="0"];
      switch_1 -- switch_4 [taillabel="0", headlabel="0"];
      switch_3 -- switch_5 [taillabel="0", headlabel="0"];
    }
    "#);
}

/// Every line is one of the few statements that we use, and braces match.
#[test]
fn every_line_is_a_statement() {
    let df = Dragonfly::new(4, 8, 4, 9).unwrap();
    let topology = arrange(df, Arrangement::Random, 5).unwrap();
    let pictures = [(picture(&topology, groups), 36), (picture(&topology, switches), 9 * 28 + 144)];
    for (text, edges) in pictures {
        let mut depth = 0;
        for line in text.lines() {
            let line = line.trim();
            match line {
                "}" => depth -= 1,
                _ if line.ends_with('{') => depth += 1,
                _ => assert!(line.ends_with(';') && depth > 0, "{line}"),
            }
            assert!(line.matches('"').count().is_multiple_of(2), "{line}");
        }
        assert_eq!(depth, 0);
        assert_eq!(text.matches(" -- ").count(), edges);
    }
}
