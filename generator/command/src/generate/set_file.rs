//! `tvlb generate --set-file`: sets and weighing that a file gives.

use crate::failure::Failure;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::Sets;
use tvlb_generator::image::fabric_image;
use tvlb_generator::policy::{Policy, WeighingSettings};
use tvlb_generator::set_file::SetFile;
use tvlb_schema::{FabricImage, PerDecision};

/// Reads the policies of a set file, and puts what they say in the place of what the fabric file says.
pub(super) fn read(path: &Path, fabric: &mut Fabric) -> Result<PerDecision<Policy>, Failure> {
    let image = fabric_image(&fabric.topology);
    let image = FabricImage::decode(&image).expect("the encoder decodes what it wrote");
    let policies = SetFile::read(path, fabric.topology.dragonfly(), image.identity());
    let policies = policies.map_err(Failure::of)?;
    fabric.file.sets = Sets::of(&policies);
    fabric.file.weighing = WeighingSettings::of(&policies);
    Ok(policies)
}
