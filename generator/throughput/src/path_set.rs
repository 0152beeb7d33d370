//! The path sets that are modelled, and the two ways of counting their paths.
//!
//! A set is a [`SetRule`] and a name. The rule's draw rule plays no part here: the model lets the
//! rates of different hop counts differ and holds those of one hop count equal, whatever the
//! weights by which a switch would draw.

use std::fmt;
use tvlb_schema::{Keep, SetRule, Shape, ShapeSet};
use tvlb_table_set::grammar::{SetGrammarError, parse_set};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Counting {
    /// Every (intermediate switch, MIN leg, MIN leg): the way of the papers. A walk that occurs
    /// under two intermediate switches counts twice, and some walks visit a switch twice.
    Triples,
    /// Distinct simple routes, each once.
    Routes,
}

impl Counting {
    /// `triples` or `routes`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Triples => "triples",
            Self::Routes => "routes",
        }
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A named set of VLB paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSet {
    name: String,
    rule: SetRule,
    /// Count of shape 111 only the triples that split it as the named legs do.
    ///
    /// Rahman et al. define their strategic sets by the hops of the two legs. A walk of shape 111
    /// is two triples, one of legs 2 + 3 and one of legs 3 + 2, and a strategic set has just one
    /// of them; shapes 021 and 120 have no such choice. Which one does not matter to the loads.
    one_split_of_111: bool,
}

impl PathSet {
    /// A set by its rule. Both triples of a walk with one hop in the middle count.
    pub fn new(name: impl Into<String>, rule: SetRule) -> Self {
        Self { name: name.into(), rule, one_split_of_111: false }
    }

    /// Reads the grammar of sets. `strategic-2-3` and `strategic-3-2` alone mean the papers' sets,
    /// which in triples are defined by legs.
    ///
    /// # Errors
    /// The first place at which the text leaves the grammar.
    pub fn parse(text: &str, seed: u64) -> Result<Self, SetGrammarError> {
        let rule = parse_set(text, seed)?;
        let first = text.split_whitespace().next().unwrap_or_default();
        let alone = !text.contains(',') && !text.contains('*');
        let one_split_of_111 = alone && matches!(first, "strategic-2-3" | "strategic-3-2");
        Ok(Self { name: text.trim().to_owned(), rule, one_split_of_111 })
    }

    /// The set's name in tables and plots.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which routes are in it.
    pub fn rule(&self) -> &SetRule {
        &self.rule
    }

    /// Whether it has no VLB path at all: MIN alone.
    pub fn is_min_only(&self) -> bool {
        self.rule.shapes().is_empty()
    }

    /// How many of the triples of one walk of this shape count; 1 for routes.
    pub(super) fn multiplicity(&self, shape: Shape, counting: Counting) -> u32 {
        match (counting, shape.mid()) {
            (Counting::Triples, 1) => {
                let is_111 = shape.head() == 1 && shape.tail() == 1;
                if is_111 && self.one_split_of_111 { 1 } else { 2 }
            }
            _ => 1,
        }
    }

    /// Whether the triple of a walk of this shape counts whose intermediate switch is the one where the walk
    /// enters the intermediate group (`enters`), or else the one where it leaves.
    pub(super) fn has_triple(&self, shape: Shape, enters: bool) -> bool {
        let is_111 = (shape.head(), shape.mid(), shape.tail()) == (1, 1, 1);
        // Legs of 2 and 3 hops part where the walk enters, and only that set has a second leg of 3 hops after
        // none in its source group.
        let by_long_second = self.rule.shapes().iter().any(|s| (s.mid(), s.tail()) == (2, 1));
        !(is_111 && self.one_split_of_111) || enters == by_long_second
    }

    /// The shapes kept whole, where every shape is kept whole or not at all.
    pub fn whole_shapes(&self) -> Option<ShapeSet> {
        let whole = self.rule.keep.iter().all(|&keep| keep == Keep::NONE || keep == Keep::ALL);
        whole.then(|| self.rule.shapes())
    }

    /// The same paths walked backwards, for a set of whole shapes. A fraction has no such mirror
    /// image: which routes it keeps is drawn for each direction by itself.
    #[must_use]
    pub fn reversed(&self) -> Option<Self> {
        let shapes = self.whole_shapes()?.iter().map(Shape::reversed).collect();
        Some(Self {
            name: format!("{} reversed", self.name),
            rule: SetRule::whole(shapes),
            one_split_of_111: self.one_split_of_111,
        })
    }

    /// A set with another rule whose triples of shape 111 count as in this one.
    pub(super) fn with_rule(&self, rule: SetRule) -> Self {
        Self { name: self.name.clone(), rule, one_split_of_111: self.one_split_of_111 }
    }

    /// Equal keys have equal modelled throughput on every pattern.
    pub fn key(&self, counting: Counting) -> SetKey {
        let partial = self.whole_shapes().is_none();
        SetKey {
            keep: self.rule.keep.map(Keep::parts),
            seed: if partial { self.rule.seed } else { 0 },
            one_split_of_111: counting == Counting::Triples && self.one_split_of_111,
        }
    }
}

/// The part of a set that the model uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetKey {
    keep: [u16; Shape::COUNT],
    seed: u64,
    one_split_of_111: bool,
}

/// The 31 data points of Rahman et al., Table 1: all paths of at most 3 hops, then 10% to 100% of
/// those of 4, of 5 and of 6, each on top of all shorter ones.
pub fn table_1(seed: u64) -> Vec<PathSet> {
    let mut texts = vec!["3-hop".to_owned()];
    for hops in 4..=6 {
        texts.extend((1..10).map(|tenth| format!("{tenth}0% {hops}-hop")));
        texts.push(if hops == 6 { "all".to_owned() } else { format!("{hops}-hop") });
    }
    parsed(&texts, seed)
}

/// The two strategic sets of Rahman et al.
pub fn strategic() -> Vec<PathSet> {
    parsed(&["strategic-2-3".to_owned(), "strategic-3-2".to_owned()], 0)
}

/// The 49 non-empty down-closed shape sets, each named by its greatest shapes.
pub fn down_closed() -> Vec<PathSet> {
    let sets = (1..=ShapeSet::ALL.bits()).filter_map(ShapeSet::from_bits);
    sets.filter(|set| set.is_down_closed())
        .map(|set| {
            let is_top = |&s: &Shape| set.iter().all(|other| other == s || !s.is_within(other));
            let tops: Vec<String> =
                set.iter().filter(is_top).map(|shape| shape.to_string()).collect();
            PathSet::new(format!("shapes:{}", tops.join("+")), SetRule::whole(set))
        })
        .collect()
}

/// All sets of Step 1: Table 1, the strategic ones, the down-closed ones; 82 with repetitions.
pub fn step_1(seed: u64) -> Vec<PathSet> {
    [table_1(seed), strategic(), down_closed()].concat()
}

fn parsed(texts: &[String], seed: u64) -> Vec<PathSet> {
    texts
        .iter()
        .map(|text| PathSet::parse(text, seed).expect("these texts are in the grammar"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn step_1_has_82_sets() {
        assert_eq!(table_1(1).len(), 31);
        assert_eq!(down_closed().len(), 49);
        let sets = step_1(1);
        assert_eq!(sets.len(), 82);
        let distinct =
            |counting| sets.iter().map(|s| s.key(counting)).collect::<BTreeSet<_>>().len();
        // 3-hop, 4-hop, 5-hop and all are down-closed; the strategic sets are too, but in triples
        // they have less of shape 111.
        assert_eq!(distinct(Counting::Triples), 78);
        assert_eq!(distinct(Counting::Routes), 76);
    }

    #[test]
    fn names_read_back_as_the_same_set() {
        for set in step_1(5) {
            assert_eq!(
                PathSet::parse(set.name(), 5).unwrap().key(Counting::Triples),
                set.key(Counting::Triples)
            );
        }
    }

    #[test]
    fn reversal_is_an_involution_on_whole_sets() {
        for set in step_1(1) {
            match set.reversed() {
                Some(back) => {
                    let again = back.reversed().unwrap();
                    assert_eq!(again.key(Counting::Triples), set.key(Counting::Triples));
                }
                None => assert!(set.name().contains('%')),
            }
        }
        let [one, other] = &strategic()[..] else { panic!() };
        assert_eq!(one.reversed().unwrap().key(Counting::Triples), other.key(Counting::Triples));
    }
}
