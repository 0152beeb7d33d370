//! The fault of an image, in words.

use crate::memory::{self, Out};
use crate::{
    TVLB_BAD_ARGUMENT, TVLB_FABRIC_IMAGE, TVLB_FAULT_IMAGE, TVLB_OK, TVLB_SWITCH_IMAGE, end,
};
use core::fmt::{self, Write};
use tvlb_schema::{FabricImage, SwitchImage};

/// The bytes of a `tvlb_image_error`'s text.
pub const TEXT_SIZE: usize = 256;

/// The fault of an image: `struct tvlb_image_error`.
#[repr(C)]
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct tvlb_image_error {
    /// The code with which booting refuses the image; `TVLB_OK` for a valid one.
    pub code: i32,
    /// The byte of the image that is wrong, or where the wrong part begins.
    pub offset: u32,
    /// What was read there, what was found, and what would be accepted, terminated by a zero.
    pub text: [u8; TEXT_SIZE],
}

/// A text in a buffer; text that does not fit, with the zero after it, is dropped.
struct TextBuffer {
    bytes: [u8; TEXT_SIZE],
    len: usize,
}

impl Write for TextBuffer {
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

impl tvlb_image_error {
    /// A valid image.
    pub const NOTHING: Self = Self { code: TVLB_OK, offset: 0, text: [0; TEXT_SIZE] };

    /// An error with the code with which booting refuses the image, and the byte that it is about.
    pub fn of(code: i32, error: &dyn fmt::Display, offset: u32) -> Self {
        let mut text = TextBuffer { bytes: [0; TEXT_SIZE], len: 0 };
        // A text takes all that is written to it.
        let _ = write!(text, "{error}");
        Self { code, offset, text: text.bytes }
    }
}

/// The fault of an image: `tvlb_check_image`.
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
            TVLB_SWITCH_IMAGE | TVLB_FAULT_IMAGE => {
                // SAFETY: as above.
                unsafe { memory::bytes(image, image_len) }?
            }
            _ => return Err(TVLB_BAD_ARGUMENT),
        };
        let (code, checked) = match FabricImage::decode(fabric) {
            Err(error) => (TVLB_FABRIC_IMAGE, Err(error)),
            Ok(mut fabric) => {
                let checked = match kind {
                    TVLB_SWITCH_IMAGE => SwitchImage::decode(image, &fabric).map(|_| ()),
                    TVLB_FAULT_IMAGE => fabric.install_faults(image),
                    _ => Ok(()),
                };
                (kind, checked)
            }
        };
        out.write(match checked {
            Ok(()) => tvlb_image_error::NOTHING,
            Err(error) => tvlb_image_error::of(code, &error, error.offset()),
        });
        Ok(())
    };
    end(check())
}
