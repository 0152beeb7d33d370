//! Why bytes are not the image that they should be.
//!
//! A switch pays in flash for every byte of an error message, so an error is a few numbers. The decoders note them in
//! one place, a [`Refusal`] (and a `SizeFault` for sizes), and give up with `None`, which `?` passes on in a register.
//! When results ceased to carry names and words, the datapath shrank by 1656 of 16,868 bytes on a Cortex-M4. When an
//! error is printed, its `Display` supplies the words: a program that never prints an error does not contain them.

use crate::dragonfly::SizeFault;
use crate::image_kind::{FORMAT_VERSION, HEADER_LEN, ImageKind, MAGIC};
use crate::plain::Feature;
use crate::{DragonflyError, SetRuleError};
use core::fmt;

/// Why bytes are not the expected image. Its text says what was read, at which byte offset, what was found, and what
/// would be accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ImageError {
    fault: Fault,
    offset: u32,
    found: u64,
    needed: u64,
}

/// Without the many words of its text: only the position, and the two numbers in the text.
#[cfg(feature = "defmt")]
impl defmt::Format for ImageError {
    fn format(&self, f: defmt::Formatter<'_>) {
        let Self { offset, found, needed, .. } = *self;
        defmt::write!(f, "wrong at byte {=u32}: {=u64}, {=u64}", offset, found, needed);
    }
}

/// The fault. Each variant documents the meaning of [`ImageError`]'s `found` and `needed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes end within this part. `found` bytes are there, and it needs `needed`.
    TooShort(ImagePart),
    /// The label is not ours. `found` is its four bytes, the first lowest.
    NotAnImage,
    /// It is not an image of this kind. `found` is its kind byte.
    Kind(ImageKind),
    /// It has another version of the format, `found`.
    Version,
    /// `found` bytes are there, and the image says that it has `needed`.
    Length,
    /// The image states the checksum `found`, and its bytes give `needed`.
    Checksum,
    /// The image states the fabric identity `found`, and the fabric's is `needed`.
    Identity,
    /// The fields at the payload's beginning do not decode.
    Structure(ImageKind),
    /// A number, `found`, is out of range.
    Value(Value),
    /// The sizes are not those of a Dragonfly. `found` has the four in 16 bits each, p lowest.
    Dragonfly(SizeFault),
    /// A set's rule has a keep-fraction out of range, `found`. `needed` is the number of the set,
    /// with the number of the shape from bit 16 on.
    SetKeep,
    /// A set's rule has a weight out of range, `found`. `needed` is the number of the set, with the
    /// number of the shape from bit 16 on.
    SetWeight,
    /// A set's rule has invalid leg hops, `found`. `needed` is the number of the set.
    SetLegs,
    /// It needs a feature that this build leaves out. `found` is the number that shows it.
    LeftOut(Feature),
    /// Bits after a section's last entry are set.
    Padding(ImagePart),
    /// `found` bytes follow the last section.
    Trailing,
}

/// A part of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImagePart {
    Label,
    Header,
    Checksum,
    Starts,
    Cables,
    Ports,
    FewerPairs,
    FewerLinks,
    Peers,
    Presence,
    Levels,
    PortMap,
    DeadSwitches,
    DeadCables,
    DeadPairs,
    DeadLinks,
    /// A section of an image of another crate.
    Extension,
}

impl ImagePart {
    const fn name(self) -> &'static str {
        match self {
            Self::Label => "label",
            Self::Header => "header",
            Self::Checksum => "checksum",
            Self::Starts => "starts of pairs",
            Self::Cables => "cables",
            Self::Ports => "ports",
            Self::FewerPairs => "pairs with fewer links",
            Self::FewerLinks => "links of pairs with fewer",
            Self::Peers => "peers",
            Self::Presence => "presence",
            Self::Levels => "thinning levels",
            Self::PortMap => "port map",
            Self::DeadSwitches => "dead switches",
            Self::DeadCables => "dead cables",
            Self::DeadPairs => "pairs of dead local links",
            Self::DeadLinks => "dead local links",
            Self::Extension => "section",
        }
    }
}

/// A number that can be out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Parts,
    Cables,
    MostLinks,
    EvenLinks,
    FirstStart,
    FallingStart,
    LastStart,
    MostLinksOfStarts,
    CableEnds,
    CableOrder,
    GroupKinds,
    PortGroup,
    PortOfKind,
    UnusedPort,
    PortCable,
    UsedPorts,
    FewerPair,
    FewerLinks,
    FewerOfAll,
    Switch,
    SetOfDecision,
    MinCandidates,
    VlbCandidates,
    Peer,
    ShapesPresent,
    Presence,
    Level,
    NumberOfNoPort,
    NumberTwice,
    EmptyPortMap,
    DeadSwitches,
    DeadCables,
    DeadLinks,
    DeadSwitch,
    DeadCable,
    DeadPair,
    DeadLink,
}

impl Value {
    /// Its name, and the accepted values.
    const fn words(self) -> (&'static str, &'static str) {
        const START: &str = "start of a pair's cables";
        const MOST: &str = "most links per pair";
        match self {
            Self::Parts => ("bits of parts", "0, or 1 in a switch image with a port map"),
            Self::Cables => ("number of cables", "at most half the global ports"),
            Self::MostLinks => (MOST, "at most a·h"),
            Self::EvenLinks => {
                ("links of every pair", "cables / pairs, and the most links per pair")
            }
            Self::FirstStart => (START, "0 for the first pair"),
            Self::FallingStart => (START, "at least the start before it"),
            Self::LastStart => (START, "the number of cables after the last pair"),
            Self::MostLinksOfStarts => (MOST, "the most that the starts give"),
            Self::CableEnds => ("cable", "two ports below a·h"),
            Self::CableOrder => ("cable", "a cable after the one before it in the order of ports"),
            Self::GroupKinds => (
                "kind of groups",
                "kinds that differ from the one before, with switches, ports, groups and 1 to 64 \
                 local links, and together the sizes p, a, h, g",
            ),
            Self::PortOfKind => ("port", "the own group for a port that its kind of group has not"),
            Self::PortGroup => ("port", "a peer group below g"),
            Self::UnusedPort => ("port", "the own group and link 0 for an unused port"),
            Self::PortCable => ("port", "a cable that ends at this port"),
            Self::UsedPorts => ("number of used ports", "two for each cable"),
            Self::FewerPair => (
                "pair with fewer links",
                "two switches of a group, the lower index first, after the pair before it",
            ),
            Self::FewerLinks => {
                ("links of a pair with fewer", "fewer than its kind of groups states")
            }
            Self::FewerOfAll => (
                "number of pairs with fewer links",
                "some pair of each kind of groups with as many links as it states",
            ),
            Self::Switch => ("switch", "a switch of the fabric"),
            Self::SetOfDecision => ("set of a decision", "a set of this image"),
            Self::MinCandidates => ("number of MIN candidates of a decision", "1 to 8"),
            Self::VlbCandidates => ("number of VLB candidates of a decision", "1 to 8"),
            Self::Peer => ("peer of a global port", "the peer that the fabric image gives"),
            Self::ShapesPresent => ("shapes present", "shapes of the rule, each at most once"),
            Self::Presence => ("presence of a switch that is not a destination", "0"),
            Self::Level => ("thinning level of a global port", "3 to 15"),
            Self::NumberOfNoPort => {
                ("physical number", "255 for a port that the switch's kind of groups does not have")
            }
            Self::NumberTwice => ("physical number", "a number that no port before has, or 255"),
            Self::EmptyPortMap => {
                ("known numbers of the port map", "1 or more; an image without any has no port map")
            }
            Self::DeadSwitches => ("number of dead switches", "at most the switches of the fabric"),
            Self::DeadCables => ("number of dead cables", "at most the cables of the fabric"),
            Self::DeadLinks => ("number of dead local links", "at most 67108863"),
            Self::DeadSwitch => ("dead switch", "a switch of the fabric, after the one before it"),
            Self::DeadCable => ("dead cable", "a cable of the fabric, after the one before it"),
            Self::DeadPair => {
                ("pair of a dead local link", "two switches of a group, the lower index first")
            }
            Self::DeadLink => ("dead local link", "a link of its pair, after the one before it"),
        }
    }
}

impl ImageError {
    /// The bytes have another version of the format.
    pub(crate) const fn version(found: u16) -> Self {
        Self { fault: Fault::Version, offset: 6, found: found as u64, needed: 0 }
    }

    /// Whether the image is valid, but needs a feature that this program was built without.
    pub const fn is_left_out(&self) -> bool {
        matches!(self.fault, Fault::LeftOut(_))
    }

    /// Writes the error; a section of an image of another crate has this name.
    ///
    /// # Errors
    /// Those of the formatter.
    pub fn write_of_section(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fault {
            Fault::TooShort(ImagePart::Extension) => too_short(f, name, self),
            Fault::Padding(ImagePart::Extension) => padding(f, name, self.offset),
            _ => fmt::Display::fmt(self, f),
        }
    }

    /// The byte of the image that is wrong, or where the wrong part begins.
    pub const fn offset(&self) -> u32 {
        self.offset
    }
}

/// Where a decoder notes the fault before it gives up with `None`.
pub(crate) struct Refusal(ImageError);

impl Refusal {
    /// A structure that does not decode, until something else is noted.
    #[inline]
    pub(crate) fn new(kind: ImageKind) -> Self {
        let (fault, offset) = (Fault::Structure(kind), saturating_u32(HEADER_LEN));
        Self(ImageError { fault, offset, found: 0, needed: 0 })
    }

    /// The noted fault.
    #[inline]
    pub(crate) const fn error(self) -> ImageError {
        self.0
    }

    /// Notes a number out of range, and gives up.
    #[inline]
    pub(crate) fn out_of_range<T>(&mut self, value: Value, offset: usize, found: u32) -> Option<T> {
        self.fail(Fault::Value(value), offset, found)
    }

    /// Notes that a part of this many bytes is incomplete, and gives up.
    #[inline]
    pub(crate) fn too_short<T>(
        &mut self,
        part: ImagePart,
        offset: usize,
        found: usize,
        needed: usize,
    ) -> Option<T> {
        self.fail_with(Fault::TooShort(part), offset, saturating_u32(found), saturating_u32(needed))
    }

    /// Notes a fault, and gives up.
    #[inline]
    pub(crate) fn fail<T>(&mut self, fault: Fault, offset: usize, found: u32) -> Option<T> {
        self.note(fault, offset, found);
        None
    }

    /// Notes a fault with two numbers, and gives up.
    #[inline]
    pub(crate) fn fail_with<T>(
        &mut self,
        fault: Fault,
        offset: usize,
        found: u32,
        needed: u32,
    ) -> Option<T> {
        self.note(fault, offset, found);
        self.0.needed = needed.into();
        None
    }

    /// Notes a fault with two large numbers, and gives up.
    #[inline]
    pub(crate) fn fail_with_wide<T>(
        &mut self,
        fault: Fault,
        offset: usize,
        found: u64,
        needed: u64,
    ) -> Option<T> {
        self.note(fault, offset, 0);
        (self.0.found, self.0.needed) = (found, needed);
        None
    }

    #[cold]
    #[inline(never)]
    fn note(&mut self, fault: Fault, offset: usize, found: u32) {
        self.0 =
            ImageError { fault, offset: saturating_u32(offset), found: found.into(), needed: 0 };
    }
}

/// A number of bytes in 32 bits, in which an image states its length.
#[inline]
pub(crate) fn saturating_u32(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn too_short(f: &mut fmt::Formatter<'_>, part: &str, error: &ImageError) -> fmt::Result {
    let ImageError { offset, found, needed, .. } = error;
    write!(
        f,
        "{part} at byte {offset}: found {found} bytes, but it needs {needed}; the image is truncated"
    )
}

fn padding(f: &mut fmt::Formatter<'_>, part: &str, offset: u32) -> fmt::Result {
    write!(f, "padding of {part} at byte {offset}: found a bit that is set, accepted zeros")
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, offset, found, needed } = *self;
        match fault {
            Fault::TooShort(part) => too_short(f, part.name(), self),
            Fault::NotAnImage => {
                let [found @ .., _, _, _, _] = found.to_le_bytes();
                write!(
                    f,
                    "label at byte 0: found {found:02x?}, accepted {MAGIC:02x?} (\"TVLB\"); this is not a tvlb image"
                )
            }
            Fault::Kind(needed) => write!(
                f,
                "kind at byte {offset}: found {found:#04x}, but {} is needed here",
                needed.name()
            ),
            Fault::Version => write!(
                f,
                "format version at byte {offset}: found {found}, accepted {FORMAT_VERSION}; `tvlb generate` of this version makes the images again"
            ),
            Fault::Length => write!(
                f,
                "length at byte {offset}: the image says {needed} bytes, but there are {found}; it is truncated or has something appended"
            ),
            Fault::Checksum => write!(
                f,
                "checksum at byte {offset}: found {found:08x}, but the bytes before it give {needed:08x}; the image is damaged"
            ),
            Fault::Identity => write!(
                f,
                "fabric identity at byte {offset}: found {found:016x}, but this fabric's is {needed:016x}; the images are of different fabrics"
            ),
            Fault::Structure(kind) => {
                write!(f, "{} at byte {offset}: its fields do not decode", kind.structure())
            }
            Fault::Value(value) => {
                let (what, accepted) = value.words();
                write!(f, "{what} at byte {offset}: found {found}, accepted {accepted}")
            }
            Fault::Dragonfly(fault) => {
                let sizes = [0, 16, 32, 48].map(|shift| (found >> shift & 0xffff) as u32);
                write!(f, "sizes at byte {offset}: {}", DragonflyError::of(fault, sizes))
            }
            Fault::SetKeep | Fault::SetWeight | Fault::SetLegs => {
                let (set, shape) = (needed & 0xffff, (needed >> 16) as usize);
                let found = (found & 0xffff) as u16;
                let error = match fault {
                    Fault::SetKeep => SetRuleError::Keep { shape, found },
                    Fault::SetLegs => SetRuleError::Legs { found },
                    _ => SetRuleError::Weight { shape, found },
                };
                write!(f, "set {set} at byte {offset}: {error}")
            }
            Fault::LeftOut(feature) => write!(
                f,
                "{} at byte {offset}: this program was built without the feature `any-fabric`, so it reads no such image",
                feature.words()
            ),
            Fault::Padding(part) => padding(f, part.name(), offset),
            Fault::Trailing => write!(
                f,
                "end of the image at byte {offset}: found {found} bytes more, accepted none"
            ),
        }
    }
}

impl fmt::Debug for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ImageError({self})")
    }
}

impl core::error::Error for ImageError {}
