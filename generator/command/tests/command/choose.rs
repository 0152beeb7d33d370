//! Sets that `generate` chooses itself: the table it ends with, the same bytes whatever the threads,
//! interruption and going on, and what is refused.

use crate::scratch::{Run, Scratch, TVLB};
use crate::signals::interrupt_after;
use insta::{assert_snapshot, with_settings};
use std::process::Stdio;
use std::time::Duration;

/// Six switches: a choice takes a moment.
const TINY: &str = "name = \"tiny\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 3\n";

/// A fabric file without a set, of which the sets are to be chosen.
fn shipped(name: &str) -> Scratch {
    let fabric = String::from_utf8(Scratch::with_shipped(name).read("fabric.toml")).unwrap();
    let (sizes, _) = fabric.split_once("[routing]").unwrap();
    Scratch::with_text(sizes)
}

/// The table set in `out`, without the name of the directory.
fn table_set(scratch: &Scratch) -> Vec<(String, Vec<u8>)> {
    let files = scratch.files().into_iter();
    files.filter_map(|(name, bytes)| Some((name.strip_prefix("out/")?.to_owned(), bytes))).collect()
}

fn without_time(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(" bytes of images, in ") {
        Some((before, _)) => format!("{before} bytes of images, in [TIME]"),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_table_of_a_choice() {
    let scratch = shipped("dfly-2-4-2-9.toml");
    let printed = scratch.succeeds("generate fabric.toml -o out --panel quick");
    assert_snapshot!("choice_table", without_time(&printed));
    let manifest = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
    let choice = manifest.split_once("\"choice\"").unwrap().1.split_once("\"sizes\"").unwrap().0;
    assert_snapshot!("choice_manifest", choice);
    assert_eq!(scratch.names(), ["fabric.toml", "out"]);
    // The images mean what the manifest says, and what reads manifests reads this one.
    let inspected = scratch.succeeds("inspect out");
    let json: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    for decision in ["ugal-l", "par-source", "par-second"] {
        let set = json["sets"][decision]["set"].as_str().unwrap();
        assert!(inspected.contains(set), "{inspected}");
    }
    scratch.succeeds("simulate out --window 500 --warm-up 1");
}

#[test]
fn threads_and_repetition_do_not_show() {
    let of = |options: &str| {
        let scratch = Scratch::with_text(TINY);
        scratch.succeeds(&format!("generate fabric.toml -o out --panel quick {options}"));
        table_set(&scratch)
    };
    let once = of("--threads 1");
    for options in ["--threads 1 --set auto", "--threads 2 --state kept", "--threads 7"] {
        assert_eq!(of(options), once, "{options}");
    }
    assert_eq!(of("--prefer robust --threads 7"), of("--prefer robust --threads 1"));
}

#[test]
fn the_model_alone() {
    let scratch = Scratch::with_text(TINY);
    let printed = scratch.succeeds("generate fabric.toml -o out --fast");
    with_settings!({ filters => vec![(r"in \d+\.\d\d s", "in [TIME] s")] }, {
        assert_snapshot!("choice_by_model", printed);
    });
    let manifest = String::from_utf8(scratch.read("out/manifest.json")).unwrap();
    assert!(manifest.contains("\"by\": \"model\""));
}

#[test]
fn of_a_vast_fabric_a_few_sets_are_modelled() {
    let scratch =
        Scratch::with_text("name = \"vast\"\n[dragonfly]\np = 8\na = 16\nh = 4\ng = 65\n");
    let printed = scratch.succeeds("generate fabric.toml -o out --fast");
    let manifest: serde_json::Value =
        serde_json::from_slice(&scratch.read("out/manifest.json")).unwrap();
    let choice = &manifest["choice"];
    assert_eq!(
        (&choice["by"], &choice["model"]["sets"]),
        (&"model".into(), &6.into()),
        "{printed}"
    );
    let verified = "verified every MIN path, every VLB path; the routes of sets of a sample of ";
    assert!(printed.contains(verified), "{printed}");
    assert!(printed.contains(" pairs (`tvlb verify` takes a larger one)\n"), "{printed}");
    // Too many nodes for runs: the load of links is the floor.
    let front = choice["model"]["candidates"][0].as_str().unwrap();
    let asked = &choice["floor"][0];
    assert_eq!(asked["set"], format!("{front} by shape"));
    let is_above = asked["share"].as_f64().unwrap() >= 0.97;
    assert_eq!(manifest["sets"]["par-second"]["set"] != "conventional", is_above);
    assert!(printed.contains("with all packets on its paths, links carry"), "{printed}");
}

fn begin(scratch: &Scratch, options: &str) -> std::process::Child {
    let arguments = format!("generate fabric.toml -o deep/out --quiet {options}");
    let mut command = scratch.command(TVLB);
    command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn an_interruption_leaves_nothing() {
    for delay in [100, 1500] {
        let scratch = shipped("dfly-4-8-4-9.toml");
        let child = begin(&scratch, "");
        let run = Run::of(&interrupt_after(child, Duration::from_millis(delay)));
        assert_eq!(run.code, 130, "{run}");
        let lost = "and the finished work is lost; --state DIR would have kept it";
        assert_eq!(run.stderr, format!("tvlb: interrupted; nothing was written, {lost}\n"));
        assert_eq!(scratch.names(), ["fabric.toml"]);
    }
}

#[test]
fn an_interrupted_choice_goes_on_to_the_same_end() {
    let whole = Scratch::with_text(TINY);
    whole.succeeds("generate fabric.toml -o deep/out --panel quick");
    let scratch = Scratch::with_text(TINY);
    for _ in 0..3 {
        let child = begin(&scratch, "--panel quick --state kept --replace");
        let run = Run::of(&interrupt_after(child, Duration::from_millis(100)));
        assert!(run.code == 0 || run.code == 130, "{run}");
        if run.code == 130 {
            let said = "tvlb: interrupted; no table set was written; kept keeps ";
            assert!(run.stderr.starts_with(said), "{run}");
            assert!(!scratch.path("deep").exists());
        }
    }
    scratch.succeeds("generate fabric.toml -o deep/out --panel quick --state kept --replace -q");
    let sets = |scratch: &Scratch| {
        let mut files = scratch.files();
        files.retain(|name, _| name.starts_with("deep/"));
        files
    };
    assert_eq!(sets(&scratch), sets(&whole));
}

#[test]
fn what_was_kept_of_another_fabric_is_refused() {
    let scratch = Scratch::with_text(TINY);
    let again = "generate fabric.toml -o other --panel quick --state kept";
    scratch.succeeds("generate fabric.toml -o out --panel quick --state kept -q");
    scratch.write("fabric.toml", TINY.replace("p = 1", "p = 2"));
    assert_snapshot!("choice_state_of_another_model", scratch.refuses(again));
    std::fs::remove_dir_all(scratch.path("kept/model.runs")).unwrap();
    assert_snapshot!("choice_state_of_another_fabric", refused(&scratch, again));
    std::fs::remove_dir_all(scratch.path("kept/model.runs")).unwrap();
    scratch.write("fabric.toml", TINY);
    let run =
        scratch.files().into_keys().find(|name| name.rsplit('.').next() == Some("run")).unwrap();
    scratch.write(&run, "{}");
    let said = refused(&scratch, again).replace(&run, "kept/simulate.runs/xx/HASH.run");
    assert_snapshot!("choice_state_damaged", said);
    assert_snapshot!(
        "choice_state_is_a_file",
        refused(&scratch, "generate fabric.toml -o other --state fabric.toml")
    );
}

#[test]
fn a_candidate_of_known_routes_leaves_what_is_modelled_as_it_is() {
    let scratch = Scratch::with_text(TINY);
    scratch.succeeds("generate fabric.toml -o out --panel quick --state kept");
    let modelled = || {
        let mut files = scratch.files();
        files.retain(|name, _| name.starts_with("kept/model.runs/"));
        assert!(files.len() > 2, "{:?}", files.keys());
        files
    };
    let before = modelled();
    let with = |output: &'static str, candidate: &'static str| {
        let generate = "generate fabric.toml --panel quick --state kept -q -o";
        let rest = [output, "--try-policy", candidate];
        scratch.tvlb_with(generate.split(' ').chain(rest))
    };
    // Neither how routes are drawn nor T shows in the model.
    let known = with("known", "strategic-2-3 by shape T=4 then shapes:011 T=9");
    assert_eq!((known.code, known.stderr.as_str()), (0, ""));
    assert_eq!(modelled(), before);
    // Other routes do, and the message says what to do.
    let other = with("other", "50% shapes:021");
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("other traffic or other sets"), "{}", other.stderr);
}

/// Like [`Scratch::refuses`], where something may be kept in the state.
fn refused(scratch: &Scratch, arguments: &str) -> String {
    let run = scratch.tvlb(arguments);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert!(!scratch.path("other").exists());
    run.stderr
}

#[test]
fn options_that_do_not_go_together() {
    let scratch = Scratch::with_text(TINY);
    assert_snapshot!(
        "choice_one_decision",
        scratch.refuses_with(["generate", "fabric.toml", "-o", "out", "--set", "ugal-l all"])
    );
    assert_snapshot!(
        "choice_unused_fast",
        scratch.refuses("generate fabric.toml -o out --set all --fast")
    );
    assert_snapshot!(
        "choice_unused_prefer",
        scratch.refuses("generate fabric.toml -o out --set all --prefer robust")
    );
    // The defaults are refused like any other value.
    for default in ["--prefer throughput", "--panel standard", "--max-regret 3"] {
        let error = scratch.refuses(&format!("generate fabric.toml -o out --set all {default}"));
        assert!(error.contains("it says how sets are chosen"), "{error}");
    }
    assert_snapshot!(
        "choice_bad_candidate",
        scratch.refuses("generate fabric.toml -o out --try-policy none")
    );
    let run = scratch.tvlb("generate fabric.toml -o out --fast --panel quick");
    assert_eq!(run.code, 2, "{run}");
    let sets = ["--set", "ugal-l all", "--set", "par min then all"];
    let run = scratch
        .tvlb_with(["generate", "fabric.toml", "-o", "out", "-q"].iter().chain(&sets).copied());
    assert_eq!(run.code, 0, "{run}");
    // What `generate` prints of a policy it reads.
    let printed = "shapes:011 by shape 1x4 gate=1.25";
    let run = scratch.tvlb_with(["generate", "fabric.toml", "-o", "printed", "--set", printed]);
    assert!(run.code == 0 && run.stdout.contains("shapes:011 by shape"), "{run}");
}

#[test]
fn a_switch_with_too_many_ports_is_refused_with_a_way_out() {
    let scratch =
        Scratch::with_text("name = \"wide\"\n[dragonfly]\np = 252\na = 3\nh = 3\ng = 4\n");
    assert_snapshot!("choice_too_many_ports", scratch.refuses("generate fabric.toml -o out"));
    scratch.succeeds("generate fabric.toml -o out --fast -q");
}

#[test]
fn groups_that_cannot_reach_each_other_are_known_before_the_work() {
    let scratch = Scratch::with_text(
        "name = \"apart\"\n[dragonfly]\np = 1\na = 1\nh = 1\ng = 2\ncables = \"cables.csv\"\n",
    );
    scratch.write("cables.csv", "from_group,from_switch,from_port,to_group,to_switch,to_port\n");
    let error = scratch.refuses("generate fabric.toml -o out");
    assert!(error.starts_with("tvlb: cables.csv: groups 0 and 1 share no cable"), "{error}");
}
