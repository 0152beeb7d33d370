//! Dense symmetric systems, the inner loop of the interior-point method.
//!
//! Loops run over slices in vectors of four, whatever the processor has: products are added up in a fixed order and
//! with fixed rounding, so results are the same on every machine.

#![expect(
    clippy::inline_always,
    reason = "what `dispatch` compiles for a vector width is just what is inlined into its closure"
)]

use pulp::{Scalar256b, Simd, WithSimd};
use std::ops::Range;

/// Runs a loop in vectors of four: the processor's own if it has them, else numbers one by one.
fn run(kernel: Kernel<'_>) {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return Simd::vectorize(simd, kernel);
    }
    Simd::vectorize(Scalar256b, kernel);
}

/// The sum of a vector's numbers, in an order that is the same for all processors.
#[inline(always)]
fn sum_of<S: Simd>(_: S, vector: S::f64s) -> f64 {
    let mut numbers = [0.0; 4];
    if let [place] = S::as_mut_simd_f64s(&mut numbers).0 {
        *place = vector;
    }
    (numbers[0] + numbers[2]) + (numbers[1] + numbers[3])
}

/// Σ a·b.
#[inline(always)]
fn dot<S: Simd>(simd: S, a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = S::as_simd_f64s(a);
    let (b, b_rest) = S::as_simd_f64s(&b[..a_rest.len() + a.len() * S::F64_LANES]);
    let mut sum = simd.splat_f64s(0.0);
    for (&a, &b) in a.iter().zip(b) {
        sum = simd.mul_add_f64s(a, b, sum);
    }
    sum_of(simd, sum) + rest(a_rest, b_rest)
}

/// The dot products of four rows with two others, all equally long: each number loaded serves
/// several times. Each sum has a name of its own, for only then do compilers reliably keep all
/// eight in registers.
#[inline(always)]
fn dots<S: Simd>(simd: S, rows: [&[f64]; 4], columns: [&[f64]; 2]) -> [[f64; 2]; 4] {
    let length = rows[0].len();
    let [(a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)] =
        rows.map(|row| S::as_simd_f64s(&row[..length]));
    let [(x, x_rest), (y, y_rest)] = columns.map(|column| S::as_simd_f64s(&column[..length]));
    let zero = simd.splat_f64s(0.0);
    let (mut ax, mut bx, mut cx, mut dx) = (zero, zero, zero, zero);
    let (mut ay, mut by, mut cy, mut dy) = (zero, zero, zero, zero);
    for (((((&a, &b), &c), &d), &x), &y) in a.iter().zip(b).zip(c).zip(d).zip(x).zip(y) {
        ax = simd.mul_add_f64s(a, x, ax);
        ay = simd.mul_add_f64s(a, y, ay);
        bx = simd.mul_add_f64s(b, x, bx);
        by = simd.mul_add_f64s(b, y, by);
        cx = simd.mul_add_f64s(c, x, cx);
        cy = simd.mul_add_f64s(c, y, cy);
        dx = simd.mul_add_f64s(d, x, dx);
        dy = simd.mul_add_f64s(d, y, dy);
    }
    let of_x = [(ax, a_rest), (bx, b_rest), (cx, c_rest), (dx, d_rest)];
    let of_y = [ay, by, cy, dy];
    let mut products = [[0.0; 2]; 4];
    for (products, ((with_x, row_rest), with_y)) in
        products.iter_mut().zip(of_x.into_iter().zip(of_y))
    {
        products[0] = sum_of(simd, with_x) + rest(row_rest, x_rest);
        products[1] = sum_of(simd, with_y) + rest(row_rest, y_rest);
    }
    products
}

#[inline(always)]
fn rest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum))
}

/// Calls `take` with each pair of a row from `rows` and one from `columns` that is not after it,
/// and their dot product. Four rows by two at a time: as many sums as fit the registers.
#[inline(always)]
fn each_product<'m, S: Simd>(
    simd: S,
    rows: Range<usize>,
    columns: Range<usize>,
    row: impl Fn(usize) -> &'m [f64],
    mut take: impl FnMut(usize, usize, f64),
) {
    for i in rows.clone().step_by(4) {
        let last_row = (i + 3).min(rows.end - 1);
        for k in (columns.start..columns.end.min(last_row + 1)).step_by(2) {
            let last_column = (k + 1).min(columns.end - 1);
            let four = [i, i + 1, i + 2, i + 3].map(|i| row(i.min(last_row)));
            let two = [k, last_column].map(&row);
            let products = dots(simd, four, two);
            for (i, products) in (i..=last_row).zip(products) {
                for (k, product) in (k..=last_column.min(i)).zip(products) {
                    take(i, k, product);
                }
            }
        }
    }
}

/// Matrix · vector, for a matrix of rows as wide as the vector.
pub(super) fn times(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    let mut products = vec![0.0; matrix.len() / vector.len().max(1)];
    run(Kernel::Times { matrix, vector, products: &mut products });
    products
}

/// Vector · matrix, for a matrix of rows of this width, as many as the vector is long.
pub(super) fn times_transposed(vector: &[f64], matrix: &[f64], width: usize) -> Vec<f64> {
    let mut sums = vec![0.0; width];
    run(Kernel::TimesTransposed { vector, matrix, sums: &mut sums });
    sums
}

/// Σ a·b of short vectors.
pub(super) fn short_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The lower triangle of a symmetric matrix, or of its Cholesky factor, in a square.
pub(super) struct Symmetric {
    size: usize,
    rows: Vec<f64>,
}

impl Symmetric {
    /// B·Bᵀ + diagonal, with rows of B of this width.
    pub(super) fn gram(b: &[f64], width: usize, diagonal: &[f64]) -> Self {
        let size = diagonal.len();
        let mut rows = vec![0.0; size * size];
        run(Kernel::Gram { rows: &mut rows, size, b, width });
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
            run(Kernel::Block { rows: &mut products, size: count, columns: b, width });
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

    /// The factor L with L·Lᵀ = self; `None` if rounding has destroyed it.
    pub(super) fn cholesky(mut self) -> Option<Self> {
        let size = self.size;
        let mut whole = true;
        run(Kernel::Factor { rows: &mut self.rows, size, whole: &mut whole });
        whole.then_some(self)
    }

    /// x with L·Lᵀ·x = right, where self is the factor L.
    pub(super) fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        run(Kernel::Substitute { rows: &self.rows, size: self.size, x: &mut right });
        right
    }
}

/// Solves L·Lᵀ·x = right in place.
#[inline(always)]
fn substitute<S: Simd>(simd: S, rows: &[f64], size: usize, x: &mut [f64]) {
    let row = |i: usize| &rows[i * size..][..=i];
    for i in 0..size {
        x[i] = (x[i] - dot(simd, &row(i)[..i], &x[..i])) / row(i)[i];
    }
    for i in (0..size).rev() {
        x[i] /= row(i)[i];
        let value = x[i];
        for (x, l) in x[..i].iter_mut().zip(row(i)) {
            *x = (-value).mul_add(*l, *x);
        }
    }
}

/// A loop to compile for each vector width.
enum Kernel<'k> {
    Times { matrix: &'k [f64], vector: &'k [f64], products: &'k mut [f64] },
    TimesTransposed { vector: &'k [f64], matrix: &'k [f64], sums: &'k mut [f64] },
    Gram { rows: &'k mut [f64], size: usize, b: &'k [f64], width: usize },
    Block { rows: &'k mut [f64], size: usize, columns: &'k [f64], width: usize },
    Factor { rows: &'k mut [f64], size: usize, whole: &'k mut bool },
    Substitute { rows: &'k [f64], size: usize, x: &'k mut [f64] },
}

impl WithSimd for Kernel<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self {
            Self::Times { matrix, vector, products } => {
                let rows = matrix.chunks_exact(vector.len().max(1));
                for (product, row) in products.iter_mut().zip(rows) {
                    *product = dot(simd, row, vector);
                }
            }
            Self::TimesTransposed { vector, matrix, sums } => {
                for (row, &factor) in matrix.chunks_exact(sums.len().max(1)).zip(vector) {
                    for (sum, value) in sums.iter_mut().zip(row) {
                        *sum = factor.mul_add(*value, *sum);
                    }
                }
            }
            Self::Gram { rows, size, b, width } => gram(simd, rows, size, b, width),
            Self::Block { rows, size, columns, width } => add_block(rows, size, columns, width),
            Self::Factor { rows, size, whole } => *whole = factor(simd, rows, size),
            Self::Substitute { rows, size, x } => substitute(simd, rows, size, x),
        }
    }
}

/// Puts B·Bᵀ into the lower triangle.
#[inline(always)]
fn gram<S: Simd>(simd: S, rows: &mut [f64], size: usize, b: &[f64], width: usize) {
    let row = |i: usize| &b[i * width..][..width];
    each_product(simd, 0..size, 0..size, row, |i, k, product| rows[i * size + k] = product);
}

/// Adds B·Bᵀ to the lower triangle, for B with few columns, given column by column.
#[inline(always)]
fn add_block(rows: &mut [f64], size: usize, columns: &[f64], width: usize) {
    for column in columns.chunks_exact(size.max(1)).take(width) {
        for (i, &factor) in column.iter().enumerate() {
            let to = &mut rows[i * size..][..=i];
            for (to, value) in to.iter_mut().zip(column) {
                *to = factor.mul_add(*value, *to);
            }
        }
    }
}

/// How many columns of the factor are found at a time.
const PANEL: usize = 8;

/// Turns the lower triangle into its Cholesky factor; `false` if rounding has left it without.
///
/// Works on a panel of columns at a time: the contribution of earlier columns is a product of rows, which is fast;
/// little work remains within the panel.
#[inline(always)]
fn factor<S: Simd>(simd: S, rows: &mut [f64], size: usize) -> bool {
    let diagonal: Vec<f64> = (0..size).map(|i| rows[i * size + i]).collect();
    let mut changes = Vec::new();
    for start in (0..size).step_by(PANEL) {
        let end = (start + PANEL).min(size);
        changes.clear();
        let row = |i: usize| &rows[i * size..][..start];
        each_product(simd, start..size, start..end, row, |i, k, product| {
            changes.push((i * size + k, product));
        });
        for &(place, product) in &changes {
            rows[place] -= product;
        }
        let mut inverse = [0.0; PANEL];
        for i in start..size {
            let (above, from_i) = rows.split_at_mut(i * size);
            let row = &mut from_i[start..end];
            for k in start..end.min(i) {
                let other = &above[k * size + start..][..=k - start];
                let sum = rest(&row[..k - start], &other[..k - start]);
                row[k - start] = (row[k - start] - sum) * inverse[k - start];
            }
            if i < end {
                let pivot = row[i - start] - rest(&row[..i - start], &row[..i - start]);
                if !pivot.is_finite() {
                    return false;
                }
                // A pivot lost to cancellation belongs to a direction that the other links determine; a huge one leaves
                // it unchanged.
                let root = if pivot > 1e-14 * diagonal[i] { pivot.sqrt() } else { 1e64 };
                row[i - start] = root;
                inverse[i - start] = 1.0 / root;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of a processor without vectors is the same, bit for bit.
    #[test]
    fn processors_agree() {
        for size in [1, 7, 16, 45] {
            let width = size + 5;
            let b: Vec<f64> = (0..size * width)
                .map(|i| f64::from(u32::try_from(i % 97).unwrap()).sin())
                .collect();
            let gram = |run: &dyn Fn(Kernel<'_>)| {
                let mut rows = vec![0.0; size * size];
                run(Kernel::Gram { rows: &mut rows, size, b: &b, width });
                (0..size).for_each(|i| rows[i * size + i] += 1.0);
                run(Kernel::Factor { rows: &mut rows, size, whole: &mut false });
                let mut x = b[..size].to_vec();
                run(Kernel::Substitute { rows: &rows, size, x: &mut x });
                rows.append(&mut x);
                rows.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            assert_eq!(gram(&run), gram(&|kernel| Simd::vectorize(Scalar256b, kernel)), "{size}");
        }
    }

    #[test]
    fn the_factor_solves_the_system() {
        for size in (1..12_u32).chain([15, 16, 17, 33, 50]) {
            let width = size as usize + 3;
            let b: Vec<f64> = (0..size as usize * width)
                .map(|i| f64::from(u32::try_from(i * i * 7 % 23).unwrap()) - 11.0)
                .collect();
            let diagonal: Vec<f64> = (0..size).map(|i| 0.5 + f64::from(i)).collect();
            let n = size as usize;
            let entry = |i: usize, k: usize| {
                short_dot(&b[i * width..][..width], &b[k * width..][..width])
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
