//! The words and figures of the README: it explains each word of the field that an option or a key has, and the claim
//! of its first paragraph is that of its table and of the measurements.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Words of options and keys that say in English what they mean.
const PLAIN: &str = "\
    after all at bandwidth bench beside busiest bytes cables changes check collect compute control \
    count csv decide delay destination document entries fast file flows force format from graph grown height help \
    host hostfile hosts in iterations jacks jobs json keep latency least length limit list load log map max \
    measure members most name names next not only order output packet packets per percent place plot prefer \
    quick quiet rankfile ratio replace report resolution root roots routing rule runs series \
    share simulate slack source state stock sum svg switch threads title to traffic try two where width \
    workload x y";

/// Words about which people who were new to tvlb asked.
const ASKED: [&str; 35] = [
    "regret",
    "E",
    "guard",
    "panel",
    "population",
    "hot",
    "rest",
    "TYPE_2",
    "gate",
    "candidate",
    "queue",
    "look",
    "second-min",
    "thinning",
    "triple",
    "leg",
    "walk",
    "route",
    "path",
    "front",
    "with returns",
    "slot",
    "identity",
    "kind",
    "flit",
    "cycle",
    "policy",
    "scheme",
    "decision",
    "1x4",
    "by channel",
    "the paper's set",
    "MIN=shortest",
    "cell",
    "terminal",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(name: &str) -> String {
    let path = repository().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cells of a row of a Markdown table.
fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_matches('|').split('|').map(str::trim).collect()
}

/// The rows of the README's glossary: its words, and what they mean.
fn glossary(readme: &str) -> Vec<(Vec<&str>, &str)> {
    let (_, words) = readme.split_once("\n## Words\n").expect("the README has a glossary");
    let rows = words.lines().filter(|line| line.starts_with('|')).skip(2);
    let row = |line| {
        let [words, meaning] = cells(line)[..] else { panic!("{line}: it has two cells") };
        (words.split(", ").collect(), meaning)
    };
    rows.map(row).collect()
}

/// The long options that the help texts of both commands list. Tests hold these snapshots to the commands.
fn options() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for directory in ["generator/command/tests/command/snapshots", "lab/tests/command/snapshots"] {
        let overview = text(&format!("{directory}/command__help__help.snap"));
        for entry in fs::read_dir(repository().join(directory)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy();
            let Some(name) = name.strip_prefix("command__help__help_") else { continue };
            // A text that outlives its command would keep words that no reader meets.
            let command = name.split(['_', '.']).next().unwrap_or_default();
            assert!(overview.contains(&format!("\n  {command}")), "{name} is of no command");
            // Before an option that has a short form stands that.
            let help = fs::read_to_string(&path).unwrap();
            let lines = help
                .lines()
                .filter_map(|line| line.trim_start().split("--").nth(1).map(|rest| (line, rest)));
            let listed = lines.filter(|(line, _)| line.trim_start().starts_with('-'));
            let end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
            found.extend(listed.filter_map(|(_, rest)| rest.split(end).next()).map(str::to_owned));
        }
    }
    found.retain(|name| name.starts_with(|c: char| c.is_ascii_lowercase()));
    found
}

/// The keys that the page on the fabric file lists. Its tests hold that page to what is read.
fn keys() -> BTreeSet<String> {
    let page = text("docs/reference/fabric-file.md");
    let first = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    first
        .filter(|key| key.chars().all(|c| c.is_ascii_lowercase() || ".-".contains(c)))
        .map(str::to_owned)
        .collect()
}

/// A word without the ending of a plural, and of letters of one case.
fn singular(word: &str) -> String {
    let word = word.to_lowercase();
    if word.ends_with("leaves") {
        "leaf".to_owned()
    } else {
        word.strip_suffix('s').unwrap_or(&word).to_owned()
    }
}

/// The words of which names of options and keys consist.
fn parts(names: &BTreeSet<String>) -> BTreeSet<String> {
    names.iter().flat_map(|name| name.split(['-', '.'])).map(singular).collect()
}

#[test]
fn every_word_of_options_and_keys_is_plain_or_explained() {
    let readme = text("README.md");
    // An entry of two words explains both: they stand together in names as well.
    let entries: Vec<String> =
        glossary(&readme).iter().flat_map(|(words, _)| words.clone()).map(str::to_owned).collect();
    let explained: BTreeSet<String> = entries
        .iter()
        .flat_map(|entry| entry.split(|c: char| !c.is_alphanumeric() && c != '+'))
        .map(singular)
        .collect();
    let plain: BTreeSet<String> = PLAIN.split_whitespace().map(singular).collect();
    let (options, keys) = (options(), keys());
    assert!(
        options.len() > 100 && keys.len() > 30,
        "{} options, {} keys",
        options.len(),
        keys.len()
    );
    let used = parts(&options.union(&keys).cloned().collect());
    let unknown: Vec<&String> =
        used.iter().filter(|word| !plain.contains(*word) && !explained.contains(*word)).collect();
    assert!(unknown.is_empty(), "neither in the README's words nor plain English: {unknown:?}");
    let unused: Vec<&String> = plain.iter().filter(|word| !used.contains(*word)).collect();
    assert!(unused.is_empty(), "no option and no key has the plain words {unused:?}");
    let both: Vec<&String> = plain.intersection(&explained).collect();
    assert!(both.is_empty(), "the README explains {both:?}, so they are not plain");
}

#[test]
fn every_word_is_explained_once_and_in_order() {
    let readme = text("README.md");
    let rows = glossary(&readme);
    assert!(rows.len() >= 50, "{} words", rows.len());
    let words: Vec<&str> = rows.iter().flat_map(|(words, _)| words.clone()).collect();
    let distinct: BTreeSet<String> = words.iter().map(|word| singular(word)).collect();
    assert_eq!(distinct.len(), words.len(), "a word is explained twice");
    let first: Vec<String> = rows.iter().map(|(words, _)| words[0].to_lowercase()).collect();
    assert!(first.is_sorted(), "{first:?}");
    for word in ASKED {
        assert!(words.contains(&word), "the README does not explain {word}");
    }
    assert!(rows.iter().all(|(_, meaning)| !meaning.is_empty()));
}

/// All numbers with a decimal point of a text, in their order.
fn decimals(text: &str) -> Vec<&str> {
    let words =
        text.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.'));
    words.filter(|word| word.contains('.')).collect()
}

/// What one scheme carries in the README's table of sets: saturations and latencies of conventional routing, as
/// published, by channel and weighed as ours; of the paper's set likewise; and of ours.
struct Scheme {
    saturations: Vec<String>,
    latencies: Vec<String>,
}

/// The rows of a scheme in the README's table, of which its name stands in the first alone.
fn scheme(readme: &str, name: &str) -> Scheme {
    let rows: Vec<Vec<&str>> = readme
        .lines()
        .skip_while(|line| !line.starts_with(&format!("| {name} | conventional: published")))
        .take(3)
        .map(cells)
        .collect();
    let column = |number: usize| -> Vec<String> {
        rows.iter().flat_map(|row| decimals(row[number])).map(str::to_owned).collect()
    };
    let found = Scheme { saturations: column(2), latencies: column(3) };
    assert_eq!((found.saturations.len(), found.latencies.len()), (7, 7), "{name}");
    found
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn the_claim_of_the_readme_is_that_of_its_table_and_of_the_measurements() {
    let readme = text("README.md");
    let claim = readme.split("\n\n").nth(1).unwrap();
    let (ugal_l, par) = (scheme(&readme, "UGAL-L"), scheme(&readme, "PAR"));
    let ratio = |of: &Scheme, row: usize| number(&of.saturations[6]) / number(&of.saturations[row]);
    // The strongest is the one by channel, of the published ones and those by channel.
    let strongest = |of: &Scheme| (ratio(of, 0).min(ratio(of, 1)) - 1.0) * 100.0;
    let image =
        readme.lines().find_map(|line| line.strip_prefix("images   72 switch images of ")).unwrap();
    for said in [
        format!(
            "carry {:.1} times the adversarial traffic that it carries as published",
            ratio(&ugal_l, 0)
        ),
        format!("and {:.0}% more than the strongest conventional routing", strongest(&ugal_l)),
        format!(
            "with PAR it is {:.1} times as much, and {:.0}% more",
            ratio(&par, 0),
            strongest(&par)
        ),
        format!("{} cycles instead of {}", ugal_l.latencies[6], ugal_l.latencies[0]),
        format!("(PAR: {} instead of {})", par.latencies[6], par.latencies[0]),
        format!("an image of about {} bytes", image.split(' ').next().unwrap()),
    ] {
        assert!(claim.contains(&said), "the first paragraph of the README does not say \"{said}\"");
    }
    assert!(readme.contains("\nverified every MIN path, every VLB path\n"));
    // The measurements have the same saturations, and the latencies of conventional routing and of ours.
    let page = text("docs/measurements/step-2.md");
    for (scheme, name) in [(ugal_l, "UGAL-L"), (par, "PAR")] {
        let ends = [&scheme.latencies[0], &scheme.latencies[6]];
        let figures: Vec<&String> = scheme.saturations.iter().chain(ends).collect();
        let has_all = |row: &&str| {
            let found = decimals(row);
            figures.iter().all(|figure| found.contains(&figure.as_str()))
        };
        let row = page.lines().find(has_all);
        assert!(row.is_some(), "docs/measurements/step-2.md has no row of {name} with {figures:?}");
    }
}
