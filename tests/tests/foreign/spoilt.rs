//! Spoilt images: both decoders accept or refuse each, and what they accept means the same to both.

use crate::foreign::dead_parts;
use crate::foreign::decoders::{
    Foreign, judged, judged_escape, judged_faults, judged_switch, meaning_of_fabric,
};
use crc::{CRC_32_ISO_HDLC, Crc};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_lab::escape::{Ring, Tree};
use tvlb_ofar::{OfarRules, encode_escape_image};
use tvlb_schema::{FabricImage, SwitchId, encode_fault_image};
use tvlb_tests::mended;
use tvlb_tests::{
    arranged, images, levels, of_local_links, of_three_sets, shipped, thinned, uneven, with_set,
};
use tvlb_topology::arrangement::Arrangement;

/// The image with each bit of its payload flipped; with each byte but the last followed by a zero
/// byte that a longer form of its number has; with each byte left out; and some with two or three
/// bytes replaced.
fn spoilt(image: &[u8], identity: Option<u64>, mut each: impl FnMut(Vec<u8>)) {
    let payload = 20..image.len() - 4;
    let mut give = |bad: Vec<u8>| each(mended(bad, identity));
    for at in payload.clone() {
        for bit in 0..8 {
            let mut bad = image.to_vec();
            bad[at] ^= 1 << bit;
            give(bad);
        }
        let mut longer = image.to_vec();
        longer[at] |= 0x80;
        longer.insert(at + 1, 0);
        give(longer);
        let mut shorter = image.to_vec();
        shorter.remove(at);
        give(shorter);
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut below = |end: usize| rng.next_u32() as usize % end;
    for _ in 0..400 {
        let mut bad = image.to_vec();
        for _ in 0..2 + below(2) {
            // The structure is small, and every byte of it counts.
            let within = if below(2) == 0 { 40 } else { payload.len() };
            let at = payload.start + below(within);
            bad[at.min(payload.end - 1)] = u8::try_from(below(256)).unwrap() >> below(8);
        }
        give(bad);
    }
    // In the frame only the checksum is mended, and the checksum itself is not.
    for bit in (0..8 * 20).chain(8 * payload.end..8 * image.len()) {
        let mut bad = image.to_vec();
        bad[bit / 8] ^= 1 << (bit % 8);
        if bit / 8 < 20 {
            let checksum = Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(&bad[..payload.end]);
            bad[payload.end..].copy_from_slice(&checksum.to_le_bytes());
        }
        each(bad);
    }
}

#[test]
fn both_refuse_the_same_spoilt_fabric_images() {
    let Some(mut foreign) = Foreign::start() else { return };
    let mut fabrics = uneven();
    fabrics.truncate(3);
    fabrics.extend(of_local_links());
    fabrics.push(arranged((1, 3, 3, 5), Arrangement::Absolute));
    fabrics.push(arranged((1, 2, 1, 3), Arrangement::Absolute));
    let mut count = [0, 0];
    for fabric in fabrics {
        let generated = images(&with_set(fabric, "all"));
        spoilt(&generated.images.fabric, None, |bad| {
            count[usize::from(foreign.judges(b'f', &bad, &judged(&bad)))] += 1;
        });
    }
    let [refused, accepted] = count;
    println!("fabric images: {accepted} accepted, {refused} refused");
    assert!(accepted > 10 && refused > 5000);
}

#[test]
fn both_refuse_the_same_spoilt_switch_images() {
    let Some(mut foreign) = Foreign::start() else { return };
    let [_, with_gaps, ..] = &uneven()[..] else { panic!("it has more") };
    let mut count = [0, 0];
    for fabric in [&shipped("dfly-2-4-2-9.toml"), with_gaps] {
        let by_shape = with_set(fabric.clone(), "70% shapes:121 by shape");
        let generated = images(&by_shape);
        let view = FabricImage::decode(&generated.images.fabric).unwrap();
        foreign.keep(b'F', &generated.images.fabric, &meaning_of_fabric(&view));
        let switch = SwitchId(1);
        let levels = levels(&by_shape, &[9, 4, 15, 3, 15]);
        for image in [
            generated.images.switches[1].clone(),
            thinned(&by_shape, &generated, switch, &levels),
            of_three_sets(fabric, &view, switch),
        ] {
            spoilt(&image, Some(view.identity()), |bad| {
                let meaning = judged_switch(&bad, &view);
                count[usize::from(foreign.judges(b's', &bad, &meaning))] += 1;
            });
        }
    }
    let [refused, accepted] = count;
    println!("switch images: {accepted} accepted, {refused} refused");
    assert!(accepted > 100 && refused > 5000);
}

#[test]
fn both_refuse_the_same_spoilt_fault_images() {
    let Some(mut foreign) = Foreign::start() else { return };
    let mut fabrics = uneven();
    fabrics.truncate(2);
    fabrics.extend(of_local_links());
    fabrics.push(shipped("dfly-2-4-2-9.toml"));
    let mut count = [0, 0];
    for fabric in fabrics {
        let generated = images(&with_set(fabric.clone(), "all"));
        let view = FabricImage::decode(&generated.images.fabric).unwrap();
        foreign.keep(b'F', &generated.images.fabric, &meaning_of_fabric(&view));
        for faults in dead_parts(&fabric) {
            let image = encode_fault_image(&view, 300, &faults);
            spoilt(&image, Some(view.identity()), |bad| {
                let meaning = judged_faults(&bad, &view);
                count[usize::from(foreign.judges(b'x', &bad, &meaning))] += 1;
            });
        }
    }
    let [refused, accepted] = count;
    println!("fault images: {accepted} accepted, {refused} refused");
    assert!(accepted > 100 && refused > 5000);
}

#[test]
fn both_refuse_the_same_spoilt_escape_images() {
    let Some(mut foreign) = Foreign::start() else { return };
    let mut fabrics = uneven();
    fabrics.truncate(2);
    fabrics.extend(of_local_links());
    fabrics.push(shipped("dfly-2-4-2-9.toml"));
    let (mut count, mut rings) = ([0, 0], 0);
    for fabric in fabrics {
        let generated = images(&with_set(fabric.clone(), "all"));
        let view = FabricImage::decode(&generated.images.fabric).unwrap();
        foreign.keep(b'F', &generated.images.fabric, &meaning_of_fabric(&view));
        let topology = &fabric.topology;
        let tree = Tree::below(topology, Tree::root_of(topology)).unwrap();
        let ring = Ring::of(topology).ok().map(|ring| ring.network());
        rings += usize::from(ring.is_some());
        let networks = [tree.network(topology.dragonfly())].into_iter().chain(ring);
        for (network, least_percent) in networks.zip([0, 40]) {
            let rules = OfarRules { least_percent, ..OfarRules::default() };
            let image = encode_escape_image(&view, &network, &rules).unwrap();
            foreign.keep(b'e', &image, &judged_escape(&image, &view).unwrap());
            spoilt(&image, Some(view.identity()), |bad| {
                let meaning = judged_escape(&bad, &view);
                count[usize::from(foreign.judges(b'e', &bad, &meaning))] += 1;
            });
        }
    }
    let [refused, accepted] = count;
    println!("escape images: {accepted} accepted, {refused} refused, {rings} rings");
    assert!(accepted > 100 && refused > 5000 && rings > 1);
}
