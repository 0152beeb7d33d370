//! The files for tvlb: the fabric file, the cable list, the names, and the links that are down.

use crate::machine::{LinkEnd, Machine};
use crate::numbering::{NodePort, Numbering};
use std::io::{self, Write};
use tvlb_base::text::field;

/// `fabric.toml`. `made_by` is the command that made it.
pub(crate) fn fabric(
    out: &mut dyn Write,
    made_by: &str,
    name: &str,
    numbering: &Numbering,
) -> io::Result<()> {
    writeln!(out, "# Made by `{made_by}`; what was assumed stands in assumptions.txt.")?;
    writeln!(out, "name = \"{name}\"\n")?;
    writeln!(out, "[dragonfly]\ncables = \"cables.csv\"\nnames = \"names.csv\"")?;
    for kind in &numbering.kinds {
        writeln!(out, "\n[[dragonfly.kinds]]\nname = \"{}\"", kind.name)?;
        let (groups, size, nodes, ports) = (kind.g, kind.a, kind.p, kind.h);
        writeln!(out, "g = {groups}\na = {size}\np = {nodes}\nh = {ports}")?;
    }
    Ok(())
}

/// A row of the cable list in the order of the list: group, index and slot of both ends. A local link
/// has no slots.
type Row = [(u32, u32, Option<u32>); 2];

/// `cables.csv`.
pub(crate) fn cables(
    out: &mut dyn Write,
    machine: &Machine,
    numbering: &Numbering,
) -> io::Result<()> {
    let rows = (0..machine.links.len()).map(|link| -> Row {
        if machine.is_local(&machine.links[link]) {
            let (group, indices) = numbering.local(machine, link);
            indices.map(|index| (group, index, None))
        } else {
            numbering.cable(machine, link).map(|(group, index, slot)| (group, index, Some(slot)))
        }
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.sort_unstable();
    writeln!(out, "from_group,from_switch,from_port,to_group,to_switch,to_port")?;
    for row in rows {
        for ((group, index, slot), end) in row.into_iter().zip([',', '\n']) {
            match slot {
                Some(slot) => write!(out, "{group},{index},{slot}{end}")?,
                None => write!(out, "{group},{index},local{end}")?,
            }
        }
    }
    Ok(())
}

/// `names.csv`. A row without a name says that there is no node at a port.
pub(crate) fn names(
    out: &mut dyn Write,
    machine: &Machine,
    numbering: &Numbering,
) -> io::Result<()> {
    writeln!(out, "group,switch,port,name,physical")?;
    let mut nodes = numbering.nodes.iter().peekable();
    let mut locals = numbering.locals.iter().peekable();
    let mut globals = numbering.globals.iter().peekable();
    // By group the nodes of a switch, as far as the group's kind has them.
    let kinds = numbering.kinds.iter();
    let places: Vec<u32> =
        kinds.flat_map(|kind| std::iter::repeat_n(kind.p, kind.g as usize)).collect();
    for (group, range) in (0_u32..).zip(numbering.starts.windows(2)) {
        let name = numbering.group_name(machine, group);
        if !name.is_empty() {
            writeln!(out, "{group},,,{},", field(name))?;
        }
        for (index, number) in (0_u32..).zip(range[0]..range[1]) {
            let switch = &machine.switches[numbering.switches[number as usize] as usize];
            writeln!(out, "{group},{index},,{},", field(&switch.name))?;
            for slot in 0..places[group as usize] {
                let here = |node: &&NodePort| (node.switch, node.slot) == (number, slot);
                let Some(node) = nodes.next_if(here) else {
                    writeln!(out, "{group},{index},node {slot},,")?;
                    continue;
                };
                let port = machine.nodes[node.node as usize].port;
                let name = machine.node_names.get(machine.nodes[node.node as usize].name);
                let physical = physical(machine, numbering.end(number, port));
                writeln!(out, "{group},{index},node {slot},{},{physical}", field(name))?;
            }
            let mut port = |kind: &str, port: u32| {
                let end = numbering.end(number, port);
                let (name, physical) = (machine.port_name(end).to_string(), physical(machine, end));
                writeln!(out, "{group},{index},{kind},{},{physical}", field(&name))
            };
            while let Some(local) = locals.next_if(|local| local.switch == number) {
                port(&format!("local {} {}", local.peer, local.nth), local.port)?;
            }
            while let Some(global) = globals.next_if(|global| global.switch == number) {
                port(&format!("global {}", global.slot), global.port)?;
            }
        }
    }
    Ok(())
}

/// `down.txt`.
pub(crate) fn down(
    out: &mut dyn Write,
    machine: &Machine,
    numbering: &Numbering,
) -> io::Result<()> {
    let lines = machine.down.iter().map(|number| {
        let link = &machine.links[*number as usize];
        let name = machine.link_name(link.ends);
        if machine.is_local(link) {
            let (group, [low, high]) = numbering.local(machine, *number as usize);
            let nth = numbering.nth(machine, *number as usize);
            let text = format!("local ({group},{low})-({group},{high}):{nth} # {name}");
            (0, group, low, high, text)
        } else {
            let [(group, index, slot), _] = numbering.cable(machine, *number as usize);
            (1, group, index, slot, format!("cable ({group},{index}):{slot} # {name}"))
        }
    });
    let mut lines: Vec<_> = lines.collect();
    lines.sort_unstable();
    lines.iter().try_for_each(|(.., text)| writeln!(out, "{text}"))
}

fn physical(machine: &Machine, end: LinkEnd) -> String {
    machine.physical_port(end).map(|number| number.to_string()).unwrap_or_default()
}

/// A fabric's name made of this text.
pub(crate) fn fabric_name(text: &str) -> String {
    const MOST: usize = 64;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let name: String = text.chars().map(|c| if is_plain(c) { c } else { '-' }).take(MOST).collect();
    if name.is_empty() { "machine".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fabrics_name_is_made_fit() {
        assert_eq!(fabric_name("Shasta_system_hsn_pt_pt"), "Shasta_system_hsn_pt_pt");
        assert_eq!(fabric_name("my café (1)"), "my-caf---1-");
        assert_eq!(fabric_name(""), "machine");
        assert_eq!(fabric_name(&"a".repeat(99)).len(), 64);
    }
}
