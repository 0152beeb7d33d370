//! The studies of a file, and the contents of each.

use super::counted::counted;
use super::course::Courses;
use super::cut_through::kinds::cut_through;
use super::error::SweepError;
use super::fabrics::NamedFabric;
use super::file::{File, Picture, Quantity, one, studies};
use super::inline;
use super::jobs::{JobRuns, JobTimes};
use super::kind::Measure;
use super::lists::distinct;
use super::model::Models;
use super::network::NetworkRuns;
use super::network::runs::{AtLoads, Searches};
use super::rows::Rows;
use super::statement::{Known, Statement};
use super::verdict::{JudgedStatement, Verdict};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use tvlb_base::text;
use tvlb_table_set::input_file;

/// The largest study file that is read. It has some bytes for each entry of its lists.
const MOST_BYTES: u64 = 16 << 20;

/// A file with one study or several.
pub struct StudyFile {
    /// The studies, in the order of the file.
    pub studies: Vec<SweepStudy>,
}

/// One study: what to measure, which tables to make of it, and the statements of a paper about it.
pub struct SweepStudy {
    /// Its name; the file's if the file has only one study.
    pub name: String,
    /// The subject, in a few words.
    pub about: String,
    pub(super) file: File,
    path: PathBuf,
    is_quick: bool,
}

/// The prefix of every comparison with short runs: they cannot judge a paper's figures.
const QUICK: &str = "quick: ";

impl StudyFile {
    /// Reads a study file; with `quick`, with its settings under `quick`: to see what a study does, not to compare
    /// figures.
    ///
    /// # Errors
    /// A file that cannot be read, or the first thing in it that is not accepted.
    pub fn read(path: &Path, quick: bool) -> Result<Self, SweepError> {
        let wrong = |fault: String| SweepError::File { path: path.to_owned(), fault };
        let text = input_file::read_given_text(path, MOST_BYTES)
            .map_err(|error| wrong(format!("cannot read it: {error}")))?;
        // The standard input has no name.
        let stem = if path == Path::new("-") { None } else { path.file_stem() };
        let name =
            stem.map_or_else(|| "study".to_owned(), |name| name.to_string_lossy().into_owned());
        let studies = studies(&text, &name, quick).map_err(wrong)?;
        let study = |(name, file): (String, File)| SweepStudy {
            name,
            about: file.about.clone(),
            file,
            path: path.to_owned(),
            is_quick: quick,
        };
        Ok(Self { studies: studies.into_iter().map(study).collect() })
    }

    /// One study of a fabric along axes, each `NAME=VALUES`, as `tvlb-lab sweep --axis` takes them. Its paths are
    /// relative to the working directory.
    ///
    /// # Errors
    /// The first thing that is not accepted.
    pub fn of_axes(fabric: &str, axes: &[String]) -> Result<Self, SweepError> {
        let path = PathBuf::from("--axis");
        let wrong = |fault: String| SweepError::File { path: path.clone(), fault };
        let table = inline::table(fabric, axes).map_err(SweepError::Axis)?;
        let file = one(table, false).map_err(wrong)?;
        let (name, about, is_quick) = ("study".to_owned(), String::new(), false);
        Ok(Self { studies: vec![SweepStudy { name, about, file, path, is_quick }] })
    }

    /// The study with this name.
    pub fn find(&self, name: &str) -> Option<&SweepStudy> {
        self.studies.iter().find(|study| study.name == name)
    }
}

impl SweepStudy {
    /// Reads the files that the study names, and lists its runs.
    ///
    /// # Errors
    /// The first thing that is not accepted, or a file that cannot be read.
    pub fn plan(&self) -> Result<StudyPlan, SweepError> {
        let wrong = |fault: &dyn Display| SweepError::File {
            path: self.path.clone(),
            fault: fault.to_string(),
        };
        let (file, beside) = (&self.file, self.path.parent().unwrap_or(Path::new("")));
        distinct("fabrics", &file.fabrics).map_err(|error| wrong(&error))?;
        let fabrics = file.fabrics.iter().map(|name| NamedFabric::read(name, beside));
        let fabrics = fabrics.collect::<Result<Vec<_>, SweepError>>()?;
        let measure: Box<dyn Measure> = if let Some(model) = &file.model {
            let models = Models::new(&self.name, file, fabrics).map_err(|e| wrong(&e))?;
            Box::new((models, *model))
        } else if file.paths || file.links {
            let (lists, counted) = counted(file, fabrics, beside).map_err(|e| wrong(&e))?;
            Box::new((lists, counted))
        } else if let Some(jobs) = &file.jobs {
            Box::new((JobRuns::new(jobs, file, (fabrics, beside), &wrong)?, JobTimes))
        } else if file.cut_through.is_empty() {
            let network = NetworkRuns::new(file, fabrics, beside, &wrong)?;
            match (&file.course, &network.measured) {
                (Some(course), _) => {
                    let courses = Courses::new(course, &network)?;
                    Box::new((network, courses))
                }
                (None, Quantity::Loads(_)) => Box::new((network, AtLoads)),
                (None, &Quantity::Saturation(resolution)) => {
                    Box::new((network, Searches(resolution)))
                }
                (None, &Quantity::Curve(curve)) => Box::new((network, curve)),
            }
        } else {
            cut_through(file, (fabrics, beside), &wrong)?
        };
        Ok(StudyPlan { measure })
    }

    /// The tables of the file, from known rows, for the terminal.
    pub fn tables(&self, known: &Known) -> String {
        let rows = combined(&[self], known);
        self.file.tables.iter().filter_map(|table| table.plain(&rows)).collect()
    }

    /// The pictures of the file.
    pub fn pictures(&self) -> &[Picture] {
        &self.file.pictures
    }

    /// The statements of a paper about the study, compared with known rows, and marked `quick` if they are.
    pub fn judged(&self, known: &Known) -> Vec<JudgedStatement> {
        let mark = if self.is_quick { QUICK } else { "" };
        let judge = |statement: &Statement| {
            let judged = statement.judge(&self.name, known);
            JudgedStatement { what: format!("{mark}{}", judged.what), ..judged }
        };
        self.file.statements.iter().map(judge).collect()
    }

    /// The part of the study's rows that a document keeps: everything that its tables and statements need, and further
    /// columns of the file.
    pub fn kept(&self, rows: &Rows) -> Rows {
        let tables = self.file.tables.iter().flat_map(|table| table.needs().map(str::to_owned));
        let statements = self.file.statements.iter().flat_map(Statement::needs);
        let keep = self.file.keep.iter().flatten().cloned();
        let asked: BTreeSet<String> = tables.chain(statements).chain(keep).collect();
        rows.kept(&asked, self.file.keep.is_none())
    }
}

/// The rows of studies in one table, preceded by the study's name and subject.
pub(super) fn combined(studies: &[&SweepStudy], known: &Known) -> Rows {
    let mut all = Rows::default();
    for study in studies {
        let Some(rows) = known.get(&study.name) else { continue };
        let about = study.about.split(':').next().unwrap_or_default();
        let about = format!("{}: {about}", study.name);
        all.extend(&rows.clone().labelled("about", &about).labelled("study", &study.name));
    }
    all
}

/// How many statements came to which verdict, in one line.
pub fn counts(judged: &[JudgedStatement]) -> String {
    let counts = Verdict::ALL.into_iter().filter_map(|verdict| {
        let count = judged.iter().filter(|judged| judged.verdict == verdict).count();
        (count > 0).then(|| format!("{count} {}", verdict.name()))
    });
    let counts: Vec<String> = counts.collect();
    let mark = if judged.iter().any(|one| one.what.starts_with(QUICK)) { QUICK } else { "" };
    let all = text::counted(judged.len() as u64, "statement");
    format!("{mark}{all} of the paper: {}\n", counts.join(", "))
}

/// The runs of a study, and their shared data.
pub struct StudyPlan {
    pub(super) measure: Box<dyn Measure>,
}

impl StudyPlan {
    /// How many runs the study has.
    pub fn run_count(&self) -> usize {
        self.measure.count()
    }

    /// Whether its runs are kept. Others are counted again whenever tables are written.
    pub fn keeps(&self) -> bool {
        self.measure.keeps()
    }

    /// How many panels a picture of all runs has, and how many lines each; no number of lines if runs are marks beside
    /// each other. `None` if no picture of all is drawn.
    pub fn pictured(&self) -> Option<(usize, Option<usize>)> {
        self.measure.table().pictured
    }

    /// Warnings about how to read the figures of its runs, for instance of links whose buffers are too small for their
    /// rate.
    pub fn warnings(&self) -> Vec<String> {
        self.measure.warnings()
    }
}
