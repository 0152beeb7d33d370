//! The neighbours of ranks, from a matrix in the Matrix Market format: an entry in row i and column j says that ranks i
//! − 1 and j − 1 exchange messages, both ways.
//!
//! Coordinate matrices (`%%MatrixMarket matrix coordinate …`) with as many rows as columns are accepted. Only the
//! positions of the entries count, not their values, so that a pattern and the matrix of a mesh mean the same. An entry
//! on the diagonal is ignored.

use crate::partition::Graph;
use crate::workload::error::WorkloadError;
use std::borrow::Cow;
use tvlb_base::text::{Lines, Refused, quoted};

/// The most rows of a matrix.
pub const MOST_RANKS: u32 = 1 << 20;
pub const MOST_ENTRIES: usize = 1 << 26;

/// Reads the pattern of a matrix as a graph of ranks, each edge of weight 1.
///
/// # Errors
/// The first line that is not as it should be.
pub fn parse(text: &str) -> Result<Graph, WorkloadError> {
    let mut lines = Lines::of_text(text);
    let header = lines.next_line()?.unwrap_or_default().trim();
    let Some(values) = values_of(header) else {
        return Err(wrong(
            &lines,
            "the header %%MatrixMarket matrix coordinate, then pattern, integer, real or complex, then \
             general, symmetric, skew-symmetric or hermitian",
        ));
    };
    let text = lines.next_without_comments('%')?.unwrap_or_default();
    let (rows, expected) = match numbers(text).as_deref() {
        Some(&[rows, columns, entries])
            if rows == columns
                && (1..=u64::from(MOST_RANKS)).contains(&rows)
                && entries <= MOST_ENTRIES as u64 =>
        {
            (rows, entries)
        }
        _ => {
            return Err(wrong(
                &lines,
                "the numbers of rows, of columns and of entries, with as many rows as columns, at most \
                 2^20, and at most 2^26 entries",
            ));
        }
    };
    let (mut edges, mut found) = (Vec::new(), 0);
    while let Some(text) = lines.next_without_comments('%')? {
        found += 1;
        if found > expected {
            return Err(wrong(&lines, "the end, because all entries have been read"));
        }
        let mut fields = text.split_whitespace();
        let places: Option<Vec<u64>> = fields.by_ref().take(2).map(|n| n.parse().ok()).collect();
        let (Some(&[row, column]), true) = (places.as_deref(), fields.count() == values) else {
            return Err(wrong(&lines, ENTRIES[values]));
        };
        if ![row, column].iter().all(|place| (1..=rows).contains(place)) {
            return Err(wrong(&lines, format!("rows and columns from 1 to {rows}")));
        }
        let rank = |place: u64| u32::try_from(place - 1).expect("a matrix has few rows");
        edges.push((rank(row.min(column)), rank(row.max(column))));
    }
    if found < expected {
        let found = format!("the matrix ends after {found} entries");
        let accepted = format!("{expected}, as its sizes say");
        return Err(Refused::new(found, accepted).at(lines.place()).into());
    }
    edges.sort_unstable();
    edges.dedup();
    let ranks = u32::try_from(rows).expect("a matrix has few rows");
    Ok(Graph::from_edges(ranks, edges.into_iter().map(|(one, other)| (one, other, 1))))
}

/// How many numbers follow row and column, if the header is one that is accepted.
fn values_of(header: &str) -> Option<usize> {
    let header = header.to_ascii_lowercase();
    let [banner, object, format, field, symmetry] =
        <[&str; 5]>::try_from(header.split_whitespace().collect::<Vec<_>>()).ok()?;
    let symmetries = ["general", "symmetric", "skew-symmetric", "hermitian"];
    if [banner, object, format] != ["%%matrixmarket", "matrix", "coordinate"]
        || !symmetries.contains(&symmetry)
    {
        return None;
    }
    match field {
        "pattern" => Some(0),
        "integer" | "real" => Some(1),
        "complex" => Some(2),
        _ => None,
    }
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    text.split_whitespace().map(|number| number.parse().ok()).collect()
}

/// The types of entries, by the count of numbers in a value.
const ENTRIES: [&str; 3] = [
    "a row and a column, and no value, because the header says that the matrix is a pattern",
    "a row, a column and a value, because the header says that the matrix has values",
    "a row, a column and the two parts of a complex value, as the header says",
];

/// The line that was read last, or the end of the text after it.
fn wrong(lines: &Lines<'_>, accepted: impl Into<Cow<'static, str>>) -> WorkloadError {
    let found = format!("found {}", quoted(lines.line().trim()));
    Refused::new(found, accepted).on_line(lines.number().max(1)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "%%MatrixMarket matrix coordinate pattern general\n";

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn entries_are_neighbours_both_ways() {
        let text = format!("{HEADER}% a comment\n4 4 5\n1 2\n2 1\n4 4\n\n% more\n3 4\n1 3\n");
        let graph = parse(&text).unwrap();
        assert_eq!(graph.vertices(), 4);
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1, 1), (0, 2, 1), (2, 3, 1)]);
        let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(parse(&marked).unwrap().edges().count(), 3);
        let real = "%%MatrixMarket Matrix COORDINATE real symmetric\n2 2 1\n2 1 -3.5e0\n";
        assert_eq!(parse(real).unwrap().edges().count(), 1);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        assert!(error("").starts_with("line 1: found \"\", accepted the header %%MatrixMarket"));
        assert!(error("%%MatrixMarket matrix array real general\n").starts_with("line 1: found"));
        for sizes in ["", "2 3 1", "0 0 0", "2000000 2000000 1", "2 2", "2 2 99999999"] {
            let said = error(&format!("{HEADER}\n{sizes}"));
            assert!(said.contains("accepted the numbers of rows, of columns"), "{said}");
        }
        for entry in ["3 1", "0 1", "1 3"] {
            let expected =
                format!("line 3: found {entry:?}, accepted rows and columns from 1 to 2");
            assert_eq!(error(&format!("{HEADER}2 2 1\n{entry}\n")), expected);
        }
        for entry in ["1", "1 2 5", "a b"] {
            assert_eq!(
                error(&format!("{HEADER}2 2 1\n{entry}\n")),
                format!(
                    "line 3: found {entry:?}, accepted a row and a column, and no value, because the \
                     header says that the matrix is a pattern"
                )
            );
        }
        let real = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n";
        assert!(error(real).contains("accepted a row, a column and a value"), "{}", error(real));
        assert_eq!(
            error(&format!("{HEADER}2 2 1\n1 2\n2 1\n")),
            "line 4: found \"2 1\", accepted the end, because all entries have been read"
        );
        assert_eq!(
            error(&format!("{HEADER}2 2 3\n1 2\n")),
            "line 3: the matrix ends after 1 entries, accepted 3, as its sizes say"
        );
    }
}
