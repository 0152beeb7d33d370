//! A table set with all its images in memory, read from a directory or just made.

use super::error::DiffError;
use crate::tables::Generated;
use std::path::{Path, PathBuf};
use tvlb_firmware_model::Switch;
use tvlb_schema::FabricImage;
use tvlb_table_set::names::Names;
use tvlb_table_set::{Manifest, TableSet};

/// A manifest and its images.
#[derive(Clone, Debug)]
pub struct DiffTables {
    /// The name in reports.
    pub name: String,
    pub(super) manifest: Manifest,
    /// The machine's names of its parts.
    pub(super) names: Names,
    pub(super) fabric: Vec<u8>,
    /// By switch number.
    pub(super) switches: Vec<Vec<u8>>,
    fabric_path: PathBuf,
    switch_paths: Vec<PathBuf>,
}

impl DiffTables {
    /// The table set in a directory; each file must have the hash in its manifest.
    ///
    /// # Errors
    /// A file that cannot be read or does not match the manifest, or an invalid fabric image.
    pub fn open(directory: &Path) -> Result<Self, DiffError> {
        let set = TableSet::open(directory)?;
        let fabric = set.fabric_image()?;
        let image = FabricImage::decode(&fabric)
            .map_err(|error| DiffError::image(&set.fabric_path(), error))?;
        let names = set.names_list()?.map(|text| Names::read(image.dragonfly(), &text));
        let names = names
            .transpose()
            .map_err(|source| DiffError::Names {
                path: set.names_path(),
                source: Box::new(source),
            })?
            .unwrap_or_default();
        let numbers = || image.dragonfly().switches();
        let switches =
            numbers().map(|switch| set.switch_image(switch)).collect::<Result<_, _>>()?;
        let switch_paths = numbers().map(|switch| set.switch_path(switch)).collect();
        Ok(Self {
            name: directory.display().to_string(),
            manifest: set.manifest().clone(),
            names,
            switches,
            fabric_path: set.fabric_path(),
            switch_paths,
            fabric,
        })
    }

    /// A table set in memory, of a machine with these names.
    pub fn made(generated: &Generated, names: &Names) -> Self {
        let Generated { manifest, images, .. } = generated;
        let name = "regenerated";
        let path = |number: usize| PathBuf::from(format!("{name}, image of switch {number}"));
        Self {
            name: name.to_owned(),
            manifest: manifest.clone(),
            names: names.clone(),
            fabric: images.fabric.clone(),
            switches: images.switches.clone(),
            fabric_path: PathBuf::from(format!("{name}, fabric image")),
            switch_paths: (0..images.switches.len()).map(path).collect(),
        }
    }

    /// How many switches it has.
    pub fn switch_count(&self) -> usize {
        self.switches.len()
    }

    pub(super) fn decode(&self) -> Result<FabricImage<'_>, DiffError> {
        FabricImage::decode(&self.fabric)
            .map_err(|error| DiffError::image(&self.fabric_path, error))
    }

    pub(super) fn boot(&self) -> Result<Vec<Switch<'_>>, DiffError> {
        let fabric = self.decode()?;
        let images = fabric.dragonfly().switches().zip(&self.switches).zip(&self.switch_paths);
        images
            .map(|((number, bytes), path)| {
                let switch = Switch::boot_in(&fabric, bytes)
                    .map_err(|error| DiffError::image(path, error))?;
                let found = switch.image().switch();
                if found == number {
                    return Ok(switch);
                }
                let text = format!("it is the image of switch {found}, not of switch {number}");
                Err(DiffError::image(path, text))
            })
            .collect()
    }
}
