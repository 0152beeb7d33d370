//! The Dragonfly's sizes and the index arithmetic that follows from them.
//!
//! Every [`Dragonfly`] is within [`limits`], so no product of its sizes overflows and every identifier fits its type.
//!
//! # Groups of several kinds
//! The groups of a machine may differ: those of one [`GroupKind`] are alike, and are numbered consecutively. All
//! numbers are still products and sums of p, a, h and g, which then are the most that any kind has: switch group·a +
//! index, node switch·p + terminal, port index·h + slot. So a smaller group leaves *gaps*: numbers without a switch,
//! node or port. To count, use [`Dragonfly::switch_count`]; to size an array, [`Dragonfly::switch_numbers`]. Gaps cost
//! a few bytes; numbers without gaps would cost every packet a search for its group.
//!
//! The groups of a kind without switches are *absent*: a machine had them once, and later groups keep their numbers. An
//! absent group has no switch, node or port, and no cable leads to it.
//!
//! # Physical ports
//! A switch's ports are numbered consecutively: p terminals, the local ports, h global slots. The local ports come in
//! rounds: first one to each other switch of the group by rising index, then a second to each if the kind has more
//! [links](GroupKind::local_links) between two switches, and so on.

use crate::{ANY_FABRIC, GlobalPort, GroupId, NodeId, Port, SwitchId, SwitchIndex};
use core::fmt;
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
    /// Kinds of groups that are not absent.
    pub const KINDS: usize = 8;
    /// Runs of consecutive groups that are alike, including absent groups.
    pub const RUNS: usize = 24;
    /// Links between two switches of a group.
    pub const LOCAL_LINKS: u32 = 64;
}

/// Consecutive groups that are alike: dfly(p, a, h, …) of g groups. If a is 0 they are absent, and p and h are 0 too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "alloc",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub struct GroupKind {
    /// Nodes per switch, 0 to [`limits::NODES_PER_SWITCH`].
    pub p: u16,
    /// Switches per group, at most [`limits::SWITCHES_PER_GROUP`].
    pub a: u16,
    /// Global ports per switch, at least 1 if there are switches.
    pub h: u16,
    /// Groups of this kind, at least 1.
    pub g: u16,
    /// The most links that join two switches of such a group, 1 to [`limits::LOCAL_LINKS`]; 1 if a is 1 or 0.
    #[cfg_attr(feature = "alloc", serde(default = "one"))]
    pub local_links: u16,
}

#[cfg(feature = "alloc")]
const fn one() -> u16 {
    1
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
    // Derived from the four, so that a switch need not compute it per packet.
    /// a·h.
    ports_per_group: u32,
    /// a·g.
    switch_count: u32,
    /// p·a·g.
    node_count: u32,
    /// The first global port of a switch: terminals and local ports come before it.
    first_slot: u16,
    /// ⌈2²⁴ / h⌉: turns the division of a global port by h into a multiplication.
    h_reciprocal: u32,
    /// ⌈2²⁴ / a⌉: the same for a switch number and a.
    a_reciprocal: u32,
    /// ⌈2³² / p⌉: the same for a node number and p.
    p_reciprocal: u64,
    /// All groups are of one kind.
    even: bool,
    /// The kinds, followed by entries without sizes.
    kinds: [GroupSizes; limits::KINDS],
    run_count: u8,
    runs: [GroupRun; limits::RUNS],
}

/// The sizes of a group of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct GroupSizes {
    p: u16,
    a: u16,
    h: u16,
    local_links: u16,
}

/// Consecutive groups that are alike: four bits hold the index of their kind among the kinds, [`GroupRun::ABSENT`] if
/// they are absent, and twelve how many there are besides the first. If there is a second run, none has more groups
/// than that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct GroupRun(u16);

impl GroupRun {
    const ABSENT: u16 = 15;

    const fn new(kind: u16, g: u16) -> Self {
        Self(kind << 12 | g.wrapping_sub(1) & 0xfff)
    }

    const fn kind(self) -> usize {
        (self.0 >> 12) as usize
    }

    const fn g(self) -> u16 {
        (self.0 & 0xfff) + 1
    }
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
    /// More kinds of groups than an image can hold, or none.
    #[error("found {found} kinds of groups, but there must be 1 to {}", limits::KINDS)]
    Kinds {
        /// How many there are.
        found: usize,
    },
    /// More runs of groups that are alike than an image can hold.
    #[error(
        "found {found} runs of groups that are alike, absent groups among them, but there must be at most {}",
        limits::RUNS
    )]
    Runs {
        /// How many there are.
        found: usize,
    },
    /// A size of one kind is outside its range.
    #[error("kind {kind} of groups: {name} = {found}, but {name} must be {least} to {most}")]
    KindSize {
        /// Which kind, from 0.
        kind: usize,
        /// Which of p, a, h, g.
        name: &'static str,
        /// Its value.
        found: u32,
        /// The least that is accepted.
        least: u32,
        /// The most that is accepted.
        most: u32,
    },
    /// No kind of group has nodes.
    #[error("p = 0 for every kind of groups, but some switch must have nodes")]
    NoNodes,
    /// Fewer than two groups have switches.
    #[error(
        "groups with switches: {found}, but there must be at least 2; kinds with a = 0 are of absent groups"
    )]
    Absent {
        /// How many do.
        found: u32,
    },
}

/// Which size or product of sizes is out of range: its number in [`SizeFault::NAMES`], or the code for too many groups.
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

impl GroupKind {
    const NONE: Self = Self { p: 0, a: 0, h: 0, g: 0, local_links: 0 };

    /// g groups of a switches, each with p nodes and h global ports, any two joined by one link.
    pub const fn new(p: u16, a: u16, h: u16, g: u16) -> Self {
        Self { p, a, h, g, local_links: 1 }
    }

    /// g groups that are absent.
    pub const fn absent(g: u16) -> Self {
        Self::new(0, 0, 0, g)
    }

    /// Whether its groups are absent.
    pub const fn is_absent(self) -> bool {
        self.a == 0
    }

    /// The same groups, with this many links between every two switches.
    #[must_use]
    pub const fn with_local_links(self, local_links: u16) -> Self {
        Self { local_links, ..self }
    }

    /// The most links that two switches of a group can share.
    const fn most_local_links(self) -> u32 {
        if self.a <= 1 { 1 } else { limits::LOCAL_LINKS }
    }

    /// Whether its sizes are consistent, each of them within 16 bits.
    fn is_sound(self) -> bool {
        let links = u32::from(self.local_links);
        // Nodes and global ports are on switches.
        let has_ports = if self.is_absent() { self.p.max(self.h) == 0 } else { self.h > 0 };
        has_ports && self.g > 0 && links > 0 && links <= self.most_local_links()
    }

    /// The local ports of each of its switches.
    const fn local_ports(self) -> u32 {
        self.local_links as u32 * (self.a as u32).saturating_sub(1)
    }

    /// Checks that each size is within its range; `number` is the index of the kind, for the error.
    fn check(self, kind: usize) -> Result<(), DragonflyError> {
        let range = |name, found: u16, least, most| {
            let found = u32::from(found);
            let is_within = least <= found && found <= most;
            let wrong = DragonflyError::KindSize { kind, name, found, least, most };
            if is_within { Ok(()) } else { Err(wrong) }
        };
        let of_present = |least, most| if self.is_absent() { (0, 0) } else { (least, most) };
        let (least, most) = of_present(0, limits::NODES_PER_SWITCH);
        range("p", self.p, least, most)?;
        range("a", self.a, 0, limits::SWITCHES_PER_GROUP)?;
        let (least, most) = of_present(1, limits::PORTS_PER_GROUP);
        range("h", self.h, least, most)?;
        range("g", self.g, 1, limits::PORTS_PER_GROUP + 1)?;
        range("local links", self.local_links, 1, self.most_local_links())
    }

    /// "dfly(2, 4, 2, 9)": p, a, h and g; or, if there are kinds, "dfly(2, 4, 2, 8) + (1, 2, 2, 1)", and absent groups
    /// as "(absent, 1)".
    pub fn in_words(sizes: [u32; 4], kinds: &[Self]) -> impl fmt::Display {
        Self::words(sizes, kinds.iter().copied())
    }

    fn words(
        [p, a, h, g]: [u32; 4],
        kinds: impl ExactSizeIterator<Item = Self> + Clone,
    ) -> impl fmt::Display {
        fmt::from_fn(move |f| {
            let kinds = kinds.clone();
            if kinds.len() == 0 {
                return write!(f, "dfly({p}, {a}, {h}, {g})");
            }
            for (number, kind) in kinds.enumerate() {
                let before = if number == 0 { "dfly" } else { " + " };
                match kind {
                    Self { a: 0, g, .. } => write!(f, "{before}(absent, {g})")?,
                    Self { p, a, h, g, .. } => write!(f, "{before}({p}, {a}, {h}, {g})")?,
                }
            }
            Ok(())
        })
    }

    const fn sizes(self) -> GroupSizes {
        GroupSizes { p: self.p, a: self.a, h: self.h, local_links: self.local_links }
    }

    /// Whether groups of the two kinds are alike, however many there are.
    fn is_like(self, other: Self) -> bool {
        self.sizes() == other.sizes()
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
        even: true,
        kinds: [GroupSizes { p: 0, a: 0, h: 0, local_links: 0 }; limits::KINDS],
        run_count: 0,
        runs: [GroupRun(0); limits::RUNS],
    };

    /// Takes these sizes if [`Self::new`] accepts them; otherwise returns a compact code for the size that is out of
    /// range, which [`DragonflyError::of`] puts into words.
    #[inline]
    pub(crate) fn resize(&mut self, [p, a, h, g]: [u32; 4]) -> Result<(), SizeFault> {
        let ports = a.saturating_mul(h);
        let sizes = [p, a, h, g, ports, a.saturating_mul(g), ports.saturating_mul(g)];
        for (number, (&size, &most)) in (0_u8..).zip(sizes.iter().zip(&SizeFault::MOST)) {
            // A single group has nowhere to send to.
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
            // ⌈2³² / p⌉ without a 64-bit division, which small machines do not have.
            p_reciprocal: u64::from(quotient(u32::MAX, p)) + 1,
            even: true,
            kinds: Self::NONE.kinds,
            run_count: 1,
            runs: Self::NONE.runs,
        };
        let ([kind, ..], [run, ..]) = (&mut self.kinds, &mut self.runs);
        *kind = GroupKind::new(self.p, self.a, self.h, self.g).sizes();
        *run = GroupRun::new(0, self.g);
        Ok(())
    }

    /// A Dragonfly of groups of these kinds, numbered in this order. Adjacent kinds that are alike become one.
    ///
    /// # Errors
    /// No kinds or too many, a size that is out of range, or sizes that [`Self::new`] refuses for groups with the most
    /// that any has.
    ///
    /// # Example
    /// ```
    /// use tvlb_schema::{Dragonfly, GroupId, GroupKind, SwitchId};
    ///
    /// // Three groups of four switches, and one of two switches that have no nodes.
    /// let large = GroupKind::new(2, 4, 2, 3);
    /// let small = GroupKind::new(0, 2, 2, 1);
    /// let df = Dragonfly::of_kinds(&[large, small])?;
    /// assert_eq!((df.g(), df.switch_count(), df.node_count()), (4, 14, 24));
    /// // The numbers of a fourth large group's other two switches are not given.
    /// assert_eq!((df.switch_numbers(), df.has_switch(SwitchId(14))), (16, false));
    /// assert_eq!(df.switches_of(GroupId(3)), 2);
    /// # Ok::<(), tvlb_schema::DragonflyError>(())
    /// ```
    pub fn of_kinds(kinds: &[GroupKind]) -> Result<Self, DragonflyError> {
        let mut runs = [GroupKind::default(); limits::RUNS];
        let mut count = 0;
        let mut sizes = [0; 4];
        for (number, kind) in kinds.iter().enumerate() {
            kind.check(number)?;
            let [p, a, h, g] = &mut sizes;
            (*p, *a, *h) =
                ((*p).max(kind.p.into()), (*a).max(kind.a.into()), (*h).max(kind.h.into()));
            *g += u32::from(kind.g);
            match runs.get_mut(..count).and_then(<[_]>::last_mut) {
                Some(last) if last.is_like(*kind) => last.g = last.g.saturating_add(kind.g),
                _ => match runs.get_mut(count) {
                    Some(next) => (*next, count) = (*kind, count + 1),
                    None => return Err(DragonflyError::Runs { found: kinds.len() }),
                },
            }
        }
        if count == 0 {
            return Err(DragonflyError::Kinds { found: 0 });
        }
        if sizes.first() == Some(&0) {
            return Err(DragonflyError::NoNodes);
        }
        let present =
            kinds.iter().filter(|kind| !kind.is_absent()).map(|kind| u32::from(kind.g)).sum();
        if present < 2 && sizes.last() > Some(&present) {
            return Err(DragonflyError::Absent { found: present });
        }
        let mut df = Self::NONE;
        df.resize(sizes).map_err(|fault| DragonflyError::of(fault, sizes))?;
        let mut rest = runs.iter();
        let kinds_of = |runs: &[GroupKind]| {
            let is_first = |&number: &usize| {
                !runs[number].is_absent()
                    && runs[..number].iter().all(|known| !known.is_like(runs[number]))
            };
            (0..runs.len()).filter(is_first).count()
        };
        df.take_kinds(count, || rest.next().copied().unwrap_or_default())
            .map_err(|_| DragonflyError::Kinds { found: kinds_of(&runs[..count]) })?;
        Ok(df)
    }

    /// Takes `count` runs of groups, at most [`limits::RUNS`], instead of one, if together they have the sizes of this
    /// Dragonfly, no two adjacent ones are alike and there are at most [`limits::KINDS`] kinds; else returns the number
    /// of the first wrong one, and this Dragonfly is no longer valid.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "once where images are decoded, once where none is")]
    pub(crate) fn take_kinds(
        &mut self,
        count: usize,
        mut next: impl FnMut() -> GroupKind,
    ) -> Result<(), u32> {
        let (mut most, mut groups, mut present) = (GroupKind::NONE, 0, 0);
        let (mut switches, mut nodes) = (0, 0);
        let (mut before, mut local_ports) = (most, 0);
        let mut kinds = 0;
        for (number, run) in (0..).zip(self.runs.iter_mut().take(count)) {
            let kind = next();
            if !kind.is_sound() || kind.is_like(before) {
                return Err(number);
            }
            before = kind;
            local_ports = local_ports.max(kind.local_ports());
            most.p = most.p.max(kind.p);
            most.a = most.a.max(kind.a);
            most.h = most.h.max(kind.h);
            // A sum that wraps belongs to sizes that are refused below.
            let of_kind = u32::from(kind.a).wrapping_mul(kind.g.into());
            groups = u32::from(kind.g).wrapping_add(groups);
            present = if kind.is_absent() { 0 } else { u32::from(kind.g) }.wrapping_add(present);
            switches = of_kind.wrapping_add(switches);
            nodes = of_kind.wrapping_mul(kind.p.into()).wrapping_add(nodes);
            let mut place = GroupRun::ABSENT;
            if !kind.is_absent() {
                place = 0;
                let known = self.kinds.iter().take(kinds.into());
                for _ in known.take_while(|known| **known != kind.sizes()) {
                    place += 1;
                }
                let Some(sizes) = self.kinds.get_mut(usize::from(place)) else {
                    return Err(number);
                };
                *sizes = kind.sizes();
                kinds = kinds.max(place + 1);
            }
            *run = GroupRun::new(place, kind.g);
        }
        let is_whole = (most.p, most.a, most.h) == (self.p, self.a, self.h) && groups == self.g();
        if !is_whole || present < 2 {
            return Err(0);
        }
        (self.switch_count, self.node_count) = (switches, nodes);
        // At most 2⁸ terminals and 2⁶·2⁸ local ports.
        self.first_slot = low_u16(self.p() + local_ports);
        self.even = count == 1;
        self.run_count = low_u8(u32::try_from(count).unwrap_or(0));
        Ok(())
    }

    /// Its groups in their order, adjacent ones that are alike as one, so that a kind may appear again after another,
    /// with absent groups between them.
    pub fn kinds(&self) -> impl ExactSizeIterator<Item = GroupKind> + Clone + use<> {
        let df = *self;
        (0..df.run_count).map(move |number| df.run(number.into()))
    }

    /// [`Self::kinds`] as files and reports state them; empty if p, a, h and g are enough.
    pub fn stated_kinds(&self) -> impl ExactSizeIterator<Item = GroupKind> + Clone + use<> {
        let is_said = self.is_even() && self.has_single_links();
        self.kinds().take(if is_said { 0 } else { limits::RUNS })
    }

    /// The groups of one run.
    fn run(&self, number: usize) -> GroupKind {
        let run = self.runs.get(number).copied().unwrap_or_default();
        let g = if self.is_even() { self.g } else { run.g() };
        match self.kinds.get(run.kind()) {
            Some(&GroupSizes { p, a, h, local_links }) => GroupKind { p, a, h, g, local_links },
            None => GroupKind::absent(g),
        }
    }

    /// Whether no two switches of a group are joined by more than one link.
    #[inline]
    pub fn has_single_links(&self) -> bool {
        self.kinds().all(|kind| kind.local_links == 1)
    }

    /// Ordered pairs of switches of different groups.
    pub fn pairs_between_groups(&self) -> u64 {
        let all = u64::from(self.switch_count());
        let of =
            |kind: GroupKind| u64::from(kind.g) * u64::from(kind.a) * (all - u64::from(kind.a));
        self.kinds().map(of).sum()
    }

    /// Whether all groups are of one kind, so that there are no gaps.
    #[inline]
    pub const fn is_even(&self) -> bool {
        !ANY_FABRIC || self.even
    }

    /// The kind of a group.
    // Separate from its callers, whose groups are mostly all alike.
    #[cold]
    #[inline(never)]
    fn kind_among(&self, group: GroupId) -> GroupKind {
        let mut left = group.0;
        for (number, run) in self.runs.iter().take(self.run_count.into()).enumerate() {
            if left < run.g() {
                return self.run(number);
            }
            left -= run.g();
        }
        GroupKind::NONE
    }

    /// The kind of a group that exists.
    #[inline]
    pub fn kind_of(&self, group: GroupId) -> GroupKind {
        if self.is_even() { self.run(0) } else { self.kind_among(group) }
    }

    /// Switches of a group that exists.
    #[inline]
    pub fn switches_of(&self, group: GroupId) -> u32 {
        if self.is_even() { self.a() } else { self.kind_among(group).a.into() }
    }

    /// Nodes on each switch of a group that exists.
    #[inline]
    pub fn nodes_of(&self, group: GroupId) -> u32 {
        if self.is_even() { self.p() } else { self.kind_among(group).p.into() }
    }

    /// Nodes per switch, the most that any kind of group has.
    #[inline]
    pub const fn p(&self) -> u32 {
        self.p as u32
    }

    /// Switches per group, the most that any kind of group has.
    #[inline]
    pub const fn a(&self) -> u32 {
        self.a as u32
    }

    /// Global ports per switch, the most that any kind of group has.
    #[inline]
    pub const fn h(&self) -> u32 {
        self.h as u32
    }

    /// The numbers of its groups, those of absent groups included.
    #[inline]
    pub const fn g(&self) -> u32 {
        self.g as u32
    }

    /// The numbers of a group's global ports, a·h.
    #[inline]
    pub const fn ports_per_group(&self) -> u32 {
        self.ports_per_group
    }

    /// Switches of the fabric.
    #[inline]
    pub const fn switch_count(&self) -> u32 {
        self.switch_count
    }

    /// The numbers of its switches, gaps included: a·g.
    #[inline]
    pub const fn switch_numbers(&self) -> u32 {
        self.a() * self.g()
    }

    /// Nodes of the fabric.
    #[inline]
    pub const fn node_count(&self) -> u32 {
        self.node_count
    }

    /// The numbers of its nodes, gaps included: p·a·g.
    #[inline]
    pub const fn node_numbers(&self) -> u32 {
        self.p() * self.switch_numbers()
    }

    /// The numbers of its global ports, gaps included: a·h·g.
    #[inline]
    pub const fn port_numbers(&self) -> u32 {
        self.ports_per_group() * self.g()
    }

    /// Global ports of the fabric.
    pub fn port_count(&self) -> u32 {
        let of = |kind: GroupKind| u32::from(kind.a) * u32::from(kind.h) * u32::from(kind.g);
        self.kinds().map(of).sum()
    }

    /// The numbers of a switch's physical ports: p, the most local ports that any switch has, and h.
    #[inline]
    pub const fn radix(&self) -> u32 {
        self.first_slot as u32 + self.h()
    }

    /// The most local ports that any switch has: a − 1 where no two switches share more than one link.
    #[inline]
    pub const fn local_ports(&self) -> u32 {
        self.first_slot as u32 - self.p()
    }

    /// All groups, in order.
    pub fn groups(&self) -> impl Iterator<Item = GroupId> + use<> {
        let df = *self;
        self.group_numbers().filter(move |&group| df.switches_of(group) > 0)
    }

    /// The numbers of its groups, in order, those of absent groups included.
    pub fn group_numbers(&self) -> impl ExactSizeIterator<Item = GroupId> + use<> {
        (0..self.g).map(GroupId)
    }

    /// How many groups have nodes.
    pub fn groups_with_nodes_count(&self) -> u32 {
        self.kinds().filter(|kind| kind.p > 0).map(|kind| u32::from(kind.g)).sum()
    }

    /// The groups that have nodes, in order.
    pub fn groups_with_nodes(&self) -> impl Iterator<Item = GroupId> + use<> {
        let df = *self;
        self.groups().filter(move |&group| df.nodes_of(group) > 0)
    }

    /// All switches, in order.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> + use<> {
        let df = *self;
        (0..self.switch_numbers())
            .map(|s| SwitchId(low_u16(s)))
            .filter(move |&switch| df.is_even() || df.has_switch(switch))
    }

    /// All nodes, in order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        let df = *self;
        (0..self.node_numbers()).map(NodeId).filter(move |&node| df.is_even() || df.has_node(node))
    }

    /// All indices of a group, in order.
    pub fn indices(&self, group: GroupId) -> impl Iterator<Item = SwitchIndex> + use<> {
        (0..self.switches_of(group)).map(|i| SwitchIndex(low_u8(i)))
    }

    /// The switches of a group that exists, in order.
    pub fn switches_in(&self, group: GroupId) -> impl Iterator<Item = SwitchId> + use<> {
        let first = self.switch(group, SwitchIndex(0)).0;
        (0..self.switches_of(group)).map(move |i| SwitchId(first + low_u16(i)))
    }

    /// All numbers of a group's global ports, in order, including gaps: see [`Self::has_global_port_of`].
    pub fn global_ports(&self) -> impl Iterator<Item = GlobalPort> + use<> {
        (0..self.ports_per_group()).map(|q| GlobalPort(low_u16(q)))
    }

    /// Whether there is a group of this number, which may be absent.
    #[inline]
    pub const fn has_group(&self, group: GroupId) -> bool {
        group.0 < self.g
    }

    /// Whether the switch exists.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub fn has_switch(&self, switch: SwitchId) -> bool {
        if self.is_even() {
            u32::from(switch.0) < self.switch_count
        } else {
            self.is_switch(switch)
        }
    }

    /// As [`Self::has_switch`] if groups differ.
    #[cold]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn is_switch(&self, switch: SwitchId) -> bool {
        let (group, index) = self.place(switch);
        self.has_group(group) && u32::from(index.0) < self.switches_of(group)
    }

    /// Whether a group that exists has a switch of this index.
    #[inline]
    pub fn has_index(&self, group: GroupId, index: SwitchIndex) -> bool {
        u32::from(index.0) < self.switches_of(group)
    }

    /// Whether the node exists.
    #[inline]
    pub fn has_node(&self, node: NodeId) -> bool {
        if self.is_even() { node.0 < self.node_count } else { self.is_node(node) }
    }

    /// As [`Self::has_node`] if groups differ.
    #[cold]
    #[inline(never)]
    fn is_node(&self, node: NodeId) -> bool {
        // The division is exact only for numbers below p·a·g.
        let (switch, terminal) = self.switch_of(node);
        node.0 < self.node_numbers()
            && self.has_switch(switch)
            && u32::from(terminal) < self.nodes_of(self.place(switch).0)
    }

    /// The switch of the highest number.
    pub fn last_switch(&self) -> SwitchId {
        let last = self.groups().last().unwrap_or(GroupId(0));
        self.switch(last, SwitchIndex(low_u8(self.switches_of(last).saturating_sub(1))))
    }

    /// The node of the highest number.
    pub fn last_node(&self) -> NodeId {
        let (mut last, mut group) = (NodeId(0), 0);
        for kind in self.kinds() {
            group += u32::from(kind.g);
            if kind.p > 0 {
                let switch = (group - 1) * self.a() + u32::from(kind.a - 1);
                last = NodeId(switch * self.p() + u32::from(kind.p - 1));
            }
        }
        last
    }

    /// Whether a group that exists has this global port.
    pub fn has_global_port_of(&self, group: GroupId, port: GlobalPort) -> bool {
        let (index, slot) = self.split_port(port);
        let kind = self.kind_of(group);
        self.has_global_port(port) && u16::from(index.0) < kind.a && slot < kind.h
    }

    /// Whether the largest group has this global port.
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

    /// Whether a group's global port is on the switch with this index.
    #[inline]
    pub const fn is_on(&self, port: GlobalPort, index: SwitchIndex) -> bool {
        (port.0 as u32).wrapping_sub(index.0 as u32 * self.h()) < self.h()
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

    /// The physical port of switch `from` whose first link leads to switch `to` of the same group; meaningless if they
    /// are equal.
    #[inline]
    pub const fn local_port(&self, from: SwitchIndex, to: SwitchIndex) -> Port {
        let rank = if to.0 > from.0 { to.0 as u32 - 1 } else { to.0 as u32 };
        Port(low_u16(self.p() + rank))
    }

    /// The physical port of the k-th link, from 0, from one switch to another of a group of this many switches. Both
    /// ends of a link have the same k.
    #[inline]
    pub const fn nth_local_port(
        &self,
        switches: u32,
        (from, to): (SwitchIndex, SwitchIndex),
        k: u32,
    ) -> Port {
        let round = low_u16(k.wrapping_mul(switches.wrapping_sub(1)));
        Port(self.local_port(from, to).0.wrapping_add(round))
    }

    /// The switch that a local port leads to, in a group of this many switches, and which of several links to it that
    /// is; `None` for a port that is not local.
    pub fn local_end(
        &self,
        switches: u32,
        from: SwitchIndex,
        port: Port,
    ) -> Option<(SwitchIndex, u32)> {
        let number = u32::from(port.0).checked_sub(self.p())?;
        if self.is_slot(port) {
            return None;
        }
        let others = switches.checked_sub(1)?;
        let (k, rank) = (number.checked_div(others)?, number.checked_rem(others)?);
        Some((SwitchIndex(low_u8(rank + u32::from(rank >= from.0.into()))), k))
    }

    /// Whether switches of a group have a physical port of this number; a group's kind may have fewer
    /// terminals, local ports or slots than others.
    pub fn has_port_of(&self, group: GroupId, port: Port) -> bool {
        let kind = self.kind_of(group);
        let locals = u32::from(kind.local_links) * u32::from(kind.a).saturating_sub(1);
        let number = u32::from(port.0);
        match (number.checked_sub(self.slot_port(0).0.into()), number.checked_sub(self.p())) {
            (Some(slot), _) => slot < kind.h.into(),
            (None, Some(local)) => local < locals,
            (None, None) => number < kind.p.into(),
        }
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

impl fmt::Display for Dragonfly {
    /// "dfly(2, 4, 2, 9)"; with several kinds "dfly(2, 4, 2, 8) + (1, 2, 2, 1)".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = [self.p(), self.a(), self.h(), self.g()];
        fmt::Display::fmt(&GroupKind::words(sizes, self.stated_kinds()), f)
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
    use std::format;
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

    /// A machine of eight kinds from which some groups have been removed still has eight kinds.
    #[test]
    fn absent_groups_cost_no_kind() {
        let kind = |number| GroupKind::new(number, 2, 20, 1);
        let absent = GroupKind::absent(1);
        let mut runs: std::vec::Vec<GroupKind> =
            (1..=8).flat_map(|number| [kind(number), absent, kind(number)]).collect();
        let df = Dragonfly::of_kinds(&runs).unwrap();
        assert!(df.kinds().eq(runs.iter().copied()));
        for (group, kind) in df.group_numbers().zip(&runs) {
            assert_eq!(df.kind_of(group), *kind);
        }
        #[cfg(feature = "alloc")]
        {
            let image = crate::encode_fabric_image(&df, &[]);
            assert_eq!(crate::FabricImage::decode(&image).unwrap().dragonfly(), &df);
        }
        let said = |runs: &[GroupKind]| Dragonfly::of_kinds(runs).unwrap_err().to_string();
        runs.insert(1, kind(8));
        assert_eq!(
            said(&runs),
            "found 25 runs of groups that are alike, absent groups among them, but there must be at most 24"
        );
        let nine: std::vec::Vec<GroupKind> = (1..=9).map(kind).collect();
        assert_eq!(said(&nine), "found 9 kinds of groups, but there must be 1 to 8");
    }

    #[test]
    fn absent_groups_keep_their_numbers_and_have_nothing() {
        let kind = GroupKind::new(2, 3, 3, 2);
        let absent = GroupKind::absent;
        let df = Dragonfly::of_kinds(&[absent(1), kind, absent(1), absent(1), kind, absent(2)]);
        let df = df.unwrap();
        assert_eq!((df.g(), df.switch_count(), df.node_count(), df.port_count()), (9, 12, 24, 36));
        assert!(df.groups().eq([1, 2, 5, 6].map(GroupId)) && df.group_numbers().len() == 9);
        let ports = |group| df.global_ports().filter(move |&x| df.has_global_port_of(group, x));
        for group in [0, 3, 4, 7, 8].map(GroupId) {
            assert_eq!(
                (df.switches_of(group), df.nodes_of(group), ports(group).count()),
                (0, 0, 0)
            );
            assert!(!df.has_switch(df.switch(group, SwitchIndex(0))) && df.has_group(group));
        }
        assert_eq!((df.last_switch(), df.last_node()), (SwitchId(20), NodeId(41)));
        assert!(df.switches().eq((3..9).chain(15..21).map(SwitchId)));
        assert_eq!(df.nodes().count(), 24);
        let said = "dfly(absent, 1) + (2, 3, 3, 2) + (absent, 2) + (2, 3, 3, 2) + (absent, 2)";
        assert_eq!(df.to_string(), said);
    }

    #[test]
    fn absent_groups_have_no_sizes_and_two_others() {
        let kind = GroupKind::new(2, 3, 2, 1);
        let text = |kinds: &[GroupKind]| Dragonfly::of_kinds(kinds).unwrap_err().to_string();
        let one = "groups with switches: 1, but there must be at least 2; kinds with a = 0 are of absent groups";
        assert_eq!(text(&[kind, GroupKind::absent(3)]), one);
        for (p, h, size) in [(1, 0, "p = 1, but p"), (0, 1, "h = 1, but h")] {
            let found = text(&[kind, kind, GroupKind::new(p, 0, h, 1)]);
            assert_eq!(found, format!("kind 2 of groups: {size} must be 0 to 0"));
        }
        let none = text(&[kind, GroupKind::new(2, 3, 0, 1)]);
        assert_eq!(none, "kind 1 of groups: h = 0, but h must be 1 to 4096");
    }

    #[test]
    fn splitting_a_port_is_division_for_every_h() {
        for h in 1..=4096_u32 {
            let a = (4096 / h).clamp(1, 256);
            let df = Dragonfly::new(1, a, h, 2).unwrap();
            for port in 0..a * h {
                let (index, slot) = df.split_port(GlobalPort(low_u16(port)));
                assert_eq!((u32::from(index.0), u32::from(slot)), (port / h, port % h), "h = {h}");
                let is_on = |other| df.is_on(GlobalPort(low_u16(port)), SwitchIndex(other));
                assert!(is_on(index.0), "h = {h}");
                assert!(!is_on(index.0.wrapping_add(1)) && !is_on(index.0.wrapping_sub(1)));
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
        for from in df.indices(GroupId(0)) {
            let mut ports: std::vec::Vec<u16> = (0..2).map(|k| df.terminal_port(k).0).collect();
            ports.extend(
                df.indices(GroupId(0)).filter(|&to| to != from).map(|to| df.local_port(from, to).0),
            );
            ports.extend((0..3).map(|slot| df.slot_port(slot).0));
            assert_eq!(
                ports,
                (0..u16::try_from(df.radix()).unwrap()).collect::<std::vec::Vec<_>>()
            );
        }
    }
}
