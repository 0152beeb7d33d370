//! The results of all walks, summed up.

use super::ask::Asked;
use super::set_channels::Taken;
use tvlb_firmware_model::Channels;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Walks {
    pub(super) pairs: u64,
    pub(super) pairs_with_vlb: u64,
    /// Of those, the pairs with only a part of their VLB walks walked, and the pairs whose routes of sets were too many
    /// to count.
    pub(super) in_part: u64,
    pub(super) not_counted: u64,
    /// Pairs for which a fraction or a thinned set was not searched for the shapes of its routes.
    pub(super) not_searched: u64,
    pub(super) min: u64,
    /// VLB walks, without those after PAR's second look.
    pub(super) vlb: u64,
    /// By decision: routes kept, and pairs of different groups that have none.
    pub(super) kept: [u64; 3],
    pub(super) without: [u64; 3],
    /// Those of the kept routes that return to a switch.
    pub(super) returning: [u64; 3],
    /// By decision: the mean hops of a pair's routes as drawn, summed over pairs.
    pub(super) hops: [f64; 3],
    /// Most hops of MIN, VLB, and VLB after a second look.
    pub(super) longest: [usize; 3],
    /// Pairs with a minimal path in the plan and no live one, and pairs without any path.
    pub(super) lost_min: u64,
    pub(super) cut: u64,
    pub(super) taken: Taken,
    pub(super) asked: Asked,
}

impl Walks {
    pub(super) fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.pairs_with_vlb += other.pairs_with_vlb;
        self.in_part += other.in_part;
        self.not_counted += other.not_counted;
        self.not_searched += other.not_searched;
        self.min += other.min;
        self.vlb += other.vlb;
        for decision in 0..3 {
            self.kept[decision] += other.kept[decision];
            self.without[decision] += other.without[decision];
            self.returning[decision] += other.returning[decision];
            self.hops[decision] += other.hops[decision];
            self.longest[decision] = self.longest[decision].max(other.longest[decision]);
        }
        self.lost_min += other.lost_min;
        self.cut += other.cut;
        self.taken.add(&other.taken);
        self.asked.add(&other.asked);
    }

    /// Notes a VLB walk between groups with this many hops, on these channels; whether it was one after PAR's second
    /// look, and whether it makes two hops in the intermediate group.
    pub(super) fn note_vlb(
        &mut self,
        (after, detoured): (bool, bool),
        hops: usize,
        taken: Channels,
    ) {
        let longest = &mut self.longest[1 + usize::from(after)];
        *longest = (*longest).max(hops);
        if !after {
            let most = if detoured { &mut self.taken.valn } else { &mut self.taken.valg };
            *most = most.or(taken);
        }
    }
}
