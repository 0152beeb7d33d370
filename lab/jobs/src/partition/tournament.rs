//! The vertex of the greatest gain among those of one part, found again in few steps after gains change.

/// A tournament of vertices: each inner place has the winner of the two places below it.
pub(crate) struct Tournament {
    /// How many leaves there are: a power of two.
    leaves: usize,
    /// The winner at each place; the root is place 1. Leaf v is place `leaves` + v.
    winners: Vec<Option<u32>>,
}

impl Tournament {
    /// A tournament of no vertices, with room for this many.
    pub(crate) fn new(vertices: usize) -> Self {
        let leaves = vertices.max(1).next_power_of_two();
        Self { leaves, winners: vec![None; 2 * leaves] }
    }

    /// The vertex of the greatest gain; of several the one of the lowest number.
    pub(crate) fn winner(&self) -> Option<u32> {
        self.winners[1]
    }

    /// Whether a vertex takes part.
    pub(crate) fn has(&self, vertex: u32) -> bool {
        self.winners[self.leaves + vertex as usize].is_some()
    }

    /// Puts a vertex in or takes it out, or plays its matches again after its gain has changed.
    pub(crate) fn set(&mut self, vertex: u32, is_in: bool, gains: &[i128]) {
        let mut place = self.leaves + vertex as usize;
        self.winners[place] = is_in.then_some(vertex);
        while place > 1 {
            place /= 2;
            let (left, right) = (self.winners[2 * place], self.winners[2 * place + 1]);
            // Vertices on the left have lower numbers.
            self.winners[place] = match (left, right) {
                (Some(one), Some(other)) if gains[other as usize] > gains[one as usize] => right,
                (None, _) => right,
                _ => left,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_gain_wins_and_then_the_lowest_number() {
        let mut gains = [3, 7, 7, -2, 1];
        let mut all = Tournament::new(5);
        assert_eq!(all.winner(), None);
        for vertex in 0..5 {
            all.set(vertex, true, &gains);
        }
        assert_eq!(all.winner(), Some(1));
        all.set(1, false, &gains);
        assert_eq!(all.winner(), Some(2));
        gains[2] = 0;
        all.set(2, true, &gains);
        assert_eq!(all.winner(), Some(0));
    }
}
