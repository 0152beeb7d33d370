//! Why bytes are not the expected escape image. As for other images, the words are supplied when an error is printed,
//! so that a program that never prints one does not contain them.

use core::fmt::{self, Display, Formatter};
use tvlb_schema::ImageError;

/// Why bytes are not the expected escape image. Its text says what was read, at which byte offset, what was found, and
/// what would be accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EscapeImageError(Fault);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// As any image may be wrong.
    Image(ImageError),
    /// A section is not whole, or is padded by something else than zeros.
    Section(EscapeSection, ImageError),
    /// A number is out of range.
    Value { value: EscapeValue, offset: u32, found: u32 },
}

/// A section of an escape image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EscapeSection {
    Places,
    Switches,
    Ports,
    Sizes,
}

impl EscapeSection {
    const fn name(self) -> &'static str {
        match self {
            Self::Places => "places of switches",
            Self::Switches => "switches by place",
            Self::Ports => "ports of the escape network",
            Self::Sizes => "sizes of subtrees",
        }
    }
}

/// A number that can be out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EscapeValue {
    EscapeNetwork,
    RingSwitches,
    CanonicalChannels,
    Misrouting,
    MostEntries,
    LeastPercent,
    EscapeSwitch,
    EscapePlace,
    RingPort,
    SubtreeSize,
    TreePort,
}

impl EscapeValue {
    /// Its name, and the accepted values.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::EscapeNetwork => ("escape network", "0 (ring) or 1 (tree)"),
            Self::RingSwitches => ("switches of the fabric", "3 or more for a ring"),
            Self::CanonicalChannels => ("canonical virtual channels", "1 to 7"),
            Self::Misrouting => ("bits of misrouting", "0 to 15"),
            Self::MostEntries => ("most entries", "0 to 15"),
            Self::LeastPercent => ("least percentage in use", "1 to 100"),
            Self::EscapeSwitch => ("switch by place", "a switch of the fabric that has this place"),
            Self::EscapePlace => {
                ("place of a switch", "a place at which that switch is, or 0 for no switch")
            }
            Self::RingPort => ("port of the ring", "a port that leads to the next switch of it"),
            Self::SubtreeSize => (
                "size of a subtree",
                "one that ends where that of a switch above it ends, or before",
            ),
            Self::TreePort => {
                ("port of the tree", "a port that leads to the switch above, or from there")
            }
        }
    }
}

impl EscapeImageError {
    /// A number that is out of range.
    #[cold]
    pub(crate) const fn of(value: EscapeValue, offset: u32, found: u32) -> Self {
        Self(Fault::Value { value, offset, found })
    }

    /// A section that is wrong.
    pub(crate) const fn of_section(section: EscapeSection, error: ImageError) -> Self {
        Self(Fault::Section(section, error))
    }

    /// The byte of the image that is wrong, or where the wrong part begins.
    pub const fn offset(&self) -> u32 {
        match &self.0 {
            Fault::Image(error) | Fault::Section(_, error) => error.offset(),
            Fault::Value { offset, .. } => *offset,
        }
    }
}

impl From<ImageError> for EscapeImageError {
    fn from(error: ImageError) -> Self {
        Self(Fault::Image(error))
    }
}

impl Display for EscapeImageError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Fault::Image(error) => error.fmt(f),
            Fault::Section(section, error) => error.write_of_section(section.name(), f),
            Fault::Value { value, offset, found } => {
                let (what, accepted) = value.words();
                write!(f, "{what} at byte {offset}: found {found}, accepted {accepted}")
            }
        }
    }
}

impl fmt::Debug for EscapeImageError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "EscapeImageError({self})")
    }
}

impl core::error::Error for EscapeImageError {}
