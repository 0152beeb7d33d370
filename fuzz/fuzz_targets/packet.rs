//! Any header at any switch of a real fabric: PAR's second look and forwarding.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Header, Step, Switch, VlbPaths};
use tvlb_fuzz::{FABRIC, SWITCH};

fuzz_target!(|input: (u64, u64)| {
    let (bits, seed) = input;
    let switch = Switch::boot(FABRIC, SWITCH).expect("the golden images boot");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut header = Header::from_bits(bits);
    // Its own output is fed back: a switch must stand even a neighbour that sends all back.
    for _ in 0..9 {
        let credits = [5_u32, 1];
        let Ok(looked) = switch.reconsider(header, VlbPaths::Custom, &credits[..], &mut rng) else {
            return;
        };
        match switch.forward(looked) {
            Ok(Step::Send { virtual_channel, header: next, .. }) => {
                assert!(virtual_channel < 5);
                header = next;
            }
            _ => return,
        }
    }
    panic!("a packet is still under way after nine steps");
});
