//! The stage of escape networks: a wiring and what the fabric file wants become an escape image.
//!
//! The same input gives the same bytes. There is never a tree in place of a ring.

use crate::fabric_file::EscapeSettings;
use tvlb_schema::{
    EscapeKind, EscapeNetwork, FabricImage, GroupId, ImageError, SwitchId, encode_escape_image,
};
use tvlb_table_set::{ESCAPE_FILE, EscapeEntry, FileEntry};
use tvlb_topology::Topology;
use tvlb_topology::escape::{Ring, RingError, Tree, TreeError};

/// An escape image, and what the manifest says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escape {
    pub image: Vec<u8>,
    pub entry: EscapeEntry,
}

/// An escape network that was found on a wiring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNetwork {
    pub network: EscapeNetwork,
    /// How it was found, in words: "the groups in order", "below switch 16".
    pub found_by: String,
}

/// Why there is no escape image.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EscapeError {
    #[error(transparent)]
    Ring(RingError),
    #[error(transparent)]
    Tree(TreeError),
    #[error(
        "an escape network is for packets that decide at every hop, which need a link between any two groups; \
         groups {from} and {to} share none"
    )]
    Apart { from: GroupId, to: GroupId },
    #[error(
        "an escape network is for packets that decide at every hop, which need one link between any two switches \
         of a group, and no more"
    )]
    Groups,
    #[error("escape image: {0}")]
    Image(ImageError),
}

/// Finds an escape network on a wiring.
///
/// # Errors
/// There is none.
pub fn find(
    topology: &Topology,
    kind: EscapeKind,
    root: Option<SwitchId>,
) -> Result<FoundNetwork, EscapeError> {
    let df = topology.dragonfly();
    match kind {
        EscapeKind::Ring => {
            let ring = Ring::of(topology).map_err(EscapeError::Ring)?;
            Ok(FoundNetwork { network: ring.network(), found_by: ring.rule.to_string() })
        }
        EscapeKind::Tree => {
            let root = root.unwrap_or_else(|| Tree::root_of(topology));
            let tree = Tree::below(topology, root).map_err(EscapeError::Tree)?;
            Ok(FoundNetwork { network: tree.network(df), found_by: format!("below switch {root}") })
        }
    }
}

/// Makes the escape image of a fabric.
///
/// # Errors
/// There is no such network, or packets cannot decide at every hop on this fabric.
///
/// # Example
/// ```
/// use tvlb_generator::escape::escape;
/// use tvlb_generator::fabric_file::EscapeSettings;
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_schema::{Dragonfly, EscapeImage, EscapeKind, FabricImage, OfarRules, encode_fabric_image};
///
/// let topology = arrange(Dragonfly::new(2, 4, 2, 9)?, Arrangement::Palmtree, 1)?;
/// let cables: Vec<_> = topology.cables().iter().map(|cable| (cable.low, cable.high)).collect();
/// let fabric = encode_fabric_image(topology.dragonfly(), &cables);
/// let fabric = FabricImage::decode(&fabric)?;
/// let settings =
///     EscapeSettings { kind: EscapeKind::Ring, root: None, rules: OfarRules::default() };
/// let made = escape(&topology, &fabric, &settings)?;
/// assert_eq!(made.entry.found_by, "the groups in order");
/// assert_eq!(EscapeImage::decode(&made.image, &fabric)?.len(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn escape(
    topology: &Topology,
    fabric: &FabricImage<'_>,
    settings: &EscapeSettings,
) -> Result<Escape, EscapeError> {
    let df = topology.dragonfly();
    if !fabric.has_plain_groups() || !df.has_single_links() {
        return Err(EscapeError::Groups);
    }
    for from in df.groups() {
        let apart = df.groups().find(|&to| from < to && fabric.link_count(from, to) == 0);
        if let Some(to) = apart {
            return Err(EscapeError::Apart { from, to });
        }
    }
    let FoundNetwork { network, found_by } = find(topology, settings.kind, settings.root)?;
    let image =
        encode_escape_image(fabric, &network, &settings.rules).map_err(EscapeError::Image)?;
    let entry = EscapeEntry {
        network: settings.kind.name().to_owned(),
        found_by,
        rules: settings.rules,
        file: FileEntry::of(ESCAPE_FILE.to_owned(), &image),
    };
    Ok(Escape { image, entry })
}
