//! Joins rows: which switches there are, and where each jack leads.

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
/// The most groups that the addresses of a Slingshot network can distinguish.
const MOST_ADDRESSED_GROUPS: usize = 512;
const MOST_ADDRESSED_SWITCHES: usize = 32;

/// The contents of a row.
#[derive(Clone, Copy)]
pub(super) enum PlannedCable {
    /// Between one or two jacks at each end.
    Fabric { ends: [CableEnd; 2], groups: [u32; 2] },
    /// From a jack to the interfaces at its two ports.
    Edge { from: (SwitchName, u16), group: u32, interfaces: [Option<NicName>; 2] },
}

/// The jacks at an end of a cable.
pub(super) type CableEnd = ((SwitchName, u16), Option<(SwitchName, u16)>);

/// How the ports are joined of a cable that has two jacks at both ends. A cable of one jack at one end and two at the
/// other joins port 0 of the one with port 0 of the first, and its port 1 with port 0 of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwoJacks {
    /// Port n of the first jack with port n of the first, and of the second with the second.
    Straight,
    /// Port 0 of either jack with the first jack of the other end, and port 1 with the second, at port 0 from the
    /// first jack and at port 1 from the second.
    Crossed,
}

impl TwoJacks {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Straight, Self::Crossed];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Straight => "straight",
            Self::Crossed => "crossed",
        }
    }
}

/// A jack of a switch by the switch's number.
type Jack = (u32, u16);

/// A port of a jack.
type JackPort = (Jack, u32);

/// Where the jacks of a row lead.
#[derive(Clone, PartialEq, Eq)]
enum Ends {
    /// The links of a cable in their order, the lower end of each first.
    Fabric(Vec<[JackPort; 2]>),
    Edge(Jack, [Option<NicName>; 2]),
}

impl Ends {
    /// The jacks at the switches of the plan, each once.
    fn jacks(&self) -> Vec<Jack> {
        let mut jacks = match self {
            Self::Fabric(links) => links.iter().flatten().map(|(jack, _)| *jack).collect(),
            Self::Edge(jack, _) => vec![*jack],
        };
        jacks.sort_unstable();
        jacks.dedup();
        jacks
    }
}

/// The links of a cable between these jacks.
fn links_of(ends: [(Jack, Option<Jack>); 2], rule: TwoJacks) -> Vec<[JackPort; 2]> {
    let mut links = match ends {
        [(from, None), (to, None)] => straight(from, to),
        [(from, None), (to, Some(other))] => vec![[(from, 0), (to, 0)], [(from, 1), (other, 0)]],
        [(from, Some(other)), (to, None)] => vec![[(from, 0), (to, 0)], [(other, 0), (to, 1)]],
        [(from, Some(from_other)), (to, Some(to_other))] => match rule {
            TwoJacks::Straight => [straight(from, to), straight(from_other, to_other)].concat(),
            TwoJacks::Crossed => vec![
                [(from, 0), (to, 0)],
                [(from, 1), (to_other, 0)],
                [(from_other, 0), (to, 1)],
                [(from_other, 1), (to_other, 1)],
            ],
        },
    };
    for link in &mut links {
        link.sort_unstable();
    }
    links.sort_unstable();
    links
}

/// Port 0 with port 0, and port 1 with port 1.
fn straight(from: Jack, to: Jack) -> Vec<[JackPort; 2]> {
    vec![[(from, 0), (to, 0)], [(from, 1), (to, 1)]]
}

struct CableRow {
    file: u16,
    line: u32,
    ends: Ends,
}

struct PlannedSwitch {
    name: SwitchName,
    group: u32,
    /// The place of its first mention.
    file: u16,
    line: u32,
    /// Its jacks in use, each with the number of its row.
    jacks: Vec<(u16, u32)>,
}

/// All rows so far.
#[derive(Default)]
pub(super) struct Plan {
    /// How cables with two jacks at an end are joined, and how many there are.
    two_jacks: Option<(TwoJacks, usize)>,
    files: Vec<String>,
    rows: Vec<CableRow>,
    switches: Vec<PlannedSwitch>,
    by_name: HashMap<SwitchName, u32>,
    /// Lines among the rows that begin with `#`.
    pub(super) comments: usize,
    /// Rows whose id says that the cable was not made from the plan.
    by_hand: usize,
    without_cable: usize,
    /// Rows that another file has too.
    repeated: NameSample,
}

impl Plan {
    /// Without rows. Those with two jacks at an end are read by this rule, or refused.
    pub(super) fn by(rule: Option<TwoJacks>) -> Self {
        Self { two_jacks: rule.map(|rule| (rule, 0)), ..Self::default() }
    }

    /// Whether rows may have two jacks at an end.
    pub(super) const fn takes_two_jacks(&self) -> bool {
        self.two_jacks.is_some()
    }

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
            PlannedCable::Fabric { ends, groups } => self.fabric(ends, groups, (file, line))?,
            PlannedCable::Edge { from, group, interfaces } => {
                Ends::Edge((self.switch(from.0, group, file, line)?, from.1), interfaces)
            }
        };
        let row = CableRow { file, line, ends };
        let (own, number) = (row.ends.jacks(), count(self.rows.len()));
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

    /// Where a cable between switches leads.
    fn fabric(
        &mut self,
        ends: [CableEnd; 2],
        groups: [u32; 2],
        (file, line): (u16, u32),
    ) -> Result<Ends, Refused> {
        let mut jacks = [((0, 0), None); 2];
        for ((numbered, (first, second)), group) in jacks.iter_mut().zip(ends).zip(groups) {
            let mut number = |(name, jack)| Ok((self.switch(name, group, file, line)?, jack));
            *numbered = (number(first)?, second.map(&mut number).transpose()?);
        }
        let rule = match &mut self.two_jacks {
            Some((rule, rows)) => {
                *rows += usize::from(ends.iter().any(|(_, second)| second.is_some()));
                *rule
            }
            None => TwoJacks::Straight,
        };
        let links = links_of(jacks, rule);
        if let Some([(jack, _), _]) = links.iter().find(|[one, other]| one.0.0 == other.0.0) {
            let name = self.switches[jack.0 as usize].name;
            let found = format!("both ends are jacks of the switch {name}");
            let refused = Refused::new(found, "two different switches");
            return Err(refused.at(self.place(file, line)));
        }
        Ok(Ends::Fabric(links))
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
            Ends::Fabric(links) => {
                let far = links.iter().filter_map(|[one, other]| match jack {
                    _ if one.0 == jack => Some(self.jack_name(other.0)),
                    _ if other.0 == jack => Some(self.jack_name(one.0)),
                    _ => None,
                });
                let mut names: Vec<String> = far.collect();
                names.dedup();
                names.join(" and ")
            }
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
            match &row.ends {
                Ends::Fabric(links) => {
                    let end =
                        |((switch, jack), port)| LinkEnd { switch, port: port_of(jack, port) };
                    machine
                        .links
                        .extend(links.iter().map(|link| SwitchLink { ends: link.map(end) }));
                }
                Ends::Edge(jack, interfaces) => {
                    let is_same = interfaces[0] == interfaces[1];
                    if is_same {
                        same.push(|| self.jack_name(*jack));
                    }
                    for (port, interface) in (0..).zip(interfaces) {
                        match interface {
                            Some(name) if port == 0 || !is_same => machine.nodes.push(Node {
                                switch: jack.0,
                                port: port_of(jack.1, port),
                                name: machine.node_names.push(name),
                            }),
                            Some(_) => {}
                            None => dark.push(|| format!("{}p{port}", self.jack_name(*jack))),
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
        let groups = |links: &[[JackPort; 2]]| {
            links[0].map(|((switch, _), _)| machine.switches[switch as usize].group)
        };
        let of_cables = self.rows.iter().filter_map(|row| match &row.ends {
            Ends::Fabric(links) => Some(groups(links)),
            Ends::Edge(..) => None,
        });
        let (local, global): (Vec<_>, Vec<_>) = of_cables.partition(|[one, other]| one == other);
        let (local, global) = (local.len(), global.len());
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
        if let Some((rule, rows @ 1..)) = self.two_jacks {
            let joined = match rule {
                TwoJacks::Straight => {
                    "from the first jack to the first, and from the second to the second"
                }
                TwoJacks::Crossed => "from each jack of one end to each of the other",
            };
            assumed.push(format!(
                "Rows with two jacks at both ends are joined as you stated, {}: two links {joined}. A row with two at one \
                 end is a link from port 0 and one from port 1 of the jack at the other, to port 0 of either ({rows} in \
                 all).",
                rule.name()
            ));
        }
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

    /// Whether a switch belongs to a blade or to a rack; `None` if its jacks do not tell.
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

/// Warns of parts that the addresses of a Slingshot network cannot distinguish.
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
