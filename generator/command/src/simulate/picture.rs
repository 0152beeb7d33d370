//! The picture of `--plot`: mean latency over load.

use super::identity::Identity;
use super::report;
use crate::failure::Outcome;
use crate::output::write_file;
use std::path::Path;
use tvlb_chart::{Axis, Ink, Mark, Plot, Series, Sheet};
use tvlb_simulator::{Estimate, Point, Study};

/// Draws a curve. The latency of a saturated load means nothing, so it is an open mark above the axis.
pub(super) fn write(
    path: &Path,
    points: &[Point],
    (study, identity): (&Study<'_>, &Identity<'_>),
) -> Outcome {
    let limit = f64::from(study.settings.latency_limit_cycles);
    let (drawn, saturated): (Vec<&Point>, Vec<&Point>) =
        points.iter().partition(|point| !point.saturated);
    let highest = drawn
        .iter()
        .map(|point| point.latency.mean + point.latency.error.unwrap_or_default())
        .reduce(f64::max)
        .unwrap_or(limit);
    let marks = points.iter().map(|point| {
        let Estimate { mean, error } = point.latency;
        let height = (!point.saturated).then_some(mean);
        let hover = match (height, error) {
            (Some(mean), Some(error)) => format!("{mean:.1} ± {error:.1} at {}", point.load),
            (Some(mean), None) => format!("{mean:.1} at {}", point.load),
            (None, _) => format!("saturated at {}", point.load),
        };
        Mark::new(point.load, height, hover).with_error(error.unwrap_or_default())
    });
    let name = String::new();
    let series = vec![Series { name, ink: Ink::Ours, joined: true, marks: marks.collect() }];
    let loads = || points.iter().map(|point| point.load);
    let (least, most) = (loads().fold(f64::MAX, f64::min), loads().fold(f64::MIN, f64::max));
    let beyond = format!("saturated: mean latency above {limit} cycles; drawn above the axis");
    let plot = Plot {
        title: "mean latency (cycles)".to_owned(),
        x: Axis::around("offered load (flits per node and cycle)", least, most),
        y: Axis::new("mean latency (cycles)", 0.0, highest).with_open_end(beyond),
        level: (!saturated.is_empty())
            .then(|| (limit, format!("limit of the mean latency: {limit} cycles"))),
        series,
    };
    let heading = format!("Mean latency over offered load: {}", identity.fabric.name);
    let mut sheet = Sheet::new(heading, vec![plot]);
    sheet.subtitle = report::title(study, identity);
    write_file(path, &sheet.svg())
}
