//! Contenders: who takes part in a contest or in a generation of a search.
//!
//! A *candidate* is a pair of policies with its name. A *contender* is one that is under trial: first
//! conventional UGAL, which is no candidate and cannot be chosen, then the candidates, of which the
//! first is the paper's choice. A `Field` says which contender is which candidate.

use super::candidates::Candidate;
use crate::image::Images;
use std::ops::{Index, IndexMut};

/// The name of conventional UGAL or PAR in figures and in the manifest.
pub(super) const CONVENTIONAL_NAME: &str = "conventional";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Contender(usize);

impl Contender {
    /// Conventional UGAL or PAR. It cannot be chosen.
    pub(crate) const CONVENTIONAL: Self = Self(0);
    /// The paper's choice.
    pub(crate) const PAPER: Self = Self(1);
    /// The two that every other contender is compared with. They finish every contest.
    pub(crate) const REFERENCES: [Self; 2] = [Self::CONVENTIONAL, Self::PAPER];

    /// The first `count` contenders.
    pub(crate) fn all(count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(Self)
    }

    /// Whether this is conventional UGAL or the paper's choice.
    pub(crate) fn is_reference(self) -> bool {
        Self::REFERENCES.contains(&self)
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

/// The contenders of a contest, with the images that each boots from.
pub(super) struct Field {
    /// The images of the baselines, which draw from no set.
    conventional: Images,
    /// The candidates; the first is the paper's choice.
    candidates: Vec<(Candidate, Images)>,
}

impl Field {
    /// Conventional UGAL and these candidates, of which the first is the paper's choice.
    pub(super) const fn new(conventional: Images, candidates: Vec<(Candidate, Images)>) -> Self {
        Self { conventional, candidates }
    }

    /// Adds candidates after those that take part already.
    pub(super) fn join(&mut self, more: Vec<(Candidate, Images)>) {
        self.candidates.extend(more);
    }

    /// How many contenders there are.
    pub(super) const fn count(&self) -> usize {
        self.candidates.len() + 1
    }

    /// The candidate that a contender is; `None` for conventional UGAL.
    pub(super) fn candidate(&self, contender: Contender) -> Option<&Candidate> {
        let position = contender.0.checked_sub(1)?;
        self.candidates.get(position).map(|(candidate, _)| candidate)
    }

    pub(super) fn candidates(&self) -> impl Iterator<Item = (Contender, &Candidate)> {
        (1..).map(Contender).zip(self.candidates.iter().map(|(candidate, _)| candidate))
    }

    /// The images that a contender boots from.
    pub(super) fn images(&self, contender: Contender) -> &Images {
        match contender.0.checked_sub(1) {
            Some(position) => &self.candidates[position].1,
            None => &self.conventional,
        }
    }

    /// A candidate's name, or [`CONVENTIONAL_NAME`].
    pub(super) fn name(&self, contender: Contender) -> String {
        self.candidate(contender).map_or_else(|| CONVENTIONAL_NAME.to_owned(), Candidate::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choose::candidates::Origin;
    use crate::policy::PolicyPair;

    #[test]
    fn contenders_are_conventional_ugal_and_the_candidates_in_their_order() {
        let candidate = |text: &str| {
            let policies = PolicyPair::parse(text, 1).unwrap();
            let images = Images { fabric: text.as_bytes().to_vec(), switches: Vec::new() };
            (Candidate { policies, origin: Origin::User }, images)
        };
        let conventional = Images { fabric: b"conventional VLB".to_vec(), switches: Vec::new() };
        let mut field = Field::new(conventional, vec![candidate("strategic-2-3")]);
        field.join(vec![candidate("all")]);
        let names: Vec<String> = Contender::all(field.count()).map(|c| field.name(c)).collect();
        assert_eq!(names, ["conventional", "strategic-2-3", "all"]);
        assert!(field.candidate(Contender::CONVENTIONAL).is_none());
        let (first, paper) = field.candidates().next().unwrap();
        assert_eq!((first, paper.name().as_str()), (Contender::PAPER, "strategic-2-3"));
        let images = |contender| field.images(contender).fabric.as_slice();
        assert_eq!(images(Contender::CONVENTIONAL), b"conventional VLB");
        assert_eq!(images(Contender::PAPER), b"strategic-2-3");
        assert_eq!(images(Contender(2)), b"all");
        let values = PerContender::from(vec!['a', 'b', 'c']);
        assert_eq!(values[Contender::PAPER], 'b');
        assert_eq!(values.iter().filter(|(c, _)| c.is_reference()).count(), 2);
    }
}
