//! For the Dragonfly of HTSIM: its `dragonfly.topo`, and the host tables of source routing, one for each switch.
//!
//! HTSIM knows one wiring, of a·h + 1 groups: which switches a cable joins is that of the arrangement `relative`.

use super::error::ExportError;
use super::wiring::Wiring;
use crate::relative;
use std::collections::BTreeSet;
use tvlb_schema::{End, SwitchId};

mod host_table;

use host_table::PROGRAM;
pub use host_table::host_table;

/// The name of the file of the wiring.
pub const TOPOLOGY_FILE: &str = "dragonfly.topo";
/// The directory of the host tables, which are called `SWITCH.lt`.
pub const TABLE_DIRECTORY: &str = "host_table";

/// The content of [`TOPOLOGY_FILE`].
///
/// # Errors
/// Dead switches, groups that differ, another number of groups, or cables that HTSIM lays differently.
pub fn htsim(wiring: &Wiring<'_>) -> Result<String, ExportError> {
    let df = wiring.dragonfly();
    wiring.expect_like_groups(PROGRAM, &BTreeSet::new())?;
    let (p, a, h, g, accepted) = (df.p(), df.a(), df.h(), df.g(), df.a() * df.h() + 1);
    if g != accepted {
        let found = format!("there are {g}");
        return Err(ExportError::refused(
            PROGRAM,
            "has a·h + 1 groups",
            found,
            accepted.to_string(),
        ));
    }
    let ours: BTreeSet<[SwitchId; 2]> =
        wiring.links().map(|link| [link.near.switch, link.far.switch]).collect();
    let switch = |end: End| df.switch(end.group, df.split_port(end.port).0);
    // The lower end of a cable comes first, as in `ours`.
    let mut laid = relative::cables(df).into_iter().map(|(low, high)| [low, high].map(switch));
    if let Some(pair) = laid.find(|pair| !ours.contains(pair)) {
        let [one, other] = pair.map(|switch| wiring.names().named(switch));
        return Err(ExportError::refused(
            PROGRAM,
            format!("joins switches {one} and {other} by a cable"),
            "here they share none",
            "the wiring of the arrangement `relative`",
        ));
    }
    Ok(format!(
        "# dfly({p}, {a}, {h}, {g}) for HTSIM. Speeds and latencies are HTSIM's own; lines such as\n\
         # Link_latency_global_ns 500 give others.\np {p}\na {a}\nh {h}\n"
    ))
}

#[cfg(test)]
mod tests;
