//! The lines of a text that may be large, one at a time.
//!
//! Promises: no more than one line is in memory, a line has a limit, and whatever is wrong with the
//! text itself is said with its line.

use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use tvlb_table_set::input_file::{self, Symlinks};

/// The longest line that is read, in bytes.
pub(crate) const MOST_LINE_BYTES: usize = 1 << 16;
/// A dump of all links may be one line.
pub(crate) const MOST_DUMP_LINE_BYTES: usize = 1 << 30;
/// The largest file that is read, in bytes.
pub(crate) const MOST_FILE_BYTES: u64 = 4 << 30;
/// The most rows or records that are read, of all files together. With it, every number of switches,
/// nodes and links fits 32 bits.
pub(crate) const MOST_RECORDS: usize = 100_000_000;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name, as the user gave it.
    pub file: Box<str>,
    /// The line, from 1.
    pub line: u32,
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: line {}", self.file, self.line)
    }
}

/// Why a text cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The operating system refused.
    #[error("{file}: cannot read it: {source}")]
    Io {
        /// The file.
        file: String,
        /// The answer.
        source: io::Error,
    },
    /// The file is too large.
    #[error("{file}: found {found} bytes, accepted at most {MOST_FILE_BYTES}")]
    TooLarge {
        /// The file.
        file: String,
        /// Its length.
        found: u64,
    },
    /// A line is too long.
    #[error("{place}: found a line of more than {most} bytes, accepted at most that many")]
    LongLine {
        /// The line.
        place: Place,
        /// The most that is accepted.
        most: usize,
    },
    /// A line is not UTF-8.
    #[error("{place}: byte {offset} of the file is not UTF-8, accepted a text in UTF-8")]
    NotUtf8 {
        /// The line.
        place: Place,
        /// The first wrong byte, from 0.
        offset: u64,
    },
    /// A quoted field does not end.
    #[error(
        "{place}: the quote that opens in column {column} does not close on its line, accepted a field whose quotes close"
    )]
    OpenQuote {
        /// The line.
        place: Place,
        /// The field, from 1.
        column: usize,
    },
    /// There are too many rows or records.
    #[error("{place}: accepted at most {MOST_RECORDS} rows or records in all files together")]
    TooMany {
        /// The first line beyond the limit.
        place: Place,
    },
}

/// A text and the name by which messages call it.
pub struct Source<'t> {
    name: String,
    text: Box<dyn BufRead + 't>,
}

impl<'t> Source<'t> {
    /// A text in memory.
    pub fn of_text(name: &str, text: &'t [u8]) -> Self {
        Self { name: name.to_owned(), text: Box::new(text) }
    }

    /// A regular file of at most 4 GiB.
    ///
    /// # Errors
    /// The file cannot be opened, is not a regular file, or is too large.
    pub fn open(path: &Path) -> Result<Source<'static>, TextError> {
        let name = path.display().to_string();
        let (file, found) = match input_file::open(path, Symlinks::Follow) {
            Ok(opened) => opened,
            Err(source) => return Err(TextError::Io { file: name, source }),
        };
        if found > MOST_FILE_BYTES {
            return Err(TextError::TooLarge { file: name, found });
        }
        // A file that grows meanwhile is not read any further than that.
        let text = BufReader::with_capacity(1 << 18, file.take(MOST_FILE_BYTES));
        Ok(Source { name, text: Box::new(text) })
    }

    /// The name by which messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The lines of a source, without their ends and without a byte-order mark.
pub(crate) struct Lines<'t> {
    source: Source<'t>,
    most_bytes: usize,
    line: u32,
    /// The bytes before `buffer`.
    offset: u64,
    buffer: Vec<u8>,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(source: Source<'t>) -> Self {
        Self::with_limit(source, MOST_LINE_BYTES)
    }

    /// With lines of at most so many bytes.
    pub(crate) fn with_limit(source: Source<'t>, most_bytes: usize) -> Self {
        Self { source, most_bytes, line: 0, offset: 0, buffer: Vec::new() }
    }

    /// The line that was read last.
    pub(crate) fn place(&self) -> Place {
        Place { file: self.source.name.as_str().into(), line: self.line }
    }

    /// The number of the line that was read last; 0 before the first.
    pub(crate) fn number(&self) -> u32 {
        self.line
    }

    /// The next line.
    pub(crate) fn next(&mut self) -> Result<Option<&str>, TextError> {
        self.offset += self.buffer.len() as u64;
        self.buffer.clear();
        let limit = self.most_bytes as u64 + 2 + BYTE_ORDER_MARK.len() as u64;
        let mut limited = (&mut self.source.text).take(limit);
        if let Err(source) = limited.read_until(b'\n', &mut self.buffer) {
            return Err(TextError::Io { file: self.source.name.clone(), source });
        }
        if self.buffer.is_empty() {
            return Ok(None);
        }
        // A file of at most 4 GiB has fewer than 2³² lines.
        self.line = self.line.saturating_add(1);
        let mut bytes = &self.buffer[..];
        bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let mut skipped = 0;
        if self.line == 1
            && let Some(rest) = bytes.strip_prefix(BYTE_ORDER_MARK)
        {
            (bytes, skipped) = (rest, BYTE_ORDER_MARK.len());
        }
        if bytes.len() > self.most_bytes {
            return Err(TextError::LongLine { place: self.place(), most: self.most_bytes });
        }
        match str::from_utf8(bytes) {
            Ok(line) => Ok(Some(line)),
            Err(error) => Err(TextError::NotUtf8 {
                place: self.place(),
                offset: self.offset + (skipped + error.valid_up_to()) as u64,
            }),
        }
    }
}

/// The fields of a line of CSV, without the quotes and without spaces around them.
#[derive(Default)]
pub(crate) struct Fields {
    text: String,
    ends: Vec<usize>,
}

impl Fields {
    /// Takes a line apart. The error is the column, from 1, whose quote does not close.
    pub(crate) fn split(&mut self, line: &str) -> Result<(), usize> {
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
                    // A doubled quote stands for one.
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

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The field of this number, from 0; nothing where there is no such field.
    pub(crate) fn get(&self, field: usize) -> &str {
        let begin = match field.checked_sub(1) {
            Some(before) => self.ends.get(before),
            None => Some(&0),
        };
        match (begin, self.ends.get(field)) {
            (Some(&begin), Some(&end)) => &self.text[begin..end],
            _ => "",
        }
    }
}

/// A text of the source as a message shows it: quoted, and not for pages.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{:?}", format!("{}…", &text[..cut])),
        None => format!("{text:?}"),
    }
}

/// Whether a line is one of an interconnect dump of a Cray XC, as in
/// `c4-1c2s9a0l13(8:2:9) blue -> c0-0c1s9a0l02(0:1:9)`.
pub(crate) fn is_aries(line: &str) -> bool {
    let mut rest = line.as_bytes();
    for part in ["c", "-", "c", "s", "a", "l"] {
        let Some(after) = rest.strip_prefix(part.as_bytes()) else { return false };
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        rest = &after[digits..];
    }
    rest.starts_with(b"(")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Vec<String> {
        let mut fields = Fields::default();
        fields.split(line).unwrap();
        (0..fields.len()).map(|field| fields.get(field).to_owned()).collect()
    }

    #[test]
    fn lines_are_taken_apart_as_csv_means_them() {
        assert_eq!(fields("a, b ,,c"), ["a", "b", "", "c"]);
        assert_eq!(fields("\"a,b\",\"say \"\"x\"\"\",c"), ["a,b", "say \"x\"", "c"]);
        assert_eq!(fields(""), [""]);
        assert_eq!(fields("['a','b']"), ["['a'", "'b']"]);
        let mut open = Fields::default();
        assert_eq!(open.split("a,\"b,c"), Err(2));
        assert_eq!(open.get(7), "");
    }

    #[test]
    fn line_ends_and_marks_are_left_out() {
        let text = b"\xef\xbb\xbfa\r\nb\n\nc";
        let mut lines = Lines::of(Source::of_text("f", text));
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(line.to_owned());
        }
        assert_eq!(found, ["a", "b", "", "c"]);
        assert_eq!(lines.place().to_string(), "f: line 4");
    }

    #[test]
    fn bad_texts_are_refused_with_their_place() {
        let error = |text: &[u8]| {
            let mut lines = Lines::of(Source::of_text("f", text));
            loop {
                match lines.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => return "read".to_owned(),
                    Err(error) => return error.to_string(),
                }
            }
        };
        assert_eq!(
            error(b"a\nb\xff"),
            "f: line 2: byte 3 of the file is not UTF-8, accepted a text in UTF-8"
        );
        let mut long = vec![b'a'; MOST_LINE_BYTES];
        assert_eq!(error(&long), "read");
        long.extend(b"\r\n");
        assert_eq!(error(&long), "read");
        long.insert(0, b'a');
        assert_eq!(
            error(&long),
            "f: line 1: found a line of more than 65536 bytes, accepted at most that many"
        );
    }

    #[test]
    fn a_huge_file_is_refused_before_it_is_read() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("huge.csv");
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(MOST_FILE_BYTES).unwrap();
        assert!(Source::open(&path).is_ok());
        file.set_len(MOST_FILE_BYTES + 1).unwrap();
        let error = Source::open(&path).err().unwrap().to_string();
        let expected = "huge.csv: found 4294967297 bytes, accepted at most 4294967296";
        assert!(error.ends_with(expected), "{error}");
    }

    #[test]
    fn lines_of_an_interconnect_dump_are_known() {
        assert!(is_aries("c14-1c2s9a0l13(8:2:9) blue -> unused"));
        for other in ["", "cable_id,src", "c1-1c2s9a0l13", "c-1c2s9a0l13(8:2:9)", "x1c0r1"] {
            assert!(!is_aries(other), "{other}");
        }
    }
}
