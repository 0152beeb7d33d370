//! Ctrl-C: the whole table set or nothing, whenever it comes.

#[path = "../../../import/tests/import/make.rs"]
#[allow(dead_code, reason = "the tests of the import use all of it")]
mod plan;

use crate::scratch::{Run, Scratch, TVLB};
use crate::signals;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Begins to generate the table set of the largest shipped fabric.
fn begin(scratch: &Scratch, options: &str) -> Child {
    let arguments = format!("generate fabric.toml -o deep/out --quiet {options}");
    scratch
        .command(TVLB)
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets a run work for so many milliseconds before Ctrl-C.
fn interrupt_after(child: Child, milliseconds: u64) -> Run {
    Run::of(&signals::interrupt_after(child, Duration::from_millis(milliseconds)))
}

/// Whether a partial directory is there: the files are being written.
fn is_writing(scratch: &Scratch) -> bool {
    let files = scratch.path("deep").read_dir();
    files.is_ok_and(|mut entries| entries.next().is_some())
}

#[test]
fn leaves_the_whole_table_set_or_nothing() {
    for delay in [0, 30, 100, 300, 700] {
        let scratch = Scratch::with_shipped("dfly-13-26-13-27.toml");
        let child = begin(&scratch, "");
        let run = interrupt_after(child, delay);
        if run.code == 0 {
            assert_eq!(scratch.names(), ["deep", "fabric.toml"]);
            scratch.succeeds("inspect deep/out --switch 701");
        } else {
            assert_eq!(run.code, 130, "after {delay} ms: {run}");
            assert_eq!(scratch.names(), ["fabric.toml"], "after {delay} ms");
        }
    }
}

#[test]
fn leaves_nothing_while_files_are_written() {
    let scratch = Scratch::with_shipped("dfly-13-26-13-27.toml");
    let mut child = begin(&scratch, "");
    while !is_writing(&scratch) {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it began to write");
        sleep(Duration::from_millis(1));
    }
    let run = interrupt_after(child, 0);
    if run.code == 0 {
        scratch.succeeds("inspect deep/out --switch 701");
    } else {
        assert_eq!(run.code, 130);
        assert_eq!(run.stderr, "tvlb: interrupted; nothing was written\n");
        assert_eq!(scratch.names(), ["fabric.toml"]);
    }
}

#[test]
fn leaves_the_old_table_set() {
    let scratch = Scratch::with_shipped("dfly-2-4-2-9.toml");
    scratch.succeeds("generate fabric.toml -o deep/out");
    let old = scratch.read("deep/out/manifest.json");
    let larger = Scratch::with_shipped("dfly-13-26-13-27.toml").read("fabric.toml");
    scratch.write("fabric.toml", larger);
    let child = begin(&scratch, "--replace");
    let run = interrupt_after(child, 200);
    let entries = scratch.path("deep").read_dir().unwrap();
    assert_eq!(entries.count(), 1, "{run}");
    assert_eq!(scratch.read("deep/out/manifest.json") == old, run.code == 130, "{run}");
}

#[test]
fn without_a_terminal_an_interruption_is_all_that_is_said() {
    let large = "name = \"large\"\n[dragonfly]\np = 8\na = 16\nh = 8\ng = 24\n";
    for option in ["", "--quiet"] {
        let scratch = Scratch::with_text(large);
        let mut command = scratch.command(TVLB);
        command.args(format!("generate fabric.toml -o out {option}").split_whitespace());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let run = Run::of(&signals::signal_after("-TERM", child, Duration::from_millis(200)));
        assert_eq!(run.code, 143, "{run}");
        assert!(run.stderr.starts_with("tvlb: interrupted; nothing was written"), "{run}");
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
        assert_eq!(scratch.names(), ["fabric.toml"]);
    }
}

/// A plan of some 60 000 rows: long enough that its files are being written for a while.
fn large_plan() -> String {
    let groups: Vec<_> = (1..=220).map(|number| (number, 16, 2)).collect();
    plan::plan_of(&plan::rows(&groups, 1))
}

#[test]
fn leaves_nothing_of_an_import() {
    let scratch = Scratch::new();
    scratch.write("plan.csv", large_plan());
    let mut interrupted = 0;
    for delay in [0, 5, 20, 60] {
        let mut command = scratch.command(TVLB);
        command.args(["import", "slingshot", "plan.csv", "-o", "deep/out"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let is_writing = || {
            let files = scratch.path("deep/out").read_dir();
            files.is_ok_and(|mut entries| entries.next().is_some())
        };
        while !is_writing() && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        let run = interrupt_after(child, delay);
        if run.code == 0 {
            assert!(scratch.files().keys().all(|name| !name.contains(".tvlb-import-")));
            std::fs::remove_dir_all(scratch.path("deep")).unwrap();
        } else {
            assert_eq!(
                (run.code, run.stderr.as_str()),
                (130, "tvlb: interrupted; nothing was written\n")
            );
            assert_eq!(scratch.names(), ["plan.csv"], "after {delay} ms");
            interrupted += 1;
        }
    }
    assert!(interrupted > 0, "it was never interrupted while it wrote");
}

#[test]
fn a_simulation_says_that_nothing_was_kept_and_what_keeps_it() {
    let scratch = Scratch::with_table_set();
    let long = "simulate out --window 10000000 --load 0.5 --quiet";
    let expected = "tvlb: interrupted; no run was kept; tvlb-lab sweep makes runs and keeps each\n";
    for arguments in [long.to_owned(), format!("{long} --plot curve.svg")] {
        let mut command = scratch.command(TVLB);
        command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let run = interrupt_after(child, 300);
        assert_eq!((run.code, run.stderr.as_str()), (130, expected));
    }
    assert_eq!(scratch.names(), ["fabric.toml", "out"]);
}
