//! Writes a fault image: the dead parts as plain lists, and their bytes.

use crate::fault_image::{Faults, LocalLink, Widths, pair_number};
use crate::frame::{self, DRAINING};
use crate::image_kind::ImageKind;
use crate::{End, FabricImage, SwitchId};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// The dead, or drained, parts of a fabric.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultSet {
    /// Switches, with all their cables and links.
    pub switches: BTreeSet<SwitchId>,
    /// Cables between groups, each by either end.
    pub cables: BTreeSet<End>,
    /// Links within groups.
    pub local_links: BTreeSet<LocalLink>,
    /// Whether these parts are drained: no path over them is drawn, but they work, and packets in transit still cross
    /// them if they have no other way. So adding and removing parts loses no packet.
    pub is_draining: bool,
}

impl FaultSet {
    /// Adds the parts of another set. The result is drained if one of the two is.
    pub fn add(&mut self, other: Self) {
        self.switches.extend(other.switches);
        self.cables.extend(other.cables);
        self.local_links.extend(other.local_links);
        self.is_draining |= other.is_draining;
    }

    /// Nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.switches.is_empty() && self.cables.is_empty() && self.local_links.is_empty()
    }
}

/// Writes a fault image of a fabric. A cable or link of a dead switch is dead with it and not listed, so that the same
/// dead parts give the same bytes.
///
/// # Panics
/// If a switch, cable or link does not belong to the fabric's plan.
pub fn encode_fault_image(fabric: &FabricImage<'_>, epoch: u32, faults: &FaultSet) -> Vec<u8> {
    let df = fabric.dragonfly();
    let widths = Widths::of(df, fabric.cable_count());
    let lives = |switch: SwitchId| !faults.switches.contains(&switch);
    let lives_at = |end: End| lives(df.switch(end.group, df.split_port(end.port).0));
    let mut cables: Vec<u32> = Vec::new();
    for &end in &faults.cables {
        let peer = fabric.peer(end).expect("a dead cable is one of the plan");
        if lives_at(end) && lives_at(peer) {
            cables.extend(fabric.cable_number(end));
        }
    }
    cables.sort_unstable();
    cables.dedup();
    let links: Vec<LocalLink> = faults
        .local_links
        .iter()
        .copied()
        .filter(|link| lives(link.low) && lives(df.switch(df.place(link.low).0, link.high)))
        .collect();
    let count = |len: usize| u32::try_from(len).expect("the limits of a Dragonfly keep it below");
    let counts = [faults.switches.len(), cables.len(), links.len()].map(count);
    let mut payload = postcard::to_extend(&(epoch, counts), Vec::new())
        .expect("plain numbers into a vector that grows");
    let switches = faults.switches.iter().map(|switch| u32::from(switch.0));
    crate::packed::append(&mut payload, widths.switch, switches);
    crate::packed::append(&mut payload, widths.cable, cables);
    let pairs = links.iter().map(|link| pair_number(df, link.low, link.high));
    crate::packed::append(&mut payload, widths.switch + widths.index, pairs);
    let numbers = links.iter().map(|link| link.number.into());
    crate::packed::append(&mut payload, widths.local_number, numbers);
    let parts = if faults.is_draining { DRAINING } else { 0 };
    let bytes = frame::close((ImageKind::Faults, parts), fabric.identity(), &payload);
    assert!(
        Faults::decode(&bytes, &fabric.plan()).err().is_none_or(|error| error.is_left_out()),
        "what is dead is of the plan"
    );
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drained_in_one_of_two_sets_is_drained_in_both_together() {
        let set = |switch: u16, is_draining| FaultSet {
            switches: [SwitchId(switch)].into(),
            is_draining,
            ..FaultSet::default()
        };
        for (one, other) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut both = set(3, one);
            both.add(set(5, other));
            assert_eq!(both.switches, [SwitchId(3), SwitchId(5)].into());
            assert_eq!(both.is_draining, one || other, "{one} {other}");
        }
    }
}
