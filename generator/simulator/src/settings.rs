//! The parts of a run besides the images, and which settings are valid.
//!
//! The defaults are those of the published figures: virtual-channel buffers of 32 flits ([`Settings::with_buffer`]
//! gives them as many as longer links need), latencies 10 and 15, an internal speed-up of 2, three windows of warm-up
//! and a measured one, of 10,000 cycles each; saturated above a mean latency of 500 cycles. [`Measuring`] can request
//! more measured windows.

use crate::agreement::{AGREEING_WINDOWS, MOST_WINDOWS};
use crate::fabric::{BootedFabric, BootedFor};
use crate::scheme::Scheme;
use crate::setting_values::{Buffers, Deciding, MOST_BUFFER, MOST_LATENCY, Measuring};
use tvlb_base::parameter::{self, Parameters as _, Stated};
use tvlb_base::text::Refused;
use tvlb_firmware_model::{self as datapath, Channels, VlbPaths};
use tvlb_schema::{Bandwidths, LinkKind, VcScheme, WindowLimits};
use tvlb_table_set::{FabricEntry, Injection};

/// Why MIN needs more channels than direct paths take.
const DETOURS: &str = "if links are dead or missing, MIN packets go around them, or by VLB";
/// The default period, in cycles, with which switches tell each other about their global ports.
const USUAL_TELLING: u16 = 16;
/// The most virtual channels: the packet header has three bits for one.
pub(crate) const MOST_CHANNELS: u8 = 8;
/// The flits of a buffer of links that need no more.
const USUAL_BUFFER: u16 = 32;
/// The most internal cycles per channel cycle.
pub(crate) const MOST_SPEEDUP: u8 = 4;
/// The most cycles of all windows of a run together.
pub const MOST_CYCLES: u32 = 1_000_000_000;

/// The links of a fabric file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSpec {
    pub local_latency_cycles: u16,
    pub global_latency_cycles: u16,
    pub bandwidths: Bandwidths,
    /// The size of the buffer of one virtual channel, if the file states it.
    pub buffer_flits: Option<u16>,
    /// When the windows of sources close, if packets are acknowledged; `None` if unknown.
    pub destination_window: Option<WindowLimits>,
    /// Which virtual channel nodes send to.
    pub injection: Injection,
    /// The period, in cycles, with which the switches of a group tell each other about their global ports; `None` if
    /// they do not.
    pub telling_cycles: Option<u16>,
}

/// The number of packets under way to one switch at which a window is full. Numbers between 16 and 64 make no
/// difference (docs/measurements/step-2.md, Windows).
const WINDOW_PACKETS: u16 = 32;

impl LinkSpec {
    /// An empty network's latency over the longest VLB path, in cycles: 4 local and 2 global hops.
    pub fn longest_latency(self) -> u32 {
        let [local, global] =
            [self.local_latency_cycles, self.global_latency_cycles].map(u32::from);
        5 + 4 * (local + 2) + 2 * (global + 2)
    }

    /// The mean latency, in cycles, above which a network whose groups have this many switches is saturated: well above
    /// that of an empty network, and of the longest queue at a gateway. That is everything that all other switches of
    /// its group can have on the way to it, which its link takes as many gaps to send on.
    pub fn saturated_latency(self, switches: u32) -> u32 {
        let buffer = Settings::usual().on(self, &Stated::default()).buffers.local;
        let gap = u64::from(self.bandwidths.gap_256ths(LinkKind::Global));
        let queue = u64::from(switches.saturating_sub(1)) * u64::from(buffer) * gap / 256;
        let queue = u32::try_from(5 * queue / 8).unwrap_or(u32::MAX);
        (7 * self.longest_latency() / 4).max(queue)
    }

    /// When the windows of sources are to close in a network whose groups have this many switches: at delays of a
    /// saturated network.
    pub fn window_limits(self, switches: u32) -> WindowLimits {
        let delay = u16::try_from(self.saturated_latency(switches)).unwrap_or(u16::MAX);
        let delay_cycles = delay.min(WindowLimits::MOST_DELAY);
        WindowLimits { delay_cycles, packets: WINDOW_PACKETS }
    }
}

impl Default for LinkSpec {
    fn default() -> Self {
        Self {
            local_latency_cycles: 10,
            global_latency_cycles: 15,
            bandwidths: Bandwidths::ALIKE,
            buffer_flits: None,
            destination_window: None,
            injection: Injection::Zero,
            telling_cycles: None,
        }
    }
}

/// From a manifest. A latency that does not fit is refused with the other settings.
impl From<&FabricEntry> for LinkSpec {
    fn from(fabric: &FabricEntry) -> Self {
        let cycles = |latency| u16::try_from(latency).unwrap_or(u16::MAX);
        Self {
            local_latency_cycles: cycles(fabric.local_latency),
            global_latency_cycles: cycles(fabric.global_latency),
            bandwidths: fabric.bandwidths,
            buffer_flits: fabric.buffer,
            destination_window: fabric.destination_window,
            injection: fabric.injection,
            telling_cycles: fabric.telling,
        }
    }
}

/// Everything about a run except the images, the traffic, the load and the seed.
///
/// # Example
/// ```
/// use tvlb_firmware_model::VlbPaths;
/// use tvlb_simulator::{Scheme, Settings};
///
/// // Table 3 of Rahman et al. (SC'19), but for shorter windows.
/// let settings = Settings { window_cycles: 1000, ..Settings::new(Scheme::Par, VlbPaths::Custom) };
/// assert_eq!((settings.buffers.local, settings.local_latency_cycles, settings.global_latency_cycles), (32, 10, 15));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How a source switch chooses between MIN and VLB.
    pub scheme: Scheme,
    /// Where VLB candidates come from.
    pub paths: VlbPaths,
    /// How virtual channels are assigned, unless as in the images. Images are made or changed for it before they boot
    /// ([`Revision`](crate::Revision)).
    pub vc_scheme: Option<VcScheme>,
    /// Virtual channels of every link; by default as many as the scheme needs.
    pub virtual_channels: Option<u8>,
    /// Which of them nodes send to.
    pub injection: Injection,
    /// When a packet's path is decided.
    pub decide: Deciding,
    /// When the windows of sources close, if they have windows.
    pub destination_window: Option<WindowLimits>,
    /// Cycles from the arrival of a packet at its node until its source knows of it, if sources have windows;
    /// [`Self::acknowledgement`] by default.
    pub acknowledgement_cycles: Option<u16>,
    /// The period, in cycles, with which switches tell the others of their group about their global ports, under
    /// [`Scheme::UgalGroup`].
    pub telling_cycles: u16,
    /// How many flits the buffer of one virtual channel holds.
    pub buffers: Buffers,
    /// Cycles that a flit spends on a link within a group.
    pub local_latency_cycles: u16,
    /// Cycles that a flit spends on a link between groups.
    pub global_latency_cycles: u16,
    /// Cycles that a flit spends between a node and its switch.
    pub node_latency_cycles: u16,
    /// How fast the kinds of links are, relative to each other: a cycle is the time of a flit on a link of the fastest
    /// kind.
    pub bandwidths: Bandwidths,
    /// Cycles that a switch takes to act on a credit that has arrived.
    pub credit_delay_cycles: u16,
    /// How often the switch's pipeline runs in a cycle of the links.
    pub speedup: u8,
    /// How many cycles one window has.
    pub window_cycles: u32,
    /// Windows that pass before the first one that is measured.
    pub warm_up_windows: u32,
    /// How many windows are measured.
    pub measuring: Measuring,
    /// A run counts as saturated if its mean latency is above this.
    pub latency_limit_cycles: u32,
    /// After how many cycles without movement the watchdog searches for a deadlock.
    pub patience_cycles: u32,
}

impl Settings {
    /// The defaults, for a scheme and its VLB paths.
    pub const fn new(scheme: Scheme, paths: VlbPaths) -> Self {
        Self {
            scheme,
            paths,
            vc_scheme: None,
            virtual_channels: None,
            injection: Injection::Zero,
            decide: Deciding::Sending,
            destination_window: None,
            acknowledgement_cycles: None,
            telling_cycles: USUAL_TELLING,
            buffers: Buffers::all(USUAL_BUFFER),
            local_latency_cycles: 10,
            global_latency_cycles: 15,
            node_latency_cycles: 1,
            bandwidths: Bandwidths::ALIKE,
            credit_delay_cycles: 2,
            speedup: 2,
            window_cycles: 10_000,
            warm_up_windows: 3,
            measuring: Measuring::OneWindow,
            latency_limit_cycles: 500,
            patience_cycles: 5_000,
        }
    }

    /// These settings with buffers of this many flits; if no number is given, with as many as are under way on the
    /// longest link, there and back with the credit delay, and at least 32. Call it once latencies have their final
    /// values.
    #[must_use]
    pub fn with_buffer(self, flits: Option<Buffers>) -> Self {
        let longest = LinkKind::ALL.map(|kind| self.round_trip(kind)).into_iter().max();
        let longest = u16::try_from(longest.unwrap_or_default()).unwrap_or(u16::MAX);
        let usual = Buffers::all(longest.max(USUAL_BUFFER));
        Self { buffers: flits.unwrap_or(usual), ..self }
    }

    /// These settings on the links of a fabric file, overridden by what has been stated. Buffers stated by neither are
    /// those of [`Self::with_buffer`].
    #[must_use]
    pub fn on(self, links: LinkSpec, stated: &Stated<Self>) -> Self {
        let LinkSpec {
            local_latency_cycles,
            global_latency_cycles,
            bandwidths,
            buffer_flits,
            destination_window,
            injection,
            telling_cycles,
        } = links;
        let on_links = Self {
            local_latency_cycles,
            global_latency_cycles,
            bandwidths,
            injection,
            telling_cycles: telling_cycles.unwrap_or(USUAL_TELLING),
            ..self
        };
        let mut settings = stated.over(on_links);
        // Stating the time of an acknowledgement implies acknowledgements.
        if stated.has("acknowledgement") && !stated.has("destination-window") {
            settings.destination_window = destination_window;
        }
        if stated.has("buffer") {
            return settings;
        }
        settings.with_buffer(buffer_flits.map(Buffers::all))
    }

    /// Cycles that a flit takes over a link.
    pub(crate) const fn latency(&self, kind: LinkKind) -> u16 {
        match kind {
            LinkKind::Node => self.node_latency_cycles,
            LinkKind::Local => self.local_latency_cycles,
            LinkKind::Global => self.global_latency_cycles,
        }
    }

    /// Cycles from the arrival of a packet at its node until its source knows of it. By default: the time of a packet
    /// that waits for nothing from node to node, by a link between groups and one within each group, and the credit
    /// delay.
    pub fn acknowledgement(&self) -> u32 {
        let link = |kind| u32::from(self.latency(kind)) + 1;
        let links = 2 * link(LinkKind::Node) + 2 * link(LinkKind::Local) + link(LinkKind::Global);
        self.acknowledgement_cycles
            .map_or_else(|| links + u32::from(self.credit_delay_cycles), u32::from)
    }

    /// Cycles from a flit's departure to the use of the credit for it, without those at switches.
    pub(crate) fn round_trip(&self, kind: LinkKind) -> u32 {
        2 * u32::from(self.latency(kind)) + u32::from(self.credit_delay_cycles)
    }

    /// What the switches of a run with these settings boot for, given the virtual channels of its links.
    pub(crate) const fn booted_for(&self, channels: u8) -> BootedFor {
        let channels = Channels { local: channels, global: channels };
        BootedFor { scheme: self.scheme.of_switch(), paths: self.paths, channels }
    }

    /// The virtual channels of a link: the requested number, or else as many as packets need, which is fewer if they
    /// take paths of sets without the longest routes. MIN then has those of UGAL-L, so that the two are compared with
    /// equal buffers; it may get as few as its direct paths take if there are no other MIN paths.
    ///
    /// # Errors
    /// Fewer are requested than the packets need, or their assignment does not suit the wiring.
    pub fn channels(&self, fabric: &BootedFabric<'_>) -> Result<u8, Refused> {
        fabric.check_assignment()?;
        let scheme = self.scheme.of_switch();
        let least = fabric.least_channels(scheme, self.paths);
        let usual = fabric.usual_channels(scheme, self.paths);
        let (needed, most) = (least.most(), self.channels_of_any_path(fabric));
        let found = self.virtual_channels.unwrap_or(usual.most());
        if found < needed {
            let why = if self.scheme == Scheme::Min && least != usual {
                "a MIN packet makes up to one local hop in the source and one in the destination group"
            } else if self.scheme == Scheme::Min {
                DETOURS
            } else if needed < most {
                "the longest paths of the images' sets, or one around a dead link, take so many"
            } else if self.scheme == Scheme::Par {
                "a packet that PAR diverts at the second switch makes up to two local hops in \
                 the source group, two in the intermediate and one in the destination group"
            } else {
                "a VLB packet makes up to one local hop in the source group, two in the \
                 intermediate and one in the destination group"
            };
            return Err(self.too_few(fabric, (found, needed), why));
        }
        Ok(found)
    }

    /// The channels of a link in a run in which parts die or tables change. Unless the settings say how many, those of
    /// any path: around dead parts packets take paths that sets leave out, and tables of an update may have other sets.
    ///
    /// # Errors
    /// MIN is given the channels of direct paths alone.
    pub(crate) fn channels_around(
        &self,
        fabric: &BootedFabric<'_>,
        channels: u8,
    ) -> Result<u8, Refused> {
        let usual = fabric.usual_channels(self.scheme.of_switch(), self.paths).most();
        match self.virtual_channels {
            None => Ok(channels.max(self.channels_of_any_path(fabric))),
            Some(found) if self.scheme == Scheme::Min && found < usual => {
                Err(self.too_few(fabric, (found, usual), DETOURS))
            }
            Some(_) => Ok(channels),
        }
    }

    pub(crate) fn too_few(
        &self,
        fabric: &BootedFabric<'_>,
        (found, needed): (u8, u8),
        why: &str,
    ) -> Refused {
        let (scheme, assignment) = (self.scheme.name(), fabric.vc_scheme().name());
        let text = format!(
            "{found} virtual channels, but {scheme} needs {needed} under \"{assignment}\": {why}; fewer could \
             deadlock"
        );
        Refused::new(text, "")
    }

    /// The virtual channels that are enough for any path of the scheme.
    pub(crate) fn channels_of_any_path(&self, fabric: &BootedFabric<'_>) -> u8 {
        let scheme = self.scheme.of_switch();
        let needed = fabric.switches().first().map(|switch| switch.channels_needed(scheme));
        needed.map_or(Channels::MOST.most(), Channels::most)
    }

    /// Checks everything, including the loads to run; returns the number of virtual channels.
    pub(crate) fn check_with(
        &self,
        fabric: &BootedFabric<'_>,
        loads: &[f64],
    ) -> Result<u8, Refused> {
        self.check()?;
        if let Some(found) = loads.iter().find(|&&load| !(load > 0.0 && load <= 1.0)) {
            let accepted = "above 0 and at most 1 (flits per node and cycle)";
            return Err(Refused::new(format!("load is {found}"), accepted));
        }
        let channels = self.channels(fabric)?;
        self.check_memory(fabric.dragonfly(), channels)?;
        Ok(channels)
    }

    /// Checks everything that does not depend on the fabric.
    ///
    /// # Errors
    /// The first setting that is out of range, or that another one does not allow.
    pub fn check(&self) -> Result<(), Refused> {
        let within = Refused::unless_within;
        parameter::check(self)?;
        within("buffer", self.buffers.local.into(), 1, MOST_BUFFER.into())?;
        within("buffer between groups", self.buffers.global.into(), 1, MOST_BUFFER.into())?;
        self.bandwidths.check().map_err(|error| Refused::new(error.to_string(), ""))?;
        if let Some(WindowLimits { delay_cycles, packets }) = self.destination_window {
            let (longest, most) = (WindowLimits::MOST_DELAY.into(), u16::MAX.into());
            within("delay of the destination window", delay_cycles.into(), 0, longest)?;
            within("packets of the destination window", packets.into(), 1, most)?;
            let (found, least) = (self.acknowledgement(), least_control_latency(self));
            within("acknowledgement", found, least, MOST_LATENCY.into())?;
        }
        if self.scheme == Scheme::UgalG && self.decide == Deciding::Head {
            let found = "decide is head with scheme ugal-g";
            let accepted =
                "sending, as ugal-g sees the queues of all switches only between two cycles";
            return Err(Refused::new(found, accepted));
        }
        let most_windows = match self.measuring {
            Measuring::OneWindow => self.warm_up_windows + 1,
            Measuring::UntilWindowsAgree => {
                let (found, most) = (self.warm_up_windows, MOST_WINDOWS - AGREEING_WINDOWS);
                if found > most {
                    let accepted = format!(
                        "0 to {most} where a run measures until windows agree: it has {MOST_WINDOWS} windows at most, and \
                         {AGREEING_WINDOWS} of them have to agree"
                    );
                    return Err(Refused::new(format!("warm-up is {found}"), accepted));
                }
                MOST_WINDOWS
            }
        };
        within("patience", self.patience_cycles, 100, 1_000_000_000)?;
        let cycles = u64::from(self.window_cycles) * u64::from(most_windows);
        if cycles > u64::from(MOST_CYCLES) {
            let found = format!("the windows add up to {cycles} cycles");
            return Err(Refused::new(found, format!("at most {MOST_CYCLES}")));
        }
        Ok(())
    }
}

/// The least number of cycles after which a node can know of an event at another: as many as chunks of switches run
/// ahead of each other. That is one cycle more than the shorter latency of links between switches, and under PAR one
/// more than the latency of global links. Under UGAL-G chunks keep in step, which would allow less, but the schemes
/// should be comparable.
pub fn least_control_latency(settings: &Settings) -> u32 {
    let Settings { local_latency_cycles: local, global_latency_cycles: global, .. } = *settings;
    u32::from(if settings.scheme == Scheme::Par { global } else { local.min(global) }) + 1
}

/// The name of where VLB paths come from, on the command line and in reports.
pub const fn paths_name(paths: VlbPaths) -> &'static str {
    match paths {
        VlbPaths::Conventional => "conventional",
        VlbPaths::Custom => "custom",
    }
}

/// A scheme by name.
///
/// # Errors
/// Those of the serializer.
pub fn by_scheme_name<S: serde::Serializer>(
    scheme: &datapath::Scheme,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.serialize_str(scheme.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_hold_what_is_under_way_on_the_longest_link() {
        let usual = Settings::new(Scheme::Min, VlbPaths::Custom);
        assert_eq!(usual.clone().with_buffer(None), usual);
        let long = Settings { global_latency_cycles: 100, ..usual.clone() };
        assert_eq!(long.clone().with_buffer(None).buffers, Buffers::all(202));
        assert_eq!(long.with_buffer(Some(Buffers::all(7))).buffers, Buffers::all(7));
        let most = crate::MOST_LATENCY;
        let node = Settings { node_latency_cycles: most, credit_delay_cycles: most, ..usual };
        let longest = node.with_buffer(None);
        assert_eq!(longest.buffers, Buffers::all(MOST_BUFFER));
        assert!(longest.check().is_ok());
    }

    #[test]
    fn no_buffer_is_empty() {
        let usual = Settings::new(Scheme::Min, VlbPaths::Custom);
        let none = Settings { buffers: Buffers { local: 32, global: 0 }, ..usual };
        insta::assert_snapshot!(none.check().unwrap_err(), @"buffer between groups is 0, accepted 1 to 30000");
    }

    #[test]
    fn ugal_g_decides_as_packets_are_sent() {
        let usual = Settings::new(Scheme::UgalG, VlbPaths::Custom);
        assert_eq!(usual.check(), Ok(()));
        let refused = Settings { decide: Deciding::Head, ..usual }.check().unwrap_err();
        insta::assert_snapshot!(refused, @"decide is head with scheme ugal-g, accepted sending, as ugal-g sees the queues of all switches only between two cycles");
    }
}
