//! What can be wrong with a set's text. Every error knows the bytes that it speaks of.

use std::ops::Range;

/// Why a text is not a T-VLB set. Columns count bytes from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetGrammarError {
    /// Something else should stand here.
    #[error("column {}: found {found}, accepted {accepted}", .at.start + 1)]
    Unexpected {
        /// The bytes found.
        at: Range<usize>,
        /// What was found, quoted, and what may have been meant by it.
        found: String,
        /// What could stand here.
        accepted: &'static str,
    },
    /// A weight out of range.
    #[error("column {}: weight {found}, but a weight is a whole number, 1 to {}", .at.start + 1, u16::MAX)]
    Weight {
        /// The bytes of the weight.
        at: Range<usize>,
        /// The weight as written, quoted.
        found: String,
    },
    /// A percentage out of range.
    #[error(
        "column {}: percentage {found}, but a percentage is 1 to 100 and has at most two decimals",
        .at.start + 1
    )]
    Percentage {
        /// The bytes of the percentage.
        at: Range<usize>,
        /// The percentage as written, quoted.
        found: String,
    },
    /// The terms' weights for one shape add up to too much.
    #[error(
        "column {}: with this term shape {shape} has weight {total}, but the weights of one shape may add up to {} at most",
        .at.start + 1,
        u16::MAX
    )]
    TotalWeight {
        /// The bytes of the term.
        at: Range<usize>,
        /// The shape, as three digits.
        shape: String,
        /// The sum.
        total: u32,
    },
    /// `min` with a weight or among other terms.
    #[error(
        "column {}: found `min` with a weight or another term, but `min` (no VLB route) stands alone",
        .at.start + 1
    )]
    MinNotAlone {
        /// The bytes of `min`.
        at: Range<usize>,
    },
    /// Weights in a set drawn by route.
    #[error(
        "column {}: found `by route` in a set with weights, but weights mean `by shape`",
        .at.start + 1
    )]
    WeightsByRoute {
        /// The bytes of `by route`.
        at: Range<usize>,
    },
}

/// The most characters of a text that are shown with carets below.
const MOST_SHOWN: usize = 200;

impl SetGrammarError {
    /// The bytes of the text that the error speaks of; empty where something is missing.
    pub fn at(&self) -> Range<usize> {
        match self {
            Self::Unexpected { at, .. }
            | Self::Weight { at, .. }
            | Self::Percentage { at, .. }
            | Self::TotalWeight { at, .. }
            | Self::MinNotAlone { at }
            | Self::WeightsByRoute { at } => at.clone(),
        }
    }

    /// Two lines for a terminal: the text, and carets below the place that the error speaks of.
    pub fn marked(&self, text: &str) -> String {
        let at = self.at();
        let width = |range: Range<usize>| text.get(range).map_or(0, |part| part.chars().count());
        let (before, marked) = (width(0..at.start), width(at).clamp(1, MOST_SHOWN));
        // Of a long text the part around the place.
        let skipped = (before + marked).saturating_sub(MOST_SHOWN);
        // Line breaks and tabs would shift the carets.
        let shown = text.chars().skip(skipped).take(MOST_SHOWN);
        let line: String = shown.map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("{line}\n{}{}", " ".repeat(before - skipped), "^".repeat(marked))
    }
}
