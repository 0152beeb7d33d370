//! The first screen of the report: the tables in two sentences, the main figures as tiles, and the saturations as bars.

use super::named_sets::introduced;
use super::subject::Subject;
use super::summary::{certificate, guards_not_held, kinds_in_words, scheme_in_words};
use crate::choose::table::{beside_strongest, compared, percent};
use crate::counted::counted;
use tvlb_chart::bars::{Bar, BarChart, BarGroup};
use tvlb_chart::page::{figure, paragraph, side_by_side};
use tvlb_chart::tiles::{Tile, tiles};
use tvlb_chart::{Ink, escaped};
use tvlb_schema::Decision;
use tvlb_table_set::{ChoiceEntry, ContenderEntry, ContestEntry, Origin, SetEntry};
use tvlb_verify::Extent;

/// With fewer patterns than this, their spread does not estimate a standard error.
const LEAST_PATTERNS: usize = 3;

pub(super) fn head(subject: &Subject<'_>) -> String {
    let df = subject.fabric.topology.dragonfly();
    let mut html = format!(
        "<p class=\"lead\">{}</p>\n",
        escaped(&format!(
            "These are the install-time tables for the {} switches of {}, {}. Each switch \
             boots from its image, and sends a packet by a minimal path (MIN) or by a detour through a third \
             group (VLB) from the sets of paths below.",
            df.switch_count(),
            subject.manifest.fabric.name,
            kinds_in_words(&subject.fabric.topology)
        ))
    );
    let choice = subject.manifest.choice.as_ref();
    let contests = choice.map_or(&[][..], |choice| &choice.contests);
    let mut all = if contests.is_empty() {
        tiles_of_paths(subject, choice)
    } else {
        tiles_of_contests(contests)
    };
    all.push(verified(subject));
    html.push_str(&tiles(&all));
    match choice {
        Some(_) if !contests.is_empty() => {
            let mut beside = String::new();
            for contest in contests.iter().filter(|contest| !contest.holds_guards) {
                beside.push_str(&paragraph(&guards_not_held(contest)));
            }
            beside.push_str(&paragraph(certificate(subject)));
            html.push_str(&side_by_side(&format!("{}<div>\n{beside}</div>\n", bars(contests))));
        }
        Some(choice) if choice.model.is_some() => html.push_str(&paragraph(
            "The sets were chosen by the throughput model and at most some short runs (--fast). The full choice, \
             tvlb generate without --fast, simulates candidates at length and asks all guards.",
        )),
        Some(_) => html.push_str(&paragraph(
            "The fabric is too large to be modelled and nothing was simulated (--fast), so conventional routing \
             is kept.",
        )),
        None => html.push_str(&paragraph(
            "The sets were given by the fabric file or on the command line, so nothing was modelled or \
             simulated; --set auto chooses them.",
        )),
    }
    html.push_str(&introduced(subject));
    if contests.is_empty() {
        html.push_str(&paragraph(certificate(subject)));
    }
    html
}

/// The gain over the strongest conventional routing, and the worst regret on a guard: all on seeds that took no part in
/// the choice.
fn tiles_of_contests(contests: &[ContestEntry]) -> Vec<Tile> {
    let mut all: Vec<Tile> = contests.iter().filter_map(gain).collect();
    let guards = contests.iter().filter_map(|contest| {
        Some((scheme_in_words(&contest.scheme), contest.again.as_ref()?.worst_guard()?))
    });
    let worst = guards.reduce(|one, next| if next.1.worst > one.1.worst { next } else { one });
    if let Some((scheme, worst)) = worst {
        all.push(Tile {
            name: "Worst regret on a guard".to_owned(),
            figure: percent(worst.worst),
            words: format!(
                "of {scheme}, under {} on the worst seed of those that took no part in the choice, {} on their mean: \
                 what it carries less than the best of MIN, conventional VLB and conventional {scheme}",
                worst.traffic,
                percent(worst.mean)
            ),
        });
    }
    all
}

/// How much later one scheme saturates than with the strongest conventional routing.
fn gain(contest: &ContestEntry) -> Option<Tile> {
    let again = contest.again.as_ref()?;
    let (ours, name, before) = beside_strongest(contest, again, |of| Some(of.saturation))?;
    let (typical, name_of_typical, typical_before) =
        beside_strongest(contest, again, |of| of.usual)?;
    Some(Tile {
        name: format!("{} over {name}", scheme_in_words(&contest.scheme)),
        figure: signed(100.0 * (ours / before.max(f64::MIN_POSITIVE) - 1.0)),
        words: format!(
            "saturates at {ours:.3} flits per node and cycle of adversarial traffic, not at {before:.3}; of typical \
             traffic at {typical:.3}, and {name_of_typical} at {typical_before:.3}"
        ),
    })
}

/// "+38%", "−3%", "0%".
fn signed(percent: f64) -> String {
    let sign = match percent.round() {
        rounded if rounded > 0.0 => "+",
        rounded if rounded < 0.0 => "−",
        _ => "",
    };
    format!("{sign}{:.0}%", percent.round().abs())
}

/// Figures of the paths, if nothing was simulated.
fn tiles_of_paths(subject: &Subject<'_>, choice: Option<&ChoiceEntry>) -> Vec<Tile> {
    let entry: &SetEntry = subject.manifest.sets.get(Decision::UgalL);
    let mut all = Vec::new();
    let model = choice.and_then(|choice| choice.model.as_ref());
    let report = subject.modelled;
    if let (Some(model), Some(report)) = (model, report)
        && let Some(first) = model.candidates.first()
        && let Some(figures) = model.figures.iter().find(|figures| figures.set == *first)
    {
        all.push(Tile {
            name: "Modelled throughput".to_owned(),
            figure: format!("{:.3}", figures.throughput),
            words: format!(
                "flits per cycle and node, of demanding traffic between {:.0} nodes; no set exceeds {:.3}, limited by \
                 {}",
                report.demand,
                report.bound,
                report.limits_in_words()
            ),
        });
    }
    let hops = entry.mean_hops.map_or("–".to_owned(), |hops| format!("{hops:.2}"));
    all.push(Tile {
        name: "Hops of a detour".to_owned(),
        figure: hops,
        words: format!(
            "mean of a draw by UGAL-L; {:.1} routes for each pair of switches",
            entry.mean_routes
        ),
    });
    if let Some(balance) = &entry.balance {
        all.push(Tile {
            name: "Busiest global link over the mean".to_owned(),
            figure: format!("{:.2}", balance.after.global),
            words: format!(
                "by the detours of UGAL-L; local links {:.2}, and {:.2} and {:.2} by conventional VLB",
                balance.after.local, balance.conventional.global, balance.conventional.local
            ),
        });
    }
    all
}

fn verified(subject: &Subject<'_>) -> Tile {
    let images = subject.certificate.images;
    let how = match subject.certificate.extent {
        Extent::Exhaustive => "every path of every pair of switches".to_owned(),
        Extent::Sampled { pairs, .. } => {
            format!("every MIN and VLB path, and routes of sets of {}", counted(pairs, "pair"))
        }
    };
    Tile {
        name: "Verified".to_owned(),
        figure: format!("{images} images"),
        words: format!("{} bytes; {how}; no deadlock", subject.certificate.bytes),
    }
}

/// The references and ours, by scheme.
fn bars(contests: &[ContestEntry]) -> String {
    let mut has_errors = false;
    let groups: Vec<BarGroup> = contests
        .iter()
        .map(|contest| {
            let ink = |entry: &ContenderEntry| match entry.origin {
                _ if entry.set == contest.chosen => Ink::Ours,
                Origin::Conventional
                | Origin::ConventionalByChannel
                | Origin::ConventionalAsOurs => Ink::Conventional,
                _ => Ink::Paper,
            };
            let rows = compared(contest, "ours").into_iter();
            let bars: Vec<Bar> =
                rows.filter_map(|(name, entry)| bar(&name, ink(entry), entry)).collect();
            has_errors |= bars.iter().any(|bar| bar.error > 0.0);
            BarGroup { name: scheme_in_words(&contest.scheme), bars }
        })
        .collect();
    let axis = "saturation (flits per node and cycle)".to_owned();
    let title = "saturation by scheme and paths".to_owned();
    let picture = BarChart { title, axis, level: None, groups };
    let patterns = contests.first().map_or(0, |contest| contest.score_baselines.len());
    let whiskers = if has_errors {
        "; whiskers are its standard error over the patterns. All met the same traffic, so differences \
         are more certain than the whiskers show (Step 2)"
    } else {
        ""
    };
    let what = format!(
        "The load up to which each carries adversarial traffic, the mean over {}{whiskers}.",
        counted(patterns as u64, "pattern")
    );
    figure(&picture.svg(), &what)
}

fn bar(name: &str, ink: Ink, entry: &ContenderEntry) -> Option<Bar> {
    let value = entry.mean_saturation?;
    let error = standard_error(&entry.saturations);
    let words = match error {
        Some(error) => format!("{value:.3} ± {error:.3}"),
        None => format!("{value:.3}"),
    };
    let (name, error) = (name.to_owned(), error.unwrap_or(0.0));
    Some(Bar { name, ink, value, error, words, parts: Vec::new() })
}

/// The standard error of a mean, if there are enough values.
fn standard_error(values: &[f64]) -> Option<f64> {
    if values.len() < LEAST_PATTERNS {
        return None;
    }
    let count = f64::from(u32::try_from(values.len()).ok()?);
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_have_a_sign_unless_they_are_none() {
        assert_eq!([38.4, -2.6, 0.3, -0.2].map(signed), ["+38%", "−3%", "0%", "0%"]);
    }

    #[test]
    fn a_standard_error_takes_three_values() {
        assert_eq!(standard_error(&[0.3, 0.4]), None);
        let error = standard_error(&[0.3, 0.4, 0.5]).unwrap();
        assert!((error - 0.1 / 3.0_f64.sqrt()).abs() < 1e-12);
    }
}
