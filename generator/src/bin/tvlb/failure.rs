//! What a command ends in when it does not end well.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit code where something was found: a fault, a difference.
const FOUND: u8 = 1;
/// The exit code of an error; clap uses it for a bad command line too.
const ERROR: u8 = 2;
/// The exit code after Ctrl-C, as a shell has it.
pub(crate) const INTERRUPTED: u8 = 130;

/// The outcome of a command.
pub(crate) type Outcome = Result<(), Failure>;

/// Why a command stopped.
pub(crate) enum Failure {
    /// Something is wrong, in words for the user.
    Message(String),
    /// What was to be checked is not as it should be, in words for the user.
    Finding(String),
    /// What was to be checked is not as it should be, and the output says so.
    Found,
    /// The user asked to stop.
    Interrupted,
    /// Whoever read our output has read enough.
    BrokenPipe,
}

impl Failure {
    /// Any error as a message.
    pub(crate) fn of(error: impl fmt::Display) -> Self {
        Self::Message(error.to_string())
    }

    /// Tells the user and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (message, code) = match self {
            Self::Message(message) => (message, ERROR),
            Self::Finding(message) => (message, FOUND),
            Self::Found => return ExitCode::from(FOUND),
            Self::Interrupted => ("interrupted; nothing was written".to_owned(), INTERRUPTED),
            Self::BrokenPipe => return ExitCode::SUCCESS,
        };
        // Where nobody can be told, the exit code still tells.
        let _ = writeln!(io::stderr(), "tvlb: {}", shown(&message));
        ExitCode::from(code)
    }
}

/// Writing to standard output failed.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::BrokenPipe
        } else {
            Self::Message(format!("standard output: cannot write: {error}"))
        }
    }
}

/// The message without the control characters that a name or a text of some file may have brought
/// into it, so that no file tells the terminal what to do.
fn shown(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            c if c.is_control() => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}
