//! A ring of buckets, one per cycle and lane: what will happen, filed under when and where.
//!
//! Latencies are bounded, so a ring somewhat longer than the longest one serves for ever. What can
//! be filed for one cycle and lane is bounded too, since a link carries one flit per cycle; so a
//! bucket is a block of fixed size. An emptied bucket's block goes to the next one that needs one:
//! the memory in use stays small and in the caches, and soon nothing is allocated any more.

/// Things by the cycle at which they happen.
#[derive(Debug)]
pub(crate) struct Calendar<T> {
    /// Per lane those of its cycles.
    buckets: Vec<Bucket>,
    blocks: Vec<T>,
    /// Blocks that no bucket has.
    spare: Vec<u32>,
    /// The size of a block.
    most: u32,
    /// The cycles of a lane are a power of two.
    mask: u32,
    bits: u32,
}

/// What is filed under one cycle and lane: where its block begins, and how many things.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bucket {
    start: u32,
    len: u32,
}

impl<T: Copy + Default> Calendar<T> {
    /// A calendar that can look `horizon` cycles ahead, with room for `most` things in each cycle
    /// and lane.
    pub(crate) fn new(horizon: u32, lanes: usize, most: u32) -> Self {
        let size = (horizon + 1).next_power_of_two();
        let buckets = vec![Bucket::default(); size as usize * lanes];
        let (mask, bits) = (size - 1, size.trailing_zeros());
        // A block begins on whatever cache line, not on the same few of each page.
        let line = 64 / u32::try_from(size_of::<T>()).expect("small");
        let most = (most.div_ceil(line) | 1) * line;
        Self { buckets, blocks: Vec::new(), spare: Vec::new(), most, mask, bits }
    }

    /// Files something under a cycle less than the horizon ahead.
    #[inline]
    pub(crate) fn file(&mut self, cycle: u32, lane: usize, thing: T) {
        let bucket = &mut self.buckets[lane << self.bits | (cycle & self.mask) as usize];
        if bucket.len == 0 {
            bucket.start = block(&mut self.blocks, &mut self.spare, self.most);
        }
        debug_assert!(bucket.len < self.most, "a link carries one flit per cycle");
        self.blocks[(bucket.start + bucket.len) as usize] = thing;
        bucket.len += 1;
    }

    /// Takes what is filed under a cycle; to be handed back with [`Self::recycle`].
    #[inline]
    pub(crate) fn take(&mut self, cycle: u32, lane: usize) -> Bucket {
        std::mem::take(&mut self.buckets[lane << self.bits | (cycle & self.mask) as usize])
    }

    /// What is in a bucket, in the order in which it was filed.
    #[inline]
    pub(crate) fn things(&self, bucket: Bucket) -> &[T] {
        &self.blocks[bucket.start as usize..][..bucket.len as usize]
    }

    /// Hands back a bucket that has been dealt with, for its block.
    #[inline]
    pub(crate) fn recycle(&mut self, bucket: Bucket) {
        if bucket.len > 0 {
            self.spare.push(bucket.start);
        }
    }

    /// All that is filed, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.buckets.iter().flat_map(|&bucket| self.things(bucket))
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<T>() + size_of_val(&*self.buckets)
    }
}

/// A block for a bucket that has none.
#[cold]
fn block<T: Copy + Default>(blocks: &mut Vec<T>, spare: &mut Vec<u32>, most: u32) -> u32 {
    spare.pop().unwrap_or_else(|| {
        let start = u32::try_from(blocks.len()).expect("far fewer things are under way than 2^32");
        blocks.resize(blocks.len() + most as usize, T::default());
        start
    })
}
