//! Piggybacking (PB): MIN or VLB at the source, by its own queues and by what the switches of the group
//! tell each other of their links to other groups (Jiang, Kim and Dally, ISCA 2009).
//!
//! A packet's two candidates are drawn once ([`Switch::draw_candidates`]). As long as the packet waits at its
//! source they are weighed again whenever it might leave ([`Switch::choose_between`]): VLB is taken if MIN's
//! queue times its hops is more than VLB's times its own, or if MIN's link to another group is congested.
//! Which links are is a finding of the switch they leave ([`CongestionRule`]), which tells the others of its
//! group; how, and how old their knowledge is, is not for the datapath to say.

use crate::choice::{Choice, Chosen};
use crate::decide::{no_such_node, set_out};
use crate::path::Path;
use crate::{Admission, Error, Scheme, Step, Switch, VlbPaths};
use rand_core::Rng;
use tvlb_schema::{GlobalPort, NodeId, Port};

/// What a source switch knows under piggybacking.
pub trait Piggyback {
    /// Credits in use of one virtual channel of a port.
    fn used_on(&self, port: Port, virtual_channel: u8) -> u32;

    /// Whether a link of the own group to another one is congested, as far as this switch has heard. The link
    /// is named by its port of the group.
    fn is_congested(&self, link: GlobalPort) -> bool;
}

/// When a switch calls one of its own links to other groups congested: if more credits are in use on it than
/// so many times the mean over the switch's links to other groups, and so many more.
///
/// # Example
/// ```
/// use tvlb_firmware_model::CongestionRule;
///
/// // Twice the mean and 40 more: four links with 100 credits in use have a mean of 25.
/// let rule = CongestionRule { percent: 200, more: 40 };
/// assert!(!rule.calls_congested(90, 100, 4));
/// assert!(rule.calls_congested(91, 100, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CongestionRule {
    /// How many percent of the mean.
    pub percent: u16,
    /// How many credits more.
    pub more: u32,
}

impl CongestionRule {
    /// Whether a link with so many credits in use is congested, if the switch has so many links to other
    /// groups with so many in use on all of them.
    #[inline]
    pub const fn calls_congested(self, used: u32, used_on_all: u64, links: u32) -> bool {
        let allowed = (self.percent as u64)
            .saturating_mul(used_on_all)
            .saturating_add((self.more as u64).saturating_mul(links as u64).saturating_mul(100));
        (used as u64).saturating_mul(links as u64).saturating_mul(100) > allowed
    }
}

/// The two paths between which a waiting packet chooses.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    destination: NodeId,
    min: Option<Path>,
    vlb: Option<Path>,
    lengths: [u8; 2],
}

impl Candidates {
    /// The hops of the MIN and of the VLB candidate; 0 where there is none.
    #[inline]
    pub const fn lengths(&self) -> [u8; 2] {
        self.lengths
    }

    /// The same paths with other lengths in the comparison of queues, for those who want to compare with
    /// programs that count otherwise.
    #[must_use]
    pub const fn with_lengths(self, lengths: [u8; 2]) -> Self {
        Self { lengths, ..self }
    }

    /// The MIN path alone.
    #[must_use]
    pub const fn without_vlb(self) -> Self {
        Self { vlb: None, ..self }
    }

    /// The port of the group by which the VLB candidate leaves it; `None` where there is no candidate.
    #[inline]
    pub fn vlb_leaves_by(&self) -> Option<GlobalPort> {
        self.vlb.map(Path::x)
    }
}

impl Switch<'_> {
    /// Draws a MIN and a VLB path to a node, between which [`Self::choose_between`] chooses. VLB paths are
    /// those of UGAL-L's decision.
    ///
    /// # Errors
    /// The destination does not exist, or cannot be reached.
    pub fn draw_candidates(
        &self,
        destination: NodeId,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Candidates, Error> {
        let df = self.dragonfly();
        if !df.has_node(destination) {
            return Err(no_such_node(df, destination));
        }
        let (to, _) = df.switch_of(destination);
        if to == self.image.switch() {
            return Ok(Candidates { destination, min: None, vlb: None, lengths: [0; 2] });
        }
        let to = &self.place(to);
        let min = self.draw_min(to, rng);
        let vlb = self.draw_vlb(to, Scheme::UgalL.decision(), paths, rng);
        if min.is_none() && vlb.is_none() {
            return Err(Error::Unreachable { from: self.image.switch(), to: to.switch });
        }
        let lengths = [min, vlb].map(|path| path.map_or(0, Path::hops));
        Ok(Candidates { destination, min, vlb, lengths })
    }

    /// Chooses between a packet's two candidates by what is known now, and says its first step.
    #[inline]
    pub fn choose_between(
        &self,
        candidates: &Candidates,
        known: &(impl Piggyback + ?Sized),
    ) -> Admission {
        let Candidates { destination, min, vlb, lengths } = *candidates;
        let (to, terminal) = self.dragonfly().switch_of(destination);
        let chosen = match (min, vlb) {
            (None, None) => {
                let step = Step::Deliver { port: self.dragonfly().terminal_port(terminal) };
                return Admission { step, choice: Choice::Here };
            }
            (Some(min), None) => Chosen::alone(min, Choice::MinFallback),
            (None, Some(vlb)) => Chosen::alone(vlb, Choice::VlbFallback),
            (Some(min), Some(vlb)) => {
                let cost = |path: Path, hops: u8| {
                    u64::from(known.used_on(path.first_port(), 0)) * u64::from(hops)
                };
                let (group, _) = self.dragonfly().place(to);
                let leaves = group != self.image.group();
                if cost(min, lengths[0]) > cost(vlb, lengths[1])
                    || leaves && known.is_congested(min.x())
                {
                    Chosen::alone(vlb, Choice::Vlb)
                } else {
                    Chosen::min(min)
                }
            }
        };
        set_out(&self.place(to), terminal, Scheme::UgalL, &chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Header;
    use rand_core::SeedableRng;
    use tvlb_schema::SwitchId;

    struct Known {
        used: [u32; 7],
        congested: Option<GlobalPort>,
    }

    impl Piggyback for Known {
        fn used_on(&self, port: Port, virtual_channel: u8) -> u32 {
            assert_eq!(virtual_channel, 0);
            self.used[port.as_usize()]
        }

        fn is_congested(&self, link: GlobalPort) -> bool {
            self.congested == Some(link)
        }
    }

    fn golden(name: &str) -> std::vec::Vec<u8> {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/golden/v3/");
        std::fs::read(std::format!("{directory}{name}")).unwrap()
    }

    /// Queues times hops decide, and a congested link overrules them; the candidates stay.
    #[test]
    fn a_congested_link_sends_packets_by_vlb() {
        let (fabric, image) = (golden("fabric.tvlb"), golden("switch-00005.tvlb"));
        let switch = Switch::boot(&fabric, &image).unwrap();
        let mut rng = crate::DefaultRng::seed_from_u64(1);
        for node in 0..72 {
            let candidates =
                switch.draw_candidates(NodeId(node), VlbPaths::Custom, &mut rng).unwrap();
            let choose = |used, congested| {
                switch.choose_between(&candidates, &Known { used: [used; 7], congested })
            };
            let idle = choose(0, None);
            if node / 2 == 5 {
                assert_eq!(idle.choice, Choice::Here);
                continue;
            }
            assert_eq!(idle.choice, Choice::Min);
            // All queues are alike, so the fewer hops decide.
            let [min, vlb] = candidates.lengths();
            let shorter = if min > vlb { Choice::Vlb } else { Choice::Min };
            assert_eq!(choose(9, None).choice, shorter, "{min} and {vlb} hops");
            let others = candidates.with_lengths([2, 1]);
            let known = Known { used: [9; 7], congested: None };
            assert_eq!(switch.choose_between(&others, &known).choice, Choice::Vlb);
            let Step::Send { header, .. } = idle.step else { unreachable!("it is elsewhere") };
            let congested = choose(0, Some(header.x()));
            // Within the group no link to another one is taken.
            let leaves = SwitchId(u16::try_from(node / 2).unwrap()).0 / 4 != 1;
            assert_eq!(congested.choice, if leaves { Choice::Vlb } else { Choice::Min }, "{node}");
            let by_vlb = candidates.vlb_leaves_by().unwrap();
            if let Step::Send { header, .. } = congested.step
                && leaves
            {
                assert_eq!(Header::from_bits(header.bits()).x(), by_vlb);
            }
        }
        assert!(switch.draw_candidates(NodeId(72), VlbPaths::Custom, &mut rng).is_err());
    }

    #[test]
    fn no_number_of_credits_overflows() {
        let rule = CongestionRule { percent: u16::MAX, more: u32::MAX };
        assert!(!rule.calls_congested(u32::MAX, u64::MAX, 256));
        let rule = CongestionRule { percent: 0, more: 0 };
        assert!(rule.calls_congested(u32::MAX, u64::MAX, 256));
    }
}
