//! `tvlb cables`.

use crate::args::Cables;
use crate::failure::{Failure, Outcome};
use crate::output::print;
use tvlb_generator::topology::cable_list;
use tvlb_generator::topology::machine::{Plan, lay};
use tvlb_schema::Dragonfly;

pub(crate) fn run(arguments: &Cables) -> Outcome {
    let Cables { switches, ports, groups, links, service_groups, service_links } = *arguments;
    // How many nodes a switch has plays no part in the cables.
    let df = Dragonfly::new(1, switches, ports, groups).map_err(Failure::of)?;
    let plan = Plan { links, service_groups, service_links };
    print(&cable_list::write(&lay(df, plan).map_err(Failure::of)?))
}
