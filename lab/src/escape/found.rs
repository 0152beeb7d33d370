//! An escape network found on a wiring.
//!
//! The same wiring gives the same network. A tree never replaces a ring.

use super::{Ring, RingError, Tree, TreeError};
use tvlb_ofar::{EscapeKind, EscapeNetwork};
use tvlb_schema::SwitchId;
use tvlb_topology::Topology;

/// An escape network that was found on a wiring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundNetwork {
    /// The network as an escape image takes it.
    pub network: EscapeNetwork,
    /// How it was found, in words: "the groups in order", "below switch 16".
    pub found_by: String,
}

/// Why there is no escape network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EscapeError {
    #[error(transparent)]
    Ring(#[from] RingError),
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Finds an escape network on a wiring: a ring, or a tree below a switch.
///
/// # Errors
/// There is none.
///
/// # Example
/// ```
/// use tvlb_lab::escape::find;
/// use tvlb_ofar::EscapeKind;
/// use tvlb_schema::Dragonfly;
/// use tvlb_topology::arrangement::{Arrangement, arrange};
///
/// let topology = arrange(Dragonfly::new(2, 4, 2, 9)?, Arrangement::Palmtree, 1)?;
/// let ring = find(&topology, EscapeKind::Ring, None)?;
/// assert_eq!(ring.found_by, "the groups in order");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find(
    topology: &Topology,
    kind: EscapeKind,
    root: Option<SwitchId>,
) -> Result<FoundNetwork, EscapeError> {
    match kind {
        EscapeKind::Ring => {
            let ring = Ring::of(topology)?;
            Ok(FoundNetwork { network: ring.network(), found_by: ring.rule.to_string() })
        }
        EscapeKind::Tree => {
            let root = root.unwrap_or_else(|| Tree::root_of(topology));
            let network = Tree::below(topology, root)?.network(topology.dragonfly());
            Ok(FoundNetwork { network, found_by: format!("below switch {root}") })
        }
    }
}
