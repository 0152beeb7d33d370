//! The records of a text, in the order of its lines.

use super::network::{Device, PortLine, Record, Subnet};
use super::parse::{self, DumpLine, Role};
use crate::files::{MOST_RECORDS, aries, is_aries, too_many_records};
use crate::machine::count;
use crate::notes::NameSample;
use std::collections::{BTreeMap, HashMap, HashSet};
use tvlb_base::text::{Lines, NamedText, Refused, quoted};
use tvlb_table_set::escaped_controls;

pub(super) fn read_records(source: NamedText<'_>) -> Result<Subnet, Refused> {
    let mut reader = RecordReader::of(source.name());
    let mut lines = Lines::of(source);
    while lines.next_line()?.is_some() {
        let line = lines.line();
        match parse::line(line) {
            Ok(DumpLine::Nothing) => {}
            Ok(DumpLine::Record { kind, id, description }) => {
                let number = reader.number_of(id);
                reader.begin(number, kind, description, &lines)?;
            }
            Ok(DumpLine::Port { port, far, far_port, about, rate }) => {
                let is_router = far.starts_with("R-");
                let far = reader.number_of(far);
                if is_router {
                    reader.routers.entry(far).or_insert_with(|| Record {
                        kind: Role::Router,
                        description: escaped_controls(about.trim()),
                        line: lines.number(),
                    });
                }
                reader.add(port, (far, far_port), rate, &lines)?;
            }
            Err(_) if is_aries(line) => {
                return Err(aries("the output of ibnetdiscover").at(lines.place()));
            }
            Err(accepted) => {
                let found = format!("found {}", quoted(line));
                return Err(Refused::new(found, accepted).at(lines.place()));
            }
        }
    }
    reader.end()
}

/// The records that have been read.
struct RecordReader {
    network: Subnet,
    /// The device of each name.
    numbers: HashMap<String, u32>,
    /// The device to whose record a port's line belongs.
    current: Option<u32>,
    /// Adapters of which a second record has been read.
    repeated: HashSet<u32>,
    /// The first line that leads to each router.
    routers: BTreeMap<u32, Record>,
}

impl RecordReader {
    fn of(file: &str) -> Self {
        let network = Subnet {
            file: file.to_owned(),
            devices: Vec::new(),
            ports: Vec::new(),
            rates: BTreeMap::new(),
            bare_routers: NameSample::default(),
        };
        Self {
            network,
            numbers: HashMap::new(),
            current: None,
            repeated: HashSet::new(),
            routers: BTreeMap::new(),
        }
    }

    /// The device of a name, whether its record has been read or not.
    fn number_of(&mut self, id: &str) -> u32 {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        let number = count(self.network.devices.len());
        self.numbers.insert(id.to_owned(), number);
        self.network.devices.push(Device { id: id.to_owned(), record: None });
        number
    }

    /// Begins the record of a device.
    fn begin(
        &mut self,
        number: u32,
        kind: Role,
        description: String,
        lines: &Lines<'_>,
    ) -> Result<(), Refused> {
        let device = &mut self.network.devices[number as usize];
        self.current = Some(number);
        match &device.record {
            None => device.record = Some(Record { kind, description, line: lines.number() }),
            // With -g the adapters of a chassis are printed with it, and again with all others.
            Some(first) if kind != Role::Switch && first.description == description => {
                self.repeated.insert(number);
            }
            Some(first) => {
                let found = format!("{} has a record on line {} too", device.id, first.line);
                return Err(Refused::new(found, "one record for each").at(lines.place()));
            }
        }
        Ok(())
    }

    /// Adds a port's line to the record.
    fn add(
        &mut self,
        port: u32,
        (far, far_port): (u32, u32),
        rate: &str,
        lines: &Lines<'_>,
    ) -> Result<(), Refused> {
        let Some(device) = self.current else {
            let accepted = "a line that begins with Switch, Ca or Rt first";
            return Err(Refused::new("found a port before any record", accepted).at(lines.place()));
        };
        if self.network.ports.len() == MOST_RECORDS {
            return Err(too_many_records().at(lines.place()));
        }
        match self.network.rates.get_mut(rate) {
            Some(ports) => ports.push((device, port)),
            None if rate.is_empty() => {}
            None => {
                self.network.rates.insert(rate.to_owned(), vec![(device, port)]);
            }
        }
        let line = lines.number();
        self.network.ports.push(PortLine { device, port, far, far_port, line });
        Ok(())
    }

    /// The contents of all records.
    fn end(self) -> Result<Subnet, Refused> {
        let Self { mut network, repeated, routers, .. } = self;
        let mut seen = HashSet::new();
        network.ports.retain(|line| {
            let PortLine { device, port, far, far_port, .. } = *line;
            !repeated.contains(&device) || seen.insert((device, port, far, far_port))
        });
        make_routers(&mut network, routers);
        let is_switch = |record: &Record| record.kind == Role::Switch;
        if !network.devices.iter().any(|device| device.record.as_ref().is_some_and(is_switch)) {
            let accepted = "the output of ibnetdiscover, whose records begin with lines such as \
                            Switch 41 \"S-b8cef60300000100\"";
            return Err(Refused::new("found no switch", accepted).in_file(&network.file));
        }
        Ok(network)
    }
}

/// Makes records of the routers that have none, which -g leaves out in a chassis, from the lines that lead to them.
fn make_routers(network: &mut Subnet, mut routers: BTreeMap<u32, Record>) {
    let devices = &mut network.devices;
    routers.retain(|device, _| devices[*device as usize].record.is_none());
    let to_routers = network.ports.iter().filter(|near| routers.contains_key(&near.far));
    let answers: Vec<PortLine> = to_routers
        .map(|&PortLine { device, port, far, far_port, line }| PortLine {
            device: far,
            port: far_port,
            far: device,
            far_port: port,
            line,
        })
        .collect();
    network.ports.extend(answers);
    for (device, record) in routers {
        let device = &mut devices[device as usize];
        network.bare_routers.push(|| device.id.clone());
        device.record = Some(record);
    }
}
