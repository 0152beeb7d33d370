//! Step 1: modelled throughput of every set, the bound, the front, and its use.

use super::subject::Subject;
use super::summary::row;
use crate::choose::candidates::LITERAL;
use crate::choose::step_one::MOST_SWITCHES;
use tvlb_chart::page::{on_demand, paragraph, table};
use tvlb_chart::{Axis, Ink};
use tvlb_table_set::ChoiceEntry;
use tvlb_throughput::plot::{self, Roles};
use tvlb_throughput::report::{Report, SetResult};

pub(super) fn body(subject: &Subject<'_>) -> String {
    let Some(choice) = &subject.manifest.choice else {
        return paragraph("The sets were given, so none was modelled. tvlb model models any.");
    };
    let Some(report) = subject.modelled else {
        return paragraph(&format!(
            "Not used: the fabric has more than {MOST_SWITCHES} switches, and the model's programs \
             would take too long to be part of generate."
        ));
    };
    let role_of = |set: &SetResult| role(report, set);
    let roles = Roles { looks: &ROLES, of: &role_of };
    let mut html = paragraph(&words(report, choice));
    html.push_str(&row([
        (
            plot::by_hops(report, &roles).svg(),
            "Throughput against mean hops. The line joins the sets of which none has more \
             throughput without more hops."
                .to_owned(),
        ),
        (
            by_set(report, &roles),
            "The same sets by rising throughput; a bar is the proven interval, and a standard \
             error over the patterns at either end."
                .to_owned(),
        ),
    ]));
    let rows = report.sets.iter().map(|set| {
        vec![
            set.set.clone(),
            set.throughput.to_string(),
            format!("{:.4}", set.throughput.worst),
            set.mean_hops.map_or("–".to_owned(), |hops| format!("{hops:.3}")),
            if set.on_front { "yes" } else { "" }.to_owned(),
        ]
    });
    let all = table(&["set", "throughput", "worst pattern", "mean hops", "on the front"], rows);
    html.push_str(&on_demand(&format!("All {} sets", report.sets.len()), &all));
    html
}

fn words(report: &Report, choice: &ChoiceEntry) -> String {
    let next = if choice.contests.is_empty() {
        "Of these and some others short runs, or the load of links, chose those that lose nothing against conventional \
         routing; if there are none, conventional routing is kept."
    } else {
        "These went on to Step 2, with their mirror images, the paper's choice and a family of mixtures."
    };
    format!(
        "The throughput model says what a set of paths could carry if traffic were split in the best \
         way; it was solved for {} sets under {} demanding patterns, and each figure is proven from both \
         sides. No set exceeds {:.4} flits per node and cycle on average. The largest throughput is nearly always \
         that of all paths together, so choosing by it would defeat the purpose, shorter paths. Among the sets within {:.0}% of the best, those with the fewest hops are {}. {next}",
        report.sets.len(),
        report.patterns.len(),
        report.bound,
        100.0 * report.epsilon,
        report.candidates.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", "),
    )
}

/// The role of a set in these plots: a candidate, the paper's, on the front, or another.
fn role(report: &Report, set: &SetResult) -> usize {
    let of_paper = report.sets.iter().find(|set| set.set == LITERAL);
    let of_paper = of_paper.map(|paper| paper.same_as.as_ref().unwrap_or(&paper.set));
    if of_paper == Some(&set.set) {
        1
    } else if report.candidates.contains(&set.set) {
        0
    } else if set.on_front {
        2
    } else {
        3
    }
}

const ROLES: [(&str, Ink); 4] = [
    ("candidate for Step 2", Ink::Ours),
    ("the paper's choice", Ink::Paper),
    ("on the front", Ink::Fourth),
    ("other", Ink::Plain),
];

fn by_set(report: &Report, roles: &Roles<'_>) -> String {
    let mut sets: Vec<&SetResult> =
        report.sets.iter().filter(|set| set.same_as.is_none()).collect();
    sets.sort_by(|one, other| {
        let (one_is, other_is) = (one.throughput.middle(), other.throughput.middle());
        one_is.total_cmp(&other_is).then_with(|| one.set.cmp(&other.set))
    });
    let count = f64::from(u32::try_from(sets.len()).unwrap_or(u32::MAX));
    let x = Axis::new("sets, by rising throughput", 0.0, count);
    plot::by_set(report, &sets, x, roles).svg()
}
