//! Connected components.

use crate::machine::count;

/// Sets of things that count from 0, which are joined two at a time.
#[derive(Clone, Debug)]
pub(crate) struct Components(Vec<u32>);

impl Components {
    /// Each thing in a set of its own.
    pub(crate) fn new(things: usize) -> Self {
        Self((0..count(things)).collect())
    }

    /// The representative of this thing's set: the lowest of the set.
    pub(crate) fn find(&mut self, mut thing: u32) -> u32 {
        while self.0[thing as usize] != thing {
            // Half of the way is left out the next time.
            self.0[thing as usize] = self.0[self.0[thing as usize] as usize];
            thing = self.0[thing as usize];
        }
        thing
    }

    /// Joins the sets of two things.
    pub(crate) fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other) as usize] = one.min(other);
    }

    /// The lowest of its set, for each thing.
    pub(crate) fn lowest(&mut self) -> Vec<u32> {
        (0..count(self.0.len())).map(|thing| self.find(thing)).collect()
    }
}
