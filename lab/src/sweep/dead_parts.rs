//! The lists of dead parts that a sweep file names, held against each fabric.

use super::file::NOTHING_DEAD;
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{FabricImage, FaultSet};
use tvlb_table_set::dead_parts::{MOST_BYTES, parse};
use tvlb_table_set::input_file::{self, Symlinks};

/// What a list says is dead of each fabric.
pub(super) struct DeadParts {
    /// The text in the sweep file.
    pub(super) name: String,
    /// By fabric, in the order of the sweep file; none where the list is `none`.
    by_fabric: Option<Vec<FaultSet>>,
}

impl DeadParts {
    /// Reads an entry of the list `faults`, a path that begins at `beside`, or `none`.
    pub(super) fn read(
        name: &str,
        beside: &Path,
        fabrics: &[(&Fabric, FabricImage<'_>)],
    ) -> Result<Self, String> {
        if name == NOTHING_DEAD {
            return Ok(Self { name: name.to_owned(), by_fabric: None });
        }
        let path = beside.join(name);
        let in_file = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = input_file::read_text(&path, MOST_BYTES, Symlinks::Follow)
            .map_err(|error| in_file(&format_args!("cannot read it: {error}")))?;
        let of_fabric = |(fabric, plan): &(&Fabric, FabricImage<'_>)| {
            parse(&text, plan, &fabric.names)
                .map_err(|error| in_file(&format_args!("{error} (of {})", fabric.file.name)))
        };
        let by_fabric = fabrics.iter().map(of_fabric).collect::<Result<_, String>>()?;
        Ok(Self { name: name.to_owned(), by_fabric: Some(by_fabric) })
    }

    /// What is dead of a fabric; `None` where the sweep file says `none`.
    pub(super) fn of(&self, fabric: usize) -> Option<&FaultSet> {
        self.by_fabric.as_ref().map(|faults| &faults[fabric])
    }
}
