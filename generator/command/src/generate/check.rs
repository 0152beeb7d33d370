//! `tvlb generate --check`: whether generating again would change anything.

use crate::args::{DEFAULT_ROUTES, GenerateOptions};
use crate::diff::{difference, found};
use crate::failure::{Failure, Outcome};
use crate::output::{Bars, print, print_json};
use serde::Serialize;
use std::fmt::{self, Display};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tvlb_generator::checked_fabric::CheckedFabric;
use tvlb_generator::diff::{self, DiffTables, Difference};
use tvlb_generator::pipeline::{self, PipelineError, TablesInMemory};
use tvlb_table_set::input_file::{self, Symlinks};
use tvlb_table_set::{REPORT_FILE, SWITCHES};

/// The files that a directory has now, by their paths within it.
pub(super) struct Written {
    directory: PathBuf,
    files: Vec<String>,
}

impl Written {
    /// Lists them; of what is in no directory of a table set, only the topmost directory is listed.
    pub(super) fn list(directory: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        let names = |path: &Path| -> io::Result<Vec<String>> {
            let entries = fs::read_dir(path)?;
            entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
        };
        let cannot = |path: &Path, error| format!("{}: cannot list it: {error}", path.display());
        for name in names(directory).map_err(|error| cannot(directory, error))? {
            let path = directory.join(&name);
            if name == SWITCHES && path.is_dir() {
                let within = names(&path).map_err(|error| cannot(&path, error))?;
                files.extend(within.into_iter().map(|file| format!("{name}/{file}")));
            } else {
                files.push(name);
            }
        }
        files.sort();
        Ok(Self { directory: directory.to_owned(), files })
    }

    fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok()
    }

    /// Whether a file that is there has other bytes.
    fn differs(&self, path: &str, bytes: &[u8]) -> Result<bool, Failure> {
        let path = self.directory.join(path);
        // A longer file is read only far enough to know that.
        let limit = bytes.len() as u64;
        let (there, length) =
            input_file::read_start(&path, limit, Symlinks::Refuse).map_err(|error| {
                Failure::Message(format!("{}: cannot read it: {error}", path.display()))
            })?;
        Ok(length != limit || there != bytes)
    }
}

/// A table set in memory, to compare with the files of a directory.
pub(super) struct MadeAgain<'m> {
    pub(super) fabric: &'m CheckedFabric<'m>,
    pub(super) settings: &'m pipeline::GenerateSettings,
    pub(super) made: &'m TablesInMemory,
    pub(super) bars: &'m Bars,
}

/// What generating again would change.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct CheckReport {
    /// Whether nothing would change.
    same: bool,
    directory: String,
    missing: Vec<String>,
    changed: Vec<String>,
    too_many: Vec<String>,
    /// What the change means, if the files can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
    /// Why they cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<String>,
}

/// The differences between the generated files and those of a directory.
struct FileChanges {
    missing: Vec<String>,
    changed: Vec<String>,
    too_many: Vec<String>,
}

impl MadeAgain<'_> {
    /// Compares the generated files with those of the directory, byte by byte.
    fn changes(&self, written: &Written) -> Result<FileChanges, Failure> {
        let files = self.made.tables.files();
        let (mut missing, mut changed) = (Vec::new(), Vec::new());
        for (path, bytes) in &files {
            if !written.has(path) {
                missing.push((*path).to_owned());
            } else if written.differs(path, bytes)? {
                changed.push((*path).to_owned());
            }
        }
        let is_ours =
            |file: &String| file == REPORT_FILE || files.iter().any(|(path, _)| path == file);
        let too_many: Vec<String> =
            written.files.iter().filter(|file| !is_ours(file)).cloned().collect();
        // The report says what was verified in the other files, so it can be made only if they are right.
        if !written.has(REPORT_FILE) {
            missing.push(REPORT_FILE.to_owned());
        } else if [&missing, &changed, &too_many].into_iter().all(Vec::is_empty)
            && written.differs(REPORT_FILE, &self.report(written)?)?
        {
            changed.push(REPORT_FILE.to_owned());
        }
        Ok(FileChanges { missing, changed, too_many })
    }

    /// The report that belongs to a directory with these files.
    fn report(&self, written: &Written) -> Result<Vec<u8>, Failure> {
        let Self { fabric, settings, made, bars } = *self;
        let report = pipeline::verified_report(fabric, settings, made, &written.directory, bars);
        report.map(|(_, report)| report).map_err(|error| match error {
            PipelineError::Cancelled(_) => Failure::Interrupted,
            error => Failure::of(error),
        })
    }

    /// The files in which a directory differs from those generated.
    pub(super) fn changed_files(&self, written: &Written) -> Result<Vec<String>, Failure> {
        let FileChanges { missing, changed, too_many } = self.changes(written)?;
        Ok([changed, missing, too_many].concat())
    }
}

/// Compares the generated files with those of the directory, byte by byte, and says what a change means.
pub(super) fn run(
    arguments: &GenerateOptions,
    again: &MadeAgain<'_>,
    written: &Written,
) -> Outcome {
    let directory = &written.directory;
    let FileChanges { missing, changed, too_many } = again.changes(written)?;
    again.bars.finish();
    let mut report = CheckReport {
        same: missing.is_empty() && changed.is_empty() && too_many.is_empty(),
        directory: directory.display().to_string(),
        missing,
        changed,
        too_many,
        difference: None,
        unreadable: None,
    };
    if !report.same {
        match DiffTables::open(directory) {
            Ok(old) => {
                let settings = diff::DiffSettings { most_routes: DEFAULT_ROUTES, seed: 1 };
                let new = DiffTables::made(&again.made.tables, &again.fabric.names);
                report.difference = Some(difference(&old, &new, settings, arguments.work.quiet)?);
            }
            Err(error) => report.unreadable = Some(error.to_string()),
        }
    }
    let printed = match (arguments.work.quiet, arguments.json) {
        (true, _) => Ok(()),
        (false, true) => print_json(&report),
        (false, false) => print(&report),
    };
    found(report.same, printed)
}

impl Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { directory, .. } = self;
        if self.same {
            return writeln!(f, "{directory} is unchanged by generating it again");
        }
        writeln!(f, "generating {directory} again would change it:")?;
        for (what, files) in
            [("missing", &self.missing), ("changed", &self.changed), ("too many", &self.too_many)]
        {
            match files.as_slice() {
                [] => {}
                [one] => writeln!(f, "{what:<10} {one}")?,
                [first, .., last] => {
                    writeln!(f, "{what:<10} {} files, {first} to {last}", files.len())?;
                }
            }
        }
        match (&self.difference, &self.unreadable) {
            // The same images and manifest in other bytes.
            (Some(difference), _) if difference.same => Ok(()),
            (Some(difference), _) => write!(f, "{difference}"),
            (None, Some(why)) => writeln!(f, "the meaning of the change is unknown: {why}"),
            (None, None) => Ok(()),
        }
    }
}
