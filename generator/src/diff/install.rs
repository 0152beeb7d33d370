//! How switches that run with one table set can take another, according to the datapath.

use super::change::Change;
use super::matched::Matched;
use super::tables::DiffTables;
use super::terms::{self, LeastMachine, Needs};
use serde::Serialize;
use tvlb_firmware_model::Switch;
use tvlb_schema::{FabricImage, FaultSet, encode_fault_image};
use tvlb_table_set::dead_parts::not_in;

/// How switches that have one table set can take another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Install {
    /// No image differs.
    Nothing,
    /// So many switches take a new image, each at any time, while packets fly.
    WhilePacketsFly { switches: usize, needs: Needs },
    /// While packets fly, in up to four steps. All switches take an update of the old set that drains the parts that
    /// go; the packets that were under way arrive; all take the new set, with an update that drains the new parts; all
    /// take an update that lists nothing.
    InSteps {
        /// How many switches have the new set.
        switches: usize,
        gone: PartCounts,
        /// The most cycles that packets need to arrive while nodes send no others; 0 if no part goes, so that there is
        /// no wait.
        wait_cycles: u64,
        new: PartCounts,
        needs: Needs,
    },
    /// So many switches boot, with no packet under way.
    Boot {
        switches: usize,
        /// Why they cannot take their images while they run.
        because: String,
    },
}

/// How many parts an update lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PartCounts {
    pub switches: usize,
    pub cables: usize,
    pub local_links: usize,
}

impl PartCounts {
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

/// Asks the switches of the old set about the images of the new one.
pub(super) fn install(
    both: Change<&DiffTables>,
    fabrics: Change<&FabricImage<'_>>,
    booted: Change<&[Switch<'_>]>,
    matched: &Matched,
) -> Install {
    let switches = both.new.switch_count();
    let boot = |because| Install::Boot { switches, because };
    if matched.switches().any(|switch| switch.is_change()) {
        return boot("switches have other numbers".to_owned());
    }
    let machine = LeastMachine::of(booted.old);
    if both.old.fabric == both.new.fabric {
        return on_the_same_fabric(both, booted, &machine).unwrap_or_else(boot);
    }
    let listed = not_in(fabrics.old, fabrics.new)
        .and_then(|gone| Ok(Change { old: gone, new: not_in(fabrics.new, fabrics.old)? }));
    let listed = match listed {
        Err(error) => return boot(error.to_string()),
        Ok(listed) => listed,
    };
    match takes(fabrics, booted, &listed) {
        Err(because) => boot(because),
        Ok(()) => Install::InSteps {
            switches,
            gone: PartCounts::of(&listed.old),
            wait_cycles: if listed.old.is_empty() {
                0
            } else {
                terms::drained_after(&both.old.manifest.fabric, fabrics.old, booted.old)
            },
            new: PartCounts::of(&listed.new),
            needs: machine.needs(booted.new),
        },
    }
}

/// The answers of the switches one by one, or why one of them cannot take its new image.
fn on_the_same_fabric(
    both: Change<&DiffTables>,
    booted: Change<&[Switch<'_>]>,
    machine: &LeastMachine,
) -> Result<Install, String> {
    let mut switches = 0;
    let images = both.old.switches.iter().zip(&both.new.switches);
    for ((old, new), images) in booted.old.iter().zip(booted.new).zip(images) {
        if images.0 != images.1 {
            switches += 1;
            old.check_replacement(new).map_err(|error| error.to_string())?;
        }
    }
    Ok(match switches {
        0 => Install::Nothing,
        _ => Install::WhilePacketsFly { switches, needs: machine.needs(booted.new) },
    })
}

/// Whether a switch of both fabrics, whose update drains the parts that go, takes its new image with an update that
/// drains the new parts. The answer is the same for all switches with the same assignment of virtual channels;
/// [`LeastMachine::needs`] asks each what its sets need.
fn takes(
    fabrics: Change<&FabricImage<'_>>,
    booted: Change<&[Switch<'_>]>,
    listed: &Change<FaultSet>,
) -> Result<(), String> {
    let updates = Change {
        old: encode_fault_image(fabrics.old, 1, &listed.old),
        new: encode_fault_image(fabrics.new, 1, &listed.new),
    };
    let of = |switch: &Switch<'_>| switch.image().switch();
    let mut asked = None;
    for old in booted.old {
        let Ok(at) = booted.new.binary_search_by_key(&of(old), of) else { continue };
        let new = &booted.new[at];
        let assignments = [old, new].map(|switch| switch.image().virtual_channels());
        if asked.replace(assignments) == Some(assignments) {
            continue;
        }
        let (mut old, mut new) = (old.clone(), new.clone());
        old.install_faults(&updates.old)
            .and_then(|()| new.install_faults(&updates.new))
            .and_then(|()| old.check_replacement(&new))
            .map_err(|error| error.to_string())?;
    }
    match asked {
        Some(_) => Ok(()),
        None => Err("no switch is in both fabrics".to_owned()),
    }
}
