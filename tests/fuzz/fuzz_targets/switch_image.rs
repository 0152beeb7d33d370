//! Any bytes as a switch image of a real fabric; whatever boots must admit packets.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Scheme, Switch, VlbPaths};
use tvlb_fuzz::{FABRIC, framed};
use tvlb_schema::{ImageKind, NodeId};

fuzz_target!(|bytes: &[u8]| {
    let _ = Switch::boot(FABRIC, bytes);
    let image = framed(ImageKind::Switch, bytes);
    if let Ok(switch) = Switch::boot(FABRIC, &image) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for node in [0, 9, 31, 70, 72, u32::MAX] {
            for scheme in [Scheme::Vlb, Scheme::Par] {
                let credits = [2_u32, 0, 1];
                let _ =
                    switch.admit(NodeId(node), scheme, VlbPaths::Custom, &credits[..], &mut rng);
            }
        }
    }
});
