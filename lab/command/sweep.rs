//! `tvlb-lab sweep`.

use crate::plot::{Look, MOST_SERIES, PlotFile, Selection, draw};
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use tvlb::failure::{Failure, Outcome};
use tvlb::files::{check_svg, outside_table_sets};
use tvlb::output::{Bars, WorkOptions, catch_interrupt, print, print_json, warn, write_file};
use tvlb::simulate::FigureFormat;
use tvlb_base::table::{Column, help as help_of};
use tvlb_generator::counted::counted;
use tvlb_lab::sweep::{
    self, Collected, JudgedStatement, Known, Results, Rows, StudyFile, StudyPlan, SweepError,
    SweepStudy, collect, counts, with_tables,
};
use tvlb_simulator::columns::FIGURES;
use tvlb_table_set::input_file::{self, Symlinks};

/// The most bytes of a document, or of a table beside it.
const MOST_BYTES: u64 = 64 << 20;

/// The columns of the tables.
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

/// Run a study: every combination of lists, each run once, compared with the figures of a paper
///
/// The lists are in a study file, or on the command line as axes of one fabric. Switches are those of `tvlb simulate`,
/// or cut-through switches if an axis `routing` or the file says so. A run that DIR already has is not repeated, and
/// all processes with the same command make each run once, on any machines. docs/reference/sweep.md describes axes, the
/// file and how to spread a study over a cluster; tables/studies has the published figures.
#[derive(Args)]
#[command(after_long_help = help())]
pub(crate) struct SweepOptions {
    /// The study file; with --axis a fabric file, or sizes as in `dfly(4,8,4,9)`
    file: PathBuf,
    /// An axis: a list of the study as in `scheme=min,par`, `load=0.1:0.5:0.1` or `traffic=uniform,shift(2,0)`, a
    /// setting as in `buffer=16,32`, or, for cut-through switches, `routing=min,ofar`; may be repeated
    #[arg(long, value_name = "NAME=VALUES", conflicts_with_all = ["only", "quick", "document"])]
    axis: Vec<String>,
    /// Where to keep runs, one file each, and to write tables; if the file has several studies, each in a directory of
    /// its name [default: nothing is kept]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The studies of the file to make [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Use the file's settings under `quick`: short runs, to see what a study does, not to compare figures
    #[arg(long)]
    quick: bool,
    /// Simulate nothing: merge the runs in DIR into tables. If some are missing, merge the others and exit with 1
    #[arg(long, requires = "output")]
    collect: bool,
    /// Print the rows of all columns instead of tables and verdicts
    #[arg(long, value_enum, ignore_case = true, default_value_t = FigureFormat::Table)]
    format: FigureFormat,
    /// Print the rows as JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Draw the runs of the study: mean latency over load, a panel for each kind of traffic, or the loads of
    /// saturation; as SVG. `tvlb-lab plot` draws every other figure, and parts of a study of many lines
    #[arg(long, value_name = "FILE", requires = "output")]
    plot: Option<PathBuf>,
    /// Put tables and verdicts into this document, between the lines `<!-- figures: NAMES -->` and `<!-- end -->`, and
    /// keep their rows in the directory `rows` beside it
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    #[command(flatten)]
    work: WorkOptions,
}

/// A study to make.
struct Wanted<'w> {
    study: &'w SweepStudy,
    plan: StudyPlan,
    /// Where its tables go, if they are written.
    directory: Option<PathBuf>,
}

/// The rows of a study as JSON.
#[derive(Serialize)]
struct RowsReport {
    rows: Vec<Map<String, Value>>,
}

/// Writes the tables of the finished runs, and returns whether these are all.
fn write_tables(
    (wanted, directory): (&Wanted<'_>, &Path),
    collected: &Collected,
    arguments: &SweepOptions,
) -> Outcome {
    let Wanted { plan, .. } = wanted;
    let Collected { rows, summary, names, found, missing, .. } = collected;
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
    if arguments.prints_rows() {
        return Ok(());
    }
    print(&format_args!("{said}\n"))
}

/// The outcome: whether all runs are there.
fn end(collected: &Collected, arguments: &SweepOptions) -> Outcome {
    let (missing, all) = (collected.missing, collected.found + collected.missing);
    if missing == 0 {
        return Ok(());
    }
    Err(Failure::Finding(format!(
        "{}: {missing} of {all} runs are not there yet; the same command without --collect makes them",
        arguments.place()
    )))
}

impl SweepOptions {
    /// Whether rows are printed instead of tables and verdicts.
    fn prints_rows(&self) -> bool {
        self.json || !matches!(self.format, FigureFormat::Table)
    }

    /// Where runs are kept, in words.
    fn place(&self) -> String {
        let directory = self.output.as_ref();
        directory.map_or_else(|| "memory".to_owned(), |directory| directory.display().to_string())
    }

    /// Prints the results of a study that has no tables of its own.
    fn print_rows(&self, rows: &Rows, text: &str) -> Outcome {
        match self.format {
            _ if self.json => print_json(&RowsReport { rows: rows.objects() }),
            FigureFormat::Csv => print(&rows.csv()),
            FigureFormat::Table => print(&text),
        }
    }
}

/// The heading of a study's pictures.
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
    let [Wanted { plan, directory: Some(directory), .. }] = all else {
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

/// Draws the finished part of a study.
fn draw_runs(plan: &StudyPlan, table: &Path, rows: &Rows, picture: &Path) -> Outcome {
    let table = PlotFile::parse(&table.display().to_string(), &rows.csv())?;
    let panels = plan.pictured().is_some_and(|(panels, _)| panels > 1);
    let selection = Selection::with_panels(panels.then_some("traffic"));
    draw(&[table], &selection, &Look::default(), picture).map(|_| ())
}

/// Makes the missing runs of a study.
fn make(wanted: &mut Wanted<'_>, results: &Results, arguments: &SweepOptions) -> Outcome {
    let directory = arguments.place();
    warn(arguments.work.quiet, wanted.plan.warnings());
    let stages = Bars::beginning(
        arguments.work.quiet,
        &format_args!(
            "making the runs of {} that {directory} does not keep yet, and keeping each",
            wanted.study.name
        ),
    );
    let made = sweep::run(&mut wanted.plan, results, &stages);
    stages.finish();
    let (runs, now) = (made.runs, made.now);
    made.end.map_err(|error| match error {
        SweepError::Cancelled(_) => Failure::Stopped(format!(
            "{directory} keeps {} of {runs} runs, and the same command makes the others",
            made.before + now
        )),
        error => Failure::of(error),
    })?;
    if arguments.output.is_none() || arguments.prints_rows() {
        return Ok(());
    }
    if !wanted.plan.keeps() {
        let lines = counted(runs as u64, "line");
        return print(&format_args!("{directory}: {lines}, counted each time and not kept\n"));
    }
    print(&format_args!("{directory}: {runs} runs, {now} made now\n"))
}

/// The requested studies, with their runs.
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
        if let Some(directory) = directory.as_mut().filter(|_| several) {
            directory.push(&study.name);
        }
        Ok(Wanted { study, plan: study.plan().map_err(Failure::of)?, directory })
    };
    file.studies.iter().filter(is_asked).map(plan).collect()
}

pub(crate) fn run(arguments: &SweepOptions) -> Outcome {
    arguments.work.use_threads()?;
    outside_table_sets([
        ("--output", arguments.output.as_deref()),
        ("--plot", arguments.plot.as_deref()),
        ("--document", arguments.document.as_deref()),
    ])?;
    let file = if arguments.axis.is_empty() {
        StudyFile::read(&arguments.file, arguments.quick)
    } else {
        StudyFile::of_axes(&arguments.file.to_string_lossy(), &arguments.axis)
    };
    let file = file.map_err(Failure::of)?;
    let directory = arguments.output.as_deref();
    let results = directory.map_or_else(|| Ok(Results::in_memory()), Results::in_directory);
    let results = results.map_err(Failure::of)?;
    let mut all = wanted(&file, arguments)?;
    check_plot(&all, arguments)?;
    // Before the work, so that a file that cannot be read or written is known at once.
    let document = arguments.document.as_deref().map(|path| TablesPage::open(path, &file));
    let document = document.transpose()?;
    let mut known = document.as_ref().map_or_else(Known::new, |document| document.known.clone());
    if !arguments.collect {
        catch_interrupt()?;
    }
    let mut judged: Vec<JudgedStatement> = Vec::new();
    for one in &mut all {
        if !arguments.collect {
            make(one, &results, arguments)?;
        }
        let collected = collect(&one.plan, &results).map_err(Failure::of)?;
        if let Some(directory) = &one.directory {
            write_tables((one, directory), &collected, arguments)?;
        }
        let kept = one.study.kept(&collected.rows);
        if let Some(document) = &document {
            document.keep(&one.study.name, &kept)?;
        }
        known.insert(one.study.name.clone(), kept);
        let of_study = one.study.judged(&known);
        let tables = one.study.tables(&known);
        let is_alone = arguments.output.is_none() || !arguments.axis.is_empty();
        if arguments.prints_rows() || tables.is_empty() && is_alone {
            arguments.print_rows(&collected.rows, &collected.text)?;
        } else {
            print(&format_args!("{tables}{}", words(&of_study)))?;
        }
        judged.extend(of_study);
        if let Some(document) = &document {
            document.write(&file, &known)?;
        }
        end(&collected, arguments)?;
    }
    if all.len() > 1 && !arguments.prints_rows() {
        print(&format_args!("{}", counts(&judged)))?;
    }
    Ok(())
}

/// The figures of a paper beside ours.
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
    /// The rows of finished studies.
    known: Known,
}

impl<'a> TablesPage<'a> {
    /// Reads the rows beside a document, and checks that it has a place for each table.
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
