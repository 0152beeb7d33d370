//! How many tries it takes until one hits.

/// The expected number of tries, each with this chance to hit, until one does or `most` are made; and the chance that
/// none does.
pub(super) fn tried(hit: f64, most: f64) -> (f64, f64) {
    if hit <= 0.0 {
        return (most, 1.0);
    }
    // Below e⁻⁴⁰, which spares most pairs the power.
    if hit * most > 40.0 {
        return (1.0 / hit, 0.0);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most some thousands, and not negative"
    )]
    let missed = power(1.0 - hit, most as u32);
    ((1.0 - missed) / hit, missed)
}

/// A power by multiplications only, which gives the same result on every machine.
fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[expect(clippy::cast_precision_loss, reason = "counts of routes are far below 2⁵³")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}
