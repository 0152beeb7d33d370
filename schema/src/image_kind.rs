//! The beginning of an image, and the kinds of images.

/// The first four bytes of every image.
pub const MAGIC: [u8; 4] = *b"TVLB";
/// The version that this crate writes and reads.
pub const FORMAT_VERSION: u16 = 3;

/// The bytes before the payload.
pub(crate) const HEADER_LEN: usize = 20;

/// The kind of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// The fabric image: sizes and wiring, the same for every switch.
    Fabric,
    /// A switch image: one switch's place, cables and sets.
    Switch,
    /// A fault image: the dead parts of the fabric, the same for every switch.
    Faults,
    /// An escape image: a ring or a tree over all switches, the same for every switch. Another crate reads it.
    Escape,
}

impl ImageKind {
    /// Its byte in an image.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fabric => b'F',
            Self::Switch => b'S',
            Self::Faults => b'X',
            Self::Escape => b'E',
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Fabric => "a fabric image ('F')",
            Self::Switch => "a switch image ('S')",
            Self::Faults => "a fault image ('X')",
            Self::Escape => "an escape image ('E')",
        }
    }

    /// The name of its fixed part.
    pub(crate) const fn structure(self) -> &'static str {
        match self {
            Self::Fabric => "sizes",
            Self::Switch => "place and sets",
            Self::Faults => "epoch and counts",
            Self::Escape => "network and rules",
        }
    }
}
