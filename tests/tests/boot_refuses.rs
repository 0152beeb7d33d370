//! A switch whose links have too few virtual channels for its image does not boot.

use tvlb_firmware_model::{Channels, Error, Header, Scheme, Step, Switch, VlbPaths};
use tvlb_schema::{FabricImage, VcScheme};
use tvlb_topology::arrangement::Arrangement;

fn images(assignment: VcScheme) -> tvlb_generator::tables::Generated {
    let mut fabric = tvlb_tests::arranged((2, 4, 2, 9), Arrangement::Absolute);
    fabric.file.virtual_channels = assignment;
    tvlb_tests::images(&fabric)
}

#[test]
fn too_few_channels_are_refused_by_name() {
    for assignment in VcScheme::ALL {
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
