//! The whole linear program in the terms of a general solver: the reference that tests hold the
//! specialised methods against.
//!
//! It is the plainest statement of the model. The solver is clarabel, which is written in Rust alone,
//! through `good_lp`.

use super::bundle::Bundles;
use super::program::Program;
use good_lp::{
    DualValues, Expression, IntoAffineExpression, ResolutionError, Solution, SolutionWithDual,
    SolverModel, Variable, clarabel, constraint, variable, variables,
};

/// The parts of all bundles and the prices of all links, as the solver proposes them.
///
/// # Errors
/// What the solver has to say if it found no optimum.
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
