//! The fabric image: sizes and wiring, the same for every switch.
//!
//! The wiring is listed twice, each time for one look-up in constant time: the cables of every
//! pair of groups ("the k-th link from i to j"), and for every port its pair and k ("where does
//! this port lead"). Decoding proves that the two agree, so that whoever reads need not.

use crate::fields::Fields;
use crate::frame::{self, HEADER_LEN, ImageError, ImageKind};
use crate::packed::{PackedArray, width_for};
use crate::{Dragonfly, End, GlobalPort, Group};

/// The fixed part of the payload, in postcard.
#[cfg_attr(feature = "alloc", derive(serde::Serialize))]
struct Body {
    p: u16,
    a: u16,
    h: u16,
    g: u16,
    /// All cables.
    cables: u32,
    /// The most links that a pair of groups has; sets the width of k.
    most_links: u16,
    /// The number of links of every pair where all have the same, so that no table of starts is
    /// needed; else 0.
    even_links: u16,
}

impl Body {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        Some(Self {
            p: fields.u16()?,
            a: fields.u16()?,
            h: fields.u16()?,
            g: fields.u16()?,
            cables: fields.u32()?,
            most_links: fields.u16()?,
            even_links: fields.u16()?,
        })
    }
}

/// A decoded fabric image: a view into its bytes.
#[derive(Clone, Copy, Debug)]
pub struct FabricImage<'a> {
    dragonfly: Dragonfly,
    identity: u64,
    cable_count: u32,
    most_links: u32,
    even_links: u32,
    /// Where the cables of each pair i < j begin, pairs in the order (0,1), (0,2), …; empty if even.
    starts: PackedArray<'a>,
    /// Per cable the port in the lower group, then that in the higher; by pair, then sorted.
    cables: PackedArray<'a>,
    /// Per port of the fabric k and, above it, the peer group; the own group for an unused port.
    ports: PackedArray<'a>,
    port_bits: u32,
    port_mask: u32,
    link_bits: u32,
    link_mask: u32,
}

/// The cables between two groups, as seen from one of them.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    first: u32,
    count: u32,
    /// Seen from the lower group.
    forward: bool,
}

impl Links {
    /// How many there are.
    #[inline]
    pub const fn count(&self) -> u32 {
        self.count
    }
}

impl<'a> FabricImage<'a> {
    /// Checks an image and returns a view of it.
    ///
    /// # Errors
    /// What is wrong with the bytes, and where. Any bytes whatever end in `Ok` or `Err`.
    #[inline(never)]
    pub fn decode(bytes: &'a [u8]) -> Result<Self, ImageError> {
        let (identity, payload) = frame::open(bytes, ImageKind::Fabric)?;
        let needed = frame::identity_of(payload);
        if identity != needed {
            return Err(ImageError::Identity { found: identity, needed });
        }
        let mut fields = Fields::new(payload);
        let body = Body::read(&mut fields)
            .ok_or(ImageError::Structure { what: "sizes", offset: HEADER_LEN })?;
        let rest = fields.rest();
        let df = Dragonfly::new(body.p.into(), body.a.into(), body.h.into(), body.g.into())
            .map_err(|error| ImageError::Dragonfly { offset: HEADER_LEN, error })?;
        let pairs = df.g() * (df.g() - 1) / 2;
        let value =
            |what, found, accepted| ImageError::Value { what, offset: HEADER_LEN, found, accepted };
        if body.cables > df.port_count() / 2 {
            return Err(value(
                "number of cables",
                body.cables.into(),
                "at most half the global ports",
            ));
        }
        if u32::from(body.most_links) > df.ports_per_group() {
            return Err(value("most links per pair", body.most_links.into(), "at most a·h"));
        }
        let even = u64::from(body.even_links);
        if even != 0
            && (even * u64::from(pairs) != body.cables.into() || body.even_links != body.most_links)
        {
            return Err(value(
                "links of every pair",
                even,
                "cables / pairs, and the most links per pair",
            ));
        }

        let port_bits = width_for(df.ports_per_group() - 1);
        let link_bits = width_for(u32::from(body.most_links).saturating_sub(1));
        let group_bits = width_for(df.g() - 1);
        let offset = |rest: &[u8]| HEADER_LEN + payload.len() - rest.len();
        let start_count = if even == 0 { pairs + 1 } else { 0 };
        let starts_at = offset(rest);
        let (starts, rest) = PackedArray::take(
            rest,
            width_for(body.cables),
            start_count,
            "starts of pairs",
            starts_at,
        )?;
        let cables_at = offset(rest);
        let (cables, rest) =
            PackedArray::take(rest, 2 * port_bits, body.cables, "cables", cables_at)?;
        let ports_at = offset(rest);
        let (ports, rest) =
            PackedArray::take(rest, group_bits + link_bits, df.port_count(), "ports", ports_at)?;
        if !rest.is_empty() {
            return Err(ImageError::Trailing { offset: offset(rest), found: rest.len() });
        }

        let image = Self {
            dragonfly: df,
            identity,
            cable_count: body.cables,
            most_links: body.most_links.into(),
            even_links: body.even_links.into(),
            starts,
            cables,
            ports,
            port_bits,
            port_mask: (1 << port_bits) - 1,
            link_bits,
            link_mask: (1 << link_bits) - 1,
        };
        image.check_starts(starts_at)?;
        image.check_cables(cables_at)?;
        image.check_ports(ports_at)?;
        Ok(image)
    }

    /// Starts rise from 0 to the number of cables, and the fullest pair has `most_links`.
    fn check_starts(&self, base: usize) -> Result<(), ImageError> {
        if self.even_links != 0 {
            return Ok(());
        }
        let g = self.dragonfly.g();
        let pairs = g * (g - 1) / 2;
        let wrong = |pair, found: u32, accepted| ImageError::Value {
            what: "start of a pair's cables",
            offset: base + self.starts.byte_of(pair),
            found: found.into(),
            accepted,
        };
        let (mut before, mut most) = (0, 0);
        for pair in 0..=pairs {
            let start = self.starts.get(pair);
            if pair == 0 && start != 0 {
                return Err(wrong(pair, start, "0 for the first pair"));
            }
            if start < before {
                return Err(wrong(pair, start, "at least the start before it"));
            }
            most = most.max(start - before);
            before = start;
        }
        if before != self.cable_count {
            return Err(wrong(pairs, before, "the number of cables behind the last pair"));
        }
        if most != self.most_links {
            return Err(ImageError::Value {
                what: "most links per pair",
                offset: HEADER_LEN,
                found: self.most_links.into(),
                accepted: "the most that the starts give",
            });
        }
        Ok(())
    }

    /// Every cable joins ports that exist, and the cables of a pair are sorted.
    fn check_cables(&self, base: usize) -> Result<(), ImageError> {
        let df = &self.dragonfly;
        for low in df.groups() {
            for high in df.groups().skip(usize::from(low.0) + 1) {
                let Links { first: start, count, .. } = self.links(low, high);
                let mut before = None;
                for number in start..start + count {
                    let ends = self.cable(number);
                    let wrong = |accepted| ImageError::Value {
                        what: "cable",
                        offset: base + self.cables.byte_of(number),
                        found: self.cables.get(number).into(),
                        accepted,
                    };
                    if !df.has_global_port(ends.0) || !df.has_global_port(ends.1) {
                        return Err(wrong("two ports below a·h"));
                    }
                    if before >= Some(ends) {
                        return Err(wrong(
                            "a cable behind the one before it in the order of ports",
                        ));
                    }
                    before = Some(ends);
                }
            }
        }
        Ok(())
    }

    /// Every used port is the end of the cable that it names, and each cable's ends are used:
    /// each names a different end, so it is enough that there are as many.
    fn check_ports(&self, base: usize) -> Result<(), ImageError> {
        let df = &self.dragonfly;
        let mut used = 0;
        for group in df.groups() {
            for port in df.global_ports() {
                let number = self.port_number(End { group, port });
                let entry = self.ports.get(number);
                let (peer, k) = (entry >> self.link_bits, entry & self.link_mask);
                let wrong = |accepted| ImageError::Value {
                    what: "port",
                    offset: base + self.ports.byte_of(number),
                    found: entry.into(),
                    accepted,
                };
                if peer >= df.g() {
                    return Err(wrong("a peer group below g"));
                }
                if peer == u32::from(group.0) {
                    if k != 0 {
                        return Err(wrong("the own group and link 0 for an unused port"));
                    }
                    continue;
                }
                used += 1;
                #[expect(clippy::cast_possible_truncation, reason = "below g, checked above")]
                let peer = Group(peer as u16);
                if self.link(group, peer, k).is_none_or(|(from, _)| from != port) {
                    return Err(wrong("a cable that ends at this port"));
                }
            }
        }
        if used != 2 * self.cable_count {
            return Err(ImageError::Value {
                what: "number of used ports",
                offset: base,
                found: used.into(),
                accepted: "two for each cable",
            });
        }
        Ok(())
    }

    /// The sizes.
    #[inline]
    pub const fn dragonfly(&self) -> &Dragonfly {
        &self.dragonfly
    }

    /// The fabric's identity: switch images carry it too.
    #[inline]
    pub const fn identity(&self) -> u64 {
        self.identity
    }

    /// All cables of the fabric.
    #[inline]
    pub const fn cable_count(&self) -> u32 {
        self.cable_count
    }

    /// The most links that a pair of groups has.
    #[inline]
    pub const fn most_links(&self) -> u32 {
        self.most_links
    }

    /// The links from one group to another: none unless they are two groups that exist.
    #[inline]
    pub fn links(&self, from: Group, to: Group) -> Links {
        let forward = from < to;
        let (low, high) = if forward { (from, to) } else { (to, from) };
        if low == high || !self.dragonfly.has_group(high) {
            return Links { first: 0, count: 0, forward };
        }
        self.links_between(from, to)
    }

    /// As [`Self::links`], for two different groups that exist: for who knows that they do. For
    /// others the answer means nothing.
    // On a switch's small machine flash counts for more than the call.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn links_between(&self, from: Group, to: Group) -> Links {
        let forward = from < to;
        let (low, high) = if forward { (from, to) } else { (to, from) };
        let (low, high) = (u32::from(low.0), u32::from(high.0));
        // The pairs of lower groups, and those with higher ones that come first in this one's row.
        let before = low.wrapping_mul((2 * self.dragonfly.g()).wrapping_sub(low + 3)) >> 1;
        let pair = before.wrapping_add(high).wrapping_sub(1);
        let (first, count) = if self.even_links != 0 {
            (pair.wrapping_mul(self.even_links), self.even_links)
        } else {
            let first = self.starts.get(pair);
            (first, self.starts.get(pair.wrapping_add(1)).wrapping_sub(first))
        };
        Links { first, count, forward }
    }

    /// The k-th of the links between two groups: the port by which it leaves and the port at
    /// which it arrives. Both directions of a cable have the same k.
    #[inline]
    pub fn nth(&self, links: Links, k: u32) -> Option<(GlobalPort, GlobalPort)> {
        if k < links.count { Some(self.ends(links, k)) } else { None }
    }

    /// As [`Self::nth`], for who knows that there is a k-th. For others the answer means nothing.
    // On a switch's small machine flash counts for more than the call.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn ends(&self, links: Links, k: u32) -> (GlobalPort, GlobalPort) {
        let (low, high) = self.cable(links.first.wrapping_add(k));
        if links.forward { (low, high) } else { (high, low) }
    }

    /// How many links lead from one group to another: 0 unless they are two groups that exist.
    #[inline]
    pub fn link_count(&self, from: Group, to: Group) -> u32 {
        self.links(from, to).count
    }

    /// The k-th link from one group to another, as [`Self::nth`] has it.
    #[inline]
    pub fn link(&self, from: Group, to: Group, k: u32) -> Option<(GlobalPort, GlobalPort)> {
        self.nth(self.links(from, to), k)
    }

    /// The group to which a port's cable leads, and which of the links to it the cable is; `None`
    /// for a port that is unused or does not exist.
    #[inline]
    pub fn port_link(&self, end: End) -> Option<(Group, u32)> {
        if !self.dragonfly.has_group(end.group) || !self.dragonfly.has_global_port(end.port) {
            return None;
        }
        self.link_behind(end)
    }

    /// As [`Self::port_link`], for who knows that the port exists. For others the answer means
    /// nothing.
    // On a switch's small machine flash counts for more than the call.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn link_behind(&self, end: End) -> Option<(Group, u32)> {
        let entry = self.ports.get(self.port_number(end));
        #[expect(clippy::cast_possible_truncation, reason = "decode checked that it is below g")]
        let peer = Group((entry >> self.link_bits) as u16);
        (peer != end.group).then_some((peer, entry & self.link_mask))
    }

    /// The other end of a port's cable.
    #[inline]
    pub fn peer(&self, end: End) -> Option<End> {
        let (group, k) = self.port_link(end)?;
        let (_, port) = self.link(end.group, group, k)?;
        Some(End { group, port })
    }

    /// Bytes of the wiring sections, for reports.
    pub const fn wiring_len(&self) -> usize {
        self.starts.len() + self.cables.len() + self.ports.len()
    }

    #[inline]
    const fn port_number(&self, end: End) -> u32 {
        end.group.0 as u32 * self.dragonfly.ports_per_group() + end.port.0 as u32
    }

    #[inline]
    fn cable(&self, number: u32) -> (GlobalPort, GlobalPort) {
        let entry = self.cables.get(number);
        #[expect(clippy::cast_possible_truncation, reason = "a port has at most 12 bits")]
        let port = |bits: u32| GlobalPort(bits as u16);
        (port(entry & self.port_mask), port(entry >> self.port_bits))
    }
}

/// Writes a fabric image. `cables` is a wiring: ends that exist, two groups to a cable, no port
/// twice. Its order does not matter: the same wiring gives the same bytes.
///
/// # Panics
/// If `cables` is not a wiring.
#[cfg(feature = "alloc")]
pub fn encode_fabric_image(df: &Dragonfly, cables: &[(End, End)]) -> alloc::vec::Vec<u8> {
    use alloc::vec::Vec;

    let mut cables: Vec<(End, End)> =
        cables.iter().map(|&(one, other)| (one.min(other), one.max(other))).collect();
    cables.sort_unstable_by_key(|&(low, high)| (low.group, high.group, low.port, high.port));

    let mut starts = Vec::new();
    let mut ports: Vec<(u32, u32)> = df
        .groups()
        .flat_map(|group| df.global_ports().map(move |_| (u32::from(group.0), 0)))
        .collect();
    let number = |end: End| {
        usize::from(end.group.0) * df.ports_per_group() as usize + usize::from(end.port.0)
    };
    let count = |cables: usize| {
        u32::try_from(cables).expect("at most half the ports, which are below 2^24")
    };
    let mut at = 0;
    let (mut least, mut most) = (u32::MAX, 0);
    for low in df.groups() {
        for high in df.groups().skip(usize::from(low.0) + 1) {
            starts.push(count(at));
            let of_pair =
                cables[at..].iter().take_while(|(l, h)| (l.group, h.group) == (low, high));
            let mut k = 0;
            for &(l, h) in of_pair {
                ports[number(l)] = (high.0.into(), k);
                ports[number(h)] = (low.0.into(), k);
                k += 1;
                at += 1;
            }
            (least, most) = (least.min(k), most.max(k));
        }
    }
    starts.push(count(at));
    assert_eq!(at, cables.len(), "every cable joins two groups of the Dragonfly");

    let short =
        |size: u32| u16::try_from(size).expect("the limits of a Dragonfly keep it below 2^16");
    let even = least == most && most > 0;
    let body = Body {
        p: short(df.p()),
        a: short(df.a()),
        h: short(df.h()),
        g: short(df.g()),
        cables: count(cables.len()),
        most_links: short(most),
        even_links: if even { short(most) } else { 0 },
    };
    let mut payload =
        postcard::to_extend(&body, Vec::new()).expect("plain numbers into a vector that grows");
    if !even {
        crate::packed::append(&mut payload, width_for(body.cables), starts);
    }
    let port_bits = width_for(df.ports_per_group() - 1);
    let entries =
        cables.iter().map(|(l, h)| u32::from(l.port.0) | u32::from(h.port.0) << port_bits);
    crate::packed::append(&mut payload, 2 * port_bits, entries);
    let link_bits = width_for(most.saturating_sub(1));
    let entries = ports.iter().map(|&(group, k)| group << link_bits | k);
    crate::packed::append(&mut payload, width_for(df.g() - 1) + link_bits, entries);

    let bytes = frame::close(ImageKind::Fabric, frame::identity_of(&payload), &payload);
    assert!(FabricImage::decode(&bytes).is_ok(), "the cables are a wiring");
    bytes
}
