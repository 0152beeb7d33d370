//! A choice that several processes make together: the same bytes as alone, each run made once, and nothing
//! that stops where one of them dies.

use crate::programs::program;
use crate::scratch::{Run, Scratch, TVLB};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs};

/// Processes of a choice.
const PROCESSES: usize = 3;
const CHOICE: &str = "generate fabric.toml -o out --panel quick --threads 1 --state kept --share";

fn fabric() -> Scratch {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tables/dfly-2-4-2-9.toml");
    Scratch::with_text(&fs::read_to_string(shipped).unwrap())
}

/// What one process makes, without `--share`.
static ALONE: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let alone = fabric();
    alone.succeeds("generate fabric.toml -o out --panel quick -q");
    tables(&alone)
});

fn begin(scratch: &Scratch, arguments: &str) -> Child {
    let mut command = scratch.command(program(arguments.split(' ').next().unwrap()));
    command.args(arguments.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn end(child: Child) -> Run {
    Run::of(&child.wait_with_output().unwrap())
}

/// The files of the table set that a choice wrote.
fn tables(scratch: &Scratch) -> BTreeMap<String, Vec<u8>> {
    let mut files = scratch.files();
    files.retain(|name, _| name.starts_with("out/"));
    assert!(files.len() > 36, "{:?}", files.keys());
    files
}

/// The files with this ending that are kept of the simulations.
fn kept(scratch: &Scratch, ending: &str) -> Vec<PathBuf> {
    let entries = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let folders = entries(&scratch.path("kept/simulate.runs"));
    let files = folders.iter().flat_map(|folder| entries(folder));
    files.filter(|file| file.extension().is_some_and(|end| end == ending)).collect()
}

/// "tvlb: 300 runs: 100 made by this process, 200 before it or by others" as numbers.
fn counts(run: &Run) -> [usize; 3] {
    // On a slow machine lines of progress come before it.
    let line = run.stderr.lines().find(|line| line.contains(" runs: "));
    let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
    let number =
        |position: usize| -> usize { words[position].trim_end_matches(':').parse().unwrap() };
    assert_eq!(words.get(2), Some(&"runs:"), "{run}");
    [number(1), number(3), number(8)]
}

#[test]
fn several_processes_make_what_one_makes() {
    // Each makes a share of the runs, and no run is made twice.
    let scratch = fabric();
    let children: Vec<Child> = (0..PROCESSES).map(|_| begin(&scratch, CHOICE)).collect();
    let runs: Vec<Run> = children.into_iter().map(end).collect();
    assert!(runs.iter().all(|run| run.code == 0), "{}{}{}", runs[0], runs[1], runs[2]);
    assert_eq!(tables(&scratch), *ALONE);
    let by_process: Vec<[usize; 3]> = runs.iter().map(counts).collect();
    let all = kept(&scratch, "run").len();
    assert!(by_process.iter().all(|[count, own, found]| *count == all && own + found == all));
    let own: Vec<usize> = by_process.iter().map(|[_, own, _]| *own).collect();
    assert_eq!(own.iter().sum::<usize>(), all, "{own:?}");
    assert!(own.iter().all(|&own| own > all / 10), "{own:?} of {all}");
    assert_eq!(kept(&scratch, "claim").len(), 0);
    let wrote = |run: &&Run| run.stdout.contains("written  out: ");
    let found = |run: &&Run| {
        run.stdout == "out: written by another process, and the same as what was made here\n"
    };
    assert_eq!((runs.iter().filter(wrote).count(), runs.iter().filter(found).count()), (1, 2));

    // A process that comes late has nothing to do, and writes nothing.
    let late = scratch.tvlb(CHOICE);
    assert_eq!((late.code, counts(&late)), (0, [all, 0, all]), "{late}");
    assert!(found(&&late), "{late}");
    // Without the option a table set that is there is refused, and with it one that differs.
    let refused = scratch.tvlb(&CHOICE.replace(" --share", ""));
    assert!(refused.code == 2 && refused.stderr.contains("--replace"), "{refused}");
    let image = scratch.read("out/switches/00003.tvlb");
    scratch.write("out/switches/00003.tvlb", &image[1..]);
    let other = scratch.tvlb(CHOICE);
    let expected =
        "tvlb: out: it has another switches/00003.tvlb than the table set that was made here;";
    assert!(other.code == 2 && other.stderr.contains(expected), "{other}");
}

/// `.ci/run` runs it beside other steps.
#[test]
#[ignore = "it waits for 20 s until a claim counts as given up"]
fn a_process_that_is_killed_does_not_stop_the_others() {
    let scratch = fabric();
    // The one that is killed has made some runs, however late the others get their turn.
    let mut children = vec![begin(&scratch, CHOICE)];
    while kept(&scratch, "run").len() < 5 {
        assert!(children[0].try_wait().unwrap().is_none(), "all is done");
        sleep(Duration::from_millis(1));
    }
    children.extend((1..PROCESSES).map(|_| begin(&scratch, CHOICE)));
    // Not in its first runs, and while it has claimed one.
    while kept(&scratch, "run").len() < 30 || kept(&scratch, "claim").len() < PROCESSES {
        assert!(children[0].try_wait().unwrap().is_none(), "all is done");
        sleep(Duration::from_millis(1));
    }
    children[0].kill().unwrap();
    children[0].wait().unwrap();
    let runs: Vec<Run> = children.drain(1..).map(end).collect();
    assert!(runs.iter().all(|run| run.code == 0), "{}{}", runs[0], runs[1]);
    assert_eq!(tables(&scratch), *ALONE);
    let all = kept(&scratch, "run").len();
    let own: usize = runs.iter().map(|run| counts(run)[1]).sum();
    // The others are those of the process that was killed.
    assert!(own < all && own > all / 2, "{own} of {all}");
    assert_eq!(kept(&scratch, "claim").len(), 0);
}

#[test]
fn an_interrupted_process_gives_up_its_claims() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let scratch = fabric();
        let child = begin(&scratch, &CHOICE.replace("quick", "standard"));
        while kept(&scratch, "claim").is_empty() {
            sleep(Duration::from_millis(1));
        }
        let work = Duration::from_millis(100);
        let run = Run::of(&crate::signals::signal_after(signal, child, work));
        assert_eq!(run.code, code, "{run}");
        let (kept_of_it, claims) = (kept(&scratch, "run").len(), kept(&scratch, "claim").len());
        assert!(run.stderr.contains(&format!("kept keeps {kept_of_it} runs")), "{run}");
        assert_eq!(claims, 0);
    }
}

#[test]
fn searches_share_their_runs_too() {
    let scratch = Scratch::with_text("name = \"tiny\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 3\n");
    let search = "search fabric.toml --panel quick --runs 200 --json --threads 1";
    let alone = scratch.succeeds(search);
    let together = format!("{search} --state kept");
    let children = [0, 1].map(|_| begin(&scratch, &together));
    for run in children.map(end) {
        assert_eq!((run.code, run.stdout.as_str()), (0, alone.as_str()), "{run}");
    }
}

/// Two fabrics, and what each of them gives without a state.
fn two_fabrics(command: &str) -> (Scratch, [Vec<u8>; 2]) {
    let tiny = "name = \"tiny\"\n[dragonfly]\np = 1\na = 2\nh = 1\ng = 3\n";
    let scratch = Scratch::with_text(tiny);
    scratch.write("other.toml", tiny.replace("p = 1", "p = 2"));
    let alone = ["fabric", "other"].map(|fabric| given(&scratch, command, fabric, ""));
    (scratch, alone.map(Result::unwrap))
}

/// What a command gives of a fabric, or the error with which it refuses.
fn given(scratch: &Scratch, command: &str, fabric: &str, more: &str) -> Result<Vec<u8>, String> {
    let _ = fs::remove_dir_all(scratch.path(fabric));
    let run = end(begin(scratch, &format!("{} {more}", command.replace("FABRIC", fabric))));
    match (run.code, command.contains("-o FABRIC")) {
        (0, true) => Ok(scratch.read(&format!("{fabric}/manifest.json"))),
        (0, false) => Ok(run.stdout.into_bytes()),
        (code, _) => {
            assert_eq!((code, run.stderr.lines().count()), (2, 1), "{run}");
            Err(run.stderr)
        }
    }
}

/// Commands that keep runs, of which FABRIC is a fabric.
const KEEPING: [&str; 3] = [
    "generate FABRIC.toml -o FABRIC --panel quick -q",
    "model FABRIC.toml --patterns shift(1,0) --json -q",
    "model FABRIC.toml --json -q",
];

#[test]
fn of_two_fabrics_at_once_one_is_served_and_one_refused() {
    for command in KEEPING {
        let (scratch, alone) = two_fabrics(command);
        for round in 0..4 {
            let state = format!("--state kept-{round}");
            let both: Vec<Result<Vec<u8>, String>> = std::thread::scope(|scope| {
                let (scratch, state) = (&scratch, &state);
                let begin = |fabric| scope.spawn(move || given(scratch, command, fabric, state));
                let both = ["fabric", "other"].map(begin);
                both.map(|one| one.join().unwrap()).into()
            });
            let served = both.iter().zip(&alone).filter(|(one, alone)| one.as_ref() == Ok(*alone));
            assert_eq!(served.count(), 1, "{command}");
            let refused = both.iter().find_map(|one| one.as_ref().err()).unwrap();
            assert!(refused.contains("it belongs to a run with another fabric"), "{refused}");
        }
    }
}

#[test]
fn runs_without_a_subject_serve_nobody() {
    for command in KEEPING {
        let (scratch, _) = two_fabrics(command);
        given(&scratch, command, "fabric", "--state kept").unwrap();
        for name in scratch.files().into_keys().filter(|name| name.ends_with("subject")) {
            fs::remove_file(scratch.path(&name)).unwrap();
        }
        let before = scratch.names();
        for fabric in ["fabric", "other"] {
            let refused = given(&scratch, command, fabric, "--state kept").unwrap_err();
            assert!(refused.contains("`subject`"), "{refused}");
        }
        let after = scratch.names();
        assert!(!after.iter().any(|name| name.ends_with("subject")), "{before:?} {after:?}");
    }
}

/// As after a change of the code, while the version stays.
#[test]
#[cfg(target_os = "linux")]
fn runs_of_another_build_are_refused() {
    let scratch = fabric();
    let state = "model fabric.toml --patterns shift(1,0) --set all --json -q --state kept";
    let own = scratch.succeeds(state);
    fs::copy(TVLB, scratch.path("rebuilt")).unwrap();
    let rebuilt = || {
        let mut command = scratch.command(scratch.path("rebuilt"));
        Run::of(&command.args(state.split_whitespace()).output().unwrap())
    };
    // The name of the program is no part of it.
    assert_eq!((rebuilt().code, rebuilt().stdout), (0, own));
    scratch.write("rebuilt", [&scratch.read("rebuilt")[..], b"changed"].concat());
    let run = rebuilt();
    assert!(run.code == 2 && run.stderr.contains("another version or build"), "{run}");
}

#[test]
fn gnu_parallel_spreads_a_choice() {
    let scratch = fabric();
    let parallel = scratch
        .command("parallel")
        .env("HOME", scratch.path("."))
        .args(["--jobs", "2", "-N0", TVLB])
        .args(format!("{CHOICE} ::: 1 2 3").split_whitespace())
        .output();
    let run = match parallel {
        // Other programs have this name too.
        Ok(run) if !String::from_utf8_lossy(&run.stderr).contains("invalid option") => run,
        _ => {
            // Past the capture of the test, so that a log of all tests says it.
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                b"skipped: runs beside each other need GNU parallel\n",
            );
            return;
        }
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(tables(&scratch), *ALONE);
}

#[test]
fn sharing_needs_a_directory_and_an_output() {
    let scratch = fabric();
    for arguments in [
        "generate fabric.toml -o out --share",
        "generate fabric.toml -o out --share --state kept --replace",
        "generate fabric.toml --check out --share --state kept",
    ] {
        let run = scratch.tvlb(arguments);
        assert!(run.code == 2 && run.stderr.contains("--share"), "{arguments}: {run}");
    }
}
