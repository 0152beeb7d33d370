//! `tvlb cables`.

use crate::args::{Between, Cables};
use crate::failure::{Failure, Outcome};
use crate::output::print;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::FabricFile;
use tvlb_schema::{Dragonfly, GroupId};
use tvlb_topology::machine::{Plan, lay, lay_between};
use tvlb_topology::{Topology, cable_list};

pub(crate) fn run(arguments: &Cables) -> Outcome {
    let topology = match &arguments.fabric {
        Some(path) => of_kinds(path, &arguments.between)?,
        None => of_equal_groups(arguments)?,
    };
    if topology.cables().is_empty() {
        return Err(Failure::Message(
            "these options ask for no link between any two groups, accepted at least one"
                .to_owned(),
        ));
    }
    print(&cable_list::write(&topology))
}

fn of_equal_groups(arguments: &Cables) -> Result<Topology, Failure> {
    let Cables { switches, ports, groups, links, service_groups, service_links, .. } = *arguments;
    // The parser asks for all four, but where there is a fabric file.
    let [a, h, g, links] = [switches, ports, groups, links].map(Option::unwrap_or_default);
    // How many nodes a switch has plays no part in the cables.
    let df = Dragonfly::new(1, a, h, g).map_err(Failure::of)?;
    lay(df, Plan { links, service_groups, service_links }).map_err(Failure::of)
}

/// The cables of a fabric file with kinds of groups.
fn of_kinds(path: &Path, between: &[Between]) -> Result<Topology, Failure> {
    let file = Fabric::load_file(path).map_err(Failure::of)?;
    let FabricFile { dragonfly: df, kind_names: names, .. } = &file;
    let shown = path.display();
    if names.is_empty() {
        return Err(Failure::Message(format!(
            "{shown}: it has no kinds of groups, accepted a fabric file with dragonfly.kinds; for groups \
             that are all alike, give -a, -H, -g and --links"
        )));
    }
    let mut links = vec![None; names.len() * names.len()];
    for Between { kinds, links: count } in between {
        let place = |name: &String| {
            names.iter().position(|known| known == name).ok_or_else(|| {
                Failure::Message(format!(
                    "--between {},{}={count}: {shown} has no kind {}, accepted {}",
                    kinds[0],
                    kinds[1],
                    tvlb_base::text::quoted(name),
                    names.join(", ")
                ))
            })
        };
        let (one, other) = (place(&kinds[0])?, place(&kinds[1])?);
        for cell in [one * names.len() + other, other * names.len() + one] {
            if links[cell].replace(*count).is_some_and(|known| known != *count) {
                return Err(Failure::Message(format!(
                    "--between {},{}={count}: the links between these kinds are given a second time",
                    kinds[0], kinds[1]
                )));
            }
        }
    }
    let groups: Vec<usize> = file.kinds_of_groups();
    let mut missing = None;
    for (i, &one) in groups.iter().enumerate() {
        for &other in &groups[i + 1..] {
            if links[one * names.len() + other].is_none() {
                missing = missing.or(Some((one, other)));
            }
        }
    }
    if let Some((one, other)) = missing {
        return Err(Failure::Message(format!(
            "--between {},{}=LINKS is missing: how many links there are between groups of these kinds, \
             0 or more",
            names[one], names[other]
        )));
    }
    lay_between(*df, |i: GroupId, j: GroupId| {
        let cell = groups[i.as_usize()] * names.len() + groups[j.as_usize()];
        links[cell].unwrap_or(0)
    })
    .map_err(Failure::of)
}
