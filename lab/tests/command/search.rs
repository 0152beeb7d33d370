//! The search for mixtures: its table, the same whatever the threads and interruptions, and what is
//! refused.

use crate::programs::program;
use crate::scratch::{Run, Scratch};
use crate::signals::interrupt_after;
use insta::assert_snapshot;
use std::process::Stdio;
use std::time::Duration;

/// Six switches: a search takes a moment.
const TINY: &str = "name = \"tiny\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 3\n";
/// As large, but not the same.
const OTHER: &str = "name = \"other\"\n[dragonfly]\np = 2\na = 2\nh = 1\ng = 3\n";

fn two_fabrics() -> Scratch {
    let scratch = Scratch::with_text(TINY);
    scratch.write("other.toml", OTHER);
    scratch
}

#[test]
fn the_table_of_a_search() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    // The runs are kept, so that the second search makes none.
    let search = "search fabric.toml --panel quick --runs 200 --state kept";
    assert_snapshot!("search_table", scratch.succeeds(search));
    let json = scratch.succeeds(&format!("{search} --json"));
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found["latency-limits"], serde_json::json!([152]));
    let mixtures = found["mixtures"].as_array().unwrap();
    assert_eq!(mixtures[0]["policies"], "conventional");
    assert_eq!(mixtures[0]["objective"], 0.0);
    assert_eq!(mixtures[1]["policies"], "switches:2-3 with returns");
    // J is what the documents say: the lead over conventional UGAL, less what latency and regret cost.
    let of = |mixture: &serde_json::Value, figure: &str| mixture[figure][0].as_f64().unwrap();
    for mixture in mixtures {
        let saturation = |m| of(m, "saturation");
        let slower = of(mixture, "low-load-latency") / of(&mixtures[0], "low-load-latency") - 1.0;
        let j = saturation(mixture)
            - saturation(&mixtures[0])
            - 0.05 * slower
            - (of(mixture, "worst-regret") - 0.03).max(0.0);
        assert!((mixture["objective"].as_f64().unwrap() - j).abs() < 2e-6, "{mixture}");
    }
    let objectives: Vec<f64> =
        mixtures[2..].iter().map(|mixture| mixture["objective"].as_f64().unwrap()).collect();
    assert!(objectives.is_sorted_by(|one, other| one >= other), "{objectives:?}");
    // What is found can be tried at once.
    let policies = mixtures[2]["policies"].as_str().unwrap();
    let generate = ["generate", "fabric.toml", "-o", "out", "--set", "auto", "--panel", "quick"];
    let run = scratch
        .command(program("generate"))
        .args(generate)
        .args(["--try-policy", policies])
        .output();
    let run = Run::of(&run.unwrap());
    assert_eq!(run.code, 0, "{run}");
    let manifest = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
    assert!(manifest.contains(&format!("\"{policies}\"")), "{policies}");
}

#[test]
fn threads_do_not_show() {
    let scratch = two_fabrics();
    let of = |options: &str| {
        let search = "search fabric.toml other.toml --panel quick --runs 200 --json";
        scratch.succeeds(&format!("{search} {options}"))
    };
    // Those of PAR have two decisions each.
    let once = of("--scheme par --threads 1");
    assert_eq!(of("--scheme par --threads 3 --state kept"), once);
    // Everything is known already.
    assert_eq!(of("--scheme par --state kept"), once);
    assert_ne!(of("--scheme par --seed 3"), once);
}

#[test]
fn an_interrupted_search_goes_on_to_the_same_end() {
    let scratch = two_fabrics();
    let search = "search fabric.toml other.toml --panel quick --runs 300 --quiet --scheme par";
    let whole = scratch.succeeds(search);
    let options = format!("{search} --state kept");
    for _ in 0..2 {
        let mut command = scratch.command(program("search"));
        command.args(options.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let run = Run::of(&interrupt_after(child, Duration::from_millis(100)));
        assert!(run.code == 0 || run.code == 130, "{run}");
    }
    assert_eq!(scratch.succeeds(&options), whole);
}

#[test]
fn bad_input_ends_in_one_error() {
    let scratch = two_fabrics();
    let refusals = [
        "search",
        "search absent.toml",
        "search fabric.toml fabric.toml",
        "search fabric.toml --scheme min",
        "search fabric.toml --runs 0",
        "search fabric.toml --try-policy shape:011",
    ];
    let all = refusals.map(|line| format!("$ tvlb-lab {line}\n{}", scratch.refuses(line)));
    assert_snapshot!("search_refusals", all.join("\n"));
}
