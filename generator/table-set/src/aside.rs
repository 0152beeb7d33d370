//! The temporary directory in which a table set is made, beside its target.
//!
//! Its name is that of the target, `.NAME.partial-` and six random letters, and it is locked while its process lives.
//! Promises: it is removed when it goes out of scope; [`sweep`] removes one that a killed process left, and never one
//! in use.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// Random letters at the end of its name.
const LETTERS: usize = 6;
/// A name is lost only if another process sweeps at that very moment.
const MOST_TRIES: usize = 100;

/// A directory of our own, removed when dropped.
#[derive(Debug)]
pub(crate) struct Aside {
    directory: TempDir,
    /// After the directory, because it is dropped after it.
    _lock: Option<File>,
}

impl Aside {
    /// Makes one in `parent`, for a target called `name`.
    pub(crate) fn create(parent: &Path, name: &str) -> io::Result<Self> {
        for _ in 0..MOST_TRIES {
            let directory = tempfile::Builder::new()
                .prefix(&prefix(name))
                .rand_bytes(LETTERS)
                .permissions(permissions())
                .tempdir_in(parent)?;
            let Ok(lock) = File::open(directory.path()) else { continue };
            match lock.try_lock() {
                // From now on nobody can remove it, but somebody may have done so before.
                Ok(()) if directory.path().is_dir() => {
                    return Ok(Self { directory, _lock: Some(lock) });
                }
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                // If directories cannot be locked, they are not swept either.
                Err(TryLockError::Error(_)) => return Ok(Self { directory, _lock: None }),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The directory was renamed: there is nothing to remove.
    pub(crate) fn moved(self) {
        let _ = self.directory.keep();
    }
}

/// Removes the directories that killed processes left in `parent` for the target `name`. One that cannot be removed
/// stays and does no harm.
pub(crate) fn sweep(parent: &Path, name: &str) {
    let prefix = prefix(name);
    let is_ours = |found: &str| {
        found.strip_prefix(&prefix).is_some_and(|rest| {
            rest.len() == LETTERS && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory
            && entry.file_name().to_str().is_some_and(is_ours)
            && let Ok(lock) = File::open(entry.path())
            && lock.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn prefix(name: &str) -> String {
    format!(".{name}.partial-")
}

/// The permissions of an ordinary new directory, not the private ones of a temporary one.
#[cfg(unix)]
fn permissions() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o777)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_what_nobody_works_on_is_swept() {
        let home = tempfile::tempdir().unwrap();
        let alive = Aside::create(home.path(), "out").unwrap();
        let kept = [
            ".out.partial-abc", // of another length
            ".out.partial-abc123x",
            ".out.partial-abc.12",
            ".other.partial-abc123",
            "out.partial-abc123",
        ];
        for name in kept {
            fs::create_dir(home.path().join(name)).unwrap();
        }
        fs::write(home.path().join(".out.partial-file01"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("out.partial-abc123", home.path().join(".out.partial-link01"))
            .unwrap();
        fs::create_dir_all(home.path().join(".out.partial-dead01/switches")).unwrap();
        fs::write(home.path().join(".out.partial-dead01/switches/00000.tvlb"), "").unwrap();
        let before = names(home.path());
        sweep(home.path(), "out");
        let mut after = names(home.path());
        assert!(after.contains(&alive.path().file_name().unwrap().to_str().unwrap().to_owned()));
        after.push(".out.partial-dead01".to_owned());
        after.sort();
        assert_eq!(after, before);
        let path = alive.path().to_owned();
        drop(alive);
        assert!(!path.exists());
    }

    #[test]
    fn sweepers_and_makers_do_not_lose_each_others_work() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        sweep(home.path(), "out");
                        let aside = Aside::create(home.path(), "out").unwrap();
                        fs::write(aside.path().join("file"), "content").unwrap();
                        sweep(home.path(), "out");
                        assert_eq!(fs::read(aside.path().join("file")).unwrap(), b"content");
                    }
                });
            }
        });
        assert_eq!(names(home.path()), [""; 0]);
    }
}
