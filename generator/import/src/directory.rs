//! The directory that an import writes.
//!
//! All files are written into a hidden directory beside their places, synced, and renamed into them,
//! the fabric file last: while it is there, so is all that it names.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_table_set::input_file::{self, Symlinks};
use tvlb_table_set::sha256;

/// Every name that an import may write. The fabric file comes last.
pub(crate) const FILES: [&str; 5] =
    ["cables.csv", "names.csv", ASSUMPTIONS_FILE, DOWN_FILE, FABRIC_FILE];
/// What was read and assumed.
pub(crate) const ASSUMPTIONS_FILE: &str = "assumptions.txt";
/// The links that are down; written only where it was asked which links are live.
pub(crate) const DOWN_FILE: &str = "down.txt";
pub(crate) const FABRIC_FILE: &str = "fabric.toml";
/// The largest fabric file that may be looked at, and how much of the assumptions, whose second line has its hash.
const MOST_FABRIC_BYTES: u64 = 1 << 20;
const MOST_NOTED_BYTES: u64 = 1 << 16;

/// What a file is to hold.
pub(crate) type Content<'c> = &'c dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Why an import was not written. The directory holds what it held, or no fabric file.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(
        "{path}: exists; give --force to replace the files of an import ({}), or another directory",
        FILES.join(", ")
    )]
    Exists { path: PathBuf },
    #[error(
        "{path}: it is not as an import wrote it, and --force would throw the changes away; give another directory, or move the file away and put its changes into the new one"
    )]
    Edited { path: PathBuf },
    #[error("{path}: cannot {action}: {source}")]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn refused(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> WriteError {
    move |source| WriteError::Io { path: path.to_owned(), action, source }
}

/// Refuses a directory in which one of the files exists. With `force` all of them may be replaced but a
/// fabric file that is not as an import wrote it: people put the sets, latencies and bandwidths of a machine
/// into it.
///
/// # Errors
/// A file exists that must not be replaced.
pub fn check_directory(directory: &Path, force: bool) -> Result<(), WriteError> {
    if force {
        return check_unedited(directory);
    }
    let mut paths = FILES.iter().map(|name| directory.join(name));
    match paths.find(|path| fs::symlink_metadata(path).is_ok()) {
        Some(path) => Err(WriteError::Exists { path }),
        None => Ok(()),
    }
}

/// The list of assumptions has the hash of the fabric file that was written with it.
fn check_unedited(directory: &Path) -> Result<(), WriteError> {
    let path = directory.join(FABRIC_FILE);
    let fabric = match input_file::read(&path, MOST_FABRIC_BYTES, Symlinks::Follow) {
        // Whatever stands in the way is found where the directory is made.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(());
        }
        answer => answer.map_err(refused(&path, "read it"))?,
    };
    let assumptions = directory.join(ASSUMPTIONS_FILE);
    let noted = input_file::read_start(&assumptions, MOST_NOTED_BYTES, Symlinks::Follow);
    let noted = noted.map_or_else(|_| Vec::new(), |(start, _)| start);
    if String::from_utf8_lossy(&noted).contains(&sha256(&fabric)) {
        return Ok(());
    }
    Err(WriteError::Edited { path })
}

/// Writes these files of [`FILES`] into the directory, in the place of what is there, and removes the others
/// of those names, which an earlier import has written.
pub(crate) fn write(
    directory: &Path,
    files: &[(&'static str, Content<'_>)],
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    let missing: Vec<&Path> = directory
        .ancestors()
        .take_while(|above| *above != Path::new("") && !above.exists())
        .collect();
    let written = write_aside(directory, files, progress);
    if written.is_err() {
        for made in missing {
            // Fails where someone else has put something in; then it is not ours to remove.
            let _ = fs::remove_dir(made);
        }
    }
    written
}

/// A file that takes no more once the work is cancelled.
struct Cancellable<'p> {
    file: File,
    progress: &'p dyn Progress,
}

impl Write for Cancellable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.progress.check().map_err(io::Error::other)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn write_aside(
    directory: &Path,
    files: &[(&'static str, Content<'_>)],
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    progress.check()?;
    fs::create_dir_all(directory).map_err(refused(directory, "create the directory"))?;
    let aside = tempfile::Builder::new()
        .prefix(".tvlb-import-")
        .tempdir_in(directory)
        .map_err(|error| error.kind().into())
        .map_err(refused(directory, "create a directory in it"))?;
    for (name, content) in files {
        let shown = directory.join(name);
        let file = File::create_new(aside.path().join(name));
        let file = file.map_err(refused(&shown, "create the file"))?;
        let mut out = BufWriter::new(Cancellable { file, progress });
        let written = content(&mut out);
        // What was cancelled is not the file's fault.
        progress.check()?;
        written.map_err(refused(&shown, "write the file"))?;
        let out = out.into_inner().map_err(io::IntoInnerError::into_error);
        let synced = out.and_then(|out| out.file.sync_all());
        progress.check()?;
        synced.map_err(refused(&shown, "write the file"))?;
    }
    // From here on the work is done to its end: a moment, in which old files give way to new ones.
    // An old fabric file must not name new cables.
    let fabric = directory.join(FABRIC_FILE);
    let is_stale = |name: &&str| !files.iter().any(|(written, _)| written == name);
    for path in FILES.iter().filter(|name| is_stale(name)).map(|name| directory.join(name)) {
        remove(&path)?;
    }
    remove(&fabric)?;
    let by_order = FILES.iter().filter(|name| !is_stale(name));
    for name in by_order {
        let path = directory.join(name);
        fs::rename(aside.path().join(name), &path).map_err(refused(&path, "put the file there"))?;
    }
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    synced.map_err(refused(directory, "sync the directory"))
}

fn remove(path: &Path) -> Result<(), WriteError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        answer => answer.map_err(refused(path, "remove the old file")),
    }
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

    fn write_text(directory: &Path, force: bool, names: &[&'static str]) -> Result<(), WriteError> {
        check_directory(directory, force)?;
        let text: Content<'_> = &|out| writeln!(out, "new");
        let files: Vec<_> = names.iter().map(|name| (*name, text)).collect();
        write(directory, &files, &())
    }

    #[test]
    fn existing_files_are_replaced_only_if_asked_for() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("deep/er");
        write_text(&directory, false, &[FABRIC_FILE, DOWN_FILE]).unwrap();
        fs::write(directory.join("notes"), "mine").unwrap();
        let error = write_text(&directory, false, &[FABRIC_FILE]).unwrap_err().to_string();
        assert!(error.contains("down.txt: exists; give --force"), "{error}");
        let error = write_text(&directory, true, &[FABRIC_FILE]).unwrap_err().to_string();
        assert!(error.contains("fabric.toml: it is not as an import wrote it"), "{error}");
        let noted = format!("Read.\n{}\n", sha256(b"new\n"));
        fs::write(directory.join(ASSUMPTIONS_FILE), noted).unwrap();
        write_text(&directory, true, &[FABRIC_FILE, "cables.csv"]).unwrap();
        // What the last import did not write is not left beside what it did.
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
        // What was there before stays as it was.
        write_text(&directory, false, &[FABRIC_FILE]).unwrap();
        assert!(write(&directory, &[(FABRIC_FILE, good), ("cables.csv", bad)], &()).is_err());
        assert_eq!(names(&directory), [FABRIC_FILE]);
        assert_eq!(fs::read_to_string(directory.join(FABRIC_FILE)).unwrap(), "new\n");
        fs::write(home.path().join("file"), "").unwrap();
        assert!(write_text(&home.path().join("file/below"), false, &[FABRIC_FILE]).is_err());
    }
}
