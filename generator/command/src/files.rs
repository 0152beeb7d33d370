//! The files and directories that a command line names: what is expected to be there, and what must
//! not be written to.

use crate::failure::{Failure, Outcome};
use std::ffi::OsStr;
use std::fmt;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use tvlb_base::text::{NamedText, Refused};
use tvlb_generator::fabric::Fabric;
use tvlb_generator::recognise::Recognised;
use tvlb_generator::table_policies;
use tvlb_import::live_links;
use tvlb_schema::{Dragonfly, FabricImage, FaultSet, PerDecision, SetRule, SwitchId};
use tvlb_table_set::dead_parts::{LinkPlan, MOST_BYTES, dead_but, parse};
use tvlb_table_set::input_file;
use tvlb_table_set::names::{Names, Parts};
use tvlb_table_set::{FabricEntry, TableSet, table_set_around};
use tvlb_topology::Topology;

/// The most bytes of a plan or of live links that come from a pipe, which are kept in memory.
const MOST_PIPED_BYTES: u64 = 512 << 20;

/// Refuses anything else in place of a table set's directory. What it does not recognise is left to the reader.
pub fn expect_table_set(path: &Path) -> Outcome {
    let found = Recognised::at(path);
    let it_is = match found {
        Recognised::TableSet | Recognised::Unknown => return Ok(()),
        Recognised::File => "it is a file",
        Recognised::Update | Recognised::WithFabricFile => "it has no manifest of a table set",
    };
    Err(Failure::Message(format!(
        "{}: {it_is}, accepted the directory of a table set{}",
        path.display(),
        found.hint(path)
    )))
}

/// Refuses a picture whose name does not end in .svg.
pub fn check_svg(option: &str, path: &Path) -> Outcome {
    match path.extension().and_then(OsStr::to_str) {
        Some(ending) if ending.eq_ignore_ascii_case("svg") => Ok(()),
        _ => Err(Failure::Message(format!(
            "{option} {}: accepted a name that ends in .svg, because pictures are written as SVG",
            path.display()
        ))),
    }
}

/// Reads a fabric file and its cables.
pub fn load_fabric(path: &Path) -> Result<Fabric, Failure> {
    Fabric::load(path).map_err(Failure::of)
}

/// A fabric file and those of its cables that a list of dead parts leaves alive, with what the list says; without a
/// list nothing is dead.
pub fn load_live(path: &Path, list: Option<&Path>) -> Result<(Fabric, FaultSet), Failure> {
    let mut fabric = load_fabric(path)?;
    let Some(list) = list else { return Ok((fabric, FaultSet::default())) };
    let faults = read_faults(list, &fabric.topology, &fabric.names)?;
    fabric.topology = fabric.topology.without(&faults);
    Ok((fabric, faults))
}

/// The wiring of a fabric file or of a table set.
pub struct Wiring {
    /// The fabric's name.
    pub name: String,
    pub seed: u64,
    pub topology: Topology,
    pub names: Names,
    /// The sets of a table set, without their thinning.
    pub sets: Option<PerDecision<SetRule>>,
}

/// The wiring of a fabric file or of a table set, without the parts that a list names as dead.
pub fn load_wiring(path: &Path, list: Option<&Path>) -> Result<Wiring, Failure> {
    if Recognised::at(path) != Recognised::TableSet {
        let (Fabric { file, topology, names }, _) = load_live(path, list)?;
        return Ok(Wiring { name: file.name, seed: file.seed, topology, names, sets: None });
    }
    let set = TableSet::open(path).map_err(Failure::of)?;
    let bytes = set.fabric_image().map_err(Failure::of)?;
    let image =
        FabricImage::decode(&bytes).map_err(|error| error_in(&set.fabric_path(), &error))?;
    let names = read_names(&set, image.dragonfly())?;
    let FabricEntry { name, seed, bandwidths, .. } = &set.manifest().fabric;
    let ends = names.nodes(image.dragonfly()).ends();
    let mut topology = Topology::of_image(&image).with_ends(ends).with_bandwidths(*bandwidths);
    if let Some(list) = list {
        topology = topology.without(&read_faults(list, &image, &names)?);
    }
    let policies = table_policies::read(&set).map_err(Failure::of)?.policies;
    let sets = Some(policies.map(|policy| policy.rule));
    Ok(Wiring { name: name.clone(), seed: *seed, topology, names, sets })
}

/// A fabric file and those of its cables that a text names as live.
pub fn load_live_by_links(path: &Path, live: &Path) -> Result<Fabric, Failure> {
    let mut fabric = load_fabric(path)?;
    let faults = read_live(live, &fabric.topology, &fabric.names)?;
    fabric.topology = fabric.topology.without(&faults);
    Ok(fabric)
}

/// The machine's names of its parts, if the table set has a list of names.
pub fn read_names(set: &TableSet, df: &Dragonfly) -> Result<Names, Failure> {
    let Some(text) = set.names_list().map_err(Failure::of)? else { return Ok(Names::default()) };
    Names::read(df, &text).map_err(|error| error_in(&set.names_path(), &error))
}

/// The switch that an option names.
pub fn switch(option: &str, text: &str, parts: &Parts<'_>) -> Result<SwitchId, Failure> {
    parts.switch(text).map_err(|error| Failure::Message(format!("{option}: {error}")))
}

/// Reads a list of dead parts.
pub fn read_faults(path: &Path, plan: &dyn LinkPlan, names: &Names) -> Result<FaultSet, Failure> {
    let text = input_file::read_given_text(path, MOST_BYTES)
        .map_err(|error| error_in(path, &format_args!("cannot read it: {error}")))?;
    parse(&text, plan, names).map_err(|error| error_in(path, &error))
}

/// A cable plan or a list of links that its reader may open several times; a pipe can be read only once, so its text is
/// kept in memory.
pub fn opener(path: &Path) -> Result<impl Fn() -> Result<NamedText<'static>, Refused>, Failure> {
    let is_file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let piped: Option<Arc<[u8]>> = if is_file {
        None
    } else {
        let bytes = input_file::read_given(path, MOST_PIPED_BYTES)
            .map_err(|error| error_in(path, &format_args!("cannot read it: {error}")))?;
        Some(bytes.into())
    };
    let path = path.to_owned();
    Ok(move || match &piped {
        None => tvlb_import::open(&path),
        Some(bytes) => {
            let name = path.display().to_string();
            Ok(NamedText::of_reader(name, Cursor::new(Arc::clone(bytes))))
        }
    })
}

/// What is dead in a plan whose live links a text names.
pub fn read_live(path: &Path, plan: &dyn LinkPlan, names: &Names) -> Result<FaultSet, Failure> {
    let links = live_links(opener(path)?).map_err(Failure::of)?;
    dead_but(&links, plan, names).map_err(|error| error_in(path, &error))
}

/// An error with the file that it is about.
pub fn error_in(path: &Path, error: &dyn fmt::Display) -> Failure {
    Failure::Message(format!("{}: {error}", path.display()))
}

/// Refuses to write a file or directory into a table set, which holds only its own files. Call it before the work, for
/// each option that names one.
pub fn outside_table_sets<'p>(
    outputs: impl IntoIterator<Item = (&'static str, Option<&'p Path>)>,
) -> Outcome {
    for (option, path) in outputs {
        let Some(path) = path else { continue };
        if let Some(set) = table_set_around(path) {
            return Err(Failure::Message(format!(
                "{option} {}: it is within the table set {}, which can hold nothing else; give a \
                 path outside of it",
                path.display(),
                set.display()
            )));
        }
    }
    Ok(())
}
