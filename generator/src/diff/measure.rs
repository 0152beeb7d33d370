//! The meaning of a change for packets: which pairs of switches take other paths, how long these are, and the loads of
//! the links.
//!
//! The loads are those of even traffic: each node sends one flit per cycle, evenly to the nodes of all other groups,
//! and every packet takes MIN, or every packet the set of one decision (MIN if the set has no route). They are summed
//! as integers, so that the sum is the same in any order.

use super::change::{Change, DiffSettings};
use super::error::DiffError;
use super::matched::Matched;
use super::paths::{self, PathShare, are_same};
use rayon::prelude::*;
use serde::Serialize;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use tvlb_base::progress::Progress;
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, Dragonfly, EndSwitches, LinkKind, SwitchId};
use tvlb_table_set::names::Names;
use tvlb_table_set::rounded;
use tvlb_topology::Topology;
use tvlb_topology::links::{LinkNumbers, PathLinks};
use tvlb_topology::loads::{LinkLoads, flits_per_pair};

/// MIN and the three decisions.
const MODES: usize = 4;
/// A share of one in the sums of loads, 2³⁶: those of 2²⁷ pairs fit 64 bits.
const ONE: f64 = 68_719_476_736.0;
/// Each has eight sums of eight bytes: half a gigabyte.
const MOST_LINKS: usize = 8 << 20;

/// What changed for the packets of one mode.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ModeChange {
    /// `MIN`, or the decision that has the set.
    pub mode: &'static str,
    /// Pairs, of those compared, that take other paths, or the same with other shares.
    pub pairs_affected: u64,
    /// Pairs, of those compared, that have no path of this mode.
    pub pairs_without: Change<u64>,
    /// Hops of a packet's path, averaged over the pairs that have one; null if none has.
    pub mean_hops: Change<Option<f64>>,
    /// Load of links within groups.
    pub local: LoadChange,
    /// Load of links between groups.
    pub global: LoadChange,
}

/// Load in flits per cycle if each node sends one flit per cycle evenly to the other groups.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadChange {
    /// Of the links with any load.
    pub mean: Change<f64>,
    pub most: Change<f64>,
    /// The link whose load has risen most, if any has.
    pub largest_rise: Option<LinkChange>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LinkChange {
    pub switch: usize,
    /// The machine's name of the switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_name: Option<String>,
    /// The port of the link.
    pub port: usize,
    /// The machine's name of the port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port_name: Option<String>,
    #[serde(flatten)]
    pub load: Change<f64>,
}

/// What changed for packets from one switch.
pub(super) struct SourceChange {
    /// Its place among all switches.
    pub(super) places: Change<usize>,
    pub(super) destinations: [u64; MODES],
    pub(super) mean_hops: [Change<Option<f64>>; MODES],
    tally: [PairSums; MODES],
}

/// Sums over pairs. Hops are in parts of [`ONE`].
#[derive(Clone, Copy, Default)]
struct PairSums {
    affected: u64,
    old: Side,
    new: Side,
}

#[derive(Clone, Copy, Default)]
struct Side {
    pairs: u64,
    without: u64,
    hops: u128,
}

impl Side {
    fn mean(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "rounded to six decimals")]
        let mean = self.hops as f64 / ONE / self.pairs as f64;
        (self.pairs > 0).then(|| rounded(mean))
    }

    fn add(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.without += other.without;
        self.hops += other.hops;
    }
}

pub(super) struct Measurement {
    pub(super) modes: Vec<ModeChange>,
    /// By switch.
    pub(super) sources: Vec<SourceChange>,
    pub(super) looked_at: [u64; 2],
}

/// One of two table sets.
struct ComparedTables<'t> {
    switches: &'t [Switch<'t>],
    topology: Topology,
    /// By mode and link, sums of shares of packets.
    sums: Vec<AtomicU64>,
}

impl<'t> ComparedTables<'t> {
    fn new(switches: &'t [Switch<'t>], ends: &EndSwitches) -> Self {
        let plan = Topology::of_image(switches[0].image().fabric());
        let topology = plan.with_ends(ends.clone());
        let links = LinkNumbers::new(*topology.dragonfly()).count();
        let sums = (0..MODES * links).map(|_| AtomicU64::new(0)).collect();
        Self { switches, topology, sums }
    }

    /// The sums of a mode by link.
    fn sums(&self, mode: usize) -> &[AtomicU64] {
        let links = self.sums.len() / MODES;
        &self.sums[mode * links..][..links]
    }

    /// The MIN paths from a switch to another, and the routes of each decision's set.
    fn paths(&self, place: usize, to: SwitchId) -> [Vec<PathShare>; MODES] {
        let switch = &self.switches[place];
        let numbering = LinkNumbers::new(*self.topology.dragonfly());
        let mut paths = [const { Vec::new() }; MODES];
        let image = switch.image();
        paths[0] = paths::minimal(&self.topology, &numbering, (image.switch(), to));
        let set_of = Decision::ALL.map(|decision| image.set_number(decision));
        for (number, decision) in Decision::ALL.into_iter().enumerate() {
            paths[number + 1] = match (0..number).find(|&earlier| set_of[earlier] == set_of[number])
            {
                Some(earlier) => paths[earlier + 1].clone(),
                None => paths::drawn(switch, &numbering, decision, to),
            };
        }
        paths
    }

    /// The loads of links by a mode's packets, extrapolated from a sample of pairs to all.
    #[expect(clippy::cast_precision_loss, reason = "rounded to six decimals")]
    fn loads(&self, mode: usize, [looked_at, pairs]: [u64; 2]) -> LinkLoads {
        let unit = flits_per_pair(&self.topology) * pairs as f64 / looked_at.max(1) as f64;
        let sums =
            self.sums(mode).iter().map(|sum| sum.load(Ordering::Relaxed) as f64 / ONE * unit);
        let mut loads = LinkLoads::of_sums(&self.topology, sums.collect());
        loads.by_link.iter_mut().for_each(|load| *load = rounded(*load));
        loads
    }
}

/// The links of the old fabric by the new one's numbers; a link that only the old one has comes after those.
struct InNew {
    /// For each link of the old fabric; `None` if both number all links alike.
    links: Option<Vec<usize>>,
}

impl InNew {
    fn of(matched: &Matched, new_links: usize) -> Self {
        let links = (!matched.is_whole()).then(|| {
            let links = matched.links().into_iter().enumerate();
            links.map(|(old, new)| new.unwrap_or(new_links + old)).collect()
        });
        Self { links }
    }

    /// The loads of the old fabric's links by the new one's numbers; 0 for a link that it does not have.
    fn loads<'l>(&self, loads: &'l Change<LinkLoads>) -> Cow<'l, [f64]> {
        let Some(links) = &self.links else { return Cow::Borrowed(&loads.old.by_link) };
        let mut by_new = vec![0.0; loads.new.by_link.len()];
        for (&new, &load) in links.iter().zip(&loads.old.by_link) {
            if let Some(of_new) = by_new.get_mut(new) {
                *of_new = load;
            }
        }
        Cow::Owned(by_new)
    }

    /// Paths of the old fabric, in the order of these numbers.
    fn paths<'p>(&self, paths: &'p [PathShare]) -> Cow<'p, [PathShare]> {
        let Some(links) = &self.links else { return Cow::Borrowed(paths) };
        let of = |path: &PathShare| PathShare {
            links: PathLinks::of(path.links.iter().map(|link| links[link])),
            share: path.share,
        };
        let mut paths: Vec<PathShare> = paths.iter().map(of).collect();
        paths.sort_unstable_by_key(|path| path.links);
        Cow::Owned(paths)
    }
}

/// Compares how packets travel between the switches that both of two booted fabrics have.
pub(super) fn measure(
    (booted, matched): (&Change<Vec<Switch<'_>>>, &Matched),
    names: &Names,
    settings: DiffSettings,
    mean_routes: Change<f64>,
    progress: &dyn Progress,
) -> Result<Measurement, DiffError> {
    check_links(booted)?;
    let both = Change {
        old: ComparedTables::new(&booted.old, &matched.ends.old),
        new: ComparedTables::new(&booted.new, &matched.ends.new),
    };
    let df = *both.new.topology.dragonfly();
    let in_new = InNew::of(matched, LinkNumbers::new(df).count());
    let pairs = matched.pairs();
    let sample = PairSample::new(pairs, settings, mean_routes);
    let switches: Vec<Change<SwitchId>> = matched.switches().collect();
    let of_source = |from: &Change<SwitchId>| {
        let places =
            Change { old: place_of(&booted.old, from.old), new: place_of(&booted.new, from.new) };
        let mut tally = [PairSums::default(); MODES];
        for to in switches.iter().filter(|to| matched.is_pair(*from, **to)) {
            progress.check()?;
            if sample.has(from.new.0, to.new.0) {
                let old = both.old.paths(places.old, to.old);
                let new = both.new.paths(places.new, to.new);
                for (mode, tally) in tally.iter_mut().enumerate() {
                    tally.affected += u64::from(!are_same(&in_new.paths(&old[mode]), &new[mode]));
                    note(&old, mode, &mut tally.old, both.old.sums(mode));
                    note(&new, mode, &mut tally.new, both.new.sums(mode));
                }
            }
        }
        progress.step();
        Ok::<_, DiffError>(SourceChange {
            places,
            destinations: tally.map(|tally| tally.affected),
            mean_hops: tally.map(|tally| Change { old: tally.old.mean(), new: tally.new.mean() }),
            tally,
        })
    };
    let sources = switches.par_iter().map(of_source).collect::<Result<Vec<_>, _>>()?;

    let first = sources.iter().map(|source| source.tally[0].old);
    let looked_at = first.map(|side| side.pairs + side.without).sum();
    let mode_change = |mode: usize| {
        let mut sum = PairSums::default();
        for tally in sources.iter().map(|source| &source.tally[mode]) {
            sum.affected += tally.affected;
            sum.old.add(&tally.old);
            sum.new.add(&tally.new);
        }
        let loads = both.map(|tables| tables.loads(mode, [looked_at, pairs]));
        let old_by_new = in_new.loads(&loads);
        ModeChange {
            mode: mode.checked_sub(1).map_or("MIN", |number| Decision::ALL[number].name()),
            pairs_affected: sum.affected,
            pairs_without: Change { old: sum.old.without, new: sum.new.without },
            mean_hops: Change { old: sum.old.mean(), new: sum.new.mean() },
            local: load_change((&df, names), LinkKind::Local, &loads, &old_by_new),
            global: load_change((&df, names), LinkKind::Global, &loads, &old_by_new),
        }
    };
    let modes = (0..MODES).map(mode_change).collect();
    Ok(Measurement { modes, sources, looked_at: [looked_at, pairs] })
}

/// Refuses fabrics with more links than can be counted one by one.
fn check_links(booted: &Change<Vec<Switch<'_>>>) -> Result<(), DiffError> {
    for switches in [&booted.old, &booted.new] {
        let df = switches[0].image().fabric().dragonfly();
        let links = (df.switch_numbers() * (df.local_ports() + df.h())) as usize;
        if links > MOST_LINKS {
            return Err(DiffError::TooLarge { links, most: MOST_LINKS });
        }
    }
    Ok(())
}

/// The position of a switch among all booted ones.
fn place_of(switches: &[Switch<'_>], switch: SwitchId) -> usize {
    let found = switches.binary_search_by_key(&switch, |booted| booted.image().switch());
    found.expect("every switch is booted")
}

/// Adds the hops and the loads of a pair's paths of one mode.
fn note(paths: &[Vec<PathShare>; MODES], mode: usize, side: &mut Side, loads: &[AtomicU64]) {
    let own = &paths[mode];
    if own.is_empty() {
        side.without += 1;
    } else {
        side.pairs += 1;
    }
    for path in if own.is_empty() { &paths[0] } else { own } {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share is 0 to 1"
        )]
        let share = (path.share * ONE).round() as u64;
        for link in path.links.iter() {
            loads[link].fetch_add(share, Ordering::Relaxed);
            side.hops += u128::from(share) * u128::from(!own.is_empty());
        }
    }
}

fn load_change(
    (df, names): (&Dragonfly, &Names),
    kind: LinkKind,
    loads: &Change<LinkLoads>,
    old_by_new: &[f64],
) -> LoadChange {
    let mean = |loads: &LinkLoads| {
        let used = loads.of_kind(kind).filter(|&(_, _, load)| load > 0.0);
        let (sum, count) = used
            .fold((0.0, 0.0), |(sum, count), (_, links, load)| (sum + links * load, count + links));
        rounded(sum / f64::max(count, 1.0))
    };
    let numbering = LinkNumbers::new(*df);
    let mut largest_rise: Option<LinkChange> = None;
    for (link, _, new) in loads.new.of_kind(kind) {
        let Some((switch, port)) = numbering.leaves(link) else { continue };
        let load = Change { old: old_by_new[link], new };
        let before = largest_rise.as_ref().map_or(0.0, |found| found.load.new - found.load.old);
        if load.new - load.old > before {
            let port_name = names.port_number(df, switch, port).map(|named| named.name.clone());
            let switch_name = names.switch(switch).map(str::to_owned);
            let (switch, port) = (switch.as_usize(), port.as_usize());
            largest_rise = Some(LinkChange { switch, switch_name, port, port_name, load });
        }
    }
    let most = |loads: &LinkLoads| loads.spread(kind).most;
    LoadChange { mean: loads.map(mean), most: loads.map(most), largest_rise }
}

/// The pairs that are compared: each is chosen by its own hash, so that no list is needed.
struct PairSample {
    seed: u64,
    /// Out of 2³².
    share: u64,
}

impl PairSample {
    fn new(pairs: u64, settings: DiffSettings, mean_routes: Change<f64>) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "at most 2³² pairs")]
        let pairs = pairs as f64;
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
        let most = settings.most_routes as f64;
        // The counts of routes in manifests only decide how long it takes.
        let routes = pairs * (mean_routes.old.max(1.0) + mean_routes.new.max(1.0));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the product is 0 to 2³², and others become one of these"
        )]
        let share = ((most / routes).min(1.0) * 4_294_967_296.0) as u64;
        Self { seed: settings.seed, share }
    }

    fn has(&self, from: u16, to: u16) -> bool {
        let pair = u64::from(from) << 16 | u64::from(to);
        let mixed = mix(pair ^ mix(self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15)));
        mixed >> 32 < self.share
    }
}

/// The finaliser of `SplitMix64`.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
