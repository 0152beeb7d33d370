//! The graph of channels that wait for each other, and its cycles.
//!
//! A packet that holds one virtual channel of a link waits for its next one. If no cycle of such waits can close, no
//! deadlock can form (Dally and Seitz, IEEE Trans. Computers 1987). The graph is the union over all checked walks: if
//! these are all walks, a graph without cycles is a proof.
//!
//! The graph of a large fabric does not fit in memory. Then all channels of one class, which is the kind of link
//! (local, global, or local and leading down to a leaf) and the number of the channel, become one node: 24 nodes. Every
//! cycle of the large graph is a cycle of the small one, so a small graph without cycles proves more. It has none if
//! the rank of channels rises at every hop, because the class alone decides the rank.

use super::VerifyError;
use super::packet::{BootedSwitches, Hop};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use tvlb_base::progress::Progress;
use tvlb_schema::{Dragonfly, Port, SwitchId};
use tvlb_table_set::names::{Names, after};

/// No scheme has more virtual channels on a link.
const CHANNELS: usize = 8;
/// The most bytes of the graph; that of 5600 switches with 43 ports takes 83 megabytes.
const MOST_BYTES: u64 = 1 << 27;
/// At most some milliseconds of work are done between two checks for cancellation.
const NODES_PER_QUESTION: usize = 1 << 12;
/// Channels of local links, of global links, and of those that lead down.
const CLASSES: usize = 3 * CHANNELS;
/// The kinds of links in the order of their classes.
const KINDS: [&str; 3] = ["local", "global", "downward local"];

/// Which channel waits for which.
pub(super) struct Dependencies {
    /// Ports of a switch that are not terminals.
    ports: usize,
    terminals: u16,
    /// One bit for each channel into a switch and each channel out of it; if those are too many, one for each two
    /// classes.
    waits: Vec<AtomicU64>,
    by_class: bool,
    /// One bit for each channel that some packet uses.
    used: Vec<AtomicU64>,
}

impl Dependencies {
    pub(super) fn new(df: &Dragonfly) -> Self {
        Self::within(df, MOST_BYTES)
    }

    /// With a graph of at most this many bytes, or one of classes.
    fn within(df: &Dragonfly, most_bytes: u64) -> Self {
        let (switches, ports) = (df.switch_numbers(), df.radix() - df.p());
        let bytes = u64::from(switches) * (u64::from(ports) * CHANNELS as u64).pow(2) / 8;
        let by_class = bytes > most_bytes;
        let ports = ports as usize;
        let channels = switches as usize * ports * CHANNELS;
        let words = |bits: usize| (0..bits.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self {
            ports,
            terminals: u16::try_from(df.p()).expect("a switch has fewer than 2¹⁶ terminals"),
            waits: words(if by_class { CLASSES * CLASSES } else { channels * ports * CHANNELS }),
            by_class,
            used: words(channels),
        }
    }

    /// Whether the nodes are classes of channels instead of channels.
    pub(super) fn is_by_class(&self) -> bool {
        self.by_class
    }

    /// A channel's number among those out of one switch.
    fn way_out(&self, hop: Hop) -> usize {
        usize::from(hop.port.0 - self.terminals) * CHANNELS + usize::from(hop.channel)
    }

    fn ways_out(&self) -> usize {
        self.ports * CHANNELS
    }

    fn channel(&self, hop: Hop) -> usize {
        hop.from.as_usize() * self.ways_out() + self.way_out(hop)
    }

    /// Notes the waits of a packet on this path.
    pub(super) fn note(&self, hops: &[Hop]) {
        let mut held = None;
        for &next in hops {
            let channel = self.channel(next);
            set(&self.used, channel);
            if let Some((before, channel_before)) = held {
                set(&self.waits, self.wait((before, channel_before), next));
            }
            held = Some((next, channel));
        }
    }

    /// Notes that packets that hold one of these channels may wait for the other.
    pub(super) fn note_before(&self, held: &[Hop], next: Hop) {
        for &held in held {
            let channel = self.channel(held);
            set(&self.used, channel);
            set(&self.waits, self.wait((held, channel), next));
        }
    }

    /// The index of the bit for a channel, given with its number, that is held while another is waited for.
    fn wait(&self, (held, channel): (Hop, usize), next: Hop) -> usize {
        if self.by_class {
            class(held) * CLASSES + class(next)
        } else {
            channel * self.ways_out() + self.way_out(next)
        }
    }

    /// How many channels are used, and how many pairs wait.
    pub(super) fn counts(&self) -> (u64, u64) {
        let count = |bits: &[AtomicU64]| {
            bits.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
        };
        (count(&self.used), count(&self.waits))
    }

    /// The highest virtual channel in use on local and on global links, plus one.
    pub(super) fn channels_in_use(&self, fabric: &BootedSwitches<'_>) -> [u8; 2] {
        let mut most = [0; 2];
        for channel in ones(&self.used, 0, self.used.len() * 64) {
            if let Some(hop) = self.hop(fabric, channel) {
                let most = &mut most[usize::from(hop.global)];
                *most = (hop.channel + 1).max(*most);
            }
        }
        most
    }

    /// The channels that a channel waits for, given the switch that it leads to.
    fn next(&self, channel: usize, to: SwitchId) -> impl Iterator<Item = usize> {
        let first = channel * self.ways_out();
        let base = to.as_usize() * self.ways_out();
        ones(&self.waits, first, first + self.ways_out()).map(move |bit| base + bit - first)
    }

    /// Whether both have the same waits.
    #[cfg(test)]
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let bits = |graph: &Self| -> Vec<u64> {
            let words = graph.used.iter().chain(&graph.waits);
            words.map(|word| word.load(Ordering::Relaxed)).collect()
        };
        bits(self) == bits(other)
    }

    fn hop(&self, fabric: &BootedSwitches<'_>, channel: usize) -> Option<Hop> {
        let from = SwitchId(u16::try_from(channel / self.ways_out()).ok()?);
        let way_out = channel % self.ways_out();
        let port = Port(u16::try_from(way_out / CHANNELS).ok()? + self.terminals);
        let switch = fabric.known_switch(from)?;
        let (group, index) = switch.neighbour(port)?;
        let to = fabric.df.switch(group, index);
        let channel = u8::try_from(way_out % CHANNELS).ok()?;
        let global = fabric.place(from).0 != group;
        let down = !global && fabric.leads_down(to);
        Some(Hop { from, port, to, channel, global, down })
    }

    /// A cycle in words, link by link or class by class; `None` if there is none.
    ///
    /// # Errors
    /// The caller cancelled the work.
    pub(super) fn cycle(
        &self,
        fabric: &BootedSwitches<'_>,
        names: &Names,
        progress: &dyn Progress,
    ) -> Result<Option<String>, VerifyError> {
        if self.by_class {
            return Ok(self.cycle_of_classes());
        }
        let count = self.used.len() * 64;
        let targets: Vec<Option<SwitchId>> =
            (0..count).map(|channel| self.hop(fabric, channel).map(|hop| hop.to)).collect();
        let next = |channel: usize| {
            targets[channel].into_iter().flat_map(move |to| self.next(channel, to))
        };
        let used = ones(&self.used, 0, count);
        let found = cycle(count, used, next, progress)?;
        Ok(found.map(|cycle| self.in_words(fabric, names, &cycle)))
    }

    fn cycle_of_classes(&self) -> Option<String> {
        let next = |class: usize| {
            let first = class * CLASSES;
            ones(&self.waits, first, first + CLASSES).map(move |bit| bit - first)
        };
        let found = cycle(CLASSES, 0..CLASSES, next, &());
        let found = found.expect("a search that nobody can cancel");
        found.map(|cycle| classes_in_words(&cycle))
    }

    fn in_words(&self, fabric: &BootedSwitches<'_>, names: &Names, cycle: &[usize]) -> String {
        let mut words = String::new();
        for (number, &channel) in cycle.iter().enumerate() {
            if let Some(hop) = self.hop(fabric, channel) {
                let kind = if hop.global { "global" } else { "local" };
                let line = if number == 0 { "" } else { "\n" };
                let [from, to] = [hop.from, hop.to].map(|switch| names.named(switch));
                let named = names.port_number(&fabric.df, hop.from, hop.port);
                let port = after(hop.port, named.map(|named| named.name.as_str()));
                let _ = write!(
                    words,
                    "{line}  VC {} of the {kind} link from switch {from} (port {}{port}) to switch {to} waits for",
                    hop.channel, hop.port
                );
            }
        }
        words.push_str(" the first");
        words
    }
}

fn class(hop: Hop) -> usize {
    (usize::from(hop.global) + 2 * usize::from(hop.down)) * CHANNELS + usize::from(hop.channel)
}

fn classes_in_words(cycle: &[usize]) -> String {
    let mut words = String::new();
    for &class in cycle {
        let kind = KINDS[class / CHANNELS];
        let _ = writeln!(words, "  VC {} of some {kind} link waits for", class % CHANNELS);
    }
    words.truncate(words.trim_end().len());
    words.push_str(" the first");
    words
}

/// A cycle of a graph, from its node of lowest number; `None` if there is none.
///
/// Nodes that no other waits for are removed, one after another. Every remaining node has a predecessor, so walking
/// backwards from any of them must close a cycle.
fn cycle<N: Iterator<Item = usize>>(
    count: usize,
    nodes: impl Iterator<Item = usize> + Clone,
    next: impl Fn(usize) -> N,
    progress: &dyn Progress,
) -> Result<Option<Vec<usize>>, VerifyError> {
    let mut looked = 0_usize;
    let mut go_on = || {
        looked += 1;
        let asks = looked.is_multiple_of(NODES_PER_QUESTION);
        if asks { progress.check() } else { Ok(()) }
    };
    let mut waiting = vec![0_u32; count];
    for node in nodes.clone() {
        go_on()?;
        next(node).for_each(|other| waiting[other] += 1);
    }
    let mut free: Vec<usize> = nodes.filter(|&node| waiting[node] == 0).collect();
    while let Some(node) = free.pop() {
        go_on()?;
        for other in next(node) {
            waiting[other] -= 1;
            if waiting[other] == 0 {
                free.push(other);
            }
        }
    }
    let Some(start) = (0..count).find(|&node| waiting[node] > 0) else { return Ok(None) };
    let held = |of: usize| {
        let holder =
            (0..count).find(|&node| waiting[node] > 0 && next(node).any(|other| other == of));
        holder.expect("a node that is left is waited for by another that is left")
    };
    let mut back = vec![start];
    let mut last = start;
    loop {
        // Each step back scans all nodes.
        progress.check()?;
        let before = held(last);
        if let Some(place) = back.iter().position(|&node| node == before) {
            let mut cycle = back.split_off(place);
            cycle.reverse();
            let least = (0..cycle.len()).min_by_key(|&place| cycle[place]).unwrap_or(0);
            cycle.rotate_left(least);
            return Ok(Some(cycle));
        }
        back.push(before);
        last = before;
    }
}

fn set(bits: &[AtomicU64], bit: usize) {
    let (word, mask) = (&bits[bit / 64], 1 << (bit % 64));
    // Most bits are set long before the last packet: reading is cheaper than writing.
    if word.load(Ordering::Relaxed) & mask == 0 {
        word.fetch_or(mask, Ordering::Relaxed);
    }
}

/// The numbers of the bits that are set, from `first` to before `end`.
fn ones(bits: &[AtomicU64], first: usize, end: usize) -> impl Iterator<Item = usize> + Clone {
    (first / 64..end.div_ceil(64)).flat_map(move |place| {
        let mut word = bits[place].load(Ordering::Relaxed);
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
            word &= word - 1;
            Some(place * 64 + bit)
        })
        .filter(move |bit| (first..end).contains(bit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use tvlb_firmware_model::Switch;
    use tvlb_generator::fabric::Fabric;
    use tvlb_generator::image::Images;
    use tvlb_generator::policy::Policy;
    use tvlb_generator::tables::tables_of;
    use tvlb_schema::{GroupKind, PerDecision, SetRule, ShapeSet};
    use tvlb_topology::arrangement::Arrangement;
    use tvlb_topology::in_turn::lay_between;

    /// The images of a fabric whose sets hold all routes.
    fn images_of(fabric: &Fabric) -> Images {
        let policies = PerDecision::same(Policy::from(SetRule::whole(ShapeSet::ALL)));
        tables_of(fabric, &policies, &()).unwrap().images
    }

    fn boot(Images { fabric, switches }: &Images) -> Vec<Switch<'_>> {
        switches.iter().map(|image| Switch::boot(fabric, image).unwrap()).collect()
    }

    #[test]
    fn bits_are_found_where_they_were_set() {
        let bits: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
        for bit in [0, 63, 64, 130, 255] {
            set(&bits, bit);
        }
        assert_eq!(ones(&bits, 0, 256).collect::<Vec<_>>(), [0, 63, 64, 130, 255]);
        assert_eq!(ones(&bits, 1, 255).collect::<Vec<_>>(), [63, 64, 130]);
        assert_eq!(ones(&bits, 65, 130).count(), 0);
    }

    #[test]
    fn the_largest_fabric_has_a_small_graph() {
        let df = Dragonfly::new(1, 256, 16, 256).unwrap();
        let dependencies = Dependencies::new(&df);
        assert!(dependencies.is_by_class());
        assert_eq!((dependencies.waits.len(), dependencies.used.len() * 8), (9, 17_760_256));
        let df = Dragonfly::new(1, 32, 12, 175).unwrap();
        assert!(!Dependencies::new(&df).is_by_class());
    }

    #[test]
    fn a_cycle_of_classes_is_found_and_told() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let dependencies = Dependencies::within(&df, 0);
        let hop = |from, port, to, channel, global| {
            let (from, to) = (SwitchId(from), SwitchId(to));
            Hop { from, port: Port(port), to, channel, global, down: false }
        };
        let (local, global) = (hop(4, 2, 5, 1, false), hop(5, 5, 9, 1, true));
        dependencies.note(&[hop(7, 2, 4, 0, false), local, global]);
        assert_eq!(dependencies.cycle_of_classes(), None);
        // The other way round elsewhere: it is unknown whether they meet.
        dependencies.note(&[hop(30, 5, 2, 1, true), hop(2, 3, 1, 1, false)]);
        assert_eq!(
            dependencies.cycle_of_classes().unwrap(),
            "  VC 1 of some local link waits for\n  VC 1 of some global link waits for the first"
        );
    }

    #[test]
    fn a_cycle_is_found_and_told_link_by_link() {
        let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tables");
        let loaded = Fabric::load(&tables.join("dfly-2-4-2-9.toml")).unwrap();
        let images = images_of(&loaded);
        let switches = boot(&images);
        let fabric = BootedSwitches::new(&switches, loaded.topology.ends());
        let dependencies = Dependencies::new(&fabric.df);
        // Terminals are ports 0 and 1; the local ports of a switch lead to the others by index.
        let hop = |from, port, to, channel| {
            let (from, to) = (SwitchId(from), SwitchId(to));
            Hop { from, port: Port(port), to, channel, global: false, down: false }
        };
        let (a, b, c) = (hop(4, 2, 5, 1), hop(5, 3, 6, 1), hop(6, 2, 4, 1));
        dependencies.note(&[hop(7, 2, 4, 0), a, b, hop(6, 4, 7, 2)]);
        dependencies.note(&[b, c]);
        assert_eq!(dependencies.cycle(&fabric, &Names::default(), &()).unwrap(), None);
        assert_eq!(dependencies.counts(), (5, 4));
        dependencies.note(&[c, a]);
        assert_eq!(
            dependencies.cycle(&fabric, &Names::default(), &()).unwrap().unwrap(),
            "  VC 1 of the local link from switch 4 (port 2) to switch 5 waits for\n  \
             VC 1 of the local link from switch 5 (port 3) to switch 6 waits for\n  \
             VC 1 of the local link from switch 6 (port 2) to switch 4 waits for the first"
        );
        let names = "group,switch,port,name,physical\n1,0,,r1s0,\n1,1,local 2 0,r1s1l2,\n";
        let names = Names::read(&fabric.df, names).unwrap();
        assert_eq!(
            dependencies.cycle(&fabric, &names, &()).unwrap().unwrap(),
            "  VC 1 of the local link from switch 4 r1s0 (port 2) to switch 5 waits for\n  \
             VC 1 of the local link from switch 5 (port 3 r1s1l2) to switch 6 waits for\n  \
             VC 1 of the local link from switch 6 (port 2) to switch 4 r1s0 waits for the first"
        );
    }

    /// If groups differ, the numbers of switches have gaps.
    #[test]
    fn a_cycle_after_a_gap_is_found() {
        let kind = |p, a, g| GroupKind::new(p, a, 2, g);
        let df = Dragonfly::of_kinds(&[kind(1, 2, 2), kind(2, 4, 2)]).unwrap();
        let even = Dragonfly::new(1, 2, 1, 3).unwrap();
        let mut loaded = Fabric::new("gaps", even, Arrangement::Absolute, 1).unwrap();
        loaded.file.dragonfly = df;
        loaded.topology = lay_between(df, |_, _| 1);
        let images = images_of(&loaded);
        let switches = boot(&images);
        let fabric = BootedSwitches::new(&switches, loaded.topology.ends());
        let dependencies = Dependencies::new(&fabric.df);
        let hop = |from, port, to| {
            let (from, to) = (SwitchId(from), SwitchId(to));
            Hop { from, port: Port(port), to, channel: 1, global: false, down: false }
        };
        // The last group begins with switch 12.
        let (a, b, c) = (hop(12, 2, 13), hop(13, 3, 14), hop(14, 2, 12));
        dependencies.note(&[a, b, c]);
        assert_eq!(dependencies.cycle(&fabric, &Names::default(), &()).unwrap(), None);
        assert_eq!(dependencies.channels_in_use(&fabric), [2, 0]);
        dependencies.note(&[c, a]);
        let found = dependencies.cycle(&fabric, &Names::default(), &()).unwrap().unwrap();
        assert!(found.contains("from switch 12 (port 2) to switch 13"), "{found}");
    }
}
