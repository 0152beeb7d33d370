//! `tvlb inspect`: what images say, in words that a person can check against the machine.
//!
//! Reads the written images only, through the datapath that boots from them.

mod installed;
mod page;
mod values;
mod walk;
mod words;

use crate::args::Inspect;
use crate::failure::{Failure, Outcome};
use crate::files::{expect_table_set, outside_table_sets};
use crate::output::{print, print_json, write_file};
use crate::paths::existing_switch;
use installed::{Installed, UpdateReport, is_dead};
use std::fmt::{self, Display, Formatter};
use tvlb_firmware_model::{Scheme, Switch, VlbPaths};
use tvlb_generator::routes::drawn_routes::{DrawnRoute, drawn_routes};
use tvlb_generator::set_grammar::canonical;
use tvlb_generator::table_set::{EscapeEntry, Manifest, TableSet};
use tvlb_generator::topology::names::{Names, PortName};
use tvlb_schema::{
    Decision, Dragonfly, DrawRule, End, FabricImage, GroupId, Level, LocalPercent, MinCandidate,
    OfarRules, Port, SetView, Shape, SwitchImage, SwitchIndex,
};
use values::{PathValues, SwitchValues};
use walk::{Walk, sets_of, vlb_walk};
use words::{Count, second_min};

pub(crate) fn run(arguments: &Inspect) -> Outcome {
    outside_table_sets([("--report", arguments.report.as_deref())])?;
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
    let installed = arguments.update.as_deref().map(|path| Installed::open(path, &set));
    let installed = installed.transpose()?;
    let boot = |number: tvlb_schema::SwitchId| {
        let updated = installed.as_ref().map(|installed| installed.update.switch_image(number));
        let updated = updated.transpose().map_err(Failure::of)?.flatten();
        let path = match (&installed, &updated) {
            (Some(installed), Some(_)) => installed.update.switch_path(number),
            _ => set.switch_path(number),
        };
        let bytes = updated.map_or_else(|| set.switch_image(number).map_err(Failure::of), Ok)?;
        // Checks once more that the image fits the fabric, for a message that names its file.
        let in_file =
            |error: &dyn Display| Failure::Message(format!("{}: {error}", path.display()));
        let image = SwitchImage::decode(&bytes, &fabric).map_err(|error| in_file(&error))?;
        if image.switch() != number {
            return Err(in_file(&format_args!(
                "the image is of switch {}, but its name says switch {number}",
                image.switch()
            )));
        }
        Ok(bytes)
    };
    let df = fabric.dragonfly();
    let names = &read_names(&set, df)?;
    match (arguments.switch, arguments.from, arguments.to) {
        (Some(number), ..) => {
            let number = existing_switch("--switch", number, df)?;
            let bytes = boot(number)?;
            let mut switch = Switch::boot(&fabric_bytes, &bytes).map_err(Failure::of)?;
            if let Some(installed) = &installed {
                let faults = switch.install_faults(&installed.faults);
                faults.map_err(|error| installed.in_file(&error))?;
            }
            if let Some(path) = &arguments.report {
                let page = page::html(&page::Subject {
                    switch: &switch,
                    bytes: [bytes.len(), fabric_bytes.len()],
                    names,
                    fabric: &set.manifest().fabric.name,
                    is_updated: installed.is_some(),
                });
                write_file(path, &page)?;
            }
            if arguments.json {
                return print_json(&SwitchValues::of(&switch, bytes.len(), names));
            }
            print(&SwitchReport { switch: &switch, bytes: bytes.len(), names })
        }
        (None, Some(from), Some(to)) => {
            let from = existing_switch("--from", from, df)?;
            let to = existing_switch("--to", to, df)?;
            let bytes = boot(from)?;
            let switch = Switch::boot(&fabric_bytes, &bytes).map_err(Failure::of)?;
            if arguments.json {
                return print_json(&PathValues::of(&switch, to, arguments.list, names));
            }
            print(&PathReport { switch: &switch, to, list: arguments.list, names })
        }
        _ if arguments.json => match &installed {
            Some(installed) => print_json(installed.update.record()),
            None => print_json(set.manifest()),
        },
        _ => {
            print(&Overview { manifest: set.manifest(), fabric: &fabric, names })?;
            let Some(installed) = &installed else { return Ok(()) };
            print(&UpdateReport {
                record: installed.update.record(),
                fabric: &installed.fabric(&fabric)?,
                switches: installed.update.switches().collect(),
                bytes: installed.faults.len(),
            })
        }
    }
}

/// What the machine calls its parts, if the table set has a list of names.
pub(crate) fn read_names(set: &TableSet, df: &Dragonfly) -> Result<Names, Failure> {
    let Some(text) = set.names_list().map_err(Failure::of)? else { return Ok(Names::default()) };
    Names::read(df, &text)
        .map_err(|error| Failure::Message(format!("{}: {error}", set.names_path().display())))
}

struct Overview<'a> {
    manifest: &'a Manifest,
    fabric: &'a FabricImage<'a>,
    names: &'a Names,
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
            "wiring      {}, {} cables, {} per pair of groups, {} global ports unused",
            fabric.wiring,
            self.fabric.cable_count(),
            match (least, self.fabric.most_links()) {
                (least, most) if least == most => format!("{most}"),
                (least, most) => format!("{least} to {most}"),
            },
            df.port_count() - 2 * self.fabric.cable_count()
        )?;
        writeln!(f, "channels    {virtual_channels}")?;
        for decision in Decision::ALL {
            let entry = sets.get(decision);
            let name = decision.name();
            let min = second_min(entry.min);
            writeln!(
                f,
                "{name:<11} {}; seed {}, {}{min}",
                entry.set,
                entry.seed,
                entry.weighing()
            )?;
        }
        writeln!(
            f,
            "images      fabric image {} bytes; switch images {} bytes (median; {} to {})",
            sizes.fabric, sizes.switch_median, sizes.switch_least, sizes.switch_most
        )?;
        let Some(EscapeEntry { network, found_by, rules, file }) = &self.manifest.escape else {
            return Ok(());
        };
        let OfarRules { local_channels, global_channels, local_percent, global_percent, .. } =
            rules;
        let OfarRules { strict, by_set, by_length, bubble, .. } = rules;
        let OfarRules { throttle_percent, most_entries, .. } = rules;
        writeln!(f, "escape      {network}, {found_by}; escape image {} bytes", file.bytes)?;
        writeln!(
            f,
            "per hop     {local_channels} and {global_channels} canonical channels; misroutes at {} \
             and {global_percent}%{}{}{}; bubble {bubble}, throttle {throttle_percent}%, at most {most_entries} \
             entries",
            local_percent_in_words(*local_percent),
            if *strict { ", strictly" } else { "" },
            if *by_set { ", by the set" } else { "" },
            if *by_length { ", by length" } else { "" },
        )
    }
}

fn local_percent_in_words(percent: LocalPercent) -> String {
    let LocalPercent { source, middle, destination } = percent;
    if percent == LocalPercent::all(source) {
        return format!("{source}%");
    }
    format!(
        "{source}% in the source's group, {middle}% between, {destination}% in the destination's"
    )
}

struct SwitchReport<'a> {
    switch: &'a Switch<'a>,
    bytes: usize,
    names: &'a Names,
}

impl Display for SwitchReport<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let image = self.switch.image();
        let df = image.fabric().dragonfly();
        let place = Place(image.group(), image.index());
        let (number, names) = (image.switch(), self.names);
        let own = names.after(number);
        writeln!(f, "switch {number}{own} is {place}; image of {} bytes", self.bytes)?;
        writeln!(f, "\nport  leads to")?;
        for number in 0..df.radix() {
            let port = Port(u16::try_from(number).map_err(|_| fmt::Error)?);
            write!(f, "{number:>4}  ")?;
            if let Some(node) = names.node_at(df, image.switch(), port) {
                write!(f, "node {node}")?;
            } else if let Some((group, index)) = self.switch.neighbour(port) {
                write!(f, "{}{}", Place(group, index), names.after(df.switch(group, index)))?;
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
            writeln!(f)?;
        }
        let channels = image.virtual_channels();
        writeln!(
            f,
            "\nvirtual channels: {}; {} for MIN, VLB and UGAL; {} for PAR",
            channels.name(),
            Count(self.switch.channels_needed(Scheme::UgalL)),
            Count(self.switch.channels_needed(Scheme::Par))
        )?;
        let of_sets = |scheme| self.switch.channels_needed_for(scheme, VlbPaths::Custom);
        let all = |scheme| self.switch.channels_needed(scheme);
        if [Scheme::UgalL, Scheme::Par].into_iter().any(|scheme| of_sets(scheme) != all(scheme)) {
            writeln!(
                f,
                "where no packet draws conventionally: {}; {} for PAR",
                Count(of_sets(Scheme::UgalL)),
                Count(of_sets(Scheme::Par))
            )?;
        }
        let others = df.switch_count() - image.switches_of_group();
        for (number, decisions) in sets_of(image) {
            let set = image.set(decisions[0]);
            writeln!(f, "\n{}", set_title(image, number, &decisions))?;
            if set.rule().shapes().is_empty() {
                writeln!(f, "no VLB route: packets take MIN where a cable joins the groups")?;
                continue;
            }
            let by_shape = matches!(set.rule().draw, DrawRule::ByShape { .. });
            if by_shape {
                writeln!(f, "shape    kept  weight  destinations of {others} that have it")?;
            } else {
                writeln!(f, "shape    kept")?;
            }
            for shape in set.rule().shapes().iter() {
                let kept = f64::from(set.rule().keep_of(shape).parts()) / 100.0;
                write!(f, "{shape:<5} {kept:>6}%")?;
                if by_shape {
                    let here = df
                        .switches()
                        .filter(|&d| df.place(d).0 != image.group())
                        .filter(|&d| set.shapes_to(d).contains(shape));
                    write!(f, "  {:>6}  {}", set.rule().weight_of(shape), here.count())?;
                }
                writeln!(f)?;
            }
            write_thinning(f, image, set, names)?;
        }
        Ok(())
    }
}

/// Of a set that the switch thins: how much is kept of the routes by each port that is thinned.
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

struct PathReport<'a> {
    switch: &'a Switch<'a>,
    to: tvlb_schema::SwitchId,
    list: bool,
    names: &'a Names,
}

impl Display for PathReport<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let image = self.switch.image();
        let fabric = image.fabric();
        let df = fabric.dragonfly();
        let from = (image.group(), image.index());
        let to = df.place(self.to);
        writeln!(
            f,
            "from switch {}{} ({}) to switch {}{} ({})",
            image.switch(),
            self.names.after(image.switch()),
            Place(from.0, from.1),
            self.to,
            self.names.after(self.to),
            Place(to.0, to.1)
        )?;
        if image.switch() == self.to {
            return writeln!(f, "the same switch: delivered without a hop");
        }
        if from.0 == to.0 {
            writeln!(f, "within one group: MIN is the local link")?;
            return match image.switches_of_group().saturating_sub(2) {
                0 => writeln!(f, "there is no other switch for VLB to go through"),
                1 => writeln!(f, "VLB goes through the one other switch"),
                others => writeln!(f, "VLB goes through any of the {others} others"),
            };
        }
        let links = fabric.link_count(from.0, to.0);
        match links {
            0 => writeln!(f, "\nMIN: none, for no cable joins the groups; packets take VLB")?,
            1 => writeln!(f, "\nMIN: 1 path")?,
            _ => writeln!(f, "\nMIN: {links} paths, one drawn uniformly")?,
        }
        for k in 0..links {
            let (x, z) = fabric.link(from.0, to.0, k).ok_or(fmt::Error)?;
            let mut walk = Walk::from(df, self.names, from);
            walk.local(df.split_port(x).0);
            walk.global(to.0, df.split_port(z).0);
            walk.local(to.1);
            writeln!(f, "  {}", walk.text)?;
        }
        for (number, decisions) in sets_of(image) {
            let set = image.set(decisions[0]);
            let routes = drawn_routes(self.switch, decisions[0], self.to);
            writeln!(f, "\n{}", set_title(image, number, &decisions))?;
            if routes.is_empty() {
                let instead = if links > 0 { "MIN" } else { "any VLB path" };
                writeln!(f, "no route is kept: packets take {instead}")?;
                continue;
            }
            let count = |shape: Shape| routes.iter().filter(|route| route.shape == shape).count();
            let share = |shape: Shape| -> f64 {
                routes.iter().filter(|route| route.shape == shape).map(|route| route.share).sum()
            };
            writeln!(f, "shape  hops  routes  share of draws")?;
            for shape in set.rule().shapes().iter().filter(|&s| count(s) > 0) {
                let (hops, share) = (shape.hops(), 100.0 * share(shape));
                writeln!(f, "{shape:<5}  {hops:>4}  {:>6}  {share:>13.2}%", count(shape))?;
            }
            let mean: f64 = Shape::all().map(|s| f64::from(s.hops()) * share(s)).sum();
            let noun = if routes.len() == 1 { "route" } else { "routes" };
            writeln!(f, "{} {noun}, {mean:.3} mean hops of a draw", routes.len())?;
            if self.list {
                for DrawnRoute { shape, route, .. } in &routes {
                    writeln!(f, "  {shape}  {}", vlb_walk(fabric, from, to, *route, self.names))?;
                }
            }
        }
        Ok(())
    }
}

fn set_title(image: &SwitchImage<'_>, number: usize, decisions: &[Decision]) -> String {
    let rule = image.set(decisions[0]).rule();
    let users: Vec<String> = decisions
        .iter()
        .map(|&d| {
            let min =
                if d == Decision::ParSecond { image.second_min() } else { MinCandidate::Kept };
            format!("{} ({}{})", d.name(), image.weighing(d), second_min(min))
        })
        .collect();
    let thinned = if image.set(decisions[0]).is_thinned() { "; thinned" } else { "" };
    let (users, rule_text) = (users.join(", "), canonical(rule));
    format!("set {number} for {users}: {rule_text}; seed {}{thinned}", rule.seed)
}

struct Place(GroupId, SwitchIndex);

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "group {}, switch {}", self.0, self.1)
    }
}
