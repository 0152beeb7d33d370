//! For crates that add a kind of image to the format: the frame that every image has, the sections of packed numbers,
//! and errors that say where an image is wrong. The kind must be in [`ImageKind`], where each code is unique.

use crate::frame::{self, IDENTITY_AT, Opened};
use crate::image_error::{Fault, ImagePart, Refusal, saturating_u32};
use crate::image_kind::HEADER_LEN;
use crate::{FabricImage, ImageError, ImageKind};

#[cfg(feature = "alloc")]
pub use crate::packed::append;
pub use crate::packed::{PackedArray, width_for};

/// The payload of an image, which is read from its beginning to its end.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    kind: ImageKind,
    rest: &'a [u8],
    /// Where it ends in the image.
    end: usize,
}

impl<'a> Payload<'a> {
    /// The payload of an image of a fabric.
    ///
    /// # Errors
    /// The bytes are not an image of this kind, or it belongs to another fabric.
    pub fn open(
        bytes: &'a [u8],
        kind: ImageKind,
        fabric: &FabricImage<'_>,
    ) -> Result<Self, ImageError> {
        let mut refusal = Refusal::new(kind);
        let opened = frame::open(bytes, kind, &mut refusal).and_then(|opened| {
            let (found, needed) = (opened.identity, fabric.identity());
            if found == needed {
                return Some(opened);
            }
            refusal.fail_with_wide(Fault::Identity, IDENTITY_AT, found, needed)
        });
        match opened {
            Some(Opened { payload: rest, .. }) => {
                Ok(Self { kind, rest, end: HEADER_LEN + rest.len() })
            }
            None => Err(refusal.error()),
        }
    }

    /// Takes fields of one byte each.
    ///
    /// # Errors
    /// There are fewer bytes.
    pub fn fields<const N: usize>(&mut self) -> Result<[u8; N], ImageError> {
        match self.rest.split_first_chunk() {
            Some((fields, rest)) => {
                self.rest = rest;
                Ok(*fields)
            }
            None => Err(Refusal::new(self.kind).error()),
        }
    }

    /// Where in the image the next byte is.
    pub fn offset(&self) -> u32 {
        saturating_u32(self.end - self.rest.len())
    }

    /// Takes a section of `count` entries of a width of at most 25 bits.
    ///
    /// # Errors
    /// The bytes end too early, or bits after the last entry are set ([`ImageError::write_of_section`]).
    pub fn section(&mut self, width: u32, count: u32) -> Result<PackedArray<'a>, ImageError> {
        let mut refusal = Refusal::new(self.kind);
        let entries = (width, count);
        let part = ImagePart::Extension;
        PackedArray::take(&mut self.rest, entries, part, self.end, &mut refusal)
            .ok_or_else(|| refusal.error())
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// Bytes are left.
    pub fn finish(self) -> Result<(), ImageError> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let (offset, left) = (self.end - self.rest.len(), saturating_u32(self.rest.len()));
        let mut refusal = Refusal::new(self.kind);
        refusal.fail::<()>(Fault::Trailing, offset, left);
        Err(refusal.error())
    }
}

/// An image of a fabric with this payload.
#[cfg(feature = "alloc")]
pub fn image_of(kind: ImageKind, fabric: &FabricImage<'_>, payload: &[u8]) -> alloc::vec::Vec<u8> {
    frame::close((kind, 0), fabric.identity(), payload)
}
