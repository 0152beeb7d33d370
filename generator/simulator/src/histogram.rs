//! A histogram of latencies of fixed size: exact below 2048 cycles, within 1/64 above.

/// Below this every cycle has its own bin.
const EXACT: u64 = 2048;
/// Bins per doubling above.
const PER_DOUBLING: u64 = 64;
const BINS: usize = 2048 + 64 * 21;

/// Counts of latencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    bins: Vec<u64>,
    count: u64,
    sum: u64,
    most: u32,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { bins: vec![0; BINS], count: 0, sum: 0, most: 0 }
    }
}

impl Histogram {
    #[inline]
    pub fn add(&mut self, latency: u32) {
        self.bins[bin(latency)] += 1;
        self.count += 1;
        self.sum += u64::from(latency);
        self.most = self.most.max(latency);
    }

    pub const fn count(&self) -> u64 {
        self.count
    }

    pub const fn sum(&self) -> u64 {
        self.sum
    }

    /// The mean latency; 0 if it is empty.
    pub const fn mean(&self) -> f64 {
        self.mean_of(self.sum)
    }

    /// The mean over the packets of something of which this is the sum; 0 if it is empty.
    #[expect(clippy::cast_precision_loss, reason = "sums stay far below 2^53")]
    pub const fn mean_of(&self, sum: u64) -> f64 {
        if self.count == 0 { 0.0 } else { sum as f64 / self.count as f64 }
    }

    pub const fn most(&self) -> u32 {
        self.most
    }

    /// The least latency that at least `parts` of 1000 packets do not exceed: its bin's largest latency, and never more
    /// than the largest seen; 0 if it is empty.
    pub fn percentile(&self, parts: u64) -> u32 {
        let needed = (self.count * parts).div_ceil(1000).max(1);
        let mut seen = 0;
        for (bin, &count) in self.bins.iter().enumerate() {
            seen += count;
            if seen >= needed {
                return last_of(bin).min(self.most);
            }
        }
        self.most
    }

    /// Adds another's counts.
    pub fn merge(&mut self, other: &Self) {
        for (bin, &more) in self.bins.iter_mut().zip(&other.bins) {
            *bin += more;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.most = self.most.max(other.most);
    }
}

#[inline]
fn bin(latency: u32) -> usize {
    let latency = u64::from(latency);
    if latency < EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "below 2048")]
        return latency as usize;
    }
    // 11 for 2048 to 4095, and so on; the six bits after the leading one number the bin.
    let doubling = latency.ilog2();
    let within = (latency >> (doubling - 6)) & (PER_DOUBLING - 1);
    #[expect(clippy::cast_possible_truncation, reason = "below the number of bins")]
    let bin = (EXACT + (u64::from(doubling) - 11) * PER_DOUBLING + within) as usize;
    bin
}

/// The largest latency of a bin.
fn last_of(bin: usize) -> u32 {
    let bin = bin as u64;
    if bin < EXACT {
        return u32::try_from(bin).expect("below 2048");
    }
    let (doubling, within) = ((bin - EXACT) / PER_DOUBLING + 11, (bin - EXACT) % PER_DOUBLING);
    let last = ((PER_DOUBLING + within + 1) << (doubling - 6)) - 1;
    u32::try_from(last).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_latency_lies_in_its_bin() {
        for latency in (0..10_000).chain([65_535, 65_536, 1 << 20, (1 << 31) + 5, u32::MAX]) {
            let bin = bin(latency);
            assert!(bin < BINS && latency <= last_of(bin), "{latency}");
            assert!(bin == 0 || last_of(bin - 1) < latency, "{latency}");
            assert!(f64::from(last_of(bin) - latency) <= f64::from(latency) / 64.0, "{latency}");
        }
    }

    #[test]
    fn a_bin_counts_beyond_32_bits() {
        let mut histogram = Histogram::default();
        for latency in [50, 60, 70] {
            histogram.add(latency);
        }
        for _ in 0..33 {
            let same = histogram.clone();
            histogram.merge(&same);
        }
        assert_eq!(histogram.count(), 3 << 33);
        assert_eq!([300, 600, 900].map(|parts| histogram.percentile(parts)), [50, 60, 70]);
        assert!((histogram.mean() - 60.0).abs() < 1e-9);
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_list() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|latency| histogram.add(latency));
        assert_eq!([500, 990, 999, 1000].map(|p| histogram.percentile(p)), [500, 990, 999, 1000]);
        assert_eq!((histogram.sum(), histogram.count(), histogram.most()), (500_500, 1000, 1000));
        assert_eq!(Histogram::default().percentile(500), 0);
    }
}
