//! Rows put together: which switches there are, and where each jack leads.

use super::jacks::{Enclosure, JackMap};
use super::xname::{NicName, SwitchName};
use crate::files::{MOST_RECORDS, too_many_records};
use crate::machine::{
    ImportedSwitch, LinkEnd, Machine, NameList, Node, Physical, PortNames, SwitchLink, count,
};
use crate::notes::{NameSample, Notes, counted};
use std::collections::HashMap;
use tvlb_base::text::{FilePlace, Refused};

const PORTS_PER_JACK: usize = 2;
/// Ports of a Slingshot switch.
const MOST_PORTS: usize = 64;
/// What the addresses of a Slingshot network can tell apart.
const MOST_ADDRESSED_GROUPS: usize = 512;
const MOST_ADDRESSED_SWITCHES: usize = 32;

/// What a row says.
#[derive(Clone, Copy)]
pub(super) enum PlannedCable {
    /// Between two jacks.
    Fabric { ends: [(SwitchName, u16); 2], groups: [u32; 2] },
    /// From a jack to the interfaces at its two ports.
    Edge { from: (SwitchName, u16), group: u32, interfaces: [Option<NicName>; 2] },
}

/// A jack of a switch by the switch's number.
type Jack = (u32, u16);

/// Where the jacks of a row lead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// The lower jack first.
    Fabric([Jack; 2]),
    Edge(Jack, [Option<NicName>; 2]),
}

struct CableRow {
    file: u16,
    line: u32,
    ends: Ends,
}

struct PlannedSwitch {
    name: SwitchName,
    group: u32,
    /// Where it was named first.
    file: u16,
    line: u32,
    /// Its jacks in use, each with the number of its row.
    jacks: Vec<(u16, u32)>,
}

/// All rows so far.
#[derive(Default)]
pub(super) struct Plan {
    files: Vec<String>,
    rows: Vec<CableRow>,
    switches: Vec<PlannedSwitch>,
    by_name: HashMap<SwitchName, u32>,
    /// Lines among the rows that begin with `#`.
    pub(super) comments: usize,
    /// Rows whose id says that nobody has made the cable from the plan.
    by_hand: usize,
    without_cable: usize,
    /// Rows that another file has too.
    repeated: NameSample,
}

impl Plan {
    /// Begins a file, and returns its number.
    pub(super) fn enter_file(&mut self, name: &str) -> u16 {
        self.files.push(name.to_owned());
        u16::try_from(self.files.len() - 1).unwrap_or(u16::MAX)
    }

    pub(super) fn file(&self, file: u16) -> &str {
        &self.files[usize::from(file)]
    }

    fn place(&self, file: u16, line: u32) -> FilePlace {
        FilePlace { file: self.file(file).into(), line }
    }

    pub(super) fn count_id(&mut self, id: &str) {
        self.by_hand += usize::from(id == "0");
        self.without_cable += usize::from(id.starts_with("l0."));
    }

    pub(super) fn add(&mut self, file: u16, line: u32, cable: PlannedCable) -> Result<(), Refused> {
        if self.rows.len() == MOST_RECORDS {
            return Err(too_many_records().at(self.place(file, line)));
        }
        let ends = match cable {
            PlannedCable::Fabric { ends: [from, to], groups } => {
                if from.0 == to.0 {
                    let found = format!("both ends are jacks of the switch {}", from.0);
                    let refused = Refused::new(found, "two different switches");
                    return Err(refused.at(self.place(file, line)));
                }
                let from = (self.switch(from.0, groups[0], file, line)?, from.1);
                let to = (self.switch(to.0, groups[1], file, line)?, to.1);
                Ends::Fabric([from.min(to), from.max(to)])
            }
            PlannedCable::Edge { from, group, interfaces } => {
                Ends::Edge((self.switch(from.0, group, file, line)?, from.1), interfaces)
            }
        };
        let row = CableRow { file, line, ends };
        let (own, number) = match &row.ends {
            Ends::Fabric(jacks) => (jacks.to_vec(), count(self.rows.len())),
            Ends::Edge(jack, _) => (vec![*jack], count(self.rows.len())),
        };
        for jack in &own {
            let Some(first) = self.row_of(*jack) else { continue };
            if first.ends == row.ends {
                let (place, before) = (self.place(file, line), first.line);
                if first.file == file {
                    let jack = self.jack_name(*jack);
                    let found = format!("the cable at the jack {jack} is on line {before} too");
                    return Err(Refused::new(found, "one row for each cable in a file").at(place));
                }
                let there = self.place(first.file, before);
                self.repeated.push(|| format!("{place} as {there}"));
                return Ok(());
            }
            let found = format!(
                "the jack {} leads to {}, but {} says that it leads to {}",
                self.jack_name(*jack),
                self.partner(&row.ends, *jack),
                self.place(first.file, first.line),
                self.partner(&first.ends, *jack),
            );
            return Err(Refused::new(found, "one row for each jack").at(self.place(file, line)));
        }
        for (switch, jack) in own {
            let planned = &mut self.switches[switch as usize];
            planned.jacks.push((jack, number));
            let (found, name) = (PORTS_PER_JACK * planned.jacks.len(), planned.name);
            if found > MOST_PORTS {
                let found = format!("the switch {name} has {found} ports in use with this row");
                let accepted = format!("at most {MOST_PORTS}, as many as a Slingshot switch has");
                return Err(Refused::new(found, accepted).at(self.place(file, line)));
            }
        }
        self.rows.push(row);
        Ok(())
    }

    /// The number of a switch, which must be in one group.
    fn switch(
        &mut self,
        name: SwitchName,
        group: u32,
        file: u16,
        line: u32,
    ) -> Result<u32, Refused> {
        let next = count(self.switches.len());
        let number = *self.by_name.entry(name).or_insert(next);
        if number == next {
            self.switches.push(PlannedSwitch { name, group, file, line, jacks: Vec::new() });
        }
        let known = &self.switches[number as usize];
        if known.group != group {
            let found = format!(
                "the switch {name} is in group {group}, but {} says that it is in group {}",
                self.place(known.file, known.line),
                known.group
            );
            return Err(Refused::new(found, "one group for each switch").at(self.place(file, line)));
        }
        Ok(number)
    }

    /// The row of a jack in use.
    fn row_of(&self, (switch, jack): Jack) -> Option<&CableRow> {
        let jacks = &self.switches[switch as usize].jacks;
        let (_, row) = jacks.iter().find(|(known, _)| *known == jack)?;
        Some(&self.rows[*row as usize])
    }

    fn jack_name(&self, (switch, jack): Jack) -> String {
        format!("{}j{jack}", self.switches[switch as usize].name)
    }

    /// Where a jack of a row leads, in words.
    fn partner(&self, ends: &Ends, jack: Jack) -> String {
        match ends {
            Ends::Fabric([low, high]) => self.jack_name(if *low == jack { *high } else { *low }),
            Ends::Edge(_, interfaces) => {
                let names: Vec<_> = interfaces.iter().flatten().map(ToString::to_string).collect();
                names.join(" and ")
            }
        }
    }

    /// The machine that the rows describe.
    pub(super) fn into_machine(
        self,
        jack_map: Option<&JackMap>,
    ) -> Result<(Machine, Notes), Refused> {
        self.check_interfaces()?;
        let mut notes = Notes::default();
        let mut numbers: Vec<u32> = self.switches.iter().map(|switch| switch.group).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut order: Vec<usize> = (0..self.switches.len()).collect();
        order.sort_unstable_by_key(|&switch| self.switches[switch].name);
        let mut ranks = vec![0; order.len()];
        for (rank, &switch) in order.iter().enumerate() {
            ranks[switch] = count(rank);
        }
        let switches = self.switches.iter().zip(ranks).map(|(switch, rank)| ImportedSwitch {
            name: switch.name.to_string(),
            group: count(numbers.partition_point(|number| *number < switch.group)),
            rank,
        });
        let mut machine = Machine {
            ports: PortNames::Jacks,
            groups: numbers.iter().map(ToString::to_string).collect(),
            switches: switches.collect(),
            nodes: Vec::new(),
            node_names: NameList::default(),
            links: Vec::new(),
            physical: Physical::Unknown,
            down: Vec::new(),
        };
        let (mut same, mut dark) = (NameSample::default(), NameSample::default());
        for row in &self.rows {
            match row.ends {
                Ends::Fabric(jacks) => machine.links.extend([0, 1].map(|port| SwitchLink {
                    ends: jacks.map(|(switch, jack)| LinkEnd { switch, port: port_of(jack, port) }),
                })),
                Ends::Edge(jack, interfaces) => {
                    let is_same = interfaces[0] == interfaces[1];
                    if is_same {
                        same.push(|| self.jack_name(jack));
                    }
                    for (port, interface) in (0..).zip(interfaces) {
                        match interface {
                            Some(name) if port == 0 || !is_same => machine.nodes.push(Node {
                                switch: jack.0,
                                port: port_of(jack.1, port),
                                name: machine.node_names.push(&name),
                            }),
                            Some(_) => {}
                            None => dark.push(|| format!("{}p{port}", self.jack_name(jack))),
                        }
                    }
                }
            }
        }
        self.say_what_was_read(&machine, &mut notes);
        self.say_what_was_assumed(&same, &dark, &mut notes);
        warn_of_limits(&machine, &mut notes);
        if let Some(map) = jack_map {
            machine.physical = self.physical(map, &machine, &mut notes);
        }
        Ok((machine, notes))
    }

    /// Refuses an interface on two rows.
    fn check_interfaces(&self) -> Result<(), Refused> {
        let mut all: Vec<(NicName, u32)> = Vec::new();
        for (number, row) in (0..).zip(&self.rows) {
            if let Ends::Edge(_, [first, second]) = row.ends {
                all.extend(first.map(|name| (name, number)));
                all.extend(second.filter(|_| first != second).map(|name| (name, number)));
            }
        }
        all.sort_unstable();
        let twice = all.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let Some(pair) = twice.min_by_key(|pair| pair[1].1) else { return Ok(()) };
        let [first, second] = [0, 1].map(|n: usize| &self.rows[pair[n].1 as usize]);
        let first = self.place(first.file, first.line);
        let found = format!("the interface {} is on the row of {first} too", pair[0].0);
        let refused = Refused::new(found, "one row for each interface");
        Err(refused.at(self.place(second.file, second.line)))
    }

    fn say_what_was_read(&self, machine: &Machine, notes: &mut Notes) {
        let local = machine.links.iter().filter(|link| machine.is_local(link)).count() / 2;
        let global = machine.links.len() / 2 - local;
        notes.read = format!(
            "{}, {}: {local} local, {global} global, {} edge",
            counted(self.files.len(), "file", "files"),
            counted(self.rows.len(), "row", "rows"),
            self.rows.len() - local - global,
        );
    }

    fn say_what_was_assumed(&self, same: &NameSample, dark: &NameSample, notes: &mut Notes) {
        let assumed = &mut notes.assumed;
        assumed.push(
            "The plan does not number the switches of a group: they are numbered in the order of \
             cabinet, chassis and slot. This is a convention; the fabric manager may number them \
             otherwise."
                .to_owned(),
        );
        assumed.push(
            "A local or global row is two links, from port 0 of one jack to port 0 of the other, \
             and from port 1 to port 1."
                .to_owned(),
        );
        assumed.push(
            "An edge row joins port 0 of its jack to dst_conn_a, and port 1 to dst_conn_b."
                .to_owned(),
        );
        let mut list = |listed: &NameSample, what: &str| {
            if listed.count() > 0 {
                assumed.push(format!("{what} ({}): {}.", listed.count(), listed.in_words()));
            }
        };
        list(
            same,
            "Edge rows that name one interface twice are one node at port 0, and port 1 is taken to \
             be dark",
        );
        list(dark, "Ports of edge rows without an interface are dark");
        list(&self.repeated, "Rows that repeat what another file says count once");
        let mut count = |number, what: &str| {
            if number > 0 {
                assumed.push(format!("{what} ({number})."));
            }
        };
        count(
            self.by_hand,
            "Rows with the cable_id 0, as cables that someone added by hand have, count like others",
        );
        count(
            self.without_cable,
            "Rows with a cable_id that begins with l0., as connections without a cable have, count \
             like others",
        );
        count(self.comments, "Lines below the header that begin with # were left out");
        assumed.push(
            "Not used: stage, the four egress columns, part_number, part_length, \
             calculated_distance, route, and cable_id, which may repeat."
                .to_owned(),
        );
    }

    /// Whether a switch is one of a blade or of a rack; nothing where its jacks do not tell.
    fn model(&self, switch: &PlannedSwitch) -> Option<Enclosure> {
        let is_edge = |row: u32| matches!(self.rows[row as usize].ends, Ends::Edge(..));
        let is_blade = switch.jacks.iter().any(|(jack, _)| *jack >= 100);
        let is_rack =
            switch.jacks.iter().any(|(jack, row)| *jack < 100 && (*jack > 24 || is_edge(*row)));
        match (is_blade, is_rack) {
            (true, false) => Some(Enclosure::Blade),
            (false, true) => Some(Enclosure::Rack),
            _ => None,
        }
    }

    /// The physical numbers of all ports in use that the map has.
    fn physical(&self, map: &JackMap, machine: &Machine, notes: &mut Notes) -> Physical {
        let models: Vec<_> = self.switches.iter().map(|switch| self.model(switch)).collect();
        let ends = machine.links.iter().flat_map(|link| link.ends);
        let nodes = machine.nodes.iter().map(|&Node { switch, port, .. }| LinkEnd { switch, port });
        let (mut numbers, mut unknown) = (HashMap::new(), NameSample::default());
        for end in ends.chain(nodes) {
            match map.number(models[end.switch as usize], end.port) {
                Some(number) => {
                    numbers.insert(end, number);
                }
                None => unknown.push(|| machine.port_name(end).to_string()),
            }
        }
        notes.assumed.push(
            "A switch with a jack j100 or above is taken for the jack map's model blade; one with \
             a jack j25 to j99, or with a node at a jack below j100, for rack."
                .to_owned(),
        );
        if unknown.count() > 0 {
            notes.warnings.push(format!(
                "The jack map gives no number, or another for each model where the switch's model \
                 is not known, to {}: {}.",
                counted(unknown.count(), "port", "ports"),
                unknown.in_short()
            ));
        }
        Physical::Listed(numbers)
    }
}

fn port_of(jack: u16, port: u32) -> u32 {
    2 * u32::from(jack) + port
}

/// Warns of what the addresses of a Slingshot network cannot tell apart.
fn warn_of_limits(machine: &Machine, notes: &mut Notes) {
    if machine.groups.len() > MOST_ADDRESSED_GROUPS {
        notes.warnings.push(format!(
            "There are {} groups, but the addresses of a Slingshot network tell {} apart.",
            machine.groups.len(),
            MOST_ADDRESSED_GROUPS
        ));
    }
    let mut sizes = vec![0; machine.groups.len()];
    machine.switches.iter().for_each(|switch| sizes[switch.group as usize] += 1);
    let large = sizes.iter().zip(&machine.groups);
    let large = large.filter(|(size, _)| **size > MOST_ADDRESSED_SWITCHES);
    let large = NameSample::of(large.map(|(size, name)| format!("{name} ({size})")));
    if large.count() > 0 {
        notes.warnings.push(format!(
            "Groups of the plan have more than {MOST_ADDRESSED_SWITCHES} switches, which is \
             what the addresses of a Slingshot network tell apart: {}.",
            large.in_short()
        ));
    }
}
