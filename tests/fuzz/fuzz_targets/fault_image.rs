//! Any bytes as a fault image of a real fabric; a switch that takes it must admit packets, and stand any
//! header.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{Header, Scheme, Switch, VlbPaths};
use tvlb_fuzz::{FABRIC, SWITCH, feed_back, framed};
use tvlb_schema::{Decision, ImageKind, NodeId, SwitchId};

fuzz_target!(|input: (&[u8], u64)| {
    let (bytes, bits) = input;
    let mut switch = Switch::boot(FABRIC, SWITCH).expect("the golden images boot");
    assert!(switch.install_faults(bytes).is_err() || bytes.len() > 20);
    let image = framed(ImageKind::Faults, bytes);
    if switch.install_faults(&image).is_err() {
        return;
    }
    let fabric = switch.image().fabric();
    let links = fabric.dead_local_links().count();
    assert!(fabric.dead_cables().all(|cable| !fabric.has_live_cable(cable)));
    assert!(
        fabric.is_faultless()
            || links + fabric.dead_cables().count() + fabric.dead_switches().count() > 0
    );
    for to in [0, 9, 20, 35] {
        switch.for_each_route(Decision::ParSource, SwitchId(to), |_, _| {});
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(bits);
    let credits = [2_u32, 0, 1, 9, 3, 5, 7];
    for node in [0, 9, 31, 70, 72, u32::MAX] {
        for scheme in [Scheme::Min, Scheme::Vlb, Scheme::Par] {
            for paths in [VlbPaths::Conventional, VlbPaths::Custom] {
                let _ = switch.admit(NodeId(node), scheme, paths, &credits[..], &mut rng);
            }
        }
    }
    feed_back(&switch, Header::from_bits(bits), &credits, &mut rng);
});
