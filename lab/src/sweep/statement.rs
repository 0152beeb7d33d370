//! Statements of a paper, as data of a study file, compared with the measured rows.

use super::lists::OneOrSeveral;
use super::rows::Rows;
use super::select::{Figure, Where, grouped};
use super::verdict::{JudgedStatement, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use tvlb_generator::counted::with_sign;

/// How far a figure may be from the paper's, and two figures that are called similar from each other.
const TOLERANCE: f64 = 0.05;

/// The most figures that are listed; of more, the ends are named.
const MOST_LISTED: usize = 5;

/// The rows of studies, by their names.
pub type Known = BTreeMap<String, Rows>;

/// One number or one comparison.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Statement {
    /// Its place in the paper.
    place: String,
    /// The statement, in words.
    what: String,
    /// The claim that decides it; of several each must hold.
    claim: OneOrSeveral<StatedClaim>,
    /// A remark about it.
    note: Option<String>,
}

/// A claim. Figures that agree in the columns of `by` are compared; each pair must hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
enum StatedClaim {
    /// A figure is within 5% of a number; of a gain, its ratio is.
    Number {
        of: FigureSelection,
        is: f64,
        unit: FigureUnit,
    },
    /// One figure is below another; or, with `never`, in no pair.
    Below {
        less: FigureSelection,
        more: FigureSelection,
        #[serde(default)]
        by: Vec<String>,
        #[serde(default)]
        never: bool,
    },
    /// A figure is at least each of some others, which differ in `by`.
    AtLeast {
        of: FigureSelection,
        than: FigureSelection,
        by: Vec<String>,
    },
    /// Figures lie within 5% of others.
    Similar {
        of: FigureSelection,
        to: FigureSelection,
        #[serde(default)]
        by: Vec<String>,
    },
    /// The largest of some figures is more than 5% above the least.
    Varies {
        of: FigureSelection,
        by: Vec<String>,
    },
    /// Figures rise, in the order of the rows.
    Rises {
        of: FigureSelection,
        by: Vec<String>,
    },
    Falls {
        of: FigureSelection,
        by: Vec<String>,
    },
    /// All figures lie in a range, its ends included.
    Within {
        of: FigureSelection,
        least: f64,
        most: f64,
        by: Vec<String>,
    },
    /// No study decides it.
    NotChecked {
        why: String,
    },
}

/// Which figure of which rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct FigureSelection {
    /// The study, if it is another one.
    study: Option<String>,
    figure: Figure,
    #[serde(default, rename = "where")]
    asked: Where,
    /// If given: by how much the figure exceeds that of the rows with these cells instead, in percent of the latter.
    over: Option<Where>,
    /// Whether that is a difference in hundredths instead.
    #[serde(default)]
    points: bool,
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FigureUnit {
    /// A mean latency.
    Cycles,
    /// A load, in flits per node and cycle.
    Load,
    /// A gain.
    Percent,
    /// A fraction of a link.
    Throughput,
    /// A whole number.
    Count,
}

impl FigureUnit {
    fn text(self, value: f64) -> String {
        match self {
            Self::Cycles => format!("{value:.1}"),
            Self::Load => format!("{value:.2}"),
            Self::Percent => format!("{value:.1}%"),
            Self::Throughput => format!("{value:.4}"),
            Self::Count => format!("{value:.0}"),
        }
    }

    /// The difference in words, and whether it is within the tolerance. A gain is a ratio of two figures, so
    /// it is that ratio which may differ by the tolerance.
    fn compare(self, ours: f64, stated: f64) -> (String, bool) {
        let difference = ours / stated - 1.0;
        let (text, difference) = match self {
            Self::Percent => {
                let points = format!("{} points", with_sign(ours - stated, 1));
                (points, (100.0 + ours) / (100.0 + stated) - 1.0)
            }
            Self::Count => (with_sign(ours - stated, 0), difference),
            _ => (format!("{}%", with_sign(100.0 * difference, 1)), difference),
        };
        (text, difference.abs() <= TOLERANCE + 1e-9)
    }
}

/// The basis of a decision: our figures in words, the difference to a stated number, and the verdict.
type Decided = (String, Option<String>, Verdict);

impl Statement {
    /// The columns of a study's rows that the statement needs.
    pub(super) fn needs(&self) -> impl Iterator<Item = String> {
        let of_claim = |claim: &StatedClaim| {
            let (selections, by) = claim.parts();
            let of = |selection: &&FigureSelection| {
                let cells =
                    selection.asked.keys().chain(selection.over.iter().flat_map(BTreeMap::keys));
                cells.cloned().chain([selection.figure.column.clone()]).collect::<Vec<_>>()
            };
            selections.iter().flat_map(of).chain(by.iter().cloned()).collect::<Vec<_>>()
        };
        self.claim.0.iter().flat_map(of_claim).collect::<Vec<_>>().into_iter()
    }

    /// Compares the statement of a study with known rows.
    pub(super) fn judge(&self, study: &str, known: &Known) -> JudgedStatement {
        let decided: Vec<Decided> =
            self.claim.0.iter().map(|claim| claim.decide(study, known)).collect();
        let verdict = decided.iter().map(|(.., verdict)| *verdict).max();
        let ours: Vec<&str> = decided.iter().map(|(ours, ..)| ours.as_str()).collect();
        let stated = self.claim.0.iter().find_map(|claim| match claim {
            // The paper gives two digits of a throughput.
            StatedClaim::Number { is, unit: FigureUnit::Throughput, .. } => {
                Some(format!("{is:.2}"))
            }
            StatedClaim::Number { is, unit, .. } => Some(unit.text(*is)),
            _ => None,
        });
        JudgedStatement {
            place: self.place.clone(),
            what: self.what.clone(),
            stated,
            ours: ours.join("; "),
            difference: decided.iter().find_map(|(_, difference, _)| difference.clone()),
            verdict: verdict.unwrap_or(Verdict::NotChecked),
            note: self.note.clone(),
        }
    }
}

impl FigureSelection {
    /// The figures by the columns in which they agree. `Err` names the study that has not been run.
    fn figures(
        &self,
        study: &str,
        known: &Known,
        by: &[String],
    ) -> Result<Vec<(String, f64)>, String> {
        let name = self.study.as_deref().unwrap_or(study);
        let rows = known.get(name).ok_or_else(|| format!("{name} has not been run"))?;
        let of = |asked: &Where| -> Vec<(String, f64)> {
            let figure = |(key, found): (Vec<&str>, Vec<&Vec<String>>)| {
                Some((key.join(", "), self.figure.of(rows, &found)?.mean))
            };
            grouped(rows, asked, by).into_iter().filter_map(figure).collect()
        };
        let found = of(&self.asked);
        let Some(over) = &self.over else { return Ok(found) };
        let mut asked = self.asked.clone();
        asked.extend(over.clone());
        let base: BTreeMap<String, f64> = of(&asked).into_iter().collect();
        let gain = |(key, value): (String, f64)| {
            let base = base.get(&key)?;
            let excess = if self.points { value - base } else { value / base - 1.0 };
            Some((key, 100.0 * excess))
        };
        Ok(found.into_iter().filter_map(gain).collect())
    }

    /// A figure in words.
    fn text(&self, value: f64) -> String {
        match self.figure.column.as_str() {
            _ if self.over.is_some() => {
                let unit = if self.points { " points" } else { "%" };
                format!("{}{unit}", with_sign(value, 1))
            }
            "saturation" => format!("{value:.2}"),
            "latency" => format!("{value:.1}"),
            _ => format!("{value:.4}"),
        }
    }
}

impl StatedClaim {
    /// Its selections, and the columns in which its figures agree.
    fn parts(&self) -> (Vec<&FigureSelection>, &[String]) {
        match self {
            Self::Number { of, .. } => (vec![of], &[]),
            Self::Below { less, more, by, .. } => (vec![less, more], by),
            Self::AtLeast { of, than: to, by } | Self::Similar { of, to, by } => (vec![of, to], by),
            Self::Varies { of, by }
            | Self::Rises { of, by }
            | Self::Falls { of, by }
            | Self::Within { of, by, .. } => (vec![of], by),
            Self::NotChecked { .. } => (Vec::new(), &[]),
        }
    }

    fn decide(&self, study: &str, known: &Known) -> Decided {
        if let Self::NotChecked { why } = self {
            return (why.clone(), None, Verdict::NotChecked);
        }
        let (selections, by) = self.parts();
        let figures: Result<Vec<_>, String> =
            selections.iter().map(|one| one.figures(study, known, by)).collect();
        let figures = match figures {
            Ok(figures) => figures,
            Err(missing) => return (missing, None, Verdict::NotRun),
        };
        if let Self::Number { is, unit, .. } = self {
            let Some((_, ours)) = figures[0].first() else {
                return ("saturated, or not among the runs".to_owned(), None, Verdict::Outside);
            };
            let (difference, is_within) = unit.compare(*ours, *is);
            let verdict = if is_within { Verdict::Within } else { Verdict::Outside };
            return (unit.text(*ours), Some(difference), verdict);
        }
        match self.holds(&selections, &figures) {
            (Some(holds), ours) => {
                (ours, None, if holds { Verdict::Confirmed } else { Verdict::Refuted })
            }
            (None, ours) => (ours, None, Verdict::NotRun),
        }
    }

    /// Whether a comparison holds, with the figures for it; `None` if the rows do not tell.
    fn holds(
        &self,
        of: &[&FigureSelection],
        figures: &[Vec<(String, f64)>],
    ) -> (Option<bool>, String) {
        let first = &figures[0];
        if figures.iter().any(Vec::is_empty) {
            return (None, "no run that was made says".to_owned());
        }
        let listed = || {
            let one = |(key, value): &(String, f64)| format!("{key} {}", of[0].text(*value));
            if first.len() <= MOST_LISTED {
                return first.iter().map(one).collect::<Vec<_>>().join(", ");
            }
            let least = first.iter().min_by(|one, other| one.1.total_cmp(&other.1));
            let most = first.iter().max_by(|one, other| one.1.total_cmp(&other.1));
            let ends: Vec<String> = least.into_iter().chain(most).map(one).collect();
            format!("{} figures from {}", first.len(), ends.join(" to "))
        };
        let rises = |sign: f64| first.windows(2).all(|pair| sign * pair[0].1 < sign * pair[1].1);
        let several = |holds: bool| ((first.len() > 1).then_some(holds), listed());
        match self {
            Self::Below { never, .. } => pairs(of, figures, |one, other| (one < other) != *never),
            Self::Similar { .. } => {
                pairs(of, figures, |one, other| (one / other - 1.0).abs() <= TOLERANCE)
            }
            Self::AtLeast { .. } => {
                let most = figures[1].iter().map(|(_, value)| *value).fold(f64::MIN, f64::max);
                let (own, most_text) = (first[0].1, of[1].text(most));
                let text = format!("{}; the largest is {most_text}", of[0].text(own));
                (Some(own >= most), text)
            }
            Self::Varies { .. } => {
                let most = first.iter().map(|(_, value)| *value).fold(f64::MIN, f64::max);
                let least = first.iter().map(|(_, value)| *value).fold(f64::MAX, f64::min);
                several(most > least * (1.0 + TOLERANCE))
            }
            Self::Rises { .. } => several(rises(1.0)),
            Self::Falls { .. } => several(rises(-1.0)),
            Self::Within { least, most, .. } => {
                (Some(first.iter().all(|(_, value)| (*least..=*most).contains(value))), listed())
            }
            Self::Number { .. } | Self::NotChecked { .. } => (None, String::new()),
        }
    }
}

/// Holds each figure of the first selection against that of the second with the same key. The words name up to
/// three pairs, and those that do not hold before the others.
fn pairs(
    of: &[&FigureSelection],
    figures: &[Vec<(String, f64)>],
    holds: impl Fn(f64, f64) -> bool,
) -> (Option<bool>, String) {
    let mut found: Vec<(&str, f64, f64, bool)> = Vec::new();
    for (key, one) in &figures[0] {
        for (_, other) in figures[1].iter().filter(|(other, _)| other == key) {
            found.push((key, *one, *other, holds(*one, *other)));
        }
    }
    if found.is_empty() {
        return (None, "at no load that was run are both below saturation".to_owned());
    }
    let all = found.iter().all(|&(.., holds)| holds);
    found.sort_by_key(|&(.., holds)| holds);
    let mut text = String::new();
    for (key, one, other, _) in found.iter().take(3) {
        let (lead, colon) =
            (if text.is_empty() { "" } else { "; " }, if key.is_empty() { "" } else { ": " });
        let (one, other) = (of[0].text(*one), of[1].text(*other));
        let _ = write!(text, "{lead}{key}{colon}{one} and {other}");
    }
    if found.len() > 3 {
        let _ = write!(text, "; and {} more", found.len() - 3);
    }
    (Some(all), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "scheme,paths,variant,load,latency,saturated\n\
        ugal-l,all,8,0.1,57,false\nugal-l,all,8,0.2,70,false\nugal-l,all,8,0.3,800,true\n\
        ugal-l,few,8,0.1,52,false\nugal-l,few,8,0.2,55,false\nugal-l,few,8,0.3,90,false\n\
        ugal-l,all,16,0.1,57,false\nugal-l,few,16,0.1,57,false\n";

    fn judged(claim: &str) -> (Verdict, String) {
        let known = Known::from([("fig6".to_owned(), Rows::parse(ROWS).unwrap())]);
        let text = format!("place = \"4.3\"\nwhat = \"it\"\n{claim}\n");
        let statement: Statement = toml::from_str(&text).unwrap();
        let judged = statement.judge("fig6", &known);
        (judged.verdict, judged.ours)
    }

    #[test]
    fn a_number_is_within_five_percent_or_not() {
        let of = "of = { figure = \"saturation\", where = { paths = \"few\", variant = 8 } }";
        let number =
            |is: f64| judged(&format!("claim.number = {{ {of}, is = {is}, unit = \"load\" }}"));
        assert_eq!(number(0.30), (Verdict::Within, "0.30".to_owned()));
        assert_eq!(number(0.315).0, Verdict::Within);
        assert_eq!(number(0.32).0, Verdict::Outside);
        let gain = |is: f64| {
            judged(&format!(
                "claim.number = {{ of = {{ figure = \"saturation\", where = {{ paths = \"few\", variant = 8 }}, \
                 over = {{ paths = \"all\" }} }}, is = {is}, unit = \"percent\" }}"
            ))
        };
        assert_eq!(gain(50.0), (Verdict::Within, "50.0%".to_owned()));
        assert_eq!(gain(57.0).0, Verdict::Within);
        assert_eq!(gain(58.0).0, Verdict::Outside);
    }

    #[test]
    fn a_gain_is_a_share_or_points() {
        let of = "figure = \"saturation\", where = { paths = \"few\", variant = 8 }, over = { paths = \"all\" }";
        let within = |more: &str| {
            judged(&format!(
                "claim.within = {{ of = {{ {of}{more} }}, by = [], least = 9, most = 11 }}"
            ))
        };
        assert_eq!(within(""), (Verdict::Refuted, " +50.0%".to_owned()));
        assert_eq!(within(", points = true"), (Verdict::Confirmed, " +10.0 points".to_owned()));
    }

    #[test]
    fn a_latency_above_saturation_is_not_a_number() {
        let found = judged(
            "claim.number = { of = { figure = \"latency\", where = { paths = \"all\", variant = 8, load = 0.3, \
             saturated = false } }, is = 800, unit = \"cycles\" }",
        );
        assert_eq!(found, (Verdict::Outside, "saturated, or not among the runs".to_owned()));
    }

    fn below(figure: &str, by: &str, more: &str) -> (Verdict, String) {
        judged(&format!(
            "claim.below = {{ less = {{ figure = \"{figure}\", where = {{ paths = \"few\", saturated = false{more} }} }}, \
             more = {{ figure = \"{figure}\", where = {{ paths = \"all\", saturated = false{more} }} }}, by = {by} }}"
        ))
    }

    #[test]
    fn comparisons_hold_for_every_pair_or_not() {
        let by = "[\"variant\", \"load\"]";
        let (verdict, text) = below("latency", by, "");
        assert_eq!(verdict, Verdict::Refuted);
        // The pair that does not hold comes first.
        assert!(text.starts_with("16, 0.1: 57.0 and 57.0; "), "{text}");
        let found = below("latency", by, ", variant = 8");
        let expected = "8, 0.1: 52.0 and 57.0; 8, 0.2: 55.0 and 70.0";
        assert_eq!(found, (Verdict::Confirmed, expected.to_owned()));
        assert_eq!(below("latency", by, ", variant = 9").0, Verdict::NotRun);
    }

    #[test]
    fn all_other_claims() {
        let few = "of = { figure = \"latency\", where = { paths = \"few\", variant = 8 } }";
        let all = "{ figure = \"latency\", where = { paths = \"all\", variant = 8 } }";
        for (claim, expected) in [
            (format!("rises = {{ {few}, by = [\"load\"] }}"), Verdict::Confirmed),
            (format!("falls = {{ {few}, by = [\"load\"] }}"), Verdict::Refuted),
            (format!("rises = {{ {few}, by = [\"variant\"] }}"), Verdict::NotRun),
            (format!("varies = {{ {few}, by = [\"load\"] }}"), Verdict::Confirmed),
            (
                format!("within = {{ {few}, by = [\"load\"], least = 52, most = 90 }}"),
                Verdict::Confirmed,
            ),
            (
                format!("within = {{ {few}, by = [\"load\"], least = 53, most = 90 }}"),
                Verdict::Refuted,
            ),
            (format!("at-least = {{ {few}, than = {all}, by = [\"load\"] }}"), Verdict::Refuted),
            (format!("similar = {{ {few}, to = {all}, by = [\"load\"] }}"), Verdict::Refuted),
            ("not-checked = { why = \"so\" }".to_owned(), Verdict::NotChecked),
        ] {
            assert_eq!(judged(&format!("claim.{claim}")).0, expected, "{claim}");
        }
        let two = format!(
            "claim = [{{ rises = {{ {few}, by = [\"load\"] }} }}, {{ falls = {{ {few}, by = [\"load\"] }} }}]"
        );
        assert_eq!(judged(&two).0, Verdict::Refuted);
    }

    #[test]
    fn another_study_decides_only_if_it_was_run() {
        let found = judged(
            "claim.within = { of = { study = \"fig8\", figure = \"latency\" }, by = [], least = 0, most = 1 }",
        );
        assert_eq!(found, (Verdict::NotRun, "fig8 has not been run".to_owned()));
    }
}
