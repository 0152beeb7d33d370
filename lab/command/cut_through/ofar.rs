//! What `tvlb-lab cut-through` takes for OFAR: the escape network, and the rules by which switches decide.

use clap::{Args, ValueEnum};
use tvlb::failure::Failure;
use tvlb::files::{read_names, switch};
use tvlb::tables::Tables;
use tvlb_generator::escape::find;
use tvlb_schema::{EscapeImage, EscapeKind, LocalPercent, OfarRules, encode_escape_image};
use tvlb_table_set::names::Parts;
use tvlb_topology::Topology;

/// An escape network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Network {
    /// A way through all switches and back, in both directions
    Ring,
    /// Every switch hangs below one other
    Tree,
}

/// The options of OFAR.
#[derive(Args)]
pub(super) struct Options {
    /// The network by which packets go on where nothing else has room, found on the wiring of the table set
    /// [default: that of the table set's escape image, or else ring]
    #[arg(long, value_enum, ignore_case = true, value_name = "NETWORK", help_heading = "OFAR")]
    escape: Option<Network>,
    /// The switch above all others in a tree [default: the first of group g/2]
    #[arg(long, value_name = "SWITCH", help_heading = "OFAR")]
    escape_root: Option<String>,
    /// A packet leaves its node only into a buffer with room for so many packets beside it; 0 for no such control
    /// [default: the escape image's, or else 2]
    #[arg(long, value_name = "PACKETS", help_heading = "OFAR")]
    bubble: Option<u8>,
    /// Nothing leaves the nodes of a switch all of whose outputs of the escape network are used above this
    /// share; 100 for no such control [default: the escape image's, or else 100]
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = clap::value_parser!(u8).range(0..=100),
        help_heading = "OFAR"
    )]
    throttle: Option<u8>,
    /// A packet is misrouted within a group only where the share in use is at most this much of that of the
    /// minimal output; three numbers for its source group, groups between, and its destination's
    /// [default: the escape image's, or else 90]
    #[arg(long, value_name = "PERCENT", value_parser = local_percent, help_heading = "OFAR")]
    local_percent: Option<LocalPercent>,
    /// A packet is misrouted to another group only where the share in use is at most this much of that of the
    /// minimal output [default: the escape image's, or else 90]
    #[arg(long, value_name = "PERCENT", help_heading = "OFAR")]
    global_percent: Option<u8>,
    /// A packet is misrouted only where at least this share of its minimal output is in use; 0 for no such threshold
    /// [default: the escape image's, or else 0]
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = clap::value_parser!(u8).range(0..=100),
        help_heading = "OFAR"
    )]
    least_percent: Option<u8>,
    /// Misroute a packet only if its minimal output was given to another packet in the same cycle
    #[arg(long, help_heading = "OFAR")]
    strict: bool,
    /// Weigh the shares in use by the hops of the path that begins with an output, and take the misroute that weighs
    /// least
    #[arg(long, help_heading = "OFAR")]
    by_length: bool,
    /// After so many entries into the escape network a packet stays there; 0 for any number of entries
    /// [default: the escape image's, or else 15]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(0..=15),
        help_heading = "OFAR"
    )]
    most_entries: Option<u8>,
}

/// One percentage, or one for each place.
fn local_percent(text: &str) -> Result<LocalPercent, String> {
    let refused = || "accepted a number from 0 to 255, or three with commas between".to_owned();
    let numbers: Result<Vec<u8>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.map_err(|_| refused())?[..] {
        [percent] => Ok(LocalPercent::all(percent)),
        [source, middle, destination] => Ok(LocalPercent { source, middle, destination }),
        _ => Err(refused()),
    }
}

/// An escape network as a run takes it.
pub(super) struct Escape {
    /// Its image.
    pub(super) image: Vec<u8>,
    /// What it is in words.
    pub(super) words: String,
    /// How switches decide where no option says otherwise.
    rules: OfarRules,
}

impl Options {
    /// The first option that is given, which says nothing where no packet decides at every hop.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--escape", self.escape.is_some()),
            ("--escape-root", self.escape_root.is_some()),
            ("--bubble", self.bubble.is_some()),
            ("--throttle", self.throttle.is_some()),
            ("--local-percent", self.local_percent.is_some()),
            ("--global-percent", self.global_percent.is_some()),
            ("--least-percent", self.least_percent.is_some()),
            ("--strict", self.strict),
            ("--by-length", self.by_length),
            ("--most-entries", self.most_entries.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// The rules, with the canonical virtual channels of links within groups and between them, if they are given.
    pub(super) fn rules(
        &self,
        escape: Option<&Escape>,
        by_set: bool,
        channels: [Option<u8>; 2],
    ) -> OfarRules {
        let plain = escape.map_or_else(OfarRules::default, |escape| escape.rules);
        OfarRules {
            local_channels: channels[0].unwrap_or(plain.local_channels),
            global_channels: channels[1].unwrap_or(plain.global_channels),
            local_percent: self.local_percent.unwrap_or(plain.local_percent),
            global_percent: self.global_percent.unwrap_or(plain.global_percent),
            least_percent: self.least_percent.unwrap_or(plain.least_percent),
            strict: self.strict || plain.strict,
            by_set,
            by_length: self.by_length || plain.by_length,
            bubble: self.bubble.unwrap_or(plain.bubble),
            throttle_percent: self.throttle.unwrap_or(plain.throttle_percent),
            most_entries: self.most_entries.unwrap_or(plain.most_entries),
        }
    }

    /// The escape network of a table set: that of its image, or one that is found on its wiring.
    pub(super) fn escape(&self, tables: &Tables, fabric: &[u8]) -> Result<Escape, Failure> {
        let fabric = tables.decode(fabric)?;
        let kind = match self.escape {
            None => match tables.set.escape_image().map_err(Failure::of)? {
                Some(image) if self.escape_root.is_none() => {
                    let path = tables.set.escape_path();
                    let in_file = |error| Failure::Message(format!("{}: {error}", path.display()));
                    let read = EscapeImage::decode(&image, &fabric).map_err(in_file)?;
                    let words = format!("the table set's escape {}", read.kind().name());
                    let rules = *read.rules();
                    return Ok(Escape { image, words, rules });
                }
                _ => EscapeKind::Ring,
            },
            Some(Network::Ring) => EscapeKind::Ring,
            Some(Network::Tree) => EscapeKind::Tree,
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
