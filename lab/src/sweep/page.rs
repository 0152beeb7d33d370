//! The tables and verdicts of a document, each between a line that names its studies and a line that ends it.
//!
//! `<!-- figures: fig6 fig7 -->` begins the tables of these studies, `<!-- end -->` ends them, and the text between is
//! replaced as a whole. `<!-- figures: briefly fig6 -->` has only counts of verdicts under the tables. Everything else
//! in the document stays the same.

use super::pivot::markdown;
use super::statement::Known;
use super::study::{StudyFile, SweepStudy, combined, counts};
use super::verdict::{JudgedStatement, Verdict};
use std::fmt::Write;

const BEGIN: &str = "<!-- figures: ";
const CLOSE: &str = " -->";
const END: &str = "<!-- end -->";
/// The word instead of names for the counts of all verdicts.
const SUMMARY: &str = "summary";
/// The word before names of studies whose verdicts are only counted.
const BRIEFLY: &str = "briefly ";

/// Why a document cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    #[error(
        "line {line}: found tables of `{name}`, accepted names of studies of the file, or `summary`"
    )]
    Unknown { line: usize, name: String },
    #[error(
        "line {line}: the tables of `{name}` have no end; accepted a line `<!-- end -->` after them"
    )]
    Endless { line: usize, name: String },
    #[error(
        "line {line}: found `<!-- end -->` outside of tables; accepted it after a line `<!-- figures: NAME -->`"
    )]
    Stray { line: usize },
}

/// The document with its tables made from known rows.
///
/// # Errors
/// The first line that begins or ends tables at a wrong place.
pub fn with_tables(document: &str, file: &StudyFile, known: &Known) -> Result<String, PageError> {
    let mut text = String::with_capacity(document.len());
    let mut open: Option<(usize, &str)> = None;
    for (number, line) in (1..).zip(document.split_inclusive('\n')) {
        let mark = line.trim_end();
        let begun = mark.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(CLOSE));
        if let Some(names) = begun {
            if let Some((line, name)) = open {
                return Err(PageError::Endless { line, name: name.to_owned() });
            }
            let unknown = |name: &str| PageError::Unknown { line: number, name: name.to_owned() };
            let block = if names == SUMMARY {
                let all = file.studies.iter().flat_map(|study| study.judged(known));
                counts(&all.collect::<Vec<_>>())
            } else {
                let find = |name| file.find(name).ok_or_else(|| unknown(name));
                let (is_brief, all) =
                    names.strip_prefix(BRIEFLY).map_or((false, names), |all| (true, all));
                let studies = all.split_whitespace().map(find).collect::<Result<Vec<_>, _>>()?;
                if studies.is_empty() {
                    return Err(unknown(names));
                }
                let mut blocks = tables(&studies, known);
                if is_brief {
                    let judged = studies.iter().flat_map(|study| study.judged(known));
                    blocks.push(counts(&judged.collect::<Vec<_>>()));
                } else {
                    blocks.extend(verdicts(&studies, known));
                }
                blocks.join("\n")
            };
            text.extend([line, "\n", &block, "\n"]);
            open = Some((number, names));
        } else if mark == END {
            open.take().ok_or(PageError::Stray { line: number })?;
            text.push_str(line);
        } else if open.is_none() {
            text.push_str(line);
        }
    }
    match open {
        Some((line, name)) => Err(PageError::Endless { line, name: name.to_owned() }),
        None => Ok(text),
    }
}

/// The tables of studies, in the form of the first.
fn tables(studies: &[&SweepStudy], known: &Known) -> Vec<String> {
    let rows = combined(studies, known);
    let first = studies.first().map_or(&[][..], |study| &study.file.tables);
    let mut blocks: Vec<String> = first.iter().filter_map(|table| table.markdown(&rows)).collect();
    let missing = studies.iter().filter(|study| !known.contains_key(&study.name));
    let missing: Vec<&str> = missing.map(|study| study.name.as_str()).collect();
    if !missing.is_empty() {
        blocks.push(format!("*Not run: {}.*\n", missing.join(", ")));
    }
    blocks
}

/// What a paper states of studies: a row for each number that we do not meet and for each comparison that our
/// figures do not confirm; then the numbers within the tolerance, of each study on a line.
fn verdicts(studies: &[&SweepStudy], known: &Known) -> Vec<String> {
    let head = ["study", "the paper", "stated", "ours", "verdict"].map(str::to_owned);
    let (mut grid, mut confirmed) = (vec![head.to_vec()], 0);
    let (mut within, mut notes) = (String::new(), String::new());
    for study in studies {
        let mut numbers: Vec<String> = Vec::new();
        for judged in study.judged(known) {
            if is_passed_over(&judged) {
                confirmed += 1;
                continue;
            }
            let JudgedStatement { what, ours, difference, verdict, stated, note, .. } = judged;
            let stated = stated.unwrap_or_default();
            if verdict == Verdict::Within && note.is_none() {
                numbers.push(format!("{what} {stated} ({ours})"));
                continue;
            }
            if let Some(note) = note {
                let line = format!("- {what}: {note}.\n");
                if !notes.contains(&line) {
                    notes.push_str(&line);
                }
            }
            let ours =
                difference.map_or(ours.clone(), |difference| format!("{ours} ({difference})"));
            grid.push(vec![study.name.clone(), what, stated, ours, verdict.name().to_owned()]);
        }
        if !numbers.is_empty() {
            let _ = writeln!(within, "- {}: {}", study.name, numbers.join("; "));
        }
    }
    let mut blocks = Vec::new();
    blocks.extend((grid.len() > 1).then(|| markdown(&grid)));
    blocks.extend((!notes.is_empty()).then_some(notes));
    blocks.extend(
        (!within.is_empty()).then(|| {
            format!("Stated numbers that ours, in parentheses, meet within 5%:\n\n{within}")
        }),
    );
    blocks.extend((confirmed > 0).then(|| {
        format!("Statements of the paper that are confirmed, and not shown: {confirmed}.\n")
    }));
    blocks
}

/// Whether a table need not show a statement: a comparison that is confirmed, a number that is ours exactly, and
/// a gain within the tolerance, which follows from the two figures that it compares.
fn is_passed_over(judged: &JudgedStatement) -> bool {
    let is_gain = judged.stated.as_ref().is_some_and(|number| number.ends_with('%'));
    let is_exact = judged.difference.as_deref() == Some("+0") && judged.note.is_none();
    judged.verdict == Verdict::Confirmed
        || is_exact
        || (is_gain && judged.verdict == Verdict::Within)
}

#[cfg(test)]
mod tests {
    use super::super::rows::Rows;
    use super::*;

    const FILE: &str = "[study.fig6]\nabout = \"a fabric: UGAL-L\"\n\
        tables = [{ rows = [\"about\"], cell = \"{latency:.1}\" }]\n\
        statements = [{ place = \"4\", what = \"it\", claim.number = { of = { figure = \"latency\" }, is = 9, \
        unit = \"cycles\" } }]\n[study.fig7]\nabout = \"more\"\n";
    const DOCUMENT: &str = "Words.\n\n<!-- figures: fig6 fig7 -->\nold\n<!-- end -->\n\nMore words.\n\
                            <!-- figures: summary -->\n<!-- end -->\nLast";

    fn file() -> (tempfile::TempDir, StudyFile) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("studies.toml");
        std::fs::write(&path, FILE).unwrap();
        let file = StudyFile::read(&path, false).unwrap();
        (home, file)
    }

    #[test]
    fn tables_are_replaced_and_words_stay() {
        let (_home, file) = file();
        let known =
            Known::from([("fig6".to_owned(), Rows::parse("load,latency\n0.1,10\n").unwrap())]);
        let made = with_tables(DOCUMENT, &file, &known).unwrap();
        let expected = "Words.\n\n<!-- figures: fig6 fig7 -->\n\n| about |  |\n|---|---|\n\
            | fig6: a fabric | 10.0 |\n\n*Not run: fig7.*\n\n\
            | study | the paper | stated | ours | verdict |\n|---|---|---|---|---|\n\
            | fig6 | it | 9.0 | 10.0 (+11.1%) | not within 5% |\n\n<!-- end -->\n\nMore words.\n";
        assert!(made.starts_with(expected), "{made}");
        assert!(made.contains("1 statement of the paper: 1 not within 5%"), "{made}");
        assert_eq!(with_tables(&made, &file, &known).unwrap(), made);
        let briefly = DOCUMENT.replace("figures: fig6", "figures: briefly fig6");
        let made = with_tables(&briefly, &file, &known).unwrap();
        assert!(
            made.contains("*Not run: fig7.*\n\n1 statement of the paper: 1 not within 5%"),
            "{made}"
        );
        assert!(!made.contains("| the paper |"), "{made}");
        let near =
            Known::from([("fig6".to_owned(), Rows::parse("load,latency\n0.1,9.2\n").unwrap())]);
        let made = with_tables(DOCUMENT, &file, &near).unwrap();
        assert!(made.contains("within 5%:\n\n- fig6: it 9.0 (9.2)\n\n<!-- end -->"), "{made}");
    }

    #[test]
    fn a_document_without_a_place_for_tables_is_refused() {
        let (_home, file) = file();
        let of =
            |document: &str| with_tables(document, &file, &Known::new()).unwrap_err().to_string();
        assert!(of("\n<!-- figures: fig3 -->\n").starts_with("line 2: found tables of `fig3`"));
        let endless = "<!-- figures: fig6 -->\n<!-- figures: fig7 -->\n<!-- end -->\n";
        assert!(of(endless).starts_with("line 1: the tables of `fig6` have no end"));
        assert!(of("<!-- figures: fig6 -->\n").starts_with("line 1: the tables of `fig6`"));
        assert!(of("a\n<!-- end -->\n").starts_with("line 2: found `<!-- end -->` outside"));
    }
}
