//! What Steps 1 and 2 saw beyond what the manifest keeps: every modelled set, and every run of the
//! three that a user compares. It follows from the fabric and the options alone, not from what an
//! interrupted search had left.

use super::trial::Figures;
use crate::throughput::report::Report;
use std::collections::BTreeMap;

/// What a report can draw of a choice.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Step 1; none where the fabric is too large to be modelled.
    pub model: Option<Report>,
    /// Step 2's runs by scheme, traffic and contender; none where nothing was simulated.
    pub curves: Vec<Curve>,
}

/// The loads at which one contender was run under one traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// `ugal-l` or `par`.
    pub scheme: String,
    /// The traffic, with its seed.
    pub traffic: String,
    /// `conventional`, or the set.
    pub contender: String,
    /// By rising load.
    pub points: Vec<CurvePoint>,
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Flits offered per node and cycle.
    pub load: f64,
    /// Mean latency in cycles; means nothing if saturated.
    pub latency: f64,
    /// Whether that is above the limit, or certain to be.
    pub saturated: bool,
}

/// The runs that a contest asked for, by traffic, contender and step.
pub(super) type Asked = BTreeMap<(String, usize, u32), Figures>;

/// The curves of some contenders, given by number and name in the order wanted.
pub(super) fn curves(
    scheme: &str,
    asked: &Asked,
    contenders: &[(usize, String)],
    load_of: impl Fn(u32) -> f64,
) -> Vec<Curve> {
    let mut traffics: Vec<&String> = asked.keys().map(|(traffic, ..)| traffic).collect();
    traffics.dedup();
    let mut curves = Vec::new();
    for traffic in traffics {
        for (number, name) in contenders {
            let range = (traffic.clone(), *number, 0)..=(traffic.clone(), *number, u32::MAX);
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

    #[test]
    fn runs_are_sorted_into_curves() {
        let figures = |latency| Figures {
            saturated: latency > 100.0,
            latency,
            hops: 3.0,
            populations: vec![],
        };
        let asked: Asked = [
            (("b".to_owned(), 0, 20), figures(50.0)),
            (("b".to_owned(), 0, 10), figures(40.0)),
            (("b".to_owned(), 2, 30), figures(400.0)),
            (("a".to_owned(), 1, 10), figures(30.0)),
        ]
        .into();
        let wanted = [(0, "conventional".to_owned()), (2, "x".to_owned())];
        let curves = curves("par", &asked, &wanted, |step| f64::from(step) / 100.0);
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
