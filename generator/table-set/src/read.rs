//! Reads a table set back: the manifest, and images with the hashes in it.
//!
//! An image is read no further than its length in the manifest, and returned only if its length and hash match the
//! manifest. An image of another version is reported as that, not as damaged. Nothing in the directory leads out of it:
//! the manifest can name only files of a table set, none of them may be a symbolic link, and both directories are
//! opened once, so that replacing one of them by a link has no effect. The sizes in the manifest are limited, file by
//! file and in total, and none of its texts can contain what a terminal would obey.

use super::directory::Directory;
use super::printable::{escaped_controls, is_plain, is_shown};
use super::{
    FABRIC_FILE, FabricEntry, FileEntry, MANIFEST_FILE, MANIFEST_FORMAT, Manifest, NAMES_FILE,
    REPORT_FILE, SWITCHES, sha256, switch_file,
};
use crate::names::Names;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use tvlb_base::text::quoted;
use tvlb_schema::{Decision, Dragonfly, ImageError, SwitchId, check_version};

/// The most bytes of a manifest: some 200 for each of at most 65 536 switches.
pub(super) const MOST_MANIFEST_BYTES: u64 = 32 << 20;
/// The most bytes of a fabric image: some 7 for each of at most 2²⁴ ports.
const MOST_FABRIC_BYTES: u64 = 128 << 20;
/// The most bytes of a switch image: three sets of some bytes for each of at most 65 536 switches.
const MOST_SWITCH_BYTES: u64 = 1 << 20;
/// The most bytes of all images: enough for the smallest images of 65 536 switches in groups with 4096 global ports,
/// which take 1.2 · 10⁹ bytes.
pub const MOST_BYTES: u64 = 5 << 28;
/// The most bytes of a report, whose lists and pictures have limits of their own.
const MOST_REPORT_BYTES: u64 = 64 << 20;
/// The most bytes of a list of names: 64 for each of 2¹⁶ switches, its head, and some more. Enough for a name of each
/// port of the largest fabrics in service.
pub const MOST_NAMES_BYTES: u64 = 256 << 20;

/// Why a table set, or a file of it, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{path}: cannot read it: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}:{}:{}: not a manifest of a table set: {}", .source.line(), .source.column(), without_place(.source))]
    Manifest { path: PathBuf, source: serde_json::Error },
    #[error("{path}:{line}:{column}: not the record of an update: {why}")]
    Update { path: PathBuf, line: usize, column: usize, why: String },
    #[error(
        "{path}: format is {}, accepted {MANIFEST_FORMAT:?}; regenerate the table set with this version of tvlb",
        quoted(.found)
    )]
    Format { path: PathBuf, found: String },
    #[error("{path}: the manifest lists {files} files, but not this one; regenerate the table set")]
    NotListed { path: PathBuf, files: usize },
    #[error("{path}: {source}")]
    Version { path: PathBuf, source: ImageError },
    #[error(
        "{path}: found {found} bytes, but the manifest says {listed}; it is damaged or of another table set"
    )]
    Length { path: PathBuf, found: u64, listed: u64 },
    #[error("{path}: {field} is {found}, accepted {accepted}")]
    Entry { path: PathBuf, field: String, found: String, accepted: String },
    #[error(
        "{path}: its SHA-256 is {found}, but the manifest says {listed}; it is damaged or of another table set"
    )]
    Hash { path: PathBuf, found: String, listed: String },
}

/// The field that the manifests of all formats have.
#[derive(Deserialize)]
pub(super) struct Label {
    pub(super) format: String,
}

/// A table set on disk, identified by its manifest.
///
/// # Example
/// ```
/// # use tvlb_generator::fabric::Fabric;
/// # use tvlb_topology::arrangement::Arrangement;
/// # let df = tvlb_schema::Dragonfly::new(1, 4, 2, 5)?;
/// # let fabric = Fabric::new("lab", df, Arrangement::default(), 1)?;
/// # use tvlb_table_set::{Existing, REPORT_FILE, TableSet, WriteError, write};
/// # use tvlb_generator::{tables::tables_of, policy::Policy};
/// # let home = tempfile::tempdir()?;
/// # let tables = home.path().join("tables");
/// # let make = |directory: &std::path::Path, set: &str| {
/// #     let rule = tvlb_table_set::grammar::parse_set(set, 1)?;
/// #     let policies = tvlb_schema::PerDecision::same(Policy::from(rule));
/// #     let made = tables_of(&fabric, &policies, &())?;
/// #     let files = made.files();
/// #     let contents = files.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
/// #     let seal = |_: &std::path::Path| Ok::<_, WriteError>((REPORT_FILE, Vec::new()));
/// #     write(directory, contents, Existing::Refuse, &(), seal)?;
/// #     Ok::<_, Box<dyn std::error::Error>>(())
/// # };
/// # make(&tables, "shapes:011")?;
/// // What `tvlb generate lab.toml -o tables` has written.
/// let set = TableSet::open(&tables)?;
/// assert_eq!(set.manifest().fabric.name, "lab");
/// assert_eq!(set.manifest().sets.ugal_l.set, "shapes:011");
/// // Each image is held against its hash as it is read.
/// let fabric_image = set.fabric_image()?;
/// let switch_image = set.switch_image(tvlb_schema::SwitchId(7))?;
/// assert!(!fabric_image.is_empty() && !switch_image.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableSet {
    directory: Directory,
    /// That of the switch images, or why it cannot be opened.
    switches: Result<Directory, io::ErrorKind>,
    manifest: Manifest,
    manifest_sha256: String,
}

impl TableSet {
    /// Reads the manifest of the table set in `directory`.
    ///
    /// # Errors
    /// There is none, or it is not one.
    pub fn open(directory: &Path) -> Result<Self, ReadError> {
        let path = directory.join(MANIFEST_FILE);
        let directory = Directory::open(directory).map_err(io_error(&path))?;
        let json = directory.read(MANIFEST_FILE, MOST_MANIFEST_BYTES).map_err(io_error(&path))?;
        // The format first: another format may well have other fields.
        if let Ok(Label { format }) = serde_json::from_slice(&json)
            && format != MANIFEST_FORMAT
        {
            return Err(ReadError::Format { path, found: format });
        }
        let manifest = serde_json::from_slice(&json)
            .map_err(|source| ReadError::Manifest { path: path.clone(), source })?;
        check_entries(&manifest, &path)?;
        check_texts(&manifest, &path)?;
        let switches = match directory.open_within(SWITCHES) {
            // A link, for which the system reports no error.
            Err(source) if source.kind() == io::ErrorKind::Other => {
                return Err(ReadError::Io { path: directory.path().join(SWITCHES), source });
            }
            switches => switches.map_err(|error| error.kind()),
        };
        Ok(Self { directory, switches, manifest, manifest_sha256: sha256(&json) })
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The SHA-256 of `manifest.json`.
    pub fn manifest_sha256(&self) -> &str {
        &self.manifest_sha256
    }

    /// The directory's path, for messages.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The path of the fabric image, for messages.
    pub fn fabric_path(&self) -> PathBuf {
        self.directory.path().join(FABRIC_FILE)
    }

    /// The path of a switch image, for messages.
    pub fn switch_path(&self, switch: SwitchId) -> PathBuf {
        self.directory.path().join(switch_file(switch))
    }

    /// The path of the report, for messages.
    pub fn report_path(&self) -> PathBuf {
        self.directory.path().join(REPORT_FILE)
    }

    /// The report's bytes, which are not in the manifest.
    ///
    /// # Errors
    /// It cannot be read, or is larger than any report.
    pub fn report(&self) -> Result<Vec<u8>, ReadError> {
        let read = self.directory.read(REPORT_FILE, MOST_REPORT_BYTES);
        read.map_err(io_error(&self.report_path()))
    }

    /// The names of all entries, in order: of the directory and of that of the switch images, whose names begin with
    /// its own.
    ///
    /// # Errors
    /// A directory that cannot be listed, by its path, and the system's answer.
    pub fn names(&self) -> Result<Vec<String>, (PathBuf, io::Error)> {
        let list = |directory: &Directory| {
            directory.names().map_err(|error| (directory.path().to_owned(), error))
        };
        let mut names = list(&self.directory)?;
        let switches = self
            .switches
            .as_ref()
            .map_err(|&kind| (self.directory.path().join(SWITCHES), io::Error::from(kind)))?;
        names.extend(list(switches)?.into_iter().map(|name| format!("{SWITCHES}/{name}")));
        Ok(names)
    }

    /// The fabric image's bytes.
    ///
    /// # Errors
    /// It cannot be read or does not match the manifest.
    pub fn fabric_image(&self) -> Result<Vec<u8>, ReadError> {
        self.read(FABRIC_FILE, 0)
    }

    /// The list of names; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be read, does not match the manifest, or is not text.
    pub fn names_list(&self) -> Result<Option<String>, ReadError> {
        let Some(entry) = &self.manifest.names else { return Ok(None) };
        let path = self.names_path();
        let start = self.directory.read_start(NAMES_FILE, entry.bytes);
        let (bytes, length) = start.map_err(io_error(&path))?;
        check_content(&path, entry, &bytes, length)?;
        let text = String::from_utf8(bytes).map_err(|_| ReadError::Io {
            path,
            source: io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"),
        })?;
        self.check_switch_names(&text)?;
        Ok(Some(text))
    }

    /// Checks that the manifest has the switch names of the list of names. An invalid list or invalid sizes are left to
    /// their readers.
    fn check_switch_names(&self, list: &str) -> Result<(), ReadError> {
        let FabricEntry { p, a, h, g, kinds, .. } = &self.manifest.fabric;
        let df = match &kinds[..] {
            [] => Dragonfly::new(*p, *a, *h, *g),
            kinds => Dragonfly::of_kinds(kinds),
        };
        let Some(names) = df.ok().and_then(|df| Names::read(&df, list).ok()) else { return Ok(()) };
        for (number, file) in self.manifest.files.iter().enumerate() {
            let named = file.switch.as_deref().zip(switch_of_file(&file.path));
            if let Some((found, switch)) = named
                && names.switch(switch) != Some(found)
            {
                return Err(ReadError::Entry {
                    path: self.directory.path().join(MANIFEST_FILE),
                    field: format!("files[{number}].switch"),
                    found: quoted(found),
                    accepted: format!("the name of switch {switch} in {NAMES_FILE}"),
                });
            }
        }
        Ok(())
    }

    /// The path of the list of names, for messages.
    pub fn names_path(&self) -> PathBuf {
        self.directory.path().join(NAMES_FILE)
    }

    /// A switch image's bytes.
    ///
    /// # Errors
    /// It is not in the manifest, cannot be read or does not match the manifest.
    pub fn switch_image(&self, switch: SwitchId) -> Result<Vec<u8>, ReadError> {
        self.read(&switch_file(switch), switch.as_usize() + 1)
    }

    /// The bytes of the images of these switches, in their order. Uses the threads of the current rayon
    /// pool.
    ///
    /// # Errors
    /// As for [`Self::switch_image`], of the first image that has one.
    pub fn switch_images(
        &self,
        switches: impl Iterator<Item = SwitchId>,
    ) -> Result<Vec<Vec<u8>>, ReadError> {
        let switches: Vec<SwitchId> = switches.collect();
        let images = switches.into_par_iter().map(|switch| self.switch_image(switch));
        // Read all before looking for the first error, so that it is the same at any number of threads.
        images.collect::<Vec<_>>().into_iter().collect()
    }

    /// Reads a listed file, most likely at this place in the list.
    fn read(&self, name: &str, place: usize) -> Result<Vec<u8>, ReadError> {
        let path = self.directory.path().join(name);
        let files = &self.manifest.files;
        let is_it = |file: &&FileEntry| file.path == name;
        let there = files.get(place).filter(is_it).or_else(|| files.iter().find(is_it));
        let Some(entry @ FileEntry { bytes: listed, .. }) = there else {
            return Err(ReadError::NotListed { path, files: files.len() });
        };
        let within = name.strip_prefix(SWITCHES).and_then(|rest| rest.strip_prefix('/'));
        let start = match (within, &self.switches) {
            (None, _) => self.directory.read_start(name, *listed),
            (Some(name), Ok(switches)) => switches.read_start(name, *listed),
            (Some(_), Err(kind)) => Err((*kind).into()),
        };
        let (bytes, found) = start.map_err(io_error(&path))?;
        if let Err(source) = check_version(&bytes) {
            return Err(ReadError::Version { path, source });
        }
        check_content(&path, entry, &bytes, found)?;
        Ok(bytes)
    }
}

/// Checks a file against its length and hash in the manifest.
pub(super) fn check_content(
    path: &Path,
    entry: &FileEntry,
    bytes: &[u8],
    length: u64,
) -> Result<(), ReadError> {
    let path = path.to_owned();
    if length != entry.bytes {
        return Err(ReadError::Length { path, found: length, listed: entry.bytes });
    }
    let found = sha256(bytes);
    if found != entry.sha256 {
        return Err(ReadError::Hash { path, found, listed: entry.sha256.clone() });
    }
    Ok(())
}

/// The parser's message without its place, with which our message begins.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    escaped_controls(text.strip_suffix(&place).unwrap_or(&text))
}

pub(super) fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ReadError {
    move |source| ReadError::Io { path: path.to_owned(), source }
}

/// Checks that all files belong in a table set, and that neither one nor all of them are too large.
fn check_entries(manifest: &Manifest, path: &Path) -> Result<(), ReadError> {
    let wrong = |field: String, found: String, accepted: String| {
        Err(ReadError::Entry { path: path.to_owned(), field, found, accepted })
    };
    if let Some(FileEntry { path, bytes, .. }) = &manifest.names {
        if path != NAMES_FILE {
            let accepted = format!("{NAMES_FILE:?}");
            return wrong("names.path".to_owned(), quoted(path), accepted);
        }
        if *bytes > MOST_NAMES_BYTES {
            let accepted = format!("at most {MOST_NAMES_BYTES}");
            return wrong("names.bytes".to_owned(), bytes.to_string(), accepted);
        }
    }
    let mut total = 0_u64;
    for (number, file) in manifest.files.iter().enumerate() {
        let most = if file.path == FABRIC_FILE {
            MOST_FABRIC_BYTES
        } else if switch_of_file(&file.path).is_some() {
            MOST_SWITCH_BYTES
        } else {
            let accepted =
                format!("{FABRIC_FILE:?} or {:?} and the like", switch_file(SwitchId(0)));
            return wrong(format!("files[{number}].path"), quoted(&file.path), accepted);
        };
        if let Some(name) = &file.switch
            && (manifest.names.is_none() || !name.chars().all(is_shown))
        {
            let accepted = format!("a name of {NAMES_FILE}");
            return wrong(format!("files[{number}].switch"), quoted(name), accepted);
        }
        if file.bytes > most {
            let field = format!("files[{number}].bytes");
            return wrong(field, file.bytes.to_string(), format!("at most {most}"));
        }
        total += file.bytes;
        if total > MOST_BYTES {
            let field = format!("the sum of files[0].bytes to files[{number}].bytes");
            return wrong(field, total.to_string(), format!("at most {MOST_BYTES}"));
        }
    }
    Ok(())
}

/// Checks that names are as in a fabric file, that hashes are hashes, and that all other texts are printable ASCII.
fn check_texts(manifest: &Manifest, path: &Path) -> Result<(), ReadError> {
    let wrong = |field: &str, found: &str, accepted: &str| {
        let (field, accepted) = (field.to_owned(), accepted.to_owned());
        Err(ReadError::Entry { path: path.to_owned(), field, found: quoted(found), accepted })
    };
    let Manifest { tool_version, fabric, fabric_identity, virtual_channels, sets, .. } = manifest;
    for (field, text, signs) in [
        ("tool-version", tool_version, ".+-"),
        ("fabric.name", &fabric.name, "._-"),
        ("fabric.wiring", &fabric.wiring, "-"),
        ("fabric-identity", fabric_identity, ""),
        ("virtual-channels", virtual_channels, "-"),
    ] {
        if !is_plain(text, signs) {
            let list: Vec<String> = signs.chars().map(String::from).collect();
            let accepted = format!("1 to 64 of A-Z a-z 0-9 {}", list.join(" "));
            return wrong(field, text, accepted.trim_end());
        }
    }
    let accepted = "64 hexadecimal digits in lower case";
    for (number, file) in manifest.files.iter().enumerate() {
        if !is_digest(&file.sha256) {
            return wrong(&format!("files[{number}].sha256"), &file.sha256, accepted);
        }
    }
    for decision in Decision::ALL {
        let (entry, name) = (sets.get(decision), decision.name());
        let levels = entry.balance.as_ref().and_then(|balance| balance.levels_sha256.as_ref());
        for (field, digest) in [
            (format!("sets.{name}.presence-sha256"), entry.presence_sha256.as_ref()),
            (format!("sets.{name}.balance.levels-sha256"), levels),
        ] {
            if let Some(digest) = digest.filter(|digest| !is_digest(digest)) {
                return wrong(&field, digest, accepted);
            }
        }
        check_shown(&Value::from(entry.set.as_str()), &format!("sets.{name}.set"), &wrong)?;
    }
    match &manifest.choice {
        None => Ok(()),
        Some(choice) => {
            let value = serde_json::to_value(choice).expect("a choice has only string keys");
            check_shown(&value, "choice", &wrong)
        }
    }
}

/// Whether a text is a SHA-256 in the form of manifests.
pub(super) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Checks that every text in a value is printable.
fn check_shown(
    value: &Value,
    field: &str,
    wrong: &impl Fn(&str, &str, &str) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    match value {
        Value::String(text) if !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) => {
            wrong(field, text, "printable ASCII characters")
        }
        Value::Array(values) => values.iter().enumerate().try_for_each(|(number, value)| {
            check_shown(value, &format!("{field}[{number}]"), wrong)
        }),
        Value::Object(values) => values
            .iter()
            .try_for_each(|(key, value)| check_shown(value, &format!("{field}.{key}"), wrong)),
        _ => Ok(()),
    }
}

/// The switch whose image has this name; `None` for other names.
pub(super) fn switch_of_file(path: &str) -> Option<SwitchId> {
    let digits = path.strip_prefix(SWITCHES)?.strip_prefix("/")?.strip_suffix(".tvlb")?;
    let switch = SwitchId(digits.parse().ok()?);
    (switch_file(switch) == path).then_some(switch)
}
