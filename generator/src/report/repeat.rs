//! What it takes to make the same table set again: version, fabric file, cables, command.

use super::Subject;
use crate::choose::baseline::MostRegret;
use crate::choose::{PanelSize, Prefer};
use crate::fabric_file::{FabricFile, Sets, Wiring};
use crate::set_grammar::canonical;
use crate::topology::cable_list;
use std::fmt::Write;
use tvlb_chart::page::{on_demand, paragraph, preformatted, table};
use tvlb_schema::{Decision, GroupKind, LinkKind, PerDecision};

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
    html.push_str(&preformatted(&fabric_file(&subject.fabric.file)));
    if let Wiring::Cables(_) = subject.fabric.file.wiring {
        if subject.fabric.topology.cables().len() <= MOST_CABLES {
            let list = preformatted(&cable_list::write(&subject.fabric.topology));
            html.push_str(&on_demand("cables.csv", &list));
        } else {
            html.push_str(&paragraph("The cable list is too long to be repeated here."));
        }
    }
    html
}

/// The command, with the options that decide what is made.
fn command(subject: &Subject<'_>) -> String {
    let Subject { options, manifest, .. } = subject;
    let mut text = String::from("tvlb generate fabric.toml -o tables");
    // What `tvlb sets export` writes of the tables.
    if subject.has_set_file {
        text.push_str(" --set-file sets.json");
        return text;
    }
    let is_given = subject.fabric.file.sets.rules().is_some();
    // Sets that simulation chose are thinned if that won; all others where it was asked for. Where
    // it was and nothing came of it, the bytes are those without.
    let is_thinned = Decision::ALL.iter().any(|&decision| {
        manifest.sets.get(decision).balance.as_ref().is_some_and(|b| b.thinned_switches > 0)
    });
    if is_thinned && (is_given || options.fast) {
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

/// The fabric file as it was understood, with nothing left to a default.
fn fabric_file(file: &FabricFile) -> String {
    let df = &file.dragonfly;
    let wiring = match &file.wiring {
        Wiring::Arrangement(arrangement) => format!("arrangement = \"{arrangement}\""),
        // Where the list lay is nobody's business.
        Wiring::Cables(_) => "cables = \"cables.csv\"".to_owned(),
    };
    let (sizes, kinds) = if df.is_even() {
        let (p, a, h, g) = (df.p(), df.a(), df.h(), df.g());
        (format!("p = {p}\na = {a}\nh = {h}\ng = {g}\n"), String::new())
    } else {
        let kind = |&GroupKind { p, a, h, g, .. }: &GroupKind| {
            format!("\n[[dragonfly.kinds]]\np = {p}\na = {a}\nh = {h}\ng = {g}\n")
        };
        (String::new(), df.kinds().iter().map(kind).collect())
    };
    let bandwidths = if file.bandwidths.are_equal() {
        String::new()
    } else {
        let line =
            |kind: LinkKind| format!("{}-bandwidth = {}\n", kind.name(), file.bandwidths.of(kind));
        LinkKind::ALL.into_iter().map(line).collect()
    };
    let buffer = file.buffer_flits.map_or_else(String::new, |flits| format!("buffer = {flits}\n"));
    let mut text = format!(
        "name = \"{}\"\nseed = {}\n\n[dragonfly]\n{sizes}{wiring}\n{kinds}\n\
         [links]\nlocal-latency = {}\nglobal-latency = {}\n{bandwidths}{buffer}\n\
         [routing]\nvirtual-channels = \"{}\"\n",
        file.name,
        file.seed,
        file.latencies.local,
        file.latencies.global,
        file.virtual_channels.name()
    );
    if let Some(PerDecision { ugal_l, par_source, par_second }) = file.weighing.thresholds {
        let _ = writeln!(
            text,
            "threshold = {{ ugal-l = {ugal_l}, par-source = {par_source}, par-second = {par_second} }}"
        );
    }
    if let Some(PerDecision { ugal_l, par_source, par_second }) = file.weighing.candidates {
        let _ = writeln!(
            text,
            "candidates = {{ ugal-l = \"{ugal_l}\", par-source = \"{par_source}\", par-second = \"{par_second}\" }}"
        );
    }
    if let Some(PerDecision { ugal_l, par_source, par_second }) = file.weighing.gates {
        let _ = writeln!(
            text,
            "gate = {{ ugal-l = {ugal_l}, par-source = {par_source}, par-second = {par_second} }}"
        );
    }
    if let Some(min) = file.weighing.second_min {
        let _ = writeln!(text, "second-min = \"{}\"", min.name());
    }
    match &file.sets {
        Sets::Auto => text.push_str("set = \"auto\"\n"),
        Sets::Given(sets) => {
            text.push_str("\n[routing.set]\n");
            for decision in Decision::ALL {
                let set = canonical(&sets.get(decision).rule);
                let _ = writeln!(text, "{} = \"{set}\"", decision.name());
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_is_shown_means_the_same() {
        for set in [
            "\"auto\"",
            "\"60% 5-hop\"",
            "{ ugal-l = \"all\", par-source = \"min\", par-second = \"4*2-hop, only:001\" }",
        ] {
            let text = format!(
                "name = \"x\"\nseed = 7\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 5\narrangement = \"palmtree\"\n\
                 [routing]\nthreshold = -3\ncandidates = \"1x4\"\ngate = 1.25\nsecond-min = \"any\"\nset = {set}\n"
            );
            let file = FabricFile::parse(&text, "x").unwrap();
            let again = FabricFile::parse(&fabric_file(&file), "x").unwrap();
            assert_eq!(again.sets.rules(), file.sets.rules());
            assert_eq!(
                FabricFile { sets: Sets::Auto, ..again },
                FabricFile { sets: Sets::Auto, ..file }
            );
        }
    }
}
