//! Reads files that somebody else may have made.
//!
//! Promises: only a regular file is opened, so that no pipe can block and no device can supply bytes without end; a
//! file that is too large is refused before it is read, and never more than the limit is kept in memory, even if it
//! grows meanwhile. Only a path from the command line may be a pipe as well ([`read_given()`]): a user who names one
//! expects us to wait for it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How to treat a symbolic link at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symlinks {
    /// Follow it: the user has chosen the path.
    Follow,
    /// Refuse it: nothing within a table set may lead out of it.
    Refuse,
}

/// Why a file is not read. It is the source of an [`io::Error`].
#[derive(Debug, thiserror::Error)]
enum FileRefusal {
    #[error("found {found}, accepted a regular file")]
    Kind { found: &'static str },
    #[error("found {found} bytes, accepted at most {most}")]
    TooLarge { found: u64, most: u64 },
    #[error("the standard input was read already, accepted for one file of a command line")]
    StandardInputTwice,
}

/// Whether the standard input was read: it gives its bytes once, and would appear empty a second time.
static STANDARD_INPUT_READ: AtomicBool = AtomicBool::new(false);

/// The bytes of a file of at most `most` bytes.
///
/// # Errors
/// The system's error, or what is there instead of such a file.
pub fn read(path: &Path, most: u64, links: Symlinks) -> io::Result<Vec<u8>> {
    let (file, found) = open(path, links)?;
    limited(file, found, most)
}

/// The bytes of an open file that was `found` bytes long, if they are at most `most`.
pub(crate) fn limited(file: impl Read, found: u64, most: u64) -> io::Result<Vec<u8>> {
    let too_large =
        |found| io::Error::new(ErrorKind::FileTooLarge, FileRefusal::TooLarge { found, most });
    if found > most {
        return Err(too_large(found));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found).unwrap_or(0));
    // One byte more than is accepted, to notice a file that has grown.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// The bytes of a path on the command line, at most `most`: of a regular file, of a pipe until it ends, or of the
/// standard input if the path is `-` or one of the system's names for it.
///
/// # Errors
/// The system's error, or what is there instead; a second use of the standard input.
pub fn read_given(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]
        .iter()
        .any(|name| path == Path::new(name))
    {
        if STANDARD_INPUT_READ.swap(true, Ordering::Relaxed) {
            return Err(io::Error::new(ErrorKind::InvalidInput, FileRefusal::StandardInputTwice));
        }
        return limited(io::stdin().lock(), 0, most);
    }
    if !is_pipe(&fs::metadata(path)?) {
        return read(path, most, Symlinks::Follow);
    }
    let pipe = File::open(path)?;
    // The file may have been replaced between the check and the opening.
    let metadata = pipe.metadata()?;
    if !is_pipe(&metadata) {
        check(&metadata)?;
    }
    limited(pipe, 0, most)
}

/// The same for a text; invalid UTF-8 is an error.
///
/// # Errors
/// As of [`read_given()`].
pub fn read_given_text(path: &Path, most: u64) -> io::Result<String> {
    text(read_given(path, most)?)
}

/// The bytes of a file as a text; invalid UTF-8 is an error.
///
/// # Errors
/// As of [`read()`].
pub fn read_text(path: &Path, most: u64, links: Symlinks) -> io::Result<String> {
    text(read(path, most, links)?)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// The first `most` bytes of a file, or all of them, and its length.
///
/// # Errors
/// The system's error, or what is there instead of a regular file.
pub fn read_start(path: &Path, most: u64, links: Symlinks) -> io::Result<(Vec<u8>, u64)> {
    let (file, found) = open(path, links)?;
    start(file, found, most)
}

/// The first `most` bytes of an open file that was `found` bytes long, and that length.
pub(crate) fn start(file: File, found: u64, most: u64) -> io::Result<(Vec<u8>, u64)> {
    // No more than needed: many files are in memory at once.
    let mut bytes = Vec::with_capacity(usize::try_from(found.min(most)).unwrap_or(0));
    file.take(most).read_to_end(&mut bytes)?;
    Ok((bytes, found))
}

/// Opens a regular file, and returns its length.
///
/// # Errors
/// The system's error, or what is there instead of a regular file.
pub fn open(path: &Path, links: Symlinks) -> io::Result<(File, u64)> {
    let metadata = match links {
        Symlinks::Follow => fs::metadata(path)?,
        Symlinks::Refuse => fs::symlink_metadata(path)?,
    };
    check(&metadata)?;
    // The file may have been replaced between the check and the opening.
    let file = open_without_waiting(path, links)?;
    let metadata = file.metadata()?;
    check(&metadata)?;
    Ok((file, metadata.len()))
}

/// Refuses everything but regular files, and directories, whose own error comes from the system.
pub(crate) fn check(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() || metadata.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(
        ErrorKind::InvalidInput,
        FileRefusal::Kind { found: kind(metadata.file_type()) },
    ))
}

#[cfg(unix)]
fn is_pipe(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_fifo()
}

#[cfg(not(unix))]
const fn is_pipe(_: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn kind(found: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match found {
        kind if kind.is_symlink() => "a symbolic link",
        kind if kind.is_fifo() => "a named pipe",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_char_device() || kind.is_block_device() => "a device",
        _ => "something else",
    }
}

#[cfg(not(unix))]
fn kind(found: fs::FileType) -> &'static str {
    if found.is_symlink() { "a symbolic link" } else { "something else" }
}

#[cfg(target_os = "linux")]
fn open_without_waiting(path: &Path, links: Symlinks) -> io::Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe would wait for its writer.
    let mut flags = OFlags::NONBLOCK;
    if links == Symlinks::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(target_os = "linux"))]
fn open_without_waiting(path: &Path, _: Symlinks) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        fs::write(&path, "content").unwrap();
        assert_eq!(read(&path, 7, Symlinks::Refuse).unwrap(), b"content");
        let error = read(&path, 6, Symlinks::Refuse).unwrap_err();
        assert_eq!(error.to_string(), "found 7 bytes, accepted at most 6");
        assert_eq!(read_start(&path, 3, Symlinks::Refuse).unwrap(), (b"con".to_vec(), 7));
    }

    #[test]
    fn a_huge_file_costs_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("huge");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = read(&path, 1 << 10, Symlinks::Follow).unwrap_err();
        assert_eq!(error.to_string(), "found 1099511627776 bytes, accepted at most 1024");
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        let home = tempfile::tempdir().unwrap();
        let (file, link, pipe) =
            (home.path().join("file"), home.path().join("link"), home.path().join("pipe"));
        fs::write(&file, "content").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let error = |path: &Path, links| read(path, 100, links).unwrap_err().to_string();
        assert_eq!(read(&link, 100, Symlinks::Follow).unwrap(), b"content");
        assert_eq!(
            error(&link, Symlinks::Refuse),
            "found a symbolic link, accepted a regular file"
        );
        for links in [Symlinks::Follow, Symlinks::Refuse] {
            assert_eq!(error(&pipe, links), "found a named pipe, accepted a regular file");
            let zero = Path::new("/dev/zero");
            assert_eq!(error(zero, links), "found a device, accepted a regular file");
        }
        let given = |most| {
            let (sent, to) = ("x".repeat(100_000), pipe.clone());
            let writer = std::thread::spawn(move || fs::write(to, sent));
            let read = read_given(&pipe, most);
            // It is not an error here if the reader stops early.
            let _ = writer.join().unwrap();
            read
        };
        assert_eq!(given(100_000).unwrap().len(), 100_000);
        let error = given(99_999).unwrap_err().to_string();
        assert_eq!(error, "found 100000 bytes, accepted at most 99999");
        assert_eq!(read_given(&file, 7).unwrap(), b"content");
        assert!(read_given(Path::new("/dev/zero"), 7).is_err());
    }
}
