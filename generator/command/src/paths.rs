//! `tvlb paths`.

use crate::args::Paths;
use crate::failure::{Failure, Outcome};
use crate::files::load_fabric;
use crate::output::{print, print_json};
use tvlb_generator::routes::count::RouteCounter;
use tvlb_generator::routes::text::PathListing;
use tvlb_schema::{Dragonfly, SwitchId};

pub(crate) fn run(arguments: &Paths) -> Outcome {
    let topology = load_fabric(&arguments.fabric)?.topology;
    let from = existing_switch("--from", arguments.from, topology.dragonfly())?;
    let to = existing_switch("--to", arguments.to, topology.dragonfly())?;
    let listing = PathListing::new(&RouteCounter::new(&topology), from, to, arguments.list);
    if arguments.json { print_json(&listing) } else { print(&listing) }
}

/// The switch that an option names.
pub(crate) fn existing_switch(
    option: &str,
    number: u32,
    df: &Dragonfly,
) -> Result<SwitchId, Failure> {
    u16::try_from(number).map(SwitchId).ok().filter(|&switch| df.has_switch(switch)).ok_or_else(
        || {
            Failure::Message(format!(
                "{option} {number}: there is no such switch; switches are 0 to {}{}",
                df.last_switch(),
                if df.is_even() { "" } else { ", with gaps after those of smaller groups" }
            ))
        },
    )
}
