//! Checks the contents of a directory: a table set and nothing else, or something that the user would miss.
//!
//! Replacing a table set removes the old one with everything in its directory, so a directory that holds anything but a
//! table set's own files is never replaced. For the same reason only `generate` writes into a table set.

use super::read::{Label, MOST_MANIFEST_BYTES};
use super::{MANIFEST_FILE, Manifest, REPORT_FILE, ReadError, SWITCHES, TableSet};
use crate::input_file::{self, Symlinks};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The beginning of `format` in the manifests of all versions.
const ANY_FORMAT: &str = "tvlb table set ";

/// Why a directory may not be replaced by a table set.
#[derive(Debug)]
pub(crate) enum Occupied {
    /// It has no manifest that can be read.
    NoTableSet(ReadError),
    /// It holds something that its manifest does not list, or something other than a regular file.
    Stranger(PathBuf),
    /// It cannot be listed.
    Io(PathBuf, io::Error),
}

/// Checks that a directory holds a manifest, the files that the manifest lists, a report, and
/// nothing else. Any of the files but the manifest may be missing or damaged.
pub(crate) fn check_replaceable(directory: &Path) -> Result<(), Occupied> {
    let set = TableSet::open(directory).map_err(Occupied::NoTableSet)?;
    let Manifest { files, names, .. } = set.manifest();
    let listed: BTreeSet<&str> = files.iter().chain(names).map(|file| &*file.path).collect();
    for (name, kind) in entries(directory)? {
        let path = directory.join(&name);
        let name = name.to_str();
        if name == Some(SWITCHES) && kind.is_dir() {
            for (name, kind) in entries(&path)? {
                let is_listed =
                    name.to_str().is_some_and(|n| listed.contains(&*format!("{SWITCHES}/{n}")));
                if !(is_listed && kind.is_file()) {
                    return Err(Occupied::Stranger(path.join(name)));
                }
            }
            continue;
        }
        let is_ours = name.is_some_and(|name| {
            name == MANIFEST_FILE || name == REPORT_FILE || listed.contains(name)
        });
        if !(is_ours && kind.is_file()) {
            return Err(Occupied::Stranger(path));
        }
    }
    Ok(())
}

/// The contents of a directory, in the order of names.
fn entries(directory: &Path) -> Result<Vec<(OsString, fs::FileType)>, Occupied> {
    let list = || {
        let mut entries = fs::read_dir(directory)?
            .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))))
            .collect::<io::Result<Vec<_>>>()?;
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    };
    list().map_err(|error| Occupied::Io(directory.to_owned(), error))
}

/// The table set that a path leads into, if any: the path itself, or a directory above it, that has a table set's
/// manifest. The path need not exist.
pub fn table_set_around(path: &Path) -> Option<PathBuf> {
    let path = if path == Path::new("") { Path::new(".") } else { path };
    let absolute = std::path::absolute(path).ok()?;
    // A link to a directory leads into it; a link to a file is itself replaced.
    let begin = if absolute.is_dir() { Some(&*absolute) } else { absolute.parent() };
    let exists = begin?.ancestors().find(|above| above.exists())?;
    let exists = fs::canonicalize(exists).ok()?;
    exists.ancestors().find(|above| has_manifest(above)).map(Path::to_owned)
}

fn has_manifest(directory: &Path) -> bool {
    let manifest = directory.join(MANIFEST_FILE);
    let json = input_file::read(&manifest, MOST_MANIFEST_BYTES, Symlinks::Refuse);
    let label = json.ok().and_then(|json| serde_json::from_slice(&json).ok());
    label.is_some_and(|Label { format }| format.starts_with(ANY_FORMAT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_within_a_table_set_is_known_whether_it_exists_or_not() {
        let home = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(home.path()).unwrap();
        let set = home.join("set");
        fs::create_dir_all(set.join(SWITCHES)).unwrap();
        fs::write(set.join(MANIFEST_FILE), "{\"format\": \"tvlb table set 7\"}").unwrap();
        for within in ["", "a.svg", "switches", "switches/new", "deep/er/a.svg", "../set/a.svg"] {
            assert_eq!(table_set_around(&set.join(within)), Some(set.clone()), "{within}");
        }
        for beside in ["a.svg", "other/a.svg", "set.svg", ""] {
            assert_eq!(table_set_around(&home.join(beside)), None, "{beside}");
        }
        #[cfg(unix)]
        {
            let link = home.join("link");
            std::os::unix::fs::symlink(&set, &link).unwrap();
            assert_eq!(table_set_around(&link.join("a.svg")), Some(set.clone()));
            // Writing to the link replaces the link, which is not in the table set.
            let file = home.join("file.svg");
            std::os::unix::fs::symlink(set.join("report.html"), &file).unwrap();
            assert_eq!(table_set_around(&file), None);
        }
    }

    #[test]
    fn a_manifest_of_something_else_is_nobodys_table_set() {
        let home = tempfile::tempdir().unwrap();
        for text in ["", "[]", "{\"format\": \"web app\"}", "\"tvlb table set 1\""] {
            fs::write(home.path().join(MANIFEST_FILE), text).unwrap();
            assert_eq!(table_set_around(&home.path().join("a.svg")), None, "{text}");
        }
    }
}
