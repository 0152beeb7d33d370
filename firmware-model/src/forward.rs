//! Forwarding: the next step of a packet from its header alone.

use crate::channel::{AGAIN, LinkKind, place};
use crate::{Error, Header, Kind, Stage, Switch};
use tvlb_schema::{GlobalPort, Index, Port};

/// What a switch does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Deliver it to a node on this switch.
    Deliver {
        /// The physical port, which is the node's terminal.
        port: Port,
    },
    /// Send it on.
    Send {
        /// The physical port.
        port: Port,
        /// The virtual channel on the link behind that port.
        virtual_channel: u8,
        /// The header it travels with.
        header: Header,
    },
}

/// What a packet to another group does at a stage of its route, in one word; 0 where it makes no
/// sense that it is there.
#[derive(Clone, Copy)]
struct Leg(u16);

impl Leg {
    /// By stage and kind.
    const TABLE: [Self; 32] = Self::table();

    const NONE: Self = Self(0);

    /// It is about to leave the group by the port at this bit of the header, and is then at this
    /// stage; a local hop towards that port leads to the other, or is not to be made.
    const fn new(leaves_by: u16, behind_global: Stage, behind_local: Option<Stage>) -> Self {
        let local = match behind_local {
            Some(stage) => stage as u16,
            None => 0,
        };
        Self(leaves_by | (behind_global as u16) << 5 | local << 8)
    }

    const fn of(stage: Stage, kind: Kind) -> Self {
        let is_vlb = matches!(kind, Kind::Vlb);
        // Only PAR's second look sends a packet on within its source group.
        let local = match stage {
            Stage::Source => Some(Stage::SourceLocal),
            Stage::SourceLocal if is_vlb => Some(Stage::SourceLocalAgain),
            Stage::Middle | Stage::MiddleDetour => Some(Stage::MiddleLocal),
            _ => None,
        };
        match stage {
            Stage::Source | Stage::SourceLocal | Stage::SourceLocalAgain if is_vlb => {
                Self::new(X, Stage::Middle, local)
            }
            Stage::Source | Stage::SourceLocal | Stage::SourceLocalAgain => {
                Self::new(X, Stage::Destination, local)
            }
            Stage::Middle | Stage::MiddleDetour | Stage::MiddleLocal if is_vlb => {
                Self::new(Y, Stage::Destination, local)
            }
            _ => Self::NONE,
        }
    }

    const fn table() -> [Self; 32] {
        let mut table = [Self::NONE; 32];
        let kinds = [Kind::Min, Kind::OpenMin, Kind::Vlb];
        let mut stage = 0;
        while stage < Stage::ALL.len() {
            let mut kind = 0;
            while kind < kinds.len() {
                table[stage << 2 | kind] = Self::of(Stage::ALL[stage], kinds[kind]);
                kind += 1;
            }
            stage += 1;
        }
        table
    }

    /// The port by which the packet leaves the group.
    #[inline]
    const fn leaves_by(self, header: Header) -> GlobalPort {
        GlobalPort((header.bits() >> (self.0 & 31) & 0xfff) as u16)
    }

    #[inline]
    const fn behind_global(self) -> u32 {
        self.0 as u32 >> 5 & 7
    }

    /// 0 if no local hop is to be made.
    #[inline]
    const fn behind_local(self) -> u32 {
        self.0 as u32 >> 8
    }
}

/// Where a header has x and y.
const X: u16 = 28;
const Y: u16 = 16;

impl Switch<'_> {
    /// The next step of a packet that stands at this switch with this header.
    ///
    /// Constant time; the wiring is not consulted except for whether the port has a cable. What
    /// the step depends on is checked, the rest of the header is left to the switches behind.
    ///
    /// # Errors
    /// The header makes no sense here. Any bits whatever end in `Ok` or `Err`, and a packet is
    /// delivered or refused after at most 7 steps, wherever it begins.
    ///
    /// # Example
    /// ```
    /// use tvlb_firmware_model::rand_core::SeedableRng;
    /// use tvlb_firmware_model::{DefaultRng, Header, Scheme, Step, Switch, VlbPaths};
    /// use tvlb_schema::{Node, Port};
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/golden/v2/");
    /// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
    /// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
    /// let switch = Switch::boot(&fabric_image, &switch_image)?;
    /// // A packet from the second of this switch's nodes to the first comes back at once.
    /// let (mut rng, idle) = (DefaultRng::seed_from_u64(1), [0_u32; 7]);
    /// let sent = switch.admit(Node(10), Scheme::Min, VlbPaths::Custom, &idle[..], &mut rng)?;
    /// assert_eq!(sent.step, Step::Deliver { port: Port(0) });
    /// // Any bits may arrive; those that make no sense are an error and no more.
    /// assert!(switch.forward(Header::from_bits(u64::MAX)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn forward(&self, header: Header) -> Result<Step, Error> {
        let to = header.destination();
        if let Some(index) = self.image.index_in_group(to) {
            if index == self.image.index() {
                return self.deliver(header);
            }
            return self.forward_within_group(header, index);
        }
        // From here on stages and kinds are numbers: matching on the enums would compile to a jump
        // table.
        let stage = header.stage_code();
        let leg = Leg::TABLE[(stage << 2 | header.kind_code()) as usize & 31];
        if leg.0 == 0 {
            return self.refuse(header);
        }
        let leaves_by = leg.leaves_by(header);
        if stage == Stage::Middle as u32 {
            return self.forward_from_arrival(header, leg, leaves_by);
        }
        self.forward_out(header, stage, leg, leaves_by)
    }

    /// The next step of a packet that has just come to its intermediate group.
    // Kept out of line on a host, where the compiler would otherwise test for a detour at every
    // stage.
    #[cfg_attr(target_os = "none", inline)]
    #[cfg_attr(not(target_os = "none"), inline(never))]
    fn forward_from_arrival(
        &self,
        header: Header,
        leg: Leg,
        leaves_by: GlobalPort,
    ) -> Result<Step, Error> {
        let (df, detour) = (self.dragonfly(), header.detour());
        if detour == self.image.index() || detour == df.split_port(leaves_by).0 {
            return self.forward_out(header, Stage::Middle as u32, leg, leaves_by);
        }
        if u32::from(detour.0) >= df.a() || !df.has_global_port(leaves_by) {
            return self.refuse(header);
        }
        self.send_local(header, detour, Stage::MiddleDetour as u32)
    }

    /// The next step of a packet that leaves the group by this port, or goes to the switch that
    /// has it.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn forward_out(
        &self,
        header: Header,
        stage: u32,
        leg: Leg,
        leaves_by: GlobalPort,
    ) -> Result<Step, Error> {
        let df = self.dragonfly();
        if let Some(slot) = self.image.own_slot(leaves_by) {
            let port = df.slot_port(slot);
            if !self.image.has_cable(leaves_by) {
                return no_cable(header, port);
            }
            return self.send(header, port, place(stage, LinkKind::Global), leg.behind_global());
        }
        if leg.behind_local() == 0 || !df.has_global_port(leaves_by) {
            return self.refuse(header);
        }
        self.send_local(header, df.split_port(leaves_by).0, leg.behind_local())
    }

    #[inline]
    fn deliver(&self, header: Header) -> Result<Step, Error> {
        let df = self.dragonfly();
        if u32::from(header.terminal()) >= df.p() || header.kind().is_none() {
            return self.refuse(header);
        }
        Ok(Step::Deliver { port: df.terminal_port(header.terminal()) })
    }

    /// The next step to another switch of this group, which the packet has reached or never left.
    #[inline]
    fn forward_within_group(&self, header: Header, to_index: Index) -> Result<Step, Error> {
        let (next, arrived) = match (header.stage(), header.kind()) {
            (Stage::Source, Some(Kind::Vlb)) => (header.detour(), Stage::SourceLocal),
            (Stage::Source | Stage::Destination, Some(_))
            | (Stage::SourceLocal, Some(Kind::Vlb)) => (to_index, Stage::DestinationLocal),
            _ => return self.refuse(header),
        };
        if next == self.image.index() || u32::from(next.0) >= self.dragonfly().a() {
            return self.refuse(header);
        }
        self.send_local(header, next, arrived as u32)
    }

    /// Sends a packet to another switch of this group.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline)]
    fn send_local(&self, header: Header, next: Index, arrived: u32) -> Result<Step, Error> {
        let port = self.dragonfly().local_port(self.image.index(), next);
        let place = if arrived == Stage::SourceLocalAgain as u32 {
            AGAIN
        } else {
            place(header.stage_code(), LinkKind::Local)
        };
        self.send(header, port, place, arrived)
    }

    /// Sends a packet by a port, on the virtual channel for this place on its path.
    #[inline]
    pub(crate) fn send(
        &self,
        header: Header,
        port: Port,
        place: u32,
        arrived: u32,
    ) -> Result<Step, Error> {
        let needed = self.rules.assign(header, place);
        let channels = if place & 1 == 0 { self.channels.local } else { self.channels.global };
        if needed >= channels {
            return no_channel(header, needed, channels);
        }
        Ok(Step::Send { port, virtual_channel: needed, header: header.moved(arrived, needed) })
    }

    #[cold]
    #[inline(never)]
    fn refuse(&self, header: Header) -> Result<Step, Error> {
        Err(self.wrong_with(header))
    }

    /// What is wrong with a header that makes no sense here.
    #[cold]
    #[inline(never)]
    pub(crate) fn wrong_with(&self, header: Header) -> Error {
        let bits = header.bits();
        if header.kind().is_none() {
            return Error::HeaderKind { bits };
        }
        if self.is_in_range(header) {
            return Error::Astray { bits, stage: header.stage(), at: self.image.switch() };
        }
        let df = self.dragonfly();
        let (field, found, count) = [
            ("destination", header.destination().0.into(), df.switch_count()),
            ("terminal", header.terminal().into(), df.p()),
            ("x", header.x().0.into(), df.ports_per_group()),
            ("y", header.y().0.into(), df.ports_per_group()),
        ]
        .into_iter()
        .find(|(_, found, count): &(_, u32, u32)| found >= count)
        .unwrap_or(("detour", header.detour().0.into(), df.a()));
        Error::HeaderRange { bits, field, found, most: count - 1 }
    }

    /// Whether the fabric has all that the header names.
    pub(crate) fn is_in_range(&self, header: Header) -> bool {
        let df = self.dragonfly();
        df.has_switch(header.destination())
            && u32::from(header.terminal()) < df.p()
            && df.has_global_port(header.x())
            && df.has_global_port(header.y())
            && u32::from(header.detour().0) < df.a()
    }
}

#[cold]
#[inline(never)]
fn no_cable(header: Header, port: Port) -> Result<Step, Error> {
    Err(Error::NoCable { bits: header.bits(), port })
}

#[cold]
#[inline(never)]
fn no_channel(header: Header, needed: u8, count: u8) -> Result<Step, Error> {
    Err(Error::NoChannel { bits: header.bits(), needed, count })
}
