//! `tvlb experiment`: what it writes and prints, and that it does so again.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};

fn tvlb(arguments: &[&str], home: &tempfile::TempDir) -> Output {
    let run = Command::new(env!("CARGO_BIN_EXE_tvlb")).current_dir(home).args(arguments).output();
    run.expect("the command under test exists")
}

fn files(home: &tempfile::TempDir, directory: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(home.path().join(directory)).expect("it was written");
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.expect("a directory can be listed").path();
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        (name, fs::read(path).expect("a file can be read"))
    };
    entries.map(read).collect()
}

/// The files in the folders of a directory of runs, by folder and name.
fn runs(home: &tempfile::TempDir, directory: &str) -> BTreeMap<String, Vec<u8>> {
    let folders = fs::read_dir(home.path().join(directory)).expect("it was written");
    let names = folders.map(|folder| {
        let name = folder.expect("a directory can be listed").file_name();
        name.into_string().expect("a folder has a plain name")
    });
    let in_folder = |folder: String| {
        let files = files(home, &format!("{directory}/{folder}"));
        files.into_iter().map(move |(name, bytes)| (format!("{folder}/{name}"), bytes))
    };
    names.flat_map(in_folder).collect()
}

#[test]
fn a_figure_is_the_same_at_any_number_of_threads() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let run = |directory, threads| {
        let arguments = [
            "experiment",
            "channels-9",
            "--quick",
            "-q",
            "-o",
            directory,
            "--threads",
            threads,
            "--ours-ugal",
            "shapes:011 T=-2",
        ];
        let run = tvlb(&arguments, &home);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).expect("it prints text")
    };
    let words = run("one", "1");
    assert_eq!(run("two", "2"), words);
    let written = files(&home, "one");
    assert_eq!(files(&home, "two"), written);
    let names: Vec<&str> = written.keys().map(String::as_str).collect();
    assert_eq!(names, ["figures.csv", "figures.json", "ugal-l-ordered.svg", "ugal-l-per-hop.svg"]);
    assert!(words.contains("ugal-l per-hop, shapes:011 T=-2: saturates at 0."), "{words}");
    let json: serde_json::Value =
        serde_json::from_slice(&written["figures.json"]).expect("it is JSON");
    assert_eq!(json["lines"].as_array().map(Vec::len), Some(6));
    assert_eq!(json["quick"], true);
    for line in json["lines"].as_array().expect("there are lines") {
        let points = line["points"].as_array().expect("a line has points");
        assert!(points.iter().any(|point| point["saturated"] == true));
        assert!(points.iter().any(|point| point["saturated"] == false));
    }
}

#[test]
fn an_experiment_goes_on_with_the_runs_that_are_kept() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let run = |name, directory, ours| {
        let arguments = ["experiment", name, "--quick", "-q", "-o", directory];
        tvlb(&[&arguments[..], &["--state", "state", "--ours-ugal", ours]].concat(), &home)
    };
    let one = run("channels-9", "one", "shapes:011");
    let kept = runs(&home, "state");
    assert!(kept.len() > 20, "a file for each run");
    // One run is lost, and made again; nothing else is.
    let (lost, bytes) = kept.first_key_value().expect("there are runs");
    fs::remove_file(home.path().join("state").join(lost)).expect("it is there");
    assert_eq!(run("channels-9", "other", "shapes:011").stdout, one.stdout);
    assert_eq!(files(&home, "other"), files(&home, "one"));
    assert_eq!(runs(&home, "state"), kept, "the run that was lost is {} bytes", bytes.len());
    // Another set has runs of its own; the others are shared.
    assert!(run("channels-9", "third", "all").status.success());
    assert!(runs(&home, "state").len() < 2 * kept.len());
    fs::write(home.path().join("state").join(lost), "{}").expect("it can be written");
    let refused = run("channels-9", "fourth", "shapes:011");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("(missing field `outcome`)") && said.contains(lost), "{said}");
}

#[test]
fn the_published_figure_above_the_bound_is_called_that() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let run = tvlb(&["experiment", "fig4", "--quick", "-q", "-o", "out"], &home);
    let words = String::from_utf8(run.stdout).expect("it prints text");
    assert!(words.contains("no set exceeds 0.562500, and that is proven"), "{words}");
    assert!(words.contains("0.58 is above the proven bound"), "{words}");
    assert!(files(&home, "out").contains_key("throughput.svg"));
}

#[test]
fn the_paths_of_the_fabrics() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let run = tvlb(&["experiment", "table2", "-q", "-o", "out"], &home);
    assert!(run.status.success());
    let csv = String::from_utf8(files(&home, "out")["figures.csv"].clone()).expect("it is text");
    assert!(csv.contains("4,8,4,9,288,72,4,4,strategic-2-3,187.0000,"), "{csv}");
    assert_eq!(csv.lines().count(), 13);
}

#[test]
fn what_cannot_be_done_is_refused_before_the_work() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let run = tvlb(&["experiment", "fig3", "-o", "out"], &home);
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&run.stderr).contains("fig3"));
    let run = tvlb(&["experiment", "fig6", "--ours-par", "all then shape:1", "-o", "out"], &home);
    assert_eq!(run.status.code(), Some(2));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(said.starts_with("tvlb: --ours-par: column 1: found `shape`"), "{said}");
    fs::write(home.path().join("file"), "").expect("a file can be written");
    let run = tvlb(&["experiment", "fig6", "-o", "file"], &home);
    assert_eq!(run.status.code(), Some(2));
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(said.starts_with("tvlb: file: cannot create the directory"), "{said}");
}
