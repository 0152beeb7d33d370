//! One booted switch: the interface of the datapath. The work of its methods is in the modules that they call.

use crate::channel::{FirstChannels, Rules};
#[cfg(not(target_os = "none"))]
use crate::link_masks::LinkMasks;
use crate::path::Place;
use crate::replacement::check_fabrics;
use crate::schemes::par;
use crate::{
    Admission, Channels, Credits, DrawnPath, Error, Explanation, Header, Scheme, Step, VlbPaths,
    decide, explain, forward, onward,
};
use rand_core::Rng;
use tvlb_schema::{
    Decision, Dragonfly, End, FabricImage, GroupId, NodeId, Onward, Port, Queue, Route, Shape,
    SwitchImage, SwitchIndex, VcScheme,
};

/// One booted switch. It borrows its images and never changes them: share it freely.
///
/// # Example
/// ```
/// use tvlb_firmware_model::{Channels, Error, Scheme, Switch};
/// use tvlb_schema::{GroupId, SwitchIndex, Port};
///
/// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
/// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
/// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
/// // Switch 5 of dfly(2,4,2,9), whose links have four virtual channels each.
/// let channels = Channels { local: 4, global: 4 };
/// let switch = Switch::boot(&fabric_image, &switch_image)?.with_channels(Scheme::UgalL, channels)?;
/// assert_eq!(switch.image().switch().0, 5);
/// // Ports 0 and 1 lead to nodes, 2 to 4 to the other switches of group 1.
/// assert_eq!(switch.neighbour(Port(0)), None);
/// assert_eq!(switch.neighbour(Port(2)), Some((GroupId(1), SwitchIndex(0))));
///
/// // PAR needs one more within a group, and says so.
/// let refused = switch.with_channels(Scheme::Par, channels);
/// assert!(matches!(refused, Err(Error::TooFewChannels { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Switch<'a> {
    pub(crate) image: SwitchImage<'a>,
    /// The virtual channels that a packet may be given.
    pub(crate) channels: Channels,
    /// How they are assigned.
    pub(crate) rules: &'static Rules,
    /// The packets that it was booted for.
    booted_for: (Scheme, VlbPaths),
    /// Whether it serves packets, by their scheme and VLB paths.
    serves: [[bool; 2]; 4],
    /// Whether only the sums of credits over a port's virtual channels are known.
    sums_only: bool,
    /// The links of each switch, if the program keeps them.
    #[cfg(not(target_os = "none"))]
    pub(crate) link_masks: Option<LinkMasks<'a>>,
}

impl<'a> Switch<'a> {
    /// Boots from the fabric image and this switch's image, assuming that every link has the virtual channels of any
    /// scheme: at most [`Channels::MOST`]. A switch with fewer must call [`Self::with_channels`].
    ///
    /// # Errors
    /// Which image is invalid and why. Never panics, whatever the bytes.
    pub fn boot(fabric: &'a [u8], switch: &'a [u8]) -> Result<Self, Error> {
        match &FabricImage::decode(fabric) {
            Ok(fabric) => Self::boot_in(fabric, switch),
            Err(error) => Err(Error::FabricImage(*error)),
        }
    }

    /// Boots from a decoded fabric image, for a program that boots several switches of one fabric, with the assumption
    /// of [`Self::boot`].
    ///
    /// # Errors
    /// The fault of the switch image. Never panics, whatever the bytes.
    pub fn boot_in(fabric: &FabricImage<'a>, switch: &'a [u8]) -> Result<Self, Error> {
        match SwitchImage::decode(switch, fabric) {
            Ok(image) => {
                let assignment = image.virtual_channels();
                let channels = Channels::needed(assignment, Scheme::Par);
                Ok(Self {
                    image,
                    channels,
                    rules: Rules::of(assignment),
                    booted_for: (Scheme::Par, VlbPaths::Conventional),
                    serves: [[true; 2]; 4],
                    sums_only: false,
                    #[cfg(not(target_os = "none"))]
                    link_masks: None,
                })
            }
            Err(error) => Err(Error::SwitchImage(error)),
        }
    }

    /// This switch, with these masks to draw from sets in less time; its draws are the same. Masks of another fabric
    /// are ignored.
    #[cfg(not(target_os = "none"))]
    #[must_use]
    pub fn with_link_masks(self, masks: LinkMasks<'a>) -> Self {
        let link_masks = masks.are_of(self.image.fabric()).then_some(masks);
        Self { link_masks, ..self }
    }

    /// This switch, if its links have enough virtual channels for the image with packets routed by `scheme`, whatever
    /// their paths. From then on no packet gets another channel, whatever its header.
    ///
    /// # Errors
    /// [`Error::TooFewChannels`], with the link kind, the channels it has and those it needs.
    pub fn with_channels(self, scheme: Scheme, channels: Channels) -> Result<Self, Error> {
        self.with_channels_for(scheme, VlbPaths::Conventional, channels)
    }

    /// As [`Self::with_channels`], if VLB packets take only these paths, which may need fewer channels: see
    /// [`Self::channels_needed_for`]. From then on the switch refuses the packets that it does not
    /// [serve](Self::serves).
    ///
    /// # Errors
    /// [`Error::TooFewChannels`], with the link kind, the channels it has and those it needs.
    pub fn with_channels_for(
        self,
        scheme: Scheme,
        paths: VlbPaths,
        channels: Channels,
    ) -> Result<Self, Error> {
        self.check_channels((scheme, paths), channels)?;
        let most = Channels::needed(self.image.virtual_channels(), Scheme::Par);
        let (local, global) = (channels.local.min(most.local), channels.global.min(most.global));
        Ok(self.serving((scheme, paths), Channels { local, global }))
    }

    /// This switch, booted for these packets on these channels.
    #[inline]
    fn serving(self, booted_for: (Scheme, VlbPaths), channels: Channels) -> Self {
        let (scheme, paths) = booted_for;
        // The sets of UGAL-L can have longer routes than those of PAR.
        let has_vlb = channels.have(self.channels_needed_for(Scheme::UgalL, paths));
        let has_par = matches!(scheme, Scheme::Par);
        let serves = |has: bool| [has && matches!(paths, VlbPaths::Conventional), has];
        let serves = [[true; 2], serves(has_vlb), serves(has_vlb), serves(has_par)];
        Self { channels, booted_for, serves, ..self }
    }

    /// The scheme and the VLB paths that it was booted for: those of [`Self::with_channels_for`], or all.
    pub const fn booted_for(&self) -> (Scheme, VlbPaths) {
        self.booted_for
    }

    /// Whether it takes packets of a scheme on these VLB paths: those of the scheme that it was booted for and of all
    /// others for which its channels are enough, but PAR's only if it was booted for PAR, and conventional VLB paths
    /// only if it was not booted for those of the sets alone.
    #[inline]
    pub const fn serves(&self, scheme: Scheme, paths: VlbPaths) -> bool {
        self.serves[scheme as usize][paths as usize]
    }

    /// Such packets would be lost at a later switch, which lacks a channel.
    #[cold]
    #[inline(never)]
    pub(crate) fn wrong_scheme(&self, scheme: Scheme, paths: VlbPaths) -> Error {
        Error::WrongScheme { scheme, paths, booted_for: self.booted_for }
    }

    /// This switch, if the image can be used when only the sums of credits over all virtual channels of a port are
    /// known. It then refuses replacements that need more. A switch that knows its credits by channel need not call
    /// this ([`Credits::used_on`]).
    ///
    /// # Errors
    /// [`Error::SumsOnly`], with the first decision of the image that counts single channels.
    pub fn with_sums_only(mut self) -> Result<Self, Error> {
        self.check_sums()?;
        self.sums_only = true;
        Ok(self)
    }

    fn check_sums(&self) -> Result<(), Error> {
        for decision in Decision::ALL {
            if self.image.weighing(decision).queue == Queue::Channel {
                return Err(Error::SumsOnly { decision });
            }
        }
        Ok(())
    }

    /// Whether these channels are enough for packets of a scheme that take these paths.
    fn check_channels(
        &self,
        (scheme, paths): (Scheme, VlbPaths),
        channels: Channels,
    ) -> Result<(), Error> {
        let needed = self.channels_needed_for(scheme, paths);
        if channels.have(needed) {
            return Ok(());
        }
        let (links, found, needed) = if channels.local >= needed.local {
            ("global", channels.global, needed.global)
        } else {
            ("local", channels.local, needed.local)
        };
        let assignment = self.image.virtual_channels();
        Err(Error::TooFewChannels { links, found, needed, assignment, scheme })
    }

    /// The virtual channels that a scheme needs here: those of [`Channels::needed`], and one more if two switches of a
    /// group share no link and the assignment has none to spare.
    pub fn channels_needed(&self, scheme: Scheme) -> Channels {
        // MIN, VLB and UGAL then make PAR's second local hop in a packet's source group, too. Only
        // `positional` has a channel for that hop alone.
        match (self.image.virtual_channels(), self.image.fabric().planned_group_links().is_whole())
        {
            (VcScheme::Positional, false) => Channels::POSITIONAL_PAR,
            (assignment, _) => Channels::needed(assignment, scheme),
        }
    }

    /// Replaces the tables while packets fly: decodes and checks other images beside the live ones, and only then puts
    /// them in their place. Packets in transit continue by their headers, whichever tables wrote them, even if other
    /// switches still have the old ones. Without a fault image, dead parts stay dead; in another fabric nothing is dead
    /// then.
    ///
    /// The new images may be of another fabric if p, a and h are equal, and the fault image beside its tables lists
    /// every part that only one of the two has, or that leads elsewhere in the other. This is how a machine grows: all
    /// switches take the new tables with a fault image that lists the new parts and drains them
    /// ([`FaultSet::is_draining`]), and then one that lists nothing.
    ///
    /// # Errors
    /// The new images are invalid, or not of this switch and this assignment of virtual channels, or of a fabric that
    /// differs in parts that are not listed; they need more channels than this switch has, by the same check as at
    /// boot; or they count the credits of single channels and it has only sums. The old ones continue to serve.
    ///
    /// [`FaultSet::is_draining`]: tvlb_schema::FaultSet::is_draining
    pub fn replace(
        &mut self,
        fabric: &'a [u8],
        switch: &'a [u8],
        faults: Option<&'a [u8]>,
    ) -> Result<(), Error> {
        let mut new = Self::boot(fabric, switch)?;
        let is_same_fabric = self.is_of_the_fabric_of(&new);
        if is_same_fabric {
            new.image.take_faults_of(self.image.fabric());
        }
        if let Some(faults) = faults {
            new.install_faults(faults)?;
        }
        new = self.succeeded_by(new)?;
        #[cfg(not(target_os = "none"))]
        {
            new.link_masks = self.link_masks.filter(|_| is_same_fabric);
        }
        *self = new;
        Ok(())
    }

    /// This switch with other tables, which [`Self::replace`] would take: it borrows nothing of the old ones, so their
    /// memory is free once the old switch is no longer used. A program with two banks of memory for tables writes the
    /// unused bank, and continues with the returned switch.
    ///
    /// Dead parts must be listed again, by a fault image in the same bank: the one in use or a later one. The new
    /// switch has no link masks.
    ///
    /// # Errors
    /// Those of [`Self::replace`]. [`Error::OldFaults`] if a later fault image is in use, or if none is given and one
    /// is in use; this switch is unchanged.
    ///
    /// # Example
    /// ```
    /// use tvlb_firmware_model::Switch;
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
    /// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
    /// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
    /// # let other = std::fs::read(format!("{golden}switch-00005-onward.tvlb"))?;
    /// # let (mut bank, mut other_bank) = ([0; 1024], [0; 1024]);
    /// # let (fabric, own) = (fabric_image.len(), fabric_image.len() + switch_image.len());
    /// // Two banks, each for a fabric image and a switch image.
    /// let write = |bank: &mut [u8], image: &[u8]| {
    ///     bank[..fabric].copy_from_slice(&fabric_image);
    ///     bank[fabric..fabric + image.len()].copy_from_slice(image);
    /// };
    /// write(&mut bank, &switch_image);
    /// let first = Switch::boot(&bank[..fabric], &bank[fabric..own])?;
    ///
    /// write(&mut other_bank, &other);
    /// let (to, length) = (&other_bank, fabric + other.len());
    /// let second = first.replaced(&to[..fabric], &to[fabric..length], None)?;
    /// // The first switch is used no more, and its bank takes the next tables.
    /// write(&mut bank, &switch_image);
    /// let third = second.replaced(&bank[..fabric], &bank[fabric..own], None)?;
    /// # assert_eq!(third.image().switch().0, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replaced<'b>(
        &self,
        fabric: &'b [u8],
        switch: &'b [u8],
        faults: Option<&'b [u8]>,
    ) -> Result<Switch<'b>, Error> {
        let mut new = Switch::boot(fabric, switch)?;
        if let Some(faults) = faults {
            new.install_faults(faults)?;
        }
        let (found, installed) = (new.image.fabric().epoch(), self.image.fabric().epoch());
        if self.is_of_the_fabric_of(&new) && found < installed {
            return Err(Error::OldFaults { found, installed });
        }
        self.succeeded_by(new)
    }

    fn is_of_the_fabric_of(&self, other: &Switch<'_>) -> bool {
        self.image.fabric().identity() == other.image.fabric().identity()
    }

    /// A switch that packets may meet instead of this one, booted for the same packets.
    fn succeeded_by<'b>(&self, new: Switch<'b>) -> Result<Switch<'b>, Error> {
        self.check_replacement(&new)?;
        let new = new.serving(self.booted_for, self.channels);
        Ok(Switch { sums_only: self.sums_only, ..new })
    }

    /// Takes a fault image: from now on exactly the parts that it lists are dead. Decodes and checks it beside the one
    /// in use, and only then puts it in its place, at boot or while packets fly.
    ///
    /// A step that was decided before but not yet taken may lead to a part that is now dead. Such a packet is decided
    /// again, as if it had just come: one from a node by [`Self::admit`], one from another switch with its original
    /// header. [`Self::replace`] and [`Self::replaced`] require the same.
    ///
    /// Paths over dead parts are no longer drawn; the remaining ones are drawn as uniformly as before.
    /// [`Self::forward`] refuses a packet in transit whose next cable or link is dead, but a MIN packet within a group
    /// goes through a third switch if it can. Virtual channels depend on a packet's header alone, so that no deadlock
    /// can form, whichever switches have taken the image.
    ///
    /// # Errors
    /// [`Error::FaultImage`], an invalid image, and [`Error::OldFaults`] if one of this epoch or a later one is in use,
    /// which continues to serve. So of two images of one epoch a switch keeps the first: a stale one cannot replace a
    /// newer one, and giving the same image again is refused and changes nothing. [`Error::TooFewChannels`] if this
    /// switch serves MIN with only the channels of direct paths, because MIN packets would have to go around the dead
    /// parts. Never panics, whatever the bytes.
    ///
    /// # Example
    /// ```
    /// use tvlb_firmware_model::{Error, Switch};
    /// use tvlb_schema::{End, FabricImage, FaultSet, GlobalPort, GroupId, encode_fault_image};
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
    /// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
    /// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
    /// // A host says that one cable is dead, and later that nothing is.
    /// let fabric = FabricImage::decode(&fabric_image)?;
    /// let cable = End { group: GroupId(0), port: GlobalPort(1) };
    /// let faults = FaultSet { cables: [cable].into(), ..FaultSet::default() };
    /// let (broken, mended) = (
    ///     encode_fault_image(&fabric, 1, &faults),
    ///     encode_fault_image(&fabric, 2, &FaultSet::default()),
    /// );
    ///
    /// let mut switch = Switch::boot(&fabric_image, &switch_image)?;
    /// switch.install_faults(&broken)?;
    /// assert!(!switch.image().fabric().has_live_cable(cable));
    /// switch.install_faults(&mended)?;
    /// assert!(switch.image().fabric().has_live_cable(cable));
    /// assert!(matches!(switch.install_faults(&broken), Err(Error::OldFaults { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn install_faults(&mut self, faults: &'a [u8]) -> Result<(), Error> {
        // Checked beside the one in use.
        let mut fabric = *self.image.fabric();
        fabric.install_faults(faults).map_err(Error::FaultImage)?;
        let (found, installed) = (fabric.epoch(), self.image.fabric().epoch());
        if found <= installed {
            return Err(Error::OldFaults { found, installed });
        }
        let in_use = *self.image.fabric();
        self.image.take_faults_of(&fabric);
        // Around dead parts MIN packets take more channels than their direct paths do.
        if matches!(self.booted_for.0, Scheme::Min)
            && let Err(error) = self.check_channels(self.booted_for, self.channels)
        {
            self.image.take_faults_of(&in_use);
            return Err(error);
        }
        Ok(())
    }

    /// Whether packets may meet `new` in place of this switch: see [`Self::replace`].
    ///
    /// # Errors
    /// [`Error::Replacement`], with what differs, [`Error::PartInUse`], [`Error::TooFewChannels`], or
    /// [`Error::SumsOnly`].
    pub fn check_replacement(&self, new: &Switch<'_>) -> Result<(), Error> {
        self.check_same(new)?;
        if self.sums_only {
            new.check_sums()?;
        }
        // As at boot: what packets need depends on the fabric as well, whatever their paths.
        new.check_channels(self.booted_for, self.channels)
    }

    /// Checks that the images of `new` are of this switch, of its assignment of channels, and of its fabric or one that
    /// differs only in unused parts.
    fn check_same(&self, new: &Switch<'_>) -> Result<(), Error> {
        let (old, new) = (&self.image, &new.image);
        for (what, needed, found) in [
            ("switch", u64::from(old.switch().0), u64::from(new.switch().0)),
            (
                "virtual-channel assignment",
                old.virtual_channels() as u64,
                new.virtual_channels() as u64,
            ),
        ] {
            if needed != found {
                return Err(Error::Replacement { what, found, needed });
            }
        }
        if old.fabric().identity() == new.fabric().identity() {
            return Ok(());
        }
        check_fabrics(old.fabric(), new.fabric())
    }

    /// Decides the path of a packet that a node of this switch sends, and its first step.
    ///
    /// Draws as many candidates of each kind that the scheme needs as the image says, and weighs the cheapest of each
    /// kind. VLB candidates are drawn only if MIN costs more than T, because otherwise MIN is taken whatever they cost,
    /// and if the gate, if there is one, lets VLB in. For a pair without a MIN path there is nothing to weigh: one VLB
    /// path is drawn. `credits` are read once for each candidate, and with a gate once for MIN's port and once for all
    /// links.
    ///
    /// # Errors
    /// The destination does not exist, or cannot be reached. [`Error::WrongScheme`] if this switch does not
    /// [serve](Self::serves) such packets. [`Error::SumsOnly`] if the image counts single virtual channels and `credits`
    /// are known as sums only.
    ///
    /// # Example
    /// ```
    /// use tvlb_firmware_model::rand_core::SeedableRng;
    /// use tvlb_firmware_model::{ByChannel, Choice, DefaultRng, Scheme, Step, Switch, VlbPaths};
    /// use tvlb_schema::NodeId;
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
    /// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
    /// # let switch_image = std::fs::read(format!("{golden}switch-00005-onward.tvlb"))?;
    /// let switch = Switch::boot(&fabric_image, &switch_image)?;
    /// let mut rng = DefaultRng::seed_from_u64(1);
    /// // Credits in use, by port and virtual channel: nothing waits, so the minimal path is taken.
    /// let idle = ByChannel { counters: &[0; 7 * 5], channels: 5 };
    /// let sent = switch.admit(NodeId(70), Scheme::UgalL, VlbPaths::Custom, &idle, &mut rng)?;
    /// assert_eq!(sent.choice, Choice::Min);
    /// assert!(matches!(sent.step, Step::Send { virtual_channel: 0, .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn admit(
        &self,
        destination: NodeId,
        scheme: Scheme,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Admission, Error> {
        decide::admit(self, destination, scheme, paths, credits, rng)
    }

    /// A MIN path and a VLB path, as for UGAL-L's decision, for a program that decides between them by rules of its
    /// own: `None` if there is none, and both `None` if the destination is a node of this switch.
    ///
    /// # Errors
    /// The destination does not exist, or cannot be reached, or [`Error::WrongScheme`] as in [`Self::admit`] for
    /// UGAL-L.
    pub fn draw_paths(
        &self,
        destination: NodeId,
        paths: VlbPaths,
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<[Option<DrawnPath>; 2], Error> {
        decide::draw_paths(self, destination, paths, rng)
    }

    /// PAR's second look: at the second switch, if the packet took MIN and is still in its source group, MIN is weighed
    /// against VLB paths from here, as at the source. Depending on the image, MIN is the rest of the packet's own path,
    /// or MIN paths drawn here, which may begin with a second local hop. Returns the header to continue with, for
    /// [`Self::forward`]. The header of any other packet comes back unchanged.
    ///
    /// # Errors
    /// The header is open and makes no sense here, or [`Error::SumsOnly`] or [`Error::WrongScheme`] as by [`Self::admit`].
    #[inline]
    pub fn reconsider(
        &self,
        header: Header,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Header, Error> {
        par::reconsider(self, header, paths, credits, rng)
    }

    /// For a VLB packet of a scheme that arrives in its intermediate group: the header to continue with, for
    /// [`Self::forward`]. If the image says so ([`Onward::Cheapest`]), it leads to the cheapest link to the group of
    /// its destination instead of the drawn one. The header of any other packet comes back unchanged. A switch that
    /// never calls this sends packets on as they were drawn, which does no harm.
    ///
    /// `credits` are read once for each way that is weighed, at most five times.
    ///
    /// # Errors
    /// [`Error::SumsOnly`] as by [`Self::admit`].
    #[inline]
    pub fn look_onward(
        &self,
        header: Header,
        scheme: Scheme,
        credits: &(impl Credits + ?Sized),
    ) -> Result<Header, Error> {
        onward::look(self, header, scheme, credits, &mut ())
    }

    /// Whether [`Self::look_onward`] has anything to weigh for packets of a scheme.
    #[inline]
    pub fn looks_onward(&self, scheme: Scheme) -> bool {
        self.image.weighing(scheme.decision()).onward == Onward::Cheapest
    }

    /// The next step of a packet at this switch with this header.
    ///
    /// Constant time; the wiring is used only for whether the port has a cable. If two switches of a group share
    /// several links or none, their number is looked up by a search of a sorted list, and if they share none, a third
    /// switch is searched, in time proportional to the switches of the group. The fields that the step depends on are
    /// checked, the rest of the header is left to later switches.
    ///
    /// For a header in range, a step follows from stage, kind and virtual channel and, besides, only from the
    /// following. On the way to another group: from x in the source group, and after it from y; where a packet arrives
    /// in its intermediate group, from the detour, and from y only if the detour is this switch or y's. In the
    /// destination's group: from the destination, and from the detour of a VLB packet that begins there. The whole
    /// route decides which of several links to one switch of the group a packet takes, and through which third switch a
    /// MIN packet goes.
    ///
    /// # Errors
    /// The header makes no sense here. All bit patterns end in `Ok` or `Err`, and a packet is delivered or refused
    /// after at most 7 steps, wherever it begins.
    ///
    /// # Example
    /// ```
    /// use tvlb_firmware_model::rand_core::SeedableRng;
    /// use tvlb_firmware_model::{ByChannel, DefaultRng, Header, Scheme, Step, Switch, VlbPaths};
    /// use tvlb_schema::{NodeId, Port};
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
    /// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
    /// # let switch_image = std::fs::read(format!("{golden}switch-00005-onward.tvlb"))?;
    /// let switch = Switch::boot(&fabric_image, &switch_image)?;
    /// // A packet from the second of this switch's nodes to the first comes back at once.
    /// let (mut rng, idle) = (DefaultRng::seed_from_u64(1), ByChannel { counters: &[0; 7 * 5], channels: 5 });
    /// let sent = switch.admit(NodeId(10), Scheme::Min, VlbPaths::Custom, &idle, &mut rng)?;
    /// assert_eq!(sent.step, Step::Deliver { port: Port(0) });
    /// // Any bits may arrive; those that make no sense are an error and no more.
    /// assert!(switch.forward(Header::from_bits(u64::MAX)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn forward(&self, header: Header) -> Result<Step, Error> {
        forward::forward(self, header)
    }

    /// The decision of [`Self::admit`] for the same inputs, with its reasons.
    ///
    /// # Errors
    /// Those of [`Self::admit`].
    ///
    /// # Example
    /// ```
    /// use tvlb_firmware_model::rand_core::SeedableRng;
    /// use tvlb_firmware_model::{ByChannel, DefaultRng, Scheme, Switch, VlbPaths};
    /// use tvlb_schema::NodeId;
    ///
    /// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
    /// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
    /// # let switch_image = std::fs::read(format!("{golden}switch-00005-onward.tvlb"))?;
    /// let switch = Switch::boot(&fabric_image, &switch_image)?;
    /// let (mut rng, full) = (DefaultRng::seed_from_u64(1), ByChannel { counters: &[20; 7 * 5], channels: 5 });
    /// let why = switch.explain(NodeId(70), Scheme::UgalL, VlbPaths::Custom, &full, &mut rng)?;
    /// // All queues are the same, so the fewer hops of the minimal path decide.
    /// let (min, vlb) = (why.min.expect("it was drawn"), why.vlb.expect("it was drawn"));
    /// assert!((min.queue, vlb.queue) == (20, 20) && min.hops <= vlb.hops);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(
        &self,
        destination: NodeId,
        scheme: Scheme,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Explanation<Admission>, Error> {
        explain::explain(self, destination, scheme, paths, credits, rng)
    }

    /// The decision of [`Self::reconsider`] for the same inputs, with its reasons. A packet that gets no second look
    /// has no candidates.
    ///
    /// # Errors
    /// Those of [`Self::reconsider`].
    pub fn explain_again(
        &self,
        header: Header,
        paths: VlbPaths,
        credits: &(impl Credits + ?Sized),
        rng: &mut (impl Rng + ?Sized),
    ) -> Result<Explanation<Header>, Error> {
        explain::explain_again(self, header, paths, credits, rng)
    }

    /// The answer of [`Self::look_onward`], with its reasons: `vlb` is the taken way, and `vlb_drawn` are all that were
    /// weighed, the drawn one first if it is live. A packet that is not looked at has no candidates.
    ///
    /// # Errors
    /// Those of [`Self::look_onward`].
    pub fn explain_onward(
        &self,
        header: Header,
        scheme: Scheme,
        credits: &(impl Credits + ?Sized),
    ) -> Result<Explanation<Header>, Error> {
        explain::explain_onward(self, header, scheme, credits)
    }

    /// Every VLB route to `destination` that a decision's set keeps, without repetition, with its shape.
    ///
    /// For tools and tests: the time grows with the number of routes.
    pub fn for_each_route(
        &self,
        decision: Decision,
        destination: tvlb_schema::SwitchId,
        each: impl FnMut(Route, Shape),
    ) {
        self.visit_routes(decision, destination, each);
    }

    /// Every way in which a decision's set draws a route to `destination`, if it is drawn by intermediate switch: the
    /// route, its shape, and how many pairs of shortest legs its intermediate switch has. Each switch of the set is
    /// drawn equally often, and each of its ways equally often; if the set excludes walks that return, these are left
    /// out. For a set that is drawn by triple: every triple, each drawn equally often. Calls nothing for other sets.
    ///
    /// For tools and tests: the time grows with the number of switches.
    pub fn for_each_way(
        &self,
        decision: Decision,
        destination: tvlb_schema::SwitchId,
        each: impl FnMut(Route, Shape, u32),
    ) {
        self.visit_ways(decision, destination, each);
    }

    /// The virtual channel on which packets leave their source group after a local hop. Switches that tell the others
    /// of their group about queues tell that of this channel ([`GroupQueues`](crate::GroupQueues)).
    pub const fn leaving_channel(&self) -> u8 {
        FirstChannels::of(Decision::ParSecond, self.image.virtual_channels()).global
    }

    /// The virtual channels that its packets may get: those of [`Self::with_channels`], or the most that the image's
    /// assignment can use.
    pub const fn channels(&self) -> Channels {
        self.channels
    }

    /// The image it booted from.
    pub const fn image(&self) -> &SwitchImage<'a> {
        &self.image
    }

    /// The switch at the other end of the planned cable or local link at a physical port, live or not, by its group and
    /// its index in the group; `Dragonfly::switch` has its number in the fabric, which C's `tvlb_neighbour` returns.
    /// `None` for a terminal, an unused port or one that does not exist.
    pub fn neighbour(&self, port: Port) -> Option<(GroupId, SwitchIndex)> {
        let df = self.dragonfly();
        let (here, number) = (self.image.index(), u32::from(port.0));
        if number < df.p() {
            return None;
        }
        if !df.is_slot(port) {
            let group = self.image.group();
            let (index, k) = df.local_end(self.image.switches_of_group(), here, port)?;
            let is_there = k < self.image.fabric().planned_local_links(group, here, index);
            return is_there.then_some((group, index));
        }
        let slot = port.0 - df.slot_port(0).0;
        let End { group, port } = self.image.peer(slot)?;
        Some((group, df.split_port(port).0))
    }

    /// A switch and where it is.
    #[inline]
    pub(crate) fn place(&self, switch: tvlb_schema::SwitchId) -> Place {
        let (group, index) = self.dragonfly().place(switch);
        Place { switch, group, index }
    }

    #[inline]
    pub(crate) const fn dragonfly(&self) -> &Dragonfly {
        self.image.fabric().dragonfly()
    }
}
