//! Tables are replaced in a saturated network: nothing is lost, nothing waits for ever.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::Scheme;
use crate::setting_values::Buffers;
use crate::test_images::{Images, absolute_images};
use crate::{BootedFabric, Run, Settings};
use tvlb_firmware_model::{Error, Switch, VlbPaths};
use tvlb_schema::{End, FabricImage, FaultSet, GlobalPort, GroupId, ShapeSet, encode_fault_image};
use tvlb_traffic::{Pattern, Traffic};

fn images(set: u16) -> Images {
    absolute_images(2, 4, 2, 9, ShapeSet::from_bits(set).unwrap())
}

#[test]
fn replacing_tables_in_a_saturated_network_loses_nothing() {
    // Sets that share no shape, and a network in which every other switch has the one or the
    // other: switches are not replaced all at the same moment.
    let (short, long) = (images(0b0000_0000_1111), images(0b1100_0011_0000));
    let mut mixed = images(0b0000_0000_1111);
    for (number, image) in mixed.switches.iter_mut().enumerate() {
        if number % 2 == 1 {
            image.clone_from(&long.switches[number]);
        }
    }
    let fabrics =
        [&short, &mixed, &long].map(|i| BootedFabric::boot(&i.fabric, &i.switches).unwrap());
    let [short, mixed, long] = &fabrics;
    for scheme in [Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
        for pattern in [Pattern::Uniform, Pattern::Shift { groups: 1, switches: 0 }] {
            let mut settings = Settings::new(scheme, VlbPaths::Custom);
            (settings.buffers, settings.patience_cycles) = (Buffers::all(4), 1000);
            let traffic = Traffic::new(&pattern, short.dragonfly(), 1).unwrap();
            // Links with no more channels than the short routes need refuse the long ones.
            let mut few = Run::new(short, &settings, &traffic, 1.0, 1).unwrap();
            let refused = few.replace_tables(long).unwrap_err().to_string();
            assert!(refused.contains("local links have"), "{refused}");
            settings.virtual_channels = Some(settings.channels(long).unwrap());
            let mut run = Run::new(short, &settings, &traffic, 1.0, 1).unwrap();
            let mut before = 0;
            for fabric in [mixed, long, mixed, short].into_iter().cycle().take(60) {
                // 300 cycles are ten crossings of a global link: many packets are under way.
                run.advance(300).unwrap();
                run.inspect().unwrap();
                assert!(run.network.links.pool.live() > 300, "the network is full");
                assert!(run.flit_hops() > before + 1000, "{scheme:?}, {pattern}: it flows");
                before = run.flit_hops();
                run.replace_tables(fabric).unwrap();
            }
        }
    }
}

#[test]
fn tables_of_other_cables_are_refused_and_the_old_ones_serve_on() {
    let (images, others) = (images(0xfff), absolute_images(2, 4, 2, 8, ShapeSet::ALL));
    let fabric = BootedFabric::boot(&images.fabric, &images.switches).unwrap();
    let other = BootedFabric::boot(&others.fabric, &others.switches).unwrap();
    let settings = Settings::new(Scheme::UgalL, VlbPaths::Custom);
    let traffic = Traffic::new(&Pattern::Uniform, fabric.dragonfly(), 1).unwrap();
    let mut run = Run::new(&fabric, &settings, &traffic, 0.5, 1).unwrap();
    run.advance(300).unwrap();
    let error = run.replace_tables(&other).unwrap_err().to_string();
    assert!(
        error.starts_with("switch 0: replacement of tables in use: switch 32 is not the same"),
        "{error}"
    );
    run.advance(300).unwrap();

    // The same of a single switch, with images that are bad in other ways too.
    let mut switch = fabric.switches()[7].clone();
    let whole = format!("{switch:?}");
    let mut damaged = images.switches[7].clone();
    damaged[25] ^= 1;
    assert!(matches!(switch.replace(&images.fabric, &damaged, None), Err(Error::SwitchImage(_))));
    assert!(matches!(
        switch.replace(&images.fabric, &images.switches[8], None),
        Err(Error::Replacement { what: "switch", found: 8, needed: 7 })
    ));
    assert!(matches!(switch.replace(&[], &[], None), Err(Error::FabricImage(_))));
    assert_eq!(format!("{switch:?}"), whole);
    assert!(switch.replace(&images.fabric, &images.switches[7], None).is_ok());
}

/// Other tables of the fabric bring nothing back to life, and the number of the fault image goes on to be in use.
#[test]
fn what_is_dead_stays_dead_with_other_tables() {
    let (old, new) = (images(0xfff), images(0b1111));
    let plan = FabricImage::decode(&old.fabric).unwrap();
    let cable = End { group: GroupId(0), port: GlobalPort(1) };
    let faults = FaultSet { cables: [cable].into(), ..FaultSet::default() };
    let dead = encode_fault_image(&plan, 3, &faults);
    let of_same_number = encode_fault_image(&plan, 3, &FaultSet::default());
    let mut switch = Switch::boot(&old.fabric, &old.switches[5]).unwrap();
    switch.install_faults(&dead).unwrap();
    for tables in [&old, &new] {
        switch.replace(&tables.fabric, &tables.switches[5], None).unwrap();
        assert!(!switch.image().fabric().has_live_cable(cable));
        let refused = switch.install_faults(&of_same_number);
        assert_eq!(refused, Err(Error::OldFaults { found: 3, installed: 3 }));
    }
}
