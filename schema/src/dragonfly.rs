//! The Dragonfly's four sizes and the index arithmetic that follows from them.
//!
//! A [`Dragonfly`] that exists is within [`limits`], so no product of its sizes overflows and
//! every identifier fits its type.

use crate::{GlobalPort, GroupId, NodeId, Port, SwitchId, SwitchIndex};
use core::num::NonZeroU32;

/// The largest Dragonfly that the images and the packet header can express.
///
/// They follow from the 64-bit packet header (12 bits for a global port of a group, 8 for an
/// index in a group, 16 for a switch, 8 for a terminal). The largest balanced Dragonfly of
/// 64-port switches (16, 32, 16, 513) is well within them.
pub mod limits {
    /// Nodes per switch, p.
    pub const NODES_PER_SWITCH: u32 = 256;
    /// Switches per group, a.
    pub const SWITCHES_PER_GROUP: u32 = 256;
    /// Global ports per group, a·h.
    pub const PORTS_PER_GROUP: u32 = 4096;
    /// Switches, a·g.
    pub const SWITCHES: u32 = 65_536;
    /// Global ports, a·h·g.
    pub const PORTS: u32 = 1 << 24;
}

/// dfly(p, a, h, g): p nodes per switch, a switches per group, h global ports per switch, g groups.
///
/// # Example
/// ```
/// use tvlb_schema::{Dragonfly, GroupId, SwitchIndex, NodeId, SwitchId};
///
/// let df = Dragonfly::new(4, 8, 4, 9)?;
/// assert_eq!((df.switch_count(), df.node_count(), df.radix()), (72, 288, 15));
/// assert_eq!(df.place(SwitchId(10)), (GroupId(1), SwitchIndex(2)));
/// assert_eq!(df.switch_of(NodeId(42)), (SwitchId(10), 2));
///
/// // A group has 32 global ports, so it cannot reach 33 others.
/// let error = Dragonfly::new(4, 8, 4, 34).unwrap_err();
/// assert!(error.to_string().contains("g must be at most 33"));
/// # Ok::<(), tvlb_schema::DragonflyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dragonfly {
    p: u16,
    a: u16,
    h: u16,
    g: u16,
    // What follows from the four, so that a switch finds it instead of computing it per packet.
    /// a·h.
    ports_per_group: u32,
    /// a·g.
    switch_count: u32,
    /// p·a·g.
    node_count: u32,
    /// p + a − 1: the first global port of a switch.
    first_slot: u16,
    /// ⌈2²⁴ / h⌉: turns the division of a global port by h into a multiplication.
    h_reciprocal: u32,
    /// ⌈2²⁴ / a⌉: the same for a switch number and a.
    a_reciprocal: u32,
    /// ⌈2³² / p⌉: the same for a node number and p.
    p_reciprocal: u64,
}

/// Why four sizes are not a Dragonfly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DragonflyError {
    /// One size is outside its range.
    #[error("{name} = {found}, but {name} must be {least} to {most}")]
    Size {
        /// Which of p, a, h, g, or which product of them.
        name: &'static str,
        /// Its value.
        found: u64,
        /// The least that is accepted.
        least: u32,
        /// The most that is accepted.
        most: u32,
    },
    /// More groups than one group has global ports for.
    #[error(
        "g = {g}, but each group has only a·h = {ports} global ports, so g must be at most {}",
        ports + 1
    )]
    TooManyGroups {
        /// The number of groups.
        g: u32,
        /// The number of global ports of a group.
        ports: u32,
    },
}

/// Which size or product of sizes is out of range: its number in [`SizeFault::NAMES`], or that of
/// too many groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SizeFault(u8);

impl SizeFault {
    const NAMES: [&'static str; 7] = ["p", "a", "h", "g", "a·h", "a·g", "a·h·g"];
    const MOST: [u32; 7] = [
        limits::NODES_PER_SWITCH,
        limits::SWITCHES_PER_GROUP,
        limits::PORTS_PER_GROUP,
        limits::PORTS_PER_GROUP + 1,
        limits::PORTS_PER_GROUP,
        limits::SWITCHES,
        limits::PORTS,
    ];
    const G: u8 = 3;
    const TOO_MANY_GROUPS: u8 = 7;
}

impl DragonflyError {
    /// In words, for the four sizes in which it was found.
    pub(crate) fn of(fault: SizeFault, sizes @ [_, a, h, g]: [u32; 4]) -> Self {
        let number = usize::from(fault.0);
        let (Some(&name), Some(&most)) =
            (SizeFault::NAMES.get(number), SizeFault::MOST.get(number))
        else {
            return Self::TooManyGroups { g, ports: a.saturating_mul(h) };
        };
        let product = |sizes: [u32; 3]| sizes.map(u64::from).iter().product();
        let found = match fault.0 {
            4 => product([a, h, 1]),
            5 => product([a, g, 1]),
            6 => product([a, h, g]),
            _ => sizes.get(number).copied().unwrap_or(0).into(),
        };
        let least = if fault.0 == SizeFault::G { 2 } else { 1 };
        Self::Size { name, found, least, most }
    }
}

impl Dragonfly {
    /// Checks the four sizes against [`limits`] and g ≤ a·h + 1.
    ///
    /// # Errors
    /// The first size, or product of sizes, that is out of range.
    pub fn new(p: u32, a: u32, h: u32, g: u32) -> Result<Self, DragonflyError> {
        let (mut df, sizes) = (Self::NONE, [p, a, h, g]);
        match df.resize(sizes) {
            Ok(()) => Ok(df),
            Err(fault) => Err(DragonflyError::of(fault, sizes)),
        }
    }

    /// No Dragonfly yet.
    pub(crate) const NONE: Self = Self {
        p: 0,
        a: 0,
        h: 0,
        g: 0,
        ports_per_group: 0,
        switch_count: 0,
        node_count: 0,
        first_slot: 0,
        h_reciprocal: 0,
        a_reciprocal: 0,
        p_reciprocal: 0,
    };

    /// Takes these sizes if [`Self::new`] accepts them; otherwise returns a compact code for the
    /// size that is out of range, which [`DragonflyError::of`] puts into words.
    #[inline]
    pub(crate) fn resize(&mut self, [p, a, h, g]: [u32; 4]) -> Result<(), SizeFault> {
        let ports = a.saturating_mul(h);
        let sizes = [p, a, h, g, ports, a.saturating_mul(g), ports.saturating_mul(g)];
        for (number, (&size, &most)) in (0_u8..).zip(sizes.iter().zip(&SizeFault::MOST)) {
            // One group alone has nowhere to send to.
            let least = if number == SizeFault::G { 2 } else { 1 };
            if size < least || size > most {
                return Err(SizeFault(number));
            }
        }
        if g > ports + 1 {
            return Err(SizeFault(SizeFault::TOO_MANY_GROUPS));
        }
        *self = Self {
            p: low_u16(p),
            a: low_u16(a),
            h: low_u16(h),
            g: low_u16(g),
            ports_per_group: ports,
            switch_count: a * g,
            node_count: p * a * g,
            first_slot: low_u16(p + a - 1),
            h_reciprocal: quotient((1 << 24) - 1, h) + 1,
            a_reciprocal: quotient((1 << 24) - 1, a) + 1,
            // ⌈2³² / p⌉ without a 64-bit division, which small machines have to be taught.
            p_reciprocal: u64::from(quotient(u32::MAX, p)) + 1,
        };
        Ok(())
    }

    /// Nodes per switch.
    #[inline]
    pub const fn p(&self) -> u32 {
        self.p as u32
    }

    /// Switches per group.
    #[inline]
    pub const fn a(&self) -> u32 {
        self.a as u32
    }

    /// Global ports per switch.
    #[inline]
    pub const fn h(&self) -> u32 {
        self.h as u32
    }

    /// Groups.
    #[inline]
    pub const fn g(&self) -> u32 {
        self.g as u32
    }

    /// Global ports per group, a·h.
    #[inline]
    pub const fn ports_per_group(&self) -> u32 {
        self.ports_per_group
    }

    /// Switches of the fabric, a·g.
    #[inline]
    pub const fn switch_count(&self) -> u32 {
        self.switch_count
    }

    /// Nodes of the fabric, p·a·g.
    #[inline]
    pub const fn node_count(&self) -> u32 {
        self.node_count
    }

    /// Global ports of the fabric, a·h·g.
    #[inline]
    pub const fn port_count(&self) -> u32 {
        self.ports_per_group() * self.g()
    }

    /// Physical ports per switch: p + (a − 1) + h.
    #[inline]
    pub const fn radix(&self) -> u32 {
        self.p() + self.a() - 1 + self.h()
    }

    /// All groups, in order.
    pub fn groups(&self) -> impl Iterator<Item = GroupId> + use<> {
        (0..self.g).map(GroupId)
    }

    /// All switches, in order.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> + use<> {
        (0..self.switch_count()).map(|s| SwitchId(low_u16(s)))
    }

    /// All indices of a group, in order.
    pub fn indices(&self) -> impl Iterator<Item = SwitchIndex> + use<> {
        (0..self.a()).map(|i| SwitchIndex(low_u8(i)))
    }

    /// All global ports of a group, in order.
    pub fn global_ports(&self) -> impl Iterator<Item = GlobalPort> + use<> {
        (0..self.ports_per_group()).map(|q| GlobalPort(low_u16(q)))
    }

    /// Whether the group exists.
    #[inline]
    pub const fn has_group(&self, group: GroupId) -> bool {
        group.0 < self.g
    }

    /// Whether the switch exists.
    #[inline]
    pub const fn has_switch(&self, switch: SwitchId) -> bool {
        (switch.0 as u32) < self.switch_count()
    }

    /// Whether the node exists.
    #[inline]
    pub const fn has_node(&self, node: NodeId) -> bool {
        node.0 < self.node_count()
    }

    /// Whether a group has this global port.
    #[inline]
    pub const fn has_global_port(&self, port: GlobalPort) -> bool {
        (port.0 as u32) < self.ports_per_group()
    }

    /// The switch with this index in this group.
    #[inline]
    pub const fn switch(&self, group: GroupId, index: SwitchIndex) -> SwitchId {
        SwitchId(low_u16(group.0 as u32 * self.a() + index.0 as u32))
    }

    /// The group of a switch and the switch's index in it.
    #[inline]
    pub const fn place(&self, switch: SwitchId) -> (GroupId, SwitchIndex) {
        // Exact by the argument in `split_port`: switch·e < 2¹⁶·2⁸.
        let group = divided(switch.0, self.a_reciprocal);
        let index = (switch.0 as u32).wrapping_sub(group.wrapping_mul(self.a()));
        (GroupId(low_u16(group)), SwitchIndex(low_u8(index)))
    }

    /// The switch of a node that exists and the node's terminal on it, 0 to p − 1.
    #[inline]
    pub const fn switch_of(&self, node: NodeId) -> (SwitchId, u8) {
        // Exact by the argument in `split_port` for every node that exists: node·e < 2²⁴·2⁸.
        let switch = ((node.0 as u64 * self.p_reciprocal) >> 32) as u32;
        let terminal = node.0.wrapping_sub(switch.wrapping_mul(self.p()));
        (SwitchId(low_u16(switch)), low_u8(terminal))
    }

    /// The node on a terminal of a switch.
    #[inline]
    pub const fn node(&self, switch: SwitchId, terminal: u8) -> NodeId {
        NodeId(switch.0 as u32 * self.p() + terminal as u32)
    }

    /// The index of the switch that a group's global port is on, and its slot there, 0 to h − 1.
    #[inline]
    pub const fn split_port(&self, port: GlobalPort) -> (SwitchIndex, u16) {
        // Exact: with e = h·reciprocal − 2²⁴ < h, the product exceeds port·2²⁴ / h by port·e / h,
        // and port·e < 2¹²·2¹², too little to reach the next multiple. The test tries them all.
        let index = divided(port.0, self.h_reciprocal);
        let slot = (port.0 as u32).wrapping_sub(index.wrapping_mul(self.h()));
        (SwitchIndex(low_u8(index)), low_u16(slot))
    }

    /// The global port of a group that is slot `slot` of the switch with this index.
    #[inline]
    pub const fn global_port(&self, index: SwitchIndex, slot: u16) -> GlobalPort {
        GlobalPort(low_u16(index.0 as u32 * self.h() + slot as u32))
    }

    /// The physical port that leads to a terminal.
    #[inline]
    pub const fn terminal_port(&self, terminal: u8) -> Port {
        Port(terminal as u16)
    }

    /// The physical port of switch `from` that leads to switch `to` of the same group;
    /// meaningless where they are equal.
    #[inline]
    pub const fn local_port(&self, from: SwitchIndex, to: SwitchIndex) -> Port {
        let rank = if to.0 > from.0 { to.0 as u32 - 1 } else { to.0 as u32 };
        Port(low_u16(self.p() + rank))
    }

    /// Whether a physical port is a global one.
    #[inline]
    pub const fn is_slot(&self, port: Port) -> bool {
        port.0 >= self.first_slot
    }

    /// The physical port of a switch that is its global slot `slot`.
    #[inline]
    pub const fn slot_port(&self, slot: u16) -> Port {
        Port(self.first_slot.wrapping_add(slot))
    }
}

/// ⌊of / n⌋, and 0 if n is 0. No caller passes 0, but the optimiser cannot prove that, and a plain
/// division would bring a check and a panic.
fn quotient(of: u32, n: u32) -> u32 {
    NonZeroU32::new(n).map_or(0, |n| of / n)
}

/// ⌊n·reciprocal / 2²⁴⌋.
#[inline]
const fn divided(n: u16, reciprocal: u32) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "at most n, since a reciprocal is ≤ 2²⁴")]
    let quotient = ((n as u64 * reciprocal as u64) >> 24) as u32;
    quotient
}

/// The low 16 bits. Every caller's value fits by the limits.
#[inline]
const fn low_u16(value: u32) -> u16 {
    (value & 0xffff) as u16
}

/// The low 8 bits. Every caller's value fits by the limits.
#[inline]
const fn low_u8(value: u32) -> u8 {
    (value & 0xff) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn sizes_out_of_range_are_named() {
        let text = |p, a, h, g| Dragonfly::new(p, a, h, g).unwrap_err().to_string();
        assert_eq!(text(0, 4, 2, 9), "p = 0, but p must be 1 to 256");
        assert_eq!(text(2, 0, 2, 9), "a = 0, but a must be 1 to 256");
        assert_eq!(text(2, 4, 0, 9), "h = 0, but h must be 1 to 4096");
        assert_eq!(text(2, 4, 2, 1), "g = 1, but g must be 2 to 4097");
        assert_eq!(
            text(2, 4, 2, 10),
            "g = 10, but each group has only a·h = 8 global ports, so g must be at most 9"
        );
        assert_eq!(text(2, 256, 17, 9), "a·h = 4352, but a·h must be 1 to 4096");
        assert_eq!(text(2, 64, 32, 2049), "a·g = 131136, but a·g must be 1 to 65536");
        assert_eq!(text(2, u32::MAX, 1, 2), "a = 4294967295, but a must be 1 to 256");
        assert_eq!(text(2, 1, 4096, 4097), "a·h·g = 16781312, but a·h·g must be 1 to 16777216");
        assert_eq!(text(2, 4, u32::MAX, u32::MAX), "h = 4294967295, but h must be 1 to 4096");
    }

    #[test]
    fn splitting_a_port_is_division_for_every_h() {
        for h in 1..=4096_u32 {
            let a = (4096 / h).clamp(1, 256);
            let df = Dragonfly::new(1, a, h, 2).unwrap();
            for port in 0..a * h {
                let (index, slot) = df.split_port(GlobalPort(low_u16(port)));
                assert_eq!((u32::from(index.0), u32::from(slot)), (port / h, port % h), "h = {h}");
            }
        }
    }

    #[test]
    fn placing_a_switch_is_division_for_every_a() {
        for a in 1..=256_u32 {
            let h = 4096 / a;
            let g = (65_536 / a).min(4097).min((1 << 24) / (a * h)).min(a * h + 1);
            let df = Dragonfly::new(1, a, h, g).unwrap();
            for s in df.switches() {
                let (group, index) = df.place(s);
                assert_eq!(
                    (u32::from(group.0), u32::from(index.0)),
                    (u32::from(s.0) / a, u32::from(s.0) % a)
                );
                assert_eq!(df.switch(group, index), s);
            }
        }
    }

    #[test]
    fn a_node_lies_where_division_says_for_every_p() {
        for p in 1..=256_u32 {
            let df = Dragonfly::new(p, 16, 256, 4096).unwrap();
            // The nodes around every 251st multiple of p, and the last ones.
            let around = (0..df.switch_count()).step_by(251).chain([df.switch_count() - 1]);
            for node in around.flat_map(|s| [s * p, s * p + p / 2, s * p + p - 1]) {
                let (switch, terminal) = df.switch_of(NodeId(node));
                assert_eq!((u32::from(switch.0), u32::from(terminal)), (node / p, node % p));
            }
        }
    }

    #[test]
    fn ports_of_a_switch_are_numbered_without_gap() {
        let df = Dragonfly::new(2, 4, 3, 9).unwrap();
        for from in df.indices() {
            let mut ports: std::vec::Vec<u16> = (0..2).map(|k| df.terminal_port(k).0).collect();
            ports.extend(df.indices().filter(|&to| to != from).map(|to| df.local_port(from, to).0));
            ports.extend((0..3).map(|slot| df.slot_port(slot).0));
            assert_eq!(
                ports,
                (0..u16::try_from(df.radix()).unwrap()).collect::<std::vec::Vec<_>>()
            );
        }
    }
}
