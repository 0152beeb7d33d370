//! Piggybacking (PB): MIN or VLB at the source, by its own queues and by what the switches of the group tell each other
//! about their links to other groups (Jiang, Kim and Dally, ISCA 2009).
//!
//! A packet's two candidates are drawn once. While the packet waits at its source they are weighed again whenever it
//! might leave: VLB is taken if MIN's queue times its hops is more than VLB's times its own, or if MIN's link to
//! another group is congested. The switch at the beginning of a link decides whether it is congested
//! ([`CongestionRule`]), and tells the others of its group ([`super::flags`]).

use rand_core::Rng;
use tvlb_firmware_model::{DrawnPath, Error, Step, Switch, VlbPaths};
use tvlb_schema::{GlobalPort, GroupId, NodeId, Port};
use tvlb_traffic::below;

/// When a switch calls one of its own links to other groups congested: if the credits in use on it exceed this multiple
/// of the mean over the switch's links to other groups by this many packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct CongestionRule {
    /// How many percent of the mean.
    pub(super) percent: u16,
    /// How many credits more.
    pub(super) more: u32,
}

impl CongestionRule {
    /// Whether a link with `used` credits in use is congested, given the switch's links to other groups and the credits
    /// in use on all of them.
    #[inline]
    pub(super) const fn calls_congested(self, used: u32, used_on_all: u64, links: u32) -> bool {
        let allowed = (self.percent as u64)
            .saturating_mul(used_on_all)
            .saturating_add((self.more as u64).saturating_mul(links as u64).saturating_mul(100));
        (used as u64).saturating_mul(links as u64).saturating_mul(100) > allowed
    }
}

/// The two paths between which a waiting packet chooses.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathChoice {
    destination: NodeId,
    min: Option<DrawnPath>,
    vlb: Option<DrawnPath>,
    /// By how many hops the queues are multiplied.
    lengths: [u8; 2],
}

impl PathChoice {
    /// VLB paths are those of UGAL-L's decision.
    pub(super) fn draw(
        switch: &Switch<'_>,
        destination: NodeId,
        paths: VlbPaths,
        rng: &mut impl Rng,
    ) -> Result<Self, Error> {
        let drawn = switch.draw_paths(destination, paths, rng)?;
        let lengths = drawn.map(|path| path.map_or(0, |path| path.hops));
        let [min, vlb] = drawn;
        Ok(Self { destination, min, vlb, lengths })
    }

    /// These candidates under [`Piggybacking::like_fogsim`](super::Piggybacking::like_fogsim).
    pub(super) fn like_fogsim(self, switch: &Switch<'_>, rng: &mut impl Rng) -> Self {
        let df = switch.image().fabric().dragonfly();
        // The index of the switch that has the link from one group to another.
        let gateway = |from: GroupId, to: GroupId| {
            let port = if to < from { u32::from(to.0) } else { u32::from(to.0).saturating_sub(1) };
            port / df.h()
        };
        let (from, own) = df.place(switch.image().switch());
        let (to, last) = df.place(df.switch_of(self.destination).0);
        let (own, last) = (u32::from(own.0), u32::from(last.0));
        let hops = |here: u32, group: GroupId, there: u32, other: GroupId| {
            if group == other {
                u8::from(here != there)
            } else {
                u8::from(here != gateway(group, other)) + u8::from(gateway(other, group) != there)
            }
        };
        let min = hops(own, from, last, to);
        let leaves_by = self.vlb.and_then(|path| switch.image().behind(path.header.x()));
        let Some(middle) = leaves_by.map(|end| end.group) else { return self };
        if from != to && below(rng, df.g() - 1) == 0 {
            return Self { vlb: None, ..self };
        }
        let node = below(rng, df.a());
        let out = u8::from(middle != from && own != gateway(from, middle));
        Self { lengths: [min, out + hops(node, middle, last, to)], ..self }
    }

    /// The first step by present knowledge: the credits in use of the first virtual channel of a port, and whether a
    /// link of the own group to another one is congested.
    #[inline]
    pub(super) fn step(
        &self,
        switch: &Switch<'_>,
        used: impl Fn(Port) -> u32,
        is_congested: impl Fn(GlobalPort) -> bool,
    ) -> Step {
        let df = switch.image().fabric().dragonfly();
        let (to, terminal) = df.switch_of(self.destination);
        match (self.min, self.vlb) {
            (None, None) => Step::Deliver { port: df.terminal_port(terminal) },
            (Some(path), None) | (None, Some(path)) => path.step(),
            (Some(min), Some(vlb)) => {
                let cost = |path: DrawnPath, hops: u8| u64::from(used(path.port)) * u64::from(hops);
                let leaves = df.place(to).0 != switch.image().group();
                if cost(min, self.lengths[0]) > cost(vlb, self.lengths[1])
                    || leaves && is_congested(min.header.x())
                {
                    vlb.step()
                } else {
                    min.step()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use tvlb_firmware_model::DefaultRng;
    use tvlb_schema::SwitchId;

    fn golden(name: &str) -> Vec<u8> {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/golden/v3/");
        std::fs::read(format!("{directory}{name}")).unwrap()
    }

    /// Queues times hops decide, and a congested link overrules them; the candidates stay.
    #[test]
    fn a_congested_link_sends_packets_by_vlb() {
        let (fabric, image) = (golden("fabric.tvlb"), golden("switch-00005.tvlb"));
        let switch = Switch::boot(&fabric, &image).unwrap();
        let mut rng = DefaultRng::seed_from_u64(1);
        for node in 0..72 {
            let candidates =
                PathChoice::draw(&switch, NodeId(node), VlbPaths::Custom, &mut rng).unwrap();
            let step = |of: &PathChoice, used, congested| {
                of.step(&switch, |_| used, |link| congested == Some(link))
            };
            let idle = step(&candidates, 0, None);
            if node / 2 == 5 {
                assert!(matches!(idle, Step::Deliver { .. }));
                continue;
            }
            let [min, vlb] = [candidates.min, candidates.vlb].map(Option::unwrap);
            assert_eq!(idle, min.step());
            // All queues are equal, so the fewer hops decide.
            let shorter = if min.hops > vlb.hops { vlb } else { min };
            assert_eq!(step(&candidates, 9, None), shorter.step());
            let others = PathChoice { lengths: [2, 1], ..candidates };
            assert_eq!(step(&others, 9, None), vlb.step());
            let congested = step(&candidates, 0, Some(min.header.x()));
            // Within the group no link to another one is taken.
            let leaves = SwitchId(u16::try_from(node / 2).unwrap()).0 / 4 != 1;
            assert_eq!(congested, if leaves { vlb } else { min }.step(), "{node}");
        }
        assert!(PathChoice::draw(&switch, NodeId(72), VlbPaths::Custom, &mut rng).is_err());
    }

    #[test]
    fn a_link_is_congested_above_so_much_of_the_mean() {
        // Twice the mean and 40 more: four links with 100 credits in use have a mean of 25.
        let rule = CongestionRule { percent: 200, more: 40 };
        assert!(!rule.calls_congested(90, 100, 4));
        assert!(rule.calls_congested(91, 100, 4));
    }

    #[test]
    fn no_number_of_credits_overflows() {
        let rule = CongestionRule { percent: u16::MAX, more: u32::MAX };
        assert!(!rule.calls_congested(u32::MAX, u64::MAX, 256));
        let rule = CongestionRule { percent: 0, more: 0 };
        assert!(rule.calls_congested(u32::MAX, u64::MAX, 256));
    }
}
