//! Made-up results for tests.

use super::results::{Curves, Figures, Line, Model, ModelledSet, Point, Results};
use super::rules::Rules;

fn results(experiment: &str, figures: Figures) -> Results {
    Results {
        tool_version: "0.1.0".to_owned(),
        experiment: experiment.to_owned(),
        quick: false,
        seed: 1,
        processor_seconds: Some(12.5),
        figures,
    }
}

/// Lines of schemes, each with the saturation of conventional UGAL and of T-UGAL by the authors'
/// rules. The latency begins at 60 cycles for the former, at 55 for the latter, and rises with the load.
pub(super) fn curves(experiment: &str, schemes: &[(&str, f64, f64)]) -> Results {
    let mut lines = Vec::new();
    for &(scheme, conventional, t_ugal) in schemes {
        lines.push(line(scheme, "", Rules::Conventional, (60.0, conventional)));
        if scheme == "par" {
            lines.push(line(scheme, "", Rules::PublishedConventional, (60.0, conventional)));
        }
        lines.push(line(scheme, "", Rules::Published, (55.0, t_ugal)));
        lines.push(line(scheme, "", Rules::Literal, (57.0, t_ugal - 0.02)));
        lines.push(line(scheme, "", Rules::Ours, (50.0, t_ugal + 0.02)));
    }
    let dragonfly = [4, 8, 4, 9];
    let traffic = "shift(2,0)".to_owned();
    results(experiment, Figures::Curves(Curves { dragonfly, traffic, lines }))
}

/// A line that begins at a latency and ends at a saturation.
pub(super) fn line(
    scheme: &str,
    variant: &str,
    rules: Rules,
    (latency, saturation): (f64, f64),
) -> Line {
    let point = |load: f64| Point {
        load,
        latency: latency + 20.0 * load,
        p99: 100,
        accepted: load,
        hops: 4.0,
        vlb_share: load,
        saturated: load > saturation,
    };
    let mut points: Vec<Point> = (1..=9).map(|tenths| point(f64::from(tenths) / 10.0)).collect();
    points.retain(|point| point.load < saturation + 0.1);
    Line {
        scheme: scheme.to_owned(),
        variant: variant.to_owned(),
        rules,
        set: "all".to_owned(),
        saturation,
        points,
    }
}

/// Throughputs of figure 4, of which 60% 5-hop does not have the largest.
pub(super) fn model() -> Results {
    let set = |(name, throughput): (&str, f64)| ModelledSet {
        set: name.to_owned(),
        throughput,
        lower: throughput,
        upper: throughput,
        standard_error: 0.001,
        mean_hops: 5.0,
    };
    let sets =
        [("40% 5-hop", 0.54), ("50% 5-hop", 0.545), ("60% 5-hop", 0.55), ("70% 5-hop", 0.50)];
    let sets = sets.into_iter().chain([("all", 0.5625)]).map(set).collect();
    let model = Model { dragonfly: [4, 8, 4, 9], patterns: 84, bound: 0.5625, sets };
    results("fig4", Figures::Model(model))
}
