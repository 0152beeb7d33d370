//! The figures of one run.

use crate::decider::Decider;
use crate::fabric::{BootedFabric, LinkTarget};
use crate::figures::Figures;
use crate::generation::Generation;
use crate::losses::{FaultFigures, LinkLosses};
use crate::network::Network;
use crate::numbers::PortId;
use crate::series::SeriesFigures;
use crate::switch_state::port_bits;
use crate::tally::Population;
use serde::Serialize;
use tvlb_schema::{Bandwidths, LinkKind, NodeId, Port, SwitchId};
use tvlb_traffic::Traffic;

/// How evenly the network serves its nodes: flits (or phits) per cycle of each that were delivered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Fairness {
    /// Flits per cycle delivered for the worst served sending node.
    pub least: f64,
    /// Flits per cycle delivered for the best served sending node.
    pub most: f64,
    /// Jain's index: 1 if all are served equally, 1/N if only one is served.
    pub jain: f64,
}

impl Fairness {
    /// Of nodes that were served so much.
    pub fn of(served: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut most, mut sum, mut squares, mut count) =
            (f64::MAX, 0.0_f64, 0.0, 0.0, 0.0);
        for rate in served {
            least = least.min(rate);
            most = most.max(rate);
            sum += rate;
            squares += rate * rate;
            count += 1.0;
        }
        let jain = if squares > 0.0 { sum * sum / (count * squares) } else { 1.0 };
        Self { least: if count > 0.0 { least } else { 0.0 }, most, jain }
    }
}

/// Flits per cycle on the links of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LinkLoad {
    /// Flits per cycle, the mean over the links.
    pub mean: f64,
    /// Flits per cycle on the busiest link.
    pub most: f64,
    /// The name of the busiest link.
    pub busiest: String,
    /// Flits per cycle that a link of this kind carries; written only if kinds of links differ in bandwidth.
    #[serde(skip_serializing_if = "is_one")]
    pub capacity: f64,
}

impl Default for LinkLoad {
    fn default() -> Self {
        Self { mean: 0.0, most: 0.0, busiest: String::new(), capacity: 1.0 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
#[expect(clippy::float_cmp, reason = "what it is where nothing was computed")]
fn is_one(capacity: &f64) -> bool {
    *capacity == 1.0
}

/// All figures of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// Flits offered per sending node and cycle, unless traffic says otherwise.
    pub load: f64,
    /// The mean load offered in the measured windows, if traffic changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<f64>,
    /// Mean latency above the limit, or certain to be: then all latencies are of what was measured until then.
    pub saturated: bool,
    /// Whether the mean latency was still growing when the measured windows ended, so that a longer run would give
    /// another: windows did not agree, or it rose from the first half of a single window to the second.
    pub growing: bool,
    /// The figures of all nodes together.
    pub all: Figures,
    /// Of each population, if there are several.
    pub populations: Vec<Figures>,
    /// How evenly the sending nodes were served, without those of switches that are dead in the end.
    pub fairness: Fairness,
    /// The load of the links within groups.
    pub local_links: LinkLoad,
    /// The load of the links between groups.
    pub global_links: LinkLoad,
    /// Flits per cycle on each link between switches, by switch and port.
    #[serde(skip)]
    pub links: Vec<(SwitchId, Port, f64)>,
    /// How many windows were measured, if that was not fixed in advance
    /// ([`Measuring::UntilWindowsAgree`](crate::Measuring::UntilWindowsAgree)): 0 if the run ended in its warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_windows: Option<u32>,
    /// How many cycles the run took.
    pub cycles: u32,
    /// Switches crossed by all flits together.
    pub flit_hops: u64,
    /// The losses, if parts die on a schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<FaultFigures>,
    /// The run from its beginning to the end of the last measured window, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesFigures>,
}

impl Outcome {
    /// Whether the network accepted less than 98% of the offered load: chance alone stays well within that.
    pub fn falls_short(&self) -> bool {
        self.all.accepted < 0.98 * self.offered.unwrap_or(self.load)
    }

    pub(crate) fn new(
        network: &Network<'_, Generation<'_>, impl Decider>,
        flits: &[u32],
        (measured_windows, agreed): (Option<u32>, bool),
        stopped: bool,
    ) -> Self {
        let (settings, tally, generation) =
            (network.settings, &network.links.tally, &network.packets);
        let traffic = generation.traffic();
        let (window, now) = (f64::from(tally.window_cycles()), network.now);
        let nodes = network.fabric.nodes().iter();
        let sending: Vec<NodeId> = nodes.filter(|&n| traffic.sends(n)).collect();
        let figures = |of: &Population, name, nodes| {
            #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
            let accepted = (of.accepted as f64, window);
            Figures::new((name, nodes), of.counts(), of.latency_at_least(now), accepted)
        };
        let all = figures(&tally.whole(), "all", count(sending.len()));
        let names = traffic.populations();
        let populations = if names.len() > 1 {
            let of = |number| {
                count(sending.iter().filter(|&&n| traffic.population(n) == number).count())
            };
            let each = names.iter().zip(&tally.populations).enumerate();
            each.map(|(number, (name, population))| figures(population, name, of(number))).collect()
        } else {
            Vec::new()
        };
        // A node of a dead switch cannot be served.
        let switch_of = |node| network.fabric.dragonfly().switch_of(node).0;
        let is_dead = |switch| network.damage.as_ref().is_some_and(|damage| damage.is_dead(switch));
        let live = sending.iter().filter(|&&node| !is_dead(switch_of(node)));
        let served = live.map(|&n| f64::from(tally.accepted[n.as_usize()]) / window);
        let links = link_loads(network.fabric, flits, |flits| f64::from(flits) / window);
        let [local_links, global_links] = by_kind(network.fabric, &links, settings.bandwidths);
        let senders = |traffic: &Traffic| {
            let first = sending.iter().filter(|&&node| traffic.sends_first(node));
            first.map(|&node| traffic.share_of_load(node)).sum()
        };
        let series = tally.series.as_deref();
        let nodes = count(sending.len());
        Self {
            load: generation.load(),
            offered: generation.offered(tally.window(), senders, nodes),
            growing: if measured_windows.is_some() { !agreed } else { tally.halves.are_growing() },
            saturated: stopped || all.latency > f64::from(settings.latency_limit_cycles),
            all,
            populations,
            fairness: Fairness::of(served),
            local_links,
            global_links,
            links,
            measured_windows,
            cycles: network.now,
            flit_hops: network.links.grants,
            faults: network.damage.as_ref().map(|_| fault_figures(network)),
            series: series.map(|series| {
                series.until(tally.window().end, (nodes, 1), network.damage.is_some())
            }),
        }
    }
}

/// The losses of the whole run.
fn fault_figures(network: &Network<'_, Generation<'_>, impl Decider>) -> FaultFigures {
    let (links, bits) = (&network.links, network.states.port_bits);
    let at_link = |(id, [on_dead_links, without_live_port]): (PortId, [u64; 2])| LinkLosses {
        switch: id.switch(bits),
        port: id.at_switch(bits),
        link: network.link_name(id),
        on_dead_links,
        without_live_port,
    };
    FaultFigures {
        sent: network.sent,
        delivered: links.delivered,
        losses: links.losses.total,
        links: links.losses.ports().map(at_link).collect(),
    }
}

/// The load of the links within groups and of those between groups.
pub fn by_kind(
    fabric: &BootedFabric<'_>,
    links: &[(SwitchId, Port, f64)],
    bandwidths: Bandwidths,
) -> [LinkLoad; 2] {
    [LinkKind::Local, LinkKind::Global].map(|kind| {
        let (mut sum, mut count, mut busiest) = (0.0, 0.0, None);
        for &(switch, port, load) in links {
            let is_global = matches!(fabric.link(switch, port), LinkTarget::Global(..));
            if is_global != (kind == LinkKind::Global) {
                continue;
            }
            sum += load;
            count += 1.0;
            if busiest.is_none_or(|(_, _, most)| load > most) {
                busiest = Some((switch, port, load));
            }
        }
        let capacity = bandwidths.flits_per_cycle(kind);
        busiest.map_or(LinkLoad { capacity, ..LinkLoad::default() }, |(switch, port, most)| {
            LinkLoad { mean: sum / count, most, busiest: fabric.name(switch, port), capacity }
        })
    })
}

/// The load of every link between switches, in the order of switches and ports. `sent` has the flits by [`PortId`], and
/// `load` converts them.
pub fn link_loads(
    fabric: &BootedFabric<'_>,
    sent: &[u32],
    load: impl Fn(u32) -> f64,
) -> Vec<(SwitchId, Port, f64)> {
    let bits = port_bits(fabric.dragonfly());
    let ports = (0..).map(PortId::new).map(|id| (id.switch(bits), id.at_switch(bits)));
    let leads_on = |switch, port| {
        matches!(fabric.link(switch, port), LinkTarget::Local(..) | LinkTarget::Global(..))
    };
    let links = ports.zip(sent).filter(|&((switch, port), _)| leads_on(switch, port));
    links.map(|((switch, port), &sent)| (switch, port, load(sent))).collect()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("at most as many as nodes")
}
