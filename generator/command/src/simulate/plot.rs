//! A latency curve as SVG: mean latency over load, with standard errors.

use std::fmt::Write;
use tvlb_generator::svg::{escaped, round_axis, ticks};
use tvlb_simulator::Point;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
/// Room for the labels: left, and at the other sides.
const LEFT: f64 = 60.0;
const MARGIN: f64 = 40.0;

/// The curve. Its axis of latencies ends beyond the largest that is not saturated, or at the limit;
/// a saturated load is a mark at the top, since its latency means nothing.
pub(crate) fn latency_curve(title: &str, points: &[Point], limit: f64) -> String {
    let stable = points.iter().filter(|point| !point.saturated);
    let most = stable.map(|point| 1.2 * point.latency.mean).fold(0.0, f64::max);
    let most = if most > 0.0 { most.min(limit) } else { limit };
    let (latency_step, top) = round_axis(most);
    let (load_step, right) =
        round_axis(points.iter().map(|point| point.load).fold(0.0, f64::max).max(1e-6));
    let x = |load: f64| LEFT + load / right * (WIDTH - LEFT - MARGIN);
    let y = |latency: f64| HEIGHT - MARGIN - (latency / top).min(1.0) * (HEIGHT - 2.0 * MARGIN);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\">{}</text>\n",
        escaped(title)
    );
    let mut line = |text: std::fmt::Arguments<'_>| {
        writeln!(svg, "{text}").expect("writing to a string cannot fail");
    };
    for latency in ticks(latency_step, top) {
        line(format_args!(
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"#ddd\"/>",
            x(right),
            y(latency)
        ));
        line(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{latency}</text>",
            LEFT - 6.0,
            y(latency) + 4.0
        ));
    }
    for load in ticks(load_step, right) {
        line(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{load}</text>",
            x(load),
            HEIGHT - MARGIN + 16.0
        ));
    }
    line(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">offered load (flits per node and cycle)</text>",
        f64::midpoint(LEFT, x(right)),
        HEIGHT - 6.0
    ));
    line(format_args!(
        "<text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">mean latency (cycles)</text>",
        HEIGHT / 2.0
    ));
    let stable: Vec<&Point> = points.iter().filter(|point| !point.saturated).collect();
    let path: Vec<String> = stable
        .iter()
        .map(|point| format!("{:.1},{:.1}", x(point.load), y(point.latency.mean)))
        .collect();
    line(format_args!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"2\"/>",
        path.join(" ")
    ));
    for point in points {
        let (at, mean, error) = (x(point.load), point.latency.mean, point.latency.error);
        if point.saturated {
            line(format_args!(
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#a82020\">\u{2191}</text>",
                y(top) + 4.0
            ));
            continue;
        }
        line(format_args!(
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#1f5fa8\"/>",
            y(mean - error),
            y(mean + error)
        ));
        line(format_args!(
            "<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"#1f5fa8\"/>",
            y(mean)
        ));
    }
    svg.push_str("</svg>\n");
    svg
}
