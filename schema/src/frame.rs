//! The frame that every image shares, and the error that reading one can end in.
//!
//! An image begins with a label, its kind, the format's version, the fabric's identity and the
//! image's length, and ends with a CRC-32 of all before it. The identity is the CRC-64 of the
//! fabric image's payload; both kinds carry it, so images of different fabrics cannot be mixed
//! unnoticed. All numbers are little-endian.

use crc::{CRC_32_ISO_HDLC, CRC_64_XZ, Crc, NoTable};

/// The first four bytes of every image.
pub const MAGIC: [u8; 4] = *b"TVLB";
/// The version that this crate writes and reads.
pub const FORMAT_VERSION: u16 = 2;

pub(crate) const HEADER_LEN: usize = 20;
const CHECKSUM_LEN: usize = 4;

// Without tables: an image is read once at boot, and a kilobyte of flash is worth more there.
const CHECKSUM: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);
const IDENTITY: Crc<u64, NoTable> = Crc::<u64, NoTable>::new(&CRC_64_XZ);

/// What an image is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// The fabric image: sizes and wiring, the same for every switch.
    Fabric,
    /// A switch image: one switch's place, cables and sets.
    Switch,
}

impl ImageKind {
    const fn code(self) -> u8 {
        match self {
            Self::Fabric => b'F',
            Self::Switch => b'S',
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Fabric => "a fabric image ('F')",
            Self::Switch => "a switch image ('S')",
        }
    }
}

/// Why bytes are not the image they should be. Every variant says what was read, at which byte
/// offset, what was found, and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The bytes end within something.
    #[error(
        "{what} at byte {offset}: found {found} bytes, but it needs {needed}; the image is truncated"
    )]
    TooShort {
        /// What was being read.
        what: &'static str,
        /// Where it begins.
        offset: usize,
        /// The bytes it needs.
        needed: usize,
        /// The bytes there are.
        found: usize,
    },
    /// The label is not ours.
    #[error(
        "label at byte 0: found {found:02x?}, accepted {MAGIC:02x?} (\"TVLB\"); this is not a tvlb image"
    )]
    NotAnImage {
        /// The first four bytes.
        found: [u8; 4],
    },
    /// The other kind of image.
    #[error("kind at byte 4: found {found:#04x}, but {} is needed here", .needed.name())]
    Kind {
        /// The kind byte.
        found: u8,
        /// What is needed.
        needed: ImageKind,
    },
    /// A version that this reader does not know.
    #[error(
        "format version at byte 6: found {found}, accepted {FORMAT_VERSION}; regenerate the images with this version of tvlb"
    )]
    Version {
        /// The version.
        found: u16,
    },
    /// The stated length is not the number of bytes.
    #[error(
        "length at byte 16: the image says {stated} bytes, but there are {found}; it is truncated or has something appended"
    )]
    Length {
        /// What the image says.
        stated: u32,
        /// How many bytes there are.
        found: usize,
    },
    /// The CRC-32 does not fit the bytes.
    #[error(
        "checksum at byte {offset}: found {found:08x}, but the bytes before it give {computed:08x}; the image is damaged"
    )]
    Checksum {
        /// Where it stands.
        offset: usize,
        /// The stored checksum.
        found: u32,
        /// The computed one.
        computed: u32,
    },
    /// The identity in a fabric image is not that of its payload, or a switch image's is not its fabric's.
    #[error(
        "fabric identity at byte 8: found {found:016x}, but this fabric's is {needed:016x}; the images are of different fabrics"
    )]
    Identity {
        /// The identity found.
        found: u64,
        /// The identity needed.
        needed: u64,
    },
    /// The postcard structure does not decode.
    #[error("{what} at byte {offset}: its fields do not decode")]
    Structure {
        /// What was being read.
        what: &'static str,
        /// Where it begins.
        offset: usize,
    },
    /// A number out of range.
    #[error("{what} at byte {offset}: found {found}, accepted {accepted}")]
    Value {
        /// What was being read.
        what: &'static str,
        /// Where it stands, or where the structure that holds it begins.
        offset: usize,
        /// The number.
        found: u64,
        /// What would be accepted, in words.
        accepted: &'static str,
    },
    /// The sizes are no Dragonfly.
    #[error("sizes at byte {offset}: {error}")]
    Dragonfly {
        /// Where the structure that holds them begins.
        offset: usize,
        /// What is wrong with them.
        error: crate::DragonflyError,
    },
    /// A set's rule is none.
    #[error("set {set} at byte {offset}: {error}")]
    Set {
        /// The set's number in the image.
        set: usize,
        /// Where the structure that holds it begins.
        offset: usize,
        /// What is wrong with it.
        error: crate::SetRuleError,
    },
    /// Bits that no entry uses are set.
    #[error("padding of {what} at byte {offset}: found a bit that is set, accepted zeros")]
    Padding {
        /// The array.
        what: &'static str,
        /// Where its entries end.
        offset: usize,
    },
    /// Bytes between the last section and the checksum.
    #[error("end of the image at byte {offset}: found {found} bytes more, accepted none")]
    Trailing {
        /// Where the last section ends.
        offset: usize,
        /// How many bytes follow.
        found: usize,
    },
}

/// Whether bytes that begin as an image are of the version that this crate reads. Bytes that do
/// not begin as one pass: what they are instead, reading them will tell.
///
/// For those who compare images with a hash: one of another version is not a damaged one.
///
/// # Errors
/// [`ImageError::Version`] and nothing else.
pub fn check_version(bytes: &[u8]) -> Result<(), ImageError> {
    match *bytes {
        [m0, m1, m2, m3, _, _, v0, v1, ..] if [m0, m1, m2, m3] == MAGIC => {
            match u16::from_le_bytes([v0, v1]) {
                FORMAT_VERSION => Ok(()),
                found => Err(ImageError::Version { found }),
            }
        }
        _ => Ok(()),
    }
}

/// The payload of an image whose frame holds, and the identity that the frame states.
pub(crate) fn open(bytes: &[u8], kind: ImageKind) -> Result<(u64, &[u8]), ImageError> {
    let too_short = |what, offset: usize, needed| ImageError::TooShort {
        what,
        offset,
        needed,
        found: bytes.len().saturating_sub(offset),
    };
    let magic = bytes.first_chunk::<4>().ok_or(too_short("label", 0, 4))?;
    if *magic != MAGIC {
        return Err(ImageError::NotAnImage { found: *magic });
    }
    let header = bytes.first_chunk::<HEADER_LEN>().ok_or(too_short("header", 0, HEADER_LEN))?;
    let [_, _, _, _, code, reserved, v0, v1, i0, i1, i2, i3, i4, i5, i6, i7, l0, l1, l2, l3] =
        *header;
    if code != kind.code() {
        return Err(ImageError::Kind { found: code, needed: kind });
    }
    let version = u16::from_le_bytes([v0, v1]);
    if version != FORMAT_VERSION {
        return Err(ImageError::Version { found: version });
    }
    let stated = u32::from_le_bytes([l0, l1, l2, l3]);
    if usize::try_from(stated) != Ok(bytes.len()) {
        return Err(ImageError::Length { stated, found: bytes.len() });
    }
    let (body, checksum) = bytes.split_last_chunk::<CHECKSUM_LEN>().ok_or(too_short(
        "checksum",
        HEADER_LEN,
        CHECKSUM_LEN,
    ))?;
    let payload = body.get(HEADER_LEN..).ok_or(too_short("checksum", HEADER_LEN, CHECKSUM_LEN))?;
    let (found, computed) = (u32::from_le_bytes(*checksum), CHECKSUM.checksum(body));
    if found != computed {
        return Err(ImageError::Checksum { offset: body.len(), found, computed });
    }
    if reserved != 0 {
        return Err(ImageError::Value {
            what: "reserved byte",
            offset: 5,
            found: reserved.into(),
            accepted: "0",
        });
    }
    Ok((u64::from_le_bytes([i0, i1, i2, i3, i4, i5, i6, i7]), payload))
}

/// The identity of the fabric whose image has this payload.
pub(crate) fn identity_of(fabric_payload: &[u8]) -> u64 {
    IDENTITY.checksum(fabric_payload)
}

/// Sets `payload` in a frame.
#[cfg(feature = "alloc")]
pub(crate) fn close(kind: ImageKind, identity: u64, payload: &[u8]) -> alloc::vec::Vec<u8> {
    let len = HEADER_LEN + payload.len() + CHECKSUM_LEN;
    let mut bytes = alloc::vec::Vec::with_capacity(len);
    bytes.extend(MAGIC);
    bytes.extend([kind.code(), 0]);
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend(identity.to_le_bytes());
    let stated =
        u32::try_from(len).expect("the limits of a Dragonfly keep every image below 4 GiB");
    bytes.extend(stated.to_le_bytes());
    bytes.extend(payload);
    bytes.extend(CHECKSUM.checksum(&bytes).to_le_bytes());
    bytes
}
