//! A pattern on one fabric, as a simulator sees it: where a node's next packet goes.
//!
//! Uniform traffic draws from all nodes, the sender included, as the reference does.

use crate::lists::Lists;
use crate::maps::{self, Ahead, NodeRanks, SILENT, below};
use crate::{Pattern, Placement};
use rand::Rng;
use std::borrow::Cow;
use tvlb_base::text::Refused;
use tvlb_schema::{Dragonfly, NodeId, Nodes};

/// Stands in the table of destinations where each packet's is drawn from all nodes.
const UNIFORM: NodeId = NodeId(u32::MAX);
/// Stands in the table of destinations where each packet's is drawn from a list.
const LISTED: NodeId = NodeId(u32::MAX - 2);
/// The largest number of a pattern among those that a seed gives: all before it are drawn too.
const MOST_NUMBER: u32 = 9999;

/// The shares of packets are counted in these parts.
const TWO_TO_32: f64 = 4_294_967_296.0;

/// Where the flits of one node go; see [`Traffic::sent_by`].
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeShares {
    /// A node, and the share that goes to it.
    pub(crate) to: Option<(NodeId, f64)>,
    /// Processes that are drawn, and the share that goes to them.
    pub(crate) drawn: Vec<(DrawnProcesses, f64)>,
}

/// Processes of which one is drawn, at consecutive places; see [`Traffic::node_of_drawn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DrawnProcesses {
    pub(crate) places: Places,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// What the places of drawn processes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Places {
    /// All processes.
    All,
    /// All processes, of which the sender is one and is not drawn.
    Others,
    /// Those of groups further on.
    Ahead,
    /// Those of lists.
    Listed,
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
    /// For each node its destination, [`UNIFORM`], [`LISTED`] or [`SILENT`].
    to: Vec<NodeId>,
    nodes: NodeRanks,
    /// A packet goes to a node drawn from all if a draw of 32 bits is below this.
    uniform_below: u64,
    /// Whether a node that draws from all does not draw itself.
    only_others: bool,
    /// Where destinations are drawn from groups further on.
    ahead: Option<Ahead>,
    /// Where destinations are drawn from lists, or nodes do not send alike.
    lists: Option<Lists>,
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
            &Pattern::Hotspot { nodes, percent } => {
                hotspot(pattern, &all, nodes, percent)?;
                all.drawn_to_hot(among, nodes, percent, seed)
            }
            &Pattern::Incast { senders, receivers } => {
                incast(pattern, &all, senders, receivers)?;
                all.sent_to_few(senders, receivers, seed)
            }
            Pattern::Flows(flows) => all.listed(Lists::of_flows(among, flows)?),
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
            lists: None,
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

    /// Each packet goes with this chance to one of so many processes, which the seed draws.
    fn drawn_to_hot(mut self, among: &Nodes, nodes: u32, percent: u32, seed: u64) -> Self {
        let hot = self.drawn_nodes(seed).take(nodes as usize).collect();
        self.to.iter_mut().filter(|to| **to == UNIFORM).for_each(|to| *to = LISTED);
        let uniform_below = (u64::from(100 - percent) << 32) / 100;
        Self { uniform_below, lists: Some(Lists::of_one(among, hot)), ..self }
    }

    /// So many processes send to each of a few alone; the seed draws all of them.
    fn sent_to_few(mut self, senders: u32, receivers: u32, seed: u64) -> Self {
        self.populations = vec!["rest", "hot"];
        let drawn: Vec<NodeId> = self.drawn_nodes(seed).collect();
        let (to, from) = drawn.split_at(receivers as usize);
        for (senders, &receiver) in from.chunks(senders as usize).zip(to) {
            for sender in senders {
                self.send_adverse(sender.as_usize(), receiver);
            }
        }
        self
    }

    /// All nodes in an order that the seed draws.
    fn drawn_nodes(&self, seed: u64) -> impl Iterator<Item = NodeId> + use<> {
        let order = maps::permutation(self.nodes.count(), &mut maps::stream(seed));
        let nodes = self.nodes.clone();
        order.into_iter().map(move |rank| nodes.node(rank.0))
    }

    /// Nodes send what lists say, and no others send.
    fn listed(mut self, lists: Lists) -> Self {
        for (process, to) in (0..).map(NodeId).zip(&mut self.to) {
            let is_silent = lists.entries(process).is_empty();
            *to = if is_silent { SILENT } else { lists.only(process).unwrap_or(LISTED) };
        }
        Self { lists: Some(lists), ..self }
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

    /// Makes a node send to another alone, as the second population does. If there is no other, it stays unchanged.
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
            let is_node = ![UNIFORM, LISTED, SILENT].contains(&destination);
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

    /// Every number of a node that the sizes of the fabric have.
    pub fn node_numbers(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..).map(NodeId).take(self.to.len())
    }

    /// What a node that sends offers, as a part of what the node offers that offers the most: 1 where all send alike.
    pub fn share_of_load(&self, node: NodeId) -> f64 {
        match &self.lists {
            Some(lists) if !lists.is_even => lists.sent(self.placement.process(node)),
            _ => 1.0,
        }
    }

    /// Whether the nodes that send do not all send alike.
    pub fn is_uneven(&self) -> bool {
        self.lists.as_ref().is_some_and(|lists| !lists.is_even)
    }

    /// How many flits nodes send on average before anything changes, if the node that sends the most sends one.
    pub fn sent(&self, df: &Dragonfly) -> f64 {
        let senders = df.nodes().filter(|&node| self.sends_first(node));
        senders.map(|node| self.share_of_load(node)).sum()
    }

    /// Where the flits of a node go if the node that sends the most sends one on average: a share to one node, and
    /// shares that are drawn from processes of consecutive places.
    #[expect(clippy::cast_precision_loss, reason = "at most 2³²")]
    pub(crate) fn sent_by(&self, node: NodeId) -> NodeShares {
        let places = if self.only_others { Places::Others } else { Places::All };
        let all = DrawnProcesses { places, first: 0, count: self.nodes.count() };
        let process = self.placement.process(node);
        let drawn_share = self.uniform_below as f64 / TWO_TO_32;
        let mut drawn = Vec::new();
        if self.uniform_below > 0 {
            drawn.push((all, drawn_share));
        }
        match self.to[node.as_usize()] {
            SILENT => NodeShares::default(),
            UNIFORM => {
                let drawn = self.ahead.as_ref().map_or(all, |ahead| {
                    let (first, count) = ahead.drawn(process);
                    DrawnProcesses { places: Places::Ahead, first, count }
                });
                NodeShares { to: None, drawn: vec![(drawn, 1.0)] }
            }
            LISTED => {
                let lists = self.lists.iter().flat_map(|lists| lists.entries(process));
                let sent = self.share_of_load(node) * (1.0 - drawn_share);
                drawn.extend(lists.map(|entry| {
                    let (first, count) = (entry.first, entry.count);
                    (DrawnProcesses { places: Places::Listed, first, count }, entry.share * sent)
                }));
                NodeShares { to: None, drawn }
            }
            to => {
                NodeShares { to: Some((to, self.share_of_load(node) * (1.0 - drawn_share))), drawn }
            }
        }
    }

    /// The node on which the process runs that stands at this place of those that are drawn from.
    #[inline]
    pub(crate) fn node_of_drawn(&self, places: Places, place: u32) -> NodeId {
        let process = match (places, &self.ahead, &self.lists) {
            (Places::Ahead, Some(ahead), _) => ahead.node(place),
            (Places::Listed, _, Some(lists)) => lists.process(place),
            _ => self.nodes.node(place),
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
        let pairs = (0..).map(NodeId).zip(self.to.iter().copied());
        let is_map = self.is_listed() && !self.to.contains(&LISTED);
        is_map.then(|| pairs.filter(|&(_, to)| to != SILENT))
    }

    /// Whether the destinations of each node are listed: one, or those of flows. Neither are they drawn from groups or
    /// from all nodes, nor do they change.
    pub(crate) fn is_listed(&self) -> bool {
        self.uniform_below == 0 && self.changes.is_empty() && !self.to.contains(&UNIFORM)
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
                return self.node_of_drawn(Places::Ahead, first + below(rng, count));
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
        if to == LISTED
            && let Some(lists) = &self.lists
        {
            return self.placement.node(lists.draw(self.placement.process(node), rng));
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

/// Refuses hot nodes that there are not, and shares that are none.
fn hotspot(pattern: &Pattern, all: &Traffic, nodes: u32, percent: u32) -> Result<(), Refused> {
    let most = all.nodes.count();
    if nodes == 0 || nodes > most {
        return Err(unfit(pattern, &format!("hot nodes are {nodes}"), format!("1 to {most}")));
    }
    if percent == 0 || percent > 100 {
        return Err(unfit(pattern, &format!("{percent} percent go to hot nodes"), "1 to 100"));
    }
    Ok(())
}

/// Refuses more senders and receivers than there are nodes.
fn incast(pattern: &Pattern, all: &Traffic, senders: u32, receivers: u32) -> Result<(), Refused> {
    let (count, taken) = (all.nodes.count(), u64::from(receivers) * (u64::from(senders) + 1));
    if senders == 0 || receivers == 0 || taken > count.into() {
        let accepted =
            format!("1 or more of each, and not more than the {count} nodes that there are");
        let found = format!("{receivers} times one receiver and {senders} senders");
        return Err(unfit(pattern, &found, accepted));
    }
    Ok(())
}
