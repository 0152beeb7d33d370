//! What `tvlb cut-through` takes for OFAR: the escape network, and the rules by which switches decide.

use crate::failure::Failure;
use clap::{Args, ValueEnum};
use tvlb_generator::topology::Topology;
use tvlb_generator::topology::escape::{Ring, Tree};
use tvlb_schema::{FabricImage, OfarRules, SwitchId, encode_escape_image};

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
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        value_name = "NETWORK",
        default_value_t = Network::Ring,
        help_heading = "OFAR"
    )]
    escape: Network,
    /// The switch above all others in a tree [default: the first of group g/2]
    #[arg(long, value_name = "SWITCH", help_heading = "OFAR")]
    escape_root: Option<u16>,
    /// A packet leaves its node only into a buffer with room for so many packets beside it; 0 for no such control
    #[arg(long, value_name = "PACKETS", default_value_t = 2, help_heading = "OFAR")]
    bubble: u8,
    /// Nothing leaves the nodes of a switch all of whose outputs of the escape network are used above this
    /// share; 100 for no such control
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 100,
        value_parser = clap::value_parser!(u8).range(0..=100),
        help_heading = "OFAR"
    )]
    throttle: u8,
    /// A packet is misrouted within a group only where the share in use is at most this much of that of the
    /// minimal output
    #[arg(long, value_name = "PERCENT", default_value_t = 90, help_heading = "OFAR")]
    local_percent: u8,
    /// The same of misroutes to another group
    #[arg(long, value_name = "PERCENT", default_value_t = 90, help_heading = "OFAR")]
    global_percent: u8,
    /// Misroute a packet only if its minimal output was given to another packet in the same cycle
    #[arg(long, help_heading = "OFAR")]
    strict: bool,
    /// After so many entries into the escape network a packet stays there
    #[arg(
        long,
        value_name = "N",
        default_value_t = 15,
        value_parser = clap::value_parser!(u8).range(1..=15),
        help_heading = "OFAR"
    )]
    most_entries: u8,
}

impl Options {
    /// The rules, with the canonical virtual channels of links within groups and between them, if they are given.
    pub(super) fn rules(&self, by_set: bool, channels: [Option<u8>; 2]) -> OfarRules {
        let plain = OfarRules::default();
        OfarRules {
            local_channels: channels[0].unwrap_or(plain.local_channels),
            global_channels: channels[1].unwrap_or(plain.global_channels),
            local_percent: self.local_percent,
            global_percent: self.global_percent,
            strict: self.strict,
            by_set,
            bubble: self.bubble,
            throttle_percent: self.throttle,
            most_entries: self.most_entries,
        }
    }

    /// The image of the escape network of a fabric, and what the network is in words.
    pub(super) fn image(&self, fabric: &FabricImage<'_>) -> Result<(Vec<u8>, String), Failure> {
        let topology = Topology::of_image(fabric);
        let (network, words) = match self.escape {
            Network::Ring if self.escape_root.is_some() => {
                let what = "--escape-root: accepted with --escape tree, which has a root";
                return Err(Failure::Message(what.to_owned()));
            }
            Network::Ring => {
                let ring = Ring::of(&topology).map_err(Failure::of)?;
                (ring.network(), format!("escape ring, {}", ring.rule))
            }
            Network::Tree => {
                let root = self.escape_root.map_or_else(|| Tree::root_of(&topology), SwitchId);
                let tree = Tree::below(&topology, root).map_err(Failure::of)?;
                let words = format!("escape tree below switch {root}");
                (tree.network(topology.dragonfly()), words)
            }
        };
        let bytes = encode_escape_image(fabric, &network, &OfarRules::default());
        Ok((bytes.map_err(Failure::of)?, words))
    }
}
