//! Standard output, progress, and Ctrl-C.

use crate::failure::{Failure, Outcome, tell};
use crate::interrupt;
use crate::values;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tvlb_base::progress::Progress;
use tvlb_generator::counted::counted;
use tvlb_simulator::StarvedLink;
use tvlb_table_set::input_file;
use tvlb_table_set::whole_file;

/// From now on Ctrl-C and SIGTERM only set a flag, so that the command can clean up; a second one kills.
pub fn catch_interrupt() -> Outcome {
    interrupt::catch()
        .map_err(|error| Failure::Message(format!("cannot catch interrupts: {error}")))
}

/// The options of commands that work for a while.
#[derive(Args)]
pub struct WorkOptions {
    /// Use this many threads instead of one per core; the figures are the same for any number
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = values::threads)]
    threads: Option<usize>,
    /// Show no progress: print nothing but the result and errors
    #[arg(short, long)]
    pub quiet: bool,
}

impl WorkOptions {
    /// Uses as many threads as are asked for, or one per core.
    pub fn use_threads(&self) -> Outcome {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        pool.map_err(|error| Failure::Message(format!("--threads {threads}: {error}")))
    }
}

/// The text of a file that an option names: traffic flows, one line for each of at most 2²⁴ nodes.
pub fn read_input(path: impl AsRef<Path>) -> io::Result<String> {
    input_file::read_given_text(path.as_ref(), 512 << 20)
}

/// Writes a file that the user asked for, whole or not at all.
pub fn write_file(path: &Path, content: &(impl AsRef<[u8]> + ?Sized)) -> Outcome {
    whole_file::write(path, content)
        .map_err(|error| Failure::Message(format!("{}: cannot write it: {error}", path.display())))
}

/// Whether the user has asked us to stop.
pub fn interrupted() -> bool {
    interrupt::is_asked_to_stop()
}

/// Warns, once for each, of links whose buffers are too small for their rate.
pub fn tell_of_starved(quiet: bool, links: impl IntoIterator<Item = StarvedLink>) {
    warn(quiet, links.into_iter().map(|link| link.to_string()));
}

/// Prints each warning once on standard error.
pub fn warn(quiet: bool, warnings: impl IntoIterator<Item = String>) {
    let mut told: Vec<String> = Vec::new();
    for text in warnings {
        if !quiet && !told.contains(&text) {
            tell(&format!("warning: {text}"));
            told.push(text);
        }
    }
}

/// Prints a text.
pub fn print(text: &impl Display) -> Outcome {
    let mut out = std::io::stdout().lock();
    write!(out, "{text}")?;
    out.flush()?;
    Ok(())
}

/// The version of the JSON of all commands; it rises when a key is removed or changes its meaning.
const JSON_VERSION: u32 = 1;

/// Prints a value that has keys as JSON, beginning with the version.
pub fn print_json<T: Serialize>(value: &T) -> Outcome {
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    struct Versioned<'v, T> {
        json_version: u32,
        #[serde(flatten)]
        value: &'v T,
    }
    print_format(&Versioned { json_version: JSON_VERSION, value })
}

/// Prints a value whose form is a format of its own: a manifest, the record of an update, or paths as a list has them.
pub fn print_format(value: &impl Serialize) -> Outcome {
    let json = serde_json::to_string_pretty(value).map_err(Failure::of)?;
    print(&format_args!("{json}\n"))
}

/// Progress on standard error. On a terminal: one line that says what will be done, then one bar for each stage in
/// turn. Elsewhere, because the output of a long run is kept: a line from time to time. If quiet: nothing.
pub struct Bars {
    quiet: bool,
    shown: Mutex<Shown>,
    /// If there is no terminal, and not if quiet.
    log: Option<Mutex<Log>>,
}

/// Progress lines for someone who reads them later.
struct Log {
    begun: Instant,
    /// The time since the beginning at which the next line is due.
    due: Duration,
    /// Progress that is not yet printed.
    untold: Option<String>,
}

/// The least time between two lines of a log.
const SILENCE: Duration = Duration::from_mins(5);

impl Log {
    /// The lines that are due at this time; each is returned once.
    fn due(&mut self, after: Duration, shown: &Shown) -> Vec<String> {
        if after < self.due {
            return Vec::new();
        }
        // So that the log of many hours stays readable.
        self.due = after + SILENCE.max(after / 10);
        let progress =
            format!("{} after {}", shown.in_words(), counted(after.as_secs() / 60, "minute"));
        self.untold.take().into_iter().chain([progress]).collect()
    }
}

/// The bar of a stage.
struct Shown {
    bar: ProgressBar,
    length: Length,
}

/// What the length of a bar says about its stage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    /// The number of steps, if known.
    Exact,
    /// An estimate.
    Estimate,
    /// An upper bound.
    Bound,
}

impl Shown {
    fn new(bar: ProgressBar) -> Self {
        Self { bar, length: Length::Exact }
    }

    /// Makes the length one of this kind. Returns whether it already was.
    fn turn_into(&mut self, length: Length, style: fn() -> ProgressStyle) -> bool {
        let was = self.length == length;
        if !was {
            self.length = length;
            self.bar.set_style(style());
        }
        was
    }

    /// "simulate: 120 of about 603".
    fn in_words(&self) -> String {
        let (stage, done) = (self.bar.message(), self.bar.position());
        let of = match self.length {
            Length::Exact => "of",
            Length::Estimate => "of about",
            Length::Bound => "of at most",
        };
        match self.bar.length() {
            Some(all) => format!("{stage}: {done} {of} {all}"),
            None => format!("{stage}: {done}"),
        }
    }
}

impl Bars {
    pub fn new(quiet: bool) -> Self {
        let log = Log { begun: Instant::now(), due: SILENCE, untold: None };
        let is_logged = !quiet && !io::stderr().is_terminal();
        Self {
            quiet,
            shown: Mutex::new(Shown::new(ProgressBar::hidden())),
            log: is_logged.then(|| Mutex::new(log)),
        }
    }

    /// The same, with a line that says what will be done: at once on a terminal, elsewhere only once the work takes
    /// long.
    pub fn beginning(quiet: bool, what: &impl Display) -> Self {
        let bars = Self::new(quiet);
        match &bars.log {
            _ if quiet => {}
            // If this cannot be written, nothing is lost.
            None => drop(io::stderr().write_all(format!("{what}\n").as_bytes())),
            Some(log) => locked(log).untold = Some(what.to_string()),
        }
        bars
    }

    /// Replaces the current bar.
    fn show(&self, next: ProgressBar) {
        let mut shown = self.shown();
        shown.bar.finish_and_clear();
        *shown = Shown::new(next);
        // It shows before its first step, which may take long.
        shown.bar.tick();
        // This needs a thread, which a hidden bar is not worth.
        if !shown.bar.is_hidden() {
            shown.bar.enable_steady_tick(TICK);
        }
    }

    /// Removes the current bar.
    pub fn finish(&self) {
        self.shown().bar.finish_and_clear();
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        locked(&self.shown)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Progress for Bars {
    fn stage(&self, name: &'static str, steps: Option<usize>) {
        self.show(match steps {
            Some(steps) => progress(self.quiet, name, steps),
            None => count(self.quiet, name),
        });
    }

    fn step(&self) {
        let shown = self.shown();
        let Shown { bar, length } = &*shown;
        bar.inc(1);
        let done = bar.position();
        // During the work a bar is never full.
        if *length == Length::Estimate && done >= bar.length().unwrap_or(0) {
            bar.set_length(done + 1 + done / 20);
        }
        if let Some(log) = &self.log {
            let mut log = locked(log);
            let after = log.begun.elapsed();
            log.due(after, &shown).iter().for_each(|line| tell(line));
        }
    }

    fn about_left(&self, steps: usize) {
        let mut shown = self.shown();
        shown.turn_into(Length::Estimate, estimated);
        shown.bar.set_length(shown.bar.position() + (steps as u64).max(1));
    }

    fn at_most_left(&self, steps: usize) {
        let mut shown = self.shown();
        let was_bound = shown.turn_into(Length::Bound, bounded);
        let most = shown.bar.position() + steps as u64;
        // A run may have ended before its search noticed, and counts twice.
        let before = shown.bar.length().filter(|_| was_bound);
        shown.bar.set_length(before.map_or(most, |before| before.min(most)));
    }

    fn is_cancelled(&self) -> bool {
        interrupted()
    }
}

/// How often a bar is redrawn while no step finishes.
const TICK: Duration = Duration::from_millis(500);

/// A count of runs with no known end, on a terminal; nothing elsewhere, or if quiet.
fn count(quiet: bool, what: &'static str) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{msg:>12} {spinner} runs: {pos}, {elapsed}")
        .expect("the template is well-formed");
    ProgressBar::with_draw_target(None, target).with_style(style).with_message(what)
}

/// A bar on a terminal; nothing elsewhere, or if quiet.
fn progress(quiet: bool, what: &'static str, length: usize) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template("{msg:>12} [{bar:40}] {pos}/{len} {eta}")
        .expect("the template is well-formed")
        .progress_chars("=> ");
    ProgressBar::with_draw_target(Some(length as u64), target).with_style(style).with_message(what)
}

/// The style of a bar whose length is an estimate.
fn estimated() -> ProgressStyle {
    ProgressStyle::with_template("{msg:>12} [{bar:40}] {pos} of about {len} runs, some {eta} left")
        .expect("the template is well-formed")
        .progress_chars("=> ")
}

/// The style of a bar whose length is an upper bound.
fn bounded() -> ProgressStyle {
    ProgressStyle::with_template("{msg:>12} [{bar:40}] {pos} of at most {len} runs, {elapsed}")
        .expect("the template is well-formed")
        .progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_of_an_estimated_length_is_never_full() {
        let bars = Bars::new(true);
        bars.stage("simulate", None);
        bars.about_left(10);
        let room = || {
            let shown = bars.shown();
            shown.bar.length().unwrap() - shown.bar.position()
        };
        assert_eq!(room(), 10);
        for _ in 0..100 {
            bars.step();
            assert!(room() > 0);
        }
        // It may shrink.
        bars.about_left(200);
        bars.about_left(3);
        assert_eq!(room(), 3);
        bars.about_left(0);
        assert_eq!(room(), 1);
    }

    #[test]
    fn a_log_says_what_is_done_when_it_turns_out_to_take_long() {
        let bars = Bars::new(true);
        bars.stage("simulate", None);
        bars.about_left(602);
        bars.step();
        let untold = Some("choosing the sets of lab".to_owned());
        let mut log = Log { begun: Instant::now(), due: SILENCE, untold };
        let mut lines = |minutes: u64| {
            let after = Duration::from_secs(60 * minutes);
            log.due(after, &bars.shown()).join("; ")
        };
        assert_eq!(lines(4), "");
        let first = "choosing the sets of lab; simulate: 1 of about 602 after 5 minutes";
        assert_eq!((lines(5).as_str(), lines(5).as_str()), (first, ""));
        assert_eq!(lines(10), "simulate: 1 of about 602 after 10 minutes");
        // The longer the work takes, the rarer the lines.
        assert_eq!(lines(100), "simulate: 1 of about 602 after 100 minutes");
        assert_eq!(lines(109), "");
        assert_eq!(lines(110), "simulate: 1 of about 602 after 110 minutes");
    }

    #[test]
    fn a_bar_of_a_known_length_is_full_at_the_end() {
        let bars = Bars::new(true);
        bars.stage("simulate", None);
        bars.about_left(10);
        bars.stage("files", Some(2));
        (0..2).for_each(|_| bars.step());
        let bar = &bars.shown().bar;
        assert_eq!((bar.position(), bar.length()), (2, Some(2)));
    }
}
