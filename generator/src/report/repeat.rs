//! How to reproduce the table set: version, fabric file, cables, command.

use super::subject::Subject;
use crate::choose::baseline::MostRegret;
use crate::choose::{PanelSize, Prefer};
use crate::counted::counted;
use crate::fabric_file::{FabricFile, Wiring};
use crate::policy::{OpenPolicies, Policies};
use std::fmt::Write;
use tvlb_chart::page::{on_screen, paragraph, preformatted, table};
use tvlb_schema::Decision;
use tvlb_table_set::NAMES_FILE;
use tvlb_topology::{Topology, cable_list};

/// More cables than this are not listed.
const MOST_CABLES: usize = 12_000;

pub(super) fn body(subject: &Subject<'_>) -> String {
    let manifest = subject.manifest;
    let image = manifest.files.first().map_or(String::new(), |file| file.sha256.clone());
    let rows = [
        ("made by", format!("tvlb {}", manifest.tool_version)),
        ("seed", manifest.fabric.seed.to_string()),
        ("fabric identity", manifest.fabric_identity.clone()),
        ("SHA-256 of the fabric image", image),
    ];
    let mut html = table(&["", ""], rows.map(|(what, value)| vec![what.to_owned(), value]));
    html.push_str(&paragraph(
        "The same version makes the same bytes from this file, fabric.toml, with this command, at \
         any number of threads. manifest.json has the hash of every image.",
    ));
    html.push_str(&preformatted(&command(subject)));
    html.push_str(&preformatted(&fabric_file(subject).to_string()));
    if has_set_file(subject) {
        html.push_str(&paragraph(
            "sets.json is what tvlb sets export DIR -o sets.json writes, where DIR is the directory of \
             this report.",
        ));
    }
    if manifest.names.is_some() {
        html.push_str(&paragraph("names.csv is in the directory of this report."));
    }
    if let Wiring::Cables(_) = subject.fabric.file.wiring {
        html.push_str(&cables(&subject.fabric.topology));
    }
    html
}

/// The cable list.
fn cables(topology: &Topology) -> String {
    let count = topology.cables().len();
    if count > MOST_CABLES {
        return paragraph(&format!(
            "cables.csv has {count} cables, too many for this page. tvlb verify DIR --fabric fabric.toml, \
             where DIR is the directory of this report, says whether a list is the same."
        ));
    }
    let list = preformatted(&cable_list::write(topology));
    let count = counted(count as u64, "cable");
    on_screen(&format!("cables.csv, {count}; it is left out on paper"), &list)
}

/// The command, with the options that decide the result.
fn command(subject: &Subject<'_>) -> String {
    let Subject { options, manifest, .. } = subject;
    let mut text = String::from("tvlb generate fabric.toml -o tables");
    if has_set_file(subject) {
        text.push_str(" --set-file sets.json");
        return text;
    }
    let is_given = manifest.choice.is_none();
    // If thinning was requested without effect, the bytes are those without it.
    let is_thinned = Decision::ALL.iter().any(|&decision| {
        manifest.sets.get(decision).balance.as_ref().is_some_and(|b| b.thinned_switches > 0)
    });
    if is_thinned {
        text.push_str(" --balance");
    }
    if is_given {
        return text;
    }
    if options.fast {
        text.push_str(" --fast");
    }
    if options.prefer != Prefer::default() {
        let _ = write!(text, " --prefer {}", options.prefer.name());
    }
    if options.most_regret != MostRegret::default() {
        let _ = write!(text, " --max-regret {}", options.most_regret.0);
    }
    if options.panel != PanelSize::default() {
        let _ = write!(text, " --panel {}", options.panel.name());
    }
    for candidate in &options.candidates {
        let _ = write!(text, " --try-policy '{candidate}'");
    }
    text
}

/// Whether only a set file can express the policies.
fn has_set_file(subject: &Subject<'_>) -> bool {
    matches!(subject.asked, Some(Policies::OfSetFile(_)))
}

/// The fabric file as it was understood, with every default spelled out and the policies of the options.
fn fabric_file(subject: &Subject<'_>) -> FabricFile {
    let Subject { fabric, asked, .. } = subject;
    let mut file = fabric.file.clone();
    // The paths of the lists are not part of the report.
    if let Wiring::Cables(list) = &mut file.wiring {
        *list = "cables.csv".into();
    }
    file.names = (!fabric.names.is_empty()).then(|| NAMES_FILE.into());
    match asked {
        None => {}
        Some(Policies::Chosen) => file.policies.sets = None,
        Some(Policies::Given(given) | Policies::OfSetFile(given)) => {
            file.policies = OpenPolicies::of(given);
        }
    }
    file
}
