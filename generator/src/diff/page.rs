//! A difference as a page for people, in the look of the report: one HTML file without scripts that asks for
//! nothing from anywhere.
//!
//! The page follows from the difference alone, so the same two table sets give the same bytes.

use super::text::{self, in_words};
use super::{Change, Difference, EndNames, LoadChange, ModeChange, SwitchChange};
use crate::topology::names::after;
use serde_json::Value;
use std::fmt::Write;
use tvlb_chart::bars::{Bar, BarGroup, Bars};
use tvlb_chart::page::{figure, on_demand, page, paragraph, section, side_by_side, table};
use tvlb_chart::tiles::{Tile, tiles};
use tvlb_chart::{Ink, escaped};

/// Cables and switches that are listed; the JSON has all.
const MOST_LISTED: usize = 500;

/// The page, as the text of an HTML file.
pub fn html(difference: &Difference) -> String {
    let Change { old, new } = &difference.names;
    let title = format!("What changed from {old} to {new}");
    let mut body = format!("<h1>{}</h1>\n", escaped(&title));
    if difference.same {
        body.push_str(&lead(
            "Nothing did: every image is the same byte for byte, and the manifests say the same.",
        ));
        return page(&title, &body);
    }
    body.push_str(&lead(&format!(
        "{old} is the old table set and {new} the new one. Images and manifests were compared, through \
         the datapath that boots from them."
    )));
    let is_comparable = difference.is_comparable();
    if is_comparable {
        body.push_str(&tiles(&first_figures(difference)));
        if !difference.modes.is_empty() {
            body.push_str(&section("packets", "What it means for packets", &packets(difference)));
        }
        body.push_str(&section("wiring", "The wiring", &wiring(difference)));
        if !difference.switches.is_empty() {
            body.push_str(&section("switches", "Switch by switch", &per_switch(difference)));
        }
    } else {
        let Change { old, new } = &difference.dragonfly;
        body.push_str(&paragraph(&format!(
            "The sizes differ: {old} was, {new} is. So wiring, switches and pairs are not compared."
        )));
    }
    body.push_str(&section("manifests", "What the manifests say", &manifests(difference)));
    page(&title, &body)
}

/// Both values, or the one that they are; never broken into two lines.
fn arrow(change: &Change<String>) -> String {
    text::arrow(change).replace(" -> ", "\u{a0}→\u{a0}")
}

fn lead(text: &str) -> String {
    format!("<p class=\"lead\">{}</p>\n", escaped(text))
}

/// The changes of most weight.
fn first_figures(difference: &Difference) -> Vec<Tile> {
    let Difference { cables_gone, cables_new, switch_count, modes, .. } = difference;
    let changed = difference.switches.iter().filter(|switch| switch.bytes_differing > 0).count();
    let [looked_at, pairs] = difference.pairs_looked_at;
    let mut all = vec![
        Tile {
            name: "Cables between groups".to_owned(),
            figure: match (cables_gone.len(), cables_new.len()) {
                (0, 0) => "the same".to_owned(),
                (gone, new) => format!("−{gone} +{new}"),
            },
            words: "gone, and new".to_owned(),
        },
        Tile {
            name: "Switch images".to_owned(),
            figure: format!("{changed} of {}", switch_count.new),
            words: format!(
                "differ; all together {} bytes",
                arrow(&difference.switch_bytes.map(ToString::to_string))
            ),
        },
    ];
    #[expect(clippy::cast_precision_loss, reason = "only compared")]
    let most = first_most(modes, |mode| mode.pairs_affected as f64);
    if let Some(most) = most {
        let sample =
            if looked_at < pairs { format!(", a sample of {pairs}") } else { String::new() };
        all.push(Tile {
            name: "Pairs whose packets take other paths".to_owned(),
            figure: most.pairs_affected.to_string(),
            words: format!(
                "of {looked_at} pairs of switches in different groups{sample}, by {}",
                most.mode
            ),
        });
    }
    let rise = |mode: &ModeChange| mode.global.most.new - mode.global.most.old;
    let steepest = first_most(modes, rise).filter(|mode| rise(mode) > 0.0);
    let steepest = steepest.or_else(|| first_most(modes, |mode| -rise(mode)));
    if let Some(mode @ ModeChange { global, .. }) = steepest {
        let how = match rise(mode) {
            rise if rise > 0.0 => ", where it rises most",
            rise if rise < 0.0 => ", where it falls most",
            _ => " and by every set: it does not change",
        };
        all.push(Tile {
            name: "Busiest link between groups".to_owned(),
            figure: arrow(&global.most.map(|load| format!("{load:.2}"))),
            words: format!("flits per cycle by {}{how}", mode.mode),
        });
    }
    all
}

/// The first mode of which a figure is the largest.
fn first_most(modes: &[ModeChange], figure: impl Fn(&ModeChange) -> f64) -> Option<&ModeChange> {
    modes.iter().reduce(|one, other| if figure(other) > figure(one) { other } else { one })
}

fn packets(difference: &Difference) -> String {
    let [looked_at, pairs] = difference.pairs_looked_at;
    let is_sample = looked_at < pairs;
    let mut html = paragraph(&if is_sample {
        format!(
            "Of {pairs} ordered pairs of switches in different groups, {looked_at} were looked at. Affected \
             pairs are counted among these alone; hops and loads are estimates."
        )
    } else {
        format!("All {pairs} ordered pairs of switches in different groups were looked at.")
    });
    let hops = bars(difference, "mean hops of a path", "links", 3, |mode| {
        mode.mean_hops.map(|hops| *hops)
    });
    let load =
        bars(difference, "load of the busiest link between groups", "flits per cycle", 4, |mode| {
            mode.global.most.map(|load| Some(*load))
        });
    html.push_str(&side_by_side(&format!(
        "{}{}",
        figure(&hops, "Mean links of a path as packets draw it, by MIN and by the set of each decision."),
        figure(
            &load,
            "Where each node sends one flit per cycle to all other groups evenly. A link cannot carry more \
             than 1: larger loads serve to compare."
        )
    )));
    let rows = difference.modes.iter().map(|mode| {
        let ModeChange { mode, pairs_affected, pairs_without, mean_hops, local, global } = mode;
        let load = |change: &LoadChange| arrow(&change.most.map(|load| format!("{load:.4}")));
        vec![
            (*mode).to_owned(),
            format!("{pairs_affected} of {looked_at}"),
            arrow(&pairs_without.map(ToString::to_string)),
            arrow(&mean_hops.map(|hops| in_words(*hops, 3))),
            load(local),
            load(global),
        ]
    });
    let head = [
        "paths",
        "pairs affected",
        "pairs without a path",
        "mean hops",
        "busiest link within a group",
        "busiest link between groups",
    ];
    html.push_str(&table(&head, rows));
    let rises: Vec<Vec<String>> = difference.modes.iter().flat_map(rises).collect();
    if !rises.is_empty() {
        html.push_str("<h3>Links whose load rises most</h3>\n");
        html.push_str(&table(&["paths", "links", "switch", "port", "flits per cycle"], rises));
    }
    html
}

/// Of each kind of links the one whose load rises most.
fn rises(mode: &ModeChange) -> Vec<Vec<String>> {
    let kinds = [("within groups", &mode.local), ("between groups", &mode.global)];
    let row = |(kind, change): (&str, &LoadChange)| {
        let rise = change.largest_rise.as_ref()?;
        Some(vec![
            mode.mode.to_owned(),
            kind.to_owned(),
            format!("{}{}", rise.switch, after(rise.switch, rise.switch_name.as_deref())),
            format!("{}{}", rise.port, after(rise.port, rise.port_name.as_deref())),
            arrow(&rise.load.map(|load| format!("{load:.4}"))),
        ])
    };
    kinds.into_iter().filter_map(row).collect()
}

/// Old and new of a figure, by mode.
fn bars(
    difference: &Difference,
    title: &str,
    unit: &str,
    decimals: usize,
    of: impl Fn(&ModeChange) -> Change<Option<f64>>,
) -> String {
    let group = |mode: &ModeChange| {
        let Change { old, new } = of(mode);
        let both = [("old", Ink::Conventional, old), ("new", Ink::Ours, new)];
        let bar = |(name, ink, value): (&str, Ink, Option<f64>)| Bar {
            name: name.to_owned(),
            ink,
            value: value.unwrap_or_default(),
            error: 0.0,
            words: in_words(value, decimals),
        };
        BarGroup { name: mode.mode.to_owned(), bars: both.map(bar).to_vec() }
    };
    let groups = difference.modes.iter().map(group).collect();
    Bars { title: title.to_owned(), axis: format!("{title} ({unit})"), groups }.svg()
}

fn wiring(difference: &Difference) -> String {
    let Difference { cables_gone, cables_new, .. } = difference;
    if cables_gone.is_empty() && cables_new.is_empty() {
        return paragraph("It is the same: all cables between groups, and all their ports.");
    }
    let mut html = String::new();
    for (what, cables, names) in [
        ("Cables that are gone", cables_gone, &difference.names_of_cables_gone),
        ("New cables", cables_new, &difference.names_of_cables_new),
    ] {
        if cables.is_empty() {
            continue;
        }
        let rows = cables.iter().enumerate().take(MOST_LISTED).map(|(number, ends)| {
            let end = |side: usize| {
                let [group, switch, port] = ends[side];
                let EndNames { switch: called, port: port_called } =
                    names.get(number).map(|ends| ends[side].clone()).unwrap_or_default();
                let (called, port_called) =
                    (after(switch, called.as_deref()), after(port, port_called.as_deref()));
                format!("group {group}, switch {switch}{called}, global port {port}{port_called}")
            };
            vec![end(0), end(1)]
        });
        let _ = writeln!(html, "<h3>{what}: {}</h3>", cables.len());
        html.push_str(&table(&["from", "to"], rows));
        html.push_str(&more(cables.len()));
    }
    html
}

fn per_switch(difference: &Difference) -> String {
    let fabric = match (difference.fabric_bytes.is_change(), difference.fabric_bytes_differing) {
        (false, 0) => "The fabric image, which every switch has, is the same.".to_owned(),
        (_, differing) => format!(
            "The fabric image, which every switch has, differs in {differing} bytes; its length is {} bytes.",
            arrow(&difference.fabric_bytes.map(ToString::to_string))
        ),
    };
    let mut html = paragraph(&fabric);
    let rows = difference.switches.iter().take(MOST_LISTED).map(|change| {
        let SwitchChange { bytes, bytes_differing, ports, destinations, mean_hops, .. } = change;
        let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
        let mut row = vec![
            format!("{}{}", change.switch, after(change.switch, change.name.as_deref())),
            arrow(&bytes.map(ToString::to_string)),
            bytes_differing.to_string(),
        ];
        row.extend(destinations.map(|count| count.to_string()));
        row.push(arrow(&mean_hops[1].map(|hops| in_words(*hops, 3))));
        row.push(ports.join(", "));
        row
    });
    let head = [
        "switch",
        "bytes of its image",
        "bytes that differ",
        "destinations: MIN",
        "UGAL-L",
        "PAR at the source",
        "PAR's second look",
        "mean hops by UGAL-L",
        "global ports rewired",
    ];
    let count = difference.switches.len();
    let what = if count == 1 {
        "The switch that is affected".to_owned()
    } else {
        format!("The {count} switches that are affected")
    };
    html.push_str(&on_demand(&what, &format!("{}{}", table(&head, rows), more(count))));
    html.push_str(&paragraph(
        "Destinations are the switches of other groups, of those looked at, to which packets take other \
         paths, or the same with other shares.",
    ));
    html
}

fn manifests(difference: &Difference) -> String {
    let mut html = String::new();
    let shown = |value: &Value| match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if difference.manifest.is_empty() {
        html.push_str(&paragraph("They say the same, but for the list of files."));
    } else {
        let rows = difference.manifest.iter().map(|field| {
            let Change { old, new } = &field.values;
            vec![field.field.clone(), shown(old), shown(new)]
        });
        html.push_str(&table(&["field", "old", "new"], rows));
    }
    if difference.choice_differs {
        html.push_str(&paragraph("The records of how the sets were chosen differ, too."));
    }
    html
}

fn more(count: usize) -> String {
    match count.checked_sub(MOST_LISTED) {
        None | Some(0) => String::new(),
        Some(rest) => paragraph(&format!("And {rest} more, which tvlb diff --json lists.")),
    }
}
