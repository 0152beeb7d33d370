//! The panel: the traffic under which candidates are compared, and how long each run takes.
//!
//! Everything here follows from the fabric's sizes, its link latencies and its seed. `score`
//! patterns are adversarial and make up the mean that candidates are ranked by; `guards` are
//! traffic that no candidate may spoil.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeSet;
use std::fmt;
use tvlb_base::parameter::Stated;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{Nodes, WindowLimits};
use tvlb_simulator::{LinkSpec, Scheme, Settings, StarvedLink};
use tvlb_throughput::LARGE;
use tvlb_traffic::Pattern;

/// Cycles of a window, in latencies of the longest VLB path in an empty network.
const WINDOW: u32 = 12;
/// Cycles of a window of the quick panel, in the same latencies.
const QUICK_WINDOW: u32 = 4;
/// Windows of warm-up before the measured one.
const WARM_UP: u32 = 2;
/// Where the search for MIN's saturation on a guard begins, in steps.
const FIRST_MIN_STEP: u32 = 70;
/// Where the search for conventional VLB's saturation begins: on all traffic it carries about half of
/// what MIN carries of uniform traffic.
const FIRST_VLB_STEP: u32 = 44;
/// How many patterns of each kind a panel has, and how many seeds.
struct Quota {
    type_2: u32,
    shifts: u32,
    permutations: u64,
    /// In how many runs, each with another seed, the nodes that do not send to the hot switches must be served. From
    /// some load on, such a network either stays stable for the length of a run or jams; a higher load only makes a jam
    /// more likely, and not always. With a single run, chance would decide on a candidate (docs/measurements/step-2.md,
    /// "Chance under a hot switch"). The throughput of the other nodes depends on the hot switches.
    hot_seeds: u32,
}

impl Quota {
    const QUICK: Self = Self { type_2: 1, shifts: 1, permutations: 0, hot_seeds: 1 };
    /// Patterns of one kind differ by a few hundredths for all contenders alike (docs/measurements/step-2.md, "How many
    /// patterns").
    const STANDARD: Self = Self { type_2: 2, shifts: 1, permutations: 1, hot_seeds: 2 };

    const fn of(size: PanelSize) -> Self {
        match size {
            PanelSize::Quick => Self::QUICK,
            PanelSize::Standard => Self::STANDARD,
        }
    }
}

/// How many steps each run under a hot switch is below the one before: a load that a network carries must not jam it
/// when it is lower.
const HOT_STRIDE: u32 = 2;
/// On how many further seeds a choice is measured again; on fewer with more than [`LARGE`] switches, where a run takes
/// seconds.
const FURTHER_SEEDS: u64 = 3;
const FURTHER_SEEDS_OF_LARGE: u64 = 2;
/// The distance between these seeds: more than the patterns and guards of one panel span.
const FURTHER: u64 = 100;
/// Separates the sample of shifts from other uses of the seed.
const SHIFT_STREAM: u64 = 0x7368_6966_7473;

/// Routing that ignores queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oblivious {
    /// Every packet takes a minimal path.
    Min,
    /// Every packet takes a path of conventional VLB.
    Vlb,
}

/// How much traffic the candidates are tried with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PanelSize {
    /// Two `TYPE_2` patterns and a shift, and guards of five kinds.
    #[default]
    Standard,
    /// One pattern of each kind, guards of two kinds and short windows: quick, but not to be trusted.
    Quick,
}

impl PanelSize {
    /// The name on the command line and in the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Quick => "quick",
        }
    }
}

/// Traffic with the seed of its random part and of its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub pattern: Pattern,
    /// The seed of the pattern and of every run of it.
    pub seed: u64,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (seed {})", self.pattern, self.seed)
    }
}

/// Some of the nodes, by the number and name of their population in the simulator's traffic.
pub type Population = (usize, &'static str);

/// Traffic that no candidate may spoil, and the nodes whose latency counts. Traffic of several populations has a guard
/// for each of them: a mean over all nodes hides that some suffer, and near saturation says little but how many of each
/// there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Guard {
    pub event: Event,
    /// A load counts as carried if this many runs carry it: with the event's seed and those after it, each at a
    /// somewhat lower load than the one before.
    pub seeds: u32,
    /// One population of nodes; `None` for all nodes.
    pub population: Option<Population>,
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event { pattern, seed } = &self.event;
        if self.seeds > 1 {
            let last = seed.wrapping_add((self.seeds - 1).into());
            write!(f, "{pattern} (seeds {seed} to {last})")?;
        } else {
            self.event.fmt(f)?;
        }
        match self.population {
            None => Ok(()),
            Some((_, name)) => write!(f, ", population {name}"),
        }
    }
}

impl Guard {
    /// Whether it is typical traffic: uniform, or a permutation.
    pub(super) const fn is_usual(&self) -> bool {
        matches!(self.event.pattern, Pattern::Uniform | Pattern::Permutation { .. })
    }

    /// Its traffic and population, without seeds.
    pub(super) fn traffic(&self) -> String {
        let population = self.population.map(|(_, name)| format!(", population {name}"));
        format!("{}{}", self.event.pattern, population.unwrap_or_default())
    }

    /// The traffic of the runs that say whether a load is carried, each with how many hundredths below that load it
    /// runs.
    pub fn runs(&self) -> impl Iterator<Item = (Event, u32)> + '_ {
        (0..self.seeds).map(move |number| {
            let seed = self.event.seed.wrapping_add(number.into());
            (Event { seed, ..self.event.clone() }, number * HOT_STRIDE)
        })
    }
}

/// The traffic under which candidates are compared, and how long each run takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    pub size: PanelSize,
    /// Candidates are ranked by their mean saturation over these.
    pub score: Vec<Event>,
    /// Traffic on which no candidate may lose more than the margin.
    pub guards: Vec<Guard>,
    /// Cycles of one window.
    pub window: u32,
    pub warm_up: u32,
    /// A run is saturated above this mean latency.
    pub latency_limit: u32,
    /// Where the search for conventional UGAL's saturation under the score patterns begins, in steps: at 1/p. All
    /// packets of such a pattern leave through K gateways of their group, which carry K/(p·a) by MIN. Of the VLB
    /// candidates K/a also begin at one of these gateways, whose queue is as full, and lose against MIN.
    pub first_step: u32,
    /// Where the search for MIN's saturation under the score patterns begins, in steps: at K/(p·a).
    first_min_step: u32,
    links: LinkSpec,
    nodes: Nodes,
}

impl Panel {
    /// The panel of a fabric.
    pub fn new(among: impl Into<Nodes>, links: LinkSpec, seed: u64, size: PanelSize) -> Self {
        let nodes = among.into();
        Self::of(nodes, links, seed, (size, &Quota::of(size)))
    }

    /// Panels of seeds that have no part in this one, each with a pattern of each kind and the same guards.
    pub(super) fn of_further_seeds(&self) -> Vec<Self> {
        let switches = self.nodes.dragonfly().switch_count();
        let count = if switches > LARGE { FURTHER_SEEDS_OF_LARGE } else { FURTHER_SEEDS };
        let sample = Quota { type_2: 1, shifts: 1, hot_seeds: 1, ..Quota::of(self.size) };
        let seed = self.score[0].seed;
        let further = (1..=count).map(|number| seed.wrapping_add(FURTHER * number));
        let panel = |seed| Self::of(self.nodes.clone(), self.links, seed, (self.size, &sample));
        further.map(panel).collect()
    }

    /// The panel of a sample.
    fn of(nodes: Nodes, links: LinkSpec, seed: u64, (size, sample): (PanelSize, &Quota)) -> Self {
        let df = nodes.dragonfly();
        let links = with_possible_window(links);
        let event = |pattern, number: u64| Event { pattern, seed: seed.wrapping_add(number) };
        let mut shifts = shifts(&nodes, sample.shifts, seed).into_iter().zip(0..);
        let mut score = Vec::new();
        // Alternating, so that no candidate is dropped because of one kind of traffic alone.
        for number in 0..sample.type_2.into() {
            score.push(event(Pattern::TypeTwo { number: 0 }, number));
            score.extend(shifts.next().map(|((groups, switches), number)| {
                event(Pattern::Shift { groups, switches }, number)
            }));
        }
        let half = Pattern::Mixed { uniform: 50, adversarial: 50, groups: 1, switches: 0 };
        // The guards that exclude most come first.
        let guard = |pattern, number, population| Guard {
            event: event(pattern, number),
            seeds: 1,
            population,
        };
        let hot = |population| guard(Pattern::HotSwitch, 0, Some(population));
        let mut guards =
            vec![Guard { seeds: sample.hot_seeds, ..hot((0, "rest")) }, hot((1, "hot"))];
        if size == PanelSize::Standard {
            for population in [(1, "adversarial"), (0, "uniform")] {
                guards.push(guard(half.clone(), 0, Some(population)));
            }
            guards.push(guard(Pattern::AdvConsecutive, 0, None));
        }
        guards.extend(
            (0..sample.permutations)
                .map(|number| guard(Pattern::Permutation { number: 0 }, number, None)),
        );
        guards.push(guard(Pattern::Uniform, 0, None));
        Self {
            size,
            score,
            guards,
            window: links.longest_latency()
                * if size == PanelSize::Standard { WINDOW } else { QUICK_WINDOW },
            warm_up: WARM_UP,
            latency_limit: links.saturated_latency(df.a()),
            first_step: (100 / df.p()).max(1),
            first_min_step: (100 * df.h() / (df.p() * (df.g() - 1)).max(1)).clamp(1, 100),
            links,
            nodes,
        }
    }

    /// Where the search for the saturation of MIN or of conventional VLB begins, in steps.
    pub(super) fn first_oblivious_step(&self, routing: Oblivious, event: &Event) -> u32 {
        match (routing, &event.pattern) {
            (Oblivious::Vlb, _) => FIRST_VLB_STEP,
            (Oblivious::Min, Pattern::TypeTwo { .. } | Pattern::Shift { .. }) => {
                self.first_min_step
            }
            (Oblivious::Min, Pattern::Mixed { .. }) => {
                (2 * self.first_min_step).min(FIRST_MIN_STEP)
            }
            (Oblivious::Min, _) => FIRST_MIN_STEP,
        }
    }

    /// The nodes that send and receive.
    pub const fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Uniform traffic, the last of the guards.
    pub fn uniform(&self) -> &Event {
        &self.guards[self.guards.len() - 1].event
    }

    /// The links of its runs whose buffers are too small for the rate of the link.
    pub fn starved_links(&self) -> Vec<StarvedLink> {
        self.settings(Scheme::UgalL, VlbPaths::Custom).starved_links()
    }

    /// When the windows of sources close in its runs, both of baselines and of candidates; `None` if the fabric has no
    /// acknowledgements.
    pub const fn destination_window(&self) -> Option<WindowLimits> {
        self.links.destination_window
    }

    /// The settings of the panel's runs.
    pub fn settings(&self, scheme: Scheme, paths: VlbPaths) -> Settings {
        Settings {
            window_cycles: self.window,
            warm_up_windows: self.warm_up,
            latency_limit_cycles: self.latency_limit,
            destination_window: self.destination_window(),
            ..Settings::new(scheme, paths).on(self.links, &Stated::default())
        }
    }
}

/// The links, without windows if they are so long that no run can have acknowledgements.
fn with_possible_window(links: LinkSpec) -> LinkSpec {
    let settings = Settings::new(Scheme::Par, VlbPaths::Custom).on(links, &Stated::default());
    let windowed = Settings { destination_window: links.destination_window, ..settings };
    let destination_window = links.destination_window.filter(|_| windowed.check().is_ok());
    LinkSpec { destination_window, ..links }
}

/// A sample of the shifts to another group, as (Δg, Δs), without repetition and in the order drawn.
pub fn shifts(nodes: &Nodes, count: u32, seed: u64) -> Vec<(u32, u32)> {
    let df = nodes.dragonfly();
    let groups = nodes.groups().fold(0_u32, |count, _| count + 1);
    let all = groups.saturating_sub(1) * df.a();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ SHIFT_STREAM);
    let mut known = BTreeSet::new();
    let mut drawn = Vec::new();
    while drawn.len() < count.min(all) as usize {
        let number = rng.random_range(0..all);
        if known.insert(number) {
            drawn.push((1 + number / df.a(), number % df.a()));
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Dragonfly;
    use tvlb_traffic::Traffic;

    #[test]
    fn the_standard_panel_has_two_type_2_patterns_and_a_shift() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let links = LinkSpec::default();
        let panel = Panel::new(&df, links, 1, PanelSize::Standard);
        let type_2: BTreeSet<u64> = panel
            .score
            .iter()
            .filter(|event| event.pattern == Pattern::TypeTwo { number: 0 })
            .map(|event| event.seed)
            .collect();
        assert_eq!(type_2.len(), 2);
        assert_eq!(panel.score.len(), 3);
        assert_eq!(panel.guards.len(), 7);
        assert_eq!((panel.window, panel.latency_limit), (1044, 152));
        assert_eq!(panel, Panel::new(&df, links, 1, PanelSize::Standard));
        assert_ne!(panel.score, Panel::new(&df, links, 2, PanelSize::Standard).score);
    }

    #[test]
    fn a_guard_says_with_which_seeds_a_load_must_be_carried() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let links = LinkSpec::default();
        let names = |size| {
            let guards = Panel::new(&df, links, 7, size).guards;
            guards.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(names(PanelSize::Standard)[0], "hot-switch (seeds 7 to 8), population rest");
        assert_eq!(names(PanelSize::Standard)[5], "permutation (seed 7)");
        assert_eq!(names(PanelSize::Quick)[0], "hot-switch (seed 7), population rest");
        let guard = Panel::new(&df, links, 7, PanelSize::Standard).guards.swap_remove(0);
        let runs: Vec<(u64, u32)> =
            guard.runs().map(|(event, below)| (event.seed, below)).collect();
        assert_eq!(runs, [(7, 0), (8, 2)]);
    }

    #[test]
    fn runs_over_the_longest_links_have_no_windows() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let windows = |cycles| {
            let links = LinkSpec { global_latency_cycles: cycles, ..LinkSpec::default() };
            let limits = Some(links.window_limits(8));
            let links = LinkSpec { destination_window: limits, ..links };
            let panel = Panel::new(&df, links, 1, PanelSize::Standard);
            assert!(panel.settings(Scheme::Par, VlbPaths::Custom).check().is_ok());
            panel.destination_window()
        };
        assert!(windows(9_000).is_some());
        assert_eq!(windows(10_000), None);
    }

    #[test]
    fn populations_have_the_names_that_the_simulator_gives_them() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let links = LinkSpec::default();
        for guard in Panel::new(&df, links, 1, PanelSize::Standard).guards {
            let traffic = Traffic::new(&guard.event.pattern, &df, guard.event.seed).unwrap();
            if let Some((number, name)) = guard.population {
                assert_eq!(traffic.populations()[number], name, "{guard}");
            }
        }
    }

    #[test]
    fn shifts_are_distinct_and_go_to_another_group() {
        let df = Dragonfly::new(1, 2, 1, 3).unwrap();
        let mut all = shifts(&Nodes::from(&df), 100, 7);
        assert_eq!(all.len(), 4);
        all.sort_unstable();
        assert_eq!(all, [(1, 0), (1, 1), (2, 0), (2, 1)]);
    }

    #[test]
    fn slow_links_are_given_longer_windows() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let links = LinkSpec {
            local_latency_cycles: 100,
            global_latency_cycles: 1000,
            ..LinkSpec::default()
        };
        let panel = Panel::new(&df, links, 1, PanelSize::Standard);
        assert!(panel.window > 20_000 && panel.latency_limit > 3_000);
    }

    #[test]
    fn the_search_of_conventional_ugal_begins_near_where_it_saturates() {
        let links = LinkSpec::default();
        let step = |df: Dragonfly| Panel::new(&df, links, 1, PanelSize::Standard).first_step;
        assert_eq!(step(Dragonfly::new(13, 26, 13, 27).unwrap()), 7);
        assert_eq!(step(Dragonfly::new(1, 2, 1, 3).unwrap()), 100);
    }

    #[test]
    fn the_searches_of_oblivious_routing_begin_near_where_it_saturates() {
        let df = Dragonfly::new(4, 8, 4, 9).unwrap();
        let links = LinkSpec::default();
        let panel = Panel::new(&df, links, 1, PanelSize::Standard);
        let steps = |routing| {
            let of = |event| panel.first_oblivious_step(routing, event);
            (of(&panel.score[0]), of(&panel.guards[2].event), of(panel.uniform()))
        };
        assert_eq!(steps(Oblivious::Min), (12, 24, 70));
        assert_eq!(steps(Oblivious::Vlb), (44, 44, 44));
    }

    #[test]
    fn in_large_groups_a_queue_that_stands_is_not_taken_for_one_that_grows() {
        let links = LinkSpec::default();
        let limit = |df: Dragonfly| Panel::new(&df, links, 1, PanelSize::Standard).latency_limit;
        assert_eq!(limit(Dragonfly::new(4, 8, 4, 33).unwrap()), 152);
        assert_eq!(limit(Dragonfly::new(13, 26, 13, 27).unwrap()), 500);
    }
}
