//! A wiring as a picture: text in the DOT language of Graphviz, for `dot`, `fdp` or `circo`.
//!
//! The same wiring with the same names gives the same text.

use super::Topology;
use std::fmt;
use tvlb_schema::End;
use tvlb_table_set::names::{NamedPort, Names, after};

/// How much of a wiring is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A node for each group; an edge for each pair of groups that has links, with their number.
    Groups,
    /// A node for each switch, clustered by group; an edge for each local and each global cable.
    /// Readable up to some hundred cables.
    Switches,
}

/// A picture of a wiring; its `Display` is the DOT text.
#[derive(Clone, Copy, Debug)]
pub struct WiringPicture<'t> {
    topology: &'t Topology,
    names: &'t Names,
    detail: Detail,
}

/// The picture of a wiring; names stand after the numbers of groups, switches and ports that have one.
pub fn picture<'t>(topology: &'t Topology, names: &'t Names, detail: Detail) -> WiringPicture<'t> {
    WiringPicture { topology, names, detail }
}

impl fmt::Display for WiringPicture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df = self.topology.dragonfly();
        let title = df.to_string();
        writeln!(f, "graph dragonfly {{")?;
        match self.detail {
            Detail::Groups => {
                writeln!(f, "  label=\"{title}: links per pair of groups\";")?;
                write_groups(self.topology, self.names, f)?;
            }
            Detail::Switches => {
                writeln!(
                    f,
                    "  label=\"{title}: switches and cables, global ones with their ports\";"
                )?;
                write_switches(self.topology, self.names, f)?;
            }
        }
        writeln!(f, "}}")
    }
}

/// A text within double quotes of a label, where DOT reads a backslash as the beginning of an escape.
fn quotable(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn write_groups(topology: &Topology, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "  layout=circo;\n  node [shape=circle];")?;
    for group in topology.live_groups() {
        let name = quotable(&names.after_group(group));
        writeln!(f, "  group_{group} [label=\"{group}{name}\"];")?;
    }
    for (i, j) in topology.live_pairs() {
        let links = topology.links(i, j).len();
        if links > 0 {
            writeln!(f, "  group_{i} -- group_{j} [label=\"{links}\"];")?;
        }
    }
    Ok(())
}

fn write_switches(topology: &Topology, names: &Names, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let df = topology.dragonfly();
    // Only `dot` and `fdp` draw clusters, and `dot` would put the groups in ranks.
    writeln!(f, "  layout=fdp;\n  node [shape=box];")?;
    for group in topology.live_groups() {
        writeln!(f, "  subgraph cluster_{group} {{")?;
        let name = quotable(&names.after_group(group));
        writeln!(f, "    label=\"group {group}{name}\";")?;
        for index in topology.live_indices(group) {
            let switch = df.switch(group, index);
            let name = quotable(&names.after(switch));
            writeln!(f, "    switch_{switch} [label=\"{index}{name}\"];")?;
        }
        for i in topology.live_indices(group) {
            for j in topology.live_indices(group).filter(|&j| i < j) {
                let (one, other) = (df.switch(group, i), df.switch(group, j));
                match topology.links_within(group, i, j) {
                    0 => {}
                    1 => writeln!(f, "    switch_{one} -- switch_{other} [color=gray];")?,
                    links => writeln!(
                        f,
                        "    switch_{one} -- switch_{other} [color=gray, label=\"{links}\"];"
                    )?,
                }
            }
        }
        writeln!(f, "  }}")?;
    }
    let side = |end: End| {
        let (index, slot) = df.split_port(end.port);
        let switch = df.switch(end.group, index);
        let port = names.port(switch, NamedPort::Global(slot));
        let name = quotable(&after(slot, port.map(|port| port.name.as_str())));
        (switch, format!("{slot}{name}"))
    };
    for cable in topology.cables() {
        let ((low, low_port), (high, high_port)) = (side(cable.low), side(cable.high));
        writeln!(
            f,
            "  switch_{low} -- switch_{high} [taillabel=\"{low_port}\", headlabel=\"{high_port}\"];"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        arrangement::{Arrangement, arrange},
        cable_list,
    };
    use tvlb_schema::Dragonfly;

    #[test]
    fn groups_of_an_uneven_wiring() {
        // Groups 0 and 2 have no link.
        let text = "from_group,from_switch,from_port,to_group,to_switch,to_port\n\
                    0,0,0,1,1,0\n0,1,0,1,0,0\n1,0,1,2,0,0\n";
        let df = Dragonfly::new(1, 2, 2, 3).unwrap();
        let topology = cable_list::read(&df, text).unwrap();
        insta::assert_snapshot!(picture(&topology, &Names::default(), Detail::Groups), @r#"
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
        insta::assert_snapshot!(picture(&topology, &Names::default(), Detail::Switches), @r#"
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
        for (detail, edges) in [(Detail::Groups, 36), (Detail::Switches, 9 * 28 + 144)] {
            let text = picture(&topology, &Names::default(), detail).to_string();
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
}
