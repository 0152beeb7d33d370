//! Bernoulli injection without a draw per cycle.
//!
//! A node that generates a packet in each cycle with probability p waits a geometrically
//! distributed number of cycles between two packets, so one draw per packet is enough. The
//! distribution is tabulated once per run by multiplication alone, which is the same on every
//! machine, and what lies beyond the table is drawn again: the geometric distribution has no
//! memory, so that is exact.

use rand_core::Rng;

/// Below this the rest of the distribution is left to a second draw.
const REST: f64 = 1.0 / 4096.0;
const MOST_ENTRIES: usize = 4096;

/// The distribution of the gaps between packets.
#[derive(Clone, Debug)]
pub struct Gaps {
    /// Entry k is P(gap ≤ k + 1) in parts of 2⁶⁴.
    at_most: Vec<u64>,
    /// By the first byte of a draw: the first entry that can hold it.
    guide: Vec<u16>,
}

impl Gaps {
    /// For a probability above 0 and at most 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a conversion to u64 saturates, and indices are below the size of the table"
    )]
    pub fn new(probability: f64) -> Self {
        let miss = 1.0 - probability;
        let mut left = 1.0;
        let mut at_most = Vec::new();
        while at_most.len() < MOST_ENTRIES && (at_most.is_empty() || left > REST) {
            left *= miss;
            at_most.push(((1.0 - left) * (u64::MAX as f64)) as u64);
        }
        let first = |byte: u64| at_most.partition_point(|&entry| entry < byte << 56) as u16;
        let guide = (0..256).map(first).collect();
        Self { at_most, guide }
    }

    /// Cycles from one packet to the next, 1 or more.
    #[inline]
    pub fn draw(&self, rng: &mut impl Rng) -> u32 {
        let mut before = 0;
        loop {
            let random = rng.next_u64();
            let mut k = usize::from(self.guide[(random >> 56) as usize]);
            while k < self.at_most.len() && self.at_most[k] < random {
                k += 1;
            }
            #[expect(clippy::cast_possible_truncation, reason = "at most 4096")]
            let entry = k as u32;
            if k < self.at_most.len() {
                return before + entry + 1;
            }
            before += entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn gaps_have_the_mean_and_the_spread_of_a_geometric_distribution() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for p in [0.0001, 0.01, 0.3, 0.5, 0.99] {
            let gaps = Gaps::new(p);
            let n = 200_000;
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..n {
                let gap = f64::from(gaps.draw(&mut rng));
                sum += gap;
                squares += gap * gap;
            }
            let mean = sum / f64::from(n);
            let variance = squares / f64::from(n) - mean * mean;
            let expected = (1.0 - p) / (p * p);
            assert!((mean * p - 1.0).abs() < 0.01, "{p}: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.04, "{p}: {variance}");
        }
    }

    #[test]
    fn a_load_of_one_sends_in_every_cycle() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let gaps = Gaps::new(1.0);
        assert!((0..10_000).all(|_| gaps.draw(&mut rng) == 1));
    }
}
