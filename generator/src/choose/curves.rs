//! Plot data of Steps 1 and 2, which the manifest does not keep: every modelled set, and the
//! latency–load curves of the three contenders that a user compares. It follows from the fabric and
//! the options alone, not from what an interrupted search had left.

use super::contender::Contender;
use super::runner::{RunsAsked, load_of};
use crate::throughput::report::Report;

/// What a report can draw of a choice.
#[derive(Clone, Debug, Default)]
pub struct PlotData {
    /// Step 1's report; none where the fabric is too large to be modelled.
    pub model: Option<Report>,
    /// Step 2's curves by scheme, traffic and contender; none where nothing was simulated.
    pub curves: Vec<Curve>,
}

/// The loads at which one contender was run under one traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// `ugal-l` or `par`.
    pub scheme: String,
    /// The name of the traffic, with its seed.
    pub traffic: String,
    /// `conventional`, or the set.
    pub contender: String,
    /// The runs by rising load.
    pub points: Vec<CurvePoint>,
}

/// One run of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Flits offered per node and cycle.
    pub load: f64,
    /// Mean latency in cycles, without meaning if the run is saturated.
    pub latency: f64,
    /// Whether the mean latency is above the limit, or certain to be.
    pub saturated: bool,
}

/// The curves of some contenders with their names, in the order given.
pub(super) fn curves(
    scheme: &str,
    asked: &RunsAsked,
    contenders: &[(Contender, String)],
) -> Vec<Curve> {
    let mut traffics: Vec<&String> = asked.keys().map(|(traffic, ..)| traffic).collect();
    traffics.dedup();
    let mut curves = Vec::new();
    for traffic in traffics {
        for (contender, name) in contenders {
            let range = (traffic.clone(), *contender, 0)..=(traffic.clone(), *contender, u32::MAX);
            let points: Vec<CurvePoint> = asked
                .range(range)
                .map(|((_, _, step), figures)| CurvePoint {
                    load: load_of(*step),
                    latency: figures.latency,
                    saturated: figures.saturated,
                })
                .collect();
            if !points.is_empty() {
                curves.push(Curve {
                    scheme: scheme.to_owned(),
                    traffic: traffic.clone(),
                    contender: name.clone(),
                    points,
                });
            }
        }
    }
    curves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::figures::RunFigures;

    #[test]
    fn runs_are_sorted_into_curves() {
        let figures = |latency| RunFigures {
            saturated: latency > 100.0,
            latency,
            p99: 150,
            worst_served: 1.0,
            hops: 3.0,
            populations: vec![],
        };
        let [conventional, paper, other] = [0, 1, 2].map(|n| Contender::all(3).nth(n).unwrap());
        let asked: RunsAsked = [
            (("b".to_owned(), conventional, 20), figures(50.0)),
            (("b".to_owned(), conventional, 10), figures(40.0)),
            (("b".to_owned(), other, 30), figures(400.0)),
            (("a".to_owned(), paper, 10), figures(30.0)),
        ]
        .into();
        let wanted = [(conventional, "conventional".to_owned()), (other, "x".to_owned())];
        let curves = curves("par", &asked, &wanted);
        let points = |number: usize| -> Vec<(f64, f64, bool)> {
            let points = &curves[number].points;
            points.iter().map(|p| (p.load, p.latency, p.saturated)).collect()
        };
        assert_eq!(curves.len(), 2);
        assert_eq!(
            (curves[0].contender.as_str(), curves[0].traffic.as_str()),
            ("conventional", "b")
        );
        assert_eq!(points(0), [(0.1, 40.0, false), (0.2, 50.0, false)]);
        assert_eq!(points(1), [(0.3, 400.0, true)]);
    }
}
