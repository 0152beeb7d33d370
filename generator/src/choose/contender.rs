//! Contenders: the participants of a contest or a trial.
//!
//! A *candidate* is a pair of policies with its name. A *contender* is a candidate on trial: first conventional UGAL,
//! then the paper's choice. A `Field` maps contenders to candidates, and says which are *references*, with which all
//! others are compared. The references may include both of these with queues by virtual channel, so that a gain of the
//! queues is not mistaken for a gain of a set.

use super::candidates::PolicyCandidate;
use crate::image::Images;
use std::ops::{Index, IndexMut};

/// A participant of a contest or a trial, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Contender(usize);

impl Contender {
    /// Conventional UGAL or PAR.
    pub const CONVENTIONAL: Self = Self(0);
    /// The paper's choice.
    pub const PAPER: Self = Self(1);
    /// Both of them as published.
    pub const PUBLISHED: [Self; 2] = [Self::CONVENTIONAL, Self::PAPER];

    /// The contender of this number.
    pub(super) const fn number(number: usize) -> Self {
        Self(number)
    }

    /// Its number.
    pub(super) const fn place(self) -> usize {
        self.0
    }

    /// The first `count` contenders.
    pub fn all(count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(Self)
    }

    /// Whether this is conventional UGAL or the paper's choice, as published.
    pub fn is_published(self) -> bool {
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

/// The contenders of a contest, each with the images that it boots from.
pub(super) struct Field(Vec<(PolicyCandidate, Images)>);

impl Field {
    /// A field of these candidates: the first is conventional UGAL and the second the paper's choice.
    pub(super) const fn new(candidates: Vec<(PolicyCandidate, Images)>) -> Self {
        Self(candidates)
    }

    /// A field of only these contenders, in their order.
    pub(super) fn of(&self, contenders: &[Contender]) -> Self {
        Self(contenders.iter().map(|contender| self.0[contender.0].clone()).collect())
    }

    /// Adds candidates after the present ones.
    pub(super) fn join(&mut self, more: Vec<(PolicyCandidate, Images)>) {
        self.0.extend(more);
    }

    /// How many contenders there are.
    pub(super) const fn count(&self) -> usize {
        self.0.len()
    }

    /// The candidate that a contender is.
    pub(super) fn candidate(&self, contender: Contender) -> &PolicyCandidate {
        &self.0[contender.0].0
    }

    /// The references: all others are compared with them, and they finish every contest.
    pub(super) fn references(&self) -> Vec<Contender> {
        let is_reference = |contender: &Contender| self.candidate(*contender).is_reference();
        Contender::all(self.count()).filter(is_reference).collect()
    }

    /// The images that a contender boots from.
    pub(super) fn images(&self, contender: Contender) -> &Images {
        &self.0[contender.0].1
    }

    pub(super) fn name(&self, contender: Contender) -> String {
        self.candidate(contender).name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::PolicyPair;
    use tvlb_table_set::Origin;

    #[test]
    fn contenders_are_conventional_ugal_and_the_candidates_in_their_order() {
        let candidate = |text: &str, origin| {
            let policies = PolicyPair::parse(text, 1).unwrap();
            let images = Images { fabric: text.as_bytes().to_vec(), switches: Vec::new() };
            (PolicyCandidate { policies, origin }, images)
        };
        let mut field = Field::new(vec![
            candidate("conventional", Origin::Conventional),
            candidate("strategic-2-3", Origin::Paper),
        ]);
        field.join(vec![candidate("all", Origin::User)]);
        let by_channel = candidate("conventional queue=channel", Origin::ConventionalByChannel);
        field.join(vec![by_channel]);
        let names: Vec<String> = Contender::all(field.count()).map(|c| field.name(c)).collect();
        assert_eq!(names, ["conventional", "strategic-2-3", "all", "conventional queue=channel"]);
        assert_eq!(field.references(), [Contender::CONVENTIONAL, Contender::PAPER, Contender(3)]);
        let images = |contender| field.images(contender).fabric.as_slice();
        assert_eq!(images(Contender::CONVENTIONAL), b"conventional");
        assert_eq!(images(Contender::PAPER), b"strategic-2-3");
        assert_eq!(images(Contender(2)), b"all");
        let values = PerContender::from(vec!['a', 'b', 'c']);
        assert_eq!(values[Contender::PAPER], 'b');
        assert_eq!(values.iter().filter(|(c, _)| c.is_published()).count(), 2);
    }
}
