//! Booted table sets: their images, and the file that an error is about.

use crate::failure::Failure;
use crate::files::{error_in, expect_table_set, read_names};
use std::path::Path;
use tvlb_schema::FabricImage;
use tvlb_simulator::{BootError, BootedFabric, Revision};
use tvlb_table_set::{TableSet, Update};

/// A table set, and its installed update, if any.
pub struct Tables {
    pub set: TableSet,
    pub update: Option<Update>,
}

impl Tables {
    /// A table set without an update.
    pub fn open(directory: &Path) -> Result<Self, Failure> {
        expect_table_set(directory)?;
        Ok(Self { set: TableSet::open(directory).map_err(Failure::of)?, update: None })
    }

    /// Boots every switch from its image, with the names of the machine.
    pub fn boot<'b>(
        &self,
        fabric: &'b [u8],
        switches: &'b [Vec<u8>],
    ) -> Result<BootedFabric<'b>, Failure> {
        let fabric = BootedFabric::boot(fabric, switches).map_err(|error| self.in_file(error))?;
        let names = read_names(&self.set, fabric.dragonfly())?;
        Ok(fabric.with_names(names))
    }

    /// The images of all switches of the fabric, in their order, with the changes of a revision.
    pub fn switch_images(
        &self,
        fabric: &[u8],
        revision: Option<Revision>,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let images = self.written_images(fabric)?;
        let Some(revision) = revision else { return Ok(images) };
        revision.apply(fabric, &images).map_err(|error| self.in_file(error))
    }

    /// The fabric's image.
    pub fn decode<'b>(&self, fabric: &'b [u8]) -> Result<FabricImage<'b>, Failure> {
        FabricImage::decode(fabric).map_err(|error| {
            self.in_file(BootError::Fabric(tvlb_firmware_model::Error::FabricImage(error)))
        })
    }

    /// The images of all switches of the fabric, in their order, unchanged.
    fn written_images(&self, fabric: &[u8]) -> Result<Vec<Vec<u8>>, Failure> {
        let fabric = self.decode(fabric)?;
        let image = |switch| {
            let updated = self.update.as_ref().map(|update| update.switch_image(switch));
            let updated = updated.transpose().map_err(Failure::of)?.flatten();
            updated.map_or_else(|| self.set.switch_image(switch).map_err(Failure::of), Ok)
        };
        fabric.dragonfly().switches().map(image).collect()
    }

    /// A boot error with the file that it is about.
    pub fn in_file(&self, error: BootError) -> Failure {
        let set = &self.set;
        let path = match &error {
            BootError::Switch { switch, .. } | BootError::Place { switch, .. } => {
                let switch = switch.switch;
                let update = self.update.as_ref().filter(|update| update.has_image(switch));
                update.map_or_else(|| set.switch_path(switch), |update| update.switch_path(switch))
            }
            _ => set.fabric_path(),
        };
        // Without names, the error still says what is wrong.
        let error = match set.fabric_image() {
            Ok(bytes) => match FabricImage::decode(&bytes) {
                Ok(fabric) => {
                    error.with_names(&read_names(set, fabric.dragonfly()).unwrap_or_default())
                }
                Err(_) => error,
            },
            Err(_) => error,
        };
        error_in(&path, &error)
    }
}
