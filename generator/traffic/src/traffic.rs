//! A pattern on one fabric, as a simulator sees it: where a node's next packet goes.
//!
//! Uniform traffic draws from all nodes, the sender included, as the reference does.

use crate::maps::{self, Ahead, NodeRanks, SILENT, below};
use crate::{Pattern, Placement};
use rand::Rng;
use std::borrow::Cow;
use tvlb_base::text::Refused;
use tvlb_schema::{NodeId, Nodes};
use tvlb_table_set::names::ListedPair;

/// Stands in the table of destinations where each packet's is drawn from all nodes.
const UNIFORM: NodeId = NodeId(u32::MAX);
/// The largest number of a pattern among those that a seed gives: all before it are drawn too.
const MOST_NUMBER: u32 = 9999;

/// The shares of packets are counted in these parts.
const TWO_TO_32: f64 = 4_294_967_296.0;

/// Where the flits of one node go; see [`Traffic::sent_by`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeShares {
    /// A node, and the share that goes to it.
    pub(crate) to: Option<(NodeId, f64)>,
    /// Processes that are drawn, and the share that goes to them.
    pub(crate) drawn: Option<(DrawnProcesses, f64)>,
}

/// Processes of which one is drawn, at consecutive places; see [`Traffic::node_of_drawn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DrawnProcesses {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// Whether the sender is one of them and is not drawn.
    pub(crate) others: bool,
}

/// That nodes send in bursts: the mean lengths of a burst and of the silence between two, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    pub sending: u32,
    pub silent: u32,
}

impl Bursts {
    /// The load of a node that sends all the time in a burst.
    pub fn most_load(self) -> f64 {
        f64::from(self.sending) / f64::from(self.sending + self.silent)
    }
}

/// Other traffic from a cycle on.
#[derive(Clone, Debug)]
pub struct TrafficChange {
    /// The first of its cycles, counted from the beginning of the run.
    pub from: u32,
    pub traffic: Traffic,
    /// What each node offers, in flits per cycle, if not what the run says.
    pub load: Option<f64>,
}

/// A traffic pattern on one fabric.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// For each node its destination, [`UNIFORM`] or [`SILENT`].
    to: Vec<NodeId>,
    nodes: NodeRanks,
    /// A packet goes to a node drawn from all if a draw of 32 bits is below this.
    uniform_below: u64,
    /// Whether a node that draws from all does not draw itself.
    only_others: bool,
    /// Where destinations are drawn from groups further on.
    ahead: Option<Ahead>,
    /// For each node the number of its population.
    population: Vec<u8>,
    populations: Vec<&'static str>,
    /// Where the processes run among which destinations are drawn. The tables above are by node.
    placement: Placement,
    bursts: Option<Bursts>,
    /// What follows during a run, by rising cycles; none of it changes itself.
    changes: Vec<TrafficChange>,
}

impl Traffic {
    /// The pattern among the nodes of a fabric: all that its sizes have, or those that there are. What is
    /// missing neither sends nor receives.
    ///
    /// # Errors
    /// Why it does not fit.
    pub fn new(pattern: &Pattern, among: impl Into<Nodes>, seed: u64) -> Result<Self, Refused> {
        let among = &among.into();
        let all = Self::uniform(among);
        let adverse = |groups, switches| fitting_shift(pattern, among, groups, switches);
        Ok(match pattern {
            Pattern::Uniform => all,
            Pattern::UniformOthers if all.nodes.count() < 2 => {
                return Err(unfit(pattern, "there is no node but the sender", "two or more nodes"));
            }
            Pattern::UniformOthers => Self { only_others: true, ..all },
            &Pattern::NextGroup { groups } => all.sent_ahead(next_group(pattern, among, groups)?),
            Pattern::AdvConsecutive => all.sent_ahead(consecutive(pattern, among)?),
            Pattern::Shift { groups, switches } => Self { to: adverse(*groups, *switches)?, ..all },
            Pattern::TypeTwo { number } => {
                Self { to: nth(pattern, *number, maps::type_two(among, seed))?, ..all }
            }
            Pattern::Permutation { number } => {
                Self { to: nth(pattern, *number, maps::permutations(among, seed))?, ..all }
            }
            Pattern::Complement => all.sent_across(),
            Pattern::Mixed { uniform, adversarial, groups, switches } => {
                shares(pattern, *uniform, *adversarial)?;
                all.mixed(*uniform, &adverse(*groups, *switches)?, seed)
            }
            Pattern::TMixed { uniform, adversarial, groups, switches } => {
                shares(pattern, *uniform, *adversarial)?;
                all.mixed_in_time(*uniform, &adverse(*groups, *switches)?)
            }
            Pattern::HotSwitch => all.sent_by_hot(among, &adverse(1, 0)?),
            Pattern::Pairs(pairs) => Self { to: listed(among, pairs)?, ..all },
            &Pattern::Bursts { ref of, sending, silent } => {
                let bursts = Some(Bursts { sending, silent });
                Self { bursts, ..Self::new(of, among, seed)? }
            }
            Pattern::Changing { first, then } => {
                let first = Self::new(first, among, seed)?.of_one_population();
                let later = then.iter().map(|part| {
                    let traffic = Self::new(&part.pattern, among, seed)?.of_one_population();
                    Ok(TrafficChange { from: part.from, traffic, load: part.load() })
                });
                let changes = later.collect::<Result<_, Refused>>()?;
                Self { changes, ..first }
            }
        })
    }

    /// Every node draws from all that there are.
    fn uniform(among: &Nodes) -> Self {
        let numbers = among.dragonfly().node_numbers() as usize;
        let mut to = vec![SILENT; numbers];
        among.iter().for_each(|node| to[node.as_usize()] = UNIFORM);
        Self {
            to,
            nodes: NodeRanks::of(among),
            uniform_below: 0,
            only_others: false,
            ahead: None,
            population: vec![0; numbers],
            populations: vec!["all"],
            placement: Placement::default(),
            bursts: None,
            changes: Vec::new(),
        }
    }

    /// The same traffic, whose figures are not divided: where patterns follow each other, a node is of several
    /// populations.
    fn of_one_population(mut self) -> Self {
        self.population.fill(0);
        Self { populations: vec!["all"], ..self }
    }

    /// How its nodes send in bursts, if they do.
    pub const fn bursts(&self) -> Option<Bursts> {
        self.bursts
    }

    /// The largest load that its nodes can offer, 1 or as much as their bursts allow, where the load is not said by a
    /// change.
    pub fn most_load(&self) -> f64 {
        let own = self.bursts.map_or(1.0, Bursts::most_load);
        let later = self.changes.iter().filter(|change| change.load.is_none());
        later.map(|change| change.traffic.most_load()).fold(own, f64::min)
    }

    /// What follows during a run, by rising cycles. [`Self::draw`] does not look at it.
    pub fn changes(&self) -> &[TrafficChange] {
        &self.changes
    }

    /// All but `uniform` percent of the nodes, which ones at random, send to the nodes of `adverse`.
    fn mixed(mut self, uniform: u32, adverse: &[NodeId], seed: u64) -> Self {
        self.populations = vec!["uniform", "adversarial"];
        let nodes = self.nodes.count();
        let uniform_nodes = (u64::from(nodes) * u64::from(uniform) + 50) / 100;
        let order = maps::permutation(nodes, &mut maps::stream(seed));
        for (rank, drawn) in order.into_iter().enumerate() {
            let node = self.nodes.node(drawn.0);
            if rank as u64 >= uniform_nodes {
                self.send_adverse(node.as_usize(), adverse[node.as_usize()]);
            }
        }
        self
    }

    /// Each node sends `uniform` percent of its packets to any, and all others to its node of `adverse`.
    fn mixed_in_time(mut self, uniform: u32, adverse: &[NodeId]) -> Self {
        for (to, &adverse) in self.to.iter_mut().zip(adverse) {
            if adverse != SILENT {
                *to = adverse;
            }
        }
        Self { uniform_below: (u64::from(uniform) << 32) / 100, ..self }
    }

    /// The nodes of the first switch of each group send to the nodes of `adverse`.
    fn sent_by_hot(mut self, among: &Nodes, adverse: &[NodeId]) -> Self {
        self.populations = vec!["rest", "hot"];
        for node in maps::first_switches(among).map(NodeId::as_usize) {
            self.send_adverse(node, adverse[node]);
        }
        self
    }

    /// The first node sends to the last, the second to the last but one, and so on.
    fn sent_across(mut self) -> Self {
        let nodes = self.nodes.count();
        for rank in 0..nodes {
            let node = self.nodes.node(rank);
            self.to[node.as_usize()] = self.nodes.node(nodes - 1 - rank);
        }
        self
    }

    /// Has a node send to another alone, as the second population does. Where there is no other, it remains what it
    /// is.
    fn send_adverse(&mut self, node: usize, to: NodeId) {
        if to != SILENT {
            self.to[node] = to;
            self.population[node] = 1;
        }
    }

    /// All nodes draw from groups further on, as far as there are such groups.
    fn sent_ahead(mut self, ahead: Ahead) -> Self {
        for (number, to) in (0..).zip(&mut self.to) {
            if ahead.drawn(NodeId(number)).1 == 0 {
                *to = SILENT;
            }
        }
        Self { ahead: Some(ahead), ..self }
    }

    /// The same traffic between processes that run where a placement says; before, each ran on its
    /// contiguous node.
    #[must_use]
    pub fn placed(self, placement: &Placement) -> Self {
        if placement.is_identity() {
            return self;
        }
        let (mut to, mut population) = (self.to.clone(), self.population.clone());
        for process in (0..self.nodes.count()).map(|rank| self.nodes.node(rank)) {
            let node = placement.node(process).as_usize();
            let destination = self.to[process.as_usize()];
            let is_node = destination != UNIFORM && destination != SILENT;
            to[node] = if is_node { placement.node(destination) } else { destination };
            population[node] = self.population[process.as_usize()];
        }
        let mut placed = Self { to, population, placement: placement.clone(), ..self };
        placed.change_all(|traffic| traffic.placed(placement));
        placed
    }

    /// Does the same to all that follows.
    fn change_all(&mut self, each: impl Fn(Self) -> Self) {
        for change in &mut self.changes {
            change.traffic = each(change.traffic.clone());
        }
    }

    /// The same traffic where these nodes alone send.
    #[must_use]
    pub fn sent_by_live(mut self, live: &Nodes) -> Self {
        for (number, to) in (0..).zip(&mut self.to) {
            if !live.has(NodeId(number)) {
                *to = SILENT;
            }
        }
        self.change_all(|traffic| traffic.sent_by_live(live));
        self
    }

    /// Where the flits of a node go that sends one on average: a share to one node, and a share that is
    /// drawn from processes of consecutive ranks.
    #[expect(clippy::cast_precision_loss, reason = "at most 2³²")]
    pub(crate) fn sent_by(&self, node: NodeId) -> NodeShares {
        let all = DrawnProcesses { first: 0, count: self.nodes.count(), others: self.only_others };
        let drawn_share = self.uniform_below as f64 / TWO_TO_32;
        match self.to[node.as_usize()] {
            SILENT => NodeShares::default(),
            UNIFORM => {
                let drawn = self.ahead.as_ref().map_or(all, |ahead| {
                    let (first, count) = ahead.drawn(self.placement.process(node));
                    DrawnProcesses { first, count, others: false }
                });
                NodeShares { to: None, drawn: Some((drawn, 1.0)) }
            }
            to => NodeShares {
                to: Some((to, 1.0 - drawn_share)),
                drawn: (self.uniform_below > 0).then_some((all, drawn_share)),
            },
        }
    }

    /// The node on which the process runs that stands at this place of those that are drawn from.
    #[inline]
    pub(crate) fn node_of_drawn(&self, place: u32) -> NodeId {
        let process = match &self.ahead {
            Some(ahead) => ahead.node(place),
            None => self.nodes.node(place),
        };
        self.placement.node(process)
    }

    /// Whether a node sends at all, now or later.
    pub fn sends(&self, node: NodeId) -> bool {
        self.sends_first(node) || self.changes.iter().any(|change| change.traffic.sends(node))
    }

    /// Whether a node sends before anything changes.
    pub fn sends_first(&self, node: NodeId) -> bool {
        self.to[node.as_usize()] != SILENT
    }

    /// The nodes that send, each with the one node that it sends to; `None` where destinations are
    /// drawn packet by packet, or change.
    pub fn map(&self) -> Option<impl Iterator<Item = (NodeId, NodeId)>> {
        let is_fixed = self.uniform_below == 0 && self.changes.is_empty();
        let is_map = is_fixed && !self.to.contains(&UNIFORM);
        let pairs = (0..).map(NodeId).zip(self.to.iter().copied());
        is_map.then(|| pairs.filter(|&(_, to)| to != SILENT))
    }

    /// The names of the populations among which figures are divided.
    pub fn populations(&self) -> &[&'static str] {
        &self.populations
    }

    /// The number of a node's population.
    pub fn population(&self, node: NodeId) -> usize {
        usize::from(self.population[node.as_usize()])
    }

    /// The destination of the next packet of a node that sends.
    #[inline]
    pub fn draw(&self, node: NodeId, rng: &mut impl Rng) -> NodeId {
        let to = self.to[node.as_usize()];
        if to == UNIFORM {
            if let Some(ahead) = &self.ahead {
                let (first, count) = ahead.drawn(self.placement.process(node));
                return self.node_of_drawn(first + below(rng, count));
            }
            let others = self.nodes.count() - u32::from(self.only_others);
            let drawn = self.placement.node(self.nodes.node(below(rng, others)));
            // In place of the sender stands the last one, which is not among those that are drawn from.
            return if self.only_others && drawn == node {
                self.placement.node(self.nodes.node(others))
            } else {
                drawn
            };
        }
        if self.uniform_below > 0 && u64::from(rng.next_u32()) < self.uniform_below {
            return self.placement.node(self.nodes.node(below(rng, self.nodes.count())));
        }
        to
    }
}

/// That a pattern does not fit the fabric.
pub(crate) fn unfit(
    pattern: &Pattern,
    found: &str,
    accepted: impl Into<Cow<'static, str>>,
) -> Refused {
    Refused::new(format!("traffic {pattern}: {found}"), accepted)
}

fn shares(pattern: &Pattern, one: u32, other: u32) -> Result<(), Refused> {
    let sum = one.saturating_add(other);
    if sum == 100 {
        return Ok(());
    }
    Err(unfit(pattern, &format!("the two shares add up to {sum} percent"), "100"))
}

/// How many groups have nodes.
fn groups_count(nodes: &Nodes) -> u32 {
    nodes.groups().fold(0, |count, _| count + 1)
}

/// Where nodes draw from, so many groups further on.
fn next_group(pattern: &Pattern, among: &Nodes, groups: u32) -> Result<Ahead, Refused> {
    let count = groups_count(among);
    if groups == 0 || groups >= count {
        let found = format!("groups further on is {groups}");
        return Err(unfit(pattern, &found, format!("1 to {}", count.saturating_sub(1))));
    }
    Ok(Ahead::of(among, groups, |_| 1))
}

/// Where nodes draw from, as many groups further on as a switch has global ports.
fn consecutive(pattern: &Pattern, among: &Nodes) -> Result<Ahead, Refused> {
    if groups_count(among) < 2 {
        return Err(unfit(pattern, "there is no other group", "two or more groups"));
    }
    Ok(Ahead::of(among, 1, |group| among.dragonfly().kind_of(group).h.into()))
}

/// The shift, if it is one on this fabric.
fn fitting_shift(
    pattern: &Pattern,
    nodes: &Nodes,
    groups: u32,
    switches: u32,
) -> Result<Vec<NodeId>, Refused> {
    let check = |what, found, most| {
        if found <= most {
            Ok(())
        } else {
            let accepted = format!("0 to {most} on this fabric");
            Err(unfit(pattern, &format!("{what} is {found}"), accepted))
        }
    };
    check("the shift of groups", groups, groups_count(nodes).saturating_sub(1))?;
    check("the shift of switches", switches, nodes.dragonfly().a() - 1)?;
    if groups == 0 && switches == 0 {
        let found = "it sends nothing anywhere";
        return Err(unfit(pattern, found, "a shift of groups or switches by at least 1"));
    }
    Ok(maps::shift(nodes, groups, switches))
}

/// The pattern of this number, of those that a seed gives.
fn nth(
    pattern: &Pattern,
    number: u32,
    mut all: impl Iterator<Item = Vec<NodeId>>,
) -> Result<Vec<NodeId>, Refused> {
    let found = (number <= MOST_NUMBER).then(|| all.nth(number as usize)).flatten();
    found.ok_or_else(|| {
        unfit(pattern, &format!("found number {number}"), format!("0 to {MOST_NUMBER}"))
    })
}

/// The pairs, if they are those of a map.
fn listed(nodes: &Nodes, pairs: &[ListedPair]) -> Result<Vec<NodeId>, Refused> {
    if pairs.is_empty() {
        return Err(Refused::new("there is no pair in it", "at least one, source,destination"));
    }
    let mut to = vec![SILENT; nodes.dragonfly().node_numbers() as usize];
    for &ListedPair { line, source, destination } in pairs {
        for node in [source, destination] {
            if !nodes.has(node) {
                let last = nodes.last().unwrap_or_default();
                let found = format!("there is no node {node}; the last node is {last}");
                return Err(Refused::new(found, "").on_line(line));
            }
        }
        if to[source.as_usize()] != SILENT {
            let known = pairs.iter().find(|pair| pair.source == source);
            let first = known.map_or(line, |pair| pair.line);
            let found = format!("node {source} sends to another node by line {first} already");
            return Err(Refused::new(found, "one destination for each").on_line(line));
        }
        to[source.as_usize()] = destination;
    }
    Ok(to)
}
