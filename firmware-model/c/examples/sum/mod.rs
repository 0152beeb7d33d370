//! Random numbers, and a sum that depends on everything added to it, as `tests/sum.h` has them in C.

use rand_core::TryRng;

/// xorshift64 (Marsaglia, 2003), the high half.
pub(crate) struct Xorshift(pub(crate) u64);

impl TryRng for Xorshift {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Ok((self.0 >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let low = self.try_next_u32()?;
        Ok(u64::from(self.try_next_u32()?) << 32 | u64::from(low))
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        unreachable!("the datapath draws words only")
    }
}

pub(crate) struct Sum(pub(crate) u64);

impl Sum {
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_01b3);
    }

    pub(crate) fn add_code_of(&mut self, code: i32) {
        self.add(u64::from(code.unsigned_abs()));
    }
}
