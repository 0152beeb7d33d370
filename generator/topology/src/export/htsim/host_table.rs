//! The host tables of source routing. A path is two numbers of switches: the first two hops while the packet is in the
//! source's group; the rest is MIN. So a path can be expressed exactly if it is MIN after it leaves the group of its
//! source.

use super::super::error::ExportError;
use super::super::wiring::Wiring;
use crate::routes::drawn::DrawnPaths;
use crate::routes::minimal;
use crate::routes::walk::Walk;
use std::collections::BTreeMap;
use std::fmt::Write;
use tvlb_schema::{SetRule, SwitchId};

pub(super) const PROGRAM: &str = "HTSIM";

/// The host table of a switch of a wiring that HTSIM has: the MIN paths and the VLB paths of a set to every other
/// switch.
///
/// # Errors
/// A path that HTSIM cannot take, or paths that the set draws unequally.
pub fn host_table(
    wiring: &Wiring<'_>,
    rule: &SetRule,
    source: SwitchId,
) -> Result<String, ExportError> {
    let mut text = String::new();
    for &destination in wiring.switches().iter().filter(|&&other| other != source) {
        let DrawnPaths { min, vlb, .. } =
            DrawnPaths::new(wiring.topology(), rule, source, destination);
        if vlb.iter().any(|path| (path.probability - vlb[0].probability).abs() > f64::EPSILON) {
            let [from, to] = [source, destination].map(|switch| wiring.names().named(switch));
            return Err(ExportError::refused(
                PROGRAM,
                "knows no weights of paths",
                format!(
                    "the set draws some paths from switch {from} to switch {to} more often than others"
                ),
                "sets that are drawn by route",
            ));
        }
        let _ = writeln!(text, "{destination}");
        write_paths(wiring, &mut text, min.iter().map(|path| &path.switches))?;
        write_paths(wiring, &mut text, vlb.iter().map(|path| &path.switches))?;
    }
    Ok(text)
}

/// Paths by their hops: a line has the numbers of local and of global ones, and the headers of its paths.
fn write_paths<'p>(
    wiring: &Wiring<'_>,
    text: &mut String,
    paths: impl Iterator<Item = &'p Walk>,
) -> Result<(), ExportError> {
    let df = wiring.dragonfly();
    let mut headers: BTreeMap<[usize; 2], String> = BTreeMap::new();
    for walk in paths {
        let switches = walk.switches();
        let group = |place: usize| df.place(switches[place]).0;
        let global = (1..switches.len()).filter(|&hop| group(hop - 1) != group(hop)).count();
        let first = (1..switches.len()).find(|&place| group(place) != group(0));
        let is_min = |first: usize| {
            let rest = minimal::direct(wiring.topology(), switches[first], walk.last());
            first <= 2 && rest.iter().any(|path| path.walk.switches() == &switches[first..])
        };
        if !first.is_none_or(is_min) {
            return Err(ExportError::refused(
                PROGRAM,
                "goes by MIN from where a path enters the intermediate group",
                format!("the path {} does not", walk.in_words(df, wiring.names())),
                "sets of shapes with at most one local hop in the middle",
            ));
        }
        // If a path leaves the group with its first hop, or never, HTSIM does not read the second number.
        let second = if first == Some(2) { switches[2] } else { SwitchId(0) };
        let line = headers.entry([walk.hops() - global, global]).or_default();
        let _ = write!(line, " {} {second}", switches[1]);
    }
    for ([local, global], headers) in headers {
        let _ = writeln!(text, "{local} {global}{headers}");
    }
    Ok(())
}
