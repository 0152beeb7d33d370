//! Writes an escape image: a network as plain lists, and its bytes.

use crate::escape_image::EscapeWidths;
use crate::{EscapeImage, EscapeImageError, EscapeKind, OfarRules};
use alloc::vec;
use alloc::vec::Vec;
use tvlb_schema::extension::{append, image_of};
use tvlb_schema::{FabricImage, ImageKind, Port, SwitchId};

/// A ring or a tree over all switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EscapeNetwork {
    /// The switches in the order of the ring, each with its port towards the next.
    Ring(Vec<(SwitchId, Port)>),
    /// The switches in an order in which each comes before all that hang below it and these follow it without a
    /// gap; each with its port towards the switch above, which the root has not, and with how many hang
    /// below it.
    Tree(Vec<(SwitchId, Option<Port>, u32)>),
}

impl EscapeNetwork {
    /// Its kind.
    pub const fn kind(&self) -> EscapeKind {
        match self {
            Self::Ring(_) => EscapeKind::Ring,
            Self::Tree(_) => EscapeKind::Tree,
        }
    }

    /// The network of an image.
    pub fn of(image: &EscapeImage<'_>) -> Self {
        let places = 0..image.len();
        match image.kind() {
            EscapeKind::Ring => {
                Self::Ring(places.map(|p| (image.switch_at(p), image.ring_ports(p).0)).collect())
            }
            EscapeKind::Tree => Self::Tree(
                places
                    .map(|place| {
                        let up = (place > 0).then(|| image.tree_port(place, 0));
                        (image.switch_at(place), up, image.below(place))
                    })
                    .collect(),
            ),
        }
    }
}

/// Writes an escape image of a fabric.
///
/// # Errors
/// The network does not cover all switches of the fabric, or the rules are out of range: the error of reading the
/// bytes.
pub fn encode_escape_image(
    fabric: &FabricImage<'_>,
    network: &EscapeNetwork,
    rules: &OfarRules,
) -> Result<Vec<u8>, EscapeImageError> {
    let bytes = bytes_of(fabric, network, rules);
    EscapeImage::decode(&bytes, fabric)?;
    Ok(bytes)
}

/// The bytes of a network that need not be one.
pub(crate) fn bytes_of(
    fabric: &FabricImage<'_>,
    network: &EscapeNetwork,
    rules: &OfarRules,
) -> Vec<u8> {
    let df = fabric.dragonfly();
    let widths = EscapeWidths::of(df);
    let far_port = |switch: SwitchId, port: Option<Port>| {
        let end = port.and_then(|port| fabric.far_end(switch, port));
        end.map_or(0, |(_, port)| u32::from(port.0))
    };
    let (switches, onward, backward, below): (Vec<SwitchId>, Vec<u32>, Vec<u32>, Vec<u32>) =
        match network {
            EscapeNetwork::Ring(hops) => (
                hops.iter().map(|hop| hop.0).collect(),
                hops.iter().map(|hop| hop.1.0.into()).collect(),
                // The port at which the hop before arrives.
                (0..hops.len())
                    .map(|place| hops[(place + hops.len() - 1) % hops.len()])
                    .map(|(switch, port)| far_port(switch, Some(port)))
                    .collect(),
                Vec::new(),
            ),
            EscapeNetwork::Tree(hangs) => (
                hangs.iter().map(|one| one.0).collect(),
                hangs.iter().map(|one| one.1.map_or(0, |port| port.0.into())).collect(),
                hangs.iter().map(|one| far_port(one.0, one.1)).collect(),
                hangs.iter().map(|one| one.2).collect(),
            ),
        };
    let mut places = vec![0; df.switch_numbers() as usize];
    for (place, switch) in (0_u32..).zip(&switches) {
        if let Some(own) = places.get_mut(switch.as_usize()) {
            *own = place;
        }
    }
    let mut payload = vec![
        network.kind() as u8,
        rules.local_channels,
        rules.global_channels,
        rules.local_percent.source,
        rules.local_percent.middle,
        rules.local_percent.destination,
        rules.global_percent,
        rules.flags(),
        rules.bubble,
        rules.throttle_percent,
        rules.most_entries,
    ];
    payload.extend(Some(rules.least_percent).filter(|&percent| percent > 0));
    // Values that do not fit are cut off, and refused when they are read.
    let fits = |width: u32, value: u32| value & ((1 << width) - 1);
    append(&mut payload, widths.place, places.into_iter().map(|v| fits(widths.place, v)));
    let numbers = switches.iter().map(|switch| fits(widths.switch, switch.0.into()));
    append(&mut payload, widths.switch, numbers);
    append(&mut payload, widths.port, onward.into_iter().map(|v| fits(widths.port, v)));
    append(&mut payload, widths.port, backward.into_iter().map(|v| fits(widths.port, v)));
    append(&mut payload, widths.place, below.into_iter().map(|v| fits(widths.place, v)));
    image_of(ImageKind::Escape, fabric, &payload)
}
