//! A ring of buckets, one per cycle and lane: future events, filed by when and where they happen.
//!
//! Latencies are bounded, so a ring somewhat longer than the longest one is enough for any run. The entries of a cycle
//! and lane are in a chain of small blocks, of which the last one comes first. An emptied block goes to the next bucket
//! that needs one. So the blocks in use hold hardly more than the entries, they occupy few pages of memory, and after
//! some cycles nothing more is allocated. All lanes of a cycle are stored together, because one part of a cycle files
//! under many lanes and few cycles.

use std::ops::Range;

/// Entries per block. An entry's index among all entries is its block's number times this, plus its index within the
/// block.
const SIZE: u32 = 32;

/// A block of entries, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
struct BlockId(u32);

impl BlockId {
    /// Block 0, which is empty and stands for no block.
    const NONE: Self = Self(0);

    /// Where its entries begin among all entries.
    #[inline]
    const fn first_entry(self) -> u32 {
        self.0 * SIZE
    }

    /// Its place in an array over all blocks.
    #[inline]
    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Things by the cycle in which they happen, and by lane.
#[derive(Debug)]
pub struct Calendar<T> {
    /// For each cycle of the ring, for each lane, its entries.
    buckets: Vec<Bucket>,
    /// The entries of all blocks, block after block, those of [`BlockId::NONE`] included.
    things: Vec<T>,
    /// For each block the previous one of the same bucket.
    earlier: Vec<BlockId>,
    /// Blocks that no bucket has.
    spare: Vec<BlockId>,
    /// The number of cycles in the ring, which is a power of two, less 1.
    mask: u32,
    /// A cycle has 2^`lane_bits` buckets. Those after the last lane are never used.
    lane_bits: u32,
}

/// The entries of one cycle and lane: the index among all entries after the last one, or 0 if there are none. A
/// multiple of [`SIZE`] means that the last block is full.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub struct Bucket(u32);

impl Bucket {
    /// The last of its blocks and how many entries that block holds; [`BlockId::NONE`] and 0 if there are none.
    #[inline]
    const fn last_block(self) -> (BlockId, usize) {
        if self.0 == 0 {
            return (BlockId::NONE, 0);
        }
        let last = self.0 - 1;
        (BlockId(last / SIZE), (last % SIZE + 1) as usize)
    }
}

impl<T: Copy + Default> Calendar<T> {
    /// An empty calendar for things up to `horizon` cycles ahead.
    pub fn new(horizon: u32, lanes: usize) -> Self {
        let size = (horizon + 1).next_power_of_two();
        let lane_bits = lanes.next_power_of_two().trailing_zeros();
        Self {
            buckets: vec![Bucket::default(); (size as usize) << lane_bits],
            things: vec![T::default(); SIZE as usize],
            earlier: vec![BlockId::NONE],
            spare: Vec::new(),
            mask: size - 1,
            lane_bits,
        }
    }

    /// How many bytes the buckets of a calendar take.
    pub(crate) fn bytes_of_buckets(horizon: u32, lanes: usize) -> u64 {
        let buckets =
            u64::from((horizon + 1).next_power_of_two()) * lanes.next_power_of_two() as u64;
        buckets * size_of::<Bucket>() as u64
    }

    #[inline]
    const fn place(&self, cycle: u32, lane: usize) -> usize {
        ((cycle & self.mask) as usize) << self.lane_bits | lane
    }

    /// Files something under a cycle less than the horizon ahead.
    #[inline]
    pub fn file(&mut self, cycle: u32, lane: usize, thing: T) {
        let place = self.place(cycle, lane);
        let Bucket(mut end) = self.buckets[place];
        if end.is_multiple_of(SIZE) {
            end = self.next_block(Bucket(end)).first_entry();
        }
        self.things[end as usize] = thing;
        self.buckets[place] = Bucket(end + 1);
    }

    /// Adds an empty block to a bucket whose blocks are full. This is rare, so it is kept out of the code that files.
    #[inline(never)]
    fn next_block(&mut self, bucket: Bucket) -> BlockId {
        let block = self.spare.pop().unwrap_or_else(|| {
            self.things.extend([T::default(); SIZE as usize]);
            self.earlier.push(BlockId::NONE);
            let number = u32::try_from(self.earlier.len() - 1);
            BlockId(number.expect("far fewer things are under way than 2^27"))
        });
        (self.earlier[block.index()], _) = bucket.last_block();
        block
    }

    /// Takes the entries of a cycle and lane. The caller returns the bucket with [`Self::recycle`] after reading it.
    #[inline]
    pub fn take(&mut self, cycle: u32, lane: usize) -> Bucket {
        let place = self.place(cycle, lane);
        std::mem::take(&mut self.buckets[place])
    }

    /// What is in a bucket, block by block; the last block comes first.
    #[inline]
    pub fn blocks(&self, bucket: Bucket) -> impl Iterator<Item = &[T]> {
        self.chain(bucket).map(|(block, len)| &self.things[block.first_entry() as usize..][..len])
    }

    /// Makes the blocks of a bucket that has been read available.
    #[inline]
    pub fn recycle(&mut self, bucket: Bucket) {
        let (mut block, _) = bucket.last_block();
        while block != BlockId::NONE {
            self.spare.push(block);
            block = self.earlier[block.index()];
        }
    }

    /// The blocks of a bucket, with how many things are in each.
    #[inline]
    fn chain(&self, bucket: Bucket) -> impl Iterator<Item = (BlockId, usize)> {
        let last = Some(bucket.last_block()).filter(|&(block, _)| block != BlockId::NONE);
        std::iter::successors(last, |&(block, _)| match self.earlier[block.index()] {
            BlockId::NONE => None,
            block => Some((block, SIZE as usize)),
        })
    }

    /// How many cycles ahead things can be filed.
    pub(crate) const fn horizon(&self) -> u32 {
        self.mask
    }

    /// Takes out the entries of some cycles and lanes, each with its cycle and lane.
    pub(crate) fn drain(
        &mut self,
        cycles: Range<u32>,
        lanes: Range<usize>,
        mut give: impl FnMut(u32, usize, T),
    ) {
        for cycle in cycles {
            for lane in lanes.clone() {
                let bucket = self.take(cycle, lane);
                if bucket.0 != 0 {
                    self.blocks(bucket).flatten().for_each(|&thing| give(cycle, lane, thing));
                    self.recycle(bucket);
                }
            }
        }
    }

    /// Everything that is filed, each with its lane, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.buckets.iter().enumerate().flat_map(move |(place, &bucket)| {
            let things = self.blocks(bucket).flatten();
            things.map(move |thing| (place & ((1 << self.lane_bits) - 1), thing))
        })
    }

    /// How many bytes the calendar holds.
    pub(crate) const fn bytes(&self) -> usize {
        let numbers = self.buckets.capacity() + self.earlier.capacity() + self.spare.capacity();
        self.things.capacity() * size_of::<T>() + numbers * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(calendar: &mut Calendar<u16>, cycle: u32, lane: usize) -> Vec<u16> {
        let bucket = calendar.take(cycle, lane);
        let mut things: Vec<u16> = calendar.blocks(bucket).flatten().copied().collect();
        things.sort_unstable();
        calendar.recycle(bucket);
        things
    }

    #[test]
    fn what_is_filed_is_found_under_its_cycle_and_lane_and_nowhere_else() {
        let mut calendar = Calendar::new(9, 3);
        // Full blocks, one thing more and none at all, over and over.
        for round in 0..100 {
            let count = |lane: usize| [16, 33, 0][(lane + round as usize) % 3];
            for lane in 0..3 {
                (0..count(lane)).for_each(|thing| calendar.file(round + 9, lane, thing));
            }
            let expected: u16 = (0..3).map(count).sum();
            let at_this = calendar.iter().filter(|(lane, _)| *lane == 1).count();
            assert!(at_this >= count(1).into());
            if round >= 9 {
                let found = (0..3).map(|lane| taken(&mut calendar, round, lane));
                let found: Vec<Vec<u16>> = found.collect();
                assert_eq!(found.iter().map(Vec::len).sum::<usize>(), usize::from(expected));
                for things in found {
                    assert!(things.iter().copied().eq(0..u16::try_from(things.len()).unwrap()));
                }
            }
        }
        let blocks = calendar.earlier.len();
        assert!(blocks <= 10 * 4 + 1, "blocks are used again: {blocks}");
    }
}
