//! When jobs ran: a bar for each job of each run, cut where the last rank ended an iteration or a phase.

use super::super::report::RunReport;
use super::places::class;
use std::fmt::Write;
use tvlb_chart::page::{figure, paragraph};
use tvlb_chart::{escaped, round_axis, ticks};
use tvlb_jobs::JobTimes;

const WIDTH: f64 = 640.0;
const LEFT: f64 = 110.0;
const MARGIN: f64 = 20.0;
const TOP: f64 = 24.0;
const ROW: f64 = 22.0;
const BAR: f64 = 14.0;
/// So many bars are drawn.
const MOST_BARS: usize = 40;
/// So many parts of a bar are drawn; where there are more, several are one.
const MOST_PARTS: usize = 200;

/// The picture and what to read from it.
pub(super) fn body(report: &RunReport<'_>) -> String {
    let bars: Vec<(String, usize, &JobTimes)> = report
        .runs
        .iter()
        .flat_map(|run| {
            let several = report.runs.len() > 1;
            let seed = if several { format!("seed {}, ", run.seed) } else { String::new() };
            let name = move |job| format!("{seed}job {job}");
            let jobs = run.completion.jobs.iter().enumerate();
            jobs.map(move |(job, times)| (name(job), job, times))
        })
        .collect();
    let (drawn, all) = (bars.len().min(MOST_BARS), bars.len());
    let least = report.runs.iter().map(|run| run.least_time.cycles()).min().unwrap_or(0);
    let mut html = figure(
        &picture(&bars[..drawn], least),
        "A bar for each job from the first cycle to the one in which its last rank ended, cut at the ends of \
         iterations and phases. Point at a part for its cycles. The dashed line is what no run can take less than.",
    );
    if drawn < all {
        html.push_str(&paragraph(&format!("These are the first {drawn} of {all} bars.")));
    }
    html
}

fn picture(bars: &[(String, usize, &JobTimes)], least: u64) -> String {
    let most = bars.iter().map(|(.., times)| f64::from(times.running_time())).fold(0.0, f64::max);
    #[expect(clippy::cast_precision_loss, reason = "cycles stay far below 2^53")]
    let least = least as f64;
    let (step, end) = round_axis(most.max(least));
    let scale = (WIDTH - LEFT - MARGIN) / end;
    let below = TOP + ROW * real(bars.len());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wide\" viewBox=\"0 0 {WIDTH} {:.1}\" role=\"img\" aria-label=\"when the jobs ran\">\n",
        below + 40.0
    );
    for mark in ticks(step, end) {
        let x = LEFT + mark * scale;
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{x:.1} {TOP}V{below:.1}\"/><text class=\"mid\" x=\"{x:.1}\" y=\"{:.1}\">{mark}</text>",
            below + 16.0
        );
    }
    let middle = f64::midpoint(LEFT, WIDTH - MARGIN);
    let _ = writeln!(
        svg,
        "<text class=\"mid\" x=\"{middle:.1}\" y=\"{:.1}\">cycles</text>",
        below + 34.0
    );
    for (row, (name, job, times)) in bars.iter().enumerate() {
        let y = TOP + ROW * real(row) + (ROW - BAR) / 2.0;
        let _ = writeln!(
            svg,
            "<text class=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
            LEFT - 8.0,
            y + 11.0,
            escaped(name)
        );
        for BarSegment { what, begin, end } in parts(times) {
            let (x, width) = (LEFT + f64::from(begin) * scale, f64::from(end - begin) * scale);
            let _ = writeln!(
                svg,
                "<rect class=\"{}\" x=\"{x:.2}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{BAR}\"><title>{}, {what}: cycles {begin} to {end}, {} cycles</title></rect>",
                class(*job),
                (width - 1.0).max(width / 2.0),
                escaped(name),
                end - begin
            );
        }
    }
    let x = LEFT + least * scale;
    let _ = writeln!(
        svg,
        "<path class=\"bound\" d=\"M{x:.1} {}V{below:.1}\"/><text class=\"mid\" x=\"{x:.1}\" y=\"14\">least: {least}</text>\n</svg>",
        TOP - 6.0
    );
    svg
}

/// A part of a bar.
#[derive(Debug, PartialEq, Eq)]
struct BarSegment {
    what: String,
    begin: u32,
    end: u32,
}

/// What is left of a bar between its cuts. Phases of one iteration may end in any order, because no rank
/// waits for all others; a phase is drawn from the latest end before it.
fn parts(times: &JobTimes) -> Vec<BarSegment> {
    let mut cuts: Vec<(String, u32)> = Vec::new();
    for (iteration, &end) in times.iterations.iter().enumerate() {
        let phases = times.phases.get(iteration).into_iter().flatten().enumerate();
        cuts.extend(
            phases.map(|(phase, &end)| (format!("iteration {iteration}, phase {phase}"), end)),
        );
        cuts.push((format!("iteration {iteration}"), end));
    }
    let together = cuts.len().div_ceil(MOST_PARTS).max(1);
    let mut begin = 0;
    let mut parts = Vec::new();
    for some in cuts.chunks(together) {
        let end = some.iter().map(|(_, end)| *end).max().unwrap_or(begin);
        if end > begin {
            let what = match some {
                [(first, _), .., (last, _)] => format!("{first} to {last}"),
                [(only, _)] => only.clone(),
                [] => String::new(),
            };
            parts.push(BarSegment { what, begin, end });
            begin = end;
        }
    }
    parts
}

#[expect(clippy::cast_precision_loss, reason = "a number of bars")]
fn real(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_cut_where_iterations_and_phases_end() {
        let part = |what: &str, begin, end| BarSegment { what: what.to_owned(), begin, end };
        let times = JobTimes { iterations: vec![10, 25], phases: Vec::new() };
        assert_eq!(parts(&times), [part("iteration 0", 0, 10), part("iteration 1", 10, 25)]);
        // The second phase ends before the first for the last rank, and the iteration with a phase.
        let times = JobTimes { iterations: vec![12], phases: vec![vec![8, 5, 12]] };
        let expected = [part("iteration 0, phase 0", 0, 8), part("iteration 0, phase 2", 8, 12)];
        assert_eq!(parts(&times), expected);
        let times = JobTimes { iterations: (1..=1000).collect(), phases: Vec::new() };
        let many = parts(&times);
        assert_eq!((many.len(), many.last().map(|part| part.end)), (200, Some(1000)));
        assert_eq!(many[0], part("iteration 0 to iteration 4", 0, 5));
        assert_eq!(parts(&JobTimes { iterations: vec![0], phases: Vec::new() }), []);
    }
}
