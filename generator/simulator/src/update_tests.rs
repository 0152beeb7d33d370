//! Switches take switch images together with fault images: a network that has taken both is the network
//! that booted with them, and nothing that is under way minds.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::Scheme;
use crate::setting_values::Buffers;
use crate::test_images::{Images, absolute_images};
use crate::{BootedFabric, FaultSchedule, Run, Settings, StopRule};
use std::collections::BTreeMap;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{End, FaultSet, GlobalPort, GroupId, ShapeSet, SwitchId};
use tvlb_traffic::{Pattern, Traffic};

/// Images of a small fabric whose switches draw from the shapes with these numbers.
fn images(shapes: u16) -> Images {
    absolute_images(2, 4, 2, 9, ShapeSet::from_bits(shapes).unwrap())
}

const SHORT: u16 = 0b0000_0000_1111;
const LONG: u16 = 0b1100_0011_0000;

fn boot(images: &Images) -> BootedFabric<'_> {
    BootedFabric::boot(&images.fabric, &images.switches).unwrap()
}

fn every_third(images: &Images) -> BTreeMap<SwitchId, Vec<u8>> {
    let numbered = (0..).map(SwitchId).zip(images.switches.iter().cloned());
    numbered.filter(|(switch, _)| switch.0 % 3 == 0).collect()
}

fn one_cable() -> FaultSet {
    let end = End { group: GroupId(2), port: GlobalPort(1) };
    FaultSet { cables: [end].into(), ..FaultSet::default() }
}

fn settings(scheme: Scheme) -> Settings {
    let mut settings = Settings::new(scheme, VlbPaths::Custom);
    (settings.window_cycles, settings.warm_up_windows) = (1000, 1);
    settings
}

#[test]
fn installed_at_the_beginning_they_are_what_would_have_booted() {
    let (short, long) = (images(SHORT), images(LONG));
    let mut mixed = images(SHORT);
    for (switch, image) in every_third(&long) {
        mixed.switches[switch.as_usize()] = image;
    }
    let (short, mixed) = (boot(&short), boot(&mixed));
    let schedule = |fabric| FaultSchedule::new(fabric, &[(0, one_cable())], 0..=0).unwrap();
    let updated = schedule(&short).with_switch_images(&short, 0, every_third(&long)).unwrap();
    let booted = schedule(&mixed);
    let traffic = Traffic::new(&Pattern::Uniform, short.dragonfly(), 1).unwrap();
    for scheme in [Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
        let settings = settings(scheme);
        let outcome = |fabric, schedule| {
            let run = Run::with_faults(fabric, &settings, &traffic, 0.3, 1, schedule).unwrap();
            run.measure(StopRule::FullWindow, &()).unwrap()
        };
        let found = outcome(&short, &updated);
        assert_eq!(found, outcome(&mixed, &booted), "{scheme:?}");
        // The switch images matter, and not the fault image alone.
        assert_ne!(found, outcome(&short, &schedule(&short)), "{scheme:?}");
    }
}

/// Images arrive late and out of order in a full network, with other switch images each time; in the end all
/// switches have those of the table set again.
#[test]
fn no_mixture_of_updates_deadlocks_or_loses_more_than_dead_parts_explain() {
    let (short, long) = (images(SHORT), images(LONG));
    let fabric = boot(&short);
    let nothing = FaultSet::default();
    let entries: Vec<(u32, FaultSet)> = (1..12)
        .map(|n| (500 * n, if n % 2 == 1 { one_cable() } else { nothing.clone() }))
        .collect();
    for scheme in [Scheme::Vlb, Scheme::UgalL, Scheme::Par] {
        let mut schedule = FaultSchedule::new(&fabric, &entries, 0..=1200).unwrap();
        for entry in (0..entries.len() - 1).step_by(2) {
            schedule = schedule.with_switch_images(&fabric, entry, every_third(&long)).unwrap();
        }
        let mut settings = settings(scheme);
        (settings.buffers, settings.patience_cycles) = (Buffers::all(4), 1000);
        let traffic = Traffic::new(&Pattern::Uniform, fabric.dragonfly(), 1).unwrap();
        let mut run = Run::with_faults(&fabric, &settings, &traffic, 1.0, 1, &schedule).unwrap();
        for _ in 0..40 {
            let before = run.flit_hops();
            run.advance(200).unwrap();
            run.inspect().unwrap();
            assert!(run.flit_hops() > before + 1000, "{scheme:?}: it flows");
        }
        let losses = run.losses();
        assert!(losses.on_dead_links > 0, "{losses:?}");
        assert_eq!(losses.all(), losses.on_dead_links + losses.without_live_port, "{losses:?}");
        let last = run.network.switches.iter().zip(fabric.switches());
        for (switch, booted) in last {
            let mut booted = booted.clone();
            booted.install_faults(&schedule.entries.last().unwrap().image).unwrap();
            let sets = |switch: &tvlb_firmware_model::Switch<'_>| {
                format!("{:?}", switch.image().set(tvlb_schema::Decision::UgalL))
            };
            assert_eq!(sets(switch), sets(&booted));
        }
    }
}

/// Tables that are replaced leave the images of an update where they are, and so does an update with the
/// same images.
#[test]
fn tables_that_are_replaced_keep_the_images_of_an_update() {
    let (short, long) = (images(SHORT), images(LONG));
    let fabric = boot(&short);
    let entries = [(200, one_cable()), (500, FaultSet::default())];
    let mut schedule = FaultSchedule::new(&fabric, &entries, 0..=100).unwrap();
    for entry in 0..2 {
        schedule = schedule.with_switch_images(&fabric, entry, every_third(&long)).unwrap();
    }
    let (settings, traffic) =
        (settings(Scheme::UgalL), Traffic::new(&Pattern::Uniform, fabric.dragonfly(), 1).unwrap());
    let new = || Run::with_faults(&fabric, &settings, &traffic, 0.9, 1, &schedule).unwrap();
    let (mut one, mut other) = (new(), new());
    for cycles in [250, 200, 400] {
        one.advance(cycles).unwrap();
        other.advance(cycles).unwrap();
        let seen = |run: &Run<'_>| (run.flit_hops(), run.losses(), run.network.link_flits());
        assert_eq!(seen(&one), seen(&other));
        other.replace_tables(&fabric).unwrap();
    }
}

#[test]
fn images_that_a_switch_cannot_take_are_named() {
    let (short, other) = (images(SHORT), absolute_images(2, 4, 2, 8, ShapeSet::ALL));
    let fabric = boot(&short);
    let refused = |image: Vec<u8>| {
        let entries = [(0, FaultSet::default()), (70, one_cable())];
        let schedule = FaultSchedule::new(&fabric, &entries, 0..=0).unwrap();
        let images = BTreeMap::from([(SwitchId(5), image)]);
        let error = schedule.with_switch_images(&fabric, 1, images).unwrap_err();
        assert!(error.to_string().starts_with("faults from cycle 70 on: the image"), "{error}");
        error.to_string()
    };
    let anothers = refused(short.switches[6].clone());
    let begin = "faults from cycle 70 on: the image of switch 5: ";
    assert_eq!(
        anothers,
        format!("{begin}replacement of tables in use: its switch is 0x6, but it must stay 0x5")
    );
    assert!(refused(other.switches[5].clone()).starts_with(begin));
    let mut damaged = short.switches[5].clone();
    damaged[30] ^= 1;
    assert!(refused(damaged).starts_with(begin));
}
