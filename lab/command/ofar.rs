//! The options of OFAR: the escape network, and the rules by which switches decide.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tvlb::failure::Failure;
use tvlb::files::{read_names, switch};
use tvlb::tables::Tables;
use tvlb_lab::escape::find;
use tvlb_ofar::{EscapeImage, EscapeKind, LocalPercent, OfarRules, encode_escape_image};
use tvlb_table_set::input_file::read_given;
use tvlb_table_set::names::Parts;
use tvlb_topology::Topology;

/// The most bytes of an escape image.
const MOST_BYTES: u64 = 1 << 20;

/// An escape network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EscapeShape {
    /// A closed path through all switches, in both directions
    Ring,
    /// A tree of all switches
    Tree,
}

/// Which escape network.
#[derive(Args)]
pub(crate) struct NetworkOptions {
    /// The network on which packets go on if nothing else has room, found on the wiring of the table set [default:
    /// ring]
    #[arg(long, value_enum, ignore_case = true, value_name = "NETWORK", help_heading = "OFAR")]
    escape: Option<EscapeShape>,
    /// The root of a tree [default: the first switch of group g/2]
    #[arg(long, value_name = "SWITCH", help_heading = "OFAR")]
    escape_root: Option<String>,
    /// Use the network of an escape image instead, which `tvlb-lab escape` has written, and its rules unless options
    /// say otherwise
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["escape", "escape_root"],
        help_heading = "OFAR"
    )]
    escape_image: Option<PathBuf>,
}

/// By which rules switches decide.
#[derive(Args)]
pub(crate) struct RuleOptions {
    /// A packet leaves its node only into a buffer with room for N packets besides it; 0 for no limit [default: the
    /// escape image's, or else 2]
    #[arg(long, value_name = "PACKETS", help_heading = "OFAR")]
    bubble: Option<u8>,
    /// Nothing leaves the nodes of a switch whose outputs of the escape network are all used above this share; 100 for
    /// no limit [default: the escape image's, or else 100]
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = clap::value_parser!(u8).range(0..=100),
        help_heading = "OFAR"
    )]
    throttle: Option<u8>,
    /// A packet is misrouted within a group only if the output's share in use is at most this much of the minimal
    /// output's; three numbers are for its source group, groups between, and its destination's [default: the escape
    /// image's, or else 90]
    #[arg(long, value_name = "PERCENT", value_parser = local_percent, help_heading = "OFAR")]
    local_percent: Option<LocalPercent>,
    /// A packet is misrouted to another group only if the output's share in use is at most this much of the minimal
    /// output's [default: the escape image's, or else 90]
    #[arg(long, value_name = "PERCENT", help_heading = "OFAR")]
    global_percent: Option<u8>,
    /// A packet is misrouted only if at least this share of its minimal output is in use; 0 for no threshold [default:
    /// the escape image's, or else 0]
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = clap::value_parser!(u8).range(0..=100),
        help_heading = "OFAR"
    )]
    least_percent: Option<u8>,
    /// Misroute a packet only if another packet got its minimal output in the same cycle
    #[arg(long, help_heading = "OFAR")]
    strict: bool,
    /// Multiply the shares in use by the hops of the path through an output; misroute to the least product
    #[arg(long, help_heading = "OFAR")]
    by_length: bool,
    /// After this many entries into the escape network a packet stays there; 0 for no limit [default: the escape
    /// image's, or else 15]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(0..=15),
        help_heading = "OFAR"
    )]
    most_entries: Option<u8>,
}

/// One percentage, or three for the three places.
fn local_percent(text: &str) -> Result<LocalPercent, String> {
    let refused = || "accepted a number from 0 to 255, or three with commas between".to_owned();
    let numbers: Result<Vec<u8>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.map_err(|_| refused())?[..] {
        [percent] => Ok(LocalPercent::all(percent)),
        [source, middle, destination] => Ok(LocalPercent { source, middle, destination }),
        _ => Err(refused()),
    }
}

/// An escape network.
pub(crate) struct Escape {
    /// Its image.
    pub(crate) image: Vec<u8>,
    /// Its description.
    pub(crate) words: String,
    /// The rules by default.
    pub(crate) rules: OfarRules,
}

impl RuleOptions {
    /// These rules, overridden by the options.
    pub(crate) fn over(&self, rules: OfarRules) -> OfarRules {
        OfarRules {
            local_percent: self.local_percent.unwrap_or(rules.local_percent),
            global_percent: self.global_percent.unwrap_or(rules.global_percent),
            least_percent: self.least_percent.unwrap_or(rules.least_percent),
            strict: self.strict || rules.strict,
            by_length: self.by_length || rules.by_length,
            bubble: self.bubble.unwrap_or(rules.bubble),
            throttle_percent: self.throttle.unwrap_or(rules.throttle_percent),
            most_entries: self.most_entries.unwrap_or(rules.most_entries),
            ..rules
        }
    }
}

impl NetworkOptions {
    /// Whether the network comes from an existing image.
    pub(crate) const fn is_given(&self) -> bool {
        self.escape_image.is_some()
    }

    /// The escape network: that of an image, or one found on the wiring of a table set. A fault in an image is a
    /// finding.
    pub(crate) fn escape(&self, tables: &Tables, fabric: &[u8]) -> Result<Escape, Failure> {
        let fabric = tables.decode(fabric)?;
        if let Some(path) = &self.escape_image {
            let image = read_given(path, MOST_BYTES).map_err(|error| {
                Failure::Message(format!("{}: cannot read it: {error}", path.display()))
            })?;
            let read = EscapeImage::decode(&image, &fabric);
            let read =
                read.map_err(|error| Failure::Finding(format!("{}: {error}", path.display())))?;
            let words = format!("escape {} of {}", read.kind().name(), path.display());
            let rules = *read.rules();
            return Ok(Escape { image, words, rules });
        }
        let kind = match self.escape {
            None | Some(EscapeShape::Ring) => EscapeKind::Ring,
            Some(EscapeShape::Tree) => EscapeKind::Tree,
        };
        if self.escape_root.is_some() && kind == EscapeKind::Ring {
            let what = "--escape-root: accepted with --escape tree, which has a root";
            return Err(Failure::Message(what.to_owned()));
        }
        let topology = Topology::of_image(&fabric);
        let names = read_names(&tables.set, topology.dragonfly())?;
        let parts = Parts::new(topology.dragonfly(), &names);
        let root = self.escape_root.as_ref().map(|text| switch("--escape-root", text, &parts));
        let found = find(&topology, kind, root.transpose()?).map_err(Failure::of)?;
        let words = format!("escape {}, {}", kind.name(), found.found_by);
        let rules = OfarRules::default();
        let image = encode_escape_image(&fabric, &found.network, &rules).map_err(Failure::of)?;
        Ok(Escape { image, words, rules })
    }
}
