//! A map of the links of every pair of groups, for fabrics with too many groups for a picture of them all on a ring.

use crate::fabric::Fabric;
use std::collections::BTreeMap;
use std::ops::Range;
use tvlb_base::text::listed;
use tvlb_chart::heat_map::{HeatMap, HeatMapPart, Scale, span};
use tvlb_chart::page::{on_demand, paragraph, table};
use tvlb_schema::{GroupId, SwitchIndex};
use tvlb_topology::dragonfly_plus::leaves;
use tvlb_topology::summary::{SwitchLinks, TopologySummary, unusual_local_links};

/// With more groups than this, the table of all pairs is left out.
const MOST_IN_A_TABLE: u32 = 40;
/// As many values as there are colours.
const MOST_STEPS: usize = 9;

fn group(number: u32) -> GroupId {
    GroupId(u16::try_from(number).expect("group numbers fit 16 bits"))
}

fn links(fabric: &Fabric, row: u32, column: u32) -> usize {
    fabric.topology.links(group(row), group(column)).len()
}

/// "1 link", "2 links".
fn count(links: usize) -> String {
    format!("{links} link{}", if links == 1 { "" } else { "s" })
}

pub(super) fn map(fabric: &Fabric) -> String {
    let g = fabric.topology.dragonfly().g();
    let mut pairs: BTreeMap<usize, u32> = BTreeMap::new();
    let groups = || fabric.topology.dragonfly().groups();
    for low in groups() {
        for high in groups().filter(|&high| low < high) {
            *pairs.entry(fabric.topology.links(low, high).len()).or_default() += 1;
        }
    }
    let value = |links: usize| f64::from(u32::try_from(links).expect("at most 2^24 links"));
    let scale = if pairs.len() <= MOST_STEPS {
        let words = |(&links, pairs): (&usize, &u32)| {
            let plural = if *pairs == 1 { "" } else { "s" };
            (value(links), format!("{}: {pairs} pair{plural} of groups", count(links)))
        };
        Scale::Steps(pairs.iter().map(words).collect())
    } else {
        let ends = [pairs.first_key_value(), pairs.last_key_value()];
        let [low, high] = ends.map(|end| end.map_or(0.0, |(&links, _)| value(links)));
        Scale::Even(low, high)
    };
    let is_there = |number| fabric.topology.dragonfly().switches_of(group(number)) > 0;
    let cell = |rows: Range<u32>, columns: Range<u32>| {
        let of_row =
            |row| columns.clone().filter(move |&column| row != column).map(move |c| (row, c));
        let all = rows.clone().flat_map(of_row).filter(|&(row, c)| is_there(row) && is_there(c));
        let all = all.map(|(row, column)| links(fabric, row, column));
        let (least, most) =
            all.fold((usize::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
        let called = |numbers: &Range<u32>| match numbers.len() {
            1 => format!("{}{}", numbers.start, fabric.names.after_group(group(numbers.start))),
            _ => span(numbers),
        };
        let words = if least == most { count(least) } else { format!("{least} to {most} links") };
        let title = format!("groups {} and {}: {words}", called(&rows), called(&columns));
        (least <= most).then(|| (value(least), title))
    };
    HeatMap {
        title: "the number of links of every pair of groups".to_owned(),
        names: ("group", "group"),
        size: (g, g),
        parts: &kinds(fabric),
        scale,
        cell: &cell,
    }
    .svg()
}

/// The kinds of groups, if there are several.
fn kinds(fabric: &Fabric) -> Vec<HeatMapPart> {
    let kinds = fabric.file.kinds_of_groups();
    let mut parts: Vec<HeatMapPart> = Vec::new();
    for (first, chunk) in starts(&kinds) {
        let numbers = first..first + chunk.1;
        let groups = if chunk.1 == 1 { "group" } else { "groups" };
        let name = &fabric.file.kind_names[chunk.0];
        parts.push(HeatMapPart { first, name: format!("{name}: {groups} {}", span(&numbers)) });
    }
    if parts.len() > 1 { parts } else { Vec::new() }
}

/// The runs of equal numbers: where each begins, its number, and how long it is.
fn starts(kinds: &[usize]) -> Vec<(u32, (usize, u32))> {
    let mut first = 0;
    let runs = kinds.chunk_by(|one, next| one == next).map(|run| {
        let length = u32::try_from(run.len()).expect("group numbers fit 16 bits");
        first += length;
        (first - length, (run[0], length))
    });
    runs.collect()
}

/// Missing links: the pairs of groups that have fewer than usual, the cables that they lack, and the groups and pairs
/// of switches without the usual local links; empty if nothing is missing.
pub(super) fn odd_pairs(fabric: &Fabric) -> String {
    let summary = TopologySummary::named(&fabric.topology, &fabric.names);
    let called = |group| format!("{group}{}", fabric.names.after_group(group));
    let head = ["groups", "have links", "of those that are usual for their kinds"];
    let pairs = alike(&summary.pairs_with_fewer, |pair| (pair.links, pair.usual));
    let mut html = first_rows(&head, &pairs, |pairs| {
        let groups = which(pairs, |pair| pair.groups.map(called).join(" and "));
        vec![groups, pairs[0].links.to_string(), pairs[0].usual.to_string()]
    });
    let head = ["cables that are lacking", "from", "to"];
    html.push_str(&first_rows(&head, &summary.lacking_cables, |lacking| {
        let [one, other] = [0, 1].map(|end: usize| lacking.ends[end].to_string());
        vec![lacking.cables.to_string(), one, other]
    }));
    let leaves = leaves(&fabric.topology);
    let pairs = unusual_local_links(&fabric.topology, &leaves);
    let groups: Vec<&[SwitchLinks]> = pairs.chunk_by(|one, next| one.group == next.group).collect();
    let df = fabric.topology.dragonfly();
    let figures = |pairs: &&[SwitchLinks]| {
        let group = pairs[0].group;
        let is_leaf = |&index: &_| leaves.contains(&df.switch(group, index));
        let leaves = df.indices(group).filter(is_leaf).count();
        let a = df.switches_of(group) as usize;
        let meant = if leaves == 0 { a * (a - 1) / 2 } else { leaves * (a - leaves) };
        let without = pairs.iter().filter(|pair| pair.links == 0).count();
        [meant, without, pairs.len() - without]
    };
    let head =
        ["group", "pairs of its switches", "share no link", "share an unusual number of links"];
    html.push_str(&first_rows(&head, &alike(&groups, figures), |groups| {
        let named = which(groups, |pairs| called(pairs[0].group));
        [vec![named], figures(groups[0]).map(|figure| figure.to_string()).to_vec()].concat()
    }));
    let head = ["group", "switch", "and switch", "share local links"];
    let alike_pairs = alike(&pairs, |pair| (pair.switches, pair.links));
    html.push_str(&first_rows(&head, &alike_pairs, |pairs| {
        let [one, other] = pairs[0].switches.map(|index| {
            let index = SwitchIndex(u8::try_from(index).expect("an index below a fits 8 bits"));
            let name = fabric.names.after(df.switch(pairs[0].group, index));
            format!("{index}{}", if pairs.len() == 1 { name } else { String::new() })
        });
        vec![which(pairs, |pair| called(pair.group)), one, other, pairs[0].links.to_string()]
    }));
    html
}

/// Collects items with equal keys, in the order of the first of each.
fn alike<T, K: Ord>(all: &[T], key: impl Fn(&T) -> K) -> Vec<Vec<&T>> {
    let mut places = BTreeMap::new();
    let mut alike: Vec<Vec<&T>> = Vec::new();
    for one in all {
        let place = *places.entry(key(one)).or_insert(alike.len());
        if place == alike.len() {
            alike.push(Vec::new());
        }
        alike[place].push(one);
    }
    alike
}

/// The parts of a row: one by its name, or several that are alike.
fn which<T>(alike: &[&T], name: impl Fn(&T) -> String) -> String {
    let names = listed(alike.iter().map(|one| name(one)), alike.len(), MOST_NAMED);
    if alike.len() == 1 { names } else { format!("{} alike: {names}", alike.len()) }
}

/// A table of the first of these; empty if there are none.
fn first_rows<T>(head: &[&str], all: &[T], row: impl Fn(&T) -> Vec<String>) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut html = table(head, all.iter().take(MOST_LISTED).map(row));
    if all.len() > MOST_LISTED {
        html.push_str(&paragraph(&format!("These are the first {MOST_LISTED} of {}.", all.len())));
    }
    html
}

/// The map in words, for readers who cannot see colours: how many pairs have how many links, and, if it is not too
/// large, a table of all pairs.
pub(super) fn in_words(fabric: &Fabric) -> String {
    let summary = TopologySummary::named(&fabric.topology, &fabric.names);
    let rows = summary
        .links_per_pair
        .iter()
        .map(|found| vec![found.links.to_string(), found.pairs.to_string()]);
    let mut html = table(&["links", "pairs of groups with that many"], rows);
    let g = fabric.topology.dragonfly().g();
    if g <= MOST_IN_A_TABLE {
        let numbers: Vec<String> = (0..g).map(|number| number.to_string()).collect();
        let head: Vec<&str> =
            std::iter::once("group").chain(numbers.iter().map(String::as_str)).collect();
        let rows = (0..g).map(|row| {
            let cell = |column| {
                if row == column {
                    "–".to_owned()
                } else {
                    links(fabric, row, column).to_string()
                }
            };
            std::iter::once(row.to_string()).chain((0..g).map(cell)).collect()
        });
        html.push_str(&table(&head, rows));
    }
    on_demand("The links of pairs of groups as tables", &html)
}

/// The most parts of a row that are named.
const MOST_NAMED: usize = 10;

/// The most rows that a table lists; `tvlb topology --json` has all.
const MOST_LISTED: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_are_one() {
        let numbers: Vec<u32> = (0..30).filter(|number| *number != 7).collect();
        let by_parity = alike(&numbers, |number| number % 2);
        let named: Vec<String> =
            by_parity.iter().map(|alike| which(alike, |number| format!("n{number}"))).collect();
        assert_eq!(
            named,
            [
                "15 alike: n0, n2, n4, n6, n8, n10, n12, n14, n16, n18 and 5 more",
                "14 alike: n1, n3, n5, n9, n11, n13, n15, n17, n19, n21 and 4 more"
            ]
        );
        assert_eq!(which(&[&5], ToString::to_string), "5");
        assert_eq!(which(&[&5, &6], ToString::to_string), "2 alike: 5, 6");
    }
}
