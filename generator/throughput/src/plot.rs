//! Step 1 as a picture, after Figures 4 and 5 of Rahman et al.: modelled throughput of each set, and
//! throughput against mean hops with the Pareto front.

use super::report::{Report, SetResult};
use tvlb_chart::{Axis, Ink, Mark, Plot, Series, file};

/// How the sets of a report look: a legend of roles, and which of them a set has.
#[derive(Clone, Copy)]
pub struct Roles<'r> {
    /// Name and look of each role; the first is drawn last, over the others.
    pub looks: &'r [(&'static str, Ink)],
    /// The number of a set's role.
    pub of: &'r dyn Fn(&SetResult) -> usize,
}

/// The picture that `tvlb model --svg` writes, as the text of an SVG file: the sets in their order
/// with their names, and below that throughput against hops.
pub fn svg(report: &Report) -> String {
    let [p, a, h, g] = report.dragonfly;
    let heading = format!(
        "{}: dfly({p}, {a}, {h}, {g}), modelled throughput over {} {}, paths counted as {}",
        report.fabric,
        report.patterns.len(),
        if report.patterns.len() == 1 { "pattern" } else { "patterns" },
        report.counting
    );
    let roles = Roles {
        looks: &[
            ("no set has more throughput without more hops", Ink::Ours),
            ("other", Ink::Plain),
        ],
        of: &|set| usize::from(!set.on_front),
    };
    let sets: Vec<&SetResult> = report.sets.iter().collect();
    let names = sets.iter().map(|set| set.set.clone()).collect();
    let x = Axis::of_names("sets; bars: proven interval and standard error", names);
    file(&heading, &[by_set(report, &sets, x, &roles), by_hops(report, &roles)])
}

/// Throughput against mean hops, the sets of the front joined by a line.
pub fn by_hops(report: &Report, roles: &Roles<'_>) -> Plot {
    let hops = |set: &SetResult| set.mean_hops.unwrap_or_default();
    let is_shown = |set: &&SetResult| set.mean_hops.is_some() && set.same_as.is_none();
    let shown = || report.sets.iter().filter(is_shown);
    let mark = |set: &SetResult| Mark::new(hops(set), set.throughput.middle(), hover(set));
    let mut front: Vec<&SetResult> = shown().filter(|set| set.on_front).collect();
    front.sort_by(|one, other| hops(one).total_cmp(&hops(other)));
    let mut series = vec![Series {
        name: String::new(),
        ink: Ink::Fourth,
        joined: true,
        marks: front.into_iter().map(mark).collect(),
    }];
    for (number, &(name, ink)) in roles.looks.iter().enumerate().rev() {
        let marks = shown().filter(|set| (roles.of)(set) == number).map(mark).collect();
        series.push(Series { name: name.to_owned(), ink, joined: false, marks });
    }
    // VLB paths have 2 to 6 hops.
    let x = Axis::new("mean hops of the VLB paths", 2.0, 6.0);
    plot(report, "modelled throughput against mean hops", x, series)
}

/// Throughput of each of these sets, at the places 1, 2, 3 and so on of an axis. A bar is the
/// interval that is proven, and one standard error over the patterns at either end.
pub fn by_set(report: &Report, sets: &[&SetResult], x: Axis, roles: &Roles<'_>) -> Plot {
    let series = roles.looks.iter().enumerate().rev().map(|(number, &(name, ink))| {
        let marks = (1_u32..).zip(sets).filter(|(_, set)| (roles.of)(set) == number);
        let marks = marks.map(|(place, set)| {
            let throughput = &set.throughput;
            let error = (throughput.upper - throughput.lower) / 2.0 + throughput.standard_error;
            Mark::new(f64::from(place), throughput.middle(), hover(set)).with_error(error)
        });
        Series { name: name.to_owned(), ink, joined: false, marks: marks.collect() }
    });
    plot(report, "modelled throughput of each set", x, series.collect())
}

fn hover(set: &SetResult) -> String {
    match set.mean_hops {
        Some(hops) => format!("{}: {}, {hops:.3} hops", set.set, set.throughput),
        None => format!("{}: {}", set.set, set.throughput),
    }
}

fn plot(report: &Report, title: &str, x: Axis, mut series: Vec<Series>) -> Plot {
    series.retain(|series| !series.marks.is_empty());
    Plot {
        title: title.to_owned(),
        x,
        y: Axis::new("modelled throughput", 0.0, report.bound),
        level: Some((report.bound, format!("bound {:.4}", report.bound))),
        series,
    }
}
