//! How often each link is used by a decision's set, from the walked routes, to check the manifest's balance of loads.
//!
//! Shares are whole numbers, so their sums are the same in any order of the threads.

use super::packet::{BootedSwitches, Hop, Hops};
use std::sync::atomic::{AtomicU64, Ordering};
use tvlb_schema::Port;

/// The weight of a path that is always drawn. The sum over all pairs of up to 2¹⁶ switches fits.
const WHOLE: f64 = 4_294_967_296.0;

/// By decision, switch and physical port: shares of the links' use.
pub(super) struct LinkShares {
    of: [Vec<AtomicU64>; 3],
    radix: usize,
}

impl LinkShares {
    /// No link is used yet.
    pub(super) fn new(fabric: &BootedSwitches<'_>) -> Self {
        let radix = fabric.df.radix() as usize;
        let none = || {
            (0..fabric.df.switch_numbers() as usize * radix).map(|_| AtomicU64::new(0)).collect()
        };
        Self { of: [none(), none(), none()], radix }
    }

    /// Adds a path that a decision's set draws with this probability.
    pub(super) fn add(&self, decision: usize, path: &Hops, probability: f64) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2³²")]
        let share = (probability * WHOLE).round() as u64;
        for &hop in path.hops() {
            self.of[decision][self.place(hop)].fetch_add(share, Ordering::Relaxed);
        }
    }

    fn place(&self, hop: Hop) -> usize {
        hop.from.as_usize() * self.radix + hop.port.as_usize()
    }

    /// The most used link over the mean, for local and for global links; 1 if there are none.
    pub(super) fn imbalance(&self, decision: usize, fabric: &BootedSwitches<'_>) -> (f64, f64) {
        let first_local = fabric.df.p() as usize;
        let (mut local, mut global) = (LinkSums::default(), LinkSums::default());
        for switch in fabric.switches {
            let first = switch.image().switch().as_usize() * self.radix;
            let shares = &self.of[decision][first..][..self.radix];
            for (port, share) in (0_u16..).zip(shares).skip(first_local) {
                let share = share.load(Ordering::Relaxed);
                // A port that leads nowhere has no link.
                let Some((group, index)) = switch.neighbour(Port(port)) else { continue };
                let (own, here) = (switch.image().group(), switch.image().index());
                if group != own {
                    global.note(share);
                } else if Port(port) == fabric.df.local_port(here, index) {
                    // All links between two switches carry the same, which is noted at the first.
                    let links = switch.image().fabric().local_links(own, here, index);
                    for _ in 0..links {
                        local.note(share / u64::from(links));
                    }
                }
            }
        }
        (local.most_over_mean(), global.most_over_mean())
    }
}

#[derive(Default)]
struct LinkSums {
    most: u64,
    sum: u64,
    count: u32,
}

impl LinkSums {
    fn note(&mut self, share: u64) {
        self.most = self.most.max(share);
        self.sum += share;
        self.count += 1;
    }

    #[expect(clippy::cast_precision_loss, reason = "compared to a few decimals")]
    fn most_over_mean(&self) -> f64 {
        if self.sum == 0 { 1.0 } else { self.most as f64 * f64::from(self.count) / self.sum as f64 }
    }
}
