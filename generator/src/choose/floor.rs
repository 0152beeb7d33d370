//! The floor under a choice by the model alone: no set is installed that links carry less of than of conventional
//! VLB.
//!
//! The model of Step 1 spreads each flow over a set's paths as well as it can be. A switch draws them by a rule,
//! without regard to the flow, and on unequal machines few short paths may then share one link. So each set of the
//! front is asked what its own draws put on the busiest link under adversarial patterns, and compared with what
//! conventional VLB puts there.

use super::error::ChooseError;
use super::panel::Event;
use crate::fabric::Fabric;
use crate::static_load::{Paths, StaticLoadError, static_loads};
use tvlb_base::progress::Progress;
use tvlb_schema::SetRule;
use tvlb_table_set::FloorEntry;
use tvlb_table_set::grammar::canonical;
use tvlb_traffic::Traffic;

/// The least share of conventional VLB's static saturation that a set must carry under every pattern.
pub(crate) const LEAST_SHARE: f64 = 0.97;

/// What the draws of sets carry beside conventional VLB.
pub(super) struct Floor<'f> {
    fabric: &'f Fabric,
    /// Each pattern with its traffic and the static saturation of conventional VLB.
    patterns: Vec<(String, Traffic, f64)>,
}

impl<'f> Floor<'f> {
    /// That of a fabric under these patterns. A pattern under which nobody has a VLB path says nothing.
    ///
    /// # Errors
    /// A pattern that the fabric cannot have, or the work was cancelled.
    pub(super) fn new(
        fabric: &'f Fabric,
        patterns: &[Event],
        progress: &dyn Progress,
    ) -> Result<Self, ChooseError> {
        let mut floor = Self { fabric, patterns: Vec::new() };
        for event in patterns {
            progress.check()?;
            let traffic = Traffic::new(&event.pattern, &fabric.nodes(), event.seed)?;
            if let Some(conventional) = floor.saturation(&traffic, SetRule::conventional()) {
                floor.patterns.push((event.to_string(), traffic, conventional));
            }
        }
        Ok(floor)
    }

    fn saturation(&self, traffic: &Traffic, rule: SetRule) -> Option<f64> {
        match static_loads(&self.fabric.topology, traffic, &Paths::Set(rule)) {
            Ok(loads) => Some(loads.saturation()),
            Err(
                StaticLoadError::Changing
                | StaticLoadError::NoThirdGroup { .. }
                | StaticLoadError::NoPath,
            ) => None,
        }
    }

    /// The least share of conventional VLB's static saturation that the draws of a set carry, and of which
    /// pattern. A set without paths for a pattern carries none of it.
    ///
    /// # Errors
    /// The work was cancelled.
    pub(super) fn of(
        &self,
        rule: &SetRule,
        progress: &dyn Progress,
    ) -> Result<FloorEntry, ChooseError> {
        let mut least = FloorEntry {
            set: canonical(rule),
            share: 1.0,
            traffic: String::new(),
            saturation: 0.0,
            conventional: 0.0,
        };
        for (name, traffic, conventional) in &self.patterns {
            progress.check()?;
            let saturation = self.saturation(traffic, *rule).unwrap_or(0.0);
            let share = saturation / conventional;
            if least.traffic.is_empty() || share < least.share {
                least = FloorEntry {
                    share,
                    traffic: name.clone(),
                    saturation,
                    conventional: *conventional,
                    ..least
                };
            }
        }
        Ok(least)
    }
}
