//! The image stage: a topology and a rule per decision become the bytes that switches boot from.
//!
//! The same input gives the same bytes at any number of threads: each switch's image is a pure
//! function of the topology, the rules and the switch.

use crate::escape::EscapeError;
use crate::policy::Policy;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{
    FabricImage, GroupId, PerDecision, SetContents, ShapeSet, SwitchContents, SwitchId, VcScheme,
    encode_fabric_image_with, encode_switch_image, shapes_by_number,
};
use tvlb_table_set::MOST_BYTES;
use tvlb_table_set::names::Names;
use tvlb_topology::Topology;
use tvlb_topology::routes::count::{RouteCounter, SourceCounts};
use tvlb_topology::routes::presence::shapes_of_counts;

/// What the switches are to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routing {
    pub policies: PerDecision<Policy>,
    pub virtual_channels: VcScheme,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    pub fabric: Vec<u8>,
    /// The switch images, by switch number.
    pub switches: Vec<Vec<u8>>,
}

/// Why there are no images.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImageStageError {
    #[error(
        "no path leads from switch {from} to switch {to}: their groups share no cable, and each path \
         by way of another group needs a hop between two switches that share no local link"
    )]
    Apart { from: SwitchId, to: SwitchId },
    #[error(
        "groups {from} and {to} share no cable, and no other group has cables to both: \
         no packet can pass between them by MIN or VLB; add a cable"
    )]
    Unreachable { from: GroupId, to: GroupId },
    #[error(transparent)]
    Escape(#[from] EscapeError),
    #[error(
        "the images take more than {MOST_BYTES} bytes, which is the most that a table set may have; \
         a set drawn by route takes fewer than one drawn by shape, and a whole set fewer than fractions"
    )]
    TooLarge,
    #[error("interrupted; nothing was written")]
    Cancelled(#[from] Cancelled),
}

/// Builds all images. Each switch image is a step of `progress`. Of the names they hold the ports' physical
/// numbers and nothing else.
///
/// # Errors
/// Two groups without any path, too many bytes, or the work was cancelled.
///
/// # Example
/// ```
/// use tvlb_generator::image::{Routing, build};
/// use tvlb_generator::policy::Policy;
/// use tvlb_topology::routes::count::RouteCounter;
/// use tvlb_table_set::grammar::parse_set;
/// use tvlb_topology::arrangement::{Arrangement, arrange};
/// use tvlb_table_set::names::Names;
/// use tvlb_schema::{Dragonfly, PerDecision, VcScheme};
///
/// let topology = arrange(Dragonfly::new(2, 4, 2, 9)?, Arrangement::default(), 1)?;
/// let policy = Policy::from(parse_set("shapes:011", 1)?);
/// let routing = Routing {
///     policies: PerDecision::same(policy),
///     virtual_channels: VcScheme::Ordered,
/// };
/// let images = build(&RouteCounter::new(&topology), &routing, &Names::default(), &())?;
/// assert_eq!(images.switches.len(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build(
    counter: &RouteCounter<'_>,
    routing: &Routing,
    names: &Names,
    progress: &dyn Progress,
) -> Result<Images, ImageStageError> {
    let topology = counter.topology();
    check_reachable(topology)?;
    let df = topology.dragonfly();
    let fabric = fabric_image(topology);
    let view = FabricImage::decode(&fabric).expect("the encoder decodes what it wrote");
    let bytes = AtomicU64::new(fabric.len() as u64);
    let images: Result<Vec<Vec<u8>>, ImageStageError> = counter
        .sources()
        .map(|from| {
            progress.check()?;
            let mut contents = contents(&from, routing);
            contents.physical_numbers = names.physical_numbers(df, from.source());
            let image = encode_switch_image(&view, &contents);
            // Checked here, so that no memory is spent on images that no table set may hold.
            let length = image.len() as u64;
            if bytes.fetch_add(length, Ordering::Relaxed) + length > MOST_BYTES {
                return Err(ImageStageError::TooLarge);
            }
            progress.step();
            Ok(image)
        })
        .collect();
    Ok(Images { switches: images?, fabric })
}

/// The fabric image of a wiring, which tables of the same wiring have whatever their sets.
pub fn fabric_image(topology: &Topology) -> Vec<u8> {
    let cables: Vec<_> = topology.cables().iter().map(|cable| (cable.low, cable.high)).collect();
    encode_fabric_image_with(topology.dragonfly(), &cables, topology.fewer_links())
}

fn contents(from: &SourceCounts<'_>, routing: &Routing) -> SwitchContents {
    let switch = from.source();
    // Decisions that draw alike on this switch share a set, even where other switches thin it
    // for one of them.
    let mut sets: Vec<SetContents> = Vec::new();
    let decisions = routing.policies.map(|policy| {
        let (rule, levels) = (policy.rule, policy.levels_of(switch));
        let is_same = |known: &SetContents| known.rule == rule && known.levels == levels;
        let number = sets.iter().position(is_same).unwrap_or_else(|| {
            let shapes_to = shapes_to(from, policy);
            sets.push(SetContents { rule, levels: levels.to_vec(), shapes_to });
            sets.len() - 1
        });
        (u8::try_from(number).expect("there are three decisions"), policy.weighing)
    });
    let second_min = routing.policies.par_second.min;
    let virtual_channels = routing.virtual_channels;
    let physical_numbers = Vec::new();
    SwitchContents { switch, virtual_channels, decisions, second_min, sets, physical_numbers }
}

fn shapes_to(from: &SourceCounts<'_>, policy: &Policy) -> Vec<ShapeSet> {
    let Policy { rule, .. } = policy;
    if !rule.is_by_shape() {
        return Vec::new();
    }
    let (topology, source) = (from.topology(), from.source());
    let set = (rule, policy.levels_of(source));
    shapes_by_number(topology.dragonfly(), |to| {
        shapes_of_counts(topology, set, (source, to), &from.counts(to))
    })
}

/// Checks that every two groups share a cable, or both share one with a third.
///
/// # Errors
/// The first two that do not.
pub fn check_reachable(topology: &Topology) -> Result<(), ImageStageError> {
    let df = topology.dragonfly();
    let joined = |i: GroupId, j: GroupId| i != j && !topology.links(i, j).is_empty();
    for from in df.groups() {
        for to in df.groups().filter(|&to| from < to) {
            if !joined(from, to) && !df.groups().any(|m| joined(from, m) && joined(m, to)) {
                return Err(ImageStageError::Unreachable { from, to });
            }
            if !topology.has_whole_groups() && !joined(from, to) {
                check_switches_reachable(topology, from, to)?;
            }
        }
    }
    Ok(())
}

/// Every switch of one group reaches every switch of another by VLB.
fn check_switches_reachable(
    topology: &Topology,
    from: GroupId,
    to: GroupId,
) -> Result<(), ImageStageError> {
    let df = topology.dragonfly();
    for source in df.switches_in(from) {
        for destination in df.switches_in(to) {
            if topology.crossings(source, destination).next().is_none() {
                return Err(ImageStageError::Apart { from: source, to: destination });
            }
        }
    }
    Ok(())
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
            let refused = check_reachable(&topology);
            assert_eq!(refused, Err(ImageStageError::Unreachable { from, to }));
        }
    }
}
