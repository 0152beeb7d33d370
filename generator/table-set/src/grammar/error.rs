//! Errors in a set's text. Every error knows the bytes that it is about.

use crate::printable::is_shown;
use std::ops::Range;

/// Why a text is not a T-VLB set. Columns count bytes from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetGrammarError {
    #[error("column {}: found {found}, accepted {accepted}", .at.start + 1)]
    Unexpected { at: Range<usize>, found: String, accepted: &'static str },
    #[error("column {}: weight {found}, but a weight is a whole number, 1 to {}", .at.start + 1, u16::MAX)]
    Weight { at: Range<usize>, found: String },
    #[error(
        "column {}: percentage {found}, but a percentage is 1 to 100 and has at most two decimals",
        .at.start + 1
    )]
    Percentage { at: Range<usize>, found: String },
    #[error(
        "column {}: with this term shape {shape} has weight {total}, but the weights of one shape may add up to {} at most",
        .at.start + 1,
        u16::MAX
    )]
    TotalWeight { at: Range<usize>, shape: String, total: u32 },
    #[error(
        "column {}: found `min` with a weight or another term, but `min` (no VLB route) stands alone",
        .at.start + 1
    )]
    MinNotAlone { at: Range<usize> },
    #[error(
        "column {}: found `by route` in a set with weights, but weights mean `by shape`",
        .at.start + 1
    )]
    WeightsByRoute { at: Range<usize> },
}

/// The most characters of a text that are shown above the carets.
const MOST_SHOWN: usize = 200;

impl SetGrammarError {
    /// The bytes of the text that the error is about; empty if something is missing.
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

    /// Two lines for a terminal: the text, and carets below the place of the error.
    pub fn marked(&self, text: &str) -> String {
        let at = self.at();
        let width = |range: Range<usize>| text.get(range).map_or(0, |part| part.chars().count());
        let (before, marked) = (width(0..at.start), width(at).clamp(1, MOST_SHOWN));
        // Of a long text, only the part around the place.
        let skipped = (before + marked).saturating_sub(MOST_SHOWN);
        // Line breaks, tabs and marks that change the direction of writing would shift the carets.
        let shown = text.chars().skip(skipped).take(MOST_SHOWN);
        let line: String = shown.map(|c| if is_shown(c) { c } else { ' ' }).collect();
        format!("{line}\n{}{}", " ".repeat(before - skipped), "^".repeat(marked))
    }
}
