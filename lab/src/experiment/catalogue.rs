//! What each name stands for: fabric, traffic and settings.
//!
//! fig4 to fig18 and table2 are those of Rahman et al., SC'19: fabric, traffic and schemes are those
//! of section 4.3 and its captions, settings those of Table 3. Of the values that figures 15 to 17
//! vary, the text names one beside the default (40 and 60 cycles, 8 flits, speed-up 1); further ones
//! are ours. load-imbalance-* are after Prisacari et al., HPSR'15, arrangements-* after Kaplan et al., CCGRID 2017,
//! and ofar-* after García et al., HOTI 2013. All other names are experiments of our own.

use super::rules::Rules;
use tvlb_simulator::Scheme;

/// A figure or table of the paper, or an experiment of our own.
pub struct Experiment {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// The fabric, the traffic and the schemes, in a few words.
    pub about: &'static str,
    pub(super) kind: Kind,
}

/// What is done for an experiment.
pub(super) enum Kind {
    /// Step 1's throughputs.
    Model { p: u32, a: u32, h: u32, g: u32 },
    /// Latency over load.
    Curves(Study),
    /// The fabrics and their paths.
    Topologies,
    /// A failure, its installation and its mending.
    Failure,
    /// Saturation over the share of dead cables, under this traffic.
    Ageing(&'static str),
    /// Throughput under traffic that loads links unevenly.
    Imbalance(Shift),
    /// Throughput of an exchange between neighbours.
    NeighbourPhase,
    /// How long an exchange takes with each arrangement of global links.
    Arrangements(Exchange, Machine),
    /// How long jobs take by placement, map, arrangement and routing.
    Placements(Jobs),
    /// Routings that decide at every hop, on cut-through switches.
    PerHop(PerHopStudy),
}

/// What is compared of routings that decide at every hop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PerHopStudy {
    /// Latency and accepted load over the load under a traffic, by escape network and control.
    Curves(&'static str),
    /// By numbers of channels.
    Channels,
    /// Bursts, until all is delivered.
    Bursts,
    /// One packet from every node to every other.
    AllToAll,
    /// By each reading of what the paper does not state.
    Readings,
    /// All routings with equal buffers, on a fabric.
    EqualMemory([u32; 4]),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Jobs {
    /// One on the whole machine: every rank of one half with every rank of the other.
    OneBisection,
    /// One on the whole machine: neighbours on a grid.
    OneStencil,
    /// Two of half the machine: neighbours on a grid each.
    TwoStencils,
}

impl Jobs {
    /// What tells the runs of one case from those of another.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::OneBisection => "144x2 bisection",
            Self::OneStencil => "144x2 halo3d:6x6x4",
            Self::TwoStencils => "72x2,72x2 halo3d:6x4x3",
        }
    }
}

/// What the ranks of a job exchange.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exchange {
    /// Every rank of one half of the machine with every rank of the other, by rising number.
    Bisection,
    AllToAll,
    /// Neighbours on a grid of three dimensions.
    Stencil,
}

impl Exchange {
    /// The name that it has among workloads.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bisection => "bisection",
            Self::AllToAll => "alltoall",
            Self::Stencil => "halo3d",
        }
    }
}

/// The machine on which an exchange is timed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Machine {
    /// dfly(2,4,2,9): 72 nodes.
    Small,
    /// dfly(4,8,4,33): 1,056 nodes.
    Large,
}

/// Which traffic: every group sends to the group so many further on, or all to their complement.
#[derive(Clone, Copy)]
pub(super) enum Shift {
    Complement,
    /// By h + 1 groups.
    Near,
    /// By 2h groups.
    TwoSwitches,
    /// By 2h + ⌊h/2⌋ groups.
    Far,
}

/// The page of the measurements that an experiment is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// `reproduction.md`: Rahman et al., "Topology-Custom UGAL Routing on Dragonfly" (SC'19), and
    /// experiments of our own beside it.
    Reproduction,
    /// `faults.md`: what dead parts cost, of which no paper tells.
    Faults,
    /// `load-imbalance.md`: Prisacari et al., "Performance Optimization of Load Imbalanced Workloads in Large
    /// Scale Dragonfly Systems" (HPSR'15).
    LoadImbalance,
    /// `arrangements.md`: Kaplan et al., "Unveiling the Interplay Between Global Link Arrangements and
    /// Network Management Algorithms on Dragonfly Networks" (CCGRID 2017).
    Arrangements,
    /// `ofar.md`: García et al., "OFAR-CM: Efficient Dragonfly Networks with Simple Congestion Management"
    /// (HOTI 2013), whose figures have no numbers, and T-OFAR beside it.
    PerHop,
}

/// Simulations of one fabric under one traffic.
pub(super) struct Study {
    /// p, a, h, g.
    pub(super) dragonfly: [u32; 4],
    pub(super) traffic: &'static str,
    pub(super) schemes: &'static [Scheme],
    /// Each of these is simulated in turn. A study of Table 3's settings has one, without a name.
    pub(super) variants: &'static [Variant],
}

/// Settings that differ from Table 3's.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    /// The variant's name in names of files and in figures.
    pub(super) name: &'static str,
    pub(super) change: Change,
}

#[derive(Clone, Copy)]
pub(super) enum Change {
    Nothing,
    /// Cycles of local and of global links.
    Latencies(u16, u16),
    /// Flits of one virtual channel's buffer.
    Buffer(u16),
    /// Internal speed-up.
    Speedup(u8),
    /// Another assignment of virtual channels.
    PerHop,
}

const DEFAULT: [Variant; 1] = [Variant { name: "", change: Change::Nothing }];
const LATENCIES: [Variant; 3] = [
    Variant { name: "10-15", change: Change::Nothing },
    Variant { name: "20-30", change: Change::Latencies(20, 30) },
    Variant { name: "40-60", change: Change::Latencies(40, 60) },
];
const BUFFERS: [Variant; 4] = [
    Variant { name: "8", change: Change::Buffer(8) },
    Variant { name: "16", change: Change::Buffer(16) },
    Variant { name: "32", change: Change::Nothing },
    Variant { name: "64", change: Change::Buffer(64) },
];
const SPEEDUPS: [Variant; 2] = [
    Variant { name: "1", change: Change::Speedup(1) },
    Variant { name: "2", change: Change::Nothing },
];
const CHANNELS: [Variant; 2] = [
    Variant { name: "ordered", change: Change::Nothing },
    Variant { name: "per-hop", change: Change::PerHop },
];
const LOCAL: &[Scheme] = &[Scheme::UgalL, Scheme::Par];
const GLOBAL: &[Scheme] = &[Scheme::UgalG];
const ALL: &[Scheme] = &[Scheme::UgalL, Scheme::Par, Scheme::UgalG];
const SMALL: [u32; 4] = [4, 8, 4, 9];
const MIDDLE: [u32; 4] = [4, 8, 4, 17];
const MAXIMAL: [u32; 4] = [4, 8, 4, 33];
const LARGE: [u32; 4] = [13, 26, 13, 27];

const fn study(dragonfly: [u32; 4], traffic: &'static str, schemes: &'static [Scheme]) -> Study {
    Study { dragonfly, traffic, schemes, variants: &DEFAULT }
}

/// An experiment under Table 3's settings.
const fn curves(
    name: &'static str,
    about: &'static str,
    (dragonfly, traffic, schemes): ([u32; 4], &'static str, &'static [Scheme]),
) -> Experiment {
    figure(name, about, Kind::Curves(study(dragonfly, traffic, schemes)))
}

/// An experiment in which one setting varies.
const fn sensitivity(
    name: &'static str,
    about: &'static str,
    (dragonfly, traffic, scheme): ([u32; 4], &'static str, &'static [Scheme]),
    variants: &'static [Variant],
) -> Experiment {
    figure(name, about, Kind::Curves(Study { variants, ..study(dragonfly, traffic, scheme) }))
}

const fn figure(name: &'static str, about: &'static str, kind: Kind) -> Experiment {
    Experiment { name, about, kind }
}

/// All experiments: those of the T-UGAL paper in its order, our own beside them, those with dead parts, and
/// those after other papers.
pub static EXPERIMENTS: [Experiment; 56] = [
    figure(
        "fig4",
        "modelled throughput of Step 1's sets on dfly(4,8,4,9)",
        Kind::Model { p: 4, a: 8, h: 4, g: 9 },
    ),
    figure(
        "fig5",
        "modelled throughput of Step 1's sets on dfly(4,8,4,33)",
        Kind::Model { p: 4, a: 8, h: 4, g: 33 },
    ),
    curves("fig6", "dfly(4,8,4,9), shift(2,0): UGAL-L and PAR", (SMALL, "shift(2,0)", LOCAL)),
    curves("fig7", "dfly(4,8,4,9), shift(2,0): UGAL-G", (SMALL, "shift(2,0)", GLOBAL)),
    curves(
        "fig8",
        "dfly(4,8,4,9), random permutation: UGAL-L and PAR",
        (SMALL, "permutation", LOCAL),
    ),
    curves("fig9", "dfly(4,8,4,9), random permutation: UGAL-G", (SMALL, "permutation", GLOBAL)),
    curves(
        "fig10",
        "dfly(4,8,4,17), MIXED(75,25): UGAL-L and PAR",
        (MIDDLE, "mixed(75,25)", LOCAL),
    ),
    curves(
        "fig11",
        "dfly(4,8,4,17), MIXED(25,75): UGAL-L and PAR",
        (MIDDLE, "mixed(25,75)", LOCAL),
    ),
    curves(
        "fig12",
        "dfly(4,8,4,17), TMIXED(50,50): UGAL-L and PAR",
        (MIDDLE, "tmixed(50,50)", LOCAL),
    ),
    curves(
        "fig13",
        "dfly(13,26,13,27), shift(1,0): UGAL-L, PAR and UGAL-G",
        (LARGE, "shift(1,0)", ALL),
    ),
    curves(
        "fig14",
        "dfly(13,26,13,27), MIXED(50,50): UGAL-L, PAR and UGAL-G",
        (LARGE, "mixed(50,50)", ALL),
    ),
    sensitivity(
        "fig15",
        "dfly(4,8,4,17), random permutation, UGAL-G: link latencies",
        (MIDDLE, "permutation", GLOBAL),
        &LATENCIES,
    ),
    sensitivity(
        "fig16",
        "dfly(4,8,4,17), MIXED(50,50), UGAL-L: flits of a buffer",
        (MIDDLE, "mixed(50,50)", &[Scheme::UgalL]),
        &BUFFERS,
    ),
    sensitivity(
        "fig17",
        "dfly(4,8,4,17), MIXED(25,75), PAR: internal speed-up",
        (MIDDLE, "mixed(25,75)", &[Scheme::Par]),
        &SPEEDUPS,
    ),
    sensitivity(
        "fig18",
        "dfly(4,8,4,9), shift(1,0), UGAL-G: assignment of virtual channels",
        (SMALL, "shift(1,0)", GLOBAL),
        &CHANNELS,
    ),
    figure("table2", "the fabrics and the paths of their sets", Kind::Topologies),
    figure(
        "model-17",
        "modelled throughput of Step 1's sets on dfly(4,8,4,17)",
        Kind::Model { p: 4, a: 8, h: 4, g: 17 },
    ),
    curves("uniform", "dfly(4,8,4,9), uniform: UGAL-L and PAR", (SMALL, "uniform", LOCAL)),
    curves(
        "mixed-9",
        "dfly(4,8,4,9), MIXED(50,50): UGAL-L and PAR",
        (SMALL, "mixed(50,50)", LOCAL),
    ),
    curves(
        "tmixed-9",
        "dfly(4,8,4,9), TMIXED(50,50): UGAL-L and PAR",
        (SMALL, "tmixed(50,50)", LOCAL),
    ),
    curves("shift-17", "dfly(4,8,4,17), shift(2,0): UGAL-L and PAR", (MIDDLE, "shift(2,0)", LOCAL)),
    curves(
        "shift-33",
        "dfly(4,8,4,33), shift(2,0): UGAL-L and PAR",
        (MAXIMAL, "shift(2,0)", LOCAL),
    ),
    curves(
        "permutation-17",
        "dfly(4,8,4,17), random permutation: UGAL-L and PAR",
        (MIDDLE, "permutation", LOCAL),
    ),
    curves(
        "shift-27",
        "dfly(13,26,13,27), shift(2,0): UGAL-L and PAR",
        (LARGE, "shift(2,0)", LOCAL),
    ),
    curves(
        "permutation-27",
        "dfly(13,26,13,27), random permutation: UGAL-L and PAR",
        (LARGE, "permutation", LOCAL),
    ),
    sensitivity(
        "latency-9",
        "dfly(4,8,4,9), shift(2,0), UGAL-L: link latencies",
        (SMALL, "shift(2,0)", &[Scheme::UgalL]),
        &LATENCIES,
    ),
    sensitivity(
        "buffer-9",
        "dfly(4,8,4,9), shift(2,0), UGAL-L: flits of a buffer",
        (SMALL, "shift(2,0)", &[Scheme::UgalL]),
        &BUFFERS,
    ),
    sensitivity(
        "speedup-9",
        "dfly(4,8,4,9), shift(2,0), UGAL-L: internal speed-up",
        (SMALL, "shift(2,0)", &[Scheme::UgalL]),
        &SPEEDUPS,
    ),
    sensitivity(
        "channels-9",
        "dfly(4,8,4,9), shift(2,0), UGAL-L: assignment of virtual channels",
        (SMALL, "shift(2,0)", &[Scheme::UgalL]),
        &CHANNELS,
    ),
    figure(
        "failure",
        "dfly(4,8,4,9): a cable dies, later a switch, then all is mended",
        Kind::Failure,
    ),
    figure(
        "ageing",
        "dfly(4,8,4,9), shift(2,0): saturation while cables between groups die",
        Kind::Ageing("shift(2,0)"),
    ),
    figure(
        "ageing-uniform",
        "dfly(4,8,4,9), uniform: saturation while cables between groups die",
        Kind::Ageing("uniform"),
    ),
    figure(
        "load-imbalance-complement",
        "balanced Dragonflies, complement: MIN, VALg, VALn",
        Kind::Imbalance(Shift::Complement),
    ),
    figure(
        "load-imbalance-shift-near",
        "balanced Dragonflies, shift by h + 1 groups: MIN, VALg, VALn",
        Kind::Imbalance(Shift::Near),
    ),
    figure(
        "load-imbalance-shift-2h",
        "balanced Dragonflies, shift by 2h groups: MIN, VALg, VALn",
        Kind::Imbalance(Shift::TwoSwitches),
    ),
    figure(
        "load-imbalance-shift-far",
        "balanced Dragonflies, shift by 2h + h/2 groups: MIN, VALg, VALn",
        Kind::Imbalance(Shift::Far),
    ),
    figure(
        "load-imbalance-neighbour",
        "balanced Dragonflies, neighbours on a grid: MIN, VALg, VALn",
        Kind::NeighbourPhase,
    ),
    figure(
        "arrangements-bisection",
        "dfly(2,4,2,9), three arrangements: every rank of one half with every rank of the other",
        Kind::Arrangements(Exchange::Bisection, Machine::Small),
    ),
    figure(
        "arrangements-alltoall",
        "dfly(2,4,2,9), three arrangements: all-to-all",
        Kind::Arrangements(Exchange::AllToAll, Machine::Small),
    ),
    figure(
        "arrangements-halo3d",
        "dfly(2,4,2,9), three arrangements: neighbours on a grid",
        Kind::Arrangements(Exchange::Stencil, Machine::Small),
    ),
    figure(
        "arrangements-bisection-33",
        "dfly(4,8,4,33), three arrangements: every rank of one half with every rank of the other",
        Kind::Arrangements(Exchange::Bisection, Machine::Large),
    ),
    figure(
        "arrangements-alltoall-33",
        "dfly(4,8,4,33), three arrangements: all-to-all",
        Kind::Arrangements(Exchange::AllToAll, Machine::Large),
    ),
    figure(
        "arrangements-halo3d-33",
        "dfly(4,8,4,33), three arrangements: neighbours on a grid",
        Kind::Arrangements(Exchange::Stencil, Machine::Large),
    ),
    figure(
        "placements-bisection",
        "dfly(2,4,2,9), one job: bisection by placement, map, arrangement and routing",
        Kind::Placements(Jobs::OneBisection),
    ),
    figure(
        "placements-one-halo3d",
        "dfly(2,4,2,9), one job: neighbours on a grid by placement, map, arrangement and routing",
        Kind::Placements(Jobs::OneStencil),
    ),
    figure(
        "placements-two-halo3d",
        "dfly(2,4,2,9), two jobs: neighbours on a grid by placement, map, arrangement and routing",
        Kind::Placements(Jobs::TwoStencils),
    ),
    figure(
        "ofar-uniform",
        "dfly(6,12,6,73), uniform-others: OFAR and piggybacking",
        Kind::PerHop(PerHopStudy::Curves("uniform-others")),
    ),
    figure(
        "ofar-next-2",
        "dfly(6,12,6,73), next-group(2): OFAR and piggybacking",
        Kind::PerHop(PerHopStudy::Curves("next-group(2)")),
    ),
    figure(
        "ofar-next-6",
        "dfly(6,12,6,73), next-group(6): OFAR and piggybacking",
        Kind::PerHop(PerHopStudy::Curves("next-group(6)")),
    ),
    figure(
        "ofar-channels",
        "dfly(6,12,6,73): OFAR by numbers of virtual channels",
        Kind::PerHop(PerHopStudy::Channels),
    ),
    figure(
        "ofar-bursts",
        "dfly(6,12,6,73): bursts of 500 packets a node by OFAR and piggybacking",
        Kind::PerHop(PerHopStudy::Bursts),
    ),
    figure(
        "ofar-all-to-all",
        "dfly(6,12,6,73): all-to-all by OFAR and piggybacking",
        Kind::PerHop(PerHopStudy::AllToAll),
    ),
    figure(
        "ofar-readings",
        "dfly(4,8,4,33): OFAR and piggybacking by each reading of their papers",
        Kind::PerHop(PerHopStudy::Readings),
    ),
    figure(
        "ofar-memory-9",
        "dfly(4,8,4,9): all routings of cut-through switches at equal buffer memory",
        Kind::PerHop(PerHopStudy::EqualMemory(SMALL)),
    ),
    figure(
        "ofar-memory-33",
        "dfly(4,8,4,33): all routings of cut-through switches at equal buffer memory",
        Kind::PerHop(PerHopStudy::EqualMemory(MAXIMAL)),
    ),
    figure(
        "ofar-memory-73",
        "dfly(6,12,6,73): all routings of cut-through switches at equal buffer memory",
        Kind::PerHop(PerHopStudy::EqualMemory([6, 12, 6, 73])),
    ),
];

impl Experiment {
    pub const fn page(&self) -> Page {
        match self.kind {
            Kind::Failure | Kind::Ageing(_) => Page::Faults,
            Kind::Imbalance(_) | Kind::NeighbourPhase => Page::LoadImbalance,
            Kind::Arrangements(..) | Kind::Placements(_) => Page::Arrangements,
            Kind::PerHop(_) => Page::PerHop,
            _ => Page::Reproduction,
        }
    }

    /// Whether a paper's figures are beside it.
    pub(super) fn has_paper(&self) -> bool {
        !matches!(self.page(), Page::Faults | Page::Arrangements | Page::PerHop)
    }
}

pub(super) fn of_page(page: Page) -> impl Iterator<Item = &'static Experiment> {
    EXPERIMENTS.iter().filter(move |experiment| experiment.page() == page)
}

pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name)
}

impl Study {
    /// Whether the fabric is so large that fewer loads are run.
    pub(super) fn is_large(&self) -> bool {
        let [p, a, _, g] = self.dragonfly;
        p * a * g > 5000
    }

    /// The rules of a scheme's lines. On a large fabric the literal reading is left out.
    pub(super) fn rules(&self, scheme: Scheme) -> impl Iterator<Item = Rules> {
        let is_large = self.is_large();
        let shown =
            move |rules: &Rules| rules.fits(scheme) && !(is_large && *rules == Rules::Literal);
        Rules::ALL.into_iter().filter(shown)
    }
}
