//! The look in the intermediate group: which link a VLB packet takes from there.
//!
//! The source's weighing does not include the local links of the intermediate group, nor the global ports after them,
//! one of which can be full while the others are idle. So when a VLB packet arrives in its intermediate group, the
//! switch may choose again among the links to the group of its destination: each costs the queue of its first hop from
//! here times the remaining hops, and the packet takes the cheapest; among equal costs the one with the fewest hops,
//! and among equal hops the drawn one.
//!
//! It may choose whatever conventional VLB may draw, from the same stage on and on the same virtual channels, so a look
//! changes neither the longest path nor the graph of channels. Dead parts, and ways that need channels which the links
//! lack, are not chosen.
//!
//! Work is bounded: at most [`MOST_LINKS`] links are weighed, from the drawn one on, which is drawn at random. If two
//! groups share fewer than three links, each is also weighed through a third switch, selected by the bits of the
//! header, which costs [`THIRD_COST`] more. So nothing is drawn, and equal headers and queues give equal answers.

use crate::channel::{FirstChannels, HopKind, place};
use crate::path::{Path, Place};
use crate::random::split;
use crate::schemes::ugal::{Price, Watch, check_credits};
use crate::{Credits, Error, Header, Kind, Scheme, Stage, Switch, forward, local_hop};
use tvlb_schema::{End, GlobalPort, Port, Queue, SwitchIndex};

/// The most links that are weighed.
const MOST_LINKS: u32 = 4;
/// Between groups with at most this many links, each is also weighed through a third switch.
const FEW_LINKS: u32 = 2;
/// The extra cost of such a way over its queue times its hops: an additional hop pays off after a standing queue, but
/// not after a packet that is leaving.
const THIRD_COST: u64 = 16;

/// A VLB packet in its intermediate group, and what its ways onward have in common.
struct Arrived<'s, 'i, C: ?Sized> {
    switch: &'s Switch<'i>,
    credits: &'s C,
    header: Header,
    to: Place,
    /// The virtual channels of its next hop, if the queue is that of one.
    channels: Option<FirstChannels>,
    /// The most hops within this group for which the links have channels.
    most_mid: u8,
    /// Whether one link joins every two switches of a group, and nothing is dead: then every way is live.
    is_plain: bool,
}

/// A link to the group of the destination: its port, that port's switch and slot there, and the switch where it arrives.
#[derive(Clone, Copy)]
struct Exit {
    y: GlobalPort,
    at: SwitchIndex,
    slot: u16,
    arrives: SwitchIndex,
}

/// The bits of a header that select the way onward.
const WAY: u64 = Header::route(GlobalPort(0), GlobalPort(0xfff), SwitchIndex(0xff));

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
    Ok(arrived.map_or(header, |arrived| arrived.by_the_cheapest(watch)))
}

impl<'s, 'i, C: Credits + ?Sized> Arrived<'s, 'i, C> {
    /// `None` if the header makes no sense here.
    #[inline]
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
        let most_mid = switch.most_hops_onward(header)?;
        let is_plain = switch.image.fabric().group_links().is_single();
        Some(Self { switch, credits, header, to, channels, most_mid, is_plain })
    }

    /// The header for the cheapest way; unchanged if none is left.
    #[inline]
    fn by_the_cheapest(&self, watch: &mut impl Watch) -> Header {
        let (image, fabric) = (&self.switch.image, self.switch.image.fabric());
        let end = End { group: image.group(), port: self.header.y() };
        // In a valid header, the drawn link is one of those to its destination's group.
        let links = fabric.links_between(image.group(), self.to.group);
        let Some((_, drawn)) = fabric.link_behind(end).filter(|&(group, _)| group == self.to.group)
        else {
            return self.header;
        };
        let (mut least, mut best) = (u64::MAX, self.header.bits() & WAY);
        for ahead in 0..links.count().min(MOST_LINKS) {
            // Both are below the number of links, which is below 2¹².
            let k = drawn.wrapping_add(ahead);
            let k = if k < links.count() { k } else { k.wrapping_sub(links.count()) };
            let exit = self.exit(fabric.ends(links, k));
            let mut take = |rank, detour| {
                if rank < least {
                    (least, best) = (rank, Header::route(GlobalPort(0), exit.y, detour));
                }
            };
            if ahead == 0 {
                let detour = self.header.detour();
                take(self.rank_over(exit, detour, 0, watch), detour);
            }
            take(self.rank(exit, exit.at, 0, watch), exit.at);
            if links.count() <= FEW_LINKS && exit.at != image.index() {
                let detour = self.third(ahead);
                take(self.rank_over(exit, detour, THIRD_COST, watch), detour);
            }
        }
        Header::from_bits(self.header.bits() & !WAY | best)
    }

    #[inline]
    fn exit(&self, (y, far): (GlobalPort, GlobalPort)) -> Exit {
        let df = self.switch.dragonfly();
        let (at, slot) = df.split_port(y);
        Exit { y, at, slot, arrives: df.split_port(far).0 }
    }

    /// A switch of the group, by the bits of the header.
    fn third(&self, ahead: u32) -> SwitchIndex {
        let random = local_hop::spread_of(self.header).rotate_left(8 * ahead);
        // A group has at most 2⁸ switches.
        SwitchIndex((split(random, self.switch.image.switches_of_group()).0 & 0xff) as u8)
    }

    /// The cost of the way over a link through a switch, its queue times its hops plus an extra, with its hops below
    /// that: so among equal costs the fewest hops rank lowest. It is the largest number if the way is not live or the
    /// links lack channels for it.
    // Most ways have no detour beyond the switch of the link: known there, the check and the price are shorter.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn rank(&self, exit: Exit, detour: SwitchIndex, more: u64, watch: &mut impl Watch) -> u64 {
        let (df, here) = (self.switch.dragonfly(), self.switch.image.index());
        let is_direct = detour == here || detour == exit.at;
        let next = if is_direct { exit.at } else { detour };
        let mid = if is_direct { u8::from(exit.at != here) } else { 2 };
        if mid > self.most_mid || !(self.is_plain || self.lives(exit, next)) {
            return u64::MAX;
        }
        let hops = mid + 1 + u8::from(exit.arrives != self.to.index);
        let is_here = next == here;
        let port = if is_here {
            df.slot_port(exit.slot)
        } else if self.is_plain {
            df.local_port(here, next)
        } else {
            self.spread_port(next, Header::route(GlobalPort(0), exit.y, detour))
        };
        let channel = self.channels.map(|of| if is_here { of.global } else { of.local });
        let queue = self.credits.queue(port, channel);
        let cost = u64::from(queue) * u64::from(hops) + more;
        let first = (port, Stage::Middle);
        if let Some(path) = Path::new(first, self.header.x(), exit.y, detour, hops) {
            watch.drawn(path, Kind::Vlb, Price { channel, queue, cost: cost.cast_signed() });
        }
        cost << 3 | u64::from(hops)
    }

    /// The same if the packet may go through a third switch.
    #[inline(never)]
    fn rank_over(&self, exit: Exit, detour: SwitchIndex, more: u64, watch: &mut impl Watch) -> u64 {
        self.rank(exit, detour, more, watch)
    }

    /// Whether a link is live, and the hops through this switch to it and from it to the destination.
    #[inline(never)]
    fn lives(&self, exit: Exit, next: SwitchIndex) -> bool {
        let (image, fabric) = (&self.switch.image, self.switch.image.fabric());
        let (group, here) = (image.group(), image.index());
        fabric.has_live_cable(End { group, port: exit.y })
            && fabric.is_local_hop(group, here, next)
            && fabric.is_local_hop(group, next, exit.at)
            && fabric.is_local_hop(self.to.group, exit.arrives, self.to.index)
    }

    /// The port of one of the links to a switch, by the bits of the header on this way.
    #[inline(never)]
    fn spread_port(&self, next: SwitchIndex, way: u64) -> Port {
        let header = Header::from_bits(self.header.bits() & !WAY | way);
        self.switch.port_to(next, local_hop::spread_of(header))
    }
}
