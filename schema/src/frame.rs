//! The frame of every image.
//!
//! An image begins with a label, its kind, the format's version, the fabric's identity and the image's length, and ends
//! with a CRC-32 of everything before it. The identity is the CRC-64 of the fabric image's payload; both kinds carry
//! it, so images of different fabrics cannot be mixed unnoticed. All numbers are little-endian.

use crate::ImageError;
use crate::image_error::{Fault, ImagePart, Refusal, Value, saturating_u32};
use crate::image_kind::{FORMAT_VERSION, HEADER_LEN, ImageKind, MAGIC};
use crc::{CRC_32_ISO_HDLC, CRC_64_XZ, Crc, NoTable};

/// The position of the fabric's identity in an image.
pub(crate) const IDENTITY_AT: usize = 8;
const CHECKSUM_LEN: usize = 4;
/// Bit 0 of the parts of a switch image: its payload ends with a port map.
#[cfg(feature = "alloc")]
pub(crate) const PORT_MAP: u8 = 1;
/// The same bit of a fault image: packets in transit still cross the listed parts.
#[cfg(feature = "alloc")]
pub(crate) const DRAINING: u8 = 1;

// Without tables on a switch: an image is read once at boot, and a kilobyte of flash is worth more there. A
// host, which is what writes images, reads thousands.
#[cfg(not(feature = "alloc"))]
const CHECKSUM: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);
#[cfg(feature = "alloc")]
static CHECKSUM: Crc<u32, crc::Table<16>> = Crc::<u32, crc::Table<16>>::new(&CRC_32_ISO_HDLC);
const IDENTITY: Crc<u64, NoTable> = Crc::<u64, NoTable>::new(&CRC_64_XZ);

/// Checks that bytes which begin like an image have the version that this crate reads. Other bytes pass: decoding them
/// gives the error.
///
/// A caller that compares images with a stored hash checks this first, so that an image of another version is not
/// reported as damaged.
///
/// # Errors
/// The other version.
pub fn check_version(bytes: &[u8]) -> Result<(), ImageError> {
    match *bytes {
        [m0, m1, m2, m3, _, _, v0, v1, ..] if [m0, m1, m2, m3] == MAGIC => {
            match u16::from_le_bytes([v0, v1]) {
                FORMAT_VERSION => Ok(()),
                found => Err(ImageError::version(found)),
            }
        }
        _ => Ok(()),
    }
}

/// The fields of an image's frame, and its payload.
pub(crate) struct Opened<'a> {
    /// The fabric identity that the frame states.
    pub(crate) identity: u64,
    pub(crate) payload: &'a [u8],
    /// Bit 0 of the parts: [`PORT_MAP`] or [`DRAINING`].
    pub(crate) has_bit: bool,
}

/// Opens an image after a check of its frame.
#[inline(never)]
pub(crate) fn open<'a>(
    bytes: &'a [u8],
    kind: ImageKind,
    refusal: &mut Refusal,
) -> Option<Opened<'a>> {
    let Some(magic) = bytes.first_chunk::<4>() else {
        return refusal.too_short(ImagePart::Label, 0, bytes.len(), 4);
    };
    if *magic != MAGIC {
        return refusal.fail(Fault::NotAnImage, 0, u32::from_le_bytes(*magic));
    }
    let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
        return refusal.too_short(ImagePart::Header, 0, bytes.len(), HEADER_LEN);
    };
    let [_, _, _, _, code, parts, v0, v1, i0, i1, i2, i3, i4, i5, i6, i7, l0, l1, l2, l3] = *header;
    if code != kind.code() {
        return refusal.fail(Fault::Kind(kind), 4, code.into());
    }
    let version = u16::from_le_bytes([v0, v1]);
    if version != FORMAT_VERSION {
        return refusal.fail(Fault::Version, 6, version.into());
    }
    let stated = u32::from_le_bytes([l0, l1, l2, l3]);
    if usize::try_from(stated) != Ok(bytes.len()) {
        return refusal.fail_with(Fault::Length, 16, saturating_u32(bytes.len()), stated);
    }
    let framed = bytes.split_last_chunk::<CHECKSUM_LEN>();
    let framed =
        framed.and_then(|(body, checksum)| Some((body, body.get(HEADER_LEN..)?, checksum)));
    let Some((body, payload, checksum)) = framed else {
        return refusal.too_short(
            ImagePart::Checksum,
            HEADER_LEN,
            bytes.len() - HEADER_LEN,
            CHECKSUM_LEN,
        );
    };
    let (found, computed) = (u32::from_le_bytes(*checksum), CHECKSUM.checksum(body));
    if found != computed {
        return refusal.fail_with(Fault::Checksum, body.len(), found, computed);
    }
    let has_bit = parts == 1 && matches!(kind, ImageKind::Switch | ImageKind::Faults);
    if parts != 0 && !has_bit {
        return refusal.out_of_range(Value::Parts, 5, parts.into());
    }
    let identity = u64::from_le_bytes([i0, i1, i2, i3, i4, i5, i6, i7]);
    Some(Opened { identity, payload, has_bit })
}

/// The identity of the fabric whose image has this payload.
pub(crate) fn identity_of(fabric_payload: &[u8]) -> u64 {
    IDENTITY.checksum(fabric_payload)
}

/// Encloses `payload` in a frame; `parts` says which optional parts it has.
#[cfg(feature = "alloc")]
pub(crate) fn close(
    (kind, parts): (ImageKind, u8),
    identity: u64,
    payload: &[u8],
) -> alloc::vec::Vec<u8> {
    let len = HEADER_LEN + payload.len() + CHECKSUM_LEN;
    let mut bytes = alloc::vec::Vec::with_capacity(len);
    bytes.extend(MAGIC);
    bytes.extend([kind.code(), parts]);
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend(identity.to_le_bytes());
    let stated =
        u32::try_from(len).expect("the limits of a Dragonfly keep every image below 4 GiB");
    bytes.extend(stated.to_le_bytes());
    bytes.extend(payload);
    bytes.extend(CHECKSUM.checksum(&bytes).to_le_bytes());
    bytes
}
