//! Contenders: who takes part in a contest or in a generation of a search.
//!
//! A *candidate* is a pair of policies with its name. A *contender* is one that is under trial: first
//! conventional UGAL, which is no candidate and cannot be chosen, then the paper's choice, which is the
//! first candidate. A `Field` says which contender is which candidate, and which are *references*: what all
//! others are compared with. Beside these two it may have both with queues by virtual channel, so that
//! nobody takes what the queues give for what a set gives.

use super::candidates::Candidate;
use crate::image::Images;
use std::ops::{Index, IndexMut};
use tvlb_table_set::Origin;

/// The name of conventional UGAL or PAR in figures and in the manifest.
pub(super) const CONVENTIONAL_NAME: &str = "conventional";
/// The name of conventional UGAL with queues by channel, and of PAR, which keeps no MIN path either.
pub(super) const CONVENTIONAL_BY_CHANNEL: [&str; 2] =
    ["conventional queue=channel", "conventional queue=channel MIN=shortest"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Contender(usize);

impl Contender {
    /// Conventional UGAL or PAR. It cannot be chosen.
    pub(crate) const CONVENTIONAL: Self = Self(0);
    /// The paper's choice.
    pub(crate) const PAPER: Self = Self(1);
    /// The two as they were published.
    pub(crate) const PUBLISHED: [Self; 2] = [Self::CONVENTIONAL, Self::PAPER];

    /// The first `count` contenders.
    pub(crate) fn all(count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(Self)
    }

    /// Whether this is conventional UGAL or the paper's choice, as they were published.
    pub(crate) fn is_published(self) -> bool {
        Self::PUBLISHED.contains(&self)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct PerContender<T>(Vec<T>);

impl<T> PerContender<T> {
    /// One value for all of `count` contenders.
    pub(super) fn same(count: usize, value: T) -> Self
    where
        T: Clone,
    {
        Self(vec![value; count])
    }

    /// The number of contenders.
    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }

    /// Every contender with its value, in their order.
    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = (Contender, &T)> {
        self.0.iter().enumerate().map(|(number, value)| (Contender(number), value))
    }
}

/// The values of conventional UGAL, of the paper's choice, and so on.
impl<T> From<Vec<T>> for PerContender<T> {
    fn from(values: Vec<T>) -> Self {
        Self(values)
    }
}

impl<T> Index<Contender> for PerContender<T> {
    type Output = T;

    fn index(&self, contender: Contender) -> &T {
        &self.0[contender.0]
    }
}

impl<T> IndexMut<Contender> for PerContender<T> {
    fn index_mut(&mut self, contender: Contender) -> &mut T {
        &mut self.0[contender.0]
    }
}

/// One who takes part, with the images that it boots from.
struct Entrant {
    who: Who,
    images: Images,
}

/// Who takes part.
enum Who {
    /// Conventional UGAL under this name: it draws from no set.
    Conventional(&'static str),
    Candidate(Candidate),
}

/// The contenders of a contest.
pub(super) struct Field(Vec<Entrant>);

impl Field {
    /// Conventional UGAL and these candidates, of which the first is the paper's choice.
    pub(super) fn new(conventional: Images, candidates: Vec<(Candidate, Images)>) -> Self {
        let who = Who::Conventional(CONVENTIONAL_NAME);
        let mut field = Self(vec![Entrant { who, images: conventional }]);
        field.join(candidates);
        field
    }

    /// Adds conventional UGAL under another name.
    pub(super) fn join_conventional(&mut self, name: &'static str, images: Images) {
        self.0.push(Entrant { who: Who::Conventional(name), images });
    }

    /// Adds candidates after those that take part already.
    pub(super) fn join(&mut self, more: Vec<(Candidate, Images)>) {
        let candidates = more.into_iter();
        self.0.extend(candidates.map(|(candidate, images)| {
            let who = Who::Candidate(candidate);
            Entrant { who, images }
        }));
    }

    /// How many contenders there are.
    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }

    /// The candidate that a contender is; `None` for conventional UGAL.
    pub(super) fn candidate(&self, contender: Contender) -> Option<&Candidate> {
        match &self.0.get(contender.0)?.who {
            Who::Conventional(_) => None,
            Who::Candidate(candidate) => Some(candidate),
        }
    }

    pub(super) fn candidates(&self) -> impl Iterator<Item = (Contender, &Candidate)> {
        let all = Contender::all(self.count());
        all.filter_map(|contender| Some((contender, self.candidate(contender)?)))
    }

    /// What all others are compared with, and what finishes every contest.
    pub(super) fn references(&self) -> Vec<Contender> {
        let is_reference = |contender: &Contender| {
            let candidate = self.candidate(*contender);
            candidate.is_none_or(|c| matches!(c.origin, Origin::Paper | Origin::PaperByChannel))
        };
        Contender::all(self.count()).filter(is_reference).collect()
    }

    /// The images that a contender boots from.
    pub(super) fn images(&self, contender: Contender) -> &Images {
        &self.0[contender.0].images
    }

    /// A candidate's name, or that of conventional UGAL.
    pub(super) fn name(&self, contender: Contender) -> String {
        match &self.0[contender.0].who {
            Who::Conventional(name) => (*name).to_owned(),
            Who::Candidate(candidate) => candidate.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyPair;

    #[test]
    fn contenders_are_conventional_ugal_and_the_candidates_in_their_order() {
        let candidate = |text: &str| {
            let policies = PolicyPair::parse(text, 1).unwrap();
            let images = Images { fabric: text.as_bytes().to_vec(), switches: Vec::new() };
            (Candidate { policies, origin: Origin::User }, images)
        };
        let conventional = Images { fabric: b"conventional VLB".to_vec(), switches: Vec::new() };
        let mut field = Field::new(conventional.clone(), vec![candidate("strategic-2-3")]);
        field.join(vec![candidate("all")]);
        field.join_conventional(CONVENTIONAL_BY_CHANNEL[0], conventional);
        let names: Vec<String> = Contender::all(field.count()).map(|c| field.name(c)).collect();
        assert_eq!(names, ["conventional", "strategic-2-3", "all", "conventional queue=channel"]);
        assert_eq!(field.references(), [Contender::CONVENTIONAL, Contender(3)]);
        assert_eq!(field.candidates().count(), 2);
        assert!(field.candidate(Contender::CONVENTIONAL).is_none());
        let (first, paper) = field.candidates().next().unwrap();
        assert_eq!((first, paper.name().as_str()), (Contender::PAPER, "strategic-2-3"));
        let images = |contender| field.images(contender).fabric.as_slice();
        assert_eq!(images(Contender::CONVENTIONAL), b"conventional VLB");
        assert_eq!(images(Contender::PAPER), b"strategic-2-3");
        assert_eq!(images(Contender(2)), b"all");
        let values = PerContender::from(vec!['a', 'b', 'c']);
        assert_eq!(values[Contender::PAPER], 'b');
        assert_eq!(values.iter().filter(|(c, _)| c.is_published()).count(), 2);
    }
}
