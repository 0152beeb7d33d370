//! The paths between two switches as their images give them, each with its share of the packets.

use tvlb_firmware_model::Switch;
use tvlb_schema::{
    Decision, Dragonfly, DrawRule, End, FabricImage, GroupId, Route, Shape, SwitchImage,
    SwitchIndex,
};

/// The most links of a path.
const MOST_LINKS: usize = 6;

/// The directed links of a path, and no link (`u32::MAX`) behind its last one.
pub(super) type Links = [u32; MOST_LINKS];

/// A path with the share of the pair's packets that take it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drawn {
    pub(super) links: Links,
    pub(super) share: f64,
}

impl Drawn {
    /// The links that it has.
    pub(super) fn links(&self) -> impl Iterator<Item = usize> {
        self.links.into_iter().take_while(|&link| link != u32::MAX).map(|link| link as usize)
    }
}

/// Directed links by number: those of a switch together, first to the others of its group by
/// index, then by global slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    df: Dragonfly,
    per_switch: u32,
}

impl Numbering {
    pub(super) fn new(df: &Dragonfly) -> Self {
        Self { df: *df, per_switch: df.a() - 1 + df.h() }
    }

    pub(super) fn count(&self) -> usize {
        (self.df.switch_count() * self.per_switch) as usize
    }

    /// The switch that a link leaves, and its place there.
    fn parts(&self, link: usize) -> (usize, usize) {
        (link / self.per_switch as usize, link % self.per_switch as usize)
    }

    pub(super) fn source(&self, link: usize) -> usize {
        self.parts(link).0
    }

    /// The port by which a packet leaves its switch for this link.
    pub(super) fn port(&self, link: usize) -> usize {
        self.df.p() as usize + self.parts(link).1
    }

    pub(super) fn is_global(&self, link: usize) -> bool {
        self.parts(link).1 >= self.df.a() as usize - 1
    }

    fn local(&self, group: GroupId, from: SwitchIndex, to: SwitchIndex) -> u32 {
        let place = u32::from(to.0) - u32::from(to.0 > from.0);
        u32::from(self.df.switch(group, from).0) * self.per_switch + place
    }

    fn global(&self, end: End) -> u32 {
        let (index, slot) = self.df.split_port(end.port);
        let switch = u32::from(self.df.switch(end.group, index).0);
        switch * self.per_switch + self.df.a() - 1 + u32::from(slot)
    }
}

/// A walk being taken down.
struct Walk<'n> {
    numbering: &'n Numbering,
    at: (GroupId, SwitchIndex),
    links: Links,
    length: usize,
}

impl<'n> Walk<'n> {
    fn new(numbering: &'n Numbering, at: (GroupId, SwitchIndex)) -> Self {
        Self { numbering, at, links: [u32::MAX; MOST_LINKS], length: 0 }
    }

    fn push(&mut self, link: u32) {
        self.links[self.length] = link;
        self.length += 1;
    }

    /// To a switch of the same group, if the walk is not there.
    fn local(&mut self, to: SwitchIndex) {
        let (group, from) = self.at;
        if from != to {
            self.push(self.numbering.local(group, from, to));
            self.at.1 = to;
        }
    }

    fn global(&mut self, fabric: &FabricImage<'_>, end: End) -> Option<()> {
        self.push(self.numbering.global(end));
        let peer = fabric.peer(end)?;
        self.at = (peer.group, self.numbering.df.split_port(peer.port).0);
        Some(())
    }
}

/// The MIN paths to a switch of another group, one drawn uniformly. None where no cable joins the
/// groups.
pub(super) fn minimal(
    switch: &Switch<'_>,
    numbering: &Numbering,
    to: (GroupId, SwitchIndex),
) -> Vec<Drawn> {
    let image = switch.image();
    let (fabric, df) = (image.fabric(), &numbering.df);
    let from = image.group();
    let count = fabric.link_count(from, to.0);
    (0..count)
        .filter_map(|k| {
            let (x, _) = fabric.link(from, to.0, k)?;
            let mut walk = Walk::new(numbering, (from, image.index()));
            walk.local(df.split_port(x).0);
            walk.global(fabric, End { group: from, port: x })?;
            walk.local(to.1);
            Some(Drawn { links: walk.links, share: 1.0 / f64::from(count) })
        })
        .collect()
}

/// The routes of a decision's set to a switch of another group, in the order of their links.
pub(super) fn drawn(
    switch: &Switch<'_>,
    numbering: &Numbering,
    decision: Decision,
    destination: tvlb_schema::SwitchId,
) -> Vec<Drawn> {
    let image = switch.image();
    let to = numbering.df.place(destination);
    let mut routes: Vec<(Shape, Links)> = Vec::new();
    switch.for_each_route(decision, destination, |route, shape| {
        routes.extend(links(image, numbering, to, route).map(|links| (shape, links)));
    });
    let mut of_shape = [0_u32; Shape::COUNT];
    for (shape, _) in &routes {
        of_shape[shape.number()] += 1;
    }
    let rule = image.set(decision).rule();
    let weight = |shape: Shape| match (rule.draw, of_shape[shape.number()]) {
        (_, 0) => 0,
        (DrawRule::ByRoute, count) => count,
        (DrawRule::ByShape { .. }, _) => rule.weight_of(shape).into(),
    };
    let total: u32 = Shape::all().map(weight).sum();
    let share = |shape: Shape| {
        f64::from(weight(shape)) / f64::from(total) / f64::from(of_shape[shape.number()])
    };
    let shares = Shape::all().map(share).collect::<Vec<_>>();
    let mut drawn: Vec<Drawn> = routes
        .into_iter()
        .map(|(shape, links)| Drawn { links, share: shares[shape.number()] })
        .collect();
    drawn.sort_unstable_by_key(|path| path.links);
    drawn
}

fn links(
    image: &SwitchImage<'_>,
    numbering: &Numbering,
    to: (GroupId, SwitchIndex),
    route: Route,
) -> Option<Links> {
    let (fabric, df) = (image.fabric(), &numbering.df);
    let mut walk = Walk::new(numbering, (image.group(), image.index()));
    walk.local(df.split_port(route.x).0);
    walk.global(fabric, End { group: image.group(), port: route.x })?;
    if let Some(detour) = route.detour {
        walk.local(detour);
    }
    walk.local(df.split_port(route.y).0);
    walk.global(fabric, End { group: walk.at.0, port: route.y })?;
    walk.local(to.1);
    Some(walk.links)
}
