//! The fabric that an import continues: its numbers, and the choices of people in its file.

use super::options::ImportAgain;
use crate::failure::{Failure, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::{FabricFile, Wiring};
use tvlb_import::{Earlier, EarlierFiles, fabric_file};
use tvlb_table_set::names::Names;

/// What happens to the files in the directory that is written.
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

/// The fabric file of a directory of an import, or the file that the path itself names.
fn of_import(path: &Path) -> PathBuf {
    if path.is_dir() { fabric_file(path) } else { path.to_owned() }
}

/// The fabric that an import continues.
pub(super) struct Old {
    path: PathBuf,
    text: String,
    file: FabricFile,
    names: Names,
}

impl Old {
    /// The fabric whose numbers and choices are to be kept, if there is one.
    ///
    /// # Errors
    /// It cannot be loaded, or some of what it says would be lost.
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

    /// Refuses a file that names lists other than those of an import.
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

    /// Its numbers, with room for the requested global ports.
    pub(super) fn earlier(old: Option<&Self>, again: &ImportAgain) -> Earlier {
        let earlier = old.map_or_else(Earlier::default, |Self { file, names, .. }| {
            let kinds = file.kinds_of_groups().into_iter().map(|kind| &*file.kind_names[kind]);
            Earlier::of(&file.dragonfly, names).with_kinds(kinds)
        });
        earlier.with_global_ports(again.global_ports)
    }

    /// `text`, the new fabric's file, with the choices of people carried over.
    pub(super) fn carried(&self, new: &Fabric, text: &str) -> String {
        new.file.carried_text(text, (&self.file, &self.text))
    }

    /// Whether it describes the links.
    pub(super) fn says_links(&self) -> bool {
        let is_said = |line: &str| line.trim_start_matches(['[', ' ', '\t']).starts_with("links");
        self.text.lines().any(is_said)
    }
}
