//! A latency curve as SVG: mean latency over load, with standard errors.

use tvlb_chart::{Axis, Ink, Mark, Plot, Series};
use tvlb_simulator::{Estimate, Point};

/// The curve. Its axis of latencies ends beyond the largest that is not saturated, or at the limit;
/// a saturated load is an arrow at the top, since its latency means nothing.
pub(crate) fn latency_curve(title: &str, points: &[Point], limit: f64) -> String {
    let stable = points.iter().filter(|point| !point.saturated);
    let most = stable.map(|point| 1.2 * point.latency.mean).fold(0.0, f64::max);
    let most = if most > 0.0 { most.min(limit) } else { limit };
    let furthest = points.iter().map(|point| point.load).fold(0.0, f64::max);
    let marks = points.iter().map(|point| {
        let Estimate { mean, error } = point.latency;
        let hover = if point.saturated {
            format!("saturated at {}", point.load)
        } else {
            let error = error.map_or(String::new(), |error| format!(", standard error {error:.1}"));
            format!("{mean:.1} cycles{error}, at {}", point.load)
        };
        let y = (!point.saturated).then_some(mean);
        Mark { x: point.load, y, error: error.unwrap_or_default(), hover }
    });
    Plot {
        title: title.to_owned(),
        x: Axis::new("offered load (flits per node and cycle)", 0.0, furthest),
        y: Axis::new("mean latency (cycles)", 0.0, most),
        level: None,
        series: vec![Series {
            name: "mean latency; an arrow is a saturated load".to_owned(),
            ink: Ink::Ours,
            joined: true,
            marks: marks.collect(),
        }],
    }
    .file()
}
