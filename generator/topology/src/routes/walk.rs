//! A walk: the switches that a packet visits, in order.
//!
//! It says nothing of which of several links between two switches is taken. A path's global ports tell
//! that of cables between groups; a hop within a group goes by any of the links that join its switches.

use serde::{Serialize, Serializer};
use std::fmt;
use tvlb_schema::{Dragonfly, SwitchId};
use tvlb_table_set::names::Names;

/// The most switches on a VLB path: two legs of three hops share one.
const MOST_SWITCHES: usize = 7;

/// One to seven switches, each reached from the one before it by one hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Walk {
    /// Zero from `len` on, so that equal walks compare equal.
    switches: [SwitchId; MOST_SWITCHES],
    len: usize,
}

impl Walk {
    /// The walk of no hops that stays on this switch.
    pub fn at(switch: SwitchId) -> Self {
        let mut switches = [SwitchId(0); MOST_SWITCHES];
        switches[0] = switch;
        Self { switches, len: 1 }
    }

    /// This walk and one hop more, or this walk as it is if it has already come to `switch`.
    ///
    /// # Panics
    /// On the seventh hop: no MIN or VLB path has more than six.
    #[must_use]
    pub fn to(mut self, switch: SwitchId) -> Self {
        if self.last() != switch {
            self.switches[self.len] = switch;
            self.len += 1;
        }
        self
    }

    /// This walk, then the other, which begins where this one ends.
    ///
    /// # Panics
    /// On the seventh hop.
    #[must_use]
    pub fn then(self, other: &Self) -> Self {
        other.switches().iter().fold(self, |walk, &s| walk.to(s))
    }

    /// The switches in order, both ends included.
    pub fn switches(&self) -> &[SwitchId] {
        &self.switches[..self.len]
    }

    /// The switch that it has come to.
    pub fn last(&self) -> SwitchId {
        self.switches[self.len - 1]
    }

    /// Hops from switch to switch, 0 to 6.
    pub fn hops(&self) -> usize {
        self.len - 1
    }

    /// Whether it comes to some switch twice.
    pub fn revisits(&self) -> bool {
        let switches = self.switches();
        (1..switches.len()).any(|i| switches[..i].contains(&switches[i]))
    }

    /// The walk as text: switches as (group, index), each with its name if it has one, local hops as
    /// `->`, global hops as `=>`.
    pub fn in_words(&self, df: &Dragonfly, names: &Names) -> impl fmt::Display + use<> {
        let mut before = None;
        let mut words = String::new();
        for &switch in self.switches() {
            let (group, index) = df.place(switch);
            let hop = match before {
                None => "",
                Some(same) if same == group => " -> ",
                Some(_) => " => ",
            };
            let name = names.after(switch);
            words.extend([hop, "(", &group.to_string(), ",", &index.to_string(), ")", &name]);
            before = Some(group);
        }
        words
    }
}

impl Serialize for Walk {
    /// The list of switch numbers.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.switches().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(switches: &[u16]) -> Walk {
        switches.iter().fold(Walk::at(SwitchId(switches[0])), |walk, &s| walk.to(SwitchId(s)))
    }

    #[test]
    fn local_and_global_hops_are_told_apart() {
        let df = Dragonfly::new(2, 4, 2, 9).unwrap();
        let names = Names::default();
        assert_eq!(
            walk(&[0, 3, 17, 18, 4]).in_words(&df, &names).to_string(),
            "(0,0) -> (0,3) => (4,1) -> (4,2) => (1,0)"
        );
        assert_eq!(walk(&[5]).in_words(&df, &names).to_string(), "(1,1)");
    }

    #[test]
    fn a_walk_knows_where_it_has_been() {
        assert!(!walk(&[0, 3, 17, 18, 4]).revisits());
        assert!(walk(&[0, 17, 18, 17, 4]).revisits());
        assert_eq!(walk(&[0, 0, 3, 3]), walk(&[0, 3]));
        assert_eq!(walk(&[0, 3]).then(&walk(&[3, 17])), walk(&[0, 3, 17]));
        assert_eq!(walk(&[0, 3, 17]).hops(), 2);
    }
}
