//! No bytes and no header make the datapath panic, and damage never goes unnoticed.

use proptest::prelude::*;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::LazyLock;
use tvlb_firmware_model::{Header, Scheme, Step, Switch, VlbPaths};
use tvlb_generator::tables::Generated;
use tvlb_schema::{Decision, End, FabricImage, NodeId, SwitchImage};
use tvlb_tests::{Repeating, arranged, images, levels, mended, shipped, thinned, with_set};
use tvlb_topology::arrangement::Arrangement;

static EVEN: LazyLock<Generated> =
    LazyLock::new(|| images(&with_set(shipped("dfly-2-4-2-9.toml"), "50% shapes:121 by shape")));
static UNEVEN: LazyLock<Generated> = LazyLock::new(|| {
    images(&with_set(arranged((2, 3, 3, 5), Arrangement::Absolute), "strategic-2-3 by shape"))
});

static THINNED: LazyLock<Generated> = LazyLock::new(|| {
    let fabric = with_set(arranged((2, 3, 3, 5), Arrangement::Absolute), "70% shapes:121 by shape");
    let mut generated = images(&fabric);
    let levels = levels(&fabric, &[3, 15, 8, 4]);
    generated.images.switches[1] = thinned(&fabric, &generated, tvlb_schema::SwitchId(1), &levels);
    generated
});

fn any_of_three() -> impl Strategy<Value = &'static Generated> {
    prop_oneof![Just(&*EVEN), Just(&*UNEVEN), Just(&*THINNED)]
}

fn boots(fabric: &[u8], switch: &[u8]) -> bool {
    Switch::boot(fabric, switch).is_ok()
}

#[test]
fn every_truncation_is_refused() {
    for generated in [&*EVEN, &*UNEVEN, &*THINNED] {
        let (fabric, switch) = (&generated.images.fabric, &generated.images.switches[1]);
        assert!(boots(fabric, switch));
        for length in 0..fabric.len() {
            assert!(!boots(&fabric[..length], switch));
        }
        for length in 0..switch.len() {
            assert!(!boots(fabric, &switch[..length]));
        }
        let longer: Vec<u8> = switch.iter().copied().chain([0]).collect();
        assert!(!boots(fabric, &longer));
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    for generated in [&*EVEN, &*UNEVEN, &*THINNED] {
        let (fabric, switch) = (&generated.images.fabric, &generated.images.switches[1]);
        for bit in 0..8 * fabric.len() {
            let mut bad = fabric.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(!boots(&bad, switch), "bit {bit} of the fabric image");
        }
        for bit in 0..8 * switch.len() {
            let mut bad = switch.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(!boots(fabric, &bad), "bit {bit} of the switch image");
        }
    }
}

#[test]
fn images_of_another_fabric_are_refused() {
    assert!(!boots(&EVEN.images.fabric, &UNEVEN.images.switches[0]));
    assert!(!boots(&EVEN.images.switches[0], &EVEN.images.fabric));
    assert!(!boots(&EVEN.images.fabric, &EVEN.images.fabric));
}

#[test]
fn levels_and_their_padding_are_checked() {
    let fabric = &THINNED.images.fabric;
    let identity = FabricImage::decode(fabric).unwrap().identity();
    let good = &THINNED.images.switches[1];
    // Nine levels in five bytes, three bytes of padding, and the checksum.
    let first = good.len() - 4 - 8;
    assert_eq!(good[first..first + 8], [0xf3, 0x48, 0xf3, 0x48, 0x03, 0, 0, 0]);
    let refused = |at: usize, value: u8| {
        let mut bad = good.clone();
        bad[first + at] = value;
        Switch::boot(fabric, &mended(bad, Some(identity))).unwrap_err().to_string()
    };
    let level = |at: usize, found: u8| {
        let at = first + at;
        format!(
            "switch image: thinning level of a global port at byte {at}: found {found}, \
             accepted 3 to 15"
        )
    };
    assert_eq!(refused(0, 0xf2), level(0, 2));
    assert_eq!(refused(1, 0x18), level(1, 1));
    assert_eq!(refused(4, 0x00), level(4, 0));
    let padding = |at: usize| {
        let at = first + at;
        format!(
            "switch image: padding of thinning levels at byte {at}: found a bit that is set, \
             accepted zeros"
        )
    };
    assert_eq!(refused(4, 0x13), padding(5));
    assert_eq!(refused(7, 0x80), padding(5));
}

/// Everything that a switch can be asked, whatever it booted from.
#[test]
fn numbers_of_candidates_are_checked() {
    let (fabric, image) = (&EVEN.images.fabric, &EVEN.images.switches[1]);
    let identity = FabricImage::decode(fabric).unwrap().identity();
    // After the switch and the channels come, for each decision, its set, T, candidates and gate.
    let refused = |decision: usize, code: u8| {
        let mut bad = image.clone();
        let place = 20 + 2 + 4 * decision + 2;
        assert_eq!(std::mem::replace(&mut bad[place], code), 0x11);
        Switch::boot(fabric, &mended(bad, Some(identity))).err().map(|error| error.to_string())
    };
    for decision in 0..3 {
        assert_eq!(refused(decision, 0x88), None);
        for (code, kind, found) in
            [(0x01, "MIN", 0), (0x91, "MIN", 9), (0x10, "VLB", 0), (0x19, "VLB", 9)]
        {
            let text = format!(
                "switch image: number of {kind} candidates of a decision at byte 20: found {found}, accepted 1 to 8"
            );
            assert_eq!(refused(decision, code), Some(text));
        }
    }
}

fn exercise(switch: &Switch<'_>, seed: u64) {
    let df = *switch.image().fabric().dragonfly();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for node in (0..df.node_count().saturating_add(2)).step_by(1 + df.node_count() as usize / 40) {
        for scheme in Scheme::ALL {
            for paths in [VlbPaths::Conventional, VlbPaths::Custom] {
                let _ = switch.admit(NodeId(node), scheme, paths, [3_u32, 1].as_slice(), &mut rng);
            }
        }
    }
    for port in 0..=u16::try_from(df.radix()).unwrap() {
        let _ = switch.neighbour(tvlb_schema::Port(port));
    }
    for decision in Decision::ALL {
        switch.for_each_route(decision, tvlb_schema::SwitchId(0), |_, _| ());
        let _ = switch.image().set(decision).shapes_to(tvlb_schema::SwitchId(u16::MAX));
    }
}

/// Whatever decodes is a wiring: both ends of every cable agree, and the two lists do.
fn assert_consistent(fabric: &FabricImage<'_>) {
    let df = fabric.dragonfly();
    let mut used = 0;
    for group in df.groups() {
        for port in df.global_ports() {
            let end = End { group, port };
            if let Some(peer) = fabric.peer(end) {
                used += 1;
                assert_ne!(peer.group, group);
                assert_eq!(fabric.peer(peer), Some(end));
                let (to, k) = fabric.port_link(end).unwrap();
                assert_eq!(fabric.link(group, to, k), Some((port, peer.port)));
            }
        }
        let counts = df.groups().map(|to| fabric.link_count(group, to));
        assert!(counts.sum::<u32>() <= df.ports_per_group());
    }
    assert_eq!(used, 2 * fabric.cable_count());
}

#[test]
fn a_wiring_that_contradicts_itself_is_refused() {
    for generated in [&*EVEN, &*UNEVEN] {
        let fabric = &generated.images.fabric;
        for bit in 8 * 20..8 * (fabric.len() - 4) {
            let mut bad = fabric.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            if let Ok(view) = FabricImage::decode(&mended(bad, None)) {
                assert_consistent(&view);
            }
        }
    }
}

/// The image with some bytes of its payload changed.
fn damage(bytes: &[u8], places: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    let mut bad = bytes.to_vec();
    let payload = 20..bad.len() - 4;
    for (place, value) in places {
        let at = payload.start + place.index(payload.len());
        bad[at] ^= value;
    }
    bad
}

#[test]
fn much_damage_with_a_good_frame_gets_past_the_checks() {
    // Or the property tests below would exercise nothing.
    let view = FabricImage::decode(&EVEN.images.fabric).unwrap();
    let payload = 20..EVEN.images.switches[1].len() - 4;
    let accepted = payload.clone().filter(|&at| {
        let mut bad = EVEN.images.switches[1].clone();
        bad[at] ^= 1;
        boots(&EVEN.images.fabric, &mended(bad, Some(view.identity())))
    });
    assert!(accepted.count() > payload.len() / 3);
}

fn any_damage() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec(
        (any::<prop::sample::Index>(), prop_oneof![1..=255_u8, Just(1), Just(128)]),
        1..4,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_damaged_fabric_image_with_a_good_frame(places in any_damage(), uneven: bool, seed: u64) {
        let generated = if uneven { &*UNEVEN } else { &*EVEN };
        let fabric = mended(damage(&generated.images.fabric, &places), None);
        if let Ok(view) = FabricImage::decode(&fabric) {
            assert_consistent(&view);
            let switch = mended(generated.images.switches[1].clone(), Some(view.identity()));
            if let Ok(switch) = Switch::boot(&fabric, &switch) {
                exercise(&switch, seed);
            }
        }
    }

    #[test]
    fn a_damaged_switch_image_with_a_good_frame(
        places in any_damage(),
        generated in any_of_three(),
        seed: u64,
    ) {
        let view = FabricImage::decode(&generated.images.fabric).unwrap();
        let switch = damage(&generated.images.switches[1], &places);
        let switch = mended(switch, Some(view.identity()));
        if let Ok(switch) = Switch::boot(&generated.images.fabric, &switch) {
            exercise(&switch, seed);
        }
    }

    #[test]
    fn bytes_at_random(bytes: Vec<u8>, framed: bool) {
        let mut image = b"TVLBF\0\x02\0".to_vec();
        image.extend([0; 12]);
        image.extend(&bytes);
        image.extend([0; 4]);
        let image = if framed { mended(image, None) } else { bytes };
        if let Ok(fabric) = FabricImage::decode(&image) {
            let _ = SwitchImage::decode(&image, &fabric);
        }
    }

    #[test]
    fn headers_at_random(bits: u64, plausible: bool, at in 0..36_usize) {
        // Plausible ones are in range, so that they get past the first checks.
        let bits = if plausible { bits & 0x001f_0107_0007_03ff } else { bits };
        let fabric = &EVEN.images.fabric;
        let boot = |n: usize| Switch::boot(fabric, &EVEN.images.switches[n]).unwrap();
        let df = *boot(0).image().fabric().dragonfly();
        let (mut at, mut header) = (at, Header::from_bits(bits));
        for hop in 0..=8 {
            prop_assert!(hop < 8, "a packet is still under way after 7 hops");
            let here = boot(at);
            let mut rng = Repeating::new([0, u32::MAX, 7]);
            let credits = [9_u32; 8];
            let Ok(looked) = here.reconsider(header, VlbPaths::Custom, credits.as_slice(), &mut rng)
            else { break };
            match here.forward(looked) {
                Ok(Step::Send { port, header: next, virtual_channel }) => {
                    prop_assert!(virtual_channel < 7);
                    let (group, index) = here.neighbour(port).unwrap();
                    at = df.switch(group, index).as_usize();
                    header = next;
                }
                Ok(Step::Deliver { port }) => {
                    prop_assert!(u32::from(port.0) < df.p());
                    break;
                }
                Err(_) => break,
            }
        }
    }
}

#[test]
fn a_random_source_of_extremes() {
    for words in [vec![0], vec![u32::MAX], vec![0, u32::MAX]] {
        let switch = Switch::boot(&UNEVEN.images.fabric, &UNEVEN.images.switches[4]).unwrap();
        let mut rng = Repeating::new(words);
        for node in 0..switch.image().fabric().dragonfly().node_count() {
            for paths in [VlbPaths::Conventional, VlbPaths::Custom] {
                switch
                    .admit(NodeId(node), Scheme::Vlb, paths, [0_u32].as_slice(), &mut rng)
                    .unwrap();
            }
        }
    }
}
