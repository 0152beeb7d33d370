//! A primal-dual interior-point method for one shape of program: split flows over bundles so that
//! the largest of a few link loads is the least.
//!
//!   minimise t  subject to  A w + s = t, parts w of each flow adding up to 1, w ≥ 0, s ≥ 0
//!   maximise Σ z  subject to  Aᵀy − v = z of the bundle's flow, Σ y = 1, y ≥ 0, v ≥ 0
//!
//! Both have interior points that can be written down, so every iterate is feasible, and the
//! method (Mehrotra's predictor and corrector) only has to close the gap between them. Each step
//! solves a dense system with one unknown per *link*, in which a flow appears as the covariance of
//! its bundles; that is why links are added a few at a time (`solve.rs`). Its answer is a proposal:
//! `certificate.rs` judges it.
//!
//! It runs on one thread with a fixed order of operations, so its answer depends on the input alone.

use super::dense::{Symmetric, short_dot as dot, times, times_transposed};
use std::ops::Range;

/// The program restricted to some links.
pub(super) struct Restricted {
    /// How many links.
    pub(super) links: usize,
    /// The bundles of each flow, at least two; together all bundles in order.
    pub(super) flows: Vec<Range<usize>>,
    /// The loads of all bundles, link by link.
    pub(super) loads: Vec<f64>,
    /// The loads of flows without a choice.
    pub(super) fixed: Vec<f64>,
    /// The links that each flow touches, in rising order.
    pub(super) touched: Vec<Vec<usize>>,
}

impl Restricted {
    /// Whether flows touch so few of the links each that it pays to go flow by flow.
    fn is_sparse(&self) -> bool {
        let touched: usize = self.touched.iter().map(|links| links.len() * links.len()).sum();
        4 * touched < self.links * self.links * self.flows.len()
    }
}

pub(super) struct InteriorProposal {
    /// The part of each bundle.
    pub(super) split: Vec<f64>,
    /// The price of each link; they add up to 1.
    pub(super) prices: Vec<f64>,
    /// The largest load of the split.
    pub(super) largest: f64,
}

/// More steps than any known program has taken; then the present result must do.
const MOST_STEPS: u32 = 60;
/// How far towards the boundary a step may go.
const TOWARDS_BOUNDARY: f64 = 0.995;

struct Iterate<'r> {
    program: &'r Restricted,
    bundles: usize,
    w: Vec<f64>,
    v: Vec<f64>,
    s: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    t: f64,
}

struct Direction {
    w: Vec<f64>,
    v: Vec<f64>,
    s: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    t: f64,
}

/// Solves to a relative gap of `tolerance`, starting from a split with no part at 0.
pub(super) fn solve(program: &Restricted, start: &[f64], tolerance: f64) -> InteriorProposal {
    let mut state = Iterate::new(program, start);
    let mut best = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let gap = state.gap();
        // Rounding has taken over once the gap no longer falls.
        if gap <= tolerance || !gap.is_finite() || gap > 10.0 * best {
            break;
        }
        best = best.min(gap);
        if !state.step() {
            break;
        }
    }
    let largest = state.largest();
    InteriorProposal { split: state.w, prices: state.y, largest }
}

impl<'r> Iterate<'r> {
    fn new(program: &'r Restricted, start: &[f64]) -> Self {
        let bundles = start.len();
        let w = start.to_vec();
        let mut state = Self {
            program,
            bundles,
            v: vec![0.0; bundles],
            s: vec![0.0; program.links],
            y: vec![0.0; program.links],
            z: vec![0.0; program.flows.len()],
            w,
            t: 0.0,
        };
        let loads = state.loads_of(&state.w);
        let largest = loads.iter().fold(0.0_f64, |most, &load| most.max(load));
        state.t = 1.1 * largest;
        for (s, load) in state.s.iter_mut().zip(&loads) {
            *s = state.t - load;
        }
        // Near the central path: y·s equal for all links.
        let total: f64 = state.s.iter().map(|s| 1.0 / s).sum();
        for (y, s) in state.y.iter_mut().zip(&state.s) {
            *y = 1.0 / (s * total);
        }
        let mu = 1.0 / total;
        let costs = state.costs_of(&state.y);
        for (flow, z) in program.flows.iter().zip(&mut state.z) {
            let least = costs[flow.clone()].iter().fold(f64::INFINITY, |a, &b| a.min(b));
            let margin =
                (mu * f64::from(u32::try_from(flow.len()).unwrap_or(u32::MAX))).max(1e-3 * least);
            *z = least - margin;
            for bundle in flow.clone() {
                state.v[bundle] = costs[bundle] - *z;
            }
        }
        state
    }

    fn row(&self, link: usize) -> &[f64] {
        &self.program.loads[link * self.bundles..][..self.bundles]
    }

    fn loads_of(&self, w: &[f64]) -> Vec<f64> {
        let mut loads = times(&self.program.loads, w);
        for (load, fixed) in loads.iter_mut().zip(&self.program.fixed) {
            *load += fixed;
        }
        loads
    }

    /// Aᵀy.
    fn costs_of(&self, y: &[f64]) -> Vec<f64> {
        times_transposed(y, &self.program.loads, self.bundles)
    }

    fn largest(&self) -> f64 {
        self.loads_of(&self.w).iter().fold(0.0_f64, |most, &load| most.max(load))
    }

    /// The relative gap between the largest load and the bound of the prices.
    fn gap(&self) -> f64 {
        let costs = self.costs_of(&self.y);
        let cheapest =
            |flow: &Range<usize>| costs[flow.clone()].iter().fold(f64::INFINITY, |a, &b| a.min(b));
        let paid: f64 = self.program.flows.iter().map(cheapest).sum();
        let total: f64 = self.y.iter().sum();
        let largest = self.largest();
        (largest - (paid + dot(&self.y, &self.program.fixed)) / total) / largest
    }

    /// One predictor and corrector; `false` if it cannot move.
    fn step(&mut self) -> bool {
        let (n, m) = (self.bundles, self.program.links);
        let Some(system) = System::new(self) else { return false };
        let count = f64::from(u32::try_from(n + m).unwrap_or(u32::MAX));
        let mu = (dot(&self.w, &self.v) + dot(&self.s, &self.y)) / count;

        let affine_wv: Vec<f64> = self.w.iter().zip(&self.v).map(|(w, v)| -w * v).collect();
        let affine_sy: Vec<f64> = self.s.iter().zip(&self.y).map(|(s, y)| -s * y).collect();
        let affine = system.direction(self, &affine_wv, &affine_sy);
        let (primal, dual) = self.step_lengths(&affine, 1.0);
        let ahead = |x: &[f64], dx: &[f64], length: f64| -> Vec<f64> {
            x.iter().zip(dx).map(|(x, d)| x + length * d).collect()
        };
        let mu_affine = (dot(&ahead(&self.w, &affine.w, primal), &ahead(&self.v, &affine.v, dual))
            + dot(&ahead(&self.s, &affine.s, primal), &ahead(&self.y, &affine.y, dual)))
            / count;
        let ratio = mu_affine / mu;
        let centring = ratio * ratio * ratio * mu;

        let corrected = |affine_product: &[f64], one: &[f64], other: &[f64]| -> Vec<f64> {
            let second = one.iter().zip(other).map(|(a, b)| a * b);
            affine_product.iter().zip(second).map(|(p, second)| centring + p - second).collect()
        };
        let wv = corrected(&affine_wv, &affine.w, &affine.v);
        let sy = corrected(&affine_sy, &affine.s, &affine.y);
        let direction = system.direction(self, &wv, &sy);
        let (primal, dual) = self.step_lengths(&direction, TOWARDS_BOUNDARY);
        if !(primal > 1e-12 || dual > 1e-12) {
            return false;
        }
        self.advance(&direction, primal, dual);
        true
    }

    /// How far w, s and y, v can go along the direction, at most 1.
    fn step_lengths(&self, direction: &Direction, fraction: f64) -> (f64, f64) {
        let longest = |x: &[f64], dx: &[f64]| {
            let ratios = x.iter().zip(dx).filter(|(_, d)| **d < 0.0).map(|(x, d)| -x / d);
            ratios.fold(f64::INFINITY, f64::min)
        };
        let primal = longest(&self.w, &direction.w).min(longest(&self.s, &direction.s));
        let dual = longest(&self.v, &direction.v).min(longest(&self.y, &direction.y));
        ((fraction * primal).min(1.0), (fraction * dual).min(1.0))
    }

    fn advance(&mut self, direction: &Direction, primal: f64, dual: f64) {
        let go = |x: &mut [f64], dx: &[f64], length: f64| {
            for (x, d) in x.iter_mut().zip(dx) {
                *x += length * d;
            }
        };
        go(&mut self.w, &direction.w, primal);
        go(&mut self.y, &direction.y, dual);
        go(&mut self.z, &direction.z, dual);
        self.t += primal * direction.t;
        for flow in &self.program.flows {
            let parts = &mut self.w[flow.clone()];
            let sum: f64 = parts.iter().sum();
            for part in parts {
                *part /= sum;
            }
        }
        let total: f64 = self.y.iter().sum();
        self.y.iter_mut().for_each(|y| *y /= total);
        go(&mut self.s, &direction.s, primal);
        go(&mut self.v, &direction.v, dual);
        // Recomputed from their definitions, so that rounding does not accumulate; kept if they are so small that the
        // difference would be all rounding.
        let loads = self.loads_of(&self.w);
        for (s, load) in self.s.iter_mut().zip(&loads) {
            let exact = self.t - load;
            if exact > 1e-10 * self.t {
                *s = exact;
            }
        }
        let costs = self.costs_of(&self.y);
        for (flow, z) in self.program.flows.iter().zip(&self.z) {
            for bundle in flow.clone() {
                let exact = costs[bundle] - z;
                if exact > 1e-10 * costs[bundle].abs() && exact > 0.0 {
                    self.v[bundle] = exact;
                }
            }
        }
    }
}

/// The factored Newton system of one iterate.
struct System {
    factor: Symmetric,
    /// w/v.
    theta: Vec<f64>,
    /// Their sum over each flow.
    sums: Vec<f64>,
    /// The factored system's solution for a right-hand side of ones, and its sum.
    ones: Vec<f64>,
    ones_sum: f64,
}

impl System {
    fn new(state: &Iterate<'_>) -> Option<Self> {
        let m = state.program.links;
        let theta: Vec<f64> = state.w.iter().zip(&state.v).map(|(w, v)| w / v).collect();
        let sums: Vec<f64> =
            state.program.flows.iter().map(|flow| theta[flow.clone()].iter().sum()).collect();
        let diagonal: Vec<f64> = state.s.iter().zip(&state.y).map(|(s, y)| s / y).collect();
        let contrasts = Contrasts::new(&state.program.flows, &theta);
        let matrix = if state.program.is_sparse() {
            sparse_covariance(state, &contrasts, &diagonal)
        } else {
            dense_covariance(state, &contrasts, &diagonal)
        };
        let factor = matrix.cholesky()?;
        let ones = factor.solve(vec![1.0; m]);
        let ones_sum = ones.iter().sum();
        Some(Self { factor, theta, sums, ones, ones_sum })
    }

    /// The direction along which w·v changes by `wv` and s·y by `sy`.
    fn direction(&self, state: &Iterate<'_>, wv: &[f64], sy: &[f64]) -> Direction {
        let flows = &state.program.flows;
        let q: Vec<f64> = wv.iter().zip(&state.w).map(|(c, w)| c / w).collect();
        let weighted_mean = |x: &[f64], flow: &Range<usize>, sum: f64| {
            dot(&x[flow.clone()], &self.theta[flow.clone()]) / sum
        };
        let mut pushed = vec![0.0; q.len()];
        for (flow, &sum) in flows.iter().zip(&self.sums) {
            let mean = weighted_mean(&q, flow, sum);
            for j in flow.clone() {
                pushed[j] = self.theta[j] * (q[j] - mean);
            }
        }
        let mut right = times(&state.program.loads, &pushed);
        for ((right, sy), y) in right.iter_mut().zip(sy).zip(&state.y) {
            *right += sy / y;
        }
        let mut y = self.factor.solve(right);
        let t = y.iter().sum::<f64>() / self.ones_sum;
        for (y, one) in y.iter_mut().zip(&self.ones) {
            *y -= t * one;
        }
        let costs = state.costs_of(&y);
        let mut z = Vec::with_capacity(flows.len());
        let mut w = vec![0.0; q.len()];
        let mut v = vec![0.0; q.len()];
        for (flow, &sum) in flows.iter().zip(&self.sums) {
            let dz = weighted_mean(&costs, flow, sum) - weighted_mean(&q, flow, sum);
            for j in flow.clone() {
                v[j] = costs[j] - dz;
                w[j] = self.theta[j] * (q[j] - v[j]);
            }
            z.push(dz);
        }
        let s = times(&state.program.loads, &w).iter().map(|load| t - load).collect();
        Direction { w, v, s, y, z, t }
    }
}

/// How the bundles of each flow are set against each other: bundle k against the weighted mean of
/// those before it. The squares of these contrasts add up to the flow's covariance under θ, with
/// one term fewer than there are bundles.
struct Contrasts {
    /// For each bundle the factor of the difference.
    scale: Vec<f64>,
    /// By bundle: how far the mean moves towards it.
    pull: Vec<f64>,
}

impl Contrasts {
    fn new(flows: &[Range<usize>], theta: &[f64]) -> Self {
        let mut scale = vec![0.0; theta.len()];
        let mut pull = vec![1.0; theta.len()];
        for flow in flows {
            let mut sum = theta[flow.start];
            for k in flow.start + 1..flow.end {
                let more = sum + theta[k];
                scale[k] = (theta[k] / more * sum).sqrt();
                pull[k] = theta[k] / more;
                sum = more;
            }
        }
        Self { scale, pull }
    }

    /// The contrasts of one flow's loads on one link.
    fn of<'c>(&'c self, row: &'c [f64], flow: &Range<usize>) -> impl Iterator<Item = f64> + 'c {
        let mut mean = row[flow.start];
        (flow.start + 1..flow.end).map(move |k| {
            let difference = row[k] - mean;
            mean += self.pull[k] * difference;
            self.scale[k] * difference
        })
    }
}

/// Σ over flows of the covariance of its bundles' loads under θ, plus the diagonal.
fn dense_covariance(state: &Iterate<'_>, contrasts: &Contrasts, diagonal: &[f64]) -> Symmetric {
    let program = state.program;
    let width = state.bundles - program.flows.len();
    let mut rows = Vec::with_capacity(program.links * width);
    for r in 0..program.links {
        let row = state.row(r);
        rows.extend(program.flows.iter().flat_map(|flow| contrasts.of(row, flow)));
    }
    Symmetric::gram(&rows, width, diagonal)
}

/// The same, flow by flow over the links that each touches.
fn sparse_covariance(state: &Iterate<'_>, contrasts: &Contrasts, diagonal: &[f64]) -> Symmetric {
    let program = state.program;
    let blocks: Vec<Vec<f64>> = program
        .flows
        .iter()
        .zip(&program.touched)
        .map(|(flow, touched)| {
            let mut block = vec![0.0; touched.len() * (flow.len() - 1)];
            for (i, &link) in touched.iter().enumerate() {
                for (j, contrast) in contrasts.of(state.row(link), flow).enumerate() {
                    block[j * touched.len() + i] = contrast;
                }
            }
            block
        })
        .collect();
    let parts = program.flows.iter().zip(&program.touched).zip(&blocks);
    let parts = parts.map(|((flow, touched), block)| (&touched[..], &block[..], flow.len() - 1));
    Symmetric::gram_of_blocks(parts, diagonal)
}
