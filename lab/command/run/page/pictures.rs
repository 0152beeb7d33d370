//! The pictures of a page: where jobs lie, when they ran, how they loaded the links.

use super::super::report::RunReport;
use super::super::workload::JobsRun;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use tvlb_base::text::listed;
use tvlb_chart::bars::{Bar, BarChart, BarGroup, BarPart};
use tvlb_chart::heat_map::{HeatMap, Scale, mean, span};
use tvlb_chart::page::{figure, paragraph, side_by_side, table};
use tvlb_chart::{Axis, Ink, Mark, Plot, Series};
use tvlb_jobs::JobTimes;
use tvlb_schema::{NodeId, Nodes, Port, SwitchId};
use tvlb_simulator::{BootedFabric, LinkTarget};

/// If groups have more nodes than this, a row of the picture of places is a switch.
const MOST_NODES: u32 = 48;
/// The most ranks that are named at a place.
const NAMED_RANKS: usize = 8;
/// The most bars that are drawn, but at least those of one run.
const MOST_BARS: usize = 40;
/// The most parts of a bar that are drawn; if there are more, several are merged.
const MOST_PARTS: usize = 200;
/// The most links that are named, the busiest first.
const NAMED_LINKS: usize = 12;
/// The most points that are drawn in each line of links.
const POINTS: usize = 64;

/// Jobs, each by the node of each of its ranks.
pub(super) fn places(nodes: &Nodes, jobs: &[Vec<NodeId>]) -> String {
    let df = nodes.dragonfly();
    let are_nodes = df.a() * df.p() <= MOST_NODES;
    let (row_name, per_switch) = if are_nodes { ("node", df.p()) } else { ("switch", 1) };
    // Jobs and ranks by row and group.
    let mut places: BTreeMap<(u32, u32), Vec<(usize, u32)>> = BTreeMap::new();
    for (job, nodes) in jobs.iter().enumerate() {
        for (rank, &node) in (0..).zip(nodes) {
            let (switch, terminal) = df.switch_of(node);
            let (group, index) = df.place(switch);
            let row = u32::from(index.0) * per_switch + u32::from(terminal) % per_switch;
            places.entry((row, group.0.into())).or_default().push((job, rank));
        }
    }
    let cell = |rows: Range<u32>, groups: Range<u32>| {
        let mut here: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        let all = rows.clone().flat_map(|row| groups.clone().map(move |group| (row, group)));
        for &(job, rank) in all.filter_map(|place| places.get(&place)).flatten() {
            here.entry(job).or_default().push(rank);
        }
        let most = here.iter().max_by_key(|(job, ranks)| (ranks.len(), Reverse(**job)));
        let kind = u32::try_from(most.map_or(jobs.len(), |(job, _)| *job)).unwrap_or(u32::MAX);
        let words: Vec<String> =
            here.iter().map(|(job, ranks)| format!("job {job}, {}", in_words(ranks))).collect();
        let words = if here.is_empty() { "no job".to_owned() } else { words.join("; ") };
        let place = format!("group {}, {row_name} {}", span(&groups), span(&rows));
        Some((kind.into(), format!("{place}: {words}")))
    };
    let kinds = (0..jobs.len()).map(|job| (Ink::nth(job), format!("job {job}")));
    let map = HeatMap {
        title: "where the jobs run".to_owned(),
        names: (&format!("{row_name} of the group"), "group"),
        size: (df.a() * per_switch, df.g()),
        parts: &[],
        scale: Scale::Kinds(kinds.collect()),
        cell: &cell,
    };
    let caption = format!(
        "A column for each group and a row for each {row_name} of it, in the colour of the job that has most ranks \
         there, grey without a job. Point at a place for its ranks."
    );
    figure(&map.svg(), &caption)
}

/// The numbers of the first ranks, and how many more there are.
fn in_words(ranks: &[u32]) -> String {
    let plural = if ranks.len() > 1 { "s" } else { "" };
    format!("rank{plural} {}", listed(ranks, ranks.len(), NAMED_RANKS))
}

/// A bar for each job of each run, cut where the last rank ended an iteration or a phase.
pub(super) fn times(report: &RunReport<'_>) -> String {
    let jobs = report.workload.jobs.len().max(1);
    let (drawn, all) = ((MOST_BARS / jobs).clamp(1, report.runs.len().max(1)), report.runs.len());
    let groups = report.runs.iter().take(drawn).map(|run| {
        let bars = run.completion.jobs.iter().enumerate().map(|(job, times)| {
            let (name, cycles) = (format!("job {job}"), times.running_time());
            let words = format!("{cycles} cycles");
            let parts = parts(&format!("seed {}, {name}", run.seed), times);
            Bar { name, ink: Ink::nth(job), value: cycles.into(), error: 0.0, words, parts }
        });
        BarGroup { name: format!("seed {}", run.seed), bars: bars.collect() }
    });
    let least = report.runs.iter().map(|run| run.least_time.cycles()).min().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "cycles stay far below 2^53")]
    let level = Some((least as f64, format!("least: {least}")));
    let (title, axis) = ("when the jobs ran".to_owned(), "cycles".to_owned());
    let chart = BarChart { title, axis, level, groups: groups.collect() };
    let caption = "A bar for each job from the first cycle to the one in which its last rank ended, cut at the ends of \
                   iterations and phases. Point at a part for its cycles. The dashed line is the least time of any \
                   run.";
    let left_out = format!("These are the first {drawn} of {all} runs.");
    let left_out = if drawn < all { paragraph(&left_out) } else { String::new() };
    figure(&chart.svg(), caption) + &left_out
}

/// The parts of a bar between its cuts. Phases of one iteration may end in any order, because no rank waits for all
/// others; each is drawn from the latest end before it.
fn parts(job: &str, times: &JobTimes) -> Vec<BarPart> {
    let mut cuts: Vec<(String, u32)> = Vec::new();
    for (iteration, &end) in times.iterations.iter().enumerate() {
        let phases = times.phases.get(iteration).into_iter().flatten().enumerate();
        let named = |(phase, &end)| (format!("iteration {iteration}, phase {phase}"), end);
        cuts.extend(phases.map(named));
        cuts.push((format!("iteration {iteration}"), end));
    }
    let (mut begin, mut parts) = (0, Vec::new());
    for some in cuts.chunks(cuts.len().div_ceil(MOST_PARTS).max(1)) {
        let end = some.iter().map(|(_, end)| *end).max().unwrap_or(begin);
        if end > begin {
            let (first, last) = (&some[0].0, &some[some.len() - 1].0);
            let what = if some.len() > 1 { format!("{first} to {last}") } else { first.clone() };
            let cycles = end - begin;
            let hover = format!("{job}, {what}: cycles {begin} to {end}, {cycles} cycles");
            parts.push(BarPart { end: end.into(), hover });
            begin = end;
        }
    }
    parts
}

/// A link and its load.
struct Loaded {
    switch: SwitchId,
    port: Port,
    /// Flits per cycle, over all cycles of the run.
    flits: f64,
    /// In percent of the link's capacity.
    share: f64,
    /// The groups at its ends.
    groups: (u32, u32),
}

/// How a run loaded the links: between every two groups, link by link in the order of their loads, and the busiest by
/// name.
pub(super) fn links(fabric: &BootedFabric<'_>, run: &JobsRun) -> String {
    let network = &run.completion.network;
    let group = |switch| u32::from(fabric.dragonfly().place(switch).0.0);
    let loaded = |&(switch, port, flits): &(SwitchId, Port, f64)| {
        let (to, kind) = match fabric.link(switch, port) {
            LinkTarget::Local(to, _) => (to, &network.local_links),
            LinkTarget::Global(to, _) => (to, &network.global_links),
            LinkTarget::Terminal(_) | LinkTarget::Unused => return None,
        };
        let (share, groups) = (100.0 * flits / kind.capacity, (group(switch), group(to)));
        Some(Loaded { switch, port, flits, share, groups })
    };
    let mut links: Vec<Loaded> = network.links.iter().filter_map(loaded).collect();
    // Equally busy links are in the order of switches and ports.
    links.sort_by(|one, other| other.share.total_cmp(&one.share));
    let between = "Mean load of the links from each group to each, in percent of what they carry; within a group, of its \
         local links.";
    let in_order = "All links in the order of their loads. The flatter a line, the more evenly links are used; what stands far \
         above the rest holds the run up.";
    let pictures = figure(&between_groups(fabric.dragonfly().g(), &links), between)
        + &figure(&by_load(&links).svg(), in_order);
    let rows =
        links.iter().take(NAMED_LINKS).map(|&Loaded { switch, port, flits, share, .. }| {
            vec![fabric.name(switch, port), format!("{flits:.3}"), format!("{share:.1}%")]
        });
    side_by_side(&pictures)
        + &table(&["busiest links", "flits per cycle", "of what it carries"], rows)
}

/// The map of groups.
fn between_groups(g: u32, links: &[Loaded]) -> String {
    let mut sums: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
    for link in links {
        let (sum, count) = sums.entry(link.groups).or_default();
        (*sum, *count) = (*sum + link.share, *count + 1.0);
    }
    let value = |from, to| sums.get(&(from, to)).map(|(sum, count)| sum / count);
    let cell = |rows: Range<u32>, columns: Range<u32>| {
        let value = mean((&rows, &columns), &value)?;
        Some((value, format!("group {} to group {}: {value:.1}%", span(&rows), span(&columns))))
    };
    HeatMap {
        title: "the mean load of the links from each group to each".to_owned(),
        names: ("group", "group"),
        size: (g, g),
        parts: &[],
        scale: Scale::Even(0.0, sums.values().map(|(sum, count)| sum / count).fold(0.0, f64::max)),
        cell: &cell,
    }
    .svg()
}

/// Links from the busiest to the idlest, as many of each kind as can be told apart.
fn by_load(links: &[Loaded]) -> Plot {
    let series = |is_global, name: &str, ink| {
        let of_kind = links.iter().filter(|link| (link.groups.0 != link.groups.1) == is_global);
        let shares: Vec<f64> = of_kind.map(|link| link.share).collect();
        let drawn = shares.iter().enumerate().step_by(shares.len().div_ceil(POINTS).max(1));
        let mark = |(place, &share): (usize, &f64)| {
            #[expect(clippy::cast_precision_loss, reason = "a number of links")]
            let x = 100.0 * place as f64 / shares.len() as f64;
            Mark::new(x, share, format!("{share:.1}%: {place} links of this kind carry more"))
        };
        Series { name: name.to_owned(), ink, joined: true, marks: drawn.map(mark).collect() }
    };
    let most = links.first().map_or(0.0, |link| link.share);
    Plot {
        title: "links in the order of their loads".to_owned(),
        x: Axis::new("links (percent of their kind, the busiest first)", 0.0, 100.0),
        y: Axis::new("load (percent of what a link carries)", 0.0, most),
        level: None,
        series: vec![
            series(false, "links within groups", Ink::Conventional),
            series(true, "links between groups", Ink::Ours),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_cut_where_iterations_and_phases_end() {
        let of = |iterations: Vec<u32>, phases| -> Vec<String> {
            parts("j", &JobTimes { iterations, phases }).into_iter().map(|p| p.hover).collect()
        };
        // The second phase ends before the first for the last rank, and the iteration with a phase.
        let expected = [
            "j, iteration 0, phase 0: cycles 0 to 8, 8 cycles",
            "j, iteration 0, phase 2: cycles 8 to 12, 4 cycles",
        ];
        assert_eq!(of(vec![12], vec![vec![8, 5, 12]]), expected);
        let many = of((1..=1000).collect(), Vec::new());
        let first = "j, iteration 0 to iteration 4: cycles 0 to 5, 5 cycles";
        assert_eq!((many.len(), many[0].as_str()), (200, first));
        assert_eq!(of(vec![0], Vec::new()), [""; 0]);
    }
}
