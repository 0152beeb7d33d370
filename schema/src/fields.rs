//! Reads the fixed part of an image: the fields that postcard has written, one by one.
//!
//! This is only the part of postcard's format that images use: numbers of 16 bits and more in groups of seven bits,
//! lowest first, with the top bit of a byte saying that another follows; signed ones with the sign in the lowest bit; a
//! variant or a length as such a number. Written by hand because a switch pays for every byte of code, and because
//! nothing here can panic.

use crate::ShapeSet;
use crate::image_error::saturating_u32;

/// The unread bytes. A field that cannot be read is 0, and [`Self::rest`] reports it in the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    failed: bool,
}

impl<'a> Fields<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, failed: false }
    }

    /// The bytes after the fields; `None` if one of the fields could not be read.
    pub(crate) const fn rest(self) -> Option<&'a [u8]> {
        if self.failed { None } else { Some(self.bytes) }
    }

    /// A number of 8 bits, which is one byte.
    #[inline(never)]
    pub(crate) fn byte(&mut self) -> u8 {
        if let Some((&first, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            return first;
        }
        self.failed = true;
        0
    }

    /// A number of 64 bits. An error if the bytes end, if the number is larger, or if it has more bytes than it needs:
    /// one image has one form.
    #[inline(never)]
    pub(crate) fn u64(&mut self) -> u64 {
        let last = self.bytes.iter().position(|&byte| byte < 0x80);
        if let Some((number, rest)) = last.and_then(|last| self.bytes.split_at_checked(last + 1))
            && let [lower @ .., top] = number
            && (*top > 0 || lower.is_empty())
            && (lower.len() < 9 || lower.len() == 9 && *top <= 1)
        {
            self.bytes = rest;
            return number.iter().rev().fold(0, |high, &byte| high << 7 | u64::from(byte & 0x7f));
        }
        self.failed = true;
        0
    }

    /// A number of at most `most`.
    #[inline(never)]
    pub(crate) fn at_most(&mut self, most: u32) -> u32 {
        match u32::try_from(self.u64()) {
            Ok(number) if number <= most => number,
            _ => {
                self.failed = true;
                0
            }
        }
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> u32 {
        self.at_most(u32::MAX)
    }

    pub(crate) fn u16(&mut self) -> u16 {
        let number = self.at_most(u16::MAX.into());
        #[expect(clippy::cast_possible_truncation, reason = "at most 2¹⁶ − 1")]
        let number = number as u16;
        number
    }

    pub(crate) fn i16(&mut self) -> i16 {
        let zigzag = self.u16();
        let magnitude = (zigzag >> 1).cast_signed();
        if zigzag & 1 == 1 { !magnitude } else { magnitude }
    }

    /// A set of shapes.
    pub(crate) fn shapes(&mut self) -> ShapeSet {
        let bits = self.at_most(ShapeSet::ALL.bits().into());
        ShapeSet::from_bits((bits & 0xffff) as u16).unwrap_or_default()
    }

    /// The number of one of `count` variants, or a length below `count`.
    #[inline]
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.at_most(saturating_u32(count) - 1) as usize
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn written(value: impl serde::Serialize) -> Vec<u8> {
        postcard::to_extend(&value, Vec::new()).expect("a vector grows")
    }

    proptest! {
        #[test]
        fn reads_what_postcard_writes(a: u8, b: u16, c: u32, d: u64, e: i16, f: [u16; 12], wide: u8) {
            // Small numbers too, which take fewer bytes.
            let d = d >> (wide % 64);
            let bytes = written((a, b, c, d, e, f));
            let mut fields = Fields::new(&bytes);
            prop_assert_eq!(fields.byte(), a);
            prop_assert_eq!(fields.u16(), b);
            prop_assert_eq!(fields.u32(), c);
            prop_assert_eq!(fields.u64(), d);
            prop_assert_eq!(fields.i16(), e);
            prop_assert_eq!(f.map(|_| fields.u16()), f);
            prop_assert_eq!(fields.rest(), Some([].as_slice()));
        }

        #[test]
        fn refuses_what_postcard_refuses(bytes: Vec<u8>) {
            let mut fields = Fields::new(&bytes);
            let ours = (fields.u16(), fields.u32(), fields.u64(), fields.i16());
            // Postcard takes longer forms than it writes; we do not.
            let theirs = postcard::from_bytes::<(u16, u32, u64, i16)>(&bytes).ok();
            let theirs = theirs.filter(|theirs| bytes.starts_with(&written(theirs)));
            prop_assert_eq!(fields.rest().map(|_| ours), theirs);
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_refused() {
        fn read<'a, T>(bytes: &'a [u8], one: fn(&mut Fields<'a>) -> T) -> Option<T> {
            let mut fields = Fields::new(bytes);
            let read = one(&mut fields);
            fields.rest().map(|_| read)
        }
        assert_eq!(read(&[0x80, 0x80, 0x04], Fields::u16), None);
        assert_eq!(read(&[0xff, 0xff, 0x03], Fields::u16), Some(u16::MAX));
        let mut most = [0xff; 10];
        most[9] = 1;
        assert_eq!(read(&most, Fields::u64), Some(u64::MAX));
        assert_eq!(read(&most, Fields::u32), None);
        most[9] = 2;
        assert_eq!(read(&most, Fields::u64), None);
        assert_eq!(read(&[0x80; 11], Fields::u64), None);
        // 2 in two bytes, and 0.
        assert_eq!(read(&[0x82, 0x00], Fields::u16), None);
        assert_eq!(read(&[0x80, 0x00], Fields::u64), None);
        assert_eq!(read(&[2], |fields| fields.below(3)), Some(2));
        assert_eq!(read(&[3], |fields| fields.below(3)), None);
        // Later fields do not make up for a bad number.
        let mut fields = Fields::new(&[0x80, 0x80, 0x04, 5]);
        assert_eq!((fields.u16(), fields.u16()), (0, 5));
        assert_eq!(fields.rest(), None);
    }
}
