//! When nodes generate packets and for whom: Bernoulli injection without a draw per cycle, in bursts or without, of
//! changing or constant traffic.
//!
//! A node that generates a packet in each cycle with probability p waits a geometrically distributed number of cycles
//! between two packets, so one draw per packet is enough. The distribution is tabulated once per run by multiplication
//! alone, which is the same on every machine, and values beyond the table are drawn again: the geometric distribution
//! has no memory, so that is exact.
//!
//! For the same reason only the time of a node's last packet must be known. If a change of traffic comes before the
//! next packet, that is drawn again from the change on. The length of a burst is geometrically distributed too, so the
//! rest of it after a packet is as long as a whole one.

use rand_core::Rng;
use std::ops::Range;
use tvlb_base::text::Refused;
use tvlb_schema::NodeId;
use tvlb_traffic::{Traffic, below};

/// Below this the rest of the distribution is left to a second draw.
const REST: f64 = 1.0 / 4096.0;
const MOST_ENTRIES: usize = 4096;

/// The distribution of the gaps between packets.
#[derive(Clone, Debug)]
struct Gaps {
    /// Entry k is P(gap ≤ k + 1) in parts of 2⁶⁴.
    at_most: Vec<u64>,
    /// By the first byte of a draw: the first entry that can hold it.
    guide: Vec<u16>,
}

impl Gaps {
    /// For a probability above 0 and at most 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a conversion to u64 saturates, and indices are below the size of the table"
    )]
    fn new(probability: f64) -> Self {
        let miss = 1.0 - probability;
        let mut left = 1.0;
        let mut at_most = Vec::new();
        while at_most.len() < MOST_ENTRIES && (at_most.is_empty() || left > REST) {
            left *= miss;
            at_most.push(((1.0 - left) * (u64::MAX as f64)) as u64);
        }
        let first = |byte: u64| at_most.partition_point(|&entry| entry < byte << 56) as u16;
        let guide = (0..256).map(first).collect();
        Self { at_most, guide }
    }

    /// Cycles from one packet to the next, 1 or more.
    #[inline]
    fn draw(&self, rng: &mut impl Rng) -> u32 {
        let mut before = 0;
        loop {
            let random = rng.next_u64();
            let mut k = usize::from(self.guide[(random >> 56) as usize]);
            while k < self.at_most.len() && self.at_most[k] < random {
                k += 1;
            }
            #[expect(clippy::cast_possible_truncation, reason = "at most 4096")]
            let entry = k as u32;
            if k < self.at_most.len() {
                return before + entry + 1;
            }
            // Beyond the last cycle nothing is drawn again.
            before = match before.checked_add(entry) {
                Some(sum) if sum <= LAST => sum,
                _ => return LAST,
            };
        }
    }
}

/// Later than any cycle of a run.
const LAST: u32 = u32::MAX - (1 << 13);

/// A cycle that is unknown or never comes.
pub(crate) const NEVER: u32 = u32::MAX;

/// What nodes send over the cycles of a run.
#[derive(Clone, Debug)]
pub struct Generation<'t> {
    first: Phase<'t>,
    /// By rising cycles.
    later: Vec<Phase<'t>>,
    /// Whether nothing changes, all nodes send equally and none sends in bursts.
    is_plain: bool,
}

/// Traffic that holds from a cycle on.
#[derive(Clone, Debug)]
struct Phase<'t> {
    from: u32,
    traffic: &'t Traffic,
    /// Flits, or phits, that a node offers per cycle.
    load: f64,
    /// For a node that sends the most.
    gaps: Gaps,
    bursts: Option<BurstLengths>,
    paces: Option<Paces>,
}

/// The packets of nodes that do not all send equally.
///
/// A node that sends a part r of the load generates packets in each cycle with r times the probability. With n the
/// largest number for which r ≤ 2⁻ⁿ, gaps are drawn for 2⁻ⁿ of the load, and each packet that they give is kept with
/// the probability r·2ⁿ, more than a half: the result is exactly Bernoulli injection again.
#[derive(Clone, Debug)]
struct Paces {
    /// For 2⁻ⁿ of the load by n, if some node needs them.
    gaps: Vec<Option<Gaps>>,
    /// For each node n, and the largest draw for which a packet is kept.
    of_node: Vec<(u8, u64)>,
}

/// A node that sends a smaller part of the load than 2 to the power of minus this sends nothing.
const MOST_HALVINGS: u8 = 60;

impl Paces {
    /// For nodes of which the one that sends the most generates packets with this probability.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a conversion to u64 saturates"
    )]
    fn new(traffic: &Traffic, probability: f64) -> Self {
        let mut gaps = vec![None; usize::from(MOST_HALVINGS) + 1];
        let of_node = traffic.node_numbers().map(|node| {
            let (mut share, mut halvings) = (traffic.share_of_load(node), 0);
            while share <= 0.5 && halvings < MOST_HALVINGS {
                (share, halvings) = (2.0 * share, halvings + 1);
            }
            gaps[usize::from(halvings)]
                .get_or_insert_with(|| Gaps::new(probability * 0.5_f64.powi(i32::from(halvings))));
            (halvings, (share * (u64::MAX as f64)) as u64)
        });
        let of_node = of_node.collect();
        Self { gaps, of_node }
    }
}

/// The lengths of bursts and of silences between them.
#[derive(Clone, Debug)]
struct BurstLengths {
    sending: Gaps,
    silent: Gaps,
    of: tvlb_traffic::Bursts,
}

impl<'t> Phase<'t> {
    /// Refuses bursts that would have to offer more than a node can send.
    fn new(
        from: u32,
        traffic: &'t Traffic,
        load: f64,
        flits_per_packet: u16,
    ) -> Result<Self, Refused> {
        let (mut while_sending, mut bursts) = (load, None);
        if let Some(of) = traffic.bursts() {
            let (most, tvlb_traffic::Bursts { sending, silent }) = (of.most_load(), of);
            if load > most {
                return Err(Refused::new(
                    format!(
                        "load is {load} in bursts of {sending} cycles with silences of {silent}"
                    ),
                    format!("at most {most:.4}, with which a node sends all the time in a burst"),
                ));
            }
            while_sending = (load / most).min(1.0);
            let gaps = |mean: u32| Gaps::new(1.0 / f64::from(mean));
            bursts = Some(BurstLengths { sending: gaps(sending), silent: gaps(silent), of });
        }
        let probability = while_sending / f64::from(flits_per_packet);
        let gaps = Gaps::new(probability);
        let paces = traffic.is_uneven().then(|| Paces::new(traffic, probability));
        Ok(Self { from, traffic, load, gaps, bursts, paces })
    }

    /// The first cycle from `at` on, and before `end`, in which a sending node generates a packet. Whether it is in a
    /// burst then is drawn, unless it has just generated one.
    fn next(
        &self,
        node: NodeId,
        at: u32,
        end: u32,
        has_sent: bool,
        rng: &mut impl Rng,
    ) -> Option<u32> {
        let Some(paces) = &self.paces else {
            return self.next_by(&self.gaps, at, end, has_sent, rng);
        };
        let (halvings, kept) = paces.of_node[node.as_usize()];
        let gaps = paces.gaps[usize::from(halvings)].as_ref()?;
        let (mut at, mut has_sent) = (at, has_sent);
        loop {
            let next = self.next_by(gaps, at, end, has_sent, rng)?;
            if kept == u64::MAX || rng.next_u64() <= kept {
                return Some(next);
            }
            (at, has_sent) = (next + 1, true);
        }
    }

    /// As [`Self::next`], with these gaps between packets.
    fn next_by(
        &self,
        gaps: &Gaps,
        at: u32,
        end: u32,
        has_sent: bool,
        rng: &mut impl Rng,
    ) -> Option<u32> {
        // A packet that has just been generated was in the cycle before.
        let mut at = at - u32::from(has_sent);
        let mut passed = u32::from(has_sent);
        let Some(BurstLengths { sending, silent, of }) = &self.bursts else {
            let next = at.saturating_add(gaps.draw(rng) - 1 + passed);
            return (next < end).then_some(next);
        };
        if !has_sent && below(rng, of.sending + of.silent) >= of.sending {
            at = at.saturating_add(silent.draw(rng));
        }
        while at < end {
            let (burst, gap) = (sending.draw(rng), gaps.draw(rng) - 1 + passed);
            if gap < burst {
                let next = at.saturating_add(gap);
                return (next < end).then_some(next);
            }
            at = at.saturating_add(burst).saturating_add(silent.draw(rng));
            passed = 0;
        }
        None
    }
}

impl<'t> Generation<'t> {
    /// What nodes send at a load, in flits (or phits) per cycle of the node that sends the most, in packets of so many
    /// of them.
    ///
    /// # Errors
    /// A node would have to send more than one flit per cycle in a burst.
    pub fn new(traffic: &'t Traffic, load: f64, flits_per_packet: u16) -> Result<Self, Refused> {
        let first = Phase::new(0, traffic, load, flits_per_packet)?;
        let later = traffic.changes().iter().map(|change| {
            let load = change.load.unwrap_or(load);
            Phase::new(change.from, &change.traffic, load, flits_per_packet)
        });
        let later = later.collect::<Result<Vec<_>, _>>()?;
        let is_plain = later.is_empty() && first.bursts.is_none() && first.paces.is_none();
        Ok(Self { first, later, is_plain })
    }

    /// The traffic, with all its changes.
    pub(crate) const fn traffic(&self) -> &'t Traffic {
        self.first.traffic
    }

    /// What the node that sends the most offers before anything changes, in flits (or phits) per cycle.
    pub(crate) const fn load(&self) -> f64 {
        self.first.load
    }

    /// The cycle in which a node generates its first packet from a cycle on.
    #[inline]
    pub fn first_from(&self, node: NodeId, from: u32, rng: &mut impl Rng) -> u32 {
        if self.is_plain {
            return from.saturating_add(self.first.gaps.draw(rng) - 1);
        }
        self.next(node, from, false, rng)
    }

    /// The cycle in which a node that has generated a packet generates the next one.
    #[inline]
    pub fn after(&self, node: NodeId, created: u32, rng: &mut impl Rng) -> u32 {
        if self.is_plain {
            return created.saturating_add(self.first.gaps.draw(rng));
        }
        self.next(node, created.saturating_add(1), true, rng)
    }

    /// The destination of a packet that a node generates in a cycle.
    #[inline]
    pub fn destination(&self, node: NodeId, created: u32, rng: &mut impl Rng) -> NodeId {
        let place = if self.later.is_empty() { 0 } else { self.place(created) };
        self.phase(place).traffic.draw(node, rng)
    }

    /// Which phase a cycle is in: 0 before anything changes.
    fn place(&self, cycle: u32) -> usize {
        self.later.partition_point(|phase| phase.from <= cycle)
    }

    #[inline]
    fn phase(&self, place: usize) -> &Phase<'t> {
        if place == 0 { &self.first } else { &self.later[place - 1] }
    }

    /// The cycle before which a phase holds.
    fn end(&self, place: usize) -> u32 {
        self.later.get(place).map_or(NEVER, |next| next.from)
    }

    /// The first cycle from `at` on in which a node generates a packet; `has_sent` says whether it did in the cycle
    /// before.
    #[cold]
    fn next(&self, node: NodeId, at: u32, has_sent: bool, rng: &mut impl Rng) -> u32 {
        let (mut at, mut has_sent) = (at, has_sent);
        for place in self.place(at)..=self.later.len() {
            let (phase, end) = (self.phase(place), self.end(place));
            let has_just_sent = has_sent && phase.from < at;
            if phase.traffic.sends_first(node)
                && let Some(next) = phase.next(node, at, end, has_just_sent, rng)
            {
                return next;
            }
            (at, has_sent) = (end, false);
        }
        NEVER
    }

    /// The mean load per sending node in some cycles, if traffic changes or nodes do not send equally; `senders` is how
    /// many nodes with the largest load send as much as all of them before any change.
    pub(crate) fn offered(
        &self,
        window: &Range<u32>,
        senders: impl Fn(&Traffic) -> f64,
        all: u32,
    ) -> Option<f64> {
        if self.later.is_empty() && self.first.paces.is_none() {
            return None;
        }
        let of_phase = |place: usize| {
            let phase = self.phase(place);
            let cycles =
                self.end(place).min(window.end).saturating_sub(phase.from.max(window.start));
            f64::from(cycles) * phase.load * senders(phase.traffic)
        };
        let sum: f64 = (0..=self.later.len()).map(of_phase).sum();
        let cycles = window.end.saturating_sub(window.start).max(1);
        Some(sum / f64::from(cycles) / f64::from(all.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn gaps_have_the_mean_and_the_spread_of_a_geometric_distribution() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for p in [0.0001, 0.01, 0.3, 0.5, 0.99] {
            let gaps = Gaps::new(p);
            let n = 200_000;
            let (mut sum, mut squares) = (0.0, 0.0);
            for _ in 0..n {
                let gap = f64::from(gaps.draw(&mut rng));
                sum += gap;
                squares += gap * gap;
            }
            let mean = sum / f64::from(n);
            let variance = squares / f64::from(n) - mean * mean;
            let expected = (1.0 - p) / (p * p);
            assert!((mean * p - 1.0).abs() < 0.01, "{p}: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.04, "{p}: {variance}");
        }
    }

    /// The cycles in which a node generates packets before `end`.
    fn generated(generation: &Generation<'_>, node: u32, end: u32) -> Vec<u32> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(node.into());
        let mut next = generation.first_from(NodeId(node), 0, &mut rng);
        let mut all = Vec::new();
        while next < end {
            all.push(next);
            next = generation.after(NodeId(node), next, &mut rng);
        }
        all
    }

    fn traffic(text: &str) -> Traffic {
        let df = tvlb_schema::Dragonfly::new(2, 4, 2, 9).unwrap();
        Traffic::new(&text.parse().unwrap(), &df, 1).unwrap()
    }

    #[test]
    fn bursts_offer_the_load_on_average_and_more_while_they_last() {
        let traffic = traffic("uniform in bursts(100,300)");
        let generation = Generation::new(&traffic, 0.2, 1).unwrap();
        let (end, mut packets, mut bursts, mut cycles) = (200_000, 0.0, 0.0, 0.0);
        for node in 0..20 {
            let all = generated(&generation, node, end);
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
            packets += all.iter().fold(0.0, |count, _| count + 1.0);
            // At 0.8 in a burst, hardly any gap of 15 cycles is within one.
            let mut first = all[0];
            for pair in all.windows(2).filter(|pair| pair[1] - pair[0] > 15) {
                (bursts, cycles) = (bursts + 1.0, cycles + f64::from(pair[0] - first + 1));
                first = pair[1];
            }
        }
        let load = packets / f64::from(end) / 20.0;
        assert!((load - 0.2).abs() < 0.006, "{load}");
        let (burst, rate) = (cycles / bursts, packets / cycles);
        assert!((burst - 104.0).abs() < 8.0, "{burst}, and those that are joined");
        assert!((rate - 0.8).abs() < 0.03, "{rate}");
        let most = Generation::new(&traffic, 0.26, 1).unwrap_err();
        insta::assert_snapshot!(most, @"load is 0.26 in bursts of 100 cycles with silences of 300, accepted at most 0.2500, with which a node sends all the time in a burst");
    }

    #[test]
    fn each_phase_has_its_load_and_its_destinations() {
        let traffic =
            traffic("uniform then shift(2,0) at 0.5 from 30000 then shift(3,1) from 60000");
        let generation = Generation::new(&traffic, 0.1, 1).unwrap();
        let (mut counts, mut rng) = ([0.0; 3], Xoshiro256PlusPlus::seed_from_u64(9));
        let map = |text: &str| self::traffic(text).map().unwrap().collect::<Vec<_>>();
        let (two, three) = (map("shift(2,0)"), map("shift(3,1)"));
        for node in 0..72_u32 {
            for cycle in generated(&generation, node, 90_000) {
                counts[(cycle / 30_000) as usize] += 1.0;
                let to = generation.destination(NodeId(node), cycle, &mut rng);
                let expected = [None, Some(two[node as usize].1), Some(three[node as usize].1)];
                let expected = expected[(cycle / 30_000) as usize];
                assert!(expected.is_none_or(|expected| expected == to), "{cycle}");
            }
        }
        for (count, load) in counts.into_iter().zip([0.1, 0.5, 0.1]) {
            let found: f64 = count / 30_000.0 / 72.0;
            assert!((found - load).abs() < 0.02 * load, "{found} for {load}");
        }
        let offered = generation.offered(&(15_000..45_000), |_| 72.0, 72).unwrap();
        assert!((offered - 0.3).abs() < 1e-9, "{offered}");
    }

    #[test]
    fn a_packet_may_come_in_the_first_cycle_after_a_change_and_none_before() {
        let traffic = traffic("uniform then uniform at 1 from 50 then uniform at 0.0001 from 60");
        let generation = Generation::new(&traffic, 0.0001, 1).unwrap();
        let all: Vec<Vec<u32>> = (0..50).map(|node| generated(&generation, node, 70)).collect();
        assert!(all.iter().all(|cycles| (50..60).all(|cycle| cycles.contains(&cycle))));
        let others = all.iter().flatten().filter(|cycle| !(50..60).contains(*cycle)).count();
        assert!(others < 4, "{others}");
    }

    /// Nodes whose demands differ inject Bernoulli traffic of their part of the load: gaps of the right mean and
    /// spread.
    #[test]
    fn nodes_send_their_part_of_the_load() {
        let df = tvlb_schema::Dragonfly::new(2, 4, 2, 9).unwrap();
        let demands = [1.0, 0.75, 0.5, 0.3, 0.02, 1e-30];
        let flow = |(node, &demand): (u32, &f64)| tvlb_traffic::ListedFlow {
            line: node + 2,
            source: tvlb_traffic::FlowEnd::Node(NodeId(node)),
            destination: tvlb_traffic::FlowEnd::Node(NodeId(40)),
            demand,
        };
        let flows = (0..).zip(&demands).map(flow).collect();
        let traffic = Traffic::new(&tvlb_traffic::Pattern::Flows(flows), &df, 1).unwrap();
        let generation = Generation::new(&traffic, 0.8, 1).unwrap();
        for (node, &demand) in (0..5).zip(&demands) {
            let all = generated(&generation, node, 1_000_000);
            let p = 0.8 * demand;
            let gaps = all.windows(2).map(|pair| f64::from(pair[1] - pair[0]));
            let (count, sum, squares) = gaps.fold((0.0, 0.0, 0.0), |(count, sum, squares), gap| {
                (count + 1.0, sum + gap, squares + gap * gap)
            });
            let mean: f64 = sum / count;
            let variance = squares / count - mean * mean;
            assert!((mean * p - 1.0).abs() < 5.0 / f64::sqrt(count), "{demand}: {mean}");
            let expected = (1.0 - p) / (p * p);
            assert!((variance / expected - 1.0).abs() < 0.05, "{demand}: {variance}");
        }
        assert!(generated(&generation, 5, u32::MAX - 10_000).is_empty());
        let share: f64 = demands.iter().sum::<f64>() / 6.0;
        let senders = |traffic: &Traffic| traffic.sent(&df);
        let offered = generation.offered(&(0..100), senders, 6).unwrap();
        assert!((offered - 0.8 * share).abs() < 1e-9, "{offered}");
    }

    #[test]
    fn a_load_of_one_sends_in_every_cycle() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let gaps = Gaps::new(1.0);
        assert!((0..10_000).all(|_| gaps.draw(&mut rng) == 1));
    }
}
