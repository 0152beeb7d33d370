//! Two local hops in the intermediate group, without naming the switch between them.

use super::LinkNumbers;
use tvlb_schema::Dragonfly;

/// The totals over the local links out of and into each switch.
///
/// Two hops from v to w go over every other switch r: over all links out of v and into w, but
/// neither over the link from v to w nor over "links" from a switch to itself.
pub(super) struct TwoHopSums {
    pub(super) out: Vec<f64>,
    pub(super) into: Vec<f64>,
}

impl TwoHopSums {
    pub(super) fn new(df: &Dragonfly) -> Self {
        let switches = df.switch_numbers() as usize;
        Self { out: vec![0.0; switches], into: vec![0.0; switches] }
    }

    #[inline(always)]
    pub(super) fn of_prices(df: &Dragonfly, links: &LinkNumbers, prices: &[f64]) -> Self {
        let a = df.a() as usize;
        let mut sums = Self::new(df);
        let by_group = sums.out.chunks_exact_mut(a).zip(sums.into.chunks_exact_mut(a));
        for (group, (out, into)) in df.group_numbers().zip(by_group) {
            let local = &prices[links.group_start(group)..][..a * a];
            let of_group = df.switches_of(group) as usize;
            for (row, out) in local.chunks_exact(a).zip(out).take(of_group) {
                let row = &row[..of_group];
                *out = row.iter().sum();
                for (into, price) in into.iter_mut().zip(row) {
                    *into += price;
                }
            }
        }
        sums
    }

    /// Adds the noted loads to the links.
    #[inline(always)]
    pub(super) fn add_to(&self, df: &Dragonfly, links: &LinkNumbers, loads: &mut [f64]) {
        let a = df.a() as usize;
        let by_group = self.out.chunks_exact(a).zip(self.into.chunks_exact(a));
        for (group, (out, into)) in df.group_numbers().zip(by_group) {
            let local = &mut loads[links.group_start(group)..][..a * a];
            let of_group = df.switches_of(group) as usize;
            for (s, (row, out)) in local.chunks_exact_mut(a).zip(out).take(of_group).enumerate() {
                for (t, (load, into)) in row.iter_mut().zip(into).take(of_group).enumerate() {
                    if s != t {
                        *load += out + into;
                    }
                }
            }
        }
    }
}
