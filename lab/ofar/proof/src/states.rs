//! The states in which a packet that decides at every hop can be at a switch, and their headers, written from the
//! documented layout and not by the datapath.

use std::fmt;
use tvlb_firmware_model::Header;
use tvlb_ofar::{EscapeKind, OfarRules};
use tvlb_schema::SwitchId;

/// How a packet came, as numbered in headers.
const NODE: u8 = 0;
const LOCAL: u8 = 1;
const GLOBAL: u8 = 2;
/// The most entries that a header can say.
const MOST_ENTRIES: u8 = 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "they are the bits of the header")]
pub(super) struct State {
    pub(super) escape: bool,
    pub(super) backward: bool,
    entries: u8,
    go_global: bool,
    local: bool,
    global: bool,
    left: bool,
    came: u8,
    virtual_channel: u8,
}

impl State {
    /// How many numbers [`Self::canonical_number`] gives.
    pub(super) const CANONICAL: usize = 48;

    /// In an injection queue.
    pub(super) const AT_SOURCE: Self = Self {
        escape: false,
        backward: false,
        entries: 0,
        go_global: false,
        local: false,
        global: false,
        left: false,
        came: NODE,
        virtual_channel: 0,
    };

    /// Every state that makes a difference: entries are none, one, or as many as a packet may make, which is the most
    /// that a header can express if nothing limits them.
    pub(super) fn every(kind: EscapeKind, rules: &OfarRules) -> Vec<Self> {
        let mut states = vec![Self::AT_SOURCE];
        for bits in 0_u32..1 << 7 {
            let is_set = |bit: u32| bits >> bit & 1 == 1;
            let came = if is_set(0) { LOCAL } else { GLOBAL };
            let (local, go_global, global, left) = (is_set(1), is_set(2), is_set(3), is_set(4));
            let (escape, backward) = (is_set(5), is_set(6));
            let makes_sense = (!go_global || local && !left)
                && (!global || left)
                && (came == LOCAL || left && !local)
                && (!backward || escape && kind == EscapeKind::Ring);
            if !makes_sense {
                continue;
            }
            let channels = if came == LOCAL { rules.local_channels } else { rules.global_channels };
            let virtual_channel = if escape { channels } else { 0 };
            let entered: &[u8] = match (escape, rules.most_entries) {
                (true, 0) => &[1, MOST_ENTRIES],
                (true, most) => &[1, most],
                (false, 0) => &[0, MOST_ENTRIES],
                (false, _) => &[0],
            };
            let of = |&entries: &u8| Self {
                escape,
                backward,
                entries,
                go_global,
                local,
                global,
                left,
                came,
                virtual_channel,
            };
            states.extend(entered.iter().map(of));
        }
        states
    }

    /// The state in a header; `None` for a packet whose path was decided.
    pub(super) const fn of(header: Header) -> Option<Self> {
        let bits = header.bits();
        if bits & 3 != 3 || bits >> 5 & 7 > 2 {
            return None;
        }
        Some(Self {
            entries: (bits >> 36 & 15) as u8,
            backward: bits >> 35 & 1 == 1,
            escape: bits >> 34 & 1 == 1,
            go_global: bits >> 33 & 1 == 1,
            local: bits >> 32 & 1 == 1,
            global: bits >> 31 & 1 == 1,
            left: bits >> 30 & 1 == 1,
            came: (bits >> 5 & 7) as u8,
            virtual_channel: (bits >> 2 & 7) as u8,
        })
    }

    pub(super) fn header(self, to: SwitchId, terminal: u8) -> Header {
        Header::from_bits(
            u64::from(to.0) << 48
                | u64::from(terminal) << 40
                | u64::from(self.entries) << 36
                | u64::from(self.backward) << 35
                | u64::from(self.escape) << 34
                | u64::from(self.go_global) << 33
                | u64::from(self.local) << 32
                | u64::from(self.global) << 31
                | u64::from(self.left) << 30
                | u64::from(self.came) << 5
                | u64::from(self.virtual_channel) << 2
                | 3,
        )
    }

    pub(super) const fn is_at_source(self) -> bool {
        self.came == NODE
    }

    /// Whether it must stay on the escape network.
    pub(super) const fn stays(self, rules: &OfarRules) -> bool {
        self.escape && rules.most_entries > 0 && self.entries >= rules.most_entries
    }

    /// The same packet as it goes on by the escape network.
    pub(super) const fn entering(self, backward: bool) -> Self {
        let more = !self.escape && self.entries < MOST_ENTRIES;
        Self { escape: true, backward, entries: self.entries + more as u8, ..self }
    }

    /// The same packet after its next link.
    pub(super) const fn crossed(self, is_local: bool, virtual_channel: u8) -> Self {
        if is_local {
            Self { came: LOCAL, virtual_channel, ..self }
        } else {
            let of_group = Self { go_global: false, local: false, left: true, ..self };
            Self { came: GLOBAL, virtual_channel, ..of_group }
        }
    }

    /// The same on the first virtual channel, which does not affect its requests.
    pub(super) const fn normal(self) -> Self {
        Self { virtual_channel: 0, ..self }
    }

    /// A number below [`Self::CANONICAL`] for a state of a packet that has never been on the escape network.
    pub(super) fn canonical_number(self) -> usize {
        let flags = [self.go_global, self.local, self.global, self.left];
        flags.iter().fold(usize::from(self.came), |number, &flag| number << 1 | usize::from(flag))
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.came, self.escape) {
            (NODE, _) => "in an injection queue",
            (LOCAL, false) => "having come by a local link",
            (LOCAL, true) => "having come by a local link of the escape network",
            (_, false) => "having come by a global link",
            (_, true) => "having come by a global link of the escape network",
        })?;
        for (flag, words) in [
            (self.backward, "backward on the ring"),
            (self.go_global, "having to leave the group"),
            (self.local, "misrouted within the group"),
            (self.global, "misrouted to another group"),
            (self.left, "out of its source group"),
        ] {
            if flag {
                write!(f, ", {words}")?;
            }
        }
        if self.entries > 0 {
            write!(f, ", {} entries", self.entries)?;
        }
        Ok(())
    }
}
