//! Arrays of numbers of a fixed width in bits: the sections of the images.
//!
//! Entry i occupies bits i·width to (i+1)·width − 1, bit 0 being the lowest bit of the first byte.
//! Three zero bytes follow the last entry's, so that any entry is one 32-bit little-endian load, a
//! shift and a mask, on any machine and with any alignment.

use crate::image_error::{Fault, ImagePart, Refusal};

/// The widest entry: 32 bits of one load less the 7 that may precede the entry in its byte.
pub(crate) const MAX_WIDTH: u32 = 25;
const PADDING: usize = 3;

/// A packed array in borrowed bytes.
#[derive(Clone, Copy, Debug)]
pub struct PackedArray<'a> {
    bytes: &'a [u8],
    width: u32,
    /// As many low bits set as an entry has.
    mask: u32,
}

/// The bits that a number from 0 to `most` needs.
#[inline]
pub const fn width_for(most: u32) -> u32 {
    32 - most.leading_zeros()
}

/// The bytes of an array, padding included; 0 if nothing is stored.
#[inline]
pub(crate) const fn byte_len(width: u32, count: u32) -> usize {
    if width == 0 || count == 0 {
        0
    } else {
        // Below 2³²: at most 25 bits for each of at most 2²⁴ entries.
        (width as usize * count as usize).div_ceil(8) + PADDING
    }
}

impl<'a> PackedArray<'a> {
    /// No entries.
    pub const EMPTY: Self = Self::new(&[], 0);

    const fn new(bytes: &'a [u8], width: u32) -> Self {
        Self { bytes, width, mask: (1 << width) - 1 }
    }

    /// Takes an array of `count` entries of `width` bits (at most [`MAX_WIDTH`]) from the front of `bytes`. `end` is
    /// the position of the end of `bytes` in its file.
    ///
    /// If there are too few bytes, or anything but zeros follows the last entry, it notes that in `refusal` and returns
    /// `None`.
    #[inline(never)]
    pub(crate) fn take(
        bytes: &mut &'a [u8],
        (width, count): (u32, u32),
        part: ImagePart,
        end: usize,
        refusal: &mut Refusal,
    ) -> Option<Self> {
        debug_assert!(width <= MAX_WIDTH, "the limits of a Dragonfly keep every width below this");
        let (len, offset) = (byte_len(width, count), end - bytes.len());
        let Some((own, rest)) = bytes.split_at_checked(len) else {
            return refusal.too_short(part, offset, bytes.len(), len);
        };
        *bytes = rest;
        let array = Self::new(own, width);
        if len > 0 {
            let used_bits = width as usize * count as usize;
            let used_bytes = used_bits.div_ceil(8);
            let spare = 8 * used_bytes - used_bits;
            let last = own.get(used_bytes.saturating_sub(1)).copied().unwrap_or(0);
            let tail = own.get(used_bytes..).unwrap_or(&[]);
            let high = (u16::from(last) << spare) >> 8;
            if high != 0 || tail.iter().any(|&byte| byte != 0) {
                return refusal.fail(Fault::Padding(part), offset + used_bytes, 0);
            }
        }
        Some(array)
    }

    /// Entry `i`; 0 beyond the end.
    #[inline]
    pub fn get(&self, i: u32) -> u32 {
        let bit = (i as usize).wrapping_mul(self.width as usize);
        let at = bit >> 3;
        // One range, so that there is one comparison: the shift has made room for the sum.
        match self.bytes.get(at..at + 4).and_then(<[u8]>::first_chunk::<4>) {
            Some(word) => u32::from_le_bytes(*word) >> (bit & 7) & self.mask,
            None => 0,
        }
    }

    /// Entry `i` and the next one, which a 64-bit machine reads with one load.
    #[inline]
    pub(crate) fn two(&self, i: u32) -> (u32, u32) {
        // A 32-bit machine would pay for wide shifts.
        if cfg!(target_pointer_width = "32") {
            return (self.get(i), self.get(i.wrapping_add(1)));
        }
        let mut entries = self.entries(i, 2);
        let mut next = || entries.next().unwrap_or(0);
        (next(), next())
    }

    /// The n-th, counted from 0, of `count` entries from the `first` on that are `high` above their lowest `shift`
    /// bits: how many entries precede it, and the entry. `None` if there are not more than n.
    #[inline]
    pub(crate) fn nth_of(
        &self,
        (first, count): (u32, u32),
        (shift, high): (u32, u32),
        n: u32,
    ) -> Option<(u32, u32)> {
        // Several entries are one load, which contains at least this many of their bits.
        const BITS: u32 = 64 - 7;
        let (mut word, mut bits, mut left) = (0, 0, n);
        for i in 0..count {
            // A 32-bit machine would pay for wide shifts.
            if cfg!(target_pointer_width = "32") {
                (word, bits) = (self.get(first.wrapping_add(i)).into(), self.width);
            } else if bits < self.width {
                let bit = (first.wrapping_add(i) as usize).wrapping_mul(self.width as usize);
                let at = bit >> 3;
                (word, bits) = match self.bytes.get(at..at + 8).and_then(<[u8]>::first_chunk::<8>) {
                    Some(bytes) => (u64::from_le_bytes(*bytes) >> (bit & 7), BITS),
                    // Too near the end.
                    None => (self.get(first.wrapping_add(i)).into(), self.width),
                };
            }
            #[expect(clippy::cast_possible_truncation, reason = "the mask has at most 25 bits")]
            let entry = (word & u64::from(self.mask)) as u32;
            if entry >> shift == high {
                if left == 0 {
                    return Some((i, entry));
                }
                left -= 1;
            }
            word >>= self.width;
            bits -= self.width;
        }
        None
    }

    /// `count` entries from the `first` on, which a 64-bit machine loads several at a time. A loop over them that ends
    /// early costs more than [`Self::nth_of`].
    #[inline]
    pub(crate) const fn entries(&self, first: u32, count: u32) -> Entries<'a> {
        Entries { array: *self, next: first, left: count, word: 0, bits: 0 }
    }

    /// Where entry `i` begins, in bytes from the array's own beginning.
    pub const fn byte_of(&self, i: u32) -> usize {
        i as usize * self.width as usize / 8
    }
}

/// Entries one after the other.
pub(crate) struct Entries<'a> {
    array: PackedArray<'a>,
    next: u32,
    left: u32,
    /// The loaded part of the next entries, from bit 0 on.
    word: u64,
    bits: u32,
}

impl Iterator for Entries<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        // One load contains at least this many bits of several entries.
        const BITS: u32 = 64 - 7;
        self.left = self.left.checked_sub(1)?;
        let PackedArray { bytes, width, mask } = self.array;
        if self.bits < width {
            let bit = (self.next as usize).wrapping_mul(width as usize);
            let at = bit >> 3;
            (self.word, self.bits) = match bytes.get(at..at + 8).and_then(<[u8]>::first_chunk::<8>)
            {
                Some(bytes) => (u64::from_le_bytes(*bytes) >> (bit & 7), BITS),
                // Too near the end.
                None => (self.array.get(self.next).into(), width),
            };
        }
        #[expect(clippy::cast_possible_truncation, reason = "the mask has at most 25 bits")]
        let entry = (self.word & u64::from(mask)) as u32;
        self.next = self.next.wrapping_add(1);
        self.word >>= width;
        self.bits -= width;
        Some(entry)
    }
}

/// Appends `values`, each below 2^`width`, as a packed array.
#[cfg(feature = "alloc")]
pub fn append(out: &mut alloc::vec::Vec<u8>, width: u32, values: impl IntoIterator<Item = u32>) {
    debug_assert!(width <= MAX_WIDTH);
    if width == 0 {
        return;
    }
    let before = out.len();
    let (mut pending, mut bits) = (0_u64, 0);
    for value in values {
        debug_assert!(u64::from(value) < 1 << width, "{value} needs more than {width} bits");
        pending |= u64::from(value) << bits;
        bits += width;
        while bits >= 8 {
            out.push((pending & 0xff) as u8);
            pending >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        out.push((pending & 0xff) as u8);
    }
    if out.len() > before {
        out.extend([0; PADDING]);
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::{ImageError, ImageKind};
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// The array at the front of bytes, and the bytes after it.
    fn taken(
        mut bytes: &[u8],
        width: u32,
        count: u32,
    ) -> Result<(PackedArray<'_>, &[u8]), ImageError> {
        let (end, entries) = (bytes.len(), (width, count));
        let mut refusal = Refusal::new(ImageKind::Switch);
        match PackedArray::take(&mut bytes, entries, ImagePart::Levels, end, &mut refusal) {
            Some(array) => Ok((array, bytes)),
            None => Err(refusal.error()),
        }
    }

    proptest! {
        #[test]
        fn reads_back_what_was_written(width in 0..=MAX_WIDTH, raw in prop::collection::vec(any::<u32>(), 0..200)) {
            let values: Vec<u32> = raw.iter().map(|v| v & ((1 << width) - 1)).collect();
            let mut bytes = Vec::new();
            append(&mut bytes, width, values.iter().copied());
            let count = u32::try_from(values.len()).unwrap();
            prop_assert_eq!(bytes.len(), byte_len(width, count));
            bytes.push(77);
            let (array, rest) = taken(&bytes, width, count).unwrap();
            prop_assert_eq!(rest, &[77]);
            for (i, &value) in values.iter().enumerate() {
                prop_assert_eq!(array.get(u32::try_from(i).unwrap()), value);
            }
        }

        #[test]
        fn the_nth_of_some_entries_is_found(
            width in 1..=MAX_WIDTH,
            raw in prop::collection::vec(any::<u32>(), 1..60),
            (first, count, shift, n) in (0..60_u32, 0..60_u32, 0..6_u32, 0..4_u32),
        ) {
            let values: Vec<u32> = raw.iter().map(|v| v & ((1 << width) - 1)).collect();
            let len = u32::try_from(values.len()).unwrap();
            let mut bytes = Vec::new();
            append(&mut bytes, width, values.iter().copied());
            let (array, _) = taken(&bytes, width, len).unwrap();
            let (first, count) = (first % len, count.min(len - first % len));
            let high = values[first as usize] >> shift;
            let some = values.iter().skip(first as usize).take(count as usize);
            let mut found = (0..).zip(some.copied()).filter(|(_, v)| v >> shift == high);
            prop_assert_eq!(
                array.nth_of((first, count), (shift, high), n),
                found.nth(n as usize)
            );
        }

        #[test]
        fn entries_follow_each_other(
            width in 0..=MAX_WIDTH,
            raw in prop::collection::vec(any::<u32>(), 1..60),
            (first, count) in (0..60_u32, 0..90_u32),
        ) {
            let values: Vec<u32> = raw.iter().map(|v| v & ((1 << width) - 1)).collect();
            let mut bytes = Vec::new();
            append(&mut bytes, width, values.iter().copied());
            let (array, _) = taken(&bytes, width, u32::try_from(values.len()).unwrap()).unwrap();
            // 0 beyond the end, as one by one.
            let one_by_one: Vec<u32> = (first..first + count).map(|i| array.get(i)).collect();
            prop_assert_eq!(array.entries(first, count).collect::<Vec<_>>(), one_by_one);
        }

        #[test]
        fn any_index_is_safe(width in 0..=MAX_WIDTH, i: u32, bytes: Vec<u8>) {
            let _ = PackedArray::new(&bytes, width).get(i);
        }
    }

    #[test]
    fn stray_bits_behind_the_last_entry_are_refused() {
        let mut bytes = Vec::new();
        append(&mut bytes, 3, [7, 7, 7]);
        assert_eq!(bytes, [0xff, 0x01, 0, 0, 0]);
        for (at, bit) in [(1, 1), (1, 7), (2, 0), (4, 7)] {
            let mut bad = bytes.clone();
            bad[at] |= 1 << bit;
            let said = taken(&bad, 3, 3).unwrap_err().to_string();
            let expected = "padding of thinning levels at byte 2: found a bit that is set";
            assert!(said.starts_with(expected), "{at}.{bit}: {said}");
        }
    }

    #[test]
    fn widths() {
        assert_eq!([0, 1, 2, 3, 4, 255, 256].map(width_for), [0, 1, 2, 2, 3, 8, 9]);
    }
}
