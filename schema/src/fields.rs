//! Reading the fixed part of an image: the fields that postcard has written, one by one.
//!
//! The part of postcard's format that images use, and nothing else: numbers of 16 bits and more
//! in groups of seven bits, lowest first, the top bit of a byte saying that another follows;
//! signed ones with the sign in the lowest bit; a variant or a length as such a number. Written by
//! hand because a switch pays for every byte of code, and because nothing here can panic.

/// The bytes that are left to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// What follows the fields.
    pub(crate) const fn rest(self) -> &'a [u8] {
        self.bytes
    }

    /// A number of 8 bits, which is one byte.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    /// A number of 64 bits. `None` where the bytes end, or where the number is larger.
    #[inline(never)]
    pub(crate) fn u64(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let low = u64::from(byte & 0x7f);
            if shift == 63 && low > 1 {
                return None;
            }
            number |= low << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        u32::try_from(self.u64()?).ok()
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        u16::try_from(self.u64()?).ok()
    }

    pub(crate) fn i16(&mut self) -> Option<i16> {
        let zigzag = self.u16()?;
        let magnitude = i16::try_from(zigzag >> 1).ok()?;
        Some(if zigzag & 1 == 1 { !magnitude } else { magnitude })
    }

    /// The number of one of `count` variants, or a length below `count`.
    pub(crate) fn below(&mut self, count: usize) -> Option<usize> {
        usize::try_from(self.u64()?).ok().filter(|&number| number < count)
    }

    /// As many numbers of 16 bits as the array has.
    #[inline(never)]
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u16; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.u16()?;
        }
        Some(numbers)
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
            prop_assert_eq!(fields.byte(), Some(a));
            prop_assert_eq!(fields.u16(), Some(b));
            prop_assert_eq!(fields.u32(), Some(c));
            prop_assert_eq!(fields.u64(), Some(d));
            prop_assert_eq!(fields.i16(), Some(e));
            prop_assert_eq!(fields.array(), Some(f));
            prop_assert!(fields.rest().is_empty());
        }

        #[test]
        fn refuses_what_postcard_refuses(bytes: Vec<u8>) {
            let ours = |bytes| {
                let mut fields = Fields::new(bytes);
                (fields.u16(), fields.u32(), fields.u64(), fields.i16())
            };
            let (a, b, c, d) = ours(&bytes);
            if let Ok(theirs) = postcard::from_bytes::<(u16, u32, u64, i16)>(&bytes) {
                prop_assert_eq!((a, b, c, d), (Some(theirs.0), Some(theirs.1), Some(theirs.2), Some(theirs.3)));
            } else {
                prop_assert!(a.is_none() || b.is_none() || c.is_none() || d.is_none());
            }
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_refused() {
        assert_eq!(Fields::new(&[0x80, 0x80, 0x04]).u16(), None);
        assert_eq!(Fields::new(&[0xff, 0xff, 0x03]).u16(), Some(u16::MAX));
        let mut most = [0xff; 10];
        most[9] = 1;
        assert_eq!(Fields::new(&most).u64(), Some(u64::MAX));
        most[9] = 2;
        assert_eq!(Fields::new(&most).u64(), None);
        assert_eq!(Fields::new(&[0x80; 11]).u64(), None);
        assert_eq!(Fields::new(&[3]).below(3), None);
    }
}
