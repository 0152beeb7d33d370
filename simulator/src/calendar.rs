//! A ring of buckets, one per cycle and lane: what will happen, filed under when and where.
//!
//! Latencies are bounded, so a ring somewhat longer than the longest one serves for ever. What is
//! filed under a cycle and lane lies in a chain of small blocks, the last one first. Emptied blocks
//! go to the next buckets that need some, so what is in use is hardly more than what is filed, in
//! few pages of memory, and soon nothing is allocated any more. All lanes of a cycle lie together:
//! whoever files does so for many lanes and few cycles.

/// The things of a block; also how a place is split into block and place within.
const SIZE: u32 = 32;

/// Things by the cycle at which they happen.
#[derive(Debug)]
pub(crate) struct Calendar<T> {
    /// Per cycle and lane the place for the next thing; a multiple of [`SIZE`] where the last block
    /// is full, or where there is none, and then 0.
    ends: Vec<u32>,
    /// Block after block; the first is nobody's.
    things: Vec<T>,
    /// Per block the one that was filled before it, or 0.
    earlier: Vec<u32>,
    /// Blocks that no bucket has.
    spare: Vec<u32>,
    /// The cycles of a lane are a power of two.
    mask: u32,
    /// The places of a cycle are a power of two: one for each lane, and those that are left over.
    lane_bits: u32,
}

/// What is filed under one cycle and lane: the place behind the last thing, or 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bucket(u32);

impl<T: Copy + Default> Calendar<T> {
    /// A calendar that can look `horizon` cycles ahead.
    pub(crate) fn new(horizon: u32, lanes: usize) -> Self {
        let size = (horizon + 1).next_power_of_two();
        let lane_bits = lanes.next_power_of_two().trailing_zeros();
        Self {
            ends: vec![0; (size as usize) << lane_bits],
            things: vec![T::default(); SIZE as usize],
            earlier: vec![0],
            spare: Vec::new(),
            mask: size - 1,
            lane_bits,
        }
    }

    #[inline]
    const fn place(&self, cycle: u32, lane: usize) -> usize {
        ((cycle & self.mask) as usize) << self.lane_bits | lane
    }

    /// Files something under a cycle less than the horizon ahead.
    #[inline]
    pub(crate) fn file(&mut self, cycle: u32, lane: usize, thing: T) {
        let place = self.place(cycle, lane);
        let mut end = self.ends[place];
        if end.is_multiple_of(SIZE) {
            end = self.next_block(end);
        }
        self.things[end as usize] = thing;
        self.ends[place] = end + 1;
    }

    /// The first place of another block, behind that which is full at `end`.
    #[inline(never)]
    fn next_block(&mut self, end: u32) -> u32 {
        let block = self.spare.pop().unwrap_or_else(|| {
            self.things.extend([T::default(); SIZE as usize]);
            self.earlier.push(0);
            u32::try_from(self.earlier.len() - 1).expect("far fewer things are under way than 2^27")
        });
        self.earlier[block as usize] = end.saturating_sub(1) / SIZE;
        block * SIZE
    }

    /// Takes what is filed under a cycle; to be handed back with [`Self::recycle`].
    #[inline]
    pub(crate) fn take(&mut self, cycle: u32, lane: usize) -> Bucket {
        let place = self.place(cycle, lane);
        Bucket(std::mem::take(&mut self.ends[place]))
    }

    /// What is in a bucket, block by block, the last one first.
    #[inline]
    pub(crate) fn blocks(&self, bucket: Bucket) -> impl Iterator<Item = &[T]> {
        self.chain(bucket).map(|(block, len)| &self.things[(block * SIZE) as usize..][..len])
    }

    /// Hands back a bucket that has been dealt with, for its blocks.
    #[inline]
    pub(crate) fn recycle(&mut self, bucket: Bucket) {
        let (mut block, _) = block_of(bucket.0);
        while block != 0 {
            self.spare.push(block);
            block = self.earlier[block as usize];
        }
    }

    /// The blocks of a bucket, with how many things are in each.
    #[inline]
    fn chain(&self, bucket: Bucket) -> impl Iterator<Item = (u32, usize)> {
        let last = Some(block_of(bucket.0)).filter(|&(block, _)| block != 0);
        std::iter::successors(last, |&(block, _)| match self.earlier[block as usize] {
            0 => None,
            block => Some((block, SIZE as usize)),
        })
    }

    /// All that is filed, with its lane, in no order of time.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.ends.iter().enumerate().flat_map(move |(place, &end)| {
            let things = self.blocks(Bucket(end)).flatten();
            things.map(move |thing| (place & ((1 << self.lane_bits) - 1), thing))
        })
    }

    /// The bytes that it holds.
    pub(crate) const fn bytes(&self) -> usize {
        let numbers = self.ends.capacity() + self.earlier.capacity() + self.spare.capacity();
        self.things.capacity() * size_of::<T>() + numbers * size_of::<u32>()
    }
}

/// The block that ends at a place, and how many things are in it; 0 and 0 for none.
#[inline]
const fn block_of(end: u32) -> (u32, usize) {
    if end == 0 {
        return (0, 0);
    }
    let last = end - 1;
    (last / SIZE, (last % SIZE + 1) as usize)
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
