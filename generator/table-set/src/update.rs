//! An update of a table set for the dead parts of its fabric: the fault image, the switch images that differ from the
//! table set's, and a record of both, in a directory of their own.
//!
//! A table set and an update of it together are what switches have once it is installed. The images of an update depend
//! only on the table set, never on another update, and state everything that is dead; only its record may say which
//! switches go back to images of the table set. It is read as a table set is: every file is returned only if its length
//! and hash match the record.

use super::directory::Directory;
use super::printable::is_plain;
use super::read::{check_content, io_error, is_digest, switch_of_file, without_place};
use super::{FileEntry, ReadError, SWITCHES, TableSet, switch_file};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tvlb_base::text::quoted;
use tvlb_schema::{PerDecision, SwitchId, check_version};

/// The `format` of every record of an update.
pub const UPDATE_FORMAT: &str = "tvlb update 1";
/// The record's name in the directory.
pub const UPDATE_FILE: &str = "update.json";
/// The fault image's name in the directory.
pub const FAULTS_FILE: &str = "faults.tvlb";
/// The name of the list of dead parts, as people write it.
pub const FAULT_LIST_FILE: &str = "faults.txt";

/// The most bytes of a record: some 150 for each of at most 65 536 switches, and as many lines.
const MOST_RECORD_BYTES: u64 = 64 << 20;
/// The most bytes of a fault image, and of a list of dead parts.
const MOST_FAULT_BYTES: u64 = 64 << 20;
/// The most bytes of a switch image.
const MOST_SWITCH_BYTES: u64 = 1 << 20;

/// The content of `update.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct UpdateRecord {
    /// [`UPDATE_FORMAT`].
    pub format: String,
    /// The version of tvlb that made it.
    pub tool_version: String,
    /// The identity of the planned fabric, 16 hexadecimal digits.
    pub fabric_identity: String,
    /// The SHA-256 of the table set's manifest.
    pub manifest_sha256: String,
    /// A number that rises from update to update; at least 1.
    pub epoch: u32,
    /// How many parts are dead, or drained.
    pub dead: DeadEntry,
    /// The paths that packets have lost.
    pub lost: LostEntry,
    /// The fault image, the list of dead parts, and the switch images by number.
    pub files: Vec<FileEntry>,
    /// The switch images of the table set to which switches of the previous update go back, if that update was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restored_files: Vec<FileEntry>,
}

/// How many parts are dead, or drained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DeadEntry {
    pub switches: u64,
    /// Cables between groups.
    pub cables: u64,
    /// Links within groups.
    pub local_links: u64,
    /// They are not dead but drained: see [`tvlb_schema::FaultSet::is_draining`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub draining: bool,
}

/// Ordered pairs of live switches with a loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LostEntry {
    /// Their last minimal path.
    pub min: u64,
    /// By decision: the last route of its set.
    pub sets: PerDecision<u64>,
    /// Every path.
    pub cut: u64,
}

impl UpdateRecord {
    /// The bytes of `update.json`.
    pub fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("a record has only string keys");
        json.push(b'\n');
        json
    }
}

/// An update on disk, identified by its record.
#[derive(Clone, Debug)]
pub struct Update {
    directory: Directory,
    switches: Option<Directory>,
    record: UpdateRecord,
    files: BTreeMap<String, FileEntry>,
    /// The switches for which it has an image.
    with_image: BTreeSet<SwitchId>,
}

impl Update {
    /// Reads the record of the update of this table set in `directory`.
    ///
    /// # Errors
    /// There is none, it is invalid, or it belongs to another table set.
    pub fn open(directory: &Path, set: &TableSet) -> Result<Self, ReadError> {
        let path = directory.join(UPDATE_FILE);
        let directory = Directory::open(directory).map_err(io_error(&path))?;
        let json = directory.read(UPDATE_FILE, MOST_RECORD_BYTES).map_err(io_error(&path))?;
        let record: UpdateRecord = serde_json::from_slice(&json).map_err(|source| {
            let why = without_place(&source);
            ReadError::Update {
                path: path.clone(),
                line: source.line(),
                column: source.column(),
                why,
            }
        })?;
        Self::of(directory, record, set)
    }

    /// An update whose record is known but not yet written, with its directory on disk.
    ///
    /// # Errors
    /// It belongs to another table set, or the directory cannot be opened.
    pub fn with_record(
        directory: &Path,
        record: UpdateRecord,
        set: &TableSet,
    ) -> Result<Self, ReadError> {
        let opened = Directory::open(directory).map_err(io_error(directory))?;
        Self::of(opened, record, set)
    }

    fn of(directory: Directory, record: UpdateRecord, set: &TableSet) -> Result<Self, ReadError> {
        check(&record, set, &directory.path().join(UPDATE_FILE))?;
        let switches = match directory.open_within(SWITCHES) {
            Err(source) if source.kind() == std::io::ErrorKind::Other => {
                return Err(ReadError::Io { path: directory.path().join(SWITCHES), source });
            }
            switches => switches.ok(),
        };
        let files = record.files.iter().map(|file| (file.path.clone(), file.clone())).collect();
        let with_image =
            record.files.iter().filter_map(|file| switch_of_file(&file.path)).collect();
        Ok(Self { directory, switches, record, files, with_image })
    }

    pub fn record(&self) -> &UpdateRecord {
        &self.record
    }

    /// Whether it has an image for this switch.
    pub fn has_image(&self, switch: SwitchId) -> bool {
        self.with_image.contains(&switch)
    }

    /// The switches for which it has an image, by rising number.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> {
        self.with_image.iter().copied()
    }

    /// The names of all entries, in order, those of switch images with the name of their directory before them.
    ///
    /// # Errors
    /// A directory that cannot be listed, by its path, and the system's answer.
    pub fn names(&self) -> Result<Vec<String>, (PathBuf, std::io::Error)> {
        let list = |directory: &Directory| {
            directory.names().map_err(|error| (directory.path().to_owned(), error))
        };
        let mut names = list(&self.directory)?;
        if let Some(switches) = &self.switches {
            names.extend(list(switches)?.into_iter().map(|name| format!("{SWITCHES}/{name}")));
        }
        Ok(names)
    }

    /// The directory's path, for messages.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The path of the record, for messages.
    pub fn record_path(&self) -> PathBuf {
        self.directory.path().join(UPDATE_FILE)
    }

    /// The path of the fault image, for messages.
    pub fn faults_path(&self) -> PathBuf {
        self.directory.path().join(FAULTS_FILE)
    }

    /// The path of a switch image, for messages.
    pub fn switch_path(&self, switch: SwitchId) -> PathBuf {
        self.directory.path().join(switch_file(switch))
    }

    /// The fault image's bytes.
    ///
    /// # Errors
    /// It cannot be read or does not match the record.
    pub fn faults(&self) -> Result<Vec<u8>, ReadError> {
        let path = self.faults_path();
        let entry = self.files.get(FAULTS_FILE);
        let entry = entry.ok_or(ReadError::NotListed { path, files: self.files.len() })?;
        self.read(&self.directory, FAULTS_FILE, entry)
    }

    /// The list of dead parts, as people write it.
    ///
    /// # Errors
    /// It cannot be read or does not match the record.
    pub fn fault_list(&self) -> Result<Vec<u8>, ReadError> {
        let path = self.path().join(FAULT_LIST_FILE);
        let entry = self.files.get(FAULT_LIST_FILE);
        let entry = entry.ok_or(ReadError::NotListed { path, files: self.files.len() })?;
        self.read(&self.directory, FAULT_LIST_FILE, entry)
    }

    /// A switch image's bytes; `None` if the table set's image stays.
    ///
    /// # Errors
    /// It cannot be read or does not match the record.
    pub fn switch_image(&self, switch: SwitchId) -> Result<Option<Vec<u8>>, ReadError> {
        if !self.has_image(switch) {
            return Ok(None);
        }
        let name = switch_file(switch);
        let entry = &self.files[&name];
        let Some(directory) = &self.switches else {
            let path = self.directory.path().join(SWITCHES);
            return Err(io_error(&path)(std::io::ErrorKind::NotFound.into()));
        };
        let within = &name[SWITCHES.len() + 1..];
        self.read(directory, within, entry).map(Some)
    }

    fn read(
        &self,
        directory: &Directory,
        name: &str,
        entry: &FileEntry,
    ) -> Result<Vec<u8>, ReadError> {
        let path = self.directory.path().join(&entry.path);
        let (bytes, found) = directory.read_start(name, entry.bytes).map_err(io_error(&path))?;
        if let Err(source) = check_version(&bytes) {
            return Err(ReadError::Version { path, source });
        }
        check_content(&path, entry, &bytes, found)?;
        Ok(bytes)
    }
}

/// Checks that the record has this format, belongs to this table set, and lists only files of an update.
fn check(record: &UpdateRecord, set: &TableSet, path: &Path) -> Result<(), ReadError> {
    let wrong = |field: &str, found: &str, accepted: String| {
        Err(ReadError::Entry {
            path: path.to_owned(),
            field: field.to_owned(),
            found: quoted(found),
            accepted,
        })
    };
    if record.format != UPDATE_FORMAT {
        return wrong("format", &record.format, format!("{UPDATE_FORMAT:?}"));
    }
    if !is_plain(&record.tool_version, ".+-") {
        let accepted = "1 to 64 of A-Z a-z 0-9 . + -".to_owned();
        return wrong("tool-version", &record.tool_version, accepted);
    }
    let of_set = &set.manifest().fabric_identity;
    if record.fabric_identity != *of_set {
        let accepted = format!("{of_set:?}, the identity of the table set's fabric");
        return wrong("fabric-identity", &record.fabric_identity, accepted);
    }
    if record.manifest_sha256 != set.manifest_sha256() {
        let accepted = format!(
            "{:?}, the hash of {}: an update is of one table set",
            set.manifest_sha256(),
            set.path().join(super::MANIFEST_FILE).display()
        );
        return wrong("manifest-sha256", &record.manifest_sha256, accepted);
    }
    if record.epoch == 0 {
        let accepted = "at least 1, since 0 is that of a switch without an update".to_owned();
        return wrong("epoch", "0", accepted);
    }
    for (number, file) in record.files.iter().enumerate() {
        let most = match file.path.as_str() {
            FAULTS_FILE | FAULT_LIST_FILE => MOST_FAULT_BYTES,
            name if switch_of_file(name).is_some() => MOST_SWITCH_BYTES,
            name => {
                let accepted = format!("{FAULTS_FILE:?}, {FAULT_LIST_FILE:?} or a switch image's");
                return wrong(&format!("files[{number}].path"), name, accepted);
            }
        };
        if file.bytes > most {
            let found = file.bytes.to_string();
            return wrong(&format!("files[{number}].bytes"), &found, format!("at most {most}"));
        }
        if !is_digest(&file.sha256) {
            let accepted = "64 hexadecimal digits in lower case".to_owned();
            return wrong(&format!("files[{number}].sha256"), &file.sha256, accepted);
        }
    }
    check_switches(record, set, &wrong)
}

/// Checks the names of switches against the table set, and that the restored images belong to it.
fn check_switches(
    record: &UpdateRecord,
    set: &TableSet,
    wrong: &dyn Fn(&str, &str, String) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let of_set = set.manifest().files.iter().map(|file| (file.path.as_str(), file));
    let of_set: BTreeMap<&str, &FileEntry> = of_set.collect();
    for (number, file) in record.files.iter().enumerate() {
        let planned = of_set.get(file.path.as_str()).and_then(|planned| planned.switch.as_deref());
        if file.switch.as_deref().is_some_and(|found| Some(found) != planned) {
            let found = file.switch.as_deref().unwrap_or_default();
            let accepted = "the name that the table set has for it".to_owned();
            return wrong(&format!("files[{number}].switch"), found, accepted);
        }
    }
    let own: BTreeSet<&str> = record.files.iter().map(|file| file.path.as_str()).collect();
    for (number, file) in record.restored_files.iter().enumerate() {
        let path = file.path.as_str();
        let is_of_set = of_set.get(path) == Some(&file) && switch_of_file(path).is_some();
        if !is_of_set || own.contains(path) {
            let accepted = "a switch image of the table set that the update does not have";
            return wrong(&format!("restored-files[{number}]"), path, accepted.to_owned());
        }
    }
    Ok(())
}
