//! The look in the intermediate group: by which link a VLB packet goes on from there.
//!
//! What the source weighed says nothing of the local links of the intermediate group, nor of the global ports
//! behind them, of which a single one can be full while the others are idle. So where a VLB packet has come to
//! its intermediate group, the switch may choose anew among the links to the group of its destination: each
//! costs the queue of its first hop from here times the hops that are left, and the packet goes by the cheapest;
//! of equal costs by the fewest hops, and of equal hops as it was drawn.
//!
//! What it may choose is what conventional VLB may draw, from the same stage on and on the same virtual channels,
//! so that whether a switch looks or does not changes neither the longest path nor the graph of channels. What is
//! dead, or takes channels that the links lack, is not chosen.
//!
//! Work is bounded: at most [`MOST_LINKS`] links are looked at, from the drawn one on, which is drawn at random.
//! Where two groups share fewer than three links, each is also looked at over a third switch, by the bits of the
//! header. So nothing is drawn, and equal headers and queues give equal answers.

use crate::channel::{FirstChannels, HopKind, place};
use crate::channels_needed::ChannelWalk;
use crate::path::{Path, Place};
use crate::random::split;
use crate::schemes::ugal::{Price, Watch, channel_at, check_credits};
use crate::{Credits, Error, Header, Kind, Scheme, Stage, Switch, forward, local_hop};
use tvlb_schema::{End, GlobalPort, Queue, SwitchIndex};

/// The most links that are looked at.
const MOST_LINKS: u32 = 4;
/// Between groups with at most so many links each is looked at over a third switch, too.
const FEW_LINKS: u32 = 2;

/// A VLB packet in its intermediate group, and what the ways on from there have in common.
struct Arrived<'s, 'i, C: ?Sized> {
    switch: &'s Switch<'i>,
    credits: &'s C,
    header: Header,
    to: Place,
    /// The virtual channels of its next hop, where the queue is that of one.
    channels: Option<FirstChannels>,
    /// The most hops within this group for which the links have channels.
    most_mid: u32,
}

/// A way on, and what it costs.
type Priced = (Path, Price);

/// Does the work of [`Switch::look_onward`]. The watch sees each way that is weighed, the drawn one first.
#[inline]
pub(crate) fn look(
    switch: &Switch<'_>,
    header: Header,
    scheme: Scheme,
    credits: &(impl Credits + ?Sized),
    watch: &mut impl Watch,
) -> Result<Header, Error> {
    let is_arriving =
        header.stage_code() == Stage::Middle as u32 && header.kind_code() == Kind::Vlb.code();
    if !is_arriving || !switch.looks_onward(scheme) {
        return Ok(header);
    }
    check_credits(switch, scheme.decision(), credits)?;
    let arrived = Arrived::new(switch, header, scheme, credits);
    let best = arrived.and_then(|arrived| arrived.cheapest(watch));
    Ok(best.map_or(header, |(path, _)| path.reroutes(header, Kind::Vlb)))
}

impl<'s, 'i, C: Credits + ?Sized> Arrived<'s, 'i, C> {
    /// `None` if the header makes no sense here.
    fn new(switch: &'s Switch<'i>, header: Header, scheme: Scheme, credits: &'s C) -> Option<Self> {
        let to = switch.place(header.destination());
        if !forward::is_in_range(switch, header) || to.group == switch.image.group() {
            return None;
        }
        let on = |kind| switch.rules.assign(header, place(Stage::Middle as u32, kind));
        let channels = match switch.image.weighing(scheme.decision()).queue {
            Queue::Port => None,
            Queue::Channel => {
                Some(FirstChannels { local: on(HopKind::Local), global: on(HopKind::Global) })
            }
        };
        let walk = ChannelWalk::at(switch.rules, header);
        let fits = |&mid: &u32| switch.channels.have(walk.onward(mid, 1).needed());
        let most_mid = (0..=2).rev().find(fits)?;
        Some(Self { switch, credits, header, to, channels, most_mid })
    }

    /// The cheapest way on; `None` if none is left.
    fn cheapest(&self, watch: &mut impl Watch) -> Option<Priced> {
        let (image, fabric) = (&self.switch.image, self.switch.image.fabric());
        let end = End { group: image.group(), port: self.header.y() };
        // Of a header that makes sense, the drawn link is one of those to its destination's group.
        let (group, drawn) = fabric.link_behind(end)?;
        if group != self.to.group {
            return None;
        }
        let mut best: Option<Priced> = None;
        let mut weigh = |way: Option<Priced>| {
            let Some((path, price)) = way else { return };
            watch.drawn(path, Kind::Vlb, price);
            let rank = |(path, price): Priced| (price.cost, path.hops());
            if best.is_none_or(|best| rank((path, price)) < rank(best)) {
                best = Some((path, price));
            }
        };
        weigh(self.way(self.header.y(), self.header.detour()));
        let links = fabric.links_between(image.group(), group);
        let spread = local_hop::spread_of(self.header);
        for ahead in 0..links.count().min(MOST_LINKS) {
            // Both are below the number of links, which is below 2¹².
            let k = drawn.wrapping_add(ahead);
            let k = if k < links.count() { k } else { k.wrapping_sub(links.count()) };
            let (y, _) = fabric.ends(links, k);
            let at = self.switch.dragonfly().split_port(y).0;
            weigh(self.way(y, at));
            if links.count() <= FEW_LINKS && at != image.index() {
                weigh(self.way(y, self.third(spread.rotate_left(8 * ahead))));
            }
        }
        best
    }

    /// A switch of the group, by this random word.
    fn third(&self, random: u32) -> SwitchIndex {
        // A group has at most 2⁸ switches.
        SwitchIndex((split(random, self.switch.image.switches_of_group()).0 & 0xff) as u8)
    }

    /// The way on by a link over a switch, if it lives and the links have channels for it.
    fn way(&self, y: GlobalPort, detour: SwitchIndex) -> Option<Priced> {
        let (image, df) = (&self.switch.image, self.switch.dragonfly());
        let (fabric, group, here) = (image.fabric(), image.group(), image.index());
        let (at, slot) = df.split_port(y);
        let arrives = df.split_port(image.behind(y)?.port).0;
        let is_direct = detour == here || detour == at;
        let next = if is_direct { at } else { detour };
        let mid = if is_direct { u8::from(at != here) } else { 2 };
        let lives = fabric.has_live_cable(End { group, port: y })
            && fabric.is_local_hop(group, here, next)
            && fabric.is_local_hop(group, next, at)
            && fabric.is_local_hop(self.to.group, arrives, self.to.index);
        if !lives || u32::from(mid) > self.most_mid {
            return None;
        }
        let hops = mid + 1 + u8::from(arrives != self.to.index);
        let path = |port| Path::new((port, Stage::Middle), self.header.x(), y, detour, hops);
        let path = if next == here {
            path(df.slot_port(slot))?
        } else if fabric.group_links().is_single() {
            path(df.local_port(here, next))?
        } else {
            let path = path(df.local_port(here, next))?;
            let header = path.reroutes(self.header, Kind::Vlb);
            path.by(self.switch.port_to(next, local_hop::spread_of(header)))
        };
        let channel = channel_at(self.switch, self.channels, path.first_port());
        let queue = self.credits.queue(path.first_port(), channel);
        let cost = i64::from(queue) * i64::from(hops);
        Some((path, Price { channel, queue, cost }))
    }
}
