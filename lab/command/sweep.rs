//! `tvlb-lab sweep`.

use crate::plot::{Look, MOST_SERIES, PlotFile, Selection, draw};
use clap::Args;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use tvlb::failure::{Failure, Outcome};
use tvlb::files::{check_svg, outside_table_sets};
use tvlb::output::{Bars, WorkOptions, catch_interrupt, print, tell_of_starved, write_file};
use tvlb_base::table::{Column, help as help_of};
use tvlb_generator::counted::counted;
use tvlb_lab::sweep::{
    self, Collected, JudgedStatement, Known, Rows, StudyFile, StudyPlan, SweepError, SweepStudy,
    collect, counts, with_tables,
};
use tvlb_simulator::columns::FIGURES;
use tvlb_table_set::input_file::{self, Symlinks};

/// The longest document, and the longest table beside it, that is read.
const MOST_BYTES: u64 = 64 << 20;

/// What the tables have.
fn help() -> String {
    let figures: Vec<Column<'_>> =
        FIGURES.into_iter().map(|column| column.under(column.name)).collect();
    format!(
        "Columns of runs.csv, after what was run and before the settings, which are options of `tvlb simulate`:\n\
         {}figures.csv has those of studies of other things: docs/reference/sweep.md says what is measured.\n\
         summary.csv has means over seeds, their standard errors, and how many seeds were saturated or growing.\n\
         `tvlb-lab plot DIR/runs.csv -o PICTURE.svg` draws them.\n",
        help_of(&figures)
    )
}

/// Run a study: every combination that a file lists, each run once, and what a paper states of it
///
/// A run that is in DIR already is not made again, and all processes with the same command make each run
/// once, on any machines. docs/reference/sweep.md describes the file and how to spread a study over a cluster;
/// tables/studies has the published figures.
#[derive(Args)]
#[command(after_long_help = help())]
pub(crate) struct SweepOptions {
    /// The study file
    file: PathBuf,
    /// Where runs are kept, one file for each, and tables are written; those of a study of several in a
    /// directory with its name
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// The studies of the file that are made [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// What the file says under `quick`: short runs, to see what a study does and not to compare figures
    #[arg(long)]
    quick: bool,
    /// Simulate nothing: merge the runs in DIR into tables. Where some are missing, those that are there, and
    /// the exit code is 1
    #[arg(long)]
    collect: bool,
    /// Draw the runs of the study: mean latency over load, a panel for each kind of traffic, or the loads of
    /// saturation; as SVG. `tvlb-lab plot` draws every other figure, and parts of a study of many lines
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Put tables and verdicts into this document, between the lines `<!-- figures: NAMES -->` and
    /// `<!-- end -->`, and keep the rows that they are made of in the directory `rows` beside it
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    #[command(flatten)]
    work: WorkOptions,
}

/// A study that is to be made.
struct Wanted<'w> {
    study: &'w SweepStudy,
    plan: StudyPlan,
    /// Where its tables go.
    directory: PathBuf,
}

/// Writes the tables of those runs that are there, and says whether that is all.
fn write_tables(wanted: &Wanted<'_>, arguments: &SweepOptions) -> Result<(Rows, Outcome), Failure> {
    let Wanted { plan, directory, .. } = wanted;
    let collected = collect(plan, &arguments.output).map_err(Failure::of)?;
    let Collected { rows, summary, names, found, missing } = &collected;
    let all = found + missing;
    let of = if *missing == 0 { all.to_string() } else { format!("{found} of {all}") };
    let [path, by_seed] = names.map(|name| directory.join(name));
    create(directory)?;
    write_file(&path, &rows.csv())?;
    if let Some(picture) = &arguments.plot {
        draw_runs(plan, &path, rows, picture)?;
    }
    for picture in wanted.study.pictures() {
        let selection = Selection {
            x: picture.x.clone(),
            y: picture.y.clone(),
            by: picture.by.clone(),
            panel: picture.panel.clone(),
            only: picture.only(),
        };
        let table = PlotFile::parse(&path.display().to_string(), &rows.csv())?;
        let look = Look::titled(title(wanted.study));
        draw(&[table], &selection, &look, &directory.join(format!("{}.svg", picture.name)))?;
    }
    let mut said = format!("{}: {of} runs", path.display());
    if let Some(summary) = summary {
        write_file(&by_seed, &summary.csv())?;
        let _ = write!(said, "; {} has their means over seeds", by_seed.display());
    }
    print(&format_args!("{said}\n"))?;
    let end = match missing {
        0 => Ok(()),
        missing => Err(Failure::Finding(format!(
            "{}: {missing} of {all} runs are not there yet; the same command without --collect makes them",
            arguments.output.display()
        ))),
    };
    Ok((collected.rows, end))
}

/// What stands above the pictures of a study.
fn title(study: &SweepStudy) -> String {
    match study.about.as_str() {
        "" => study.name.clone(),
        about => format!("{}: {about}", study.name),
    }
}

/// Refuses a picture that cannot be drawn, before anything runs.
fn check_plot(all: &[Wanted<'_>], arguments: &SweepOptions) -> Outcome {
    let Some(picture) = &arguments.plot else { return Ok(()) };
    check_svg("--plot", picture)?;
    let wrong = |why: String| Err(Failure::Message(format!("--plot {}: {why}", picture.display())));
    let [Wanted { plan, directory, .. }] = all else {
        return wrong("the file has several studies, accepted one, which --only names".to_owned());
    };
    match plan.pictured() {
        None => wrong("`tvlb-lab plot` draws the table of this study".to_owned()),
        // Saturations are marks above names, of which there may be any number.
        Some((_, Some(lines))) if lines > MOST_SERIES => wrong(format!(
            "for each kind of traffic the sweep has {lines} lines, accepted at most {MOST_SERIES} in one picture, \
             which can be told apart; without --plot, `tvlb-lab plot {} --where COLUMN=VALUE` draws a part of what \
             --collect merges",
            directory.join("runs.csv").display()
        )),
        Some(_) => Ok(()),
    }
}

/// Draws what is there of a study.
fn draw_runs(plan: &StudyPlan, table: &Path, rows: &Rows, picture: &Path) -> Outcome {
    let table = PlotFile::parse(&table.display().to_string(), &rows.csv())?;
    let panels = plan.pictured().is_some_and(|(panels, _)| panels > 1);
    let selection = Selection::with_panels(panels.then_some("traffic"));
    draw(&[table], &selection, &Look::default(), picture).map(|_| ())
}

/// Makes the runs of a study that are not there.
fn make(wanted: &mut Wanted<'_>, arguments: &SweepOptions) -> Outcome {
    let directory = arguments.output.display();
    tell_of_starved(arguments.work.quiet, wanted.plan.starved_links());
    let stages = Bars::beginning(
        arguments.work.quiet,
        &format_args!(
            "making the runs of {} that {directory} does not keep yet, and keeping each",
            wanted.study.name
        ),
    );
    let made = sweep::run(&mut wanted.plan, &arguments.output, &stages);
    stages.finish();
    let (runs, now) = (made.runs, made.now);
    made.end.map_err(|error| match error {
        SweepError::Cancelled(_) => Failure::Stopped(format!(
            "{directory} keeps {} of {runs} runs, and the same command makes the others",
            made.before + now
        )),
        error => Failure::of(error),
    })?;
    if !wanted.plan.keeps() {
        let lines = counted(runs as u64, "line");
        return print(&format_args!("{directory}: {lines}, counted each time and not kept\n"));
    }
    print(&format_args!("{directory}: {runs} runs, {now} made now\n"))
}

/// The studies that are asked for, with their runs.
fn wanted<'f>(file: &'f StudyFile, arguments: &SweepOptions) -> Result<Vec<Wanted<'f>>, Failure> {
    let names = || file.studies.iter().map(|study| study.name.as_str());
    if let Some(unknown) = arguments.only.iter().find(|name| file.find(name).is_none()) {
        let hint = tvlb_base::text::hint(unknown, names());
        return Err(Failure::Message(format!(
            "--only: found {}{hint}, accepted {}",
            tvlb_base::text::quoted(unknown),
            names().collect::<Vec<_>>().join(", ")
        )));
    }
    let is_asked =
        |study: &&SweepStudy| arguments.only.is_empty() || arguments.only.contains(&study.name);
    let several = file.studies.len() > 1;
    let plan = |study: &'f SweepStudy| {
        let mut directory = arguments.output.clone();
        if several {
            directory.push(&study.name);
        }
        Ok(Wanted { study, plan: study.plan().map_err(Failure::of)?, directory })
    };
    file.studies.iter().filter(is_asked).map(plan).collect()
}

pub(crate) fn run(arguments: &SweepOptions) -> Outcome {
    arguments.work.use_threads()?;
    outside_table_sets([
        ("--output", Some(arguments.output.as_path())),
        ("--plot", arguments.plot.as_deref()),
        ("--document", arguments.document.as_deref()),
    ])?;
    let file = StudyFile::read(&arguments.file, arguments.quick).map_err(Failure::of)?;
    let mut all = wanted(&file, arguments)?;
    check_plot(&all, arguments)?;
    // Before the work, so that what cannot be read or written to is known at once.
    let document = arguments.document.as_deref().map(|path| TablesPage::open(path, &file));
    let document = document.transpose()?;
    let mut known = document.as_ref().map_or_else(Known::new, |document| document.known.clone());
    if !arguments.collect {
        catch_interrupt()?;
    }
    let mut judged: Vec<JudgedStatement> = Vec::new();
    for one in &mut all {
        if !arguments.collect {
            make(one, arguments)?;
        }
        let (rows, end) = write_tables(one, arguments)?;
        let kept = one.study.kept(&rows);
        if let Some(document) = &document {
            document.keep(&one.study.name, &kept)?;
        }
        known.insert(one.study.name.clone(), kept);
        let of_study = one.study.judged(&known);
        print(&format_args!("{}{}", one.study.tables(&known), words(&of_study)))?;
        judged.extend(of_study);
        if let Some(document) = &document {
            document.write(&file, &known)?;
        }
        end?;
    }
    if all.len() > 1 {
        print(&format_args!("{}", counts(&judged)))?;
    }
    Ok(())
}

/// What a paper states beside our figures.
fn words(judged: &[JudgedStatement]) -> String {
    let mut text = String::new();
    for JudgedStatement { what, ours, stated, difference, verdict, note, .. } in judged {
        let ours = match (stated, difference) {
            (Some(stated), Some(difference)) => {
                format!("stated {stated}, ours {ours}, {difference}")
            }
            (Some(stated), None) => format!("stated {stated}, ours {ours}"),
            (None, _) => ours.clone(),
        };
        let _ = writeln!(text, "  {what}: {}: {ours}", verdict.name());
        if let Some(note) = note {
            let _ = writeln!(text, "    {note}");
        }
    }
    text
}

/// A document with tables, and the rows from which they are made.
struct TablesPage<'a> {
    path: &'a Path,
    /// The rows of studies that were made before.
    known: Known,
}

impl<'a> TablesPage<'a> {
    /// Reads the rows beside a document, and checks that tables have their places.
    fn open(path: &'a Path, file: &StudyFile) -> Result<Self, Failure> {
        let mut document = Self { path, known: Known::new() };
        for study in &file.studies {
            let rows = document.rows_of(&study.name);
            if !rows.exists() {
                continue;
            }
            let read = read(&rows)?;
            let parsed = Rows::parse(&read)
                .map_err(|error| Failure::Message(format!("{}: {error}", rows.display())))?;
            document.known.insert(study.name.clone(), parsed);
        }
        document.text(file, &document.known)?;
        Ok(document)
    }

    /// Where the rows of a study are.
    fn rows_of(&self, study: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join("rows").join(format!("{study}.csv"))
    }

    fn keep(&self, study: &str, rows: &Rows) -> Outcome {
        let path = self.rows_of(study);
        create(path.parent().unwrap_or(Path::new("")))?;
        write_file(&path, &rows.csv())
    }

    /// The document with its tables made from these rows.
    fn text(&self, file: &StudyFile, known: &Known) -> Result<String, Failure> {
        with_tables(&read(self.path)?, file, known)
            .map_err(|error| Failure::Message(format!("{}: {error}", self.path.display())))
    }

    fn write(&self, file: &StudyFile, known: &Known) -> Outcome {
        write_file(self.path, &self.text(file, known)?)
    }
}

fn create(directory: &Path) -> Outcome {
    fs::create_dir_all(directory).map_err(|error| {
        Failure::Message(format!("{}: cannot create the directory: {error}", directory.display()))
    })
}

fn read(path: &Path) -> Result<String, Failure> {
    input_file::read_text(path, MOST_BYTES, Symlinks::Follow)
        .map_err(|error| Failure::Message(format!("{}: {error}", path.display())))
}
