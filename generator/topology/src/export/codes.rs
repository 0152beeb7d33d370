//! For models of CODES: two files of raw little-endian 32-bit integers, and the lines of a configuration that
//! name them and the sizes. A wiring of leaves and spines is for dragonfly-plus, any other for dragonfly-dally and
//! dragonfly-custom.
//!
//! The file of links within a group has records of three integers: source, destination and type of a link, routers by
//! their index in the group; for dragonfly-plus, there is no type. CODES applies it to every group. The file of links
//! between groups has two: source and destination, by the numbers of the whole fabric. Both list each direction of a
//! link, and several cables between the same two switches as several records.

use super::error::ExportError;
use super::wiring::Wiring;
use crate::dragonfly_plus::leaves;
use tvlb_schema::{Dragonfly, GroupId};

const INTRA_FILE: &str = "intra-group-connections";
const INTER_FILE: &str = "inter-group-connections";
const CONF_FILE: &str = "dragonfly.conf";

/// The type of a link within a group. CODES has another one for the second dimension of Cray's groups.
const GREEN: u16 = 0;

/// The three files for CODES, each with its name.
///
/// # Errors
/// A dead switch, groups or switches that differ in their numbers of switches or nodes, two switches of a group that do
/// not share exactly one link, or leaves and spines that dragonfly-plus does not have.
pub fn codes(wiring: &Wiring<'_>) -> Result<[(&'static str, Vec<u8>); 3], ExportError> {
    let (df, leaves) = (wiring.dragonfly(), leaves(wiring.topology()));
    let is_plus = !leaves.is_empty();
    let program = if is_plus { "CODES' dragonfly-plus" } else { "CODES" };
    wiring.expect_like_groups(program, &leaves)?;
    let (mut intra, mut inter) = (Vec::new(), Vec::new());
    for link in wiring.switches().iter().flat_map(|&switch| wiring.links_of(switch)) {
        let ends = [link.near.switch, link.far.switch];
        if link.is_global() {
            push(&mut inter, &ends.map(|switch| switch.0));
        } else if df.place(link.near.switch).0 == GroupId(0) {
            let [near, far] = ends.map(|switch| df.place(switch).1.0.into());
            let fields = if is_plus { 2 } else { 3 };
            push(&mut intra, &[near, far, GREEN][..fields]);
        }
    }
    let conf = conf(df, is_plus).into_bytes();
    Ok([(INTRA_FILE, intra), (INTER_FILE, inter), (CONF_FILE, conf)])
}

fn push(file: &mut Vec<u8>, record: &[u16]) {
    file.extend(record.iter().flat_map(|&number| i32::from(number).to_le_bytes()));
}

/// The lines of a configuration. Groups of dragonfly-plus begin with leaves, and only these have nodes.
fn conf(df: &Dragonfly, is_plus: bool) -> String {
    let (p, a, h, g, leaves) = (df.p(), df.a(), df.h(), df.g(), df.a() / 2);
    let (model, repetitions, nodes, routers, sizes) = if is_plus {
        let sizes = format!(
            r#"# switches of a group, the leaves first
   num_router_leaf="{leaves}";
   num_router_spine="{}";
# global ports of a spine, also those without a cable
   num_global_connections="{h}";"#,
            a - leaves
        );
        ("plus", g, leaves * p, a, sizes)
    } else {
        let sizes = format!(
            r#"# switches of a group; dragonfly-custom takes them as rows and columns
   num_routers="{a}";
   num_router_rows="1";
   num_router_cols="{a}";
# global ports of a switch, also those without a cable
   num_global_channels="{h}";"#
        );
        ("dally", df.switch_count(), p, 1, sizes)
    };
    format!(
        r#"# Lines for a CODES configuration of dfly({p}, {a}, {h}, {g}). Bandwidths, buffers, routing and
# everything else are left to you. CODES looks for the two files where it is started.
LPGROUPS
{{
   MODELNET_GRP
   {{
      repetitions="{repetitions}";
      nw-lp="{nodes}";
      modelnet_dragonfly_{model}="{nodes}";
      modelnet_dragonfly_{model}_router="{routers}";
   }}
}}
PARAMS
{{
{sizes}
   num_groups="{g}";
# nodes of a switch that has any
   num_cns_per_router="{p}";
   intra-group-connections="{INTRA_FILE}";
   inter-group-connections="{INTER_FILE}";
}}
"#
    )
}

#[cfg(test)]
mod tests;
