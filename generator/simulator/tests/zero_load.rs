//! A packet that meets no other takes 5 cycles and 12 for each local and 17 for each global hop.
use crate::test_images::{Images, absolute, dragonfly, images, shape};
use tvlb_firmware_model::VlbPaths;
use tvlb_schema::{Decision, Dragonfly, NodeId, SetRule, Shape, ShapeSet, SwitchId};
use tvlb_simulator::Scheme;
use tvlb_simulator::{BootedFabric, Deciding, Outcome, Run, Settings, StopRule};
use tvlb_table_set::Injection;
use tvlb_traffic::{Pattern, Traffic};

/// One node sends to another, rarely.
fn lone_flow(fabric: &BootedFabric<'_>, scheme: Scheme, from: NodeId, to: NodeId) -> Outcome {
    let mut settings = Settings::new(scheme, VlbPaths::Custom);
    (settings.warm_up_windows, settings.window_cycles) = (0, 20_000);
    let pattern = Pattern::pairs(&[(from, to)]);
    let traffic = Traffic::new(&pattern, fabric.dragonfly(), 1).unwrap();
    let run = Run::new(fabric, &settings, &traffic, 0.001, 1).unwrap();
    run.measure(StopRule::FullWindow, &()).unwrap()
}

fn assert_all_take(outcome: &Outcome, local: u32, global: u32) {
    let expected = 5 + 12 * local + 17 * global;
    let all = &outcome.all;
    assert!(all.packets > 5);
    assert_eq!((all.p50, all.most), (expected, expected));
    assert!((all.latency - f64::from(expected)).abs() < 1e-9);
    assert!((all.network_latency - f64::from(expected)).abs() < 1e-9);
    assert!((all.hops - f64::from(local + global)).abs() < 1e-9);
}

#[test]
fn every_minimal_path_takes_its_closed_form() {
    let df = dragonfly(2, 4, 2, 9);
    let Images { fabric, switches } = images(&df, &absolute(&df), SetRule::whole(ShapeSet::ALL));
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    for to in 0..df.node_count() {
        let from = NodeId(5);
        let (source, destination) = (df.switch_of(from).0, df.switch_of(NodeId(to)).0);
        let ((group, here), (to_group, there)) = (df.place(source), df.place(destination));
        let (local, global) = if source == destination {
            (0, 0)
        } else if group == to_group {
            (1, 0)
        } else {
            let image = fabric.switches()[0].image().fabric();
            let (x, z) = image.link(group, to_group, 0).unwrap();
            let head = u32::from(df.split_port(x).0 != here);
            (head + u32::from(df.split_port(z).0 != there), 1)
        };
        assert_all_take(&lone_flow(&fabric, Scheme::Min, from, NodeId(to)), local, global);
    }
}

/// Two switches that have a route of this shape, if such there are.
fn pair_with(fabric: &BootedFabric<'_>, shape: Shape) -> Option<(SwitchId, SwitchId)> {
    let df: &Dragonfly = fabric.dragonfly();
    df.switches().map(|to| (SwitchId(0), to)).find(|&(from, to)| {
        let mut found = false;
        fabric.switches()[from.as_usize()]
            .for_each_route(Decision::UgalL, to, |_, s| found |= s == shape);
        found
    })
}

#[test]
fn a_route_of_every_shape_takes_its_closed_form() {
    let df = dragonfly(4, 8, 4, 9);
    for shape in Shape::all() {
        let Images { fabric, switches } =
            images(&df, &absolute(&df), SetRule::whole(ShapeSet::only(shape)));
        let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
        let (from, to) = pair_with(&fabric, shape).unwrap();
        let outcome = lone_flow(&fabric, Scheme::Vlb, df.node(from, 1), df.node(to, 2));
        assert_all_take(&outcome, u32::from(shape.hops()) - 2, 2);
        assert!((outcome.all.vlb_share - 1.0).abs() < 1e-9);
    }
}

#[test]
fn latencies_and_the_speedup_are_what_the_settings_say() {
    let df = dragonfly(4, 8, 4, 9);
    let set = SetRule::whole(ShapeSet::only(shape("121")));
    let Images { fabric, switches } = images(&df, &absolute(&df), set);
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let (from, to) = pair_with(&fabric, shape("121")).unwrap();
    let pattern = Pattern::pairs(&[(df.node(from, 0), df.node(to, 0))]);
    let traffic = Traffic::new(&pattern, &df, 1).unwrap();
    // A switch takes three steps of its pipeline, and a link one cycle more than its latency.
    let decidings = [Deciding::Sending, Deciding::Head];
    let speedups = [(1, 2), (2, 1), (3, 0), (4, 0)];
    for (decide, (speedup, switch)) in decidings.into_iter().cycle().zip(speedups) {
        let mut settings = Settings::new(Scheme::Vlb, VlbPaths::Custom);
        (settings.warm_up_windows, settings.window_cycles) = (0, 20_000);
        settings.speedup = speedup;
        (
            settings.local_latency_cycles,
            settings.global_latency_cycles,
            settings.node_latency_cycles,
        ) = (3, 50, 2);
        settings.injection = Injection::Random;
        settings.decide = decide;
        let run = Run::new(&fabric, &settings, &traffic, 0.001, 1).unwrap();
        let outcome = run.measure(StopRule::FullWindow, &()).unwrap();
        let expected = 2 * 3 + 4 * 4 + 2 * 51 + 7 * switch;
        assert_eq!((outcome.all.p50, outcome.all.most), (expected, expected), "{speedup}");
    }
}
