//! What a run is made of besides the images, and which settings make sense.
//!
//! The defaults are those of the published figures: virtual-channel buffers of 32 flits
//! ([`Settings::with_buffer`] gives them as many as longer links need), latencies 10 and 15, an internal speed-up of 2, three windows of warm-up and one that is
//! measured, of 10,000 cycles each; saturated above a mean latency of 500 cycles. [`Measuring`] can
//! ask for more measured windows.

use crate::agreement::{AGREEING_WINDOWS, MOST_WINDOWS};
use crate::fabric::BootedFabric;
use crate::scheme::Scheme;
use std::fmt;
use std::str::FromStr;
use tvlb_base::text::Refused;
use tvlb_firmware_model::{self as datapath, Channels, VlbPaths};
use tvlb_schema::{Bandwidths, LinkKind};

/// Why MIN needs more channels than direct paths take.
const DETOURS: &str = "where links are dead or missing, MIN packets go around them, or by VLB";
/// The most virtual channels: the packet header has three bits for one.
pub(crate) const MOST_CHANNELS: u8 = 8;
/// The most cycles that a latency may be, here and in a fabric file.
pub const MOST_LATENCY: u16 = 10_000;
/// The most flits that a buffer may hold, here and in a fabric file: as many as are under way, there and back, on a link
/// of the largest latency with the largest credit delay.
pub const MOST_BUFFER: u16 = 3 * MOST_LATENCY;
/// The flits of a buffer of links that need no more.
const USUAL_BUFFER: u16 = 32;
/// Cycles that switches take for a flit and for the credit that comes back for it, besides the links and the
/// credit delay.
const CYCLES_AT_SWITCHES: u32 = 2;
/// The most internal cycles per channel cycle.
pub(crate) const MOST_SPEEDUP: u8 = 4;
/// The most cycles of all windows of a run together.
pub const MOST_CYCLES: u32 = 1_000_000_000;

/// How many flits the buffer of one virtual channel holds, by the kind of link. As text it is one number for all links,
/// or two: `32/256` for links to nodes and within groups, and for links between groups.
///
/// # Example
/// ```
/// use tvlb_simulator::Buffers;
///
/// assert_eq!("32".parse(), Ok(Buffers::all(32)));
/// assert_eq!("32/256".parse(), Ok(Buffers { local: 32, global: 256 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Those of links within groups, and between nodes and switches, 1 to [`MOST_BUFFER`].
    pub local: u16,
    /// Those of links between groups, 1 to [`MOST_BUFFER`].
    pub global: u16,
}

impl Buffers {
    /// The same for all links.
    pub const fn all(flits: u16) -> Self {
        Self { local: flits, global: flits }
    }

    /// Those of one kind of link.
    pub const fn of(self, kind: LinkKind) -> u16 {
        match kind {
            LinkKind::Node | LinkKind::Local => self.local,
            LinkKind::Global => self.global,
        }
    }

    pub(crate) const fn most(self) -> u16 {
        if self.local > self.global { self.local } else { self.global }
    }
}

impl fmt::Display for Buffers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { local, global } if local == global => write!(f, "{local}"),
            Self { local, global } => write!(f, "{local}/{global}"),
        }
    }
}

impl FromStr for Buffers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (local, global) = text.split_once('/').unwrap_or((text, text));
        let number = |text: &str| text.parse::<u16>().ok();
        let read = number(local).zip(number(global)).map(|(local, global)| Self { local, global });
        read.ok_or_else(|| {
            format!(
                "accepted a number from 1 to {MOST_BUFFER}, or two as in 32/256: of links within groups and between them"
            )
        })
    }
}

/// One number as such, so that the settings of runs that are kept stay the same text.
impl serde::Serialize for Buffers {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.local == self.global {
            return to.serialize_u16(self.local);
        }
        to.collect_str(self)
    }
}

/// Which virtual channel of the terminal's input a node sends to.
///
/// No other flit waits for these buffers, so neither choice can close a cycle of channels that
/// wait for each other. What differs is how far a packet that is blocked holds up the packets
/// behind it that go elsewhere.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Injection {
    /// Always virtual channel 0.
    #[default]
    Zero,
    /// A virtual channel that is drawn for each packet.
    Random,
}

impl Injection {
    /// The name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Random => "random",
        }
    }
}

/// When the path of a packet is decided. In a switch it is a matter of when
/// [`admit`](tvlb_firmware_model::Switch::admit) is called.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Deciding {
    /// As its node sends it, from the credits of that moment: as many packets as the buffer holds may leave the
    /// switch before it.
    #[default]
    Sending,
    /// As it becomes the head of its buffer at the switch.
    Head,
}

impl Deciding {
    /// The name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sending => "sending",
            Self::Head => "head",
        }
    }

    /// Whether this is what the papers' simulators do.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
    const fn is_usual(&self) -> bool {
        matches!(self, Self::Sending)
    }
}

/// How many windows a run measures after its warm-up.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Measuring {
    #[default]
    OneWindow,
    /// As many windows as it takes until each of three in a row changes the mean latency of all
    /// that are measured by at most 5%, but at most ten with those of the warm-up, and none after
    /// one at whose end the mean latency is bound to pass the limit.
    UntilWindowsAgree,
}

impl Measuring {
    /// What is measured where nothing else is said. A search for saturation asks about loads at which a single
    /// window ends before queues are as long as they become.
    pub const fn usual(is_search: bool) -> Self {
        if is_search { Self::UntilWindowsAgree } else { Self::OneWindow }
    }

    /// The name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneWindow => "one-window",
            Self::UntilWindowsAgree => "until-windows-agree",
        }
    }
}

/// Everything about a run but the images, the traffic, the load and the seed.
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
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// How a source switch chooses between MIN and VLB.
    pub scheme: Scheme,
    /// Where VLB candidates come from.
    #[serde(serialize_with = "by_paths_name")]
    pub paths: VlbPaths,
    /// Virtual channels of every link; by default as many as the scheme needs.
    pub virtual_channels: Option<u8>,
    /// Which of them nodes send to.
    pub injection: Injection,
    /// When a packet's path is decided. Written only where it is not as it is sent, so that the settings of runs that
    /// are kept stay the same text.
    #[serde(skip_serializing_if = "Deciding::is_usual")]
    pub decide: Deciding,
    /// How many flits the buffer of one virtual channel holds.
    #[serde(rename = "buffer")]
    pub buffers: Buffers,
    /// Cycles that a flit spends on a link within a group.
    #[serde(rename = "local-latency")]
    pub local_latency_cycles: u16,
    /// Cycles that a flit spends on a link between groups.
    #[serde(rename = "global-latency")]
    pub global_latency_cycles: u16,
    /// Cycles that a flit spends between a node and its switch.
    #[serde(rename = "node-latency")]
    pub node_latency_cycles: u16,
    /// How fast the kinds of links are, relative to each other: a cycle is what a flit takes on a link
    /// of the fastest kind. Written only where they differ, so that the settings of earlier runs, which
    /// kept runs are named by, are still the same text.
    #[serde(skip_serializing_if = "Bandwidths::are_equal")]
    pub bandwidths: Bandwidths,
    /// Cycles that a switch takes to act on a credit that has arrived.
    #[serde(rename = "credit-delay")]
    pub credit_delay_cycles: u16,
    /// How often the switch's pipeline runs in a cycle of the links.
    pub speedup: u8,
    /// How many cycles one window has.
    #[serde(rename = "window")]
    pub window_cycles: u32,
    /// Windows that pass before the first one that is measured.
    #[serde(rename = "warm-up")]
    pub warm_up_windows: u32,
    /// How many windows are measured.
    #[serde(rename = "measure")]
    pub measuring: Measuring,
    /// A run counts as saturated if its mean latency is above this.
    #[serde(rename = "latency-limit")]
    pub latency_limit_cycles: u32,
    /// After how many cycles in which nothing moves the watchdog looks for a deadlock.
    #[serde(rename = "patience")]
    pub patience_cycles: u32,
}

impl Settings {
    /// The defaults, for a scheme and its VLB paths.
    pub const fn new(scheme: Scheme, paths: VlbPaths) -> Self {
        Self {
            scheme,
            paths,
            virtual_channels: None,
            injection: Injection::Zero,
            decide: Deciding::Sending,
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

    /// These settings with buffers of so many flits; if no number is given, with as many as are under way on
    /// the longest link, there and back with the credit delay, and 32 at least. To be called once latencies are
    /// what they are.
    #[must_use]
    pub fn with_buffer(self, flits: Option<Buffers>) -> Self {
        let longest = LinkKind::ALL.map(|kind| self.round_trip(kind)).into_iter().max();
        let longest = u16::try_from(longest.unwrap_or_default()).unwrap_or(u16::MAX);
        let usual = Buffers::all(longest.max(USUAL_BUFFER));
        Self { buffers: flits.unwrap_or(usual), ..self }
    }

    /// Cycles that a flit takes over a link.
    const fn latency(&self, kind: LinkKind) -> u16 {
        match kind {
            LinkKind::Node => self.node_latency_cycles,
            LinkKind::Local => self.local_latency_cycles,
            LinkKind::Global => self.global_latency_cycles,
        }
    }

    /// Cycles from a flit's departure to the use of the credit for it, without those at switches.
    fn round_trip(&self, kind: LinkKind) -> u32 {
        2 * u32::from(self.latency(kind)) + u32::from(self.credit_delay_cycles)
    }

    /// The kinds of links whose buffers are too small for a virtual channel to keep the link busy.
    pub fn starved_links(&self) -> Vec<StarvedLink> {
        let starved = LinkKind::ALL.into_iter().filter_map(|kind| {
            let (buffer, round_trip) = (self.buffers.of(kind), self.round_trip(kind));
            let most = f64::from(buffer) / f64::from(round_trip + CYCLES_AT_SWITCHES);
            let is_starved =
                u32::from(buffer) < round_trip && most < self.bandwidths.flits_per_cycle(kind);
            let latency_cycles = self.latency(kind);
            is_starved.then_some(StarvedLink {
                kind,
                latency_cycles,
                room: buffer,
                unit: "flits",
                most,
            })
        });
        starved.collect()
    }

    /// The virtual channels that a link has: as many as are asked for, or else as packets need, which is
    /// fewer where they take paths of sets without the longest routes. MIN then has those of UGAL-L, so that
    /// the two are compared with as many buffers; it may be given as few as its direct paths take where there
    /// are no other MIN paths.
    ///
    /// # Errors
    /// Fewer are asked for than the packets need, or more than the header can name.
    pub fn channels(&self, fabric: &BootedFabric<'_>) -> Result<u8, Refused> {
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
        let most = MOST_CHANNELS.into();
        Refused::unless_within("virtual channels", found.into(), needed.into(), most)?;
        Ok(found)
    }

    /// The channels of a link in a run in which parts die or tables change. Where the settings do not say how
    /// many, those of any path: around dead parts packets take paths that sets leave out, and tables of an
    /// update may have other sets.
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
        let assignment = fabric.switches().first().map(|s| s.image().virtual_channels());
        let (scheme, assignment) = (self.scheme.name(), assignment.unwrap_or_default().name());
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

    /// Checks everything, with the loads that are to be run; returns the number of virtual
    /// channels.
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
    fn check(&self) -> Result<(), Refused> {
        let within = Refused::unless_within;
        within("buffer", self.buffers.local.into(), 1, MOST_BUFFER.into())?;
        within("buffer between groups", self.buffers.global.into(), 1, MOST_BUFFER.into())?;
        within("local latency", self.local_latency_cycles.into(), 1, MOST_LATENCY.into())?;
        within("global latency", self.global_latency_cycles.into(), 1, MOST_LATENCY.into())?;
        within("node latency", self.node_latency_cycles.into(), 1, MOST_LATENCY.into())?;
        within("credit delay", self.credit_delay_cycles.into(), 0, MOST_LATENCY.into())?;
        if self.scheme == Scheme::UgalG && self.decide == Deciding::Head {
            let found = "decide is head with scheme ugal-g";
            let accepted =
                "sending, as ugal-g sees the queues of all switches only between two cycles";
            return Err(Refused::new(found, accepted));
        }
        within("speed-up", self.speedup.into(), 1, MOST_SPEEDUP.into())?;
        within("window", self.window_cycles, 1, MOST_CYCLES)?;
        let most_windows = match self.measuring {
            Measuring::OneWindow => {
                within("warm-up windows", self.warm_up_windows, 0, 1_000)?;
                self.warm_up_windows + 1
            }
            Measuring::UntilWindowsAgree => {
                let (found, most) = (self.warm_up_windows, MOST_WINDOWS - AGREEING_WINDOWS);
                if found > most {
                    let accepted = format!(
                        "0 to {most} where a run measures until windows agree: it has {MOST_WINDOWS} windows at most, and \
                         {AGREEING_WINDOWS} of them have to agree"
                    );
                    return Err(Refused::new(format!("warm-up windows is {found}"), accepted));
                }
                MOST_WINDOWS
            }
        };
        within("latency limit", self.latency_limit_cycles, 1, 1_000_000)?;
        within("patience", self.patience_cycles, 100, 1_000_000_000)?;
        let cycles = u64::from(self.window_cycles) * u64::from(most_windows);
        if cycles > u64::from(MOST_CYCLES) {
            let found = format!("the windows add up to {cycles} cycles");
            return Err(Refused::new(found, format!("at most {MOST_CYCLES}")));
        }
        Ok(())
    }
}

/// A kind of link on which a virtual channel waits for credits however little traffic there is beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StarvedLink {
    pub kind: LinkKind,
    pub latency_cycles: u16,
    /// What the buffer of a virtual channel holds.
    pub room: u16,
    /// "flits" or "phits".
    pub unit: &'static str,
    /// How many of them a virtual channel carries per cycle at most.
    pub most: f64,
}

impl fmt::Display for StarvedLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, latency_cycles, room, unit, most } = self;
        write!(
            f,
            "a virtual channel of a {} link of {latency_cycles} cycles with a buffer of {room} {unit} carries at \
             most {most:.3} {unit} per cycle",
            kind.name()
        )
    }
}

/// The least number of cycles after which a node can know what happened at another: as many as chunks of
/// switches run ahead of each other. That is one cycle more than the shorter latency of links between
/// switches, and under PAR one more than the latency of global links. Under UGAL-G chunks keep in step, which
/// would allow less, but the schemes should be comparable.
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

/// The paths of VLB by name.
///
/// # Errors
/// Those of the serializer.
pub fn by_paths_name<S: serde::Serializer>(paths: &VlbPaths, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(paths_name(*paths))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tvlb_schema::Bandwidth;

    #[test]
    fn buffers_hold_what_is_under_way_on_the_longest_link() {
        let usual = Settings::new(Scheme::Min, VlbPaths::Custom);
        assert_eq!(usual.clone().with_buffer(None), usual);
        let long = Settings { global_latency_cycles: 100, ..usual.clone() };
        assert_eq!(long.clone().with_buffer(None).buffers, Buffers::all(202));
        assert_eq!(long.with_buffer(Some(Buffers::all(7))).buffers, Buffers::all(7));
        let most = MOST_LATENCY;
        let node = Settings { node_latency_cycles: most, credit_delay_cycles: most, ..usual };
        let longest = node.with_buffer(None);
        assert_eq!(longest.buffers, Buffers::all(MOST_BUFFER));
        assert!(longest.check().is_ok());
    }

    #[test]
    fn buffers_are_one_number_or_two() {
        for text in ["32", "32/256"] {
            assert_eq!(text.parse::<Buffers>().unwrap().to_string(), text);
        }
        for text in ["", "32/", "/32", "1/2/3", "-1", "65536"] {
            assert!(text.parse::<Buffers>().is_err(), "{text}");
        }
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

    #[test]
    fn what_a_channel_carries_at_most_is_said_of_links_that_take_more() {
        let said = |settings: &Settings| -> Vec<String> {
            settings.starved_links().iter().map(ToString::to_string).collect()
        };
        let mut settings = Settings::new(Scheme::Min, VlbPaths::Custom);
        assert_eq!(said(&settings), [""; 0]);
        settings.global_latency_cycles = 100;
        let long = "a virtual channel of a global link of 100 cycles with a buffer of 32 flits carries at most \
                    0.157 flits per cycle";
        assert_eq!(said(&settings), [long]);
        let slow = Bandwidth::of_thousandths(125).unwrap();
        settings.bandwidths = Bandwidths::new(Bandwidth::ONE, Bandwidth::ONE, slow).unwrap();
        assert_eq!(said(&settings), [""; 0], "the link takes no more");
        settings.buffers = Buffers::all(8);
        assert_eq!(said(&settings).len(), 2);
        assert!(said(&settings)[0].contains("local link of 10 cycles with a buffer of 8 flits"));
        settings.buffers.local = 32;
        assert_eq!(said(&settings).len(), 1);
        assert!(said(&settings)[0].contains("global link of 100 cycles with a buffer of 8 flits"));
    }
}
