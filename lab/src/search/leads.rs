//! The trials of a mixture, in turn, and what ends them early.

use tvlb_generator::choose::trial::Trial;
use tvlb_generator::choose::{ChooseError, Contender, MostRegret, mean};

/// A mixture with more regret on a guard is given up, in percent: with less, the search may find from
/// it one that holds the margin.
pub(super) const GIVEN_UP: u32 = 25;

/// The value of a regret on a guard above the margin, in saturation: a hundredth for one percent.
pub(super) const REGRET_WEIGHT: f64 = 1.0;

/// The cost of a regret on a guard above the margin, in saturation.
pub(super) fn regret_cost(regret: f64, margin: MostRegret) -> f64 {
    REGRET_WEIGHT * (regret - f64::from(margin.0) / 100.0).max(0.0)
}

/// The leads of a contender over conventional UGAL, less the cost of its regret under a hot switch, in the trials
/// `before.len()..until`; `before` has the leads of earlier trials. Trial n is on fabric n modulo the number of
/// fabrics, so that all fabrics see a pattern before any sees the next. `None` if the contender is eliminated:
///
/// - it is slow at light load on any fabric (checked before the first trial);
/// - its lead in a first trial is below the least of that fabric;
/// - its regret under a hot switch is above [`GIVEN_UP`].
pub(super) fn leads(
    (fabrics, least_leads, margin): (&[Trial<'_>], &[f64], MostRegret),
    contender: Contender,
    before: &[f64],
    until: usize,
) -> Result<Option<Vec<f64>>, ChooseError> {
    if before.is_empty() {
        for (fabric, &least_lead) in fabrics.iter().zip(least_leads) {
            if fabric.is_slow_at_light_load(contender)?
                || !fabric.leads_by(contender, least_lead)?
            {
                return Ok(None);
            }
        }
    }
    let mut costs = Vec::new();
    for fabric in fabrics {
        let Some(regret) = fabric.hot_switch_regret(contender, GIVEN_UP)? else { return Ok(None) };
        costs.push(regret_cost(regret, margin));
    }
    let mut found = before.to_vec();
    for trial in before.len()..until {
        let (pattern, place) = (trial / fabrics.len(), trial % fabrics.len());
        let expected =
            (!found.is_empty()).then(|| mean(found.iter().copied()) + mean(costs.iter().copied()));
        found.push(fabrics[place].lead(contender, pattern, expected)? - costs[place]);
    }
    Ok(Some(found.split_off(before.len())))
}
