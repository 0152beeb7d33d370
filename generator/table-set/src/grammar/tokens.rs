//! Cuts a set's text into words and marks, each with its place.
//!
//! Every text can be cut; what a word means is the parser's affair.

use std::fmt;
use std::ops::Range;

/// A piece of the text.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind<'t>,
    /// Its bytes; empty at the end of the text.
    pub(super) at: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'t> {
    /// Letters, digits, `.`, `-` and `_` without a gap: names and numbers.
    Word(&'t str),
    /// Any other character but white space.
    Mark(char),
    End,
}

impl fmt::Display for TokenKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "`{}`", tvlb_base::text::cut(word)),
            Self::Mark(mark) => write!(f, "`{}`", mark.escape_debug()),
            Self::End => f.write_str("the end"),
        }
    }
}

/// The pieces of the text; the last one is the end.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let length = match rest.find(|c| !is_of_word(c)) {
            Some(0) => first.len_utf8(),
            Some(length) => length,
            None => rest.len(),
        };
        let at = start..start + length;
        start = at.end;
        let kind = if is_of_word(first) {
            TokenKind::Word(&text[at.clone()])
        } else {
            TokenKind::Mark(first)
        };
        if !first.is_whitespace() {
            tokens.push(Token { kind, at });
        }
    }
    // Where the text goes on, rather than after the blanks that trail it.
    let end = text.trim_end().len();
    tokens.push(Token { kind: TokenKind::End, at: end..end });
    tokens
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}
