//! Link masks save a host time and change nothing: what is drawn by them is what is drawn without.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tvlb_firmware_model::{LinkMasks, Scheme, Step, Switch, VlbPaths};
use tvlb_generator::fabric::Fabric;
use tvlb_schema::{FabricImage, FaultSet, MinCandidate, SwitchId, encode_fault_image};
use tvlb_tests::{arranged, boot, images, of_local_links, shipped, uneven, with_set};
use tvlb_topology::arrangement::Arrangement;

/// The words of a fabric's masks.
fn words(image: &FabricImage<'_>) -> Vec<u32> {
    let mut words = vec![0; LinkMasks::word_count(image).unwrap()];
    LinkMasks::fill(image, &mut words).unwrap();
    words
}

/// Switches that draw by these masks.
fn masked<'a>(switches: &[Switch<'a>], masks: LinkMasks<'a>) -> Vec<Switch<'a>> {
    switches.iter().map(|switch| switch.clone().with_link_masks(masks)).collect()
}

/// Decides for packets from some switches to some nodes with both; returns how many were decided.
fn assert_alike(with: &[Switch<'_>], without: &[Switch<'_>]) -> usize {
    let df = without[0].image().fabric().dragonfly();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut decided = 0;
    for _ in 0..3000 {
        let from = SwitchId(u16::try_from(rng.next_u32() % df.switch_count()).unwrap());
        let to = df.nodes().nth((rng.next_u32() % df.node_count()) as usize).unwrap();
        let queues: Vec<u32> = (0..df.radix()).map(|_| rng.next_u32() % 40).collect();
        let seed = rng.next_u64();
        let [one, other] = [with, without].map(|switches| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let paths = VlbPaths::Custom;
            let switch = switches.iter().find(|s| s.image().switch() == from)?;
            let sent = switch.admit(to, Scheme::Par, paths, &queues[..], &mut rng);
            let Ok(admitted) = sent else { return Some((format!("{sent:?}"), rng.next_u64())) };
            // The second switch looks again where the packet stays in its group.
            let second = match admitted.step {
                Step::Send { port, header, .. } => switch.neighbour(port).and_then(|place| {
                    let next = switches
                        .iter()
                        .find(|s| (s.image().group(), s.image().index()) == place)?;
                    Some(next.reconsider(header, paths, &queues[..], &mut rng))
                }),
                Step::Deliver { .. } => None,
            };
            Some((format!("{admitted:?} {second:?}"), rng.next_u64()))
        });
        assert_eq!(one, other, "from {from} to {to}");
        decided += usize::from(one.is_some());
    }
    decided
}

fn fabrics() -> Vec<Fabric> {
    let shipped = ["dfly-2-4-2-9.toml", "dfly-4-8-4-9.toml"].map(shipped);
    let unequal = [arranged((1, 3, 3, 5), Arrangement::Absolute)];
    let mut all: Vec<Fabric> = shipped.into_iter().chain(unequal).chain(uneven()).collect();
    all.extend(of_local_links());
    all
}

#[test]
fn what_is_drawn_by_masks_is_what_is_drawn_without() {
    for fabric in fabrics() {
        for set in ["switches:2-3 with returns", "switches:3-3", "strategic-2-3 by shape"] {
            let mut fabric = with_set(fabric.clone(), set);
            fabric.file.policies.weighing.par_second.second_min = Some(MinCandidate::Shortest);
            let generated = images(&fabric);
            let image = FabricImage::decode(&generated.images.fabric).unwrap();
            let words = words(&image);
            let masks = LinkMasks::of_words(&image, &words).unwrap();
            let without = boot(&generated);
            let mut with = masked(&without, masks);
            assert!(assert_alike(&with, &without) > 2000);

            // With a dead cable, and after other tables take over.
            let faults = FaultSet {
                cables: [fabric.topology.cables()[0].low].into(),
                ..FaultSet::default()
            };
            let broken = encode_fault_image(&image, 1, &faults);
            let mut without = without;
            for switch in with.iter_mut().chain(&mut without) {
                switch.install_faults(&broken).unwrap();
            }
            assert_alike(&with, &without);
            for switch in &mut with {
                let number = switch.image().switch();
                let place = image.dragonfly().switches().position(|other| other == number).unwrap();
                let bytes = &generated.images.switches[place];
                switch.replace(&generated.images.fabric, bytes, None).unwrap();
            }
            assert_alike(&with, &without);
        }
    }
}

#[test]
fn masks_of_another_fabric_are_not_taken() {
    let fabric = with_set(shipped("dfly-4-8-4-9.toml"), "switches:2-3 with returns");
    let other = arranged((4, 8, 4, 9), Arrangement::Palmtree);
    let (generated, others) = (images(&fabric), images(&other));
    let image = FabricImage::decode(&others.images.fabric).unwrap();
    let words = words(&image);
    let masks = LinkMasks::of_words(&image, &words).unwrap();
    let without = boot(&generated);
    assert_alike(&masked(&without, masks), &without);
}

#[test]
fn too_many_links_or_too_few_words_are_no_masks() {
    let many = images(&arranged((1, 8, 5, 2), Arrangement::Absolute));
    let many = FabricImage::decode(&many.images.fabric).unwrap();
    assert!(many.most_links() > 32);
    assert_eq!(LinkMasks::word_count(&many), None);
    assert!(LinkMasks::fill(&many, &mut [0; 64]).is_none());

    let small = images(&shipped("dfly-2-4-2-9.toml"));
    let small = FabricImage::decode(&small.images.fabric).unwrap();
    let count = LinkMasks::word_count(&small).unwrap();
    let mut words = vec![0; count + 1];
    assert!(LinkMasks::fill(&small, &mut words[..count - 1]).is_none());
    assert!(LinkMasks::fill(&small, &mut words).is_some(), "more than are needed are enough");
    assert!(LinkMasks::of_words(&small, &words).is_none(), "one word too many");
    assert!(LinkMasks::of_words(&small, &words[..count]).is_some());
}
