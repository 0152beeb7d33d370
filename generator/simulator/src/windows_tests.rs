//! Sources with windows: the packets under way are those not acknowledged, no packet waits for ever, and neither
//! threads nor how far chunks run ahead make a difference.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::faults::local_link;
use crate::setting_values::{Buffers, Deciding};
use crate::test_images::{Images, absolute_images};
use crate::{BootedFabric, FaultSchedule, LinkSpec, Run, Scheme, Settings, StopRule};
use tvlb_base::parameter::{Parameter, Parameters as _, Stated};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{End, FaultSet, Port, ShapeSet, SwitchId, WindowLimits};
use tvlb_table_set::Injection;
use tvlb_traffic::{Pattern, Traffic};

fn settings(scheme: Scheme, limits: &str) -> Settings {
    let limits: WindowLimits = limits.parse().unwrap();
    let buffers = Buffers::all(8);
    let usual = Settings::new(scheme, VlbPaths::Custom);
    let (window_cycles, warm_up_windows) = (1000, 1);
    Settings { destination_window: Some(limits), buffers, window_cycles, warm_up_windows, ..usual }
}

fn traffic(fabric: &BootedFabric<'_>, pattern: &str) -> Traffic {
    Traffic::new(&pattern.parse::<Pattern>().unwrap(), fabric.dragonfly(), 1).unwrap()
}

/// What can be seen of a run.
fn seen(run: &Run<'_>) -> String {
    let network = &run.network;
    run.inspect().unwrap();
    let held: Vec<_> =
        network.parts().flat_map(|part| part.windows.as_ref().unwrap().held()).collect();
    format!("{held:?} {} {:?} {:?}", network.sent, network.link_flits(), network.links.tally)
}

/// The packets that windows say are under way, and those of which a source has not heard.
fn under_way(run: &Run<'_>) -> (u64, u64) {
    let parts = || run.network.parts();
    let windows = parts().map(|part| part.windows.as_ref().unwrap().under_way()).sum();
    let told = |part: &crate::network::Network<'_, _, _>| {
        part.links.acknowledgements.as_ref().unwrap().under_way() as u64
    };
    (windows, u64::from(run.network.under_way()) + parts().map(told).sum::<u64>())
}

#[test]
fn many_cycles_at_once_are_the_same_as_one_after_the_other() {
    let images = absolute_images(2, 8, 2, 17, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&images.fabric, &images.switches).unwrap();
    let traffic = traffic(&fabric, "hot-switch");
    for scheme in Scheme::ALL {
        for limits in ["0/1", "60/8"] {
            let mut settings = settings(scheme, limits);
            if limits == "0/1" {
                // Farther ahead than a flit or a credit is ever filed.
                settings.acknowledgement_cycles = Some(700);
            }
            if limits == "60/8" && scheme != Scheme::UgalG {
                (settings.injection, settings.decide) = (Injection::Random, Deciding::Head);
            }
            let run = || Run::new(&fabric, &settings, &traffic, 0.6, 1).unwrap();
            let (mut one, mut other, mut divided) = (run(), run(), run());
            other.network.keep_in_step();
            for (round, cycles) in [1, 203, 64, 1500].into_iter().enumerate() {
                one.network.run(cycles).unwrap();
                other.network.run(cycles).unwrap();
                divided.network.divide([1, 2, 3, 2][round]);
                divided.network.run(cycles).unwrap();
                assert_eq!(seen(&one), seen(&other), "{scheme:?} {limits}");
                assert_eq!(seen(&one), seen(&divided), "{scheme:?} {limits}");
            }
            assert!(one.network.windows.as_ref().unwrap().held().len() > 20, "{scheme:?} {limits}");
        }
    }
}

#[test]
fn what_windows_count_is_what_no_source_has_heard_of() {
    let images = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&images.fabric, &images.switches).unwrap();
    let traffic = traffic(&fabric, "shift(2,1)");
    for scheme in Scheme::ALL {
        let settings = settings(scheme, "40/3");
        let mut run = Run::new(&fabric, &settings, &traffic, 0.6, 1).unwrap();
        for cycles in [10, 200, 1000, 5] {
            run.advance(cycles).unwrap();
            let (windows, known) = under_way(&run);
            assert!(windows > 0 && windows == known, "{scheme:?}: {windows}, {known}");
        }
    }
}

/// Cables, links within groups and switches die and are mended. A source that waits for a lost packet hears of it.
#[test]
fn a_lost_packet_holds_nobody() {
    // Six chunks, so that links lead from one to the other.
    let images = absolute_images(2, 8, 2, 17, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&images.fabric, &images.switches).unwrap();
    let df = fabric.dragonfly();
    let traffic = traffic(&fabric, "shift(2,1)");
    let of_every_third = |switch: &SwitchId| switch.0.is_multiple_of(3);
    let dead = FaultSet {
        switches: [SwitchId(3), SwitchId(14)].into(),
        cables: df
            .switches()
            .filter(of_every_third)
            .map(|switch| End::new(df, df.place(switch).0, df.place(switch).1, 0))
            .collect(),
        local_links: df
            .switches()
            .filter(of_every_third)
            .map(|switch| local_link(&fabric, switch, Port(2 + switch.0 % 7)))
            .collect(),
        ..FaultSet::default()
    };
    let entries = [(400, dead), (1200, FaultSet::default())];
    let schedule = FaultSchedule::new(&fabric, &entries, 0..=100).unwrap();
    for scheme in Scheme::ALL {
        let settings = settings(scheme, "0/2");
        let mut run = Run::with_faults(&fabric, &settings, &traffic, 0.5, 1, &schedule).unwrap();
        for cycles in [399, 60, 300, 600] {
            run.advance(cycles).unwrap();
            run.inspect().unwrap();
            let (windows, known) = under_way(&run);
            assert_eq!(windows, known, "{scheme:?}");
        }
        assert!(run.losses().sent() > 50, "{:?}", run.losses());
        // Long after all is mended, every node still gets its packets.
        run.advance(1000).unwrap();
        let before: Vec<u32> = run.network.link_flits();
        run.advance(1000).unwrap();
        let bits = run.network.states.port_bits;
        for node in fabric.dragonfly().nodes() {
            let (switch, terminal) = fabric.dragonfly().switch_of(node);
            let port = (switch.as_usize() << bits) + usize::from(terminal);
            assert!(run.network.link_flits()[port] > before[port], "{scheme:?} {node}");
        }
    }
}

/// What is sent to a switch that can take no more does not fill the network where sources have windows.
#[test]
fn the_rest_goes_on_beside_a_hot_switch() {
    let Images { fabric, switches } = absolute_images(4, 8, 4, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let traffic = traffic(&fabric, "hot-switch");
    let latency = |settings: &Settings| {
        let run = Run::new(&fabric, settings, &traffic, 0.7, 1).unwrap();
        let outcome = run.measure(StopRule::FullWindow, &()).unwrap();
        outcome.populations.iter().find(|one| one.population == "rest").unwrap().latency
    };
    let with = Settings { buffers: Buffers::all(32), ..settings(Scheme::Par, "150/16") };
    let without = Settings { destination_window: None, ..with.clone() };
    let (with, without) = (latency(&with), latency(&without));
    assert!(with < 60.0 && without > 80.0, "{with} {without}");
}

#[test]
fn an_acknowledgement_takes_as_long_as_what_goes_to_another_switch() {
    let images = absolute_images(2, 4, 2, 9, ShapeSet::ALL);
    let fabric = BootedFabric::boot(&images.fabric, &images.switches).unwrap();
    let traffic = traffic(&fabric, "uniform");
    let usual = settings(Scheme::UgalL, "150/16");
    assert_eq!(usual.acknowledgement(), 44);
    let soon = Settings { acknowledgement_cycles: Some(10), ..usual };
    let refused = Run::new(&fabric, &soon, &traffic, 0.1, 1).err().unwrap();
    insta::assert_snapshot!(refused, @"acknowledgement is 10, accepted 11 to 10000");
}

#[test]
fn whoever_has_acknowledgements_has_the_windows_of_the_tables() {
    let limits = LinkSpec::default().window_limits(8);
    assert_eq!(limits.to_string(), "152/32");
    let links = LinkSpec { destination_window: Some(limits), ..LinkSpec::default() };
    let on = |options: &[(&str, &str)]| {
        let mut stated = Stated::default();
        for (name, text) in options {
            stated.state(Parameter::named(name).unwrap(), text).unwrap();
        }
        Settings::usual().on(links, &stated).destination_window
    };
    assert_eq!(on(&[]), None);
    assert_eq!(on(&[("acknowledgement", "50")]), Some(limits));
    assert_eq!(on(&[("acknowledgement", "50"), ("destination-window", "9/1")]), "9/1".parse().ok());
    assert_eq!(on(&[("destination-window", "9/1")]), "9/1".parse().ok());
    let none = WindowLimits { packets: 0, ..limits };
    let refused = Settings { destination_window: Some(none), ..Settings::usual() }.check();
    insta::assert_snapshot!(refused.unwrap_err(), @"packets of the destination window is 0, accepted 1 to 65535");
}
