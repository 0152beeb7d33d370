//! The pages with the papers' figures are made from the rows that are kept beside them.

use super::file::{File, studies as studies_of};
use super::{Known, Rows, StudyFile, with_tables};
use insta::assert_snapshot;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The pages, and the files of their studies.
const PAGES: [(&str, &str); 6] = [
    ("reproduction", "t-ugal"),
    ("faults", "faults"),
    ("load-imbalance", "load-imbalance"),
    ("arrangements", "arrangements"),
    ("ofar", "ofar"),
    ("changes", "changes"),
];

fn studies(file: &str, quick: bool) -> StudyFile {
    StudyFile::read(&root().join(format!("tables/studies/{file}.toml")), quick).unwrap()
}

/// The rows that are kept of a file's studies.
fn known(file: &StudyFile) -> Known {
    let rows = root().join("docs/measurements/rows");
    let read = |name: &str| {
        let path = rows.join(format!("{name}.csv"));
        Rows::parse(&fs::read_to_string(&path).unwrap_or_else(|_| panic!("{name} has rows")))
            .unwrap()
    };
    file.studies.iter().map(|study| (study.name.clone(), read(&study.name))).collect()
}

fn page(name: &str) -> (PathBuf, String) {
    let path = root().join(format!("docs/measurements/{name}.md"));
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

/// `cargo test -p tvlb-lab --lib write_the_tables -- --ignored` makes the tables again without a run: after a
/// change of their words, or of what the papers state.
#[test]
#[ignore = "it writes the pages"]
fn write_the_tables() {
    for (name, file) in PAGES {
        let file = studies(file, false);
        let (path, text) = page(name);
        fs::write(path, with_tables(&text, &file, &known(&file)).unwrap()).unwrap();
    }
}

#[test]
fn the_tables_of_the_pages_are_made_from_the_kept_rows() {
    for (name, file) in PAGES {
        let file = studies(file, false);
        let (_, text) = page(name);
        let made = with_tables(&text, &file, &known(&file)).unwrap();
        assert!(
            made == text,
            "{name}: `cargo test -p tvlb-lab --lib write_the_tables -- --ignored` makes the tables"
        );
        for study in &file.studies {
            let marks = text.lines().filter_map(|line| line.strip_prefix("<!-- figures: "));
            let named = marks.filter(|mark| mark.split_whitespace().any(|of| of == study.name));
            // What a paper states of a study is on the page; other rows may be there for who asks for them.
            let is_stated = !study.judged(&Known::new()).is_empty();
            assert!((usize::from(is_stated)..=1).contains(&named.count()), "{}", study.name);
        }
    }
}

/// Rows have what tables and statements ask for, and nothing that the study would not keep.
#[test]
fn the_kept_rows_are_those_of_the_studies() {
    for (_, file) in PAGES {
        let file = studies(file, false);
        for (name, rows) in known(&file) {
            let study = file.find(&name).unwrap();
            assert_eq!(study.kept(&rows), rows, "{name}");
        }
    }
}

/// Every study that is shipped can be planned, in full and quickly, and fewer runs are quicker.
#[test]
fn every_shipped_study_can_be_planned() {
    for (_, file) in PAGES {
        let (all, quick) = (studies(file, false), studies(file, true));
        for (study, quick) in all.studies.iter().zip(&quick.studies) {
            // Large fabrics take long to be planned, and their studies differ in nothing else.
            let is_large = |size: &str| study.about.contains(size);
            if ["(13,26,13,27)", "(6,12,6,73)", "(4,8,4,33)", "balanced"].into_iter().any(is_large)
            {
                continue;
            }
            let [all, quick] = [study, quick].map(|study| match study.plan() {
                Ok(plan) => plan.run_count(),
                Err(error) => panic!("{}: {error}", study.name),
            });
            assert!(quick > 0 && quick <= all, "{}: {quick} of {all}", study.name);
        }
    }
}

/// What a study does not say is as in the one that it is like, and after that as above all studies.
#[test]
fn a_study_is_like_another_but_for_what_it_says() {
    let text = "about = \"all\"\nseeds = [1]\nburst = 7\n[study.last]\nlike = \"middle\"\nquick.burst = 3\n\
                [study.middle]\nlike = \"first\"\nabout = \"middle\"\nquick.cycles = [4, 5]\n\
                [study.first]\nabout = \"first\"\nseeds = [2]\ncycles = [6, 7]\nquick.burst = 2\n";
    let read = |quick| studies_of(text, "file", quick).unwrap();
    let said = |(name, file): &(String, File)| {
        format!("{name}: {} {:?} {:?} {:?}", file.about, file.seeds, file.burst, file.cycles)
    };
    let all: Vec<String> =
        [false, true].iter().flat_map(|&quick| read(quick)).map(|study| said(&study)).collect();
    assert_snapshot!(all.join("\n"), @r"
    last: middle [2] Some(7) Some([6, 7])
    middle: middle [2] Some(7) Some([6, 7])
    first: first [2] Some(7) Some([6, 7])
    last: middle [2] Some(3) Some([4, 5])
    middle: middle [2] Some(2) Some([4, 5])
    first: first [2] Some(2) Some([6, 7])
    ");
    for (other, fault) in [
        (
            "\"last\"",
            "like: found \"last\", accepted the name of a study that is not like this one",
        ),
        ("\"none\"", "found no table study.none, accepted one"),
        ("1", "like: found 1, accepted the name of a study that is not like this one"),
    ] {
        let text = format!("[study.last]\nlike = {other}\n");
        let error = studies_of(&text, "file", false).err();
        assert_eq!(error, Some(format!("study.last: {fault}")));
    }
}

/// A figure in the prose is one that the paper states, or follows from a formula beside it.
#[test]
fn no_figure_of_ours_is_typed_by_hand() {
    let file = studies("t-ugal", false);
    let judged = file.studies.iter().flat_map(|study| study.judged(&Known::new()));
    let mut known: Vec<f64> =
        judged.filter_map(|judged| judged.stated?.trim_end_matches('%').parse().ok()).collect();
    // The bound of figure 4, with p = h = 4 and g = 9.
    known.push(4.0 * 9.0 / (2.0 * 4.0 * 8.0));
    let mut is_table = false;
    for line in page("reproduction").1.lines() {
        is_table = (is_table || line.starts_with("<!-- figures")) && !line.starts_with("<!-- end");
        let words = line.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        let figures =
            words.map(|word| word.trim_end_matches('.')).filter(|word| word.contains('.'));
        for figure in figures.filter(|_| !is_table && !line.starts_with('#')) {
            // Sections of the paper are numbered in the same way.
            let is_section = line.contains(&format!("section {figure}"));
            let Ok(value) = figure.parse::<f64>() else { continue };
            let is_known = known.iter().any(|known| (known - value).abs() < 1e-9);
            assert!(is_section || is_known, "{figure} in: {line}");
        }
    }
}
