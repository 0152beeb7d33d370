//! Texts that people write or edit: their lines, their CSV records, and how messages show their words.
//!
//! All lists that people edit are read by this crate, so that each of them accepts what editors and spreadsheets do to
//! a text: a byte-order mark, either kind of line ends, comments that begin with `#`, and in CSV quotes, blanks around
//! fields, empty columns at the right and rows of only commas.
//!
//! There are no files here: the caller opens and writes them.

mod counted;
mod csv;
mod error;
mod lines;
mod listed;
mod quoted;
mod spelling;

pub use counted::counted;
pub use csv::{CsvFields, Records, field};
pub use error::{FilePlace, Refused};
pub use lines::{Lines, MOST_LINE_BYTES, NamedText};
pub use listed::listed;
pub use quoted::{cut, quoted};
pub use spelling::{hint, nearest};
