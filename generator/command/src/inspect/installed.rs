//! An update that is installed, as `inspect` shows it.

use crate::failure::Failure;
use std::fmt::{self, Display, Formatter};
use std::path::Path;
use tvlb_firmware_model::Switch;
use tvlb_schema::{End, FabricImage, Port};
use tvlb_table_set::names::NamedSwitch;
use tvlb_table_set::{TableSet, Update, UpdateRecord};

/// An update and its fault image.
pub(super) struct InspectedUpdate {
    pub(super) update: Update,
    pub(super) faults: Vec<u8>,
}

impl InspectedUpdate {
    /// Reads the update in a directory.
    pub(super) fn open(directory: &Path, set: &TableSet) -> Result<Self, Failure> {
        let update = Update::open(directory, set).map_err(Failure::of)?;
        let faults = update.faults().map_err(Failure::of)?;
        Ok(Self { update, faults })
    }

    /// The fabric with what is dead.
    pub(super) fn fabric<'a>(&'a self, plan: &FabricImage<'a>) -> Result<FabricImage<'a>, Failure> {
        let mut fabric = *plan;
        fabric.install_faults(&self.faults).map_err(|error| self.in_file(&error))?;
        Ok(fabric)
    }

    pub(super) fn in_file(&self, error: &dyn Display) -> Failure {
        Failure::Message(format!("{}: {error}", self.update.faults_path().display()))
    }
}

/// What an update says, in a few lines.
pub(super) struct UpdateReport<'a> {
    pub(super) record: &'a UpdateRecord,
    pub(super) fabric: &'a FabricImage<'a>,
    pub(super) switches: Vec<NamedSwitch>,
    pub(super) bytes: usize,
}

impl Display for UpdateReport<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { record, fabric, switches, bytes } = self;
        let dead = [
            ("switch", "switches", fabric.dead_switches().count()),
            ("global link", "global links", fabric.dead_cables().count()),
            ("local link", "local links", fabric.dead_local_links().count()),
        ];
        let dead: Vec<String> = dead
            .into_iter()
            .filter(|(_, _, count)| *count > 0)
            .map(|(one, many, count)| format!("{count} {}", if count == 1 { one } else { many }))
            .collect();
        let dead = if dead.is_empty() { "nothing".to_owned() } else { dead.join(", ") };
        writeln!(
            f,
            "update      epoch {}, fault image of {bytes} bytes; {}: {dead}",
            record.epoch,
            if fabric.is_draining() { "drained" } else { "dead" }
        )?;
        let numbers: Vec<String> = switches.iter().map(ToString::to_string).collect();
        match numbers.as_slice() {
            [] => writeln!(f, "replaces    no switch image"),
            [one] => writeln!(f, "replaces    the image of switch {one}"),
            many => writeln!(
                f,
                "replaces    the images of {} switches: {}",
                many.len(),
                many.join(", ")
            ),
        }
    }
}

/// Whether the link at a port, its far switch, or the switch itself is dead.
pub(super) fn is_dead(switch: &Switch<'_>, port: Port) -> bool {
    let image = switch.image();
    let (fabric, here) = (image.fabric(), image.index());
    let df = fabric.dragonfly();
    if !fabric.lives(image.switch()) {
        return true;
    }
    if df.is_slot(port) {
        let port = df.global_port(here, port.0 - df.slot_port(0).0);
        let end = End { group: image.group(), port };
        return fabric.peer(end).is_some() && !fabric.has_live_cable(end);
    }
    let Some((other, k)) = df.local_end(image.switches_of_group(), here, port) else {
        return false;
    };
    let group = image.group();
    let planned = fabric.planned_local_links(group, here, other);
    let live = fabric.local_links(group, here, other);
    k < planned && (0..live).all(|n| fabric.nth_live_local_link(group, (here, other), n) != k)
}
