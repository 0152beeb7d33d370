//! A fabric whose wiring was checked once for all stages: every switch with nodes reaches every other, its routes can
//! be counted, its fabric image is written and decoded, and the cost of draws is kept.

use crate::fabric::Fabric;
use crate::faults::is_cut;
use crate::policy::Policy;
use crate::routes::draw_work::{DrawWork, draw_work};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{FabricImage, GroupId, SwitchId, encode_fabric_image_with};
use tvlb_topology::Topology;
use tvlb_topology::routes::count::RouteCounter;

/// A fabric for which tables can be made, with what every stage needs to know of its wiring.
#[derive(Debug)]
pub struct CheckedFabric<'f> {
    fabric: &'f Fabric,
    counter: RouteCounter<'f>,
    bytes: &'f [u8],
    image: FabricImage<'f>,
    draw_works: Mutex<Vec<(Policy, DrawWork)>>,
}

/// Why no tables can be made for a fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    #[error(
        "no path leads from switch {from} to switch {to}: each needs a hop between two switches of a group \
         that share no local link"
    )]
    Switches { from: SwitchId, to: SwitchId },
    #[error(
        "groups {from} and {to} share no cable, and no other group has cables to both: \
         no packet can pass between them by MIN or VLB; add a cable"
    )]
    Groups { from: GroupId, to: GroupId },
}

impl<'f> CheckedFabric<'f> {
    /// Checks the wiring of a fabric; `image` is the output of [`fabric_image`].
    ///
    /// # Errors
    /// Two groups or switches without any path.
    ///
    /// # Example
    /// ```
    /// use tvlb_generator::checked_fabric::{CheckedFabric, fabric_image};
    /// use tvlb_generator::fabric::Fabric;
    /// use tvlb_schema::Dragonfly;
    /// use tvlb_topology::arrangement::Arrangement;
    ///
    /// let fabric = Fabric::new("lab", Dragonfly::new(1, 4, 2, 5)?, Arrangement::Absolute, 1)?;
    /// let image = fabric_image(&fabric.topology);
    /// let fabric = CheckedFabric::new(&fabric, &image)?;
    /// assert_eq!(fabric.image().cable_count(), 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(fabric: &'f Fabric, image: &'f [u8]) -> Result<Self, Unreachable> {
        check_reachable(&fabric.topology)?;
        Ok(Self {
            fabric,
            counter: RouteCounter::new(&fabric.topology),
            bytes: image,
            image: FabricImage::decode(image).expect("the encoder decodes what it wrote"),
            draw_works: Mutex::default(),
        })
    }

    /// Counts the routes of the fabric.
    pub fn counter(&self) -> &RouteCounter<'f> {
        &self.counter
    }

    /// The fabric image, which is the same for all sets.
    pub fn image(&self) -> &FabricImage<'f> {
        &self.image
    }

    /// The bytes of [`Self::image`].
    pub fn image_bytes(&self) -> &'f [u8] {
        self.bytes
    }

    /// The cost for a switch of a draw from a policy's set. Each set is measured once.
    ///
    /// # Errors
    /// The caller cancelled the work.
    pub fn draw_work(
        &self,
        policy: &Policy,
        progress: &dyn Progress,
    ) -> Result<DrawWork, Cancelled> {
        let known = |works: &[(Policy, DrawWork)]| {
            works.iter().find(|(other, _)| other.has_set_of(policy)).map(|&(_, work)| work)
        };
        let works = || self.draw_works.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(work) = known(&works()) {
            return Ok(work);
        }
        let levels = |switch| policy.levels_of(switch);
        let work = draw_work(&self.counter, &policy.rule, levels, progress)?;
        works().push((policy.clone(), work));
        Ok(work)
    }
}

/// The fabric without the results of the check.
impl Deref for CheckedFabric<'_> {
    type Target = Fabric;

    fn deref(&self) -> &Fabric {
        self.fabric
    }
}

/// The fabric image of a wiring: tables of the same wiring have the same one whatever their sets.
pub fn fabric_image(topology: &Topology) -> Vec<u8> {
    let cables: Vec<_> = topology.cables().iter().map(|cable| (cable.low, cable.high)).collect();
    encode_fabric_image_with(topology.dragonfly(), &cables, topology.fewer_links())
}

/// Checks that every two groups with nodes share a cable, or each shares one with the same third group, and that, if
/// local links are missing, some path leads from every switch with nodes to every other.
fn check_reachable(topology: &Topology) -> Result<(), Unreachable> {
    let df = topology.dragonfly();
    let joined = |i: GroupId, j: GroupId| i != j && !topology.links(i, j).is_empty();
    let ends = topology.ends();
    let groups = || df.groups().filter(|&group| ends.of_group(group).next().is_some());
    for from in groups() {
        for to in groups().filter(|&to| from < to) {
            if !joined(from, to) && !df.groups().any(|m| joined(from, m) && joined(m, to)) {
                return Err(Unreachable::Groups { from, to });
            }
        }
    }
    if topology.group_links().is_whole() {
        return Ok(());
    }
    let from_each = ends.iter().flat_map(|from| ends.iter().map(move |to| (from, to)));
    match from_each.into_iter().find(|&(from, to)| from != to && is_cut(topology, from, to)) {
        None => Ok(()),
        Some((from, to)) => Err(Unreachable::Switches { from, to }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::{Dragonfly, GroupKind};

    /// Whatever the numbers of the groups that are there.
    #[test]
    fn groups_that_nothing_joins_are_named() {
        let (absent, pair) = (GroupKind::absent(1), GroupKind::new(2, 3, 1, 2));
        for (kinds, [from, to]) in [
            (&[pair][..], [0, 1].map(GroupId)),
            (&[absent, pair], [1, 2].map(GroupId)),
            (&[pair, absent], [0, 1].map(GroupId)),
        ] {
            let df = Dragonfly::of_kinds(kinds).unwrap();
            let topology = Topology::from_cables(df, []).unwrap();
            assert_eq!(check_reachable(&topology), Err(Unreachable::Groups { from, to }));
        }
    }
}
