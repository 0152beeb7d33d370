//! How runs loaded the links: between every two groups, link by link in order of their loads, and the
//! busiest by their names.

use super::super::workload::JobsRun;
use std::ops::Range;
use tvlb_chart::heat_map::{HeatMap, Scale, mean, span};
use tvlb_chart::page::{figure, side_by_side, table};
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};
use tvlb_schema::{Port, SwitchId};
use tvlb_simulator::{BootedFabric, LinkTarget};

/// So many of the busiest links are named.
const NAMED: usize = 12;
/// So many points of each line are drawn.
const POINTS: usize = 64;

/// A link and its load.
#[derive(Clone, Copy, Debug)]
struct Loaded {
    switch: SwitchId,
    port: Port,
    /// Flits per cycle, over all cycles of the run.
    flits: f64,
    /// The part of what the link takes.
    share: f64,
    /// The groups at its ends.
    groups: (u32, u32),
}

impl Loaded {
    fn is_global(&self) -> bool {
        self.groups.0 != self.groups.1
    }
}

/// The pictures and the busiest links of a run; `of` says which run that is, if there are several.
pub(super) fn body(fabric: &BootedFabric<'_>, run: &JobsRun, of: &str) -> String {
    let mut links = loaded(fabric, run);
    let mut html = side_by_side(&[
        figure(
            &between_groups(fabric.dragonfly().g(), &links),
            &format!(
                "Mean load of the links from each group to each, as a part of what they carry; within a \
                 group, of its local links.{of}"
            ),
        ),
        figure(
            &by_load(&mut links).svg(),
            &format!(
                "All links in the order of their loads. The flatter a line, the more evenly links are \
                 used; what stands far above the rest holds the run up.{of}"
            ),
        ),
    ]
    .concat());
    let rows = links.iter().take(NAMED).map(|link| {
        vec![
            fabric.name(link.switch, link.port),
            format!("{:.3}", link.flits),
            format!("{:.1}%", 100.0 * link.share),
        ]
    });
    let head = ["busiest links", "flits per cycle", "of what it carries"];
    html.push_str(&table(&head, rows));
    html
}

fn loaded(fabric: &BootedFabric<'_>, run: &JobsRun) -> Vec<Loaded> {
    let df = fabric.dragonfly();
    let network = &run.completion.network;
    let of = |&(switch, port, flits): &(SwitchId, Port, f64)| {
        let group = |switch| u32::from(df.place(switch).0.0);
        let (to, kind) = match fabric.link(switch, port) {
            LinkTarget::Local(to, _) => (to, &network.local_links),
            LinkTarget::Global(to, _) => (to, &network.global_links),
            LinkTarget::Terminal(_) | LinkTarget::Unused => return None,
        };
        let groups = (group(switch), group(to));
        Some(Loaded { switch, port, flits, share: flits / kind.capacity, groups })
    };
    network.links.iter().filter_map(of).collect()
}

/// The map of groups.
fn between_groups(g: u32, links: &[Loaded]) -> String {
    let mut sums = vec![(0.0, 0.0); (g * g) as usize];
    for link in links {
        let (sum, count) = &mut sums[(link.groups.0 * g + link.groups.1) as usize];
        *sum += link.share;
        *count += 1.0;
    }
    let value = |from: u32, to: u32| {
        let (sum, count) = sums[(from * g + to) as usize];
        (count > 0.0).then(|| sum / count)
    };
    let cell = |rows: Range<u32>, columns: Range<u32>| {
        let value = mean((&rows, &columns), &value)?;
        let (from, to) = (span(&rows), span(&columns));
        Some((value, format!("group {from} to group {to}: {:.1}%", 100.0 * value)))
    };
    let most = (0..g).flat_map(|from| (0..g).filter_map(move |to| value(from, to)));
    let most = most.fold(0.0, f64::max);
    HeatMap {
        title: "the mean load of the links from each group to each".to_owned(),
        names: ("group", "group"),
        size: (g, g),
        parts: &[],
        scale: Scale::Even(0.0, most),
        cell: &cell,
    }
    .svg()
}

/// Links in the order of their loads, which they are put into: the busiest first, and of equally busy ones
/// by switch and port.
fn by_load(links: &mut [Loaded]) -> Plot {
    links.sort_by(|one, other| other.share.total_cmp(&one.share));
    let most = links.first().map_or(0.0, |link| 100.0 * link.share);
    let series = [
        (false, "links within groups", Ink::Conventional),
        (true, "links between groups", Ink::Ours),
    ];
    let series = series.into_iter().map(|(is_global, name, ink)| {
        let of_kind: Vec<f64> = links
            .iter()
            .filter(|link| link.is_global() == is_global)
            .map(|link| 100.0 * link.share)
            .collect();
        Series { name: name.to_owned(), ink, joined: true, marks: points(&of_kind) }
    });
    Plot {
        title: "links in the order of their loads".to_owned(),
        x: Axis::new("links (percent of their kind, the busiest first)", 0.0, 100.0),
        y: Axis::new("load (percent of what a link carries)", 0.0, most),
        level: None,
        series: series.collect(),
    }
}

/// Some values out of many, evenly from the first to the last, over their place in percent.
fn points(values: &[f64]) -> Vec<Mark> {
    let last = values.len().saturating_sub(1);
    let count = values.len().min(POINTS);
    let places = (0..count).map(|n| if count > 1 { n * last / (count - 1) } else { 0 });
    places
        .map(|place| {
            #[expect(clippy::cast_precision_loss, reason = "a number of links")]
            let x = 100.0 * place as f64 / last.max(1) as f64;
            let y = values[place];
            let hover = format!("{y:.1}%: {place} links of this kind carry more");
            Mark::new(x, y, hover)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_from_the_first_value_to_the_last() {
        let of = |values: &[f64]| -> Vec<(f64, Option<f64>)> {
            points(values).iter().map(|mark| (mark.x, mark.y)).collect()
        };
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[4.0]), [(0.0, Some(4.0))]);
        assert_eq!(of(&[4.0, 3.0, 1.0]), [(0.0, Some(4.0)), (50.0, Some(3.0)), (100.0, Some(1.0))]);
        let many: Vec<f64> = (0..1000).rev().map(f64::from).collect();
        let drawn = of(&many);
        assert_eq!(drawn.len(), POINTS);
        assert_eq!((drawn[0], drawn[63]), ((0.0, Some(999.0)), (100.0, Some(0.0))));
    }
}
