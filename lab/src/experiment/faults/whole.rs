//! The fabric of these experiments, of which nothing is dead.

use super::super::error::ExperimentError;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::Dragonfly;
use tvlb_topology::arrangement::Arrangement;

/// p, a, h, g.
pub(super) const SIZES: [u32; 4] = [4, 8, 4, 9];
/// The seed of the fabric's sets, as in its fabric file.
pub(super) const FABRIC_SEED: u64 = 1;

pub(super) fn whole_fabric() -> Result<Fabric, ExperimentError> {
    let [p, a, h, g] = SIZES;
    let dragonfly = Dragonfly::new(p, a, h, g)?;
    Ok(Fabric::new("experiment", dragonfly, Arrangement::default(), FABRIC_SEED)?)
}
