//! What is not accepted in a text or a value, and what would be.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

/// A file, or a line of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePlace {
    /// The file's name, as the user gave it; empty if the caller adds it.
    pub file: Box<str>,
    /// The line, from 1. Comments and empty lines count. 0 means no line in particular.
    pub line: u32,
}

impl Display for FilePlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&*self.file, self.line) {
            (file, 0) => f.write_str(file),
            ("", line) => write!(f, "line {line}"),
            (file, line) => write!(f, "{file}: line {line}"),
        }
    }
}

/// What was found, where, and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    place: FilePlace,
    found: Box<str>,
    /// Empty if nothing in particular would be.
    accepted: Cow<'static, str>,
}

impl Refused {
    pub fn new(found: impl Into<String>, accepted: impl Into<Cow<'static, str>>) -> Self {
        let (found, accepted) = (found.into().into(), accepted.into());
        Self { place: FilePlace::default(), found, accepted }
    }

    /// Refuses a number outside of a range.
    ///
    /// # Errors
    /// It is.
    pub fn unless_within(name: &str, found: u32, least: u32, most: u32) -> Result<(), Self> {
        if (least..=most).contains(&found) {
            return Ok(());
        }
        Err(Self::new(format!("{name} is {found}"), format!("{least} to {most}")))
    }

    /// A file that the system does not let us read.
    pub fn unreadable(file: &str, reason: &std::io::Error) -> Self {
        Self::new(format!("cannot read it: {reason}"), "").in_file(file)
    }

    /// The same, found in this place.
    #[must_use]
    pub fn at(self, place: FilePlace) -> Self {
        Self { place, ..self }
    }

    /// The same, found on this line of a text that the caller names.
    #[must_use]
    pub fn on_line(self, line: impl TryInto<u32>) -> Self {
        self.at(FilePlace { file: Box::default(), line: line.try_into().unwrap_or(u32::MAX) })
    }

    /// The same, found in this file.
    #[must_use]
    pub fn in_file(self, file: &str) -> Self {
        self.at(FilePlace { file: file.into(), line: 0 })
    }
}

impl Display for Refused {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { place, found, accepted } = self;
        if *place != FilePlace::default() {
            write!(f, "{place}: ")?;
        }
        f.write_str(found)?;
        if accepted.is_empty() { Ok(()) } else { write!(f, ", accepted {accepted}") }
    }
}

impl std::error::Error for Refused {}
