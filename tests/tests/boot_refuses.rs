//! A switch whose links have too few virtual channels for its image does not boot.

use tvlb_firmware_model::rand_core::SeedableRng;
use tvlb_firmware_model::{Channels, DefaultRng, Error, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_schema::{FabricImage, NodeId, VcScheme};
use tvlb_topology::arrangement::Arrangement;

fn images(assignment: VcScheme) -> tvlb_generator::tables::Generated {
    let mut fabric = tvlb_tests::arranged((2, 4, 2, 9), Arrangement::Absolute);
    fabric.file.virtual_channels = Some(assignment);
    tvlb_tests::images(&fabric)
}

#[test]
fn too_few_channels_are_refused_by_name() {
    for assignment in VcScheme::FOR_ANY {
        let generated = images(assignment);
        let images = &generated.images;
        let boot = || Switch::boot(&images.fabric, &images.switches[5]).expect("it boots");
        for scheme in Scheme::ALL {
            let needed = boot().channels_needed_for(scheme, VlbPaths::Conventional);
            assert_eq!(needed == Channels::needed(assignment, scheme), scheme != Scheme::Min);
            assert!(boot().with_channels(scheme, needed).is_ok(), "{assignment:?} {scheme:?}");
            assert!(boot().with_channels(scheme, Channels::MOST).is_ok());
            let local = Channels { local: needed.local - 1, ..needed };
            let global = Channels { global: needed.global - 1, ..needed };
            for (links, few, found, needed) in [
                ("local", local, local.local, needed.local),
                ("global", global, global.global, needed.global),
            ] {
                assert_eq!(
                    boot().with_channels(scheme, few).unwrap_err(),
                    Error::TooFewChannels { links, found, needed, assignment, scheme }
                );
            }
        }
    }
    let generated = images(VcScheme::PerHop);
    let switch = Switch::boot(&generated.images.fabric, &generated.images.switches[0]).unwrap();
    let error = switch.with_channels(Scheme::Par, Channels { local: 4, global: 6 }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "local links have 4 virtual channels, but assignment \"per-hop\" needs 7 for par"
    );
}

/// A header that PAR would give a channel which UGAL-L does without.
#[test]
fn no_packet_is_given_a_channel_that_the_links_lack() {
    let generated = images(VcScheme::PerHop);
    let fabric = FabricImage::decode(&generated.images.fabric).unwrap();
    let boot = || Switch::boot_in(&fabric, &generated.images.switches[5]).unwrap();
    // To switch 4 of the same group, by way of stage 6 with VC 5: VC 6 comes next.
    let header = Header::from_bits(4 << 48 | 6 << 5 | 5 << 2);
    assert!(matches!(boot().forward(header), Ok(Step::Send { virtual_channel: 6, .. })));
    let few = Channels::needed(VcScheme::PerHop, Scheme::UgalL);
    assert_eq!(
        boot().with_channels(Scheme::UgalL, few).unwrap().forward(header),
        Err(Error::NoChannel { bits: header.bits(), needed: 6, count: 6 })
    );
}

/// A packet that needs more channels than those for which its switch was booted is refused where it is decided, and
/// not at a later switch where a channel is missing.
#[test]
fn a_switch_refuses_packets_for_which_it_was_not_booted() {
    let generated = images(VcScheme::Ordered);
    let fabric = FabricImage::decode(&generated.images.fabric).unwrap();
    let (paths, sums) = (VlbPaths::ALL, [0_u32; 7]);
    // To switch 14 in another group, after one local hop, and the same once PAR has decided.
    let (open, decided) = (14 << 48 | 2 << 28 | 1 << 5 | 1, 14 << 48 | 2 << 28 | 1 << 5);
    for booted_for in Scheme::ALL.into_iter().flat_map(|scheme| paths.map(|of| (scheme, of))) {
        let switch = Switch::boot_in(&fabric, &generated.images.switches[5]).unwrap();
        let channels = switch.channels_needed_for(booted_for.0, booted_for.1);
        let switch = switch.with_channels_for(booted_for.0, booted_for.1, channels).unwrap();
        assert_eq!(switch.booted_for(), booted_for);
        for (scheme, of) in Scheme::ALL.into_iter().flat_map(|scheme| paths.map(|of| (scheme, of)))
        {
            let serves =
                match scheme {
                    Scheme::Min => true,
                    Scheme::Vlb | Scheme::UgalL => booted_for.0 != Scheme::Min,
                    Scheme::Par => booted_for.0 == Scheme::Par,
                } && (scheme == Scheme::Min || of == VlbPaths::Custom || of == booted_for.1);
            assert_eq!(switch.serves(scheme, of), serves, "{booted_for:?} {scheme:?} {of:?}");
            let refused = Error::WrongScheme { scheme, paths: of, booted_for };
            let mut rng = DefaultRng::seed_from_u64(1);
            let admitted = switch.admit(NodeId(40), scheme, of, &sums[..], &mut rng);
            let why = switch.explain(NodeId(40), scheme, of, &sums[..], &mut rng);
            assert_eq!((admitted.is_ok(), why.is_ok()), (serves, serves));
            assert!(
                serves || (admitted.unwrap_err(), why.unwrap_err()) == (refused.clone(), refused)
            );
        }
        for of in paths {
            let look = |header| {
                let mut rng = DefaultRng::seed_from_u64(1);
                switch.reconsider(Header::from_bits(header), of, &sums[..], &mut rng)
            };
            assert_eq!(look(open).is_ok(), switch.serves(Scheme::Par, of));
            assert_eq!(look(decided), Ok(Header::from_bits(decided)));
        }
    }
    let switch = Switch::boot_in(&fabric, &generated.images.switches[5]).unwrap();
    let few = switch.with_channels(Scheme::UgalL, Channels::ORDERED).unwrap();
    let mut rng = DefaultRng::seed_from_u64(1);
    let par = few.admit(NodeId(40), Scheme::Par, VlbPaths::Custom, &sums[..], &mut rng);
    assert_eq!(
        par.unwrap_err().to_string(),
        "this switch was booted for ugal-l on conventional VLB paths; it serves no packet of par on custom ones, \
         which can need more virtual channels"
    );
}
