//! Every VLB walk from one group to another, leg by leg.
//!
//! A switch's action on a packet depends on the packet's stage and channel, and on the few fields of its header that
//! its stage uses ([`Switch::forward`](tvlb_firmware_model::Switch::forward) says which). Packets at one switch that
//! agree in these make the same hop, whatever the rest of their walks. So it is enough to check every hop that some
//! walk makes, and every two consecutive hops.
//!
//! This is done for one intermediate group after another. Packets arrive from every switch over every first link,
//! directly and after PAR's second look; they cross the group, through each of its switches or directly, leave by every
//! second link, and go on to every switch of the next group. Packets begin and end only at switches with nodes. For
//! each hop we keep the groups its packets may still enter; otherwise walks that return to their source group would
//! appear.

mod onward;
mod standing;

use super::VerifyError;
use super::crossings::links;
use super::dependencies::Dependencies;
use super::groups::Groups;
use super::packet::{BootedSwitches, HeaderRoute, Hop, Hops, Stepped, VLB, aimed};
use super::second_look::SecondLook;
use super::walks::Walks;
use standing::{PacketsAtSwitch, Standing};
use tvlb_base::progress::Progress;
use tvlb_firmware_model::Header;
use tvlb_schema::{FabricImage, GlobalPort, GroupId, SwitchId, SwitchIndex};

/// A second link for packets: the group it leads to, its ports at both ends, the switch at which it arrives, and a
/// switch to which packets can go over it.
#[derive(Clone, Copy)]
struct Exit {
    to: GroupId,
    y: GlobalPort,
    arrives: SwitchId,
    destination: SwitchId,
}

/// An intermediate group.
struct MiddleGroup<'m, 'f> {
    fabric: &'m BootedSwitches<'f>,
    image: FabricImage<'f>,
    dependencies: &'m Dependencies,
    second_looks: &'m [SecondLook],
    group: GroupId,
    /// By index, the second links of a switch, and the groups to which they lead.
    exits: Vec<Vec<Exit>>,
    leads: Vec<Groups>,
}

/// Checks all VLB walks over one intermediate group, given what PAR's second look may meet at each switch, in order.
pub(super) fn check_over(
    fabric: &BootedSwitches<'_>,
    group: GroupId,
    second_looks: &[SecondLook],
    dependencies: &Dependencies,
    progress: &dyn Progress,
) -> Result<Walks, VerifyError> {
    let middle = MiddleGroup::new(fabric, group, second_looks, dependencies);
    let arrived = middle.arrive(progress)?;
    progress.check()?;
    middle.ask_onward(&arrived)?;
    progress.check()?;
    let on_detour = middle.detour(&arrived)?;
    progress.check()?;
    let at_exit = middle.cross(&arrived, &on_detour)?;
    let mut walks = Walks { vlb: middle.count(), ..Walks::default() };
    for w in fabric.df.indices(group) {
        progress.check()?;
        middle.leave(w, [&arrived, &at_exit].map(|places| &places[w.as_usize()]), &mut walks)?;
    }
    Ok(walks)
}

impl<'m, 'f> MiddleGroup<'m, 'f> {
    fn new(
        fabric: &'m BootedSwitches<'f>,
        group: GroupId,
        second_looks: &'m [SecondLook],
        dependencies: &'m Dependencies,
    ) -> Self {
        let (df, image) = (&fabric.df, *fabric.switches[0].image().fabric());
        let switches = df.switches_of(group) as usize;
        let (exits, leads) = (vec![Vec::new(); switches], vec![Groups::none(df); switches]);
        let mut middle = Self { fabric, image, dependencies, second_looks, group, exits, leads };
        for to in df.groups().filter(|&to| to != group) {
            for (y, z) in links(&image, group, to) {
                let leaves = df.split_port(y).0.as_usize();
                let arrives = df.switch(to, df.split_port(z).0);
                let destinations = || middle.ends_near(arrives);
                let itself = destinations().find(|&end| end == arrives);
                if let Some(destination) = itself.or_else(|| destinations().next()) {
                    middle.exits[leaves].push(Exit { to, y, arrives, destination });
                    middle.leads[leaves].insert(to);
                }
            }
        }
        middle
    }

    fn switch(&self, index: SwitchIndex) -> SwitchId {
        self.fabric.df.switch(self.group, index)
    }

    fn is_hop(&self, from: SwitchIndex, to: SwitchIndex) -> bool {
        self.image.is_local_hop(self.group, from, to)
    }

    /// The other switches of the group that share a link with one.
    fn others(&self, one: SwitchIndex) -> impl Iterator<Item = SwitchIndex> {
        let others = self.fabric.df.indices(self.group);
        others.filter(move |&other| other != one && self.is_hop(one, other))
    }

    /// A second link to one of these groups, from any switch but one.
    fn exit_to(&self, bound: &Groups, but: Option<SwitchIndex>) -> Option<Exit> {
        let by_switch = self.fabric.df.indices(self.group).zip(&self.exits);
        let exits = by_switch.filter(|&(index, _)| Some(index) != but).flat_map(|(_, exits)| exits);
        exits.copied().find(|exit| bound.has(exit.to))
    }

    /// The live switches of another group at most a local hop from the end of a live link.
    fn near(&self, end: SwitchId) -> impl Iterator<Item = SwitchId> {
        let df = self.fabric.df;
        let (group, index) = df.place(end);
        let near = df.indices(group).filter(move |&one| self.image.is_local_hop(group, one, index));
        near.map(move |one| df.switch(group, one))
    }

    /// Those of them where packets begin and end.
    fn ends_near(&self, end: SwitchId) -> impl Iterator<Item = SwitchId> {
        self.near(end).filter(|&near| self.fabric.ends.has(near))
    }

    /// Moves the packets to these groups from one switch to another.
    fn go(
        &self,
        (at, to): (SwitchId, SwitchId),
        (standing, header): (&Standing, Header),
        bound: &Groups,
    ) -> Result<(Hop, Header), VerifyError> {
        let fail = |hop: Option<Hop>, text| {
            let held = standing.held.iter().find(|(_, groups)| groups.meets(bound));
            let hops: Vec<Hop> = held.map(|&(hop, _)| hop).into_iter().chain(hop).collect();
            let from = hops.first().map_or(at, |hop| hop.from);
            let kind = if standing.after { "VLB (after PAR's second look)" } else { "VLB" };
            Err(BootedSwitches::finding(from, header.destination(), kind, (Hops::of(&hops), text)))
        };
        let (hop, next) = match self.fabric.step(at, header) {
            Err(text) => return fail(None, text),
            Ok(Stepped::Arrived) => return fail(None, format!("switch {at} delivers it")),
            Ok(Stepped::Crossed(hop, next)) => (hop, next),
        };
        if hop.to != to {
            return fail(Some(hop), format!("switch {at} sends it there, not to switch {to}"));
        }
        self.dependencies.note(&[hop]);
        for (held, _) in standing.held.iter().filter(|(_, groups)| groups.meets(bound)) {
            if self.fabric.rank(*held) >= self.fabric.rank(hop) {
                let text = "the rank of its virtual channels does not rise".to_owned();
                return fail(Some(hop), text);
            }
            self.dependencies.note_before(&[*held], hop);
        }
        Ok((hop, next))
    }

    /// Packets from every switch, over every first link; by the index of the switch where they arrive.
    fn arrive(&self, progress: &dyn Progress) -> Result<Vec<PacketsAtSwitch>, VerifyError> {
        let df = self.fabric.df;
        let mut arrived = vec![PacketsAtSwitch::default(); self.exits.len()];
        let mut all = Groups::none(&df);
        self.leads.iter().for_each(|leads| all.add(leads));
        for from in df.groups().filter(|&from| from != self.group) {
            progress.check()?;
            let mut bound = all.clone();
            bound.remove(from);
            if bound.is_empty() {
                continue;
            }
            for (x, v) in links(&self.image, from, self.group) {
                let v = df.split_port(v).0;
                let leaves = df.switch(from, df.split_port(x).0);
                for source in self.near(leaves) {
                    self.come(source, (x, leaves, v), &bound, &mut arrived[v.as_usize()])?;
                }
            }
        }
        Ok(arrived)
    }

    /// Packets from one switch over one first link: those that begin there, and those that PAR's second look meets
    /// there.
    fn come(
        &self,
        source: SwitchId,
        link: (GlobalPort, SwitchId, SwitchIndex),
        bound: &Groups,
        arrived: &mut PacketsAtSwitch,
    ) -> Result<(), VerifyError> {
        let route = |bound: &Groups| {
            let exit = self.exit_to(bound, None)?;
            let detour = self.fabric.place(exit.arrives).1;
            Some(HeaderRoute { destination: exit.arrives, x: link.0, y: exit.y, detour, kind: VLB })
        };
        if let Some(route) = route(bound).filter(|_| self.fabric.ends.has(source)) {
            let standing = Standing::at_source(route.header(None), &[], bound.clone());
            arrived.add(self.over_first(source, link, standing)?);
        }
        for before in &self.second_looks[self.fabric.place_of(source)].0 {
            let bound = before.bound.and(bound);
            let Some(route) = route(&bound) else { continue };
            for hops in before.hops.chunk_by(|one, next| one.channel == next.channel) {
                let header = route.header(hops.first().map(|hop| hop.channel));
                let standing = Standing::at_source(header, hops, bound.clone());
                arrived.add(self.over_first(source, link, standing)?);
            }
        }
        Ok(())
    }

    /// Packets at a switch of their source group, once they have crossed a first link.
    fn over_first(
        &self,
        source: SwitchId,
        (_, leaves, v): (GlobalPort, SwitchId, SwitchIndex),
        mut standing: Standing,
    ) -> Result<Standing, VerifyError> {
        let bound = standing.bound.clone();
        if source != leaves {
            let gone = self.go((source, leaves), (&standing, standing.header), &bound)?;
            standing = standing.moved(gone, bound.clone());
        }
        let gone = self.go((leaves, self.switch(v)), (&standing, standing.header), &bound)?;
        Ok(standing.moved(gone, bound))
    }

    /// Packets after the first hop of a detour; by the index of the switch that they reached.
    fn detour(&self, arrived: &[PacketsAtSwitch]) -> Result<Vec<PacketsAtSwitch>, VerifyError> {
        let df = &self.fabric.df;
        let mut there = vec![PacketsAtSwitch::default(); arrived.len()];
        for through in df.indices(self.group) {
            let mut onward = Groups::none(df);
            self.others(through).for_each(|w| onward.add(&self.leads[w.as_usize()]));
            for v in self.others(through) {
                for standing in &arrived[v.as_usize()].0 {
                    let bound = standing.bound.and(&onward);
                    let Some(exit) = self.exit_to(&bound, Some(through)) else { continue };
                    let header = aimed(standing.header, exit.arrives, exit.y, through);
                    let hop = (self.switch(v), self.switch(through));
                    let gone = self.go(hop, (standing, header), &bound)?;
                    there[through.as_usize()].add(standing.moved(gone, bound));
                }
            }
        }
        Ok(there)
    }

    /// Packets after a local hop to the switch of their second link, straight from where they arrived, or on a detour;
    /// by its index.
    fn cross(
        &self,
        arrived: &[PacketsAtSwitch],
        on_detour: &[PacketsAtSwitch],
    ) -> Result<Vec<PacketsAtSwitch>, VerifyError> {
        let mut there = vec![PacketsAtSwitch::default(); arrived.len()];
        for w in self.fabric.df.indices(self.group) {
            let place = &mut there[w.as_usize()];
            for from in self.others(w) {
                for standing in &arrived[from.as_usize()].0 {
                    self.come_to_exits((from, w), (standing, w), place)?;
                }
                for standing in &on_detour[from.as_usize()].0 {
                    let standing = Standing { detoured: true, ..standing.clone() };
                    self.come_to_exits((from, w), (&standing, from), place)?;
                }
            }
        }
        Ok(there)
    }

    /// Packets that take one local hop to the switch of their second link, whichever of its links that is.
    fn come_to_exits(
        &self,
        (from, w): (SwitchIndex, SwitchIndex),
        (standing, detour): (&Standing, SwitchIndex),
        place: &mut PacketsAtSwitch,
    ) -> Result<(), VerifyError> {
        let bound = standing.bound.and(&self.leads[w.as_usize()]);
        let hop = (self.switch(from), self.switch(w));
        let mut seen = None;
        for exit in self.exits[w.as_usize()].iter().filter(|exit| bound.has(exit.to)) {
            let header = aimed(standing.header, exit.arrives, exit.y, detour);
            let state = |hop, header: Header| Some((hop, header.bits() & 0xff));
            // Nearly always the same for all of them.
            if let Ok(Stepped::Crossed(hop, next)) = self.fabric.step(hop.0, header)
                && seen == state(hop, next)
            {
                continue;
            }
            let gone = self.go(hop, (standing, header), &bound)?;
            seen = state(gone.0, gone.1);
            place.add(standing.moved(gone, bound.clone()));
        }
        Ok(())
    }

    /// Packets at a switch of the group leave by each of its second links, and go on to every switch of the next group.
    fn leave(
        &self,
        w: SwitchIndex,
        here: [&PacketsAtSwitch; 2],
        walks: &mut Walks,
    ) -> Result<(), VerifyError> {
        let at = self.switch(w);
        for &exit in &self.exits[w.as_usize()] {
            let mut only = Groups::none(&self.fabric.df);
            only.insert(exit.to);
            let mut landed = PacketsAtSwitch::default();
            for standing in here.iter().flat_map(|place| &place.0) {
                if standing.bound.has(exit.to) {
                    let header = aimed(standing.header, exit.arrives, exit.y, w);
                    let gone = self.go((at, exit.arrives), (standing, header), &only)?;
                    landed.add(standing.moved(gone, only.clone()));
                }
            }
            for standing in &landed.0 {
                for destination in self.ends_near(exit.arrives) {
                    let end = self.end(exit, standing, destination, &only)?;
                    walks.note_vlb((end.after, end.detoured), end.hops, end.taken);
                }
            }
        }
        Ok(())
    }

    /// Checks that packets reach their destination from the end of a second link in its group.
    fn end(
        &self,
        exit: Exit,
        standing: &Standing,
        destination: SwitchId,
        only: &Groups,
    ) -> Result<Standing, VerifyError> {
        let header = aimed(standing.header, destination, exit.y, SwitchIndex(0));
        let mut last = Standing { header, ..standing.clone() };
        if destination != exit.arrives {
            let gone = self.go((exit.arrives, destination), (standing, header), only)?;
            last = standing.moved(gone, only.clone());
        }
        match self.fabric.step(destination, last.header) {
            Ok(Stepped::Arrived) => Ok(last),
            found => {
                let text = match found {
                    Err(text) => text,
                    Ok(_) => "it is still not there after its last hop".to_owned(),
                };
                let hops: Vec<Hop> = last.held.iter().map(|&(hop, _)| hop).take(1).collect();
                let from = hops.first().map_or(destination, |hop| hop.from);
                Err(BootedSwitches::finding(from, destination, "VLB", (Hops::of(&hops), text)))
            }
        }
    }

    /// How many walks there are over the group.
    fn count(&self) -> u64 {
        let (df, mut walks) = (self.fabric.df, 0);
        let groups = df.group_numbers().len();
        // By the index of the switch in this group, for all its links: the number of packets' switches in each other
        // group.
        let mut ends = vec![vec![0_u64; groups]; self.exits.len()];
        for (ends, exits) in ends.iter_mut().zip(&self.exits) {
            for exit in exits {
                // A link from a group also leads to it.
                ends[exit.to.as_usize()] += self.ends_near(exit.arrives).count() as u64;
            }
        }
        let sum = |ends: &[u64]| ends.iter().sum::<u64>();
        for v in df.indices(self.group) {
            for w in df.indices(self.group) {
                let ways = if v == w {
                    1 + self.others(v).count() as u64
                } else {
                    u64::from(self.is_hop(v, w))
                        + u64::from(self.image.relay_count(self.group, v, w))
                };
                let (from, to) = (&ends[v.as_usize()], &ends[w.as_usize()]);
                let back: u64 = from.iter().zip(to).map(|(from, to)| from * to).sum();
                walks += ways * (sum(from) * sum(to) - back);
            }
        }
        walks
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::crossings::{FirstLink, first_links};
    use super::super::minimal;
    use super::super::packet::MIN;
    use super::super::set_channels::{NONE, raise};
    use super::super::ways::{self, LinkWay};
    use super::*;
    use tvlb_firmware_model::Switch;
    use tvlb_generator::fabric::Fabric;
    use tvlb_generator::policy::Policy;
    use tvlb_generator::tables::tables_of;
    use tvlb_schema::{
        Dragonfly, FaultSet, GroupKind, LocalLink, PerDecision, SetRule, ShapeSet, VcScheme,
    };
    use tvlb_topology::arrangement::{Arrangement, arrange};
    use tvlb_topology::in_turn::lay_between;

    /// What is dead of a fabric with four groups of four switches at least.
    fn dead(fabric: &Fabric) -> FaultSet {
        let df = fabric.topology.dragonfly();
        let link = |group, low, high| {
            let low = df.switch(GroupId(group), SwitchIndex(low));
            LocalLink { low, high: SwitchIndex(high), number: 0 }
        };
        let cables = fabric.topology.cables();
        FaultSet {
            switches: [df.switch(GroupId(1), SwitchIndex(3))].into(),
            cables: [cables[2].low, cables[7].low].into(),
            local_links: [link(0, 0, 1), link(0, 1, 2), link(2, 0, 2), link(3, 1, 3)].into(),
            ..FaultSet::default()
        }
    }

    /// Boots the switches of small fabrics, some with dead parts, by each rule of channels.
    pub(super) fn with_fabrics(each: impl Fn(&BootedSwitches<'_>)) {
        let even = |[p, a, h, g]: [u32; 4], arrangement| {
            let df = Dragonfly::new(p, a, h, g).unwrap();
            let mut fabric = Fabric::new("legs", df, Arrangement::default(), 1).unwrap();
            fabric.topology = arrange(df, arrangement, 3).unwrap();
            fabric
        };
        let kinds = || {
            let kind = |p, a, g| GroupKind::new(p, a, 4 / a.min(2), g);
            let df = Dragonfly::of_kinds(&[kind(1, 2, 2), kind(2, 4, 2), kind(0, 1, 1)]).unwrap();
            let mut fabric = even([1, 2, 1, 3], Arrangement::Absolute);
            fabric.file.dragonfly = df;
            fabric.topology = lay_between(df, |_, _| 1);
            fabric
        };
        for (fabric, is_whole) in [
            (even([2, 4, 2, 9], Arrangement::Absolute), true),
            (even([1, 4, 3, 6], Arrangement::Random), true),
            (even([1, 2, 5, 3], Arrangement::Relative), true),
            (even([1, 1, 4, 4], Arrangement::Absolute), true),
            (kinds(), true),
            (even([2, 4, 2, 9], Arrangement::Absolute), false),
            (even([1, 5, 3, 6], Arrangement::Random), false),
        ] {
            for channels in [VcScheme::Ordered, VcScheme::PerHop, VcScheme::Positional] {
                let mut fabric = fabric.clone();
                fabric.file.virtual_channels = Some(channels);
                let policies = PerDecision::same(Policy::from(SetRule::whole(ShapeSet::ALL)));
                let images = tables_of(&fabric, &policies, &()).unwrap().images;
                let mut image = FabricImage::decode(&images.fabric).unwrap();
                let dead = if is_whole { FaultSet::default() } else { dead(&fabric) };
                let faults = tvlb_schema::encode_fault_image(&image, 1, &dead);
                image.install_faults(&faults).unwrap();
                let boot = |bytes| Switch::boot_in(&image, bytes).unwrap();
                let switches: Vec<_> = images.switches.iter().map(|bytes| boot(bytes)).collect();
                each(&BootedSwitches::new(&switches, fabric.topology.ends()));
            }
        }
    }

    fn looks(fabric: &BootedSwitches<'_>) -> Vec<SecondLook> {
        let first =
            |switch| first_links(fabric.switches[0].image().fabric(), fabric.place(switch).0);
        fabric.df.switches().map(|switch| SecondLook::at(fabric, switch, &first(switch))).collect()
    }

    /// All switches where packets begin, each with those of other groups where packets end and the first links of its group.
    fn pairs(fabric: &BootedSwitches<'_>, mut each: impl FnMut(SwitchId, SwitchId, &[FirstLink])) {
        let image = fabric.switches[0].image().fabric();
        for from in fabric.ends.iter() {
            let first = first_links(image, fabric.place(from).0);
            for to in fabric.ends.outside(fabric.place(from).0) {
                each(from, to, &first);
            }
        }
    }

    /// Walks a way from its source, and after every hop before PAR's second look.
    fn walk(
        (fabric, dependencies): (&BootedSwitches<'_>, &Dependencies),
        (from, to): (SwitchId, SwitchId),
        (way, before): (LinkWay, &[Hop]),
        walks: &mut Walks,
    ) {
        let (x, y) = (way.pair.x, way.pair.y);
        let route = HeaderRoute { destination: to, x, y, detour: way.through, kind: VLB };
        for hop in [None].into_iter().chain(before.iter().copied().map(Some)) {
            let path = fabric.carry(from, route, hop, way.returns() || hop.is_some()).unwrap();
            dependencies.note(path.hops());
            let mut taken = NONE;
            raise(&mut taken, path.channels());
            walks.note_vlb((hop.is_some(), way.shape().mid() > 1), path.hops().len(), taken);
        }
        walks.vlb += 1;
    }

    #[test]
    fn legs_make_up_the_walks_of_all_pairs() {
        with_fabrics(|fabric| {
            let image = fabric.switches[0].image().fabric();
            let (looks, mut walks) = (looks(fabric), Walks::default());
            let [walked, by_legs] = [(); 2].map(|()| Dependencies::new(&fabric.df));
            pairs(fabric, |from, to, first| {
                let look = &looks[fabric.place_of(from)];
                let before = look.to(fabric.place(to).0).flat_map(|before| &before.hops);
                let before: Vec<Hop> = before.copied().collect();
                for way in ways::pairs(image, first, (from, to)).flat_map(|pair| pair.ways(image)) {
                    walk((fabric, &walked), (from, to), (way, &before), &mut walks);
                }
            });
            let mut legs = Walks::default();
            for group in fabric.df.groups() {
                legs.add(&check_over(fabric, group, &looks, &by_legs, &()).unwrap());
            }
            let df = &fabric.df;
            assert!(walked.is_same(&by_legs), "{df}: {:?} {:?}", walked.counts(), by_legs.counts());
            assert_eq!((walks.vlb, walks.longest), (legs.vlb, legs.longest), "{df}");
            let taken = |walks: &Walks| (walks.taken.valg, walks.taken.valn);
            assert_eq!(taken(&walks), taken(&legs), "{df}");
        });
    }

    #[test]
    fn what_goes_elsewhere_or_on_a_channel_too_low_is_found() {
        with_fabrics(|fabric| {
            let (df, dependencies) = (fabric.df, Dependencies::new(&fabric.df));
            let looks = looks(fabric);
            let middle = MiddleGroup::new(fabric, GroupId(2), &looks, &dependencies);
            let image = fabric.switches[0].image().fabric();
            let (x, v) = links(image, GroupId(1), GroupId(2)).next().unwrap();
            let (leaves, v) = (df.split_port(x).0, df.split_port(v).0);
            let (leaves, v) = (df.switch(GroupId(1), leaves), middle.switch(v));
            let mut bound = middle.leads.iter().fold(Groups::none(&df), |mut all, leads| {
                all.add(leads);
                all
            });
            bound.remove(GroupId(1));
            let exit = middle.exit_to(&bound, None).unwrap();
            let detour = SwitchIndex(0);
            let route = HeaderRoute { destination: exit.arrives, x, y: exit.y, detour, kind: VLB };
            let header = route.header(None);
            let go = |to, held: &[Hop]| {
                let standing = Standing::at_source(header, held, bound.clone());
                middle.go((leaves, to), (&standing, header), &bound)
            };
            let (hop, _) = go(v, &[]).unwrap();
            assert_eq!((hop.from, hop.to), (leaves, v));
            let text = go(leaves, &[]).unwrap_err().to_string();
            assert!(text.ends_with(&format!("sends it there, not to switch {leaves}")), "{text}");
            let held = Hop { from: v, to: leaves, channel: 7, ..hop };
            let text = go(v, &[held]).unwrap_err().to_string();
            let expected = format!(
                "from switch {v} to switch {}, VLB (after PAR's second look) path {v} -G7-> {leaves} -G0-> {v}: \
                 the rank of its virtual channels does not rise",
                exit.arrives
            );
            assert_eq!(text, expected);
        });
    }

    #[test]
    fn a_second_look_meets_what_comes_by_min() {
        with_fabrics(|fabric| {
            let image = fabric.switches[0].image().fabric();
            let looks = looks(fabric);
            let mut met = vec![Vec::new(); looks.len()];
            pairs(fabric, |from, to, _| {
                for path in minimal::walks(image, from, to) {
                    let (y, detour) = (GlobalPort(0), SwitchIndex(0));
                    let route = HeaderRoute { destination: to, x: path.x, y, detour, kind: MIN };
                    let walked = fabric.carry_by(from, route, None, false, path.thirds).unwrap();
                    let first = walked.hops()[0];
                    if !first.global {
                        met[fabric.place_of(first.to)].push((fabric.place(to).0, first));
                    }
                }
            });
            for (look, mut met) in looks.iter().zip(met) {
                met.sort_unstable_by_key(|&(to, hop)| (to, hop.from));
                met.dedup();
                let of = |to| {
                    let hops = look.to(to).flat_map(|before| &before.hops);
                    hops.map(move |&hop| (to, hop))
                };
                let mut said: Vec<_> = fabric.df.groups().flat_map(of).collect();
                said.sort_unstable_by_key(|&(to, hop)| (to, hop.from));
                said.dedup();
                if fabric.group_links().is_whole() {
                    assert_eq!(met, said);
                }
                assert!(met.iter().all(|one| said.contains(one)), "{met:?} {said:?}");
            }
        });
    }
}
