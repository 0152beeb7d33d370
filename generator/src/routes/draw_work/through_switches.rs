//! The looks of a draw from a set of intermediate switches.

use super::tries::{real, tried};
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_firmware_model::{MOST_SOUGHT, MOST_TRIES};
use tvlb_schema::{DrawRule, GroupId, LegHops, SetRule, SwitchId};
use tvlb_topology::Topology;
use tvlb_topology::routes::shortest_legs::ShortestLegs;

/// What the looks of a set of intermediate switches depend on.
pub(super) struct ThroughSwitches<'t> {
    topology: &'t Topology,
    set: (LegHops, bool),
    /// By number of the switch.
    legs: Vec<ShortestLegs>,
}

impl<'t> ThroughSwitches<'t> {
    /// For a rule; `None` if it draws otherwise.
    pub(super) fn of(
        topology: &'t Topology,
        rule: &SetRule,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, Cancelled> {
        let DrawRule::BySwitch { legs, returns } = rule.draw else { return Ok(None) };
        let set = (legs, returns);
        let legs = ShortestLegs::of_all(topology, progress)?;
        Ok(Some(Self { topology, set, legs }))
    }

    /// How many numbers of intermediate switches are drawn. A number without a switch takes a look too.
    fn numbers(&self) -> u64 {
        let df = self.topology.dragonfly();
        u64::from(df.a()) * u64::from(df.g() - 2)
    }

    /// By number of the destination's group, how many links a switch examines if it draws every number of an
    /// intermediate switch once: those to each switch, and those onward from each whose first leg is in the set.
    pub(super) fn looks_at_all(&self, source: SwitchId) -> Vec<u64> {
        let df = self.topology.dragonfly();
        let from = df.place(source).0;
        let links = |one, other| self.topology.links(one, other).len() as u64;
        let first = &self.legs[source.as_usize()];
        let reached = |middle| (middle, first.reached(self.topology, self.set.0, middle));
        let reached: Vec<(GroupId, u64)> = df.groups().map(reached).collect();
        let of_group = |to| {
            let between = reached.iter().filter(|&&(middle, _)| middle != from && middle != to);
            let of_middle = between.map(|&(middle, reached)| {
                let switches = u64::from(df.switches_of(middle));
                switches * links(from, middle) + reached * links(middle, to)
            });
            of_middle.sum::<u64>() + self.numbers()
        };
        df.group_numbers().map(of_group).collect()
    }

    /// The expected looks of a draw: each drawn switch, and each link that is examined to tell whether the set has it.
    pub(super) fn looks(&self, at_all: u64, (source, destination): (SwitchId, SwitchId)) -> f64 {
        let switches = self.numbers();
        if switches == 0 {
            return 0.0;
        }
        let (first, second) = (&self.legs[source.as_usize()], &self.legs[destination.as_usize()]);
        let hits = first.drawn(second, self.topology, self.set).switches;
        let each = real(at_all) / real(switches);
        // After as many misses as there are switches, all are examined once.
        let (first, missed) = tried((hits / real(switches)).min(1.0), real(switches));
        let once = missed * real(at_all);
        if hits == 0.0 {
            return (first * each + once).min(MOST_SOUGHT.into());
        }
        let tries = f64::from(MOST_TRIES).min(f64::from(MOST_SOUGHT) / each);
        let (tries, _) = tried((hits / real(switches)).min(1.0), tries);
        tries * each + once
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Dragonfly;
    use tvlb_topology::arrangement::{Arrangement, arrange};
    use tvlb_topology::routes::ways::shortest_links;

    #[test]
    fn each_intermediate_switch_is_looked_at_as_a_switch_looks() {
        let topology =
            arrange(Dragonfly::new(1, 4, 3, 5).unwrap(), Arrangement::Random, 2).unwrap();
        let df = topology.dragonfly();
        let legs = LegHops::within(2, 3).unwrap();
        let rule = SetRule::by_switch(legs, true);
        let through = ThroughSwitches::of(&topology, &rule, &()).unwrap().unwrap();
        for source in df.switches() {
            let from = df.place(source).0;
            let at_all = through.looks_at_all(source);
            for to in df.groups().filter(|&to| to != from) {
                let mut looks = 0;
                for middle in df.groups().filter(|&middle| middle != from && middle != to) {
                    for switch in df.switches_in(middle) {
                        looks += 1 + topology.links(from, middle).len();
                        let first = shortest_links(&topology, source, switch);
                        let goes_on = first.is_some_and(|(hops, _)| legs.contains(hops, 1));
                        looks += if goes_on { topology.links(middle, to).len() } else { 0 };
                    }
                }
                assert_eq!(at_all[to.as_usize()], looks as u64, "from {source} to group {to}");
            }
        }
    }
}
