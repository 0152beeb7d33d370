//! Pictures of the fabric: all groups on a ring with the links between them if they are few, one group with its
//! switches on a ring, and every global port in words.

use std::fmt::Write;
use tvlb_chart::escaped;
use tvlb_schema::{End, GroupId, SwitchIndex};
use tvlb_table_set::names::Names;
use tvlb_topology::Topology;
use tvlb_topology::dragonfly_plus::leaves;

/// With more groups than this, the lines cannot be told apart.
pub(super) const MOST_GROUPS: u32 = 16;
/// With more switches than this, a group's local links are not drawn.
const MOST_SWITCHES: u32 = 64;
/// With more global ports than this, only those of group 0 are listed.
const MOST_PORTS: u32 = 12_000;

const SIDE: f64 = 460.0;
const CENTRE: f64 = 230.0;

/// A place on a ring of `count`, the first at the top, clockwise.
pub(super) fn on_ring(number: u32, count: u32, radius: f64) -> (f64, f64) {
    let turn = std::f64::consts::TAU * f64::from(number) / f64::from(count);
    (CENTRE + radius * turn.sin(), CENTRE - radius * turn.cos())
}

pub(super) fn open(label: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIDE} {SIDE}\" role=\"img\" aria-label=\"{label}\">\n"
    )
}

/// The groups and their links; lines of pairs with fewer links than usual are marked.
pub(super) fn ring(topology: &Topology, names: &Names, odd: &[[GroupId; 2]]) -> String {
    let df = topology.dragonfly();
    let g = df.g();
    let mut svg = open("the groups and the links between them");
    for from in df.groups() {
        for to in df.groups().filter(|&to| from < to) {
            let links = topology.links(from, to).len();
            if links == 0 {
                continue;
            }
            let (x, y) = on_ring(from.0.into(), g, 190.0);
            let (to_x, to_y) = on_ring(to.0.into(), g, 190.0);
            let plural = if links == 1 { "" } else { "s" };
            let class = if odd.contains(&[from, to]) { "odd" } else { "cable" };
            let [name, to_name] = [from, to].map(|group| escaped(&names.after_group(group)));
            // Bent inwards, so that neighbours' links are not hidden by the ring.
            let _ = writeln!(
                svg,
                "<path class=\"{class}\" d=\"M{x:.1} {y:.1}Q{:.1} {:.1} {to_x:.1} {to_y:.1}\"><title>groups {from}{name} and {to}{to_name}: {links} link{plural}</title></path>",
                0.5 * CENTRE + 0.25 * (x + to_x),
                0.5 * CENTRE + 0.25 * (y + to_y)
            );
        }
    }
    let radius = (560.0 / f64::from(g)).clamp(3.0, 15.0);
    let name = |number: u16| escaped(&names.after_group(GroupId(number)));
    let groups = df.groups().map(|group| group.0.into());
    discs(&mut svg, (groups, g), 190.0, radius, ("group", &name));
    svg.push_str("</svg>\n");
    svg
}

/// One group's switches, the links among them, and a stub for every global port.
pub(super) fn group(topology: &Topology, names: &Names, group: GroupId) -> String {
    let df = topology.dragonfly();
    let (a, h) = (df.switches_of(group), u32::from(df.kind_of(group).h));
    let name = |number: u32| match u8::try_from(number) {
        Ok(index) => escaped(&names.after(df.switch(group, SwitchIndex(index)))),
        Err(_) => String::new(),
    };
    let mut svg = open(&format!("group {group} in detail"));
    for from in 0..a {
        for to in from + 1..a {
            if a > MOST_SWITCHES {
                continue;
            }
            let ((x, y), (to_x, to_y)) = (on_ring(from, a, 150.0), on_ring(to, a, 150.0));
            let _ = writeln!(
                svg,
                "<path class=\"local\" d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\"><title>switches {from}{} and {to}{}</title></path>",
                name(from),
                name(to)
            );
        }
    }
    for port in df.global_ports() {
        let Some(end) = topology.peer(End { group, port }) else { continue };
        let (index, slot) = df.split_port(port);
        let stubs = a * h;
        let number = u32::from(index.0) * h + u32::from(slot);
        // The stubs of a switch are spread around its own direction.
        let turn = (f64::from(number) - f64::from(h - 1) / 2.0) / f64::from(stubs);
        let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
        let (x, y) = on_ring(index.0.into(), a, 150.0);
        let (to_x, to_y) = (CENTRE + 215.0 * sin, CENTRE - 215.0 * cos);
        let far = df.split_port(end.port).0;
        let _ = writeln!(
            svg,
            "<path class=\"cable\" d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\"><title>switch {index}{}, global port {slot}: to group {}, switch {far}{}</title></path>",
            name(index.0.into()),
            end.group,
            escaped(&names.after(df.switch(end.group, far)))
        );
    }
    let radius = (420.0 / f64::from(a)).clamp(3.0, 15.0);
    let name = |number: u16| name(number.into());
    discs(&mut svg, (0..a, a), 150.0, radius, ("switch", &name));
    svg.push_str("</svg>\n");
    svg
}

/// Discs of these numbers on a ring, each with its name beside its number.
pub(super) fn discs(
    svg: &mut String,
    (numbers, count): (impl Iterator<Item = u32>, u32),
    ring: f64,
    radius: f64,
    (what, name): (&str, &dyn Fn(u16) -> String),
) {
    for number in numbers {
        let (x, y) = on_ring(number, count, ring);
        let _ = write!(
            svg,
            "<circle class=\"disc\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"><title>{what} {number}{}</title></circle>",
            u16::try_from(number).map_or(String::new(), name)
        );
        if radius > 7.0 {
            let _ = write!(
                svg,
                "<text class=\"mid\" x=\"{x:.1}\" y=\"{:.1}\">{number}</text>",
                y + 4.0
            );
        }
        svg.push('\n');
    }
}

pub(super) fn listed_groups(topology: &Topology) -> u32 {
    let df = topology.dragonfly();
    if df.port_count() <= MOST_PORTS { df.g() } else { 1 }
}

/// For each switch of a group, in words, where its global ports lead: group.switch, and the name of that switch if it
/// has one. Leaves have no global ports.
pub(super) fn ports_of(topology: &Topology, names: &Names, group: GroupId) -> Vec<Vec<String>> {
    let df = topology.dragonfly();
    let row = |index: SwitchIndex| {
        let ports = (0..df.kind_of(group).h).map(|slot| {
            let end = topology.peer(End { group, port: df.global_port(index, slot) });
            end.map_or("unused".to_owned(), |end| {
                let far = df.split_port(end.port).0;
                let name = names.after(df.switch(end.group, far));
                format!("{}.{far}{name}", end.group)
            })
        });
        vec![
            index.to_string(),
            names.named(df.switch(group, index)).to_string(),
            ports.collect::<Vec<_>>().join(if names.is_empty() { " " } else { ", " }),
        ]
    };
    let leaves = leaves(topology);
    let has_ports = |index: &SwitchIndex| !leaves.contains(&df.switch(group, *index));
    df.indices(group).filter(has_ports).map(row).collect()
}
