//! The image stage: from a topology and a rule per decision to the bytes from which switches boot.
//!
//! The same input gives the same bytes at any number of threads: each switch's image is a pure
//! function of the topology, the rules and the switch.

use crate::checked_fabric::{CheckedFabric, Unreachable};
use crate::policy::Policy;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use tvlb_base::progress::{Cancelled, Progress};
use tvlb_schema::{
    PerDecision, SetContents, ShapeSet, SwitchContents, VcScheme, encode_switch_image,
    shapes_by_number,
};
use tvlb_table_set::MOST_BYTES;
use tvlb_topology::routes::count::SourceCounts;
use tvlb_topology::routes::presence::shapes_of_counts;

/// The routing of the switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRouting {
    pub policies: PerDecision<Policy>,
    pub virtual_channels: VcScheme,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    pub fabric: Vec<u8>,
    /// The switch images, by switch number.
    pub switches: Vec<Vec<u8>>,
}

/// Why no images were made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImageStageError {
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    #[error(
        "the images take more than {MOST_BYTES} bytes, which is the most that a table set may have; \
         a set drawn by route takes fewer than one drawn by shape, and a whole set fewer than fractions"
    )]
    TooLarge,
    #[error("interrupted; nothing was written")]
    Cancelled(#[from] Cancelled),
}

/// Builds all images. Each switch image is a step of `progress`. The only names that they contain are the ports'
/// physical numbers.
///
/// # Errors
/// Too many bytes, or the work was cancelled.
///
/// # Example
/// ```
/// use tvlb_generator::checked_fabric::{CheckedFabric, fabric_image};
/// use tvlb_generator::fabric::Fabric;
/// use tvlb_generator::image::{ImageRouting, build};
/// use tvlb_generator::policy::Policy;
/// use tvlb_table_set::grammar::parse_set;
/// use tvlb_topology::arrangement::Arrangement;
/// use tvlb_schema::{Dragonfly, PerDecision, VcScheme};
///
/// let fabric = Fabric::new("lab", Dragonfly::new(2, 4, 2, 9)?, Arrangement::default(), 1)?;
/// let image = fabric_image(&fabric.topology);
/// let policy = Policy::from(parse_set("shapes:011", 1)?);
/// let routing = ImageRouting {
///     policies: PerDecision::same(policy),
///     virtual_channels: VcScheme::Ordered,
/// };
/// let images = build(&CheckedFabric::new(&fabric, &image)?, &routing, &())?;
/// assert_eq!(images.switches.len(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build(
    fabric: &CheckedFabric<'_>,
    routing: &ImageRouting,
    progress: &dyn Progress,
) -> Result<Images, ImageStageError> {
    let bytes = AtomicU64::new(fabric.image_bytes().len() as u64);
    let images: Result<Vec<Vec<u8>>, ImageStageError> = fabric
        .counter()
        .sources()
        .map(|from| {
            progress.check()?;
            let mut contents = contents(&from, routing);
            let df = fabric.topology.dragonfly();
            contents.physical_numbers = fabric.names.physical_numbers(df, from.source());
            let image = encode_switch_image(fabric.image(), &contents);
            // Checked here, so that no memory is spent on images too large for a table set.
            let length = image.len() as u64;
            if bytes.fetch_add(length, Ordering::Relaxed) + length > MOST_BYTES {
                return Err(ImageStageError::TooLarge);
            }
            progress.step();
            Ok(image)
        })
        .collect();
    Ok(Images { switches: images?, fabric: fabric.image_bytes().to_vec() })
}

fn contents(from: &SourceCounts<'_>, routing: &ImageRouting) -> SwitchContents {
    let switch = from.source();
    // Decisions that draw alike on this switch share a set, even if other switches thin it for only one of them.
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
    let (topology, source) = (from.topology(), from.source());
    let set = (rule, policy.levels_of(source));
    shapes_by_number(topology.dragonfly(), rule, |to| {
        shapes_of_counts(topology, set, (source, to), &from.counts(to))
    })
}
