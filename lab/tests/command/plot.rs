//! `tvlb-lab plot`: one picture of results of every kind, and one clear error for what
//! cannot be drawn.

use crate::scratch::Scratch;
use insta::assert_snapshot;
use std::fmt::Write;

/// Loads of which the last saturates.
const RUNS: &str = "simulate out --window 500 --warm-up 1 --traffic shift(2,0) --load 0.1,0.2,0.3,0.6 --seeds 1,2 --latency-limit 200";
const CUT_THROUGH: &str = "sweep fabric.toml --axis routing=min,pb --axis load=0.1,0.3 --axis seed=1,2 --axis warm-up=200 --axis cycles=500";

/// A table set, and the runs of two schemes as `ugal-l.csv` and `par.csv`.
fn with_runs() -> Scratch {
    let scratch = Scratch::with_table_set();
    for scheme in ["ugal-l", "par"] {
        let csv = scratch.succeeds(&format!("{RUNS} --scheme {scheme} --format csv"));
        scratch.write(&format!("{scheme}.csv"), csv);
    }
    scratch
}

fn text(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

#[test]
fn several_schemes_are_one_picture() {
    let scratch = with_runs();
    let said = scratch.succeeds("plot ugal-l.csv par.csv -o both.svg");
    assert_eq!(said, "both.svg: 2 series, 8 points of 16 runs\n");
    let svg = text(&scratch, "both.svg");
    assert_snapshot!("plot_schemes", svg);
    assert!(svg.contains("mean latency above 200 cycles; drawn above the axis"), "{svg}");
    // Nothing is run and nothing is fetched.
    assert!(!svg.contains("<script") && svg.matches("http").count() == 1, "{svg}");
    // Two files that were put together are the same results.
    scratch.write("all.csv", text(&scratch, "ugal-l.csv") + &text(&scratch, "par.csv"));
    assert_eq!(scratch.succeeds("plot all.csv -o all.svg -q"), "");
    assert_eq!(text(&scratch, "all.svg"), svg);
    scratch.succeeds("plot ugal-l.csv par.csv -o more.svg --y accepted,p99 --log --title <more>");
    assert_snapshot!("plot_panels", text(&scratch, "more.svg"));
}

#[test]
fn cut_through_switches_are_drawn_in_phits() {
    let scratch = Scratch::with_table_set();
    scratch.write("runs.csv", scratch.succeeds(&format!("{CUT_THROUGH} --format csv")));
    scratch.succeeds("plot runs.csv -o runs.csv.svg");
    let svg = text(&scratch, "runs.csv.svg");
    assert!(svg.contains("offered load (phits per node and cycle)"), "{svg}");
    assert!(svg.contains(">min</text>") && svg.contains(">pb</text>"), "{svg}");
}

#[test]
fn a_sweep_is_drawn_from_both_of_its_tables() {
    let scratch = Scratch::with_table_set();
    let sweep = "fabrics = [\"fabric.toml\"]\nschemes = [\"min\", \"par\"]\nsets = [\"conventional\"]\n\
        traffic = [\"uniform\", \"shift(2,0)\"]\nloads = [0.1, 0.2]\nseeds = [1, 2]\n\
        [settings]\nwindow = 300\nwarm-up = 1\n";
    scratch.write("sweep.toml", sweep);
    scratch.succeeds("sweep sweep.toml -o runs");
    scratch.succeeds("sweep sweep.toml -o runs --collect -q");
    scratch.succeeds("plot runs/runs.csv -o runs.svg --panel traffic");
    scratch.succeeds("plot runs/summary.csv -o summary.svg --panel traffic");
    let marks = |name: &str| {
        let svg = text(&scratch, name);
        let panel = "class=\"panel\">traffic shift(2,0): mean latency (cycles)</text>";
        assert!(svg.contains(panel), "{svg}");
        svg.lines().filter(|line| line.contains("<title>")).map(str::to_owned).collect::<Vec<_>>()
    };
    let (runs, summary) = (marks("runs.svg"), marks("summary.svg"));
    assert!(runs.len() > 8 && runs == summary, "{runs:?} {summary:?}");
}

/// Sets are points by themselves, and two of them may be at the same place.
#[test]
fn modelled_sets_are_drawn_without_lines() {
    let scratch = Scratch::with_table_set();
    scratch.succeeds("model fabric.toml --patterns shift(1,0) --set step-1 --csv sets.csv -q");
    let said = scratch.succeeds("plot sets.csv -o sets.svg");
    let lines = text(&scratch, "sets.csv").lines().count() - 1;
    assert!(said.contains(&format!("{lines} points of {lines} runs")), "{said}");
    let svg = text(&scratch, "sets.svg");
    assert!(svg.contains("on the front: true") && !svg.contains(" line\" d=\"M"), "{svg}");
}

#[test]
fn what_cannot_be_drawn_is_refused_by_name() {
    let scratch = with_runs();
    scratch.write("cables.csv", "from_group,from_switch\n0,1\n");
    scratch.write("empty.csv", "");
    scratch
        .write("phits.csv", "scheme,load,latency,drawn\nmin,0.1,50,latency over load in phits\n");
    scratch.write(
        "other.csv",
        text(&scratch, "par.csv").replace(",0.1,1,all,false,false,", ",0.1,1,all,false,false,1"),
    );
    let mut errors = String::new();
    for arguments in [
        "par.csv -o par.pdf",
        "par.csv -o par",
        "par.csv -o out/par.svg",
        "par.csv -o none/par.svg",
        "none.csv -o par.svg",
        "cables.csv -o par.svg",
        "empty.csv -o par.svg",
        "fabric.toml -o par.svg",
        "out/manifest.json -o par.svg",
        "par.csv phits.csv -o par.svg",
        "par.csv -o par.svg --y latenzy",
        "par.csv -o par.svg --y scheme",
        "par.csv -o par.svg --x laod",
        "par.csv -o par.svg --panel pattern",
        "par.csv -o par.svg --where scheme=PAR",
        "par.csv -o par.svg --where scheme",
        "par.csv -o par.svg --limit 0",
        "par.csv ugal-l.csv -o par.svg --by traffic",
        "par.csv other.csv -o par.svg --by scheme",
    ] {
        let error = scratch.refuses(&format!("plot {arguments}"));
        writeln!(errors, "{arguments}\n    {error}").unwrap();
    }
    let here = scratch.path("").canonicalize().unwrap().display().to_string();
    assert_snapshot!("plot_refused", errors.replace(here.trim_end_matches('/'), "[HERE]"));
    assert!(!scratch.path("par.svg").exists());
    // Without --by, two files with other figures of one run are two series.
    scratch.succeeds("plot par.csv other.csv -o par.svg");
    assert!(text(&scratch, "par.svg").contains(">other.csv</text>"));
}

/// What a file may hold that a picture must not: no character of it is out of place in XML.
#[test]
fn text_that_cannot_be_seen_is_shown_by_its_numbers() {
    let scratch = with_runs();
    let hidden = text(&scratch, "par.csv").replace(",par,", ",\u{1b}[2J\u{202e}\u{7}par,");
    scratch.write("hidden.csv", hidden);
    scratch.succeeds("plot hidden.csv ugal-l.csv -o hidden.svg");
    let svg = text(&scratch, "hidden.svg");
    let is_plain = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
    assert!(svg.chars().all(is_plain), "{svg}");
    assert!(svg.contains("\\u{1b}[2J\\u{202e}\\u{7}par"), "{svg}");
}

#[test]
fn the_heading_has_what_is_the_same_whatever_makes_series() {
    let scratch = with_runs();
    let heading = |options: &str| {
        scratch.succeeds(&format!("plot par.csv ugal-l.csv -o by.svg {options}"));
        let svg = text(&scratch, "by.svg");
        let lines = svg.lines().filter(|line| line.contains("<text")).take(2);
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(heading("--by scheme"), heading(""));
    // And a picture of one place says what was run there.
    scratch.write(
        "one.csv",
        scratch.succeeds(
            "simulate out --scheme min --saturation --window 200 --warm-up 3 --format csv -q",
        ),
    );
    scratch.succeeds("plot one.csv -o one.svg");
    assert!(text(&scratch, "one.svg").contains(">min</text>"));
}
