//! The load that VLB puts on the links, drawn conventionally and from the sets that were chosen.

use super::heat::HeatMap;
use super::link_load::{Drawn, LinkLoads};
use super::page::{on_demand, paragraph, table};
use super::{Subject, row};
use tvlb_schema::Dragonfly;

/// One column of the comparison: a name and what was measured. A stage that balances loads adds
/// its own, measured on images of before or after.
struct Measured {
    name: String,
    loads: LinkLoads,
}

fn measured(subject: &Subject<'_>) -> Vec<Measured> {
    let sets = &subject.manifest.sets;
    let seed = subject.manifest.fabric.seed;
    let of =
        |name: String, drawn| Measured { name, loads: LinkLoads::new(subject.images, drawn, seed) };
    let mut all = vec![
        of("conventional".to_owned(), Drawn::Conventional),
        of(format!("{} (UGAL-L)", sets.ugal_l.set), Drawn::UgalL),
    ];
    if sets.par_source != sets.ugal_l {
        all.push(of(format!("{} (PAR)", sets.par_source.set), Drawn::Par));
    } else if let Some(last) = all.last_mut() {
        last.name = format!("{} (UGAL-L and PAR)", sets.ugal_l.set);
    }
    all
}

pub(super) fn body(subject: &Subject<'_>) -> String {
    let df = subject.fabric.topology.dragonfly();
    if df.g() < 3 {
        return paragraph(
            "Two groups have no third to go through, so there are no VLB paths between them.",
        );
    }
    let all = measured(subject);
    let drawn = all.first().map_or(String::new(), |Measured { loads, .. }| match loads.per_pair {
        0 => format!("{} paths were drawn from each switch to others at random", loads.sent),
        per_pair => format!("{per_pair} paths were drawn for each pair of switches"),
    });
    let mut html = paragraph(&format!(
        "What the links carry, in flits per cycle, if every node sends one flit per cycle, evenly to all \
         switches of other groups and by VLB only: a measure of the paths, not of what UGAL makes of \
         them. {drawn}, by the datapath from these images.",
    ));
    let rows = all.iter().flat_map(|measured| {
        [(true, "global"), (false, "local")].map(|(global, kind)| {
            let spread = measured.loads.spread(global);
            let uneven = if spread.mean > 0.0 { spread.most / spread.mean } else { 0.0 };
            vec![
                measured.name.clone(),
                kind.to_owned(),
                format!("{:.3}", spread.mean),
                format!("{:.3}", spread.most),
                format!("{uneven:.3}"),
                format!("{:.3}", spread.error),
            ]
        })
    });
    let head = [
        "VLB paths",
        "links",
        "mean load",
        "busiest link",
        "busiest over mean",
        "error of one link",
    ];
    html.push_str(&table(&head, rows));
    let groups = |measured: &Measured, row, column| measured.loads.between(row, column);
    html.push_str("<h3>From group to group</h3>\n");
    html.push_str(&maps(
        df,
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
    let mut switches =
        maps(df, &all, ("group", "switch"), "Busiest global link of each switch", &global);
    switches.push_str(&maps(
        df,
        &all,
        ("group", "switch"),
        "Busiest local link of each switch",
        &local,
    ));
    html.push_str(&on_demand("Switch by switch", &switches));
    html
}

/// The same map of all that was measured, on one scale.
fn maps(
    df: &Dragonfly,
    all: &[Measured],
    names: (&str, &str),
    what: &str,
    value: &dyn Fn(&Measured, u32, u32) -> Option<f64>,
) -> String {
    let columns = if names.1 == "group" { df.g() } else { df.a() };
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for measured in all {
        for row in 0..df.g() {
            for load in (0..columns).filter_map(|column| value(measured, row, column)) {
                (low, high) = (low.min(load), high.max(load));
            }
        }
    }
    row(all.iter().map(|measured| {
        let map = HeatMap {
            title: format!("{what}, {}", measured.name),
            names,
            size: (df.g(), columns),
            range: (low.min(high), high),
            value: &|row, column| value(measured, row, column),
        };
        (map.svg(), format!("{what}: {}", measured.name))
    }))
}
