//! Writes a file completely or not at all.
//!
//! The content goes to a file beside the target and to the disk, and then takes the target's place in one step:
//! whatever happens on the way, there is either the old content or the new. A target that is not a file, such as a pipe
//! or `/dev/stdout`, is written to directly.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Makes these bytes the content of the file.
///
/// # Errors
/// The directory or the target cannot be written to.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let content = content.as_ref();
    if fs::metadata(path).is_ok_and(|target| !target.is_file()) {
        return fs::write(path, content);
    }
    aside(path, content)?.persist(path)?;
    Ok(())
}

/// Makes these bytes the content of a new file: of several processes that try, one succeeds.
///
/// # Errors
/// There is such a file, or the directory cannot be written to.
pub(crate) fn write_new(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    aside(path, content.as_ref())?.persist_noclobber(path)?;
    Ok(())
}

/// A file beside another, with these bytes, on disk.
fn aside(path: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: the user's mask applies.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut aside = builder.prefix(".tvlb-").tempfile_in(directory).map_err(systems_words)?;
    aside.write_all(content)?;
    aside.as_file().sync_all()?;
    Ok(aside)
}

/// The operating system's error for a temporary file or directory, without the path that `tempfile` adds: the user does
/// not know that path.
pub(crate) fn systems_words(error: io::Error) -> io::Error {
    match error.to_string().split_once(" at path ") {
        Some((sentence, _)) => io::Error::new(error.kind(), sentence.to_owned()),
        None if error.raw_os_error().is_some() => error,
        None => error.kind().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_is_replaced_and_nothing_else_stays() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        for content in ["a longer text", "short"] {
            write(&path, content).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let error = write(&home.path().join("missing/file"), "text").unwrap_err();
        assert_eq!(error.to_string(), io::Error::from_raw_os_error(2).to_string());
        assert!(write(home.path(), "text").is_err());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }
}
