//! How switches that run with one table set can take another: what the datapath says when it is asked.

use super::change::Change;
use super::matched::Matched;
use super::tables::Tables;
use serde::Serialize;
use tvlb_firmware_model::Switch;
use tvlb_schema::{FabricImage, FaultSet, encode_fault_image};
use tvlb_table_set::dead_parts::not_in;

/// How switches that have one table set can take another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Install {
    /// No image differs.
    Nothing,
    /// So many switches take a new image, each when it likes, while packets fly.
    WhilePacketsFly { switches: usize },
    /// While packets fly, in up to three steps. All switches take an update of the old set that drains what is gone;
    /// all take the new set, with an update that drains what is new; all take an update that lists nothing.
    InSteps {
        /// How many switches have the new set.
        switches: usize,
        gone: Listed,
        new: Listed,
    },
    /// So many switches boot, with no packet under way.
    Boot {
        switches: usize,
        /// Why they cannot take their images as they run.
        because: String,
    },
}

/// How many parts an update lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Listed {
    pub switches: usize,
    pub cables: usize,
    pub local_links: usize,
}

impl Listed {
    fn of(parts: &FaultSet) -> Self {
        Self {
            switches: parts.switches.len(),
            cables: parts.cables.len(),
            local_links: parts.local_links.len(),
        }
    }

    /// Whether there is nothing to list.
    pub const fn is_empty(self) -> bool {
        self.switches == 0 && self.cables == 0 && self.local_links == 0
    }
}

/// What the switches of the old set say of the images of the new one.
pub(super) fn install(
    both: Change<&Tables>,
    fabrics: Change<&FabricImage<'_>>,
    running: &[Switch<'_>],
    matched: &Matched,
) -> Install {
    let switches = both.new.switch_count();
    let boot = |because| Install::Boot { switches, because };
    if matched.switches().any(|switch| switch.is_change()) {
        return boot("switches have other numbers".to_owned());
    }
    if both.old.fabric == both.new.fabric {
        return on_the_same_fabric(both, running).unwrap_or_else(boot);
    }
    let listed = not_in(fabrics.old, fabrics.new)
        .and_then(|gone| Ok(Change { old: gone, new: not_in(fabrics.new, fabrics.old)? }));
    match listed {
        Err(error) => boot(error.to_string()),
        Ok(listed) => match takes(both, fabrics, running, &listed) {
            Err(because) => boot(because),
            Ok(()) => Install::InSteps {
                switches,
                gone: Listed::of(&listed.old),
                new: Listed::of(&listed.new),
            },
        },
    }
}

/// What the switches say one by one, or why one of them cannot take its new image.
fn on_the_same_fabric(both: Change<&Tables>, running: &[Switch<'_>]) -> Result<Install, String> {
    let mut switches = 0;
    for (switch, images) in running.iter().zip(both.old.switches.iter().zip(&both.new.switches)) {
        if images.0 != images.1 {
            switches += 1;
            let mut switch = switch.clone();
            let taken = switch.replace(&both.new.fabric, images.1, None);
            taken.map_err(|error| error.to_string())?;
        }
    }
    Ok(if switches == 0 { Install::Nothing } else { Install::WhilePacketsFly { switches } })
}

/// Whether a switch that both fabrics have, and whose update drains what is gone, takes its new image with an update
/// that drains what is new. What it is asked is the same for all but their assignment of virtual channels.
fn takes(
    both: Change<&Tables>,
    fabrics: Change<&FabricImage<'_>>,
    running: &[Switch<'_>],
    listed: &Change<FaultSet>,
) -> Result<(), String> {
    let updates = Change {
        old: encode_fault_image(fabrics.old, 1, &listed.old),
        new: encode_fault_image(fabrics.new, 1, &listed.new),
    };
    let of = |switch: &Switch<'_>| switch.image().switch();
    let new_images: Vec<_> = fabrics.new.dragonfly().switches().zip(&both.new.switches).collect();
    let image = |old: &Switch<'_>| {
        let found = new_images.binary_search_by_key(&of(old), |(switch, _)| *switch);
        found.ok().map(|at| new_images[at].1)
    };
    let mut asked = None;
    for old in running {
        let Some(bytes) = image(old) else { continue };
        let new = Switch::boot_in(fabrics.new, bytes).map_err(|error| error.to_string())?;
        let assignments = [old, &new].map(|switch| switch.image().virtual_channels());
        if asked.replace(assignments) == Some(assignments) {
            continue;
        }
        let mut old = old.clone();
        old.install_faults(&updates.old).map_err(|error| error.to_string())?;
        old.replace(&both.new.fabric, bytes, Some(&updates.new))
            .map_err(|error| error.to_string())?;
    }
    match asked {
        Some(_) => Ok(()),
        None => Err("no switch is in both fabrics".to_owned()),
    }
}
