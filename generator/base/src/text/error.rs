//! What can be wrong with a text, whatever it says.

use std::fmt::{self, Display, Formatter};

/// A line of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name, as the user gave it; empty where the caller says it.
    pub file: Box<str>,
    /// The line, from 1. Comments and empty lines count.
    pub line: u32,
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", self.file)?;
        }
        write!(f, "line {}", self.line)
    }
}

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// The operating system refused.
    #[error("{file}: cannot read it: {reason}")]
    Io {
        /// The file.
        file: String,
        /// The answer.
        reason: String,
    },
    /// The file is too large.
    #[error("{file}: found {found} bytes, accepted at most {most}")]
    TooLarge {
        /// The file.
        file: String,
        /// Its length.
        found: u64,
        /// The most that is accepted.
        most: u64,
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
    #[error("{place}: accepted at most {most} rows or records in all files together")]
    TooMany {
        /// The first line beyond the limit.
        place: Place,
        /// The most that are accepted.
        most: usize,
    },
    /// There is no header.
    #[error("{place}: found the end of the file, accepted the header {header}")]
    NoHeader {
        /// The last line.
        place: Place,
        /// The headers that are accepted.
        header: String,
    },
    /// The header is another one.
    #[error(
        "{place}: column {column} of the header is {found}, accepted {accepted}; the header is {header}"
    )]
    Header {
        /// The header's line.
        place: Place,
        /// The first wrong column, from 1.
        column: usize,
        /// What is there.
        found: String,
        /// What must be there.
        accepted: String,
        /// The headers that are accepted.
        header: String,
    },
    /// A record has more or fewer fields than the header.
    #[error("{place}: found {found} fields, accepted {accepted}: {header}")]
    Columns {
        /// The line.
        place: Place,
        /// How many fields it has.
        found: usize,
        /// How many the header has.
        accepted: usize,
        /// The header.
        header: String,
    },
}
