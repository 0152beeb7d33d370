//! `tvlb cables`.

use crate::failure::{Failure, Outcome};
use crate::files::{error_in, load_fabric, outside_table_sets};
use crate::output::{print, print_json, read_input, write_file};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tvlb_base::number::without_noise;
use tvlb_base::row;
use tvlb_base::table::{Column, Table};
use tvlb_generator::counted::counted;
use tvlb_schema::LinkKind;
use tvlb_table_set::names::NamedSwitch;
use tvlb_topology::bill::places::{MOST_METRES, Places};
use tvlb_topology::bill::{Cable, CableEnd, cables};
use tvlb_topology::export::Wiring;

/// List the cables of a fabric with their lengths, to order and lay them
///
/// The length of a cable is the distance between the places of its switches, along x plus along y, plus a slack.
/// docs/reference/cables.md says more.
#[derive(Args)]
pub(crate) struct CablesOptions {
    /// The fabric file
    fabric: PathBuf,
    /// Where the switches stand: CSV with the columns place, x and y, in metres. A place is `cabinet NAME`, `chassis
    /// NAME`, `group GROUP`, `switch SWITCH` or `switch PATTERN`
    #[arg(long, value_name = "FILE")]
    places: PathBuf,
    /// How many metres a cable is longer than the distance between its places
    #[arg(long, value_name = "METRES", default_value_t = 2.0, allow_negative_numbers = true, value_parser = metres)]
    slack: f64,
    /// The lengths on sale, in metres, as in 1,2,3,5,10; without it, every whole number of metres
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', allow_negative_numbers = true, value_parser = metres)]
    stock: Vec<f64>,
    /// Also list every cable; cables between the same two places stand together
    #[arg(long)]
    list: bool,
    /// Write one line for each cable to FILE, in the order of --list
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print JSON, with every cable
    #[arg(long, conflicts_with = "list")]
    json: bool,
}

fn metres(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|metres| (0.0..=MOST_METRES).contains(metres));
    number.ok_or_else(|| format!("accepted metres, 0 to {MOST_METRES}"))
}

/// The cables, and how many there are of each length.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Bill {
    fabric: String,
    sizes: String,
    slack: f64,
    /// By rising length.
    lengths: Vec<CablesOfLength>,
    cables: Vec<Cable>,
}

/// The cables that are bought in one length.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct CablesOfLength {
    length: f64,
    local: usize,
    global: usize,
}

pub(crate) fn run(arguments: &CablesOptions) -> Outcome {
    outside_table_sets([("--csv", arguments.csv.as_deref())])?;
    let fabric = load_fabric(&arguments.fabric)?;
    let (topology, names) = (&fabric.topology, &fabric.names);
    let in_places = |error: &dyn std::fmt::Display| error_in(&arguments.places, error);
    let text = read_input(&arguments.places)
        .map_err(|error| in_places(&format_args!("cannot read it: {error}")))?;
    let places = Places::read(topology, names, &text).map_err(|error| in_places(&error))?;
    let wiring = Wiring::new(topology, names);
    let cables = cables(&wiring, &places, arguments.slack, &arguments.stock)
        .map_err(|error| Failure::Message(format!("--stock: {error}")))?;
    let mut sorted: Vec<&Cable> = cables.iter().collect();
    sorted.sort_by(|one, other| one.length.total_cmp(&other.length));
    let alike = sorted.chunk_by(|one, other| one.length.total_cmp(&other.length).is_eq());
    let lengths = alike.map(|cables| {
        let global = cables.iter().filter(|cable| cable.kind == LinkKind::Global.name()).count();
        CablesOfLength { length: cables[0].length, local: cables.len() - global, global }
    });
    let bill = Bill {
        fabric: fabric.file.name.clone(),
        sizes: topology.dragonfly().to_string(),
        slack: arguments.slack,
        lengths: lengths.collect(),
        cables,
    };
    if let Some(path) = &arguments.csv {
        write_file(path, &bill.list().csv())?;
    }
    if arguments.json {
        return print_json(&bill);
    }
    let list = if arguments.list { format!("\n{}", bill.list()) } else { String::new() };
    print(&(bill.summary() + &list))
}

impl Bill {
    /// How many cables there are of each length.
    fn summary(&self) -> String {
        let mut table = Table::new(vec![
            Column::number("length", 0, "").under("length, m"),
            Column::number("local", 0, ""),
            Column::number("global", 0, ""),
            Column::number("cables", 0, ""),
            Column::number("metres", 0, "").under("in all, m"),
        ]);
        for &CablesOfLength { length, local, global } in &self.lengths {
            let metres = self.cables.iter().map(|cable| cable.length);
            let metres: f64 = metres.filter(|of| of.total_cmp(&length).is_eq()).sum();
            let metres = without_noise(metres).to_string();
            table.push(row![length.to_string(), local, global, local + global, metres]);
        }
        let metres = without_noise(self.cables.iter().map(|cable| cable.length).sum());
        let cables = counted(self.cables.len() as u64, "cable");
        let Self { fabric, sizes, slack, .. } = self;
        format!(
            "fabric  {fabric}: {sizes}\ncables  {cables} of {metres} m, with {slack} m of slack each\n\n{table}"
        )
    }

    /// A line for each cable.
    fn list(&self) -> Table<'static> {
        let ends = ["from-place", "from-switch", "from-jack", "to-place", "to-switch", "to-jack"];
        let mut columns: Vec<_> = ends.map(|name| Column::words(name, "")).into();
        columns.extend([
            Column::words("kind", ""),
            Column::number("links", 0, ""),
            Column::number("needed", 0, "").under("needed, m"),
            Column::number("length", 0, "").under("length, m"),
        ]);
        // A row says one cable, so it is not broken.
        let all = columns.len();
        let mut table = Table::new(columns).told_apart_by(all);
        for Cable { kind, ends, links, needed, length } in &self.cables {
            let mut row = Vec::new();
            for CableEnd { place, switch: NamedSwitch { switch, name }, jacks } in ends {
                let switch = name.clone().unwrap_or_else(|| switch.to_string());
                row.extend(row![&**place, switch, jacks.join(" ")]);
            }
            row.extend(row![*kind, *links, needed.to_string(), length.to_string()]);
            table.push(row);
        }
        table
    }
}
