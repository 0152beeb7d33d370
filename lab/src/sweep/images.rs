//! The images that the runs of a study boot from, each made once.

use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::sets::StudyPaths;
use std::collections::HashMap;
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_generator::faults::update;
use tvlb_generator::image::Images;
use tvlb_schema::{FabricImage, FaultSet, Nodes, SwitchImage, VcScheme};
use tvlb_simulator::BootedFabric;

/// The inputs of images: positions in the lists of a study, and the rule of virtual channels.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ImageKey {
    pub(crate) fabric: usize,
    pub(crate) set: usize,
    pub(crate) vc_scheme: VcScheme,
    /// The position in the list of dead parts, 0 if a study has none.
    pub(crate) dead: usize,
    /// The seed of the dead parts if they are drawn, else 0.
    pub(crate) seed: u64,
}

/// The images that were made.
#[derive(Default)]
pub(crate) struct BootImages(HashMap<ImageKey, Images>);

impl BootImages {
    /// Makes the images of a fabric with a set, and those of switches if parts are dead.
    pub(crate) fn prepare(
        &mut self,
        key: ImageKey,
        (named, paths): (&NamedFabric, &StudyPaths),
        dead: Option<&FaultSet>,
        progress: &dyn Progress,
    ) -> Result<(), SweepError> {
        if self.0.contains_key(&key) {
            return Ok(());
        }
        let policies = paths.policies(&named.fabric, progress)?;
        let mut images = named.images(&policies, key.vc_scheme, progress)?;
        if let Some(faults) = dead {
            install(&mut images, faults, progress)?;
        }
        self.0.insert(key, images);
        Ok(())
    }

    /// The switches booted from images that were prepared.
    pub(crate) fn booted(&self, key: ImageKey) -> Result<BootedFabric<'_>, SweepError> {
        let images = &self.0[&key];
        Ok(BootedFabric::boot(&images.fabric, &images.switches)?)
    }
}

/// Replaces the plan's images by those that change if parts are dead.
fn install(
    images: &mut Images,
    faults: &FaultSet,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let decoded = "the image stage decodes what it writes";
    let fabric = FabricImage::decode(&images.fabric).expect(decoded);
    let switches: Vec<SwitchImage<'_>> = images
        .switches
        .iter()
        .map(|bytes| SwitchImage::decode(bytes, &fabric).expect(decoded))
        .collect();
    let numbers: Vec<_> = switches.iter().map(SwitchImage::switch).collect();
    let changed =
        update((&fabric, &Nodes::from(fabric.dragonfly())), &switches, (1, faults), progress)?
            .switches;
    for (switch, bytes) in changed {
        let position = numbers.iter().position(|&number| number == switch);
        images.switches[position.expect("an update is of the fabric's switches")] = bytes;
    }
    Ok(())
}
