//! The directory that an import writes.
//!
//! The fabric file takes its place last: while it is there, so is everything that it names. While an import replaces an
//! earlier one's files, those are in a directory beside them, and from there an import that was killed begins again as
//! if it had never begun.

use std::path::{Path, PathBuf};
use std::{fs, io};
use tvlb_base::progress::Progress;
use tvlb_base::text::Refused;
use tvlb_table_set::input_file::{self, Symlinks};
use tvlb_table_set::{Content, WriteError, sha256, write_into};

/// Every name that an import may write. The fabric file comes last.
pub(crate) const FILES: [&str; 5] =
    ["cables.csv", NAMES_FILE, ASSUMPTIONS_FILE, DOWN_FILE, FABRIC_FILE];
/// The names of the parts, by their numbers.
pub(crate) const NAMES_FILE: &str = "names.csv";
/// What was read and assumed.
pub(crate) const ASSUMPTIONS_FILE: &str = "assumptions.txt";
/// The links that are down; written only if the live links were given.
pub(crate) const DOWN_FILE: &str = "down.txt";
pub(crate) const FABRIC_FILE: &str = "fabric.toml";
/// The largest fabric file that is read, and how much of the assumptions, whose second line has its hash.
const MOST_FABRIC_BYTES: u64 = 1 << 20;
const MOST_NOTED_BYTES: u64 = 1 << 16;

/// Where replaced files stay until the new ones are there.
const REPLACED: &str = ".import-replaced";

/// Why an import was not written. The directory is unchanged, or has no fabric file.
#[derive(Debug, thiserror::Error)]
pub enum ImportWriteError {
    /// A file that must not be replaced, or cannot be read.
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What to do with the files of an earlier import in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierFiles {
    /// Refuse them.
    Refuse,
    /// Replace them, and continue from them.
    Renew,
    /// Replace them, and go on from another import, if from any.
    Replace,
}

/// Refuses a directory with files that must not be replaced: names without a fabric file if their numbers are to be
/// kept, and a fabric file that people have changed, with sets, latencies and bandwidths of a machine, if another
/// import is continued.
///
/// # Errors
/// A file exists that must not be replaced.
pub fn check_directory(directory: &Path, existing: EarlierFiles) -> Result<(), Refused> {
    let held = held(directory);
    let is_there = |name: &&str| fs::symlink_metadata(held.join(name)).is_ok();
    let refuse = |name: &str, found: String| {
        Err(Refused::new(found, "").in_file(&held.join(name).display().to_string()))
    };
    match existing {
        EarlierFiles::Refuse => {}
        EarlierFiles::Replace => return check_unedited(&held),
        EarlierFiles::Renew if is_there(&NAMES_FILE) && !is_there(&FABRIC_FILE) => {
            let found = format!(
                "it is there without {FABRIC_FILE}, so the numbers that it has cannot be kept; put \
                 {FABRIC_FILE} back, name an earlier import with --keep, or remove the file to number the \
                 machine again"
            );
            return refuse(NAMES_FILE, found);
        }
        EarlierFiles::Renew => return Ok(()),
    }
    match FILES.iter().find(|name| is_there(name)) {
        Some(name) => {
            let found = format!(
                "exists; give --force to replace the files of an import ({}), or another directory",
                FILES.join(", ")
            );
            refuse(name, found)
        }
        None => Ok(()),
    }
}

/// The fabric file of the import in a directory, whether or not it is there.
pub fn fabric_file(directory: &Path) -> PathBuf {
    held(directory).join(FABRIC_FILE)
}

/// The directory with the files of the last completed import. An import is complete once the fabric file is there.
fn held(directory: &Path) -> PathBuf {
    let (fabric, replaced) = (directory.join(FABRIC_FILE), directory.join(REPLACED));
    let is_interrupted = fs::symlink_metadata(fabric).is_err() && replaced.is_dir();
    if is_interrupted { replaced } else { directory.to_owned() }
}

/// The list of assumptions has the hash of the fabric file that was written with it.
fn check_unedited(directory: &Path) -> Result<(), Refused> {
    let path = directory.join(FABRIC_FILE);
    let fabric = match input_file::read(&path, MOST_FABRIC_BYTES, Symlinks::Follow) {
        // Any obstacle is found when the directory is made.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(());
        }
        answer => {
            answer.map_err(|error| Refused::unreadable(&path.display().to_string(), &error))?
        }
    };
    let assumptions = directory.join(ASSUMPTIONS_FILE);
    let noted = input_file::read_start(&assumptions, MOST_NOTED_BYTES, Symlinks::Follow);
    let noted = noted.map_or_else(|_| Vec::new(), |(start, _)| start);
    if String::from_utf8_lossy(&noted).contains(&sha256(&fabric)) {
        return Ok(());
    }
    let found = "it is not as an import wrote it, and its changes would be lost, because --keep names another \
                 one; leave --keep out to keep the changes, or give another directory";
    Err(Refused::new(found, "").in_file(&path.display().to_string()))
}

/// Writes these files of [`FILES`], the fabric file last, over the present ones, and removes the others of those names,
/// which an earlier import has written.
pub(crate) fn write(
    directory: &Path,
    files: &[(&'static str, Content<'_>)],
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    let content = |name: &str| files.iter().find(|(written, _)| *written == name).copied();
    let in_order: Vec<_> = FILES.iter().filter_map(|name| content(name)).collect();
    let stale: Vec<&str> = FILES.iter().copied().filter(|name| content(name).is_none()).collect();
    write_into(directory, &in_order, &stale, REPLACED, progress)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn write_text(
        directory: &Path,
        existing: EarlierFiles,
        names: &[&'static str],
    ) -> Result<(), ImportWriteError> {
        check_directory(directory, existing)?;
        let text: Content<'_> = &|out| writeln!(out, "new");
        let files: Vec<_> = names.iter().map(|name| (*name, text)).collect();
        Ok(write(directory, &files, &())?)
    }

    #[test]
    fn existing_files_are_replaced_only_if_asked_for() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("deep/er");
        write_text(&directory, EarlierFiles::Refuse, &[FABRIC_FILE, DOWN_FILE]).unwrap();
        fs::write(directory.join("notes"), "mine").unwrap();
        let error =
            write_text(&directory, EarlierFiles::Refuse, &[FABRIC_FILE]).unwrap_err().to_string();
        assert!(error.contains("down.txt: exists; give --force"), "{error}");
        let error =
            write_text(&directory, EarlierFiles::Replace, &[FABRIC_FILE]).unwrap_err().to_string();
        assert!(error.contains("fabric.toml: it is not as an import wrote it"), "{error}");
        let noted = format!("Read.\n{}\n", sha256(b"new\n"));
        fs::write(directory.join(ASSUMPTIONS_FILE), noted).unwrap();
        write_text(&directory, EarlierFiles::Replace, &[FABRIC_FILE, "cables.csv"]).unwrap();
        // Files that the last import did not write are removed.
        assert_eq!(names(&directory), ["cables.csv", "fabric.toml", "notes"]);
    }

    /// Cancels when it is asked for the last time of so many.
    struct CancelsAt(AtomicUsize);

    impl Progress for CancelsAt {
        fn is_cancelled(&self) -> bool {
            let left = self.0.load(Ordering::Relaxed);
            self.0.store(left.saturating_sub(1), Ordering::Relaxed);
            left == 0
        }
    }

    #[test]
    fn what_is_cancelled_leaves_what_there_was() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("deep/er");
        let text: Content<'_> = &|out| (0..3000).try_for_each(|n| writeln!(out, "line {n}"));
        let files = [(FABRIC_FILE, text), ("cables.csv", text)];
        let mut cancelled = 0;
        while let Err(error) = write(&directory, &files, &CancelsAt(AtomicUsize::new(cancelled))) {
            assert!(matches!(error, WriteError::Cancelled(_)), "{error}");
            assert_eq!(names(home.path()), [""; 0], "asked {cancelled} times");
            cancelled += 1;
        }
        assert!(cancelled > 8, "{cancelled}");
        assert_eq!(names(&directory), ["cables.csv", FABRIC_FILE]);
        // What an earlier import has written stays.
        write(&directory, &[(FABRIC_FILE, text), (DOWN_FILE, text)], &()).unwrap();
        let error = write(&directory, &files, &CancelsAt(AtomicUsize::new(cancelled - 1)));
        assert!(matches!(error, Err(WriteError::Cancelled(_))));
        assert_eq!(names(&directory), [DOWN_FILE, FABRIC_FILE]);
    }

    #[test]
    fn what_fails_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("deep/er");
        let good: Content<'_> = &|out| writeln!(out, "text");
        let bad: Content<'_> = &|_| Err(io::ErrorKind::StorageFull.into());
        let error = write(&directory, &[(FABRIC_FILE, good), ("cables.csv", bad)], &());
        assert!(error.unwrap_err().to_string().contains("cables.csv: cannot write the file"));
        assert_eq!(names(home.path()), [""; 0]);
        // What was there before is unchanged.
        write_text(&directory, EarlierFiles::Refuse, &[FABRIC_FILE]).unwrap();
        assert!(write(&directory, &[(FABRIC_FILE, good), ("cables.csv", bad)], &()).is_err());
        assert_eq!(names(&directory), [FABRIC_FILE]);
        assert_eq!(fs::read_to_string(directory.join(FABRIC_FILE)).unwrap(), "new\n");
        fs::write(home.path().join("file"), "").unwrap();
        assert!(
            write_text(&home.path().join("file/below"), EarlierFiles::Refuse, &[FABRIC_FILE])
                .is_err()
        );
    }
}
