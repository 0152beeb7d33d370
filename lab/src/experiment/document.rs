//! The tables of a document, each between a line that names it and a line that ends it.
//!
//! `<!-- figures: fig6 fig7 -->` begins the tables of these experiments, `<!-- end -->` ends them, and what
//! lies between is replaced as a whole. Everything else in the document stays as it is.

use super::kept_results::KeptResults;
use super::tables::{Table, markdown};

const BEGIN: &str = "<!-- figures: ";
const CLOSE: &str = " -->";
const END: &str = "<!-- end -->";

/// Why a document cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error(
        "line {line}: found tables of `{name}`, accepted names of experiments, `summary` or `time`"
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
    #[error("no line is `<!-- figures: {name} -->`, which says where the tables of {name} go")]
    Missing { name: String },
}

/// The document with its tables made from these results: those of one experiment, or all of them.
/// Tables that many experiments share are always made.
///
/// # Errors
/// The first line that begins or ends tables where none can, or a document without a place for the
/// tables of the experiment.
///
/// # Example
/// ```
/// use tvlb_lab::experiment::{KeptResults, with_tables};
///
/// let document = "# Title\n<!-- figures: fig12 -->\n<!-- end -->\n";
/// let tables = with_tables(document, None, &KeptResults::default())?;
/// assert!(tables.starts_with("# Title\n<!-- figures: fig12 -->\n\n") && tables.contains("*Not run.*"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_tables(
    document: &str,
    only: Option<&str>,
    results: &KeptResults,
) -> Result<String, DocumentError> {
    let mut text = String::with_capacity(document.len());
    // The tables that began, with the line, and whether they are to be replaced.
    let mut open: Option<(usize, &str, bool)> = None;
    let mut is_there = false;
    for (number, line) in (1..).zip(document.split_inclusive('\n')) {
        let mark = line.trim_end();
        let begun = mark.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(CLOSE));
        if let Some(name) = begun {
            if let Some((line, name, _)) = open {
                return Err(DocumentError::Endless { line, name: name.to_owned() });
            }
            let unknown = || DocumentError::Unknown { line: number, name: name.to_owned() };
            let table = Table::named(name).ok_or_else(unknown)?;
            let is_wanted = only.is_none_or(|only| table.is_of(only)) || table.is_shared();
            is_there |= only.is_some_and(|only| table.is_of(only));
            text.push_str(line);
            if is_wanted {
                text.push('\n');
                text.push_str(&markdown(&table, results));
                text.push('\n');
            }
            open = Some((number, name, is_wanted));
        } else if mark == END {
            open.take().ok_or(DocumentError::Stray { line: number })?;
            text.push_str(line);
        } else if !open.is_some_and(|(.., is_replaced)| is_replaced) {
            text.push_str(line);
        }
    }
    if let Some((line, name, _)) = open {
        return Err(DocumentError::Endless { line, name: name.to_owned() });
    }
    match only.filter(|_| !is_there) {
        Some(name) => Err(DocumentError::Missing { name: name.to_owned() }),
        None => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    const DOCUMENT: &str = "Words.\n\n<!-- figures: fig6 -->\nold\n<!-- end -->\n\nMore words.\n\
                            <!-- figures: fig7 -->\nkept\n<!-- end -->\n<!-- figures: summary -->\n<!-- end -->\nLast";

    #[test]
    fn tables_are_replaced_and_words_stay() {
        let mut results = KeptResults::default();
        results.insert(samples::curves("fig6", &[("ugal-l", 0.23, 0.29), ("par", 0.29, 0.38)]));
        let one = with_tables(DOCUMENT, Some("fig6"), &results).unwrap();
        assert!(
            one.starts_with("Words.\n\n<!-- figures: fig6 -->\n\n|")
                && one.ends_with("<!-- end -->\nLast")
        );
        assert!(!one.contains("old") && one.contains("\nkept\n") && one.contains("| fig6 |"));
        let all = with_tables(DOCUMENT, None, &results).unwrap();
        assert!(!all.contains("kept") && all.contains("\n\nMore words.\n"));
        assert_eq!(with_tables(&all, None, &results).unwrap(), all);
        assert_eq!(with_tables(&one, None, &results).unwrap(), all);
    }

    #[test]
    fn a_document_without_a_place_for_tables_is_refused() {
        let of = |document: &str| with_tables(document, None, &KeptResults::default());
        let said = |document: &str| of(document).unwrap_err().to_string();
        assert!(said("\n<!-- figures: fig3 -->\n").starts_with("line 2: found tables of `fig3`"));
        let endless = "<!-- figures: fig6 -->\n<!-- figures: fig7 -->\n<!-- end -->\n";
        assert!(said(endless).starts_with("line 1: the tables of `fig6` have no end"));
        assert!(said("<!-- figures: fig6 -->\n").starts_with("line 1: the tables of `fig6`"));
        assert!(said("a\n<!-- end -->\n").starts_with("line 2: found `<!-- end -->` outside"));
        let missing = with_tables("", Some("fig6"), &KeptResults::default()).unwrap_err();
        assert_eq!(missing, DocumentError::Missing { name: "fig6".to_owned() });
    }
}
