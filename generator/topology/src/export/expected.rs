//! What programs expect of a wiring that they can express.

use super::error::ExportError;
use super::wiring::Wiring;
use std::collections::BTreeSet;
use tvlb_base::text::counted;
use tvlb_schema::{GroupId, SwitchId};

impl Wiring<'_> {
    /// The switches that share a link: each pair once, the lower number first, sorted.
    ///
    /// # Errors
    /// Two switches share several.
    pub(super) fn single_links(
        &self,
        program: &'static str,
    ) -> Result<Vec<[SwitchId; 2]>, ExportError> {
        let pairs = self.links().map(|link| [link.near.switch, link.far.switch]);
        let mut pairs: Vec<[SwitchId; 2]> = pairs.collect();
        pairs.sort_unstable();
        let mut shared = pairs.chunk_by(|one, next| one == next);
        let Some(shared) = shared.find(|shared| shared.len() > 1) else { return Ok(pairs) };
        let [one, other] = shared[0].map(|switch| self.names().named(switch));
        Err(ExportError::refused(
            program,
            "keeps one channel between two routers",
            format!("switches {one} and {other} share {} links", shared.len()),
            "at most 1",
        ))
    }

    /// Refuses what a program that describes one group and repeats it cannot express: dead switches, missing nodes,
    /// groups of different sizes, and two switches of a group that do not share exactly one link. If there are leaves,
    /// only they have nodes, only a leaf and a spine share a link, and the leaves come first.
    pub(super) fn expect_like_groups(
        &self,
        program: &'static str,
        leaves: &BTreeSet<SwitchId>,
    ) -> Result<(), ExportError> {
        let (df, names) = (self.dragonfly(), self.names());
        if let Some(&dead) = self.topology().dead_switches().first() {
            return Err(ExportError::refused(
                program,
                "has every switch of every group",
                format!("switch {} is dead", names.named(dead)),
                "a wiring without dead switches",
            ));
        }
        let is_leaf = |switch| leaves.is_empty() || leaves.contains(&switch);
        let mut missing = self.nodes().missing();
        if let Some(node) = missing.find(|&node| is_leaf(df.switch_of(node).0)) {
            let role = if leaves.is_empty() { "switch" } else { "leaf" };
            let switch = names.named(df.switch_of(node).0);
            return Err(ExportError::refused(
                program,
                format!("gives every {role} {}", count(df.p(), "node")),
                format!("there is no node {node} at switch {switch}"),
                format!("as many nodes on each {role}"),
            ));
        }
        let sizes = |group| [df.switches_of(group), df.nodes_of(group)];
        let first = GroupId(0);
        if let Some(other) = df.group_numbers().find(|&group| sizes(group) != sizes(first)) {
            let [one, other] = [first, other].map(|group| {
                let [switches, nodes] = sizes(group);
                let (switches, nodes) = (count(switches, "switch"), count(nodes, "node"));
                format!("group {} has {switches} of {nodes}", names.named_group(group))
            });
            return Err(ExportError::refused(
                program,
                "describes one group and repeats it",
                format!("{one} and {other}"),
                "groups that all have as many switches and as many nodes on each",
            ));
        }
        self.expect_one_local_link(program, leaves)?;
        if leaves.is_empty() { Ok(()) } else { self.expect_leaves_first(program, leaves) }
    }

    fn expect_one_local_link(
        &self,
        program: &'static str,
        leaves: &BTreeSet<SwitchId>,
    ) -> Result<(), ExportError> {
        let df = self.dragonfly();
        for &low in self.switches() {
            let (group, own) = df.place(low);
            for index in df.indices(group).filter(|&index| own < index) {
                let high = df.switch(group, index);
                let found = self.topology().links_within(group, own, index);
                let is_joined =
                    leaves.is_empty() || leaves.contains(&low) != leaves.contains(&high);
                if found != u32::from(is_joined) {
                    let which =
                        if leaves.is_empty() { "two switches" } else { "leaf and every spine" };
                    let [one, other] = [low, high].map(|switch| self.names().named(switch));
                    return Err(ExportError::refused(
                        program,
                        format!("joins every {which} of a group by one link"),
                        format!("switches {one} and {other} share {found}"),
                        format!("exactly {}", u32::from(is_joined)),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Refuses groups whose first half of switches are not the leaves, and the others the spines.
    fn expect_leaves_first(
        &self,
        program: &'static str,
        leaves: &BTreeSet<SwitchId>,
    ) -> Result<(), ExportError> {
        let df = self.dragonfly();
        let (a, half) = (df.a(), df.a() / 2);
        let is_first = |switch| u32::from(df.place(switch).1.0) < half;
        let is_other = |switch: &&_| leaves.contains(switch) != is_first(**switch);
        let Some(&switch) = self.switches().iter().find(is_other) else { return Ok(()) };
        let found = if is_first(switch) { "a spine" } else { "a leaf" };
        Err(ExportError::refused(
            program,
            format!(
                "takes the first {half} of the {a} switches of a group for leaves and the others for spines"
            ),
            format!("switch {} is {found}", self.names().named(switch)),
            "as many leaves as spines, or one spine more, the leaves first",
        ))
    }

    /// The number of links that every two groups share.
    ///
    /// # Errors
    /// Pairs of groups share different numbers of links, or none.
    pub(super) fn expect_equal_pairs(&self, program: &'static str) -> Result<usize, ExportError> {
        let topology = self.topology();
        let (least, most) = topology.links_per_pair();
        if least == most && most > 0 {
            return Ok(most);
        }
        let share = |links: usize| {
            let pair = topology.live_pairs().find(|&(i, j)| topology.links(i, j).len() == links);
            let (i, j) = pair.expect("some pair has the least and some the most");
            let [i, j] = [i, j].map(|group| self.names().named_group(group));
            format!("groups {i} and {j} share {links}")
        };
        let found = if most == 0 {
            "no two share any".to_owned()
        } else {
            share(least) + " and " + &share(most)
        };
        Err(ExportError::refused(
            program,
            "joins every two groups by the same number of links",
            found,
            "one number, at least 1, for all pairs of groups",
        ))
    }
}

fn count(count: u32, what: &str) -> String {
    counted(u64::from(count), what)
}
