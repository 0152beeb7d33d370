//! Which pairs of groups get one extra link, if g − 1 does not divide a·h and the groups need not be alike.
//!
//! After ⌊a·h / (g−1)⌋ links per pair each group has r = a·h mod (g−1) ports left. The returned pairs join each group
//! to r others, no pair twice. If r and g are both odd that is impossible for one group, and the last group is joined
//! to r − 1.

use tvlb_schema::Dragonfly;

/// The pairs, each with its lower group first, sorted.
pub(super) fn pairs(df: &Dragonfly) -> Vec<(u16, u16)> {
    let g = df.g();
    let r = df.ports_per_group() % (g - 1);
    let mut pairs = Vec::new();
    let mut join = |i: u32, j: u32| {
        let small = |group: u32| u16::try_from(group).expect("a Dragonfly's groups fit 16 bits");
        pairs.push((small(i.min(j)), small(i.max(j))));
    };
    // A distance round the ring of groups joins each group to two others, half of g to one.
    let mut distances = 1..=r / 2;
    if !r.is_multiple_of(2) {
        if g.is_multiple_of(2) {
            for i in 0..g / 2 {
                join(i, i + g / 2);
            }
        } else {
            // Neighbours two by two; distance 1 is then spent. r ≤ g − 2, as r is odd and g − 1
            // even, so the distances still end before half of g.
            for i in (0..g - 1).step_by(2) {
                join(i, i + 1);
            }
            distances = 2..=r / 2 + 1;
        }
    }
    for distance in distances {
        for i in 0..g {
            join(i, (i + distance) % g);
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_group_gets_its_remainder_and_no_pair_two() {
        for g in 2..=14_u32 {
            for ports in g - 1..2 * (g - 1) {
                let pairs = pairs(&Dragonfly::new(1, 1, ports, g).unwrap());
                let r = (ports % (g - 1)) as usize;
                let mut degrees = vec![0; g as usize];
                for &(i, j) in &pairs {
                    assert!(i < j);
                    degrees[usize::from(i)] += 1;
                    degrees[usize::from(j)] += 1;
                }
                assert!(pairs.windows(2).all(|two| two[0] < two[1]), "g = {g}, r = {r}");
                let mut expected = vec![r; g as usize];
                if r % 2 == 1 && g % 2 == 1 {
                    expected[g as usize - 1] -= 1;
                }
                assert_eq!(degrees, expected, "g = {g}, r = {r}");
            }
        }
    }
}
