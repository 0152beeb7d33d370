//! Step 1 as a picture, after Figures 4 and 5 of Rahman et al.: modelled throughput over the sets
//! in their order, with error bars of one standard error and the bound drawn in; below it,
//! throughput against mean hops with the Pareto front. Plain SVG, no script, no font to fetch.

use super::report::{Report, SetResult};
use crate::svg::escaped;
use std::fmt::Write;

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 980.0;
/// Top and bottom of the two panels' plotting areas.
const UPPER: (f64, f64) = (40.0, 300.0);
const LOWER: (f64, f64) = (500.0, 800.0);
const HEIGHT: f64 = 850.0;

/// The picture, as the text of an SVG file.
pub fn svg(report: &Report) -> String {
    let mut out = String::new();
    let [p, a, h, g] = report.dragonfly;
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    );
    let title = format!(
        "{}: dfly({p}, {a}, {h}, {g}), modelled throughput over {} {}, paths as {}",
        report.fabric,
        report.patterns.len(),
        if report.patterns.len() == 1 { "pattern" } else { "patterns" },
        report.counting
    );
    text(&mut out, (LEFT, 20.0), "start", &title);
    let most = nice_above(report.bound);
    by_set(&mut out, report, most);
    by_hops(&mut out, report, most);
    out.push_str("</svg>\n");
    out
}

/// Throughput of each set, in the order given.
fn by_set(out: &mut String, report: &Report, most: f64) {
    let (top, bottom) = UPPER;
    let y = |value: f64| bottom - (bottom - top) * value / most;
    axis(out, UPPER, most);
    bound(out, report, y(report.bound));
    let step = (RIGHT - LEFT) / as_f64(report.sets.len().max(1));
    for (place, set) in report.sets.iter().enumerate() {
        let x = LEFT + step * (as_f64(place) + 0.5);
        let t = &set.throughput;
        let (low, high) = (y(t.lower - t.standard_error), y(t.upper + t.standard_error));
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}H{:.1}M{:.1} {high:.1}H{:.1}\" stroke=\"gray\"/>",
            x - 2.0,
            x + 2.0,
            x - 2.0,
            x + 2.0
        );
        point(out, (x, y(t.middle())), set);
        let _ = writeln!(
            out,
            "<text transform=\"translate({:.1} {}) rotate(-90)\" text-anchor=\"end\" font-size=\"9\">{}</text>",
            x + 3.0,
            bottom + 8.0,
            escaped(&set.set)
        );
    }
}

/// Throughput against mean hops.
fn by_hops(out: &mut String, report: &Report, most: f64) {
    let (top, bottom) = LOWER;
    let y = |value: f64| bottom - (bottom - top) * value / most;
    // VLB paths have 2 to 6 hops.
    let x = |hops: f64| LEFT + (RIGHT - LEFT) * (hops - 2.0) / 4.0;
    axis(out, LOWER, most);
    bound(out, report, y(report.bound));
    for hops in [2.0, 3.0, 4.0, 5.0, 6.0] {
        text(out, (x(hops), bottom + 16.0), "middle", &format!("{hops}"));
    }
    text(out, (f64::midpoint(LEFT, RIGHT), bottom + 34.0), "middle", "mean hops of the VLB paths");
    let mut front: Vec<&SetResult> = report.sets.iter().filter(|set| set.on_front).collect();
    front.sort_by(|one, other| one.mean_hops.total_cmp(&other.mean_hops));
    let line: Vec<String> = front
        .iter()
        .filter(|set| set.mean_hops >= 2.0)
        .map(|set| format!("{:.1},{:.1}", x(set.mean_hops), y(set.throughput.middle())))
        .collect();
    let _ =
        writeln!(out, "<polyline points=\"{}\" fill=\"none\" stroke=\"crimson\"/>", line.join(" "));
    for set in report.sets.iter().filter(|set| set.mean_hops >= 2.0 && set.same_as.is_none()) {
        point(out, (x(set.mean_hops), y(set.throughput.middle())), set);
    }
}

fn axis(out: &mut String, (top, bottom): (f64, f64), most: f64) {
    let _ = writeln!(
        out,
        "<path d=\"M{LEFT} {top}V{bottom}H{RIGHT}\" fill=\"none\" stroke=\"black\"/>"
    );
    for tenth in 0..=10_u32 {
        let value = f64::from(tenth) / 10.0;
        if value <= most + 1e-9 {
            let y = bottom - (bottom - top) * value / most;
            let _ = writeln!(out, "<path d=\"M{} {y:.1}H{LEFT}\" stroke=\"black\"/>", LEFT - 4.0);
            text(out, (LEFT - 8.0, y + 4.0), "end", &format!("{value:.1}"));
        }
    }
}

fn bound(out: &mut String, report: &Report, y: f64) {
    let _ = writeln!(
        out,
        "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"steelblue\" stroke-dasharray=\"6 3\"/>"
    );
    text(out, (RIGHT, y - 4.0), "end", &format!("bound {:.6}", report.bound));
}

fn point(out: &mut String, (x, y): (f64, f64), set: &SetResult) {
    let colour = if set.on_front { "crimson" } else { "black" };
    let _ = writeln!(
        out,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"><title>{}: {}, {:.3} hops</title></circle>",
        escaped(&set.set),
        set.throughput,
        set.mean_hops
    );
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(words)
    );
}

/// The next tenth above.
fn nice_above(value: f64) -> f64 {
    ((value * 10.0).floor() + 1.0) / 10.0
}

fn as_f64(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
