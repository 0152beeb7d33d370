//! `tvlb generate --check`: whether generating again would change anything.

use crate::args::{DEFAULT_ROUTES, Generate};
use crate::diff::{difference, found};
use crate::failure::{Failure, Outcome};
use crate::output::{print, print_json};
use serde::Serialize;
use std::fmt::{self, Display};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tvlb_generator::diff::{Difference, Settings, Tables};
use tvlb_generator::generate::Generated;
use tvlb_generator::input_file::{self, Symlinks};
use tvlb_generator::table_set::{REPORT_FILE, SWITCHES};

/// The files that a directory has now, by their paths within it.
pub(super) struct Written {
    directory: PathBuf,
    files: Vec<String>,
}

impl Written {
    /// Lists them; what is in no directory of a table set is listed by the directory that it is in.
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
}

/// What generating again would change.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    /// Nothing.
    same: bool,
    directory: String,
    missing: Vec<String>,
    changed: Vec<String>,
    too_many: Vec<String>,
    /// What that means, if what is there now can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Difference>,
    /// Why it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<String>,
}

/// What differs between what was generated and what a directory has.
struct Changes {
    missing: Vec<String>,
    changed: Vec<String>,
    too_many: Vec<String>,
}

/// Compares what was generated with what is there, byte by byte.
fn changes(generated: &Generated, written: &Written) -> Result<Changes, Failure> {
    let directory = &written.directory;
    let files = generated.files();
    let (mut missing, mut changed) = (Vec::new(), Vec::new());
    for (path, bytes) in &files {
        if written.files.binary_search_by(|file| file.as_str().cmp(path)).is_err() {
            missing.push((*path).to_owned());
            continue;
        }
        // A file that is longer is read no further than to know that.
        let limit = bytes.len() as u64;
        let (there, length) =
            input_file::read_start(&directory.join(path), limit, Symlinks::Refuse).map_err(
                |error| {
                    let path = directory.join(path);
                    Failure::Message(format!("{}: cannot read it: {error}", path.display()))
                },
            )?;
        if length != limit || there != **bytes {
            changed.push((*path).to_owned());
        }
    }
    // The report says what is in the other files, and is written again with them.
    let is_ours = |file: &String| file == REPORT_FILE || files.iter().any(|(path, _)| path == file);
    let too_many = written.files.iter().filter(|file| !is_ours(file)).cloned().collect();
    Ok(Changes { missing, changed, too_many })
}

/// The files in which a directory differs from what was generated.
pub(super) fn changed_files(
    generated: &Generated,
    written: &Written,
) -> Result<Vec<String>, Failure> {
    let Changes { missing, changed, too_many } = changes(generated, written)?;
    Ok([changed, missing, too_many].concat())
}

/// Compares what was generated with what is there, byte by byte, and says what a change means.
pub(super) fn run(arguments: &Generate, generated: &Generated, written: &Written) -> Outcome {
    let directory = &written.directory;
    let Changes { missing, changed, too_many } = changes(generated, written)?;
    let mut report = Report {
        same: missing.is_empty() && changed.is_empty() && too_many.is_empty(),
        directory: directory.display().to_string(),
        missing,
        changed,
        too_many,
        difference: None,
        unreadable: None,
    };
    if !report.same {
        match Tables::open(directory) {
            Ok(old) => {
                let settings = Settings { most_routes: DEFAULT_ROUTES, seed: 1 };
                let new = Tables::made(generated);
                report.difference = Some(difference(&old, &new, settings, arguments.quiet)?);
            }
            Err(error) => report.unreadable = Some(error.to_string()),
        }
    }
    let printed = match (arguments.quiet, arguments.json) {
        (true, _) => Ok(()),
        (false, true) => print_json(&report),
        (false, false) => print(&report),
    };
    found(report.same, printed)
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { directory, .. } = self;
        if self.same {
            return writeln!(f, "{directory} is what generating it again gives");
        }
        writeln!(f, "{directory} is not what generating it again gives:")?;
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
            // The same images and the same manifest, in other bytes.
            (Some(difference), _) if difference.same => Ok(()),
            (Some(difference), _) => write!(f, "{difference}"),
            (None, Some(why)) => writeln!(f, "what it means cannot be said: {why}"),
            (None, None) => Ok(()),
        }
    }
}
