//! From a set's text to its rule.

use super::tokens::{Token, TokenKind, tokens};
use super::{CONVENTIONAL, SetGrammarError, at_most, hops, named};
use std::ops::Range;
use tvlb_schema::{DrawRule, Keep, LegHops, SetRule, Shape, ShapeSet};

const FIRST_BODY: &str = "`min`, `all`, `conventional`, `valg`, `valn`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, \
    `shapes:`, `only:`, `switches:`, a weight as in `3*` or a percentage as in `60%`";
const FURTHER_BODY: &str = "`all`, `valg`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, \
    `shapes:`, `only:`, a weight as in `3*` or a percentage as in `60%`";
const WEIGHTED_BODY: &str = "`all`, `valg`, `2-hop` to `6-hop`, `strategic-2-3`, `strategic-3-2`, \
    `shapes:`, `only:` or a percentage as in `60%` after a weight";
const PARTIAL_BODY: &str = "`2-hop` to `6-hop`, `shapes:` or `only:` after a percentage";
const SHAPE: &str = "a shape: three digits, the first and last 0 or 1, the middle one 0 to 2";
const LEGS: &str = "hops of the two legs as in `2-3`, each 1 to 3";
const AFTER_LEGS: &str = "`+` and hops of further legs, `with returns` or the end";
const AFTER_TERM: &str = "`,` and another term, `by route`, `by shape` or the end";
const AFTER_SHAPE: &str = "`+` and another shape, `,` and another term, `by route`, `by shape` \
    or the end";

/// Parses a text; the seed, which no text contains, decides fractions.
///
/// # Errors
/// The first place at which the text leaves the grammar.
///
/// # Example
/// ```
/// use tvlb_table_set::grammar::{canonical, parse_set};
///
/// let rule = parse_set("60% 5-hop", 1)?;
/// assert_eq!(canonical(&rule), "60% 5-hop");
/// // Two ways to say the same are the same rule.
/// assert_eq!(parse_set("shapes:121", 1)?, parse_set("all", 1)?);
///
/// let error = parse_set("7-hop", 1).unwrap_err();
/// assert_eq!(error.at().start, 0);
/// # Ok::<(), tvlb_table_set::grammar::SetGrammarError>(())
/// ```
pub fn parse_set(text: &str, seed: u64) -> Result<SetRule, SetGrammarError> {
    let mut parser = Parser { tokens: tokens(text), next: 0 };
    if parser.take(TokenKind::Word("switches")).is_some() {
        return Ok(SetRule { seed, ..parser.switches()? });
    }
    let alone =
        [("valn", SetRule::by_switch(LegHops::ALL, true)), (CONVENTIONAL, SetRule::conventional())];
    for (name, rule) in alone {
        if parser.take(TokenKind::Word(name)).is_some() {
            return match parser.peek().kind {
                TokenKind::End => Ok(SetRule { seed, ..rule }),
                _ => Err(parser.unexpected("the end")),
            };
        }
    }
    let mut terms = vec![parser.term()?];
    while parser.take(TokenKind::Mark(',')).is_some() {
        terms.push(parser.term()?);
    }
    let draw = parser.draw()?;
    if parser.peek().kind != TokenKind::End {
        let accepted = match terms.last() {
            _ if draw.is_some() => "the end",
            Some(term) if term.lists_shapes => AFTER_SHAPE,
            _ => AFTER_TERM,
        };
        return Err(parser.unexpected(accepted));
    }
    union(&terms, draw, seed)
}

/// One term: the fraction that it keeps of each shape.
struct Term {
    at: Range<usize>,
    weight: Option<u16>,
    keep: [Keep; Shape::COUNT],
    /// Whether it ends in shapes, so that a `+` could follow.
    lists_shapes: bool,
}

/// The words after the terms.
enum DrawText {
    ByRoute(Range<usize>),
    ByShape,
}

fn union(terms: &[Term], draw: Option<DrawText>, seed: u64) -> Result<SetRule, SetGrammarError> {
    let weighted = terms.iter().any(|term| term.weight.is_some());
    let mut keep = [Keep::NONE; Shape::COUNT];
    let mut weights = [0; Shape::COUNT];
    for term in terms {
        // Only `min` keeps nothing.
        let is_min = term.keep == [Keep::NONE; Shape::COUNT];
        if is_min && (weighted || terms.len() > 1) {
            return Err(SetGrammarError::MinNotAlone { at: term.at.clone() });
        }
        for shape in Shape::all() {
            let number = shape.number();
            if term.keep[number] == Keep::NONE {
                continue;
            }
            keep[number] = keep[number].max(term.keep[number]);
            let total = u32::from(weights[number]) + u32::from(term.weight.unwrap_or(1));
            weights[number] = u16::try_from(total).map_err(|_| SetGrammarError::TotalWeight {
                at: term.at.clone(),
                shape: shape.to_string(),
                total,
            })?;
        }
    }
    let draw = match draw {
        Some(DrawText::ByRoute(at)) if weighted => {
            return Err(SetGrammarError::WeightsByRoute { at });
        }
        Some(DrawText::ByShape) => DrawRule::ByShape { weights },
        None if weighted => DrawRule::ByShape { weights },
        Some(DrawText::ByRoute(_)) | None => DrawRule::ByRoute,
    };
    Ok(SetRule { keep, draw, seed })
}

struct Parser<'t> {
    /// The last is the end of the text, which is never passed.
    tokens: Vec<Token<'t>>,
    next: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> &Token<'t> {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn advance(&mut self) -> Token<'t> {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    fn take(&mut self, kind: TokenKind<'static>) -> Option<Token<'t>> {
        (self.peek().kind == kind).then(|| self.advance())
    }

    fn unexpected(&self, accepted: &'static str) -> SetGrammarError {
        let Token { kind, at } = self.peek();
        let hint = match kind {
            // A different number is not a misspelt word.
            TokenKind::Word(word) => {
                let digits = |word: &str| word.replace(|c: char| !c.is_ascii_digit(), "");
                let names = words_of(accepted).filter(|name| digits(name) == digits(word));
                tvlb_base::text::hint(word, names)
            }
            _ => String::new(),
        };
        SetGrammarError::Unexpected { at: at.clone(), found: format!("{kind}{hint}"), accepted }
    }

    /// Takes the next word and this mark after it, if they are there.
    fn word_before(&mut self, mark: char) -> Option<(&'t str, Range<usize>)> {
        let Token { kind: TokenKind::Word(word), at } = self.peek().clone() else {
            return None;
        };
        let follows = self.tokens.get(self.next + 1)?;
        if follows.kind != TokenKind::Mark(mark) {
            return None;
        }
        self.next += 2;
        Some((word, at))
    }

    fn term(&mut self) -> Result<Term, SetGrammarError> {
        let mut accepted = if self.next == 0 { FIRST_BODY } else { FURTHER_BODY };
        let start = self.peek().at.start;
        let weight = match self.word_before('*') {
            Some((word, at)) => Some(weight(word, at)?),
            None => None,
        };
        if weight.is_some() {
            accepted = WEIGHTED_BODY;
        }
        let part = match self.word_before('%') {
            Some((word, at)) => Some(percentage(word, at)?),
            None => None,
        };
        if part.is_some() {
            accepted = PARTIAL_BODY;
        }
        let (keep, lists_shapes) = self.body(part, accepted)?;
        let end = self.tokens[self.next - 1].at.end;
        Ok(Term { at: start..end, weight, keep, lists_shapes })
    }

    /// The fractions of a body, and whether it ended in a list of shapes.
    fn body(
        &mut self,
        part: Option<Keep>,
        accepted: &'static str,
    ) -> Result<([Keep; Shape::COUNT], bool), SetGrammarError> {
        let TokenKind::Word(word) = self.peek().kind else {
            return Err(self.unexpected(accepted));
        };
        let keep = match (word, part) {
            ("shapes" | "only", _) => {
                self.advance();
                let tops = self.shapes()?;
                let shapes = if word == "only" {
                    tops
                } else {
                    ShapeSet::generated_by(&tops.iter().collect::<Vec<_>>())
                };
                return Ok((kept(shapes, part.unwrap_or(Keep::ALL)), true));
            }
            ("min", None) => kept(ShapeSet::EMPTY, Keep::ALL),
            (_, None) => match named(word) {
                Some(shapes) => kept(shapes, Keep::ALL),
                None => return Err(self.unexpected(accepted)),
            },
            (_, Some(part)) => match hops(word) {
                Some(hops) => {
                    let mut keep = kept(at_most(hops), part);
                    for shape in at_most(hops - 1).iter() {
                        keep[shape.number()] = Keep::ALL;
                    }
                    keep
                }
                None => return Err(self.unexpected(accepted)),
            },
        };
        self.advance();
        Ok((keep, false))
    }

    /// `:` and the shapes after it.
    fn shapes(&mut self) -> Result<ShapeSet, SetGrammarError> {
        if self.take(TokenKind::Mark(':')).is_none() {
            return Err(self.unexpected("`:` and shapes, as in `shapes:011+110`"));
        }
        let mut shapes = ShapeSet::EMPTY;
        loop {
            let shape = match self.peek().kind {
                TokenKind::Word(word) => Shape::all().find(|s| s.to_string() == word),
                _ => None,
            };
            let Some(shape) = shape else {
                return Err(self.unexpected(SHAPE));
            };
            self.advance();
            shapes = shapes.or(ShapeSet::only(shape));
            if self.take(TokenKind::Mark('+')).is_none() {
                return Ok(shapes);
            }
        }
    }

    /// `:`, the hops of legs, and the rest of the text.
    fn switches(&mut self) -> Result<SetRule, SetGrammarError> {
        if self.take(TokenKind::Mark(':')).is_none() {
            return Err(self.unexpected("`:` and hops of legs, as in `switches:2-3`"));
        }
        let mut all: Option<LegHops> = None;
        loop {
            let legs = match self.peek().kind {
                TokenKind::Word(word) => leg_hops(word),
                _ => None,
            };
            let Some(legs) = legs else {
                return Err(self.unexpected(LEGS));
            };
            self.advance();
            all = Some(all.map_or(legs, |known| known.or(legs)));
            if self.take(TokenKind::Mark('+')).is_none() {
                break;
            }
        }
        let mut accepted = AFTER_LEGS;
        let with = self.take(TokenKind::Word("with")).is_some();
        if with {
            if self.take(TokenKind::Word("returns")).is_none() {
                return Err(self.unexpected("`returns` after `with`"));
            }
            accepted = "the end";
        }
        match all {
            Some(legs) if self.peek().kind == TokenKind::End => Ok(SetRule::by_switch(legs, with)),
            _ => Err(self.unexpected(accepted)),
        }
    }

    /// `by route`, `by shape` or nothing.
    fn draw(&mut self) -> Result<Option<DrawText>, SetGrammarError> {
        let Some(by) = self.take(TokenKind::Word("by")) else {
            return Ok(None);
        };
        if let Some(route) = self.take(TokenKind::Word("route")) {
            Ok(Some(DrawText::ByRoute(by.at.start..route.at.end)))
        } else if self.take(TokenKind::Word("shape")).is_some() {
            Ok(Some(DrawText::ByShape))
        } else {
            Err(self.unexpected("`route` or `shape` after `by`"))
        }
    }
}

/// The words that a list of accepted ones quotes, without the mark that may end a word.
fn words_of(accepted: &str) -> impl Iterator<Item = &str> {
    let quoted = accepted.split('`').skip(1).step_by(2).map(|word| word.trim_end_matches(':'));
    // "`2-hop` to `6-hop`" includes those in between.
    let hops = ["3-hop", "4-hop", "5-hop"].into_iter().filter(|_| accepted.contains("`2-hop`"));
    quoted.chain(hops)
}

/// The pairs of hops in a word such as `2-3`.
fn leg_hops(word: &str) -> Option<LegHops> {
    let (first, second) = word.split_once('-')?;
    let hops = |digits: &str| (1..=3).find(|hops: &u8| digits == hops.to_string());
    LegHops::within(hops(first)?, hops(second)?)
}

/// This fraction of each of these shapes, and none of the others.
fn kept(shapes: ShapeSet, part: Keep) -> [Keep; Shape::COUNT] {
    let mut keep = [Keep::NONE; Shape::COUNT];
    for shape in shapes.iter() {
        keep[shape.number()] = part;
    }
    keep
}

fn weight(word: &str, at: Range<usize>) -> Result<u16, SetGrammarError> {
    digits(word)
        .and_then(|weight| u16::try_from(weight).ok())
        .filter(|&weight| weight > 0)
        .ok_or_else(|| SetGrammarError::Weight { at, found: format!("`{word}`") })
}

fn percentage(word: &str, at: Range<usize>) -> Result<Keep, SetGrammarError> {
    let parts = || {
        let (whole, decimals) = match word.split_once('.') {
            // One decimal counts tenths of a percent, so 10 parts of 10 000 each.
            Some((whole, decimals)) if decimals.len() == 1 => (whole, digits(decimals)? * 10),
            Some((whole, decimals)) if decimals.len() == 2 => (whole, digits(decimals)?),
            Some(_) => return None,
            None => (word, 0),
        };
        let parts = digits(whole)?.checked_mul(100)?.checked_add(decimals)?;
        Keep::new(u16::try_from(parts).ok()?).filter(|&keep| keep > Keep::NONE)
    };
    parts().ok_or_else(|| SetGrammarError::Percentage { at, found: format!("`{word}%`") })
}

/// A number written in digits alone: `parse` would let a sign through.
fn digits(word: &str) -> Option<u32> {
    if word.bytes().all(|b| b.is_ascii_digit()) { word.parse().ok() } else { None }
}
