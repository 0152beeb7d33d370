//! What a change means for packets: which pairs of switches take other paths, how long these are,
//! and what the links have to carry.
//!
//! The loads are those of even traffic: each node sends one flit in a cycle, to the nodes of all
//! other groups evenly, and every packet goes by MIN, or every packet by the set of one decision (by
//! MIN where the set has no route). They are summed as integers, so that the sum is the same in any
//! order.

use super::change::{Change, Settings};
use super::error::DiffError;
use super::paths::{self, Drawn};
use crate::balance::link_load::flits_per_pair;
use crate::table_set::rounded;
use crate::topology::links::LinkNumbers;
use crate::topology::names::Names;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use tvlb_base::progress::Progress;
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, Dragonfly};

/// MIN and the three decisions.
const MODES: usize = 4;
/// A share of one in sums of loads, 2³⁶: those of 2²⁷ pairs fit 64 bits.
const ONE: f64 = 68_719_476_736.0;
/// Eight sums of eight bytes for each: half a gigabyte.
const MOST_LINKS: usize = 8 << 20;

/// What changed for the packets of one mode.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ModeChange {
    /// `MIN`, or the decision whose set it is.
    pub mode: &'static str,
    /// Pairs, of those looked at, that take other paths, or the same with other shares.
    pub pairs_affected: u64,
    /// Pairs, of those looked at, that have no path of this mode.
    pub pairs_without: Change<u64>,
    /// Hops of a path that a packet is sent by, averaged over the pairs that have one; null if none
    /// has.
    pub mean_hops: Change<Option<f64>>,
    /// Load of links within groups.
    pub local: LoadChange,
    /// Load of links between groups.
    pub global: LoadChange,
}

/// Load in flits per cycle when each node sends one to the other groups evenly.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoadChange {
    /// Of the links that carry anything.
    pub mean: Change<f64>,
    pub most: Change<f64>,
    /// The link whose load has risen most, if any has.
    pub largest_rise: Option<LinkChange>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LinkChange {
    pub switch: usize,
    /// What the machine calls the switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_name: Option<String>,
    /// By this port.
    pub port: usize,
    /// What the machine calls the port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port_name: Option<String>,
    #[serde(flatten)]
    pub load: Change<f64>,
}

/// What changed for packets from one switch.
pub(super) struct Source {
    pub(super) destinations: [u64; MODES],
    pub(super) mean_hops: [Change<Option<f64>>; MODES],
    tally: [Tally; MODES],
}

/// Sums over pairs. Hops in parts of [`ONE`].
#[derive(Clone, Copy, Default)]
struct Tally {
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

pub(super) struct Measured {
    pub(super) modes: Vec<ModeChange>,
    /// By switch.
    pub(super) sources: Vec<Source>,
    pub(super) looked_at: [u64; 2],
}

/// Compares two fabrics of the same a, h and g, their switches booted.
pub(super) fn measure(
    booted: &Change<Vec<Switch<'_>>>,
    names: &Names,
    settings: Settings,
    mean_routes: Change<f64>,
    progress: &dyn Progress,
) -> Result<Measured, DiffError> {
    let numbering =
        booted.map(|switches| LinkNumbers::new(*switches[0].image().fabric().dragonfly()));
    let df = *booted.old[0].image().fabric().dragonfly();
    let links = (df.switch_numbers() * (df.local_ports() + df.h())) as usize;
    if links > MOST_LINKS {
        return Err(DiffError::TooLarge { links, most: MOST_LINKS });
    }
    let links = numbering.old.count();
    let sample = Sample::new(&df, settings, mean_routes);
    let empty = || (0..MODES * links).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
    let loads = Change { old: empty(), new: empty() };
    let sources = df
        .switches()
        .enumerate()
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(number, from)| {
            let mut tally = [Tally::default(); MODES];
            for to in df.switches().filter(|&to| df.place(to).0 != df.place(from).0) {
                progress.check()?;
                if !sample.has(from.0, to.0) {
                    continue;
                }
                let paths = Change {
                    old: all_paths(&booted.old[number], &numbering.old, to),
                    new: all_paths(&booted.new[number], &numbering.new, to),
                };
                for (mode, tally) in tally.iter_mut().enumerate() {
                    tally.affected += u64::from(paths.old[mode] != paths.new[mode]);
                    let at = mode * links;
                    note(&paths.old, mode, &mut tally.old, &loads.old[at..][..links]);
                    note(&paths.new, mode, &mut tally.new, &loads.new[at..][..links]);
                }
            }
            progress.step();
            Ok::<_, DiffError>(Source {
                destinations: tally.map(|tally| tally.affected),
                mean_hops: tally
                    .map(|tally| Change { old: tally.old.mean(), new: tally.new.mean() }),
                tally,
            })
        })
        .collect::<Result<Vec<_>, _>>()?;

    let pairs = df.pairs_between_groups();
    let first = sources.iter().map(|source| source.tally[0].old);
    let looked_at = first.map(|side| side.pairs + side.without).sum();
    let modes = (0..MODES)
        .map(|mode| {
            let mut sum = Tally::default();
            for source in &sources {
                let tally = &source.tally[mode];
                sum.affected += tally.affected;
                sum.old.add(&tally.old);
                sum.new.add(&tally.new);
            }
            let load = |global| {
                let scales = booted.map(|switches| {
                    let fabric = switches[0].image().fabric();
                    let df = fabric.dragonfly();
                    let capacities = LinkNumbers::new(*df)
                        .multiplicities(|group, one, other| fabric.local_links(group, one, other));
                    Scale { unit: unit(flits_per_pair(df), pairs, looked_at), capacities }
                });
                let of_mode = mode * links..(mode + 1) * links;
                let loads = Change { old: &loads.old[of_mode.clone()], new: &loads.new[of_mode] };
                load_change((&numbering.old, &df, names), global, &loads, &scales)
            };
            ModeChange {
                mode: mode.checked_sub(1).map_or("MIN", |number| Decision::ALL[number].name()),
                pairs_affected: sum.affected,
                pairs_without: Change { old: sum.old.without, new: sum.new.without },
                mean_hops: Change { old: sum.old.mean(), new: sum.new.mean() },
                local: load(false),
                global: load(true),
            }
        })
        .collect();
    Ok(Measured { modes, sources, looked_at: [looked_at, pairs] })
}

/// MIN paths, and the routes of each decision's set.
fn all_paths(
    switch: &Switch<'_>,
    numbering: &LinkNumbers,
    to: tvlb_schema::SwitchId,
) -> [Vec<Drawn>; MODES] {
    let mut paths = [const { Vec::new() }; MODES];
    paths[0] = paths::minimal(switch, numbering, to);
    paths[0].sort_unstable_by_key(|path| path.links);
    let set_of = Decision::ALL.map(|decision| switch.image().set_number(decision));
    for (number, decision) in Decision::ALL.into_iter().enumerate() {
        paths[number + 1] = match (0..number).find(|&earlier| set_of[earlier] == set_of[number]) {
            Some(earlier) => paths[earlier + 1].clone(),
            None => paths::drawn(switch, numbering, decision, to),
        };
    }
    paths
}

/// Adds the hops and the loads of a pair's paths of one mode.
fn note(paths: &[Vec<Drawn>; MODES], mode: usize, side: &mut Side, loads: &[AtomicU64]) {
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

/// What a share of one of a pair's packets is in flits per cycle, where a pair has so many. A sample
/// stands for all pairs.
#[expect(clippy::cast_precision_loss, reason = "rounded to six decimals")]
fn unit(flits_per_pair: f64, pairs: u64, looked_at: u64) -> f64 {
    flits_per_pair * pairs as f64 / looked_at.max(1) as f64
}

/// What turns a sum of shares into the load of a link.
struct Scale {
    /// The load of a share of one.
    unit: f64,
    /// By link, how many there are in its place; empty where each is one.
    capacities: Vec<f64>,
}

impl Scale {
    fn capacity(&self, link: usize) -> f64 {
        self.capacities.get(link).copied().unwrap_or(1.0)
    }
}

fn load_change(
    (numbering, df, names): (&LinkNumbers, &Dragonfly, &Names),
    global: bool,
    loads: &Change<&[AtomicU64]>,
    scales: &Change<Scale>,
) -> LoadChange {
    let of = |loads: &[AtomicU64], scale: &Scale, link: usize| {
        #[expect(clippy::cast_precision_loss, reason = "rounded to six decimals")]
        let sum = loads[link].load(Ordering::Relaxed) as f64;
        rounded(sum / ONE * scale.unit / scale.capacity(link))
    };
    let links = || (0..loads.old.len()).filter(|&link| numbering.is_global(link) == global);
    let old = |link| of(loads.old, &scales.old, link);
    let new = |link| of(loads.new, &scales.new, link);
    let mean = |load: &dyn Fn(usize) -> f64, scale: &Scale| {
        let used = links().filter(|&link| load(link) > 0.0);
        let (sum, count) = used.fold((0.0, 0.0), |(sum, count), link| {
            let links = scale.capacity(link);
            (sum + links * load(link), count + links)
        });
        rounded(sum / f64::max(count, 1.0))
    };
    let most = |load: &dyn Fn(usize) -> f64| links().map(load).fold(0.0, f64::max);
    let mut largest_rise: Option<LinkChange> = None;
    for link in links() {
        let Some((switch, port)) = numbering.leaves(link) else { continue };
        let load = Change { old: old(link), new: new(link) };
        let before = largest_rise.as_ref().map_or(0.0, |found| found.load.new - found.load.old);
        if load.new - load.old > before {
            let port_name = names.port_number(df, switch, port).map(|named| named.name.clone());
            let switch_name = names.switch(switch).map(str::to_owned);
            let (switch, port) = (switch.as_usize(), port.as_usize());
            largest_rise = Some(LinkChange { switch, switch_name, port, port_name, load });
        }
    }
    LoadChange {
        mean: Change { old: mean(&old, &scales.old), new: mean(&new, &scales.new) },
        most: Change { old: most(&old), new: most(&new) },
        largest_rise,
    }
}

/// To six decimals, so that no platform's last bit shows.
/// Which pairs are looked at: each by its own hash, so that no list of them is needed.
struct Sample {
    seed: u64,
    /// Of 2³².
    share: u64,
}

impl Sample {
    fn new(df: &tvlb_schema::Dragonfly, settings: Settings, mean_routes: Change<f64>) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "at most 2³² pairs")]
        let pairs = df.pairs_between_groups() as f64;
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
        let most = settings.most_routes as f64;
        // What manifests say of routes decides how long it takes, and nothing else.
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
