//! Means over the seeds of a sweep, with their standard errors.

use super::figures::Figures;
use std::fmt::Write;
use tvlb_simulator::{Estimate, IDENTITY_COLUMNS, setting_columns_heads};

/// All runs that differ in nothing but the seed.
struct Seeds {
    /// What was run, and the population that the figures are of.
    subject: String,
    /// What stands in the last columns.
    last: String,
    /// How many runs are saturated, and in how many the latency was still growing.
    marked: [usize; 2],
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
        (subject, last): (String, &str),
        marked: [bool; 2],
        figures: &Figures,
    ) {
        let (marked, figures) = (marked.map(usize::from), figures.clone());
        let mut recent = self.0.iter_mut().rev().take(MOST_POPULATIONS);
        if let Some(seeds) = recent.find(|seeds| seeds.subject == subject && seeds.last == last) {
            seeds.marked.iter_mut().zip(marked).for_each(|(all, one)| *all += one);
            seeds.figures.push(figures);
        } else {
            let last = last.to_owned();
            self.0.push(Seeds { subject, last, marked, figures: vec![figures] });
        }
    }

    pub(super) fn csv(&self) -> String {
        let mut csv = format!(
            "{IDENTITY_COLUMNS},load,population,seeds,saturated,growing,latency,latency-error,p99,p99-error,\
             accepted,accepted-error,hops,vlb-share,{}\n",
            setting_columns_heads()
        );
        for Seeds { subject, last, marked: [saturated, growing], figures } in &self.0 {
            let of = |figure: fn(&Figures) -> f64| {
                Estimate::of(&figures.iter().map(figure).collect::<Vec<_>>())
            };
            let with_error = |figure| with_error(of(figure));
            let _ = writeln!(
                csv,
                "{subject},{},{saturated},{growing},{},{},{},{},{},{last}",
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

/// A mean and its standard error as two fields; the second is empty where there is one seed.
pub(super) fn with_error(estimate: Estimate) -> String {
    let Estimate { mean, error } = estimate;
    format!("{mean},{}", error.map_or(String::new(), |error| error.to_string()))
}

/// No traffic has more populations, all nodes together among them.
const MOST_POPULATIONS: usize = 8;
