//! For models of CODES: two files of raw little-endian 32-bit integers, and the lines of a configuration that
//! name them and the sizes. A wiring of leaves and spines is for dragonfly-plus, any other for dragonfly-dally and
//! dragonfly-custom.
//!
//! The file of links within a group has three integers a record: source, destination and type of a
//! link, routers by their index in the group; for dragonfly-plus, there is no type. CODES applies it to every
//! group. The file of links
//! between groups has two: source and destination, by the numbers of the whole fabric. Both list each
//! direction of a link, and cables between the same two switches as often as there are such.

use super::error::ExportError;
use super::like_groups::{
    expect_equal_groups, expect_like_groups, expect_live_switches, expect_plain_groups,
};
use crate::Topology;
use crate::dragonfly_plus::leaves;
use std::collections::BTreeSet;
use tvlb_schema::{Dragonfly, End, GroupId, SwitchId};
use tvlb_table_set::names::Names;

/// The name of the file of links within a group.
pub const INTRA_FILE: &str = "intra-group-connections";
/// The name of the file of links between groups.
pub const INTER_FILE: &str = "inter-group-connections";
/// The name of the file with the lines for a configuration.
pub const CONF_FILE: &str = "dragonfly.conf";

/// The type of a link within a group. CODES has another, for the second dimension of Cray's groups.
const GREEN: u16 = 0;

/// The three files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    /// The content of [`INTRA_FILE`].
    pub intra: Vec<u8>,
    /// The content of [`INTER_FILE`].
    pub inter: Vec<u8>,
    /// The content of [`CONF_FILE`].
    pub conf: String,
}

/// The wiring as files for CODES.
///
/// # Errors
/// A dead switch, groups or switches that differ in their numbers of switches or nodes, two switches of a group that
/// do not share exactly one link, or leaves and spines that dragonfly-plus does not have.
pub fn codes(topology: &Topology, names: &Names) -> Result<Codes, ExportError> {
    let df = topology.dragonfly();
    let leaves = leaves(topology);
    let format = if leaves.is_empty() { "CODES" } else { "CODES' dragonfly-plus" };
    expect_live_switches(topology, names, format)?;
    if leaves.is_empty() {
        expect_like_groups(df, names, format)?;
    } else {
        expect_halves(topology, names, &leaves, format)?;
    }
    expect_plain_groups(topology, names, &leaves, format)?;
    let mut intra = Vec::new();
    let group = GroupId(0);
    for i in df.indices(group) {
        for j in df.indices(group).filter(|&j| i != j && topology.is_local_hop(group, i, j)) {
            push(&mut intra, [i.0.into(), j.0.into()]);
            if leaves.is_empty() {
                push(&mut intra, [GREEN]);
            }
        }
    }
    let mut inter = Vec::new();
    for group in df.groups() {
        for port in df.global_ports() {
            if let Some(far) = topology.peer(End { group, port }) {
                let source = df.switch(group, df.split_port(port).0);
                let destination = df.switch(far.group, df.split_port(far.port).0);
                push(&mut inter, [source.0, destination.0]);
            }
        }
    }
    let [model, sizes] = if leaves.is_empty() { dragonfly(df) } else { dragonfly_plus(df) };
    Ok(Codes { intra, inter, conf: conf(df, &model, &sizes) })
}

/// Refuses groups that dragonfly-plus does not have: the first half of the switches are leaves with all their nodes,
/// the others spines.
fn expect_halves(
    topology: &Topology,
    names: &Names,
    leaves: &BTreeSet<SwitchId>,
    format: &'static str,
) -> Result<(), ExportError> {
    let df = topology.dragonfly();
    expect_equal_groups(df, names, format)?;
    let (a, half) = (df.a(), df.a() / 2);
    let is_first = |switch| u32::from(df.place(switch).1.0) < half;
    if let Some(switch) = df.switches().find(|switch| leaves.contains(switch) != is_first(*switch))
    {
        let found = if is_first(switch) { "a spine" } else { "a leaf" };
        let switch = names.named(switch);
        return Err(ExportError::Halves { format, leaves: half, a, switch, found });
    }
    match names.nodes(df).missing().find(|&node| is_first(df.switch_of(node).0)) {
        None => Ok(()),
        Some(node) => {
            let switch = names.named(df.switch_of(node).0);
            Err(ExportError::MissingNode { format, role: "leaf", p: df.p(), node, switch })
        }
    }
}

fn push<const N: usize>(file: &mut Vec<u8>, record: [u16; N]) {
    file.extend(record.into_iter().flat_map(|number| i32::from(number).to_le_bytes()));
}

/// What the models for groups that are linked throughout repeat, and their sizes.
fn dragonfly(df: &Dragonfly) -> [String; 2] {
    let (p, a, h, switches) = (df.p(), df.a(), df.h(), df.switch_count());
    [
        format!(
            "\x20     repetitions=\"{switches}\";\n\
             \x20     nw-lp=\"{p}\";\n\
             \x20     modelnet_dragonfly_dally=\"{p}\";\n\
             \x20     modelnet_dragonfly_dally_router=\"1\";\n"
        ),
        format!(
            "# switches of a group; dragonfly-custom takes them as rows and columns\n\
             \x20  num_routers=\"{a}\";\n\
             \x20  num_router_rows=\"1\";\n\
             \x20  num_router_cols=\"{a}\";\n\
             # global ports of a switch, also those without a cable\n\
             \x20  num_global_channels=\"{h}\";\n"
        ),
    ]
}

/// The same for dragonfly-plus, whose groups begin with leaves.
fn dragonfly_plus(df: &Dragonfly) -> [String; 2] {
    let (g, a, h) = (df.g(), df.a(), df.h());
    let leaves = a / 2;
    let nodes = leaves * df.p();
    [
        format!(
            "\x20     repetitions=\"{g}\";\n\
             \x20     nw-lp=\"{nodes}\";\n\
             \x20     modelnet_dragonfly_plus=\"{nodes}\";\n\
             \x20     modelnet_dragonfly_plus_router=\"{a}\";\n"
        ),
        format!(
            "# switches of a group, the leaves first\n\
             \x20  num_router_leaf=\"{leaves}\";\n\
             \x20  num_router_spine=\"{}\";\n\
             # global ports of a spine, also those without a cable\n\
             \x20  num_global_connections=\"{h}\";\n",
            a - leaves
        ),
    ]
}

fn conf(df: &Dragonfly, model: &str, sizes: &str) -> String {
    let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
    format!(
        "# Lines for a CODES configuration of dfly({p}, {a}, {h}, {g}). Bandwidths, buffers, routing and\n\
         # everything else are left to you. CODES looks for the two files where it is started.\n\
         LPGROUPS\n\
         {{\n\
         \x20  MODELNET_GRP\n\
         \x20  {{\n\
         {model}\
         \x20  }}\n\
         }}\n\
         PARAMS\n\
         {{\n\
         {sizes}\
         \x20  num_groups=\"{g}\";\n\
         # nodes of a switch that has any\n\
         \x20  num_cns_per_router=\"{p}\";\n\
         \x20  intra-group-connections=\"{INTRA_FILE}\";\n\
         \x20  inter-group-connections=\"{INTER_FILE}\";\n\
         }}\n"
    )
}

#[cfg(test)]
mod tests;
