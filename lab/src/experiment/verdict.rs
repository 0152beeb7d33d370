//! What the paper states, held against what was found.

mod imbalance;

use super::kept_results::KeptResults;
use super::results::{Curves, Line, Model, Results};
use super::rules::Rules;
use super::stated::{Claim, Counted, Other, Stated, of, published_name};
use super::statement::{TOLERANCE, Unit};
use serde::Serialize;
use std::fmt::Write;

/// What came of one statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Our figure lies within 5% of the stated one.
    Within,
    /// It does not.
    Outside,
    /// Our figures show what the comparison states.
    Confirmed,
    /// Our figures show something else.
    Refuted,
    /// An experiment that decides it has not been run.
    NotRun,
    /// No experiment decides it.
    NotChecked,
}

impl Verdict {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 6] = [
        Self::Within,
        Self::Outside,
        Self::Confirmed,
        Self::Refuted,
        Self::NotRun,
        Self::NotChecked,
    ];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Within => "within 5%",
            Self::Outside => "not within 5%",
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::NotRun => "not run",
            Self::NotChecked => "not checked",
        }
    }

    const fn of_comparison(holds: bool) -> Self {
        if holds { Self::Confirmed } else { Self::Refuted }
    }
}

/// One statement of the paper beside our figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Judged {
    /// The section of the paper, and where in it.
    pub place: String,
    /// What is stated, in words.
    pub what: String,
    /// The stated number; a comparison has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated: Option<String>,
    /// Our figure by the authors' rules, or the figures that decide a comparison.
    pub ours: String,
    /// How far our figure lies from the stated one: a fraction of it, or percentage points of a gain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
    pub verdict: Verdict,
    /// The figure by other rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<(Rules, String)>,
    /// What is to be known about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The statements that an experiment decides, held against the results that there are.
pub(super) fn judge_all(experiment: &str, known: &KeptResults) -> Vec<Judged> {
    of(experiment).map(|stated| judge(stated, known)).collect()
}

/// The outcome of holding one statement against figures.
struct Found {
    ours: String,
    difference: Option<String>,
    verdict: Verdict,
    note: Option<String>,
}

impl Found {
    fn comparison(holds: bool, ours: String) -> Self {
        Self { ours, difference: None, verdict: Verdict::of_comparison(holds), note: None }
    }

    /// Two lines cannot be compared.
    fn no_load(variant: &str) -> Self {
        let space = if variant.is_empty() { "" } else { ": " };
        let ours = format!("{variant}{space}at no load that was run are both below saturation");
        Self { ours, ..Self::not_run("") }
    }

    fn not_run(experiment: &str) -> Self {
        let ours = format!("{experiment} has not been run");
        Self { ours, difference: None, verdict: Verdict::NotRun, note: None }
    }
}

/// A stated number and ours, in a unit of their own.
struct Numbers {
    stated: f64,
    ours: Option<f64>,
    unit: Unit,
}

impl Numbers {
    fn found(&self) -> Found {
        let Some(ours) = self.ours else {
            let ours = "saturated".to_owned();
            return Found { ours, difference: None, verdict: Verdict::Outside, note: None };
        };
        let (difference, is_within) = self.unit.compare(ours, self.stated);
        Found {
            ours: self.unit.text(ours),
            difference: Some(difference),
            verdict: if is_within { Verdict::Within } else { Verdict::Outside },
            note: None,
        }
    }
}

/// Holds one statement against the results that there are.
pub(super) fn judge(stated: &Stated, known: &KeptResults) -> Judged {
    let mut others = Vec::new();
    let found = match known.get(&stated.experiment) {
        None if !matches!(stated.claim, Claim::NotChecked { .. }) => {
            Found::not_run(&stated.experiment)
        }
        results => decide(stated, results, known, &mut others),
    };
    let notes: Vec<String> = [found.note, stated.note.clone()].into_iter().flatten().collect();
    Judged {
        place: format!("{}, {}", stated.section, stated.place),
        what: stated.what(),
        stated: stated.number(),
        ours: found.ours,
        difference: found.difference,
        verdict: found.verdict,
        others,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}

fn decide(
    stated: &Stated,
    results: Option<&Results>,
    known: &KeptResults,
    others: &mut Vec<(Rules, String)>,
) -> Found {
    if let Claim::NotChecked { why, .. } = &stated.claim {
        let ours = why.clone();
        return Found { ours, difference: None, verdict: Verdict::NotChecked, note: None };
    }
    let Some(results) = results else { return Found::not_run(&stated.experiment) };
    let found = if let Some(model) = results.model() {
        of_model(&stated.claim, model)
    } else if let Some(curves) = results.curves() {
        of_curves(stated, curves, known, others)
    } else if let Some(found) = results.carried() {
        imbalance::decide(&stated.claim, &found).map(|(holds, ours)| match holds {
            Some(holds) => Found::comparison(holds, ours),
            None => Found { ours, ..Found::not_run("") },
        })
    } else {
        of_fabrics(stated, results)
    };
    // Results of the same version have all that the list asks for; kept ones may be older.
    found.unwrap_or_else(|| Found {
        ours: format!("the kept results of {} lack it", stated.experiment),
        ..Found::not_run(&stated.experiment)
    })
}

fn of_model(claim: &Claim, model: &Model) -> Option<Found> {
    let throughput = |name: &str| {
        let set = model.sets.iter().find(|set| set.set == name)?;
        Some(set.throughput)
    };
    match claim {
        Claim::Throughput { set, of_link } => {
            let ours = Some(throughput(set)?);
            let mut found = Numbers { stated: *of_link, ours, unit: Unit::Throughput }.found();
            // The bound is proven, so a larger number than it, rounded, cannot be right.
            if *of_link > model.bound + 0.005 {
                let bound = model.bound;
                found.note = Some(format!(
                    "the stated number is above {bound:.4}, which is proven to be the bound of every set"
                ));
            }
            Some(found)
        }
        Claim::Largest { set } => {
            let own = model.sets.iter().find(|one| one.set == *set)?;
            let best = model.sets.iter().max_by(|a, b| a.throughput.total_cmp(&b.throughput))?;
            // What is proven decides, so that the last digits of a solver do not.
            let holds = own.upper >= best.lower;
            let ours = format!(
                "{set} {:.4}; the largest is {:.4}, of {}",
                own.throughput, best.throughput, best.set
            );
            Some(Found::comparison(holds, ours))
        }
        Claim::Similar { set, sets } => {
            let own = throughput(set)?;
            let mut ours = format!("{set} {own:.4}");
            let mut holds = true;
            for other in sets {
                let value = throughput(other)?;
                holds &= (value / own - 1.0).abs() <= TOLERANCE;
                let _ = write!(ours, ", {other} {value:.4}");
            }
            Some(Found::comparison(holds, ours))
        }
        _ => None,
    }
}

fn of_fabrics(stated: &Stated, results: &Results) -> Option<Found> {
    let super::results::Figures::Fabrics { rows } = &results.figures else { return None };
    let Claim::Count { what, number } = stated.claim else { return None };
    let groups: u32 = stated.variant.as_deref()?.parse().ok()?;
    let row = rows.iter().find(|row| row.dragonfly[3] == groups)?;
    let [p, a, h, g] = row.dragonfly;
    let ours = match what {
        Counted::Nodes => row.nodes,
        Counted::Switches => row.switches,
        Counted::Groups => g,
        Counted::LinksPerPair => u32::try_from(row.links_per_pair[1]).ok()?,
        Counted::Ports => p + a - 1 + h,
    };
    let numbers = Numbers { stated: number.into(), ours: Some(ours.into()), unit: Unit::Count };
    Some(numbers.found())
}

/// The two lines that a comparison of T-UGAL with its counterpart is about.
fn pair<'c>(curves: &'c Curves, scheme: &str, variant: &str) -> Option<[&'c Line; 2]> {
    let of = |t_ugal| curves.line(scheme, variant, Rules::of_the_paper(scheme, t_ugal));
    Some([of(false)?, of(true)?])
}

/// By how much one number exceeds another, in percent of the latter.
fn gain(more: f64, less: f64) -> f64 {
    100.0 * (more / less - 1.0)
}

fn of_curves(
    stated: &Stated,
    curves: &Curves,
    known: &KeptResults,
    others: &mut Vec<(Rules, String)>,
) -> Option<Found> {
    let scheme = stated.scheme.as_deref()?;
    if stated.claim.is_number() {
        return number_of_curves(stated, curves, scheme, others);
    }
    if let Some(other) = stated.claim.other() {
        return against_other(stated, curves, other, known);
    }
    match &stated.claim {
        Claim::VariantBelow { less, more } => {
            let rules = Rules::of_the_paper(scheme, stated.t_ugal);
            let [one, two] = [less, more].map(|variant| curves.line(scheme, variant, rules));
            let (one, two) = (one?.saturation, two?.saturation);
            let ours = format!("{less} {one:.2}, {more} {two:.2}");
            Some(Found::comparison(one < two, ours))
        }
        Claim::VariantsMatter => {
            let rules = Rules::of_the_paper(scheme, stated.t_ugal);
            let of_rules = curves.lines.iter().filter(|l| l.scheme == scheme && l.rules == rules);
            let found: Vec<(&str, f64)> =
                of_rules.map(|line| (&*line.variant, line.saturation)).collect();
            let most = found.iter().map(|(_, load)| *load).fold(0.0, f64::max);
            let least = found.iter().map(|(_, load)| *load).fold(1.0, f64::min);
            let texts = found.iter().map(|(variant, load)| format!("{variant} {load:.2}"));
            let ours = texts.collect::<Vec<_>>().join(", ");
            Some(Found::comparison(most > least * (1.0 + TOLERANCE), ours))
        }
        claim => in_every_variant(claim, curves, scheme),
    }
}

fn number_of_curves(
    stated: &Stated,
    curves: &Curves,
    scheme: &str,
    others: &mut Vec<(Rules, String)>,
) -> Option<Found> {
    let variant = stated.variant.as_deref().unwrap_or_default();
    let latency = |line: &Line, load| {
        line.at(load).filter(|point| !point.saturated).map(|point| point.latency)
    };
    let value = |line: &Line, base: &Line| match stated.claim {
        Claim::Latency { load, .. } => latency(line, load),
        Claim::LatencyGain { load, .. } => Some(gain(latency(base, load)?, latency(line, load)?)),
        Claim::SaturationGain { .. } => Some(gain(line.saturation, base.saturation)),
        _ => Some(line.saturation),
    };
    let (number, unit) = stated.claim.number()?;
    let is_gain = matches!(unit, Unit::Percent);
    let base = curves.line(scheme, variant, Rules::of_the_paper(scheme, false))?;
    let rules = Rules::of_the_paper(scheme, stated.t_ugal || is_gain);
    let line = curves.line(scheme, variant, rules)?;
    for other in Rules::ALL {
        let is_same_kind = other != rules && other.is_t_ugal() == rules.is_t_ugal();
        let line = curves.line(scheme, variant, other).filter(|_| is_same_kind);
        if let Some(line) = line {
            let text = value(line, base).map_or("saturated".to_owned(), |value| unit.text(value));
            others.push((other, text));
        }
    }
    Some(Numbers { stated: number, ours: value(line, base), unit }.found())
}

/// Comparisons of T-UGAL with its counterpart, of which each must hold in every variant.
fn in_every_variant(claim: &Claim, curves: &Curves, scheme: &str) -> Option<Found> {
    let mut texts = Vec::new();
    let mut holds = true;
    for variant in curves.variants(scheme) {
        let [base, custom] = pair(curves, scheme, variant)?;
        let (is_true, text) = match claim {
            Claim::SaturationAbove | Claim::NoSaturationAbove => {
                let (before, after) = (base.saturation, custom.saturation);
                let is_above = after > before;
                let is_true = is_above == matches!(claim, Claim::SaturationAbove);
                (is_true, format!("{before:.2} to {after:.2}"))
            }
            Claim::LatencyBelow => match latencies(base, custom) {
                Some(found) => found,
                None => return Some(Found::no_load(variant)),
            },
            Claim::LatencySimilar => {
                let together = base.together(custom);
                let Some((base, custom)) = together.first() else {
                    return Some(Found::no_load(variant));
                };
                let is_true = (custom.latency / base.latency - 1.0).abs() <= TOLERANCE;
                let [before, after] = [base.latency, custom.latency];
                (is_true, format!("{before:.1} to {after:.1} at {}", base.load))
            }
            _ => return None,
        };
        holds &= is_true;
        texts.push(if variant.is_empty() { text } else { format!("{variant}: {text}") });
    }
    Some(Found::comparison(holds && !texts.is_empty(), texts.join("; ")))
}

/// Whether one line has less latency than another at every load at which neither is saturated.
/// `None` if there is no such load.
fn latencies(base: &Line, custom: &Line) -> Option<(bool, String)> {
    let together = base.together(custom);
    let ((first, _), (last, _)) = (together.first()?, together.last()?);
    let fails = together.iter().find(|(base, custom)| custom.latency >= base.latency);
    if let Some((base, custom)) = fails {
        let text = format!("{:.1} to {:.1} at {}", base.latency, custom.latency, base.load);
        return Some((false, text));
    }
    let saved = together.iter().map(|(base, custom)| base.latency - custom.latency);
    let (least, most) =
        saved.fold((f64::MAX, 0.0_f64), |(least, most), by| (least.min(by), most.max(by)));
    Some((true, format!("lower by {least:.1} to {most:.1} from {} to {}", first.load, last.load)))
}

/// Comparisons with another experiment, another scheme, or both.
fn against_other(
    stated: &Stated,
    curves: &Curves,
    other: &Other,
    known: &KeptResults,
) -> Option<Found> {
    let scheme = stated.scheme.as_deref()?;
    let than = other.scheme.as_deref().unwrap_or(scheme);
    let (other_curves, name) = match other.experiment.as_deref() {
        None => (curves, stated.experiment.as_str()),
        Some(name) => match known.get(name).and_then(Results::curves) {
            None => return Some(Found::not_run(name)),
            Some(curves) => (curves, name),
        },
    };
    let [base, custom] = pair(curves, scheme, "")?;
    let [other_base, other_custom] = pair(other_curves, than, "")?;
    let there = format!("{} in {name}", published_name(than, false));
    if let Claim::SaturationBelowThatOf(_) = stated.claim {
        let [before, after] = [base.saturation, custom.saturation];
        let [other_before, other_after] = [other_base.saturation, other_custom.saturation];
        let ours = format!(
            "{before:.2} and {after:.2} with T-UGAL; {there} {other_before:.2} and {other_after:.2}"
        );
        return Some(Found::comparison(before < other_before && after < other_after, ours));
    }
    if let Claim::VlbShareBelowThatOf(_) = stated.claim {
        let mut together = base.together(other_base);
        together.extend(custom.together(other_custom));
        let holds = together.iter().all(|(here, there)| here.vlb_share < there.vlb_share);
        let Some((here, at_other)) = together.first() else { return Some(Found::no_load("")) };
        let [own, others] = [here, at_other].map(|point| 100.0 * point.vlb_share);
        let ours = format!("{own:.1}% at {}; {there} {others:.1}%", here.load);
        return Some(Found::comparison(holds, ours));
    }
    let own = gain(custom.saturation, base.saturation);
    let others = gain(other_custom.saturation, other_base.saturation);
    let holds =
        if let Claim::GainAboveThatOf(_) = stated.claim { own > others } else { own < others };
    Some(Found::comparison(holds, format!("{own:+.1}%; {there} {others:+.1}%")))
}

#[cfg(test)]
mod tests;
