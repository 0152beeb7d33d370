//! Jobs that arrive in turn: a list in the Standard Workload Format.
//!
//! A line is a job of 18 numbers, separated by blanks, of which four count here: the first is the job's number, the
//! second the time of its submission in seconds, the fifth how many processors it had, and the eighth how many it
//! requested. −1 means unknown. A comment follows a `;` (Chapin et al., "Benchmarks and Standards for the Evaluation of
//! Parallel Job Schedulers", 1999).

use crate::workload::error::WorkloadError;
use crate::workload::job::{Job, MOST_RANKS};
use std::num::NonZeroU32;
use tvlb_base::text::{Refused, quoted};

/// The numbers of a line.
const FIELDS: usize = 18;

/// A job and when it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The number that the list gives it.
    pub number: u32,
    /// When it is submitted, in seconds.
    pub submitted: u32,
    /// As many ranks as processors, one on a node.
    pub job: Job,
}

impl Arrival {
    /// Reads a list, whose jobs must be in the order of their submission.
    ///
    /// # Errors
    /// The first line that is not a job, or that was submitted before the line above it; or an empty list.
    pub fn list(text: &str) -> Result<Vec<Self>, WorkloadError> {
        let mut all: Vec<Self> = Vec::new();
        for (number, line) in (1_u32..).zip(text.lines()) {
            let line = line.split(';').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let last = all.last().map_or(0, |last| last.submitted);
            all.push(Self::of_line(line, last).map_err(|error| error.on_line(number))?);
        }
        if all.is_empty() {
            return Err(WorkloadError::refused("the list has no job", "a line for each job"));
        }
        Ok(all)
    }

    fn of_line(line: &str, last: u32) -> Result<Self, Refused> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.len() != FIELDS {
            return Err(Refused::new(format!("found {}", quoted(line)), "18 numbers in a line"));
        }
        let whole = |field: usize, least: u32, most: u32| {
            let text = fields[field - 1];
            let number = text.parse().ok().filter(|number| (least..=most).contains(number));
            number.ok_or_else(|| {
                let found = format!("field {field} is {}", quoted(text));
                Refused::new(found, format!("a whole number from {least} to {most}"))
            })
        };
        let processors = if fields[7].starts_with('-') { 5 } else { 8 };
        let ranks = NonZeroU32::new(whole(processors, 1, MOST_RANKS)?).expect("it is at least 1");
        let (number, submitted) = (whole(1, 0, u32::MAX)?, whole(2, last, u32::MAX)?);
        Ok(Self { number, submitted, job: Job { ranks, ranks_per_node: NonZeroU32::MIN } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: &str, submitted: &str, had: &str, asked: &str) -> String {
        format!("{number} {submitted} -1 60 {had} -1 -1 {asked} 100 -1 1 3 1 -1 1 -1 -1 -1")
    }

    #[test]
    fn comments_are_left_out_and_requests_count_before_what_was_had() {
        let text = format!(
            "; MaxNodes: 72\n\n{} ; the first\n{}\n",
            line("1", "0", "8", "-1"),
            line(" 2", "5", "8", "16")
        );
        let jobs = Arrival::list(&text).unwrap();
        let all: Vec<_> =
            jobs.iter().map(|job| (job.number, job.submitted, job.job.nodes())).collect();
        assert_eq!(all, [(1, 0, 8), (2, 5, 16)]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let good = line("1", "9", "8", "-1");
        for (text, expected) in [
            (" ; nothing\n".to_owned(), "the list has no job"),
            (format!("{good}\n1 2 3\n"), "line 2: found \"1 2 3\", accepted 18 numbers"),
            (format!("{good} 4"), "accepted 18 numbers"),
            (line("1", "x", "8", "-1"), "line 1: field 2 is \"x\", accepted a whole number from 0"),
            (line("1", "1.5", "8", "-1"), "field 2 is \"1.5\""),
            (line("1", "0", "-1", "-1"), "field 5 is \"-1\", accepted a whole number from 1"),
            (line("1", "0", "8", "0"), "field 8 is \"0\""),
            (line("1", "0", "8", "99999999"), "field 8 is \"99999999\""),
            (
                format!("{good}\n{}", line("2", "8", "8", "-1")),
                "line 2: field 2 is \"8\", accepted a whole number from 9",
            ),
        ] {
            let error = Arrival::list(&text).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
