//! How a command ends when it fails.

use crate::interrupt;
use clap::error::{ContextKind, ContextValue};
use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use tvlb_table_set::is_shown;

/// The exit code if something was found: a fault, a difference.
const FOUND: u8 = 1;
/// The exit code of an error; clap uses it for a bad command line too.
const ERROR: u8 = 2;

/// The outcome of a command.
pub type Outcome = Result<(), Failure>;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// Something is wrong, in words for the user.
    Message(String),
    /// The check failed, in words for the user.
    Finding(String),
    /// The check failed, and the output says how.
    Found,
    /// The user asked to stop.
    Interrupted,
    /// The same, with what became of the work, in words for the user.
    Stopped(String),
    /// The reader of our output has closed it.
    BrokenPipe,
}

impl Failure {
    /// Any error as a message.
    pub fn of(error: impl fmt::Display) -> Self {
        Self::Message(error.to_string())
    }

    /// An interruption with what became of the work; any other failure as it is.
    pub fn stopped(self, what_became: impl FnOnce() -> String) -> Self {
        match self {
            Self::Interrupted => Self::Stopped(what_became()),
            other => other,
        }
    }

    /// Tells the user and gives the exit code.
    pub fn report(self) -> ExitCode {
        let (message, code) = match self {
            Self::Message(message) => (message, ERROR),
            Self::Finding(message) => (message, FOUND),
            Self::Found => return ExitCode::from(FOUND),
            Self::Interrupted => ("interrupted".to_owned(), interrupt::exit_code()),
            Self::Stopped(what_became) => {
                (format!("interrupted; {what_became}"), interrupt::exit_code())
            }
            Self::BrokenPipe => return ExitCode::SUCCESS,
        };
        tell(&shown(&message));
        ExitCode::from(code)
    }
}

/// Prints a message on standard error. If standard error is closed, the exit code still reports the failure.
pub fn tell(message: &str) {
    let name = if is_coloured() { "\u{1b}[1m\u{1b}[31mtvlb:\u{1b}[0m" } else { "tvlb:" };
    let _ = writeln!(io::stderr(), "{name} {message}");
}

/// Ends a command line that cannot be parsed, or that asks for help or the version. An error looks like all our errors.
pub(crate) fn end_of_parsing(mut error: clap::Error) -> ExitCode {
    for kind in [ContextKind::InvalidValue, ContextKind::InvalidArg, ContextKind::InvalidSubcommand]
    {
        if let Some(ContextValue::String(found)) = error.get(kind) {
            let found = ContextValue::String(tvlb_base::text::cut(found));
            error.insert(kind, found);
        }
    }
    if !error.use_stderr()
        || error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    {
        // A help text that cannot be printed is a failure.
        if let Err(error) = error.print().and_then(|()| io::stdout().flush()) {
            return Failure::from(error).report();
        }
    } else {
        let rendered = error.render();
        let text = if is_coloured() { rendered.ansi().to_string() } else { rendered.to_string() };
        let _ = write!(io::stderr(), "{}", text.replacen("error:", "tvlb:", 1));
    }
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Whether standard error can show colours, and the user wants them.
fn is_coloured() -> bool {
    let is = |name: &str, value: &str| env::var_os(name).is_some_and(|found| found == value);
    let is_set = |name: &str| env::var_os(name).is_some_and(|found| !found.is_empty());
    io::stderr().is_terminal()
        && !is_set("NO_COLOR")
        && !is("CLICOLOR", "0")
        && !is("TERM", "dumb")
        && is_set("TERM")
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

/// The most characters of a line of a message. The longest path that a system accepts has 4096.
const MOST_LINE: usize = 8192;

/// The message with control characters escaped, so that no name or text from a file can control the terminal, and with
/// overlong lines cut.
fn shown(message: &str) -> String {
    let mut shown = String::with_capacity(message.len().min(MOST_LINE));
    let mut in_line = 0;
    for c in message.chars() {
        in_line = if c == '\n' { 0 } else { in_line + 1 };
        match c {
            _ if in_line > MOST_LINE => {
                if in_line == MOST_LINE + 1 {
                    shown.push('…');
                }
            }
            '\n' | '\t' => shown.push(c),
            c if is_shown(c) => shown.push(c),
            c => shown.extend(c.escape_unicode()),
        }
    }
    shown
}

/// An error, after the option or file that it is about.
pub fn refused(place: &str, error: impl fmt::Display) -> Failure {
    Failure::Message(format!("{place}: {error}"))
}
