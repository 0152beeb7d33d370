//! For the models dragonfly-dally and dragonfly-custom of CODES: two files of raw little-endian 32-bit
//! integers, and the lines of a configuration that name them and the sizes.
//!
//! The file of links within a group has three integers a record: source, destination and type of a
//! link, routers by their index in the group. CODES applies it to every group. The file of links
//! between groups has two: source and destination, by the numbers of the whole fabric. Both list each
//! direction of a link, and cables between the same two switches as often as there are such.

use super::error::ExportError;
use super::like_groups::{expect_like_groups, expect_live_switches, expect_plain_groups};
use crate::Topology;
use tvlb_schema::End;
use tvlb_schema::GroupId;
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
/// A dead switch, groups or switches that differ in their numbers of switches or nodes, or two switches of a group that do not share
/// exactly one link.
pub fn codes(topology: &Topology, names: &Names) -> Result<Codes, ExportError> {
    let df = topology.dragonfly();
    expect_live_switches(topology, names, "CODES")?;
    expect_like_groups(df, names, "CODES")?;
    expect_plain_groups(topology, names, "CODES")?;
    let mut intra = Vec::new();
    for i in df.indices(GroupId(0)) {
        for j in df.indices(GroupId(0)).filter(|&j| i != j) {
            push(&mut intra, [i.0.into(), j.0.into(), GREEN]);
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
    Ok(Codes { intra, inter, conf: conf(topology) })
}

fn push<const N: usize>(file: &mut Vec<u8>, record: [u16; N]) {
    file.extend(record.into_iter().flat_map(|number| i32::from(number).to_le_bytes()));
}

fn conf(topology: &Topology) -> String {
    let df = topology.dragonfly();
    let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
    let switches = df.switch_count();
    format!(
        "# Lines for a CODES configuration of dfly({p}, {a}, {h}, {g}). Bandwidths, buffers, routing and\n\
         # everything else are left to you. CODES looks for the two files where it is started.\n\
         LPGROUPS\n\
         {{\n\
         \x20  MODELNET_GRP\n\
         \x20  {{\n\
         \x20     repetitions=\"{switches}\";\n\
         \x20     nw-lp=\"{p}\";\n\
         \x20     modelnet_dragonfly_dally=\"{p}\";\n\
         \x20     modelnet_dragonfly_dally_router=\"1\";\n\
         \x20  }}\n\
         }}\n\
         PARAMS\n\
         {{\n\
         # switches of a group; dragonfly-custom takes them as rows and columns\n\
         \x20  num_routers=\"{a}\";\n\
         \x20  num_router_rows=\"1\";\n\
         \x20  num_router_cols=\"{a}\";\n\
         \x20  num_groups=\"{g}\";\n\
         # nodes of a switch\n\
         \x20  num_cns_per_router=\"{p}\";\n\
         # global ports of a switch, also those without a cable\n\
         \x20  num_global_channels=\"{h}\";\n\
         \x20  intra-group-connections=\"{INTRA_FILE}\";\n\
         \x20  inter-group-connections=\"{INTER_FILE}\";\n\
         }}\n"
    )
}

#[cfg(test)]
mod tests;
