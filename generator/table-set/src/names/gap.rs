//! Numbers that no switch or node has, below the highest number: those after the numbers of a smaller group, and those
//! of missing nodes.

use std::fmt;
use tvlb_schema::{Dragonfly, GroupId, NodeId, Nodes, SwitchId};

/// The most ranges of numbers in a message; more are cut short.
const MOST_RANGES: usize = 8;

/// The group in which such a number falls, and the numbers that this group has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    what: &'static str,
    group: GroupId,
    /// The first and the last of consecutive numbers.
    ranges: Vec<(u32, u32)>,
}

impl Gap {
    /// For the number of a missing node; `None` if it is above all of them.
    pub(crate) fn of_node(nodes: &Nodes, node: NodeId) -> Option<Self> {
        let df = nodes.dragonfly();
        (Some(node) < nodes.last() && !nodes.has(node)).then(|| {
            let (group, _) = df.place(df.switch_of(node).0);
            let nodes = nodes.iter().filter(|&node| df.place(df.switch_of(node).0).0 == group);
            Self { what: "nodes", group, ranges: ranges(nodes.map(|node| node.0)) }
        })
    }

    /// The same for the number of a switch.
    pub(crate) fn of_switch(df: &Dragonfly, switch: SwitchId) -> Option<Self> {
        (switch < df.last_switch() && !df.has_switch(switch)).then(|| {
            let (group, _) = df.place(switch);
            let switches = df.switches_in(group);
            Self { what: "switches", group, ranges: ranges(switches.map(|s| s.0.into())) }
        })
    }
}

fn ranges(numbers: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut().filter(|(_, last)| *last + 1 == number) {
            Some((_, last)) => *last = number,
            None => ranges.push((number, number)),
        }
    }
    ranges
}

impl fmt::Display for Gap {
    /// "group 3, to which the number falls, has the nodes 18, 20 to 21".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, group, ranges } = self;
        write!(f, "group {group}, to which the number falls, has ")?;
        if ranges.is_empty() {
            return write!(f, "no {what}");
        }
        write!(f, "the {what} ")?;
        for (number, (first, last)) in ranges.iter().take(MOST_RANGES).enumerate() {
            let before = if number == 0 { "" } else { ", " };
            match (first, last) {
                (first, last) if first == last => write!(f, "{before}{first}")?,
                (first, last) => write!(f, "{before}{first} to {last}")?,
            }
        }
        match ranges.last() {
            Some((_, last)) if ranges.len() > MOST_RANGES => write!(f, ", … to {last}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::GroupKind;

    #[test]
    fn the_numbers_of_the_group_are_said() {
        let kind = |p, a, g| GroupKind::new(p, a, 2, g);
        // Two groups of three switches with two nodes each, one of two with one each, one of two
        // without nodes, and a large one again.
        let df = Dragonfly::of_kinds(&[kind(2, 3, 2), kind(1, 2, 1), kind(0, 2, 1), kind(2, 3, 1)]);
        let df = df.unwrap();
        let all = Nodes::from(&df);
        let node = |number| Gap::of_node(&all, NodeId(number)).map(|gap| gap.to_string());
        let of_two = "group 2, to which the number falls, has the nodes 12, 14";
        assert_eq!([13, 15, 17].map(node), [13, 15, 17].map(|_| Some(of_two.to_owned())));
        assert_eq!(node(18).as_deref(), Some("group 3, to which the number falls, has no nodes"));
        assert_eq!([0, 12, 14, 24, 29, 30, 99].map(node), [const { None }; 7]);
        let switch = |number| Gap::of_switch(&df, SwitchId(number)).map(|gap| gap.to_string());
        let words = "group 2, to which the number falls, has the switches 6 to 7";
        assert_eq!(switch(8).as_deref(), Some(words));
        assert_eq!([5, 6, 14, 15].map(switch), [const { None }; 4]);
        // A large group is not listed to its end.
        let df = Dragonfly::of_kinds(&[kind(2, 20, 1), kind(1, 20, 1), kind(2, 20, 1)]).unwrap();
        assert_eq!(
            Gap::of_node(&Nodes::from(&df), NodeId(41)).unwrap().to_string(),
            "group 1, to which the number falls, has the nodes 40, 42, 44, 46, 48, 50, 52, 54, … to 78"
        );
    }
}
