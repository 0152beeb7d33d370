//! The candidates: Step 1's, the paper's choice, and a small family of mixtures.
//!
//! Weights do not show in Step 1's model but matter to UGAL, whose decision weighs a drawn path's
//! hops: so every set of shapes that Step 1 hands over is tried drawn by route and drawn by shape.
//! Its mirror image, heads and tails exchanged, carries the same under reversed traffic, so it is
//! tried too. The family holds mixtures that weight short shapes more than long ones and keep long
//! ones for where the short ones are congested.

use crate::set_grammar::{canonical, parse_set};
use tvlb_schema::{DrawRule, Keep, SetRule, Shape};

/// The set that Rahman et al., SC'19, arrive at, drawn as they do.
pub const PAPER: &str = "strategic-2-3";
/// The set that is taken where no candidate holds all guards: conventional VLB's paths.
pub const FALLBACK: &str = "all";

/// The set that is taken unseen where a fabric is too large to be modelled and no simulation is wanted.
pub const DEFAULT: &str = "strategic-2-3 by shape";

/// The family, found by trials on dfly(4, 8, 4, 9) and dfly(4, 8, 4, 17).
const FAMILY: [&str; 9] = [
    FALLBACK,
    "all by shape",
    DEFAULT,
    "strategic-3-2 by shape",
    "shapes:011",
    "4-hop by shape",
    "shapes:011+110 by shape",
    "shapes:020+110 by shape",
    "2*shapes:110, only:020+021+101+111+001+011",
];

/// Where a candidate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The paper's choice.
    Paper,
    /// On Step 1's front within ε.
    Front,
    /// The mirror image of one that is.
    Mirror,
    /// One of the family of mixtures.
    Family,
    /// Named by the user.
    User,
    /// One candidate's set at PAR's first decision and another's at its second.
    Pair,
    /// One of the best, its load balanced.
    Balanced,
}

impl Origin {
    /// As in the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Front => "front",
            Self::Mirror => "mirror",
            Self::Family => "family",
            Self::User => "user",
            Self::Pair => "pair",
            Self::Balanced => "balanced",
        }
    }
}

/// What is tried: a set at the source and, for PAR, one at its second look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// At the source.
    pub source: SetRule,
    /// At PAR's second look; UGAL-L has none.
    pub second: SetRule,
    /// Whether switches thin both so that links are used evenly.
    pub is_balanced: bool,
    /// Where it comes from.
    pub origin: Origin,
}

impl Candidate {
    /// The same set at both decisions.
    pub fn same(rule: SetRule, origin: Origin) -> Self {
        Self { source: rule, second: rule, is_balanced: false, origin }
    }

    /// The same with its load balanced.
    #[must_use]
    pub fn balanced(self) -> Self {
        Self { is_balanced: true, origin: Origin::Balanced, ..self }
    }

    /// In the grammar of sets: one set, or two with " then " between; "balanced" behind, if it is.
    pub fn name(&self) -> String {
        let (source, second) = (canonical(&self.source), canonical(&self.second));
        let sets = if source == second { source } else { format!("{source} then {second}") };
        if self.is_balanced { format!("{sets}, balanced") } else { sets }
    }
}

/// The candidates, each once, the paper's choice first. `front` are the rules on Step 1's front within
/// ε, `user` those that the user names.
pub fn candidates(front: &[SetRule], user: &[SetRule], seed: u64) -> Vec<Candidate> {
    let known = |text: &str| parse_set(text, seed).expect("these texts are in the grammar");
    let mut all = vec![Candidate::same(known(PAPER), Origin::Paper)];
    let mut add = |rule: SetRule, origin| {
        // The paper's other half is its mirror image; no candidate may be without any route.
        if !rule.shapes().is_empty() && all.iter().all(|other| other.source != rule) {
            all.push(Candidate::same(rule, origin));
        }
    };
    for rule in front {
        for (rule, origin) in [(*rule, Origin::Front), (mirrored(rule), Origin::Mirror)] {
            add(SetRule { seed, draw: DrawRule::ByRoute, ..rule }, origin);
            add(by_shape(&SetRule { seed, ..rule }), origin);
        }
    }
    for text in FAMILY {
        add(known(text), Origin::Family);
    }
    for rule in user {
        add(*rule, Origin::User);
    }
    all
}

/// The same routes, every shape drawn alike.
pub fn by_shape(rule: &SetRule) -> SetRule {
    let weights = rule.keep.map(|keep| u16::from(keep > Keep::NONE));
    SetRule { draw: DrawRule::ByShape { weights }, ..*rule }
}

/// Heads and tails exchanged.
fn mirrored(rule: &SetRule) -> SetRule {
    let mut keep = rule.keep;
    for shape in Shape::all() {
        keep[shape.reversed().number()] = rule.keep_of(shape);
    }
    SetRule { keep, draw: DrawRule::ByRoute, seed: rule.seed }
}

/// The pairs of PAR: each of the best sets at the source with each at the second look.
pub fn pairs(best: &[SetRule]) -> Vec<Candidate> {
    let mut pairs = Vec::new();
    for source in best {
        for second in best {
            if source != second {
                let same = Candidate::same(*source, Origin::Pair);
                pairs.push(Candidate { second: *second, ..same });
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(candidates: &[Candidate]) -> Vec<String> {
        candidates.iter().map(Candidate::name).collect()
    }

    #[test]
    fn the_front_is_tried_by_route_and_by_shape_and_mirrored() {
        let front = [parse_set("shapes:021", 0).unwrap()];
        let all = candidates(&front, &[], 1);
        assert_eq!(
            names(&all[..5]),
            [
                "strategic-2-3",
                "shapes:021",
                "shapes:021 by shape",
                "shapes:120",
                "shapes:120 by shape"
            ]
        );
        assert!(all.iter().all(|candidate| candidate.source.seed == 1));
        assert!(all.iter().all(|candidate| candidate.source.check().is_ok()));
    }

    #[test]
    fn each_is_there_once_and_the_paper_always() {
        let front = ["strategic-2-3", "shapes:011", "all"].map(|text| parse_set(text, 0).unwrap());
        let all = candidates(&front, &[parse_set("all", 1).unwrap()], 1);
        let mut distinct = names(&all);
        assert_eq!(distinct[0], PAPER);
        assert!(distinct.iter().any(|name| name == FALLBACK));
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn pairs_are_of_two_sets() {
        let best = ["all", "shapes:011", "shapes:110"].map(|text| parse_set(text, 0).unwrap());
        let pairs = pairs(&best);
        assert_eq!(pairs.len(), 6);
        assert_eq!(pairs[0].name(), "all then shapes:011");
    }
}
