//! What is wrong with an image, in words.

use crate::memory::{self, Out};
use crate::{
    TVLB_BAD_ARGUMENT, TVLB_ESCAPE_IMAGE, TVLB_FABRIC_IMAGE, TVLB_FAULT_IMAGE, TVLB_OK,
    TVLB_SWITCH_IMAGE, end,
};
use ::tvlb_ofar::EscapeImage;
use core::fmt::{self, Write};
use tvlb_schema::{FabricImage, ImageError, SwitchImage};

/// The bytes of a `tvlb_image_error`'s text.
pub const TEXT_SIZE: usize = 256;

/// What is wrong with an image: `struct tvlb_image_error`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tvlb_image_error {
    /// The code with which booting refuses the image; `TVLB_OK` if nothing is wrong.
    pub code: i32,
    /// The byte of the image at which it is wrong, or where what is wrong begins.
    pub offset: u32,
    /// What was read there, what was found, and what would be accepted, ended by a zero.
    pub text: [u8; TEXT_SIZE],
}

/// A text in a buffer; what does not fit, with a zero behind it, is left out.
struct Text {
    bytes: [u8; TEXT_SIZE],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.len + 1 < TEXT_SIZE
                && let Some(place) = self.bytes.get_mut(self.len)
            {
                *place = byte;
                self.len += 1;
            }
        }
        Ok(())
    }
}

fn error_of(code: i32, error: &dyn fmt::Display, offset: u32) -> tvlb_image_error {
    let mut text = Text { bytes: [0; TEXT_SIZE], len: 0 };
    // A text takes all that is written to it.
    let _ = write!(text, "{error}");
    tvlb_image_error { code, offset, text: text.bytes }
}

/// What is wrong with an image: `tvlb_check_image`.
///
/// # Safety
/// Each image is null, or readable for its length and unchanged during the call. `error` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tvlb_check_image(
    kind: i32,
    fabric_image: *const u8,
    fabric_len: usize,
    image: *const u8,
    image_len: usize,
    error: *mut tvlb_image_error,
) -> i32 {
    let check = || {
        // SAFETY: by the caller's promise on the output.
        let out = unsafe { Out::new(error) }?;
        // SAFETY: by the caller's promise on the images.
        let fabric = unsafe { memory::bytes(fabric_image, fabric_len) }?;
        let image = match kind {
            TVLB_FABRIC_IMAGE => &[],
            TVLB_SWITCH_IMAGE | TVLB_FAULT_IMAGE | TVLB_ESCAPE_IMAGE => {
                // SAFETY: as above.
                unsafe { memory::bytes(image, image_len) }?
            }
            _ => return Err(TVLB_BAD_ARGUMENT),
        };
        let of_image = |code, error: &ImageError| error_of(code, error, error.offset());
        let wrong = match FabricImage::decode(fabric) {
            Err(error) => Some(of_image(TVLB_FABRIC_IMAGE, &error)),
            Ok(mut fabric) => match kind {
                TVLB_SWITCH_IMAGE => SwitchImage::decode(image, &fabric).err(),
                TVLB_FAULT_IMAGE => fabric.install_faults(image).err(),
                _ => None,
            }
            .map(|error| of_image(kind, &error))
            .or_else(|| {
                let escape =
                    (kind == TVLB_ESCAPE_IMAGE).then(|| EscapeImage::decode(image, &fabric));
                let error = escape?.err()?;
                Some(error_of(kind, &error, error.offset()))
            }),
        };
        let nothing = tvlb_image_error { code: TVLB_OK, offset: 0, text: [0; TEXT_SIZE] };
        out.write(wrong.unwrap_or(nothing));
        Ok(())
    };
    end(check())
}
