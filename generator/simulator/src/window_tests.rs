//! Chunks of switches that run ahead of each other, on one thread or on several, see what they would have seen
//! in step.
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::Scheme;
use crate::setting_values::{Buffers, Deciding};
use crate::test_images::absolute_images;
use crate::{BootedFabric, Run, Settings};
use std::num::NonZeroU32;
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{Bandwidth, Bandwidths, ShapeSet};
use tvlb_table_set::Injection;
use tvlb_traffic::{Pattern, Traffic};

/// What can be seen of a run: the flits on each link and what was counted.
fn seen(run: &Run<'_>) -> String {
    let network = &run.network;
    run.inspect().unwrap();
    format!("{} {:?} {:?}", network.sent, network.link_flits(), network.links.tally)
}

#[test]
fn many_cycles_at_once_are_the_same_as_one_after_the_other() {
    // A chunk of 256 ports holds eight groups of the first, two and two thirds of the second, two of the third.
    for (images, loads) in [
        (absolute_images(2, 4, 2, 9, ShapeSet::ALL), [1.0, 0.2, 0.6, 0.5]),
        (absolute_images(2, 6, 2, 13, ShapeSet::ALL), [0.5, 0.2, 0.3, 0.4]),
        (absolute_images(2, 8, 2, 17, ShapeSet::ALL), [0.5, 0.2, 0.3, 0.4]),
    ] {
        let fabric = BootedFabric::boot(&images.fabric, &images.switches).unwrap();
        let schemes = [Scheme::Min, Scheme::Vlb, Scheme::UgalL, Scheme::Par];
        for (scheme, load) in schemes.into_iter().zip(loads) {
            let bandwidths = [
                (10, 15, 1, [1, 1, 1]),
                (2, 40, 3, [3, 4, 2]),
                (30, 3, 7, [1, 1, 1]),
                (1, 5, 2, [2, 1, 3]),
            ];
            for (local, global, node, bandwidths) in bandwidths {
                let mut settings = Settings::new(scheme, VlbPaths::Custom);
                (settings.warm_up_windows, settings.window_cycles, settings.buffers) =
                    (1, 500, Buffers::all(8));
                (settings.local_latency_cycles, settings.global_latency_cycles) = (local, global);
                settings.node_latency_cycles = node;
                let [nodes, locals, globals] = bandwidths
                    .map(|bandwidth| Bandwidth::of_thousandths(1000 * bandwidth).unwrap());
                settings.bandwidths = Bandwidths::new(nodes, locals, globals).unwrap();
                if node == 3 {
                    settings.injection = Injection::Random;
                }
                if node != 1 {
                    settings.decide = Deciding::Head;
                }
                let pattern = match node {
                    1 => {
                        "uniform then shift(1,0) in bursts(30,10) at 0.6 from 700 then uniform from 800"
                    }
                    _ => "uniform",
                };
                let pattern: Pattern = pattern.parse().unwrap();
                let traffic = Traffic::new(&pattern, fabric.dragonfly(), 1).unwrap();
                let new = || {
                    let mut run = Run::new(&fabric, &settings, &traffic, load, 1).unwrap();
                    run.record_series(NonZeroU32::new(90).unwrap());
                    run
                };
                let (mut one, mut other, mut divided) = (new(), new(), new());
                other.network.keep_in_step();
                for (cycles, parts) in [(1, 2), (2, 1), (701, 4), (340, 2), (60, 3)] {
                    for run in [&mut one, &mut other] {
                        run.network.run(cycles).unwrap();
                    }
                    divided.network.run(cycles).unwrap();
                    divided.network.divide(parts);
                    assert_eq!(seen(&one), seen(&other), "{scheme:?} {local} {global} {node}");
                    assert_eq!(seen(&one), seen(&divided), "{scheme:?} {local} {global} {node}");
                }
                assert!(one.flit_hops() > 5_000, "there is traffic");
            }
        }
    }
}
