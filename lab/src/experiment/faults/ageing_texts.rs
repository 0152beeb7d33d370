//! Ageing as texts: tables of saturation and latency over the number of dead cables, what choosing again
//! gains, pictures and CSV.

use super::super::grid::Grid;
use super::super::stated::published_name;
use super::paths::Paths;
use super::results::{Ageing, AgeingLine, AgeingPoint};
use std::fmt::Write;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series, Sheet};
use tvlb_generator::counted::with_sign;
use tvlb_simulator::Estimate;

/// The mean latency in cycles above which a run is saturated.
const LIMIT: u32 = 500;

const ALL: [Paths; 4] = [Paths::Conventional, Paths::Paper, Paths::Chosen, Paths::ChosenAgain];

/// What choosing again gains at one point, with the same dead cables.
struct Gain<'g> {
    line: &'g AgeingLine,
    dead: u32,
    old: f64,
    again: f64,
}

impl Ageing {
    /// The traffics and schemes, each once, in the order of the lines.
    fn subjects(&self) -> Vec<(&str, &str)> {
        let mut subjects: Vec<(&str, &str)> = Vec::new();
        for line in &self.lines {
            let subject = (&*line.traffic, &*line.scheme);
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
        subjects
    }

    /// The numbers of dead cables, with the shares that were asked for.
    fn points(&self) -> Vec<(u32, u32)> {
        let line = self.lines.iter().max_by_key(|line| line.points.len());
        let points = line.map_or(&[][..], |line| &line.points);
        points.iter().map(|point| (point.dead, point.thousandths)).collect()
    }

    fn gains(&self) -> Vec<Gain<'_>> {
        let mut gains = Vec::new();
        for line in self.lines.iter().filter(|line| line.paths == Paths::ChosenAgain) {
            let old = self.line(&line.traffic, &line.scheme, Paths::Chosen);
            for point in &line.points {
                let old = old.and_then(|old| old.at(point.dead));
                for again in &point.runs {
                    let of_draw =
                        old.and_then(|old| old.runs.iter().find(|run| run.seed == again.seed));
                    if let Some(old) = of_draw {
                        let (dead, old, again) = (point.dead, old.saturation, again.saturation);
                        gains.push(Gain { line, dead, old, again });
                    }
                }
            }
        }
        gains
    }
}

fn share(ageing: &Ageing, dead: u32) -> String {
    format!(
        "{dead} of {} ({:.1}%)",
        ageing.cables,
        100.0 * f64::from(dead) / f64::from(ageing.cables)
    )
}

fn with_error(Estimate { mean, error }: Estimate, decimals: usize) -> String {
    match error {
        Some(error) => format!("{mean:.decimals$} ± {error:.decimals$}"),
        None => format!("{mean:.decimals$}"),
    }
}

fn saturation(point: &AgeingPoint) -> String {
    with_error(point.saturation(), 3)
}

fn latency(point: &AgeingPoint) -> String {
    point.latency().map_or("saturated".to_owned(), |found| with_error(found, 1))
}

/// A row for each subject and kind of paths, a column for each number of dead cables.
fn grid(ageing: &Ageing, value: fn(&AgeingPoint) -> String) -> String {
    let points = ageing.points();
    let mut headings = vec!["traffic".to_owned(), "scheme".to_owned(), "VLB paths".to_owned()];
    headings.extend(points.iter().map(|&(dead, _)| share(ageing, dead)));
    let mut grid = Grid::new(&headings);
    for (traffic, scheme) in ageing.subjects() {
        for paths in ALL {
            let Some(line) = ageing.line(traffic, scheme, paths) else { continue };
            let mut cells =
                vec![traffic.to_owned(), published_name(scheme, false), paths.heading().to_owned()];
            cells
                .extend(points.iter().map(|&(dead, _)| line.at(dead).map_or(String::new(), value)));
            grid.row(&cells);
        }
    }
    grid.text()
}

/// The tables of a document.
pub(in crate::experiment) fn markdown(ageing: &Ageing) -> Vec<String> {
    let mut again = Grid::new(&[
        "traffic",
        "scheme",
        "dead cables",
        "chosen for the whole fabric",
        "chosen again",
        "gain of choosing again",
        "set chosen again",
    ]);
    for Gain { line, dead, old, again: new } in ageing.gains() {
        let set = line.at(dead).and_then(|point| point.runs.first()).map_or("", |run| &run.set);
        again.row(&[
            line.traffic.clone(),
            published_name(&line.scheme, false),
            share(ageing, dead),
            format!("{old:.3}"),
            format!("{new:.3}"),
            with_sign(new - old, 3),
            format!("`{set}`"),
        ]);
    }
    let Ageing { resolution, draws, cut_pairs, .. } = ageing;
    let cut = match cut_pairs {
        0 => "No draw cuts a pair of switches off.".to_owned(),
        pairs => {
            format!("A draw cuts off up to {pairs} pairs of switches, whose packets are refused.")
        }
    };
    let of_draws = match draws {
        1 => "of one draw of dead cables".to_owned(),
        draws => format!("over {draws} draws of dead cables"),
    };
    let mut blocks = vec![
        format!(
            "Saturation, the last load below a mean latency of 500 cycles in steps of {resolution}; means \
             {of_draws}. {cut}\n"
        ),
        grid(ageing, saturation),
    ];
    if let Some(panel) = &ageing.again {
        let what = format!(
            "Saturations with the sets that `generate` chooses with the {panel} panel for the fabric without \
             its dead cables, those of the first draw.\n"
        );
        blocks.extend([what, again.text(), claim(ageing)]);
    }
    blocks
}

/// By how much the old choice is worse, and from where on choosing again pays.
fn claim(ageing: &Ageing) -> String {
    let gains = ageing.gains();
    let Some(most) = gains.iter().map(|gain| gain.dead).max() else {
        return "No sets were chosen again.\n".to_owned();
    };
    let change = |gain: &&Gain<'_>| gain.again - gain.old;
    let largest = gains.iter().max_by(|one, other| change(one).total_cmp(&change(other)));
    let paying: Vec<&Gain<'_>> =
        gains.iter().filter(|gain| gain.again - gain.old > 2.0 * ageing.resolution).collect();
    let mut text = match largest {
        Some(gain) if gain.again > gain.old => format!(
            "The largest gain of choosing again is {:.3}, for {} under {} with {} cables dead.",
            gain.again - gain.old,
            published_name(&gain.line.scheme, false),
            gain.line.traffic,
            gain.dead
        ),
        _ => format!("With up to {most} cables dead, choosing again gains nothing."),
    };
    let _ = match paying.iter().map(|gain| gain.dead).min() {
        Some(dead) => write!(
            text,
            " It exceeds two steps of the search in {} of {} comparisons, from {dead} dead cables on.",
            paying.len(),
            gains.len()
        ),
        None => write!(
            text,
            " No gain exceeds two steps of the search, in {} comparisons.",
            gains.len()
        ),
    };
    text.push('\n');
    text
}

/// Lines for the terminal.
pub(super) fn words(ageing: &Ageing) -> String {
    let mut text = String::new();
    for line in &ageing.lines {
        let points = line.points.iter().map(|point| {
            format!("{} dead {} (latency {})", point.dead, saturation(point), latency(point))
        });
        let _ = writeln!(
            text,
            "  {}, {}, {}: saturates (mean latency above {LIMIT} cycles) with {}",
            line.traffic,
            published_name(&line.scheme, false),
            line.paths.heading(),
            points.collect::<Vec<_>>().join(", ")
        );
    }
    if ageing.again.is_some() {
        let _ = write!(text, "  {}", claim(ageing));
    }
    text
}

/// A row for each run.
pub(super) fn csv(ageing: &Ageing) -> String {
    let mut text =
        "traffic,scheme,paths,dead,seed,set,changed-images,saturation,latency,latency-limit\n"
            .to_owned();
    for AgeingLine { traffic, scheme, paths, points } in &ageing.lines {
        for point in points {
            for run in &point.runs {
                let latency = run.latency.map_or(String::new(), |latency| latency.to_string());
                let _ = writeln!(
                    text,
                    "\"{traffic}\",{scheme},{},{},{},\"{}\",{},{},{latency},{LIMIT}",
                    paths.name(),
                    point.dead,
                    run.seed,
                    run.set,
                    run.changed_images,
                    run.saturation
                );
            }
        }
    }
    text
}

/// A picture for each traffic: saturation and latency over the share of dead cables.
pub(super) fn pictures(ageing: &Ageing) -> Vec<(String, String)> {
    let mut pictures: Vec<(String, String)> = Vec::new();
    let [p, a, h, g] = ageing.dragonfly;
    for (traffic, _) in ageing.subjects() {
        let stem = traffic.split('(').next().unwrap_or(traffic).to_owned();
        if pictures.iter().any(|(name, _)| *name == stem) {
            continue;
        }
        let lines: Vec<&AgeingLine> =
            ageing.lines.iter().filter(|line| line.traffic == traffic).collect();
        let heading = format!("dfly({p},{a},{h},{g}), {traffic}: cables between groups die");
        let plots = [
            plot(ageing, "saturation (flits per node and cycle)", &lines, |point| {
                Some(point.saturation())
            }),
            plot(ageing, &format!("mean latency at {} (cycles)", ageing.load), &lines, |point| {
                point.latency()
            }),
        ];
        let subtitle = format!("saturation: the mean latency passes {LIMIT} cycles");
        let sheet = Sheet { subtitle, ..Sheet::new(heading, plots.to_vec()) };
        pictures.push((stem, sheet.svg()));
    }
    pictures
}

fn plot(
    ageing: &Ageing,
    what: &str,
    lines: &[&AgeingLine],
    value: fn(&AgeingPoint) -> Option<Estimate>,
) -> Plot {
    let percent = |dead: u32| 100.0 * f64::from(dead) / f64::from(ageing.cables);
    let series = lines.iter().enumerate().map(|(number, line)| {
        let name = format!("{}, {}", published_name(&line.scheme, false), line.paths.heading());
        let marks = line.points.iter().map(|point| {
            let found = value(point);
            let (mean, error) =
                found.map_or((0.0, 0.0), |found| (found.mean, found.error.unwrap_or_default()));
            let hover = format!("{name}: {mean:.3} with {} cables dead", point.dead);
            Mark::new(percent(point.dead), found.map(|found| found.mean), hover).with_error(error)
        });
        Series { marks: marks.collect(), name, ink: Ink::nth(number), joined: true }
    });
    let series: Vec<Series> = series.collect();
    let marks = || series.iter().flat_map(|series| &series.marks);
    let most = marks().filter_map(|mark| mark.y).fold(0.0, f64::max);
    let last = marks().map(|mark| mark.x).fold(0.0, f64::max);
    Plot {
        title: what.to_owned(),
        x: Axis::new("dead cables between groups (percent)", 0.0, last),
        y: Axis::new(what, 0.0, most),
        level: None,
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::super::results::AgeingRun;
    use super::*;
    use tvlb_firmware_model::VlbPaths;
    use tvlb_simulator::{Scheme, Settings};

    fn ageing(again: f64) -> Ageing {
        let run = |seed, saturation| AgeingRun {
            seed,
            set: "shapes:011".to_owned(),
            changed_images: 3,
            saturation,
            latency: Some(50.0 + saturation),
        };
        let point = |thousandths, dead, runs| AgeingPoint { thousandths, dead, runs };
        let line = |paths, points| AgeingLine {
            traffic: "shift(2,0)".to_owned(),
            scheme: "par".to_owned(),
            paths,
            points,
        };
        let old = vec![
            point(0, 0, vec![run(1, 0.4)]),
            point(50, 8, vec![run(1, 0.3), run(2, 0.34), run(3, 0.32)]),
        ];
        Ageing {
            dragonfly: [4, 8, 4, 9],
            cables: 144,
            draws: 3,
            resolution: 0.005,
            load: 0.1,
            cut_pairs: 0,
            again: Some("standard".to_owned()),
            lines: vec![
                line(Paths::Chosen, old),
                line(Paths::ChosenAgain, vec![point(50, 8, vec![run(1, again)])]),
            ],
        }
    }

    #[test]
    fn the_old_choice_is_held_against_the_new_one_with_the_same_dead_cables() {
        let tables = markdown(&ageing(0.35)).join("\n");
        let row =
            "| shift(2,0) | PAR | our sets, chosen for the whole fabric | 0.400 | 0.320 ± 0.012 |";
        assert!(tables.contains(row), "{tables}");
        assert!(
            tables.contains("| 8 of 144 (5.6%) | 0.300 | 0.350 | +0.050 | `shapes:011` |"),
            "{tables}"
        );
        assert!(
            tables.contains(
                "largest gain of choosing again is 0.050, for PAR under shift(2,0) with 8"
            )
        );
        assert!(tables.contains("in 1 of 1 comparisons, from 8 dead cables on"), "{tables}");
        let none = markdown(&ageing(0.3)).join("\n");
        assert!(none.contains("With up to 8 cables dead, choosing again gains nothing."), "{none}");
        assert!(
            none.contains("No gain exceeds two steps of the search, in 1 comparisons."),
            "{none}"
        );
    }

    /// A saturation is one by a criterion, in the words of other commands.
    #[test]
    fn the_criterion_of_saturations_is_said() {
        let default = Settings::new(Scheme::Par, VlbPaths::Custom).latency_limit_cycles;
        assert_eq!(LIMIT, default);
        let ageing = ageing(0.35);
        let said = words(&ageing);
        assert!(
            said.contains(": saturates (mean latency above 500 cycles) with 0 dead 0.400"),
            "{said}"
        );
        assert!(csv(&ageing).lines().skip(1).all(|line| line.ends_with(",500")));
        assert!(
            pictures(&ageing)[0].1.contains(">saturation: the mean latency passes 500 cycles<")
        );
    }

    #[test]
    fn every_run_has_a_row_and_every_traffic_a_picture() {
        let ageing = ageing(0.35);
        assert_eq!(csv(&ageing).lines().count(), 6);
        let pictures = pictures(&ageing);
        assert_eq!(pictures.len(), 1);
        assert_eq!(pictures[0].0, "shift");
        assert!(pictures[0].1.contains("PAR, our sets, chosen again"));
        for title in ["saturation (flits per node and cycle)", "mean latency at 0.1 (cycles)"] {
            assert!(pictures[0].1.contains(&format!("class=\"panel\">{title}</text>")), "{title}");
        }
    }
}
