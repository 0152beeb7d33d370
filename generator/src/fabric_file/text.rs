//! The text of a fabric file, with every default spelled out: [`FabricFile::parse`] of it gives the same file.
//!
//! Every struct is destructured field by field, so that the compiler points here when a field is added.

use super::sections::{
    AUTO, DESTINATION_WINDOW, INJECTION, LEAVES, LOCAL_LINKS, NO_WINDOW, SPINES, TELLING,
    bandwidth_key,
};
use super::{DestinationWindow, FabricFile, Latencies, Wiring};
use crate::policy::OpenPolicies;
use std::fmt::{self, Display, Formatter};
use std::path::Path;
use tvlb_base::parameter::Parameters;
use tvlb_base::table::Cell;
use tvlb_schema::{Decision, Dragonfly, GroupId, GroupKind, LinkKind, PerDecision};
use tvlb_table_set::grammar::canonical;
use tvlb_table_set::{Injection, OpenWeighing};
use tvlb_topology::arrangement::Arrangement;

impl Display for FabricFile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            seed,
            dragonfly,
            kind_names,
            kind_groups,
            wiring,
            names,
            latencies: Latencies { local, global },
            bandwidths,
            buffer_flits,
            destination_window,
            injection,
            telling_cycles,
            virtual_channels,
            policies: OpenPolicies { sets, weighing },
        } = self;
        writeln!(f, "name = \"{name}\"\nseed = {seed}\n\n[dragonfly]")?;
        // The kinds of a Dragonfly that comes from no file have no names.
        let has_kinds = !kind_names.is_empty() || !dragonfly.is_even();
        if let Wiring::Arrangement(Arrangement::DragonflyPlus { leaves }) = *wiring {
            let GroupKind { p, a, h, g, local_links } = dragonfly.kind_of(GroupId(0));
            let spines = a - u16::from(leaves);
            writeln!(f, "p = {p}\n{LEAVES} = {leaves}\n{SPINES} = {spines}\nh = {h}\ng = {g}")?;
            writeln!(f, "{LOCAL_LINKS} = {local_links}")?;
        } else if !has_kinds {
            sizes(f, dragonfly.kind_of(GroupId(0)))?;
        }
        match wiring {
            Wiring::Arrangement(arrangement) => writeln!(f, "arrangement = \"{arrangement}\"")?,
            Wiring::Cables(path) => writeln!(f, "cables = {}", quoted_path(path))?,
        }
        if let Some(path) = names {
            writeln!(f, "names = {}", quoted_path(path))?;
        }
        if has_kinds {
            kinds(f, dragonfly, kind_names, kind_groups)?;
        }
        writeln!(f, "\n[links]\nlocal-latency = {local}\nglobal-latency = {global}")?;
        for kind in LinkKind::ALL {
            writeln!(f, "{} = {}", bandwidth_key(kind), bandwidths.of(kind))?;
        }
        if let Some(flits) = buffer_flits {
            writeln!(f, "buffer = {flits}")?;
        }
        match destination_window {
            DestinationWindow::Usual => {}
            DestinationWindow::None => writeln!(f, "{DESTINATION_WINDOW} = \"{NO_WINDOW}\"")?,
            DestinationWindow::Limits(limits) => {
                writeln!(f, "{DESTINATION_WINDOW} = \"{limits}\"")?;
            }
        }
        if *injection != Injection::Zero {
            writeln!(f, "{INJECTION} = \"{}\"", injection.name())?;
        }
        if let Some(cycles) = telling_cycles {
            writeln!(f, "{TELLING} = {cycles}")?;
        }
        writeln!(f, "\n[routing]")?;
        if let Some(assignment) = virtual_channels {
            writeln!(f, "virtual-channels = \"{}\"", assignment.name())?;
        }
        weights(f, weighing)?;
        match sets {
            None => writeln!(f, "set = \"{AUTO}\""),
            Some(sets) => per_decision(f, "set", &sets.map(|rule| quoted(&canonical(rule)))),
        }
    }
}

/// A table of each kind of groups, named as by [`FabricFile::kind_names`].
fn kinds(f: &mut Formatter<'_>, df: &Dragonfly, names: &[String], counts: &[u16]) -> fmt::Result {
    let mut first = 0;
    for (name, &count) in names.iter().zip(counts) {
        writeln!(f, "\n[[dragonfly.kinds]]\nname = \"{name}\"")?;
        sizes(f, GroupKind { g: count, ..df.kind_of(GroupId(first)) })?;
        first += count;
    }
    if names.is_empty() {
        for kind in df.kinds() {
            writeln!(f, "\n[[dragonfly.kinds]]")?;
            sizes(f, kind)?;
        }
    }
    Ok(())
}

fn sizes(f: &mut Formatter<'_>, kind: GroupKind) -> fmt::Result {
    let GroupKind { p, a, h, g, local_links } = kind;
    writeln!(f, "p = {p}\na = {a}\nh = {h}\ng = {g}\n{LOCAL_LINKS} = {local_links}")
}

/// The stated weighing; what it leaves to a choice or to the sets is left out.
fn weights(f: &mut Formatter<'_>, open: &PerDecision<OpenWeighing>) -> fmt::Result {
    for parameter in OpenWeighing::ALL {
        let said = open.map(|open| parameter.get(open));
        match said.par_second {
            Cell::Nothing => {}
            // Only PAR's second look has one.
            min if parameter.name == "second-min" => writeln!(f, "second-min = \"{min}\"")?,
            _ => per_decision(f, parameter.name, &said.map(value))?,
        }
    }
    Ok(())
}

/// A value as in TOML: numbers without quotes.
fn value(cell: &Cell) -> String {
    let text = cell.to_string();
    if text.parse::<f64>().is_ok() { text } else { quoted(&text) }
}

/// A single value if all decisions agree, else a table.
fn per_decision<T: Display + PartialEq>(
    f: &mut Formatter<'_>,
    key: &str,
    values: &PerDecision<T>,
) -> fmt::Result {
    let PerDecision { ugal_l, par_source, par_second } = values;
    if ugal_l == par_source && ugal_l == par_second {
        return writeln!(f, "{key} = {ugal_l}");
    }
    let of = |decision: Decision| format!("{} = {}", decision.name(), values.get(decision));
    writeln!(f, "{key} = {{ {} }}", Decision::ALL.map(of).join(", "))
}

fn quoted_path(path: &Path) -> String {
    quoted(&path.to_string_lossy())
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}
