//! `tvlb cables`.

use crate::failure::{Failure, Outcome};
use crate::output::print;
use clap::Args;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::FabricFile;
use tvlb_schema::{Dragonfly, GroupId};
use tvlb_topology::machine::{MachinePlan, lay, lay_between};
use tvlb_topology::{Topology, cable_list};

/// Write the cable list of a machine-like wiring: some links between each two groups, ports to spare
///
/// Groups that are all alike are given by -a, -H, -g and --links. Groups of several kinds are those of
/// a fabric file, and --between says how many links there are between groups of which kinds. The cable
/// list that the fabric file names need not exist yet: this command prints it.
#[derive(Args)]
pub(crate) struct CablesOptions {
    /// Switches per group
    #[arg(short = 'a', long, value_name = "N", required_unless_present = "fabric")]
    pub switches: Option<u32>,
    /// Global ports per switch
    #[arg(short = 'H', long, value_name = "N", required_unless_present = "fabric")]
    pub ports: Option<u32>,
    /// Groups
    #[arg(short = 'g', long, value_name = "N", required_unless_present = "fabric")]
    pub groups: Option<u32>,
    /// Links between each two groups
    #[arg(short, long, value_name = "N", required_unless_present = "fabric")]
    pub links: Option<u32>,
    /// How many of the groups, the last ones, are service groups
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub service_groups: u32,
    /// Links between a service group and any other
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub service_links: u32,
    /// A fabric file with kinds of groups
    #[arg(
        long,
        value_name = "FILE",
        requires = "between",
        conflicts_with_all = ["switches", "ports", "groups", "links", "service_groups", "service_links"]
    )]
    pub fabric: Option<PathBuf>,
    /// Links between each two groups of these kinds, by their names in the fabric file; once for each
    /// two kinds
    #[arg(long, value_name = "KIND,KIND=LINKS", requires = "fabric")]
    pub between: Vec<KindLinks>,
}

/// Links between groups of two kinds.
#[derive(Clone, Debug)]
pub(crate) struct KindLinks {
    /// The names of the kinds.
    pub kinds: [String; 2],
    pub links: u32,
}

impl FromStr for KindLinks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=').and_then(|(kinds, links)| {
            let (one, other) = kinds.split_once(',')?;
            let kinds = [one.trim().to_owned(), other.trim().to_owned()];
            Some(Self { kinds, links: links.trim().parse().ok()? })
        });
        parts.ok_or_else(|| "accepted KIND,KIND=LINKS, as in compute,storage=2".to_owned())
    }
}

pub(crate) fn run(arguments: &CablesOptions) -> Outcome {
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

fn of_equal_groups(arguments: &CablesOptions) -> Result<Topology, Failure> {
    let CablesOptions { switches, ports, groups, links, service_groups, service_links, .. } =
        *arguments;
    // The parser asks for all four, but where there is a fabric file.
    let [a, h, g, links] = [switches, ports, groups, links].map(Option::unwrap_or_default);
    // How many nodes a switch has plays no part in the cables.
    let df = Dragonfly::new(1, a, h, g).map_err(Failure::of)?;
    lay(df, MachinePlan { links, service_groups, service_links }).map_err(Failure::of)
}

/// The cables of a fabric file with kinds of groups.
fn of_kinds(path: &Path, between: &[KindLinks]) -> Result<Topology, Failure> {
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
    for KindLinks { kinds, links: count } in between {
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
