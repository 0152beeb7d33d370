//! Any header at any switch of a real fabric: PAR's second look and forwarding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Header, Switch};
use tvlb_fuzz::{FABRIC, SWITCH, feed_back};

fuzz_target!(|input: (u64, u64)| {
    let (bits, seed) = input;
    let switch = Switch::boot(FABRIC, SWITCH).expect("the golden images boot");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    feed_back(&switch, Header::from_bits(bits), &[5, 1], &mut rng);
});
