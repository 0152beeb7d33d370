//! Lower bounds and link loads of a way of running jobs, known without a run.

use super::JobRouting;
use super::error::AdviceError;
use serde::Serialize;
use std::collections::BTreeMap;
use tvlb_generator::static_load::{LinkEnds, LinkKind, LoadPaths, StaticLoads, loads_of};
use tvlb_jobs::{JobRun, LeastTime, MessageSettings};
use tvlb_schema::{NodeId, SwitchId};
use tvlb_simulator::Scheme;
use tvlb_topology::Topology;

/// Shares of packets that take VLB under a scheme that decides by queues: it is taken to be the best of these.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The estimate of a way before it runs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WayEstimate {
    /// Cycles that no run can do with fewer of, by cause.
    pub least_time: LeastTime,
    /// The link that is the longest in use, if packets choose among their paths as these are drawn. Under a
    /// scheme that decides by queues, it is that of the best of some fixed shares of MIN and VLB.
    pub link: BusyLink,
}

/// A link between switches, and how long it is in use.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct BusyLink {
    /// Cycles that its packets take, in turn; a mean over the draws of paths.
    pub cycles: f64,
    /// Its ends, in words; empty if no packet leaves its switch.
    pub link: String,
}

/// The cause of the longest lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bottleneck {
    /// The link of a node.
    Host,
    Group,
    /// Messages that wait for each other.
    Chain,
    /// A link between switches.
    Link,
}

impl Bottleneck {
    /// The word in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Group => "group",
            Self::Chain => "chain",
            Self::Link => "link",
        }
    }
}

impl WayEstimate {
    /// The largest of all causes, in cycles, and which that is; of equal ones the first.
    pub fn most(&self) -> (f64, Bottleneck) {
        #[expect(clippy::cast_precision_loss, reason = "a run has fewer than 2³² cycles")]
        let bound = |cycles: u64| cycles as f64;
        let LeastTime { host, group, chain } = &self.least_time;
        let mut most = (bound(host.cycles), Bottleneck::Host);
        for (cycles, cause) in [
            (bound(group.cycles), Bottleneck::Group),
            (bound(chain.cycles), Bottleneck::Chain),
            (self.link.cycles, Bottleneck::Link),
        ] {
            if cycles > most.0 {
                most = (cycles, cause);
            }
        }
        most
    }
}

/// The packets that switches send each other over all iterations, and those that each node receives.
pub(super) struct Packets {
    by_source: BTreeMap<SwitchId, BTreeMap<SwitchId, f64>>,
    to_nodes: Vec<f64>,
    senders: u32,
}

impl Packets {
    pub(super) fn of(topology: &Topology, jobs: &[JobRun<'_>], messages: &MessageSettings) -> Self {
        let df = topology.dragonfly();
        let mut by_source: BTreeMap<SwitchId, BTreeMap<SwitchId, f64>> = BTreeMap::new();
        let mut to_nodes = vec![0.0; df.node_numbers() as usize];
        let mut is_sender = vec![false; to_nodes.len()];
        for JobRun { programs, nodes } in jobs {
            let often = f64::from(programs.iterations().get());
            for (from, to, bytes) in programs.messages() {
                let [from, to]: [NodeId; 2] = [nodes[from.as_usize()], nodes[to.as_usize()]];
                if from == to {
                    continue;
                }
                let packets = f64::from(messages.packets(bytes)) * often;
                to_nodes[to.as_usize()] += packets;
                is_sender[from.as_usize()] = true;
                let [from, to] = [from, to].map(|node| df.switch_of(node).0);
                *by_source.entry(from).or_default().entry(to).or_default() += packets;
            }
        }
        let senders = is_sender.iter().filter(|&&sends| sends).count();
        Self { by_source, to_nodes, senders: u32::try_from(senders).expect("below 2²⁴ nodes") }
    }

    /// The loads of links if all packets take these paths.
    fn loads(
        &self,
        topology: &Topology,
        routing: &JobRouting,
        paths: &LoadPaths,
    ) -> Result<StaticLoads, AdviceError> {
        let to_switches = |source: SwitchId| {
            let to = self.by_source.get(&source).into_iter().flatten();
            to.map(|(&to, &packets)| (to, packets)).collect()
        };
        let at_nodes = (self.to_nodes.clone(), self.senders);
        loads_of(topology, &to_switches, at_nodes, paths)
            .map_err(|error| AdviceError::Loads { of: routing.to_string(), error })
    }

    /// The link that is the longest in use under a routing.
    pub(super) fn busiest(
        &self,
        topology: &Topology,
        routing: &JobRouting,
    ) -> Result<BusyLink, AdviceError> {
        let vlb = || {
            let paths = match &routing.set {
                None => LoadPaths::Conventional,
                Some(set) => LoadPaths::Set(set.source.rule),
            };
            self.loads(topology, routing, &paths)
        };
        match routing.scheme {
            Scheme::Min => Ok(busiest(topology, &self.loads(topology, routing, &LoadPaths::Min)?)),
            Scheme::Vlb => Ok(busiest(topology, &vlb()?)),
            _ => {
                let min = self.loads(topology, routing, &LoadPaths::Min)?;
                // Without any VLB path all packets take MIN.
                let Ok(vlb) = vlb() else { return Ok(busiest(topology, &min)) };
                let mixed = SHARES.map(|share| busiest(topology, &vlb.mixed(share, &min)));
                let best =
                    mixed.into_iter().min_by(|one, other| one.cycles.total_cmp(&other.cycles));
                Ok(best.expect("there are five"))
            }
        }
    }
}

fn busiest(topology: &Topology, loads: &StaticLoads) -> BusyLink {
    let mut most = BusyLink::default();
    for kind in [LinkKind::Local, LinkKind::Global] {
        for loaded in loads.busiest(topology, kind, 1) {
            let cycles = loaded.load / loads.flits_per_cycle(kind);
            if cycles > most.cycles {
                most = BusyLink { cycles, link: in_words(topology, &loaded.link) };
            }
        }
    }
    most
}

/// A link by its ends: "(3,1) to (3,4)", or "(3,1):2 to (5,0):1" with its global ports.
fn in_words(topology: &Topology, link: &LinkEnds) -> String {
    let df = topology.dragonfly();
    let switch = |switch| {
        let (group, index) = df.place(switch);
        format!("({group},{index})")
    };
    match *link {
        LinkEnds::Local(from, to) => format!("{} to {}", switch(from), switch(to)),
        LinkEnds::Global(near, far) => {
            let end = |end: tvlb_schema::End| {
                let (index, slot) = df.split_port(end.port);
                format!("({},{index}):{slot}", end.group)
            };
            format!("{} to {}", end(near), end(far))
        }
        LinkEnds::ToNode(node) => format!("to node {node}"),
    }
}
