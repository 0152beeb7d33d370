//! The tables of an experiment: in Markdown for a document, and in plain text for the terminal.

use super::catalogue::{Experiment, Page, find, of_page};
use super::faults::{ageing_texts, failure_texts};
use super::grid::Grid;
use super::kept_results::KeptResults;
use super::per_hop::texts;
use super::results::{
    ArrangedTimes, Arrangements, Curves, FabricRow, Figures, Imbalance, Line, Model, Phases,
    PlacedTimes, Placements, ROUTINGS, Results,
};
use super::rules::Rules;
use super::stated::{self, Claim};
use super::verdict::{Judged, Verdict, judge_all};
use std::fmt::Write;

/// What stands in a table for a figure that there is not.
const NOTHING: &str = "";

/// Tables that stand together in a document.
#[derive(Clone, Copy)]
pub(super) enum Table {
    Of(&'static Experiment),
    /// How many statements of the paper our figures bear out.
    Summary,
    /// The processor time of each experiment.
    Time,
}

impl Table {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "summary" => Some(Self::Summary),
            "time" => Some(Self::Time),
            name => find(name).map(Self::Of),
        }
    }

    /// Whether the tables depend on more than one experiment.
    pub(super) const fn is_shared(self) -> bool {
        !matches!(self, Self::Of(_))
    }
}

/// Tables in Markdown, with a line end.
pub(super) fn markdown(table: Table, known: &KeptResults) -> String {
    match table {
        Table::Summary => summary(known),
        Table::Time => time(known),
        Table::Of(experiment) => {
            let mut blocks = match known.get(experiment.name) {
                None => vec!["*Not run.*\n".to_owned()],
                Some(results) => figures(results),
            };
            if experiment.has_paper() {
                blocks.extend(stated_tables(&judge_all(experiment.name, known)));
            } else {
                let seconds = known.get(experiment.name).and_then(|kept| kept.processor_seconds);
                blocks.extend(seconds.map(|seconds| format!("Processor time: {seconds:.0} s.\n")));
            }
            blocks.join("\n")
        }
    }
}

fn quick_note(results: &Results) -> Option<String> {
    results.quick.then(|| {
        "Made with `--quick`: windows are short and loads few, so these figures are not to be \
         compared.\n"
            .to_owned()
    })
}

fn figures(results: &Results) -> Vec<String> {
    let mut blocks = match &results.figures {
        Figures::Curves(curves) => of_curves(results, curves),
        Figures::Model(model) => vec![of_model(model)],
        Figures::Fabrics { rows } => vec![of_fabrics(rows)],
        Figures::Failure(failure) => failure_texts::markdown(failure),
        Figures::Ageing(ageing) => ageing_texts::markdown(ageing),
        Figures::Imbalance(found) => vec![of_imbalance(found)],
        Figures::Phases(found) => vec![of_phases(found)],
        Figures::Arrangements(found) => vec![of_arrangements(found), over_the_first(found)],
        Figures::Placements(found) => of_placements(found),
        Figures::PerHop(found) => texts::markdown(found),
    };
    blocks.extend(quick_note(results));
    blocks
}

/// The loads at which an experiment's latencies are shown for a scheme: those that the paper states,
/// or else the lowest at which any line is below saturation.
fn shown_loads(experiment: &str, scheme: &str, lines: &[&Line]) -> Vec<f64> {
    let mut loads: Vec<f64> = stated::of(experiment)
        .filter(|stated| stated.scheme.as_deref() == Some(scheme))
        .filter_map(|stated| match stated.claim {
            Claim::Latency { load, .. } => Some(load),
            _ => None,
        })
        .collect();
    loads.dedup();
    if loads.is_empty() {
        let lowest = |line: &&Line| line.unsaturated().next().map(|point| point.load);
        // What most lines have: a line that saturates early begins at a lower load than the others.
        loads.extend(lines.iter().filter_map(lowest).max_by(f64::total_cmp));
    }
    loads
}

/// The lines of a figure: a row for each quantity, a column for each kind of rules.
fn of_curves(results: &Results, curves: &Curves) -> Vec<String> {
    let columns: Vec<Rules> = Rules::ALL
        .into_iter()
        .filter(|rules| curves.lines.iter().any(|line| line.rules == *rules))
        .collect();
    let mut headings = vec!["scheme", "figure"];
    headings.extend(columns.iter().map(|rules| rules.heading()));
    let mut grid = Grid::new(&headings);
    for (variant, scheme) in curves.subjects() {
        let of = |rules: &Rules| curves.line(scheme, variant, *rules);
        let lines: Vec<&Line> = columns.iter().filter_map(of).collect();
        let mut row = |what: String, value: &dyn Fn(&Line) -> String| {
            let values = columns.iter().map(|rules| of(rules).map_or(NOTHING.to_owned(), value));
            let mut cells = vec![scheme_of_a_row(scheme, variant), what];
            cells.extend(values);
            grid.row(&cells);
        };
        for load in shown_loads(&results.experiment, scheme, &lines) {
            row(format!("latency at {load}"), &|line| match line.at(load) {
                Some(point) if !point.saturated => format!("{:.1}", point.latency),
                _ if load > line.saturation => "saturated".to_owned(),
                _ => NOTHING.to_owned(),
            });
        }
        row("saturation".to_owned(), &|line| format!("{:.2}", line.saturation));
    }
    vec![grid.text(), sets(curves)]
}

fn scheme_of_a_row(scheme: &str, variant: &str) -> String {
    let name = stated::published_name(scheme, false);
    if variant.is_empty() { name } else { format!("{name}, {variant}") }
}

/// A list of the sets that the lines draw from.
fn sets(curves: &Curves) -> String {
    let mut found: Vec<(Rules, String)> = Vec::new();
    for line in &curves.lines {
        let text = format!("{} `{}`", stated::published_name(&line.scheme, false), line.set);
        if line.rules != Rules::Conventional && !found.contains(&(line.rules, text.clone())) {
            found.push((line.rules, text));
        }
    }
    let mut text = "Sets:".to_owned();
    for rules in Rules::ALL {
        let of_rules = found.iter().filter(|(of, _)| *of == rules);
        let texts: Vec<&str> = of_rules.map(|(_, text)| text.as_str()).collect();
        if !texts.is_empty() {
            let lead = if text.ends_with(':') { " " } else { "; " };
            let _ = write!(text, "{lead}{}: {}", rules.heading(), texts.join(", "));
        }
    }
    text.push_str(".\n");
    text
}

fn of_model(model: &Model) -> String {
    let mut grid = Grid::new(&["set", "throughput", "± SE", "hops"]);
    for set in &model.sets {
        grid.row(&[
            set.set.clone(),
            format!("{:.4}", set.throughput),
            format!("{:.4}", set.standard_error),
            format!("{:.2}", set.mean_hops),
        ]);
    }
    let (patterns, bound) = (model.patterns, model.bound);
    format!("{}\n{patterns} patterns; no set exceeds {bound:.6}, which is proven.\n", grid.text())
}

fn of_fabrics(rows: &[FabricRow]) -> String {
    let mut headings: Vec<String> =
        ["fabric", "nodes", "switches", "links per pair of groups"].map(str::to_owned).into();
    let sets = rows.first().map_or(&[][..], |row| &row.paths);
    headings.extend(sets.iter().map(|paths| format!("{}: routes, hops", paths.set)));
    let mut grid = Grid::new(&headings);
    for row in rows {
        let [p, a, h, g] = row.dragonfly;
        let [least, most] = row.links_per_pair;
        let links = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let mut cells =
            vec![format!("dfly({p},{a},{h},{g})"), row.nodes.to_string(), row.switches.to_string()];
        cells.push(links);
        let paths = row.paths.iter();
        cells.extend(
            paths.map(|paths| format!("{:.1}, {:.2}", paths.routes_per_pair, paths.mean_hops)),
        );
        grid.row(&cells);
    }
    grid.text()
}

/// A row for each system, with its estimates, static saturations and simulated throughputs.
fn of_imbalance(found: &Imbalance) -> String {
    let mut headings = vec!["system".to_owned(), "traffic".to_owned()];
    for routing in ROUTINGS {
        if routing == "VALg" {
            headings.extend(["3/(4p)".to_owned(), "share count".to_owned()]);
        }
        headings.extend([format!("{routing} static"), format!("{routing} simulated")]);
    }
    let mut grid = Grid::new(&headings);
    for system in &found.systems {
        let mut cells = vec![system.name(), system.traffic.clone()];
        for routing in ROUTINGS {
            if routing == "VALg" {
                cells.extend(
                    [system.estimate, system.share_count].map(|share| format!("{share:.4}")),
                );
            }
            cells.extend(match system.by(routing) {
                None => [NOTHING, NOTHING].map(str::to_owned),
                Some(routed) => [
                    format!("{:.4}", routed.static_saturation),
                    format!("{:.4} ± {:.4}", routed.throughput, routed.half_width),
                ],
            });
        }
        grid.row(&cells);
    }
    grid.text()
}

/// A row for each system, with what its busiest link allows and what was carried.
fn of_phases(found: &Phases) -> String {
    let mut headings = vec!["system".to_owned(), "grid".to_owned()];
    for routing in ROUTINGS {
        headings.extend([format!("{routing} at most"), format!("{routing} simulated")]);
    }
    let mut grid = Grid::new(&headings);
    for phase in &found.systems {
        let [x, y, z] = phase.grid;
        let mut cells = vec![phase.name(), format!("{x}×{y}×{z}")];
        for routing in ROUTINGS {
            let routed = phase.routed.iter().find(|routed| routed.routing == routing);
            cells.extend(match routed {
                None => [NOTHING, NOTHING].map(str::to_owned),
                Some(routed) => [routed.bound, routed.throughput].map(|part| format!("{part:.4}")),
            });
        }
        grid.row(&cells);
    }
    grid.text()
}

/// A row for each ratio, with the times of each arrangement.
fn of_arrangements(found: &Arrangements) -> String {
    let mut ratios: Vec<f64> = found.times.iter().map(|times| times.ratio).collect();
    ratios.dedup();
    let of_ratio =
        |ratio: f64| found.times.iter().filter(move |times| (times.ratio - ratio).abs() < 1e-9);
    let mut headings = vec!["ratio".to_owned()];
    for times in of_ratio(ratios.first().copied().unwrap_or_default()) {
        let name = &times.arrangement;
        headings.push(format!("{name}: median"));
        if found.maps > 1 {
            headings.extend([format!("{name}: largest"), format!("{name}: spread")]);
        }
    }
    let mut grid = Grid::new(&headings);
    for ratio in ratios {
        let mut cells = vec![ratio.to_string()];
        for ArrangedTimes { least, median, largest, .. } in of_ratio(ratio) {
            cells.push(format!("{median:.1}"));
            if found.maps > 1 {
                let spread = 100.0 * (largest - least) / median;
                cells.extend([format!("{largest:.1}"), format!("{spread:.1}%")]);
            }
        }
        grid.row(&cells);
    }
    grid.text()
}

/// The same over the times of the first arrangement at the first ratio.
fn over_the_first(found: &Arrangements) -> String {
    let Some(first) = found.times.first() else { return String::new() };
    let mut headings = vec!["ratio".to_owned()];
    let of_ratio =
        |one: &ArrangedTimes, other: &ArrangedTimes| (one.ratio - other.ratio).abs() < 1e-9;
    let ratios: Vec<_> = found.times.chunk_by(of_ratio).collect();
    for ArrangedTimes { arrangement, .. } in ratios.iter().take(1).copied().flatten() {
        headings.extend(["median", "largest"].map(|which| format!("{arrangement}: {which}")));
    }
    let mut grid = Grid::new(&headings);
    for times in ratios {
        let mut cells = vec![times[0].ratio.to_string()];
        for ArrangedTimes { median, largest, .. } in times {
            let over = [median / first.median, largest / first.largest];
            cells.extend(over.map(|part| format!("{part:.3}")));
        }
        grid.row(&cells);
    }
    let ArrangedTimes { arrangement, ratio, .. } = first;
    format!("Over the times of {arrangement} at ratio {ratio}:\n\n{}", grid.text())
}

/// For each ratio a row for each arrangement and routing, with the best and the worst placement and map.
fn of_placements(found: &Placements) -> Vec<String> {
    let headings = ["arrangement", "routing", "best", "with", "cluster, linear", "worst", "with"];
    let headings = headings.map(str::to_owned);
    let routings = found.routings();
    let is_same = |one: &Vec<&PlacedTimes>, other: &Vec<&PlacedTimes>| {
        (one[0].ratio - other[0].ratio).abs() < 1e-9
    };
    let mut blocks = Vec::new();
    for of_ratio in routings.chunk_by(is_same) {
        blocks.push(format!("Ratio {}:\n", of_ratio[0][0].ratio));
        let mut grid = Grid::new(&headings);
        for times in of_ratio {
            let (best, worst) = Placements::ends(times);
            let usual = times.iter().find(|one| one.placement == "cluster" && one.map == "linear");
            let usual = usual.map_or_else(String::new, |usual| format!("{:.1}", usual.median));
            let with = |one: &PlacedTimes| format!("{}, {}", one.placement, one.map);
            grid.row(&[
                best.arrangement.clone(),
                best.routing.clone(),
                format!("{:.1}", best.median),
                with(best),
                usual,
                format!("{:.1}", worst.median),
                with(worst),
            ]);
        }
        blocks.push(grid.text());
    }
    blocks
}

/// What the paper states: a table of the numbers and one of the comparisons.
fn stated_tables(judged: &[Judged]) -> Vec<String> {
    let mut numbers = Grid::new(&[
        "the paper, number",
        "section",
        "stated",
        "ours",
        "difference",
        "verdict",
        "by other rules",
    ]);
    let mut comparisons =
        Grid::new(&["the paper, comparison", "section", "our figures", "verdict"]);
    let (mut has_numbers, mut has_comparisons) = (false, false);
    let mut notes = String::new();
    for judged in judged {
        let Judged { place, what, ours, verdict, .. } = judged;
        let verdict = verdict.name();
        if let Some(stated) = &judged.stated {
            has_numbers = true;
            let ours = if judged.verdict == Verdict::NotRun { NOTHING } else { ours };
            let difference = judged.difference.as_deref().unwrap_or(NOTHING);
            let others = others(judged);
            numbers.row(&[what, place, stated, ours, difference, verdict, &others]);
        } else {
            has_comparisons = true;
            comparisons.row(&[&**what, place, ours, verdict]);
        }
        if let Some(note) = &judged.note {
            let line = format!("- {what}: {note}.\n");
            if !notes.contains(&line) {
                notes.push_str(&line);
            }
        }
    }
    let mut blocks = Vec::new();
    blocks.extend(has_numbers.then_some(numbers.text()));
    blocks.extend(has_comparisons.then_some(comparisons.text()));
    if judged.is_empty() {
        blocks.push("The paper's text states nothing of this.\n".to_owned());
    }
    blocks.extend((!notes.is_empty()).then_some(notes));
    blocks
}

fn others(judged: &Judged) -> String {
    let texts = judged.others.iter().map(|(rules, value)| {
        let heading = rules.heading();
        format!("{}: {value}", heading.strip_prefix("T-UGAL, ").unwrap_or(heading))
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// How many statements of the T-UGAL paper our figures bear out, of each experiment.
fn summary(known: &KeptResults) -> String {
    let mut headings = vec!["experiment"];
    headings.extend(Verdict::ALL.map(Verdict::name));
    let mut grid = Grid::new(&headings);
    let mut totals = [0_usize; Verdict::ALL.len()];
    let mut row = |name: &str, counts: &[usize]| {
        let mut cells = vec![name.to_owned()];
        cells.extend(counts.iter().map(usize::to_string));
        grid.row(&cells);
    };
    for experiment in of_page(Page::Reproduction) {
        let judged = judge_all(experiment.name, known);
        if judged.is_empty() {
            continue;
        }
        let counts = Verdict::ALL
            .map(|verdict| judged.iter().filter(|judged| judged.verdict == verdict).count());
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += count;
        }
        row(experiment.name, &counts);
    }
    row("all", &totals);
    grid.text()
}

fn time(known: &KeptResults) -> String {
    let mut grid = Grid::new(&["experiment", "processor seconds", "what"]);
    let mut total = 0.0;
    for experiment in of_page(Page::Reproduction) {
        let results = known.get(experiment.name);
        let seconds = results.and_then(|results| results.processor_seconds);
        total += seconds.unwrap_or_default();
        let text = match (results, seconds) {
            (None, _) => "not run".to_owned(),
            (Some(_), None) => "not known".to_owned(),
            (Some(_), Some(seconds)) => format!("{seconds:.0}"),
        };
        grid.row(&[experiment.name, &text, experiment.about]);
    }
    grid.row(&["all", &format!("{total:.0}"), ""]);
    grid.text()
}

/// What the paper states beside our figures, for the terminal.
pub(super) fn plain(judged: &[Judged]) -> String {
    let mut text = String::new();
    if judged.is_empty() {
        text.push_str("  the paper's text states nothing of this\n");
    }
    let width = judged.iter().map(|judged| judged.what.chars().count()).max().unwrap_or_default();
    for judged in judged {
        let Judged { what, ours, verdict, .. } = judged;
        let _ = match (&judged.stated, &judged.difference) {
            (Some(stated), Some(difference)) => write!(
                text,
                "  {what:<width$}  stated {stated}, ours {ours}, {difference}: {}",
                verdict.name()
            ),
            (Some(stated), None) => {
                write!(text, "  {what:<width$}  stated {stated}, ours {ours}: {}", verdict.name())
            }
            (None, _) => write!(text, "  {what:<width$}  {}: {ours}", verdict.name()),
        };
        let others = others(judged);
        if !others.is_empty() {
            let _ = write!(text, " ({others})");
        }
        text.push('\n');
        if let Some(note) = &judged.note {
            let _ = writeln!(text, "    {note}");
        }
    }
    text
}

/// The counts of all statements, for the terminal.
pub(super) fn plain_summary(known: &KeptResults) -> String {
    let judged: Vec<Judged> = of_page(Page::Reproduction)
        .flat_map(|experiment| judge_all(experiment.name, known))
        .collect();
    let counts = Verdict::ALL.map(|verdict| {
        let count = judged.iter().filter(|judged| judged.verdict == verdict).count();
        format!("{count} {}", verdict.name())
    });
    format!("{} statements of the paper: {}\n", judged.len(), counts.join(", "))
}
