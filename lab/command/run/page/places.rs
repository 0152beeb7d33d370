//! Where jobs lie in the fabric: groups side by side, the switches of a group below each other, and the
//! nodes of a switch side by side, in the colours of their jobs.

use std::collections::BTreeMap;
use std::fmt::Write;
use tvlb_chart::{Ink, escaped};
use tvlb_schema::{NodeId, Nodes, SwitchId};

const WIDTH: f64 = 640.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 32.0;
/// The height of a switch, and the least width of a node.
const HEIGHT: f64 = 12.0;
/// The largest width of a node.
const MOST_NODE: f64 = 12.0;
/// Between lines of the legend, and so many names in a line.
const LINE: f64 = 18.0;
const IN_A_LINE: usize = 5;
/// With more nodes a switch is drawn whole, in the colour of the job that has most ranks on it.
const MOST_NODES: u32 = 10_000;
/// So many ranks are named one by one.
const NAMED: usize = 8;

/// The ranks of a node, or of all nodes of a switch, by job.
type Ranks = BTreeMap<usize, Vec<u32>>;

/// How a switch is drawn, in words.
pub(super) fn of_a_switch(nodes: &Nodes) -> &'static str {
    if nodes.count() > MOST_NODES {
        "in the colour of the job that has most ranks there."
    } else {
        "whose nodes stand side by side."
    }
}

/// The picture of jobs, each by the node of each of its ranks.
pub(super) fn picture(nodes: &Nodes, jobs: &[Vec<NodeId>]) -> String {
    let df = nodes.dragonfly();
    let mut on: BTreeMap<NodeId, Ranks> = BTreeMap::new();
    for (job, nodes) in jobs.iter().enumerate() {
        for (rank, &node) in (0..).zip(nodes) {
            on.entry(node).or_default().entry(job).or_default().push(rank);
        }
    }
    let (g, a, p) = (df.g(), df.a(), df.p());
    let column = ((WIDTH - LEFT) / f64::from(g)).min(MOST_NODE * f64::from(p) + 6.0);
    let gap = (column / 8.0).min(6.0);
    let node = (column - gap) / f64::from(p.max(1));
    let lines = (jobs.len() + 1).div_ceil(IN_A_LINE);
    let below = TOP + HEIGHT * f64::from(a) + 20.0;
    let height = below + LINE * real(lines);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wide\" viewBox=\"0 0 {WIDTH} {height:.1}\" role=\"img\" aria-label=\"where the jobs lie\">\n\
         <text x=\"{LEFT}\" y=\"12\">group →</text>\
         <text transform=\"translate(12 {TOP}) rotate(-90)\" class=\"end\">switch of the group</text>\n"
    );
    for group in df.groups() {
        let x = LEFT + column * f64::from(group.0);
        if u32::from(group.0).is_multiple_of(g.div_ceil(30)) {
            let middle = x + (column - gap) / 2.0;
            let _ = writeln!(
                svg,
                "<text class=\"small mid\" x=\"{middle:.1}\" y=\"{}\">{group}</text>",
                TOP - 7.0
            );
        }
        for index in df.indices(group) {
            let y = TOP + HEIGHT * f64::from(index.0);
            let switch = df.switch(group, index);
            for (first, count, ranks) in places(nodes, switch, &on) {
                let (class, words) = described(switch, ranks.as_ref());
                let _ = writeln!(
                    svg,
                    "<rect class=\"{class}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{:.1}\"><title>{}</title></rect>",
                    x + node * f64::from(first),
                    node * f64::from(count) - (node / 8.0).min(1.0),
                    HEIGHT - 2.0,
                    escaped(&words)
                );
            }
        }
    }
    for index in (0..a).filter(|index| index.is_multiple_of(a.div_ceil(14))) {
        let y = TOP + HEIGHT * (f64::from(index) + 0.5) + 2.0;
        let _ = writeln!(
            svg,
            "<text class=\"small end\" x=\"{}\" y=\"{y:.1}\">{index}</text>",
            LEFT - 7.0
        );
    }
    let names = (0..jobs.len()).map(|job| (class(job), format!("job {job}")));
    for (number, (class, name)) in names.chain([("hn", "no job".to_owned())]).enumerate() {
        let x = LEFT + (WIDTH - LEFT) / real(IN_A_LINE) * real(number % IN_A_LINE);
        let y = below + LINE * real(number / IN_A_LINE);
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"20\" height=\"10\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            x + 26.0,
            y + 9.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Neighbouring nodes of a switch that one job has, or none: the first of them, how many they are, and
/// their ranks.
fn places(
    nodes: &Nodes,
    switch: SwitchId,
    on: &BTreeMap<NodeId, Ranks>,
) -> Vec<(u32, u32, Option<Ranks>)> {
    let is_drawn_whole = nodes.count() > MOST_NODES;
    let mut found: Vec<(u32, u32, Option<Ranks>)> = Vec::new();
    for node in nodes.of_switch(switch) {
        let number = u32::from(nodes.dragonfly().switch_of(node).1);
        let ranks = on.get(&node);
        let job = |ranks: &Ranks| ranks.keys().next().copied();
        match found.last_mut() {
            // A node belongs to one job, so that whole switches alone can have several.
            Some((first, count, last))
                if is_drawn_whole
                    || (*first + *count == number && last.as_ref().map(job) == ranks.map(job)) =>
            {
                *count += 1;
                for (&job, more) in ranks.into_iter().flatten() {
                    last.get_or_insert_default().entry(job).or_default().extend(more);
                }
            }
            _ => found.push((number, 1, ranks.cloned())),
        }
    }
    found
}

/// The colour of a place, and what is said under the pointer.
fn described(switch: SwitchId, ranks: Option<&Ranks>) -> (&'static str, String) {
    let Some(ranks) = ranks else { return ("hn", format!("switch {switch}: no job")) };
    let most = ranks.iter().max_by_key(|(job, ranks)| (ranks.len(), std::cmp::Reverse(**job)));
    let words: Vec<String> =
        ranks.iter().map(|(job, ranks)| format!("job {job}, {}", in_words(ranks))).collect();
    (most.map_or("hn", |(job, _)| class(*job)), format!("switch {switch}: {}", words.join("; ")))
}

/// Ranks in words.
fn in_words(ranks: &[u32]) -> String {
    match ranks {
        [only] => format!("rank {only}"),
        [first, .., last] if ranks.windows(2).all(|pair| pair[1] == pair[0] + 1) => {
            format!("ranks {first} to {last}")
        }
        many => {
            let named: Vec<String> = many.iter().take(NAMED).map(u32::to_string).collect();
            let more = match many.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("ranks {}{more}", named.join(", "))
        }
    }
}

/// The look of a job.
pub(super) fn class(job: usize) -> &'static str {
    Ink::nth(job).class()
}

#[expect(clippy::cast_precision_loss, reason = "a number of jobs or lines")]
fn real(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Dragonfly;

    #[test]
    fn neighbouring_nodes_of_a_job_are_one_place() {
        let df = Dragonfly::new(4, 4, 2, 9).unwrap();
        let jobs = [vec![NodeId(0), NodeId(1), NodeId(1), NodeId(5)], vec![NodeId(3)]];
        let svg = picture(&Nodes::from(&df), &jobs);
        for words in [
            "switch 0: job 0, ranks 0 to 2<",
            "switch 0: job 1, rank 0<",
            "switch 0: no job<",
            "switch 1: job 0, rank 3<",
            "switch 35: no job<",
        ] {
            assert!(svg.contains(words), "{words}");
        }
        // Three places of the first switch, three of the second, one of each other; three in the legend.
        assert_eq!(svg.matches("<rect").count(), 3 + 3 + 34 + 3);
    }

    #[test]
    fn the_switches_of_a_large_machine_are_drawn_whole() {
        let df = Dragonfly::new(8, 16, 8, 129).unwrap();
        let svg = picture(&Nodes::from(&df), &[vec![NodeId(0), NodeId(1)], vec![NodeId(2)]]);
        assert!(svg.contains("<rect class=\"k0\"") && !svg.contains("<rect class=\"k1\" x=\"4"));
        assert!(svg.contains("switch 0: job 0, ranks 0 to 1; job 1, rank 0<"));
        assert_eq!(svg.matches("<rect").count(), 2064 + 3);
    }

    #[test]
    fn ranks_are_named_as_a_span_or_one_by_one() {
        assert_eq!(in_words(&[3]), "rank 3");
        assert_eq!(in_words(&[3, 4, 5]), "ranks 3 to 5");
        assert_eq!(in_words(&[3, 5]), "ranks 3, 5");
        let many: Vec<u32> = (0..20).step_by(2).collect();
        assert_eq!(in_words(&many), "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 2 more");
    }
}
