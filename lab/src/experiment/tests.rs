//! The pages with the papers' figures are made from the results that are kept beside them.

use super::catalogue::{Page, of_page};
use super::stated::{Claim, STATED};
use super::{KeptResults, with_tables};
use std::fs;
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/measurements").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}

/// The pages. The results are beside them.
const PAGES: [(&str, Page); 5] = [
    ("reproduction", Page::Reproduction),
    ("faults", Page::Faults),
    ("load-imbalance", Page::LoadImbalance),
    ("arrangements", Page::Arrangements),
    ("ofar", Page::PerHop),
];

/// `cargo test -p tvlb-lab --lib write_the_tables -- --ignored` makes the tables again, without an
/// experiment: after a change of their words, or of what the papers state.
#[test]
#[ignore = "it writes the pages"]
fn write_the_tables() {
    for (page, _) in PAGES {
        let results = KeptResults::parse(&read(&format!("{page}.json"))).unwrap();
        let made = with_tables(&read(&format!("{page}.md")), None, &results).unwrap();
        fs::write(path(&format!("{page}.md")), made).unwrap();
    }
}

#[test]
fn the_tables_of_the_pages_are_made_from_the_kept_results() {
    for (name, of) in PAGES {
        let page = read(&format!("{name}.md"));
        let results = KeptResults::parse(&read(&format!("{name}.json"))).unwrap();
        assert_eq!(results.to_json(), read(&format!("{name}.json")));
        let made = with_tables(&page, None, &results).unwrap();
        assert_eq!(
            made, page,
            "`cargo test -p tvlb-lab --lib write_the_tables -- --ignored` makes the tables"
        );
        for experiment in of_page(of) {
            let marks = page.lines().filter_map(|line| line.strip_prefix("<!-- figures: "));
            let named =
                marks.filter(|mark| mark.split_whitespace().any(|of| of == experiment.name));
            assert_eq!(named.count(), 1, "{}", experiment.name);
        }
        let results = of_page(of).filter_map(|experiment| results.get(experiment.name));
        assert!(results.into_iter().all(|results| !results.quick));
    }
}

/// A figure in the prose is one that the paper states, or follows from a formula beside it.
#[test]
fn no_figure_of_ours_is_typed_by_hand() {
    let mut known: Vec<f64> = STATED
        .iter()
        .filter_map(|stated| match &stated.claim {
            Claim::Throughput { of_link, .. } => Some(*of_link),
            Claim::Saturation { load } => Some(*load),
            _ => None,
        })
        .collect();
    // The bound of figure 4, with p = h = 4 and g = 9.
    known.push(4.0 * 9.0 / (2.0 * 4.0 * 8.0));
    let mut is_table = false;
    for line in read("reproduction.md").lines() {
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
