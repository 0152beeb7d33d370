//! A ring of buckets, one per cycle and lane: what will happen, filed under when and where.
//!
//! Latencies are bounded, so a ring somewhat longer than the longest one serves for ever. Within a
//! bucket things stay in the order in which they were filed. An emptied bucket's memory goes to the
//! next cycle that needs some: the memory in use stays small and in the caches, and soon nothing
//! is allocated any more.

/// Things by the cycle at which they happen.
#[derive(Debug)]
pub(crate) struct Calendar<T> {
    /// Per cycle those of its lanes.
    buckets: Vec<Vec<T>>,
    /// Emptied buckets.
    spare: Vec<Vec<T>>,
    mask: u32,
    lanes: usize,
}

impl<T> Calendar<T> {
    /// A calendar that can look `horizon` cycles ahead.
    pub(crate) fn new(horizon: u32, lanes: usize) -> Self {
        let size = (horizon + 1).next_power_of_two();
        let buckets = (0..size as usize * lanes).map(|_| Vec::new()).collect();
        Self { buckets, spare: Vec::new(), mask: size - 1, lanes }
    }

    /// The farthest that can be looked ahead.
    pub(crate) const fn horizon(&self) -> u32 {
        self.mask
    }

    /// Files something under a cycle less than the horizon ahead.
    #[inline]
    pub(crate) fn file(&mut self, cycle: u32, lane: usize, thing: T) {
        let bucket = &mut self.buckets[(cycle & self.mask) as usize * self.lanes + lane];
        if bucket.len() < bucket.capacity() {
            bucket.push(thing);
        } else {
            push_with_room(bucket, &mut self.spare, thing);
        }
    }

    /// Takes what is filed under a cycle; the bucket is to be handed back with [`Self::recycle`].
    #[inline]
    pub(crate) fn take(&mut self, cycle: u32, lane: usize) -> Vec<T> {
        std::mem::take(&mut self.buckets[(cycle & self.mask) as usize * self.lanes + lane])
    }

    /// Hands back a bucket that has been dealt with, for its memory.
    #[inline]
    pub(crate) fn recycle(&mut self, mut bucket: Vec<T>) {
        bucket.clear();
        if bucket.capacity() > 0 {
            self.spare.push(bucket);
        }
    }

    /// All that is filed, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.buckets.iter().flatten()
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        let things: usize = self.buckets.iter().chain(&self.spare).map(Vec::capacity).sum();
        things * size_of::<T>() + self.buckets.len() * size_of::<Vec<T>>()
    }
}

/// Files something in a bucket that is full: of no memory as yet, most often.
#[cold]
fn push_with_room<T>(bucket: &mut Vec<T>, spare: &mut Vec<Vec<T>>, thing: T) {
    if bucket.capacity() == 0
        && let Some(spare) = spare.pop()
    {
        *bucket = spare;
    }
    bucket.push(thing);
}
