//! The load that VLB puts on the links, drawn conventionally and from the sets that were chosen.

use super::named_sets::name_of;
use super::port_loads::{Drawn, Method, PortLoads, sampled};
use super::summary::listed;
use super::{Subject, row};
use crate::balance::is_countable;
use crate::balance::link_load::Draw;
use crate::fabric::Fabric;
use crate::image::Images;
use crate::routes::count::RouteCounter;
use std::ops::Range;
use tvlb_chart::heat_map::{HeatMap, Scale, mean, span};
use tvlb_chart::page::{on_demand, paragraph, table};
use tvlb_schema::{
    Decision, End, FabricImage, GroupId, Level, Port, SetRule, SwitchId, SwitchImage, SwitchIndex,
};

/// So many of the busiest links of a kind are named.
const MOST_NAMED: usize = 4;

/// What follows the name of a set as it would be without a balance.
const BEFORE: &str = " before balance";

/// One column of the comparison: a name and the loads that were measured.
struct Measured {
    name: String,
    loads: PortLoads,
}

/// A set as the images have it.
struct Written {
    name: String,
    /// Which decision draws from the set.
    drawn: Drawn,
    rule: SetRule,
    /// The levels by switch number, empty for a switch that does not thin the set.
    levels: Vec<Vec<Level>>,
    switches: usize,
}

impl Written {
    fn thinned_switches(&self) -> usize {
        self.levels.iter().filter(|levels| !levels.is_empty()).count()
    }
}

/// The sets that are drawn from at the source, each once, and PAR's second look's if it is thinned.
fn written(subject: &Subject<'_>) -> Vec<Written> {
    let mut all: Vec<(Written, Vec<&str>)> = Vec::new();
    for (decision, drawn, who) in [
        (Decision::UgalL, Drawn::UgalL, "UGAL-L"),
        (Decision::ParSource, Drawn::Par, "PAR"),
        (Decision::ParSecond, Drawn::Par, "PAR's second look"),
    ] {
        let (rule, levels) = read(subject.images, decision);
        let set = Written {
            name: String::new(),
            drawn,
            rule,
            levels,
            switches: subject.images.switches.len(),
        };
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
            (Drawn::Par, _) => Decision::ParSource,
            _ => Decision::UgalL,
        };
        let name = name_of(subject.manifest, decision);
        Written { name: format!("{name} ({})", listed(&whose)), ..set }
    });
    named.collect()
}

/// The rule of one decision, and how each switch thins it.
fn read(images: &Images, decision: Decision) -> (SetRule, Vec<Vec<Level>>) {
    const WRITTEN: &str = "the image stage decodes what it writes";
    let fabric = FabricImage::decode(&images.fabric).expect(WRITTEN);
    let mut rule = None;
    let mut levels = vec![Vec::new(); fabric.dragonfly().switch_numbers() as usize];
    for bytes in &images.switches {
        let image = SwitchImage::decode(bytes, &fabric).expect(WRITTEN);
        let set = image.set(decision);
        rule = Some(*set.rule());
        let ports = fabric.dragonfly().global_ports().filter(|_| set.is_thinned());
        levels[image.switch().as_usize()] = ports.map(|port| set.level(port)).collect();
    }
    (rule.expect("a fabric has switches"), levels)
}

/// The columns of the comparison.
fn measured(subject: &Subject<'_>, sets: &[Written]) -> Vec<Measured> {
    let topology = &subject.fabric.topology;
    let thins = sets.iter().any(|set| set.thinned_switches() > 0);
    if !thins && !is_countable(topology) {
        let seed = subject.manifest.fabric.seed;
        let of = |name: &str, drawn| Measured {
            name: name.to_owned(),
            loads: sampled(subject.images, drawn, seed),
        };
        let mut all = vec![of("conventional", Drawn::Conventional)];
        all.extend(sets.iter().map(|set| of(&set.name, set.drawn)));
        return all;
    }
    let counter = RouteCounter::new(topology);
    let of = |name: String, draw| Measured { name, loads: PortLoads::counted(&counter, draw) };
    let mut all = vec![of("conventional".to_owned(), Draw::Conventional)];
    for set in sets {
        let (rule, levels) = (&set.rule, set.levels.as_slice());
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

/// A sentence on what the balance changed.
fn balance(sets: &[Written]) -> String {
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
    if df.g() < 3 {
        return paragraph(
            "Two groups have no third to go through, so there are no VLB paths between them.",
        );
    }
    let sets = written(subject);
    let all = measured(subject, &sets);
    let method = all.first().map_or(Method::Counted, |measured| measured.loads.method);
    let has_idle = df.groups_with_nodes_count() < df.g();
    let how = match method {
        Method::Counted if has_idle => {
            "All paths were counted, by how often these images draw them; all pairs of switches send alike \
             here, those without nodes among them"
                .to_owned()
        }
        Method::Counted => "All paths were counted, by how often these images draw them".to_owned(),
        Method::Sampled { per_pair: 0, sent } => format!(
            "{sent} paths were drawn from each switch to others at random, by the datapath from these \
             images"
        ),
        Method::Sampled { per_pair, .. } => format!(
            "{per_pair} paths were drawn for each pair of switches, by the datapath from these images"
        ),
    };
    let mut html = paragraph(&format!(
        "What the links carry, in flits per cycle, if every node sends one flit per cycle, evenly to all \
         switches of other groups and by VLB only: a measure of the paths, not of what UGAL makes of \
         them. {how}.",
    ));
    html.push_str(&paragraph(&balance(&sets)));
    let columns = if method == Method::Counted { 6 } else { 7 };
    let rows = all.iter().flat_map(|measured| {
        [(true, "global"), (false, "local")].map(|(global, kind)| {
            let spread = measured.loads.spread(global);
            let uneven = if spread.mean > 0.0 { spread.most / spread.mean } else { 0.0 };
            let mut row = vec![
                measured.name.clone(),
                kind.to_owned(),
                format!("{:.3}", spread.mean),
                format!("{:.3}", spread.most),
                format!("{uneven:.3}"),
                measured.loads.busiest(global).map_or("–".to_owned(), |(switch, port)| {
                    link_in_words(subject.fabric, switch, port)
                }),
                format!("{:.3}", spread.error),
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
    html.push_str(&table(&head[..columns], rows));
    html.push_str(&busiest(subject.fabric, &all));
    let groups = |measured: &Measured, row, column| measured.loads.between(row, column);
    html.push_str("<h3>From group to group</h3>\n");
    html.push_str(&maps(
        subject.fabric,
        &all,
        ("group", "group"),
        "Mean load of the links between two groups",
        &groups,
    ));
    let global = |measured: &Measured, group: u32, index: u32| {
        measured.loads.busiest_of(group * df.a() + index, true)
    };
    let local = |measured: &Measured, group: u32, index: u32| {
        measured.loads.busiest_of(group * df.a() + index, false)
    };
    let mut switches = maps(
        subject.fabric,
        &all,
        ("group", "switch"),
        "Busiest global link of each switch",
        &global,
    );
    switches.push_str(&maps(
        subject.fabric,
        &all,
        ("group", "switch"),
        "Busiest local link of each switch",
        &local,
    ));
    html.push_str(&on_demand("Switch by switch", &switches));
    html
}

/// The busiest links of every set, as the switches draw from it, by name.
fn busiest(fabric: &Fabric, all: &[Measured]) -> String {
    let drawn = all.iter().skip(1).filter(|measured| !measured.name.ends_with(BEFORE));
    let rows = drawn.flat_map(|measured| {
        [(true, "global"), (false, "local")].into_iter().flat_map(move |(global, kind)| {
            let mean = measured.loads.spread(global).mean;
            let links = measured.loads.busiest_links(global, MOST_NAMED);
            links.into_iter().map(move |(switch, port, load)| {
                let over = if mean > 0.0 { load / mean } else { 0.0 };
                vec![
                    measured.name.clone(),
                    kind.to_owned(),
                    link_in_words(fabric, switch, port),
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
fn link_in_words(Fabric { topology, names, .. }: &Fabric, switch: SwitchId, port: Port) -> String {
    let df = topology.dragonfly();
    let (group, index) = df.place(switch);
    let from = format!("from switch {}", names.named(switch));
    let slot = port.0.checked_sub(df.slot_port(0).0);
    if let Some(slot) = slot {
        let end = topology.peer(End { group, port: df.global_port(index, slot) });
        let to = end.map_or("nowhere".to_owned(), |end| {
            let there = df.switch(end.group, df.split_port(end.port).0);
            format!("to switch {}", names.named(there))
        });
        return format!("{from}, global port {slot}, {to}{}", names.by(df, switch, port));
    }
    let to = df.indices(group).find(|&to| to != index && df.local_port(index, to) == port);
    let to = to.map_or("nowhere".to_owned(), |to| {
        format!("to switch {}", names.named(df.switch(group, to)))
    });
    format!("{from} {to}{}", names.by(df, switch, port))
}

/// A map of each column, all on one scale.
fn maps(
    fabric: &Fabric,
    all: &[Measured],
    names: (&str, &str),
    what: &str,
    value: &dyn Fn(&Measured, u32, u32) -> Option<f64>,
) -> String {
    let df = fabric.topology.dragonfly();
    let columns = if names.1 == "group" { df.g() } else { df.a() };
    let of = |number| GroupId(u16::try_from(number).expect("group numbers fit 16 bits"));
    let called = |row: u32, column: u32| {
        let column = match u8::try_from(column).map(SwitchIndex) {
            _ if names.1 == "group" => fabric.names.after_group(of(column)),
            Ok(index) => fabric.names.after(df.switch(of(row), index)),
            Err(_) => String::new(),
        };
        (fabric.names.after_group(of(row)), column)
    };
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for measured in all {
        for row in 0..df.g() {
            for load in (0..columns).filter_map(|column| value(measured, row, column)) {
                (low, high) = (low.min(load), high.max(load));
            }
        }
    }
    // Conventional last, so that before and after stand side by side where two have room.
    row(all.iter().skip(1).chain(all.first()).map(|measured| {
        let cell = |rows: Range<u32>, columns: Range<u32>| {
            let value = mean((&rows, &columns), &|row, column| value(measured, row, column))?;
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
