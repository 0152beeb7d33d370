//! `tvlb-lab experiment`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tvlb::failure::{Failure, Outcome};
use tvlb::files::outside_table_sets;
use tvlb::named::{self, one_of};
use tvlb::output::{Bars, catch_interrupt, print, use_threads, write_file};
use tvlb::values;
use tvlb_generator::choose::PanelSize;
use tvlb_lab::experiment::{
    EXPERIMENTS, Experiment, ExperimentError, KeptResults, Options, Page, SIZES, find, summary,
    with_tables,
};
use tvlb_table_set::input_file::{self, Symlinks};

/// The name that stands for every experiment.
const ALL: &str = "all";
/// The largest document, or file of results, that is read.
const MOST_BYTES: u64 = 64 << 20;

/// Repeat a figure of the T-UGAL paper (Rahman et al., SC'19), or of another, or one of our own
///
/// Writes CSV, JSON and SVG into a directory, and prints what sections 3 and 4 of the paper state of
/// the figure beside our figures: each number with the difference and whether it is within 5%, each
/// comparison in words with the figures that confirm or refute it.
/// docs/measurements/reproduction.md holds all of them; docs/measurements/faults.md holds `failure`,
/// `ageing` and `ageing-uniform`. The experiments named load-imbalance-* are after Prisacari et al.
/// (HPSR'15), and docs/measurements/load-imbalance.md holds these.
///
/// `all` runs every experiment of docs/measurements/reproduction.md in turn, writes each into a directory of
/// its name within DIR, and all results into DIR/reproduction.json.
#[derive(Args)]
#[command(after_long_help = help())]
pub(crate) struct Arguments {
    /// The name of the experiment, or `all`
    #[arg(value_parser = PossibleValuesParser::new(names()), hide_possible_values = true)]
    name: String,
    /// The directory to write to; files of the same names in it are replaced
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Write the tables into FILE too, a document in Markdown
    ///
    /// Replaces all between a line `<!-- figures: NAME... -->` and the next `<!-- end -->`, where the
    /// experiment that is run is one of those named, or everywhere after `all`. Experiments of one kind
    /// that are named together have one table. The tables named `summary` and `time`, which all
    /// experiments share, are replaced too. The results are kept beside FILE, in a file with the
    /// ending `json`, together with those of experiments that were run earlier; these decide
    /// comparisons of one experiment with another.
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// Short windows, few loads, few patterns: to see what it does, not to compare figures
    #[arg(long)]
    quick: bool,
    /// UGAL-L's and UGAL-G's set to show as ours, with what it weighs by if it says so: `SET`, or for
    /// instance `SET T=-2 1x4 gate=1.25` [default: `shapes:011`; in `failure`, `ageing` and
    /// `ageing-uniform` what `generate` chooses]
    #[arg(long, value_name = "SET")]
    ours_ugal: Option<String>,
    /// The same for PAR: `SET` or, with another at its second look, `SET then SET`, each with a
    /// threshold if it has one [default: `shapes:011+110 by shape then shapes:020+110 by shape`; in
    /// `failure`, `ageing` and `ageing-uniform` what `generate` chooses]
    #[arg(long, value_name = "SET")]
    ours_par: Option<String>,
    /// In `ageing` and `ageing-uniform`, also choose the sets again for the fabric without its dead
    /// cables, with this panel of traffic: `standard`, as `generate` does, or `quick`. A choice takes
    /// minutes
    #[arg(long, value_parser = one_of(named::PANELS, PanelSize::name), ignore_case = true, value_name = "PANEL")]
    choose_again: Option<PanelSize>,
    /// The systems of load-imbalance-*, by p: p nodes on each of 2p switches with p global ports in each
    /// of 2p² + 1 groups; 6 and 8 take many minutes
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = SIZES)]
    sizes: Vec<u32>,
    /// Keep in DIR what is simulated and modelled, so that an interrupted experiment goes on
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Decides random traffic, patterns and fractions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Use this many threads instead of one per core; the figures are the same for any number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::threads)]
    threads: Option<usize>,
    /// Show no progress: print nothing but the result and errors
    #[arg(short, long)]
    quiet: bool,
}

/// The experiments that `all` stands for.
fn all() -> impl Iterator<Item = &'static Experiment> {
    EXPERIMENTS.iter().filter(|experiment| experiment.page() == Page::Reproduction)
}

/// The names that are accepted.
fn names() -> impl Iterator<Item = &'static str> {
    EXPERIMENTS.iter().map(|experiment| experiment.name).chain([ALL])
}

/// The list of experiments for --help.
fn help() -> String {
    let mut text = String::from("Experiments:\n");
    for Experiment { name, about, .. } in &EXPERIMENTS {
        let _ = writeln!(text, "  {name:<25} {about}");
    }
    let _ = writeln!(text, "  {ALL:<25} each from fig4 to channels-9, one after the other");
    text
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let begin = Instant::now();
    use_threads(arguments.threads)?;
    catch_interrupt()?;
    outside_table_sets([
        ("--output", Some(arguments.output.as_path())),
        ("--state", arguments.state.as_deref()),
        ("--document", arguments.document.as_deref()),
    ])?;
    let one = find(&arguments.name);
    // Before the work, so that what cannot be read or written to is known at once.
    create(&arguments.output)?;
    let only = one.map(|experiment| experiment.name);
    let document = arguments.document.as_deref().map(|path| Document::open(path, only));
    let document = document.transpose()?;
    let mut known = document.as_ref().map_or_else(KeptResults::default, |open| open.before.clone());
    let (mut made, mut files) = (KeptResults::default(), 0);
    let experiments: Vec<&Experiment> = one.map_or_else(|| all().collect(), |one| vec![one]);
    for experiment in experiments {
        let directory = match one {
            Some(_) => arguments.output.clone(),
            None => arguments.output.join(experiment.name),
        };
        files += run_one(experiment, arguments, &directory, (&mut known, &mut made))?;
        if one.is_none() {
            write_file(&arguments.output.join("reproduction.json"), &made.to_json())?;
            files += usize::from(experiment.name == EXPERIMENTS[0].name);
        }
        if let Some(document) = &document {
            document.write(&known)?;
        }
    }
    if one.is_none() {
        print(&format_args!("{}", summary(&known)))?;
    }
    if !arguments.quiet {
        let (output, seconds) = (arguments.output.display(), begin.elapsed().as_secs_f64());
        eprintln!("{output}: {files} files, {seconds:.1} s");
    }
    Ok(())
}

/// Makes one experiment and returns how many files it wrote.
fn run_one(
    experiment: &Experiment,
    arguments: &Arguments,
    directory: &Path,
    (known, made): (&mut KeptResults, &mut KeptResults),
) -> Result<usize, Failure> {
    create(directory)?;
    let options = Options {
        quick: arguments.quick,
        ours_ugal: arguments.ours_ugal.clone(),
        ours_par: arguments.ours_par.clone(),
        choose_again: arguments.choose_again,
        state: arguments.state.clone(),
        seed: arguments.seed,
        sizes: arguments.sizes.clone(),
    };
    let keep = match &options.state {
        _ if !experiment.is_kept() => String::new(),
        Some(state) => format!("; {} keeps its runs", state.display()),
        None => "; --state DIR would keep its runs".to_owned(),
    };
    let stages = Bars::beginning(arguments.quiet, &format_args!("{}{keep}", experiment.name));
    let found = experiment.run(&options, known, &stages);
    stages.finish();
    let found = found.map_err(|error| match error {
        ExperimentError::Cancelled(_) => Failure::Stopped(what_became(experiment, &options)),
        error => Failure::of(error),
    })?;
    write_file(&directory.join("figures.csv"), &found.csv)?;
    write_file(&directory.join("figures.json"), &found.json)?;
    for (name, svg) in &found.pictures {
        write_file(&directory.join(format!("{name}.svg")), svg)?;
    }
    let note = if arguments.quick { " (--quick: saturations come out too high)" } else { "" };
    print(&format_args!("{}: {}{note}\n{}", experiment.name, experiment.about, found.words))?;
    known.insert(found.results.clone());
    made.insert(found.results);
    Ok(found.pictures.len() + 2)
}

fn create(directory: &Path) -> Outcome {
    fs::create_dir_all(directory).map_err(|error| {
        Failure::Message(format!("{}: cannot create the directory: {error}", directory.display()))
    })
}

/// A document with tables, and the results from which they were made.
struct Document<'a> {
    path: &'a Path,
    results: PathBuf,
    /// The only experiment whose tables are replaced.
    only: Option<&'static str>,
    /// The results of earlier experiments.
    before: KeptResults,
}

impl<'a> Document<'a> {
    /// Reads the document and its results, and checks that the tables have their places.
    fn open(path: &'a Path, only: Option<&'static str>) -> Result<Self, Failure> {
        let results = path.with_extension("json");
        if results == path {
            let path = path.display();
            return Err(Failure::Message(format!(
                "--document {path}: its ending is that of the file of results beside it; accepted \
                 a document with another, such as `md`"
            )));
        }
        let before = match input_file::read_text(&results, MOST_BYTES, Symlinks::Follow) {
            Ok(json) => KeptResults::parse(&json).map_err(|error| {
                let path = results.display();
                Failure::Message(format!("{path}: it is not a file of results: {error}"))
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound => KeptResults::default(),
            Err(error) => {
                return Err(Failure::Message(format!("{}: {error}", results.display())));
            }
        };
        let document = Self { path, results, only, before };
        document.text(&document.before)?;
        Ok(document)
    }

    /// The document with its tables made from these results.
    fn text(&self, results: &KeptResults) -> Result<String, Failure> {
        let path = self.path.display();
        let text = input_file::read_text(self.path, MOST_BYTES, Symlinks::Follow)
            .map_err(|error| Failure::Message(format!("{path}: {error}")))?;
        with_tables(&text, self.only, results)
            .map_err(|error| Failure::Message(format!("{path}: {error}")))
    }

    /// Writes the results first, because the tables can be made from them again.
    fn write(&self, results: &KeptResults) -> Outcome {
        let text = self.text(results)?;
        write_file(&self.results, &results.to_json())?;
        write_file(self.path, &text)
    }
}

/// What becomes of the work of an experiment that is interrupted.
fn what_became(experiment: &Experiment, options: &Options) -> String {
    match &options.state {
        _ if !experiment.is_kept() => {
            format!("no figure of {} was written", experiment.name)
        }
        Some(state) => format!(
            "no figure of {} was written; {} keeps the runs so far, and the same command goes on \
             from there",
            experiment.name,
            state.display()
        ),
        None => format!(
            "no figure of {} was written; --state DIR would have kept its runs",
            experiment.name
        ),
    }
}
