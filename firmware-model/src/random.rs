//! Random words, and choices from them.
//!
//! - **Bias.** Scaling a word to n choices leaves a bias of at most n·2⁻³², where n is the product of all choices from
//!   the word. Apart from that a choice is uniform.

use rand_core::Rng;

/// A random word.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline)]
pub(crate) fn word(rng: &mut (impl Rng + ?Sized)) -> u32 {
    rng.next_u32()
}

/// A number below `n`, uniform up to a bias of n·2⁻³²; 0 if n is 0. For programs with rules of their own that draw as
/// the datapath does.
#[inline]
pub fn below(rng: &mut (impl Rng + ?Sized), n: u32) -> u32 {
    split(word(rng), n).0
}

/// A random word scaled to a number below `n`, and the rest of the random word.
#[inline]
pub(crate) const fn split(random: u32, n: u32) -> (u32, u32) {
    let scaled = random as u64 * n as u64;
    ((scaled >> 32) as u32, (scaled & 0xffff_ffff) as u32)
}
