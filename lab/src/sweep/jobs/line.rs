//! The line of a table for jobs that were run with several seeds.

use super::{Case, JobRuns};
use std::collections::BTreeMap;
use tvlb_base::row;
use tvlb_base::table::Cell;
use tvlb_generator::fabric::Fabric;
use tvlb_generator::fabric_file::Wiring;
use tvlb_generator::static_load::{LoadPaths, loads_of};
use tvlb_jobs::MessageSettings;
use tvlb_jobs::workload::Programs;
use tvlb_schema::{LinkKind, SwitchId};
use tvlb_table_set::grammar::parse_set;

impl JobRuns {
    /// The bound of the busiest link, in flits per node and cycle: what all ranks send over the nodes times the longest
    /// time that a link needs.
    fn bound(&self, case: &Case) -> Option<f64> {
        let nodes = self.nodes(case, self.seeds[0]).ok()?;
        let topology = &self.fabrics[case.fabric].fabric.topology;
        let df = topology.dragonfly();
        let mut sent: BTreeMap<SwitchId, BTreeMap<SwitchId, f64>> = BTreeMap::new();
        let mut to_nodes = vec![0.0; df.node_numbers() as usize];
        let (mut from_nodes, mut total) = (to_nodes.clone(), 0.0);
        for (programs, nodes) in self.loaded[case.fabric].1.of_jobs.iter().zip(&nodes) {
            for (from, to, bytes) in programs.messages() {
                let flits = f64::from(MessageSettings::default().packets(bytes));
                let [from, to] = [from, to].map(|rank| nodes[rank.as_usize()]);
                from_nodes[from.as_usize()] += flits;
                to_nodes[to.as_usize()] += flits;
                total += flits;
                let [from, to] = [from, to].map(|node| df.switch_of(node).0);
                *sent.entry(from).or_default().entry(to).or_default() += flits;
            }
        }
        let to_switches = |source: SwitchId| {
            let to = sent.get(&source).into_iter().flatten();
            to.map(|(&to, &flits)| (to, flits)).collect()
        };
        let rule = parse_set(&self.sets[case.set].name, 1).ok()?;
        let at_nodes = (to_nodes, df.node_count());
        let loads = loads_of(topology, &to_switches, at_nodes, &LoadPaths::Set(rule)).ok()?;
        let most = from_nodes.into_iter().fold(loads.largest(), f64::max);
        Some(total / (f64::from(df.node_count()) * most))
    }

    /// The line of a case whose seeds took these cycles.
    pub(super) fn line(&self, case: &Case, mut cycles: Vec<u32>) -> Vec<Cell> {
        cycles.sort_unstable();
        let (fabric, settings) = (&self.fabrics[case.fabric].fabric, self.settings(case));
        let df = fabric.topology.dragonfly();
        let (local, packets) =
            (settings.bandwidths.flits_per_cycle(LinkKind::Local), f64::from(self.jobs.packets));
        // Time is counted in messages on a link within a group, whatever the fastest kind is.
        let at = |place: usize| f64::from(cycles[place]) * local / packets;
        let middle = cycles.len() / 2;
        let messages = self.loaded[case.fabric].1.of_jobs.iter().flat_map(Programs::messages);
        let flits = messages.map(|(_, _, bytes)| MessageSettings::default().packets(bytes));
        let flits: f64 = flits.map(f64::from).sum();
        let carried = flits / (f64::from(df.node_count()) * f64::from(cycles[middle].max(1)));
        let bound = self.jobs.bound.then(|| self.bound(case)).flatten();
        let set = &self.sets[case.set];
        row![
            set.heading.as_str(),
            self.variants[case.variant].name.as_str(),
            fabric.file.name.as_str(),
            df.p(),
            arrangement(fabric),
            case.scheme.name(),
            set.name.as_str(),
            self.places[case.place].to_string(),
            self.maps[case.map].to_string(),
            settings.bandwidths.flits_per_cycle(LinkKind::Global) / local,
            self.jobs.workload.as_str(),
            self.seeds.len(),
            packets,
            at(0),
            at(middle),
            at(cycles.len() - 1),
            100.0 * (at(cycles.len() - 1) - at(0)) / at(middle),
            carried,
            bound,
        ]
    }
}

/// How the links between a fabric's groups are arranged, if they have a name.
fn arrangement(fabric: &Fabric) -> String {
    match fabric.file.wiring {
        Wiring::Arrangement(arrangement) => arrangement.to_string(),
        Wiring::Cables(_) => String::new(),
    }
}
