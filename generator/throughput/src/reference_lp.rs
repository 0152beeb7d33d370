//! The whole linear program in the terms of a general solver: the reference that tests hold the
//! specialised methods against.
//!
//! It is the plainest statement of the model. The solver is clarabel, which is written in Rust alone,
//! through `good_lp`.

use super::bundle::Bundles;
use super::path_counter::PathClass;
use super::program::Program;
use super::rule::Rule;
use good_lp::{
    DualValues, Expression, IntoAffineExpression, ResolutionError, Solution, SolutionWithDual,
    SolverModel, Variable, clarabel, constraint, variable, variables,
};

/// The parts of all bundles and the prices of all links, as the solver proposes them.
///
/// # Errors
/// The solver's report if it found no optimum.
pub(super) fn solve(bundles: &Bundles) -> Result<(Vec<f64>, Vec<f64>), ResolutionError> {
    let mut unknowns = variables!();
    let largest = unknowns.add(variable().min(0.0));
    let parts: Vec<Variable> =
        (0..bundles.choices().len()).map(|_| unknowns.add(variable().min(0.0))).collect();
    let mut by_link = vec![Expression::default(); bundles.choices().rows];
    for (bundle, &part) in parts.iter().enumerate() {
        for (link, load) in bundles.column(bundle) {
            by_link[link].add_mul(load, part);
        }
    }
    let mut model = unknowns.minimise(largest).using(clarabel);
    model.settings().max_threads(1).tol_gap_abs(1e-10).tol_gap_rel(1e-10).tol_feas(1e-10);
    let rows: Vec<_> = by_link
        .into_iter()
        .map(|load| {
            let is_used = (&load).linear_coefficients().next().is_some();
            is_used.then(|| model.add_constraint(constraint!(load <= largest)))
        })
        .collect();
    for flow in &bundles.choices().flows {
        let sum: Expression = flow.clone().map(|bundle| parts[bundle]).sum();
        model.add_constraint(constraint!(sum == 1.0));
    }
    let mut solution = model.solve()?;
    let split = parts.iter().map(|&part| solution.value(part)).collect();
    let duals = solution.compute_dual();
    // A price is what the largest load would fall by if the link carried more, so minus the dual.
    let prices = rows.into_iter().map(|row| row.map_or(0.0, |row| -duals.dual(row))).collect();
    Ok((split, prices))
}

/// The largest load at x = 1 by the inequalities of a rule alone, of flows with these demands and classes: one
/// unknown rate for each class, and no bundle anywhere.
///
/// # Errors
/// The solver's report if it found no optimum.
pub(super) fn by_rates(
    flows: &[(f64, Vec<PathClass>)],
    links: usize,
    rule: Rule,
) -> Result<f64, ResolutionError> {
    let mut unknowns = variables!();
    let largest = unknowns.add(variable().min(0.0));
    let rates: Vec<Vec<Variable>> = flows
        .iter()
        .map(|(_, classes)| classes.iter().map(|_| unknowns.add(variable().min(0.0))).collect())
        .collect();
    let mut by_link = vec![Expression::default(); links];
    for ((_, classes), rates) in flows.iter().zip(&rates) {
        for (class, &rate) in classes.iter().zip(rates) {
            class.uses.iter().for_each(|&(link, count)| by_link[link].add_mul(count, rate));
        }
    }
    let mut model = unknowns.minimise(largest).using(clarabel);
    model.settings().max_threads(1).tol_gap_abs(1e-10).tol_gap_rel(1e-10).tol_feas(1e-10);
    for load in by_link {
        model.add_constraint(constraint!(load <= largest));
    }
    for ((demand, classes), rates) in flows.iter().zip(&rates) {
        let carried: Expression =
            classes.iter().zip(rates).map(|(class, &rate)| class.paths * rate).sum();
        model.add_constraint(constraint!(carried == *demand));
        for (shorter, &of_shorter) in classes.iter().zip(rates) {
            for (longer, &of_longer) in classes.iter().zip(rates) {
                let are_vlb = shorter.is_vlb && longer.is_vlb;
                if shorter.hops >= longer.hops || !are_vlb && rule != Rule::MonotoneWithMin {
                    continue;
                }
                match rule {
                    Rule::Monotone | Rule::MonotoneWithMin => {
                        model.add_constraint(constraint!(of_longer <= of_shorter));
                    }
                    Rule::MonotoneTotals => {
                        let total = longer.paths * of_longer;
                        model.add_constraint(constraint!(total <= shorter.paths * of_shorter));
                    }
                    Rule::HopCount | Rule::BySwitch | Rule::ByPath => {}
                }
            }
        }
    }
    let solution = model.solve()?;
    Ok(solution.value(largest))
}
