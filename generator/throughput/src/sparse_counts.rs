//! Counts by number of which few are not zero, so that neither reading nor forgetting them looks at all.

/// As many counts share a bit that says that one of them may not be zero.
const BLOCK: usize = 64;

/// Rows of counts. What is read is forgotten.
#[derive(Clone, Debug)]
pub(crate) struct SparseCounts {
    counts: Vec<f64>,
    /// Of each row, a bit for each block of counts.
    touched: Vec<u64>,
    /// Blocks of a row, a whole number of words of `touched`.
    blocks: usize,
}

impl SparseCounts {
    /// So many rows, each of so many counts, all zero.
    pub(crate) fn new(rows: usize, length: usize) -> Self {
        let blocks = length.div_ceil(BLOCK).next_multiple_of(64);
        let touched = vec![0; rows * blocks / 64];
        Self { counts: vec![0.0; rows * blocks * BLOCK], touched, blocks }
    }

    pub(crate) fn add(&mut self, row: usize, number: usize, count: f64) {
        let at = row * self.blocks * BLOCK + number;
        self.counts[at] += count;
        self.touched[at / BLOCK / 64] |= 1 << (at / BLOCK % 64);
    }

    /// The counts of a row that are above zero, by rising number. From then on the row is all zeros.
    pub(crate) fn take(&mut self, row: usize) -> Vec<(usize, f64)> {
        let (first, words) = (row * self.blocks, self.blocks / 64);
        let mut found = Vec::new();
        for (word, bits) in (0..).zip(&mut self.touched[first / 64..][..words]) {
            while *bits != 0 {
                let block = word * 64 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                let counts = &mut self.counts[(first + block) * BLOCK..][..BLOCK];
                for (number, count) in (block * BLOCK..).zip(counts) {
                    if *count > 0.0 {
                        found.push((number, *count));
                    }
                    *count = 0.0;
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_read_once_in_order() {
        let mut counts = SparseCounts::new(3, 5000);
        for (row, number) in [(1, 4999), (1, 0), (1, 64), (2, 63), (1, 63), (1, 64)] {
            counts.add(row, number, 1.5);
        }
        counts.add(1, 200, 0.0);
        assert_eq!(counts.take(0), []);
        assert_eq!(counts.take(1), [(0, 1.5), (63, 1.5), (64, 3.0), (4999, 1.5)]);
        assert_eq!(counts.take(1), []);
        assert_eq!(counts.take(2), [(63, 1.5)]);
        assert!(counts.counts.iter().all(|&count| count == 0.0));
    }
}
