//! Means over the seeds of a sweep, with their standard errors.

use super::figures::{Figures, SUBJECT_COLUMNS};
use std::fmt::Write;
use tvlb_simulator::{Estimate, WEIGHING_COLUMNS};

/// All runs that differ in nothing but the seed.
struct Seeds {
    /// What was run, and the population that the figures are of.
    subject: String,
    weighing: String,
    saturated: usize,
    figures: Vec<Figures>,
}

/// The means of a sweep, in the order in which what they are of was first seen.
pub(super) struct Summary(Vec<Seeds>);

impl Summary {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a run. Seeds are the list that changes fastest, so that what it belongs to is among the last.
    pub(super) fn add(
        &mut self,
        (subject, weighing): (String, &str),
        saturated: bool,
        figures: &Figures,
    ) {
        let (saturated, figures) = (usize::from(saturated), figures.clone());
        let mut last = self.0.iter_mut().rev().take(MOST_POPULATIONS);
        if let Some(seeds) = last.find(|seeds| seeds.subject == subject) {
            seeds.saturated += saturated;
            seeds.figures.push(figures);
        } else {
            let weighing = weighing.to_owned();
            self.0.push(Seeds { subject, weighing, saturated, figures: vec![figures] });
        }
    }

    pub(super) fn csv(&self) -> String {
        let mut csv = format!(
            "{SUBJECT_COLUMNS},population,seeds,saturated,latency,latency-error,p99,p99-error,accepted,\
             accepted-error,hops,vlb-share,{WEIGHING_COLUMNS}\n"
        );
        for Seeds { subject, weighing, saturated, figures } in &self.0 {
            let of = |figure: fn(&Figures) -> f64| {
                Estimate::of(&figures.iter().map(figure).collect::<Vec<_>>())
            };
            let with_error = |figure| {
                let Estimate { mean, error } = of(figure);
                format!("{mean},{}", error.map_or(String::new(), |error| error.to_string()))
            };
            let _ = writeln!(
                csv,
                "{subject},{},{saturated},{},{},{},{},{},{weighing}",
                figures.len(),
                with_error(|figures| figures.latency),
                with_error(|figures| figures.p99.into()),
                with_error(|figures| figures.accepted),
                of(|figures| figures.hops).mean,
                of(|figures| figures.vlb_share).mean,
            );
        }
        csv
    }
}

/// No traffic has more populations, all nodes together among them.
const MOST_POPULATIONS: usize = 8;
