//! The tables of an experiment: in Markdown for a document, and in plain text for the terminal.

use super::catalogue::{Experiment, Page, find, of_page};
use super::faults::{ageing_texts, failure_texts};
use super::grid::Grid;
use super::kept_results::KeptResults;
use super::per_hop::texts;
use super::results::{
    ArrangedTimes, Curves, FabricRow, Figures, Line, Model, ModelledSet, Phases, PlacedTimes,
    Placements, ROUTINGS, Results,
};
use super::rules::Rules;
use super::stated::{self, Claim};
use super::verdict::{Judged, Verdict, judge_all};
use std::fmt::Write;

/// What stands in a table for a figure that there is not.
const NOTHING: &str = "";

/// Tables that stand together in a document.
#[derive(Clone)]
pub(super) enum Table {
    Of(Vec<&'static Experiment>),
    /// How many statements of the paper our figures bear out.
    Summary,
    /// The processor time of all experiments.
    Time,
}

impl Table {
    /// The tables of a text that is `summary`, `time`, or the names of experiments.
    pub(super) fn named(names: &str) -> Option<Self> {
        match names {
            "summary" => Some(Self::Summary),
            "time" => Some(Self::Time),
            names => {
                let found: Option<Vec<_>> = names.split_whitespace().map(find).collect();
                found.filter(|found| !found.is_empty()).map(Self::Of)
            }
        }
    }

    /// Whether the tables are those of this experiment, alone or with others.
    pub(super) fn is_of(&self, name: &str) -> bool {
        matches!(self, Self::Of(of) if of.iter().any(|experiment| experiment.name == name))
    }

    /// Whether the tables depend on all experiments.
    pub(super) const fn is_shared(&self) -> bool {
        !matches!(self, Self::Of(_))
    }
}

/// Tables in Markdown, with a line end.
pub(super) fn markdown(table: &Table, known: &KeptResults) -> String {
    let Table::Of(experiments) = table else {
        return if matches!(table, Table::Summary) { plain_summary(known) } else { time(known) };
    };
    let found = experiments.iter().filter_map(|one| Some((*one, known.get(one.name)?)));
    let found: Vec<(&Experiment, &Results)> = found.collect();
    let mut blocks = figures(&found);
    let is_missing = |one: &&&Experiment| known.get(one.name).is_none();
    let missing: Vec<&str> = experiments.iter().filter(is_missing).map(|one| one.name).collect();
    if found.is_empty() {
        blocks.push("*Not run.*\n".to_owned());
    } else if !missing.is_empty() {
        blocks.push(format!("*Not run: {}.*\n", missing.join(", ")));
    }
    if experiments.iter().any(|one| one.has_paper()) {
        blocks.extend(stated_tables(experiments, known));
    } else {
        let seconds = found.iter().filter_map(|(_, results)| results.processor_seconds);
        let seconds = seconds.reduce(|sum, one| sum + one);
        blocks.extend(seconds.map(|seconds| format!("Processor time: {seconds:.0} s.\n")));
    }
    blocks.join("\n")
}

/// The tables of experiments, those of one kind in one table.
fn figures(found: &[(&Experiment, &Results)]) -> Vec<String> {
    let mut blocks = Vec::new();
    blocks.extend(of_curves(found));
    blocks.extend(of_models(found));
    blocks.extend(of_imbalance(found));
    blocks.extend(of_arrangements(found));
    blocks.extend(of_placements(found));
    let per_hop = found.iter().filter_map(|(_, results)| match &results.figures {
        Figures::PerHop(found) => Some(found),
        _ => None,
    });
    blocks.extend(texts::markdown(&per_hop.collect::<Vec<_>>()));
    for (_, results) in found {
        match &results.figures {
            Figures::Fabrics { rows } => blocks.push(of_fabrics(rows)),
            Figures::Failure(failure) => blocks.extend(failure_texts::markdown(failure)),
            Figures::Ageing(ageing) => blocks.extend(ageing_texts::markdown(ageing)),
            Figures::Phases(found) => blocks.push(of_phases(found)),
            _ => {}
        }
    }
    if found.iter().any(|(_, results)| results.quick) {
        let note = "Made with `--quick`: windows are short and loads few, so these figures are not to \
                    be compared.\n";
        blocks.push(note.to_owned());
    }
    blocks
}

/// Saturations: a row for each scheme and setting, a column for each kind of rules.
fn of_curves(found: &[(&Experiment, &Results)]) -> Vec<String> {
    let all: Vec<(&Experiment, &Curves)> = found
        .iter()
        .filter_map(|(experiment, results)| match &results.figures {
            Figures::Curves(curves) => Some((*experiment, curves)),
            _ => None,
        })
        .collect();
    let lines = || all.iter().flat_map(|(_, curves)| &curves.lines);
    let columns: Vec<Rules> =
        Rules::ALL.into_iter().filter(|rules| lines().any(|line| line.rules == *rules)).collect();
    if columns.is_empty() {
        return Vec::new();
    }
    let mut headings = vec!["saturation", "scheme"];
    headings.extend(columns.iter().map(|rules| rules.heading()));
    let mut grid = Grid::new(&headings);
    for (experiment, curves) in &all {
        let about = experiment.about.split(':').next().unwrap_or_default();
        let mut about = format!("{}: {about}", experiment.name);
        for (variant, scheme) in curves.subjects() {
            let mut cells = vec![std::mem::take(&mut about), scheme_of_a_row(scheme, variant)];
            cells.extend(columns.iter().map(|rules| {
                let line = curves.line(scheme, variant, *rules);
                line.map_or(NOTHING.to_owned(), |line| format!("{:.2}", line.saturation))
            }));
            grid.row(&cells);
        }
    }
    vec![grid.text(), sets(lines())]
}

fn scheme_of_a_row(scheme: &str, variant: &str) -> String {
    let name = stated::published_name(scheme, false);
    if variant.is_empty() { name } else { format!("{name}, {variant}") }
}

/// A list of the sets that lines draw from.
fn sets<'l>(lines: impl Iterator<Item = &'l Line>) -> String {
    let mut found: Vec<(Rules, String)> = Vec::new();
    for line in lines {
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

/// Modelled throughputs: a row for each whole set, and for each that the paper speaks of.
fn of_models(found: &[(&Experiment, &Results)]) -> Vec<String> {
    let models: Vec<(&str, &Model)> = found
        .iter()
        .filter_map(|(experiment, results)| match &results.figures {
            Figures::Model(model) => Some((experiment.name, model)),
            _ => None,
        })
        .collect();
    let Some((_, first)) = models.first() else { return Vec::new() };
    let is_named = |set: &str| {
        let mut stated = models.iter().flat_map(|(name, _)| stated::of(name));
        stated.any(|stated| match &stated.claim {
            Claim::Throughput { set: of, .. } | Claim::Largest { set: of } => of == set,
            Claim::Similar { set: of, sets } => of == set || sets.iter().any(|one| one == set),
            _ => false,
        })
    };
    let mut headings = vec!["set".to_owned()];
    headings.extend(models.iter().map(|(name, _)| format!("{name}: throughput ± SE")));
    let mut grid = Grid::new(&headings);
    for ModelledSet { set, .. } in &first.sets {
        if set.contains('%') && !is_named(set) {
            continue;
        }
        let mut cells = vec![set.clone()];
        cells.extend(models.iter().map(|(_, model)| {
            let found = model.sets.iter().find(|one| one.set == *set);
            found.map_or(NOTHING.to_owned(), |one| {
                format!("{:.4} ± {:.4}", one.throughput, one.standard_error)
            })
        }));
        grid.row(&cells);
    }
    let mut cells = vec!["proven bound of every set".to_owned()];
    cells.extend(models.iter().map(|(_, model)| format!("{:.4}", model.bound)));
    grid.row(&cells);
    vec![grid.text()]
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

/// A row for each system and traffic: estimates, static saturations and simulated throughputs.
fn of_imbalance(found: &[(&Experiment, &Results)]) -> Vec<String> {
    let systems: Vec<_> = found
        .iter()
        .filter_map(|(_, results)| match &results.figures {
            Figures::Imbalance(found) => Some(&found.systems),
            _ => None,
        })
        .flatten()
        .collect();
    if systems.is_empty() {
        return Vec::new();
    }
    let mut headings = ["traffic", "system", "3/(4p)", "share count"].map(str::to_owned).to_vec();
    headings.extend(ROUTINGS.map(|routing| format!("{routing}: static, simulated")));
    let mut grid = Grid::new(&headings);
    for system in systems {
        let mut cells = vec![system.traffic.clone(), system.name()];
        cells.extend([system.estimate, system.share_count].map(|share| format!("{share:.4}")));
        cells.extend(ROUTINGS.map(|routing| {
            system.by(routing).map_or(NOTHING.to_owned(), |routed| {
                format!("{:.4}, {:.4}", routed.static_saturation, routed.throughput)
            })
        }));
        grid.row(&cells);
    }
    vec![grid.text()]
}

/// A row for each system, with what its busiest link allows and what was carried.
fn of_phases(found: &Phases) -> String {
    let mut headings = vec!["system".to_owned(), "grid".to_owned()];
    headings.extend(ROUTINGS.map(|routing| format!("{routing}: at most, simulated")));
    let mut grid = Grid::new(&headings);
    for phase in &found.systems {
        let [x, y, z] = phase.grid;
        let mut cells = vec![phase.name(), format!("{x}×{y}×{z}")];
        for routing in ROUTINGS {
            let routed = phase.routed.iter().find(|routed| routed.routing == routing);
            cells.push(routed.map_or(NOTHING.to_owned(), |routed| {
                format!("{:.4}, {:.4}", routed.bound, routed.throughput)
            }));
        }
        grid.row(&cells);
    }
    grid.text()
}

/// A row for each exchange and ratio, with the times of each arrangement.
fn of_arrangements(found: &[(&Experiment, &Results)]) -> Vec<String> {
    let mut grid: Option<Grid> = None;
    for (experiment, results) in found {
        let Figures::Arrangements(found) = &results.figures else { continue };
        let mut name = experiment.name.to_owned();
        let is_same =
            |one: &ArrangedTimes, other: &ArrangedTimes| (one.ratio - other.ratio).abs() < 1e-9;
        // A document has the ratios that are whole, and those below.
        let is_shown = |of: &&[ArrangedTimes]| of[0].ratio < 1.0 || of[0].ratio.fract() < 1e-9;
        for times in found.times.chunk_by(is_same).filter(is_shown) {
            let grid = grid.get_or_insert_with(|| {
                let mut headings = vec!["median time, spread".to_owned(), "ratio".to_owned()];
                headings.extend(times.iter().map(|times| times.arrangement.clone()));
                Grid::new(&headings)
            });
            let mut cells = vec![std::mem::take(&mut name), times[0].ratio.to_string()];
            cells.extend(times.iter().map(|ArrangedTimes { least, median, largest, .. }| {
                format!("{median:.1}, {:.1}%", 100.0 * (largest - least) / median)
            }));
            grid.row(&cells);
        }
    }
    grid.into_iter().map(Grid::text).collect()
}

/// A row for each ratio and routing: for each arrangement the times with the best and with the worst
/// placement and map.
fn of_placements(found: &[(&Experiment, &Results)]) -> Vec<String> {
    let mut grid: Option<Grid> = None;
    for (experiment, results) in found {
        let Figures::Placements(found) = &results.figures else { continue };
        let mut name = experiment.name.to_owned();
        let all = found.routings();
        let mut keys: Vec<(f64, &str)> = Vec::new();
        for of in &all {
            let key = (of[0].ratio, of[0].routing.as_str());
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        for (ratio, routing) in keys {
            let is_of =
                |of: &&Vec<&PlacedTimes>| (of[0].ratio, of[0].routing.as_str()) == (ratio, routing);
            let of: Vec<_> = all.iter().filter(is_of).collect();
            let grid = grid.get_or_insert_with(|| {
                let mut headings = ["best, worst", "ratio", "routing"].map(str::to_owned).to_vec();
                headings.extend(of.iter().map(|times| times[0].arrangement.clone()));
                Grid::new(&headings)
            });
            let mut cells = vec![std::mem::take(&mut name), ratio.to_string(), routing.to_owned()];
            cells.extend(of.into_iter().map(|times| {
                let (best, worst) = Placements::ends(times);
                format!("{:.1}, {:.1}", best.median, worst.median)
            }));
            grid.row(&cells);
        }
    }
    grid.into_iter().map(Grid::text).collect()
}

/// What the paper states: a row for each number, and for each comparison that our figures do not confirm.
fn stated_tables(experiments: &[&Experiment], known: &KeptResults) -> Vec<String> {
    let mut grid = Grid::new(&["experiment", "the paper", "stated", "ours", "verdict"]);
    let (mut shown, mut confirmed, mut notes) = (0, 0, String::new());
    for experiment in experiments {
        for judged in judge_all(experiment.name, known) {
            let Judged { what, ours, verdict, stated, difference, note, .. } = &judged;
            // Gains follow from the two figures that they compare.
            let is_gain = stated.as_ref().is_some_and(|number| number.ends_with('%'));
            let is_exact = difference.as_deref() == Some("+0") && note.is_none();
            if *verdict == Verdict::Confirmed || is_exact || is_gain && *verdict == Verdict::Within
            {
                confirmed += 1;
                continue;
            }
            shown += 1;
            let stated = stated.as_deref().unwrap_or(NOTHING);
            let ours = match difference {
                _ if *verdict == Verdict::NotRun => NOTHING.to_owned(),
                Some(difference) => format!("{ours} ({difference})"),
                None => ours.clone(),
            };
            grid.row(&[experiment.name, what, stated, &ours, verdict.name()]);
            if let Some(note) = note {
                let line = format!("- {what}: {note}.\n");
                if !notes.contains(&line) {
                    notes.push_str(&line);
                }
            }
        }
    }
    let mut blocks = Vec::new();
    blocks.extend((shown > 0).then(|| grid.text()));
    blocks.extend((!notes.is_empty()).then_some(notes));
    blocks.extend((confirmed > 0).then(|| {
        format!("Statements of the paper that are confirmed, and not shown: {confirmed}.\n")
    }));
    blocks
}

fn others(judged: &Judged) -> String {
    let texts = judged.others.iter().map(|(rules, value)| {
        let heading = rules.heading();
        format!("{}: {value}", heading.strip_prefix("T-UGAL, ").unwrap_or(heading))
    });
    texts.collect::<Vec<_>>().join("; ")
}

fn time(known: &KeptResults) -> String {
    let results = of_page(Page::Reproduction).filter_map(|experiment| known.get(experiment.name));
    let seconds: f64 = results.filter_map(|results| results.processor_seconds).sum();
    format!("All experiments together take {seconds:.0} processor seconds.\n")
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
