//! A switch that decides at every hop.

#[cfg(test)]
mod tests;

use crate::rule::AskedSwitch;
use crate::tables::HopTables;
use crate::{Ask, Error, EscapeImage, OfarRules, Outputs, PortSet};
use rand_core::Rng;
use tvlb_firmware_model::{Channels, Header, Switch};
use tvlb_schema::{NodeId, Port};

/// How many virtual channels a switch's links need for OFAR: the canonical ones and that of the escape network.
pub const fn channels(rules: &OfarRules) -> Channels {
    Channels { local: rules.local_channels + 1, global: rules.global_channels + 1 }
}

/// A switch that decides at every hop.
///
/// # Example
/// ```
/// use tvlb_firmware_model::rand_core::SeedableRng;
/// use tvlb_firmware_model::schema::{NodeId, Port};
/// use tvlb_firmware_model::{DefaultRng, Switch};
/// use tvlb_ofar::{Ask, EscapeImage, Ofar, Outputs, PortSet};
///
/// /// All links are free.
/// struct Idle;
/// impl Outputs for Idle {
///     fn ready(&self) -> PortSet {
///         (0..7).map(Port).collect()
///     }
///     fn room(&self, _: Port, _: u8) -> u16 {
///         4
///     }
///     fn capacity(&self, _: Port) -> u16 {
///         4
///     }
/// }
///
/// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/golden/v3/");
/// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
/// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
/// # let escape_image = std::fs::read(format!("{golden}escape-ring.tvlb"))?;
/// let switch = Switch::boot(&fabric_image, &switch_image)?;
/// let escape = EscapeImage::decode(&escape_image, switch.image().fabric())?;
/// let ofar = Ofar::new(&switch, &escape)?;
/// let mut rng = DefaultRng::seed_from_u64(1);
/// let header = ofar.launch(NodeId(70))?;
/// // Its minimal output is free, and it takes that.
/// let asked = ofar.ask(header, &Idle, &mut rng)?;
/// assert!(matches!(asked, Ask::Send { virtual_channel: 0, room: 3, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ofar<'s, 'a> {
    switch: &'s Switch<'a>,
    tables: HopTables<'a>,
}

impl<'s, 'a> Ofar<'s, 'a> {
    /// A switch with an escape network, of which every switch of the fabric must have the same image.
    ///
    /// # Errors
    /// [`Error::NotForOfar`]: two switches of a group do not share just one link, a group has no link to
    /// another one, or something is dead.
    pub fn new(switch: &'s Switch<'a>, escape: &EscapeImage<'a>) -> Result<Self, Error> {
        Ok(Self { switch, tables: HopTables::new(switch, escape)? })
    }

    /// The switch.
    pub const fn switch(&self) -> &'s Switch<'a> {
        self.switch
    }

    /// The escape network's image.
    pub const fn escape(&self) -> &EscapeImage<'a> {
        &self.tables.escape
    }

    const fn rule(&self) -> AskedSwitch<'_, 'a> {
        AskedSwitch { switch: self.switch, tables: &self.tables }
    }

    /// The header of a packet that waits at this switch to be sent by one of its nodes.
    ///
    /// # Errors
    /// There is no such node.
    pub fn launch(&self, destination: NodeId) -> Result<Header, Error> {
        self.rule().launch(destination)
    }

    /// Whether nodes of this switch may send anything now: not if all outputs of the escape network are in use above
    /// the share of the rules.
    pub fn may_inject(&self, outputs: &(impl Outputs + ?Sized)) -> bool {
        self.rule().may_inject(outputs)
    }

    /// The request of a packet at the head of a buffer of this switch. In this order:
    ///
    /// 1. If it is at its destination, to be delivered.
    /// 2. If it has to leave the group from here: one of this switch's links to other groups that are ready. If
    ///    none is it waits as long as one of them has room, and then asks for the escape network.
    /// 3. Its minimal output, if that is ready.
    /// 4. A misroute, if its place allows one and as much of its minimal output is in use as the rules ask for:
    ///    of the other links of the kind that are ready, one of those whose emptiest canonical virtual channel is
    ///    in use to a share of at most so many percent of that of the minimal output; where the rules weigh by
    ///    length each share counts times the hops of the path that begins with the link, and it is one of those
    ///    that weigh least. In an injection queue, if its destination is in another group: links to other
    ///    groups. In its source group, if it came by a canonical local link and has not been misrouted:
    ///    local links, after which it has to leave the group. Elsewhere once in each group, where its
    ///    minimal output is a local one: local links.
    /// 5. Nothing, if its minimal output has room or it is in an injection queue.
    /// 6. The escape network.
    ///
    /// # Errors
    /// The header makes no sense. Any bits whatever end in `Ok` or `Err`.
    #[inline]
    pub fn ask(
        &self,
        header: Header,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Ask, Error> {
        self.rule().ask(header, outputs, rng)
    }

    /// The links of this switch.
    pub fn links(&self) -> PortSet {
        self.tables.local.iter().chain(self.tables.global.iter()).collect()
    }

    /// The number of the escape network's virtual channel on a link, above the canonical ones.
    pub fn escape_channel(&self, port: Port) -> u8 {
        self.rule().escape_channel(port)
    }
}

/// A switch that decides at every hop, in one piece: it holds the [`Switch`] that an [`Ofar`] borrows, and
/// answers alike. For a program that keeps its switch in a place of its own, as a static or as the C interface
/// does.
///
/// Parts may die later. A switch that has taken a fault image does not suit OFAR, so a value that was made before keeps
/// its view, and packets to dead parts wait at their links.
#[derive(Clone, Debug)]
pub struct OfarSwitch<'a> {
    switch: Switch<'a>,
    tables: HopTables<'a>,
}

impl<'a> OfarSwitch<'a> {
    /// As [`Ofar::new`].
    ///
    /// # Errors
    /// Those of [`Ofar::new`].
    pub fn new(switch: Switch<'a>, escape: &EscapeImage<'a>) -> Result<Self, Error> {
        let tables = HopTables::new(&switch, escape)?;
        Ok(Self { switch, tables })
    }

    /// The switch.
    pub const fn switch(&self) -> &Switch<'a> {
        &self.switch
    }

    /// The escape network's image.
    pub const fn escape(&self) -> &EscapeImage<'a> {
        &self.tables.escape
    }

    const fn rule(&self) -> AskedSwitch<'_, 'a> {
        AskedSwitch { switch: &self.switch, tables: &self.tables }
    }

    /// As [`Ofar::launch`].
    ///
    /// # Errors
    /// There is no such node.
    pub fn launch(&self, destination: NodeId) -> Result<Header, Error> {
        self.rule().launch(destination)
    }

    /// As [`Ofar::may_inject`].
    pub fn may_inject(&self, outputs: &(impl Outputs + ?Sized)) -> bool {
        self.rule().may_inject(outputs)
    }

    /// As [`Ofar::ask`].
    ///
    /// # Errors
    /// The header makes no sense. Any bits whatever end in `Ok` or `Err`.
    #[inline]
    pub fn ask(
        &self,
        header: Header,
        outputs: &(impl Outputs + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Ask, Error> {
        self.rule().ask(header, outputs, rng)
    }
}
