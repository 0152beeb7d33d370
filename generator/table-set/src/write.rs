//! Writes a table set so that it appears whole or not at all.
//!
//! Everything is written into a directory beside the target, synced, and renamed into place. An interrupted or failed
//! run removes that directory, and the next run for the same target removes one that a killed run has left. The target
//! is touched only in the last step, which swaps an old table set with the new one in one system call. Only a table set
//! without other files is replaced, which is checked before the work and again before the swap.

use super::ReadError;
use super::aside::{Aside, sweep};
use super::input_file::{self, Symlinks};
use super::occupied::{Occupied, check_replaceable, table_set_around};
use crate::whole_file::systems_words;
use std::fs::{self, File};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tvlb_base::progress::{Cancelled, Progress};

/// What to do if the directory exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse, unless it is empty.
    Refuse,
    /// Replace it if it is a table set and holds nothing else; refuse anything else.
    Replace,
}

/// Why a table set was not written. The target is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(
        "{path}: exists and is a table set; give --replace to replace it, or another directory"
    )]
    Exists { path: PathBuf },
    #[error(
        "{path}: exists and is not a table set ({why}); give a directory that does not exist yet, an empty one, or a table set with --replace"
    )]
    NotOurs { path: PathBuf, why: &'static str },
    #[error(
        "{path}: exists and is not a table set ({source}); give a directory that does not exist yet, an empty one, or a table set with --replace"
    )]
    NoManifest { path: PathBuf, source: ReadError },
    #[error(
        "{path}: is not part of the table set {set}, and would be lost with it; --replace accepts a table set that holds nothing but its manifest.json, the files that the manifest lists, and report.html: move {path} elsewhere, or give another directory"
    )]
    Stranger { set: PathBuf, path: PathBuf },
    #[error(
        "{path}: it is within the table set {set}, which can hold nothing else; give a directory outside of it"
    )]
    WithinSet { path: PathBuf, set: PathBuf },
    #[error("{path}: cannot {action}: {source}")]
    Io { path: PathBuf, action: &'static str, source: io::Error },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn io_error(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> WriteError {
    move |source| WriteError::Io { path: path.to_owned(), action, source }
}

/// Writes `files` (paths with forward slashes below `target`, and contents) as a table set.
///
/// Before the directory takes its name, `seal` may read it on disk, refuse it, and add a last file. Every file is a
/// step of the caller's stage, and before each the caller can cancel the work.
///
/// # Errors
/// The first failure, or the refusal. Nothing is left over.
pub fn write<'f, E: From<WriteError>>(
    target: &Path,
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    existing: Existing,
    progress: &dyn Progress,
    seal: impl FnOnce(&Path) -> Result<(&'static str, Vec<u8>), E>,
) -> Result<(), E> {
    let swap = must_swap(target, existing)?;
    let (parent, name) = split(target)?;
    sweep(&parent, &name);
    let destination = TargetDirectory { target, parent: &parent, name: &name, swap };
    in_directory(&parent, || write_aside(&destination, files, progress, seal))
}

/// Runs a function in a directory, creating it if need be, and removes a created directory on failure.
fn in_directory<E: From<WriteError>>(
    directory: &Path,
    work: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    let missing: Vec<&Path> = directory.ancestors().take_while(|above| is_missing(above)).collect();
    let made = fs::create_dir_all(directory).map_err(io_error(directory, "create the directory"));
    let whole = made.map_err(E::from).and_then(|()| work());
    if whole.is_err() {
        for made in missing {
            // This fails if somebody put something in; then it is not ours to remove.
            let _ = fs::remove_dir(made);
        }
    }
    whole
}

/// The content of a file.
pub type Content<'c> = &'c dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Writes files into a directory that may hold others, replacing those of the same name, and removes stale ones. All
/// are written and synced beside their targets before any is renamed. Until the last file is in place again, the
/// directory `replaced` has copies of all old files, so that a killed run can start again from those. The caller can
/// cancel the work until the renaming, of which each change is a step.
///
/// # Errors
/// The first failure; the directory is unchanged, or `replaced` has the old files and the last file is missing.
pub fn write_into(
    directory: &Path,
    files: &[(&str, Content<'_>)],
    stale: &[&str],
    replaced: &str,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    progress.check()?;
    let name = "files";
    in_directory(directory, || {
        sweep(directory, name);
        let aside = create_aside(directory, name)?;
        for (name, content) in files {
            let (path, shown) = (aside.path().join(name), directory.join(name));
            let file = File::create_new(&path).map_err(io_error(&shown, "create the file"))?;
            let mut out = BufWriter::new(Cancellable { file, progress });
            let written = content(&mut out).and_then(|()| out.flush());
            // A cancelled write is not the file's fault.
            progress.check()?;
            written.map_err(io_error(&shown, "write the file"))?;
            sync_file(&path, &shown)?;
            progress.check()?;
        }
        // The last one is removed first.
        let written = files.iter().rev().map(|(name, _)| *name);
        let old: Vec<&str> = written.chain(stale.iter().copied()).collect();
        let replaced = directory.join(replaced);
        keep_replaced([directory, &replaced, aside.path()], &old, progress)?;
        // From here on the work is completed: it takes a moment in which new files replace old ones.
        progress.step();
        for path in old.iter().map(|name| directory.join(name)) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() == NotFound => {}
                answer => answer.map_err(io_error(&path, "remove the old file"))?,
            }
            sync_directory(directory)?;
            progress.step();
        }
        for (name, _) in files {
            let path = directory.join(name);
            fs::rename(aside.path().join(name), &path)
                .map_err(io_error(&path, "put the file there"))?;
            progress.step();
        }
        sync_directory(directory)?;
        fs::remove_dir_all(&replaced).map_err(io_error(&replaced, "remove the copies of old files"))
    })
}

/// Copies old files into the directory for them, which appears whole. One left by an interrupted run stays while the
/// first of the files is missing, because the present files may come from that run.
fn keep_replaced(
    [directory, replaced, aside]: [&Path; 3],
    old: &[&str],
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    if !is_missing(replaced) {
        if old.first().is_some_and(|first| is_missing(&directory.join(first))) {
            return Ok(());
        }
        fs::remove_dir_all(replaced)
            .map_err(io_error(replaced, "remove the copies of old files"))?;
    }
    let copies = aside.join("copies of old files");
    fs::create_dir(&copies).map_err(io_error(replaced, "create the directory"))?;
    for name in old {
        let (from, to) = (directory.join(name), copies.join(name));
        let mut file = match input_file::open(&from, Symlinks::Follow) {
            Err(error) if error.kind() == NotFound => continue,
            answer => answer.map_err(io_error(&from, "open the old file"))?.0,
        };
        File::create_new(&to)
            .and_then(|mut copy| io::copy(&mut file, &mut copy).map(|_| copy))
            .and_then(|copy| copy.sync_data())
            .map_err(io_error(&from, "copy the old file"))?;
        progress.check()?;
    }
    sync_directory(&copies)?;
    fs::rename(&copies, replaced).map_err(io_error(replaced, "put copies of old files there"))?;
    sync_directory(directory)
}

/// A file that accepts no more bytes once the work is cancelled.
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

/// The place for a table set, and how to put it there.
struct TargetDirectory<'p> {
    target: &'p Path,
    parent: &'p Path,
    name: &'p str,
    /// Whether there is an old one to swap it with.
    swap: bool,
}

/// Writes everything into a directory beside the target and moves it there.
fn write_aside<'f, E: From<WriteError>>(
    &TargetDirectory { target, parent, name, swap }: &TargetDirectory<'_>,
    files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    progress: &dyn Progress,
    seal: impl FnOnce(&Path) -> Result<(&'static str, Vec<u8>), E>,
) -> Result<(), E> {
    let aside = create_aside(parent, name)?;
    let mut directories = vec![aside.path().to_owned()];
    // Synced when all are written: syncing each file as it is written takes several times as long.
    let mut written = Vec::new();
    for (relative, bytes) in files {
        progress.check().map_err(WriteError::from)?;
        let path = aside.path().join(relative);
        let directory = path.parent().unwrap_or(aside.path());
        if directories.last().is_none_or(|last| last != directory) && !directory.is_dir() {
            fs::create_dir_all(directory).map_err(io_error(directory, "create the directory"))?;
            directories.push(directory.to_owned());
        }
        let shown = target.join(relative);
        write_file(&path, &shown, bytes)?;
        written.push((path, shown));
        progress.step();
    }
    let (relative, bytes) = seal(aside.path())?;
    let (path, shown) = (aside.path().join(relative), target.join(relative));
    write_file(&path, &shown, &bytes)?;
    written.push((path, shown));
    progress.step();
    for (path, shown) in &written {
        sync_file(path, shown)?;
    }
    for directory in directories.iter().rev() {
        sync_directory(directory)?;
    }
    progress.check().map_err(WriteError::from)?;
    if swap {
        // Somebody may have put a file into the old one meanwhile.
        refuse_strangers(target)?;
        exchange(aside.path(), target).map_err(io_error(target, "replace the directory"))?;
        // `aside` now holds the old table set and is removed as it goes out of scope.
    } else {
        fs::rename(aside.path(), target)
            .map_err(io_error(target, "rename the new directory to it"))?;
        aside.moved();
    }
    Ok(sync_directory(parent)?)
}

/// Writes a file; messages name it as `shown`.
fn write_file(path: &Path, shown: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let mut file = File::create_new(path).map_err(io_error(shown, "create the file"))?;
    file.write_all(bytes).map_err(io_error(shown, "write the file"))
}

/// Waits until the content of a file is on disk; messages name it as `shown`.
fn sync_file(path: &Path, shown: &Path) -> Result<(), WriteError> {
    let file = File::options().write(true).open(path).map_err(io_error(shown, "open the file"))?;
    file.sync_data().map_err(io_error(shown, "sync the file"))
}

/// Whether [`write()`] could begin, before the work of making the files.
///
/// # Errors
/// The target must not be touched, or nothing can be created beside it.
pub fn check_target(target: &Path, existing: Existing) -> Result<(), WriteError> {
    must_swap(target, existing)?;
    let (parent, name) = split(target)?;
    sweep(&parent, &name);
    match parent.ancestors().find(|above| !is_missing(above)) {
        Some(above) => create_aside(above, &name).map(drop),
        None => Ok(()),
    }
}

/// Whether the target must be swapped with an existing one.
fn must_swap(target: &Path, existing: Existing) -> Result<bool, WriteError> {
    let refuse = |why| Err(WriteError::NotOurs { path: target.to_owned(), why });
    if let Some(set) = target.parent().and_then(table_set_around) {
        return Err(WriteError::WithinSet { path: target.to_owned(), set });
    }
    let metadata = match fs::symlink_metadata(target) {
        Ok(metadata) => metadata,
        // If something above it is not a directory, creating one there will fail.
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(false),
        Err(error) => return Err(io_error(target, "look at it")(error)),
    };
    if metadata.is_symlink() {
        return refuse("it is a symbolic link");
    }
    if !metadata.is_dir() {
        return refuse("it is not a directory");
    }
    let mut entries = fs::read_dir(target).map_err(io_error(target, "list the directory"))?;
    if entries.next().is_none() {
        return Ok(false);
    }
    refuse_strangers(target)?;
    match existing {
        Existing::Replace => Ok(true),
        Existing::Refuse => Err(WriteError::Exists { path: target.to_owned() }),
    }
}

/// Refuses a directory that holds anything but a table set.
fn refuse_strangers(target: &Path) -> Result<(), WriteError> {
    let target = target.to_owned();
    check_replaceable(&target).map_err(|occupied| match occupied {
        Occupied::NoTableSet(ReadError::Io { source, .. }) if source.kind() == NotFound => {
            let why = "it is not empty and has no manifest.json";
            WriteError::NotOurs { path: target, why }
        }
        Occupied::NoTableSet(source) => WriteError::NoManifest { path: target, source },
        Occupied::Stranger(path) => WriteError::Stranger { set: target, path },
        Occupied::Io(path, source) => WriteError::Io { path, action: "list the directory", source },
    })
}

fn split(target: &Path) -> Result<(PathBuf, String), WriteError> {
    let name = target.file_name().ok_or(WriteError::NotOurs {
        path: target.to_owned(),
        why: "the path does not end in a name",
    })?;
    let parent = match target.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    Ok((parent, name.to_string_lossy().into_owned()))
}

/// Whether nothing is there. The empty path is the working directory.
fn is_missing(path: &Path) -> bool {
    let answer = fs::symlink_metadata(path);
    path != Path::new("")
        && answer.is_err_and(|error| matches!(error.kind(), NotFound | NotADirectory))
}

/// A directory for a target of this name, removed when dropped.
fn create_aside(parent: &Path, name: &str) -> Result<Aside, WriteError> {
    Aside::create(parent, name)
        .map_err(|error| io_error(parent, "create a directory in it")(systems_words(error)))
}

fn sync_directory(path: &Path) -> Result<(), WriteError> {
    let sync = || File::open(path)?.sync_all();
    sync().map_err(io_error(path, "sync the directory"))
}

#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// For systems that cannot swap two directories in one step: the old one is moved away first.
#[cfg(not(target_os = "linux"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    let away = one.with_extension("old");
    fs::rename(other, &away)?;
    fs::rename(one, other)?;
    fs::rename(&away, one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tvlb_generator::fabric::Fabric;
    use tvlb_generator::fabric_file::FabricFile;
    use tvlb_generator::tables::tables_of;
    use tvlb_topology::arrangement::{Arrangement, arrange};

    /// The manifest of a small fabric's table set.
    static MANIFEST: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let text =
            "name = \"lab\"\n[dragonfly]\np = 1\na = 1\nh = 1\ng = 2\n[routing]\nset = \"all\"";
        let file = FabricFile::parse(text, "lab.toml").unwrap();
        let topology = arrange(file.dragonfly, Arrangement::default(), file.seed).unwrap();
        let policies = file.policies.given().unwrap();
        tables_of(
            &Fabric { file, topology, names: tvlb_table_set::names::Names::default() },
            &policies,
            &(),
        )
        .unwrap()
        .manifest
        .to_json()
    });

    /// Cancels the work after this many checks.
    struct CancelsAfter(AtomicU32, u32);

    impl Progress for CancelsAfter {
        fn is_cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) == self.1
        }
    }

    fn try_write(target: &Path, existing: Existing) -> Result<(), WriteError> {
        let files = [("manifest.json", &**MANIFEST), ("switches/00000.tvlb", b"image")];
        write(target, files, existing, &(), report)
    }

    #[expect(clippy::unnecessary_wraps, reason = "what `write` takes may fail")]
    fn report(_: &Path) -> Result<(&'static str, Vec<u8>), WriteError> {
        Ok(("report.html", b"report".to_vec()))
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn writes_a_new_set_and_leaves_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("deep/out");
        try_write(&target, Existing::Refuse).unwrap();
        assert_eq!(names(&home.path().join("deep")), ["out"]);
        assert_eq!(names(&target), ["manifest.json", "report.html", "switches"]);
        assert_eq!(fs::read(target.join("switches/00000.tvlb")).unwrap(), b"image");
    }

    #[test]
    fn replaces_a_table_set_only_when_asked() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        try_write(&target, Existing::Refuse).unwrap();
        let image = target.join("switches/00001.tvlb");
        fs::write(&image, "damaged").unwrap();
        assert!(matches!(try_write(&target, Existing::Refuse), Err(WriteError::Exists { .. })));
        assert!(image.exists());
        try_write(&target, Existing::Replace).unwrap();
        assert!(!image.exists());
        assert_eq!(names(home.path()), ["out"]);
    }

    #[test]
    fn what_is_put_beside_an_old_table_set_at_the_last_moment_is_not_lost() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        try_write(&target, Existing::Refuse).unwrap();
        let files = [("manifest.json", &**MANIFEST)];
        let meanwhile = |_: &Path| {
            fs::write(target.join("notes"), "precious").unwrap();
            report(&target)
        };
        let result = write(&target, files, Existing::Replace, &(), meanwhile);
        assert!(matches!(result, Err(WriteError::Stranger { .. })), "{result:?}");
        assert_eq!(names(&target), ["manifest.json", "notes", "report.html", "switches"]);
        assert_eq!(names(home.path()), ["out"]);
    }

    #[test]
    fn no_table_set_is_written_into_another() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        try_write(&target, Existing::Refuse).unwrap();
        for within in ["inner", "deep/inner", "switches"] {
            let result = try_write(&target.join(within), Existing::Replace);
            assert!(matches!(result, Err(WriteError::WithinSet { .. })), "{within}: {result:?}");
        }
        assert_eq!(names(&target), ["manifest.json", "report.html", "switches"]);
    }

    #[test]
    fn touches_nothing_that_is_not_a_table_set() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("thesis.tex"), "precious").unwrap();
        for existing in [Existing::Refuse, Existing::Replace] {
            assert!(matches!(try_write(&target, existing), Err(WriteError::NotOurs { .. })));
        }
        assert_eq!(names(&target), ["thesis.tex"]);
        fs::write(home.path().join("file"), "").unwrap();
        assert!(matches!(
            try_write(&home.path().join("file"), Existing::Replace),
            Err(WriteError::NotOurs { .. })
        ));
        #[cfg(unix)]
        {
            let link = home.path().join("link");
            std::os::unix::fs::symlink(&target, &link).unwrap();
            assert!(matches!(try_write(&link, Existing::Replace), Err(WriteError::NotOurs { .. })));
        }
    }

    #[test]
    fn an_empty_directory_will_do() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        fs::create_dir(&target).unwrap();
        try_write(&target, Existing::Refuse).unwrap();
        assert_eq!(names(&target), ["manifest.json", "report.html", "switches"]);
    }

    #[test]
    fn an_interruption_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("out");
        for after in 0..3 {
            let cancels = CancelsAfter(AtomicU32::new(0), after);
            let files = [("manifest.json", &**MANIFEST), ("switches/00000.tvlb", b"image")];
            let result = write(&target, files, Existing::Refuse, &cancels, report);
            assert!(matches!(result, Err(WriteError::Cancelled(_))));
            assert!(names(home.path()).is_empty());
        }
    }
    #[test]
    fn what_is_refused_at_the_end_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("deep/out");
        let refuse = |aside: &Path| {
            assert_eq!(fs::read(aside.join("manifest.json")).unwrap(), *MANIFEST);
            Err(WriteError::NotOurs { path: aside.to_owned(), why: "a test" })
        };
        let files = [("manifest.json", &**MANIFEST)];
        let result = write(&target, files, Existing::Refuse, &(), refuse);
        assert!(matches!(result, Err(WriteError::NotOurs { .. })));
        assert!(names(home.path()).is_empty());
    }
}
