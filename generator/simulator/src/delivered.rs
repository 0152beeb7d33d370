//! What a run with packets from another kind of source shows its caller: its progress, and in the end the figures of
//! all its packets.

use crate::decider::BySwitches;
use crate::fabric::BootedFabric;
use crate::figures::Figures;
use crate::network::Network;
use crate::outcome::{LinkLoad, by_kind, link_loads};
use crate::packet_source::PacketSource;
use crate::run::Run;
use crate::settings::Settings;
use crate::tally::Tally;
use serde::Serialize;
use tvlb_base::text::Refused;
use tvlb_schema::{Port, SwitchId};

/// The figures of all packets that a run has delivered.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Delivered {
    /// Packets that were delivered.
    pub packets: u64,
    /// Mean cycles from the node's sending of a packet to its delivery.
    pub network_latency: f64,
    /// Mean number of links between switches that a packet took.
    pub hops: f64,
    /// How many packets crossed 0, 1, 2, … links between switches.
    pub packets_by_hops: Vec<u64>,
    /// Share of the packets that took VLB.
    pub vlb_share: f64,
    /// The load of the links within groups, over all cycles.
    pub local_links: LinkLoad,
    /// The load of the links between groups, over all cycles.
    pub global_links: LinkLoad,
    /// Flits per cycle on each link between switches over all cycles, by switch and port.
    #[serde(skip)]
    pub links: Vec<(SwitchId, Port, f64)>,
    /// Switches crossed by all flits together.
    pub flit_hops: u64,
}

impl<'f, S: PacketSource> Run<'f, S> {
    /// A run at cycle 0 with packets from a source. All of them are counted ([`delivered`](Self::delivered)), and the
    /// seed decides which paths are drawn.
    ///
    /// # Errors
    /// The settings make no sense.
    pub fn of(
        fabric: &'f BootedFabric<'f>,
        settings: &'f Settings,
        packets: S,
        seed: u64,
    ) -> Result<Self, Refused> {
        let channels = settings.check_with(fabric, &[])?;
        let tally = Tally::of_all(fabric.dragonfly().node_numbers());
        let users = (packets, BySwitches);
        Ok(Self::of_network(Network::new(fabric, settings, channels, users, seed, tally)))
    }

    /// The source of its packets.
    pub const fn packets(&self) -> &S {
        &self.network.packets
    }

    /// Whether nothing is under way in the network, neither a packet nor a credit.
    pub fn is_empty(&self) -> bool {
        self.network.links.is_empty()
    }

    /// Skips the cycles before this one. Call it only while the network is empty and no node has a packet to send
    /// before that cycle.
    pub fn skip_to(&mut self, cycle: u32) {
        debug_assert!(self.is_empty(), "what is under way would be late");
        self.network.now = self.network.now.max(cycle);
    }

    /// Makes all chunks keep in step, which takes longer and changes no figure, whatever the source: for tests of
    /// sources.
    pub fn keep_in_step(&mut self) {
        self.network.keep_in_step();
    }

    /// The figures of all packets, with the loads of links over so many cycles.
    pub fn delivered(&self, cycles: u32) -> Delivered {
        let network = &self.network;
        let all = network.links.tally.whole();
        let Figures { packets, network_latency, hops, packets_by_hops, vlb_share, .. } =
            Figures::new(("all", 0), all.counts(), all.latency.mean(), (0.0, 0.0));
        let (fabric, cycles) = (network.fabric, f64::from(cycles.max(1)));
        let links = link_loads(fabric, &network.link_flits(), |flits| f64::from(flits) / cycles);
        let [local_links, global_links] = by_kind(fabric, &links, network.settings.bandwidths);
        Delivered {
            packets,
            network_latency,
            hops,
            packets_by_hops,
            vlb_share,
            local_links,
            global_links,
            links,
            flit_hops: network.links.grants,
        }
    }
}
