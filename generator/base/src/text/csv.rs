//! CSV: a record to a line, with blanks around fields, comments, and what spreadsheets add.

use crate::text::error::{FilePlace, Refused};
use crate::text::lines::{Lines, NamedText};
use crate::text::quoted::{cut, quoted};
use std::borrow::Cow;

/// The records of a CSV text. Comments and rows with only empty fields are skipped.
pub struct Records<'t> {
    lines: Lines<'t>,
    fields: CsvFields,
    /// The header that was found, and how many columns it has; empty without a header.
    header: String,
    columns: usize,
    comments: usize,
}

impl<'t> Records<'t> {
    /// Those of a source. All rows count, because no header has been read.
    pub fn of(source: NamedText<'t>) -> Self {
        let (lines, fields) = (Lines::of(source), CsvFields::default());
        Self { lines, fields, header: String::new(), columns: 0, comments: 0 }
    }

    /// Those of a text in memory that messages do not name, because their caller does.
    pub fn of_text(text: &'t str) -> Self {
        Self::of(NamedText::of_text("", text.as_bytes()))
    }

    /// Reads the header, which must be one of these, and returns which.
    ///
    /// # Errors
    /// The first row is a different one, or missing.
    pub fn expect_header(&mut self, headers: &[&[&str]]) -> Result<usize, Refused> {
        let accepted =
            || headers.iter().map(|names| names.join(",")).collect::<Vec<_>>().join(" or ");
        if !self.read_header()? {
            let FilePlace { file, line } = self.lines.place();
            let place = FilePlace { file, line: line.max(1) };
            let header = format!("the header {}", accepted());
            return Err(Refused::new("found the end of the file", header).at(place));
        }
        let found = &self.fields;
        let is_found = |names: &&[&str]| found.iter().eq(names.iter().copied());
        if let Some(number) = headers.iter().position(is_found) {
            return Ok(number);
        }
        // Of several headers the message is about the one that is nearest.
        let alike = |names: &[&str]| {
            found.iter().zip(names).take_while(|(one, other)| one == *other).count()
        };
        let nearest = headers.iter().rev().copied().max_by_key(|names| alike(names));
        let names = nearest.unwrap_or_default();
        let same = alike(names);
        let absent = || "the end of the line".to_owned();
        let found = found.iter().nth(same).map_or_else(absent, quoted);
        let name = names.get(same).map_or_else(absent, |name| quoted(name));
        let found = format!("column {} of the header is {found}", same + 1);
        let accepted = format!("{name}; the header is {}", accepted());
        Err(Refused::new(found, accepted).at(self.lines.place()))
    }

    /// Reads a header, whatever it is; `false` at the end of the text.
    ///
    /// # Errors
    /// The text cannot be read, or a quote does not close.
    pub fn read_header(&mut self) -> Result<bool, Refused> {
        let some = self.read_row()?;
        self.columns = self.fields.len();
        self.header = self.fields.iter().collect::<Vec<_>>().join(",");
        Ok(some)
    }

    /// Reads the next record, which has as many fields as the header; `false` at the end of the text.
    ///
    /// # Errors
    /// The text cannot be read, or the record has more or fewer fields.
    pub fn read(&mut self) -> Result<bool, Refused> {
        let some = self.read_row()?;
        if some {
            self.expect_columns()?;
        }
        Ok(some)
    }

    /// Reads the next record, of any number of fields; `false` at the end of the text.
    ///
    /// # Errors
    /// The text cannot be read, or a quote does not close.
    pub fn read_row(&mut self) -> Result<bool, Refused> {
        while self.lines.advance()? {
            if is_comment(self.lines.line()) {
                self.pass_comment()?;
                continue;
            }
            if let Err(column) = self.fields.split(self.lines.line()) {
                let found =
                    format!("the quote that opens in column {column} does not close on its line");
                return Err(Refused::new(found, "a field whose quotes close").at(self.place()));
            }
            if self.fields.iter().any(|field| !field.is_empty()) {
                self.fields.drop_empty_beyond(self.columns);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A spreadsheet puts quotes around a comment with a comma in it, or with several lines.
    fn pass_comment(&mut self) -> Result<(), Refused> {
        self.comments += 1;
        if !self.lines.line().trim_start().starts_with('"') {
            return Ok(());
        }
        let quotes = |line: &str| line.bytes().filter(|&byte| byte == b'"').count();
        let mut found = quotes(self.lines.line());
        while found % 2 == 1 && self.lines.advance()? {
            found += quotes(self.lines.line());
        }
        Ok(())
    }

    /// Refuses the record that was read last if it has more or fewer fields than the header.
    ///
    /// # Errors
    /// It has.
    pub fn expect_columns(&self) -> Result<(), Refused> {
        let (found, accepted) = (self.fields.len(), self.columns);
        if found == accepted {
            return Ok(());
        }
        let accepted = format!("{accepted}: {}", cut(&self.header));
        Err(Refused::new(format!("found {found} fields"), accepted).at(self.place()))
    }

    /// The record that was read last.
    pub fn fields(&self) -> &CsvFields {
        &self.fields
    }

    /// Its line, as it is in the text.
    pub fn line(&self) -> &str {
        self.lines.line()
    }

    /// The number of its line, from 1.
    pub fn line_number(&self) -> u32 {
        self.lines.number()
    }

    pub fn place(&self) -> FilePlace {
        self.lines.place()
    }

    /// How many comments have been passed over.
    pub fn comments(&self) -> usize {
        self.comments
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start_matches([' ', '\t', '"']).starts_with('#')
}

/// The fields of a record, without the quotes and without blanks around them.
#[derive(Default)]
pub struct CsvFields {
    text: String,
    ends: Vec<usize>,
}

impl CsvFields {
    /// Takes a line apart. The error is the column, from 1, whose quote does not close.
    fn split(&mut self, line: &str) -> Result<(), usize> {
        self.text.clear();
        self.ends.clear();
        let mut rest = line;
        loop {
            let begin = self.text.len();
            let trimmed = rest.trim_start();
            if let Some(quoted) = trimmed.strip_prefix('"') {
                rest = quoted;
                loop {
                    let end = rest.find('"').ok_or(self.ends.len() + 1)?;
                    self.text.push_str(&rest[..end]);
                    rest = &rest[end + 1..];
                    // A doubled quote means one.
                    let Some(after) = rest.strip_prefix('"') else { break };
                    self.text.push('"');
                    rest = after;
                }
            }
            let (field, after) = match rest.split_once(',') {
                Some((field, after)) => (field, Some(after)),
                None => (rest, None),
            };
            let is_first = self.text.len() == begin;
            self.text.push_str(if is_first { field.trim() } else { field.trim_end() });
            self.ends.push(self.text.len());
            match after {
                Some(after) => rest = after,
                None => return Ok(()),
            }
        }
    }

    /// Drops empty fields at the right, but none of the first `columns`.
    fn drop_empty_beyond(&mut self, columns: usize) {
        while self.ends.len() > columns && self.ends.last().is_some() && self.last_is_empty() {
            self.ends.pop();
        }
    }

    fn last_is_empty(&self) -> bool {
        self.get(self.ends.len().saturating_sub(1)).is_empty()
    }

    /// How many fields there are.
    #[expect(clippy::len_without_is_empty, reason = "a record that was read has a field")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The field of this number, from 0; empty if there is no such field.
    pub fn get(&self, field: usize) -> &str {
        let begin = match field.checked_sub(1) {
            Some(before) => self.ends.get(before),
            None => Some(&0),
        };
        match (begin, self.ends.get(field)) {
            (Some(&begin), Some(&end)) => &self.text[begin..end],
            _ => "",
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|field| self.get(field))
    }

    /// The words of all fields, separated by commas or blanks.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.iter().flat_map(str::split_whitespace)
    }
}

/// A field of CSV: in quotes if it would otherwise be read differently. A `#` at the beginning of a line would be a
/// comment, so no line begins with a text of the user's.
pub fn field(text: &str) -> Cow<'_, str> {
    let is_plain = !text.contains([',', '"', '\n', '\r']) && text == text.trim();
    if is_plain { text.into() } else { format!("\"{}\"", text.replace('"', "\"\"")).into() }
}

impl std::ops::Index<usize> for CsvFields {
    type Output = str;

    fn index(&self, field: usize) -> &str {
        self.get(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str) -> Vec<(u32, Vec<String>)> {
        let (mut records, mut rows) = (Records::of_text(text), Vec::new());
        while records.read_row().unwrap() {
            let fields = records.fields().iter().map(str::to_owned).collect();
            rows.push((records.line_number(), fields));
        }
        rows
    }

    fn fields(line: &str) -> Vec<String> {
        let mut fields = CsvFields::default();
        fields.split(line).unwrap();
        fields.iter().map(str::to_owned).collect()
    }

    #[test]
    fn lines_are_taken_apart_as_csv_means_them() {
        assert_eq!(fields("a, b ,,c"), ["a", "b", "", "c"]);
        assert_eq!(fields("\"a,b\",\"say \"\"x\"\"\",c"), ["a,b", "say \"x\"", "c"]);
        assert_eq!(fields(""), [""]);
        assert_eq!(fields("['a','b']"), ["['a'", "'b']"]);
        let mut open = CsvFields::default();
        assert_eq!(open.split("a,\"b,c"), Err(2));
        assert_eq!(open.get(7), "");
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        for (text, written) in [
            ("n01 mlx5_0", "n01 mlx5_0"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            (" a", "\" a\""),
        ] {
            assert_eq!(field(text), written);
            assert_eq!(fields(&field(text)), [text]);
        }
    }

    #[test]
    fn lines_are_counted_whatever_their_ends() {
        let lines = ["# a", "", "1, 2", "  ", ",,,", "# \"b", "\"3\"", "4", "# c", "5,,"];
        for line_end in ["\n", "\r\n"] {
            for last in ["", line_end] {
                let text = ["\u{feff}", &lines.join(line_end), last].concat();
                let found = rows(&text);
                let found: Vec<_> = found.iter().map(|(n, row)| (*n, row.join(" "))).collect();
                let expected = [(3, "1 2"), (7, "3"), (8, "4"), (10, "5")];
                assert_eq!(found, expected.map(|(n, row)| (n, row.to_owned())), "{text:?}");
            }
        }
    }

    #[test]
    fn comments_may_be_quoted_and_have_several_lines() {
        let text = "\"# made by a, b\",,\n \"# one\nof \"\"several\"\"\nlines\",,\na,b\n";
        assert_eq!(rows(text), [(5, vec!["a".to_owned(), "b".to_owned()])]);
    }

    const ONE: &[&str] = &["from", "to"];
    const TWO: &[&str] = &["from", "to", "bytes"];

    #[test]
    fn the_header_says_how_many_fields_a_record_has() {
        let mut records = Records::of_text("# c\n\"from\", to ,,\n1,,\n ,,,\n1,2,,3\n");
        assert_eq!(records.expect_header(&[TWO, ONE]), Ok(1));
        assert_eq!(records.read(), Ok(true));
        assert_eq!(records.fields().iter().collect::<Vec<_>>(), ["1", ""]);
        let error = records.read().unwrap_err().to_string();
        assert_eq!(error, "line 5: found 4 fields, accepted 2: from,to");
    }

    #[test]
    fn another_header_is_refused_by_its_first_wrong_column() {
        let error =
            |text| Records::of_text(text).expect_header(&[ONE, TWO]).unwrap_err().to_string();
        let header = "the header is from,to or from,to,bytes";
        assert_eq!(
            error("\nfrom,2\n"),
            format!("line 2: column 2 of the header is \"2\", accepted \"to\"; {header}")
        );
        assert_eq!(
            error("from\n"),
            format!(
                "line 1: column 2 of the header is the end of the line, accepted \"to\"; {header}"
            )
        );
        assert_eq!(
            error("from,to,bytes,length\n"),
            format!(
                "line 1: column 4 of the header is \"length\", accepted the end of the line; {header}"
            )
        );
        let accepted = "accepted the header from,to or from,to,bytes";
        assert_eq!(error(""), format!("line 1: found the end of the file, {accepted}"));
        assert_eq!(error("# a\n\n"), format!("line 2: found the end of the file, {accepted}"));
        assert_eq!(
            error("a,\"b\n"),
            "line 1: the quote that opens in column 2 does not close on its line, accepted a field \
             whose quotes close"
        );
    }

    proptest! {
        #[test]
        fn garbage_never_panics(text in any::<String>(), below in "[0-9,#\"\r\nx -]{0,60}") {
            for text in [text, below] {
                let mut records = Records::of_text(&text);
                let _ = records.expect_header(&[ONE, TWO]);
                while let Ok(true) = records.read_row() {
                    records.fields().words().count();
                }
            }
        }
    }
}
