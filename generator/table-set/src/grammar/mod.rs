//! The text form of T-VLB sets, the same in fabric files and on the command line.
//!
//! Promises: [`parse_set`] never panics, and for an invalid text says where it is wrong and what would be right;
//! [`canonical`] writes every valid rule as a text that parses to the same rule. [`GRAMMAR`] is the whole grammar, for
//! `--help` and for `docs/reference/sets.md`.

mod canonical;
mod error;
mod parse;
#[cfg(test)]
mod tests;
mod tokens;

pub use error::SetGrammarError;
pub use parse::parse_set;

use tvlb_schema::{DrawRule, SetRule, Shape, ShapeSet};

/// The grammar, as `--help` and `docs/reference/sets.md` show it.
pub const GRAMMAR: &str = "\
set   = term {\",\" term} [\"by route\" | \"by shape\"]
      | switches:I-J+I-J... [\"with returns\"]
      | valn                 every switch of a third group: switches:3-3 with returns
      | conventional         every switch of a third group, and any link to it and from there
term  = [weight \"*\"] body

body  = min                  no VLB route at all; stands alone
      | all                  every VLB route
      | valg                 every VLB route of at most one hop in the middle: shapes:111
      | N-hop                every route of at most N hops, N from 2 to 6
      | P% N-hop             every route of fewer than N hops, and P percent of those of N
      | strategic-2-3        every route of at most 4 hops, and shapes 111 and 021
      | strategic-3-2        every route of at most 4 hops, and shapes 111 and 120
      | [P%] shapes:S+S...   these shapes and every smaller one, whole or P percent of each
      | [P%] only:S+S...     just these shapes, whole or P percent of each

I-J     hops of the shortest leg to the intermediate switch and of the one on from it: the switches
        of at most I and at most J hops, each 1 to 3; \"with returns\" sends walks that come back
S       local hops in the source, intermediate and destination group: 000 to 121, as in 011
P       1 to 100, at most two decimals
weight  a whole number, 1 to 65535

A shape in several terms is kept in the largest fraction and has the sum of their weights; a term
without a weight counts as 1. A set is drawn by route unless \"by shape\" or a weight is written.
White space may stand between any two words and marks.
";

/// The name of the set that conventional VLB draws from.
pub const CONVENTIONAL: &str = "conventional";

/// The rule in the grammar, by its usual name where it has one.
///
/// For every rule that passes its own check the text reads back, with the rule's seed, as the
/// very same rule.
pub fn canonical(rule: &SetRule) -> String {
    match rule.draw {
        DrawRule::ByRoute | DrawRule::ByShape { .. } => canonical::terms(rule),
        DrawRule::BySwitch { legs, returns } => {
            format!("switches:{legs}{}", if returns { " with returns" } else { "" })
        }
        DrawRule::ByTriple => CONVENTIONAL.to_owned(),
    }
}

/// The names for whole shapes, the preferred one first.
const NAMES: [&str; 8] =
    ["all", "2-hop", "3-hop", "4-hop", "5-hop", "6-hop", "strategic-2-3", "strategic-3-2"];

/// The shapes of one of [`NAMES`], or of `valg`, which is read and not written.
fn named(name: &str) -> Option<ShapeSet> {
    let longer_too = |head, mid, tail| {
        let extra = [Shape::new(1, 1, 1), Shape::new(head, mid, tail)];
        at_most(4).or(extra.into_iter().flatten().collect())
    };
    match name {
        "all" => Some(ShapeSet::ALL),
        // No local hop except between the two links in the middle: ValiantRestricted of SST.
        "valg" => Some(ShapeSet::generated_by(&[Shape::of_walk(true, 1, true)])),
        "strategic-2-3" => Some(longer_too(0, 2, 1)),
        "strategic-3-2" => Some(longer_too(1, 2, 0)),
        _ => hops(name).map(at_most),
    }
}

/// The N of `N-hop`.
fn hops(name: &str) -> Option<u8> {
    let digits = name.strip_suffix("-hop")?;
    // As in the grammar: one digit, so neither `+4-hop` nor `04-hop`.
    (2..=6).find(|n: &u8| digits == n.to_string())
}

/// All shapes of at most this many hops.
fn at_most(hops: u8) -> ShapeSet {
    Shape::all().filter(|s| s.hops() <= hops).collect()
}
