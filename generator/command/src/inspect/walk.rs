//! Walks in words, and the sets of an image.

use std::fmt::Write;
use tvlb_generator::topology::names::Names;
use tvlb_schema::{
    Decision, Dragonfly, End, FabricImage, GroupId, Route, SwitchImage, SwitchIndex,
};

/// The sets of an image with the decisions that use each, by set number.
pub(super) fn sets_of(image: &SwitchImage<'_>) -> Vec<(usize, Vec<Decision>)> {
    (0..image.set_count())
        .map(|number| {
            let users = Decision::ALL.into_iter().filter(|&d| image.set_number(d) == number);
            (number, users.collect::<Vec<_>>())
        })
        .filter(|(_, decisions)| !decisions.is_empty())
        .collect()
}

/// The walk of a VLB route.
pub(super) fn vlb_walk(
    fabric: &FabricImage<'_>,
    from: (GroupId, SwitchIndex),
    to: (GroupId, SwitchIndex),
    route: Route,
    names: &Names,
) -> String {
    let df: &Dragonfly = fabric.dragonfly();
    let mut walk = Walk::from(df, names, from);
    walk.local(df.split_port(route.x).0);
    if let Some(middle) = fabric.peer(End { group: from.0, port: route.x }) {
        walk.global(middle.group, df.split_port(middle.port).0);
        if let Some(detour) = route.detour {
            walk.local(detour);
        }
        walk.local(df.split_port(route.y).0);
        if let Some(last) = fabric.peer(End { group: middle.group, port: route.y }) {
            walk.global(last.group, df.split_port(last.port).0);
        }
    }
    walk.local(to.1);
    walk.text
}

/// A walk being written: `(0,0) -> (0,3) => (4,1)`, with `->` for a local and `=>` for a global hop,
/// and after each switch its name if it has one.
pub(super) struct Walk<'n> {
    df: &'n Dragonfly,
    names: &'n Names,
    at: (GroupId, SwitchIndex),
    pub(super) text: String,
}

impl<'n> Walk<'n> {
    pub(super) fn from(df: &'n Dragonfly, names: &'n Names, at: (GroupId, SwitchIndex)) -> Self {
        let mut walk = Self { df, names, at, text: String::new() };
        walk.place("");
        walk
    }

    /// A local hop, if it is not to where the walk stands.
    pub(super) fn local(&mut self, to: SwitchIndex) {
        if to != self.at.1 {
            self.at.1 = to;
            self.place(" -> ");
        }
    }

    pub(super) fn global(&mut self, group: GroupId, index: SwitchIndex) {
        self.at = (group, index);
        self.place(" => ");
    }

    fn place(&mut self, arrow: &str) {
        let (group, index) = self.at;
        let name = self.names.after(self.df.switch(group, index));
        write!(self.text, "{arrow}({group},{index}){name}").expect("a string takes any text");
    }
}
