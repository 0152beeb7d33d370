//! `tvlb topology`.

use crate::args::{Format, Topology};
use crate::failure::Outcome;
use crate::files::load_fabric;
use crate::output::{print, print_json};
use tvlb_generator::topology::cable_list;
use tvlb_generator::topology::graphviz::{Detail, picture};
use tvlb_generator::topology::summary::TopologySummary;

pub(crate) fn run(arguments: &Topology) -> Outcome {
    let fabric = load_fabric(&arguments.fabric)?;
    let topology = fabric.topology;
    match arguments.format {
        Format::Summary if arguments.json => {
            print_json(&TopologySummary::named(&topology, &fabric.names))
        }
        Format::Summary => print(&TopologySummary::named(&topology, &fabric.names)),
        Format::Csv => print(&cable_list::write(&topology)),
        Format::Dot => print(&picture(&topology, Detail::Groups)),
        Format::DotSwitches => print(&picture(&topology, Detail::Switches)),
    }
}
