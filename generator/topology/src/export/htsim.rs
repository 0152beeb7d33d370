//! For the Dragonfly of HTSIM: its `dragonfly.topo`, and the host tables of source routing, one for each switch.
//!
//! HTSIM knows one wiring: a·h + 1 groups, and global port s of switch i leads i·h + s + 1 groups on. A path is two
//! numbers of switches. They are the first two hops while the packet is in the source's group, and the rest is MIN; so
//! a path can be said exactly when it goes by MIN from where it enters the intermediate group.

use super::error::ExportError;
use super::like_groups::{expect_like_groups, expect_live_switches, expect_plain_groups};
use crate::Topology;
use crate::routes::drawn::DrawnPaths;
use crate::routes::walk::Walk;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use tvlb_schema::{Dragonfly, GroupId, SetRule, SwitchId, SwitchIndex};
use tvlb_table_set::names::Names;

const FORMAT: &str = "HTSIM";

/// The most hops of a path that is forwarded: two in the group of the source, and MIN from there.
const MOST_HOPS: usize = 5;

/// The name of the file of the wiring.
pub const TOPOLOGY_FILE: &str = "dragonfly.topo";
/// The directory of the host tables, which are called `SWITCH.lt`.
pub const TABLE_DIRECTORY: &str = "host_table";

/// A wiring for HTSIM; its `Display` is `dragonfly.topo`.
#[derive(Clone, Debug)]
pub struct Htsim<'t> {
    topology: &'t Topology,
    names: &'t Names,
}

/// The wiring for HTSIM.
///
/// # Errors
/// Dead switches, groups that differ, another number of groups, or cables that HTSIM lays in another way.
pub fn htsim<'t>(topology: &'t Topology, names: &'t Names) -> Result<Htsim<'t>, ExportError> {
    let df = topology.dragonfly();
    expect_live_switches(topology, names, FORMAT)?;
    expect_like_groups(df, names, FORMAT)?;
    expect_plain_groups(topology, names, &BTreeSet::new(), FORMAT)?;
    let accepted = df.a() * df.h() + 1;
    if df.g() != accepted {
        return Err(ExportError::HtsimGroups { found: df.g(), accepted });
    }
    for one in df.switches() {
        for slot in 0..df.h() {
            let (group, other) = laid(df, one, slot);
            let joins = |link: &crate::Link| {
                df.split_port(link.from).0 == df.place(one).1 && df.split_port(link.to).0 == other
            };
            if !topology.links(df.place(one).0, group).iter().any(joins) {
                let [one, other] = [one, df.switch(group, other)].map(|switch| names.named(switch));
                return Err(ExportError::HtsimCable { one, other });
            }
        }
    }
    Ok(Htsim { topology, names })
}

/// Where HTSIM lays the cable of a global port.
fn laid(df: &Dragonfly, switch: SwitchId, slot: u32) -> (GroupId, SwitchIndex) {
    let (group, index) = df.place(switch);
    let steps = u32::from(index.0) * df.h() + slot + 1;
    let to = (u32::from(group.0) + steps) % df.g();
    let other = df.a() - 1 - u32::from(index.0);
    let number = |number: u32| u16::try_from(number).expect("groups and switches are few");
    (GroupId(number(to)), SwitchIndex(number(other).to_le_bytes()[0]))
}

/// The path of a packet whose header has these two switches, as HTSIM's switches forward it; nothing if it gets lost.
fn forwarded(
    topology: &Topology,
    (source, destination): (SwitchId, SwitchId),
    header: [SwitchId; 2],
) -> Option<Walk> {
    let df = topology.dragonfly();
    let group = |switch| df.place(switch).0;
    let by_min = |switch: SwitchId| match (group(switch), group(destination)) {
        (here, there) if here == there => Some(destination),
        (here, there) => {
            let link = topology.links(here, there).first()?;
            let leaves = df.switch(here, df.split_port(link.from).0);
            let arrives = df.switch(there, df.split_port(link.to).0);
            Some(if switch == leaves { arrives } else { leaves })
        }
    };
    let mut walk = Walk::at(source);
    for hops in 0..MOST_HOPS {
        let here = walk.last();
        let next = match hops {
            _ if here == destination => return Some(walk),
            0 => header[0],
            1 if group(here) == group(source) && group(source) != group(destination) => header[1],
            2.. if group(here) == group(source) => return None,
            _ => by_min(here)?,
        };
        walk = walk.to(next);
    }
    (walk.last() == destination).then_some(walk)
}

impl Htsim<'_> {
    /// The host table of every switch, which is a file of its own.
    ///
    /// # Errors
    /// As [`Self::host_table`].
    pub fn host_tables(&self, rule: &SetRule) -> Result<Vec<(SwitchId, String)>, ExportError> {
        let all = self.topology.dragonfly().switches();
        all.map(|switch| Ok((switch, self.host_table(rule, switch)?))).collect()
    }

    /// The host table of a switch: the MIN paths and the VLB paths of a set to every other one.
    ///
    /// # Errors
    /// A path that HTSIM does not go, or paths that the set draws unequally.
    pub fn host_table(&self, rule: &SetRule, source: SwitchId) -> Result<String, ExportError> {
        let mut text = String::new();
        for destination in self.topology.dragonfly().switches().filter(|&other| other != source) {
            let paths = DrawnPaths::new(self.topology, rule, source, destination);
            let unequal = paths
                .vlb
                .iter()
                .any(|path| (path.probability - paths.vlb[0].probability).abs() > f64::EPSILON);
            if unequal {
                let [from, to] = [source, destination].map(|switch| self.names.named(switch));
                return Err(ExportError::HtsimWeights { from, to });
            }
            writeln!(text, "{destination}").expect("a string takes all that is written");
            let min = paths.min.iter().map(|path| &path.switches);
            let vlb = paths.vlb.iter().map(|path| &path.switches);
            self.write_paths(&mut text, min)?;
            self.write_paths(&mut text, vlb)?;
        }
        Ok(text)
    }

    /// Paths by their hops: a line has how many are local and how many global, and the headers of its paths.
    fn write_paths<'p>(
        &self,
        text: &mut String,
        paths: impl Iterator<Item = &'p Walk>,
    ) -> Result<(), ExportError> {
        let df = self.topology.dragonfly();
        let mut headers: BTreeMap<[usize; 2], String> = BTreeMap::new();
        for walk in paths {
            let switches = walk.switches();
            let (source, destination) = (switches[0], walk.last());
            // Where the first hop leaves the group, or is one of two within it, the second number is not read.
            let is_read = df.place(switches[1]).0 == df.place(source).0
                && df.place(source).0 != df.place(destination).0;
            let header = [switches[1], if is_read { switches[2] } else { SwitchId(0) }];
            if forwarded(self.topology, (source, destination), header).as_ref() != Some(walk) {
                let path = walk.in_words(df, self.names).to_string();
                return Err(ExportError::HtsimPath { path });
            }
            let global = switches.windows(2);
            let global = global.filter(|hop| df.place(hop[0]).0 != df.place(hop[1]).0).count();
            let line = headers.entry([walk.hops() - global, global]).or_default();
            write!(line, " {} {}", header[0], header[1]).expect("a string takes all");
        }
        for ([local, global], headers) in headers {
            writeln!(text, "{local} {global}{headers}")
                .expect("a string takes all that is written");
        }
        Ok(())
    }
}

impl fmt::Display for Htsim<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let df = self.topology.dragonfly();
        let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
        writeln!(
            f,
            "# dfly({p}, {a}, {h}, {g}) for HTSIM. Speeds and latencies are HTSIM's own; lines such as"
        )?;
        writeln!(f, "# Link_latency_global_ns 500 give others.")?;
        writeln!(f, "p {p}\na {a}\nh {h}")
    }
}

#[cfg(test)]
mod tests;
