//! Tables for a plain build of the datapath, without the feature `any-fabric`: everything that needs the feature is
//! refused before the work.

use crate::checked_fabric::CheckedFabric;
use crate::policy::{Policy, PolicyPair};
use tvlb_schema::{Decision, PerDecision};
use tvlb_table_set::grammar::canonical;

/// Why a plain build would not boot a fabric's tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPlain {
    #[error("the fabric has {found}, which a build without the feature `any-fabric` does not boot")]
    Fabric { found: &'static str },
    #[error(
        "the names give physical numbers of ports, and a build without the feature `any-fabric` boots no image with a port map; accepted are names whose column `physical` is empty"
    )]
    PhysicalNumbers,
    #[error(
        "{of}, {set}, is {found}, which a build without the feature `any-fabric` does not boot; accepted are sets that are drawn by route or by shape"
    )]
    Set { of: String, set: String, found: &'static str },
}

/// Refuses what a plain build does not boot: in the fabric, in given policies, and in those that are to be tried.
///
/// # Errors
/// The first of these.
pub fn check(
    fabric: &CheckedFabric<'_>,
    given: Option<&PerDecision<Policy>>,
    to_try: &[PolicyPair],
) -> Result<(), NotPlain> {
    if let Some(found) = fabric.image().not_plain() {
        return Err(NotPlain::Fabric { found });
    }
    let df = fabric.topology.dragonfly();
    if df.switches().any(|switch| !fabric.names.physical_numbers(df, switch).is_empty()) {
        return Err(NotPlain::PhysicalNumbers);
    }
    let given = given.into_iter().flat_map(|given| {
        Decision::ALL
            .map(|decision| (format!("the set of {}", decision.name()), given.get(decision)))
    });
    let to_try = to_try.iter().flat_map(|pair| {
        [&pair.source, &pair.second].map(|policy| ("a set to try".to_owned(), policy))
    });
    for (of, policy) in given.chain(to_try) {
        if let Some(found) = policy.rule.not_plain() {
            return Err(NotPlain::Set { of, set: canonical(&policy.rule), found });
        }
    }
    Ok(())
}
