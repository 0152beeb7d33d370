//! Escape networks as lists: for an escape image, as CSV with a line for each switch, and for Graphviz.

use super::{Ring, Tree};
use std::fmt::Write;
use tvlb_ofar::{EscapeImage, EscapeKind, EscapeNetwork};
use tvlb_schema::{Dragonfly, FabricImage, Port, SwitchId};

impl Ring {
    /// The ring as an escape image takes it.
    pub fn network(&self) -> EscapeNetwork {
        EscapeNetwork::Ring(self.hops.iter().map(|hop| (hop.switch, hop.port)).collect())
    }
}

impl Tree {
    /// The tree as an escape image takes it.
    pub fn network(&self, df: &Dragonfly) -> EscapeNetwork {
        let mut switches: Vec<SwitchId> = df.switches().collect();
        switches.sort_unstable_by_key(|switch| self.order[switch.as_usize()]);
        let hangs = switches.into_iter().map(|switch| {
            let at = switch.as_usize();
            (switch, self.parents[at].map(|(_, port)| port), self.sizes[at] - 1)
        });
        EscapeNetwork::Tree(hangs.collect())
    }
}

/// The port by which the network leads on from a switch, and the switch there: the next of a ring, or the one above in
/// a tree, which its root has not.
fn onward(
    image: &EscapeImage<'_>,
    fabric: &FabricImage<'_>,
    switch: SwitchId,
) -> Option<(Port, SwitchId)> {
    let place = image.place(switch);
    let port = match image.kind() {
        EscapeKind::Ring => image.ring_ports(place).0,
        EscapeKind::Tree => Some(image.tree_port(place, 0)).filter(|_| place > 0)?,
    };
    fabric.far_end(switch, port).map(|(far, _)| (port, far))
}

/// The network of an image as CSV. Of a ring `place,switch,port,next`: each switch in the order of the ring, its port
/// towards the next one, and that one. Of a tree `switch,above,port,place,size`: each switch by rising number, the
/// switch above it and its port towards that (neither for the root), its place in the order in which each switch comes
/// before those below it, and how many switches it and those below it are.
pub fn csv(image: &EscapeImage<'_>, fabric: &FabricImage<'_>) -> String {
    let mut text = String::new();
    let mut row = |cells: std::fmt::Arguments<'_>| {
        writeln!(text, "{cells}").expect("a string takes all that is written");
    };
    match image.kind() {
        EscapeKind::Ring => {
            row(format_args!("place,switch,port,next"));
            for (place, switch) in (0..image.len()).map(|place| (place, image.switch_at(place))) {
                let (port, next) = onward(image, fabric, switch).expect("a ring has no end");
                row(format_args!("{place},{switch},{port},{next}"));
            }
        }
        EscapeKind::Tree => {
            row(format_args!("switch,above,port,place,size"));
            for switch in fabric.dragonfly().switches() {
                let up = onward(image, fabric, switch);
                let up = up.map_or(",".to_owned(), |(port, above)| format!("{above},{port}"));
                let (place, size) = (image.place(switch), image.below(image.place(switch)) + 1);
                row(format_args!("{switch},{up},{place},{size}"));
            }
        }
    }
    text
}

/// The network of an image in the DOT language of Graphviz: an arrow from each switch to the next of a ring, or to the
/// one above in a tree, with the port by which it leaves.
pub fn dot(image: &EscapeImage<'_>, fabric: &FabricImage<'_>) -> String {
    let mut text = format!("digraph escape {{\n  label=\"escape {}\";\n", image.kind().name());
    for switch in (0..image.len()).map(|place| image.switch_at(place)) {
        if let Some((port, far)) = onward(image, fabric, switch) {
            writeln!(text, "  {switch} -> {far} [taillabel={port}];")
                .expect("a string takes all that is written");
        }
    }
    text + "}\n"
}
