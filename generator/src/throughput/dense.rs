//! Dense symmetric systems, the inner loop of the interior-point method.
//!
//! Plain loops over slices, with several independent sums where a sum is long: the compiler may not
//! reorder a floating-point sum by itself, and one sum at a time would use a fraction of the
//! machine. `pulp` compiles them once for each vector width that the processor may have. The order
//! of operations is the same in all of them and none fuses a multiplication with an addition, so
//! results are the same on every run and every machine.

#![expect(
    clippy::inline_always,
    reason = "what `dispatch` compiles for a vector width is just what is inlined into its closure"
)]

use pulp::Arch;

/// How many partial sums a dot product keeps.
const LANES: usize = 8;

/// Σ a·b.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    total(sums) + rest(a_rest, b_rest)
}

#[inline(always)]
fn total(sums: [f64; LANES]) -> f64 {
    sums.iter().sum()
}

#[inline(always)]
fn rest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Four dot products at once, of two rows with two rows: each number loaded serves twice.
#[inline(always)]
fn dots(a: [&[f64]; 2], b: [&[f64]; 2]) -> [[f64; 2]; 2] {
    let mut sums = [[[0.0; LANES]; 2]; 2];
    let (a0, a0_rest) = a[0].as_chunks::<LANES>();
    let (a1, a1_rest) = a[1].as_chunks::<LANES>();
    let (b0, b0_rest) = b[0].as_chunks::<LANES>();
    let (b1, b1_rest) = b[1].as_chunks::<LANES>();
    for (((a0, a1), b0), b1) in a0.iter().zip(a1).zip(b0).zip(b1) {
        for lane in 0..LANES {
            sums[0][0][lane] += a0[lane] * b0[lane];
            sums[0][1][lane] += a0[lane] * b1[lane];
            sums[1][0][lane] += a1[lane] * b0[lane];
            sums[1][1][lane] += a1[lane] * b1[lane];
        }
    }
    [
        [total(sums[0][0]) + rest(a0_rest, b0_rest), total(sums[0][1]) + rest(a0_rest, b1_rest)],
        [total(sums[1][0]) + rest(a1_rest, b0_rest), total(sums[1][1]) + rest(a1_rest, b1_rest)],
    ]
}

/// The lower triangle of a symmetric matrix, or of its Cholesky factor, in a square.
pub(super) struct Symmetric {
    size: usize,
    rows: Vec<f64>,
}

impl Symmetric {
    /// B·Bᵀ + diagonal, where B has rows of this width.
    pub(super) fn gram(b: &[f64], width: usize, diagonal: &[f64]) -> Self {
        let size = diagonal.len();
        let mut rows = vec![0.0; size * size];
        Arch::new().dispatch(|| add_gram(&mut rows, size, b, width));
        for (i, d) in diagonal.iter().enumerate() {
            rows[i * size + i] += d;
        }
        Self { size, rows }
    }

    /// Σ B·Bᵀ + diagonal over blocks that each touch few rows: (the rows, B with rows of a width).
    pub(super) fn gram_of_blocks<'b>(
        blocks: impl Iterator<Item = (&'b [usize], &'b [f64], usize)>,
        diagonal: &[f64],
    ) -> Self {
        let size = diagonal.len();
        let mut rows = vec![0.0; size * size];
        let mut products = Vec::new();
        for (touched, b, width) in blocks {
            let count = touched.len();
            products.clear();
            products.resize(count * count, 0.0);
            Arch::new().dispatch(|| add_block(&mut products, count, b, width));
            for (i, &row) in touched.iter().enumerate() {
                let from = &products[i * count..][..=i];
                let to = &mut rows[row * size..][..=row];
                for (&column, product) in touched.iter().zip(from) {
                    to[column] += product;
                }
            }
        }
        for (i, d) in diagonal.iter().enumerate() {
            rows[i * size + i] += d;
        }
        Self { size, rows }
    }

    /// The factor L with L·Lᵀ = self; `None` if rounding has left it without.
    pub(super) fn cholesky(mut self) -> Option<Self> {
        let size = self.size;
        Arch::new().dispatch(|| factor(&mut self.rows, size)).then_some(self)
    }

    /// x with L·Lᵀ·x = right, where self is the factor L.
    pub(super) fn solve(&self, right: Vec<f64>) -> Vec<f64> {
        let size = self.size;
        let row = |i: usize| &self.rows[i * size..][..=i];
        let mut x = right;
        for i in 0..size {
            x[i] = (x[i] - dot(&row(i)[..i], &x[..i])) / row(i)[i];
        }
        for i in (0..size).rev() {
            x[i] /= row(i)[i];
            let value = x[i];
            for (x, l) in x[..i].iter_mut().zip(row(i)) {
                *x -= value * l;
            }
        }
        x
    }
}

/// Adds B·Bᵀ to the lower triangle.
#[inline(always)]
fn add_gram(rows: &mut [f64], size: usize, b: &[f64], width: usize) {
    let row = |i: usize| &b[i * width..][..width];
    for i in (0..size).step_by(2) {
        let i1 = (i + 1).min(size - 1);
        for k in (0..=i).step_by(2) {
            let k1 = (k + 1).min(size - 1);
            let products = dots([row(i), row(i1)], [row(k), row(k1)]);
            rows[i * size + k] = products[0][0];
            rows[i1 * size + k] = products[1][0];
            rows[i1 * size + k1] = products[1][1];
            if k1 <= i {
                rows[i * size + k1] = products[0][1];
            }
        }
    }
}

/// Adds B·Bᵀ to the lower triangle, where B has few columns and is given column by column.
#[inline(always)]
fn add_block(rows: &mut [f64], size: usize, columns: &[f64], width: usize) {
    for column in columns.chunks_exact(size.max(1)).take(width) {
        for (i, &factor) in column.iter().enumerate() {
            let to = &mut rows[i * size..][..=i];
            for (to, value) in to.iter_mut().zip(column) {
                *to += factor * value;
            }
        }
    }
}

/// Turns the lower triangle into its Cholesky factor; `false` if rounding has left it without.
#[inline(always)]
fn factor(rows: &mut [f64], size: usize) -> bool {
    for i in 0..size {
        let (above, from_i) = rows.split_at_mut(i * size);
        let row = &mut from_i[..size];
        let diagonal = row[i];
        for k in 0..i {
            let other = &above[k * size..][..=k];
            row[k] = (row[k] - dot(&row[..k], &other[..k])) / other[k];
        }
        let pivot = diagonal - dot(&row[..i], &row[..i]);
        if !pivot.is_finite() {
            return false;
        }
        // A pivot lost to cancellation stands for a direction that the other links determine; a
        // huge one leaves it as it is.
        row[i] = if pivot > 1e-14 * diagonal { pivot.sqrt() } else { 1e64 };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_solves_the_system() {
        for size in 1..12_u32 {
            let width = size as usize + 3;
            let b: Vec<f64> = (0..size as usize * width)
                .map(|i| f64::from(u32::try_from(i * i * 7 % 23).unwrap()) - 11.0)
                .collect();
            let diagonal: Vec<f64> = (0..size).map(|i| 0.5 + f64::from(i)).collect();
            let n = size as usize;
            let entry = |i: usize, k: usize| {
                dot(&b[i * width..][..width], &b[k * width..][..width])
                    + if i == k { diagonal[i] } else { 0.0 }
            };
            let x: Vec<f64> = (0..size).map(|i| f64::from(i) - 2.5).collect();
            let right = (0..n).map(|i| (0..n).map(|k| entry(i, k) * x[k]).sum()).collect();
            let factor = Symmetric::gram(&b, width, &diagonal).cholesky().unwrap();
            for (found, expected) in factor.solve(right).iter().zip(&x) {
                assert!((found - expected).abs() < 1e-9, "size {size}");
            }
        }
    }
}
