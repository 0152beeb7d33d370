//! Decision vectors: the decisions of a switch of a table set, call by call, for firmware tests to replay.
//! `docs/reference/embedding.md` describes the lines.
//!
//! The calls are made on the datapath that ships. Headers of packets in transit are those with which packets of the
//! whole fabric arrive at the switch, after a walk through its other switches.

mod lines;
mod of_run;

pub use of_run::{RunDecisions, RunRecorder};

use lines::Lines;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{
    ByChannel, Channels, Credits, Error, Header, Scheme, Stage, Step, Switch, VlbPaths,
};
use tvlb_schema::{NodeId, Port, SwitchId};

/// How many packets in transit are used at each stage, and before each choice of a link to go on.
const OF_STAGE: usize = 4;
const OF_MIDDLE: usize = 16;
/// The search ends after this many packets without a new header.
const MOST_IN_VAIN: u32 = 20_000;
/// Calls of `admit` with the same credits.
const ADMISSIONS: u32 = 32;
/// Headers that no switch writes: of an unknown kind, and out of every range.
const ODD: [u64; 2] = [3, 0xffff_ffff_ffff_ff02];

/// The images of one switch, with their names in the lines.
#[derive(Clone, Copy, Debug)]
pub struct VectorImages<'a> {
    /// The fabric image.
    pub fabric: (&'a str, &'a [u8]),
    /// The switch image.
    pub switch: (&'a str, &'a [u8]),
    /// A fault image that the switch takes after it has booted.
    pub faults: Option<(&'a str, &'a [u8])>,
}

/// Headers with which packets arrive at a switch, for all schemes, kinds of paths and stages, without repetition.
#[must_use]
pub fn arriving(switches: &[(SwitchId, Switch<'_>)], at: SwitchId, seed: u64) -> Vec<Header> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut found: Vec<Header> = Vec::new();
    let Ok(own) = switches.binary_search_by_key(&at, |&(number, _)| number) else { return found };
    let df = *switches[own].1.image().fabric().dragonfly();
    let idle = vec![0; df.radix() as usize * 8];
    let credits = ByChannel { counters: &idle, channels: 8 };
    let own_group = switches[own].1.image().group();
    let neighbours: Vec<_> =
        switches.iter().filter(|(number, _)| df.place(*number).0 == own_group).collect();
    let (mut walk, mut last) = (0, 0);
    while walk - last < MOST_IN_VAIN {
        walk += 1;
        // PAR's second look is at packets from the same group.
        let (scheme, paths) = kind_of(walk);
        let from = if walk.is_multiple_of(2) {
            neighbours[below(&mut rng, neighbours.len())]
        } else {
            &switches[below(&mut rng, switches.len())]
        };
        let to = NodeId(rng.next_u32() % df.node_numbers());
        let Ok(sent) = from.1.admit(to, scheme, paths, &credits, &mut rng) else { continue };
        let (mut here, mut step) = (&from.1, sent.step);
        while let Step::Send { port, header, .. } = step {
            let Some((group, index)) = here.neighbour(port) else { break };
            let next = df.switch(group, index);
            if next == at {
                let stage = header.stage();
                let most = if stage == Stage::Middle { OF_MIDDLE } else { OF_STAGE };
                let is_wanted = found.iter().filter(|of| of.stage() == stage).count() < most;
                if is_wanted && !found.contains(&header) {
                    found.push(header);
                    last = walk;
                }
                break;
            }
            let place = switches.binary_search_by_key(&next, |&(number, _)| number);
            let Some(Ok(moved)) = place.ok().map(|place| switches[place].1.forward(header)) else {
                break;
            };
            (here, step) = (&switches[place.unwrap_or(0)].1, moved);
        }
    }
    found
}

fn below(rng: &mut impl Rng, count: usize) -> usize {
    rng.next_u32() as usize % count
}

/// The scheme and the paths of a call: all take turns.
fn kind_of(turn: u32) -> (Scheme, VlbPaths) {
    (Scheme::ALL[turn as usize / 2 % 4], VlbPaths::ALL[turn as usize / 8 % 2])
}

/// The vectors of a switch: with its tables, and then with each update that it takes.
///
/// # Errors
/// The images do not boot.
pub fn vectors(
    stages: &[VectorImages<'_>],
    arriving: &[Header],
    seed: u64,
) -> Result<String, Error> {
    let mut lines = Lines::beginning();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for images in stages {
        let mut switch = Switch::boot(images.fabric.1, images.switch.1)?;
        lines.images(images.fabric.0, images.switch.0);
        if let Some((name, bytes)) = images.faults {
            switch.install_faults(bytes)?;
            lines.faults(name);
        }
        let channels = switch.channels().most();
        let mut block = Block { switch: &switch, lines: &mut lines, rng: &mut rng };
        for queues in [Queues::Idle, Queues::Random, Queues::Busy, Queues::Full] {
            let counters = block.count(channels, queues);
            block.all_calls(&Known { counters, channels }, arriving);
        }
        // Only sums, which tables by channel refuse.
        let counters = block.count(0, Queues::Random);
        block.admissions(&Known { counters, channels: 0 }, 8);
        block.boots_for_less(channels, arriving);
    }
    Ok(lines.0)
}

/// The state of a switch's queues.
#[derive(Clone, Copy)]
enum Queues {
    Idle,
    /// Below ten.
    Random,
    /// Some long, most idle: VLB is often cheaper.
    Busy,
    /// All of equal length: MIN is cheaper by its hops.
    Full,
}

/// Credits by channel, or sums without channels.
struct Known {
    counters: Vec<u32>,
    channels: u8,
}

impl Known {
    fn by_channel(&self) -> Option<ByChannel<'_>> {
        let Self { counters, channels } = self;
        (*channels > 0).then_some(ByChannel { counters, channels: *channels })
    }
}

impl Credits for Known {
    fn used(&self, port: Port) -> u32 {
        match self.by_channel() {
            Some(by_channel) => by_channel.used(port),
            None => self.counters.as_slice().used(port),
        }
    }

    fn used_on(&self, port: Port, virtual_channel: u8) -> Option<u32> {
        self.by_channel()?.used_on(port, virtual_channel)
    }
}

/// The calls of one booted switch.
struct Block<'b, 'i> {
    switch: &'b Switch<'i>,
    lines: &'b mut Lines,
    rng: &'b mut Xoshiro256PlusPlus,
}

impl Block<'_, '_> {
    /// Counters for this many channels of each port, or sums, and the line that states them.
    fn count(&mut self, channels: u8, queues: Queues) -> Vec<u32> {
        let ports = self.switch.image().fabric().dragonfly().radix() as usize;
        let counters: Vec<u32> = (0..ports * usize::from(channels.max(1)))
            .map(|_| {
                let word = self.rng.next_u32();
                match queues {
                    Queues::Idle => 0,
                    Queues::Random => word % 10,
                    Queues::Busy => [0, 0, 0, 30][word as usize % 4],
                    Queues::Full => 12,
                }
            })
            .collect();
        self.lines.channels(channels);
        self.lines.credits(&counters);
        counters
    }

    fn all_calls(&mut self, credits: &Known, arriving: &[Header]) {
        for header in self.admissions(credits, ADMISSIONS) {
            // It is for the next switch: here it is invalid, or valid by chance.
            self.forward(header);
        }
        for header in ODD.map(Header::from_bits).iter().chain(arriving) {
            let Some(looked) = self.reconsider(*header, VlbPaths::Custom, credits) else {
                continue;
            };
            self.reconsider(*header, VlbPaths::Conventional, credits);
            let onward = self.switch.look_onward(looked, Scheme::Par, credits);
            self.lines.onward(looked, &onward);
            self.forward(onward.unwrap_or(looked));
        }
    }

    /// Packets of nodes, of all schemes and paths, some to this switch and some to nonexistent nodes; returns the
    /// resulting headers.
    fn admissions(&mut self, credits: &Known, count: u32) -> Vec<Header> {
        let df = self.switch.image().fabric().dragonfly();
        let own = df.node(self.switch.image().switch(), 0).0;
        let mut headers = Vec::new();
        for turn in 0..count {
            let (scheme, paths) =
                (Scheme::ALL[turn as usize % 4], VlbPaths::ALL[turn as usize / 4 % 2]);
            let node = match turn {
                5 => own,
                6 => df.node_numbers(),
                _ => self.rng.next_u32() % df.node_numbers(),
            };
            let node = NodeId(node);
            let admitted = self.lines.admit((node, scheme, paths), self.rng, |words| {
                self.switch.admit(node, scheme, paths, credits, words)
            });
            if let Ok(Step::Send { header, .. }) = admitted.map(|admission| admission.step) {
                headers.push(header);
            }
        }
        headers
    }

    /// A second look; returns the header to continue with.
    fn reconsider(&mut self, header: Header, paths: VlbPaths, credits: &Known) -> Option<Header> {
        let looked = self.lines.reconsider((header, paths), self.rng, |words| {
            self.switch.reconsider(header, paths, credits, words)
        });
        looked.ok()
    }

    fn forward(&mut self, header: Header) {
        self.lines.forward(header, &self.switch.forward(header));
    }

    /// The same switch booted for less than PAR: it refuses PAR's packets, and those that need its channels. With only
    /// the channels of direct paths, packets in transit of other schemes lack some.
    fn boots_for_less(&mut self, channels: u8, arriving: &[Header]) {
        for (scheme, paths) in [
            (Scheme::UgalL, VlbPaths::Conventional),
            (Scheme::UgalL, VlbPaths::Custom),
            (Scheme::Min, VlbPaths::Conventional),
        ] {
            let Channels { local, global } = self.switch.channels_needed_for(scheme, paths);
            let links = Channels { local, global };
            let Ok(less) = self.switch.clone().with_channels_for(scheme, paths, links) else {
                continue;
            };
            let mut block = Block { switch: &less, lines: self.lines, rng: self.rng };
            block.lines.boot(scheme, paths, links);
            let counters = block.count(channels, Queues::Random);
            let credits = Known { counters, channels };
            block.admissions(&credits, 16);
            for header in arriving {
                let looked = block.reconsider(*header, paths, &credits).unwrap_or(*header);
                block.forward(looked);
            }
        }
    }
}
