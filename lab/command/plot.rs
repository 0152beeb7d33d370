//! `tvlb-lab plot`: results of other commands as a picture.

mod columns;
mod lines;
mod names;
mod picture;
mod series;
mod table;

pub(crate) use lines::Selection;
pub(crate) use picture::{Look, MOST_SERIES};
pub(crate) use table::PlotFile;

use clap::Args;
use series::Data;
use std::path::{Path, PathBuf};
use tvlb::failure::{Failure, Outcome};
use tvlb::files::{check_svg, outside_table_sets};
use tvlb::output::{print, write_file};

/// What the files are, and the names of the figures.
const HELP: &str =
    "Files: the output of `tvlb simulate` and `tvlb-lab sweep` with --format csv, runs.csv,
summary.csv and figures.csv of `tvlb-lab sweep`, and the file of `tvlb model --csv`.

Figures are the columns of these files by their names, for instance latency, p99, accepted, hops,
vlb-share (or vlb), network-latency (or network), jain, local-most, global-most, generated.

Lines that differ only in the seed are one point: their mean, with a band of one standard
error. A load is saturated if any of its runs is. Its latency means nothing and is drawn as an open
mark above the axis; its other figures are drawn at their values, hollow. The axis holds every
point that is not saturated.

Examples:
  tvlb simulate out --scheme par --load 0.05:0.5:0.05 --seeds 1,2,3 --format csv > par.csv
  tvlb simulate out --scheme ugal-l --load 0.05:0.5:0.05 --seeds 1,2,3 --format csv > ugal-l.csv
  tvlb-lab plot par.csv ugal-l.csv -o both.svg
  tvlb-lab plot runs/runs.csv --panel traffic --where scheme=par --y latency,p99 -o par.svg
";

/// Draw results: latency over load, and every other figure, of several schemes, sets and fabrics
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct PlotOptions {
    /// The results to draw, all in one picture
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The picture to write, as SVG
    #[arg(short, long, value_name = "PICTURE")]
    output: PathBuf,
    /// The figures on the y axis, separated by commas, one panel each [default: latency, or the main figures of the
    /// files]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    y: Vec<String>,
    /// The column on the x axis; values that are not numbers stand side by side [default: load, or the main column of
    /// the files]
    #[arg(long, value_name = "COLUMN")]
    x: Option<String>,
    /// The columns that make a series, separated by commas, `file` for the file's name [default: all that describe a
    /// run; the legend names those that differ]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    by: Vec<String>,
    /// Draw a panel for each value of this column
    #[arg(long, value_name = "COLUMN")]
    panel: Option<String>,
    /// Draw only lines with this value in this column; may be repeated. For each named column, a line must have one of
    /// its given values
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    only: Vec<String>,
    /// The heading of the picture [default: the figures and the fabric]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// A logarithmic y axis
    #[arg(long)]
    log: bool,
    /// The end of the y axis; points beyond it are arrows
    #[arg(long, value_name = "NUMBER")]
    y_most: Option<f64>,
    /// The limit of the mean latency to draw [default: that of the runs, if one is saturated]
    #[arg(long, value_name = "CYCLES")]
    limit: Option<f64>,
    /// The width in pixels [default: 720]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u16).range(200..=4000))]
    width: Option<u16>,
    /// The height of the axes of each panel in pixels [default: 300, with several panels 220]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u16).range(60..=4000))]
    height: Option<u16>,
    /// Print nothing but the result, which is the picture here, and errors
    #[arg(short, long)]
    quiet: bool,
}

/// Draws tables into a file, and returns a summary of the picture.
pub(crate) fn draw(
    tables: &[PlotFile],
    selection: &Selection,
    look: &Look,
    path: &Path,
) -> Result<String, Failure> {
    let data = Data::of(tables, selection)?;
    let sheet = picture::sheet(&data, look)?;
    write_file(path, &sheet.svg())?;
    let points = data.series.iter().map(|series| series.all.len()).sum::<usize>();
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let series = data.series.len();
    Ok(format!("{series} series, {} of {}", count(points, "point"), count(data.runs, "run")))
}

pub(crate) fn run(arguments: &PlotOptions) -> Outcome {
    check_svg("--output", &arguments.output)?;
    outside_table_sets([("--output", Some(arguments.output.as_path()))])?;
    for (option, value) in [("--limit", arguments.limit), ("--y-most", arguments.y_most)] {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
            return Err(Failure::Message(format!(
                "{option}: found {value}, accepted a number above 0"
            )));
        }
    }
    let only = arguments.only.iter().map(|text| match text.split_once('=') {
        Some((column, value)) if !column.is_empty() => Ok((column.to_owned(), value.to_owned())),
        _ => Err(Failure::Message(format!(
            "--where: found {}, accepted COLUMN=VALUE, as in scheme=par",
            tvlb_base::text::quoted(text)
        ))),
    });
    let selection = Selection {
        x: arguments.x.clone(),
        y: arguments.y.clone(),
        by: arguments.by.clone(),
        panel: arguments.panel.clone(),
        only: only.collect::<Result<_, _>>()?,
    };
    let look = Look {
        title: arguments.title.clone(),
        logarithmic: arguments.log,
        most: arguments.y_most,
        limit: arguments.limit,
        width: arguments.width.map(f64::from),
        height: arguments.height.map(f64::from),
    };
    let tables = arguments.files.iter().map(|path| PlotFile::read(path));
    let tables: Vec<PlotFile> = tables.collect::<Result<_, _>>()?;
    let said = draw(&tables, &selection, &look, &arguments.output)?;
    if arguments.quiet {
        return Ok(());
    }
    print(&format_args!("{}: {said}\n", arguments.output.display()))
}
