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
    #[error("{file}: cannot read it: {reason}")]
    Io { file: String, reason: String },
    #[error("{file}: found {found} bytes, accepted at most {most}")]
    TooLarge { file: String, found: u64, most: u64 },
    #[error("{place}: found a line of more than {most} bytes, accepted at most that many")]
    LongLine { place: Place, most: usize },
    #[error("{place}: byte {offset} of the file is not UTF-8, accepted a text in UTF-8")]
    NotUtf8 { place: Place, offset: u64 },
    #[error(
        "{place}: the quote that opens in column {column} does not close on its line, accepted a field whose quotes close"
    )]
    OpenQuote { place: Place, column: usize },
    #[error("{place}: accepted at most {most} rows or records in all files together")]
    TooMany { place: Place, most: usize },
    #[error("{place}: found the end of the file, accepted the header {header}")]
    NoHeader { place: Place, header: String },
    #[error(
        "{place}: column {column} of the header is {found}, accepted {accepted}; the header is {header}"
    )]
    Header { place: Place, column: usize, found: String, accepted: String, header: String },
    #[error("{place}: found {found} fields, accepted {accepted}: {header}")]
    Columns { place: Place, found: usize, accepted: usize, header: String },
}
