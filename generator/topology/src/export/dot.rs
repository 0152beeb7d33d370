//! A wiring as a picture: text in the DOT language of Graphviz, for `dot`, `fdp` or `circo`.

use super::wiring::{LinkEnd, Wiring};
use std::collections::BTreeMap;
use std::fmt::Write;
use tvlb_schema::GroupId;
use tvlb_table_set::names::{NamedPort, after};

/// A node for each group, and an edge for each pair of groups that has links, with their number. Numbers of groups are
/// followed by their names.
pub fn groups(wiring: &Wiring<'_>) -> String {
    let mut text = format!(
        "graph dragonfly {{\n  label=\"{}: links per pair of groups\";\n  layout=circo;\n  node [shape=circle];\n",
        wiring.dragonfly()
    );
    for group in wiring.topology().live_groups() {
        let name = quotable(&wiring.names().after_group(group));
        let _ = writeln!(text, "  group_{group} [label=\"{group}{name}\"];");
    }
    for (i, j) in wiring.topology().live_pairs() {
        let links = wiring.topology().links(i, j).len();
        if links > 0 {
            let _ = writeln!(text, "  group_{i} -- group_{j} [label=\"{links}\"];");
        }
    }
    text + "}\n"
}

/// A node for each switch, in a cluster for each group, and an edge for each two switches of a group that share links
/// and for each global cable; with names as in [`groups`], also of switches and ports. Readable up to some hundred
/// cables.
pub fn switches(wiring: &Wiring<'_>) -> String {
    let (df, names) = (wiring.dragonfly(), wiring.names());
    // Only `dot` and `fdp` draw clusters, and `dot` would put the groups in ranks.
    let mut text = format!(
        "graph dragonfly {{\n  label=\"{df}: switches and cables, global ones with their ports\";\n  layout=fdp;\n  \
         node [shape=box];\n"
    );
    let mut local: BTreeMap<GroupId, BTreeMap<_, usize>> = BTreeMap::new();
    let mut global = String::new();
    let port = |end: LinkEnd| {
        let NamedPort::Global(slot) = end.port else { return String::new() };
        let name = names.port(end.switch, end.port).map(|port| port.name.as_str());
        format!("{slot}{}", quotable(&after(slot, name)))
    };
    for link in wiring.links() {
        let [low, high] = [link.near.switch, link.far.switch];
        if link.is_global() {
            let ports =
                format!("taillabel=\"{}\", headlabel=\"{}\"", port(link.near), port(link.far));
            let _ = writeln!(global, "  switch_{low} -- switch_{high} [{ports}];");
        } else {
            let of_group = local.entry(df.place(low).0).or_default();
            *of_group.entry((low, high)).or_default() += 1;
        }
    }
    for group in wiring.topology().live_groups() {
        let name = quotable(&names.after_group(group));
        let _ = writeln!(text, "  subgraph cluster_{group} {{\n    label=\"group {group}{name}\";");
        for index in wiring.topology().live_indices(group) {
            let switch = df.switch(group, index);
            let name = quotable(&names.after(switch));
            let _ = writeln!(text, "    switch_{switch} [label=\"{index}{name}\"];");
        }
        for ((one, other), links) in local.remove(&group).unwrap_or_default() {
            let label = if links > 1 { format!(", label=\"{links}\"") } else { String::new() };
            let _ = writeln!(text, "    switch_{one} -- switch_{other} [color=gray{label}];");
        }
        text += "  }\n";
    }
    text + &global + "}\n"
}

/// A text for a double-quoted label, in which DOT reads a backslash as the beginning of an escape.
fn quotable(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests;
