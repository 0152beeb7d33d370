//! The report for people: what a table set contains, how it was made and what was verified. It is one HTML file without
//! scripts that loads nothing from anywhere.
//!
//! The report is a function of its [`Subject`], with no clock and no path in it, so the same input gives the same
//! bytes. Every number comes from a stage of the generator, except the loads of links ([`port_loads`]), which are
//! computed here from the images.

pub mod port_loads;

mod fabric_picture;
mod first_screen;
mod link_load;
mod link_map;
mod named_sets;
mod repeat;
mod shapes;
mod step_one;
mod step_two;
mod subject;
mod summary;

pub use subject::Subject;

use crate::fabric::Fabric;
use tvlb_chart::escaped;
use tvlb_chart::page::{figure, lists, on_demand, page, paragraph, preformatted, section, table};
use tvlb_schema::GroupId;
use tvlb_table_set::Manifest;
use tvlb_topology::summary::TopologySummary;

/// The most ports of a switch that fit in half a line on paper.
const SHORT: u32 = 6;

/// The report, as the text of an HTML file.
pub fn html(subject: &Subject<'_>) -> String {
    let name = &subject.manifest.fabric.name;
    let mut body = format!("<h1>Routing tables of {}</h1>\n", escaped(name));
    body.push_str(&first_screen::head(subject));
    body.push_str(&section("fabric", "The fabric", &fabric(subject)));
    body.push_str(&section(
        "step-1",
        "Step 1: what sets of paths could carry",
        &step_one::body(subject),
    ));
    body.push_str(&section("step-2", "Step 2: what they do carry", &step_two::body(subject)));
    body.push_str(&section("loads", "How VLB loads the links", &link_load::body(subject)));
    body.push_str(&section("sizes", "The tables", &sizes(subject)));
    body.push_str(&section("verified", "What was verified", &verified(subject)));
    body.push_str(&section("repeat", "How to reproduce them", &repeat::body(subject)));
    page(&format!("Routing tables of {name}"), &body)
}

fn fabric(subject: &Subject<'_>) -> String {
    let Fabric { topology, names, .. } = &**subject.fabric;
    let mut html = paragraph(&summary::wiring(subject.fabric));
    if topology.dragonfly().g() <= fabric_picture::MOST_GROUPS {
        let summary = TopologySummary::named(topology, names);
        let odd: Vec<[GroupId; 2]> =
            summary.pairs_with_fewer.iter().map(|pair| pair.groups).collect();
        let marked =
            if odd.is_empty() { "" } else { " Dashed are pairs with fewer than is usual." };
        html.push_str(&figure(
            &fabric_picture::ring(topology, names, &odd),
            &format!(
                "All groups, and a line where two are joined. Point at a line for the number of its \
                 links.{marked}"
            ),
        ));
        html.push_str(&link_map::odd_pairs(subject.fabric));
    } else {
        html.push_str(&figure(
            &link_map::map(subject.fabric),
            "The links of every pair of groups. Point at a cell for their number; where a cell is of \
             several groups, its colour is that of the pair with the fewest.",
        ));
        html.push_str(&link_map::odd_pairs(subject.fabric));
        html.push_str(&link_map::in_words(subject.fabric));
    }
    let first = topology.dragonfly().groups().next().unwrap_or(GroupId(0));
    let mut detail = figure(
        &fabric_picture::group(topology, names, first),
        &format!(
            "Group {first}{}: its switches, their local links, and outwards each global port with a cable.",
            names.after_group(first)
        ),
    );
    let listed = fabric_picture::listed_groups(topology);
    let mut ports_of_all = String::new();
    for group in topology.dragonfly().groups().take(listed as usize) {
        let rows = fabric_picture::ports_of(topology, names, group);
        let head = ["switch of the group", "number", "global ports lead to group.switch"];
        let ports = table(&head, rows);
        let name = names.after_group(group);
        ports_of_all
            .push_str(&on_demand(&format!("Where the ports of group {group}{name} lead"), &ports));
    }
    detail.push_str(&lists(&ports_of_all, topology.dragonfly().h() > SHORT || !names.is_empty()));
    if listed < topology.dragonfly().g() {
        detail.push_str(&paragraph(
            "The fabric has too many ports to list all; tvlb inspect lists those of any switch.",
        ));
    }
    html.push_str(&on_demand("A group in detail, and every global port", &detail));
    html
}

fn sizes(subject: &Subject<'_>) -> String {
    let Manifest { sizes, files, sets, .. } = subject.manifest;
    let switches = files.len().saturating_sub(1);
    let mut html = table(
        &["", "files", "bytes"],
        [
            ("fabric image, the same for every switch", 1, sizes.fabric.to_string()),
            (
                "switch images, one for each switch",
                switches,
                format!(
                    "{} (median; {} to {})",
                    sizes.switch_median, sizes.switch_least, sizes.switch_most
                ),
            ),
            ("all images", switches + 1, sizes.total.to_string()),
        ]
        .map(|(what, files, bytes)| vec![what.to_owned(), files.to_string(), bytes]),
    );
    let rows = tvlb_schema::Decision::ALL.map(|decision| {
        let entry = sets.get(decision);
        let about = if entry.mean_hops_are_exact { "" } else { "about " };
        let hops = entry.mean_hops.map_or("–".to_owned(), |hops| format!("{about}{hops:.3}"));
        vec![
            decision.name().to_owned(),
            named_sets::name_of(subject.manifest, decision),
            format!("{:.1}", entry.mean_routes),
            hops,
            entry.pairs_without_route.to_string(),
            entry.weighs().0.to_string().replacen("T = ", "", 1),
        ]
    });
    html.push_str(&table(
        &[
            "decision",
            "T-VLB set",
            "routes per pair",
            "mean hops of a draw",
            "pairs without a route",
            "T",
        ],
        rows,
    ));
    html.push_str(&paragraph(
        "A switch image holds a rule and the wiring, not a list of paths; the datapath finds the \
         paths from them, so the images do not grow with the number of paths.",
    ));
    html
}

fn verified(subject: &Subject<'_>) -> String {
    let mut html = paragraph(
        "Before the directory took its name, its images were read back from the disk and checked \
         with nothing but the image formats and the datapath. tvlb verify does it again, and walks \
         all routes of sets if --most-walks allows.",
    );
    html.push_str(&preformatted(&subject.certificate.to_string()));
    html
}
