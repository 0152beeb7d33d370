//! A directory that is opened once, so that all later reads are from that very directory, even if its name is given to
//! another in the meantime.

use crate::input_file;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::{os::fd::OwnedFd, sync::Arc};

/// An open directory of a table set. No read through it follows a symbolic link.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    handle: Arc<OwnedFd>,
}

impl Directory {
    /// The path by which it was opened, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a file in it, if there are at most `most`.
    pub(crate) fn read(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let (file, found) = self.open_file(name)?;
        input_file::limited(file, found, most)
    }

    /// The first `most` bytes of a file in it, or all of them, and its length.
    pub(crate) fn read_start(&self, name: &str, most: u64) -> io::Result<(Vec<u8>, u64)> {
        let (file, found) = self.open_file(name)?;
        input_file::start(file, found, most)
    }

    fn open_file(&self, name: &str) -> io::Result<(File, u64)> {
        input_file::check(&self.look_at(name)?)?;
        // The file may have been replaced between the check and the opening.
        let file = self.open_without_waiting(name)?;
        let metadata = file.metadata()?;
        input_file::check(&metadata)?;
        Ok((file, metadata.len()))
    }
}

#[cfg(target_os = "linux")]
impl Directory {
    /// Opens a directory that the user has chosen, even through a symbolic link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        // A user who may not list a directory may still read files in it by name.
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = Arc::new(openat(CWD, path, flags, Mode::empty())?);
        Ok(Self { path: path.to_owned(), handle })
    }

    /// Opens a subdirectory, and refuses a symbolic link.
    pub(crate) fn open_within(&self, name: &str) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags, openat};
        refuse_link(&self.look_at(name)?)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let handle = Arc::new(openat(&*self.handle, name, flags, Mode::empty())?);
        Ok(Self { path: self.path.join(name), handle })
    }

    /// The names of its entries, in order.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        use rustix::fs::{Dir, Mode, OFlags, openat};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut names = Vec::new();
        for entry in Dir::new(openat(&*self.handle, ".", flags, Mode::empty())?)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// The metadata of an entry, which may be a symbolic link itself.
    fn look_at(&self, name: &str) -> io::Result<Metadata> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        File::from(openat(&*self.handle, name, flags, Mode::empty())?).metadata()
    }

    fn open_without_waiting(&self, name: &str) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        // A pipe would wait for its writer.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&*self.handle, name, flags, Mode::empty())?))
    }
}

/// On systems that cannot hold directories open, they are named again each time.
#[cfg(not(target_os = "linux"))]
impl Directory {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if !std::fs::metadata(path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path: path.to_owned() })
    }

    pub(crate) fn open_within(&self, name: &str) -> io::Result<Self> {
        refuse_link(&self.look_at(name)?)?;
        Self::open(&self.path.join(name))
    }

    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    fn look_at(&self, name: &str) -> io::Result<Metadata> {
        std::fs::symlink_metadata(self.path.join(name))
    }

    fn open_without_waiting(&self, name: &str) -> io::Result<File> {
        File::open(self.path.join(name))
    }
}

fn refuse_link(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_symlink() {
        return Err(io::Error::other("found a symbolic link, accepted a directory"));
    }
    Ok(())
}
