//! The files and directories that a command line names: what is expected to be there, and what must
//! not be written to.

use crate::failure::{Failure, Outcome};
use std::path::Path;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::table_set::table_set_around;

/// Refuses a file in the place of a table set's directory.
pub(crate) fn expect_table_set(path: &Path) -> Outcome {
    if !path.is_file() {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::Message(format!(
        "{path}: it is a file, accepted the directory of a table set; if it is a fabric file, \
         `tvlb generate {path} -o DIR` makes a table set from it"
    )))
}

/// Reads a fabric file and its cables.
pub(crate) fn load_fabric(path: &Path) -> Result<Fabric, Failure> {
    Fabric::load(path).map_err(Failure::of)
}

/// Refuses to write a file or directory into a table set, which holds nothing but its own files.
/// To be called before the work, for each option that names one.
pub(crate) fn outside_table_sets<'p>(
    outputs: impl IntoIterator<Item = (&'static str, Option<&'p Path>)>,
) -> Outcome {
    for (option, path) in outputs {
        let Some(path) = path else { continue };
        if let Some(set) = table_set_around(path) {
            return Err(Failure::Message(format!(
                "{option} {}: it is within the table set {}, which can hold nothing else; give a \
                 path outside of it",
                path.display(),
                set.display()
            )));
        }
    }
    Ok(())
}
