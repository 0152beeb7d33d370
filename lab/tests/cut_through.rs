//! Figures of cut-through switches that are known from elsewhere: limits by counting links, and the curves of
//! `FOGSim`, the simulator of the group that published OFAR, in its first public version (2014), on dfly(4,8,4,33) with the palm
//! tree arrangement.
#![allow(clippy::unwrap_used, reason = "a test program")]

#[path = "../../generator/simulator/src/test_images.rs"]
mod test_images;

use test_images::{Images, dragonfly, images, palm_tree};
use tvlb_base::parameter::{Parameter, Stated};
use tvlb_firmware_model::{Scheme, VlbPaths};
use tvlb_lab::cut_through::{
    CutThrough, CutThroughOutcome, CutThroughRun, LinkBuffer, Piggybacking, Routing, Sending,
};
use tvlb_schema::{NodeId, SetRule, Shape, ShapeSet};
use tvlb_simulator::{BootedFabric, LinkSpec};
use tvlb_traffic::{Pattern, Traffic};

const MIN: Routing = Routing::Scheme(Scheme::Min);
/// As that simulator draws and weighs it.
const PB: Routing =
    Routing::Piggybacking(Piggybacking { percent: 200, packets: 5, like_fogsim: true });

/// VLB by a third group in which at most one hop is made.
fn by_group() -> SetRule {
    SetRule::whole(ShapeSet::generated_by(&[Shape::of_walk(true, 1, true)]))
}

/// One run with `cycles` of warm-up and as many that are measured.
fn outcome(
    fabric: &BootedFabric<'_>,
    routing: Routing,
    pattern: &str,
    load: f64,
    cycles: u32,
) -> CutThroughOutcome {
    let pattern: Pattern = pattern.parse().unwrap();
    let traffic = Traffic::new(&pattern, fabric.dragonfly(), 1).unwrap();
    let settings = CutThrough {
        warm_up_cycles: cycles,
        measured_cycles: cycles,
        ..CutThrough::new(routing, VlbPaths::Custom)
    };
    let run = CutThroughRun::new(fabric, &settings, &traffic, Sending::Load(load), 1).unwrap();
    run.measure(&()).unwrap()
}

fn assert_within(percent: f64, found: f64, expected: f64, what: &str) {
    let deviation = 100.0 * (found / expected - 1.0);
    assert!(deviation.abs() <= percent, "{what}: {found}, but {expected} is known");
}

#[test]
fn curves_are_those_of_fogsim() {
    let df = dragonfly(4, 8, 4, 33);
    let Images { fabric, switches } = images(&df, &palm_tree(&df), by_group());
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    // Zero load is arithmetic: 1 + 10 local + 100 global hops + 8.
    let low = outcome(&fabric, MIN, "uniform-others", 0.01, 4000);
    assert_within(0.5, low.all.latency, 123.31, "MIN's latency at load 0.01");
    let full = outcome(&fabric, MIN, "uniform-others", 1.0, 5000);
    assert_within(2.0, full.all.accepted, 0.639, "MIN accepts, uniform");
    // All 32 nodes of a group share one link.
    let adverse = outcome(&fabric, MIN, "next-group(4)", 0.2, 5000);
    assert_within(2.0, adverse.all.accepted, 1.0 / 32.0, "MIN accepts, next-group(4)");
    for (pattern, accepted, local, global) in [
        ("uniform-others", 0.579, 2.092, 1.264),
        ("next-group(2)", 0.283, 2.216, 1.902),
        ("next-group(4)", 0.217, 2.653, 1.875),
    ] {
        let full = outcome(&fabric, PB, pattern, 1.0, 5000);
        assert_within(3.0, full.all.accepted, accepted, &format!("PB accepts, {pattern}"));
        assert_within(1.0, full.local_hops, local, &format!("PB's local hops, {pattern}"));
        assert_within(1.0, full.global_hops, global, &format!("PB's global hops, {pattern}"));
    }
    let moderate = outcome(&fabric, PB, "next-group(4)", 0.1, 5000);
    assert_within(2.0, moderate.all.latency, 227.0, "PB's latency at 0.1, next-group(4)");
}

/// Without a misroute within the middle group, PB stays below what the links there and MIN's allow.
#[test]
fn piggybacking_stays_below_the_bound_of_its_paths() {
    let df = dragonfly(2, 4, 2, 9);
    let Images { fabric, switches } = images(&df, &palm_tree(&df), by_group());
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    let rule = Piggybacking { percent: 200, packets: 5, like_fogsim: false };
    let full = outcome(&fabric, Routing::Piggybacking(rule), "next-group(2)", 1.0, 6000);
    let bound = 1.0 / 2.0 + 1.0 / 8.0;
    assert!(full.all.accepted < bound && full.all.accepted > 0.25, "{}", full.all.accepted);
}

/// What is accepted and generated is per node that sends, as in the other simulator, and a buffer that is too small
/// for a long link carries what is said of it.
#[test]
fn silent_nodes_do_not_count_and_a_small_buffer_carries_what_is_said() {
    let df = dragonfly(2, 4, 2, 9);
    let Images { fabric, switches } = images(&df, &palm_tree(&df), by_group());
    let fabric = BootedFabric::boot(&fabric, &switches).unwrap();
    // Node 0 sends to another group over one global link, and nobody else sends.
    let pairs = Pattern::pairs(&[(NodeId(0), NodeId(40))]);
    let traffic = Traffic::new(&pairs, &df, 1).unwrap();
    let run = |settings: &CutThrough, load| {
        let run = CutThroughRun::new(&fabric, settings, &traffic, Sending::Load(load), 1);
        run.unwrap().measure(&()).unwrap()
    };
    let settings = CutThrough { warm_up_cycles: 2000, ..CutThrough::new(MIN, VlbPaths::Custom) };
    let usual = run(&settings, 0.2);
    assert_within(10.0, usual.all.accepted, 0.2, "accepted");
    assert_within(10.0, usual.generated, 0.2, "generated");
    assert_eq!(settings.starved_links(), []);

    let small =
        CutThrough { global: LinkBuffer { phits: 32, ..settings.global }, ..settings.clone() };
    let said: Vec<String> = small.starved_links().iter().map(ToString::to_string).collect();
    let expected = "a virtual channel of a global link of 100 cycles with a buffer of 32 phits carries at most \
                    0.160 phits per cycle";
    assert_eq!(said, [expected]);
    assert_within(3.0, run(&small, 0.8).all.accepted, 0.16, "a small buffer");
    let links =
        LinkSpec { local_latency_cycles: 10, global_latency_cycles: 100, ..LinkSpec::default() };
    let stated = |name: &str, text: &str| {
        let mut stated = Stated::default();
        stated.state(Parameter::named(name).unwrap(), text).unwrap();
        settings.clone().on(links, &stated).global.phits
    };
    assert_eq!(stated("global-latency", "1000"), 2000);
    assert_eq!(stated("global-buffer", "40"), 40);
}
