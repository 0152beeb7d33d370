//! `tvlb-lab experiment`: what it writes and prints, and that it does so again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Command, Output};

fn tvlb(arguments: &[&str], home: &tempfile::TempDir) -> Output {
    let run =
        Command::new(env!("CARGO_BIN_EXE_tvlb-lab")).current_dir(home).args(arguments).output();
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

/// The names of the runs in the folders of a directory; each is the hash of what the run depends on.
fn runs(home: &tempfile::TempDir, directory: &str) -> BTreeSet<String> {
    let folders = fs::read_dir(home.path().join(directory)).expect("it was written");
    let folders = folders.map(|folder| folder.expect("a directory can be listed"));
    let folders = folders.filter(|folder| folder.path().is_dir());
    let names = folders.map(|folder| folder.file_name().into_string().expect("a plain name"));
    let in_folder = |folder: String| {
        let files = files(home, &format!("{directory}/{folder}"));
        files.into_keys().map(move |name| format!("{folder}/{name}"))
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
    let pictures = ["figure.svg", "figures.csv", "figures.json", "ugal-l-ordered.svg"];
    assert_eq!(names, [&pictures[..], &["ugal-l-per-hop.svg"]].concat());
    let ours = "ugal-l per-hop, T-UGAL, our sets (shapes:011 T=-2): saturates at 0.";
    assert!(words.contains(ours), "{words}");
    assert!(words.ends_with("  the paper's text states nothing of this\n"), "{words}");
    let json: serde_json::Value =
        serde_json::from_slice(&written["figures.json"]).expect("it is JSON");
    assert_eq!(json["lines"].as_array().map(Vec::len), Some(8));
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
    let lost = kept.first().expect("there are runs");
    fs::remove_file(home.path().join("state").join(lost)).expect("it is there");
    assert_eq!(run("channels-9", "other", "shapes:011").stdout, one.stdout);
    assert_eq!(files(&home, "other"), files(&home, "one"));
    assert_eq!(runs(&home, "state"), kept);
    // Another set has runs of its own; the others are shared.
    assert!(run("channels-9", "third", "all").status.success());
    assert!(runs(&home, "state").len() < 2 * kept.len());
    fs::write(home.path().join("state").join(lost), "{}").expect("it can be written");
    let refused = run("channels-9", "fourth", "shapes:011");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("(it does not end with its SHA-256)") && said.contains(lost), "{said}");
}

#[test]
fn the_published_figure_above_the_bound_is_called_that() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let arguments = ["experiment", "fig4", "--quick", "-q", "-o", "out", "--state", "state"];
    let run = tvlb(&arguments, &home);
    let words = String::from_utf8(run.stdout).expect("it prints text");
    assert!(words.contains("no set exceeds 0.562500, and that is proven"), "{words}");
    assert!(words.contains("the stated number is above 0.5625, which is proven"), "{words}");
    let written = files(&home, "out");
    assert!(written.contains_key("throughput.svg"));
    assert!(home.path().join("state/fig4-quick-seed-1.model").exists());
    // What was modelled is kept, so the same figures come again.
    let again = tvlb(&arguments, &home);
    assert_eq!(String::from_utf8(again.stdout).expect("it prints text"), words);
    assert_eq!(files(&home, "out"), written);
}

const DOCUMENT: &str = "# Figures

Words before.

<!-- figures: channels-9 -->
<!-- end -->

<!-- figures: fig7 -->
of old
<!-- end -->

<!-- figures: time -->
<!-- end -->
";

#[test]
fn the_tables_of_a_document_are_made_from_the_kept_results() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let document = home.path().join("document.md");
    let read = || fs::read_to_string(&document).expect("it is there");
    let run = |name, output| {
        let arguments = ["experiment", name, "--quick", "-q", "-o", output];
        tvlb(&[&arguments[..], &["--document", "document.md", "--state", "state"]].concat(), &home)
    };
    fs::write(&document, DOCUMENT).expect("it can be written");
    let first = run("channels-9", "one");
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let tables = read();
    let saturation = "| UGAL-L, per-hop | 0.";
    assert!(tables.contains(saturation) && tables.contains("of old"), "{tables}");
    assert!(tables.starts_with("# Figures\n\nWords before.\n\n<!-- figures: channels-9 -->\n\n|"));
    assert!(tables.contains("Made with `--quick`"), "{tables}");
    let results = fs::read_to_string(home.path().join("document.json")).expect("it is there");
    assert!(results.contains("\"processor-seconds\": "), "{results}");
    // A continued experiment tells the same time, so that nothing changes.
    assert!(run("channels-9", "two").status.success());
    assert_eq!(read(), tables);
    assert_eq!(
        fs::read_to_string(home.path().join("document.json")).expect("it is there"),
        results
    );
    // The results of another experiment come beside those.
    let second = run("fig7", "three");
    let words = String::from_utf8(second.stdout).expect("it prints text");
    assert!(words.contains("UGAL-G: latency at 0.1"), "{words}");
    assert!(words.contains("not run: fig6 has not been run"), "{words}");
    let both = read();
    assert!(both.contains(saturation) && !both.contains("of old"), "{both}");
    assert!(both.contains("| fig7 | UGAL-G: latency at 0.1 | 61.2 |"), "{both}");
    insta::with_settings!({filters => [(r"\d+ processor seconds", "SECONDS processor seconds")]}, {
        insta::assert_snapshot!("document", both);
    });
    insta::assert_snapshot!("words", words);
}

#[test]
fn the_help_describes_the_experiments() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let help = tvlb(&["experiment", "--help"], &home);
    insta::assert_snapshot!("help", String::from_utf8_lossy(&help.stdout));
}

#[test]
fn a_document_that_cannot_take_the_tables_is_refused_before_the_work() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let refused = |name, document, text: &str| {
        fs::write(home.path().join(document), text).expect("it can be written");
        let run = tvlb(&["experiment", name, "-q", "-o", "out", "--document", document], &home);
        assert_eq!(run.status.code(), Some(2));
        String::from_utf8(run.stderr).expect("it prints text")
    };
    let said = refused("fig7", "document.md", "no tables\n");
    assert_eq!(
        said,
        "tvlb: document.md: no line is `<!-- figures: fig7 -->`, which says where the tables of \
         fig7 go\n"
    );
    let said = refused("all", "document.md", "<!-- figures: fig3 -->\n<!-- end -->\n");
    assert!(said.starts_with("tvlb: document.md: line 1: found tables of `fig3`"), "{said}");
    let said = refused("fig7", "document.json", "");
    assert!(said.contains("its ending is that of the file of results"), "{said}");
    fs::write(home.path().join("other.json"), "{\"experiments\": []}").expect("it can be written");
    let said = refused("fig7", "other.md", DOCUMENT);
    assert!(said.starts_with("tvlb: other.json: it is not a file of results: "), "{said}");
    assert!(said.contains("line 1"), "{said}");
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

/// What dies and is mended while the network runs: pictures and tables, and the runs are kept.
#[test]
fn a_failure_is_drawn_window_by_window() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let page =
        "<!-- figures: failure -->\n<!-- end -->\n\n<!-- figures: ageing -->\n<!-- end -->\n";
    fs::write(home.path().join("page.md"), page).expect("it can be written");
    let run = |directory| {
        let arguments = ["experiment", "failure", "--quick", "-q", "--document", "page.md"];
        let run = tvlb(&[&arguments[..], &["--state", "state", "-o", directory]].concat(), &home);
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).expect("it prints text")
    };
    let words = run("one");
    assert_eq!(words.lines().count(), 17);
    assert!(!words.contains("the paper's text states nothing"), "{words}");
    assert_eq!(runs(&home, "state").len(), 16);
    let written = files(&home, "one");
    assert!(
        written.contains_key("shift-0.1.svg") && written.contains_key("uniform-0.7-losses.svg")
    );
    let page = fs::read_to_string(home.path().join("page.md")).expect("it is there");
    assert!(
        page.contains("| uniform, 0.7 | PAR, our sets, chosen for the whole fabric | 0."),
        "{page}"
    );
    assert!(page.contains("Processor time: "), "{page}");
    // The tables of another experiment stay as they are.
    assert!(page.ends_with("\n<!-- figures: ageing -->\n<!-- end -->\n"), "{page}");
    assert_eq!((run("two"), files(&home, "two")), (words, written));
}

/// A study of another paper, on the systems that the command line names.
#[test]
fn load_imbalance_is_studied_on_systems_of_any_size() {
    let home = tempfile::tempdir().expect("a scratch directory");
    let run = |sizes, threads| {
        let arguments = ["experiment", "load-imbalance-shift-far", "--quick", "-q", "-o", "out"];
        tvlb(&[&arguments[..], &["--sizes", sizes, "--threads", threads]].concat(), &home)
    };
    let one = run("3,2", "1");
    assert!(one.status.success(), "{}", String::from_utf8_lossy(&one.stderr));
    let written = files(&home, "out");
    let names: Vec<&str> = written.keys().map(String::as_str).collect();
    assert_eq!(names, ["figure.svg", "figures.csv", "figures.json"]);
    let json: serde_json::Value =
        serde_json::from_slice(&written["figures.json"]).expect("it is JSON");
    let systems = json["systems"].as_array().expect("there are systems");
    let traffic: Vec<&str> = systems.iter().filter_map(|of| of["traffic"].as_str()).collect();
    assert_eq!(traffic, ["shift(5,0)", "shift(7,0)"]);
    assert_eq!(systems[1]["routed"].as_array().map(Vec::len), Some(4));
    let words = String::from_utf8_lossy(&one.stdout);
    assert!(words.contains("not run: no system of more than 512 switches was run"), "{words}");
    assert_eq!(run("2,3", "2").stdout, one.stdout);
    assert_eq!(files(&home, "out"), written);
    let refused = run("0", "1");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("p = 0, but p must be 1 to 256"), "{said}");
}
