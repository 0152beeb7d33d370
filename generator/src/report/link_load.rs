//! The load of VLB on the links, drawn conventionally and from the chosen sets.

use super::named_sets::name_of;
use super::port_loads::{DrawnSet, LoadMethod, PortLoads, sampled};
use super::subject::Subject;
use super::summary::{listed, row};
use crate::balance::is_countable;
use crate::fabric::Fabric;
use crate::policy::{Levels, Policy};
use std::ops::Range;
use tvlb_chart::heat_map::{HeatMap, Scale, mean, span};
use tvlb_chart::page::{on_demand, paragraph, table};
use tvlb_schema::{Decision, End, GroupId, LinkKind, SetRule, SwitchId, SwitchIndex};
use tvlb_topology::loads::{Draw, LinkEnds, LinkLoads, Spread};

/// The most links of a kind that are named, the busiest first.
const MOST_NAMED: usize = 4;

/// The suffix of a set's name before it was balanced.
const BEFORE: &str = " before balance";

/// The kinds of links, and their names.
const KINDS: [(LinkKind, &str); 2] = [(LinkKind::Global, "global"), (LinkKind::Local, "local")];

/// One column of the comparison: a name and the measured loads.
struct LoadColumn {
    name: String,
    found: PortLoads,
}

/// A set of the images.
struct ImageSet {
    name: String,
    /// Which decision draws from the set.
    drawn: DrawnSet,
    rule: SetRule,
    /// How each switch thins the set.
    levels: Levels,
    switches: usize,
}

impl ImageSet {
    fn thinned_switches(&self) -> usize {
        self.levels.iter().filter(|levels| !levels.is_empty()).count()
    }
}

/// The sets drawn from at the source, without repetition, and that of PAR's second look if it is thinned.
fn written(subject: &Subject<'_>) -> Vec<ImageSet> {
    let mut all: Vec<(ImageSet, Vec<&str>)> = Vec::new();
    for (decision, drawn, who) in [
        (Decision::UgalL, DrawnSet::UgalL, "UGAL-L"),
        (Decision::ParSource, DrawnSet::Par, "PAR"),
        (Decision::ParSecond, DrawnSet::Par, "PAR's second look"),
    ] {
        let Policy { rule, levels, .. } = subject.policies.get(decision).clone();
        let switches = subject.images.switches.len();
        let set = ImageSet { name: String::new(), drawn, rule, levels, switches };
        match all.iter_mut().find(|(s, _)| s.rule == set.rule && s.levels == set.levels) {
            Some((_, whose)) if decision != Decision::ParSecond => whose.push(who),
            None if decision != Decision::ParSecond || set.thinned_switches() > 0 => {
                all.push((set, vec![who]));
            }
            _ => {}
        }
    }
    let named = all.into_iter().map(|(set, whose)| {
        let decision = match (set.drawn, whose.as_slice()) {
            (_, ["PAR's second look"]) => Decision::ParSecond,
            (DrawnSet::Par, _) => Decision::ParSource,
            _ => Decision::UgalL,
        };
        let name = name_of(subject.manifest, decision);
        ImageSet { name: format!("{name} ({})", listed(&whose)), ..set }
    });
    named.collect()
}

/// The columns of the comparison.
fn measured(subject: &Subject<'_>, sets: &[ImageSet]) -> Vec<LoadColumn> {
    let topology = &subject.fabric.topology;
    let thins = sets.iter().any(|set| set.thinned_switches() > 0);
    if !thins && !is_countable(topology) {
        let seed = subject.manifest.fabric.seed;
        let of = |name: &str, drawn| LoadColumn {
            name: name.to_owned(),
            found: sampled(subject.images, topology.ends(), drawn, seed),
        };
        let mut all = vec![of("conventional", DrawnSet::Conventional)];
        all.extend(sets.iter().map(|set| of(&set.name, set.drawn)));
        return all;
    }
    let of = |name: String, draw| LoadColumn { name, found: PortLoads::counted(topology, draw) };
    let mut all = vec![of("conventional".to_owned(), Draw::Conventional)];
    for set in sets {
        let (rule, levels) = (&set.rule, &*set.levels);
        let before = Draw::Set { rule, levels: &[] };
        if set.thinned_switches() > 0 {
            all.push(of(format!("{}{BEFORE}", set.name), before));
            all.push(of(format!("{} after balance", set.name), Draw::Set { rule, levels }));
        } else {
            all.push(of(set.name.clone(), before));
        }
    }
    all
}

/// A sentence on the effect of the balance.
fn balance(sets: &[ImageSet]) -> String {
    let thinned: Vec<String> = sets
        .iter()
        .filter(|set| set.thinned_switches() > 0)
        .map(|set| {
            let (some, all) = (set.thinned_switches(), set.switches);
            format!("{some} of {all} switches thin {}", set.name)
        })
        .collect();
    if thinned.is_empty() {
        return "No switch thins a set to balance the load of links, so there is no before and \
                after: the sets are drawn from as their rules have them."
            .to_owned();
    }
    let thinned: Vec<&str> = thinned.iter().map(String::as_str).collect();
    format!(
        "To balance the load of links, {}: they draw less often from routes whose first global \
         link is much used. Such a set is shown as its rule has it, before balance, and as the \
         switches draw from it, after.",
        listed(&thinned)
    )
}

pub(super) fn body(subject: &Subject<'_>) -> String {
    let df = subject.fabric.topology.dragonfly();
    if df.groups().nth(2).is_none() {
        return paragraph(
            "Two groups have no third to go through, so there are no VLB paths between them.",
        );
    }
    let sets = written(subject);
    let all = measured(subject, &sets);
    let method = all[0].found.method;
    let mut html = paragraph(&format!(
        "The loads of the links, in flits per cycle, if every node sends one flit per cycle, evenly to all \
         switches of other groups and by VLB only: a measure of the paths, not of how UGAL uses \
         them. {}.",
        in_words(method, !df.groups().eq(df.groups_with_nodes()))
    ));
    html.push_str(&paragraph(&balance(&sets)));
    html.push_str(&spreads(subject.fabric, &all, method != LoadMethod::Counted));
    html.push_str(&busiest(subject.fabric, &all));
    html.push_str("<h3>From group to group</h3>\n");
    html.push_str(&maps_of_groups(subject.fabric, &all));
    html.push_str(&on_demand("Switch by switch", &maps_of_switches(subject.fabric, &all)));
    html
}

/// How the loads were found.
fn in_words(method: LoadMethod, has_idle_groups: bool) -> String {
    match method {
        LoadMethod::Counted if has_idle_groups => {
            "All paths were counted, by how often these images draw them; all pairs of switches send alike \
             here, those without nodes among them"
                .to_owned()
        }
        LoadMethod::Counted => "All paths were counted, by how often these images draw them".to_owned(),
        LoadMethod::Sampled { per_pair: 0, sent } => format!(
            "{sent} paths were drawn from each switch to others at random, by the datapath from these \
             images"
        ),
        LoadMethod::Sampled { per_pair, .. } => format!(
            "{per_pair} paths were drawn for each pair of switches, by the datapath from these images"
        ),
    }
}

/// Mean and busiest link of each kind.
fn spreads(fabric: &Fabric, all: &[LoadColumn], has_errors: bool) -> String {
    let df = fabric.topology.dragonfly();
    let columns = if has_errors { 7 } else { 6 };
    let rows = all.iter().flat_map(|LoadColumn { name, found }| {
        KINDS.map(|(kind, kind_name)| {
            let Spread { mean, most } = found.loads.spread(kind);
            let uneven = if mean > 0.0 { most / mean } else { 0.0 };
            let leads = found.loads.busiest(kind, 1).first().map(|&(link, _)| link);
            let mut row = vec![
                name.clone(),
                kind_name.to_owned(),
                format!("{mean:.3}"),
                format!("{most:.3}"),
                format!("{uneven:.3}"),
                leads.map_or("–".to_owned(), |link| link_in_words(fabric, &found.loads, link)),
                format!("{:.3}", found.error(df, kind)),
            ];
            row.truncate(columns);
            row
        })
    });
    let head = [
        "VLB paths",
        "links",
        "mean load",
        "busiest link",
        "busiest over mean",
        "which leads",
        "error of one link",
    ];
    table(&head[..columns], rows)
}

/// The busiest links of every set, as the switches draw from it, by name.
fn busiest(fabric: &Fabric, all: &[LoadColumn]) -> String {
    let drawn = all.iter().skip(1).filter(|measured| !measured.name.ends_with(BEFORE));
    let rows = drawn.flat_map(|LoadColumn { name, found: PortLoads { loads, .. } }| {
        KINDS.into_iter().flat_map(move |(kind, kind_name)| {
            let mean = loads.spread(kind).mean;
            loads.busiest(kind, MOST_NAMED).into_iter().map(move |(link, load)| {
                let over = if mean > 0.0 { load / mean } else { 0.0 };
                vec![
                    name.clone(),
                    kind_name.to_owned(),
                    link_in_words(fabric, loads, link),
                    format!("{load:.3}"),
                    format!("{over:.3}"),
                ]
            })
        })
    });
    let head = ["VLB paths", "links", "link", "load", "over mean"];
    format!("<h3>The busiest links</h3>\n{}", table(&head, rows))
}

/// "from 3 x1000c0r3 to 5 x1000c0r5", a global link with its port.
fn link_in_words(fabric: &Fabric, loads: &LinkLoads, link: usize) -> String {
    let Fabric { topology, names, .. } = fabric;
    let df = topology.dragonfly();
    let switch = |end: End| df.switch(end.group, df.split_port(end.port).0);
    let (from, to, port, slot) = match loads.ends(topology, link) {
        LinkEnds::Global(near, far) => {
            let slot = df.split_port(near.port).1;
            let by = format!(", global port {slot},");
            (switch(near), switch(far), df.slot_port(slot), by)
        }
        LinkEnds::Local(from, to) => {
            (from, to, df.local_port(df.place(from).1, df.place(to).1), String::new())
        }
        LinkEnds::ToNode(_) => unreachable!("links between switches are loaded here"),
    };
    let by = names.by(df, from, port);
    format!("from switch {}{slot} to switch {}{by}", names.named(from), names.named(to))
}

fn maps_of_groups(fabric: &Fabric, all: &[LoadColumn]) -> String {
    let between =
        |loads: &LinkLoads, row, column| loads.between(&fabric.topology, group(row), group(column));
    let what = "Mean load of the links between two groups";
    maps(fabric, all, ("group", "group"), what, &between)
}

fn maps_of_switches(fabric: &Fabric, all: &[LoadColumn]) -> String {
    let df = fabric.topology.dragonfly();
    let of_kind = |(kind, name)| {
        let busiest = |loads: &LinkLoads, group: u32, index: u32| {
            let switch = u16::try_from(group * df.a() + index).expect("switch numbers fit 16 bits");
            loads.busiest_of(df, SwitchId(switch), kind)
        };
        let what = format!("Busiest {name} link of each switch");
        maps(fabric, all, ("group", "switch"), &what, &busiest)
    };
    KINDS.map(of_kind).concat()
}

fn group(number: u32) -> GroupId {
    GroupId(u16::try_from(number).expect("group numbers fit 16 bits"))
}

/// A map of each column, all on one scale.
fn maps(
    fabric: &Fabric,
    all: &[LoadColumn],
    names: (&str, &str),
    what: &str,
    value: &dyn Fn(&LinkLoads, u32, u32) -> Option<f64>,
) -> String {
    let df = fabric.topology.dragonfly();
    let columns = if names.1 == "group" { df.g() } else { df.a() };
    let called = |row: u32, column: u32| {
        let column = match u8::try_from(column).map(SwitchIndex) {
            _ if names.1 == "group" => fabric.names.after_group(group(column)),
            Ok(index) => fabric.names.after(df.switch(group(row), index)),
            Err(_) => String::new(),
        };
        (fabric.names.after_group(group(row)), column)
    };
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for LoadColumn { found, .. } in all {
        for row in 0..df.g() {
            for load in (0..columns).filter_map(|column| value(&found.loads, row, column)) {
                (low, high) = (low.min(load), high.max(load));
            }
        }
    }
    // Conventional last, so that before and after are side by side if a row has room for two.
    row(all.iter().skip(1).chain(all.first()).map(|measured| {
        let cell = |rows: Range<u32>, columns: Range<u32>| {
            let value =
                mean((&rows, &columns), &|row, column| value(&measured.found.loads, row, column))?;
            let is_one = (rows.len(), columns.len()) == (1, 1);
            let (row, column) =
                if is_one { called(rows.start, columns.start) } else { Default::default() };
            let (from, to) = (span(&rows), span(&columns));
            Some((value, format!("{} {from}{row}, {} {to}{column}: {value:.3}", names.0, names.1)))
        };
        let map = HeatMap {
            title: format!("{what}, {}", measured.name),
            names,
            size: (df.g(), columns),
            parts: &[],
            scale: Scale::Even(low.min(high), high),
            cell: &cell,
        };
        (map.svg(), format!("{what}: {}", measured.name))
    }))
}
