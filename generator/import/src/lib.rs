//! Cable files of real machines: read, checked, numbered, and written as a fabric file with its cable
//! list and names.
//!
//! A reader (`slingshot`, `ibnetdiscover`) turns a text into records with line numbers, and records into a machine of
//! switches, nodes and links with names. The machine is numbered as a Dragonfly of several kinds of groups, and
//! written. What the source leaves open is refused, or assumed and reported.
//!
//! ```
//! use tvlb_import::{Earlier, slingshot};
//! use tvlb_base::text::NamedText;
//!
//! let text = "cable_id,src_conn_a,src_conn_b,dst_conn_a,dst_conn_b,stage,src_egress_a,src_egress_b,\
//!     dst_egress_a,dst_egress_b,link_type,src_group,dst_group,part_number,part_length,\
//!     calculated_distance,route\n\
//!     0,x1c0r1j9,none,x2c0r1j9,none,1,none,none,none,none,global,0,7,none,none,none,[]\n";
//! let plan = NamedText::of_text("plan.csv", text.as_bytes());
//! let import = slingshot(vec![plan], None, None, None, &Earlier::default())?;
//! assert!(import.summary().groups == 2);
//! # Ok::<(), tvlb_import::ImportError>(())
//! ```

mod components;
mod directory;
mod earlier;
mod facts;
mod files;
mod ibnetdiscover;
mod local_pairs;
mod machine;
mod notes;
mod numbering;
mod slingshot;
mod summary;
mod write;

use earlier::NumberChanges;
use facts::Facts;
use machine::Machine;
use notes::Notes;
use numbering::Numbering;
use std::io::{self, Write};
use std::path::Path;
use tvlb_base::progress::Progress;
use tvlb_base::text::{NamedText, Refused};

pub use directory::{EarlierFiles, ImportWriteError, check_directory, fabric_file};
pub use earlier::Earlier;
pub use files::open;
pub use ibnetdiscover::{Grouping, Roots};
pub use numbering::NumberingError;
pub use slingshot::TwoJacks;
pub use summary::{KindSummary, NumbersSummary, PartCounts, Summary};

/// Why a machine cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Numbering(#[from] NumberingError),
}

/// A machine that was read and numbered.
#[derive(Debug)]
pub struct Import {
    made_by: &'static str,
    name: String,
    machine: Machine,
    numbering: Numbering,
    facts: Facts,
    /// Since an earlier import, if there was one.
    changes: Option<NumberChanges>,
    notes: Notes,
    /// Whether the live links were given.
    knows_live: bool,
    /// The fabric file, if it contains more than the machine.
    fabric: Option<String>,
}

/// Reads the cable plan of a Slingshot network: one or several point-to-point files, a text that names the live links,
/// a map from jacks to the ports of the switch chip, and how cables with two jacks at an end are joined, without which
/// they are refused. Parts that are still there keep the numbers of an earlier import.
///
/// # Errors
/// The first thing that cannot be understood, with its file and line, or with the earlier numbers the machine
/// has too many kinds of groups.
pub fn slingshot(
    plans: Vec<NamedText<'_>>,
    live: Option<NamedText<'_>>,
    jacks: Option<NamedText<'_>>,
    two_jacks: Option<TwoJacks>,
    earlier: &Earlier,
) -> Result<Import, ImportError> {
    let file = plans.first().map_or("", NamedText::name).to_owned();
    let knows_live = live.is_some();
    let (machine, notes) = slingshot::read(plans, live, jacks, two_jacks)?;
    Import::of("tvlb import slingshot", (&file, earlier), machine, notes, knows_live)
}

/// Reads the output of `ibnetdiscover`. Parts that are still there keep the numbers of an earlier import.
///
/// # Errors
/// The first line that cannot be understood, or groups that do not follow from the links, or too many kinds of groups
/// with the earlier numbers.
pub fn ibnetdiscover(
    source: NamedText<'_>,
    grouping: &Grouping,
    earlier: &Earlier,
) -> Result<Import, ImportError> {
    let file = source.name().to_owned();
    let (machine, notes) = ibnetdiscover::read(source, grouping)?;
    Import::of("tvlb import ibnetdiscover", (&file, earlier), machine, notes, false)
}

/// The live links between switches, by the names of their two ports: from the output of `ibnetdiscover`, or from any
/// text that names links as a Slingshot network does. `open` opens the text, twice.
///
/// # Errors
/// A text that cannot be read, is cut off, or names no link.
pub fn live_links(
    open: impl Fn() -> Result<NamedText<'static>, Refused>,
) -> Result<Vec<[String; 2]>, ImportError> {
    if ibnetdiscover::is_one(open()?)? {
        return Ok(ibnetdiscover::link_names(open()?)?);
    }
    Ok(slingshot::live::names(open()?)?)
}

/// The planned links between switches, by the names of their two ports: from the output of `ibnetdiscover`, or from the
/// cable plan of a Slingshot network, of one or several files. `open` opens the file of a number, the first one twice.
///
/// # Errors
/// The first thing that cannot be understood, with its file and line.
pub fn planned_links(
    files: usize,
    two_jacks: Option<TwoJacks>,
    open: impl Fn(usize) -> Result<NamedText<'static>, Refused>,
) -> Result<Vec<[String; 2]>, ImportError> {
    if files == 1 && ibnetdiscover::is_one(open(0)?)? {
        return Ok(ibnetdiscover::link_names(open(0)?)?);
    }
    let plans = (0..files).map(open).collect::<Result<_, _>>()?;
    let (machine, _) = slingshot::read(plans, None, None, two_jacks)?;
    let names =
        |link: &machine::SwitchLink| link.ends.map(|end| machine.port_name(end).to_string());
    Ok(machine.links.iter().map(names).collect())
}

impl Import {
    fn of(
        made_by: &'static str,
        (file, earlier): (&str, &Earlier),
        machine: Machine,
        mut notes: Notes,
        knows_live: bool,
    ) -> Result<Self, ImportError> {
        let numbering = Numbering::of(&machine, file, earlier)?;
        notes.warnings.extend(numbering.other_sizes(earlier));
        let changes =
            (!earlier.is_none()).then(|| NumberChanges::of(earlier, &numbering.parts(&machine)));
        let facts = Facts::of(&machine, &numbering);
        let stem = Path::new(file).file_stem().unwrap_or_default();
        let name = write::fabric_name(&stem.to_string_lossy());
        let fabric = None;
        Ok(Self { made_by, name, machine, numbering, facts, changes, notes, knows_live, fabric })
    }

    /// What was read and the result.
    pub fn summary(&self) -> Summary {
        Summary {
            not_live: self.knows_live.then_some(self.machine.down.len()),
            ..self.facts.summary(&self.numbering, self.changes.as_ref(), &self.notes)
        }
    }

    /// Replaces the machine's fabric file by this one.
    pub fn set_fabric(&mut self, text: String) {
        self.fabric = Some(text);
    }

    /// Adds this sentence to the assumptions.
    pub fn assume(&mut self, sentence: String) {
        self.notes.assumed.push(sentence);
    }

    /// Writes the files into a directory, which is made if need be, and returns their names. No file appears before all
    /// are written. Each change of the directory from then on is a step.
    ///
    /// # Errors
    /// As for [`check_directory`], or the operating system refused, or the caller cancelled the work; then the
    /// directory is unchanged.
    pub fn write(
        &self,
        directory: &Path,
        existing: EarlierFiles,
        progress: &dyn Progress,
    ) -> Result<Vec<&'static str>, ImportWriteError> {
        let names: Vec<&'static str> = self.files().collect();
        let contents: Vec<_> = names.iter().map(|name| self.content(name)).collect();
        let files: Vec<(&'static str, tvlb_table_set::Content<'_>)> =
            names.iter().zip(&contents).map(|(name, content)| (*name, content as _)).collect();
        check_directory(directory, existing)?;
        directory::write(directory, &files, progress)?;
        Ok(names)
    }

    /// The names of the files that are written.
    pub fn files(&self) -> impl Iterator<Item = &'static str> {
        let files = directory::FILES.into_iter();
        files.filter(|name| *name != directory::DOWN_FILE || self.knows_live)
    }

    /// Writes one of [`Self::files`], by its name.
    fn content(&self, name: &'static str) -> impl Fn(&mut dyn Write) -> io::Result<()> {
        let Self { made_by, machine, numbering, facts, changes, notes, .. } = self;
        move |out| match name {
            "cables.csv" => write::cables(out, machine, numbering),
            directory::NAMES_FILE => write::names(out, machine, numbering),
            directory::ASSUMPTIONS_FILE => {
                let fabric = self.text(directory::FABRIC_FILE)?;
                facts.assumptions(out, (machine, numbering), changes.as_ref(), notes, &fabric)
            }
            directory::DOWN_FILE => write::down(out, machine, numbering),
            _ => match &self.fabric {
                Some(text) => out.write_all(text.as_bytes()),
                None => write::fabric(out, made_by, &self.name, numbering),
            },
        }
    }

    /// The content of one of [`Self::files`], by its name.
    ///
    /// # Errors
    /// None but those of the formatter.
    pub fn text(&self, name: &'static str) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        self.content(name)(&mut text)?;
        Ok(text)
    }
}
