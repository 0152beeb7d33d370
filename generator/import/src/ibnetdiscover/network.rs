//! The contents of the records, before links are joined.

use super::parse::Role;
use crate::notes::NameSample;
use std::collections::BTreeMap;
use tvlb_base::text::FilePlace;

/// A switch, adapter or router, or a name that a link leads to.
pub(crate) struct Device {
    pub(crate) id: String,
    /// Nothing until its record is read.
    pub(crate) record: Option<Record>,
}

/// The first line of a record, or a line that leads to a router.
pub(crate) struct Record {
    pub(crate) kind: Role,
    pub(crate) description: String,
    pub(crate) line: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct PortLine {
    pub(crate) device: u32,
    pub(crate) port: u32,
    pub(crate) far: u32,
    pub(crate) far_port: u32,
    pub(crate) line: u32,
}

pub(crate) struct Subnet {
    pub(crate) file: String,
    pub(crate) devices: Vec<Device>,
    pub(crate) ports: Vec<PortLine>,
    /// By width and speed the ports whose lines say it, each with its device.
    pub(crate) rates: BTreeMap<String, Vec<(u32, u32)>>,
    /// Routers that have no record of their own.
    pub(crate) bare_routers: NameSample,
}

impl Subnet {
    /// A line of the file.
    pub(super) fn place(&self, line: u32) -> FilePlace {
        FilePlace { file: self.file.as_str().into(), line }
    }
}
