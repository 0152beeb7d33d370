//! The fabric that an import goes on from: its numbers, and what people chose for it.

use super::options::ImportAgain;
use crate::failure::{Failure, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::{FabricFile, Wiring};
use tvlb_import::{Earlier, EarlierFiles, fabric_file};
use tvlb_table_set::names::Names;

/// What becomes of the files in the directory that is written.
pub(super) fn existing(output: &Path, again: &ImportAgain) -> EarlierFiles {
    let is_same = |path: &PathBuf| {
        let [one, other] = [of_import(path), fabric_file(output)].map(fs::canonicalize);
        one.ok().zip(other.ok()).is_some_and(|(one, other)| one == other)
    };
    match (again.force, &again.keep) {
        (false, _) => EarlierFiles::Refuse,
        (true, Some(path)) if !is_same(path) => EarlierFiles::Replace,
        (true, _) => EarlierFiles::Renew,
    }
}

/// The fabric file that a directory of an import has, or that is named itself.
fn of_import(path: &Path) -> PathBuf {
    if path.is_dir() { fabric_file(path) } else { path.to_owned() }
}

/// The fabric that an import goes on from.
pub(super) struct Old {
    path: PathBuf,
    text: String,
    file: FabricFile,
    names: Names,
}

impl Old {
    /// The fabric whose numbers, and what people chose for it, are to be kept, if there is one.
    ///
    /// # Errors
    /// It cannot be loaded, or what it says would be lost.
    pub(super) fn of(output: &Path, again: &ImportAgain) -> Result<Option<Self>, Failure> {
        let replaced = || Some(fabric_file(output)).filter(|path| again.force && path.exists());
        let Some(path) = again.keep.as_deref().map(of_import).or_else(replaced) else {
            return Ok(None);
        };
        let (file, names) = Fabric::load_names(&path).map_err(Failure::of)?;
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::Message(format!("{}: cannot read it: {error}", path.display()))
        })?;
        let old = Self { path, text, file, names };
        if existing(output, again) == EarlierFiles::Renew {
            old.check_network()?;
        }
        Ok(Some(old))
    }

    /// Refuses a file that names other lists than an import writes.
    fn check_network(&self) -> Outcome {
        let FabricFile { wiring, names, .. } = &self.file;
        let has_cables = matches!(wiring, Wiring::Cables(path) if path == Path::new("cables.csv"));
        let has_names = names.as_deref() == Some(Path::new("names.csv"));
        let key = match (has_cables, has_names) {
            (true, true) => return Ok(()),
            (true, false) => "names",
            (false, _) => "cables",
        };
        Err(Failure::Message(format!(
            "{}: dragonfly.{key} is not as an import writes it, and would be lost; accepted is \"{key}.csv\", or \
             another directory with --keep",
            self.path.display()
        )))
    }

    /// The numbers that it has, with room for the global ports that are asked for.
    pub(super) fn earlier(old: Option<&Self>, again: &ImportAgain) -> Earlier {
        let earlier = old.map_or_else(Earlier::default, |Self { file, names, .. }| {
            let kinds = file.kinds_of_groups().into_iter().map(|kind| &*file.kind_names[kind]);
            Earlier::of(&file.dragonfly, names).with_kinds(kinds)
        });
        earlier.with_global_ports(again.global_ports)
    }

    /// The text of the new fabric's file, which was this, with what people chose.
    pub(super) fn carried(&self, new: &Fabric, text: &str) -> String {
        new.file.carried_text(text, (&self.file, &self.text))
    }

    /// Whether it says how links are.
    pub(super) fn says_links(&self) -> bool {
        let is_said = |line: &str| line.trim_start_matches(['[', ' ', '\t']).starts_with("links");
        self.text.lines().any(is_said)
    }
}
