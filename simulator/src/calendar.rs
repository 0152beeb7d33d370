//! A ring of buckets, one per cycle and lane: what will happen, filed under when and where.
//!
//! Latencies are bounded, so a ring somewhat longer than the longest one serves for ever. What can
//! be filed for one cycle and lane is bounded too, since a link carries one flit per cycle; so a
//! bucket is a block of fixed size. An emptied bucket's block goes to the next one that needs one:
//! the memory in use stays small and in the caches, and soon nothing is allocated any more.

/// Things by the cycle at which they happen.
#[derive(Debug)]
pub(crate) struct Calendar<T> {
    /// Per lane and cycle the place for the next thing, or 0 where there is none as yet.
    ends: Vec<u32>,
    /// Per lane and cycle where its block begins; means nothing where there is none.
    starts: Vec<u32>,
    /// The first places are no block's.
    blocks: Vec<T>,
    /// Blocks that no bucket has.
    spare: Vec<u32>,
    /// The size of a block.
    most: u32,
    /// The cycles of a lane are a power of two.
    mask: u32,
    bits: u32,
}

/// What is filed under one cycle and lane: where it begins and ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bucket {
    start: u32,
    end: u32,
}

impl<T: Copy + Default> Calendar<T> {
    /// A calendar that can look `horizon` cycles ahead, with room for `most` things in each cycle
    /// and lane.
    pub(crate) fn new(horizon: u32, lanes: usize, most: u32) -> Self {
        let size = (horizon + 1).next_power_of_two();
        // A block begins on whatever cache line, not on the same few of each page.
        let line = 64 / u32::try_from(size_of::<T>()).expect("a few bytes");
        Self {
            ends: vec![0; size as usize * lanes],
            starts: vec![0; size as usize * lanes],
            blocks: vec![T::default(); line as usize],
            spare: Vec::new(),
            most: (most.div_ceil(line) | 1) * line,
            mask: size - 1,
            bits: size.trailing_zeros(),
        }
    }

    #[inline]
    const fn place(&self, cycle: u32, lane: usize) -> usize {
        lane << self.bits | (cycle & self.mask) as usize
    }

    /// Files something under a cycle less than the horizon ahead.
    #[inline]
    pub(crate) fn file(&mut self, cycle: u32, lane: usize, thing: T) {
        let place = self.place(cycle, lane);
        let end = &mut self.ends[place];
        if *end == 0 {
            *end = block(&mut self.blocks, &mut self.spare, self.most);
            self.starts[place] = *end;
        }
        debug_assert!(*end < self.starts[place] + self.most, "a link carries one flit per cycle");
        self.blocks[*end as usize] = thing;
        *end += 1;
    }

    /// Takes what is filed under a cycle; to be handed back with [`Self::recycle`].
    #[inline]
    pub(crate) fn take(&mut self, cycle: u32, lane: usize) -> Bucket {
        let place = self.place(cycle, lane);
        match std::mem::take(&mut self.ends[place]) {
            0 => Bucket::default(),
            end => Bucket { start: self.starts[place], end },
        }
    }

    /// What is in a bucket, in the order in which it was filed.
    #[inline]
    pub(crate) fn things(&self, bucket: Bucket) -> &[T] {
        &self.blocks[bucket.start as usize..bucket.end as usize]
    }

    /// Hands back a bucket that has been dealt with, for its block.
    #[inline]
    pub(crate) fn recycle(&mut self, bucket: Bucket) {
        if bucket.end > 0 {
            self.spare.push(bucket.start);
        }
    }

    /// All that is filed, with its lane, in no order of time.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        let places = self.starts.iter().zip(&self.ends).enumerate();
        places.filter(|(_, (_, end))| **end > 0).flat_map(move |(place, (&start, &end))| {
            let things = self.things(Bucket { start, end });
            things.iter().map(move |thing| (place >> self.bits, thing))
        })
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<T>() + 2 * size_of_val(&*self.ends)
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
