//! `tvlb inspect`: the contents of images, in words that a person can check against the machine.
//!
//! Reads only the images, through the datapath that boots from them.

mod installed;
mod pair;
mod values;
mod words;

use crate::args::InspectOptions;
use crate::failure::{Failure, Outcome};
use crate::files::{expect_table_set, read_names, switch};
use crate::output::{print, print_format, print_json};
use installed::{InspectedUpdate, UpdateReport, is_dead};
use pair::PairPaths;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use tvlb_base::row;
use tvlb_base::table::{Column, Table};
use tvlb_firmware_model::Switch;
use tvlb_generator::counted::counted;
use tvlb_schema::{
    Decision, End, FabricImage, Level, Port, SetView, SwitchId, SwitchImage, WindowLimits,
};
use tvlb_table_set::names::{Names, Parts, PortName};
use tvlb_table_set::{Manifest, TableSet};
use values::SwitchValues;
use words::{ChannelsNeeded, SwitchPlace, second_min, set_title, sets_of};

pub(crate) fn run(arguments: &InspectOptions) -> Outcome {
    expect_table_set(&arguments.directory)?;
    let set = TableSet::open(&arguments.directory).map_err(Failure::of)?;
    let fabric_bytes = set.fabric_image().map_err(Failure::of)?;
    let fabric = FabricImage::decode(&fabric_bytes)
        .map_err(|error| Failure::Message(format!("{}: {error}", set.fabric_path().display())))?;
    let (identity, listed) =
        (format!("{:016x}", fabric.identity()), &set.manifest().fabric_identity);
    if identity != *listed {
        return Err(Failure::Message(format!(
            "{}: its fabric identity is {identity}, but the manifest says {listed}; \
             they are of different fabrics",
            set.fabric_path().display()
        )));
    }
    let installed = arguments.update.as_deref().map(|path| InspectedUpdate::open(path, &set));
    let installed = installed.transpose()?;
    let boot = |number: SwitchId| image_of(number, &set, installed.as_ref(), &fabric);
    let df = fabric.dragonfly();
    let names = &read_names(&set, df)?;
    let parts = Parts::new(df, names);
    match (&arguments.switch, &arguments.from, &arguments.to) {
        (Some(text), ..) => {
            let bytes = boot(switch("--switch", text, &parts)?)?;
            let mut switch = Switch::boot(&fabric_bytes, &bytes).map_err(Failure::of)?;
            if let Some(installed) = &installed {
                let faults = switch.install_faults(&installed.faults);
                faults.map_err(|error| installed.in_file(&error))?;
            }
            if arguments.json {
                return print_json(&SwitchValues::of(&switch, bytes.len(), names));
            }
            print(&SwitchReport { switch: &switch, bytes: bytes.len(), names })
        }
        (None, Some(from), Some(to)) => {
            let from = switch("--from", from, &parts)?;
            let to = switch("--to", to, &parts)?;
            let bytes = boot(from)?;
            let switch = Switch::boot(&fabric_bytes, &bytes).map_err(Failure::of)?;
            let pair = PairPaths::of(switch.image(), to, arguments.list, names);
            if arguments.json { print_json(&pair.values()) } else { print(&pair) }
        }
        _ if arguments.json => match &installed {
            Some(InspectedUpdate { update, .. }) => {
                print_format(&WithNames::of(update.record(), update.switches(), names))
            }
            None => print_format(&WithNames::of(set.manifest(), df.switches(), names)),
        },
        _ => {
            let mut needed = ChannelsNeeded::default();
            for number in df.switches() {
                let bytes = boot(number)?;
                let switch = Switch::boot_in(&fabric, &bytes).map_err(Failure::of)?;
                needed.include(&switch);
            }
            print(&Overview { manifest: set.manifest(), fabric: &fabric, names, needed })?;
            let Some(installed) = &installed else { return Ok(()) };
            print(&UpdateReport {
                record: installed.update.record(),
                fabric: &installed.fabric(&fabric)?,
                switches: installed.update.switches().map(|switch| names.named(switch)).collect(),
                bytes: installed.faults.len(),
            })
        }
    }
}

/// The image of a switch: from the installed update if that has it.
fn image_of(
    number: SwitchId,
    set: &TableSet,
    installed: Option<&InspectedUpdate>,
    fabric: &FabricImage<'_>,
) -> Result<Vec<u8>, Failure> {
    let updated = installed.map(|installed| installed.update.switch_image(number));
    let updated = updated.transpose().map_err(Failure::of)?.flatten();
    let path = match (installed, &updated) {
        (Some(installed), Some(_)) => installed.update.switch_path(number),
        _ => set.switch_path(number),
    };
    let bytes = updated.map_or_else(|| set.switch_image(number).map_err(Failure::of), Ok)?;
    // Checks again that the image fits the fabric, for a message that names the file.
    let in_file = |error: &dyn Display| Failure::Message(format!("{}: {error}", path.display()));
    let image = SwitchImage::decode(&bytes, fabric).map_err(|error| in_file(&error))?;
    if image.switch() != number {
        return Err(in_file(&format_args!(
            "the image is of switch {}, but its name says switch {number}",
            image.switch()
        )));
    }
    Ok(bytes)
}

/// A record of files, with the names of the switches that have images among them.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct WithNames<'n, T> {
    #[serde(flatten)]
    record: &'n T,
    /// By number, of the switches that have a name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    switch_names: BTreeMap<u16, &'n str>,
}

impl<'n, T> WithNames<'n, T> {
    fn of(record: &'n T, switches: impl Iterator<Item = SwitchId>, names: &'n Names) -> Self {
        let named = switches.filter_map(|switch| Some((switch.0, names.switch(switch)?)));
        Self { record, switch_names: named.collect() }
    }
}

struct Overview<'a> {
    manifest: &'a Manifest,
    fabric: &'a FabricImage<'a>,
    names: &'a Names,
    /// The most that any switch needs, which links must have.
    needed: ChannelsNeeded,
}

impl Overview<'_> {
    /// How many global ports there are; if no switch with nodes has a global cable, those have none.
    fn global_ports(&self) -> u32 {
        let df = self.fabric.dragonfly();
        let ends = self.names.nodes(df).ends();
        let ports = |switch: SwitchId| {
            let (group, index) = df.place(switch);
            (0..df.kind_of(group).h).map(move |slot| End::new(df, group, index, slot))
        };
        let all = || ends.iter().flat_map(ports);
        let is_cabled = all().any(|end| self.fabric.link_behind(end).is_some());
        df.port_count() - if is_cabled { 0 } else { u32::try_from(all().count()).unwrap_or(0) }
    }
}

impl Display for Overview<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Manifest { fabric, sets, sizes, tool_version, virtual_channels, .. } = self.manifest;
        let df = self.fabric.dragonfly();
        writeln!(f, "table set   {}, made by tvlb {tool_version}", fabric.name)?;
        writeln!(
            f,
            "fabric      {df}, {} switches, {} nodes; identity {:016x}",
            df.switch_count(),
            self.names.nodes(df).count(),
            self.fabric.identity()
        )?;
        let pairs =
            || df.groups().flat_map(|i| df.groups().filter(move |&j| i < j).map(move |j| (i, j)));
        let least = pairs().map(|(i, j)| self.fabric.link_count(i, j)).min().unwrap_or(0);
        writeln!(
            f,
            "wiring      {}, {}, {} per pair of groups, {} global ports unused",
            fabric.wiring,
            counted(self.fabric.cable_count().into(), "cable"),
            match (least, self.fabric.most_links()) {
                (least, most) if least == most => format!("{most}"),
                (least, most) => format!("{least} to {most}"),
            },
            self.global_ports() - 2 * self.fabric.cable_count()
        )?;
        if let Some(WindowLimits { delay_cycles, packets }) = fabric.destination_window {
            writeln!(
                f,
                "windows     of {packets} packets from a switch to another, above a mean delay of {delay_cycles} cycles; \
                 only where packets are acknowledged"
            )?;
        }
        if let Some(cycles) = fabric.telling {
            writeln!(
                f,
                "telling     every {cycles} cycles, switches of a group tell each other how full their global ports are; \
                 the sets of UGAL-L are for UGAL by the group"
            )?;
        }
        writeln!(f, "channels    {virtual_channels}; for packets of all switches links need")?;
        writeln!(f, "            {}", self.needed.by_any_path())?;
        writeln!(f, "            and, if no packet draws conventionally,")?;
        writeln!(f, "            {}", self.needed.by_sets())?;
        for decision in Decision::ALL {
            let entry = sets.get(decision);
            let name = decision.name();
            let (weighing, min) = entry.weighs();
            let min = second_min(min);
            writeln!(f, "{name:<11} {}; seed {}, {weighing}{min}", entry.set, entry.seed)?;
        }
        writeln!(
            f,
            "images      fabric image {} bytes; switch images {} bytes (median; {} to {})",
            sizes.fabric, sizes.switch_median, sizes.switch_least, sizes.switch_most
        )
    }
}

struct SwitchReport<'a> {
    switch: &'a Switch<'a>,
    bytes: usize,
    names: &'a Names,
}

impl SwitchReport<'_> {
    fn write_port(&self, f: &mut Formatter<'_>, number: u32) -> fmt::Result {
        let image = self.switch.image();
        let (df, names) = (image.fabric().dragonfly(), self.names);
        let port = Port(u16::try_from(number).map_err(|_| fmt::Error)?);
        write!(f, "{number:>4}  ")?;
        if let Some(node) = names.node_at(df, image.switch(), port) {
            write!(f, "node {node}")?;
        } else if let Some((group, index)) = self.switch.neighbour(port) {
            write!(f, "{}{}", SwitchPlace(group, index), names.after(df.switch(group, index)))?;
            let slot = port.0.checked_sub(df.slot_port(0).0);
            if let Some(end) = slot.and_then(|slot| image.peer(slot)) {
                write!(f, ", global port {}", df.split_port(end.port).1)?;
            }
        } else {
            write!(f, "nothing")?;
        }
        let named = names.port_number(df, image.switch(), port);
        if let Some(PortName { name, .. }) = named {
            write!(f, "; by {name}")?;
        }
        if let Some(physical) = image.physical_number(port) {
            let mark = if named.is_some() { "," } else { ";" };
            write!(f, "{mark} physical port {physical}")?;
        }
        if is_dead(self.switch, port) {
            write!(f, "; dead")?;
        }
        writeln!(f)
    }
}

impl Display for SwitchReport<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let image = self.switch.image();
        let df = image.fabric().dragonfly();
        let place = SwitchPlace(image.group(), image.index());
        let (number, names) = (image.switch(), self.names);
        let own = names.after(number);
        writeln!(f, "switch {number}{own} is {place}; image of {} bytes", self.bytes)?;
        writeln!(f, "\nport  leads to")?;
        for number in 0..df.radix() {
            self.write_port(f, number)?;
        }
        let mut needed = ChannelsNeeded::default();
        needed.include(self.switch);
        let channels = image.virtual_channels().name();
        writeln!(f, "\nvirtual channels: {channels}; {}", needed.by_any_path())?;
        if needed.sets != needed.any_path {
            let fewer = needed.by_sets();
            writeln!(f, "if no packet draws conventionally: {fewer}")?;
            writeln!(f, "(by this switch alone; links need the most of all switches)")?;
        }
        let others = df.switch_count() - image.switches_of_group();
        for (number, decisions) in sets_of(image) {
            let set = image.set(decisions[0]);
            writeln!(f, "\n{}", set_title(image, number, &decisions))?;
            if set.rule().shapes().is_empty() {
                writeln!(f, "no VLB route: packets take MIN if a cable joins the groups")?;
                continue;
            }
            let by_shape = set.rule().is_by_shape();
            let destinations = format!("destinations of {others} that have it");
            let mut table = Table::new(vec![
                Column::words("shape", ""),
                Column::number("kept", 0, ""),
                Column::number("weight", 0, ""),
                Column::number(&destinations, 0, ""),
            ]);
            for shape in set.rule().shapes().iter() {
                let kept = f64::from(set.rule().keep_of(shape).parts()) / 100.0;
                let has = |&d: &SwitchId| set.shapes_to(d).contains(shape);
                let here = df.switches().filter(|&d| df.place(d).0 != image.group()).filter(has);
                table.push(row![
                    shape.to_string(),
                    format!("{kept}%"),
                    by_shape.then(|| set.rule().weight_of(shape)),
                    by_shape.then(|| here.count()),
                ]);
            }
            write!(f, "{table}")?;
            write_thinning(f, image, set, names)?;
        }
        Ok(())
    }
}

/// For a thinned set, how many of the routes are kept at each thinned port.
fn write_thinning(
    f: &mut Formatter<'_>,
    image: &SwitchImage<'_>,
    set: &SetView<'_>,
    names: &Names,
) -> fmt::Result {
    if !set.is_thinned() {
        return Ok(());
    }
    let df = image.fabric().dragonfly();
    writeln!(f, "of these by first global link:")?;
    for x in df.global_ports().filter(|&x| set.level(x) != Level::ALL) {
        let end = End { group: image.group(), port: x };
        let kept = f64::from(set.level(x).number() + 1) / 0.16;
        write!(f, "  {kept:>6.2}%  by {}", names.end_in_words(df, end))?;
        match image.fabric().peer(end) {
            Some(End { group, .. }) => {
                writeln!(f, ", to group {group}{}", names.after_group(group))?;
            }
            None => writeln!(f, ", which has no cable")?,
        }
    }
    writeln!(f, "  all by the others")
}
