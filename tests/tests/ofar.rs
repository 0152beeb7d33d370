//! OFAR on dfly(4,8,4,33) accepts and takes what `FOGSim` measured (its first version, 2014, with the strict trigger;
//! docs/measurements/ofar.md has more points).

use tvlb_lab::cut_through::{
    CutThrough, CutThroughFabric, CutThroughOutcome, CutThroughRun, Routing, Sending,
};
use tvlb_lab::escape::Ring;
use tvlb_ofar::{OfarRules, encode_escape_image};
use tvlb_schema::FabricImage;
use tvlb_simulator::BootedFabric;
use tvlb_tests::{arranged, images};
use tvlb_topology::arrangement::Arrangement;
use tvlb_traffic::{Pattern, Traffic};

fn near(found: f64, expected: f64, percent: f64) {
    let off = 100.0 * (found / expected - 1.0).abs();
    assert!(off <= percent, "{found} is {off:.1}% off {expected}");
}

#[test]
fn fogsims_figures_are_met() {
    let fabric = arranged((4, 8, 4, 33), Arrangement::Palmtree);
    let made = images(&fabric);
    let view = FabricImage::decode(&made.images.fabric).unwrap();
    let ring = Ring::of(&fabric.topology).unwrap().network();
    let escape = encode_escape_image(&view, &ring, &OfarRules::default()).unwrap();
    let booted = BootedFabric::boot(&made.images.fabric, &made.images.switches).unwrap();
    let network = CutThroughFabric::with_escape(&booted, &escape).unwrap();
    let run = |channels: (u8, u8), pattern: &Pattern, load: f64| -> CutThroughOutcome {
        let rules = OfarRules {
            local_channels: channels.0,
            global_channels: channels.1,
            strict: true,
            ..OfarRules::default()
        };
        let settings = CutThrough {
            warm_up_cycles: 5000,
            measured_cycles: 5000,
            ..CutThrough::new(Routing::Ofar(rules), tvlb_firmware_model::VlbPaths::Custom)
        };
        let traffic = Traffic::new(pattern, fabric.topology.dragonfly(), 1).unwrap();
        let run = CutThroughRun::new(network, &settings, &traffic, Sending::Load(load), 1).unwrap();
        run.measure(&()).unwrap()
    };
    let next = Pattern::NextGroup { groups: 4 };
    let full = run((3, 2), &next, 1.0);
    near(full.all.accepted, 0.367, 2.0);
    near(full.local_hops, 2.941, 1.0);
    near(full.global_hops, 1.915, 1.0);
    // Beyond what any routing carries that does not misroute within groups.
    assert!(full.all.accepted > 0.281);
    let uniform = Pattern::UniformOthers;
    let most = run((3, 2), &uniform, 0.7);
    near(most.all.accepted, 0.700, 2.0);
    near(most.all.latency, 245.0, 5.0);
    // Fewer channels, and so the ring.
    let full = run((2, 1), &uniform, 1.0);
    near(full.all.accepted, 0.620, 2.0);
    near(full.escape.unwrap().hops, 0.0981, 10.0);
}
