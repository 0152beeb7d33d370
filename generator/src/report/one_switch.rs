//! How one booted switch draws from the set of a decision: the shapes of its paths as pictures, and the
//! links with which they begin.

use super::shapes::{self, Shares};
use crate::routes::drawn_routes::drawn_routes;
use tvlb_firmware_model::Switch;
use tvlb_schema::{Decision, Port, Shape, SwitchId};

/// Of more switches in other groups, only so many are looked at, evenly spread.
const MOST_DESTINATIONS: usize = 128;

/// What a switch draws from the set of a decision: means over the switches of other groups to which it
/// has a route there.
pub struct Draws {
    shares: Shares,
    /// By the index of a switch of the group, the share of draws that begin with a link to it.
    local: Vec<f64>,
    /// By global port of the switch, the share of draws that begin with its link.
    global: Vec<f64>,
    /// The number of the first global port among the ports of the switch.
    first_global: u16,
    looked_at: usize,
    others: usize,
}

impl Draws {
    /// Lists the routes of a booted switch.
    pub fn of(switch: &Switch<'_>, decision: Decision) -> Self {
        let image = switch.image();
        let df = image.fabric().dragonfly();
        let others: Vec<SwitchId> =
            df.switches().filter(|&to| df.place(to).0 != image.group()).collect();
        let step = others.len().div_ceil(MOST_DESTINATIONS).max(1);
        let mut shapes = [0.0; Shape::COUNT];
        let mut local = vec![0.0; image.switches_of_group() as usize];
        let mut global = vec![0.0; df.h() as usize];
        let (mut looked_at, mut with_routes) = (0, 0.0);
        for &to in others.iter().step_by(step) {
            looked_at += 1;
            let routes = drawn_routes(switch, decision, to);
            if !routes.is_empty() {
                with_routes += 1.0;
            }
            for drawn in routes {
                shapes[drawn.shape.number()] += drawn.share;
                let (index, slot) = df.split_port(drawn.route.x);
                let first = if index == image.index() {
                    global.get_mut(usize::from(slot))
                } else {
                    local.get_mut(usize::from(index.0))
                };
                if let Some(first) = first {
                    *first += drawn.share;
                }
            }
        }
        for share in local.iter_mut().chain(&mut global) {
            *share /= f64::max(with_routes, 1.0);
        }
        Self {
            shares: Shares::of_sum(shapes),
            local,
            global,
            first_global: df.slot_port(0).0,
            looked_at,
            others: others.len(),
        }
    }

    /// The twelve shapes with their shares, for a page of this crate's style. `name` is the set's.
    pub fn picture(&self, name: &str) -> String {
        shapes::picture(&self.shares, name)
    }

    /// The share of draws whose path begins by this port of the switch; of a port within the group, by any
    /// of its links to the same switch. Nothing for a port to a node, and for a port without a link.
    pub fn beginning_by(&self, switch: &Switch<'_>, port: Port) -> Option<f64> {
        let (_, index) = switch.neighbour(port)?;
        match port.0.checked_sub(self.first_global) {
            Some(slot) => self.global.get(usize::from(slot)).copied(),
            None => self.local.get(usize::from(index.0)).copied(),
        }
    }

    /// How many switches of other groups were looked at, and how many there are.
    pub fn looked_at(&self) -> [usize; 2] {
        [self.looked_at, self.others]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::image::Images;
    use crate::policy::Policy;
    use crate::set_grammar::parse_set;
    use crate::topology::arrangement::Arrangement;
    use tvlb_schema::{Dragonfly, PerDecision};

    fn images(df: Dragonfly, set: &str) -> Images {
        let fabric = Fabric::new("lab", df, Arrangement::default(), 1).unwrap();
        let policies = PerDecision::same(Policy::from(parse_set(set, 1).unwrap()));
        crate::generate::generate(&fabric, &policies, &()).unwrap().images
    }

    #[test]
    fn every_draw_begins_with_a_link_and_has_a_shape() {
        for (set, begins_locally) in [("shapes:011", false), ("shapes:111", true), ("all", true)] {
            let images = images(Dragonfly::new(2, 4, 2, 9).unwrap(), set);
            let switch = Switch::boot(&images.fabric, &images.switches[7]).unwrap();
            let draws = Draws::of(&switch, Decision::ParSource);
            assert_eq!(draws.looked_at(), [32, 32]);
            let ports = (0..7).map(|port| draws.beginning_by(&switch, Port(port)));
            let ports: Vec<Option<f64>> = ports.collect();
            // Two nodes, three links within the group, two between groups.
            assert_eq!(ports.iter().filter(|port| port.is_none()).count(), 2, "{ports:?}");
            let sum = |ports: &[Option<f64>]| ports.iter().flatten().sum::<f64>();
            assert!((sum(&ports) - 1.0).abs() < 1e-9, "{set}: {ports:?}");
            assert_eq!(sum(&ports[..5]) > 0.0, begins_locally, "{set}: {ports:?}");
            assert!(draws.picture("set A").contains("the shapes of the paths of set A"));
        }
    }

    #[test]
    fn of_many_destinations_some_are_looked_at() {
        let images = images(Dragonfly::new(1, 4, 4, 17).unwrap(), "shapes:011");
        let images_of_more = self::images(Dragonfly::new(1, 8, 4, 33).unwrap(), "shapes:010");
        let of = |images: &Images| {
            let switch = Switch::boot(&images.fabric, &images.switches[0]).unwrap();
            Draws::of(&switch, Decision::UgalL).looked_at()
        };
        assert_eq!(of(&images), [64, 64]);
        assert_eq!(of(&images_of_more), [128, 256]);
    }
}
